package smoothing

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Autoregression is a model that forecasts from the values of a few steps ago and of whole seasons
// ago. It is a linear recursion in w_k, the difference of x_k from the value d steps before:
//
//	w_k = x_k − x_{k−d},    w_k = c + Σ_i φ_i·w_{k−Lags[i]} + e_k,
//
// where d is Difference, c is Constant, φ_i is Coef[i], and e_k is the error of the forecast of
// x_k. With d = 0, w_k is x_k itself. Where a forecast of several steps needs a value that is not
// yet known, it uses the forecast of that value. Without coefficients, and with the season as d,
// the forecast is that of [SeasonalNaive]. So the coefficients are corrections to [SeasonalNaive].
//
// Fit chooses the lags among the last few steps, the same steps one and two seasons earlier, the
// seasons of a week, and the second season. A ridge regression gives the coefficients in closed
// form. On the hourly series of the M4 competition the error of this model alone is two thirds of
// the error of the seasonal naive forecast.
//
// Start: the model needs as many observations as the recursion looks back. Until then the forecast
// is the last observation. The model replaces a missing observation by its forecast.
//
// A copy of the model shares the slices with it.
type Autoregression struct {
	Period     int       `json:"period"`     // steps of the season that Fit takes lags from
	Period2    int       `json:"period2"`    // steps of the second season
	Difference int       `json:"difference"` // d, in steps; 0 is none
	MaxLags    int       `json:"max_lags"`   // how many lags Fit chooses at most; 0: 24
	Lags       []int     `json:"lags"`       // in steps, each once, ascending
	Coef       []float64 `json:"coef"`       // φ, a coefficient for each lag
	Constant   float64   `json:"constant"`   // c
	memory
}

// memory is the state of Autoregression.
type memory struct {
	Last  []float64 `json:"last"`  // the last observations, as many as the recursion looks back
	At    int       `json:"at"`    // the place of the next one
	Level float64   `json:"level"` // the last observation
	Seen  int       `json:"seen"`  // steps seen, at most the length of Last
	N     int       `json:"n"`     // observations taken, without missing ones
}

// back is how many steps the recursion looks back, 1 at least.
func (m *Autoregression) back() int {
	most := 0
	if len(m.Lags) > 0 {
		most = m.Lags[len(m.Lags)-1]
	}
	return max(1, most+m.Difference)
}

// Ready reports whether there are as many observations as the recursion looks back.
func (m *Autoregression) Ready() bool { return m.N > 0 && m.Seen >= len(m.Last) }

// ago returns the observation k steps before the next one, k from 1 to len(Last).
func (m *Autoregression) ago(k int) float64 {
	i := m.At - k
	if i < 0 {
		i += len(m.Last)
	}
	return m.Last[i]
}

// Update takes the next observation, see [Model]. It takes O(1) time for an observation,
// and O(lags) for a missing one.
func (m *Autoregression) Update(x float64) {
	if n := m.back(); len(m.Last) != n {
		m.Last, m.At, m.Seen, m.N = grow.Zero(m.Last, n), 0, 0, 0
	}
	switch {
	case usable(x):
		m.N++
	case m.N == 0:
		return
	default:
		var next [1]float64
		m.Forecast(next[:])
		x = next[0]
	}
	m.Last[m.At], m.Level = x, x
	m.At = after(m.At, len(m.Last))
	m.Seen = min(m.Seen+1, len(m.Last))
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model]. It takes O(lags) time
// for each.
func (m *Autoregression) Forecast(dst []float64) {
	if !m.Ready() {
		flat(dst, m.Level)
		return
	}
	d := m.Difference
	at := func(i int) float64 { // the value i steps after the last observation, i+1 for dst[i]
		if i >= 0 {
			return dst[i]
		}
		return m.ago(-i)
	}
	for i := range dst {
		x := m.Constant
		for j, l := range m.Lags {
			w := at(i - l)
			if d > 0 {
				w -= at(i - l - d)
			}
			x += m.Coef[j] * w
		}
		if d > 0 {
			x += at(i - d)
		} else if len(m.Lags) == 0 {
			x += at(i - 1)
		}
		if !usable(x) { // an unstable recursion of the caller's
			x = m.Level
		}
		dst[i] = x
	}
}

// Deviate is the recursion from 0, without the constant.
func (m *Autoregression) Deviate(dst []float64) {
	d := m.Difference
	for i := range dst {
		x := dst[i]
		for j, l := range m.Lags {
			if i < l {
				break
			}
			w := dst[i-l]
			if d > 0 && i >= l+d {
				w -= dst[i-l-d]
			}
			x += m.Coef[j] * w
		}
		if d > 0 {
			if i >= d {
				x += dst[i-d]
			}
		} else if len(m.Lags) == 0 && i > 0 {
			x += dst[i-1]
		}
		dst[i] = min(Largest, max(-Largest, x))
	}
}

// Validate returns a *pricing.InputError if a lag, a coefficient or the state is out of range.
func (m *Autoregression) Validate() error {
	if err := cmp.Or(checkPeriod("Period", m.Period), checkPeriod("Period2", m.Period2), checkPeriod("Difference", m.Difference),
		checkCount("MaxLags", m.MaxLags, mostCount)); err != nil {
		return err
	}
	if len(m.Coef) != len(m.Lags) {
		return badInput("Coef", -1, ErrLength, "%d coefficients for %d lags: want one for each", len(m.Coef), len(m.Lags))
	}
	before := 0
	for i, l := range m.Lags {
		if l <= before || l > mostPeriod {
			return badInput("Lags", i, ErrFactor, "%d after %d: want lags that ascend from 1, to %d", l, before, mostPeriod)
		}
		before = l
		if !usable(m.Coef[i]) {
			return badInput("Coef", i, ErrValue, "%v: want a number within %v", m.Coef[i], Largest)
		}
	}
	return cmp.Or(checkRing("Last", m.Last, m.back(), m.At, m.Seen, m.N), checkState(m.N, 0, m.Constant, m.Level))
}

// The fit minimises Σ_k e_k² + λ·Σ_i φ_i², the series scaled to differences of variance 1,
// by the normal equations. λ keeps the coefficients small where the series says little,
// and the forecast near that of the season before. Coefficients whose recursion runs away
// are not kept: λ is raised tenfold until an error of 1 leads to no more than stableResponse.
//
// Time O(n·lags²), space O(n + lags²).

const (
	// ridge and levelRidge are λ with and without differences. On the hourly series of M4
	// 1 to 50 make little difference in the first case; in the second, coefficients
	// sum to about 1 and more than 1 is too much.
	ridge      = 10
	levelRidge = 1
	// stableResponse bounds what an error of 1 may lead to in differences.
	stableResponse = 4
	// rowsForLag is how many known values a fit wants for each coefficient.
	rowsForLag = 6
	// mostLags is room for what lagsOf returns.
	mostLags = 24
)

// lagsOf appends the lags of a series of n values with seasons of m1 and m2 steps and
// differences over d: as many as n is long enough for, the most useful first.
func lagsOf(dst []int, n, m1, m2, d, most int) []int {
	add := func(lags ...int) {
		for _, l := range lags {
			rows := n - d - l
			if l > 0 && len(dst) < most && rows >= rowsForLag*(len(dst)+2) && rows >= n/4 && !slices.Contains(dst, l) {
				dst = append(dst, l)
			}
		}
	}
	add(1, 2, 3)
	if m1 > 1 {
		add(m1, m1-1, m1+1)
	}
	if m2 > 1 {
		add(m2, m2-1, m2+1)
	}
	add(4)
	if m1 > 1 {
		add(2*m1, 5, 6, m1-2, m1+2)
		for k := 3; k <= 6 && k*m1 < max(m2, 4*m1); k++ {
			add(k * m1)
		}
	}
	if m2 > 1 {
		add(m2-2, m2+2)
	} else if m1 > 1 {
		add(2*m1-1, 2*m1+1)
	}
	slices.Sort(dst)
	return dst
}

// Fit chooses lags for the periods of f, else those found, see
// [Fitter.Periods] and [Model]. Difference stays if it is not 0: 1 stands for the
// first season, or 1 step where there is none. Fewer than
// two seasons are taken as none. Fit wants three values.
func (m *Autoregression) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	p1, p2 := f.offered(series, tried)
	short := len(series) < 2*p1
	if short {
		p1 = 1
	}
	if len(series) < 2*p2 || p1 < 2 {
		p2 = 1
	}
	d := m.Difference
	if d > 0 && d != p2 {
		d = p1
	}
	n := len(series)
	*m = Autoregression{Period: p1, Period2: p2, Difference: d, MaxLags: m.MaxLags, Lags: m.Lags[:0], Coef: m.Coef[:0], memory: memory{Last: m.Last}}
	m.Lags = lagsOf(m.Lags, n, p1, p2, d, min(mostLags, cmp.Or(m.MaxLags, mostLags)))
	m.Coef = grow.Zero(m.Coef, len(m.Lags))
	f.regress(m, series)
	m.Last = grow.Zero(m.Last, m.back())
	fit := f.replay(m, series, len(m.Lags)+1)
	fit.Unseasoned = short
	return fit, nil
}

// regress sets the coefficients and the constant.
func (f *Fitter) regress(m *Autoregression, series []float64) {
	d := m.Difference
	f.filled = fill(f.filled, series)
	f.wave = grow.To(f.wave, len(series)-d)
	w := f.wave
	var mean, scale float64
	for i := range w {
		w[i] = f.filled[i+d]
		if d > 0 {
			w[i] -= f.filled[i]
		}
		mean += w[i] / float64(len(w))
	}
	shift := mean
	if d > 0 { // a mean of differences is a trend: the constant has it if the data say so
		shift = 0
	}
	for i := range w {
		w[i] -= shift
		scale = max(scale, math.Abs(w[i]))
	}
	if !(scale > 0) {
		m.Constant = shift
		return
	}
	square := 0.0
	for i := range w {
		w[i] /= scale
		square += w[i] * w[i] / float64(len(w))
	}
	p := len(m.Lags) + 1 // the constant is last
	f.gram, f.right = grow.Zero(f.gram, p*p), grow.Zero(f.right, p)
	f.row = grow.To(f.row, p)
	row := f.row
	row[p-1] = math.Sqrt(square)
	first := 0
	if p > 1 {
		first = m.Lags[p-2]
	}
	for k := first; k < len(w); k++ {
		if x := series[k+d]; x != x {
			continue
		}
		for i, l := range m.Lags {
			row[i] = w[k-l]
		}
		y := w[k]
		for i, a := range row {
			g := f.gram[i*p : i*p+i+1]
			for j := range g {
				g[j] += a * row[j]
			}
			f.right[i] += a * y
		}
	}
	lambda := float64(ridge)
	if d == 0 {
		lambda = levelRidge
	}
	for ; ; lambda *= 10 {
		f.cholesky(p, lambda*square)
		copy(m.Coef, f.coef)
		m.Constant = f.coef[p-1]*row[p-1]*scale + shift
		if d == 0 {
			for _, c := range m.Coef {
				m.Constant -= c * shift
			}
		}
		if f.stable(m, len(w)) || lambda > 1e12 {
			return
		}
	}
}

// cholesky sets f.coef to the solution of (G + λ·I)·x = right for p unknowns, by L·L'.
func (f *Fitter) cholesky(p int, lambda float64) {
	f.chol, f.coef = grow.To(f.chol, p*p), grow.To(f.coef, p)
	l, x := f.chol, f.coef
	for i := range p {
		for j := range i + 1 {
			s := f.gram[i*p+j]
			if i == j {
				s += lambda
			}
			for k := range j {
				s -= l[i*p+k] * l[j*p+k]
			}
			if i == j {
				l[i*p+i] = math.Sqrt(max(s, lambda*1e-9)) // λ bounds it from below but for rounding
			} else {
				l[i*p+j] = s / l[j*p+j]
			}
		}
	}
	for i := range p {
		s := f.right[i]
		for k := range i {
			s -= l[i*p+k] * x[k]
		}
		x[i] = s / l[i*p+i]
	}
	for i := p - 1; i >= 0; i-- {
		s := x[i]
		for k := i + 1; k < p; k++ {
			s -= l[k*p+i] * x[k]
		}
		x[i] = s / l[i*p+i]
	}
}

// stable reports whether an error of 1 in the differences dies out: over n steps it never
// leads to more than stableResponse, and in the second half to less than in the first.
func (f *Fitter) stable(m *Autoregression, n int) bool {
	n = max(n, 4*m.back())
	f.sums = grow.Zero(f.sums, n)
	r := f.sums
	r[0] = 1
	early, late := 1.0, 0.0
	for i := 1; i < n; i++ {
		x := 0.0
		for j, l := range m.Lags {
			if i < l {
				break
			}
			x += m.Coef[j] * r[i-l]
		}
		r[i] = x
		a := math.Abs(x)
		if !(a <= stableResponse) {
			return false
		}
		if i < n/2 {
			early = max(early, a)
		} else {
			late = max(late, a)
		}
	}
	return late < .9*early
}

// Least returns how many values Fit wants.
func (m *Autoregression) Least() int { return 3 }
