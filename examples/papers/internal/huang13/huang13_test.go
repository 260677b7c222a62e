package huang13

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/papers/internal/huang13 -update.
var tested = programtest.Program{Name: "papers huang13", Run: Paper.Run}

func TestGolden(t *testing.T) {
	stdout, stderr := tested.Must(t, "-starts", "3")
	programtest.Golden(t, "three.txt", stdout)
	programtest.Narrow(t, stdout, 88)
	if stderr != "" {
		t.Errorf("notes %q, want none", stderr)
	}
	if other, _ := tested.Must(t, "-starts", "3", "-seed", "2"); other == stdout {
		t.Error("another seed gives the same result")
	}
	tested.Help(t, program.FlagNames())
	tested.SVG(t, []string{"-starts", "1"}, "Fig. 3", "Fig. 4", "Fig. 5", "customer")
	tested.Broken(t, []string{"-starts", "1"})
	tested.Frame(t, "svg")
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{Args: []string{"-deadline", "5m"}, Want: "nothing is left of it after -latency 5m"},
		{Args: []string{"-deadline", "0s"}, Want: "above 0"},
		{Args: []string{"-deadline", "721h"}, Want: "up to 720h"},
		{Args: []string{"-budget", "-1"}, Want: "not negative"},
		{Args: []string{"-th1", "3"}, Want: "-th1 3: want at most -th2, 2"},
		{Args: []string{"-th2", "1e7"}, Want: "want a number"},
		{Args: []string{"-starts", "0"}, Want: "from 1 to 10,000"},
	})
}

// The paper's decisions come out, with the amounts that it tells.
func TestDecisions(t *testing.T) {
	list, err := decisions()
	if err != nil || len(list) != 5 {
		t.Fatalf("%d decisions, %v", len(list), err)
	}
	want := []string{
		"m1.small $0.060, m1.medium $0.060, m1.large $0.060, cc1.4xlarge $0.039; chosen: cc1.4xlarge",
		"promised: 128 take 3m43s on 8 instances for $10.40; measured: LU W on 8 2.29 s, not 0.6511 s, after 1.75 s on 2; " +
			"bought: 2; with these runs the quadratic law buys at most 4",
		"PR 0.50 high, PR 0.98 high, PR 1.00 medium, PR 2.00 medium, PR 2.02 low, PR 5.00 low",
		"with $0.21 now and $0.30 in the mean of 30 days, which it does not tell: $1.15, $0.21",
		"agent low, bid $0.21, interrupted after 1h20m: $0.21; agent low, bid $0.21, completed after 4h: $0.84; together $1.05, on demand $5.20",
	}
	for i, c := range list {
		if c.Verdict != claim.Yes || c.Ours != want[i] {
			t.Errorf("%+v, want %q", c, want[i])
		}
	}
}

// A row of Tables IV and V by hand, of a task of 4800/P seconds on processes of 33.5/16 compute
// units each. Within $3 are two instances: 32 processes. The customer's 48 are on three, $3.90.
// On small ones, of half the speed, 32 processes take 314 s and cost $1.92.
func TestFigureByHand(t *testing.T) {
	r := &results{o: &options{deadline: 2 * time.Hour, budget: 3 * pricing.Unit, thresholds: spot.Thresholds{Medium: 1, Low: 2}},
		types: sizing.Huang13InstanceTypes()}
	r.cluster = r.types[3]
	r.history = pricing.SpotHistory{Times: []time.Duration{0}, Prices: []pricing.Money{26 * cents}, End: past}
	r.from = past
	profiles, err := perfmodel.ReadProfiles(strings.NewReader("application,case,n,processes,seconds\nep,a,1,1,1600\nep,a,1,4,400\nep,b,3,1,4800\nep,b,3,4,1200\n"))
	if err != nil {
		t.Fatal(err)
	}
	var m perfmodel.LogLinear
	if err := m.Fit(&profiles[0]); err != nil {
		t.Fatal(err)
	}
	f, err := r.figure(&task{name: "ep", features: []float64{3}, counts: perfmodel.AnyCount, estimator: &m})
	if err != nil {
		t.Fatal(err)
	}
	if f.ours.Processes != 32 || f.ours.Cost != 260*cents ||
		f.theirs.Processes != 48 || f.theirs.Cost != 390*cents || !f.meets || !f.within || !f.theirsMeet || f.theirsWithin {
		t.Errorf("%+v", f)
	}
	if f.tier != spot.TierLow || math.Abs(f.bid-.2) > 1e-9 {
		t.Errorf("agent %v with a bid of %v, want low and 26 of 130", f.tier, f.bid)
	}
	if s := f.types[0]; s.Cost != 192*cents || s.Time < 314*time.Second || s.Time > 314200*time.Millisecond ||
		f.cheapest != 0 && f.types[f.cheapest].Cost >= s.Cost {
		t.Errorf("%+v, the cheapest %d", f.types, f.cheapest)
	}
}

// The rules meet what can be met, but for the paper's; none pays more than on demand but for a
// second attempt; and two customers share what they pay.
func TestRules(t *testing.T) {
	r, err := program.Results("-starts", "5")
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range r.tried {
		if x.name != rules[i].name || x.met != 40 || x.missed != 0 || x.cost <= 0 || x.onDemand != r.tried[0].onDemand {
			t.Errorf("%+v", x)
		}
	}
	if planned := r.tried[4]; planned.cost >= r.tried[0].cost || planned.cost >= planned.onDemand {
		t.Errorf("the plan pays %v, the paper %v, on demand %v", planned.cost, r.tried[0].cost, planned.onDemand)
	}
	if r.shared.Verdict != claim.Yes || r.shared.Ours != "2 customers: 1 cluster, $1.30; alone $10.40" {
		t.Errorf("%+v", r.shared)
	}
}

// A figure comes out where all that the paper tells of it is there. What differs in one
// respect only, comes out in part or not at all.
func TestFiguresComeOut(t *testing.T) {
	const none, part, whole = claim.No, claim.InPart, claim.Yes
	for what, c := range map[string]struct {
		change func(f []figured)
		want   [5]claim.Verdict // Fig. 3, Tables IV and V, Figs. 4 and 5
	}{
		"the paper's":                    {func([]figured) {}, [5]claim.Verdict{whole, whole, whole, whole, whole}},
		"EP on 64":                       {func(f []figured) { f[1].ours.Processes = 64 }, [5]claim.Verdict{whole, part, whole, whole, whole}},
		"LU on 64":                       {func(f []figured) { f[6].ours.Processes = 64 }, [5]claim.Verdict{whole, part, whole, whole, whole}},
		"CG on 32":                       {func(f []figured) { f[0].ours.Processes = 32 }, [5]claim.Verdict{whole, part, whole, whole, whole}},
		"medium instances for CG":        {func(f []figured) { f[0].cheapest = 0 }, [5]claim.Verdict{none, whole, whole, whole, whole}},
		"cluster instances for IS":       {func(f []figured) { f[3].cheapest = 1 }, [5]claim.Verdict{none, whole, whole, whole, whole}},
		"CAP3 late":                      {func(f []figured) { f[0].meets = false }, [5]claim.Verdict{whole, whole, part, whole, whole}},
		"the customer in time":           {func(f []figured) { f[7].theirsMeet = true }, [5]claim.Verdict{whole, whole, part, whole, whole}},
		"CAP3 within one budget more":    {func(f []figured) { f[6].within = true }, [5]claim.Verdict{whole, whole, part, whole, whole}},
		"the customer within one less":   {func(f []figured) { f[0].theirsWithin = false }, [5]claim.Verdict{whole, whole, part, whole, whole}},
		"more dear in all":               {func(f []figured) { f[7].ours.Cost = 99 * pricing.Unit }, [5]claim.Verdict{whole, whole, whole, part, whole}},
		"the same for two":               {func(f []figured) { f[0].ours.Cost = f[0].theirs.Cost }, [5]claim.Verdict{whole, whole, whole, part, whole}},
		"a sixth on spot":                {func(f []figured) { f[5].tier, f[5].bid = spot.TierLow, .16 }, [5]claim.Verdict{whole, whole, whole, whole, part}},
		"a low bid of 22%":               {func(f []figured) { f[0].bid = .22 }, [5]claim.Verdict{whole, whole, whole, whole, part}},
		"a low bid of 10%":               {func(f []figured) { f[0].bid = .10 }, [5]claim.Verdict{whole, whole, whole, whole, part}},
		"a medium bid as of a low agent": {func(f []figured) { f[0].tier = spot.TierMedium }, [5]claim.Verdict{whole, whole, whole, whole, part}},
	} {
		r := &results{o: &options{budget: 20 * pricing.Unit}}
		r.types = append(r.types, sizing.InstanceType{Name: "m1.medium"}, sizing.InstanceType{Name: "cc1.4xlarge"})
		for i, name := range []string{"cg", "ep", "ft", "is", "mg", "bt", "lu", "sp"} {
			f := figured{name: name, cheapest: 1, meets: true, theirsMeet: i != 7, within: i < 6, theirsWithin: i < 5}
			f.ours.Processes = [8]int{16, 96, 16, 16, 16, 16, 128, 16}[i]
			f.ours.Cost, f.theirs.Cost = [8]pricing.Money{2, 2, 2, 2, 2, 3, 4, 4}[i]*pricing.Unit, 3*pricing.Unit
			if f.tier = spot.TierHigh; i < 4 {
				f.tier, f.bid = spot.TierLow, .16
			} else if i == 4 {
				f.tier, f.bid = spot.TierMedium, .88
			}
			r.figures = append(r.figures, f)
		}
		r.figures[3].cheapest = 0
		c.change(r.figures)
		if what == "the paper's" {
			for i, f := range r.judgeFigures() {
				if want := [5]string{
					"cg cc1.4xlarge, ep cc1.4xlarge, ft cc1.4xlarge, is m1.medium, mg cc1.4xlarge, bt cc1.4xlarge, lu cc1.4xlarge, sp cc1.4xlarge",
					"cg 16, ep 96, ft 16, is 16, mg 16, bt 16, lu 128, sp 16", "8, 6; 7, 5",
					"5, 1, 2; $21.00 against $24.00", "5 tasks: cg 16%, ep 16%, ft 16%, is 16%, mg 88%",
				}[i]; f.Ours != want {
					t.Errorf("%q, want %q", f.Ours, want)
				}
			}
		}
		for i, f := range r.judgeFigures() {
			if f.Verdict != c.want[i] {
				t.Errorf("%s: %q %v, want %v: %s", what, f.Text, f.Verdict, c.want[i], f.Ours)
			}
			if why := f.Why != ""; why != (f.Verdict != whole && i != 3) {
				t.Errorf("%s: says %q", what, f.Why)
			}
		}
	}
}

// The embedded profile has the medians of the project's measurements: of the runs that nobody
// disturbed, by benchmark, class and number of processes.
func TestEmbeddedProfile(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(programtest.Read(t, shared.File(t, "npb/times.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(title string) int { return slices.Index(rows[0], title) }
	single := map[string][]float64{}
	for _, row := range rows[1:] {
		if row[column("clean")] != "1" {
			continue
		}
		x, err := strconv.ParseFloat(row[column("seconds")], 64)
		if err != nil {
			t.Fatal(err)
		}
		key := row[column("benchmark")] + " " + row[column("class")] + " " + row[column("procs")]
		single[key] = append(single[key], x)
	}
	profiles, err := study()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles {
		for _, r := range p.Runs {
			key := fmt.Sprint(p.Application, " ", r.Case, " ", r.Processes)
			x := single[key]
			slices.Sort(x)
			if n := len(x); n == 0 || n != r.Repetitions || math.Abs((x[(n-1)/2]+x[n/2])/2-r.Seconds) > 1e-5 {
				t.Errorf("%s: %v s in %d runs, want the median of %v", key, r.Seconds, r.Repetitions, x)
			}
			if want := featuresOf(p.Application, r.Case, p.Features); !slices.Equal(r.Features, want) {
				t.Errorf("%s: features %v, want %v", key, r.Features, want)
			}
			delete(single, key)
		}
	}
	if len(single) > 0 {
		t.Errorf("the profile lacks %v", single)
	}
}

// Classes C and D are as the reference codes of NPB 3.4 define them (setparams and the
// codes' headers).
func TestFeatures(t *testing.T) {
	for _, want := range []struct {
		Application, Name string
		Features          []float64
	}{
		{Application: "cg", Name: "C", Features: []float64{150000, 15, 75, 110}},
		{Application: "cg", Name: "D", Features: []float64{1500000, 21, 100, 500}},
		{Application: "ep", Name: "C", Features: []float64{1 << 32}},
		{Application: "ep", Name: "D", Features: []float64{1 << 36}},
		{Application: "ft", Name: "C", Features: []float64{512, 512, 512, 20}},
		{Application: "ft", Name: "D", Features: []float64{2048, 1024, 1024, 25}},
		{Application: "is", Name: "C", Features: []float64{1 << 27, 1 << 23, 10}},
		{Application: "is", Name: "D", Features: []float64{1 << 31, 1 << 27, 10}},
		{Application: "mg", Name: "C", Features: []float64{512, 512, 512, 20}},
		{Application: "mg", Name: "D", Features: []float64{1024, 1024, 1024, 50}},
		{Application: "bt", Name: "C", Features: []float64{162, 162, 162, 200, .0001}},
		{Application: "bt", Name: "D", Features: []float64{408, 408, 408, 250, .00002}},
		{Application: "lu", Name: "C", Features: []float64{162, 162, 162, 250, 2}},
		{Application: "lu", Name: "D", Features: []float64{408, 408, 408, 300, 1}},
		{Application: "sp", Name: "C", Features: []float64{162, 162, 162, 400, .00067}},
		{Application: "sp", Name: "D", Features: []float64{408, 408, 408, 500, .0003}},
	} {
		b, err := perfmodel.NPB(want.Application)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Features, featuresOf(want.Application, want.Name, b.Features)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", want.Application, want.Name, diff)
		}
	}
}
