// Package manager is the semi-elastic cluster of [Niu16] on a real Slurm. The manager reads
// the queue and the nodes, decides as package schedule/sim does, and rents and gives back
// instances.
//
// Slurm starts the jobs, in its own order, and goes on when the manager is down. The manager
// does four things:
//
//   - It rents instances when the first job of the queue would wait too long.
//   - It gives idle instances back when their paid time ends, after draining their nodes.
//   - It weighs idle nodes, so that jobs get nodes in the order of the placement policy.
//   - It notes what each job used, so that the invoice can be divided among the users.
//   - It raises the priority of a job that EASY backfilling starts before its turn. Slurm's
//     own backfilling counts in minutes, and would not work on a clock on which an hour
//     lasts seconds.
//
// The manager writes every change to a journal, and each step before it takes the step. After
// a kill at any moment, the next manager reads the journal, asks the provider and Slurm for
// their state, and goes on:
//
//   - An instance that was being requested is requested again, by the same token, which
//     rents nothing more.
//   - An instance that was being given back has a node that drains or has drained. The
//     instance is given back if no job has the node; the manager asks Slurm after draining.
//   - A reservation that was being bought is bought again, by the same token.
//   - Other instances are compared with the provider's list. A provider that does not know
//     tokens may have created two instances for one request: then the second is given back.
package manager

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
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
}

// A Manager runs one cluster. Make it with Open, Run it, and Close it.
type Manager struct {
	o        Options
	slurm    Slurm
	provider provider.Provider
	journal  *journal.Journal
	clock    *clock.Clock
	state    *state
	scaler   schedule.Autoscaler
	selector placement.Selector
	shown    schedule.Snapshot // memory of the last
	released []int             // memory, likewise
	until    time.Duration     // the end of the pause after the last change
	book     *portfolio

	round   round            // of the policy
	shuts   []time.Duration  // by cloud: until when the policy is told that it is closed
	actions []elastic.Action // memory

	results chan result
	calls   int             // to the provider, under way
	within  context.Context // of those calls, which outlasts that of Run
	spawn   func(func())    // runs a call; tests run one after the other
	spent   time.Duration
	begun   time.Time // of the work that is under way

	jobs      map[int64]slurmctl.Job // as seen last
	idleSince map[string]time.Duration
	started   map[int64]time.Duration // when a job was first seen running
	holding   map[int64]slurmctl.Job  // jobs that had nodes at the last look
	weights   map[string]int
	look      bool // a job has arrived or ended: the cluster may have to grow
	pass      bool // instances came up: jobs may start before their turn
	closed    time.Duration
	check     time.Duration // the next release check
	audit     time.Duration
	auditing  bool
	lists     int               // that were asked for
	foreign   map[string]string // by node, instances of the provider that are not the journal's
	status    Status
	reason    map[string]string // what failed last, so that it is not written each time
}

// A result is what came of a call to the provider.
type result struct {
	lease *lease // nil for a list or an order
	did   phase  // asking or leaving
	in    provider.Instance
	list  []provider.Instance
	seq   int // of a list
	order *order
	id    string // of what was bought
	err   error
}

// drained is the reason that nodes are drained and down with.
const drained = "plimsoll: released"

// Open reads a journal, which begins now if there is none, and prepares a manager.
// Nothing is changed but the journal.
func Open(name string, s Slurm, p provider.Provider, o Options) (*Manager, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	m := &Manager{
		o: o, slurm: s, provider: p, state: newState(), results: make(chan result),
		jobs: map[int64]slurmctl.Job{}, idleSince: map[string]time.Duration{}, started: map[int64]time.Duration{}, holding: map[int64]slurmctl.Job{},
		within: context.Background(), spawn: func(f func()) { go f() },
		weights: map[string]int{}, reason: map[string]string{}, look: true,
		scaler: o.scaler(), shuts: make([]time.Duration, len(o.Clouds)),
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
	if m.o.Policy != nil {
		m.recall()
	}
	var err error
	m.book, err = newPortfolio(&m.o, m.state.weeks)
	return err
}

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

// Bill returns what the instances of the journal cost on demand; with a policy, at the prices
// of their clouds.
func (m *Manager) Bill() (provider.Bill, error) {
	if m.o.Policy != nil {
		var sum provider.Bill
		all, err := m.CloudBills()
		for _, b := range all {
			sum.Leases += b.Leases
			sum.Charged += b.Charged
			if err == nil {
				sum.Cost, err = sum.Cost.Add(b.Cost)
			}
		}
		return sum, err
	}
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

// outcome notes that something failed, as failed does, or that it works again. It reports
// whether it worked; the error is the journal's.
func (m *Manager) outcome(what, node, token string, err error) (bool, error) {
	if err != nil {
		return false, m.failed(what, node, token, err)
	}
	delete(m.reason, what+node)
	return true, nil
}

// note writes an entry about an instance, with a reason.
func (m *Manager) note(l *lease, kind Kind, format string, args ...any) error {
	return m.write(Entry{Kind: kind, Token: l.Token, Node: l.Node, Reason: fmt.Sprintf(format, args...)})
}

// parting is how long Run waits for calls to the provider when its context has ended.
const parting = 5 * time.Second

// Run runs the cluster until the context ends, which is no error, or the journal fails.
// Calls to the provider that are under way then have a few seconds to end.
func (m *Manager) Run(ctx context.Context) (err error) {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m.within = calls
	defer func() {
		stop := time.AfterFunc(parting, cancel)
		defer stop.Stop()
		defer cancel()
		for ; m.calls > 0; m.calls-- {
			r := <-m.results
			if err == nil && (r.err == nil || calls.Err() == nil) {
				err = m.came(r)
			}
		}
	}()
	tick := time.NewTicker(m.o.Poll)
	defer tick.Stop()
	for {
		if ctx.Err() != nil {
			return nil
		}
		if err := m.step(ctx); err != nil {
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

// parted is how long after the end of a command of Slurm it is known that both were
// interrupted.
const parted = 50 * time.Millisecond

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
		select {
		case <-ctx.Done(): // an interrupt may end Slurm's command, too, and first
			return ctx.Err()
		case <-time.After(parted):
		}
		return m.failed("reading Slurm", "", "", err)
	}
	m.outcome("reading Slurm", "", "", nil)
	m.works()
	defer m.rests()
	s := m.see(jobs, nodes)
	if err := s.unknown; err != nil {
		if err := m.failed("reading Slurm", "nodes", "", err); err != nil {
			return err
		}
	}
	acts := []func(context.Context, *sight) error{m.account, m.exclude, m.strangers, m.arrivals, m.settle, m.resume, m.grow, m.weigh, m.release, m.weeks, m.list}
	if m.o.Policy != nil {
		acts = []func(context.Context, *sight) error{m.account, m.exclude, m.strangers, m.arrivals, m.settle, m.resume, m.evaluate, m.renew, m.weigh, m.list}
	}
	for _, act := range acts {
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
