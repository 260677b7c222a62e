package savings

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// mixedProblems draws problems with reservations that cost about as much as the
// savings plan, so that there is something to decide.
func mixedProblems(slots, types, peak int) *rapid.Generator[*Problem] {
	return rapid.Custom(func(t *rapid.T) *Problem {
		p := savingsProblems(slots, types, peak, true).Draw(t, "savings")
		p.Unit = max(1, p.Unit/pricing.Money(rapid.SampledFrom([]int{1, 20, 300}).Draw(t, "finer")))
		for i := range p.Types {
			if rapid.Bool().Draw(t, "cheaper?") && p.Types[i].Plan > 0 {
				p.Types[i].OnDemand = p.Types[i].Plan * pricing.Money(rapid.IntRange(11, 30).Draw(t, "ratio")) / 10
			}
		}
		for k := range rapid.IntRange(0, 2).Draw(t, "classes") {
			i := rapid.IntRange(0, len(p.Types)-1).Draw(t, "type")
			c := pricing.Class{Name: names[k], Term: p.Slot * time.Duration(rapid.IntRange(1, slots).Draw(t, "term"))}
			c.Hourly = p.Types[i].Plan * pricing.Money(rapid.IntRange(8, 18).Draw(t, "tenths")) / 10
			if rapid.Bool().Draw(t, "upfront?") {
				c.Upfront = c.Hourly * pricing.Money(c.Term/p.Slot)
				c.Hourly = 0
				c.Billed = pricing.Billing(rapid.IntRange(0, 1).Draw(t, "billed"))
			}
			p.Classes = append(p.Classes, TypeClass{Type: i, Class: c})
		}
		return p
	})
}

// mixedReserved returns the fees of reservations, in nanos, and the problem that they
// leave to a savings plan.
func mixedReserved(p *Problem, plan []pricing.Purchase) (*big.Rat, *Problem) {
	rest := copySavings(alone(p))
	fees := new(big.Rat)
	for _, r := range plan {
		c := &p.Classes[r.Class]
		term := int(c.Class.Term / p.Slot)
		fee := new(big.Rat).Mul(big.NewRat(int64(c.Class.Hourly), 1), big.NewRat(int64(c.Class.Term), int64(time.Hour)))
		fee.Add(fee, big.NewRat(int64(c.Class.Upfront), 1))
		demand := rest.Types[c.Type].Demand
		if p.Horizon == reserve.Pure {
			fee.Mul(fee, big.NewRat(int64(min(term, len(demand)-r.Slot)), int64(term)))
		}
		fees.Add(fees, fee.Mul(fee, big.NewRat(int64(r.Count), 1)))
		for t := r.Slot; t < min(len(demand), r.Slot+term); t++ {
			demand[t] = max(0, demand[t]-r.Count)
		}
	}
	return fees, rest
}

// The bound is at most, and the plan at least, the optimum by brute force over all
// reservations, with the exact savings plan for each; and certificates hold.
func TestMixedBrute(t *testing.T) {
	var used Solver
	cases, optimal, both := 0, 0, 0
	gap, worst := 0.0, 0.0 // with fine units, where amounts are more than a few nanos
	rapid.Check(t, func(t *rapid.T) {
		p := mixedProblems(4, 2, 2).Draw(t, "problem")
		old := fmt.Sprint(*p)
		plan := solved(t, &used, p)
		if fmt.Sprint(*p) != old {
			t.Fatal("the problem has changed")
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
		var fresh Solver
		if again, err := fresh.Solve(p); err != nil || fmt.Sprint(again) != fmt.Sprint(plan) {
			t.Fatalf("a fresh workspace gives %v, %v; a used one %v", again, err, plan)
		}
		fees, rest := mixedReserved(p, plan.Reservations)
		cost := new(big.Rat).Add(fees, savingsCost(rest, plan.Commitments))
		if toNano(cost) != plan.Cost {
			t.Fatalf("the plan costs %v, by the definition %v", plan.Cost, toNano(cost))
		}
		optimum := leastMixed(t, p)
		if plan.Bound > optimum || plan.Cost < optimum {
			t.Fatalf("bound %v, optimum %v, plan %v", plan.Bound, optimum, plan.Cost)
		}
		cases++
		if plan.Cost == optimum {
			optimal++
		} else {
			t.Errorf("the plan costs %v, searched %v, bound %v, optimum %v", plan.Cost, plan.Searched, plan.Bound, optimum)
		}
		if !plan.Optimal() && plan.Cost > plan.Bound+1 {
			t.Errorf("not proved: %v", plan)
		}
		if len(plan.Reservations) > 0 && len(plan.Commitments) > 0 {
			both++
		}
		if optimum > 0 && p.Unit < 1009 && optimum > 1000 {
			gap = max(gap, plan.Gap())
			worst = max(worst, plan.Cost.Float64()/optimum.Float64()-1)
		}
	})
	t.Logf("%d of %d plans optimal, %d with both kinds; the worst %.4f above the optimum, the largest gap %.4f", optimal, cases, both, worst, gap)
	if both < 5 {
		seeded.TooFew(t, "%d plans with both kinds: too few to test anything", both)
	}
}

// randomMixed has n slots, k types with a class or two each, and prices at which much is worth
// buying.
func randomMixed(r *rand.Rand, n, k, classes, peak int, unit pricing.Money) *Problem {
	p := &Problem{Slot: time.Hour, Unit: unit, Term: time.Duration(1+r.IntN(n)) * time.Hour}
	for i := range k {
		y := Type{Name: names[i]}
		for range n {
			y.Demand = append(y.Demand, r.IntN(peak+1))
		}
		y.OnDemand = pricing.Money(100+r.IntN(900)) * pricing.Milli
		y.Plan = y.OnDemand * pricing.Money(45+r.IntN(40)) / 100
		p.Types = append(p.Types, y)
		for range classes {
			p.Classes = append(p.Classes, TypeClass{Type: i, Class: pricing.Class{Name: y.Name, Term: time.Duration(1+r.IntN(n)) * time.Hour, Hourly: y.OnDemand * pricing.Money(40+r.IntN(45)) / 100}})
		}
	}
	return p
}

// leastMixed returns the least cost by trying all reservations, none larger than the peak,
// with the exact savings plan beside each. Reservations whose fees alone cost as much as the
// best plan so far are not tried.
func leastMixed(t interface{ Fatal(...any) }, p *Problem) pricing.Money {
	var exact Solver
	var best *big.Rat
	var list []pricing.Purchase
	var rec func(at int)
	rec = func(at int) { // at: slot and class
		n := len(p.Types[0].Demand)
		if at == n*len(p.Classes) {
			fees, rest := mixedReserved(p, list)
			s, err := exact.Solve(rest)
			if err != nil {
				t.Fatal(err)
			}
			if c := fees.Add(fees, savingsCost(rest, s.Commitments)); best == nil || c.Cmp(best) < 0 {
				best = new(big.Rat).Set(c)
			}
			return
		}
		rec(at + 1)
		if slot := at % n; slot%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[slot]) {
			for count := 1; count <= slices.Max(p.Types[p.Classes[at/n].Type].Demand); count++ {
				list = append(list, pricing.Purchase{Slot: slot, Class: at / n, Count: count})
				fees, _ := mixedReserved(p, list)
				dear := fees.Cmp(best) >= 0 // the first plan, without reservations, is known
				if !dear {
					rec(at + 1)
				}
				list = list[:len(list)-1]
				if dear {
					break // more of the same cost more
				}
			}
		}
	}
	rec(0)
	return toNano(best)
}

// Three types: the search finds and proves the optimum, where the rounds alone miss it.
func TestMixedThreeTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 3)) // seed 22, 3
	missed, work := 0, int64(0)
	for i := range 30 {
		p := randomMixed(r, 2, 3, 1, 2, []pricing.Money{1, 40, 150}[i%3]*pricing.Milli)
		want := leastMixed(t, p)
		var m Solver
		plan := solved(t, &m, p)
		if plan.Cost != want || !plan.Optimal() {
			t.Errorf("problem %d: cost %v, searched %v, bound %v, want %v", i, plan.Cost, plan.Searched, plan.Bound, want)
		}
		work += m.branch.work
		bare := Solver{Work: -1}
		if plan = solved(t, &bare, p); plan.Searched {
			t.Errorf("problem %d is said to be searched", i)
		}
		if plan.Cost > want {
			missed++
		}
	}
	t.Logf("the rounds alone miss %d of 30", missed)
	if missed == 0 {
		t.Error("the rounds alone find all: too easy")
	}
	// Six slots, five purchases a slot: too many for trying all.
	optimal := 0
	var used Solver
	for i := range 20 {
		p := randomMixed(r, 6, 3, 1+i%2, 3, []pricing.Money{1, 100}[i%2]*pricing.Milli)
		var m Solver
		plan := solved(t, &m, p)
		if plan.Optimal() {
			optimal++
		}
		work += m.branch.work
		if i%4 != 0 {
			continue
		}
		if again, err := used.Solve(p); err != nil || fmt.Sprint(again) != fmt.Sprint(plan) || used.branch.work != m.branch.work {
			t.Fatalf("a used workspace takes work %d for %v, %v; a fresh one %d for %v", used.branch.work, again, err, m.branch.work, plan)
		}
	}
	// The order in which the search branches is there for speed: 46.0 million with it.
	t.Logf("%d of 20 are proved optimal, work %d", optimal, work)
	if optimal < 20 || work > 47_000_000 || work < 45_000_000 {
		t.Errorf("%d of 20 are proved optimal, work %d", optimal, work)
	}
}

// On larger problems certificates hold, and the plan is no worse than either kind
// alone.
func TestMixedLarger(t *testing.T) {
	m, once := Solver{Work: 3e6}, Solver{Work: -1}
	var s Solver
	var e reserve.Exact
	rapid.Check(t, func(t *rapid.T) {
		p := mixedProblems(20, 3, 9).Draw(t, "problem")
		plan := solved(t, &m, p)
		single := solved(t, &s, alone(p))
		if plan.Cost > single.Cost || plan.Bound > plan.Cost {
			t.Fatalf("cost %v, bound %v, a savings plan alone %v", plan.Cost, plan.Bound, single.Cost)
		}
		if len(p.Held) > 0 {
			return
		}
		if len(p.Classes) == 0 && plan.Cost != single.Cost {
			t.Fatalf("without classes the cost is %v, want %v", plan.Cost, single.Cost)
		}
		sum := pricing.Money(0) // reservations alone
		var best []pricing.Purchase
		for i, y := range p.Types {
			q := &reserve.Problem{Demand: y.Demand, Slot: p.Slot, Prices: pricing.List{OnDemand: y.OnDemand}, Every: p.Every, Closed: p.Closed, Horizon: p.Horizon}
			var index []int
			for k, c := range p.Classes {
				if c.Type == i {
					q.Prices.Classes = append(q.Prices.Classes, c.Class)
					index = append(index, k)
				}
			}
			r, err := e.Solve(q)
			if err != nil {
				t.Fatal(err)
			}
			sum += r.Cost
			for _, b := range r.Purchases {
				best = append(best, pricing.Purchase{Slot: b.Slot, Class: index[b.Class], Count: b.Count})
			}
		}
		if plan.Cost > sum+pricing.Money(len(p.Types)) { // each rounded
			t.Fatalf("cost %v, reservations alone %v", plan.Cost, sum)
		}
		// One round is enough for what Solve promises.
		plan = solved(t, &once, p)
		fees, rest := mixedReserved(p, best)
		beside := solved(t, &s, rest)
		if after := toNano(fees) + beside.Cost; plan.Cost > single.Cost || plan.Cost > sum+pricing.Money(len(p.Types)) || plan.Cost > after+2 {
			t.Fatalf("after one round cost %v; a savings plan alone %v, reservations alone %v, a savings plan beside them %v", plan.Cost, single.Cost, sum, after)
		}
	})
}

// The gap of plans for three types and 450 hours, and for 3,600 hours, which take half a minute, if
// PLIMSOLL_PEERS is set. The rounds alone leave 2·10⁻⁴ to 3·10⁻³ of 3,600 hours.
func TestMixedGap(t *testing.T) {
	slots, most := 450, 1.5e-4
	if os.Getenv("PLIMSOLL_PEERS") != "" {
		slots, most = 3600, 1e-4
	}
	for _, c := range []struct{ term, every int }{{168, 168}, {720, 168}, {2160, 168}, {168, 0}, {720, 0}, {2160, 0}} {
		p := userMixed(slots, 3, 600, c.term*slots/3600)
		p.Every = c.every * slots / 3600
		var m Solver
		plan := solved(t, &m, p)
		t.Logf("%d slots, term %v, every %d: cost %v, gap %.1e, %d nodes", slots, p.Term, p.Every, plan.Cost, plan.Gap(), m.branch.nodes)
		if plan.Gap() > most {
			t.Errorf("term %v, every %d: gap %.1e, want %.1e", p.Term, p.Every, plan.Gap(), most)
		}
	}
}

// userMixed is userSavings with reservations of every second type: for the plan's
// term at 4% below the plan's rate, and for a third of it at 20% above.
func userMixed(slots, types, peak, term int) *Problem {
	p := userSavings(slots, types, peak, term)
	for i := 0; i < types; i += 2 {
		y := &p.Types[i]
		p.Classes = append(p.Classes,
			TypeClass{Type: i, Class: pricing.Class{Name: y.Name + ", long", Term: p.Term, Hourly: y.Plan * 96 / 100}},
			TypeClass{Type: i, Class: pricing.Class{Name: y.Name + ", short", Term: p.Term / 3, Hourly: y.Plan * 120 / 100}})
	}
	return p
}

// Nothing is allocated once the largest problem has been seen.
func TestMixedAllocs(t *testing.T) {
	m := Solver{}
	problems := []*Problem{userMixed(90, 5, 300, 42), userMixed(3, 1, 300, 3), userMixed(80, 4, 500, 48), userMixed(70, 2, 30, 24)}
	problems[2].Horizon = reserve.Pure
	small := randomMixed(rand.New(rand.NewPCG(22, 8)), 6, 3, 1, 3, pricing.Unit/10)
	problems = append(problems, small)
	for _, p := range problems {
		p.Held = []pricing.Holding{{Count: 100, Until: 10}}
		if _, err := m.Solve(p); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range problems {
		if n := allocs.Once(func() {
			if _, err := m.Solve(p); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations for problem %d, want 0", n, i)
		}
	}
}

// BenchmarkMixed has three years of hours.
func BenchmarkMixed(b *testing.B) {
	for _, types := range []int{2, 5} {
		for _, term := range []int{720, 8760, 26_280} {
			p := userMixed(26_280, types, 600, term)
			p.Every = 168
			b.Run(fmt.Sprintf("alg=mixed/slots=26280/types=%d/term=%dh/every=168", types, term), func(b *testing.B) {
				var m Solver
				plan, err := m.Solve(p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if plan, err = m.Solve(p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(plan.Gap(), "gap-ratio")
			})
		}
	}
}

// BenchmarkLogs plans for the demand of three logs of the shared folder, each a type, with weekly
// purchases or at any hour: with what improves the plan of the rounds, and by the rounds alone.
func BenchmarkLogs(b *testing.B) {
	if os.Getenv(shared.Env) == "" {
		b.Skip(shared.Env, " is not set")
	}
	p := userMixed(0, 3, 1, 2160)
	for i, log := range []string{"sdsc-ds", "sdsc-blue", "hpc2n"} {
		data, err := os.ReadFile(shared.File(b, "demand/"+log+".csv"))
		if err != nil {
			b.Fatal(err)
		}
		for _, word := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(word); err == nil && len(p.Types[i].Demand) < 3600 { // not the title
				p.Types[i].Demand = append(p.Types[i].Demand, n)
			}
		}
	}
	for _, term := range []int{168, 720, 2160} {
		for _, every := range []int{168, 1} {
			for _, work := range []int64{0, -1} {
				b.Run(fmt.Sprintf("term=%dh/every=%d/work=%d", term, every, work), func(b *testing.B) {
					p.Every, p.Term = every, time.Duration(term)*time.Hour
					for k := range p.Classes {
						p.Classes[k].Class.Term = p.Term / time.Duration(1+2*(k%2))
					}
					m, plan := Solver{Work: work}, Plan{}
					for b.Loop() {
						plan = solved(b, &m, p)
					}
					b.ReportMetric(plan.Gap(), "gap-ratio")
					b.ReportMetric(plan.Cost.Float64(), "cost")
				})
			}
		}
	}
}

// Held reservations serve first and their fees do not count; a withdrawn class is held
// and not bought. By hand: three of them are held for the first two of four slots.
func TestMixedHeld(t *testing.T) {
	p := &Problem{
		Slot: time.Hour, Term: 4 * time.Hour, Unit: pricing.Milli,
		Types: []Type{{Name: "a", Demand: []int{5, 5, 5, 5}, OnDemand: 100 * pricing.Milli, Plan: 80 * pricing.Milli}},
		Classes: []TypeClass{
			{Class: pricing.Class{Name: "old", Term: 4 * time.Hour, Upfront: 40 * pricing.Milli}, Withdrawn: true},
			{Class: pricing.Class{Name: "new", Term: 2 * time.Hour, Upfront: 130 * pricing.Milli}},
		},
		HeldReservations: []pricing.Holding{{Class: 0, Count: 3, Until: 2}},
	}
	var m Solver
	plan := solved(t, &m, p)
	// 65 a slot reserved: two throughout, three more from slot 2 on. A commitment costs 80.
	if plan.Cost != (2*2+3)*130*pricing.Milli || plan.Gap() > .01 || len(plan.Commitments) != 0 || plan.Unit != pricing.Milli {
		t.Errorf("%+v", plan)
	}
	for _, r := range plan.Reservations {
		if r.Class != 1 {
			t.Errorf("a withdrawn class is bought: %+v", r)
		}
	}
}

// What held reservations take off the demand can be taken off by hand.
func TestMixedHeldIsLessDemand(t *testing.T) {
	var m Solver
	rapid.Check(t, func(t *rapid.T) {
		p := mixedProblems(6, 2, 3).Draw(t, "problem")
		n := len(p.Types[0].Demand)
		q := *p
		q.Types = slices.Clone(p.Types)
		for i := range q.Types {
			q.Types[i].Demand = slices.Clone(p.Types[i].Demand)
		}
		for k := range p.Classes {
			h := pricing.Holding{Class: k, Count: rapid.IntRange(0, 2).Draw(t, "held"), Until: rapid.IntRange(0, n+1).Draw(t, "until")}
			p.HeldReservations = append(p.HeldReservations, h)
			demand := q.Types[p.Classes[k].Type].Demand
			for s := range min(n, h.Until) {
				demand[s] = max(0, demand[s]-h.Count)
			}
		}
		want := solved(t, &m, &q)
		cost, bound := want.Cost, want.Bound
		got, err := m.Solve(p)
		if err != nil || got.Cost != cost || got.Bound != bound {
			t.Fatalf("%v, %v, %v: want %v, %v", got.Cost, got.Bound, err, cost, bound)
		}
		if err := Verify(p, &got); err != nil {
			t.Fatal(err)
		}
	})
}

// What commitments save sums to what the plan saves, and a commitment is its units.
func TestUses(t *testing.T) {
	var s Solver
	some := 0
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(12, 3, 6, false).Draw(t, "problem")
		plan := solved(t, &s, p)
		bare := slices.Clone(plan.Commitments) // Hourly may be left 0
		for i := range bare {
			bare[i].Hourly = 0
		}
		uses, err := AppendUses(nil, p, &Plan{Commitments: bare})
		if err != nil || len(uses) != len(plan.Commitments) {
			t.Fatal(len(uses), err)
		}
		sum := pricing.Money(0)
		for i, u := range uses {
			if u.Commitment != plan.Commitments[i] || u.Commitment.Hourly != plan.Unit*pricing.Money(u.Commitment.Units) {
				t.Fatalf("%+v", u)
			}
			// What pays for usage, of what is committed within the demand: money at plan rates, up
			// to the usage of the slot, after what is held and what was bought before.
			paid, all := int64(0), int64(0)
			for s := u.Commitment.Slot; s < min(len(p.Types[0].Demand), u.Commitment.Slot+int(p.Term/p.Slot)); s++ {
				line, below := int64(0), int64(0)
				for _, y := range p.Types {
					if y.Plan > 0 {
						line += int64(y.Plan) * int64(y.Demand[s])
					}
				}
				for _, h := range p.Held {
					if s < h.Until {
						below += int64(h.Count)
					}
				}
				for _, c := range bare[:i] {
					if s < c.Slot+int(p.Term/p.Slot) {
						below += int64(c.Units)
					}
				}
				unit := int64(plan.Unit)
				paid += min(line, (below+int64(bare[i].Units))*unit) - min(line, below*unit)
				all += int64(bare[i].Units) * unit
			}
			if math.Abs(u.Utilisation-float64(paid)/float64(all)) > 1e-12 {
				t.Fatalf("%+v: used %d of %d", u, paid, all)
			}
			sum += u.Saved
			some++
		}
		without := toNano(savingsCost(p, nil))
		if d := without - plan.Cost - sum; d > pricing.Money(len(uses)+1) || -d > pricing.Money(len(uses)+1) {
			t.Fatalf("the commitments save %v, the plan %v", sum, without-plan.Cost)
		}
	})
	if some < 100 {
		seeded.TooFew(t, "%d commitments", some)
	}
}
