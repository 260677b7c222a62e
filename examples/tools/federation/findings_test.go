package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// likePaper returns the flags for three small made-up logs that have the names of the
// paper's logs and jobs in its windows, so that its figures are compared with theirs.
func likePaper(t *testing.T, more ...string) []string {
	t.Helper()
	var logs []string
	dir := t.TempDir()
	for i, x := range []int{1, 0, 2} { // not in the paper's order
		var b strings.Builder
		fmt.Fprintf(&b, "; UnixStartTime: %d\n", 1e9+1800*i)
		s := shapes[x]
		s.daily, s.sizes = 12, s.sizes[:3]
		for k, run := range []int{60, 60, 3600, 60, 3599, 3601} { // in hours 4, 5 and 6, before the window
			fmt.Fprintf(&b, "1 %d 0 %d 1\n", 3600*[]int{4, 5, 5, 6, 6, 6}[k], run)
		}
		for k, j := range s.make(rand.New(rand.NewPCG(9, uint64(x))), paperHours) {
			submit := j.Submit + time.Duration(paperFrom[x])*time.Hour
			fmt.Fprintf(&b, "%d %d 0 %d %d\n", k+2, submit/time.Second, j.Run/time.Second, j.Nodes)
		}
		logs = append(logs, programtest.WriteIn(t, dir, strings.ToLower(paperSites[x].Name)+"-like.swf", b.String()))
	}
	return append([]string{"-traces", strings.Join(logs, ","), "-from", "478,747,172"}, more...)
}

// Beside the paper's figures and those of the independent program: each sentence, with its
// verdict and its reason.
func TestPaperFigures(t *testing.T) {
	r := evaluated(t, likePaper(t)...)
	var page table.Page
	r.writeFindings(&page)
	programtest.Golden(t, "like-paper.txt", page.String())
	// says returns the beginnings of the findings of some planners' plans.
	says := func(change func(r *results), list ...plannerName) (says []string) {
		o, some := *r.o, *r
		some.o = &o
		for p := range planners {
			if !slices.Contains(list, p) {
				some.plain[p], some.sweep[p], some.erred[p] = nil, nil, nil
				o.reserve[p] = false
			}
		}
		change(&some)
		for _, f := range some.allFindings() {
			says = append(says, fmt.Sprintf("%v: %s", f.Verdict, f.Says))
		}
		return says
	}
	every := r.shown()
	same := func(*results) {}
	text := ""
	for _, list := range [][]plannerName{{periodic}, {hgr}, {exact}, {history}, {rhoPrinted}, {rhoFull, rhoLast, rhoFirst, rhoDeferred}, {rhoPrinted, rhoLast, rhoFirst, rhoDeferred},
		{rhoPrinted, rhoFull, rhoFirst, rhoDeferred}, {rhoPrinted, rhoFull, rhoLast, rhoFirst}, {rhoPrinted, rhoFull, rhoLast, rhoDeferred}} {
		text += fmt.Sprintln(list)
		for _, s := range says(same, list...) {
			text += fmt.Sprintf("  %.70s\n", s)
		}
	}
	programtest.Golden(t, "like-paper-some.txt", text)
	// Without a piece of what a finding needs, that finding is not there.
	all := says(same, every...)
	for what, c := range map[string]struct {
		change func(r *results)
		gone   string // the beginnings of what is not there
	}{
		"another lambda": {func(r *results) { r.o.lambda = 14 }, "errors of up to 40% make RHO|RHO with lambda 13 sends"},
		"other errors":   {func(r *results) { r.o.errors = []float64{0, .2, .3} }, "errors of up to 40% make RHO|RHO with lambda 13 sends"},
		"no start": {func(r *results) {
			c, log := *r.centres[1], *r.centres[1].read
			c.read, log.Start = &log, time.Time{}
			r.centres = slices.Clone(r.centres)
			r.centres[1] = &c
		}, "the centres do not reach peaks and valleys"},
	} {
		_, gone := split(all, c.gone)
		if diff := cmp.Diff(gone, says(c.change, every...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	// Other windows, and prices of one's own, are not compared.
	for what, change := range map[string]func(r *results){
		"hours":  func(r *results) { r.o.hours = 601 },
		"prices": func(r *results) { r.o.prices = "p.json" },
		"from": func(r *results) {
			c := *r.centres[2]
			c.from++
			r.centres = []*centre{r.centres[0], r.centres[1], &c}
		},
		"log": func(r *results) {
			c := *r.centres[2]
			c.known = -1
			r.centres = []*centre{r.centres[0], r.centres[1], &c}
		},
	} {
		o, other := *r.o, *r
		other.o = &o
		change(&other)
		if got := other.checks(); got != nil {
			t.Errorf("other %s: %d checks, want none", what, len(got))
		}
		if got := other.o.isPaper(other.centres); got != (what == "prices") {
			t.Errorf("other %s: the windows are the paper's: %v", what, got)
		}
	}
	// A figure that is the same is said to be.
	defer func(hours [3]int64) { independent.hours = hours }(independent.hours)
	for _, c := range r.centres {
		independent.hours[c.known] = c.total
	}
	page.Reset()
	r.writeFindings(&page)
	want := fmt.Sprintf("\nthe same: instance-hours %d, %d, %d.\nNOT THE SAME: on demand", r.centres[0].total, r.centres[1].total, r.centres[2].total)
	if got := strings.ReplaceAll(page.String(), ",", ""); !strings.Contains(got, strings.ReplaceAll(want, ",", "")) {
		t.Errorf("want %q in\n%s", want, got)
	}
	var verdicts []string
	for _, row := range r.rows().([]any) {
		if f, ok := row.(finding.Row); ok && f.Kind == "check" {
			verdicts = append(verdicts, f.Verdict+": "+f.Says+" | "+f.Shown)
		}
	}
	if len(verdicts) != 17 || !strings.HasPrefix(verdicts[0], "the same: instance-hours ") || !strings.HasPrefix(verdicts[1], "NOT THE SAME: on demand, $ 47,573, 50,078, 65,626 | ") {
		t.Errorf("%d checks for machines: %q", len(verdicts), verdicts)
	}
}

// If the paper's figures were those found here, or a little within what counts as the same,
// all would come out; if all were a little further off, none would.
func TestPaperFiguresComeOut(t *testing.T) {
	r := evaluated(t, likePaper(t)...)
	one, o := *r, *r.o // with one reading of rolling horizons
	one.o, o.reserve = &o, [planners]bool{rhoFull: true}
	one.sweep = [planners][]*outcome{rhoFull: r.sweep[rhoFull]}
	saved := paper
	defer func() { paper = saved }()
	for _, c := range []struct {
		what                     string
		amounts, shares, traffic float64 // factor, difference and factor
		want                     bool
	}{
		{"the same", 1, 0, 1, true},
		{"just below", 1.019, .0199, 1.32, true},
		{"just above", .981, -.0199, .81, true},
		{"far below", 1.03, .0201, 1.34, false},
		{"far above", .97, -.0201, .79, false},
	} {
		money := func(m pricing.Money) pricing.Money { return pricing.Money(math.Round(float64(m) * c.amounts)) }
		count := func(n int64) int64 { return int64(math.Round(float64(n) * c.amounts)) }
		paper.sharedUsed, paper.shared, paper.paths = map[plannerName][3]float64{}, map[plannerName][3]pricing.Money{}, map[plannerName][3][3]float64{}
		for i, x := range r.centres {
			k, onDemand, plan := x.known, x.OnDemand*pricing.Money(x.total), r.plain[periodic].plans[i]
			paper.hours[k], paper.onDemand[k] = count(x.total), money(onDemand)
			paper.fluctuation[k], paper.short[k] = x.fluctuation()+c.shares, x.short(x.from)+c.shares
			paper.periodicSaved[k], paper.periodicUsed[k] = 1-share(plan.cost, onDemand)+c.shares, utilisation(plan.used, plan.held)+c.shares
			for _, p := range []plannerName{periodic, hgr} {
				s, used, paths := r.plain[p].shared, paper.sharedUsed[p], paper.paths[p]
				used[k] = utilisation(s.hoursOf(i), r.plain[p].plans[i].held) + c.shares
				for j, other := range r.centres {
					paths[k][other.known] = float64(s.moved[i][j]) / gigabyte * c.traffic
				}
				paper.sharedUsed[p], paper.paths[p] = used, paths
			}
		}
		paper.hgr, paper.hgrUsed = money(r.plain[hgr].cost), r.plain[hgr].utilisation()+c.shares
		for p, alone := range map[plannerName]pricing.Money{hgr: paper.hgr, periodic: 0} {
			for k, m := range paper.onDemand {
				if p == periodic {
					alone += pricing.Money(math.Round(float64(m) * (1 - paper.periodicSaved[k])))
				}
			}
			paper.shared[p] = [3]pricing.Money{pricing.Money(float64(alone) * (1 - r.plain[p].saved() - c.shares)), 0, 0}
		}
		x, worst, counts := r.at(rhoFull, 13), r.at(rhoFull, 23), map[int]int64{}
		erred := r.erred[rhoFull]
		// Amounts are compared as shares of what all costs on demand.
		paper.rho = money(x.cost + pricing.Money(c.shares*float64(r.onDemand)))
		paper.rhoWorst = money(worst.cost + pricing.Money(c.shares*float64(r.onDemand)))
		paper.rhoUsed, paper.rhoWorstUsed, paper.rhoSharedUsed = x.utilisation()+c.shares, worst.utilisation()+c.shares, x.shared.used()+c.shares
		paper.rhoShared = pricing.Money(float64(paper.rho) * (1 - x.saved() - c.shares))
		paper.rhoErrors = [3]pricing.Money{erred[0].cost, 0, erred[2].cost + pricing.Money(c.shares*float64(erred[0].cost))}
		paper.rhoErrorsUsed = [3]float64{erred[0].utilisation() + c.shares, 0, erred[2].utilisation()}
		paper.rhoSent = [3]float64{erred[0].sent() * c.traffic, 0, erred[0].sent() * c.traffic * (erred[2].sent()/erred[0].sent() + c.shares)}
		for _, lambda := range []int{23, 24, 600} {
			counts[lambda] = int64(math.Round(float64(r.at(rhoFull, lambda).count) / c.amounts * (1 + c.shares)))
		}
		paper.rhoCount = counts
		f := &findings{results: r}
		f.windows()
		f.shortJobs()
		f.plans()
		f.sharing()
		g := &findings{results: &one}
		g.rolling()
		h := &findings{results: r}
		h.rolling()
		f.list = append(append(f.list, g.list...), h.list[len(h.list)-1])
		if len(f.list) != 21 {
			t.Errorf("%s: %d figures, want 21", c.what, len(f.list))
		}
		for _, x := range f.list {
			if got := x.Verdict == finding.CameOut; got != c.want {
				t.Errorf("%s: %v", c.what, x)
			}
		}
	}
}

// split parts texts into those that begin, after their verdict, with one of the beginnings,
// which have "|" between them, and the others.
func split(texts []string, beginnings string) (with, without []string) {
	for _, s := range texts {
		_, says, _ := strings.Cut(s, ": ")
		if slices.ContainsFunc(strings.Split(beginnings, "|"), func(b string) bool { return strings.HasPrefix(says, b) }) {
			with = append(with, s)
		} else {
			without = append(without, s)
		}
	}
	return with, without
}

// The notes of logs that have the paper's names and another window say which window the
// paper's is, in the order of the logs.
func TestNotes(t *testing.T) {
	args := likePaper(t, "-reserve", "hgr", "-error", "0", "-hours", "24")
	_, notes := tested.Must(t, args...)
	got := notes
	for path := range strings.SplitSeq(args[1], ",") {
		got = strings.ReplaceAll(got, path, filepath.Base(path))
	}
	programtest.Golden(t, "like-paper-notes.txt", got)
	for args, want := range map[string]string{
		"-centres 2 -hours 24 -reserve hgr": "federation: no -traces, so 2 made-up centres, seed 1\n",
		"-seed 7 -hours 24 -reserve hgr":    "federation: no -traces, so three made-up centres, seed 7\n",
	} {
		if _, got := tested.Must(t, strings.Fields(args)...); got != want {
			t.Errorf("%s: notes %q, want %q", args, got, want)
		}
	}
}

// What the program writes about small centres, whole, for each way to use it.
func TestTexts(t *testing.T) {
	args := small(t)
	one := []string{"-traces", programtest.Write(t, "alone.swf", eastLog), "-hours", "24"}
	made := []string{"-hours", "24"}
	for _, c := range []struct {
		name string
		base []string
		more string
	}{
		{"all", args, "-reserve all"},
		{"long", args, "-reserve all -error 0 -hours 49 -lambda 20 -share lender"},
		{"rolling", args, "-reserve rho -hours 30 -lambda 30 -error 0,0.1,0.3"},
		{"rolling-json", args, "-reserve rho-last -json -error 0 -lambda 2"},
		{"one", one, "-reserve rho-full,hgr -lend 0:1"},
		{"tempting", made, "-reserve hgr -error 0 -hours 48 -lend 0:1.5,0.5:1,1:0"},
		{"dear", made, "-reserve hgr -error 0 -lend 0:1000"},
		{"coalitions-1", one, "-coalitions"},
		{"coalitions-2", args, "-coalitions"},
		{"coalitions-2-json", args, "-coalitions -json -reserve periodic"},
		{"coalitions-3", made, "-coalitions -centres 3 -reserve exact"},
		{"coalitions-5", made, "-coalitions -centres 5 -seed 3"},
		{"schemes", args, "-schemes -reserve exact"},
		{"schemes-json", args, "-schemes -json -volume 12:0.5 -terms 6:1.5,24:1"},
	} {
		words := strings.Fields(c.more)
		stdout, _ := tested.Must(t, append(slices.Clone(c.base), words...)...)
		if !slices.Contains(words, "-json") {
			programtest.Narrow(t, stdout, 80)
		}
		programtest.Golden(t, "texts/"+c.name+".txt", stdout)
	}
}

// What the pictures show, number by number.
func TestCharts(t *testing.T) {
	text := ""
	for _, args := range [][]string{{"-reserve", "hgr,rho-last", "-error", "0,0.4", "-hours", "50"}, {"-reserve", "rho-first,rho-deferred", "-error", "0"}} {
		for _, c := range evaluated(t, small(t, args...)...).charts() {
			text += fmt.Sprintf("%s | %s | %s | %s\n", c.Title, c.X, c.Y, strings.Join(c.Labels, ", "))
			for _, s := range c.Series {
				text += fmt.Sprintf("  %s, points %v, steps %v\n    %.5g\n    %.5g\n", s.Name, s.Points, s.Steps, s.X, s.Y)
			}
		}
	}
	programtest.Golden(t, "charts.txt", text)
}

// What is said of coalitions with an empty core, of parting, of all together leaving, and of
// more coalitions than are listed.
func TestEmptyCore(t *testing.T) {
	const unit = pricing.Unit
	r := &results{o: &options{hours: 24}}
	for _, name := range []string{"north", "east", "south", "west"} {
		r.centres = append(r.centres, &centre{site: site{Name: name, OnDemand: unit, Reservation: 12 * unit, Traffic: unit}, demand: []int{1}, total: 1, jobs: make([]trace.Job, 1)})
	}
	c := &coalitions{planner: hgr, fees: []pricing.Money{unit, 2 * unit, 3 * unit, 4 * unit}, alone: []pricing.Money{11 * unit, 12 * unit, 13 * unit, 14 * unit}, total: 50 * unit, asked: 15, proved: 14, partCost: 38 * unit}
	c.costs = make(coalition.Costs, 16)
	for s := range c.costs {
		c.costs[s] = 10 * unit * pricing.Money(coalition.Set(s).Len())
	}
	c.costs[coalition.Of(0, 1)], c.costs[coalition.Of(2, 3)], c.costs[15] = 18*unit, 20*unit, 40*unit
	c.core = coalition.Core{Empty: true, Slack: -unit, Den: 2, Proof: []coalition.Weighted{{Set: coalition.Of(0, 1), Weight: 2}, {Set: coalition.Of(2), Weight: 1}, {Set: coalition.Of(1, 2, 3), Weight: 1}}}
	c.parts = []coalition.Set{coalition.Of(0, 1), coalition.Of(2, 3)}
	d := division{name: "core", about: "about it", shares: []pricing.Money{unit, unit, unit, unit}}
	for s := coalition.Set(1); s <= 10; s++ {
		d.leave = append(d.leave, coalition.Departure{Set: 16 - s, Gain: unit * pricing.Money(11-s)})
	}
	c.divisions = []division{d, {name: "Shapley", about: "about that", shares: d.shares, errors: []pricing.Money{unit, unit, unit, 2 * unit}, leave: d.leave[1:9]}, {name: "prices", shares: d.shares}, {name: "Alg. 3", shares: d.shares}}
	r.coalitions = c
	var page table.Page
	if err := r.text(&page); err != nil {
		t.Fatal(err)
	}
	c.costs = nil // with more centres
	r.writeCoalitions(&page)
	c.costs, c.core, c.parts = make(coalition.Costs, 16), coalition.Core{Slack: unit}, c.parts[:1]
	r.writeCore(&page)
	c.certain = true
	r.writeCore(&page)
	programtest.Golden(t, "texts/empty-core.txt", page.String())
	c.core = coalition.Core{Empty: true, Slack: -unit, Den: 2, Proof: []coalition.Weighted{{Set: 3, Weight: 2}}}
	page.Reset()
	if err := jsonrows.Write(&page, r.rows()); err != nil {
		t.Fatal(err)
	}
	programtest.Golden(t, "texts/empty-core-json.txt", page.String())
}

// What the library refuses comes up as an error from wherever it was found, without results.
func TestRefused(t *testing.T) {
	const limit = maxCost / maxTerms
	whole := func(change func(o *options, c *centre)) (*options, []*centre) {
		o, err := program.Options("-hours", "24", "-reserve", "hgr", "-terms", "24:1")
		if err != nil {
			t.Fatal(err)
		}
		c := &centre{site: site{Name: "a", OnDemand: pricing.Unit, Reservation: 12 * pricing.Unit}, demand: make([]int, 24), disk: []int64{5, 5}}
		for user := range 2 {
			c.jobs = append(c.jobs, trace.Job{Run: time.Hour, Estimate: time.Hour, Nodes: 1, User: user})
		}
		c.demand[0], c.total = 2, 2
		change(&o, c)
		return &o, []*centre{c}
	}
	task := func(o *options, c *centre) { c.jobs[1].Nodes = -1 }
	demand := func(o *options, c *centre) { c.demand[1] = -1 }
	discount := func(o *options, c *centre) { o.volume.Tiers[0].Discount = 2 }
	dear := func(o *options, c *centre) { c.OnDemand = limit + 1; c.Reservation = 24 * limit }
	dearTogether := func(o *options, c *centre) { c.OnDemand = limit/2 + 1; c.Reservation = 24 * limit }
	dearest := func(o *options, c *centre) { c.OnDemand = maxCost; c.total = 3 }
	none := func(o *options, c *centre) {}
	var s sharer
	plans := func(centres []*centre) []*plan { return []*plan{{active: make([]int, 24)}} }
	scheme := func(f func(o *options, centres []*centre) (*scheme, error)) func(o *options, centres []*centre) error {
		return func(o *options, centres []*centre) error {
			r, err := f(o, centres)
			if err != nil && r != nil {
				t.Errorf("an error, and a result: %+v", r)
			}
			return err
		}
	}
	ways := map[string]struct {
		run  func(o *options, centres []*centre) error
		with []func(o *options, c *centre)
	}{
		"terms":   {scheme((*options).byTerm), []func(o *options, c *centre){task, demand, dear, dearTogether}},
		"volume":  {scheme((*options).byVolume), []func(o *options, c *centre){demand, discount}},
		"sizes":   {scheme((*options).bySize), []func(o *options, c *centre){task, dearTogether}},
		"schemes": {func(o *options, centres []*centre) error { _, err := o.planSchemes(centres, cli.Quiet()); return err }, []func(o *options, c *centre){task, demand, discount, dear, dearTogether, dearest}},
		"evaluation": {func(o *options, centres []*centre) error {
			r, err := o.evaluate(centres, cli.Quiet())
			if err != nil && r != nil && centres[0].demand[1] == 0 && centres[0].jobs[1].Nodes > 0 {
				t.Errorf("an error, and results: %+v", r)
			}
			return err
		}, []func(o *options, c *centre){task, demand, dearest}},
		"coalitions": {func(o *options, centres []*centre) error {
			r, err := o.form(centres, cli.Quiet())
			if err != nil && r != nil {
				t.Errorf("an error, and coalitions: %+v", r)
			}
			return err
		}, []func(o *options, c *centre){task, demand}},
		"every coalition": {func(o *options, centres []*centre) error {
			return new(coalitions).exactly(members(centres, plans(centres), nil), tasks(centres), cli.Quiet())
		}, []func(o *options, c *centre){task}},
		"a sample of coalitions": {func(o *options, centres []*centre) error {
			return new(coalitions).sampled(o, members(centres, plans(centres), nil), tasks(centres), cli.Quiet())
		}, []func(o *options, c *centre){task}},
		"division by prices": {func(o *options, centres []*centre) error {
			return new(coalitions).byPrices(members(centres, plans(centres), nil), tasks(centres))
		}, []func(o *options, c *centre){task}},
		"division by Algorithm 3": {func(o *options, centres []*centre) error {
			return new(coalitions).byAlgorithm3(o, members(centres, plans(centres), nil), tasks(centres))
		}, []func(o *options, c *centre){task}},
		"the optimum of sharing": {func(o *options, centres []*centre) error {
			_, err := s.best(centres, &outcome{plans: plans(centres)}, tasks(centres))
			return err
		}, []func(o *options, c *centre){task}},
		"the joint bound": {func(o *options, centres []*centre) error { _, err := o.jointBound(centres, tasks(centres)); return err }, []func(o *options, c *centre){task, func(o *options, c *centre) { c.OnDemand = -1 }}},
		"sharing": {func(o *options, centres []*centre) error {
			_, err := s.share(centres, plans(centres), nil, tasks(centres), o.reading())
			return err
		}, []func(o *options, c *centre){task, func(o *options, c *centre) { c.OnDemand = -1 }}},
	}
	for what, way := range ways {
		if o, centres := whole(none); way.run(o, centres) != nil {
			t.Errorf("%s: refused with nothing wrong: %v", what, way.run(o, centres))
		}
		for k, wrong := range way.with {
			if err := way.run(whole(wrong)); err == nil {
				t.Errorf("%s, mistake %d: no error", what, k)
			} else if testing.Verbose() {
				t.Logf("%s, mistake %d: %v", what, k, err)
			}
		}
	}
}
