//go:build unix

package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	scaled "github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/fsck"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/internal/spotprices"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/tools/cap3/internal/runner"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

// runUsage is what run -h prints.
const runUsage = `Usage: go run ./examples/tools/cap3 run -tasks FILE [flags]

Carries tasks with deadlines out: requests instances on spot or on demand, starts the
tasks, watches for interruptions, moves tasks, and gives instances back. It may be
killed at any moment; with the same -journal it goes on. It exits with 1 if a task fails
or misses its deadline, after it has written the results. go doc ./examples/tools/cap3
has the columns of -tasks, what commands and tasks find and write, and the charges.

  -tasks FILE          the tasks, a line each
  -journal FILE        what is done; the tasks are kept in FILE.tasks, so that later
                       runs need no -tasks
  -provider NAME       who rents out instances (default made-up)
                         made-up  nobody: a made-up clock, to see what would be done;
                                  takes no -journal. The costs are compared with those
                                  of the simulator
                         local    instances are processes of this machine, in -dir
                         exec     your own commands: -create, -delete, -list, -submit,
                                  -status, and perhaps -move and -save
  -dir DIR             of local: it exists, and is empty at first
  -hour D              how long an hour of the clock takes, for local (default 1h)
  -poll D              between two looks at instances (default 5s)
  -create COMMAND      of exec: rents an instance, and writes a line about it
  -delete COMMAND      ends an instance, and writes its line
  -list COMMAND        writes a line for each instance
  -status COMMAND      writes what became of a task on a cluster
  -submit COMMAND      starts a task on instances
  -move COMMAND        brings what is saved of a task there, before -submit
  -save COMMAND        has a task save its progress: at checkpoints, and before an
                       instance is given back
  -rule NAME           paper, safe, no-return, hedged or planned (default no-return)
  -th1 X               a task of less PR goes on demand, Table II (default 1)
  -th2 X               a task of more PR goes on spot with a low bid (default 2)
  -latency D           from the request for instances until the task runs (default 5m)
  -checkpoint-cost D   to save, and to read back (default 1m)
  -on-demand AMOUNT    price of an instance-hour (default 1.30)
  -spot FILE           spot prices, as for planning; bids go by them (default: the
                       MADE-UP history). With made-up and local the tasks begin 30
                       days after the first price, or in the middle of a history of
                       less than 60 days, and pay these prices. With exec bids go by
                       the last price and those before
  -instance NAME       type of instance in the file (default: the only one)
  -zone NAME           of the file (default: the only one)
  -product NAME        of the file (default Linux/UNIX)
  -seed N              of the made-up history (default 1)
  -fsck                with -journal alone: say whether the journal is whole, and end
  -json                print an array of objects instead of a table
  -h                   print this
`

var runProgram = &cli.Program[runOptions, *ran]{
	Name: "cap3 run", Usage: runUsage, Define: defineRun, Work: carryOut, Text: (*ran).text, Rows: (*ran).rows,
	Verdict: (*ran).verdict,
	Kept:    "with -journal, instances and tasks stay, and the same call goes on with them",
}

func init() {
	commands["run"] = func(args []string, stdout, stderr io.Writer) int {
		if fsck.Asked(args) {
			return cli.Exit(stderr, runProgram.Name, fsck.Run(runProgram.Name, "journal", runner.Check, args, stdout))
		}
		return runProgram.Run(args, stdout, stderr)
	}
}

// runOptions are the flags of run.
type runOptions struct {
	tasks, journal, dir  string
	provider             int
	hour, poll           time.Duration
	create, delete, list string
	submit, status       string
	move, save           string
	rule                 int // in rules
	thresholds           spot.Thresholds
	prices               options
}

const (
	madeUpCloud = iota
	localCloud
	execCloud
)

func defineRun(o *runOptions, f *cli.Flags) {
	*o = runOptions{hour: time.Hour, poll: 5 * time.Second, rule: 2}
	p := &o.prices
	*p = options{latency: 5 * time.Minute, checkpointCost: time.Minute, onDemand: 130 * cents, seed: 1, product: "Linux/UNIX"}
	o.thresholds = spot.Thresholds{Medium: 1, Low: 2}
	f.File("tasks", &o.tasks)
	f.Name("journal", &o.journal, "the name of a file")
	f.Switch("fsck", new(bool)) // see init
	f.Name("dir", &o.dir, "the name of a folder")
	cli.Choice(f, "provider", &o.provider, "made-up", "local", "exec")
	positive := func(d time.Duration) bool { return d > 0 && d <= maxSpan }
	f.Span("hour", &o.hour, "a span of time above 0", func(d time.Duration) bool { return positive(d) && d <= time.Hour })
	f.Span("poll", &o.poll, "a span of time above 0", positive)
	for name, to := range map[string]*string{"create": &o.create, "delete": &o.delete, "list": &o.list, "submit": &o.submit, "status": &o.status,
		"move": &o.move, "save": &o.save} {
		f.Name(name, to, "a command")
	}
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	cli.Choice(f, "rule", &o.rule, names...)
	threshold := func(x float64) bool { return x >= -maxThreshold && x <= maxThreshold }
	f.Float("th1", &o.thresholds.Medium, "a number, such as 1", threshold)
	f.Float("th2", &o.thresholds.Low, "a number, such as 2", threshold)
	f.Span("latency", &p.latency, "a span of time that is not negative", func(d time.Duration) bool { return d >= 0 && d <= maxSpan })
	f.Span("checkpoint-cost", &p.checkpointCost, "a span of time that is not negative", func(d time.Duration) bool { return d >= 0 && d <= maxSpan })
	f.Money("on-demand", &p.onDemand, "a price above 0, such as 1.30", func(m pricing.Money) bool { return m > 0 && m <= maxAmount*pricing.Unit })
	f.File("spot", &p.spot)
	f.Name("instance", &p.instance, "a name")
	f.Name("zone", &p.zone, "a name")
	f.Name("product", &p.product, "a name")
	f.Seed(&p.seed)
	f.Check(func() error {
		switch {
		case o.thresholds.Medium > o.thresholds.Low:
			return fmt.Errorf("-th1 %v: want at most -th2, %v", o.thresholds.Medium, o.thresholds.Low)
		case o.provider == madeUpCloud && o.journal != "":
			return errors.New("-journal: made-up rents nothing that a later run could go on with: want no -journal, or -provider local or exec")
		case o.provider != madeUpCloud && o.journal == "":
			return errors.New("-journal: want the name of a file, so that instances are known after an interrupt")
		case o.tasks == "" && o.journal == "":
			return errors.New("-tasks: want a file with the tasks; -h tells its columns")
		case o.provider == localCloud && o.dir == "":
			return errors.New("-dir: want a folder for the instances")
		case o.provider == execCloud && (o.create == "" || o.delete == "" || o.list == "" || o.submit == "" || o.status == ""):
			return errors.New("-provider exec: want -create, -delete, -list, -submit and -status")
		}
		return nil
	})
}

// keptTasks is what FILE.tasks has.
type keptTasks struct {
	Origin   time.Time
	Provider int
	Hour     time.Duration
	Tasks    []runner.Task
	Run      []time.Duration // what they take, made-up
}

// readTasks reads a list of tasks that begin at a time.
func (o *runOptions) readTasks(start time.Duration) (k keptTasks, err error) {
	text, err := infile.ReadAll("-tasks", o.tasks)
	if err != nil {
		return k, err
	}
	in := csv.NewReader(strings.NewReader(string(text)))
	rows, err := in.ReadAll()
	if err != nil {
		return k, cli.Mistakef("-tasks %s: %w", o.tasks, err)
	}
	if len(rows) < 2 {
		return k, cli.Mistakef("-tasks %s: there is no task in it", o.tasks)
	}
	columns := []string{"name", "estimate", "deadline", "instances", "command", "checkpoint", "runtime"}
	for i, title := range rows[0] {
		if !slices.Contains(columns, title) {
			return k, cli.Mistakef("-tasks %s: line 1: there is a column %q: want %s", o.tasks, title, cli.Series(columns, "and"))
		}
		if slices.Contains(rows[0][:i], title) {
			return k, cli.Mistakef("-tasks %s: line 1: there are two columns %q: want one", o.tasks, title)
		}
	}
	for i, row := range rows[1:] {
		cell := func(name string) string {
			if c := slices.Index(rows[0], name); c >= 0 {
				return row[c]
			}
			return ""
		}
		wrong := func(name, want string) (keptTasks, error) {
			return k, cli.Mistakef("-tasks %s: line %d (%s): %q: want %s", o.tasks, i+2, name, cell(name), want)
		}
		t := runner.Task{Name: cell("name"), Submit: start, Command: cell("command")}
		t.ID, t.Latency, t.Instances = int64(i), o.prices.latency, 1
		if t.Name == "" || slices.ContainsFunc(k.Tasks, func(x runner.Task) bool { return x.Name == t.Name }) {
			return wrong("name", "a name that no other task has")
		}
		var run time.Duration
		for name, to := range map[string]*time.Duration{"estimate": &t.Estimate, "deadline": &t.Deadline, "checkpoint": &t.Checkpoints.Every, "runtime": &run} {
			needed := name == "estimate" || name == "deadline"
			if cell(name) == "" && !needed {
				continue
			}
			if *to, err = time.ParseDuration(cell(name)); err != nil || *to <= 0 || *to > maxSpan {
				return wrong(name, "a span of time above 0, such as 2h")
			}
		}
		if s := cell("instances"); s != "" {
			if t.Instances, err = strconv.Atoi(s); err != nil || t.Instances < 1 || t.Instances > 10_000 {
				return wrong("instances", "a whole number from 1 to 10000")
			}
		}
		if t.Checkpoints.Every > 0 {
			t.Checkpoints.Write, t.Checkpoints.Restart = o.prices.checkpointCost, o.prices.checkpointCost
		}
		if run == 0 {
			run = t.Estimate
		}
		if o.provider == localCloud && t.Command == "" {
			return wrong("command", "a command for -provider local")
		}
		t.Deadline += start
		if err := t.Validate(); err != nil {
			return k, cli.Mistakef("-tasks %s: line %d: %w", o.tasks, i+2, cli.Plain(err))
		}
		k.Tasks, k.Run = append(k.Tasks, t), append(k.Run, run)
	}
	return k, nil
}

// keep returns the tasks of the journal, or keeps those of -tasks for it.
func (o *runOptions) keep(start time.Duration) (k keptTasks, err error) {
	name := o.journal + ".tasks"
	if o.journal != "" {
		text, err := os.ReadFile(name)
		if err == nil {
			if text, err = chain.Open("tasks", text); err == nil {
				err = json.Unmarshal(text, &k)
			}
			if err != nil || len(k.Tasks) == 0 || len(k.Run) != len(k.Tasks) {
				return k, cli.Mistakef("%s: these are no tasks of cap3 run: want another -journal", name)
			}
			return k, o.same(&k)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return k, cli.Mistakef("%w", err)
		}
		if o.tasks == "" {
			return k, cli.Mistakef("-journal %s: there is no journal there yet: want -tasks, too", o.journal)
		}
	}
	if k, err = o.readTasks(start); err != nil || o.journal == "" {
		return k, err
	}
	k.Origin, k.Provider, k.Hour = time.Now().Add(-o.unscaled(start)).Round(0), o.provider, o.hour
	text, err := json.Marshal(k)
	if err != nil {
		return k, err
	}
	if err := os.WriteFile(name+".new", chain.Seal("tasks", text), 0o600); err != nil {
		return k, cli.Mistakef("%w", err)
	}
	return k, os.Rename(name+".new", name)
}

// same returns an error if a journal cannot go on with the flags.
func (o *runOptions) same(k *keptTasks) error {
	switch {
	case k.Provider != o.provider:
		return cli.Mistakef("-provider: the journal %s is of another provider: want the same, or another -journal", o.journal)
	case k.Hour != o.hour:
		return cli.Mistakef("-hour %v: the journal %s has hours of %v: want the same, or another -journal", o.hour, o.journal, k.Hour)
	case o.tasks == "":
		return nil
	}
	now, err := o.readTasks(k.Tasks[0].Submit)
	if err == nil && (!slices.Equal(now.Tasks, k.Tasks) || !slices.Equal(now.Run, k.Run)) {
		err = cli.Mistakef("-tasks %s: the journal %s is of other tasks, or of another -latency or -checkpoint-cost: want the same, or another -journal",
			o.tasks, o.journal)
	}
	return err
}

func (o *runOptions) unscaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * float64(o.hour) / float64(time.Hour))
}

// A ran task list is what run prints.
type ran struct {
	tasks     []runner.Task
	results   []runner.Result
	simulated *spotsim.Result
	start     time.Duration
	total     pricing.Money // at most
	least     pricing.Money
}

// carryOut runs tasks.
func carryOut(o *runOptions, run *cli.Run) (*ran, error) {
	in := &input{}
	p := &o.prices
	p.deadline = 0
	if p.spot == "" {
		in.spot, in.history = pricing.EC2SpotHourly, spotprices.MadeUp(p.onDemand, p.seed)
		in.instance = sizing.InstanceType{Name: "made-up", Hourly: p.onDemand, Meter: pricing.EC2Hourly}
	} else {
		p.ppn = 1 // which is not asked for here
		if err := p.readInstance(in); err != nil {
			return nil, err
		}
		in.instance.Hourly = p.onDemand
	}
	h := in.history
	start := h.Start() + min(pastWanted, h.Span()/2)
	if o.provider == execCloud {
		start = 0
	}
	k, err := o.keep(start)
	if err != nil {
		return nil, err
	}
	out := &ran{tasks: k.Tasks, start: k.Tasks[0].Submit}
	handover := spot.Handover{Rule: rules[o.rule].rule, Thresholds: o.thresholds}
	at := func(now time.Duration) time.Duration { // of the history
		if o.provider == execCloud {
			return h.End // the last price known
		}
		return max(h.Start(), now)
	}
	ro := runner.Options{
		Journal: o.journal, Tasks: k.Tasks, Handover: handover,
		Bid: func(_ *spot.Task, tier spot.Tier, now, _ time.Duration) pricing.Money {
			if tier == spot.TierLow {
				return spot.LowBid(h, at(now), p.onDemand)
			}
			return spot.MediumBid(h, at(now), p.onDemand)
		},
		Note: func(now time.Duration, i int, what string) {
			run.Sayf("%s: %s: %s", clockOf(now-out.start), k.Tasks[i].Name, what)
		},
	}
	var plan func(*spot.Task, spot.BidState) spot.BidDecision
	if handover.Rule == spot.RulePlanned {
		if plan, err = o.plans(in, k.Tasks, at); err != nil {
			return nil, err
		}
		ro.Plan = func(i int, s spot.BidState) spot.BidDecision { return plan(&k.Tasks[i].Task, s) }
	}
	if o.provider == madeUpCloud {
		return out, o.dryRun(in, k, ro, plan, out)
	}
	c := scaled.New(k.Origin, o.hour)
	cloud := &runner.Instances{Every: 10 * o.poll, Type: p.instance, Clock: c, Tasks: k.Tasks, OnDemand: p.onDemand, Spot: in.spot,
		Meter: in.instance.Meter, Fresh: o.poll / 2}
	if o.provider == localCloud {
		jobs := &runner.Local{Dir: o.dir, Clock: c, Boot: p.latency / 2}
		if o.dir, err = filepath.Abs(o.dir); err == nil {
			jobs.Dir = o.dir
			_, err = os.ReadDir(o.dir)
		}
		if err != nil {
			return nil, cli.Mistakef("-dir: %w", err)
		}
		local := jobs.Provider()
		cloud.Jobs, cloud.Provider, cloud.History = jobs, local, &h
		cloud.Renter = func(runner.Request) provider.Provider { return local }
	} else {
		cloud.Jobs = &runner.Commands{StatusCommand: o.status, MoveCommand: o.move, SubmitCommand: o.submit, SaveCommand: o.save}
		base := provider.Exec{CreateCommand: o.create, DeleteCommand: o.delete, ListCommand: o.list}
		cloud.Provider = &base
		cloud.Renter = func(q runner.Request) provider.Provider {
			e := base
			e.Environment = []string{"PLIMSOLL_TIER=" + q.Tier.String(), "PLIMSOLL_BID=" + q.Bid.String(), "PLIMSOLL_TASK=" + k.Tasks[q.Task].Name}
			return &e
		}
	}
	ro.Cloud, ro.Retry = cloud, c.Scaled(max(o.poll, time.Second))
	r, err := runner.Open(ro)
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	defer r.Close()
	for {
		happened, err := r.Step(c.Now())
		if err != nil {
			return nil, err
		}
		if happened {
			continue
		}
		if r.Done() {
			break
		}
		time.Sleep(o.poll)
	}
	return out, out.add(r)
}

// plans solves a plan for each task, by the prices before.
func (o *runOptions) plans(in *input, tasks []runner.Task, at func(time.Duration) time.Duration) (func(*spot.Task, spot.BidState) spot.BidDecision, error) {
	planners := make([]spot.Planner, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		chains := spot.ChainEstimator{Step: spotprices.Step(t.Deadline - t.Submit)}
		now := at(t.Submit)
		chain, err := chains.Estimate(in.history, max(in.history.Start(), now-pastWanted), now)
		if err == nil {
			err = planners[i].Solve(spot.Market{Chain: chain, Spot: in.spot, OnDemand: o.prices.onDemand, Meter: in.instance.Meter, Beside: true}, &t.Task, t.Submit)
		}
		if err != nil {
			return nil, cli.Mistakef("%s: %w", t.Name, cli.Plain(err))
		}
	}
	return func(t *spot.Task, s spot.BidState) spot.BidDecision {
		s.Price = in.history.At(at(s.Now))
		return planners[t.ID].Decide(s)
	}, nil
}

// dryRun runs tasks on a made-up clock, and compares with the simulator.
func (o *runOptions) dryRun(in *input, k keptTasks, ro runner.Options, plan func(*spot.Task, spot.BidState) spot.BidDecision, out *ran) error {
	if ro.Journal == "" {
		dir, err := os.MkdirTemp("", "cap3-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		ro.Journal = filepath.Join(dir, "journal")
	}
	m := &runner.Market{History: in.history, OnDemand: o.prices.onDemand, Spot: in.spot, Meter: in.instance.Meter, Tasks: k.Tasks, Runtimes: k.Run, Now: out.start}
	ro.Cloud = m
	r, err := runner.Open(ro)
	if err != nil {
		return cli.Mistakef("%w", err)
	}
	defer r.Close()
	for {
		happened, err := r.Step(m.Now)
		if err != nil {
			return err
		}
		if happened {
			continue
		}
		next := min(r.Next(), m.Next())
		if r.Done() || next == spot.Never {
			break
		}
		m.Now = next
	}
	var list []spotsim.Task
	for i := range k.Tasks {
		list = append(list, spotsim.Task{Task: k.Tasks[i].Task, Submit: k.Tasks[i].Submit, Runtime: k.Run[i]})
	}
	var s spotsim.Simulator
	res, err := s.Run(list, spotsim.Options{
		History: in.history, OnDemand: o.prices.onDemand, Spot: in.spot, Meter: in.instance.Meter, Handover: ro.Handover, Bid: ro.Bid, Plan: plan,
	})
	if err != nil {
		return err
	}
	out.simulated = &res
	return out.add(r)
}

func (out *ran) add(r *runner.Runner) error {
	for i := range out.tasks {
		res, err := r.Result(i)
		if err == nil {
			out.total, err = out.total.Add(res.Cost)
		}
		if err == nil {
			out.least, err = out.least.Add(res.Least)
		}
		if err != nil {
			return err
		}
		out.results = append(out.results, res)
	}
	return nil
}

// clockOf is a time of the clock for people.
func clockOf(d time.Duration) string {
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// A fate is what became of a task.
type fate int

const (
	met fate = iota
	missed
	failed
	notDone
	fates // how many
)

func (out *ran) fate(i int) fate {
	switch r := out.results[i]; {
	case out.results[i].Failed != "":
		return failed
	case !r.Done:
		return notDone
	case r.Met:
		return met
	}
	return missed
}

// count returns how many tasks had each fate.
func (out *ran) count() (n [fates]int) {
	for i := range out.results {
		n[out.fate(i)]++
	}
	return n
}

// verdict is an error if a task is not done in time.
func (out *ran) verdict() error {
	n := out.count()
	if n[met] == len(out.results) {
		return nil
	}
	var list []string
	for k, what := range map[fate]string{missed: "missed the deadline", failed: "failed", notDone: "not done"} {
		if n[k] > 0 {
			list = append(list, fmt.Sprintf("%d %s", n[k], what))
		}
	}
	slices.Sort(list)
	return fmt.Errorf("of %s %s", decimal.Count(len(out.results), "task"), cli.Series(list, "and"))
}

func (out *ran) text(w *table.Page) error {
	titles := "<task|<|finish|leases|cost, $"
	if out.simulated != nil {
		titles += "|simulated, $"
	}
	var rows [][]string
	for i, r := range out.results {
		what := [fates]string{"met", "MISSED", "FAILED: " + out.results[i].Failed, "NOT DONE"}[out.fate(i)]
		row := []string{table.Clip(out.tasks[i].Name, 30), what, clockOf(r.Finish - out.start), strconv.Itoa(r.Leases), between(r.Least, r.Cost)}
		if out.simulated != nil {
			row = append(row, dollars(out.simulated.Tasks[i].Cost))
		}
		rows = append(rows, row)
	}
	their := "their deadlines"
	if len(rows) == 1 {
		their = "its deadline"
	}
	w.Sayf("%d of %s met %s; paid $%s.", out.count()[met], decimal.Count(len(rows), "task"), their, between(out.least, out.total))
	if out.simulated != nil {
		same := "the same"
		if out.simulated.Cost != out.total {
			same = "OTHERWISE"
		}
		w.Sayf("MADE-UP clock: nothing was rented. The simulator has $%s: %s. All on demand: $%s.", dollars(out.simulated.Cost), same,
			dollars(out.simulated.OnDemandOnly))
	}
	tabulate(w, titles, rows)
	for i, r := range out.results {
		if len(r.Unsure) > 0 {
			w.Sayf("%s: the provider's bill tells the cost: %s.", out.tasks[i].Name, strings.Join(r.Unsure, "; "))
		}
	}
	return nil
}

// between is an amount that is known to lie between two.
func between(least, most pricing.Money) string {
	if least == most {
		return dollars(most)
	}
	return dollars(least) + " to " + dollars(most)
}

func (out *ran) rows() any {
	rows := []jsonrows.Row{}
	for i, r := range out.results {
		var failed, simulated, unsure any
		if out.results[i].Failed != "" {
			failed = out.results[i].Failed
		}
		if out.simulated != nil {
			simulated = out.simulated.Tasks[i].Cost
		}
		if len(r.Unsure) > 0 {
			unsure = strings.Join(r.Unsure, "; ")
		}
		rows = append(rows, jsonrows.Row{"task", out.tasks[i].Name, "done", r.Done, "met", out.fate(i) == met, "finish_s", rounded(r.Finish - out.start),
			"leases", r.Leases,
			"cost", r.Cost, "least_cost", r.Least, "unsure", unsure, "simulated_cost", simulated, "failed", failed})
	}
	return rows
}
