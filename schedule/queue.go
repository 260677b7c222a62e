package schedule

import (
	"math"
	"math/bits"
	"sort"
	"time"
)

// The waiting queue: jobs in the order (priority falling, submit, id).
//
// A backfilling scheduler asks the queue one question again and again. From a given place
// on, which is the first job that needs at most f nodes, and either ends within a window w
// or needs at most x nodes? Most jobs that have waited long are no answer. So a plain scan
// goes through most of the queue at every event. With 10,000 waiting jobs, a day of events
// would take quadratic time.
//
// So jobs lie in blocks of up to 64, in order, with a bit for each job that still waits.
// Each block keeps a lower bound of the estimate for each class of sizes (1, 2-3, 4-7,
// 8-15, ... nodes): within[c] is at most the least estimate among its jobs of class c or
// less. If the bounds show that a block has no answer, a scan skips the block in a few
// nanoseconds. Otherwise the scan looks at the jobs of the block. It may find no answer there,
// if a job of the class of f needs more than f nodes, or if a job has been taken: the bounds do
// not change then, and stay lower bounds. After such a look the block gets exact bounds and
// remembers the question. While f and w do not grow, and all its jobs need more than x nodes,
// there is still no answer.
//
// Invariants, beside those of every blockList: the live jobs of a block precede those of the
// next block, and bits at or above used are 0. So there are at most Q/16 + 1 blocks for Q jobs.

const sizeClasses = 20 // the last holds everything from 2^18 nodes on

type block struct {
	live     uint64
	used     int
	minNodes int
	noNodes  int           // no job of at most noNodes nodes has an estimate of
	noWithin time.Duration // at most noWithin: a scan in vain found that
	within   [sizeClasses]time.Duration
	nodes    [blockLen]int
	estimate [blockLen]time.Duration
	prio     [blockLen]float64
	jobs     [blockLen]Job
}

type queue struct {
	blockList[block]
	len   int
	nodes int // Σ nodes of the waiting jobs
}

// A place is where a job lies in the queue; it holds until the next insert or
// remove.
type place struct{ block, slot int }

func sizeClass(nodes int) int { return min(bits.Len(uint(nodes))-1, sizeClasses-1) }

func (q *queue) reset() {
	q.clear()
	q.len, q.nodes = 0, 0
}

// newBlock puts an empty block before block k.
func (q *queue) newBlock(k int) *block {
	b := q.open(k)
	b.live, b.used = 0, 0
	b.unbound()
	return b
}

func (b *block) unbound() {
	b.minNodes, b.noNodes = math.MaxInt, 0
	for c := range b.within {
		b.within[c] = Never
	}
}

func (b *block) bound(nodes int, estimate time.Duration) {
	b.minNodes = min(b.minNodes, nodes)
	if nodes <= b.noNodes && estimate <= b.noWithin {
		b.noNodes = 0
	}
	for c := sizeClass(nodes); c < sizeClasses && b.within[c] > estimate; c++ {
		b.within[c] = estimate
	}
}

// rebound makes the bounds exact.
func (b *block) rebound() {
	b.unbound()
	for m := b.live; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		b.bound(b.nodes[i], b.estimate[i])
	}
}

func (b *block) first() int { return bits.TrailingZeros64(b.live) }
func (b *block) last() int  { return 63 - bits.LeadingZeros64(b.live) }

// before reports whether (prio, j) comes before the job in slot i.
func (b *block) before(prio float64, j *Job, i int) bool {
	if prio != b.prio[i] {
		return prio > b.prio[i]
	}
	o := &b.jobs[i]
	if j.Submit != o.Submit {
		return j.Submit < o.Submit
	}
	return j.ID < o.ID
}

func (b *block) put(i int, prio float64, j *Job) {
	b.prio[i], b.nodes[i], b.estimate[i], b.jobs[i] = prio, j.Nodes, j.Estimate, *j
	b.live |= 1 << i
	b.bound(j.Nodes, j.Estimate)
}

func (b *block) move(to int, from *block, i int) {
	b.prio[to], b.nodes[to], b.estimate[to], b.jobs[to] = from.prio[i], from.nodes[i], from.estimate[i], from.jobs[i]
}

// compact closes the gaps that taken jobs left.
func (b *block) compact() {
	n := 0
	for m := b.live; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if i != n {
			b.move(n, b, i)
		}
		n++
	}
	b.used = n
	b.live = lowBits(n)
}

func lowBits(n int) uint64 {
	if n >= 64 {
		return math.MaxUint64
	}
	return 1<<n - 1
}

// insert puts a job in its place and returns it.
func (q *queue) insert(prio float64, j *Job) place {
	q.len++
	q.nodes += j.Nodes
	k := len(q.blocks) - 1
	if k < 0 {
		b := q.newBlock(0)
		b.put(0, prio, j)
		b.used = 1
		return place{0, 0}
	}
	if q.blocks[k].before(prio, j, q.blocks[k].first()) {
		behind := q.blocks[1:]
		k = sort.Search(len(behind), func(i int) bool {
			return behind[i].before(prio, j, behind[i].first())
		})
	}
	b := q.blocks[k]
	if !b.before(prio, j, b.last()) { // the usual case: behind all others
		i := b.last() + 1
		if i == blockLen && b.live != math.MaxUint64 {
			b.compact()
			i = b.used
		}
		if i < blockLen {
			b.put(i, prio, j)
			b.used = i + 1
			return place{k, i}
		}
		if k == len(q.blocks)-1 {
			n := q.newBlock(k + 1)
			n.put(0, prio, j)
			n.used = 1
			return place{k + 1, 0}
		}
	}
	b.compact()
	if b.used == blockLen {
		q.split(k)
		if !q.blocks[k+1].before(prio, j, 0) {
			k++
		}
		b = q.blocks[k]
	}
	i := b.used
	for ; i > 0 && b.before(prio, j, i-1); i-- {
		b.move(i, b, i-1)
	}
	b.used++
	b.live = lowBits(b.used)
	b.put(i, prio, j)
	return place{k, i}
}

// split makes two half-full blocks of a full one.
func (q *queue) split(k int) {
	b, n := q.blocks[k], q.newBlock(k+1)
	const half = blockLen / 2
	for i := half; i < blockLen; i++ {
		n.move(i-half, b, i)
	}
	b.used, n.used = half, half
	b.live, n.live = lowBits(half), lowBits(half)
	b.rebound()
	n.rebound()
}

// job returns the job at a place.
func (q *queue) job(p place) *Job { return &q.blocks[p.block].jobs[p.slot] }

// top returns the place of the first job of a queue that is not empty.
func (q *queue) top() place { return place{0, q.blocks[0].first()} }

// find returns the place of the job with an id.
func (q *queue) find(id int64) (place, bool) {
	for k, b := range q.blocks {
		for m := b.live; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m); b.jobs[i].ID == id {
				return place{k, i}, true
			}
		}
	}
	return place{}, false
}

// remove takes the job at place p out of the queue, and returns the place from which a scan of the
// jobs behind it goes on.
//
// The queue is a list of blocks of up to 64 jobs. Invariant: two neighbouring blocks together hold
// more than half a block. The block of p loses a job, so remove merges it with a neighbour if the
// two now hold half a block or less. If the block of p becomes empty, remove drops it, and its two
// neighbours become neighbours of each other. They keep the invariant: the block of p held one job,
// so each of them holds at least half a block.
func (q *queue) remove(p place) place {
	b := q.blocks[p.block]
	q.len--
	q.nodes -= b.nodes[p.slot]
	b.live &^= 1 << p.slot
	if b.live == 0 {
		q.drop(p.block)
		return place{p.block, 0}
	}
	next := place{p.block, p.slot + 1}
	if q.sparse(p.block) {
		next.slot = bits.OnesCount64(b.live & lowBits(next.slot))
		q.merge(p.block)
	}
	if q.sparse(p.block - 1) {
		before := bits.OnesCount64(q.blocks[p.block-1].live)
		next = place{p.block - 1, before + bits.OnesCount64(b.live&lowBits(next.slot))}
		q.merge(p.block - 1)
	}
	return next
}

// sparse reports whether blocks k and k+1 are at most half full together.
func (q *queue) sparse(k int) bool {
	return k >= 0 && k+1 < len(q.blocks) &&
		bits.OnesCount64(q.blocks[k].live)+bits.OnesCount64(q.blocks[k+1].live) <= blockLen/2
}

// merge moves the jobs of block k+1 into block k and closes the gaps there.
func (q *queue) merge(k int) {
	b, n := q.blocks[k], q.blocks[k+1]
	b.compact()
	for m := n.live; m != 0; m &= m - 1 {
		b.move(b.used, n, bits.TrailingZeros64(m))
		b.used++
	}
	b.live = lowBits(b.used)
	b.rebound()
	q.drop(k + 1)
}

// next returns the first job from p on that needs at most free nodes, and that has an
// estimate of at most window or needs at most extra nodes.
func (q *queue) next(p place, free int, window time.Duration, extra int) (place, bool) {
	if free <= 0 {
		return p, false
	}
	extra = min(extra, free)
	c := sizeClass(free)
	from := p.slot
	for k := p.block; k < len(q.blocks); k++ {
		b := q.blocks[k]
		if b.minNodes > extra && (b.within[c] > window || free <= b.noNodes && window <= b.noWithin) {
			from = 0
			continue
		}
		for m := b.live &^ lowBits(from); m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if n := b.nodes[i]; n <= free && (n <= extra || b.estimate[i] <= window) {
				return place{k, i}, true
			}
		}
		if from == 0 {
			b.rebound()
			b.noNodes, b.noWithin = free, window
		}
		from = 0
	}
	return p, false
}

// appendAll appends the waiting jobs in order.
func (q *queue) appendAll(dst []Job) []Job {
	for _, b := range q.blocks {
		for m := b.live; m != 0; m &= m - 1 {
			dst = append(dst, b.jobs[bits.TrailingZeros64(m)])
		}
	}
	return dst
}
