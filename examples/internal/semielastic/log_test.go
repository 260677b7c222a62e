package semielastic

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// With two processors an instance the jobs need 1, 2, 1, 4 and 1 instances.
var small = programtest.FiveJobs

// load reads a log of so many processors an instance, and returns the notes.
func load(t *testing.T, path string, processors int) (*Log, string) {
	t.Helper()
	run, notes := cli.Quiet(), new(strings.Builder)
	run.Stderr = notes
	log, err := Load(path, processors, 1, 1, run)
	if err != nil {
		t.Fatal(err)
	}
	log.Note(run)
	return log, notes.String()
}

// The largest job is the first of the largest. By hand: runs of 600, 4000, 30, 100 and 60 s are
// 2/3, 5/9, 1/2, 1 and 1 of their estimates, 74% on average; 7200 s are 0.1 days.
func TestLoad(t *testing.T) {
	path := programtest.Write(t, "small.swf", small)
	log, notes := load(t, path, 2)
	if j := log.Jobs[log.Largest]; len(log.Jobs) != 5 || j.ID != 4 || j.Nodes != 4 || !log.Epoch.IsZero() || log.Title() != "small.swf" || log.Enough() != 4 {
		t.Errorf("%d jobs, the largest %+v; %s, %d nodes", len(log.Jobs), j, log.Title(), log.Enough())
	}
	for _, want := range []string{path + ": 9 records, 5 jobs", "0.1 days of submissions; run times are 74% of their estimates",
		"the largest job, number 4, needs 4 instances"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q: %s", want, notes)
		}
	}
	if same, _ := load(t, programtest.Write(t, "a", strings.Repeat("1 0 0 60 4\n", 2)), 1); same.Largest != 0 {
		t.Errorf("of two jobs of one size number %d is the largest", same.Largest)
	}
	made, notes := load(t, "", 16)
	if len(made.Jobs) != madeUpJobs || made.Name != "made-up log" || !strings.Contains(notes,
		"no -trace, so a made-up log of the Lublin-Feitelson model, seed 1:") {
		t.Errorf("%d jobs of %s: %s", len(made.Jobs), made.Name, notes)
	}
	for text, want := range map[string]string{"1 0 0 60 2000000000\n": "job 1 needs 2,000,000,000 instances of 1 processor", "": "there is no job in it"} {
		if _, err := Load(programtest.Write(t, "log", text), 1, 1, 1, cli.Quiet()); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Load("", 16, 1e300, 1, cli.Quiet()); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), "-estimate 1e+300 is too much") {
		t.Errorf("%v", err)
	}
}

// The modes on the small log. By hand, for individual: each job boots for 126, 186, 126, 252 and
// 126 s, and pays 1 + 2·2 + 1 + 4 + 1 hours of $2.40. On four nodes of its own job 4 waits for
// the end of job 2, 3990 s. At Google a node pays ten minutes at least. What is configured and
// formatted takes longer.
func TestModes(t *testing.T) {
	log, _ := load(t, programtest.Write(t, "small.swf", small), 2)
	p := Policy{Nodes: log.Enough(), WaitLimit: 5 * time.Minute, Short: time.Hour, Ratio: 1, Seed: 1}
	setup, half, atOnce, short := p, p, p, p
	setup.Overhead, half.Ratio, atOnce.WaitLimit, short.Short = true, .5, 0, 0
	var last Mode
	r := Runner{Log: log, Prices: pricing.CC28XLarge2013(), Progress: func(m Mode, ended int) { last = m }}
	for _, c := range []struct {
		mode   Mode
		policy Policy
		wait   float64
		nodes  int
		paid   string
	}{
		{Individual, p, 163.2, 8, "26.400000"},
		{NoWait, p, 138, 8, "26.400000"},
		{SEC, p, 555.1, 7, "21.600000"},
		{SEC, atOnce, 395.1, 7, "24.000000"},
		{SEC, short, 555.1, 7, "21.600000"},
		{Hybrid, p, 555.1, 7, "21.600000"},
		{GCE, p, 580.3, 7, "8.440000"},
		{GCE, half, 580.3, 7, "4.220000"},
		{Multi, p, 555.1, 7, "21.600000"},
		{Multi, half, 580.3, 7, "4.220000"},
		{Local, p, 798, 4, "12.531640"},
		{SEC, setup, 564.872, 7, "21.600000"},
		{Individual, setup, 170.66, 8, "26.400000"},
	} {
		x, err := r.Run(c.mode, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.MeanWait.Seconds(); math.Abs(got-c.wait) > .001 || x.Paid.Fixed(6) != c.paid || x.Pure != x.Paid || x.Nodes != c.nodes ||
			x.Mode != c.mode || last != c.mode {
			t.Errorf("{%v, %+v}: {%.3f, %d, %q}, want wait %v, %d nodes, paid %s", c.mode, c.policy, got, x.Nodes, x.Paid.Fixed(6), c.wait, c.nodes, c.paid)
		}
		if rate := x.Rate(); math.Abs(rate*x.UsedHours-x.Pure.Float64()) > 1e-6 {
			t.Errorf("%v: %v for a used hour", c.mode, rate)
		}
	}
	if _, err := r.Run(GCE, Policy{Nodes: 4, Ratio: 1e-12}); err == nil || !strings.Contains(err.Error(), "a price of 0 an hour") {
		t.Errorf("%v", err)
	}
}

// A log that is longer than the clock, or a job that is, is the user's mistake.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"1 0 0 9000000000 4\n":                      "job 1 cannot be run",
		strings.Repeat("1 0 -1 2300000000 16\n", 6): "mode local: sim: Submit",
	} {
		log, _ := load(t, programtest.Write(t, "log", text), 16)
		r := Runner{Log: log, Prices: pricing.CC28XLarge2013()}
		if _, err := r.Run(Local, Policy{Nodes: 1, Ratio: 1}); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What hybrid pays for reservations until their terms end is more than their pure cost, by what
// is left of them.
func TestLeft(t *testing.T) {
	log, _ := load(t, "", 16)
	r := Runner{Log: log, Prices: pricing.CC28XLarge2013()}
	x, err := r.Run(Hybrid, Policy{Nodes: 64, WaitLimit: 5 * time.Minute, Short: time.Hour, Ratio: 1, Seed: 1})
	if err != nil || x.Reserved != 262 || x.Paid-x.Pure != x.Left.Upfront+x.Left.Hours || x.Left.Upfront <= 0 || len(x.Hours) == 0 {
		t.Errorf("%d reserved, %v paid, %v pure, left %+v, %v", x.Reserved, x.Paid, x.Pure, x.Left, err)
	}
}

// Each discipline is one of the library's, by its name and parameters.
func TestScheduler(t *testing.T) {
	for name, c := range map[string]struct {
		d    Discipline
		want string
	}{
		"easy":         {Discipline{Reservations: 1}, "<nil>"},
		"easy-4":       {Discipline{Reservations: 4}, "*schedule.EASY"},
		"conservative": {Discipline{Backfill: Conservative, Reservations: 4}, "*schedule.Conservative"},
		"none":         {Discipline{Backfill: NoBackfill}, "*schedule.FCFS"},
		"mine":         {Discipline{Name: "mine", Weights: &schedule.Weights{Hour: 1}}, "*schedule.EASY"},
	} {
		if got := fmt.Sprintf("%T", c.d.scheduler()); got != c.want || c.d.String() != name {
			t.Errorf("%s: %s of %s, want %s", name, got, c.d, c.want)
		}
	}
	if easy := (Discipline{Reservations: 4}).scheduler().(*schedule.EASY); easy.Reservations != 4 || easy.Order != nil {
		t.Errorf("%+v", easy)
	}
}
