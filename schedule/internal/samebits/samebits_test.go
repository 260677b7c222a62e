package samebits

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps returns the distance of two numbers in units in the last place of want.
func ulps(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

// math's functions are accurate to less than one unit, ours must be within two
// of them. Seed 1.
func TestExpLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 200_000 {
		x := -700 + 1400*rng.Float64()
		if rng.IntN(2) == 0 {
			x = 14 * rng.Float64()
		}
		if u := ulps(Exp(x), math.Exp(x)); u > 2 {
			t.Fatalf("Exp(%v) = %v, want %v: %.0f units", x, Exp(x), math.Exp(x), u)
		}
		y := math.Exp(x)
		if rng.IntN(2) == 0 {
			y = 1 + (rng.Float64()-.5)*math.Ldexp(1, -rng.IntN(40))
		}
		if u := ulps(Log(y), math.Log(y)); u > 2 {
			t.Fatalf("Log(%v) = %v, want %v: %.0f units", y, Log(y), math.Log(y), u)
		}
		if u := ulps(Log2(y), math.Log2(y)); u > 4 && math.Abs(Log2(y)-math.Log2(y)) > 1e-15 {
			t.Fatalf("Log2(%v) = %v, want %v: %.0f units", y, Log2(y), math.Log2(y), u)
		}
		z := 62 * rng.Float64()
		if u := ulps(Exp2(z), math.Exp2(z)); u > 3 {
			t.Fatalf("Exp2(%v) = %v, want %v: %.0f units", z, Exp2(z), math.Exp2(z), u)
		}
	}
	for k := range 62 {
		p := math.Ldexp(1, k)
		if Log2(p) != float64(k) || Exp2(float64(k)) != p {
			t.Errorf("Log2(2^%d) = %v, Exp2(%d) = %v, both must be exact", k, Log2(p), k, Exp2(float64(k)))
		}
	}
	if Exp(0) != 1 || Log(1) != 0 || Exp(-1e9) != 0 {
		t.Errorf("Exp(0) = %v, Log(1) = %v, Exp(-1e9) = %v", Exp(0), Log(1), Exp(-1e9))
	}
}
