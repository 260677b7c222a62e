package workload

import (
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/schedule/internal/samebits"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Users of jobs.
//
// A few users submit most of the jobs of a machine. Seven cleaned logs (SDSC-DS, SDSC-BLUE,
// SDSC-SP2, CTC-SP2, HPC2N, Sandia-Ross, KTH-SP2) have 203 to 679 users each. The first
// tenth of the users, by number of jobs, has 47 to 69% of the jobs, and the first user
// alone 4 to 19%. Zipf's law, by which user k has jobs in proportion to 1/k, gives the first
// tenth 61 to 68%. Drawn as the whole part of (n+1)^u, which has almost that law, it gives
// 58 to 64% to the first tenth, and 11 to 13% to the first user.
//
// What it does not do: a real user submits like jobs in sessions, and comes and goes in the
// course of the log. Here each job's user is drawn by itself.

// UsersTo writes the jobs to dst with users from 1 to n. A job's user is ⌊(n+1)^u⌋, where u is
// random and uniform in [0, 1). So the job is of user k with probability ln(1 + 1/k)/ln(n + 1). The
// other fields of a job are copied. UsersTo draws one number a job.
//
// dst and jobs must have the same length, and may be the same slice. UsersTo panics if rng is nil,
// if the lengths differ, or if n is below 1 or above a billion.
func UsersTo(dst, jobs []trace.Job, rng *rand.Rand, n int) {
	if len(dst) != len(jobs) {
		panic("workload: UsersTo of slices of different lengths")
	}
	if rng == nil {
		panic("workload: nil source of randomness")
	}
	if n < 1 || n > 1e9 {
		panic("workload: UsersTo with a number of users that is not from 1 to a billion")
	}
	base := samebits.Log(float64(n + 1))
	for i, j := range jobs {
		j.User = min(n, max(1, int(samebits.Exp(float64(base*rng.Float64())))))
		dst[i] = j
	}
}
