// Package pdhg holds the parts that the first-order methods of the library share: the primal-dual
// hybrid gradient method for games of purchases against prices.
//
// A step moves the iterate along its slopes to an image within the bounds, and reflects the iterate
// at the image. The next iterate is a mean of the reflected point and an anchor (Halpern; Lu and
// Yang 2024). In the k-th step after a move of the anchor, from 0, the weight of the anchor is
// 1/(k+2).
//
// The anchor moves to the iterate in three cases: the length of a step falls to a fifth of the
// first step's, the length falls to four fifths and then grows, or the steps since the last move
// are more than 36% of all steps. With each move of the anchor, Balance.Omega is adapted, which
// sets the steps of purchases against the steps of prices. The logarithm of Omega moves half of the
// way to the logarithm of the ratio of the distances that prices and purchases have gone. The step
// of an element is the inverse of the sum of its entries (Pock and Chambolle 2011).
//
// # References
//
// T. Pock and A. Chambolle, Diagonal preconditioning for first order primal-dual algorithms, ICCV
// 2011. H. Lu and J. Yang, Restarted Halpern PDHG for linear programming, 2024.
package pdhg

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// farthest is by how much the balance may leave the first one. Without it, prices or purchases that
// are right do not move, which takes the balance to zero or to infinity.
const farthest = 100

// A Vector is one side of the game, or a part of it: blocks of elements that share a step.
type Vector struct {
	X      []float64 // the iterate
	Anchor []float64
	Step   []float64 // of each block
	before []float64 // the anchor before
}

// Reset sets v to zeros: n elements, in a block for each step. The caller keeps step.
func (v *Vector) Reset(n int, step []float64) {
	v.X, v.Anchor, v.before = grow.Zero(v.X, n), grow.Zero(v.Anchor, n), grow.Zero(v.before, n)
	v.Step = step
}

// Begin puts the anchors at the iterate.
func (v *Vector) Begin() {
	copy(v.before, v.X)
	copy(v.Anchor, v.X)
}

// Move moves a block of v along its slopes, by length times the block's step, between 0 and most
// (nil is no limit), and then towards the anchor: w is the weight of the reflected point, which goes
// to at. Move returns the square of the distance before the reflection, over the step.
func (v *Vector) Move(block int, slope, most []float64, length, w float64, at []float64) (moved float64) {
	n := len(slope)
	x, anchor, at := v.X[block*n:][:n], v.Anchor[block*n:][:n], at[:n]
	length *= v.Step[block]
	for t, s := range slope {
		to := x[t] + s*length
		if to < 0 {
			to = 0
		}
		if most != nil && to > most[t] {
			to = most[t]
		}
		d := to - x[t]
		moved += d * d
		to += d
		at[t] = to
		x[t] = w*to + (1-w)*anchor[t]
	}
	return moved / v.Step[block]
}

// moved returns the square of the distance that v has gone since the anchor before, over the steps.
func (v *Vector) moved() (sum float64) {
	if len(v.Step) == 0 {
		return 0
	}
	n := len(v.X) / len(v.Step)
	for b, step := range v.Step {
		s := 0.0
		for j := b * n; j < (b+1)*n; j++ {
			d := v.X[j] - v.before[j]
			s += d * d
		}
		sum += s / step
	}
	return sum
}

// A Balance is the state of the method beside its vectors.
type Balance struct {
	Omega       float64 // the balance of the steps of prices and purchases
	Steps       int
	first       float64 // the first Omega
	since       int     // steps since the anchor moved
	start, last float64 // lengths of steps since then
}

// Begin sets b to the first step.
func (b *Balance) Begin(omega float64) { *b = Balance{Omega: omega, first: omega} }

// Weight returns the weight of the reflected point in the next step.
func (b *Balance) Weight() float64 { return float64(b.since+1) / float64(b.since+2) }

// Moved ends a step, in which purchases and prices moved by dx and dy, as Move returns them. It
// reports whether the anchor moves: the caller then calls Anchor.
func (b *Balance) Moved(dx, dy float64) bool {
	b.Steps++
	b.since++
	length := math.Sqrt(dx*b.Omega + dy/b.Omega)
	if b.since == 1 {
		b.start, b.last = length, math.Inf(1)
	}
	if !(b.since > 1 && length <= .2*b.start || length <= .8*b.start && length > b.last ||
		b.since > 10 && float64(b.since) > .36*float64(b.Steps)) {
		b.last = length
		return false
	}
	return true
}

// Anchor moves the anchor of all purchases and prices to the iterate, and the balance.
func (b *Balance) Anchor(purchases, prices []*Vector) {
	far, high := 0.0, 0.0
	for _, v := range purchases {
		far += v.moved()
	}
	for _, v := range prices {
		high += v.moved()
	}
	if far > 0 && high > 0 {
		b.Omega = math.Sqrt(b.Omega * math.Sqrt(high/far))
		b.Omega = min(max(b.Omega, b.first/farthest), b.first*farthest)
	}
	for _, v := range purchases {
		v.Begin()
	}
	for _, v := range prices {
		v.Begin()
	}
	b.since = 0
}
