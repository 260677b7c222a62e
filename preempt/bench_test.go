package preempt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// busyState has jobs of 1 to 2·mean−1 nodes, and no idle nodes.
func busyState(jobs, mean int, seed uint64) (State, []time.Duration) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	var st State
	remaining := make([]time.Duration, jobs)
	for i := range jobs {
		j := Job{
			Nodes:    1 + rnd.IntN(2*mean-1),
			Elapsed:  time.Duration(rnd.ExpFloat64() * float64(2*time.Hour)),
			Priority: 1 + 9*(rnd.IntN(50)/49),
		}
		j.Requested = 2 * j.Elapsed
		remaining[i] = time.Duration(rnd.ExpFloat64() * float64(2*time.Hour))
		st.Jobs = append(st.Jobs, j)
		for range j.Nodes {
			st.Node = append(st.Node, i)
		}
	}
	rnd.Shuffle(len(st.Node), func(a, b int) { st.Node[a], st.Node[b] = st.Node[b], st.Node[a] })
	return st, remaining
}

// The values of a million nodes: asked for are 10 ms. A million jobs on one node
// each are the most there can be.
func BenchmarkValuesTo(b *testing.B) {
	for _, jobs := range []int{20, 1000, 250_000, 1_000_000} {
		st, _ := busyState(jobs, 1_000_000/jobs, 1)
		st.Jobs[0].Nodes += 1_000_000 - len(st.Node) // to a million, if it has fewer
		for len(st.Node) < 1_000_000 {
			st.Node = append(st.Node, 0)
		}
		for j := 0; len(st.Node) > 1_000_000; {
			last := len(st.Node) - 1
			j = st.Node[last]
			st.Jobs[j].Nodes--
			st.Node = st.Node[:last]
		}
		st.Jobs, st.Node = compact(st)
		for policy := range PAPPlus + 1 {
			b.Run(fmt.Sprintf("nodes=%d/jobs=%d/policy=%v", len(st.Node), jobs, policy), func(b *testing.B) {
				var s Scorer
				dst := make([]float64, len(st.Node))
				opts := ValueOptions{Rand: rand.New(rand.NewPCG(1, 2))}
				if err := s.ValuesTo(dst, st, policy, opts); err != nil { // warm
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := s.ValuesTo(dst, st, policy, opts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// compact drops jobs without nodes.
func compact(st State) ([]Job, []int) {
	var jobs []Job
	to := make([]int, len(st.Jobs))
	counts := make([]int, len(st.Jobs))
	for _, j := range st.Node {
		counts[j]++
	}
	for i, j := range st.Jobs {
		to[i] = len(jobs)
		if j.Nodes = counts[i]; j.Nodes > 0 {
			jobs = append(jobs, j)
		}
	}
	for n, j := range st.Node {
		st.Node[n] = to[j]
	}
	return jobs, st.Node
}

// Which nodes of a million a vector gives up.
func BenchmarkAppendLowest(b *testing.B) {
	st, _ := busyState(1000, 1000, 1)
	for policy := range PAPPlus + 1 {
		b.Run(fmt.Sprintf("nodes=%d/policy=%v", len(st.Node), policy), func(b *testing.B) {
			var s Scorer
			values := make([]float64, len(st.Node))
			if err := s.ValuesTo(values, st, policy, ValueOptions{Rand: rand.New(rand.NewPCG(1, 2))}); err != nil {
				b.Fatal(err)
			}
			var dst []int
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if dst, err = s.AppendLowest(dst[:0], values, len(values)/2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Victims among a thousand jobs, of a thousand nodes: asked for are 5 ms for the
// exact ones. gap-ratio is the expected waste over the least.
func BenchmarkVictims(b *testing.B) {
	for _, c := range []struct{ jobs, mean, take int }{
		{12, 2, 10}, {1000, 4, 1000}, {1000, 100, 1000}, {10_000, 4, 1000}, {10_000, 4, 10_000},
	} {
		st, _ := busyState(c.jobs, c.mean, 3)
		p := Preemption{Take: c.take, Grace: 2 * time.Minute}
		var s Solver
		waste := func(hit []int) float64 { return SumWasted(st.Jobs, longLeft(len(st.Jobs)), hit, p.Grace).Seconds() }
		exact, err := s.AppendVictims(nil, st, p)
		if err != nil {
			b.Fatal(err)
		}
		least := waste(exact)
		for _, alg := range []struct {
			name   string
			choose func([]int, State, Preemption) ([]int, error)
		}{
			{"exact", s.AppendVictims},
			{"greedy", s.AppendGreedy},
			{"lifo", byPolicy(LIFO)},
			{"pap", byPolicy(PAP)},
		} {
			b.Run(fmt.Sprintf("alg=%s/jobs=%d/nodes=%d/take=%d", alg.name, c.jobs, len(st.Node), c.take), func(b *testing.B) {
				var dst []int
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if dst, err = alg.choose(dst[:0], st, p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(waste(dst)/least, "gap-ratio")
			})
		}
	}
}

func byPolicy(policy Policy) func([]int, State, Preemption) ([]int, error) {
	var s Scorer
	var values []float64
	var nodes []int
	return func(dst []int, st State, p Preemption) ([]int, error) {
		values = slices.Grow(values[:0], len(st.Node))[:len(st.Node)]
		if err := s.ValuesTo(values, st, policy, ValueOptions{}); err != nil {
			return nil, err
		}
		var err error
		if nodes, err = s.AppendLowest(nodes[:0], values, p.Take); err != nil {
			return nil, err
		}
		return s.AppendHit(dst, st, nodes)
	}
}

func longLeft(n int) []time.Duration {
	r := make([]time.Duration, n)
	for i := range r {
		r[i] = 1 << 62
	}
	return r
}

func BenchmarkChance(b *testing.B) {
	var s Survival
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		s.Observe(i%100, time.Duration(rnd.ExpFloat64()*float64(time.Hour)))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s.Chance(i%128, time.Duration(i%7200)*time.Second, 20*time.Minute)
		i++
	}
}
