package workload

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

func BenchmarkAppendLublin(b *testing.B) {
	const n = 100_000
	for _, c := range []struct {
		name string
		o    Options
	}{{"jobs=typed", Options{}}, {"jobs=typeless", Options{Typeless: true}}} {
		b.Run(c.name, func(b *testing.B) {
			jobs := make([]trace.Job, 0, n)
			rng := newRand(1)
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if jobs, err = AppendLublin(jobs[:0], rng, n, c.o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// A sample of the size of [Marshall12], and of a hundred times that.
func BenchmarkSamples(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{
		{"model=feitelson", FeitelsonJobs},
		{"model=feitelson", 100 * FeitelsonJobs},
		{"model=grid5000", Grid5000Jobs},
	} {
		b.Run(fmt.Sprintf("%s/jobs=%d", c.name, c.n), func(b *testing.B) {
			jobs := make([]trace.Job, 0, c.n)
			rng := newRand(1)
			run := AppendFeitelson
			if c.name == "model=grid5000" {
				run = AppendGrid5000
			}
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if jobs, err = run(jobs[:0], rng, c.n, SampleOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(c.n)*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

func BenchmarkReset(b *testing.B) {
	var l Lublin
	rng := newRand(1)
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Reset(rng, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEstimatesTo(b *testing.B) {
	const n = 100_000
	jobs, err := AppendLublin(nil, newRand(1), n, Options{})
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]trace.Job, n)
	rng := newRand(2)
	b.ReportAllocs()
	for b.Loop() {
		if err := EstimatesTo(dst, jobs, rng, DefaultFactor); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}

func BenchmarkUsersTo(b *testing.B) {
	const n = 100_000
	jobs := make([]trace.Job, n)
	rng := newRand(2)
	b.ReportAllocs()
	for b.Loop() {
		UsersTo(jobs, jobs, rng, 400)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
