package manager

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A decision is what a policy was shown when it acted, and what it did.
type decision struct {
	Now     time.Duration
	Again   bool
	Credits pricing.Money
	Jobs    []schedule.Job
	Clouds  []elastic.Cloud
	Actions []string
}

// recorder is a policy that notes its decisions.
type recorder struct {
	elastic.Policy
	all []decision
}

func (r *recorder) AppendActions(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action {
	n := len(dst)
	dst = r.Policy.AppendActions(dst, s)
	if len(dst) == n {
		return dst
	}
	d := decision{Now: s.Now, Again: s.Again, Credits: s.Credits}
	for _, j := range s.Jobs {
		d.Jobs = append(d.Jobs, schedule.Job{Submit: j.Submit, Estimate: j.Estimate, Nodes: j.Nodes})
	}
	for _, c := range s.Clouds {
		all := c.Instances
		c.Instances = nil
		for _, in := range all {
			// A manager that starts again knows starts of jobs to the second.
			_, restarted := r.Policy.(remembering)
			if in.ID = 0; in.State == elastic.Idle || in.State == elastic.Stopping || in.State == elastic.Busy && restarted {
				in.Ready = 0
			}
			if in.State != elastic.Stopping { // when they are gone is seen later
				c.Instances = append(c.Instances, in)
			}
		}
		d.Clouds = append(d.Clouds, c)
	}
	for _, a := range dst[n:] {
		due := time.Duration(0) // of an instance that is terminated
		if !a.Launch {
			due = s.Clouds[a.Cloud].Instances[a.Instance].Due
		}
		d.Actions = append(d.Actions, fmt.Sprintf("launch %v %d in %d, due %v: %v", a.Launch, a.Count, a.Cloud, due, a.Reason))
	}
	r.all = append(r.all, d)
	return dst
}

func (r *recorder) String() string { return fmt.Sprint(r.Policy) }

func (r *recorder) Memory() int {
	if p, ok := r.Policy.(remembering); ok {
		return p.Memory()
	}
	return 0
}

func (r *recorder) Recall(n int) {
	if p, ok := r.Policy.(remembering); ok {
		p.Recall(n)
	}
}

func (r *recorder) Rests(s *elastic.Snapshot) (pricing.Money, bool) {
	return r.Policy.(interface {
		Rests(*elastic.Snapshot) (pricing.Money, bool)
	}).Rests(s)
}

// A worldPart is one cloud of a world: its nodes, and whether it refuses everything.
type worldPart struct {
	worldProvider
	nodes   []string
	refuses bool
}

func (p worldPart) Create(ctx context.Context, token, node string) (provider.Instance, error) {
	if p.refuses {
		return provider.Instance{}, provider.ErrRefused
	}
	return p.worldProvider.Create(ctx, token, node)
}

func (p worldPart) List(ctx context.Context) ([]provider.Instance, error) {
	all, err := p.worldProvider.List(ctx)
	return slices.DeleteFunc(all, func(in provider.Instance) bool { return !slices.Contains(p.nodes, in.Node) }), err
}

// The policies of the tests. Each call returns new ones.
func testPolicies(seed uint64) []elastic.Policy {
	return []elastic.Policy{
		&elastic.SM{}, &elastic.OD{}, &elastic.OD{Printed: true}, &elastic.OD{Plus: true}, &elastic.OD{Plus: true, KeepFree: true},
		&elastic.AQTP{Response: 30 * time.Minute, Threshold: 10 * time.Minute},
		&elastic.MCOP{CostWeight: .2, Rand: rand.New(rand.NewPCG(seed, 0))}, &elastic.MCOP{CostWeight: .8, Rand: rand.New(rand.NewPCG(seed, 0)), Exact: true},
	}
}

// In a world without delays the manager shows a policy what the simulator shows it, and
// both do the same at the same times: jobs start when they do there, and the same is paid. A
// manager of a policy that remembers something is replaced by another one every few hours,
// which has the journal and a new policy.
func TestAsElasticSimulator(t *testing.T) {
	t.Parallel()
	const fixed, private, commercial = 2, 3, 6
	const boot = 50_300 * time.Millisecond
	again, actions, restarts := 0, 0, 0
	seeds, count, end := uint64(2), 16, 30*time.Hour
	if testing.Verbose() { // it takes a while
		seeds, count, end = 4, 25, 60*time.Hour
	}
	for seed := range seeds {
		for k := range testPolicies(seed) {
			rng := rand.New(rand.NewPCG(12, seed))
			refuses := seed%2 == 1 // the private cloud, always
			budget := elastic.Budget{Hourly: pricing.Money(100+rng.IntN(400)) * pricing.Milli, Debt: 85 * pricing.Milli}
			var jobs []trace.Job
			at := time.Duration(0)
			for i := range count {
				// Milliseconds keep events apart, and Slurm tells submissions in seconds.
				at += time.Duration(1+rng.IntN(1800)) * time.Second
				if i%8 == 7 {
					at += 3 * time.Hour
				}
				run := time.Duration(7001+rng.IntN(8000_000)) * time.Millisecond
				jobs = append(jobs, trace.Job{ID: int64(i), Submit: at, Run: run, Estimate: run + time.Duration(rng.IntN(3600))*time.Second, Nodes: 1 + rng.IntN(4)})
			}
			theirs := &recorder{Policy: testPolicies(seed)[k]}
			reject := 0.
			if refuses {
				reject = 1
			}
			var sim elastic.Simulator
			want, err := sim.Run(jobs, elastic.Options{Local: fixed, Policy: theirs, Budget: budget, Every: 5 * time.Minute, Horizon: end,
				Clouds: []elastic.CloudOptions{
					{Name: "private", Limit: private, Reject: reject, Boot: elastic.Certain(boot), Stop: elastic.Certain(0)},
					{Name: "commercial", Price: 85 * pricing.Milli, Limit: commercial, Boot: elastic.Certain(boot), Stop: elastic.Certain(0)},
				}})
			if err != nil {
				t.Fatal(err)
			}
			starts := slices.Clone(want.Starts)

			w := newWorld(fixed+private+commercial, boot)
			names := make([]string, len(w.nodes))
			for i, n := range w.nodes {
				names[i] = n.name
				switch {
				case i < fixed:
					n.fixed, n.weight = true, 1
				case i < fixed+private:
					n.group = 1
				default:
					n.group = 2
				}
			}
			ours := &recorder{Policy: testPolicies(seed)[k]}
			o := worldOptions(w)
			o.Nodes, o.Policy, o.Budget, o.Every = names[fixed:], ours, budget, 5*time.Minute
			o.Clouds = []Cloud{
				{Name: "private", Nodes: names[fixed:][:private], Boot: boot, Provider: worldPart{worldProvider{w}, names[fixed:][:private], refuses}},
				{Name: "commercial", Nodes: names[fixed+private:], Price: 85 * pricing.Milli, Boot: boot,
					Provider: worldPart{worldProvider{w}, names[fixed+private:], false}},
			}
			file := filepath.Join(memory(t), "journal")
			m, err := reopen(file, w, Provide(o.Clouds), o)
			if err != nil {
				t.Fatal(err)
			}
			m.results = make(chan result, 1000)
			m.spawn = func(f func()) { f() }
			restart := func() {
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
				ours.Policy = testPolicies(seed)[k]
				if m, err = reopen(file, w, Provide(o.Clouds), o); err != nil {
					t.Fatal(err)
				}
				m.results = make(chan result, 1000)
				m.spawn = func(f func()) { f() }
				for range 4 { // the provider's list says what has ended
					w.step(t, m)
				}
				restarts++
			}
			_, remembers := ours.Policy.(remembering)
			for next := 0; w.now.Sub(worldStart) < end; {
				if next < len(jobs) && w.now.Sub(worldStart) == jobs[next].Submit {
					w.submit(jobs[next].Nodes, jobs[next].Run, jobs[next].Estimate)
					next++
				}
				w.advance(0)
				for range 4 { // the rounds, and the list that confirms what is gone
					w.step(t, m)
				}
				if remembers && rng.IntN(30) == 0 && !m.auditing && m.calls == 0 {
					restart()
				}
				event := w.now.Truncate(o.Every).Add(o.Every)
				sooner := func(at time.Time) {
					if at.After(w.now) && at.Before(event) {
						event = at
					}
				}
				if next < len(jobs) {
					sooner(worldStart.Add(jobs[next].Submit))
				}
				for _, in := range w.instances {
					sooner(in.ready)
				}
				for _, j := range w.jobs {
					sooner(j.start.Add(j.run))
				}
				w.advance(event.Sub(w.now))
			}
			name := fmt.Sprintf("seed %d, %v (%d)", seed, o.Policy.(*recorder).Policy, k)
			for i := range min(len(ours.all), len(theirs.all)) {
				if diff := cmp.Diff(theirs.all[i], ours.all[i]); diff != "" {
					t.Fatalf("%s: decision %d of %d and %d (-simulator +manager):\n%s", name, i, len(theirs.all), len(ours.all), diff)
				}
				actions += len(ours.all[i].Actions)
				if ours.all[i].Again {
					again++
				}
			}
			if len(ours.all) != len(theirs.all) {
				t.Errorf("%s: %d decisions, %d in the simulator", name, len(ours.all), len(theirs.all))
			}
			for i, j := range w.jobs {
				got := j.start.Sub(worldStart)
				if starts[i] >= 0 && got != starts[i] {
					t.Errorf("%s: job %d starts at %v, in the simulator at %v", name, i, got, starts[i])
					break
				}
			}
			if bill, err := m.Bill(); err != nil || bill.Cost != want.Cost {
				t.Errorf("%s: %+v, %v; in the simulator $%v", name, bill, err, want.Cost)
			}
			if len(w.wrong) > 0 {
				t.Errorf("%s: %s", name, strings.Join(w.wrong, "; "))
			}
			m.Close()
		}
	}
	t.Logf("%d actions, %d second rounds, %d restarts", actions, again, restarts)
	if actions < 500 || again < 5 || restarts < 20 {
		t.Errorf("only %d actions, %d second rounds and %d restarts", actions, again, restarts)
	}
}
