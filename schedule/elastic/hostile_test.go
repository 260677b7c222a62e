package elastic

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A policy that launches what it may not launch gets an error before any instance is made:
// there could be 2⁶³ of them.
func TestNothingIsLaunchedBeyondTheLimits(t *testing.T) {
	for name, c := range map[string]struct {
		cloud CloudOptions
		count int
	}{
		"above the limit": {CloudOptions{Name: "c", Limit: 4}, 5},
		"without credits": {CloudOptions{Name: "c", Limit: 9, Price: pricing.Unit}, 7},
	} {
		var e Simulator
		policy := policyFunc(func(dst []Action, _ *Snapshot) []Action {
			return append(dst, Action{Launch: true, Cloud: 1, Count: c.count, Reason: "own"})
		})
		jobs := []trace.Job{{ID: 1, Run: time.Hour, Estimate: time.Hour, Nodes: 1}}
		_, err := e.Run(jobs, Options{Local: 1, Clouds: []CloudOptions{c.cloud}, Policy: policy, Rand: rand.New(rand.NewPCG(1, 1))})
		var in *inputerr.Error
		if !errors.As(err, &in) || in.Field != "Policy" {
			t.Errorf("%s: error %v", name, err)
		}
		if n := len(e.snap.Clouds[1].Instances); n > 0 {
			t.Errorf("%s: %d instances are there", name, n)
		}
	}
}

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

// A population that fills the memory is refused, as is one too small.
func TestMCOPOfHugePopulation(t *testing.T) {
	for n, ok := range map[int]bool{maxPopulation: true, maxPopulation + 1: false, math.MaxInt: false, 3: true, 2: false, 0: true} {
		p := MCOP{Rand: rand.New(rand.NewPCG(1, 1)), CostWeight: 0.5, Population: n}
		if err := p.Validate(); (err == nil) != ok {
			t.Errorf("%d individuals: %v", n, err)
		}
	}
}

// A policyFunc is a function as a Policy.
type policyFunc func(dst []Action, s *Snapshot) []Action

func (f policyFunc) AppendActions(dst []Action, s *Snapshot) []Action { return f(dst, s) }
