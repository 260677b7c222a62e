// Package wide has what exact amounts of 64 bits need beyond Go's operators:
// sums and products that say whether they fit, and integers of 128 bits. All of
// it works on values, allocates nothing, and is small enough to be inlined.
package wide

import (
	"math"
	"math/bits"
)

// Mul returns a·b and whether it fits in an int64. If not, the product is
// meaningless.
func Mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// As signed integers: each negative factor has added 2⁶⁴ times the other one.
	top := int64(hi) - a>>63&b - b>>63&a
	return int64(lo), top == int64(lo)>>63
}

// Add returns a + b and whether it fits in an int64.
func Add(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum^a)&(sum^b) >= 0
}

// MulUint returns a·b and whether it fits in a uint64.
func MulUint(a, b uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0
}

// AddUint returns a + b and whether it fits in a uint64.
func AddUint(a, b uint64) (uint64, bool) {
	sum := a + b
	return sum, sum >= a
}

// Magnitude returns |n|, of all integers.
func Magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Signed returns n, or -n if neg, and whether it fits in an int64.
func Signed(n uint64, neg bool) (int64, bool) {
	if neg {
		return int64(-n), n <= 1<<63
	}
	return int64(n), n <= math.MaxInt64
}

// GCD returns the greatest common divisor of two integers that are not negative;
// that of 0 and n is n.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A Uint is the integer Hi·2⁶⁴ + Lo. Two are equal with == if they are.
type Uint struct{ Hi, Lo uint64 }

// Product returns a·b.
func Product(a, b uint64) Uint {
	hi, lo := bits.Mul64(a, b)
	return Uint{hi, lo}
}

// Plus returns x + y modulo 2¹²⁸.
func (x Uint) Plus(y Uint) Uint {
	lo, carry := bits.Add64(x.Lo, y.Lo, 0)
	hi, _ := bits.Add64(x.Hi, y.Hi, carry)
	return Uint{hi, lo}
}

// Minus returns x − y modulo 2¹²⁸.
func (x Uint) Minus(y Uint) Uint {
	lo, borrow := bits.Sub64(x.Lo, y.Lo, 0)
	hi, _ := bits.Sub64(x.Hi, y.Hi, borrow)
	return Uint{hi, lo}
}

// AddProduct adds a·b to x, modulo 2¹²⁸.
func (x *Uint) AddProduct(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	x.Lo, carry = bits.Add64(x.Lo, lo, 0)
	x.Hi, _ = bits.Add64(x.Hi, hi, carry)
}

// Times returns the product x·n, of 192 bits: over·2¹²⁸ + p.
func (x Uint) Times(n uint64) (over uint64, p Uint) {
	h, lo := bits.Mul64(x.Lo, n)
	over, mid := bits.Mul64(x.Hi, n)
	mid, carry := bits.Add64(mid, h, 0)
	return over + carry, Uint{mid, lo}
}

// Less reports whether x < y.
func (x Uint) Less(y Uint) bool {
	_, borrow := bits.Sub64(x.Lo, y.Lo, 0)
	_, borrow = bits.Sub64(x.Hi, y.Hi, borrow)
	return borrow != 0
}

// Compare returns -1, 0 or 1 as x is less than, equal to or greater than y.
func (x Uint) Compare(y Uint) int {
	if x == y {
		return 0
	}
	if x.Less(y) {
		return -1
	}
	return 1
}

// Over returns ⌊x/n⌋, what is left, and whether the quotient fits in a uint64. If
// not, or if n is 0, the results are 0.
func (x Uint) Over(n uint64) (q, rest uint64, ok bool) {
	if x.Hi >= n {
		return 0, 0, false
	}
	q, rest = bits.Div64(x.Hi, x.Lo, n)
	return q, rest, true
}

// QuoRem returns ⌊x/n⌋ and what is left. It panics if n is 0.
func (x Uint) QuoRem(n uint64) (q Uint, rest uint64) {
	hi, rest := x.Hi/n, x.Hi%n
	lo, rest := bits.Div64(rest, x.Lo, n)
	return Uint{hi, lo}, rest
}

// Nearest returns x/n rounded to the nearest integer, halves to the even one, and
// whether it fits in a uint64. If not, or if n is 0, the quotient is 0.
func (x Uint) Nearest(n uint64) (uint64, bool) {
	q, rest, ok := x.Over(n)
	if !ok {
		return 0, false
	}
	if half := n - rest; rest > half || rest == half && q&1 == 1 {
		q++
		return q, q != 0
	}
	return q, true
}

// An Int is the integer Hi·2⁶⁴ + Lo, in two's complement. Two are equal with ==
// if they are. Sums and products are modulo 2¹²⁸.
type Int struct {
	Hi int64
	Lo uint64
}

// FromInt64 returns n.
func FromInt64(n int64) Int { return Int{n >> 63, uint64(n)} }

// ProductInt returns a·b.
func ProductInt(a, b int64) Int {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return Int{int64(hi) - a>>63&b - b>>63&a, lo}
}

// Plus returns x + y.
func (x Int) Plus(y Int) Int {
	lo, carry := bits.Add64(x.Lo, y.Lo, 0)
	return Int{x.Hi + y.Hi + int64(carry), lo}
}

// Minus returns x − y.
func (x Int) Minus(y Int) Int {
	lo, borrow := bits.Sub64(x.Lo, y.Lo, 0)
	return Int{x.Hi - y.Hi - int64(borrow), lo}
}

// Neg returns −x.
func (x Int) Neg() Int { return Int{}.Minus(x) }

// AddProduct adds a·b to x.
func (x *Int) AddProduct(a, b int64) { *x = x.Plus(ProductInt(a, b)) }

// Less reports whether x < y.
func (x Int) Less(y Int) bool { return x.Hi < y.Hi || x.Hi == y.Hi && x.Lo < y.Lo }

// Sign returns -1, 0 or 1 as x is negative, 0 or positive.
func (x Int) Sign() int {
	switch {
	case x.Hi < 0:
		return -1
	case x == Int{}:
		return 0
	}
	return 1
}

// Int64 returns x and true, or the nearest int64 and false if x does not fit.
func (x Int) Int64() (int64, bool) {
	switch {
	case x.Hi == int64(x.Lo)>>63:
		return int64(x.Lo), true
	case x.Hi < 0:
		return math.MinInt64, false
	}
	return math.MaxInt64, false
}

// Unsigned returns |x|.
func (x Int) Unsigned() Uint {
	if x.Hi < 0 {
		x = x.Neg()
	}
	return Uint{uint64(x.Hi), x.Lo}
}
