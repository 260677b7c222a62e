package focus

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

const head = "ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BilledCost,EffectiveCost,ListCost,BillingCurrency,BillingAccountId,ProviderName,RegionId,PricingCategory,PricingQuantity,PricingUnit,ConsumedQuantity,ConsumedUnit,ChargeDescription,SkuPriceDetails,CommitmentDiscountId,CommitmentDiscountCategory,CommitmentDiscountStatus,CommitmentDiscountQuantity,CommitmentDiscountUnit,ChargeFrequency\n"

// line is a row of head, with some columns replaced.
func line(with map[string]string) string {
	names := strings.Split(strings.TrimSpace(head), ",")
	fields := map[string]string{
		"ChargeCategory": "Usage", "ChargePeriodStart": "2024-09-18T22:00:00Z", "ChargePeriodEnd": "2024-09-18T23:00:00Z",
		"BilledCost": "0.0464", "EffectiveCost": "0.0464", "ListCost": "0.0464", "BillingCurrency": "USD", "BillingAccountId": "1", "ProviderName": "AWS", "RegionId": "us-west-2",
		"PricingCategory": "Standard", "PricingQuantity": "1.000", "PricingUnit": "Hours", "ConsumedQuantity": "1.000", "ConsumedUnit": "Hours",
		"ChargeDescription": "$0.0464 per On Demand Linux t2.medium Instance Hour", "ChargeFrequency": "Usage-Based",
	}
	for k, v := range with {
		fields[k] = v
	}
	var b []byte
	for _, n := range names {
		b = append(quoted(b, fields[n]), ',')
	}
	b[len(b)-1] = '\n'
	return string(b)
}

func read(t testing.TB, texts ...string) *usage.Bill {
	t.Helper()
	var c usage.Collector
	for i, text := range texts {
		if err := Read(&c, fmt.Sprint(i), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := c.Bill()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func units(t testing.TB, s string) usage.Amount {
	t.Helper()
	a, _, err := usage.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What a row of each form is: the hours of demand, covered or not, or the reason for
// which it is left out.
func TestRows(t *testing.T) {
	type row = map[string]string
	const details = `{"InstanceType":"m6i.large","OperatingSystem":"Windows","x_Tenancy":"Dedicated"}`
	for _, c := range []struct {
		name string
		row  row
		want string
	}{
		{"on demand", row{}, "aws us-west-2 t2.medium linux: 1 hours, 0 covered"},
		{"nulls", row{"SkuPriceDetails": "NULL", "CommitmentDiscountId": "null", "CommitmentDiscountStatus": "Null", "PricingQuantity": "NULL"}, "aws us-west-2 t2.medium linux: 1 hours, 0 covered"},
		{"details", row{"SkuPriceDetails": details}, "aws us-west-2 m6i.large windows dedicated: 1 hours, 0 covered"},
		{"other cases", row{"ChargeCategory": "USAGE", "PricingUnit": "hrs", "ChargePeriodStart": "2024-09-18 22:00:00"}, "aws us-west-2 t2.medium linux: 1 hours, 0 covered"},
		{"blocks of units", row{"PricingQuantity": "0.01", "PricingUnit": "100 Hours", "ConsumedUnit": "Units"}, "aws us-west-2 t2.medium linux: 1 hours, 0 covered"},
		{"seconds", row{"PricingQuantity": "5400", "PricingUnit": "Seconds"}, "aws us-west-2 t2.medium linux: 1.5 hours, 0 covered"},
		{"consumed alone", row{"PricingUnit": "Units", "ConsumedQuantity": "0.25"}, "aws us-west-2 t2.medium linux: 0.25 hours, 0 covered"},
		{"negative", row{"PricingQuantity": "-1", "BilledCost": "-0.0464", "EffectiveCost": "-0.0464"}, "aws us-west-2 t2.medium linux: -1 hours, 0 covered"},
		{"covered", row{"PricingCategory": "Committed", "CommitmentDiscountId": "sp", "CommitmentDiscountStatus": "Used"}, "aws us-west-2 t2.medium linux: 1 hours, 1 covered"},
		{"a day", row{"ChargePeriodStart": "2024-09-18", "ChargePeriodEnd": "2024-09-19", "PricingQuantity": "24"}, "aws us-west-2 t2.medium linux: 24 hours, 0 covered"},
		{"cores", row{"ProviderName": "Google Cloud", "ChargeDescription": "N2 Instance Core running in Americas", "PricingQuantity": "16"}, "gcp us-west-2 N2 core: 16 hours, 0 covered"},
		{"azure", row{"ProviderName": "Microsoft", "ChargeDescription": "x", "SkuPriceDetails": `{"UsageType":"ComputeHR","ServiceType":"Standard_D2s_v3","ImageType":"Windows Server BYOL"}`}, "azure us-west-2 Standard_D2s_v3 windows byol: 1 hours, 0 covered"},
		{"unused", row{"CommitmentDiscountId": "sp", "CommitmentDiscountStatus": "Unused"}, ""},
		{"month", row{"ChargePeriodEnd": "2024-10-18T22:00:00Z"}, usage.LongUsage},
		{"spot", row{"PricingCategory": "Dynamic"}, usage.Spot},
		{"spot by its description", row{"ChargeDescription": "Spot Preemptible N2 Instance Core running in Americas"}, usage.Spot},
		{"throughput", row{"ChargeDescription": "$0.00 for 175 Mbps per t3a.small instance-hour (or partial hour)"}, usage.OtherHours},
		{"gateway", row{"ChargeDescription": "$0.045 per NAT Gateway Hour"}, usage.OtherHours},
		{"storage", row{"PricingUnit": "GB-Months", "ConsumedUnit": "GB-Months"}, usage.OtherUsage},
		{"tax", row{"ChargeCategory": "Tax", "PricingUnit": "", "PricingQuantity": ""}, usage.Tax},
		{"credit", row{"ChargeCategory": "Credit"}, usage.Credit},
		{"adjustment", row{"ChargeCategory": "Adjustment"}, usage.Refund},
		{"fee", row{"ChargeCategory": "Purchase"}, usage.OtherFee},
		{"unknown", row{"ChargeCategory": "Marketplace"}, "charge category Marketplace"},
		{"nothing", row{"ChargeCategory": ""}, "no charge category"},
		{"fargate under a plan", row{"ChargeDescription": "AWS Fargate - Memory", "CommitmentDiscountId": "sp", "CommitmentDiscountCategory": "Spend", "CommitmentDiscountStatus": "Used", "CommitmentDiscountQuantity": "2", "CommitmentDiscountUnit": "USD"}, usage.OtherHours},
	} {
		b := read(t, head+line(c.row))
		got := ""
		for _, d := range b.Demand {
			used, covered := d.Hours()
			got += fmt.Sprintf("%v: %v hours, %v covered", d.Kind, used, covered)
		}
		for _, l := range b.Files[0].Left {
			got += l.Reason
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if c.row["CommitmentDiscountId"] == "sp" && (len(b.Held) != 1 || b.Held[0].ID != "sp") {
			t.Errorf("%s: held %+v", c.name, b.Held)
		}
	}
}

func TestErrors(t *testing.T) {
	type row = map[string]string
	zip := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(s))
		w.Close()
		return b.String()
	}
	long := zip(head + strings.Repeat(line(nil), 1) + strings.Repeat(line(row{"ChargeCategory": "Tax"}), 1))
	for _, c := range []struct {
		text string
		want error
		says string
	}{
		{"", usage.ErrForm, "focus: line 1: not a bill of this form: the file is empty: want a FOCUS export"},
		{"lineItem/UsageType,lineItem/UnblendedCost\n", usage.ErrForm, "the columns lineItem/UsageType, lineItem/UnblendedCost: want those of a FOCUS export"},
		{"a,b,c,d\n", usage.ErrForm, "the columns a, b, c, d: want those"},
		{"a,b,c,d,e\n", usage.ErrForm, "the columns a, b, c, d, ...: want those"},
		{strings.Repeat("x", 120) + "\n", usage.ErrForm, strings.Repeat("x", 120) + ": want those"},
		{strings.Repeat("x", 121) + "\n", usage.ErrForm, " " + strings.Repeat("x", 120) + "...: want those"},
		{strings.Replace(head, "ChargePeriodEnd", "End", 1), usage.ErrMissing, "focus: line 1 (ChargePeriodEnd): missing: the column: want one in a FOCUS export of version 1.1"},
		{strings.Replace(head, "ListCost", "billed_cost", 1), usage.ErrRepeated, "focus: line 1, column 6 (billed_cost): counted twice: the column: want it once"},
		{head + line(row{"BilledCost": "1,5"}), usage.ErrSyntax, `focus: line 2, column 4 (BilledCost): malformed text: "1,5": want a number such as 0.0464`},
		{head + line(row{"EffectiveCost": "5 USD"}), usage.ErrSyntax, `line 2, column 5 (EffectiveCost)`},
		{head + line(row{"PricingQuantity": "one"}), usage.ErrSyntax, `line 2, column 12 (PricingQuantity)`},
		{head + line(row{"CommitmentDiscountId": "c", "CommitmentDiscountQuantity": "all"}), usage.ErrSyntax, `line 2, column 21 (CommitmentDiscountQuantity)`},
		{head + line(row{"ListCost": "$5"}), usage.ErrSyntax, `line 2, column 6 (ListCost)`},
		{head + line(row{"BilledCost": "1e30"}), usage.ErrRange, `line 2, column 4 (BilledCost): value out of range`},
		{head + line(nil) + "\n\n" + line(row{"ChargePeriodEnd": "2023-02-01T30:00:00Z"}), usage.ErrSyntax, `focus: line 5, column 3 (ChargePeriodEnd): malformed text: "2023-02-01T30:00:00Z": want a time such as 2024-09-18T22:00:00Z`},
		{head + line(row{"ChargePeriodStart": ""}), usage.ErrMissing, "focus: line 2, column 2 (ChargePeriodStart): missing: no time: want one"},
		{head + line(nil) + line(row{"BillingCurrency": "EUR"}), usage.ErrCurrency, "focus: line 3 (currency): mixed currencies: EUR: want USD as in a.csv, line 2"},
		{head + line(nil) + line(row{"ChargeCategory": "Tax"}) + line(nil), usage.ErrRepeated, "focus: line 4: counted twice: the row is the same as a.csv, line 2"},
		{head + line(nil) + head + line(nil), usage.ErrForm, "focus: line 3, column 1 (ChargeCategory): not a bill of this form: the header again: want one file after the other"},
		{head + line(nil)[:60], usage.ErrTruncated, "focus: line 2: file ends too early: in the middle of a row"},
		{head + "Usage,1,2\n", usage.ErrSyntax, "focus: line 2: malformed text: wrong number of fields: 3: want 23, as in the header"},
		{long[:len(long)-9], usage.ErrTruncated, "in the middle of gzip data: want the whole file"},
		{head + line(row{"ChargePeriodStart": "2024-09-19T22:00:00Z"}), usage.ErrRange, "want an end after the start"},
		{"ContractCommitmentId,ContractCommitmentPeriodStart\nx,2024-01-01\n", usage.ErrMissing, "(ContractCommitmentPeriodEnd)"},
		{"ContractCommitmentId,ContractCommitmentPeriodStart,ContractCommitmentPeriodEnd\n,2024-01-01,2025-01-01\n", usage.ErrMissing, "focus: line 2, column 1 (ContractCommitmentId): missing: no ID: want one"},
		{"ContractCommitmentId,ContractCommitmentPeriodStart,ContractCommitmentPeriodEnd\nx,2024-01-01,2024-01-01\n", usage.ErrRange, "want an end after the start"},
	} {
		var col usage.Collector
		err := Read(&col, "a.csv", strings.NewReader(c.text))
		var in *pricing.InputError
		if !errors.Is(err, c.want) || !errors.As(err, &in) || in.Package != "focus" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got  %v\nwant %v: %s", err, c.want, c.says)
		}
	}
	failed := errors.New("failed")
	if err := Read(new(usage.Collector), "a", io.MultiReader(strings.NewReader(head), iotest.ErrReader(failed))); err != failed {
		t.Errorf("%v, want the error of the source", err)
	}
	// Two files: one row in both, and two versions for one hour.
	var c usage.Collector
	if err := Read(&c, "a.csv", strings.NewReader(head+line(nil))); err != nil {
		t.Fatal(err)
	}
	if err := Read(&c, "b.csv", strings.NewReader(head+line(row{"ChargeCategory": "Tax"})+line(nil))); !errors.Is(err, usage.ErrRepeated) ||
		!strings.Contains(err.Error(), "focus: line 3: counted twice: the row is a.csv, line 2, too: want bills that do not overlap") {
		t.Error(err)
	}
	if err := Read(&c, "b.csv", strings.NewReader("HostProviderName,"+head+"AWS,"+line(row{"ListCost": "7"}))); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Bill(); !errors.Is(err, usage.ErrRepeated) || !strings.Contains(err.Error(), "b.csv (FOCUS 1.3 (csv)) and a.csv (FOCUS 1.1 (csv)) both charge account") {
		t.Error(err)
	}
	for name, f := range map[string]func(){
		"flush": func() { new(Writer).Flush() },
		"write": func() { new(Writer).Write(new(usage.Row)) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "focus: ") || !strings.HasSuffix(s, "has not made") {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			f()
		}()
	}
	func() {
		defer func() {
			if s, _ := recover().(string); !strings.HasPrefix(s, "focus: ") {
				t.Errorf("panic %q", s)
			}
		}()
		d, err := NewDecoder(&c, "c", "csv", []string{"ChargeCategory", "BilledCost", "ChargePeriodStart", "ChargePeriodEnd"})
		if err != nil {
			t.Fatal(err)
		}
		d(2, nil, nil)
	}()
}

func TestVersion(t *testing.T) {
	for header, want := range map[string]string{
		head:                                     "1.1",
		"ChargeCategory;BilledCost":              "1.0",
		"charge_category,billed_cost,invoice_id": "1.2",
		"\ufeff\"ChargeCategory\",\"EffectiveCost\",\"ContractApplied\"\r":               "1.3",
		"ChargeCategory,BilledCost,HostProviderName,CommitmentProgramEligibilityDetails": "1.4",
		"ContractCommitmentId,x":                                     "1.3",
		"ContractCommitmentId,ContractCommitmentFulfillmentInterval": "1.4",
		"ChargeCategory,ChargeSubcategory,BilledCost,UsageQuantity":  "1.0-preview",
		"lineItem/UsageStartDate,lineItem/UnblendedCost":             "", "": "", "ChargeCategory": "",
	} {
		fields := strings.FieldsFunc(header, func(r rune) bool { return strings.ContainsRune(",;\"\r\n\ufeff", r) })
		if got := Version(fields); got != want {
			t.Errorf("%q: version %q, want %q", header, got, want)
		}
	}
}

// A FOCUS 1.0 export has no quantity of commitments: money is the effective cost, and
// hours are the hours.
func TestWithoutQuantity(t *testing.T) {
	cut := func(s string) string {
		s = strings.Replace(s, "CommitmentDiscountQuantity", "x_Quantity", 1)
		return strings.Replace(s, "CommitmentDiscountUnit", "x_Unit", 1)
	}
	// Without a category, a unit of three capitals is a currency; a purchase without a quantity buys an unknown one.
	for unit, want := range map[string]bool{"USD": true, "hrs": false, "HOURS": false, "Usd": false, "": false} {
		b := read(t, head+line(map[string]string{"CommitmentDiscountId": "c", "CommitmentDiscountStatus": "Used", "CommitmentDiscountQuantity": "1", "CommitmentDiscountUnit": unit}))
		if len(b.Held) != 1 || b.Held[0].Spend != want || b.Held[0].Unit != unit || b.Held[0].Used != usage.Units(1) {
			t.Errorf("a unit of %q: %+v, want spend %v", unit, b.Held, want)
		}
	}
	b := read(t, cut(head)+
		line(map[string]string{"CommitmentDiscountId": "sp", "CommitmentDiscountCategory": "Spend", "CommitmentDiscountStatus": "Used", "EffectiveCost": "0.03"})+
		line(map[string]string{"CommitmentDiscountId": "ri", "CommitmentDiscountCategory": "Usage", "CommitmentDiscountStatus": "Used", "PricingQuantity": "0.5"}))
	if len(b.Held) != 2 || b.Held[0].Used != units(t, "0.5") || b.Held[0].Unit != "Hours" || b.Held[1].Used != units(t, "0.03") || b.Held[1].Unit != "USD" {
		t.Errorf("%+v", b.Held)
	}
}

// A bill says the same, whichever column comes first.
func TestColumnsInAnyOrder(t *testing.T) {
	text := head + line(nil)
	for _, with := range []map[string]string{
		{"ChargeCategory": "Tax"}, {"BillingAccountId": "2"}, {"ProviderName": "Microsoft"}, {"RegionId": "eu"}, {"PricingCategory": "Dynamic"},
		{"PricingUnit": "100 Hours"}, {"PricingUnit": "Units", "ConsumedUnit": "Minutes"}, {"ChargeDescription": "NAT Gateway Hour"},
		{"SkuPriceDetails": `{"InstanceType":"c5.large"}`}, {"CommitmentDiscountId": "a"}, {"CommitmentDiscountId": "b"},
		{"CommitmentDiscountId": "a", "CommitmentDiscountStatus": "Unused"}, {"CommitmentDiscountId": "b", "CommitmentDiscountCategory": "Spend"},
		{"CommitmentDiscountId": "b", "CommitmentDiscountQuantity": "0.25", "CommitmentDiscountUnit": "Hrs"},
		{"ChargeCategory": "Purchase", "CommitmentDiscountId": "d"}, {"ChargeCategory": "Purchase", "CommitmentDiscountId": "e", "ChargeFrequency": "One-Time"},
		{"BilledCost": "0.1234567890123456789", "EffectiveCost": "7", "ListCost": ""}, {"ChargePeriodEnd": "2024-09-19T00:00:00Z", "PricingQuantity": "2"},
	} {
		text += line(with)
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, text)
	if len(want.Demand) < 4 || len(want.Held) < 4 || !slices.ContainsFunc(want.Notes, func(n usage.Note) bool {
		return n.Text == "numbers with more than eighteen decimals, rounded"
	}) {
		t.Errorf("%+v", want)
	}
	for k := range rows[0] {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		for _, r := range rows {
			w.Write(append(slices.Clone(r[k:]), r[:k]...))
		}
		w.Flush()
		got := read(t, b.String())
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b usage.Amount) bool { return a == b }), cmpopts.IgnoreUnexported(usage.Bill{})); diff != "" {
			t.Errorf("%s first (-want +got):\n%s", rows[0][k], diff)
		}
	}
	// Quantities that have one unit; costs without an effective one, which is no difference to the billed one.
	b := read(t, strings.Replace(head, "PricingUnit", "x_Unit", 1)+line(map[string]string{"PricingQuantity": "3", "ConsumedQuantity": ""}))
	if used, _ := b.Demand[0].Hours(); used != usage.Units(3) {
		t.Errorf("%v hours, want 3", used)
	}
	// A detail that is no text says nothing, and takes nothing back.
	b = read(t, "x_SkuDetails,"+head+`"{""InstanceType"":7}",`+line(map[string]string{"SkuPriceDetails": `{"InstanceType":"c5.large"}`}))
	if b.Demand[0].Kind.Type != "c5.large" {
		t.Errorf("%v", b.Demand[0].Kind)
	}
	b = read(t, strings.Replace(head, "EffectiveCost", "x_Cost", 1)+line(map[string]string{"ChargeCategory": "Tax"}))
	if len(b.Notes) != 1 || !strings.HasPrefix(b.Notes[0].Text, "no column EffectiveCost") {
		t.Errorf("notes %+v, want one of the column alone", b.Notes)
	}
}

// madeUp writes a bill of some hours with every kind of row, and returns it with what
// it should add up to.
func madeUp(t testing.TB, hours, kinds int, seed uint64) ([]byte, *usage.Bill) {
	rnd := rand.New(rand.NewPCG(seed, 17))
	var b bytes.Buffer
	w := NewWriter(&b)
	var want usage.Collector
	want.Begin("made up", "FOCUS 1.3 (csv)")
	line := 2
	add := func(r usage.Row) {
		t.Helper()
		r.Line, r.Account, r.Currency = line, "1", "USD"
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
		if err := want.Add(&r); err != nil {
			t.Fatal(err)
		}
		line++
	}
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	nanos := func(most int64) usage.Amount {
		a := usage.Units(rnd.Int64N(most))
		return a.Scale(1, 1e9)
	}
	systems := []string{"linux", "windows", "rhel", "windows sql std", ""}
	plan := usage.Commitment{ID: "arn:aws:savingsplans::1:savingsplan/a", Name: "Compute, \"1yr\"", Type: "Savings Plan", Spend: true, Unit: "USD"}
	for h := range hours {
		row := usage.Row{Start: start.Add(time.Duration(h) * time.Hour), End: start.Add(time.Duration(h+1) * time.Hour)}
		for k := range kinds {
			r := row
			r.Kind = usage.Kind{Provider: "aws", Region: []string{"eu-west-1", "us-east-1"}[k%2], Type: []string{"m5.large", "m5.xlarge", "c6g.2xlarge"}[k%3], System: systems[k%5], Tenancy: "shared"}
			r.Charge, r.Hours = usage.OnDemand, nanos(50e9)
			r.Billed, r.List = nanos(9e9), nanos(9e9)
			r.Effective = r.Billed
			add(r)
			r.Charge, r.Billed, r.Commitment = usage.Covered, usage.Amount{}, plan
			r.Hours = nanos(50e9)
			r.Commitment.Quantity = r.Effective
			add(r)
		}
		buy := row
		buy.Kind, buy.Charge, buy.Commitment = usage.Kind{Provider: "aws", Region: "eu-west-1"}, usage.Purchase, plan
		buy.Billed = usage.Units(10)
		buy.List, buy.Commitment.Quantity = buy.Billed, buy.Billed
		buy.Commitment.Region = "eu-west-1"
		add(buy)
		buy.Charge, buy.Billed, buy.Effective, buy.Commitment.Quantity = usage.Unused, usage.Amount{}, nanos(1e9), nanos(1e9)
		add(buy)
		for i, reason := range []string{usage.Tax, usage.Credit, usage.Refund, usage.OtherUsage, usage.OtherHours, usage.OtherFee, usage.Spot} {
			if (h+i)%5 == 0 {
				r := row
				r.Kind, r.Reason, r.Billed = usage.Kind{Provider: "aws"}, reason, nanos(1e9)
				r.Effective = r.Billed
				if reason == usage.Credit {
					r.Billed, r.Effective = r.Billed.Neg(), r.Effective.Neg()
				}
				add(r)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	bill, err := want.Bill()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), bill
}

// What is written is read back: the same demand, commitments and money. Seed 1.
func TestRoundTrip(t *testing.T) {
	text, want := madeUp(t, 200, 12, 1)
	var c usage.Collector
	if err := Read(&c, "made up", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	got, err := c.Bill()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b usage.Amount) bool { return a == b }), cmpopts.IgnoreUnexported(usage.Bill{})); diff != "" {
		t.Errorf("(-want +got):\n%.3000s", diff)
	}
}

func TestContractsRoundTrip(t *testing.T) {
	start := time.Date(2026, 5, 1, 18, 0, 0, 0, time.UTC)
	want := []usage.Contract{
		{ID: "a,b", Type: "Reserved Instance", Description: "say \"1yr\"", Cost: units(t, "2243.68128"), Quantity: units(t, "35040"), Unit: "Hours", Currency: "USD", Start: start, End: start.AddDate(1, 0, 0)},
		{ID: "m", Type: "Minimum Spend", Spend: true, Cost: units(t, "120000"), Currency: "USD", Start: start, End: start.AddDate(1, 0, 0)},
	}
	var b bytes.Buffer
	if err := WriteContracts(&b, want); err != nil {
		t.Fatal(err)
	}
	bill := read(t, b.String())
	if len(bill.Held) != 1 || bill.Held[0].PerHour != units(t, "4") || bill.Held[0].Name != "say \"1yr\"" || !bill.Held[0].End.Equal(start.AddDate(1, 0, 0)) {
		t.Errorf("%+v", bill.Held)
	}
	want[1].Line = 3
	if diff := cmp.Diff(want[1:], bill.Agreements, cmp.Comparer(func(a, b usage.Amount) bool { return a == b }), cmpopts.IgnoreUnexported(usage.Bill{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteErrors(t *testing.T) {
	for _, r := range []usage.Row{{Charge: usage.OnDemand}, {Reason: "because"}, {Reason: usage.Tax, Start: time.Unix(1, 0)}} {
		var in *pricing.InputError
		if err := NewWriter(io.Discard).Write(&r); !errors.As(err, &in) || in.Package != "focus" {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// Whatever is read: no panic, an error with a sentinel, and nothing lost.
func FuzzRead(f *testing.F) {
	text, _ := madeUp(f, 2, 2, 1)
	f.Add(text)
	f.Add([]byte(head + line(nil)))
	f.Add([]byte("ContractCommitmentId,ContractCommitmentPeriodStart,ContractCommitmentPeriodEnd,ContractCommitmentCost\nx,2024-01-01,2025-01-01,5\n"))
	f.Add([]byte("ChargeCategory;BilledCost;ChargePeriodStart;ChargePeriodEnd;SkuPriceDetails;PricingUnit;PricingQuantity\nUsage;1e-19;0001-01-01;9999-12-31T24:00Z;{\"InstanceType\":\"x\"};Hours;-1\n"))
	f.Fuzz(func(t *testing.T, data []byte) { readertest.Any(t, Read, data) })
}

func TestAllocs(t *testing.T) {
	text, _ := madeUp(t, 40, 12, 1)
	rows := bytes.SplitAfter(text, []byte("\n"))
	names := strings.Split(strings.TrimSpace(string(rows[0])), ",")
	var c usage.Collector
	d, err := NewDecoder(&c, "x", "csv", names)
	if err != nil {
		t.Fatal(err)
	}
	fields := bytes.Split(bytes.TrimSpace([]byte(line(nil))), []byte(","))
	d2, err := NewDecoder(&c, "y", "csv", strings.Split(strings.TrimSpace(head), ","))
	if err != nil {
		t.Fatal(err)
	}
	_ = d
	run := func() {
		if err := d2(2, fields, nil); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := allocs.Once(run); n != 0 {
		t.Errorf("%v allocations for a row like the one before", n)
	}
	w := NewWriter(io.Discard)
	row := usage.Row{Charge: usage.OnDemand, Kind: usage.Kind{Provider: "aws", Type: "m5.large"}, Start: time.Unix(0, 0), End: time.Unix(3600, 0), Hours: usage.Units(1)}
	write := func() {
		if err := w.Write(&row); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if n := allocs.Once(write); n != 0 {
		t.Errorf("%v allocations for writing a row", n)
	}
}

func BenchmarkRead(b *testing.B) {
	text, _ := madeUp(b, 24*20, 40, 1)
	rows := bytes.Count(text, []byte("\n")) - 1
	b.Run("made-up", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var c usage.Collector
			if err := Read(&c, "x", bytes.NewReader(text)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

func BenchmarkWrite(b *testing.B) {
	w := NewWriter(io.Discard)
	row := usage.Row{Charge: usage.OnDemand, Kind: usage.Kind{Provider: "aws", Region: "eu-west-1", Type: "m5.large"}, Start: time.Unix(0, 0), End: time.Unix(3600, 0), Hours: usage.Units(1)}
	for b.Loop() {
		if err := w.Write(&row); err != nil {
			b.Fatal(err)
		}
	}
}
