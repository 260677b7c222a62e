package main

import (
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/pricing"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/federation -update.
var tested = programtest.Program{Name: "federation", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// evaluated returns what the program found, before it is written.
func evaluated(tb testing.TB, args ...string) *results {
	tb.Helper()
	o, err := program.Options(args...)
	if err != nil {
		tb.Fatal(err)
	}
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
	return append([]string{"-trace", programtest.Write(t, "east.swf", eastLog), "-trace", programtest.Write(t, "west.gz", programtest.Gzip(westLog)),
		"-prices", programtest.Write(t, "prices.json", samePrices), "-hours", "24", "-reserve", "periodic,hgr,exact"}, more...)
}

func TestSmall(t *testing.T) {
	const unit = pricing.Unit
	r := evaluated(t, small(t, "-share", "printed")...)
	if r.onDemand != (48+5+13)*unit || r.hours != 66 || r.centres[0].From != 0 || len(r.plans) != 3 {
		t.Errorf("on demand %v for %d instance-hours, want 66", r.onDemand, r.hours)
	}
	for _, x := range r.plans {
		t.Run(x.Planner.String(), func(t *testing.T) {
			if x.Count != 3 || x.Plans[0].Cost != 29*unit || x.Plans[1].Cost != 12*unit || x.Held != 72 || x.Used != 61 {
				t.Errorf("%d reservations, %v and %v, %d of %d hours used, want 3, 29 and 12, 61 of 72", x.Count, x.Plans[0].Cost, x.Plans[1].Cost, x.Used, x.Held)
			}
			s := x.Shared
			disk := r.centres[0].Disk[1] * centres.Megabyte
			traffic := pricing.Money(disk) * pricing.Milli / centres.Gigabyte
			if f := s.Flows[0][1]; f.Sent != disk || f.Borrowed != 5 || 2*f.Paid != 5*unit || s.Flows[1][0].Sent != 0 || s.Total.Sent != disk {
				t.Errorf("%+v, want 5 hours and %d bytes from east to west", s.Flows, disk)
			}
			if east, west := s.Centres[0].Cost(), s.Centres[1].Cost(); 2*east != 53*unit+2*traffic || 2*west != 19*unit || s.Cost != east+west {
				t.Errorf("shared %v and %v, in all %v, want 26.5 and traffic of %v, and 9.5", east, west, s.Cost, traffic)
			}
			if used, held := s.Hours(); used != 66 || held != 72 || s.Centres[1].Lent != 5 || 2*s.Centres[0].Paid != 5*unit {
				t.Errorf("%d of %d hours used, %+v, want 66, of which 5 lent for 2.5", used, held, s.Centres)
			}
		})
	}
	if b, s := r.best, r.chosen.Shared; r.chosen.Planner != centres.Periodic || b.Optimum > s.Cost || b.Optimum <= 36*unit || b.Bound > b.Optimum {
		t.Errorf("%v, optimum %+v, want the first of equals, above 36 and at most %v", r.chosen.Planner, *b, s.Cost)
	}
	unpaid := evaluated(t, append(small(t), "-prices", programtest.Write(t, "free.json", strings.ReplaceAll(samePrices, "0.001", "0")))...)
	if b := unpaid.best; *b != (centres.Best{Optimum: 36 * unit, Bound: 36 * unit, Split: 36 * unit}) {
		t.Errorf("optimum without paying for traffic %+v, want 36", *b)
	}
}

// What the program writes, whole.
func TestGolden(t *testing.T) {
	// The default fits a screen.
	stdout, notes := tested.Must(t)
	if n := strings.Count(stdout, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	programtest.Narrow(t, stdout, 80)
	programtest.Golden(t, "default.txt", stdout)
	if want := "federation: no -trace, so three made-up centres, seed 1\n"; notes != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	one := []string{"-trace", programtest.Write(t, "alone.swf", eastLog), "-hours", "24"}
	for name, args := range map[string][]string{
		"small":       small(t),
		"small-json":  small(t, "-json"),
		"one":         one,
		"ten":         {"-centres", "10", "-hours", "72", "-reserve", "hgr,rho", "-lambda", "20", "-error", "0"},
		"tempting":    {"-hours", "48", "-reserve", "hgr", "-lend", "0:1.5,0.5:1,1:0"},
		"dear":        {"-hours", "48", "-reserve", "hgr", "-share", "printed", "-lend", "0:1000"},
		"nothing":     {"-hours", "24", "-reserve", "rho-full", "-lambda", "1"},
		"lender-wang": {"-hours", "72", "-reserve", "wang,history", "-share", "open"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, _ := tested.Must(t, args...)
			if name != "small-json" {
				programtest.Narrow(t, stdout, 80)
			}
			programtest.Golden(t, name+".txt", stdout)
		})
	}
}

func TestLend(t *testing.T) {
	args := []string{"-hours", "48", "-reserve", "hgr", "-share", "lender"}
	fee, own, dear := evaluated(t, args...), evaluated(t, append(args, "-lend", "0:1")...), evaluated(t, append(args, "-lend", "0:1000")...)
	if got, want := own.chosen.Shared.Cost, fee.chosen.Shared.Cost; got != want {
		t.Errorf("F/τ by -lend costs %v, want %v", got, want)
	}
	if lent := dear.chosen.Shared.Total.Lent; lent != 0 || len(dear.tempted) != 0 {
		t.Errorf("%d hours are lent at a thousand times the fee, %v", lent, dear.tempted)
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

func TestHelp(t *testing.T) {
	words := []string{"periodic", "hgr", "exact", "wang", "history", "rho-printed", "rho-full", "rho-last", "rho-first", "rho-deferred"}
	for _, x := range centres.Readings {
		words = append(words, " "+x.Name+" ")
	}
	tested.Help(t, program.FlagNames(), words...)
}

func TestBrokenOutput(t *testing.T) { tested.Broken(t, small(t), small(t, "-json")) }

// The user's mistakes end with one sentence and status 2, before anything is printed,
// and leave no file.
func TestMistakes(t *testing.T) {
	wide := "wide: costs more than 144,115,188"
	if math.MaxInt == math.MaxInt32 {
		wide = "want a smaller number"
	}
	dir := t.TempDir()
	east := programtest.WriteIn(t, dir, "east.swf", eastLog)
	other := programtest.Write(t, "east.swf.gz", eastLog)
	prices := func(text string) []string {
		return []string{"-trace", east, "-hours", "24", "-prices", programtest.Write(t, "p.json", text)}
	}
	const site = `{"name": "a", "on_demand": 1, "reservation": 12, "traffic": 0, "latitude": 0, "longitude": 0}`
	tested.Frame(t)
	var seventeen []string
	for _, name := range strings.Split("abcdefghijklmnopq", "") {
		seventeen = append(seventeen, "-trace", name)
	}
	tested.Mistakes(t, dir, []programtest.Wrong{
		{[]string{"-hours", "0"}, "whole number of hours from 24 to 26,280"},
		{[]string{"-hours", "23"}, "whole number of hours from 24 to 26,280"},
		{[]string{"-lambda", "0"}, "whole number of hours from 1"},
		{[]string{"-lambda", "601"}, "the window has only 600 hours"},
		{[]string{"-reserve", "best"}, "want all, or some of rho, periodic, hgr, exact, wang, history"},
		{[]string{"-reserve", ""}, "want all, or some of rho"},
		{[]string{"-share", "fair"}, "want printed, lender, idle"},
		{[]string{"-error", "1.5"}, "from 0 to 1"},
		{[]string{"-error", "NaN"}, "from 0 to 1"},
		{[]string{"-centres", "0"}, "whole number of centres from 1 to 16"},
		{[]string{"-centres", "17"}, "whole number of centres from 1 to 16"},
		{[]string{"-lend", "0.5"}, "want pairs SHARE:FACTOR"},
		{[]string{"-lend", "0:x"}, "want pairs SHARE:FACTOR"},
		{[]string{"-lend", "0:1,1:2"}, "2 after 1: want a factor that does not rise as more is idle"},
		{[]string{"-lend", "0:1,2:1"}, "2: want a share from 0 to 1"},
		{[]string{"-lend", "0:-1"}, "-1: want a factor from 0"},
		{[]string{"-from", "-1"}, `"-1" is no hour of a log`},
		{[]string{"-from", "1,x"}, `"x" is no hour of a log`},
		{[]string{"-trace", east, "-from", "1,2"}, "-from has 2 hours for 1 log:"},
		{[]string{"-trace", east, "-trace", other}, `two centres are called "east": name them apart with -prices`},
		{[]string{"-trace", programtest.Write(t, "bad.swf", eastLog+"10 7300 0 abc 1\n")}, `bad.swf: trace: line 3, column 4 (run time): not a number: "abc"`},
		{[]string{"-trace", programtest.Write(t, "empty.swf", "")}, "empty.swf: there is no job in it"},
		{[]string{"-trace", east, "-from", "14"}, "no job is submitted in the 600 hours from hour 14 (-from); its first is in hour 0, its last in hour 13"},
		{[]string{"-trace", programtest.Write(t, "long.swf", "1 0 0 9000000000 4\n2 9000000000 0 9000000000 1\n"), "-from", "2499999"}, "0 to 2,000,000"},
		{[]string{"-trace", programtest.Write(t, "wide.swf", "1 0 0 86400 9000000000000\n")}, wide},
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
		{[]string{"-from", "2000001"}, "0 to 2,000,000"},
		{[]string{"-lend", "x:1"}, "want pairs SHARE:FACTOR"},
		{[]string{"-trace", east, "-from", "1,2,3"}, "-from has 3 hours for 1 log:"},
		{prices("[" + strings.Replace(site, `"longitude": 0`, `"longitude": -180.5`, 1) + "]"), "longitude from -180 to 180"},
		{prices("[" + strings.Replace(site, `"on_demand": 1`, `"on_demand": 1000.000000001`, 1) + "]"), "at most 1000"},
		{prices("[" + strings.Replace(site, `"traffic": 0`, `"traffic": 1001`, 1) + "]"), "at most 1000"},
		{prices("[" + strings.Replace(site, `"on_demand": 1`, `"on_demand": 0`, 1) + "]"), "want prices of instances above 0"},
		{prices("[" + strings.Replace(site, `"traffic": 0, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `"on_demand": 1, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `"reservation": 12, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `"latitude": 0, `, "", 1) + "]"), "want name, on_demand"},
		{prices("[" + strings.Replace(site, `, "longitude": 0`, "", 1) + "]"), "want name, on_demand"},
		{[]string{"-error", "x"}, "a number from 0 to 1"},
		{seventeen, "want at most 16"},
	})
	// What is just within the limits is taken.
	most := prices(`[{"name": "a", "on_demand": 1000, "reservation": 1000, "traffic": 1000, "latitude": -90, "longitude": 180}]`)
	tested.Must(t, most...)
	for _, args := range [][]string{
		{"-hours", "24", "-lambda", "24", "-reserve", "rho"}, {"-hours", "26280", "-lambda", "26280"}, {"-centres", "16"}, {"-error", "0"}, {"-error", "1"},
		{"-from", "0,2000000"},
		{"-trace", "a", "-trace", "b", "-from", "1,2"}, {"-trace", "a", "-trace", "b", "-from", "1"}, seventeen[:32],
	} {
		if _, err := program.Options(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	tested.Idle(t, "-from changes", "-from", "7", "-reserve", "hgr", "-hours", "24")
	tested.Idle(t, "-centres changes", "-centres", "4", "-trace", east, "-hours", "24", "-reserve", "hgr")
	tested.Idle(t, "-lambda changes", "-lambda", "7", "-reserve", "hgr", "-hours", "24")
	tested.Idle(t, "", "-lambda", "7", "-reserve", "rho-full", "-hours", "24")
}
