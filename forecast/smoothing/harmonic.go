package smoothing

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Harmonic is a model with a level l, a damped trend b and a season that is a sum of a few sine
// waves. It is the model of [DeLivera11] without the other parts of that model. Wave k has a value
// s_k and a companion c_k, which together hold its height and its phase. With θ = 2π/Period, the
// forecast p of the next observation x and the update are:
//
//	p = l + φ·b + Σ_k (s_k·cos kθ + c_k·sin kθ),    e = x − p
//	l += φ·b + α·e      b = φ·b + α·β·e
//	s_k = s_k·cos kθ + c_k·sin kθ + γ·e      c_k = c_k·cos kθ − s_k·sin kθ
//
// The right sides have the values from before the update.
//
// Harmonic is for long smooth seasons, such as a year in weeks. Two or three years say little about
// each of 52 weekly effects, but enough about three waves. Period need not be whole: a year has
// 365.25/7 = 52.18 weeks.
//
// Start: Update begins as [Simple] with the factor Alpha, without waves and trend. Fit begins with
// the level, the trend and the waves that least squares fit to the series. A missing observation
// counts as e = 0.
//
// A copy of the model shares its waves.
type Harmonic struct {
	Period float64 `json:"period"` // steps of the season; 0 is none

	Alpha float64 `json:"alpha"` // smoothing factor of the level, in [0, 1]
	Beta  float64 `json:"beta"`  // of the trend, in [0, 1]
	Phi   float64 `json:"phi"`   // damping of the trend, in [0, 1]; 0 stands for 1
	Gamma float64 `json:"gamma"` // of the waves, in [0, 1]
	waves
}

// waves are the state of Harmonic.
type waves struct {
	Level  float64   `json:"level"`
	Trend  float64   `json:"trend"`
	Sine   []float64 `json:"sine"`   // s, for each harmonic
	Cosine []float64 `json:"cosine"` // c
	N      int       `json:"n"`      // observations taken, without missing ones
}

// turn returns cos θ and sin θ.
func (m *Harmonic) turn() (cos, sin float64) {
	if !(m.Period > 0) {
		return 1, 0
	}
	sin, cos = math.Sincos(2 * math.Pi / m.Period)
	return cos, sin
}

// Ready reports whether there is an observation.
func (m *Harmonic) Ready() bool { return m.N > 0 }

// Update takes the next observation, see [Model]. It takes O(harmonics) time.
func (m *Harmonic) Update(x float64) {
	if m.N == 0 {
		if usable(x) {
			m.Level, m.N = x, 1
		}
		return
	}
	b := damping(m.Phi) * m.Trend
	l := m.Level + b
	cos, sin := m.turn()
	p, u, v := l, cos, sin
	for k, s := range m.Sine {
		c := m.Cosine[k]
		s, c = s*u+c*v, c*u-s*v
		m.Sine[k], m.Cosine[k] = s, c
		p += s
		u, v = u*cos-v*sin, u*sin+v*cos
	}
	if usable(x) {
		e := x - p
		if g := m.Gamma * e; usable(g) {
			for k := range m.Sine {
				m.Sine[k] = min(Largest, max(-Largest, m.Sine[k]+g))
			}
		}
		l += m.Alpha * e
		b += m.Alpha * m.Beta * e
		m.N++
	}
	if usable(l) && usable(b) {
		m.Level, m.Trend = l, b
	}
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *Harmonic) Forecast(dst []float64) {
	phi, l, b := damping(m.Phi), m.Level, m.Trend
	for i := range dst {
		b *= phi
		l += b
		dst[i] = l
	}
	m.wave(dst, m.Sine, m.Cosine)
	within(dst)
}

// wave adds the waves of states s and c to dst.
func (m *Harmonic) wave(dst, s, c []float64) {
	cos, sin := m.turn()
	u, v := cos, sin
	for k := range s {
		a, b := s[k], c[k]
		for i := range dst {
			a, b = a*u+b*v, b*u-a*v
			dst[i] += a
		}
		u, v = u*cos-v*sin, u*sin+v*cos
	}
}

// Deviate runs the recursion from 0, all harmonics at once. The waves that an error starts
// add up to γ·Σ_k cos(k·θ·j) after j steps. So it is enough to have one state for each, in
// an array.
func (m *Harmonic) Deviate(dst []float64) {
	var s, c [mostHarmonics]float64
	n := min(len(m.Sine), mostHarmonics)
	phi, l, b := damping(m.Phi), 0.0, 0.0
	cos, sin := m.turn()
	for i, e := range dst {
		b *= phi
		l += b
		p, u, v := l, cos, sin
		for k := range n {
			s[k], c[k] = s[k]*u+c[k]*v, c[k]*u-s[k]*v
			p += s[k]
			u, v = u*cos-v*sin, u*sin+v*cos
			s[k] += m.Gamma * e
		}
		dst[i] = p + e
		l += m.Alpha * e
		b += m.Alpha * m.Beta * e
	}
}

// Validate returns a *pricing.InputError if a factor or the state is out of range.
func (m *Harmonic) Validate() error {
	if !(m.Period >= 0 && m.Period <= mostPeriod) || m.Period > 0 && m.Period < 2 {
		return badInput("Period", -1, ErrFactor, "%v steps: want 0 for none, or 2 to %d", m.Period, mostPeriod)
	}
	if err := checkFactors("Alpha Beta Phi Gamma", m.Alpha, m.Beta, m.Phi, m.Gamma); err != nil {
		return err
	}
	if len(m.Sine) != len(m.Cosine) || len(m.Sine) > mostHarmonics {
		return badInput("Sine", -1, ErrLength, "%d harmonics, %d in Cosine: want as many, %d at most", len(m.Sine), len(m.Cosine), mostHarmonics)
	}
	for i := range m.Sine {
		if !usable(m.Sine[i]) || !usable(m.Cosine[i]) {
			return badInput("Sine", i, ErrValue, "%v and %v: want numbers within %v", m.Sine[i], m.Cosine[i], Largest)
		}
	}
	return checkState(m.N, 0, m.Level, m.Trend)
}

// The fit minimises the sum of the squared one-step errors over the factors. For each
// number of harmonics the start is the least squares fit of a line and the waves to the
// whole series. The number is the one with the least criterion of Akaike at middling
// factors. A period of 52 is taken as a year of 52.18 weeks, and 365 as 365.25 days, if
// that fits better.
//
// Time O(n·harmonics) for each of some 200 evaluations, and O(n·harmonics²) for the start.

// mostHarmonics bounds the number of waves.
const mostHarmonics = 6

// A harmonicFit is the objective of the fit.
type harmonicFit struct {
	m            Harmonic
	y            []float64
	level, trend float64
	sine, cosine [mostHarmonics]float64
	s, c         [mostHarmonics]float64 // behind m
	k            int
	damped       bool
	lo, hi       point
	evals        int
}

func (w *harmonicFit) value(x *point) float64 {
	w.evals++
	w.begin(x)
	m, sum := &w.m, 0.0
	cos, sin := m.turn()
	phi, l, b := damping(m.Phi), m.Level, m.Trend
	for _, x := range w.y {
		b *= phi
		l += b
		p, u, v := l, cos, sin
		for k := range w.k {
			s, c := w.s[k]*u+w.c[k]*v, w.c[k]*u-w.s[k]*v
			w.s[k], w.c[k] = s, c
			p += s
			u, v = u*cos-v*sin, u*sin+v*cos
		}
		if x != x {
			continue
		}
		e := x - p
		sum += e * e
		for k := range w.k {
			w.s[k] += m.Gamma * e
		}
		l += m.Alpha * e
		b += m.Alpha * m.Beta * e
	}
	return sum
}

// begin sets the model to its start and the factors.
func (w *harmonicFit) begin(x *point) {
	m := &w.m
	m.Alpha, m.Beta, m.Gamma, m.Phi = x[0], x[1], x[2], 0
	if w.damped {
		m.Phi = x[3]
	}
	m.Level, m.Trend, m.N = w.level, w.trend, 1
	w.s, w.c = w.sine, w.cosine
}

// start sets level, trend and waves before the series, by least squares with k harmonics,
// and returns the sum of squares that these leave.
func (w *harmonicFit) start(f *Fitter, k int) {
	w.k = k
	p := 2 + 2*k
	f.gram, f.right, f.row = grow.Zero(f.gram, p*p), grow.Zero(f.right, p), grow.To(f.row, p)
	row := f.row
	n := float64(len(w.y))
	cos, sin := w.m.turn()
	cu, su := cos, sin // at step 1
	for t, y := range w.y {
		row[0], row[1] = 1, float64(t+1)/n
		u, v := cu, su
		for j := range k {
			row[2+2*j], row[3+2*j] = u, v
			u, v = u*cu-v*su, u*su+v*cu
		}
		cu, su = cu*cos-su*sin, cu*sin+su*cos
		if y != y {
			continue
		}
		for i, a := range row {
			for j := range i + 1 {
				f.gram[i*p+j] += a * row[j]
			}
			f.right[i] += a * y
		}
	}
	f.cholesky(p, 1e-9*n)
	w.level, w.trend = f.coef[0], f.coef[1]/n
	w.sine, w.cosine = [mostHarmonics]float64{}, [mostHarmonics]float64{}
	for j := range k {
		w.sine[j], w.cosine[j] = f.coef[2+2*j], f.coef[3+2*j]
	}
}

// Fit chooses the number of harmonics, six at most, and fits them, the trend and the
// factors, see [Model]. Phi in (0, 1) is fitted too. The period is that of f, else found,
// see [Fitter.Periods]. Where the series has fewer than two seasons, or none is found,
// there are no waves. Fit wants six values.
func (m *Harmonic) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	period, _ := f.offered(series, none)
	short := len(series) < 2*period
	if short {
		period = 1
	}
	w := &f.harmonic
	f.wave = f.standard(f.wave, series)
	shift, scale := f.shift, f.scale
	w.y, w.evals, w.damped = f.wave, 0, m.Phi > 0 && m.Phi < 1
	w.lo, w.hi = point{wintersLow, wintersLow, 0, phiMin}, point{wintersHigh, wintersHigh, .3, phiMax}
	d := 3
	if w.damped {
		d = 4
	}
	n := known(series)
	w.chooseWaves(f, period, n)
	best := w.minimise(f, d, n)
	w.begin(&best)
	sine, cosine := append(m.Sine[:0], w.sine[:w.k]...), append(m.Cosine[:0], w.cosine[:w.k]...)
	*m = w.m
	m.Level, m.Trend, m.Sine, m.Cosine = m.Level*scale+shift, m.Trend*scale, sine, cosine
	for k := range sine {
		sine[k] *= scale
		cosine[k] *= scale
	}
	f.evals = w.evals
	fit := f.replay(m, series, d+2+2*w.k)
	m.N, fit.Unseasoned = fit.N, short
	return fit, nil
}

// middling are the factors at which the number of waves is chosen.
var middling = point{.1, .05, .01, (phiMin + phiMax) / 2}

// chooseWaves begins with the period and the number of waves that have the least criterion of
// Akaike for a season of so many steps, 1 for none, and n known values.
func (w *harmonicFit) chooseWaves(f *Fitter, season, n int) {
	periods := [2]float64{float64(season)}
	list := periods[:1]
	switch {
	case season < 2:
		periods[0] = 0
	case season == 52:
		list = append(list, 365.25/7)
	case season == 365:
		list = append(list, 365.25)
	}
	bestPeriod, bestK, least := 0.0, 0, math.Inf(1)
	for _, p := range list {
		w.m.Period = p
		for k := 0; k <= mostHarmonics && 2*k <= season && (k == 0 || p > 0); k++ {
			w.start(f, k)
			f.walker.trial = middling
			if v := aicc(w.value(&f.walker.trial)/float64(n), n, 6+2*k); v < least {
				bestPeriod, bestK, least = p, k, v
			}
		}
	}
	w.m.Period = bestPeriod
	w.start(f, bestK)
}

// minimise returns the best d factors: down from the best point of a coarse grid. A line and
// waves that never move are the surest far ahead, so what moves them must pay for itself.
func (w *harmonicFit) minimise(f *Fitter, d, n int) point {
	value := func(x point) float64 {
		f.walker.trial = x
		return w.value(&f.walker.trial)
	}
	best, low := middling, math.Inf(1)
	for _, a := range [...]float64{.01, .1, .5} {
		for _, g := range [...]float64{0, .02} {
			x := point{a, .05, g, middling[3]}
			if v := value(x); v < low {
				best, low = x, v
			}
		}
	}
	best, low = f.walker.simplex(w, &w.lo, &w.hi, best, low, d, .5)
	for _, x := range [...]point{{wintersLow, wintersLow, 0, w.hi[3]}, {best[0], wintersLow, 0, best[3]}, {best[0], wintersLow, best[2], best[3]}} {
		free := 1
		if x[0] == wintersLow {
			free = 0
		} else if x[2] > 0 {
			free = 2
		}
		if aicc(value(x)/float64(n), n, 3+2*w.k+free) <= aicc(low/float64(n), n, 3+2*w.k+d) {
			return x
		}
	}
	return best
}

// known returns the number of values that are not missing.
func known(series []float64) int {
	n := 0
	for _, x := range series {
		if x == x {
			n++
		}
	}
	return n
}

// Least returns how many values Fit wants.
func (m *Harmonic) Least() int { return 6 }
