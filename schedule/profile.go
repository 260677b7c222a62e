package schedule

import (
	"math"
	"sort"
	"time"
)

// The profile: when nodes that are not free now become free, as far as is known. Nodes
// become free at the estimated ends of running jobs and when booting nodes are up.
//
// Releases lie in blocks of up to 64 sorted by (at, id, nodes), each with the sum of
// its nodes. The shadow time (when a job of n nodes will start) is found by
// whole blocks first: O(R/64 + 64) for R releases, a handful of blocks for the
// few hundred of a usual cluster. Insertion and removal find their block by
// bisection.
//
// By the invariants of every blockList there are at most R/16 + 1 blocks.

type release struct {
	at    time.Duration
	id    int64
	nodes int
}

type releases struct {
	sum  int
	n    int
	list [blockLen]release
}

type profile struct{ blockList[releases] }

// before is a total order. Booting nodes share an id, and a job may have the same id;
// then the release that the job takes out equals the release that it put in.
func (a release) before(b release) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.id != b.id {
		return a.id < b.id
	}
	return a.nodes < b.nodes
}

// find returns the block in which r lies or belongs, and the first place in it
// that is not before r.
func (p *profile) find(r release) (k, i int) {
	last := len(p.blocks) - 1
	k = sort.Search(last, func(k int) bool { return !p.blocks[k].list[p.blocks[k].n-1].before(r) })
	b := p.blocks[k]
	return k, sort.Search(b.n, func(i int) bool { return !b.list[i].before(r) })
}

func (p *profile) insert(r release) {
	if len(p.blocks) == 0 {
		b := p.open(0)
		b.sum, b.n = 0, 0
	}
	k, i := p.find(r)
	b := p.blocks[k]
	if b.n == blockLen {
		const half = blockLen / 2
		n := p.open(k + 1)
		n.sum, n.n = 0, copy(n.list[:], b.list[half:])
		b.n = half
		for _, r := range n.list[:n.n] {
			n.sum += r.nodes
		}
		b.sum -= n.sum
		if i > half {
			b, i = n, i-half
		}
	}
	copy(b.list[i+1:b.n+1], b.list[i:b.n])
	b.list[i] = r
	b.n++
	b.sum += r.nodes
}

// remove takes r out and reports whether it was there.
func (p *profile) remove(r release) bool {
	if len(p.blocks) == 0 {
		return false
	}
	k, i := p.find(r)
	b := p.blocks[k]
	if i == b.n || b.list[i] != r {
		return false
	}
	copy(b.list[i:], b.list[i+1:b.n])
	b.n--
	b.sum -= r.nodes
	if b.n == 0 {
		p.drop(k)
		return true
	}
	p.merge(k)
	p.merge(k - 1)
	return true
}

// merge makes one block of blocks k and k+1 if together they are at most half
// full.
func (p *profile) merge(k int) {
	if k < 0 || k+1 >= len(p.blocks) {
		return
	}
	b, n := p.blocks[k], p.blocks[k+1]
	if b.n+n.n > blockLen/2 {
		return
	}
	b.n += copy(b.list[b.n:], n.list[:n.n])
	b.sum += n.sum
	p.drop(k + 1)
}

// expire takes out everything that is due at now or before and returns how many
// nodes that frees.
func (p *profile) expire(now time.Duration) (nodes int) {
	for len(p.blocks) > 0 && p.blocks[0].list[0].at <= now {
		b := p.blocks[0]
		i := 0
		for i < b.n && b.list[i].at <= now {
			nodes += b.list[i].nodes
			b.sum -= b.list[i].nodes
			i++
		}
		b.n = copy(b.list[:], b.list[i:b.n])
		if b.n > 0 {
			p.merge(0)
			break
		}
		p.drop(0)
	}
	return nodes
}

// shadow returns when free nodes and those released by then first suffice for
// need, and how many more there are then; [Never] and all nodes if they never
// suffice.
func (p *profile) shadow(free, need int) (at time.Duration, extra int) {
	have := free
	k := 0
	for k < len(p.blocks) && have+p.blocks[k].sum < need {
		have += p.blocks[k].sum
		k++
	}
	if k == len(p.blocks) {
		return Never, math.MaxInt
	}
	i := 0
	for have < need {
		r := &p.blocks[k].list[i]
		have += r.nodes
		at = r.at
		i++
	}
	for ; k < len(p.blocks); k, i = k+1, 0 { // all others that come at the same time
		b := p.blocks[k]
		for ; i < b.n; i++ {
			if b.list[i].at != at {
				return at, have - need
			}
			have += b.list[i].nodes
		}
	}
	return at, have - need
}
