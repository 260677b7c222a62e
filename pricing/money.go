package pricing

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Money is an exact amount of one currency, in nanos (10⁻⁹) of its unit. Sums do not depend on
// their order, and equal amounts are equal integers. The range is about ±9.22 thousand million
// units. Money does not know its currency: the caller must not mix amounts of two currencies.
//
// Compare amounts with == and <. The operators + and - wrap around silently as for any int64;
// [Money.Add], [Money.Sub] and [Money.Mul] report overflow instead.
type Money int64

// Amounts to build literals from: 2*Unit + 400*Milli is 2.40.
const (
	Nano  Money = 1
	Micro       = 1000 * Nano
	Milli       = 1000 * Micro
	Unit        = 1000 * Milli
)

// decimals is the number of decimals of a Money.
const decimals = 9

// Rounding says how a result that is not a whole number of nanos is rounded.
type Rounding uint8

const (
	HalfEven Rounding = iota // to the nearest nano, halves to the even one; the default
	HalfUp                   // to the nearest nano, halves away from zero
	Down                     // towards zero
	Up                       // away from zero
)

// step reports whether the magnitude of a quotient grows by one. odd says whether
// the quotient is odd, inexact whether there is a remainder, and half how the
// remainder compares with half the divisor (-1, 0, 1). step panics if r is none of
// the constants.
func (r Rounding) step(odd, inexact bool, half int) bool {
	switch r {
	case HalfEven:
		return half > 0 || half == 0 && odd
	case HalfUp:
		return half >= 0
	case Down:
		return false
	case Up:
		return inexact
	}
	panic("pricing: unknown Rounding")
}

// ParseMoney reads a plain decimal: an optional sign, then digits and at most one point. There must
// be a digit on at least one side of the point. Decimals after the ninth must be zeros. Exponents,
// spaces, separators and currency signs are errors.
//
// The error is an [*InputError] with Field "money" that unwraps to [ErrSyntax], [ErrPrecision] or
// [ErrOverflow].
func ParseMoney(s string) (Money, error) {
	m, bad := parseDecimal(s, false)
	if bad != nil {
		return 0, badInput("money", -1, bad.sentinel, "%s", bad.text)
	}
	return m, nil
}

// A fault is a reason why a text is not an amount, before it is known where the
// text stands.
type fault struct {
	sentinel error
	text     string
}

// parseDecimal reads the decimal s, with an exponent if exponent is true.
func parseDecimal(s string, exponent bool) (Money, *fault) {
	mantissa, shift := s, 0
	if i := strings.IndexAny(s, "eE"); exponent && i >= 0 {
		mantissa = s[:i]
		e, err := parseExponent(s[i+1:])
		if err != nil {
			return 0, &fault{ErrSyntax, inputerr.Quote(s) + ": want a number such as 2.4 or 24e-1"}
		}
		shift = e
	}
	digits := mantissa
	neg := false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		neg = digits[0] == '-'
		digits = digits[1:]
	}
	point := -1
	seen := false
	for i := range len(digits) {
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
			seen = true
		case c == '.' && point < 0:
			point = i
		default:
			return 0, &fault{ErrSyntax, inputerr.Quote(s) + ": want a plain decimal such as 2.4"}
		}
	}
	if !seen {
		return 0, &fault{ErrSyntax, inputerr.Quote(s) + ": want a plain decimal such as 2.4"}
	}
	// A digit at place p stands for digit·10^p nanos.
	place := decimals + shift - 1
	if point >= 0 {
		place += point
	} else {
		place += len(digits)
	}
	var n uint64 // magnitude in nanos of the digits read so far
	fine, over := false, false
	last := 0 // the place of n's last digit
	for i := range len(digits) {
		if i == point {
			continue
		}
		d := uint64(digits[i] - '0')
		switch {
		case place < 0:
			fine = fine || d != 0
		case n > (1<<63-d)/10:
			over = true
		default:
			n = 10*n + d
			last = place
		}
		place--
	}
	for ; n != 0 && last > 0 && !over; last-- {
		over = n > 1<<63/10
		n *= 10
	}
	switch {
	case fine:
		return 0, &fault{ErrPrecision, inputerr.Quote(s) + ": want nine decimals at most"}
	case over || n > math.MaxInt64 && !neg:
		return 0, &fault{ErrOverflow, inputerr.Quote(s) + ": want an amount within ±9223372036.854775807"}
	case neg:
		return Money(-n), nil
	}
	return Money(n), nil
}

// parseExponent reads an exponent and cuts it at ±10⁶, where every number but zero
// is too large or too fine.
func parseExponent(s string) (int, error) {
	t := s
	neg := false
	if t != "" && (t[0] == '-' || t[0] == '+') {
		neg = t[0] == '-'
		t = t[1:]
	}
	if t == "" {
		return 0, ErrSyntax
	}
	e := 0
	for i := range len(t) {
		if t[i] < '0' || t[i] > '9' {
			return 0, ErrSyntax
		}
		e = min(10*e+int(t[i]-'0'), 1e6)
	}
	if neg {
		e = -e
	}
	return e, nil
}

// String returns the shortest exact decimal, such as "2.4", "-0.000000001" or
// "0". [ParseMoney] reads it back.
func (m Money) String() string { return string(m.append(nil)) }

// append appends the shortest exact decimal.
func (m Money) append(b []byte) []byte {
	n := wide.Magnitude(int64(m))
	if m < 0 {
		b = append(b, '-')
	}
	b = strconv.AppendUint(b, n/uint64(Unit), 10)
	if frac := n % uint64(Unit); frac != 0 {
		b = appendFraction(b, frac, decimals)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return b
}

// appendFraction appends a point and frac with the given number of digits.
func appendFraction(b []byte, frac uint64, digits int) []byte {
	b = append(b, '.')
	at := len(b)
	for range digits {
		b = append(b, '0')
	}
	for i := len(b) - 1; i >= at; i-- {
		b[i] = byte('0' + frac%10)
		frac /= 10
	}
	return b
}

// Fixed returns the amount with exactly the given number of decimals, rounded
// half to even, for tables: Fixed(2) of 1.005 is "1.00". An amount that rounds to
// zero has no sign. Fixed panics unless 0 ≤ decimals ≤ 9.
func (m Money) Fixed(decimals int) string {
	if decimals < 0 || decimals > 9 {
		panic("pricing: decimals outside 0 to 9")
	}
	scale := uint64(1)
	for range 9 - decimals {
		scale *= 10
	}
	n := wide.Magnitude(int64(m))
	q, rem := n/scale, n%scale
	if HalfEven.step(q&1 != 0, rem != 0, compareHalf(rem, scale)) {
		q++
	}
	var buf [24]byte
	b := buf[:0]
	if m < 0 && q != 0 {
		b = append(b, '-')
	}
	unit := uint64(Unit) / scale
	b = strconv.AppendUint(b, q/unit, 10)
	if decimals > 0 {
		b = appendFraction(b, q%unit, decimals)
	}
	return string(b)
}

// Float64 returns the nearest float64 in units of the currency.
func (m Money) Float64() float64 { return float64(m) / float64(Unit) }

// AppendText appends the shortest exact decimal to b. The error is always nil.
func (m Money) AppendText(b []byte) ([]byte, error) { return m.append(b), nil }

// MarshalText returns the shortest exact decimal.
func (m Money) MarshalText() ([]byte, error) { return m.append(nil), nil }

// UnmarshalText reads the text as [ParseMoney] does.
func (m *Money) UnmarshalText(text []byte) error {
	v, err := ParseMoney(string(text))
	if err != nil {
		return err
	}
	*m = v
	return nil
}

// MarshalJSON returns a JSON number, exact and without an exponent.
func (m Money) MarshalJSON() ([]byte, error) { return m.append(nil), nil }

// UnmarshalJSON reads a JSON number or a JSON string. A string is read as
// [ParseMoney] reads it. A number may have an exponent (1e3), as JSON allows. Its
// digits are read exactly, never through a float64: 0.1 is exactly 0.1, and a
// tenth decimal that is not zero is an error. As usual, null changes nothing.
func (m *Money) UnmarshalJSON(data []byte) error {
	s := string(data)
	if s == "null" {
		return nil
	}
	number := true
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s, number = s[1:len(s)-1], false
	}
	v, bad := parseDecimal(s, number)
	if bad != nil {
		return badInput("money", -1, bad.sentinel, "%s", bad.text)
	}
	*m = v
	return nil
}

// Add returns m + n, or [ErrOverflow].
func (m Money) Add(n Money) (Money, error) {
	sum, ok := wide.Add(int64(m), int64(n))
	if !ok {
		return 0, overflow("%v + %v", m, n)
	}
	return Money(sum), nil
}

// Sub returns m - n, or [ErrOverflow].
func (m Money) Sub(n Money) (Money, error) {
	diff := m - n
	if (diff < m) != (n > 0) {
		return 0, overflow("%v - %v", m, n)
	}
	return diff, nil
}

// Mul returns m times n, or [ErrOverflow].
func (m Money) Mul(n int64) (Money, error) {
	p, ok := wide.Mul(int64(m), n)
	if !ok {
		return 0, overflow("%v times %v", m, n)
	}
	return Money(p), nil
}

// Over returns the cost of the span d at a price of m per hour: m·d/1h. Over computes the product
// in 128 bits and rounds it once, by r. The cost of whole hours needs no rounding. The error is
// [ErrOverflow]. Over panics if r is none of the constants.
//
// This package itself rounds by [HalfEven], the zero value, unless a comment states another rule.
func (m Money) Over(d time.Duration, r Rounding) (Money, error) {
	v, ok := mulDiv(m, int64(d), int64(time.Hour), r)
	if !ok {
		return 0, overflow("%v an hour over %v", m, d)
	}
	return v, nil
}

// Prorate returns the share part/whole of m. The product has 128 bits and is
// rounded once, by r. The error is [ErrOverflow]. Prorate panics unless whole is
// positive.
func (m Money) Prorate(part, whole time.Duration, r Rounding) (Money, error) {
	if whole <= 0 {
		panic("pricing: prorating over a span that is not positive")
	}
	v, ok := mulDiv(m, int64(part), int64(whole), r)
	if !ok {
		return 0, overflow("%v times %v / %v", m, part, whole)
	}
	return v, nil
}

// overflow returns an error about an amount that does not fit.
func overflow(format string, args ...any) error {
	return badInput("money", -1, ErrOverflow, format+": want a result within ±9223372036.854775807", args...)
}

// mulDiv returns m·num/den rounded by r, and whether it fits. den is positive.
func mulDiv(m Money, num, den int64, r Rounding) (Money, bool) {
	q, rem, ok := wide.Product(wide.Magnitude(int64(m)), wide.Magnitude(num)).Over(uint64(den))
	if !ok {
		return 0, false
	}
	if r.step(q&1 != 0, rem != 0, compareHalf(rem, uint64(den))) {
		if q++; q == 0 {
			return 0, false
		}
	}
	v, ok := wide.Signed(q, (m < 0) != (num < 0))
	return Money(v), ok
}

// compareHalf compares rem < den with den/2.
func compareHalf(rem, den uint64) int {
	switch rest := den - rem; {
	case rem < rest:
		return -1
	case rem > rest:
		return 1
	}
	return 0
}
