package niu16

import (
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/pricing"
)

// A small problem: weeks of one instance, $336 on demand, or $500 for four of them.
const (
	smallDemand  = "instances\n1\n1\n1\n1\n1\n"
	smallClasses = `{"on_demand": 2, "classes": [
  {"name": "four", "term": "672h", "upfront": 500, "hourly": 0, "billed": "always"}]}
`
	// with one that is dear for four weeks and cheap for twelve
	twoTerms = `{"on_demand": 2, "classes": [
  {"name": "four", "term": "672h", "upfront": 900, "hourly": 0, "billed": "always"},
  {"name": "twelve", "term": "2016h", "upfront": 1800, "hourly": 0, "billed": "always"}]}
`
)

// replayed returns the ways of a demand by name.
func replayed(t *testing.T, args ...string) map[string]way {
	t.Helper()
	o, err := program.Options(append([]string{"-replay"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	prices, err := o.Read()
	if err != nil {
		t.Fatal(err)
	}
	demands, err := o.demands(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	list, err := o.ways(&demands[0], prices)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]way{}
	for _, x := range list {
		all[x.name] = x
	}
	return all
}

// By hand. Hindsight has one reservation in every week, $125 each by pure cost. The online
// portfolio sees a week, $336, and then buys for the four that are left, $500. In total
// cost hindsight does the same, since a second reservation for one week is dear. A last day
// that is missing is none of the demand.
func TestWays(t *testing.T) {
	classes := programtest.Write(t, "c.json", smallClasses)
	weeks := []string{"-demand", programtest.Write(t, "d.csv", programtest.Gzip(smallDemand)), "-slot", "168h", "-classes", classes}
	for name, c := range map[string]struct {
		args []string
		want map[string]string
	}{
		"pure":  {weeks, map[string]string{"hindsight": "625", "eq5": "625", "greedy": "625", "online": "836", "online-od-only": "1680"}},
		"total": {append(weeks, "-total"), map[string]string{"hindsight": "836", "eq5": "625", "greedy": "836", "online": "836", "online-od-only": "1680"}},
		"days": {[]string{"-demand", programtest.Write(t, "d.csv", "n\n"+strings.Repeat("1\n", 34)), "-slot", "24h", "-classes", classes},
			map[string]string{"hindsight": "625", "eq5": "625", "greedy": "625", "online": "836", "online-od-only": "1632"}},
		"gap": {[]string{"-demand", programtest.Write(t, "d.csv", "n\n0\n1\n1\n1\n"), "-slot", "168h", "-total", "-classes", programtest.Write(t, "c.json",
			`{"on_demand": 7.01, "classes": [
  {"name": "two", "term": "336h", "upfront": 1176, "hourly": 0, "billed": "always"},
  {"name": "four", "term": "672h", "upfront": 504, "hourly": 3, "billed": "when-used"}]}`)}, map[string]string{"hindsight": "2016"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := replayed(t, c.args...)
			for k, want := range c.want {
				if got[k].cost.String() != want {
					t.Errorf("%s costs %v, want %s", k, got[k].cost, want)
				}
			}
			if above := got["hindsight"].above; (above > .0434 && above < .0435) != (name == "gap") {
				t.Errorf("hindsight is %v above the optimum at most", above)
			}
		})
	}
}

// dropping is a demand that falls, and rises again; flat does not.
func dropping(t *testing.T) (drop, flat []string) {
	text := "n\n"
	for w := range 30 {
		text += fmt.Sprintln(map[bool]int{true: 2, false: 20}[w >= 3 && w < 20])
	}
	end := []string{"-slot", "168h", "-classes", programtest.Write(t, "c.json", twoTerms)}
	return append([]string{"-demand", programtest.Write(t, "drop.csv", text)}, end...),
		append([]string{"-demand", programtest.Write(t, "flat.csv", "n\n"+strings.Repeat("10\n", 30))}, end...)
}

// The flags of the portfolio do what they say.
func TestControls(t *testing.T) {
	drop, flat := dropping(t)
	bought := func(args []string, more ...string) (all, most int) {
		for _, q := range replayed(t, append(args, more...)...)["online"].bought {
			all, most = all+q.Count, max(most, q.Count)
		}
		return all, most
	}
	plain, most := bought(drop)
	if most < 5 {
		t.Fatalf("%d bought at once", most)
	}
	if _, n := bought(drop, "-ladder", "3"); n != 3 {
		t.Errorf("-ladder 3: %d bought at once", n)
	}
	for _, q := range replayed(t, append(drop, "-cap", "twelve=4")...)["online-2016h-only"].bought {
		if q.Class != 1 || q.Count > 4 {
			t.Errorf("-cap: %+v", q)
		}
	}
	if low, _ := bought(drop, "-quantile", "0.1"); low >= plain {
		t.Errorf("%d bought for a low quantile, %d for .4", low, plain)
	}
	for _, name := range forecast.Names() {
		for _, fit := range []string{"0", "4"} {
			if n, _ := bought(flat, "-model", name, "-fit", fit); n == 0 {
				t.Errorf("-model %s: nothing is bought for a constant demand", name)
			}
		}
	}
}

// The claims of several demands are of each, and of all: in part where an order holds for some.
func TestReplay(t *testing.T) {
	drop, flat := dropping(t)
	stdout, _ := tested.Must(t, append(append(drop, flat[:2]...), "-replay")...)
	programtest.Golden(t, "replay.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	// What costs nothing divides by nothing.
	text, _ := tested.Must(t, "-replay", "-demand", programtest.Write(t, "d.csv", "n\n0\n0\n0\n"), "-slot", "168h")
	if !strings.Contains(text, "infinite") || strings.Contains(text, "NaN") {
		t.Errorf("of nothing:\n%s", text)
	}
	// A log is replayed from its first hour with an instance.
	log := programtest.Write(t,
		"small.swf", "1 86400 -1 1166400 16 -1 -1 16 1166400 -1 1 1 -1 -1 1 -1 -1 -1\n2 90000 -1 1166400 32 -1 -1 32 1166400 -1 1 1 -1 -1 1 -1 -1 -1\n")
	whole, half := replayed(t, "-trace", log)["online-od-only"].cost, replayed(t, "-trace", log, "-cores-per-node", "8")["online-od-only"].cost
	if half < 19*whole/10 || whole == 0 {
		t.Errorf("on demand %v, and %v with instances of half the size", whole, half)
	}
}

// idle returns the last flag that changes nothing beside the others.
func idle(t *testing.T, args ...string) (name string) {
	t.Helper()
	var o options
	f := cli.NewFlags("niu16")
	define(&o, f)
	f.Switch("json", new(bool))
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	f.Visit(func(g *flag.Flag) {
		if o.ignores(g.Name) {
			name = "-" + g.Name
		}
	})
	return name
}

func TestReplayFlags(t *testing.T) {
	dir := t.TempDir()
	file := func(text string) string { return programtest.Write(t, "d.csv", text) }
	one := []string{"-replay", "-slot", "168h"}
	log := programtest.Write(t, "log", small)
	tested.Mistakes(t, dir, []programtest.Wrong{
		{Args: []string{"-replay", "-figures", filepath.Join(dir, "new")}, Want: "no -replay"},
		{Args: []string{"-svg", filepath.Join(dir, "new.svg")}, Want: "-svg is the picture of -replay"},
		{Args: []string{"-slot", "5h"}, Want: "of which a week has a whole number"},
		{Args: append(one, "-demand", file("n\n1\n")), Want: "1 slot of 168h: want more than a week"},
		{Args: append(one, "-demand", file("n\n1\n-3\n")), Want: "-3: want a demand of 0 or more"},
		{Args: append(one, "-demand", filepath.Join(dir, "none")), Want: "no such file"},
		{Args: append(one, "-demand", file(smallDemand), "-classes", programtest.Write(t, "c.json", strings.Replace(smallClasses, "672h", "100h", 1))),
			Want: "want a whole number of slots"},
		{Args: append(one, "-demand", file("n\n2000000000\n2000000000\n2000000000\n")), Want: "too large together"},
		{Args: append(one, "-cap", "5y=3"), Want: `-cap: "5y"`},
	})
	args := []string{"-replay", "-demand", file(smallDemand), "-slot", "168h", "-json"}
	for want, args := range map[string]string{
		"": "-replay -futures 2 -seed 3", "-cores-per-node": "-replay -cores-per-node 4", "-seed": "-seed 3 -trace " + log,
		"-model": "-model holt", "-slot": "-replay -slot 24h",
		"-total": "-total", "-alpha": "-alpha .5", "-demand": "-demand d",
	} {
		if got := idle(t, strings.Fields(args)...); got != want {
			t.Errorf("%s: idle %q, want %q", args, got, want)
		}
	}
	for _, args := range []string{"-seed 3", "-cores-per-node 4 -trace " + log, "-replay -cores-per-node 4 -trace " + log, "-replay -demand d -slot 24h",
		"-replay -alpha .5 -total"} {
		if got := idle(t, strings.Fields(args)...); got != "" {
			t.Errorf("%s: idle %q", args, got)
		}
	}
	tested.Idle(t, "", args...)
	tested.Idle(t, "-alpha, -cores-per-node and -seed change", append(args, "-model", "naive", "-alpha", ".5", "-cores-per-node", "4", "-seed", "3")...)
	tested.Idle(t, "-demand, -slot and -total change", append(args[1:], "-total", "-trace", log)...)
}

// [Niu16] section 8.5 and Fig. 7a on its six logs: the online portfolio costs less in total than
// on demand only, and than the classes of one year; every plan is between Eq. (5) and on demand
// only, and offline ones are within a few percent of the optimum.
func TestReplayOfLogs(t *testing.T) {
	sum := map[string]float64{}
	for _, name := range []string{"SDSC-DS-2004-2.1-cln", "SDSC-BLUE-2000-4.2-cln", "HPC2N-2002-2.2-cln",
		"Sandia-Ross-2001-1.1-cln", "CTC-SP2-1996-3.1-cln", "SDSC-SP2-1998-4.2-cln"} {
		all := replayed(t, "-trace", shared.File(t, "traces/"+name+".swf.gz"))
		best := all["hindsight"].cost.Float64()
		for k, x := range all {
			sum[k] += x.cost.Float64()
			switch r := x.cost.Float64() / best; {
			case x.bound && r > 1, !x.bound && r < 1, k == "greedy" && r > 1.05, x.cost > all["online-od-only"].cost:
				t.Errorf("%s: %s costs %v of hindsight", name, k, r)
			}
		}
	}
	if sum["online"] >= sum["online-od-only"] || sum["online"] >= sum["online-1y-only"] || sum["online"] > 1.06*sum["hindsight"] || len(sum) != 7 {
		t.Errorf("%v", sum)
	}
}

func TestTermName(t *testing.T) {
	const day = 24 * time.Hour
	for term, want := range map[time.Duration]string{365 * day: "1y", 364 * day: "1y", 3 * 364 * day: "3y", 370 * day: "8880h", 28 * day: "672h"} {
		if got := termName(term); got != want {
			t.Errorf("%v: %s, want %s", term, got, want)
		}
	}
}

func TestBecause(t *testing.T) {
	for held, want := range map[float64]string{
		111: "Online over-bought: it reserves 1.110 of the hours that hindsight does.",
		89:  "Online under-bought: it reserves 0.890 of the hours that hindsight does.",
		110: "Online reserves as many hours as hindsight, of other classes or later.", 90: "Online reserves as many hours as hindsight, of other classes or later.",
	} {
		if got := because([][]way{{hindsight: {held: 60}, online: {held: held - 40}}, {hindsight: {held: 40}, online: {held: 40}}}); got != want {
			t.Errorf("%v: %s", held, got)
		}
	}
}

// A picture has what is active week by week, each class on those below it. By hand: two of a
// class for two weeks from week 1 on, one of another for a week in week 2, and the use price
// puts the second below the first. The mean of 4, 0 and 2, 2 is 2 in both weeks.
func TestPicture(t *testing.T) {
	const week = 7 * 24 * time.Hour
	list := pricing.List{OnDemand: 9, Classes: []pricing.Class{{Name: "a", Term: 2 * week, Hourly: 5, Billed: pricing.WhenUsed}, {Name: "b", Term: week}}}
	d := &demand{name: "x", needed: []int{4, 0, 2, 2, 0, 0, 8}, slot: week / 2}
	x := &way{name: "online", bought: []pricing.Purchase{{Slot: 2, Class: 0, Count: 2}, {Slot: 4, Class: 1, Count: 1}}, ahead: []float64{math.NaN(), 3}}
	p := picture(d, list, x, "!", true)
	if p.Title != "x: online!" || p.To != 7*week/2 || len(p.Marks) != 2 || p.Marks[0] != (svgplot.Mark{At: week, Layer: 1, Count: 2}) {
		t.Errorf("%+v", p)
	}
	var got []string
	for _, l := range p.Layers {
		got = append(got, fmt.Sprint(l.Name, l.Points))
	}
	var want []string
	for k, values := range [][]int{{0, 0, 1, 0}, {0, 2, 3, 0}} {
		want = append(want, fmt.Sprint([]string{"b", "a"}[k], steps.AppendSpans(nil, values, week)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
	for i, want := range [][]float64{{2, 2, 0, 8}, {0, 2, 0, 8}} { // of two slots the lower is at 95%
		if !slices.Equal(p.Curves[i].Values, want) {
			t.Errorf("%s: %v, want %v", p.Curves[i].Name, p.Curves[i].Values, want)
		}
	}
	drop, flat := dropping(t)
	tested.SVG(t, append([]string{"-replay"}, drop...), "drop.csv: online, cost 2.191 of hindsight", "drop.csv: hindsight", "Purchases",
		"twelve, active", "planned for")
	if text := tested.SVG(t, append(append([]string{"-replay"}, drop...), flat[:2]...), "flat.csv: online"); strings.Contains(text, "Purchases") {
		t.Error("purchases of several demands are marked")
	}
}
