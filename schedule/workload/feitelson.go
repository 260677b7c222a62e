package workload

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A sample after Feitelson's model of 1996 [Feitelson96].
//
// The model is cited more often than specified. Its sizes are a harmonic distribution in
// which small sizes and powers of two are raised by hand. Its run times are a
// hyperexponential of two stages, and the odds of the long stage grow with the size. A
// job is run again and again, and arrivals are Poisson. That structure is kept. The
// numbers are fitted to the sample that [Marshall12] section V.A reports. It has 1,001 jobs
// in about 6 days, of which 146, 32 and 68 are of 8, 32 and 64 cores, the largest. Run times
// are from 0.3123 s to 23.58 h, with a mean of 71.50 min and a standard deviation of
// 207.24 min.
//
// The fit. The three shares are the reported ones. Of the other jobs, sizes that are no
// power of two have a share of .12, in proportion to n^−1.5. The share of 16 is the
// geometric mean of those of 8 and 32. Sizes 1, 2 and 4 share the rest so that shares
// fall with the size. Run times are cut off at 24 h. The mean of the short stage, 138 s,
// makes the least of the sample's distinct run times 0.3 s on average. Then mean and
// standard deviation leave one mean of the long stage, 478.2 min, and one share of it,
// .1724. The slope with which that share grows with the size is the .2 that is
// Feitelson's, and gives a correlation of .1 between size and run time.
//
// It takes time O(n log n), for sorting, and no space but dst.
//
// Departures from the 1996 model:
//
//   - The cut-off, and at most 32 runs of a job.
//   - Runs are submitted at consecutive arrivals, not when the run before has ended.
//   - The number of jobs in the span is fixed.

// FeitelsonJobs and FeitelsonCores are what [Marshall12] reports of its sample:
// the number of jobs, and the cores of the largest.
const (
	FeitelsonJobs  = 1001
	FeitelsonCores = 64
)

const (
	feitelsonSpan = 6 * 24 * time.Hour

	feitelsonLong  = .1724 // share of the long stage over all jobs
	feitelsonSlope = .2    // of that share, over sizes of 0 to 64
	feitelsonRuns  = 32    // of a job, at most
)

var feitelsonTimes = hyperexponential{short: 138, long: 478.24 * 60, limit: 24 * 3600}

// feitelsonPowers are the shares of powers of two.
var feitelsonPowers = [...]struct {
	cores int
	share float64
}{
	{1, .2500}, {2, .1700}, {4, .1463},
	{8, 146. / FeitelsonJobs}, {16, .0683}, {32, 32. / FeitelsonJobs}, {64, 68. / FeitelsonJobs},
}

// A feitelson holds the distributions of the model.
type feitelson struct {
	sizes, runs choice
	mean        float64 // of the sizes
}

func newFeitelson() (m feitelson) {
	var share [FeitelsonCores + 1]float64
	rest := 1.0
	for _, p := range feitelsonPowers {
		share[p.cores] = p.share
		rest -= p.share
	}
	harmonic := func(n int) float64 { return 1 / float64(float64(n)*math.Sqrt(float64(n))) }
	total := 0.0
	for n := 1; n <= FeitelsonCores; n++ {
		if share[n] == 0 {
			total += harmonic(n)
		}
	}
	sum := 0.0
	for n := 1; n <= FeitelsonCores; n++ {
		if share[n] == 0 {
			share[n] = float64(rest*harmonic(n)) / total
		}
		sum += share[n]
		m.sizes[n-1] = sum
		m.mean += float64(share[n] * float64(n))
	}
	sum = 0
	for r := 1; r <= feitelsonRuns; r++ {
		sum += harmonic(r) / float64(r) // r^−2.5
		m.runs[r-1] = sum
	}
	return m
}

// AppendFeitelson appends n jobs after Feitelson's model [Feitelson96] to dst, and returns the
// extended slice. With n = [FeitelsonJobs] the sample is like the sample that [Marshall12]
// reports. A job has at most [FeitelsonCores] cores. Small numbers of cores and powers of two are
// the most frequent. Most jobs are short and a few are long. Large jobs tend to run a little
// longer than small jobs. Each job comes r times in a row, where r is from 1 to 32 with a
// probability in proportion to r^−2.5.
//
// Jobs are numbered from 1 in order of submission. Submit is in whole seconds from the start of
// the time in which the jobs arrive, o.Span. Run is rounded up to whole milliseconds. Estimate is
// Run (see [EstimatesTo]). User, Queue and Wait are −1.
//
// AppendFeitelson allocates only to let dst grow. AppendFeitelson returns dst as it was and a
// *schedule.InputError for options out of range, and for more than 2²⁴ jobs. AppendFeitelson
// panics if rng is nil or n is negative. Time: O(n log n).
//
// Samples differ much: the work of a sample of 1,001 jobs is 18,700 ± 6,900 core-hours. Half of
// this scatter comes from the repeated jobs. To compare policies, run all of them on the same
// samples.
func AppendFeitelson(dst []trace.Job, rng *rand.Rand, n int, o SampleOptions) ([]trace.Job, error) {
	jobs, err := begin(dst, rng, n, &o, FeitelsonJobs, feitelsonSpan)
	if err != nil {
		return dst, err
	}
	s := sampler{rng: rng}
	s.feitelson(jobs[len(dst):])
	if err := s.arrive(jobs[len(dst):], o); err != nil {
		return dst, err
	}
	return jobs, nil
}

// feitelson draws sizes and run times.
func (s *sampler) feitelson(jobs []trace.Job) {
	m := newFeitelson()
	runs, job := 0, trace.Job{}
	for i := range jobs {
		if runs == 0 {
			cores := s.pick(&m.sizes, FeitelsonCores)
			long := feitelsonLong + float64(feitelsonSlope/FeitelsonCores*(float64(cores)-m.mean))
			run := time.Duration(math.Ceil(s.hyperexponential(&feitelsonTimes, long)*1000)) * time.Millisecond
			run = max(run, time.Millisecond)
			job = trace.Job{Run: run, Estimate: run, Nodes: cores, User: -1, Queue: -1, Wait: -1}
			runs = s.pick(&m.runs, feitelsonRuns)
		}
		jobs[i] = job
		runs--
	}
}
