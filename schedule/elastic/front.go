package elastic

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

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

// A front is a set of configurations, sorted by rising cost: the configurations seen so far that no
// other configuration dominates. So queued times fall strictly along the front. One configuration
// dominates another if it is at least as good in cost and in queued time, and better in one of
// them. [Marshall12] misprints the second half of this definition: it compares a queued time with a
// cost, where it must compare two queued times. Among configurations with equal cost and equal
// queued time, the front keeps one, drawn with equal chances.
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

// A configuration is what could be launched now, and what would come of it.
type configuration struct {
	cost   pricing.Money // of the first hour of all that is launched
	wait   time.Duration // total queued time of the waiting jobs, from their submission on
	launch []int         // instances to launch in each cloud; the front's
}

// at returns entry i.
func (f *front) at(i int) configuration {
	e := f.entries[i]
	return configuration{e.cost, e.wait, f.launch[e.slot*f.clouds : (e.slot+1)*f.clouds : (e.slot+1)*f.clouds]}
}

// choose returns the entry with the least weighted sum of cost and queued time; of equal
// sums the cheapest.
func (f *front) choose(costWeight float64) int {
	var w weigher
	w.init(costWeight)
	for _, e := range f.entries {
		w.see(e.cost, e.wait)
	}
	best, least := 0, math.Inf(1)
	for i, e := range f.entries {
		if v := w.of(e.cost, e.wait); v < least {
			best, least = i, v
		}
	}
	return best
}

// search adds the configurations of a cross product to the front: all configurations in which
// launch[clouds[i]] is in lists[i], a list of distinct numbers in rising order. search leaves out
// configurations that cost more than left. search builds a schedule for only a few of the
// configurations, for two reasons:
//
//   - The outermost loop is over the dearest cloud, the innermost over the cheapest. In the
//     innermost loop the number of launches falls. The slack of the timetable says how many fewer
//     launches leave the schedule unchanged. Numbers with the same schedule have the same queued
//     time. If instances have a price, the least of these numbers dominates the others. If not, all
//     these numbers are equally good.
//   - search gives up a schedule once its queued time exceeds that of a schedule already found at
//     no higher cost.
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
