package elastic

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// everyPolicy returns fresh policies of all kinds.
func everyPolicy(seed uint64) map[string]Policy {
	return map[string]Policy{
		"SM": &SM{}, "OD": &OD{}, "OD keeps": &OD{KeepFree: true},
		"OD++": &OD{Plus: true}, "OD++ printed": &OD{Plus: true, Printed: true}, "AQTP": &AQTP{Response: 20 * time.Minute, Start: 3},
		"MCOP-20-80": &MCOP{CostWeight: .2, Rand: newRand(seed)}, "MCOP-80-20": &MCOP{CostWeight: .8, Rand: newRand(seed), KeepFree: true},
		"MCOP exact": &MCOP{CostWeight: .5, Rand: newRand(seed), Exact: true},
	}
}

func clone(s *Snapshot) *Snapshot {
	c := *s
	c.Jobs = slices.Clone(s.Jobs)
	c.Clouds = slices.Clone(s.Clouds)
	for i := range c.Clouds {
		c.Clouds[i].Instances = slices.Clone(s.Clouds[i].Instances)
	}
	return &c
}

// What any policy does keeps to the limits, to the debt, and to instances that
// are there and idle; it leaves the snapshot as it is; it is the same with the
// same seed, in a used workspace, with other IDs, and with all money in another
// currency.
func TestActionsAreFeasible(t *testing.T) {
	used := everyPolicy(1)
	var launches, terminations, inDebt int
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t, rapid.IntRange(0, 10).Draw(t, "jobs"), rapid.IntRange(1, 3).Draw(t, "clouds"), 6)
		s.Budget.Covered = rapid.IntRange(0, 3).Draw(t, "covered") == 0
		if rapid.IntRange(0, 3).Draw(t, "again") == 0 {
			s.Again = true
			s.Clouds[0].Refused = 1
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		before := clone(s)
		other := clone(s)
		for i := range other.Jobs {
			other.Jobs[i].ID = 1000 - int64(i)
		}
		const rate = 7
		other.Credits *= rate
		other.Budget.Hourly *= rate
		other.Budget.Debt *= rate
		for i := range other.Clouds {
			other.Clouds[i].Price *= rate
			for k := range other.Clouds[i].Instances {
				other.Clouds[i].Instances[k].ID = -int64(k)
			}
		}
		for name, p := range everyPolicy(2) {
			prefix := []Action{{Reason: "own"}}
			got := p.AppendActions(slices.Clone(prefix), s)
			if diff := cmp.Diff(before, s); diff != "" {
				t.Fatalf("%s: snapshot (-before +after)\n%s", name, diff)
			}
			if got[0] != prefix[0] {
				t.Fatalf("%s: dst is lost", name)
			}
			got = got[1:]
			check(t, name, s, got)
			for _, a := range got {
				if a.Launch {
					launches += a.Count
				} else {
					terminations++
				}
			}
			if cost := spent(s, got); cost > 0 && cost > s.Credits {
				inDebt++
			}
			if diff := cmp.Diff(got, everyPolicy(2)[name].AppendActions([]Action{}, other)); diff != "" {
				t.Fatalf("%s, other IDs and currency (-first +other)\n%s", name, diff)
			}
			warm := used[name]
			switch w := warm.(type) {
			case *AQTP:
				w.Reset()
			case *MCOP:
				w.Rand = newRand(2)
			}
			if diff := cmp.Diff(got, warm.AppendActions([]Action{}, s)); diff != "" {
				t.Fatalf("%s, used (-fresh +used)\n%s", name, diff)
			}
		}
	})
	if launches < 1000 || terminations < 100 || inDebt < 20 {
		seeded.TooFew(t, "%d launches, %d terminations, %d times in debt: the test looks at too little", launches, terminations, inDebt)
	}
}

func spent(s *Snapshot, actions []Action) pricing.Money {
	cost := pricing.Money(0)
	for _, a := range actions {
		if a.Launch {
			cost += s.Clouds[a.Cloud].Price * pricing.Money(a.Count)
		}
	}
	return cost
}

// check fails if the actions cannot be carried out.
func check(t *rapid.T, name string, s *Snapshot, actions []Action) {
	launched := make([]int, len(s.Clouds))
	type at struct{ cloud, instance int }
	gone := map[at]bool{}
	for _, a := range actions {
		c := s.Clouds[a.Cloud]
		if c.Fixed || a.Count <= 0 || a.Reason == "" {
			t.Fatalf("%s: %+v", name, a)
		}
		if a.Launch {
			if len(gone) > 0 {
				t.Fatalf("%s: a launch after a termination", name)
			}
			launched[a.Cloud] += a.Count
			if c.Limit != NoLimit && len(c.Instances)+launched[a.Cloud] > c.Limit {
				t.Fatalf("%s: %d instances over the limit of cloud %d", name, launched[a.Cloud], a.Cloud)
			}
			if c.Refused > 0 {
				t.Fatalf("%s: cloud %d asked twice", name, a.Cloud)
			}
		} else {
			in := c.Instances[a.Instance]
			if in.State != Idle || gone[at{a.Cloud, a.Instance}] || a.Count != 1 {
				t.Fatalf("%s: %+v of %+v", name, a, in)
			}
			if a.Reason == chargeDue && in.Due >= s.Now+s.Every {
				t.Fatalf("%s: %+v is not due", name, in)
			}
			gone[at{a.Cloud, a.Instance}] = true
		}
	}
	if cost := spent(s, actions); cost > 0 && s.Credits-cost < -s.Budget.Debt {
		t.Fatalf("%s: launches for %v take credits of %v below the debt of %v", name, cost, s.Credits, s.Budget.Debt)
	}
}

// naiveServe counts as OD and AQTP do, without any bounds to spare a search. It
// returns the launches by cloud, what is left spare there, and how many jobs
// were served before the first that was not.
func naiveServe(s *Snapshot, jobs []schedule.Job, nc int, parts bool) (launched, spare []int, served int) {
	launched = make([]int, len(s.Clouds))
	spare = make([]int, len(s.Clouds))
	due := make([][]time.Duration, len(s.Clouds)) // of the spare ones, latest first
	up := make([]time.Duration, len(s.Clouds))
	var order, ask []int
	for c, cl := range s.Clouds {
		order = append(order, c)
		up[c] = s.Now
		for _, in := range cl.Instances {
			if in.State == Idle || in.State == Booting {
				spare[c]++
				due[c] = append(due[c], in.Due)
			}
			if in.State == Booting {
				up[c] = max(up[c], in.Ready)
			}
		}
		slices.Sort(due[c])
		slices.Reverse(due[c])
	}
	before := func(c, n int, at time.Duration) (charges int) { // of n of the spare ones
		for _, d := range due[c][:n] {
			if d < at {
				charges++
			}
		}
		return charges
	}
	take := func(c, n int) {
		spare[c] -= n
		due[c] = due[c][n:]
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, s.Clouds[a].Price-s.Clouds[b].Price))) })
	for _, c := range order {
		if !s.Clouds[c].Fixed && s.Clouds[c].Refused == 0 && len(ask) < nc {
			ask = append(ask, c)
		}
	}
	left := s.Credits + s.Budget.Debt
	pays := func(c, hours int) bool { // for so many instance-hours
		return hours == 0 || s.Clouds[c].Price == 0 || s.Clouds[c].Price*pricing.Money(hours) <= left
	}
	can := func(c, n int) bool { // launch n more
		cl := s.Clouds[c]
		return cl.Limit == NoLimit || n == 0 || len(cl.Instances)+launched[c]+n <= cl.Limit
	}
	served = -1
next:
	for i, j := range jobs {
		later := 0 // hours of its run, each begun one, if they have to be covered
		for at := time.Duration(0); s.Budget.Covered && at < j.Estimate; at += time.Hour {
			later += j.Nodes
		}
		mayHave := func(c int) bool { return served < 0 || s.Clouds[c].Price == 0 }
		for _, c := range order {
			if !mayHave(c) || spare[c] < j.Nodes {
				continue
			}
			if hours := later + before(c, j.Nodes, up[c]); pays(c, hours) {
				take(c, j.Nodes)
				left -= s.Clouds[c].Price * pricing.Money(hours)
				continue next
			}
		}
		for _, c := range ask {
			n := max(0, j.Nodes-spare[c])
			if !mayHave(c) || !can(c, n) {
				continue
			}
			if hours := n + later + before(c, j.Nodes-n, s.Now+s.Clouds[c].Boot+s.Every); pays(c, hours) {
				launched[c] += n
				take(c, j.Nodes-n)
				left -= s.Clouds[c].Price * pricing.Money(hours)
				continue next
			}
		}
		if served < 0 {
			served = i
		}
		if !parts {
			continue
		}
		best, most := -1, 0
		for _, c := range ask {
			n := 0
			for can(c, n+1) && n < 1000 {
				n++
			}
			if s.Clouds[c].Price == 0 && j.Nodes <= s.Clouds[c].Limit && spare[c]+n > most {
				best, most = c, spare[c]+n
			}
		}
		if best >= 0 {
			launched[best] += most - spare[best]
			take(best, spare[best])
		}
	}
	if served < 0 {
		served = len(jobs)
	}
	return launched, spare, served
}

func TestServeIsNaive(t *testing.T) {
	parts, several, covered, released := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t, rapid.IntRange(0, 14).Draw(t, "jobs"), rapid.IntRange(1, 4).Draw(t, "clouds"), 6)
		for i := range s.Clouds { // of one type, as [Marshall12] has them
			c := &s.Clouds[i]
			c.Cores, c.Speed, c.Closed = 0, 0, false
		}
		s.Budget.Covered = rapid.IntRange(0, 3).Draw(t, "covered") == 0
		r := 10 * time.Minute
		nc := int(max(1, AWQT(s.Jobs, s.Now)/r))
		first := s.Jobs[:min(3, len(s.Jobs))]
		due := s.Now + s.Every
		for _, c := range []struct {
			name   string
			p      Policy
			jobs   []schedule.Job
			clouds int
			parts  bool
			before func(served int) time.Duration // idle instances due before that go
			free   bool                           // free ones, too
		}{
			{"OD", &OD{}, s.Jobs, 9, true, nil, false},
			{"OD++", &OD{Plus: true}, s.Jobs, 9, true, func(int) time.Duration { return due }, true},
			{"AQTP", &AQTP{Response: r, Min: 3, Max: 3}, first, nc, false, func(int) time.Duration { return due }, true},
		} {
			want, spare, served := naiveServe(s, c.jobs, c.clouds, c.parts)
			before, free := time.Duration(-1), c.free
			switch {
			case c.before != nil:
				before = c.before(served)
			case len(s.Jobs) == 0:
				before, free = schedule.Never, true
			case served < len(c.jobs):
				before = due
			}
			gone := make([]int, len(s.Clouds))
			for i, cl := range s.Clouds {
				for _, in := range cl.Instances {
					if !cl.Fixed && (free || cl.Price > 0) && in.State == Idle && in.Due < before && gone[i] < spare[i] {
						gone[i]++
					}
				}
			}
			got, went := make([]int, len(s.Clouds)), make([]int, len(s.Clouds))
			for _, a := range c.p.AppendActions(nil, s) {
				if a.Launch {
					got[a.Cloud] += a.Count
				} else {
					went[a.Cloud]++
				}
			}
			if !slices.Equal(got, want) || !slices.Equal(went, gone) {
				t.Fatalf("%s launches %v and terminates %v, want %v and %v", c.name, got, went, want, gone)
			}
			if c.name == "OD" && served < len(c.jobs) && !slices.Equal(went, make([]int, len(went))) {
				released++
			}
			if s.Budget.Covered && served < len(c.jobs) {
				covered++
			}
		}
		whole, _, _ := naiveServe(s, s.Jobs, 9, false)
		if all, _, _ := naiveServe(s, s.Jobs, 9, true); !slices.Equal(whole, all) {
			parts++
		}
		if nc > 1 {
			several++
		}
	})
	if parts < 3 || several < 10 || covered < 10 || released < 2 {
		seeded.TooFew(t, "parts of jobs %d times, several clouds %d times, not covered %d times, released for a job that waits %d times: the test looks at too little",
			parts, several, covered, released)
	}
}

// Once warm no policy allocates, over varied snapshots up to the largest.
func TestPoliciesAllocateNothing(t *testing.T) {
	var snaps []*Snapshot
	for i, jobs := range []int{120, 3, 0, 16, 60} {
		snaps = append(snaps, burst(uint64(i), jobs, 1+i%3), crowd(uint64(i), 5*jobs, 2*i))
	}
	for name, p := range everyPolicy(3) {
		dst := make([]Action, 0, 10_000)
		front := make([]configuration, 0, 10_000)
		m, _ := p.(*MCOP)
		for range 2 {
			for _, s := range snaps {
				if m != nil && len(s.Jobs) > 120 {
					continue
				}
				p.AppendActions(dst, s)
			}
		}
		for i, s := range snaps {
			if m != nil && len(s.Jobs) > 120 {
				continue
			}
			if m != nil {
				m.Rand = newRand(uint64(i))
			}
			if n := allocs.Once(func() { p.AppendActions(dst, s) }); n != 0 {
				t.Errorf("%s, snapshot %d: %v allocations", name, i, n)
			}
			if m != nil {
				if n := allocs.Once(func() { m.appendFront(front, s) }); n != 0 {
					t.Errorf("%s, front of snapshot %d: %v allocations", name, i, n)
				}
			}
			if n := allocs.Once(func() { AWQT(s.Jobs, s.Now) }); n != 0 {
				t.Errorf("AWQT: %v allocations", n)
			}
		}
	}
}
