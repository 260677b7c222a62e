package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// recorder is a Portfolio that keeps what it sees and reserves nothing.
type recorder struct {
	weeks [][]int
	err   error
}

func (r *recorder) Observe(dst []placement.Reservation, demand []int) ([]placement.Reservation, error) {
	r.weeks = append(r.weeks, append([]int(nil), demand...))
	return dst, r.err
}

// senseless is a Portfolio that has one reservation.
type senseless struct {
	r     placement.Reservation
	weeks int
}

func (p *senseless) Observe(dst []placement.Reservation, _ []int) ([]placement.Reservation, error) {
	p.weeks++
	return append(dst, p.r), nil
}

// With one cloud the schedule does not depend on what is reserved ([Niu16] section
// 5.1), and a portfolio sees, while the cluster runs, what it would see in the
// capacity trace afterwards: to buy as the cluster runs is to buy on the trace.
func TestPortfolioOnOneCloudSeesTheTrace(t *testing.T) {
	jobs := flood(3000, 7, 3*time.Hour, 5)
	var s Simulator
	plain, err := s.Run(jobs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	starts, levels, cost := append([]time.Duration(nil), plain.Starts...), append([]Level(nil), plain.Levels...), plain.Cost
	for name, p := range map[string]Portfolio{"reserves": halfPeak{}, "records": new(recorder)} {
		got, err := s.Run(jobs, Options{Clouds: []Cloud{{Portfolio: p}}})
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(starts, got.Starts) || !cmp.Equal(levels, got.Levels) || got.Cost != cost {
			t.Errorf("%s: another schedule than without", name)
		}
		r, ok := p.(*recorder)
		if !ok {
			continue
		}
		hours := got.Clouds[0].Hours
		if n := len(hours) / weekHours; len(r.weeks) < n || n < 10 {
			t.Errorf("%d weeks seen, %d are in the trace", len(r.weeks), n)
		}
		for w, seen := range r.weeks {
			want := make([]int, weekHours)
			copy(want, hours[min(len(hours), w*weekHours):])
			if d := cmp.Diff(want, seen); d != "" {
				t.Fatalf("week %d (-trace +seen):\n%s", w, d)
			}
		}
	}
}

// By hand: two jobs of 20 minutes on GCE, where the first is charged 23 minutes
// (2.1 of boot, 20, and the check at minute 23), and the least is 10. In March the
// discount is not reached: 31 days, and a quarter is over a week.
func TestGCE(t *testing.T) {
	jobs := []trace.Job{job(1, 0, 20, 1), job(2, 30, 1, 2)}
	got := run(t, jobs, Options{Clouds: []Cloud{{
		Name: "gce", Meter: pricing.GCE2014, Hourly: 600 * pricing.Milli, Discount: pricing.GCE2014SustainedUse,
	}}})
	minutes := 23 + 2*10.
	if math.Abs(got.ChargedHours-minutes/60) > 1e-9 || got.Cost != pricing.Money(minutes)*10*pricing.Milli {
		t.Errorf("%v hours for %v; want %v minutes for a cent each", got.ChargedHours, got.Cost, minutes)
	}
	if got.Clouds[0].Leases != 3 || got.Clouds[0].Name != "gce" {
		t.Errorf("%+v; want 3 leases at gce", got.Clouds[0])
	}
	// A month of 28 days on one instance costs 70%, and so does an hour of it.
	jobs = []trace.Job{job(1, 0, 28*24*60-2.1, 1)}
	got = run(t, jobs, Options{
		Epoch:  time.Date(2014, 2, 1, 0, 0, 0, 0, time.UTC),
		Clouds: []Cloud{{Meter: pricing.GCE2014, Hourly: pricing.Unit, Discount: pricing.GCE2014SustainedUse}},
	})
	if want := 28 * 24 * 700 * pricing.Milli; got.Cost != want {
		t.Errorf("February costs %v, want %v", got.Cost, want)
	}
}

// The cost of GCE's leases, joined as they come and go, is what package pricing
// charges for the same use: the bill of a minute-by-minute demand.
func TestUsageEqualsSustainedUse(t *testing.T) {
	epoch := time.Date(2014, 1, 20, 7, 0, 0, 0, time.UTC)
	r := rand.New(rand.NewPCG(8, 8))
	var u usage
	u.reset(pricing.GCE2014SustainedUse, 1234567891, epoch)
	demand := make([]int, 80*24*60)
	for at := 0; at < len(demand)-3000; at += r.IntN(600) {
		n, length := 1+r.IntN(4), 1+r.IntN(30000)
		length = min(length, len(demand)-at)
		u.begin(time.Duration(at)*time.Minute, n)
		u.end(time.Duration(at+length)*time.Minute, n)
		for k := at; k < at+length; k++ {
			demand[k] += n
		}
	}
	got, err := u.close()
	if err != nil {
		t.Fatal(err)
	}
	// Of the inferred instances of a month, j is used while more than j run.
	used := map[time.Time][]time.Duration{}
	for k, n := range demand {
		at := epoch.Add(time.Duration(k) * time.Minute)
		first := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		for j := range n {
			if j == len(used[first]) {
				used[first] = append(used[first], 0)
			}
			used[first][j] += time.Minute
		}
	}
	var want pricing.Money
	peak := 0
	for first, ranks := range used {
		for _, length := range ranks {
			cost, err := pricing.GCE2014SustainedUse.Cost(1234567891, length, first.AddDate(0, 1, 0).Sub(first))
			if err != nil {
				t.Fatal(err)
			}
			want += cost
			peak++
		}
	}
	if diff := (got - want); diff > pricing.Money(peak) || -diff > pricing.Money(peak) {
		t.Errorf("%v, want %v to %d nanos", got, want, peak)
	}
	if len(used) != 4 {
		t.Errorf("%d months, want 4", len(used))
	}
}

// The management overhead: another user's job waits for the formatting, the same
// user's does not. By hand.
func TestReformat(t *testing.T) {
	jobs := []trace.Job{job(1, 0, 10, 1), job(2, 20, 10, 1), job(3, 40, 10, 1)}
	jobs[0].User, jobs[1].User, jobs[2].User = 7, 7, 8
	got := run(t, jobs, Options{Reformat: 3400 * time.Millisecond})
	if want := []time.Duration{at(2.1), at(20), at(40) + 3400*time.Millisecond}; !cmp.Equal(want, got.Starts) {
		t.Errorf("starts %v, want %v", got.Starts, want)
	}
}

func TestCloudErrors(t *testing.T) {
	jobs := []trace.Job{job(1, 0, 10, 5)}
	two := func(c Cloud) []Cloud { return []Cloud{{}, c} }
	for name, c := range map[string]struct {
		cfg   Options
		field string
		want  error
	}{
		"meter":          {Options{Clouds: two(Cloud{Meter: pricing.Meter{Increment: -1}})}, "Clouds[1].Meter", pricing.ErrRange},
		"long meter":     {Options{Clouds: two(Cloud{Meter: pricing.Meter{Increment: math.MaxInt64}})}, "Clouds[1].Meter", ErrRange},
		"price":          {Options{Clouds: two(Cloud{Hourly: -1})}, "Clouds[1].Hourly", ErrRange},
		"quota":          {Options{Clouds: two(Cloud{Quota: -1})}, "Clouds[1].Quota", ErrRange},
		"discount":       {Options{Clouds: two(Cloud{Discount: pricing.SustainedUse{1, 2}})}, "Clouds[1].Discount", pricing.ErrRange},
		"portfolio":      {Options{Clouds: two(Cloud{Meter: pricing.GCE2014, Portfolio: halfPeak{}})}, "Clouds[1].Portfolio", ErrRange},
		"small quotas":   {Options{Clouds: []Cloud{{Quota: 4}, {Quota: 3}}}, "Jobs[0].Nodes", ErrTooLarge},
		"nowait":         {Options{Mode: NoWait, Clouds: two(Cloud{})}, "Clouds[1]", ErrRange},
		"bound":          {Options{bound: true, Clouds: []Cloud{{Quota: 10}}}, "Clouds[0]", ErrRange},
		"individual":     {Options{Mode: Individual, Clouds: []Cloud{{Discount: pricing.GCE2014SustainedUse}}}, "Clouds[0].Discount", ErrRange},
		"local":          {Options{Mode: Local, Nodes: 9, Clouds: []Cloud{{Portfolio: halfPeak{}}}}, "Clouds[0].Portfolio", ErrRange},
		"scheduler":      {Options{Scheduler: new(schedule.EASY), Clouds: two(Cloud{})}, "Scheduler", ErrRange},
		"format":         {Options{Reformat: -1}, "Reformat", ErrRange},
		"local meter":    {Options{Mode: Local, Nodes: 9, Clouds: []Cloud{{Meter: pricing.GCE2014}}}, "Clouds[0].Meter", ErrRange},
		"local discount": {Options{Mode: Local, Nodes: 9, Clouds: []Cloud{{Discount: pricing.GCE2014SustainedUse}}}, "Clouds[0].Discount", ErrRange},
	} {
		var s Simulator
		_, err := s.Run(jobs, c.cfg)
		var input *inputerr.Error
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), "sim: "+c.field+": ") || !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v about %s", name, err, c.want, c.field)
		}
	}
	// A portfolio's own error ends the run, and so do reservations that make no sense.
	long := []trace.Job{job(1, 0, 30*24*60, 5)}
	mine := errors.New("no budget")
	var s Simulator
	failing := &recorder{err: mine}
	if _, err := s.Run(long, Options{Clouds: []Cloud{{Portfolio: failing}}}); !errors.Is(err, mine) || len(failing.weeks) != 1 {
		t.Errorf("%v after %d weeks, want the portfolio's error after the first", err, len(failing.weeks))
	}
	for _, bad := range []placement.Reservation{{Count: -1}, {Count: 1, Rate: -1}} {
		p := &senseless{r: bad}
		var in *inputerr.Error
		if _, err := s.Run(long, Options{Clouds: []Cloud{{Portfolio: p}}}); !errors.As(err, &in) || !strings.HasPrefix(err.Error(), "sim: Clouds[0].Portfolio: ") || p.weeks != 1 {
			t.Errorf("%+v: %v after %d weeks", bad, err, p.weeks)
		}
	}
	// What the run left that has ended there is not in the next.
	if _, err := s.Run(long, Options{Clouds: []Cloud{{Portfolio: failing}, {}}}); !errors.Is(err, mine) {
		t.Errorf("%v, want the portfolio's error", err)
	}
	after, err := s.Run(jobs, Options{Clouds: []Cloud{{Quota: 5}, {}}})
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := new(Simulator).Run(jobs, Options{Clouds: []Cloud{{Quota: 5}, {}}})
	if diff := cmp.Diff(fresh, after, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("after an error: %s, %v", diff, err)
	}
}

// A job too large for one cloud's quota goes elsewhere. By hand: 2.1 minutes to boot one
// instance, 4.275 for 5.
func TestQuota(t *testing.T) {
	got := run(t, []trace.Job{job(1, 0, 10, 5), job(2, 0, 10, 1)},
		Options{WaitLimit: schedule.AtOnce, Short: schedule.AtOnce, Clouds: []Cloud{{Quota: 4, Hourly: 1}, {}}})
	if want := []time.Duration{at(4.275), at(2.1)}; !cmp.Equal(want, got.Starts) || got.Clouds[0].Jobs != 1 || got.Clouds[1].Jobs != 1 {
		t.Errorf("starts %v at %+v, want %v, one at each cloud", got.Starts, got.Clouds, want)
	}
}

// Hours hold however many instances are charged for, where instances times nanoseconds
// do not fit. By hand, without booting: three million instances for 3 hours from 0. As many
// for 3 hours from minute 20, that is for 40 minutes of the first hour and 20 of the last,
// and a million times as many. A tenth for 10 minutes from each minute of an hour.
func TestHoursOfManyInstances(t *testing.T) {
	const n = 3_000_000
	const many = min(1_000_000, math.MaxInt/(3*n))
	var short []trace.Job
	for i := range 60 {
		short = append(short, job(int64(i+1), float64(i), 10, n/10))
	}
	for name, c := range map[string]struct {
		jobs []trace.Job
		want []int
	}{
		"whole": {[]trace.Job{job(1, 0, 180, n)}, []int{n, n, n}},
		"part":  {[]trace.Job{job(1, 20, 180, n)}, []int{2 * n / 3, n, n, n / 3}},
		"more":  {[]trace.Job{job(1, 20, 180, many*n)}, []int{2 * many * n / 3, many * n, many * n, many * n / 3}},
		// Minutes of hour 0: those that begin up to minute 50 have 10 each, then 9 to 1.
		"short": {short, []int{n / 10 * (51*10 + 45) / 60, n / 10 * 45 / 60}},
	} {
		got := run(t, c.jobs, Options{Mode: Individual, Clouds: []Cloud{{
			Meter: pricing.GCE2014, Hourly: 60, Boot: func(int) time.Duration { return 0 },
		}}})
		if d := cmp.Diff(c.want, got.Clouds[0].Hours); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// What a rank was used until now counts for those that still run, and is not
// counted twice.
func TestUsageUpTo(t *testing.T) {
	var u usage
	u.reset(pricing.GCE2014SustainedUse, pricing.Unit, time.Date(2014, 2, 1, 0, 0, 0, 0, time.UTC))
	u.begin(0, 2)
	u.upTo(time.Hour, 1)
	if d := cmp.Diff([]time.Duration{0, time.Hour}, u.used); d != "" {
		t.Errorf("after an hour, from the second on (-want +got):\n%s", d)
	}
	u.upTo(3*time.Hour, 0)
	u.end(4*time.Hour, 2)
	u.upTo(5*time.Hour, 0)
	if d := cmp.Diff([]time.Duration{4 * time.Hour, 4 * time.Hour}, u.used); d != "" {
		t.Errorf("after both have ended (-want +got):\n%s", d)
	}
	if cost, err := u.close(); err != nil || cost != 8*pricing.Unit {
		t.Errorf("%v, %v; want 8, a quarter of the month is not reached", cost, err)
	}
}
