package federation

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
)

// check checks a property on twenty times as many cases as rapid does by itself.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			property(t)
		}
	})
}

// drawCentres draws up to four centres of few reservations over up to 8 slots,
// with small prices, so that ties are frequent, and fees that are multiples of
// the term if whole.
func drawCentres(t *rapid.T, whole bool) []Centre {
	slots := rapid.IntRange(1, 8).Draw(t, "slots")
	centres := make([]Centre, rapid.IntRange(1, 4).Draw(t, "centres"))
	for i := range centres {
		c := &centres[i]
		c.Reserved = rapid.SliceOfN(rapid.IntRange(0, 4), slots, slots).Draw(t, "reserved")
		if rapid.Bool().Draw(t, "expects") {
			c.Demand = rapid.SliceOfN(rapid.IntRange(0, 4), slots, slots).Draw(t, "demand")
		}
		c.Term = rapid.IntRange(1, 4).Draw(t, "term")
		c.OnDemand = pricing.Money(rapid.IntRange(0, 5).Draw(t, "on demand"))
		c.Fee = pricing.Money(rapid.IntRange(0, 16).Draw(t, "fee"))
		if whole {
			c.Fee *= pricing.Money(c.Term)
		}
		c.Traffic = pricing.Money(rapid.IntRange(0, 3).Draw(t, "traffic"))
		if rapid.Bool().Draw(t, "delays") {
			for range centres {
				c.Delay = append(c.Delay, time.Duration(rapid.IntRange(0, 2).Draw(t, "delay")))
			}
		}
	}
	return centres
}

// drawTasks draws tasks in the order of their starts, numbered so.
func drawTasks(t *rapid.T, centres []Centre) []Task {
	slots := len(centres[0].Reserved)
	tasks := make([]Task, rapid.IntRange(0, 9).Draw(t, "tasks"))
	for k := range tasks {
		start := rapid.IntRange(0, slots-1).Draw(t, "start")
		tasks[k] = Task{
			Home: rapid.IntRange(0, len(centres)-1).Draw(t, "home"), Start: start,
			End:       rapid.IntRange(start+1, slots).Draw(t, "end"),
			Instances: rapid.IntRange(1, 5).Draw(t, "instances"),
			Disk:      int64(rapid.IntRange(0, 4).Draw(t, "disk")) * gigabyte / 2,
		}
	}
	slices.SortStableFunc(tasks, func(a, b Task) int { return a.Start - b.Start })
	for k := range tasks {
		tasks[k].ID = k + 1
	}
	return tasks
}

func drawOptions(t *rapid.T) Options {
	var own []PricePoint
	if rapid.IntRange(0, 3).Draw(t, "own price") == 0 {
		points := []PricePoint{{rapid.Float64Range(0, .5).Draw(t, "idle"), float64(rapid.IntRange(0, 8).Draw(t, "factor")) / 2}}
		if rapid.Bool().Draw(t, "falls") {
			points = append(points, PricePoint{points[0].Idle + rapid.Float64Range(.1, .5).Draw(t, "more idle"), points[0].Factor * float64(rapid.IntRange(0, 2).Draw(t, "lower")) / 2})
		}
		own = points
	}
	return Options{
		Lending: own,
		Order:   Order(rapid.IntRange(0, int(Alone)).Draw(t, "order")),
		Price:   SharePrice(rapid.IntRange(0, int(Unpaid)).Draw(t, "price")),
		Excess:  Excess(rapid.IntRange(0, int(NoExcess)).Draw(t, "excess")),
	}
}

// exactly makes the centres expect what comes.
func exactly(centres []Centre, tasks []Task) {
	for i := range centres {
		centres[i].Demand = make([]int, len(centres[i].Reserved))
		if err := AddDemand(centres[i].Demand, tasks, i); err != nil {
			panic(err)
		}
	}
}

func clone(centres []Centre) []Centre {
	c := slices.Clone(centres)
	for i := range c {
		c[i].Reserved, c[i].Demand, c[i].Delay = slices.Clone(c[i].Reserved), slices.Clone(c[i].Demand), slices.Clone(c[i].Delay)
	}
	return c
}

func lent(bookings []Booking) (n int) {
	for _, b := range bookings {
		if b.Home != b.Centre {
			n += b.Reserved * b.Slots()
		}
	}
	return n
}

// Sharing is Algorithm 3, as the plain reading of it has it: the same instances in
// the same slots, at the same cost, whether tasks come one by one or all together,
// in any order, in a new or a used Sharer. Inputs stay as they are.
func TestSharingIsAlgorithm3(t *testing.T) {
	var dirty Sharer
	seen := map[string]int{}
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		o := drawOptions(t)
		if rapid.Bool().Draw(t, "exact") {
			exactly(centres, tasks)
		}
		before, tasksBefore := clone(centres), slices.Clone(tasks)

		n := newNaive(centres, o)
		for _, task := range tasks {
			n.add(task)
		}
		if err := dirty.Reset(centres, o); err != nil {
			t.Fatal(err)
		}
		var got []Booking
		for _, task := range tasks {
			var err error
			if got, err = dirty.Add(got, task); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(n.cells(), expand(got)); d != "" {
			t.Fatalf("algorithm 3, got: %s\ncentres %+v\ntasks %+v\n%+v", d, centres, tasks, o)
		}
		if d := cmp.Diff(n.costs(), costsOf(len(centres), got)); d != "" {
			t.Fatal("costs of algorithm 3, got:", d)
		}

		for i := range centres {
			for s := range centres[i].Reserved {
				dirty.idleOf(i, Task{Start: s, End: s + 1})
				if dirty.idle[0] != n.idle(i, s) {
					t.Fatalf("idle in %d, %d: %d, want %d", i, s, dirty.idle[0], n.idle(i, s))
				}
			}
		}

		shuffled := slices.Clone(tasks)
		rnd := rand.New(rand.NewPCG(uint64(rapid.IntRange(0, 1<<20).Draw(t, "order")), 1))
		rnd.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
		all, err := Share(nil, centres, shuffled, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, all); d != "" {
			t.Fatal("one by one, all together:", d)
		}
		if d := cmp.Diff(before, centres) + cmp.Diff(tasksBefore, tasks); d != "" {
			t.Fatal("inputs changed:", d)
		}
		if lent(got) > 0 {
			seen["lent"]++
		}
		if slices.ContainsFunc(got, func(b Booking) bool { return b.Home != b.Centre && b.OnDemand > 0 && b.Reserved > 0 }) {
			seen["excess"]++
		}
	})
	if seen["lent"] < 200 || seen["excess"] < 20 {
		seeded.TooFew(t, "cases: %v", seen)
	}
}

func total(a []int) (sum int) {
	for _, n := range a {
		sum += n
	}
	return sum
}

// Where all centres know their own demand, no centre pays more in a federation
// than alone, whatever the prices and the order.
func TestNobodyLosesWhoKnowsItsDemand(t *testing.T) {
	gains := 0
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		o := drawOptions(t)
		exactly(centres, tasks)
		got, err := Share(nil, centres, tasks, o)
		if err != nil {
			t.Fatal(err)
		}
		without, err := Share(nil, centres, tasks, Options{Order: Alone})
		if err != nil {
			t.Fatal(err)
		}
		with, alone := costsOf(len(centres), got), costsOf(len(centres), without)
		for i := range with {
			if with[i] > alone[i] {
				t.Fatalf("centre %d pays %d, and %d alone\ncentres %+v\ntasks %+v\n%+v", i, with[i], alone[i], centres, tasks, o)
			}
			if with[i] < alone[i] {
				gains++
			}
		}
	})
	if gains < 100 {
		t.Errorf("a centre gains in %d cases", gains)
	}
}

// All instances and reservations times k: all bookings times k. Other numbers for the centres:
// the same bookings under them.
func TestScalingAndRenaming(t *testing.T) {
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, true)
		tasks := drawTasks(t, centres)
		o := drawOptions(t)
		o.Lending = nil          // a price of one's own does not scale
		if o.Price == Midpoint { // rounded down once more
			o.Price = LenderFee
		}
		for i := range centres { // delays that differ, so that ties need no index
			for h := range centres {
				if centres[i].Delay = append(centres[i].Delay[:min(h, len(centres[i].Delay))], 0); i != h {
					centres[i].Delay[h] = time.Duration(rapid.IntRange(0, 2).Draw(t, "delay")*8 + i)
				}
			}
		}
		got, err := Share(nil, centres, tasks, o)
		if err != nil {
			t.Fatal(err)
		}
		const k = 3
		large, many := clone(centres), slices.Clone(tasks)
		for i := range large {
			for s := range large[i].Reserved {
				large[i].Reserved[s] *= k
			}
			for s := range large[i].Demand {
				large[i].Demand[s] *= k
			}
		}
		for i := range many {
			many[i].Instances *= k
		}
		want := slices.Clone(got)
		for b := range want {
			want[b].Reserved *= k
			want[b].OnDemand *= k
			want[b].Lease *= k
			want[b].Bought *= k
			want[b].Traffic *= k
			want[b].Sent *= k
		}
		scaled, err := Share(nil, large, many, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, scaled); d != "" {
			t.Fatal("instances:", d)
		}

		n := len(centres)
		other := clone(centres)
		slices.Reverse(other)
		for i := range other {
			slices.Reverse(other[i].Delay)
		}
		renamed := slices.Clone(tasks)
		for i := range renamed {
			renamed[i].Home = n - 1 - renamed[i].Home
		}
		want = slices.Clone(got)
		for b := range want {
			want[b].Home, want[b].Centre = n-1-want[b].Home, n-1-want[b].Centre
		}
		if scaled, err = Share(nil, other, renamed, o); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, scaled); d != "" {
			t.Fatal("names:", d)
		}
	})
}

// However prices are rounded, what is paid is received, to the nano; statements,
// flows and bookings agree.
func TestMoneyIsConserved(t *testing.T) {
	var l Ledger
	fractions, elsewhere := 0, 0
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		s := run(t, centres, tasks, drawOptions(t))
		l.Reset(len(centres))
		if err := l.Post(s...); err != nil {
			t.Fatal(err)
		}
		balance := make([]pricing.Money, len(centres)+1) // the provider's is the first
		want := make([]Statement, len(centres))          // by bookings
		flows := map[[2]int]Statement{}
		for _, b := range s {
			if b.Home != b.Centre {
				k := [2]int{b.Home, b.Centre}
				flows[k] = flows[k].plus(Statement{Paid: b.Lease, Borrowed: b.Reserved * b.Slots(), OnDemand: b.Bought, Elsewhere: b.OnDemand * b.Slots(), Traffic: b.Traffic, Sent: b.Sent})
			}
			balance[b.Home+1] -= b.Lease + b.Bought + b.Traffic
			balance[b.Centre+1] += b.Lease
			balance[0] += b.Bought + b.Traffic
			leased, bought := b.Reserved*b.Slots(), b.OnDemand*b.Slots()
			if b.Home == b.Centre {
				want[b.Home].Bought += bought
				continue
			}
			want[b.Home].Borrowed += leased
			want[b.Centre].Lent += leased
			want[b.Home].Elsewhere += bought
			elsewhere += bought
		}
		needs := make([]int, len(centres)) // instance-slots of the tasks
		ran := 0
		for _, task := range tasks {
			needs[task.Home] += task.Instances * task.Slots()
			ran += task.Instances * task.Slots()
		}
		var paid pricing.Money
		for i, st := range l.AppendStatements(nil) {
			if st.Cost() != -balance[i+1] {
				t.Fatalf("centre %d: statement %v, bookings %v", i, st.Cost(), -balance[i+1])
			}
			paid += st.Cost()
			for j := range centres {
				if i != j && l.Flow(i, j) != flows[[2]int{i, j}] {
					t.Fatalf("from %d to %d: %+v, bookings %+v", i, j, l.Flow(i, j), flows[[2]int{i, j}])
				}
			}
			if st.Own+st.Borrowed+st.Bought+st.Elsewhere != needs[i] {
				t.Fatalf("centre %d: tasks need %d instance-slots: %+v", i, needs[i], st)
			}
			if w := want[i]; st.Borrowed != w.Borrowed || st.Lent != w.Lent || st.Bought != w.Bought || st.Elsewhere != w.Elsewhere {
				t.Fatalf("centre %d: bookings %+v, statement %+v", i, w, st)
			}
			if centres[i].Fee%pricing.Money(centres[i].Term) != 0 && st.Lent > 0 {
				fractions++
			}
		}
		sum := l.Total()
		if paid != balance[0] || sum.Paid != sum.Received || sum.Cost() != balance[0] || sum.Borrowed != sum.Lent {
			t.Fatalf("centres paid %v, the provider has %v; %+v", paid, balance[0], sum)
		}
		if sum.Own+sum.Borrowed+sum.Bought+sum.Elsewhere != ran {
			t.Fatalf("tasks need %d instance-slots: %+v", ran, sum)
		}
	})
	if fractions < 50 {
		seeded.TooFew(t, "F/τ was not whole in %d cases", fractions)
	}
	if elsewhere < 50 {
		seeded.TooFew(t, "%d instance-slots on demand in other centres", elsewhere)
	}
}

// run shares tasks one by one.
func run(t interface {
	Helper()
	Fatal(...any)
}, centres []Centre, tasks []Task, o Options) []Booking {
	t.Helper()
	var s Sharer
	if err := s.Reset(centres, o); err != nil {
		t.Fatal(err)
	}
	var out []Booking
	var err error
	for _, task := range tasks {
		if out, err = s.Add(out, task); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
