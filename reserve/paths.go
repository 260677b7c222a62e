package reserve

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Demand that is not known.
//
// Minimise fees plus the mean, over the possible paths of the demand, of use and cost on
// demand. Purchases are decided before any path is seen. With A active reservations in a
// slot, the mean of p·max(0, d − A) is convex and piecewise linear in A: its slope is −p
// times the probability that the demand exceeds A. So the slot is still one arc of the flow
// of exact.go, with a convex cost in the place of a single kink. Such a flow still has a
// whole optimum, and potentials that prove the optimum. Only the distribution of the demand
// in each slot counts. Which slots are high together does not matter.
//
// Each slot becomes a list of steps: the distinct demands in falling order with their
// weights. Weights are whole numbers that sum to the same total W in all slots. Costs are
// then in units of 1/W and fees W-fold, so that all numbers stay integers. The network
// simplex crosses many steps at once (package reserve/internal/flow, steps.go). Its time is
// that of the slots and of the steps crossed.
//
// Classes with several use prices are not a flow, and go to the linear program of
// useprices.go, whose rows are periods: the demands of a slot become W slots of the same
// period.
//
// Weights. W is the least common denominator up to 10,000 that fits all probabilities
// within 10⁻⁸ each. If there is none, probabilities are rounded to multiples of 10⁻⁹ of
// their sum, or of as fine a part as fees in 64 bits allow. If W-fold amounts do not fit the
// flow, the flow gets them rounded. Its potentials still prove a bound, in exact arithmetic,
// and rounding leaves a gap of some 10⁻⁹.
//
// Time: O(n·S·log S) to sort, for n slots and S paths, and then that of the flow.

// A Chance is a demand and its probability.
type Chance struct {
	Demand      int
	Probability float64
}

const (
	// tolerance is by how much probabilities may miss what they stand for: a decimal
	// with nine places misses a third by less.
	tolerance = 1e-8
	// mostParts bounds the common denominators that are tried: an hour of samples, a
	// distribution in steps of a thousandth, and a hundred paths seventy-fold.
	mostParts = 10_000
	// fineParts is the denominator where none of these fits, or less as fees are large.
	fineParts = 1_000_000_000
)

// A step is a demand that a slot may have, with its weight.
type step struct {
	demand int
	weight int64
}

// uncertain reports whether p's demand is not known.
func (p *Problem) uncertain() bool { return p.Paths != nil || p.Chances != nil || p.Tree != nil }

// slots returns the number of slots of p's demand.
func (p *Problem) slots() int {
	switch {
	case len(p.Paths) > 0:
		return len(p.Paths[0])
	case p.Chances != nil:
		return len(p.Chances)
	case p.Tree != nil:
		return p.treeSlots()
	}
	return len(p.Demand)
}

// checkDemand checks the demand of p.
func (p *Problem) checkDemand() error {
	if n := p.slots(); n > math.MaxInt32 {
		return badInput("Demand", -1, ErrRange, "%d slots: want at most %d", n, math.MaxInt32)
	}
	for i, d := range p.Demand {
		if d < 0 || d > math.MaxInt32 {
			return badInput("Demand", i, ErrRange, "%d: want 0 to %d instances", d, math.MaxInt32)
		}
	}
	if !p.uncertain() {
		if p.Weights != nil {
			return badInput("Weights", -1, ErrRange, "there are %d, and no paths: want Paths as well", len(p.Weights))
		}
		return nil
	}
	switch {
	case p.Demand != nil:
		return badInput("Demand", -1, ErrRange, "it is there beside paths, chances or a tree: want one of Demand, Paths, Chances and Tree")
	case p.Tree != nil && (p.Paths != nil || p.Chances != nil):
		return badInput("Tree", -1, ErrRange, "it is there beside paths or chances: want one of Demand, Paths, Chances and Tree")
	case p.Paths != nil && p.Chances != nil:
		return badInput("Chances", -1, ErrRange, "they are there beside paths: want one of Demand, Paths and Chances")
	case p.Paths == nil && p.Weights != nil:
		return badInput("Weights", -1, ErrRange, "there are %d, and no paths: want Paths as well", len(p.Weights))
	case p.Paths != nil && len(p.Paths) == 0:
		return badInput("Paths", -1, ErrRange, "there are none: want at least one")
	case len(p.Paths) > math.MaxInt32:
		return badInput("Paths", -1, ErrRange, "%d paths: want at most %d", len(p.Paths), math.MaxInt32)
	case p.Weights != nil && len(p.Weights) != len(p.Paths):
		return badInput("Weights", -1, ErrRange, "there are %d: want one for each of the %d paths", len(p.Weights), len(p.Paths))
	}
	switch {
	case p.Paths != nil:
		return p.checkPaths()
	case p.Tree != nil:
		return nil // scenario.check looks at the nodes
	}
	return p.checkChances()
}

// checkPaths checks the paths and their weights.
func (p *Problem) checkPaths() error {
	for i, path := range p.Paths {
		if len(path) != len(p.Paths[0]) {
			return badInput("Paths", i, ErrRange, "%d slots: want %d, as the first path has", len(path), len(p.Paths[0]))
		}
		for t, d := range path {
			if d < 0 || d > math.MaxInt32 {
				return badInput("Paths", i, ErrRange, "%d in slot %d: want 0 to %d instances", d, t, math.MaxInt32)
			}
		}
	}
	sum := 0.0
	for i, w := range p.Weights {
		if !(w >= 0 && w <= 1+tolerance) {
			return badInput("Weights", i, ErrRange, "%v: want a probability from 0 to 1", w)
		}
		sum += w
	}
	if p.Weights != nil && !(math.Abs(sum-1) <= tolerance) {
		return badInput("Weights", -1, ErrRange, "they sum to %v: want 1", sum)
	}
	return nil
}

// checkChances checks the distribution of each slot.
func (p *Problem) checkChances() error {
	for t, chances := range p.Chances {
		sum := 0.0
		for _, c := range chances {
			if c.Demand < 0 || c.Demand > math.MaxInt32 {
				return badInput("Chances", t, ErrRange, "a demand of %d: want 0 to %d instances", c.Demand, math.MaxInt32)
			}
			if !(c.Probability >= 0 && c.Probability <= 1+tolerance) {
				return badInput("Chances", t, ErrRange, "a probability of %v: want 0 to 1", c.Probability)
			}
			sum += c.Probability
		}
		if !(math.Abs(sum-1) <= tolerance) {
			return badInput("Chances", t, ErrRange, "the probabilities sum to %v: want 1", sum)
		}
	}
	return nil
}

// A tally is the distribution of the demand in each slot, in integers. Where the demand
// is known each slot has one step of weight 1.
type tally struct {
	parts int64   // W, the sum of the weights of a slot, those of no demand included
	steps []step  // of slot t: steps[first[t]:first[t+1]], falling, with a demand above 0
	first []int32 // one more than there are slots
	keys  []uint64
	vals  []int
	rest  []remainder
	wants []int64
	given []int64 // weights of the paths, in the place of the problem's: parts of whole
	whole int64   // their sum or more; a path without demand has the rest
}

// A remainder is what rounding left of a weight.
type remainder struct {
	part  float64
	index int
}

// load fills in t for a problem whose demand was checked. Where no small denominator
// fits the probabilities they are rounded to multiples of 1/fine.
func (t *tally) load(p *Problem, fine int64) error {
	t.parts, t.steps = 1, t.steps[:0]
	n := p.slots()
	t.first = grow.To(t.first, n+1)
	switch {
	case p.Paths != nil:
		if p.Weights == nil && t.given == nil {
			t.parts = int64(len(p.Paths))
			t.equal(p.Paths, n)
			break
		}
		t.wants = grow.To(t.wants, len(p.Paths))
		if t.given != nil {
			copy(t.wants, t.given)
			t.parts = t.whole
		} else {
			t.parts = denominator(fine, p.Weights, nil)
			t.share(len(p.Weights), func(i int) float64 { return p.Weights[i] }, t.wants)
		}
		for s := range n {
			t.first[s] = int32(len(t.steps))
			t.keys = t.keys[:0]
			for i, path := range p.Paths {
				t.keys = append(t.keys, uint64(path[s])<<32|uint64(i))
			}
			t.append(t.wants)
		}
	case p.Chances != nil:
		t.parts = denominator(fine, nil, p.Chances)
		for s, chances := range p.Chances {
			t.first[s] = int32(len(t.steps))
			t.wants = grow.To(t.wants, len(chances))
			t.share(len(chances), func(i int) float64 { return chances[i].Probability }, t.wants)
			t.keys = t.keys[:0]
			for i, c := range chances {
				t.keys = append(t.keys, uint64(c.Demand)<<32|uint64(i))
			}
			t.append(t.wants)
		}
	default:
		for s, d := range p.Demand {
			t.first[s] = int32(len(t.steps))
			if d > 0 {
				t.steps = append(t.steps, step{d, 1})
			}
		}
	}
	t.first[n] = int32(len(t.steps))
	t.reduce()
	if len(t.steps) > math.MaxInt32 {
		return badInput("Paths", -1, ErrOverflow, "%d different demands in all: want at most %d", len(t.steps), math.MaxInt32)
	}
	return nil
}

// equal fills in the steps of equally likely paths.
func (t *tally) equal(paths [][]int, n int) {
	for s := range n {
		t.first[s] = int32(len(t.steps))
		vals := t.vals[:0]
		for _, path := range paths {
			vals = append(vals, path[s])
		}
		t.vals = vals
		slices.Sort(vals)
		from := len(t.steps)
		for i := len(vals) - 1; i >= 0 && vals[i] > 0; i-- {
			if k := len(t.steps); k > from && t.steps[k-1].demand == vals[i] {
				t.steps[k-1].weight++
			} else {
				t.steps = append(t.steps, step{vals[i], 1})
			}
		}
	}
}

// reduce divides all weights by their greatest common divisor: paths that are all alike
// are one.
func (t *tally) reduce() {
	g := t.parts
	for i := range t.steps {
		if g == 1 {
			return
		}
		g = wide.GCD(g, t.steps[i].weight)
	}
	t.parts /= g
	for i := range t.steps {
		t.steps[i].weight /= g
	}
}

// append appends the steps of a slot: t.keys has demands and indices of weights.
func (t *tally) append(weights []int64) {
	slices.Sort(t.keys)
	from := len(t.steps)
	for i := len(t.keys) - 1; i >= 0; i-- {
		d, w := int(t.keys[i]>>32), weights[uint32(t.keys[i])]
		if d == 0 || w == 0 {
			continue
		}
		if k := len(t.steps); k > from && t.steps[k-1].demand == d {
			t.steps[k-1].weight += w
		} else {
			t.steps = append(t.steps, step{d, w})
		}
	}
}

// denominator returns the least number of parts, up to mostParts, of which every weight and
// every probability of a chance is a multiple within the tolerance, and fine if there is none.
func denominator(fine int64, weights []float64, chances [][]Chance) int64 {
	hard := 0.0 // what was no multiple of the last number, and seldom is one of the next
	for parts := int64(1); parts <= mostParts; parts++ {
		if !multiple(hard, parts) {
			continue
		}
		ok := true
		for _, w := range weights {
			if ok = multiple(w, parts); !ok {
				hard = w
				break
			}
		}
		for i := 0; ok && i < len(chances); i++ {
			for _, c := range chances[i] {
				if ok = multiple(c.Probability, parts); !ok {
					hard = c.Probability
					break
				}
			}
		}
		if ok {
			return parts
		}
	}
	return fine
}

func multiple(w float64, parts int64) bool {
	x := w * float64(parts)
	return math.Abs(x-math.Round(x)) <= tolerance*float64(parts)
}

// share sets weights to whole numbers in proportion to n probabilities, with the sum
// t.parts: rounded down, and what is missing goes to the largest remainders, of equal
// ones the first.
func (t *tally) share(n int, probability func(i int) float64, weights []int64) {
	left := t.parts
	t.rest = t.rest[:0]
	for i := range n {
		x := probability(i) * float64(t.parts)
		w := math.Floor(x)
		weights[i] = int64(w)
		left -= int64(w)
		t.rest = append(t.rest, remainder{x - w, i})
	}
	slices.SortFunc(t.rest, func(a, b remainder) int {
		return cmp.Or(cmp.Compare(b.part, a.part), cmp.Compare(a.index, b.index))
	})
	for k := 0; left != 0; k = (k + 1) % n {
		i := t.rest[k].index
		if left < 0 { // the probabilities are more than 1, within the tolerance: from the smallest remainders
			i = t.rest[n-1-k].index
			if weights[i] > 0 {
				weights[i]--
				left++
			}
			continue
		}
		weights[i]++
		left--
	}
}

// of returns the steps of slot s.
func (t *tally) of(s int) []step { return t.steps[t.first[s]:t.first[s+1]] }

// peak returns the largest demand.
func (t *tally) peak() (most int) {
	for s := range len(t.first) - 1 {
		if steps := t.of(s); len(steps) > 0 {
			most = max(most, steps[0].demand)
		}
	}
	return most
}

// short returns by how much the demand of slot s exceeds a, over all weights: W times the
// mean of max(0, d − a).
func (t *tally) short(s int, a int64) (sum int64) {
	for _, st := range t.of(s) {
		if int64(st.demand) <= a {
			break
		}
		sum += (int64(st.demand) - a) * st.weight
	}
	return sum
}

// AppendInstances appends to dst the whole numbers of instances of a path of demand that
// a forecast gives, each rounded to the nearest, halves up. The error is an [*InputError]
// for a value that is negative, infinite, not a number or above [math.MaxInt32]; dst is
// then returned as it was.
func AppendInstances(dst []int, path []float64) ([]int, error) {
	n := len(dst)
	for t, x := range path {
		if !(x >= 0 && x+.5 < math.MaxInt32) {
			return dst[:n], badInput("path", t, ErrRange, "%v: want a demand of 0 to %d instances", x, math.MaxInt32)
		}
		dst = append(dst, int(x+.5))
	}
	return dst, nil
}
