package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// From the first plan of start, the simplex comes to a plan that its potentials prove. So the first plan was a basis: of
// all kinds of demand, also of those for which the simplex would begin with all on demand.
func TestStart(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62)) // seed 61, 62
	var s Solver
	bought, held, beyond := 0, 0, 0
	for i := range 3000 {
		p := randomProblem(r, 1+i%300, 1+i%40, 6, false)
		if i%2 == 0 {
			slices.Sort(p.Demand)
		}
		if i%3 == 0 {
			p.Held = make([]int, len(p.Demand))
			for t := range p.Held {
				p.Held[t] = r.IntN(p.Demand[t] + 3)
			}
			held++
		}
		if err := s.init(p); err != nil {
			t.Fatal(err)
		}
		if s.falling || len(p.Demand) == 0 || len(p.Classes) == 0 {
			continue
		}
		if !s.rising() {
			s.start()
		}
		active := make([]int64, len(p.Demand)+1) // its changes, n-fold
		for l := range s.seg {
			if g := &s.seg[l]; s.w0[l>>6]>>(l&63)&1 != 0 && g.pnode >= 0 {
				bought++
				if g.flow <= 0 {
					t.Fatalf("slot %d buys %d: %+v", g.exit, g.flow, p)
				}
				if int(g.exit)+p.Classes[g.kind>>1].Term > len(p.Demand) {
					beyond++
				}
				active[g.exit] += g.flow
				active[g.pnode] -= g.flow
			}
		}
		sum := int64(0)
		for u := range p.Demand {
			sum += active[u]
			if want := int64(p.net(u))*s.n + s.sign*int64(u+1) - sum; s.x[u] != want {
				t.Fatalf("x of slot %d is %d, want %d: %+v", u, s.x[u], want, p)
			}
		}
		s.solve()
		if err := Verify(p, s.AppendPurchases(nil), s.Potentials()); err != nil {
			t.Fatalf("%v: %+v", err, p)
		}
	}
	if bought < 15_000 || held < 900 || beyond < 3000 {
		t.Errorf("%d purchases, %d problems with instances held, %d purchases beyond the end", bought, held, beyond)
	}
}

// The first plan buys what is cheapest for as long as demand stays: three slots of two instances are worth a
// purchase of 25 for three slots, not one of 40 for six. The third instance stays for one slot, and is on demand.
func TestStartBuysForTheRun(t *testing.T) {
	var s Solver
	p := Problem{
		Demand:  []int{2, 3, 2, 0, 0, 1, 1, 1, 1, 1, 1, 0},
		Price:   10,
		Classes: []Class{{Term: 6, Fee: 40}, {Term: 3, Fee: 25}, {Term: 1, Fee: 10}},
	}
	if err := s.init(p); err != nil {
		t.Fatal(err)
	}
	s.start()
	var got []Purchase
	for l := range s.seg {
		if s.w0[l>>6]>>(l&63)&1 != 0 {
			if q := s.bought(&s.seg[l]); q.Count > 0 {
				got = append(got, q)
			}
		}
	}
	if want := []Purchase{{Slot: 0, Class: 1, Count: 2}, {Slot: 5, Class: 0, Count: 1}}; !slices.Equal(got, want) {
		t.Errorf("bought %v, want %v", got, want)
	}
}

// TestRising is the rule by which the simplex begins with the first plan.
func TestRising(t *testing.T) {
	const T = 1000
	// stairs rises at each tenth slot and falls to 0 at each slot that is a multiple of period.
	stairs := func(period int) []int {
		d := make([]int, T)
		for t := range d {
			d[t] = t % period / 10
		}
		return d
	}
	times := func(n int) []int { // rises n times, then falls to 0
		d := make([]int, T)
		for t := range 900 {
			d[t] = min(n, t/10)
		}
		return d
	}
	long := func(term int) []Class { // ten classes
		return append(slices.Repeat([]Class{{Term: 5, Fee: 30}}, leastClasses-1), Class{Term: term, Fee: 100})
	}
	for name, c := range map[string]struct {
		p    Problem
		want bool
	}{
		"one fall, and no term above 200 slots":    {Problem{Demand: stairs(500), Price: 10, Classes: long(200)}, true},
		"a slot longer":                            {Problem{Demand: stairs(500), Price: 10, Classes: long(201)}, false},
		"three falls, a sixth of the slots":        {Problem{Demand: stairs(250), Price: 10, Classes: long(166)}, true},
		"three falls, a little longer":             {Problem{Demand: stairs(250), Price: 10, Classes: long(167)}, false},
		"terms beyond the end, without a fall":     {Problem{Demand: stairs(T), Price: 10, Classes: long(1 << 30)}, true},
		"eight rises and a fall":                   {Problem{Demand: times(8), Price: 10, Classes: long(100)}, true},
		"seven rises and a fall":                   {Problem{Demand: times(7), Price: 10, Classes: long(100)}, false},
		"a level":                                  {Problem{Demand: slices.Repeat([]int{7}, T), Price: 10, Classes: long(9)}, false},
		"what is held counts":                      {Problem{Demand: stairs(T), Held: stairs(T), Price: 10, Classes: long(9)}, false},
		"no classes":                               {Problem{Demand: stairs(T), Price: 10}, false},
		"nine classes":                             {Problem{Demand: stairs(T), Price: 10, Classes: long(9)[1:]}, false},
		"fees by slot":                             {Problem{Demand: stairs(T), Price: 10, Classes: append(long(9), Class{Term: 9, Fees: make([]int64, T)})}, false},
		"at most three":                            {Problem{Demand: stairs(T), Price: 10, Classes: append(long(9), Class{Term: 9, Fee: 50, Max: 3})}, false},
		"prices by slot":                           {Problem{Demand: stairs(T), Prices: slices.Repeat([]int64{10}, T), Classes: long(9)}, false},
		"a cap on what is active at the same time": {Problem{Demand: stairs(T), Price: 10, MaxActive: slices.Repeat([]int{1000}, T), Classes: long(9)}, false},
	} {
		var s Solver
		if err := s.init(c.p); err != nil {
			t.Fatal(name, err)
		}
		if got := s.rising(); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// Where demand grows and falls to nothing at the end of each sixty days, as shops' stock and phases of tests do, the simplex has
// few steps left to take: 11,200 from all on demand.
func TestRisingTakesFewSteps(t *testing.T) {
	p := Problem{Demand: make([]int, 8760), Price: 600}
	for t := range p.Demand {
		p.Demand[t] = t / 24 % 60 * 10
	}
	for term := 2; term <= 31; term++ {
		p.Classes = append(p.Classes, Class{Term: term, Fee: int64(12 * term * (51 - term))})
	}
	var s Solver
	check(t, &s, p)
	if s.Stats.Pivots > 2000 {
		t.Errorf("%d steps, want at most 2000", s.Stats.Pivots)
	}
}
