package workload

import (
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
