package bills

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve"
)

var start = time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)

const hours = 48

// prices has two sizes of m5, the larger at twice the price, and r5.large alone.
const prices = `"FormatVersion","v1.0"
"OfferCode","AmazonEC2"
"SKU","OfferTermCode","TermType","Unit","PricePerUnit","Currency","LeaseContractLength","PurchaseOption","OfferingClass","Product Family","Region Code","Location","Instance Type","Tenancy","Operating System","CapacityStatus","operation","Normalization Size Factor"
"A","JR","OnDemand","Hrs","0.1","USD","","","","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"A","1","Reserved","Hrs","0.06","USD","1yr","No Upfront","standard","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"B","JR","OnDemand","Hrs","0.2","USD","","","","Compute Instance","us-east-1","US East","m5.xlarge","Shared","Linux","Used","RunInstances","8"
"B","1","Reserved","Hrs","0.12","USD","1yr","No Upfront","standard","Compute Instance","us-east-1","US East","m5.xlarge","Shared","Linux","Used","RunInstances","8"
"C","JR","OnDemand","Hrs","0.13","USD","","","","Compute Instance","us-east-1","US East","r5.large","Shared","Linux","Used","RunInstances","4"
"C","1","Reserved","Hrs","0.08","USD","1yr","No Upfront","standard","Compute Instance","us-east-1","US East","r5.large","Shared","Linux","Used","RunInstances","4"
`

func row(account, kind string, hour int, n int64) usage.Row {
	at := start.Add(time.Duration(hour) * time.Hour)
	cost := usage.Units(n).Scale(1, 10)
	return usage.Row{Account: account, Currency: "USD", Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand, Hours: usage.Units(n), Billed: cost,
		Effective: cost, List: cost,
		Kind: usage.Kind{Provider: "aws", Region: "us-east-1", Type: kind, System: "linux", Tenancy: "shared"}}
}

func write(t *testing.T, dir, name string, rows ...usage.Row) string {
	t.Helper()
	var b bytes.Buffer
	w := focus.NewWriter(&b)
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return save(t, dir, name, b.String())
}

func save(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// plan reads files and makes the groups of all accounts, as the steps of an engine do.
func plan(t *testing.T, dir string, files ...string) (groups []record.Group, failed []record.Failure) {
	t.Helper()
	p := Pricer{From: start}
	if err := p.Load([]string{save(t, dir, "prices.csv", prices)}); err != nil {
		t.Fatal(err)
	}
	terms := group.Terms{Currency: "USD", Start: start.Add(hours * time.Hour), Hours: hours, Every: 24, Horizon: reserve.Pure}
	byAccount := map[string][]record.Usage{}
	bad := map[string]bool{}
	for _, f := range files {
		uses, fails, _ := Read(f)
		for _, u := range uses {
			byAccount[u.Account] = append(byAccount[u.Account], u)
		}
		for _, f := range fails {
			bad[f.Account] = true
			f.File = filepath.Base(f.File)
			failed = append(failed, f)
		}
	}
	var names []string
	for name := range byAccount {
		if !bad[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		g, _, f := p.Account(&terms, byAccount[name])
		groups, failed = append(groups, g...), append(failed, f...)
	}
	for i := range groups {
		var planner group.Planner
		if _, failure := planner.Plan(&terms, &groups[i], nil); failure != nil {
			t.Errorf("a group that cannot be planned: %+v", failure)
		}
	}
	return groups, failed
}

// oneAccount reads price lists and the bill of one account, and makes its groups.
func oneAccount(t *testing.T, p *Pricer, x *group.Terms, lists []string, rows ...usage.Row) (groups []record.Group, failed []record.Failure) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, text := range lists {
		paths = append(paths, save(t, dir, fmt.Sprint("list-", i), text))
	}
	p.From = start
	if err := p.Load(paths); err != nil {
		t.Fatal(err)
	}
	uses, _, _ := Read(write(t, dir, "bill.csv", rows...))
	groups, _, failed = p.Account(x, uses)
	return groups, failed
}

// Sizes of a family are one group, in units of the smallest, from all files.
func TestGroups(t *testing.T) {
	dir := t.TempDir()
	var a, b []usage.Row
	for h := range hours {
		a = append(a, row("1", "m5.large", h, 3), row("2", "r5.large", h, 1))
		b = append(b, row("1", "m5.xlarge", h, 2))
	}
	groups, failed := plan(t, dir, write(t, dir, "b.csv", b...), write(t, dir, "a.csv", a...))
	var got []string
	for _, g := range groups {
		got = append(got, g.Key.String()+" in "+g.Unit)
		want := map[string]int{"1": 3 + 2*2, "2": 1}[g.Account]
		if len(g.Demand) != hours || slices.Min(g.Demand) != want || slices.Max(g.Demand) != want {
			t.Errorf("%v: %d, want %d in each hour", g.Key, g.Demand, want)
		}
	}
	if diff := cmp.Diff([]string{"1, us-east-1, aws m5 family linux shared in m5.large", "2, us-east-1, aws r5 family linux shared in r5.large"},
		fix(got)); diff != "" || len(failed) > 0 {
		t.Errorf("%s, failures %v", diff, failed)
	}
}

// fix names the group of the only kind of a family in one way.
func fix(names []string) []string {
	for i := range names {
		names[i] = strings.Replace(names[i], "r5.large linux", "r5 family linux", 1)
	}
	return names
}

// What is wrong with one account is its failure, and the others are planned.
func TestPoison(t *testing.T) {
	dir := t.TempDir()
	var good []usage.Row
	for h := range hours {
		good = append(good, row("good", "m5.large", h, 1))
	}
	euro := row("two", "m5.large", 1, 1)
	euro.Currency = "EUR"
	all := write(t, dir, "all.csv", append(slices.Clone(good),
		row("malformed", "m5.large", 0, 1), row("huge", "m5.large", 0, 2), row("huge", "m5.xlarge", 0, math.MaxInt32), row("late", "m5.large", hours, 1),
		row("unknown", "x9.large", 0, 1), row("twice", "m5.large", 0, 7), row("twice", "m5.large", 0, 7), row("two", "m5.large", 0, 1))...)
	text, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	save(t, dir, "all.csv", strings.Replace(string(text), ",malformed,USD,", ",malformed,USD,", 1))
	lines := strings.Split(string(text), "\n")
	for i, l := range lines {
		if strings.Contains(l, ",malformed,") {
			lines[i] = "one" + l[strings.Index(l, ","):]
		}
	}
	save(t, dir, "all.csv", strings.Join(lines, "\n"))
	groups, failed := plan(t, dir, all, write(t, dir, "euro.csv", euro), filepath.Join(dir, "absent.csv"), save(t, dir, "empty.csv", ""))
	if len(groups) != 1 || groups[0].Account != "good" {
		t.Errorf("%d groups, want that of the good account alone: %v", len(groups), groups)
	}
	want := map[string]string{
		"malformed": "want", "huge": "overflow", "late": "48 hours later", "unknown": "no such kind", "twice": "the row is the same as", "two": "in USD (",
		"": "want a bill",
	}
	seen := map[string]bool{}
	for _, f := range failed {
		seen[f.Account] = true
		if !strings.Contains(f.Reason, want[f.Account]) || want[f.Account] == "" {
			t.Errorf("%q: %s", f.Account, f.Reason)
		}
		if (f.Account == "malformed" || f.Account == "twice") && f.Line == 0 {
			t.Errorf("%q: no line", f.Account)
		}
		if strings.Contains(f.Reason, "option") {
			t.Errorf("%q: %s: fleet has no such option", f.Account, f.Reason)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("failures of %v, want those of %v", seen, want)
	}
}

// A file that breaks off is a failure of each account that was seen in it.
func TestCutOff(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(write(t, dir, "a.csv", row("1", "m5.large", 0, 1), row("2", "m5.large", 0, 1)))
	if err != nil {
		t.Fatal(err)
	}
	path := save(t, dir, "a.csv", string(text)+"a,b,c\n")
	uses, failed, count := Read(path)
	if len(uses) != 0 || len(failed) != 3 || count.Rows != 2 || failed[0].Account != "" || failed[0].Line != 4 || failed[1].Account != "1" {
		t.Errorf("%v, %+v, %v", uses, failed, count)
	}
}

// Parquet says the same as CSV.
func TestParquet(t *testing.T) {
	dir := t.TempDir()
	type typed struct {
		BillingAccountId, SubAccountId, BillingCurrency, ChargeCategory, PricingCategory, PricingUnit, ProviderName, RegionId, SkuPriceDetails string
		ChargePeriodStart, ChargePeriodEnd                                                                                                     time.Time
		BilledCost, EffectiveCost                                                                                                              float64
		PricingQuantity                                                                                                                        int64
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[typed](&b)
	var csv []usage.Row
	for h := range hours {
		at := start.Add(time.Duration(h) * time.Hour)
		for _, account := range []string{"1", "2"} {
			if _, err := w.Write([]typed{{"payer", account, "USD", "Usage", "Standard", "Hours", "AWS", "us-east-1",
				`{"InstanceType":"m5.large","OperatingSystem":"linux","x_Tenancy":"shared"}`, at, at.Add(time.Hour), 0.1, 0.1, int64(h % 5)}}); err != nil {
				t.Fatal(err)
			}
			csv = append(csv, row(account, "m5.large", h, int64(h%5)))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, failed := plan(t, dir, save(t, dir, "a.parquet", b.String()))
	want, _ := plan(t, dir, write(t, dir, "a.csv", csv...))
	if diff := cmp.Diff(want, got); diff != "" || len(failed) > 0 || len(got) != 2 {
		t.Errorf("%v\n-csv +parquet:\n%s", failed, diff)
	}
}

// A reservation in the bill serves until it ends, and what is reserved is not bought again.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	end := start.Add(1000 * time.Hour)
	var rows []usage.Row
	for h := range hours {
		r := row("1", "m5.large", h, 2)
		r.Charge, r.Billed = usage.Covered, usage.Amount{}
		r.Commitment = usage.Commitment{ID: "ri", Type: "Reserved Instance", Unit: "Hours", Quantity: usage.Units(2)}
		rows = append(rows, r, row("1", "m5.large", h, 1))
	}
	fee := usage.Row{Account: "1", Currency: "USD", Start: start.Add(-time.Hour), End: end, Charge: usage.Purchase,
		Kind:   usage.Kind{Provider: "aws", Region: "us-east-1"},
		Billed: usage.Units(9), List: usage.Units(9), Commitment: usage.Commitment{ID: "ri", Type: "Reserved Instance", Unit: "Hours",
			Quantity: usage.Units(2 * 1001), Once: true}}
	groups, failed := plan(t, dir, write(t, dir, "a.csv", append(rows, fee)...))
	if len(groups) != 1 || len(failed) > 0 {
		t.Fatalf("%v, %v", groups, failed)
	}
	if diff := cmp.Diff([]record.Contract{{ID: "ri", Units: 2, Until: end}}, groups[0].Held); diff != "" {
		t.Error(diff)
	}
}

// -held-until says when a reservation ends whose end no row shows, and does not change one that shows.
func TestHeldUntil(t *testing.T) {
	ri := usage.Commitment{ID: "ri", Type: "Reserved Instance", Unit: "Hours", Quantity: usage.Units(2)}
	var rows []usage.Row
	for h := range hours {
		rows = append(rows, covered("1", "m5.large", h, 2, ri))
	}
	x := termsOf()
	for _, c := range []struct {
		until  time.Time
		want   []record.Contract
		failed int
	}{
		{time.Time{}, nil, 1},
		{x.At(5), []record.Contract{{ID: "ri", Units: 2, Until: x.At(5)}}, 0},
		{x.Start, nil, 0},
	} {
		groups, failed := oneAccount(t, &Pricer{Until: c.until}, &x, []string{prices}, rows...)
		var got []record.Contract
		if len(groups) > 0 {
			got = groups[0].Held
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(failed) != c.failed {
			t.Errorf("until %v: %q\n%s", c.until, reasons(failed), diff)
		}
	}
}

// Corrections beyond the use, and prices in another currency, are failures of the kind.
func TestKindRefused(t *testing.T) {
	dir := t.TempDir()
	back := row("1", "m5.large", 3, 1)
	back.Hours = usage.Units(-2)
	_, failed := plan(t, dir, write(t, dir, "a.csv", row("1", "m5.large", 3, 1), back, row("1", "r5.large", 3, 1)))
	if want := []string{"1: corrections exceed the use in 1 slots: want use of at least 0 in each slot"}; !cmp.Equal(want, reasons(failed)) {
		t.Errorf("%q", reasons(failed))
	}
	x := termsOf()
	groups, failed := oneAccount(t, &Pricer{}, &x, []string{strings.ReplaceAll(prices, `"USD"`, `"EUR"`)}, row("1", "r5.large", 3, 1))
	if len(groups) > 0 || len(failed) != 1 ||
		failed[0].Reason != "mixed currencies: the price list is in EUR and the bill in USD: want a price list in USD" {
		t.Errorf("%v, %q", groups, reasons(failed))
	}
}

// What a CSV and a Parquet file of one bill say is the same, also where they write it in other
// ways, and what they say of two machines is not.
func TestSameRows(t *testing.T) {
	dir := t.TempDir()
	type typed struct {
		SubAccountId, BillingCurrency, ChargeCategory, PricingCategory, PricingUnit, ProviderName, RegionId, SkuPriceDetails, ResourceId string
		Tags                                                                                                                             map[string]string
		ChargePeriodStart, ChargePeriodEnd                                                                                               time.Time
		BilledCost, EffectiveCost, PricingQuantity                                                                                       float64
	}
	const details = `{"InstanceType":"m5.large","OperatingSystem":"linux","x_Tenancy":"shared"}`
	var b bytes.Buffer
	w := parquet.NewGenericWriter[typed](&b)
	var same, other strings.Builder
	for _, to := range []*strings.Builder{&same, &other} {
		to.WriteString("ResourceId,Tags,SubAccountId,BillingCurrency,ChargeCategory,PricingCategory,PricingUnit,ProviderName,RegionId,SkuPriceDetails,ChargePeriodStart,ChargePeriodEnd,BilledCost,EffectiveCost,PricingQuantity,InvoiceId\n")
	}
	for h := range hours {
		at := start.Add(time.Duration(h) * time.Hour)
		if _, err := w.Write([]typed{{"0042", "USD", "Usage", "Standard", "Hours", "AWS", "us-east-1", details, "i-1",
			map[string]string{"team": "a", "level": "1"}, at, at.Add(time.Hour), 0.0464, 0.0464, 1}}); err != nil {
			t.Fatal(err)
		}
		for i, to := range []*strings.Builder{&same, &other} {
			fmt.Fprintf(to, "i-%d,%q,0042,USD,Usage,Standard,Hours,AWS,us-east-1,%q,%s,%s,0.04640000000,4.64E-2,1.000,NULL\n", i+1, "", "",
				at.Format(time.DateTime), at.Add(time.Hour).Format("2006-01-02T15:04:05.000Z"))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	fill := func(b *strings.Builder) string {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		s := strings.ReplaceAll(b.String(), `,"",0042`, ","+quote(`{"team": "a", "level": 1}`)+",0042")
		return strings.ReplaceAll(s, `us-east-1,"",`, "us-east-1,"+quote(details)+",")
	}
	one := save(t, dir, "a.parquet", b.String())
	if groups, failed := plan(t, dir, one, save(t, dir, "b.csv", fill(&same))); len(groups) > 0 || len(failed) != 1 ||
		!strings.HasPrefix(failed[0].Reason, "48 rows of the account are in ") {
		t.Errorf("the same rows: %v, %q", groups, reasons(failed))
	}
	if groups, failed := plan(t, dir, one, save(t, dir, "c.csv", fill(&other))); len(groups) != 1 || len(failed) > 0 || groups[0].Demand[0] != 2 {
		t.Errorf("rows of another machine: %v, %q", groups, reasons(failed))
	}
}

// Fields that say the same have one form, and others have not.
func TestPlain(t *testing.T) {
	var r reader
	seen := map[string]string{}
	for _, same := range [][]string{
		{"", "NULL", "null"}, {"0.05", ".05", "0.0500", "5e-2", "+0.05", "00.05"}, {"5", "5.", "5.0", "05"}, {"-5", "-5.0"}, {"0", "0.0", "-0", "000"},
		{"10", "1e1"}, {"100"}, {"true", "TRUE"}, {"false", "False"},
		{"2025-11-01", "2025-11-01T00:00:00Z", "2025-11-01 00:00:00", "2025-11-01T01:00:00+01:00", "2025-11-01T00:00:00.000Z"}, {"2025-11-01T00:00:00.5Z"},
		{`{"a":"1","b":"x"}`, `{"b": "x", "a": 1}`}, {`{"a":1.5}`}, {`{"a":10000000}`, `{"a":"10000000"}`}, {`{"a":1}x`}, {`{"a":1}y`}, {`[1,"2"]`, `["1", 2]`},
		{`{"a":`}, {"i-1"}, {"i-2"}, {"1234-567-8901"}, {"99999999999999999999999"}, {"99999999999999999999998"}, {"12345678901234567890"},
	} {
		want := string(r.plain([]byte(same[0])))
		for _, s := range same[1:] {
			if got := string(r.plain([]byte(s))); got != want {
				t.Errorf("%s is %q, and %s is %q", same[0], want, s, got)
			}
		}
		if seen[want] != "" {
			t.Errorf("%s and %s are %q", seen[want], same[0], want)
		}
		seen[want] = same[0]
	}
}

func TestDuplicate(t *testing.T) {
	dir := t.TempDir()
	a, b, c := save(t, dir, "a", "same"), save(t, dir, "b", "none"), save(t, dir, "c", "same")
	if x, y, err := Duplicate([]string{a, b, c}); x != a || y != c || err != nil {
		t.Errorf("%s, %s, %v", x, y, err)
	}
	if x, _, err := Duplicate([]string{a, b}); x != "" || err != nil {
		t.Errorf("%s, %v", x, err)
	}
	if _, _, err := Duplicate([]string{filepath.Join(dir, "absent")}); err == nil {
		t.Error("an absent file is none")
	}
}

// covered returns an hour that a commitment pays for.
func covered(account, kind string, hour int, n int64, c usage.Commitment) usage.Row {
	r := row(account, kind, hour, n)
	r.Charge, r.Billed = usage.Covered, usage.Amount{}
	r.Commitment = c
	return r
}

// Rows that stand in two files are not added up, whatever the order and the overlap.
func TestRepeated(t *testing.T) {
	dir := t.TempDir()
	var a, b, other []usage.Row
	for h := range hours {
		r := row("1", "m5.large", h, 3)
		if h < 32 {
			a = append(a, r)
		}
		if h >= 24 {
			b = append(b, r)
		}
		other = append(other, row("2", "m5.large", h, 1))
	}
	all := append(slices.Clone(a), b[8:]...)
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	for _, c := range []struct {
		name        string
		first, next []usage.Row
		want        string
	}{
		{"overlap", a, b, "8 rows"},
		{"other order", all, reversed, "48 rows"},
		{"none", a[:24], b, ""},
	} {
		groups, failed := plan(t, dir, write(t, dir, "y.csv", c.next...), write(t, dir, "x.csv", append(c.first, other...)...))
		switch {
		case c.want == "":
			if len(groups) != 2 || len(failed) > 0 {
				t.Errorf("%s: %v", c.name, failed)
			}
		case len(groups) != 1 || groups[0].Account != "2" || len(failed) != 1 || failed[0].Account != "1" ||
			!strings.Contains(failed[0].Reason, c.want) || !strings.Contains(failed[0].Reason, "x.csv") || filepath.Base(failed[0].File) != "y.csv":
			t.Errorf("%s: %d groups, %+v", c.name, len(groups), failed)
		}
	}
}

// A reservation that serves two sizes is the same from one file and from two.
func TestHeldSplit(t *testing.T) {
	dir := t.TempDir()
	ri := usage.Commitment{ID: "ri", Type: "Reserved Instance", Unit: "Hours", Quantity: usage.Units(4)}
	end := start.Add(1000 * time.Hour)
	once := ri
	once.Quantity, once.Once = usage.Units(4*1001), true
	one := []usage.Row{{Account: "1", Currency: "USD", Start: start.Add(-time.Hour), End: end, Charge: usage.Purchase,
		Kind: usage.Kind{Provider: "aws", Region: "us-east-1"}, Billed: usage.Units(9), List: usage.Units(9), Commitment: once}}
	var two []usage.Row
	for h := range hours {
		if h < hours/2 {
			one = append(one, row("1", "m5.large", h, 6), covered("1", "m5.large", h, 4, ri))
		} else {
			two = append(two, row("1", "m5.large", h, 6), covered("1", "m5.xlarge", h, 2, ri))
		}
	}
	want, failed := plan(t, dir, write(t, dir, "all.csv", append(slices.Clone(one), two...)...))
	if len(want) != 1 || len(failed) > 0 || len(want[0].Held) != 1 {
		t.Fatalf("%v, %v", want, failed)
	}
	for _, names := range [][2]string{{"a.csv", "b.csv"}, {"d.csv", "c.csv"}} {
		got, failed := plan(t, dir, write(t, dir, names[0], one...), write(t, dir, names[1], two...))
		if diff := cmp.Diff(want, got); diff != "" || len(failed) > 0 {
			t.Errorf("%v: %v\n-one file +two:\n%s", names, failed, diff)
		}
	}
}

// A commitment that cannot be planned around is a failure, not left out.
func TestHeldUnknown(t *testing.T) {
	dir := t.TempDir()
	ri := usage.Commitment{ID: "ri", Type: "Reserved Instance", Unit: "Hours", Quantity: usage.Units(2)}
	sp := usage.Commitment{ID: "sp", Type: "Savings Plan", Spend: true, Unit: "USD", Quantity: usage.Units(1)}
	var rows []usage.Row
	for h := range hours {
		rows = append(rows, covered("ri", "m5.large", h, 2, ri), row("ri", "r5.large", h, 1), covered("sp", "m5.large", h, 2, sp), row("sp", "m5.large", h, 1))
	}
	groups, failed := plan(t, dir, write(t, dir, "a.csv", rows...))
	if len(groups) != 1 || groups[0].Account != "ri" || groups[0].Unit != "r5.large" {
		t.Errorf("%v, want r5.large of ri alone", groups)
	}
	if len(failed) != 2 || !strings.Contains(failed[0].Reason, `the reservation "ri"`) || failed[0].Kind == "" ||
		!strings.Contains(failed[1].Reason, `the savings plan "sp"`) {
		t.Errorf("%+v", failed)
	}
}

func TestCoverage(t *testing.T) {
	dir := t.TempDir()
	var all [][]byte
	for i, h := range [][]int{{0, 1, 5}, {1, 7, hours}} {
		var rows []usage.Row
		for _, h := range h {
			rows = append(rows, row("1", "m5.large", h, 1))
		}
		Records(write(t, dir, string(rune('a'+i)), rows...), start, hours, func(account string, b []byte) {
			if account == "" {
				all = append(all, b)
			}
		})
	}
	Records(filepath.Join(dir, "absent"), start, hours, func(_ string, b []byte) { all = append(all, b) })
	if n, failed, err := Covered(all); n != 4 || len(failed) != 1 || err != nil {
		t.Errorf("%d hours, %v, %v, want 4", n, failed, err)
	}
}

// rate is a line of rates of savings plans.
func rate(currency, product, region, family, option string) string {
	return strings.Join([]string{"S", "S.X", "Hrs", "2025-06-05T18:51:13Z", "0.06", currency, "X", "AmazonEC2", "BoxUsage:" + family + ".large",
		"RunInstances", option, "1", "year", "ComputeSavingsPlans", "", "", "", family, region, "AWS Region", "hourly", product, region, family + ".large"},
		",") + "\n"
}

const rateHeader = `FormatVersion,v1.0
OfferCode,AmazonComputeSavingsPlan
SKU,RateCode,Unit,EffectiveDate,DiscountedRate,Currency,DiscountedSKU,DiscountedServiceCode,DiscountedUsageType,DiscountedOperation,PurchaseOption,LeaseContractLength,LeaseContractLengthUnit,ServiceCode,UsageType,Operation,Description,Instance Family,Location,Location Type,Granularity,Product Family,DiscountedRegionCode,DiscountedInstanceType
`

// A savings plan whose rates are in another currency is refused, and so is a name that no list
// has, or one of several plans that are bound to a family in a region.
func TestPlanName(t *testing.T) {
	const compute, ec2 = "ComputeSavingsPlans", "EC2InstanceSavingsPlans"
	dir := t.TempDir()
	usd := save(t, dir, "usd.csv", rateHeader+rate("USD", compute, "us-east-1", "m5", "No Upfront")+rate("USD", compute, "us-east-1", "m5", "All Upfront")+
		rate("USD", ec2, "us-east-1", "m5", "No Upfront")+rate("USD", ec2, "ap-east-2", "r7g", "No Upfront"))
	m6 := save(t, dir, "m6.csv", rateHeader+rate("USD", ec2, "us-east-1", "m6i", "All Upfront"))
	cny := save(t, dir, "cny.csv", rateHeader+rate("CNY", compute, "cn-north-1", "m5", "Partial Upfront"))
	for _, c := range []struct {
		plan, want string
		rates      int
	}{
		{"", "", 0},
		{"1y-compute-no-upfront", "", 1},
		{"1y-ec2-no-upfront/m5/us-east-1", "", 1},
		{"1y-ec2-no-upfront/R7G/ap-east-2", "", 1},
		{"1y-ec2-all-upfront", "", 1}, // the lists have one alone
		{"1y-ec2-no-upfront", "pays for one family in one region, and the price lists have 2: want one, such as 1y-ec2-no-upfront/m5/us-east-1", 0},
		{"1y-ec2-no-upfront/m5/ap-east-2", "of this name: want 1y-compute-all-upfront, 1y-compute-no-upfront, 1y-ec2-all-upfront/m6i/us-east-1, 1y-ec2-no-upfront/m5/us-east-1 or 1y-ec2-no-upfront/r7g/ap-east-2", 0},
		{"1y-compute-no-upfront/m5/us-east-1", "of this name", 0},
		{"1y-compute-partial-upfront", "in CNY, and the fleet is planned in USD", 0},
		{"1y-no-upfront", "of this name: want 1y-compute-all-upfront, 1y-compute-no-upfront", 0},
	} {
		p := Pricer{Plan: c.plan}
		if err := p.Load([]string{usd, cny, m6}); err != nil {
			t.Fatal(err)
		}
		x := group.Terms{Currency: "USD"}
		err := p.Terms(&x)
		switch {
		case c.want == "":
			if err != nil || (x.Term == 8760*time.Hour && x.Provider == "aws") != (c.plan != "") || len(p.rates) != c.rates {
				t.Errorf("-plan %q: %v, term %v", c.plan, err, x.Term)
			}
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("-plan %q: %v, want %q", c.plan, err, c.want)
		}
	}
}

// Without rates there is nothing to name.
func TestPlanNone(t *testing.T) {
	p := Pricer{Plan: "1y-compute-no-upfront"}
	if err := p.Load([]string{save(t, t.TempDir(), "prices.csv", prices)}); err != nil {
		t.Fatal(err)
	}
	if err := p.Terms(&group.Terms{Currency: "USD"}); err == nil ||
		!strings.Contains(err.Error(), "no price list has a savings plan: want a list with the rates of one") {
		t.Error(err)
	}
}

// A savings plan that is bound to a family in a region pays for use of it alone.
func TestPlanBound(t *testing.T) {
	x := termsOf()
	groups, failed := oneAccount(t, &Pricer{Plan: "1y-ec2-no-upfront"}, &x,
		[]string{prices, rateHeader + rate("USD", "EC2InstanceSavingsPlans", "us-east-1", "m5", "No Upfront")},
		row("1", "m5.large", 0, 3), row("1", "r5.large", 0, 1))
	if len(groups) != 2 || len(failed) > 0 || groups[0].Savings == 0 || groups[1].Savings != 0 {
		t.Errorf("%+v, %v", groups, failed)
	}
}

// Charges before the first hour and after the last are those of other bills: the account is not
// planned, and another is. A row without use, or with use that is no demand, does not count.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	tax := row("tax", "", -5, 0)
	tax.Charge, tax.Reason, tax.Hours, tax.Kind = usage.LeftOut, usage.Tax, usage.Amount{}, usage.Kind{Provider: "aws"}
	groups, failed := plan(t, dir, write(t, dir, "a.csv",
		row("before", "m5.large", -1, 1), row("before", "m5.large", -2, 3), row("before", "m5.large", 0, 2), row("first", "m5.large", 0, 1),
		row("last", "m5.large", hours-1, 1),
		row("after", "m5.large", hours, 1), tax, row("tax", "m5.large", 1, 1)))
	var planned []string
	for _, g := range groups {
		planned = append(planned, g.Account)
	}
	if diff := cmp.Diff([]string{"first", "last", "tax"}, planned); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"after: 1 hours of use are before 2025-11-01T00:00:00Z or 48 hours later: want bills of the hours that are planned",
		"before: 2 hours of use are before 2025-11-01T00:00:00Z or 48 hours later: want bills of the hours that are planned",
	}
	if diff := cmp.Diff(want, reasons(failed)); diff != "" {
		t.Error(diff)
	}
}

// part returns a row of a fraction of an hour.
func part(account, kind string, hour int, num, den int64) usage.Row {
	r := row(account, kind, hour, 1)
	r.Hours = usage.Units(num).Scale(1, den)
	return r
}

// Fractions of an hour add up to units of the smallest size, and none is lost or counted twice.
func TestFractions(t *testing.T) {
	dir := t.TempDir()
	var rows []usage.Row
	var want []float64 // by account
	for account, c := range []struct{ small, large int64 }{{40, 0}, {4, 0}, {99, 0}, {0, 30}, {40, 40}, {250, 0}, {300, 100}, {1, 0}, {40, 0}, {40, 0},
		{40, 0}, {40, 0}, {40, 0}} {
		for h := range hours {
			name := string(rune('a' + account))
			if c.small > 0 {
				rows = append(rows, part(name, "m5.large", h, c.small, 100))
			}
			if c.large > 0 {
				rows = append(rows, part(name, "m5.xlarge", h, c.large, 100))
			}
		}
		want = append(want, float64(c.small+2*c.large)/100)
		if c.small == 0 {
			want[account] = float64(c.large) / 100 // in units of the only size
		}
	}
	groups, failed := plan(t, dir, write(t, dir, "a.csv", rows...))
	if len(groups) != len(want) || len(failed) > 0 {
		t.Fatalf("%d groups, want %d: %v", len(groups), len(want), failed)
	}
	begins := map[int]bool{} // the first units of those that use as much
	for i, g := range groups {
		sum := 0
		for h, n := range g.Demand {
			sum += n
			if d := float64(sum) - want[i]*float64(h+1); d >= 1 || d <= -1 {
				t.Fatalf("%v: %d units in %d hours, want %v", g.Key, sum, h+1, want[i]*float64(h+1))
			}
			if float64(n) >= want[i]+1 || float64(n) <= want[i]-1 {
				t.Errorf("%v: %d units in hour %d, want %v", g.Key, n, h, want[i])
			}
		}
		if want[i] == 0.4 {
			begins[slices.Index(g.Demand, 1)] = true
		}
	}
	if len(begins) < 3 {
		t.Errorf("the groups have their units in the same hours: %v", begins)
	}
}

// A forecast keeps fractions, too.
func TestFractionsForecast(t *testing.T) {
	var rows []usage.Row
	for h := range hours {
		rows = append(rows, part("1", "m5.large", h, 2, 5))
	}
	x := termsOf()
	groups, failed := oneAccount(t, &Pricer{Model: "seasonal-naive"}, &x, []string{prices}, rows...)
	if len(groups) != 1 || len(failed) > 0 {
		t.Fatalf("%v, %v", groups, failed)
	}
	sum := 0
	for _, n := range groups[0].Demand {
		sum += n
	}
	if sum != 19 && sum != 20 { // 2/5 of 48
		t.Errorf("%d units, want 19 or 20", sum)
	}
}

// The paths of a group are futures of its forecast. They depend on the seed and on the group, and not
// on what else is read.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	var one, more []usage.Row
	for h := range hours {
		one = append(one, row("1", "m5.large", h, int64(20+h*h%7)))
		more = append(more, row("2", "m5.large", h, int64(20+h*h%7)), row("1", "r5.large", h, 1))
	}
	paths := func(seed uint64, rows ...usage.Row) map[string][][]int {
		p := Pricer{From: start, Model: "simple", Seed: seed}
		if err := p.Load([]string{save(t, dir, "prices.csv", prices)}); err != nil {
			t.Fatal(err)
		}
		x := group.Terms{Currency: "USD", Start: start.Add(hours * time.Hour), Hours: hours, Every: 24, Horizon: reserve.Pure, Paths: 30}
		got := map[string][][]int{}
		uses, _, _ := Read(write(t, dir, "a.csv", rows...))
		for _, use := range uses {
			groups, _, failed := p.Account(&x, []record.Usage{use})
			if len(failed) > 0 {
				t.Fatalf("%q", reasons(failed))
			}
			for i := range groups {
				if err := x.Check(&groups[i]); err != nil {
					t.Fatal(err)
				}
				got[groups[i].Account+groups[i].Unit] = groups[i].Paths
				if d := groups[i].Demand; d[0]-d[hours-1] > 1 || d[hours-1]-d[0] > 1 { // a forecast without a season is level
					t.Errorf("the forecast is %d", d)
				}
			}
		}
		return got
	}
	want := paths(1, one...)
	got := paths(1, append(more, one...)...)
	if diff := cmp.Diff(want["1m5.large"], got["1m5.large"]); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(got["1m5.large"], got["2m5.large"]) || cmp.Equal(want, paths(2, one...)) {
		t.Error("other groups, or another seed, have the same paths")
	}
	sum := 0
	for _, path := range want["1m5.large"] {
		for _, d := range path {
			sum += d
		}
	}
	if mean := float64(sum) / (30 * hours); mean < 20 || mean > 27 || cmp.Equal(want["1m5.large"][0], want["1m5.large"][1]) {
		t.Errorf("the paths have %v units on average: want 20 to 27, and paths that differ", mean)
	}
}

// A bill that spells a kind in two ways has one group for it, under one key, also where the
// prices of the family are not in proportion.
func TestOneKey(t *testing.T) {
	uneven := strings.Replace(prices, `"Hrs","0.2"`, `"Hrs","0.21"`, 1)
	for _, list := range []string{prices, uneven} {
		var rows []usage.Row
		for h := range hours {
			bare := row("1", "m5.large", h, 5)
			bare.Kind.System, bare.Kind.Tenancy = "", ""
			rows = append(rows, row("1", "m5.large", h, 3), bare, row("1", "m5.xlarge", h, 1))
		}
		x := termsOf()
		groups, failed := oneAccount(t, &Pricer{}, &x, []string{list}, rows...)
		got := map[string]int{}
		for _, g := range groups {
			got[g.Kind] += g.Demand[0]
		}
		want := map[string]int{"aws m5 family linux shared": 10}
		if list == uneven {
			want = map[string]int{"aws m5.large linux shared": 8, "aws m5.xlarge linux shared": 1}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(groups) != len(want) || len(failed) > 0 {
			t.Errorf("%d groups, %v: %s", len(groups), failed, diff)
		}
	}
}

// A reservation that other accounts have taken from its owner counts as what the owner had of it,
// and one that the owner did not need in each hour counts in full.
func TestHeldShared(t *testing.T) {
	ri := usage.Commitment{ID: "ri", Type: "Reserved Instance", Unit: "Hours", Quantity: usage.Units(100)}
	once := ri
	once.Quantity, once.Once = usage.Units(100*1001), true
	end := start.Add(1000 * time.Hour)
	fee := usage.Row{Account: "1", Currency: "USD", Start: start.Add(-time.Hour), End: end, Charge: usage.Purchase,
		Kind: usage.Kind{Provider: "aws", Region: "us-east-1"}, Billed: usage.Units(9), List: usage.Units(9), Commitment: once}
	for _, c := range []struct {
		covered, more int64 // by day
		night         int64 // all covered
		want          int
	}{
		{10, 50, 10, 10},  // others have 90
		{60, 0, 0, 100},   // 40 are idle
		{100, 20, 7, 100}, // all serve, and more is needed
	} {
		rows := []usage.Row{fee}
		for h := range hours {
			n, more := c.covered, c.more
			if h%2 == 1 {
				n, more = c.night, 0
			}
			if n > 0 {
				rows = append(rows, covered("1", "m5.large", h, n, ri))
			}
			if more > 0 {
				rows = append(rows, row("1", "m5.large", h, more))
			}
		}
		groups, failed := plan(t, t.TempDir(), write(t, t.TempDir(), "a.csv", rows...))
		if len(groups) != 1 || len(failed) > 0 {
			t.Fatalf("%+v: %v, %v", c, groups, failed)
		}
		if diff := cmp.Diff([]record.Contract{{ID: "ri", Units: c.want, Until: end}}, groups[0].Held); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}
