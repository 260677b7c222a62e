package workload

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// User estimates of run times.
//
// Users overestimate, and they ask for round numbers. The first half is the
// f-model [Mualem01]: an estimate is uniform between the run time and f + 1 times
// the run time. The second is the finding of [Tsafrir05] that few values carry
// most requests: here the product is rounded up to the next of 23 values that
// people use.
//
// What it does not do: real estimates pile up at the site's limit, repeat within
// a user, and say more about the user than about the run time. [Tsafrir05] also
// shows that schedulers look better under the f-model than under real estimates.
// This is a stand-in for a workload that has none, not a model of users.

// roundMinutes are the values that estimates are rounded up to, in minutes. In
// six cleaned logs (KTH-SP2, CTC-SP2, SDSC-SP2, SDSC-BLUE, SDSC-DS, HPC2N) they
// are 65 to 87% of all requests, where the 20 most frequent values of each log
// itself are 70 to 89%.
var roundMinutes = [...]int{
	1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 360, 480, 600, 720, 900,
	1080, 1440, 2160, 2880,
}

// DefaultFactor is an f for [EstimatesTo]. With it the jobs of the published model have
// estimates about as bad as real estimates: the mean accuracy, run time over estimate, is
// 0.31 for typed and 0.44 for typeless jobs. In the six logs named above it lies between
// 0.31 and 0.47.
const DefaultFactor = 1.0

// EstimatesTo writes the jobs to dst with estimates that users might have given. First, the
// estimate of a job is Run·u, where u is random and uniform in [1, f+1]. If the estimate is above
// 48 hours, it is cut to 48 hours, or to Run if Run is longer. Then the estimate is rounded up to
// one of
//
//	1 2 5 10 15 20 30 45 minutes, 1 1½ 2 3 4 5 6 8 10 12 15 18 24 36 48 hours
//
// or, above 48 hours, to whole days. No estimate is below the run time of its job. The other fields
// of a job are copied. Run times of the Lublin model are at most 45 hours.
//
// Sources: the uniform factor [Mualem01]; round values [Tsafrir05]. The list of round values and
// [DefaultFactor] are this library's. EstimatesTo draws one number a job.
//
// dst and jobs must have the same length, and may be the same slice. EstimatesTo returns a
// *schedule.InputError for a job whose Run is not positive or is above 100 years. It has then
// written the jobs before that job. EstimatesTo panics if rng is nil, if the lengths differ, or if
// f is negative, above 1e6 or not a number.
func EstimatesTo(dst, jobs []trace.Job, rng *rand.Rand, f float64) error {
	if len(dst) != len(jobs) {
		panic("workload: EstimatesTo of slices of different lengths")
	}
	if rng == nil {
		panic("workload: nil source of randomness")
	}
	if !(f >= 0 && f <= 1e6) {
		panic("workload: EstimatesTo with a factor that is not between 0 and 1e6")
	}
	for i, j := range jobs {
		if j.Run <= 0 || j.Run > maxEstimated {
			return badInput("jobs", i, ErrRange, "a run time of %v: want more than 0 and at most 100 years", j.Run)
		}
		u := 1 + float64(f*rng.Float64())
		j.Estimate = roundUp(j.Run, float64(j.Run)*u)
		dst[i] = j
	}
	return nil
}

// maxEstimated keeps estimates in whole days within a time.Duration.
const maxEstimated = 100 * 365 * 24 * time.Hour

// roundUp returns the least round value that is at least run and at least ns nanoseconds,
// with ns ≥ run. An ns above the last round value counts as the last.
func roundUp(run time.Duration, ns float64) time.Duration {
	const last = 48 * time.Hour
	want := max(run, last)
	if ns < float64(last) {
		want = time.Duration(math.Ceil(ns)) // exact: below 2⁵³
	}
	for _, m := range roundMinutes {
		if v := time.Duration(m) * time.Minute; v >= want {
			return v
		}
	}
	const day = 24 * time.Hour
	return (want + day - 1) / day * day
}
