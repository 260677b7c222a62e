package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/treefile"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/reserve"
)

// futures draws futures of the only series.
func (r *results) futures() ([][]float64, error) {
	c, err := r.oracle()
	if err != nil {
		return nil, err
	}
	if _, err := c.look(r.in.items[0].all); err != nil {
		return nil, err
	}
	paths := make([][]float64, r.o.futures)
	for i := range paths {
		paths[i] = make([]float64, r.o.horizon)
	}
	c.p.Paths(paths, rand.New(rand.NewPCG(r.o.seed, 0)))
	return paths, nil
}

// writePaths writes futures: a header with the name of a step and of the paths, then a line for
// each step.
func (r *results) writePaths(w io.Writer) error {
	paths, err := r.futures()
	if err != nil {
		return err
	}
	out := plain.NewCSV(w)
	record := make([]string, 1+len(paths))
	record[0] = r.in.step
	for i := range paths {
		record[1+i] = "p" + strconv.Itoa(i)
	}
	out.Write(record...)
	for step := range r.o.horizon {
		record[0] = strconv.Itoa(step + 1)
		for i, path := range paths {
			record[1+i] = digits(path[step])
		}
		out.Write(record...)
	}
	return out.Flush()
}

// writeTree writes futures as a tree, and says how far the tree is from them.
func (r *results) writeTree(w io.Writer) error {
	paths, err := r.futures()
	if err != nil {
		return err
	}
	tree, distance := forecast.Tree(paths, r.o.stage, r.o.ways)
	nodes, leaves, mean := make([]reserve.Node, len(tree)), len(tree), 0.0
	parents := make([]bool, len(tree))
	for i, b := range tree {
		one, err := reserve.AppendInstances(nil, []float64{b.Value})
		if err != nil {
			return cli.Mistakef("-tree: step %d: a demand of %v: want 0 or more in each step, such as by -nonnegative", step(tree, i)+1, b.Value)
		}
		nodes[i] = reserve.Node{Parent: b.Parent, Probability: b.Probability, Demand: one[0]}
		mean += b.Probability * b.Value / float64(r.o.horizon)
		if b.Parent >= 0 && !parents[b.Parent] {
			parents[b.Parent] = true
			leaves--
		}
	}
	far := ""
	if mean > 0 {
		far = fmt.Sprintf(", %s%% of the mean", fixed(100*distance/mean, 1))
	}
	r.run.Sayf("-tree: %s, %s of them at the end, from %s; the tree is %s a step from them%s",
		decimal.Count(len(tree), "node"), decimal.Int(leaves), decimal.Count(len(paths), "future"), measure(distance), far)
	return treefile.Write(w, nodes)
}

// step returns the step of a branch, from 0.
func step(tree []forecast.Branch, i int) (n int) {
	for v := tree[i].Parent; v >= 0; v = tree[v].Parent {
		n++
	}
	return n
}
