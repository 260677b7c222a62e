package usage

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A whole number of instances from an amount of hours, by each rounding: what the exact
// fraction rounds to, at halves and just beside them.
func TestWholeByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 66))
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil)
	for range 4000 {
		n := 1 + rng.Int64N(9)
		// k/2 + a little, times n.
		var a Amount
		half := Units(rng.Int64N(20) * n).n
		x := new(big.Int).SetUint64(half.Unsigned().Lo)
		x.Add(x, new(big.Int).Lsh(new(big.Int).SetUint64(half.Unsigned().Hi), 64))
		x.Quo(x, big.NewInt(2))
		x.Add(x, big.NewInt(rng.Int64N(5)-2))
		if x.Sign() < 0 {
			x.SetInt64(0)
		}
		a, _, err := Parse(new(big.Rat).SetFrac(x, unit).FloatString(decimals))
		if err != nil {
			t.Fatal(err)
		}
		exact := new(big.Rat).SetFrac(x, new(big.Int).Mul(unit, big.NewInt(n)))
		floor := new(big.Int).Quo(exact.Num(), exact.Denom())
		rest := new(big.Rat).Sub(exact, new(big.Rat).SetInt(floor))
		for _, r := range []pricing.Rounding{pricing.HalfEven, pricing.HalfUp, pricing.Down, pricing.Up} {
			want := floor.Int64()
			c := rest.Cmp(big.NewRat(1, 2))
			switch {
			case r == pricing.Down, rest.Sign() == 0:
			case r == pricing.Up, c > 0, c == 0 && r == pricing.HalfUp, c == 0 && want%2 == 1:
				want++
			}
			if got, ok := a.whole(n, r); !ok || int64(got) != want {
				t.Fatalf("%v/%d by %v: %d, want %d", a, n, r, got, want)
			}
		}
	}
}

// However large a number is, it is out of range, and not another number; 0 has no size.
func TestParseFarTooLarge(t *testing.T) {
	for _, s := range []string{"1e13", "1000000000001", "1e20", "1e31", "1e39", "1e40", "5e50", "9e999", "340282366920938463463374607431768211457", "-2e38", "99999999999999999999999999999999999999999999", "18446744073709551616e18"} {
		if a, _, err := Parse(s); !errors.Is(err, ErrRange) {
			t.Errorf("%s: %v, %v", s, a, err)
		}
	}
	for _, s := range []string{"0e999", "-0.000e-99", "0000000000000000000000000000000000000000000000"} {
		if a, exact, err := Parse(s); a != (Amount{}) || !exact || err != nil {
			t.Errorf("%s: %v, %v, %v", s, a, exact, err)
		}
	}
	if a, exact, err := Parse("1e12"); a != Units(1_000_000_000_000) || !exact || err != nil {
		t.Errorf("1e12: %v, %v, %v", a, exact, err)
	}
}

// Two accounts may be billed for the same hours by bills of two forms; one account may not,
// however the rows of accounts take turns.
func TestAccountsTakeTurns(t *testing.T) {
	start := time.Date(2024, 9, 18, 0, 0, 0, 0, time.UTC)
	add := func(c *Collector, line int, account string, hour int) error {
		return c.Add(&Row{Line: line, Raw: []byte{byte(line), byte(hour)}, Account: account, Currency: "USD", Start: start.Add(time.Duration(hour) * time.Hour), End: start.Add(time.Duration(hour+1) * time.Hour),
			Charge: OnDemand, Kind: Kind{Provider: "aws", Type: "m5.large"}, Hours: Units(1), Billed: Units(1)})
	}
	for _, overlap := range []bool{false, true} {
		var c Collector
		c.Begin("1", "test")
		for i := range 6 {
			// Account a has the even hours of the first file, b the odd ones.
			if err := add(&c, i+1, string(rune('a'+i%2)), i); err != nil {
				t.Fatal(err)
			}
		}
		c.Begin("2", "another form")
		for i := range 6 {
			account := string(rune('a' + (i+1)%2)) // the other way round
			if overlap && i == 4 {
				account = "a"
			}
			if err := add(&c, 10+i, account, i); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Bill(); (err != nil) != overlap {
			t.Errorf("overlap %v: %v", overlap, err)
		}
	}
}
