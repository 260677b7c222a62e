package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A picture shows the numbers of its table: as many, and the same, whatever their order.
// Waits are seconds in both; a share of 0.25 is drawn as 25%.
func TestPicturesShowTheirTables(t *testing.T) {
	var o options
	define(&o, cli.NewFlags("sec"))
	o.trace, o.cores = programtest.Write(t, "log", small), 2
	run := cli.Quiet()
	log, err := o.load(run)
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.study(log, run)
	if err != nil {
		t.Fatal(err)
	}
	// The log is of three hours, for which nothing is worth reserving: hybrid, EC2 alone and
	// the plans in hindsight cost what sec costs.
	if sec := s.modes[sec].total; s.modes[hybrid].total != sec || s.ec2.total != sec || s.ratio[3].multi.total >= sec {
		t.Errorf("sec costs %v, hybrid %v, EC2 alone %v, and both clouds at .7 of its price %v", sec, s.modes[hybrid].total, s.ec2.total, s.ratio[3].multi.total)
	}
	figures, err := s.figures("log")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string][][]struct { // by chart, the columns that it shows
		column string
		times  float64
	}{
		"table1": {{{"share", 100}}},
		"fig2":   {{{"utilisation", 100}}},
		"fig4a":  {{{"mean_wait_s", 1}}, {{"pure_rate", 1}}},
		"fig4b":  {{{"mean_wait_s", 1}}, {{"rate", 1}}},
		"fig5":   {{{"mean_wait_s", 1}}, {{"rate", 1}}},
		"fig6":   {{{"mean_wait_s", 1}}, {{"rate", 1}}},
		"fig7":   {{{"pure_rate", 1}}},
		"fig8":   {{{"ec2_rate", 1}, {"gce_rate", 1}, {"multi_rate", 1}}},
		"fig9":   {{{"wait_change", 100}}, {{"rate_change", 100}}},
		"resale": {{{"hybrid_rate", 1}, {"hindsight_rate", 1}, {"hindsight_with_sales_rate", 1}}},
	}
	for _, f := range figures {
		charts, ok := drawn[f.name]
		if f.name == "resale" {
			for _, row := range f.rows {
				if rate := dollars(s.modes[sec].total); row[1] != rate || row[2] != rate || row[3] != rate {
					t.Errorf("resale: %v, want rates of %s", row, rate)
				}
			}
		}
		if f.name == "fig1" {
			for h, row := range f.rows {
				if p := f.stack.Demand[h]; strconv.Itoa(p.Value) != row[1] || p.At != time.Duration(h)*time.Hour || len(f.stack.Layers[1].Points) != len(f.rows) {
					t.Errorf("fig1 shows %v in the hour %v", p, row)
				}
			}
		}
		if !ok {
			continue
		}
		delete(drawn, f.name)
		if len(f.charts) != len(charts) {
			t.Errorf("%s has %d pictures, want %d", f.name, len(f.charts), len(charts))
			continue
		}
		for i, columns := range charts {
			var want, got []float64
			for _, c := range columns {
				at := slices.Index(strings.Split(f.header, ","), c.column)
				for _, row := range f.rows {
					x, err := strconv.ParseFloat(row[at], 64)
					if err != nil {
						t.Fatalf("%s: %s: %v", f.name, c.column, err)
					}
					want = append(want, c.times*x)
				}
			}
			for _, line := range f.charts[i].Series {
				got = append(got, line.Y...)
				if x := len(line.X) + len(f.charts[i].Labels); x != len(line.Y) {
					t.Errorf("%s, picture %d: %d places for %d numbers of %q", f.name, i, x, len(line.Y), line.Name)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) }) {
				t.Errorf("%s, picture %d shows %v, and its table has %v", f.name, i, got, want)
			}
		}
	}
	if len(drawn) > 0 {
		t.Errorf("no figures for %v", drawn)
	}
}

// The picture of the sweep has a line for each placement with EASY and each other discipline,
// in the order of the table, and the front from its cheapest point to its quickest. By hand:
// 12 placements' and disciplines' points wait 99 s and cost 99, but two.
func TestPictureOfTheSweep(t *testing.T) {
	s := emptyStudy()
	for i := range s.sweep {
		s.sweep[i] = result{wait: 99 * time.Second, total: 99}
	}
	for i := range s.queues {
		s.queues[i] = result{wait: 99 * time.Second, total: 99}
	}
	s.sweep[2] = result{wait: 5 * time.Second, total: 7} // max-idle
	s.queues[len(s.queues)-1] = result{wait: 9 * time.Second, total: 3}
	lines := s.front("log").charts[0].Series
	perEasy := len(waitLimits) * len(shorts)
	want := map[string]int{"max-margin": perEasy, "min-margin": perEasy, "max-idle": perEasy, "min-idle": perEasy, "random": perEasy, "best of all": 2}
	for _, d := range disciplines[1:] {
		want[d.String()] = perEasy * margins
	}
	got := map[string]int{}
	for _, l := range lines {
		got[l.Name] = len(l.X)
		if l.Points != (l.Name != "best of all") || len(l.Y) != len(l.X) {
			t.Errorf("%s: points %v, %d of them with %d waits", l.Name, l.Points, len(l.X), len(l.Y))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points of the lines (-want +got):\n%s", diff)
	}
	if l := lines[2]; l.Name != "max-idle" || l.X[0] != 7 || l.Y[0] != 5 {
		t.Errorf("the third line is %s and begins at %v and %v s", l.Name, l.X[0], l.Y[0])
	}
	if l := lines[len(lines)-1]; !slices.Equal(l.X, []float64{3, 7}) || !slices.Equal(l.Y, []float64{9, 5}) {
		t.Errorf("the front is %v, %v; want 3 with 9 s and 7 with 5 s", l.X, l.Y)
	}
}

// By hand: three jobs of 10 nodes run for an hour each, 30 node-hours. Submitted within an
// hour they would keep 30 nodes busy all the time, so 38 of them for four fifths; within 30
// hours one node would do, but the largest job needs 10. Of one moment there is no load.
func TestEnough(t *testing.T) {
	for _, c := range []struct {
		gap  time.Duration
		want int
	}{
		{0, 10}, {30 * time.Minute, 38}, {time.Hour, 19}, {2 * time.Hour, 10}, {15 * time.Hour, 10}, {time.Nanosecond, 10},
	} {
		log := &jobLog{}
		for i := range 3 {
			log.jobs = append(log.jobs, trace.Job{Submit: 5*time.Hour + time.Duration(i)*c.gap, Run: time.Hour, Nodes: 10})
		}
		if got := log.enough(); got != c.want {
			t.Errorf("submitted every %v: %d nodes, want %d", c.gap, got, c.want)
		}
	}
}

// The ends of what a flag takes are taken, and what is just beyond is not.
func TestEndsOfFlags(t *testing.T) {
	for args, ok := range map[string]bool{
		"-resale 0": true, "-resale 1": true, "-resale 1.0000001": false, "-resale -0.0000001": false,
		"-ratio .001": true, "-ratio 1000": true, "-ratio .00099": false, "-ratio 1000.1": false,
		"-estimate 0": true, "-waitlimit 0s": true, "-short 0s": true, "-waitlimit -1ns": false,
		"-nodes 1": true, "-cores-per-node 1": true, "-reservations 1": true, "-nodes 1000000000": true, "-nodes 1000000001": false,
		"-cores-per-node 1000000000": true, "-cores-per-node 1000000001": false, "-mode sec": true, "-mode all": true, "-mode SEC": false,
	} {
		var o options
		f := cli.NewFlags("sec")
		define(&o, f)
		if err := f.Parse(strings.Fields(args)); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", args, err, ok)
		}
	}
}

// The forecast of the paper has other numbers than the level one, and its rule buys greedily.
// A demand that rises week by week shows it: the paper's extrapolates.
func TestPaperForecasts(t *testing.T) {
	list := pricing.CC28XLarge2013()
	hours := make([]int, 40*weekHours)
	for h := range hours {
		hours[h] = 5 + h/weekHours
	}
	level, err := buy(buyOnline, list, hours, reserve.Pure)
	if err != nil {
		t.Fatal(err)
	}
	paper, err := buy(buyPaper, list, hours, reserve.Pure)
	if err != nil {
		t.Fatal(err)
	}
	count := func(bought []pricing.Purchase) (n int) {
		for _, p := range bought {
			n += p.Count
		}
		return n
	}
	if l, p := count(level), count(paper); l == 0 || p <= l {
		t.Errorf("the level forecast reserves %d, the paper's %d: want more of it", l, p)
	}
}

// The week of the first job is filled up, the weeks after it are as they are.
func TestOnlyTheFirstWeekIsFilled(t *testing.T) {
	var o online
	if got := o.begin([]int{0, 0, 0}); got != nil {
		t.Errorf("before the first job %v is known", got)
	}
	if got := o.begin([]int{0, 0, 0, 4, 5}); !slices.Equal(got, []int{4, 5, 4, 4, 5}) {
		t.Errorf("the first week is %v", got)
	}
	for _, week := range [][]int{{0, 0, 3, 1, 2}, {0, 0, 0, 0, 0}} {
		if got := o.begin(week); !slices.Equal(got, week) {
			t.Errorf("a later week is %v, want %v", got, week)
		}
	}
}

// By hand: a job of 10 minutes with an estimate of 30 is overestimated by 20; by half of
// that, and by twice that.
func TestEstimated(t *testing.T) {
	log := &jobLog{jobs: []trace.Job{{Run: 10 * time.Minute, Estimate: 30 * time.Minute}}}
	for i, want := range []time.Duration{10 * time.Minute, 20 * time.Minute, 30 * time.Minute, 50 * time.Minute} {
		if got := log.estimated(alphas[i].num, alphas[i].den).jobs[0].Estimate; got != want {
			t.Errorf("%v: an estimate of %v, want %v", alphas[i], got, want)
		}
	}
	if log.jobs[0].Estimate != 30*time.Minute {
		t.Error("the log itself is changed")
	}
}

// The weights of a file are those that it gives, and of the users who are not in the log the
// first in the file is named.
func TestWeights(t *testing.T) {
	w, err := parseWeights(strings.NewReader("# ours\n hour , 2\nnode,-1e12\nuser,17,3.5\nuser,0,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if w.Hour != 2 || w.Node != -1e12 || w.User[17] != 3.5 || w.User[0] != 1 || len(w.User) != 2 {
		t.Errorf("%+v", w.Weights)
	}
	log := programtest.Write(t, "users.swf", small)
	tested.Mistake(t, "line 2: user 98 has no job in ", "-trace", log, "-weights", programtest.Write(t, "w.csv", "user,1,1\nuser,98,1\nuser,97,1\nuser,99,1\n"))
	if _, err := parseWeights(strings.NewReader("hour,1\n" + strings.Repeat("x", 1<<17))); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line without end: %v", err)
	}
}

// What a plan with sales saves is of the cost without: 600 of 800 are a quarter less.
func TestWorth(t *testing.T) {
	if got := (&marketplace{whole: 800, plan: 600}).worth(); got != .25 {
		t.Errorf("sales are worth %v, want .25", got)
	}
}

// Prices are of the instance that the list has, which the text says if the log's is another.
func TestOtherInstances(t *testing.T) {
	log := programtest.Write(t, "log", small)
	for cores, want := range map[string]bool{"2": true, strconv.Itoa(instanceProcessors): false} {
		text, _ := tested.Must(t, "-trace", log, "-cores-per-node", cores, "-mode", "sec")
		if got := strings.Contains(text, "also where -cores-per-node is "+cores); got != want {
			t.Errorf("-cores-per-node %s: the text says so: %v\n%s", cores, got, text)
		}
	}
}
