package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

var (
	start = time.Date(2024, 2, 28, 22, 0, 0, 0, time.UTC)
	large = Kind{"aws", "eu-west-1", "m5.large", "linux", "shared", ""}
	small = Kind{"aws", "eu-west-1", "m5.small", "linux", "shared", ""}
	plan  = Commitment{ID: "sp-1", Name: "plan", Type: "Savings Plan", Spend: true, Unit: "USD"}
)

// row is a row of an hour, h hours after start.
func row(h int, charge Charge, billed string) *Row {
	a, _, err := Parse(billed)
	if err != nil {
		panic(err)
	}
	at := start.Add(time.Duration(h) * time.Hour)
	return &Row{Line: h + 2, Account: "1", Currency: "USD", Start: at, End: at.Add(time.Hour), Charge: charge, Billed: a, Effective: a, List: a, Kind: large, Hours: Units(1)}
}

func bill(t testing.TB, c *Collector) *Bill {
	t.Helper()
	b, err := c.Bill()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func add(t testing.TB, c *Collector, rows ...*Row) {
	t.Helper()
	for _, r := range rows {
		if err := c.Add(r); err != nil {
			t.Fatal(err)
		}
	}
}

// amounts compares amounts by what they print.
var amounts = cmp.Comparer(func(a, b Amount) bool { return a == b })

func TestCollector(t *testing.T) {
	var c Collector
	c.Begin("a.csv", "test")
	covered := row(1, Covered, "0")
	covered.Effective, covered.Commitment = parse(t, "0.06"), plan
	covered.Commitment.Quantity = parse(t, "0.06")
	unused := row(1, Unused, "0")
	unused.Effective, unused.Commitment, unused.Kind = parse(t, "0.04"), plan, Kind{Provider: "aws"}
	unused.Commitment.Quantity = parse(t, "0.04")
	tax := row(0, LeftOut, "1.9")
	tax.Reason = Tax
	half := row(0, OnDemand, "0.048")
	half.Hours = parse(t, "0.5")
	other := row(4, OnDemand, "0.02")
	other.Kind = small
	long := row(0, OnDemand, "7")
	long.End = long.Start.Add(40 * time.Hour)
	add(t, &c, row(0, OnDemand, "0.096"), half, covered, unused, tax, other, long)
	b := bill(t, &c)
	want := &Bill{
		Currency: "USD",
		Files: []File{{
			Name: "a.csv", Format: "test", Currency: "USD",
			Total:    Sum{7, parse(t, "9.064"), parse(t, "9.164"), parse(t, "9.064")},
			OnDemand: Sum{3, parse(t, "0.164"), parse(t, "0.164"), parse(t, "0.164")},
			Covered:  Sum{1, Amount{}, parse(t, "0.06"), Amount{}},
			Unused:   Sum{1, Amount{}, parse(t, "0.04"), Amount{}},
			Left: []Left{
				{Tax, Sum{1, parse(t, "1.9"), parse(t, "1.9"), parse(t, "1.9")}},
				{LongUsage, Sum{1, Units(7), Units(7), Units(7)}},
			},
		}},
		Start: start, End: start.Add(40 * time.Hour),
		Owners: map[string]Sum{"1": {4, parse(t, "0.164"), parse(t, "0.224"), parse(t, "0.164")}},
		Demand: []Demand{
			{Kind: large, Slot: time.Hour, Start: start, Used: []Amount{parse(t, "1.5"), Units(1)}, Covered: []Amount{{}, Units(1)},
				OnDemand: Sum{2, parse(t, "0.144"), parse(t, "0.144"), parse(t, "0.144")}, Committed: Sum{1, Amount{}, parse(t, "0.06"), Amount{}}, Paid: parse(t, "0.144")},
			{Kind: small, Slot: time.Hour, Start: start.Add(4 * time.Hour), Used: []Amount{Units(1)}, Covered: []Amount{{}},
				OnDemand: Sum{1, parse(t, "0.02"), parse(t, "0.02"), parse(t, "0.02")}, Paid: parse(t, "0.02")},
		},
		Held: []Held{{Provider: "aws", ID: "sp-1", Name: "plan", Type: "Savings Plan", Spend: true, Unit: "USD", Seen: start.Add(2 * time.Hour),
			PerHour: parse(t, "0.1"), Used: parse(t, "0.06"), Unused: parse(t, "0.04"), UsedCost: parse(t, "0.06"), UnusedCost: parse(t, "0.04"),
			Kinds: []KindHours{{large, Units(1), parse(t, "0.06")}}}},
		Months: []Month{{Start: time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC),
			OnDemand: Sum{3, parse(t, "0.164"), parse(t, "0.164"), parse(t, "0.164")}, Covered: Sum{1, Amount{}, parse(t, "0.06"), Amount{}},
			Unused: Sum{1, Amount{}, parse(t, "0.04"), Amount{}}, Left: Sum{2, parse(t, "8.9"), parse(t, "8.9"), parse(t, "8.9")}}},
	}
	if diff := cmp.Diff(want, b, amounts, cmpopts.IgnoreUnexported(Bill{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	add(t, &c, row(9, OnDemand, "1"))
	if len(b.Demand[0].Used) != 2 || len(bill(t, &c).Demand[0].Used) != 10 {
		t.Error("a bill changes with the next row, or does not have it")
	}
	if text, err := json.Marshal(b.Files[0].Left[0]); err != nil || string(text) != `{"Reason":"tax","Sum":{"Rows":1,"Billed":"1.9","Effective":"1.9","List":"1.9"}}` {
		t.Errorf("%s, %v", text, err)
	}
}

// Rows of a day make slots of a day, whatever the offset of their midnight.
func TestDays(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	day := func(d, offset int, hours int64) *Row {
		r := row(0, OnDemand, "1")
		r.Start = time.Date(2024, 3, d, 0, 0, 0, 0, time.FixedZone("", offset*3600))
		r.End, r.Hours = r.Start.Add(24*time.Hour), Units(hours)
		return r
	}
	add(t, &c, day(1, 0, 24), day(3, 2, 48), day(4, -5, 12))
	hour := row(0, Covered, "0")
	hour.Start, hour.Commitment = time.Date(2024, 3, 1, 23, 0, 0, 0, time.UTC), plan
	hour.End = hour.Start.Add(time.Hour)
	add(t, &c, hour)
	d := bill(t, &c).Demand[0]
	if d.Slot != 24*time.Hour || !d.Start.Equal(time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)) ||
		!slices.Equal(d.Used, []Amount{Units(25), {}, Units(48), Units(12)}) || !slices.Equal(d.Covered, []Amount{Units(1), {}, {}, {}}) {
		t.Errorf("%+v", d)
	}
	for r, want := range map[pricing.Rounding][]int{
		pricing.HalfEven: {0, 1, 0, 2, 0}, pricing.HalfUp: {0, 1, 0, 2, 1}, pricing.Up: {0, 2, 0, 2, 1}, pricing.Down: {0, 1, 0, 2, 0},
	} {
		if got, n := d.Instances(nil, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), 24*time.Hour, 5, r); !slices.Equal(got, want) || n != 0 {
			t.Errorf("by %v: %v, %d negative; want %v", r, got, n, want)
		}
	}
	if got, _ := d.Instances([]int{7}, d.Start, 96*time.Hour, 2, pricing.Up); !slices.Equal(got, []int{7, 1, 0}) {
		t.Errorf("slots of four days: %v", got)
	}
}

func TestNegativeHours(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	back := row(0, OnDemand, "-1")
	back.Hours = Units(-3)
	add(t, &c, back, row(1, OnDemand, "1"), row(2, OnDemand, "0"))
	d := bill(t, &c).Demand[0]
	if got, n := d.Instances(nil, d.Start, time.Hour, 3, pricing.HalfEven); !slices.Equal(got, []int{0, 1, 1}) || n != 1 {
		t.Errorf("%v, %d negative", got, n)
	}
}

func TestErrors(t *testing.T) {
	begun := func() *Collector {
		c := new(Collector)
		c.Begin("a.csv", "test")
		add(t, c, row(0, OnDemand, "1"))
		return c
	}
	add := func(f func(r *Row)) error {
		r := row(1, OnDemand, "1")
		f(r)
		return begun().Add(r)
	}
	twice := begun()
	twice.Begin("b.csv", "other")
	if err := twice.Add(row(0, OnDemand, "1")); err != nil {
		t.Fatal(err)
	}
	_, overlap := twice.Bill()
	_, none := new(Collector).Bill()
	empty := new(Collector)
	empty.Begin("a.csv", "test")
	_, noRows := empty.Bill()
	for _, c := range []struct {
		err  error
		want error
		text string
	}{
		{add(func(r *Row) { r.Currency = "EUR" }), ErrCurrency, "usage: line 3 (currency): mixed currencies: EUR: want USD as in a.csv, line 2: convert the bill or give one bill for each currency"},
		{add(func(r *Row) { r.End = r.Start.Add(-1) }), ErrRange, "want an end after the start"},
		{add(func(r *Row) { r.Start = r.Start.AddDate(11, 0, 0); r.End = r.Start }), ErrRange, "want at most 10 years in one bill"},
		{begun().AddContract(&Contract{Currency: "EUR"}), ErrCurrency, "EUR: want USD as in a.csv, line 2"},
		{begun().AddContract(&Contract{}), ErrRange, "want an end after the start"},
		{overlap, ErrRepeated, `usage: files[1]: counted twice: b.csv (other) and a.csv (test) both charge account "1" for 2024-02-28T22:00:00Z: want bills that do not overlap`},
		{none, ErrMissing, "usage: files: missing: no file: want a bill"},
		{noRows, ErrMissing, "a.csv has a header and no rows: want a bill"},
	} {
		var in *pricing.InputError
		if !errors.Is(c.err, c.want) || !errors.As(c.err, &in) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("got  %v\nwant %v: %s", c.err, c.want, c.text)
		}
	}
	for name, f := range map[string]func(){
		"Add":         func() { new(Collector).Add(row(0, OnDemand, "1")) },
		"AddContract": func() { new(Collector).AddContract(&Contract{}) },
		"no kind":     func() { r := row(0, OnDemand, "1"); r.Kind = Kind{}; begun().Add(r) },
		"slot":        func() { (&Demand{Slot: time.Hour}).Instances(nil, start, time.Minute, 1, 0) },
		"units":       func() { Units(most + 1) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "usage: ") {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			f()
		}()
	}
}

// A line that is there twice is refused where it is, or counted if that is wanted.
func TestRepeats(t *testing.T) {
	raw := func(line int, text string) *Row {
		r := row(line, LeftOut, "1")
		r.Line, r.Raw = line, []byte(text)
		return r
	}
	var c Collector
	c.Begin("a.csv", "test")
	add(t, &c, raw(2, "x,1"), raw(3, "x,2"))
	err := c.Add(raw(4, "x,1"))
	if !errors.Is(err, ErrRepeated) || !strings.Contains(err.Error(), "line 4: counted twice: the row is the same as a.csv, line 2: want each row once, or the option") {
		t.Error(err)
	}
	c.Begin("b.csv", "test")
	if err := c.Add(raw(7, "x,2")); !errors.Is(err, ErrRepeated) || !strings.Contains(err.Error(), "the row is a.csv, line 3, too: want bills that do not overlap") {
		t.Error(err)
	}
	if got := c.files[0].Total.Rows + c.files[1].Total.Rows; got != 2 {
		t.Errorf("%d rows after two that were refused", got)
	}
	c.KeepRepeats = true
	add(t, &c, raw(7, "x,2"))
}

// Each is called with each row that is counted, after the row was counted, and with no other.
func TestEach(t *testing.T) {
	var c Collector
	var got []string
	c.Each = func(r *Row) {
		got = append(got, fmt.Sprint(r.Line, " ", r.Charge, " of ", c.files[0].Total.Rows))
	}
	c.Begin("a.csv", "test")
	late, back := row(5, LeftOut, "2"), row(1, OnDemand, "3")
	late.Reason, back.End = Tax, back.Start.Add(-time.Hour)
	add(t, &c, row(0, OnDemand, "1"), late)
	if err := c.Add(back); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
	if want := []string{fmt.Sprint("2 ", OnDemand, " of 1"), fmt.Sprint("7 ", LeftOut, " of 2")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// All repetitions of a small bill are found, and of a large bill enough; the memory
// is bounded.
func TestSeen(t *testing.T) {
	var s seen
	line := func(i int) uint64 {
		return hashOf([]byte("2024-09-18 22:00:00,Usage,i-0b3b3095474a3772a,0.0464," + strconv.Itoa(i)))
	}
	const all = 3 * mostSeen
	for i := range all {
		if e, found := s.add(line(i), 0, uint32(i+1)); found {
			t.Fatalf("line %d is taken for line %d", i, e.line)
		}
	}
	if s.n > mostSeen || len(s.slots) > 2*mostSeen || s.n < mostSeen/4 {
		t.Errorf("%d of %d lines in %d slots", s.n, all, len(s.slots))
	}
	found := 0
	for i := range all {
		if e, again := s.add(line(i), 1, 1); again && e.line == uint32(i+1) && e.file == 0 {
			found++
		}
	}
	if found < all/5 || found > all/3 {
		t.Errorf("%d of %d repetitions found, want a quarter", found, all)
	}
	// Each bit of a line changes about half of the bits of its hash.
	text := []byte("2024-09-18 22:00:00,Usage,i-0b3b3095474a3772a,0.0464")
	h := hashOf(text)
	for i := range 8 * len(text) {
		text[i/8] ^= 1 << (i % 8)
		if n := bits.OnesCount64(h ^ hashOf(text)); n < 10 || n > 54 {
			t.Errorf("bit %d changes %d bits", i, n)
		}
		text[i/8] ^= 1 << (i % 8)
	}
	for i := range 20 {
		if hashOf(make([]byte, i)) == hashOf(make([]byte, i+1)) {
			t.Errorf("%d zeros have the hash of one more", i)
		}
	}
}

// Kinds, commitments, months and reasons come out in order, whatever the order of rows.
func TestOrder(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	line := 1
	put := func(month time.Month, charge Charge, kind Kind, id, reason string) {
		line++
		r := row(0, charge, "1")
		r.Line, r.Start = line, time.Date(2024, month, 3, 0, 0, 0, 0, time.UTC)
		r.End = r.Start.Add(time.Hour)
		r.Kind, r.Commitment.ID, r.Reason = kind, id, reason
		add(t, &c, r)
	}
	kinds := []Kind{{"b", "a", "a", "", "", ""}, {"a", "b", "a", "", "", ""}, {"a", "a", "b", "", "", ""}, {"a", "a", "a", "b", "", ""}, {"a", "a", "a", "a", "b", ""}, {"a", "a", "a", "a", "a", ""}, {"a", "a", "a", "", "", ""}}
	for i, k := range kinds {
		put(time.Month(12-i), Covered, k, string(rune('z'-i)), "")
		put(time.Month(12-i), LeftOut, k, "", string(rune('z'-i)))
		put(time.Month(12-i), LeftOut, k, "", Tax)
	}
	b := bill(t, &c)
	for i := 1; i < len(kinds); i++ {
		if b.Demand[i-1].Kind.compare(b.Demand[i].Kind) >= 0 {
			t.Errorf("%v before %v", b.Demand[i-1].Kind, b.Demand[i].Kind)
		}
		if h, g := b.Held[i-1], b.Held[i]; h.Provider > g.Provider || h.Provider == g.Provider && h.ID >= g.ID {
			t.Errorf("%v before %v", h, g)
		}
		if m := b.Months[i-1]; !m.Start.Before(b.Months[i].Start) || m.Covered.Rows != 1 || m.Left.Rows != 2 || m.Start.Day() != 1 {
			t.Errorf("month %+v", m)
		}
	}
	if l := b.Files[0].Left; len(l) != 8 || l[0] != (Left{Tax, Sum{7, Units(7), Units(7), Units(7)}}) || l[1].Reason != "t" || l[7].Reason != "z" {
		t.Errorf("left out: %+v", l)
	}
	if len(b.Demand) != 7 || len(b.Months) != 7 || len(b.Held) != 7 {
		t.Errorf("%d kinds, %d months, %d commitments", len(b.Demand), len(b.Months), len(b.Held))
	}
}

// Times and names of a commitment are those of the first row that has them.
func TestCommitmentWords(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	bare, full, late := row(0, Covered, "0"), row(1, Covered, "0"), row(2, Unused, "0")
	bare.Commitment = Commitment{ID: "x"}
	full.Commitment = Commitment{ID: "x", Name: "name", Type: "type", Region: "r", Unit: "u", Spend: true, Start: start, End: start.AddDate(1, 0, 0)}
	late.Commitment = Commitment{ID: "x", Name: "other", Start: start.AddDate(0, 0, 1), End: start.AddDate(2, 0, 0)}
	late.End = late.Start.AddDate(0, 3, 0) // too long to be marked by the hour
	buy := row(3, Purchase, "5")
	buy.Commitment = Commitment{ID: "x", Quantity: Units(6), Unused: Units(2)}
	buy.Kind = Kind{}
	buy.Kind.Provider = "aws"
	again := row(4, Purchase, "5")
	again.Commitment = Commitment{ID: "x", Quantity: Units(6), Unused: Units(1)}
	add(t, &c, bare, full, late, buy, again)
	h := bill(t, &c).Held[0]
	want := Held{Provider: "aws", ID: "x", Name: "name", Type: "type", Region: "r", Unit: "u", Spend: true, Start: start, End: start.AddDate(1, 0, 0), Seen: late.End,
		Kind: large, PerHour: Units(6), Unused: Units(3), UnusedCost: Units(10), Paid: Units(10), Kinds: []KindHours{{Kind: large, Hours: Units(2)}}}
	if diff := cmp.Diff(want, h, amounts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The size and the end of a commitment, from purchases, from use and from contracts.
func TestHeld(t *testing.T) {
	const year = 8760 * time.Hour
	buy := func(h int, quantity string, once bool) *Row {
		r := row(h, Purchase, quantity)
		r.Effective, r.Kind, r.Commitment = Amount{}, Kind{Provider: "aws"}, plan
		r.Commitment.Quantity, r.Commitment.Once = parse(t, quantity), once
		return r
	}
	for _, c := range []struct {
		name       string
		rows       []*Row
		contract   *Contract
		perHour    string
		start, end time.Time
	}{
		{"each hour", []*Row{buy(0, "0.5", false), buy(1, "0.5", false), buy(5, "0.5", false)}, nil, "0.5", time.Time{}, time.Time{}},
		{"all upfront", func() []*Row {
			r := buy(0, "8760", true)
			r.End = r.Start.Add(year)
			return []*Row{r}
		}(), nil, "1", start, start.Add(year)},
		{"half upfront", func() []*Row {
			r := buy(0, "4380", true)
			r.End = r.Start.Add(year)
			return []*Row{r, buy(0, "0.5", false), buy(1, "0.5", false)}
		}(), nil, "1", start, start.Add(year)},
		{"upfront in an hour, and use", func() []*Row {
			u := row(3, Unused, "0")
			u.Commitment = plan
			u.Commitment.Quantity = Units(2)
			return []*Row{buy(0, "17520", true), u}
		}(), nil, "2", time.Time{}, time.Time{}},
		{"each hour, and a contract", []*Row{buy(0, "0.5", false)}, &Contract{ID: "sp-1", Spend: true, Cost: parse(t, "1121.84064"), Start: start, End: start.Add(year)}, "0.5", start, start.Add(year)},
		{"use, and a contract", func() []*Row {
			u := row(3, Unused, "0")
			u.Commitment = plan
			u.Commitment.Quantity = parse(t, "0.1")
			return []*Row{u}
		}(), &Contract{ID: "sp-1", Spend: true, Cost: parse(t, "1121.84064"), Start: start, End: start.Add(year)}, "0.128064", start, start.Add(year)},
	} {
		var col Collector
		col.Begin("a", "test")
		add(t, &col, c.rows...)
		if c.contract != nil {
			if err := col.AddContract(c.contract); err != nil {
				t.Fatal(err)
			}
		}
		b := bill(t, &col)
		if len(b.Held) != 1 || b.Held[0].PerHour.String() != c.perHour || !b.Held[0].Start.Equal(c.start) || !b.Held[0].End.Equal(c.end) {
			t.Errorf("%s: %+v", c.name, b.Held)
		}
		if total, classified := b.Files[0].Total, b.Files[0].Classified(); total != classified {
			t.Errorf("%s: total %+v, classified %+v", c.name, total, classified)
		}
	}
	// Contracts without rows: reservations are held, agreements are not.
	var col Collector
	col.Begin("a", "test")
	for _, k := range []Contract{
		{ID: "r", Type: "Reserved Instance", Quantity: Units(35040), Unit: "Hours", Cost: Units(2243), Start: start, End: start.Add(year)},
		{ID: "m", Type: "Minimum Spend", Spend: true, Cost: Units(120000), Start: start, End: start.Add(year)},
		{ID: "s", Type: "Savings Plan", Spend: true, Cost: Units(8760), Currency: "USD", Start: start, End: start.Add(year)},
	} {
		if err := col.AddContract(&k); err != nil {
			t.Fatal(err)
		}
	}
	b := bill(t, &col)
	if len(b.Held) != 2 || b.Held[0].PerHour != Units(4) || b.Held[1].PerHour != Units(1) || b.Held[1].Unit != "USD" || len(b.Agreements) != 1 || b.Agreements[0].ID != "m" {
		t.Errorf("%+v, %+v", b.Held, b.Agreements)
	}
}

func TestNotes(t *testing.T) {
	var c Collector
	c.Begin("a.csv", "test")
	zero := func(h int, billed string) *Row {
		r := row(h, LeftOut, billed)
		r.Effective, r.Reason = Amount{}, OtherUsage
		return r
	}
	differ := row(2, OnDemand, "1.14")
	differ.Effective = Units(1)
	nameless := row(3, Unused, "0")
	none := row(4, OnDemand, "1")
	none.Currency = ""
	fee := zero(5, "9")
	fee.Reason = OtherFee // an annual fee is spread by the cloud
	add(t, &c, zero(0, "0.25"), zero(1, "0.5"), differ, nameless, none, fee)
	want := []Note{
		{"a.csv", 2, notEffective, 2, parse(t, "0.75")},
		{"a.csv", 4, otherEffective, 1, parse(t, "1.14")},
		{"a.csv", 5, noCommitment, 1, Amount{}},
		{"a.csv", 6, notCurrency, 1, Units(1)},
	}
	if diff := cmp.Diff(want, bill(t, &c).Notes, amounts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever the rows, all of their money is somewhere: in total and by month; and
// the hours of demand are those of the rows that are demand.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Collector
		var total Sum
		var used, covered Amount
		for file := range rapid.IntRange(1, 2).Draw(t, "files") {
			c.Begin(fmt.Sprint(file), "test")
			for range rapid.IntRange(1, 30).Draw(t, "rows") {
				money := func(name string) Amount {
					a, _, _ := Parse(rapid.StringMatching(`-?[0-9]{1,3}\.[0-9]{0,18}`).Draw(t, name))
					return a
				}
				r := row(rapid.IntRange(-2000, 2000).Draw(t, "hour"), Charge(rapid.IntRange(0, 4).Draw(t, "charge")), "0")
				r.Line = 1
				r.Billed, r.Effective, r.List = money("billed"), money("effective"), money("list")
				r.Hours = Units(rapid.Int64Range(-2, 50).Draw(t, "hours"))
				r.Reason = rapid.SampledFrom([]string{Tax, Credit, OtherUsage}).Draw(t, "reason")
				r.Kind = rapid.SampledFrom([]Kind{large, small}).Draw(t, "kind")
				r.End = r.Start.Add(rapid.SampledFrom([]time.Duration{0, time.Minute, time.Hour, 5 * time.Hour, 24 * time.Hour}).Draw(t, "length"))
				r.Commitment = plan
				if err := c.Add(r); err != nil {
					t.Fatal(err)
				}
				total.add(&Sum{1, r.Billed, r.Effective, r.List})
				back := r.Charge == OnDemand && r.Hours.Sign() > 0 && r.Billed.Sign() < 0 // a correction
				if (r.Charge == OnDemand || r.Charge == Covered) && !back {
					used = used.Plus(r.Hours)
					if r.Charge == Covered {
						covered = covered.Plus(r.Hours)
					}
				}
			}
		}
		b, err := c.Bill()
		if err != nil {
			t.Fatal(err)
		}
		var files, parts, months Sum
		for i := range b.Files {
			f := &b.Files[i]
			files.add(&f.Total)
			classified := f.Classified()
			parts.add(&classified)
			for _, l := range f.Left {
				parts.add(&l.Sum)
			}
		}
		for i := range b.Months {
			m := &b.Months[i]
			for _, s := range []*Sum{&m.OnDemand, &m.Covered, &m.Unused, &m.Purchases, &m.Left} {
				months.add(s)
			}
		}
		if files != total || parts != total || months != total {
			t.Fatalf("rows %+v, files %+v, parts %+v, months %+v", total, files, parts, months)
		}
		for _, d := range b.Demand {
			u, v := d.Hours()
			used, covered = used.Minus(u), covered.Minus(v)
			for _, within := range [][2]int{{0, 0}, {0, 24}, {8, 20}, {22, 3}} {
				h := d.Hourly(within[0], within[1])
				if x, y := h.Hours(); x != u || y != v || h.Slot != time.Hour {
					t.Fatalf("within %v: %v hours of %v, %v covered of %v", within, x, u, y, v)
				}
			}
		}
		if used != (Amount{}) || covered != (Amount{}) {
			t.Fatalf("%v hours missing, %v covered", used, covered)
		}
	})
}

func TestCollectorAllocs(t *testing.T) {
	var c Collector
	c.Begin("a", "test")
	rows := []*Row{row(0, OnDemand, "1"), row(1, Covered, "0"), row(2, LeftOut, "1"), row(3, Purchase, "1")}
	rows[1].Commitment, rows[3].Commitment, rows[2].Reason = plan, plan, Tax
	run := func() { add(t, &c, rows...) }
	run()
	if n := allocs.Once(run); n != 0 {
		t.Errorf("%v allocations for rows like those before", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	var c Collector
	c.Begin("a", "test")
	r := row(0, OnDemand, "1")
	raw := make([]byte, 600)
	r.Raw = raw
	for i := 0; b.Loop(); i++ {
		raw[i%600]++
		raw[(i+1)%600] += byte(i >> 8)
		r.Start = start.Add(time.Duration(i%8760) * time.Hour)
		r.End = r.Start.Add(time.Hour)
		c.KeepRepeats = true
		if err := c.Add(r); err != nil {
			b.Fatal(err)
		}
	}
}
