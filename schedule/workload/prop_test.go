package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/plimsoll/plimsoll/internal/seeded"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// anyParams draws parameters that the model can use on a machine of the given
// size, at least two nodes.
func anyParams(t *rapid.T, name string, nodes int) Params {
	f := func(field string, lo, hi float64) float64 {
		return rapid.Float64Range(lo, hi).Draw(t, name+"."+field)
	}
	var p Params
	p.Serial = f("Serial", 0, 1)
	p.Pow2 = f("Pow2", 0, 1) * (1 - p.Serial)
	p.UHi = math.Log2(float64(nodes)) * f("UHi", .1, 1)
	p.UMed = p.UHi * f("UMed", 0, 1)
	p.ULow = p.UMed * f("ULow", 0, 1)
	p.UProb = f("UProb", 0, 1)
	// Means at or below the limits, so that at least some two fifths are accepted.
	p.A1 = f("A1", .5, 50)
	p.B1 = f("mean 1", .5, 11) / p.A1
	p.A2 = f("A2", .5, 500)
	p.B2 = f("mean 2", .5, 11) / p.A2
	p.PA = f("PA", -.1, .1)
	p.PB = f("PB", -.5, 1.5)
	p.AArr = f("AArr", .5, 50)
	p.ARAR = f("ARAR", .9, 1.1)
	p.BArr = f("mean gap", .5, 10) / p.AArr
	p.ANum = f("ANum", 2, 20)
	p.BNum = f("BNum", 1, 6)
	return p
}

func anyOptions(t *rapid.T) Options {
	o := Options{Nodes: rapid.IntRange(2, 5000).Draw(t, "nodes")}
	if rapid.Bool().Draw(t, "typeless") {
		o.Typeless = true
		o.Whole = anyParams(t, "Whole", o.Nodes)
	} else {
		o.Batch = anyParams(t, "Batch", o.Nodes)
		o.Interactive = anyParams(t, "Interactive", o.Nodes)
	}
	return o
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// Every job is one that a simulator can replay.
func TestPropValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := anyOptions(t)
		seed := rapid.Uint64().Draw(t, "seed")
		jobs, err := AppendLublin(nil, newRand(seed), 200, o)
		must(t, err)
		if len(jobs) != 200 {
			t.Fatalf("%d jobs, want 200", len(jobs))
		}
		var last time.Duration
		for i, j := range jobs {
			switch {
			case j.ID != int64(i+1):
				t.Fatalf("job %d has id %d", i+1, j.ID)
			case j.Submit < last || j.Submit%time.Second != 0:
				t.Fatalf("submission %v after %v", j.Submit, last)
			case j.Run < time.Second || j.Run.Seconds() > math.Exp(12) || j.Run%time.Second != 0:
				t.Fatalf("run time %v", j.Run)
			case j.Estimate != j.Run:
				t.Fatalf("estimate %v of %v", j.Estimate, j.Run)
			case j.Nodes < 1 || j.Nodes > o.Nodes:
				t.Fatalf("%d of %d nodes", j.Nodes, o.Nodes)
			case j.User != -1:
				t.Fatalf("user %d", j.User)
			case o.Typeless && j.Queue != -1:
				t.Fatalf("typeless in queue %d", j.Queue)
			case !o.Typeless && j.Queue != QueueBatch && j.Queue != QueueInteractive:
				t.Fatalf("queue %d", j.Queue)
			}
			last = j.Submit
		}
	})
}

// The same seed gives the same jobs: at once, one by one, by the iterator, from a
// used stream, as a prefix of more, and behind what dst holds.
func TestPropSameSeed(t *testing.T) {
	var used Lublin
	rapid.Check(t, func(t *rapid.T) {
		o := anyOptions(t)
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(0, 60).Draw(t, "n")
		want, err := AppendLublin(nil, newRand(seed), n, o)
		must(t, err)

		more, err := AppendLublin([]trace.Job{{ID: 42}}, newRand(seed), n+10, o)
		must(t, err)
		if more[0] != (trace.Job{ID: 42}) || !slices.Equal(want, more[1:n+1]) {
			t.Fatal("not a prefix of more jobs")
		}

		must(t, used.Reset(newRand(seed), o))
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		got := slices.Collect(used.Jobs(cut))
		for range n - cut {
			j, ok := used.Next()
			if !ok {
				t.Fatal("the stream ended")
			}
			got = append(got, j)
		}
		if !slices.Equal(want, got) {
			t.Fatalf("a used stream differs (-want +got):\n%s", cmp.Diff(want, got))
		}

		// Leaving the loop early loses no job.
		must(t, used.Reset(newRand(seed), o))
		for j := range used.Jobs(n) {
			if j.ID > int64(cut) {
				break
			}
		}
		if j, _ := used.Next(); cut < n && j != more[cut+2] {
			t.Fatalf("after leaving at job %d comes %v, want %v", cut+1, j, more[cut+2])
		}
	})
}

// Estimates: never below the run time, at most 48 hours unless the job is longer,
// round, in place as aside, and without change to the jobs.
func TestPropEstimates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOf(rapid.Int64Range(1, int64(100*time.Hour))).Draw(t, "runs")
		f := rapid.Float64Range(0, 10).Draw(t, "f")
		seed := rapid.Uint64().Draw(t, "seed")
		jobs := make([]trace.Job, len(runs))
		for i, r := range runs {
			jobs[i] = trace.Job{ID: int64(i), Run: time.Duration(r), Nodes: 3, User: 7, Queue: 1}
		}
		before := slices.Clone(jobs)
		got := make([]trace.Job, len(jobs))
		must(t, EstimatesTo(got, jobs, newRand(seed), f))
		if !slices.Equal(before, jobs) {
			t.Fatal("the jobs changed")
		}
		must(t, EstimatesTo(jobs, jobs, newRand(seed), f))
		if !slices.Equal(got, jobs) {
			t.Fatal("in place differs")
		}
		for i, j := range got {
			e := j.Estimate
			if e < j.Run || e > max(48*time.Hour, j.Run+24*time.Hour) || e%time.Minute != 0 {
				t.Fatalf("run time %v, estimate %v", j.Run, e)
			}
			// The next larger factor in the range bounds it from above.
			if top := roundUp(j.Run, float64(j.Run)*(1+f)); e > top {
				t.Fatalf("run time %v, factor %g: estimate %v above %v", j.Run, f, e, top)
			}
			j.Estimate = 0
			if j != before[i] {
				t.Fatalf("more than the estimate of job %d changed", i)
			}
		}
	})
}

// A source that returns the smallest or the largest numbers for ever more often
// than chance does not break the samplers: sizes and run times stay in range.
type edges struct {
	rng *rand.Rand
}

func (e edges) Uint64() uint64 {
	switch e.rng.IntN(4) {
	case 0:
		return 0
	case 1:
		return math.MaxUint64
	}
	return e.rng.Uint64()
}

func TestPropEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Nodes: 128, Typeless: rapid.Bool().Draw(t, "typeless")}
		rng := rand.New(edges{newRand(rapid.Uint64().Draw(t, "seed"))})
		jobs, err := AppendLublin(nil, rng, 300, o)
		must(t, err)
		for _, j := range jobs {
			if j.Nodes < 1 || j.Nodes > 128 || j.Run < time.Second || j.Run.Seconds() > math.Exp(12) {
				t.Fatalf("job %+v", j)
			}
		}
	})
}
