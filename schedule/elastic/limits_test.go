package elastic

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// What is just within the limits of a setting is valid, and what is just outside is not.
func TestPolicyLimits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, p := range []MCOP{
		{CostWeight: 0}, {CostWeight: 1}, {Population: 3}, {Generations: 1}, {Mutation: 1}, {Crossover: 1}, {Combinations: 1}, {Stall: 1},
		{Search: Exact}, {Search: Evolved}, {Search: Genetic},
	} {
		if p.Rand = rnd; p.Validate() != nil {
			t.Error(p.Validate())
		}
	}
	for _, p := range []MCOP{
		{CostWeight: -.01}, {CostWeight: 1.01}, {Population: 2}, {Population: -1}, {Generations: -1}, {Mutation: -.01}, {Mutation: 1.01},
		{Crossover: -.01}, {Crossover: 1.01}, {Combinations: -1}, {Stall: -1},
	} {
		if p.Rand = rnd; p.Validate() == nil {
			t.Errorf("%+v is valid", p)
		}
	}
	for _, p := range []AQTP{{Response: 1}, {Response: 1, Min: 3, Max: 3, Start: 3}, {Response: 1, Min: 2, Start: 2}, {Response: 1, Max: 2, Start: 2}} {
		if p.Validate() != nil {
			t.Error(p.Validate())
		}
	}
	for _, p := range []AQTP{{}, {Response: 1, Threshold: -1}, {Response: 1, Min: -1}, {Response: 1, Max: -1}, {Response: 1, Min: 3, Max: 2}, {Response: 1, Min: 2, Start: 1}, {Response: 1, Max: 2, Start: 3}, {Response: 1, Start: -1}} {
		if p.Validate() == nil {
			t.Errorf("%+v is valid", p)
		}
	}
}

// AQTP goes on with what it remembered, within the bounds that it has now.
func TestAQTPRecalls(t *testing.T) {
	for memory, want := range map[int]int{0: 0, -1: 0, 1: 3, 3: 3, 5: 5, 9: 9, 10: 9} {
		p := AQTP{Response: time.Hour, Min: 3, Max: 9}
		if p.Recall(memory); p.Memory() != want {
			t.Errorf("%d is recalled as %d, want %d", memory, p.Memory(), want)
		}
	}
}

// Among instance types a job goes where it costs least, also if that is the first cloud, and
// to the first of equals.
func TestServeTakesTheCheapestType(t *testing.T) {
	for want, price := range [][2]pricing.Money{{3, 4}, {4, 3}} {
		s := &Snapshot{Every: 1, Credits: 1000, Jobs: []schedule.Job{{Nodes: 4}}, Clouds: []Cloud{
			{Price: price[0], Limit: NoLimit, Cores: 2}, {Price: price[1], Limit: NoLimit, Cores: 2}, {Price: 3, Limit: NoLimit, Cores: 2},
		}}
		var d Draft
		d.Reset(nil, s)
		d.Serve(&s.Jobs[0], d.Cheapest(), OwnReason)
		if diff := cmp.Diff([]Action{launch(want, 2, OwnReason)}, d.Actions()); diff != "" {
			t.Errorf("prices %v and 3 (-want +got)\n%s", price, diff)
		}
	}
}

// With cores counted over all infrastructures, the jobs behind one that cannot be served, and
// that one, get what is free, up to all of it.
func TestPooledGetsWhatIsFree(t *testing.T) {
	job := func(n int) schedule.Job { return schedule.Job{Nodes: n, Estimate: time.Hour} }
	for _, c := range []struct {
		jobs []schedule.Job
		want []Action
	}{
		{[]schedule.Job{job(600)}, []Action{launch(2, 512, QueueNeeds)}},
		{[]schedule.Job{job(600), job(40)}, []Action{launch(2, 512, QueueNeeds)}},
		{[]schedule.Job{job(100), job(500), job(40)}, []Action{launch(2, 512, QueueNeeds)}},
		{[]schedule.Job{job(100), job(400)}, []Action{launch(2, 500, QueueNeeds)}},
	} {
		got := (&OD{Pooled: true}).AppendActions(nil, paperSnapshot(64, c.jobs...))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got)\n%s", c.jobs, diff)
		}
	}
}

// An hour that is over when the price rises above the bid is paid for; one that the rise cuts
// short is not, however long it has been. By hand: an instance at 2 cents from minute 0 on.
func TestSpotEndsWithTheHour(t *testing.T) {
	for _, c := range []struct {
		rise  int // minutes
		hours int64
	}{{59, 0}, {60, 1}, {61, 1}, {119, 1}, {120, 2}} {
		cloud := certain(CloudOptions{Name: "spot", Limit: NoLimit, Spot: &Spot{History: history(0, 2, c.rise, 50), Bid: 5 * pricing.Unit / 100}})
		o := Options{Clouds: []CloudOptions{cloud}, Policy: new(ODPlus), Budget: Budget{Hourly: pricing.Unit}, Horizon: 4 * time.Hour}
		r, err := new(Simulator).Run([]trace.Job{minutesJob(0, 0, 200, 1)}, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Infrastructures[1]; got.Hours != c.hours || got.Cost != pricing.Money(c.hours)*2*pricing.Unit/100 || got.Revoked != 1 {
			t.Errorf("the price rises at minute %d: %d hours for %v, want %d", c.rise, got.Hours, got.Cost, c.hours)
		}
	}
}
