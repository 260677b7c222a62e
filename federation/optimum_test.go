package federation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/internal/allocs"
	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"pgregory.net/rapid"
)

// smallFederation draws a federation of n centres in which every decision can be
// tried.
func smallFederation(t *rapid.T, n, instances int) ([]Centre, []Task) {
	slots := rapid.IntRange(1, 6).Draw(t, "slots")
	centres := make([]Centre, n)
	for i := range centres {
		c := &centres[i]
		c.Reserved = rapid.SliceOfN(rapid.IntRange(0, 3), slots, slots).Draw(t, "reserved")
		c.OnDemand = pricing.Money(rapid.IntRange(0, 12).Draw(t, "on demand"))
		c.Fee, c.Term = pricing.Money(rapid.IntRange(0, 12).Draw(t, "fee")), 2
		c.Traffic = pricing.Money(rapid.IntRange(0, 3).Draw(t, "traffic"))
	}
	var tasks []Task
	for left := instances; left > 0; {
		start := rapid.IntRange(0, slots-1).Draw(t, "start")
		task := Task{
			ID: len(tasks), Home: rapid.IntRange(0, n-1).Draw(t, "home"),
			Start: start, End: rapid.IntRange(start+1, slots).Draw(t, "end"),
			Instances: rapid.IntRange(1, min(left, 3)).Draw(t, "instances"),
			Disk:      int64(rapid.IntRange(0, 9).Draw(t, "disk")) * gigabyte,
		}
		left -= task.Instances
		tasks = append(tasks, task)
	}
	return centres, tasks
}

// planCost is what parts cost, slot by slot, from the definition.
func planCost(t interface{ Fatalf(string, ...any) }, centres []Centre, tasks []Task, parts []Part) (onDemand, traffic pricing.Money) {
	slots := len(centres[0].Reserved)
	n := make([][]int, len(centres))
	for j := range n {
		n[j] = make([]int, slots)
	}
	booked := make([]int, len(tasks))
	for i, p := range parts {
		if p.Instances < 1 {
			t.Fatalf("part %d has %d instances", i, p.Instances)
		}
		if i > 0 && (p.Index < parts[i-1].Index || p.Index == parts[i-1].Index && p.Centre <= parts[i-1].Centre) {
			t.Fatalf("part %d is out of order", i)
		}
		task := tasks[p.Index]
		booked[p.Index] += p.Instances
		for s := task.Start; s < task.End; s++ {
			n[p.Centre][s] += p.Instances
		}
		if p.Centre != task.Home {
			send, err := centres[task.Home].TrafficFor(task.Disk)
			if err != nil {
				t.Fatalf("%v", err)
			}
			traffic += send * pricing.Money(p.Instances)
		}
	}
	for k, task := range tasks {
		if booked[k] != task.Instances {
			t.Fatalf("task %d has %d of %d instances", k, booked[k], task.Instances)
		}
	}
	for j, c := range centres {
		for s, u := range c.Reserved {
			onDemand += pricing.Money(max(0, n[j][s]-u)) * c.OnDemand
		}
	}
	return onDemand, traffic
}

// bruteForce tries every division of every task between the centres.
func bruteForce(centres []Centre, tasks []Task) pricing.Money {
	slots := len(centres[0].Reserved)
	n := make([][]int, len(centres))
	for j := range n {
		n[j] = make([]int, slots)
	}
	best := pricing.Money(1 << 62)
	var try func(k, j, left int, traffic pricing.Money)
	try = func(k, j, left int, traffic pricing.Money) {
		if k == len(tasks) {
			for j, c := range centres {
				for s, u := range c.Reserved {
					traffic += pricing.Money(max(0, n[j][s]-u)) * c.OnDemand
				}
			}
			best = min(best, traffic)
			return
		}
		task := tasks[k]
		for d := range left + 1 {
			if j == len(centres)-1 && d < left {
				continue
			}
			cost := traffic
			if j != task.Home {
				send, _ := centres[task.Home].TrafficFor(task.Disk)
				cost += send * pricing.Money(d)
			}
			for s := task.Start; s < task.End; s++ {
				n[j][s] += d
			}
			if d == left {
				next := 0
				if k+1 < len(tasks) {
					next = tasks[k+1].Instances
				}
				try(k+1, 0, next, cost)
			} else {
				try(k, j+1, left-d, cost)
			}
			for s := task.Start; s < task.End; s++ {
				n[j][s] -= d
			}
		}
	}
	try(0, 0, tasks[0].Instances, 0)
	return best
}

// spent is what bookings cost the federation, reservations apart.
func spent(bookings []Booking) (sum pricing.Money) {
	for _, b := range bookings {
		sum += b.Bought + b.Traffic
	}
	return sum
}

// Algorithm 3, whatever it asks first and charges, costs at least the optimum,
// found by trying everything; the plan found costs no more than Algorithm 3's; the
// bound is below the optimum, and proved by its prices; the least cost of tasks
// split by slot is below the bound. With two centres the plan is optimal.
func TestOptimumSmall(t *testing.T) {
	var o Optimizer
	var sw Slotwise
	cases, exact, optimal, below, better := 0, 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "centres")
		centres, tasks := smallFederation(t, n, rapid.IntRange(1, 7-n/4).Draw(t, "all instances"))
		opts := Options{
			Order: rapid.SampledFrom([]Order{ByDelay, CheapestFirst, Alone}).Draw(t, "order"),
			Price: rapid.SampledFrom([]SharePrice{LenderFee, BorrowerFee, Midpoint, Unpaid}).Draw(t, "price"),
		}
		bookings, err := Share(nil, centres, tasks, opts)
		if err != nil {
			t.Fatal(err)
		}
		greedy := spent(bookings)
		want := bruteForce(centres, tasks)
		got, err := o.Solve(centres, tasks, OptimumOptions{Start: bookings})
		if err != nil {
			t.Fatal(err)
		}
		parts := o.AppendParts(nil, tasks)
		onDemand, traffic := planCost(t, centres, tasks, parts)
		if onDemand != got.OnDemand || traffic != got.Traffic || onDemand+traffic != got.Cost {
			t.Fatalf("the plan costs %v + %v, said %v + %v = %v", onDemand, traffic, got.OnDemand, got.Traffic, got.Cost)
		}
		proved, err := Bound(centres, tasks, o.AppendPrices(nil))
		if err != nil || proved != got.Bound {
			t.Fatalf("bound %v, %v from its prices: %v", got.Bound, proved, err)
		}
		split, err := sw.Solve(centres, tasks)
		if err != nil {
			t.Fatal(err)
		}
		if greedy < got.Cost || got.Cost < want || want < got.Bound || got.Bound < split.Cost {
			t.Fatalf("greedy %v ≥ plan %v ≥ optimum %v ≥ bound %v ≥ split %v does not hold", greedy, got.Cost, want, got.Bound, split.Cost)
		}
		if n <= 2 && !got.Exact() {
			t.Fatalf("%d centres: plan %v, bound %v", n, got.Cost, got.Bound)
		}
		var fresh Optimizer
		again, err := fresh.Solve(centres, tasks, OptimumOptions{Start: bookings})
		if err != nil || again != got {
			t.Fatalf("a fresh solver: %v, %v, not %v", again, err, got)
		}
		if diff := cmp.Diff(parts, fresh.AppendParts(nil, tasks)); diff != "" {
			t.Fatal(diff)
		}
		cases++
		if n > 2 {
			if got.Exact() {
				exact++
			}
			if got.Cost == want {
				optimal++
			}
		}
		if split.Cost < want {
			below++
		}
		if want < greedy {
			better++
		}
	})
	t.Logf("%d cases; with three or four centres %d plans proved optimal, %d optimal; split below in %d, better than greedy in %d", cases, exact, optimal, below, better)
	if !testing.Short() && (exact == 0 || below == 0 || better == 0) {
		t.Error("the cases that matter were not drawn")
	}
}

var _ = allocs.Once
