package usage

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/pricing"
)

// A set of hours is what a map of hours is.
func TestHourSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sets [2]hourSet
		maps := [2]map[int64]bool{{}, {}}
		base := rapid.SampledFrom([]int64{-1000, 0, 470_000}).Draw(t, "base")
		for range rapid.IntRange(0, 12).Draw(t, "marks") {
			k := rapid.IntRange(0, 1).Draw(t, "set")
			from := base + rapid.Int64Range(-300, 300).Draw(t, "from")
			to := from + rapid.SampledFrom([]int64{0, 1, 1, 1, 24, 100}).Draw(t, "length")
			sets[k].mark(from, to)
			for h := from; h < to; h++ {
				maps[k][h] = true
			}
		}
		for k := range sets {
			if sets[k].len() != int64(len(maps[k])) {
				t.Fatalf("%d hours, want %d", sets[k].len(), len(maps[k]))
			}
		}
		hour, met := sets[0].meet(&sets[1])
		want, common := int64(0), false
		for h := range maps[0] {
			if maps[1][h] && (!common || h < want) {
				want, common = h, true
			}
		}
		if met != common || met && hour != want {
			t.Fatalf("meet at %d, %v; want %d, %v", hour, met, want, common)
		}
	})
}

// Buckets hold what a map holds, in whatever order hours come.
func TestBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b buckets
		used, covered := map[int64]int64{}, map[int64]int64{}
		for range rapid.IntRange(1, 20).Draw(t, "rows") {
			at, hours, cov := rapid.Int64Range(-40, 40).Draw(t, "hour"), rapid.Int64Range(-2, 5).Draw(t, "hours"), rapid.Bool().Draw(t, "covered")
			b.add(at, Units(hours), cov)
			used[at] += hours
			if cov {
				covered[at] += hours
			}
		}
		b.trim()
		if n := len(b.slot); n > 0 && (b.slot[0] == (slot{}) || b.slot[n-1] == (slot{})) {
			t.Fatal("empty slots at an end")
		}
		for at := int64(-41); at <= 41; at++ {
			var s slot
			if i := at - b.base; i >= 0 && i < int64(len(b.slot)) {
				s = b.slot[i]
			}
			if s.used != Units(used[at]) || s.covered != Units(covered[at]) {
				t.Fatalf("hour %d: %v, want %d and %d", at, s, used[at], covered[at])
			}
		}
	})
}

// Bills of different forms may follow one another and may be of different accounts;
// only usage counts as time.
func TestOverlap(t *testing.T) {
	type file struct {
		form, account string
		hours         []int
		reason        string
	}
	for _, c := range []struct {
		name  string
		files []file
		want  string
	}{
		{"one after the other", []file{{"a", "1", []int{0, 1}, ""}, {"b", "1", []int{2}, ""}}, ""},
		{"parts of one form", []file{{"a", "1", []int{0, 1}, ""}, {"a", "1", []int{1}, ""}}, ""},
		{"other accounts", []file{{"a", "1", []int{0}, ""}, {"b", "2", []int{0}, ""}}, ""},
		{"tax beside usage", []file{{"a", "1", []int{0}, ""}, {"b", "1", []int{0}, Tax}}, ""},
		{"other usage", []file{{"a", "1", []int{0, 70}, OtherUsage}, {"b", "1", []int{70}, OtherHours}}, "2024-03-02T20:00:00Z"},
		{"spot", []file{{"a", "1", []int{5}, Spot}, {"b", "1", []int{5}, ""}}, "2024-02-29T03:00:00Z"},
		{"the third", []file{{"a", "1", []int{0}, ""}, {"b", "1", []int{1}, ""}, {"c", "1", []int{1, 0}, ""}}, "2024-02-28T22:00:00Z"},
		{"the second of two accounts", []file{{"a", "1", []int{0}, ""}, {"a", "2", []int{3}, ""}, {"b", "2", []int{3}, ""}}, "2024-02-29T01:00:00Z"},
	} {
		var col Collector
		line := 0
		for i, f := range c.files {
			col.Begin(string(rune('a'+i)), f.form)
			for _, h := range f.hours {
				r := row(h, OnDemand, "1")
				if f.reason != "" {
					r.Charge, r.Reason = LeftOut, f.reason
				}
				line++
				r.Line, r.Account = line, f.account
				add(t, &col, r)
			}
		}
		_, err := col.Bill()
		if (err != nil) != (c.want != "") || err != nil && (!errors.Is(err, ErrRepeated) || !strings.Contains(err.Error(), " for "+c.want+": want bills that do not overlap")) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Currencies, of files and of contracts.
func TestCurrencies(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	none := row(0, OnDemand, "1")
	none.Currency = ""
	add(t, &c, none)
	c.Begin("b", "test")
	add(t, &c, row(1, OnDemand, "1"), row(2, OnDemand, "1"))
	c.Begin("c", "test")
	add(t, &c, row(3, OnDemand, "1"))
	c.Begin("d", "test")
	if err := c.AddContract(&Contract{Line: 4, ID: "x", Type: "savings plan", Spend: true, Cost: Units(1), Start: start, End: start.AddDate(0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	b := bill(t, &c)
	for i, want := range []string{"", "USD", "USD", "USD"} {
		if got := b.Files[i].Currency; got != want {
			t.Errorf("file %d has currency %q, want %q", i, got, want)
		}
	}
	if b.Currency != "USD" || b.Held[0].Unit != "" || b.Files[3].Contracts != 1 || b.Files[3].Classified().Rows != 1 {
		t.Errorf("%s, %+v, %+v", b.Currency, b.Held, b.Files[3])
	}
	for _, c := range []struct{ contracts, rows, want int64 }{{math.MaxInt64, 1, math.MaxInt64}, {1, math.MaxInt64, math.MaxInt64}, {1, math.MaxInt64 - 1, math.MaxInt64}, {math.MaxInt64, 0, math.MaxInt64}} {
		f := File{Contracts: c.contracts, Covered: Sum{Rows: c.rows}}
		if got := f.Classified().Rows; got != c.want {
			t.Errorf("%d contracts and %d rows: %d rows are classified, want %d", c.contracts, c.rows, got, c.want)
		}
	}
	var k Collector
	k.Begin("k.csv", "test")
	if err := k.AddContract(&Contract{Line: 9, ID: "x", Currency: "EUR", Start: start, End: start.AddDate(0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := k.Add(row(0, OnDemand, "1")); !errors.Is(err, ErrCurrency) || !strings.Contains(err.Error(), "want EUR as in k.csv, line 9") {
		t.Error(err)
	}
	if got := bill(t, &k).Files[0].Currency; got != "EUR" {
		t.Errorf("currency %q", got)
	}
}

// Quantities in two units are not added.
func TestTwoUnits(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	for h, unit := range []string{"", "Hours", "Normalized Hours", "Hours"} {
		r := row(h, Covered, "0")
		r.Commitment = Commitment{ID: "x", Unit: unit, Quantity: Units(1)}
		add(t, &c, r)
	}
	b := bill(t, &c)
	if h := b.Held[0]; h.Used != Units(3) || h.Unit != "Hours" || len(b.Notes) != 1 || b.Notes[0].Text != twoUnits || b.Notes[0].Line != 4 || h.Kinds[0].Hours != Units(4) {
		t.Errorf("%+v, %+v", h, b.Notes)
	}
}

// A bill spans ten years, and no hour more.
func TestSpan(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	first := row(0, OnDemand, "1")
	last := row(int(longest/time.Hour)-1, OnDemand, "1")
	add(t, &c, first, last)
	if err := c.Add(row(int(longest/time.Hour), OnDemand, "1")); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "the bill began at 2024-02-28T22:00:00Z") {
		t.Error(err)
	}
	if err := c.Add(row(-1, OnDemand, "1")); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
	b := bill(t, &c)
	if !b.Start.Equal(start) || b.End.Sub(b.Start) != longest {
		t.Errorf("%v to %v", b.Start, b.End)
	}
}

// Instances of slots before, within and after the demand, rounded each way.
func TestInstances(t *testing.T) {
	d := Demand{Slot: time.Hour, Start: start, Used: []Amount{Units(2), parse(t, "2.5"), parse(t, "3.5"), parse(t, "-1"), parse(t, "0.4")}}
	for _, c := range []struct {
		from int
		slot time.Duration
		n    int
		r    pricing.Rounding
		want []int
		neg  int
	}{
		{0, time.Hour, 5, pricing.HalfEven, []int{2, 2, 4, 0, 0}, 1},
		{0, time.Hour, 5, pricing.HalfUp, []int{2, 3, 4, 0, 0}, 1},
		{0, time.Hour, 5, pricing.Up, []int{2, 3, 4, 0, 1}, 1},
		{0, time.Hour, 5, pricing.Down, []int{2, 2, 3, 0, 0}, 1},
		{-2, time.Hour, 3, pricing.HalfEven, []int{0, 0, 2}, 0},
		{4, time.Hour, 3, pricing.Up, []int{1, 0, 0}, 0},
		{0, 2 * time.Hour, 3, pricing.HalfUp, []int{2, 1, 0}, 0}, // 4.5/2, 2.5/2, 0.4/2
		{0, 3 * time.Hour, 1, pricing.Up, []int{3}, 0},           // 8/3
		{0, time.Hour, 0, pricing.Up, nil, 0},
	} {
		got, neg := d.Instances(nil, start.Add(time.Duration(c.from)*time.Hour), c.slot, c.n, c.r)
		if !slices.Equal(got, c.want) || neg != c.neg {
			t.Errorf("%+v: %v, %d negative", c, got, neg)
		}
	}
	for _, slot := range []time.Duration{time.Minute, 90 * time.Minute, 0} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("slot of %v: no panic", slot)
				}
			}()
			d.Instances(nil, start, slot, 1, 0)
		}()
	}
	if got := (Kind{Provider: "aws", Type: "m5.large"}).String(); got != "aws m5.large" {
		t.Errorf("%q", got)
	}
	if got := (Kind{}).String(); got != "" {
		t.Errorf("%q", got)
	}
}
