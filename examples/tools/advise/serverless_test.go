package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Fargate and Lambda are paid by a compute savings plan, too: 100 vCPU of Fargate day and night and
// 40 GB of Lambda by day are no instances, and money pays for them.
func TestServerless(t *testing.T) {
	const vcpu, gb = .04048, .06 // an hour of a vCPU, and of a GB
	lambda := office(40, 0)
	var report, focus textBill
	hourly(28, func(h int, at time.Time) {
		fargate := fields{"lineItem/ProductCode": "AmazonECS", "lineItem/UsageType": "EU-Fargate-vCPU-Hours:perCPU", "lineItem/Operation": "FargateTask", "pricing/unit": "hours",
			"product/instanceType": "", "product/tenancy": "", "lineItem/UnblendedCost": number(100 * vcpu), "pricing/publicOnDemandCost": number(100 * vcpu)}
		report.add(reportRow(at, "m5.large", 1, nil), reportRow(at, "", 100, fargate))
		focus.add(focusRow(at, "m5.large", 1, nil), focusRow(at, "", 100, fields{"ServiceCategory": "Compute", "ServiceName": "AWS Fargate", "SkuPriceDetails": "", "x_UsageType": "EU-Fargate-vCPU-Hours:perCPU",
			"BilledCost": number(100 * vcpu), "EffectiveCost": number(100 * vcpu), "ListCost": number(100 * vcpu), "ContractedCost": number(100 * vcpu)}))
		if n := lambda(h); n > 0 {
			report.add(reportRow(at, "", 3600*n, fields{"lineItem/ProductCode": "AWSLambda", "lineItem/UsageType": "EU-Lambda-GB-Second", "lineItem/Operation": "Invoke", "pricing/unit": "Lambda-GB-Second",
				"product/instanceType": "", "product/tenancy": "", "lineItem/UnblendedCost": number(n * gb), "pricing/publicOnDemandCost": number(n * gb)}))
		}
	})
	rates := ratesOf("No Upfront", map[string]float64{"m5.large": .07})
	for usage, rate := range map[string]string{"EU-Fargate-vCPU-Hours:perCPU": "0.0318", "EU-Lambda-GB-Second": "0.0000146667"} {
		service := map[bool]string{true: "AmazonECS", false: "AWSLambda"}[strings.Contains(usage, "Fargate")]
		rates += fmt.Sprintf("2J,2J.%s,Hrs,2026,%s,USD,1,%s,%s,X,No Upfront,1,year,ComputeSavingsPlans,,EU,ComputeSavingsPlans,eu-west-1,\n", usage, rate, service, usage)
	}
	list, plan := programtest.Write(t, "prices.csv", offersOf("m5.large")), programtest.Write(t, "rates.csv", rates)
	for name, b := range map[string]*textBill{"report": &report, "FOCUS": &focus} {
		bill := programtest.Write(t, "bill.csv", b.String())
		hourly := 0.0
		for _, o := range orders(t, "-bill", bill, "-prices", list, "-prices", plan, "-futures", "2") {
			if o.Kind == "savings plan" {
				hourly = amount(t, o.Hourly).Float64()
			}
		}
		// Fargate's 3.18 an hour is used always. Lambda's is used half of the time, at 88% of the price.
		if math.Abs(hourly-3.18) > .002 {
			t.Errorf("%s: %v an hour: want 3.18", name, hourly)
		}
		_, text, _ := tested.Try("-bill", bill, "-prices", list)
		says(t, text, "not planned: aws eu-west-1 Fargate-vCPU, which cost USD 2,720.256: the price list has no such kind")
	}
}

// A savings plan of Azure is ordered where machines of two types take turns, a reservation of each
// being used half of the time.
func TestAzurePlan(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		kind := "Standard_D2"
		if office(1, 0)(h) > 0 {
			kind = "Standard_E2"
		}
		b.add(focusRow(at, "m5.large", 10, fields{"ProviderName": "Microsoft", "RegionId": "westeurope", "SkuPriceDetails": "", "x_SkuDetails": `{"ServiceType":"` + kind + `"}`, "x_UsageType": "",
			"BilledCost": "1", "EffectiveCost": "1", "ListCost": "1", "ContractedCost": "1"}))
	})
	var items []string
	for _, kind := range []string{"Standard_D2", "Standard_E2"} {
		item := func(more string) string {
			return fmt.Sprintf(`{"currencyCode":"USD","armRegionName":"westeurope","productName":"Virtual Machines","skuName":"D2","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","armSkuName":"%s",%s}`, kind, more)
		}
		items = append(items, item(`"retailPrice":0.1,"type":"Consumption","savingsPlan":[{"retailPrice":0.07,"term":"1 Year"},{"retailPrice":0.05,"term":"3 Years"}]`),
			item(`"retailPrice":520,"type":"Reservation","reservationTerm":"1 Year"`))
	}
	bill, list := programtest.Write(t, "bill.csv", b.String()), programtest.Write(t, "prices.json", `{"BillingCurrency":"USD","Items":[`+strings.Join(items, ",")+`],"Count":4}`)
	plans := map[string]float64{}
	for _, o := range orders(t, "-bill", bill, "-prices", list, "-terms", "1y", "-futures", "2") {
		if o.Kind == "savings plan" {
			plans[o.Class] = amount(t, o.Hourly).Float64()
		} else if o.Units > 0 {
			t.Errorf("%+v", o)
		}
	}
	if len(plans) != 1 || math.Abs(plans["1y-savings-plan"]-.7) > .001 {
		t.Errorf("%v: want .7 an hour", plans)
	}
}
