package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// With one cloud, what is bought while the cluster runs is what is bought on its
// trace afterwards.
func TestOnlineAsItRunsIsOnlineOnTheTrace(t *testing.T) {
	jobs, err := workload.AppendLublin(nil, rand.New(rand.NewPCG(1, 1)), 20000, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := pricing.CC28XLarge2013()
	running, err := newOnline(buyOnline, list, list.OnDemand, pricing.SustainedUse{}, forever)
	if err != nil {
		t.Fatal(err)
	}
	var s sim.Simulator
	r, err := s.Run(jobs, sim.Options{Clouds: []sim.Cloud{{Portfolio: running}}})
	if err != nil {
		t.Fatal(err)
	}
	hours := r.Clouds[0].Hours
	after, err := buy(buyOnline, list, hours, reserve.Pure)
	if err != nil {
		t.Fatal(err)
	}
	within := running.bought
	for len(within) > 0 && within[len(within)-1].Slot >= len(hours) {
		within = within[:len(within)-1]
	}
	if d := cmp.Diff(after, within); d != "" || len(after) < 3 {
		t.Errorf("%d purchases; as it runs and on the trace (-trace +running):\n%s", len(after), d)
	}
}

// By hand: users 1 and 2 take turns of five days, so that an instance is used all the
// time, but by each of them for half of it; user 3 has two instances for an hour. For
// use throughout heavy is cheapest (.932 dollars an hour against light's 1.105), at half
// light is (.653 against .932, and 1.2 on demand), and for an hour on demand.
func TestUsersAlone(t *testing.T) {
	const day = 24 * time.Hour
	var jobs []trace.Job
	for d := range 400 {
		run := day - sim.MeasuredBoot(1) // with its boot a lease of a day
		jobs = append(jobs, trace.Job{ID: int64(d), Submit: time.Duration(d) * day, Run: run, Estimate: run, Nodes: 1, User: 1 + d%10/5})
	}
	hour := time.Hour - sim.MeasuredBoot(2)
	jobs = append(jobs, trace.Job{ID: 1000, Submit: 399 * day, Run: hour, Estimate: hour, Nodes: 2, User: 3})
	list := classes(pricing.CC28XLarge2013(), "1y-light", "1y-heavy")
	users, err := usersShares(list, jobs, 400*24)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rules.Shares{Slots: []int64{400 * 24, 0, 2}, Instances: []int64{2, 0}, Total: 400*24 + 2}, users, cmpopts.IgnoreUnexported(rules.Shares{})); d != "" {
		t.Errorf("users alone (-want +got):\n%s", d)
	}
	demand := make([]int, 400*24)
	for h := range demand {
		demand[h] = 1
	}
	demand[399*24] = 3
	var cluster rules.Shares
	if err := cluster.Add(list, demand, len(demand)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rules.Shares{Slots: []int64{0, 400 * 24, 2}, Instances: []int64{0, 1}, Total: 400*24 + 2}, cluster, cmpopts.IgnoreUnexported(rules.Shares{})); d != "" {
		t.Errorf("together (-want +got):\n%s", d)
	}
}

// What a portfolio tells the simulator is what serves in the week to come, at the
// rate of its use.
func TestActiveReservations(t *testing.T) {
	list := classes(pricing.CC28XLarge2013(), "1y-light", "1y-heavy")
	o, err := newOnline(buyOnline, list, list.OnDemand, pricing.SustainedUse{}, forever)
	if err != nil {
		t.Fatal(err)
	}
	demand := make([]int, weekHours)
	for h := range demand {
		demand[h] = 10
	}
	var active []placement.Reservation
	for range 20 {
		if active, err = o.Observe(active[:0], demand); err != nil {
			t.Fatal(err)
		}
	}
	count := 0
	for _, a := range active {
		if a.Rate != 0 { // heavy is billed whether it is used or not
			t.Errorf("a reservation at %v an hour for a demand that never changes", a.Rate)
		}
		count += a.Count
	}
	if count != 10 {
		t.Errorf("%d reserved for a demand of 10", count)
	}
	// Who knows that the demand ends buys nothing that does not pay until then.
	ends, err := newOnline(buyOnline, list, list.OnDemand, pricing.SustainedUse{}, 20*weekHours)
	if err != nil {
		t.Fatal(err)
	}
	for range 19 {
		if active, err = ends.Observe(active[:0], demand); err != nil {
			t.Fatal(err)
		}
	}
	// 20 weeks on demand are 8,064 dollars, of which the first ones are past.
	for _, p := range ends.bought {
		if weeks := 20 - p.Slot/weekHours; float64(weeks)*weekHours*(2.4-.904) < 1762 {
			t.Errorf("%+v is bought %d weeks before the end", p, weeks)
		}
	}
}

// A log's calendar may begin weeks before its first job. Until then nothing is known,
// and what its first week lacks is as the rest of it.
func TestOnlineBegins(t *testing.T) {
	list := pricing.CC28XLarge2013()
	run := func(hours []int) []pricing.Purchase {
		bought, err := buy(buyOnline, list, hours, reserve.Pure)
		if err != nil {
			t.Fatal(err)
		}
		return bought
	}
	hours := make([]int, 30*weekHours)
	for i := range hours {
		hours[i] = 40 + 10*(i%2)
	}
	want := run(hours)
	if len(want) == 0 {
		t.Fatal("nothing is bought")
	}
	late := append(make([]int, 5*weekHours+100), hours[100:]...) // as if it began five weeks and 100 hours later
	got := run(late)
	for i := range got {
		got[i].Slot -= 5 * weekHours
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bought after weeks of nothing (-want +got):\n%s", diff)
	}
}
