package spot

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// prepare checks the input and lays out the states.
func (p *Planner) prepare(m Market, t *Task, now time.Duration) error {
	if err := t.Validate(); err != nil {
		return err
	}
	if err := m.Chain.Validate(); err != nil {
		return err
	}
	if err := m.Spot.Validate(); err != nil {
		return err
	}
	if err := m.Meter.Validate(); err != nil {
		return err
	}
	block := m.Spot.Reprice
	if block == 0 {
		block = m.Chain.Step
	}
	switch s := &m.Spot; {
	case t.Deadline <= now:
		return badInput("Task.Deadline", -1, ErrPast, "%v: want a time after %v", t.Deadline, now)
	case now < -maxSpan:
		return badInput("now", -1, ErrRange, "%v: want %v or later", now, -maxSpan)
	case m.OnDemand < 0:
		return badInput("Market.OnDemand", -1, ErrRange, "%v: want 0 or more", m.OnDemand)
	case !(m.Reclaim >= 0 && m.Reclaim < 1):
		return badInput("Market.Reclaim", -1, ErrRange, "a probability of %v: want 0 or more and less than 1", m.Reclaim)
	case block%m.Chain.Step != 0:
		return badInput("Market.Spot", -1, ErrRange, "its price holds for %v: want a multiple of the step of the chain, %v", block, m.Chain.Step)
	case block%s.Meter.Increment != 0 || s.Meter.Minimum%s.Meter.Increment != 0:
		return badInput("Market.Spot", -1, ErrRange, "a minimum of %v and a price that holds for %v: want multiples of the increment, %v", s.Meter.Minimum, block, s.Meter.Increment)
	case s.Meter.Minimum > block || s.FreeBefore > block:
		return badInput("Market.Spot", -1, ErrRange, "a minimum of %v and free time of %v: want at most %v, for which a price holds", s.Meter.Minimum, s.FreeBefore, block)
	case s.Meter.StartUp != 0:
		return badInput("Market.Spot", -1, ErrRange, "a fee of %v at the launch: want 0, the model has none", s.Meter.StartUp)
	}
	// No run on demand is longer than one with nothing saved.
	if _, err := m.Meter.Cost(m.OnDemand, t.Latency+t.Estimate); err != nil {
		return err
	}
	c := t.Checkpoints
	points, steps := int64(1), int64((t.Deadline-now)/m.Chain.Step)
	if c.Every > 0 {
		points = int64((t.Estimate-1)/c.Every) + 1
	}
	// The number of blocks without listing them: no run is longer than the first,
	// but for a restart.
	longest := int64((t.Latency+c.Restart+t.SpotRun(0))/block) + 1
	levels := len(m.Chain.Tops)
	pairs := float64(levels * (levels + 1) / 2)
	size := float64(steps+1) * float64(points) * (float64(levels) + float64(longest+1)*pairs)
	if size > maxPlan || float64(block/m.Chain.Step)*pairs > maxPlan {
		return badInput("PriceChain.Step", -1, ErrRange, "steps of %v over %v, with %d checkpoints and %d levels, make a plan that is too large: want at most %d values, by a longer step, rarer checkpoints or fewer levels",
			m.Chain.Step, t.Deadline-now, points-1, levels, maxPlan)
	}
	p.task, p.block = *t, block
	p.h = int(block / m.Chain.Step)
	p.levels = len(m.Chain.Tops)
	p.pairs = p.levels * (p.levels + 1) / 2
	p.points, p.steps = int(points), int(steps)
	own := p.m.Chain
	p.m = m
	// Decide does not read the prices, so that they need no copy.
	p.m.Chain.Tops = append(own.Tops[:0], m.Chain.Tops...)
	p.m.Chain.Move = append(own.Move[:0], m.Chain.Move...)
	p.layout()
	return nil
}

// layout lists the runs and what they need.
func (p *Planner) layout() {
	t, c := &p.task, &p.task.Checkpoints
	p.need = grow.To(p.need, p.points)
	p.demand = grow.To(p.demand, p.points)
	p.first = grow.To(p.first, p.points)
	p.runs, p.saved = p.runs[:0], p.saved[:0]
	for q := range p.points {
		saved := time.Duration(q) * c.Every
		p.need[q] = t.Latency + t.Remaining(saved)
		p.demand[q] = p.cost(p.need[q])
		p.first[q] = len(p.runs)
		if p.fromScratch(q) {
			p.first[q] = p.first[0]
			if q > 0 {
				continue
			}
		}
		r := bidRun{q: q, base: t.Latency, last: p.points - 1 - q}
		if q > 0 {
			r.base += c.Restart
		}
		r.finish = t.Latency + t.SpotRun(saved)
		for ; r.at < r.finish; r.at += p.block {
			p.runs = append(p.runs, r)
			for s := range p.h {
				p.saved = append(p.saved, p.savedAt(&r, r.at+time.Duration(s+1)*p.m.Chain.Step))
			}
			r.n++
		}
	}
	n, states := p.levels, (p.steps+1)*p.points
	p.v = grow.To(p.v, states*n)
	p.hit = grow.To(p.hit, states*p.pairs)
	p.r = grow.To(p.r, (p.steps+1)*len(p.runs)*p.pairs)
	p.x, p.y, p.end = grow.To(p.x, n), grow.To(p.y, n), grow.To(p.end, n)
}

// cost returns what an instance on demand costs for a time that is no longer than
// the longest need, which prepare has tried.
func (p *Planner) cost(d time.Duration) float64 {
	cost, err := p.m.Meter.Cost(p.m.OnDemand, d)
	if err != nil {
		panic("spot: cost on demand that does not fit")
	}
	return price(cost)
}

// fromScratch reports whether a run with q saved begins the work anew: q is 0, or reading
// the checkpoint takes longer than doing its work again.
func (p *Planner) fromScratch(q int) bool {
	return q == 0 || p.task.Remaining(time.Duration(q)*p.task.Checkpoints.Every) == p.task.Estimate
}

// savedAt returns q' when the run is that old.
func (p *Planner) savedAt(r *bidRun, age time.Duration) int {
	c := &p.task.Checkpoints
	if c.Every == 0 || age < r.base {
		return r.q
	}
	return r.q + int(min(time.Duration(r.last), (age-r.base)/(c.Every+c.Write)))
}

// survival fills alive and lost: the chain on levels 0 to b, killed by levels
// above b and by reclaims.
func (p *Planner) survival() {
	n, h := p.levels, p.h
	p.keep = math.Pow(1-p.m.Reclaim, p.m.Chain.Step.Hours())
	p.survive = grow.To(p.survive, n*n)
	for k, v := range p.m.Chain.Move {
		p.survive[k] = p.keep * v
	}
	size := p.pairs * (h + 1)
	p.alive, p.lost = grow.To(p.alive, size), grow.To(p.lost, 2*size)
	for b := range n {
		for i := range b + 1 {
			p.alive[p.at(b, i, 0)] = 1
			p.lost[p.at(b, i, 0)], p.lost[size+p.at(b, i, 0)] = 0, 0
		}
		for s := 1; s <= h; s++ {
			begin := p.billed(0, time.Duration(s)*p.m.Chain.Step, pricing.EndedByProvider)
			later := p.billed(p.block, time.Duration(s)*p.m.Chain.Step, pricing.EndedByProvider)
			for i := range b + 1 {
				sum := 0.0
				for j, w := range p.survive[i*n : i*n+b+1] {
					sum += w * p.alive[p.at(b, j, s-1)]
				}
				k := p.at(b, i, s)
				p.alive[k] = sum
				gone := p.alive[k-1] - sum
				p.lost[k] = p.lost[k-1] + gone*begin
				p.lost[size+k] = p.lost[size+k-1] + gone*later
			}
		}
	}
}

// at is the index of a pair and a step in alive and lost.
func (p *Planner) at(b, i, s int) int { return (b*(b+1)/2+i)*(p.h+1) + s }

// billed returns the hours billed for time y of a block that begins at that age.
func (p *Planner) billed(age, y time.Duration, end bool) float64 {
	return (p.m.Spot.Charged(age+y, end) - age).Hours()
}

// blockEnd says how the time of a block is up, if nothing interrupts.
type blockEnd uint8

const (
	blockCannot blockEnd = iota // it would not be safe
	blockFull
	blockFinish
	blockCut // at a checkpoint
	blockBeside
)

// unsafe returns at which age a run with that much time left at its launch would
// first be unsafe, and what is saved then. The age is that of its end if it is
// safe all along, and negative if it may not be launched.
func (p *Planner) unsafe(r *bidRun, left time.Duration) (age time.Duration, q int) {
	c := &p.task.Checkpoints
	for q = r.q; ; q++ {
		next := r.finish
		if q < r.q+r.last {
			next = r.base + time.Duration(q+1-r.q)*(c.Every+c.Write)
		}
		if safe := left - p.need[q]; safe < next || next == r.finish {
			return min(safe, r.finish), q
		}
	}
}

// span returns how long the block of a run may go with that much time left, and
// what ends it. With blockBeside it is how long it may go alone, 0 or less if a
// cluster on demand is beside it from the beginning.
func (p *Planner) span(r *bidRun, left time.Duration) (time.Duration, blockEnd) {
	c := &p.task.Checkpoints
	whole, how := p.block, blockFull
	if rest := r.finish - r.at; rest <= whole {
		whole, how = rest, blockFinish
	}
	age, q := p.unsafe(r, left+r.at)
	if age >= r.at+whole {
		return whole, how
	}
	if cut := r.base + time.Duration(q-r.q)*(c.Every+c.Write) - r.at; q > r.q && cut > 0 {
		return cut, blockCut
	}
	// A second cluster is of use if the first ends before it.
	if p.m.Beside && age >= 0 && r.finish < left+r.at {
		return age - r.at, blockBeside
	}
	return 0, blockCannot
}
