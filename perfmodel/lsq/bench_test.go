package lsq

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A fit, warm, beside what gonum's QR takes for the coefficients alone, in memory
// that is kept as far as it allows.
func BenchmarkLeastSquares(b *testing.B) {
	for _, size := range [][2]int{{20, 3}, {100, 6}, {1000, 10}} {
		rows, cols := size[0], size[1]
		x, y := normalTable(rows, cols, 1)
		b.Run(fmt.Sprintf("alg=ours/rows=%d/cols=%d", rows, cols), func(b *testing.B) {
			b.ReportAllocs()
			var s Solver
			var r Regression
			for b.Loop() {
				if err := s.Solve(&r, x, rows, cols, y, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("alg=gonum/rows=%d/cols=%d", rows, cols), func(b *testing.B) {
			b.ReportAllocs()
			var qr mat.QR
			var beta mat.VecDense
			a, v := mat.NewDense(rows, cols, x), mat.NewVecDense(rows, y)
			for b.Loop() {
				qr.Factorize(a)
				if err := qr.SolveVecTo(&beta, false, v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What comes after a fit of 100 rows and 6 columns with an intercept.
func BenchmarkRegression(b *testing.B) {
	const rows, cols = 100, 6
	x, y := normalTable(rows, cols, 1)
	var s Solver
	var r Regression
	if err := s.Solve(&r, x, rows, cols, y, Options{Intercept: true}); err != nil {
		b.Fatal(err)
	}
	row := x[:cols]
	total := 0.0
	for _, f := range []struct {
		name string
		do   func()
	}{
		{"op=fit", func() { s.Solve(&r, x, rows, cols, y, Options{Intercept: true}) }},
		{"op=predict", func() { total += r.Predict(row) }},
		{"op=leverage", func() { total += r.LeverageAt(row) }},
		{"op=interval", func() { _, _, high := r.Interval(row, 0.9); total += high }},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.do()
			}
		})
	}
}
