package smoothing

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A season of m steps shows in the Fourier coefficients of each cycle of m values. Let
// z_{c,k} be the coefficient of harmonic k in cycle c, of C cycles, and
//
//	R = Σ_k |Σ_c z_{c,k}|² / (C·Σ_k Σ_c |z_{c,k}|²).
//
// R is 1 if all cycles are the same. Without a season the phases of the cycles are
// independent, and for one harmonic of normal noise R has the distribution
// P(R > r) = (1−r)^(C−1); several harmonics of like power make large values less likely.
// A slow wandering of the level adds a different sawtooth to each cycle, so that R falls.
//
// A level that wanders is removed first, by a moving mean over m values, where there are
// four cycles or more.
//
// Candidates are the periods of calendars, and the peaks of the autocorrelation. The first
// season is the candidate that passes the test and explains most of the variance. A shorter
// period that explains about as much is preferred. So is a divisor that explains a good
// part, since hours that repeat by the week also repeat by the day. The second season is the
// next longer season of the calendar: a week above a day, or a year above a week. For
// [Fitter.Periods] the second season must pass the test on what the first season leaves.
// [Fitter.PeriodsToTry] also gives a second season that has three cycles.
//
// Time O(n·(60 + lags)) with at most 400 lags; space O(n).

const (
	// seasonChance is the probability with which noise passes the test for one period of a
	// calendar, and oddChance that for another, of which there are many.
	seasonChance = .01
	oddChance    = .001
	// seasonPart is the part of what the best period explains that a divisor of it has to
	// explain to be the season, and seasonLike that of any shorter period. Of a day, of 24 values, and
	// of a week only days are parts: a demand of 18 hours a day repeats somewhat after 12.
	seasonPart = .3
	seasonLike = .85
	// seasonLags is how far the autocorrelation is looked at for other periods.
	seasonLags = 400
	// seasonValues is how many of the last values it is made of.
	seasonValues = 1200
	// seasonHarmonics is how many harmonics the test looks at.
	seasonHarmonics = 6
	// seasonPeaks is how many peaks of the autocorrelation are candidates.
	seasonPeaks = 6
	// seasonHigh is how high a peak is beside the highest to be one.
	seasonHigh = .7
	// seasonFloor is the part of the variance that a season has to explain to be worth it.
	seasonFloor = .02
)

// calendar has the seasons of clocks and calendars: quarters, weekdays, weeks, months,
// hours of a day, weeks of a year, quarter hours of a day, hours of a week, and so on.
var calendar = [...]int{4, 5, 7, 12, 13, 24, 48, 52, 60, 96, 144, 168, 288, 336, 365, 672, 1008, 2016}

// Periods returns the numbers of steps after which a series repeats, such as 24 and 168 for hours
// that repeat by the day and by the week. The number 1 means no season. Fields of f that are set
// take precedence over the series:
//
//   - first is f.Season if f.Season is set. Otherwise first is the season found in the series, or
//     1.
//   - second is 1 if first is 1. Otherwise second is f.Second if f.Season and f.Second are both
//     set. Otherwise Periods looks for one season longer than first. If first is a day, this is
//     the week. If first is a week of daily values, 7 or 5, this is the year. second is this
//     season if Periods finds it in the series, and otherwise 1.
//
// Periods finds only seasons of which the series has two cycles. The series may have missing
// values. If too few values are known, or if a value is infinite, Periods finds no season.
func (f *Fitter) Periods(series []float64) (first, second int) {
	return f.offered(series, found)
}

// PeriodsToTry is Periods, but returns a second number also if the test does not find a second
// season, where the series has three of its cycles: long enough to try a model with it.
func (f *Fitter) PeriodsToTry(series []float64) (first, second int) {
	return f.offered(series, tried)
}

// offered returns the periods that f gives, else those found. The second is 1 unless it is
// wanted: if it is found, or if the series is long enough to try it.
func (f *Fitter) offered(series []float64, second wanted) (int, int) {
	p, p2 := f.Season, f.Second
	ready := p == 0 && f.detrend(series)
	if ready {
		p = f.findFirst()
	}
	p = max(1, p)
	if p == 1 || second == none {
		return p, 1
	}
	if f.Season > 0 && p2 > 0 {
		return p, p2
	}
	p2 = longer(p)
	switch {
	case p2 == 1:
	case second == tried && len(series) >= triedCycles*p2:
	case !ready && !f.detrend(series):
		p2 = 1
	default:
		f.explains(p)
		for i := range f.wave {
			f.wave[i] -= f.phases[i%p]
		}
		if !f.repeats(p2, seasonChance) || f.explains(p2) < seasonFloor {
			p2 = 1
		}
	}
	return p, p2
}

// wanted says whether a second season is wanted.
type wanted int

const (
	none  wanted = iota
	found        // if the test finds it
	tried        // if the series is long enough to try it
)

// triedCycles is how many cycles a second season has to have to be tried.
const triedCycles = 3

// longer returns the season that a calendar has above one of m steps, 1 if none.
func longer(m int) int {
	switch m {
	case 24, 48, 96, 144, 288: // of a day
		return 7 * m
	case 7: // days of a week
		return 365
	case 5:
		return 261
	}
	return 1
}

// detrend sets f.wave to the series less its line, gaps filled, and reports whether that
// leaves anything.
func (f *Fitter) detrend(series []float64) bool {
	f.wave = fill(f.wave, series)
	n := float64(len(f.wave))
	if n < 8 {
		return false
	}
	var sx, sxt float64
	mid := (n - 1) / 2
	for i, x := range f.wave {
		if !usable(x) {
			return false
		}
		sx += x / n
		sxt += x * ((float64(i) - mid) / n)
	}
	slope := sxt / ((n*n - 1) / 12)
	most := 0.0
	for i := range f.wave {
		f.wave[i] -= sx + slope*(float64(i)-mid)
		most = max(most, math.Abs(f.wave[i]))
	}
	if !(most > 1e-12*math.Abs(sx)) || math.IsInf(most, 0) { // a line: the rest is rounding
		return false
	}
	for i := range f.wave {
		f.wave[i] /= most
	}
	return true
}

// fill returns the series with its gaps filled by lines between neighbours, and the
// nearest value at the ends, in the memory of dst; of length 0 if nothing is known.
func fill(dst, series []float64) []float64 {
	dst = append(dst[:0], series...)
	last := -1
	for i, x := range dst {
		if x != x {
			continue
		}
		if last < 0 {
			flat(dst[:i], x)
		} else {
			a, d := dst[last], x-dst[last]
			for j := last + 1; j < i; j++ {
				dst[j] = a + d*(float64(j-last)/float64(i-last))
			}
		}
		last = i
	}
	if last < 0 {
		return dst[:0]
	}
	flat(dst[last+1:], dst[last])
	return dst
}

// findFirst returns the season of f.wave.
func (f *Fitter) findFirst() int {
	var candidates [len(calendar) + seasonPeaks]int
	var explained [len(candidates)]float64
	list := f.peaks(append(candidates[:0], calendar[:]...))
	best, most := 1, 0.0
	for i, m := range list {
		chance := seasonChance
		if i >= len(calendar) {
			if chance = oddChance; nearCalendar(m) { // the peak of one is broad
				continue
			}
		}
		if f.repeats(m, chance) {
			explained[i] = f.explains(m)
			if explained[i] > most {
				best, most = m, explained[i]
			}
		}
	}
	if most < seasonFloor {
		return 1
	}
	first := best
	for i, m := range list {
		part := best%m == 0 && (best%24 != 0 || m%24 == 0) // half a day is no season of a day
		if m < first && (explained[i] >= seasonLike*most || part && explained[i] >= seasonPart*most) {
			first = m
		}
	}
	return first
}

// detail sets f.still to f.wave less its moving mean over m steps, if there are cycles
// enough to see what moves: a season is what repeats around a level that wanders.
func (f *Fitter) detail(m int) []float64 {
	n := len(f.wave)
	if n < 4*m {
		return f.wave
	}
	f.still = movingMean(f.still, f.wave, m)
	first, last := m/2, n-1-m/2
	flat(f.still[:first], f.still[first])
	flat(f.still[last+1:], f.still[last])
	for i, x := range f.wave {
		f.still[i] = x - f.still[i]
	}
	return f.still
}

// nearCalendar reports whether a period is within a twentieth of one of a calendar.
func nearCalendar(m int) bool {
	for _, c := range calendar {
		if 20*max(m-c, c-m) <= c {
			return true
		}
	}
	return false
}

// peaks appends the first lags at which the autocorrelation of f.wave has a peak about as
// high as the highest.
func (f *Fitter) peaks(list []int) []int {
	wave := f.wave[max(0, len(f.wave)-seasonValues):]
	n := len(wave)
	lags := min(seasonLags, n/2)
	f.acf = grow.To(f.acf, lags+1)
	for l := range f.acf {
		s := 0.0
		for i, x := range wave[l:] {
			s += x * wave[i]
		}
		f.acf[l] = s / float64(n-l)
	}
	high := 0.0
	for l := 2; l < lags; l++ {
		if f.peak(l) {
			high = max(high, f.acf[l])
		}
	}
	for l, n := 2, 0; l < lags && n < seasonPeaks; l++ {
		if f.peak(l) && f.acf[l] >= seasonHigh*high {
			list = append(list, l)
			n++
		}
	}
	return list
}

// peak reports whether the autocorrelation has one at a lag.
func (f *Fitter) peak(l int) bool {
	return f.acf[l] > 0 && f.acf[l] > f.acf[l-1] && f.acf[l] >= f.acf[l+1]
}

// repeats is the test for a period of m.
func (f *Fitter) repeats(m int, chance float64) bool {
	cycles := len(f.wave) / m
	if m < 2 || cycles < 2 {
		return false
	}
	y := f.detail(m)
	y = y[len(y)-cycles*m:]
	var all, together float64
	for k := 1; k <= seasonHarmonics && 2*k <= m; k++ {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(m))
		var sumRe, sumIm float64
		for c := range cycles {
			var re, im float64
			u, v := 1.0, 0.0
			for _, x := range y[c*m : (c+1)*m] {
				re += x * u
				im += x * v
				u, v = u*cos-v*sin, u*sin+v*cos
			}
			sumRe += re
			sumIm += im
			all += re*re + im*im
		}
		together += sumRe*sumRe + sumIm*sumIm
	}
	if !(all > 0) {
		return false
	}
	r := together / (float64(cycles) * all)
	return math.Pow(max(0, 1-r), float64(cycles-1)) < chance
}

// explains returns the part of the variance of f.wave that the means of the phases
// explain, less what the means of noise would. It leaves the means in f.phases.
func (f *Fitter) explains(m int) float64 {
	y := f.detail(m)
	n := len(y)
	f.phases = grow.Zero(f.phases, m)
	for i, x := range y {
		f.phases[i%m] += x
	}
	for i := range f.phases[:min(m, n)] {
		f.phases[i] /= float64((n - i + m - 1) / m)
	}
	var whole, left, mean, all float64
	for _, x := range y {
		mean += x / float64(n)
	}
	for i, x := range y {
		d := x - f.phases[i%m]
		left += d * d
		whole += (x - mean) * (x - mean)
		all += f.wave[i] * f.wave[i]
	}
	if !(all > 0) || n <= m {
		return 0
	}
	return (whole - left*float64(n-1)/float64(n-m)) / all
}
