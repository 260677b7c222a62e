package main

import (
	"errors"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// mostDecimals is how many decimals a price has that people set.
const mostDecimals = 6

// planMistake is the mistake of a plan that cannot be made, with its cause: amounts are too large
// together where a price has more decimals than it needs, since all are counted in the smallest.
func planMistake(g *group, err error) error {
	if !errors.Is(err, reserve.ErrOverflow) {
		return cli.Mistakef("%s: %w", g.name, err)
	}
	what, price, most := "", pricing.Money(0), mostDecimals
	look := func(name string, m pricing.Money) {
		if _, fraction, _ := strings.Cut(m.String(), "."); len(fraction) > most {
			what, price, most = name, m, len(fraction)
		}
	}
	look("the price on demand", g.list.OnDemand)
	for i := range g.offers {
		look("the upfront of "+g.offers[i].Name, g.offers[i].Upfront)
		look("the hourly price of "+g.offers[i].Name, g.offers[i].Hourly)
	}
	if what == "" {
		return cli.Mistakef("%s: %w", g.name, err)
	}
	return cli.Mistakef("%s: %s, %s, has %d decimals, and amounts of so many places are too large together: want at most %d", g.name, what, price, most, mostDecimals)
}
