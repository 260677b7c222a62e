package main

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// A buying is how reservations are bought.
type buying int

const (
	buyOnline buying = iota
	buyOffline
	buyExact
	buyPaper
	buyNothing
)

var buyNames = [...]string{"online", "offline", "exact", "online-paper", "none"}

func (b buying) String() string { return buyNames[b] }

// weekHours is how often reservations are bought, in hours ([Niu16] section 5.1.2).
const weekHours = 168

// online is the portfolio of [Niu16] section 5.2.2 as the simulator wants it: it
// plans with a forecast, and tells what serves.
type online struct {
	rules.Online
	list   pricing.List
	bought []pricing.Purchase
	active []pricing.Holding
	hours  int // seen
	begun  bool
	filled []int // the first week with a demand
}

// forever, as the end of the demand, is none.
const forever = math.MaxInt

// paperForecaster is the forecast of [Niu16] section 5.2.1: Eq. (7) as printed, with
// all three factors from the rule of Trigg and Leach. The paper does not say how far a
// quadratic may go over the weeks of a term. It is held within 0 and twice the peak here:
// without limits the portfolio costs 13 to 55 times the optimum.
func paperForecaster() rules.Forecaster {
	return &forecast.Predictor{
		Model:  &smoothing.AdaptiveTriple{All: true},
		Limits: forecast.Limits{NonNegative: true, Multiple: 2},
	}
}

// newOnline returns a portfolio of the classes of a list. Instances that are not reserved
// cost elsewhere, if that is less than on demand, with a discount there for sustained use
// (the zero value is none). The forecast is level and cautious, as in
// examples/tools/portfolio. From the hour end on there is no demand, so that reservations are
// worth nothing then.
func newOnline(how buying, list pricing.List, elsewhere pricing.Money, discount pricing.SustainedUse, end int) (*online, error) {
	o := &online{list: list}
	o.Forecaster = &forecast.Predictor{Model: &smoothing.Simple{Alpha: .05}}
	o.Quantile, o.Window = .4, 52
	var planner reserve.Planner = new(reserve.Exact)
	if how == buyPaper {
		o.Forecaster, o.Quantile, planner = paperForecaster(), 0, new(rules.SEC)
	}
	if discount != (pricing.SustainedUse{}) {
		planner = &sustained{planner: planner, hourly: elsewhere, rates: discount}
	}
	o.Planner = planner
	if end != forever {
		o.Planner = &upTo{portfolio: o, end: end, planner: planner}
	}
	planned := list
	planned.OnDemand = min(list.OnDemand, elsewhere)
	return o, o.Reset(&reserve.Problem{Slot: time.Hour, Every: weekHours, Prices: planned})
}

// Observe takes the demand of a week and returns the reservations of the next week.
func (o *online) Observe(dst []placement.Reservation, demand []int) (_ []placement.Reservation, err error) {
	if demand = o.begin(demand); demand == nil {
		err = o.Learn(nil)
	} else {
		o.bought, err = o.Online.Observe(o.bought, demand)
	}
	if err != nil {
		return dst, err
	}
	o.hours += weekHours
	o.active = o.Active(o.active[:0])
	for _, h := range o.active {
		if h.Until > o.hours {
			dst = append(dst, placement.Reservation{Count: h.Count, Rate: o.list.Classes[h.Class].UsePrice()})
		}
	}
	return dst, nil
}

// begin returns the known demand of a week: nil before the week of the first job. In that
// week the hours before the job repeat the hours after it. A forecast that began with
// empty weeks would take most of a year to forget them.
func (o *online) begin(week []int) []int {
	if o.begun {
		return week
	}
	first := slices.IndexFunc(week, func(d int) bool { return d > 0 })
	if first < 0 {
		return nil
	}
	o.begun = true
	o.filled = append(o.filled[:0], week...)
	for t := range first {
		o.filled[t] = week[first+t%(len(week)-first)]
	}
	return o.filled
}

// upTo plans as if there were no demand from an end on.
type upTo struct {
	portfolio *online
	end       int
	planner   reserve.Planner
	demand    []int
}

func (u *upTo) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	begin := u.portfolio.hours + weekHours // Observe has not counted its week yet
	left := time.Duration(max(0, u.end-begin)) * time.Hour / p.Slot
	u.demand = append(u.demand[:0], p.Demand...)
	if left < time.Duration(len(u.demand)) {
		clear(u.demand[left:])
	}
	cut := *p
	cut.Demand = u.demand
	return u.planner.AppendPlan(dst, &cut)
}

// buy returns the purchases for the demand of a single cloud, hour by hour. Online buying
// from the demand afterwards gives the same purchases as buying while the cluster runs.
func buy(how buying, list pricing.List, hours []int, horizon reserve.Horizon) ([]pricing.Purchase, error) {
	p := &reserve.Problem{Demand: hours, Slot: time.Hour, Prices: list, Every: weekHours, Horizon: horizon}
	switch how {
	case buyNothing:
		return nil, nil
	case buyOffline:
		return new(rules.SEC).AppendPlan(nil, p)
	case buyExact:
		return new(reserve.Exact).AppendPlan(nil, p)
	}
	o, err := newOnline(how, list, list.OnDemand, pricing.SustainedUse{}, forever)
	if err != nil {
		return nil, err
	}
	for from := 0; from+weekHours < len(hours); from += weekHours {
		if _, err := o.Observe(nil, hours[from:from+weekHours]); err != nil {
			return nil, err
		}
	}
	return o.bought, nil
}

// bill returns the cost of the demand with purchases. Purchases after its end do not count.
func bill(list pricing.List, hours []int, bought []pricing.Purchase) (pricing.Bill, error) {
	n := len(bought)
	for n > 0 && bought[n-1].Slot >= len(hours) {
		n--
	}
	var biller pricing.Biller
	return biller.Bill(list, hours, time.Hour, bought[:n])
}
