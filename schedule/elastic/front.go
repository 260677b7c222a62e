package elastic

import (
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// A Configuration is what an elastic environment could launch now, and what
// would come of it ([Marshall12] section III.C).
type Configuration struct {
	Cost   pricing.Money // of the first hour of all that is launched
	Wait   time.Duration // total queued time of the waiting jobs, from their submission on
	Launch []int         // instances to launch in each cloud of the snapshot
}

// Dominates reports whether c is at least as good as o in both cost and queued
// time, and better in one. [Marshall12] prints the second half of its definition
// with a queued time compared to a cost; queued time with queued time is meant.
func (c Configuration) Dominates(o Configuration) bool {
	return c.Cost <= o.Cost && c.Wait <= o.Wait && (c.Cost < o.Cost || c.Wait < o.Wait)
}

// Choose returns the index of the configuration of a front with the least weighted sum of
// cost and queued time. Each value is scaled to [0, 1] over the front: 0 is the least
// value and 1 the largest. The weights are costWeight and 1 − costWeight. Of equal sums
// the one of lower cost is chosen, and of those the first. It panics if the front is
// empty or costWeight is not in [0, 1]. Time: O(n).
func Choose(front []Configuration, costWeight float64) int {
	if len(front) == 0 {
		panic("elastic: a choice from an empty front")
	}
	if !(costWeight >= 0 && costWeight <= 1) {
		panic("elastic: weight of cost outside of 0 to 1")
	}
	var w weigher
	w.init(costWeight)
	for i := range front {
		w.see(front[i].Cost, front[i].Wait)
	}
	best, least := 0, 2.0
	for i := range front {
		if v := w.of(front[i].Cost, front[i].Wait); v < least || v == least && front[i].Cost < front[best].Cost {
			best, least = i, v
		}
	}
	return best
}

// A weigher scales costs and queued times to [0, 1] over what it has seen, and
// takes their weighted sum.
type weigher struct {
	weight            float64
	lowCost, highCost pricing.Money
	shortest, longest time.Duration
	started           bool
}

func (w *weigher) init(costWeight float64) { *w = weigher{weight: costWeight} }

func (w *weigher) see(c pricing.Money, t time.Duration) {
	if !w.started {
		w.started = true
		w.lowCost, w.highCost, w.shortest, w.longest = c, c, t, t
		return
	}
	w.lowCost, w.highCost = min(w.lowCost, c), max(w.highCost, c)
	w.shortest, w.longest = min(w.shortest, t), max(w.longest, t)
}

func (w *weigher) of(c pricing.Money, t time.Duration) float64 {
	var cost, wait float64
	if w.highCost > w.lowCost {
		cost = float64(c-w.lowCost) / float64(w.highCost-w.lowCost)
	}
	if w.longest > w.shortest {
		wait = float64(t-w.shortest) / float64(w.longest-w.shortest)
	}
	// The conversions keep compilers from fusing multiplication and addition.
	return float64(w.weight*cost) + float64((1-w.weight)*wait)
}

// objectives are the values of an individual of [nsga2], to be minimised.
type objectives [2]float64

// hypervolume returns the area that points dominate within the rectangle that
// the reference point closes from above. Larger is better; it is the usual
// measure of how near an approximate front is to the true one, and how well
// spread. Points outside of the rectangle add nothing, dominated ones neither.
// The points have to be sorted by their first value; it panics if they are not.
// Time: O(n).
func hypervolume(points []objectives, ref objectives) float64 {
	area, low := 0.0, ref[1]
	for i, p := range points {
		if i > 0 && p[0] < points[i-1][0] {
			panic("elastic: points of a hypervolume out of order")
		}
		if p[0] < ref[0] && p[1] < low {
			area += (ref[0] - p[0]) * (low - p[1])
			low = p[1]
		}
	}
	return area
}

// A front is the set of the configurations seen so far that no other dominates,
// sorted by cost; so queued times fall strictly. Of those equal in both it keeps
// one, each with the same chance.
type front struct {
	clouds  int
	entries []entry
	launch  []int // of the entry in slot i: clouds numbers from i·clouds on
	unused  []int // slots
}

type entry struct {
	cost pricing.Money
	wait time.Duration
	ties int // configurations that have these two
	slot int
}

func (f *front) reset(clouds int) {
	f.clouds, f.entries, f.launch, f.unused = clouds, f.entries[:0], f.launch[:0], f.unused[:0]
}

// bound returns the queued time that a configuration of the given cost may have
// at the most not to be dominated.
func (f *front) bound(cost pricing.Money) time.Duration {
	i := sort.Search(len(f.entries), func(i int) bool { return f.entries[i].cost > cost })
	if i == 0 {
		return schedule.Never
	}
	e := f.entries[i-1]
	if e.cost < cost {
		return e.wait - 1
	}
	return e.wait
}

// add offers a configuration, of which it keeps a copy.
func (f *front) add(cost pricing.Money, wait time.Duration, launch []int, rnd *rand.Rand) {
	i := sort.Search(len(f.entries), func(i int) bool { return f.entries[i].cost >= cost })
	if i > 0 && f.entries[i-1].wait <= wait {
		return
	}
	if i < len(f.entries) && f.entries[i].cost == cost {
		switch e := &f.entries[i]; {
		case e.wait < wait:
			return
		case e.wait == wait:
			e.ties++
			if rnd.IntN(e.ties) == 0 {
				copy(f.launch[e.slot*f.clouds:], launch)
			}
			return
		}
	}
	// What the new one dominates follows it.
	k := i
	for k < len(f.entries) && f.entries[k].wait >= wait {
		f.unused = append(f.unused, f.entries[k].slot)
		k++
	}
	slot := 0
	if n := len(f.unused); n > 0 {
		slot = f.unused[n-1]
		f.unused = f.unused[:n-1]
		copy(f.launch[slot*f.clouds:], launch)
	} else {
		slot = len(f.launch) / max(1, f.clouds)
		f.launch = append(f.launch, launch...)
	}
	f.entries = slices.Replace(f.entries, i, k, entry{cost, wait, 1, slot})
}

// at returns entry i; the Launch of it is the front's.
func (f *front) at(i int) Configuration {
	e := f.entries[i]
	return Configuration{e.cost, e.wait, f.launch[e.slot*f.clouds : (e.slot+1)*f.clouds : (e.slot+1)*f.clouds]}
}

// search adds the configurations of a cross product to the front: those with
// launch[clouds[i]] in lists[i], a list of distinct numbers in rising order. It leaves
// out configurations that cost more than left, and builds few of the schedules:
//
//   - Clouds go from the dearest, outermost, to the cheapest. Along the innermost
//     the numbers fall, and the timetable's slack tells how far the schedule
//     stays the same. Where instances cost nothing all these are ties; else the
//     least number dominates the others.
//   - A schedule is given up once it waits longer than one found at no higher
//     cost.
func (t *timetable) search(f *front, s *Snapshot, clouds []int, lists [][]int, left pricing.Money, launch []int, rnd *rand.Rand) {
	clear(launch)
	if len(clouds) == 0 {
		f.add(0, t.wait(launch, schedule.Never), launch, rnd)
		return
	}
	t.level(f, s, clouds, lists, 0, max(0, left), launch, rnd)
}

// level goes through the numbers of the last of the clouds, cost being spent on
// those behind it already.
func (t *timetable) level(f *front, s *Snapshot, clouds []int, lists [][]int, cost, left pricing.Money, launch []int, rnd *rand.Rand) {
	last := len(clouds) - 1
	c, list := clouds[last], lists[last]
	price := s.Clouds[c].Price
	if last > 0 {
		for _, k := range list {
			if price > 0 && int64(k) > int64((left-cost)/price) {
				break
			}
			launch[c] = k
			t.level(f, s, clouds[:last], lists[:last], cost+price*pricing.Money(k), left, launch, rnd)
		}
		return
	}
	i := len(list) - 1
	if price > 0 {
		most := int64((left - cost) / price)
		for i >= 0 && int64(list[i]) > most {
			i--
		}
	}
	for i >= 0 {
		k := list[i]
		launch[c] = k
		bound := f.bound(cost + price*pricing.Money(list[0]))
		wait := t.wait(launch, bound)
		if wait > bound {
			i--
			continue
		}
		least := 0
		if slack := t.lowUp[c]; slack < k {
			least = k - slack
		}
		if price == 0 {
			for ; i >= 0 && list[i] >= least; i-- {
				launch[c] = list[i]
				f.add(cost, wait, launch, rnd)
			}
			continue
		}
		for i > 0 && list[i-1] >= least {
			i--
		}
		launch[c] = list[i]
		f.add(cost+price*pricing.Money(list[i]), wait, launch, rnd)
		i--
	}
	launch[c] = 0
}
