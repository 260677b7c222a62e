package lsq

import "math"

// Double-double arithmetic. A number is the unevaluated sum of two float64. The second
// is at most half a unit in the last place of the first, so a number has 106 bits or
// more.
//
// The rounding error of a sum or a product of two float64 is itself a float64 (except on
// overflow and underflow) and can be computed: [Dekker71], [Knuth97]. The functions
// below carry these errors along.
//
// Products that are added to something are written float64(x*y). Without the conversion,
// a compiler may fuse the two operations on some machines, and results would differ
// between machines.

// dd is hi + lo.
type dd struct{ hi, lo float64 }

// twoSum returns a + b exactly.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum returns a + b exactly if |a| ≥ |b| or a is 0.
func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProd returns a·b exactly.
func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

// add returns a + b with a relative error of little more than 3·2⁻¹⁰⁶ [Joldes17].
func (a dd) add(b dd) dd {
	s := twoSum(a.hi, b.hi)
	t := twoSum(a.lo, b.lo)
	v := fastTwoSum(s.hi, s.lo+t.hi)
	return fastTwoSum(v.hi, v.lo+t.lo)
}

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

// mul returns a·b.
func (a dd) mul(b dd) dd {
	p := twoProd(a.hi, b.hi)
	return fastTwoSum(p.hi, math.FMA(a.lo, b.hi, math.FMA(a.hi, b.lo, p.lo)))
}

// mulFloat returns a·b.
func (a dd) mulFloat(b float64) dd {
	p := twoProd(a.hi, b)
	return fastTwoSum(p.hi, math.FMA(a.lo, b, p.lo))
}

// div returns a/b, by two steps of long division and a remainder.
func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.sub(b.mulFloat(q))
	t := r.hi / b.hi
	r = r.sub(b.mulFloat(t))
	return fastTwoSum(q, t).add(dd{r.hi / b.hi, 0})
}

// sqrt returns the root of a ≥ 0, by one step of Newton's method.
func (a dd) sqrt() dd {
	if a.hi <= 0 {
		return dd{}
	}
	r := math.Sqrt(a.hi)
	e := a.sub(twoProd(r, r))
	return fastTwoSum(r, e.hi/(2*r))
}

// The kernels work on vectors of dd as two slices each. A dot product sums the errors of
// its sums and products apart from the sums ([Ogita05] Dot2, with the low parts of the
// factors). So each element waits for one addition only. Over m elements, the error is
// at most about m²·2⁻¹⁰⁶ times the sum of the absolute products, so long vectors are cut
// into blocks.

// block is the length up to which the errors of a dot product are summed plainly: its
// square is 2¹², which leaves 94 bits.
const block = 64

// dot returns Σ x_i·y_i.
func dot(xh, xl, yh, yl []float64) dd {
	var sum dd
	for len(xh) > block {
		sum = sum.add(dotBlock(xh[:block], xl[:block], yh[:block], yl[:block]))
		xh, xl, yh, yl = xh[block:], xl[block:], yh[block:], yl[block:]
	}
	return sum.add(dotBlock(xh, xl, yh, yl))
}

func dotBlock(xh, xl, yh, yl []float64) dd {
	var s, c float64
	xl, yh, yl = xl[:len(xh)], yh[:len(xh)], yl[:len(xh)]
	for i, x := range xh {
		y := yh[i]
		p := float64(x * y)
		e := math.FMA(x, y, -p) + (float64(x*yl[i]) + float64(xl[i]*y))
		t := s + p
		z := t - s
		c += ((s - (t - z)) + (p - z)) + e
		s = t
	}
	return twoSum(s, c)
}

// dotFloat returns Σ x_i·y_i.
func dotFloat(xh, xl, y []float64) dd {
	var sum dd
	for len(xh) > block {
		sum = sum.add(dotFloatBlock(xh[:block], xl[:block], y[:block]))
		xh, xl, y = xh[block:], xl[block:], y[block:]
	}
	return sum.add(dotFloatBlock(xh, xl, y))
}

func dotFloatBlock(xh, xl, yh []float64) dd {
	var s, c float64
	xl, yh = xl[:len(xh)], yh[:len(xh)]
	for i, x := range xh {
		y := yh[i]
		p := float64(x * y)
		e := math.FMA(x, y, -p) + float64(xl[i]*y)
		t := s + p
		z := t - s
		c += ((s - (t - z)) + (p - z)) + e
		s = t
	}
	return twoSum(s, c)
}

// subScaled sets y to y − a·x.
func subScaled(yh, yl []float64, a dd, xh, xl []float64) {
	yl, xh, xl = yl[:len(yh)], xh[:len(yh)], xl[:len(yh)]
	ah, al := -a.hi, -a.lo
	for i, y := range yh {
		x := xh[i]
		p := float64(ah * x)
		e := math.FMA(ah, x, -p) + (float64(ah*xl[i]) + float64(al*x))
		s := y + p
		z := s - y
		e += ((y - (s - z)) + (p - z)) + yl[i]
		t := s + e
		yh[i], yl[i] = t, e-(t-s)
	}
}

// subScaledFloat sets y to y − a·x.
func subScaledFloat(yh, yl []float64, a dd, xh []float64) {
	yl, xh = yl[:len(yh)], xh[:len(yh)]
	ah, al := -a.hi, -a.lo
	for i, y := range yh {
		x := xh[i]
		p := float64(ah * x)
		e := math.FMA(ah, x, -p) + float64(al*x)
		s := y + p
		z := s - y
		e += ((y - (s - z)) + (p - z)) + yl[i]
		t := s + e
		yh[i], yl[i] = t, e-(t-s)
	}
}

// dotTriple returns Σ x_i·y_i as one float64, for sums much smaller than their terms. It
// has three parts of 53 bits to cancel; dotFloat has two.
func dotTriple(xh, xl, y []float64) float64 {
	var s, c, d float64
	xl, y = xl[:len(xh)], y[:len(xh)]
	for i, x := range xh {
		p, q := twoProd(x, y[i]), twoProd(xl[i], y[i])
		t := twoSum(s, p.hi)
		s = t.hi
		e := twoSum(t.lo, p.lo)
		f := twoSum(e.hi, q.hi)
		g := twoSum(c, f.hi)
		c = g.hi
		d += (e.lo + f.lo) + (g.lo + q.lo)
	}
	t := twoSum(s, c)
	return t.hi + (t.lo + d)
}
