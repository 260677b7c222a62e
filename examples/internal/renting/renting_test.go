package renting

import (
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

func TestHourly(t *testing.T) {
	const unit = pricing.Unit
	at := func(minutes int, m pricing.Money) elastic.CreditLevel {
		return elastic.CreditLevel{At: time.Duration(minutes) * time.Minute, Credits: m * unit}
	}
	got := hourly([]elastic.CreditLevel{at(0, 5), at(20, 3), at(30, 4), at(60, 8), at(210, 1)})
	want := []level{{5 * unit, 3 * unit}, {8 * unit, 8 * unit}, {8 * unit, 8 * unit}, {8 * unit, 1 * unit}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSpread(t *testing.T) {
	c := Cell{Runs: []Run{{Jobs: 1}, {Jobs: 2}, {Jobs: 6}}}
	got := c.Over(func(r *Run) float64 { return float64(r.Jobs) })
	if math.Abs(got.Mean-3) > 1e-12 || math.Abs(got.Deviation-math.Sqrt(7)) > 1e-12 || PlusMinus(got, 1) != "3.0 ± 2.6" {
		t.Errorf("%+v, want 3 ± √7", got)
	}
	c.Runs = c.Runs[2:]
	if got := PlusMinus(c.Over(func(r *Run) float64 { return float64(r.Jobs) }), 1); got != "6.0" {
		t.Errorf("of one run %s, want 6.0 without a deviation that nobody knows", got)
	}
}

func TestAmounts(t *testing.T) {
	for x, want := range map[Spread]string{
		{0, 0, true}: "0 ± 0", {0.004, 0.009, true}: "0.00 ± 0.01", {6, 0, true}: "6 ± 0", {6, 0.41, true}: "6.00 ± 0.41", {6.73, 0, false}: "6.73",
		{-0.085, 0, false}: "-0.09", {-47.3, 0, false}: "-47", {9.994, 12, true}: "9.99 ± 12.00", {10, 0.3, true}: "10 ± 0", {1530.2, 0.3, true}: "1,530 ± 0",
	} {
		if got := PlusMinus(x, ByAmount); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
	if got := Amount(0.085) + Amount(5) + Amount(-304.2); got != "0.09"+"5"+"-304" {
		t.Errorf("amounts %s, want 0.09, 5 and -304", got)
	}
}

// The first job that never starts is named, the first of the log, too.
func TestUnended(t *testing.T) {
	log := &joblog.Log{Jobs: []trace.Job{{ID: 71, Nodes: 9}, {ID: 72, Nodes: 3}}}
	lab := &Setup{Lab: true, Reject: .1}
	for k, want := range map[int]string{-1: "did not end, and are not in the means.", 0: "The first is job 71, of 9 cores: it did not start",
		1: "The first is job 72, of 3 cores"} {
		c := Cell{&Source{Name: "log", Log: log}, lab, Policy{Kind: OD}, []Run{{Stuck: -1}, {Stuck: k, Unfinished: 2}}}
		if got := c.Unended(); !strings.HasPrefix(got,
			"log, OD (private cloud refuses 10% of requests): 2 jobs of all runs together") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
	c := Cell{&Source{Name: "feitelson", Horizon: 7200 * time.Second}, lab, Policy{Kind: OD}, []Run{{Stuck: -1, Unfinished: 1}}}
	if got := c.Unended(); !strings.Contains(got, "1 job of all runs") || !strings.HasSuffix(got, ": the simulated time ends after 7,200 s.") {
		t.Errorf("%q", got)
	}
	c.Runs[0].Unfinished = 0
	if got := c.Unended(); got != "" {
		t.Errorf("all have ended: %q", got)
	}
}

// The weights of MCOP are two numbers of 0 or more that sum to 100.
func TestParsePolicy(t *testing.T) {
	for text, ok := range map[string]bool{"mcop-0-100": true, "mcop-100-0": true, "mcop-20-80": true, "mcop-20-70": false, "mcop-120--20": false,
		"mcop--20-120": false, "mcop-50": false, "mcop": false,
		"sm": true, "od++": true, "": false} {
		if p, err := ParsePolicy(text); (err == nil) != ok || ok && p.String() != text {
			t.Errorf("%s: %v, %v, want it to be taken: %v", text, p, err, ok)
		}
	}
}

// A time of a run in which no job ends is none, and is left out of means.
func TestNoJobEnds(t *testing.T) {
	c := Cell{Runs: []Run{{Jobs: 2, Unfinished: 2}, {Jobs: 1, AWRT: 2 * time.Hour}, {Jobs: 3, AWRT: 4 * time.Hour}}}
	if got := PlusMinus(c.Over(Response), 2); got != "3.00 ± 1.41" {
		t.Errorf("%s, want 3.00 ± 1.41", got)
	}
	if c.Runs = c.Runs[:1]; !math.IsNaN(c.Mean(Response)) || PlusMinus(c.Over(Response), 2) != "-" {
		t.Error("a run in which no job ends has a time")
	}
}

// Wins by hand: below in the first run, equal in the second, above in the third.
func TestWins(t *testing.T) {
	a, b := Cell{Runs: []Run{{Cost: 1}, {Cost: 2}, {Cost: 4}}}, Cell{Runs: []Run{{Cost: 2}, {Cost: 2}, {Cost: 3}}}
	if a.Wins(&b, Cost) != 1 || b.Wins(&a, Cost) != 1 {
		t.Errorf("%d and %d, want 1 and 1", a.Wins(&b, Cost), b.Wins(&a, Cost))
	}
}

// Every figure of every panel has its spread.
func TestFiguresHaveSpreads(t *testing.T) {
	o := Options{Policies: []Policy{{Kind: OD}}, Local: 64, Budget: elastic.Marshall12Budget(), Runs: 2, Seed: 1, Workload: Feitelson}
	r, err := o.Evaluate(o.Samples(), []*Setup{{Clouds: elastic.Marshall12Clouds(.1), Lab: true, Reject: .1}}, cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.figures(r.Sources[0]) {
		for _, bar := range f.Bars[0] {
			for i := range bar.Parts {
				if !(bar.Parts[i] > 0 && bar.Spreads[i] > 0) {
					t.Errorf("%s: %+v", f.Title, bar)
				}
			}
		}
	}
}

// Runs side by side are the runs one after another.
func TestWorkers(t *testing.T) {
	outcome := func(workers int) [][]Run {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		o := Options{Policies: AllPolicies, Local: 64, Budget: elastic.Marshall12Budget(), Rules: Rules{AQTP: DefaultAQTP()}, Runs: 2, Seed: 1}
		r, err := o.Evaluate(o.Samples(), []*Setup{{Clouds: elastic.Marshall12Clouds(.9)}}, cli.Quiet())
		if err != nil {
			t.Fatal(err)
		}
		var runs [][]Run
		for _, c := range r.Cells {
			runs = append(runs, c.Runs)
		}
		return runs
	}
	want := outcome(1)
	if got := outcome(5); !reflect.DeepEqual(want, got) {
		t.Error("five workers give another result than one")
	}
}
