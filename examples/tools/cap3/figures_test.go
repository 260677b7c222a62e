package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// Tables IV and V and Figs. 3 to 5 by hand, for one program that takes 1600·n/P seconds on
// processes of 33.5/16 compute units each.
func TestFiguresByHand(t *testing.T) {
	profile := programtest.Write(t, "x.csv", "application,case,n,processes,seconds\nx,a,1,1,1600\nx,a,1,4,400\nx,b,3,1,4800\nx,b,3,4,1200\n")
	args := []string{"-profile", profile, "-task", "x:b", "-model", "eq2", "-deadline", "2h", "-budget", "3", "-customer", "x:48", "-across", "-starts", "1"}
	rows := rowsOf(t, args...)
	f := find(rows, map[string]any{"kind": "figure"})[0]
	// Within $3 are two instances: 32 processes. The customer's 48 are on three, $3.90.
	for key, want := range map[string]any{
		"cap3_processes": 32., "customer_processes": 48., "cap3_in_time": true, "cap3_in_budget": true, "customer_in_time": true, "customer_in_budget": false,
		"cap3_cost": "2.6", "customer_cost": "3.9", "agent": "low",
	} {
		if f[key] != want {
			t.Errorf("%s: %v, want %v", key, f[key], want)
		}
	}
	// 4800/32 s on small ones, of half the speed: 314 s on 32 at $0.06.
	small := find(rows, map[string]any{"kind": "type", "figure": true, "instance": "m1.small"})[0]
	if x := small["time_s"].(float64); small["cost"] != "1.92" || x < 314 || x > 314.2 {
		t.Errorf("%v", small)
	}
	// Across types, within the profile: a small one for 10050 s is too late, two are not.
	if s := find(rows, map[string]any{"kind": "type", "figure": false, "instance": "m1.small"})[0]; s["cost"] != "0.24" || s["processes"] != 2. && s["processes"] != 4. {
		t.Errorf("%v", s)
	}
	text, _ := tested.Must(t, args...)
	for _, want := range []string{"ACROSS TYPES OF INSTANCES", "TABLES IV AND V, FIGS. 3 TO 5", "Table V"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
	tested.SVG(t, args, "Fig. 3", "Fig. 4", "Fig. 5")
	tested.Mistake(t, "want APPLICATION:PROCESSES", "-customer", "x")
}

// A figure comes out where all that the paper tells of it is there. What differs in one
// respect only, comes out in part or not at all.
func TestFiguresComeOut(t *testing.T) {
	const none, part, whole = finding.DidNot, finding.InPart, finding.CameOut
	for what, c := range map[string]struct {
		change func(f []figured)
		want   [5]finding.Verdict // Fig. 3, Tables IV and V, Figs. 4 and 5
	}{
		"the paper's":                    {func([]figured) {}, [5]finding.Verdict{whole, whole, whole, whole, whole}},
		"EP on 64":                       {func(f []figured) { f[1].ours.Processes = 64 }, [5]finding.Verdict{whole, part, whole, whole, whole}},
		"LU on 64":                       {func(f []figured) { f[6].ours.Processes = 64 }, [5]finding.Verdict{whole, part, whole, whole, whole}},
		"CG on 32":                       {func(f []figured) { f[0].ours.Processes = 32 }, [5]finding.Verdict{whole, part, whole, whole, whole}},
		"medium instances for CG":        {func(f []figured) { f[0].cheapest = 0 }, [5]finding.Verdict{none, whole, whole, whole, whole}},
		"cluster instances for IS":       {func(f []figured) { f[3].cheapest = 1 }, [5]finding.Verdict{none, whole, whole, whole, whole}},
		"CAP3 late":                      {func(f []figured) { f[0].meets = false }, [5]finding.Verdict{whole, whole, part, whole, whole}},
		"the customer in time":           {func(f []figured) { f[7].meets2 = true }, [5]finding.Verdict{whole, whole, part, whole, whole}},
		"CAP3 within one budget more":    {func(f []figured) { f[6].within = true }, [5]finding.Verdict{whole, whole, part, whole, whole}},
		"the customer within one less":   {func(f []figured) { f[0].theirs2 = false }, [5]finding.Verdict{whole, whole, part, whole, whole}},
		"more dear in all":               {func(f []figured) { f[7].ours.Cost = 99 * pricing.Unit }, [5]finding.Verdict{whole, whole, whole, part, whole}},
		"the same for two":               {func(f []figured) { f[0].ours.Cost = f[0].theirs.Cost }, [5]finding.Verdict{whole, whole, whole, part, whole}},
		"a sixth on spot":                {func(f []figured) { f[5].tier, f[5].bid = spot.TierLow, .16 }, [5]finding.Verdict{whole, whole, whole, whole, part}},
		"a low bid of 22%":               {func(f []figured) { f[0].bid = .22 }, [5]finding.Verdict{whole, whole, whole, whole, part}},
		"a low bid of 10%":               {func(f []figured) { f[0].bid = .10 }, [5]finding.Verdict{whole, whole, whole, whole, part}},
		"a medium bid as of a low agent": {func(f []figured) { f[0].tier = spot.TierMedium }, [5]finding.Verdict{whole, whole, whole, whole, part}},
	} {
		r := &results{o: &options{budget: 20 * pricing.Unit}, in: &input{}}
		r.in.types = append(r.in.types, sizing.InstanceType{Name: "m1.medium"}, sizing.InstanceType{Name: "cc1.4xlarge"})
		for i, name := range []string{"cg", "ep", "ft", "is", "mg", "bt", "lu", "sp"} {
			f := figured{s: &sized{task: kase{Application: name}}, cheapest: 1, meets: true, meets2: i != 7, within: i < 6, theirs2: i < 5}
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
					"cg 16, ep 96, ft 16, is 16, mg 16, bt 16, lu 128, sp 16", "of 8 CAP3 meets 8 and 6, the customer 7 and 5",
					"less for 5, the same for 1, more for 2; $21.00 against $24.00", "5 tasks on spot: cg 16%, ep 16%, ft 16%, is 16%, mg 88%",
				}[i]; f.Shown != want {
					t.Errorf("%q, want %q", f.Shown, want)
				}
			}
		}
		for i, f := range r.judgeFigures() {
			if f.Verdict != c.want[i] {
				t.Errorf("%s: %q %v, want %v: %s", what, f.Says, f.Verdict, c.want[i], f.Shown)
			}
			if why := f.Why != "" && strings.HasSuffix(said(f), f.Why); why != (f.Verdict != whole && i != 3) {
				t.Errorf("%s: says %q", what, said(f))
			}
		}
	}
	if got := (&results{}).judgeFigures(); got != nil {
		t.Errorf("without figures: %v", got)
	}
}
