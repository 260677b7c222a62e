package schedule

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// check fails the test if an invariant of the queue does not hold.
func (q *queue) check(t *testing.T) {
	t.Helper()
	var jobs, nodes int
	for k, b := range q.blocks {
		live := bits.OnesCount64(b.live)
		if live == 0 {
			t.Fatalf("block %d is empty", k)
		}
		if b.live&^lowBits(b.used) != 0 {
			t.Fatalf("block %d has bits %x and uses %d", k, b.live, b.used)
		}
		if k > 0 {
			if before := bits.OnesCount64(q.blocks[k-1].live); before+live <= blockLen/2 {
				t.Fatalf("blocks %d and %d hold %d and %d jobs", k-1, k, before, live)
			}
		}
		jobs += live
		for m := b.live; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			nodes += b.nodes[i]
			if b.nodes[i] != b.jobs[i].Nodes || b.estimate[i] != b.jobs[i].Estimate {
				t.Fatalf("block %d, slot %d: %d nodes, %v beside %+v", k, i, b.nodes[i], b.estimate[i], b.jobs[i])
			}
			if b.nodes[i] <= b.noNodes && b.estimate[i] <= b.noWithin ||
				b.minNodes > b.nodes[i] || b.within[sizeClass(b.nodes[i])] > b.estimate[i] {
				t.Fatalf("block %d, slot %d: the bounds exclude %+v", k, i, b.jobs[i])
			}
		}
		if !slices.IsSortedFunc(b.within[:], func(x, y time.Duration) int { return int(min(1, max(-1, y-x))) }) {
			t.Fatalf("block %d: bounds %v rise", k, b.within)
		}
	}
	if jobs != q.len || nodes != q.nodes {
		t.Fatalf("%d jobs of %d nodes, counted as %d of %d", jobs, nodes, q.len, q.nodes)
	}
}

// A sorted slice is the reference for the queue.
type waitingJob struct {
	Job
	prio float64
}

func orderOf(a, b waitingJob) int {
	switch {
	case a.prio != b.prio:
		return int(math.Copysign(1, b.prio-a.prio))
	case a.Submit != b.Submit:
		return int((a.Submit - b.Submit) / abs(a.Submit-b.Submit))
	}
	return int(min(1, max(-1, a.ID-b.ID)))
}

func abs(d time.Duration) time.Duration { return max(d, -d) }

// TestQueueEqualsSortedSlice goes through thousands of jobs in random order of
// priority. Removals come at random, from the front to the back and by id. So
// blocks are split, dropped, and merged with the block before or behind. The test
// counts that they are. Seeds 1 to 4.
func TestQueueEqualsSortedSlice(t *testing.T) {
	var splits, mergesAhead, mergesBack, drops, middle int
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed+1, 0))
		var q queue
		var want []waitingJob
		levels := []int{1, 3, 1000, 2}[seed]
		insert := func(id int64) {
			j := waitingJob{Job{
				ID: id, Submit: time.Duration(rnd.IntN(50)), Nodes: 1 + rnd.IntN(40),
				Estimate: time.Duration(1 + rnd.IntN(1000)),
			}, float64(rnd.IntN(levels))}
			if rnd.IntN(2000) == 0 {
				j.Nodes = 1 << 30 // beyond the last class
			}
			before := len(q.blocks)
			i, _ := slices.BinarySearchFunc(want, j, orderOf)
			want = slices.Insert(want, i, j)
			p := q.insert(j.prio, &j.Job)
			if *q.job(p) != j.Job {
				t.Fatalf("inserted %+v at the place of %+v", j.Job, *q.job(p))
			}
			if i < len(want)-1 {
				middle++
				splits += len(q.blocks) - before
			}
		}
		remove := func(i int) place {
			p, ok := q.find(want[i].ID)
			if !ok {
				t.Fatalf("no job %d", want[i].ID)
			}
			alone := bits.OnesCount64(q.blocks[p.block].live) == 1
			before, first := len(q.blocks), q.blocks[max(0, p.block-1)]
			was := bits.OnesCount64(first.live)
			next := q.remove(p)
			if len(q.blocks) < before {
				switch {
				case alone:
					drops++
				case p.block > 0 && bits.OnesCount64(first.live) > was:
					mergesBack++
				default:
					mergesAhead++
				}
			}
			want = slices.Delete(want, i, i+1)
			// The scan goes on behind the job that is gone, and at no other.
			if got, ok := q.next(next, math.MaxInt, Never, 0); ok != (i < len(want)) {
				t.Fatalf("after the removal of job %d: next %v", i, ok)
			} else if ok && *q.job(got) != want[i].Job {
				t.Fatalf("after the removal of job %d: next is %+v, want %+v", i, *q.job(got), want[i].Job)
			}
			return next
		}
		ask := func() {
			free, extra := 1+rnd.IntN(50), rnd.IntN(30)
			window := time.Duration(rnd.IntN(300))
			p, ok := q.next(place{}, free, window, extra)
			i := slices.IndexFunc(want, func(j waitingJob) bool {
				return j.Nodes <= free && (j.Estimate <= window || j.Nodes <= extra)
			})
			if ok != (i >= 0) || ok && *q.job(p) != want[i].Job {
				t.Fatalf("next(%d, %v, %d): %v, want job at %d", free, window, extra, ok, i)
			}
		}
		check := func() {
			q.check(t)
			got := q.appendAll(nil)
			if len(got) != len(want) {
				t.Fatalf("%d jobs, want %d", len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i].Job {
					t.Fatalf("job %d is %+v, want %+v", i, got[i], want[i].Job)
				}
			}
		}
		id := int64(0)
		for round := range 3 {
			for range 3000 {
				insert(id)
				id++
				if rnd.IntN(4) == 0 {
					remove(rnd.IntN(len(want)))
				}
				ask()
			}
			check()
			switch round {
			case 0: // thin out from the front, as a pass does
				for i := 0; i < len(want); {
					for n := rnd.IntN(60); n > 0 && i < len(want); n-- {
						remove(i)
					}
					i++
					ask()
				}
			case 1: // and from the back
				for i := len(want) - 1; i >= 0; i-- {
					if rnd.IntN(50) > 0 {
						remove(i)
					}
				}
			default:
				for len(want) > 0 {
					remove(rnd.IntN(len(want)))
					ask()
				}
			}
			check()
		}
		if _, ok := q.find(0); ok || q.len != 0 {
			t.Fatal("the queue is not empty")
		}
	}
	for name, n := range map[string]int{
		"splits": splits, "merges with the next": mergesAhead, "merges with the one before": mergesBack,
		"dropped blocks": drops, "insertions in the middle": middle,
	} {
		if n < 10 {
			t.Errorf("only %d %s", n, name)
		}
	}
}

// check fails the test if an invariant of the profile does not hold.
func (p *profile) check(t *testing.T) {
	t.Helper()
	for k, b := range p.blocks {
		sum := 0
		for _, r := range b.list[:b.n] {
			sum += r.nodes
		}
		if b.n == 0 || sum != b.sum {
			t.Fatalf("block %d: %d releases of %d nodes, sum %d", k, b.n, sum, b.sum)
		}
		if k > 0 && p.blocks[k-1].n+b.n <= blockLen/2 {
			t.Fatalf("blocks %d and %d hold %d and %d releases", k-1, k, p.blocks[k-1].n, b.n)
		}
	}
}

// TestProfileEqualsSortedSlice compares the profile with a sorted slice, with
// up to 2,000 releases, many at equal times. Seeds 1 to 3.
func TestProfileEqualsSortedSlice(t *testing.T) {
	most, merged := 0, 0
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed+1, 1))
		var p profile
		var want []release
		compare := func(a, b release) int {
			if a.before(b) {
				return -1
			}
			if b.before(a) {
				return 1
			}
			return 0
		}
		now := time.Duration(0)
		for step := range 12_000 {
			filling := step/2000%2 == 0
			blocks := len(p.blocks)
			switch n := rnd.IntN(20); {
			case n < 10 && filling || n < 2:
				r := release{now + time.Duration(1+rnd.IntN(400)), int64(step), 1 + rnd.IntN(9)}
				switch rnd.IntN(8) {
				case 0:
					r.id = -1 // nodes that boot: the same id again and again
				case 1:
					r.at = Never
				}
				i, _ := slices.BinarySearchFunc(want, r, compare)
				want = slices.Insert(want, i, r)
				p.insert(r)
			case n < 18 && len(want) > 0 && !filling || n < 12 && len(want) > 0:
				i := rnd.IntN(len(want))
				if !p.remove(want[i]) {
					t.Fatalf("%+v is not there", want[i])
				}
				want = slices.Delete(want, i, i+1)
				if len(p.blocks) < blocks {
					merged++
				}
			case n == 18:
				now += time.Duration(rnd.IntN(4))
				nodes := 0
				for len(want) > 0 && want[0].at <= now {
					nodes += want[0].nodes
					want = want[1:]
				}
				if got := p.expire(now); got != nodes {
					t.Fatalf("expire freed %d nodes, want %d", got, nodes)
				}
			default:
				if p.remove(release{now, -2, 1}) {
					t.Fatal("removed what was never there")
				}
			}
			p.check(t)
			most = max(most, len(want))

			// The shadow time: add up until it suffices, and all of that time.
			free := rnd.IntN(20)
			need := free + 1 + rnd.IntN(200)
			if rnd.IntN(4) == 0 {
				need = free + 1 + rnd.IntN(8000)
			}
			at, extra, have := Never, math.MaxInt, free
			for i, r := range want {
				if have += r.nodes; have >= need && (i+1 == len(want) || want[i+1].at != r.at) {
					at, extra = r.at, have-need
					break
				}
			}
			gotAt, gotExtra := p.shadow(free, need)
			if gotAt != at || gotExtra != extra {
				t.Fatalf("shadow(%d, %d) = %v, %d; want %v, %d", free, need, gotAt, gotExtra, at, extra)
			}
		}
		var got []release
		for _, b := range p.blocks {
			got = append(got, b.list[:b.n]...)
		}
		if !slices.Equal(got, want) {
			t.Fatal(cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)))
		}
	}
	if most < 600 || merged < 20 {
		t.Errorf("at most %d releases, %d blocks gone", most, merged)
	}
}

// check fails the test if an invariant of the plan does not hold.
func (p *plan) check(t *testing.T) {
	t.Helper()
	last, free := time.Duration(-1), 0
	for k, b := range p.blocks {
		if b.n == 0 {
			t.Fatalf("block %d is empty", k)
		}
		if k > 0 && p.blocks[k-1].n+b.n <= blockLen/2 {
			t.Fatalf("blocks %d and %d hold %d and %d steps", k-1, k, p.blocks[k-1].n, b.n)
		}
		least, most := math.MaxInt, math.MinInt
		for i, s := range b.steps[:b.n] {
			f := s.free + b.lift
			if s.at <= last {
				t.Fatalf("block %d, step %d: %v after %v", k, i, s.at, last)
			}
			if last >= 0 && f == free {
				t.Fatalf("block %d, step %d: no step at %v", k, i, s.at)
			}
			least, most, last, free = min(least, f), max(most, f), s.at, f
		}
		if least != b.least || most != b.most {
			t.Fatalf("block %d: bounds %d..%d, want %d..%d", k, b.least, b.most, least, most)
		}
	}
}

// A plan of more ends than a block holds, two at a time, has room for n nodes when n have come.
func TestPlanExtends(t *testing.T) {
	const ends = 5 * blockLen
	var p plan
	p.reset(0)
	for i := range ends {
		p.extend(time.Duration(1+i/2), 1)
	}
	p.rebound()
	p.check(t)
	for n := 1; n <= ends+1; n++ {
		want := time.Duration((n + 1) / 2)
		if n > ends {
			want = Never
		}
		if got := p.earliest(0, n, time.Hour, Never, Never); got != want {
			t.Fatalf("%d nodes are free from %v on, want %v", n, got, want)
		}
	}
}

// Many short reservations go one by one, from behind, from before, or at random, and the plan becomes one step.
// Its blocks merge on the way: check asks that no two neighbours are together less than half full.
func TestPlanShrinks(t *testing.T) {
	const n = 600
	backwards := make([]int, n)
	for i := range backwards {
		backwards[i] = n - 1 - i
	}
	forwards := slices.Clone(backwards)
	slices.Reverse(forwards)
	for _, order := range [][]int{backwards, forwards, rand.New(rand.NewPCG(4, 2)).Perm(n), rand.New(rand.NewPCG(5, 2)).Perm(n)} {
		var p plan
		p.reset(9)
		for i := range n {
			p.add(time.Duration(2*i), time.Duration(2*i+1), -1)
		}
		for _, i := range order {
			p.check(t)
			p.add(time.Duration(2*i), time.Duration(2*i+1), 1)
		}
		if p.check(t); len(p.blocks) != 1 || p.blocks[0].n != 1 || p.free() != 9 {
			t.Errorf("%d blocks, %d steps, %d free: want one step of 9", len(p.blocks), p.blocks[0].n, p.free())
		}
	}
}

// Bounds that rebound makes are exact: the fewest nodes, and for each class of sizes the shortest
// estimate of a job with fewer nodes than the class ends at. The last class has all jobs.
func TestBoundsAreExact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 2)) // seed 6, 2
	var q queue
	for id := range int64(40) {
		j := Job{ID: id, Estimate: time.Duration(1 + rnd.IntN(50)), Nodes: 1 + rnd.IntN(1<<(1+rnd.IntN(20)))}
		q.insert(0, &j)
	}
	b := q.blocks[0]
	for b.live != 0 {
		b.rebound()
		nodes, within := math.MaxInt, [sizeClasses]time.Duration{}
		for c := range within {
			within[c] = Never
		}
		for i := range b.used {
			if b.live>>i&1 == 0 {
				continue
			}
			nodes = min(nodes, b.nodes[i])
			for c := range within {
				if b.nodes[i] < 2<<c || c == sizeClasses-1 {
					within[c] = min(within[c], b.estimate[i])
				}
			}
		}
		if b.minNodes != nodes || b.within != within || b.noNodes != 0 {
			t.Fatalf("%d nodes at least, within %v: want %d, %v", b.minNodes, b.within, nodes, within)
		}
		b.live &= b.live - 1
	}
}

// A job behind all others takes the room that taken jobs have left in a full block, and no new block.
func TestInsertFillsGaps(t *testing.T) {
	var q queue
	for id := range int64(blockLen) {
		q.insert(0, &Job{ID: id, Estimate: 1, Nodes: 1})
	}
	for range 20 {
		q.remove(q.top())
	}
	for id := range int64(20) {
		if p := q.insert(0, &Job{ID: blockLen + id, Estimate: 1, Nodes: 1}); p != (place{0, blockLen - 20 + int(id)}) {
			t.Fatalf("job %d is at %+v", id, p)
		}
	}
	if jobs := q.appendAll(nil); len(q.blocks) != 1 || len(jobs) != blockLen || jobs[0].ID != 20 || jobs[blockLen-1].ID != blockLen+19 {
		t.Errorf("%d blocks, %d jobs", len(q.blocks), len(jobs))
	}
}
