package niu16

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What a marketplace for the rest of terms would be worth ([Niu16] section 8.6).

// saleHours is how often a reservation can be sold, in hours after its purchase.
const saleHours = 4 * semielastic.WeekHours

// sold returns a cost if the rest is sold for a share of what it has cost.
func sold(r semielastic.Rest, cost pricing.Money, share float64) (pricing.Money, error) {
	back, err := r.Upfront.Prorate(time.Duration(share*1e6+.5), 1e6, pricing.Down)
	if err == nil {
		back, err = back.Add(r.Hours)
	}
	if err == nil {
		cost, err = cost.Sub(back)
	}
	return cost, err
}

// A marketplace is what one is worth.
type marketplace struct {
	share     float64
	sold      pricing.Money // what hybrid costs, in all, if the rest is sold at the log's end
	whole     pricing.Money // what a plan that knows the demand costs without sales
	plan      pricing.Money // the same with sales at any time
	bought    int           // reservations of that plan
	early     int           // of them sold before the log ends
	uncertain bool          // a plan was not proved to be the cheapest
}

// worth returns by what part of the cost sales lower that of a plan that knows the demand.
func (m *marketplace) worth() float64 { return 1 - m.plan.Float64()/m.whole.Float64() }

// market finds what a marketplace is worth, for hybrid's demand.
func market(list pricing.List, hours []int, cost pricing.Money, left semielastic.Rest, share float64) (m marketplace, err error) {
	m.share = share
	if m.sold, err = sold(left, cost, share); err != nil {
		return m, err
	}
	p := &reserve.Problem{Demand: hours, Slot: time.Hour, Prices: list, Every: semielastic.WeekHours}
	var exact reserve.Exact
	plan, err := exact.Solve(p)
	if err != nil {
		return m, err
	}
	m.whole, m.uncertain = plan.Cost, !plan.Optimal()
	end := (len(hours) + saleHours - 1) / saleHours * saleHours
	place := reserve.Resale{Share: share, Every: saleHours * time.Hour, Longest: time.Duration(end) * time.Hour}
	classes, of, err := place.AppendClasses(nil, nil, list)
	if err != nil {
		return m, err
	}
	p.Prices.Classes = classes
	if plan, err = exact.Solve(p); err != nil {
		return m, err
	}
	m.plan, m.uncertain = plan.Cost, m.uncertain || !plan.Optimal()
	for _, q := range plan.Purchases {
		m.bought += q.Count
		if sold := classes[q.Class].Term; sold < list.Classes[of[q.Class]].Term && q.Slot+int(sold/time.Hour) < len(hours) {
			m.early += q.Count
		}
	}
	return m, nil
}

// marketShares are what marketplaces pay in the figure; .704 is a discount of 20% and a fee of 12%.
var marketShares = []float64{0, .25, .5, .704, .88, 1}

// resale is a figure of what marketplaces are worth.
func (s *study) resale(name string) (figure, error) {
	f := figure{name: "resale", header: "share,hybrid_rate,hindsight_rate,hindsight_with_sales_rate,worth,reservations,sold_early,proved"}
	chart := svgplot.Chart{Title: "A marketplace for the rest of terms, " + name, X: "share of the prorated price", Y: rateAxis + ", in all",
		Series: []svgplot.Series{{Name: "hybrid, sold at the end"}, {Name: "hindsight, without sales"}, {Name: "hindsight, with sales"}}}
	for _, share := range marketShares {
		m, err := market(s.prices, s.hybrid.Hours, s.hybrid.Paid, s.hybrid.Left, share)
		if err != nil {
			return f, err
		}
		rates := []float64{m.sold.Float64() / s.used, m.whole.Float64() / s.used, m.plan.Float64() / s.used}
		for k, y := range rates {
			chart.Series[k].X, chart.Series[k].Y = append(chart.Series[k].X, share), append(chart.Series[k].Y, y)
		}
		f.rows = append(f.rows, []string{decimal.Fixed(share, 3), dollars(rates[0]), dollars(rates[1]), dollars(rates[2]), decimal.Fixed(m.worth(), 6),
			decimal.Fixed(float64(m.bought), 0), decimal.Fixed(float64(m.early), 0), map[bool]string{false: "true", true: "false"}[m.uncertain]})
	}
	f.charts = []svgplot.Chart{chart}
	return f, nil
}
