// Package manager is the semi-elastic cluster of [Niu16] on a real Slurm: it reads the
// queue and the nodes, decides as package schedule/sim does, and rents and gives back
// instances.
//
// Slurm starts the jobs, in its own order, and goes on when the manager is down. The
// manager does four things. It rents instances when the first job of the queue would
// wait too long. It gives those back that are idle when their paid time ends, after
// draining their nodes. It weighs idle nodes, so that jobs get them in the order of the
// placement policy. And it raises the priority of a job that EASY backfilling lets
// start before its turn: Slurm's own backfilling counts in minutes, and would not do
// so on a clock on which an hour lasts seconds.
//
// All that changes is written to a journal, what is about to be done before it is
// done. Whatever moment a manager is killed at, the next one reads the journal, asks
// the provider and Slurm what they have, and goes on:
//
//   - An instance that was being asked for is asked for again, by the same token, which
//     rents nothing more.
//   - One that was being given back has a node that drains or has drained. It is given
//     back if no job has the node, which is asked of Slurm after draining.
//   - Others are compared with the provider's list.
package manager

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/slurm/internal/clock"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/journal"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/provider"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// Slurm is what the manager asks of Slurm. *slurmctl.Client has it.
type Slurm interface {
	Jobs(ctx context.Context) ([]slurmctl.Job, error)
	Nodes(ctx context.Context) ([]slurmctl.Node, error)
	Drain(ctx context.Context, node, reason string) error
	Undrain(ctx context.Context, node string) error
	Down(ctx context.Context, node, reason string) error
	Weigh(ctx context.Context, weights []slurmctl.Weight) error
	Promote(ctx context.Context, job int64, priority uint32) error
}

// Options are a manager's parameters. Times are of the scaled clock but for Hour, Poll
// and Timeout.
type Options struct {
	Nodes []string // names that instances may have, which Slurm knows

	WaitLimit    time.Duration      // T_waitlmt of [Niu16]
	Short        time.Duration      // T_short
	Expansion    schedule.Expansion // how much to request
	Placement    placement.Policy   // which idle instances a job gets; not Random
	ReleaseEvery time.Duration      // between two release checks
	RetryEvery   time.Duration      // until what failed is tried again
	Boot         time.Duration      // how long a boot is expected to take
	BootLimit    time.Duration      // after which an instance has failed
	AuditEvery   time.Duration      // between two comparisons with the provider's list

	Meter  pricing.Meter
	Prices pricing.List // what instances cost on demand, and the reservations to be had
	Period int          // hours between two purchases; 0: nothing is bought

	Hour    time.Duration // how long an hour takes
	Poll    time.Duration // between two looks at Slurm
	Timeout time.Duration // of a call to the provider

	// Watch, if not nil, is called with each entry of the journal, and with each view
	// of the cluster that differs from the one before, by the manager's goroutine.
	// Nothing of them is to be kept.
	Watch func(e *Entry, s *Status)

	now func() time.Time // the calendar's, of tests
}

// A Status is what the manager saw last.
type Status struct {
	// Spent is how long the manager has worked since it began, in real time: deciding,
	// writing its journal and telling Slurm; not reading Slurm, and not waiting for it or for the
	// provider.
	Spent                       time.Duration
	Now                         time.Duration
	Waiting, Running            int // jobs
	WaitingNodes                int
	Idle, Busy, Booting, Leaves int // instances
	Reserved                    int
}

// A Manager runs one cluster. Make it with Open, Run it, and Close it.
type Manager struct {
	o        Options
	slurm    Slurm
	provider provider.Provider
	journal  *journal.Journal
	clock    *clock.Clock
	state    *state
	decider  decider
	rules    rules
	book     *portfolio

	results chan result
	calls   int          // to the provider, under way
	spawn   func(func()) // runs a call; tests run one after the other
	spent   time.Duration
	begun   time.Time // of the work that is under way

	jobs      map[int64]slurmctl.Job // as seen last
	idleSince map[string]time.Duration
	started   map[int64]time.Duration // when a job was first seen running
	weights   map[string]int
	look      bool // a job has arrived or ended: the cluster may have to grow
	pass      bool // instances came up: jobs may start before their turn
	closed    time.Duration
	check     time.Duration // the next release check
	audit     time.Duration
	auditing  bool
	lists     int // that were asked for
	status    Status
	reason    map[string]string // what failed last, so that it is not written each time
}

// A result is what came of a call to the provider.
type result struct {
	lease *lease // nil for a list
	did   phase  // asking or leaving
	in    provider.Instance
	list  []provider.Instance
	seq   int // of a list
	err   error
}

// drained is the reason that nodes are drained and down with.
const drained = "plimsoll: released"

// ErrOptions: the options make no sense, or differ from the journal's.
var ErrOptions = errors.New("manager")

// Open reads a journal, which begins now if there is none, and prepares a manager.
// Nothing is changed but the journal.
func Open(name string, s Slurm, p provider.Provider, o Options) (*Manager, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	m := &Manager{
		o: o, slurm: s, provider: p, state: newState(), results: make(chan result),
		jobs: map[int64]slurmctl.Job{}, idleSince: map[string]time.Duration{}, started: map[int64]time.Duration{},
		spawn:   func(f func()) { go f() },
		weights: map[string]int{}, reason: map[string]string{}, look: true,
		rules: rules{WaitLimit: o.WaitLimit, Short: o.Short, ReleaseEvery: o.ReleaseEvery,
			Expansion: o.Expansion, Placement: o.Placement, Quota: len(o.Nodes)},
	}
	var err error
	if m.journal, err = journal.Open(name, m.state.replay); err != nil {
		return nil, err
	}
	if err := m.begin(); err != nil {
		m.journal.Close()
		return nil, err
	}
	return m, nil
}

// Check is an error that unwraps to ErrOptions if the options make no sense.
func (o *Options) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...)
	}
	switch {
	case len(o.Nodes) == 0:
		return bad("no nodes: want the names that instances may have")
	case o.Hour <= 0 || o.Poll <= 0 || o.Timeout <= 0:
		return bad("an hour of %v, polls each %v, a time-out of %v: want them positive", o.Hour, o.Poll, o.Timeout)
	case o.ReleaseEvery <= 0 || o.RetryEvery <= 0 || o.AuditEvery <= 0 || o.BootLimit <= 0:
		return bad("release checks each %v, retries each %v, audits each %v, a limit of boots of %v: want them positive",
			o.ReleaseEvery, o.RetryEvery, o.AuditEvery, o.BootLimit)
	case o.WaitLimit < 0 || o.Short < 0 || o.Boot < 0 || o.Period < 0:
		return bad("a negative time")
	case o.Placement >= placement.Random:
		return bad("placement %v: want one that is an order", o.Placement)
	case o.Expansion > schedule.SumSize:
		return bad("%v is not an expansion", o.Expansion)
	}
	seen := map[string]bool{}
	for _, n := range o.Nodes {
		if !nodeName.MatchString(n) || seen[n] {
			return bad("the node %q: want names, each once", n)
		}
		seen[n] = true
	}
	if err := o.Meter.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return nil
}

func (m *Manager) begin() error {
	if m.state.entries == 0 {
		var id [4]byte
		rand.Read(id[:])
		e := Entry{Kind: Began, Begin: &Begin{Cluster: hex.EncodeToString(id[:]), Origin: m.calendar(), Hour: m.o.Hour}}
		if err := m.state.apply(&e); err != nil {
			return err
		}
		if err := m.journal.Append(e); err != nil {
			return err
		}
	}
	if b := m.state.begin; b.Hour != m.o.Hour {
		return fmt.Errorf("%w: an hour of %v, and the journal began with one of %v", ErrOptions, m.o.Hour, b.Hour)
	}
	m.clock = clock.New(m.state.begin.Origin, m.o.Hour)
	if m.o.now != nil {
		m.clock = clock.NewFunc(m.state.begin.Origin, m.o.Hour, m.o.now)
	}
	var err error
	m.book, err = newPortfolio(&m.o, m.state.weeks)
	return err
}

// nodeName is what the names of hosts are made of.
var nodeName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// calendar returns the time of the calendar.
func (m *Manager) calendar() time.Time {
	if m.o.now != nil {
		return m.o.now()
	}
	return time.Now().Round(0)
}

// Close closes the journal. What is rented stays rented.
func (m *Manager) Close() error { return m.journal.Close() }

// Clock returns the manager's clock.
func (m *Manager) Clock() *clock.Clock { return m.clock }

// Bill returns what the instances of the journal cost on demand.
func (m *Manager) Bill() (provider.Bill, error) {
	return provider.Charge(m.state.instances(), m.clock.Real(), m.clock, m.o.Meter, m.o.Prices.OnDemand)
}

// write applies an entry and appends it to the journal.
func (m *Manager) write(e Entry) error {
	e.At = m.clock.Now()
	if err := m.state.apply(&e); err != nil {
		return err
	}
	if err := m.journal.Append(e); err != nil {
		return err
	}
	if m.o.Watch != nil {
		m.rests() // so that what it spent is told
		m.works()
		m.status.Spent = m.spent
		m.o.Watch(&e, &m.status)
	}
	return nil
}

// failed notes a failure, once for as long as it repeats itself.
func (m *Manager) failed(what, node, token string, err error) error {
	if m.reason[what+node] == err.Error() {
		return nil
	}
	m.reason[what+node] = err.Error()
	return m.write(Entry{Kind: Failed, Node: node, Token: token, Reason: what + ": " + err.Error()})
}

func (m *Manager) worked(what, node string) { delete(m.reason, what+node) }

// Run runs the cluster until the context ends, which is no error, or the journal fails.
// Calls to the provider that are under way are waited for.
func (m *Manager) Run(ctx context.Context) error {
	calls, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		for m.calls > 0 {
			<-m.results // what came of it the next manager finds out
			m.calls--
		}
	}()
	tick := time.NewTicker(m.o.Poll)
	defer tick.Stop()
	for {
		if err := m.step(calls); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case r := <-m.results:
			m.calls--
			m.works()
			err := m.came(r)
			m.rests()
			if err != nil {
				return err
			}
		case <-tick.C:
		}
	}
}

// works and rests are around what the manager spends its time on.
func (m *Manager) works() { m.begun = time.Now() }
func (m *Manager) rests() { m.spent += time.Since(m.begun) }

// step looks at Slurm and does what follows. An error is one of the journal.
func (m *Manager) step(ctx context.Context) error {
	jobs, err := m.slurm.Jobs(ctx)
	var nodes []slurmctl.Node
	if err == nil {
		nodes, err = m.slurm.Nodes(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return m.failed("reading Slurm", "", "", err)
	}
	m.worked("reading Slurm", "")
	m.works()
	defer m.rests()
	s := m.see(jobs, nodes)
	if err := s.unknown; err != nil {
		if err := m.failed("reading Slurm", "nodes", "", err); err != nil {
			return err
		}
	}
	for _, act := range []func(context.Context, *sight) error{m.exclude, m.arrivals, m.settle, m.resume, m.grow, m.weigh, m.release, m.weeks, m.list} {
		if err := act(ctx, s); err != nil {
			return err
		}
	}
	status := s.status(m)
	if status.Spent = m.spent; status != m.status {
		quiet := status
		quiet.Now, quiet.Spent = m.status.Now, m.status.Spent
		changed := quiet != m.status
		m.status = status
		if changed && m.o.Watch != nil {
			m.o.Watch(nil, &m.status)
		}
	}
	return nil
}

// A sight is Slurm at a moment, with the manager's leases.
type sight struct {
	now      time.Duration
	waiting  []*queued
	runs     []slurmctl.Job
	nodes    map[string]*slurmctl.Node
	idle     []*lease
	busy     []*lease
	booting  []*lease
	leaving  []*lease
	fixed    int // idle nodes that are not rented
	runners  []runner
	tooLarge []slurmctl.Job
	unknown  error
}

func (s *sight) status(m *Manager) Status {
	st := Status{Now: s.now, Waiting: len(s.waiting), Running: len(s.runs), Idle: len(s.idle), Busy: len(s.busy),
		Booting: len(s.booting), Leaves: len(s.leaving), Reserved: m.book.reserved()}
	for _, q := range s.waiting {
		st.WaitingNodes += q.job.Nodes
	}
	return st
}

// slack is how much longer a job is taken to run than it was to, and an instance to
// boot, once that time is over.
const slack = time.Minute

// forEver is the estimate of a job without a limit.
const forEver = 365 * 24 * time.Hour

// see makes a sight of what Slurm says, and notes what has changed.
func (m *Manager) see(jobs []slurmctl.Job, nodes []slurmctl.Node) *sight {
	s := &sight{now: m.clock.Now(), nodes: map[string]*slurmctl.Node{}}
	for i := range nodes {
		s.nodes[nodes[i].Name] = &nodes[i]
	}
	elastic := map[string]bool{}
	var missing []string
	for _, n := range m.o.Nodes {
		elastic[n] = true
		if s.nodes[n] == nil {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		s.unknown = fmt.Errorf("%w: %s", slurmctl.ErrUnknownNode, strings.Join(missing, ", "))
	}
	usable := map[string]bool{} // nodes whose jobs count
	for i := range nodes {
		if n := &nodes[i]; !elastic[n.Name] && n.Up() {
			usable[n.Name] = true
			if !n.Working() {
				s.fixed++
			}
		}
	}
	for _, l := range m.state.leases {
		n := s.nodes[l.Node]
		switch {
		case l.phase == gone:
		case l.phase == leaving:
			s.leaving = append(s.leaving, l)
		case l.phase == up && n != nil && n.Up() && n.Working():
			usable[l.Node] = true
			s.busy = append(s.busy, l)
		case l.phase == up && n != nil && n.Up():
			usable[l.Node] = true
			s.idle = append(s.idle, l)
		default:
			s.booting = append(s.booting, l)
		}
	}
	m.seeJobs(s, jobs, usable, len(elastic))
	return s
}

func (m *Manager) seeJobs(s *sight, jobs []slurmctl.Job, usable map[string]bool, elastic int) {
	most := elastic
	for name := range s.nodes {
		if !slices.Contains(m.o.Nodes, name) && usable[name] {
			most++
		}
	}
	before := m.jobs
	m.jobs = make(map[int64]slurmctl.Job, len(jobs))
	for _, j := range jobs {
		m.jobs[j.ID] = j
		was, known := before[j.ID]
		if !known || was.Waits() != j.Waits() || was.Holds() != j.Holds() {
			// It arrived, came back or ended. A start alone is no reason to look.
			if j.Waits() || !j.Holds() {
				m.look = true
			}
		}
		switch {
		case j.Waits() && j.Nodes > most:
			s.tooLarge = append(s.tooLarge, j)
		case j.Waits() && j.Priority > 0 && !blocked(j.Reason) && !m.clock.Real().Before(j.Eligible.Add(-time.Second)):
			priority := j.Priority
			if p, ok := m.state.promoted[j.ID]; ok {
				priority = p
			}
			s.waiting = append(s.waiting, &queued{schedule.Job{ID: j.ID, User: int(j.User),
				Submit: max(0, m.clock.At(j.Submit)), Estimate: m.estimate(&j), Nodes: j.Nodes}, priority})
		case j.Holds():
			s.runs = append(s.runs, j)
		}
	}
	slices.SortFunc(s.waiting, queueOrder)
	for id := range m.started {
		if j := m.jobs[id]; !j.Holds() {
			delete(m.started, id)
		}
	}
	for i := range s.runs {
		j := &s.runs[i]
		if _, ok := m.started[j.ID]; !ok {
			// Slurm says in which second; it was not after it was seen.
			first := m.clock.At(j.Start)
			m.started[j.ID] = max(first, min(s.now, first+m.clock.Scaled(time.Second)))
		}
		end := m.started[j.ID] + m.estimate(j)
		if end <= s.now || j.State == "COMPLETING" {
			end = s.now + slack
		}
		s.runners = append(s.runners, runner{id: j.ID, end: end})
	}
	// A node that several jobs share counts for the one that ends last.
	order := make([]int, len(s.runs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(min(1, max(-1, s.runners[b].end-s.runners[a].end)))
	})
	for _, i := range order {
		for _, name := range s.runs[i].Names {
			if usable[name] {
				usable[name] = false
				s.runners[i].nodes++
			}
		}
	}
	// A node may still be working for a job that is not listed.
	for _, l := range s.busy {
		if usable[l.Node] {
			s.runners = append(s.runners, runner{id: -1, nodes: 1, end: s.now + slack})
		}
	}
	s.runners = slices.DeleteFunc(s.runners, func(r runner) bool { return r.nodes == 0 })
}

// blocked reports whether a reason keeps a job from starting however many nodes
// there are.
func blocked(reason string) bool {
	switch reason {
	case "Dependency", "DependencyNeverSatisfied", "BeginTime", "JobHeldUser", "JobHeldAdmin", "PartitionConfig",
		"PartitionNodeLimit", "PartitionTimeLimit", "PartitionDown", "PartitionInactive", "BadConstraints", "InvalidAccount", "InvalidQOS",
		"JobArrayTaskLimit", "Licenses", "QOSMaxJobsPerUserLimit":
		return true
	}
	return false
}

// estimateMark, in a job's comment, is followed by its estimate on the scaled clock,
// such as estimate=1h30m: Slurm's limits are whole minutes.
const estimateMark = "estimate="

// estimate returns how long a job is to run at most.
func (m *Manager) estimate(j *slurmctl.Job) time.Duration {
	for _, word := range strings.Fields(j.Comment) {
		if text, ok := strings.CutPrefix(word, estimateMark); ok {
			if d, err := time.ParseDuration(text); err == nil && d > 0 {
				return min(d, forEver)
			}
		}
	}
	if j.Limit <= 0 {
		return forEver
	}
	return min(m.clock.Scaled(j.Limit), forEver)
}

// exclude notes jobs that are larger than the cluster can be.
func (m *Manager) exclude(_ context.Context, s *sight) error {
	for _, j := range s.tooLarge {
		if m.state.excluded[j.ID] {
			continue
		}
		err := m.write(Entry{Kind: Excluded, Job: j.ID,
			Reason: fmt.Sprintf("it needs %d nodes, and the cluster can have %d: it waits for ever unless it is changed or cancelled", j.Nodes, len(m.o.Nodes))})
		if err != nil {
			return err
		}
	}
	return nil
}

// arrivals notes instances whose nodes are up, and those that do not come up.
func (m *Manager) arrivals(_ context.Context, s *sight) error {
	for _, l := range s.booting {
		n := s.nodes[l.Node]
		switch {
		case l.phase != rented:
		case n != nil && n.Up():
			if err := m.write(Entry{Kind: Up, Token: l.Token, Node: l.Node}); err != nil {
				return err
			}
			m.idleSince[l.Token] = s.now
			m.pass = true
		case s.now-l.asked > m.o.BootLimit:
			err := m.write(Entry{Kind: Leaving, Token: l.Token, Node: l.Node,
				Reason: fmt.Sprintf("its node is not up %v after it was asked for", m.o.BootLimit)})
			if err != nil {
				return err
			}
			m.look = true
		}
	}
	// What has arrived is idle for what follows.
	boot := s.booting[:0:0]
	for _, l := range s.booting {
		switch l.phase {
		case up:
			if n := s.nodes[l.Node]; n != nil && n.Up() && !n.Working() {
				s.idle = append(s.idle, l)
			} else {
				boot = append(boot, l)
			}
		case leaving:
			s.leaving = append(s.leaving, l)
		default:
			boot = append(boot, l)
		}
	}
	s.booting = boot
	return nil
}

// due returns when the next charge of an instance falls, now or later.
func (m *Manager) due(l *lease, now time.Duration) time.Duration {
	start := m.clock.At(l.Created)
	return start + m.o.Meter.NextCharge(max(0, now-start))
}

// grow decides, if there is reason to, and asks for instances.
func (m *Manager) grow(ctx context.Context, s *sight) error {
	grow := m.look && s.now >= m.closed
	if !grow && !m.pass {
		return nil
	}
	v := view{now: s.now, idle: len(s.idle) + s.fixed, running: s.runners}
	for _, l := range s.booting {
		at := l.asked + m.o.Boot
		if l.phase == up || at <= s.now { // its node is not up just now, or is late
			at = s.now + slack
		}
		v.booting = append(v.booting, at)
	}
	for _, q := range s.waiting {
		v.waiting = append(v.waiting, q.job)
	}
	d := m.decider.decide(&v, &m.rules)
	for _, id := range d.early {
		if err := m.promote(ctx, id); err != nil {
			return err
		}
	}
	m.pass = false
	if !grow {
		return nil
	}
	m.look = false
	if d.request == 0 {
		return nil
	}
	names := m.free(s)
	why := fmt.Sprintf("job %d, which needs %d, would start ", d.top.ID, d.top.Nodes)
	if d.expect == schedule.Never {
		why += "never"
	} else {
		why += fmt.Sprintf("%v after its submission", (d.expect - d.top.Submit).Round(time.Second))
	}
	for _, name := range names[:min(d.request, len(names))] {
		token := m.state.begin.Cluster + "-" + strconv.Itoa(m.state.entries) + "-" + name
		err := m.write(Entry{Kind: Asking, Token: token, Node: name, Job: d.top.ID,
			Reason: fmt.Sprintf("%d more: %s", d.request, why)})
		if err != nil {
			return err
		}
		l := m.state.byToken[token]
		l.doubt = false
		m.ask(ctx, l)
	}
	return nil
}

// free returns the names that no instance has, and whose nodes are down. A name is not
// used again before the provider's list has confirmed that its instance has ended:
// two daemons of one node would take each other's jobs.
func (m *Manager) free(s *sight) []string {
	taken := map[string]bool{}
	for _, l := range m.state.leases {
		if !l.ended {
			taken[l.Node] = true
		}
	}
	var names []string
	for _, n := range m.o.Nodes {
		if node := s.nodes[n]; !taken[n] && node != nil && !node.Up() && !node.Working() && !node.Has("DRAIN") {
			names = append(names, n)
		}
	}
	return names
}

// above is the priority of jobs that start before their turn: more than Slurm gives by
// itself.
const above = 4_294_950_000

// promote lets a job start before its turn.
func (m *Manager) promote(ctx context.Context, id int64) error {
	if _, ok := m.state.promoted[id]; ok {
		return nil
	}
	err := m.write(Entry{Kind: Promoted, Job: id, Priority: m.jobs[id].Priority, Reason: "it starts before its turn and delays nobody"})
	if err != nil {
		return err
	}
	if err := m.slurm.Promote(ctx, id, above); err != nil {
		return m.failed("promoting job "+strconv.FormatInt(id, 10), "", "", err)
	}
	return nil
}

// weigh sets the weights of nodes by the order in which jobs are to get them. Those
// that have a job are among them, as if it ended now: Slurm may give them to the next
// job before the manager has seen that one end.
func (m *Manager) weigh(ctx context.Context, s *sight) error {
	for _, l := range s.busy {
		delete(m.idleSince, l.Token)
	}
	var up []*lease
	var idle []placement.Instance
	for i, l := range m.state.leases {
		busy := slices.Contains(s.busy, l)
		if !busy && !slices.Contains(s.idle, l) {
			continue
		}
		since, ok := m.idleSince[l.Token]
		if !ok {
			since = s.now
			if !busy {
				m.idleSince[l.Token] = since
			}
		}
		up = append(up, l)
		idle = append(idle, placement.Instance{ID: i, Due: m.due(l, s.now), Since: since})
	}
	var changed []slurmctl.Weight
	for weight, k := range m.decider.rank(idle, m.o.Placement) {
		if node := up[k].Node; m.weights[node] != weight+1 {
			changed = append(changed, slurmctl.Weight{Node: node, Weight: weight + 1})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if err := m.slurm.Weigh(ctx, changed); err != nil {
		return m.failed("weighing", "", "", err)
	}
	m.worked("weighing", "")
	for _, w := range changed {
		m.weights[w.Node] = w.Weight
	}
	return nil
}

// release is a release check: with an empty queue, idle instances that would be charged
// before the next check are drained, and given back if no job has taken them.
func (m *Manager) release(ctx context.Context, s *sight) error {
	if s.now < m.check {
		return nil
	}
	m.check = (s.now/m.o.ReleaseEvery + 1) * m.o.ReleaseEvery
	if len(s.waiting) > 0 {
		return nil
	}
	for _, l := range s.idle {
		due := m.due(l, s.now)
		if !schedule.MustRelease(due, s.now, m.o.ReleaseEvery) {
			continue
		}
		err := m.write(Entry{Kind: Leaving, Token: l.Token, Node: l.Node,
			Reason: fmt.Sprintf("idle, and charged again in %v", (due - s.now).Round(time.Second))})
		if err != nil {
			return err
		}
		s.leaving = append(s.leaving, l)
	}
	return m.settle(ctx, s)
}

// settle goes on with instances that leave: their nodes are drained, looked at again,
// and given back or kept.
func (m *Manager) settle(ctx context.Context, s *sight) error {
	var ready []*lease
	for _, l := range s.leaving {
		if l.phase != leaving || l.working || s.now < l.retry {
			continue
		}
		if m.another(l) { // the node is another instance's by now
			m.giveBack(ctx, l)
			continue
		}
		if n := s.nodes[l.Node]; n != nil && !n.Has("DRAIN") && n.State != "down" {
			if err := m.slurm.Drain(ctx, l.Node, drained); err != nil {
				l.retry = s.now + m.o.RetryEvery
				if err := m.failed("draining", l.Node, l.Token, err); err != nil {
					return err
				}
				continue
			}
			m.worked("draining", l.Node)
		}
		ready = append(ready, l)
	}
	if len(ready) == 0 {
		return nil
	}
	// A job may have started just before.
	nodes, err := m.slurm.Nodes(ctx)
	if err != nil {
		return m.failed("reading Slurm", "", "", err)
	}
	for _, l := range ready {
		i := slices.IndexFunc(nodes, func(n slurmctl.Node) bool { return n.Name == l.Node })
		if i >= 0 && nodes[i].Working() {
			if err := m.stay(ctx, l); err != nil {
				return err
			}
			continue
		}
		m.giveBack(ctx, l)
	}
	return nil
}

// another reports whether another instance has the node of one.
func (m *Manager) another(l *lease) bool {
	return slices.ContainsFunc(m.state.leases, func(x *lease) bool {
		return x != l && x.Node == l.Node && x.phase != gone && x.phase != leaving
	})
}

// stay keeps an instance that was to leave, since a job has its node.
func (m *Manager) stay(ctx context.Context, l *lease) error {
	if err := m.write(Entry{Kind: Staying, Token: l.Token, Node: l.Node, Reason: "a job has the node"}); err != nil {
		return err
	}
	if err := m.slurm.Undrain(ctx, l.Node); err != nil {
		return m.failed("undraining", l.Node, l.Token, err)
	}
	return nil
}

// resume makes nodes ready for the next instance: those whose instance has gone, and
// which are still drained; and those that were drained although their instance stays.
func (m *Manager) resume(ctx context.Context, s *sight) error {
	last := map[string]*lease{}
	for _, l := range m.state.leases {
		last[l.Node] = l
	}
	for _, name := range m.o.Nodes {
		n, l := s.nodes[name], last[name]
		if n == nil || !n.Has("DRAIN") || n.Reason != drained {
			continue
		}
		switch {
		case l == nil || l.phase == gone:
			err := m.slurm.Down(ctx, name, drained)
			if err == nil {
				err = m.slurm.Undrain(ctx, name)
			}
			if err != nil {
				if err := m.failed("taking down", name, "", err); err != nil {
					return err
				}
				continue
			}
			m.worked("taking down", name)
			n.Flags = slices.DeleteFunc(n.Flags, func(f string) bool { return f == "DRAIN" })
			n.State = "down"
		case l.phase == up || l.phase == rented || l.phase == asking:
			if err := m.slurm.Undrain(ctx, name); err != nil {
				if err := m.failed("undraining", name, "", err); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
