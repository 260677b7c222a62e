package manager

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// Options are a manager's parameters. Times are of the scaled clock but for Hour, Poll
// and Timeout.
type Options struct {
	Nodes []string // names that instances may have, which Slurm knows

	WaitLimit    time.Duration      // T_waitlmt of [Niu16]
	Short        time.Duration      // T_short
	Expansion    schedule.Expansion // how much to request
	Placement    placement.Policy   // which idle instances a job gets; not Random
	ReleaseEvery time.Duration      // between two release checks
	Least, Most  int                // bounds of the nodes; 0 as Most: no limit but the names
	Pause        time.Duration      // the least time between two changes of the size
	Lead         time.Duration      // how long before its charge an instance leaves at the latest
	RetryEvery   time.Duration      // until what failed is tried again; twice as long after each further failure, up to 8 times
	Boot         time.Duration      // how long a boot is expected to take
	BootLimit    time.Duration      // after which an instance has failed
	AuditEvery   time.Duration      // between two comparisons with the provider's list

	Meter  pricing.Meter
	Prices pricing.List   // what instances cost on demand, and the reservations to be had
	Period int            // hours between two purchases; 0: nothing is bought
	Buyer  provider.Buyer // nil: what is to be bought is written to the journal, for somebody else to buy

	// With a Policy, the policy decides every Every what is rented in which of the Clouds,
	// and what is given back, on the Budget. Then Nodes are those of the clouds; WaitLimit,
	// Short, Expansion, ReleaseEvery, Least, Most, Pause, Boot and Prices do not matter, and
	// Period is 0.
	Policy elastic.Policy
	Clouds []Cloud
	Budget elastic.Budget
	Every  time.Duration

	Hour    time.Duration // how long an hour takes
	Poll    time.Duration // between two looks at Slurm
	Timeout time.Duration // of a call to the provider

	// Watch, if not nil, is called with each entry of the journal, and with each view
	// of the cluster that differs from the one before, by the manager's goroutine.
	// Nothing of them is to be kept.
	Watch func(e *Entry, s *Status)

	now     func() time.Time                                    // the calendar's, of tests
	decided func(s *elastic.Snapshot, actions []elastic.Action) // called with each decision of a policy, in tests
}

// ErrOptions: the options make no sense, or differ from the journal's.
var ErrOptions = errors.New("manager")

// Check is an error that unwraps to ErrOptions if the options make no sense.
func (o *Options) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...)
	}
	switch {
	case len(o.Nodes) == 0:
		return bad("no nodes: want the names that instances may have")
	case o.Hour <= 0 || o.Poll <= 0 || o.Timeout <= 0:
		return bad("an hour of %v, polls each %v, a time-out of %v: want them positive", o.Hour, o.Poll, o.Timeout)
	case o.ReleaseEvery <= 0 || o.RetryEvery <= 0 || o.AuditEvery <= 0 || o.BootLimit <= 0:
		return bad("release checks each %v, retries each %v, audits each %v, a limit of boots of %v: want them positive",
			o.ReleaseEvery, o.RetryEvery, o.AuditEvery, o.BootLimit)
	case o.WaitLimit < 0 || o.Short < 0 || o.Boot < 0 || o.Lead < 0 || o.Period < 0:
		return bad("a negative time")
	case o.Lead > 0 && o.Lead+o.ReleaseEvery > o.Meter.Increment:
		return bad("instances leave %v before their next charge, and checks are %v apart: want less than %v together, or none ever leaves",
			o.Lead, o.ReleaseEvery, o.Meter.Increment)
	case o.Most > 0 && o.Most < o.Least, o.Least < 0, o.Most < 0, o.Least > len(o.Nodes):
		return bad("%d to %d nodes of %d names: want a least size up to the greatest one, which is up to the names, or 0 for no limit", o.Least, o.Most, len(o.Nodes))
	case o.Pause < 0:
		return bad("a pause of %v: want a time of at least 0", o.Pause)
	case o.Placement >= placement.Random:
		return bad("placement %v: want one that is an order", o.Placement)
	case o.Expansion > schedule.SumSize:
		return bad("%v is not an expansion", o.Expansion)
	}
	seen := map[string]bool{}
	for _, n := range o.Nodes {
		if !nodeName.MatchString(n) || seen[n] {
			return bad("the node %q: want names, each once", n)
		}
		seen[n] = true
	}
	if err := o.Meter.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return o.checkClouds()
}

// nodeName is what the names of hosts are made of.
var nodeName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
