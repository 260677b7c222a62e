package elastic

import (
	"math"
	"slices"
	"sort"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// naiveWait builds the schedule of a timetable instance by instance.
func naiveWait(s *Snapshot, launch []int, stall time.Duration) time.Duration {
	up := make([][]time.Duration, len(s.Clouds)) // when each instance is free
	var order []int
	for c, cl := range s.Clouds {
		order = append(order, c)
		for _, in := range cl.Instances {
			switch in.State {
			case Idle:
				up[c] = append(up[c], s.Now)
			case Busy, Booting:
				up[c] = append(up[c], max(s.Now, in.Ready))
			}
		}
		for range launch[c] {
			up[c] = append(up[c], s.Now+cl.Boot)
		}
	}
	work := func(c *Cloud) float64 {
		return float64(c.Price) / (float64(max(1, c.Cores)) * naiveSpeed(c))
	}
	sort.SliceStable(order, func(a, b int) bool {
		c, d := &s.Clouds[order[a]], &s.Clouds[order[b]]
		return work(c) < work(d) || work(c) == work(d) && c.Price < d.Price
	})
	cur, total := s.Now, time.Duration(0)
	held := false
	for _, j := range s.Jobs {
		best, at := -1, schedule.Never
		for _, c := range order {
			slices.Sort(up[c])
			need := naiveNeed(&s.Clouds[c], j.Nodes)
			if len(up[c]) < need {
				continue
			}
			if when := max(cur, up[c][need-1]); when < at {
				best, at = c, when
			}
		}
		if best < 0 || held {
			if !held {
				cur += stall
			}
			held = true
		} else {
			cur = at
			for i := range naiveNeed(&s.Clouds[best], j.Nodes) {
				up[best][i] = cur + time.Duration(math.Ceil(float64(j.Estimate)/naiveSpeed(&s.Clouds[best])))
			}
		}
		total += cur - j.Submit
	}
	return total
}

// naiveNeed is how many instances a job of n cores takes, and naiveSpeed the speed of one.
func naiveNeed(c *Cloud, n int) (k int) {
	for ; n > 0; n -= max(1, c.Cores) {
		k++
	}
	return k
}

func naiveSpeed(c *Cloud) float64 {
	if c.Speed == 0 {
		return 1
	}
	return c.Speed
}

// naiveFront enumerates all strings of bits of all clouds, or with sums all sums
// of subsets, and compares each configuration with each.
func naiveFront(s *Snapshot, sums bool) []objectives {
	type config struct {
		cost pricing.Money
		wait time.Duration
	}
	var counts [][]int
	for _, cl := range s.Clouds {
		var of []int
		for set := range 1 << len(s.Jobs) {
			k := 0
			for i, j := range s.Jobs {
				if set>>i&1 == 1 {
					k += naiveNeed(&cl, j.Nodes)
				}
			}
			switch {
			case cl.Fixed || cl.Refused > 0 || cl.Closed:
				k = 0
			case cl.Limit != NoLimit && len(cl.Instances)+k > cl.Limit && k > 0:
				continue
			}
			if !sums || !slices.Contains(of, k) {
				of = append(of, k)
			}
		}
		if cl.Fixed {
			of = of[:1]
		}
		counts = append(counts, of)
	}
	found := map[config]bool{}
	memo := map[string]time.Duration{}
	launch := make([]int, len(s.Clouds))
	var all func(c int, cost pricing.Money)
	all = func(c int, cost pricing.Money) {
		if c == len(s.Clouds) {
			key := ""
			for _, k := range launch {
				key += string(rune(k)) + ","
			}
			w, ok := memo[key]
			if !ok {
				w = naiveWait(s, launch, 24*time.Hour)
				memo[key] = w
			}
			found[config{cost, w}] = true
			return
		}
		for _, k := range counts[c] {
			launch[c] = k
			more := cost + s.Clouds[c].Price*pricing.Money(k)
			if more > cost && more > s.Credits+s.Budget.Debt {
				continue
			}
			all(c+1, more)
		}
	}
	all(0, 0)
	var front []objectives
	for a := range found {
		dominated := false
		for b := range found {
			// [Marshall12] section III.C, conditions 1 and 2 as mended.
			one := b.cost <= a.cost && b.wait <= a.wait
			two := b.cost < a.cost || b.wait < a.wait
			dominated = dominated || one && two
		}
		if !dominated {
			front = append(front, objectives{float64(a.cost), float64(a.wait)})
		}
	}
	slices.SortFunc(front, func(a, b objectives) int {
		if a[0] < b[0] {
			return -1
		}
		return 1
	})
	return front
}

// values are a front's costs and queued times.
func values(front []configuration) []objectives {
	var v []objectives
	for _, c := range front {
		v = append(v, objectives{float64(c.cost), float64(c.wait)})
	}
	return v
}

// drawSnapshot draws a valid snapshot with so many jobs and clouds that can
// launch, jobs having up to `cores` cores.
func drawSnapshot(t *rapid.T, jobs, clouds, cores int) *Snapshot {
	s := &Snapshot{
		Now:   time.Duration(rapid.IntRange(0, 20).Draw(t, "now")) * 300 * time.Second,
		Every: 300 * time.Second,
		Budget: Budget{
			Hourly: pricing.Money(rapid.IntRange(0, 8).Draw(t, "hourly")) * pricing.Unit,
			Debt:   pricing.Money(rapid.IntRange(0, 2).Draw(t, "debt")) * pricing.Unit,
		},
		Credits: pricing.Money(rapid.IntRange(-3, 30).Draw(t, "credits")) * pricing.Unit,
	}
	fixed := rapid.Bool().Draw(t, "local")
	for i := range clouds + 1 {
		c := Cloud{
			Price: pricing.Money(rapid.IntRange(0, 3).Draw(t, "price")) * 500 * pricing.Milli,
			Limit: rapid.IntRange(1, 3*cores).Draw(t, "limit"),
			Boot:  time.Duration(rapid.IntRange(0, 2).Draw(t, "boot")) * 50 * time.Second,
		}
		if rapid.IntRange(0, 2).Draw(t, "type") == 0 && i < clouds {
			c.Cores = rapid.IntRange(0, 3).Draw(t, "cores")
			c.Speed = rapid.SampledFrom([]float64{0, .5, 1, 2}).Draw(t, "speed")
			c.Closed = rapid.IntRange(0, 3).Draw(t, "closed") == 0
		}
		have := rapid.IntRange(0, 2*cores).Draw(t, "instances")
		if i == clouds {
			if !fixed {
				continue
			}
			c.Fixed, c.Price = true, 0
		} else if c.Price > 0 && rapid.Bool().Draw(t, "unlimited") {
			c.Limit = NoLimit
		}
		for range have {
			in := Instance{ID: int64(len(c.Instances)), State: InstanceState(rapid.IntRange(0, 3).Draw(t, "state"))}
			in.Due = s.Now + time.Duration(rapid.IntRange(0, 12).Draw(t, "due"))*300*time.Second
			in.Ready = s.Now + time.Duration(rapid.IntRange(-1, 6).Draw(t, "ready"))*600*time.Second
			c.Instances = append(c.Instances, in)
		}
		s.Clouds = append(s.Clouds, c)
	}
	for i := range jobs {
		s.Jobs = append(s.Jobs, schedule.Job{
			ID: int64(i), Nodes: rapid.IntRange(1, cores).Draw(t, "nodes"),
			Submit:   s.Now - min(s.Now, time.Duration(rapid.IntRange(0, 60).Draw(t, "queued"))*time.Minute),
			Estimate: time.Duration(rapid.IntRange(0, 8).Draw(t, "estimate")) * 20 * time.Minute,
		})
	}
	// A limit that lets the widest job in, so that the snapshot is valid.
	for i := range s.Clouds {
		if c := &s.Clouds[i]; !c.Fixed && c.Limit != NoLimit {
			c.Limit = max(c.Limit, cores)
			break
		}
	}
	return s
}
