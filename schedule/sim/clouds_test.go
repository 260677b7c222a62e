package sim

import (
	"errors"
	"math"
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
		"portfolio":      {Options{Clouds: two(Cloud{Meter: pricing.GCE2014, Portfolio: halfPeak})}, "Clouds[1].Portfolio", ErrRange},
		"small quotas":   {Options{Clouds: []Cloud{{Quota: 4}, {Quota: 3}}}, "Jobs[0].Nodes", ErrTooLarge},
		"nowait":         {Options{Mode: NoWait, Clouds: two(Cloud{})}, "Clouds[1]", ErrRange},
		"bound":          {Options{bound: true, Clouds: []Cloud{{Quota: 10}}}, "Clouds[0]", ErrRange},
		"individual":     {Options{Mode: Individual, Clouds: []Cloud{{Discount: pricing.GCE2014SustainedUse}}}, "Clouds[0].Discount", ErrRange},
		"local":          {Options{Mode: Local, Nodes: 9, Clouds: []Cloud{{Portfolio: halfPeak}}}, "Clouds[0].Portfolio", ErrRange},
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
	if _, err := s.Run(long, Options{Clouds: []Cloud{{Portfolio: failing.Observe}}}); !errors.Is(err, mine) || len(failing.weeks) != 1 {
		t.Errorf("%v after %d weeks, want the portfolio's error after the first", err, len(failing.weeks))
	}
	for _, bad := range []placement.Reservation{{Count: -1}, {Count: 1, Rate: -1}} {
		p := &senseless{r: bad}
		var in *inputerr.Error
		if _, err := s.Run(long, Options{Clouds: []Cloud{{Portfolio: p.Observe}}}); !errors.As(err, &in) || !strings.HasPrefix(err.Error(), "sim: Clouds[0].Portfolio: ") || p.weeks != 1 {
			t.Errorf("%+v: %v after %d weeks", bad, err, p.weeks)
		}
	}
	// What the run left that has ended there is not in the next.
	if _, err := s.Run(long, Options{Clouds: []Cloud{{Portfolio: failing.Observe}, {}}}); !errors.Is(err, mine) {
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
