package forecast

import (
	"cmp"
	"math"
	"slices"
)

// A tree of the future, from paths.
//
// A buyer decides again when more has shown. Paths do not say what shows when: on a path all is
// known from its first step on. A tree does: its nodes are the steps of one past, and a node has
// several children where more shows.
//
// Reduction. Steps are stages of equal length, and more shows at the start of each stage but the
// first. Begin with all paths in one group. At the start of a stage each group is sorted by the
// mean of its paths over the stage, and parted into equal groups, as many as wanted, or fewer where
// it has fewer paths. A group is a node in each step of its stage: its probability is its share of
// the paths, and its value the median of its paths. Groups of equal size by one number are the
// quantile trees of the literature; a stage's mean is what a reservation cares for.
//
// Error. Each path is put in the place of the medians of its groups, and the distance is the mean,
// over paths and steps, of the absolute differences. It bounds the Wasserstein distance between
// paths and tree, the least mean distance at which one can be moved to the other. Where a unit of
// demand for a step costs at most p, the optimal cost of purchases that are decided before anything
// is seen differs between tree and paths by at most p·distance·steps. A median leaves out what
// varies within a group, so the tree is optimistic by at most that much. For purchases that wait no
// such bound holds: what is known when is an assumption of the tree's, that of a stage as a whole
// from its first step. More paths and more ways bring the distance down.
//
// Time O(n·h·log n) for n paths of h steps. The tree has at most n·h nodes.
//
// References: Pflug, Pichler, Multistage Stochastic Optimization, Springer, 2014, for distances of
// trees. Heitsch, Römisch, Scenario tree modeling for multistage stochastic programs, Mathematical
// Programming 118, 2009, for growing trees from paths stage by stage.

// A Branch is a step of one past of a tree.
type Branch struct {
	Parent      int     // the index of the step before, -1 for the first
	Probability float64 // of getting there
	Value       float64
}

// Tree returns a tree of the future that approximates paths, and the distance of the tree from the
// paths. The paths are equally likely and have the same length. The tree divides the steps into
// stages of stage steps each. At the start of each stage but the first, each group of paths divides
// into ways groups, or into fewer if the group has fewer paths. A Branch comes after its parent.
// Paths with equal means over a stage keep their order. Tree panics if there are no paths, if paths
// differ in length, or if stage or ways is below 1. Tree allocates, and does not modify the paths.
func Tree(paths [][]float64, stage, ways int) (tree []Branch, distance float64) {
	if len(paths) == 0 || stage < 1 || ways < 1 {
		panic("forecast: Tree: no paths, or a stage or ways below 1")
	}
	steps := len(paths[0])
	for _, p := range paths {
		if len(p) != steps {
			panic("forecast: Tree: paths of different lengths")
		}
	}
	type group struct {
		paths  []int // in a part of one table
		parent int
	}
	all := make([]int, len(paths))
	for i := range all {
		all[i] = i
	}
	groups, next := []group{{all, -1}}, []group(nil)
	totals, column := make([]float64, len(paths)), make([]float64, 0, len(paths))
	for from := 0; from < steps; from += stage {
		to := min(steps, from+stage)
		for i, p := range paths {
			totals[i] = total(p[from:to])
		}
		next = next[:0]
		for _, g := range groups {
			parts := 1
			if from > 0 {
				parts = min(ways, len(g.paths))
			}
			slices.SortStableFunc(g.paths, func(a, b int) int { return cmp.Compare(totals[a], totals[b]) })
			for k := range parts {
				part := group{g.paths[k*len(g.paths)/parts : (k+1)*len(g.paths)/parts], g.parent}
				for t := from; t < to; t++ {
					column = column[:0]
					for _, i := range part.paths {
						column = append(column, paths[i][t])
					}
					v := median(column)
					for _, x := range column {
						distance += math.Abs(x - v)
					}
					tree = append(tree, Branch{part.parent, float64(len(part.paths)) / float64(len(paths)), v})
					part.parent = len(tree) - 1
				}
				next = append(next, part)
			}
		}
		groups, next = next, groups
	}
	return tree, distance / float64(len(paths)*max(1, steps))
}

// total returns the sum of values.
func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// median sorts values and returns the middle one, the lower of two.
func median(x []float64) float64 {
	slices.Sort(x)
	return x[(len(x)-1)/2]
}
