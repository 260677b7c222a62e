package smoothing

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Mean is a model that forecasts the mean of the last Window observations, at every horizon. Few
// models are better if demand comes in bursts without a pattern, or far ahead.
//
// Start: one observation. Until there are Window observations, the mean is that of all observations
// so far. A missing observation changes nothing. With a Window of 0 the mean is always that of all
// observations.
//
// A copy of the model shares its observations.
type Mean struct {
	Window int `json:"window"` // observations in the mean; 0 is all
	recent
}

// recent is the state of Mean.
type recent struct {
	Last  []float64 `json:"last"`  // the last observations, made by Update
	At    int       `json:"at"`    // the place of the next one
	Sum   float64   `json:"sum"`   // of those in the window
	Fresh float64   `json:"fresh"` // of those since place 0; becomes Sum at place 0, so that no rounding adds up
	N     int       `json:"n"`     // observations taken, without missing ones
}

// Ready reports whether there is an observation.
func (m *Mean) Ready() bool { return m.N > 0 }

// Update takes the next observation, see [Model].
func (m *Mean) Update(x float64) {
	if !usable(x) {
		return
	}
	if m.Window <= 0 {
		m.N++
		m.Sum += (x - m.Sum) / float64(m.N) // the mean itself: a sum of many would overflow
		return
	}
	if m.Last == nil || cap(m.Last) < m.Window {
		last := make([]float64, len(m.Last), m.Window)
		copy(last, m.Last)
		m.Last = last
	}
	// Each is divided before it is summed, so that a sum stays within Largest.
	y := x / float64(m.Window)
	if len(m.Last) < m.Window {
		m.Last = append(m.Last, y)
		m.Sum += y
	} else {
		m.Sum += y - m.Last[m.At]
		m.Last[m.At] = y
	}
	m.Fresh += y
	if m.At++; m.At >= m.Window {
		m.At, m.Sum, m.Fresh = 0, m.Fresh, 0
	}
	m.N++
}

// level returns the mean.
func (m *Mean) level() float64 {
	if m.Window <= 0 || len(m.Last) == 0 {
		return m.Sum
	}
	l := m.Sum * (float64(m.Window) / float64(len(m.Last)))
	return min(Largest, max(-Largest, l)) // what rounding adds at the limit
}

// Forecast fills dst with the mean, see [Model].
func (m *Mean) Forecast(dst []float64) { flat(dst, m.level()) }

// size returns how many values the mean has.
func (m *Mean) size() int {
	if m.Window > 0 {
		return max(1, min(m.Window, len(m.Last)))
	}
	return max(1, m.N)
}

// Deviate replaces errors by what they add to the forecasts, see [Model].
func (m *Mean) Deviate(dst []float64) {
	w, sum := m.size(), 0.0
	for i, e := range dst {
		dst[i] = e + sum/float64(w)
		sum += dst[i]
		if i >= w {
			sum -= dst[i-w]
		}
	}
}

// Validate returns a *pricing.InputError if the window or the state is out of range.
func (m *Mean) Validate() error {
	if err := checkCount("Window", m.Window, mostPeriod); err != nil {
		return err
	}
	if len(m.Last) > m.Window || m.At < 0 || m.At > max(0, m.Window-1) || len(m.Last) < m.Window && m.At != len(m.Last) {
		return badInput("Last", -1, ErrState, "%d values, the next at place %d: want at most %d, and a place among them", len(m.Last), m.At, m.Window)
	}
	for i, x := range m.Last {
		if !usable(x) {
			return badInput("Last", i, ErrValue, "%v: want a number within %v", x, Largest)
		}
	}
	return checkState(m.N, 0, m.Sum, m.Fresh)
}

// windowsOf returns the windows that Fit tries for a series of n values with seasons of
// m1 and m2 steps: some of each season, so that the mean has whole ones, and powers of 2.
func windowsOf(dst []int, n, m1, m2 int) []int {
	for _, m := range [...]int{m1, m2} {
		if m > 1 {
			for _, k := range [...]int{1, 2, 4, 8, 28} {
				dst = append(dst, k*m)
			}
		}
	}
	for k := 4; k < n; k *= 2 {
		dst = append(dst, k)
	}
	return dst
}

// Fit chooses Window and takes the observations of the series, see [Model]. Fit tries windows of at
// most half of the series: the powers of 2 from 4 on, and 1, 2, 4, 8 and 28 seasons. It also tries
// the mean of all observations. Fit tries each window at no more than 500 points in the last half
// of the series. At each point Fit compares the mean of the window with the mean of the next h
// values. h is f.Horizon, by default a season (at least 13), and never more than a quarter of the
// series. Fit chooses the window with the least absolute error.
//
// Fit needs one value. Time: O(n), and O(1) for each window at each point.
func (m *Mean) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	m1, m2 := f.offered(series, found)
	var windows [maxWindows]int
	n := len(series)
	steps := f.Horizon
	if steps == 0 {
		steps = max(m1, 13)
	}
	steps = max(1, min(steps, n/4))
	// sums[i] and counts[i] are of the values before i, less the first.
	f.sums, f.counted = grow.To(f.sums, n+1), grow.To(f.counted, n+1)
	f.sums[0], f.counted[0] = 0, 0
	for i, x := range series {
		f.sums[i+1], f.counted[i+1] = f.sums[i], f.counted[i]
		if x == x {
			f.sums[i+1] += x/2 - series[0]/2
			f.counted[i+1]++
		}
	}
	mean := func(from, to int) float64 {
		return (f.sums[to] - f.sums[from]) / (f.counted[to] - f.counted[from]) // NaN of none
	}
	stride := max(1, n/2/meanOrigins)
	best, least := 0, math.Inf(1)
	for _, w := range append(windowsOf(windows[:0], n, m1, m2), 0) {
		if w > n/2 {
			continue
		}
		sum := 0.0
		for i := n / 2; i+steps <= n; i += stride {
			from := 0
			if w > 0 {
				from = i - w
			}
			// The mean of the next steps stands for each of them: for a flat forecast the
			// two differ by what no window changes.
			if d := mean(from, i) - mean(i, i+steps); d == d {
				sum += math.Abs(d)
			}
		}
		if sum < least {
			best, least = w, sum
		}
	}
	*m = Mean{Window: best, recent: recent{Last: m.Last[:0]}}
	return f.replay(m, series, 1), nil
}

// meanOrigins is from about how many points Fit tries a window.
const meanOrigins = 250

// maxWindows is room for what windowsOf returns, for any int.
const maxWindows = 10 + 64

// Least returns how many values Fit wants.
func (m *Mean) Least() int { return 1 }
