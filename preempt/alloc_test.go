package preempt

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// Warm, nothing allocates: neither values nor selection nor victims nor chances
// nor sums, whatever the state is that is no larger than those before.
func TestAllocatesNothing(t *testing.T) {
	var states []State
	var remaining [][]time.Duration
	for k, size := range []struct{ jobs, mean int }{{400, 5}, {10, 2}, {100, 20}, {399, 5}} {
		st, r := busyState(size.jobs, size.mean, uint64(k))
		states, remaining = append(states, st), append(remaining, r)
	}
	wide := on(4, Job{Nodes: 300, Elapsed: time.Hour, Requested: 2 * time.Hour}, Job{Nodes: 5, Elapsed: time.Minute, Requested: time.Hour})
	states, remaining = append(states, wide), append(remaining, []time.Duration{time.Hour, time.Hour})
	var sc Scorer
	var so Solver
	var su Survival
	var tally Tally
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 5000 {
		su.Observe(i%7, time.Duration(rnd.ExpFloat64()*float64(time.Hour)))
		if i%5 == 0 {
			su.ObserveKilled(i%7, time.Duration(rnd.ExpFloat64()*float64(time.Hour)))
		}
	}
	values := make([]float64, 1<<13)
	outlast := make([]float64, 1<<10)
	groups := make([]int, 1<<10)
	for i := range groups {
		groups[i] = i % 9
	}
	var nodes, jobs []int
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range map[string]func(State, []time.Duration){
		"values": func(st State, _ []time.Duration) {
			for policy := range PAPPlus + 1 {
				must(sc.ValuesTo(values[:len(st.Node)], st, policy, ValueOptions{Rand: rnd}))
			}
		},
		"lowest": func(st State, r []time.Duration) {
			var err error
			must(sc.ValuesTo(values[:len(st.Node)], st, PAP, ValueOptions{}))
			nodes, err = sc.AppendLowest(nodes[:0], values[:len(st.Node)], len(st.Node)/2)
			must(err)
			jobs, err = sc.AppendHit(jobs[:0], st, nodes)
			must(err)
			tally.Add(st.Jobs, r, jobs, time.Minute)
		},
		"exact": func(st State, r []time.Duration) {
			var err error
			OutlastTo(outlast[:len(r)], r, time.Minute)
			jobs, err = so.AppendVictims(jobs[:0], st, Preemption{Take: len(st.Node) / 2, Grace: time.Minute, Outlast: outlast[:len(r)]})
			must(err)
			must(sc.VectorTo(values[:len(st.Node)], st, jobs, 2))
		},
		"greedy": func(st State, r []time.Duration) {
			var err error
			RequestedTo(outlast[:len(r)], st.Jobs, time.Minute)
			jobs, err = so.AppendGreedy(jobs[:0], st, Preemption{Take: len(st.Node) / 2, Grace: time.Minute, Outlast: outlast[:len(r)]})
			must(err)
		},
		"survival": func(st State, r []time.Duration) {
			su.OutlastTo(outlast[:len(r)], st.Jobs, groups[:len(r)], time.Minute)
			su.Observe(3, r[0])
			su.ObserveKilled(4, r[1])
		},
	} {
		for k := range states {
			f(states[k], remaining[k])
		}
		for k := range states {
			if n := allocs.Once(func() { f(states[k], remaining[k]) }); n != 0 {
				t.Errorf("%s, state %d: %v allocations", name, k, n)
			}
		}
	}
	if !slices.Contains(outlast, 0) && slices.Max(outlast) == 0 {
		t.Error("no chances")
	}
}
