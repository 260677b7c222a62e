package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/federation -update.
var tested = programtest.Program{Name: "federation", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// evaluated returns what the program found, before it is written, with the notable
// windows of rolling horizons only.
func evaluated(tb testing.TB, args ...string) *results {
	tb.Helper()
	o, err := program.Options(args...)
	if err != nil {
		tb.Fatal(err)
	}
	o.sparse = true
	r, err := federate(&o, cli.Quiet())
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// Two centres, by hand. A reservation costs 12 for 24 hours, on demand 1 an hour: it
// pays from 12 hours on. East needs 2 for all of the day, and a third from 13 to 18,
// which is on demand; west needs 1 from 0 to 13, which it reserves. From 13 on west's
// is idle, and east pays 12/24 an hour for it.
const (
	eastLog = "1 0 0 86400 2\n2 46800 0 18000 1\n"
	westLog = "; UnixStartTime: 0\n7 0 0 46800 1\n"

	samePrices = `[
 {"name": "east", "on_demand": 1, "reservation": 12, "traffic": 0.001, "latitude": 10, "longitude": 20},
 {"name": "west", "on_demand": 1.00, "reservation": "12", "traffic": 0.001, "latitude": 10, "longitude": -20}
]
`
)

// small returns the flags for them.
func small(t *testing.T, more ...string) []string {
	t.Helper()
	logs := programtest.Write(t, "east.swf", eastLog) + "," + programtest.Write(t, "west.gz", programtest.Gzip(westLog))
	return append([]string{"-traces", logs, "-prices", programtest.Write(t, "prices.json", samePrices), "-hours", "24", "-reserve", "periodic,hgr,exact"}, more...)
}

func TestSmall(t *testing.T) {
	const unit = pricing.Unit
	r := evaluated(t, small(t)...)
	if r.onDemand != (48+5+13)*unit || r.hours != 66 || r.centres[0].from != 0 {
		t.Errorf("on demand %v for %d instance-hours, want 66", r.onDemand, r.hours)
	}
	unpaid := evaluated(t, append(small(t), "-prices", programtest.Write(t, "free.json", strings.ReplaceAll(samePrices, "0.001", "0")))...)
	for p := range wang {
		x := r.plain[p]
		if x.count != 3 || x.plans[0].cost != 29*unit || x.plans[1].cost != 12*unit || x.held != 72 || x.used != 61 {
			t.Errorf("%v: %d reservations, %v and %v, %d of %d hours used, want 3, 29 and 12, 61 of 72", p, x.count, x.plans[0].cost, x.plans[1].cost, x.used, x.held)
		}
		s := x.shared
		disk := r.centres[0].disk[1] * megabyte
		traffic := pricing.Money(disk) * pricing.Milli / gigabyte
		if s.moved[0][1] != disk || s.moved[1][0] != 0 || s.total.Sent != disk {
			t.Errorf("%v: %v moved, want %d bytes from east to west", p, s.moved, disk)
		}
		if east, west := s.centres[0].Cost(), s.centres[1].Cost(); 2*east != 53*unit+2*traffic || 2*west != 19*unit || s.cost != east+west {
			t.Errorf("%v: shared %v and %v, in all %v, want 26.5 and traffic of %v, and 9.5", p, east, west, s.cost, traffic)
		}
		if used, held := s.hours(); used != 66 || held != 72 || s.centres[1].Lent != 5 || 2*s.centres[0].Paid != 5*unit || s.centres[0].Paid != s.centres[1].Received {
			t.Errorf("%v: %d of %d hours used, %+v, want 66, of which 5 lent for 2.5", p, used, held, s.centres)
		}
		// Another task may have less to send.
		if b := r.best[p]; b.optimum > s.cost || b.optimum <= 36*unit || b.bound > b.optimum {
			t.Errorf("%v: optimum %+v, want above 36 and at most %v", p, *b, s.cost)
		}
		if b := unpaid.best[p]; *b != (best{36 * unit, 36 * unit, 36 * unit}) {
			t.Errorf("%v: optimum without paying for traffic %+v, want 36", p, *b)
		}
		if saved, hours := r.reach(x); saved != 5*unit || hours != 5 {
			t.Errorf("%v: at most %v for %d hours are saved, want 5 for 5", p, saved, hours)
		}
	}
	// Jointly: two for 24 hours, one for 18.
	if r.joint != 36*unit {
		t.Errorf("joint bound %v, want 36", r.joint)
	}
}

// The default output takes seconds: that of a week is always compared, the whole with PLIMSOLL_LONG.
func TestGolden(t *testing.T) {
	stdout, stderr := tested.Must(t, "-hours", "168")
	programtest.Golden(t, "week.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	if programtest.Whole() {
		stdout, stderr = tested.Must(t)
		programtest.Golden(t, "default.txt", stdout)
		programtest.Narrow(t, stdout, 80)
	}
	if want := "federation: no -traces, so three made-up centres, seed 1\n"; stderr != want {
		t.Errorf("notes %q, want %q", stderr, want)
	}
	stdout, stderr = tested.Must(t, small(t, "-json", "-error", "0")...)
	programtest.Golden(t, "small.json", stdout)
	if !strings.Contains(stderr, "2 records, 2 jobs, 0 left out") {
		t.Errorf("notes %q", stderr)
	}
}

// Schemes by hand: groups by term, discounts and sizes.
func TestSchemes(t *testing.T) {
	const unit = pricing.Unit
	stdout, notes := tested.Must(t, "-schemes", "-hours", "168")
	programtest.Golden(t, "schemes.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	if !strings.Contains(notes, "three made-up centres") {
		t.Error(notes)
	}
	// A term of 2 hours costs 1.2, of 4 hours 2. The long group buys at hour 0 and has hour 1
	// idle. With leftovers the short group has one hour left, for 1 on demand; otherwise it
	// buys for 1.2.
	c := &centre{site: site{OnDemand: unit, Reservation: 24 * unit}, demand: []int{2, 1, 1, 1}}
	groups := [][]int{{1, 1, 0, 0}, {1, 0, 1, 1}}
	o := &options{spans: []span{{2, .6}, {4, .5}}}
	o.reserve[hgr] = true
	for _, x := range []struct {
		order         []int
		leftovers     bool
		alone, pooled pricing.Money
	}{
		{[]int{0, 1}, false, 32, 32},
		{[]int{0, 1}, true, 32, 32},
		{[]int{1, 0}, false, 32, 32},
		{[]int{1, 0}, true, 30, 30},
	} {
		if alone, pooled, err := o.inTurn(c, groups, x.order, x.leftovers); err != nil || alone != x.alone*unit/10 || pooled != x.pooled*unit/10 {
			t.Errorf("%+v: %v, %v, %v", x, alone, pooled, err)
		}
	}
	// The other way round, what the long group has on demand runs on the short group's.
	groups = [][]int{{1, 0, 1, 1}, {0, 1, 0, 0}}
	c.demand = []int{1, 1, 1, 1}
	o.spans[0] = span{4, .5}
	o.spans[1] = span{5, .5}
	if alone, pooled, err := o.inTurn(c, groups, []int{1, 0}, true); err != nil || alone != 3*unit || pooled != 2*unit {
		t.Errorf("pooled: %v, %v, %v, want 3 and 2", alone, pooled, err)
	}
	// What the first group leaves idle in hour 2 serves the second group, and is then taken: the
	// third group has hour 2 on demand.
	o.spans = []span{{4, .5}, {5, .5}, {5, .5}}
	groups = [][]int{{1, 1, 0, 1}, {0, 0, 1, 0}, {0, 0, 1, 0}}
	c.demand = []int{1, 1, 2, 1}
	if alone, pooled, err := o.inTurn(c, groups, []int{0, 1, 2}, true); err != nil || alone != 3*unit || pooled != 3*unit {
		t.Errorf("taken once: %v, %v, %v, want 3 and 3", alone, pooled, err)
	}

	// East buys two days for 24 and has 5 on demand, west one day for 12. Beyond 12, fees are
	// halved: for each by itself that is 6 less for east, and together 12. The sizes of east
	// are a job of two processors and one of one.
	r := evaluated(t, small(t, "-schemes", "-terms", "24:1", "-volume", "12:0.5")...)
	want := map[string]pricing.Money{
		"each group by itself": 41, "idle serves all groups": 41, "leftovers, short first": 41, "leftovers, long first": 41, "one joint plan": 41,
		"no discount": 41, "list prices, own discount": 35, "planned with own discount": 35, "list prices, together": 29, "one joint plan, together": 29,
		"each size, hgr": 41, "each size, optimum": 41, "compute units, hgr": 41, "compute units, joint plan": 41,
	}
	seen := 0
	for _, s := range r.schemes {
		for _, x := range s.ways {
			if seen++; x.total != want[x.name]*unit {
				t.Errorf("%s: %s costs %v, want %d", s.name, x.name, x.total, want[x.name])
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d ways, want %d", seen, len(want))
	}
	// A joint plan costs no more than any other way, and sharing no more than not sharing.
	for _, seed := range []string{"1", "2", "3"} {
		r := evaluated(t, "-schemes", "-hours", "120", "-seed", seed, "-volume", "100:0.1,300:0.4")
		for _, s := range r.schemes {
			joint := s.ways[len(s.ways)-1]
			for _, x := range s.ways {
				if x.total < joint.bound || joint.total < joint.bound {
					t.Errorf("seed %s, %s: %s costs %v, and no plan less than %v", seed, s.name, x.name, x.total, joint.bound)
				}
			}
		}
		if g := r.schemes[0].ways; g[1].total > g[0].total {
			t.Errorf("seed %s: %v shared, %v apart", seed, g[1].total, g[0].total)
		}
		if v := r.schemes[1].ways; v[2].total > v[1].total || v[4].total > v[3].total || v[3].total > v[1].total {
			t.Errorf("seed %s: %+v", seed, v)
		}
	}
	exactly := evaluated(t, small(t, "-schemes", "-reserve", "exact")...)
	if n := len(exactly.schemes[2].ways); n != 2 {
		t.Errorf("%d ways by size with the optimum, want 2", n)
	}
}

// Coalitions of four centres: shares add up to the cost of all, nobody leaves the core, and
// a coalition of one pays what it pays alone.
func TestCoalitions(t *testing.T) {
	stdout, _ := tested.Must(t, "-coalitions", "-centres", "4", "-hours", "48")
	programtest.Golden(t, "coalitions.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	r := evaluated(t, "-coalitions", "-centres", "5", "-hours", "24", "-seed", "3")
	c := r.coalitions
	if c.asked != 31 || len(c.divisions) != 4 || c.core.Empty {
		t.Fatalf("%+v", c)
	}
	for _, d := range c.divisions {
		if d.name == "prices" || d.name == "Alg. 3" { // the sums of the bound and of another plan
			continue
		}
		if sum(d.shares) != c.total {
			t.Errorf("%s adds up to %v, want %v", d.name, sum(d.shares), c.total)
		}
		if d.name == "core" && len(d.leave) > 0 {
			t.Errorf("%v leave the core", d.leave)
		}
	}
	for i := range r.centres {
		if got := c.costs[coalition.Of(i)] + c.fees[i]; got != c.alone[i] {
			t.Errorf("centre %d pays %v alone, want %v", i, got, c.alone[i])
		}
	}
	// For machines each coalition has the whole names of its members, as shares have.
	rows, sets := r.coalitionRows().([]any), map[any]bool{}
	for _, x := range rows {
		if row := x.(jsonrows.Row); row[1] == "coalition" {
			sets[row[5]] = true
		}
	}
	var names []string
	for _, x := range r.centres {
		names = append(names, x.Name)
	}
	if !sets[strings.Join(names, " + ")] || !sets[strings.Join(names[1:], " + ")] || !sets[names[0]] || len(sets) != 31 {
		t.Errorf("coalitions in rows: %v", sets)
	}
	one, notes := tested.Must(t, "-coalitions", "-centres", "1", "-hours", "24")
	if !strings.Contains(one, "A coalition of one shares with nobody.") || !strings.Contains(notes, "1 made-up centre,") {
		t.Errorf("%s\n%s", one, notes)
	}
	// More than ten are sampled, here by two pairs of orders.
	o := r.o
	o.made, o.pairs, o.seed = 11, 2, 1
	run := cli.Quiet()
	centres, err := o.load(run)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = o.form(centres, run); err != nil || c.costs != nil || len(c.divisions) != 3 || c.divisions[0].errors == nil || sum(c.divisions[0].shares) != c.total {
		t.Errorf("11 centres: %+v, %v", c, err)
	}
	var page table.Page
	many := &results{o: o, centres: centres, coalitions: c}
	if err := many.text(&page); err != nil {
		t.Error(err)
	}
	for _, x := range many.rows().([]any) {
		if kind := x.(jsonrows.Row)[1]; kind != "share" && kind != "departure" {
			t.Errorf("11 centres: %v", x)
		}
	}
}

// A price of one's own takes the place of the named one, and is checked for what it tempts
// to.
func TestLend(t *testing.T) {
	args := []string{"-hours", "48", "-reserve", "hgr", "-error", "0"}
	fee := evaluated(t, append(args, "-share", "lender")...)
	own := evaluated(t, append(args, "-share", "lender", "-lend", "0:1")...)
	if got, want := own.plain[hgr].shared.cost, fee.plain[hgr].shared.cost; got != want {
		t.Errorf("F/τ by -lend costs %v, want %v", got, want)
	}
	dear := evaluated(t, append(args, "-share", "lender", "-lend", "0:1000")...)
	if lent := dear.plain[hgr].shared.total.Lent; lent != 0 || len(dear.tempted) != 0 {
		t.Errorf("%d hours are lent at a thousand times the fee, %v", lent, dear.tempted)
	}
	stdout, _ := tested.Must(t, append(args, "-lend", "0:1.5,1:0")...)
	if !strings.Contains(strings.Join(strings.Fields(stdout), " "), "was checked on 60 needless reservations") {
		t.Error(stdout)
	}
}

func TestSeed(t *testing.T) {
	args := []string{"-json", "-reserve", "hgr", "-hours", "72"}
	first, _ := tested.Must(t, args...)
	if again, _ := tested.Must(t, args...); again != first {
		t.Error("the same seed gives another result")
	}
	if other, _ := tested.Must(t, append(args, "-seed", "2")...); other == first {
		t.Error("another seed gives the same result")
	}
}

// One core gives what all give.
func TestWorkers(t *testing.T) {
	args := []string{"-json", "-hours", "60"}
	before := runtime.GOMAXPROCS(1)
	one, _ := tested.Must(t, args...)
	runtime.GOMAXPROCS(5)
	five, _ := tested.Must(t, args...)
	runtime.GOMAXPROCS(before)
	if one != five {
		t.Error("five workers give another result than one")
	}
}

func TestHelp(t *testing.T) {
	var words []string
	for _, name := range plannerNames {
		words = append(words, " "+name+" ")
	}
	for _, x := range readings {
		words = append(words, " "+x.name+" ")
	}
	words = append(words, "share", "coalition", "departure", "core", "proof", "gain", "slack", "weight", "members", "standard_error", "division", "alone")
	stdout, _ := tested.Must(t, small(t, "-json")...)
	for _, row := range programtest.Rows[map[string]any](t, stdout) {
		words = append(words, slices.Collect(maps.Keys(row))...)
	}
	tested.Help(t, program.FlagNames(), words...)
}

// Whatever the centres, plans and errors: sharing conserves money and hours, it costs no
// less than the optimum, that no less than its bounds, and none of it less than all
// demand planned as one.
func TestOrder(t *testing.T) {
	lent := 0
	for seed := range 3 {
		r := evaluated(t, "-seed", fmt.Sprint(seed), "-hours", fmt.Sprint(24+24*seed))
		check := func(x *outcome, s *sharing) {
			if s.total.Paid != s.total.Received {
				t.Errorf("seed %d, %v: %v paid, %v received", seed, x.planner, s.total.Paid, s.total.Received)
			}
			if got := int64(s.total.Own + s.total.Borrowed + s.total.Bought + s.total.Elsewhere); got != r.hours || s.total.Borrowed != s.total.Lent {
				t.Errorf("seed %d, %v: %d instance-hours ran, want %d", seed, x.planner, got, r.hours)
			}
			if used, held := s.hours(); used > held || held != x.held {
				t.Errorf("seed %d, %v: %d of %d hours used", seed, x.planner, used, held)
			}
			lent += s.total.Lent
		}
		for _, p := range r.shown() {
			x, b := r.plain[p], r.best[p]
			greedy := r.read[p][roaming].cost
			if !(greedy >= b.optimum && b.optimum >= b.bound && b.bound >= b.split && b.split >= r.joint) {
				t.Errorf("seed %d, %v: greedy %v, optimum %v, bound %v, split %v, joint %v: want them to fall", seed, p, greedy, b.optimum, b.bound, b.split, r.joint)
			}
			if b.optimum > b.bound+b.bound/1000 {
				t.Errorf("seed %d, %v: optimum %v, bound %v: want them within a thousandth", seed, p, b.optimum, b.bound)
			}
			// Errors reach the planners that predict, and only those.
			if y := r.erred[p][2]; !p.predicts() {
				if y.cost != x.cost {
					t.Errorf("seed %d, %v: %v with errors of 40%%, %v without: want the same", seed, p, y.cost, x.cost)
				}
			} else if p == exact && y.cost <= x.cost || y.cost == x.cost || !slices.Equal(r.erred[p][0].plans[0].active, x.plans[0].active) {
				t.Errorf("seed %d, %v: %v with errors of 40%%, %v without", seed, p, y.cost, x.cost)
			}
			if x.cost < r.optimum.cost {
				t.Errorf("seed %d, %v: %v is below the optimum %v", seed, p, x.cost, r.optimum.cost)
			}
			if saved, hours := r.reach(x); x.cost-r.read[p][2].cost > saved || int64(r.read[p][2].total.Lent) > hours {
				t.Errorf("seed %d, %v: sharing what is idle saves %v, and could save %v", seed, p, x.cost-r.read[p][2].cost, saved)
			}
			for _, y := range append(slices.Clone(r.sweep[p]), r.erred[p]...) {
				check(y, y.shared)
			}
			for _, s := range r.read[p] {
				check(x, s)
			}
		}
	}
	if lent == 0 {
		t.Error("nothing was lent")
	}
}

// The draws of disk space: within bounds, and by the power law, of which a half is
// below twice the least.
func TestDisk(t *testing.T) {
	if low, high := diskAt(0), diskAt(math.Nextafter(1, 0)); low != leastDisk || high != mostDisk {
		t.Errorf("from %d to %d MB, want %d to %d", low, high, leastDisk, mostDisk)
	}
	c := &centre{jobs: make([]trace.Job, 3462)}
	c.drawDisk(rand.New(rand.NewPCG(1, 2)))
	above := func(mb int64) float64 {
		n := 0
		for _, d := range c.disk {
			if d < leastDisk || d > mostDisk {
				t.Fatalf("%d MB", d)
			}
			if d > mb {
				n++
			}
		}
		return float64(n) / float64(len(c.disk))
	}
	// P(x > 5k) = 1/k: with 3,462 draws three deviations are below .026.
	for _, k := range []int64{2, 10, 100} {
		if got := above(leastDisk * k); math.Abs(got-1/float64(k)) > .03 {
			t.Errorf("%.3f of the draws are above %d times the least, want 1/%d", got, k, k)
		}
	}
}

func TestPredict(t *testing.T) {
	r := evaluated(t, "-reserve", "hgr", "-error", "0", "-hours", "600")
	if p := r.o.predict(r.centres, 0); !slices.EqualFunc(p, make([][]int, 3), slices.Equal) {
		t.Errorf("without errors %v is predicted", p)
	}
	half, full := r.o.predict(r.centres, .5), r.o.predict(r.centres, 1)
	sum := 0.
	for i, c := range r.centres {
		for k, d := range c.demand {
			if d == 0 && full[i][k] != 0 {
				t.Errorf("%d is predicted for no demand", full[i][k])
			}
			if d == 0 {
				continue
			}
			x, y := float64(half[i][k])/float64(d), float64(full[i][k])/float64(d)
			if math.Abs(x-1) > .5+.5/float64(d) || math.Abs((y-1)-2*(x-1)) > 1.5/float64(d) {
				t.Errorf("demand %d: %d predicted with errors up to half, %d up to all", d, half[i][k], full[i][k])
			}
			sum += y - 1
		}
	}
	if mean := sum / 1800; math.Abs(mean) > .05 { // three deviations: 3·.58/√1800 = .041
		t.Errorf("the mean error is %.3f, want 0", mean)
	}
}

// Delays, by the distances of cities: Los Angeles to New York 3,940 km, Luxembourg to
// San Diego over 9,000 km; the same both ways, and none to itself.
func TestDelay(t *testing.T) {
	la, ny := site{Latitude: 34.05, Longitude: -118.25}, site{Latitude: 40.71, Longitude: -74.01}
	if d := la.delay(&ny); d < 19600*time.Microsecond || d > 19800*time.Microsecond || d != ny.delay(&la) || la.delay(&la) != 0 {
		t.Errorf("%v from Los Angeles to New York, %v back", d, ny.delay(&la))
	}
	antipode := site{Latitude: -34.05, Longitude: 61.75}
	if d := la.delay(&antipode); d < 100*time.Millisecond || d > 100100*time.Microsecond {
		t.Errorf("%v to the other side of the earth, want half of 40,030 km at 200 km/ms", d)
	}
}

// paperArgs are the flags for the paper's logs and windows.
func paperArgs(tb testing.TB, more ...string) []string {
	tb.Helper()
	var logs []string
	for _, name := range []string{"UniLu-Gaia-2014-1", "SDSC-BLUE-2000-4.2-cln", "LANL-CM5-1994-4.1-cln"} {
		logs = append(logs, shared.File(tb, "traces/"+name+".swf.gz"))
	}
	return append([]string{"-from", "747,478,172", "-traces", strings.Join(logs, ",")}, more...)
}

func paperCentres(tb testing.TB) []*centre {
	tb.Helper()
	o, err := program.Options(paperArgs(tb)...)
	if err != nil {
		tb.Fatal(err)
	}
	centres, err := o.load(cli.Quiet())
	if err != nil {
		tb.Fatal(err)
	}
	return centres
}

// The paper's three logs: an independent program's figures (ERRATA [Liu21] 8) come out
// to the dollar; and the findings.
func TestPaper(t *testing.T) {
	r := evaluated(t, paperArgs(t)...)
	checks := r.checks()
	for _, c := range checks {
		if !c.same() {
			t.Errorf("%s: %v, want %v", c.what, c.ours, c.theirs)
		}
	}
	if len(checks) != 17 {
		t.Errorf("%d checks, want 17", len(checks))
	}
	for lambda, want := range map[int]int64{23: 185_514, 24: 119_734, 600: 101_885} {
		if x := r.at(rhoLast, lambda); x == nil || x.count != want {
			t.Errorf("rho-last, lambda %d: %+v, want %d reservations", lambda, x, want)
		}
	}
	got := ""
	for _, f := range r.allFindings() {
		got += fmt.Sprintf("%v: %s\n", f.Verdict, f.Says)
	}
	programtest.Golden(t, "paper-findings.txt", got)

	// ERRATA [Liu21] 9: sharing saves 3.3% of HGR and 6.4% of Periodic, with other draws
	// of what is sent.
	if a, b := r.plain[hgr].saved(), r.plain[periodic].saved(); math.Abs(a-.033) > .002 || math.Abs(b-.064) > .002 {
		t.Errorf("sharing saves %.4f of HGR and %.4f of Periodic, want .033 and .064", a, b)
	}
	// Other windows have no such figures, and the notes say which have.
	args := append([]string{"-reserve", "hgr", "-error", "0"}, paperArgs(t)[2:]...)
	logs := strings.Split(args[len(args)-1], ",")
	logs[0], logs[1] = logs[1], logs[0]
	args[len(args)-1] = strings.Join(logs, ",")
	stdout, notes := tested.Must(t, args...)
	for _, part := range []string{"independent program", "671,360", "What came out"} {
		if strings.Contains(stdout, part) {
			t.Errorf("other windows, and the output says %q", part)
		}
	}
	if want := "so that its figures are not compared: they are of -hours 600 and -from 478,747,172\n"; !strings.Contains(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if r := evaluated(t, paperArgs(t, "-reserve", "hgr", "-hours", "50")...); r.checks() != nil || r.o.isPaper(r.centres) {
		t.Error("50 hours have checks, or the paper's figures")
	}
}

// A second implementation of RHO that subtracts for the full term, as plain as can be,
// with the first slot's purchases of each window and with all of them.
func TestRollingByHand(t *testing.T) {
	centres := paperCentres(t)
	for _, lambda := range []int{23, 24, 25, 100} {
		for _, reading := range []plannerName{rhoFirst, rhoFull} {
			if reading == rhoFull && lambda <= term {
				continue // one interval: the first slot's purchases are all
			}
			var want, got pricing.Money
			for _, c := range centres {
				want += rollByHand(c, lambda, reading == rhoFull)
				p, err := c.plan(planOptions{planner: reading, lambda: lambda})
				if err != nil {
					t.Fatal(err)
				}
				got += p.cost
			}
			if got != want {
				t.Errorf("%v, lambda %d: %v, by hand %v", reading, lambda, got, want)
			}
		}
	}
}

// rollByHand is [Liu21] Algorithm 2, each window planned by Algorithm 1, line by line.
// With all, every purchase of a window is made, and the last window ends with the demand.
func rollByHand(c *centre, lambda int, all bool) pricing.Money {
	enough := c.pays()
	active := make([]int, len(c.demand)+term)
	var cost pricing.Money
	for t := range c.demand {
		if all && t+lambda > len(c.demand) {
			break
		}
		var left []int
		for k := t; k < min(len(c.demand), t+lambda); k++ {
			left = append(left, max(0, c.demand[k]-active[k]))
		}
		now := 0
		for {
			most, at := 0, 0
			for s := range max(1, len(left)-term+1) {
				busy := 0
				for _, d := range left[s:min(len(left), s+term)] {
					busy += min(1, d)
				}
				if busy > most {
					most, at = busy, s
				}
			}
			if most < enough {
				break
			}
			window := left[at:min(len(left), at+term)]
			least := math.MaxInt
			for _, d := range window {
				if d > 0 {
					least = min(least, d)
				}
			}
			for k := range window {
				window[k] = max(0, window[k]-least)
			}
			if at == 0 {
				now += least
			} else if all {
				for k := t + at; k < t+at+term; k++ {
					active[k] += least
				}
				cost += c.Reservation * pricing.Money(least)
			}
		}
		for k := t; k < t+term; k++ {
			active[k] += now
		}
		cost += c.Reservation * pricing.Money(now)
	}
	for t, d := range c.demand {
		cost += c.OnDemand * pricing.Money(max(0, d-active[t]))
	}
	return cost
}

// Findings can come out and not, with results made up for it.
func TestVerdicts(t *testing.T) {
	made := func(good bool) *results {
		r := evaluated(t, "-hours", "48", "-error", "0,0.4")
		money := func(m int) pricing.Money { return pricing.Money(m) * pricing.Unit }
		// dress gives an outcome a cost and a use in every centre, and a saving.
		dress := func(x *outcome, cost, used int, saves bool, sent int64) {
			x.cost, x.held, x.used = money(3*cost), 3000, int64(3*used)
			s := *x.shared
			x.shared = &s
			s.centres = make([]federation.Statement, 3)
			s.total = federation.Statement{Own: 3 * used, Sent: sent}
			if saves {
				s.total.Own++
			} else {
				s.total.Own--
			}
			s.held = 3000
			s.cost = money(3*cost - 1)
			if !saves {
				s.cost = money(3*cost + 1)
			}
			for i := range x.plans {
				p := *x.plans[i]
				p.cost, p.held, p.used, p.count = money(cost), 1000, int64(used), 5
				x.plans[i] = &p
				gain := 1 // more for those that fluctuate more
				for _, c := range r.centres {
					if c.fluctuation() < r.centres[i].fluctuation() {
						gain++
					}
				}
				if !saves {
					gain = -gain
				}
				s.centres[i].Fees = money(cost - gain)
			}
			if x.guarded == nil {
				x.guarded = x.shared
			}
			*x.shared = s
		}
		dress(r.optimum, 1000, 950, true, 0)
		if good {
			dress(r.plain[periodic], 1200, 800, true, 100*gigabyte)
			dress(r.plain[hgr], 1100, 900, true, 50*gigabyte)
			dress(r.plain[history], 1300, 800, true, 0)
			r.optimum.cost = r.plain[hgr].shared.cost
		} else {
			dress(r.plain[periodic], 2000, 900, false, 50*gigabyte)
			dress(r.plain[hgr], 2500, 800, false, 100*gigabyte)
			dress(r.plain[history], 5000, 800, false, 0)
			r.optimum.cost = r.plain[hgr].shared.cost + 1
		}
		for _, p := range r.shown() {
			for _, x := range r.erred[p] {
				switch {
				case good:
					dress(x, 1110, 890, true, 0)
					x.shared.cost -= money(100)
				default:
					dress(x, 4000, 500, false, 0)
					x.shared.cost += money(100)
				}
			}
			if !p.rolls() {
				continue
			}
			dress(r.plain[p], map[bool]int{true: 1110, false: 3000}[good], 880, good, 0)
			for _, x := range r.sweep[p] {
				cost := 1100 // HGR's
				if l := x.lambda; good && l >= 13 && l < term {
					cost = 1300 + 10*l
				} else if good && l == term {
					cost = 1200
				}
				if !good {
					cost = 6000 - x.lambda // falls slowly
					if x.lambda > term {
						cost = 6000 + x.lambda
					}
				}
				dress(x, cost, 800, good, 0)
				for i, c := range r.centres {
					reserves := x.lambda >= c.pays()
					if x.plans[i].count = 0; reserves == good {
						x.plans[i].count = 1
					}
					x.count += x.plans[i].count
				}
			}
		}
		return r
	}
	for good, want := range map[bool]finding.Verdict{true: finding.CameOut, false: finding.DidNot} {
		seen := 0
		r := made(good)
		var page table.Page
		r.writeFindings(&page)
		programtest.Golden(t, fmt.Sprintf("texts/findings-%v.txt", good), page.String())
		for _, f := range r.allFindings() {
			seen++
			if f.Verdict != want {
				t.Errorf("good %v, but %v", good, f)
			}
		}
		if seen != 15 {
			t.Errorf("%d findings, want 15", seen)
		}
	}
}

func TestSVG(t *testing.T) {
	tested.SVG(t, []string{"-hours", "48"}, "Luxembourg: demand and reservations", "Cost, alone and shared", "Cost by error", "Rolling horizons: cost", "rho-full, shared", "periodic, shared")
	tested.SVG(t, small(t, "-reserve", "hgr"), "east: demand and reservations", "west", "hgr, shared", "Use of what is reserved")
	tested.SVG(t, []string{"-hours", "48", "-reserve", "rho", "-error", "0"}, "Rolling horizons: data sent", "rho-deferred")
}

// One log is a federation of one, and says nothing of sharing.
func TestOneCentre(t *testing.T) {
	path := programtest.Write(t, "log.swf", eastLog)
	stdout, notes := tested.Must(t, "-traces", path, "-hours", "24")
	for _, part := range []string{"Ways to share", "What greed leaves", "All centres"} {
		if strings.Contains(stdout, part) {
			t.Errorf("%q for one centre:\n%s", part, stdout)
		}
	}
	if !strings.Contains(stdout, "log ") || !strings.Contains(notes, "those of UniLu-Gaia, by its number among the logs") {
		t.Errorf("%s\n%s", stdout, notes)
	}
	tested.Must(t, "-traces", path, "-hours", "24", "-json")
}

// A window begins where it is asked to, in each log its own hour, and has the jobs
// submitted in it alone.
func TestFrom(t *testing.T) {
	long := programtest.Write(t, "a.swf", "1 0 0 999999 9\n2 90000 0 10 3\n3 93601 0 7200 2\n4 180000 0 10 1\n")
	r := evaluated(t, "-traces", long+","+programtest.Write(t, "b.swf", eastLog), "-hours", "24", "-from", "25,0", "-reserve", "hgr")
	a := r.centres[0]
	if len(a.jobs) != 2 || a.from != 25 || a.demand[0] != 3 || a.demand[1] != 2 || a.demand[2] != 2 || a.demand[3] != 2 || a.total != 9 {
		t.Errorf("%d jobs from hour %d, demand %v, want two: 3, 2, 2, 2", len(a.jobs), a.from, a.demand)
	}
	list := tasks(r.centres)
	want := []federation.Task{
		{ID: 0, Home: 0, Start: 0, End: 1, Instances: 3},
		{ID: 1, Home: 0, Start: 1, End: 4, Instances: 2},
		{ID: 2, Home: 1, Start: 0, End: 24, Instances: 2},
		{ID: 3, Home: 1, Start: 13, End: 18, Instances: 1},
	}
	for k := range list {
		list[k].Disk = 0
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
	if r := evaluated(t, "-traces", programtest.Write(t, "late.swf", "1 7300 0 60 4\n"), "-hours", "24", "-reserve", "hgr"); r.centres[0].from != 2 {
		t.Errorf("from hour %d, want that of the first job, 2", r.centres[0].from)
	}
}

// An interrupted run leaves the old picture and no temporary file.
func TestInterrupt(t *testing.T) { programtest.Interrupt(t, "-traces", "; Version: 2\n") }

func TestBrokenOutput(t *testing.T) { tested.Broken(t, small(t), small(t, "-json")) }

// The user's mistakes end with one sentence and status 2, before anything is printed,
// and leave no file.
func TestMistakes(t *testing.T) {
	wide, broad := "wide: costs more than 144,115,188", "broad: costs more than 144,115,188"
	if math.MaxInt == math.MaxInt32 {
		wide, broad = "want a smaller number", "want a smaller number"
	}
	dir := t.TempDir()
	east := programtest.WriteIn(t, dir, "east.swf", eastLog)
	other := programtest.Write(t, "east.swf.gz", eastLog)
	prices := func(text string) []string {
		return []string{"-traces", east, "-hours", "24", "-prices", programtest.Write(t, "p.json", text)}
	}
	const site = `{"name": "a", "on_demand": 1, "reservation": 12, "traffic": 0, "latitude": 0, "longitude": 0}`
	tested.Frame(t, "svg")
	mistakes := []programtest.Wrong{
		{[]string{"-hours", "0"}, "whole number of hours from 24 to 26,280"},
		{[]string{"-hours", "23"}, "whole number of hours from 24 to 26,280"},
		{[]string{"-hours", "many"}, "whole number of hours"},
		{[]string{"-lambda", "0"}, "whole number of hours from 1"},
		{[]string{"-lambda", "601"}, "the window has only 600 hours"},
		{[]string{"-reserve", "best"}, "want all, or some of rho, periodic, hgr, exact, wang, history"},
		{[]string{"-reserve", ""}, "want all, or some of rho"},
		{[]string{"-share", "fair"}, "want printed, lender, idle"},
		{[]string{"-error", "-0.1"}, `"-0.1" is no bound of an error: want numbers from 0 to 1`},
		{[]string{"-error", "1.5"}, "from 0 to 1"},
		{[]string{"-error", "NaN"}, "from 0 to 1"},
		{[]string{"-error", "0,"}, "from 0 to 1"},
		{[]string{"-error", "0.2,0.20"}, "0.20 is there twice"},
		{[]string{"-seed", "-1"}, "not negative"},
		{[]string{"-centres", "0"}, "whole number of centres from 1 to 16"},
		{[]string{"-centres", "17"}, "whole number of centres from 1 to 16"},
		{[]string{"-lend", "0.5"}, "want pairs SHARE:FACTOR"},
		{[]string{"-lend", "0:x"}, "want pairs SHARE:FACTOR"},
		{[]string{"-lend", "0:1,1:2"}, "2 after 1: want a factor that does not rise as more is idle"},
		{[]string{"-lend", "0:1,2:1"}, "2: want a share from 0 to 1"},
		{[]string{"-lend", "0:-1"}, "-1: want a factor from 0"},
		{[]string{"-terms", "24"}, "want pairs HOURS:FACTOR"},
		{[]string{"-terms", "24:1,0:1"}, `"0:1": want pairs HOURS:FACTOR, hours from 1 to 8760`},
		{[]string{"-terms", "24:NaN"}, "factors above 0"},
		{[]string{"-terms", "24:1,48:1,24:0.9"}, "the term of 24 hours comes twice"},
		{[]string{"-terms", "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1"}, "11 terms: want at most 10"},
		{[]string{"-volume", "5"}, "want pairs DOLLARS:DISCOUNT"},
		{[]string{"-volume", "x:0.1"}, "want pairs DOLLARS:DISCOUNT"},
		{[]string{"-volume", "5:1.5"}, "1.5: want a share from 0 to below 1"},
		{[]string{"-volume", "5:0.1,4:0.2"}, "want tiers in the order of their amounts"},
		{[]string{"-volume", "5:0.2,6:0.1"}, "want a larger discount for a larger amount"},
		{[]string{"-schemes", "-coalitions"}, "want one of them"},
		{[]string{"-schemes", "-svg", "a.svg"}, "-svg draws the evaluation"},
		{[]string{"-schemes", "-traces", programtest.Write(t, "broad.swf", "1 0 0 86400 9000000000000\n")}, broad},
		{[]string{"-from", "-1"}, `"-1" is no hour of a log`},
		{[]string{"-from", "1,x"}, `"x" is no hour of a log`},
		{[]string{"-traces", east, "-from", "1,2"}, "-from has 2 hours for 1 log:"},
		{[]string{"-traces", ""}, "names of files, with commas"},
		{[]string{"-traces", east + ","}, "names of files, with commas"},
		{[]string{"-traces", east + "," + east}, "is there twice"},
		{[]string{"-traces", strings.Join(strings.Split("abcdefghijklmnopq", ""), ",")}, "at most 16"},
		{[]string{"-traces", east + "," + other}, `two centres are called "east": name them apart with -prices`},
		{[]string{"-traces", filepath.Join(dir, "none.swf")}, "none.swf: no such file"},
		{[]string{"-traces", dir}, "is a folder"},
		{[]string{"-traces", programtest.Write(t, "bad.swf", eastLog+"10 7300 0 abc 1\n")}, `bad.swf: trace: line 3, column 4 (run time): not a number: "abc"`},
		{[]string{"-traces", programtest.Write(t, "cut.gz", programtest.Gzip(strings.Repeat(eastLog, 9))[:40])}, "cut.gz"},
		{[]string{"-traces", programtest.Write(t, "empty.swf", "")}, "empty.swf: there is no job in it"},
		{[]string{"-traces", east, "-from", "14"}, "no job is submitted in the 600 hours from hour 14 (-from); its first is in hour 0, its last in hour 13"},
		{[]string{"-traces", programtest.Write(t, "long.swf", "1 0 0 9000000000 4\n2 9000000000 0 9000000000 1\n"), "-from", "2499999"}, "0 to 2,000,000"},
		{[]string{"-traces", programtest.Write(t, "wide.swf", "1 0 0 86400 9000000000000\n")}, wide},
		{prices(""), "p.json: line 1: want an array"},
		{prices("{}"), "want an array"},
		{prices("[" + site), "the array does not end"},
		{prices("[" + site + "] x"), "something comes after the array"},
		{prices("[" + site + "," + site + "]"), "has 2 centres: want one for each of the 1"},
		{prices("[]"), "has 0 centres: want one for each of the 1"},
		{prices("[\n\n" + `{"name": "a"}]`), `line 3: centre "a": want name, on_demand`},
		{prices("[" + strings.Replace(site, `"a"`, `""`, 1) + "]"), "a centre has no name"},
		{prices("[" + strings.Replace(site, "latitude", "altitude", 1) + "]"), "altitude"},
		{prices("[" + strings.Replace(site, "12", "0", 1) + "]"), "want prices of instances above 0"},
		{prices("[" + strings.Replace(site, `"traffic": 0`, `"traffic": -1`, 1) + "]"), "a negative price of traffic"},
		{prices("[" + strings.Replace(site, "12", "12000", 1) + "]"), "at most 1000"},
		{prices("[" + strings.Replace(site, "12", "0.0000000001", 1) + "]"), "want nine decimals at most"},
		{prices("[" + strings.Replace(site, `"latitude": 0`, `"latitude": 91`, 1) + "]"), "latitude from -90 to 90"},
		{[]string{"-prices", ""}, "name of a file"},
		{[]string{"-prices", filepath.Join(dir, "none.json")}, "none.json: no such file"},
		{[]string{"-traces", east, "-svg", east}, "the file is that of another flag"},
		{[]string{"-terms", "8761:1"}, "hours from 1 to 8760"},
		{[]string{"-terms", "24:10.1"}, "up to 10"},
		{[]string{"-terms", "24:0"}, "factors above 0"},
		{[]string{"-terms", "x:1"}, "want pairs HOURS:FACTOR"},
		{[]string{"-volume", "5:x"}, "want pairs DOLLARS:DISCOUNT"},
		{[]string{"-from", "2000001"}, "0 to 2,000,000"},
		{[]string{"-coalitions", "-svg", "a.svg"}, "-svg draws the evaluation"},
		{[]string{"-error", "0.1,x"}, `"x" is no bound of an error`},
		{[]string{"-lend", "x:1"}, "want pairs SHARE:FACTOR"},
		{[]string{"-traces", east, "-from", "1,2,3"}, "-from has 3 hours for 1 log:"},
		{prices("[" + strings.Replace(site, `"longitude": 0`, `"longitude": -180.5`, 1) + "]"), "longitude from -180 to 180"},
		{prices("[" + strings.Replace(site, `"on_demand": 1`, `"on_demand": 1000.000000001`, 1) + "]"), "at most 1000"},
		{prices("[" + strings.Replace(site, `"traffic": 0`, `"traffic": 1001`, 1) + "]"), "at most 1000"},
		{prices("[" + strings.Replace(site, `"on_demand": 1`, `"on_demand": 0`, 1) + "]"), "want prices of instances above 0"},
		{prices("[" + strings.Replace(site, `"traffic": 0, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `"on_demand": 1, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `"reservation": 12, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `"latitude": 0, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `, "longitude": 0`, "", 1) + "]"), "want name, on_demand"},
	}
	tested.Mistakes(t, dir, mistakes)
	// Each sentence whole, without the folders of this run.
	if math.MaxInt > math.MaxInt32 {
		all := ""
		for _, c := range mistakes {
			all += regexp.MustCompile(`[^ ,]*TestMistakes[^/]*/\d+(/|\b)`).ReplaceAllString(tested.Mistake(t, c.Want, c.Args...), "") + "\n"
		}
		programtest.Golden(t, "mistakes.txt", all)
	}
	// What is just within the limits is taken.
	for _, args := range [][]string{
		{"-hours", "24", "-lambda", "24"}, {"-hours", "26280", "-lambda", "26280"}, {"-centres", "16"}, {"-error", "0,1"}, {"-from", "0,2000000"}, {"-traces", "a,b", "-from", "1,2"}, {"-traces", "a,b", "-from", "1"},
		{"-traces", "a"}, {"-terms", "8760:10,1:0.001"}, {"-terms", "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1"}, {"-volume", "0:0,5:0.99"}, {"-svg", "a.svg"}, {"-error", "-0"},
	} {
		if o, err := program.Options(args...); err != nil || len(o.errors) > 0 && math.Signbit(o.errors[0]) {
			t.Errorf("%q: %v", args, err)
		}
	}
	most := `{"name": "a", "on_demand": 1000, "reservation": 1000, "traffic": 1000, "latitude": -90, "longitude": 180}`
	o, err := program.Options(prices("[" + most + "]")...)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := o.readPrices(); err != nil || len(got) != 1 || got[0].Traffic != maxPrice {
		t.Errorf("prices at the limits: %+v, %v", got, err)
	}
	tested.Idle(t, "-from changes", "-from", "7", "-reserve", "hgr", "-hours", "24")
	tested.Idle(t, "-centres changes", "-centres", "4", "-traces", east, "-hours", "24", "-reserve", "hgr")
	tested.Idle(t, "-error changes", "-coalitions", "-error", "0", "-hours", "24")
	tested.Idle(t, "-error changes", "-schemes", "-error", "0", "-hours", "24")
	tested.Idle(t, "-share changes", "-schemes", "-share", "free", "-hours", "24")
	tested.Idle(t, "-terms changes", "-coalitions", "-terms", "24:1", "-hours", "24")
	tested.Idle(t, "-volume changes", "-reserve", "hgr", "-volume", "1:0.1", "-hours", "24")
	tested.Idle(t, "-lambda changes", "-lambda", "7", "-reserve", "hgr", "-hours", "24")
	tested.Idle(t, "", "-lambda", "7", "-reserve", "rho-full", "-hours", "24")
}

// JSON is an array of objects that each have a kind.
func TestJSON(t *testing.T) {
	stdout, _ := tested.Must(t, "-json", "-hours", "48", "-reserve", "hgr,rho-full")
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	kinds := map[any]int{}
	for _, r := range rows {
		kinds[r["kind"]]++
		for key, v := range r {
			switch v.(type) {
			case []any, map[string]any:
				t.Errorf("%s is not flat: %v", key, v)
			}
		}
	}
	// HGR and rho with three bounds, and rho with every lambda from 1 to 48 but 13: each
	// has four rows and six paths.
	if n := 3 + 3 + 47; kinds["plan"] != 4*n || kinds["path"] != 6*n || kinds["finding"] == 0 || kinds["check"] != 0 {
		t.Errorf("%v, want %d plans and %d paths", kinds, 4*n, 6*n)
	}
}

func BenchmarkShare(b *testing.B) {
	centres := paperCentres(b)
	var plans []*plan
	for _, c := range centres {
		p, err := c.plan(planOptions{planner: hgr})
		if err != nil {
			b.Fatal(err)
		}
		plans = append(plans, p)
	}
	list := tasks(centres)
	var s sharer
	for b.Loop() {
		if _, err := s.share(centres, plans, nil, list, &readings[0]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(list)), "tasks")
}

// What is idle is lent once, where it is dearest to rent.
func TestReach(t *testing.T) {
	r := &results{o: &options{hours: 1}, byPrice: []int{1, 0, 2}}
	x := &outcome{}
	for _, c := range []struct {
		price          pricing.Money
		demand, active int
	}{{3, 2, 0}, {5, 2, 0}, {1, 1, 4}} {
		r.centres = append(r.centres, &centre{site: site{OnDemand: c.price}, demand: []int{c.demand}})
		x.plans = append(x.plans, &plan{active: []int{c.active}})
	}
	if saved, hours := r.reach(x); saved != 2*5+3 || hours != 3 {
		t.Errorf("%v for %d hours, want 13 for 3", saved, hours)
	}
}

// Names that are alike when cut are told apart.
func TestShortNames(t *testing.T) {
	names := func(list ...string) []string {
		r := new(results)
		for _, name := range list {
			r.centres = append(r.centres, &centre{site: site{Name: name}})
		}
		return r.shortNames()
	}
	if got := names("UniLu-Gaia-2014-1", "SDSC"); got[0] == got[1] || got[1] != "SDSC" {
		t.Errorf("%q", got)
	}
	if got := names("a long name, the first", "a long name, the second"); got[0] == got[1] || !strings.HasPrefix(got[1], "2 a long") {
		t.Errorf("%q", got)
	}
}
