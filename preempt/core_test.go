package preempt

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// plainVictims is the dynamic program over all jobs.
func plainVictims(t *testing.T, st State, p Preemption) []int {
	t.Helper()
	var s Solver
	need, err := s.prepare(st, p)
	if err != nil {
		t.Fatal(err)
	}
	var list []int32
	for j := range st.Jobs {
		list = append(list, int32(j))
	}
	s.program(st.Jobs, list, need)
	var out []int
	words := need/64 + 1
	for j, c := 0, need; c > 0; j++ {
		if s.taken[j*words+c/64]>>(c%64)&1 != 0 {
			out = append(out, j)
			c = max(0, c-st.Jobs[j].Nodes)
		}
	}
	return out
}

// Where the linear relaxation has a whole solution, it decides all jobs but those that waste as
// much for each node as the last one taken: jobs of one node, and jobs of one size that divides
// what is taken.
func TestCoreIsSmall(t *testing.T) {
	for _, c := range []struct{ jobs, nodes, take, times, core int }{
		{1000, 1, 500, 1000, 1}, {1000, 1, 1, 1000, 1}, {1000, 4, 800, 1000, 1}, {1000, 1, 505, 100, 10},
	} {
		var st State
		for j := range c.jobs {
			st.Jobs = append(st.Jobs, Job{Nodes: c.nodes, Elapsed: hours(1 + float64(j*7%c.times))})
		}
		st = on(0, st.Jobs...)
		var s Solver
		got, err := s.AppendVictims(nil, st, Preemption{Take: c.take})
		if err != nil || len(got) != c.take/c.nodes || c.jobs*c.take >= coreFrom && len(s.core) != c.core {
			t.Errorf("%+v: %d victims and a core of %d jobs, %v", c, len(got), len(s.core), err)
		}
	}
}

// The core has the jobs that matter: victims are those of the program over all jobs,
// ties included. Few distinct elapsed times and sizes make many ties; sizes that all
// are multiples of one number leave gaps that no bound closes.
func TestCoreEqualsPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1)) // seed 22, 1
	var s Solver
	small, whole := 0, 0
	for n := range 400 {
		jobs := 60 + rng.IntN(200)
		size, times, step := 1+rng.IntN(30), 1+rng.IntN(1000), 1
		if n%5 == 0 {
			times = 1 + rng.IntN(3)
		}
		if n%7 == 0 {
			step = 1 + rng.IntN(9)
		}
		var st State
		total := 0
		for j := range jobs {
			job := Job{Elapsed: time.Duration(rng.IntN(times)) * time.Second, Nodes: step * (1 + rng.IntN(size))}
			st.Jobs = append(st.Jobs, job)
			total += job.Nodes
			for range job.Nodes {
				st.Node = append(st.Node, j)
			}
		}
		p := Preemption{Take: 1 + rng.IntN(total), Grace: time.Duration(rng.IntN(3)) * time.Second}
		if n%3 == 0 {
			p.Outlast = make([]float64, jobs)
			for j := range p.Outlast {
				p.Outlast[j] = float64(rng.IntN(3)) / 2 // some waste nothing
			}
		}
		if jobs*p.Take < coreFrom {
			continue
		}
		got, err := s.AppendVictims(nil, st, p)
		if err != nil {
			t.Fatal(err)
		}
		if want := plainVictims(t, st, p); !slices.Equal(got, want) {
			t.Fatalf("%d: %d jobs, take %d: victims %v, want %v", n, jobs, p.Take, got, want)
		}
		if len(s.core) < jobs/2 {
			small++
		} else {
			whole++
		}
	}
	if small < 100 || whole < 10 {
		t.Errorf("%d cores are small and %d large: want both kinds tried", small, whole)
	}
}

// Whether a job is decided is clear by more than a millionth of the sums, which no rounding
// is: of jobs that cost nearly the same for each node those stay open that a rounded bound
// might decide wrongly.
func TestCoreMargin(t *testing.T) {
	const cost = 1_000_000_000_000
	var jobs []Job
	var s Solver
	for _, d := range []int64{-1e9, -1, 0, 1, 1e9} { // of the sums, 2·50·10¹², a millionth is 10⁸
		for range 20 {
			jobs = append(jobs, Job{Nodes: 1})
			s.keys = append(s.keys, wide.Uint{Lo: uint64(cost + d)})
		}
	}
	s.picked = make([]bool, len(jobs))
	left := s.decide(jobs, 50)
	for j := range jobs {
		open := slices.Contains(s.core, int32(j))
		if picked, far := j < 20, j < 20 || j >= 80; s.picked[j] != picked || open == far {
			t.Errorf("job %d of cost %d: picked %v, open %v", j, s.keys[j].Lo, s.picked[j], open)
		}
	}
	if left != 30 || !slices.IsSorted(s.core) {
		t.Errorf("%d nodes are left to free by %v", left, s.core)
	}
}
