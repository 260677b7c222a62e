package workload

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A sample like the part of the Grid5000 trace that [Marshall12] uses.
//
// Section V.A reports 1,061 jobs of that part, in about 10 days, on 1 to 50 cores, 733 of
// them on one core. Run times are from 0 s to 36 h, with a mean of 113.03 min and a standard
// deviation of 251.20 min. Section V.B reports that the load seldom exceeds 64 cores.
//
// The fit. The number of serial jobs is exact: the next job is serial with the
// probability that a job drawn from the remaining jobs is serial. Sizes of parallel jobs
// follow n^−1.5 for 2 to 50 cores. With the serial jobs that makes 3.4 cores a job and
// 28 busy cores on average. Run times have a hyperexponential distribution of two
// stages, cut off at 36 h, the same for all sizes. The mean of the short stage is set to
// 10 min. The mean and the standard deviation of all run times then determine the mean
// of the long stage, 378.6 min, and its share, .2851.
//
// The paper does not report hours of the day, users, repeated runs, or a relation
// between size and run time, and the model has none of these. A run time of 0 s cannot
// be replayed, so run times are rounded up to whole seconds, and the least is one.

// Grid5000Jobs, Grid5000Serial and Grid5000Cores are what [Marshall12] reports of
// its part of the trace: the number of jobs, those of one core, and the cores of
// the largest.
const (
	Grid5000Jobs   = 1061
	Grid5000Serial = 733
	Grid5000Cores  = 50
)

const (
	grid5000Span = 10 * 24 * time.Hour
	grid5000Long = .28509 // share of the long stage
)

var grid5000Times = hyperexponential{short: 600, long: 378.622 * 60, limit: 36 * 3600}

// AppendGrid5000 appends n jobs to dst, and returns the extended slice. The jobs are like the
// sample that [Marshall12] took from the Grid5000 trace. That sample has [Grid5000Jobs] jobs, and
// [Grid5000Serial] of them have one core. The share of jobs with one core among the n jobs is the
// same, up to rounding. The other jobs have 2 to [Grid5000Cores] cores.
//
// Run times are rounded up to whole seconds. The other fields, the errors and the panics are those
// of [AppendFeitelson]. BENCHMARKS.md compares samples with the reported figures.
func AppendGrid5000(dst []trace.Job, rng *rand.Rand, n int, o SampleOptions) ([]trace.Job, error) {
	jobs, err := begin(dst, rng, n, &o, Grid5000Jobs, grid5000Span)
	if err != nil {
		return dst, err
	}
	s := sampler{rng: rng}
	s.grid5000(jobs[len(dst):])
	if err := s.arrive(jobs[len(dst):], o); err != nil {
		return dst, err
	}
	return jobs, nil
}

// grid5000 draws sizes and run times.
func (s *sampler) grid5000(jobs []trace.Job) {
	var sizes choice // element i is a size of i + 1
	sum := 0.0
	for n := 2; n <= Grid5000Cores; n++ {
		sum += 1 / float64(float64(n)*math.Sqrt(float64(n)))
		sizes[n-2] = sum
	}
	serial := int(math.Round(float64(len(jobs)) * Grid5000Serial / Grid5000Jobs))
	for i := range jobs {
		cores := 1
		if s.rng.IntN(len(jobs)-i) < serial {
			serial--
		} else {
			cores = 1 + s.pick(&sizes, Grid5000Cores-1)
		}
		run := time.Duration(math.Ceil(s.hyperexponential(&grid5000Times, grid5000Long))) * time.Second
		run = max(run, time.Second)
		jobs[i] = trace.Job{Run: run, Estimate: run, Nodes: cores, User: -1, Queue: -1, Wait: -1}
	}
}
