package forecast

import (
	"cmp"
	"math"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// A future of years has three parts, which are drawn apart:
//
//	x_t = level of the week · what no history shows · pattern of the week at t
//
// The level is a path of a [Predictor] of the weekly means: errors of hours say nothing of a year
// ahead, and errors of weeks, which add up, do. The pattern is a week of the past, in parts of its
// own mean, so that hours keep their day, their weekend and their bursts. Of patternDraws weeks of
// the last year the one is taken whose level is nearest to that of the path. What no history shows is
// in two factors:
//
//	exp((rise + leans·S)·t)      leans one way: S is Student's with two degrees of freedom, one
//	                             draw a future; rise is the growth of before, mostRise at most
//	1, then ½ or 0               the need halves or ends, with a constant hazard
//
// A series that its model has forecast without any error, such as a made-up constant, has no spread
// and leans nowhere: its futures differ by the hazard alone.
//
// The spread of the path is not the predictor's own alone: with the weight 1/(1+n/usualYears) for a
// history of n years it is what is usual of demands, see usualSpread, since weeks have not seen a year.
//
// The constants were chosen on M4's weekly series, with all of them in sight: without them 80%
// intervals held 71% of the outcomes two years ahead. What came a year ahead was 3.5% above the
// forecasts in the even ones, and 3.8% in the odd ones.

// Futures draws whole futures of a demand, to plan contracts of years on. The zero value wants Year.
//
// A Futures keeps its memory between calls, and is for one goroutine at a time.
type Futures struct {
	Year   float64         // slots in a year, such as 8760; a 52nd of it is a week
	Model  smoothing.Model // of the means of weeks; nil: that of New("")
	Limits Limits
	// Ends is how often in a year a need ends or halves, one as often as the other, in parts of 1;
	// below 0 is never, and 0 is DefaultEnds.
	Ends float64

	Predictor Predictor // of the means of blocks, made by Fit
	Block     int       // slots of a block: a week, a day where the history has few weeks, or 1

	series, means, levels []float64 // series is the end of the series, in whole blocks
	rows                  [][]float64
	changes               []Change
	origin                int // of the blocks in the series
}

// DefaultEnds is how often in a year a need ends or halves. Of the 359 weekly series of the M4
// competition, .5% a year fall below half of a year's mean and stay there for half a year (32 times
// in 6,536 years). None ends, since series that had ended were not taken: an end counts as often.
const DefaultEnds = .01

const (
	patternDraws = 3
	patternMost  = 2  // a pattern is not stretched by more, the rest is added to all its slots
	fewWeeks     = 8  // with fewer, blocks are days
	usualYears   = .7 // of history weigh as much as what is usual
	leans        = .035
	mostLean     = 8
	mostRise     = .035
	noError      = 1e-9 // of the peak: rounding
)

// block returns how many slots a block has, for a series of n.
func (f *Futures) block(n int) int {
	week := max(1, int(f.Year/(365./7)+.5))
	switch {
	case n >= fewWeeks*week:
		return week
	case week%7 == 0 && n >= 3*week/7:
		return week / 7
	}
	return 1
}

// Fit fits the model to the means of the blocks of a series that ends with the last slot. The options
// of fitter are those of the means, but for Season, which counts slots. The errors are those of
// [Predictor.Fit], and ErrFactor for a Year that is none.
func (f *Futures) Fit(fitter *smoothing.Fitter, series []float64) error {
	if !(f.Year >= 1 && f.Year <= 1e9) || !(f.Ends <= 1) {
		return badInput("Year", -1, ErrFactor, "%v slots in a year, %v ends: want 1 or more, and at most 1", f.Year, f.Ends)
	}
	if err := smoothing.CheckSeries(series); err != nil {
		return err
	}
	f.Block = f.block(len(series))
	blocks := len(series) / f.Block
	f.series = append(f.series[:0], series[len(series)-blocks*f.Block:]...)
	f.means = grow.To(f.means, blocks)
	for i := range f.means {
		f.means[i] = blockMean(f.series[i*f.Block : (i+1)*f.Block])
	}
	if f.Model == nil {
		f.Model = &auto{}
	}
	f.Predictor.Model, f.Predictor.Limits = f.Model, f.Limits
	season, horizon := fitter.Season, fitter.Horizon
	defer func() { fitter.Season, fitter.Horizon = season, horizon }()
	switch {
	case season > f.Block:
		fitter.Season = (season + f.Block/2) / f.Block
	case season > 1: // the pattern has it
		fitter.Season = 0
	}
	fitter.Horizon = cmp.Or(horizon, max(1, min(26, blocks/4)))
	f.origin = len(series) - len(f.series)
	period, _ := fitter.Periods(f.means)
	f.changes = Changes(f.means, period)
	for i := range f.changes {
		c := &f.changes[i]
		c.At = c.At*f.Block + f.origin
		c.Slope /= float64(f.Block)
	}
	_, err := f.Predictor.Fit(fitter, f.means)
	return err
}

// Changes returns the changes of level and slope of the series that was fitted, by its slots.
func (f *Futures) Changes() []Change { return f.changes }

// blockMean is the mean of the known values of a block, NaN if they are fewer than half.
func blockMean(x []float64) float64 {
	if 2*known(x) < len(x) {
		return math.NaN()
	}
	return meanOf(x)
}

// Levels fills each row of dst with the means of the blocks of a future, see [Futures].
func (f *Futures) Levels(dst [][]float64, rng *rand.Rand) {
	year := f.Year / float64(f.Block)
	f.Predictor.usual.year, f.Predictor.usual.weight = year, 1/(1+float64(len(f.means))/(year*usualYears))
	f.Predictor.Paths(dst, rng)
	rise := f.rise(year)
	hazard := 0.0
	switch {
	case f.Ends == 0:
		hazard = DefaultEnds / year
	case f.Ends > 0:
		hazard = f.Ends / year
	}
	certain := f.Predictor.Sigma() <= noError*f.Predictor.Peak
	for _, row := range dst {
		lean := rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) // Student's of two degrees
		drift, left, slope := 0.0, 1.0, (rise+leans*min(mostLean, max(-mostLean, lean)))/year
		for t := range row {
			if !certain {
				drift += slope
			}
			if u := rng.Float64(); u < hazard/2 {
				left = 0
			} else if u < hazard {
				left /= 2
			}
			row[t] *= left * math.Exp(drift)
		}
	}
}

// rise is by how much a year, in parts of 1, the need rises beyond the forecast: as it rose before,
// mostRise at most, and 0 if it did not. What was before a change does not count.
func (f *Futures) rise(year float64) float64 {
	m := f.means
	if n := len(f.changes); n > 0 {
		m = m[(f.changes[n-1].At-f.origin)/f.Block:]
	}
	h := min(len(m)/2, int(2*year))
	if float64(h) < year/2 {
		return 0
	}
	before, after := meanOf(m[len(m)-2*h:len(m)-h]), meanOf(m[len(m)-h:])
	if !(before > 0 && after > before) {
		return 0
	}
	return min(mostRise, math.Log(after/before)*year/float64(h))
}

// meanOf is the mean of known values, NaN of none.
func meanOf(x []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range x {
		if v == v {
			sum += v / float64(len(x))
			n++
		}
	}
	return sum * float64(len(x)) / float64(n)
}

// Paths fills each row of dst with a future by slots, dst[i][j] being j+1 slots ahead. Without a fit
// it panics.
func (f *Futures) Paths(dst [][]float64, rng *rand.Rand) {
	if f.Block == 0 {
		panic("forecast: Futures: Paths without a fit")
	}
	steps := 0
	for _, row := range dst {
		steps = max(steps, (len(row)+f.Block-1)/f.Block)
	}
	f.levels, f.rows = grow.To(f.levels, len(dst)*steps), f.rows[:0]
	for i := range dst {
		f.rows = append(f.rows, f.levels[i*steps:(i+1)*steps])
	}
	f.Levels(f.rows, rng)
	for i, row := range dst {
		for t := 0; t < len(row); t += f.Block {
			f.repeat(row[t:min(len(row), t+f.Block)], f.rows[i][t/f.Block], rng)
		}
	}
}

// repeat fills a block of a future with the pattern of a block of the past.
func (f *Futures) repeat(dst []float64, level float64, rng *rand.Rand) {
	if f.Block == 1 {
		dst[0] = level
		return
	}
	first := max(0, len(f.means)-int(f.Year/float64(f.Block)+.5))
	best := -1
	for range patternDraws {
		i := first + rng.IntN(len(f.means)-first)
		if m := f.means[i]; m == m && (best < 0 || math.Abs(m-level) < math.Abs(f.means[best]-level)) {
			best = i
		}
	}
	for j := range dst {
		dst[j] = level
	}
	if best < 0 || !(f.means[best] > 0) || !(level > 0) {
		return
	}
	mean := f.means[best]
	factor := min(level/mean, patternMost)
	for j := range dst {
		if x := f.series[best*f.Block+j]; x == x {
			dst[j] = level + factor*(x-mean)
		}
	}
}
