package renting

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// Options are what the programs have in common, each a flag.
type Options struct {
	Rules
	Workload string // one, or "" for both
	Arrivals workload.Arrivals
	Policies []Policy
	Local    int // cores
	Budget   elastic.Budget
	Every    time.Duration
	Horizon  time.Duration // 0: 1,100,000 s of samples, the end of a log
	Runs     int
	Seed     uint64
	Overhead elastic.Delay
	Lead     time.Duration

	Levels, Decisions bool // what is kept for files
}

// Limits of the flags: of the memory of the results and of a run, and of the work.
const (
	maxRuns     = 100_000
	MaxBudget   = 1000 * pricing.Unit
	MaxLocal    = 1_000_000
	maxPolicies = 100
	MaxSpan     = 50 * 8760 * time.Hour
)

// Define sets the paper's defaults and defines the flags that change them.
func (o *Options) Define(f *cli.Flags) {
	*o = Options{Policies: AllPolicies, Local: elastic.Marshall12Local, Budget: elastic.Marshall12Budget(), Every: elastic.DefaultEvery, Runs: 30,
		Seed: 1, Rules: Rules{AQTP: DefaultAQTP()}}
	f.Func("workload", func(s string) error {
		if o.Workload = s; s != Feitelson && s != Grid5000 {
			return errors.New("want feitelson or grid5000")
		}
		return nil
	})
	f.Int("runs", &o.Runs, 1, maxRuns, "")
	f.Seed(&o.Seed)
	f.Int("local", &o.Local, 0, MaxLocal, " of cores")
	for name, to := range map[string]*pricing.Money{"budget": &o.Budget.Hourly, "debt": &o.Budget.Debt} {
		f.Money(name, to, fmt.Sprintf("an amount from 0 to %v dollars, such as 5 or 2.50", MaxBudget),
			func(m pricing.Money) bool { return m >= 0 && m <= MaxBudget })
	}
	f.Switch("covered", &o.Budget.Covered)
	f.Span("every", &o.Every, "a span of time from 1s, such as 5m", func(d time.Duration) bool { return d >= time.Second && d <= MaxSpan })
	positive := func(name string, to *time.Duration) {
		f.Span(name, to, "a span of time above 0, such as 300h", func(d time.Duration) bool { return d > 0 && d <= MaxSpan })
	}
	positive("horizon", &o.Horizon)
	f.Func("policy", o.setPolicies)
	cli.Choice(f, "queue", &o.Queue, QueueNames...)
	positive("response", &o.AQTP.Response)
	f.Span("threshold", &o.AQTP.Threshold, "a span of time that is not negative, such as 45m", func(d time.Duration) bool { return d >= 0 && d <= MaxSpan })
	f.Int("least", &o.AQTP.Min, 1, maxRuns, " of jobs")
	f.Int("most", &o.AQTP.Max, 1, maxRuns, " of jobs")
	cli.Choice(f, "search", &o.Search, "genetic", "exact")
	f.Check(func() error {
		if err := o.AQTP.Validate(); err != nil {
			return fmt.Errorf("%s", cli.Reason(err, map[string]string{"AQTP": "-least, -first and -most"}))
		}
		return nil
	})
}

// QueueNames are the values of -queue.
var QueueNames = []string{"fcfs", "easy"}

func (o *Options) setPolicies(s string) error {
	o.Policies = nil
	for name := range strings.SplitSeq(strings.Replace(s, "all", allNames, 1), ",") {
		p, err := ParsePolicy(strings.TrimSpace(name))
		switch {
		case err != nil:
			return err
		case slices.Contains(o.Policies, p):
			return fmt.Errorf("%s is there twice", name)
		case len(o.Policies) == maxPolicies:
			return fmt.Errorf("want at most %d policies", maxPolicies)
		}
		o.Policies = append(o.Policies, p)
	}
	return nil
}

// Has reports whether a policy of one of the kinds runs.
func (o *Options) Has(of ...Kind) bool {
	return slices.ContainsFunc(o.Policies, func(p Policy) bool { return slices.Contains(of, p.Kind) })
}

// Idle reports whether a flag of [Options.Define] is of policies that do not run.
func (o *Options) Idle(name string) bool {
	switch name {
	case "response", "threshold", "least", "most":
		return !o.Has(AQTP)
	case "search":
		return !o.Has(MCOP)
	}
	return false
}

// ParseDelay reads a span, or a mean and a standard deviation such as 50s±4s.
func ParseDelay(text string) (elastic.Delay, error) {
	mean, deviation, random := strings.Cut(strings.Replace(text, "+-", "±", 1), "±")
	d, err := time.ParseDuration(strings.TrimSpace(mean))
	var sd time.Duration
	if random && err == nil {
		sd, err = time.ParseDuration(strings.TrimSpace(deviation))
	}
	if err != nil || d < 0 || sd < 0 || d > MaxSpan || sd > MaxSpan {
		return nil, errors.New("want a span of time that is not negative, such as 50s or 50s±4s")
	}
	return elastic.Delay{{Weight: 1, Mean: d, Deviation: sd}}, nil
}
