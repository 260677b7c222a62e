package elastic

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// Among instances of one core and speed 1, a job is served in the first cloud that is given,
// also if another one is cheaper.
func TestServeInTheFirstCloudGiven(t *testing.T) {
	s := &Snapshot{Every: 5 * time.Minute, Credits: 100 * pricing.Unit, Clouds: []Cloud{
		{Fixed: true}, {Price: pricing.Unit, Limit: 9}, {Price: 2 * pricing.Unit, Limit: 9},
	}}
	var d Draft
	d.Reset(nil, s)
	if !d.Serve(&schedule.Job{Nodes: 3}, []int{2, 1}, "own") || d.Room(2) != 6 || d.Room(1) != 9 {
		t.Errorf("room for %d and %d more, want the job in the cloud that was given first", d.Room(2), d.Room(1))
	}
}

// A policyFunc is a function as a Policy.
type policyFunc func(dst []Action, s *Snapshot) []Action

func (f policyFunc) AppendActions(dst []Action, s *Snapshot) []Action { return f(dst, s) }
