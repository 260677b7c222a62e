package advice

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Minimise the expected cost of the demand over all plans of purchases; answer with
// what the cheapest plan buys today.
//
// The plan is [reserve.Exact]'s, with its certificate. Each figure of the answer is
// the difference of two costs of [reserve.Cost]: with and without an order, with the
// order one period later, path by path. A test computes each figure again from bills.
//
// Time: five plans, and for each order two costs per path. Space: that of the paths.

// An Advice is what to buy today, why, and what if the forecast is wrong.
//
// Its JSON form has snake_case names, money as decimals in the request's currency,
// and dates as RFC 3339.
type Advice struct {
	Kind     string    `json:"kind,omitempty"`
	Unit     string    `json:"unit"`
	Currency string    `json:"currency,omitempty"`
	Now      time.Time `json:"now"`
	End      time.Time `json:"end"`   // of the paths
	Paths    int       `json:"paths"` // number of futures

	Orders []Order `json:"orders"` // for today; may be empty
	Later  []Later `json:"later"`  // what the plan expects to buy later; not an order
	Held   []Kept  `json:"held"`

	Today      pricing.Money `json:"today"`      // paid up front for all orders
	Commitment pricing.Money `json:"commitment"` // owed for all orders over their terms, the payment up front included

	// Four amounts are means over the paths of what the demand costs until End. Cost is with
	// the orders and what is bought later. No plan costs less than Bound. OnDemand is the
	// cost if nothing is ever ordered. Waiting is the cost of the best plan that orders
	// nothing before Next. What held contracts owe is the same in all plans, and is left out.
	Cost     pricing.Money `json:"cost"`
	Bound    pricing.Money `json:"bound"`
	OnDemand pricing.Money `json:"on_demand_cost"`
	Waiting  pricing.Money `json:"waiting_cost"`
	Next     time.Time     `json:"next"`    // when the next order can be placed
	Optimal  bool          `json:"optimal"` // Cost equals Bound

	Pure  bool    `json:"pure"`  // what a contract that outlives the paths counts: its share, or all
	Other Outlook `json:"other"` // the same request with the other horizon
	Low   Outlook `json:"low"`   // the demand at its low quantile in every slot
	High  Outlook `json:"high"`

	Cut []string `json:"cut,omitempty"` // classes whose terms are counted as whole slots, less than they are

	Certificate reserve.Certificate `json:"-"` // proves Bound; see Verify
	problem     *reserve.Problem
	plan        reserve.Plan
}

// An Order is one class to buy today.
type Order struct {
	Class      string        `json:"class"`
	Units      int           `json:"units"`
	Upfront    pricing.Money `json:"upfront"`    // paid today, for all units
	Hourly     pricing.Money `json:"hourly"`     // of one unit, per hour
	Commitment pricing.Money `json:"commitment"` // owed for all units over the term, Upfront included
	Until      time.Time     `json:"until"`      // when the term ends

	// Saving is what the order saves until the paths end: the cost of the plan without the
	// order less the cost of the plan.
	Saving pricing.Money `json:"saving"`
	// Loss is the probability that the order costs more than it saves.
	Loss float64 `json:"loss"`
	// LastUse is the share of the term, as far as the paths reach, in which the last unit
	// is needed, on average over the paths: the last of all active units whose use costs
	// no more than the order's. BreakEven is the share from which on a unit is cheaper
	// than on demand.
	LastUse   float64 `json:"last_use"`
	BreakEven float64 `json:"break_even"`
	// Payback is when the order has saved, on average, what has been paid for it; zero if
	// not before the paths end.
	Payback time.Time `json:"payback,omitzero"`
	// Waiting is what the order costs more, on average, if it is placed one period later.
	Waiting pricing.Money `json:"waiting"`
}

// A Later is a purchase that the plan expects.
type Later struct {
	When    time.Time     `json:"when"`
	Class   string        `json:"class"`
	Units   int           `json:"units"`
	Upfront pricing.Money `json:"upfront"`
}

// A Kept is a contract that is held.
type Kept struct {
	Name    string    `json:"name,omitempty"`
	Class   string    `json:"class"`
	Units   int       `json:"units"`
	Expires time.Time `json:"expires"`
	Sold    bool      `json:"sold"` // the class is still for sale
	// Use is the share of the time until the contract or the paths end in which the
	// contract's units are needed, if contracts that are held serve before all others,
	// in the order of Request.Held.
	Use float64 `json:"use"`
}

// An Outlook is what would be bought today under another assumption.
type Outlook struct {
	Quantile float64       `json:"quantile,omitempty"` // of Advice.Low and Advice.High: their demand
	Orders   []Count       `json:"orders"`
	Today    pricing.Money `json:"today"`
	Cost     pricing.Money `json:"cost"` // under that assumption
}

// A Count is units of a class.
type Count struct {
	Class string `json:"class"`
	Units int    `json:"units"`
}

// Advise answers a request. The request is not modified. The error is an
// *reserve.InputError, or one of package reserve.
func Advise(request *Request) (*Advice, error) {
	return advise(request, nil, false)
}

// Explain answers a request with an order that somebody else has decided, instead of the best
// order. It gives the figures and words that [Advise] gives for the best order. Each element of
// order has a class and the number of units to buy today, Count. If a class occurs twice, its
// numbers are added. Explain chooses the later purchases that go with the order at the least cost.
// Cost includes the order. Bound is a lower bound on the cost of all plans, with this order or
// another. The error is that of Advise, or a *reserve.InputError for a class that is not among the
// offers or a negative count.
func Explain(request *Request, order []Count) (*Advice, error) {
	return advise(request, order, true)
}

// advise answers for the best plan, or for a given order.
func advise(request *Request, order []Count, given bool) (*Advice, error) {
	r := *request
	if err := r.validate(); err != nil {
		return nil, err
	}
	p, cut, err := r.problem()
	if err != nil {
		return nil, err
	}
	var exact reserve.Exact
	plan, err := solve(&exact, p)
	if err != nil {
		return nil, err
	}
	n := len(r.Paths[0])
	a := &Advice{Kind: r.Kind, Unit: r.Unit, Currency: r.Currency, Now: r.Now, End: r.Now.Add(time.Duration(n) * r.Slot), Paths: len(r.Paths),
		Orders: []Order{}, Later: []Later{}, Held: []Kept{}, Bound: plan.Bound,
		Next: r.Now.Add(r.Every), Pure: !r.FullHorizon, Cut: cut, Certificate: plan.Certificate, problem: p, plan: plan}
	if given {
		// The certificate is the best plan's, and that plan proves it.
		if plan, err = r.follow(&exact, p, order); err != nil {
			return nil, err
		}
	}
	a.Cost, a.Optimal = plan.Cost, plan.Cost == a.Bound
	if a.OnDemand, err = reserve.Cost(p, nil); err != nil {
		return nil, err
	}
	for i, b := range plan.Purchases {
		class := r.Offers[b.Class].Class
		if b.Slot > 0 {
			upfront, err := class.Upfront.Mul(int64(b.Count))
			if err != nil {
				return nil, err
			}
			a.Later = append(a.Later, Later{When: r.Now.Add(time.Duration(b.Slot) * r.Slot), Class: class.Name, Units: b.Count, Upfront: upfront})
			continue
		}
		order, err := r.order(p, &plan, i)
		if err != nil {
			return nil, err
		}
		a.Orders = append(a.Orders, order)
		if a.Today, err = a.Today.Add(order.Upfront); err != nil {
			return nil, err
		}
		if a.Commitment, err = a.Commitment.Add(order.Commitment); err != nil {
			return nil, err
		}
	}
	r.keep(a)

	if err := r.others(a, &exact); err != nil {
		return nil, err
	}
	return a, nil
}

// others fills in what other assumptions would cost and order: waiting, the other horizon, and low and
// high demand.
func (r *Request) others(a *Advice, exact *reserve.Exact) error {
	p := a.problem
	waiting, err := solve(exact, r.later(p))
	if err != nil {
		return err
	}
	a.Waiting = waiting.Cost
	other := *p
	other.Horizon = reserve.Full
	if r.FullHorizon {
		other.Horizon = reserve.Pure
	}
	if a.Other, err = r.outlook(exact, &other); err != nil {
		return err
	}
	for _, q := range []struct {
		at float64
		to *Outlook
	}{{r.Low, &a.Low}, {r.High, &a.High}} {
		one := *p
		one.Paths, one.Weights = nil, nil
		if one.Demand, err = p.AppendQuantile(nil, q.at); err != nil {
			return err
		}
		if *q.to, err = r.outlook(exact, &one); err != nil {
			return err
		}
		q.to.Quantile = q.at
	}
	return nil
}

// later is the problem in which nothing is bought before the next order.
func (r *Request) later(p *reserve.Problem) *reserve.Problem {
	q := *p
	q.Closed = make([]bool, len(r.Paths[0]))
	for t := range min(len(q.Closed), p.Every) {
		q.Closed[t] = true
	}
	return &q
}

// follow is the plan that makes an order at slot 0 and then does the best.
func (r *Request) follow(exact *reserve.Exact, p *reserve.Problem, order []Count) (reserve.Plan, error) {
	counts := make([]int, len(r.Offers))
	q := r.later(p)
	q.Held = slices.Clone(p.Held)
	for i, c := range order {
		k := slices.IndexFunc(r.Offers, func(o Offer) bool { return o.Name == c.Class })
		switch {
		case k < 0:
			return reserve.Plan{}, badInput("order[].Class", i, ErrUnknown, "%q: want one of the offers (%s)", c.Class, r.names())
		case c.Units < 0 || c.Units > math.MaxInt32-counts[k]:
			return reserve.Plan{}, badInput("order[].Units", i, ErrRange, "%d: want 0 to %d", c.Units, math.MaxInt32)
		}
		counts[k] += c.Units
	}
	var now []pricing.Purchase
	for k, n := range counts {
		if n > 0 {
			now = append(now, pricing.Purchase{Class: k, Count: n})
			q.Held = append(q.Held, pricing.Holding{Class: k, Count: n, Until: int(p.Prices.Classes[k].Term / p.Slot)})
		}
	}
	plan, err := solve(exact, q)
	if err != nil {
		return plan, err
	}
	plan.Purchases = append(now, plan.Purchases...)
	relaxed := *p // what is ordered already keeps to no limit
	relaxed.AtMost = nil
	plan.Cost, err = reserve.Cost(&relaxed, plan.Purchases)
	return plan, err
}

// solve plans, and copies what is valid until the next plan only.
func solve(exact *reserve.Exact, p *reserve.Problem) (reserve.Plan, error) {
	plan, err := exact.Solve(p)
	plan.Purchases = slices.Clone(plan.Purchases)
	plan.Certificate.Values = slices.Clone(plan.Certificate.Values)
	return plan, err
}

// Verify checks the advice's plan and its bound by their certificate, apart from the
// solver: see [reserve.Verify]. Advice that [Advise] has not made, such as one read from
// JSON, has no plan: then the error is a *reserve.InputError that unwraps to [ErrMissing].
func (a *Advice) Verify() error {
	if a.problem == nil {
		return badInput("Advice", -1, ErrMissing, "no plan to verify: want advice as Advise returns it, not read from JSON")
	}
	return reserve.Verify(a.problem, &a.plan)
}

// outlook is what is bought at slot 0 of another problem.
func (r *Request) outlook(exact *reserve.Exact, p *reserve.Problem) (Outlook, error) {
	plan, err := solve(exact, p)
	if err != nil {
		return Outlook{}, err
	}
	o := Outlook{Cost: plan.Cost, Orders: []Count{}}
	for _, b := range plan.Purchases {
		if b.Slot > 0 {
			continue
		}
		upfront, err := r.Offers[b.Class].Upfront.Mul(int64(b.Count))
		if err != nil {
			return Outlook{}, err
		}
		if o.Today, err = o.Today.Add(upfront); err != nil {
			return Outlook{}, err
		}
		o.Orders = append(o.Orders, Count{r.Offers[b.Class].Name, b.Count})
	}
	return o, nil
}

// keep lists the contracts with their use.
func (r *Request) keep(a *Advice) {
	n := len(r.Paths[0])
	below := make([]int, n) // units of the contracts before
	for i, c := range r.Held {
		h := a.problem.Held[i]
		k := Kept{Name: c.Name, Class: c.Class, Units: c.Units, Expires: c.Expires, Sold: !r.Offers[h.Class].Withdrawn}
		until, used := min(n, h.Until), 0.0
		for t := range until {
			for j, path := range r.Paths {
				used += r.weight(j) * float64(max(0, min(path[t]-below[t], c.Units)))
			}
			below[t] += c.Units
		}
		if until > 0 {
			k.Use = min(1, used/(float64(until)*float64(c.Units)))
		}
		a.Held = append(a.Held, k)
	}
}

// gap is how far the plan may be from the optimum, as a share of the bound.
func (a *Advice) gap() float64 {
	if a.Bound <= 0 || a.Cost <= a.Bound {
		return 0
	}
	return math.Max(0, float64(a.Cost-a.Bound)/float64(a.Bound))
}
