package spot

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// A model of the spot price: a Markov chain on a few levels.
//
// Time goes in equal steps. At each step the price is on one of n levels, and
// where it is at the next depends on where it is now only:
//
//	Move[i·n+j] = P(level j at the next step | level i now)
//
// Levels. A level stands for an interval of prices. Its Price, the mean of the prices in
// it, is what running there costs; its Top, the highest of them, is the bid that survives
// there. The observed prices are cut into levels so that Σ time·(price - mean of its
// level)² is least. That sum is the model's error about what is paid. With one variable
// the best clusters are intervals, so the optimum is found by dynamic programming over
// the sorted prices:
//
//	E(k, b) = min over a of E(k-1, a) + error of [a, b)
//
// whose best a grows with b, so that halving finds all of a row in O(m log m) for
// m different prices. Spikes, which are rare and far off, get levels of their own:
// quantiles would bury them in a level with ordinary prices, and they are what
// interrupts.
//
// Probabilities. The history is looked at every step from the beginning of the
// window on. With N_ij counted moves from i to j, N_i of them from i, and f_j the
// share of the time on level j,
//
//	P_ij = (N_ij + Prior·f_j) / (N_i + Prior)
//
// The prior says: with the weight of that many moves, the next price is like any other.
// Without the prior a level that was entered at the end of the window would never be
// left, and a price that never rose from a level could never rise.
//
// The model leaves out excursions shorter than a step, the time that the price has been on
// its level, the hour and the weekday. Only the cost depends on them. The deadline does not
// depend on the model (see planner.go).

// PriceChain is a Markov chain of the spot price. It shares its slices when
// copied.
type PriceChain struct {
	Step   time.Duration   // from one move to the next
	Prices []pricing.Money // per hour that running costs, by level, not decreasing
	Tops   []pricing.Money // the highest price of each level, strictly increasing
	Move   []float64       // len(Tops)² probabilities, row by row; a row adds up to 1
}

// rowSum is by how much the sum of a row of probabilities may differ from 1. n roundings
// of 2⁻⁵³ each are far below rowSum for up to 64 levels.
const rowSum = 1e-9

// maxLevels is the highest number of levels; more have too few moves each to
// estimate, and the planner's time grows with their cube.
const maxLevels = 64

// Validate returns a *schedule.InputError, which unwraps to [ErrRange], for the first
// thing that is wrong: with Field "PriceChain.Step", "PriceChain.Prices",
// "PriceChain.Tops" or "PriceChain.Move". O(n²) for n levels.
func (c *PriceChain) Validate() error {
	n := len(c.Tops)
	switch {
	case c.Step <= 0:
		return badInput("PriceChain.Step", -1, ErrRange, "%v: want more than 0", c.Step)
	case n == 0 || n > maxLevels:
		return badInput("PriceChain.Tops", -1, ErrRange, "%d levels: want 1 to %d", n, maxLevels)
	case len(c.Prices) != n:
		return badInput("PriceChain.Prices", -1, ErrRange, "%d prices for %d levels: want one for each level", len(c.Prices), n)
	case len(c.Move) != n*n:
		return badInput("PriceChain.Move", -1, ErrRange, "%d probabilities for %d levels: want %d", len(c.Move), n, n*n)
	}
	for i := range n {
		switch {
		case c.Prices[i] < 0 || c.Prices[i] > c.Tops[i]:
			return badInput("PriceChain.Prices[]", i, ErrRange, "%v: want 0 to the top of its level, %v", c.Prices[i], c.Tops[i])
		case i > 0 && c.Prices[i] < c.Prices[i-1]:
			return badInput("PriceChain.Prices[]", i, ErrRange, "%v: want %v or more, the price of the level before", c.Prices[i], c.Prices[i-1])
		case i > 0 && c.Tops[i] <= c.Tops[i-1]:
			return badInput("PriceChain.Tops[]", i, ErrRange, "%v: want more than %v, the top of the level before", c.Tops[i], c.Tops[i-1])
		}
		sum := 0.0
		for j, p := range c.Move[i*n : i*n+n] {
			if !(p >= 0) {
				return badInput("PriceChain.Move[]", i*n+j, ErrRange, "a probability of %v: want 0 to 1", p)
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= rowSum) {
			return badInput("PriceChain.Move[]", i*n, ErrRange, "the probabilities from level %d add up to %v: want 1", i, sum)
		}
	}
	return nil
}

// Level returns the level of a price: the lowest whose top is not below it, and
// the highest for a price above all tops. O(log n).
func (c *PriceChain) Level(price pricing.Money) int {
	i, _ := slices.BinarySearch(c.Tops, price)
	return min(i, len(c.Tops)-1)
}

// ChainEstimator models price histories. The zero value is ready. It keeps its
// memory and allocates nothing once it has seen its largest window. One goroutine
// at a time.
type ChainEstimator struct {
	// Step is the time between two moves; 0: 10 minutes. Shorter steps see shorter
	// excursions of the price and cost more time to plan with.
	Step time.Duration
	// Levels is the highest number of levels, up to 64; 0: 6. The time of a plan grows
	// with the cube of the levels. With 4, 6 and 8 levels the costs are within 1% of on
	// demand of each other, on prices with spikes and on prices of EC2, for tasks that do
	// not save (TestBidPlannerOutOfSample).
	Levels int
	// Prior is the weight of the prior in moves; 0: 1. Negative: none.
	Prior float64

	runs        []spotRun // the window, price by price
	prices      []spotRun // the different prices, ascending
	weight      []float64 // prefix sums of times, times·price, times·price²
	first       []float64
	second      []float64
	cost        []float64 // E(k, ·) and E(k-1, ·)
	before      []float64
	split       []int // split[k·(m+1)+b] is the best a of E(k, b)
	tops, means []pricing.Money
	move        []float64
	share       []float64
}

// spotRun is a price that was seen at count steps in a row.
type spotRun struct {
	price pricing.Money
	count int
}

// Estimate returns a Markov chain for the prices of a history h from the time from until before the
// time to. Estimate looks at the prices at from, from + Step, from + 2·Step and so on. The slices
// of the chain belong to e and are valid until the next call.
//
// The error is that of h.Validate, or a *schedule.InputError that unwraps to [ErrRange]. The Field
// of the InputError is "from" if from is before the first price, and "to" if the window has fewer
// than two steps. Estimate panics if an option of e is out of range. Time: O(c log c + n·m log m)
// for c price changes in the window, m different prices and n levels of the chain.
func (e *ChainEstimator) Estimate(h pricing.SpotHistory, from, to time.Duration) (PriceChain, error) {
	step, levels, prior := cmp.Or(e.Step, 10*time.Minute), cmp.Or(e.Levels, 6), cmp.Or(e.Prior, 1)
	if step < 0 || levels < 0 || levels > maxLevels || !(prior <= math.MaxFloat64) {
		panic("spot: options of a price chain outside of their ranges")
	}
	prior = max(prior, 0)
	if err := h.Validate(); err != nil {
		return PriceChain{}, err
	}
	switch {
	case from < h.Start():
		return PriceChain{}, badInput("from", -1, ErrRange, "%v: want the first price, at %v, or later", from, h.Start())
	case to <= from || to-from <= step:
		return PriceChain{}, badInput("to", -1, ErrRange, "the window from %v to %v: want two steps of %v or more", from, to, step)
	}
	e.look(h, from, to, step)
	n := e.levels(levels)
	return PriceChain{Step: step, Prices: e.means, Tops: e.tops, Move: e.moves(n, prior)}, nil
}

// look fills runs with what is seen in steps from the time from on.
func (e *ChainEstimator) look(h pricing.SpotHistory, from, to, step time.Duration) {
	e.runs = e.runs[:0]
	steps := int((to-from-1)/step) + 1 // looks at from, from+step, ... < to
	for i, k := h.Index(from), 0; k < steps; i++ {
		next := steps // the first look at which price i is no longer in force
		if i+1 < len(h.Times) && h.Times[i+1] < to {
			next = int((h.Times[i+1] - from + step - 1) / step)
		}
		if next > k {
			if r := len(e.runs); r > 0 && e.runs[r-1].price == h.Prices[i] {
				e.runs[r-1].count += next - k
			} else {
				e.runs = append(e.runs, spotRun{h.Prices[i], next - k})
			}
			k = next
		}
	}
}

// levels cuts the prices seen into at most n levels and returns how many.
func (e *ChainEstimator) levels(n int) int {
	e.prices = append(e.prices[:0], e.runs...)
	slices.SortFunc(e.prices, func(a, b spotRun) int { return cmp.Compare(a.price, b.price) })
	m := 0
	for _, r := range e.prices {
		if m > 0 && e.prices[m-1].price == r.price {
			e.prices[m-1].count += r.count
			continue
		}
		e.prices[m] = r
		m++
	}
	e.prices = e.prices[:m]
	n = min(n, m)
	e.tops, e.means = e.tops[:0], e.means[:0]
	if n == m { // a level for each price
		for _, r := range e.prices {
			e.tops, e.means = append(e.tops, r.price), append(e.means, r.price)
		}
		return n
	}
	e.prefix(m)
	e.cluster(n, m)
	// Walk the splits back from the end, then turn the levels round.
	for k, b := n-1, m; k >= 0; k-- {
		a := e.split[k*(m+1)+b]
		e.tops = append(e.tops, e.prices[b-1].price)
		e.means = append(e.means, e.mean(a, b))
		b = a
	}
	slices.Reverse(e.tops)
	slices.Reverse(e.means)
	return n
}

// prefix fills the prefix sums. Prices are relative to the lowest price and to the range
// of all prices, so that squares neither overflow nor cancel.
func (e *ChainEstimator) prefix(m int) {
	low := e.prices[0].price
	scale := 1 / float64(e.prices[m-1].price-low)
	e.weight, e.first, e.second = append(e.weight[:0], 0), append(e.first[:0], 0), append(e.second[:0], 0)
	for i, r := range e.prices {
		w, p := float64(r.count), float64(r.price-low)*scale
		e.weight = append(e.weight, e.weight[i]+w)
		e.first = append(e.first, e.first[i]+w*p)
		e.second = append(e.second, e.second[i]+w*p*p)
	}
}

// within returns the error of one level for the prices [a, b).
func (e *ChainEstimator) within(a, b int) float64 {
	w, s := e.weight[b]-e.weight[a], e.first[b]-e.first[a]
	return max(0, e.second[b]-e.second[a]-s*s/w)
}

// mean returns the mean of the prices [a, b), rounded to the nearest nano.
func (e *ChainEstimator) mean(a, b int) pricing.Money {
	low := e.prices[a].price
	sum, weight := 0.0, 0.0
	for _, r := range e.prices[a:b] {
		sum += float64(r.count) * float64(r.price-low)
		weight += float64(r.count)
	}
	return min(low+pricing.Money(math.Round(sum/weight)), e.prices[b-1].price)
}

// cluster fills split with the best cuts of m prices into 1 to n levels. Ties fall
// to the lower cut.
func (e *ChainEstimator) cluster(n, m int) {
	e.split = grow.To(e.split, n*(m+1))
	e.before = grow.To(e.before, m+1)
	e.cost = grow.To(e.cost, m+1)
	for b := 1; b <= m; b++ {
		e.cost[b] = e.within(0, b)
		e.split[b] = 0
	}
	for k := 1; k < n; k++ {
		e.before, e.cost = e.cost, e.before
		e.row(k, m, k+1, m, k, m-1)
	}
}

// row fills E(k, b) for b in [lo, hi], knowing that the best cuts are in [from, to].
func (e *ChainEstimator) row(k, m, lo, hi, from, to int) {
	if lo > hi {
		return
	}
	b := lo + (hi-lo)/2
	best, at := math.Inf(1), from
	for a := from; a <= min(to, b-1); a++ {
		if v := e.before[a] + e.within(a, b); v < best {
			best, at = v, a
		}
	}
	e.cost[b], e.split[k*(m+1)+b] = best, at
	e.row(k, m, lo, b-1, from, at)
	e.row(k, m, b+1, hi, at, to)
}

// moves counts the moves between n levels and returns their probabilities.
func (e *ChainEstimator) moves(n int, prior float64) []float64 {
	e.move = grow.To(e.move, n*n)
	e.share = grow.To(e.share, n)
	clear(e.move)
	clear(e.share)
	total, last := 0, -1
	for _, r := range e.runs {
		i, _ := slices.BinarySearch(e.tops, r.price)
		if last >= 0 {
			e.move[last*n+i]++
		}
		e.move[i*n+i] += float64(r.count - 1)
		e.share[i] += float64(r.count)
		total += r.count
		last = i
	}
	for i := range n {
		row := e.move[i*n : i*n+n]
		count := prior
		for j := range row {
			count += row[j]
			row[j] += prior * e.share[j] / float64(total)
		}
		if count == 0 { // seen once, at the end, and no prior: it stays
			row[i], count = 1, 1
		}
		for j := range row {
			row[j] /= count
		}
	}
	return e.move
}
