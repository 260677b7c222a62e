package elastic

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// history returns prices in cents, each from a minute on.
func history(cents ...int) pricing.SpotHistory {
	var h pricing.SpotHistory
	for i := 0; i < len(cents); i += 2 {
		h.Times = append(h.Times, time.Duration(cents[i])*time.Minute)
		h.Prices = append(h.Prices, pricing.Money(cents[i+1])*pricing.Unit/100)
		h.End = h.Times[i/2] + time.Hour
	}
	return h
}

func certain(c CloudOptions) CloudOptions {
	c.Boot, c.Stop = Certain(time.Minute), Certain(0)
	return c
}

// once launches so many instances in each cloud at 0, and never anything after.
func once(n int) Policy {
	return policyFunc(func(dst []Action, s *Snapshot) []Action {
		for i := 1; i < len(s.Clouds) && s.Now == 0; i++ {
			dst = append(dst, launch(i, n, "own"))
		}
		return dst
	})
}

// A job starts in the cloud that is the cheaper one when it starts, not when it was launched for.
func TestSpotOrder(t *testing.T) {
	spot := func(cents ...int) CloudOptions {
		return certain(CloudOptions{Limit: 9, Spot: &Spot{History: history(cents...), Bid: pricing.Unit}})
	}
	o := Options{Clouds: []CloudOptions{spot(0, 2, 50, 7), spot(0, 5)}, Policy: once(2), Budget: Budget{Hourly: pricing.Unit}}
	r, err := new(Simulator).Run([]trace.Job{minutesJob(0, 0, 10, 1), minutesJob(1, 30, 40, 1), minutesJob(2, 50, 10, 1)}, o)
	if diff := cmp.Diff([]int{1, 1, 2}, r.Places); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A job that loses its instances on day 30, and finds none again, is waited for until day 90.
func TestSpotGivenUp(t *testing.T) {
	cloud := certain(CloudOptions{Limit: 1, Spot: &Spot{History: history(0, 2, 30*24*60, 50), Bid: pricing.Unit / 10}})
	r, err := new(Simulator).Run([]trace.Job{minutesJob(0, 0, 60*24*60, 1)}, Options{Clouds: []CloudOptions{cloud}, Policy: once(1), Budget: Budget{Hourly: pricing.Unit}})
	if want := 90 * 24 * 12; err != nil || r.Evaluations != want || r.Unfinished != 1 {
		t.Errorf("%d evaluations, want %d; %v", r.Evaluations, want, err)
	}
}

// A job whose instances are ended goes back to its place in the queue, ahead of jobs that
// were submitted later, and a job elsewhere goes on.
func TestSpotRequeue(t *testing.T) {
	cloud := certain(CloudOptions{Name: "spot", Limit: 3, Spot: &Spot{History: history(0, 2, 30, 50, 32, 2), Bid: 5 * pricing.Unit / 100}})
	jobs := []trace.Job{minutesJob(0, 0, 100, 2), minutesJob(1, 0, 60, 3), minutesJob(2, 5, 10, 2), minutesJob(3, 6, 10, 3)}
	var seen []int64
	policy := &observed{&OD{Plus: true}, func(s *Snapshot) {
		if s.Now == 35*time.Minute {
			for _, j := range s.Jobs {
				seen = append(seen, j.ID)
			}
		}
	}}
	var e Simulator
	r, err := e.Run(jobs, Options{Local: 2, Clouds: []CloudOptions{cloud}, Policy: policy, Budget: Budget{Hourly: pricing.Unit}, Decisions: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{1, 2, 3}, seen); diff != "" {
		t.Errorf("queue at minute 35 (-want +got)\n%s", diff)
	}
	// What waits counts the job that went back: 3 + 2 + 3 cores.
	if k := slices.IndexFunc(r.Decisions, func(d Decision) bool { return d.At == 35*time.Minute }); k < 0 || r.Decisions[k].Jobs != 3 || r.Decisions[k].Cores != 8 {
		t.Errorf("decisions %v: want one at minute 35 with 3 jobs of 8 cores", r.Decisions)
	}
	if r.Infrastructures[1].Requeued != 1 || r.Starts[0] != 0 || r.Starts[1] != 36*time.Minute || r.Unfinished != 0 {
		t.Errorf("starts %v, %+v", r.Starts, r.Infrastructures[1])
	}
}

// What a spot cloud costs is, for each instance, what the meter of Amazon's rule says, whoever
// ends the instance.
func TestSpotMeter(t *testing.T) {
	var e Simulator
	byUser, byProvider := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		spot := anySpot(t)
		horizon := time.Duration(rapid.IntRange(1, 60).Draw(t, "horizon")) * 30 * time.Minute
		rng := newSource(rapid.Uint64().Draw(t, "seed"))
		type lease struct {
			launch time.Duration
			count  int64
		}
		var open *lease
		want := pricing.Money(0)
		end := func(at time.Duration, who bool) {
			one, err := pricing.EC2SpotHourly.Cost(spot.History, spot.From+open.launch, at-open.launch, who)
			if err != nil {
				t.Fatal(err)
			}
			want += one * pricing.Money(open.count)
			open = nil
		}
		revoked := func(now time.Duration) { // if the cloud has ended the instances by now
			if open == nil {
				return
			}
			if at, ok := spot.History.NextAbove(spot.From+open.launch, spot.Bid); ok && at-spot.From <= now {
				byProvider++
				end(at-spot.From, pricing.EndedByProvider)
			}
		}
		policy := policyFunc(func(dst []Action, s *Snapshot) []Action {
			revoked(s.Now)
			c := &s.Clouds[1]
			switch {
			case open != nil && rng.IntN(6) == 0:
				byUser++
				for k := range c.Instances {
					if c.Instances[k].State == Idle {
						dst = append(dst, Action{Cloud: 1, Count: 1, Instance: k})
					}
				}
				end(s.Now, pricing.EndedByUser)
			case open == nil && !c.Closed && rng.IntN(3) == 0:
				open = &lease{s.Now, 1 + rng.Int64N(4)}
				dst = append(dst, Action{Launch: true, Cloud: 1, Count: int(open.count)})
			}
			return dst
		})
		r, err := e.Run(nil, Options{Clouds: []CloudOptions{certain(CloudOptions{Limit: NoLimit, Spot: spot})}, Policy: policy, Horizon: horizon,
			Budget: Budget{Hourly: 1000 * pricing.Unit}})
		if err != nil {
			t.Fatal(err)
		}
		revoked(horizon - 1)
		if open != nil {
			end(horizon, pricing.EndedByUser)
		}
		if r.Cost != want {
			t.Fatalf("cost %v, the meter %v", r.Cost, want)
		}
	})
	if byUser < 100 || byProvider < 10 {
		t.Errorf("%d ends by the user, %d by the cloud: the test looks at too little", byUser, byProvider)
	}
}

// A job goes to the type in which it costs least: narrow jobs to instances of one core, wide
// ones to large instances at a lower price a core. A job runs for its run time over the speed.
func TestInstanceTypes(t *testing.T) {
	clouds := []CloudOptions{
		certain(CloudOptions{Name: "small", Price: pricing.Unit, Limit: NoLimit}),
		certain(CloudOptions{Name: "large", Price: 3 * pricing.Unit, Limit: NoLimit, Cores: 4}),
		certain(CloudOptions{Name: "fast", Price: 25 * pricing.Unit / 10, Limit: NoLimit, Cores: 2, Speed: 2}),
	}
	for _, c := range []struct {
		nodes, place, instances int
		run                     time.Duration
	}{
		{1, 1, 1, 40 * time.Minute}, // 1 against 3 and 1.25
		{2, 3, 1, 20 * time.Minute}, // 2, 3, 1.25
		{4, 3, 2, 20 * time.Minute}, // 4, 3, 2.50
		{5, 3, 3, 20 * time.Minute},
	} {
		var e Simulator
		r, err := e.Run([]trace.Job{minutesJob(0, 0, 40, c.nodes)}, Options{Clouds: clouds, Policy: new(OD), Budget: Budget{Hourly: 100 * pricing.Unit}})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Infrastructures[c.place]
		if r.Places[0] != c.place || got.Launched != c.instances || r.AWRT != time.Minute+c.run || math.Abs(got.CoreHours-c.run.Hours()*float64(c.nodes)) > 1e-9 {
			t.Errorf("%d cores: at %d, response %v, %+v", c.nodes, r.Places[0], r.AWRT, got)
		}
	}
	// A slow type of large instances, by every policy: all jobs end.
	clouds[1].Speed = .5
	for name, p := range everyPolicy(1) {
		if strings.HasPrefix(name, "MCOP") {
			continue // may save the money
		}
		var e Simulator
		r, err := e.Run([]trace.Job{minutesJob(0, 0, 40, 3), minutesJob(1, 10, 70, 9)}, Options{Local: 2, Clouds: clouds, Policy: p,
			Budget: Budget{Hourly: 30 * pricing.Unit}, Horizon: 12 * time.Hour})
		if err != nil || r.Unfinished != 0 {
			t.Errorf("%s: %d jobs have not ended, %v", name, r.Unfinished, err)
		}
	}
}

func TestSpotMistakes(t *testing.T) {
	good := Spot{History: history(0, 2, 60, 50), Bid: pricing.Unit}
	for _, c := range []struct {
		name  string
		field string
		set   func(c *CloudOptions, s *Spot, o *Options)
	}{
		{"cores", "Clouds.Cores", func(c *CloudOptions, _ *Spot, _ *Options) { c.Cores = -1 }},
		{"speed", "Clouds.Speed", func(c *CloudOptions, _ *Spot, _ *Options) { c.Speed = math.NaN() }},
		{"slow", "Clouds.Speed", func(c *CloudOptions, _ *Spot, _ *Options) { c.Speed = .0001 }},
		{"two prices", "Clouds.Price", func(c *CloudOptions, _ *Spot, _ *Options) { c.Price = 1 }},
		{"no bid", "Clouds.Spot.Bid", func(_ *CloudOptions, s *Spot, _ *Options) { s.Bid = 0 }},
		{"early", "Clouds.Spot.From", func(_ *CloudOptions, s *Spot, _ *Options) { s.From = -1 }},
		{"late", "Clouds.Spot.From", func(_ *CloudOptions, s *Spot, _ *Options) { s.From = 100 * time.Hour }},
		{"no history", "Clouds.Spot.History", func(_ *CloudOptions, s *Spot, _ *Options) { s.History = pricing.SpotHistory{} }},
		{"free", "Clouds.Limit", func(_ *CloudOptions, s *Spot, _ *Options) { s.History = history(0, 0) }},
		{"free later", "Clouds.Limit", func(_ *CloudOptions, s *Spot, _ *Options) { s.History = history(0, 5, 10, 0, 20, 5) }},
		{"covered", "Clouds.Spot", func(_ *CloudOptions, _ *Spot, o *Options) { o.Budget.Covered = true }},
		{"covered release", "Clouds.Release", func(c *CloudOptions, _ *Spot, o *Options) {
			c.Spot, c.Price, c.Release, o.Budget.Covered = nil, 1, Certain(1), true
		}},
		{"data", "Clouds.TransferPrice", func(c *CloudOptions, _ *Spot, _ *Options) { c.TransferPrice = -1 }},
		{"lead", "Lead", func(_ *CloudOptions, _ *Spot, o *Options) { o.Lead = time.Hour }},
		{"overhead", "Clouds.Overhead", func(_ *CloudOptions, _ *Spot, o *Options) { o.Overhead = Certain(-1) }},
		{"covered overhead", "Overhead", func(c *CloudOptions, _ *Spot, o *Options) {
			c.Spot, c.Price, o.Overhead, o.Budget.Covered = nil, 1, Certain(1), true
		}},
	} {
		spot := good
		o := Options{Clouds: []CloudOptions{certain(CloudOptions{Limit: NoLimit, Spot: &spot})}, Policy: new(OD)}
		c.set(&o.Clouds[0], &spot, &o)
		var e Simulator
		_, err := e.Run(nil, o)
		var input *inputerr.Error
		if !errors.As(err, &input) || input.Field != c.field {
			t.Errorf("%s: %v, want an error about %s", c.name, err, c.field)
		}
	}
	// A bid below every price: no job can start there.
	spot := good
	spot.Bid = pricing.Unit / 100
	var e Simulator
	_, err := e.Run([]trace.Job{minutesJob(0, 0, 1, 1)}, Options{Clouds: []CloudOptions{certain(CloudOptions{Limit: 3, Spot: &spot})}, Policy: new(OD), Budget: Budget{Hourly: pricing.Unit}})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("a bid below every price: %v", err)
	}
	// A bid of the lowest price is enough.
	spot.Bid = 2 * pricing.Unit / 100
	r, err := e.Run([]trace.Job{minutesJob(0, 0, 1, 1)}, Options{Clouds: []CloudOptions{certain(CloudOptions{Limit: 3, Spot: &spot})}, Policy: new(OD), Budget: Budget{Hourly: pricing.Unit}})
	if err != nil || r.Unfinished != 0 {
		t.Errorf("a bid of the lowest price: %d unfinished, %v", r.Unfinished, err)
	}
	s := Snapshot{Every: 1, Clouds: []Cloud{{Price: 1, Limit: 1, Cores: -1}}}
	if err := s.Validate(); !errors.Is(err, ErrRange) {
		t.Errorf("negative cores: %v", err)
	}
	s.Clouds[0].Cores, s.Clouds[0].Speed = 4, math.Inf(1)
	if err := s.Validate(); !errors.Is(err, ErrRange) {
		t.Errorf("infinite speed: %v", err)
	}
	s.Clouds[0].Speed, s.Jobs = 2, []schedule.Job{{Nodes: 4}}
	if err := s.Validate(); err != nil {
		t.Errorf("a job of four cores on an instance of four: %v", err)
	}
	s.Jobs[0].Nodes = 5
	if err := s.Validate(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a job of five cores there: %v", err)
	}
}
