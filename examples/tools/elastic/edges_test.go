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
		"-transfer 0s": true, "-transfer 438000h": true, "-transfer 438000h1ns": false, "-horizon 1ns": true, "-horizon 0s": false, "-horizon 438000h": true, "-horizon 438001h": false,
		"-response 0s": false, "-threshold 438000h": true, "-threshold 438001h": false, "-every 438000h": true, "-every 999ms": false, "-debt 0": true, "-debt 1000": true, "-release 438000h": true, "-release 438001h": false,
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

// What the flags say of the paper's clouds holds for both, and at each rate of refusals.
func TestSetups(t *testing.T) {
	o, err := flags(t, "-reject 0.2,0.7 -transfer 3m -transfer-price 0.25 -release 7s")
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.setups()
	if err != nil || len(all) != 2 {
		t.Fatalf("%d setups, %v", len(all), err)
	}
	for i, at := range all {
		if !at.lab || at.reject != []float64{.2, .7}[i] || at.clouds[0].Reject != at.reject || len(at.clouds) != 2 || at.clouds[1].Reject != 0 {
			t.Errorf("setup %d: %+v", i, at)
		}
		for k, c := range at.clouds { // data cost something at the commercial one
			if price := []pricing.Money{0, 250 * pricing.Milli}[k]; c.Transfer != 3*time.Minute || c.TransferPrice != price || len(c.Release) != 1 || c.Release[0].Mean != 7*time.Second {
				t.Errorf("%s: %v, %v, %v", c.Name, c.Transfer, c.TransferPrice, c.Release)
			}
		}
	}
}

// The weights of MCOP are two numbers of 0 or more that sum to 100.
func TestParsePolicy(t *testing.T) {
	for text, ok := range map[string]bool{"mcop-0-100": true, "mcop-100-0": true, "mcop-20-80": true, "mcop-20-70": false, "mcop-120--20": false, "mcop--20-120": false, "mcop-50": false, "mcop": false, "sm": true, "od++": true, "": false} {
		if _, err := flags(t, "-policy "+text); text != "" && (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", text, err, ok)
		}
	}
}

// Each claim of the paper on its own numbers: what shows it, what shows half of it, what does
// not. A run is its cost, AWRT, AWQT and makespan in hours.
func TestSights(t *testing.T) {
	source := &jobSource{name: feitelson, arrivals: "poisson"}
	r := &results{opts: &options{runs: 2}}
	of := func(p policy, runs ...[4]int) *cell {
		c := &cell{source: source, policy: p}
		for _, x := range runs {
			c.runs = append(c.runs, oneRun{jobs: 1, cost: pricing.Money(x[0]) * pricing.Unit, awrt: time.Duration(x[1]) * time.Hour, awqt: time.Duration(x[2]) * time.Hour, makespan: time.Duration(x[3]) * time.Hour, core: []float64{float64(x[0]), float64(x[1]), float64(x[2])}})
		}
		return c
	}
	claims := map[string]claim{}
	for _, c := range r.claims(source) {
		words := strings.Fields(c.says)
		claims[strings.Join(words[:min(5, len(words))], " ")] = c
	}
	a, b := policy{kind: aqtp}, policy{kind: odPlus}
	for _, c := range []struct {
		says       string
		cells      []*cell
		full, half bool
	}{
		{"SM costs most or nearly", []*cell{of(a, [4]int{95}), of(b, [4]int{100})}, true, false}, // nearly so
		{"SM costs most or nearly", []*cell{of(a, [4]int{94}), of(b, [4]int{100})}, false, false},
		{"OD and OD++ have the", []*cell{of(policy{kind: sm}, [4]int{0, 5}, [4]int{0, 5}, [4]int{0, 20}), of(policy{kind: od}, [4]int{0, 6}, [4]int{0, 6}, [4]int{0, 4}), of(b, [4]int{0, 6}, [4]int{0, 6}, [4]int{0, 4})}, false, true}, // by the means only
		{"OD and OD++ have the", []*cell{of(policy{kind: sm}, [4]int{0, 5}, [4]int{0, 5}, [4]int{0, 1}), of(policy{kind: od}, [4]int{0, 4}, [4]int{0, 4}, [4]int{0, 9}), of(b, [4]int{0, 4}, [4]int{0, 4}, [4]int{0, 9})}, false, true},  // in most runs only
		{"OD and OD++ have the", []*cell{of(policy{kind: sm}, [4]int{0, 5}, [4]int{0, 5}), of(policy{kind: od}, [4]int{0, 4}, [4]int{0, 4}), of(b, [4]int{0, 4}, [4]int{0, 4})}, true, true},
		{"OD and OD++ have the", []*cell{of(policy{kind: sm}, [4]int{0, 5}, [4]int{0, 5}), of(policy{kind: od}, [4]int{0, 6}, [4]int{0, 6}), of(b, [4]int{0, 6}, [4]int{0, 6})}, false, false},
		{"MCOP-80-20 is cheaper and slower", []*cell{of(mcop2080, [4]int{10, 5}), of(mcop8020, [4]int{9, 6})}, true, true},
		{"MCOP-80-20 is cheaper and slower", []*cell{of(mcop2080, [4]int{10, 5}), of(mcop8020, [4]int{10, 5})}, false, false},
		{"MCOP-80-20 is cheaper and slower", []*cell{of(mcop2080, [4]int{10, 5}, [4]int{10, 5}, [4]int{10, 5}), of(mcop8020, [4]int{9, 6}, [4]int{9, 6}, [4]int{30, 1})}, false, true}, // in most runs only
		{"AQTP saves about 40% for", []*cell{of(b, [4]int{100, 100}), of(a, [4]int{60, 118})}, true, true},
		{"AQTP saves about 40% for", []*cell{of(b, [4]int{100, 100}), of(a, [4]int{100, 118})}, false, false},
		{"AQTP saves about 40% for", []*cell{of(b, [4]int{100, 100}), of(a, [4]int{90, 101})}, false, true},
		{"AQTP and MCOP cost nothing", []*cell{of(a, [4]int{0}), of(mcop2080, [4]int{0})}, true, false},
		{"AQTP and MCOP cost nothing", []*cell{of(a, [4]int{1}), of(mcop2080, [4]int{0})}, false, false},
		{"AQTP and MCOP cost nothing", []*cell{of(a, [4]int{0}), of(mcop2080, [4]int{1})}, false, false},
		{"the jobs primarily use local", []*cell{of(a, [4]int{51, 40, 9}), of(b, [4]int{90, 9, 1})}, true, false}, // 51% local
		{"the jobs primarily use local", []*cell{of(a, [4]int{50, 40, 10}), of(b, [4]int{90, 9, 1})}, false, false},
		{"flexible policies cut queued time", []*cell{of(policy{kind: sm}, [4]int{100, 0, 100}), of(a, [4]int{60, 0, 40})}, true, true}, // 60% and 40% less
		{"flexible policies cut queued time", []*cell{of(policy{kind: sm}, [4]int{100, 0, 100}), of(a, [4]int{99, 0, 40})}, false, true},
		{"flexible policies cut queued time", []*cell{of(policy{kind: sm}, [4]int{100, 0, 100}), of(a, [4]int{60, 0, 99})}, false, true},
		{"flexible policies cut queued time", []*cell{of(policy{kind: sm}, [4]int{100, 0, 100}), of(a, [4]int{99, 0, 99})}, false, false},
	} {
		claim, ok := claims[c.says]
		if !ok {
			t.Fatalf("no claim %q among %d", c.says, len(claims))
		}
		if x := claim.see(.9, c.cells); x.full != c.full || c.half && !x.half || !c.full && !c.half && x.half || x.text == "" {
			t.Errorf("%s: %+v, want full %v, half %v", claim.says, x, c.full, c.half)
		}
	}
	// Where nothing can be compared, nothing is said.
	for _, says := range []string{"AQTP saves about 40% for", "flexible policies cut queued time"} {
		c := claims[says]
		if x := c.see(.9, []*cell{of(b, [4]int{0, 0, 0}), of(a, [4]int{1, 1, 1})}); x.text != "" {
			t.Errorf("%s: over nothing %q", says, x.text)
		}
	}
}
