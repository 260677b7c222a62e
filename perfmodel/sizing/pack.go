package sizing

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Several customers share clusters, as the future work of [Huang13] asks. Runs that need the
// same number of instances run one after the other on one cluster, and share the hours that
// the meter charges.
//
// Runs are packed longest first. Each run goes to the first cluster of its size on which the
// run still ends in time. This is first fit decreasing. It takes at most 11/9 of the least
// number of clusters, plus one [Johnson74]. If a cluster costs no less than its runs on
// clusters of their own, each of these runs gets a cluster of its own. A run pays a share of its
// cluster's cost in proportion to its time. A customer over the budget gives up the run with
// the largest share, and all runs are packed anew.
//
// No bound is known on the cost, for two reasons. Fewer clusters are not always cheaper. And
// giving up another run might also keep the budget.
//
//	[Johnson74] Johnson, Demers, Ullman, Garey, Graham, Worst-Case Performance Bounds for
//	            Simple One-Dimensional Packing Algorithms, SIAM J. Computing 3(4), 1974.

// A Customer has runs that may share clusters with the runs of others.
type Customer struct {
	Budget pricing.Money // > 0 for all runs together, or 0 for none
	Runs   []Size        // Instances, Time and Cost are read; each fits by itself
}

// A Place says where a run goes, and what the run pays.
type Place struct {
	Cluster int           // from 1; 0 if the customer gives up the run
	Share   pricing.Money // of what the cluster costs
}

// Share packs runs of several customers onto shared clusters of instances of type in. It returns a
// place for each run of each customer. All runs of a cluster end within limit.
//
// Runs of equal time are packed in the order of the customers and their runs. If several customers
// are over their budgets, the first of them gives up a run. It is the run with the largest share,
// and the first of equal shares. The error is that of [InstanceType.Validate] or
// pricing.ErrOverflow. Share allocates. Time: O(n²) for n runs, and again for each run given up.
func Share(customers []Customer, in InstanceType, limit time.Duration) ([][]Place, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	var runs []packed
	places := make([][]Place, len(customers))
	for i, c := range customers {
		places[i] = make([]Place, len(c.Runs))
		for k := range c.Runs {
			runs = append(runs, packed{&c.Runs[k], &places[i][k]})
		}
	}
	slices.SortStableFunc(runs, func(a, b packed) int { return cmp.Compare(b.size.Time, a.size.Time) })
	for {
		if err := pack(runs, &in, limit); err != nil {
			return nil, err
		}
		given := overBudget(customers, places)
		if given == nil {
			return places, nil
		}
		*given = Place{}
		runs = slices.DeleteFunc(runs, func(r packed) bool { return r.place == given })
	}
}

// overBudget returns the place of the run that the first customer over the budget gives
// up, nil if all keep their budgets.
func overBudget(customers []Customer, places [][]Place) *Place {
	for i, c := range customers {
		if c.Budget == 0 {
			continue
		}
		var dearest *Place
		left := c.Budget
		over := false
		for k := range places[i] {
			p := &places[i][k]
			if p.Cluster == 0 {
				continue
			}
			over = over || p.Share > left
			left -= min(p.Share, left)
			if dearest == nil || p.Share > dearest.Share {
				dearest = p
			}
		}
		if over {
			return dearest
		}
	}
	return nil
}

type packed struct {
	size  *Size
	place *Place
}

// pack packs runs, the longest first, on clusters, and sets their places.
func pack(runs []packed, in *InstanceType, limit time.Duration) error {
	type cluster struct {
		instances int
		busy      time.Duration
		runs      []packed
	}
	var clusters []*cluster
	for _, r := range runs {
		k := slices.IndexFunc(clusters, func(c *cluster) bool { return c.instances == r.size.Instances && r.size.Time <= limit-c.busy })
		if k < 0 {
			k = len(clusters)
			clusters = append(clusters, &cluster{instances: r.size.Instances})
		}
		clusters[k].busy += r.size.Time
		clusters[k].runs = append(clusters[k].runs, r)
	}
	number := 0
	for _, c := range clusters {
		left, err := in.cost(c.instances, c.busy)
		if err != nil {
			return err
		}
		var alone pricing.Money
		for _, r := range c.runs {
			if alone, err = alone.Add(r.size.Cost); err != nil {
				return err
			}
		}
		if left >= alone { // nothing is gained
			for _, r := range c.runs {
				number++
				*r.place = Place{number, r.size.Cost}
			}
			continue
		}
		number++
		busy := c.busy
		for _, r := range c.runs { // the last one pays the rest, so that nothing is lost
			share, err := left.Prorate(r.size.Time, busy, pricing.Down)
			if err != nil {
				return err
			}
			*r.place = Place{number, share}
			left, busy = left-share, busy-r.size.Time
		}
	}
	return nil
}
