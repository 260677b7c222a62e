package pricing

import (
	"math"
	"math/bits"
)

// words is the length of a long: six words hold the products of the envelope,
// which are the longest of this package (see envelope.go).
const words = 6

// long is an unsigned integer of 384 bits, least significant word first. Its
// operations are schoolbook arithmetic on the stack: exact, and without the
// memory that math/big needs. No operation can overflow where it is used; each
// use states its bound in bits.
type long [words]uint64

// product returns a·b.
func product(a, b uint64) long {
	hi, lo := bits.Mul64(a, b)
	return long{lo, hi}
}

// times returns w·x.
func (w long) times(x uint64) long {
	var carry uint64
	for i, v := range w {
		hi, lo := bits.Mul64(v, x)
		var c uint64
		w[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return w
}

// by returns w·x for an x of at most words/2 words, as w is.
func (w long) by(x long) long {
	var p long
	for i := range words / 2 {
		row := w.times(x[i])
		var carry uint64
		for j := i; j < words; j++ {
			p[j], carry = bits.Add64(p[j], row[j-i], carry)
		}
	}
	return p
}

// plus returns w + x.
func (w long) plus(x long) long {
	var carry uint64
	for i := range w {
		w[i], carry = bits.Add64(w[i], x[i], carry)
	}
	return w
}

// minus returns w - x for x ≤ w.
func (w long) minus(x long) long {
	var borrow uint64
	for i := range w {
		w[i], borrow = bits.Sub64(w[i], x[i], borrow)
	}
	return w
}

// compare returns -1, 0 or 1 as w is less than, equal to or greater than x.
func (w long) compare(x long) int {
	for i := words - 1; i >= 0; i-- {
		switch {
		case w[i] < x[i]:
			return -1
		case w[i] > x[i]:
			return 1
		}
	}
	return 0
}

// length returns the length of w in bits, 0 for 0.
func (w long) length() int {
	for i := words - 1; i >= 0; i-- {
		if w[i] != 0 {
			return 64*i + bits.Len64(w[i])
		}
	}
	return 0
}

// shift returns w·2ⁿ.
func (w long) shift(n int) long {
	var s long
	for i := words - 1; i >= n/64; i-- {
		s[i] = w[i-n/64] << (n % 64)
		if j := i - n/64 - 1; n%64 != 0 && j >= 0 {
			s[i] |= w[j] >> (64 - n%64)
		}
	}
	return s
}

// half returns ⌊w/2⌋.
func (w long) half() long {
	for i := range words - 1 {
		w[i] = w[i]>>1 | w[i+1]<<63
	}
	w[words-1] >>= 1
	return w
}

// over returns ⌊w/x⌋ and what is left, and whether the quotient fits in a word. x
// is not zero. Two words over one, as most are, take the machine's division, and
// the others binary long division, a hundred times slower.
func (w long) over(x long) (q uint64, rest long, ok bool) {
	if w.length() <= 128 && x.length() <= 64 {
		if w[1] >= x[0] {
			return 0, w, false
		}
		q, rest[0] = bits.Div64(w[1], w[0], x[0])
		return q, rest, true
	}
	n := w.length() - x.length()
	if n < 0 {
		return 0, w, true
	}
	if n > 64 {
		return 0, w, false
	}
	for d := x.shift(n); n >= 0; n-- {
		if q>>63 != 0 {
			return 0, w, false
		}
		q <<= 1
		if w.compare(d) >= 0 {
			w = w.minus(d)
			q |= 1
		}
		d = d.half()
	}
	return q, w, true
}

// money returns ±w/x nanos rounded by r, and whether that fits. x is not zero.
func (w long) money(x long, r Rounding) (Money, bool) {
	q, rest, ok := w.over(x)
	if !ok {
		return 0, false
	}
	if r.step(q&1 != 0, rest != long{}, rest.compare(x.minus(rest))) {
		if q++; q == 0 {
			return 0, false
		}
	}
	return Money(q), q <= math.MaxInt64
}

// ratio returns w/x ≤ 1 as the nearest float64, halves to even. x is not zero;
// w·2⁶⁴ and x·2⁶⁴ must fit.
func (w long) ratio(x long) float64 {
	if w == (long{}) {
		return 0
	}
	scale := 62 + x.length() - w.length() // 2⁶¹ < quotient < 2⁶³
	q, rest, _ := w.shift(scale).over(x)
	if rest != (long{}) {
		q |= 1 // far below the 53 bits that stay: says only that q is not exact
	}
	return math.Ldexp(float64(q), -scale)
}
