package workload

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The least and the greatest of what is allowed, and what is just beyond.
func TestLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	panics := func(f func()) (p bool) {
		defer func() { p = recover() != nil }()
		f()
		return false
	}
	for f, want := range map[float64]bool{0: false, 1: false, 1e6: false, -1e-9: true, 1e6 + 1: true, -1: true, 2e6: true, math.NaN(): true} {
		if got := panics(func() { _ = EstimatesTo(nil, nil, rng, f) }); got != want {
			t.Errorf("a factor of %v panics: %v", f, got)
		}
	}
	for n, want := range map[int]bool{1: false, 128: false, 1 << 20: false, 0: true, -1: true} {
		if got := panics(func() { batchParams().ForNodes(n) }); got != want {
			t.Errorf("a machine of %d nodes panics: %v", n, got)
		}
	}
	for n, want := range map[int]bool{1: false, 1e9: false, 0: true, 1e9 + 1: true} {
		if got := panics(func() { UsersTo(nil, nil, rng, n) }); got != want {
			t.Errorf("%d users panic: %v", n, got)
		}
	}
}

// More jobs than memory has room for are refused before memory is taken.
func TestTooManyJobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	before := []trace.Job{{ID: 7}}
	for _, n := range []int{maxJobs + 1, math.MaxInt} {
		for name, f := range map[string]func() ([]trace.Job, error){
			"grid5000":  func() ([]trace.Job, error) { return AppendGrid5000(before, rng, n, SampleOptions{}) },
			"feitelson": func() ([]trace.Job, error) { return AppendFeitelson(before, rng, n, SampleOptions{}) },
			"lublin":    func() ([]trace.Job, error) { return AppendLublin(before, rng, n, Options{}) },
		} {
			var in *inputerr.Error
			if got, err := f(); len(got) != 1 || !errors.As(err, &in) || in.Field != "n" || !errors.Is(err, ErrRange) {
				t.Errorf("%s: %d jobs: %d, %v", name, n, len(got), err)
			}
		}
	}
}
