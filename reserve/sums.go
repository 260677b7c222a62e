package reserve

import (
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Sums of costs have 128 bits. They cannot overflow: a sum has at most 2³¹ slots of at
// most 2³¹ instances, each of less than 2⁶³.

// accumulate adds a·b, neither negative, to sum.
func accumulate(sum *wide.Uint, a, b int64) { sum.AddProduct(uint64(a), uint64(b)) }

// difference returns |a − b| and whether a < b.
func difference(a, b wide.Uint) (wide.Uint, bool) {
	if a.Less(b) {
		return b.Minus(a), true
	}
	return a.Minus(b), false
}

// half returns ⌊w/2⌋.
func half(w wide.Uint) wide.Uint { return wide.Uint{Hi: w.Hi >> 1, Lo: w.Lo>>1 | w.Hi<<63} }

// floor returns the amount ⌊w·common/scale⌋ and whether it fits.
func floor(w wide.Uint, common, scale int64) (pricing.Money, bool) {
	g := wide.GCD(common, scale)
	over, p := w.Times(uint64(common / g))
	q, _, ok := p.Over(uint64(scale / g))
	return pricing.Money(q), over == 0 && ok && q <= math.MaxInt64
}

// money turns a cost, which is not negative, back into money, rounded half to
// even. It reports false if the amount is out of range.
func (m *market) money(cost wide.Uint) (pricing.Money, bool) {
	// cost·common/scale, with a product of up to 192 bits.
	over, p := cost.Times(uint64(m.common))
	q, ok := p.Nearest(uint64(m.scale))
	return pricing.Money(q), over == 0 && ok && q <= math.MaxInt64
}

// gcd128 returns a common divisor of g and the product a·b of two numbers that
// are not negative: the greatest, unless g is 0 and the product does not fit.
func gcd128(g, a, b int64) int64 {
	if g == 0 {
		if p, ok := wide.Mul(a, b); ok {
			return p
		}
		return max(a, b) // a divisor of the product that fits, if not the greatest
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	_, r := bits.Div64(hi%uint64(g), lo, uint64(g))
	return wide.GCD(g, int64(r))
}
