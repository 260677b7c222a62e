package smoothing

import "math"

// normal holds the normal equations of the initial state: Σ e² from the state 0,
// Σ e·z and Σ z·z' of the sensitivities z, and the number of errors.
type normal struct {
	ee                           float64
	ez                           [3]float64
	z00, z01, z02, z11, z12, z22 float64
	n                            float64
}

// A sensitivity below forgotten is dropped: its squares are below 10⁻⁶⁰ of the sums,
// and close to numbers with which processors are slow. Most
// factors reach that point within some tens of values, and from there on the pass runs
// the recursion alone.
const forgotten = 1e-30

// stride is how many points pass between two checks for that.
const stride = 16

// collect1 is the pass for one-step errors of a level alone.
func (m *normal) collect1(f *Fitter, s *linear) {
	var l, ee, ep, pp, n float64
	p, k := 1.0, 1-s.k1
	y := f.y
	for ; len(y) > 0 && p > forgotten; y = y[min(stride, len(y)):] {
		for _, x := range y[:min(stride, len(y))] {
			if x != x {
				continue
			}
			e := x - l
			ee += e * e
			ep += e * p
			pp += p * p
			l += s.k1 * e
			p *= k
			n++
		}
	}
	for _, x := range y {
		if x == x {
			e := x - l
			ee += e * e
			l += s.k1 * e
			n++
		}
	}
	m.ee, m.ez[0], m.z00, m.n = ee, ep, pp, n
}

// collect2 is the pass for one-step errors of a level and a trend.
func (m *normal) collect2(f *Fitter, s *linear) {
	h, f22, k1, k2 := s.h, s.f22, s.k1, s.k2
	var l, b, ee, ep, eq, pp, pq, qq, n float64
	pl, pb, ql, qb := 1.0, 0.0, 0.0, 1.0
	y := f.y
	for ; len(y) > 0 && remembered(pl, pb, ql, qb); y = y[min(stride, len(y)):] {
		for _, x := range y[:min(stride, len(y))] {
			l, pl, ql = l+h*b, pl+h*pb, ql+h*qb
			b, pb, qb = f22*b, f22*pb, f22*qb
			if x != x {
				continue
			}
			e := x - l
			ee += e * e
			ep += e * pl
			eq += e * ql
			pp += pl * pl
			pq += pl * ql
			qq += ql * ql
			b, pb, qb = b+k2*e, pb-k2*pl, qb-k2*ql
			l, pl, ql = l+k1*e, pl-k1*pl, ql-k1*ql
			n++
		}
	}
	for _, x := range y {
		l += h * b
		b *= f22
		if x == x {
			e := x - l
			ee += e * e
			l, b = l+k1*e, b+k2*e
			n++
		}
	}
	m.ee, m.ez = ee, [3]float64{ep, eq}
	m.z00, m.z01, m.z11, m.n = pp, pq, qq, n
}

// remembered reports whether any sensitivity is above forgotten.
func remembered(a, b, c, d float64) bool {
	return math.Abs(a)+math.Abs(b)+math.Abs(c)+math.Abs(d) > forgotten
}

// A window has sums over the known values among the next Steps: of 1, y and y², which do not
// depend on the factors, and of g, g² and g·y, which do.
type window struct {
	n, y, yy  float64
	g, gg, gy float64
}

// slide computes the sums of each window that depend on the factors. It goes from the last window
// to the first, and computes the sums of a window from those of the window one point later. Window
// i has the Steps values after point i, y_{i+1}, y_{i+2} and so on. The trend moves the forecast s
// steps ahead by g_s, and g_{s+1} = φ + φ·g_s. Let w be 0 for a missing value and 1 otherwise. Then
//
//	Σ g_s·w_{i+s} = φ·(Σ w_{i+s} + Σ g_s·w_{i+1+s} − the term of the last value of window i+1).
//
// The sum of g·y follows in the same way. The sum of g² follows from g_{s+1}² = φ²·(1 + 2·g_s +
// g_s²).
func (f *Fitter) slide(h float64) {
	steps := len(f.g)
	far := f.g[steps-1]
	var g, gg, gy float64
	for i := len(f.y) - 1; i >= 0; i-- {
		if i+steps < len(f.y) {
			if y := f.y[i+steps]; y == y {
				g -= far
				gg -= far * far
				gy -= far * y
			}
		}
		a := &f.ahead[i]
		gg = h * h * (a.n + 2*g + gg)
		g = h * (a.n + g)
		gy = h * (a.y + gy)
		a.g, a.gg, a.gy = g, gg, gy
	}
}

// collectSteps is the pass for the errors of several steps, of a level and a trend.
// With r_s the error s steps ahead, Σ_s r_s·(p + g_s·p') = p·Σ r_s + p'·Σ g_s·r_s. So
// a point needs only Σ r, Σ g·r and Σ r², which follow from the sums of its window,
// and the pass takes O(n) time whatever the number of steps.
func (m *normal) collectSteps(f *Fitter, s *linear) {
	h, f22, k1, k2 := s.h, s.f22, s.k1, s.k2
	f.slide(h)
	var l, b, ee, ep, eq, pp, pq, qq, n float64
	pl, pb, ql, qb := 1.0, 0.0, 0.0, 1.0
	for i, x := range f.y {
		a := &f.ahead[i]
		r0 := a.y - l*a.n - b*a.g
		r1 := a.gy - l*a.g - b*a.gg
		ee += a.yy - l*(a.y+r0) - b*(a.gy+r1)
		ep += pl*r0 + pb*r1
		eq += ql*r0 + qb*r1
		pp += pl*pl*a.n + 2*pl*pb*a.g + pb*pb*a.gg
		pq += pl*ql*a.n + (pl*qb+ql*pb)*a.g + pb*qb*a.gg
		qq += ql*ql*a.n + 2*ql*qb*a.g + qb*qb*a.gg
		n += a.n
		l, pl, ql = l+h*b, pl+h*pb, ql+h*qb
		b, pb, qb = f22*b, f22*pb, f22*qb
		if x == x {
			e := x - l
			b, pb, qb = b+k2*e, pb-k2*pl, qb-k2*ql
			l, pl, ql = l+k1*e, pl-k1*pl, ql-k1*ql
		}
		if i%stride == 0 && !remembered(pl, pb, ql, qb) {
			pl, pb, ql, qb = 0, 0, 0, 0
		}
	}
	m.ee, m.ez = ee, [3]float64{ep, eq}
	m.z00, m.z01, m.z11, m.n = pp, pq, qq, n
	if f.kind == kindSimple {
		m.z01, m.z11, m.ez[1] = 0, 0, 0
	}
}

// collect3 is the pass for level, trend and acceleration, any number of steps.
func (m *normal) collect3(f *Fitter, s *linear) {
	var l, b, c float64
	zl, zb, zc := [3]float64{1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1}
	for i, x := range f.y {
		for j, y := range f.y[i:min(len(f.y), i+len(f.g))] {
			if y != y {
				continue
			}
			g, q := f.g[j], f.q[j]
			r := y - l - g*b - q*c
			z0, z1, z2 := zl[0]+g*zb[0]+q*zc[0], zl[1]+g*zb[1]+q*zc[1], zl[2]+g*zb[2]+q*zc[2]
			m.ee += r * r
			m.ez[0] += r * z0
			m.ez[1] += r * z1
			m.ez[2] += r * z2
			m.z00 += z0 * z0
			m.z01 += z0 * z1
			m.z02 += z0 * z2
			m.z11 += z1 * z1
			m.z12 += z1 * z2
			m.z22 += z2 * z2
			m.n++
		}
		e := 0.0
		l, b, c = l+s.h*b+s.q*c, s.f22*b+s.f23*c, s.f33*c
		if x == x {
			e = x - l
		}
		l, b, c = l+s.k1*e, b+s.k2*e, c+s.k3*e
		for j := range zl {
			zl[j], zb[j], zc[j] = zl[j]+s.h*zb[j]+s.q*zc[j], s.f22*zb[j]+s.f23*zc[j], s.f33*zc[j]
			if x == x {
				z := zl[j]
				zl[j], zb[j], zc[j] = z-s.k1*z, zb[j]-s.k2*z, zc[j]-s.k3*z
			}
			if i%stride == 0 && !remembered(zl[j], zb[j], zc[j], 0) {
				zl[j], zb[j], zc[j] = 0, 0, 0
			}
		}
	}
}

// pivotTolerance: a pivot below this part of its diagonal element is
// rounding (2⁻⁵² times the condition of a system of 3 unknowns whose
// columns differ by up to n² = 10⁶), and its state stays 0.
const pivotTolerance = 1e-10

// solve sets x to the solution of the normal equations, by Cholesky's L·D·L', and
// returns the mean square that it leaves.
func (m *normal) solve(x *[3]float64) float64 {
	*x = [3]float64{}
	if m.n == 0 {
		return 0
	}
	inverse := func(d, whole float64) float64 {
		if d > pivotTolerance*whole {
			return 1 / d
		}
		return 0
	}
	i0 := inverse(m.z00, m.z00)
	l10, l20 := m.z01*i0, m.z02*i0
	d1 := m.z11 - l10*m.z01
	i1 := inverse(d1, m.z11)
	l21 := (m.z12 - l20*m.z01) * i1
	d2 := m.z22 - l20*m.z02 - l21*(m.z12-l20*m.z01)
	i2 := inverse(d2, m.z22)
	y0 := m.ez[0]
	y1 := m.ez[1] - l10*y0
	y2 := m.ez[2] - l20*y0 - l21*y1
	// What each pivot explains is y²/d.
	left := m.ee - y0*y0*i0 - y1*y1*i1 - y2*y2*i2
	x[2] = y2 * i2
	x[1] = y1*i1 - l21*x[2]
	x[0] = y0*i0 - l10*x[1] - l20*x[2]
	return max(0, left) / m.n
}
