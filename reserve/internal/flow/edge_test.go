package flow

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// Amounts that are just small enough, and just too large.
func TestMalformed(t *testing.T) {
	two := []int{1, 2}
	steps := func(list []Step, first ...int32) Problem { return Problem{Steps: list, First: first} }
	narrow := math.MaxInt == math.MaxInt32
	pow := func(k int) int { // 0 on ints of 32 bits, which hold no such number
		if narrow {
			return 0
		}
		return 1 << k
	}
	beyond := []string{"at most 2^32", "at most below", "a demand of 2^60", "a demand of 2^54", "held 2^60", "caps of classes together", "steps of 2^60", "steps and held of 2^60"}
	for name, c := range map[string]struct {
		p    Problem
		want error
	}{
		"no slots at all":             {Problem{Price: 1}, nil},
		"a price too large":           {Problem{Demand: two, Price: 1 << 60}, ErrOverflow},
		"a cap that no plan reaches":  {Problem{Demand: two, Price: 1, MaxActive: []int{math.MaxInt, math.MaxInt}}, nil},
		"price 1":                     {Problem{Demand: two, Price: 1}, nil},
		"prices":                      {Problem{Demand: two, Prices: []int64{1, 1}}, nil},
		"negative caps":               {Problem{Demand: two, Price: 1, MaxActive: []int{-1, -7}}, nil},
		"more held than the cap":      {Problem{Demand: two, Price: 1, Held: []int{0, 3}, MaxActive: []int{0, 2}}, ErrInfeasible},
		"as many held as the cap":     {Problem{Demand: two, Price: 1, Held: []int{0, 3}, MaxActive: []int{0, 3}}, nil},
		"free":                        {Problem{Demand: two, Price: 1, Classes: []Class{{Term: 1}}}, nil},
		"fees not for sale":           {Problem{Demand: two, Price: 1, Classes: []Class{{Term: 1, Fees: []int64{-9, -1}}}}, nil},
		"a fee too large":             {Problem{Demand: two, Price: 1, Classes: []Class{{Term: 1, Fee: 1 << 58}}}, ErrOverflow},
		"a fee of a slot too large":   {Problem{Demand: two, Price: 1, Classes: []Class{{Term: 1, Fees: []int64{1, 1 << 58}}}}, ErrOverflow},
		"the largest fee":             {Problem{Demand: two, Price: 1, Classes: []Class{{Term: 1, Fee: 1<<58 - 1}}}, nil},
		"a price of a slot too large": {Problem{Demand: two, Prices: []int64{1, 1 << 58}}, ErrOverflow},
		"at most 2^32":                {Problem{Demand: two, Price: 1, Classes: []Class{{Term: 1, Max: pow(32)}}}, ErrOverflow},
		"at most below":               {Problem{Demand: two, Price: 1, Classes: []Class{{Term: 1, Max: pow(32) - 1}}}, nil},
		"a demand of 2^60":            {Problem{Demand: []int{1, pow(60) - 1}, Price: 1}, ErrOverflow},
		"a demand of 2^54":            {Problem{Demand: []int{1, pow(54)}, Price: 1}, nil},
		"held 2^60":                   {Problem{Demand: two, Price: 1, Held: []int{0, pow(60)}}, ErrOverflow},
		"caps of classes together":    {Problem{Demand: make([]int, 1<<12), Price: 1, Classes: slices.Repeat([]Class{{Term: 1, Max: pow(32) - 1}}, 4)}, ErrOverflow},
		"steps":                       {steps([]Step{{3, 1}, {1, 2}}, 0, 2, 2), nil},
		"no slots":                    {steps(nil, 0), nil},
		"a rise between slots":        {steps([]Step{{3, 1}, {4, 1}}, 0, 1, 2), nil},
		"prices of steps":             {steps([]Step{{3, 1 << 60}, {2, 1 << 61}, {1, 1 << 61}}, 0, 3), ErrOverflow},
		"steps held too many":         {Problem{Steps: []Step{{3, 1}}, First: []int32{0, 1}, Held: []int{4}, MaxActive: []int{3}}, ErrInfeasible},
		"steps of 2^60":               {steps([]Step{{pow(60), 1}}, 0, 1), ErrOverflow},
		"steps and held of 2^60":      {Problem{Steps: []Step{{pow(59) + 1, 1}}, First: []int32{0, 1}, Held: []int{pow(59)}}, ErrOverflow},
	} {
		if narrow && slices.Contains(beyond, name) {
			continue
		}
		var s Solver
		if err := s.Solve(c.p); err != c.want {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		} else if err == nil {
			check(t, &s, c.p)
		}
	}
}

// scaled multiplies all amounts by f.
func scaled(p Problem, f int64) Problem {
	by := func(v []int64) []int64 {
		w := slices.Clone(v)
		for i := range w {
			if w[i] > 0 {
				w[i] *= f
			}
		}
		return w
	}
	p.Price *= f
	if p.Prices != nil {
		p.Prices = by(p.Prices)
	}
	p.Classes = slices.Clone(p.Classes)
	for k := range p.Classes {
		p.Classes[k].Fee *= f
		if p.Classes[k].Fees != nil {
			p.Classes[k].Fees = by(p.Classes[k].Fees)
		}
	}
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		p.Steps[i].Price *= f
	}
	return p
}

// Prices and demands as large as they may be give the same plan as small ones, with its proof:
// whatever is not refused is computed without a wrap. Just beyond, the problem is refused.
func TestLargestAmounts(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var s, ref Solver
	solved := 0
	for i := range 600 {
		p := randomProblem(r, 12, 5, 3, true)
		if i%3 == 0 {
			p = randomSteps(r, 12, 5, 3, 4)
			p.Held, p.MaxActive = nil, nil
		}
		cost := check(t, &ref, p)
		plan := ref.AppendPurchases(nil)
		for f := int64(1) << 62; ; f >>= 1 {
			if f == 0 {
				t.Fatalf("no factor is small enough: %+v", p)
			}
			q := scaled(p, f)
			if wraps(p, f) {
				continue
			}
			if err := s.Solve(q); err == ErrOverflow {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if err := Verify(q, s.AppendPurchases(nil), s.Potentials()); err != nil {
				t.Fatalf("%v: factor %d of %+v", err, f, p)
			}
			hi, lo := Cost(q, s.AppendPurchases(nil))
			got := new(big.Int).SetUint64(hi)
			got.Add(got.Lsh(got, 64), new(big.Int).SetUint64(lo))
			if want := new(big.Int).Mul(big.NewInt(cost), big.NewInt(f)); got.Cmp(want) != 0 || f < 1<<40 {
				t.Fatalf("factor %d: cost %v, want %v", f, got, want)
			}
			if !slices.Equal(s.AppendPurchases(nil), plan) {
				t.Fatalf("factor %d: another plan of equal cost", f)
			}
			solved++
			break
		}
		// As many instances: the demands, all counts and all caps.
		for f := 1 << (bits.UintSize - 4); f > 0; f >>= 1 {
			q, ok := counted(p, f)
			if !ok {
				continue
			}
			if err := s.Solve(q); err == ErrOverflow {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if err := Verify(q, s.AppendPurchases(nil), s.Potentials()); err != nil {
				t.Fatalf("%v: %d times as many of %+v", err, f, p)
			}
			hi, lo := Cost(q, s.AppendPurchases(nil))
			got := new(big.Int).SetUint64(hi)
			got.Add(got.Lsh(got, 64), new(big.Int).SetUint64(lo))
			if want := new(big.Int).Mul(big.NewInt(cost), big.NewInt(int64(f))); got.Cmp(want) != 0 || f < 1<<20 {
				t.Fatalf("%d times as many: cost %v, want %v: %+v", f, got, want, p)
			}
			break
		}
	}
	if solved < 600 {
		t.Errorf("%d problems", solved)
	}
}

// wraps reports whether an amount times f is beyond int64.
func wraps(p Problem, f int64) bool {
	most := p.Price
	for _, v := range p.Prices {
		most = max(most, v)
	}
	for _, c := range p.Classes {
		most = max(most, c.Fee)
		for _, v := range c.Fees {
			most = max(most, v)
		}
	}
	for _, st := range p.Steps {
		most = max(most, st.Price)
	}
	return most > 0 && f > math.MaxInt64/most
}

// counted multiplies all numbers of instances by f.
func counted(p Problem, f int) (Problem, bool) {
	ok := true
	by := func(v []int) []int {
		w := slices.Clone(v)
		for i := range w {
			if w[i] > 0 {
				ok = ok && w[i] <= math.MaxInt/f
				w[i] *= f
			}
		}
		return w
	}
	p.Demand, p.Held, p.MaxActive = by(p.Demand), by(p.Held), by(p.MaxActive)
	p.Classes = slices.Clone(p.Classes)
	for k := range p.Classes {
		ok = ok && p.Classes[k].Max <= math.MaxInt/f
		p.Classes[k].Max *= f
	}
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		ok = ok && p.Steps[i].Demand <= math.MaxInt/f
		p.Steps[i].Demand *= f
	}
	return p, ok
}
