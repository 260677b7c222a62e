package elastic

import (
	"math"

	"github.com/plimsoll/plimsoll/pricing"
)

// SM is the policy of [Marshall12] section III that is called sustained maximum. SM holds as many
// instances as the limits and the budget allow, in the cheapest cloud first, whether jobs wait or
// not. SM is the yardstick for the other policies.
//
// The budget allows an instance if the credits pay for the instance now, and if the hourly credits
// pay for all instances in every later hour. Budget.Debt may pay a part of the last instance. So SM
// launches only as long as
//
//	Σ price·instances ≤ Budget.Hourly + min(Budget.Debt, price of the last instance)
//
// where Σ is over all clouds. SM keeps to this limit even when credits have accumulated. A debt is
// available once and not in each hour, so a larger debt does not pay for more instances. While SM
// holds the last instance, the credits fall slowly. If the next charge would take the credits below
// −Budget.Debt, one instance is given back. SM launches an instance again when the credits suffice.
// SM repeats a refused launch at the next evaluation.
//
// The zero value is ready. Time: O(instances + clouds²).
type SM struct{ draft Draft }

// String returns "SM".
func (p *SM) String() string { return "SM" }

// Rests reports whether the policy can launch nothing before the credits have grown to
// an amount: the price of an instance that limits and budget allow, less the debt. The amount
// is math.MaxInt64 where limits and budget allow no other instance. See [Policy].
func (p *SM) Rests(s *Snapshot) (credits pricing.Money, rests bool) {
	credits = math.MaxInt64
	hourly := unspent(s)
	for i := range s.Clouds {
		c := &s.Clouds[i]
		for k := range c.Instances {
			if c.Instances[k].State == Stopping {
				return 0, false
			}
		}
		room := c.Limit == NoLimit || c.Limit > len(c.Instances)
		if !room || c.Fixed || c.Closed {
			continue
		}
		if c.Price == 0 {
			return 0, false
		}
		if affordable(hourly, c.Price, s.Budget.Debt) > 0 {
			credits = min(credits, c.Price-s.Budget.Debt)
		}
	}
	return credits, s.Credits < credits
}

// unspent returns what is left of the hourly credits when all instances are paid for; 0 if
// they cost more than any budget.
func unspent(s *Snapshot) pricing.Money {
	hourly := s.Budget.Hourly
	for i := range s.Clouds {
		spent, err := s.Clouds[i].Price.Mul(int64(len(s.Clouds[i].Instances)))
		if err == nil {
			hourly, err = hourly.Sub(spent)
		}
		if err != nil {
			return 0
		}
	}
	return hourly
}

// affordable returns for how many instances the hourly credits pay. The number is rounded up
// if the debt allows for the last instance.
func affordable(hourly, price, debt pricing.Money) int64 {
	most := int64(max(0, hourly) / price)
	if rest := hourly - price*pricing.Money(most); rest > 0 && price-rest <= debt {
		most++
	}
	return most
}

// AppendActions implements [Policy].
func (p *SM) AppendActions(dst []Action, s *Snapshot) []Action {
	d := &p.draft
	d.Reset(dst, s)
	hourly := unspent(s)
	for _, c := range d.Cheapest() {
		n := d.Room(c)
		if price := s.Clouds[c].Price; price > 0 {
			n = int(min(int64(n), affordable(hourly, price, s.Budget.Debt)))
			hourly -= price * pricing.Money(n)
		}
		d.Launch(c, n, sustainMax)
	}
	return d.Actions()
}
