package elastic

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

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
		d.Serve(&s.Jobs[0], d.Cheapest(), "own")
		if diff := cmp.Diff([]Action{launch(want, 2, "own")}, d.Actions()); diff != "" {
			t.Errorf("prices %v and 3 (-want +got)\n%s", price, diff)
		}
	}
}

// A source of randomness is needed if anything of any cloud is left to chance, and for
// nothing else.
func TestRandIsNeededForChance(t *testing.T) {
	sure := CloudOptions{Name: "sure", Price: 1, Limit: 1, Boot: Certain(1), Stop: Certain(1), Release: Certain(1)}
	for name, c := range map[string]struct {
		set    func(*CloudOptions)
		chance bool
	}{
		"nothing":      {func(*CloudOptions) {}, false},
		"all refused":  {func(c *CloudOptions) { c.Reject = 1 }, false},
		"some refused": {func(c *CloudOptions) { c.Reject = .5 }, true},
		"boot":         {func(c *CloudOptions) { c.Boot = nil }, true},
		"stop":         {func(c *CloudOptions) { c.Stop = Delay{{1, 2, 1}} }, true},
		"release":      {func(c *CloudOptions) { c.Release = Delay{{1, 2, 0}, {1, 3, 0}} }, true},
		"no release":   {func(c *CloudOptions) { c.Release = nil }, false},
	} {
		for at := range 2 {
			clouds := []CloudOptions{sure, sure}
			c.set(&clouds[at])
			_, err := new(Simulator).Run(nil, Options{Local: 1, Clouds: clouds, Policy: new(OD)})
			if (err != nil) != c.chance {
				t.Errorf("%s of cloud %d: %v", name, at, err)
			}
		}
	}
}

// A job that is held up longer than any time says is worse than each that waits a time, also
// behind a configuration that costs less.
func TestFrontBehindEndlessWaits(t *testing.T) {
	s := &Snapshot{Every: 5 * time.Minute, Credits: 100 * pricing.Unit,
		Jobs: []schedule.Job{{Nodes: 2, Estimate: time.Hour}, {Nodes: 1, Estimate: time.Hour}},
		Clouds: []Cloud{
			{Fixed: true}, {Price: pricing.Unit, Limit: 1}, {Price: 2 * pricing.Unit, Limit: 2, Boot: time.Minute},
		}}
	p := &MCOP{Exact: true, Rand: newRand(1)}
	p.explore(s)
	p.table.stall = schedule.Never
	p.front.reset(len(s.Clouds))
	p.table.search(&p.front, s, p.clouds, p.lists, p.draft.forLaunches(), p.launch, p.Rand)
	var got []configuration
	for i := range p.front.entries {
		got = append(got, p.front.at(i))
	}
	// One instance of the cheap cloud, or none, leaves the first job without a place, and both jobs waiting.
	// With two of the dear one the second job waits for the first, or takes the cheap instance.
	want := []configuration{
		{0, schedule.Never, []int{0, 0, 0}},
		{4 * pricing.Unit, time.Minute + time.Hour + time.Minute, []int{0, 0, 2}},
		{5 * pricing.Unit, 2 * time.Minute, []int{0, 1, 2}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(configuration{})); diff != "" {
		t.Errorf("front (-want +got)\n%s", diff)
	}
}
