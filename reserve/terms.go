package reserve

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// WholeTerms returns list with every term cut to a whole number of slots. Use WholeTerms if slots
// do not divide the terms: a year of 8760 hours is 52 slots of a week and one day more. The rest of
// a term, less than a slot, then counts as unused.
//
// A reservation still costs all of its fee. If a class is billed [pricing.Always], WholeTerms adds
// the hourly price of the rest to Upfront, rounded up. Each purchase of a plan therefore costs what
// the plan says. A plan may renew a contract less than a slot before the contract ends.
//
// The list itself is not modified. The error is an [*InputError] that unwraps to [ErrRange] if slot
// is not positive, [ErrTerm] if a term is shorter than a slot, or [ErrOverflow].
func WholeTerms(list pricing.List, slot time.Duration) (pricing.List, error) {
	if slot <= 0 {
		return list, badInput("slot", -1, ErrRange, "%v: want a positive length", slot)
	}
	whole := pricing.List{OnDemand: list.OnDemand}
	for k, c := range list.Classes {
		if c.Term < slot {
			return list, badInput("Prices.Classes[].Term", k, ErrTerm, "%s has a term of %v: want at least a slot of %v", c.Name, c.Term, slot)
		}
		rest := c.Term % slot
		c.Term -= rest
		if c.Billed == pricing.Always && rest > 0 {
			q, part, ok := wide.Product(uint64(max(0, c.Hourly)), uint64(rest)).Over(uint64(time.Hour))
			if part > 0 {
				q++
			}
			more, fits := wide.Add(int64(c.Upfront), int64(q))
			if !ok || q > 1<<62 || !fits {
				return list, badInput("Prices.Classes[].Upfront", k, ErrOverflow, "%s costs too much for the rest of its term, %v", c.Name, rest)
			}
			c.Upfront = pricing.Money(more)
		}
		whole.Classes = append(whole.Classes, c)
	}
	return whole, nil
}
