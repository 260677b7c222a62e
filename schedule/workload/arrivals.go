package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/schedule/internal/samebits"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Arrivals of [AppendFeitelson] and [AppendGrid5000], which imitate samples of jobs that a
// paper describes by a few figures.
//
// A paper reports the number of jobs of its sample and the time span of their submission. So
// the caller gives both, and the rest is random. Jobs come in campaigns, and the starts of
// campaigns are uniform in the span. If every campaign has one job, the arrivals are a
// Poisson process: given the number of its points, the points are independent and uniform.
//
// Invariant: the starts are drawn in order, each as the least of the remaining starts.
// The least of k points that are uniform in [u, 1] is 1 − (1 − u)·v^(1/k), with v uniform
// in (0, 1]. So campaigns need no list.

// Arrivals is a pattern in which jobs are submitted.
type Arrivals uint8

const (
	// Poisson arrivals: the jobs' times are independent and uniform in the span.
	Poisson Arrivals = iota
	// Campaigns: someone submits many jobs in a row, and then nothing for long.
	// Their starts are independent and uniform in the span.
	Campaigns
)

var arrivals = enum.New[Arrivals]("workload", "Arrivals", ErrRange, "poisson", "campaigns")

// String returns "poisson" or "campaigns", and Arrivals(7) for a value 7 that is
// none of the constants.
func (a Arrivals) String() string { return arrivals.String(a) }

// MarshalText returns the String form. The error is a *schedule.InputError for a value
// that is none of the constants.
func (a Arrivals) MarshalText() ([]byte, error) { return arrivals.MarshalText(a) }

// UnmarshalText reads the String form. The error is a *schedule.InputError.
func (a *Arrivals) UnmarshalText(text []byte) error { return arrivals.UnmarshalText(a, text) }

// Defaults of [SampleOptions]. No source states them for the two samples. With these
// values the bursts of the Feitelson sample exceed the 634 cores of the sustained maximum
// of [Marshall12], as the paper says of its own sample.
const (
	CampaignJobs = 100              // jobs in a campaign, on average
	CampaignGap  = 20 * time.Second // between its jobs, on average
)

// SampleOptions say how the jobs of a sample arrive. The zero value is Poisson
// arrivals at the rate of the reported sample.
type SampleOptions struct {
	// Span is the time in which n jobs arrive. 0 means that of the reported sample
	// in proportion to n: 6 days for 1,001 jobs of [AppendFeitelson], 10 days for
	// 1,061 of [AppendGrid5000]. A campaign that starts late may end after it.
	Span time.Duration

	Arrivals Arrivals

	// CampaignJobs and CampaignGap count only if Arrivals is [Campaigns]. CampaignJobs is the mean
	// number of jobs in a campaign; 0 stands for the constant [CampaignJobs]. The number of
	// campaigns is n/CampaignJobs, rounded, and at least one. Every way to cut the n jobs into so
	// many campaigns is equally likely. So the distribution of the sizes is about geometric.
	// CampaignGap is the mean of the exponential gaps between the jobs of a campaign; 0 stands for
	// the constant [CampaignGap].
	CampaignJobs int
	CampaignGap  time.Duration
}

// maxSpan keeps submissions and run times within a time.Duration.
const maxSpan = 100 * 365 * 24 * time.Hour

// withDefaults checks o and fills in what is 0, for n jobs of a sample that has
// jobs in the given span.
func (o SampleOptions) withDefaults(n, jobs int, span time.Duration) (SampleOptions, error) {
	bad := func(field, format string, args ...any) (SampleOptions, error) {
		return o, badInput(field, -1, ErrRange, format, args...)
	}
	if o.Arrivals > Campaigns {
		return bad("Arrivals", "%v: want %s", o.Arrivals, arrivals.Want())
	}
	if o.Span < 0 || o.Span > maxSpan {
		return bad("Span", "%v: want more than 0 and at most 100 years, or 0 for the default", o.Span)
	}
	if o.Span == 0 {
		s := float64(n) / float64(jobs) * span.Seconds()
		if s > maxSpan.Seconds() {
			return bad("Span", "%d jobs at the rate of the sample: want at most 100 years", n)
		}
		o.Span = time.Duration(s) * time.Second
	}
	if o.CampaignJobs < 0 {
		return bad("CampaignJobs", "%d: want more than 0, or 0 for the default", o.CampaignJobs)
	}
	if o.CampaignGap < 0 || o.CampaignGap > maxSpan {
		return bad("CampaignGap", "%v: want more than 0 and at most 100 years, or 0 for the default", o.CampaignGap)
	}
	if o.CampaignJobs == 0 {
		o.CampaignJobs = CampaignJobs
	}
	if o.CampaignGap == 0 {
		o.CampaignGap = CampaignGap
	}
	if o.Arrivals == Poisson {
		o.CampaignJobs = 1
	}
	return o, nil
}

// arrive gives jobs their submissions, puts them in order and numbers them. It
// returns an error, with the jobs in any state, if the clock does not hold them.
func (s *sampler) arrive(jobs []trace.Job, o SampleOptions) error {
	left := max(1, int(math.Round(float64(len(jobs))/float64(o.CampaignJobs)))) // campaigns
	u := 0.0                                                                    // start of the campaign, of the span
	at := 0.0                                                                   // s
	for i := range jobs {
		// Of the jobs that are left, left of them start campaigns: the first does,
		// and any choice of the others is equally likely.
		jobsLeft := len(jobs) - i
		if i == 0 || left > 0 && s.rng.IntN(jobsLeft) < left {
			u = 1 - float64((1-u)*s.root(left))
			at = u * o.Span.Seconds()
			left--
		} else {
			at += s.exponential(o.CampaignGap.Seconds())
		}
		if at > 2*maxSpan.Seconds() {
			return badInput("n", -1, ErrClock, "the submission of job %d: want fewer jobs", i+1)
		}
		jobs[i].Submit = time.Duration(at) * time.Second
		jobs[i].ID = int64(i) // the order in which it was drawn
	}
	slices.SortFunc(jobs, func(a, b trace.Job) int {
		if a.Submit != b.Submit {
			if a.Submit < b.Submit {
				return -1
			}
			return 1
		}
		return int(min(1, max(-1, a.ID-b.ID)))
	})
	for i := range jobs {
		jobs[i].ID = int64(i + 1)
	}
	return nil
}

// root returns v^(1/k) for v uniform in (0, 1].
func (s *sampler) root(k int) float64 {
	v := 1 - s.rng.Float64()
	if k == 1 {
		return v
	}
	return samebits.Exp(samebits.Log(v) / float64(k))
}

// exponential returns an exponential deviate of the given mean.
func (s *sampler) exponential(mean float64) float64 {
	return float64(-samebits.Log(1-s.rng.Float64()) * mean)
}

// A hyperexponential is two exponential distributions, each cut off at a limit:
// draws above it are drawn again. Times are in seconds.
type hyperexponential struct {
	short, long float64 // means before the cut
	limit       float64
}

// draw returns a deviate of the long distribution with probability long, else of
// the short one.
func (s *sampler) hyperexponential(h *hyperexponential, long float64) float64 {
	mean := h.short
	if s.rng.Float64() < long {
		mean = h.long
	}
	for {
		if x := s.exponential(mean); x <= h.limit {
			return x
		}
	}
}

// A choice is a distribution over 1, 2, …, len: cumulative weights, the last of
// which is the total.
type choice [64]float64

// pick returns an element of the first n.
func (s *sampler) pick(c *choice, n int) int {
	x := float64(s.rng.Float64() * c[n-1])
	i, _ := slices.BinarySearchFunc(c[:n-1], x, func(w, x float64) int {
		if w <= x {
			return -1
		}
		return 1
	})
	return i + 1
}

// maxJobs bounds how many jobs a call appends, 1 GiB.
const maxJobs = 1 << 24

// checkJobs returns what is wrong with a number of jobs. It panics if n is negative.
func checkJobs(n int) error {
	if n < 0 {
		panic("workload: negative number of jobs")
	}
	if n > maxJobs {
		return badInput("n", -1, ErrRange, "%d jobs: want at most %d", n, maxJobs)
	}
	return nil
}

// begin checks the arguments of a sample that has jobs in the given span, and
// returns dst with room for n more jobs.
func begin(dst []trace.Job, rng *rand.Rand, n int, o *SampleOptions, jobs int, span time.Duration) ([]trace.Job, error) {
	if rng == nil {
		panic("workload: nil source of randomness")
	}
	if err := checkJobs(n); err != nil {
		return nil, err
	}
	var err error
	if *o, err = o.withDefaults(n, jobs, span); err != nil {
		return nil, err
	}
	return slices.Grow(dst, n)[:len(dst)+n], nil
}
