package federation

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
)

func share(t *testing.T, centres []Centre, tasks []Task, o Options) []Booking {
	t.Helper()
	b, err := Share(nil, centres, tasks, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sum(costs []pricing.Money) (s pricing.Money) {
	for _, c := range costs {
		s += c
	}
	return s
}

// Bookings worked out by hand.
func TestShareByHand(t *testing.T) {
	// Centre 0 has no reservations and pays 10 on demand; centre 1 has some, at 6
	// for 2 slots, 3 a slot, and pays 8 on demand.
	centre := func(reserved ...int) []Centre {
		return []Centre{
			{Reserved: make([]int, len(reserved)), OnDemand: 10, Term: 1, Traffic: 1},
			{Reserved: reserved, OnDemand: 8, Fee: 6, Term: 2, Traffic: 1},
		}
	}
	for _, c := range []struct {
		name    string
		centres []Centre
		tasks   []Task
		opts    Options
		want    []Booking
	}{
		{
			// 2 of 3 fit; the third would cost 8 and 4 for its data instead of 10.
			"what fits is lent, and the rest stays", centre(2), []Task{{1, 0, 0, 1, 3, 4e9}}, Options{},
			[]Booking{
				{Task: 1, Home: 0, Centre: 1, Start: 0, End: 1, Reserved: 2, Lease: 6, Traffic: 8, Sent: 8e9},
				{Task: 1, Home: 0, Centre: 0, Start: 0, End: 1, OnDemand: 1, Bought: 10},
			},
		},
		{
			// As above with less data: on demand there costs 8 + 1 < 10. So tasks move
			// even to where nothing is idle.
			"on demand is cheaper there", centre(2), []Task{{1, 0, 0, 1, 3, 1e9}}, Options{},
			[]Booking{{Task: 1, Home: 0, Centre: 1, Start: 0, End: 1, Reserved: 2, OnDemand: 1, Lease: 6, Bought: 8, Traffic: 3, Sent: 3e9}},
		},
		{
			// At the price of home, as printed, there is nothing in it.
			"on demand at home's price", centre(2), []Task{{1, 0, 0, 1, 3, 1e9}}, Options{Excess: AtHomePrice},
			[]Booking{
				{Task: 1, Home: 0, Centre: 1, Start: 0, End: 1, Reserved: 2, Lease: 6, Traffic: 2, Sent: 2e9},
				{Task: 1, Home: 0, Centre: 0, Start: 0, End: 1, OnDemand: 1, Bought: 10},
			},
		},
		{
			// Longer than what is idle: 3 + 3 + 8 + 4 = 18 < 30 moves one; it goes on, on
			// demand, where it is. A second would have 8 in each slot, and 4 to send: 28
			// < 30, so it moves too.
			"longer than the idle stretch", centre(1, 1, 0), []Task{{1, 0, 0, 3, 2, 4e9}}, Options{},
			[]Booking{
				{Task: 1, Home: 0, Centre: 1, Start: 0, End: 2, Reserved: 1, OnDemand: 1, Lease: 6, Bought: 16, Traffic: 8, Sent: 8e9},
				{Task: 1, Home: 0, Centre: 1, Start: 2, End: 3, OnDemand: 2, Bought: 16},
			},
		},
		{
			"no excess", centre(1, 1, 0), []Task{{1, 0, 0, 3, 2, 4e9}}, Options{Excess: NoExcess},
			[]Booking{{Task: 1, Home: 0, Centre: 0, Start: 0, End: 3, OnDemand: 2, Bought: 60}},
		},
		{
			// Saving 10 - 3 - 7 = 0: who saves nothing, stays.
			"a tie", centre(1), []Task{{1, 0, 0, 1, 1, 7e9}}, Options{},
			[]Booking{{Task: 1, Home: 0, Centre: 0, Start: 0, End: 1, OnDemand: 1, Bought: 10}},
		},
		{
			// (3 + 8)/2 = 5.5, rounded down.
			"midpoint", centre(1), []Task{{1, 0, 0, 1, 1, 1e9}}, Options{Price: Midpoint},
			[]Booking{{Task: 1, Home: 0, Centre: 1, Start: 0, End: 1, Reserved: 1, Lease: 5, Traffic: 1, Sent: 1e9}},
		},
		{
			// Alg. 3, line 15 takes task 1's free slot 0, (d - u)⁺, but no line subtracts
			// it from u: as printed task 2 would run on the same reservation.
			"a rest at home uses up what it runs on",
			[]Centre{{Reserved: []int{1, 0}, OnDemand: 10, Term: 1}},
			[]Task{{1, 0, 0, 2, 1, 0}, {2, 0, 0, 1, 1, 0}}, Options{},
			[]Booking{
				{Task: 1, Start: 0, End: 1, Reserved: 1},
				{Task: 1, Start: 1, End: 2, OnDemand: 1, Bought: 10},
				{Task: 2, Start: 0, End: 1, OnDemand: 1, Bought: 10},
			},
		},
		{
			// Alg. 3, line 11 subtracts θ = 2 from u = 1; what is lent is 1. A task
			// of the lender in the same slot then lacks 1, not 2.
			"lent is what was idle", centre(1), []Task{{1, 0, 0, 1, 2, 1e9}, {2, 1, 0, 1, 1, 50e9}}, Options{},
			[]Booking{
				{Task: 1, Home: 0, Centre: 1, Start: 0, End: 1, Reserved: 1, OnDemand: 1, Lease: 3, Bought: 8, Traffic: 2, Sent: 2e9},
				{Task: 2, Home: 1, Centre: 1, Start: 0, End: 1, OnDemand: 1, Bought: 8},
			},
		},
	} {
		got, err := Share(nil, c.centres, c.tasks, c.opts)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// Cheapest first and by delay ask in other orders, and with ties by index.
func TestOrder(t *testing.T) {
	centre := func(onDemand, fee pricing.Money, delay time.Duration) Centre {
		return Centre{Reserved: []int{1}, OnDemand: onDemand, Fee: fee, Term: 1, Delay: []time.Duration{delay, 0, 0, 0, 0}}
	}
	centres := []Centre{centre(9, 1, 0), centre(9, 3, 1), centre(9, 2, 2), centre(8, 2, 3), centre(9, 3, 1)}
	for _, c := range []struct {
		opts Options
		want []int
	}{
		{Options{}, []int{1, 4, 2, 3}},
		{Options{Order: CheapestFirst}, []int{3, 2, 1, 4}},
		{Options{Order: CheapestFirst, Excess: AtHomePrice}, []int{2, 3, 1, 4}},
		{Options{Order: CheapestFirst, Price: BorrowerFee}, []int{3, 1, 4, 2}},
		{Options{Order: CheapestFirst, Price: Midpoint}, []int{3, 2, 1, 4}},
		{Options{Order: CheapestFirst, Price: Unpaid}, []int{3, 1, 4, 2}},
		{Options{Order: Alone}, nil},
	} {
		if d := cmp.Diff(c.want, appendOrder(nil, centres, 0, c.opts, nil)); d != "" {
			t.Errorf("%+v: %s", c.opts, d)
		}
	}
	// A task with room for one goes to the first that is asked.
	tasks := []Task{{ID: 1, Home: 0, Start: 0, End: 1, Instances: 2}}
	for o, want := range map[Order]int{ByDelay: 1, CheapestFirst: 3} {
		if got := share(t, centres, tasks, Options{Order: o})[0].Centre; got != want {
			t.Errorf("order %d: centre %d, want %d", o, got, want)
		}
	}
}

// A federation can cost more than none, if centres lend what their own later tasks
// need: the least such case has one slot and two tasks.
func TestFederationCanCostMore(t *testing.T) {
	// Both pay 4 on demand; centre 1 has a reservation, at 2 a slot. Alone centre
	// 0's task costs 4 and centre 1's nothing. In the federation centre 0's comes
	// first, and pays 2 and 1 for its data; centre 1's costs 4, less the 2.
	centres := []Centre{
		{Reserved: []int{0}, OnDemand: 4, Fee: 2, Term: 1, Traffic: 1},
		{Reserved: []int{1}, OnDemand: 4, Fee: 2, Term: 1, Traffic: 1},
	}
	tasks := []Task{{ID: 1, Home: 0, Start: 0, End: 1, Instances: 1, Disk: 1e9}, {ID: 2, Home: 1, Start: 0, End: 1, Instances: 1, Disk: 9e9}}
	with := costsOf(2, share(t, centres, tasks, Options{}))
	alone := costsOf(2, share(t, centres, tasks, Options{Order: Alone}))
	if d := cmp.Diff([]pricing.Money{4, 0}, alone); d != "" {
		t.Error("alone:", d)
	}
	if d := cmp.Diff([]pricing.Money{3, 2}, with); d != "" {
		t.Error("federation:", d)
	}
	if sum(with) <= sum(alone) {
		t.Errorf("federation %d, alone %d", sum(with), sum(alone))
	}
	// With the demand known, the reservation is kept.
	exactly(centres, tasks)
	if d := cmp.Diff(alone, costsOf(2, share(t, centres, tasks, Options{}))); d != "" {
		t.Error("known demand:", d)
	}
}

// [Liu21] section 4: with the price F/τ, "no data center will maliciously
// compromise the cooperation by reserving needless instances for sale".
func TestOverReserving(t *testing.T) {
	gain := func(t *testing.T, centres []Centre, tasks []Task, o Options, more []int) pricing.Money {
		t.Helper()
		exactly(centres, tasks)
		before := costsOf(len(centres), share(t, centres, tasks, o))[1]
		centres = clone(centres)
		var fees pricing.Money
		for s, n := range more { // slots are covered by whole terms
			centres[1].Reserved[s] += n
			fees += pricing.Money(n) * centres[1].Fee / pricing.Money(centres[1].Term)
		}
		after := costsOf(len(centres), share(t, centres, tasks, o))[1] + fees
		return before - after
	}

	// At the borrower's F/τ, as printed, a centre with lower fees resells: for 5
	// what it has for 3.
	centres := []Centre{
		{Reserved: []int{0}, OnDemand: 10, Fee: 5, Term: 1},
		{Reserved: []int{0}, OnDemand: 10, Fee: 3, Term: 1},
	}
	tasks := []Task{{ID: 1, Home: 0, Start: 0, End: 1, Instances: 1}}
	if g := gain(t, centres, tasks, Options{Price: BorrowerFee}, []int{1}); g != 2 {
		t.Errorf("borrower's fee: gain %d, want 2", g)
	}
	if g := gain(t, centres, tasks, Options{}, []int{1}); g != 0 {
		t.Errorf("lender's fee: gain %d, want 0", g)
	}
	if g := gain(t, centres, tasks, Options{Price: Midpoint}, []int{1}); g != 3 { // ⌊6.5⌋ - 3
		t.Errorf("midpoint: gain %d, want 3", g)
	}

	// At the lender's F/τ. Centre 1 has a term for each three slots of its demand
	// 1 0 0 1 1 1 0 0 1: alone that is best, 27 instead of 50 on demand. A task of centre 0 runs
	// in slots 1 to 7. It costs 70 on demand at home, and 40 to send. It would find slots 1, 2, 6
	// and 7 idle, and stays: 4·3 + 3·10 + 40 is 82. A needless term for slots 3 to 5 leaves all
	// seven slots idle, and the task comes: 7·3 + 40 is 61. Centre 1 pays 9 for the term, and
	// receives 21.
	centres = []Centre{
		{Reserved: make([]int, 9), OnDemand: 10, Fee: 30, Term: 3, Traffic: 1},
		{Reserved: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, OnDemand: 10, Fee: 9, Term: 3, Traffic: 1000},
	}
	tasks = []Task{{ID: 9, Home: 0, Start: 1, End: 8, Instances: 1, Disk: 40e9}}
	for k, s := range [][2]int{{0, 1}, {3, 6}, {8, 9}} {
		tasks = append(tasks, Task{ID: k, Home: 1, Start: s[0], End: s[1], Instances: 1})
	}
	needless := []int{0, 0, 0, 1, 1, 1, 0, 0, 0}
	if g := gain(t, centres, tasks, Options{}, needless); g != 12 {
		t.Errorf("a bridge: gain %d, want 12", g)
	}

	// And what alone does not pay off may do so in part by sale: one busy slot of
	// three, 5 on demand against a fee of 9; the other two bring in 6.
	centres = []Centre{
		{Reserved: []int{0, 0, 0}, OnDemand: 10, Fee: 30, Term: 3},
		{Reserved: []int{0, 0, 0}, OnDemand: 5, Fee: 9, Term: 3, Traffic: 1000},
	}
	tasks = []Task{{ID: 1, Home: 0, Start: 1, End: 3, Instances: 1}, {ID: 2, Home: 1, Start: 0, End: 1, Instances: 1, Disk: 1e9}}
	if g := gain(t, centres, tasks, Options{}, []int{1, 1, 1}); g != 2 {
		t.Errorf("half for sale: gain %d, want 2", g)
	}
}

// What is true of the claim: at the lender's F/τ no sale brings in more than the
// fees of what is sold, so that who has no tasks gains nothing.
func TestResellerGainsNothing(t *testing.T) {
	sold := 0
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		o := drawOptions(t)
		o.Lending = nil // may be above F/τ
		o.Price = LenderFee
		tasks = slices.DeleteFunc(tasks, func(t Task) bool { return t.Home == len(centres)-1 })
		reseller := centres[len(centres)-1]
		got, err := Share(nil, centres, tasks, o)
		if err != nil {
			t.Fatal(err)
		}
		received := -costsOf(len(centres), got)[len(centres)-1]
		// A fee buys Term slots of an instance.
		if received*pricing.Money(reseller.Term) > reseller.Fee*pricing.Money(total(reseller.Reserved)) {
			t.Fatalf("received %d for %d slots at %d for %d", received, total(reseller.Reserved), reseller.Fee, reseller.Term)
		}
		if received > 0 {
			sold++
		}
	})
	if sold < 50 {
		seeded.TooFew(t, "sold in %d cases", sold)
	}
}

// What cannot be worked with is refused before anything is booked, with field,
// index and a sentence.
func TestBadInput(t *testing.T) {
	good := func() []Centre {
		return []Centre{{Reserved: []int{1, 1}, Demand: []int{1, 0}, OnDemand: 2, Fee: 2, Term: 2, Traffic: 1, Delay: []time.Duration{0, 1}}, {Reserved: []int{1, 1}, Term: 1}}
	}
	for _, c := range []struct {
		change func(c []Centre) []Centre
		field  string
		index  int
		cause  error
	}{
		{func(c []Centre) []Centre { return nil }, "Centres", -1, ErrLength},
		{func(c []Centre) []Centre { c[1].Reserved = []int{1}; return c }, "Centres.Reserved", 1, ErrLength},
		{func(c []Centre) []Centre { c[0].Demand = []int{1}; return c }, "Centres.Demand", 0, ErrLength},
		{func(c []Centre) []Centre { c[0].Delay = c[0].Delay[:1]; return c }, "Centres.Delay", 0, ErrLength},
		{func(c []Centre) []Centre { c[1].Term = 0; return c }, "Centres.Term", 1, ErrRange},
		{func(c []Centre) []Centre { c[1].Traffic = -1; return c }, "Centres.Traffic", 1, ErrRange},
		{func(c []Centre) []Centre { c[1].OnDemand = -1; return c }, "Centres.OnDemand", 1, ErrRange},
		{func(c []Centre) []Centre { c[1].Fee = -1; return c }, "Centres.Fee", 1, ErrRange},
		{func(c []Centre) []Centre { c[1].Reserved[1] = -1; return c }, "Centres.Reserved", 1, ErrRange},
		{func(c []Centre) []Centre { c[0].Demand[1] = -1; return c }, "Centres.Demand", 0, ErrRange},
		{func(c []Centre) []Centre { c[0].Delay[1] = -1; return c }, "Centres.Delay", 0, ErrRange},
		{func(c []Centre) []Centre { c[0].OnDemand = math.MaxInt64 / 8; return c }, "Centres.OnDemand", 0, ErrOverflow},
	} {
		var s Sharer
		if err := s.Reset(good(), Options{}); err != nil {
			t.Fatal(err)
		}
		wantError(t, s.Reset(c.change(good()), Options{}), c.field, c.index, c.cause)
		if _, err := s.Add(nil, Task{1, 0, 0, 1, 1, 0}); err != nil {
			t.Error("after the error:", err)
		}
	}

	ok := []Task{{1, 0, 0, 2, 1, 5}, {2, 1, 0, 1, 2, 5}}
	for _, c := range []struct {
		task  Task
		field string
		cause error
		inAdd bool // whether a stream finds it too
	}{
		{Task{3, 0, 1, 0, 1, 0}, "Tasks.End", ErrRange, true},
		{Task{3, 0, 1, 1, 1, 0}, "Tasks.End", ErrRange, true},
		{Task{3, 0, -1, 1, 1, 0}, "Tasks.Start", ErrRange, true},
		{Task{3, 0, 1, 3, 1, 0}, "Tasks.End", ErrRange, true},
		{Task{3, 0, 1, 2, 0, 0}, "Tasks.Instances", ErrRange, true},
		{Task{3, 0, 1, 2, 1, -1}, "Tasks.Disk", ErrRange, true},
		{Task{3, 2, 1, 2, 1, 0}, "Tasks.Home", ErrRange, true},
		{Task{3, -1, 1, 2, 1, 0}, "Tasks.Home", ErrRange, true},
		{Task{1, 0, 1, 2, 1, 0}, "Tasks.ID", ErrDuplicate, true},
		{Task{3, 0, 1, 2, math.MaxInt / 2, 0}, "Tasks.Instances", ErrOverflow, true},
		{Task{3, 1, 1, 2, 3, math.MaxInt64 / 2}, "Tasks.Disk", ErrOverflow, true},
	} {
		if math.MaxInt == math.MaxInt32 && c.field == "Tasks.Instances" && c.cause == ErrOverflow {
			continue // with ints of 32 bits no number of instances is too large
		}
		var s Sharer
		if err := s.Reset(good(), Options{}); err != nil {
			t.Fatal(err)
		}
		all := append(slices.Clone(ok), c.task)
		kept := []Booking{{Task: 77}}
		got, err := s.Share(kept, all)
		wantError(t, err, c.field, 2, c.cause)
		if len(got) != 1 || s.free[0] != 1 || s.pending[0] != 1 || s.pending[1] != 0 {
			t.Errorf("%+v: booked %v", c.task, got)
		}
		// Nothing was booked, so the good ones can be.
		if got, err = s.Share(kept, ok); err != nil || len(got) < 3 {
			t.Errorf("%+v: afterwards %v %v", c.task, got, err)
		}
		if c.inAdd {
			if c.task.Start == 0 {
				c.task.Start = 1
			}
			_, err := s.Add(nil, c.task)
			wantError(t, err, c.field, -1, c.cause)
		}
	}

	var s Sharer
	if err := s.Reset(good(), Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(nil, Task{1, 0, 1, 2, 1, 0}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Add(nil, Task{2, 0, 0, 1, 1, 0})
	wantError(t, err, "Tasks.Start", -1, ErrOrder)
	_, err = s.Share(nil, []Task{{2, 0, 0, 1, 1, 0}})
	wantError(t, err, "Tasks.Start", 0, ErrOrder)

	wantError(t, AddDemand(make([]int, 2), []Task{{1, 0, 0, 3, 1, 0}}, 0), "Tasks.End", 0, ErrRange)
	demand := []int{0, 7}
	most := Task{1, 0, 0, 1, math.MaxInt - 7, 0}
	wantError(t, AddDemand(demand, []Task{most, {2, 0, 0, 1, 1, 0}}, 0), "Tasks.Instances", 1, ErrOverflow)
	if d := cmp.Diff([]int{0, 7}, demand); d != "" {
		t.Error("demand after an error:", d)
	}
	if err := AddDemand(demand, []Task{most, {2, 1, 0, 1, math.MaxInt, 0}}, 0); err != nil || demand[0] != math.MaxInt-7 {
		t.Errorf("demand %v, %v: another home's does not count", demand, err)
	}
	_, err = Centre{Traffic: math.MaxInt64}.trafficFor(2 * gigabyte)
	wantError(t, err, "Centres.Traffic", -1, ErrOverflow)
	_, err = Centre{Traffic: math.MaxInt64}.trafficFor(math.MaxInt64)
	wantError(t, err, "Centres.Traffic", -1, ErrOverflow)
}

func wantError(t *testing.T, err error, field string, index int, cause error) {
	t.Helper()
	var in *pricing.InputError
	if !errors.As(err, &in) || in.Field != field || in.Index != index || !errors.Is(err, cause) {
		t.Errorf("error %v, want %s[%d], %v", err, field, index, cause)
		return
	}
	if s := err.Error(); !strings.HasPrefix(s, "federation: "+strings.Split(field, ".")[0]) || strings.Contains(s, "%!") {
		t.Errorf("message %q", s)
	}
}

// Misuse that a call shows panics, with a message that names the package.
func TestMisuse(t *testing.T) {
	var s Sharer
	var l Ledger
	l.Reset(2)
	for name, f := range map[string]func(){
		"order":     func() { _ = s.Reset(nil, Options{Order: Alone + 1}) },
		"price":     func() { Options{Price: Unpaid + 1}.priceOf(Centre{Term: 1}, Centre{Term: 1}) },
		"term":      func() { Options{}.priceOf(Centre{}, Centre{}) },
		"excess":    func() { Options{Excess: NoExcess + 1}.excessPriceOf(Centre{}, Centre{}) },
		"add":       func() { _, _ = s.Add(nil, Task{}) },
		"share":     func() { _, _ = s.Share(nil, nil) },
		"disk":      func() { _, _ = Centre{}.trafficFor(-1) },
		"ledger":    func() { l.Reset(0) },
		"statement": func() { l.Statement(2) },
		"flow":      func() { l.Flow(1, 1) },
	} {
		func() {
			defer func() {
				if msg, ok := recover().(string); !ok || !strings.HasPrefix(msg, "federation: ") {
					t.Errorf("%s: %v", name, msg)
				}
			}()
			f()
		}()
	}
}

// Traffic is rounded to the nearest nano, halves to even, for an instance.
func TestTrafficFor(t *testing.T) {
	for _, c := range []struct {
		price pricing.Money
		disk  int64
		want  pricing.Money
	}{
		{20 * pricing.Milli, 5e6, 100 * pricing.Micro}, // 0.02 for 1 GB
		{1, 5e8, 0}, {3, 5e8, 2}, {1, 5e8 + 1, 1}, {1, 5e8 - 1, 0}, {0, 65e9, 0}, {7, 0, 0},
		{math.MaxInt64, 1e9, math.MaxInt64},
	} {
		if got, err := (Centre{Traffic: c.price}).trafficFor(c.disk); err != nil || got != c.want {
			t.Errorf("%d · %d: %d %v, want %d", c.price, c.disk, got, err, c.want)
		}
	}
}

// A ledger says no before a sum wraps, and has posted nothing then.
func TestLedgerErrors(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("with ints of 32 bits no booking is too large")
	}
	var l Ledger
	l.Reset(2)
	if err := l.PostFee(0, math.MaxInt64-10); err != nil {
		t.Fatal(err)
	}
	wantError(t, l.PostFee(1, 11), "Fee", -1, ErrOverflow)
	wantError(t, l.PostFee(1, -1), "Fee", -1, ErrRange)
	wantError(t, l.PostFee(2, 1), "Centre", -1, ErrRange)
	small := Booking{Home: 1, Centre: 0, End: 1, Reserved: 1, Lease: 5}
	before := l.Statement(1)
	wantError(t, l.Post(small, small, small), "Bookings", 2, ErrOverflow)
	wantError(t, l.Post(small, Booking{Home: 2, End: 1}), "Bookings.Centre", 1, ErrRange)
	wantError(t, l.Post(small, Booking{}), "Bookings.End", 1, ErrRange)
	wantError(t, l.Post(small, Booking{End: math.MaxInt, Reserved: 3}), "Bookings", 1, ErrOverflow)
	wantError(t, l.Post(Booking{End: 1, Sent: math.MaxInt64}, Booking{End: 1, Sent: -1}), "Bookings", 1, ErrOverflow)
	if d := cmp.Diff(before, l.Statement(1)); d != "" {
		t.Error("posted:", d)
	}
	if err := l.Post(Booking{End: 1, Sent: math.MaxInt64 - 1}); err != nil {
		t.Error(err)
	}
	wantError(t, l.Post(Booking{End: 1, Sent: 2}), "Bookings", 0, ErrOverflow)
	if err := l.Post(small, small); err != nil {
		t.Error(err)
	}
	want := Statement{Paid: 10, Borrowed: 2}
	if d := cmp.Diff(want, l.Statement(1)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Statement{{Fees: math.MaxInt64 - 10, Received: 10, Lent: 2, Sent: math.MaxInt64 - 1}, want}, l.AppendStatements(nil)); d != "" {
		t.Error(d)
	}
}
