package savings

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

func sortPurchases(list []pricing.Purchase) {
	slices.SortFunc(list, func(a, b pricing.Purchase) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Class, b.Class))
	})
}

// A uint128 is the integer x[0]·2⁶⁴ + x[1], as certificates have it.
type uint128 = [2]uint64

// unsigned returns a, which is not negative.
func unsigned(a wide.Int) uint128 { return uint128{uint64(a.Hi), a.Lo} }

// times returns a·n and whether it fits; neither is negative.
func times(a wide.Int, n int64) (wide.Int, bool) {
	over, p := a.Unsigned().Times(uint64(n))
	return wide.Int{Hi: int64(p.Hi), Lo: p.Lo}, over == 0 && p.Hi < 1<<63
}

// over returns ⌊a/n⌋ and the rest, for a ≥ 0 and n > 0.
func over(a wide.Int, n int64) (wide.Int, int64) {
	q, rest := a.Unsigned().QuoRem(uint64(n))
	return wide.Int{Hi: int64(q.Hi), Lo: q.Lo}, int64(rest)
}

// length returns the length in bits of a, which is not negative.
func length(a wide.Int) int {
	if a.Hi != 0 {
		return 64 + bits.Len64(uint64(a.Hi))
	}
	return bits.Len64(a.Lo)
}

// shifted returns ⌊a·2ⁿ⌋ for a ≥ 0, which has to fit.
func shifted(a wide.Int, n int) wide.Int {
	switch hi := uint64(a.Hi); {
	case n >= 64:
		return wide.Int{Hi: int64(a.Lo << (n - 64)), Lo: 0}
	case n >= 0:
		return wide.Int{Hi: int64(hi<<n | a.Lo>>(64-n)), Lo: a.Lo << n}
	case n > -64:
		return wide.Int{Hi: int64(hi >> -n), Lo: a.Lo>>-n | hi<<(64+n)}
	default:
		return wide.Int{Hi: 0, Lo: hi >> (-n - 64)}
	}
}

// share returns the lesser of ⌊2⁴⁰·a/b⌋ and mostWorth.
func share(a, b uint128) int64 {
	x, y := wide.Int{Hi: int64(a[0]), Lo: a[1]}, wide.Int{Hi: int64(b[0]), Lo: b[1]}
	if y.Hi == 0 && y.Lo <= math.MaxInt64 {
		q, r := over(x, int64(y.Lo))
		if q.Hi != 0 || q.Lo >= 1<<12 {
			return mostWorth
		}
		f, _ := over(wide.ProductInt(r, 1<<worthBits), int64(y.Lo))
		return int64(q.Lo)<<worthBits + int64(f.Lo)
	}
	shifts := 0 // long division, bit by bit
	for ; shifts < 12 && !x.Less(y); shifts++ {
		y = shifted(y, 1)
	}
	if !x.Less(y) {
		return mostWorth
	}
	q := int64(0)
	for range shifts {
		y = shifted(y, -1)
		q <<= 1
		if !x.Less(y) {
			x = x.Minus(y)
			q++
		}
	}
	for range worthBits {
		x = shifted(x, 1)
		q <<= 1
		if !x.Less(y) {
			x = x.Minus(y)
			q++
		}
	}
	return q
}
