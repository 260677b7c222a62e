package bills_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// An hour on demand costs 1, and a reservation of 100 hours 40: 60 hours of use pay for it
// in 150 hours.
var prices = pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
	{Name: "all", Term: 100 * time.Hour, Upfront: 40 * pricing.Unit, Billed: pricing.Always},
}}

func job(id int64, user, nodes int, submit, run time.Duration) trace.Job {
	return trace.Job{ID: id, User: user, Nodes: nodes, Submit: submit, Run: run, Estimate: run, Queue: -1, Wait: -1}
}

// By hand. User 7 runs an instance for 10 hours, user 3 two instances for 30 minutes each
// in hour 0, and a job without a user runs for 10 hours, too. Use is 10, 1 and 10 hours;
// the bill of 21.000000001 is 1.000000000047… an hour, whose last nano goes to the greatest
// remainder. Alone user 3 pays two whole hours. The log has 10 hours, so that a reservation
// costs 4 of 100 hours' 40, and saves 6 an instance that is used throughout. The instances
// beyond the second are used for half an hour twice and are not worth reserving.
// v(7) = v(unknown) = 6, v(3) = 0; user 3 adds nothing. v(all) = 12.
func TestByHand(t *testing.T) {
	u := bills.Usage{
		Jobs: []trace.Job{
			job(1, 7, 1, 0, 10*time.Hour), job(2, 3, 2, 0, 30*time.Minute), job(3, bills.Unknown, 1, 0, 10*time.Hour-time.Hour),
			job(4, bills.Unknown, 1, time.Hour, time.Hour),
		},
		Starts: []time.Duration{0, 0, 0, 9 * time.Hour},
		Bill:   10500000001, OnDemand: 21 * pricing.Unit, Prices: prices,
	}
	var d bills.Divider
	got, err := d.Divide(u, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := bills.Statement{Saved: 10499999999, Accounts: []bills.Account{
		{User: 3, Jobs: 1, Hours: 1, Pays: 500000000, Alone: 2 * pricing.Unit, SavedByUse: 500000000},
		{User: 7, Jobs: 1, Hours: 10, Pays: 5000000001, Alone: 10 * pricing.Unit, SavedByUse: 4999999999, SavedByShapley: 5250000000},
		{User: bills.Unknown, Jobs: 2, Hours: 10, Pays: 5000000000, Alone: 10 * pricing.Unit, SavedByUse: 5000000000, SavedByShapley: 5249999999},
	}}
	// 10.500000001·10/21 = 5.00000000047…, ·1/21 = 0.500000000047…: the greatest remainder is
	// the first of the equal ones.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Less() != 3 || got.Worst() != 1 || got.Accounts[2].Name() != "unknown" || got.Accounts[0].Name() != "3" {
		t.Errorf("%d pay less, worst %d", got.Less(), got.Worst())
	}
	if p := got.Accounts[0].PaysByShapley(); p != pricing.Unit {
		t.Errorf("user 3 adds nothing to the savings and pays %v, want the price on demand", p)
	}
	u.Bill, u.OnDemand = 42*pricing.Unit, 0
	if got, err = d.Divide(u, nil); err != nil || got.Less() != 0 || got.Accounts[0].More() || !got.Accounts[1].More() || got.Saved != 0 {
		t.Errorf("twice the price: %+v, %v", got, err)
	}
}

// usage draws a log of a few users, a bill and the starts.
func usage(t *rapid.T, most int) bills.Usage {
	u := bills.Usage{Prices: prices, Boot: sim.MeasuredBoot}
	at := time.Duration(0)
	for i := range rapid.IntRange(1, 12).Draw(t, "jobs") {
		at += time.Duration(rapid.IntRange(0, 7200).Draw(t, "gap")) * time.Second
		u.Jobs = append(u.Jobs, job(int64(i), rapid.IntRange(-1, most).Draw(t, "user"), rapid.IntRange(1, 5).Draw(t, "nodes"),
			at, time.Duration(rapid.IntRange(1, 40000).Draw(t, "run"))*time.Second))
		u.Starts = append(u.Starts, at+time.Duration(rapid.IntRange(0, 3600).Draw(t, "wait"))*time.Second)
	}
	u.OnDemand = pricing.Money(rapid.Int64Range(1, 1e12).Draw(t, "on demand"))
	u.Bill = pricing.Money(rapid.Int64Range(0, 2e12).Draw(t, "bill"))
	return u
}

// naive returns v of the users of a set, from the definition, hour by hour and
// instance by instance.
func naive(u bills.Usage, accounts []bills.Account, set coalition.Set) pricing.Money {
	var first, last time.Duration = 1 << 62, 0
	for i, j := range u.Jobs {
		first, last = min(first, u.Starts[i].Truncate(time.Hour)), max(last, (u.Starts[i]+j.Run).Truncate(time.Hour)+time.Hour)
	}
	levels := make([]time.Duration, 100)
	for h := first; h < last; h += time.Hour {
		var x time.Duration
		for i, j := range u.Jobs {
			for k, a := range accounts {
				if a.User == j.User && set.Has(k) {
					x += max(0, min(h+time.Hour, u.Starts[i]+j.Run)-max(h, u.Starts[i])) * time.Duration(j.Nodes)
				}
			}
		}
		for k := range levels {
			levels[k] += max(0, min(time.Hour, x-time.Duration(k)*time.Hour))
		}
	}
	v := pricing.Money(0)
	fixed, _ := prices.Classes[0].Upfront.Prorate(last-first, prices.Classes[0].Term, pricing.HalfEven)
	for _, used := range levels {
		// 1 an hour is a nano for 3600 ns.
		v += max(0, pricing.Money(used/3600)-fixed)
	}
	return v
}

// Shares add up to the nano, and equal those of a table of all coalitions.
func TestAddsUp(t *testing.T) {
	var d bills.Divider
	var solver coalition.Solver
	rapid.Check(t, func(t *rapid.T) {
		u := usage(t, 4)
		s, err := d.Divide(u, nil)
		if err != nil {
			t.Fatal(err)
		}
		var paid, byUse, byShapley, alone pricing.Money
		jobs := 0
		for i := range s.Accounts {
			a := &s.Accounts[i]
			paid, byUse, byShapley, alone, jobs = paid+a.Pays, byUse+a.SavedByUse, byShapley+a.SavedByShapley, alone+a.Alone, jobs+a.Jobs
			if a.Pays < 0 || a.StdErr != 0 || a.More() != (a.Pays > a.Alone) {
				t.Fatalf("%+v", a)
			}
		}
		if paid != u.Bill || byUse != s.Saved || byShapley != s.Saved || s.Saved != u.OnDemand-u.Bill || jobs != len(u.Jobs) || s.Sampled {
			t.Fatalf("pays %v of %v, saved %v, %v of %v", paid, u.Bill, byUse, byShapley, s.Saved)
		}
		// Six weeks later everybody pays the same.
		later := u
		later.Starts = slices.Clone(u.Starts)
		for i := range later.Starts {
			later.Starts[i] += 1000 * time.Hour
		}
		if got, err := new(bills.Divider).Divide(later, nil); err != nil || !cmp.Equal(got, s) {
			t.Fatalf("%+v, %v, want %+v", got, err, s)
		}
		res, err := new(sim.Simulator).Run(u.Jobs, sim.Options{Mode: sim.Individual, Hourly: prices.OnDemand})
		if err != nil || res.Cost != alone {
			t.Fatalf("alone %v, the simulator %v, %v", alone, res.Cost, err)
		}
		n := len(s.Accounts)
		costs := make(coalition.Costs, 1<<n)
		for set := range costs {
			costs[set] = naive(u, s.Accounts, coalition.Set(set))
		}
		phi := make([]pricing.Money, n)
		if err := solver.ShapleyTo(phi, costs); err != nil {
			t.Fatal(err)
		}
		all := costs[len(costs)-1]
		for i, a := range s.Accounts {
			want := a.SavedByUse.Float64()
			if all > 0 {
				want = s.Saved.Float64() * phi[i].Float64() / all.Float64()
			}
			// v is rounded down to the nano for each instance, in both.
			if diff := want - a.SavedByShapley.Float64(); diff > 1e-6 || diff < -1e-6 {
				t.Fatalf("user %s: %v by Shapley, want %v", a.Name(), a.SavedByShapley, want)
			}
		}
	})
}

// Sampled shares and standard errors are those of a sampler that draws the same orders and
// knows the savings of coalitions from their definition.
func TestSampledByDefinition(t *testing.T) {
	const users = bills.MaxExact + 1
	rnd := rand.New(rand.NewPCG(18, 3))
	u := bills.Usage{Prices: prices, OnDemand: 1000 * pricing.Unit, Bill: 600 * pricing.Unit}
	for i := range users {
		u.Jobs = append(u.Jobs, job(int64(i), i, 1+rnd.IntN(3), 0, time.Duration(1+rnd.IntN(8*3600))*time.Second))
		u.Starts = append(u.Starts, time.Duration(rnd.IntN(7200))*time.Second)
	}
	var d bills.Divider
	got, err := d.Divide(u, rand.New(rand.NewPCG(18, 4)))
	if err != nil || !got.Sampled || len(got.Accounts) != users {
		t.Fatalf("%+v, %v", got, err)
	}
	all := naive(u, got.Accounts, coalition.Set(1<<users-1))
	want, err := new(coalition.Sampler).Shapley(nil, users, func(joined []int) (pricing.Money, error) {
		return naive(u, got.Accounts, coalition.Of(joined...)), nil
	}, 100, rand.New(rand.NewPCG(18, 4)))
	if err != nil || all <= 0 {
		t.Fatal(all, err)
	}
	scale := got.Saved.Float64() / all.Float64()
	for i, a := range got.Accounts {
		share, stdErr := want[i].Cost.Float64()*scale, want[i].StdErr.Float64()*scale
		if math.Abs(a.SavedByShapley.Float64()-share) > 1e-5 || math.Abs(a.StdErr.Float64()-stdErr) > 1e-5 {
			t.Errorf("user %d: %v, standard error %v, want %v and %v", i, a.SavedByShapley, a.StdErr, share, stdErr)
		}
	}
}

// By hand: 10 hours of the first user, 2 of the second. What an hour costs beside the fee is paid
// for hours that are used, or for all ten: 1·10 − 1 − 0.5·10 = 4 and 1·10 − 1 − 0.3·10 = 6 are saved
// for the first user, and nothing for the second.
func TestHourlyPrices(t *testing.T) {
	for _, class := range []pricing.Class{
		{Name: "used", Term: 100 * time.Hour, Upfront: 10 * pricing.Unit, Hourly: pricing.Unit / 2, Billed: pricing.WhenUsed},
		{Name: "all", Term: 100 * time.Hour, Upfront: 10 * pricing.Unit, Hourly: 3 * pricing.Unit / 10, Billed: pricing.Always},
	} {
		u := bills.Usage{
			Jobs: []trace.Job{job(1, 1, 1, 0, 10*time.Hour), job(2, 2, 1, 0, 2*time.Hour)}, Starts: []time.Duration{0, 0},
			Bill: 6 * pricing.Unit, OnDemand: 12 * pricing.Unit, Prices: pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{class}},
		}
		u.Jobs[0].Run -= time.Microsecond // the log ends with hour 10
		got, err := new(bills.Divider).Divide(u, nil)
		if err != nil || got.Accounts[0].SavedByShapley != 6*pricing.Unit || got.Accounts[1].SavedByShapley != 0 {
			t.Errorf("%s: %+v, %v", class.Name, got, err)
		}
	}
}

// Worst is the greatest ratio, the first of equal ones, wherever it stands.
func TestWorst(t *testing.T) {
	for _, c := range []struct {
		pays, alone []pricing.Money
		want        int
	}{
		{[]pricing.Money{5, 1, 2}, []pricing.Money{1, 1, 1}, 0}, {[]pricing.Money{1, 5, 2}, []pricing.Money{1, 1, 1}, 1},
		{[]pricing.Money{1, 2, 5}, []pricing.Money{1, 1, 1}, 2}, {[]pricing.Money{2, 4, 6}, []pricing.Money{1, 2, 3}, 0},
		{[]pricing.Money{10, 1, 2}, []pricing.Money{30, 2, 4}, 1},
	} {
		var s bills.Statement
		for i := range c.pays {
			s.Accounts = append(s.Accounts, bills.Account{Pays: c.pays[i], Alone: c.alone[i]})
		}
		if got := s.Worst(); got != c.want {
			t.Errorf("%v for %v alone: %d, want %d", c.pays, c.alone, got, c.want)
		}
	}
}

func TestBadInput(t *testing.T) {
	good := func() bills.Usage {
		return bills.Usage{Jobs: []trace.Job{job(5, 1, 1, 0, time.Hour)}, Starts: []time.Duration{0}, Bill: 1, Prices: prices}
	}
	rich := bills.Usage{Prices: prices, OnDemand: 1000 * pricing.Unit, Bill: 600 * pricing.Unit, Boot: sim.MeasuredBoot}
	for i := range 60 {
		rich.Jobs = append(rich.Jobs, job(int64(i), i%20-1, 1+i%3, time.Duration(i)*20*time.Minute, time.Duration(1+i%17)*time.Hour))
		rich.Starts = append(rich.Starts, rich.Jobs[i].Submit)
	}
	divide := func(d *bills.Divider) bills.Statement {
		s, err := d.Divide(rich, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	fresh := divide(new(bills.Divider))
	var used bills.Divider
	for name, c := range map[string]struct {
		change func(u *bills.Usage)
		field  string
		index  int
		is     error
	}{
		"starts":    {func(u *bills.Usage) { u.Starts = nil }, "Starts", -1, bills.ErrLength},
		"bill":      {func(u *bills.Usage) { u.Bill = -1 }, "Bill", -1, bills.ErrRange},
		"on demand": {func(u *bills.Usage) { u.OnDemand = -1 }, "OnDemand", -1, bills.ErrRange},
		"no jobs":   {func(u *bills.Usage) { u.Jobs, u.Starts = nil, nil }, "Jobs", -1, bills.ErrRange},
		"nodes":     {func(u *bills.Usage) { u.Jobs[0].Nodes = 0 }, "Jobs.Nodes", 0, bills.ErrRange},
		"run":       {func(u *bills.Usage) { u.Jobs[0].Run = 0 }, "Jobs.Run", 0, bills.ErrRange},
		"user":      {func(u *bills.Usage) { u.Jobs[0].User = -2 }, "Jobs.User", 0, bills.ErrRange},
		"start":     {func(u *bills.Usage) { u.Starts[0] = -1 }, "Starts", 0, bills.ErrRange},
		"boot":      {func(u *bills.Usage) { u.Boot = func(int) time.Duration { return -1 } }, "Boot", 0, bills.ErrRange},
		"use":       {func(u *bills.Usage) { u.Jobs[0].Nodes = 1 << 30; u.Jobs[0].Run = 1 << 50 }, "Jobs.Run", 0, bills.ErrTooLarge},
		"all use": {func(u *bills.Usage) {
			u.Jobs[0].Nodes, u.Jobs[0].Run = 649657, 14197294936951*time.Microsecond // 2⁶³−1 in all
			u.Jobs, u.Starts = append(u.Jobs, job(6, 1, 1, 0, time.Microsecond)), append(u.Starts, 0)
			u.Prices.Classes = nil
		}, "Jobs.Run", 1, bills.ErrTooLarge},
		"instances": {func(u *bills.Usage) { u.Jobs[0].Nodes = 1 << 23 }, "Jobs.Nodes", -1, bills.ErrTooLarge},
		"alone":     {func(u *bills.Usage) { u.Jobs[0].Nodes = 1 << 21; u.Prices.OnDemand = 1 << 60; u.Prices.Classes = nil }, "Jobs", 0, bills.ErrTooLarge},
		"all costs": {func(u *bills.Usage) {
			u.Jobs[0].Run, u.OnDemand, u.Prices = 65*time.Hour, 2, pricing.List{OnDemand: 1 << 50}
		}, "Prices.OnDemand", -1, bills.ErrTooLarge},
		"prices":       {func(u *bills.Usage) { u.Prices.OnDemand = -1 }, "OnDemand", -1, pricing.ErrRange},
		"charges less": {func(u *bills.Usage) { u.Meter.Minimum = -1 }, "Minimum", -1, pricing.ErrRange},
	} {
		u := good()
		c.change(&u)
		_, err := new(bills.Divider).Divide(u, nil)
		var input *schedule.InputError
		if !errors.As(err, &input) || !errors.Is(err, c.is) || input.Index != c.index || !strings.HasSuffix(input.Field, c.field) {
			t.Errorf("%s: %v, want %s[%d] and %v", name, err, c.field, c.index, c.is)
		}
		if _, again := used.Divide(u, nil); err == nil || again == nil || again.Error() != err.Error() {
			t.Errorf("%s: %v, want %v as of a new Divider", name, again, err)
		}
		if diff := cmp.Diff(fresh, divide(&used)); diff != "" {
			t.Errorf("%s: after the error (-new +used):\n%s", name, diff)
		}
	}
	if s, err := new(bills.Divider).Divide(bills.Usage{Prices: prices}, nil); err != nil || len(s.Accounts) != 0 || s.Worst() != -1 {
		t.Errorf("nothing at all: %+v, %v", s, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no source of randomness: no panic")
		}
	}()
	u := good()
	for i := range 20 {
		u.Jobs, u.Starts = append(u.Jobs, job(0, i, 1, 0, time.Hour)), append(u.Starts, 0)
	}
	u.OnDemand = 2
	new(bills.Divider).Divide(u, nil)
}

func TestNoAllocations(t *testing.T) {
	var d bills.Divider
	for _, users := range []int{30, 5} {
		u := bills.Usage{Prices: prices, OnDemand: 1000 * pricing.Unit, Bill: 600 * pricing.Unit, Boot: sim.MeasuredBoot}
		for i := range 200 {
			u.Jobs = append(u.Jobs, job(int64(i), i%users-1, 1+i%3, time.Duration(i)*20*time.Minute, time.Duration(1+i%17)*time.Hour))
			u.Starts = append(u.Starts, u.Jobs[i].Submit)
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		run := func() {
			if _, err := d.Divide(u, rnd); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := allocs.Once(run); n != 0 {
			t.Errorf("%d users: %v allocations", users, n)
		}
	}
}
