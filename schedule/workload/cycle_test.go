package workload

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// The weights against differences of the regularised incomplete gamma function,
// as the model defines them.
func TestCycleWeights(t *testing.T) {
	for _, c := range []struct {
		name         string
		shape, scale float64
		busiest      int // half hour of the largest weight
	}{
		// The mode of gamma(α, β) is (α−1)β; half hour i covers i−½ to i+½ and
		// has index i−1: 5.1271·5.274 = 27.04 is half hour 27, 13:00 to 13:30.
		{"batch", 6.1271, 5.2740, 26},
		{"interactive", 8.9186, 3.6680, 28}, // 7.9186·3.668 = 29.05
		{"typeless", 8.1737, 3.9631, 27},    // 7.1737·3.9631 = 28.43
		{"narrow", 400, .08, 31},            // 399·.08 = 31.92
		{"falling", .5, 20, 10},             // starts at its highest: half hour 11
		{"rising", 400, .5, 9},              // mode at 199.5, beyond: half hour 58
	} {
		var w [buckets]float64
		cycle(&w, c.shape, c.scale)
		var want [buckets]float64
		sum := 0.0
		for i := 11; i <= 58; i++ {
			f := mathext.GammaIncReg(c.shape, (float64(i)+.5)/c.scale) -
				mathext.GammaIncReg(c.shape, (float64(i)-.5)/c.scale)
			want[(i-1)%48] = f
			sum += f
		}
		total := 0.0
		busiest := 0
		for i := range w {
			total += w[i]
			if w[i] > w[busiest] {
				busiest = i
			}
			if x := want[i] / (sum / 48); math.Abs(w[i]-x) > 1e-9*max(x, 1) {
				t.Errorf("%s: weight %d is %v, want %v", c.name, i, w[i], x)
			}
		}
		if math.Abs(total-48) > 1e-12 {
			t.Errorf("%s: weights sum to %v, want 48", c.name, total)
		}
		if busiest != c.busiest {
			t.Errorf("%s: busiest half hour %d, want %d", c.name, busiest, c.busiest)
		}
	}
}
