package wide_test

import (
	"math"
	"math/big"
	"testing"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// Edges are drawn often: rapid's integers are small or anywhere, and overflow is
// at the ends.
func ints() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64(), rapid.Int64Range(-5, 5), rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1, 1 << 32, -1 << 32, 1<<31 + 1}))
}

func uints() *rapid.Generator[uint64] {
	return rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 5), rapid.SampledFrom([]uint64{math.MaxUint64, 1 << 63, 1<<63 - 1, 1 << 32, 1<<32 - 1}))
}

func wides() *rapid.Generator[wide.Uint] {
	return rapid.Custom(func(t *rapid.T) wide.Uint { return wide.Uint{Hi: uints().Draw(t, "hi"), Lo: uints().Draw(t, "lo")} })
}

func signed() *rapid.Generator[wide.Int] {
	return rapid.Custom(func(t *rapid.T) wide.Int { return wide.Int{Hi: ints().Draw(t, "hi"), Lo: uints().Draw(t, "lo")} })
}

var (
	two64  = new(big.Int).Lsh(big.NewInt(1), 64)
	two128 = new(big.Int).Lsh(big.NewInt(1), 128)
)

func bigUint(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

func bigWide(x wide.Uint) *big.Int {
	b := new(big.Int).Mul(bigUint(x.Hi), two64)
	return b.Add(b, bigUint(x.Lo))
}

func bigInt(x wide.Int) *big.Int {
	b := new(big.Int).Mul(big.NewInt(x.Hi), two64)
	return b.Add(b, bigUint(x.Lo))
}

// mod128 returns b modulo 2¹²⁸ as an Int.
func mod128(b *big.Int) wide.Int {
	m := new(big.Int).Mod(b, two128)
	hi, lo := new(big.Int).DivMod(m, two64, new(big.Int))
	return wide.Int{Hi: int64(hi.Uint64()), Lo: lo.Uint64()}
}

func unsigned(b *big.Int) wide.Uint {
	x := mod128(b)
	return wide.Uint{Hi: uint64(x.Hi), Lo: x.Lo}
}

// Sums and products of 64 bits agree with math/big.
func TestChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := ints().Draw(t, "a"), ints().Draw(t, "b")
		for _, c := range []struct {
			name string
			got  func() (int64, bool)
			want *big.Int
		}{
			{"Mul", func() (int64, bool) { return wide.Mul(a, b) }, new(big.Int).Mul(big.NewInt(a), big.NewInt(b))},
			{"Add", func() (int64, bool) { return wide.Add(a, b) }, new(big.Int).Add(big.NewInt(a), big.NewInt(b))},
			{"Signed", func() (int64, bool) { return wide.Signed(uint64(a), b < 0) }, func() *big.Int {
				n := bigUint(uint64(a))
				if b < 0 {
					n.Neg(n)
				}
				return n
			}()},
		} {
			got, ok := c.got()
			if ok != c.want.IsInt64() || ok && got != c.want.Int64() {
				t.Fatalf("%s of %d and %d: %d, %v; want %v", c.name, a, b, got, ok, c.want)
			}
		}
		u, v := uint64(a), uint64(b)
		if got, ok := wide.MulUint(u, v); ok != new(big.Int).Mul(bigUint(u), bigUint(v)).IsUint64() || got != u*v {
			t.Fatalf("MulUint(%d, %d) = %d, %v", u, v, got, ok)
		}
		if got, ok := wide.AddUint(u, v); ok != new(big.Int).Add(bigUint(u), bigUint(v)).IsUint64() || got != u+v {
			t.Fatalf("AddUint(%d, %d) = %d, %v", u, v, got, ok)
		}
		if got := wide.Magnitude(a); bigUint(got).Cmp(new(big.Int).Abs(big.NewInt(a))) != 0 {
			t.Fatalf("Magnitude(%d) = %d", a, got)
		}
		if p, q := a&math.MaxInt64, b&math.MaxInt64; big.NewInt(wide.GCD(p, q)).Cmp(new(big.Int).GCD(nil, nil, big.NewInt(p), big.NewInt(q))) != 0 {
			t.Fatalf("GCD(%d, %d) = %d", p, q, wide.GCD(p, q))
		}
	})
}

// Unsigned integers of 128 bits agree with math/big.
func TestUint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, n, m := wides().Draw(t, "x"), wides().Draw(t, "y"), uints().Draw(t, "n"), uints().Draw(t, "m")
		X, Y, N := bigWide(x), bigWide(y), bigUint(n)
		if got, want := wide.Product(n, m), unsigned(new(big.Int).Mul(N, bigUint(m))); got != want {
			t.Fatalf("Product: %v, want %v", got, want)
		}
		if got, want := x.Plus(y), unsigned(new(big.Int).Add(X, Y)); got != want {
			t.Fatalf("Plus: %v, want %v", got, want)
		}
		if got, want := x.Minus(y), unsigned(new(big.Int).Sub(X, Y)); got != want {
			t.Fatalf("Minus: %v, want %v", got, want)
		}
		sum := x
		sum.AddProduct(n, m)
		if want := x.Plus(wide.Product(n, m)); sum != want {
			t.Fatalf("AddProduct: %v, want %v", sum, want)
		}
		over, p := x.Times(n)
		if got := new(big.Int).Add(new(big.Int).Mul(bigUint(over), two128), bigWide(p)); got.Cmp(new(big.Int).Mul(X, N)) != 0 {
			t.Fatalf("Times: %v", got)
		}
		if got := x.Compare(y); got != X.Cmp(Y) || x.Less(y) != (got < 0) || y.Less(x) != (got > 0) {
			t.Fatalf("Compare: %d, Less %v", got, x.Less(y))
		}
		if n == 0 {
			if _, _, ok := x.Over(0); ok {
				t.Fatal("Over(0) is a quotient")
			}
			if _, ok := x.Nearest(0); ok {
				t.Fatal("Nearest(0) is a quotient")
			}
			return
		}
		Q, R := new(big.Int).DivMod(X, N, new(big.Int))
		if q, rest := x.QuoRem(n); bigWide(q).Cmp(Q) != 0 || bigUint(rest).Cmp(R) != 0 {
			t.Fatalf("QuoRem: %v, %d", q, rest)
		}
		if q, rest, ok := x.Over(n); ok != Q.IsUint64() || ok && (bigUint(q).Cmp(Q) != 0 || bigUint(rest).Cmp(R) != 0) {
			t.Fatalf("Over: %d, %d, %v", q, rest, ok)
		}
		near := new(big.Int).Set(Q)
		if twice := R.Lsh(R, 1).Cmp(N); twice > 0 || twice == 0 && Q.Bit(0) == 1 {
			near.Add(near, big.NewInt(1))
		}
		if q, ok := x.Nearest(n); ok != near.IsUint64() || ok && bigUint(q).Cmp(near) != 0 {
			t.Fatalf("Nearest: %d, %v, want %v", q, ok, near)
		}
	})
}

// Halves go to the even neighbour, and 2⁶⁴ − 1/2 does not fit.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		x    wide.Uint
		n    uint64
		want uint64
		ok   bool
	}{
		{wide.Uint{Lo: 5}, 2, 2, true},
		{wide.Uint{Lo: 7}, 2, 4, true},
		{wide.Uint{Lo: 8}, 3, 3, true},
		{wide.Uint{Hi: 1, Lo: math.MaxUint64}, 2, 0, false},
		{wide.Uint{Hi: 1, Lo: math.MaxUint64 - 2}, 2, math.MaxUint64 - 1, true},
	} {
		if got, ok := c.x.Nearest(c.n); got != c.want || ok != c.ok {
			t.Errorf("%v / %d: %d, %v; want %d, %v", c.x, c.n, got, ok, c.want, c.ok)
		}
	}
}

// Signed integers of 128 bits agree with math/big.
func TestInt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, a, b := signed().Draw(t, "x"), signed().Draw(t, "y"), ints().Draw(t, "a"), ints().Draw(t, "b")
		X, Y := bigInt(x), bigInt(y)
		product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		if got, want := wide.ProductInt(a, b), mod128(product); got != want {
			t.Fatalf("ProductInt: %v, want %v", got, want)
		}
		if got, want := x.Plus(y), mod128(new(big.Int).Add(X, Y)); got != want {
			t.Fatalf("Plus: %v, want %v", got, want)
		}
		if got, want := x.Minus(y), mod128(new(big.Int).Sub(X, Y)); got != want {
			t.Fatalf("Minus: %v, want %v", got, want)
		}
		if got, want := x.Neg(), mod128(new(big.Int).Neg(X)); got != want {
			t.Fatalf("Neg: %v, want %v", got, want)
		}
		sum := x
		sum.AddProduct(a, b)
		if want := mod128(new(big.Int).Add(X, product)); sum != want {
			t.Fatalf("AddProduct: %v, want %v", sum, want)
		}
		if x.Less(y) != (X.Cmp(Y) < 0) || x.Sign() != X.Sign() {
			t.Fatalf("Less %v, Sign %d", x.Less(y), x.Sign())
		}
		if got := x.Unsigned(); bigWide(got).Cmp(new(big.Int).Abs(X)) != 0 {
			t.Fatalf("Unsigned: %v", got)
		}
		if got := wide.FromInt64(a); bigInt(got).Cmp(big.NewInt(a)) != 0 {
			t.Fatalf("FromInt64: %v", got)
		}
		want, ok := int64(math.MaxInt64), X.IsInt64()
		switch {
		case ok:
			want = X.Int64()
		case X.Sign() < 0:
			want = math.MinInt64
		}
		if got, fits := x.Int64(); got != want || fits != ok {
			t.Fatalf("Int64: %d, %v; want %d, %v", got, fits, want, ok)
		}
	})
}
