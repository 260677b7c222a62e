package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// A company is what twenty companies of tests use: instances of some types by day and by night.
type company struct {
	types     []string
	base, day []float64
	faults    map[string]bool
	days      int
}

// Faults that bills have. Each is found and put right, or else the order is refused and the fault
// is named: what the answer then says.
var companyFaults = []struct{ name, says string }{
	{"a row of a day", "rows of days"}, {"late hours", "clouds report late"}, {"a surcharge", ""}, {"software", ""},
	{"corrections", "the hours do not"}, {"rounded prices", ""}, {"missing days", "count as missing"},
}

// bill writes the company's bill, with its faults.
func (c *company) bill() *textBill {
	var b textBill
	hourly(c.days, func(h int, at time.Time) {
		day := h / 24
		if c.faults["missing days"] && day >= c.days-8 && day < c.days-5 {
			return
		}
		for i, kind := range c.types {
			rng := rand.New(rand.NewPCG(uint64(h), uint64(i))) // the same with faults and without
			n := c.base[i] + math.Round(c.base[i]*.04*rng.NormFloat64())
			if hour := h % 24; hour >= 8 && hour < 20 && day%7 < 5 {
				n += c.day[i]
			}
			if c.faults["late hours"] && day == c.days-1 {
				n = math.Floor(n * .5)
			}
			b.add(focusRow(at, kind, n, nil))
			if c.faults["a surcharge"] && i == 0 {
				b.add(focusRow(at, kind, n, fields{"ServiceCategory": "Analytics", "ServiceName": "Amazon Elastic MapReduce", "BilledCost": "0.1", "EffectiveCost": "0.1", "ListCost": "0.1", "ContractedCost": "0.1"}))
			}
			if c.faults["software"] {
				b.add(focusRow(at, kind, n, fields{"x_UsageType": "SoftwareUsage:" + kind, "ServiceCategory": "Other", "ServiceName": "marketplace"}))
			}
			if c.faults["corrections"] && h%5 == 0 {
				back := fields{"ChargeClass": "Correction"}
				for _, name := range []string{"BilledCost", "EffectiveCost", "ListCost", "ContractedCost"} {
					back[name] = "-1"
				}
				b.add(focusRow(at, kind, math.Ceil(n/2), back))
			}
		}
	})
	if c.faults["a row of a day"] {
		b.add(focusRow(begin, "m5.xlarge", 24, fields{"ProviderName": "Microsoft", "ChargePeriodEnd": stamp(begin.Add(24 * time.Hour)), "RegionId": "westeurope",
			"SkuPriceDetails": "", "x_SkuDetails": `{"ServiceType":"Standard_D2_v3"}`, "x_UsageType": ""}))
	}
	return &b
}

// list is the company's price list: exact, or rounded to a tenth of a cent.
func (c *company) list() string {
	var types []string
	for _, kind := range c.types {
		price := largePrice * sizes[kind]
		if c.faults["rounded prices"] {
			price = math.Round(1000*price+.3) / 1000
		}
		types = append(types, fmt.Sprintf("%s=%v", kind, price))
	}
	return offersOf(types...)
}

// Twenty companies whose truth is known, each with two faults in its bill: the order is that from the
// clean bill to 2% of the money, or none, and the answer names the fault.
func TestCompanies(t *testing.T) {
	var pairs [][2]int
	for a := range companyFaults {
		for b := range a {
			pairs = append(pairs, [2]int{b, a})
		}
	}
	refused, worst := 0, 0.0
	for i, pair := range pairs[:20] {
		one, two := companyFaults[pair[0]], companyFaults[pair[1]]
		name := fmt.Sprintf("%d: %s and %s", i, one.name, two.name)
		rng := rand.New(rand.NewPCG(37, uint64(i))) // seed 37
		c := &company{types: [][]string{{"m5.large"}, {"m5.large", "m5.xlarge"}, {"m5.xlarge", "c5.xlarge"}}[i%3], days: 42}
		for range c.types {
			c.base, c.day = append(c.base, float64(20+rng.IntN(100))), append(c.day, float64(rng.IntN(60)))
		}
		ordered := func(faults ...string) (commitment float64, text string) {
			c.faults = map[string]bool{}
			for _, f := range faults {
				c.faults[f] = true
			}
			args := []string{"-bill", programtest.Write(t, "bill.csv", c.bill().String()), "-prices", programtest.Write(t, "prices.csv", c.list()), "-sound", "90"}
			_, stdout, stderr := tested.Try(append(args, "-json")...)
			for _, o := range read[order](t, stdout) {
				if o.Units > 0 {
					commitment += amount(t, o.Commitment).Float64()
				}
			}
			return commitment, stderr
		}
		clean, _ := ordered()
		got, text := ordered(one.name, two.name)
		if clean == 0 {
			t.Fatalf("%s: nothing is ordered on the clean bill", name)
		}
		gap := math.Abs(got-clean) / clean
		said := unwrapped(text)
		if strings.Contains(said, "-sound asks for") {
			refused++
		} else if worst = max(worst, gap); gap > .02 {
			t.Errorf("%s: an order of %.2f, and %.2f from the clean bill\n%s", name, got, clean, text)
		}
		for _, f := range []string{one.says, two.says} {
			if !strings.Contains(said, f) {
				t.Errorf("%s: the answer does not say %q:\n%s", name, f, text)
			}
		}
	}
	t.Logf("20 companies: %d refused, the others at most %.2f%% from the order of the clean bill", refused, 100*worst)
}
