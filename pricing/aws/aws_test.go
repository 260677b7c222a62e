package aws

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// header has the columns that are read, and one that is not.
func header(snake bool) string {
	all := []string{"identity/LineItemId"}
	for _, n := range names {
		all = append(all, n[0])
	}
	if snake {
		for i, n := range all {
			var b strings.Builder
			for j, c := range n {
				switch {
				case c == '/':
					b.WriteByte('_')
				case c >= 'A' && c <= 'Z':
					if j > 0 && n[j-1] != '/' {
						b.WriteByte('_')
					}
					b.WriteRune(c + 'a' - 'A')
				default:
					b.WriteRune(c)
				}
			}
			all[i] = b.String()
		}
	}
	return strings.Join(all, ",") + "\n"
}

// item is a line of header, an hour on a linux m5.large, with some columns replaced.
func item(id int, with map[int]string) string {
	fields := map[int]string{
		start: "2024-09-18T22:00:00Z", end: "2024-09-18T23:00:00Z", unblended: "0.096", usageAmount: "1", publicCost: "0.096",
		periodStart: "2024-09-01T00:00:00.000Z", periodEnd: "2024-10-01T00:00:00.000Z", payer: "1", itemType: "Usage", currency: "USD", productCode: "AmazonEC2",
		usageType: "EUW1-BoxUsage:m5.large", operation: "RunInstances", zone: "eu-west-1a", unit: "Hrs", instanceType: "m5.large", operatingSystem: "Linux", tenancy: "Shared", regionCode: "eu-west-1",
		description: "$0.096 per On Demand Linux m5.large Instance Hour",
	}
	for k, v := range with {
		fields[k] = v
	}
	row := []string{fmt.Sprint("id", id)}
	for col := range names {
		row = append(row, fields[col])
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(row)
	w.Flush()
	return b.String()
}

func read(t testing.TB, text string) *usage.Bill {
	t.Helper()
	var c usage.Collector
	if err := Read(&c, "x", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	b, err := c.Bill()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What a line of each type is, and what it costs effectively.
func TestLines(t *testing.T) {
	type with = map[int]string
	const ri, sp = "arn:aws:ec2:eu-west-1:1:reserved-instances/r", "arn:aws:savingsplans::1:savingsplan/s"
	for _, c := range []struct {
		name string
		with with
		want string
	}{
		{"usage", with{}, "on demand 0.096 0.096, aws eu-west-1 m5.large linux shared 1 0"},
		{"windows", with{operation: "RunInstances:0002", operatingSystem: ""}, "on demand 0.096 0.096, aws eu-west-1 m5.large windows shared 1 0"},
		{"by zone and usage type", with{regionCode: "", region: "", instanceType: "", tenancy: "", unit: ""}, "on demand 0.096 0.096, aws eu-west-1 m5.large linux shared 1 0"},
		{"map of a report 2.0", with{instanceType: "", operatingSystem: "", regionCode: "", operation: "", product: `{"instance_type":"m5.large","operating_system":"Windows","region_code":"eu-west-2"}`},
			"on demand 0.096 0.096, aws eu-west-2 m5.large windows shared 1 0"},
		{"database", with{usageType: "InstanceUsage:db.m5.large", instanceType: "db.m5.large", operation: "CreateDBInstance:0002", engine: "MySQL", deployment: "Single-AZ", tenancy: "NA", operatingSystem: ""},
			"on demand 0.096 0.096, aws eu-west-1 db.m5.large mysql single-az 1 0"},
		{"dedicated", with{usageType: "DedicatedUsage:m5.large", tenancy: ""}, "on demand 0.096 0.096, aws eu-west-1 m5.large linux dedicated 1 0"},
		{"spot", with{usageType: "SpotUsage:m5.large"}, "spot usage, which no commitment covers 0.096 0.096"},
		{"throughput", with{usageType: "EBSOptimized:m3.xlarge"}, "hours of something without a type of instance 0.096 0.096"},
		{"gateway", with{usageType: "NatGateway-Hours", instanceType: "", operation: "NatGateway"}, "hours of something without a type of instance 0.096 0.096"},
		{"traffic", with{usageType: "DataTransfer-Out-Bytes", unit: "GB", instanceType: ""}, "usage of something other than instances 0.096 0.096"},
		{"reservation", with{itemType: "DiscountedUsage", unblended: "0", reservedCost: "0.06", reservationARN: ri, normalized: "4", reservationEnd: "2025-04-01T00:00:00.000Z"},
			"covered 0 0.06, aws eu-west-1 m5.large linux shared 1 1, held Reserved Instance used 4 unused 0 Normalized Hours until 2025-04-01"},
		{"fee of a reservation", with{itemType: "RIFee", start: "2024-09-01T00:00:00Z", end: "2024-10-01T00:00:00Z", usageType: "EUW1-HeavyUsage:m5.large", unblended: "43.2", usageAmount: "720", unusedFee: "5.5", unusedUpfront: "0.5", reservationARN: ri, reservedNormalized: "2880", unusedNormalized: "400"},
			"purchases 43.2 6, held Reserved Instance used 0 unused 400 Normalized Hours, 4 an hour of m5.large"},
		{"fee without normalised units", with{itemType: "RIFee", start: "2024-09-01T00:00:00Z", end: "2024-10-01T00:00:00Z", usageType: "EUW1-HeavyUsage:m5.large", unblended: "43.2", usageAmount: "1440", unusedFee: "0", reservationARN: ri},
			"purchases 43.2 0, held Reserved Instance used 0 unused 0 Hours, 2 an hour of m5.large"},
		{"upfront of a reservation", with{itemType: "Fee", unblended: "500", reservationARN: ri}, "purchases 500 0, held Reserved Instance used 0 unused 0  of m5.large"},
		{"plan", with{itemType: "SavingsPlanCoveredUsage", planCost: "0.07", planARN: sp}, "covered 0.096 0.07, aws eu-west-1 m5.large linux shared 1 1, held Savings Plan used 0.07 unused 0 USD"},
		{"negation", with{itemType: "SavingsPlanNegation", unblended: "-0.096", planARN: sp, usageAmount: "1"}, "covered -0.096 0, aws eu-west-1 m5.large linux shared 0 0, held Savings Plan used 0 unused 0 USD"},
		{"fee of a plan", with{itemType: "SavingsPlanRecurringFee", unblended: "0.5", planTotal: "1", planUsed: "0.75", planARN: sp, usageType: "ComputeSP:1yrPartialUpfront", instanceType: "", planEnd: "2025-04-01T00:00:00.000Z"},
			"purchases 0.5 0.25, held Savings Plan used 0 unused 0.25 USD, 1 an hour until 2025-04-01"},
		{"upfront of a plan", with{itemType: "SavingsPlanUpfrontFee", unblended: "4380", planARN: sp}, "purchases 4380 0, held Savings Plan used 0 unused 0 USD"},
		{"fargate under a plan", with{itemType: "SavingsPlanCoveredUsage", usageType: "Fargate-vCPU-Hours:perCPU", instanceType: "", unit: "hours", planCost: "0.02", planARN: sp}, "covered 0.096 0.02, aws eu-west-1 Fargate-vCPU 1 1, held Savings Plan used 0.02 unused 0 USD"},
		{"tax", with{itemType: "Tax"}, "tax 0.096 0.096"},
		{"credit", with{itemType: "Credit", unblended: "-1"}, "credit -1 -1"},
		{"refund", with{itemType: "Refund"}, "refund or correction 0.096 0.096"},
		{"lambda", with{usageType: "EUW1-Lambda-GB-Second", instanceType: "", unit: "Lambda-GB-Second", usageAmount: "7200", operation: "Invoke", operatingSystem: "", tenancy: ""}, "on demand 0.096 0.096, aws eu-west-1 Lambda-GB 2 0"},
		{"spot of a local zone", with{usageType: "USW2-LAX1-SpotUsage:m5.large"}, "spot usage, which no commitment covers 0.096 0.096"},
		{"discount", with{itemType: "EdpDiscount", unblended: "-1"}, "negotiated and volume discounts -1 -1"},
		{"support", with{itemType: "Fee"}, "support, subscriptions and other fees 0.096 0.096"},
		{"unknown", with{itemType: "Rounding"}, "line item type Rounding 0.096 0.096"},
		{"nothing but a period", with{itemType: "", start: "", end: "", unblended: ""}, "no type of line item 0 0"},
	} {
		for _, snake := range []bool{false, true} {
			b := read(t, header(snake)+item(1, c.with))
			f := &b.Files[0]
			var parts []string
			add := func(what string, s usage.Sum) {
				if s.Rows > 0 {
					parts = append(parts, fmt.Sprintf("%s %v %v", what, s.Billed, s.Effective))
				}
			}
			add("on demand", f.OnDemand)
			add("covered", f.Covered)
			add("unused", f.Unused)
			add("purchases", f.Purchases)
			for _, l := range f.Left {
				add(l.Reason, l.Sum)
			}
			for _, d := range b.Demand {
				used, covered := d.Hours()
				parts = append(parts, fmt.Sprintf("%v %v %v", d.Kind, used, covered))
			}
			for _, h := range b.Held {
				s := fmt.Sprintf("held %s used %v unused %v %s", h.Type, h.Used, h.Unused, h.Unit)
				if h.PerHour != (usage.Amount{}) && len(b.Demand) == 0 && c.name != "fargate under a plan" {
					s += fmt.Sprintf(", %v an hour", h.PerHour)
				}
				if h.Kind.Type != "" {
					s += " of " + h.Kind.Type
				}
				if !h.End.IsZero() {
					s += " until " + h.End.Format("2006-01-02")
				}
				parts = append(parts, s)
			}
			if got := strings.Join(parts, ", "); got != c.want {
				t.Errorf("%s (snake case: %v):\ngot  %s\nwant %s", c.name, snake, got, c.want)
			}
		}
	}
}

// Lines that differ in their numbers alone have the numbers of their own, and what is
// missing is noted with the money that it concerns.
func TestNumbers(t *testing.T) {
	type with = map[int]string
	const ri, sp = "arn:aws:ec2:eu-west-1:1:reserved-instances/r", "arn:aws:savingsplans::1:savingsplan/s"
	b := read(t, header(false)+
		item(1, with{itemType: "DiscountedUsage", unblended: "0", reservedCost: "0.06", reservationARN: ri, normalized: "4", usageAmount: "2"})+
		item(2, with{itemType: "DiscountedUsage", unblended: "0.01", reservedCost: "", reservationARN: ri, normalized: "", usageAmount: ""})+
		item(3, with{itemType: "SavingsPlanCoveredUsage", planCost: "0.07", planARN: sp, unblended: "0.02"})+
		item(4, with{itemType: "SavingsPlanCoveredUsage", planCost: "", planARN: sp, unblended: "0.02"})+
		item(5, with{itemType: "SavingsPlanRecurringFee", planTotal: "1", planUsed: "0.4", planARN: sp, unblended: "0.5", planStart: "2024-04-01T00:00:00.000Z", planRegion: "eu-west-1", planOffering: "ComputeSavingsPlans"})+
		item(6, with{itemType: "SavingsPlanRecurringFee", planTotal: "", planUsed: "", planARN: sp, unblended: "0.5", start: "2024-09-18T23:00:00Z", end: "2024-09-19T00:00:00Z", planStart: "2024-04-01T00:00:00.000Z", planRegion: "eu-west-1", planOffering: "ComputeSavingsPlans"})+
		item(7, with{itemType: "RIFee", unusedFee: "", unusedUpfront: "1", reservationARN: ri + "2", unblended: "3", reservedUnits: "10", unusedUnits: "4", lease: "1yr", offeringClass: "standard", purchaseOption: "No Upfront", reservationStart: "2024-03-01T00:00:00.000Z"})+
		item(8, with{itemType: "RIFee", reservationARN: ri + "2", unblended: "3", usageAmount: "20", start: "2024-09-18T23:00:00Z", end: "2024-09-19T00:00:00Z"})+
		item(9, with{unblended: ""})+
		item(10, with{unblended: "0.0000000000000000001"}))
	f := &b.Files[0]
	var notes []string
	for _, n := range b.Notes {
		notes = append(notes, fmt.Sprintf("%d: %s, %d, %v", n.Line, n.Text, n.Rows, n.Billed))
	}
	want := []string{
		"3: lines without reservation/EffectiveCost, whose effective cost counts as 0, 1, 0.01",
		"3: usage of instances without a quantity, which counts no hours, 1, 0.01",
		"5: lines without savingsPlan/SavingsPlanEffectiveCost, whose effective cost counts as 0, 1, 0.02",
		"7: lines without savingsPlan/TotalCommitmentToDate, whose effective cost counts as 0, 1, 0.5",
		"9: lines without reservation/UnusedRecurringFee, whose effective cost counts as 0, 1, 3",
		"10: lines without an unblended cost, which count as 0, 1, 0",
		"11: numbers with more than eighteen decimals, rounded, 1, 0",
	}
	if got := strings.Join(notes, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("notes\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	used, covered := b.Demand[0].Hours()
	if got := fmt.Sprint(f.Covered.Effective, f.Purchases.Effective, used, covered); got != "0.13 1.6 6 4" {
		t.Errorf("effective and hours %s", got)
	}
	// The reservation: 10 units of the first fee and 20 of the second, in two hours.
	for i, want := range []string{
		ri + ": , 4 an hour, used 4 for 0.06, unused 0 for 0, Normalized Hours, paid 0, 0001-01-01, eu-west-1",
		ri + "2: 1yr standard No Upfront, 15 an hour, used 0 for 0, unused 4 for 1, Hours, paid 6, 2024-03-01, eu-west-1",
		sp + ": ComputeSavingsPlans, 0.75 an hour, used 0.07 for 0.07, unused 0.6 for 0.6, USD, paid 1, 2024-04-01, eu-west-1",
	} {
		h := b.Held[i]
		if got := fmt.Sprintf("%s: %s, %v an hour, used %v for %v, unused %v for %v, %s, paid %v, %s, %s", h.ID, h.Name, h.PerHour, h.Used, h.UsedCost, h.Unused, h.UnusedCost, h.Unit, h.Paid, h.Start.Format("2006-01-02"), h.Region); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Discounts on a kind on demand are part of its price where no column has it after discounts; what is
// paid for reservations after them is known where a column says so.
func TestAgreedPrices(t *testing.T) {
	type with = map[int]string
	usage1 := item(1, with{unblended: "1"})
	for _, c := range []struct {
		name             string
		lines            string
		paid, discounts  string
		reserved, really string
	}{
		{"of the kind", usage1 + item(2, with{itemType: "EdpDiscount", unblended: "-0.4", usageAmount: ""}), "0.6", "-0.4", "0", "0"},
		{"private rates", usage1 + item(2, with{itemType: "PrivateRateDiscount", unblended: "-0.3", unit: "", instanceType: ""}), "0.7", "-0.3", "0", "0"},
		{"beside net", item(1, with{unblended: "1", netCost: "0.6"}) + item(2, with{itemType: "EdpDiscount", unblended: "-0.4", netCost: "0"}), "0.6", "0", "0", "0"},
		{"of another kind", usage1 + item(2, with{itemType: "EdpDiscount", unblended: "-0.4", usageType: "BoxUsage:m5.xlarge", instanceType: ""}), "1", "0", "0", "0"},
		{"of storage", usage1 + item(2, with{itemType: "EdpDiscount", unblended: "-0.4", usageType: "EBS:VolumeUsage.gp3", instanceType: ""}), "1", "0", "0", "0"},
		{"of a fee", usage1 + item(2, with{itemType: "RiVolumeDiscount", unblended: "-0.4", usageType: "HeavyUsage:m5.large"}), "1", "0", "0", "0"},
		{"of a reservation", usage1 + item(2, with{itemType: "DiscountedUsage", reservationARN: "ri", unblended: "0", reservedCost: "0.06", netReserved: "0.05"}) +
			item(3, with{itemType: "DiscountedUsage", reservationARN: "ri", unblended: "0", reservedCost: "0.07"}), "1", "0", "0.06", "0.05"},
	} {
		h := header(false)
		if c.name != "beside net" {
			h = strings.Replace(h, "lineItem/NetUnblendedCost", "x", 1)
		}
		b := read(t, h+c.lines)
		d := b.Demand[0]
		if got := fmt.Sprint(d.Paid, d.Discounts, d.Reserved, d.ReservedPaid); len(b.Demand) != 1 || got != fmt.Sprint(c.paid, " ", c.discounts, " ", c.reserved, " ", c.really) {
			t.Errorf("%s: %d demands, %s", c.name, len(b.Demand), got)
		}
	}
}

// The fee of a month is for the part of it in which the reservation was there, whichever line says when.
func TestFeeOfAMonth(t *testing.T) {
	type with = map[int]string
	fee := with{itemType: "RIFee", start: "2024-09-01T00:00:00Z", end: "2024-10-01T00:00:00Z", usageType: "EUW1-HeavyUsage:m5.large", unblended: "1", reservationARN: "ri",
		reservedNormalized: "14400", unusedNormalized: "0", unusedFee: "0"} // 10 of 4 for 15 days
	dated := with{itemType: "DiscountedUsage", start: "2024-09-20T00:00:00Z", end: "2024-09-20T01:00:00Z", unblended: "0", reservedCost: "0.06", reservationARN: "ri", normalized: "4",
		reservationStart: "2024-09-16T00:00:00.000Z", reservationEnd: "2025-09-16T00:00:00.000Z"}
	for name, lines := range map[string]string{"dates first": item(1, dated) + item(2, fee), "fee first": item(1, fee) + item(2, dated)} {
		if h := read(t, header(false)+lines).Held[0]; h.PerHour.String() != "40" {
			t.Errorf("%s: %v an hour, want 40", name, h.PerHour)
		}
	}
	// Without dates, more that was used than the fee says on average tells the size.
	undated := with{itemType: "DiscountedUsage", unblended: "0", reservedCost: "0.06", reservationARN: "ri", normalized: "40"}
	if h := read(t, header(false)+item(1, fee)+item(2, undated)).Held[0]; h.PerHour.String() != "40" {
		t.Errorf("%v an hour, want 40", h.PerHour)
	}
}

// Upfront fees have their term, and are not what is bought each hour.
func TestUpfront(t *testing.T) {
	type with = map[int]string
	b := read(t, header(false)+item(1, with{itemType: "Fee", reservationARN: "r", unblended: "500", reservationStart: "2024-09-01T00:00:00Z", reservationEnd: "2025-09-01T00:00:00Z"})+
		item(2, with{itemType: "SavingsPlanUpfrontFee", planARN: "s", unblended: "500"}))
	for _, h := range b.Held {
		if h.PerHour != (usage.Amount{}) || h.Paid != usage.Units(500) {
			t.Errorf("%+v", h)
		}
	}
	if b.Held[0].End.Format("2006-01-02") != "2025-09-01" {
		t.Errorf("%+v", b.Held[0])
	}
}

// Reports with few columns, in any order.
func TestFewColumns(t *testing.T) {
	b := read(t, "line_item_unblended_cost,line_item_usage_end_date,line_item_usage_start_date,line_item_usage_amount,line_item_usage_type,line_item_availability_zone\n"+
		"0.1,2024-09-18T23:00:00Z,2024-09-18T22:00:00Z,1,BoxUsage:c5.large,us-west-2a\n"+
		"0.2,2024-09-18T23:00:00Z,2024-09-18T22:00:00Z,2,InstanceUsage:db.r5.large,us-west-2z\n"+
		"0.3,2024-09-18T23:00:00Z,2024-09-18T22:00:00Z,2,NodeUsage:cache.r5.large,us-west-2-lax-1a\n"+
		"0.4,2024-09-18T23:00:00Z,2024-09-18T22:00:00Z,2,HeavyUsage:c5.large,a\n"+
		"0.5,2024-09-18T23:00:00Z,2024-09-18T22:00:00Z,2,UnusedDed:c5.large,\n"+
		"0.6,2024-09-18T23:00:00Z,2024-09-18T22:00:00Z,2,Requests-Tier1,us-east-9a\n")
	var got []string
	for _, d := range b.Demand {
		got = append(got, d.Kind.String())
	}
	if s := strings.Join(got, ", "); s != "aws c5.large dedicated, aws a c5.large shared, aws us-west-2 c5.large shared, aws us-west-2 db.r5.large, aws us-west-2-lax-1 cache.r5.large" {
		t.Error(s)
	}
	if len(b.Notes) != 3 || !strings.Contains(b.Notes[0].Text, "LineItemType") || !strings.Contains(b.Notes[1].Text, "publicOnDemandCost") || b.Files[0].Left[0].Reason != usage.OtherUsage {
		t.Errorf("%+v, %+v", b.Notes, b.Files[0].Left)
	}
}

// The words of a product, a description or an operation name the kind.
func TestKinds(t *testing.T) {
	type with = map[int]string
	for want, c := range map[string]with{
		"aws eu-west-1 m5.large windows sql std shared": {operation: "RunInstances:0006"},
		"aws eu-west-1 m5.large rhel shared":            {operation: "", operatingSystem: "RHEL", software: "NA"},
		"aws eu-west-1 m5.large windows sql web shared": {operation: "", operatingSystem: "Windows", software: "SQL Web"},
		"aws eu-west-1 m5.large suse shared":            {operation: "", operatingSystem: "", description: "$1 per On Demand SUSE m5.large Instance Hour"},
		"aws eu-west-1 m5.large linux host":             {tenancy: "Host"},
		"aws eu-west-1 cache.m5.large redis":            {usageType: "NodeUsage:cache.m5.large", instanceType: "cache.m5.large", operation: "CreateCacheCluster:0002", operatingSystem: "", description: "$1 per Redis node", tenancy: ""},
		"aws eu-west-1 db.m5.large mysql":               {usageType: "InstanceUsage:db.m5.large", instanceType: "", operation: "RunInstances", operatingSystem: "", description: "$1 per RDS MySQL", tenancy: ""},
		"aws eu-west-1 db.m5.large oracle ee multi-az":  {usageType: "Multi-AZUsage:db.m5.large", instanceType: "db.m5.large", engine: "Oracle", edition: "EE", deployment: "Multi-AZ", tenancy: ""},
		"aws eu-west-1 c5.xlarge linux":                 {usageType: "InstanceUsage", unit: "", instanceType: "", tenancy: "", description: "$1 per On Demand Linux c5.xlarge Instance Hour", operation: "RunInstances"},
		"aws eu-central-1 m5.large linux shared":        {region: "eu-central-1", regionCode: ""},
	} {
		b := read(t, header(false)+item(1, c))
		if len(b.Demand) != 1 || b.Demand[0].Kind.String() != want {
			t.Errorf("%s: %+v", want, b.Demand)
		}
	}
	b := read(t, header(false)+item(1, with{itemType: "SavingsPlanNegation", usageType: "Fargate-EphemeralStorage-GB-Hours", unit: "", instanceType: "", planARN: "s"}))
	if l := b.Files[0].Left; len(l) != 1 || l[0].Reason != usage.OtherUsage {
		t.Errorf("%+v", l)
	}
}

// An hour of a savings plan of $1 that covers two machines of three: what is billed is
// the commitment and the third machine, and what is effective is the same.
func TestAmortised(t *testing.T) {
	type with = map[int]string
	const sp = "arn:aws:savingsplans::1:savingsplan/s"
	b := read(t, header(false)+
		item(1, with{itemType: "SavingsPlanCoveredUsage", unblended: "0.5", planCost: "0.3", planARN: sp})+
		item(2, with{itemType: "SavingsPlanCoveredUsage", unblended: "0.5", planCost: "0.3", planARN: sp})+
		item(3, with{itemType: "SavingsPlanNegation", unblended: "-1", planARN: sp, usageAmount: "2"})+
		item(4, with{itemType: "SavingsPlanRecurringFee", unblended: "1", planTotal: "1", planUsed: "0.6", planARN: sp, usageType: "ComputeSP:1yrNoUpfront", instanceType: ""})+
		item(5, with{unblended: "0.5"}))
	f := &b.Files[0]
	want, _, _ := usage.Parse("1.5")
	used, covered := b.Demand[0].Hours()
	if f.Total.Billed != want || f.Total.Effective != want || used != usage.Units(3) || covered != usage.Units(2) || b.Held[0].PerHour != usage.Units(1) {
		t.Errorf("%+v, %v hours, %v covered, held %+v", f.Total, used, covered, b.Held)
	}
}

func TestErrors(t *testing.T) {
	type with = map[int]string
	zip := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, s)
		w.Close()
		return b.String()
	}
	h := header(false)
	whole := zip(h + item(1, nil))
	for _, c := range []struct {
		text string
		want error
		says string
	}{
		{"", usage.ErrForm, "the file is empty: want a cost and usage report"},
		{"ChargeCategory,BilledCost\n", usage.ErrForm, "aws: line 1: not a bill of this form: no columns lineItem/UsageStartDate and lineItem/UnblendedCost"},
		{strings.Replace(h, "lineItem/UsageEndDate", "x", 1), usage.ErrMissing, "(lineItem/UsageEndDate): missing: the column"},
		{h + item(1, with{unblended: "1,5"}), usage.ErrSyntax, `aws: line 2, column 4 (lineItem/UnblendedCost): malformed text: "1,5": want a number`},
		{h + item(1, with{start: "18/09/2024"}), usage.ErrSyntax, `aws: line 2, column 2 (lineItem/UsageStartDate): malformed text: "18/09/2024": want a time`},
		{h + item(1, with{start: ""}), usage.ErrMissing, "(lineItem/UsageStartDate): missing: no time"},
		{h + item(1, with{itemType: "RIFee", unusedFee: "x"}), usage.ErrSyntax, "(reservation/UnusedRecurringFee)"},
		{h + item(1, with{itemType: "SavingsPlanRecurringFee", planUsed: "x"}), usage.ErrSyntax, "(savingsPlan/UsedCommitment)"},
		{h + item(1, with{usageAmount: "x"}), usage.ErrSyntax, "(lineItem/UsageAmount)"},
		{h + item(1, with{end: strings.Repeat("x", 41)}), usage.ErrSyntax, `"` + strings.Repeat("x", 40) + `"...: want a time`},
		{h + item(1, with{end: strings.Repeat("x", 40)}), usage.ErrSyntax, `"` + strings.Repeat("x", 40) + `": want a time`},
		{h + item(1, with{publicCost: "x"}), usage.ErrSyntax, "(pricing/publicOnDemandCost)"},
		{h + item(1, with{itemType: "DiscountedUsage", reservedCost: "x"}), usage.ErrSyntax, "(reservation/EffectiveCost)"},
		{h + item(1, with{itemType: "DiscountedUsage", normalized: "x"}), usage.ErrSyntax, "(lineItem/NormalizedUsageAmount)"},
		{h + item(1, with{itemType: "RIFee", unusedNormalized: "x"}), usage.ErrSyntax, "(reservation/UnusedNormalizedUnitQuantity)"},
		{h + item(1, with{itemType: "RIFee", unusedUnits: "x"}), usage.ErrSyntax, "(reservation/UnusedQuantity)"},
		{h + item(1, with{itemType: "RIFee", usageAmount: "x"}), usage.ErrSyntax, "(lineItem/UsageAmount)"},
		{h + item(1, with{itemType: "SavingsPlanCoveredUsage", planCost: "x"}), usage.ErrSyntax, "(savingsPlan/SavingsPlanEffectiveCost)"},
		{"lineItem/UsageStartDate,x\n", usage.ErrForm, "no columns"},
		{"x,lineItem/UnblendedCost\n", usage.ErrForm, "no columns"},
		{h + item(1, nil) + item(1, nil), usage.ErrRepeated, "aws: line 3: counted twice: the row is the same as x, line 2"},
		{h + item(1, nil) + item(2, with{currency: "EUR"}), usage.ErrCurrency, "aws: line 3 (currency): mixed currencies: EUR: want USD as in x, line 2"},
		{h + item(1, nil) + h, usage.ErrForm, "aws: line 3, column 23 (lineItem/LineItemType): not a bill of this form: the header again"},
		{whole[:len(whole)-9], usage.ErrTruncated, "in the middle of gzip data"},
		{h + item(1, nil)[:40], usage.ErrTruncated, "in the middle of a row"},
	} {
		err := Read(new(usage.Collector), "x", strings.NewReader(c.text))
		var in *pricing.InputError
		if !errors.Is(err, c.want) || !errors.As(err, &in) || in.Package != "aws" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got  %v\nwant %v: %s", err, c.want, c.says)
		}
	}
	failed := errors.New("failed")
	if err := Read(new(usage.Collector), "a", io.MultiReader(strings.NewReader(h), iotest.ErrReader(failed))); err != failed {
		t.Errorf("%v, want the error of the source", err)
	}
	func() {
		defer func() {
			if s, _ := recover().(string); !strings.HasPrefix(s, "aws: ") {
				t.Errorf("panic %q", s)
			}
		}()
		d, err := NewDecoder(new(usage.Collector), "c", "csv", strings.Split(strings.TrimSpace(h), ","))
		if err != nil {
			t.Fatal(err)
		}
		d(2, nil, nil)
	}()
}

func TestForm(t *testing.T) {
	for text, want := range map[string]string{
		header(false): "cost and usage report", header(true): "cost and usage report 2.0", "ChargeCategory,BilledCost\n": "", "": "",
		"\ufeff\"lineItem/UsageStartDate\",\"lineItem/UnblendedCost\"\r\n": "cost and usage report",
	} {
		fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",\"\r\n\ufeff", r) })
		if got := Form(fields); got != want {
			t.Errorf("%.30q: %q, want %q", text, got, want)
		}
	}
}

// Every sample is read, or refused with a reason, and no money is lost.
func TestSamples(t *testing.T) {
	dir := shared.File(t, "inputs/cur")
	files, err := filepath.Glob(filepath.Join(dir, "*.csv*"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c usage.Collector
		if err := Read(&c, name, bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := c.Bill()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := &b.Files[0]
		text := io.Reader(bytes.NewReader(data))
		if zip, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			text = zip
		}
		rows, err := csv.NewReader(text).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := new(big.Rat)
		for j, n := range rows[0] {
			if n == "lineItem/UnblendedCost" || n == "line_item_unblended_cost" {
				for _, row := range rows[1:] {
					if x, ok := new(big.Rat).SetString(row[j]); ok {
						want.Add(want, x)
					}
				}
			}
		}
		sum := f.Classified()
		for _, l := range f.Left {
			sum.Rows += l.Sum.Rows
			sum.Billed = sum.Billed.Plus(l.Sum.Billed)
			sum.Effective = sum.Effective.Plus(l.Sum.Effective)
			sum.List = sum.List.Plus(l.Sum.List)
		}
		got, _ := new(big.Rat).SetString(f.Total.Billed.String())
		if sum != f.Total || got.Cmp(want) != 0 || int(f.Total.Rows) != len(rows)-1 {
			t.Errorf("%s: %+v, parts %+v, want %s in %d rows", name, f.Total, sum, want.FloatString(18), len(rows)-1)
		}
		t.Logf("%s (%s): %s", name, f.Format, b.Currency)
		t.Logf("  total %+v", f.Total)
		t.Logf("  on demand %+v, covered %+v, left %+v", f.OnDemand, f.Covered, f.Left)
		for _, d := range b.Demand {
			used, covered := d.Hours()
			t.Logf("  %v: %v hours, %v covered", d.Kind, used, covered)
		}
		for _, n := range b.Notes {
			t.Logf("  note: %+v", n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header(false) + item(1, nil) + item(2, map[int]string{itemType: "RIFee"})))
	f.Add([]byte(header(true) + item(1, map[int]string{itemType: "SavingsPlanNegation", product: `{"x":1}`})))
	f.Fuzz(func(t *testing.T, data []byte) { readertest.Any(t, Read, data) })
}

func TestAllocs(t *testing.T) {
	var c usage.Collector
	d, err := NewDecoder(&c, "x", "csv", strings.Split(strings.TrimSpace(header(false)), ","))
	if err != nil {
		t.Fatal(err)
	}
	row := bytes.Split(bytes.TrimSpace([]byte(item(1, nil))), []byte(","))
	run := func() {
		if err := d(2, row, nil); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := allocs.Once(run); n != 0 {
		t.Errorf("%v allocations for a line like the one before", n)
	}
}

func BenchmarkRead(b *testing.B) {
	text := []byte(header(false))
	for i := range 20_000 {
		text = append(text, item(i, map[int]string{instanceType: []string{"m5.large", "c5.large", "r5.large"}[i%3], unblended: fmt.Sprint("0.0", i)})...)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Read(new(usage.Collector), "x", bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
