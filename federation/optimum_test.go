package federation

import (
	"errors"
	"math"
	"slices"
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

// placed are instances of a task in a centre.
type placed struct{ Index, Centre, Instances int }

// planOf returns the plan that o found last, by task and centre.
func planOf(o *Optimizer, tasks []Task) (all []placed) {
	n, next := o.centres, 0
	for k, t := range tasks {
		if next == len(o.tasks) || int(o.tasks[next].index) != k {
			all = append(all, placed{k, t.Home, t.Instances})
			continue
		}
		for j, d := range o.x[next*n : next*n+n] {
			if d > 0 {
				all = append(all, placed{k, j, int(d)})
			}
		}
		next++
	}
	return all
}

// bound returns L(π), a lower bound on the cost of any plan. Prices come centre by centre
// and slot by slot. bound shares no code with the search for prices, so bound checks
// Optimum.Bound.
func bound(t interface{ Fatalf(string, ...any) }, centres []Centre, tasks []Task, prices []int64) (total pricing.Money) {
	slots := len(centres[0].Reserved)
	demand := make([]int, slots)
	for i := range centres {
		if err := AddDemand(demand, tasks, i); err != nil {
			t.Fatalf("%v", err)
		}
	}
	for j, c := range centres {
		for s, u := range c.Reserved {
			p := pricing.Money(prices[j*slots+s])
			if p < 0 || p > c.OnDemand {
				t.Fatalf("price %v in centre %d, slot %d", p, j, s)
			}
			total -= p * pricing.Money(min(u, demand[s]))
		}
	}
	for _, task := range tasks {
		send, err := centres[task.Home].trafficFor(task.Disk)
		if err != nil {
			t.Fatalf("%v", err)
		}
		least := pricing.Money(math.MaxInt64)
		for j := range centres {
			pay := pricing.Money(0)
			if j != task.Home {
				pay = send
			}
			for s := task.Start; s < task.End; s++ {
				pay += pricing.Money(prices[j*slots+s])
			}
			least = min(least, pay)
		}
		total += least * pricing.Money(task.Instances)
	}
	return total
}

// splitCost is the cost of tasks split by slot, without a plan before.
func splitCost(centres []Centre, tasks []Task) (pricing.Money, error) {
	var o Optimizer
	if err := o.load(centres, tasks); err != nil {
		return 0, err
	}
	return o.SplitCost(), nil
}

// planCost is what parts cost, slot by slot, from the definition.
func planCost(t interface{ Fatalf(string, ...any) }, centres []Centre, tasks []Task, parts []placed) (onDemand, traffic pricing.Money) {
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
			send, err := centres[task.Home].trafficFor(task.Disk)
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

// bruteForce tries every division of every task between the centres, and returns
// the least cost and how many instances of each task are in each centre then.
func bruteForce(centres []Centre, tasks []Task) (pricing.Money, [][]int) {
	slots := len(centres[0].Reserved)
	n := make([][]int, len(centres))
	for j := range n {
		n[j] = make([]int, slots)
	}
	best := pricing.Money(1 << 62)
	now, found := make([][]int, len(tasks)), make([][]int, len(tasks))
	for k := range now {
		now[k], found[k] = make([]int, len(centres)), make([]int, len(centres))
	}
	var try func(k, j, left int, traffic pricing.Money)
	try = func(k, j, left int, traffic pricing.Money) {
		if k == len(tasks) {
			for j, c := range centres {
				for s, u := range c.Reserved {
					traffic += pricing.Money(max(0, n[j][s]-u)) * c.OnDemand
				}
			}
			if traffic < best {
				best = traffic
				for k := range now {
					copy(found[k], now[k])
				}
			}
			return
		}
		task := tasks[k]
		for d := range left + 1 {
			if j == len(centres)-1 && d < left {
				continue
			}
			cost := traffic
			if j != task.Home {
				send, _ := centres[task.Home].trafficFor(task.Disk)
				cost += send * pricing.Money(d)
			}
			for s := task.Start; s < task.End; s++ {
				n[j][s] += d
			}
			now[k][j] = d
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
			now[k][j] = 0
		}
	}
	try(0, 0, tasks[0].Instances, 0)
	return best, found
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
	cases, several, exact, optimal, below, better := 0, 0, 0, 0, 0, 0
	check(t, func(t *rapid.T) {
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
		want, where := bruteForce(centres, tasks)
		got, err := o.Solve(centres, tasks, OptimumOptions{Start: bookings})
		if err != nil {
			t.Fatal(err)
		}
		parts := planOf(&o, tasks)
		onDemand, traffic := planCost(t, centres, tasks, parts)
		if onDemand != got.OnDemand || traffic != got.Traffic || onDemand+traffic != got.Cost {
			t.Fatalf("the plan costs %v + %v, said %v + %v = %v", onDemand, traffic, got.OnDemand, got.Traffic, got.Cost)
		}
		proved := bound(t, centres, tasks, o.prices)
		if proved != got.Bound {
			t.Fatalf("bound %v, %v from its prices", got.Bound, proved)
		}
		split, err := splitCost(centres, tasks)
		if err != nil {
			t.Fatal(err)
		}
		if greedy < got.Cost || got.Cost < want || want < got.Bound || got.Bound < split {
			t.Fatalf("greedy %v ≥ plan %v ≥ optimum %v ≥ bound %v ≥ split %v does not hold", greedy, got.Cost, want, got.Bound, split)
		}
		if n <= 2 && !(got.Cost == got.Bound) {
			t.Fatalf("%d centres: plan %v, bound %v", n, got.Cost, got.Bound)
		}
		var fresh Optimizer
		again, err := fresh.Solve(centres, tasks, OptimumOptions{Start: bookings})
		if err != nil || again != got {
			t.Fatalf("a fresh solver: %v, %v, not %v", again, err, got)
		}
		if diff := cmp.Diff(parts, planOf(&fresh, tasks)); diff != "" {
			t.Fatal(diff)
		}
		// Started from the optimum, whatever is on reservations in it, it stays there.
		var start []Booking
		for k, task := range tasks {
			for j, d := range where[k] {
				if d > 0 {
					start = append(start, Booking{Task: task.ID, Home: task.Home, Centre: j, Start: task.Start, End: task.End, OnDemand: d})
				}
			}
		}
		if short, err := o.Solve(centres, tasks, OptimumOptions{Start: start, MaxRounds: 1, MaxSteps: -1}); err != nil || short.Cost != want {
			t.Fatalf("started from the optimum %v: %v, %v", want, short, err)
		}
		cases++
		if n > 2 {
			several++
			if got.Cost == got.Bound {
				exact++
			}
			if got.Cost == want {
				optimal++
			}
		}
		if split < want {
			below++
		}
		if want < greedy {
			better++
		}
	})
	t.Logf("%d cases; of %d with three or four centres %d plans are optimal, %d proved so; split below in %d, better than greedy in %d", cases, several, optimal, exact, below, better)
	if exact == 0 || below == 0 || better == 0 {
		t.Error("the cases that matter were not drawn")
	}
}

// Three centres for which no prices prove the optimum, by hand. The first has
// nothing; the other two have 1, 1, 2, 1 and 0, 1, 1, 1, and are too dear on
// demand. Sending a task saves 1 each. The first task runs in all slots, so that
// only the second centre can have it; the second task in slots 1 and 2, the third in
// 2 and 3. In the second centre the first task shares slot 1 with the second, slot 3
// with the third; in the third centre those two share slot 2: two of the three can go.
// Half of each in each place is worth 2½.
func TestOptimumGap(t *testing.T) {
	const unit = 1_000_000
	centres := []Centre{
		{Reserved: []int{0, 0, 0, 0}, OnDemand: unit, Term: 1, Traffic: unit},
		{Reserved: []int{1, 1, 2, 1}, OnDemand: 100 * unit, Term: 1},
		{Reserved: []int{0, 1, 1, 1}, OnDemand: 100 * unit, Term: 1},
	}
	tasks := []Task{
		{ID: 0, Start: 0, End: 4, Instances: 1, Disk: 3 * gigabyte},
		{ID: 1, Start: 1, End: 3, Instances: 1, Disk: gigabyte},
		{ID: 2, Start: 2, End: 4, Instances: 1, Disk: gigabyte},
	}
	if got, _ := bruteForce(centres, tasks); got != 6*unit {
		t.Fatalf("the optimum is %v, not 6", got)
	}
	var o Optimizer
	got, err := o.Solve(centres, tasks, OptimumOptions{MaxSteps: 20000})
	if err != nil {
		t.Fatal(err)
	}
	// The steps come within a thousandth of 5.5, which no prices exceed.
	if got.Cost != 6*unit || got.Bound > 5.5*unit || got.Bound < 5.49*unit {
		t.Errorf("plan %v, bound %v; want 6 and just below 5.5", got.Cost, got.Bound)
	}
	if gap, want := float64(got.Cost-got.Bound)/float64(got.Bound), 0.5/5.5; math.Abs(gap-want) > 0.01 {
		t.Errorf("gap %v, want %v", gap, want)
	}
}

// largeFederation draws up to 200 tasks over up to 50 slots, few prices and many
// ties.
func largeFederation(t *rapid.T, n int) ([]Centre, []Task) {
	slots := rapid.IntRange(1, 50).Draw(t, "slots")
	level := rapid.IntRange(1, 40).Draw(t, "level")
	centres := make([]Centre, n)
	for i := range centres {
		c := &centres[i]
		c.Reserved = rapid.SliceOfN(rapid.IntRange(0, level), slots, slots).Draw(t, "reserved")
		c.OnDemand, c.Fee, c.Term = pricing.Money(rapid.IntRange(0, 7).Draw(t, "on demand")), 12, 4
		c.Traffic = pricing.Money(rapid.IntRange(0, 3).Draw(t, "traffic"))
	}
	tasks := make([]Task, rapid.IntRange(0, 200).Draw(t, "tasks"))
	for k := range tasks {
		start := rapid.IntRange(0, slots-1).Draw(t, "start")
		tasks[k] = Task{
			ID: 1000 - k, Home: rapid.IntRange(0, n-1).Draw(t, "home"),
			Start: start, End: rapid.IntRange(start+1, min(slots, start+9)).Draw(t, "end"),
			Instances: rapid.IntRange(1, 9).Draw(t, "instances"),
			Disk:      int64(rapid.IntRange(0, 9).Draw(t, "disk")) * gigabyte,
		}
	}
	return centres, tasks
}

// With any number of centres: the chain of inequalities, prices that prove the
// bound, the plan from the definition, a dirty solver, inputs that stay as they were.
// For two centres: the prices prove the plan to the nano, the order of the tasks does not
// matter, nor the centres' numbers, and doubled prices double the cost.
func TestOptimumLarge(t *testing.T) {
	var o Optimizer
	started := 0
	check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "centres")
		centres, tasks := largeFederation(t, n)
		was := slices.Clone(tasks)
		prices := rapid.SampledFrom([]SharePrice{LenderFee, Unpaid}).Draw(t, "price")
		bookings, err := Share(nil, centres, tasks, Options{Price: prices})
		if err != nil {
			t.Fatal(err)
		}
		opts := OptimumOptions{Start: bookings, MaxSteps: 50}
		got, err := o.Solve(centres, tasks, opts)
		if err != nil {
			t.Fatal(err)
		}
		parts := planOf(&o, tasks)
		d, s := planCost(t, centres, tasks, parts)
		proved := bound(t, centres, tasks, o.prices)
		split, err := splitCost(centres, tasks)
		if err != nil {
			t.Fatal(err)
		}
		if d+s != got.Cost || proved != got.Bound {
			t.Fatalf("the plan costs %v, said %v; its prices prove %v, said %v", d+s, got.Cost, proved, got.Bound)
		}
		if spent(bookings) < got.Cost || got.Cost < got.Bound || got.Bound < split || n <= 2 && got.Cost != got.Bound {
			t.Fatalf("greedy %v ≥ plan %v ≥ bound %v ≥ split %v does not hold", spent(bookings), got.Cost, got.Bound, split)
		}
		var fresh Optimizer
		again, err := fresh.Solve(centres, tasks, opts)
		if err != nil || again != got || !slices.Equal(parts, planOf(&fresh, tasks)) {
			t.Fatalf("a fresh solver: %v, %v, not %v", again, err, got)
		}
		if !slices.Equal(tasks, was) {
			t.Fatal("the tasks were changed")
		}
		without, err := o.Solve(centres, tasks, OptimumOptions{MaxSteps: -1, MaxRounds: 1})
		if err != nil || without.Steps != 0 || without.Cost < got.Bound || without.Bound < split {
			t.Fatalf("without steps: %v, %v", without, err)
		}
		if without.Cost > got.Cost {
			started++
		}

		turned := slices.Clone(centres)
		slices.Reverse(turned)
		for j := range turned {
			turned[j].OnDemand *= 2
			turned[j].Traffic *= 2
		}
		slices.Reverse(tasks)
		for k := range tasks {
			tasks[k].Home = n - 1 - tasks[k].Home
		}
		both, err := o.Solve(turned, tasks, OptimumOptions{MaxSteps: -1})
		if err != nil || n <= 2 && both.Cost != 2*got.Cost || both.Cost < 2*got.Bound {
			t.Fatalf("turned and doubled: %v, %v, was %v", both, err, got)
		}
	})
	if started == 0 {
		t.Error("more rounds and a start never helped")
	}
}

// Slot by slot the optimum of tasks split by slot is found by trying everything, and
// its prices prove it.
func TestSlotwise(t *testing.T) {
	var o Optimizer
	moved := 0
	check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "centres")
		centres, tasks := smallFederation(t, n, rapid.IntRange(1, 6).Draw(t, "all instances"))
		if err := o.load(centres, tasks); err != nil {
			t.Fatal(err)
		}
		got := o.SplitCost()
		share := func(task Task, slot int) pricing.Money { // of what an instance pays
			c, _ := centres[task.Home].trafficFor(task.Disk)
			q, l := pricing.Money(slot-task.Start), pricing.Money(task.Slots())
			return c*(q+1)/l - c*q/l
		}
		slots := len(centres[0].Reserved)
		want := pricing.Money(0)
		for slot := range slots {
			one := make([]Centre, n)
			for j, c := range centres {
				one[j] = Centre{Reserved: c.Reserved[slot : slot+1], OnDemand: c.OnDemand, Term: 1, Traffic: 1}
			}
			var now []Task
			for _, task := range tasks {
				if task.Start <= slot && slot < task.End {
					now = append(now, Task{ID: task.ID, Home: task.Home, End: 1, Instances: task.Instances, Disk: int64(share(task, slot)) * gigabyte})
				}
			}
			if len(now) > 0 {
				least, _ := bruteForce(one, now)
				want += least
			}
		}
		if got != want {
			t.Fatalf("%v, trying everything %v", got, want)
		}

		// The prices: each instance-slot where it is cheapest, less what reservations earn.
		prices := make([]int64, n*slots)
		o.slot.solve(&o.model, prices)
		proved := pricing.Money(0)
		for slot := range slots {
			total := 0
			for _, task := range tasks {
				if task.Start > slot || slot >= task.End {
					continue
				}
				total += task.Instances
				least := pricing.Money(1 << 60)
				for j := range centres {
					p := pricing.Money(prices[j*slots+slot])
					if j != task.Home {
						p += share(task, slot)
					}
					least = min(least, p)
				}
				proved += least * pricing.Money(task.Instances)
			}
			for j, c := range centres {
				p := pricing.Money(prices[j*slots+slot])
				if p < 0 || p > c.OnDemand {
					t.Fatalf("price %v in centre %d, slot %d", p, j, slot)
				}
				proved -= p * pricing.Money(min(c.Reserved[slot], total))
			}
		}
		if proved != got {
			t.Fatalf("the prices prove %v of %v", proved, got)
		}
		if alone, _ := Share(nil, centres, tasks, Options{Order: Alone}); spent(alone) > got {
			moved++
		}
	})
	if moved == 0 {
		t.Error("nothing moved")
	}
}

// What is wrong is said, before anything is done.
func TestOptimumErrors(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("with ints of 32 bits no number of instances is too large")
	}
	const most = math.MaxInt64
	centre := func(slots int) Centre { return Centre{Reserved: make([]int, slots), OnDemand: 5, Term: 1, Traffic: 1} }
	task := Task{ID: 7, Start: 0, End: 1, Instances: 1}
	for _, c := range []struct {
		name    string
		centres []Centre
		tasks   []Task
		start   []Booking
		want    error
		field   string
		index   int
	}{
		{"no centres", nil, nil, nil, ErrLength, "Centres", -1},
		{"slots differ", []Centre{centre(1), centre(2)}, nil, nil, ErrLength, "Centres.Reserved", 1},
		{"ends before it starts", []Centre{centre(2)}, []Task{{Start: 1, End: 1, Instances: 1}}, nil, ErrRange, "Tasks.End", 0},
		{"negative traffic", []Centre{{Reserved: []int{1}, Term: 1, Traffic: -1}}, nil, nil, ErrRange, "Centres.Traffic", 0},
		{"no such home", []Centre{centre(1)}, []Task{task, {ID: 8, Home: 1, End: 1, Instances: 1}}, nil, ErrRange, "Tasks.Home", 1},
		{"same ID", []Centre{centre(1)}, []Task{task, {ID: 8, End: 1, Instances: 1}, task}, nil, ErrDuplicate, "Tasks.ID", 2},
		{"much data", []Centre{{Reserved: []int{1}, Term: 1, Traffic: most}}, []Task{{End: 1, Instances: 1, Disk: most}}, nil, ErrOverflow, "Tasks.Disk", 0},
		{"dear", []Centre{{Reserved: make([]int, 1000), OnDemand: most / 8 / 1000, Term: 1}}, nil, nil, ErrOverflow, "Centres.OnDemand", -1},
		{"many instances", []Centre{centre(1)}, []Task{{End: 1, Instances: math.MaxInt}}, nil, ErrOverflow, "Tasks.Instances", 0},
		{"many together", []Centre{centre(1)}, []Task{{ID: 1, End: 1, Instances: 1 << 56 & math.MaxInt}, {ID: 2, End: 1, Instances: 1 << 56 & math.MaxInt}, {ID: 3, End: 1, Instances: 1 << 56 & math.MaxInt}}, nil, ErrOverflow, "Tasks.Instances", 2},
		{"start of another task", []Centre{centre(1)}, []Task{task}, []Booking{{Task: 6, Start: 0, End: 1, OnDemand: 1}}, ErrUnbalanced, "Start", 0},
		{"start elsewhere", []Centre{centre(1)}, []Task{task}, []Booking{{Task: 7, Centre: 1, End: 1, OnDemand: 1}}, ErrRange, "Start", 0},
		{"start of too many", []Centre{centre(1)}, []Task{task}, []Booking{{Task: 7, End: 1, OnDemand: 2}}, ErrUnbalanced, "Start", 0},
		{"start of too few", []Centre{centre(1)}, []Task{task}, []Booking{}, ErrUnbalanced, "Start", -1},
	} {
		var o Optimizer
		_, err := o.Solve(c.centres, c.tasks, OptimumOptions{Start: c.start})
		var in *pricing.InputError
		if !errors.As(err, &in) || !errors.Is(err, c.want) || in.Field != c.field || in.Index != c.index {
			t.Errorf("%s: %v", c.name, err)
		}
		t.Logf("%v", err)
		if c.start != nil {
			continue
		}
		_, err = splitCost(c.centres, c.tasks)
		if c.want != ErrDuplicate && (!errors.As(err, &in) || !errors.Is(err, c.want)) {
			t.Errorf("%s, split by slot: %v", c.name, err)
		}
	}
}

// Nothing is allocated once warm.
func TestOptimumAllocs(t *testing.T) {
	var o Optimizer
	type problem struct {
		centres  []Centre
		tasks    []Task
		bookings []Booking
	}
	var problems []problem
	for seed := range 8 {
		p := rapid.Custom(func(t *rapid.T) problem {
			c, k := largeFederation(t, 1+seed%4)
			return problem{centres: c, tasks: k}
		}).Example(seed)
		var err error
		if p.bookings, err = Share(nil, p.centres, p.tasks, Options{}); err != nil {
			t.Fatal(err)
		}
		problems = append(problems, p)
	}
	solve := func(p problem, start bool) {
		opts := OptimumOptions{MaxSteps: 20}
		if start {
			opts.Start = p.bookings
		}
		if _, err := o.Solve(p.centres, p.tasks, opts); err != nil {
			t.Fatal(err)
		}
		o.SplitCost()
	}
	for range 2 {
		for _, p := range problems {
			solve(p, true)
			solve(p, false)
		}
	}
	for i, p := range problems {
		for _, start := range []bool{false, true} {
			if n := allocs.Once(func() { solve(p, start) }); n != 0 {
				t.Errorf("problem %d, start %v: %v allocations", i, start, n)
			}
		}
	}
}

// Every step of the flow lowers its cost: that is why it ends.
func TestTwoCentreSteps(t *testing.T) {
	var f twoCentre
	steps := 0
	check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 12).Draw(t, "slots")
		pa, pb := rapid.Int64Range(0, 5).Draw(t, "price of a"), rapid.Int64Range(0, 5).Draw(t, "price of b")
		f.reset(slots, pa, pb)
		there := make([]int64, slots+1)
		for range rapid.IntRange(1, 25).Draw(t, "parts") {
			start := rapid.IntRange(0, slots-1).Draw(t, "start")
			end := rapid.IntRange(start+1, slots).Draw(t, "end")
			n, full := rapid.Int64Range(1, 5).Draw(t, "count"), rapid.Bool().Draw(t, "full")
			f.add(start, end, n, rapid.Int64Range(-6, 6).Draw(t, "cost"), full)
			if full {
				there[start] += n
				there[end] -= n
			}
		}
		need, room := make([]int64, slots), make([]int64, slots)
		at := int64(0)
		for s := range slots {
			at += there[s]
			need[s], room[s] = rapid.Int64Range(-9, 30).Draw(t, "need"), rapid.Int64Range(-9, 30).Draw(t, "room")
			f.setSlot(s, at, need[s], room[s])
		}
		cost := func() (sum int64) { // of the enlarged flow
			for w := range int32(slots) {
				f.store(w)
			}
			for s := range slots {
				sum += pa*max(0, need[s]*f.scale-f.line[s].n) + pb*max(0, f.line[s].n-room[s]*f.scale)
			}
			for _, p := range f.arcs {
				sum += p.cost * p.x
			}
			return sum
		}
		f.begin()
		for again := true; again; {
			again = false
			f.price()
			for a := -int32(slots); int(a) < len(f.arcs); a++ {
				before, was := cost(), f.steps
				f.enter(a)
				if f.steps == was {
					continue
				}
				again = true
				steps++
				if now := cost(); now >= before {
					t.Fatalf("a step changed the cost from %d to %d", before, now)
				}
			}
		}
	})
	if steps == 0 {
		t.Error("no steps")
	}
}

// Reservations beyond all need change nothing, however many.
func TestOptimumPlenty(t *testing.T) {
	const many = math.MaxInt
	centres := []Centre{
		{Reserved: []int{0, 0}, OnDemand: 1e9, Term: 1, Traffic: 1e6},
		{Reserved: []int{many, 1}, OnDemand: 2e9, Term: 1},
		{Reserved: []int{many, many}, OnDemand: 3e9, Term: 1},
	}
	tasks := []Task{{ID: 1, End: 2, Instances: 3, Disk: gigabyte}, {ID: 2, Home: 1, End: 2, Instances: 1}}
	var o Optimizer
	got, err := o.Solve(centres, tasks, OptimumOptions{})
	if err != nil || got.Cost != 3e6 || !(got.Cost == got.Bound) {
		t.Fatalf("%+v, %v; want 0.003", got, err)
	}
	if proved := bound(t, centres, tasks, o.prices); proved != got.Cost {
		t.Errorf("the prices prove %v", proved)
	}
	if split, err := splitCost(centres, tasks); err != nil || split != 3e6 {
		t.Errorf("split by slot: %+v, %v", split, err)
	}
}

// Small cases by hand, of what Algorithm 3 spends and what would be enough.
func TestGreedyAgainstOptimum(t *testing.T) {
	for _, c := range []struct {
		name            string
		centres         []Centre
		tasks           []Task
		opts            Options
		greedy, optimum pricing.Money
	}{
		{
			// The short task takes the only reservation that the long one could have
			// in its first slot: no factor bounds what greed costs.
			"the optimum is free",
			[]Centre{
				{Reserved: []int{0, 0}, OnDemand: 9, Term: 1},
				{Reserved: []int{1, 1}, OnDemand: 9, Term: 1},
				{Reserved: []int{1, 0}, OnDemand: 9, Term: 1},
			},
			[]Task{{ID: 1, End: 1, Instances: 1}, {ID: 2, End: 2, Instances: 1}},
			Options{}, 9, 0,
		},
		{
			// An idle reservation at 6 a slot, 2 for the data: the task would save
			// 8 and pay 8, and stays.
			"the lease keeps it at home",
			[]Centre{
				{Reserved: []int{0}, OnDemand: 8, Term: 1, Traffic: 2},
				{Reserved: []int{1}, OnDemand: 8, Fee: 6, Term: 1},
			},
			[]Task{{ID: 1, End: 1, Instances: 1, Disk: gigabyte}},
			Options{}, 8, 2,
		},
		{
			"the same, unpaid",
			[]Centre{
				{Reserved: []int{0}, OnDemand: 8, Term: 1, Traffic: 2},
				{Reserved: []int{1}, OnDemand: 8, Fee: 6, Term: 1},
			},
			[]Task{{ID: 1, End: 1, Instances: 1, Disk: gigabyte}},
			Options{Price: Unpaid}, 2, 2,
		},
		{
			// Its second slot costs 9 in the other centre, and is booked at 1, the price
			// at home: less than what any plan costs at true prices.
			"booked below the optimum",
			[]Centre{
				{Reserved: []int{0, 0}, OnDemand: 1, Term: 1},
				{Reserved: []int{1, 0}, OnDemand: 9, Term: 1},
			},
			[]Task{{ID: 1, End: 2, Instances: 1}},
			Options{Excess: AtHomePrice}, 1, 2,
		},
	} {
		bookings, err := Share(nil, c.centres, c.tasks, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		var o Optimizer
		got, err := o.Solve(c.centres, c.tasks, OptimumOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if spent(bookings) != c.greedy || got.Cost != c.optimum || !(got.Cost == got.Bound) {
			t.Errorf("%s: greedy %v, want %v; optimum %+v, want %v", c.name, spent(bookings), c.greedy, got, c.optimum)
		}
	}
}

// Pairs of centres alone can end in a plan that is not the best, where the descent from the
// prices finds the best. Centre 0 has two free reservations. Centre 1's task saves 2 there: it
// pays 4 for its data instead of 6 on demand. Each instance of centre 2's task pays 2 for its
// data. The pair of 0 and 1 comes first and takes a reservation; no pair gains by giving it
// back. At the prices that prove the bound, only centre 2's task moves.
func TestOptimumThirdDescent(t *testing.T) {
	centres := []Centre{
		{Reserved: []int{2}, OnDemand: 9, Term: 1},
		{Reserved: []int{0}, OnDemand: 6, Term: 1, Traffic: 2},
		{Reserved: []int{0}, OnDemand: 6, Term: 1, Traffic: 2},
	}
	tasks := []Task{{ID: 1, Home: 1, End: 1, Instances: 1, Disk: 2 * gigabyte}, {ID: 2, Home: 2, End: 1, Instances: 2, Disk: gigabyte}}
	var o Optimizer
	got, err := o.Solve(centres, tasks, OptimumOptions{})
	if err != nil || got.Cost != 10 || !(got.Cost == got.Bound) || got.Rounds != 3 {
		t.Errorf("%+v, %v, want 10 after three rounds", got, err)
	}
	// Two rounds are all of the first descent; the prices' plan is then taken as it is.
	got, err = o.Solve(centres, tasks, OptimumOptions{MaxRounds: 2})
	if err != nil || got.Cost != 10 || got.Rounds != 2 {
		t.Errorf("%+v, %v, want 10 after two rounds", got, err)
	}
}

// MaxRounds and MaxSteps are limits of all that is done, below 0 of nothing at all; what
// comes out is a plan and a bound in any case.
func TestOptimumLimits(t *testing.T) {
	var o, dirty Optimizer
	fewer := 0
	check(t, func(t *rapid.T) {
		centres, tasks := smallFederation(t, rapid.IntRange(1, 4).Draw(t, "centres"), rapid.IntRange(1, 9).Draw(t, "all instances"))
		bookings, err := Share(nil, centres, tasks, Options{})
		if err != nil {
			t.Fatal(err)
		}
		best, err := o.Solve(centres, tasks, OptimumOptions{})
		if err != nil {
			t.Fatal(err)
		}
		opts := OptimumOptions{MaxRounds: rapid.IntRange(-2, 3).Draw(t, "rounds"), MaxSteps: rapid.IntRange(-2, 3).Draw(t, "steps")}
		if rapid.Bool().Draw(t, "started") {
			opts.Start = bookings
		}
		got, err := dirty.Solve(centres, tasks, opts)
		if err != nil {
			t.Fatal(err)
		}
		if opts.MaxRounds != 0 && got.Rounds > max(0, opts.MaxRounds) || opts.MaxSteps != 0 && got.Steps > max(0, opts.MaxSteps) {
			t.Fatalf("%+v: %+v", opts, got)
		}
		if onDemand, sent := planCost(t, centres, tasks, planOf(&dirty, tasks)); onDemand != got.OnDemand || sent != got.Traffic || onDemand+sent != got.Cost {
			t.Fatalf("the plan costs %v + %v, said %+v", onDemand, sent, got)
		}
		if proved := bound(t, centres, tasks, dirty.prices); proved != got.Bound {
			t.Fatalf("the prices prove %v, said %+v", proved, got)
		}
		if got.Cost < best.Bound || got.Bound > best.Cost || opts.Start != nil && got.Cost > spent(bookings) {
			t.Fatalf("%+v: %+v, and without limits %+v; Share spends %v", opts, got, best, spent(bookings))
		}
		alone := pricing.Money(0)
		if home, err := Share(nil, centres, tasks, Options{Order: Alone}); err != nil {
			t.Fatal(err)
		} else if alone = spent(home); got.Cost > alone {
			t.Fatalf("%+v costs %v, alone %v", opts, got.Cost, alone)
		}
		if got.Rounds < best.Rounds {
			fewer++
		}
	})
	if fewer < 100 {
		t.Errorf("the limit held in %d cases", fewer)
	}
}

// Amounts are refused from the bound that is documented, and not before.
func TestOptimumBounds(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("with ints of 32 bits no number of instances is too large")
	}
	solve := func(p pricing.Money, n int64) error {
		var o Optimizer
		_, err := o.Solve([]Centre{{Reserved: []int{0}, OnDemand: p, Term: 1}}, []Task{{ID: 1, End: 1, Instances: int(n)}}, OptimumOptions{})
		return err
	}
	// One slot: 3² prices and 3 flows.
	if err := solve(1<<61/9, 0); !errors.Is(err, ErrRange) {
		t.Errorf("the dearest price: %v", err)
	}
	wantError(t, solve(1<<61/9+1, 0), "Centres.OnDemand", -1, ErrOverflow)
	if err := solve(0, 1<<60/3); err != nil {
		t.Errorf("the most instances: %v", err)
	}
	wantError(t, solve(0, 1<<60/3+1), "Tasks.Instances", 0, ErrOverflow)
	if err := solve(3, 1<<61/9); err != nil {
		t.Errorf("the most money: %v", err)
	}
	wantError(t, solve(3, 1<<61/9+1), "Tasks.Instances", 0, ErrOverflow)

	// Data that cost nothing to send may be too much to count.
	centres := []Centre{{Reserved: []int{0}, OnDemand: 9, Term: 1}, {Reserved: []int{2}, OnDemand: 9, Term: 1}}
	tasks := []Task{{ID: 1, End: 1, Instances: 2, Disk: math.MaxInt64/2 + 1}}
	var o Optimizer
	if got, err := o.Solve(centres, tasks, OptimumOptions{}); err != nil || got.Cost != 0 {
		t.Fatalf("%+v, %v, want 0", got, err)
	}
}
