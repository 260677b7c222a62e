package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// By hand: four paths of four steps in stages of two. The first stage is one group, with the lower
// medians 1 and 2. Then the paths with the lower means, 0 and 2, go one way.
func TestTree(t *testing.T) {
	paths := [][]float64{{1, 2, 3, 3}, {1, 2, 9, 9}, {1, 3, 4, 4}, {1, 3, 8, 9}}
	tree, distance := Tree(paths, 2, 2)
	want := []Branch{{-1, 1, 1}, {0, 1, 2}, {1, .5, 3}, {2, .5, 3}, {1, .5, 8}, {4, .5, 9}}
	if d := cmp.Diff(want, tree); d != "" {
		t.Error(d)
	}
	// Paths 2 and 3 are 1 off in the second step, path 2 in the last two, and path 1 in the third.
	if distance != 5./16 {
		t.Errorf("distance %v, want 5/16", distance)
	}
	if d := cmp.Diff([][]float64{{1, 2, 3, 3}, {1, 2, 9, 9}, {1, 3, 4, 4}, {1, 3, 8, 9}}, paths); d != "" {
		t.Error("paths are modified:", d)
	}
}

// Probabilities add up, parents come first, all branches have one length, and with more ways the
// distance falls, to that of the first stage alone where each path is a branch of its own.
func TestTreeOfRandomPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 1))
	paths := make([][]float64, 200)
	for i := range paths {
		paths[i] = make([]float64, 40)
		x := 50.0
		for j := range paths[i] {
			x += rng.NormFloat64()
			paths[i][j] = x
		}
	}
	last := math.Inf(1)
	for _, ways := range []int{1, 2, 3, 5, 200} {
		tree, distance := Tree(paths, 13, ways)
		sums, depth := make([]float64, len(tree)), make([]int, len(tree))
		for i, b := range tree {
			if b.Parent >= i || (b.Parent < 0) != (i == 0) {
				t.Fatalf("branch %d has the parent %d", i, b.Parent)
			}
			if i > 0 {
				sums[b.Parent] += b.Probability
				depth[i] = depth[b.Parent] + 1
			}
		}
		for i, b := range tree {
			if sums[i] == 0 && depth[i] != 39 || sums[i] > 0 && math.Abs(sums[i]-b.Probability) > 1e-12 {
				t.Fatalf("%d ways: branch %d of depth %d: %v, its children %v", ways, i, depth[i], b.Probability, sums[i])
			}
		}
		if distance >= last {
			t.Errorf("%d ways: distance %v, not below %v", ways, distance, last)
		}
		last = distance
	}
	first := make([][]float64, len(paths))
	for i := range first {
		first[i] = paths[i][:13]
	}
	if _, distance := Tree(first, 13, 1); math.Abs(last-distance*13/40) > 1e-12 {
		t.Errorf("distance %v, want that of the first stage, %v", last, distance*13/40)
	}
}

// The cost of the best purchases decided before anything is seen, here a newsvendor's for each
// step, differs by no more than the distance says.
func TestTreeDistanceBoundsCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 2))
	for range 50 {
		paths := make([][]float64, 30)
		for i := range paths {
			for range 12 {
				paths[i] = append(paths[i], 20*rng.Float64())
			}
		}
		tree, distance := Tree(paths, 4, 1+rng.IntN(4))
		const fee = .4 // of the price on demand, 1
		a, b := 0.0, 0.0
		for s := range 12 {
			var values, weights []float64
			for _, p := range paths {
				values, weights = append(values, p[s]), append(weights, 1./30)
			}
			a += newsvendor(values, weights, fee)
			values, weights = nil, nil
			for i, x := range tree {
				d := 0
				for v := x.Parent; v >= 0; v = tree[v].Parent {
					d++
				}
				if d == s {
					values, weights = append(values, tree[i].Value), append(weights, x.Probability)
				}
			}
			b += newsvendor(values, weights, fee)
		}
		if math.Abs(a-b) > distance*12+1e-9 {
			t.Errorf("costs %v and %v, distance %v a step", a, b, distance)
		}
	}
}

// newsvendor is the least cost of reserving at a fee, with the rest at 1.
func newsvendor(values, weights []float64, fee float64) float64 {
	best := math.Inf(1)
	for _, n := range append([]float64{0}, values...) {
		cost := fee * n
		for i, v := range values {
			cost += weights[i] * max(0, v-n)
		}
		best = min(best, cost)
	}
	return best
}

func TestTreeMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"no paths":  func() { Tree(nil, 1, 1) },
		"stage":     func() { Tree([][]float64{{1}}, 0, 1) },
		"ways":      func() { Tree([][]float64{{1}}, 1, 0) },
		"different": func() { Tree([][]float64{{1}, {1, 2}}, 1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
