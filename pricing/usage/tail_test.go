package usage

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// lateBill is a bill of 28 days of two files: owners a and b use ten m5.large each, and a ten
// m5.xlarge. Less(owner, kind, hour) is what lacks; below 0 the row is not there.
func lateBill(t *testing.T, less func(owner, kind string, h int) int64) *Bill {
	t.Helper()
	monday := time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC)
	var c Collector
	line := 0
	for _, owner := range []string{"a", "b"} {
		c.Begin(owner+".csv", "test")
		for h := range 28 * 24 {
			for _, kind := range []string{"m5.large", "m5.xlarge"} {
				n := 10 - less(owner, kind, h)
				if owner == "b" && kind == "m5.xlarge" || n < 0 {
					continue
				}
				r := row(0, OnDemand, "0.96")
				line++
				r.Line, r.Owner, r.Kind.Type = line, owner, kind
				r.Start = monday.Add(time.Duration(h) * time.Hour)
				r.End, r.Hours = r.Start.Add(time.Hour), Units(n)
				add(t, &c, r)
			}
		}
	}
	return bill(t, &c)
}

// What is late alone: an owner, with all that it uses; a kind of an owner that is not; a file of
// which nobody has more; nobody.
func TestLate(t *testing.T) {
	const end = 28 * 24
	from := func(hour int, owner, kind string, less int64) func(string, string, int) int64 {
		return func(o, k string, h int) int64 {
			if h >= hour && strings.Contains(owner, o) && strings.Contains(kind, k) {
				return less
			}
			return 0
		}
	}
	for name, c := range map[string]struct {
		less func(string, string, int) int64
		want string
	}{
		"nobody":                       {from(end, "ab", "", 0), ""},
		"an owner":                     {from(end-24, "b", "m5.large", 5), "owner b, 24 hours, 0.50 present, [0], 120 hours"},
		"an owner is not there":        {from(end-10, "b", "m5.large", 99), "owner b, 10 hours, 0.00 present, [0], 100 hours"},
		"both kinds are a tail of all": {from(end-24, "a", "m5.large m5.xlarge", 6), ""},
		"a kind":                       {from(end-24, "a", "m5.xlarge", 1), ""},
		"a kind, though the owner not": {from(end-24, "a", "m5.xlarge", 3), "owner a, 24 hours, 0.85 present, [0 1], 72 hours"},
		"five hours are too few":       {from(end-5, "b", "m5.large", 5), ""},
		"three days":                   {from(end-72, "b", "m5.large", 5), "owner b, 72 hours, 0.50 present, [0], 360 hours"},
		"longer is a change":           {from(end-74, "b", "m5.large", 5), ""},
		"a file":                       {from(end-8*24, "b", "m5.large", 99), "file b.csv, 192 hours, 0.00 present, [0], 1920 hours"},
	} {
		t.Run(name, func(t *testing.T) {
			b := lateBill(t, c.less)
			var got []string
			for _, x := range b.Quality().Late {
				got = append(got, fmt.Sprintf("%s %s, %.0f hours, %.2f present, %v, %.0f hours", x.What, x.Name, b.End.Sub(x.From).Hours(), x.Present, x.Demands, x.Hours))
				if want := x.Hours * .096 * 1.5; x.Cost <= 0 || x.Cost > want {
					t.Errorf("costs %v", x.Cost)
				}
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// The window of an owner moves with the bill, whatever the order of the rows, and forgets what is
// older; owners that share nothing have kinds of their own.
func TestOwners(t *testing.T) {
	for _, order := range []int{1, -1} {
		var c Collector
		c.Begin("a", "test")
		const hours = 5000
		for i := range hours {
			h := i
			if order < 0 {
				h = hours - 1 - i
			}
			r := row(h, OnDemand, "1")
			r.Line, r.Hours = i+1, Units(int64(h))
			add(t, &c, r)
		}
		b := bill(t, &c)
		o := &b.owners[0]
		last := floor(b.End.Unix(), 3600)
		for back := int64(1); back <= windowHours; back++ {
			if got := o.at(last - back); math.Abs(got-float64(hours-back)) > 1e-9 {
				t.Fatalf("order %d: %v hours, %d before the end", order, got, back)
			}
		}
		if o.at(last-hours) != 0 || o.at(last) != 0 || len(o.used) > 2*windowHours || b.Owners["1"].Rows != hours {
			t.Errorf("%d hours, %+v", len(o.used), b.Owners)
		}
	}
	c := Collector{Alone: []string{"x"}}
	c.Begin("a", "test")
	mine, yours := row(0, OnDemand, "1"), row(0, OnDemand, "2")
	mine.Owner, yours.Line = "x", 2
	add(t, &c, mine, yours)
	if b := bill(t, &c); len(b.Demand) != 2 || b.Demand[0].Kind.Owner != "" || b.Demand[1].Kind.Owner != "x" || mine.Kind.Owner != "" || b.Demand[1].Kind.Plain() != b.Demand[0].Kind.Plain() {
		t.Errorf("%+v", b.Demand)
	}
}
