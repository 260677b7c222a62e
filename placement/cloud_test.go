package placement

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

const (
	month = 30 * 24 * time.Hour
	cent  = 10 * pricing.Milli
)

// By hand from the definition.
func TestRate(t *testing.T) {
	ec2 := Cloud{Hourly: 240 * cent}
	reserved := Cloud{Hourly: 240 * cent, Reserved: []Reservation{{2, 0}, {3, 90 * cent}}}
	gce := Cloud{Hourly: 200 * cent, Discount: pricing.GCE2014SustainedUse, Month: month,
		Used: []time.Duration{month, month * 3 / 4, month / 2, month/4 - 1, month / 4}}
	at := func(c Cloud, taken int) Cloud { c.Taken = taken; return c }
	for _, tt := range []struct {
		name string
		c    Cloud
		n    int
		want pricing.Money
	}{
		{"nothing", ec2, 0, 0},
		{"on demand", ec2, 3, 720 * cent},
		{"hours paid anyway", reserved, 2, 0},
		{"all classes", reserved, 7, (3*90 + 2*240) * cent},
		{"the rest of a class", at(reserved, 4), 2, (90 + 240) * cent},
		{"above all reservations", at(reserved, 5), 1, 240 * cent},
		{"whole month", gce, 1, 80 * cent},
		{"from three quarters on", at(gce, 1), 1, 80 * cent},
		{"from half on", at(gce, 2), 1, 120 * cent},
		{"below a quarter", at(gce, 3), 1, 200 * cent},
		{"from a quarter on", at(gce, 4), 1, 160 * cent},
		{"never used", at(gce, 5), 2, 400 * cent},
		{"all ranks", gce, 6, (80 + 80 + 120 + 200 + 160 + 200) * cent},
		{"free", Cloud{}, 5, 0},
	} {
		if got, err := tt.c.Rate(tt.n); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestRateErrors(t *testing.T) {
	d := pricing.GCE2014SustainedUse
	for _, tt := range []struct {
		c     Cloud
		n     int
		want  error
		place string // in the error of Rate; Choose adds the cloud
	}{
		{Cloud{Hourly: -1}, 1, ErrRange, "Hourly"},
		{Cloud{Taken: -1}, 1, ErrRange, "Taken"},
		{Cloud{Reserved: []Reservation{{-1, 0}}}, 1, ErrRange, "Reserved[0].Count"},
		{Cloud{Reserved: []Reservation{{0, 0}, {1, -1}}}, 1, ErrRange, "Reserved[1].Rate"},
		{Cloud{Discount: d, Month: month, Used: []time.Duration{0, -1}}, 2, ErrRange, "Used[1]"},
		{Cloud{Discount: d}, 1, ErrRange, "Month"},
		{Cloud{Discount: d, Month: 367 * 24 * time.Hour}, 1, ErrRange, "Month"},
		{Cloud{Discount: pricing.SustainedUse{1, 2, 3, 4}, Month: month}, 1, pricing.ErrRange, "Discount"},
		{Cloud{Hourly: math.MaxInt64}, 2, pricing.ErrOverflow, ""},
		{Cloud{Taken: 1}, math.MaxInt, pricing.ErrOverflow, "Taken"},
	} {
		_, err := tt.c.Rate(tt.n)
		if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "placement: "+tt.place+": ") && tt.place != "" {
			t.Errorf("%v, want %v about %s", err, tt.want, tt.place)
		}
		place := tt.place
		if place == "" { // a product of money
			place = "Hourly"
		}
		i, err := Choose([]Cloud{{}, tt.c}, tt.n)
		if tt.n == math.MaxInt { // the first cloud is free and has room for them
			i, err = Choose([]Cloud{{Closed: true}, tt.c}, tt.n)
		}
		if i != -1 || !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "placement: clouds[1]."+place+": ") {
			t.Errorf("Choose: %d, %v, want %v about clouds[1].%s", i, err, tt.want, place)
		}
		valid := tt.c.Validate()
		if errors.Is(tt.want, pricing.ErrOverflow) != (valid == nil) || valid != nil && valid.Error() != errText(tt.c.Rate(tt.n)) {
			t.Errorf("Validate: %v, Rate: %v", valid, errText(tt.c.Rate(tt.n)))
		}
	}
	for _, c := range []struct {
		c     Cloud
		field string
	}{
		{Cloud{Quota: -1}, "Quota"},
		{Cloud{Reserved: []Reservation{{1, 5}, {1, 4}}}, "Reserved.Rate"},
		{Cloud{Used: []time.Duration{-1}}, "Used"},
	} {
		var in *pricing.InputError
		if err := c.c.Validate(); !errors.As(err, &in) || in.Field != c.field || !errors.Is(err, ErrRange) {
			t.Errorf("%+v: %v", c.c, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative number does not panic")
		}
	}()
	new(Cloud).Rate(-1)
}

func errText(_ pricing.Money, err error) string { return err.Error() }

func drawCloud(t *rapid.T) Cloud {
	small := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
	c := Cloud{
		Hourly: pricing.Money(small("price", 20)), // nanos: rounding is frequent
		Taken:  small("taken", 8),
		Quota:  small("quota", 12),
		Closed: rapid.Bool().Draw(t, "closed"),
	}
	rate := 0
	for range small("classes", 3) {
		rate += small("more", 5)
		c.Reserved = append(c.Reserved, Reservation{small("count", 4), pricing.Money(rate)})
	}
	if rapid.Bool().Draw(t, "discount") {
		c.Discount, c.Month = pricing.GCE2014SustainedUse, month
		for range small("ranks", 10) {
			c.Used = append(c.Used, time.Duration(small("used", 8))*month/8)
		}
	}
	return c
}

// plainRate prices rank by rank.
func plainRate(c Cloud, n int) (sum pricing.Money) {
	for rank := c.Taken; rank < c.Taken+n; rank++ {
		price, below := c.Hourly, 0
		if c.Discount != (pricing.SustainedUse{}) {
			used := time.Duration(0)
			if rank < len(c.Used) {
				used = c.Used[rank]
			}
			for q := range 4 {
				if used >= time.Duration(q)*month/4 {
					price, _ = c.Hourly.Prorate(time.Duration(c.Discount[q]), 10000, pricing.HalfEven)
				}
			}
		}
		for i := len(c.Reserved) - 1; i >= 0; i-- {
			below = 0
			for _, r := range c.Reserved[:i+1] {
				below += r.Count
			}
			if rank < below {
				price = c.Reserved[i].Rate
			}
		}
		sum += price
	}
	return sum
}

// Rate is the sum over the ranks, Choose its least, the first of several;
// closing a cloud that is not chosen changes nothing, and so does another
// dearer one behind. What is asked together costs what it costs in two parts.
func TestRateAndChooseEqualPlain(t *testing.T) {
	chosen, none := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		clouds := make([]Cloud, rapid.IntRange(0, 4).Draw(t, "clouds"))
		n := rapid.IntRange(0, 8).Draw(t, "n")
		want := -1
		for i := range clouds {
			c := drawCloud(t)
			clouds[i] = c
			got, err := c.Rate(n)
			if err != nil || c.Validate() != nil || got != plainRate(c, n) {
				t.Fatalf("%+v: %v, %v; want %v", c, got, err, plainRate(c, n))
			}
			if k := n / 2; true {
				first, _ := c.Rate(k)
				c.Taken += k
				if second, _ := c.Rate(n - k); first+second != got {
					t.Fatalf("%+v: %v and %v in two parts, %v together", c, first, second, got)
				}
			}
			c = clouds[i]
			fits := c.Quota == 0 || c.Taken+n <= c.Quota
			if fits != c.Fits(n) {
				t.Fatalf("%+v: Fits(%d) is %v", c, n, !fits)
			}
			if fits && !c.Closed && (want < 0 || plainRate(c, n) < plainRate(clouds[want], n)) {
				want = i
			}
		}
		got, err := Choose(clouds, n)
		if err != nil || got != want {
			t.Fatalf("chose %d, %v; want %d", got, err, want)
		}
		if got < 0 {
			none++
			return
		}
		chosen++
		for i := range clouds {
			if i != got {
				clouds[i].Closed = true
			}
		}
		if again, _ := Choose(append(clouds, clouds[got]), n); again != got {
			t.Fatalf("with the others closed and a copy behind %d is chosen, %d before", again, got)
		}
	})
	if chosen == 0 || none == 0 {
		t.Errorf("%d choices, %d times none", chosen, none)
	}
}

func TestChooseAllocatesNothing(t *testing.T) {
	clouds := []Cloud{
		{Hourly: 240 * cent, Reserved: []Reservation{{2, 0}, {3, 90 * cent}}},
		{Hourly: 200 * cent, Discount: pricing.GCE2014SustainedUse, Month: month, Used: make([]time.Duration, 50)},
	}
	if n := allocs.Once(func() { Choose(clouds, 93) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkChoose(b *testing.B) {
	clouds := []Cloud{
		{Hourly: 240 * cent, Reserved: []Reservation{{2, 0}, {3, 90 * cent}}},
		{Hourly: 200 * cent, Discount: pricing.GCE2014SustainedUse, Month: month, Used: make([]time.Duration, 200)},
	}
	for b.Loop() {
		if _, err := Choose(clouds, 93); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "choices/s")
}

// At and just beyond the ends of what Rate takes.
func TestRateAtTheEnds(t *testing.T) {
	most := pricing.Money(math.MaxInt64)
	d := pricing.GCE2014SustainedUse
	for _, tt := range []struct {
		name string
		c    Cloud
		n    int
		want pricing.Money
		err  error
	}{
		{"a month of 366 days", Cloud{Hourly: cent, Discount: d, Month: longestMonth}, 1, cent, nil},
		{"the last rank", Cloud{Taken: 5}, math.MaxInt - 5, 0, nil},
		{"beyond the last rank", Cloud{Taken: 5}, math.MaxInt - 4, 0, pricing.ErrOverflow},
		{"reserved hours beyond an amount", Cloud{Reserved: []Reservation{{2, most}}}, 2, 0, pricing.ErrOverflow},
		{"used instances beyond an amount", Cloud{Hourly: most, Discount: d, Month: month, Used: []time.Duration{0, 0}}, 2, 0, pricing.ErrOverflow},
		{"a rate beyond an amount that nobody needs", Cloud{Hourly: cent, Reserved: []Reservation{{1, 0}, {0, most}}}, 2, cent, nil},
	} {
		if got, err := tt.c.Rate(tt.n); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, %v; want %v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}
