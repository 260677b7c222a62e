package savings

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What is wrong with a problem, in the words of the error.
func TestErrors(t *testing.T) {
	offer := func(p *Problem) { p.Others = []Offer{{"c", time.Hour, []pricing.Money{1, 1}}} }
	paths := func(p *Problem) {
		for i := range p.Types {
			p.Types[i].Demand, p.Types[i].Paths = nil, [][]int{{1, 2}, {3, 4}}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*Problem)
		is    error
		text  string
	}{
		{"slot", func(p *Problem) { p.Slot = 0 }, ErrRange, "Slot: value out of range: 0s: want a positive length"},
		{"no types", func(p *Problem) { p.Types = nil }, ErrRange, "Types: value out of range: there are none: want at least one"},
		{"unit", func(p *Problem) { p.Unit = -pricing.Milli }, ErrRange, "Unit: value out of range: -0.001: want a positive amount, or 0 for 0.001"},
		{"huge unit", func(p *Problem) { p.Classes, p.Unit = nil, 5e18 }, ErrOverflow, "Unit: amount too large: 5000000000: want at most 858993.4592, 2^30 times the greatest common divisor of unit and rates"},
		{"term", func(p *Problem) { p.Term = 90 * time.Minute }, ErrTerm, "Term: term and slot do not fit: 1h30m0s: want a whole number of slots of 1h0m0s"},
		{"every", func(p *Problem) { p.Every = -1 }, ErrRange, "Every: value out of range: -1: want a number of slots, or 0 for every slot"},
		{"closed", func(p *Problem) { p.Closed = make([]bool, 5) }, ErrRange, "Closed: value out of range: 5 slots: want one for each of the 6 of the demands"},
		{"horizon", func(p *Problem) { p.Horizon = 2 }, ErrRange, "Horizon: value out of range: 2: want Full or Pure"},
		{"lengths", func(p *Problem) { p.Types[1].Demand = make([]int, 7) }, ErrRange, "Types[1].Demand: value out of range: 1 has 7 slots and 0 6: want equal lengths"},
		{"demand", func(p *Problem) { p.Types[1].Demand[2] = -1 }, ErrRange, "Types[1].Demand: value out of range: 1 needs -1 in slot 2: want 0 to 2147483647 instances"},
		{"on demand", func(p *Problem) { p.Types[1].OnDemand = -1 }, ErrRange, "Types[1].OnDemand: value out of range: 1 costs -0.000000001 on demand: want more than 0"},
		{"plan", func(p *Problem) { p.Types[1].Plan = -1 }, ErrRange, "Types[1].Plan: value out of range: 1 costs -0.000000001 from a plan: want more than 0, or 0 if a plan does not pay for it"},
		{"held", func(p *Problem) { p.Held = []pricing.Holding{{Count: 1, Until: 1}, {Count: -1, Until: 1}} }, ErrRange, "Held[1]: value out of range: -1 for 1 slots: want none negative, and at most 2147483647"},
		{"too much", func(p *Problem) { p.Types[1].Demand[2] = 1 << 30 }, ErrOverflow, "Types[1].Demand: amount too large: in slot 2 all usage costs more than 2147483647 units of 0.001"},

		{"type", func(p *Problem) { p.Classes[1].Type = 2 }, ErrRange, "Classes[1].Type: value out of range: 0, short is for type 2: there are 2"},
		{"fee", func(p *Problem) { p.Classes[1].Class.Upfront = -1 }, ErrRange, "Classes[1].Class: value out of range: 0, short costs -0.000000001 upfront and 0.05856 an hour: want none negative"},
		{"use", func(p *Problem) { p.Classes[1].Class.Billed = pricing.WhenUsed }, ErrUnsupported, "Classes[1].Class: not a problem for this algorithm: 0, short has a use price: want prepaid classes"},
		{"term of a class", func(p *Problem) { p.Classes[1].Class.Term++ }, ErrTerm, "Classes[1].Class: term and slot do not fit: 0, short has a term of 1h0m0.000000001s: want a whole number of slots of 1h0m0s"},
		// Beside six slots a fee of 2⁷⁴ nanos is too much, and a little less is not.
		{"fees that fit", func(p *Problem) { p.Classes[1].Class.Term, p.Classes[1].Class.Hourly = 1<<20*time.Hour, 1<<54-1 }, nil, ""},
		{"fees", func(p *Problem) { p.Classes[1].Class.Term, p.Classes[1].Class.Hourly = 1<<20*time.Hour, 1<<54 }, ErrOverflow, "Classes: amount too large: the fees are too much for 64 bits"},

		{"term of an offer", func(p *Problem) { offer(p); p.Others[0].Term = time.Minute }, ErrTerm, "Others[0].Term: term and slot do not fit: c has a term of 1m0s: want a whole number of slots of 1h0m0s"},
		{"part of a slot", func(p *Problem) { offer(p); p.Others[0].Term = 90 * time.Minute }, ErrTerm, "Others[0].Term: term and slot do not fit: c has a term of 1h30m0s: want a whole number of slots of 1h0m0s"},
		{"rates", func(p *Problem) { offer(p); p.Others[0].Rates = nil }, ErrRange, "Others[0].Rates: value out of range: c has 0: want one for each of 2 types"},
		{"negative rate", func(p *Problem) { offer(p); p.Others[0].Rates[1] = -1 }, ErrRange, "Others[0].Rates: value out of range: 1 costs -0.000000001 by c: want more than 0, or 0 if the plan does not pay for it"},
		{"offer held", func(p *Problem) { offer(p); p.Held = []pricing.Holding{{Class: 2}} }, ErrRange, "Held[0]: value out of range: class 2: there are 2"},
		{"negative offer held", func(p *Problem) { p.Held = []pricing.Holding{{Class: -1}} }, ErrRange, "Held[0]: value out of range: class -1: there are 1"},

		{"demand beside paths", func(p *Problem) { paths(p); p.Types[0].Demand = []int{1} }, ErrRange, "Types[0].Paths: value out of range: 0 has 2 paths and a demand of 1 slots: want a demand, or at least one path"},
		{"no paths", func(p *Problem) { paths(p); p.Types[0].Paths = [][]int{} }, ErrRange, "Types[0].Paths: value out of range: 0 has 0 paths and a demand of 0 slots: want a demand, or at least one path"},
		{"number of paths", func(p *Problem) { paths(p); p.Types[1].Paths = p.Types[1].Paths[:1] }, ErrRange, "Types[1].Paths: value out of range: 1 has 1 and 0 2: want the same number"},
		{"paths and a demand", func(p *Problem) { paths(p); p.Types[1].Demand, p.Types[1].Paths = []int{1, 2}, nil }, ErrRange, "Types[1].Paths: value out of range: 1 has 0 and 0 2: want the same number"},
		{"length of a path", func(p *Problem) { paths(p); p.Types[1].Paths[1] = []int{1} }, ErrRange, "Types[1].Demand: value out of range: 1 has 1 slots and 0 2: want equal lengths"},
		{"demand of a path", func(p *Problem) { paths(p); p.Types[1].Paths[1] = []int{1, -1} }, ErrRange, "Types[1].Demand: value out of range: 1 needs -1 in slot 1: want 0 to 2147483647 instances"},
		{"weights", func(p *Problem) { paths(p); p.Weights = []int{1} }, ErrRange, "Weights: value out of range: there are 1: want one for each of 2 paths"},
		{"negative weight", func(p *Problem) { paths(p); p.Weights = []int{2, -1} }, ErrRange, "Weights[1]: value out of range: -1: want 0 to 2147483647"},
		{"no weight", func(p *Problem) { paths(p); p.Weights = []int{0, 0} }, ErrRange, "Weights: value out of range: they come to 0 in lowest terms: want 1 to 1048576"},
		{"weights too fine", func(p *Problem) { paths(p); p.Weights = []int{1, mostParts} }, ErrRange, "Weights: value out of range: they come to 1048577 in lowest terms: want 1 to 1048576"},
		{"term of a class in parts", func(p *Problem) {
			paths(p)
			p.Classes[1].Class.Term, p.Weights = 4000*time.Hour, []int{1, mostParts - 1}
		}, ErrRange, "Classes[1].Class: value out of range: 0, short has a term of 4000h0m0s: want at most 2045 slots"},
		{"term in parts", func(p *Problem) { paths(p); p.Term, p.Weights = 1<<20*time.Hour, []int{1, mostParts - 1} }, ErrRange, "Term: value out of range: 1048576h0m0s: want at most 2045 slots"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := userMixed(6, 2, 10, 3)
			c.spoil(p)
			m := Solver{Work: 1e5}
			plan, err := m.Solve(p)
			var input *reserve.InputError
			switch {
			case c.is == nil:
				if err != nil || Verify(p, &plan) != nil {
					t.Errorf("%v, %v", err, Verify(p, &plan))
				}
			case !errors.Is(err, c.is) || !errors.As(err, &input) || err.Error() != "savings: "+c.text:
				t.Errorf("%v, want %s", err, c.text)
			case len(plan.Commitments) != 0:
				t.Error("a plan with an error")
			}
		})
	}
}

// A forged plan or certificate is refused, by the field that is forged: beside classes, and without.
func TestVerifyForged(t *testing.T) {
	low := func(q *Plan) int { // the first slot in which commitment is worth something
		return slices.IndexFunc(q.Certificate.Values, func(v uint128) bool { return v[1] > 0 })
	}
	p := userMixed(60, 3, 40, 24)
	p.Classes = append(p.Classes, TypeClass{Class: pricing.Class{Name: "old", Term: 24 * time.Hour, Upfront: 1}, Withdrawn: true})
	for _, c := range []struct {
		field string
		alone bool // without classes, too
		forge func(q *Plan)
	}{
		{"Unit", true, func(q *Plan) { q.Unit++ }},
		{"Cost", true, func(q *Plan) { q.Cost-- }},
		{"Reserved", false, func(q *Plan) { q.Reserved++ }},
		{"Committed", true, func(q *Plan) { q.Committed++ }},
		{"OnDemand", true, func(q *Plan) { q.OnDemand-- }},
		{"Unused", true, func(q *Plan) { q.Unused++ }},
		{"Bound", true, func(q *Plan) { q.Bound += 100 }},
		{"Bound Certificate.Prices[]", true, func(q *Plan) { q.Certificate.Values[low(q)] = uint128{} }},
		{"OnDemand", false, func(q *Plan) { q.Reservations[0].Count++ }},
		{"Reservations", false, func(q *Plan) { q.Reservations[0].Count = 0 }},
		{"Reservations", false, func(q *Plan) { q.Reservations[0].Class = 5 }},
		{"Reservations", false, func(q *Plan) { q.Reservations[0].Class = -1 }},
		{"Reservations", false, func(q *Plan) { q.Reservations[0].Class = 4 }}, // withdrawn
		{"Reservations", false, func(q *Plan) { q.Reservations[0].Slot = 1 }},
		{"Reservations", false, func(q *Plan) { q.Reservations[0].Slot = -7 }},
		{"Reservations", false, func(q *Plan) { q.Reservations[0].Slot = 63 }},
		{"Reservations", false, func(q *Plan) { q.Reservations = append(q.Reservations, q.Reservations[0]) }},
		{"Reservations", false, func(q *Plan) { slices.Reverse(q.Reservations) }},
		{"OnDemand", true, func(q *Plan) { q.Commitments[0].Units++; q.Commitments[0].Hourly = 0 }},
		{"Commitments", true, func(q *Plan) { q.Commitments[0].Hourly++ }},
		{"Commitments", true, func(q *Plan) { q.Commitments[0].Units = 0 }},
		{"Commitments", true, func(q *Plan) { q.Commitments[0].Offer = 1 }},
		{"Commitments", true, func(q *Plan) { q.Commitments[0].Offer = -1 }},
		{"Commitments", true, func(q *Plan) { q.Commitments[0].Slot = 60 }},
		{"Commitments", true, func(q *Plan) { q.Commitments[0].Slot = -1 }},
		{"Commitments", true, func(q *Plan) { q.Commitments[0].Slot = 1 }},
		{"Commitments", true, func(q *Plan) { q.Commitments = append(q.Commitments, q.Commitments[0]) }},
		{"Certificate.Values", true, func(q *Plan) { q.Certificate.Values = q.Certificate.Values[1:] }},
		{"Certificate.Parts", true, func(q *Plan) { q.Certificate.Parts = uint128{} }},
		{"Certificate", true, func(q *Plan) { q.Certificate.Values[30][1] += 1 << 46 }},
		{"Certificate.Prices", false, func(q *Plan) { q.Certificate.Prices = q.Certificate.Prices[1:] }},
		{"Certificate.Prices[]", false, func(q *Plan) { q.Certificate.Shift-- }},
		{"Certificate.Shift", false, func(q *Plan) { q.Certificate.Shift = 1 << 30 }},
		{"Certificate.Prices[]", false, func(q *Plan) { q.Certificate.Prices[30] = 1 << 61 }},
		{"Certificate.Prices[]", false, func(q *Plan) { q.Certificate.Prices[130] = -1 }},
		{"Certificate.Prices[]", false, func(q *Plan) { // no slot's is too high, but together they are
			for i := range 60 {
				paid := new(big.Int).Mul(big.NewInt(int64(p.Types[0].Plan)), bigOf(q.Certificate.Values[i]))
				paid.Rsh(paid.Lsh(paid, uint(q.Certificate.Shift)), worthBits)
				q.Certificate.Prices[i] = min(paid.Int64(), int64(p.Types[0].OnDemand)<<q.Certificate.Shift)
			}
		}},
		{"Certificate.Prices[]", false, func(q *Plan) { // of a type without reservations, in a slot where commitment is worth less
			q.Certificate.Prices[60+slices.Index(q.Certificate.Values, uint128{})] = int64(p.Types[1].OnDemand) << q.Certificate.Shift
		}},
	} {
		for _, problem := range []*Problem{p, alone(p)} {
			if problem != p && !c.alone {
				continue
			}
			plan, err := new(Solver).Solve(problem)
			if err == nil {
				err = Verify(problem, &plan)
			}
			if err != nil {
				t.Fatal(err)
			}
			c.forge(&plan)
			var bad *reserve.InputError
			if err := Verify(problem, &plan); !errors.Is(err, ErrForged) || !errors.As(err, &bad) || !slices.Contains(strings.Fields(c.field), bad.Field) {
				t.Errorf("%s, classes %v: %v", c.field, problem == p, err)
			}
		}
	}
	// Offer 1 is worth more than it costs over the term from slot 0, element 2.
	q := &Problem{Slot: time.Hour, Term: 2 * time.Hour, Types: []Type{{Name: "a", Demand: []int{3, 1}, OnDemand: 2000, Plan: 1000}},
		Others: []Offer{{"b", 2 * time.Hour, []pricing.Money{900}}}, Unit: 10}
	plan := solved(t, new(Solver), q)
	plan.Certificate.Values[3] = uint128{0, 2*plan.Certificate.Parts[1] + 1}
	var bad *reserve.InputError
	if err := Verify(q, &plan); !errors.As(err, &bad) || bad.Field != "Certificate" || bad.Index != 2 {
		t.Errorf("%v: want element 2", err)
	}
}
