package reserve

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// sharedTree reads a tree of the reference material, with its prices, in slots of a week.
func sharedTree(tb testing.TB, name, classes string) *Problem {
	tb.Helper()
	p := &Problem{Slot: 168 * time.Hour}
	f, err := os.Open(shared.File(tb, "scenarios/tree/"+name+".csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	for _, row := range rows[1:] {
		v := Node{Parent: -1}
		if row[1] != "" {
			v.Parent = number(tb, row[1])
		}
		if v.Probability, err = strconv.ParseFloat(row[2], 64); err != nil {
			tb.Fatal(err)
		}
		v.Demand = number(tb, row[3])
		p.Tree = append(p.Tree, v)
	}
	text, err := os.ReadFile(shared.File(tb, "scenarios/tree/"+classes+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	var list struct {
		OnDemand pricing.Money `json:"on_demand"`
		Classes  []struct {
			Name, Term      string
			Upfront, Hourly pricing.Money
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		tb.Fatal(err)
	}
	p.Prices.OnDemand = list.OnDemand
	for _, c := range list.Classes {
		term, err := time.ParseDuration(c.Term)
		if err != nil {
			tb.Fatal(err)
		}
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: c.Name, Term: term, Upfront: c.Upfront, Hourly: c.Hourly, Billed: pricing.Always})
	}
	return p
}

func number(tb testing.TB, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// The optima of the reference trees, and what deciding at once costs, are those of HiGHS
// (shared/peers/tree.py), which prints six decimals. Probabilities of what is decided at once are
// rounded, so that those costs agree to 10⁻⁹.
func TestTreeReference(t *testing.T) {
	text, err := os.ReadFile(shared.File(t, "scenarios/tree/reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Case     string
		Optimum  float64
		TwoStage float64 `json:"two_stage"`
		OnDemand float64 `json:"on_demand"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	var e Exact
	for _, c := range cases {
		t.Run(c.Case, func(t *testing.T) {
			name, classes, _ := strings.Cut(c.Case, " ")
			p := sharedTree(t, name, classes)
			plan, err := e.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			want := strconv.FormatFloat(c.Optimum, 'f', 6, 64)
			if got := plan.Cost.Fixed(6); got != want || !plan.Optimal() {
				t.Errorf("cost %s, bound %s, want %s", got, plan.Bound.Fixed(6), want)
			}
			if err := Verify(p, &plan); err != nil {
				t.Error(err)
			}
			nothing, err := Cost(p, nil)
			if err != nil || math.Abs(nothing.Float64()-c.OnDemand) > 1e-6 {
				t.Errorf("on demand %v, %v, want %v", nothing, err, c.OnDemand)
			}
			w, err := e.Waiting(p)
			if err != nil || math.Abs(w.AtOnce.Float64()/c.TwoStage-1) > 1e-9 {
				t.Errorf("at once %v, %v, want %v", w.AtOnce, err, c.TwoStage)
			}
			t.Logf("%+v", w)
		})
	}
}

// madeTree makes up a problem with a tree whose probabilities are multiples of 2⁻²⁰.
func madeTree(rng *rand.Rand, slots, classes int) *Problem {
	p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: pricing.Money(2+rng.IntN(5)) * pricing.Unit}}
	level := []int{-1}
	for t := range slots {
		var next []int
		for _, u := range level {
			ways, reach := 1, 1.0
			if u >= 0 {
				reach = p.Tree[u].Probability
				if len(level) < 40 && rng.IntN(3) == 0 {
					ways = 2
				}
			}
			share := float64(1+rng.IntN(3)) / 4
			for w := range ways {
				q := reach
				if ways == 2 {
					q *= []float64{share, 1 - share}[w]
				}
				next = append(next, len(p.Tree))
				p.Tree = append(p.Tree, Node{u, q, rng.IntN(6)})
			}
		}
		level = next
		if t > 8 && rng.IntN(2) == 0 {
			break
		}
	}
	term, fee := 0, 0
	for k := range classes {
		term += 1 + rng.IntN(3)
		fee += 1 + rng.IntN(9)
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: fmt.Sprint(k), Term: time.Duration(term) * time.Hour,
			Upfront: pricing.Money(fee) * pricing.Unit})
	}
	return p
}

// solved solves a problem and verifies the plan.
func solved(t *testing.T, e *Exact, p *Problem) Plan {
	t.Helper()
	plan, err := e.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(p, &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Bound > plan.Cost {
		t.Fatalf("bound %v above the cost %v", plan.Bound, plan.Cost)
	}
	return plan
}

// A tree without branches is a known demand: with contracts held, dates, closed slots and both
// horizons.
func TestTreeLine(t *testing.T) {
	var e Exact
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		line := &Problem{Slot: time.Hour, Prices: madeTree(rng, 1, 1+rng.IntN(3)).Prices, Horizon: Horizon(rng.IntN(2)), Every: rng.IntN(4)}
		tree := &Problem{}
		n := 1 + rng.IntN(20)
		for i := range n {
			line.Demand = append(line.Demand, rng.IntN(7))
			line.Closed = append(line.Closed, rng.IntN(5) == 0)
			tree.Tree = append(tree.Tree, Node{i - 1, 1, line.Demand[i]})
		}
		line.Held = []pricing.Holding{{Class: 0, Count: rng.IntN(3), Until: rng.IntN(n + 3)}}
		if rng.IntN(2) == 0 {
			for k := range line.Prices.Classes {
				line.Prices.Classes[k].Hourly, line.Prices.Classes[k].Billed = pricing.Unit, pricing.WhenUsed
			}
		}
		nodes := tree.Tree
		*tree = *line
		tree.Demand, tree.Tree = nil, nodes
		want := solved(t, &e, line).Cost
		if got := solved(t, &e, tree); got.Cost != want || !got.Optimal() {
			t.Fatalf("seed %d: %v, bound %v, want %v", seed, got.Cost, got.Bound, want)
		}
	}
}

// A tree that parts at its root, without demand there, is a set of known demands: its optimum is
// the mean of theirs, the Hindsight of the paths. Deciding all at the root is Exact with the paths.
func TestTreeStar(t *testing.T) {
	var e Exact
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		star := madeTree(rng, 1, 1+rng.IntN(2))
		star.Tree[0].Demand = 0
		paths := &Problem{Slot: star.Slot, Prices: star.Prices}
		for range 4 {
			path, u := []int{0}, 0
			for range 9 {
				star.Tree = append(star.Tree, Node{u, .25, rng.IntN(6)})
				u = len(star.Tree) - 1
				path = append(path, star.Tree[u].Demand)
			}
			paths.Paths = append(paths.Paths, path)
		}
		star.Closed = make([]bool, 10)
		star.Closed[0] = true // at the root nothing is known
		paths.Closed = star.Closed
		plan := solved(t, &e, paths)
		o, err := e.Outlook(paths, plan.Purchases)
		if err != nil {
			t.Fatal(err)
		}
		w, err := e.Waiting(star)
		if err != nil {
			t.Fatal(err)
		}
		if w.Cost != o.Hindsight || w.Hindsight != o.Hindsight || w.AtOnce != o.Cost || w.Shows != 1 {
			t.Fatalf("seed %d: %+v, want the optimum %v and at once %v", seed, w, o.Hindsight, o.Cost)
		}
	}
}

// copies returns p with a subtree twice: every node of it with shares of its probability, 1 − share
// in the second copy.
func copies(p *Problem, top int, share float64) *Problem {
	q := *p
	q.Tree = slices.Clone(p.Tree)
	second := map[int]int{}
	for i, v := range p.Tree {
		u, inside := second[v.Parent]
		if i != top && !inside {
			continue
		}
		if i == top {
			u = v.Parent
		}
		q.Tree[i].Probability = v.Probability * share
		second[i] = len(q.Tree)
		q.Tree = append(q.Tree, Node{u, v.Probability * (1 - share), v.Demand})
	}
	return &q
}

// A node that becomes two of the same future changes nothing. What is known a slot earlier costs no
// more, and Hindsight ≤ Cost ≤ AtOnce, Replanned, Later.
func TestTreeKnowing(t *testing.T) {
	var e Exact
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := madeTree(rng, 12, 1)
		cost := solved(t, &e, p).Cost
		top := 1 + rng.IntN(len(p.Tree)-1)
		if got := solved(t, &e, copies(p, top, .25)).Cost; got != cost {
			t.Fatalf("seed %d: %v with node %d twice, want %v", seed, got, top, cost)
		}
		w, err := e.Waiting(p)
		if err != nil {
			t.Fatal(err)
		}
		if w.Hindsight > w.Cost || w.Cost != cost || w.Cost > min(w.Replanned, w.AtOnce, w.Later) {
			t.Fatalf("seed %d: %+v", seed, w)
		}
		if q := earlier(p); q != nil {
			if got := solved(t, &e, q).Cost; got > cost {
				t.Fatalf("seed %d: %v if known earlier, more than %v", seed, got, cost)
			}
		}
	}
}

// earlier returns p with the first branch below the root known a slot before, nil if there is none.
func earlier(p *Problem) *Problem {
	kids := make([][]int, len(p.Tree))
	for i, v := range p.Tree {
		if i > 0 {
			kids[v.Parent] = append(kids[v.Parent], i)
		}
	}
	for v := 1; v < len(p.Tree); v++ {
		if len(kids[v]) < 2 {
			continue
		}
		q := *p
		q.Tree = slices.Clone(p.Tree)
		a, b := kids[v][0], kids[v][1]
		q.Tree[v].Probability = p.Tree[a].Probability
		twin := Node{p.Tree[v].Parent, p.Tree[b].Probability, p.Tree[v].Demand}
		q.Tree = slices.Insert(q.Tree, v+1, twin)
		for i := v + 2; i < len(q.Tree); i++ {
			switch old := p.Tree[i-1].Parent; {
			case i-1 == b:
				q.Tree[i].Parent = v + 1
			case old > v:
				q.Tree[i].Parent = old + 1
			}
		}
		return &q
	}
	return nil
}

// What can be wrong with a tree.
func TestTreeBad(t *testing.T) {
	ok := []Node{{-1, 1, 3}, {0, .5, 2}, {0, .5, 1}, {1, .5, 2}, {2, .5, 1}}
	list := pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{{Name: "a", Term: 2 * time.Hour, Upfront: pricing.Unit}}}
	change := func(i int, v Node) func(p *Problem) { return func(p *Problem) { p.Tree[i] = v } }
	for _, tt := range []struct {
		name  string
		spoil func(p *Problem)
		index int
		err   error
		says  string
	}{
		{"no nodes", func(p *Problem) { p.Tree = []Node{} }, -1, ErrRange, "at least the root"},
		{"two roots", change(2, Node{-1, .5, 1}), 2, ErrRange, "a second root"},
		{"no root", change(0, Node{0, 1, 3}), 0, ErrRange, "the first node is the root"},
		{"node before its parent", change(1, Node{3, .5, 2}), 1, ErrRange, "want a node before it"},
		{"its own parent", change(3, Node{3, .5, 2}), 3, ErrRange, "want a node before it"},
		{"last its own parent", change(4, Node{4, .5, 2}), 4, ErrRange, "want a node before it"},
		{"probability 0", change(4, Node{2, 0, 1}), 4, ErrRange, "more than 0"},
		{"probability NaN", change(4, Node{2, math.NaN(), 1}), 4, ErrRange, "more than 0"},
		{"probability above 1", change(4, Node{2, 1.5, 1}), 4, ErrRange, "at most 1"},
		{"probability too small", func(p *Problem) {
			p.Tree = append(p.Tree[:1], Node{0, 1 - 1e-13, 1}, Node{0, 1e-13, 1})
		}, 2, ErrRange, "want at least 1/1000000000000"},
		{"root of less than 1", change(0, Node{-1, .9, 3}), 0, ErrRange, "want 1"},
		{"children of less", change(1, Node{0, .4, 2}), 0, ErrRange, "its children have the probability 0.9"},
		{"branches of unequal length", func(p *Problem) { p.Tree = append(p.Tree, Node{4, .5, 1}) }, 3, ErrRange, "ends a branch of 3 slots: want 4"},
		{"negative demand", change(3, Node{1, .5, -1}), 3, ErrRange, "-1"},
		{"two demands", func(p *Problem) { p.Demand = []int{1} }, -1, ErrRange, "want one of"},
		{"paths too", func(p *Problem) { p.Paths = [][]int{{1}} }, -1, ErrRange, "want one of"},
		{"closed of nodes", func(p *Problem) { p.Closed = make([]bool, 5) }, -1, ErrRange, "3 of Demand"},
		{"cap", func(p *Problem) { p.MaxActive = 1 }, -1, ErrUnsupported, "plans without caps"},
		{"two prices of use", func(p *Problem) {
			p.Prices.Classes = append(slices.Clone(list.Classes), pricing.Class{Name: "b", Term: time.Hour, Hourly: pricing.Unit / 2, Billed: pricing.WhenUsed})
		}, -1, ErrUnsupported, "one price of use"},
		{"prices too large", func(p *Problem) {
			p.Prices.Classes = []pricing.Class{{Name: "a", Term: time.Hour, Upfront: 1<<60 + 1}}
		}, -1, ErrOverflow, "too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Problem{Tree: slices.Clone(ok), Slot: time.Hour, Prices: list}
			tt.spoil(p)
			_, err := new(Exact).Solve(p)
			var in *InputError
			if !errors.As(err, &in) || !errors.Is(err, tt.err) || in.Index != tt.index || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q at %d", err, tt.says, tt.index)
			}
		})
	}
	p := &Problem{Tree: ok, Slot: time.Hour, Prices: list}
	if _, err := new(HGR).AppendPlan(nil, p); !errors.Is(err, ErrUnsupported) {
		t.Errorf("HGR says %v", err)
	}
	if _, err := new(Exact).Waiting(&Problem{Demand: []int{1}, Slot: time.Hour, Prices: list}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("Waiting without a tree says %v", err)
	}
}

// Demands up to 2³¹, prices and fees from nothing to the limit: plans are proved optimal, or
// amounts do not fit.
func TestTreeExtremes(t *testing.T) {
	var e Exact
	large := 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 77))
		p := madeTree(rng, 30, 1+rng.IntN(3))
		sort := rng.IntN(3)
		for i := range p.Tree {
			switch sort {
			case 1:
				p.Tree[i].Demand = rng.IntN(math.MaxInt32)
			case 2:
				p.Tree[i].Demand = rng.IntN(2) * 1_000_000
			}
		}
		p.Prices.OnDemand = pricing.Money(1 + rng.Int64N(1<<(1+rng.IntN(50))))
		for k := range p.Prices.Classes {
			p.Prices.Classes[k].Upfront = pricing.Money(rng.Int64N(1 << (1 + rng.IntN(55))))
		}
		plan, err := e.Solve(p)
		if errors.Is(err, ErrOverflow) {
			large++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p, &plan); err != nil || plan.Gap() > 1e-9 {
			t.Fatalf("seed %d: %v, cost %v, bound %v", seed, err, plan.Cost, plan.Bound)
		}
	}
	if large > 500 {
		t.Errorf("%d of 1000 do not fit", large)
	}
}

// Verify finds what was changed.
func TestTreeForged(t *testing.T) {
	p := madeTree(rand.New(rand.NewPCG(7, 4)), 12, 2)
	for _, tt := range []struct {
		name  string
		forge func(p *Plan)
	}{
		{"cost", func(p *Plan) { p.Cost-- }},
		{"bound", func(p *Plan) { p.Bound++ }},
		{"value", func(p *Plan) { p.Certificate.Values[3] += 1 << 40 }},
		{"negative value", func(p *Plan) { p.Certificate.Values[3] = -1 }},
		{"values", func(p *Plan) { p.Certificate.Values = p.Certificate.Values[1:] }},
		{"unit", func(p *Plan) { p.Certificate.Den *= 100 }},
		{"node", func(p *Plan) { p.Purchases[0].Slot = 1 << 20 }},
		{"count", func(p *Plan) { p.Purchases[0].Count++ }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := new(Exact).Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			tt.forge(&plan)
			if err := Verify(p, &plan); !errors.Is(err, ErrForged) {
				t.Errorf("%v, want ErrForged", err)
			}
		})
	}
}

// A dirty Exact gives what a fresh one gives, leaves its input alone, and allocates nothing once
// warm.
func TestTreeMemory(t *testing.T) {
	var e Exact
	list := []*Problem{madeTree(rand.New(rand.NewPCG(1, 5)), 40, 2), madeTree(rand.New(rand.NewPCG(2, 5)), 12, 1), madeTree(rand.New(rand.NewPCG(3, 5)), 30, 3)}
	for _, p := range list {
		before := slices.Clone(p.Tree)
		got, want := solved(t, &e, p), solved(t, new(Exact), p)
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(before, p.Tree); d != "" {
			t.Error(d)
		}
	}
	var dst []pricing.Purchase
	if n := allocs.Once(func() {
		for _, p := range list {
			dst, _ = e.AppendPlan(dst[:0], p)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkTree(b *testing.B) {
	for _, name := range []string{"quarters", "bushy"} {
		for _, classes := range []string{"one", "three"} {
			b.Run("tree="+name+"/classes="+classes, func(b *testing.B) {
				p := sharedTree(b, name, classes)
				var e Exact
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Solve(p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
