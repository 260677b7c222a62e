package mintree

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/plimsoll/plimsoll/internal/seeded" // repeatable
)

// The tree of minima is an array with loops.
func TestMinTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Int64Range(-9, 9), 1, 20).Draw(t, "numbers")
		var tree Tree
		tree.Reset(len(a))
		for i, x := range a {
			tree.Set(i, x)
		}
		tree.Build()
		for range 20 {
			l := rapid.IntRange(0, len(a)-1).Draw(t, "l")
			r := rapid.IntRange(l+1, len(a)).Draw(t, "r")
			x := rapid.Int64Range(-9, 9).Draw(t, "x")
			tree.Plus(l, r, x)
			for i := l; i < r; i++ {
				a[i] += x
			}
			l = rapid.IntRange(0, len(a)-1).Draw(t, "from")
			r = rapid.IntRange(l+1, len(a)).Draw(t, "to")
			if got, want := tree.Min(l, r), slices.Min(a[l:r]); got != want {
				t.Fatalf("min %d to %d is %d, want %d", l, r, got, want)
			}
			if got, want := tree.First(), slices.Index(a, slices.Min(a)); got != want {
				t.Fatalf("first of the least is %d, want %d", got, want)
			}
		}
	})
}
