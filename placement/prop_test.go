package placement

import (
	"fmt"
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

// killer returns an order of size instances on which every partition by the
// median of three splits off two, so that quickselect alone is quadratic. It is
// made backwards: the partition of 0, x, b₂, …, 1 (in the middle), …, bₖ swaps x
// and 1 and returns the first two.
func killer(size int) []ranked {
	a := []ranked{{0, 0, 0}}
	for len(a) < size {
		b := make([]ranked, len(a)+2)
		copy(b[2:], a)
		for i := range b {
			b[i].key += 2
		}
		mid := (len(b) - 1) / 2
		if mid < 2 { // too small for the pattern
			b[0].key, b[1].key = 0, 1
		} else {
			b[0].key, b[1].key, b[mid].key = 0, b[mid].key, 1
		}
		a = b
	}
	for i := range a {
		a[i].id, a[i].pos = i, i
	}
	return a
}

// An order that defeats quickselect reaches the fallback to a heap.
func TestSelectFirstFallsBack(t *testing.T) {
	a := killer(1001)
	want := slices.Clone(a)
	sort.Slice(want, func(i, j int) bool { return want[i].before(&want[j]) })
	const n = 500
	rest, left, partitions := slices.Clone(a), n, 0
	for left > 0 && left < len(rest) {
		m := partition(rest)
		rest, left = rest[m:], left-m
		partitions++
	}
	if partitions != n/2 {
		t.Fatalf("%d partitions, want %d: the order is not a killer any more", partitions, n/2)
	}
	selectFirst(a, n)
	sort.Slice(a[:n], func(i, j int) bool { return a[i].before(&a[j]) })
	if !slices.Equal(a[:n], want[:n]) {
		t.Error(cmp.Diff(fmt.Sprint(want[:n]), fmt.Sprint(a[:n])))
	}
}

// The fallback of quickselect alone. Seed 5.
func TestHeapSelect(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		a := make([]ranked, 1+rnd.IntN(60))
		for i := range a {
			a[i] = ranked{time.Duration(rnd.IntN(20)), i, i}
		}
		want := slices.Clone(a)
		sort.Slice(want, func(i, j int) bool { return want[i].before(&want[j]) })
		n := 1 + rnd.IntN(len(a))
		heapSelect(a, n)
		sort.Slice(a[:n], func(i, j int) bool { return a[i].before(&a[j]) })
		if !slices.Equal(a[:n], want[:n]) {
			t.Fatalf("the first %d: %v, want %v", n, a[:n], want[:n])
		}
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
