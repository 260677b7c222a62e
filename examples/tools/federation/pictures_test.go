package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The pictures show what was found: demands and reservations hour by hour, costs and uses
// whose sums are those of all centres, and for each error and each window a point.
func TestPicturesShowWhatWasFound(t *testing.T) {
	r := evaluated(t, "-hours", "48", "-error", "0,0.2,0.4")
	charts := map[string]svgplot.Chart{}
	for _, c := range r.charts() {
		charts[c.Title] = c
	}
	lines := func(title string) map[string]svgplot.Series {
		c, ok := charts[title]
		if !ok {
			t.Fatalf("no picture %q", title)
		}
		delete(charts, title)
		list := map[string]svgplot.Series{}
		for _, s := range c.Series {
			if len(s.Y) == 0 || len(s.X)+len(c.Labels) != len(s.Y) {
				t.Errorf("%s: %d places for %d numbers of %s", title, len(s.X)+len(c.Labels), len(s.Y), s.Name)
			}
			list[s.Name] = s
		}
		return list
	}
	sum := func(y []float64) (sum float64) {
		for _, v := range y {
			sum += v
		}
		return sum
	}
	same := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v is shown, want %v", what, got, want)
		}
	}
	for i, c := range r.centres {
		list := lines(c.Name + ": demand and reservations")
		for h, n := range c.demand {
			same(c.Name, list["demand"].Y[h], float64(n))
			same(c.Name, list["demand"].X[h], float64(h))
			same(c.Name, list["hgr"].Y[h], float64(r.plain[hgr].plans[i].active[h]))
		}
		if !list["demand"].Steps || !list["hgr"].Steps || len(list["demand"].Y) != 48 {
			t.Errorf("%s: %d hours, by lines and not by steps", c.Name, len(list["demand"].Y))
		}
	}
	cost, use := lines("Cost, alone and shared"), lines("Use of what is reserved, alone and shared")
	errCost, errUse := lines("Cost by error"), lines("Use of what is reserved, by error")
	same("on demand", sum(cost["on demand"].Y), r.onDemand.Float64())
	costBy, useBy, sent, near := lines("Rolling horizons: cost"), lines("Rolling horizons: use of what is reserved"), lines("Rolling horizons: data sent"), lines("Rolling horizons: cost, of two terms at most")
	for _, p := range r.shown() {
		x := r.plain[p]
		if p.rolls() {
			dense := 0
			for k, x := range r.sweep[p] {
				at := float64(x.lambda)
				for _, c := range []struct {
					line svgplot.Series
					y    float64
				}{{costBy[p.String()], x.cost.Float64()}, {costBy[p.String()+", shared"], x.shared.cost.Float64()}, {sent[p.String()], x.sent()},
					{useBy[p.String()], 100 * float64(x.used) / float64(x.held)}} { // NaN where nothing is held
					same(p.String(), c.line.X[k], at)
					same(p.String(), c.line.Y[k], c.y)
				}
				if x.lambda <= 2*term {
					same(p.String(), near[p.String()].Y[dense], x.cost.Float64())
					dense++
				}
			}
			if dense < 2 || dense != len(near[p.String()].Y) || dense > len(r.sweep[p]) {
				t.Errorf("%v: %d windows of two terms at most, %d of all", p, len(near[p.String()].Y), len(r.sweep[p]))
			}
			continue
		}
		same(p.String(), sum(cost[p.String()].Y), x.cost.Float64())
		same(p.String()+", shared", sum(cost[p.String()+", shared"].Y), x.shared.cost.Float64())
		used := 0.
		for i, plan := range x.plans {
			used += use[p.String()].Y[i] / 100 * float64(plan.held)
		}
		same(p.String()+" uses", used, float64(x.used))
		for k, bound := range []float64{0, 20, 40} {
			same(p.String()+" by error", errCost[p.String()].X[k], bound)
			same(p.String()+" by error", errCost[p.String()].Y[k], r.erred[p][k].cost.Float64())
			same(p.String()+" by error", errUse[p.String()+", shared"].Y[k], 100*r.erred[p][k].shared.used())
		}
	}
	if len(charts) > 0 {
		t.Errorf("and other pictures: %d", len(charts))
	}
	// Of one error there is nothing to draw; of two there is.
	for args, want := range map[string]bool{"0": false, "0,0.4": true} {
		found := false
		for _, c := range evaluated(t, "-hours", "24", "-error", args, "-reserve", "hgr").charts() {
			found = found || c.Title == "Cost by error"
		}
		if found != want {
			t.Errorf("-error %s: a picture by error: %v", args, found)
		}
	}
}

// By hand: demands of 1 and 3 are 2 in the mean, with a standard deviation of 1, half of it.
// A demand that never changes does not fluctuate, and a large one that hardly does hardly.
func TestFluctuation(t *testing.T) {
	for want, demand := range map[float64][]int{.5: {1, 3, 3, 1}, 0: {7, 7}, math.Sqrt(3): {0, 0, 0, 4},
		math.Sqrt(2./9) / (1<<30 - 1./3): {1 << 30, 1 << 30, 1<<30 - 1}} {
		c := &centre{demand: demand}
		for _, n := range demand {
			c.total += int64(n)
		}
		if got := c.fluctuation(); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%v fluctuates by %v, want %v", demand, got, want)
		}
	}
}

// By hand: of four jobs that are submitted in the two hours from 1 on, one runs for less than
// an hour; those before and after do not count.
func TestShort(t *testing.T) {
	c := &centre{read: &joblog.Log{}, hours: 2}
	for _, j := range []struct{ submit, run time.Duration }{{59, 1}, {60, 59}, {61, 60}, {100, 61}, {179, 3000}, {180, 1}} {
		c.read.Jobs = append(c.read.Jobs, trace.Job{Submit: j.submit * time.Minute, Run: j.run * time.Minute, Nodes: 1})
	}
	for hour, want := range map[int]float64{1: .25, 0: 2. / 4, 9: 0} {
		if got := c.short(hour); got != want {
			t.Errorf("from hour %d on %v of the jobs are short, want %v", hour, got, want)
		}
	}
}

// Made-up centres beyond the paper's have places and shapes of their own, and prices that are
// the paper's or a little more.
func TestMadeUpSites(t *testing.T) {
	seen := map[[2]float64]bool{}
	names := map[string]bool{}
	for i := range len(shapes) + len(more) {
		s, x, paper := siteOf(i), shapeOf(i), paperSites[i%len(paperSites)]
		if d := s.OnDemand - paper.OnDemand; d < 0 || d > 3*pricing.Milli || s.Reservation != paper.Reservation || i < len(shapes) && d != 0 {
			t.Errorf("centre %d costs %v on demand, and %v in the paper", i, s.OnDemand, paper.OnDemand)
		}
		if seen[[2]float64{s.Latitude, s.Longitude}] || names[x.name] || math.Abs(s.Latitude) > 90 || math.Abs(s.Longitude) > 180 || x.daily <= 0 || x.daily > shapes[i%len(shapes)].daily {
			t.Errorf("centre %d: %s at %v, %v, shape %+v", i, x.name, s.Latitude, s.Longitude, x)
		}
		seen[[2]float64{s.Latitude, s.Longitude}], names[x.name] = true, true
	}
}

func TestWithin(t *testing.T) {
	for gap, want := range map[float64]string{0: "exact", 1e-9: "< 0.01%", .000099: "< 0.01%", .0001: "0.01%", .0123: "1.23%"} {
		if got := within(gap); got != want {
			t.Errorf("a gap of %v is %q, want %q", gap, got, want)
		}
	}
	if !near(1, 1.25, .25) || near(1, 1.26, .25) || !near(1.25, 1, .25) {
		t.Error("near is not within the bound")
	}
}

// Changes have a sign, and what is not there is a dash.
func TestNumbersForPeople(t *testing.T) {
	for x, want := range map[float64]string{0: "+0.0%", .0123: "+1.2%", -.0123: "-1.2%", 1: "+100.0%"} {
		if got := signed(x); got != want {
			t.Errorf("a change of %v is %q, want %q", x, got, want)
		}
	}
	for want, x := range map[string][2]int64{"-": {0, 0}, "0.0%": {0, 5}, "40.0%": {2, 5}, "100.0%": {5, 5}} {
		if got := use(x[0], x[1]); got != want {
			t.Errorf("%d of %d used is %q, want %q", x[0], x[1], got, want)
		}
	}
	for text, ok := range map[string]bool{"0:1": true, "0:1.5,0.5:1,1:0.25": true, "0:x": false, "x:1": false, "0": false, "": false, "0:1,0:1": false, "0:1,": false} {
		var o options
		if err := o.setLend(text); (err == nil) != ok || (o.lend != nil) != ok {
			t.Errorf("-lend %q: %v, want it to be taken: %v", text, err, ok)
		}
	}
	// The paper's logs are the three, in any order, and none twice.
	for name, c := range map[string]struct {
		known []int
		want  bool
	}{"all": {[]int{2, 0, 1}, true}, "one twice": {[]int{0, 0, 1}, false}, "two": {[]int{0, 1}, false}, "one of others": {[]int{0, 1, -1}, false}, "and another": {[]int{0, 1, 2, -1}, false}} {
		var centres []*centre
		for _, k := range c.known {
			centres = append(centres, &centre{known: k})
		}
		if got := arePaperLogs(centres); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What the text says of each section: the data between each two centres, what sharing saves
// where demands are known wrongly, and of the price of lent instances only where there is one
// and somebody to lend to.
func TestSections(t *testing.T) {
	text := func(args ...string) string {
		stdout, _ := tested.Must(t, append(small(t), args...)...)
		return strings.Join(strings.Fields(stdout), " ")
	}
	plain, wrong, lend := text(), text("-error", "0,0.4"), text("-share", "lender", "-lend", "0:1.5,1:0")
	for _, c := range []struct {
		what, in string
		want     bool
	}{
		{"Data sent, GB", plain, true}, {"east west", plain, true},
		{"where they are wrong by up to 40%, the cost changes by ", wrong, true}, {"where they are wrong", text("-error", "0"), false},
		{"The price of lent instances (-lend) was checked on", lend, true}, {"(-lend) was checked on", plain, false},
	} {
		if got := strings.Contains(c.in, c.what); got != c.want {
			t.Errorf("%q is said: %v in\n%s", c.what, got, c.in)
		}
	}
	path := programtest.Write(t, "alone.swf", eastLog)
	if alone, _ := tested.Must(t, "-traces", path, "-hours", "24", "-lend", "0:1"); strings.Contains(alone, "was checked on") {
		t.Errorf("one centre lends to nobody:\n%s", alone)
	}
}
