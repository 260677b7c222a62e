package pricing

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestInferred(t *testing.T) {
	tests := []struct {
		name  string
		spans []span
		want  []span
	}{
		{"none", nil, nil},
		{"idle", []span{{day, 0}, {0, 3}}, nil},
		{"one", []span{{day, 3}}, []span{{day, 3}}},
		// Google's announcement: 3, 4, 2 and 3 instances for 10, 5, 5 and 10 days of
		// a month of 30; two are inferred for the whole month, and a third for 10 + 5
		// + 10 days, and a fourth for 5.
		{"Google's example", []span{{10 * day, 3}, {5 * day, 4}, {5 * day, 2}, {10 * day, 3}},
			[]span{{30 * day, 2}, {25 * day, 1}, {5 * day, 1}}},
		{"one after the other", []span{{day, 1}, {0, 5}, {day, 1}, {day, 0}, {day, 1}}, []span{{3 * day, 1}}},
		{"a step without length", []span{{day, 4}, {0, 2}, {0, 3}, {day, 1}}, []span{{2 * day, 1}, {day, 3}}},
		{"large numbers", []span{{day, math.MaxInt}, {day, 1}}, []span{{2 * day, 1}, {day, math.MaxInt - 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.spans[:stack(tt.spans)]
			if !slices.Equal(tt.want, got) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
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
	var demand []int // a slot a day
	for _, e := range ref.Example.Days {
		for range e[0] {
			demand = append(demand, e[1])
		}
	}
	start := time.Date(2014, time.April, 1, 0, 0, 0, 0, time.UTC) // a month of 30 days
	got, err := new(SustainedBiller).AppendMonths(nil, GCE2014SustainedUse, Unit, start, day, demand)
	if err != nil {
		t.Fatal(err)
	}
	want := []SustainedMonth{{Start: start, Length: 30 * day, Peak: 4, Base: 90 * 24 * Unit, Cost: (1008 + 456 + 120) * Unit}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAppendMonths(t *testing.T) {
	pacific := time.FixedZone("-8", -8*3600)
	tests := []struct {
		name   string
		start  time.Time
		slot   time.Duration
		demand []int
		want   []SustainedMonth
	}{
		{"nothing", time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC), time.Hour, nil, nil},
		// One instance over January and half of February 2014 (28 days: 672 h).
		{"a month and a half", time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC), day, repeat(1, 31+14), []SustainedMonth{
			{time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC), 31 * day, 1, 744 * Unit, 520_800 * Milli},
			{time.Date(2014, 2, 1, 0, 0, 0, 0, time.UTC), 28 * day, 1, 336 * Unit, 302_400 * Milli},
		}},
		{"leap year", time.Date(2016, 2, 1, 0, 0, 0, 0, time.UTC), day, repeat(1, 29), []SustainedMonth{
			{time.Date(2016, 2, 1, 0, 0, 0, 0, time.UTC), 29 * day, 1, 696 * Unit, 487_200 * Milli},
		}},
		// Two slots of four days across the end of a year, six days before, two after:
		// two of three instances in the last days of the old year.
		{"a slot across the end of a month", time.Date(2013, 12, 26, 0, 0, 0, 0, time.UTC), 4 * day, []int{2, 3}, []SustainedMonth{
			{time.Date(2013, 12, 1, 0, 0, 0, 0, time.UTC), 31 * day, 3, (2*96 + 3*48) * Unit, (2*96 + 3*48) * Unit},
			{time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC), 31 * day, 3, 3 * 48 * Unit, 3 * 48 * Unit},
		}},
		{"a month without use, and a slot of several months", time.Date(2014, 1, 31, 0, 0, 0, 0, time.UTC), 30 * day, []int{0, 1}, []SustainedMonth{
			{time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC), 31 * day, 0, 0, 0},
			{time.Date(2014, 2, 1, 0, 0, 0, 0, time.UTC), 28 * day, 0, 0, 0},
			// From 2 March to 1 April: 720 of 744 h, 3·186·(1+.8+.6)/3 + 162·.4
			{time.Date(2014, 3, 1, 0, 0, 0, 0, time.UTC), 31 * day, 1, 720 * Unit, 511_200 * Milli},
		}},
		// In UTC this hour is in April; eight hours to the west it is in March.
		{"months of the location", time.Date(2014, 3, 31, 23, 0, 0, 0, pacific), time.Hour, []int{1, 1}, []SustainedMonth{
			{time.Date(2014, 3, 1, 0, 0, 0, 0, pacific), 31 * day, 1, Unit, Unit},
			{time.Date(2014, 4, 1, 0, 0, 0, 0, pacific), 30 * day, 1, Unit, Unit},
		}},
	}
	var b SustainedBiller
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := b.AppendMonths([]SustainedMonth{{Peak: 99}}, GCE2014SustainedUse, Unit, tt.start, tt.slot, tt.demand)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]SustainedMonth{{Peak: 99}}, tt.want...), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	start := time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC)
	_, err := b.AppendMonths(nil, SustainedUse{-1}, 1, start, day, nil)
	wantError(t, err, "rates", 0, ErrRange)
	_, err = b.AppendMonths(nil, GCE2014SustainedUse, -1, start, day, nil)
	wantError(t, err, "hourly", -1, ErrRange)
	_, err = b.AppendMonths(nil, GCE2014SustainedUse, 1, start, day, []int{0, -1})
	wantError(t, err, "demand", 1, ErrRange)
	_, err = b.AppendMonths(nil, GCE2014SustainedUse, 1, start, math.MaxInt64/2, []int{0, 1, 1})
	wantError(t, err, "demand", -1, ErrOverflow)
	dst, err := b.AppendMonths([]SustainedMonth{{}}, GCE2014SustainedUse, Unit, start, 31*day, []int{1, math.MaxInt})
	wantError(t, err, "demand", 1, ErrOverflow)
	if len(dst) != 1 {
		t.Errorf("dst has grown to %d months beside an error", len(dst))
	}
}

// Where summer time is kept, March 2014 has 743 hours and November 721.
func TestAppendMonthsSummerTime(t *testing.T) {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	start := time.Date(2014, 3, 1, 0, 0, 0, 0, zone)
	got, err := new(SustainedBiller).AppendMonths(nil, GCE2014SustainedUse, Unit, start, time.Hour, repeat(1, 275*24))
	if err != nil {
		t.Fatal(err)
	}
	// Whole months cost 70%; 275 days end with November.
	if len(got) != 9 || got[0].Length != 743*time.Hour || got[0].Cost != 520_100*Milli ||
		got[8].Length != 721*time.Hour || got[8].Cost != 504_700*Milli {
		t.Errorf("%+v", got)
	}
}

func repeat(d, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = d
	}
	return s
}
