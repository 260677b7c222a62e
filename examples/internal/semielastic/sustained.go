package semielastic

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A plan that knows discounts for sustained use ([Niu16] section 6: "we extend the online
// prediction-based instance provisioning algorithm by adding the GCE pricing model").
//
// An instance that is used for the part u of a month costs H(u) times the price of a whole
// month, where H rises by the rates of the quarters, which fall. So H is concave, the least
// of four lines a_i + r_i·u: the line of quarter i has the rate r_i of that quarter and
// begins at a_i = Σ_{j<i} (r_j − r_i)/4. A line is the price of a reservation for a month:
// a_i of the month's price ahead, and r_i of the price for each hour used. Who reserves
// each instance for each month in the class that turns out best pays what Google charges.
// So the discount is three classes more, of the term of a month, and the planner that
// knows classes knows the discount. Their purchases are left out of the plan that comes
// back: Google wants no reservation.
//
// For the prices of 2013 and a price at Google of 55% of EC2's or more, the plan does not
// change. A class pays from a use u* on, and up to a quarter of the month Google gives no
// discount. At 55% u* of 3y-light is 25% of the time, at 70% it is 13%, at 100% 7%. Above u*
// the class is cheaper than Google with its discount. What changes plans is a cloud that
// costs half as much or less (BENCHMARKS.md).

// sustained plans with a discount for sustained use elsewhere.
type sustained struct {
	planner reserve.Planner
	hourly  pricing.Money // elsewhere
	rates   pricing.SustainedUse

	classes []pricing.Class
	plan    []pricing.Purchase
}

// planMonth is a month of the plan: four of its weeks. A calendar month has 4.35.
const planMonth = 4 * WeekHours * time.Hour

// sustainedClasses returns the classes that are a discount for sustained use: one for each
// quarter but the first, whose line is the price without discount.
func sustainedClasses(rates pricing.SustainedUse, hourly pricing.Money, month time.Duration) ([]pricing.Class, error) {
	const full = 10000 // the unit of pricing.SustainedUse
	var classes []pricing.Class
	for i := 1; i < len(rates); i++ {
		ahead := 0 // 4·a_i
		for j := range i {
			ahead += rates[j] - rates[i]
		}
		fee, err := hourly.Prorate(month/(4*full)*time.Duration(ahead), time.Hour, pricing.HalfEven)
		if err != nil {
			return nil, err
		}
		use, err := hourly.Prorate(time.Duration(rates[i]), full, pricing.HalfEven)
		if err != nil {
			return nil, err
		}
		classes = append(classes, pricing.Class{Name: fmt.Sprintf("sustained-%d", i+1), Term: month, Upfront: fee, Hourly: use, Billed: pricing.WhenUsed})
	}
	return classes, nil
}

func (s *sustained) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) (_ []pricing.Purchase, err error) {
	own := len(p.Prices.Classes)
	more, err := sustainedClasses(s.rates, s.hourly, planMonth)
	if err != nil {
		return dst, err
	}
	more = slices.DeleteFunc(more, func(c pricing.Class) bool { return c.Hourly >= p.Prices.OnDemand })
	q := *p
	s.classes = append(append(s.classes[:0], p.Prices.Classes...), more...)
	q.Prices.Classes = s.classes
	if s.plan, err = s.planner.AppendPlan(s.plan[:0], &q); err != nil {
		return dst, err
	}
	s.plan = slices.DeleteFunc(s.plan, func(x pricing.Purchase) bool { return x.Class >= own })
	return append(dst, s.plan...), nil
}
