package perfmodel

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
)

// drawProfile draws a profile of a noisy law that every model can be fitted to: two
// features on a grid, on four numbers of processes.
func drawProfile(t *rapid.T) Profile {
	p := Profile{Application: "app", Features: []string{"n", "steps"}}
	grow := rapid.Float64Range(0.5, 2).Draw(t, "exponent")
	serial := rapid.Float64Range(0, 0.5).Draw(t, "serial")
	for _, n := range []float64{1, 5, 20} {
		for _, steps := range []float64{2, 9} {
			for _, processes := range []int{1, 2, 4, 8} {
				wobble := math.Exp(rapid.Float64Range(-0.2, 0.2).Draw(t, "wobble"))
				c := math.Pow(n, grow) * steps * (serial + (1-serial)/float64(processes)) * wobble
				m := 0.01 * n * math.Log2(float64(processes)) * wobble
				p.Runs = append(p.Runs, Run{Features: []float64{n, steps}, Processes: processes, Seconds: c + m,
					Computation: c, Communication: m, Split: true, Repetitions: 1})
			}
		}
	}
	return p
}

func everyModel() map[string]Model {
	return map[string]Model{
		"loglinear": &LogLinear{}, "work": &LogLinear{Work: Product}, "quadratic": &LogLinear{Quadratic: true},
		"network": &Network{AllToAll: true}, "cap3": &CAP3{}, "amdahl": &USL{Amdahl: true, Work: Product}, "usl": &USL{Work: Product},
	}
}

// For every model, times in another unit give estimates in that unit. The order of runs
// and the unit of a feature do not matter. A used model gives what a new one does.
// Estimates one by one are those of all at once. The profile stays as it is.
func TestModelsMetamorphic(t *testing.T) {
	used := everyModel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProfile(t)
		before := p.Select(func(*Run) bool { return true })
		scale := rapid.Float64Range(0.01, 100).Draw(t, "scale")
		unit := rapid.Float64Range(0.01, 100).Draw(t, "unit")
		shuffled := rapid.Permutation(p.Runs).Draw(t, "order")
		q := Query{Features: []float64{30, 4}, Processes: []int{1, 2, 3, 16, 2000}, Level: 0.8, Mean: true}
		for name, m := range everyModel() {
			ask := func(m Model, p Profile, q Query) []Estimate {
				if err := m.Fit(&p); err != nil {
					t.Fatal(name, err)
				}
				dst := make([]Estimate, len(q.Processes))
				if err := m.EstimateTo(dst, q); err != nil {
					t.Fatal(name, err)
				}
				return dst
			}
			near := cmp.Options{cmpopts.EquateApprox(1e-7, 1e-12), cmpopts.IgnoreFields(Estimate{}, "Outside")}
			want := ask(m, p, q)
			for _, e := range want {
				if !(e.Lower <= e.Seconds && e.Seconds <= e.Upper) {
					t.Fatal(name, e)
				}
			}
			if d := cmp.Diff(want, ask(used[name], p, q)); d != "" {
				t.Fatal(name, "used before:", d)
			}
			if d := cmp.Diff(want, ask(m, Profile{p.Application, p.Features, shuffled}, q), near); d != "" {
				t.Fatal(name, "shuffled:", d)
			}
			slow, other := Profile{p.Application, p.Features, slices.Clone(p.Runs)}, Profile{p.Application, p.Features, slices.Clone(p.Runs)}
			for i := range p.Runs {
				r := &slow.Runs[i]
				r.Seconds *= scale
				r.Computation *= scale
				r.Communication *= scale
				other.Runs[i].Features = []float64{p.Runs[i].Features[0] * unit, p.Runs[i].Features[1]}
			}
			got := ask(m, slow, q)
			for i := range got {
				e := &got[i]
				e.Seconds /= scale
				e.Lower /= scale
				e.Upper /= scale
				e.Mean /= scale
			}
			if d := cmp.Diff(want, got, near); d != "" {
				t.Fatal(name, "in another unit of time:", d)
			}
			changed := q
			changed.Features = []float64{30 * unit, 4}
			if d := cmp.Diff(want, ask(m, other, changed), near); d != "" {
				t.Fatal(name, "in another unit of n:", d)
			}
			ask(m, p, q)
			for i, n := range q.Processes {
				var one [1]Estimate
				alone := q
				alone.Processes = []int{n}
				if err := m.EstimateTo(one[:], alone); err != nil || one[0] != want[i] {
					t.Fatal(name, n, one[0], want[i], err)
				}
				brief := Query{Features: q.Features, Processes: alone.Processes, Level: q.Level, Brief: true}
				if err := m.EstimateTo(one[:], brief); err != nil || one[0].Seconds != want[i].Seconds || one[0].Upper != want[i].Upper || one[0].Scale != want[i].Scale {
					t.Fatal(name, n, "brief:", one[0], want[i], err)
				}
			}
		}
		if d := cmp.Diff(before, p); d != "" {
			t.Fatal("the profile was changed:", d)
		}
	})
}

// The curve along P that estimates go by has the value and the leverage that the
// regression has at each point.
func TestCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProfile(t)
		for _, by := range []scaling{logP, quadraticP, logLogP, logPLogP} {
			var m logModel
			part := wholeTime
			if by == logLogP || by == logPLogP {
				part = communicationTime
			}
			if err := m.fit(&p, part, nil, by); err != nil {
				t.Fatal(err)
			}
			x := []float64{rapid.Float64Range(0.1, 100).Draw(t, "n"), rapid.Float64Range(1, 10).Draw(t, "steps")}
			n := rapid.SampledFrom([]int{2, 3, 7, 64, 1000, 1024, 1025, 100000}).Draw(t, "P")
			row := []float64{math.Log(x[0]), math.Log(x[1])}
			l := math.Log(float64(n))
			switch by {
			case logP:
				row = append(row, l)
			case quadraticP:
				row = append(row, l, l*l)
			case logLogP:
				row = append(row, math.Log(math.Log2(float64(n))))
			case logPLogP:
				row = append(row, math.Log(float64(n)*math.Log2(float64(n))))
			}
			value, low, high := m.reg.Interval(row, 0.9)
			e := make([]Estimate, 1)
			if err := m.estimateTo(e, Query{Features: x, Processes: []int{n}}); err != nil {
				t.Fatal(err)
			}
			got := []float64{math.Log(e[0].Seconds), math.Log(e[0].Lower), math.Log(e[0].Upper)}
			if d := cmp.Diff([]float64{value, low, high}, got, cmpopts.EquateApprox(1e-9, 1e-9)); d != "" {
				t.Fatal(by, d)
			}
		}
	})
}

// The certificate of the fits with shares that are not negative: the weighted
// residuals are orthogonal to the columns in use, and no other column would lower
// their squares (Karush-Kuhn-Tucker).
func TestSharesOptimal(t *testing.T) {
	supports := map[uint8]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawProfile(t)
		bend := rapid.Float64Range(-1.5, 0.5).Draw(t, "bend") // also faster than linear
		for i := range p.Runs {
			p.Runs[i].Seconds *= math.Pow(float64(p.Runs[i].Processes), bend)
		}
		m := &USL{Work: Product}
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
		s := m
		supports[s.support]++
		coef := [3]float64{}
		coef[0], coef[1], coef[2] = s.coefficients()
		// The weights of the last round are the reciprocals of the fit before it, which
		// is the last but for what 8 rounds leave.
		for j := range coef {
			slope, size := 0.0, 0.0
			for i := range s.y {
				w := 1 / (coef[0]*s.x[3*i] + coef[1]*s.x[3*i+1] + coef[2]*s.x[3*i+2])
				slope += w * s.x[3*i+j] * (w*s.y[i] - 1)
				size += w * s.x[3*i+j]
			}
			if used := s.support>>j&1 == 1; used && math.Abs(slope) > 1e-3*size || slope > 1e-3*size {
				t.Fatalf("column %d of support %b has slope %v of %v", j, s.support, slope, size)
			}
			if coef[j] < 0 {
				t.Fatal(coef)
			}
		}
	})
	if len(supports) < 3 {
		seeded.TooFew(t, "only the supports %v were drawn", supports)
	}
}
