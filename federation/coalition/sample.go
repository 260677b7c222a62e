package coalition

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The Shapley value, by sampling, for more members than a table has room for.
//
// Idea. The Shapley value is the mean, over all orders, of what a member's joining
// adds to the cost. Draw orders at random and take the mean over them. Each order is
// taken forwards and backwards: a member that joins early in one joins late in the
// other, so the two payments err on opposite sides and their mean varies less.
//
// In each order, the payments add up to the cost of all. So the means do, too, after
// rounding as in shapley.go.
//
// Error bar. Pairs of orders are independent. The standard error of a mean over m
// pairs is s/√m, where s is the standard deviation over the pairs. The exact value is
// within twice the standard error in about 95 of 100 cases, for m of 30 or more.
//
// Time: 2·m·n costs.

// DefaultPairs is the number of pairs of orders where a caller says 0.
const DefaultPairs = 100

// A Share is a member's share as sampling found it.
type Share struct {
	Cost   pricing.Money
	StdErr pricing.Money // the standard error of Cost, rounded up
}

// A Sampler estimates Shapley values. The zero value is ready, and keeps its memory between calls.
// It is for one goroutine at a time.
type Sampler struct {
	sums  []wide.Int
	order []int
	pair  []pricing.Money
	mean  []float64 // of the payments of a pair, twice
	dev   []float64 // the sum of squared differences from the mean
	split Solver
}

// Shapley estimates the Shapley values of the members 0 to n−1 and appends them to dst. The shares
// add up to the cost of all members, to the nano. The same seed of rnd gives the same shares.
//
// cost(joined) returns the cost of a coalition, from −[MaxCost] to MaxCost. joined lists the
// members of the coalition in the order in which they join. In each call joined has one member more
// than in the previous call, or begins a new order with one member. cost can therefore work step by
// step. cost must not modify or keep joined.
//
// pairs limits the work: Shapley draws that many orders of the members from rnd, and takes each
// order forwards and backwards. 0 stands for [DefaultPairs].
//
// The error is that of cost, or a *pricing.InputError if a cost is too large; Shapley then returns
// dst unchanged. Shapley panics if n is not positive, if pairs is neither 0 nor from 2 to a
// million, or if cost or rnd is nil.
func (s *Sampler) Shapley(dst []Share, n int, cost func(joined []int) (pricing.Money, error), pairs int, rnd *rand.Rand) ([]Share, error) {
	pairs = cmp.Or(pairs, DefaultPairs)
	switch {
	case n < 1:
		panic("coalition: no members")
	case pairs < 2 || pairs > 1e6:
		panic("coalition: number of pairs is not from 2 to a million")
	case cost == nil:
		panic("coalition: nil cost")
	case rnd == nil:
		panic("coalition: nil source of randomness")
	}
	s.sums, s.mean, s.dev = grow.Zero(s.sums, n), grow.Zero(s.mean, n), grow.Zero(s.dev, n)
	s.order, s.pair = grow.To(s.order, n), grow.To(s.pair, n)
	for i := range s.order {
		s.order[i] = i
	}
	var total pricing.Money
	for m := range pairs {
		rnd.Shuffle(n, func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
		clear(s.pair)
		for range 2 {
			var err error
			if total, err = s.join(cost); err != nil {
				return dst, err
			}
			slices.Reverse(s.order)
		}
		for i, x := range s.pair {
			s.sums[i] = s.sums[i].Plus(wide.FromInt64(int64(x)))
			// Welford's recurrence.
			d := float64(x) - s.mean[i]
			s.mean[i] += d / float64(m+1)
			s.dev[i] += float64(d * (float64(x) - s.mean[i]))
		}
	}
	shares := grow.To(s.pair, n)
	s.split.divide(shares, s.sums, 2*uint64(pairs), total)
	for i, x := range shares {
		// The mean of a pair is half of its sum.
		se := math.Sqrt(s.dev[i]/float64(pairs-1)/float64(pairs)) / 2
		dst = append(dst, Share{x, pricing.Money(math.Ceil(se))})
	}
	return dst, nil
}

// join adds to s.pair what each member's joining costs, and returns the cost of all.
func (s *Sampler) join(cost func([]int) (pricing.Money, error)) (total pricing.Money, err error) {
	for k, i := range s.order {
		before := total
		if total, err = cost(s.order[:k+1]); err != nil {
			return 0, err
		}
		if total < -MaxCost || total > MaxCost {
			return 0, badInput("cost", -1, ErrOverflow, "%v for the coalition %v: want at most %v", total, s.order[:k+1], MaxCost)
		}
		s.pair[i] += total - before
	}
	return total, nil
}
