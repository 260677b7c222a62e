package workload

import (
	"math"

	"github.com/plimsoll/plimsoll/schedule/internal/samebits"
)

const (
	buckets       = 48   // half hours of a day
	bucketSeconds = 1800 // in half an hour
	firstBucket   = 11   // the cycle's day starts with the eleventh half hour
)

// cycle sets w to the weights of the 48 half hours of a day. The half hour at index 0 starts at
// midnight. Let F be the distribution function of gamma(shape, scale). As in the model, the weight
// at index (i−1) mod 48 is F(i+½) − F(i−½), for i from 11 to 58. Then cycle divides the weights by
// their mean, so that their sum is 48.
//
// The division removes every constant factor of the density of gamma. So the weights are integrals
// of
//
//	t^(shape−1) · e^(−t/scale)
//
// and cycle needs no gamma function. cycle scales the integrand to 1 at its highest point in the
// day, so that it stays in range. cycle cuts each half hour into four panels, and integrates over
// each panel by Gauss's rule of five points. Differences of two values of F would lose digits in
// the night, where F is close to 1.
func cycle(w *[buckets]float64, shape, scale float64) {
	const (
		panels = 4
		half   = 0.5 / panels // half the width of a panel
	)
	// Gauss-Legendre, five points: 0 and ±√(5 ∓ 2√(10/7))/3. Products and square
	// roots are the same on every machine; sums are of converted products.
	root := float64(2 * math.Sqrt(10.0/7))
	x1 := math.Sqrt(5-root) / 3
	x2 := math.Sqrt(5+root) / 3
	root70 := float64(13 * math.Sqrt(70))
	w1 := (322 + root70) / 900
	w2 := (322 - root70) / 900
	const w0 = 128.0 / 225

	logf := func(t float64) float64 {
		return float64((shape-1)*samebits.Log(t)) - float64(t/scale)
	}
	mode := float64((shape - 1) * scale)
	peak := logf(min(max(mode, firstBucket-0.5), firstBucket+buckets-0.5))
	f := func(t float64) float64 { return samebits.Exp(logf(t) - peak) }

	sum := 0.0
	for i := firstBucket; i < firstBucket+buckets; i++ {
		integral := 0.0
		for j := range panels {
			mid := float64(i) - 0.5 + float64(half*float64(2*j+1))
			d1, d2 := float64(half*x1), float64(half*x2)
			integral += float64(w0*f(mid)) +
				float64(w1*(f(mid-d1)+f(mid+d1))) +
				float64(w2*(f(mid-d2)+f(mid+d2)))
		}
		w[(i-1)%buckets] = integral
		sum += integral
	}
	mean := sum / buckets
	for i := range w {
		w[i] /= mean
	}
}
