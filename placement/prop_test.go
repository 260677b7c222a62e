package placement

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
)

var policies = []Policy{MaxMarginFirst, MinMarginFirst, MaxIdleFirst, MinIdleFirst}

// firstIDs sorts by the documented rule and returns the IDs of the first n, in
// rising order.
func firstIDs(idle []Instance, n int, p Policy) []int {
	sorted := slices.Clone(idle)
	sort.Slice(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		switch {
		case p == MaxMarginFirst && a.Due != b.Due:
			return a.Due > b.Due
		case p == MinMarginFirst && a.Due != b.Due:
			return a.Due < b.Due
		case p == MaxIdleFirst && a.Since != b.Since:
			return a.Since < b.Since
		case p == MinIdleFirst && a.Since != b.Since:
			return a.Since > b.Since
		}
		return a.ID < b.ID
	})
	return ids(sorted, upTo(n))
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func ids(idle []Instance, positions []int) []int {
	out := []int{}
	for _, p := range positions {
		out = append(out, idle[p].ID)
	}
	slices.Sort(out)
	return out
}

// Every policy takes what sorting puts first, with few different keys so that
// ties are common, in any order of the input and with a used Selector.
func TestAppendSelectEqualsSort(t *testing.T) {
	var used Selector
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.IntRange(1, 30).Draw(t, "keys")
		idle := make([]Instance, rapid.IntRange(0, 300).Draw(t, "idle"))
		for i := range idle {
			idle[i] = Instance{
				ID:    7 * i,
				Due:   time.Duration(rapid.IntRange(-few, few).Draw(t, "due")),
				Since: time.Duration(rapid.IntRange(0, few).Draw(t, "since")),
			}
		}
		n := rapid.IntRange(0, len(idle)).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		for _, p := range policies {
			want := firstIDs(idle, n, p)
			before := slices.Clone(idle)
			dst := []int{-5}
			got := used.AppendSelect(dst, idle, n, p, nil)
			if got[0] != -5 || !slices.Equal(ids(idle, got[1:]), want) {
				t.Fatalf("%v: %s", p, cmp.Diff(want, ids(idle, got[1:])))
			}
			if !slices.Equal(idle, before) {
				t.Fatalf("%v modified the instances", p)
			}
			if again := new(Selector).AppendSelect(nil, idle, n, p, nil); !slices.Equal(again, got[1:]) {
				t.Fatalf("%v: a fresh Selector chose %v, a used one %v", p, again, got[1:])
			}
			shuffled := slices.Clone(idle)
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(idle), func(i, j int) {
				shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
			})
			if got := ids(shuffled, used.AppendSelect(nil, shuffled, n, p, nil)); !slices.Equal(got, want) {
				t.Fatalf("%v, shuffled: %s", p, cmp.Diff(want, got))
			}
		}
		got := used.AppendSelect(nil, idle, n, Random, rand.New(rand.NewPCG(seed, 1)))
		if again := used.AppendSelect(nil, idle, n, Random, rand.New(rand.NewPCG(seed, 1))); !slices.Equal(got, again) {
			t.Fatalf("the same seed chose %v and %v", got, again)
		}
		if slices.Sort(got); len(got) != n || len(slices.Compact(got)) != n {
			t.Fatalf("Random chose %v, want %d different ones", got, n)
		}
	})
}

// A golden stream: what Random chooses for a seed must not change. The values
// are those of the first version.
func TestRandomGolden(t *testing.T) {
	idle := make([]Instance, 10)
	got := new(Selector).AppendSelect(nil, idle, 4, Random, rand.New(rand.NewPCG(1, 2)))
	if diff := cmp.Diff([]int{7, 6, 2, 8}, got); diff != "" {
		t.Error(diff)
	}
}

// counting counts the numbers that are drawn.
type counting struct {
	rand.Source
	n int
}

func (c *counting) Uint64() uint64 { c.n++; return c.Source.Uint64() }

// All 15 pairs of 6 instances come up equally often: chi-square with 14 degrees
// of freedom, 15,000 draws from seed (3, 4); 36.12 is its 0.999 quantile. Each
// selection of n draws n numbers, and the other policies draw none.
func TestRandomIsUniform(t *testing.T) {
	const draws, pairs = 15_000, 15
	src := &counting{Source: rand.NewPCG(3, 4)}
	rnd := rand.New(src)
	var s Selector
	idle := make([]Instance, 6)
	count := map[[2]int]int{}
	for range draws {
		got := s.AppendSelect(nil, idle, 2, Random, rnd)
		slices.Sort(got)
		count[[2]int(got)]++
	}
	if src.n != 2*draws {
		t.Errorf("%d numbers drawn, want %d", src.n, 2*draws)
	}
	chi := 0.0
	for _, n := range count {
		d := float64(n) - draws/pairs
		chi += d * d / (draws / pairs)
	}
	if len(count) != pairs || chi > 36.12 {
		t.Errorf("%d pairs, chi-square %.1f", len(count), chi)
	}
	src.n = 0
	for _, p := range policies {
		s.AppendSelect(nil, idle, 3, p, rnd)
	}
	if src.n != 0 {
		t.Errorf("%d numbers drawn by policies that are not random", src.n)
	}
}

func TestPanics(t *testing.T) {
	idle := make([]Instance, 3)
	rnd := rand.New(rand.NewPCG(1, 1))
	for want, f := range map[string]func(){
		"placement: selection of more instances than are idle": func() { new(Selector).AppendSelect(nil, idle, 4, MaxMarginFirst, rnd) },
		"placement: selection of a negative number":            func() { new(Selector).AppendSelect(nil, idle, -1, MaxMarginFirst, rnd) },
		"placement: unknown policy":                            func() { new(Selector).AppendSelect(nil, idle, 1, Random+1, rnd) },
		"placement: nil source of randomness":                  func() { new(Selector).AppendSelect(nil, idle, 1, Random, nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

func TestPolicyText(t *testing.T) {
	for p := MaxMarginFirst; p <= Random; p++ {
		text, err := p.MarshalText()
		var back Policy
		if err != nil || back.UnmarshalText(text) != nil || back != p || p.String() != string(text) {
			t.Errorf("%v: text %q, %v, read as %v", p, text, err, back)
		}
	}
	p := MinIdleFirst
	err := p.UnmarshalText([]byte("best"))
	const want = `placement: Policy: unknown name: "best": want max-margin, min-margin, max-idle, min-idle or random`
	if err == nil || err.Error() != want || p != MinIdleFirst {
		t.Errorf("%v, error %v", p, err)
	}
	if _, err := Policy(9).MarshalText(); err == nil || Policy(9).String() != "Policy(9)" {
		t.Errorf("Policy(9): %v, error %v", Policy(9), err)
	}
}

// Random draws once for each instance that it selects, all of them included; the other
// policies draw nothing.
func TestDraws(t *testing.T) {
	idle := make([]Instance, 5)
	for i := range idle {
		idle[i].ID = i
	}
	for policy := range Policy(5) {
		for n := range 6 {
			a, b := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
			got := new(Selector).AppendSelect(nil, idle, n, policy, a)
			if len(got) != n {
				t.Fatalf("%v: %d positions, want %d", policy, len(got), n)
			}
			if policy == Random {
				for i := range n {
					b.IntN(len(idle) - i)
				}
			}
			if a.Uint64() != b.Uint64() {
				t.Errorf("%v: %d of 5 does not draw as often as documented", policy, n)
			}
		}
	}
}
