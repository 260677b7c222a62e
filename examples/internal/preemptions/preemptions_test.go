package preemptions

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
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// options returns the flags as a program sees them.
func options(args ...string) (o Options, err error) {
	f := cli.NewFlags("test")
	o.Define(f, "60s,120s,20m,30m,1h..6h", "all", 30*time.Second)
	return o, errors.Join(f.Parse(args))
}

var small = programtest.SixJobs

// The defaults are those of the usage, and grace periods are as it says.
func TestDefaults(t *testing.T) {
	o, err := options()
	if err != nil {
		t.Fatal(err)
	}
	var want []time.Duration
	for _, s := range []int{60, 120, 1200, 1800, 3600, 7200, 10800, 14400, 18000, 21600} {
		want = append(want, time.Duration(s)*time.Second)
	}
	if diff := cmp.Diff(want, o.Graces); diff != "" || o.Nodes != 20 || o.Take != 10 || slices.Contains(o.Shown[:], false) {
		t.Errorf("%+v (-want +got):\n%s", o, diff)
	}
	if o.sample != 0 || o.longest != 0 || o.Overrun != 1 {
		t.Errorf("%+v", o)
	}
	for nodes, take := range map[string]int{"1": 1, "9": 9, "11": 10, "100": 10} {
		if o, err = options("-nodes", nodes); err != nil || o.Take != take {
			t.Errorf("-nodes %s: %d are taken, %v; want %d", nodes, o.Take, err, take)
		}
	}
	if o, err = options("-grace", "0..0s"); err == nil {
		t.Errorf("0..0s is %v", o.Graces)
	}
	if o, err = options("-grace", "30s..90s,5m"); err != nil || !slices.Equal(o.Graces, []time.Duration{30e9, 60e9, 90e9, 300e9}) {
		t.Errorf("30s..90s,5m is %v, %v", o.Graces, err)
	}
	if o, err = options("-policy", "lifo,exact", "-grace", "0"); err != nil || !o.Shown[LIFO] || !o.Shown[Exact] || o.Shown[FIFO] || len(o.Graces) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

// The share of jobs that ask for the most node-time: job 6 (1200 node-seconds), then
// job 1 (300).
func TestImportant(t *testing.T) {
	path := programtest.Write(t, "log", small)
	for share, want := range map[string]int{"0%": 0, "20%": 1, "40%": 2, "100%": 5} {
		o, err := options("-trace", path, "-nodes", "4", "-take", "1", "-important", "top="+share)
		if err != nil {
			t.Fatal(err)
		}
		logs, err := o.Load(cli.Quiet())
		if err != nil {
			t.Fatal(err)
		}
		var high []int64
		for i, p := range logs[0].Priority {
			if p == HighPriority {
				high = append(high, logs[0].Jobs[i].ID)
			}
		}
		if logs[0].Important != want || len(high) != want || want == 1 && high[0] != 6 || want == 2 && !slices.Equal(high, []int64{1, 6}) {
			t.Errorf("top=%s: jobs %v", share, high)
		}
	}
}

// A share of the jobs at Random, by the seed: the default for logs.
func TestImportantAtRandom(t *testing.T) {
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "%d 0 0 %d 1\n", i+1, i+1)
	}
	path := programtest.Write(t, "log", text.String())
	chosen := func(args ...string) (high []int64, which string) {
		o, err := options(append(args, "-trace", path)...)
		if err != nil {
			t.Fatal(err)
		}
		logs, err := o.Load(cli.Quiet())
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range logs[0].Priority {
			if p == HighPriority {
				high = append(high, logs[0].Jobs[i].ID)
			}
		}
		return high, logs[0].Which
	}
	a, which := chosen()
	if len(a) != 4 || which != "at random" {
		t.Errorf("by default %v, %s; want four jobs at random", a, which)
	}
	if slices.Equal(a, []int64{397, 398, 399, 400}) {
		t.Errorf("%v are those that ask for the most", a)
	}
	b, _ := chosen("-important", "random=1%")
	c, _ := chosen("-important", "random=1%", "-seed", "2")
	d, _ := chosen("-important", "random=10%")
	if !slices.Equal(a, b) || slices.Equal(a, c) || len(d) != 40 {
		t.Errorf("%v by default, %v, %v with another seed, %d of 10%%", a, b, c, len(d))
	}
}

// A sample keeps the log's order; it is drawn before jobs are left out.
func TestSample(t *testing.T) {
	path := programtest.Write(t, "log", small)
	sizes := map[int]bool{}
	for seed := range 20 {
		o, err := options("-trace", path, "-nodes", "4", "-sample", "3", "-seed", fmt.Sprint(seed))
		if err != nil {
			t.Fatal(err)
		}
		logs, err := o.Load(cli.Quiet())
		if err != nil {
			t.Fatal(err)
		}
		log := logs[0]
		if len(log.Jobs)+log.tooLarge != 3 || log.all != 6 || !slices.IsSortedFunc(log.Jobs, func(a, b trace.Job) int { return int(a.ID - b.ID) }) {
			t.Fatalf("a sample of 3: %+v, %d too large of %d", log.Jobs, log.tooLarge, log.all)
		}
		for i, j := range log.Jobs {
			if want := map[int64]time.Duration{1: 150, 2: 60, 3: 70, 6: 600, 7: 10}[j.ID] * time.Second; log.Requested[i] != want {
				t.Errorf("job %d asks for %v, want %v", j.ID, log.Requested[i], want)
			}
		}
		sizes[len(log.Jobs)] = true
	}
	if !sizes[2] || !sizes[3] {
		t.Errorf("numbers of jobs left: %v, want 2 and 3", sizes)
	}
}

// The made-up logs have the numbers of [Duplyakin17] Table 1.
func TestMadeUp(t *testing.T) {
	for k, c := range []struct {
		jobs      int
		nodeHours float64
		quantiles []float64
		mean      float64
		meanNodes float64
		maxNodes  int
	}{
		{11200, 1379.05, []float64{54, 84, 106, 134.25, 7140}, 443.27, 1, 1},
		{7275, 26838.58, []float64{33, 439.5, 1921, 6840.5, 85945}, 7119.07, 1.42, 16},
	} {
		jobs := shapes[k].make(rand.New(rand.NewPCG(1, uint64(k))))
		var runs []float64
		hours, mean, nodes, most, single, twice, special := 0., 0., 0, 0, 0, 0, 0
		for i, j := range jobs {
			run := j.Run.Seconds()
			runs = append(runs, run)
			hours += run * float64(j.Nodes) / 3600
			mean += run / float64(len(jobs))
			nodes += j.Nodes
			most = max(most, j.Nodes)
			if j.Nodes == 1 {
				single++
			}
			if j.Estimate.Seconds() > overestimate*run {
				twice++
			}
			if j.Estimate < j.Run || j.ID != int64(i+1) {
				t.Fatalf("job %+v", j)
			}
			if j.Queue == bigmem {
				special++
			}
		}
		slices.Sort(runs)
		if len(jobs) != c.jobs || most != c.maxNodes || special != shapes[k].special {
			t.Errorf("%s: %d jobs, %d nodes at most, %d in bigmem", shapes[k].name, len(jobs), most, special)
		}
		near := func(what string, got, want, tolerance float64) {
			if math.Abs(got/want-1) > tolerance {
				t.Errorf("%s: %s %.2f, want %.2f", shapes[k].name, what, got, want)
			}
		}
		for q, want := range c.quantiles {
			near(fmt.Sprintf("quartile %d", q), runs[q*(len(runs)-1)/4], want, .01)
		}
		near("mean run time", mean, c.mean, .001)
		near("node-hours", hours, c.nodeHours, .03)
		near("mean of nodes", float64(nodes)/float64(len(jobs)), c.meanNodes, .02)
		if float64(single) < .82*float64(len(jobs)) || float64(twice) < .4*float64(len(jobs)) {
			t.Errorf("%s: %d jobs of one node, %d with long requests", shapes[k].name, single, twice)
		}
	}
}

func TestDistribution(t *testing.T) {
	var d Distribution
	rnd := rand.New(rand.NewPCG(1, 2))
	var all []float64
	for range 5000 {
		x := math.Exp(rnd.NormFloat64() * 8)
		if rnd.IntN(4) == 0 {
			x = 0
		}
		all = append(all, x)
		d.Add(x)
	}
	slices.Sort(all)
	for _, q := range []float64{0, .1, .25, .5, .75, .99, .9999} {
		want := all[int(q*float64(len(all)))]
		if got := d.Quantile(q); math.Abs(got-want) > .01*want {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	if d.Max != all[len(all)-1] {
		t.Errorf("greatest %v", d.Max)
	}
	sum := 0.
	for _, f := range d.Spread(100./60, 60) {
		sum += f
	}
	below, _ := slices.BinarySearch(all, 100)
	if math.Abs(sum-float64(below)) > .01*float64(len(all)) {
		t.Errorf("%v in all steps, %d are below their end", sum, below)
	}
}

func TestPath(t *testing.T) {
	var p Path
	var tally preempt.Tally
	for i := range 10_000 {
		p.add(i, time.Duration(i), &tally)
	}
	if len(p.Points) > maxPoints || len(p.Points) < maxPoints/2 {
		t.Errorf("%d points", len(p.Points))
	}
	for i, x := range p.Points {
		if x.At != time.Duration(i*p.every) {
			t.Fatalf("point %d at %d, every %d", i, x.At, p.every)
		}
	}
}
