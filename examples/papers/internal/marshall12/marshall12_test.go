package marshall12

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/papers/internal/marshall12 -update.
var tested = programtest.Program{Name: "papers marshall12", Run: Paper.Run}

func TestGolden(t *testing.T) {
	stdout, stderr := tested.Must(t, "-runs", "2")
	programtest.Golden(t, "two.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	if stderr != "" {
		t.Errorf("notes %q, want none", stderr)
	}
	out := filepath.Join(t.TempDir(), "out")
	stdout, _ = tested.Must(t, "-runs", "1", "-json", "-arrivals", "campaigns", "-results", out)
	programtest.Golden(t, "campaigns.json", stdout)
	programtest.Golden(t, "results.json", programtest.Read(t, out))
}

// At other clusters than the paper's there is no claim.
func TestOtherCluster(t *testing.T) {
	text, _ := tested.Must(t, "-runs", "1", "-policy", "sm", "-local", "65")
	list, _ := tested.Must(t, "-runs", "1", "-policy", "sm", "-local", "65", "-json")
	if strings.Contains(text, "came out") || strings.TrimSpace(list) != "[]" {
		t.Errorf("%s\n%s", text, list)
	}
}

func TestHelp(t *testing.T) {
	stdout, _ := tested.Must(t, "-h")
	for _, name := range program.FlagNames() {
		if !strings.Contains(stdout, " -"+name+" ") && !strings.Contains(stdout, " -"+name+",") && !strings.Contains(stdout, " -"+name+"\n") {
			t.Errorf("-h does not list -%s", name)
		}
	}
	programtest.Narrow(t, stdout, 88)
}

func TestMistakes(t *testing.T) {
	tested.Frame(t, "svg", "results")
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{Args: []string{"-workload", "lublin"}, Want: "want feitelson or grid5000"},
		{Args: []string{"-arrivals", "weekly"}, Want: "want poisson or campaigns"},
		{Args: []string{"-reject", "1.1"}, Want: `"1.1" is no rejection rate: want numbers from 0 to 1`},
		{Args: []string{"-reject", "-0.1"}, Want: "from 0 to 1"},
		{Args: []string{"-reject", "NaN"}, Want: "from 0 to 1"},
		{Args: []string{"-reject", ""}, Want: "from 0 to 1"},
		{Args: []string{"-reject", "0.1,,0.9"}, Want: "from 0 to 1"},
		{Args: []string{"-reject", "0.1,0.10"}, Want: "twice"},
		{Args: []string{"-launch", "parts"}, Want: "want jobs or printed"},
		{Args: []string{"-refuse", "all"}, Want: "want one or whole"},
		{Args: []string{"-mutation", "2"}, Want: "probability above 0"},
		{Args: []string{"-crossover", "0"}, Want: "probability above 0"},
		{Args: []string{"-least", "5", "-first", "3"}, Want: "want a number between the minimum and the maximum"},
	})
	tested.Broken(t, []string{"-runs", "1", "-policy", "sm"})
	tested.Idle(t, "-arrivals and -launch change", "-workload", "grid5000", "-arrivals", "campaigns", "-runs", "1", "-policy", "sm", "-launch", "jobs")
	tested.SVG(t, []string{"-policy", "od", "-runs", "1"}, "average weighted response time", "core-hours", "cost", "private", "10% refused", "OD")
}

// Each choice has a row, with the policies that it moves; the claims are there with -launch
// printed and jobs; and a row is what the program prints with the flag.
func TestChoices(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"-workload", "feitelson", "-reject", "0.5", "-runs", "1", "-policy", "sm,od++,aqtp,mcop-50-50"}
	text, _ := tested.Must(t, append(args, "-choices", "-results", out)...)
	for _, part := range []string{"AWRT, h", "MCOP-50-50", "as set", "\nWith -launch jobs:\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if strings.Contains(text, "\n-launch printed ") {
		t.Errorf("a choice that is set:\n%s", text)
	}
	all := programtest.Read(t, out)
	count := map[any]int{}
	for _, r := range programtest.Rows[map[string]any](t, all) {
		count[r["choice"]]++
	}
	want := map[any]int{nil: 4, "-launch jobs": 1, "-keep-free": 3, "-refuse whole": 4,
		"-covered": 4, "-queue easy": 4}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("rows by choice (-want +got):\n%s", diff)
	}
	for _, flag := range []string{"-launch jobs", "-keep-free", "-refuse whole", "-covered"} {
		tested.Must(t, append(append(strings.Fields(flag), "-results", out), args...)...)
		var first []json.RawMessage
		if err := json.Unmarshal([]byte(programtest.Read(t, out)), &first); err != nil {
			t.Fatal(err)
		}
		if row := strings.TrimPrefix(string(first[1]), "{"); !strings.Contains(all, `"choice":"`+flag+`",`+row) {
			t.Errorf("%s alone gives %s, which is not among\n%s", flag, row, all)
		}
	}
}

// Each choice is the opposite of what is set, in the flag and in what it does.
func TestChoicesAreOpposites(t *testing.T) {
	for args, want := range map[string][]string{
		"": {"-launch jobs", "-keep-free", "-refuse whole", "-covered", "-queue easy"},
		"-launch jobs -refuse whole -keep-free -covered -queue easy": {"-launch printed",
			"-keep-free=false", "-refuse one", "-covered=false", "-queue fcfs"},
	} {
		o, err := program.Options(strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range choices(&o.Options) {
			got = append(got, c.flag)
			x := o.Options
			c.set(&x)
			y, err := program.Options(strings.Fields(args + " " + c.flag)...)
			if err != nil {
				t.Fatal(c.flag, err)
			}
			if !reflect.DeepEqual(y.Options, x) {
				t.Errorf("%s sets something else than the flag: %+v, %+v", c.flag, x, y.Options)
			}
			if text := rules(&x); !strings.HasSuffix(c.flag, "=false") && c.flag != "-queue fcfs" && !strings.Contains(text, c.flag) {
				t.Errorf("%s is not among the rules %s", c.flag, text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", args, diff)
		}
	}
}

// The setups are those of the rates, in their order.
func TestSetups(t *testing.T) {
	r, err := program.Results("-reject", "0.7,0.2", "-runs", "1", "-policy", "sm")
	if err != nil || len(r.Setups) != 2 {
		t.Fatalf("%v, %v", r, err)
	}
	for i, at := range r.Setups {
		if x := []float64{.7, .2}[i]; !at.Lab || at.Reject != x || at.Clouds[0].Reject != x || len(at.Clouds) != 2 || at.Clouds[1].Reject != 0 {
			t.Errorf("setup %d: %+v", i, at)
		}
	}
}

func TestVerdicts(t *testing.T) {
	source := &renting.Source{Name: renting.Feitelson, Arrivals: "poisson"}
	o, at := &renting.Options{Runs: 1, Local: 64}, &renting.Setup{Clouds: elastic.Marshall12Clouds(.9), Lab: true, Reject: .9}
	made := func(awrt, awqt [6]time.Duration, cost [6]pricing.Money) map[string]claim.Verdict {
		r := &results{Results: &renting.Results{Opts: o, Sources: []*renting.Source{source}, Setups: []*renting.Setup{at}}}
		o.Policies = renting.AllPolicies
		for p, name := range renting.AllPolicies {
			one := renting.Run{Jobs: 1, AWRT: awrt[p] * time.Hour, AWQT: awqt[p] * time.Hour, Makespan: time.Hour, Cost: cost[p] * pricing.Unit}
			r.Cells = append(r.Cells, renting.Cell{Source: source, Setup: at, Policy: name, Runs: []renting.Run{one}})
		}
		verdicts := map[string]claim.Verdict{}
		for _, f := range r.claims() {
			verdicts[strings.Fields(f.Text)[0]+" "+strings.Fields(f.Text)[len(strings.Fields(f.Text))-1]] = f.Verdict
		}
		return verdicts
	}
	// As in the paper.
	paper := made([6]time.Duration{9, 5, 5, 6, 7, 13}, [6]time.Duration{8, 3, 3, 5, 3, 12}, [6]pricing.Money{2000, 1900, 1900, 1140, 800, 90})
	for says, v := range paper {
		if v != claim.Yes {
			t.Errorf("as in the paper, but %q: %v", says, v)
		}
	}
	if len(paper) != 8 {
		t.Errorf("%d findings: %v", len(paper), paper)
	}
	// What AQTP saves and costs is outside of half to one and a half times what
	// the paper has, on each of the four sides.
	for _, x := range []struct {
		awrt time.Duration
		cost pricing.Money
		want claim.Verdict
	}{{118, 1140, claim.Yes}, {118, 600, claim.InPart}, {118, 1600, claim.InPart}, {104, 1140, claim.InPart}, {130, 1140, claim.InPart}, {118, 1950, claim.No}} {
		v := made([6]time.Duration{180, 100, 100, x.awrt, 140, 260}, [6]time.Duration{8, 3, 3, 5, 6, 12}, [6]pricing.Money{2000, 1900, 1900, x.cost, 800, 90})
		if got := v["AQTP case"]; got != x.want {
			t.Errorf("AQTP with %d h and $%d against 100 h and $1,900: %v, want %v", x.awrt, x.cost, got, x.want)
		}
	}
	// Means alone are not enough, nor is a bracket that two policies share.
	shared := made([6]time.Duration{9, 5, 5, 6, 7, 13}, [6]time.Duration{10, 1, 1, 9, 9, 12}, [6]pricing.Money{2000, 1900, 1900, 1140, 800, 90})
	if got := shared["flexible policy)"]; got != claim.InPart {
		t.Errorf("one policy is quick and another cheap: %v, want %v", got, claim.InPart)
	}
	// The opposite.
	opposite := made([6]time.Duration{1, 5, 5, 4, 7, 6}, [6]time.Duration{1, 4, 4, 3, 6, 5}, [6]pricing.Money{10, 100, 100, 140, 80, 190})
	for says, v := range opposite {
		if v != claim.No && says != "makespans differ" {
			t.Errorf("the opposite, but %q: %v", says, v)
		}
	}
}

func TestVerdictsCountRuns(t *testing.T) {
	source := &renting.Source{Name: renting.Feitelson, Arrivals: "poisson"}
	o, at := &renting.Options{Runs: 3, Local: 64, Policies: []renting.Policy{policyPlus, mcop2080,
		mcop8020}}, &renting.Setup{Clouds: elastic.Marshall12Clouds(.9), Lab: true, Reject: .9}
	r := &results{Results: &renting.Results{Opts: o, Sources: []*renting.Source{source}, Setups: []*renting.Setup{at}}}
	one := func(awrt, awqt time.Duration, cost pricing.Money) renting.Run {
		return renting.Run{Jobs: 1, AWRT: awrt * time.Hour, AWQT: awqt * time.Hour, Cost: cost * pricing.Unit}
	}
	r.Cells = []renting.Cell{
		{Source: source, Setup: at, Policy: policyPlus, Runs: []renting.Run{one(5, 4, 900), one(5, 4, 900), one(5, 1, 900)}},
		{Source: source, Setup: at, Policy: mcop2080, Runs: []renting.Run{one(5, 3, 100), one(5, 3, 100), one(5, 3, 100)}},
		{Source: source, Setup: at, Policy: mcop8020, Runs: []renting.Run{one(5, 3, 100), one(5, 3, 100), one(15, 30, 10)}},
	}
	for _, f := range r.claims() {
		if (strings.HasPrefix(f.Text, "MCOP") || strings.HasPrefix(f.Text, "when most")) && f.Verdict != claim.InPart {
			t.Errorf("%v, want it to be in part", f)
		}
	}
}

// More refusals cost more: of the policies that have a choice, at the least and the greatest
// rate. By hand: OD 10 at none and 12 at most, AQTP 5 and 5, so in part.
func TestRefusalsCost(t *testing.T) {
	source := &renting.Source{}
	rates := []*renting.Setup{{Reject: .5}, {Reject: .1}, {Reject: .9}}
	judged := func(name string, odCost, aqtpCost [3]pricing.Money) (claim.Claim, bool) {
		source.Name = name
		r := &results{Results: &renting.Results{Opts: &renting.Options{Policies: []renting.Policy{policySM, policyOD, policyAQTP}},
			Sources: []*renting.Source{source}, Setups: rates}}
		for i, at := range rates {
			for p, cost := range map[renting.Policy]pricing.Money{policySM: 99, policyOD: odCost[i], policyAQTP: aqtpCost[i]} {
				r.Cells = append(r.Cells, renting.Cell{Source: source, Setup: at, Policy: p, Runs: []renting.Run{{Cost: cost * pricing.Unit}}})
			}
		}
		return r.refusalsCost(source)
	}
	for _, c := range []struct {
		name     string
		od, aqtp [3]pricing.Money // at .5, .1 and .9
		verdict  claim.Verdict
		ours     string
	}{
		{renting.Feitelson, [3]pricing.Money{99, 10, 12}, [3]pricing.Money{1, 5, 5}, claim.InPart, "OD $10 and $12; AQTP $5 and $5"},
		{renting.Feitelson, [3]pricing.Money{0, 10, 12}, [3]pricing.Money{0, 5, 6}, claim.Yes, "OD $10 and $12; AQTP $5 and $6"},
		{renting.Feitelson, [3]pricing.Money{0, 12, 10}, [3]pricing.Money{9, 0, 0}, claim.No, "OD $12 and $10; AQTP $0 and $0"},
		{renting.Grid5000, [3]pricing.Money{0, 0, 10}, [3]pricing.Money{9, 0, 0}, claim.Yes, "OD $0 and $10"}, // AQTP costs nothing there, as the paper says
	} {
		if f, _ := judged(c.name, c.od, c.aqtp); f.Verdict != c.verdict || f.Ours != c.ours || !strings.HasSuffix(f.Text, "(10% and 90%)") {
			t.Errorf("%s: %+v; want %v, %q", c.name, f, c.verdict, c.ours)
		}
	}
	rates = rates[:1]
	if f, ok := judged(renting.Feitelson, [3]pricing.Money{1}, [3]pricing.Money{1}); ok {
		t.Errorf("one rate is compared: %v", f)
	}
}

func TestSights(t *testing.T) {
	source := &renting.Source{Name: renting.Feitelson, Arrivals: "poisson"}
	r := &results{Results: &renting.Results{Opts: &renting.Options{Runs: 2}}}
	of := func(p renting.Policy, runs ...[4]int) *renting.Cell {
		c := &renting.Cell{Source: source, Policy: p}
		for _, x := range runs {
			c.Runs = append(c.Runs, renting.Run{Jobs: 1, Cost: pricing.Money(x[0]) * pricing.Unit, AWRT: time.Duration(x[1]) * time.Hour,
				AWQT: time.Duration(x[2]) * time.Hour, Makespan: time.Duration(x[3]) * time.Hour, Core: []float64{float64(x[0]), float64(x[1]), float64(x[2])}})
		}
		return c
	}
	claims := map[string]assertion{}
	for _, c := range r.assertions(source) {
		words := strings.Fields(c.says)
		claims[strings.Join(words[:min(5, len(words))], " ")] = c
	}
	aqtp, plus := policyAQTP, policyPlus
	for _, c := range []struct {
		says       string
		cells      []*renting.Cell
		full, half bool
	}{
		{"SM costs most or nearly", []*renting.Cell{of(aqtp, [4]int{95}), of(plus, [4]int{100})}, true, false}, // nearly so
		{"SM costs most or nearly", []*renting.Cell{of(aqtp, [4]int{94}), of(plus, [4]int{100})}, false, false},
		{"OD and OD++ have the", []*renting.Cell{of(policySM, [4]int{0, 5}, [4]int{0, 5}, [4]int{0, 20}), of(policyOD, [4]int{0, 6}, [4]int{0, 6}, [4]int{0,
			4}), of(plus, [4]int{0, 6}, [4]int{0, 6}, [4]int{0, 4})}, false, true}, // by the means only
		{"OD and OD++ have the", []*renting.Cell{of(policySM, [4]int{0, 5}, [4]int{0, 5}, [4]int{0, 1}), of(policyOD, [4]int{0, 4}, [4]int{0, 4}, [4]int{0,
			9}), of(plus, [4]int{0, 4}, [4]int{0, 4}, [4]int{0, 9})}, false, true}, // in most runs only
		{"OD and OD++ have the", []*renting.Cell{of(policySM, [4]int{0, 5}, [4]int{0, 5}), of(policyOD, [4]int{0, 4}, [4]int{0, 4}), of(plus, [4]int{0, 4},
			[4]int{0, 4})}, true, true},
		{"OD and OD++ have the", []*renting.Cell{of(policySM, [4]int{0, 5}, [4]int{0, 5}), of(policyOD, [4]int{0, 6}, [4]int{0, 6}), of(plus, [4]int{0, 6},
			[4]int{0, 6})}, false, false},
		{"MCOP-80-20 is cheaper and slower", []*renting.Cell{of(mcop2080, [4]int{10, 5}), of(mcop8020, [4]int{9, 6})}, true, true},
		{"MCOP-80-20 is cheaper and slower", []*renting.Cell{of(mcop2080, [4]int{10, 5}), of(mcop8020, [4]int{10, 5})}, false, false},
		{"MCOP-80-20 is cheaper and slower", []*renting.Cell{of(mcop2080, [4]int{10, 5}, [4]int{10, 5}, [4]int{10, 5}), of(mcop8020, [4]int{9, 6}, [4]int{9,
			6}, [4]int{30, 1})}, false, true}, // in most runs only
		{"AQTP saves against OD++ for", []*renting.Cell{of(plus, [4]int{100, 100}), of(aqtp, [4]int{60, 118})}, true, true},
		{"AQTP saves against OD++ for", []*renting.Cell{of(plus, [4]int{100, 100}), of(aqtp, [4]int{100, 118})}, false, false},
		{"AQTP saves against OD++ for", []*renting.Cell{of(plus, [4]int{100, 100}), of(aqtp, [4]int{90, 101})}, false, true},
		{"AQTP and MCOP cost nothing", []*renting.Cell{of(aqtp, [4]int{0}), of(mcop2080, [4]int{0})}, true, false},
		{"AQTP and MCOP cost nothing", []*renting.Cell{of(aqtp, [4]int{1}), of(mcop2080, [4]int{0})}, false, false},
		{"AQTP and MCOP cost nothing", []*renting.Cell{of(aqtp, [4]int{0}), of(mcop2080, [4]int{1})}, false, false},
		{"the jobs primarily use local", []*renting.Cell{of(aqtp, [4]int{51, 40, 9}), of(plus, [4]int{90, 9, 1})}, true, false}, // 51% local
		{"the jobs primarily use local", []*renting.Cell{of(aqtp, [4]int{50, 40, 10}), of(plus, [4]int{90, 9, 1})}, false, false},
		{"flexible policies cut queued time", []*renting.Cell{of(policySM, [4]int{100, 0, 100}), of(aqtp, [4]int{60, 0, 40})}, true, true}, // 60% and 40% less
		{"flexible policies cut queued time", []*renting.Cell{of(policySM, [4]int{100, 0, 100}), of(aqtp, [4]int{99, 0, 40})}, false, true},
		{"flexible policies cut queued time", []*renting.Cell{of(policySM, [4]int{100, 0, 100}), of(aqtp, [4]int{60, 0, 99})}, false, true},
		{"flexible policies cut queued time", []*renting.Cell{of(policySM, [4]int{100, 0, 100}), of(aqtp, [4]int{99, 0, 99})}, false, false},
	} {
		a, ok := claims[c.says]
		if !ok {
			t.Fatalf("no claim %q among %d", c.says, len(claims))
		}
		if x := a.see(.9, c.cells); x.full != c.full || c.half && !x.half || !c.full && !c.half && x.half || x.text == "" {
			t.Errorf("%s: %+v, want full %v, half %v", a.says, x, c.full, c.half)
		}
	}
	// Where nothing can be compared, nothing is said.
	for _, says := range []string{"AQTP saves against OD++ for", "flexible policies cut queued time"} {
		c := claims[says]
		if x := c.see(.9, []*renting.Cell{of(plus, [4]int{0, 0, 0}), of(aqtp, [4]int{1, 1, 1})}); x.text != "" {
			t.Errorf("%s: over nothing %q", says, x.text)
		}
	}
}
