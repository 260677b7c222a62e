package semielastic

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule"
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
	p := Policy{WaitLimit: 5 * time.Minute, Short: time.Hour, Expansion: schedule.BestSize, Ratio: .8}
	const atGoogle = 7 * 23.05 * 1.92
	const term = 5000 + .361*8760
	for how, want := range map[Buying]struct {
		reserved, jobs int // jobs at Google
		cost, pure     float64
	}{
		BuyOnline:  {1, 7, term + atGoogle, term*8232/8760 + atGoogle},
		BuyOffline: {1, 7, term + atGoogle, term*8232/8760 + atGoogle}, // as online
		BuyExact:   {1, 7, term + atGoogle, term*8232/8760 + atGoogle},
		BuyNothing: {0, 350, math.NaN(), math.NaN()}, // with discounts: see below
	} {
		r := &Runner{Log: &Log{Jobs: jobs}, Prices: pricing.CC28XLarge2013(), How: how, Closes: true}
		got, err := r.Run(Multi, p)
		if err != nil {
			t.Fatal(err)
		}
		if got.Reserved != want.reserved || got.Clouds[1].Jobs != want.jobs || got.Clouds[0].Jobs != len(jobs)-want.jobs {
			t.Errorf("%v: %d reserved, %d and %d jobs; want %+v", how, got.Reserved, got.Clouds[0].Jobs, got.Clouds[1].Jobs, want)
		}
		if math.Abs(got.Paid.Float64()-want.cost) > 1e-6 || math.Abs(got.Pure.Float64()-want.pure) > 1e-6 {
			t.Errorf("%v: cost %v, pure %v; want %+v", how, got.Paid, got.Pure, want)
		}
		if how == BuyNothing && (got.Paid != got.Clouds[1].Cost || got.Pure != got.Paid) {
			t.Errorf("%v: cost %v, pure %v; all is at Google, %v", how, got.Paid, got.Pure, got.Clouds[1].Cost)
		}
	}
}

// What runs elsewhere for less than on demand here is reserved for only if that is
// cheaper still: by hand, 1y-heavy, the cheapest, is .932 an hour if used throughout.
func TestReservedOnlyBelowElsewhere(t *testing.T) {
	list := Classes(pricing.CC28XLarge2013(), "1y-light", "1y-heavy")
	for _, c := range []struct {
		elsewhere pricing.Money
		buys      bool
	}{
		{920 * pricing.Milli, false},
		{list.OnDemand, true},
		{2 * list.OnDemand, true},
	} {
		demand := make([]int, WeekHours)
		for h := range demand {
			demand[h] = 10
		}
		o, err := newOnline(BuyOnline, list, c.elsewhere, pricing.SustainedUse{}, forever)
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

// By hand: three jobs of 10 nodes run for an hour each, 30 node-hours. Submitted within an
// hour they would keep 30 nodes busy all the time, so 38 of them for four fifths; within 30
// hours one node would do, but the largest job needs 10. Of one moment there is no load.
func TestEnough(t *testing.T) {
	for _, c := range []struct {
		gap  time.Duration
		want int
	}{
		{0, 10}, {30 * time.Minute, 38}, {time.Hour, 19}, {2 * time.Hour, 10}, {15 * time.Hour, 10}, {time.Nanosecond, 10},
	} {
		log := &Log{}
		for i := range 3 {
			log.Jobs = append(log.Jobs, trace.Job{Submit: 5*time.Hour + time.Duration(i)*c.gap, Run: time.Hour, Nodes: 10})
		}
		if got := log.Enough(); got != c.want {
			t.Errorf("submitted every %v: %d nodes, want %d", c.gap, got, c.want)
		}
	}
}

// The forecast of the paper has other numbers than the level one, and its rule buys greedily.
// A demand that rises week by week shows it: the paper's extrapolates.
func TestPaperForecasts(t *testing.T) {
	list := pricing.CC28XLarge2013()
	hours := make([]int, 40*WeekHours)
	for h := range hours {
		hours[h] = 5 + h/WeekHours
	}
	level, err := Buy(BuyOnline, list, hours, reserve.Pure)
	if err != nil {
		t.Fatal(err)
	}
	paper, err := Buy(BuyPaper, list, hours, reserve.Pure)
	if err != nil {
		t.Fatal(err)
	}
	count := func(bought []pricing.Purchase) (n int) {
		for _, p := range bought {
			n += p.Count
		}
		return n
	}
	if l, p := count(level), count(paper); l == 0 || p <= l {
		t.Errorf("the level forecast reserves %d, the paper's %d: want more of it", l, p)
	}
}

// The week of the first job is filled up, the weeks after it are as they are.
func TestOnlyTheFirstWeekIsFilled(t *testing.T) {
	var o online
	if got := o.begin([]int{0, 0, 0}); got != nil {
		t.Errorf("before the first job %v is known", got)
	}
	if got := o.begin([]int{0, 0, 0, 4, 5}); !slices.Equal(got, []int{4, 5, 4, 4, 5}) {
		t.Errorf("the first week is %v", got)
	}
	for _, week := range [][]int{{0, 0, 3, 1, 2}, {0, 0, 0, 0, 0}} {
		if got := o.begin(week); !slices.Equal(got, week) {
			t.Errorf("a later week is %v, want %v", got, week)
		}
	}
}
