package sizing

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// A Sizer sizes runs. The zero value is ready. A Sizer keeps its memory and allocates
// nothing once it suffices, if the estimator does not. It is for one goroutine at a
// time.
type Sizer struct {
	estimates []perfmodel.Estimate
	options   []Size
	one       [1]int
}

// Size chooses a number of processes for the target on instances of the given type: the cheapest
// size with Target.Cheapest, and otherwise the fastest. Of sizes with equal time, Size takes the
// size with the lower cost. Of sizes with equal cost, it takes the size with the shorter time. If
// both are equal, it takes the size with fewer processes. If no size fits, the Verdict of the
// Choice says so, and there is no error.
//
// The error is a *pricing.InputError if the deadline is not positive, the budget is negative, a
// level is out of range, or there are no counts. It can also be that of [InstanceType.Validate],
// that of the estimator, or pricing.ErrOverflow. With an error, the Choice has the verdict
// Unprofiled. Size panics if a count is below 1, or if the number of features is not the profile's.
func (pl *Sizer) Size(e perfmodel.Estimator, in InstanceType, t Target) (Choice, error) {
	plan := Choice{Verdict: Unprofiled}
	limit, err := t.check(&in)
	if err != nil {
		return plan, err
	}
	var o Size
	for start := 0; start < len(t.Counts); start += batch {
		if err := pl.estimate(e, &t, start, true); err != nil {
			return Choice{Verdict: Unprofiled}, err
		}
		for i := range pl.estimates {
			s := &pl.estimates[i]
			if s.Scale > limit {
				plan.Withheld++
				continue
			}
			if err := o.setTimes(s, &t, start+i); err != nil {
				return Choice{Verdict: Unprofiled}, err
			}
			// A size that cannot be chosen by its time needs no price.
			late := o.Upper > t.Deadline
			switch {
			case late && rank(plan.Verdict) < rank(TooLate):
				continue
			case late && plan.Verdict == TooLate && o.Upper > plan.Best.Upper:
				continue
			case !late && plan.Verdict == Fits && !t.Cheapest && o.Time > plan.Best.Time:
				continue
			case !late && plan.Verdict == Fits && t.Cheapest && in.floor(&o) > float64(plan.Best.Cost)*(1+floorMargin):
				continue
			}
			if err := o.setCosts(&in, late || t.Budget > 0); err != nil {
				return Choice{Verdict: Unprofiled}, err
			}
			v := t.verdict(&o)
			if rank(v) < rank(plan.Verdict) || v == plan.Verdict && t.better(v, &o, &plan.Best) {
				plan.Verdict, plan.Best = v, o
			}
		}
	}
	if plan.Verdict == Unprofiled {
		return plan, nil
	}
	if err := plan.Best.setCosts(&in, true); err != nil {
		return Choice{Verdict: Unprofiled}, err
	}
	pl.one[0] = plan.Best.Processes
	q := t.query(pl.one[:])
	if err := e.EstimateTo(pl.estimates[:1], q); err != nil {
		return Choice{Verdict: Unprofiled}, err
	}
	plan.Best.Outside = pl.estimates[0].Outside
	return plan, nil
}

// rank orders verdicts from the best.
func rank(v Verdict) int {
	switch v {
	case Fits:
		return 0
	case TooDear:
		return 1
	case TooLate:
		return 2
	}
	return 3
}

func (t *Target) verdict(o *Size) Verdict {
	switch {
	case o.Upper > t.Deadline:
		return TooLate
	case t.Budget > 0 && o.UpperCost > t.Budget:
		return TooDear
	}
	return Fits
}

// better reports whether a is better than b; both have verdict v.
func (t *Target) better(v Verdict, a, b *Size) bool {
	var c int
	switch {
	case v == TooLate:
		c = cmp.Or(cmp.Compare(a.Upper, b.Upper), cmp.Compare(a.UpperCost, b.UpperCost))
	case v == TooDear:
		c = cmp.Or(cmp.Compare(a.UpperCost, b.UpperCost), cmp.Compare(a.Upper, b.Upper))
	case t.Cheapest:
		c = cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Time, b.Time))
	default:
		c = cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Cost, b.Cost))
	}
	return c < 0 || c == 0 && a.Processes < b.Processes
}

// AppendSizes appends a size for each number of processes that is within the profile or
// Target.MaxScale beyond, in the order of Target.Counts, whether it fits or not. The
// errors and panics are those of [Sizer.Size].
func (pl *Sizer) AppendSizes(dst []Size, e perfmodel.Estimator, in InstanceType, t Target) ([]Size, error) {
	if err := pl.evaluate(e, &in, &t); err != nil {
		return dst, err
	}
	return append(dst, pl.options...), nil
}

// AppendFront appends the sizes that no other size beats in both time and cost, from the shortest
// time and highest cost to the longest time and lowest cost. With Target.Confidence, time and cost
// are Upper and UpperCost. If some size keeps a deadline and a budget, then a size of the front
// keeps them, too. Of sizes with equal time and cost, the front has the size with the least Time,
// then the least Cost, then the fewest processes. The deadline and the budget of t do not limit the
// front. The errors are those of [Sizer.Size], also for an invalid deadline or budget.
func (pl *Sizer) AppendFront(dst []Size, e perfmodel.Estimator, in InstanceType, t Target) ([]Size, error) {
	t.Deadline = max(t.Deadline, 1)
	if err := pl.evaluate(e, &in, &t); err != nil {
		return dst, err
	}
	slices.SortFunc(pl.options, func(a, b Size) int {
		return cmp.Or(cmp.Compare(a.Upper, b.Upper), cmp.Compare(a.UpperCost, b.UpperCost),
			cmp.Compare(a.Time, b.Time), cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Processes, b.Processes))
	})
	for i := range pl.options {
		if i == 0 || pl.options[i].UpperCost < dst[len(dst)-1].UpperCost {
			dst = append(dst, pl.options[i])
		}
	}
	return dst, nil
}

// evaluate fills pl.options.
func (pl *Sizer) evaluate(e perfmodel.Estimator, in *InstanceType, t *Target) error {
	limit, err := t.check(in)
	if err != nil {
		return err
	}
	pl.options = grow.To(pl.options, len(t.Counts))[:0]
	for start := 0; start < len(t.Counts); start += batch {
		if err := pl.estimate(e, t, start, false); err != nil {
			return err
		}
		for i := range pl.estimates {
			s := &pl.estimates[i]
			if s.Scale > limit {
				continue
			}
			o := Size{Outside: s.Outside}
			if err := o.setTimes(s, t, start+i); err != nil {
				return err
			}
			if err := o.setCosts(in, true); err != nil {
				return err
			}
			pl.options = append(pl.options, o)
		}
	}
	return nil
}

// check returns how far the choice may go beyond the profile, or what is wrong.
func (t *Target) check(in *InstanceType) (limit float64, err error) {
	switch {
	case t.Deadline <= 0:
		return 0, badInput("Target.Deadline", -1, perfmodel.ErrNotPositive, "%v: want a positive span", t.Deadline)
	case t.Budget < 0:
		return 0, badInput("Target.Budget", -1, perfmodel.ErrRange, "%v: want 0 for no limit, or more", t.Budget)
	case t.Confidence != 0 && !(t.Confidence >= 0.5 && t.Confidence < 1):
		return 0, badInput("Target.Confidence", -1, perfmodel.ErrRange, "%v: want 0, or a probability from 0.5 to below 1", t.Confidence)
	case t.MaxScale != 0 && !(t.MaxScale > 0):
		return 0, badInput("Target.MaxScale", -1, perfmodel.ErrRange, "%v: want 0 for the default, or a positive number", t.MaxScale)
	case len(t.Counts) == 0:
		return 0, badInput("Target.Counts", -1, perfmodel.ErrMissing, "0 numbers of processes: want at least one to choose from")
	}
	if err := in.Validate(); err != nil {
		return 0, err
	}
	limit = t.MaxScale
	if limit == 0 {
		limit = 1
	}
	// Scale is a product with the reciprocal of the largest profiled number.
	return limit * (1 + 0x1p-50), nil
}

// batch is how many numbers of processes are estimated at a time: few enough for the
// estimates to stay in a processor's first cache.
const batch = 256

// query asks for the given numbers of processes.
func (t *Target) query(counts []int) perfmodel.Query {
	q := perfmodel.Query{Features: t.Features, Processes: counts}
	if t.Confidence > 0.5 {
		q.Level = 2*t.Confidence - 1
	}
	return q
}

// estimate fills pl.estimates for the batch of t.Counts that begins at start.
func (pl *Sizer) estimate(e perfmodel.Estimator, t *Target, start int, brief bool) error {
	counts := t.Counts[start:min(start+batch, len(t.Counts))]
	q := t.query(counts)
	q.Brief = brief
	pl.estimates = grow.To(pl.estimates, len(counts))
	err := e.EstimateTo(pl.estimates, q)
	if err != nil && start > 0 {
		// The whole once more, so that the index in the error counts from the first
		// number.
		q.Processes = t.Counts
		if whole := e.EstimateTo(make([]perfmodel.Estimate, len(t.Counts)), q); whole != nil {
			return whole
		}
	}
	return err
}

// setTimes sets the processes and times of o.
func (o *Size) setTimes(s *perfmodel.Estimate, t *Target, index int) error {
	o.Processes = s.Processes
	var err error
	if o.Time, err = duration(s.Seconds, index); err != nil {
		return err
	}
	o.Upper = o.Time
	if t.Confidence > 0.5 {
		o.Upper, err = duration(s.Upper, index)
	}
	return err
}

// setCosts sets the instances and the cost of o, and, if upper, UpperCost.
func (o *Size) setCosts(in *InstanceType, upper bool) error {
	o.Instances = in.Count(o.Processes)
	var err error
	if o.Cost, err = in.cost(o.Instances, o.Time); err != nil {
		return err
	}
	o.UpperCost = o.Cost
	if upper && o.Upper != o.Time {
		o.UpperCost, err = in.cost(o.Instances, o.Upper)
	}
	return err
}

// longest is the longest time that a meter can round up.
const longest = 200 * 365 * 24 * time.Hour

// duration returns seconds as a Duration, rounded up.
func duration(seconds float64, index int) (time.Duration, error) {
	ns := seconds * 1e9
	if ns <= float64(longest) {
		whole := time.Duration(ns)
		if float64(whole) < ns {
			whole++
		}
		return whole, nil
	}
	if math.IsInf(seconds, 1) {
		return 0, badInput("Target.Confidence", index, perfmodel.ErrFewRows, "the profile has no more runs than the model has coefficients, so intervals have no end: want more runs, or a confidence of 0.5")
	}
	return 0, badInput("Target.Counts[]", index, perfmodel.ErrOverflow, "%v seconds, and the model does not hold beyond 200 years: want another number of processes", seconds)
}
