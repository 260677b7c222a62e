package savings

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// More cases than the usual 100, unless -rapid.checks asks for others.
func init() {
	if err := flag.Set("rapid.checks", "400"); err != nil {
		panic(err)
	}
}

// What a savings plan costs, by its definition, and its optimum by trying
// everything. Nothing here uses the code under test. Amounts are exact, in nanos.

// savingsSlot returns what slot t costs on demand with so many units: the types in
// the order of their saving, one hour's money running out.
func savingsSlot(p *Problem, demand func(i int) int, units int) *big.Rat {
	unit := p.Unit
	if unit == 0 {
		unit = pricing.Milli
	}
	left := new(big.Rat).SetInt64(int64(units) * int64(unit))
	ratio := func(i int) *big.Rat { return big.NewRat(int64(p.Types[i].OnDemand), max(1, int64(p.Types[i].Plan))) }
	order := make([]int, len(p.Types))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return ratio(j).Cmp(ratio(i)) })
	cost := new(big.Rat)
	for _, i := range order {
		y := &p.Types[i]
		hours := new(big.Rat).SetInt64(int64(demand(i)))
		if y.Plan > 0 {
			paid := new(big.Rat).Quo(left, big.NewRat(int64(y.Plan), 1)) // instance-hours
			if paid.Cmp(hours) > 0 {
				paid = hours
			}
			left = new(big.Rat).Sub(left, new(big.Rat).Mul(paid, big.NewRat(int64(y.Plan), 1)))
			hours = new(big.Rat).Sub(hours, paid)
		}
		cost.Add(cost, hours.Mul(hours, big.NewRat(int64(y.OnDemand), 1)))
	}
	return cost
}

// savingsFee returns what a unit costs that is bought at slot t, in nanos an hour.
func savingsFee(p *Problem, t int) *big.Rat {
	unit, slots := p.Unit, int(p.Term/p.Slot)
	if unit == 0 {
		unit = pricing.Milli
	}
	if p.Horizon == reserve.Pure {
		slots = min(slots, len(p.Types[0].Demand)-t)
	}
	return new(big.Rat).Mul(big.NewRat(int64(unit), 1), big.NewRat(int64(slots), 1))
}

// savingsCost returns the cost of commitments, in nanos.
func savingsCost(p *Problem, plan []Commitment) *big.Rat {
	sum := new(big.Rat)
	for t := range p.Types[0].Demand {
		active := 0
		for _, h := range p.Held {
			if t < h.Until {
				active += h.Count
			}
		}
		for _, c := range plan {
			if c.Slot <= t && t < c.Slot+int(p.Term/p.Slot) {
				active += c.Units
			}
		}
		sum.Add(sum, savingsSlot(p, func(i int) int { return p.Types[i].Demand[t] }, active))
	}
	for _, c := range plan {
		sum.Add(sum, new(big.Rat).Mul(savingsFee(p, c.Slot), big.NewRat(int64(c.Units), 1)))
	}
	return sum.Mul(sum, big.NewRat(int64(p.Slot), int64(time.Hour)))
}

// eachSavings calls f with all commitments of up to most units a slot.
func eachSavings(p *Problem, most int, f func([]Commitment)) {
	var plan []Commitment
	var rec func(t int)
	rec = func(t int) {
		if t == len(p.Types[0].Demand) {
			f(plan)
			return
		}
		rec(t + 1)
		if t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t]) {
			for units := 1; units <= most; units++ {
				plan = append(plan, Commitment{Slot: t, Units: units})
				rec(t + 1)
				plan = plan[:len(plan)-1]
			}
		}
	}
	rec(0)
}

// toNano rounds half to even.
func toNano(x *big.Rat) pricing.Money {
	q, r := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if c := r.Lsh(r, 1).Cmp(x.Denom()); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return pricing.Money(q.Int64())
}

// savingsProblems draws problems with up to so many slots and types. Rates are a
// few nanos, or odd amounts of about as much, which straddle units.
func savingsProblems(slots, types, peak int, odd bool) *rapid.Generator[*Problem] {
	return rapid.Custom(func(t *rapid.T) *Problem {
		p := &Problem{Slot: time.Hour * time.Duration(rapid.IntRange(1, 3).Draw(t, "slot")) / 2}
		n := rapid.IntRange(1, slots).Draw(t, "slots")
		p.Term = p.Slot * time.Duration(rapid.IntRange(1, slots).Draw(t, "term"))
		scale := pricing.Money(1)
		if odd {
			scale = 1009
		}
		for i := range rapid.IntRange(1, types).Draw(t, "types") {
			y := Type{Name: names[i]}
			y.Demand = rapid.SliceOfN(rapid.IntRange(0, peak), n, n).Draw(t, "demand")
			y.Plan = pricing.Money(rapid.IntRange(1, 5).Draw(t, "plan"))*scale + pricing.Money(rapid.IntRange(0, int(scale)-1).Draw(t, "odd"))
			if rapid.IntRange(0, 9).Draw(t, "not paid") == 0 {
				y.Plan = 0
			}
			y.OnDemand = pricing.Money(rapid.IntRange(1, 12*int(scale)).Draw(t, "on demand"))
			p.Types = append(p.Types, y)
		}
		p.Unit = pricing.Money(rapid.IntRange(2, 7).Draw(t, "unit")) * scale
		p.Every = rapid.IntRange(0, 3).Draw(t, "every")
		if rapid.Bool().Draw(t, "closed?") {
			p.Closed = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "closed")
		}
		if rapid.Bool().Draw(t, "held?") {
			p.Held = append(p.Held, pricing.Holding{Count: rapid.IntRange(0, 3).Draw(t, "units"), Until: rapid.IntRange(0, n+1).Draw(t, "until")})
		}
		p.Horizon = reserve.Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))
		return p
	})
}

// mostUnits returns a number of units that no slot needs more of.
func mostUnits(p *Problem) int {
	most := 0
	for t := range p.Types[0].Demand {
		sum := 0
		for i := range p.Types {
			if p.Types[i].Plan > 0 {
				sum += int(p.Types[i].Plan) * p.Types[i].Demand[t]
			}
		}
		most = max(most, (sum+int(p.Unit)-1)/int(p.Unit))
	}
	return most
}

// solved returns the plan of s for p, which Verify accepts.
func solved(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, s *Solver, p *Problem) Plan {
	t.Helper()
	plan, err := s.Solve(p)
	if err == nil {
		err = Verify(p, &plan)
	}
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	return plan
}

func copySavings(p *Problem) *Problem {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	q := new(Problem)
	if err := json.Unmarshal(text, q); err != nil {
		panic(err)
	}
	return q
}

// The optimum equals brute force, its certificate holds, a workspace that was used
// before makes no difference, and the problem is as it was.
func TestSavingsBrute(t *testing.T) {
	var used Solver
	plans, straddling := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(4, 3, 2, rapid.Bool().Draw(t, "odd?")).Draw(t, "problem")
		most := mostUnits(p)
		if most > 5 {
			p.Unit *= pricing.Money(most/5 + 1)
			most = mostUnits(p)
		}
		old := copySavings(p)
		plan := solved(t, &used, p)
		if !reflect.DeepEqual(copySavings(p), old) {
			t.Fatal("the problem has changed")
		}
		if len(plan.Commitments) > 0 {
			plans++
		}
		if mostSteps(&used) > len(used.types) {
			straddling++
		}
		fresh, err := new(Solver).Solve(p)
		if err != nil || fmt.Sprint(fresh) != fmt.Sprint(plan) {
			t.Fatalf("a fresh workspace gives %v, %v; a used one %v", fresh, err, plan)
		}
		best := savingsCost(p, nil)
		eachSavings(p, most, func(c []Commitment) {
			if cost := savingsCost(p, c); cost.Cmp(best) < 0 {
				best = cost
			}
		})
		if got := savingsCost(p, plan.Commitments); got.Cmp(best) != 0 {
			t.Fatalf("%v costs %v, the optimum %v", plan.Commitments, got, best)
		}
		if plan.Cost != toNano(best) || !plan.Optimal() || plan.Gap() != 0 {
			t.Fatalf("cost %v, bound %v: want %v", plan.Cost, plan.Bound, toNano(best))
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
	})
	if plans < 50 || straddling < 50 {
		seeded.TooFew(t, "%d problems with a plan, %d with units that straddle types: too few to test anything", plans, straddling)
	}
}

// With values of units rounded to one or two digits the flow's plan is far from the
// optimum. The repair takes it there, and its certificate holds.
func TestSavingsRepair(t *testing.T) {
	repaired, cycles, passes := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(24, 4, 20, rapid.Bool().Draw(t, "odd?")).Draw(t, "problem")
		want := solved(t, new(Solver), p)
		var s Solver
		s.limit = int64(rapid.IntRange(1, 30).Draw(t, "limit"))
		plan := solved(t, &s, p)
		if !s.scaled {
			repaired++
			cycles += s.repair.cycles
			passes += s.repair.passes
		}
		if plan.Cost != want.Cost || !plan.Optimal() {
			t.Fatalf("cost %v, bound %v: want %v", plan.Cost, plan.Bound, want.Cost)
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
	})
	if repaired < 100 || cycles < 100 {
		seeded.TooFew(t, "%d plans repaired, %d cycles: too few to test anything", repaired, cycles)
	}
	// A few passes a plan are enough: 2.3.
	if mean := float64(passes) / float64(max(1, repaired)); mean > 3 {
		t.Errorf("%.1f passes a plan", mean)
	}
}

// Where 128 bits are not enough there is a plan with a bound just below, that of
// the rounded flow; the limit makes it coarse enough to see.
func TestSavingsBeyond128(t *testing.T) {
	beyond := 0
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(10, 3, 5, true).Draw(t, "problem")
		for i := range p.Types { // a prime in each plan rate, of about 30 bits
			y := &p.Types[i]
			y.Plan = max(y.Plan, 1009)<<16 + 1
			y.OnDemand = max(y.OnDemand<<16+7, y.Plan/2) // rates far below leave few digits
		}
		p.Unit = p.Unit<<16 + 5
		for len(p.Types) < 6 {
			y := p.Types[0]
			y.Plan += 2 * pricing.Money(len(p.Types)*len(p.Types))
			p.Types = append(p.Types, y)
		}
		var s Solver
		s.limit = []int64{0, 40_000}[rapid.IntRange(0, 1).Draw(t, "limit")]
		plan := solved(t, &s, p)
		if !s.true128 && len(plan.Commitments) > 0 {
			beyond++
		}
		if plan.Bound > plan.Cost || s.limit == 0 && plan.Gap() > 1e-8 && plan.Cost > plan.Bound+1 || plan.Gap() > 1e-3 {
			t.Fatalf("cost %v, bound %v", plan.Cost, plan.Bound)
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
	})
	if beyond < 20 {
		seeded.TooFew(t, "%d plans without the true values: too few to test anything", beyond)
	}
}

// The integers of a problem by their definition, in integers of any size: a unit and what a grain saves
// in true values, and whether they and the sums along a path fit in 127 bits.
func TestScaleByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 16)) // seed 22, 16
	seen, scaled := map[bool]int{}, 0
	for range 1500 {
		n := 1 + r.IntN(12)
		p := &Problem{Slot: time.Second, Term: time.Duration(1+r.IntN(1<<r.IntN(20))) * time.Second, Unit: pricing.Money(1 + r.IntN(1<<24))}
		size := 8 + r.IntN(22) // bits of a plan rate
		for i := range 2 + r.IntN(4) {
			q := pricing.Money(1 + r.IntN(1<<size))
			p.Types = append(p.Types, Type{Name: names[i], Demand: make([]int, n), Plan: q, OnDemand: q + 1 + pricing.Money(r.Int64N(1<<(size+r.IntN(4))))})
		}
		var s Solver
		if err := s.load(p, len(p.Types[0].Demand)); err != nil {
			t.Fatal(err)
		}
		g, grain, ratio := int64(p.Unit), int64(p.Unit), int64(0)
		for _, y := range p.Types {
			g, grain, ratio = wide.GCD(g, int64(y.OnDemand)), wide.GCD(grain, int64(y.Plan)), max(ratio, int64(y.OnDemand/y.Plan)+1)
		}
		units := big.NewInt(1) // the least of which all values are multiples
		for _, y := range p.Types {
			// p/g over the rate, in lowest terms
			d := new(big.Rat).SetFrac64(int64(y.OnDemand)/g, int64(y.Plan)/grain).Denom()
			common := new(big.Int).GCD(nil, nil, units, d)
			units.Mul(units, new(big.Int).Quo(d, common))
		}
		units.Mul(units, big.NewInt(int64(p.Unit)/g))
		path := new(big.Int).Mul(units, big.NewInt(4*max(ratio, int64(p.Term/p.Slot))))
		fits := path.Mul(path, big.NewInt(int64(n)+1)).BitLen() < 128
		if s.true128 != fits {
			t.Fatalf("%+v: %d bits: said to fit: %v", p, path.BitLen(), s.true128)
		}
		if seen[fits]++; !fits {
			continue
		}
		if toBig(s.units128).Cmp(units) != 0 {
			t.Fatalf("%+v: a unit is %v, want %v", p, toBig(s.units128), units)
		}
		for _, y := range s.types { // value·û·q = units·p
			got, want := toBig(y.true128), new(big.Int).Mul(units, big.NewInt(y.price))
			if got.Mul(got, big.NewInt(s.unit)).Mul(got, big.NewInt(y.plan)).Cmp(want) != 0 {
				t.Fatalf("%+v: what a grain of type %d saves is not its value", p, y.index)
			}
		}
		if s.scaled {
			scaled++
		}
	}
	if seen[true] < 300 || seen[false] < 150 || scaled < 100 {
		t.Errorf("one-sided: %v, %d without rounding", seen, scaled)
	}
}

// All prices three times as high change nothing but the cost; a type that the plan
// does not pay for changes the cost by what it costs on demand.
func TestSavingsMetamorphic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(12, 3, 6, true).Draw(t, "problem")
		var s Solver
		plan := solved(t, &s, p)
		cost, commitments := savingsCost(p, plan.Commitments), slices.Clone(plan.Commitments)

		dearer := copySavings(p)
		dearer.Unit *= 3
		for i := range dearer.Types {
			dearer.Types[i].OnDemand *= 3
			dearer.Types[i].Plan *= 3
		}
		plan = solved(t, &s, dearer)
		thrice := slices.Clone(commitments)
		for i := range thrice {
			thrice[i].Hourly *= 3
		}
		if !slices.Equal(plan.Commitments, thrice) || plan.Cost != toNano(new(big.Rat).Mul(cost, big.NewRat(3, 1))) {
			t.Fatalf("three times the prices: %v for %v, before %v for %v", plan.Commitments, plan.Cost, commitments, cost)
		}

		more := copySavings(p)
		useless := Type{Name: "useless", Demand: slices.Clone(p.Types[0].Demand), OnDemand: 3000}
		more.Types = slices.Insert(more.Types, 0, useless)
		plan = solved(t, &s, more)
		for _, d := range useless.Demand {
			cost.Add(cost, big.NewRat(int64(d)*3000*int64(p.Slot), int64(time.Hour)))
		}
		if !slices.Equal(plan.Commitments, commitments) || plan.Cost != toNano(cost) {
			t.Fatalf("with a useless type: %v for %v, want %v for %v", plan.Commitments, plan.Cost, commitments, cost)
		}
	})
}

// By hand. One type: 10 instances by day, 4 by night, 0.10 on demand and 0.04 from
// the plan, a term of two days. The first 4 instances, 0.16 an hour, pay for
// themselves always, and the next 6 if they are busy in 0.4 of the hours or more:
// 12 of 24 are. 0.40 for 48 hours is 19.20; by night 0.24 of it pay for nothing.
func TestSavingsByHand(t *testing.T) {
	p := &Problem{
		Slot:  12 * time.Hour,
		Term:  48 * time.Hour,
		Types: []Type{{"a", []int{10, 4, 10, 4}, 100 * pricing.Milli, 40 * pricing.Milli, nil}},
	}
	var s Solver
	plan := solved(t, &s, p)
	if want := []Commitment{{0, 400, 400 * pricing.Milli, 0}}; !slices.Equal(plan.Commitments, want) {
		t.Errorf("commitments %v, want %v", plan.Commitments, want)
	}
	for _, c := range []struct {
		name      string
		got, want pricing.Money
	}{
		{"cost", plan.Cost, 19_200 * pricing.Milli},
		{"bound", plan.Bound, 19_200 * pricing.Milli},
		{"committed", plan.Committed, 19_200 * pricing.Milli},
		{"on demand", plan.OnDemand, 0},
		{"unused", plan.Unused, 5_760 * pricing.Milli},
	} {
		if c.got != c.want {
			t.Errorf("%s %v, want %v", c.name, c.got, c.want)
		}
	}
}

// userSavings is a problem of a user's size: plan rates of a size and two systems
// each of one family, from the offer file that ExampleSavings names, and a demand for
// each that rises and falls by day. Rates on demand are assumed.
func userSavings(slots, types, peak, term int) *Problem {
	p := &Problem{Slot: time.Hour, Term: time.Duration(term) * time.Hour, Every: 7}
	for i, r := range []struct{ onDemand, plan pricing.Money }{
		{1220, 488}, {1508, 776}, {3016, 1553}, {4880, 1954}, {29280, 11721}, {2440, 977}, {1280, 512},
	} {
		if i == types {
			break
		}
		rng := rand.New(rand.NewPCG(7, uint64(i))) // seed 7
		p.Types = append(p.Types, Type{fmt.Sprint(i), anyDemand(rng, slots, peak/(i+1)), r.onDemand * pricing.Milli / 10, r.plan * pricing.Milli / 10, nil})
	}
	return p
}

// Nothing is allocated once the largest problem has been seen. Where a word has 32 bits,
// math/big divides by two words where one does on 64, and allocates for that.
func TestSavingsAllocs(t *testing.T) {
	most := 0.
	if math.MaxInt == math.MaxInt32 {
		most = 1
	}
	var s Solver
	problems := []*Problem{userSavings(3000, 5, 300, 720), userSavings(1, 1, 300, 1), userSavings(2900, 4, 500, 1000), userSavings(100, 2, 30, 24)}
	for _, p := range problems {
		p.Held = []pricing.Holding{{Count: 100, Until: 10}}
		if _, err := s.Solve(p); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range problems {
		if n := allocs.Once(func() {
			if _, err := s.Solve(p); err != nil {
				t.Fatal(err)
			}
		}); n > most {
			t.Errorf("%v allocations for problem %d, want %v", n, i, most)
		}
	}
}

// mostSteps returns the largest number of steps of a slot.
func mostSteps(s *Solver) (most int) {
	for t := range s.slots {
		most = max(most, int(s.first[t+1]-s.first[t]))
	}
	return most
}

// BenchmarkSavings has three years of hours, up to 50,000 units an hour, purchases
// once a week or at any hour.
func BenchmarkSavings(b *testing.B) {
	for _, types := range []int{1, 3, 5} {
		for _, term := range []int{720, 8760, 26_280} {
			for _, every := range []int{168, 1} {
				p := userSavings(26_280, types, 600, term)
				p.Every = every
				b.Run(fmt.Sprintf("alg=exact/slots=26280/types=%d/term=%dh/every=%d", types, term, every), func(b *testing.B) {
					var s Solver
					plan, err := s.Solve(p)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if plan, err = s.Solve(p); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(plan.Gap(), "gap-ratio")
					b.ReportMetric(float64(mostSteps(&s)), "runs/slot")
					b.ReportMetric(float64(s.repair.passes), "passes")
				})
			}
		}
	}
}

var names = []string{"a", "b", "c", "d", "e"}

// anyDemand returns a demand that rises and falls by day, of a fixed seed.
func anyDemand(rng *rand.Rand, slots, peak int) []int {
	demand := make([]int, slots)
	level := peak / 2
	for t := range demand {
		level = min(peak, max(0, level+rng.IntN(peak/10+3)-(peak/10+3)/2))
		demand[t] = level
		if t%24 < 8 {
			demand[t] = level / 3
		}
	}
	return demand
}

// The range that worth returns around a unit has units of one value alone, and the value is that of what the
// unit pays for.
func TestWorthByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 28)) // seed 6, 28
	ranges := 0
	for range 300 {
		p := &Problem{Slot: time.Hour, Term: 2 * time.Hour, Unit: pricing.Money(1 + r.IntN(9))}
		for i := range 1 + r.IntN(3) {
			q := pricing.Money(1 + r.IntN(9))
			p.Types = append(p.Types, Type{Name: names[i], Demand: []int{r.IntN(12), r.IntN(3)}, Plan: q, OnDemand: q + 1 + pricing.Money(r.IntN(9))})
		}
		var s Solver
		if err := s.load(p, 2); err != nil || !s.true128 {
			t.Fatal(err, s.true128)
		}
		for slot := range 2 {
			var grains []wide.Int // what each grain of the line saves
			for i := range s.types {
				y := &s.types[i]
				for range y.rate * int64(y.demand[slot]) {
					grains = append(grains, y.true128)
				}
			}
			value := func(n int) (sum wide.Int) {
				for k := (n - 1) * int(s.unit); k < min(n*int(s.unit), len(grains)); k++ {
					sum = sum.Plus(grains[k])
				}
				return sum
			}
			last := len(grains)/int(s.unit) + 3
			for n := 1; n <= last; n++ {
				got, from, to := s.exact.worth(slot, n)
				if got != value(n) || from > n || to < n {
					t.Fatalf("%+v, slot %d: unit %d is worth %v from %d to %d, want %v", p.Types, slot, n, got, from, to, value(n))
				}
				for m := max(1, from); m <= min(to, last); m++ {
					if value(m) != got {
						t.Fatalf("%+v, slot %d: units %d to %d are said to be worth %v, and unit %d is %v", p.Types, slot, from, to, got, m, value(m))
					}
				}
				if to > from {
					ranges++
				}
			}
		}
	}
	if ranges < 1000 {
		t.Errorf("only %d units have a range", ranges)
	}
}
