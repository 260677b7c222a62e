//go:build unix

package replay

import (
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
)

// A Lease is an instance from when it was asked for. Times are of the scaled clock, and
// negative for what has not happened.
type Lease struct {
	Node                       string
	Set                        int // which request it belongs to, from 0 on
	Asked, Created, Up, Leaves time.Duration
	Ended                      time.Duration
	Left                       time.Duration     // until its next charge when it was decided that it leaves for that
	Instance                   provider.Instance // as the provider has it
}

// Leases keeps the leases that a manager tells of by manager.Options.Watch. The zero value is
// ready but for the clock.
type Leases struct {
	Clock *clock.Clock
	All   []*Lease
	Sets  int

	byToken map[string]*Lease
	job     int64
	reason  string
}

// See notes an entry of the journal.
func (l *Leases) See(e *manager.Entry) {
	if e.Kind != manager.Asking {
		l.job = 0 // what one request asks for comes in one row
	}
	if l.byToken == nil {
		l.byToken = map[string]*Lease{}
	}
	x := l.byToken[e.Token]
	if x == nil && e.Kind != manager.Asking && e.Kind != manager.Spare {
		return // of no instance
	}
	switch e.Kind {
	case manager.Asking:
		if e.Job != l.job || e.Reason != l.reason {
			l.Sets++
		}
		l.job, l.reason = e.Job, e.Reason
		x = &Lease{Node: e.Node, Set: l.Sets - 1, Asked: e.At, Created: -1, Up: -1, Leaves: -1, Ended: -1, Left: -1}
		l.byToken[e.Token] = x
		l.All = append(l.All, x)
	case manager.Spare: // nobody asked for it, and it leaves at once
		x = &Lease{Node: e.Node, Set: -1, Asked: e.At, Created: l.Clock.At(e.Created), Up: -1, Leaves: e.At, Ended: -1, Left: -1}
		x.Instance = provider.Instance{ID: e.ID, Token: e.Token, Node: e.Node, Created: e.Created}
		l.byToken[e.Token] = x
		l.All = append(l.All, x)
	case manager.Rented:
		x.Created = l.Clock.At(e.Created)
		x.Instance = provider.Instance{ID: e.ID, Token: e.Token, Node: e.Node, Created: e.Created}
	case manager.Up:
		x.Up = e.At
	case manager.Leaving:
		x.Leaves, x.Left = e.At, -1
		if _, left, ok := strings.Cut(e.Reason, "charged again in "); ok {
			if d, err := time.ParseDuration(left); err == nil {
				x.Left = d
			}
		}
	case manager.Staying:
		x.Leaves, x.Left = -1, -1
	case manager.Refused:
		delete(l.byToken, e.Token)
		l.All = slices.DeleteFunc(l.All, func(y *Lease) bool { return x == y })
	case manager.Stray:
		x.Ended, x.Instance.Ended = -1, time.Time{}
	case manager.Gone:
		x.Ended, x.Instance.Ended = l.Clock.At(e.Ended), e.Ended
	}
}

// Live returns how many instances are asked for or rented.
func (l *Leases) Live() int {
	n := 0
	for _, x := range l.All {
		if x.Ended < 0 {
			n++
		}
	}
	return n
}

// Instances returns the instances that were rented. One that leaves is taken to end when
// it was to.
func (l *Leases) Instances() []provider.Instance {
	var all []provider.Instance
	for _, x := range l.All {
		if x.Created < 0 {
			continue
		}
		in := x.Instance
		if in.Live() && x.Leaves >= 0 {
			in.Ended = l.Clock.Origin().Add(l.Clock.Unscaled(x.Leaves))
		}
		all = append(all, in)
	}
	return all
}
