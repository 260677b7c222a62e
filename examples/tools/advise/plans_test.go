package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// ratesOf is a price list of a compute savings plan of a year: what each type costs of it.
func ratesOf(option string, rates map[string]float64) string {
	var b strings.Builder
	b.WriteString("FormatVersion,v1.0\nDisclaimer,x\nPublication Date,2026\nVersion,1\nOfferCode,AmazonComputeSavingsPlan\n" +
		"SKU,RateCode,Unit,EffectiveDate,DiscountedRate,Currency,DiscountedSKU,DiscountedServiceCode,DiscountedUsageType,DiscountedOperation,PurchaseOption," +
		"LeaseContractLength,LeaseContractLengthUnit,ServiceCode,Instance Family,Location,Product Family,DiscountedRegionCode,DiscountedInstanceType\n")
	for kind, rate := range rates {
		fmt.Fprintf(&b, "2J,2J.%s,Hrs,2026,%v,USD,1,AmazonEC2,EU-BoxUsage:%s,RunInstances,%s,1,year,ComputeSavingsPlans,,EU,ComputeSavingsPlans,eu-west-1,%s\n", kind, rate, kind, option, kind)
	}
	return b.String()
}

// Two types take turns, so that no reservation of either is used more than half of the time; a
// savings plan serves both. By an hour after the other: 10 m5.xlarge by day, 10 c5.xlarge by night.
func TestSavingsPlan(t *testing.T) {
	const days = 28
	day, night := office(10, 2), office(2, 10)
	var b textBill
	hourly(days, func(h int, at time.Time) {
		c5 := fields{"BilledCost": number(night(h) * .17), "EffectiveCost": number(night(h) * .17), "ListCost": number(night(h) * .17), "ContractedCost": number(night(h) * .17)}
		b.add(focusRow(at, "m5.xlarge", day(h), nil), focusRow(at, "c5.xlarge", night(h), c5))
	})
	m5, c5 := .192*.7, .17*.72
	bill := programtest.Write(t, "bill.csv", b.String())
	list := programtest.Write(t, "prices.csv", offersOf("m5.xlarge", "c5.xlarge=0.17"))
	plan := programtest.Write(t, "rates.csv", ratesOf("No Upfront", map[string]float64{"m5.xlarge": m5, "c5.xlarge": c5}))
	args := []string{"-bill", bill, "-prices", list, "-prices", plan}
	// A day's cost with 2 of each reserved and money an hour, m5 first: the higher discount.
	cost := func(money float64) (sum float64) {
		for h := range 24 {
			rest := money
			for _, x := range []struct{ n, rate, price float64 }{{day(h) - 2, m5, .192}, {night(h) - 2, c5, .17}} {
				paid := min(x.n, rest/x.rate)
				rest -= paid * x.rate
				sum += (x.n - paid) * x.price
			}
			sum += money
		}
		return sum
	}
	least := math.Inf(1)
	for money := 0.0; money < 4; money += .001 {
		least = min(least, cost(money))
	}
	if cost(0) <= least {
		t.Fatal("a plan does not pay")
	}
	hourly, reserved := 0.0, map[string]int{}
	for _, o := range orders(t, args...) {
		if o.Kind == "savings plan" {
			hourly = amount(t, o.Hourly).Float64()
			if o.Class != "1y-compute-no-upfront" || o.Upfront != "0" || amount(t, o.Saving) <= 0 || amount(t, o.LowerBound) > amount(t, o.Cost) {
				t.Errorf("%+v", o)
			}
		} else {
			reserved[o.Kind] += o.Units
		}
	}
	if got := cost(hourly); got > 1.002*least || hourly == 0 {
		t.Errorf("%v an hour costs %v a day: the least is %v", hourly, got, least)
	}
	if reserved["m5.xlarge in eu-west-1, linux"] != 2 || reserved["c5.xlarge in eu-west-1, linux"] != 2 {
		t.Errorf("reserved %v: want 2 of each", reserved)
	}
	dir := t.TempDir()
	page, ordered := filepath.Join(dir, "a.html"), filepath.Join(dir, "order.csv")
	text, _ := tested.Must(t, append(args, "-html", page, "-focus", ordered)...)
	programtest.Narrow(t, text, 80)
	if data, err := os.ReadFile(page); err != nil || !strings.Contains(string(data), "1y-compute-no-upfront") {
		t.Error("the page does not have the savings plan", err)
	}
	if list := show[held](t, "held", "-bill", ordered); len(list) != 3 || list[2].Type != "Savings Plan" || amount(t, list[2].PerHour).Float64() != hourly {
		t.Errorf("the order as a bill holds %+v", list)
	}
	says(t, text, "savings plan, 2 kinds", "3 orders of 4 units and "+fmt.Sprintf("USD %.3f", hourly)+" an hour of 1y-compute-no-upfront")
	why, _ := tested.Must(t, append(args, "-show", "why")...)
	says(t, why, "the highest discount first: m5.xlarge in eu-west-1, linux; c5.xlarge in eu-west-1, linux")
	for _, o := range orders(t, append(args, "-payments", "all,partial")...) {
		if o.Units > 0 || o.Kind == "savings plan" {
			t.Errorf("ordered though only payments ahead are permitted: %+v", o)
		}
	}
	for _, o := range orders(t, append(args, "-terms", "3y")...) {
		if o.Units > 0 || o.Kind == "savings plan" {
			t.Errorf("ordered though only three years are permitted: %+v", o)
		}
	}
}

// Nine types of nine families, five of them used by day and four by night, each ten at a time: a
// savings plan pays for all of them, not for six.
func TestManyKinds(t *testing.T) {
	kinds := map[string]float64{"m5.large": .096, "c5.large": .085, "r5.large": .126, "t3.large": .0832, "m6i.large": .097, "c6i.large": .086, "r6i.large": .127, "i3.large": .156, "d3.large": .14}
	names := slices.Sorted(maps.Keys(kinds))
	var b textBill
	rates, types := map[string]float64{}, []string{}
	for _, kind := range names {
		rates[kind], types = .7*kinds[kind], append(types, fmt.Sprintf("%s=%v", kind, kinds[kind]))
	}
	spent := map[bool]float64{} // at the plan's rates, by day and by night
	hourly(28, func(h int, at time.Time) {
		for i, kind := range names {
			if day := h%24 >= 8 && h%24 < 20; day == (i%2 == 0) {
				cost := number(math.Round(1e9*10*kinds[kind]) / 1e9)
				b.add(focusRow(at, kind, 10, fields{"BilledCost": cost, "EffectiveCost": cost, "ListCost": cost, "ContractedCost": cost}))
				if h < 24 {
					spent[day] += 10 * rates[kind] / 12
				}
			}
		}
	})
	list, plan := programtest.Write(t, "prices.csv", offersOf(types...)), programtest.Write(t, "rates.csv", ratesOf("No Upfront", rates))
	hourly := 0.0
	for _, o := range orders(t, "-bill", programtest.Write(t, "bill.csv", b.String()), "-prices", list, "-prices", plan, "-futures", "2") {
		if o.Kind == "savings plan" {
			hourly = amount(t, o.Hourly).Float64()
		} else if o.Units > 0 {
			t.Errorf("%+v", o)
		}
	}
	if want := min(spent[true], spent[false]); math.Abs(hourly-want) > .01*want {
		t.Errorf("%v an hour: want %v", hourly, want)
	}
}
