package record

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "github.com/plimsoll/plimsoll/examples/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

var empty = cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(func(a, b usage.Amount) bool { return a == b })}

func someKey(t *rapid.T) Key {
	text := rapid.StringN(0, 6, 12)
	return Key{text.Draw(t, "account"), text.Draw(t, "region"), text.Draw(t, "kind")}
}

func someTime(t *rapid.T) time.Time {
	if s := rapid.Int64Range(-1, 1<<37).Draw(t, "time"); s >= 0 {
		return time.Unix(s, rapid.SampledFrom([]int64{0, 1, 999_999_999}).Draw(t, "nanos")).UTC()
	}
	return time.Time{}
}

func someMoney(t *rapid.T) pricing.Money { return pricing.Money(rapid.Int64().Draw(t, "money")) }

func someOrder(t *rapid.T) Order {
	return Order{"1y", rapid.Int().Draw(t, "units"), someTime(t), time.Duration(rapid.Int64().Draw(t, "term")), someMoney(t), someMoney(t)}
}

func someKind(t *rapid.T) usage.Kind {
	k := someKey(t)
	return usage.Kind{Provider: "aws", Region: k.Region, Type: k.Kind, System: "linux", Tenancy: k.Account}
}

func someAmount(t *rapid.T) usage.Amount {
	return usage.Units(rapid.Int64Range(-3, 3).Draw(t, "units")).Scale(1, rapid.Int64Range(1, 8).Draw(t, "parts"))
}

func same[T any, R interface {
	*T
	Record
}](t *rapid.T, r, dirty T) {
	b := Append([]byte("before"), R(&r))[len("before"):]
	got := dirty
	if err := Read(b, R(&got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got, empty); diff != "" {
		t.Fatalf("read again (-want +got):\n%s", diff)
	}
	if !bytes.Equal(b, Append(nil, R(&got))) {
		t.Fatal("the same record has other bytes")
	}
	for i := range b { // what is cut off is refused
		if err := Read(b[:i], R(&got)); !errors.Is(err, ErrEncoding) {
			t.Fatalf("the first %d bytes of %d: %v", i, len(b), err)
		}
	}
	if err := Read(append(b, 0), R(&got)); !errors.Is(err, ErrEncoding) {
		t.Fatalf("a byte too many: %v", err)
	}
}

// Each record is read as it was written, into a record that held something else.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 40).Draw(t, "demand")
		for i := range steps {
			if steps[i] == 3 {
				steps[i] = rapid.IntRange(0, math.MaxInt32).Draw(t, "large")
			}
		}
		dirty := Group{Demand: []int{7, 7, 7}, Held: []Contract{{"old", 3, time.Unix(5, 0)}}, List: pricing.List{Classes: make([]pricing.Class, 3)}}
		same(t, Group{Key: someKey(t), Currency: "USD", Unit: "m5.large", Start: someTime(t), Demand: steps, Paths: [][]int{{1}, steps, nil},
			List: pricing.List{OnDemand: someMoney(t), Classes: []pricing.Class{{Name: "1y", Term: 8760 * time.Hour, Upfront: someMoney(t),
				Hourly: someMoney(t), Billed: pricing.Always}}},
			Savings: someMoney(t), Held: []Contract{{"ri", rapid.Int().Draw(t, "held"), someTime(t)}}}, dirty)
		same(t, Plan{someKey(t), "EUR", 8760, someMoney(t), someMoney(t), []Order{someOrder(t), someOrder(t)}}, Plan{Orders: make([]Order, 1)})
		same(t, Usage{"a", "USD", "a.csv", []Series{{someKind(t), someTime(t), rapid.SliceOfN(rapid.Custom(someAmount), 0, 9).Draw(t, "hours")}},
			[]Held{{"aws", "ri", "Hours", rapid.Bool().Draw(t, "spend"), someTime(t), someTime(t), someAmount(t),
				[]usage.KindHours{{Kind: someKind(t), Hours: someAmount(t)}}, Series{Start: someTime(t), Hours: []usage.Amount{someAmount(t)}},
				[]Series{{someKind(t), someTime(t), []usage.Amount{someAmount(t)}}}, Series{Start: someTime(t)}, Series{Start: someTime(t)}, "name", someTime(t)}},
			rapid.SliceOf(rapid.Uint64()).Draw(t, "rows")},
			Usage{Series: make([]Series, 2), Held: make([]Held, 2)})
		same(t, Inventory{[]Held{{Provider: "aws", ID: "sp", Spend: true, PerHour: someAmount(t),
			Money: Series{Start: someTime(t), Hours: rapid.SliceOfN(rapid.Custom(someAmount), 0, 9).Draw(t, "money")}}}}, Inventory{Held: make([]Held, 3)})
		same(t, Failure{someKey(t), "a.csv", rapid.Int().Draw(t, "line"), "why"}, Failure{})
		keys := map[Key][]int64{}
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			keys[someKey(t)] = rapid.SliceOfN(rapid.Int64(), 1, 4).Draw(t, "values")
		}
		if len(keys) == 0 {
			keys = nil
		}
		same(t, table{keys, true, 7}, table{By: map[Key][]int64{{"old", "", ""}: {1}}})
		same(t, Totals{1, 2, 3, 4, rapid.Int64().Draw(t, "failures")}, Totals{Curves: 9})
	})
}

// table has what other packages have in their records.
type table struct {
	By    map[Key][]int64
	Done  bool
	Share uint32
}

func (*table) Tag() byte { return 'X' }

// The bytes of each record stay as they are: another version of the program reads them.
func TestStable(t *testing.T) {
	key := Key{"a", "r", "k"}
	at := time.Unix(3600, 0).UTC()
	first, never := hex.EncodeToString([]byte("1970-01-01T01:00:00Z")), hex.EncodeToString([]byte("0001-01-01T00:00:00Z"))
	none := "000000000000" + "14" + never + "00" // a series of no hours
	const key16 = "01610172016b"
	for _, c := range []struct {
		r    Record
		want string
	}{
		{&Group{key, "USD", "u", at, []int{2, 2, 2, 5, 0}, [][]int{{1}, {0, 0}},
			pricing.List{OnDemand: 3, Classes: []pricing.Class{{Name: "1y", Term: 2 * time.Second, Upfront: 1, Hourly: -1, Billed: pricing.Always}}}, 2,
			[]Contract{{"h", 1, time.Time{}}}},
			"4707" + key16 + "03555344" + "0175" + "14" + first + "05" + "04" + "0001" + "06" + "09" + "02" + "0102" + "020001" + "06" + "01" + "023179" + "80d0acf30e" + "02" + "01" + "00" + "04" + "01" + "0168" + "02" + "14" + never},
		{&Plan{key, "USD", 1, 2, 1, []Order{{"1y", 3, at, time.Hour, 1, 2}}},
			"5007" + key16 + "03555344" + "02" + "04" + "02" + "01" + "023179" + "06" + "14" + first + "8080c58bc6d101" + "02" + "04"},
		{&Failure{key, "f", 1, "w"}, "4607" + key16 + "0166" + "02" + "0177"},
		{&Usage{"a", "USD", "f", []Series{{usage.Kind{Provider: "aws", Region: "r", Type: "k"}, at,
			[]usage.Amount{usage.Units(2), usage.Units(2), usage.Units(1).Scale(1, 2)}}}, nil, []uint64{258}},
			"5507" + "0161" + "03555344" + "0166" + "01" + "03617773" + "0172" + "016b" + "00" + "00" + "00" + "14" + first + "03" + "0132" + "013000" + "042d312e35" + "00" + "01" + "8202"},
		{&Inventory{[]Held{{Provider: "aws", ID: "s", Unit: "USD", Spend: true, End: at, PerHour: usage.Units(2),
			Money: Series{Start: at, Hours: []usage.Amount{usage.Units(2), usage.Units(2)}}}}},
			"4807" + "01" + "03617773" + "0173" + "03555344" + "01" + "14" + never + "14" + first + "0132" + "00" + "000000000000" + "14" + first + "02" + "0132" + "013000" + "00" + none + none + "00" + "14" + never},
		{&Totals{1, 2, 3, 4, 5}, "5407" + "020406080a"},
		{&table{map[Key][]int64{key: {7, 7}, {}: {-1}}, true, 300}, "5807" + "02" + "000000" + "0101" + key16 + "02" + "0e" + "0000" + "01" + "ac02"},
	} {
		if got := hex.EncodeToString(Append(nil, c.r)); got != c.want {
			t.Errorf("%T:\n%s, want\n%s", c.r, got, c.want)
		}
	}
}

// Totals count plans, and add up.
func TestTotals(t *testing.T) {
	plan := Plan{Hours: 5, Cost: 7, Bound: 6, Orders: []Order{{Units: 2}, {Units: 3}}}
	plan.Account = "a"
	var one Totals
	one.Add(&plan)
	plan.Key = Key{} // that of the savings plan is no curve
	one.Add(&plan)
	sum := Totals{Failures: 1}
	sum.Merge(&one)
	if diff := cmp.Diff(Totals{1, 5, 4, 10, 1}, sum); diff != "" {
		t.Error(diff)
	}
}

// Savings plans of accounts add up by name, whatever the order.
func TestInventory(t *testing.T) {
	at := time.Unix(7200, 0).UTC()
	money := func(hour int, amounts ...int64) Series {
		s := Series{Start: at.Add(time.Duration(hour) * time.Hour)}
		for _, a := range amounts {
			s.Hours = append(s.Hours, usage.Units(a))
		}
		return s
	}
	all := []Inventory{
		{[]Held{{Provider: "aws", ID: "a", Unit: "USD", Spend: true, PerHour: usage.Units(3), Money: money(0, 1, 2)}}},
		{[]Held{{Provider: "aws", ID: "b", Unit: "USD", Spend: true, Start: at}}},
		{[]Held{{Provider: "aws", ID: "a", Unit: "USD", Spend: true, Start: at.Add(time.Hour), End: at.Add(2 * time.Hour), PerHour: usage.Units(5),
			Money: money(-2, 7)}}},
		{[]Held{{Provider: "aws", ID: "a", Unit: "USD", Spend: true, Start: at, End: at.Add(time.Hour), Money: money(1, 4, 8)}}},
	}
	want := Inventory{[]Held{
		{Provider: "aws", ID: "a", Unit: "USD", Spend: true, Start: at, End: at.Add(2 * time.Hour), PerHour: usage.Units(5), Money: money(-2, 7, 0, 1, 6, 8)},
		{Provider: "aws", ID: "b", Unit: "USD", Spend: true, Start: at},
	}}
	rapid.Check(t, func(t *rapid.T) {
		var got Inventory
		for _, v := range rapid.Permutation(all).Draw(t, "order") {
			before := Append(nil, &v)
			got.Merge(&v)
			if !bytes.Equal(before, Append(nil, &v)) {
				t.Fatal("what was merged is changed")
			}
		}
		if diff := cmp.Diff(want, got, empty); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestKey(t *testing.T) {
	for k, want := range map[Key]string{{}: "all", {Account: "a"}: "a", {"a", "r", "k"}: "a, r, k", {Kind: "k"}: "k"} {
		if got := k.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Bytes of any kind are read or refused, and what is read is written again as it was
// or shorter.
func FuzzRead(f *testing.F) {
	f.Add(Append(nil, &Group{Demand: []int{1, 1, 4}}))
	f.Add(Append(nil, &Plan{Orders: []Order{{Units: 1}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range []Record{&Group{}, &Plan{}, &Failure{}, &table{}, &Totals{}, &Usage{}, &Inventory{}} {
			if err := Read(b, r); err == nil {
				if again := Append(nil, r); len(again) > len(b) {
					t.Errorf("%d bytes became %d", len(b), len(again))
				}
			}
		}
	})
}

func BenchmarkGroup(b *testing.B) {
	g := Group{Demand: make([]int, 8760)}
	for i := range g.Demand {
		g.Demand[i] = 100 + i*i%17
	}
	buf := Append(nil, &g)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = Append(buf[:0], &g)
		if err := Read(buf, &g); err != nil {
			b.Fatal(err)
		}
	}
}
