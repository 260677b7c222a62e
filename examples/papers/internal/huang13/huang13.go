// Package huang13 repeats the decisions, Tables II to V and Figs. 3 to 5 of [Huang13] for class
// C of the eight NAS Parallel Benchmarks, from a profile of classes S to B that was measured for
// this project on a machine with two cores.
//
// Reference: [Huang13] Huang, Wang, Tak, Wang, Tang, CAP3: A Cloud Auto-Provisioning
// Framework for Parallel Processing Using On-demand and Spot Instances, 2013.
package huang13

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/spotprices"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

const usage = `Usage: go run ./examples/papers huang13 [flags]

The decisions, Tables II to V and Figs. 3 to 5 of [Huang13], for class C of the eight
NAS Parallel Benchmarks, on a made-up history of spot prices. CAP3 chooses as the paper
does, up to 128 processes, however far that is beyond the profile.

  -deadline D          for each task (default 16m, so that some tasks are urgent)
  -budget AMOUNT       for each task, 0 for no limit (default 2)
  -latency D           from the request for instances until the task runs (default 5m)
  -th1 X               a task of less PR goes on demand, Table II (default 1)
  -th2 X               a task of more PR goes on spot with a low bid (default 2)
  -starts N            moments at which each task is tried by each rule (default 50)
  -seed N              of the made-up history (default 1)
  -json                print the claims as an array of objects
  -svg OUT             write a picture of Figs. 3 to 5
  -h                   print this
`

// The medians of up to three runs of each case, runs disturbed by others left out. On more
// than two processes the cores take turns. TestEmbeddedProfile computes the file from the
// single timings.
//
//go:embed npb.csv
var npbProfile []byte

// The features of the benchmarks' classes, as NPB defines them.
//
//go:embed features.csv
var npbFeatures []byte

// options are the flags.
type options struct {
	deadline, latency time.Duration
	budget            pricing.Money
	thresholds        spot.Thresholds
	starts            int
	seed              uint64
}

// A task is class C of a benchmark, and its times.
type task struct {
	name      string
	features  []float64
	counts    perfmodel.Counts
	estimator perfmodel.Estimator
}

// results are what came of the tasks.
type results struct {
	o       *options
	types   []sizing.InstanceType
	cluster sizing.InstanceType
	history pricing.SpotHistory
	from    time.Duration // when tasks are first handed in
	tasks   []task
	figures []figured
	tried   []tried
	shared  claim.Claim
	decided []claim.Claim
}

var program = &cli.Program[options, *results]{
	Name: "papers huang13", Usage: usage, Define: define, Work: evaluate, Text: (*results).text, Rows: func(r *results) any { return r.claims() },
	Files: []cli.File[*results]{{Flag: "svg", Write: func(r *results, w io.Writer) error { return svgplot.WriteCharts(w, r.figureCharts()) }}},
}

// Paper is the subcommand.
var Paper = claim.Paper{Name: "huang13", About: "sizes of parallel runs, on demand or on spot", Run: program.Run}

const (
	maxSpan = 10 * 8760 * time.Hour
	past    = 30 * 24 * time.Hour // of prices that the agents look at
)

func define(o *options, f *cli.Flags) {
	*o = options{deadline: 16 * time.Minute, latency: 5 * time.Minute, budget: 2 * pricing.Unit, thresholds: spot.Thresholds{Medium: 1, Low: 2},
		starts: 50, seed: 1}
	f.Span("deadline", &o.deadline, "a span of time above 0 and up to 720h, such as 2h", func(d time.Duration) bool { return d > 0 && d <= past })
	f.Span("latency", &o.latency, "a span of time that is not negative, such as 5m", func(d time.Duration) bool { return d >= 0 })
	f.Money("budget", &o.budget, "an amount of money that is not negative, such as 1.30", func(m pricing.Money) bool { return m >= 0 && m <= 1e9*pricing.Unit })
	threshold := func(x float64) bool { return math.Abs(x) <= 1e6 }
	f.Float("th1", &o.thresholds.Medium, "a number, such as 1", threshold)
	f.Float("th2", &o.thresholds.Low, "a number, such as 2", threshold)
	f.Int("starts", &o.starts, 1, 10_000, "")
	f.Seed(&o.seed)
	f.Check(func() error {
		switch {
		case o.latency >= o.deadline:
			return fmt.Errorf("-deadline %v: nothing is left of it after -latency %v", o.deadline, o.latency)
		case o.thresholds.Medium > o.thresholds.Low:
			return fmt.Errorf("-th1 %v: want at most -th2, %v", o.thresholds.Medium, o.thresholds.Low)
		}
		return nil
	})
}

// study returns the profiles of the benchmarks, each with its features in its own order.
func study() ([]perfmodel.Profile, error) {
	profiles, err := perfmodel.ReadProfiles(bytes.NewReader(npbProfile))
	if err != nil {
		return nil, err
	}
	for i := range profiles {
		b, err := perfmodel.NPB(profiles[i].Application)
		if err != nil {
			return nil, err
		}
		if profiles[i], err = profiles[i].Arrange(b.Features); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

// featuresOf returns the features of a class, in the order of their names.
func featuresOf(benchmark, class string, names []string) (features []float64) {
	rows, err := csv.NewReader(bytes.NewReader(npbFeatures)).ReadAll()
	for _, row := range rows {
		if row[0] != benchmark || row[1] != class {
			continue
		}
		for _, name := range names {
			x, _ := strconv.ParseFloat(row[slices.Index(row, name)+1], 64)
			features = append(features, x)
		}
	}
	if err != nil || len(features) != len(names) {
		panic("huang13: features.csv lacks " + benchmark + " " + class)
	}
	return features
}

// fit fits all benchmarks together, since they ran on one machine: by the model of the
// machine's memory that has the least error on runs left out one by one.
func (r *results) fit() error {
	profiles, err := study()
	if err != nil {
		return err
	}
	var shapes []perfmodel.Shape
	for i := range profiles {
		shape, _ := perfmodel.BenchmarkOf(&profiles[i])
		shapes = append(shapes, shape)
		profiles[i], _ = profiles[i].Unsaturated()
	}
	models := perfmodel.Candidates(shapes)
	best, _, err := perfmodel.ChooseMachine(nil, models, profiles)
	if err != nil {
		return err
	}
	for i := range profiles {
		p := &profiles[i]
		r.tasks = append(r.tasks, task{p.Application, featuresOf(p.Application, "C", p.Features), p.LikelyCounts(), models[best].Application(i)})
	}
	return nil
}

// evaluate computes everything.
func evaluate(o *options, run *cli.Run) (*results, error) {
	r := &results{o: o, types: sizing.Huang13InstanceTypes(), from: past}
	k, err := sizing.CheapestPerUnit(r.types)
	if err != nil {
		return nil, err
	}
	r.cluster = r.types[k]
	r.history = spotprices.MadeUp(r.cluster.Hourly, o.seed)
	if err := r.fit(); err != nil {
		return nil, err
	}
	for i := range r.tasks {
		run.Showf("%s", r.tasks[i].name)
		f, err := r.figure(&r.tasks[i])
		if err != nil {
			return nil, err
		}
		r.figures = append(r.figures, f)
	}
	if err := r.try(run); err != nil {
		return nil, err
	}
	if r.shared, err = r.share(); err != nil {
		return nil, err
	}
	r.decided, err = decisions()
	return r, err
}

// A tried rule is what came of all tasks at all starts.
type tried struct {
	name           string
	met, missed    int
	cost, onDemand pricing.Money
	interruptions  int
}

// rules are tried on the history.
var rules = []struct {
	name string
	rule spot.Rule
}{{"paper", spot.RulePaper}, {"safe", spot.RuleSafe}, {"no-return", spot.RuleNoReturn}, {"hedged", spot.RuleHedged}, {"planned", spot.RulePlanned}}

// try hands each task in, as far as it is profiled, at moments of the history.
func (r *results) try(run *cli.Run) error {
	var simulator spotsim.Simulator
	var pl sizing.Sizer
	for _, rule := range rules {
		t := tried{name: rule.name}
		for i := range r.tasks {
			x := &r.tasks[i]
			run.Showf("%s: %s", rule.name, x.name)
			p, err := pl.Size(x.estimator, r.cluster, sizing.Target{Features: x.features, Deadline: r.o.deadline - r.o.latency, Budget: r.o.budget, MaxScale: 1,
				Counts: perfmodel.AppendCounts(nil, x.counts, 1, tableIV)})
			if err != nil {
				return err
			}
			for k := range r.o.starts {
				at := r.from + time.Duration(float64(r.history.End-r.o.deadline-r.from)*float64(k)/float64(max(1, r.o.starts-1))).Truncate(time.Second)
				one := spotsim.Task{Submit: at, Runtime: p.Best.Time, Task: spot.Task{ID: int64(k), Estimate: p.Best.Upper, Latency: r.o.latency,
					Instances: p.Best.Instances, Deadline: at + r.o.deadline}}
				res, err := simulator.Run([]spotsim.Task{one}, spotsim.Options{History: r.history, OnDemand: r.cluster.Hourly, Spot: pricing.EC2SpotHourly,
					Meter:    pricing.EC2Hourly,
					Handover: spot.Handover{Rule: rule.rule, Thresholds: r.o.thresholds}, Step: spotprices.Step(r.o.deadline)})
				if err != nil {
					return err
				}
				t.met, t.missed, t.interruptions = t.met+res.Met, t.missed+res.Missed, t.interruptions+res.Interruptions
				t.cost, t.onDemand = t.cost+res.Cost, t.onDemand+res.OnDemandOnly
			}
		}
		r.tried = append(r.tried, t)
	}
	return nil
}

// share has two customers share clusters on demand, four tasks each.
func (r *results) share() (claim.Claim, error) {
	var customers [2]sizing.Customer
	alone, together := pricing.Money(0), pricing.Money(0)
	for i := range r.figures {
		customers[i%2].Runs = append(customers[i%2].Runs, r.figures[i].ours)
		alone += r.figures[i].ours.Cost
	}
	places, err := sizing.Share(customers[:], r.cluster, r.o.deadline-r.o.latency)
	if err != nil {
		return claim.Claim{}, err
	}
	clusters := 0
	for _, list := range places {
		for _, p := range list {
			together += p.Share
			clusters = max(clusters, p.Cluster)
		}
	}
	return judged("VI", "future work: the tasks of several customers share clusters", "", fmt.Sprintf("2 customers: %s, $%s; alone $%s",
		decimal.Count(clusters, "cluster"), dollars(together), dollars(alone)), together <= alone), nil
}

// claims are the figures and the decisions.
func (r *results) claims() []claim.Claim {
	return append(append(r.judgeFigures(), r.decided...), r.shared)
}

// text writes the tables and the claims.
func (r *results) text(w *table.Page) error {
	mark := func(deadline, budget bool) string {
		text := ""
		if deadline {
			text = "in time"
		}
		if budget {
			text = strings.TrimPrefix(text+", within", ", ")
		}
		return text
	}
	var fourth, ratios, rows [][]string
	titles := "<Figs. 3 to 5|CAP3|customer|spot"
	for _, t := range r.types {
		titles += "|" + t.Name
	}
	for i := range r.figures {
		f := &r.figures[i]
		least := min(f.ours.Cost, f.theirs.Cost).Float64()
		fourth = append(fourth, []string{f.name + " C", strconv.Itoa(f.ours.Processes), clock(f.ours.Time), f.tier.String(), mark(f.meets, f.within),
			strconv.Itoa(f.theirs.Processes), mark(f.theirsMeet, f.theirsWithin)})
		spotShare := "-"
		if f.bid > 0 {
			spotShare = decimal.Fixed(f.bid, 2)
		}
		row := []string{f.name + " C", decimal.Fixed(f.ours.Cost.Float64()/least, 2), decimal.Fixed(f.theirs.Cost.Float64()/least, 2), spotShare}
		for k := range f.types {
			row = append(row, decimal.Fixed(f.types[k].Cost.Float64()/f.types[f.cheapest].Cost.Float64(), 2))
		}
		ratios = append(ratios, row)
	}
	w.Table("<Tables IV, V|processes|time|<agent|<CAP3|customer|<", fourth)
	w.Printf("\n")
	w.Table(titles, ratios)
	w.Printf("\n")
	for _, t := range r.tried {
		of := len(r.tasks) * r.o.starts
		rows = append(rows, []string{t.name, "$" + decimal.Fixed(t.cost.Float64()/float64(r.o.starts), 2),
			"$" + decimal.Fixed(t.onDemand.Float64()/float64(r.o.starts), 2),
			decimal.Fixed(100*float64(t.met)/float64(of), 0) + "%", decimal.Int(t.missed), decimal.Int(t.interruptions)})
	}
	w.Table("<rule|cost|on demand|met|missed|interruptions", rows)
	w.Printf("\n")
	w.Sayf("Each task is due in %s for $%s; within is within the budget. Fig. 4: cost of CAP3's size and the customer's (Table IV) on demand, over the lower. "+
		"Fig. 5: the bid over the price on demand. Fig. 3: cost of 25 or 32 processes on each type, over the lowest. "+
		"The rules run all tasks on as many processes as were profiled, from %s "+
		"of a made-up history; costs are means of a start, and missed are deadlines that on demand would have met.",
		clock(r.o.deadline), dollars(r.o.budget), decimal.Count(r.o.starts, "start"))
	w.Printf("\n")
	claim.Write(w, r.claims())
	return nil
}

// dollars is an amount with two decimals.
func dollars(m pricing.Money) string { return m.Fixed(2) }

// clock is a span for people.
func clock(d time.Duration) string {
	if d < time.Minute {
		return decimal.Fixed(d.Seconds(), 1) + "s"
	}
	return decimal.Span(d.Round(time.Second))
}
