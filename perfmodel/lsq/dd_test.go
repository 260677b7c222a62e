package lsq

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// wide has so many digits that what is computed here is exact, or nearly.
func wide(v float64) *big.Float { return new(big.Float).SetPrec(500).SetFloat64(v) }

func (a dd) wide() *big.Float {
	v := wide(a.hi)
	return v.Add(v, wide(a.lo))
}

// off returns |got − want| over the size.
func off(got, want, size *big.Float) float64 {
	d := wide(0).Sub(got, want)
	if d.Sign() == 0 {
		return 0
	}
	v, _ := d.Quo(d.Abs(d), size).Float64()
	return v
}

// randomPair returns a normalised pair of any sign and very different sizes.
func randomPair(rnd *rand.Rand) dd {
	hi := math.Ldexp(rnd.NormFloat64(), rnd.IntN(40)-20)
	return twoSum(hi, hi*(rnd.Float64()-0.5)*0x1p-53)
}

// Sums, products, quotients and roots of pairs against wide numbers: relative errors
// by [Joldes17], which are 3u² of a sum and 5u² to 15u² of the others with u² =
// 2⁻¹⁰⁶. Results are normalised.
func TestPairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		a, b := randomPair(rnd), randomPair(rnd)
		if rnd.IntN(4) == 0 { // cancel
			b.hi = -a.hi * (1 + float64(rnd.IntN(3))*0x1p-52)
			b.lo = b.hi * (rnd.Float64() - 0.5) * 0x1p-53
			b = twoSum(b.hi, b.lo)
		}
		f := rnd.NormFloat64()
		c := a
		if a.hi < 0 {
			c = a.neg()
		}
		for _, op := range []struct {
			name  string
			got   dd
			want  *big.Float
			bound float64
		}{
			{"a + b", a.add(b), wide(0).Add(a.wide(), b.wide()), 3.1},
			{"a − b", a.sub(b), wide(0).Sub(a.wide(), b.wide()), 3.1},
			{"a·b", a.mul(b), wide(0).Mul(a.wide(), b.wide()), 6},
			{"a·f", a.mulFloat(f), wide(0).Mul(a.wide(), wide(f)), 3},
			{"a/b", a.div(b), wide(0).Quo(a.wide(), b.wide()), 15},
			{"√a", c.sqrt(), wide(0).Sqrt(c.wide()), 15},
			{"twoSum", twoSum(a.hi, f), wide(0).Add(wide(a.hi), wide(f)), 0},
			{"twoProd", twoProd(a.hi, f), wide(0).Mul(wide(a.hi), wide(f)), 0},
		} {
			if op.want.Sign() == 0 {
				if op.got != (dd{}) {
					t.Fatalf("%s: a %v, b %v: %v, want 0", op.name, a, b, op.got)
				}
				continue
			}
			if e := off(op.got.wide(), op.want, wide(0).Abs(op.want)) * 0x1p106; e > op.bound {
				t.Fatalf("%s: a %v, b %v: off by %.3gu²", op.name, a, b, e)
			}
			if op.got.hi+op.got.lo != op.got.hi {
				t.Fatalf("%s: %v is not normalised", op.name, op.got)
			}
		}
	}
}

// Products of vectors, short and longer than the blocks they are summed in: the
// error against the sum of absolute products is at most 2⁻⁹⁴, and 2⁻¹⁴⁰ in three
// parts, of which only what is left is told.
func TestVectors(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, m := range []int{0, 1, 2, 7, 63, 64, 65, 1000, 10000, -10000} {
		same := m < 0 // all elements, so that errors add up
		m = max(m, -m)
		vector := func() (hi, lo []float64) {
			v := randomPair(rnd)
			for range m {
				if !same {
					v = randomPair(rnd)
				}
				hi, lo = append(hi, v.hi), append(lo, v.lo)
			}
			return hi, lo
		}
		xh, xl := vector()
		yh, yl := vector()
		full, plain, size := wide(0), wide(0), wide(0x1p-100)
		for i := range m {
			x := dd{xh[i], xl[i]}.wide()
			p := wide(0).Mul(x, dd{yh[i], yl[i]}.wide())
			full.Add(full, p)
			size.Add(size, p.Abs(p))
			plain.Add(plain, x.Mul(x, wide(yh[i])))
		}
		if e := off(dot(xh, xl, yh, yl).wide(), full, size); e > 0x1p-94 {
			t.Errorf("%d elements: dot is off by 2^%.1f", m, math.Log2(e))
		}
		if e := off(dotFloat(xh, xl, yh).wide(), plain, size); e > 0x1p-94 {
			t.Errorf("%d elements: dotFloat is off by 2^%.1f", m, math.Log2(e))
		}
		a := randomPair(rnd)
		zh, zl := append([]float64(nil), yh...), append([]float64(nil), yl...)
		subScaled(zh, zl, a, xh, xl)
		wh, wl := append([]float64(nil), yh...), append([]float64(nil), yl...)
		subScaledFloat(wh, wl, a, xh)
		for i := range m {
			y := dd{yh[i], yl[i]}.wide()
			p := wide(0).Mul(a.wide(), dd{xh[i], xl[i]}.wide())
			size := wide(0).Add(wide(math.Abs(yh[i])), wide(0).Abs(p))
			if e := off(dd{zh[i], zl[i]}.wide(), wide(0).Sub(y, p), size); e > 0x1p-102 {
				t.Fatalf("subScaled is off by 2^%.1f", math.Log2(e))
			}
			p.Mul(a.wide(), wide(xh[i]))
			if e := off(dd{wh[i], wl[i]}.wide(), wide(0).Sub(y, p), size); e > 0x1p-102 {
				t.Fatalf("subScaledFloat is off by 2^%.1f", math.Log2(e))
			}
		}
		if m == 0 || m > 1000 {
			continue
		}
		// Make the sum cancel to 2⁻⁸⁰ or so: the last element takes what is left.
		rest := dotFloat(xh[:m-1], xl[:m-1], yh[:m-1])
		yh[m-1] = 1
		xh[m-1], xl[m-1] = -rest.hi, -rest.lo
		exact := wide(0)
		for i := range m {
			exact.Add(exact, wide(0).Mul(dd{xh[i], xl[i]}.wide(), wide(yh[i])))
		}
		got := wide(dotTriple(xh, xl, yh))
		size.Add(size, wide(math.Abs(rest.hi)))
		// Rounding to one float64 is relative to what is left.
		left := wide(0).Abs(exact)
		bound := left.Mul(left, wide(0x1p-52))
		bound.Add(bound, wide(0).Mul(size, wide(0x1p-140)))
		if d := wide(0).Sub(got, exact); d.Abs(d).Cmp(bound) > 0 {
			t.Errorf("%d elements: dotTriple is %g, want %g", m, got, exact)
		}
	}
}
