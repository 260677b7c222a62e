package perfmodel

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// A Query asks for the run times of one case on several numbers of processes.
type Query struct {
	Features  []float64 // as the profile names them
	Processes []int     // each ≥ 1
	Level     float64   // of the intervals, in (0, 1); 0.9 if 0
	Mean      bool      // whether Estimate.Mean is wanted, which takes longer
	Brief     bool      // only Processes, Seconds, Scale and, if Level is not 0, Upper are wanted; the rest is unspecified
}

// defaultLevel is the level of intervals if none is given.
const defaultLevel = 0.9

// An Estimate is the predicted run time of one case on one number of processes.
//
// Seconds is the median of the run time: half of the runs take longer. Most models are linear in
// the logarithm of the time. Take a quantile of the logarithm: its exp is the same quantile of the
// time. So the median and the ends of the interval need no correction. The mean needs a correction,
// since exp of the mean logarithm is below the mean time. Each model's comment says how the model
// computes Mean.
type Estimate struct {
	Processes    int
	Seconds      float64       // the median
	Lower, Upper float64       // a run is between with the probability Query.Level
	Mean         float64       // the mean, 0 unless Query.Mean
	Scale        float64       // Processes over the largest number profiled
	Outside      Extrapolation // what is furthest outside of the profile
}

// An Extrapolation says that a prediction lies outside the profile, by which feature and
// how far. The zero value says that it does not.
type Extrapolation struct {
	Feature   string  // or "processes"
	Value     float64 // asked for
	Low, High float64 // the least and the greatest value profiled
	Factor    float64 // how far: Value over High, or Low over Value; > 1, +Inf across 0
}

// String returns a sentence, "" for the zero value.
func (e Extrapolation) String() string {
	switch {
	case e.Factor == 0:
		return ""
	case e.Value > e.High:
		return fmt.Sprintf("outside the profiled range: %s is %.10g, %.3g times the largest profiled, %.10g", e.Feature, e.Value, e.Factor, e.High)
	}
	return fmt.Sprintf("outside the profiled range: %s is %.10g, %.3g times below the smallest profiled, %.10g", e.Feature, e.Value, e.Factor, e.Low)
}

// An Estimator predicts run times.
type Estimator interface {
	// EstimateTo sets dst[i] to the estimate for the number of processes i of the query. EstimateTo
	// panics if dst and the numbers of processes differ in length, if the query has not as many
	// features as the profile, if a number of processes is below 1, or if the level is not between
	// 0 and 1. The error is an *pricing.InputError, which unwraps to ErrNotFitted, ErrNotPositive,
	// ErrNotFinite or ErrOverflow.
	EstimateTo(dst []Estimate, q Query) error
}

// A Model is an estimator that learns from one profile. After an error of Fit it is not
// fitted.
type Model interface {
	Estimator
	Fit(p *Profile) error
}

// At returns the estimate for one number of processes.
func At(e Estimator, features []float64, processes int) (Estimate, error) {
	var one [1]Estimate
	err := e.EstimateTo(one[:], Query{Features: features, Processes: []int{processes}, Mean: true})
	return one[0], err
}

// A span is the range of a profile.
type span struct {
	names     []string
	low, high []float64
	minP      int
	maxP      int
}

func (s *span) set(p *Profile) {
	s.names = append(s.names[:0], p.Features...)
	s.low, s.high = s.low[:0], s.high[:0]
	s.minP, s.maxP = math.MaxInt, 0
	for j := range p.Features {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range p.Runs {
			low, high = min(low, p.Runs[i].Features[j]), max(high, p.Runs[i].Features[j])
		}
		s.low, s.high = append(s.low, low), append(s.high, high)
	}
	for i := range p.Runs {
		s.minP, s.maxP = min(s.minP, p.Runs[i].Processes), max(s.maxP, p.Runs[i].Processes)
	}
}

func outside(name string, x, low, high float64) Extrapolation {
	e := Extrapolation{Feature: name, Value: x, Low: low, High: high}
	switch {
	case x > high:
		e.Factor = x / high
		if high <= 0 {
			e.Factor = math.Inf(1)
		}
	case x < low:
		e.Factor = low / x
		if x <= 0 {
			e.Factor = math.Inf(1)
		}
	default:
		return Extrapolation{}
	}
	return e
}

// worst returns the extrapolation of the feature that is furthest out; ties go to the
// first.
func (s *span) worst(x []float64) Extrapolation {
	var w Extrapolation
	for j, v := range x {
		if v > s.high[j] || v < s.low[j] {
			if e := outside(s.names[j], v, s.low[j], s.high[j]); e.Factor > w.Factor {
				w = e
			}
		}
	}
	return w
}

// note sets the extrapolation of an estimate.
func (s *span) note(e *Estimate, features *Extrapolation) {
	e.Outside = *features
	if e.Processes > s.maxP || e.Processes < s.minP {
		if o := outside("processes", float64(e.Processes), float64(s.minP), float64(s.maxP)); o.Factor > features.Factor {
			e.Outside = o
		}
	}
}

// AppendExtrapolations appends to dst each feature, and then the number of processes, by
// which a case lies outside the profile. It panics if the number of features is not the
// profile's. Time: O(runs·features).
func (p *Profile) AppendExtrapolations(dst []Extrapolation, features []float64, processes int) []Extrapolation {
	if len(features) != len(p.Features) {
		panic("perfmodel: number of features is not the profile's")
	}
	if len(p.Runs) == 0 {
		return dst
	}
	for j, x := range features {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range p.Runs {
			low, high = min(low, p.Runs[i].Features[j]), max(high, p.Runs[i].Features[j])
		}
		if e := outside(p.Features[j], x, low, high); e.Factor > 0 {
			dst = append(dst, e)
		}
	}
	low, high := math.MaxInt, 0
	for i := range p.Runs {
		low, high = min(low, p.Runs[i].Processes), max(high, p.Runs[i].Processes)
	}
	if e := outside("processes", float64(processes), float64(low), float64(high)); e.Factor > 0 {
		dst = append(dst, e)
	}
	return dst
}

// check panics if the query is misused, and returns the level.
func (q *Query) check(dst []Estimate, features int) float64 {
	if len(dst) != len(q.Processes) {
		panic("perfmodel: length of dst is not the number of process counts")
	}
	if len(q.Features) != features {
		panic("perfmodel: number of features is not the profile's")
	}
	for _, p := range q.Processes {
		if p < 1 {
			panic("perfmodel: number of processes below 1")
		}
	}
	level := q.Level
	if level == 0 {
		level = defaultLevel
	}
	if !(level > 0 && level < 1) {
		panic("perfmodel: level is not between 0 and 1")
	}
	return level
}

// finite returns an error if a feature is not finite.
func (q *Query) finite(names []string) error {
	for j, x := range q.Features {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return badInput("Query.Features[]", j, ErrNotFinite, "%s is %v: want a finite number", names[j], x)
		}
	}
	return nil
}

// measured returns the value of a measure, or an error if the value has no logarithm.
func measured(m func(features []float64) float64, field string, index int, x []float64) (float64, error) {
	w := m(x)
	switch {
	case math.IsNaN(w) || math.IsInf(w, 0):
		return 0, badInput(field, index, ErrNotFinite, "the measure of %v is %v: want a finite number", x, w)
	case w <= 0:
		return 0, badInput(field, index, ErrNotPositive, "the measure of %v is %v, and its logarithm is taken: want a positive number", x, w)
	}
	return w, nil
}

// finney returns the function g of [Finney41]:
//
//	g(t) = Σ_k ν^k·(ν + 2k) / (ν·(ν+2)···(ν+2k)) · (ν/(ν+1))^k · t^k/k!
//
// The argument nu is ν. g corrects a mean for an estimated variance. Let s² be an estimate of σ²,
// such that ν·s²/σ² has a chi-squared distribution with ν degrees of freedom. For every number c,
// the expectation of g(c·s²) is exp(c·σ²·ν/(ν+1)). The terms of the sum fall faster than those of
// exp(t). finney stops when a term no longer changes the sum.
func finney(nu, t float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k < 1000; k++ {
		// The ratio of successive terms.
		num := nu / (nu + 1) * nu * t / k
		if k == 1 {
			term *= num * (nu + 2) / (nu * (nu + 2))
		} else {
			term *= num / (nu + 2*k - 2)
		}
		next := sum + term
		if next == sum {
			break
		}
		sum = next
	}
	return sum
}

// logMean returns the unbiased estimate of the mean of a log-normal time. If the logarithm of the
// time has the mean μ and the variance σ², the mean is exp(μ + σ²/2). The argument m is an estimate
// of μ with the leverage h. The square of the argument sigma, s², is an estimate of σ² with ν
// degrees of freedom, where ν is df. The estimate of the mean is exp(m)·g((ν+1)/(2ν)·(1−h)·s²),
// where g is finney [Bradu70].
//
// The usual estimate exp(m)·exp(s²/2) is too large. exp(m) exceeds exp(μ) on average by the factor
// exp(h·σ²/2), for which the factor 1−h corrects. Without degrees of freedom nothing is known of σ,
// and logMean is NaN.
//
// For h above 1, far from the profile, the unbiased estimate is negative for some samples. Then
// logMean returns exp(m)·exp((1−h)·s²/2), which is positive. For h = 1 both estimates are equal.
func logMean(m, h, sigma float64, df int) float64 {
	if df == 0 {
		return math.NaN()
	}
	if h > 1 {
		return math.Exp(m + (1-h)/2*sigma*sigma)
	}
	nu := float64(df)
	return math.Exp(m) * finney(nu, (nu+1)/(2*nu)*(1-h)*sigma*sigma)
}

// A quantile remembers the last Student's t that was asked for.
type quantile struct{ level, df, t float64 }

func (q *quantile) at(level float64, df int) float64 {
	if df == 0 {
		return math.Inf(1)
	}
	if q.level != level || q.df != float64(df) {
		*q = quantile{level, float64(df), lsq.TQuantile(level, float64(df))}
	}
	return q.t
}
