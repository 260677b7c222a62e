package usage

import (
	"math/rand/v2"
	"testing"
	"time"
)

// machines is a bill of one day with a row for each machine, of so many half hours.
func machines(t *testing.T, halves ...int64) Demand {
	t.Helper()
	var c Collector
	c.Begin("a", "test")
	for i, n := range halves {
		r := row(0, OnDemand, "1")
		r.Line = i + 2
		r.Start = time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
		r.End, r.Hours = r.Start.Add(24*time.Hour), Units(n).Scale(1, 2)
		add(t, &c, r)
	}
	return bill(t, &c).Demand[0]
}

// served is what k reservations serve of the hours.
func served(hours []Amount, k int64) (sum Amount) {
	for _, a := range hours {
		if a.Compare(Units(k)) > 0 {
			a = Units(k)
		}
		sum = sum.Plus(a)
	}
	return sum
}

// Whatever hours of a day the machines ran, each in hours of its own, k reservations serve at
// least what they serve if all begin at once; and at most what they serve of an even spread.
func TestTogetherIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 1)) // seed 37, 1
	for range 300 {
		var halves []int64
		for range 1 + rng.IntN(5) {
			halves = append(halves, 1+rng.Int64N(48))
		}
		d := machines(t, halves...)
		least, most := d.Hourly(0, 0), d.Hourly(0, 24)
		for range 20 {
			hours := make([]Amount, 24)
			for _, n := range halves {
				rest := n
				for _, h := range rng.Perm(24) {
					part := min(2, rest)
					hours[h] = hours[h].Plus(Units(part).Scale(1, 2))
					rest -= part
				}
			}
			for k := range int64(6) {
				got := served(hours, k)
				if low, high := served(least.Used, k), served(most.Used, k); got.Compare(low) < 0 || got.Minus(high).Float64() > 1e-12 {
					t.Fatalf("%v half hours: %d reservations serve %v, want from %v to %v", halves, k, got, low, high)
				}
			}
		}
	}
}

// By hand: machines of 3, 2.5 and 30 hours. The row of 30 is of an unknown number of machines.
func TestTogether(t *testing.T) {
	d := machines(t, 6, 5, 60)
	h := d.Hourly(0, 0)
	for i, want := range []string{"32", "2", "1.5", "0", "0"} {
		if got := h.Used[i].String(); got != want {
			t.Errorf("hour %d: %s, want %s", i, got, want)
		}
	}
	if h = d.Hourly(22, 2); h.Used[0] != h.Used[23] || h.Used[0].String() != "8.875" || h.Used[2] != (Amount{}) || h.Slot != time.Hour || len(h.Used) != 24 {
		t.Errorf("over midnight: %v", h.Used)
	}
	hour := Demand{Slot: time.Hour, Used: []Amount{Units(1)}}
	if got := hour.Hourly(8, 20); len(got.Used) != 1 {
		t.Errorf("hours of hours: %+v", got)
	}
}

// A family of days has the hours of its members in its units: what holds for any hours holds for the
// family, and a member of hours counts with those of its most use first.
func TestFamilyTogether(t *testing.T) {
	large, xlarge := machines(t, 48, 12), machines(t, 24) // 24 h and 6 h; 12 h
	xlarge.Kind.Type = "m5.2xlarge"
	hours := large.Hourly(8, 10)
	f := Family{Demands: []int{0, 1}, Units: []int{1, 4}}
	sum, err := f.Demand([]Demand{large, xlarge})
	if err != nil || len(sum.Together) != 1 {
		t.Fatal(err, sum.Together)
	}
	for h, a := range sum.Together[0] {
		want := int64(1)
		if h < 6 {
			want++
		}
		if h < 12 {
			want += 4
		}
		if a != Units(want) {
			t.Errorf("hour %d: %v, want %d", h, a, want)
		}
	}
	if total := sum.Hourly(0, 0); total.Slot != time.Hour || total.Used[0] != Units(6) || total.Used[23] != Units(1) {
		t.Errorf("%v", total.Used)
	}
	if sum, err = f.Demand([]Demand{hours, xlarge}); err != nil || sum.Together[0][0] != Units(19) || sum.Together[0][1] != Units(19) || sum.Together[0][2] != Units(4) {
		t.Error(err, sum.Together) // 30 hours in two of the day
	}
}
