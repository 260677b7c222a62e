package preemptions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// A Kind is how nodes are chosen.
type Kind int

// The first ones are the policies of package preempt.
const (
	Random Kind = iota
	FIFO
	LIFO
	PAP
	PAPPlus
	Blind
	Greedy
	Exact
	ExactPlus
	Requested
	Survival
	Corrected
	Kinds // how many
)

var kindNames = [Kinds]string{"random", "fifo", "lifo", "pap", "pap+", "blind", "greedy", "exact", "exact+", "requested", "survival", "corrected"}

func (k Kind) String() string { return kindNames[k] }

// ranks reports whether the kind is a policy that ranks nodes.
func (k Kind) ranks() bool { return k <= Blind }

// important says which jobs have a high priority.
type important struct {
	given    bool
	queue    string
	share    float64 // of the jobs, where queue is ""
	atRandom bool    // and not those that ask for the most
}

// HighPriority is the priority of important jobs, that of [Duplyakin17] section
// 4.4.
const HighPriority = 10

// Options are the flags.
type Options struct {
	Trace     string
	Made      []string // the logs to make up without Trace; nil for all
	Overrun   int
	Nodes     int
	Take      int
	Graces    []time.Duration
	Shown     [Kinds]bool
	SaveEvery time.Duration // 0: never
	SaveCost  time.Duration // negative: not on request
	Step      time.Duration // between two states
	Seed      uint64
	Draw      bool // keep what pictures show
	sample    int  // 0 for all jobs
	longest   time.Duration
	important important
}

const (
	maxNodes   = 10_000
	maxGraces  = 100
	maxSample  = 1_000_000_000
	maxOverrun = 1_000_000
)

// Define defines the flags -trace, -sample, -longest, -nodes, -take, -grace, -policy,
// -important, -overrun, -save-every, -save-cost, -step and -seed.
func (o *Options) Define(f *cli.Flags, graces, policies string, step time.Duration) {
	*o = Options{Nodes: 20, Take: -1, Overrun: 1, SaveCost: -1, Seed: 1, Step: step}
	if err := errors.Join(o.setGraces(graces), o.setPolicies(policies)); err != nil {
		panic(err) // defaults
	}
	f.Span("step", &o.Step, "a span of time above 0, such as 10m", func(d time.Duration) bool { return d > 0 })
	f.File("trace", &o.Trace)
	f.Int("sample", &o.sample, 1, maxSample, "")
	f.Span("longest", &o.longest, "a span of time above 0, such as 24h", func(d time.Duration) bool { return d > 0 })
	f.Int("nodes", &o.Nodes, 1, maxNodes, "")
	f.Int("take", &o.Take, 0, maxNodes, "")
	f.Int("overrun", &o.Overrun, 1, maxOverrun, "")
	f.Func("grace", o.setGraces)
	f.Func("policy", o.setPolicies)
	f.Func("important", o.setImportant)
	f.Span("save-every", &o.SaveEvery, "a span of time above 0, such as 1h", func(d time.Duration) bool { return d > 0 })
	f.Span("save-cost", &o.SaveCost, "a span of time that is not negative, such as 30s", func(d time.Duration) bool { return d >= 0 })
	f.Seed(&o.Seed)
	f.Check(func() error {
		if o.Take < 0 {
			o.Take = min(10, o.Nodes)
		}
		if o.SaveEvery > 0 && o.SaveCost > o.SaveEvery {
			return fmt.Errorf("-save-cost %v: want no more than -save-every, %v", o.SaveCost, o.SaveEvery)
		}
		if o.Take > o.Nodes {
			return fmt.Errorf("-take %d: the partition has only %s (-nodes)", o.Take, decimal.Count(o.Nodes, "node"))
		}
		return nil
	})
}

func (o *Options) setGraces(s string) error {
	o.Graces = o.Graces[:0]
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "..")
		if !isRange {
			to = from
		}
		a, err := time.ParseDuration(from)
		b, err2 := time.ParseDuration(to)
		switch {
		case err != nil || err2 != nil || a < 0 || b < 0:
			return errors.New("want spans of time that are not negative, such as 60s,20m,1h..6h")
		case isRange && a == 0:
			return fmt.Errorf("%s starts at 0: want a range in steps of its first span, such as 1h..6h", part)
		case b < a:
			return fmt.Errorf("%s ends before it starts: want a range such as 1h..6h", part)
		case isRange && b%a != 0:
			return fmt.Errorf("%s: %s is no multiple of %s: want a range in steps of its first span, such as 1h..6h", part, to, from)
		}
		for d := a; a <= d && d <= b; d += max(a, 1) { // beyond the range of durations d is negative
			if slices.Contains(o.Graces, d) {
				return fmt.Errorf("%v comes twice", d)
			}
			if len(o.Graces) == maxGraces {
				return fmt.Errorf("want at most %d grace periods", maxGraces)
			}
			o.Graces = append(o.Graces, d)
		}
	}
	return nil
}

func (o *Options) setPolicies(s string) error {
	o.Shown = [Kinds]bool{}
	for name := range strings.SplitSeq(s, ",") {
		if name == "all" {
			for k := range o.Shown {
				o.Shown[k] = true
			}
			continue
		}
		k := slices.Index(kindNames[:], name)
		if k < 0 {
			return fmt.Errorf("want all, or some of %s", strings.Join(kindNames[:], ", "))
		}
		o.Shown[k] = true
	}
	return nil
}

func (o *Options) setImportant(s string) error {
	which, value, _ := strings.Cut(s, "=")
	wrong := errors.New("want queue=NAME, random=1% or top=1%")
	switch which {
	case "queue":
		if value == "" {
			return wrong
		}
		o.important = important{given: true, queue: value}
	case "top", "random":
		percent, ok := strings.CutSuffix(value, "%")
		x, err := strconv.ParseFloat(percent, 64)
		if !ok || err != nil || !(x >= 0 && x <= 100) {
			return fmt.Errorf("want a share from %s=0%% to %[1]s=100%%", which)
		}
		o.important = important{given: true, share: x / 100, atRandom: which == "random"}
	default:
		return wrong
	}
	return nil
}
