package rules

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// The online portfolio, [Niu16] section 5.2.2.
//
// A demand arrives week by week, and reservations of several classes cannot be given
// back. Keep the cost low. At the end of each interval, the portfolio
//
//  1. drops the reservations that have expired,
//  2. forecasts the mean demand of every interval up to the longest term,
//  3. turns each mean into a demand,
//  4. solves the offline problem for that demand, with the reservations held,
//  5. buys the purchases of the solution for now, and forgets the others.
//
// The paper does not say how a mean becomes the use of single instances. This file
// takes the shape of recent demand. Let d_t be the demand in the slots of the last W
// intervals, and m their mean. The load-duration curve is the d_t in falling order, cut
// into K parts of equal length. The shape s_b is the mean of part b over m, so Σ s_b = K.
// An interval with the forecast mean f has the demands f·s_b, each for one part of the
// interval. So if one instance was used for a share of the time at the mean m, two
// instances are used for that share at the mean 2m: growth makes more of the same.
// Within an interval the order of slots does not matter, only the number of slots with a
// demand of at least j. So parts can stand for slots.
//
// Demands are whole numbers. The rounding error carries over from part to part and from
// interval to interval, so the instance-slots of a forecast are kept within a half.
//
// Invariants: purchases never exceed a cap; the sums over the parts are the forecasts,
// within half an instance-part; the state is a function of the demands seen, whatever
// planners and forecasters keep in their memory.
//
// Let L be the slots of an interval and M the intervals of the longest term. An interval
// takes the planner's time for K·M slots and O(W·L·log(W·L) + K·M) more. It takes the
// planner's memory and O(W·L + K·M) more.

// defaultWindow is the number of intervals of the load-duration curve: a year of weeks.
const defaultWindow = 52

// Online is the online portfolio of [Niu16] section 5.2.2. Online sees the demand interval by
// interval. It buys reservations of any number of classes and terms for the demand that a
// forecaster expects. No bound on its cost is known, and without a hypothesis on the forecast there
// is none. After the fact, compare the portfolio's [reserve.Cost] with the plan of [reserve.Exact].
//
// Set the fields, call Reset, and then Observe at the end of each interval. Do not change the
// fields afterwards. Only one goroutine at a time may use an Online.
type Online struct {
	// Forecaster forecasts the mean demand of the intervals to come. The field is required. Give
	// Reset a new Forecaster each time. Update takes the mean number of instances in the interval
	// that has passed, or NaN if the number is not known. Forecast sets dst[i] to the mean that it
	// expects i+1 intervals ahead; negative means count as 0. A forecaster may have more methods:
	//
	//	Validate() error                   Reset calls it: what is wrong with the parameters
	//	Ready() bool                       nothing is bought before it returns true
	//	Quantile(dst []float64, q float64) for Online.Quantile: the mean exceeds dst[i] with
	//	                                   probability 1-q
	//	TrackingSignal() float64           for Online.Alarm
	//	Paths(dst [][]float64, rng *rand.Rand)
	//	                                   for Online.Paths: each dst[i] is a future of the mean
	//
	// *forecast.Predictor of this module has all of these methods. [Online.MarshalJSON] includes
	// the JSON form of the forecaster.
	Forecaster interface {
		Update(x float64)
		Forecast(dst []float64)
	}
	Planner reserve.Planner // nil is Exact; [SEC] is the paper's
	Window  int             // intervals of the load-duration curve, 0 is 52, a year of weeks

	// Risk controls.

	// Quantile, if not 0, is the quantile of the forecast to plan for, in the place of the
	// forecast itself. A quantile below .5 makes a cautious plan, and more so for later
	// intervals.
	Quantile float64
	// Paths, if not 0, is the number of futures of the mean to plan for, in the place of the
	// forecast. The forecaster draws new futures in each interval, from Seed and the number
	// of the interval. The plan is then best on average over the futures.
	Paths int
	Seed  uint64
	// Alarm, if not 0, stops purchases while the magnitude of the tracking signal is above it.
	Alarm float64
	// Premium makes long terms dearer for the planner, and for the planner alone: the fee of
	// a class grows by Premium·(term/shortest term of the list − 1) of itself. With .5, a
	// three-year class counts twice its fee beside one-year classes.
	Premium float64
	// Caps, if not nil, has for each class how many of its reservations are active at once at
	// most, 0 for no cap. If a class is full, other classes may be bought instead. MaxBuy and
	// AtMost of the problem cap purchases: if they delay a purchase, the next interval may make it.
	Caps []int

	exact  reserve.Exact
	slot   time.Duration
	every  int
	prices pricing.List    // that are planned with: rounded terms; a full class has a prohibitive fee
	fees   []pricing.Money // in prices
	walls  []pricing.Money // prohibitive
	terms  []int           // slots, the true ones
	most   int             // reserve.Problem.MaxActive
	buy    int             // reserve.Problem.MaxBuy
	atMost []int           // reserve.Problem.AtMost, empty if there is none
	sale   []int           // the same with NoCap for all classes that are for sale
	part   time.Duration   // a planning slot
	k      int             // parts of an interval
	ahead  int             // intervals of the longest term

	seen   int               // intervals
	recent []int             // demand of the last Window intervals that were known
	active []pricing.Holding // Until counts from the first slot of all

	means   []float64
	futures [][]float64 // by path and interval
	values  []float64   // demands of the parts of an interval on all paths
	source  rand.PCG
	rng     *rand.Rand
	sorted  []int
	shape   []float64
	demand  []int
	held    []pricing.Holding
	want    []int
	plan    []pricing.Purchase
	problem reserve.Problem
}

// Reset begins a new series. Of p it takes Slot, Every (the interval), Prices, Held,
// MaxBuy, AtMost and MaxActive; Demand is what is to come, and Horizon, Closed are not used.
// The error is a *reserve.InputError, as that of [reserve.Planner]; the portfolio is then not
// ready.
func (o *Online) Reset(p *reserve.Problem) error {
	o.every = 0
	q := reserve.Problem{Slot: p.Slot, Prices: p.Prices, Every: p.Every, Held: p.Held, MaxBuy: p.MaxBuy, AtMost: p.AtMost, MaxActive: p.MaxActive}
	if err := q.Validate(); err != nil {
		return err
	}
	if err := o.check(len(p.Prices.Classes)); err != nil {
		return err
	}
	if c, ok := o.Forecaster.(validator); ok {
		if err := c.Validate(); err != nil {
			return &inputerr.Error{Package: "rules", Field: "Forecaster", Index: -1, Err: err}
		}
	}
	every := max(1, p.Every)
	if every > math.MaxInt32 || int64(p.Slot) > math.MaxInt64/int64(every) {
		return badInput("Every", -1, reserve.ErrRange, "%d slots of %v: the interval is too long", every, p.Slot)
	}
	o.slot = p.Slot
	o.buy, o.most = p.MaxBuy, p.MaxActive
	o.atMost, o.sale = append(o.atMost[:0], p.AtMost...), o.sale[:0]
	for _, count := range p.AtMost { // what a cap delays is wanted again: it is applied at the end
		if count > 0 {
			count = reserve.NoCap
		}
		o.sale = append(o.sale, count)
	}
	o.terms = o.terms[:0]
	for _, c := range p.Prices.Classes {
		o.terms = append(o.terms, int(c.Term/p.Slot))
	}
	if err := o.price(p.Prices, p.Slot*time.Duration(every)); err != nil {
		return err
	}
	o.seen, o.recent, o.active = 0, o.recent[:0], o.active[:0]
	for _, h := range p.Held {
		o.hold(h)
	}
	o.every = every
	return nil
}

// check returns what is wrong with the fields.
func (o *Online) check(classes int) error {
	switch {
	case o.Forecaster == nil:
		return badInput("Forecaster", -1, reserve.ErrRange, "there is none")
	case o.Window < 0:
		return badInput("Window", -1, reserve.ErrRange, "%d: want a number of intervals, or 0 for %d", o.Window, defaultWindow)
	case !(o.Quantile >= 0 && o.Quantile < 1):
		return badInput("Quantile", -1, reserve.ErrRange, "%v: want one between 0 and 1, or 0 for the forecast itself", o.Quantile)
	case o.Paths < 0 || o.Paths > mostPaths:
		return badInput("Paths", -1, reserve.ErrRange, "%d: want 0 to %d futures", o.Paths, mostPaths)
	case o.Paths > 0 && o.Quantile > 0:
		return badInput("Quantile", -1, reserve.ErrRange, "%v: it is there beside %d paths: want one of Quantile and Paths", o.Quantile, o.Paths)
	case !(o.Alarm >= 0 && o.Alarm <= 1):
		return badInput("Alarm", -1, reserve.ErrRange, "%v: want a magnitude of at most 1, or 0 for none", o.Alarm)
	case !(o.Premium >= 0 && o.Premium <= 1000):
		return badInput("Premium", -1, reserve.ErrRange, "%v: want 0 to 1000", o.Premium)
	case o.Caps != nil && len(o.Caps) != classes:
		return badInput("Caps", -1, reserve.ErrRange, "%d caps: want one for each of the %d classes", len(o.Caps), classes)
	}
	for k, c := range o.Caps {
		if c < 0 {
			return badInput("Caps", k, reserve.ErrRange, "%d active: want a cap, or 0 for none", c)
		}
	}
	if _, ok := o.Forecaster.(quantiler); !ok && o.Quantile > 0 {
		return badInput("Quantile", -1, reserve.ErrUnsupported, "%v: the forecaster has no quantiles, want 0", o.Quantile)
	}
	if _, ok := o.Forecaster.(pather); !ok && o.Paths > 0 {
		return badInput("Paths", -1, reserve.ErrUnsupported, "%d: the forecaster draws no paths, want 0", o.Paths)
	}
	if _, ok := o.Forecaster.(signaller); !ok && o.Alarm > 0 {
		return badInput("Alarm", -1, reserve.ErrUnsupported, "%v: the forecaster has no tracking signal, want 0", o.Alarm)
	}
	return nil
}

// price prepares what to plan with: parts, the fewest that divide the interval, but no
// fewer than parts if it has as many nanoseconds; and the prices.
func (o *Online) price(list pricing.List, interval time.Duration) error {
	for o.k = parts; interval%time.Duration(o.k) != 0; o.k++ {
		if o.k >= int(min(interval, 1<<20)) { // an interval of a few nanoseconds, or of a prime number of them
			o.k = 1
			break
		}
	}
	o.part = interval / time.Duration(o.k)
	o.prices = pricing.List{OnDemand: list.OnDemand, Classes: append(o.prices.Classes[:0], list.Classes...)}
	o.fees, o.walls, o.ahead = o.fees[:0], o.walls[:0], 0
	shortest := slices.Min(append([]int{math.MaxInt}, o.terms...))
	for k := range o.prices.Classes {
		c := &o.prices.Classes[k]
		n := max(1, nearest(c.Term, interval))
		if int64(n) > math.MaxInt64/int64(interval) {
			return badInput("Prices.Classes[].Term", k, reserve.ErrTerm, "%s has a term of %v: too long for intervals of %v", c.Name, c.Term, interval)
		}
		o.ahead = max(o.ahead, n)
		// A fee is a whole amount for each part of its term. Other fees would make the unit
		// of exact planning a fraction of a nano that differs from class to class.
		slots := int64(n) * int64(o.k)
		fee, err := c.Upfront.Prorate(o.part, c.Term, pricing.HalfEven)
		wall := pricing.Money(0)
		if err == nil {
			wall, err = list.OnDemand.Over(o.part, pricing.HalfEven)
		}
		if more := o.Premium * (float64(o.terms[k])/float64(shortest) - 1); more > 0 && err == nil {
			whole := float64(fee)
			if c.Billed == pricing.Always {
				whole += float64(c.Hourly) * o.part.Hours()
			}
			if extra := whole * more; extra < math.MaxInt64/4 {
				fee, err = fee.Add(pricing.Money(extra))
			} else {
				err = reserve.ErrOverflow
			}
		}
		if err == nil {
			fee, err = fee.Mul(slots)
		}
		if err == nil {
			wall, err = wall.Add(1)
		}
		if err == nil {
			wall, err = wall.Mul(slots)
		}
		if err != nil {
			return badInput("Prices.Classes[]", k, reserve.ErrOverflow, "a reservation of %s costs too much", c.Name)
		}
		c.Term = interval * time.Duration(n) // and Upfront is that of fees or of walls
		o.fees = append(o.fees, fee)
		o.walls = append(o.walls, max(wall, fee))
	}
	return nil
}

// nearest returns how many intervals a span comes to, halves rounded up.
func nearest(span, interval time.Duration) int {
	n := int(span / interval)
	if rest := span % interval; rest >= interval-rest {
		n++
	}
	return n
}

// Observe takes the demand in the slots of the interval that has passed, or nil if that demand is
// not known. Observe appends to dst the purchases to make now, at the beginning of the next
// interval. The purchases are sorted by class, at most one for each class. The Slot of a purchase
// is the first slot of the next interval. Observe neither keeps nor modifies demand.
//
// The error is a *reserve.InputError. If an element of demand is negative or above [math.MaxInt32],
// the interval does not count as observed. The interval counts as observed, and nothing is bought,
// if a forecast is not a number or is above math.MaxInt32 instances, or if the planner fails.
//
// Observe panics before a Reset that succeeded, and if the length of demand is not that of an
// interval. Observe allocates nothing once it has seen a whole window and made a plan.
func (o *Online) Observe(dst []pricing.Purchase, demand []int) ([]pricing.Purchase, error) {
	if err := o.Learn(demand); err != nil {
		return dst, err
	}
	if !o.ready() {
		return dst, nil
	}
	if err := o.foresee(); err != nil {
		return dst, err
	}
	return o.purchase(dst)
}

// Learn takes an interval as [Online.Observe] does, and buys nothing. Use Learn for the
// history before the portfolio began. Panics and errors are those of Observe, but for
// planning.
func (o *Online) Learn(demand []int) error {
	if o.every == 0 {
		panic("rules: Observe before a Reset that succeeded")
	}
	if demand != nil && len(demand) != o.every {
		panic("rules: Observe: demand is not that of an interval")
	}
	for t, d := range demand {
		if d < 0 || d > math.MaxInt32 {
			return badInput("demand", t, reserve.ErrRange, "%d: want 0 to %d instances", d, math.MaxInt32)
		}
	}
	o.seen++
	now := o.seen * o.every
	o.active = slices.DeleteFunc(o.active, func(h pricing.Holding) bool { return h.Until <= now })
	if demand == nil {
		o.Forecaster.Update(math.NaN())
		return nil
	}
	sum := 0.0
	for _, d := range demand {
		sum += float64(d)
	}
	o.Forecaster.Update(sum / float64(o.every))
	if len(o.recent)/o.every >= o.window() {
		o.recent = append(o.recent[:0], o.recent[o.every:]...)
	}
	o.recent = append(o.recent, demand...)
	return nil
}

// purchase plans, and appends the purchases of the first slot to dst. If a plan wants more of a
// class than Caps leaves, purchase buys as many as Caps leaves, gives the class a prohibitive fee,
// and plans again for the rest. There is therefore at most one plan more than there are classes.
//
// purchase applies MaxBuy and AtMost after planning, because these caps only delay a purchase. In a
// plan they would move the need to other classes. purchase applies MaxActive to the plan and again
// after planning. The plan rounds ends of reservations to whole intervals: a reservation with less
// than half an interval to go is active, but not in the plan.
func (o *Online) purchase(dst []pricing.Purchase) ([]pricing.Purchase, error) {
	planner := o.Planner
	if planner == nil {
		planner = &o.exact
	}
	classes := o.prices.Classes
	o.want = grow.Zero(o.want, len(classes))
	for k := range classes {
		classes[k].Upfront = o.fees[k]
		if o.room(k) == 0 {
			classes[k].Upfront = o.walls[k]
		}
	}
	for again := true; again; {
		again = false
		o.stock()
		o.problem.Demand, o.problem.Slot, o.problem.Every = o.demand, o.part, o.k
		o.problem.Prices, o.problem.Held = o.prices, o.held
		o.problem.MaxActive, o.problem.Horizon = o.most, reserve.Pure
		if o.problem.AtMost = nil; len(o.sale) > 0 {
			o.problem.AtMost = o.sale
		}
		if o.most > 0 { // held ones may be more: then none is bought
			sum := 0
			for _, h := range o.held {
				sum += h.Count
			}
			o.problem.MaxActive = max(o.most, sum)
		}
		var err error
		if o.plan, err = planner.AppendPlan(o.plan[:0], &o.problem); err != nil {
			return dst, err
		}
		for _, q := range o.plan {
			if q.Slot > 0 {
				break
			}
			room := o.room(q.Class)
			if q.Count >= room && room > 0 {
				classes[q.Class].Upfront = o.walls[q.Class]
				again = again || q.Count > room
			}
			o.want[q.Class] += min(q.Count, room)
		}
	}
	now, left := o.seen*o.every, math.MaxInt32
	if o.most > 0 {
		left = o.most
		for _, h := range o.active {
			left = max(0, left-h.Count)
		}
	}
	for k, count := range o.want {
		count = min(count, left)
		if o.buy > 0 {
			count = min(count, o.buy)
		}
		if len(o.atMost) > 0 && o.atMost[k] > 0 {
			count = min(count, o.atMost[k])
		}
		if count > 0 {
			left -= count
			dst = append(dst, pricing.Purchase{Slot: now, Class: k, Count: count})
			o.hold(pricing.Holding{Class: k, Count: count, Until: now + o.terms[k]})
		}
	}
	return dst, nil
}

// Advance takes the demand from the start of the series to now, and appends to dst the purchases to
// make now, as [Online.Observe] does. Advance learns every whole interval that o has not seen.
// Advance buys only at the end of the last whole interval. A program that runs once a week restores
// last week's state with UnmarshalJSON, and calls Advance with its whole demand.
//
// Advance does not use the slots of an interval that has not ended. If no interval has ended since
// the last call, Advance buys nothing. Advance does not check that the demand of intervals that o
// has seen is unchanged.
//
// Panics and errors are those of Observe. After an error, [Online.Seen] tells which interval, from
// 0, is to blame. If the demand of interval i is out of range, Seen returns i. If the forecast or
// the plan after interval i fails, Seen returns i+1.
func (o *Online) Advance(dst []pricing.Purchase, demand []int) ([]pricing.Purchase, error) {
	if o.every == 0 {
		panic("rules: Advance before a Reset that succeeded")
	}
	for last := len(demand)/o.every - 1; o.seen <= last; {
		interval := demand[o.seen*o.every : (o.seen+1)*o.every]
		if o.seen == last {
			return o.Observe(dst, interval)
		}
		if err := o.Learn(interval); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// Seen returns how many intervals o has seen since Reset.
func (o *Online) Seen() int { return o.seen }
