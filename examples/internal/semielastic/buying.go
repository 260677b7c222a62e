package semielastic

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

// A Buying is how reservations are bought.
type Buying int

const (
	BuyOnline  Buying = iota // by a forecast of what was seen so far
	BuyExact                 // knowing the demand, at the least pure cost
	BuyNothing               // all is on demand
	BuyOffline               // knowing the demand, by the greedy rule of [Niu16]
	BuyPaper                 // online, by the forecast and the greedy rule of [Niu16]
)

// BuyNames are the names, in the order of the constants.
var BuyNames = [...]string{"online", "exact", "none", "offline", "online-paper"}

func (b Buying) String() string { return BuyNames[b] }

// Classes returns the list with some of its classes only.
func Classes(list pricing.List, names ...string) pricing.List {
	list.Classes = slices.DeleteFunc(slices.Clone(list.Classes), func(c pricing.Class) bool { return !slices.Contains(names, c.Name) })
	return list
}

// WeekHours is how often reservations are bought, in hours ([Niu16] section 5.1.2).
const WeekHours = 168

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
func paperForecaster() *forecast.Predictor {
	return &forecast.Predictor{
		Model:  &smoothing.AdaptiveTriple{All: true},
		Limits: forecast.Limits{NonNegative: true, Multiple: 2},
	}
}

// newOnline returns a portfolio of the classes of a list. Instances that are not reserved
// cost elsewhere, if that is less than on demand, with a discount there for sustained use
// (the zero value is none). The forecast is level and cautious, as
// that of papers niu16 -replay. From the hour end on there is no demand, so that reservations are
// worth nothing then.
func newOnline(how Buying, list pricing.List, elsewhere pricing.Money, discount pricing.SustainedUse, end int) (*online, error) {
	o := &online{list: list}
	o.Forecaster = &forecast.Predictor{Model: &smoothing.Simple{Alpha: .05}}
	o.Quantile, o.Window = .4, 52
	var planner reserve.Planner = new(reserve.Exact)
	if how == BuyPaper {
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
	return o, o.Reset(&reserve.Problem{Slot: time.Hour, Every: WeekHours, Prices: planned})
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
	o.hours += WeekHours
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
	begin := u.portfolio.hours + WeekHours // Observe has not counted its week yet
	left := time.Duration(max(0, u.end-begin)) * time.Hour / p.Slot
	u.demand = append(u.demand[:0], p.Demand...)
	if left < time.Duration(len(u.demand)) {
		clear(u.demand[left:])
	}
	cut := *p
	cut.Demand = u.demand
	return u.planner.AppendPlan(dst, &cut)
}

// Buy returns the purchases for the demand of a single cloud, hour by hour. Online buying
// from the demand afterwards gives the same purchases as buying while the cluster runs.
func Buy(how Buying, list pricing.List, hours []int, horizon reserve.Horizon) ([]pricing.Purchase, error) {
	p := &reserve.Problem{Demand: hours, Slot: time.Hour, Prices: list, Every: WeekHours, Horizon: horizon}
	switch how {
	case BuyNothing:
		return nil, nil
	case BuyOffline:
		return new(rules.SEC).AppendPlan(nil, p)
	case BuyExact:
		return new(reserve.Exact).AppendPlan(nil, p)
	}
	o, err := newOnline(how, list, list.OnDemand, pricing.SustainedUse{}, forever)
	if err != nil {
		return nil, err
	}
	for from := 0; from+WeekHours < len(hours); from += WeekHours {
		if _, err := o.Observe(nil, hours[from:from+WeekHours]); err != nil {
			return nil, err
		}
	}
	return o.bought, nil
}

// Bill returns the cost of the demand with purchases. Purchases after its end do not count.
func Bill(list pricing.List, hours []int, bought []pricing.Purchase) (pricing.Bill, error) {
	n := len(bought)
	for n > 0 && bought[n-1].Slot >= len(hours) {
		n--
	}
	var biller pricing.Biller
	return biller.Bill(list, hours, time.Hour, bought[:n])
}
