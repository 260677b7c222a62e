package focus

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Columns of clouds and of older versions say what a row is, too.
func TestOtherColumns(t *testing.T) {
	const head = "ChargeType,ChargePeriodStart,ChargePeriodEnd,BilledCost,AmortizedCost,BillingCurrency,Provider,Region,PricingCategory,UsageQuantity,UsageUnit,ChargeDescription,x_InstanceType,x_UsageType,x_Operation,x_SkuDetails,ChargeSubcategory,CommitmentDiscountId,CommitmentDiscountUnit,SkuId\n"
	row := func(with map[string]string) string {
		fields := map[string]string{"ChargeType": "Usage", "ChargePeriodStart": "2024-09-18T22:00:00Z", "ChargePeriodEnd": "2024-09-18T23:00:00Z", "BilledCost": "2", "AmortizedCost": "3",
			"BillingCurrency": "USD", "Provider": "AWS", "Region": "r", "UsageQuantity": "1", "UsageUnit": "Hours", "ChargeDescription": "x", "SkuId": "sku"}
		for k, v := range with {
			fields[k] = v
		}
		var b []byte
		for _, n := range strings.Split(strings.TrimSpace(head), ",") {
			b = append(quoted(b, fields[n]), ',')
		}
		b[len(b)-1] = '\n'
		return string(b)
	}
	type m = map[string]string
	for _, c := range []struct {
		row  m
		want string
	}{
		{m{"x_InstanceType": "m5.large"}, "aws r m5.large: 1 hours, 0 covered"},
		{m{"x_UsageType": "EU-BoxUsage:m5.large"}, "aws r m5.large: 1 hours, 0 covered"},
		{m{"x_UsageType": "EU-DedicatedUsage:m5.large"}, "aws r m5.large dedicated: 1 hours, 0 covered"},
		{m{"x_UsageType": "EU-SpotUsage:m5.large"}, usage.Spot},
		{m{"x_UsageType": "EU-BoxUsage:m5.large", "x_Operation": "RunInstances:0002"}, "aws r m5.large windows: 1 hours, 0 covered"},
		{m{"x_SkuDetails": `{"InstanceType":"c5.large","OperatingSystem":"Plan 9"}`}, "aws r c5.large plan 9: 1 hours, 0 covered"},
		{m{"x_SkuDetails": `{"InstanceType":"c5.large","Preemptible":"True"}`}, usage.Spot},
		{m{"x_SkuDetails": `{"InstanceType":"c5.large","Preemptible":"false"}`}, "aws r c5.large: 1 hours, 0 covered"},
		{m{"x_SkuDetails": `{"InstanceType":"db.r5.large","DatabaseEngine":"PostgreSQL"}`}, "aws r db.r5.large postgresql: 1 hours, 0 covered"},
		{m{"x_SkuDetails": `{"InstanceType":7,"ServiceType":"D2"}`}, "aws r D2: 1 hours, 0 covered"},
		{m{"x_SkuDetails": `{"InstanceType":`, "x_InstanceType": "m5.large"}, "aws r m5.large: 1 hours, 0 covered"},
		{m{}, usage.OtherHours},
		{m{"ChargeSubcategory": "Used Commitment", "x_InstanceType": "m5.large", "CommitmentDiscountId": "c"}, "aws r m5.large: 1 hours, 1 covered; held c"},
		{m{"ChargeSubcategory": "Unused Commitment", "CommitmentDiscountId": "c"}, "; held c"},
		{m{"ChargeSubcategory": "Refund"}, usage.Refund},
		{m{"x_InstanceType": "m5.large", "UsageQuantity": ""}, "aws r m5.large: 0 hours, 0 covered note"},
	} {
		var k usage.Collector
		if err := Read(&k, "x", strings.NewReader(head+row(c.row))); err != nil {
			t.Errorf("%v: %v", c.row, err)
			continue
		}
		b, err := k.Bill()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range b.Demand {
			used, covered := d.Hours()
			got += fmt.Sprintf("%v: %v hours, %v covered", d.Kind, used, covered)
		}
		for _, l := range b.Files[0].Left {
			got += l.Reason
		}
		for _, h := range b.Held {
			got += "; held " + h.ID
		}
		for _, n := range b.Notes {
			if strings.Contains(n.Text, "without a quantity") {
				got += " note"
			}
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.row, got, c.want)
		}
		if f := b.Files[0]; f.Format != "FOCUS 1.0-preview (csv)" && !strings.Contains(f.Format, "1.0-preview") || f.Total.Billed.String() != "2" {
			t.Errorf("%+v", f)
		}
		lists := 0
		for _, n := range b.Notes {
			if strings.HasPrefix(n.Text, "no column ListCost") {
				lists++
			}
		}
		if lists != 1 {
			t.Errorf("notes %+v", b.Notes)
		}
	}
	for header, want := range map[string]string{
		"ChargeType,ChargePeriodStart,BilledCost": "1.0", "ChargeType,BilledCost": "", "ChargePeriodStart,BilledCost": "", "ChargeCategory,EffectiveCost": "1.0", "ChargeCategory": "", "ContractCommitmentId": "1.3",
	} {
		if got := Version(strings.Split(header, ",")); got != want {
			t.Errorf("%s: version %q, want %q", header, got, want)
		}
	}
}

// Contract commitments need an ID and two times, and their amounts are numbers.
func TestContractRows(t *testing.T) {
	const head = "ContractCommitmentId,ContractCommitmentPeriodStart,ContractCommitmentPeriodEnd,ContractCommitmentCost,ContractCommitmentQuantity,BillingCurrency\n"
	for row, says := range map[string]string{
		",2024-01-01,2025-01-01,1,2,USD":   "line 2, column 1 (ContractCommitmentId)",
		"c,x,2025-01-01,1,2,USD":           "line 2, column 2 (ContractCommitmentPeriodStart)",
		"c,2024-01-01,,1,2,USD":            "line 2, column 3 (ContractCommitmentPeriodEnd)",
		"c,2024-01-01,2025-01-01,x,2,USD":  "line 2, column 4 (ContractCommitmentCost)",
		"c,2024-01-01,2025-01-01,1,2x,USD": "line 2, column 5 (ContractCommitmentQuantity)",
		"c,2024-01-01,2025-01-01,1,2,USD":  "",
		"c,2024-01-01,2025-01-01,,,USD":    "",
	} {
		var c usage.Collector
		err := Read(&c, "x", strings.NewReader(head+row+"\n"))
		var in *pricing.InputError
		if says == "" && err != nil || says != "" && (!errors.As(err, &in) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", row, err, says)
		}
	}
}

// What is written of each kind of row is read again as it was, in its month.
func TestWrittenRows(t *testing.T) {
	east := time.FixedZone("east", 3*3600)
	start := time.Date(2024, 9, 1, 1, 0, 0, 0, east) // still August in UTC
	kind := usage.Kind{Provider: "aws", Region: "eu-west-1", Type: "m5.large", System: "linux", Tenancy: "shared"}
	c := usage.Commitment{ID: "c", Name: "plan", Type: "Savings Plan", Spend: true, Unit: "USD", Quantity: units(t, "2")}
	base := usage.Row{Account: "1", Currency: "USD", Start: start, End: start.Add(time.Hour), Billed: units(t, "1.5"), Effective: units(t, "2.5"), List: units(t, "3"), Kind: usage.Kind{Provider: "aws", Region: "eu-west-1"}}
	row := func(change func(r *usage.Row)) usage.Row { r := base; change(&r); return r }
	rows := []usage.Row{
		row(func(r *usage.Row) { r.Charge, r.Kind, r.Hours = usage.OnDemand, kind, units(t, "1") }),
		row(func(r *usage.Row) { r.Charge, r.Kind, r.Hours, r.Commitment = usage.Covered, kind, units(t, "1"), c }),
		row(func(r *usage.Row) { r.Charge, r.Commitment, r.Kind = usage.Unused, c, kind }),
		row(func(r *usage.Row) { r.Charge, r.Commitment, r.Commitment.Once = usage.Purchase, c, true }),
		row(func(r *usage.Row) {
			r.Charge, r.Commitment, r.Commitment.Spend, r.Commitment.Unit, r.Kind = usage.Purchase, c, false, "Hours", kind
		}),
	}
	for _, reason := range []string{usage.Tax, usage.Credit, usage.Refund, usage.OtherFee, usage.Spot, usage.OtherUsage, usage.OtherHours} {
		rows = append(rows, row(func(r *usage.Row) { r.Reason = reason }))
	}
	rows = append(rows, row(func(r *usage.Row) { r.Reason, r.Commitment = usage.OtherUsage, c }))
	rows = append(rows, row(func(r *usage.Row) {
		r.Reason, r.Start, r.End = usage.Tax, start.AddDate(1, 0, 0), start.AddDate(1, 0, 1)
	}))
	var text bytes.Buffer
	w := NewWriter(&text)
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	col := map[string]int{}
	for i, n := range lines[0] {
		col[n] = i
	}
	var got []string
	for _, f := range lines[1:] {
		var s []string
		for _, n := range []string{"BillingPeriodStart", "BillingPeriodEnd", "ChargeCategory", "ChargeDescription", "ChargeFrequency", "CommitmentDiscountCategory", "CommitmentDiscountStatus", "CommitmentDiscountQuantity", "PricingCategory", "PricingQuantity", "PricingUnit", "ServiceCategory"} {
			s = append(s, f[col[n]])
		}
		got = append(got, strings.Join(s, "|"))
		// Of what instances a row is stands where it uses or buys some.
		if i, details := len(got)-1, f[col["SkuPriceDetails"]]; (details != "") != (i == 0 || i == 1 || i == 4) {
			t.Errorf("row %d has details %q", i, details)
		}
	}
	const month = "2024-08-01T00:00:00Z|2024-09-01T00:00:00Z|"
	want := []string{
		month + "Usage|m5.large|Usage-Based||||Standard|1|Hours|Compute",
		month + "Usage|m5.large|Usage-Based|Spend|Used|2|Committed|1|Hours|Compute",
		month + "Usage|unused part of plan|Usage-Based|Spend|Unused|2|Committed|2|USD|Compute",
		month + "Purchase|purchase of plan|One-Time|Spend||2|Standard|2|USD|Compute",
		month + "Purchase|purchase of plan|Recurring|Usage||2|Standard|2|Hours|Compute",
		month + "Tax||One-Time|||||||Other",
		month + "Credit||One-Time||||Other|||Other",
		month + "Adjustment||One-Time|||||||Other",
		month + "Purchase||Recurring||||Standard|||Other",
		month + "Usage|spot usage, which no commitment covers|Usage-Based||||Dynamic|||Other",
		month + "Usage|usage of something other than instances|Usage-Based||||Standard|||Other",
		month + "Usage|hours of something without a type of instance|Usage-Based||||Standard|0|Hours|Other",
		month + "Usage|usage of something other than instances|Usage-Based|Spend|Used|2|Committed|2|USD|Other",
		"2025-08-01T00:00:00Z|2025-09-01T00:00:00Z|Tax||One-Time|||||||Other",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
