package perfmodel

import (
	"strconv"
	"testing"
)

// scaled is the profile of an application with two features, of which each is on
// up to 32 processes, made up by a power law with a deviation of some percent.
func scaled(t testing.TB) Profile {
	t.Helper()
	p := Profile{Application: "app", Features: []string{"points", "steps"}}
	for i, points := range []float64{1e5, 2e5, 4e5, 8e5} {
		for j, processes := range []int{1, 2, 4, 8, 16, 32} {
			steps := float64(100 * (1 + (i+j)%3))
			wobble := 1 + 0.02*float64((7*i+3*j)%5-2)
			n := float64(processes)
			c := 1e-5 * points * steps / n * wobble
			m := 1e-7 * points * steps * float64(j) / n * wobble
			p.Runs = append(p.Runs, Run{
				Features: []float64{points, steps}, Processes: processes, Seconds: c + m,
				Computation: c, Communication: m, Split: processes > 0, Repetitions: 3,
			})
		}
	}
	return p
}

func BenchmarkFit(b *testing.B) {
	p := scaled(b)
	for _, c := range []struct {
		name string
		m    Model
	}{{"loglinear", &LogLinear{}}, {"quadratic", &LogLinear{Quadratic: true}}, {"cap3", &CAP3{}}, {"amdahl", &USL{Amdahl: true, Work: Product}}, {"usl", &USL{Work: Product}}} {
		b.Run("model="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.m.Fit(&p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkChoose(b *testing.B) {
	p := scaled(b)
	models := []Model{&LogLinear{}, &LogLinear{Quadratic: true}, &CAP3{}, &USL{Work: Product}}
	var c Chooser
	var scores []Score
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if _, scores, err = c.Choose(scores[:0], models, &p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMachine(b *testing.B) {
	profiles, shapes := madeUpProfiles(b, 59)
	m := &Machine{Shapes: shapes}
	b.Run("fit/runs=42", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := m.FitAll(profiles); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("estimate/runs=42", func(b *testing.B) {
		if err := m.FitAll(profiles); err != nil {
			b.Fatal(err)
		}
		var dst [1]Estimate
		q := Query{Features: profiles[0].Runs[0].Features, Processes: []int{2}}
		e := m.Application(0)
		b.ReportAllocs()
		for b.Loop() {
			if err := e.EstimateTo(dst[:], q); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Many runs: those of eight applications on four machines' worth of process counts.
func BenchmarkChooseMachine(b *testing.B) {
	profiles, shapes := madeUpProfiles(b, 59)
	for _, copies := range []int{1, 5} {
		many := make([]Profile, len(profiles))
		runs := 0
		for i := range profiles {
			many[i] = profiles[i].Select(func(*Run) bool { return true })
			for k := 1; k < copies; k++ {
				for _, r := range profiles[i].Runs {
					r.Processes <<= 2 * k
					r.Seconds *= 1.1 / float64(int(1)<<(2*k))
					many[i].Runs = append(many[i].Runs, r)
				}
			}
			runs += len(many[i].Runs)
		}
		b.Run("runs="+strconv.Itoa(runs), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := ChooseMachine(nil, Candidates(shapes), many); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
