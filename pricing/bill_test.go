package pricing

import (
	"bufio"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// A list with round prices, in an order that is not that of the discounts.
func roundList() List {
	return List{
		OnDemand: 10 * Unit,
		Classes: []Class{
			{Name: "light", Term: 4 * time.Hour, Upfront: 8 * Unit, Hourly: 6 * Unit, Billed: WhenUsed},
			{Name: "heavy", Term: 3 * time.Hour, Upfront: 6 * Unit, Hourly: 4 * Unit, Billed: Always},
			{Name: "medium", Term: 4 * time.Hour, Upfront: 10 * Unit, Hourly: 5 * Unit, Billed: WhenUsed},
		},
	}
}

// Expected by hand. Demand 3 1 4 0 2 in slots of an hour; at 0 one light and one
// heavy are bought, at 2 a medium, at 3 two heavy.
//
//	slot     0  1  2  3  4
//	demand   3  1  4  0  2
//	heavy    1  1  1  2  2   serves 1 1 1 0 2, idle 0 0 0 2 0
//	medium         1  1  1   serves     1 0 0, idle     0 1 1
//	light    1  1  1  1      serves 1 0 1 0,   idle 0 1 0 1
//	demand   1  0  1  0  0   on demand
//
// At the horizon the medium has one of four slots left, worth 2.50, and the two
// heavy have one of three each: 2 of 6 upfront each and 4 owed each.
func TestBill(t *testing.T) {
	var b Biller
	got, err := b.Bill(roundList(), []int{3, 1, 4, 0, 2}, time.Hour, []Purchase{
		{Slot: 3, Class: 1, Count: 2}, {Slot: 0, Class: 0, Count: 1}, {Slot: 2, Class: 2, Count: 1}, {Slot: 0, Class: 1, Count: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Bill{
		Slot: time.Hour,
		Classes: []ClassBill{
			{Reservations: 1, Upfront: 8 * Unit, Hourly: 12 * Unit, UsedSlots: 2, IdleSlots: 2},
			{Reservations: 3, Upfront: 18 * Unit, Hourly: 28 * Unit, Committed: 8 * Unit, Residual: 12 * Unit, UsedSlots: 5, IdleSlots: 2},
			{Reservations: 1, Upfront: 10 * Unit, Hourly: 5 * Unit, Residual: 2500 * Milli, UsedSlots: 1, IdleSlots: 2},
		},
		OnDemand: 20 * Unit, OnDemandSlots: 2,
		Upfront: 36 * Unit, Hourly: 45 * Unit, Committed: 8 * Unit, Residual: 14_500 * Milli,
		Total: 109 * Unit, Pure: 94_500 * Milli,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := got.Classes[1].Total(), 54*Unit; got != want {
		t.Errorf("total of heavy %v, want %v", got, want)
	}
	if got, want := got.Classes[1].Total()-got.Classes[1].Residual, 42*Unit; got != want {
		t.Errorf("pure cost of heavy %v, want %v", got, want)
	}
	if got, want := got.Hours(5), 5.0; got != want {
		t.Errorf("hours %v, want %v", got, want)
	}
}

// [Niu16] section 5.1: ten reservations of 3-year heavy and five of 3-year light;
// instances 1 to 10 run at the heavy price, 11 to 15 at the light one, the rest
// on demand. As printed, Eq. (2) would charge the heavy price from the tenth on.
func TestBillNiu16Example(t *testing.T) {
	l := whenUsed(CC28XLarge2013())
	var b Biller
	got, err := b.Bill(l, []int{18, 12, 4}, time.Hour, []Purchase{{Class: 3, Count: 5}, {Class: 5, Count: 10}})
	if err != nil {
		t.Fatal(err)
	}
	type slots struct{ Heavy, Light, OnDemand int64 }
	want := slots{10 + 10 + 4, 5 + 2, 3}
	if diff := cmp.Diff(want, slots{got.Classes[5].UsedSlots, got.Classes[3].UsedSlots, got.OnDemandSlots}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := 24*361*Milli + 7*904*Milli + 3*2400*Milli; got.Hourly+got.OnDemand != want {
		t.Errorf("hourly cost %v, want %v", got.Hourly+got.OnDemand, want)
	}
}

// Terms that end, at and after the horizon, and purchases that add up.
func TestBillTerms(t *testing.T) {
	l := List{OnDemand: 2 * Unit, Classes: []Class{{Name: "a", Term: 2 * time.Hour, Upfront: 3 * Unit, Hourly: Unit, Billed: WhenUsed}}}
	tests := []struct {
		name      string
		purchases []Purchase
		want      ClassBill
		onDemand  int64
	}{
		{"none", nil, ClassBill{}, 4},
		{"a purchase of none", []Purchase{{Slot: 1}}, ClassBill{}, 4},
		{"ends within", []Purchase{{Slot: 0, Count: 1}}, ClassBill{Reservations: 1, Upfront: 3 * Unit, Hourly: 2 * Unit, UsedSlots: 2}, 2},
		{"ends at the horizon", []Purchase{{Slot: 2, Count: 1}}, ClassBill{Reservations: 1, Upfront: 3 * Unit, Hourly: 2 * Unit, UsedSlots: 2}, 2},
		{"ends after the horizon", []Purchase{{Slot: 3, Count: 1}},
			ClassBill{Reservations: 1, Upfront: 3 * Unit, Hourly: Unit, Residual: 1500 * Milli, UsedSlots: 1}, 3},
		{"twice in one slot", []Purchase{{Slot: 3, Count: 1}, {Slot: 3, Count: 1}},
			ClassBill{Reservations: 2, Upfront: 6 * Unit, Hourly: Unit, Residual: 3 * Unit, UsedSlots: 1, IdleSlots: 1}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := new(Biller).Bill(l, []int{1, 1, 1, 1}, time.Hour, tt.purchases)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Classes[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.OnDemandSlots != tt.onDemand {
				t.Errorf("%d on demand, want %d", got.OnDemandSlots, tt.onDemand)
			}
		})
	}
}

// A nano an hour for slots of ten minutes: three hours are 18 slots, and 9 of
// them a nano and a half, which is the even 2, though each alone rounds to 0.
func TestBillRoundsOnce(t *testing.T) {
	l := List{OnDemand: 1}
	got, err := new(Biller).Bill(l, []int{4, 5}, 10*time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := Money(2); got.OnDemand != want {
		t.Errorf("on demand %d, want %d nanos", got.OnDemand, want)
	}
	if got, want := got.Hours(9), 1.5; got != want {
		t.Errorf("hours %v, want %v", got, want)
	}
}

func TestBillOrder(t *testing.T) {
	classes := []Class{
		{Hourly: 3, Billed: WhenUsed}, {Hourly: 0, Billed: WhenUsed}, {Hourly: 5, Billed: Always},
		{Hourly: 3, Billed: WhenUsed}, {Hourly: 4, Billed: Always}, {Hourly: 4, Billed: Always}, {Hourly: 1, Billed: WhenUsed},
	}
	got := []int{0, 1, 2, 3, 4, 5, 6}
	sortByDiscount(got, classes)
	// Use prices 0 (Hourly 0, 4, 4, 5), 1, 3, 3.
	if diff := cmp.Diff([]int{1, 4, 5, 2, 6, 0, 3}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBillErrors(t *testing.T) {
	l := roundList()
	const top = math.MaxInt
	dear := List{OnDemand: math.MaxInt64, Classes: []Class{
		{Name: "a", Term: time.Hour, Upfront: math.MaxInt64, Billed: WhenUsed},
		{Name: "b", Term: time.Hour, Upfront: math.MaxInt64, Billed: WhenUsed},
		{Name: "long", Term: 1 << 60, Upfront: 1, Billed: WhenUsed}}}
	free := List{Classes: []Class{{Name: "a", Term: time.Hour}, {Name: "b", Term: time.Hour}}}
	tests := []struct {
		name      string
		list      List
		demand    []int
		slot      time.Duration
		purchases []Purchase
		field     string
		index     int
		err       error
	}{
		{"list", List{OnDemand: -1}, nil, 1, nil, "OnDemand", -1, ErrRange},
		{"negative demand", l, []int{0, 0, -1}, time.Hour, nil, "demand", 2, ErrRange},
		{"no such class", l, []int{1}, time.Hour, []Purchase{{}, {Class: 3}}, "purchases.Class", 1, ErrRange},
		{"negative class", l, []int{1}, time.Hour, []Purchase{{Class: -1}}, "purchases.Class", 0, ErrRange},
		{"no such slot", l, []int{1}, time.Hour, []Purchase{{Slot: 1}}, "purchases.Slot", 0, ErrRange},
		{"negative count", l, []int{1}, time.Hour, []Purchase{{}, {}, {Count: -1}}, "purchases.Count", 2, ErrRange},
		{"no whole number of slots", l, []int{1}, 2 * time.Hour, []Purchase{{Class: 0}, {Class: 1}}, "purchases.Class", 1, ErrRange},
		{"no slots in a term", l, []int{1}, 5 * time.Hour, []Purchase{{Class: 0}}, "purchases.Class", 0, ErrRange},
		{"cost on demand", dear, []int{1, 1}, time.Hour, nil, "demand", -1, ErrOverflow},
		{"cost of a class", dear, []int{1, 1}, time.Hour, []Purchase{{Count: 2}}, "Classes", 0, ErrOverflow},
		{"cost together", dear, []int{2, 0}, time.Hour, []Purchase{{Count: 1}}, "demand", -1, ErrOverflow},
		{"upfront prices together", dear, []int{0}, time.Hour, []Purchase{{Count: 1}, {Class: 1, Count: 1}}, "demand", -1, ErrOverflow},
		{"reservations", free, []int{1}, time.Hour, []Purchase{{Count: top}, {Count: 1}}, "purchases.Count", 0, ErrOverflow},
		{"the most on demand", dear, []int{1}, time.Hour, nil, "", 0, nil},
		{"negative slot", l, []int{1}, time.Hour, []Purchase{{Slot: -1}}, "purchases.Slot", 0, ErrRange},
		{"as many as fit", free, []int{1, 1}, time.Hour, []Purchase{{Count: top}, {Slot: 1, Class: 1, Count: top}}, "", 0, nil},
		{"instance-slots of a term", dear, []int{1}, 1, []Purchase{{Class: 2, Count: 10}}, "purchases.Count", 0, ErrOverflow},
		{"instance-slots on demand", free, []int{top, 1}, time.Hour, nil, "demand", 1, ErrOverflow},
	}
	var b Biller
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if math.MaxInt == math.MaxInt32 && (tt.name == "reservations" || tt.name == "instance-slots on demand") {
				t.Skip("two ints of 32 bits have a sum of 64 bits")
			}
			got, err := b.Bill(tt.list, tt.demand, tt.slot, tt.purchases)
			if tt.err == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantError(t, err, tt.field, tt.index, tt.err)
			if diff := cmp.Diff(Bill{}, got); diff != "" {
				t.Errorf("a bill beside the error: %s", diff)
			}
		})
	}
}

// readDemand reads a demand of the reference material: a header and a number a
// line.
func readDemand(t testing.TB, name string) []int {
	t.Helper()
	f, err := os.Open(shared.File(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var demand []int
	lines := bufio.NewScanner(f)
	for lines.Scan(); lines.Scan(); {
		d, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		demand = append(demand, d)
	}
	return demand
}

// The reference material has the cost of five demands wholly on demand.
func TestBillReferenceOnDemand(t *testing.T) {
	f, err := os.Open(shared.File(t, "demand/weekly-reference.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(rows[0], "on_demand_only")
	var b Biller
	for _, row := range rows[1:] {
		bill, err := b.Bill(CC28XLarge2013(), readDemand(t, "demand/"+row[0]+".csv"), time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ParseMoney(row[column])
		if err != nil {
			t.Fatal(err)
		}
		if bill.Total != want {
			t.Errorf("%s: %v, want %v", row[0], bill.Total, want)
		}
	}
}

// Inventory serves like what is bought, and only its hours are billed.
func TestBillHeld(t *testing.T) {
	l := List{OnDemand: 2 * Unit, Classes: []Class{
		{Name: "used", Term: 2 * time.Hour, Upfront: 3 * Unit, Hourly: Unit, Billed: WhenUsed},
		{Name: "always", Term: 2 * time.Hour, Upfront: 3 * Unit, Hourly: Unit / 2, Billed: Always},
	}}
	demand := []int{1, 1, 1, 1}
	for name, c := range map[string]struct {
		purchases []Purchase
		held      []Holding
		want      [2]ClassBill
		onDemand  int64
	}{
		"one slot":       {nil, []Holding{{Count: 1, Until: 1}}, [2]ClassBill{{Hourly: Unit, UsedSlots: 1}}, 3},
		"expired":        {nil, []Holding{{Count: 1, Until: 0}}, [2]ClassBill{}, 4},
		"to the horizon": {nil, []Holding{{Class: 1, Count: 2, Until: 99}}, [2]ClassBill{1: {Hourly: 4 * Unit, UsedSlots: 4, IdleSlots: 4}}, 0},
		"and a purchase": {[]Purchase{{Slot: 0, Count: 1}}, []Holding{{Count: 1, Until: 1}},
			[2]ClassBill{{Reservations: 1, Upfront: 3 * Unit, Hourly: 2 * Unit, UsedSlots: 2, IdleSlots: 1}}, 2},
	} {
		var b Biller
		got, err := b.BillHeld(l, demand, time.Hour, c.purchases, c.held)
		if err != nil {
			t.Fatal(name, err)
		}
		if d := cmp.Diff(c.want[:], got.Classes); d != "" || got.OnDemandSlots != c.onDemand {
			t.Errorf("%s: %d on demand, want %d; classes (-want +got):\n%s", name, got.OnDemandSlots, c.onDemand, d)
		}
	}
	for _, h := range []Holding{{Class: 2}, {Class: -1}, {Count: -1}, {Until: -1}} {
		var b Biller
		if _, err := b.BillHeld(l, demand, time.Hour, nil, []Holding{h}); !errors.Is(err, ErrRange) {
			t.Errorf("%+v: %v", h, err)
		}
	}
}
