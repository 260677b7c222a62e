package usage

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

func parse(t testing.TB, s string) Amount {
	t.Helper()
	a, exact, err := Parse(s)
	if err != nil || !exact {
		t.Fatalf("%q: %v, exact %v", s, err, exact)
	}
	return a
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, want string
		exact      bool
	}{
		{"0", "0", true}, {"-0.00", "0", true}, {"+7", "7", true}, {".5", "0.5", true}, {"5.", "5", true},
		{"8.07260660820738", "8.07260660820738", true},
		{"-0.000000000000000001", "-0.000000000000000001", true},
		{"1000000000000", "1000000000000", true},
		{"123456789.123456789123456789", "123456789.123456789123456789", true},
		{"0.1234567890123456789", "0.123456789012345679", false},
		{"0.0000000000000000005", "0.000000000000000001", false},
		{"0.00000000000000000049", "0", false},
		{"1.00000000000000000000000000000", "1", true},
		{"00000000000000000000000000000001.5", "1.5", true},
		{"1e3", "1000", true}, {"1.2E-7", "0.00000012", true}, {"25e-1", "2.5", true}, {"1e+12", "1000000000000", true},
		{"0e999999999", "0", true}, {"1e-99999999999", "0", false},
		{"4.440892098500626e-16", "0.000000000000000444", false},
		{"99999999999999999999e-10", "9999999999.9999999999", true},
		{"1234567890123456789012345678901234567890e-30", "1234567890.123456789012345679", false},
		{"1000000000000000000000000000000000000000000e-40", "100", true},
		{"0.000000000000000000000000000000000000000000000000001", "0", false},
		{"000000000000000000000000000000000000000000000007", "7", true},
		{"-1e12", "-1000000000000", true}, {"1E3", "1000", true}, {"1e+0", "1", true}, {"12e0000000000000000000002", "1200", true},
	} {
		got, exact, err := Parse([]byte(c.text))
		if err != nil || got.String() != c.want || exact != c.exact {
			t.Errorf("%s: %v, exact %v, %v; want %s, %v", c.text, got, exact, err, c.want, c.exact)
		}
	}
	for text, want := range map[string]error{
		"": ErrSyntax, "-": ErrSyntax, ".": ErrSyntax, "1,5": ErrSyntax, "1.5.2": ErrSyntax, " 1": ErrSyntax, "NULL": ErrSyntax, "1e": ErrSyntax, "e5": ErrSyntax,
		"1e5.5": ErrSyntax, "0x10": ErrSyntax, "Inf": ErrSyntax, "$1": ErrSyntax,
		"1000000000000.000000000000000001": ErrRange, "1e13": ErrRange, "-1e99": ErrRange, "99999999999999999999999999999": ErrRange,
	} {
		if _, _, err := Parse(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// The value is the decimal's, by math/big.
func TestParseProp(t *testing.T) {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{1,24}(\.[0-9]{0,24})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "text")
		got, exact, err := Parse(text)
		want, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Skip("math/big does not read this text")
		}
		scaled := new(big.Rat).Mul(want, new(big.Rat).SetInt(unit))
		f, _ := want.Float64()
		if err != nil {
			if want.Abs(want).Cmp(big.NewRat(most, 1)) <= 0 {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		if exact != scaled.IsInt() {
			t.Fatalf("%s: exact %v", text, exact)
		}
		back, ok := new(big.Rat).SetString(got.String())
		if !ok {
			t.Fatalf("%s prints as %s", text, got)
		}
		back.Mul(back, new(big.Rat).SetInt(unit))
		diff := new(big.Rat).Sub(back, scaled)
		if diff.Abs(diff).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("%s is read as %s", text, got)
		}
		if math.Abs(got.Float64()-f) > 1e-15*math.Abs(f)+1e-18 {
			t.Fatalf("%s is %v as a float64", text, got.Float64())
		}
	})
}

func TestAmount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (Amount, *big.Rat) {
			n, d := rapid.Int64Range(-1e12, 1e12-1).Draw(t, name), rapid.Int64Range(0, 1e18-1).Draw(t, name+" decimals")
			a := Units(n)
			a.n.AddProduct(d, 1)
			r := new(big.Rat).SetFrac64(d, 1e18)
			return a, r.Add(r, big.NewRat(n, 1))
		}
		a, x := draw("a")
		b, y := draw("b")
		rat := func(a Amount) *big.Rat { r, _ := new(big.Rat).SetString(a.String()); return r }
		if rat(a).Cmp(x) != 0 || rat(a.Plus(b)).Cmp(new(big.Rat).Add(x, y)) != 0 || rat(a.Minus(b)).Cmp(new(big.Rat).Sub(x, y)) != 0 {
			t.Fatalf("%v and %v: %v, %v", a, b, a.Plus(b), a.Minus(b))
		}
		if a.Compare(b) != x.Cmp(y) || a.Sign() != x.Sign() || rat(a.Neg()).Cmp(new(big.Rat).Neg(x)) != 0 {
			t.Fatalf("%v and %v compare %d", a, b, a.Compare(b))
		}
		n := rapid.Int64Range(1, 1e6).Draw(t, "n")
		if rat(a.times(-n)).Cmp(new(big.Rat).Mul(x, big.NewRat(-n, 1))) != 0 {
			t.Fatalf("%v times %d: %v", a, -n, a.times(-n))
		}
		diff := new(big.Rat).Sub(rat(a.over(n)), new(big.Rat).Quo(x, big.NewRat(n, 1)))
		if diff.Abs(diff).Cmp(big.NewRat(1, 2e18)) > 0 {
			t.Fatalf("%v over %d: %v", a, n, a.over(n))
		}
		var back Amount
		if text, _ := a.MarshalText(); back.UnmarshalText(text) != nil || back != a {
			t.Fatalf("%v comes back as %v", a, back)
		}
	})
}

func TestAmountMoney(t *testing.T) {
	for _, c := range []struct {
		text string
		r    pricing.Rounding
		want pricing.Money
	}{
		{"0.0000000015", pricing.HalfEven, 2}, {"0.0000000025", pricing.HalfEven, 2}, {"0.000000002500000001", pricing.HalfEven, 3},
		{"0.0000000025", pricing.HalfUp, 3}, {"-0.0000000025", pricing.HalfUp, -3}, {"0.0000000029", pricing.Down, 2},
		{"-0.0000000021", pricing.Up, -3}, {"7", pricing.Up, 7 * pricing.Unit},
	} {
		if got, err := parse(t, c.text).Money(c.r); got != c.want || err != nil {
			t.Errorf("%s by %v: %d, %v; want %d nanos", c.text, c.r, got, err, c.want)
		}
	}
	if _, err := Units(1e10).Money(pricing.HalfEven); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("10¹⁰: %v", err)
	}
	if got := AmountOf(-1234567890); got.String() != "-1.23456789" {
		t.Error(got)
	}
	if err := new(Amount).UnmarshalText([]byte("1e-19")); !errors.Is(err, pricing.ErrPrecision) {
		t.Error(err)
	}
	var sum Amount
	for range 100 {
		sum = sum.Plus(Units(1e12))
	}
	if got := sum.times(100_000).String(); got != "1"+strings.Repeat("0", 19) {
		t.Error(got)
	}
}

// Halves go to the even neighbour, in both directions.
func TestScale(t *testing.T) {
	const atto = "0.000000000000000001"
	for _, c := range []struct {
		text     string
		num, den int64
		want     string
	}{
		{atto, 1, 2, "0"}, {atto, 3, 2, "0.000000000000000002"}, {atto, 5, 2, "0.000000000000000002"}, {"-" + atto, 3, 2, "-0.000000000000000002"},
		{atto, 7, 4, "0.000000000000000002"}, {atto, 5, 4, atto}, {"5400", 1, 3600, "1.5"}, {"0.01", 100, 1, "1"}, {"7", 5, 5, "7"}, {"1", -2, 1, "-2"}, {"-1", -2, 1, "2"},
	} {
		if got := parse(t, c.text).Scale(c.num, c.den); got.String() != c.want {
			t.Errorf("%s·%d/%d = %v, want %s", c.text, c.num, c.den, got, c.want)
		}
	}
	for name, f := range map[string]func(){
		"over 0":    func() { Units(1).Scale(1, 0) },
		"too large": func() { Units(most).Scale(1e18, 1) },
		"below":     func() { Units(-most - 1) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "usage: ") {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			f()
		}()
	}
}

func TestAmountAllocs(t *testing.T) {
	text, b := []byte("-8.07260660820738"), make([]byte, 0, 64)
	if n := allocs.Once(func() {
		a, _, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		b, _ = a.AppendText(b[:0])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte("0.08799215300000")
	for b.Loop() {
		if _, _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
