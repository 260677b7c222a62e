package spot

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/pricing"
)

// The bid that minimises the expected cost of a task under its deadline.
//
// The plan minimises the expected cost from now to the end of the task, over all ways to
// wait, to run on spot instances with some bid, and to run on demand. The deadline must
// be met for every course of the price, likely or not.
//
// The price is a Markov chain (chain.go). So the state is the time left, the work in a
// checkpoint, the level of the price, and the age and the bid of a running cluster. On
// these states the cost obeys Bellman's equation, and since every action takes time, one
// pass from the deadline backwards solves it exactly. A task is never led to where an
// instance on demand, requested now, would no longer meet the deadline: such actions are
// not there.
//
// Model. Time left is t steps of the chain. With q checkpoints' work saved, a run
// needs
//
//	latency + restart + (work that is not saved) + writing checkpoints
//
// on spot, and latency + [Task.Remaining] on demand, in real durations: only the
// deadline and interruptions are rounded to steps, the former down. A cluster
// is billed from its launch, its latency included. Let N(q) be the need on demand.
// The states are
//
//	V(t, q, i)        nothing runs, the price is on level i
//	R(t, q, n, i, b)  a cluster launched with q saved begins its n-th block with
//	                  the price on level i and the bid on the top of level b ≥ i
//
// A block is the time for which a spot meter holds the price, its Reprice: an hour
// on EC2. With p_i the price of level i and P the probabilities of the chain,
//
//	V(t, q, i) = min of
//	    on demand   cost of latency + Remaining by the meter on demand
//	    wait        Σ_j P_ij V(t-1, q, j)       if N(q) still fits into t-1 steps
//	    spot at b   R(t, q, 0, i, b)            for each b ≥ i
//
//	R(t, q, n, i, b) = p_i · E[time billed] + E[what follows]
//
// where a block ends in one of three ways. The task ends, and nothing follows. An
// interruption comes s steps into the block, and V(t-s, q', j) follows. Or the block
// ends, and the cheaper of two follows at the new price: going on, R(t-h, q, n+1, j, b),
// or stopping there, V(t-h, q', j). An interruption comes with the first step at
// which the price is above the top of level b, or at random with the probability
// that [Market.Reclaim] gives. E[time billed] knows that a block which the
// provider ends may be free.
//
// Safety. Within a block nothing is decided, so a block runs as long as
//
//	t - y ≥ N(what is saved y into the block)
//
// holds at every moment y, on or off the grid: whenever the price interrupts, on
// demand still does it. If it would break before the end of the block, the run is
// cut at its last checkpoint before; and if there is none, not begun. So the
// invariant of handover.go holds on every price path, whatever the chain says.
//
// Cost. Let there be T steps to the deadline, B blocks that begin over all runs (the sum
// over q of the hours of a run), h steps a block and n levels. Then a plan takes
// O(T·B·h·n³) time and O(T·B·n²) memory: 0.4 ms for a task of 4 h due in 24 h, steps of
// 10 minutes and 6 levels (BenchmarkBidPlannerSolve). To decide costs O(n²) after that.
//
// Beside. With [Market.Beside], a run that would be unsafe before its end or its next
// checkpoint is not stopped at an earlier checkpoint. Instead the run gets a cluster on
// demand beside it at the last safe moment, if the run ends before that cluster would.
// From then on nothing is decided. The cost of the block includes the cluster on demand
// until the run ends or, after an interruption, until the end on demand. When that moment
// comes, and what is saved then, follow from t and n, so that no state is added. A block
// that has a checkpoint before that moment is cut there, as without.
//
// Departures. [Huang13] has no bid that looks at the deadline. Its references bid by a
// constrained Markov decision process; they bound the probability of being late, while
// here the way out on demand makes it zero. The model leaves out three actions. Stopping
// a spot cluster in the middle of a block saves nothing where hours are charged, and
// little where seconds are. The others are going back from demand to spot, and a cluster
// on demand beside a spot cluster that the deadline does not need.

// A Market is where a task can run: the spot price of an instance as a chain,
// and the price of the same instance on demand.
type Market struct {
	Chain    PriceChain
	Spot     pricing.SpotMeter // Reprice a multiple of Chain.Step; no StartUp
	OnDemand pricing.Money     // per hour
	Meter    pricing.Meter     // on demand
	// Reclaim is the probability that the provider takes a running spot cluster
	// away within an hour though the price allows it; in [0, 1). On EC2 since 2017
	// that is how nearly all interruptions come.
	Reclaim float64
	// Beside allows a second cluster, on demand, beside a spot cluster that runs:
	// the decision [BidBoth]. It is worth much to tasks that do not save.
	Beside bool
}

// A BidAction is what a [Planner] decides.
type BidAction uint8

const (
	BidWait     BidAction = iota // run nothing
	BidSpot                      // run on a spot cluster
	BidOnDemand                  // run on demand, to the end
	// BidBoth: go on with the spot cluster and run on demand beside it, from what is
	// saved. What ends the task first ends both; if the spot cluster is taken, the
	// other goes on to the end. Nothing is left to ask. A Planner says so only of a
	// cluster that runs, with [Market.Beside]; a [Framework] carries it out.
	BidBoth
)

var bidActions = enum.New[BidAction]("spot", "BidAction", ErrRange, "wait", "spot", "on demand", "both")

// String returns "wait", "spot", "on demand" or "both", and BidAction(7) for a value 7 that is none of
// the constants.
func (a BidAction) String() string { return bidActions.String(a) }

// A BidState is where a task stands.
type BidState struct {
	Now   time.Duration // on the clock of Task.Deadline
	Price pricing.Money // spot price now, per hour
	// Saved is the work in checkpoints; with a running cluster that at its launch, not
	// now: what it has written since follows from Elapsed.
	Saved   time.Duration
	Running bool          // on a spot cluster
	Elapsed time.Duration // since that cluster was launched
	Bid     pricing.Money // of that cluster
}

// A BidDecision is what to do, and for how long.
type BidDecision struct {
	Action BidAction
	// Stop ends a running spot cluster first. BidSpot without Stop goes on with that cluster.
	Stop bool
	Bid  pricing.Money // with BidSpot: the most to pay per hour and instance
	// For is how long the decision holds; for BidOnDemand, until the task ends. Ask again then, or
	// at an interruption. Asking sooner does no harm.
	For time.Duration
	// Cost is the expected cost of the task from now on with all its instances, in units of the
	// currency. A block is the time for which the meter holds a price. If a spot cluster goes on,
	// Cost counts from the beginning of the cluster's current block, at the current price. If a run
	// has lasted longer than its estimate and goes on, its further cost is unknown, and Cost is 0.
	Cost float64
	// Late says that the deadline cannot be kept even on demand.
	Late bool
}

// maxPlan is the highest number of values that a plan may have, half a gigabyte.
const maxPlan = 1 << 26

// Planner plans a task. The zero value is ready. It keeps its memory and
// allocates nothing once it has seen its largest task. One goroutine at a time.
type Planner struct {
	m      Market
	task   Task
	levels int           // n
	pairs  int           // n(n+1)/2 pairs i ≤ b; pair (b, i) is at b(b+1)/2 + i
	steps  int           // T
	block  time.Duration // h steps
	h      int
	points int // values of q: 0 to points-1

	keep      float64   // probability that a running cluster is not reclaimed in a step
	survive   []float64 // n×n, keep·P
	alive     []float64 // [pair·(h+1)+s]: not interrupted in s steps
	lost      []float64 // [first][pair·(h+1)+s]: Σ over interruptions to step s of hours billed
	need      []time.Duration
	demand    []float64 // cost on demand by q, one instance
	runs      []bidRun  // all q and n, those of a q in order
	first     []int     // by q: its first run
	saved     []int     // by run: q' at steps 1 to h
	v         []float64 // [(t·points+q)·n + i]
	hit       []float64 // [(t·points+q)·pairs + pair]: Σ_j P_ij·V, over interruptions
	r         []float64 // [(t·runs+run)·pairs + pair]
	x, y, end []float64 // work
}

// bidRun is the beginning of a block of a run.
type bidRun struct {
	q, n   int           // saved at launch, number of the block
	at     time.Duration // since the launch, n blocks
	finish time.Duration // the end of the task, since the launch
	base   time.Duration // the beginning of work, since the launch
	last   int           // checkpoints on the way
}

// price converts to units of the currency.
func price(m pricing.Money) float64 { return m.Float64() }

// Solve computes the plan for the task t in the market m from the time now on. It assumes that no
// work is saved at now. Solve copies the slices of the chain.
//
// Solve returns the errors of [Task.Validate], [PriceChain.Validate], [pricing.SpotMeter.Validate],
// [pricing.Meter.Validate] and [pricing.Meter.Cost] unchanged. Every other error is a
// *schedule.InputError. If the deadline is not after now, the InputError has the Field
// "Task.Deadline" and unwraps to [ErrPast]. Every other InputError unwraps to [ErrRange] and has
// one of these Fields:
//
//   - "now": now is more than 36 years before 0.
//   - "Market.OnDemand": the price is negative.
//   - "Market.Reclaim": the probability is outside [0, 1).
//   - "PriceChain.Step": the plan would be too large.
//   - "Market.Spot": Reprice is not a multiple of the step and of the meter's increment, or is
//     shorter than FreeBefore or Minimum. A Reprice of 0 counts as one step. Other reasons are a
//     Minimum that is not a multiple of the increment, and a StartUp.
//
// Solve returns no error for a deadline that cannot be met: see [BidDecision.Late].
func (p *Planner) Solve(m Market, t *Task, now time.Duration) error {
	if err := p.prepare(m, t, now); err != nil {
		return err
	}
	p.survival()
	for t := range p.steps + 1 {
		for run := range p.runs {
			p.solveRun(t, run)
		}
		for q := range p.points {
			p.solveIdle(t, q)
		}
	}
	return nil
}

// unsafeBlock is the cost of a block that cannot be run.
var unsafeBlock = math.Inf(1)

// solveRun fills in R for a run with t steps left.
func (p *Planner) solveRun(t, run int) {
	r := &p.runs[run]
	n, h, step := p.levels, p.h, p.m.Chain.Step
	out := p.r[(t*len(p.runs)+run)*p.pairs:][:p.pairs]
	y, how := p.span(r, time.Duration(t)*step)
	if how == blockCannot {
		for k := range out {
			out[k] = unsafeBlock
		}
		return
	}
	alone := h // steps at which an interruption leads back to V
	beside := how == blockBeside
	var both, sunk float64 // on demand beside it: if the run ends, if it is interrupted
	if beside {
		alone = int(max(0, y) / step)
		age, q := p.unsafe(r, time.Duration(t)*step+r.at)
		sunk = p.demand[q]
		y, how = p.block, blockFull
		if rest := r.finish - r.at; rest <= y {
			y, how = rest, blockFinish
			both = p.cost(r.finish - age)
		}
	}
	steps := h // at which an interruption is possible
	if how != blockFull {
		steps = int((y+step-1)/step) - 1
	}
	saved := p.saved[run*h:][:h]
	switch how {
	case blockFinish:
		for i := range p.end {
			p.end[i] = both
		}
	case blockCut:
		p.cutEnd(t-steps-1, p.savedAt(r, r.at+y))
	}
	first := 0
	if r.n > 0 {
		first = p.pairs * (h + 1)
	}
	billed := p.billed(r.at, y, pricing.EndedByUser)
	for b := range n {
		x, next := p.x[:b+1], p.y[:b+1]
		if how == blockFull {
			stop := p.v[((t-h)*p.points+saved[h-1])*n:][:b+1]
			more := p.r[((t-h)*len(p.runs)+run+1)*p.pairs+b*(b+1)/2:][:b+1]
			for j := range x {
				if x[j] = more[j]; !beside {
					x[j] = min(more[j], stop[j])
				}
			}
		} else {
			copy(x, p.end)
		}
		for s := steps; s > 0; s-- {
			if beside && s > alone {
				p.stepBeside(next, x, b, sunk)
			} else {
				p.step(next, x, p.hit[((t-s)*p.points+saved[s-1])*p.pairs+b*(b+1)/2:][:len(next)])
			}
			x, next = next, x
		}
		for i, follow := range x {
			k := p.at(b, i, steps)
			out[b*(b+1)/2+i] = price(p.m.Chain.Prices[i])*(p.lost[first+k]+p.alive[k]*billed) + follow
		}
	}
}

// cutEnd sets the ends of a block that stops at a checkpoint, with t steps left after the move
// and q saved.
func (p *Planner) cutEnd(t, q int) {
	n := p.levels
	v := p.v[(t*p.points+q)*n:][:n]
	for i := range n {
		sum := 0.0
		for j, w := range p.m.Chain.Move[i*n : i*n+n] {
			sum += w * v[j]
		}
		p.end[i] = sum
	}
}

// step goes one step back within a block: next[i] is the expected cost at level i, x[j] the cost one
// step later at level j, and hit[i] the expected cost of an interruption.
func (p *Planner) step(next, x, hit []float64) {
	for i := range next {
		sum := hit[i]
		row := p.survive[i*p.levels:][:len(x)]
		for j, w := range x {
			sum += row[j] * w
		}
		next[i] = sum
	}
}

// stepBeside is step for a run with a cluster on demand beside it: an interruption costs sunk.
func (p *Planner) stepBeside(next, x []float64, b int, sunk float64) {
	for i := range next {
		sum := (1 - p.alive[p.at(b, i, 1)]) * sunk
		for j, w := range p.survive[i*p.levels:][:b+1] {
			sum += w * x[j]
		}
		next[i] = sum
	}
}

// solveIdle fills in V with t steps left and q saved, and its sums for
// interruptions.
func (p *Planner) solveIdle(t, q int) {
	n := p.levels
	v := p.v[(t*p.points+q)*n:][:n]
	for i := range n {
		_, _, v[i] = p.best(t, q, i, 0)
	}
	hit := p.hit[(t*p.points+q)*p.pairs:][:p.pairs]
	for i := range n {
		row := p.m.Chain.Move[i*n : i*n+n]
		above := 0.0
		for b := n - 1; b >= i; b-- {
			within := 0.0
			for j, w := range row[:b+1] {
				within += w * v[j]
			}
			hit[b*(b+1)/2+i] = above + (1-p.keep)*within
			above += row[b] * v[b]
		}
	}
}

// indifferent is by which part of its cost another action has to be cheaper to be
// preferred. A value is a sum over T·n moves of products of numbers below 1, each rounded
// by 2⁻⁵³. For a thousand steps and 64 levels less than 10⁻¹¹ of the value is noise, and
// noise must not make a task wait in vain.
const indifferent = 1e-10

// best returns the best action of an idle task whose deadline is t steps away, and
// its expected cost for one instance. Bids below the price least are not there.
// Ties fall to on demand, then to spot with the lower bid, then to waiting.
func (p *Planner) best(t, q, i int, least pricing.Money) (a BidAction, bid int, cost float64) {
	n := p.levels
	a, cost = BidOnDemand, p.demand[q]
	r := p.r[(t*len(p.runs)+p.first[q])*p.pairs:][:p.pairs]
	for b := i; b < n; b++ {
		if v := r[b*(b+1)/2+i]; v < cost*(1-indifferent) && p.bid(b) >= least {
			a, bid, cost = BidSpot, b, v
		}
	}
	if t > 0 && time.Duration(t-1)*p.m.Chain.Step >= p.need[q] {
		sum := 0.0
		for j, w := range p.m.Chain.Move[i*n : i*n+n] {
			sum += w * p.v[((t-1)*p.points+q)*n+j]
		}
		if sum < cost*(1-indifferent) {
			a, cost = BidWait, sum
		}
	}
	return a, bid, cost
}

// bid returns what to bid for level b. In the model the highest level stands for all
// higher prices, too. So its bid is never below the price on demand: up to that price a
// run on spot is no worse than a run on demand.
func (p *Planner) bid(b int) pricing.Money {
	if top := p.m.Chain.Tops[b]; b < p.levels-1 {
		return top
	} else {
		return max(top, p.m.OnDemand)
	}
}

// Decide returns the best decision for the task of the last [Planner.Solve]. The caller may ask at
// any time up to the task's deadline. The best time to ask is when the For of the last decision is
// over. Decide rounds the time left down to whole steps, and the saved work down to whole
// checkpoints. So the task meets its deadline, whenever the caller asks.
//
// If a task runs on spot for longer than its estimate, Decide lets the task go on as long as a run
// on demand could still do the remaining work in time.
//
// Decide panics
//
//   - before a Solve that returned no error,
//   - for a time before the time of Solve,
//   - for a running cluster whose current block (the time for which the meter holds a price) began
//     before the time of Solve,
//   - for a negative Saved or Elapsed.
//
// Time: O(n²) for n price levels.
func (p *Planner) Decide(s BidState) BidDecision {
	if p.points == 0 {
		panic("spot: Planner without a plan")
	}
	left := p.task.Deadline - s.Now
	step := p.m.Chain.Step
	if s.Saved < 0 || s.Elapsed < 0 || left >= time.Duration(p.steps+1)*step {
		panic("spot: Planner asked for a state outside of its plan")
	}
	q := 0
	if c := &p.task.Checkpoints; c.Every > 0 {
		q = int(min(s.Saved/c.Every, time.Duration(p.points-1)))
	}
	i := p.m.Chain.Level(s.Price)
	if !s.Running {
		return p.decideIdle(left, q, i, s.Price)
	}
	begun := s.Elapsed / p.block
	r := p.runs[p.first[q]]
	if s.Elapsed >= r.finish { // longer than its estimate
		if safe := left - p.need[p.savedAt(&r, s.Elapsed)]; safe > 0 {
			return BidDecision{Action: BidSpot, Bid: s.Bid, For: safe}
		}
		if p.m.Beside {
			return BidDecision{Action: BidBoth, Bid: s.Bid, For: p.need[p.savedAt(&r, s.Elapsed)]}
		}
		d := p.decideIdle(left, p.savedAt(&r, s.Elapsed), i, s.Price)
		d.Stop = true
		return d
	}
	run := p.first[q] + int(begun)
	r = p.runs[run]
	into := s.Elapsed - r.at
	t := int((left + into) / step)
	if t > p.steps {
		panic("spot: Planner asked for a state outside of its plan")
	}
	y, how := p.span(&r, time.Duration(t)*step)
	if how == blockBeside && into >= y || how != blockCannot && into < y {
		b, _ := slices.BinarySearch(p.m.Chain.Tops, s.Bid+1) // the highest level whose top is in the bid
		b = max(b-1, i)
		v := p.r[(t*len(p.runs)+run)*p.pairs+b*(b+1)/2+i]
		// At its beginning a block that is safe may still be given up. One with y < 0
		// has a cluster beside it from before.
		if into > 0 || how == blockBeside && y < 0 || v <= p.v[(t*p.points+p.savedAt(&r, r.at))*p.levels+i]*(1+indifferent) {
			d := BidDecision{Action: BidSpot, Bid: s.Bid, For: y - into, Cost: v * float64(p.task.Instances)}
			if into >= y {
				d.Action, d.For = BidBoth, r.finish-s.Elapsed
			}
			return d
		}
	}
	d := p.decideIdle(left, p.savedAt(&r, s.Elapsed), i, s.Price)
	d.Stop = true
	return d
}

// decideIdle decides for a task that does not run.
func (p *Planner) decideIdle(left time.Duration, q, i int, now pricing.Money) BidDecision {
	step := p.m.Chain.Step
	t := int(max(0, left) / step)
	d := BidDecision{Action: BidOnDemand, For: p.need[q], Late: left < p.need[q]}
	if time.Duration(t)*step < p.need[q] {
		d.Cost = p.demand[q] * float64(p.task.Instances)
		return d
	}
	a, b, cost := p.best(t, q, i, now)
	d.Action, d.Cost = a, cost*float64(p.task.Instances)
	switch a {
	case BidWait:
		d.For = step
	case BidSpot:
		d.Bid = p.bid(b)
		d.For, _ = p.span(&p.runs[p.first[q]], time.Duration(t)*step)
	}
	return d
}

// States returns how many values the last plan has, for those who size steps.
func (p *Planner) states() int { return len(p.v) + len(p.r) }
