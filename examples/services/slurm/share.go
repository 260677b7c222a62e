//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/replay"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// shareUsage is what share -h prints.
const shareUsage = `Usage: go run ./examples/services/slurm share [flags]

share shows the part-time cloud [Duplyakin17] on this machine: a host, two partitions
that are real Slurm clusters, and the jobs of some hours of a log, in a compressed
time. Nobody moves a node by hand: each partition asks for nodes when its jobs wait,
gives idle nodes back, and loses nodes when the other one has fewer than its share.
Then the same jobs run on two clusters of half the nodes each, which keep them. share
compares the waits and what was wasted.

What runs
  -trace FILE          job log, plain or gzip: Standard Workload Format, or accounting
                       of Slurm, PBS or LSF (default: jobs of a model)
  -from D              begin that long after the log's start (default 0s)
  -span D              how much of the log (default 3h)
  -longest D           leave out jobs that run for longer (default 1h)
  -nodes N             nodes of the host (default 8). Jobs of more than half are left out
  -saves P             per cent of the jobs that save when they are asked to, which takes
                       them a minute (default 50)
  -minute D            let a minute take D (default 2s)
  -seed N              of what is drawn (default 1)

What happens
  -policy NAME         as of partition (default exact)
  -grace D             the host's grace period (default 5m)
  -kill N              kill the host, a client or an agent N times, at random moments,
                       and start it again (default 0)
  -reclaim N           only one partition, with all nodes, and no other partition: the
                       host takes N nodes each -every. Prints what each of -policies
                       wastes, and what a simulation of the same jobs does
  -every D             (default 15m)
  -policies LIST       of -reclaim (default blind,random,fifo,lifo,pap,pap+,exact,exact+,
                       survival)
  -parttime FILE       the program of examples/services/parttime (default: build it, which needs
                       this module's folder)

  -json                print the results as JSON
  -h                   print this

Times of the results are of the log. A job is wasted from its last save to its end. A
tenth of the jobs have priority 10 (in the Slurm partition "urgent").

The exit status is 0, 1 if the program fails or if a node was in two places or was
lost, 2 for a mistake in the flags or if there is no Slurm, 130 if it is interrupted.
`

// shareOptions are the flags of share.
type shareOptions struct {
	trace               string
	from, span, longest time.Duration
	nodes, saves, kill  int
	reclaim             int
	every, grace        time.Duration
	minute              time.Duration
	seed                uint64
	policy              partition.Policy
	policies            []partition.Policy
	parttime            string
	json                bool
}

func (o *shareOptions) define(flags *flag.FlagSet) {
	flags.StringVar(&o.trace, "trace", "", "")
	flags.DurationVar(&o.from, "from", 0, "")
	flags.DurationVar(&o.span, "span", 3*time.Hour, "")
	flags.DurationVar(&o.longest, "longest", time.Hour, "")
	flags.IntVar(&o.nodes, "nodes", 8, "")
	flags.IntVar(&o.saves, "saves", 50, "")
	flags.DurationVar(&o.minute, "minute", 2*time.Second, "")
	flags.Uint64Var(&o.seed, "seed", 1, "")
	flags.Func("policy", "", func(s string) (err error) {
		o.policy, err = partition.ParsePolicy(s)
		return err
	})
	flags.Func("policies", "", o.setPolicies)
	flags.DurationVar(&o.grace, "grace", 5*time.Minute, "")
	flags.IntVar(&o.kill, "kill", 0, "")
	flags.IntVar(&o.reclaim, "reclaim", 0, "")
	flags.DurationVar(&o.every, "every", 15*time.Minute, "")
	flags.StringVar(&o.parttime, "parttime", "", "")
	flags.BoolVar(&o.json, "json", false, "")
}

func (o *shareOptions) setPolicies(list string) error {
	o.policies = nil
	for _, name := range splitList(list) {
		p, err := partition.ParsePolicy(name)
		if err != nil {
			return err
		}
		o.policies = append(o.policies, p)
	}
	return nil
}

func parseShare(args []string) (shareOptions, error) {
	var o shareOptions
	if err := o.setPolicies("blind,random,fifo,lifo,pap,pap+,exact,exact+,survival"); err != nil {
		return o, err
	}
	if err := parse(o.define, args); err != nil {
		return o, err
	}
	switch {
	case o.nodes < 2 || o.nodes > 64:
		return o, cli.Mistakef("-nodes %d: want 2 to 64", o.nodes)
	case o.from < 0 || o.span <= 0 || o.longest <= 0:
		return o, cli.Mistakef("-from %v, -span %v, -longest %v: want a begin that is not negative, and positive spans", o.from, o.span, o.longest)
	case o.saves < 0 || o.saves > 100:
		return o, cli.Mistakef("-saves %d: want 0 to 100 per cent", o.saves)
	case o.minute < 500*time.Millisecond || o.minute > time.Minute:
		return o, cli.Mistakef("-minute %v: want 500ms to 1m", o.minute)
	case o.grace <= 0 || o.every <= 0:
		return o, cli.Mistakef("-grace %v, -every %v: want positive spans of time", o.grace, o.every)
	case o.real(o.grace) < 2*shareMargin:
		return o, cli.Mistakef("-grace %v takes %v at -minute %v: want %v or more, since a busy machine needs time to end jobs", o.grace, o.real(o.grace), o.minute, 2*shareMargin)
	case o.kill < 0 || o.reclaim < 0 || o.reclaim > o.nodes:
		return o, cli.Mistakef("-kill %d, -reclaim %d: want none negative, and no more nodes than there are", o.kill, o.reclaim)
	}
	return o, nil
}

// shareMargin is how long before the end of a grace period jobs are ended, in real time.
const shareMargin = 3 * time.Second

// saveCost is what a save takes, in the time of the log.
const saveCost = time.Minute

// real returns how long a span of the log takes.
func (o *shareOptions) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (float64(o.minute) / float64(time.Minute)))
}

// log returns how much of the log passes in a real span.
func (o *shareOptions) log(real time.Duration) time.Duration {
	return time.Duration(float64(real) * (float64(time.Minute) / float64(o.minute)))
}

// A shareJob is a job of one of the partitions.
type shareJob struct {
	trace.Job
	side   int
	saves  bool
	urgent bool
}

// jobs reads the log, or makes one up.
func (o *shareOptions) jobs(w io.Writer) ([]shareJob, error) {
	rng := rand.New(rand.NewPCG(o.seed, 20))
	var all []trace.Job
	if o.trace == "" {
		var err error
		if all, err = replay.Make(rng, 1000); err != nil {
			return nil, err
		}
	} else {
		read, err := joblog.Read("-trace", o.trace, trace.Options{}, progress.New(w))
		if err != nil {
			return nil, err
		}
		all = read.Jobs
		for i := range all {
			all[i].Estimate = max(0, read.Requested[i])
		}
	}
	var jobs []shareJob
	for _, j := range all {
		if j.Submit < o.from || j.Submit >= o.from+o.span || j.Nodes > o.nodes/2 || j.Run > o.longest {
			continue
		}
		j.Submit -= o.from
		k := shareJob{Job: j, side: j.User & 1, saves: rng.IntN(100) < o.saves, urgent: rng.IntN(10) == 0}
		if o.reclaim > 0 {
			k.side = 0
		}
		jobs = append(jobs, k)
	}
	if len(jobs) == 0 {
		return nil, cli.Mistakef("there are no jobs of up to %d nodes and %v in %v from %v on", o.nodes/2, o.longest, o.span, o.from)
	}
	return jobs, nil
}

// share runs what its flags say.
func share(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseShare(args)
	if err != nil {
		return err
	}
	jobs, err := o.jobs(stderr)
	if err != nil {
		return err
	}
	if _, err := slurmctl.Find("slurmctld"); err != nil {
		return mistaken(err)
	}
	if o.parttime == "" {
		dir, err := os.MkdirTemp("", "plimsoll-share-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.parttime = filepath.Join(dir, "parttime")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", o.parttime, "github.com/plimsoll/plimsoll/examples/services/parttime").CombinedOutput(); err != nil {
			return cli.Mistakef("examples/services/parttime cannot be built (%w): run share in the module's folder, or give -parttime: %s", err, out)
		}
	}
	s := &sharing{o: &o, jobs: jobs, w: stderr}
	s.note("%d jobs, %.1f node-hours in %v; a minute takes %v", len(jobs), nodeHours(jobs), o.span, o.minute)
	if o.reclaim > 0 {
		err = s.policies(ctx, stdout)
	} else {
		err = s.compare(ctx, stdout)
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	return mistaken(err)
}

func nodeHours(jobs []shareJob) (sum float64) {
	for i := range jobs {
		sum += float64(jobs[i].Nodes) * jobs[i].Run.Hours()
	}
	return sum
}

// A sharing is one run of share.
type sharing struct {
	o    *shareOptions
	jobs []shareJob
	mu   sync.Mutex
	w    io.Writer
}

func (s *sharing) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.w, time.Now().Format(time.TimeOnly)+"  "+format+"\n", args...)
}

// compare runs the jobs with nodes that move, and with nodes that stay.
func (s *sharing) compare(ctx context.Context, stdout io.Writer) error {
	moving, err := s.play(ctx, s.o.policy, true)
	if err != nil {
		return err
	}
	still, err := s.play(ctx, s.o.policy, false)
	if err != nil {
		return err
	}
	return errors.Join(s.write(stdout, moving, still), moving.fault(), still.fault())
}

// write writes the comparison.
func (s *sharing) write(w io.Writer, moving, still *shared) (err error) {
	if s.o.json {
		rows := []jsonrows.Row{moving.row("moving"), still.row("static")}
		err = jsonrows.Write(w, rows)
	} else {
		var p table.Page
		cells := func(f func(*shared) string) []string { return []string{f(moving), f(still)} }
		var rows [][]string
		add := func(title string, f func(*shared) string) { rows = append(rows, append([]string{title}, cells(f)...)) }
		for side := range 2 {
			name := shareNames[side]
			add("mean wait, "+name, func(r *shared) string { return minutes(r.wait(side)) })
			add("longest wait, "+name, func(r *shared) string { return minutes(r.longest(side)) })
		}
		add("mean wait, all", func(r *shared) string { return minutes(r.wait(-1)) })
		add("mean time from submission to end", func(r *shared) string { return minutes(r.response()) })
		add("jobs that were ended and started again", func(r *shared) string { return decimal.Int(r.restarts) })
		add("wasted node-hours", func(r *shared) string { return decimal.Fixed(r.wasted.Hours(), 2) })
		add("saves that were asked for", func(r *shared) string { return decimal.Int(r.saves) })
		add("nodes that moved to hpc, to htc", func(r *shared) string { return fmt.Sprintf("%d, %d", r.moved[0], r.moved[1]) })
		add("processes killed and started again", func(r *shared) string { return decimal.Int(r.killed) })
		add("times that a node was in two places", func(r *shared) string { return decimal.Int(len(r.twice)) })
		add("nodes that were lost", func(r *shared) string { return decimal.Int(r.lost) })
		p.Printf("%d jobs on %d nodes, %v of a log, policy %v\n\n", len(s.jobs), s.o.nodes, s.o.span, s.o.policy)
		p.Table("<|nodes move|static split", rows)
		_, err = io.WriteString(w, p.String())
	}
	return err
}

func minutes(d time.Duration) string { return decimal.Fixed(d.Minutes(), 1) + " min" }

// A judged is what a policy came to, on Slurm and in a simulation.
type judged struct {
	policy    partition.Policy
	live, sim *shared
}

// policies runs the jobs with each policy, on Slurm and in a simulation.
func (s *sharing) policies(ctx context.Context, stdout io.Writer) error {
	var all []judged
	for _, policy := range s.o.policies {
		sim, err := s.simulate(policy)
		if err != nil {
			return err
		}
		live, err := s.play(ctx, policy, true)
		if err != nil {
			return err
		}
		all = append(all, judged{policy, live, sim})
		s.note("%v wastes %.2f node-hours, and %.2f in the simulation", policy, live.wasted.Hours(), sim.wasted.Hours())
	}
	return s.writePolicies(stdout, all)
}

// writePolicies writes what policies came to. The error is one of a node that was in two places or lost, too.
func (s *sharing) writePolicies(w io.Writer, all []judged) (err error) {
	var rows []jsonrows.Row
	var cells [][]string
	var faults []error
	for _, r := range all {
		faults = append(faults, r.live.fault())
		rows = append(rows, append(r.live.row(r.policy.String()), "simulated_wasted_node_s", decimal.Number(r.sim.wasted.Seconds(), 0), "simulated_restarts", r.sim.restarts))
		cells = append(cells, []string{r.policy.String(), decimal.Fixed(r.live.wasted.Hours(), 2), decimal.Fixed(r.sim.wasted.Hours(), 2),
			decimal.Fixed(r.live.urgent.Hours(), 2), decimal.Fixed(r.sim.urgent.Hours(), 2), decimal.Int(r.live.restarts), decimal.Int(r.sim.restarts)})
	}
	if s.o.json {
		err = jsonrows.Write(w, rows)
	} else {
		var p table.Page
		p.Printf("%d jobs on %d nodes, of which the host takes %d each %v\n\n", len(s.jobs), s.o.nodes, s.o.reclaim, s.o.every)
		p.Table("<policy|wasted\nnode-hours|simu-\nlated|of priority\n10|simu-\nlated|jobs\nstarted again|simu-\nlated", cells)
		_, err = io.WriteString(w, p.String())
	}
	return errors.Join(append(faults, err)...)
}

// A shared is what happened, in the time of the log.
type shared struct {
	jobs           []sharedJob
	restarts       int
	wasted, urgent time.Duration // node-time
	saves          int
	moved          [2]int
	killed         int
	twice          []string
	lost           int
}

// A sharedJob is what became of a job.
type sharedJob struct {
	*shareJob
	start, end time.Duration // its first start, its last end
}

func (r *shared) wait(side int) time.Duration {
	var sum time.Duration
	n := 0
	for i := range r.jobs {
		if j := &r.jobs[i]; side < 0 || j.side == side {
			sum, n = sum+max(0, j.start-j.Submit), n+1
		}
	}
	return sum / time.Duration(max(1, n))
}

func (r *shared) longest(side int) (d time.Duration) {
	for i := range r.jobs {
		if j := &r.jobs[i]; j.side == side {
			d = max(d, j.start-j.Submit)
		}
	}
	return d
}

func (r *shared) response() time.Duration {
	var sum time.Duration
	for i := range r.jobs {
		sum += r.jobs[i].end - r.jobs[i].Submit
	}
	return sum / time.Duration(max(1, len(r.jobs)))
}

func (r *shared) row(name string) jsonrows.Row {
	return jsonrows.Row{"run", name, "jobs", len(r.jobs), "mean_wait_s", decimal.Number(r.wait(-1).Seconds(), 0),
		"mean_wait_hpc_s", decimal.Number(r.wait(0).Seconds(), 0), "mean_wait_htc_s", decimal.Number(r.wait(1).Seconds(), 0),
		"mean_response_s", decimal.Number(r.response().Seconds(), 0), "restarts", r.restarts, "wasted_node_s", decimal.Number(r.wasted.Seconds(), 0),
		"wasted_urgent_node_s", decimal.Number(r.urgent.Seconds(), 0), "saves", r.saves, "moved_to_hpc", r.moved[0], "moved_to_htc", r.moved[1],
		"killed", r.killed, "in_two_places", len(r.twice), "lost", r.lost}
}

// fault is an error if a node was in two places, or was lost.
func (r *shared) fault() error {
	if len(r.twice) > 0 || r.lost > 0 {
		return fmt.Errorf("%d times a node was in two places, and %d nodes were lost: %q", len(r.twice), r.lost, r.twice[:min(5, len(r.twice))])
	}
	return nil
}

// sortedBy sorts jobs by their submissions.
func sortedBy(jobs []shareJob) []shareJob {
	return slices.SortedStableFunc(slices.Values(jobs), func(a, b shareJob) int { return int(min(1, max(-1, a.Submit-b.Submit))) })
}
