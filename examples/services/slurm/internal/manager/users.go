package manager

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/fsck"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Users of the cluster "can be charged as the conventional scheduling systems according to
// their usage" ([Niu16] section 3). The journal has an entry for each job that has ended,
// with its user, its nodes and its times; package bills divides the invoice by them.

// A Use is what a job used of the nodes of Options.Nodes, on the scaled clock. A job that
// Slurm queued again is a use for each time that it ran.
type Use struct {
	User  int64         `json:"user"` // of the system; bills.Unknown if Slurm does not say
	Nodes int           `json:"nodes"`
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
}

// A usage is one run of a job.
type usage struct {
	job   int64
	start time.Duration
}

// used returns what a job uses until a time. It is false for a job that has no node of
// Options.Nodes, or has not begun.
func (m *Manager) used(j *slurmctl.Job, until time.Duration) (Use, bool) {
	u := Use{User: j.User, Start: max(0, m.clock.At(j.Start))}
	for _, name := range j.Names {
		if slices.Contains(m.o.Nodes, name) {
			u.Nodes++
		}
	}
	// Slurm tells seconds: a job that starts and ends in the same one takes a second.
	u.End = max(until, u.Start+m.clock.Scaled(time.Second))
	return u, u.Nodes > 0 && !j.Start.IsZero()
}

// account writes down which jobs have ended, and what they used. A job may have ended
// while no manager ran: Slurm lists jobs for some minutes after their end (MinJobAge), and
// so does the next manager.
func (m *Manager) account(_ context.Context, s *sight) error {
	var ended []int64
	for id := range m.holding {
		if j, ok := m.jobs[id]; !ok || !j.Holds() || !j.Start.Equal(m.holding[id].Start) {
			ended = append(ended, id)
		}
	}
	for id, j := range m.jobs {
		if _, ok := m.holding[id]; !ok && !j.Waits() && !j.Holds() && !j.End.IsZero() {
			ended = append(ended, id)
		}
	}
	slices.Sort(ended)
	for _, id := range ended {
		until := s.now
		j, held := m.holding[id]
		if now, ok := m.jobs[id]; ok && !now.End.IsZero() && (!held || now.Start.Equal(j.Start)) {
			until = m.clock.At(now.End)
			if !held {
				j = now
			}
		}
		delete(m.holding, id)
		u, ok := m.used(&j, until)
		if !ok || m.state.used[usage{id, u.Start}] {
			continue
		}
		if err := m.write(Entry{Kind: Ran, Job: id, Use: &u}); err != nil {
			return err
		}
	}
	for _, j := range s.runs {
		m.holding[j.ID] = j
	}
	return nil
}

// seedUsers is the seed of the Shapley value's sampling: an invoice that is written again
// is the same.
const seedUsers = 1

// Users divides the invoice among the users of the jobs that ended, and of those that run
// now: its pure cost, since what is left of the terms is nobody's yet. Without a job there
// are no accounts, and the cost is nobody's. Not while the manager runs.
func (m *Manager) Users() (bills.Statement, error) {
	uses := slices.Clone(m.state.uses)
	for _, j := range m.holding {
		if u, ok := m.used(&j, m.clock.Now()); ok {
			uses = append(uses, u)
		}
	}
	bill, err := m.Invoice()
	if err != nil {
		return bills.Statement{}, err
	}
	return Divide(uses, m.Hours(), bill.Pure, &m.o)
}

// Divide divides a bill among users. Alone, each job would rent instances of its own on
// demand, which take Options.Boot to come up.
func Divide(uses []Use, hours []int, bill pricing.Money, o *Options) (bills.Statement, error) {
	if len(uses) == 0 {
		return bills.Statement{}, nil
	}
	slices.SortStableFunc(uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.User, b.User), cmp.Compare(a.Nodes, b.Nodes))
	})
	var biller pricing.Biller
	plain, err := biller.Bill(pricing.List{OnDemand: o.Prices.OnDemand}, hours, time.Hour, nil)
	if err != nil {
		return bills.Statement{}, err
	}
	u := bills.Usage{
		Bill: bill, OnDemand: plain.Total, Prices: o.Prices, Meter: o.Meter,
		Boot: func(int) time.Duration { return o.Boot },
	}
	for i := range uses {
		x := &uses[i]
		u.Jobs = append(u.Jobs, trace.Job{ID: int64(i + 1), User: int(x.User), Nodes: x.Nodes, Submit: x.Start, Run: x.End - x.Start})
		u.Starts = append(u.Starts, x.Start)
	}
	return new(bills.Divider).Divide(u, rand.New(rand.NewPCG(seedUsers, 0)))
}

// Read reads a journal as it is now, which a manager may be writing, and changes nothing.
// The result is for [Manager.Bill], [Manager.Invoice], [Manager.Users] and the like, with
// instances that are rented charged until now; it cannot run. Only Meter, Prices and Boot of
// the options count. The error is that of Open.
func Read(name string, o Options) (*Manager, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m := &Manager{o: o, state: newState()}
	if _, err := journal.Replay(text, m.state.replay); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.state.entries == 0 {
		return nil, fmt.Errorf("%s: %w: no entry: want the journal of elasticd", name, journal.ErrDamaged)
	}
	m.clock = clock.New(m.state.begin.Origin, m.state.begin.Hour)
	if o.now != nil {
		m.clock = clock.NewFunc(m.state.begin.Origin, m.state.begin.Hour, o.now)
	}
	return m, nil
}

// Check says what a journal has. The error is that of Open.
func Check(name string) (fsck.Finding, error) {
	s := newState()
	x, err := fsck.Journal(name, "a journal of elasticd", s.replay)
	if err == nil && s.entries == 0 {
		err = fmt.Errorf("%w: no entry: want the journal of elasticd", journal.ErrDamaged)
	}
	return x, err
}

// Classes returns how many classes the prices must have for the journal's purchases.
func (m *Manager) Classes() (n int) {
	for _, p := range m.state.bought {
		n = max(n, p.Class+1)
	}
	return n
}
