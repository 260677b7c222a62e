package schedule

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// If not all nodes whose charge falls due may go, those go that are charged first, and of
// equals those that come first.
func TestReleaseOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 90))
	cut := 0
	for range 2000 {
		a := Autoscaler{ReleaseEvery: time.Hour, Least: rng.IntN(6)}
		v := View{Now: 5 * time.Hour, Nodes: 1 + rng.IntN(9)}
		for range 1 + rng.IntN(v.Nodes) {
			v.Due = append(v.Due, v.Now+a.Lead+time.Duration(rng.IntN(12))*10*time.Minute)
		}
		got := a.release([]int{99}, &v)
		var want []int
		for i, due := range v.Due {
			if at := due - a.Lead; at-v.Now < time.Hour {
				want = append(want, i)
			}
		}
		slices.SortStableFunc(want, func(i, j int) int { return cmp.Compare(v.Due[i], v.Due[j]) })
		if spare := max(0, v.Nodes-a.Least); len(want) > spare {
			want = want[:spare]
			cut++
		}
		slices.Sort(want)
		if !slices.Equal(got, append([]int{99}, want...)) {
			t.Fatalf("%+v, %+v: %v go, want %v", a, v, got[1:], want)
		}
	}
	if cut < 100 {
		t.Errorf("only %d releases are cut", cut)
	}
}
