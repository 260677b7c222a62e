package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// A Market is a cloud on a made-up clock, with spot prices of a history. A spot cluster is
// served at the first moment at which the price is at most its bid, and taken at the first
// moment after at which the price is above. A cluster that is taken before its task was
// submitted is asked for again by itself. Clusters on demand are served at once.
type Market struct {
	History  pricing.SpotHistory
	OnDemand pricing.Money
	Spot     pricing.SpotMeter
	Meter    pricing.Meter
	Setup    time.Duration // the part of a task's latency after the submission
	Tasks    []Task
	Runtimes []time.Duration // what each task really takes

	Now   time.Duration // of the clock; the caller moves it forward
	Ran   []Stay        // of all tasks, in the order of their submissions
	saved []time.Duration
	all   map[string]*stand
	names []string // of all, in the order of their requests
	bill  pricing.Money
}

// A Stay is work of a task on a cluster.
type Stay struct {
	Task       int
	Token      string
	Begin, End time.Duration // on the clock; End is -1 until the cluster is closed
	From, To   time.Duration // of the task's own work
	Saved      time.Duration // what was in checkpoints at its beginning
}

// stand is a cluster.
type stand struct {
	Request
	open      bool
	served    time.Duration
	taken     time.Duration // by the provider
	submitted bool
	stay      int           // in Ran
	begin     time.Duration // of the work, after set-up and reading the checkpoint
	base      time.Duration // work that need not be done again
	work      time.Duration // to be done
	end       time.Duration
	cost      pricing.Money // of leases that were lost before the submission
	lease     Lease         // once it is closed
}

// Open asks for a cluster.
func (m *Market) Open(r Request) error {
	if m.all == nil {
		m.all = map[string]*stand{}
		m.saved = make([]time.Duration, len(m.Tasks))
	}
	if m.all[r.Token] != nil {
		return nil
	}
	s := &stand{Request: r, open: true}
	m.all[r.Token] = s
	m.names = append(m.names, r.Token)
	m.serve(s, m.Now)
	return nil
}

func (m *Market) serve(s *stand, from time.Duration) {
	s.served, s.taken = from, spot.Never
	if s.Tier == spot.TierHigh {
		return
	}
	t, ok := m.History.NextWithin(from, s.Bid)
	if !ok {
		s.served = spot.Never
		return
	}
	s.served = t
	if t, ok = m.History.NextAbove(t, s.Bid); ok {
		s.taken = t
	}
}

// find returns a cluster.
func (m *Market) find(token string) (*stand, error) {
	if s := m.all[token]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("there is no cluster %q", token)
}

// boots is how long instances take to boot.
func (m *Market) boots(s *stand) time.Duration { return m.Tasks[s.Task].Latency - m.Setup }

// Submit starts a task from what is saved when the set-up is over.
func (m *Market) Submit(token string) error {
	s, err := m.find(token)
	if err != nil || s.submitted || !s.open {
		return err
	}
	t := &m.Tasks[s.Task]
	s.submitted = true
	start := m.Now + m.Setup
	saved := m.saved[s.Task]
	for _, name := range m.names { // a cluster beside this one may save until then
		if x := m.all[name]; x.Task == s.Task && x.open && x != s && x.submitted {
			saved = max(saved, m.progress(x, start))
		}
	}
	s.begin, s.work = start, m.Runtimes[s.Task]
	if t.Remaining(saved) < t.Estimate {
		s.begin += t.Checkpoints.Restart
		s.base, s.work = saved, m.Runtimes[s.Task]-saved
	}
	s.end = s.begin + s.work + m.stops(s, s.work)
	s.stay = len(m.Ran)
	m.Ran = append(m.Ran, Stay{Task: s.Task, Token: token, Begin: start, End: -1, From: s.base, Saved: saved})
	return nil
}

// stops is the time for checkpoints within that much work, all but one at the end.
func (m *Market) stops(s *stand, work time.Duration) time.Duration {
	c := &m.Tasks[s.Task].Checkpoints
	if c.Every == 0 || s.Tier == spot.TierHigh {
		return 0
	}
	return (work - 1) / c.Every * c.Write
}

// worked is how much of a span is work, and not the writing of checkpoints.
func (m *Market) worked(s *stand, span time.Duration) time.Duration {
	c := &m.Tasks[s.Task].Checkpoints
	if c.Every == 0 || s.Tier == spot.TierHigh {
		return min(span, s.work)
	}
	n := span / (c.Every + c.Write)
	return min(n*c.Every+min(span%(c.Every+c.Write), c.Every), s.work)
}

// progress is how much of a task is saved by a cluster at a time.
func (m *Market) progress(s *stand, at time.Duration) time.Duration {
	c := &m.Tasks[s.Task].Checkpoints
	at = min(at, s.taken)
	if c.Every == 0 || s.Tier == spot.TierHigh || at < s.begin {
		return 0
	}
	return s.base + min((at-s.begin)/(c.Every+c.Write), (s.work-1)/c.Every)*c.Every
}

// Look says what has become of a cluster by now.
func (m *Market) Look(token string) (spot.Observation, error) {
	s, err := m.find(token)
	if err != nil {
		return spot.Observation{}, err
	}
	saved := &m.saved[s.Task]
	if !s.submitted {
		for s.taken <= m.Now {
			if err := m.charge(s, s.taken, pricing.EndedByProvider); err != nil {
				return spot.Observation{}, err
			}
			m.serve(s, s.taken)
		}
		launched := s.served <= m.Now
		return spot.Observation{Launched: launched, Ready: launched && s.served+m.boots(s) <= m.Now, Saved: *saved}, nil
	}
	*saved = max(*saved, m.progress(s, m.Now))
	return spot.Observation{
		Launched: true, Ready: true, Saved: *saved,
		Done: s.end <= m.Now && s.end <= s.taken, Interrupted: s.taken <= m.Now,
	}, nil
}

func (m *Market) charge(s *stand, until time.Duration, by bool) error {
	var one pricing.Money
	var err error
	if s.Tier == spot.TierHigh {
		one, err = m.Meter.Cost(m.OnDemand, until-s.served)
	} else {
		one, err = m.Spot.Cost(m.History, s.served, until-s.served, by)
	}
	if err == nil {
		one, err = one.Mul(int64(s.Instances))
	}
	if err == nil {
		s.cost, err = s.cost.Add(one)
	}
	if err == nil {
		m.bill, err = m.bill.Add(one)
	}
	return err
}

// Close ends a cluster.
func (m *Market) Close(token string, interrupted bool) (Lease, error) {
	s, err := m.find(token)
	if err != nil || !s.open {
		return s.leaseOf(), err
	}
	s.lease = Lease{Launched: s.served, Ended: m.Now}
	switch {
	case s.served > m.Now:
		s.lease.Launched = -1
	case s.taken < m.Now || s.taken == m.Now && interrupted:
		s.lease.Ended = s.taken
		err = m.charge(s, s.taken, pricing.EndedByProvider)
	default:
		err = m.charge(s, m.Now, pricing.EndedByUser)
	}
	s.lease.Cost, s.open = s.cost, false
	if s.submitted {
		m.Ran[s.stay].End = min(m.Now, s.taken)
		m.Ran[s.stay].To = s.base + m.worked(s, max(0, min(m.Now, s.taken, s.end)-s.begin))
	}
	return s.lease, err
}

func (s *stand) leaseOf() Lease {
	if s == nil {
		return Lease{}
	}
	return s.lease
}

// Live returns the tokens of clusters that are not closed.
func (m *Market) Live() (tokens []string, err error) {
	for token, s := range m.all {
		if s.open {
			tokens = append(tokens, token)
		}
	}
	slices.SortFunc(tokens, strings.Compare)
	return tokens, nil
}

// Bill returns what all leases that have ended cost.
func (m *Market) Bill() pricing.Money { return m.bill }

// Next returns when something happens next to an open cluster, spot.Never if nothing does.
func (m *Market) Next() time.Duration {
	next := spot.Never
	for _, s := range m.all {
		if !s.open {
			continue
		}
		times := []time.Duration{s.served, s.taken}
		if !s.submitted && s.served != spot.Never {
			times = append(times, s.served+m.boots(s))
		}
		if s.submitted {
			times = append(times, s.end)
			if c := &m.Tasks[s.Task].Checkpoints; c.Every > 0 && s.Tier != spot.TierHigh {
				n := max(m.Now-s.begin, 0)/(c.Every+c.Write) + 1
				if n <= (s.work-1)/c.Every {
					times = append(times, s.begin+n*(c.Every+c.Write))
				}
			}
		}
		for _, t := range times {
			if t > m.Now {
				next = min(next, t)
			}
		}
	}
	return next
}
