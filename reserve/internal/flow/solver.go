package flow

import (
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Stats counts the work of the last Solve.
type Stats struct {
	Pivots  int // exchanges of a basis arc, or flips of an arc to its other bound
	Stale   int // candidates that were no longer violated when their turn came
	Sweeps  int // pricing passes over all arcs
	Walks   int // candidates whose cycle was walked
	Whole   int // computations of all potentials
	Shifted int // nodes whose potentials were moved
	Slots   int // slots on the cycles, summed over Pivots and Stale
	Hops    int // reservation arcs on the cycles, likewise
	Crossed int // breakpoints crossed by long steps
	Phases  int // of byFee, which counts nothing else
	Paths   int // of scaling
	Joined  int // nodes that joined a tree of its paths
}

// A Solver keeps its memory between calls. The zero value is ready. It must
// not be used by two goroutines at once.
type Solver struct {
	Stats Stats

	prob Problem
	T    int
	n    int64 // perturbation scale: every true quantity is held n-fold
	sign int64 // of the perturbation of every slot's demand

	x    []int64 // net on-demand flow of slot t: on demand minus idle
	y    []int64 // potentials, of the tree as it is if live, else as of the last sweep
	seg  []seg   // by the segment's leftmost node
	w0   []uint64
	w1   []uint64
	buf  []int64 // breakpoints
	sid  []int32 // sweep: dense segment number of a node
	rt   []int32 // sweep: last node of a segment
	off  []int64 // sweep: potential offset of a segment
	pa   []step
	pb   []step
	pcs  []piece
	cand []cand
	cnd2 []cand
	it   uint32

	paths []step // the memory of pa and pb

	// The live tree; see shift.go.
	live   bool    // y belongs to the tree as it is now
	bank   int     // nodes whose potentials may yet be moved
	passed []int32 // slots in the basis whose slopes the step has changed; the memory of sid
	links  []int32 // the memory of the next three
	head   []int32 // first arc from a node to a child, by the child's end; -1 if none
	next   []int32 // the next arc at the same node
	prev   []int32

	longest int       // term, at most the horizon
	plain   bool      // no class has fees by slot
	weights []float64 // of the classes in pricing

	// problems of one class; see byfee.go
	fees    byFee
	falling bool // the problem is one
	phases  int

	// problems of several classes on smooth demand; see scaling.go
	scales   scaling
	smooth   bool // scaling may solve the problem
	improves bool // from the simplex's plan
	scaling  bool // and has

	// general problems only (Prices, MaxActive or Max)
	general bool
	capped  bool
	steps   bool // slots with steps
	edges   []edge
	first   []int32 // kinks of slot t: kinks[first[t]:first[t+1]]
	kinks   []kink
	price   []int64  // per slot
	lo      []int64  // lower bound of x, n-fold; minInt if none
	wbuf    []wbp    // weighted breakpoints
	cap     []int64  // per class, n-fold; inf if none
	upper   []uint64 // bit (class*T + slot): nonbasic at its cap
}

// seg is a maximal run of nodes joined by slots in the basis, seen as one node
// of a tree. Its parent is reached over one reservation arc.
type seg struct {
	flow  int64 // of the arc to the parent
	cost  int64 // y[exit] - y[pnode]
	exit  int32 // own end of the arc
	pnode int32 // the parent's end of the arc, or -1 at the root
	kind  int32 // class<<1 | 1 if the arc runs from exit to pnode
	stamp uint32
	pos   int32
}

type step struct{ left, entry int32 }

// A piece is a run of slots [lo, hi) on the cycle. neg is 0 if the cycle walks the run to
// the left, so that the flows of the slots fall. neg is -1 if the flows rise.
type piece struct{ lo, hi, neg, tag int32 }

type cand struct {
	v    int64
	t, k int32
}

type wbp struct{ at, w int64 }

const (
	inf    = int64(1) << 62
	unset  = -int64(1) << 63
	noLow  = -int64(1) << 63
	slotUp = -1 // cand.k: slot enters, its flow rising
	slotDn = -2 // cand.k: slot enters, its flow falling
	unbuy  = -3 // cand.k <= unbuy: class unbuy-k leaves its cap
)

const (
	minBlock   = 8   // slots; smaller ones only added stale candidates on the reference problems
	shortCycle = 128 // slots; up to here one pass over the cycle beats two

	// On smooth demand the simplex goes before scaling, for so much work a slot. With terms of years it mostly
	// ends before; where scaling is the faster method, the simplex takes 9,000 and more. Where scaling
	// begins with the simplex's plan, the plan is better after planWork: after 500 or 2,000, sineyear with ten
	// terms takes a sixth to a third longer.
	firstWork = 400
	planWork  = 1000

	putOff = 4 // a candidate is put off if it has lost more than one part of so many; 2 and 16 gain less

	maxBank  = 12 // nodes to shift that a slot may have saved up
	hopNodes = 8  // a hop of a cycle takes the time to shift so many nodes
	tryNodes = 60 // and a candidate so many more
)

// Solve finds an optimal plan. Its results are read with AppendPurchases,
// Potentials and Cost.
func (s *Solver) Solve(p Problem) error {
	if err := s.init(p); err != nil {
		return err
	}
	s.solve()
	return nil
}

func (s *Solver) solve() {
	if s.T == 0 {
		return
	}
	if s.falling {
		s.Stats.Phases = s.phases
		s.fees.solve(&s.prob, s.phases, s.y)
		return
	}
	tmin, tmax := s.T, 1
	for _, c := range s.prob.Classes {
		tmin, tmax = min(tmin, c.Term), max(tmax, min(c.Term, s.T))
	}
	block := max(minBlock, tmax)
	s.longest, s.plain = tmax, true
	s.weights = grow.To(s.weights, len(s.prob.Classes))
	for k, c := range s.prob.Classes {
		s.weights[k] = math.Sqrt(math.Sqrt(float64(c.Term) / float64(tmin)))
		s.plain = s.plain && c.Fees == nil
	}
	work, most := 0, firstWork*s.T
	if s.improves {
		most = planWork * s.T
	}
	for {
		if s.smooth && work > most {
			if s.smooth = false; s.ship() {
				s.scaling = true
				return
			}
			s.live = false
		}
		if !s.live {
			s.potentials()
			s.Stats.Whole++
			s.live = true
			s.bank = 0
		}
		s.bank = min(s.bank, maxBank*s.T) + s.T
		s.Stats.Sweeps++
		top := s.sweep(block)
		if len(s.cand) == 0 {
			return
		}
		before := s.Stats
		for len(s.cand) > 0 {
			top = s.enter(top)
		}
		block = s.nextBlock(block, before)
		work += s.sweepWork() + s.stepWork(before)
	}
}

// enter lets the candidates enter in turn. A candidate that is violated much less than when it was listed is put
// off: enter leaves it in the list, with its violation of now, and returns the largest of these. On walks with ten
// terms that spares 3% of the steps in the mean, elsewhere nothing to speak of.
func (s *Solver) enter(top int64) (left int64) {
	s.order(top)
	off := 0
	for _, c := range s.cand {
		if s.live {
			if v := s.violation(c); v > 0 && v < c.v-c.v/putOff {
				c.v = v
				s.cand[off] = c
				off++
				left = max(left, v)
				continue
			}
		}
		s.pivot(c)
	}
	s.cand = s.cand[:off]
	return left
}

// ship solves the problem by scaling. It returns false if scaling gives up.
func (s *Solver) ship() bool {
	c := &s.scales
	if !s.improves {
		return c.solve(&s.prob, s.y, &s.Stats)
	}
	if !s.live {
		s.potentials()
	}
	c.load(&s.prob, s.y, &s.Stats)
	for i, w := range s.w0 {
		for ; w != 0; w &= w - 1 {
			if p := s.bought(&s.seg[i<<6|bits.TrailingZeros64(w)]); p.Count > 0 {
				c.buy(p)
			}
		}
	}
	return c.improve(&s.prob)
}

// bought returns the purchases of the arc from a segment to its parent, a Count of 0 if there are none.
func (s *Solver) bought(g *seg) Purchase {
	if g.pnode < 0 {
		return Purchase{}
	}
	// A basic arc's perturbed flow is n times its true flow, plus or minus a
	// number from 1 to n-1: plus if the perturbation of the nodes behind the
	// arc, seen from node T, runs with it. So it is rounded down or up.
	up, down := int64(0), s.n-1 // what to add to arcs that run to the parent, and from it
	if s.sign < 0 {
		up, down = down, up
	}
	if g.kind&1 != 0 {
		return Purchase{int(g.exit), int(g.kind >> 1), int((g.flow + up) / s.n)}
	}
	return Purchase{int(g.pnode), int(g.kind >> 1), int((g.flow + down) / s.n)}
}

// AppendPurchases appends the plan of the last Solve to dst, each slot and
// class at most once, in no particular order.
func (s *Solver) AppendPurchases(dst []Purchase) []Purchase {
	if s.T == 0 {
		return dst
	}
	if s.falling {
		return s.fees.appendPurchases(dst)
	}
	if s.scaling {
		return s.scales.appendPurchases(dst)
	}
	for i, w := range s.w0 {
		for ; w != 0; w &= w - 1 {
			if p := s.bought(&s.seg[i<<6|bits.TrailingZeros64(w)]); p.Count > 0 {
				dst = append(dst, p)
			}
		}
	}
	if s.capped {
		for k, c := range s.prob.Classes {
			for t := 0; c.Max > 0 && t < s.T; t++ {
				if s.atUpper(k, t) {
					dst = append(dst, Purchase{t, k, c.Max})
				}
			}
		}
	}
	return dst
}

// Potentials returns the dual solution y, T+1 values; it is valid until the
// next Solve.
func (s *Solver) Potentials() []int64 { return s.y }
