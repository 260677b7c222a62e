package federation

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
)

// eq20 is f(θ), term by term as printed but for the prices.
func eq20(theta int, missing, idle []int, r rates) (f pricing.Money) {
	for t := range missing {
		f += r.onDemand * pricing.Money(max(0, missing[t]-theta))
		f += r.elsewhere * pricing.Money(max(0, theta-idle[t]))
		f += r.share * pricing.Money(min(theta, idle[t]))
	}
	return f + pricing.Money(theta)*r.traffic
}

// exhaustive tries all θ, as [Liu21] does.
func exhaustive(d int, missing, idle []int, r rates) int {
	best := 0
	for theta := range d + 1 {
		if eq20(theta, missing, idle, r) < eq20(best, missing, idle, r) {
			best = theta
		}
	}
	return best
}

// The linear solution is that of trying all, the least where several are best; and
// Eq. (20) is convex where share ≤ elsewhere says so. Small prices, for ties.
func TestThetaIsExhaustive(t *testing.T) {
	var s splitter
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			n := rapid.IntRange(1, 6).Draw(t, "slots")
			if rapid.IntRange(0, 4).Draw(t, "long") == 0 {
				n = rapid.IntRange(few/2, 5*few).Draw(t, "many slots")
			}
			d := rapid.IntRange(1, 12).Draw(t, "instances")
			missing, idle := make([]int, n), make([]int, n)
			for i := range missing {
				missing[i] = rapid.IntRange(-1, d).Draw(t, "missing")
				idle[i] = rapid.IntRange(-1, d+2).Draw(t, "idle")
			}
			price := rapid.IntRange(0, 4)
			r := rates{
				pricing.Money(price.Draw(t, "on demand")), pricing.Money(price.Draw(t, "elsewhere")),
				pricing.Money(price.Draw(t, "share")), pricing.Money(rapid.IntRange(0, 4*n).Draw(t, "traffic")),
			}
			got := s.theta(missing, idle, r, nil)
			for i := range missing { // what is below 0 counts as 0
				missing[i], idle[i] = max(0, missing[i]), max(0, idle[i])
			}
			want := exhaustive(d, missing, idle, r)
			if got != want {
				t.Fatalf("θ = %d, exhaustive search has %d: missing %v, idle %v, %+v", got, want, missing, idle, r)
			}
			convex := true
			for x := 1; x < d; x++ {
				a, b, c := eq20(x-1, missing, idle, r), eq20(x, missing, idle, r), eq20(x+1, missing, idle, r)
				convex = convex && a+c >= 2*b
			}
			if r.share <= r.elsewhere && !convex {
				t.Fatalf("not convex: missing %v, idle %v, %+v", missing, idle, r)
			}
			ties := 0
			for x := range d + 1 {
				if eq20(x, missing, idle, r) == eq20(want, missing, idle, r) {
					ties++
				}
			}
			switch {
			case !convex:
				seen["not convex"]++
			case ties > 1 && want > 0:
				seen["tie above 0"]++
			case ties > 1:
				seen["tie at 0"]++
			case want > 0 && n > few:
				seen["long, some"]++
			case want > 0:
				seen["some"]++
			}
		}
	})
	for _, kind := range []string{"not convex", "tie above 0", "tie at 0", "long, some", "some"} {
		if seen[kind] < 10 {
			seeded.TooFew(t, "%s: %d cases of %v", kind, seen[kind], seen)
		}
	}
}

// Long tasks with many different numbers, of few sizes or spread over magnitudes,
// have the θ of sorting.
func TestThetaLong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	var s, sorted splitter
	inside := 0
	for range 300 {
		n := 1 + rnd.IntN(2000)
		spread := 1 + rnd.Float64()*20
		missing, idle := make([]int, n), make([]int, n)
		for i := range missing {
			missing[i], idle[i] = 1+int(math.Exp(rnd.Float64()*spread)), int(math.Exp(rnd.Float64()*spread))
		}
		if rnd.IntN(2) == 0 {
			slices.Sort(missing)
			slices.Sort(idle)
		}
		r := rates{onDemand: pricing.Money(rnd.IntN(100)), share: pricing.Money(rnd.IntN(30)), traffic: pricing.Money(rnd.IntN(100))}
		r.elsewhere = r.share + pricing.Money(rnd.IntN(60))
		got := s.theta(missing, idle, r, nil)
		if want := sorted.bySorting(missing, idle, r); got != want {
			t.Fatalf("%d slots: θ = %d, by sorting %d", n, got, want)
		}
		if got > 0 && got < slices.Max(missing) {
			inside++
		}
	}
	if inside < 50 {
		t.Errorf("θ is between the ends in %d cases", inside)
	}
}

// The careful pivot has about 3/10 on each side, which makes selection linear.
func TestPivot(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 10))
	for range 500 {
		k := make([]kink, few+1+rnd.IntN(1000))
		for i := range k {
			k[i].at = rnd.IntN(1 + rnd.IntN(100_000))
		}
		v := pivot(k, true)
		less, more := 0, 0
		for _, e := range k {
			if e.at < v {
				less++
			}
			if e.at > v {
				more++
			}
		}
		// Half of the ⌊n/5⌋ groups have three on its side.
		if most := len(k) - len(k)/5/2*3; less > most || more > most {
			t.Fatalf("%d of %d below, %d above; at most %d", less, len(k), more, most)
		}
	}
}

// The time is linear even where the median of nine is nearly the least of all, round
// after round. The input is made against it, as M. D. McIlroy does against quicksort (A
// killer adversary for quicksort, 1999): elements get their values when pivots are
// chosen among them, the next higher ones. Without careful pivots a tenth of the
// square of the length is looked at.
func TestThetaIsLinear(t *testing.T) {
	const unknown = 1 << 30
	for _, n := range []int{1_000, 10_000, 100_000} {
		k := make([]kink, n)
		for i := range k {
			k[i] = kink{unknown + i, pricing.Money(i)} // the step is the place in the input
		}
		at := make([]int, n)
		next := 0
		for left := k; len(left) > few; {
			for i := range 9 {
				if e := &left[i*(len(left)-1)/8]; e.at >= unknown {
					at[e.step], e.at = next, next
					next++
				}
			}
			_, more, _, _ := partition(left, pivot(left, false))
			left = left[more:]
		}
		for _, e := range k {
			if e.at >= unknown {
				at[e.step] = next
				next++
			}
		}
		for i := range k {
			k[i] = kink{at[i], 1}
		}
		got, seen := selectSlope(k, -pricing.Money(n))
		if got != n-1 {
			t.Fatalf("%d, want the last, %d", got, n-1)
		}
		// A careless round that leaves nearly all, then a careful one that leaves 7/10,
		// and so on: 2/(1 − 7/10).
		if seen > 7*n {
			t.Errorf("%d kinks: %d were looked at, %.1f times as many", n, seen, float64(seen)/float64(n))
		}
	}
}
