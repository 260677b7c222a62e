package liu21

import (
	"cmp"
	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/pricing"
)

// results are all results of the program.
type results struct {
	o        *options
	centres  []*centre
	onDemand pricing.Money // all of the demand
	hours    int64         // of it, instance-hours
	optimum  *outcome      // each centre by itself
	plain    [planners]*outcome
	erred    [planners][]*outcome // by o.errors
	sweep    [planners][]*outcome // by lambda, rising
	byPrice  []int                // centres, the dearest on demand first

}

// evaluate plans and shares in all ways that were asked for.
func (o *options) evaluate(list []*centre, run *cli.Run) (*results, error) {
	r := &results{o: o, centres: list}
	for _, c := range list {
		cost, err := c.Costs(0, c.Total)
		if err != nil {
			return nil, err
		}
		r.onDemand += cost
		r.hours += c.Total
	}
	for i := range list {
		r.byPrice = append(r.byPrice, i)
	}
	slices.SortStableFunc(r.byPrice, func(a, b int) int { return cmp.Compare(list[b].OnDemand, list[a].OnDemand) })
	all := centres.Tasks(list)
	predicted := map[float64][][]int{}
	var work []func(s *sharer) error
	plan := func(put **outcome, p plannerName, lambda int, bound float64) {
		if predicted[bound] == nil {
			predicted[bound] = o.Predict(list, bound)
		}
		told := predicted[bound]
		work = append(work, func(s *sharer) (err error) {
			*put, err = s.Outcome(list, told, all, &centres.Readings[0], p, lambda, bound)
			return err
		})
	}
	plan(&r.optimum, exact, 0, 0)
	for p := range planners {
		if !o.reserve[p] {
			continue
		}
		plan(&r.plain[p], p, o.lambda, 0)
		r.erred[p] = make([]*outcome, len(o.errors))
		for i, bound := range o.errors {
			plan(&r.erred[p][i], p, o.lambda, bound)
		}
		if p.Rolls() {
			lambdas := o.lambdas()
			r.sweep[p] = make([]*outcome, len(lambdas))
			for i, lambda := range lambdas {
				plan(&r.sweep[p][i], p, lambda, 0)
			}
		}
	}
	// The longest first, so that no core is left with one at the end: a sweep rises.
	slices.Reverse(work)
	return r, each(work, run)
}

// each does the work on all cores.
func each(work []func(s *sharer) error, run *cli.Run) error {
	sharers := make([]sharer, parallel.Workers())
	return parallel.Do(len(work), func(w, i int) error {
		run.Showf("planning and sharing: %d%%", 100*i/len(work))
		return work[i](&sharers[w])
	})
}

const (
	maxLambda  = 600 // of the sweep, as in the paper's Fig. 10
	denseUntil = 2 * centres.Term
	sparseStep = centres.Term
)

// notable are the windows in the table of the sweep.
var notable = []int{1, 10, 11, 12, 13, 18, 23, 24, 25, 36, 48, 72, 100, 144, 300, 600}

// lambdas are the windows of the sweep: each of the first two terms, and then whole
// terms, for those are slow and hardly differ.
func (o *options) lambdas() []int {
	list := []int{o.lambda}
	last := min(maxLambda, o.Hours)
	for l := 1; l <= last; l++ {
		if !o.sparse && (l <= denseUntil || l%sparseStep == 0) || l == last || slices.Contains(notable, l) {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, cmp.Compare[int])
	return slices.Compact(list)
}

// at is the outcome of the sweep at a lambda; nil if the sweep does not have it.
func (r *results) at(p plannerName, lambda int) *outcome {
	for _, x := range r.sweep[p] {
		if x.Lambda == lambda {
			return x
		}
	}
	return nil
}

// reach is the most that sharing could save of a plan, and the instance-hours of that. It
// assumes that sending data costs nothing, that parts can move from hour to hour, and that no
// task leaves its centre for a lower price on demand. In each hour idle reservations anywhere
// replace instances on demand anywhere, the dearest first.
func (r *results) reach(x *outcome) (saved pricing.Money, hours int64) {
	for t := range r.o.Hours {
		idle := 0
		for i, c := range r.centres {
			idle += max(0, x.Plans[i].Active[t]-c.Demand[t])
		}
		for _, i := range r.byPrice {
			n := min(idle, max(0, r.centres[i].Demand[t]-x.Plans[i].Active[t]))
			idle -= n
			saved += r.centres[i].OnDemand * pricing.Money(n)
			hours += int64(n)
		}
	}
	return saved, hours
}
