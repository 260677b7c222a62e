package federation

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

// busyFederation is a federation of n centres over many slots, with tasks of which
// one in ten is long. Reservations cover about the mean demand.
func busyFederation(n, slots, tasks int, seed uint64) ([]Centre, []Task) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	all := make([]Task, tasks)
	demand := make([]int, n)
	for k := range all {
		length := 1 + rnd.IntN(4)
		if rnd.IntN(10) == 0 {
			length = 1 + rnd.IntN(max(2, slots/4))
		}
		start := rnd.IntN(slots)
		all[k] = Task{
			ID: k, Home: rnd.IntN(n), Start: start, End: min(slots, start+length),
			Instances: 1 + rnd.IntN(32), Disk: 5e6 + rnd.Int64N(1e9),
		}
		demand[all[k].Home] += all[k].Instances * all[k].Slots()
	}
	slices.SortStableFunc(all, func(a, b Task) int { return a.Start - b.Start })
	for k := range all {
		all[k].ID = k
	}
	centres := make([]Centre, n)
	for i := range centres {
		centres[i] = Centre{
			OnDemand: pricing.Money(60+i) * pricing.Milli, Fee: 750 * pricing.Milli, Term: 24, Traffic: 15 * pricing.Milli,
			Reserved: make([]int, slots), Delay: make([]time.Duration, n),
		}
		for t := range slots {
			centres[i].Reserved[t] = demand[i]/slots + t*i%7
		}
		for h := range n {
			centres[i].Delay[h] = time.Duration((h - i) * (h - i))
		}
		if i%2 == 0 {
			centres[i].Demand = make([]int, slots)
			if err := AddDemand(centres[i].Demand, all, i); err != nil {
				panic(err)
			}
		}
	}
	return centres, all
}

// Warm, nothing allocates: neither runs, task by task or all together, nor ledgers nor θ,
// whatever the federation is that is no larger than those before.
func TestAllocatesNothing(t *testing.T) {
	type federation struct {
		centres []Centre
		tasks   []Task
	}
	var feds []federation
	for k, size := range [][3]int{{6, 900, 3000}, {2, 50, 100}, {4, 400, 3000}, {6, 899, 2999}} {
		c, tasks := busyFederation(size[0], size[1], size[2], uint64(k))
		feds = append(feds, federation{c, tasks})
	}
	var s, batch Sharer
	var l Ledger
	var sp splitter
	var bookings, again []Booking
	statements := make([]Statement, 0, 10)
	missing, idle := make([]int, 4000), make([]int, 4000)
	rnd := rand.New(rand.NewPCG(3, 3))
	for i := range missing {
		missing[i], idle[i] = rnd.IntN(1000), rnd.IntN(1000)
	}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	for name, f := range map[string]func(federation){
		"stream": func(f federation) {
			must(s.Reset(f.centres, Options{Order: CheapestFirst}))
			bookings = bookings[:0]
			var err error
			for _, task := range f.tasks {
				bookings, err = s.Add(bookings, task)
				must(err)
			}
		},
		"batch": func(f federation) {
			must(batch.Reset(f.centres, Options{}))
			var err error
			again, err = batch.Share(again[:0], f.tasks)
			must(err)
			l.Reset(len(f.centres))
			must(l.Post(again...))
			statements = l.AppendStatements(statements[:0])
			if l.Total().Lent == 0 && len(f.centres) > 2 {
				t.Fatal("nothing is lent")
			}
		},
		"theta": func(f federation) {
			n := len(f.tasks)
			for _, r := range []rates{{6, 5, 3, 1}, {6, 2, 3, 1}} {
				sp.theta(missing[:n], idle[:n], r, nil)
			}
		},
	} {
		for k := range feds {
			f(feds[k])
		}
		for k := range feds {
			if n := allocs.Once(func() { f(feds[k]) }); n != 0 {
				t.Errorf("%s, federation %d: %v allocations", name, k, n)
			}
		}
	}
}

// Neither does sharing at a price of one's own.
func TestLendingAllocatesNothing(t *testing.T) {
	var s Sharer
	var bookings []Booking
	options := Options{Lending: []PricePoint{{0, 1}, {1, .5}}}
	run := func(centres []Centre, tasks []Task) {
		err := s.Reset(centres, options)
		if err == nil {
			bookings, err = s.Share(bookings[:0], tasks)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range [][3]int{{4, 60, 200}, {2, 30, 100}, {4, 59, 199}} {
		centres, tasks := busyFederation(size[0], size[1], size[2], 1)
		run(centres, tasks)
		if n := allocs.Once(func() { run(centres, tasks) }); n != 0 {
			t.Errorf("%v: %v allocations", size, n)
		}
	}
}
