package centres

import (
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Best is the optimum of sharing the plans of an outcome. An instance on demand has the
// price of the centre where it runs, as in the reading [Roaming].
type Best struct {
	Optimum pricing.Money // of the best plan found, with its fees
	Bound   pricing.Money // no sharing of parts that stay where they start costs less
	Split   pricing.Money // the optimum if a part may move from hour to hour
}

// Best shares as well as can be.
func (s *Sharer) Best(centres []*Centre, x *Outcome, tasks []federation.Task) (*Best, error) {
	list := Members(centres, x.Plans, nil)
	var fees pricing.Money
	for i, c := range centres {
		fees += c.Reservation * pricing.Money(x.Plans[i].Count)
	}
	// Algorithm 3's plan is where the search starts.
	if _, err := s.Share(centres, x.Plans, nil, tasks, &Readings[Roaming]); err != nil {
		return nil, err
	}
	found, err := s.optimizer.Solve(list, tasks, federation.OptimumOptions{Start: s.bookings})
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	return &Best{fees + found.Cost, fees + found.Bound, fees + s.optimizer.SplitCost()}, nil
}
