package perfmodel

// How many processes, and so how many instances? Eq. (5) of [Huang13] prices a run,
//
//	cost = c_unit · ⌈P/ppn⌉ · ⌈T⌉,
//
// where ⌈T⌉ is what the meter charges for T: whole hours in the paper. A [Sizer]
// predicts T for each P of a range. Among the sizes that meet deadline and budget, it
// takes the size of least time (section II.B) or of least cost (the introduction). The
// result is exact for the estimates given, because every P of the range is looked at.
// Time: O(n) for n numbers of processes, beyond the estimates, and O(n log n) for the
// front.
//
// Numbers of processes beyond the profile are not looked at unless Target.MaxScale
// allows them. The models are straight lines or parabolas in log P: beyond the measured
// numbers they promise a speedup that nobody has seen. [Huang13] section III.A bought
// 128 processes for LU on a profile to 32, at three times the cost. [Sizing.Withheld]
// says how many numbers were left out.

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// An InstanceType is a type of instance that can be rented.
type InstanceType struct {
	Name         string
	ComputeUnits float64       // what the provider calls its speed, > 0
	Processes    int           // MPI processes that run on one, ppn ≥ 1
	Hourly       pricing.Money // ≥ 0
	Meter        pricing.Meter
}

// Huang13InstanceTypes returns the four instance types of Table III in [Huang13], at
// Amazon EC2's prices on demand of February 2013 in US dollars, charged by the hour
// begun. The caller may change the slice.
func Huang13InstanceTypes() []InstanceType {
	const cent = 10_000_000 // in nanos
	return []InstanceType{
		{"m1.small", 1, 1, 6 * cent, pricing.EC2Hourly},
		{"m1.medium", 2, 1, 12 * cent, pricing.EC2Hourly},
		{"m1.large", 4, 2, 24 * cent, pricing.EC2Hourly},
		{"cc1.4xlarge", 33.5, 16, 130 * cent, pricing.EC2Hourly},
	}
}

// FindInstanceType returns the instance type with the given name, or an [*InputError]
// that unwraps to [ErrUnknown].
func FindInstanceType(instances []InstanceType, name string) (InstanceType, error) {
	for _, i := range instances {
		if i.Name == name {
			return i, nil
		}
	}
	return InstanceType{}, badInput("instance", -1, ErrUnknown, "%q: want the name of an instance type of the list", name)
}

// CheapestPerUnit returns the index of the instance type with the least price per
// compute unit, as [Huang13] section III chooses; ties go to the first. The error is
// that of [InstanceType.Validate], or ErrMissing if there are no types.
func CheapestPerUnit(instances []InstanceType) (int, error) {
	best := -1
	for i := range instances {
		if err := instances[i].Validate(); err != nil {
			return -1, err
		}
		if best < 0 || float64(instances[i].Hourly)*instances[best].ComputeUnits < float64(instances[best].Hourly)*instances[i].ComputeUnits {
			best = i
		}
	}
	if best < 0 {
		return -1, badInput("instances", -1, ErrMissing, "0 instance types: want at least one")
	}
	return best, nil
}

// Validate returns an [*InputError] about the first thing that is wrong.
func (i *InstanceType) Validate() error {
	switch {
	case !(i.ComputeUnits > 0) || math.IsInf(i.ComputeUnits, 0):
		return badInput("InstanceType.ComputeUnits", -1, ErrNotPositive, "%s has %v: want a positive number", i.Name, i.ComputeUnits)
	case i.Processes < 1:
		return badInput("InstanceType.Processes", -1, ErrRange, "%s runs %d processes: want at least 1", i.Name, i.Processes)
	case i.Hourly < 0:
		return badInput("InstanceType.Hourly", -1, ErrRange, "%s costs %v: want 0 or more", i.Name, i.Hourly)
	}
	if err := i.Meter.Validate(); err != nil {
		return badInput("InstanceType.Meter", -1, err, "want a meter that can be used for %s", i.Name)
	}
	return nil
}

// Count returns how many instances P processes need, ⌈P/ppn⌉. It panics if P or the
// instance type's Processes is below 1.
func (i *InstanceType) Count(processes int) int {
	if processes < 1 {
		panic("perfmodel: number of processes below 1")
	}
	if i.Processes < 1 {
		panic("perfmodel: InstanceType.Processes below 1")
	}
	return (processes-1)/i.Processes + 1
}

// Cost returns Eq. (5), the cost of running P processes for the given time. The error is
// that of [InstanceType.Validate] or pricing.ErrOverflow. It panics if P is below 1, and
// where [pricing.Meter.Cost] does.
func (i *InstanceType) Cost(processes int, t time.Duration) (pricing.Money, error) {
	if err := i.Validate(); err != nil {
		return 0, err
	}
	return i.cost(i.Count(processes), t)
}

func (i *InstanceType) cost(instances int, t time.Duration) (pricing.Money, error) {
	one, err := i.Meter.Cost(i.Hourly, t)
	if err != nil {
		return 0, err
	}
	return one.Mul(int64(instances))
}

// floor returns a lower bound on what o.Time costs: the price of the time that is
// charged, less the half nano per instance that rounding may take off, without a fee for
// the start. It is a product of few float64, off by less than a share of floorMargin.
func (i *InstanceType) floor(o *Size) float64 {
	n := float64(i.Count(o.Processes))
	return n * (float64(i.Hourly)*(float64(i.Meter.Charged(o.Time))*(1/float64(time.Hour))) - 1)
}

const floorMargin = 1e-12

// AppendCounts appends the numbers of processes from low to high that a program of
// the given kind runs on, in ascending order. It panics unless 1 ≤ low, and if there are
// more than 2²⁴ such numbers.
func AppendCounts(dst []int, c Counts, low, high int) []int {
	if low < 1 {
		panic("perfmodel: number of processes below 1")
	}
	const most = 1 << 24
	tooMany := func() { panic("perfmodel: more than 1<<24 numbers of processes") }
	switch c {
	case Squares:
		first := max(1, int(math.Sqrt(float64(low)))-1) // a root of 2⁵³ or more may be off by 1
		for first <= math.MaxInt/first && first*first < low {
			first++
		}
		if last := int(math.Sqrt(float64(max(0, high)))); last-first >= most {
			tooMany()
		}
		for k := first; k <= high/k; k++ {
			dst = append(dst, k*k)
		}
	case PowersOfTwo:
		for n := 1; n <= high; n *= 2 {
			if n >= low {
				dst = append(dst, n)
			}
			if n > math.MaxInt/2 {
				return dst
			}
		}
	case AnyCount:
		if high < low {
			break
		}
		if high-low >= most {
			tooMany()
		}
		for i := range high - low + 1 {
			dst = append(dst, low+i)
		}
	default:
		panic("perfmodel: unknown kind of process counts")
	}
	return dst
}

// A Goal says what to minimise.
type Goal uint8

const (
	LeastTime Goal = iota // [Huang13] section II.B
	LeastCost             // [Huang13] section I
)

var goals = enum.New[Goal]("perfmodel", "Goal", ErrUnknown, "least_time", "least_cost")

// String returns "least_time" or "least_cost", or Goal(n) for a value n that has no
// name.
func (g Goal) String() string { return goals.String(g) }

// MarshalText returns the text that String returns. A value that has no name is an
// [*InputError].
func (g Goal) MarshalText() ([]byte, error) { return goals.MarshalText(g) }

// UnmarshalText reads a name. Any other text is an [*InputError], and g is
// unchanged.
func (g *Goal) UnmarshalText(text []byte) error { return goals.UnmarshalText(g, text) }

// A Target is a run to size: its input, and what the run must keep.
type Target struct {
	Features []float64     // as the profile names them
	Deadline time.Duration // > 0: for how long the run may take
	Budget   pricing.Money // > 0, or 0 for none
	Goal     Goal

	// Counts are the numbers of processes to choose from, in any order. See
	// [AppendCounts].
	Counts []int

	// Confidence, if not 0, is the probability in [0.5, 1) with which the run must keep
	// within the deadline and within the budget. The upper end of an interval of level
	// 2·Confidence − 1 must then keep within them. With 0, the predicted median must,
	// which half of all runs exceed.
	Confidence float64

	// MaxScale is how far beyond the largest profiled number of processes a choice may
	// go, as a factor; 0 stands for 1, not at all.
	MaxScale float64
}

// A Size is a number of processes, with its time and cost.
type Size struct {
	Processes int
	Instances int
	Time      time.Duration // predicted, rounded up to the nanosecond
	Upper     time.Duration // within which the run stays with the probability Target.Confidence; Time without
	Cost      pricing.Money // of Time
	UpperCost pricing.Money // of Upper
	Outside   Extrapolation // what is furthest outside of the profile
}

// A Verdict says whether a size keeps what the target asks for.
type Verdict uint8

const (
	Fits       Verdict = iota // deadline and budget are met
	TooLate                   // no number of processes meets the deadline
	TooDear                   // some meet the deadline, none of those the budget
	Unprofiled                // no number of processes lies within the profile
)

var verdicts = enum.New[Verdict]("perfmodel", "Verdict", ErrUnknown, "fits", "too_late", "too_dear", "unprofiled")

// String returns "fits", "too_late", "too_dear" or "unprofiled", or Verdict(n) for a
// value n that has no name.
func (v Verdict) String() string { return verdicts.String(v) }

// MarshalText returns the text that String returns. A value that has no name is an
// [*InputError].
func (v Verdict) MarshalText() ([]byte, error) { return verdicts.MarshalText(v) }

// UnmarshalText reads a name. Any other text is an [*InputError], and v is
// unchanged.
func (v *Verdict) UnmarshalText(text []byte) error { return verdicts.UnmarshalText(v, text) }

// A Sizing is the size chosen for a target.
type Sizing struct {
	Verdict Verdict
	// Best is the size chosen. If nothing fits, Best comes nearest: the least Upper if
	// all sizes are too late, the least UpperCost among the sizes in time if all are too
	// dear. It is the zero value if no number is within the profile.
	Best Size
	// Withheld is how many of Target.Counts were not looked at, because they go further
	// beyond the profile than Target.MaxScale.
	Withheld int
}

// A Sizer sizes runs. The zero value is ready. A Sizer keeps its memory and allocates
// nothing once it suffices, if the estimator does not. It is for one goroutine at a
// time.
type Sizer struct {
	estimates []Estimate
	options   []Size
	one       [1]int
}

// Size chooses a number of processes for the target on instances of the given type. Ties
// in time go to the lower cost, ties in cost to the shorter time, then to fewer
// processes. That nothing fits is a Verdict, not an error.
//
// The error is an [*InputError] for a deadline that is not positive, a negative budget,
// a level out of range or no counts; that of [InstanceType.Validate]; that of the
// estimator; or pricing.ErrOverflow. The Sizing that comes with an error has the verdict
// Unprofiled. It panics if a count is below 1, or if the number of features is not the
// profile's.
func (pl *Sizer) Size(e Estimator, in InstanceType, t Target) (Sizing, error) {
	plan := Sizing{Verdict: Unprofiled}
	limit, err := t.check(&in)
	if err != nil {
		return plan, err
	}
	var o Size
	for start := 0; start < len(t.Counts); start += batch {
		if err := pl.estimate(e, &t, start, true); err != nil {
			return Sizing{Verdict: Unprofiled}, err
		}
		for i := range pl.estimates {
			s := &pl.estimates[i]
			if s.Scale > limit {
				plan.Withheld++
				continue
			}
			if err := o.setTimes(s, &t, start+i); err != nil {
				return Sizing{Verdict: Unprofiled}, err
			}
			// A size that cannot be chosen by its time needs no price.
			late := o.Upper > t.Deadline
			switch {
			case late && rank(plan.Verdict) < rank(TooLate):
				continue
			case late && plan.Verdict == TooLate && o.Upper > plan.Best.Upper:
				continue
			case !late && plan.Verdict == Fits && t.Goal == LeastTime && o.Time > plan.Best.Time:
				continue
			case !late && plan.Verdict == Fits && t.Goal == LeastCost && in.floor(&o) > float64(plan.Best.Cost)*(1+floorMargin):
				continue
			}
			if err := o.setCosts(&in, late || t.Budget > 0); err != nil {
				return Sizing{Verdict: Unprofiled}, err
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
		return Sizing{Verdict: Unprofiled}, err
	}
	pl.one[0] = plan.Best.Processes
	q := t.query(pl.one[:])
	if err := e.EstimateTo(pl.estimates[:1], q); err != nil {
		return Sizing{Verdict: Unprofiled}, err
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
	case t.Goal == LeastCost:
		c = cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Time, b.Time))
	default:
		c = cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Cost, b.Cost))
	}
	return c < 0 || c == 0 && a.Processes < b.Processes
}

// AppendSizes appends a size for each number of processes that is within the profile or
// Target.MaxScale beyond, in the order of Target.Counts, whether it fits or not. The
// errors and panics are those of [Sizer.Size].
func (pl *Sizer) AppendSizes(dst []Size, e Estimator, in InstanceType, t Target) ([]Size, error) {
	if err := pl.evaluate(e, &in, &t); err != nil {
		return dst, err
	}
	return append(dst, pl.options...), nil
}

// AppendFront appends the sizes that no other size beats in both time and cost, in the
// order of ascending time and descending cost. For every deadline and every budget that
// can be kept, one of them is best. With Target.Confidence, time and cost are Upper and
// UpperCost: for every deadline and budget that can be kept, the front has a size that
// keeps both. Of sizes equal in both, the front has the one with the lesser Time, then
// Cost, then the fewest processes. Deadline and budget are ignored. The errors are those
// of [Sizer.Size].
func (pl *Sizer) AppendFront(dst []Size, e Estimator, in InstanceType, t Target) ([]Size, error) {
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
func (pl *Sizer) evaluate(e Estimator, in *InstanceType, t *Target) error {
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
		return 0, badInput("Target.Deadline", -1, ErrNotPositive, "%v: want a positive span", t.Deadline)
	case t.Budget < 0:
		return 0, badInput("Target.Budget", -1, ErrRange, "%v: want 0 for no limit, or more", t.Budget)
	case t.Confidence != 0 && !(t.Confidence >= 0.5 && t.Confidence < 1):
		return 0, badInput("Target.Confidence", -1, ErrRange, "%v: want 0, or a probability from 0.5 to below 1", t.Confidence)
	case t.MaxScale != 0 && !(t.MaxScale > 0):
		return 0, badInput("Target.MaxScale", -1, ErrRange, "%v: want 0 for the default, or a positive number", t.MaxScale)
	case len(t.Counts) == 0:
		return 0, badInput("Target.Counts", -1, ErrMissing, "0 numbers of processes: want at least one to choose from")
	case t.Goal > LeastCost:
		panic("perfmodel: unknown goal")
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
func (t *Target) query(counts []int) Query {
	q := Query{Features: t.Features, Processes: counts}
	if t.Confidence > 0.5 {
		q.Level = 2*t.Confidence - 1
	}
	return q
}

// estimate fills pl.estimates for the batch of t.Counts that begins at start.
func (pl *Sizer) estimate(e Estimator, t *Target, start int, brief bool) error {
	counts := t.Counts[start:min(start+batch, len(t.Counts))]
	q := t.query(counts)
	q.Brief = brief
	pl.estimates = grow.To(pl.estimates, len(counts))
	err := e.EstimateTo(pl.estimates, q)
	if err != nil && start > 0 {
		// The whole once more, so that the index in the error counts from the first
		// number.
		q.Processes = t.Counts
		if whole := e.EstimateTo(make([]Estimate, len(t.Counts)), q); whole != nil {
			return whole
		}
	}
	return err
}

// setTimes sets the processes and times of o.
func (o *Size) setTimes(s *Estimate, t *Target, index int) error {
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
		return 0, badInput("Target.Confidence", index, ErrFewRows, "the profile has no more runs than the model has coefficients, so intervals have no end: want more runs, or a confidence of 0.5")
	}
	return 0, badInput("Target.Counts[]", index, ErrOverflow, "%v seconds, and the model does not hold beyond 200 years: want another number of processes", seconds)
}
