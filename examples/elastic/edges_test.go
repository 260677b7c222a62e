package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// flags parses a command line.
func flags(t *testing.T, args string) (*options, error) {
	t.Helper()
	var o options
	f := cli.NewFlags("elastic")
	define(&o, f)
	return &o, f.Parse(strings.Fields(args))
}

// The ends of what a flag takes are taken, and what is just beyond is not.
func TestEndsOfFlags(t *testing.T) {
	for args, ok := range map[string]bool{
		"-budget 0": true, "-budget 1000": true, "-budget 1000.000000001": false, "-reject 0,1": true, "-reject 1.0000001": false,
		"-bid 1000 -spot made-up": true, "-bid 1000.01 -spot made-up": false, "-bid 0.000000001 -spot made-up": true, "-lead 0s": true, "-lead 59m59s": true, "-lead -1s": false,
		"-mutation 1": true, "-mutation 0": false, "-crossover 1": true, "-crossover 1.01": false, "-local 0": true, "-runs 1": true, "-every 1s": true, "-threshold 0s": true,
		"-transfer-price 0": true, "-transfer-price 1000": true, "-least 3 -first 3 -most 3": true,
	} {
		if _, err := flags(t, args); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", args, err, ok)
		}
	}
}

// The same of the columns of a file of clouds.
func TestEndsOfColumns(t *testing.T) {
	for text, ok := range map[string]bool{
		"limit=0": true, "limit=67108864": true, "limit=67108865": false, "limit=-1": false, "price=0": true, "price=1000": true, "price=1000.01": false,
		"transfer_price=0": true, "transfer_price=1000": true, "transfer_price=-0.01": false, "bid=1000": true, "bid=0": false, "bid=1000.01": false,
		"reject=0": true, "reject=1": true, "reject=-0.1": false, "speed=0.001": true, "speed=1000": true, "speed=1001": false, "speed=0.0009": false,
		"cores=1": true, "cores=0": false, "limit=": true, "bid=": true,
	} {
		var c cloudRow
		column, value, _ := strings.Cut(text, "=")
		if err := c.set(column, value); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", text, err, ok)
		}
	}
	// A spot price that falls to 0 pays for any number of instances.
	free := programtest.Write(t, "free.csv", strings.Replace(prices, "0.02", "0", 1))
	for line, want := range map[string]string{"a,%s,t3.small,0.05,\n": "line 2 (limit): none, though the spot price falls to 0: want a limit", "a,%s,t3.small,0.05,8\n": "", "a,made-up,,0.05,\n": ""} {
		_, err := readClouds(strings.NewReader("name,spot,series,bid,limit\n"+strings.ReplaceAll(line, "%s", free)), false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

// What is charged later than it is decided cannot be covered beforehand.
func TestUncovered(t *testing.T) {
	for want, c := range map[string]cloudRow{
		"":               {CloudOptions: elastic.CloudOptions{Name: "a", Price: 1}},
		"spot":           {CloudOptions: elastic.CloudOptions{Spot: &elastic.Spot{}}},
		"transfer":       {CloudOptions: elastic.CloudOptions{Transfer: 1}},
		"transfer_price": {CloudOptions: elastic.CloudOptions{TransferPrice: 1}},
		"release":        {CloudOptions: elastic.CloudOptions{Release: elastic.Delay{{Weight: 1}}}},
	} {
		if got := c.uncovered(); got != want {
			t.Errorf("the column %q, want %q", got, want)
		}
		r := &results{opts: &options{}, setups: []*setup{{clouds: []elastic.CloudOptions{{}, c.CloudOptions}}}}
		if got := r.coverable(); got != (want == "") {
			t.Errorf("with %q the runs can be with -covered: %v", want, got)
		}
	}
}

// Each choice is the opposite of what is set, in the flag and in what it does.
func TestChoicesAreOpposites(t *testing.T) {
	for args, want := range map[string][]string{
		"": {"-launch jobs", "-launch whole", "-launch pooled", "-keep-free", "-refuse whole", "-once", "-parts", "-covered", "-queue easy"},
		"-launch jobs -refuse whole -keep-free -once -parts -covered -queue easy": {"-launch whole", "-launch pooled", "-launch printed", "-keep-free=false", "-refuse one", "-once=false", "-parts=false", "-covered=false", "-queue fcfs"},
	} {
		o, err := flags(t, args)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range o.choices() {
			got = append(got, c.flag)
			x := *o
			c.set(&x)
			y, err := flags(t, args+" "+c.flag)
			if err != nil {
				t.Fatal(c.flag, err)
			}
			if x.launch != y.launch || x.keepFree != y.keepFree || x.refuse != y.refuse || x.once != y.once || x.parts != y.parts || x.budget.Covered != y.budget.Covered || x.queue != y.queue {
				t.Errorf("%s sets something else than the flag", c.flag)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", args, diff)
		}
	}
}

// How OD launches is as printed on the paper's clouds, and by jobs elsewhere, unless it is said.
func TestLaunch(t *testing.T) {
	clouds := programtest.Write(t, "clouds.csv", "name,price\na,0.1\n")
	log := programtest.Write(t, "log.swf", small)
	for args, want := range map[string]launchRule{"": launchPrinted, "-launch jobs": launchJobs, "-launch printed": launchPrinted, "-clouds " + clouds: launchJobs, "-trace " + log: launchJobs,
		"-launch printed -trace " + log: launchPrinted} {
		if o, err := flags(t, args); err != nil || o.launch != want {
			t.Errorf("%q: %v, %v, want %v", args, o.launch, err, want)
		}
	}
}

// More refusals cost more: of the policies that have a choice, at the least and the greatest
// rate. By hand: OD 10 at none and 12 at most, AQTP 5 and 5, so in part.
func TestRefusalsCost(t *testing.T) {
	source := &jobSource{name: feitelson}
	rates := []*setup{{reject: .5}, {reject: .1}, {reject: .9}}
	make := func(name string, odCost, aqtpCost [3]pricing.Money) finding.Finding {
		source.name = name
		r := &results{opts: &options{policies: []policy{{kind: sm}, {kind: od}, {kind: aqtp}}}, sources: []*jobSource{source}, setups: rates}
		for i, at := range rates {
			for _, c := range []struct {
				kind kind
				cost pricing.Money
			}{{sm, 99}, {od, odCost[i]}, {aqtp, aqtpCost[i]}} {
				r.cells = append(r.cells, cell{source, at, policy{kind: c.kind}, []oneRun{{cost: c.cost * pricing.Unit}}})
			}
		}
		return r.refusalsCost(source)
	}
	for _, c := range []struct {
		name     string
		od, aqtp [3]pricing.Money // at .5, .1 and .9
		verdict  finding.Verdict
		shown    string
	}{
		{feitelson, [3]pricing.Money{99, 10, 12}, [3]pricing.Money{1, 5, 5}, finding.InPart, "at 10% and 90%: OD $10 and $12; AQTP $5 and $5"},
		{feitelson, [3]pricing.Money{0, 10, 12}, [3]pricing.Money{0, 5, 6}, finding.CameOut, "at 10% and 90%: OD $10 and $12; AQTP $5 and $6"},
		{feitelson, [3]pricing.Money{0, 12, 10}, [3]pricing.Money{9, 0, 0}, finding.DidNot, "at 10% and 90%: OD $12 and $10; AQTP $0 and $0"},
		{grid5000, [3]pricing.Money{0, 0, 10}, [3]pricing.Money{9, 0, 0}, finding.CameOut, "at 10% and 90%: OD $0 and $10"}, // AQTP costs nothing there, as the paper says
	} {
		if f := make(c.name, c.od, c.aqtp); f.Verdict != c.verdict || f.Shown != c.shown {
			t.Errorf("%s: %v, %q; want %v, %q", c.name, f.Verdict, f.Shown, c.verdict, c.shown)
		}
	}
	rates = rates[:1]
	if f := make(feitelson, [3]pricing.Money{1}, [3]pricing.Money{1}); f.Shown != "" {
		t.Errorf("one rate is compared: %v", f)
	}
}

// The first job that never starts is named, the first of the log, too.
func TestUnended(t *testing.T) {
	log := &joblog.Log{Jobs: []trace.Job{{ID: 71, Nodes: 9}, {ID: 72, Nodes: 3}}}
	for k, want := range map[int]string{-1: "did not end, and are not in the means.", 0: "The first is job 71, of 9 cores: it did not start", 1: "The first is job 72, of 3 cores"} {
		c := cell{&jobSource{name: "log", log: log}, &setup{lab: true, reject: .1}, policy{kind: od}, []oneRun{{stuck: -1}, {stuck: k, unfinished: 2}}}
		if got := c.unended(); !strings.HasPrefix(got, "log, OD at 10%: 2 jobs of all runs together") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
	c := cell{&jobSource{name: "feitelson", horizon: 7200 * time.Second}, &setup{lab: true, reject: .1}, policy{kind: od}, []oneRun{{stuck: -1, unfinished: 1}}}
	if got := c.unended(); !strings.Contains(got, "1 job of all runs") || !strings.HasSuffix(got, ": the simulated time ends after 7,200 s.") {
		t.Errorf("%q", got)
	}
	c.runs[0].unfinished = 0
	if got := c.unended(); got != "" {
		t.Errorf("all have ended: %q", got)
	}
}
