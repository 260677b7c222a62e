package reserve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// peersEnv turns the comparison with other programs on. It needs a C++ compiler
// with the LEMON graph library, and python3 with scipy 1.9 or later:
//
//	apt-get install -y g++ liblemon-dev python3-scipy
//	PLIMSOLL_PEERS=1 PLIMSOLL_SHARED=DIR go test -v -run Peers ./reserve
const peersEnv = "PLIMSOLL_PEERS"

// rounds is how often each program solves each case, by turns.
const rounds = 5

func median(times []float64) float64 {
	slices.Sort(times)
	return times[len(times)/2]
}

// timed returns the seconds of a warm solve.
func timed(tb testing.TB, e *Exact, p *Problem) (float64, Plan) {
	tb.Helper()
	if _, err := e.Solve(p); err != nil {
		tb.Fatal(err)
	}
	start := time.Now()
	plan, err := e.Solve(p)
	took := time.Since(start).Seconds()
	if err != nil {
		tb.Fatal(err)
	}
	return took, plan
}

// LEMON's network simplex on the prepaid cases, in the same run.
func TestPeersLEMON(t *testing.T) {
	if os.Getenv(peersEnv) == "" {
		t.Skipf("%s is not set", peersEnv)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "lemon")
	if out, err := exec.Command("g++", "-O2", "-o", program, shared.File(t, "peers/lemon/reserve.cc"), "-llemon").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	names, problems, optima := hourlyCases(t)
	sum, least := 0.0, math.Inf(1)
	for i, p := range problems {
		instance := filepath.Join(dir, "instance")
		if err := os.WriteFile(instance, lemonInstance(t, p), 0o666); err != nil {
			t.Fatal(err)
		}
		var e Exact
		var ours, theirs []float64
		for range rounds {
			out, err := exec.Command(program, instance).Output()
			if err != nil {
				t.Fatal(err)
			}
			seconds, cost := lemonOutput(t, string(out))
			theirs = append(theirs, seconds)
			took, plan := timed(t, &e, p)
			ours = append(ours, took)
			if plan.Cost != optima[i] || int64(cost)*1000 != int64(plan.Cost) {
				t.Fatalf("%s: ours costs %v, LEMON's %d micros, want %v", names[i], plan.Cost, cost, optima[i])
			}
		}
		a, b := median(ours), median(theirs)
		sum += math.Log(b / a)
		least = min(least, b/a)
		t.Logf("%-70s LEMON %8.1f ms, ours %7.2f ms, %5.1f times", names[i], 1e3*b, 1e3*a, b/a)
	}
	mean := math.Exp(sum / float64(len(problems)))
	t.Logf("geometric mean %.1f times, least %.1f", mean, least)
	if mean < 10 || least < 3 {
		t.Errorf("want a mean of 10 and at least 3")
	}
}

// lemonInstance is a problem in the peer's form, in micro currency units.
func lemonInstance(t *testing.T, p *Problem) []byte {
	const micro = 1000
	var b bytes.Buffer
	fmt.Fprintln(&b, len(p.Demand), len(p.Prices.Classes), int64(p.Prices.OnDemand)/micro)
	for _, c := range p.Prices.Classes {
		fee, err := c.Commitment()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, int(c.Term/p.Slot), int64(fee)/micro)
	}
	for _, d := range p.Demand {
		fmt.Fprintln(&b, d)
	}
	return b.Bytes()
}

// HiGHS's linear program on the weekly cases, in the same run.
func TestPeersHiGHS(t *testing.T) {
	if os.Getenv(peersEnv) == "" {
		t.Skipf("%s is not set", peersEnv)
	}
	script := shared.File(t, "peers/milp.py")
	names, problems, _ := weeklyCases(t)
	sum, worst := 0.0, 0.0
	for i, row := range readTable(t, "weekly-reference") {
		args := []string{script, shared.File(t, "demand/"+row[0]+".csv"), shared.File(t, "demand/"+row[1]+".json"), "1"}
		if row[2] == "pure" {
			args = append(args, "pure")
		}
		out, err := exec.Command("/usr/bin/python3", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		var peer struct {
			LP      float64 `json:"lp"`
			Seconds float64 `json:"lp_seconds"`
		}
		if err := json.Unmarshal(out, &peer); err != nil {
			t.Fatal(err)
		}
		var e Exact
		var ours []float64
		var plan Plan
		for range rounds {
			var took float64
			took, plan = timed(t, &e, problems[i])
			ours = append(ours, took)
		}
		if math.Abs(peer.LP-plan.Bound.Float64()) > 0.01 {
			t.Errorf("%s: bound %v, HiGHS's %v", names[i], plan.Bound, peer.LP)
		}
		a := median(ours)
		sum += math.Log(a / peer.Seconds)
		worst = max(worst, a/peer.Seconds)
		t.Logf("%-70s HiGHS %6.1f ms, ours %6.2f ms, ratio %.3f, gap %.2g", names[i], 1e3*peer.Seconds, 1e3*a, a/peer.Seconds, plan.Gap())
	}
	t.Logf("ratio: geometric mean %.3f, worst %.3f", math.Exp(sum/float64(len(problems))), worst)
	if worst > 2 {
		t.Error("want at most twice the time of HiGHS")
	}
}

// lemonOutput reads the peer's cost, in micro currency units, and its seconds.
func lemonOutput(t *testing.T, out string) (seconds float64, cost int64) {
	if _, err := fmt.Sscan(out, &cost, &seconds); err != nil {
		t.Fatalf("LEMON printed %q: %v", out, err)
	}
	return seconds, cost
}
