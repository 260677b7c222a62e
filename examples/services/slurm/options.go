//go:build unix

package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// elasticUsage is what elasticd -h prints.
const elasticUsage = `Usage: slurm elasticd -journal FILE -nodes LIST -provider KIND [flags]
       slurm elasticd -journal FILE -policy NAME -clouds FILE [flags]

elasticd rents nodes for a Slurm cluster (21.08 or later) when the first job of the
queue would wait too long, and gives back idle nodes when their paid time ends.
README.md has slurm.conf, the four commands, and the form of the file of clouds.

  -journal FILE     all changes of state, for recovery; one elasticd at a time
  -conf FILE        slurm.conf (default: what Slurm's commands find)
  -nodes LIST       names that instances may have, such as n[1-16]
  -poll D           time between two looks at Slurm (default 2s)
  -hour D           how long an hour of the bill takes (default 1h)
  -timeout D        of a command or a call, in real time (default 1m)
Decisions, in hours of the bill
  -wait-limit D     T_waitlmt: how long the first job may wait (default 5m)
  -short D          T_short: the longest estimate of a short job (default 1h)
  -expansion RULE   best, first or sum (default best)
  -placement RULE   max-margin, min-margin, max-idle, min-idle (default max-margin)
  -release-every D  time between two release checks (default 1m)
  -least N          the fewest nodes: so many stay without a job (default 0)
  -most N           the most nodes at once (default 0: all names)
  -pause D          the least time between two changes of the size (default 0s)
  -lead D           how long before its next charge an instance leaves (default 1m)
  -retry-every D    pause after a failed call, up to eight times D (default 1m)
  -boot D           how long a boot takes (default 5m)
  -boot-limit D     how long a boot may take (default 30m)
  -audit-every D    between two comparisons with the provider (default 10m)
  -classes FILE     prices, as of tools/plan (default: cc2.8xlarge in 2013)
  -period N         hours between two purchases (default 168; 0: none)
Provider
  -provider KIND    exec: your commands; local: processes of this machine
  -create COMMAND   exec: creates an instance; 3 as its exit status: refused
  -delete COMMAND   exec: ends an instance
  -list COMMAND     exec: writes all instances
  -buy COMMAND      exec: buys reservations; without it elasticd says what to buy
  -instances DIR    local: a folder that exists, for the instances alone
  -delay D          local: real time until an instance starts (default 0s)
  -quota N          local: the most instances at once (default 0: no limit)
A policy of [Marshall12] on a budget, instead of the decisions and the provider
  -policy NAME      sm, od, od++, aqtp, mcop or mcop-20-80 (cost weighs 20%)
  -clouds FILE      clouds, as CSV; plain or gzip
  -budget X         credits in dollars that accrue each hour (default 5)
  -debt X           how far launches may overdraw the credits (default 0.085)
  -every D          time between two evaluations (default 5m)
  -launch HOW       od, od++: jobs or printed (default jobs)
  -keep-free        keep idle instances of clouds without a price
  -response D       aqtp: the queued time r that it aims at (default 2h)
  -threshold D      aqtp: how far from r it changes nothing, θ (default 45m)
  -first-jobs N     aqtp: for how many jobs it rents first (default -least-jobs)
  -least-jobs N     aqtp: the least n (default 1)
  -most-jobs N      aqtp: the greatest n (default: no bound)
  -seed N           mcop: of the search (default 1)
  -fsck             with -journal alone: say whether the journal is whole, and end

The exit status is 0, also after an interrupt, which leaves what is rented rented;
1 if the program fails, and 2 for a mistake in the flags or files.
`

// elasticOptions are the flags of elasticd.
type elasticOptions struct {
	conf, journal, nodes, provider, instances, classes string
	cloudFile, policy, launch                          string
	clouds                                             []cloudRow
	response, threshold                                time.Duration
	firstJobs, leastJobs, mostJobs                     int
	keepFree                                           bool
	seed                                               uint64
	delay                                              time.Duration
	quota                                              int
	exec                                               provider.Exec
	timeout                                            time.Duration
	manager                                            manager.Options
}

// decisions defines the flags of decisions, which demo has, too.
func decisions(flags *flag.FlagSet, m *manager.Options, classes *string, releaseEvery, boot time.Duration, period int) {
	flags.DurationVar(&m.WaitLimit, "wait-limit", 5*time.Minute, "")
	flags.DurationVar(&m.Short, "short", time.Hour, "")
	flags.TextVar(&m.Expansion, "expansion", m.Expansion, "")
	flags.TextVar(&m.Placement, "placement", m.Placement, "")
	flags.DurationVar(&m.ReleaseEvery, "release-every", releaseEvery, "")
	flags.DurationVar(&m.Boot, "boot", boot, "")
	flags.StringVar(classes, "classes", "", "")
	flags.IntVar(&m.Period, "period", period, "")
}

func (o *elasticOptions) define(flags *flag.FlagSet) {
	m := &o.manager
	decisions(flags, m, &o.classes, time.Minute, 5*time.Minute, 168)
	flags.StringVar(&o.conf, "conf", "", "")
	flags.StringVar(&o.journal, "journal", "", "")
	flags.Bool("fsck", false, "") // see elasticd
	flags.StringVar(&o.nodes, "nodes", "", "")
	flags.StringVar(&o.provider, "provider", "", "")
	flags.StringVar(&o.instances, "instances", "", "")
	flags.DurationVar(&o.delay, "delay", 0, "")
	flags.IntVar(&o.quota, "quota", 0, "")
	flags.DurationVar(&m.Poll, "poll", 2*time.Second, "")
	flags.DurationVar(&m.Hour, "hour", time.Hour, "")
	flags.IntVar(&m.Least, "least", 0, "")
	flags.IntVar(&m.Most, "most", 0, "")
	flags.DurationVar(&m.Pause, "pause", 0, "")
	flags.DurationVar(&m.Lead, "lead", time.Minute, "")
	flags.DurationVar(&m.RetryEvery, "retry-every", time.Minute, "")
	flags.DurationVar(&m.BootLimit, "boot-limit", 30*time.Minute, "")
	flags.DurationVar(&m.AuditEvery, "audit-every", 10*time.Minute, "")
	flags.DurationVar(&o.timeout, "timeout", time.Minute, "")
	flags.StringVar(&o.policy, "policy", "", "")
	flags.StringVar(&o.cloudFile, "clouds", "", "")
	m.Budget = elastic.Marshall12Budget()
	flags.TextVar(&m.Budget.Hourly, "budget", m.Budget.Hourly, "")
	flags.TextVar(&m.Budget.Debt, "debt", m.Budget.Debt, "")
	flags.DurationVar(&m.Every, "every", elastic.DefaultEvery, "")
	flags.StringVar(&o.launch, "launch", "jobs", "")
	flags.BoolVar(&o.keepFree, "keep-free", false, "")
	flags.DurationVar(&o.response, "response", 2*time.Hour, "")
	flags.DurationVar(&o.threshold, "threshold", 45*time.Minute, "")
	flags.IntVar(&o.firstJobs, "first-jobs", 0, "")
	flags.IntVar(&o.leastJobs, "least-jobs", 0, "")
	flags.IntVar(&o.mostJobs, "most-jobs", 0, "")
	flags.Uint64Var(&o.seed, "seed", 1, "")
	flags.StringVar(&o.exec.CreateCommand, "create", "", "")
	flags.StringVar(&o.exec.DeleteCommand, "delete", "", "")
	flags.StringVar(&o.exec.ListCommand, "list", "", "")
	flags.StringVar(&o.exec.BuyCommand, "buy", "", "")
}

func parseElastic(args []string) (elasticOptions, error) {
	var o elasticOptions
	given := map[string]bool{}
	err := parse(o.define, args, given)
	if err != nil {
		return o, err
	}
	if o.policy != "" {
		return o, o.parsePolicy(given)
	}
	for _, name := range append([]string{"clouds"}, ofPolicy...) {
		if given[name] {
			return o, cli.Mistakef("-%s without -policy: want -policy sm, od, od++, aqtp or mcop", name)
		}
	}
	switch {
	case o.journal == "":
		return o, cli.Mistakef("no -journal: want a file")
	case o.nodes == "":
		return o, cli.Mistakef("no -nodes: want a list such as n[1-16]")
	case o.provider != "local" && o.provider != "exec":
		return o, cli.Mistakef("-provider %q: want exec or local", o.provider)
	case o.provider == "exec" && (o.exec.CreateCommand == "" || o.exec.DeleteCommand == "" || o.exec.ListCommand == ""):
		return o, cli.Mistakef("-provider exec wants -create, -delete and -list")
	case o.provider == "exec" && (o.instances != "" || o.delay != 0 || o.quota != 0):
		return o, cli.Mistakef("-instances, -delay and -quota are of -provider local: want none of them with exec")
	case o.provider == "local" && (o.exec.CreateCommand != "" || o.exec.DeleteCommand != "" || o.exec.ListCommand != ""):
		return o, cli.Mistakef("-create, -delete and -list are of -provider exec: want none of them with local")
	case o.timeout <= 0:
		return o, cli.Mistakef("-timeout %v: want a positive span of time", o.timeout)
	case o.provider == "local" && o.instances == "":
		return o, cli.Mistakef("no -instances: want a folder")
	case o.delay < 0 || o.quota < 0:
		return o, cli.Mistakef("-delay %v, -quota %d: want neither negative", o.delay, o.quota)
	}
	if o.manager.Nodes, err = slurmctl.Expand(o.nodes); err != nil {
		return o, cli.Mistakef("-nodes: %w", err)
	}
	o.manager.Meter = pricing.EC2Hourly
	if o.manager.Prices, err = prices(o.classes, pricing.CC28XLarge2013()); err != nil {
		return o, err
	}
	o.manager.Timeout = o.timeout
	if o.exec.BuyCommand != "" {
		if o.manager.Period == 0 {
			return o, cli.Mistakef("-buy with -period 0, which buys nothing: want one of them")
		}
		o.exec.Timeout, o.manager.Buyer = o.timeout, &o.exec
	}
	if o.provider == "exec" { // a call is a list and a command
		o.exec.Timeout = o.timeout
		o.manager.Timeout = 2*o.timeout + time.Second
	}
	if err := o.manager.Check(); err != nil {
		return o, cli.Mistakef("%w", err)
	}
	if o.manager.Poll*3 > scaled(o.manager.ReleaseEvery, o.manager.Hour) {
		return o, cli.Mistakef("-release-every %v takes %v at -hour %v: want three times -poll, %v, or more, so that no check is missed",
			o.manager.ReleaseEvery, scaled(o.manager.ReleaseEvery, o.manager.Hour), o.manager.Hour, o.manager.Poll)
	}
	return o, nil
}

// ofPolicy and notOfPolicy are the flags that elasticd has with -policy only, and without it only.
var (
	ofPolicy    = []string{"budget", "debt", "every", "launch", "keep-free", "response", "threshold", "first-jobs", "least-jobs", "most-jobs", "seed"}
	notOfPolicy = []string{"nodes", "provider", "instances", "delay", "quota", "create", "delete", "list", "buy", "period", "classes", "boot",
		"wait-limit", "short", "expansion", "release-every", "least", "most", "pause"}
)

// policiesOf has the policies that a flag is of, if it is not of all.
var policiesOf = map[string][]string{
	"launch": {"od", "od++"}, "keep-free": {"od", "od++", "aqtp", "mcop"}, "seed": {"mcop"},
	"response": {"aqtp"}, "threshold": {"aqtp"}, "first-jobs": {"aqtp"}, "least-jobs": {"aqtp"}, "most-jobs": {"aqtp"},
}

// parsePolicy is parseElastic with -policy.
func (o *elasticOptions) parsePolicy(given map[string]bool) error {
	for _, name := range notOfPolicy {
		if given[name] {
			return cli.Mistakef("-%s with -policy: want it in the file of -clouds, or not at all", name)
		}
	}
	switch {
	case o.journal == "":
		return cli.Mistakef("no -journal: want a file")
	case o.cloudFile == "":
		return cli.Mistakef("-policy without -clouds: want a file of clouds, see -h")
	case o.timeout <= 0:
		return cli.Mistakef("-timeout %v: want a positive span of time", o.timeout)
	}
	m := &o.manager
	var err error
	if m.Policy, err = o.newPolicy(); err != nil {
		return cli.Mistakef("%w", err)
	}
	kind, _, _ := strings.Cut(o.policy, "-") // mcop-20-80 is mcop
	for _, name := range ofPolicy {
		if of := policiesOf[name]; given[name] && of != nil && !slices.Contains(of, kind) {
			return cli.Mistakef("-%s with -policy %s: it is of %s: want it with that, or not at all", name, o.policy, cli.Series(of, "and"))
		}
	}
	if err := o.setClouds(); err != nil {
		return cli.Mistakef("%w", err)
	}
	m.Meter, m.Prices, m.Period = pricing.EC2Hourly, pricing.CC28XLarge2013(), 0
	m.Timeout = 2*o.timeout + time.Second // a call is a list and a command
	if err := m.Check(); err != nil {
		return cli.Mistakef("%w", err)
	}
	if m.Poll*3 > scaled(m.Every, m.Hour) {
		return cli.Mistakef("-every %v takes %v at -hour %v: want three times -poll, %v, or more, so that no evaluation is missed",
			m.Every, scaled(m.Every, m.Hour), m.Hour, m.Poll)
	}
	return nil
}

// prices reads a file of -classes.
func prices(path string, without pricing.List) (pricing.List, error) {
	if path == "" {
		return without, nil
	}
	f, err := classfile.Read("-classes", path, nil)
	if err != nil {
		return without, err
	}
	return f.List, f.Fits(time.Hour)
}

// scaled returns how long a time of the bill takes.
func scaled(d, hour time.Duration) time.Duration {
	return time.Duration(float64(d) * (float64(hour) / float64(time.Hour)))
}

// scaledUp returns how far the clock of the bill goes in a real time.
func scaledUp(real, hour time.Duration) time.Duration {
	return time.Duration(float64(real) * (float64(time.Hour) / float64(hour)))
}

// line is an entry of the journal as a line for people.
func line(e *manager.Entry) string {
	text := fmt.Sprintf("%10.2f h  %-8s", e.At.Hours(), e.Kind)
	if e.Node != "" {
		text += " " + e.Node
	}
	if e.Job != 0 {
		text += fmt.Sprintf(" job %d", e.Job)
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return plain.Line(text)
}
