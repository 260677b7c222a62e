package savings

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// mul and add report false on overflow; their operands are not negative.
func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

func add(a, b int64) (int64, bool) {
	return a + b, a <= math.MaxInt64-b
}

// zeroed returns n zeros, in the memory of s if it is large enough.
func zeroed[T int | int32 | int64](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func sortPurchases(list []pricing.Purchase) {
	slices.SortFunc(list, func(a, b pricing.Purchase) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Class, b.Class))
	})
}
