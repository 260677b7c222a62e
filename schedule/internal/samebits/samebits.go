// Package samebits computes the exponential and the logarithm with the same bits on every machine.
//
// The same seed must give the same jobs everywhere. math.Exp and math.Log do not promise that: they
// are assembly on some architectures, and on amd64 math.Exp chooses at run time between fused and
// separate multiply-adds. A difference in the last bit seldom changes a time that is rounded down
// to a second, but it can. A sampler that accepts or rejects a draw may then decide differently,
// and every later draw changes. The two functions here use only +, −, × and ÷, which IEEE 754
// rounds exactly. Every product in a sum is written float64(x*y), which the language forbids a
// compiler to fuse. The packages that sample with these functions leave a compiler one operation to
// fuse: the division by 2⁵³ inside rand.Float64. That division is exact, so fusing changes nothing.
//
// Both reduce the argument by powers of two and sum a truncated series. The truncation error is
// below a tenth of a unit in the last place (bounds at the functions), so rounding dominates. The
// tests hold both functions to two units in the last place of math.Exp and math.Log.
package samebits

import "math"

// ln 2 = ln2Hi + ln2Lo, where ln2Hi has 29 significant bits: a product with an
// exponent is exact.
const (
	ln2Hi = 0x1.62e42fefp-1
	ln2Lo = math.Ln2 - ln2Hi
)

// Exp returns e^x for x ≤ 709. Below −708, where results would be subnormal,
// it returns 0.
//
// Method: x = k·ln 2 + r with a whole k and |r| ≤ ln 2/2 = 0.3466, so e^x is 2^k·e^r. The power
// series of e^r ends at r¹³/13!. The rest of the series is below 0.3466¹⁴/14!·1.03 = 4.3e-18.
func Exp(x float64) float64 {
	if x < -708 {
		return 0
	}
	k := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := (x - float64(k*ln2Hi)) - float64(k*ln2Lo)
	// Even and odd terms apart: two short chains run side by side.
	z := r * r
	even := 1.0 / 479001600
	even = float64(even*z) + 1.0/3628800
	even = float64(even*z) + 1.0/40320
	even = float64(even*z) + 1.0/720
	even = float64(even*z) + 1.0/24
	even = float64(even*z) + 1.0/2
	odd := 1.0 / 6227020800
	odd = float64(odd*z) + 1.0/39916800
	odd = float64(odd*z) + 1.0/362880
	odd = float64(odd*z) + 1.0/5040
	odd = float64(odd*z) + 1.0/120
	odd = float64(odd*z) + 1.0/6
	// e^r = 1 + (r + (r²·even + r³·odd)), smallest terms first.
	p := 1 + (r + (float64(z*even) + float64(float64(z*r)*odd)))
	return float64(p * math.Float64frombits(uint64(int64(k)+1023)<<52))
}

// frexp returns k and m with x = m·2^k and √½ ≤ m < √2, for a normal x > 0.
func frexp(x float64) (k, m float64) {
	b := math.Float64bits(x)
	e := int64(b>>52) - 1023
	b = b&(1<<52-1) | 1023<<52
	m = math.Float64frombits(b)
	if m >= math.Sqrt2 {
		m /= 2
		e++
	}
	return float64(e), m
}

// logMantissa returns ln m for √½ ≤ m < √2.
//
// ln m = 2·artanh(s), s = (m−1)/(m+1), |s| ≤ 0.1716, by the series up to s¹⁹/19;
// the rest is below 2·s²¹/21/(1−s²) = 8e-18 of 2s relative to 1.
func logMantissa(m float64) float64 {
	f := m - 1 // exact
	s := f / (2 + f)
	z := s * s
	w := z * z
	a := 1.0 / 17
	a = float64(a*w) + 1.0/13
	a = float64(a*w) + 1.0/9
	a = float64(a*w) + 1.0/5
	b := 1.0 / 19
	b = float64(b*w) + 1.0/15
	b = float64(b*w) + 1.0/11
	b = float64(b*w) + 1.0/7
	b = float64(b*w) + 1.0/3
	// 2s = f − s·f, so that the leading term f is exact:
	// ln m = f − s·(f − 2·tail).
	tail := float64(z*b) + float64(w*a) // s²/3 + s⁴/5 + s⁶/7 + …
	return f - float64(s*(f-float64(2*tail)))
}

// Log returns ln x for a normal x > 0.
func Log(x float64) float64 {
	k, m := frexp(x)
	return float64(k*ln2Hi) + (logMantissa(m) + float64(k*ln2Lo))
}

// Log2 returns the binary logarithm of a normal x > 0, exact for powers of two.
func Log2(x float64) float64 {
	k, m := frexp(x)
	return k + float64(logMantissa(m)*(1/math.Ln2))
}

// Exp2 returns 2^x for 0 ≤ x < 64, exact for integers.
func Exp2(x float64) float64 {
	k := math.Floor(x)
	return float64(Exp(float64((x-k)*math.Ln2)) * math.Float64frombits(uint64(int64(k)+1023)<<52))
}
