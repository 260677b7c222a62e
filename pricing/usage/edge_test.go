package usage

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Numbers of many digits are exact or said not to be, wherever the digits that count begin and
// end: math/big is the reference.
func TestParseLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	one := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil))
	inexact, tooMuch := 0, 0
	for range 4000 {
		digits := func(n int) string {
			var b strings.Builder
			for range n {
				b.WriteByte("0001234567899"[rng.IntN(13)])
			}
			return b.String()
		}
		s := digits(1+rng.IntN(20)) + "." + digits(1+rng.IntN(50))
		if rng.IntN(3) == 0 {
			s += fmt.Sprintf("e%d", rng.IntN(40)-20)
		}
		want, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatal(s)
		}
		a, exact, err := Parse([]byte(s))
		if err != nil {
			if want.Cmp(new(big.Rat).SetInt(big.NewInt(most))) <= 0 {
				t.Errorf("%s: %v", s, err)
			}
			tooMuch++
			continue
		}
		got, _ := new(big.Rat).SetString(a.String())
		same := got.Cmp(want) == 0
		if exact && !same {
			t.Errorf("%s: %v is said to be exact", s, a)
		}
		if !same {
			inexact++
			if off := new(big.Rat).Sub(got, want); off.Abs(off).Mul(off, one).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Errorf("%s: %v", s, a)
			}
		}
	}
	if inexact < 100 || tooMuch < 20 {
		t.Errorf("%d inexact, %d too much", inexact, tooMuch)
	}
	for s, want := range map[string]bool{"0." + strings.Repeat("1", 36): false, "123456789012." + strings.Repeat("0", 60): true, "123456789012." + strings.Repeat("0", 40) + "1": false, "123456789012." + strings.Repeat("0", 40) + "10": false} {
		if _, exact, err := Parse([]byte(s)); err != nil || exact != want {
			t.Errorf("%s: exact %v, %v", s, exact, err)
		}
	}
	if a := amountOf(t, "7"); a.Scale(5, 5) != a || a.Scale(0, 0) != a {
		t.Error("a share of all is not all")
	}
}

func amountOf(t *testing.T, s string) Amount {
	t.Helper()
	a, _, err := Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Whole numbers of hours: what no int holds is no number.
func TestWholeEdges(t *testing.T) {
	million := amountOf(t, "1000000000000") // a million millions
	below, above := million.Scale(9_223_372, 1), million.Scale(9_223_373, 1)
	if n, ok := below.whole(1, pricing.Down); math.MaxInt > math.MaxInt32 && (!ok || int64(n) != 9_223_372e12) {
		t.Errorf("%v is %d, %v", below, n, ok)
	}
	if n, ok := above.whole(1, pricing.Down); ok {
		t.Errorf("%v, which no int holds, is %d", above, n)
	}
	if n, ok := above.whole(1<<40, pricing.Down); !ok || n != 8_388_608 {
		t.Errorf("a part of it is %d, %v", n, ok)
	}
}

// Times at midnight and with decimals.
func TestTimeEdges(t *testing.T) {
	for s, want := range map[string]string{
		"2024-09-18T24:00:00Z":            "2024-09-19T00:00:00Z",
		"2024-09-18T24:00:00.0Z":          "2024-09-19T00:00:00Z",
		"2024-09-18T24:00:00.000000001Z":  "",
		"2024-09-18T24:00:01Z":            "",
		"2024-09-18T24:01Z":               "",
		"2024-09-18T22:00:00.5Z":          "2024-09-18T22:00:00.5Z",
		"2024-09-18T22:00:00.05Z":         "2024-09-18T22:00:00.05Z",
		"2024-09-18T22:00:00.1234567899Z": "2024-09-18T22:00:00.123456789Z",
		"2024-09-18T22:00:00.Z":           "",
	} {
		got, err := ParseTime([]byte(s))
		if (err == nil) != (want != "") || err == nil && got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %v, %v, want %s", s, got, err, want)
		}
	}
}

// Hours in any order make the demand of a map, and memory that grows with the span.
func TestBucketsInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	one := amountOf(t, "1")
	for range 200 {
		var b buckets
		want := map[int64]slot{}
		least, most := int64(math.MaxInt64), int64(math.MinInt64)
		for range 1 + rng.IntN(40) {
			at := int64(rng.IntN(100) - 50)
			covered := rng.IntN(2) == 0
			b.add(at, one, covered)
			w := want[at]
			w.used = w.used.Plus(one)
			if covered {
				w.covered = w.covered.Plus(one)
			}
			want[at] = w
			least, most = min(least, at), max(most, at)
		}
		if n := int64(len(b.slot)); n > 2*(most-least+1) {
			t.Fatalf("%d slots for hours from %d to %d", n, least, most)
		}
		b.trim()
		if b.base != least || b.base+int64(len(b.slot)) != most+1 {
			t.Fatalf("from %d, %d slots: want %d to %d", b.base, len(b.slot), least, most)
		}
		for i, v := range b.slot {
			if v != want[b.base+int64(i)] {
				t.Fatalf("hour %d: %+v", b.base+int64(i), v)
			}
		}
	}
}

// A product that is a multiple of 2¹²⁸ is far too large, and not 0.
func TestParseWraps(t *testing.T) {
	for _, s := range []string{"1298074214633706907132624082305024e18", "-1298074214633706907132624082305024e18"} { // 2¹¹⁰
		if a, _, err := Parse([]byte(s)); err == nil {
			t.Errorf("%s is %v", s, a)
		}
	}
}

// Commitments by what their rows say, in any order: until when they are seen, what a purchase does
// not use, the longest row that counts for an hour's commitment, and the cost of a contract.
func TestHeldByRows(t *testing.T) {
	use := func(h, hours int, charge Charge, quantity string) *Row {
		r := row(h, charge, "0")
		r.End = r.Start.Add(time.Duration(hours) * time.Hour)
		r.Commitment = plan
		r.Commitment.Quantity = parse(t, quantity)
		return r
	}
	const year = 8760 * time.Hour
	bought := use(0, 8760, Purchase, "8760")
	bought.Commitment.Once = true
	idle := use(2, 1, Purchase, "1")
	idle.Commitment.Unused, idle.Effective = Units(3), Units(2)
	dated := use(4, 2, Unused, "6")
	dated.Commitment.Start, dated.Commitment.End = start, start.Add(year)
	both := &Contract{ID: "sp-1", Spend: true, Quantity: Units(5), Cost: Units(8760), Start: start, End: start.Add(year)}
	for _, c := range []struct {
		name           string
		rows           []*Row
		contract       *Contract
		seen           int // hours after start
		perHour        string
		unused, unpaid string
	}{
		{"rows in order", []*Row{use(1, 1, Unused, "2"), use(5, 1, Unused, "2")}, nil, 6, "2", "4", "0"},
		{"rows out of order", []*Row{use(5, 1, Unused, "2"), use(1, 1, Unused, "2")}, nil, 6, "2", "4", "0"},
		{"a purchase says nothing of use", []*Row{use(1, 1, Unused, "1"), bought}, nil, 2, "1", "1", "0"},
		{"a purchase of an hour does", []*Row{use(1, 1, Unused, "1"), use(2, 1, Purchase, "1")}, nil, 3, "1", "1", "0"},
		{"unused by a purchase", []*Row{idle}, nil, 3, "1", "3", "2"},
		{"a row of 32 days", []*Row{use(0, 32*24, Unused, "768")}, nil, 32 * 24, "1", "768", "0"},
		{"a longer row", []*Row{use(0, 32*24+1, Unused, "769")}, nil, 32*24 + 1, "0", "769", "0"},
		{"a month bought at once", []*Row{use(0, 32*24, Purchase, "768")}, nil, 32 * 24, "1", "0", "0"},
		{"more than a month bought", []*Row{use(0, 32*24+1, Purchase, "769")}, nil, -1, "0", "0", "0"},
		{"use", []*Row{use(1, 1, Covered, "2"), use(5, 1, Covered, "4"), use(5, 1, Unused, "0")}, nil, 6, "4", "0", "0"},
		{"use of more than a month", []*Row{use(0, 32*24+1, Covered, "769")}, nil, 32*24 + 1, "0", "0", "0"},
		{"a contract of half an hour", []*Row{use(1, 1, Unused, "1")}, &Contract{ID: "sp-1", Spend: true, Cost: Units(7), Start: start, End: start.Add(30 * time.Minute)}, 2, "1", "1", "0"},
		{"use with dates", []*Row{dated}, nil, 6, "3", "6", "0"},
		{"a contract of money counts by its cost", []*Row{use(1, 1, Unused, "1")}, both, 2, "1", "1", "0"},
	} {
		var col Collector
		col.Begin("a", "test")
		add(t, &col, c.rows...)
		if c.contract != nil {
			if err := col.AddContract(c.contract); err != nil {
				t.Fatal(err)
			}
		}
		held := bill(t, &col).Held
		seen := start.Add(time.Duration(c.seen) * time.Hour)
		if c.seen < 0 {
			seen = time.Time{}
		}
		if h := held[0]; len(held) != 1 || !h.Seen.Equal(seen) || h.PerHour.String() != c.perHour || h.Unused.String() != c.unused || h.UnusedCost.String() != c.unpaid {
			t.Errorf("%s: seen %v, %v an hour, %v unused for %v; want %v, %s, %s, %s", c.name, h.Seen, h.PerHour, h.Unused, h.UnusedCost, seen, c.perHour, c.unused, c.unpaid)
		}
	}
}

// A kind is listed if a row of up to a day says so, also one of no hours; its demand begins
// and ends with use; months of two years are two.
func TestDemandAtItsEnds(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	none, last, long, late := row(0, OnDemand, "1"), row(5, Covered, "0"), row(1, OnDemand, "7"), row(366*24, OnDemand, "1")
	none.Hours, last.Hours = Amount{}, Amount{}
	long.End, long.Kind = long.Start.Add(30*time.Hour), small
	add(t, &c, none, row(2, OnDemand, "1"), row(3, OnDemand, "1"), last, long)
	b := bill(t, &c)
	if len(b.Demand) != 1 || len(b.Demand[0].Used) != 2 || !b.Demand[0].Start.Equal(start.Add(2*time.Hour)) {
		t.Errorf("%+v", b.Demand)
	}
	var d Collector
	d.Begin("a", "test")
	add(t, &d, none, last, late)
	if b = bill(t, &d); len(b.Demand) != 1 || len(b.Months) != 2 || b.Months[0].OnDemand.Rows+b.Months[0].Covered.Rows != 2 {
		t.Errorf("%+v, %+v", b.Demand, b.Months)
	}
	var e Collector
	e.Begin("a", "test")
	none2, last2 := *none, *last
	add(t, &e, &none2, &last2)
	if b = bill(t, &e); len(b.Demand) != 1 || len(b.Demand[0].Used) != 0 {
		t.Errorf("a kind of no hours: %+v", b.Demand)
	}
}

// Each bit of a line changes half of the bits of its hash, in the mean and for each bit of the
// hash.
func TestHashMixes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1)) // seed 4, 1
	changed, lines := [64]int{}, 0
	for range 200 {
		text := make([]byte, rng.IntN(40)+1)
		for i := range text {
			text[i] = byte(' ' + rng.IntN(95))
		}
		h := hashOf(text)
		for i := range 8 * len(text) {
			text[i/8] ^= 1 << (i % 8)
			g := h ^ hashOf(text)
			text[i/8] ^= 1 << (i % 8)
			for b := range changed {
				changed[b] += int(g >> b & 1)
			}
			lines++
		}
	}
	for b, n := range changed {
		if share := float64(n) / float64(lines); share < .46 || share > .54 {
			t.Errorf("bit %d of the hash changes in %.3f of %d changes", b, share, lines)
		}
	}
}

// What a commitment covered: the most hours first, of equal hours by kind, whatever the order of rows.
func TestKindsOfHeld(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2)) // seed 4, 2
	for range 20 {
		var c Collector
		c.Begin("a", "test")
		for _, i := range rng.Perm(9) {
			r := row(i, Covered, "0")
			r.Commitment, r.Kind.Type, r.Hours = plan, fmt.Sprintf("m5.%dlarge", i), Units(int64(i/2))
			r.Commitment.Quantity = Units(1)
			add(t, &c, r)
		}
		var got []string
		for _, k := range bill(t, &c).Held[0].Kinds {
			got = append(got, fmt.Sprint(k.Kind.Type, " ", k.Hours))
		}
		if want := "m5.8large 4, m5.6large 3, m5.7large 3, m5.4large 2, m5.5large 2, m5.2large 1, m5.3large 1"; strings.Join(got, ", ") != want {
			t.Fatalf("%v, want %s", got, want)
		}
	}
}

// A demand that no collector made, and more slots than anybody has.
func TestInstancesOfAnyDemand(t *testing.T) {
	start := time.Unix(0, 0).UTC()
	hours := Demand{Slot: time.Hour, Start: start, Used: []Amount{Units(1), Units(2)}}
	if used, covered := hours.Hours(); used != Units(3) || covered != (Amount{}) {
		t.Errorf("%v used, %v covered", used, covered)
	}
	// A slot of 200 years: 3 instance-hours are no instance. It does not take the time of its hours.
	if got, negative := hours.Instances(nil, start, 200*365*24*time.Hour, 1, pricing.HalfEven); negative != 0 || len(got) != 1 || got[0] != 0 {
		t.Errorf("in 200 years: %v, %d negative", got, negative)
	}
	if got, _ := hours.Instances(nil, start.Add(-time.Hour), time.Hour, 4, pricing.HalfEven); len(got) != 4 || got[0] != 0 || got[1] != 1 || got[2] != 2 || got[3] != 0 {
		t.Errorf("by the hour: %v, want 0 1 2 0", got)
	}
	if got, _ := hours.Instances(nil, start, 2*time.Hour, 1, pricing.Up); len(got) != 1 || got[0] != 2 {
		t.Errorf("two hours: %v, want 2", got)
	}
	for name, f := range map[string]func(){
		"zero":     func() { new(Demand).Instances(nil, start, time.Hour, 1, 0) },
		"minutes":  func() { (&Demand{Slot: time.Minute}).Instances(nil, start, time.Hour, 1, 0) },
		"too many": func() { hours.Instances(nil, start, time.Hour, maxSlots+1, 0) },
		"note":     func() { new(Collector).Note(1, "a fault", Amount{}) },
	} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "usage: ") {
					t.Errorf("%s: panic %q", name, m)
				}
			}()
			f()
		}()
	}
}
