package sizing

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/perfmodel"
)

// scaled is the profile of an application with two features, made up by a power law with a
// deviation of some percent.
func scaled(t testing.TB) perfmodel.Profile {
	t.Helper()
	p := perfmodel.Profile{Application: "app", Features: []string{"points", "steps"}}
	for i, points := range []float64{1e5, 2e5, 4e5, 8e5} {
		for j, processes := range []int{1, 2, 4, 8, 16, 32} {
			steps := float64(100 * (1 + (i+j)%3))
			wobble := 1 + 0.02*float64((7*i+3*j)%5-2)
			n := float64(processes)
			c := 1e-5 * points * steps / n * wobble
			m := 1e-7 * points * steps * float64(j) / n * wobble
			p.Runs = append(p.Runs, perfmodel.Run{
				Features: []float64{points, steps}, Processes: processes, Seconds: c + m,
				Computation: c, Communication: m, Split: processes > 0, Repetitions: 3,
			})
		}
	}
	return p
}

func BenchmarkPlan(b *testing.B) {
	p := scaled(b)
	counts := perfmodel.AppendCounts(nil, perfmodel.AnyCount, 1, 1000)
	in, err := FindInstanceType(Huang13InstanceTypes(), "cc1.4xlarge")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		m    perfmodel.Model
	}{{"loglinear", &perfmodel.LogLinear{}}, {"quadratic", &perfmodel.LogLinear{Quadratic: true}}, {"cap3", &perfmodel.CAP3{}}, {"usl", &perfmodel.USL{Work: perfmodel.Product}}} {
		if err := c.m.Fit(&p); err != nil {
			b.Fatal(err)
		}
		for _, conf := range []float64{0, 0.95} {
			name := "/confidence=none"
			if conf > 0 {
				name = "/confidence=0.95"
			}
			b.Run("model="+c.name+name, func(b *testing.B) {
				var pl Sizer
				task := Target{Features: []float64{1e7, 500}, Deadline: 10 * time.Hour, Cheapest: true, Counts: counts, Confidence: conf, MaxScale: 100}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := pl.Size(c.m, in, task); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A Machine of seven applications and 42 runs, asked about two inputs by turns, so that nothing
// is remembered.
func BenchmarkMachine(b *testing.B) {
	var profiles []perfmodel.Profile
	var shapes []perfmodel.Shape
	for a := range 7 {
		p := runsOf([]float64{1e4, 3e4, 1e5}, []int{1, 2}, func(x float64, p int) float64 {
			return 1e-6 * float64(a+1) * x / float64(p) * (1 + 0.02*float64((int(x/1e4)+3*a+p)%5))
		})
		p.Application = string(rune('a' + a))
		profiles = append(profiles, p)
		shapes = append(shapes, perfmodel.Shape{Work: perfmodel.Product})
	}
	m := &perfmodel.Machine{Shapes: shapes}
	if err := m.FitAll(profiles); err != nil {
		b.Fatal(err)
	}
	for _, conf := range []float64{0, 0.95} {
		name := "confidence=none"
		if conf > 0 {
			name = "confidence=0.95"
		}
		b.Run(name, func(b *testing.B) {
			var pl Sizer
			x := [2][]float64{{2e5}, {3e5}}
			task := Target{Deadline: time.Hour, Cheapest: true, Counts: perfmodel.AppendCounts(nil, perfmodel.AnyCount, 1, 1000), Confidence: conf, MaxScale: 1000}
			in := Huang13InstanceTypes()[3]
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				task.Features = x[i%2]
				if _, err := pl.Size(m.Application(0), in, task); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
