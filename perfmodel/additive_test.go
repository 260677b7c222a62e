package perfmodel

import (
	"errors"
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// sums has runs of T = 5 + 3·x + 0.5·y − 2·P exactly.
func sums() Profile {
	p := Profile{Application: "sums", Features: []string{"x", "y"}}
	for _, x := range []float64{10, 20, 40} {
		for _, y := range []float64{2, 8} {
			for _, n := range []int{1, 2, 4, 8} {
				p.Runs = append(p.Runs, Run{Features: []float64{x, y}, Processes: n, Seconds: 5 + 3*x + .5*y - 2*float64(n), Repetitions: 1})
			}
		}
	}
	return p
}

// Eq. (1) finds the coefficients of a sum, predicts it, and says so where the sum falls
// below 0.
func TestAdditive(t *testing.T) {
	p := sums()
	var m Additive
	if err := m.EstimateTo(make([]Estimate, 1), Query{Features: []float64{1, 1}, Processes: []int{1}}); !errors.Is(err, ErrNotFitted) {
		t.Errorf("not fitted: %v", err)
	}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{5, 3, .5, -2} {
		if got := m.Regression().Coef[i]; math.Abs(got-want) > 1e-9 {
			t.Errorf("coefficient %d is %v, want %v", i, got, want)
		}
	}
	e, err := At(&m, []float64{100, 10}, 16)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(e.Seconds-278) > 1e-6 || e.Mean != e.Seconds || !(0 < e.Lower && e.Lower <= e.Seconds && e.Seconds <= e.Upper) || e.Outside.Feature != "x" || e.Scale != 2 {
		t.Errorf("%+v", e)
	}
	if _, err := At(&m, []float64{10, 2}, 100); !errors.Is(err, ErrNotPositive) {
		t.Errorf("36 − 200 s: %v", err)
	}
	// Work in place of the features.
	byWork := Additive{Work: func(x []float64) float64 { return 3*x[0] + .5*x[1] }}
	if err := byWork.Fit(&p); err != nil {
		t.Fatal(err)
	}
	if e, err := At(&byWork, []float64{100, 10}, 16); err != nil || math.Abs(e.Seconds-278) > 1e-6 {
		t.Errorf("by work: %+v, %v", e, err)
	}
	// Noise: most of the runs are within the intervals.
	for i := range p.Runs {
		p.Runs[i].Seconds += []float64{-1, 1, .5, -.5, .25}[i%5]
	}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	within := 0
	for i := range p.Runs {
		e, err := At(&m, p.Runs[i].Features, p.Runs[i].Processes)
		if err != nil {
			t.Fatal(err)
		}
		if e.Lower <= p.Runs[i].Seconds && p.Runs[i].Seconds <= e.Upper {
			within++
		}
	}
	if within < 20 || within == 0 {
		t.Errorf("%d of %d within", within, len(p.Runs))
	}
	q, dst := Query{Features: []float64{10, 2}, Processes: []int{1, 2}}, make([]Estimate, 2)
	if n := allocs.Once(func() {
		if m.Fit(&p) != nil || m.EstimateTo(dst, q) != nil {
			t.Error("a second fit fails")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Columns that the runs cannot tell apart are an error.
func TestAdditiveDependent(t *testing.T) {
	p := sums()
	for i := range p.Runs {
		p.Runs[i].Features[1] = 2 * p.Runs[i].Features[0]
	}
	m := Additive{}
	if err := m.Fit(&p); !errors.Is(err, ErrDependent) {
		t.Errorf("y = 2x: %v", err)
	}
}

// With Proportional, one number of processes above 1 is enough, and the prediction grows
// as the operation does; without, the same runs are an error that names the column.
func TestNetworkProportional(t *testing.T) {
	p := Profile{Application: "p", Features: []string{"n"}}
	for _, n := range []float64{1, 2, 4} {
		for _, procs := range []int{1, 4} {
			r := Run{Features: []float64{n}, Processes: procs, Seconds: 10 * n, Computation: 10 * n, Split: true, Repetitions: 1}
			if procs > 1 {
				r.Communication = .5 * n * growth(true, procs)
				r.Computation = 10 * n / float64(procs)
				r.Seconds = r.Computation + r.Communication
			}
			p.Runs = append(p.Runs, r)
		}
	}
	m := CAP3{AllToAll: true}
	if err := m.Fit(&p); !errors.Is(err, ErrDependent) {
		t.Errorf("one number of processes above 1: %v", err)
	}
	m.Proportional = true
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	for _, procs := range []int{1, 2, 16, 5000} {
		want := 80/float64(procs) + 4*growth(true, procs)
		e, err := At(&m, []float64{8}, procs)
		if err != nil || math.Abs(e.Seconds/want-1) > 1e-9 {
			t.Errorf("%d processes: %v (%v), want %v", procs, e.Seconds, err, want)
		}
	}
	network := &m.network
	if got := network.log.names; len(got) != 1 || got[0] != "ln n" {
		t.Errorf("columns %q", got)
	}
}
