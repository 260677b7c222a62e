package liu21

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/pricing"
)

// paperArgs returns the flags for the paper's logs and windows.
func paperArgs(tb testing.TB, more ...string) []string {
	tb.Helper()
	args := []string{"-from", "747,478,172"}
	for _, name := range []string{"UniLu-Gaia-2014-1", "SDSC-BLUE-2000-4.2-cln", "LANL-CM5-1994-4.1-cln"} {
		args = append(args, "-trace", shared.File(tb, "traces/"+name+".swf.gz"))
	}
	return append(args, more...)
}

func paperCentres(tb testing.TB) []*centre {
	tb.Helper()
	o, err := program.Options(paperArgs(tb)...)
	if err != nil {
		tb.Fatal(err)
	}
	list, err := o.Load(cli.Quiet())
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// likePaper returns the flags for three small made-up logs that have the names of the
// paper's logs and jobs in its windows, so that its figures are compared with theirs.
func likePaper(t *testing.T, more ...string) []string {
	t.Helper()
	o := centres.Options{Hours: paperHours, Made: 3, Seed: 9}
	made, err := o.Load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-from", "478,747,172"}
	dir := t.TempDir()
	for i, x := range []int{1, 0, 2} { // not in the paper's order
		var b strings.Builder
		fmt.Fprintf(&b, "; UnixStartTime: %d\n", 1000000000+1800*i)
		for k, run := range []int{60, 60, 3600, 60, 3599, 3601} { // in hours 4, 5 and 6, before the window
			fmt.Fprintf(&b, "1 %d 0 %d 1\n", 3600*[]int{4, 5, 5, 6, 6, 6}[k], run)
		}
		for k, j := range made[x].Jobs {
			if k%8 == 0 {
				submit := j.Submit + time.Duration(paperFrom[x])*time.Hour
				fmt.Fprintf(&b, "%d %d 0 %d %d\n", k+2, submit/time.Second, j.Run/time.Second, min(j.Nodes, 8))
			}
		}
		args = append(args, "-trace", programtest.WriteIn(t, dir, strings.ToLower(centres.PaperSites[x].Name)+"-like.swf", b.String()))
	}
	return append(args, more...)
}

// Beside the paper's figures: each claim, with its verdict and its reason.
func TestPaperFigures(t *testing.T) {
	r := evaluated(t, likePaper(t)...)
	var page table.Page
	claim.Write(&page, r.claims())
	programtest.Golden(t, "like-paper.txt", page.String())
	programtest.Narrow(t, page.String(), 80)
	// Other windows and logs are not compared.
	for what, change := range map[string]func(r *results){
		"hours": func(r *results) { r.o.Hours = 601 },
		"from": func(r *results) {
			c := *r.centres[2]
			c.From++
			r.centres = []*centre{r.centres[0], r.centres[1], &c}
		},
		"log": func(r *results) {
			c := *r.centres[2]
			c.Known = -1
			r.centres = []*centre{r.centres[0], r.centres[1], &c}
		},
	} {
		t.Run(what, func(t *testing.T) {
			o, other := *r.o, *r
			other.o = &o
			change(&other)
			if other.o.isPaper(other.centres) {
				t.Error("the windows are the paper's")
			}
		})
	}
	// Without a piece of what a claim needs, that claim is not there.
	for what, c := range map[string]struct {
		change func(r *results)
		place  string
		gone   int
	}{
		"another lambda": {func(r *results) { r.o.lambda = 14 }, "Table 4", 4},
		"other errors":   {func(r *results) { r.o.errors = []float64{0, .2, .3} }, "Table 4", 4},
		"no start": {func(r *results) {
			c, log := *r.centres[1], *r.centres[1].Log
			c.Log, log.Start = &log, time.Time{}
			r.centres = slices.Clone(r.centres)
			r.centres[1] = &c
		}, "Fig. 1", 2},
		"no plans": {func(r *results) { r.plain[hgr], r.plain[periodic] = nil, nil }, "Table 3", 15},
	} {
		t.Run(what, func(t *testing.T) {
			count := func(r *results) (n int) {
				for _, x := range r.claims() {
					if x.Place == c.place {
						n++
					}
				}
				return n
			}
			o, other := *r.o, *r
			other.o = &o
			c.change(&other)
			if got := count(r) - count(&other); got != c.gone {
				t.Errorf("%d claims less on %s, want %d", got, c.place, c.gone)
			}
		})
	}
}

// The notes of logs that have the paper's names and another window say which window the
// paper's is, in the order of the logs.
func TestNotes(t *testing.T) {
	args := likePaper(t, "-reserve", "hgr", "-error", "0", "-hours", "24")
	_, notes := tested.Must(t, args...)
	for _, a := range args {
		if filepath.IsAbs(a) {
			notes = strings.ReplaceAll(notes, a, filepath.Base(a))
		}
	}
	programtest.Golden(t, "like-paper-notes.txt", notes)
}

// independent has the figures of a program that was written apart from this one, for the
// paper's logs and windows (ERRATA [Liu21] 8): dollars by centre, and in all for rolling
// horizons by lambda.
var independent = struct {
	hours    [3]int64
	onDemand [3]int
	plans    map[plannerName][3]int
	rho      map[plannerName]map[int]int
}{
	hours:    [3]int64{667_703, 792_880, 1_009_632},
	onDemand: [3]int{50_078, 47_573, 65_626},
	plans: map[plannerName][3]int{
		periodic: {27_711, 35_090, 48_052},
		hgr:      {26_915, 33_151, 44_508},
		exact:    {26_351, 32_545, 44_094},
	},
	rho: map[plannerName]map[int]int{
		rhoPrinted:  {13: 140_904},
		rhoFull:     {13: 109_388, 23: 146_774, 24: 158_503, 100: 152_407, 300: 135_552, 600: 104_574},
		rhoLast:     {23: 146_774, 24: 107_291, 600: 104_931},
		rhoDeferred: {23: 106_513, 100: 103_638},
	},
}

// The paper's three logs: the figures of the independent program come out to the dollar; and
// the claims.
func TestPaper(t *testing.T) {
	r := evaluated(t, paperArgs(t)...)
	dollars := func(m pricing.Money) int { return int((m + pricing.Unit/2) / pricing.Unit) }
	for i, c := range r.centres {
		if c.Total != independent.hours[i] || dollars(c.OnDemand*pricing.Money(c.Total)) != independent.onDemand[i] {
			t.Errorf("%s: %d instance-hours, want %d", c.Name, c.Total, independent.hours[i])
		}
		for p, want := range independent.plans {
			if got := dollars(r.plain[p].Plans[i].Cost); got != want[i] {
				t.Errorf("%s: %v costs %d, want %d", c.Name, p, got, want[i])
			}
		}
	}
	for p, list := range independent.rho {
		for lambda, want := range list {
			if x := r.at(p, lambda); x == nil || dollars(x.Cost) != want {
				t.Errorf("%v, lambda %d: %+v, want %d", p, lambda, x, want)
			}
		}
	}
	for lambda, want := range map[int]int64{23: 185_514, 24: 119_734, 600: 101_885} {
		if x := r.at(rhoLast, lambda); x == nil || x.Count != want {
			t.Errorf("rho-last, lambda %d: %+v, want %d reservations", lambda, x, want)
		}
	}
	var page table.Page
	claim.Write(&page, r.claims())
	programtest.Golden(t, "paper.txt", page.String())
	// ERRATA [Liu21] 9: sharing saves 3.3% of HGR and 6.4% of Periodic, with other draws
	// of what is sent.
	if a, b := r.plain[hgr].Saved(), r.plain[periodic].Saved(); math.Abs(a-.033) > .002 || math.Abs(b-.064) > .002 {
		t.Errorf("sharing saves %.4f of HGR and %.4f of Periodic, want .033 and .064", a, b)
	}
}

// What the program writes, whole.
func TestGolden(t *testing.T) {
	stdout, notes := tested.Must(t, "-hours", "48", "-tables")
	programtest.Golden(t, "tables.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	if want := "papers liu21: no -trace, so three made-up centres, seed 1\n"; notes != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if programtest.Whole() {
		stdout, _ := tested.Must(t)
		programtest.Golden(t, "default.txt", stdout)
	}
	stdout, _ = tested.Must(t, "-hours", "24", "-reserve", "hgr,rho-full", "-json", "-centres", "1")
	rows := programtest.Rows[map[string]string](t, stdout)
	if len(rows) == 0 || rows[0]["on"] != "made-up centres" || rows[0]["came_out"] == "" {
		t.Errorf("rows %v", rows)
	}
}

func TestFlags(t *testing.T) {
	tested.Help(t, program.FlagNames(), "periodic", "hgr", "exact", "wang", "history", "rho-printed", "rho-full", "rho-last", "rho-first", "rho-deferred",
		"came_out")
	tested.Frame(t, "svg")
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{Args: []string{"-lambda", "601"}, Want: "the window has only 600 hours"},
		{Args: []string{"-reserve", "best"}, Want: "want all, or some of rho, periodic, hgr, exact, wang, history"},
		{Args: []string{"-error", "-0.1"}, Want: `"-0.1" is no bound of an error: want numbers from 0 to 1`},
		{Args: []string{"-error", "1.5"}, Want: "from 0 to 1"},
		{Args: []string{"-error", "NaN"}, Want: "from 0 to 1"},
		{Args: []string{"-error", "0.2,0.20"}, Want: "0.20 is there twice"},
		{Args: []string{"-centres", "17"}, Want: "whole number of centres from 1 to 16"},
	})
	tested.Broken(t, []string{"-hours", "24", "-reserve", "hgr"})
	tested.Idle(t, "-lambda changes", "-lambda", "7", "-reserve", "hgr", "-hours", "24")
	tested.Idle(t, "", "-lambda", "7", "-reserve", "rho-full", "-hours", "24")
}
