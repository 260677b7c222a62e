package lsq

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// Warm, nothing allocates: fits of any size up to the largest before, and predictions.
func TestLeastSquaresAllocatesNothing(t *testing.T) {
	var s Solver
	var r Regression
	type table struct {
		x, y       []float64
		rows, cols int
		opt        Options
	}
	var cases []table
	for k, size := range [][2]int{{200, 8}, {3, 1}, {100, 6}, {20, 8}} {
		x, y := normalTable(size[0], size[1], uint64(k))
		cases = append(cases, table{x, y, size[0], size[1], Options{Intercept: k%2 == 0}})
	}
	total := 0.0
	run := func(k int) {
		c := cases[k]
		if err := s.Solve(&r, c.x, c.rows, c.cols, c.y, c.opt); err != nil {
			t.Fatal(err)
		}
		row := c.x[:c.cols]
		_, _, high := r.Interval(row, 0.95)
		total += high
	}
	for k := range cases {
		run(k)
	}
	for k := range cases {
		if n := allocs.Once(func() { run(k) }); n != 0 {
			t.Errorf("case %d: %v allocations", k, n)
		}
	}
}

// normalTable returns rows of normal numbers and y that depends on all of them.
func normalTable(rows, cols int, seed uint64) (x, y []float64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range rows {
		sum := 3 + rnd.NormFloat64()
		for j := range cols {
			v := rnd.NormFloat64()
			x = append(x, v)
			sum += float64(j) * v
		}
		y = append(y, sum)
	}
	return x, y
}
