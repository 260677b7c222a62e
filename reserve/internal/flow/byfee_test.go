package flow

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/shared"
)

// single returns a problem of one class that byFee solves. One in three has instances held.
func single(r *rand.Rand, maxT, maxD int) Problem {
	for {
		p := randomProblem(r, maxT, maxD, 1, false)
		if len(p.Classes) == 0 {
			continue
		}
		if r.IntN(3) == 0 {
			p.Held = make([]int, len(p.Demand))
			for t := range p.Held {
				p.Held[t] = r.IntN(maxD + 1)
			}
		}
		if n, ok := p.phases(); ok && n > 0 {
			return p
		}
	}
}

// bySimplex is the same problem in the form that the simplex solves.
func bySimplex(p Problem) Problem {
	p.Prices = slices.Repeat([]int64{p.Price}, len(p.Demand))
	return p
}

// The two methods agree on the cost, each with its proof: on small problems, and on demand that
// changes slowly, where many plans tie.
func TestByFeeEqualsSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42)) // seed 41, 42
	var s Solver
	part, whole, beyond, all := 0, 0, 0, 0
	for i := range 3000 {
		p := single(r, 1+i%200, 1+i%40)
		if i%2 == 0 { // a walk
			for t := 1; t < len(p.Demand); t++ {
				p.Demand[t] = max(0, p.Demand[t-1]+r.IntN(3)-1)
			}
		}
		got, stats := check(t, &s, p), s.Stats
		if want := check(t, &s, bySimplex(p)); got != want {
			t.Fatalf("cost %d, the simplex's %d: %+v", got, want, p)
		}
		if n, _ := p.phases(); stats != (Stats{Phases: n}) || s.Stats.Phases != 0 || s.Stats.Sweeps == 0 {
			t.Fatalf("%+v and %+v, want %d phases and the simplex", stats, s.Stats, n)
		}
		c := p.Classes[0]
		if c.Fee%p.Price == 0 {
			whole++
		} else {
			part++
		}
		if c.Term >= len(p.Demand) {
			beyond++
		}
		if c.Fee < p.Price {
			all++
		}
	}
	if min(part, whole, beyond, all) < 100 {
		t.Errorf("%d fees within a price, %d at one, %d terms beyond the horizon, %d fees below a price", part, whole, beyond, all)
	}
}

// Of all plans of least cost, and of these of as few purchases, none has bought more before any
// slot: by enumeration.
func TestByFeeTies(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44)) // seed 43, 44
	var s Solver
	tied := 0
	for range 1500 {
		p := single(r, 6, 3)
		want := check(t, &s, p)
		got := make([]int, len(p.Demand))
		total := 0
		for _, q := range s.AppendPurchases(nil) {
			got[q.Slot] += q.Count
			total += q.Count
		}
		plan, others := make([]int, len(p.Demand)), 0
		var enumerate func(slot, left int)
		enumerate = func(slot, left int) {
			if slot < len(plan) {
				for plan[slot] = 0; plan[slot] <= left; plan[slot]++ {
					enumerate(slot+1, left-plan[slot])
				}
				plan[slot] = 0
				return
			}
			var list []Purchase
			for slot, n := range plan {
				if n > 0 {
					list = append(list, Purchase{Slot: slot, Count: n})
				}
			}
			if _, cost := Cost(p, list); int64(cost) != want {
				return
			}
			others++
			mine, theirs := 0, 0
			for slot := range plan {
				mine += got[slot]
				theirs += plan[slot]
				if theirs > mine {
					t.Fatalf("%v costs as little as %v and has bought more before slot %d: %+v", plan, got, slot+1, p)
				}
			}
			if theirs < mine {
				t.Fatalf("%v buys less than %v: %+v", plan, got, p)
			}
		}
		enumerate(0, total)
		if others == 0 {
			t.Fatal("the plan itself was not met")
		}
		if others > 1 {
			tied++
		}
	}
	if tied < 200 {
		t.Errorf("%d problems with ties", tied)
	}
}

// Phases are counted, and a problem with a rule that byFee does not know is the simplex's.
func TestPhases(t *testing.T) {
	demand := make([]int, 100)
	for name, c := range map[string]struct {
		p    Problem
		n    int
		here bool
	}{
		"within a price":   {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 155}}}, 9, true},
		"at a price":       {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 150}}}, 9, true},
		"below a price":    {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 149}}}, 10, true},
		"almost free":      {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 1}}}, 24, true},
		"free":             {Problem{Price: 10, Classes: []Class{{Term: 24}}}, 24, false},
		"saves an eighth":  {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 210}}}, 3, true},
		"saves less":       {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 220}}}, 2, false},
		"never worth it":   {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 240}}}, 0, false},
		"dearer still":     {Problem{Price: 10, Classes: []Class{{Term: 24, Fee: 900}}}, 0, false},
		"the most":         {Problem{Price: 10, Classes: []Class{{Term: 50, Fee: 180}}}, 32, true},
		"one more":         {Problem{Price: 10, Classes: []Class{{Term: 50, Fee: 179}}}, 33, false},
		"horizon":          {Problem{Price: 10, Classes: []Class{{Term: 500, Fee: 860}}}, 14, true},
		"no class":         {Problem{Price: 10}, 0, false},
		"two classes":      {Problem{Price: 10, Classes: []Class{{Term: 4, Fee: 9}, {Term: 4, Fee: 8}}}, 0, false},
		"fees by slot":     {Problem{Price: 10, Classes: []Class{{Term: 24, Fees: make([]int64, 100)}}}, 0, false},
		"at most":          {Problem{Price: 10, Classes: []Class{{Term: 24, Max: 3}}}, 0, false},
		"prices by slot":   {Problem{Price: 10, Prices: make([]int64, 100), Classes: []Class{{Term: 24}}}, 0, false},
		"a cap":            {Problem{Price: 10, MaxActive: make([]int, 100), Classes: []Class{{Term: 24}}}, 0, false},
		"costs with steps": {Problem{First: make([]int32, 101), Classes: []Class{{Term: 24}}}, 0, false},
	} {
		c.p.Demand = demand
		if n, here := c.p.phases(); n != c.n || here != c.here {
			t.Errorf("%s: %d phases, %v, want %d, %v", name, n, here, c.n, c.here)
		}
	}
}

// After a problem of the most slots, whatever the term, demand and fee.
func TestByFeeAllocs(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46)) // seed 45, 46
	var s Solver
	if err := s.Solve(Problem{Demand: make([]int, 500), Price: 2, Classes: []Class{{Term: 1, Fee: 1}}}); err != nil {
		t.Fatal(err)
	}
	if cap(s.fees.path) < 500 { // which these problems may not fill
		t.Errorf("room for a path of %d slots", cap(s.fees.path))
	}
	plan := make([]Purchase, 0, 500)
	for i := range 30 {
		p := single(r, 500, 300)
		if n := allocs.Once(func() {
			s.Solve(p)
			plan = s.AppendPurchases(plan[:0])
		}); n != 0 {
			t.Errorf("problem %d: %v allocations", i, n)
		}
	}
}

// BenchmarkDay solves the logs of the shared folder for a class of a day, by both methods.
func BenchmarkDay(b *testing.B) {
	if os.Getenv(shared.Env) == "" {
		b.Skip(shared.Env, " is not set")
	}
	for _, log := range []string{"sdsc-ds", "sdsc-blue", "lanl-cm5", "unilu-gaia", "hpc2n"} {
		data, err := os.ReadFile(shared.File(b, "demand/"+log+".csv"))
		if err != nil {
			b.Fatal(err)
		}
		p := Problem{Price: 60, Classes: []Class{{Term: 24, Fee: 750}}}
		for _, word := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(word); err == nil { // not the title
				p.Demand = append(p.Demand, n)
			}
		}
		for _, method := range []string{"fees", "simplex"} {
			b.Run("log="+log+"/method="+method, func(b *testing.B) {
				var s Solver
				b.ReportAllocs()
				for b.Loop() {
					if method == "fees" {
						if err := s.Solve(p); err != nil || !s.falling {
							b.Fatal(err)
						}
						continue
					}
					total, err := s.load(p)
					if err != nil {
						b.Fatal(err)
					}
					if err := s.simplex(total); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
