package reserve

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A limit of the money that purchases take up front.
//
// Minimise the cost subject to Σ U_k·R_tk ≤ M, with the upfront fees U_k and the budget M. Let
// money have a price λ: a purchase costs λ·U_k more. For each λ ≥ 0, the least cost with these
// fees, less λ·M, is a lower bound on the cost within the budget, since a plan within the budget
// pays at most λ·M more. One budget over all classes has one price, so one number is searched: two
// plans, one that spends too much and one that does not, are equally good at one price, and the
// plan of that price takes the place of one of the two, until there is none in between. The
// greatest bound of all prices is the bound; its price is what a unit more of the budget saves, to
// first order.
//
// The best plan within the budget need not be the best of any price. So the mixture of the last two
// plans that takes the whole budget is rounded down to whole purchases, and then single purchases
// of the dearer plan are added or exchanged for others, as long as that saves. The bound says how
// far the result may be from the optimum.
//
// Time: some ten to twenty solves of Exact, and an evaluation of the cost for each purchase tried.

// A Budgeted is a plan within a budget.
type Budgeted struct {
	Purchases []pricing.Purchase // sorted by slot, then class
	// Cost is what the purchases cost, as of [Cost], and Spent what they take up front. No plan
	// within the budget costs less than Bound.
	Cost, Spent, Bound pricing.Money
	// Price is what one unit of money more in the budget would save: 2.14 says that the last 1,000
	// of a budget save 2,140. It is 0 if the budget does not bind.
	Price pricing.Money
	// Proof is the plan that proves the bound: it is for upfront fees that are higher by a share of
	// Price, rounded down.
	Proof Plan
}

// dearer returns the list with upfront fees that are higher by a share of price, rounded down: what
// a purchase costs if a unit of money up front has that price beside itself. The error is
// [ErrOverflow].
func dearer(list pricing.List, price pricing.Money) (pricing.List, error) {
	dear := pricing.List{OnDemand: list.OnDemand, Classes: slices.Clone(list.Classes)}
	for k := range dear.Classes {
		c := &dear.Classes[k]
		more, _, ok := wide.Product(uint64(max(0, c.Upfront)), uint64(max(0, price))).Over(uint64(pricing.Unit))
		sum, fits := wide.Add(int64(c.Upfront), int64(min(more, math.MaxInt64)))
		if !ok || more > math.MaxInt64 || !fits {
			return list, badInput("Prices.Classes[].Upfront", k, ErrOverflow, "%s: its fee at a price of money of %v", c.Name, price)
		}
		c.Upfront = pricing.Money(sum)
	}
	return dear, nil
}

// spent returns what purchases take up front, at most the largest amount.
func spent(p *Problem, purchases []pricing.Purchase) pricing.Money {
	sum := int64(0)
	for _, q := range purchases {
		x, ok := wide.Mul(int64(p.Prices.Classes[q.Class].Upfront), int64(q.Count))
		if sum, ok = addOK(sum, x, ok); !ok {
			return math.MaxInt64
		}
	}
	return pricing.Money(sum)
}

func addOK(a, b int64, ok bool) (int64, bool) {
	sum, fits := wide.Add(a, b)
	return sum, ok && fits
}

// Within returns a plan whose purchases take at most the budget up front, with a bound on the cost
// of all such plans. The error is that of [Exact.Solve], [ErrRange] for a negative budget, or
// [ErrUnsupported] for a tree. Within allocates.
func (e *Exact) Within(p *Problem, budget pricing.Money) (b Budgeted, err error) {
	switch {
	case budget < 0:
		return b, badInput("budget", -1, ErrRange, "%v: want 0 or more", budget)
	case p.Tree != nil:
		return b, badInput("Tree", -1, ErrUnsupported, "a budget: want a demand, paths or chances")
	}
	s := budgeting{e: e, p: p, budget: budget}
	over, err := s.at(0)
	if err != nil || over.spent <= budget {
		return s.best, err
	}
	var under priced
	for price := pricing.Unit; ; price *= 4 {
		if under, err = s.at(price); err != nil {
			return b, err
		}
		if under.spent <= budget {
			break
		}
		over = under
	}
	for {
		// Both cost the same at this price. Rounded down, it is still below that of under.
		price := pricing.Money(float64(under.cost-over.cost) / float64(over.spent-under.spent) * float64(pricing.Unit))
		if price <= over.price || price >= under.price {
			break
		}
		x, err := s.at(price)
		if err != nil {
			return b, err
		}
		if x.spent == over.spent || x.spent == under.spent {
			break
		}
		if x.spent > budget {
			over = x
		} else {
			under = x
		}
	}
	if err := s.mix(&over, &under); err != nil {
		return b, err
	}
	return s.best, s.fill(over.purchases)
}

// A priced is the best plan at a price of money, with its cost at true prices.
type priced struct {
	price, cost, spent pricing.Money
	purchases          []pricing.Purchase
}

// budgeting is a search for a plan within a budget.
type budgeting struct {
	e      *Exact
	p      *Problem
	budget pricing.Money
	best   Budgeted
	found  bool
}

// at solves at a price of money, and takes the plan and its bound if they are the best.
func (s *budgeting) at(price pricing.Money) (x priced, err error) {
	q := *s.p
	if q.Prices, err = dearer(s.p.Prices, price); err != nil {
		return x, err
	}
	plan, err := s.e.Solve(&q)
	if err != nil {
		return x, err
	}
	x = priced{price: price, purchases: slices.Clone(plan.Purchases)}
	if x.cost, err = s.offer(x.purchases); err != nil {
		return x, err
	}
	x.spent = spent(s.p, x.purchases)
	bound := boundWithin(plan.Bound, price, s.budget)
	if bound > s.best.Bound || s.best.Proof.Certificate.Den == 0 {
		s.best.Bound, s.best.Price, s.best.Proof = bound, price, plan
		s.best.Proof.Purchases = x.purchases
		s.best.Proof.Certificate.Values = slices.Clone(plan.Certificate.Values)
	}
	return x, nil
}

// boundWithin is what a bound at a price of money proves for a budget.
func boundWithin(bound, price, budget pricing.Money) pricing.Money {
	used := wide.Product(uint64(price), uint64(budget))
	q, rest, ok := used.Over(uint64(pricing.Unit))
	if rest > 0 {
		q++
	}
	if !ok || q >= uint64(bound) {
		return 0
	}
	return bound - pricing.Money(q)
}

// offer returns the cost of purchases, and takes them if they are the best within the budget.
func (s *budgeting) offer(purchases []pricing.Purchase) (pricing.Money, error) {
	cost, err := Cost(s.p, purchases)
	if err != nil {
		return 0, err
	}
	if paid := spent(s.p, purchases); paid <= s.budget && (!s.found || cost < s.best.Cost) {
		s.found = true
		s.best.Purchases, s.best.Cost, s.best.Spent = slices.Clone(purchases), cost, paid
	}
	return cost, nil
}

// mix tries the mixture of two plans that takes the whole budget, rounded down: on average of both,
// the mixture costs what the bound says.
func (s *budgeting) mix(over, under *priced) error {
	share := (s.budget - under.spent).Float64() / (over.spent - under.spent).Float64()
	mixture := slices.Clone(over.purchases)
	for i := range mixture {
		q := &mixture[i]
		have := 0
		for _, u := range under.purchases {
			if u.Slot == q.Slot && u.Class == q.Class {
				have = u.Count
			}
		}
		q.Count = int(share*float64(q.Count) + (1-share)*float64(have))
	}
	for _, u := range under.purchases {
		if !slices.ContainsFunc(mixture, func(q pricing.Purchase) bool { return u.Slot == q.Slot && u.Class == q.Class }) {
			u.Count = int((1 - share) * float64(u.Count))
			mixture = append(mixture, u)
		}
	}
	mixture = slices.DeleteFunc(mixture, func(q pricing.Purchase) bool { return q.Count == 0 })
	sortPurchases(mixture)
	_, err := s.offer(mixture)
	return err
}

// tries is how many plans fill evaluates at most.
const tries = 400

// fill adds and exchanges purchases of another plan, one reservation at a time, as long as that
// saves and the budget lasts.
func (s *budgeting) fill(other []pricing.Purchase) error {
	left := tries
	for improved := true; improved && s.best.Cost > s.best.Bound; {
		improved = false
		from := slices.Clone(s.best.Purchases)
		before := s.best.Cost
		for _, add := range other {
			more := changed(from, add, 1)
			if spent(s.p, more) <= s.budget {
				if left--; left < 0 {
					return nil
				}
				if _, err := s.offer(more); err != nil {
					return err
				}
				continue
			}
			for _, drop := range from {
				less := changed(more, drop, -1)
				if drop.Slot == add.Slot && drop.Class == add.Class || spent(s.p, less) > s.budget {
					continue
				}
				if left--; left < 0 {
					return nil
				}
				if _, err := s.offer(less); err != nil {
					return err
				}
			}
		}
		improved = s.best.Cost < before
	}
	return nil
}

// changed returns purchases with by more reservations of the slot and class of q.
func changed(purchases []pricing.Purchase, q pricing.Purchase, by int) []pricing.Purchase {
	list := slices.Clone(purchases)
	i := slices.IndexFunc(list, func(x pricing.Purchase) bool { return x.Slot == q.Slot && x.Class == q.Class })
	if i < 0 {
		list = append(list, pricing.Purchase{Slot: q.Slot, Class: q.Class})
		i = len(list) - 1
	}
	if list[i].Count += by; list[i].Count == 0 {
		list = slices.Delete(list, i, i+1)
	}
	sortPurchases(list)
	return list
}

// VerifyWithin checks a plan within a budget without any part of a solver: that its purchases keep
// to the rules and the budget, that Cost and Spent are theirs, and that Proof proves the bound.
func VerifyWithin(p *Problem, budget pricing.Money, b *Budgeted) error {
	cost, err := Cost(p, b.Purchases)
	if err != nil {
		return err
	}
	if paid := spent(p, b.Purchases); cost != b.Cost || paid != b.Spent || paid > budget {
		return badInput("Purchases", -1, ErrForged, "they cost %v and take %v up front: want %v, and %v within %v", cost, paid, b.Cost, b.Spent, budget)
	}
	q := *p
	if q.Prices, err = dearer(p.Prices, b.Price); err != nil {
		return err
	}
	if err := Verify(&q, &b.Proof); err != nil {
		return err
	}
	if proved := boundWithin(b.Proof.Bound, b.Price, budget); b.Price < 0 || proved != b.Bound {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its proof is of %v", b.Bound, proved)
	}
	return nil
}
