package sim

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// seen is a state that was copied.
type seen struct {
	At      time.Duration
	Node    []int
	Running []int
	Since   []time.Duration // by node: when its job started
	Ended   int
	Changed bool
}

func copyState(s *BatchState) seen {
	c := seen{s.At, slices.Clone(s.Node), slices.Clone(s.Running), nil, s.Ended, s.Changed}
	for _, j := range s.Node {
		since := time.Duration(-1)
		if j >= 0 {
			since = s.Starts[j]
		}
		c.Since = append(c.Since, since)
	}
	return c
}

// naiveBatch is the batch second by second, for whole seconds: it looks for ends
// at each, and goes through the whole queue after each of them.
func naiveBatch(jobs []trace.Job, nodes int, every time.Duration) (states []seen) {
	node := make([]int, nodes)
	for n := range node {
		node[n] = -1
	}
	start := make([]time.Duration, len(jobs))
	ended := make([]bool, len(jobs))
	var queue, running []int // by the jobs' order; by their starts
	for i := range jobs {
		queue = append(queue, i)
	}
	now := time.Duration(0)
	// What the scheduler believes: a job holds its nodes until its end has been
	// told, or its estimate has passed.
	freeAt := func(t time.Duration) int {
		free := nodes
		for i := range jobs {
			if start[i] >= 0 && !ended[i] && start[i]+jobs[i].Estimate > t {
				free -= jobs[i].Nodes
			}
		}
		return free
	}
	for i := range start {
		start[i] = -1
	}
	begin := func(i int) {
		start[i] = now
		running = append(running, i)
		left := jobs[i].Nodes
		for n := range node {
			if left > 0 && node[n] < 0 {
				node[n] = i
				left--
			}
		}
	}
	pass := func() {
		for len(queue) > 0 && jobs[queue[0]].Nodes <= freeAt(now) {
			begin(queue[0])
			queue = queue[1:]
		}
		if len(queue) == 0 {
			return
		}
		top := jobs[queue[0]].Nodes
		shadow := now
		for freeAt(shadow) < top {
			shadow += time.Second
		}
		extra := freeAt(shadow) - top
		for k := 1; k < len(queue); k++ {
			j := &jobs[queue[k]]
			inTime := now+j.Estimate <= shadow
			if j.Nodes > freeAt(now) || !inTime && j.Nodes > extra {
				continue
			}
			if !inTime {
				extra -= j.Nodes
			}
			begin(queue[k])
			queue = slices.Delete(queue, k, k+1)
			k--
		}
	}
	pass()
	last := time.Duration(0)
	done, changed := 0, true
	for done < len(jobs) {
		now += time.Second
		var due []int
		for i := range jobs {
			if start[i] >= 0 && !ended[i] && start[i]+jobs[i].Run == now {
				due = append(due, i)
			}
		}
		for n, i := range node {
			if slices.Contains(due, i) {
				node[n] = -1
			}
		}
		for _, i := range due {
			ended[i] = true
			done++
			running = slices.DeleteFunc(running, func(k int) bool { return k == i })
			pass()
		}
		if len(due) > 0 {
			last, changed = now, true
		}
		if done < len(jobs) && (len(due) > 0 || (now-last)%every == 0) {
			s := seen{now, slices.Clone(node), slices.Clone(running), nil, done, changed}
			for _, i := range node {
				since := time.Duration(-1)
				if i >= 0 {
					since = start[i]
				}
				s.Since = append(s.Since, since)
			}
			states = append(states, s)
			changed = false
		}
	}
	return states
}

func drawBatch(t *rapid.T, nodes, maxJobs, maxRun int) (jobs []trace.Job) {
	for i := range rapid.IntRange(0, maxJobs).Draw(t, "jobs") {
		run := time.Duration(rapid.IntRange(1, maxRun).Draw(t, "run")) * time.Second
		jobs = append(jobs, trace.Job{
			ID:       int64(i),
			Run:      run,
			Estimate: run + time.Duration(max(0, rapid.IntRange(-5, 10).Draw(t, "over")))*time.Second,
			Nodes:    rapid.IntRange(1, nodes).Draw(t, "nodes"),
			Submit:   time.Duration(rapid.IntRange(0, 100).Draw(t, "submit")) * time.Second, // is not looked at
		})
	}
	return jobs
}

// The states are those of the naive simulation, one by one, by a used Batch as by
// a fresh one; and the starts those of the Simulator for jobs submitted at 0.
func TestBatchEqualsReference(t *testing.T) {
	var used Batch
	var simulator Simulator
	gaps, together, late, alike := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 6).Draw(t, "cluster")
		if rapid.Bool().Draw(t, "large") {
			nodes += 126 // more than two words of the free nodes
		}
		jobs := drawBatch(t, nodes, 12, 20)
		every := time.Duration(rapid.IntRange(1, 9).Draw(t, "every")) * time.Second
		used.Nodes, used.Every = nodes, every
		fresh := Batch{Nodes: nodes, Every: every}
		before := slices.Clone(jobs)
		want := naiveBatch(jobs, nodes, every)
		var got []seen
		var starts []time.Duration
		if err := used.Run(jobs, func(s *BatchState) bool {
			got = append(got, copyState(s))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		starts = slices.Clone(used.state.Starts)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("states (-reference +batch):\n%s", diff)
		}
		k := 0
		if err := fresh.Run(jobs, func(s *BatchState) bool {
			if diff := cmp.Diff(got[k], copyState(s)); diff != "" {
				t.Fatalf("state %d of a fresh Batch:\n%s", k, diff)
			}
			k++
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if k != len(got) {
			t.Fatalf("%d states of a fresh Batch, %d of a used one", k, len(got))
		}
		for i, s := range got {
			if !s.Changed {
				gaps++
			}
			if i > 0 && s.Ended > got[i-1].Ended+1 {
				together++
			}
			if s.Changed && slices.Contains(s.Since, s.At) {
				late++
			}
		}
		atOnce := slices.Clone(jobs)
		for i := range atOnce {
			atOnce[i].Submit = 0
		}
		r, err := simulator.Run(atOnce, Options{Mode: Local, Nodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		// A Simulator takes ends of one moment in another order, that of the starts.
		otherwise := false
		for i := range jobs {
			for k := range i {
				otherwise = otherwise || starts[i] < starts[k] && starts[i]+jobs[i].Run == starts[k]+jobs[k].Run
			}
		}
		if diff := cmp.Diff(r.Starts, starts); diff != "" && !otherwise {
			t.Fatalf("starts (-simulator +batch):\n%s", diff)
		}
		if !otherwise {
			alike++
		}
		if diff := cmp.Diff(before, jobs); diff != "" {
			t.Fatalf("jobs changed:\n%s", diff)
		}
	})
	if gaps == 0 || together == 0 || late == 0 || alike == 0 {
		t.Errorf("%d states between ends, %d after several ends, %d with new jobs, %d batches as in a Simulator: want some of each", gaps, together, late, alike)
	}
}

// lazy is a scheduler that starts nothing.
type lazy struct{ schedule.EASY }

func (*lazy) AppendStarts(dst []schedule.Allocation, _ time.Duration) []schedule.Allocation {
	return dst
}

func TestBatchErrors(t *testing.T) {
	good := trace.Job{ID: 7, Run: time.Second, Estimate: time.Second, Nodes: 2}
	with := func(set func(*trace.Job)) []trace.Job {
		j := good
		set(&j)
		return []trace.Job{good, j}
	}
	for _, c := range []struct {
		jobs  []trace.Job
		b     Batch
		want  error
		field string
		index int
	}{
		{nil, Batch{}, ErrRange, "Nodes", -1},
		{nil, Batch{Nodes: -3}, ErrRange, "Nodes", -1},
		{nil, Batch{Nodes: math.MaxInt}, ErrRange, "Nodes", -1},
		{nil, Batch{Nodes: 2, Every: -1}, ErrRange, "Every", -1},
		{with(func(j *trace.Job) { j.Nodes = 0 }), Batch{Nodes: 2}, ErrRange, "Jobs.Nodes", 1},
		{with(func(j *trace.Job) { j.Nodes = 3 }), Batch{Nodes: 2}, ErrTooLarge, "Jobs.Nodes", 1},
		{with(func(j *trace.Job) { j.Run = 0 }), Batch{Nodes: 2}, ErrRange, "Jobs.Run", 1},
		{with(func(j *trace.Job) { j.Run = replay.MaxTime + 1 }), Batch{Nodes: 2}, ErrRange, "Jobs.Run", 1},
		{with(func(j *trace.Job) { j.Estimate-- }), Batch{Nodes: 2}, ErrRange, "Jobs.Estimate", 1},
		{[]trace.Job{good}, Batch{Nodes: 2, Scheduler: new(lazy)}, ErrRange, "Scheduler", -1},
	} {
		states := 0
		err := c.b.Run(c.jobs, func(*BatchState) bool { states++; return true })
		var input *inputerr.Error
		if !errors.Is(err, c.want) || !errors.As(err, &input) || input.Field != c.field || input.Index != c.index || states > 0 {
			t.Errorf("%+v on %d nodes: %v after %d states, want %s[%d] %v", c.jobs, c.b.Nodes, err, states, c.field, c.index, c.want)
		}
	}
	// The clock's end: three jobs one after the other, of which two fit into it.
	long := trace.Job{Run: replay.MaxTime / 2, Estimate: replay.MaxTime / 2, Nodes: 1}
	b := Batch{Nodes: 1, Every: schedule.Never}
	err := b.Run([]trace.Job{long, long, long}, func(*BatchState) bool { return true })
	if !errors.Is(err, ErrRange) {
		t.Errorf("a clock beyond its range: %v", err)
	}
}

func TestBatchAllocatesNothing(t *testing.T) {
	logs := [][]trace.Job{flood(3000, 7, 0, 1), flood(2000, 5, 0, 2), flood(500, 7, 0, 3)}
	b := Batch{Nodes: 64}
	states := 0
	one := func(jobs []trace.Job) {
		if err := b.Run(jobs, func(*BatchState) bool { states++; return true }); err != nil {
			t.Fatal(err)
		}
	}
	for _, jobs := range logs {
		one(jobs)
	}
	for k, jobs := range logs {
		if n := allocs.Once(func() { one(jobs) }); n != 0 {
			t.Errorf("log %d: %v allocations", k, n)
		}
	}
	if states == 0 {
		t.Error("no states")
	}
}

// The batch of [Duplyakin17] section 4 from a real log: jobs of up to 20 nodes
// and 24 hours, on 20 nodes. With the states of all its jobs the log has three
// times as many as the half million of a sample of the size of the paper's.
func TestBatchKTH(t *testing.T) {
	all := load(t, "traces/KTH-SP2-1996-2.1-cln.swf.gz", 1)
	var jobs []trace.Job
	for _, j := range all {
		if j.Nodes <= 20 && j.Run <= 24*time.Hour {
			jobs = append(jobs, j)
		}
	}
	b := Batch{Nodes: 20}
	states, ends := 0, 0
	var last time.Duration
	if err := b.Run(jobs, func(s *BatchState) bool {
		states++
		if s.Changed {
			ends++
		}
		last = s.At
		return true
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d jobs, %d states, %d of them at ends, over %v", len(jobs), len(all), states, ends, last)
	// 25,992 jobs by awk over the log: processors ≤ 20 and run time ≤ 86,400 s.
	if len(jobs) != 25992 || ends > len(jobs) || states < 1_500_000 {
		t.Errorf("%d jobs, %d states, %d of them at ends", len(jobs), states, ends)
	}
	// The states are as dense as the rule says: no more than one a 30 s and one an end.
	if most := int(last/(30*time.Second)) + ends + 1; states > most {
		t.Errorf("%d states, at most %d can be", states, most)
	}
}

func BenchmarkBatch(b *testing.B) {
	for _, name := range []string{"KTH-SP2-1996-2.1-cln"} {
		b.Run("log="+name, func(b *testing.B) {
			var jobs []trace.Job
			for _, j := range load(b, "traces/"+name+".swf.gz", 1) {
				if j.Nodes <= 20 && j.Run <= 24*time.Hour {
					jobs = append(jobs, j)
				}
			}
			s := Batch{Nodes: 20}
			states := 0
			b.ReportAllocs()
			for b.Loop() {
				states = 0
				if err := s.Run(jobs, func(*BatchState) bool { states++; return true }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(states)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
