package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A job of 23 hours on one instance begins each day for 50 weeks. By hand, Google at .8
// of EC2's price: the first week runs at Google, for 23 hours and 2.1 minutes of boot, so
// 23:03 a day, at 1.92 an hour; a quarter of the month, from which on there is a discount,
// is not used. Then one instance is reserved for a year, 1y-heavy: 5,000 and .361 for each
// of 8,760 hours, so that the rest runs at EC2, 24 hours a day. The log ends 8,400 hours
// after its begin, which is 8,232 of the term: 528 are left.
func TestSeveralCloudsWithReservations(t *testing.T) {
	var jobs []trace.Job
	for d := range 350 {
		const run = 23 * time.Hour
		jobs = append(jobs, trace.Job{ID: int64(d), Submit: time.Duration(d) * 24 * time.Hour, Run: run, Estimate: run, Nodes: 1})
	}
	p := policy{waitLimit: 5 * time.Minute, short: time.Hour, expand: schedule.BestSize, ratio: .8}
	const atGoogle = 7 * 23.05 * 1.92
	const term = 5000 + .361*8760
	for how, want := range map[buying]struct {
		reserved, jobs int // jobs at Google
		cost, pure     float64
	}{
		buyOnline:  {1, 7, term + atGoogle, term*8232/8760 + atGoogle},
		buyOffline: {1, 7, term + atGoogle, term*8232/8760 + atGoogle}, // as online
		buyExact:   {1, 7, term + atGoogle, term*8232/8760 + atGoogle},
		buyNothing: {0, 350, math.NaN(), math.NaN()}, // with discounts: see below
	} {
		r := &runner{log: &jobLog{jobs: jobs}, prices: pricing.CC28XLarge2013(), how: how, closes: true, simulator: new(sim.Simulator)}
		got, err := r.run(multi, p)
		if err != nil {
			t.Fatal(err)
		}
		if got.reserved != want.reserved || got.Clouds[1].Jobs != want.jobs || got.Clouds[0].Jobs != len(jobs)-want.jobs {
			t.Errorf("%v: %d reserved, %d and %d jobs; want %+v", how, got.reserved, got.Clouds[0].Jobs, got.Clouds[1].Jobs, want)
		}
		if math.Abs(got.cost.Float64()-want.cost) > 1e-6 || math.Abs(got.pure.Float64()-want.pure) > 1e-6 {
			t.Errorf("%v: cost %v, pure %v; want %+v", how, got.cost, got.pure, want)
		}
		if how == buyNothing && (got.cost != got.Clouds[1].Cost || got.pure != got.cost) {
			t.Errorf("%v: cost %v, pure %v; all is at Google, %v", how, got.cost, got.pure, got.Clouds[1].Cost)
		}
	}
}

// What runs elsewhere for less than on demand here is reserved for only if that is
// cheaper still: by hand, 1y-heavy, the cheapest, is .932 an hour if used throughout.
func TestReservedOnlyBelowElsewhere(t *testing.T) {
	list := classes(pricing.CC28XLarge2013(), "1y-light", "1y-heavy")
	for _, c := range []struct {
		elsewhere pricing.Money
		buys      bool
	}{
		{920 * pricing.Milli, false},
		{list.OnDemand, true},
		{2 * list.OnDemand, true},
	} {
		demand := make([]int, weekHours)
		for h := range demand {
			demand[h] = 10
		}
		o, err := newOnline(buyOnline, list, c.elsewhere, pricing.SustainedUse{}, forever)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if _, err := o.Observe(nil, demand); err != nil {
				t.Fatal(err)
			}
		}
		if buys := len(o.bought) > 0; buys != c.buys {
			t.Errorf("for %v elsewhere %v is bought", c.elsewhere, o.bought)
		}
	}
}

// By hand: the better of 5 and 4 (Google) is 4, and both for 3 a quarter below; the
// better of 5 and 8 is 5 (EC2), and both for 6 a fifth above.
func TestBelow(t *testing.T) {
	s := &study{ec2: result{total: 5}, ratio: []struct{ gce, multi result }{
		{result{total: 4}, result{total: 3}},
		{result{total: 8}, result{total: 6}},
	}}
	for i, want := range []float64{.25, -.2} {
		if got := s.below(i); math.Abs(got-want) > 1e-12 {
			t.Errorf("ratio %d: %v below the better, want %v", i, got, want)
		}
	}
}

// By hand: from 100 s to 104 s is 4%, from 2 to 2.5 dollars 25%; nothing is a
// multiple of no wait.
func TestChanges(t *testing.T) {
	s := &study{overhead: make([]struct{ without, with result }, len(waitLimits)*len(expands))}
	x := &s.overhead[1*len(expands)+2]
	x.without, x.with = result{wait: 100 * time.Second, total: 2}, result{wait: 104 * time.Second, total: 2.5}
	wait, rate := s.changes(1, 2)
	if math.Abs(wait-.04) > 1e-12 || math.Abs(rate-.25) > 1e-12 {
		t.Errorf("%v and %v more, want .04 and .25", wait, rate)
	}
	x.without.wait = 0
	if wait, _ := s.changes(1, 2); wait != 0 {
		t.Errorf("%v more than no wait", wait)
	}
}

func TestFront(t *testing.T) {
	want := map[result]bool{
		{wait: 10, total: 1}: true,
		{wait: 5, total: 2}:  true,
		{wait: 12, total: 1}: false, // waits longer than the first, for as much
		{wait: 5, total: 3}:  false, // costs more than the second
		{wait: 7, total: 4}:  false,
		{wait: 1, total: 9}:  true,
	}
	s := emptyStudy()
	for i := range s.sweep {
		s.sweep[i] = result{wait: 99, total: 99}
	}
	for i := range s.queues {
		s.queues[i] = result{wait: 99, total: 99}
	}
	i := 0
	for r := range want { // some with EASY, some with another queue
		s.sweep[5*i], s.queues[7*i] = r, r
		i++
	}
	rows := s.front("").rows
	for i, c := range s.choices() {
		if w := want[c.result]; rows[i][6] != fmt.Sprint(w) || rows[i][3] != c.discipline.String() || rows[i][2] != c.place {
			t.Errorf("%v: wait %d, cost %v: %v", c.String(), c.wait, c.total, rows[i])
		}
	}
	if rows[1][2] != "min_margin" && rows[1][2] != "min-margin" || rows[180][3] != "easy-4" || rows[539][3] != "easy-large-first" || len(rows) != 540 {
		t.Errorf("%d rows: %v", len(rows), rows[539])
	}
}

// emptyStudy is a study of which every result is 0.
func emptyStudy() *study {
	return &study{
		local: make([]result, len(sizes)), sweep: make([]result, len(waitLimits)*len(shorts)*len(places)),
		queues:   make([]result, (len(disciplines)-1)*len(waitLimits)*len(shorts)*margins),
		estimate: make([]result, len(alphas)*len(expands)), ec2: result{total: 1},
		overhead: make([]struct{ without, with result }, len(waitLimits)*len(expands)),
	}
}

// The four jobs have all the figures of the text of [Niu16] section 2.
func TestFig2(t *testing.T) {
	f, _, err := fig2(pricing.CC28XLarge2013())
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"individual", "0.708333", "0", "12.00"}, // 70.8%
		{"local", "0.566667", "900", "15.00"},    // 56.7%, 15 minutes
		{"sec", "0.772727", "0", "11.00"},        // 77.3%
	}
	if diff := cmp.Diff(want, f.rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// By hand: a rate of 5 with 9 s of wait is the standard; with EASY 4 with 10 s costs a fifth
// less, and another queue has 4.5 with 9 s.
func TestClaimsOfTheSweep(t *testing.T) {
	s := emptyStudy()
	for i := range s.sweep {
		s.sweep[i] = result{total: 5, wait: 9 * time.Second}
	}
	for i := range s.queues {
		s.queues[i] = result{total: 6, wait: 8 * time.Second}
	}
	s.sweep[7] = result{total: 4, wait: 10 * time.Second}
	s.queues[0] = result{total: 4.5, wait: 9 * time.Second}
	s.ratio = make([]struct{ gce, multi result }, len(ratios))
	want := map[string]string{
		"easy-4 instead of easy: wait and rate, %":                                           "-11.1 and 20.00",
		"rate saved by another T_waitlmt, T_short and placement without more wait, %":        "0.00 (easy, T_waitlmt 0s, T_short 0s, max-margin)",
		"rate saved by another T_waitlmt, T_short, placement and queue without more wait, %": "10.00 (easy-4, T_waitlmt 0s, T_short 0s, max-margin)",
		"rate saved by another T_waitlmt, T_short and placement at any wait, %":              "20.00 (easy, T_waitlmt 0s, T_short 15m, max-idle)",
		"rate saved by another T_waitlmt, T_short, placement and queue at any wait, %":       "20.00 (easy, T_waitlmt 0s, T_short 15m, max-idle)",
		"the other three placements differ in rate by, % (very close; bound ours)":           "0.00",
		"the other three placements are between the two by margin in rate and wait":          "",
	}
	for _, row := range s.claims(figure{}, make([]result, 3), nil).rows {
		if w, ok := want[row[0]]; ok {
			if row[2] != w {
				t.Errorf("%s: %q, want %q", row[0], row[2], w)
			}
			delete(want, row[0])
		}
	}
	if len(want) > 0 {
		t.Errorf("no rows for %v", want)
	}
}

func TestMonotone(t *testing.T) {
	for name, c := range map[string]struct {
		results         []result
		rising, falling bool
	}{
		"both":    {[]result{{wait: 1, total: 3}, {wait: 2, total: 2}, {wait: 2, total: 2}, {wait: 3, total: 1}}, true, true},
		"neither": {[]result{{wait: 1, total: 2}, {wait: 2, total: 1}, {wait: 1, total: 2}}, false, false},
		"rising":  {[]result{{wait: 1, total: 1}, {wait: 2, total: 2}}, true, false},
		"falling": {[]result{{wait: 2, total: 2}, {wait: 1, total: 1}}, false, true},
		"early":   {[]result{{wait: 2, total: 1}, {wait: 1, total: 2}, {wait: 3, total: 0}}, false, false},
	} {
		rising, falling := new(study).monotone(len(c.results), func(i int) result { return c.results[i] })
		if rising != c.rising || falling != c.falling {
			t.Errorf("%s: rising %v, falling %v", name, rising, falling)
		}
	}
}

// The worst of the ratios without a number in the paper is in their row, whichever it
// is. By hand: EC2 for 1, and both clouds for 1, 1.05, .9 and .99 at 1, .9, .8 and .7.
func TestClaimOfOtherRatios(t *testing.T) {
	s := emptyStudy()
	for i := range s.sweep {
		s.sweep[i].total = 1
	}
	for i := range s.queues {
		s.queues[i].total = 1
	}
	for _, both := range []float64{1, 1.05, .9, .99} {
		s.ratio = append(s.ratio, struct{ gce, multi result }{result{total: 2}, result{total: both}})
	}
	rates := map[string]float64{"online": 1, "offline-greedy": 1, "offline-exact": 1}
	for _, row := range s.claims(figure{}, make([]result, 3), rates).rows {
		if strings.HasPrefix(row[0], "both clouds below the better one at r = 1, 0.9, 0.7") {
			if d := cmp.Diff([]string{"-10.0 to 10.0", "-5.0 to 1.0", "yes"}, row[1:]); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			return
		}
	}
	t.Error("there is no such row")
}
