//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// spike costs 20 cents an hour but for 2 dollars from hour 2 to hour 3.
var spike = pricing.SpotHistory{Times: []time.Duration{0, 2 * time.Hour, 3 * time.Hour}, Prices: []pricing.Money{20 * cent, 200 * cent, 20 * cent}, End: 48 * time.Hour}

// simple returns a task of three hours on two instances.
func simple(c spot.Checkpoints) Task {
	x := Task{Name: "one", Command: "run"}
	x.Estimate, x.Latency, x.Instances, x.Deadline, x.Checkpoints = 3*time.Hour, 10*time.Minute, 2, 20*time.Hour, c
	return x
}

func bid25(*spot.Task, spot.Tier, time.Duration, time.Duration) pricing.Money { return 25 * cent }

// A runner says what it does, step by step. By hand: the task begins at 0 on spot, where its
// instances boot for nine minutes, is interrupted at hour 2 by the price, and has to begin
// anew; two instances cost 20 cents for each hour that was begun and not interrupted. With
// little time to lose, it runs on demand: four hours of two instances at 1.30.
func TestNotes(t *testing.T) {
	for name, c := range map[string]struct {
		checkpoints spot.Checkpoints
		deadline    time.Duration
		want        []string
	}{
		"loose": {spot.Checkpoints{}, 20 * time.Hour, []string{
			"0s: agent low opens ID-0-1", "9m0s: runs on ID-0-1", "2h0m0s: is taken back from ID-0-1", "2h0m0s: closes ID-0-1: $0.8",
			"2h0m0s: agent low opens ID-0-2", "3h9m0s: runs on ID-0-2", "6h10m0s: closes ID-0-2: $1.6", "6h10m0s: is complete",
		}},
		"tight": {spot.Checkpoints{Every: 30 * time.Minute}, 4 * time.Hour, []string{
			"0s: agent high opens ID-0-1", "9m0s: runs on ID-0-1", "3h10m0s: closes ID-0-1: $10.4", "3h10m0s: is complete",
		}},
	} {
		x := simple(c.checkpoints)
		x.Deadline = c.deadline
		m := &Market{History: spike, OnDemand: onDemand, Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly, Setup: time.Minute, Tasks: []Task{x}, Runtimes: []time.Duration{3 * time.Hour}}
		var said []string
		o := Options{Journal: filepath.Join(folder(t), "journal"), Tasks: m.Tasks, Bid: bid25, Cloud: m, Note: func(now time.Duration, task int, what string) {
			said = append(said, fmt.Sprintf("%v: %s", now, what))
		}}
		r, _ := live(t, o, m)
		for i := range said {
			said[i] = strings.ReplaceAll(said[i], r.id, "ID")
		}
		if diff := cmp.Diff(c.want, said); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		r.Close()
	}
}

// shop is a provider that does what the test says.
type shop struct {
	now     *time.Time
	list    []provider.Instance
	created []string
	deleted []string
	refuse  int   // of the creations from now on, the number that succeed before one is refused; -1: none is
	fail    error // of all calls
	failAt  int   // creations that succeed before one fails; -1
}

func (s *shop) Create(_ context.Context, token, node string) (provider.Instance, error) {
	if s.refuse == 0 {
		return provider.Instance{}, fmt.Errorf("%w: no room", provider.ErrRefused)
	}
	if s.failAt == 0 {
		return provider.Instance{}, errors.New("no answer")
	}
	s.refuse--
	s.failAt--
	in := provider.Instance{ID: "i-" + token, Token: token, Node: node, Created: *s.now}
	s.list, s.created = append(s.list, in), append(s.created, token)
	return in, s.fail
}

func (s *shop) Delete(_ context.Context, id string) (provider.Instance, error) {
	s.deleted = append(s.deleted, id)
	for i := range s.list {
		if s.list[i].ID == id {
			s.list[i].Ended = *s.now
			return s.list[i], s.fail
		}
	}
	return provider.Instance{ID: id, Ended: *s.now}, s.fail
}

func (s *shop) List(context.Context) ([]provider.Instance, error) {
	return slices.Clone(s.list), s.fail
}

// staged are jobs that do what the test says.
type staged struct {
	State_    State
	fail      error
	submitted []string
	saves     int
}

func (j *staged) State(c *Cluster) (State, error) {
	if c.Token == "" {
		return State{Saved: j.State_.Saved}, j.fail
	}
	return j.State_, j.fail
}
func (j *staged) Submit(c *Cluster) error {
	j.submitted = append(j.submitted, c.Token+" "+strings.Join(c.Names, ","))
	return j.fail
}
func (j *staged) Save(c *Cluster) error { j.saves++; return j.fail }

// stall returns a cloud of a shop with a clock that the test sets: an hour is an hour.
func stall(c spot.Checkpoints) (cloud *Instances, s *shop, j *staged, now *time.Time) {
	begin := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)
	now = &begin
	s, j = &shop{now: now, refuse: -1, failAt: -1}, new(staged)
	cloud = &Instances{Provider: s, Jobs: j, Clock: clock.NewFunc(begin, time.Hour, func() time.Time { return *now }), Tasks: []Task{simple(c)}, OnDemand: onDemand,
		Meter: pricing.EC2Hourly, Spot: pricing.EC2SpotHourly, Every: 10 * time.Minute, Fresh: -1, Type: "big", Renter: func(Request) provider.Provider { return s }}
	return cloud, s, j, now
}

func mustLook(t *testing.T, c *Instances, want spot.Observation) {
	t.Helper()
	c.list = nil
	if o, err := c.Look("t-0-1"); err != nil || o != want {
		t.Errorf("%+v, %v, want %+v", o, err, want)
	}
}

// The life of a cluster on demand: its two instances are created, boot, run the task, which
// saves every half hour, and are deleted. By hand: 2.5 hours cost three hours of each.
func TestLifeOnDemand(t *testing.T) {
	c, s, j, now := stall(spot.Checkpoints{Every: 30 * time.Minute})
	if _, err := c.Look("t-0-1"); err == nil || err.Error() != `there is no cluster "t-0-1"` {
		t.Errorf("%v", err)
	}
	q := Request{Token: "t-0-1", Tier: spot.TierHigh, Instances: 2}
	if c.Open(q) != nil || c.Open(Request{Token: "t-0-1", Instances: 9}) != nil {
		t.Error("it is not opened twice")
	}
	mustLook(t, c, spot.Observation{})
	if !slices.Equal(s.created, []string{"t-0-1-0-0", "t-0-1-0-1"}) {
		t.Errorf("created %q", s.created)
	}
	mustLook(t, c, spot.Observation{Launched: true})
	j.State_ = State{Ready: true, Done: true, Saved: time.Minute}
	mustLook(t, c, spot.Observation{Launched: true, Ready: true, Saved: time.Minute}) // it was not submitted
	j.State_ = State{}
	if err := c.Submit("t-0-1"); err != nil || !slices.Equal(j.submitted, []string{"t-0-1 t-0-1-0-0,t-0-1-0-1"}) {
		t.Errorf("submitted %q, %v", j.submitted, err)
	}
	*now = now.Add(30*time.Minute - 1)
	mustLook(t, c, spot.Observation{Launched: true, Ready: true})
	if j.saves != 0 {
		t.Errorf("%d saves before half an hour", j.saves)
	}
	*now = now.Add(1)
	mustLook(t, c, spot.Observation{Launched: true, Ready: true})
	mustLook(t, c, spot.Observation{Launched: true, Ready: true})
	if j.saves != 1 {
		t.Errorf("%d saves in half an hour, want 1", j.saves)
	}
	*now = now.Add(2 * time.Hour)
	j.State_ = State{Done: true, Failed: "exit status 3"}
	mustLook(t, c, spot.Observation{Launched: true, Ready: true, Done: true})
	if live, err := c.Live(); err != nil || !slices.Equal(live, []string{"t-0-1"}) {
		t.Errorf("live %q, %v", live, err)
	}
	l, err := c.Close("t-0-1", false)
	if want := (Lease{Launched: 0, Ended: 150 * time.Minute, Cost: 6 * onDemand, Failed: "exit status 3"}); err != nil || l != want {
		t.Errorf("%+v, %v, want %+v", l, err, want)
	}
	if !slices.Equal(s.deleted, []string{"i-t-0-1-0-0", "i-t-0-1-0-1"}) || j.saves != 1 {
		t.Errorf("deleted %q, %d saves", s.deleted, j.saves)
	}
	if live, err := c.Live(); err != nil || len(live) != 0 {
		t.Errorf("live %q, %v", live, err)
	}
	if again, err := c.Close("t-0-1", false); err != nil || again != l {
		t.Errorf("closed again: %+v, %v", again, err)
	}
}

// A cluster that still runs is saved before it is closed, and not if it was interrupted.
func TestCloseSaves(t *testing.T) {
	for interrupted, want := range map[bool]int{false: 1, true: 0} {
		c, _, j, _ := stall(spot.Checkpoints{})
		c.Open(Request{Token: "t-0-1", Tier: spot.TierHigh, Instances: 2})
		mustLook(t, c, spot.Observation{})
		c.Submit("t-0-1")
		if _, err := c.Close("t-0-1", interrupted); err != nil || j.saves != want {
			t.Errorf("interrupted %v: %d saves, want %d, %v", interrupted, j.saves, want, err)
		}
	}
	c, _, j, _ := stall(spot.Checkpoints{})
	if l, err := c.Close("t-9-9", false); err != nil || l.Launched != -1 || l.Cost != 0 || j.saves != 0 {
		t.Errorf("a cluster that was never there: %+v, %v", l, err)
	}
}

// An instance that is lost before the task is submitted makes the next attempt; afterwards it
// is an interruption, unless the task had ended.
func TestLost(t *testing.T) {
	c, s, j, now := stall(spot.Checkpoints{})
	c.Open(Request{Token: "t-0-1", Tier: spot.TierLow, Bid: 25 * cent, Instances: 2})
	mustLook(t, c, spot.Observation{})
	s.list[1].Ended = *now
	mustLook(t, c, spot.Observation{})
	if want := []string{"t-0-1-0-0", "t-0-1-0-1", "t-0-1-1-0", "t-0-1-1-1"}; !slices.Equal(s.created, want) || !slices.Equal(s.deleted, []string{"i-t-0-1-0-0"}) {
		t.Errorf("created %q, deleted %q", s.created, s.deleted)
	}
	mustLook(t, c, spot.Observation{Launched: true})
	c.Submit("t-0-1")
	j.State_ = State{Saved: time.Hour}
	mustLook(t, c, spot.Observation{Launched: true, Ready: true, Saved: time.Hour})
	s.list[3].Ended = *now
	if err := c.Submit("t-0-1"); err != nil || len(j.submitted) != 1 {
		t.Errorf("submitted to a cluster that has lost an instance: %q, %v", j.submitted, err)
	}
	mustLook(t, c, spot.Observation{Launched: true, Ready: true, Interrupted: true, Saved: time.Hour})
	if got := s.deleted[len(s.deleted)-1]; len(s.deleted) != 2 || got != "i-t-0-1-1-0" {
		t.Errorf("deleted %q", s.deleted)
	}
	j.State_ = State{Done: true, Failed: "exit status 1"}
	mustLook(t, c, spot.Observation{Launched: true, Ready: true, Interrupted: true, Done: true})
	if l, err := c.Close("t-0-1", true); err != nil || l.Failed != "exit status 1" || len(s.created) != 4 {
		t.Errorf("%+v, %v", l, err)
	}
}

// What the provider refuses is asked for again after a while; what it does not answer to is in
// its list or is asked for again.
func TestRefusedInstances(t *testing.T) {
	c, s, _, now := stall(spot.Checkpoints{})
	var kept []string
	c.Keep([]Sighting{}, func(changed []Sighting, seen time.Time) error {
		text := ""
		for _, x := range changed {
			text += fmt.Sprintf("%s %v %v %s;", x.Token, x.Refused, !x.Created.IsZero(), x.Type)
		}
		kept = append(kept, text)
		return nil
	})
	s.refuse = 1
	c.Open(Request{Token: "t-0-1", Tier: spot.TierLow, Bid: 25 * cent, Instances: 2})
	mustLook(t, c, spot.Observation{})
	want := []string{"t-0-1-0-0 false false big;t-0-1-0-1 false false big;", "t-0-1-0-0 false true big;t-0-1-0-1 true false big;"}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	s.refuse = -1
	*now = now.Add(10*time.Minute - 1)
	mustLook(t, c, spot.Observation{})
	if len(s.created) != 1 {
		t.Errorf("created %q before it is time", s.created)
	}
	*now = now.Add(1)
	mustLook(t, c, spot.Observation{})
	mustLook(t, c, spot.Observation{Launched: true})
	if !slices.Equal(s.created, []string{"t-0-1-0-0", "t-0-1-0-1"}) {
		t.Errorf("created %q", s.created)
	}
	c, s, _, _ = stall(spot.Checkpoints{})
	c.Open(Request{Token: "t-0-1", Tier: spot.TierHigh, Instances: 2})
	s.failAt = 1
	if _, err := c.Look("t-0-1"); err == nil || err.Error() != "no answer" {
		t.Errorf("%v", err)
	}
	s.failAt = -1
	mustLook(t, c, spot.Observation{})
	mustLook(t, c, spot.Observation{Launched: true})
}

// By a history, spot instances wait until the price is within the bid, and go when it is
// above: by hand at hour 2, until when they cost 20 cents an hour each, and two hours of each
// are charged if the price took them as if not.
func TestByHistory(t *testing.T) {
	c, s, _, now := stall(spot.Checkpoints{})
	c.History = &spike
	*now = now.Add(150 * time.Minute)
	c.Open(Request{Token: "t-0-1", Tier: spot.TierLow, Bid: 25 * cent, Instances: 1})
	mustLook(t, c, spot.Observation{})
	if len(s.created) != 0 {
		t.Errorf("created %q above the bid", s.created)
	}
	c.Open(Request{Token: "t-0-2", Tier: spot.TierHigh, Instances: 1})
	if _, err := c.Look("t-0-2"); err != nil || len(s.created) != 1 {
		t.Errorf("on demand has no price to wait for: %q, %v", s.created, err)
	}
	c, s, j, now := stall(spot.Checkpoints{})
	c.History = &spike
	c.Open(Request{Token: "t-0-1", Tier: spot.TierLow, Bid: 25 * cent, Instances: 1})
	mustLook(t, c, spot.Observation{})
	c.Submit("t-0-1")
	*now = now.Add(2*time.Hour - 1)
	mustLook(t, c, spot.Observation{Launched: true, Ready: true})
	*now = now.Add(1)
	j.State_ = State{Done: true}
	mustLook(t, c, spot.Observation{Launched: true, Ready: true, Interrupted: true, Done: true})
	l, err := c.Close("t-0-1", true)
	if want := (Lease{Ended: 2 * time.Hour, Cost: 40 * cent}); err != nil || l != want || len(s.deleted) != 1 {
		t.Errorf("%+v, %v, want %+v and one instance deleted, not %q", l, err, want, s.deleted)
	}
}

// What instances cost that ended unseen, whose price nobody knows, or that may never have been
// rented: bounds, with the reason of the first and the number of the others.
func TestBounds(t *testing.T) {
	begin := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(h float64) time.Time { return begin.Add(time.Duration(h * float64(time.Hour))) }
	unseen := Sighting{ID: "i-1", Tier: spot.TierHigh, Price: onDemand, Created: begin, Seen: at(.5), Ended: at(2.5), Missed: true}
	seen, late := unseen, unseen
	seen.Missed, late.Seen = false, at(2.2)
	bid := Sighting{ID: "i-2", Tier: spot.TierLow, Price: 25 * cent, Created: begin, Ended: at(2.5)}
	asked := Sighting{Token: "t-0-1-0-0", Tier: spot.TierHigh, Price: onDemand, Asked: at(1), Ended: at(2.5), Missed: true}
	const of1 = "i-1 ended unseen, after 2013-01-01 00:30:00 and before 2013-01-01 02:30:00"
	for _, row := range []struct {
		list        []Sighting
		least, most pricing.Money
		unsure      int
		why         string
	}{
		{[]Sighting{unseen}, onDemand, 3 * onDemand, 1, of1}, {[]Sighting{late}, 3 * onDemand, 3 * onDemand, 0, ""}, {[]Sighting{seen}, 3 * onDemand, 3 * onDemand, 0, ""},
		{[]Sighting{bid}, 0, 75 * cent, 1, "of the price of i-2 only the bid is known, $0.25 an hour"},
		{[]Sighting{asked}, 0, 2 * onDemand, 1, "nobody knows whether t-0-1-0-0 was rented from 2013-01-01 01:00:00 to 2013-01-01 02:30:00"},
		{[]Sighting{seen, unseen, bid}, 4 * onDemand, 6*onDemand + 75*cent, 2, of1},
	} {
		c, _, _, _ := stall(spot.Checkpoints{})
		var b bounds
		for i := range row.list {
			if err := c.charge(&b, &row.list[i], true); err != nil {
				t.Fatal(err)
			}
		}
		if b != (bounds{row.least, row.most, row.unsure, row.why}) {
			t.Errorf("%+v, want %+v", b, row)
		}
	}
	// The journal brings back what the provider has forgotten; its instances ended when they were
	// missed first.
	c, s, _, now := stall(spot.Checkpoints{})
	var kept []Sighting
	*now = at(3)
	c.Keep([]Sighting{
		{Token: "t-0-1-0-0", ID: "a", Tier: spot.TierHigh, Price: onDemand, Asked: begin, Created: begin, Seen: at(1)},
		{Token: "t-0-1-0-1", ID: "b", Tier: spot.TierHigh, Price: onDemand, Asked: begin, Created: begin, Seen: at(1), Ended: at(1)},
		{Token: "t-0-2-0-0", Tier: spot.TierHigh, Price: onDemand, Asked: at(2)},
		{Token: "t-0-3-0-0", ID: "d", Tier: spot.TierHigh, Price: onDemand, Asked: at(3).Add(-10*time.Minute + 1), Created: at(2.9), Seen: at(2.9)},
		{Token: "t-0-4-0-0", ID: "e", Tier: spot.TierHigh, Price: onDemand, Asked: begin, Created: begin, Seen: at(1)},
	}, func(changed []Sighting, seen time.Time) error {
		kept = append(kept, changed...)
		if !seen.Equal(at(3)) && !seen.IsZero() {
			t.Errorf("seen at %v", seen)
		}
		return nil
	})
	s.list = []provider.Instance{{ID: "e", Token: "t-0-4-0-0", Created: begin}, {ID: "x", Token: "other-1-2-3-4", Created: begin}}
	l, err := c.Close("t-0-1", false)
	want := Lease{Ended: 3 * time.Hour, Cost: 4 * onDemand, Least: 2 * onDemand, Unsure: "a ended unseen, after 2013-01-01 01:00:00 and before 2013-01-01 03:00:00"}
	if err != nil || l != want {
		t.Errorf("%+v, %v, want %+v", l, err, want)
	}
	ended := ""
	for _, x := range kept {
		ended += fmt.Sprintf("%s %v %v;", x.Token, x.Missed, !x.Ended.IsZero())
	}
	if want := "t-0-1-0-0 true true;t-0-2-0-0 true true;"; ended != want {
		t.Errorf("kept %s, want %s", ended, want)
	}
	if !c.known["t-0-3-0-0"].Ended.IsZero() || !c.known["t-0-4-0-0"].Ended.IsZero() || !c.known["t-0-4-0-0"].Seen.Equal(at(3)) {
		t.Error("a new instance that is not listed yet, or one that is, has ended")
	}
	if l, err := c.Close("t-0-2", false); err != nil || l.Cost != onDemand || l.Least != 0 || l.Unsure != "nobody knows whether t-0-2-0-0 was rented from 2013-01-01 02:00:00 to 2013-01-01 03:00:00" {
		t.Errorf("%+v, %v", l, err)
	}
	// Seen instances are written again after a while.
	kept = nil
	calls := 0
	c.write = func([]Sighting, time.Time) error { calls++; return nil }
	*now = at(3).Add(10*time.Minute - 1)
	c.list = nil
	c.instances("t-0-4")
	n := calls
	*now = at(3.5)
	c.list = nil
	c.instances("t-0-4")
	if n > 1 || calls <= n {
		t.Errorf("written %d and %d times", n, calls)
	}
}

// A failure of the provider or of the jobs comes up from every method.
func TestFailures(t *testing.T) {
	down := errors.New("down")
	for _, of := range []string{"provider", "jobs", "journal"} {
		c, s, j, _ := stall(spot.Checkpoints{})
		c.Open(Request{Token: "t-0-1", Tier: spot.TierHigh, Instances: 2})
		mustLook(t, c, spot.Observation{})
		c.Submit("t-0-1")
		switch of {
		case "provider":
			s.fail = down
		case "jobs":
			j.fail = down
		case "journal":
			c.write = func([]Sighting, time.Time) error { return down }
			s.list[0].Ended = *s.now
		}
		c.list = nil
		if _, err := c.Look("t-0-1"); err != down {
			t.Errorf("%s, looking: %v", of, err)
		}
		c.list = nil
		if err := c.Submit("t-0-1"); err != down && of != "journal" {
			t.Errorf("%s, submitting: %v", of, err)
		}
		if of != "jobs" {
			c.list, c.known["t-0-1-0-0"].Ended = nil, time.Time{}
			if _, err := c.Close("t-0-1", true); err != down {
				t.Errorf("%s, closing: %v", of, err)
			}
			if _, err := c.Live(); err != down && of == "provider" {
				t.Errorf("%s, live: %v", of, err)
			}
		}
	}
	// An instance that does not end is told.
	c, s, _, _ := stall(spot.Checkpoints{})
	c.Open(Request{Token: "t-0-1", Tier: spot.TierHigh, Instances: 1})
	mustLook(t, c, spot.Observation{})
	c.Provider = undying{s}
	if _, err := c.Close("t-0-1", false); err == nil || err.Error() != "the provider says that i-t-0-1-0-0 has not ended" {
		t.Errorf("%v", err)
	}
	for token, want := range map[string]int{"t-0-1-4-2": 4, "t": -1, "t-0-x-2": -1} {
		if got := attempt(token); got != want {
			t.Errorf("attempt of %s: %d, want %d", token, got, want)
		}
	}
}

// undying does not delete.
type undying struct{ *shop }

func (u undying) Delete(_ context.Context, id string) (provider.Instance, error) {
	return provider.Instance{ID: id}, nil
}

// The market by hand: two instances from 0 on, the task on them from 0:10 on, a checkpoint of a
// minute after each half hour of work, taken at hour 2.
func TestMarket(t *testing.T) {
	x := simple(spot.Checkpoints{Every: 30 * time.Minute, Write: time.Minute, Restart: 2 * time.Minute})
	m := &Market{History: spike, OnDemand: onDemand, Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly, Setup: time.Minute, Tasks: []Task{x, x}, Runtimes: []time.Duration{3 * time.Hour, 90 * time.Minute}}
	min := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	look := func(at time.Duration, token string, want spot.Observation) {
		t.Helper()
		m.Now = at
		if o, err := m.Look(token); err != nil || o != want {
			t.Errorf("%s at %v: %+v, %v, want %+v", token, at, o, err, want)
		}
	}
	next := func(want time.Duration) {
		t.Helper()
		if got := m.Next(); got != want {
			t.Errorf("at %v the next is %v, want %v", m.Now, got, want)
		}
	}
	if _, err := m.Look("a"); err == nil || err.Error() != `there is no cluster "a"` || m.Submit("a") == nil || m.Next() != spot.Never {
		t.Errorf("%v", err)
	}
	if l, err := m.Close("a", false); err == nil || l != (Lease{}) {
		t.Errorf("%+v, %v", l, err)
	}
	m.Open(Request{Token: "a", Tier: spot.TierLow, Bid: 25 * cent, Instances: 2})
	m.Open(Request{Token: "a", Tier: spot.TierHigh, Instances: 9})
	look(0, "a", spot.Observation{Launched: true})
	next(min(9))
	look(min(8), "a", spot.Observation{Launched: true})
	look(min(9), "a", spot.Observation{Launched: true, Ready: true})
	next(min(120))
	for range 2 { // a second time changes nothing
		if err := m.Submit("a"); err != nil || len(m.Ran) != 1 {
			t.Errorf("%d stays, %v", len(m.Ran), err)
		}
	}
	next(min(10 + 31))
	look(min(40), "a", spot.Observation{Launched: true, Ready: true})
	look(min(41), "a", spot.Observation{Launched: true, Ready: true, Saved: min(30)})
	next(min(10 + 62))
	look(min(119), "a", spot.Observation{Launched: true, Ready: true, Saved: min(90)})
	next(min(120))
	look(min(120), "a", spot.Observation{Launched: true, Ready: true, Saved: min(90), Interrupted: true})
	l, err := m.Close("a", true)
	if want := (Lease{Ended: min(120), Cost: 80 * cent}); err != nil || l != want {
		t.Errorf("%+v, %v, want %+v", l, err, want)
	}
	if again, err := m.Close("a", true); err != nil || again != l || m.Bill() != 80*cent {
		t.Errorf("closed again: %+v, %v, bill %v", again, err, m.Bill())
	}
	if want := (Stay{Token: "a", Begin: min(10), End: min(120), To: min(107)}); m.Ran[0] != want {
		t.Errorf("%+v, want %+v", m.Ran[0], want)
	}
	// Above the bid nothing comes until hour 3. On demand the rest, 90 minutes, begins after the
	// setup and the reading of the checkpoint.
	m.Open(Request{Token: "b", Tier: spot.TierLow, Bid: 25 * cent, Instances: 2})
	look(min(130), "b", spot.Observation{Saved: min(90)})
	next(min(180))
	m.Open(Request{Token: "c", Tier: spot.TierHigh, Instances: 2})
	look(min(139), "c", spot.Observation{Launched: true, Ready: true, Saved: min(90)})
	if live, _ := m.Live(); !slices.Equal(live, []string{"b", "c"}) {
		t.Errorf("live %q", live)
	}
	m.Submit("c")
	if l, err := m.Close("b", false); err != nil || l != (Lease{Launched: -1, Ended: min(139)}) {
		t.Errorf("%+v, %v", l, err)
	}
	next(min(139 + 1 + 2 + 90))
	look(min(231), "c", spot.Observation{Launched: true, Ready: true, Saved: min(90)})
	look(min(232), "c", spot.Observation{Launched: true, Ready: true, Saved: min(90), Done: true})
	if l, err := m.Close("c", false); err != nil || l != (Lease{Launched: min(130), Ended: min(232), Cost: 2 * 2 * onDemand}) {
		t.Errorf("%+v, %v", l, err)
	}
	if want := (Stay{Token: "c", Begin: min(140), End: min(232), From: min(90), To: min(180), Saved: min(90)}); m.Ran[1] != want {
		t.Errorf("%+v, want %+v", m.Ran[1], want)
	}
	if m.Submit("c") != nil || len(m.Ran) != 2 {
		t.Error("submitted to a closed cluster")
	}
}

// What the journal may not say, each with its reason.
func TestJournalOutOfPlace(t *testing.T) {
	x := simple(spot.Checkpoints{})
	m := &Market{History: spike, OnDemand: onDemand, Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly, Setup: time.Minute, Tasks: []Task{x}, Runtimes: []time.Duration{3 * time.Hour}}
	open := func() *Runner {
		r, err := Open(Options{Journal: filepath.Join(folder(t), "journal"), Tasks: m.Tasks, Bid: bid25, Cloud: m})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		r.first = false // its beginning is there
		return r
	}
	launch := spot.Command{Kind: spot.CommandOpen, Tier: spot.TierLow, Bid: 25 * cent}
	for _, c := range []struct {
		taken bool
		e     Entry
		want  string
	}{
		{false, Entry{Kind: "began"}, `the entry "began" of task 0 is out of place`},
		{false, Entry{Kind: "took", Task: -1}, `the entry "took" of task -1 is out of place`},
		{false, Entry{Kind: "took", Task: 1}, `the entry "took" of task 1 is out of place`},
		{false, Entry{Kind: "took", Did: []int{1}}, `the entry "took" has done task 1, which there is not`},
		{false, Entry{Kind: "took", Did: []int{-1}}, `the entry "took" has done task -1, which there is not`},
		{false, Entry{Kind: "nonsense"}, `the entry "nonsense", which is none`},
		{true, Entry{Kind: "took"}, "task 0 is taken twice"},
		{true, Entry{Kind: "step", At: time.Hour}, "task 0 at 1h0m0s: 1 commands follow from what was seen, and the entry has 0"},
		{true, Entry{Kind: "step", Commands: []spot.Command{launch}, Bids: []pricing.Money{26 * cent}}, "task 0 at 0s: the command 0 is "},
		{true, Entry{Kind: "step", Commands: []spot.Command{launch}}, "task 0 at 0s: "},
		{false, Entry{Kind: "took", Did: []int{0}}, ""}, {true, Entry{Kind: "ended"}, ""}, {true, Entry{Kind: "instances"}, ""}, {true, Entry{Kind: "closed", Token: "x", Lease: &Lease{Cost: 7}}, ""},
	} {
		r := open()
		if c.taken {
			if err := r.again(&Entry{Kind: "took"}); err != nil {
				t.Fatal(err)
			}
		}
		err := r.again(&c.e)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.e, err, c.want)
		}
		if c.e.Kind == "closed" {
			r.again(&c.e)
			if got, err := r.Result(0); err != nil || got.Leases != 1 || got.Cost != 7 || got.Done || got.Met {
				t.Errorf("%+v, %v, want one lease", got, err)
			}
		}
	}
	r := open()
	long := pricing.Money(1<<63 - 1)
	for k, l := range []Lease{{Cost: 5, Failed: "first"}, {Cost: 9, Least: 2, Unsure: "why"}, {Cost: 1}} {
		r.tasks[0].close(fmt.Sprint(k), l)
	}
	if got, err := r.Result(0); err != nil || got.Cost != 15 || got.Least != 8 || !slices.Equal(got.Unsure, []string{"why"}) || got.Failed != "first" || got.Leases != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	r.tasks[0].close("4", Lease{Cost: long})
	if _, err := r.Result(0); err == nil {
		t.Error("a sum that money does not hold")
	}
	// What entries say of instances: the last counts, refused ones are forgotten, and those that
	// have not ended were seen.
	at := time.Unix(1e9, 0)
	r.see(&Entry{Instances: []Sighting{{Token: "a"}, {Token: "b", Created: at}, {Token: "c", Created: at, Ended: at}, {Token: "d"}}})
	r.see(&Entry{Instances: []Sighting{{Token: "d", Refused: true}, {Token: "a", ID: "i"}}, Seen: at.Add(1)})
	r.see(&Entry{})
	want := map[string]Sighting{"a": {Token: "a", ID: "i"}, "b": {Token: "b", Created: at, Seen: at.Add(1)}, "c": {Token: "c", Created: at, Ended: at}}
	for token, s := range want {
		if r.known[token] != s {
			t.Errorf("%s: %+v, want %+v", token, r.known[token], s)
		}
	}
	if len(r.known) != 3 || !slices.Equal(r.tokens, []string{"a", "b", "c", "d"}) {
		t.Errorf("known %v, in the order %q", r.known, r.tokens)
	}
}

// moody is a cloud that fails in one way.
type moody struct {
	*Market
	fails string
}

func (m *moody) err(what string) error {
	if m.fails == what {
		return errors.New(what + " is down")
	}
	return nil
}
func (m *moody) Open(r Request) error {
	if err := m.err("open"); err != nil {
		return err
	}
	return m.Market.Open(r)
}
func (m *moody) Submit(token string) error {
	if err := m.err("submit"); err != nil {
		return err
	}
	return m.Market.Submit(token)
}
func (m *moody) Look(token string) (spot.Observation, error) {
	if err := m.err("look"); err != nil {
		return spot.Observation{}, err
	}
	return m.Market.Look(token)
}
func (m *moody) Close(token string, interrupted bool) (Lease, error) {
	if err := m.err("close"); err != nil {
		return Lease{}, err
	}
	return m.Market.Close(token, interrupted)
}
func (m *moody) Live() ([]string, error) {
	if err := m.err("live"); err != nil {
		return nil, err
	}
	return m.Market.Live()
}

// A cloud that fails is left alone for as long as -retry says, and asked again then; the note
// says what failed. A runner that begins asks for what it had, closes what nobody wants, and
// does not begin where that fails.
func TestMoodyCloud(t *testing.T) {
	for _, c := range []struct {
		fails string
		at    time.Duration
		want  string
	}{
		{"open", 0, "opening ID-0-1: open is down"}, {"look", 0, "looking at ID-0-1: look is down"}, {"submit", 9 * time.Minute, "submitting to ID-0-1: submit is down"}, {"close", 190 * time.Minute, "closing ID-0-1: close is down"},
	} {
		calm := spike
		calm.Times, calm.Prices = spike.Times[:1], spike.Prices[:1]
		m := &moody{Market: &Market{History: calm, OnDemand: onDemand, Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly, Setup: time.Minute, Tasks: []Task{simple(spot.Checkpoints{})}, Runtimes: []time.Duration{3 * time.Hour}}}
		var said []string
		o := Options{Journal: filepath.Join(folder(t), "journal"), Tasks: m.Tasks, Bid: bid25, Cloud: m, Retry: 30 * time.Second, Note: func(now time.Duration, _ int, what string) {
			said = append(said, what)
		}}
		r, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		step := func(now time.Duration) bool {
			t.Helper()
			m.Now = now
			happened, err := r.Step(now)
			if err != nil {
				t.Fatal(err)
			}
			return happened
		}
		for now := time.Duration(0); now < c.at; now += time.Minute {
			for step(now) {
			}
		}
		m.fails = c.fails
		for step(c.at) {
		}
		if len(said) == 0 || strings.ReplaceAll(said[len(said)-1], r.id, "ID") != c.want || r.Next() != c.at+30*time.Second {
			t.Errorf("%s: says %q, next at %v", c.fails, said, r.Next())
		}
		before := len(said)
		step(c.at + 30*time.Second - 1)
		if len(said) != before {
			t.Errorf("%s: it is asked again before it is time: %q", c.fails, said)
		}
		m.fails = ""
		for now := c.at + 30*time.Second; !r.Done(); now += time.Minute {
			for step(now) {
			}
			if now > 10*time.Hour {
				t.Fatalf("%s: it does not end: %q", c.fails, said)
			}
		}
		if got := said[len(said)-1]; got != "is complete" {
			t.Errorf("%s: ends with %q", c.fails, got)
		}
		r.Close()
	}
	m := &moody{Market: &Market{History: spike, OnDemand: onDemand, Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly, Setup: time.Minute, Tasks: []Task{simple(spot.Checkpoints{})}, Runtimes: []time.Duration{3 * time.Hour}}}
	o := Options{Journal: filepath.Join(folder(t), "journal"), Tasks: m.Tasks, Bid: bid25, Cloud: m}
	r, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		if happened, err := r.Step(0); err != nil || !happened {
			break
		}
	}
	id := r.id
	r.Close()
	// Another cluster of this runner that the journal does not have is closed; others are not.
	m.Market.Open(Request{Token: id + "-0-9", Tier: spot.TierHigh, Instances: 1})
	m.Market.Open(Request{Token: "tother-0-9", Tier: spot.TierHigh, Instances: 1})
	m.Market.Open(Request{Token: id, Tier: spot.TierHigh, Instances: 1})
	for _, fails := range []string{"live", "close", "open"} {
		m.fails = fails
		if _, err := Open(o); err == nil || err.Error() != fails+" is down" {
			t.Errorf("%s: %v", fails, err)
		}
	}
	m.fails = ""
	if r, err = Open(o); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if live, _ := m.Market.Live(); !slices.Equal(live, []string{id, id + "-0-1", "tother-0-9"}) {
		t.Errorf("live %q", live)
	}
	bad := o
	bad.Tasks = []Task{{Name: "bad"}}
	if _, err := Open(bad); !errors.Is(err, ErrOptions) || !strings.HasPrefix(err.Error(), `runner: task "bad": `) {
		t.Errorf("%v", err)
	}
	bad = o
	bad.Handover.Interval = time.Second
	if _, err := Open(bad); err == nil || err.Error() != "runner: an interval of 1s: want 0" {
		t.Errorf("%v", err)
	}
	other := o
	other.Tasks = append(slices.Clone(o.Tasks), o.Tasks[0])
	bad = o
	bad.Handover.Rule = spot.RuleHedged
	for _, bad := range []Options{bad, other} {
		if _, err := Open(bad); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "the journal is of other tasks or of another rule: want the same, or another journal") {
			t.Errorf("%v", err)
		}
	}
}
