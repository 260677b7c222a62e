package pricing

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// wantNoAllocs runs f once for each input, the largest first to warm up, and
// reports what the runs after that allocate, one at a time.
func wantNoAllocs(t *testing.T, name string, inputs int, f func(i int)) {
	t.Helper()
	f(0)
	for i := range inputs {
		if n := allocs.Once(func() { f(i) }); n != 0 {
			t.Errorf("%s: %v allocations for input %d, want 0", name, n, i)
		}
	}
}

// anyHours returns a random demand and random purchases, of a fixed seed.
func anyHours(rng *rand.Rand, slots, most, classes, purchases int) ([]int, []Purchase) {
	demand := make([]int, slots)
	for i := range demand {
		demand[i] = rng.IntN(most + 1)
	}
	bought := make([]Purchase, purchases)
	for i := range bought {
		bought[i] = Purchase{Slot: rng.IntN(slots), Class: rng.IntN(classes), Count: rng.IntN(3)}
	}
	return demand, bought
}

func TestAllocs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2)) // seed 1, 2
	list := CC28XLarge2013()
	sizes := []int{9000, 1, 8999, 24, 744, 4000}

	var biller Biller
	var demands [][]int
	var purchases [][]Purchase
	for _, n := range sizes {
		d, p := anyHours(rng, n, 50, len(list.Classes), n/10)
		demands, purchases = append(demands, d), append(purchases, p)
	}
	wantNoAllocs(t, "Biller.Bill", len(sizes), func(i int) {
		if _, err := biller.Bill(list, demands[i], time.Hour, purchases[i]); err != nil {
			t.Fatal(err)
		}
	})

	levels := make([]Level, 0, 8)
	terms := []time.Duration{0, Year, 3 * Year}
	wantNoAllocs(t, "List.AppendEnvelope", len(terms), func(i int) {
		var err error
		if levels, err = list.AppendEnvelope(levels[:0], terms[i]); err != nil {
			t.Fatal(err)
		}
	})
	text := make([]byte, 0, 32)
	wantNoAllocs(t, "single results", len(list.Classes), func(i int) {
		c := list.Classes[i]
		c.BreakEven(OnDemand(list.OnDemand))
		cost, err := c.Commitment()
		if err != nil {
			t.Fatal(err)
		}
		if cost, err = cost.Prorate(time.Duration(i), 7, HalfUp); err != nil {
			t.Fatal(err)
		}
		if _, err = cost.AppendText(text[:0]); err != nil {
			t.Fatal(err)
		}
		if _, err = GCE2014.Cost(c.Hourly, time.Duration(i)*time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err = GCE2014SustainedUse.Cost(c.Hourly, time.Duration(i)*time.Hour, 30*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err = Niu16Cluster(93+i, time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err = ParseMoney("2.40"); err != nil {
			t.Fatal(err)
		}
	})
}
