package lsq_test

import (
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// Six runs were timed. How long will a seventh take, and by when is it done in nine
// cases of ten?
func ExampleFit() {
	x := []float64{
		// million cells, steps
		1, 10,
		2, 10,
		4, 10,
		8, 20,
		8, 40,
		2, 40,
	}
	y := []float64{13.1, 14.9, 19.2, 36.8, 57.3, 45.3} // seconds
	r, err := lsq.Fit(x, 6, 2, y, lsq.Options{Intercept: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("seconds = %.2f + %.2f·cells + %.2f·steps\n", r.Coef[0], r.Coef[1], r.Coef[2])
	fmt.Printf("R² %.4f, off by %.2f s\n", r.R2, r.Sigma)
	value, _, high := r.Interval([]float64{8, 30}, 0.8) // one in ten above
	fmt.Printf("8 million cells, 30 steps: %.1f s, by %.1f s in nine cases of ten\n", value, high)
	// Output:
	// seconds = 0.99 + 1.97·cells + 1.01·steps
	// R² 0.9999, off by 0.20 s
	// 8 million cells, 30 steps: 47.1 s, by 47.5 s in nine cases of ten
}

// The grid was a cube in every run, and the steps always 20: so the error says.
func ExampleDependenceError() {
	x := []float64{
		// nx, ny, steps
		12, 12, 20,
		36, 36, 20,
		64, 64, 20,
		102, 102, 20,
	}
	y := []float64{0.1, 2.3, 13.5, 54.2}
	opt := lsq.Options{Intercept: true, Names: []string{"nx", "ny", "steps"}}
	_, err := lsq.Fit(x, 4, 3, y, opt)
	fmt.Println(err)
	var dep *lsq.DependenceError
	if errors.As(err, &dep) {
		for _, d := range dep.Dependencies {
			fmt.Printf("%s is %v times coefficient %d's column\n", dep.Names[d.Column], d.Coef[0], d.On[0])
		}
	}
	// Output:
	// lsq: columns[1]: the data cannot tell columns apart: ny is the same as nx; steps is constant, as the intercept is; leave out ny and steps
	// ny is 1 times coefficient 1's column
	// steps is 20 times coefficient 0's column
}
