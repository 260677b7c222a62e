package usage

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
)

var familyStart = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func familyKind(size string) Kind {
	return Kind{Provider: "aws", Region: "eu-west-1", Type: size, System: "linux", Tenancy: "shared"}
}

// familyOffer is an offer with one class whose prices are in proportion to the factor.
func familyOffer(size string, factor int) offers.Offer {
	price := pricing.Money(factor) * pricing.Milli
	return offers.Offer{Provider: "aws", Region: "eu-west-1", Kind: size, System: "linux", Tenancy: "shared", Currency: "USD", Family: strings.Split(size, ".")[0], Factor: factor,
		List: pricing.List{OnDemand: price, Classes: []pricing.Class{{Name: "1y", Term: 8760 * time.Hour, Upfront: 5000 * price, Hourly: price / 2, Billed: pricing.Always}}}}
}

// familyDemand is a demand of so many instance-hours in each slot.
func familyDemand(kind Kind, slot time.Duration, used ...string) Demand {
	d := Demand{Kind: kind, Slot: slot, Start: familyStart, OnDemand: Sum{Rows: int64(len(used))}}
	for _, s := range used {
		a, _, err := Parse(s)
		if err != nil {
			panic(err)
		}
		d.Used, d.Covered = append(d.Used, a), append(d.Covered, a.Scale(1, 2))
	}
	return d
}

// groupsOf writes families as indices of demands with their units, and the indices of demands
// that are in none.
func groupsOf(families []Family, why []error) string {
	var b strings.Builder
	for _, f := range families {
		b.WriteString(f.Offer.Kind + "[")
		for k, i := range f.Demands {
			if k > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "{%d %d}", i, f.Units[k])
		}
		b.WriteString("] ")
	}
	for i, err := range why {
		if err != nil {
			fmt.Fprintf(&b, "-%d ", i)
		}
	}
	return strings.TrimSpace(b.String())
}

// Three sizes of a family with an m5.xlarge that is twice a large are one family, unless a price
// or a size is not in proportion; other clouds, systems and tenancies have no such reservations.
func TestFamilies(t *testing.T) {
	const together, alone = "m5.large[{0 2} {1 1} {2 4}]", "m5.xlarge[{0 1}] m5.large[{1 1}] m5.2xlarge[{2 1}]"
	for name, c := range map[string]struct {
		change func(o []offers.Offer)
		want   string
	}{
		"in proportion":          {func(o []offers.Offer) {}, together},
		"another case":           {func(o []offers.Offer) { o[0].Kind, o[0].Region = "M5.XLarge", "EU-West-1" }, together},
		"dearer on demand":       {func(o []offers.Offer) { o[0].List.OnDemand += o[0].List.OnDemand / 50 }, alone},
		"dearer upfront":         {func(o []offers.Offer) { o[2].List.Classes[0].Upfront += o[2].List.Classes[0].Upfront / 50 }, alone},
		"dearer by the hour":     {func(o []offers.Offer) { o[0].List.Classes[0].Hourly -= o[0].List.Classes[0].Hourly / 50 }, alone},
		"rounded to a tenth":     {func(o []offers.Offer) { o[0].List.OnDemand += o[0].List.OnDemand / 101 }, together},
		"another name":           {func(o []offers.Offer) { o[0].List.Classes[0].Name = "one year" }, alone},
		"another term":           {func(o []offers.Offer) { o[0].List.Classes[0].Term *= 3 }, alone},
		"another way to bill":    {func(o []offers.Offer) { o[0].List.Classes[0].Billed = pricing.WhenUsed }, alone},
		"a class more":           {func(o []offers.Offer) { o[0].List.Classes = append(o[0].List.Classes, o[0].List.Classes[0]) }, alone},
		"a factor that is other": {func(o []offers.Offer) { o[0].Factor = 1200 }, alone},
		"no common unit":         {func(o []offers.Offer) { o[1].Factor = 300 }, alone},
		"no factor":              {func(o []offers.Offer) { o[0].Factor, o[1].Factor, o[2].Factor = 0, 0, 0 }, alone},
		"no family":              {func(o []offers.Offer) { o[0].Family, o[1].Family, o[2].Family = "", "", "" }, alone},
		"one without a family":   {func(o []offers.Offer) { o[0].Family = "" }, "m5.xlarge[{0 1}] m5.large[{1 1} {2 4}]"},
		"another family":         {func(o []offers.Offer) { o[0].Family = "m6" }, "m5.xlarge[{0 1}] m5.large[{1 1} {2 4}]"},
		"another cloud":          {func(o []offers.Offer) { o[0].Provider = "azure" }, "m5.large[{1 1} {2 4}] -0"},
		"dedicated":              {func(o []offers.Offer) { o[0].Tenancy = "dedicated" }, "m5.large[{1 1} {2 4}] -0"},
		"not for sale":           {func(o []offers.Offer) { o[0].Kind = "m5.4xlarge" }, "m5.large[{1 1} {2 4}] -0"},
	} {
		t.Run(name, func(t *testing.T) {
			list := []offers.Offer{familyOffer("m5.xlarge", 800), familyOffer("m5.large", 400), familyOffer("m5.2xlarge", 1600)}
			c.change(list)
			var prices Catalog
			prices.Add(list)
			prices.Add([]offers.Offer{familyOffer("m5.large", 7)}) // later than the first
			demands := []Demand{familyDemand(familyKind("m5.xlarge"), time.Hour, "1"), familyDemand(familyKind("m5.large"), time.Hour, "1"), familyDemand(familyKind("m5.2xlarge"), time.Hour, "1")}
			got := groupsOf(Families(demands, &prices, "usd", nil))
			if d := cmp.Diff(strings.ToLower(c.want), strings.ToLower(got)); d != "" {
				t.Error(d)
			}
		})
	}
	// So do those of databases without a licence, in one zone and in several, each engine by itself.
	data := []offers.Offer{familyOffer("db.m5.large", 400), familyOffer("db.m5.large", 800), familyOffer("db.m5.large", 400)}
	var found []Demand
	for i, system := range []string{"mysql single-az", "mysql multi-az", "postgresql single-az"} {
		data[i].Family, data[i].System = "db.m5", system
		k := familyKind("db.m5.large")
		k.System = system
		found = append(found, familyDemand(k, time.Hour, "1"))
	}
	var engines Catalog
	engines.Add(data)
	if got, want := groupsOf(Families(found, &engines, "", nil)), "db.m5.large[{0 1} {1 2}] db.m5.large[{2 1}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	data[0].System, data[1].System, found[0].Kind.System, found[1].Kind.System = "sql server se single-az", "sql server se multi-az", "sql server se single-az", "sql server se multi-az"
	engines = Catalog{}
	engines.Add(data)
	if got, want := groupsOf(Families(found, &engines, "", nil)), "db.m5.large[{0 1}] db.m5.large[{1 1}] db.m5.large[{2 1}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// A bill that says neither the system nor the tenancy means linux on a shared machine; no
	// other kind without one of them is of flexible size.
	list := []offers.Offer{familyOffer("m5.xlarge", 800), familyOffer("m5.large", 400)}
	list[0].System, list[1].Tenancy = "", ""
	var prices Catalog
	prices.Add(list)
	bare := func(size string) Demand {
		return familyDemand(Kind{Provider: "AWS", Region: "eu-west-1", Type: size}, time.Hour, "1")
	}
	if got, want := groupsOf(Families([]Demand{bare("m5.xlarge"), bare("m5.large")}, &prices, "", nil)), "m5.xlarge[{0 1}] m5.large[{1 1}]"; got != want || prices.Len() != 2 {
		t.Errorf("%s, want %s; %d offers", got, want, prices.Len())
	}
}

// What is in no family has its reason; the others of its family are planned.
func TestMisses(t *testing.T) {
	list := []offers.Offer{familyOffer("m5.large", 400), familyOffer("m5.xlarge", 800), familyOffer("r5.large", 400), familyOffer("m5.2xlarge", 1600), familyOffer("m5.4xlarge", 3200)}
	list[2].Currency = "EUR"
	var prices Catalog
	prices.Add(list)
	hour := func(size string, used ...string) Demand { return familyDemand(familyKind(size), time.Hour, used...) }
	demands := []Demand{hour("m5.large", "1", "0"), hour("m5.xlarge", "1", "-0.25", "2"), hour("r5.large", "1"), hour("t3.large", "1"), hour("m5.2xlarge", "0", "0"), hour("m5.4xlarge", "1")}
	own := errors.New("own")
	families, why := Families(demands, &prices, "USD", func(i int, o *offers.Offer) error {
		if i == 5 && o == &list[4] {
			return own
		}
		return nil
	})
	if got, want := groupsOf(families, why), "m5.large[{0 1}] -1 -2 -3 -4 -5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i, want := range []struct {
		is   error
		text string
	}{
		{ErrNegative, "corrections exceed the use in 1 slots: want use of at least 0 in each slot"},
		{ErrCurrency, "mixed currencies: the price list is in EUR and the bill in USD: want a price list in USD"},
		{ErrNoOffer, "the price list has no such kind: want a list with its prices"},
		{ErrNoUse, "there is no use in the time of the bill"},
		{own, "own"},
	} {
		if err := why[i+1]; !errors.Is(err, want.is) || err.Error() != want.text {
			t.Errorf("%v, want %s", err, want.text)
		}
	}
	if families, why := Families(nil, new(Catalog), "", nil); families != nil || len(why) > 0 {
		t.Error(families, why)
	}
}

// By hand: 1.5 of a large and 0.75 of an xlarge are 3 units; an hour of a 2xlarge that is known
// by the day counts in the day.
func TestFamilyDemand(t *testing.T) {
	demands := []Demand{
		familyDemand(familyKind("m5.xlarge"), time.Hour, "0", "0.75", "0", "1"),
		familyDemand(familyKind("m5.large"), time.Hour, "0", "1.5"),
		familyDemand(familyKind("m5.2xlarge"), 24*time.Hour, "24", "12"),
	}
	f := Family{Demands: []int{0, 1}, Units: []int{2, 1}}
	got, err := f.Demand(demands)
	want := familyDemand(familyKind("m5.large"), time.Hour, "3", "0", "2")
	want.Start, want.OnDemand = familyStart.Add(time.Hour), Sum{Rows: 6}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Amount{})); d != "" || err != nil {
		t.Error(d, err)
	}
	f = Family{Demands: []int{1, 2}, Units: []int{1, 4}}
	got, err = f.Demand(demands)
	want = familyDemand(familyKind("m5.large"), 24*time.Hour, "97.5", "48")
	want.OnDemand = Sum{Rows: 4}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Amount{})); d != "" || err != nil {
		t.Error(d, err)
	}
	// 2³¹ - 1 units are as many as there may be, in a day as in an hour.
	for _, c := range []struct {
		slot  time.Duration
		used  string
		units int
		ok    bool
	}{
		{time.Hour, "2147483647", 1, true}, {time.Hour, "2147483647.1", 1, false}, {time.Hour, "1073741823.5", 2, true}, {time.Hour, "1073741823.6", 2, false},
		{24 * time.Hour, "51539607528", 1, true}, {24 * time.Hour, "51539607529", 1, false}, {time.Hour, "1e12", math.MaxInt32, false},
	} {
		f := Family{Demands: []int{0}, Units: []int{c.units}}
		if _, err := f.Demand([]Demand{familyDemand(familyKind("m5.large"), c.slot, c.used)}); errors.Is(err, ErrRange) == c.ok || (err == nil) != c.ok {
			t.Errorf("%s in %v, %d units each: %v", c.used, c.slot, c.units, err)
		}
	}
	two := []Demand{familyDemand(familyKind("m5.large"), time.Hour, "2147483647"), familyDemand(familyKind("m5.xlarge"), time.Hour, "1")}
	f = Family{Demands: []int{0, 1}, Units: []int{1, 1}}
	if _, err := f.Demand(two); !errors.Is(err, ErrRange) {
		t.Errorf("more than 2³¹ - 1 of two kinds: %v", err)
	}
}

func ExampleFamilies() {
	prices := new(Catalog)
	prices.Add([]offers.Offer{familyOffer("m5.large", 400), familyOffer("m5.xlarge", 800)})
	demands := []Demand{familyDemand(familyKind("m5.large"), time.Hour, "10.5", "4"), familyDemand(familyKind("m5.xlarge"), time.Hour, "3", "3.25")}
	families, _ := Families(demands, prices, "USD", nil)
	sum, err := families[0].Demand(demands)
	if err != nil {
		panic(err)
	}
	fmt.Println(sum.Used, "instances of", families[0].Offer.Kind)
	// Output: [16.5 10.5] instances of m5.large
}
