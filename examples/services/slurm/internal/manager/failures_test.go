package manager

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// A watched is a world that notes when which command of Slurm and which call to the provider
// is made, and whose commands and calls can fail. Its Watch notes the journal.
type watched struct {
	*world
	broken map[string]int // by command: so many of the next calls fail, all for a negative number
	calls  []string       // but for reading and lists
	at     map[string][]time.Duration
	told   []Entry
	file   string // the journal
}

var errBroken = errors.New("exit status 1")

func watch(w *world) *watched {
	return &watched{world: w, broken: map[string]int{}, at: map[string][]time.Duration{}}
}

// call notes a call, and fails if it is to.
func (w *watched) call(what, text string) error {
	w.at[what] = append(w.at[what], w.now.Sub(worldStart))
	if text != "" {
		w.calls = append(w.calls, text)
	}
	if w.broken[what] == 0 {
		return nil
	}
	w.broken[what]--
	return errBroken
}

func (w *watched) Jobs(ctx context.Context) ([]slurmctl.Job, error) {
	if err := w.call("jobs", ""); err != nil {
		return nil, err
	}
	return w.world.Jobs(ctx)
}

func (w *watched) Nodes(ctx context.Context) ([]slurmctl.Node, error) {
	if err := w.call("nodes", ""); err != nil {
		return nil, err
	}
	return w.world.Nodes(ctx)
}

func (w *watched) Drain(ctx context.Context, node, reason string) error {
	if err := w.call("drain", fmt.Sprintf("drain %s (%s)", node, reason)); err != nil {
		return err
	}
	return w.world.Drain(ctx, node, reason)
}

func (w *watched) Undrain(ctx context.Context, node string) error {
	if err := w.call("undrain", "undrain "+node); err != nil {
		return err
	}
	return w.world.Undrain(ctx, node)
}

func (w *watched) Down(ctx context.Context, node, reason string) error {
	if err := w.call("down", fmt.Sprintf("down %s (%s)", node, reason)); err != nil {
		return err
	}
	return w.world.Down(ctx, node, reason)
}

func (w *watched) Weigh(ctx context.Context, weights []slurmctl.Weight) error {
	if err := w.call("weigh", fmt.Sprintf("weigh %v", weights)); err != nil {
		return err
	}
	return w.world.Weigh(ctx, weights)
}

func (w *watched) Promote(ctx context.Context, job int64, priority uint32) error {
	if err := w.call("promote", fmt.Sprintf("promote %d to %d", job, priority)); err != nil {
		return err
	}
	return w.world.Promote(ctx, job, priority)
}

// A watchedProvider is the other side of a watched.
type watchedProvider struct {
	*watched
	live bool // it answers that an instance has not ended
}

func (p *watchedProvider) Create(ctx context.Context, token, node string) (provider.Instance, error) {
	if err := p.call("create", "create "+node); err != nil {
		return provider.Instance{}, err
	}
	return worldProvider{p.world}.Create(ctx, token, node)
}

func (p *watchedProvider) Delete(ctx context.Context, id string) (provider.Instance, error) {
	if err := p.call("delete", "delete "+id[strings.LastIndex(id, "-")+1:]); err != nil {
		return provider.Instance{}, err
	}
	if p.live {
		return provider.Instance{ID: id}, nil
	}
	return worldProvider{p.world}.Delete(ctx, id)
}

func (p *watchedProvider) List(ctx context.Context) ([]provider.Instance, error) {
	if err := p.call("list", ""); err != nil {
		return nil, err
	}
	return worldProvider{p.world}.List(ctx)
}

// manage opens a manager of the world, or the next one.
func (w *watched) manage(t *testing.T, p provider.Provider, o Options) *Manager {
	t.Helper()
	o.Watch = func(e *Entry, _ *Status) {
		if e != nil {
			w.told = append(w.told, *e)
		}
	}
	if w.file == "" {
		w.file = filepath.Join(memory(t), "journal")
	}
	m, err := reopen(w.file, w, p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	m.results = make(chan result, 1000)
	m.spawn = func(f func()) { f() }
	return m
}

// reasons returns the reasons of the entries of a kind.
func (w *watched) reasons(k Kind) (all []string) {
	for _, e := range w.told {
		if e.Kind == k {
			all = append(all, e.Reason)
		}
	}
	return all
}

// minutes returns how long after the first the calls were made.
func minutes(at []time.Duration) (all []float64) {
	for _, d := range at {
		all = append(all, (d - at[0]).Minutes())
	}
	return all
}

// A call that fails is made again after RetryEvery, here a minute, and after two, four and eight,
// where it costs money or the provider's patience; then each eight minutes, and at the usual pace
// after a success. A command of Slurm and a list are tried again each minute; so is a refused
// instance. What failed is in the journal, each time if it was a call.
func TestPauses(t *testing.T) {
	doubling := []float64{0, 1, 3, 7, 15, 23, 31}
	flat := []float64{0, 1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		call  string
		live  bool
		want  []float64
		says  string
		once  bool // and not each time
		other int  // calls that are told as well
	}{
		{call: "create", want: doubling, says: "asking for an instance: exit status 1"},
		{call: "delete", want: doubling, says: "giving back: exit status 1"},
		{call: "delete", live: true, want: doubling, says: "giving back: the provider says that it has not ended"},
		{call: "list", want: flat, says: "listing instances: exit status 1"},
		{call: "drain", want: flat, says: "draining: exit status 1", once: true},
	} {
		w := watch(newWorld(1, 3*time.Minute))
		p := &watchedProvider{watched: w, live: c.live}
		if !c.live {
			w.broken[c.call] = -1
		}
		o := worldOptions(w.world)
		o.BootLimit = 100 * time.Hour
		if c.call != "list" {
			o.AuditEvery = 100 * time.Hour
		}
		m := w.manage(t, p, o)
		w.submit(1, 10*time.Minute, 10*time.Minute)
		for len(w.at[c.call]) < 7 && w.now.Before(worldStart.Add(5*time.Hour)) {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
		if diff := gocmp.Diff(c.want, minutes(w.at[c.call])); diff != "" {
			t.Errorf("%s, minutes of the calls: %s", c.says, diff)
		}
		n := 7
		if c.once {
			n = 1
		}
		if diff := gocmp.Diff(slices.Repeat([]string{c.says}, n), w.reasons(Failed)); diff != "" {
			t.Errorf("told: %s", diff)
		}
		// It works again.
		w.broken[c.call], p.live = 0, false
		w.at["list"] = nil
		for range 4 * 60 * 3 {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
		if !w.done() || len(w.wrong) > 0 || m.state.failures != n {
			t.Errorf("%s: done: %v, wrong: %v, %d failures", c.says, w.done(), w.wrong, m.state.failures)
		}
		if list := minutes(w.at["list"]); c.call == "list" && !slices.Contains(list, 10) { // the usual pace
			t.Errorf("minutes of the lists: %v", list)
		}
		w.told = nil // what fails next is told, also if it is the same
		w.broken[c.call] = 1
		w.submit(1, 10*time.Minute, 10*time.Minute)
		for range 4 * 60 * 3 {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
		if got := w.reasons(Failed); !c.live && !slices.Equal(got, []string{c.says}) {
			t.Errorf("told later: %q, want %q", got, c.says)
		}
	}
}

// The pause of one instance is its own, and is not that of a new manager, which tries at once; it
// doubles from where the journal says that it was.
func TestPauseOfNextManager(t *testing.T) {
	w := watch(newWorld(1, 3*time.Minute))
	p := &watchedProvider{watched: w}
	w.broken["create"] = -1
	o := worldOptions(w.world)
	o.AuditEvery = 100 * time.Hour
	m := w.manage(t, p, o)
	w.submit(1, 10*time.Minute, 10*time.Minute)
	for len(w.at["create"]) < 3 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	m.Close()
	m = w.manage(t, p, o)
	for len(w.at["create"]) < 6 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	m.Close()
	// By hand: 0, 1 and 3 minutes; the next manager comes 15 s later, and waits for 8 minutes twice.
	if diff := gocmp.Diff([]float64{0, 1, 3, 3.25, 11.25, 19.25}, minutes(w.at["create"])); diff != "" {
		t.Errorf("minutes of the calls: %s", diff)
	}
}

// A refusal is final for its instance, and another instance is asked for a minute later.
func TestRefusals(t *testing.T) {
	w := newWorld(1, 3*time.Minute)
	var at []time.Duration
	w.faults = func(call string) fault {
		if call == "create" && len(at) < 5 {
			at = append(at, w.now.Sub(worldStart))
			return refuse
		}
		return noFault
	}
	o := worldOptions(w)
	var told []string
	o.Watch = func(e *Entry, _ *Status) {
		if e != nil && (e.Kind == Refused || e.Kind == Failed) {
			told = append(told, string(e.Kind)+": "+e.Reason)
		}
	}
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	w.submit(1, 10*time.Minute, 10*time.Minute)
	for range 4 * 90 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	if diff := gocmp.Diff([]float64{0, 1, 2, 3, 4}, minutes(at)); diff != "" {
		t.Errorf("minutes of the calls: %s", diff)
	}
	if diff := gocmp.Diff(slices.Repeat([]string{"refused: " + provider.ErrRefused.Error() + ": no capacity"}, 5), told); diff != "" {
		t.Errorf("told: %s", diff)
	}
	w.check(t, m)
}

// A brokenBuyer does not sell for the first calls.
type brokenBuyer struct {
	*watched
	fails int
	asked []provider.Reservation
}

func (b *brokenBuyer) Buy(_ context.Context, r provider.Reservation) (string, error) {
	b.at["buy"] = append(b.at["buy"], b.now.Sub(worldStart))
	b.asked = append(b.asked, r)
	if b.fails--; b.fails >= 0 {
		return "", errBroken
	}
	if b.fails == -1 {
		return "", nil // without a name
	}
	return "r-7", nil
}

// A buyer that fails is asked again after a minute, two, four and then each eight, each purchase by
// itself. What is told of periods and purchases, with a buyer, without, and without one any more.
func TestPausesOfPurchases(t *testing.T) {
	w := watch(newWorld(3, 3*time.Minute))
	b := &brokenBuyer{watched: w, fails: 6}
	o := worldOptions(w.world)
	o.Period, o.Buyer = 6, b
	o.Prices = pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{{Name: "half", Term: 12 * time.Hour, Upfront: 3 * pricing.Unit,
		Hourly: 100 * pricing.Milli}}}
	m := w.manage(t, &watchedProvider{watched: w}, o)
	if got := m.advice(nil); got != "there is nothing to buy" {
		t.Errorf("advice: %q", got)
	}
	busy := func(hours int) {
		for range hours {
			w.submit(2, 58*time.Minute, 58*time.Minute)
			for range 120 {
				w.step(t, m)
				w.advance(30 * time.Second)
			}
		}
	}
	busy(8)
	if diff := gocmp.Diff([]float64{0, 1, 3, 7, 15, 23, 31}, minutes(b.at["buy"])[:7]); diff != "" {
		t.Errorf("minutes of the calls: %s", diff)
	}
	n := b.asked[0].Count
	want := provider.Reservation{Token: m.state.begin.Cluster + "-period1-0", Class: "half", Count: n, Term: 12 * time.Hour}
	for i, r := range b.asked[:7] {
		if r != want {
			t.Errorf("call %d: %+v, want %+v", i, r, want)
		}
	}
	what := fmt.Sprintf("%d of half", n)
	if diff := gocmp.Diff([]string{"buying " + what}, w.reasons(Week)); diff != "" {
		t.Errorf("told of the period: %s", diff)
	}
	if diff := gocmp.Diff(slices.Repeat([]string{"buying " + what + ": exit status 1"}, 6), w.reasons(Failed)); diff != "" {
		t.Errorf("told of failures: %s", diff)
	}
	if got := w.reasons(Bought); !slices.Equal(got, []string{what}) || len(m.Unbought()) > 0 {
		t.Errorf("told of the purchase: %q", got)
	}
	busy(12)
	bought := w.reasons(Bought)
	if last := bought[len(bought)-1]; len(bought) < 2 || !strings.HasSuffix(last, " of half, which is r-7") {
		t.Errorf("told of purchases: %q", bought)
	}
	// By the journal the next one has orders that nobody carries out any more: told once each.
	b.fails = 1000
	busy(14)
	open := len(m.Unbought())
	m.Close()
	w.told, o.Buyer = nil, nil
	next := w.manage(t, &watchedProvider{watched: w}, o)
	for range 10 {
		w.step(t, next)
		w.advance(time.Minute)
	}
	says := w.reasons(Failed)
	if open == 0 || len(says) != open || !strings.HasSuffix(says[0], " of half: nothing here does it any more, and it may have been done") ||
		!strings.HasPrefix(says[0], "buying ") {
		t.Errorf("%d orders are open, told: %q", open, says)
	}
	if got := next.advice([]pricing.Purchase{{Class: 0, Count: 3}}); got != "buy 3 of half now: it is taken to be bought, and nothing here does it" {
		t.Errorf("advice: %q", got)
	}
}

// Each command of Slurm fails the first three times. It is told once, and once more when it fails
// again after it has worked; in the end all jobs have run, nothing is rented, and no node is drained.
func TestSlurmFails(t *testing.T) {
	for _, c := range []struct{ command, says string }{
		{"jobs", "reading Slurm: exit status 1"},
		{"nodes", "reading Slurm: exit status 1"},
		{"drain", "draining: exit status 1"},
		{"undrain", "taking down: exit status 1"},
		{"down", "taking down: exit status 1"},
		{"weigh", "weighing: exit status 1"},
	} {
		w := watch(newWorld(2, 3*time.Minute))
		m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
		for round := range 2 {
			w.told, w.broken[c.command] = nil, 3
			w.submit(1, 10*time.Minute, 10*time.Minute)
			for range 4 * 80 {
				w.step(t, m)
				w.advance(15 * time.Second)
			}
			if got := w.reasons(Failed); !slices.Equal(got, []string{c.says}) {
				t.Errorf("%s, round %d: told %q, want %q", c.command, round, got, c.says)
			}
			if w.broken[c.command] != 0 || !w.done() || slices.ContainsFunc(w.nodes, func(n *worldNode) bool { return n.drains }) {
				t.Errorf("%s, round %d: %d failures are left; done: %v", c.command, round, w.broken[c.command], w.done())
			}
			for i := range w.instances { // else the next one costs the weights nothing new
				if in := w.instances[i]; in.Live() {
					t.Errorf("%s lives", in.ID)
				}
			}
			m.weights = map[string]int{}
		}
		w.check(t, m)
	}
}

// Where a failed command stops one instance, those after it go on: two instances leave at once, and
// the first drain fails, or the first node cannot be taken down.
func TestFailureOfOne(t *testing.T) {
	for _, command := range []string{"drain", "down", "undrain"} {
		w := watch(newWorld(2, 3*time.Minute))
		m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
		w.submit(2, 10*time.Minute, 10*time.Minute)
		w.broken[command] = 1
		for len(w.at[command]) < 3 && w.now.Before(worldStart.Add(3*time.Hour)) {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
		if at := w.at[command]; len(at) != 3 || at[1] != at[0] || at[2] == at[0] {
			t.Errorf("%s: at %v, want two at once", command, w.at[command])
		}
	}
}

// The journal and the commands of two jobs, in their order, by hand. A node comes up in three
// minutes; the second job waits for the end of the first, and needs one more. Each instance leaves a
// minute before the end of its hour: its node is drained, then the instance is ended, and when that
// is known the node is taken down, and is free again.
func TestOrder(t *testing.T) {
	w := watch(newWorld(3, 3*time.Minute))
	o := worldOptions(w.world)
	o.Lead = time.Minute
	m := w.manage(t, &watchedProvider{watched: w}, o)
	w.submit(1, 10*time.Minute, 20*time.Minute)
	w.submit(2, 20*time.Minute, 30*time.Minute)
	for range 4 * 80 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	var told []string
	for _, e := range w.told {
		told = append(told, strings.TrimSpace(fmt.Sprintf("%v %s %s %d %s", e.At, e.Kind, e.Node, e.Job, e.Reason)))
	}
	if diff := gocmp.Diff([]string{
		"0s asking n1 1 1 more: job 1, which needs 1, would start never",
		"0s rented n1 0",
		"3m0s up n1 0",
		"13m0s ran  1",
		"13m0s asking n2 2 1 more: job 2, which needs 2, would start never",
		"13m0s rented n2 0",
		"16m0s up n2 0",
		"36m0s ran  2",
		"59m0s leaving n1 0 idle, and charged again in 1m0s",
		"59m0s gone n1 0 idle, and charged again in 1m0s",
		"1h12m0s leaving n2 0 idle, and charged again in 1m0s",
		"1h12m0s gone n2 0 idle, and charged again in 1m0s",
	}, told); diff != "" {
		t.Errorf("the journal: %s", diff)
	}
	if diff := gocmp.Diff([]string{
		"create n1", "weigh [{n1 1}]", "create n2", "weigh [{n2 1} {n1 2}]",
		"drain n1 (plimsoll: released)", "delete n1", "down n1 (plimsoll: released)", "undrain n1",
		"drain n2 (plimsoll: released)", "delete n2", "down n2 (plimsoll: released)", "undrain n2",
	}, w.calls); diff != "" {
		t.Errorf("the calls: %s", diff)
	}
}

// A journal that cannot be written ends the manager with an error, at the first entry that is not
// written, whichever that is: what is not in the journal is not done.
func TestJournalFails(t *testing.T) {
	t.Parallel()
	type scene struct {
		*world
		m     *Manager
		plan  []planned
		limit time.Duration
	}
	for name, set := range map[string]func(t *testing.T) scene{
		"jobs": func(t *testing.T) scene {
			w := newWorld(4, 3*time.Minute)
			w.race()
			n := 0
			w.faults = func(call string) fault {
				n++
				return []fault{noFault, failBefore, noFault, failAfter, noFault, refuse}[n%6]
			}
			return scene{w, w.open(t, filepath.Join(memory(t), "journal"), worldOptions(w)), append([]planned{{0, 9, time.Minute, time.Minute}}, worldPlan...),
				4 * time.Hour}
		},
		"policy": func(t *testing.T) scene {
			n := 0
			s := newStage(t, &elastic.OD{}, nil)
			s.world.faults = func(call string) fault {
				n++
				return []fault{noFault, failBefore, noFault, failAfter, noFault, refuse}[n%6]
			}
			return scene{s.world, s.m, worldPlan, 75 * time.Minute}
		},
		"purchases": func(t *testing.T) scene {
			w := newWorld(3, 3*time.Minute)
			o := worldOptions(w)
			o.Period, o.Buyer = 1, &worldBuyer{world: w, sold: map[string]provider.Reservation{}}
			o.Prices = pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{{Name: "half", Term: 12 * time.Hour, Upfront: 3 * pricing.Unit,
				Hourly: 100 * pricing.Milli}}}
			return scene{w, w.open(t, filepath.Join(memory(t), "journal"), o), worldPlan, 4 * time.Hour}
		},
	} {
		ended := false
		for left := 0; !ended; left++ {
			s := set(t)
			m, seen := s.m, 0
			m.o.Watch = func(e *Entry, _ *Status) {
				if e != nil {
					seen++
				}
				if seen == left {
					m.journal.Close()
				}
			}
			if left == 0 {
				m.journal.Close()
			}
			next, at := 0, s.now
			var failed error
			for end := s.now.Add(s.limit); failed == nil && s.now.Before(end); s.advance(time.Minute) {
				for next < len(s.plan) && !s.now.Before(at.Add(s.plan[next].after)) {
					at = at.Add(s.plan[next].after)
					s.submit(s.plan[next].nodes, s.plan[next].run, s.plan[next].estimate)
					next++
				}
				failed = m.step(context.Background())
				for ; m.calls > 0; m.calls-- {
					if r := <-m.results; failed == nil {
						failed = m.came(r)
					}
				}
			}
			switch entries := m.state.entries - 1; {
			case failed == nil && entries <= left:
				ended = true // there are no more
			case failed == nil || entries != left+1:
				t.Fatalf("%s: of the first %d entries are written: %v; %d were to be", name, left, failed, entries)
			}
			m.Close()
			if left > 400 {
				t.Fatal("it does not come to an end")
			}
		}
	}
}
