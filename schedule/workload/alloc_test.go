package workload

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

func TestAllocs(t *testing.T) {
	const n = 2000
	jobs := make([]trace.Job, 0, n)
	var l Lublin
	rng := newRand(1)
	for _, o := range []Options{{}, {Typeless: true}, {Nodes: 1000}} {
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"Reset and Next", func() {
				if err := l.Reset(rng, o); err != nil {
					t.Fatal(err)
				}
				for range n {
					l.Next()
				}
			}},
			{"Jobs", func() {
				for j := range l.Jobs(n) {
					_ = j
				}
			}},
			{"AppendLublin", func() {
				var err error
				if jobs, err = AppendLublin(jobs[:0], rng, n, o); err != nil {
					t.Fatal(err)
				}
			}},
			{"UsersTo", func() { UsersTo(jobs, jobs, rng, 40) }},
			{"EstimatesTo", func() {
				if err := EstimatesTo(jobs, jobs, rng, DefaultFactor); err != nil {
					t.Fatal(err)
				}
			}},
		} {
			c.f()
			for range 5 {
				if a := allocs.Once(c.f); a != 0 {
					t.Errorf("%s, %+v: %v allocations, want 0", c.name, o, a)
				}
			}
		}
	}
}

func TestAllocsOfSamples(t *testing.T) {
	const n = 2000
	jobs := make([]trace.Job, 0, n)
	rng := newRand(1)
	for _, o := range []SampleOptions{{}, {Arrivals: Campaigns}} {
		for name, f := range map[string]func(){
			"AppendFeitelson": func() { jobs, _ = AppendFeitelson(jobs[:0], rng, n, o) },
			"AppendGrid5000":  func() { jobs, _ = AppendGrid5000(jobs[:0], rng, n, o) },
		} {
			f()
			for range 5 {
				if a := allocs.Once(f); a != 0 {
					t.Errorf("%s, %v: %v allocations, want 0", name, o.Arrivals, a)
				}
			}
		}
	}
}
