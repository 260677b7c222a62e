package main

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// expectAll makes the centres expect what comes.
func expectAll(t *testing.T, centres []federation.Centre, tasks []federation.Task) {
	t.Helper()
	for i := range centres {
		centres[i].Demand = make([]int, len(centres[i].Reserved))
		if err := federation.AddDemand(centres[i].Demand, tasks, i); err != nil {
			t.Fatal(err)
		}
	}
}

// lendAt is the price of a factor times F/τ, whatever is idle.
func lendAt(factor float64) []federation.PricePoint { return []federation.PricePoint{{Factor: factor}} }

// The counterexample of federation's TestOverReserving is found at F/τ, and a price of 0 tempts
// nobody; a reservation that pays off alone is none.
func TestTempt(t *testing.T) {
	centres := []federation.Centre{
		{Reserved: make([]int, 9), OnDemand: 10, Fee: 30, Term: 3, Traffic: 1},
		{Reserved: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, OnDemand: 10, Fee: 9, Term: 3, Traffic: 1000},
	}
	tasks := []federation.Task{{ID: 9, Home: 0, Start: 1, End: 8, Instances: 1, Disk: 40e9}}
	for k, s := range [][2]int{{0, 1}, {3, 6}, {8, 9}} {
		tasks = append(tasks, federation.Task{ID: k, Home: 1, Start: s[0], End: s[1], Instances: 1})
	}
	expectAll(t, centres, tasks)
	// A term from slot 3 makes the stretch whole and sells 7 slots at 3. A term from 2 or
	// 4 leaves one slot on demand, 6·3 + 10 + 40 < 70, and sells 6.
	bridges := []temptation{{1, 3, 12}, {1, 2, 9}, {1, 4, 9}}
	const all = 1000
	for name, c := range map[string]struct {
		o     federation.Options
		limit int
		want  []temptation
	}{
		"F/τ":           {federation.Options{}, all, bridges},
		"F/τ by points": {federation.Options{Lending: lendAt(1)}, all, bridges},
		"unpaid":        {federation.Options{Price: federation.Unpaid}, all, nil},
		"nothing":       {federation.Options{Lending: lendAt(0)}, all, nil},
		// Scarce instances at twice F/τ: the stretch costs 4·6 + 3·6 + 40 > 70.
		"twice": {federation.Options{Lending: lendAt(2)}, all, nil},
		// Every second trial: slot 3 of centre 1 is trial 12, slots 2 and 4 are 11 and 13.
		"half of the trials": {federation.Options{}, 9, bridges[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tempt(centres, tasks, c.o, c.limit)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v, %v, want %v", got, err, c.want)
			}
		})
	}
	if got, err := tempt(centres[:1], tasks, federation.Options{}, all); got != nil || !errors.Is(err, federation.ErrRange) {
		t.Errorf("a task of no centre: %v, %v", got, err)
	}
	dear := slices.Clone(centres)
	dear[0].Fee = math.MaxInt64 / 8
	if got, err := tempt(dear, nil, federation.Options{Lending: lendAt(4)}, all); got != nil || !errors.Is(err, federation.ErrOverflow) {
		t.Errorf("a price that does not fit: %v, %v", got, err)
	}
}

// costs returns what each centre pays, without fees.
func costs(t *testing.T, centres []federation.Centre, tasks []federation.Task, o federation.Options) []pricing.Money {
	t.Helper()
	bookings, err := federation.Share(nil, centres, tasks, o)
	if err != nil {
		t.Fatal(err)
	}
	var l federation.Ledger
	l.Reset(len(centres))
	if err := l.Post(bookings...); err != nil {
		t.Fatal(err)
	}
	all := make([]pricing.Money, len(centres))
	for i := range all {
		all[i] = l.Statement(i).Cost()
	}
	return all
}

// A reservation is a temptation if and only if the centre pays less with it, fee and all, and
// would not alone. Seed 20130605.
func TestTemptIsAllThatTempts(t *testing.T) {
	r := rand.New(rand.NewPCG(20130605, 0))
	found := 0
	for range 1500 {
		slots := 1 + r.IntN(8)
		centres := make([]federation.Centre, 1+r.IntN(4))
		for i := range centres {
			term := 1 + r.IntN(4)
			centres[i] = federation.Centre{
				Reserved: make([]int, slots), Term: term, OnDemand: pricing.Money(r.IntN(6)),
				Fee: pricing.Money(r.IntN(17) * term), Traffic: pricing.Money(r.IntN(4)),
			}
			for s := range slots {
				centres[i].Reserved[s] = r.IntN(5)
			}
		}
		var tasks []federation.Task
		for start := range slots {
			for range r.IntN(3) {
				tasks = append(tasks, federation.Task{
					ID: len(tasks), Home: r.IntN(len(centres)), Start: start, End: start + 1 + r.IntN(slots-start),
					Instances: 1 + r.IntN(5), Disk: int64(r.IntN(5)) * 5e8,
				})
			}
		}
		expectAll(t, centres, tasks)
		o := federation.Options{Price: federation.SharePrice(r.IntN(4)), Excess: federation.Excess(r.IntN(3))}
		if r.IntN(4) == 0 {
			o.Lending = lendAt(float64(r.IntN(9)) / 2)
		}
		got, err := tempt(centres, tasks, o, len(centres)*slots)
		if err != nil {
			t.Fatal(err)
		}
		alone := o
		alone.Order = federation.Alone
		var want []temptation
		for i, c := range centres {
			for start := range slots {
				more := slices.Clone(centres)
				more[i].Reserved = slices.Clone(c.Reserved)
				for s := start; s < min(start+c.Term, slots); s++ {
					more[i].Reserved[s]++
				}
				gain := func(o federation.Options) pricing.Money {
					return costs(t, centres, tasks, o)[i] - costs(t, more, tasks, o)[i] - c.Fee
				}
				if g := gain(o); g > 0 && gain(alone) <= 0 {
					want = append(want, temptation{i, start, g})
				}
			}
		}
		slices.SortStableFunc(want, func(a, b temptation) int { return int(b.gain - a.gain) })
		if !slices.Equal(got, want) {
			t.Fatalf("%+v: %v, want %v", o, got, want)
		}
		found += len(got)
	}
	if found < 20 {
		t.Errorf("%d temptations", found)
	}
}
