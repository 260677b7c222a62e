package usage

import (
	"math"
	"testing"
	"time"
)

// long is a bill of days with a kind for each function, of the use in an hour.
func long(days int, uses ...func(h int) int64) *Bill {
	b := &Bill{Start: familyStart, End: familyStart.AddDate(0, 0, days)}
	for i, use := range uses {
		d := Demand{Kind: familyKind([]string{"m5.large", "m5.xlarge", "m5.2xlarge"}[i]), Slot: time.Hour, Start: familyStart}
		for h := range 24 * days {
			d.Used = append(d.Used, Units(use(h)))
		}
		d.Covered = make([]Amount, len(d.Used))
		b.Demand = append(b.Demand, d)
	}
	return b
}

// Where the tail of a bill begins. By hand: each case says which hours lack use, of 21 days that
// begin on a Monday.
func TestTail(t *testing.T) {
	const end = 21 * 24
	flat := func(int) int64 { return 10 }
	week := func(h int) int64 { // less at the weekend, none at night
		switch {
		case h%24 < 8:
			return 0
		case h/24%7 >= 5:
			return 4
		}
		return 10
	}
	half := func(use func(int) int64, from int) func(int) int64 {
		return func(h int) int64 {
			if h >= from {
				return use(h) / 2
			}
			return use(h)
		}
	}
	for name, c := range map[string]struct {
		bill *Bill
		from int
	}{
		"whole":                   {long(21, flat, week), end},
		"a day":                   {long(21, half(flat, end-24), half(week, end-24)), end - 24},
		"five hours":              {long(21, half(flat, end-5), half(flat, end-5)), end - 5},
		"three days":              {long(21, half(flat, end-72), half(flat, end-72)), end - 72},
		"longer is a change":      {long(21, half(flat, end-80), half(flat, end-80)), end},
		"one kind of two":         {long(21, half(flat, end-24), flat), end},
		"a weekend":               {long(20, week), 20 * 24},
		"only one kind":           {long(21, half(flat, end-24)), end - 24},
		"less, as never before":   {long(21, func(h int) int64 { return 100 - int64(h/24)%2*5 }), end},
		"two days are no measure": {long(2, half(flat, 24)), 48},
	} {
		t.Run(name, func(t *testing.T) {
			q := c.bill.Quality()
			if want := familyStart.Add(time.Duration(c.from) * time.Hour); !q.Tail.Equal(want) {
				t.Errorf("from %v, want %v", q.Tail, want)
			}
			if c.from < len(c.bill.Demand[0].Used) && math.Abs(q.Present-.5) > 1e-9 || q.Present > 1 {
				t.Errorf("%v are present", q.Present)
			}
		})
	}
	// Rows of days have a tail of days.
	b := long(21, flat)
	d := &b.Demand[0]
	d.Slot, d.Used = 24*time.Hour, d.Used[:21]
	d.Used[20] = Units(3)
	if q := b.Quality(); !q.Tail.Equal(b.End.AddDate(0, 0, -1)) || q.Daily != Units(203) || q.Hourly != (Amount{}) {
		t.Errorf("%+v", q)
	}
}

// A gap is a day or more without any use; two kinds of one type with the same use are suspected.
func TestGapsAndDoubles(t *testing.T) {
	some := func(h int) int64 {
		if h >= 100 && h < 130 || h >= 200 && h < 223 {
			return 0
		}
		return int64(1 + h%5)
	}
	b := long(14, some, some)
	q := b.Quality()
	if len(q.Gaps) != 1 || !q.Gaps[0][0].Equal(familyStart.Add(100*time.Hour)) || !q.Gaps[0][1].Equal(familyStart.Add(130*time.Hour)) || len(q.Doubles) != 0 {
		t.Errorf("%+v", q)
	}
	b.Demand[1].Kind.Type, b.Demand[1].Kind.System = b.Demand[0].Kind.Type, "windows"
	if q = b.Quality(); len(q.Doubles) != 1 || q.Doubles[0] != [2]int{0, 1} {
		t.Errorf("%+v", q)
	}
	b.Demand[1].Used[7] = Units(9)
	if q = b.Quality(); len(q.Doubles) != 0 {
		t.Errorf("%+v", q)
	}
}
