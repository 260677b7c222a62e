package wide_test

import (
	"cmp"
	"math"
	"math/big"
	"testing"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// Comparisons of all pairs around the places where halves carry, and conversions there.
func TestEdges(t *testing.T) {
	var ints []wide.Int
	var uints []wide.Uint
	for _, hi := range []int64{math.MinInt64, -2, -1, 0, 1, math.MaxInt64} {
		for _, lo := range []uint64{0, 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
			ints = append(ints, wide.Int{Hi: hi, Lo: lo})
			uints = append(uints, wide.Uint{Hi: uint64(hi), Lo: lo})
		}
	}
	ofInt := func(x wide.Int) *big.Int {
		b := big.NewInt(x.Hi)
		return b.Add(b.Lsh(b, 64), new(big.Int).SetUint64(x.Lo))
	}
	ofUint := func(x wide.Uint) *big.Int {
		b := new(big.Int).SetUint64(x.Hi)
		return b.Add(b.Lsh(b, 64), new(big.Int).SetUint64(x.Lo))
	}
	for _, x := range ints {
		b := ofInt(x)
		want, fits := int64(0), b.IsInt64()
		switch {
		case fits:
			want = b.Int64()
		case b.Sign() > 0:
			want = math.MaxInt64
		default:
			want = math.MinInt64
		}
		if got, ok := x.Int64(); got != want || ok != fits {
			t.Errorf("%v: %d, %v, want %d, %v", b, got, ok, want, fits)
		}
		if x.Sign() != b.Sign() {
			t.Errorf("%v: sign %d", b, x.Sign())
		}
		for _, y := range ints {
			if c := b.Cmp(ofInt(y)); x.Less(y) != (c < 0) {
				t.Errorf("%v < %v: %v", b, ofInt(y), x.Less(y))
			}
		}
	}
	for _, x := range uints {
		for _, y := range uints {
			c := ofUint(x).Cmp(ofUint(y))
			if x.Compare(y) != c || x.Less(y) != (c < 0) {
				t.Errorf("%v and %v: %d, want %d", x, y, x.Compare(y), c)
			}
		}
	}
	for _, n := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64} {
		if got := wide.Magnitude(n); new(big.Int).Abs(big.NewInt(n)).Cmp(new(big.Int).SetUint64(got)) != 0 || cmp.Compare(got, 0) < 0 {
			t.Errorf("|%d| = %d", n, got)
		}
	}
}
