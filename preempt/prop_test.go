package preempt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
)

// check checks a property on twenty times as many cases as rapid does by itself.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			property(t)
		}
	})
}

// drawState draws a state with up to the given numbers of jobs and of nodes a
// job: the nodes of jobs are shuffled, and some are idle. Elapsed times are small,
// so that ties are frequent.
func drawState(t *rapid.T, maxJobs, maxNodes int) State {
	var st State
	jobs := rapid.IntRange(0, maxJobs).Draw(t, "jobs")
	for i := range jobs {
		j := Job{
			Nodes:     rapid.IntRange(1, maxNodes).Draw(t, "nodes"),
			Elapsed:   time.Duration(rapid.IntRange(0, 6).Draw(t, "elapsed")),
			Requested: time.Duration(rapid.IntRange(0, 8).Draw(t, "requested")),
			Priority:  rapid.IntRange(0, 3).Draw(t, "priority"),
		}
		if rapid.Bool().Draw(t, "saves") {
			c := &Checkpoint{
				Saved:     time.Duration(rapid.IntRange(0, int(j.Elapsed)).Draw(t, "saved")),
				Every:     time.Duration(rapid.IntRange(0, 4).Draw(t, "every")),
				OnRequest: rapid.Bool().Draw(t, "on request"),
			}
			most := 4
			if c.Every > 0 {
				most = int(c.Every)
			}
			c.Cost = time.Duration(rapid.IntRange(0, most).Draw(t, "cost"))
			j.Checkpoint = c
		}
		st.Jobs = append(st.Jobs, j)
		for range j.Nodes {
			st.Node = append(st.Node, i)
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "idle") {
		st.Node = append(st.Node, Idle)
	}
	rnd := rand.New(rand.NewPCG(uint64(rapid.IntRange(0, 1<<20).Draw(t, "order")), 1))
	rnd.Shuffle(len(st.Node), func(a, b int) { st.Node[a], st.Node[b] = st.Node[b], st.Node[a] })
	return st
}

// drawPreemption draws one for a state. Chances are 0, 1/4, 1/2, 3/4 and 1, exact
// in a float64 and in 2⁻²⁰.
func drawPreemption(t *rapid.T, st State) Preemption {
	p := Preemption{
		Take:       rapid.IntRange(0, len(st.Node)).Draw(t, "take"),
		Grace:      time.Duration(rapid.IntRange(0, 5).Draw(t, "grace")),
		ByPriority: rapid.Bool().Draw(t, "by priority"), Overrun: rapid.IntRange(0, 3).Draw(t, "overrun"),
	}
	if rapid.Bool().Draw(t, "chances") {
		p.Outlast = make([]float64, len(st.Jobs))
		for i := range p.Outlast {
			p.Outlast[i] = float64(rapid.IntRange(0, 4).Draw(t, "chance")) / 4
		}
	}
	return p
}

// losses is what a node of a job loses by a preemption: the job is watched unit of time
// after unit, once without a request to save, and once for each moment at which it can be
// asked.
func losses(j Job, grace time.Duration) int64 {
	c := j.Checkpoint
	if c == nil {
		return int64(j.Elapsed + grace)
	}
	end := j.Elapsed + grace
	saved := c.Saved
	for at := j.Elapsed + 1; at <= end; at++ {
		if c.Every > 0 && j.Elapsed < c.Saved+c.Every && at == saved+c.Every {
			saved = at
		}
	}
	least := end - saved
	for ask := j.Elapsed; c.OnRequest && ask+c.Cost <= end; ask++ {
		// What runs before is saved; the save itself, and what runs after it, is not.
		least = min(least, c.Cost+(end-(ask+c.Cost)))
	}
	return int64(least)
}

// expected is the waste that is expected of a job's loss, in small whole units.
func expected(st State, p Preemption, i int) int64 {
	j := st.Jobs[i]
	w := losses(j, p.Grace) * int64(j.Nodes)
	if p.ByPriority && j.Priority > 0 {
		w *= int64(j.Priority)
	}
	if p.Overrun > 1 && !(j.Requested > 0 && j.Elapsed > j.Requested) {
		w *= int64(p.Overrun)
	}
	if p.Outlast != nil {
		return w * int64(4*p.Outlast[i])
	}
	return w * 4
}

func idle(st State) (n int) {
	for _, j := range st.Node {
		if j == Idle {
			n++
		}
	}
	return n
}

// brute tries all sets of jobs, by (waste, nodes freed, the earliest job in which
// they differ).
func brute(st State, p Preemption) (best []int, least int64) {
	need := p.Take - idle(st)
	if need <= 0 {
		return nil, 0
	}
	bestNodes := 0
	found := false
	for set := range 1 << len(st.Jobs) {
		var waste int64
		var jobs []int
		nodes := 0
		for i := range st.Jobs {
			if set>>i&1 != 0 {
				jobs = append(jobs, i)
				nodes += st.Jobs[i].Nodes
				waste += expected(st, p, i)
			}
		}
		if nodes < need {
			continue
		}
		better := !found || waste < least || waste == least && nodes < bestNodes
		if found && waste == least && nodes == bestNodes {
			// The first in which they differ is in the better one. Neither contains
			// the other, since all jobs have nodes.
			better = slices.Compare(jobs, best) < 0
		}
		if better {
			best, least, bestNodes, found = jobs, waste, nodes, true
		}
	}
	return best, least
}

func clone(st State) State { return State{slices.Clone(st.Jobs), slices.Clone(st.Node)} }

func total(st State, p Preemption, victims []int) (w int64) {
	for _, j := range victims {
		w += expected(st, p, j)
	}
	return w
}

// The exact set is that of brute force, ties included; the greedy one wastes at
// most twice as much and no more than the plain rule with pruning; both free
// enough nodes and are minimal. A dirty Solver gives what a fresh one does, and
// inputs stay.
func TestPropLeastWaste(t *testing.T) {
	var used Solver
	ties, gaps, zero := 0, 0, 0
	check(t, func(t *rapid.T) {
		st := drawState(t, 8, 5)
		p := drawPreemption(t, st)
		before, beforeOutlast := clone(st), slices.Clone(p.Outlast)
		got, err := used.AppendVictims(nil, st, p)
		if err != nil {
			t.Fatal(err)
		}
		want, least := brute(st, p)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("victims (-brute +exact):\n%s", diff)
		}
		var fresh Solver
		again, err := fresh.AppendVictims([]int{-7}, st, p)
		if err != nil || !slices.Equal(again, append([]int{-7}, got...)) {
			t.Fatalf("a fresh solver gives %v, %v, a used one %v", again, err, got)
		}
		greedy, err := used.AppendGreedy(nil, st, p)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(greedy) {
			t.Fatalf("greedy: %v is not in order", greedy)
		}
		g := total(st, p, greedy)
		if g > 2*least {
			t.Fatalf("greedy wastes %d, the least is %d", g, least)
		}
		if g > least {
			gaps++
		}
		if n := total(st, p, plain(st, p, true)); g > n {
			t.Fatalf("greedy wastes %d, the plain rule %d", g, n)
		}
		for name, victims := range map[string][]int{"exact": got, "greedy": greedy} {
			need, freed, smallest := p.Take-idle(st), 0, 1<<30
			for _, j := range victims {
				freed += st.Jobs[j].Nodes
				smallest = min(smallest, st.Jobs[j].Nodes)
			}
			if freed < need {
				t.Fatalf("%s frees %d nodes of %d", name, freed, need)
			}
			if len(victims) > 0 && freed-smallest >= need {
				t.Fatalf("%s frees %d nodes of %d and could leave out one of %d", name, freed, need, smallest)
			}
		}
		if least == 0 && len(want) > 0 {
			zero++
		}
		// Twins, so that a tie was there to be broken.
		if len(got) > 0 && len(got) < len(st.Jobs) {
			ties++
		}
		if diff := cmp.Diff(before, st) + cmp.Diff(beforeOutlast, p.Outlast); diff != "" {
			t.Fatalf("inputs changed:\n%s", diff)
		}
	})
	if ties == 0 || gaps == 0 || zero == 0 {
		seeded.TooFew(t, "%d real choices, %d greedy gaps, %d without waste: want some of each", ties, gaps, zero)
	}
}

// plain is the rule that most would write: jobs by waste per node until they
// suffice, and the superfluous ones dropped, the last first.
func plain(st State, p Preemption, prune bool) (victims []int) {
	var order []int
	for i := range st.Jobs {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(min(1, max(-1, expected(st, p, a)*int64(st.Jobs[b].Nodes)-expected(st, p, b)*int64(st.Jobs[a].Nodes))))
	})
	need := p.Take - idle(st)
	for _, j := range order {
		if need <= 0 {
			break
		}
		victims = append(victims, j)
		need -= st.Jobs[j].Nodes
	}
	if prune {
		for i := len(victims) - 1; i >= 0; i-- {
			if n := st.Jobs[victims[i]].Nodes; need+n <= 0 {
				need += n
				victims = slices.Delete(victims, i, i+1)
			}
		}
	}
	return victims
}

// The lowest nodes of the vector hit the victims and nobody else, and all idle
// nodes are among them.
func TestPropVector(t *testing.T) {
	var sc Scorer
	var so Solver
	surplus := 0
	check(t, func(t *rapid.T) {
		st := drawState(t, 10, 6)
		p := drawPreemption(t, st)
		values := make([]float64, len(st.Node))
		for _, choose := range []func([]int, State, Preemption) ([]int, error){so.AppendVictims, so.AppendGreedy} {
			victims, err := choose(nil, st, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := sc.VectorTo(values, st, victims, p.Overrun); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("value %v", v)
				}
			}
			nodes, err := sc.AppendLowest(nil, values, p.Take)
			if err != nil {
				t.Fatal(err)
			}
			hit, err := sc.AppendHit(nil, st, nodes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(victims, hit); diff != "" {
				t.Fatalf("hit (-victims +hit):\n%s", diff)
			}
			taken, freed := 0, idle(st)
			for _, n := range nodes {
				if st.Node[n] == Idle {
					taken++
				}
			}
			for _, j := range victims {
				freed += st.Jobs[j].Nodes
			}
			if taken != min(p.Take, idle(st)) {
				t.Fatalf("%d idle nodes taken of %d, %d nodes in all", taken, idle(st), p.Take)
			}
			if len(victims) > 0 && freed > p.Take {
				surplus++
			}
		}
	})
	if surplus == 0 {
		t.Error("no victims with more nodes than were asked for")
	}
}

// Within the victims and within the others the vector is in the order of PAP+, so
// that a host that takes fewer nodes or more still takes sensible ones first.
func TestPropVectorOrder(t *testing.T) {
	var sc Scorer
	within := [2]int{}
	check(t, func(t *rapid.T) {
		st := drawState(t, 10, 6)
		overrun := rapid.IntRange(0, 3).Draw(t, "overrun")
		victim := make([]bool, len(st.Jobs))
		var victims []int
		for j := range st.Jobs {
			if victim[j] = rapid.Bool().Draw(t, "victim"); victim[j] {
				victims = append(victims, j)
			}
		}
		vector, values := make([]float64, len(st.Node)), make([]float64, len(st.Node))
		if err := sc.VectorTo(vector, st, victims, overrun); err != nil {
			t.Fatal(err)
		}
		if err := sc.ValuesTo(values, st, PAPPlus, ValueOptions{Overrun: overrun}); err != nil {
			t.Fatal(err)
		}
		for a, i := range st.Node {
			for b, j := range st.Node {
				switch {
				case i == Idle || j == Idle:
					if i == Idle && j != Idle && !(vector[a] == 0 && vector[b] > 0) {
						t.Fatalf("node %d is idle and has %v, node %d %v", a, vector[a], b, vector[b])
					}
				case victim[i] != victim[j]:
					if victim[i] && vector[a] >= vector[b] {
						t.Fatalf("a victim's node has %v, another's %v", vector[a], vector[b])
					}
				case (values[a] < values[b]) != (vector[a] < vector[b]):
					t.Fatalf("nodes %d, %d: by PAP+ %v, %v, in the vector %v, %v", a, b, values[a], values[b], vector[a], vector[b])
				case values[a] < values[b] && victim[i]:
					within[1]++
				case values[a] < values[b]:
					within[0]++
				}
			}
		}
	})
	if within[0] == 0 || within[1] == 0 {
		t.Errorf("%d pairs of others, %d of victims: want some of each", within[0], within[1])
	}
}

// Values are in [0, 1], 0 for idle nodes alone, the same for all nodes of a job,
// and 1 for the greatest; LIFO is PAP where each job has one node, and PAP is
// ranks as PAP+ does where all have one priority.
func TestPropValues(t *testing.T) {
	var sc Scorer
	differ := 0
	check(t, func(t *rapid.T) {
		single := rapid.Bool().Draw(t, "single")
		nodes := 5
		if single {
			nodes = 1
		}
		st := drawState(t, 8, nodes)
		var values [Blind + 1][]float64
		for policy := range Blind + 1 {
			v := make([]float64, len(st.Node))
			for n := range v {
				v[n] = 99
			}
			before := clone(st)
			if err := sc.ValuesTo(v, st, policy, ValueOptions{Rand: rand.New(rand.NewPCG(1, 2))}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, st); diff != "" {
				t.Fatalf("state changed:\n%s", diff)
			}
			of := map[int]float64{}
			greatest := 0.0
			for n, j := range st.Node {
				if (j == Idle && policy != Blind) != (v[n] == 0) || !(v[n] >= 0 && v[n] <= 1) {
					t.Fatalf("%v: node %d with job %d has value %v", policy, n, j, v[n])
				}
				if first, ok := of[j]; ok && first != v[n] && policy != Random && policy != Blind {
					t.Fatalf("%v: the nodes of job %d have values %v and %v", policy, j, first, v[n])
				}
				of[j] = v[n]
				greatest = max(greatest, v[n])
			}
			if len(st.Jobs) > 0 && policy != Random && policy != Blind && greatest != 1 {
				t.Fatalf("%v: the greatest value is %v", policy, greatest)
			}
			if policy != Random && policy != Blind {
				for a, x := range st.Jobs {
					for b, y := range st.Jobs {
						if (raw(policy, x) < raw(policy, y)) != (of[a] < of[b]) {
							t.Fatalf("%v: jobs %+v, %+v have values %v, %v", policy, x, y, of[a], of[b])
						}
					}
				}
			}
			values[policy] = v
		}
		if same := slices.Equal(values[LIFO], values[PAP]); single && !same {
			t.Fatalf("LIFO %v, PAP %v", values[LIFO], values[PAP])
		} else if !same {
			differ++
		}
		for i := range st.Jobs {
			st.Jobs[i].Priority = 2
		}
		v := make([]float64, len(st.Node))
		if err := sc.ValuesTo(v, st, PAPPlus, ValueOptions{}); err != nil {
			t.Fatal(err)
		}
		for a := range v {
			for b := range v {
				if (values[PAP][a] < values[PAP][b]) != (v[a] < v[b]) {
					t.Fatalf("one priority: PAP %v, PAP+ %v", values[PAP], v)
				}
			}
		}
	})
	if differ == 0 {
		t.Error("LIFO and PAP never differed")
	}
}

// raw is what a policy ranks a job by.
func raw(policy Policy, j Job) int64 {
	if policy == FIFO {
		return -int64(j.Elapsed)
	}
	e := losses(j, 0) // what it would lose now
	switch policy {
	case PAP:
		return e * int64(j.Nodes)
	case PAPPlus:
		return e * int64(j.Nodes) * int64(max(1, j.Priority))
	}
	return e
}

// AppendLowest takes what sorting would.
func TestPropLowest(t *testing.T) {
	var sc Scorer
	check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(
			rapid.Float64Range(0, 1),
			rapid.SampledFrom([]float64{0, 1, .5, 5e-324, math.Copysign(0, -1)}),
		), 0, 40).Draw(t, "values")
		take := rapid.IntRange(0, len(values)).Draw(t, "take")
		before := slices.Clone(values)
		order := make([]int, len(values))
		for n := range order {
			order[n] = n
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case values[a] < values[b]:
				return -1
			case values[a] > values[b]:
				return 1
			}
			return 0
		})
		want := slices.Clone(order[:take])
		slices.Sort(want)
		got, err := sc.AppendLowest([]int{-1}, values, take)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[1:], want) || !slices.Equal(values, before) {
			t.Fatalf("%v of %v: %v, want %v", take, before, got[1:], want)
		}
	})
}

// Chance is the estimator as its definition has it, over lists that are cut by
// hand.
func TestPropSurvival(t *testing.T) {
	censored, plain := 0, 0
	check(t, func(t *rapid.T) {
		s := Survival{Window: rapid.IntRange(1, 5).Draw(t, "window"), Prior: rapid.SampledFrom([]float64{-1, 0, .5, 10}).Draw(t, "prior")}
		type seen struct {
			group int
			life
		}
		var all []seen
		for range rapid.IntRange(0, 30).Draw(t, "jobs") {
			x := seen{rapid.IntRange(0, 2).Draw(t, "group"), life{time.Duration(rapid.IntRange(0, 6).Draw(t, "ran")), rapid.IntRange(0, 3).Draw(t, "killed") == 0}}
			all = append(all, x)
			if x.killed {
				s.ObserveKilled(x.group, x.ran)
			} else {
				s.Observe(x.group, x.ran)
			}
		}
		group := rapid.IntRange(0, 3).Draw(t, "of")
		elapsed := time.Duration(rapid.IntRange(0, 6).Draw(t, "elapsed"))
		grace := time.Duration(rapid.IntRange(0, 6).Draw(t, "grace"))
		estimate := func(keep func(seen) bool, last int) (chance float64, longer int) {
			var jobs []life
			for _, x := range all {
				if keep(x) {
					jobs = append(jobs, x.life)
				}
			}
			jobs = jobs[max(0, len(jobs)-last):]
			chance = 1
			for at := elapsed + 1; at < elapsed+grace; at++ {
				risk, ended := 0, 0
				for _, x := range jobs {
					if x.ran >= at {
						risk++
						if x.ran == at && !x.killed {
							ended++
						}
					}
				}
				if risk > 0 {
					chance *= float64(risk-ended) / float64(risk)
				}
			}
			for _, x := range jobs {
				if x.ran > elapsed {
					longer++
				}
				if x.killed {
					censored++
				} else {
					plain++
				}
			}
			return chance, longer
		}
		own, r := estimate(func(x seen) bool { return x.group == group }, s.Window)
		every, n := estimate(func(seen) bool { return true }, 16*s.Window)
		prior := max(0, s.Prior)
		if s.Prior == 0 {
			prior = 4
		}
		a := (float64(n)*every + 1) / float64(n+1)
		want := a
		if r > 0 {
			want = (float64(r)*own + prior*a) / (float64(r) + prior)
		}
		got := s.Chance(group, elapsed, grace)
		if d := got - want; d > 1e-12 || d < -1e-12 {
			t.Fatalf("chance %v, want %v", got, want)
		}
		if !(got >= 0 && got <= 1) {
			t.Fatalf("chance %v", got)
		}
	})
	if censored == 0 || plain == 0 {
		t.Errorf("%d killed, %d ended", censored, plain)
	}
}
