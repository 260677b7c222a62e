package savings

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Total is a sum of money over many groups, exact in nanos. It holds 128 bits, since accounts
// whose amounts fit in 64 bits may add up to more. As text, and so in JSON, it is a decimal.
type Total struct{ nanos wide.Int }

// TotalOf returns m as a Total.
func TotalOf(m pricing.Money) Total { return Total{wide.FromInt64(int64(m))} }

func totalOf(v *big.Int) Total {
	hi, lo := new(big.Int).Rsh(v, 64), new(big.Int)
	lo.Sub(v, lo.Lsh(hi, 64))
	return Total{wide.Int{Hi: hi.Int64(), Lo: lo.Uint64()}}
}

// Money returns t as an amount of 64 bits, if it fits.
func (t Total) Money() (pricing.Money, error) {
	m, ok := t.nanos.Int64()
	if !ok {
		return 0, fmt.Errorf("%w: %v: want an amount within ±%v", pricing.ErrOverflow, t, pricing.Money(math.MaxInt64))
	}
	return pricing.Money(m), nil
}

// Plus returns the sum.
func (t Total) Plus(u Total) Total { return Total{t.nanos.Plus(u.nanos)} }

// Compare returns -1, 0 or 1 as t is less than, equal to or greater than u.
func (t Total) Compare(u Total) int { return t.nanos.Minus(u.nanos).Sign() }

// Float64 returns t in units of the currency, rounded.
func (t Total) Float64() float64 {
	if m, ok := t.nanos.Int64(); ok {
		return pricing.Money(m).Float64()
	}
	return (math.Ldexp(float64(t.nanos.Hi), 64) + float64(t.nanos.Lo)) / 1e9
}

// String returns the shortest exact decimal.
func (t Total) String() string {
	if m, ok := t.nanos.Int64(); ok {
		return pricing.Money(m).String()
	}
	v, sign := t.big(), ""
	if v.Sign() < 0 {
		v.Neg(v)
		sign = "-"
	}
	units, rest := v.QuoRem(v, big.NewInt(int64(pricing.Unit)), new(big.Int))
	return sign + strings.TrimRight(strings.TrimRight(fmt.Sprintf("%v.%09d", units, rest), "0"), ".")
}

// Fixed returns t with so many decimals, rounded; beyond 64 bits it returns [Total.String].
func (t Total) Fixed(decimals int) string {
	if m, ok := t.nanos.Int64(); ok {
		return pricing.Money(m).Fixed(decimals)
	}
	return t.String()
}

// MarshalText returns the text of [Total.String].
func (t Total) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (t *Total) UnmarshalText(b []byte) error {
	units, rest, point := strings.Cut(string(b), ".")
	v, ok := new(big.Int).SetString(units+rest+strings.Repeat("0", max(0, 9-len(rest))), 10)
	digits := strings.TrimPrefix(units, "-")
	whole := digits != "" && strings.Trim(digits+rest, "0123456789") == "" && point == (rest != "")
	if !ok || !whole || len(rest) > 9 || v.BitLen() > 127 {
		return fmt.Errorf("%q is not an amount of money: want a decimal with at most nine places", b)
	}
	*t = totalOf(v)
	return nil
}

func (t Total) big() *big.Int { return amount(t.nanos.Hi, t.nanos.Lo) }

// AppendBinary appends t in nanos to b: 16 bytes, the most significant first.
func (t Total) AppendBinary(b []byte) ([]byte, error) {
	b = binary.BigEndian.AppendUint64(b, uint64(t.nanos.Hi))
	return binary.BigEndian.AppendUint64(b, t.nanos.Lo), nil
}

// UnmarshalBinary sets t to what AppendBinary has appended.
func (t *Total) UnmarshalBinary(b []byte) error {
	if len(b) != 16 {
		return fmt.Errorf("%d bytes are not an amount of money: want 16", len(b))
	}
	t.nanos = wide.Int{Hi: int64(binary.BigEndian.Uint64(b)), Lo: binary.BigEndian.Uint64(b[8:])}
	return nil
}

// amount returns a 128-bit integer.
func amount(hi int64, lo uint64) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(hi), 64)
	return v.Add(v, new(big.Int).SetUint64(lo))
}
