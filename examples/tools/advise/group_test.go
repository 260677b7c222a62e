package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

var begin = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// kindOf is a kind of a bill of AWS.
func kindOf(size string) usage.Kind {
	return usage.Kind{Provider: "aws", Region: "eu-west-1", Type: size, System: "linux", Tenancy: "shared"}
}

// offerFor is an offer with one class, at a price.
func offerFor(size, family string, factor int, price pricing.Money) offers.Offer {
	return offers.Offer{Provider: "aws", Region: "eu-west-1", Kind: size, System: "linux", Tenancy: "shared", Currency: "USD", Family: family, Factor: factor,
		List: pricing.List{OnDemand: price, Classes: []pricing.Class{{Name: "1y", Term: 8760 * time.Hour, Upfront: 5000 * price,
			Hourly: price / 2, Billed: pricing.Always}}}}
}

// ten is a bill of ten hours with the rows that are added, those without a time in each hour.
func ten(t *testing.T, prices []offers.Offer, add func(row func(usage.Row))) *results {
	t.Helper()
	var c usage.Collector
	c.Begin("bill", "by hand")
	add(func(row usage.Row) {
		row.Account, row.Currency = "a", "USD"
		n := 1
		if row.Start.IsZero() {
			row.Start, n = begin, 10
		}
		for ; n > 0; n-- {
			row.End = row.Start.Add(time.Hour)
			if err := c.Add(&row); err != nil {
				t.Fatal(err)
			}
			row.Start = row.End
		}
	})
	bill, err := c.Bill()
	if err != nil {
		t.Fatal(err)
	}
	return &results{o: &options{}, bill: bill, prices: offers.Prices{Offers: prices}, start: begin, now: begin.Add(24 * time.Hour),
		slot: time.Hour, quality: bill.Quality(), matched: map[string]bool{}}
}

// steady is n instances of a kind on demand in all ten hours.
func steady(k usage.Kind, n int64) usage.Row {
	return usage.Row{Charge: usage.OnDemand, Kind: k, Hours: usage.Units(n), Billed: usage.Units(n), Effective: usage.Units(n)}
}

// By hand: three large and two xlarge of one family at proportional prices are 3 + 2·2 = 7
// units of a large. At other prices, without a family, or on other systems each size is
// planned alone, in instances.
func TestFamilies(t *testing.T) {
	large, xlarge := kindOf("m5.large"), kindOf("m5.xlarge")
	type planned struct {
		Name, Unit string
		Demand     int // in each hour
		Factors    []int
	}
	together := []planned{{"m5 family in eu-west-1, linux", "m5.large", 7, []int{1, 2}}}
	alone := []planned{{"m5.large in eu-west-1, linux", "instance", 3, []int{1}}, {"m5.xlarge in eu-west-1, linux", "instance", 2, []int{1}}}
	for name, c := range map[string]struct {
		change func(large, xlarge *offers.Offer)
		want   []planned
	}{
		"proportional":        {func(a, b *offers.Offer) {}, together},
		"dearer on demand":    {func(a, b *offers.Offer) { b.List.OnDemand += b.List.OnDemand / 50 }, alone},
		"dearer upfront":      {func(a, b *offers.Offer) { b.List.Classes[0].Upfront += b.List.Classes[0].Upfront / 50 }, alone},
		"dearer by the hour":  {func(a, b *offers.Offer) { b.List.Classes[0].Hourly += b.List.Classes[0].Hourly / 50 }, alone},
		"another name":        {func(a, b *offers.Offer) { b.List.Classes[0].Name = "one year" }, alone},
		"another term":        {func(a, b *offers.Offer) { b.List.Classes[0].Term *= 3 }, alone},
		"another way to bill": {func(a, b *offers.Offer) { b.List.Classes[0].Billed = pricing.WhenUsed }, alone},
		"one class more":      {func(a, b *offers.Offer) { b.List.Classes = append(b.List.Classes, b.List.Classes[0]) }, alone},
		"no family":           {func(a, b *offers.Offer) { a.Family, b.Family = "", "" }, alone},
		"another system":      {func(a, b *offers.Offer) { a.System, b.System = "", "" }, alone},
		"not so many units":   {func(a, b *offers.Offer) { b.Factor = 1200 }, alone},
		"no common unit":      {func(a, b *offers.Offer) { a.Factor, b.Factor = 600, 400 }, alone},
	} {
		a, b := offerFor("m5.large", "m5", 400, 100*pricing.Milli), offerFor("m5.xlarge", "m5", 800, 200*pricing.Milli)
		c.change(&a, &b)
		r := ten(t, []offers.Offer{a, b}, func(row func(usage.Row)) {
			row(steady(large, 3))
			row(steady(xlarge, 2))
		})
		if err := r.group(); err != nil {
			t.Fatal(name, err)
		}
		var got []planned
		for _, g := range r.groups {
			got = append(got, planned{g.name, g.unit, g.demand[0], g.factor})
			if len(g.demand) != 10 || slices.Max(g.demand) != g.demand[0] || slices.Min(g.demand) != g.demand[0] || len(g.offers) < 1 {
				t.Errorf("%s: %s: demand %v, %d offers", name, g.name, g.demand, len(g.offers))
			}
		}
		slices.SortFunc(got, func(a, b planned) int { return strings.Compare(a.Name, b.Name) })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A kind that is not planned is named, with the reason; the others are.
func TestNotPlanned(t *testing.T) {
	m5, c5, r5, t3 := kindOf("m5.large"), kindOf("c5.large"), kindOf("r5.large"), kindOf("t3.large")
	price := 100 * pricing.Milli
	bare, euro := offerFor("c5.large", "", 0, price), offerFor("r5.large", "", 0, price)
	bare.List.Classes, euro.Currency = nil, "EUR"
	r := ten(t, []offers.Offer{offerFor("M5.LARGE", "", 0, price), bare, euro}, func(row func(usage.Row)) {
		for _, k := range []usage.Kind{m5, c5, r5, t3} {
			k.System, k.Tenancy = "", "" // as a bill that does not say
			row(steady(k, 1))
		}
	})
	if err := r.group(); err != nil {
		t.Fatal(err)
	}
	if len(r.groups) != 1 || r.groups[0].kinds[0].Type != "m5.large" {
		t.Errorf("%d groups", len(r.groups))
	}
	want := map[string]string{"c5.large": "no reservation for the kind", "r5.large": "in EUR and the bill in USD", "t3.large": "no such kind"}
	for _, m := range r.missed {
		for size, why := range want {
			if strings.Contains(m.Kind, size) && strings.Contains(m.Why, why) && m.Hours == usage.Units(10) {
				delete(want, size)
			}
		}
	}
	if len(want) > 0 || len(r.missed) != 3 {
		t.Errorf("not planned: %+v, want %v, too", r.missed, want)
	}
	// A dedicated machine has other prices than a shared one.
	k := m5
	k.Tenancy = "dedicated"
	var prices usage.Catalog
	prices.Add(r.prices.Offers)
	if prices.Find(k) != nil || prices.Find(m5) == nil {
		t.Error("a dedicated machine is taken for a shared one")
	}
	if got := place(k); got != "m5.large in eu-west-1, linux, dedicated" {
		t.Errorf("place: %s", got)
	}
}

// A kind whose corrections exceed the use of an hour is not planned, and the answer says why.
func TestCorrections(t *testing.T) {
	k := kindOf("m5.large")
	r := ten(t, []offers.Offer{offerFor("m5.large", "", 0, pricing.Unit)}, func(row func(usage.Row)) {
		row(steady(k, 2))
		at := begin.Add(3 * time.Hour)
		row(usage.Row{Start: at, Charge: usage.OnDemand, Kind: k, Hours: usage.Units(-5)})
	})
	if err := r.group(); err != nil {
		t.Fatal(err)
	}
	want := []miss{{k.String(), "corrections exceed the use in 1 slots: want use of at least 0 in each slot", usage.Units(15), usage.Units(20)}}
	if !slices.Equal(want, r.missed) || len(r.groups) != 0 {
		t.Errorf("%+v, %d groups", r.missed, len(r.groups))
	}
}

// What is held of a bill of ten hours. By hand: a contract of 4 instances an hour holds 4 (of two
// kinds 4·50/30 units),
// or what it served in the mean where the bill does not say: 30 hours in ten are 3, and in
// the five since it began 6. Of a family an xlarge is two units. What the bill does not give
// an end is a note; what has ended by the day of the order does not count.
func TestHold(t *testing.T) {
	large, xlarge := kindOf("m5.large"), kindOf("m5.xlarge")
	later := begin.AddDate(1, 0, 0)
	per := func(h usage.Held) usage.Held {
		h.Unit, h.PerHour = "Hours", usage.Units(4)
		return h
	}
	served := func(k usage.Kind, hours int64) []usage.KindHours {
		return []usage.KindHours{{Kind: k, Hours: usage.Units(hours)}}
	}
	for name, c := range map[string]struct {
		held []usage.Held
		own  []ownContract
		want []advice.Contract
		note string
	}{
		"so many an hour": {held: []usage.Held{per(usage.Held{ID: "r", End: later, Kinds: served(large, 30)})},
			want: []advice.Contract{{Name: "r", Class: "held r", Units: 4, Expires: later}}},
		"so many xlarge": {held: []usage.Held{per(usage.Held{ID: "r", End: later, Kinds: served(xlarge, 30)})},
			want: []advice.Contract{{Name: "r", Class: "held r", Units: 8, Expires: later}}},
		"in the mean": {held: []usage.Held{{ID: "r", End: later, Kinds: served(large, 30)}}, want: []advice.Contract{{Name: "r",
			Class: "held r", Units: 3, Expires: later}}},
		"since it began": {held: []usage.Held{{ID: "r", Start: begin.Add(5 * time.Hour), End: later, Kinds: served(large, 30)}},
			want: []advice.Contract{{Name: "r", Class: "held r", Units: 6, Expires: later}}},
		"since before": {held: []usage.Held{{ID: "r", Start: begin.Add(-5 * time.Hour), End: later, Kinds: served(large, 30)}},
			want: []advice.Contract{{Name: "r", Class: "held r", Units: 3, Expires: later}}},
		"of two kinds": {held: []usage.Held{per(usage.Held{ID: "r", End: later, Kinds: append(served(large, 10), served(xlarge,
			20)...)})}, want: []advice.Contract{{Name: "r", Class: "held r", Units: 7, Expires: later}}},
		"committed to money": {held: []usage.Held{per(usage.Held{ID: "r", Spend: true, End: later, Kinds: served(large, 30)})},
			want: []advice.Contract{{Name: "r", Class: "held r", Units: 3, Expires: later}}},
		"in normalized hours": {held: []usage.Held{{ID: "r", Unit: "Normalized Hours", PerHour: usage.Units(12), End: later,
			Kinds: served(large, 30)}}, want: []advice.Contract{{Name: "r", Class: "held r", Units: 3, Expires: later}}},
		"of other kinds":          {held: []usage.Held{per(usage.Held{ID: "r", End: later, Kinds: served(kindOf("c5.large"), 30)})}},
		"until nobody knows when": {held: []usage.Held{per(usage.Held{ID: "r", Kinds: served(large, 30)})}, note: "r serves, and the bill does not say until when"},
		"hardly":                  {held: []usage.Held{{ID: "r", End: later, Kinds: served(large, 4)}}},
		"until the day before":    {held: []usage.Held{per(usage.Held{ID: "r", End: begin.Add(23 * time.Hour), Kinds: served(large, 30)})}},
		"until the day":           {held: []usage.Held{per(usage.Held{ID: "r", End: begin.Add(24 * time.Hour), Kinds: served(large, 30)})}},
		"two of one name": {held: []usage.Held{{ID: "r", End: later, Kinds: served(large, 10)}, {ID: "r", End: later, Kinds: served(large, 20)},
			{ID: "r", End: later, Kinds: served(large, 30)}},
			want: []advice.Contract{{Name: "r", Class: "held r", Units: 1, Expires: later}, {Name: "r", Class: "held r (2)", Units: 2,
				Expires: later}, {Name: "r", Class: "held r (3)", Units: 3, Expires: later}}},
		"of -held": {own: []ownContract{{heldfile.Contract{ID: "o", Region: "EU-west-1", Type: "M5.xlarge", Count: 3}, later}},
			want: []advice.Contract{{Name: "o", Class: "held o", Units: 6, Expires: later}}},
		"of -held and of the bill": {held: []usage.Held{per(usage.Held{ID: "o", End: later, Kinds: served(large, 30)})},
			own:  []ownContract{{heldfile.Contract{ID: "o", Region: "eu-west-1", Type: "m5.large", System: "linux", Count: 3}, later}},
			want: []advice.Contract{{Name: "o", Class: "held o", Units: 3, Expires: later}}},
		"an end of -held": {held: []usage.Held{per(usage.Held{ID: "o", Kinds: served(large, 30)})},
			own: []ownContract{{heldfile.Contract{ID: "o"}, later}}, want: []advice.Contract{{Name: "o", Class: "held o", Units: 4, Expires: later}}},
		"money of -held": {own: []ownContract{{heldfile.Contract{ID: "o", Region: "eu-west-1", Type: "m5.large", Class: "sp", Spend: 7 * pricing.Unit}, later}},
			want: []advice.Contract{{Name: "o", Class: "held o", Units: 3, Expires: later}}},
		"of -held, elsewhere":   {own: []ownContract{{heldfile.Contract{ID: "o", Region: "eu-west-2", Type: "m5.large", Count: 3}, later}}},
		"of -held, of another":  {own: []ownContract{{heldfile.Contract{ID: "o", Region: "eu-west-1", Type: "m5.2xlarge", Count: 3}, later}}},
		"of -held, for windows": {own: []ownContract{{heldfile.Contract{ID: "o", Region: "eu-west-1", Type: "m5.large", System: "windows", Count: 3}, later}}},
	} {
		r := &results{bill: &usage.Bill{Start: begin, End: begin.Add(10 * time.Hour), Held: c.held}, own: c.own, now: begin.Add(24 * time.Hour),
			matched: map[string]bool{}, o: &options{}}
		g := &group{kinds: []usage.Kind{large, xlarge}, factor: []int{1, 2}, list: pricing.List{Classes: []pricing.Class{{Name: "sp", Hourly: 2 * pricing.Unit}}}}
		r.hold(g)
		if diff := cmp.Diff(c.want, g.held, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(g.offers) != len(g.held) || slices.ContainsFunc(g.offers, func(o advice.Offer) bool { return !o.Withdrawn }) {
			t.Errorf("%s: offers %+v: want one for each contract, not for sale", name, g.offers)
		}
		if got := strings.Join(r.notes, "\n"); (c.note == "") != (got == "") || !strings.Contains(got, c.note) {
			t.Errorf("%s: notes %q, want %q", name, got, c.note)
		}
		if c.own != nil && r.matched["o"] != (len(c.want) > 0) {
			t.Errorf("%s: -held is matched: %v", name, r.matched["o"])
		}
	}
}

// By hand: three a slot stay three by the naive model; half more are 4.5, so 4 and 5 in turn, and without
// any there are none. Days between the bill and the order are passed over.
func TestFutures(t *testing.T) {
	for _, c := range []struct{ up, gap, want int }{{0, 0, 3}, {50, 0, 4}, {-100, 0, 0}, {0, 5, 3}} {
		r := &results{o: &options{model: "naive", futures: 2, up: c.up, seed: 1}, horizon: 48 * time.Hour, slot: time.Hour, start: begin,
			now: begin.Add(time.Duration(10+c.gap) * time.Hour)}
		paths, _, err := r.futures(&group{name: "g", demand: []int{3, 3, 3, 3, 3, 3, 3, 3, 3, 3}})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if len(paths) != 2 || len(path) != 48 || slices.Min(path) != c.want || slices.Max(path) != c.want+(c.up+50)/100 {
				t.Errorf("%+v: %d paths, one of them %v", c, len(paths), path)
			}
		}
	}
	// A demand that rises by one a slot has risen by the gap when the order is placed.
	r := &results{o: &options{model: "holt", futures: 1, seed: 1}, horizon: 24 * time.Hour, slot: time.Hour, start: begin}
	g := &group{name: "g", demand: make([]int, 200)}
	for i := range g.demand {
		g.demand[i] = 100 + i
	}
	var first [2]int
	for i, gap := range []int{0, 24} {
		r.now = begin.Add(time.Duration(len(g.demand)+gap) * time.Hour)
		paths, _, err := r.futures(g)
		if err != nil {
			t.Fatal(err)
		}
		first[i] = paths[0][0]
	}
	if first[0] < 298 || first[0] > 302 || first[1]-first[0] < 12 || first[1]-first[0] > 30 {
		t.Errorf("the first slot of the order has %d, a day later %d: want about 300 and, by a day of the past in parts of its mean, 312 to 330", first[0], first[1])
	}
	// What a model cannot be fitted to is taken to stay as it was last.
	r.o.model, r.now, r.notes = "winters", begin.Add(2*time.Hour), nil
	paths, _, err := r.futures(&group{name: "g", demand: []int{4, 4}})
	if err != nil || len(r.notes) != 1 || !strings.Contains(r.notes[0], "too short for -model") || slices.Max(paths[0]) != 4 || slices.Min(paths[0]) != 4 {
		t.Errorf("a bill of two hours: %v, %v, notes %q", paths, err, r.notes)
	}
}

// What everybody pays is the sum of the groups, each amount by itself.
func TestSums(t *testing.T) {
	var r results
	for range 2 {
		if err := r.add(&advice.Advice{Today: 1, Commitment: 2, Cost: 3, Bound: 4, OnDemand: 5}); err != nil {
			t.Fatal(err)
		}
	}
	if got := [5]pricing.Money{r.today, r.commitment, r.cost, r.bound, r.onDemand}; got != [5]pricing.Money{2, 4, 6, 8, 10} {
		t.Errorf("sums %v", got)
	}
	if err := r.add(&advice.Advice{Bound: 1<<63 - 1}); err == nil {
		t.Error("a sum beyond int64 is taken")
	}
}
