package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/pricing"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/portfolio -update.
var tested = programtest.Program{Name: "portfolio", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func first(a, _ string) string { return a }

// setClock has every decision take as long.
func setClock(t *testing.T, d time.Duration) {
	t.Helper()
	since = func(time.Time) time.Duration { return d }
	t.Cleanup(func() { since = time.Since })
}

func TestGolden(t *testing.T) {
	setClock(t, 1234567*time.Nanosecond)
	picture := filepath.Join(t.TempDir(), "out.svg")
	stdout, stderr := tested.Must(t, "-svg", picture)
	text := programtest.Read(t, picture)
	programtest.WellFormed(t, text)
	for _, part := range []string{"made-up: online, cost 1.0", "made-up: hindsight", "Purchases", "3y-heavy, active", "planned for"} {
		if !strings.Contains(text, part) {
			t.Errorf("the picture does not say %q", part)
		}
	}
	programtest.Golden(t, "default.txt", stdout)
	programtest.Golden(t, "default-notes.txt", stderr)
	programtest.Narrow(t, stdout, 80)
	// Two kinds, one of them with a series that is lost to a portfolio of fewer classes.
	stdout, _ = tested.Must(t, smallFiles(t)...)
	programtest.Golden(t, "several.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	each, _ := tested.Must(t, append(smallFiles(t), "-each")...)
	for _, want := range []string{"\na\n\n", "\nflat\n\n"} {
		if !strings.Contains(each, want) || strings.Contains(stdout, want) && want != "\nflat\n\n" {
			t.Errorf("-each makes no difference for %q", want)
		}
	}
}

func TestHelp(t *testing.T) {
	tested.Help(t, program.FlagNames(), forecast.Names()...)
	// What -h says of defaults is so.
	weeks := "n\n"
	for w := range 70 {
		weeks += fmt.Sprintln(10 + w*7%13 + w/9)
	}
	args := []string{"-json", "-slot", "168h", "-demand", programtest.Write(t, "d.csv", weeks)}
	plain, _ := tested.Must(t, args...)
	again, _ := tested.Must(t, append(args, "-planner", "exact", "-model", "simple", "-alpha", "0.05", "-fit", "0", "-quantile", "0.4", "-window", "52", "-premium", "0")...)
	if !cmp.Equal(decode(t, plain), decode(t, again), cmp.FilterPath(timed, cmp.Ignore())) {
		t.Error("the defaults given make a difference")
	}
}

func timed(p cmp.Path) bool {
	name := p.Last().String()
	return name == ".Mean" || name == ".Max"
}

type record struct {
	Series, Source, Algo, Class string
	Weeks                       int
	Cost                        json.Number
	Ratio, Saving, Gap          *float64
	Bought                      *int
	Reserved                    *float64 `json:"reserved_hours"`
	Idle                        *float64
	OnDemand                    *float64 `json:"on_demand"`
	FirstWeek                   *int     `json:"first_week"`
	Decisions                   *int
	Mean                        *float64 `json:"mean_s"`
	Max                         *float64 `json:"max_s"`
	Purchases                   []struct {
		Week, Count int
		Class       string
	}
}

func (r record) cost(t *testing.T) float64 {
	t.Helper()
	x, err := r.Cost.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func decode(t *testing.T, stdout string) []record {
	t.Helper()
	return programtest.Rows[record](t, stdout)
}

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

// smallFiles are the flags for a demand that drops, one that does not, and series.
func smallFiles(t *testing.T) []string {
	drop, flat := "n\n", "n\n"
	for w := range 30 {
		n := 20
		if w >= 3 && w < 20 {
			n = 2
		}
		drop += fmt.Sprintln(n)
		flat += "10\n"
	}
	return []string{"-slot", "168h", "-demand", programtest.Write(t, "drop.csv", drop), "-demand", programtest.Write(t, "flat.csv.gz", programtest.Gzip(flat)),
		"-series", programtest.Write(t, "s.csv", "name\na,1,2,3,4,5,6,7,8,9\nb,9,9,9,9\nzero,0,0,0\n"), "-classes", programtest.Write(t, "c.json", twoTerms)}
}

// By hand. Hindsight has one reservation in every week, $125 each by pure cost. The online
// portfolio sees a week, $336, and then buys for the four that are left, $500. In total
// cost hindsight does the same, since a second reservation for one week is dear.
func TestJSON(t *testing.T) {
	setClock(t, 2*time.Millisecond)
	classes := programtest.Write(t, "c.json", smallClasses)
	want := `[
  {"series":"d","source":"demand","weeks":5,"algo":"hindsight","cost":625,"ratio":1,"saving":0.627976190,"gap":0,"bought":2,"reserved_hours":840,"idle":0,"on_demand":0,"first_week":0,"purchases":[{"week":0,"class":"four","count":1},{"week":4,"class":"four","count":1}]},
  {"series":"d","source":"demand","weeks":5,"algo":"eq5","cost":625,"ratio":1,"saving":0.627976190},
  {"series":"d","source":"demand","weeks":5,"algo":"greedy","cost":625,"ratio":1,"saving":0.627976190,"bought":2,"reserved_hours":840,"idle":0,"on_demand":0,"first_week":0,"purchases":[{"week":0,"class":"four","count":1},{"week":4,"class":"four","count":1}]},
  {"series":"d","source":"demand","weeks":5,"algo":"online","cost":836,"ratio":1.3376,"saving":0.502380952,"bought":1,"reserved_hours":672,"idle":0,"on_demand":0.2,"first_week":1,"decisions":4,"mean_s":0.002,"max_s":0.002,"purchases":[{"week":1,"class":"four","count":1}]},
  {"series":"d","source":"demand","weeks":5,"algo":"online-od-only","cost":1680,"ratio":2.688,"saving":0,"bought":0,"reserved_hours":0,"idle":0,"on_demand":1}
]
`
	want = strings.ReplaceAll(want, "0.627976190", "0.62797619")
	for _, text := range []string{smallDemand, programtest.Gzip(smallDemand)} {
		got, _ := tested.Must(t, "-demand", programtest.Write(t, "d.csv", text), "-slot", "168h", "-classes", classes, "-json")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, r := range decode(t, first(tested.Must(t, "-demand", programtest.Write(t, "d.csv", smallDemand), "-slot", "168h", "-classes", classes, "-json", "-total"))) {
		want := map[string]json.Number{"hindsight": "836", "online": "836", "online-od-only": "1680"}[r.Algo]
		if want != "" && r.Cost != want {
			t.Errorf("-total: %+v, want %s", r, want)
		}
	}
	// The same with slots of a day, the last one of which is missing: 34 of 35 days are used.
	days := decode(t, first(tested.Must(t, "-demand", programtest.Write(t, "d.csv", "n\n"+strings.Repeat("1\n", 34)), "-slot", "24h", "-classes", classes, "-json")))
	if r := days[3]; r.Algo != "online" || r.Cost != "836" || r.Weeks != 5 || *r.Decisions != 4 || *r.Reserved != 672 || *r.Idle != .035714286 {
		t.Errorf("%+v", r)
	}
	if text, _ := tested.Must(t, "-demand", programtest.Write(t, "d.csv", smallDemand), "-slot", "168h", "-classes", classes); !strings.Contains(text, "What online buys:") || strings.Contains(text, "more purchase") {
		t.Errorf("of a single purchase more are said to be left:\n%s", text)
	}
	// Twice the same demand: the portfolio beats on demand only for both.
	if text, _ := tested.Must(t, "-demand", programtest.Write(t, "d.csv", smallDemand), "-demand", programtest.Write(t, "e.csv", smallDemand), "-slot", "168h", "-classes", classes); !strings.Contains(text, "online beats online-od-only by 50.2% in total, and for each of the 2 demands.") {
		t.Error(text)
	}
	// And as a series, each of whose values is one of the largest; 3 and 5 slots a week.
	for _, term := range []string{"672h", "560h", "504h"} {
		rows := decode(t, first(tested.Must(t, "-series", programtest.Write(t, "s.csv", "name\nx,3,3,3,3,3\n"), "-scale", "1", "-json",
			"-classes", programtest.Write(t, "c.json", strings.Replace(smallClasses, "672h", term, 1)))))
		if r := rows[4]; r.Series != "x" || r.Source != "series" || r.Cost != "1680" {
			t.Errorf("%+v", r)
		}
	}
}

// By hand: the optimum of this problem is 12, and its linear program's 11.5, as in the tests
// of examples/tools/plan; prices
// are for weeks here.
func TestGap(t *testing.T) {
	args := []string{"-demand", programtest.Write(t, "d.csv", "n\n0\n1\n1\n1\n"), "-slot", "168h", "-total", "-classes", programtest.Write(t, "c.json", `{"on_demand": 7.01, "classes": [
  {"name": "two", "term": "336h", "upfront": 1176, "hourly": 0, "billed": "always"},
  {"name": "four", "term": "672h", "upfront": 504, "hourly": 3, "billed": "when-used"}]}`)}
	got := decode(t, first(tested.Must(t, append(args, "-json")...)))
	if got[0].Cost != "2016" || *got[0].Gap != .043478261 {
		t.Errorf("%+v, want a cost of 2016 = 12·168 and a gap of 1/23", got[0])
	}
	g := &group{series: []*series{{name: "a"}, {name: "b"}, {name: "c"}}, unsure: []float64{math.Inf(1), 0, .25}}
	if text := g.doubt(); !strings.HasSuffix(text, "above that by at most: a all of its cost, c 25.0%.") {
		t.Error(text)
	}
	text, _ := tested.Must(t, args...)
	if !strings.Contains(text, "\nCost is all that is spent. Saving is over on demand.\n") {
		t.Error(text)
	}
	if !strings.Contains(text, "Hindsight is the best plan found, and not proved to be the optimum; it is above\n  that by at most: d 4.3%.") {
		t.Error(text)
	}
}

func TestPercent(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0%", .5: "50.0%", .0005: "0.1%", .00049: "0.05%", .0000042: "0.0004%", -.00001: "-0.001%", 1e-12: "less than 0.000001%"} {
		if got := percent(x); got != want {
			t.Errorf("percent(%v) = %s, want %s", x, got, want)
		}
	}
}

// Costs of nothing: no number is divided by 0, and none is printed.
func TestZero(t *testing.T) {
	for _, args := range [][]string{
		{"-demand", programtest.Write(t, "d.csv", "n\n0\n0\n0\n"), "-slot", "168h"},
		{"-series", programtest.Write(t, "s.csv", "name\nx,0,0,0\n")},
	} {
		for _, r := range decode(t, first(tested.Must(t, append(args, "-json")...))) {
			if r.Cost != "0" || r.Ratio != nil || r.Saving != nil || len(r.Purchases) != 0 {
				t.Errorf("portfolio %q: %+v", args, r)
			}
		}
		text, stderr := tested.Must(t, args...)
		if !strings.Contains(text, "\nonline buys nothing.\n") || strings.Contains(text, "What online buys") || strings.Contains(stderr, ", all of it 0,\n") != (args[0] == "-series") {
			t.Error(stderr, text)
		}
		tested.SVG(t, args)
	}
	// A class that is free, where on demand is not: hindsight costs nothing.
	free := programtest.Write(t, "free.json", strings.Replace(smallClasses, "500", "0", 1))
	args := []string{"-demand", programtest.Write(t, "d.csv", smallDemand), "-slot", "168h", "-classes", free}
	for _, r := range decode(t, first(tested.Must(t, append(args, "-json")...))) {
		if r.Ratio != nil || r.Saving == nil {
			t.Errorf("%+v", r)
		}
	}
	tested.Must(t, args...)
}

// The risk controls do what they say.
func TestControls(t *testing.T) {
	args := append(smallFiles(t), "-json")
	online := func(more ...string) (rows []record) {
		for _, r := range decode(t, first(tested.Must(t, append(args, more...)...))) {
			if r.Algo == "online" && r.Source == "demand" {
				rows = append(rows, r)
			}
		}
		return rows
	}
	plain := online()
	most := func(rows []record) (n int) {
		for _, r := range rows {
			for _, p := range r.Purchases {
				n = max(n, p.Count)
			}
		}
		return n
	}
	if n := most(plain); n < 5 {
		t.Fatalf("%d bought at most", n)
	}
	if n := most(online("-ladder", "3")); n != 3 {
		t.Errorf("-ladder 3: %d bought at once", n)
	}
	for _, r := range online("-cap", "twelve=4") {
		for _, p := range r.Purchases {
			if p.Class == "twelve" && p.Count > 4 {
				t.Errorf("-cap: %+v", r)
			}
		}
	}
	for _, r := range online("-premium", "9") {
		for _, p := range r.Purchases {
			if p.Class == "twelve" {
				t.Errorf("-premium: %+v", r)
			}
		}
	}
	if rows := online("-alarm", "0.5"); cmp.Equal(rows, plain, cmp.FilterPath(timed, cmp.Ignore())) {
		t.Error("-alarm makes no difference")
	}
	if a, b := online("-quantile", "0.1"), online("-quantile", "0.9"); *a[0].Bought >= *b[0].Bought {
		t.Errorf("%d bought for a low quantile, %d for a high one", *a[0].Bought, *b[0].Bought)
	}
	for _, more := range [][]string{{"-planner", "greedy"}, {"-window", "2"}, {"-alpha", "0.9"}, {"-fit", "5"}, {"-model", "naive"}} {
		online(more...)
	}
	for _, name := range forecast.Names() {
		for _, fit := range []string{"0", "4"} {
			if rows := online("-model", name, "-fit", fit); *rows[1].Bought == 0 { // flat
				t.Errorf("-model %s: nothing is bought for a constant demand", name)
			}
		}
	}
}

// Costs of ledgers sum to pure costs, and hours to hours.
func TestLedger(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	for range 200 {
		in := &input{list: pricing.List{OnDemand: pricing.Money(1000 * (1 + random.Int64N(1000)))}}
		s := &series{slot: 24 * time.Hour, every: 7, weeks: 1 + random.IntN(6)}
		sum := 0
		for range s.weeks * s.every {
			s.demand = append(s.demand, random.IntN(9))
			sum += s.demand[len(s.demand)-1]
		}
		for k := range random.IntN(4) {
			in.list.Classes = append(in.list.Classes, pricing.Class{
				Name: fmt.Sprint(k), Term: s.slot * time.Duration(1+random.IntN(30)), Upfront: pricing.Money(random.Int64N(3_000_000)),
				Hourly: pricing.Money(1000 * random.Int64N(200)), Billed: pricing.Billing(random.IntN(2)),
			})
		}
		x := make([]outcome, ofOnline)
		if _, err := in.know(s, x); err != nil {
			t.Fatal(err)
		}
		for _, o := range []outcome{x[ofHindsight], x[ofGreedy], x[ofNothing]} {
			total := o.ledger.total()
			if got, want := total.cost(), o.cost.Float64(); math.Abs(got-want) > 1e-6*(1+want) {
				t.Errorf("%v: a ledger of %v for a cost of %v", in.list, got, want)
			}
			if got, want := total.demand, 24*float64(sum); math.Abs(got-want) > 1e-6 {
				t.Errorf("%v hours of demand, want %v", got, want)
			}
			active := 0.
			for k := range in.list.Classes {
				active += o.ledger.mean(k, 0, s.weeks) * float64(s.weeks) * week.Hours()
			}
			if math.Abs(active-total.reserved) > 1e-6*(1+active) || total.used > total.reserved+1e-6 {
				t.Errorf("%v active hours, %+v", active, total)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	// costs on demand, and reservations, of each week
	of := func(rent, reserved string) *ledger {
		l := &ledger{}
		for i := range rent {
			l.weeks = append(l.weeks, account{rent: float64(rent[i] - '0'), reserved: float64(reserved[i] - '0')})
		}
		return l
	}
	for _, c := range []struct {
		mine, theirs, best *ledger
		from, to           int
		cause              string
	}{
		{of("01310", "22222"), of("00100", "00000"), of("00000", "11111"), 1, 4, overBought},
		{of("19119", "00000"), of("29020", "00000"), of("00000", "11111"), 4, 5, underBought},
		{of("99000", "00122"), of("11000", "00000"), of("00000", "11000"), 0, 2, underBought},
		{of("99000", "01122"), of("11000", "00000"), of("00000", "11000"), 0, 2, late},
		{of("99000", "12222"), of("11000", "00000"), of("00000", "21222"), 0, 2, otherClasses},
		{of("90900", "00000"), of("08000", "00000"), of("00000", "00000"), 0, 3, otherClasses},
		{of("00", "00"), of("11", "00"), of("00", "00"), 0, 0, ""},
		// Ten (:) and nine are a tenth apart, and alike.
		{of("9", ":"), of("0", "0"), of("0", "9"), 0, 1, otherClasses},
		{of("9", "9"), of("0", "0"), of("0", ":"), 0, 1, otherClasses},
		{of("9", "8"), of("0", "0"), of("0", "9"), 0, 1, underBought},
		{of("9", "9"), of("0", "0"), of("0", "8"), 0, 1, overBought},
		{of("99", "09"), of("00", "00"), of("00", "::"), 0, 2, late},
	} {
		got := explain(c.mine, c.theirs, c.best)
		if got.from != c.from || got.to != c.to || got.cause != c.cause {
			t.Errorf("%+v, want weeks %d to %d, %s", got, c.from, c.to, c.cause)
		}
	}
}

// The ways in which a portfolio compares with another.
func TestCompared(t *testing.T) {
	for _, c := range []struct {
		mine, theirs pricing.Money
		want         string
	}{
		{5, 5, "online costs what x does"}, {0, 0, "online costs what x does"}, {3, 4, "online beats x by 25.0%"}, {5, 4, "online loses to x by 25.0%"}, {5, 0, "online loses to x, which costs nothing"},
	} {
		if got := compared(c.mine*pricing.Unit, c.theirs*pricing.Unit, "x"); got != c.want {
			t.Errorf("%v and %v: %q, want %q", c.mine, c.theirs, got, c.want)
		}
	}
}

// The list of models in -h has all names, in lines of 60 characters, parted by commas.
func TestUsageListsModels(t *testing.T) {
	text := usage()
	list := strings.Join(forecast.Names(), ", ")
	if !strings.Contains(strings.Join(strings.Fields(text), " "), list) {
		t.Errorf("-h does not list %s:\n%s", list, text)
	}
	for line := range strings.Lines(text) {
		if names := strings.TrimSpace(line); strings.HasPrefix(names, "naive,") && (len(names) > 61 || len(names) < 45) || strings.HasSuffix(line, " \n") {
			t.Errorf("a line of %d characters: %q", len(names), line)
		}
	}
}

func TestTermNames(t *testing.T) {
	var terms []time.Duration
	for _, s := range []string{"1h", "36h", "168h", "720h", "8736h", "8760h", "17520h", "26208h", "90m", "9000h", "25h", "35390h24m", "35390h25m"} {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		terms = append(terms, d)
	}
	want := []string{"1h", "36h", "7d", "30d", "8736h", "8760h", "2y", "3y", "1h30m", "375d", "25h", "4y", "35390h25m"}
	if diff := cmp.Diff(want, termNames(terms)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPortfolios(t *testing.T) {
	const day = 24 * time.Hour
	class := func(name string, term time.Duration) pricing.Class { return pricing.Class{Name: name, Term: term} }
	for _, c := range []struct {
		classes []pricing.Class
		want    string
	}{
		{nil, "[{online [] false}]"},
		{[]pricing.Class{class("a", day)}, "[{online [0] false}]"},
		{[]pricing.Class{class("a", 364*day), class("b", 364*day)}, "[{online [0 1] false} {online-1y-only [0] true} {online-1y-only [1] true}]"},
		{[]pricing.Class{class("a", 2*day), class("b", day)}, "[{online [0 1] false} {online-1d-only [1] true} {online-2d-only [0] true}]"},
		{[]pricing.Class{class("a", 2*day), class("b", day), class("c", 2*day)},
			"[{online [0 1 2] false} {online-1d-only [1] true} {online-2d-only [0] true} {online-2d-only [2] true} {online-2d-classes [0 2] false}]"},
	} {
		if got := fmt.Sprint(portfolios(pricing.List{Classes: c.classes})); got != c.want {
			t.Errorf("%v: %s, want %s", c.classes, got, c.want)
		}
	}
}

// A log of jobs: one instance for 13.5 days, two for another, a day after the log's start.
const smallLog = `; UnixStartTime: 0
1 86400 -1 1166400 16 -1 -1 16 1166400 -1 1 1 -1 -1 1 -1 -1 -1
2 90000 -1 1166400 32 -1 -1 32 1166400 -1 1 1 -1 -1 1 -1 -1 -1
`

func TestTrace(t *testing.T) {
	args := []string{"-trace", programtest.Write(t, "small.swf", smallLog), "-json"}
	stdout, stderr := tested.Must(t, args...)
	rows := decode(t, stdout)
	if rows[0].Series != "small" || rows[0].Source != "trace" || rows[0].Weeks != 2 {
		t.Errorf("%+v", rows[0])
	}
	for _, want := range []string{"small: 2 weeks, 2 jobs, without the 24 hours before the first,", "slots without demand at the end"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the notes do not say %q: %s", want, stderr)
		}
	}
	half := decode(t, first(tested.Must(t, append(args, "-cores-per-node", "8")...)))
	if a, b := rows[4].cost(t), half[4].cost(t); rows[4].Algo != odOnly || b < 1.9*a {
		t.Errorf("on demand %v, and %v with instances of half the size", a, b)
	}
	// Names that are the same are told apart by their folders, and sources by totals.
	other := programtest.Write(t, "small.swf.gz", programtest.Gzip(smallLog))
	text, _ := tested.Must(t, "-trace", args[1], "-trace", other, "-demand", programtest.Write(t, "small.csv", "n\n"+strings.Repeat("1\n", 400)))
	for _, want := range []string{"\nTotal of 2 logs\n", "\n2 logs ", "\nsmall "} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Total of 1 ") || strings.Count(text, "\nalgorithm ") != 2 {
		t.Errorf("a total of one series, or not one table for the logs and one for the demand:\n%s", text)
	}
	o, err := program.Options("-trace", args[1], "-trace", other)
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.read(cli.Quiet(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := in.series[0].name, in.series[1].name; a != "small" || b != other {
		t.Errorf("logs of one name are called %q and %q", a, b)
	}
	// A log that begins with a job.
	if _, stderr := tested.Must(t, "-trace", programtest.Write(t, "now.swf", strings.Replace(smallLog, " 86400 ", " 0 ", 1)), "-json"); !strings.Contains(stderr, "2 jobs,\n") {
		t.Errorf("the note of a log that begins with a job: %s", stderr)
	}
}

// Why a portfolio loses, by hand: most of it in a single week, the other's purchases in the sixth or never.
func TestWhy(t *testing.T) {
	accounts := func(rent, reserved string) *ledger {
		l := &ledger{}
		for i := range rent {
			l.weeks = append(l.weeks, account{rent: float64(rent[i] - '0'), reserved: float64(reserved[i] - '0')})
		}
		return l
	}
	mine := &outcome{cost: 39 * pricing.Unit, ledger: accounts("19119", "00000")}
	theirs := &outcome{cost: 13 * pricing.Unit, ledger: accounts("29020", "00000"), purchases: []pricing.Purchase{{Slot: 35, Class: 0, Count: 2}}}
	best := &outcome{ledger: accounts("00000", "11111")}
	// $39 and $13, of which the weeks' accounts have $21 and $13.
	g := &group{series: []*series{{name: "x", every: 7, weeks: 5}}, rows: []row{{algo: hindsight, outcomes: []*outcome{best}}, {algo: online, outcomes: []*outcome{mine}}, {algo: "other", outcomes: []*outcome{theirs}}}}
	got := g.why(0, g.row("other"), &input{})
	for _, want := range []string{"- it loses by 200.0%, 26. Most is lost in week 4, 9: fees +0, use +0, on demand +9. ", "It had under-bought: it first buys never, the other in week 5."} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if got := g.why(0, &row{outcomes: []*outcome{{cost: 0, ledger: theirs.ledger}}}, &input{}); !strings.HasPrefix(got, "- it loses by all it costs, 39. ") {
		t.Errorf("beside what costs nothing: %s", got)
	}
	if got := g.why(0, g.row("other"), &input{total: true}); !strings.Contains(got, "200.0%, 26. Of that, 18 is for what is left of terms at the end. Most") {
		t.Errorf("of all that is spent: %s", got)
	}
	fees := &outcome{cost: 19 * pricing.Unit, ledger: &ledger{weeks: []account{{rent: 9, fees: 7, use: 3}, {}, {}, {}, {}}}}
	g.rows[1].outcomes[0] = fees
	if got := g.why(0, &row{outcomes: []*outcome{{cost: 4 * pricing.Unit, ledger: &ledger{weeks: []account{{rent: 1, fees: 2, use: 1}, {}, {}, {}, {}}}}}}, &input{}); !strings.Contains(got, "by 375.0%, 15. Most is lost in week 0, 15: fees +5, use +2, on demand +8. ") {
		t.Errorf("of fees, use and rent: %s", got)
	}
	g.rows[1].outcomes[0] = mine
	// Where the other is dearer in each week, nothing more is said.
	even := &outcome{cost: 38 * pricing.Unit, ledger: accounts("99999", "00000")}
	if got := g.why(0, &row{outcomes: []*outcome{even}}, &input{}); got != "- it loses by 2.6%, 1." {
		t.Errorf("where no week is lost: %q", got)
	}
	mine.ledger, theirs.ledger = accounts("90900", "00000"), accounts("08000", "00000")
	best.ledger = accounts("00000", "00000")
	if got := g.why(0, g.row("other"), &input{}); !strings.HasSuffix(got, "It had as many as hindsight, of other classes.") {
		t.Error(got)
	}
	mine.ledger, theirs.ledger = accounts("99000", "01122"), accounts("11000", "00000")
	best.ledger = accounts("00000", "11000")
	if got := g.why(0, g.row("other"), &input{}); !strings.Contains(got, "Most is lost in weeks 0 to 1, ") || !strings.Contains(got, "It was late: ") {
		t.Error(got)
	}
}

// Of the single classes the cheapest is taken, and of equals the first.
func TestCheapestClass(t *testing.T) {
	list := []portfolio{{algo: online}, {algo: "only", classes: []int{0}, only: true}, {algo: "only", classes: []int{1}, only: true}, {algo: "only", classes: []int{2}, only: true}}
	for costs, want := range map[[3]pricing.Money]int{{5, 5, 5}: 0, {5, 4, 4}: 1, {5, 6, 3}: 2} {
		outcomes := make([]outcome, ofOnline+len(list))
		for k, c := range costs {
			outcomes[ofOnline+1+k].cost = c
		}
		g := &group{series: make([]*series, 1)}
		if err := g.fill(list, [][]outcome{outcomes}); err != nil {
			t.Fatal(err)
		}
		outcomes[ofOnline+1].cost = math.MaxInt64
		two := &group{series: make([]*series, 2)}
		if err := two.fill(list, [][]outcome{outcomes, outcomes}); err == nil || !strings.Contains(err.Error(), "the total cost of only does not fit") {
			t.Errorf("a total beyond all money: %v", err)
		}
		if r := g.rows[len(g.rows)-1]; r.class != want || r.cost != costs[want] || len(g.rows) != 6 {
			t.Errorf("%v: class %d for %v of %d rows", costs, r.class, r.cost, len(g.rows))
		}
	}
}

// The curves of a picture are the mean of each week and what suffices for 95% of its slots; where a slot is a week they are one.
func TestCurves(t *testing.T) {
	for every, want := range map[int][]svgplot.Curve{
		21: {{Name: "demand, mean of the week", Span: week, Values: []float64{11, 11}}, {Name: "demand, 95% of the week", Kind: svgplot.Extreme, Span: week, Values: []float64{20, 20}}},
		1:  {{Name: "demand", Span: week, Values: []float64{1, 9}}},
	} {
		s := &series{name: "x", slot: week / time.Duration(every), every: every, weeks: 2}
		for i := range 2 * every {
			s.demand = append(s.demand, 1+8*i%21)
		}
		x := []*outcome{{ledger: &ledger{}}}
		g := &group{series: []*series{s}, rows: []row{{algo: hindsight, outcomes: x}, {algo: greedy, outcomes: x}}}
		if diff := cmp.Diff(want, newPicture(&input{}, g, 0, greedy).Curves, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })); diff != "" {
			t.Errorf("%d slots a week (-want +got):\n%s", every, diff)
		}
		g.rows = append(g.rows, row{algo: online, outcomes: []*outcome{{cost: 3 * pricing.Unit, ledger: &ledger{}}}})
		for algo, want := range map[string]string{greedy: "x: greedy", hindsight: "x: hindsight", online: "x: online, cost 1.500 of hindsight's"} {
			if algo == online {
				x[0].cost = 2 * pricing.Unit
			} else {
				x[0].cost = 0
			}
			if got := newPicture(&input{}, g, 0, algo).Title; got != want {
				t.Errorf("%s is called %q, want %q", algo, got, want)
			}
		}
	}
}

// The layers of a picture are sums from below, the lowest price of use first, of whole
// reservations.
func TestLayers(t *testing.T) {
	in := &input{list: pricing.List{Classes: []pricing.Class{
		{Name: "light", Hourly: pricing.Unit, Billed: pricing.WhenUsed}, {Name: "none", Hourly: 1, Billed: pricing.Always}, {Name: "heavy", Hourly: 2, Billed: pricing.Always}}}}
	s := &series{name: "x", slot: week, every: 1, weeks: 3, demand: []int{1, 2, 3}}
	x := []*outcome{{ledger: &ledger{active: [][]float64{{0, 3, 3}, {0, 0, 0}, {2, 1.4, 1.6}}}}}
	g := &group{series: []*series{s}, rows: []row{{algo: hindsight, outcomes: x}}}
	want := []svgplot.Layer{
		{Name: "none", Class: 1, Points: []steps.Point{{}}},
		{Name: "heavy", Class: 2, Points: steps.AppendSpans(nil, []int{2, 1, 2}, week)},
		{Name: "light", Class: 0, Points: steps.AppendSpans(nil, []int{2, 4, 5}, week)},
	}
	p := newPicture(in, g, 0, hindsight)
	if diff := cmp.Diff(want, p.Layers); diff != "" || p.To != 3*week {
		t.Errorf("to %v (-want +got):\n%s", p.To, diff)
	}
}

// A table of the weekly series, and how they are chosen.
func TestLongest(t *testing.T) {
	series := programtest.Write(t, "s.csv", "name\na,1,2,3\nb,1,2,3,4,4,4\nc,1,2\nd,5,6,7,8\ne,1,2,3,4\n")
	var names []string
	for _, r := range decode(t, first(tested.Must(t, "-series", series, "-longest", "3", "-json"))) {
		if r.Algo == online {
			names = append(names, r.Series)
		}
	}
	if diff := cmp.Diff([]string{"b", "d", "e"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A number that leaves all of them leaves them as they are.
	o, err := program.Options("-series", series, "-longest", "5")
	if err != nil {
		t.Fatal(err)
	}
	if in, err := o.read(cli.Quiet(), 2); err != nil || len(in.series) != 5 || in.series[0].name != "a" {
		t.Errorf("-longest 5: %v", err)
	}
	_, stderr := tested.Must(t, "-series", series)
	if !strings.Contains(stderr, "b: 6 weeks, scaled by 300 / 4,\n  at most 300 instances") {
		t.Error(stderr)
	}
}

// Series of one name are told apart by their files, and by numbers where these are the same.
// An only has the name of its class.
func TestNames(t *testing.T) {
	const text = "name\nx,1,2,3\ny,1,2,3\n"
	a, b := programtest.Write(t, "a.csv", text), programtest.Write(t, "b.csv", text)
	var names, classes []string
	for _, r := range decode(t, first(tested.Must(t, "-series", a, "-series", b, "-classes", programtest.Write(t, "c.json", twoTerms), "-json"))) {
		if r.Algo == online {
			names = append(names, r.Series)
		}
		if r.Series == "x" {
			classes = append(classes, r.Algo+" "+r.Class)
		}
	}
	if diff := cmp.Diff([]string{"x", "y", b, b + " (2)"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{"hindsight ", "eq5 ", "greedy ", "online ", "online-od-only ", "online-28d-only four", "online-84d-only twelve"}
	if diff := cmp.Diff(want, classes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Someone at a terminal is told which of the decisions of all portfolios is made.
func TestProgress(t *testing.T) {
	o, err := program.Options("-demand", programtest.Write(t, "d.csv", smallDemand), "-slot", "168h", "-classes", programtest.Write(t, "c.json", twoTerms))
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.read(cli.Quiet(), 2)
	if err != nil {
		t.Fatal(err)
	}
	run, screen := cli.Quiet(), new(slowScreen)
	run.Line = progress.On(screen, 80)
	if _, err := o.solve(in, run); err != nil {
		t.Fatal(err)
	}
	// Three portfolios decide at the ends of four weeks each.
	if got := screen.String(); !regexp.MustCompile(`deciding: ([1-9]|1[0-2]) of 12 weeks, d`).MatchString(got) {
		t.Errorf("the progress is %q", got)
	}
}

// A slowScreen takes as long over its first text as must pass until the next is shown.
type slowScreen struct{ strings.Builder }

func (s *slowScreen) Write(p []byte) (int, error) {
	if s.Len() == 0 {
		time.Sleep(101 * time.Millisecond)
	}
	return s.Builder.Write(p)
}

func TestSVG(t *testing.T) {
	for _, c := range []struct {
		args []string
		says []string
	}{
		{smallFiles(t), []string{"drop: online", "flat: online", "zero: online", "twelve, active"}},
		{[]string{"-demand", programtest.Write(t, "a<b>&c.csv", smallDemand), "-slot", "168h", "-classes",
			programtest.Write(t, "c.json", strings.Replace(smallClasses, "four", `x<\u0001`, 1))}, []string{"a&lt;b&gt;&amp;c: online", "x&lt;?, active"}},
	} {
		tested.SVG(t, c.args, append(c.says, "time since the start of the demand (", "instances")...)
	}
}

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string { return programtest.Write(t, name, text) }
	demand := func(text string) []string { return []string{"-demand", file("d.csv", text), "-slot", "168h"} }
	series := func(text string) []string { return []string{"-series", file("s.csv", text)} }
	log := func(text string) []string { return []string{"-trace", file("log.swf", text)} }
	classes := func(text string) []string {
		return []string{"-classes", file("c.json", text), "-demand", file("d.csv", smallDemand), "-slot", "168h"}
	}
	replaced := func(old, new string) []string { return classes(strings.Replace(smallClasses, old, new, 1)) }
	out := filepath.Join(dir, "out.svg")
	keep := programtest.WriteIn(t, dir, "keep.csv", smallDemand)
	tested.Frame(t, "svg")
	tested.Mistakes(t, dir, []programtest.Wrong{
		{[]string{"-planner", "best"}, "want exact or greedy"},
		{[]string{"-model", "oracle"}, "want one of naive, drift, simple"},
		{[]string{"-slot", "0"}, "of which a week has a whole number"},
		{[]string{"-slot", "5h"}, "of which a week has a whole number"},
		{[]string{"-slot", "336h"}, "of which a week has a whole number"},
		{[]string{"-quantile", "0"}, "between 0 and 1"},
		{[]string{"-quantile", "1"}, "between 0 and 1"},
		{[]string{"-quantile", "NaN"}, "between 0 and 1"},
		{[]string{"-alpha", "0"}, "above 0"},
		{[]string{"-alpha", "1.5"}, "above 0"},
		{[]string{"-alarm", "-1"}, "above 0"},
		{[]string{"-alarm", "2"}, "1 at most"},
		{[]string{"-alarm", "0"}, "above 0"},
		{[]string{"-date", "1970-12-31"}, "want a day such as 2026-11-23"},
		{[]string{"-date", "2026-13-01"}, "want a day such as 2026-11-23"},
		{[]string{"-premium", "1000.1"}, "from 0 to 1000"},
		{[]string{"-paths", "10001"}, "from 0 to 10,000"},
		{[]string{"-cap", "3y-heavy=0"}, "from 1 to"},
		{[]string{"-cap", "3y-heavy=1000001"}, "from 1 to"},
		{[]string{"-premium", "-1"}, "from 0 to 1000"},
		{[]string{"-premium", "Inf"}, "from 0 to 1000"},
		{[]string{"-ladder", "0"}, "from 1 to"},
		{[]string{"-window", "0"}, "from 1 to"},
		{[]string{"-window", "1e6"}, "from 1 to"},
		{[]string{"-fit", "-1"}, "from 0 to"},
		{[]string{"-longest", "some"}, "from 1 to"},
		{[]string{"-scale", "1000001"}, "from 1 to 1,000,000"},
		{[]string{"-cores-per-node", "0"}, "from 1 to"},
		{[]string{"-cap", "3y-heavy"}, "such as 3y-heavy=40"},
		{[]string{"-cap", "=3"}, "such as 3y-heavy=40"},
		{[]string{"-cap", "3y-heavy=none"}, "from 1 to"},
		{[]string{"-cap", "5y=3"}, `-cap: "5y": want 1y-light, 1y-heavy`},
		{[]string{"-cap", "3y-heavy=3", "-cap", "3y-heavy=4"}, `the class "3y-heavy" is there twice`},
		{append(classes(`{"on_demand": 1, "classes": []}`), "-cap", "5y=3"), `-cap: "5y": want a name of a list that has classes`},
		{[]string{"-demand", ""}, "name of a file"},
		{[]string{"-demand", keep, "-demand", keep}, "the file was given before"},
		{[]string{"-demand", filepath.Join(dir, "none.csv")}, "none.csv: no such file"},
		{[]string{"-trace", filepath.Join(dir, "none.swf")}, "none.swf: no such file"},
		{[]string{"-series", dir}, "is a folder"},
		{[]string{"-classes", filepath.Join(dir, "none.json")}, "none.json: no such file"},

		{demand(""), "the file is empty"},
		{demand("n\n"), "no demand"},
		{demand("n\n1\n-3\n"), `line 3 (n): value out of range: "-3"`},
		{demand("n\n1\n"), "d.csv: 1 slot of 168h are 1 week: want more than a week, the first to learn from"},
		{[]string{"-demand", file("d.csv", "n\n"+strings.Repeat("1\n", 84))}, "d.csv: 84 slots of 1h are 0.5 weeks: want more than a week"},
		{demand("n\n2147483647\n2147483647\n2147483647\n"), "too large together"},

		{log(""), "there is no job in it"},
		{log("1 0 0 0 16\n"), "none of its 1 records"},
		{log("1 2 three\n"), "line 1"},
		{log("1 0 0 60 16 -1 -1 16 60 -1 1 1 -1 -1 1 -1 -1 -1\n"), "log.swf: 1 slot of 1h are 0.0 weeks: want more than a week"},

		{series(""), "s.csv: the file is empty"},
		{series("name\n"), "there is no series"},
		{series("name\nx,1,-2,3\n"), `s.csv: line 2, field 3, series "x": -2 is negative: want a number that is not negative for each week`},
		{series("name\nx,1,NA,3\n"), `s.csv: line 2, field 3, series "x": the value is missing`},
		{series("name\nx,1,inf,3\n"), `"inf" is not finite`},
		{series("name\nx,1,two,3\n"), `"two" is not a number`},
		{series("name\nx,1\n"), `series "x": 1 slot of 168h are 1 week: want more than a week`},
		{series("name\nx\n"), `series "x": 0 slots of 168h are 0.0 weeks: want more than a week`},
		{append(series("name\nx,1,2,3\n"), "-classes", file("c.json", strings.Replace(smallClasses, "672h", "672h30m", 1))), "have no more than 30m in common"},

		{classes("{"), "c.json: line 1: "},
		{replaced("always", "never"), "c.json: line 2 (classes[0].billed): "},
		{replaced("672h", "100h"), `c.json: classes[0].term: the term of "four" is 100h: want a whole number of slots of 168h`},
		{[]string{"-demand", file("d.csv", "n\n"+strings.Repeat("1\n", 400)), "-classes", file("c.json", strings.Replace(smallClasses, "672h", "90m", 1))},
			`the term of "four" is 1h30m: want a whole number of slots of 1h`},
		{classes(`{"on_demand": 9000000000, "classes": []}`), "d.csv: "},
		{[]string{"-classes", file("c.json", `{"on_demand": 9000000000, "classes": []}`)}, "the made-up demand: "},
		// What is paid in two weeks is an amount of money, and what a term or the forecast's weeks cost is none.
		{append(demand("n\n1\n1\n"), "-classes", file("c.json", `{"on_demand": 20000000, "classes": [{"name": "four", "term": "672h", "upfront": 900000000, "hourly": 0, "billed": "always"}]}`)),
			"d.csv: -classes: a reservation of four costs too much"},
		{append(demand("n\n1\n1\n"), "-classes", file("c.json", `{"on_demand": 2000000, "classes": [{"name": "four", "term": "672h", "upfront": 900000000, "hourly": 0, "billed": "always"}]}`)),
			"d.csv: week 0: Demand: demand, prices and terms are too large together"},
		// Each costs $8,400 million, and both more than an amount of money holds.
		{[]string{"-demand", file("a.csv", "n\n1\n1\n"), "-demand", file("b.csv", "n\n1\n1\n"), "-slot", "168h", "-classes", file("c.json", `{"on_demand": 25000000, "classes": []}`)},
			"the total cost of hindsight does not fit in an amount of money"},
		{classes(`{"on_demand": 0, "classes": []}`), "-classes: 0: want the price of an instance on demand, above 0"},

		{[]string{"-demand", keep, "-svg", keep}, "the file is that of another flag"},
		{append(demand("n\n-1\n"), "-svg", out, "-json"), "line 2"},
		{append(demand("n\n2147483647\n2147483647\n2147483647\n"), "-svg", out), "too large together"},
	})
}

// What is just within the limits of a flag is taken.
func TestFlagLimits(t *testing.T) {
	for _, args := range [][]string{
		{"-quantile", "1e-9"}, {"-quantile", ".999999"}, {"-alpha", "1e-9"}, {"-alpha", "1"}, {"-alarm", "1e-9"}, {"-alarm", "1"}, {"-premium", "0"}, {"-premium", "1000"},
		{"-ladder", "1"}, {"-ladder", "1000000"}, {"-window", "1"}, {"-window", "1000000"}, {"-fit", "0"}, {"-fit", "1000000"}, {"-longest", "1"}, {"-scale", "1000000"},
		{"-paths", "0"}, {"-paths", "10000"}, {"-cap", "a=b=1"}, {"-cap", "a=1000000"}, {"-date", "1971-01-01"}, {"-slot", "168h"}, {"-slot", "1ns"},
	} {
		if _, err := program.Options(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if o, err := program.Options("-seed", "7"); err != nil || o.seed != 7 {
		t.Errorf("-seed 7: %d, %v", o.seed, err)
	}
	if o, err := program.Options("-date", "2027-01-04", "-cap", "a=b=12"); err != nil || o.date.Format(time.DateOnly) != "2027-01-04" || o.caps[0] != (capFlag{"a=b", 12}) {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestIdleFlags(t *testing.T) {
	args := []string{"-demand", programtest.Write(t, "d.csv", smallDemand), "-slot", "168h", "-classes", programtest.Write(t, "c.json", smallClasses)}
	tested.Idle(t, "-alpha, -cores-per-node, -each, -longest and -scale change", append(args, "-json", "-each", "-longest", "3", "-scale", "7", "-model", "naive", "-alpha", "0.5", "-cores-per-node", "4")...)
	tested.Idle(t, "-date changes", append(args, "-json", "-date", "2027-01-04")...)
	tested.Idle(t, "", args...)
	tested.Broken(t, args, append(args, "-json"))
}

// An interrupted run leaves the old file and no temporary one.
func TestInterrupt(t *testing.T) { programtest.Interrupt(t, "-demand", smallDemand) }

// [Niu16] section 8.5 and Fig. 7a on its six logs: the online portfolio costs less in total than
// on demand only, and than the best single class of one year and of three; every plan is between
// Eq. (5) and on demand only, and offline ones are within a few percent of the optimum.
func TestLogs(t *testing.T) {
	args := []string{"-json"}
	for _, name := range []string{"SDSC-DS-2004-2.1-cln", "SDSC-BLUE-2000-4.2-cln", "HPC2N-2002-2.2-cln",
		"Sandia-Ross-2001-1.1-cln", "CTC-SP2-1996-3.1-cln", "SDSC-SP2-1998-4.2-cln"} {
		args = append(args, "-trace", shared.File(t, "traces/"+name+".swf.gz"))
	}
	rows := decode(t, first(tested.Must(t, args...)))
	total := make(map[string]float64)
	for _, r := range rows {
		total[r.Algo] += r.cost(t)
		switch {
		case r.Algo == eq5 && *r.Ratio > 1, r.Algo != eq5 && *r.Ratio < 1, r.Algo == greedy && *r.Ratio > 1.05, *r.Saving < 0:
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != 6*9 {
		t.Errorf("%d rows, want 54", len(rows))
	}
	for _, algo := range []string{odOnly, "online-1y-only", "online-1y-classes", "online-3y-only"} {
		if total[online] >= total[algo] {
			t.Errorf("online costs %.0f in total, %s %.0f", total[online], algo, total[algo])
		}
	}
	if r := total[online] / total[hindsight]; r > 1.06 {
		t.Errorf("online costs %.4f times the optimum in total", r)
	}
}

// The ten longest weekly series of the M4 competition.
func TestM4(t *testing.T) {
	o, err := program.Options("-series", shared.File(t, "forecast/M4_Weekly-train.csv.gz"), "-longest", "10")
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.read(cli.Quiet(), 2)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, s := range in.series {
		peak := 0
		for _, d := range s.demand {
			peak = max(peak, d)
		}
		got += fmt.Sprintf("%s %d %d, ", s.name, len(s.demand), peak)
	}
	const want = "W4 2597 300, W224 2596 300, W60 2284 300, W88 2283 300, W91 2283 300, " +
		"W92 2283 300, W96 2283 300, W97 2283 300, W98 2283 300, W99 2283 300, "
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
