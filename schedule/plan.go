package schedule

import (
	"slices"
	"sort"
	"time"
)

// The plan: how many nodes are free from each time on, after running jobs, booting nodes
// and reservations. The plan begins at the last known time, and its last step has no end.
//
// Steps lie in blocks of up to 64, in the order of time. Each block has bounds of its
// steps and one number that is still to be added to all of them. So a change over a range
// of time and the search for room go by whole blocks. While no room is open, the search
// skips blocks without a step of enough nodes. While room is open, it skips blocks
// without a step of too few nodes. Both cost O(S/64 + 64) for S steps, the search 64 more
// for each block that it has to look into.
//
// Invariants, beside those of every blockList: there is at least one step. Two steps that follow
// each other differ in their free nodes, but the first step may begin late. least and most are
// exact.

type step struct {
	at   time.Duration
	free int // without the block's lift
}

type stretch struct {
	n           int
	lift        int // to be added to the free nodes of all steps
	least, most int // free nodes of any step, lift included
	steps       [blockLen]step
}

type plan struct{ blockList[stretch] }

func (p *plan) reset(free int) {
	p.clear()
	b := p.open(0)
	b.n, b.lift, b.steps[0] = 1, 0, step{0, free}
	b.bound()
}

// extend makes n more nodes free from t on. Calls come in the order of time, on a plan
// that nothing else has changed since reset, and rebound follows the last one.
func (p *plan) extend(t time.Duration, n int) {
	b := p.blocks[len(p.blocks)-1]
	last := b.steps[b.n-1]
	if last.at == t {
		b.steps[b.n-1].free += n
		return
	}
	if b.n == blockLen {
		b = p.open(len(p.blocks))
		b.n, b.lift = 0, 0
	}
	b.steps[b.n] = step{t, last.free + n}
	b.n++
}

// rebound makes the bounds of all blocks exact.
func (p *plan) rebound() {
	for _, b := range p.blocks {
		b.bound()
	}
}

// bound makes the bounds of a block exact.
func (b *stretch) bound() {
	least, most := b.steps[0].free, b.steps[0].free
	for i := 1; i < b.n; i++ {
		least, most = min(least, b.steps[i].free), max(most, b.steps[i].free)
	}
	b.least, b.most = least+b.lift, most+b.lift
}

// from returns when the plan begins, and free how many nodes are free then.
func (p *plan) from() time.Duration { return p.blocks[0].steps[0].at }
func (p *plan) free() int           { return p.blocks[0].steps[0].free + p.blocks[0].lift }

// locate returns the step that holds at a time not before the plan's beginning.
func (p *plan) locate(t time.Duration) (k, i int) {
	k = sort.Search(len(p.blocks)-1, func(k int) bool { return p.blocks[k+1].steps[0].at > t })
	b := p.blocks[k]
	return k, sort.Search(b.n-1, func(i int) bool { return b.steps[i+1].at > t })
}

// cut makes a step begin at t.
func (p *plan) cut(t time.Duration) {
	k, i := p.locate(t)
	b := p.blocks[k]
	if b.steps[i].at == t {
		return
	}
	if b.n == blockLen {
		const half = blockLen / 2
		n := p.open(k + 1)
		n.n, n.lift = copy(n.steps[:], b.steps[half:]), b.lift
		b.n = half
		b.bound()
		n.bound()
		if i >= half {
			b, i = n, i-half
		}
	}
	copy(b.steps[i+2:b.n+1], b.steps[i+1:b.n])
	b.steps[i+1] = step{t, b.steps[i].free}
	b.n++
}

// add changes the free nodes by n in [from, to), as far as the plan reaches.
func (p *plan) add(from, to time.Duration, n int) {
	from = max(from, p.from())
	if from >= to {
		return
	}
	if to != Never {
		p.cut(to)
	}
	p.cut(from)
	k, i := p.locate(from)
	for ; k < len(p.blocks) && p.blocks[k].steps[0].at < to; k, i = k+1, 0 {
		b := p.blocks[k]
		if i == 0 && b.steps[b.n-1].at < to {
			b.lift += n
			b.least += n
			b.most += n
			continue
		}
		for ; i < b.n && b.steps[i].at < to; i++ {
			b.steps[i].free += n
		}
		b.bound()
	}
	if to != Never {
		p.level(to)
	}
	p.level(from)
}

// level takes the step that begins at t away if it changes nothing.
func (p *plan) level(t time.Duration) {
	k, i := p.locate(t)
	b := p.blocks[k]
	free := b.steps[i].free + b.lift
	switch {
	case i > 0:
		if b.steps[i-1].free+b.lift != free {
			return
		}
	case k > 0:
		if o := p.blocks[k-1]; o.steps[o.n-1].free+o.lift != free {
			return
		}
	default:
		return
	}
	copy(b.steps[i:], b.steps[i+1:b.n])
	b.n--
	p.shrunk(k)
}

// shrunk mends the invariants after steps of block k are gone.
func (p *plan) shrunk(k int) {
	if p.blocks[k].n == 0 {
		p.drop(k)
		return
	}
	p.blocks[k].bound()
	p.merge(k)
	p.merge(k - 1)
}

// merge makes one block of blocks k and k+1 if together they are at most half
// full.
func (p *plan) merge(k int) {
	if k < 0 || k+1 >= len(p.blocks) {
		return
	}
	b, n := p.blocks[k], p.blocks[k+1]
	if b.n+n.n > blockLen/2 {
		return
	}
	for _, s := range n.steps[:n.n] {
		b.steps[b.n] = step{s.at, s.free + n.lift - b.lift}
		b.n++
	}
	b.least, b.most = min(b.least, n.least), max(b.most, n.most)
	p.drop(k + 1)
}

// forget drops past steps, so that the plan begins now.
func (p *plan) forget(now time.Duration) {
	if now <= p.from() {
		return
	}
	k, i := p.locate(now)
	p.spare = append(p.spare, p.blocks[:k]...)
	p.blocks = slices.Delete(p.blocks, 0, k)
	b := p.blocks[0]
	if i > 0 {
		b.n = copy(b.steps[:], b.steps[i:b.n])
		p.shrunk(0)
		b = p.blocks[0]
	}
	b.steps[0].at = now
}

// earliest returns the first time from now on at which a job can start: from that time, at least
// nodes nodes are free for the whole span. If the span goes beyond limit, the nodes need to be free
// only up to limit. The start must be before limit and before until. If there is no such start,
// earliest returns limit.
//
// To find a place for a new job, pass Never as limit. To move a reservation to an earlier time,
// pass the start of the reservation as limit: after limit, the nodes are the job's own.
func (p *plan) earliest(now time.Duration, nodes int, span, limit, until time.Duration) time.Duration {
	if now >= limit {
		return limit
	}
	start, open := limit, false
	k, i := 0, 0
	if now > p.from() {
		k, i = p.locate(now)
	}
	for ; k < len(p.blocks); k, i = k+1, 0 {
		b := p.blocks[k]
		if b.steps[0].at >= limit || !open && b.steps[0].at >= until {
			break
		}
		if open {
			if b.steps[0].at-start >= span {
				return start
			}
			if b.least >= nodes {
				continue
			}
		} else if b.most < nodes {
			continue
		}
		for need := nodes - b.lift; i < b.n; i++ {
			s := &b.steps[i]
			if s.at >= limit || open && s.at-start >= span {
				return start
			}
			if s.free < need {
				start, open = limit, false
			} else if !open {
				if s.at >= until {
					return limit
				}
				start, open = max(now, s.at), true
			}
		}
	}
	return start
}
