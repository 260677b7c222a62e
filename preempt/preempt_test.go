package preempt

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const second = time.Second

// on returns a state in which each job has its nodes one after the other.
func on(idle int, jobs ...Job) State {
	st := State{Jobs: jobs}
	for range idle {
		st.Node = append(st.Node, Idle)
	}
	for i, j := range jobs {
		for range j.Nodes {
			st.Node = append(st.Node, i)
		}
	}
	return st
}

func hours(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }

// The two cases of WC ([Duplyakin17] section 4.1) and their boundary: a job that
// remains exactly as long as the grace period does not end in time.
func TestWastedCycles(t *testing.T) {
	j := Job{Nodes: 3, Elapsed: 100 * second}
	for _, c := range []struct {
		remaining, grace time.Duration
		want             NodeTime
	}{
		{120*second - 1, 120 * second, NodeTime{}},
		{120 * second, 120 * second, NodeTimeOf(220*second, 3)},
		{120*second + 1, 120 * second, NodeTimeOf(220*second, 3)},
		{0, 0, NodeTimeOf(100*second, 3)},
		{0, 1, NodeTime{}},
		{500 * second, 0, NodeTimeOf(100*second, 3)},
	} {
		if got := WastedCycles(j, c.remaining, c.grace); got != c.want {
			t.Errorf("remaining %v, grace %v: %v, want %v", c.remaining, c.grace, got, c.want)
		}
		outlast := []float64{9}
		OutlastTo(outlast, []time.Duration{c.remaining}, c.grace)
		if want := c.want != (NodeTime{}); (outlast[0] == 1) != want || (outlast[0] == 0) == want {
			t.Errorf("remaining %v, grace %v: chance %v", c.remaining, c.grace, outlast[0])
		}
	}
}

func TestNodeTime(t *testing.T) {
	const long = time.Duration(math.MaxInt64)
	for _, c := range []struct {
		got  NodeTime
		want string
		sec  float64
	}{
		{NodeTime{}, "0 node-seconds", 0},
		{NodeTimeOf(90*second+second/2, 2), "181 node-seconds", 181},
		{NodeTimeOf(90*second+second/4, 2), "180.5 node-seconds", 180.5},
		{NodeTimeOf(1, 3), "0.000000003 node-seconds", 3e-9},
		// 2⁶³ − 1 ns on a million nodes, which no time.Duration holds.
		{NodeTimeOf(long, 1_000_000), "9223372036854775.807 node-seconds", 9223372036854775.807},
		{NodeTimeOf(second/2, 1).Add(NodeTimeOf(second/2, 1)), "1 node-seconds", 1},
	} {
		if c.got.String() != c.want || c.got.Seconds() != c.sec {
			t.Errorf("%v (%v s), want %s", c.got, c.got.Seconds(), c.want)
		}
	}
	if got := NodeTimeOf(3*time.Hour, 2).Hours(); got != 6 {
		t.Errorf("%v hours, want 6", got)
	}
	order := []NodeTime{{}, NodeTimeOf(1, 1), NodeTimeOf(second, 1), NodeTimeOf(second+1, 1), NodeTimeOf(second, 2)}
	for i, a := range order {
		for k, b := range order {
			if got, want := a.Compare(b), min(1, max(-1, i-k)); got != want {
				t.Errorf("%v against %v: %d, want %d", a, b, got, want)
			}
		}
	}
	most := NodeTime{math.MaxInt64, 999_999_999}
	panics(t, "preempt: node-time out of range", func() { most.Add(NodeTimeOf(1, 1)) })
	panics(t, "preempt: node-time out of range", func() { NodeTimeOf(long, math.MaxInt) })
	panics(t, "preempt: negative node-time", func() { NodeTimeOf(-1, 1) })
	panics(t, "preempt: negative node-time", func() { NodeTimeOf(1, -1) })
}

func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panics with %v, want %s", got, want)
		}
	}()
	f()
}

// Values by hand. Nodes: two idle; job 0 on one node for 2 ns, job 1 on two for
// 3 ns with priority 5, job 2 on one for 7 ns. Each product gets a nanosecond more.
func TestValues(t *testing.T) {
	st := on(2,
		Job{Nodes: 1, Elapsed: 2, Requested: 1},
		Job{Nodes: 2, Elapsed: 3, Priority: 5},
		Job{Nodes: 1, Elapsed: 7, Requested: 7},
	)
	for _, c := range []struct {
		policy  Policy
		overrun int
		want    []float64
	}{
		{FIFO, 0, []float64{0, 0, 1, 5. / 6, 5. / 6, 1. / 6}}, // 7 − e + 1 = 6, 5, 1
		{LIFO, 0, []float64{0, 0, 3. / 8, 4. / 8, 4. / 8, 1}},
		{PAP, 0, []float64{0, 0, 3. / 8, 7. / 8, 7. / 8, 1}}, // 2, 2·3, 7
		{PAPPlus, 0, []float64{0, 0, 3. / 31, 1, 1, 8. / 31}},
		{PAPPlus, 1, []float64{0, 0, 3. / 31, 1, 1, 8. / 31}},
		{PAPPlus, 4, []float64{0, 0, 3. / 121, 1, 1, 29. / 121}}, // job 0 is overdue, job 2 is not yet
		{PAP, 4, []float64{0, 0, 3. / 8, 7. / 8, 7. / 8, 1}},
	} {
		var s Scorer
		got := make([]float64, len(st.Node))
		if err := s.ValuesTo(got, st, c.policy, ValueOptions{Overrun: c.overrun}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v, overrun %d (-want +got):\n%s", c.policy, c.overrun, diff)
		}
	}
}

// Jobs of equal node-time, times priority, are equal, and the lower nodes go: the
// nanosecond that keeps jobs apart from idle nodes does not tell them apart.
func TestTiesGoByNode(t *testing.T) {
	st := on(0,
		Job{Nodes: 3, Elapsed: hours(2)},
		Job{Nodes: 2, Elapsed: hours(3)},
		Job{Nodes: 1, Elapsed: hours(2), Priority: 3},
		Job{Nodes: 6, Elapsed: hours(1)},
	)
	var s Scorer
	values := make([]float64, len(st.Node))
	if err := s.ValuesTo(values, st, PAPPlus, ValueOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, values); diff != "" {
		t.Errorf("pap+ (-want +got):\n%s", diff)
	}
	if err := s.ValuesTo(values, st, PAP, ValueOptions{}); err != nil {
		t.Fatal(err)
	}
	if nodes, _ := s.AppendLowest(nil, values, 4); !slices.Equal(nodes, []int{0, 1, 2, 5}) {
		t.Errorf("pap gives up nodes %v, want those of job 2 and then the first three", nodes)
	}
}

// A job that Node shows on 256 nodes more or fewer than it says is told, also where
// counts of a byte would come out right, and with jobs beyond that.
func TestCensus(t *testing.T) {
	many := func(counts ...int) (node []int) {
		for j, n := range counts {
			for range n {
				node = append(node, j)
			}
		}
		return node
	}
	for _, c := range []struct {
		says, has []int
		bad       int
	}{
		{[]int{1, 2}, []int{1, 2}, -1},
		{[]int{1, 2}, []int{257, 2}, 0},
		{[]int{1, 2}, []int{1, 258}, 1},
		{[]int{1, 255}, []int{255, 1}, 0},
		{[]int{255, 1}, []int{255, 1}, -1},
		{[]int{256, 1}, []int{256, 1}, -1},
		{[]int{2, 257}, []int{258, 1}, 0},
		{[]int{257, 512}, []int{257, 512}, -1},
		{[]int{257, 512}, []int{513, 256}, 0},
		{[]int{1, math.MaxInt/2 + 2}, []int{1, 0}, 1},
	} {
		var st State
		for _, n := range c.says {
			st.Jobs = append(st.Jobs, Job{Nodes: n})
		}
		st.Node = append(many(c.has...), Idle)
		values := make([]float64, len(st.Node))
		var s Scorer
		err := s.ValuesTo(values, st, PAP, ValueOptions{})
		_, err2 := s.AppendHit(nil, st, nil)
		if c.bad < 0 {
			if err != nil || err2 != nil {
				t.Errorf("%v nodes: %v, %v", c.says, err, err2)
			}
			continue
		}
		wantError(t, err, ErrNoNode, "Jobs.Nodes", c.bad)
		wantError(t, err2, ErrNoNode, "Jobs.Nodes", c.bad)
	}
}

type zeros struct{}

func (zeros) Uint64() uint64 { return 0 }

// Random never gives a busy node the value of an idle one, also where the source
// gives 0.
func TestRandomIsAboveIdle(t *testing.T) {
	var s Scorer
	got := make([]float64, 2)
	if err := s.ValuesTo(got, on(1, Job{Nodes: 1}), Random, ValueOptions{Rand: rand.New(zeros{})}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0, 1}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// Chances go to the nearest 2⁻²⁰: the second job's is below 1 and counts as 1.
func TestChanceResolution(t *testing.T) {
	st := on(0, Job{Nodes: 1, Elapsed: 5}, Job{Nodes: 1, Elapsed: 5})
	for chance, want := range map[float64]int{1 - 1./(1<<22): 0, 1 - 1./(1<<20): 1} {
		var s Solver
		got, err := s.AppendVictims(nil, st, Preemption{Take: 1, Outlast: []float64{1, chance}})
		if err != nil || !slices.Equal(got, []int{want}) {
			t.Errorf("chance %v: jobs %v, %v; want job %d", chance, got, err, want)
		}
	}
}

// The counterexample of the package documentation: one node for an hour, two for 45
// minutes. No vector is right for one node to take and for two.
func TestRankingIsNotOptimal(t *testing.T) {
	st := on(0, Job{Nodes: 1, Elapsed: hours(1)}, Job{Nodes: 2, Elapsed: hours(.75)})
	remaining := []time.Duration{hours(9), hours(9)}
	waste := func(hit []int) float64 { return SumWasted(st.Jobs, remaining, hit, 0).Hours() }
	var sc Scorer
	var so Solver
	for _, c := range []struct {
		take             int
		exact            []int
		least, lifo, pap float64
	}{
		{1, []int{0}, 1, 1.5, 1},
		{2, []int{1}, 1.5, 1.5, 2.5},
	} {
		victims, err := so.AppendVictims(nil, st, Preemption{Take: c.take})
		if err != nil || !slices.Equal(victims, c.exact) || waste(victims) != c.least {
			t.Errorf("%d nodes: jobs %v, %v; want %v", c.take, victims, err, c.exact)
		}
		for policy, want := range map[Policy]float64{LIFO: c.lifo, PAP: c.pap, PAPPlus: c.pap} {
			values := make([]float64, len(st.Node))
			if err := sc.ValuesTo(values, st, policy, ValueOptions{}); err != nil {
				t.Fatal(err)
			}
			nodes, _ := sc.AppendLowest(nil, values, c.take)
			hit, _ := sc.AppendHit(nil, st, nodes)
			if got := waste(hit); got != want {
				t.Errorf("%d nodes, %v: jobs %v, %v node-hours; want %v", c.take, policy, hit, got, want)
			}
		}
	}
	// All vectors, as the orders of the three nodes.
	right := 0
	for _, order := range [][]float64{{0, .5, 1}, {0, 1, .5}, {.5, 0, 1}, {.5, 1, 0}, {1, 0, .5}, {1, .5, 0}} {
		one, _ := sc.AppendLowest(nil, order, 1)
		two, _ := sc.AppendLowest(nil, order, 2)
		hitOne, _ := sc.AppendHit(nil, st, one)
		hitTwo, _ := sc.AppendHit(nil, st, two)
		if waste(hitOne) == 1 && waste(hitTwo) == 1.5 {
			right++
		}
	}
	if right != 0 {
		t.Errorf("%d orders of the nodes are right for one node and for two", right)
	}
}

// No constant bounds FIFO, LIFO and PAP, by hand (ERRATA [Duplyakin17] 4): the factor grows with the
// nodes of the large job.
func TestPoliciesHaveNoConstant(t *testing.T) {
	small := Job{Nodes: 1, Elapsed: 60 * time.Minute}
	for _, c := range []struct {
		policy  Policy
		nodes   int // of the large job
		smalls  int
		elapsed time.Duration // of the large job
		take    int
		factor  float64
	}{
		// PAP takes all but one node of the small jobs, and the large job for that one.
		{PAP, 100, 99, 61 * time.Minute / 100, 100, (99*60 + 61) / 61.},
		{PAP, 1000, 999, 61 * time.Minute / 1000, 1000, (999*60 + 61) / 61.},
		{LIFO, 100, 1, 59 * time.Minute, 1, 5900. / 60},
		{LIFO, 1000, 1, 59 * time.Minute, 1, 59000. / 60},
		{FIFO, 100, 1, 61 * time.Minute, 1, 6100. / 60},
		{FIFO, 1000, 1, 61 * time.Minute, 1, 61000. / 60},
	} {
		t.Run(fmt.Sprint(c.policy, " ", c.nodes), func(t *testing.T) {
			large := Job{Nodes: c.nodes, Elapsed: c.elapsed}
			st := on(0, append(slices.Repeat([]Job{small}, c.smalls), large)...)
			remaining := slices.Repeat([]time.Duration{hours(9)}, len(st.Jobs))
			var sc Scorer
			values := make([]float64, len(st.Node))
			if err := sc.ValuesTo(values, st, c.policy, ValueOptions{}); err != nil {
				t.Fatal(err)
			}
			nodes, _ := sc.AppendLowest(nil, values, c.take)
			hit, _ := sc.AppendHit(nil, st, nodes)
			victims, err := new(Solver).AppendVictims(nil, st, Preemption{Take: c.take})
			if err != nil {
				t.Fatal(err)
			}
			got := SumWasted(st.Jobs, remaining, hit, 0).Hours() / SumWasted(st.Jobs, remaining, victims, 0).Hours()
			if math.Abs(got-c.factor) > 1e-9 {
				t.Errorf("%v times the least, want %v", got, c.factor)
			}
		})
	}
}

// The bound of the greedy form is tight, as its file says, and the plain rule with
// pruning has none.
func TestGreedyBound(t *testing.T) {
	var s Solver
	waste := func(st State, victims []int) (h float64) {
		for _, j := range victims {
			h += float64(st.Jobs[j].Nodes) * st.Jobs[j].Elapsed.Hours()
		}
		return h
	}
	st := on(0, Job{Nodes: 98, Elapsed: hours(99)}, Job{Nodes: 99, Elapsed: hours(100)}, Job{Nodes: 1, Elapsed: hours(101)})
	p := Preemption{Take: 100}
	greedy, _ := s.AppendGreedy(nil, st, p)
	exact, _ := s.AppendVictims(nil, st, p)
	if g, e := waste(st, greedy), waste(st, exact); g != 19602 || e != 10001 {
		t.Errorf("greedy %v node-hours, exact %v; want 19602 and 10001", g, e)
	}
	// 100 nodes that waste 99 and one that wastes 1, in some unit.
	st = on(0, Job{Nodes: 100, Elapsed: 99}, Job{Nodes: 1, Elapsed: 100})
	p = Preemption{Take: 1}
	greedy, _ = s.AppendGreedy(nil, st, p)
	if !slices.Equal(greedy, []int{1}) || !slices.Equal(plain(st, p, true), []int{0}) {
		t.Errorf("greedy takes jobs %v, the plain rule %v; want 1 and 0", greedy, plain(st, p, true))
	}
}

// Ties, by hand.
func TestVictimsTies(t *testing.T) {
	for _, c := range []struct {
		name string
		st   State
		p    Preemption
		want []int
	}{
		{"equal jobs: the first", on(0, Job{Nodes: 1, Elapsed: 5}, Job{Nodes: 1, Elapsed: 5}), Preemption{Take: 1}, []int{0}},
		{"equal waste: fewer nodes", on(0, Job{Nodes: 2, Elapsed: 5}, Job{Nodes: 1, Elapsed: 10}), Preemption{Take: 1}, []int{1}},
		{"no waste: fewer nodes", on(0, Job{Nodes: 3}, Job{Nodes: 1}, Job{Nodes: 2}), Preemption{Take: 3}, []int{0}},
		{"no waste: fewest nodes, earliest", on(0, Job{Nodes: 3}, Job{Nodes: 1}, Job{Nodes: 2}, Job{Nodes: 1}), Preemption{Take: 2}, []int{1, 3}},
		{"idle nodes suffice", on(3, Job{Nodes: 1, Elapsed: 5}), Preemption{Take: 3}, nil},
		{"idle nodes do not suffice", on(3, Job{Nodes: 2, Elapsed: 5}), Preemption{Take: 4}, []int{0}},
		{"all", on(1, Job{Nodes: 2, Elapsed: 5}, Job{Nodes: 1}), Preemption{Take: 4}, []int{0, 1}},
		{"nothing", on(0, Job{Nodes: 2, Elapsed: 5}), Preemption{}, nil},
		{"no nodes", State{}, Preemption{}, nil},
	} {
		var s Solver
		got, err := s.AppendVictims(nil, c.st, c.p)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Among many equal jobs both methods take the first; and jobs whose waste does not fit do not
// matter where idle nodes suffice.
func TestVictimsFirst(t *testing.T) {
	want := make([]int, 60)
	for i := range want {
		want[i] = i
	}
	huge := on(2, Job{Nodes: 1, Elapsed: math.MaxInt64, Priority: math.MaxInt})
	var s Solver
	for _, choose := range []func([]int, State, Preemption) ([]int, error){s.AppendVictims, s.AppendGreedy} {
		if got, err := choose(nil, on(0, slices.Repeat([]Job{{Nodes: 1, Elapsed: 5}}, 200)...), Preemption{Take: 60}); err != nil || !slices.Equal(got, want) {
			t.Errorf("victims %v, %v, want the first 60 of 200", got, err)
		}
		p := Preemption{Take: 2, ByPriority: true, Overrun: math.MaxInt}
		if got, err := choose(nil, huge, p); err != nil || len(got) > 0 {
			t.Errorf("idle nodes suffice: %v, %v", got, err)
		}
		p.Take = 3
		_, err := choose(nil, huge, p)
		wantError(t, err, ErrOverflow, "Jobs", 0)
	}
}

// Priorities and jobs beyond their requested time as weights: the waste is 100
// and 60 node-seconds.
func TestVictimsWeights(t *testing.T) {
	st := on(0, Job{Nodes: 1, Elapsed: 100 * second, Requested: 90 * second}, Job{Nodes: 1, Elapsed: 60 * second, Priority: 2, Requested: 60 * second})
	for _, c := range []struct {
		weights Preemption
		want    int
	}{
		{Preemption{}, 1},
		{Preemption{ByPriority: true}, 0}, // 100 against 120
		{Preemption{Overrun: 1}, 1},
		{Preemption{Overrun: 2}, 0},                   // 50 against 60
		{Preemption{ByPriority: true, Overrun: 2}, 0}, // 50 against 120
	} {
		var s Solver
		c.weights.Take = 1
		got, err := s.AppendVictims(nil, st, c.weights)
		if err != nil || !slices.Equal(got, []int{c.want}) {
			t.Errorf("%+v: %v, %v; want job %d", c.weights, got, err, c.want)
		}
	}
}

// Amounts that fit in no 64-bit integer are exact, and those beyond 127 bits are
// refused: 100,000 nodes for a year at a priority of 100,000 fit.
func TestVictimsLargeAmounts(t *testing.T) {
	year := hours(24 * 365)
	jobs := []Job{{Nodes: 50_000, Elapsed: year, Priority: 100_000}, {Nodes: 50_000, Elapsed: year - 1, Priority: 100_000}}
	var s Solver
	for _, choose := range []func([]int, State, Preemption) ([]int, error){s.AppendVictims, s.AppendGreedy} {
		got, err := choose(nil, on(0, jobs...), Preemption{Take: 10, ByPriority: true})
		if err != nil || !slices.Equal(got, []int{1}) {
			t.Errorf("victims %v, %v; want job 1, younger by a nanosecond", got, err)
		}
		jobs := slices.Clone(jobs)
		jobs[1].Priority = math.MaxInt
		for _, w := range []Preemption{{ByPriority: true}, {ByPriority: true, Overrun: math.MaxInt}} {
			got, err = choose([]int{4}, on(0, jobs...), Preemption{Take: 10, ByPriority: true, Overrun: w.Overrun})
			wantError(t, err, ErrOverflow, "Jobs", 1-min(1, w.Overrun))
			if !slices.Equal(got, []int{4}) {
				t.Errorf("victims %v in spite of an error", got)
			}
		}
	}
}

func wantError(t *testing.T, err, want error, field string, index int) {
	t.Helper()
	var input *InputError
	if !errors.As(err, &input) || !errors.Is(err, want) || input.Field != field || input.Index != index {
		t.Errorf("error %v, want %s[%d] %v", err, field, index, want)
	}
	if err != nil && (!strings.HasPrefix(err.Error(), "preempt: "+strings.Split(field, ".")[0]) || !strings.Contains(err.Error(), want.Error())) {
		t.Errorf("error %q does not name %s", err, field)
	}
}

// Bad input is told, and nothing is taken or changed.
func TestErrors(t *testing.T) {
	good := on(1, Job{Nodes: 1, Elapsed: 5}, Job{Nodes: 2, Elapsed: 3})
	with := func(set func(*State)) State {
		st := clone(good)
		set(&st)
		return st
	}
	for _, c := range []struct {
		st    State
		want  error
		field string
		index int
	}{
		{with(func(st *State) { st.Jobs[1].Nodes = 0 }), ErrNoNode, "Jobs.Nodes", 1},
		{with(func(st *State) { st.Jobs = append(st.Jobs, Job{}) }), ErrNoNode, "Jobs.Nodes", 2},
		{with(func(st *State) { st.Jobs = append(st.Jobs, Job{Nodes: 1}) }), ErrNoNode, "Jobs.Nodes", 2},
		{with(func(st *State) { st.Jobs[0].Nodes = 2 }), ErrNoNode, "Jobs.Nodes", 0},
		{with(func(st *State) { st.Jobs[0].Nodes = -1 }), ErrNoNode, "Jobs.Nodes", 0},
		{with(func(st *State) { st.Jobs[1].Nodes = math.MaxInt }), ErrOverflow, "Jobs.Nodes", 1},
		{with(func(st *State) { st.Jobs[1].Priority = -1 }), ErrRange, "Jobs.Priority", 1},
		{with(func(st *State) { st.Jobs[1].Elapsed, st.Jobs[1].Priority = 0, -1 }), ErrRange, "Jobs.Priority", 1},
		{with(func(st *State) { st.Jobs[1].Elapsed = -1 }), ErrRange, "Jobs.Elapsed", 1},
		{with(func(st *State) { st.Jobs[1].Requested = -1 }), ErrRange, "Jobs.Requested", 1},
		{with(func(st *State) { st.Node[2] = 2 }), ErrRange, "Node", 2},
		{with(func(st *State) { st.Node[2] = -2 }), ErrRange, "Node", 2},
	} {
		var sc Scorer
		var so Solver
		values := []float64{7, 7, 7, 7}
		for policy := FIFO; policy <= PAPPlus; policy++ {
			wantError(t, sc.ValuesTo(values, c.st, policy, ValueOptions{}), c.want, c.field, c.index)
		}
		wantError(t, sc.VectorTo(values, c.st, nil, 0), c.want, c.field, c.index)
		dst := []int{3}
		_, err := sc.AppendHit(dst, c.st, []int{1})
		wantError(t, err, c.want, c.field, c.index)
		_, err = so.AppendVictims(dst, c.st, Preemption{Take: 1})
		wantError(t, err, c.want, c.field, c.index)
		_, err = so.AppendGreedy(dst, c.st, Preemption{Take: 1})
		wantError(t, err, c.want, c.field, c.index)
		if !slices.Equal(values, []float64{7, 7, 7, 7}) {
			t.Errorf("values %v after an error", values)
		}
	}
	for _, c := range []struct {
		p     Preemption
		want  error
		field string
		index int
	}{
		{Preemption{Take: -1}, ErrRange, "Take", -1},
		{Preemption{Take: 5}, ErrTooMany, "Take", -1},
		{Preemption{Take: 2, Grace: -1}, ErrRange, "Grace", -1},
		{Preemption{Take: 2, Overrun: -1}, ErrRange, "Overrun", -1},
		{Preemption{Take: 2, Outlast: []float64{1}}, ErrLength, "Outlast", -1},
		{Preemption{Take: 2, Outlast: []float64{}}, ErrLength, "Outlast", -1},
		{Preemption{Take: 2, Outlast: []float64{1, 1, 1}}, ErrLength, "Outlast", -1},
		{Preemption{Take: 2, Outlast: []float64{1, 1.5}}, ErrRange, "Outlast", 1},
		{Preemption{Take: 2, Outlast: []float64{-.1, 1}}, ErrRange, "Outlast", 0},
		{Preemption{Take: 2, Outlast: []float64{1, math.NaN()}}, ErrRange, "Outlast", 1},
	} {
		var s Solver
		for _, choose := range []func([]int, State, Preemption) ([]int, error){s.AppendVictims, s.AppendGreedy} {
			got, err := choose([]int{3}, good, c.p)
			wantError(t, err, c.want, c.field, c.index)
			if !slices.Equal(got, []int{3}) {
				t.Errorf("%+v: took %v", c.p, got)
			}
		}
	}
	var s Scorer
	for _, c := range []struct {
		values []float64
		take   int
		want   error
		field  string
		index  int
	}{
		{[]float64{0, 1}, 3, ErrTooMany, "Take", -1},
		{[]float64{0, 1}, -1, ErrRange, "Take", -1},
		{[]float64{0, 1.01}, 1, ErrRange, "Values", 1},
		{[]float64{-.01, 1}, 1, ErrRange, "Values", 0},
		{[]float64{0, math.NaN()}, 0, ErrRange, "Values", 1},
	} {
		got, err := s.AppendLowest([]int{3}, c.values, c.take)
		wantError(t, err, c.want, c.field, c.index)
		if !slices.Equal(got, []int{3}) {
			t.Errorf("%v of %v: took %v", c.take, c.values, got)
		}
	}
	for _, n := range []int{-1, 4} {
		got, err := s.AppendHit([]int{3}, good, []int{0, n})
		wantError(t, err, ErrRange, "Nodes", 1)
		if !slices.Equal(got, []int{3}) {
			t.Errorf("node %d: hit %v", n, got)
		}
	}
	values := []float64{7, 7, 7, 7}
	wantError(t, s.VectorTo(values, good, []int{0, 2}, 0), ErrRange, "Victims", 1)
	wantError(t, s.VectorTo(values, good, []int{0}, -1), ErrRange, "Overrun", -1)
	wantError(t, s.ValuesTo(values, good, PAPPlus, ValueOptions{Overrun: -1}), ErrRange, "Overrun", -1)
	if !slices.Equal(values, []float64{7, 7, 7, 7}) {
		t.Errorf("values %v after an error", values)
	}
}

func TestMisuse(t *testing.T) {
	var s Scorer
	var v Survival
	var tally Tally
	st := on(0, Job{Nodes: 1})
	j, short := st.Jobs, []time.Duration{}
	for want, fs := range map[string][]func(){
		"preempt: vector and nodes of different lengths": {
			func() { s.ValuesTo(nil, st, PAP, ValueOptions{}) },
			func() { s.VectorTo(nil, st, nil, 0) },
		},
		"preempt: unknown policy":           {func() { s.ValuesTo([]float64{1}, st, Blind+1, ValueOptions{}) }},
		"preempt: nil source of randomness": {func() { s.ValuesTo([]float64{1}, st, Random, ValueOptions{}) }, func() { s.ValuesTo([]float64{1}, st, Blind, ValueOptions{}) }},
		"preempt: jobs and remaining times of different lengths": {
			func() { SumWasted(j, short, nil, 0) },
			func() { tally.Add(j, short, nil, 0) },
		},
		"preempt: chances and remaining times of different lengths": {func() { OutlastTo([]float64{1}, short, 0) }},
		"preempt: chances and jobs of different lengths":            {func() { RequestedTo(nil, j, 0) }},
		"preempt: chances, jobs and groups of different lengths": {
			func() { v.OutlastTo(nil, j, []int{1}, 0) },
			func() { v.OutlastTo([]float64{1}, j, nil, 0) },
		},
		"preempt: negative time": {
			func() { WastedCycles(j[0], -1, 0) },
			func() { WastedCycles(j[0], 0, -1) },
			func() { OutlastTo([]float64{1}, []time.Duration{-1}, 0) },
			func() { OutlastTo(nil, nil, -1) },
			func() { RequestedTo(nil, nil, -1) },
			func() { v.Observe(0, -1) },
			func() { v.ObserveKilled(0, -1) },
			func() { v.Chance(0, -1, 0) },
			func() { v.Chance(0, 0, -1) },
			func() { WastedCycles(Job{Nodes: 1, Elapsed: -5}, 0, 1) }, // also if it ends in time
		},
		"preempt: negative number of nodes": {func() { WastedCycles(Job{Nodes: -1}, 0, 1) }},
		"preempt: negative priority": {
			func() { WastedCycles(Job{Nodes: 1, Priority: -1}, 0, 1) },
			func() { SumWasted([]Job{{Nodes: 1, Priority: -1}}, []time.Duration{2}, []int{0}, 1) },
			func() { tally.Add([]Job{{Nodes: 1, Priority: -1}}, []time.Duration{2}, []int{0}, 1) },
		},
		"preempt: node-time out of range": {
			func() { WastedCycles(Job{Nodes: math.MaxInt, Elapsed: math.MaxInt64}, 1, 1) },
		},
		"preempt: prior is not a finite number": {
			func() { (&Survival{Prior: math.NaN()}).Chance(0, 1, 1) },
			func() { (&Survival{Prior: math.Inf(1)}).OutlastTo([]float64{0}, j, []int{1}, 1) },
		},
		"preempt: negative window": {func() { (&Survival{Window: -1}).Observe(0, 1) }},
	} {
		for _, f := range fs {
			panics(t, want, f)
		}
	}
}

func TestPolicyText(t *testing.T) {
	for p := range Blind + 1 {
		text, err := p.MarshalText()
		var q Policy
		if err != nil || q.UnmarshalText(text) != nil || q != p {
			t.Errorf("%v is %q, %v and back %v", p, text, err, q)
		}
	}
	if _, err := (Blind + 1).MarshalText(); err == nil || (Blind+1).String() != "Policy(6)" {
		t.Errorf("%v has a text", Blind+1)
	}
	if err := new(Policy).UnmarshalText([]byte("PAP")); err == nil {
		t.Error("PAP is read")
	}
}

func TestTally(t *testing.T) {
	jobs := []Job{{Nodes: 2, Elapsed: 10 * second, Priority: 10}, {Nodes: 1, Elapsed: 5 * second}, {Nodes: 1, Elapsed: 7 * second, Priority: 1}, {Nodes: 9, Elapsed: second, Priority: 3}}
	remaining := []time.Duration{20 * second, 20 * second, 20 * second, second}
	var tally Tally
	for range 2 { // a Tally that was emptied is an empty one
		tally.Reset()
		if got := tally.Add(jobs, remaining, []int{0, 1, 3}, 2*second); got != NodeTimeOf(31*second, 1) { // 2·12 + 7
			t.Errorf("added %v", got)
		}
		tally.Add(jobs, remaining, []int{2}, 0)
		tally.Add(jobs, remaining, nil, 0)
		for p, want := range map[int]time.Duration{0: 14, 1: 14, 10: 24, 3: 0, 2: 0} {
			if got := tally.Of(p); got != NodeTimeOf(want*second, 1) {
				t.Errorf("priority %d: %v, want %d s", p, got, want)
			}
		}
		if tally.Total() != NodeTimeOf(38*second, 1) || tally.Killed() != 3 {
			t.Errorf("total %v of %d jobs", tally.Total(), tally.Killed())
		}
	}
}

// An Add that panics has added nothing: not the jobs before the one that is wrong,
// and not those that fit before the total does not.
func TestTallyIsAtomic(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("ints of 32 bits have sums of 64 bits")
	}
	jobs := []Job{{Nodes: 2, Elapsed: 10 * second, Priority: 10}, {Nodes: 1, Elapsed: -1}, {Nodes: math.MaxInt / 2, Elapsed: second, Priority: 3}}
	remaining := []time.Duration{20 * second, 20 * second, 20 * second}
	var tally Tally
	tally.Add(jobs, remaining, []int{0}, 0)
	panics(t, "preempt: negative time", func() { tally.Add(jobs, remaining, []int{0, 1}, 0) })
	tally.Add(jobs, remaining, []int{2}, 0)
	before := tally.Total()
	panics(t, "preempt: node-time out of range", func() { tally.Add(jobs, remaining, []int{0, 2}, 0) })
	if tally.Total() != before || tally.Killed() != 2 || tally.Of(10) != NodeTimeOf(20*second, 1) || tally.Of(3) != NodeTimeOf(second, math.MaxInt/2) {
		t.Errorf("total %v of %d jobs, of priority 10 %v, of 3 %v", tally.Total(), tally.Killed(), tally.Of(10), tally.Of(3))
	}
	if tally.Of(-4) != (NodeTime{}) {
		t.Errorf("of priority -4 %v", tally.Of(-4))
	}
}

func TestRequested(t *testing.T) {
	jobs := []Job{
		{Nodes: 1, Elapsed: 50},                 // nothing was asked for
		{Nodes: 1, Elapsed: 50, Requested: 60},  // 10 remain: not below the grace period
		{Nodes: 1, Elapsed: 51, Requested: 60},  // 9 remain
		{Nodes: 1, Elapsed: 60, Requested: 60},  // it ends now
		{Nodes: 1, Elapsed: 61, Requested: 60},  // it should have ended
		{Nodes: 1, Elapsed: 50, Requested: 1e9}, // long
	}
	got := make([]float64, len(jobs))
	RequestedTo(got, jobs, 10)
	if diff := cmp.Diff([]float64{1, 1, 0, 0, 1, 1}, got); diff != "" {
		t.Errorf("chances (-want +got):\n%s", diff)
	}
}

// Chances by hand. The user's jobs ran 10, 20, 20, 40 and 80; a job that has run
// for 10 is one of the four that ran for longer.
func TestSurvival(t *testing.T) {
	s := Survival{Prior: -1}
	for _, ran := range []time.Duration{20, 80, 10, 40, 20} {
		s.Observe(1, ran)
	}
	for _, c := range []struct {
		elapsed, grace time.Duration
		want           float64
	}{
		{0, 10, 1}, // a job that runs for 10 does not end within 10
		{0, 11, .8},
		{10, 0, 1},
		{10, 10, 1},
		{10, 11, .5},
		{10, 1000, 0},
		{79, 1, 1},
		{79, 2, 0},
		{10, math.MaxInt64, 0},
		{80, 10, 1}, // nobody ran for longer: it goes on, as far as is known
	} {
		if got := s.Chance(1, c.elapsed, c.grace); got != c.want {
			t.Errorf("ran for %d, grace %d: %v, want %v", c.elapsed, c.grace, got, c.want)
		}
	}
	// Another user's chance is that of all, of whom four ran for longer than 10, and
	// one more who goes on.
	if got, want := s.Chance(2, 10, 11), (4*.5+1)/5; got != want {
		t.Errorf("a stranger's chance: %v, want %v", got, want)
	}
	// A killed job that ran for 30: at 20 two of five ended, at 40 one of two.
	s.ObserveKilled(1, 30)
	if got, want := s.Chance(1, 10, 31), 3./5*1/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("with a killed job: %v, want %v", got, want)
	}
	s.Reset()
	if got := s.Chance(1, 10, 31); got != 1 {
		t.Errorf("after Reset: %v, want 1", got)
	}
	// The latest jobs count: 64 long ones after 64 short ones.
	s.Prior = 0
	for _, ran := range []time.Duration{5, 500} {
		for range 64 {
			s.Observe(3, ran)
		}
	}
	if got := s.Chance(3, 0, 50); got < .96 {
		t.Errorf("after 64 long jobs: %v", got)
	}
}
