package provider

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Bill is what instances are charged for.
type Bill struct {
	Leases  int
	Charged time.Duration // on the scaled clock
	Cost    pricing.Money // on demand
}

// Charge returns the bill of instances, of those that are rented still up to a time.
func Charge(all []Instance, until time.Time, c *clock.Clock, m pricing.Meter, hourly pricing.Money) (Bill, error) {
	var b Bill
	for i := range all {
		end := all[i].Ended
		if end.IsZero() {
			end = until
		}
		length := max(0, c.Scaled(end.Sub(all[i].Created)))
		cost, err := m.Cost(hourly, length)
		if err == nil {
			b.Cost, err = b.Cost.Add(cost)
		}
		if err != nil {
			return Bill{}, err
		}
		b.Leases++
		b.Charged += m.Charged(length)
	}
	return b, nil
}
