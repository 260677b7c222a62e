package liu21

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
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
		for h, n := range c.Demand {
			same(c.Name, list["demand"].Y[h], float64(n))
			same(c.Name, list["demand"].X[h], float64(h))
			same(c.Name, list["hgr"].Y[h], float64(r.plain[hgr].Plans[i].Active[h]))
		}
		if !list["demand"].Steps || !list["hgr"].Steps || len(list["demand"].Y) != 48 {
			t.Errorf("%s: %d hours, by lines and not by steps", c.Name, len(list["demand"].Y))
		}
	}
	cost, use := lines("Cost, alone and shared"), lines("Use of what is reserved, alone and shared")
	errCost, errUse := lines("Cost by error"), lines("Use of what is reserved, by error")
	same("on demand", sum(cost["on demand"].Y), r.onDemand.Float64())
	costBy, useBy, sentBy, near := lines("Rolling horizons: cost"), lines("Rolling horizons: use of what is reserved"),
		lines("Rolling horizons: data sent"), lines("Rolling horizons: cost, of two terms at most")
	for _, p := range r.shown() {
		x := r.plain[p]
		if p.Rolls() {
			dense := 0
			for k, x := range r.sweep[p] {
				at := float64(x.Lambda)
				for _, c := range []struct {
					line svgplot.Series
					y    float64
				}{{costBy[p.String()], x.Cost.Float64()}, {costBy[p.String()+", shared"], x.Shared.Cost.Float64()}, {sentBy[p.String()], sent(x)},
					{useBy[p.String()], 100 * float64(x.Used) / float64(x.Held)}} { // NaN where nothing is held
					same(p.String(), c.line.X[k], at)
					same(p.String(), c.line.Y[k], c.y)
				}
				if x.Lambda <= 2*centres.Term {
					same(p.String(), near[p.String()].Y[dense], x.Cost.Float64())
					dense++
				}
			}
			if dense < 2 || dense != len(near[p.String()].Y) || dense > len(r.sweep[p]) {
				t.Errorf("%v: %d windows of two terms at most, %d of all", p, len(near[p.String()].Y), len(r.sweep[p]))
			}
			continue
		}
		same(p.String(), sum(cost[p.String()].Y), x.Cost.Float64())
		same(p.String()+", shared", sum(cost[p.String()+", shared"].Y), x.Shared.Cost.Float64())
		used := 0.
		for i, plan := range x.Plans {
			used += use[p.String()].Y[i] / 100 * float64(plan.Held)
		}
		same(p.String()+" uses", used, float64(x.Used))
		for k, bound := range []float64{0, 20, 40} {
			same(p.String()+" by error", errCost[p.String()].X[k], bound)
			same(p.String()+" by error", errCost[p.String()].Y[k], r.erred[p][k].Cost.Float64())
			same(p.String()+" by error", errUse[p.String()+", shared"].Y[k], 100*r.erred[p][k].Shared.Used())
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

func TestSVG(t *testing.T) {
	tested.SVG(t, []string{"-hours", "48"}, "Luxembourg: demand and reservations", "Cost, alone and shared", "Cost by error", "Rolling horizons: cost",
		"rho-full, shared", "periodic, shared")
	tested.SVG(t, []string{"-hours", "48", "-reserve", "rho", "-error", "0"}, "Rolling horizons: data sent", "rho-deferred")
}

// An interrupted run leaves the old picture and no temporary file.
func TestInterrupt(t *testing.T) { programtest.Interrupt(t, "-trace", "; Version: 2\n") }
