package usage

import (
	"math"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// decimals is how many decimals an Amount holds. The samples of FOCUS have 15.
const decimals = 18

// most bounds an amount that is read, in whole units: 10⁸ rows of the largest
// amounts still add up in 128 bits.
const most = 1_000_000_000_000

// An Amount is an exact decimal with up to 18 decimals: an amount of money or a
// quantity as a bill prints it. Bills print more decimals than [pricing.Money]
// holds, and a total has to equal the sum of its parts to the last digit. The zero
// value is 0. Two amounts are equal with == if they are.
type Amount struct{ n wide.Int } // in units of 10⁻¹⁸

// Units returns n as an Amount. It panics unless |n| ≤ 10¹².
func Units(n int64) Amount {
	if n < -most || n > most {
		panic("usage: amount beyond ±10¹²")
	}
	return Amount{wide.ProductInt(n, pow10[decimals])}
}

// AmountOf returns m as an Amount.
func AmountOf(m pricing.Money) Amount { return Amount{wide.ProductInt(int64(m), pow10[decimals-9])} }

// pow10 has the powers of ten that an int64 holds.
var pow10 = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// text is what an amount or a time is read from.
type text interface{ ~string | ~[]byte }

// Parse reads a decimal: an optional sign, digits with at most one point, and an optional exponent,
// as programs write floating-point numbers. Spaces and separators are errors. If there are digits
// beyond the eighteenth decimal, Parse rounds them, halves away from zero, and exact is false. The
// error is an [*pricing.InputError] that unwraps to [ErrSyntax], or to [ErrRange] beyond ±10¹².
// Parse does not allocate.
func Parse[T text](s T) (a Amount, exact bool, err error) {
	i, neg := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, neg = 1, s[0] == '-'
	}
	// The first 18 significant digits and the next 18; later digits only say whether
	// the result is exact, because an amount has 31 digits at most.
	var head, tail uint64
	n, digits, places, dropped := 0, 0, 0, 0 // significant digits; all; decimals kept; integer digits not kept
	point, cut := false, false
scan:
	for ; i < len(s); i++ {
		c := s[i] - '0'
		switch {
		case c > 9:
			if s[i] != '.' || point {
				break scan
			}
			point = true
			continue
		case n < 18:
			head = 10*head + uint64(c)
			if head != 0 {
				n++
			}
		case n < 36:
			tail = 10*tail + uint64(c)
			n++
		default:
			cut = cut || c != 0
			if !point {
				dropped++
			}
			digits++
			continue
		}
		digits++
		if point {
			places++
		}
	}
	shift := 0
	if digits == 0 || i < len(s) && (s[i] != 'e' && s[i] != 'E' || !exponent(s[i+1:], &shift)) {
		return Amount{}, false, badNumber(s)
	}
	v := wide.Uint{Lo: head}
	if n > 18 {
		v = wide.Product(head, uint64(pow10[n-18])).Plus(wide.Uint{Lo: tail})
	}
	scale := decimals + shift + dropped - places
	if v == (wide.Uint{}) {
		return Amount{}, true, nil
	}
	v, exact, fits := rescale(v, scale)
	if !fits {
		return Amount{}, false, tooLarge(s)
	}
	exact = exact && !cut
	a = Amount{wide.Int{Hi: int64(v.Hi), Lo: v.Lo}}
	if neg {
		a.n = a.n.Neg()
	}
	return a, exact, nil
}

// rescale returns v·10^scale, rounded half up, whether that is exact, and whether it is within the
// limit of an amount.
func rescale(v wide.Uint, scale int) (r wide.Uint, exact, fits bool) {
	limit := wide.Product(most, uint64(pow10[decimals]))
	for ; scale > 0; scale -= min(scale, 18) {
		over, p := v.Times(uint64(pow10[min(scale, 18)]))
		if over != 0 || limit.Less(p) {
			return v, false, false
		}
		v = p
	}
	exact = true
	for ; scale < 0 && v != (wide.Uint{}); scale += min(-scale, 18) {
		d := uint64(pow10[min(-scale, 18)])
		q, rest := v.QuoRem(d)
		exact = exact && rest == 0
		if scale >= -18 && rest >= d-rest { // the last step rounds
			q = q.Plus(wide.Uint{Lo: 1})
		}
		v = q
	}
	return v, exact, !limit.Less(v)
}

// exponent reads an exponent, cut at ±10⁶.
func exponent[T text](s T, e *int) bool {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 {
		return false
	}
	for i := range len(s) {
		c := s[i] - '0'
		if c > 9 {
			return false
		}
		*e = min(10**e+int(c), 1e6)
	}
	if neg {
		*e = -*e
	}
	return true
}

func badNumber[T text](s T) error {
	return badInput("amount", -1, ErrSyntax, "%s: want a number such as 0.0464", quote(string(s)))
}

func tooLarge[T text](s T) error {
	return badInput("amount", -1, ErrRange, "%s: want an amount within ±%d", quote(string(s)), int64(most))
}

// quote quotes s for an error, and cuts a long s.
func quote(s string) string {
	const longest = 40
	if len(s) > longest {
		return strconv.Quote(s[:longest]) + "..."
	}
	return strconv.Quote(s)
}

// Plus returns a + b. Sums beyond 10²⁰ wrap around: no bill comes near.
func (a Amount) Plus(b Amount) Amount { return Amount{a.n.Plus(b.n)} }

// Minus returns a − b.
func (a Amount) Minus(b Amount) Amount { return Amount{a.n.Minus(b.n)} }

// Neg returns −a.
func (a Amount) Neg() Amount { return Amount{a.n.Neg()} }

// Sign returns -1, 0 or 1 as a is negative, 0 or positive.
func (a Amount) Sign() int { return a.n.Sign() }

// Compare returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Amount) Compare(b Amount) int { return a.n.Minus(b.n).Sign() }

// Float64 returns a as a float64, rounded.
func (a Amount) Float64() float64 {
	u := a.n.Unsigned()
	f := math.Ldexp(float64(u.Hi), 64) + float64(u.Lo)
	if a.n.Sign() < 0 {
		f = -f
	}
	return f / 1e18
}

// Money returns a rounded to a nano by r. The error is [pricing.ErrOverflow].
func (a Amount) Money(r pricing.Rounding) (pricing.Money, error) {
	u := a.n.Unsigned()
	q, rest, ok := u.Over(uint64(pow10[decimals-9]))
	if ok {
		d := uint64(pow10[decimals-9])
		switch r {
		case pricing.Down:
		case pricing.Up:
			if rest != 0 {
				q++
			}
		case pricing.HalfUp:
			if rest >= d-rest {
				q++
			}
		default:
			if half := d - rest; rest > half || rest == half && q&1 == 1 {
				q++
			}
		}
		if n, fits := wide.Signed(q, a.n.Sign() < 0); fits {
			return pricing.Money(n), nil
		}
	}
	return 0, badInput("amount", -1, pricing.ErrOverflow, "%v: want an amount within ±9223372036.854775807", a)
}

// Scale returns a·num/den, rounded to the last decimal, halves to even. It panics if
// den is not positive or the product does not fit.
func (a Amount) Scale(num, den int64) Amount {
	if num == den {
		return a
	}
	if den <= 0 {
		panic("usage: scale over a number that is not positive")
	}
	return a.times(num).over(den)
}

// times returns a·n.
func (a Amount) times(n int64) Amount {
	over, p := a.n.Unsigned().Times(wide.Magnitude(n))
	if over != 0 || p.Hi>>63 != 0 {
		panic("usage: amount out of range")
	}
	v := Amount{wide.Int{Hi: int64(p.Hi), Lo: p.Lo}}
	if (a.Sign() < 0) != (n < 0) {
		return v.Neg()
	}
	return v
}

// over returns a/n rounded to the last decimal, halves to even, for n > 0.
func (a Amount) over(n int64) Amount {
	u := a.n.Unsigned()
	q, rest := u.QuoRem(uint64(n))
	if half := uint64(n) - rest; rest > half || rest == half && q.Lo&1 == 1 {
		q = q.Plus(wide.Uint{Lo: 1})
	}
	v := Amount{wide.Int{Hi: int64(q.Hi), Lo: q.Lo}}
	if a.Sign() < 0 {
		return v.Neg()
	}
	return v
}

// AppendText appends the shortest exact decimal. The error is always nil.
func (a Amount) AppendText(b []byte) ([]byte, error) { return a.append(b), nil }

// MarshalText returns the shortest exact decimal, so that JSON has a string.
func (a Amount) MarshalText() ([]byte, error) { return a.append(nil), nil }

// UnmarshalText reads what [Parse] reads, if it is exact.
func (a *Amount) UnmarshalText(text []byte) error {
	v, exact, err := Parse(text)
	if err == nil && !exact {
		err = badInput("amount", -1, pricing.ErrPrecision, "%s: want eighteen decimals at most", quote(string(text)))
	}
	if err != nil {
		return err
	}
	*a = v
	return nil
}

// String returns the shortest exact decimal, such as "8.07260660820738".
func (a Amount) String() string { return string(a.append(nil)) }

func (a Amount) append(b []byte) []byte {
	if a.n.Sign() < 0 {
		b = append(b, '-')
	}
	q, frac := a.n.Unsigned().QuoRem(uint64(pow10[decimals]))
	if q.Hi != 0 { // sums above 2⁶⁴
		high, low := q.QuoRem(uint64(pow10[18]))
		b = strconv.AppendUint(b, high.Lo, 10)
		b = padded(b, low)
	} else {
		b = strconv.AppendUint(b, q.Lo, 10)
	}
	if frac == 0 {
		return b
	}
	b = padded(append(b, '.'), frac)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// padded appends n with 18 digits.
func padded(b []byte, n uint64) []byte {
	var d [decimals]byte
	for i := decimals - 1; i >= 0; i-- {
		d[i] = byte('0' + n%10)
		n /= 10
	}
	return append(b, d[:]...)
}
