package focus_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Two hours of a bill: a machine on demand, one under a savings plan, the plan's fee
// and what nothing used of it, and tax.
const export = `BilledCost,EffectiveCost,ListCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ProviderName,RegionId,PricingCategory,PricingQuantity,PricingUnit,SkuPriceDetails,CommitmentDiscountId,CommitmentDiscountCategory,CommitmentDiscountStatus,CommitmentDiscountQuantity,CommitmentDiscountUnit
0.096,0.096,0.096,USD,Usage,2026-05-01T00:00:00Z,2026-05-01T01:00:00Z,AWS,eu-west-1,Standard,1,Hours,"{""InstanceType"":""m6i.large"",""OperatingSystem"":""Linux""}",,,,,
0.096,0.096,0.096,USD,Usage,2026-05-01T01:00:00Z,2026-05-01T02:00:00Z,AWS,eu-west-1,Standard,1,Hours,"{""InstanceType"":""m6i.large"",""OperatingSystem"":""Linux""}",,,,,
0,0.064,0.096,USD,Usage,2026-05-01T00:00:00Z,2026-05-01T01:00:00Z,AWS,eu-west-1,Committed,1,Hours,"{""InstanceType"":""m6i.large"",""OperatingSystem"":""Linux""}",plan-1,Spend,Used,0.064,USD
0.1,0,0.1,USD,Purchase,2026-05-01T00:00:00Z,2026-05-01T01:00:00Z,AWS,eu-west-1,Standard,0.1,USD,,plan-1,Spend,,0.1,USD
0,0.036,0.036,USD,Usage,2026-05-01T00:00:00Z,2026-05-01T01:00:00Z,AWS,eu-west-1,Committed,0.036,USD,,plan-1,Spend,Unused,0.036,USD
0.058,0.058,0.058,USD,Tax,2026-05-01T00:00:00Z,2026-06-01T00:00:00Z,AWS,,,,,,,,,,
`

// How much runs on demand though a plan is not used up, and where did the money go?
func ExampleRead() {
	var c usage.Collector
	if err := focus.Read(&c, "2026-05.csv", strings.NewReader(export)); err != nil {
		fmt.Println(err)
		return
	}
	bill, err := c.Bill()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range bill.Demand {
		instances, _ := d.Instances(nil, bill.Start, time.Hour, 2, pricing.HalfEven)
		hours, covered := d.Hours()
		fmt.Printf("%v: %v instances, %v of %v hours covered\n", d.Kind, instances, covered, hours)
	}
	for _, h := range bill.Held {
		fmt.Printf("%s: %v %s an hour, unused %v\n", h.ID, h.PerHour, h.Unit, h.Unused)
	}
	f := bill.Files[0]
	fmt.Printf("%s: billed %v, classified %v", f.Format, f.Total.Billed, f.Classified().Billed)
	for _, l := range f.Left {
		fmt.Printf(", %s %v", l.Reason, l.Sum.Billed)
	}
	fmt.Println()
	// Output:
	// aws eu-west-1 m6i.large linux: [2 1] instances, 1 of 3 hours covered
	// plan-1: 0.1 USD an hour, unused 0.036
	// FOCUS 1.1 (csv): billed 0.35, classified 0.292, tax 0.058
}

// A purchase of a plan as a row that a tool for FOCUS reads.
func ExampleWriter() {
	start := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	w := focus.NewWriter(os.Stdout)
	err := w.Write(&usage.Row{
		Account: "1234", Currency: "USD", Start: start, End: start.Add(8760 * time.Hour), Charge: usage.Purchase,
		Billed: usage.Units(8760), Kind: usage.Kind{Provider: "aws", Region: "eu-west-1"},
		Commitment: usage.Commitment{ID: "order-1", Name: "1y-compute-all-upfront", Type: "Savings Plan", Spend: true, Unit: "USD", Quantity: usage.Units(8760), Once: true},
	})
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// BilledCost,BillingAccountId,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeClass,ChargeDescription,ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,CommitmentDiscountCategory,CommitmentDiscountId,CommitmentDiscountName,CommitmentDiscountQuantity,CommitmentDiscountStatus,CommitmentDiscountType,CommitmentDiscountUnit,ConsumedQuantity,ConsumedUnit,ContractedCost,EffectiveCost,HostProviderName,InvoiceIssuerName,ListCost,PricingCategory,PricingQuantity,PricingUnit,ProviderName,PublisherName,RegionId,ServiceCategory,ServiceName,ServiceProviderName,SkuPriceDetails
	// 8760,1234,USD,2026-07-01T00:00:00Z,2026-06-01T00:00:00Z,Purchase,,purchase of 1y-compute-all-upfront,One-Time,2027-06-01T00:00:00Z,2026-06-01T00:00:00Z,Spend,order-1,1y-compute-all-upfront,8760,,Savings Plan,USD,,,0,0,AWS,AWS,0,Standard,8760,USD,AWS,AWS,eu-west-1,Compute,Compute,AWS,
}
