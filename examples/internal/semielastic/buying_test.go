package semielastic

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule/sim"
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
	running, err := newOnline(BuyOnline, list, list.OnDemand, pricing.SustainedUse{}, forever)
	if err != nil {
		t.Fatal(err)
	}
	var s sim.Simulator
	r, err := s.Run(jobs, sim.Options{Clouds: []sim.Cloud{{Portfolio: running.Observe}}})
	if err != nil {
		t.Fatal(err)
	}
	hours := r.Clouds[0].Hours
	after, err := Buy(BuyOnline, list, hours, reserve.Pure)
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

// What a portfolio tells the simulator is what serves in the week to come, at the
// rate of its use.
func TestActiveReservations(t *testing.T) {
	list := Classes(pricing.CC28XLarge2013(), "1y-light", "1y-heavy")
	o, err := newOnline(BuyOnline, list, list.OnDemand, pricing.SustainedUse{}, forever)
	if err != nil {
		t.Fatal(err)
	}
	demand := make([]int, WeekHours)
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
	ends, err := newOnline(BuyOnline, list, list.OnDemand, pricing.SustainedUse{}, 20*WeekHours)
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
		if weeks := 20 - p.Slot/WeekHours; float64(weeks)*WeekHours*(2.4-.904) < 1762 {
			t.Errorf("%+v is bought %d weeks before the end", p, weeks)
		}
	}
}

// A log's calendar may begin weeks before its first job. Until then nothing is known,
// and what its first week lacks is as the rest of it.
func TestOnlineBegins(t *testing.T) {
	list := pricing.CC28XLarge2013()
	run := func(hours []int) []pricing.Purchase {
		bought, err := Buy(BuyOnline, list, hours, reserve.Pure)
		if err != nil {
			t.Fatal(err)
		}
		return bought
	}
	hours := make([]int, 30*WeekHours)
	for i := range hours {
		hours[i] = 40 + 10*(i%2)
	}
	want := run(hours)
	if len(want) == 0 {
		t.Fatal("nothing is bought")
	}
	late := append(make([]int, 5*WeekHours+100), hours[100:]...) // as if it began five weeks and 100 hours later
	got := run(late)
	for i := range got {
		got[i].Slot -= 5 * WeekHours
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bought after weeks of nothing (-want +got):\n%s", diff)
	}
}
