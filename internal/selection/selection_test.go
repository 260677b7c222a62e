package selection_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/selection"
)

// The element is the one that sorting puts there, and the slice is split there.
func check[T int64 | int | float64](t interface {
	Fatalf(string, ...any)
	Helper()
}, a []T, k int) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(a))
	got := selection.Kth(a, k)
	if got != sorted[k] || a[k] != got {
		t.Fatalf("Kth %d of %d: %v, a[k] %v, want %v", k, len(a), got, a[k], sorted[k])
	}
	if k > 0 && slices.Max(a[:k]) > got || slices.Min(a[k:]) < got {
		t.Fatalf("Kth %d of %d does not split: %v", k, len(a), a)
	}
	slices.Sort(a)
	if !slices.Equal(a, sorted) {
		t.Fatalf("Kth changes what is in the slice")
	}
}

func TestKth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{0, 1, 3, 100, 1 << 40}).Draw(t, "most")
		a := rapid.SliceOfN(rapid.Int64Range(-most, most), 1, 200).Draw(t, "a")
		check(t, a, rapid.IntRange(0, len(a)-1).Draw(t, "k"))
	})
}

// Each element of short slices that are split a few times, where k is often at the edge
// of a part.
func TestKthEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for n := 13; n <= 40; n++ {
		for k := range n {
			a := make([]int, n)
			for i, v := range rng.Perm(n) {
				a[i] = v / (1 + k%3) // one, two and three of a kind
			}
			check(t, a, k)
		}
	}
}

// Only what is needed is put in order: the rest of a long slice is not sorted, so the
// splits found the element and not the sort that ends bad cases.
func TestKthDoesNotSort(t *testing.T) {
	for _, n := range []int{1000, 100_000} {
		for _, k := range []int{0, 3, n / 2, n - 1} {
			a := make([]int64, n)
			x := uint64(n)
			for i := range a {
				x = x*6364136223846793005 + 1442695040888963407
				a[i] = int64(x >> 33)
			}
			check(t, slices.Clone(a), k)
			selection.Kth(a, k)
			if k >= 100 && slices.IsSorted(a[:k-50]) || n-k >= 100 && slices.IsSorted(a[k+50:]) {
				t.Errorf("the part of %d that element %d is not in is sorted", n, k)
			}
		}
	}
}

// Orders on which quickselect without a bound is slow, or leaves its slice.
func TestKthOrders(t *testing.T) {
	for _, n := range []int{1, 2, 12, 13, 14, 1000} {
		for name, f := range map[string]func(i int) float64{
			"rising":     func(i int) float64 { return float64(i) },
			"falling":    func(i int) float64 { return float64(-i) },
			"equal":      func(i int) float64 { return 1 },
			"organ pipe": func(i int) float64 { return float64(min(i, n-i)) },
			"two values": func(i int) float64 { return float64(i & 1) },
		} {
			t.Run(name, func(t *testing.T) {
				for _, k := range []int{0, n / 2, n - 1} {
					a := make([]float64, n)
					for i := range a {
						a[i] = f(i)
					}
					check(t, a, k)
				}
			})
		}
	}
}

// killer returns an order of n numbers on which this quickselect takes the most
// splits: McIlroy's adversary for medians of three, built by running the
// algorithm backwards (M. D. McIlroy, A Killer Adversary for Quicksort, 1999).
// Here the simpler form for the first, middle and last is enough: the two
// smallest that are left stand where the next pivots are taken from.
func killer(n int) []int64 {
	at := make([]int, n) // at[i] is where element i of the current part is in the input
	for i := range at {
		at[i] = i
	}
	a := make([]int64, n)
	next := int64(0)
	for len(at) > 2 {
		m := (len(at) - 1) / 2
		a[at[0]], a[at[m]] = next, next+1
		next += 2
		// The pivot next+1 is swapped to place 1, and both drop off.
		at[m] = at[1]
		at = at[2:]
	}
	for _, i := range at {
		a[i] = next
		next++
	}
	return a
}

// After the splits that the bound allows, the rest is in no order: the sort has to find
// the element, up to the last.
func TestKthSortsTheRest(t *testing.T) {
	const n = 4000
	for _, k := range []int{n / 2, n - 2, n - 1} {
		a := killer(n)
		rng := rand.New(rand.NewPCG(2, 0))
		for i, v := range a { // numbers above those of the first splits change their places
			if v >= 100 {
				a[i] = 100 + int64(rng.IntN(n))
			}
		}
		check(t, a, k)
	}
}

func TestKthMisuse(t *testing.T) {
	for _, k := range []int{-1, 3} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Kth of 3 at %d does not panic", k)
				}
			}()
			selection.Kth([]int{1, 2, 3}, k)
		}()
	}
}

func TestKthAllocs(t *testing.T) {
	a := killer(1000)
	b := make([]int64, len(a))
	if n := testing.AllocsPerRun(10, func() { copy(b, a); selection.Kth(b, 500) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
