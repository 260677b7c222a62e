package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// halfPeak is a Portfolio without memory: in the week to come, half of last
// week's peak is reserved, at two rates.
func halfPeak(dst []placement.Reservation, demand []int) ([]placement.Reservation, error) {
	n := (slices.Max(demand) + 1) / 2
	return append(dst, placement.Reservation{Count: 1, Rate: 900 * pricing.Milli}, placement.Reservation{Count: n, Rate: 0}), nil
}

// drawClouds draws clouds with prices that are often equal.
func drawClouds(t *rapid.T, least, most, largest int) []Cloud {
	clouds := make([]Cloud, rapid.IntRange(least, most).Draw(t, "clouds"))
	for i := range clouds {
		c := &clouds[i]
		c.Meter = rapid.SampledFrom([]pricing.Meter{pricing.EC2Hourly, pricing.EC2Hourly, pricing.GCE2014}).Draw(t, "cloud meter")
		c.Hourly = pricing.Money(rapid.IntRange(8, 12).Draw(t, "price")) * 200 * pricing.Milli
		if c.Meter == pricing.GCE2014 && rapid.Bool().Draw(t, "discount") {
			c.Discount = pricing.GCE2014SustainedUse
		}
		if c.Meter == pricing.EC2Hourly && rapid.Bool().Draw(t, "portfolio") {
			c.Portfolio = halfPeak
		}
		if rapid.IntRange(0, 2).Draw(t, "limited") == 0 {
			c.Quota = rapid.IntRange(1, 2*largest).Draw(t, "quota")
		}
	}
	clouds[rapid.IntRange(0, len(clouds)-1).Draw(t, "large")].Quota = rapid.SampledFrom([]int{0, largest}).Draw(t, "large quota")
	return clouds
}

func drawCloudsConfig(t *rapid.T, jobs []trace.Job, least, most int) Options {
	cfg := drawConfig(t)
	cfg.Mode, cfg.bound = SEC, false
	largest := 1
	for _, j := range jobs {
		largest = max(largest, j.Nodes)
	}
	cfg.Clouds = drawClouds(t, least, most, largest)
	cfg.Epoch = time.Date(2014, 3, 31, rapid.IntRange(0, 23).Draw(t, "epoch"), 50, 0, 0, time.UTC)
	return cfg
}

// spread moves the later jobs of a log by a week or a month.
func spread(t *rapid.T, jobs []trace.Job) []trace.Job {
	by := rapid.SampledFrom([]time.Duration{0, 0, week, 31 * 24 * time.Hour}).Draw(t, "gap of")
	if len(jobs) > 0 {
		for i := rapid.IntRange(0, len(jobs)-1).Draw(t, "gap at"); i < len(jobs); i++ {
			jobs[i].Submit += by
		}
	}
	return jobs
}

// With several clouds, too, the Simulator equals the program that rescans
// everything, and what each cloud charges is what the leases say.
func TestCloudsEqualReference(t *testing.T) {
	var s Simulator
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		jobs := spread(t, drawJobs(t, 6))
		cfg := drawCloudsConfig(t, jobs, 1, 3)
		got, err := s.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		full, err := cfg.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		want := refRun(jobs, full)
		if d := cmp.Diff(want.starts, got.Starts, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("starts (-want +got):\n%s", d)
		}
		var total pricing.Money
		for c, cl := range want.clouds {
			g := got.Clouds[c]
			var paid replay.Sum
			leases, jobs := 0, 0
			for _, l := range want.leases {
				if l.cloud == c {
					leases++
					paid.Add(l.paid-l.start, 1)
				}
			}
			for _, d := range want.at {
				if d == c {
					jobs++
				}
			}
			w := CloudResult{Jobs: jobs, Leases: leases, ChargedHours: paid.Hours(), Cost: want.cost(c)}
			if d := cmp.Diff(w, g, cmpopts.IgnoreFields(CloudResult{}, "Peak", "Hours", "Levels")); d != "" {
				t.Fatalf("cloud %d (-want +got):\n%s", c, d)
			}
			for h, n := range g.Hours {
				if n != want.hour(c, h) {
					t.Fatalf("cloud %d: %d lease-hours begin in hour %d, want %d", c, n, h, want.hour(c, h))
				}
			}
			sum := 0
			for _, n := range g.Hours {
				sum += n
			}
			if cl.Meter == pricing.EC2Hourly && float64(sum) != g.ChargedHours {
				t.Fatalf("cloud %d: %d lease-hours begin and %v are charged", c, sum, g.ChargedHours)
			}
			if cl.Quota > 0 && g.Peak > cl.Quota {
				t.Fatalf("cloud %d: %d instances at once, and the quota is %d", c, g.Peak, cl.Quota)
			}
			total += g.Cost
			if cl.Discount != (pricing.SustainedUse{}) {
				seen["discount"] += g.Leases
			}
			if c > 0 {
				seen["elsewhere"] += g.Jobs
			}
		}
		if total != got.Cost {
			t.Fatalf("the clouds cost %v, together %v", total, got.Cost)
		}
		for _, reserved := range want.reserved {
			seen["reserved"] += len(reserved)
		}
	})
	for _, k := range []string{"discount", "elsewhere", "reserved"} {
		if seen[k] == 0 {
			seeded.TooFew(t, "no case with %s was drawn", k)
		}
	}
}

// No job is lost: each starts once, after its submission, within quotas, and all end.
func TestNoJobIsLost(t *testing.T) {
	var s Simulator
	rapid.Check(t, func(t *rapid.T) {
		jobs := spread(t, drawJobs(t, 6))
		cfg := drawCloudsConfig(t, jobs, 1, 4)
		cfg.Placement = placement.Policy(rapid.IntRange(0, 3).Draw(t, "any placement"))
		got, err := s.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		for _, c := range got.Clouds {
			ran += c.Jobs
		}
		if ran != len(jobs) {
			t.Fatalf("%d of %d jobs ran", ran, len(jobs))
		}
		for i, j := range jobs {
			if got.Starts[i] < j.Submit {
				t.Fatalf("job %d starts before it is submitted", i)
			}
		}
		// The levels are the sum of the clouds', and the last is nothing.
		for _, l := range got.Levels {
			held, busy := 0, 0
			for k, c := range got.Clouds {
				n := 0
				for n < len(c.Levels) && c.Levels[n].At <= l.At {
					n++
				}
				if n > 0 {
					held += c.Levels[n-1].Held
					busy += c.Levels[n-1].Busy
				}
				if q := cfg.Clouds[k].Quota; q > 0 && c.Peak > q {
					t.Fatalf("cloud %d: %d instances, and the quota is %d", k, c.Peak, q)
				}
			}
			if held != l.Held || busy != l.Busy {
				t.Fatalf("%+v together, %d and %d at the clouds", l, held, busy)
			}
		}
		if n := len(got.Levels); n > 0 && got.Levels[n-1].Held > 0 {
			t.Fatal("instances are held for ever")
		}
	})
}

// Several clouds of which only one may be used are one: the choice among them
// does what growing with one cloud does.
func TestOneOfSeveralCloudsIsOne(t *testing.T) {
	var s Simulator
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawJobs(t, 6)
		cfg := drawConfig(t)
		cfg.Mode, cfg.bound = SEC, false
		alone, err := s.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		starts, cost := slices.Clone(alone.Starts), alone.Cost
		cfg.Clouds = []Cloud{{Hourly: 100 * pricing.Unit}, {}}
		got, err := s.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(starts, got.Starts, cmpopts.EquateEmpty()); d != "" || cost != got.Cost {
			t.Fatalf("cost %v, alone %v; starts (-alone +among several):\n%s", got.Cost, cost, d)
		}
	})
}
