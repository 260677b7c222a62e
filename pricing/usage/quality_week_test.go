package usage

import (
	"testing"
	"time"
)

// A fleet that rests on weekends: the weekends are no gaps and no tail, a working day without rows is a
// gap, and the last working day at half is a tail, though it has as much as a weekend.
func TestQualityOfWeeks(t *testing.T) {
	monday := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	days := []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	for _, c := range []struct {
		name    string
		weekend string // hours of use each hour
		days    int
		lost    int    // a day without rows
		last    string // hours of the last day's hours
		gaps    int
		tail    int // days from the beginning
	}{
		{"rests", "0", 40, -1, "10", 0, 40},
		{"a Thursday is lost", "0", 40, 24, "10", 1, 40},
		{"half the last Friday", "5", 40, -1, "5", 0, 39},
		{"the same at a weekend of full use", "10", 40, -1, "5", 0, 39},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all Collector
			all.Begin("a", "test")
			for h := range 24 * c.days {
				day := h / 24
				hours := "10"
				switch {
				case day == c.lost:
					continue
				case day == c.days-1:
					hours = c.last
				case day%7 > 4:
					hours = c.weekend
				}
				if hours == "0" || h%24 < 4 || h%24 > 21 {
					continue
				}
				r := row(h, OnDemand, "1")
				r.Line = h + 1
				r.Start = monday.Add(time.Duration(h) * time.Hour)
				r.End = r.Start.Add(time.Hour)
				r.Hours, _, _ = Parse(hours)
				if err := all.Add(r); err != nil {
					t.Fatal(err)
				}
			}
			b, err := all.Bill()
			if err != nil {
				t.Fatal(err)
			}
			q := b.Quality()
			want := monday.AddDate(0, 0, c.tail)
			if c.tail == c.days {
				want = b.End
			}
			if len(q.Gaps) != c.gaps || q.Tail.Before(want) || q.Tail.After(want.Add(4*time.Hour)) {
				t.Errorf("%s: gaps %v, tail from %v, want %d and %v", days[(c.days-1)%7], q.Gaps, q.Tail, c.gaps, want)
			}
		})
	}
}

// An end of 23:59:59 is midnight, and use that gives money back has no hours.
func TestMendedRows(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	whole, back := row(0, OnDemand, "1"), row(0, OnDemand, "-1")
	whole.End = whole.Start.Add(24*time.Hour - time.Second)
	whole.Hours, back.Hours, back.Line = Units(24), Units(3), 2
	before := *whole
	for _, r := range []*Row{whole, back} {
		if err := c.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if whole.End != before.End {
		t.Error("the row has changed")
	}
	b, err := c.Bill()
	if err != nil || len(b.Demand) != 1 || len(b.Notes) != 1 {
		t.Fatalf("%+v, %v", b, err)
	}
	if hours, _ := b.Demand[0].Hours(); hours != Units(24) || b.Demand[0].Slot != 24*time.Hour {
		t.Errorf("%v hours by %v", hours, b.Demand[0].Slot)
	}
}
