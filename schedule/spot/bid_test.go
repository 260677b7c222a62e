package spot

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
)

const milli = pricing.Milli

// calmMonth is a month at 0.21 with one day at 2.91, ten days before its end: the
// mean is 0.21 + 2.70/30 = 0.30.
func calmMonth() pricing.SpotHistory {
	const day = 24 * time.Hour
	return pricing.SpotHistory{
		Times:  []time.Duration{0, 20 * day, 21 * day},
		Prices: []pricing.Money{210 * milli, 2910 * milli, 210 * milli},
		End:    60 * day,
	}
}

// A bidder is [LowBid] or [MediumBid].
type bidder func(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money

// [Huang13] section III.B: at a price on demand of 1.30, agent medium bid 1.15
// and agent low 0.21. The inputs are ours: the paper tells neither the current
// price nor the mean.
func TestBidsOfThePaper(t *testing.T) {
	const day = 24 * time.Hour
	h := calmMonth()
	for _, c := range []struct {
		name string
		bid  bidder
		now  time.Duration
		want pricing.Money
	}{
		{"medium", MediumBid, 30 * day, 1150 * milli},
		{"low", LowBid, 30 * day, 210 * milli},
		// In the spike: the mean of 20 days and a half is far below it, and low
		// waits for that; medium does not go above the price on demand.
		{"medium in the spike", MediumBid, 20*day + day/2, 1300 * milli},
		{"low in the spike", LowBid, 20*day + day/2, 275853659}, // 0.21 + 2.70·0.5/20.5
		{"medium without the spike", MediumBid, 55 * day, 210*milli + 1090*milli*85/100},
		// At the first price there is no past: its price stands for it.
		{"low at first", LowBid, 0, 210 * milli},
		{"medium at first", MediumBid, 0, 210*milli + 1090*milli*85/100},
	} {
		if got := c.bid(h, c.now, 1300*milli); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Laws of the bids: what comes after now does not count; low ≤ medium ≤ on demand;
// medium is served at once unless the price is above on demand; prices times k are
// bids times k.
func TestBidsLaws(t *testing.T) {
	waits := 0
	rapid.Check(t, func(t *rapid.T) {
		h := pricing.SpotHistory{}
		at := time.Duration(0)
		for range rapid.IntRange(1, 10).Draw(t, "prices") {
			h.Times = append(h.Times, at)
			h.Prices = append(h.Prices, pricing.Money(rapid.IntRange(0, 20).Draw(t, "price"))*100*milli)
			at += time.Duration(rapid.IntRange(1, 100).Draw(t, "hours")) * time.Hour
		}
		h.End = at
		now := time.Duration(rapid.Int64Range(0, int64(at)).Draw(t, "now"))
		demand := pricing.Money(rapid.IntRange(0, 20).Draw(t, "on demand")) * 100 * milli
		past := h
		past.Times, past.Prices, past.End = past.Times[:h.Index(now)+1], past.Prices[:h.Index(now)+1], now
		tripled := h
		tripled.Prices = slices.Clone(h.Prices)
		for i := range tripled.Prices {
			tripled.Prices[i] *= 3
		}
		for _, b := range []bidder{LowBid, MediumBid} {
			bid := b(h, now, demand)
			if bid > demand || bid < 0 {
				t.Fatalf("bids %v, on demand %v", bid, demand)
			}
			if got := b(past, now, demand); got != bid {
				t.Fatalf("bids %v, and %v without the future", bid, got)
			}
			// The mean is rounded to a nano, and so is the share of the rest.
			if got := b(tripled, now, 3*demand); got < 3*bid-6 || got > 3*bid+6 {
				t.Fatalf("bids %v, and %v at three times the price", bid, got)
			}
		}
		l, m := LowBid(h, now, demand), MediumBid(h, now, demand)
		if l > m {
			t.Fatalf("low bids %v, medium %v", l, m)
		}
		if p := h.At(now); p <= demand && m < p {
			t.Fatalf("medium bids %v at a price of %v, on demand %v", m, p, demand)
		}
		if l < h.At(now) {
			waits++
		}
	})
	if waits < 10 {
		seeded.TooFew(t, "low waits in %d cases, want 10", waits)
	}
}

// A share is taken to the nearest millionth: 0.000498·10⁶ is 497.99… in floating
// point, and of 10⁶ nanos 498 are meant.
func TestShareOfAPrice(t *testing.T) {
	if got := between(1_000_000, .000498); got != 498 {
		t.Errorf("%d nanos, want 498", int64(got))
	}
}

// A chain against slow and obvious second versions: every cut of the prices into
// levels is tried, and moves are counted look by look.
func TestChainEstimatorEqualsEnumeration(t *testing.T) {
	moreChecks(t, 50)
	var e ChainEstimator // dirty from case to case
	clustered := 0
	rapid.Check(t, func(t *rapid.T) {
		h := pricing.SpotHistory{}
		at := time.Duration(rapid.IntRange(-3, 3).Draw(t, "start")) * time.Minute
		for range rapid.IntRange(1, 15).Draw(t, "prices") {
			h.Times = append(h.Times, at)
			h.Prices = append(h.Prices, pricing.Money(rapid.IntRange(0, 30).Draw(t, "price"))*10*milli)
			at += time.Duration(rapid.IntRange(1, 40).Draw(t, "minutes")) * time.Minute
		}
		h.End = at
		o := &e
		e.Step = time.Duration(rapid.IntRange(1, 15).Draw(t, "step")) * time.Minute
		e.Levels = rapid.IntRange(1, 5).Draw(t, "levels")
		e.Prior = rapid.SampledFrom([]float64{-1, 0, 2.5}).Draw(t, "prior")
		from := h.Start() + time.Duration(rapid.IntRange(0, 5).Draw(t, "from"))*time.Minute
		to := from + o.Step + 1 + time.Duration(rapid.Int64Range(0, int64(2*h.Span())).Draw(t, "window"))
		c, err := e.Estimate(h, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		var seen []pricing.Money
		for at := from; at < to; at += o.Step {
			seen = append(seen, h.At(at))
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(seen)))
		n := min(o.Levels, len(distinct))
		if len(c.Tops) != n || c.Tops[n-1] != distinct[len(distinct)-1] {
			t.Fatalf("tops %v for %v", c.Tops, distinct)
		}
		// The error of a choice of tops, with the means as floats.
		spread := func(tops []pricing.Money) (sum float64) {
			low := pricing.Money(-1)
			for _, top := range tops {
				mean, count := 0.0, 0.0
				for _, p := range seen {
					if p > low && p <= top {
						mean, count = mean+p.Float64(), count+1
					}
				}
				for _, p := range seen {
					if p > low && p <= top {
						d := p.Float64() - mean/count
						sum += d * d
					}
				}
				low = top
			}
			return sum
		}
		best := math.Inf(1)
		var try func(tops []pricing.Money, from int)
		try = func(tops []pricing.Money, from int) {
			if len(tops) == n-1 {
				best = min(best, spread(append(tops, distinct[len(distinct)-1])))
				return
			}
			for i := from; i < len(distinct)-1; i++ {
				try(append(tops[:len(tops):len(tops)], distinct[i]), i+1)
			}
		}
		try(nil, 0)
		if got := spread(c.Tops); got > best+1e-12 {
			t.Fatalf("levels %v of %v: error %v, best %v", c.Tops, seen, got, best)
		}
		if n < len(distinct) && n > 1 {
			clustered++
		}
		prior := max(0, o.Prior)
		if o.Prior == 0 {
			prior = 1
		}
		for i := range n {
			from, sum, count := 0.0, 0.0, 0.0
			move := make([]float64, n)
			share := make([]float64, n)
			for k, p := range seen {
				share[c.Level(p)] += 1 / float64(len(seen))
				if c.Level(p) != i {
					continue
				}
				sum, count = sum+p.Float64(), count+1
				if k+1 < len(seen) {
					move[c.Level(seen[k+1])]++
					from++
				}
			}
			if math.Abs(c.Prices[i].Float64()-sum/count) > 1e-9 {
				t.Fatalf("price %v of level %d, mean %v", c.Prices[i], i, sum/count)
			}
			for j := range n {
				want := (move[j] + prior*share[j]) / (from + prior)
				if from+prior == 0 {
					want = 0
					if i == j {
						want = 1
					}
				}
				if got := c.Move[i*n+j]; math.Abs(got-want) > 1e-12 {
					t.Fatalf("from %d to %d: %v, want %v", i, j, got, want)
				}
			}
		}
	})
	if clustered < 50 {
		seeded.TooFew(t, "%d cases with fewer levels than prices, want 50", clustered)
	}
}

// Of cuts with the same error the lower one is taken: three prices make a level of the lowest
// and one of the others.
func TestChainEstimatorTies(t *testing.T) {
	h := pricing.SpotHistory{
		Times:  []time.Duration{0, 10 * time.Minute, 20 * time.Minute},
		Prices: []pricing.Money{100 * milli, 200 * milli, 300 * milli}, End: 30 * time.Minute,
	}
	c, err := (&ChainEstimator{Levels: 2}).Estimate(h, 0, 30*time.Minute)
	if want := []pricing.Money{100 * milli, 300 * milli}; err != nil || !slices.Equal(c.Tops, want) {
		t.Errorf("tops %v, %v, want %v", c.Tops, err, want)
	}
}

// paperMarket is [Huang13]'s instance at a constant spot price.
func paperMarket(spot pricing.Money) Market {
	return Market{
		Chain:    PriceChain{Step: 10 * time.Minute, Prices: []pricing.Money{spot}, Tops: []pricing.Money{spot}, Move: []float64{1}},
		Spot:     pricing.EC2SpotHourly,
		OnDemand: 1300 * milli,
		Meter:    pricing.EC2Hourly,
	}
}

// What can be said by hand of a price that does not change.
func TestBidPlannerAtAConstantPrice(t *testing.T) {
	const hour, minute = time.Hour, time.Minute
	four := Task{Estimate: 4*hour - 10*minute, Latency: 10 * minute, Instances: 3} // four hours with the latency
	saves := four
	saves.Checkpoints = Checkpoints{Every: 50 * minute, Write: 10 * minute, Restart: 5 * minute}
	flaky := paperMarket(210 * milli)
	flaky.Reclaim = 0.999999
	for _, c := range []struct {
		name     string
		m        Market
		task     Task
		deadline time.Duration
		want     BidDecision
	}{
		// The bid of the highest level is the price on demand.
		{"time for two runs", paperMarket(210 * milli), four, 8 * hour, BidDecision{Action: BidSpot, Bid: 1300 * milli, For: hour, Cost: 3 * 4 * .21}},
		// One step less, and an interruption at the last moment of the run would be fatal.
		{"not quite", paperMarket(210 * milli), four, 8*hour - 1, BidDecision{Action: BidOnDemand, For: 4 * hour, Cost: 3 * 4 * 1.3}},
		{"spot is dearer", paperMarket(1400 * milli), four, 8 * hour, BidDecision{Action: BidOnDemand, For: 4 * hour, Cost: 3 * 4 * 1.3}},
		{"late", paperMarket(210 * milli), four, 4*hour - 1, BidDecision{Action: BidOnDemand, For: 4 * hour, Cost: 3 * 4 * 1.3, Late: true}},
		{"just in time", paperMarket(210 * milli), four, 4 * hour, BidDecision{Action: BidOnDemand, For: 4 * hour, Cost: 3 * 4 * 1.3}},
		// With checkpoints: 70 minutes to the first, which are an hour and a step on
		// spot; what follows needs 10 + 5 + 180 minutes on demand, 4 begun hours. The
		// time left is the 240 needed and 70: cut at the checkpoint, cost 2 hours of
		// spot. Cheaper all on demand: 4·1.3 < 2·0.21 + 4·1.3.
		{"a checkpoint wins no hour", paperMarket(210 * milli), saves, 310 * minute, BidDecision{Action: BidOnDemand, For: 4 * hour, Cost: 3 * 4 * 1.3}},
		// An hour that is reclaimed is free and wins nothing, one that survives is
		// paid and wins next to nothing.
		{"reclaimed", flaky, four, 8 * hour, BidDecision{Action: BidOnDemand, For: 4 * hour, Cost: 3 * 4 * 1.3}},
	} {
		c.task.Deadline = c.deadline
		var p Planner
		if err := p.Solve(c.m, &c.task, 0); err != nil {
			t.Fatal(err)
		}
		got := p.Decide(BidState{Price: c.m.Chain.Tops[0]})
		if math.Abs(got.Cost-c.want.Cost) < 1e-12 {
			got.Cost = c.want.Cost
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// With a cluster on demand beside it, a task of four hours can be on spot with less
// time than for two runs. By hand, at a constant price of 0.21 and seconds charged,
// with six hours left: the spot cluster is alone for two hours, and has one on demand
// beside it for the other two, 4·0.21 + 2·1.30. It goes on so when the task runs longer
// than its estimate.
func TestBidPlannerBeside(t *testing.T) {
	const hour = time.Hour
	m := paperMarket(210 * milli)
	m.Spot, m.Meter, m.Beside = pricing.EC2SpotPerSecond, pricing.EC2PerSecond, true
	task := Task{Estimate: 230 * time.Minute, Latency: 10 * time.Minute, Deadline: 6 * hour, Instances: 2}
	var p Planner
	if err := p.Solve(m, &task, 0); err != nil {
		t.Fatal(err)
	}
	const bid = 1300 * milli
	for _, c := range []struct {
		name    string
		elapsed time.Duration
		want    BidDecision
	}{
		{"first", -1, BidDecision{Action: BidSpot, Bid: bid, For: hour, Cost: 2 * (4*.21 + 2*1.3)}},
		{"the second hour", hour, BidDecision{Action: BidSpot, Bid: bid, For: hour, Cost: 2 * (3*.21 + 2*1.3)}},
		{"the third hour", 2 * hour, BidDecision{Action: BidBoth, Bid: bid, For: 2 * hour, Cost: 2 * (2*.21 + 2*1.3)}},
		{"in the last hour", 3*hour + 1, BidDecision{Action: BidBoth, Bid: bid, For: hour - 1, Cost: 2 * (.21 + 2*1.3)}},
		{"too long", 4 * hour, BidDecision{Action: BidBoth, Bid: bid, For: 4 * hour}},
	} {
		s := BidState{Price: 210 * milli}
		if c.elapsed >= 0 {
			s.Now, s.Running, s.Elapsed, s.Bid = c.elapsed, true, c.elapsed, bid
		}
		got := p.Decide(s)
		if math.Abs(got.Cost-c.want.Cost) < 1e-12 {
			got.Cost = c.want.Cost
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Where a second cluster would be needed from the beginning of a block on, and the
// price has risen to 2.00, the spot cluster is given up: the last two hours of both
// cost 4.00 + 2.60, four hours on demand 5.20. At 0.21 both go on: 0.42 + 2.60.
func TestBidPlannerBesideIsGivenUp(t *testing.T) {
	const hour = time.Hour
	// A second cluster that ends no later than the first is of no use: due in four hours, which is late.
	late := paperMarket(210 * milli)
	late.Beside = true
	var q Planner
	if err := q.Solve(late, &Task{Estimate: 4 * hour, Deadline: 4 * hour, Instances: 2}, 0); err != nil {
		t.Fatal(err)
	}
	got := q.Decide(BidState{Now: hour, Price: 210 * milli, Running: true, Elapsed: hour, Bid: 1300 * milli})
	if diff := cmp.Diff(BidDecision{Action: BidOnDemand, Stop: true, For: 4 * hour, Cost: 2 * 4 * 1.3, Late: true}, got); diff != "" {
		t.Errorf("a run that ends at the deadline: %s", diff)
	}
	// What costs nothing goes on.
	free := paperMarket(0)
	free.OnDemand = 0
	if err := q.Solve(free, &Task{Estimate: 3 * hour, Deadline: 8 * hour, Instances: 2}, 0); err != nil {
		t.Fatal(err)
	}
	if got := q.Decide(BidState{Now: hour, Running: true, Elapsed: hour}); got.Action != BidSpot || got.Stop {
		t.Errorf("a free cluster: %+v", got)
	}
	if n := q.states(); n != 49*(1+3) { // 48 steps and the end: a task with nothing, and three blocks of its run
		t.Errorf("%d values, want %d", n, 49*4)
	}

	m := paperMarket(0)
	m.Chain = PriceChain{Step: hour, Prices: []pricing.Money{210 * milli, 2000 * milli}, Tops: []pricing.Money{210 * milli, 2000 * milli}, Move: []float64{1, 0, 0, 1}}
	m.Spot, m.Meter, m.Beside = pricing.EC2SpotPerSecond, pricing.EC2PerSecond, true
	task := Task{Estimate: 4 * hour, Deadline: 6 * hour, Instances: 1}
	var p Planner
	if err := p.Solve(m, &task, 0); err != nil {
		t.Fatal(err)
	}
	for price, want := range map[pricing.Money]BidDecision{
		210 * milli:  {Action: BidBoth, Bid: 2000 * milli, For: 2 * hour, Cost: 3.02},
		2000 * milli: {Action: BidOnDemand, Stop: true, For: 4 * hour, Cost: 5.2},
	} {
		got := p.Decide(BidState{Now: 2 * hour, Price: price, Running: true, Elapsed: 2 * hour, Bid: 2000 * milli})
		if math.Abs(got.Cost-want.Cost) < 1e-12 {
			got.Cost = want.Cost
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %v: %s", price, diff)
		}
	}
}

// A cluster that runs: it goes on within a block, is stopped at the end of one when
// the price has risen above what waiting costs, and may overrun its estimate while
// it could be run again.
func TestBidPlannerOfARunningCluster(t *testing.T) {
	const hour = time.Hour
	m := paperMarket(0)
	m.Chain = PriceChain{
		Step:   30 * time.Minute,
		Prices: []pricing.Money{100 * milli, 1200 * milli},
		Tops:   []pricing.Money{150 * milli, 1250 * milli},
		Move:   []float64{.9, .1, .5, .5},
	}
	task := Task{Estimate: 3 * hour, Deadline: 20 * hour, Instances: 1, Checkpoints: Checkpoints{Every: hour}}
	var p Planner
	if err := p.Solve(m, &task, 0); err != nil {
		t.Fatal(err)
	}
	at := func(elapsed time.Duration, price, bid pricing.Money) (d BidDecision) {
		d = p.Decide(BidState{Now: 2*hour + elapsed, Price: price, Running: true, Elapsed: elapsed, Bid: bid})
		d.Cost = 0
		return d
	}
	for _, c := range []struct {
		name       string
		elapsed    time.Duration
		price, bid pricing.Money
		want       BidDecision
	}{
		{"cheap", hour, 100 * milli, 1300 * milli, BidDecision{Action: BidSpot, Bid: 1300 * milli, For: hour}},
		{"dear", hour, 1200 * milli, 1300 * milli, BidDecision{Action: BidWait, Stop: true, For: 30 * time.Minute}},
		{"dear within the hour", hour + 1, 1200 * milli, 1300 * milli, BidDecision{Action: BidSpot, Bid: 1300 * milli, For: hour - 1}},
		{"the last hour", 2*hour + 1, 100 * milli, 150 * milli, BidDecision{Action: BidSpot, Bid: 150 * milli, For: hour - 1}},
		// Two hours are saved by then: 17 - 1 hours are left, one is needed.
		{"longer than its estimate", 3 * hour, 100 * milli, 150 * milli, BidDecision{Action: BidSpot, Bid: 150 * milli, For: 14 * hour}},
		{"longer than can be", 17 * hour, 100 * milli, 150 * milli, BidDecision{Action: BidOnDemand, Stop: true, For: hour}},
		// Nothing is lost by going on with a higher bid: all is saved, no latency.
		{"a bid below all levels", hour, 100 * milli, 100 * milli, BidDecision{Action: BidSpot, Stop: true, Bid: 1300 * milli, For: hour}},
		{"the same within the hour", hour + 1, 100 * milli, 100 * milli, BidDecision{Action: BidSpot, Bid: 100 * milli, For: hour - 1}},
	} {
		if diff := cmp.Diff(c.want, at(c.elapsed, c.price, c.bid)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	// A bid between tops is worth what the top below it is: with one at the upper top
	// the cluster survives a rise of the price.
	cost := func(bid pricing.Money) float64 {
		return p.Decide(BidState{Now: 3 * hour, Price: 100 * milli, Running: true, Elapsed: hour + 1, Bid: bid}).Cost
	}
	if low, between, high := cost(150*milli), cost(1249*milli), cost(1250*milli); low != between || low == high {
		t.Errorf("with bids of 0.15, 1.249 and 1.25 it costs %v, %v and %v", low, between, high)
	}
	// Above all levels and the price on demand no bid is served: it waits.
	if d := p.Decide(BidState{Price: 5 * pricing.Unit}); d.Action != BidWait || d.For != 30*time.Minute {
		t.Errorf("at a price never seen: %+v", d)
	}
}

func TestBidErrors(t *testing.T) {
	const hour = time.Hour
	task := Task{Estimate: hour, Deadline: 8 * hour, Instances: 1}
	solve := func(f func(*Market, *Task)) error {
		m, task := paperMarket(210*milli), task
		m.Chain.Tops, m.Chain.Prices, m.Chain.Move = slices.Clone(m.Chain.Tops), slices.Clone(m.Chain.Prices), slices.Clone(m.Chain.Move)
		f(&m, &task)
		var p Planner
		return p.Solve(m, &task, 0)
	}
	estimate := func(h pricing.SpotHistory, from, to time.Duration) error {
		var e ChainEstimator
		_, err := e.Estimate(h, from, to)
		return err
	}
	month := calmMonth()
	for _, c := range []struct {
		err      error
		field    string
		sentinel error
	}{
		{solve(func(_ *Market, t *Task) { t.Deadline = 0 }), "Task.Deadline", ErrPast},
		{solve(func(_ *Market, t *Task) { t.Estimate = 0 }), "Task.Estimate", ErrRange},
		{solve(func(m *Market, _ *Task) { m.OnDemand = -1 }), "Market.OnDemand", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Reclaim = 1 }), "Market.Reclaim", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Reclaim = math.NaN() }), "Market.Reclaim", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Step = 7 * time.Minute }), "Market.Spot", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Spot.FreeBefore = 2 * hour }), "Market.Spot", ErrRange},
		{solve(func(m *Market, _ *Task) {
			m.Spot.Meter.Minimum = 90 * time.Second
			m.Spot.Meter.Increment = time.Minute
		}), "Market.Spot", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Spot.Reprice = 0 }), "Market.Spot", ErrRange}, // hours in steps of 10 minutes
		{solve(func(m *Market, _ *Task) { m.Spot.Meter.StartUp = 1 }), "Market.Spot", ErrRange},
		{solve(func(m *Market, t *Task) { t.Deadline, t.Checkpoints.Every = 20000*hour, time.Second }), "PriceChain.Step", ErrRange},
		{solve(func(m *Market, t *Task) { // 2¹⁴ steps with 1 + 4098 values each are just above 2²⁶
			m.Chain.Step, m.Spot.Reprice, m.Spot.Meter, m.Spot.FreeBefore = time.Minute, 0, pricing.Meter{Increment: time.Minute}, 0
			t.Deadline, t.Estimate = (1<<14-1)*time.Minute, 1<<12*time.Minute
		}), "PriceChain.Step", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Step = 0 }), "PriceChain.Step", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Tops = nil }), "PriceChain.Tops", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Prices = nil }), "PriceChain.Prices", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Prices[0]++ }), "PriceChain.Prices", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Move = nil }), "PriceChain.Move", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Move[0] = .9 }), "PriceChain.Move", ErrRange},
		{solve(func(m *Market, _ *Task) { m.Chain.Move[0] = math.NaN() }), "PriceChain.Move", ErrRange},
		{(&PriceChain{Step: 1, Tops: []pricing.Money{2, 2}, Prices: []pricing.Money{1, 1}, Move: []float64{1, 0, 0, 1}}).Validate(), "PriceChain.Tops", ErrRange},
		{(&PriceChain{Step: 1, Tops: []pricing.Money{2, 3}, Prices: []pricing.Money{2, 1}, Move: []float64{1, 0, 0, 1}}).Validate(), "PriceChain.Prices", ErrRange},
		{(&PriceChain{Step: 1, Tops: []pricing.Money{2, 3}, Prices: []pricing.Money{1, 3}, Move: []float64{.5, .5, .5, -1}}).Validate(), "PriceChain.Move[3]", ErrRange},
		{(&PriceChain{Step: 1, Tops: []pricing.Money{2, 3}, Prices: []pricing.Money{1, 3}, Move: []float64{.5, .5, .5, .6}}).Validate(), "PriceChain.Move[2]", ErrRange},
		{estimate(month, -1, hour), "from", ErrRange},
		{estimate(month, hour, 0), "to", ErrRange},
		{estimate(month, hour, hour+10*time.Minute), "to", ErrRange},
	} {
		var in *inputerr.Error
		if !errors.As(c.err, &in) || strings.TrimSuffix(in.Field, "[]") != c.field && !strings.HasPrefix(in.Error(), "spot: "+c.field+": ") || !errors.Is(in, c.sentinel) {
			t.Errorf("%v; want %s, %v", c.err, c.field, c.sentinel)
		}
	}
	for want, err := range map[string]error{
		"2 probabilities for 2 levels: want 4": (&PriceChain{Step: 1, Tops: []pricing.Money{2, 3}, Prices: []pricing.Money{1, 3}, Move: []float64{1, 0}}).Validate(),
		"with 3599 checkpoints and 1 levels,":  solve(func(m *Market, t *Task) { t.Deadline, t.Checkpoints.Every = 20000*hour, time.Second }),
		"65 levels: want 1 to 64":              (&PriceChain{Step: 1, Tops: make([]pricing.Money, 65)}).Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// 64 levels are not too many.
	wide := PriceChain{Step: 1, Move: make([]float64, 64*64)}
	for i := range 64 {
		wide.Tops, wide.Prices = append(wide.Tops, pricing.Money(i)), append(wide.Prices, pricing.Money(i))
		wide.Move[i*64+i] = 1
	}
	if err := wide.Validate(); err != nil {
		t.Error(err)
	}
	if _, err := (&ChainEstimator{Levels: 64}).Estimate(month, 0, hour); err != nil {
		t.Error(err)
	}
	// Errors of package pricing are its own.
	var in *pricing.InputError
	if err := solve(func(m *Market, _ *Task) { m.Spot.Reprice = -1 }); !errors.As(err, &in) || in.Field != "Reprice" {
		t.Error(err)
	}
	if err := solve(func(m *Market, _ *Task) { m.Meter.Increment = 0 }); !errors.As(err, &in) || in.Field != "Increment" {
		t.Error(err)
	}
	if err := solve(func(m *Market, t *Task) { m.OnDemand, t.Estimate, t.Deadline = math.MaxInt64, 3*hour, 9*hour }); !errors.As(err, &in) || !errors.Is(err, pricing.ErrOverflow) {
		t.Error(err)
	}
	if err := estimate(pricing.SpotHistory{}, 0, hour); !errors.As(err, &in) || in.Field != "Times" {
		t.Error(err)
	}
	var p Planner
	if err := p.Solve(paperMarket(210*milli), &task, 0); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"no plan":           func() { new(Planner).Decide(BidState{}) },
		"before the plan":   func() { p.Decide(BidState{Now: -hour}) },
		"negative saved":    func() { p.Decide(BidState{Saved: -1}) },
		"negative elapsed":  func() { p.Decide(BidState{Elapsed: -1, Running: true}) },
		"launched before":   func() { p.Decide(BidState{Elapsed: hour / 2, Running: true}) },
		"before the prices": func() { LowBid(month, -1, 1) },
		"too many levels":   func() { (&ChainEstimator{Levels: 65}).Estimate(month, 0, hour) },
		"no number":         func() { (&ChainEstimator{Prior: math.NaN()}).Estimate(month, 0, hour) },
	} {
		func() {
			defer func() {
				s, _ := recover().(string)
				if !strings.HasPrefix(s, "spot: ") && !strings.HasPrefix(s, "pricing: ") {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			f()
		}()
	}
}

// A refused plan leaves the one before in place.
func TestBidPlannerKeepsItsPlan(t *testing.T) {
	var p Planner
	task := Task{Estimate: time.Hour, Deadline: 8 * time.Hour, Instances: 1}
	m := paperMarket(210 * milli)
	if err := p.Solve(m, &task, 0); err != nil {
		t.Fatal(err)
	}
	before := p.Decide(BidState{})
	bad := m
	bad.OnDemand = -1
	if err := p.Solve(bad, &task, 0); err == nil {
		t.Fatal("no error")
	}
	if after := p.Decide(BidState{}); after != before {
		t.Errorf("%+v, then %+v", before, after)
	}
	if d := p.Decide(BidState{Now: 9 * time.Hour}); !d.Late || d.Action != BidOnDemand {
		t.Errorf("after the deadline: %+v", d)
	}
}

// Bids, chains and plans allocate nothing once warm.
func TestBidsAllocateNothing(t *testing.T) {
	h := spikyHistory(60, 3)
	var e ChainEstimator
	var p Planner
	rnd := rand.New(rand.NewPCG(8, 1))
	run := func(i int) {
		now := time.Duration(30+i) * 24 * time.Hour
		for _, b := range [...]bidder{MediumBid, LowBid} {
			b(h, now, 1300*milli)
		}
		e.Levels, e.Step = 8-i%4, 20*time.Minute
		c, err := e.Estimate(h, now-30*24*time.Hour, now)
		if err != nil {
			t.Fatal(err)
		}
		m := Market{Chain: c, Spot: pricing.EC2SpotHourly, OnDemand: 1300 * milli, Meter: pricing.EC2Hourly, Beside: i%2 == 0}
		task := Task{Estimate: 4 * time.Hour, Latency: 5 * time.Minute, Deadline: time.Duration(24-i%10) * time.Hour, Instances: 4,
			Checkpoints: Checkpoints{Every: time.Hour, Write: time.Minute, Restart: time.Minute}}
		if err := p.Solve(m, &task, 0); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			p.Decide(BidState{Now: time.Duration(rnd.Int64N(int64(20 * time.Hour))), Price: pricing.Money(rnd.Int64N(2000)) * milli})
		}
	}
	run(29) // the most different prices
	for i := range 10 {
		if n := allocs.Once(func() { run(i) }); n != 0 {
			t.Errorf("%v allocations for input %d, want 0", n, i)
		}
	}
}
