package centres

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The draws of disk space: within bounds, and by the power law, of which a half is
// below twice the least.
func TestDisk(t *testing.T) {
	if low, high := diskAt(0), diskAt(math.Nextafter(1, 0)); low != leastDisk || high != mostDisk {
		t.Errorf("from %d to %d MB, want %d to %d", low, high, leastDisk, mostDisk)
	}
	c := &Centre{Jobs: make([]trace.Job, 3462)}
	c.drawDisk(rand.New(rand.NewPCG(1, 2)))
	above := func(mb int64) float64 {
		n := 0
		for _, d := range c.Disk {
			if d < leastDisk || d > mostDisk {
				t.Fatalf("%d MB", d)
			}
			if d > mb {
				n++
			}
		}
		return float64(n) / float64(len(c.Disk))
	}
	// P(x > 5k) = 1/k: with 3,462 draws three deviations are below .026.
	for _, k := range []int64{2, 10, 100} {
		if got := above(leastDisk * k); math.Abs(got-1/float64(k)) > .03 {
			t.Errorf("%.3f of the draws are above %d times the least, want 1/%d", got, k, k)
		}
	}
}

func TestPredict(t *testing.T) {
	o := Options{Hours: 600, Made: 3, Seed: 1}
	list, err := o.Load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	if p := o.Predict(list, 0); !slices.EqualFunc(p, make([][]int, 3), slices.Equal) {
		t.Errorf("without errors %v is predicted", p)
	}
	half, full := o.Predict(list, .5), o.Predict(list, 1)
	sum := 0.
	for i, c := range list {
		for k, d := range c.Demand {
			if d == 0 && full[i][k] != 0 {
				t.Errorf("%d is predicted for no demand", full[i][k])
			}
			if d == 0 {
				continue
			}
			x, y := float64(half[i][k])/float64(d), float64(full[i][k])/float64(d)
			if math.Abs(x-1) > .5+.5/float64(d) || math.Abs((y-1)-2*(x-1)) > 1.5/float64(d) {
				t.Errorf("demand %d: %d predicted with errors up to half, %d up to all", d, half[i][k], full[i][k])
			}
			sum += y - 1
		}
	}
	if mean := sum / 1800; math.Abs(mean) > .05 { // three deviations: 3·.58/√1800 = .041
		t.Errorf("the mean error is %.3f, want 0", mean)
	}
}

// Delays, by the distances of cities: Los Angeles to New York 3,940 km, Luxembourg to
// San Diego over 9,000 km; the same both ways, and none to itself.
func TestDelay(t *testing.T) {
	la, ny := Site{Latitude: 34.05, Longitude: -118.25}, Site{Latitude: 40.71, Longitude: -74.01}
	if d := la.delay(&ny); d < 19600*time.Microsecond || d > 19800*time.Microsecond || d != ny.delay(&la) || la.delay(&la) != 0 {
		t.Errorf("%v from Los Angeles to New York, %v back", d, ny.delay(&la))
	}
	antipode := Site{Latitude: -34.05, Longitude: 61.75}
	if d := la.delay(&antipode); d < 100*time.Millisecond || d > 100100*time.Microsecond {
		t.Errorf("%v to the other side of the earth, want half of 40,030 km at 200 km/ms", d)
	}
}

// By hand: demands of 1 and 3 are 2 in the mean, with a standard deviation of 1, half of it.
// A demand that never changes does not fluctuate, and a large one that hardly does hardly.
func TestFluctuation(t *testing.T) {
	for want, demand := range map[float64][]int{.5: {1, 3, 3, 1}, 0: {7, 7}, math.Sqrt(3): {0, 0, 0, 4},
		math.Sqrt(2./9) / (1<<30 - 1./3): {1 << 30, 1 << 30, 1<<30 - 1}} {
		c := &Centre{Demand: demand}
		for _, n := range demand {
			c.Total += int64(n)
		}
		if got := c.Fluctuation(); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%v fluctuates by %v, want %v", demand, got, want)
		}
	}
}

// Made-up centres beyond the paper's have places and shapes of their own, and prices that are
// the paper's or a little more.
func TestMadeUpSites(t *testing.T) {
	seen := map[[2]float64]bool{}
	names := map[string]bool{}
	for i := range len(shapes) + len(more) {
		s, x, paper := siteOf(i), shapeOf(i), PaperSites[i%len(PaperSites)]
		if d := s.OnDemand - paper.OnDemand; d < 0 || d > 3*pricing.Milli || s.Reservation != paper.Reservation || i < len(shapes) && d != 0 {
			t.Errorf("centre %d costs %v on demand, and %v in the paper", i, s.OnDemand, paper.OnDemand)
		}
		if seen[[2]float64{s.Latitude, s.Longitude}] || names[x.name] || math.Abs(s.Latitude) > 90 || math.Abs(s.Longitude) > 180 || x.daily <= 0 ||
			x.daily > shapes[i%len(shapes)].daily {
			t.Errorf("centre %d: %s at %v, %v, shape %+v", i, x.name, s.Latitude, s.Longitude, x)
		}
		seen[[2]float64{s.Latitude, s.Longitude}], names[x.name] = true, true
	}
}

// A window begins where it is asked to, in each log its own hour, and has the jobs
// submitted in it alone.
func TestFrom(t *testing.T) {
	long := programtest.Write(t, "a.swf", "1 0 0 999999 9\n2 90000 0 10 3\n3 93601 0 7200 2\n4 180000 0 10 1\n")
	o := Options{Traces: []string{long, programtest.Write(t, "b.swf", "1 0 0 86400 2\n2 46800 0 18000 1\n")}, Hours: 24, From: []int{25, 0}}
	centres, err := o.Load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	a := centres[0]
	if len(a.Jobs) != 2 || a.From != 25 || a.Demand[0] != 3 || a.Demand[1] != 2 || a.Demand[2] != 2 || a.Demand[3] != 2 || a.Total != 9 {
		t.Errorf("%d jobs from hour %d, demand %v, want two: 3, 2, 2, 2", len(a.Jobs), a.From, a.Demand)
	}
	list := Tasks(centres)
	want := []federation.Task{
		{ID: 0, Home: 0, Start: 0, End: 1, Instances: 3},
		{ID: 1, Home: 0, Start: 1, End: 4, Instances: 2},
		{ID: 2, Home: 1, Start: 0, End: 24, Instances: 2},
		{ID: 3, Home: 1, Start: 13, End: 18, Instances: 1},
	}
	for k := range list {
		list[k].Disk = 0
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
	o = Options{Traces: []string{programtest.Write(t, "late.swf", "1 7300 0 60 4\n")}, Hours: 24}
	if centres, err = o.Load(cli.Quiet()); err != nil || centres[0].From != 2 {
		t.Errorf("%v, %v, want from the hour of the first job, 2", centres, err)
	}
}
