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
	var own *Lending
	if rapid.IntRange(0, 3).Draw(t, "own price") == 0 {
		a, b, c := rapid.IntRange(0, 8).Draw(t, "a"), rapid.IntRange(0, 3).Draw(t, "b"), rapid.IntRange(0, 1).Draw(t, "c")
		own = &Lending{Price: func(o Offer) pricing.Money {
			return max(0, pricing.Money(a-b*o.Idle)+pricing.Money(c)*o.Fee)
		}}
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
// in any order, in a new or a used Sharer. Inputs stay as they are; what is booked
// passes Verify.
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
		if err := Verify(centres, tasks, got, o); err != nil {
			t.Fatal(err)
		}

		for i := range centres {
			for s := range centres[i].Reserved {
				if dirty.Idle(i, s) != n.idle(i, s) {
					t.Fatalf("idle in %d, %d: %d, want %d", i, s, dirty.Idle(i, s), n.idle(i, s))
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

// If traffic costs more than anything it could save, nothing moves: all is as it
// is alone.
func TestProhibitiveTraffic(t *testing.T) {
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		o := drawOptions(t)
		for i := range centres {
			centres[i].Traffic = 1000
		}
		for k := range tasks {
			tasks[k].Disk = max(tasks[k].Disk, gigabyte)
		}
		got, err := Share(nil, centres, tasks, o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Share(nil, centres, tasks, Options{Order: Alone})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
		// Alone, a centre pays for what its reservations lack, [Liu21] Eq. (4).
		for i, cost := range costsOf(len(centres), want) {
			demand := make([]int, len(centres[i].Reserved))
			if err := AddDemand(demand, tasks, i); err != nil {
				t.Fatal(err)
			}
			sum := 0
			for t, d := range demand {
				sum += max(0, d-centres[i].Reserved[t])
			}
			if cost != centres[i].OnDemand*pricing.Money(sum) {
				t.Fatalf("centre %d pays %d for %d missing at %d", i, cost, sum, centres[i].OnDemand)
			}
		}
	})
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

// All prices times k: all amounts times k. All instances and reservations times k:
// all bookings times k. Other numbers for the centres: the same bookings under them.
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

		dear := clone(centres)
		for i := range dear {
			dear[i].OnDemand *= 2 * k
			dear[i].Fee *= 2 * k
			dear[i].Traffic *= 2 * k
		}
		want := slices.Clone(got)
		even := clone(centres) // twice the prices, so that half gigabytes cost whole nanos
		for i := range even {
			even[i].OnDemand *= 2
			even[i].Fee *= 2
			even[i].Traffic *= 2
		}
		if want, err = Share(want[:0], even, tasks, o); err != nil {
			t.Fatal(err)
		}
		for b := range want {
			want[b].Lease *= k
			want[b].Bought *= k
			want[b].Traffic *= k
		}
		scaled, err := Share(nil, dear, tasks, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, scaled); d != "" {
			t.Fatal("prices:", d)
		}

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
		want = slices.Clone(got)
		for b := range want {
			want[b].Reserved *= k
			want[b].OnDemand *= k
			want[b].Lease *= k
			want[b].Bought *= k
			want[b].Traffic *= k
			want[b].Sent *= k
		}
		if scaled, err = Share(nil, large, many, o); err != nil {
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
// flows and payments agree.
func TestMoneyIsConserved(t *testing.T) {
	var l Ledger
	fractions, elsewhere := 0, 0
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		s := run(t, centres, tasks, drawOptions(t), nil)
		l.Reset(len(centres))
		if err := l.Post(s...); err != nil {
			t.Fatal(err)
		}
		balance := make([]pricing.Money, len(centres)+1) // the provider's is the first
		want := make([]Statement, len(centres))          // what instances do, by payments
		for p := range Payments(s) {
			balance[p.From+1] -= p.Amount
			balance[p.To+1] += p.Amount
			n := p.Instances * (p.End - p.Start)
			switch {
			case p.Kind == LeasePayment:
				want[p.From].Borrowed += n
				want[p.Centre].Lent += n
			case p.Kind == OnDemandPayment && p.Centre == p.From:
				want[p.From].Bought += n
			case p.Kind == OnDemandPayment:
				want[p.From].Elsewhere += n
				elsewhere += n
			}
		}
		needs := make([]int, len(centres)) // instance-slots of the tasks
		ran := 0
		for _, task := range tasks {
			needs[task.Home] += task.Instances * task.Slots()
			ran += task.Instances * task.Slots()
		}
		var paid pricing.Money
		for i, st := range l.Statements() {
			if st.Cost() != -balance[i+1] {
				t.Fatalf("centre %d: statement %v, payments %v", i, st.Cost(), -balance[i+1])
			}
			paid += st.Cost()
			var fl Flow
			for j := range centres {
				if j != i {
					f := l.Flow(i, j)
					fl.Lease += f.Lease
					fl.Leased += f.Leased
					fl.OnDemand += f.OnDemand
					fl.Bought += f.Bought
					fl.Traffic += f.Traffic
					fl.Sent += f.Sent
				}
			}
			if st.Own+st.Borrowed+st.Bought+st.Elsewhere != needs[i] {
				t.Fatalf("centre %d: tasks need %d instance-slots: %+v", i, needs[i], st)
			}
			if w := want[i]; st.Borrowed != w.Borrowed || st.Lent != w.Lent || st.Bought != w.Bought || st.Elsewhere != w.Elsewhere {
				t.Fatalf("centre %d: payments %+v, statement %+v", i, w, st)
			}
			atHome := centres[i].OnDemand * pricing.Money(st.Bought)
			if fl.OnDemand != st.Elsewhere || fl.Bought != st.OnDemand-atHome || fl.Traffic != st.Traffic {
				t.Fatalf("centre %d: flows %+v, statement %+v", i, fl, st)
			}
			if fl.Lease != st.Paid || fl.Leased != st.Borrowed || fl.Sent != st.Sent {
				t.Fatalf("centre %d: flows %+v, statement %+v", i, fl, st)
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
		if d := cmp.Diff(AppendPayments(nil, s), slices.Collect(Payments(s))); d != "" {
			t.Fatal(d)
		}
	})
	if fractions < 50 {
		seeded.TooFew(t, "F/τ was not whole in %d cases", fractions)
	}
	if elsewhere < 50 {
		seeded.TooFew(t, "%d instance-slots on demand in other centres", elsewhere)
	}
}

// Statements of periods add up to those of the whole, refunds and all.
func TestPeriodsAddUp(t *testing.T) {
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		all := run(t, centres, tasks, drawOptions(t), drawEvents(t, centres, tasks))
		slots := len(centres[0].Reserved)
		cut := rapid.IntRange(0, slots).Draw(t, "cut")
		var periods []Booking
		for _, p := range [][2]int{{0, cut}, {cut, slots}} {
			for _, b := range all {
				if part, ok := b.Within(p[0], p[1]); ok {
					if part.Start < p[0] || part.End > p[1] {
						t.Fatalf("%+v in %v", part, p)
					}
					periods = append(periods, part)
				}
			}
		}
		var want, got Ledger
		want.Reset(len(centres))
		got.Reset(len(centres))
		if err := want.Post(all...); err != nil {
			t.Fatal(err)
		}
		if err := got.Post(periods...); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.AppendStatements(nil), got.AppendStatements(nil)); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(expand(all), expand(periods)); d != "" {
			t.Fatal(d)
		}
	})
}

// event is a centre that goes before the tasks of a slot, or after some of them.
type event struct {
	before       int // the task
	centre, slot int
	fails        bool
}

func drawEvents(t *rapid.T, centres []Centre, tasks []Task) []event {
	var events []event
	slot, before := 0, 0
	for range rapid.IntRange(0, 2).Draw(t, "events") {
		before = rapid.IntRange(before, len(tasks)).Draw(t, "before task")
		if before > 0 {
			slot = max(slot, tasks[before-1].Start)
		}
		latest := len(centres[0].Reserved)
		if before < len(tasks) {
			latest = tasks[before].Start
		}
		slot = rapid.IntRange(slot, latest).Draw(t, "slot")
		e := event{before, rapid.IntRange(0, len(centres)-1).Draw(t, "centre"), slot, rapid.Bool().Draw(t, "fails")}
		if !slices.ContainsFunc(events, func(f event) bool { return f.centre == e.centre && (f.fails || !e.fails) }) {
			events = append(events, e)
		}
	}
	return events
}

// run shares tasks and has the events happen. Tasks of failed centres are left out.
func run(t interface {
	Helper()
	Fatal(...any)
}, centres []Centre, tasks []Task, o Options, events []event) []Booking {
	t.Helper()
	var s Sharer
	if err := s.Reset(centres, o); err != nil {
		t.Fatal(err)
	}
	var out []Booking
	var err error
	for k := range len(tasks) + 1 {
		for _, e := range events {
			if e.before != k {
				continue
			}
			if e.fails {
				out, err = s.Fail(out, e.centre, e.slot)
			} else {
				out, err = s.Leave(out, e.centre, e.slot)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if k < len(tasks) && s.gone[tasks[k].Home] != failed {
			if out, err = s.Add(out, tasks[k]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// Centres go in the middle. What runs and what it costs is what the plain reading
// has. Before the event all is as if there were none. Afterwards nobody leases to
// or from a centre that has gone, nothing runs where a centre has failed, and every
// task but those of failed centres is whole.
func TestCentresGo(t *testing.T) {
	seen := map[string]int{}
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		o := drawOptions(t)
		events := drawEvents(t, centres, tasks)
		got := run(t, centres, tasks, o, events)

		n := newNaive(centres, o)
		for k := range len(tasks) + 1 {
			for _, e := range events {
				switch {
				case e.before != k:
				case e.fails:
					n.fail(e.centre, e.slot)
				default:
					n.leave(e.centre, e.slot)
				}
			}
			if k < len(tasks) && n.gone[tasks[k].Home] != failed {
				n.add(tasks[k])
			}
		}
		cells := expand(got)
		if d := cmp.Diff(n.cells(), cells); d != "" {
			t.Fatalf("plain, got: %s\ncentres %+v\ntasks %+v\n%+v %+v\n%+v", d, centres, tasks, o, events, got)
		}
		if d := cmp.Diff(n.costs(), costsOf(len(centres), got)); d != "" {
			t.Fatalf("costs of the plain reading, got: %s", d)
		}

		home := map[int]int{}
		for _, task := range tasks {
			home[task.ID] = task.Home
		}
		for at, v := range cells {
			for _, e := range events {
				if at.slot < e.slot {
					continue
				}
				switch {
				case v[0] > 0 && home[at.task] != at.centre && at.centre == e.centre,
					v[0] > 0 && home[at.task] != at.centre && home[at.task] == e.centre && !e.fails,
					e.fails && at.centre == e.centre:
					t.Fatalf("%+v runs %v after %+v", at, v, e)
				}
			}
		}
		if len(events) > 0 {
			// As if nothing had happened, before the first.
			quiet := expand(run(t, centres, tasks, o, nil))
			for at, v := range quiet {
				if at.slot < events[0].slot && cells[at] != v {
					t.Fatalf("%+v: %v before %+v, %v without", at, cells[at], events[0], v)
				}
			}
		}
		var whole []Task
		var theirs []Booking
		for _, task := range tasks {
			if n.gone[task.Home] != failed {
				whole = append(whole, task)
			}
		}
		for _, b := range got {
			if n.gone[b.Home] != failed {
				theirs = append(theirs, b)
			}
			if b.Reserved < 0 && b.Home != b.Centre {
				seen["lease cut"]++
			}
			if b.Home == b.Centre && b.Reserved+b.OnDemand < 0 {
				seen["lost"]++
			}
		}
		if slices.ContainsFunc(events, func(e event) bool { return e.fails }) {
			seen["fails"]++
		}
		if err := Verify(centres, whole, theirs, o); err != nil {
			t.Fatal(err)
		}
	})
	for _, kind := range []string{"lease cut", "lost", "fails"} {
		if seen[kind] < 20 {
			seeded.TooFew(t, "%s: %d cases", kind, seen[kind])
		}
	}
}
