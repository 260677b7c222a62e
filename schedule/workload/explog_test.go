package workload

import (
	"math"
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
	rng := newRand(1)
	for range 200_000 {
		x := -700 + 1400*rng.Float64()
		if rng.IntN(2) == 0 {
			x = 14 * rng.Float64()
		}
		if u := ulps(exp(x), math.Exp(x)); u > 2 {
			t.Fatalf("exp(%v) = %v, want %v: %.0f units", x, exp(x), math.Exp(x), u)
		}
		y := math.Exp(x)
		if rng.IntN(2) == 0 {
			y = 1 + (rng.Float64()-.5)*math.Ldexp(1, -rng.IntN(40))
		}
		if u := ulps(log(y), math.Log(y)); u > 2 {
			t.Fatalf("log(%v) = %v, want %v: %.0f units", y, log(y), math.Log(y), u)
		}
		if u := ulps(log2(y), math.Log2(y)); u > 4 && math.Abs(log2(y)-math.Log2(y)) > 1e-15 {
			t.Fatalf("log2(%v) = %v, want %v: %.0f units", y, log2(y), math.Log2(y), u)
		}
		z := 62 * rng.Float64()
		if u := ulps(exp2(z), math.Exp2(z)); u > 3 {
			t.Fatalf("exp2(%v) = %v, want %v: %.0f units", z, exp2(z), math.Exp2(z), u)
		}
	}
	for k := range 62 {
		p := math.Ldexp(1, k)
		if log2(p) != float64(k) || exp2(float64(k)) != p {
			t.Errorf("log2(2^%d) = %v, exp2(%d) = %v, both must be exact", k, log2(p), k, exp2(float64(k)))
		}
	}
	if exp(0) != 1 || log(1) != 0 || exp(-1e9) != 0 {
		t.Errorf("exp(0) = %v, log(1) = %v, exp(-1e9) = %v", exp(0), log(1), exp(-1e9))
	}
}
