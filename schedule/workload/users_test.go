package workload

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The shares of the users are ln(1 + 1/k)/ln(n + 1), within five standard deviations of
// 200,000 draws, and all else stays.
func TestUsersTo(t *testing.T) {
	const jobs, n = 200_000, 7
	from := make([]trace.Job, jobs)
	for i := range from {
		from[i] = trace.Job{ID: int64(i), User: -1, Nodes: 3, Queue: -1}
	}
	dst := make([]trace.Job, jobs)
	UsersTo(dst, from, newRand(1), n)
	count := make([]int, n+1)
	for i, j := range dst {
		count[j.User]++
		if j.User = -1; j != from[i] {
			t.Fatalf("job %d: %+v", i, j)
		}
	}
	for k := 1; k <= n; k++ {
		p := math.Log(1+1/float64(k)) / math.Log(n+1)
		if got := float64(count[k]) / jobs; math.Abs(got-p) > 5*math.Sqrt(p/jobs) {
			t.Errorf("user %d has %.4f of the jobs, want %.4f", k, got, p)
		}
	}
	UsersTo(from, from, newRand(1), n)
	if diff := cmp.Diff(dst, from); diff != "" {
		t.Error("in place it is not the same")
	}
	UsersTo(from[:9], from[:9], newRand(1), 1)
	for _, j := range from[:9] {
		if j.User != 1 {
			t.Errorf("of one user, user %d", j.User)
		}
	}
	for name, f := range map[string]func(){
		"lengths":  func() { UsersTo(dst, from[1:], newRand(1), 1) },
		"no users": func() { UsersTo(dst, from, newRand(1), 0) },
		"too many": func() { UsersTo(dst, from, newRand(1), 1e9+1) },
		"no rng":   func() { UsersTo(dst, from, nil, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
