package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
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
