package federation

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/pricing"
	"pgregory.net/rapid"
)

// restricted is a coalition by itself, made anew.
func restricted(centres []Centre, tasks []Task, s coalition.Set) ([]Centre, []Task) {
	var some []Centre
	var theirs []Task
	place := map[int]int{}
	for i := range centres {
		if s.Has(i) {
			place[i] = len(some)
			c := centres[i]
			var delay []time.Duration
			for j := range centres {
				if s.Has(j) && c.Delay != nil {
					delay = append(delay, c.Delay[j])
				}
			}
			c.Delay = delay
			some = append(some, c)
		}
	}
	for _, t := range tasks {
		if p, ok := place[t.Home]; ok {
			t.Home = p
			theirs = append(theirs, t)
		}
	}
	return some, theirs
}

// Costs are those of each coalition made anew; bounds
// are bounds, larger coalitions gain by the optimum, and a coalition of one pays what it
// pays alone.
func TestPropCoalitions(t *testing.T) {
	var c Coalitions
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		before, tasksBefore := clone(centres), slices.Clone(tasks)
		if err := c.Reset(centres, tasks); err != nil {
			t.Fatal(err)
		}
		costs, bounds, err := c.AppendCosts(nil, nil)
		if err != nil || costs.Validate() != nil || bounds.Validate() != nil || costs.Members() != len(centres) {
			t.Fatal(costs, bounds, err)
		}
		for s := coalition.Set(1); int(s) < len(costs); s++ {
			some, theirs := restricted(centres, tasks, s)
			best, err := new(Optimizer).Solve(some, theirs, OptimumOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if costs[s] > best.Cost || bounds[s] != best.Bound || bounds[s] > costs[s] {
				t.Fatalf("%v costs %v, at least %v; want %+v", s, costs[s], bounds[s], best)
			}
			for part := (s - 1) & s; part > 0; part = (part - 1) & s {
				if costs[s] > costs[part]+costs[s^part] {
					t.Fatalf("%v costs more than its parts: %v", s, costs)
				}
			}
			if s.Len() == 1 {
				alone, _ := Share(nil, some, theirs, Options{Order: Alone})
				if want := sumOf(costsOf(1, alone)); costs[s] != want {
					t.Fatalf("alone %v, want %v", costs[s], want)
				}
			}
		}
		if d := cmp.Diff(before, centres) + cmp.Diff(tasksBefore, tasks); d != "" {
			t.Fatal("inputs changed:", d)
		}
	})
}

// Prices divide the bound so that no coalition leaves; where the optimum is proved the
// shares are in the core, and so the core of the table is not empty.
func TestPropPriceShares(t *testing.T) {
	var c Coalitions
	var o Optimizer
	var s coalition.Solver
	proved, open := 0, 0
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, false)
		tasks := drawTasks(t, centres)
		best, err := o.Solve(centres, tasks, OptimumOptions{})
		if err != nil {
			t.Fatal(err)
		}
		prices := o.AppendPrices(nil)
		if rapid.Bool().Draw(t, "any prices") {
			for k := range prices {
				prices[k] = pricing.Money(rapid.Int64Range(0, int64(centres[k/len(centres[0].Reserved)].OnDemand)).Draw(t, "price"))
			}
		}
		shares := make([]pricing.Money, len(centres))
		if err := PriceSharesTo(shares, centres, tasks, prices); err != nil {
			t.Fatal(err)
		}
		if bound, err := proves(centres, tasks, prices); err != nil || bound != sumOf(shares) {
			t.Fatalf("%v add up to %v, want %v, %v", shares, sumOf(shares), bound, err)
		}
		if err := c.Reset(centres, tasks); err != nil {
			t.Fatal(err)
		}
		costs, bounds, err := c.AppendCosts(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if leave, err := costs.AppendDepartures(nil, shares); err != nil || len(leave) > 0 {
			t.Fatalf("%v leave %v of %v, %v", leave, shares, costs, err)
		}
		if !best.Exact() {
			open++
			return
		}
		proved++
		x := make([]pricing.Money, len(centres))
		core, err := s.Core(x, costs)
		if err != nil || core.Empty {
			t.Fatalf("empty: %+v of %v, bounds %v, %v", core, costs, bounds, err)
		}
	})
	t.Logf("%d proved, %d not", proved, open)
	if proved < 100 {
		t.Errorf("%d plans proved", proved)
	}
}

// What cannot be used is refused, and more centres than a table has are sampled.
func TestCoalitionsErrors(t *testing.T) {
	good := []Centre{{Reserved: []int{1, 1}, OnDemand: 5, Fee: 2, Term: 1}, {Reserved: []int{0, 0}, OnDemand: 5, Fee: 2, Term: 1}}
	tasks := []Task{{ID: 1, Home: 1, Start: 0, End: 2, Instances: 1}}
	var c Coalitions
	for _, bad := range []struct {
		centres []Centre
		tasks   []Task
		want    error
	}{
		{nil, nil, ErrLength},
		{good, []Task{{ID: 1, Home: 2, Start: 0, End: 1, Instances: 1}}, ErrRange},
		{good, append(slices.Clone(tasks), tasks...), ErrDuplicate},
		{make([]Centre, 65), nil, ErrRange},
	} {
		if err := c.Reset(bad.centres, bad.tasks); !errors.Is(err, bad.want) {
			t.Errorf("%v, want %v", err, bad.want)
		}
	}
	many := make([]Centre, 17)
	for i := range many {
		many[i] = good[0]
	}
	if err := c.Reset(many, nil); err != nil {
		t.Fatal(err)
	}
	if costs, bounds, err := c.AppendCosts(coalition.Costs{9}, nil); !errors.Is(err, ErrRange) || len(costs) != 1 || bounds != nil {
		t.Error(costs, bounds, err)
	}
	var s coalition.Sampler
	shares, err := s.Shapley(nil, 17, func(s coalition.Set) (pricing.Money, error) {
		o, err := c.Cost(s)
		return o.Cost, err
	}, coalition.SampleOptions{Pairs: 2, Rand: rand.New(rand.NewPCG(1, 1))})
	if err != nil || len(shares) != 17 {
		t.Error(shares, err)
	}
	if err := c.Reset(good, tasks); err != nil {
		t.Fatal(err)
	}
	if o, err := c.Cost(coalition.Of(0, 1)); err != nil || o.Cost != 0 {
		t.Error(o, err)
	}
	if o, err := c.Cost(coalition.Of(1)); err != nil || o.Cost != 10 {
		t.Error(o, err)
	}
	for _, bad := range []coalition.Set{0, coalition.Of(2)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for %v", bad)
				}
			}()
			c.Cost(bad)
		}()
	}
	if err := PriceSharesTo(make([]pricing.Money, 2), good, tasks, nil); !errors.Is(err, ErrLength) {
		t.Error(err)
	}
}
