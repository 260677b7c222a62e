//go:build unix

package reserve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/exp/stats"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// peersEnv turns the comparison with other programs on. It needs a C++ compiler
// with the LEMON graph library, and python3 with scipy 1.9 or later:
//
//	apt-get install -y g++ liblemon-dev python3-scipy
//	PLIMSOLL_PEERS=1 PLIMSOLL_SHARED=DIR go test -v -timeout 1h -run Peers ./reserve
const peersEnv = "PLIMSOLL_PEERS"

// rounds is how often each program solves each case, by turns.
const rounds = 5

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
	program := lemonProgram(t, dir)
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
		a, b := stats.Median(ours), stats.Median(theirs)
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
		a := stats.Median(ours)
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

// generated returns the demands of the reference folder's generator.
func generated(t *testing.T) map[string][]int {
	dir := t.TempDir()
	if out, err := exec.Command("python3", shared.File(t, "demand/hard/make.py"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	demands := map[string][]int{}
	for _, name := range []string{"sine720", "sineyear", "triangle", "stairs", "walk2"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range bytes.Fields(data) {
			if n, err := strconv.Atoi(string(word)); err == nil {
				demands[name] = append(demands[name], n)
			}
		}
	}
	return demands
}

// lemonProgram builds LEMON's network simplex.
func lemonProgram(t *testing.T, dir string) string {
	program := filepath.Join(dir, "lemon")
	if out, err := exec.Command("g++", "-O2", "-o", program, shared.File(t, "peers/lemon/reserve.cc"), "-llemon").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// LEMON's network simplex on the logs with ten terms of a day to a month, by turns in the same run: the shortest
// time of each, of as many turns as fit into ten seconds, at least five. Times are of the processor: where there is
// other work the clock says nothing. A collection of Go's is ended before the solver begins, so that it does not
// count as ours.
func TestPeersTerms(t *testing.T) {
	if os.Getenv(peersEnv) == "" {
		t.Skipf("%s is not set", peersEnv)
	}
	dir := t.TempDir()
	program := lemonProgram(t, dir)
	slowest := math.Inf(1)
	for _, name := range []string{"unilu-gaia", "sdsc-ds", "lanl-cm5", "sdsc-blue", "hpc2n"} {
		p := &Problem{Demand: readDemand(t, name), Slot: time.Hour, Prices: readList(t, "hard/cls10")}
		instance := filepath.Join(dir, "instance")
		if err := os.WriteFile(instance, lemonInstance(t, p), 0o666); err != nil {
			t.Fatal(err)
		}
		var e Exact
		var ours, theirs []float64
		for taken := 0.; len(ours) < rounds || taken < 10; {
			cmd := exec.Command(program, instance)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			_, cost := lemonOutput(t, string(out))
			theirs = append(theirs, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			runtime.GC()
			before := processor()
			plan, err := e.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			ours = append(ours, processor()-before)
			taken += ours[len(ours)-1] + theirs[len(theirs)-1]
			if int64(cost)*1000 != int64(plan.Cost) || !plan.Optimal() {
				t.Fatalf("%s: ours costs %v, LEMON's %d micros", name, plan.Cost, cost)
			}
		}
		a, b := slices.Min(ours), slices.Min(theirs)
		slowest = min(slowest, b/a)
		t.Logf("%-10s LEMON %8.1f ms, ours %7.1f ms, %5.1f times (%d turns)", name, 1e3*b, 1e3*a, b/a, len(ours))
	}
	if slowest < 3 {
		t.Errorf("the least is %.1f times: want 3", slowest)
	}
}

// Classes of days at several use prices, bought at any hour, at full size: the five logs of the
// reference folder, its five generated demands and five more. HiGHS solves the linear program
// of the smallest in the same run; set PLIMSOLL_PEERS=all for HiGHS on all, which takes hours.
func TestPeersUsedDays(t *testing.T) {
	if os.Getenv(peersEnv) == "" {
		t.Skipf("%s is not set", peersEnv)
	}
	demands := generated(t)
	for name, demand := range hardDemands(rand.New(rand.NewPCG(7, 1)), 8760) { // seed 7, 1
		if demands[name] == nil && name != "sine" {
			demands[name] = demand
		}
	}
	r := rand.New(rand.NewPCG(7, 2)) // seed 7, 2
	for t := range 8760 {
		demands["weeks"] = append(demands["weeks"], 50+t%24*(7-t/24%7)+r.IntN(20))
		demands["noise"] = append(demands["noise"], r.IntN(300))
	}
	names := slices.Sorted(maps.Keys(demands))
	for _, name := range []string{"unilu-gaia", "sdsc-ds", "lanl-cm5", "sdsc-blue", "hpc2n"} {
		demands[name] = readDemand(t, name)
		names = append(names, name)
	}
	list := readList(t, "hard/used2d")
	for _, name := range names {
		p := &Problem{Demand: demands[name], Slot: time.Hour, Prices: list}
		var e Exact
		if _, err := e.Solve(&Problem{Demand: demands[name][:100], Slot: time.Hour, Prices: list}); err != nil {
			t.Fatal(err)
		}
		before := processor()
		plan, err := e.Solve(p)
		took := processor() - before
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p, &plan); err != nil {
			t.Error(err)
		}
		peer := ""
		if name == "unilu-gaia" || os.Getenv(peersEnv) == "all" {
			bound, seconds := highsUsed(t, p)
			peer = fmt.Sprintf(", HiGHS %.2f s", seconds)
			if low := plan.Bound.Float64(); low > bound*(1+1e-9) || plan.Cost.Float64() < bound*(1-1e-9) {
				t.Errorf("%s: cost %v and bound %v, HiGHS's optimum %f", name, plan.Cost, plan.Bound, bound)
			}
		}
		t.Logf("%-10s %6d slots, ours %.2f s of processor, gap %.1e%s", name, len(p.Demand), took, plan.Gap(), peer)
		if plan.Gap() > 1e-3 {
			t.Errorf("%s: gap %.1e, want 1e-3", name, plan.Gap())
		}
	}
}

// highsUsed solves the linear program of p by HiGHS.
func highsUsed(t *testing.T, p *Problem) (bound, seconds float64) {
	const micro = 1000
	var b bytes.Buffer
	fmt.Fprintln(&b, len(p.Demand), len(p.Prices.Classes), int64(p.Prices.OnDemand)/micro)
	for _, c := range p.Prices.Classes {
		fee, err := c.Commitment()
		if err != nil {
			t.Fatal(err)
		}
		use := int64(0)
		if c.Billed == pricing.WhenUsed {
			use = int64(c.Hourly) / micro
		}
		fmt.Fprintln(&b, int(c.Term/p.Slot), int64(fee)/micro, use)
	}
	for _, d := range p.Demand {
		fmt.Fprintln(&b, d)
	}
	instance := filepath.Join(t.TempDir(), "instance")
	if err := os.WriteFile(instance, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("/usr/bin/python3", "testdata/usedays.py", instance).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := fmt.Sscan(string(out), &bound, &seconds); err != nil {
		t.Fatalf("HiGHS printed %q: %v", out, err)
	}
	return bound / 1e6, seconds
}

// processor returns the seconds of processor time of this program so far.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
