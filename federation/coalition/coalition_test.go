package coalition

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
)

// check checks a property on three times as many cases as rapid does by itself.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range 3 {
			property(t)
		}
	})
}

// drawCosts draws a table; with subadditive ones, where parting saves nothing, among
// them.
func drawCosts(t *rapid.T, most int) Costs {
	n := rapid.IntRange(1, most).Draw(t, "n")
	high := rapid.SampledFrom([]int64{3, 100, 1e12}).Draw(t, "high")
	c := make(Costs, 1<<n)
	for s := 1; s < len(c); s++ {
		c[s] = pricing.Money(rapid.Int64Range(-high/4, high).Draw(t, "cost"))
	}
	if rapid.Bool().Draw(t, "subadditive") {
		for set := range c {
			if set > 0 {
				for part := (set - 1) & set; part > 0; part = (part - 1) & set {
					c[set] = min(c[set], c[part]+c[set^part])
				}
			}
		}
	}
	return c
}

// bruteShapley is the mean over all orders.
func bruteShapley(c Costs) []*big.Rat {
	n := c.Members()
	sum := make([]*big.Rat, n)
	for i := range sum {
		sum[i] = new(big.Rat)
	}
	orders := int64(0)
	var walk func(set Set)
	var path []int
	walk = func(set Set) {
		if set == c.All() {
			orders++
			var s Set
			for _, i := range path {
				sum[i].Add(sum[i], new(big.Rat).SetInt64(int64(c[s|Of(i)]-c[s])))
				s |= Of(i)
			}
			return
		}
		for i := range n {
			if !set.Has(i) {
				path = append(path, i)
				walk(set | Of(i))
				path = path[:len(path)-1]
			}
		}
	}
	walk(0)
	for i := range sum {
		sum[i].Quo(sum[i], new(big.Rat).SetInt64(orders))
	}
	return sum
}

func total(shares []pricing.Money) (sum pricing.Money) {
	for _, x := range shares {
		sum += x
	}
	return sum
}

// Shares are the mean over all orders, to less than a nano, and add up to the cost of
// all; brute force for up to five members.
func TestPropShapley(t *testing.T) {
	var s Solver // dirty from run to run
	check(t, func(t *rapid.T) {
		c := drawCosts(t, 5)
		shares := make([]pricing.Money, c.Members())
		if err := s.ShapleyTo(shares, c); err != nil {
			t.Fatal(err)
		}
		if total(shares) != c[c.All()] {
			t.Fatalf("%v of %v add up to %v", shares, c, total(shares))
		}
		for i, want := range bruteShapley(c) {
			d := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(shares[i])), want)
			if d.Abs(d).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("%v: share %d is %v, want %v", c, i, shares[i], want.FloatString(3))
			}
		}
	})
}

// bruteSlack is the greatest slack by solving every square system of the program: the
// dual's optimum is at a basis, and each gives a bound. For up to four members.
func bruteSlack(c Costs) *big.Rat {
	n := c.Members()
	var best *big.Rat
	var sets []Set
	var choose func(from Set)
	choose = func(from Set) {
		if len(sets) == n {
			if slack := solveDual(c, sets); slack != nil && (best == nil || slack.Cmp(best) < 0) {
				best = slack
			}
			return
		}
		for s := from; s < c.All(); s++ {
			sets = append(sets, s)
			choose(s + 1)
			sets = sets[:len(sets)-1]
		}
	}
	choose(1)
	return best
}

// solveDual returns Σ λ·c − μ·c(N) for the basis of sets and μ, nil if there is none or
// a weight is negative.
func solveDual(c Costs, sets []Set) *big.Rat {
	n := c.Members()
	k := n + 1
	a := make([][]*big.Rat, k)
	for r := range a {
		a[r] = make([]*big.Rat, k+1)
		for j := range a[r] {
			a[r][j] = new(big.Rat)
		}
		if r < n {
			a[r][n].SetInt64(-1)
			for j, s := range sets {
				if s.Has(r) {
					a[r][j].SetInt64(1)
				}
			}
			continue
		}
		for j := range sets {
			a[r][j].SetInt64(1)
		}
		a[r][k].SetInt64(1)
	}
	for col := range k {
		p := -1
		for r := col; r < k; r++ {
			if a[r][col].Sign() != 0 {
				p = r
				break
			}
		}
		if p < 0 {
			return nil
		}
		a[col], a[p] = a[p], a[col]
		inv := new(big.Rat).Inv(a[col][col])
		for j := range a[col] {
			a[col][j].Mul(a[col][j], inv)
		}
		for r := range a {
			if r != col && a[r][col].Sign() != 0 {
				f := new(big.Rat).Set(a[r][col])
				for j := range a[r] {
					a[r][j].Sub(a[r][j], new(big.Rat).Mul(f, a[col][j]))
				}
			}
		}
	}
	sum := new(big.Rat)
	for j, s := range sets {
		if a[j][k].Sign() < 0 {
			return nil
		}
		sum.Add(sum, new(big.Rat).Mul(a[j][k], new(big.Rat).SetInt64(int64(c[s]))))
	}
	return sum.Sub(sum, new(big.Rat).Mul(a[n][k], new(big.Rat).SetInt64(int64(c[c.All()]))))
}

// checkCore checks an answer by itself: shares add up, nobody leaves a core that is not
// empty, and the proof of an empty one holds.
func checkCore(t interface{ Fatalf(string, ...any) }, c Costs, shares []pricing.Money, core Core) {
	n := pricing.Money(c.Members())
	if total(shares) != c[c.All()] {
		t.Fatalf("%v: %v add up to %v", c, shares, total(shares))
	}
	departures, err := c.AppendDepartures(nil, shares)
	if err != nil {
		t.Fatalf("%v", err)
	}
	gain := pricing.Money(0)
	if len(departures) > 0 {
		gain = departures[0].Gain
	}
	if n > 1 && max(0, -core.Slack) != gain {
		t.Fatalf("%v: slack %v, and the greatest gain is %v", c, core.Slack, gain)
	}
	err = VerifyEmpty(c, core.Proof, max(core.Den, 1))
	switch {
	case core.Empty && err != nil:
		t.Fatalf("%v: proof %v/%d: %v", c, core.Proof, core.Den, err)
	case !core.Empty && (core.Slack < -n || core.Proof != nil || err == nil):
		t.Fatalf("%v: %+v with shares %v", c, core, shares)
	}
}

// The slack is the greatest there is, to rounding; brute force for up to four members,
// certificates beyond.
func TestPropCore(t *testing.T) {
	var s Solver
	empty, full, tight := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawCosts(t, 4)
		shares := make([]pricing.Money, c.Members())
		before := slices.Clone(c)
		core, err := s.Core(shares, c)
		if err != nil || !slices.Equal(before, c) {
			t.Fatal(err, "or costs were changed")
		}
		checkCore(t, c, shares, core)
		if c.Members() == 1 {
			return
		}
		want := bruteSlack(c)
		if core.Empty != (want.Sign() < 0) {
			t.Fatalf("%v: empty %v, slack %v", c, core.Empty, want.FloatString(2))
		}
		d := new(big.Rat).Sub(want, new(big.Rat).SetInt64(int64(core.Slack)))
		if d.Sign() < 0 || d.Cmp(big.NewRat(int64(c.Members()), 1)) > 0 {
			t.Fatalf("%v: slack %v, want %v", c, core.Slack, want.FloatString(2))
		}
		switch {
		case core.Empty:
			empty++
		case core.Slack < 0:
			tight++
		default:
			full++
		}
	})
	t.Logf("%d empty, %d not, %d not in whole nanos", empty, full, tight)
	if empty < 10 || full < 10 {
		seeded.TooFew(t, "%d empty cores and %d others are few", empty, full)
	}
}

func TestPropCoreLarge(t *testing.T) {
	var s Solver
	check(t, func(t *rapid.T) {
		c := drawCosts(t, 8)
		shares := make([]pricing.Money, c.Members())
		core, err := s.Core(shares, c)
		if err != nil {
			t.Fatal(err)
		}
		checkCore(t, c, shares, core)
	})
}

// Where costs are a few nanos, rounding can leave the core. Then the nanos that are missing
// are handed out so that nobody leaves, if that can be done: by trying all ways here. Otherwise
// they go to the greatest remainders.
func TestHandOut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var s Solver
	moved, failed := 0, 0
	for range 4000 {
		n := 3 + r.IntN(3)
		c := make(Costs, 1<<n)
		for i := 1; i < len(c); i++ {
			c[i] = pricing.Money(1 + r.IntN(3))
		}
		c[c.All()] = pricing.Money(n / 2)
		d := s.simplex(c, n)
		rounded, got := make([]pricing.Money, n), make([]pricing.Money, n)
		s.divide(rounded, s.x[:n], uint64(d), c[c.All()])
		if empty := s.x[n].Sign() < 0; empty || c.slack(rounded) >= 0 {
			if core, err := s.Core(got, c); err != nil || core.Empty != empty || !slices.Equal(got, rounded) {
				t.Fatalf("%v: %v, %+v, %v, want %v", c, got, core, err, rounded)
			}
			continue
		}
		base := make([]pricing.Money, n)
		left := c[c.All()]
		for i := range base {
			q, _ := floor(s.x[i], uint64(d))
			base[i] = pricing.Money(q)
			left -= base[i]
		}
		best := pricing.Money(math.MinInt64)
		var way []pricing.Money // the first that nobody leaves, or else the first of the greatest slack
		for to := Set(0); to <= all(n); to++ {
			if to.Len() == int(left) && best < 0 {
				x := slices.Clone(base)
				for i := range to.Members() {
					x[i]++
				}
				if slack := c.slack(x); slack > best {
					best, way = slack, x
				}
			}
		}
		core, err := s.Core(got, c)
		if err != nil || core.Empty || core.Slack != best || !slices.Equal(got, way) {
			t.Fatalf("%v: %v, %+v, %v; want %v, which leaves %v", c, got, core, err, way, best)
		}
		checkCore(t, c, got, core)
		if core.Slack < 0 {
			failed++
		} else {
			moved++
		}
	}
	t.Logf("%d handed out, %d not in whole nanos", moved, failed)
	if moved < 5 || failed < 2 {
		t.Error("hardly any case")
	}
}

// A game with concave costs has a core, and the Shapley value is in it [Shapley71]; ten
// and sixteen members.
func TestConcave(t *testing.T) {
	var s Solver
	for _, n := range []int{2, 10, 16} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		size := make([]float64, n)
		for i := range size {
			size[i] = 1 + 9*r.Float64()
		}
		c := make(Costs, 1<<n)
		for set := 1; set < len(c); set++ {
			sum := 0.0
			for i := range Set(set).Members() {
				sum += size[i]
			}
			c[set] = pricing.Money(1e9 * math.Sqrt(sum))
		}
		shares := make([]pricing.Money, n)
		if err := s.ShapleyTo(shares, c); err != nil {
			t.Fatal(err)
		}
		if d, err := c.AppendDepartures(nil, shares); err != nil || len(d) > 0 {
			t.Errorf("%d members: %v, %v", n, d, err)
		}
		core, err := s.Core(shares, c)
		if err != nil || core.Empty || core.Slack <= 0 {
			t.Errorf("%d members: %+v, %v", n, core, err)
		}
		checkCore(t, c, shares, core)
		parts, cost, err := s.AppendPartition(nil, c)
		if err != nil || cost != c[c.All()] || len(parts) != 1 {
			t.Errorf("%d members part into %v for %v, %v", n, parts, cost, err)
		}
	}
}

// The smallest empty core: two of three members can do as much as all.
func TestEmptyCore(t *testing.T) {
	c := Costs{0, 10, 10, 12, 10, 12, 12, 20}
	shares := make([]pricing.Money, 3)
	core, err := new(Solver).Core(shares, c)
	if err != nil {
		t.Fatal(err)
	}
	want := Core{Empty: true, Slack: -2, Proof: []Weighted{{Of(0, 1), 1}, {Of(0, 2), 1}, {Of(1, 2), 1}}, Den: 2}
	if diff := gocmp.Diff(want, core); diff != "" { // by hand: 36/2 < 20, and pairs pay 40/3 at least
		t.Error(diff)
	}
	departures, _ := c.AppendDepartures(nil, []pricing.Money{4, 7, 9})
	if diff := gocmp.Diff([]Departure{{Of(1, 2), 4}, {Of(0, 2), 1}}, departures); diff != "" {
		t.Error(diff)
	}
	parts, cost, _ := new(Solver).AppendPartition(nil, Costs{0, 5, 5, 12, 5, 9, 20, 20})
	if cost != 14 || !slices.Equal(parts, []Set{Of(0, 2), Of(1)}) {
		t.Error(parts, cost)
	}
}

// brutePartition is the partition of the least cost, by assigning a part to each member; of equal
// ones that with the greatest coalition of member 0, and so on.
func brutePartition(c Costs) (parts []Set, best pricing.Money) {
	n := c.Members()
	best = math.MaxInt64
	part := make([]Set, n)
	var walk func(i int)
	walk = func(i int) {
		if i == n {
			sum := pricing.Money(0)
			for _, p := range part {
				sum += c[p]
			}
			list := slices.DeleteFunc(slices.Clone(part), func(p Set) bool { return p == 0 })
			slices.SortFunc(list, func(a, b Set) int { return cmp.Compare(a&-a, b&-b) })
			if sum < best || sum == best && slices.Compare(list, parts) > 0 {
				best, parts = sum, list
			}
			return
		}
		for k := range n {
			part[k] |= Of(i)
			walk(i + 1)
			part[k] &^= Of(i)
		}
	}
	walk(0)
	return parts, best
}

func TestPropPartition(t *testing.T) {
	var s Solver
	check(t, func(t *rapid.T) {
		c := drawCosts(t, 5)
		want, least := brutePartition(c)
		before := Of(9)
		parts, cost, err := s.AppendPartition([]Set{before}, c)
		if err != nil || cost != least || parts[0] != before || !slices.Equal(parts[1:], want) {
			t.Fatalf("%v: %v, %v, %v, want %v, %v", c, parts, cost, err, want, least)
		}
	})
}

// bySet is the cost of a Sampler by the coalition that has joined.
func bySet(cost func(Set) (pricing.Money, error)) func(joined []int) (pricing.Money, error) {
	return func(joined []int) (pricing.Money, error) { return cost(Of(joined...)) }
}

// Sampled shares add up, are within their error bars as often as they should be, and
// exact where costs add up.
func TestSample(t *testing.T) {
	var s Sampler
	var exact Solver
	within, all := 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		const n = 7
		c := make(Costs, 1<<n)
		for set := 1; set < len(c); set++ {
			c[set] = pricing.Money(1e9 * (5*math.Sqrt(float64(Set(set).Len())) + r.Float64()))
		}
		want := make([]pricing.Money, n)
		if err := exact.ShapleyTo(want, c); err != nil {
			t.Fatal(err)
		}
		got, err := s.Shapley(nil, n, bySet(func(set Set) (pricing.Money, error) { return c[set], nil }), 50, r)
		if err != nil {
			t.Fatal(err)
		}
		shares := make([]pricing.Money, n)
		for i, g := range got {
			shares[i] = g.Cost
			all++
			if d := g.Cost - want[i]; -2*g.StdErr <= d && d <= 2*g.StdErr {
				within++
			}
		}
		if total(shares) != c[c.All()] {
			t.Fatalf("%v add up to %v, want %v", shares, total(shares), c[c.All()])
		}
	}
	t.Logf("%d of %d within two standard errors", within, all)
	if within < all*9/10 {
		t.Errorf("%d of %d within two standard errors", within, all)
	}
	got, err := s.Shapley(nil, 40, bySet(func(set Set) (pricing.Money, error) { return pricing.Money(3 * set.Len()), nil }),
		0, rand.New(rand.NewPCG(1, 1)))
	if err != nil || len(got) != 40 || slices.ContainsFunc(got, func(x Share) bool { return x != Share{3, 0} }) {
		t.Error(got, err)
	}
	broken := errors.New("broken")
	if _, err := s.Shapley(nil, 3, func([]int) (pricing.Money, error) { return 0, broken }, 0, rand.New(rand.NewPCG(1, 1))); err != broken {
		t.Error(err)
	}
	for _, most := range []pricing.Money{MaxCost, -MaxCost} {
		if got, err := s.Shapley(nil, 1, func([]int) (pricing.Money, error) { return most, nil }, 2, rand.New(rand.NewPCG(1, 1))); err != nil || got[0].Cost != most {
			t.Error(got, err)
		}
	}
	if got, err := s.Shapley(nil, 64, bySet(func(set Set) (pricing.Money, error) { return pricing.Money(set.Len()), nil }), 2, rand.New(rand.NewPCG(1, 1))); err != nil || len(got) != 64 {
		t.Error(err)
	}
	if _, err := s.Shapley(nil, 3, func([]int) (pricing.Money, error) { return 2 * MaxCost, nil }, 0, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrOverflow) {
		t.Error(err)
	}
}

// Shares and standard errors against their definitions: the mean payment of the orders drawn, each
// forwards and backwards, and s/√m over the pairs.
func TestSampleByDefinition(t *testing.T) {
	const n, pairs = 5, 9
	var table [1 << n]pricing.Money
	r, order := rand.New(rand.NewPCG(8, 8)), []int{0, 1, 2, 3, 4}
	for set := range table[1:] {
		table[1+set] = pricing.Money(r.Int64N(1e6))
	}
	cost := func(set Set) pricing.Money { return table[set] }
	r = rand.New(rand.NewPCG(8, 8))
	var paid [n][pairs]float64 // the mean of a pair
	for m := range pairs {
		r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for range 2 {
			var set Set
			for _, i := range order {
				paid[i][m] += float64(cost(set|Of(i))-cost(set)) / 2
				set |= Of(i)
			}
			slices.Reverse(order)
		}
	}
	dst := []Share{{Cost: 5}}
	got, err := new(Sampler).Shapley(dst, n, bySet(func(set Set) (pricing.Money, error) { return cost(set), nil }),
		pairs, rand.New(rand.NewPCG(8, 8)))
	if err != nil || len(got) != 1+n || got[0] != dst[0] {
		t.Fatal(got, err)
	}
	for i, x := range got[1:] {
		mean, squares := 0.0, 0.0
		for _, p := range paid[i] {
			mean += p / pairs
		}
		for _, p := range paid[i] {
			squares += (p - mean) * (p - mean)
		}
		stdErr := math.Sqrt(squares / (pairs - 1) / pairs)
		if math.Abs(float64(x.Cost)-mean) >= 1 || float64(x.StdErr) < stdErr-1e-6 || float64(x.StdErr) > stdErr+1 || stdErr < 1e4 {
			t.Errorf("member %d: %v, want %v with a standard error of %v", i, x, mean, stdErr)
		}
	}
	// The default, and the most.
	for _, c := range []struct{ pairs, same int }{{0, DefaultPairs}, {1e6, 1e6}} {
		r, s := rand.New(rand.NewPCG(8, 8)), rand.New(rand.NewPCG(8, 8))
		if _, err := new(Sampler).Shapley(nil, 2, func([]int) (pricing.Money, error) { return 0, nil }, c.pairs, r); err != nil {
			t.Fatal(err)
		}
		for range c.same {
			s.Shuffle(2, func(int, int) {})
		}
		if r.Uint64() != s.Uint64() {
			t.Errorf("%d: not %d orders are drawn", c.pairs, c.same)
		}
	}
	// One cost that cannot be had ends the call, whichever it is; dst is unchanged.
	broken := errors.New("broken")
	for fails := range table[1:] {
		calls := -1
		got, err := new(Sampler).Shapley(dst, n, func([]int) (pricing.Money, error) {
			if calls++; calls == fails {
				return 0, broken
			}
			return 1, nil
		}, 0, rand.New(rand.NewPCG(8, 8)))
		if err != broken || !slices.Equal(got, dst) {
			t.Errorf("call %d fails: %v, %v", fails, got, err)
		}
	}
}

// Of equal members the first pay the nanos that are left.
func TestEqualMembers(t *testing.T) {
	var s Solver
	x := make([]pricing.Money, 3)
	for all, want := range map[pricing.Money][]pricing.Money{9: {3, 3, 3}, 10: {4, 3, 3}, 11: {4, 4, 3}, -10: {-3, -3, -4}} {
		c := Costs{0, all, all, all, all, all, all, all}
		if err := s.ShapleyTo(x, c); err != nil || !slices.Equal(x, want) {
			t.Errorf("%v for all: %v, %v, want %v", all, x, err, want)
		}
	}
	// Shares of −1/6, −1/6 and −2/3: two nanos go to the remainders of 5/6.
	if err := s.ShapleyTo(x, Costs{0, -1, -1, -1, -1, -2, -2, -1}); err != nil || !slices.Equal(x, []pricing.Money{0, 0, -1}) {
		t.Error(x, err)
	}
}

// The largest costs are exact, and larger ones are refused.
func TestLimits(t *testing.T) {
	var s Solver
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{3, 10} {
		c := make(Costs, 1<<n)
		for set := 1; set < len(c); set++ {
			c[set] = MaxCost
			if r.IntN(2) == 0 {
				c[set] = -MaxCost
			}
		}
		shares := make([]pricing.Money, n)
		if err := s.ShapleyTo(shares, c); err != nil || total(shares) != c[c.All()] {
			t.Error(err, shares)
		}
		core, err := s.Core(shares, c)
		if err != nil {
			t.Fatal(err)
		}
		checkCore(t, c, shares, core)
	}
	for _, tc := range []struct {
		c    Costs
		want error
	}{
		{nil, ErrLength}, {Costs{0}, ErrLength}, {Costs{0, 1, 2}, ErrLength}, {make(Costs, 1<<17), ErrLength},
		{Costs{1, 1}, ErrRange}, {Costs{0, MaxCost + 1}, ErrOverflow}, {Costs{0, -MaxCost - 1}, ErrOverflow},
	} {
		var in *inputerr.Error
		if err := tc.c.Validate(); !errors.Is(err, tc.want) || !errors.As(err, &in) || !strings.Contains(err.Error(), ": want") {
			t.Errorf("%d costs: %v, want %v", len(tc.c), err, tc.want)
		}
		x := []pricing.Money{5}
		err1 := s.ShapleyTo(x, tc.c)
		_, err2 := s.Core(x, tc.c)
		_, _, err3 := s.AppendPartition(nil, tc.c)
		_, err4 := tc.c.AppendDepartures(nil, x)
		if err1 == nil || err2 == nil || err3 == nil || err4 == nil || VerifyEmpty(tc.c, nil, 1) == nil || x[0] != 5 {
			t.Errorf("%d costs are taken", len(tc.c))
		}
	}
	c := Costs{0, 10, 10, 12, 10, 12, 12, 20}
	good := []Weighted{{Of(0, 1), 1}, {Of(0, 2), 1}, {Of(1, 2), 1}}
	for name, tc := range map[string]struct {
		c     Costs
		proof []Weighted
		den   int64
		says  string
	}{
		"denominator": {c, good, 0, "den: no proof: 0: want a positive denominator"},
		"nobody":      {c, append(slices.Clone(good), Weighted{0, 1}), 2, "proof[3]: no proof: coalition {}"},
		"all":         {c, append(slices.Clone(good), Weighted{7, 1}), 2, "proof[3]: no proof: coalition {0 1 2}"},
		"no weight":   {c, append(slices.Clone(good), Weighted{1, 0}), 2, "proof[3]: no proof: weight 0: want 1 to 2"},
		"weight":      {c, []Weighted{{Of(0, 1), 3}, {Of(0, 2), 2}, {Of(1, 2), 2}}, 2, "proof[0]: no proof: weight 3: want 1 to 2"},
		"balance":     {c, good[:2], 2, "proof: no proof: member 1 is in coalitions of another total weight: want 2"},
		"cost":        {Costs{0, 10, 10, 12, 10, 12, 12, 18}, good, 2, "cost as much as all"},
	} {
		if err := VerifyEmpty(tc.c, tc.proof, tc.den); !errors.Is(err, ErrNotBalanced) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %s", name, err, tc.says)
		}
	}
	// Two members that cost a nano less apart: a weight may be all of den.
	if err := VerifyEmpty(Costs{0, 1, 1, 3}, []Weighted{{Of(0), 5}, {Of(1), 5}}, 5); err != nil {
		t.Error(err)
	}
	for _, x := range []pricing.Money{4 * MaxCost, -4 * MaxCost} {
		if _, err := c.AppendDepartures(nil, []pricing.Money{0, 0, x}); err != nil {
			t.Error(err)
		}
		more := x + 1
		if x < 0 {
			more = x - 1
		}
		dst := []Departure{{Of(1), 1}}
		var in *inputerr.Error
		got, err := c.AppendDepartures(dst, []pricing.Money{1e3, 1e3, more})
		if !errors.Is(err, ErrOverflow) || !errors.As(err, &in) || in.Field != "shares" || in.Index != 2 || !slices.Equal(got, dst) {
			t.Error(got, err)
		}
	}
}

func TestPanics(t *testing.T) {
	var s Solver
	cost := func([]int) (pricing.Money, error) { return 0, nil }
	r := rand.New(rand.NewPCG(1, 1))
	for name, f := range map[string]func(){
		"all":        func() { all(65) },
		"all below":  func() { all(-1) },
		"with":       func() { Of(64) },
		"below":      func() { Of(-1) },
		"shapley":    func() { s.ShapleyTo(nil, Costs{0, 1}) },
		"core":       func() { s.Core(nil, Costs{0, 1}) },
		"departures": func() { Costs{0, 1}.AppendDepartures(nil, nil) },
		"no members": func() { new(Sampler).Shapley(nil, 0, cost, 0, r) },
		"many pairs": func() { new(Sampler).Shapley(nil, 2, cost, 1e6+1, r) },
		"pairs":      func() { new(Sampler).Shapley(nil, 2, cost, 1, r) },
		"rand":       func() { new(Sampler).Shapley(nil, 2, cost, 0, nil) },
	} {
		func() {
			defer func() {
				if msg, ok := recover().(string); !ok || !strings.HasPrefix(msg, "coalition: ") {
					t.Errorf("%s: panic %q", name, msg)
				}
			}()
			f()
		}()
	}
}

func TestSets(t *testing.T) {
	s := Of(5, 0, 3)
	if s.String() != "{0 3 5}" || Set(0).String() != "{}" || s.Len() != 3 || !s.Has(3) || s.Has(1) ||
		!slices.Equal(slices.Collect(s.Members()), []int{0, 3, 5}) || all(0) != 0 || all(3) != 7 || all(64)+1 != 0 || Of(63) != 1<<63 || !all(64).Has(63) {
		t.Error(s)
	}
	for i := range s.Members() {
		if i == 3 {
			break
		}
	}
}

// Nothing is allocated after a warm-up at the largest size.
func TestAllocatesNothing(t *testing.T) {
	var s Solver
	r := rand.New(rand.NewPCG(5, 5))
	var tables []Costs
	for n := 10; n >= 1; n-- {
		c := make(Costs, 1<<n)
		for set := 1; set < len(c); set++ {
			c[set] = pricing.Money(r.Int64N(1e12)) + pricing.Money(Set(set).Len())*1e11
		}
		tables = append(tables, c)
	}
	shares := make([]pricing.Money, 10)
	parts := make([]Set, 0, 10)
	departures := make([]Departure, 0, 1<<10)
	run := func(c Costs) {
		x := shares[:c.Members()]
		if s.ShapleyTo(x, c) != nil {
			t.Fatal("shapley")
		}
		if _, err := s.Core(x, c); err != nil {
			t.Fatal(err)
		}
		parts, _, _ = s.AppendPartition(parts[:0], c)
		departures, _ = c.AppendDepartures(departures[:0], x)
	}
	for _, c := range tables {
		run(c)
	}
	for _, c := range tables {
		if n := allocs.Once(func() { run(c) }); n != 0 {
			t.Errorf("%d members: %v allocations", c.Members(), n)
		}
	}
}

func BenchmarkSolver(b *testing.B) {
	for _, n := range []int{5, 10, 16} {
		r := rand.New(rand.NewPCG(1, 1))
		c := make(Costs, 1<<n)
		for set := 1; set < len(c); set++ {
			c[set] = pricing.Money(1e9*math.Sqrt(float64(Set(set).Len()))) + pricing.Money(r.Int64N(1e8))
		}
		shares := make([]pricing.Money, n)
		var s Solver
		for name, f := range map[string]func() error{
			"shapley":   func() error { return s.ShapleyTo(shares, c) },
			"core":      func() error { _, err := s.Core(shares, c); return err },
			"partition": func() error { _, _, err := s.AppendPartition(nil, c); return err },
		} {
			if name == "partition" && n > 10 {
				continue
			}
			b.Run("alg="+name+"/members="+string(rune('0'+n/10))+string(rune('0'+n%10)), func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// No other number than 0 to 63 is a member, and misuse panics with the package's name.
func TestMembersBeyond(t *testing.T) {
	s := Of(0, 1, 63)
	for _, i := range []int{-1, -64, math.MinInt, 64, math.MaxInt} {
		if s.Has(i) {
			t.Errorf("%v has member %d", s, i)
		}
	}
	defer func() {
		if m, _ := recover().(string); !strings.HasPrefix(m, "coalition: ") {
			t.Errorf("no cost: panic %q", m)
		}
	}()
	_, _ = new(Sampler).Shapley(nil, 2, nil, 0, rand.New(rand.NewPCG(1, 1)))
}
