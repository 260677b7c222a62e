package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/aws"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// A cloud that charges by the hour, as AWS documents it, written apart from the library: it has
// floats where the library has integers, instances where the library has units of a family, and an
// hour at a time where the library has flows.
//
//	1. Reservations of a zone serve instances of their type in the zone, those of the owner first.
//	2. Reservations of a region serve all sizes of their family, the smallest first, the owner's first.
//	3. Savings plans serve the usage with the highest discount first, until their money is spent.
//	4. The rest is on demand.

// A simType is a type of instance: its size in normalised units, and its prices.
type simType struct {
	name, family   string
	norm, price    float64
	plan           float64 // the rate of a savings plan, in parts of the price
	base, day, fan int     // instances at night, more by day, more in the last half year
}

var simTypes = []simType{
	{"m5.large", "m5", 4, .096, .72, 6, 8, 2}, {"m5.xlarge", "m5", 8, .192, .72, 3, 5, -1}, {"m5.2xlarge", "m5", 16, .384, .72, 1, 2, 1},
	{"c5.large", "c5", 4, .085, .7, 4, 9, 0}, {"c5.xlarge", "c5", 8, .17, .7, 2, 3, 2}, {"r5.large", "r5", 4, .126, .6, 5, 0, 0},
}

var simRegions = []string{"eu-west-1", "us-east-1"}

// nanos is a price as money.
func nanos(x float64) pricing.Money { return pricing.Money(math.Round(1e9 * x)) }

// A simUse is instances of a type that an account runs in a zone of a region in an hour.
type simUse struct {
	account, region, zone string
	kind                  *simType
	n, rest               float64 // in all, and not yet served
}

// A simReservation is a contract for instances of a type, in a zone or, without one, in a region.
type simReservation struct {
	id, account, region, zone string
	kind                      *simType
	n                         float64
	from, until               int // hours of the year
	hourly                    float64
}

// A simPlan is a savings plan: money an hour.
type simPlan struct {
	id    string
	money float64
}

// A simServed is what a contract serves of a use.
type simServed struct {
	use    *simUse
	by     string
	n      float64
	planAt float64 // the rate, for a savings plan
}

// simHour is what the accounts use in an hour of the year, the same whenever asked.
func simHour(h int) (uses []*simUse) {
	for r, region := range simRegions {
		for k := range simTypes {
			t := &simTypes[k]
			n := t.base + r
			if hour, day := h%24, h/24%7; hour >= 7 && hour < 19 && day < 5 {
				n += t.day
			}
			if h > 4380 {
				n += t.fan
			}
			if t.day > 0 {
				n += (h*31+k*7+r)%3 - 1 // what no pattern explains
			}
			first := n / 2 // the rest is of the second account, or the third
			second := []string{"222", "333"}[k%2]
			uses = append(uses, &simUse{"111", region, region + "a", t, float64(first), float64(first)}, &simUse{second, region, region + "b", t, float64(n - first), float64(n - first)})
		}
	}
	return uses
}

// charge charges an hour: what contracts serve, and the cost of the rest.
func charge(h int, uses []*simUse, reservations []simReservation, plans []simPlan) (served []simServed, onDemand float64) {
	take := func(u *simUse, by string, n, planAt float64) {
		if n > 1e-12 {
			u.rest -= n
			served = append(served, simServed{u, by, n, planAt})
		}
	}
	byOwner := func(r *simReservation) []*simUse {
		list := slices.Clone(uses)
		slices.SortStableFunc(list, func(a, b *simUse) int {
			own := func(u *simUse) int {
				if u.account == r.account {
					return 0
				}
				return 1
			}
			if a.kind.norm != b.kind.norm {
				return int(a.kind.norm - b.kind.norm)
			}
			return own(a) - own(b)
		})
		return list
	}
	for _, zonal := range []bool{true, false} {
		for i := range reservations {
			r := &reservations[i]
			if zonal != (r.zone != "") || h < r.from || h >= r.until {
				continue
			}
			left := r.n * r.kind.norm // normalised units
			for _, u := range byOwner(r) {
				fits := u.region == r.region && u.kind.family == r.kind.family
				if zonal {
					fits = u.zone == r.zone && u.kind == r.kind
				}
				if fits {
					n := min(u.rest, left/u.kind.norm)
					take(u, r.id, n, 0)
					left -= n * u.kind.norm
				}
			}
		}
	}
	byDiscount := slices.Clone(uses)
	slices.SortStableFunc(byDiscount, func(a, b *simUse) int { return int(1000 * (a.kind.plan - b.kind.plan)) })
	for _, p := range plans {
		left := p.money
		for _, u := range byDiscount {
			rate := u.kind.plan * u.kind.price
			n := min(u.rest, left/rate)
			take(u, p.id, n, rate)
			left -= n * rate
		}
	}
	for _, u := range uses {
		onDemand += u.rest * u.kind.price
	}
	return served, onDemand
}

// simReport writes the year as a cost and usage report.
func simReport(hours int, reservations []simReservation, plans []simPlan) []byte {
	var b bytes.Buffer
	b.WriteString("lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/UnblendedCost,lineItem/UsageAmount,lineItem/NormalizedUsageAmount," +
		"pricing/publicOnDemandCost,bill/PayerAccountId,lineItem/CurrencyCode,lineItem/ProductCode,lineItem/UsageType,lineItem/Operation,lineItem/AvailabilityZone," +
		"product/regionCode,reservation/ReservationARN,reservation/EffectiveCost,reservation/TotalReservedNormalizedUnits,reservation/UnusedNormalizedUnitQuantity," +
		"reservation/UnusedRecurringFee,reservation/EndTime,savingsPlan/SavingsPlanARN,savingsPlan/SavingsPlanEffectiveCost,savingsPlan/EndTime,lineItem/UsageAccountId\n")
	used := map[string]float64{} // normalised units of contracts
	at := func(h int) string { return stamp(begin.Add(time.Duration(h) * time.Hour)) }
	line := func(h int, what string, u *simUse, n float64, more string) {
		cost := n * u.kind.price
		billed := cost
		if what == "DiscountedUsage" {
			billed = 0
		}
		fmt.Fprintf(&b, "%s,%s,%s,%.9f,%.12g,%.12g,%.9f,payer,USD,AmazonEC2,X-BoxUsage:%s,RunInstances,%s,%s,%s,%s\n", what, at(h), at(h+1), billed, n, n*u.kind.norm,
			cost, u.kind.name, u.zone, u.region, more, u.account)
	}
	ends := map[string]string{}
	for _, r := range reservations {
		ends[r.id] = at(r.until)
	}
	for h := range hours {
		uses := simHour(h)
		served, _ := charge(h, uses, reservations, plans)
		for _, s := range served {
			if s.planAt > 0 {
				line(h, "SavingsPlanCoveredUsage", s.use, s.n, fmt.Sprintf(",,,,,,%s,%.9f,%s", s.by, s.n*s.planAt, at(3*8760)))
				continue
			}
			used[s.by] += s.n * s.use.kind.norm
			line(h, "DiscountedUsage", s.use, s.n, fmt.Sprintf("%s,0.1,,,,%s,,,", s.by, ends[s.by]))
		}
		for _, u := range uses {
			if u.rest > 1e-12 {
				line(h, "Usage", u, u.rest, ",,,,,,,,")
			}
		}
	}
	for _, r := range reservations {
		until := min(hours, r.until)
		units := r.n * r.kind.norm * float64(until-r.from)
		for from := r.from; from < until; from += 720 { // a fee a month
			part := float64(min(720, until-from)) / float64(until-r.from)
			fmt.Fprintf(&b, "RIFee,%s,%s,1,1,,0,payer,USD,AmazonEC2,X-HeavyUsage:%s,RunInstances,,%s,%s,,%.12g,%.12g,0.1,%s,,,,%s\n", at(from), at(min(from+720, until)), r.kind.name, r.region,
				r.id, units*part, (units-used[r.id])*part, at(r.until), r.account)
		}
	}
	return b.Bytes()
}

// The answer's cost on a year of three accounts with contracts of each sort is what the cloud
// charges, to a millionth: the held reservations and the plan as the bill shows them, and the
// orders of the answer, now and later.
func TestSimulation(t *testing.T) {
	const hours = 8760
	find := func(name string) *simType {
		i := slices.IndexFunc(simTypes, func(t simType) bool { return t.name == name })
		return &simTypes[i]
	}
	held := []simReservation{
		{"ri-zonal", "111", "eu-west-1", "eu-west-1a", find("m5.large"), 2, 0, 2 * hours, 0},
		{"ri-regional", "222", "eu-west-1", "", find("m5.xlarge"), 3, 0, 5000, 0}, // ends within the year
		{"ri-small", "333", "us-east-1", "", find("c5.large"), 5, 0, 9000, 0},
		{"ri-large", "333", "us-east-1", "", find("m5.2xlarge"), 1, 0, 2 * hours, 0},
	}
	plans := []simPlan{{"sp", 4 * .6 * .126}} // four r5.large, which has the highest discount
	text := simReport(hours, held, plans)
	var c usage.Collector
	if err := aws.Read(&c, "year", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	bill, err := c.Bill()
	if err != nil {
		t.Fatal(err)
	}
	if rows := bytes.Count(text, []byte("\n")); rows < 200_000 {
		t.Errorf("%d rows, want 200,000", rows)
	}
	r := &results{o: &options{discount: -1}, bill: bill, quality: bill.Quality(), start: begin, now: begin, slot: time.Hour, matched: map[string]bool{}}
	for _, region := range simRegions {
		for _, x := range simTypes {
			o := offerFor(x.name, x.family, int(100*x.norm), nanos(x.price))
			o.Region = region
			o.List.Classes[0].Upfront, o.List.Classes[0].Hourly = 0, nanos(.63*x.price)
			r.prices.Offers = append(r.prices.Offers, o)
		}
	}
	if err := r.group(); err != nil || len(r.missed) != 0 || len(r.groups) != 6 || len(r.doubts) != 0 {
		t.Fatal(err, r.missed, len(r.groups), r.doubts)
	}
	answer, bought := 0.0, slices.Clone(held)
	for i, g := range r.groups {
		a, err := advice.Advise(&advice.Request{Now: begin, Slot: time.Hour, Paths: [][]int{g.demand}, OnDemand: g.list.OnDemand, Offers: g.offers, Held: g.held, Every: 168 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		answer += a.Cost.Float64()
		unit := find(g.kinds[slices.Index(g.factor, 1)].Type)
		buy := func(from, n int) {
			bought = append(bought, simReservation{fmt.Sprint("new-", i, "-", from), "111", g.kinds[0].Region, "", unit, float64(n), from, from + hours, .63 * unit.price})
		}
		for _, o := range a.Orders {
			buy(0, o.Units)
		}
		for _, l := range a.Later {
			buy(int(l.When.Sub(begin)/time.Hour), l.Units)
		}
	}
	truth, later := 0.0, 0
	for h := range hours {
		_, onDemand := charge(h, simHour(h), bought, plans)
		truth += onDemand
		for _, b := range bought {
			if h >= b.from && h < b.until {
				truth += b.n * b.hourly
			}
		}
	}
	for _, b := range bought[len(held):] {
		if b.from > 0 {
			later++
		}
	}
	t.Logf("%d rows, %d reservations bought, %d of them later: %.6f by the answer, %.6f charged", bytes.Count(text, []byte("\n")), len(bought)-len(held), later, answer, truth)
	if gap := math.Abs(answer-truth) / truth; !(gap < 1e-6) || len(bought) == len(held) || later == 0 {
		t.Errorf("the answer's cost is %v, and the cloud charges %v: %v apart", answer, truth, gap)
	}
}
