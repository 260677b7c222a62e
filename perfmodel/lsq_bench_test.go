package perfmodel

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkSolve(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 600)
	y := make([]float64, 100)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	for i := range y {
		y[i] = rnd.NormFloat64()
	}
	var s Solver
	var r Regression
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Solve(&r, x, 100, 6, y, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
