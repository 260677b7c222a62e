package preempt_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// sample is the jobs that [Duplyakin17] section 4 would take of a log: 10,000 of
// its jobs at random, in the log's order, and of these the ones with up to 20
// nodes and 24 hours. A processor of an SP2 is a node.
//
// The run time that a job's user asked for stands in its Wait, which is not needed
// here: Convert raises an Estimate to the run time, and nobody knew that then.
func sample(tb testing.TB, name string, seed uint64) []trace.Job {
	tb.Helper()
	f, err := os.Open(shared.File(tb, "traces/"+name+"-cln.swf.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	jobs, _, err := trace.Convert(func(yield func(trace.Record, error) bool) {
		for r, err := range trace.NewReader(f).Records() {
			if r.Wait = max(0, r.ReqTime); !yield(r, err) {
				return
			}
		}
	}, trace.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(seed, 7))
	chosen := rnd.Perm(len(jobs))[:min(len(jobs), 10_000)]
	slices.Sort(chosen)
	var kept []trace.Job
	for _, i := range chosen {
		if j := jobs[i]; j.Nodes <= 20 && j.Run <= 24*time.Hour {
			kept = append(kept, j)
		}
	}
	return kept
}

// view is a state of a batch as package preempt sees it.
type view struct {
	jobs      []trace.Job
	priority  []int // by job of the log, nil for none
	place     []int // by job of the log
	st        preempt.State
	remaining []time.Duration
}

func newView(jobs []trace.Job) *view { return &view{jobs: jobs, place: make([]int, len(jobs))} }

func (v *view) set(s *sim.BatchState) {
	v.st.Jobs, v.remaining = v.st.Jobs[:0], v.remaining[:0]
	for k, i := range s.Running {
		v.place[i] = k
		j := preempt.Job{Nodes: v.jobs[i].Nodes, Elapsed: s.At - s.Starts[i], Requested: v.jobs[i].Wait}
		if v.priority != nil {
			j.Priority = v.priority[i]
		}
		v.st.Jobs = append(v.st.Jobs, j)
		v.remaining = append(v.remaining, v.jobs[i].Run-j.Elapsed)
	}
	v.st.Node = v.st.Node[:0]
	for _, i := range s.Node {
		if i >= 0 {
			i = v.place[i]
		}
		v.st.Node = append(v.st.Node, i)
	}
}

// plain is the rule of waste per node, by the expected waste of a job's loss:
// without and with pruning.
func plain(st preempt.State, outlast []float64, grace time.Duration, need int) (without, with []int) {
	var order []int
	for i := range st.Jobs {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(min(1, max(-1, (st.Jobs[a].Elapsed+grace)*time.Duration(outlast[a])-(st.Jobs[b].Elapsed+grace)*time.Duration(outlast[b]))))
	})
	for _, j := range order {
		if need > 0 {
			without = append(without, j)
			need -= st.Jobs[j].Nodes
		}
	}
	with = slices.Clone(without)
	for i := len(with) - 1; i >= 0; i-- {
		if n := st.Jobs[with[i]].Nodes; need+n <= 0 {
			need += n
			with = slices.Delete(with, i, i+1)
		}
	}
	return without, with
}

// The mean waste of each policy, over that of the exact victims: 10 of 20 nodes are taken,
// with 120 s of grace. The peer's figures are those of an independent program for KTH, of
// which sample and seed are not known. The peer breaks ties between nodes at random, and this
// package by node, so the figures are found with both. Ties matter to LIFO: jobs that started
// at the same moment have the same value, and taking some nodes of each loses them all. With
// ties by node LIFO wastes 9% more than the least, and with ties at random 21%.
func TestLogs(t *testing.T) {
	type ratios [8]float64
	const (
		pap     = int(preempt.PAP)
		without = iota + pap
		with
		greedy
	)
	names := [...]string{"random", "fifo", "lifo", "pap", "plain", "plain, pruned", "greedy", "exact"}
	for _, c := range []struct {
		log    string
		peer   ratios // 0: not known
		byNode ratios
		states int
	}{
		{"KTH-SP2-1996-2.1", ratios{1.76, 1.68, 1.22, 1.21, 1.10, 1.05}, ratios{1.771, 1.583, 1.086, 1.148, 1.084, 1.036, 1.001}, 650353},
		{"SDSC-SP2-1998-4.2", ratios{}, ratios{1.482, 1.380, 1.052, 1.141, 1.051, 1.017, 1.001}, 661350},
		{"CTC-SP2-1996-3.1", ratios{}, ratios{1.447, 1.426, 1.103, 1.224, 1.102, 1.024, 1.000}, 624269},
	} {
		jobs := sample(t, c.log, 1)
		rnd := rand.New(rand.NewPCG(1, 2))
		var sc preempt.Scorer
		var so preempt.Solver
		v := newView(jobs)
		values := make([]float64, 20)
		var outlast []float64
		var nodes, hit []int
		var byNode, atRandom [8]preempt.Tally
		perm := make([]int, 20)
		for n := range perm {
			perm[n] = n
		}
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		const take, grace = 10, 120 * time.Second
		states := 0
		b := sim.Batch{Nodes: 20}
		must(b.Run(jobs, func(s *sim.BatchState) bool {
			if states++; states%5 != 0 { // for time; the means move by less than 0.002
				return true
			}
			v.set(s)
			count := func(tally *preempt.Tally, hit []int) preempt.NodeTime {
				return tally.Add(v.st.Jobs, v.remaining, hit, grace)
			}
			outlast = slices.Grow(outlast[:0], len(v.st.Jobs))[:len(v.st.Jobs)]
			preempt.OutlastTo(outlast, v.remaining, grace)
			p := preempt.Preemption{Take: take, Grace: grace, Outlast: outlast}
			var err error
			hit, err = so.AppendVictims(hit[:0], v.st, p)
			must(err)
			least := count(&byNode[7], hit)
			hit, err = so.AppendGreedy(hit[:0], v.st, p)
			must(err)
			twice := count(&byNode[greedy], hit)
			if twice.Compare(least.Add(least)) > 0 {
				t.Fatalf("greedy wastes %v, the least is %v", twice, least)
			}
			idle := 0
			for _, j := range s.Node {
				if j < 0 {
					idle++
				}
			}
			a, b := plain(v.st, outlast, grace, take-idle)
			count(&byNode[without], a)
			count(&byNode[with], b)
			for _, tallies := range []*[8]preempt.Tally{&byNode, &atRandom} {
				if tallies == &atRandom { // the same state, the nodes numbered anew
					rnd.Shuffle(len(v.st.Node), func(a, b int) { v.st.Node[a], v.st.Node[b] = v.st.Node[b], v.st.Node[a] })
				}
				for policy := preempt.Random; policy <= preempt.PAP; policy++ {
					must(sc.ValuesTo(values, v.st, policy, preempt.ValueOptions{Rand: rnd}))
					nodes, err = sc.AppendLowest(nodes[:0], values, take)
					must(err)
					hit, err = sc.AppendHit(hit[:0], v.st, nodes)
					must(err)
					if w := count(&tallies[policy], hit); w.Compare(least) < 0 {
						t.Fatalf("%v wastes %v, the exact victims %v", policy, w, least)
					}
				}
			}
			return true
		}))
		t.Logf("%s: %d jobs, %d states, exact %.1f node-hours a state", c.log, len(jobs), states, byNode[7].Total().Hours()/float64(states/5))
		for k, name := range names[:7] {
			got := byNode[k].Total().Seconds() / byNode[7].Total().Seconds()
			other := got
			if k <= pap {
				other = atRandom[k].Total().Seconds() / byNode[7].Total().Seconds()
			}
			t.Logf("  %-14s %.3f, ties at random %.3f, peer %.2f", name, got, other, c.peer[k])
			if c.peer[k] != 0 && math.Abs(other-c.peer[k]) > .05 {
				t.Errorf("%s: %s with ties at random %.3f, the peer's is %.2f", c.log, name, other, c.peer[k])
			}
			if c.states != 0 && math.Abs(got-c.byNode[k]) > .003 {
				t.Errorf("%s: %s %.4f, was %.3f", c.log, name, got, c.byNode[k])
			}
		}
		if c.states != 0 && states != c.states {
			t.Errorf("%s: %d states, were %d", c.log, states, c.states)
		}
	}
}

// What the paper says of grace periods and priorities, on KTH's jobs. Up to 30 minutes the
// grace period hardly matters for LIFO and PAP. If 1% of the jobs, drawn at random, are
// important, PAP+ wastes tens of percent less of their work, and a few percent more of all
// work (the paper, on its own log: 82.9% and 7.5%). Up to half an hour, the users' estimates
// and what is learnt from earlier jobs choose victims nearly as well as the true remaining
// times.
func TestLogClaims(t *testing.T) {
	jobs := sample(t, "KTH-SP2-1996-2.1", 1)
	rnd := rand.New(rand.NewPCG(5, 6))
	v := newView(jobs)
	v.priority = make([]int, len(jobs))
	for i := range v.priority {
		v.priority[i] = 1
	}
	for _, i := range rnd.Perm(len(jobs))[:len(jobs)/100] {
		v.priority[i] = 10
	}
	var sc preempt.Scorer
	var so preempt.Solver
	var learnt preempt.Survival
	var worth preempt.Estimates
	graces := []time.Duration{time.Minute, 2 * time.Minute, 30 * time.Minute, 4 * time.Hour}
	const kinds = 10
	names := [kinds]string{"lifo", "pap", "pap+", "exact", "exact+", "requested", "survival", "nothing known", "overrun", "corrected"}
	var tallies [kinds][4]preempt.Tally
	var beyond [kinds]preempt.NodeTime // of jobs beyond their requests, with 2 minutes
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	values := make([]float64, 20)
	outlast := make([]float64, 20)
	var nodes, hit, running []int
	states := 0
	b := sim.Batch{Nodes: 20}
	must(b.Run(jobs, func(s *sim.BatchState) bool {
		if s.Changed {
			for _, i := range running {
				if !slices.Contains(s.Running, i) {
					learnt.Observe(jobs[i].User, jobs[i].Run)
					worth.Observe(jobs[i].User, jobs[i].Wait, jobs[i].Run)
				}
			}
			running = append(running[:0], s.Running...)
		}
		if states++; states%10 != 0 {
			return true
		}
		v.set(s)
		for k, policy := range []preempt.Policy{preempt.LIFO, preempt.PAP, preempt.PAPPlus} {
			must(sc.ValuesTo(values, v.st, policy, preempt.ValueOptions{}))
			var err error
			nodes, err = sc.AppendLowest(nodes[:0], values, 10)
			must(err)
			hit, err = sc.AppendHit(hit[:0], v.st, nodes)
			must(err)
			for g, grace := range graces {
				tallies[k][g].Add(v.st.Jobs, v.remaining, hit, grace)
			}
		}
		var users []int
		for _, i := range s.Running {
			users = append(users, jobs[i].User)
		}
		for g, grace := range graces {
			for k := 3; k < kinds; k++ {
				p := preempt.Preemption{Take: 10, Grace: grace, Outlast: outlast[:len(users)]}
				switch names[k] {
				case "exact", "exact+":
					preempt.OutlastTo(p.Outlast, v.remaining, grace)
					p.ByPriority = names[k] == "exact+"
				case "requested":
					preempt.RequestedTo(p.Outlast, v.st.Jobs, grace)
				case "overrun":
					preempt.OutlastTo(p.Outlast, v.remaining, grace)
					p.Overrun = 10
				case "corrected":
					worth.OutlastTo(p.Outlast, v.st.Jobs, users, grace)
				case "survival":
					learnt.OutlastTo(p.Outlast, v.st.Jobs, users, grace)
				default:
					p.Outlast = nil
				}
				var err error
				hit, err = so.AppendVictims(hit[:0], v.st, p)
				must(err)
				tallies[k][g].Add(v.st.Jobs, v.remaining, hit, grace)
				for _, j := range hit {
					if job := v.st.Jobs[j]; g == 1 && job.Requested > 0 && job.Elapsed > job.Requested {
						beyond[k] = beyond[k].Add(preempt.WastedCycles(job, v.remaining[j], grace))
					}
				}
			}
		}
		return true
	}))
	over := func(k, g int) float64 {
		return tallies[k][g].Total().Seconds() / tallies[3][g].Total().Seconds()
	}
	for k, name := range names {
		t.Logf("%-14s over exact at 1m, 2m, 30m, 4h: %.3f %.3f %.3f %.3f; mean waste %.1f to %.1f node-hours", name,
			over(k, 0), over(k, 1), over(k, 2), over(k, 3),
			tallies[k][0].Total().Hours()/float64(states/10), tallies[k][2].Total().Hours()/float64(states/10))
	}
	for k := range 2 {
		if a, b := tallies[k][0].Total().Seconds(), tallies[k][2].Total().Seconds(); math.Abs(b/a-1) > .03 {
			t.Errorf("%s: the waste with 30 minutes is %.3f of that with one", names[k], b/a)
		}
	}
	plus, pap := &tallies[2][1], &tallies[1][1]
	saved := 1 - plus.Of(10).Seconds()/pap.Of(10).Seconds()
	more := plus.Total().Seconds()/pap.Total().Seconds() - 1
	t.Logf("PAP+ wastes %.1f%% less of important jobs and %.1f%% more in all", 100*saved, 100*more)
	if saved < .3 || more > .05 {
		t.Errorf("PAP+ saves %.3f and costs %.3f", saved, more)
	}
	// Jobs that count a tenth once they are beyond their requests are taken instead of
	// others.
	late, others := beyond[8].Seconds()/beyond[3].Seconds(), (tallies[8][1].Total().Seconds()-beyond[8].Seconds())/(tallies[3][1].Total().Seconds()-beyond[3].Seconds())
	t.Logf("Overrun 10: jobs beyond their requests waste %.3f of what they do without, the others %.3f, all %.3f", late, others, over(8, 1))
	if late <= 1 || others >= 1 {
		t.Errorf("Overrun 10: jobs beyond their requests waste %.3f of what they do without, the others %.3f", late, others)
	}
	for _, k := range []int{5, 6, 9} {
		if over(k, 1) > 1.01 || over(k, 2) > 1.05 {
			t.Errorf("%s wastes %.3f with 2 minutes and %.3f with 30", names[k], over(k, 1), over(k, 2))
		}
		if over(k, 3) > over(7, 3) {
			t.Errorf("%s is worse than knowing nothing with 4 hours: %.3f, %.3f", names[k], over(k, 3), over(7, 3))
		}
	}
}
