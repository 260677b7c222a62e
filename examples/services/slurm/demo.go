//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/replay"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// demoUsage is what demo -h prints.
const demoUsage = `Usage: go run ./examples/services/slurm demo [flags]

demo starts its own Slurm in a temporary folder, with no node up, and submits jobs
like those of a real log. Like elasticd it rents instances, which are slurmd processes
of this machine, and gives back an idle instance when its paid hour ends. Then it runs
the same jobs through the simulator and compares. It installs nothing, and leaves
nothing behind, even when it is interrupted or killed.

It needs Slurm, 21.08 or later, and munge (on Debian and Ubuntu: slurm-wlm, munge).

Of the jobs
  -jobs N              how many (default 50)
  -seed N              which (default 50)
  -nodes N             names that instances may have (default 16). Jobs need up to 8
  -hour D              how long an hour of the bill takes (default 10s)

Of decisions, in hours of the bill
  -wait-limit D        T_waitlmt: how long the first job may wait (default 5m)
  -short D             T_short: the longest estimate of a short job (default 1h)
  -expansion RULE      best, first or sum (default best)
  -placement RULE      max-margin, min-margin, max-idle or min-idle (default max-margin)
  -release-every D     time between two release checks (default 5m)
  -boot D              how long an instance takes until its daemon starts (default 3m)
  -classes FILE        prices, as of examples/tools/plan (default: cc2.8xlarge in 2013, for
                       terms of a day, at the fee of a day)
  -period N            hours between two purchases of reservations (default 2; 0: buy
                       none)

  -json                write the comparison as JSON
  -h                   print this

demo writes each decision to standard error when it is made. On a terminal a line
below shows the queue, the nodes (█ busy, ░ idle, · booting, - leaving), the charged
hours and their cost. The comparison goes to standard output.

The exit status is 0, whatever the comparison says (-json has it as waits_agree and
hours_agree), 1 if the program fails, 2 for a mistake in the flags or if there is no
Slurm, and 130 if it is interrupted.
`

// demoOptions are the flags of demo.
type demoOptions struct {
	jobs, nodes int
	seed        uint64
	classes     string
	json        bool
	manager     manager.Options
}

func (o *demoOptions) define(flags *flag.FlagSet) {
	flags.IntVar(&o.jobs, "jobs", 50, "")
	flags.Uint64Var(&o.seed, "seed", 50, "")
	flags.IntVar(&o.nodes, "nodes", 16, "")
	flags.DurationVar(&o.manager.Hour, "hour", 10*time.Second, "")
	flags.BoolVar(&o.json, "json", false, "")
	decisions(flags, &o.manager, &o.classes, 5*time.Minute, 3*time.Minute, 2)
}

// demoPoll is the time between two looks at Slurm, which take 20 ms.
const demoPoll = 50 * time.Millisecond

// demoLead is how long before its charge an instance leaves at the latest: draining its
// node and ending its daemon take some 50 to 100 ms, and more on a machine that does other
// things.
const demoLead = 300 * time.Millisecond

func parseDemo(args []string) (demoOptions, error) {
	var o demoOptions
	err := parse(o.define, args)
	if err != nil {
		return o, err
	}
	switch m := &o.manager; {
	case o.jobs < 1 || o.jobs > 10_000:
		return o, cli.Mistakef("-jobs %d: want 1 to 10000", o.jobs)
	case o.nodes < 1 || o.nodes > 64:
		return o, cli.Mistakef("-nodes %d: want 1 to 64", o.nodes)
	case m.Hour < time.Second || m.Hour > time.Hour:
		return o, cli.Mistakef("-hour %v: want 1s to 1h", m.Hour)
	case scaled(m.ReleaseEvery, m.Hour) < 4*demoPoll:
		return o, cli.Mistakef("-release-every %v takes %v at -hour %v: want %v or more, so that no check is missed",
			m.ReleaseEvery, scaled(m.ReleaseEvery, m.Hour), m.Hour, 4*demoPoll)
	}
	m := &o.manager
	for i := range o.nodes {
		m.Nodes = append(m.Nodes, fmt.Sprintf("n%d", i+1)) // as package cluster names them
	}
	m.Poll, m.Timeout = demoPoll, 20*time.Second
	m.Lead = scaledUp(demoLead, m.Hour)
	m.RetryEvery, m.AuditEvery = m.ReleaseEvery, 30*time.Minute
	m.BootLimit = m.Boot + scaledUp(20*time.Second, m.Hour)
	m.Meter = pricing.EC2Hourly
	if m.Prices, err = prices(o.classes, dayPrices()); err != nil {
		return o, err
	}
	if err := m.Check(); err != nil {
		return o, cli.Mistakef("%w", err)
	}
	return o, nil
}

// dayPrices returns prices of 2013 for reservations of a year, as if they were for a day:
// in a demonstration of some hours nobody reserves for a year.
func dayPrices() pricing.List {
	const day = 24 * time.Hour
	l := pricing.List{OnDemand: pricing.CC28XLarge2013().OnDemand}
	for _, c := range pricing.CC28XLarge2013().Classes {
		if name, ok := strings.CutPrefix(c.Name, "1y-"); ok {
			c.Name, c.Upfront, c.Term = "1d-"+name, c.Upfront/pricing.Money(c.Term/day), day
			l.Classes = append(l.Classes, c)
		}
	}
	return l
}

// errInterrupted ends a demonstration that was interrupted; the exit status is
// interrupted.
var errInterrupted = errors.New("interrupted; nothing is left behind")

const interrupted = 130

// demo runs the demonstration.
func demo(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseDemo(args)
	if err != nil {
		return err
	}
	jobs, err := o.makeJobs()
	if err != nil {
		return err
	}
	show := &screen{w: stderr, line: progress.New(stderr), prices: o.manager.Prices}
	out, err := play(ctx, &o, jobs, show)
	show.line.Clear()
	if err != nil {
		if ctx.Err() != nil && out == nil {
			return errInterrupted
		}
		return mistaken(err)
	}
	c, err := compare(&o, out)
	if err != nil {
		return err
	}
	if o.json {
		return c.writeJSON(stdout)
	}
	return c.write(stdout)
}

// makeJobs makes the jobs, and is the user's mistake if one is larger than the cluster
// can be.
func (o *demoOptions) makeJobs() ([]trace.Job, error) {
	jobs, err := replay.Make(rand.New(rand.NewPCG(o.seed, 0)), o.jobs)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		if n := jobs[i].Nodes; n > o.nodes {
			return nil, cli.Mistakef("job %d needs %d nodes, and the partition has %d: want -nodes %d or more", jobs[i].ID, n, o.nodes, replay.Largest)
		}
	}
	return jobs, nil
}

// An outcome is what happened in a demonstration.
type outcome struct {
	runs     []replay.Run
	leases   *replay.Leases
	promoted map[int64]bool  // by Slurm's numbers
	weeks    []manager.Entry // that ended
	failures int
	bill     provider.Bill
	hours    []int           // how many instances were charged for in each
	users    bills.Statement // of the journal: all jobs are those of the user who runs this
	provider provider.Bill   // what the provider says
	states   map[string]int
	began    time.Time
	took     time.Duration // in all, with what starts and ends the cluster
	look     time.Duration // the longest that the manager took to look at Slurm and do what follows
}

// looks is a Slurm that measures the time from one look of the manager to the next.
type looks struct {
	*slurmctl.Client
	last    time.Time
	longest time.Duration
}

// Jobs is the first thing that the manager asks.
func (l *looks) Jobs(ctx context.Context) ([]slurmctl.Job, error) {
	now := time.Now()
	if !l.last.IsZero() {
		l.longest = max(l.longest, now.Sub(l.last))
	}
	l.last = now
	return l.Client.Jobs(ctx)
}

// play plays jobs on a cluster of its own. The cluster is gone when it returns.
func play(ctx context.Context, o *demoOptions, jobs []trace.Job, show *screen) (out *outcome, err error) {
	began := time.Now()
	c, err := cluster.Start(ctx, o.nodes)
	if err != nil {
		return nil, err
	}
	show.note("started a Slurm of %d nodes, all of them down, in %s", o.nodes, c.Dir)
	defer func() {
		err = errors.Join(err, c.Close())
		if out != nil {
			out.took = time.Since(began)
		}
	}()
	slurm, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		return nil, err
	}
	instances, notes := filepath.Join(c.Dir, "instances"), filepath.Join(c.Dir, "jobs")
	if err := errors.Join(os.Mkdir(instances, 0o700), os.Mkdir(notes, 0o755)); err != nil {
		return nil, err
	}
	p := &provider.Local{Dir: instances, Boot: scaled(o.manager.Boot, o.manager.Hour), Command: c.Slurmd, Environment: c.Environment()}
	out = &outcome{leases: &replay.Leases{}, promoted: map[int64]bool{}, states: map[string]int{}, began: began}
	var mu sync.Mutex // of out and show, while the manager runs
	var status manager.Status
	options := o.manager
	options.Watch = func(e *manager.Entry, s *manager.Status) {
		mu.Lock()
		defer mu.Unlock()
		status = *s
		if e != nil {
			out.see(e)
			show.entry(e)
		}
	}
	looking := &looks{Client: slurm}
	m, err := manager.Open(filepath.Join(c.Dir, "journal"), looking, p, options)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	out.leases.Clock = m.Clock()
	show.note("submitting %d jobs; an hour lasts %v", len(jobs), o.manager.Hour)
	run, stop := context.WithCancel(ctx)
	defer stop()
	managed := make(chan error, 1)
	go func() { managed <- m.Run(run) }()
	player := &replay.Player{Cluster: c, Clock: m.Clock(), Dir: notes}
	played := make(chan error, 1)
	go func() {
		var err error
		out.runs, err = player.Play(run, jobs)
		played <- err
	}()
	limit := time.NewTimer(o.limit(jobs))
	defer limit.Stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	// Nothing runs any more when the cluster is closed.
	finish := func(err error) error {
		stop()
		if managed != nil {
			err = errors.Join(err, <-managed)
		}
		if played != nil {
			if e := <-played; err == nil {
				err = e
			}
		}
		return err
	}
	// The last node is ready for its next instance some polls after the last one has gone.
	const settles = 4 * demoPoll
	var since time.Time
	failures := time.NewTicker(2 * time.Second)
	defer failures.Stop()
	for done := false; !done; {
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), finish(nil))
		case <-limit.C:
			return nil, finish(fmt.Errorf("the jobs do not come to an end in %v", o.limit(jobs)))
		case err := <-managed:
			managed = nil
			return nil, finish(err)
		case err := <-played:
			played = nil
			if err != nil {
				return nil, finish(err)
			}
		case <-failures.C:
			if err := unrun(ctx, slurm, c.Dir); err != nil && ctx.Err() == nil {
				return nil, finish(err)
			}
		case <-tick.C:
			ended, err := player.Ended()
			if err != nil {
				return nil, finish(err)
			}
			mu.Lock()
			if ended < len(jobs) || out.leases.Live() > 0 {
				since = time.Now()
			}
			done = time.Since(since) > settles
			bill, err := provider.Charge(out.leases.Instances(), time.Now(), m.Clock(), options.Meter, options.Prices.OnDemand)
			show.status(m.Clock().Now(), &status, ended, len(jobs), &bill)
			mu.Unlock()
			if err != nil {
				return nil, finish(err)
			}
		}
	}
	if err := finish(nil); err != nil {
		return nil, err
	}
	out.look = looking.longest
	if err := player.Read(out.runs); err != nil {
		return nil, err
	}
	return out, out.settle(ctx, m, slurm, p, &options)
}

// errScript: Slurm has removed the script of a job that it was about to start.
var errScript = errors.New("slurmd has removed the script of a job that it was about to start")

// lostScript is an error if a job ended before it began, for the one reason that is known
// to be Slurm's own. A job's process names its socket, and listens to it a moment later. If
// slurmd 22.05 looks for the process in between, slurmd takes the job's script for a script
// that was left behind. The script is gone then, and the job fails with status 2. The log of
// the job's node, in the cluster's folder, tells that.
func lostScript(dir string, jobs []slurmctl.Job) error {
	for _, j := range jobs {
		if j.State != "FAILED" || len(j.Names) == 0 {
			continue
		}
		log, err := os.ReadFile(filepath.Join(dir, "slurmd."+j.Names[0]+".log"))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("/job%05d/slurm_script", j.ID)
		for _, text := range strings.Split(string(log), "\n") {
			if strings.Contains(text, "Purging vestigial job script") && strings.HasSuffix(text, name) {
				return fmt.Errorf("%w: job %d on %s", errScript, j.ID, j.Names[0])
			}
		}
	}
	return nil
}

// unrun is an error if a job has ended in Slurm and failed.
func unrun(ctx context.Context, slurm *slurmctl.Client, dir string) error {
	jobs, err := slurm.Jobs(ctx)
	if err != nil {
		return err
	}
	if err := lostScript(dir, jobs); err != nil {
		return err
	}
	for _, j := range jobs {
		if !j.Waits() && !j.Holds() && j.State != "COMPLETED" {
			return fmt.Errorf("job %d did not complete: %s", j.ID, j.State)
		}
	}
	return nil
}

// limit returns how long jobs may take in all: twice what they would one after the other,
// and some seconds each for Slurm.
func (o *demoOptions) limit(jobs []trace.Job) time.Duration {
	sum := jobs[len(jobs)-1].Submit + 2*time.Hour
	for i := range jobs {
		sum += jobs[i].Run + o.manager.Boot
	}
	return 30*time.Second + 2*scaled(sum, o.manager.Hour) + time.Duration(len(jobs))*2*time.Second
}

// see notes an entry of the journal.
func (out *outcome) see(e *manager.Entry) {
	out.leases.See(e)
	switch e.Kind {
	case manager.Promoted:
		out.promoted[e.Job] = true
	case manager.Week:
		out.weeks = append(out.weeks, *e)
	case manager.Failed:
		out.failures++
	}
}

// settle asks Slurm and the provider what became of everything.
func (out *outcome) settle(ctx context.Context, m *manager.Manager, slurm *slurmctl.Client, p *provider.Local, o *manager.Options) error {
	jobs, err := slurm.Jobs(ctx)
	if err != nil {
		return err
	}
	byID := map[int64]*slurmctl.Job{}
	for i := range jobs {
		byID[jobs[i].ID] = &jobs[i]
	}
	for i := range out.runs {
		j := byID[out.runs[i].Slurm]
		if j == nil {
			return fmt.Errorf("job %d is not in Slurm's list any more", out.runs[i].Slurm)
		}
		out.states[j.State]++
		out.runs[i].Names = j.Names
	}
	out.hours = m.Hours()
	if out.bill, err = m.Bill(); err != nil {
		return err
	}
	if out.users, err = m.Users(); err != nil {
		return err
	}
	list, err := p.List(ctx)
	if err != nil {
		return err
	}
	out.provider, err = provider.Charge(list, time.Now(), m.Clock(), o.Meter, o.Prices.OnDemand)
	return err
}

// A screen shows a demonstration: decisions as lines, and below them, on a terminal, a
// line that changes.
type screen struct {
	w      io.Writer
	line   *progress.Line
	prices pricing.List
	asked  manager.Entry // a request, which is an entry for each instance, until it is shown
}

func (s *screen) note(format string, args ...any) {
	s.line.Clear()
	fmt.Fprintf(s.w, format+"\n", args...)
}

// entry shows an entry of the journal if it is a decision, or a failure.
func (s *screen) entry(e *manager.Entry) {
	switch e.Kind {
	case manager.Rented, manager.Up, manager.Gone, manager.Ran:
		return // what came of a decision is in the line
	}
	if e.Kind == manager.Asking && e.Job == s.asked.Job && e.Reason == s.asked.Reason {
		s.asked.Node += " " + e.Node // of the same request
		return
	}
	s.flush()
	switch e.Kind {
	case manager.Asking:
		s.asked = *e
	case manager.Week:
		s.note("%10.2f h  %-8s %s, after hours of %s instances", e.At.Hours(), "bought",
			cmp.Or(manager.Purchases(s.prices, e.Bought), "nothing"), strings.Trim(fmt.Sprint(e.Demand), "[]"))
	default:
		s.note("%s", line(e))
	}
}

// flush shows a request.
func (s *screen) flush() {
	if s.asked.Kind != "" {
		s.note("%s", line(&s.asked))
	}
	s.asked = manager.Entry{}
}

// status shows the queue, the nodes (busy, idle, booting, leaving) and the cost.
func (s *screen) status(now time.Duration, st *manager.Status, ended, jobs int, b *provider.Bill) {
	s.flush()
	s.line.Showf("%5.2f h  %d of %d jobs done, %d wait for %d nodes  %s%s%s%s  %.0f h, $%s", now.Hours(), ended, jobs,
		st.Waiting, st.WaitingNodes, strings.Repeat("█", st.Busy), strings.Repeat("░", st.Idle), strings.Repeat("·", st.Booting),
		strings.Repeat("-", st.Leaves), b.Charged.Hours(), b.Cost.Fixed(2))
}
