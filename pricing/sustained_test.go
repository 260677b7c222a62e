package pricing

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
)

const day = 24 * time.Hour

// Google's own table: a quarter, a half, three quarters and the whole of a month
// have effective discounts of 0, 10, 20 and 30%.
func TestSustainedUseCost(t *testing.T) {
	const month = 30 * day // 720 h
	tests := []struct {
		used time.Duration
		want Money // at 1 an hour
	}{
		{0, 0},
		{time.Hour, Unit},
		{180 * time.Hour, 180 * Unit},
		{181 * time.Hour, 180_800 * Milli},
		{360 * time.Hour, 324 * Unit},
		{540 * time.Hour, 432 * Unit},
		{720 * time.Hour, 504 * Unit},
	}
	for _, tt := range tests {
		got, err := GCE2014SustainedUse.Cost(Unit, tt.used, month)
		if got != tt.want || err != nil {
			t.Errorf("%v: %v, %v, want %v", tt.used, got, err, tt.want)
		}
	}
	// A nano an hour in a month of an hour, a quarter of which is 15 minutes: three
	// quarters are .25 + .2 + .15 = .6, rounded to 1; a half, .45, to 0.
	for used, want := range map[time.Duration]Money{30 * time.Minute: 0, 45 * time.Minute: 1} {
		got, err := GCE2014SustainedUse.Cost(1, used, time.Hour)
		if got != want || err != nil {
			t.Errorf("a nano an hour for %v: %d, %v, want %d", used, got, err, want)
		}
	}
	// A month that cannot be quartered in nanoseconds: 3 ns of 5, all at 100 then
	// 0%, is a quarter of 5 ns, 1.25/3.6e12 h at 3.6e12 nanos an hour.
	got, err := SustainedUse{10000, 0, 0, 0}.Cost(3_600_000_000_000, 3, 5)
	if want := Money(1); got != want || err != nil {
		t.Errorf("%d, %v, want %d", got, err, want)
	}
	_, err = GCE2014SustainedUse.Cost(-1, 0, month)
	wantError(t, err, "hourly", -1, ErrRange)
	_, err = GCE2014SustainedUse.Cost(1, -1, month)
	wantError(t, err, "used", -1, ErrRange)
	_, err = GCE2014SustainedUse.Cost(1, month+1, month)
	wantError(t, err, "used", -1, ErrRange)
	_, err = GCE2014SustainedUse.Cost(math.MaxInt64, month, month)
	wantError(t, err, "money", -1, ErrOverflow)
	_, err = SustainedUse{10000, 8000, 8001, 0}.Cost(1, 0, month)
	wantError(t, err, "rates", 2, ErrRange)
	wantError(t, SustainedUse{10001}.Validate(), "rates", 0, ErrRange)
	wantError(t, SustainedUse{1, 0, 0, -1}.Validate(), "rates", 3, ErrRange)
}

// The tiers and the example of the reference material are those of the tests
// above. The example's cost: two whole months of 720 h at 70% are 1008 h, 600 h
// are 180 + 144 + 108 + 60·.4 = 456 h, and 120 h are 120.
func TestSustainedReference(t *testing.T) {
	data, err := os.ReadFile(shared.File(t, "prices/gce_sustained_use_2014.json"))
	if err != nil {
		t.Fatal(err)
	}
	var ref struct {
		Tiers   map[string]float64 `json:"sustained_use_tiers"`
		Example struct {
			Days [][2]int `json:"days_x_vms"`
		} `json:"blog_example"`
	}
	if err := json.Unmarshal(data, &ref); err != nil {
		t.Fatal(err)
	}
	var rates SustainedUse
	for i, key := range []string{"0.25", "0.50", "0.75", "1.0"} {
		rates[i] = int(ref.Tiers[key]*10000 + .5)
	}
	if rates != GCE2014SustainedUse {
		t.Errorf("rates %v, want %v", GCE2014SustainedUse, rates)
	}
	month := 0 // days
	var used [5]time.Duration
	for _, e := range ref.Example.Days {
		month += e[0]
		for j := range e[1] {
			used[j] += time.Duration(e[0]) * day
		}
	}
	var cost Money
	for _, u := range used {
		c, err := GCE2014SustainedUse.Cost(Unit, u, time.Duration(month)*day)
		if err != nil {
			t.Fatal(err)
		}
		cost += c
	}
	if want := (1008 + 456 + 120) * Unit; cost != want || month != 30 {
		t.Errorf("%v in %d days, want %v", cost, month, want)
	}
}
