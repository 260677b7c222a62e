package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Bills with one fault each, as clouds write them, and what may be ordered on them. The wrong
// numbers in the comments are those of this program before it knew the fault; the true ones are
// of a year of hours like those of the bill, charged hour by hour by repeated.

// A table is a bill in the making: columns by name.
type textBill struct {
	columns []string
	lines   []string
}

type fields map[string]string

// add adds a row; a column that the table does not have yet becomes one.
func (b *textBill) add(rows ...fields) {
	for _, row := range rows {
		line := make([]string, len(b.columns))
		for _, name := range slices.Sorted(maps.Keys(row)) {
			i := slices.Index(b.columns, name)
			if i < 0 {
				i, b.columns, line = len(b.columns), append(b.columns, name), append(line, "")
			}
			line[i] = `"` + strings.ReplaceAll(row[name], `"`, `""`) + `"`
		}
		b.lines = append(b.lines, strings.Join(line, ","))
	}
}

func (b *textBill) String() string {
	var s strings.Builder
	s.WriteString(strings.Join(b.columns, ",") + "\n")
	for _, line := range b.lines {
		s.WriteString(line + strings.Repeat(",", len(b.columns)-1-commas(line)) + "\n")
	}
	return s.String()
}

// commas counts the commas of a line outside of quotes.
func commas(line string) (n int) {
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if c == ',' && !quoted {
			n++
		}
	}
	return n
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// stamp writes a time as bills do.
func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05Z") }

// prices of faults: on demand, and reserved for a year, in parts of the price on demand; a large
// of m5 costs .096.
const (
	largePrice = .096
	reserved   = .63
)

// sizes are types of m5 with their size in larges.
var sizes = map[string]float64{"m5.large": 1, "m5.xlarge": 2, "m5.2xlarge": 4, "m5.24xlarge": 48, "c5.xlarge": 2, "db.r5.large": 1}

// offersOf is a price list of AWS with a reservation of a year for each type.
func offersOf(types ...string) string {
	var b strings.Builder
	b.WriteString("\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"x\"\n\"Publication Date\",\"2026\"\n\"Version\",\"1\"\n\"OfferCode\",\"AmazonEC2\"\n" +
		`"SKU","OfferTermCode","TermType","Unit","PricePerUnit","Currency","LeaseContractLength","PurchaseOption","OfferingClass","Product Family","Region Code",` +
		`"Location","Instance Type","Tenancy","Operating System","CapacityStatus","operation","Normalization Size Factor"` + "\n")
	for _, t := range types {
		t, share, cheap := strings.Cut(t, "@")   // m5.large@0.45 is reserved at .45 of the price
		name, text, given := strings.Cut(t, "=") // m5.large=0.0961 has a price of its own
		price, part := largePrice*sizes[name], reserved
		if given {
			price, _ = strconv.ParseFloat(text, 64)
		}
		if cheap {
			part, _ = strconv.ParseFloat(share, 64)
		}
		for _, term := range []string{"OnDemand", "Reserved"} {
			p, lease, option, class := price, "", "", ""
			if term == "Reserved" {
				p, lease, option, class = math.Round(1e6*part*price)/1e6, "1yr", "No Upfront", "standard"
			}
			fmt.Fprintf(&b, `"%s","%s","%s","Hrs","%s","USD","%s","%s","%s","Compute Instance","eu-west-1","EU","%s","Shared","Linux","Used","RunInstances","%s"`+"\n",
				name, term, term, number(p), lease, option, class, name, number(4*sizes[name]))
		}
	}
	return b.String()
}

// focusRow is n instances of a type of AWS from a time on, for an hour, at the price on demand.
func focusRow(at time.Time, kind string, n float64, with fields) fields {
	cost := number(math.Round(1e9*n*largePrice*sizes[kind]) / 1e9)
	row := fields{"BilledCost": cost, "EffectiveCost": cost, "ListCost": cost, "ContractedCost": cost, "BillingAccountId": "a", "BillingCurrency": "USD",
		"ChargePeriodStart": stamp(at), "ChargePeriodEnd": stamp(at.Add(time.Hour)), "ChargeCategory": "Usage", "ChargeClass": "", "PricingQuantity": number(n),
		"PricingUnit": "Hours", "ProviderName": "AWS", "ServiceCategory": "Compute", "ServiceName": "Amazon Elastic Compute Cloud", "RegionId": "eu-west-1",
		"SkuPriceDetails": `{"InstanceType":"` + kind + `","OperatingSystem":"Linux"}`, "x_UsageType": "EU-BoxUsage:" + kind, "ResourceId": ""}
	maps.Copy(row, with)
	return row
}

// reportRow is the same as a line of a cost and usage report.
func reportRow(at time.Time, kind string, n float64, with fields) fields {
	row := fields{"lineItem/LineItemType": "Usage", "lineItem/UsageStartDate": stamp(at), "lineItem/UsageEndDate": stamp(at.Add(time.Hour)),
		"lineItem/UnblendedCost": number(n * largePrice * sizes[kind]), "lineItem/UsageAmount": number(n), "pricing/publicOnDemandCost": number(n * largePrice * sizes[kind]),
		"bill/PayerAccountId": "a", "lineItem/CurrencyCode": "USD", "lineItem/ProductCode": "AmazonEC2", "lineItem/UsageType": "EU-BoxUsage:" + kind,
		"lineItem/Operation": "RunInstances", "pricing/unit": "Hrs", "product/instanceType": kind, "product/regionCode": "eu-west-1", "product/tenancy": "Shared",
		"lineItem/NormalizedUsageAmount": number(4 * n * sizes[kind])}
	maps.Copy(row, with)
	return row
}

// hourly calls add for each hour of days from begin on.
func hourly(days int, add func(h int, at time.Time)) {
	for h := range 24 * days {
		add(h, begin.Add(time.Duration(h)*time.Hour))
	}
}

// advised is what is ordered of each kind.
func advised(t *testing.T, name string, b *textBill, prices string, args ...string) (units map[string]int, text string) {
	t.Helper()
	bill, list := programtest.Write(t, name+".csv", b.String()), programtest.Write(t, name+"-prices.csv", prices)
	args = append([]string{"-bill", bill, "-prices", list, "-little-history"}, args...)
	_, stdout, stderr := tested.Try(append(args, "-json")...)
	units = map[string]int{}
	for _, o := range read[order](t, stdout) {
		units[o.Kind] += o.Units
	}
	_, text, _ = tested.Try(args...)
	programtest.Narrow(t, text, 80)
	if strings.Contains(text, "…") {
		t.Errorf("a name is cut:\n%s", text)
	}
	if n := strings.Count(text, "\n"); n > 40 {
		t.Errorf("%d lines: want 40 at most\n%s", n, text)
	}
	return units, text + stderr
}

// repeated is what n reservations at a price an hour save in a year whose hours are those of a
// period again and again.
func repeated(n int, demand func(h int) float64, period int, price float64) (saving float64) {
	for h := range 8760 {
		saving += min(float64(n), demand(h%period))*price - float64(n)*price*reserved
	}
	return saving
}

// best is the number that saves most, and the saving.
func best(demand func(h int) float64, period int, price float64) (most int, saving float64) {
	for n := range 200 {
		if s := repeated(n, demand, period, price); s > saving+1e-9 {
			most, saving = n, s
		}
	}
	return most, saving
}

// office is n by day, from 8 to 20 hours, and night else.
func office(n, night float64) func(h int) float64 {
	return func(h int) float64 {
		if h%24 >= 8 && h%24 < 20 {
			return n
		}
		return night
	}
}

// unwrapped joins the lines of a text again.
func unwrapped(s string) string { return strings.Join(strings.Fields(s), " ") }

// says checks that a text has a sentence, wherever its lines break.
func says(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(unwrapped(text), w) {
			t.Errorf("the answer does not say %q:\n%s", w, text)
		}
	}
}

// wants compares what is ordered of the first kind that is planned.
func wants(t *testing.T, got map[string]int, text string, want int) {
	t.Helper()
	n := 0
	for _, units := range got {
		n += units
	}
	if n != want {
		t.Errorf("%v is ordered: want %d\n%s", got, want, text)
	}
}

// A row of a day beside rows of hours leaves the hours what they are. Ten machines from 8 to 20
// hours are used half of the time, and a reservation pays from 63% on.
func TestDayBesideHours(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		if n := office(10, 0)(h); n > 0 {
			b.add(focusRow(at, "m5.xlarge", n, nil))
		}
	})
	b.add(focusRow(begin, "m5.xlarge", 24, fields{"ProviderName": "Microsoft", "ChargePeriodEnd": stamp(begin.Add(24 * time.Hour)), "RegionId": "westeurope",
		"SkuPriceDetails": "", "x_SkuDetails": `{"ServiceType":"Standard_D2_v3"}`, "x_UsageType": ""}))
	got, text := advised(t, "days", &b, offersOf("m5.xlarge"))
	// 5 before, which is -1,093.
	if n, saving := best(office(10, 0), 24, .192); n != 0 || saving != 0 || math.Round(repeated(5, office(10, 0), 24, .192)) != -1093 {
		t.Errorf("the truth is %d for %v", n, saving)
	}
	wants(t, got, text, 0)
	says(t, text, "1 of 2 kinds have rows of days")
}

// azureDays is a bill of Azure: each machine is a row of a day with its hours.
func azureDays(days, machines int, hours func(machine int) float64) *textBill {
	var b textBill
	for d := range days {
		for m := range machines {
			h := hours(m)
			b.add(fields{"Date": begin.AddDate(0, 0, d).Format("01/02/2006"), "MeterCategory": "Virtual Machines", "MeterName": "D2", "UnitOfMeasure": "1 Hour",
				"Quantity": number(h), "CostInBillingCurrency": number(h / 10), "BillingCurrency": "USD", "ResourceLocation": "westeurope",
				"AdditionalInfo": `{"ServiceType":"Standard_D2"}`, "ChargeType": "Usage", "PricingModel": "OnDemand", "ReservationId": "", "ResourceId": strconv.Itoa(m)})
		}
	}
	return &b
}

// Ten machines of twelve hours a day: five reservations if the hours are spread, none if the
// machines share them, which is what holds for any hours. Machines that ran all day are sure.
func TestDaysAlone(t *testing.T) {
	b := azureDays(35, 10, func(int) float64 { return 12 })
	for _, c := range []struct {
		daily, says string
		want        int
	}{
		{"any", "whatever the hours were", 0}, // 5 before
		{"spread", "as if spread evenly over the day", 5},
		{"8-20", "within 8 to 20 hours UTC", 0},
	} {
		t.Run(c.daily, func(t *testing.T) {
			got, text := advised(t, "azure", b, azurePrices, "-daily", c.daily)
			wants(t, got, text, c.want)
			says(t, text, c.says)
		})
	}
	got, text := advised(t, "sure", azureDays(35, 10, func(m int) float64 { return []float64{24, 24, 24, 20, 12, 12, 12, 3, 2, 1}[m] }), azurePrices)
	wants(t, got, text, 4) // 20 of 24 hours is more than 57%
}

// The last day of a bill is half there: the order is that of the bill without the day.
func TestTail(t *testing.T) {
	demand := func(h int) float64 { return 9 + float64(h*7%3) } // 9 to 11
	for name, last := range map[string]float64{"whole": 1, "half": .5} {
		t.Run(name, func(t *testing.T) {
			var b textBill
			hourly(30, func(h int, at time.Time) {
				part := 1.0
				if h >= 24*29 {
					part = last
				}
				b.add(focusRow(at, "m5.large", math.Floor(part*demand(h)), nil), focusRow(at, "c5.xlarge", math.Floor(4*part), nil))
			})
			got, text := advised(t, name, &b, offersOf("m5.large", "c5.xlarge"))
			if m5, c5 := got["m5.large in eu-west-1, linux"], got["c5.xlarge in eu-west-1, linux"]; m5 < 9 || m5 > 10 || c5 != 4 {
				t.Errorf("%v\n%s", got, text) // none of m5 and 2 of c5 before
			}
			if name == "half" {
				says(t, text, "the last 24 hours of the bill, from 2026-03-31 00:00 on, have")
			} else if strings.Contains(text, "report late") {
				t.Error(text)
			}
		})
	}
}

// Fourteen reservations are held until August, of which the night uses 3 and the day 14 of 16: they
// are 14, and not the mean of what they serve, 9. At 45% of the price on demand two more pay, which
// serve half of the time; seven, beside 14, do not.
func TestHeldBySize(t *testing.T) {
	const id = "arn:aws:ec2:eu-west-1:1:reserved-instances/r"
	var b textBill
	need := office(16, 3)
	hourly(28, func(h int, at time.Time) {
		covered := min(14, need(h))
		b.add(reportRow(at, "m5.xlarge", covered, fields{"lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0", "reservation/EffectiveCost": number(covered * .12),
			"reservation/ReservationARN": id, "reservation/EndTime": "2026-08-01T00:00:00.000Z"}))
		if rest := need(h) - covered; rest > 0 {
			b.add(reportRow(at, "m5.xlarge", rest, nil))
		}
	})
	for _, fee := range []bool{false, true} {
		t.Run(fmt.Sprint("fee=", fee), func(t *testing.T) {
			bill := b
			bill.lines = slices.Clone(b.lines)
			if fee {
				bill.add(reportRow(begin, "m5.xlarge", 672*14, fields{"lineItem/LineItemType": "RIFee", "lineItem/UsageEndDate": stamp(begin.AddDate(0, 0, 28)),
					"lineItem/UsageType": "EU-HeavyUsage:m5.xlarge", "reservation/ReservationARN": id, "reservation/TotalReservedNormalizedUnits": number(672 * 14 * 8),
					"reservation/UnusedNormalizedUnitQuantity": number(336 * 11 * 8), "reservation/UnusedRecurringFee": "1"}))
			}
			got, text := advised(t, "held", &bill, offersOf("m5.xlarge@0.45"))
			wants(t, got, text, 2) // 7 before
			says(t, text, "14 instances of "+id[:24])
		})
	}
}

// Seven held by seven contracts, each of which serves kinds of two sizes: they are seven together.
func TestHeldTogether(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		for i := range 7 {
			id := fmt.Sprint("ri-", i)
			for _, part := range []struct {
				kind string
				n    float64
			}{{"m5.large", 1.1}, {"m5.xlarge", .45}} {
				b.add(reportRow(at, part.kind, part.n, fields{"lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0", "reservation/EffectiveCost": number(part.n * .06),
					"reservation/ReservationARN": id, "reservation/EndTime": "2026-08-01T00:00:00.000Z"}))
			}
		}
		b.add(reportRow(at, "m5.large", 10, nil))
	})
	_, text := advised(t, "together", &b, offersOf("m5.large", "m5.xlarge"))
	if held := strings.Count(text, "held: 2 m5.large"); held != 6 || !strings.Contains(unwrapped(text), "and 1 more") {
		t.Errorf("want 14 m5.large in seven contracts:\n%s", text)
	}
}

// Hours of an instance are there once, whatever is charged beside them.
func TestOnce(t *testing.T) {
	for name, beside := range map[string]fields{
		"EMR":                   {"lineItem/ProductCode": "ElasticMapReduce", "lineItem/Operation": "Hive", "lineItem/UnblendedCost": "0.48"},
		"software":              {"lineItem/ProductCode": "2bk2bz5xr", "lineItem/UsageType": "SoftwareUsage:m5.xlarge", "product/instanceType": "m5.xlarge", "lineItem/UnblendedCost": "1"},
		"a reserved capacity":   {"lineItem/UsageType": "EU-Reservation:m5.xlarge", "lineItem/UnblendedCost": "0"},
		"a dedicated capacity":  {"lineItem/UsageType": "EU-DedicatedRes:m5.xlarge", "lineItem/UnblendedCost": "0"},
		"a search, by the hour": {"lineItem/ProductCode": "AmazonES", "lineItem/UsageType": "EU-ESInstance:m5.xlarge", "lineItem/Operation": "ESDomain"},
	} {
		t.Run(name, func(t *testing.T) {
			var b textBill
			hourly(28, func(h int, at time.Time) {
				b.add(reportRow(at, "m5.xlarge", 10, nil), reportRow(at, "m5.xlarge", 10, beside))
			})
			got, text := advised(t, "once", &b, offersOf("m5.xlarge"))
			if n := got["m5.xlarge in eu-west-1, linux"]; n != 10 { // 20 before
				t.Errorf("%v\n%s", got, text)
			}
		})
	}
	for name, beside := range map[string]fields{
		"EMR":      {"ServiceCategory": "Analytics", "ServiceName": "Amazon Elastic MapReduce", "ResourceId": "x"},
		"software": {"x_UsageType": "SoftwareUsage:m5.xlarge", "ServiceName": "a product of the marketplace"},
	} {
		t.Run("FOCUS "+name, func(t *testing.T) {
			var b textBill
			hourly(28, func(h int, at time.Time) {
				b.add(focusRow(at, "m5.xlarge", 10, nil), focusRow(at, "m5.xlarge", 10, beside))
			})
			got, text := advised(t, "once", &b, offersOf("m5.xlarge"))
			wants(t, got, text, 10)
		})
	}
	// A machine with Windows under a reservation, and the row of its licence.
	b := azureDays(35, 2, func(int) float64 { return 24 })
	for d := range 35 {
		for m := range 2 {
			row := fields{"Date": begin.AddDate(0, 0, d).Format("01/02/2006"), "MeterCategory": "Virtual Machines Licenses", "MeterSubCategory": "Windows Server", "UnitOfMeasure": "1 Hour",
				"Quantity": "24", "CostInBillingCurrency": "1", "BillingCurrency": "USD", "ResourceLocation": "westeurope",
				"AdditionalInfo": `{"ServiceType":"Standard_D2"}`, "ChargeType": "Usage", "PricingModel": "OnDemand", "ReservationId": "", "ResourceId": strconv.Itoa(m)}
			b.add(row)
		}
	}
	got, text := advised(t, "licence", b, azurePrices)
	wants(t, got, text, 2)
}

// A large size that is used for a part of each hour is that part of its units, rounded once.
func TestPartsOfLarge(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		b.add(focusRow(at, "m5.24xlarge", []float64{.4, .6}[h%2], nil), focusRow(at, "m5.large", 1, nil))
	})
	need := func(h int) float64 { return []float64{20.2, 29.8}[h%2] }
	most, saving := best(need, 2, largePrice)
	got, text := advised(t, "parts", &b, offersOf("m5.large", "m5.24xlarge"))
	wants(t, got, text, most)
	if most != 20 || math.Round(saving) != 6223 || repeated(49, need, 2, largePrice) > 0 {
		t.Errorf("%d for %v", most, saving)
	}
}

// The price on demand is what the customer pays: at 40% below the list no reservation at 37% below
// it pays.
func TestPrivateDiscount(t *testing.T) {
	focus, report, plain := textBill{}, textBill{}, textBill{}
	hourly(28, func(h int, at time.Time) {
		cost := number(math.Round(1e9*10*.192*.6) / 1e9)
		focus.add(focusRow(at, "m5.xlarge", 10, fields{"ContractedCost": cost, "BilledCost": cost, "EffectiveCost": cost}))
		report.add(reportRow(at, "m5.xlarge", 10, fields{"lineItem/NetUnblendedCost": cost}))
		plain.add(focusRow(at, "m5.xlarge", 10, nil))
	})
	for name, c := range map[string]struct {
		bill *textBill
		args []string
		want int
		says string
	}{
		"contracted": {&focus, nil, 0, "on demand counts at 0.1152 an hour, 40.0% below the list"}, // 10 before
		"net":        {&report, nil, 0, "40.0% below the list"},
		"by a flag":  {&plain, []string{"-discount", "40"}, 0, "on demand counts at 0.1152 an hour, 40.0% below the list, as -discount says"},
		"none":       {&plain, nil, 10, ""},
		"overruled":  {&focus, []string{"-discount", "0"}, 10, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := advised(t, "discount", c.bill, offersOf("m5.xlarge"), c.args...)
			wants(t, got, text, c.want)
			says(t, text, c.says)
		})
	}
}

// A correction that takes back money adds no instance.
func TestCorrectionClass(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		b.add(focusRow(at, "m5.large", 4, nil), focusRow(at, "m5.large", 1, fields{"ChargeClass": "Correction", "BilledCost": "-0.096", "EffectiveCost": "-0.096",
			"ListCost": "-0.096", "ContractedCost": "-0.096"}))
	})
	got, text := advised(t, "correction", &b, offersOf("m5.large"))
	wants(t, got, text, 4) // 5 before
	says(t, text, "the money counts, and the hours do not")
}

// Prices that are rounded to a tenth of a cent leave a family one family.
func TestRoundedPrices(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		b.add(focusRow(at, "m5.large", 6-5*float64(h%2), nil), focusRow(at, "m5.xlarge", .5+2.5*float64(h%2), nil)) // 7 units together
	})
	got, text := advised(t, "rounded", &b, offersOf("m5.large=0.097", "m5.xlarge=0.193"))
	if n := got["m5 family in eu-west-1, linux"]; n != 7 { // two kinds of 1 and 0 before
		t.Errorf("%v\n%s", got, text)
	}
}

// A month without rows is missing, and not 0.
func TestMissingMonth(t *testing.T) {
	var b textBill
	hourly(120, func(h int, at time.Time) {
		if d := h / 24; d < 80 || d >= 110 {
			b.add(focusRow(at, "m5.large", 5, nil))
		}
	})
	got, text := advised(t, "gap", &b, offersOf("m5.large"))
	wants(t, got, text, 5) // 3 before
	says(t, text, "no kind is used from 2026-05-21 00:00 to 2026-06-20 00:00")
	_, text = advised(t, "gap", &b, offersOf("m5.large"), "-sound", "90")
	says(t, text, "Order nothing: 75.0% of the instances' cost is planned and beyond doubt", "nothing is ordered")
}

// Rows of six hours are spread over them, days of 23 hours count, and a list in another currency is
// converted by a rate.
func TestOtherRows(t *testing.T) {
	var six, local, euro textBill
	hourly(28, func(h int, at time.Time) {
		if h%6 == 0 {
			six.add(focusRow(at, "m5.large", 30, fields{"ChargePeriodEnd": stamp(at.Add(6 * time.Hour))}))
		}
		euro.add(focusRow(at, "m5.large", 5, fields{"BillingCurrency": "EUR"}))
	})
	at := begin
	for d := range 28 {
		length := 24 * time.Hour
		if d == 20 {
			length = 23 * time.Hour
		}
		for m := range 5 {
			local.add(focusRow(at, "m5.large", length.Hours(), fields{"ChargePeriodEnd": stamp(at.Add(length)), "ResourceId": strconv.Itoa(m)}))
		}
		at = at.Add(length)
	}
	for name, c := range map[string]struct {
		bill *textBill
		args []string
		says string
		want int
	}{
		"six hours":        {&six, nil, "spread evenly over them", 5},
		"a day of 23":      {&local, nil, "times are local", 5},
		"another currency": {&euro, nil, "in USD and the bill in EUR", 0},
		"by a rate":        {&euro, []string{"-exchange", "USD=0.92"}, "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := advised(t, "rows", c.bill, offersOf("m5.large"), c.args...)
			wants(t, got, text, c.want)
			says(t, text, c.says)
		})
	}
}
