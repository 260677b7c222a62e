package elastic

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// The genetic algorithm of MCOP ([Marshall12] section III.C), one run for each cloud. It
// minimises the weighted sum of cost and queued time over the sets of waiting jobs that
// get instances in this cloud, as if nothing were launched elsewhere.
//
// An individual is a string of bits, one for each waiting job. A bit is 1 if instances are
// launched for the job. The jobs with a 1 get instances in the queue's order, and a job that
// the cloud has no room for is passed over. So every individual is feasible. Its cost and
// queued time depend only on its number of instances.
//
// There are 30 individuals: all zeros, all ones, and 28 with fair random bits. Each of 20
// generations keeps the best individual and replaces the others by children. Each parent is
// the winner of a tournament of two. Two parents are crossed at one point with probability
// .8, and each bit is flipped with probability .031. Cost and time are scaled to the range
// that the population has.
//
// The paper leaves open how parents are chosen, where they are crossed, how cost
// and time are scaled and whether the best individual is kept.
//
// Invariant: k and wait are those of the bits. The breeder remembers queued times by number
// of instances, since there are far fewer numbers than strings. Time:
// O(individuals·generations·jobs), and a schedule for each distinct number.

// A breeder is the memory of the genetic algorithm.
type breeder struct {
	words    int
	bits     []uint64 // the population, words for each individual
	next     []uint64 // the next one
	k, nextK []int    // instances
	wait     []time.Duration
	nextWait []time.Duration
	fit      []float64
	seen     []time.Duration // by number of instances: its queued time, or -1
	launch   []int
	jobs     []schedule.Job
	cores    int // of an instance
	room     int
	cloud    int
	table    *timetable
}

// remembered is how many numbers of instances, from 0 on, a breeder remembers the queued
// times of.
const remembered = 1 << 14

// run breeds a population for the cloud, with room for so many instances there. It
// appends the distinct numbers of instances of the last population to dst, fittest first,
// at most so many numbers. The two extremes are always among them.
func (g *breeder) run(dst []int, t *timetable, p *MCOP, c *Cloud, cloud, clouds, room, numbers int) []int {
	n := p.population()
	g.table, g.jobs, g.cloud, g.cores, g.room = t, t.jobs, cloud, c.size(), room
	g.words = (len(g.jobs) + 63) / 64
	most := 0
	for i := range g.jobs {
		most = min(most+needOf(g.jobs[i].Nodes, g.cores), room, remembered-1)
	}
	g.seen = grow.To(g.seen, most+1)
	for k := range g.seen {
		g.seen[k] = -1
	}
	g.launch = grow.To(g.launch, clouds)
	clear(g.launch)
	g.bits, g.next = grow.To(g.bits, n*g.words), grow.To(g.next, n*g.words)
	g.k, g.nextK = grow.To(g.k, n), grow.To(g.nextK, n)
	g.wait, g.nextWait = grow.To(g.wait, n), grow.To(g.nextWait, n)
	g.fit = grow.To(g.fit, n)

	for i := range n {
		x := g.at(g.bits, i)
		for w := range x {
			switch i {
			case 0:
				x[w] = 0
			case 1:
				x[w] = ^uint64(0)
			default:
				x[w] = p.Rand.Uint64()
			}
		}
		g.k[i], g.wait[i] = g.value(x)
	}
	ones := g.k[1]
	for range p.generations() {
		g.generation(p, g.rank(c.Price, p.CostWeight))
	}
	g.rank(c.Price, p.CostWeight)
	from := len(dst)
	dst = append(dst, 0)
	if ones != 0 && numbers > 1 {
		dst = append(dst, ones)
	}
	return g.appendFittest(dst, from, numbers)
}

// generation replaces the population by its best individual and its children.
func (g *breeder) generation(p *MCOP, best int) {
	n := len(g.fit)
	mutate, crossover := threshold(p.mutation()), p.crossover()
	copy(g.at(g.next, 0), g.at(g.bits, best))
	g.nextK[0], g.nextWait[0] = g.k[best], g.wait[best]
	for i := 1; i < n; i += 2 {
		a, b := g.winner(p.Rand), g.winner(p.Rand)
		x := g.at(g.next, i)
		copy(x, g.at(g.bits, a))
		y := x[:0] // there is no second child if n is even
		if i+1 < n {
			y = g.at(g.next, i+1)
			copy(y, g.at(g.bits, b))
		}
		if p.Rand.Float64() < crossover && len(g.jobs) > 1 {
			cut := 1 + p.Rand.IntN(len(g.jobs)-1)
			cross(x, g.at(g.bits, b), cut)
			if len(y) > 0 {
				cross(y, g.at(g.bits, a), cut)
			}
		}
		flip(x, len(g.jobs), mutate, p.Rand)
		g.nextK[i], g.nextWait[i] = g.value(x)
		if len(y) > 0 {
			flip(y, len(g.jobs), mutate, p.Rand)
			g.nextK[i+1], g.nextWait[i+1] = g.value(y)
		}
	}
	g.bits, g.next = g.next, g.bits
	g.k, g.nextK = g.nextK, g.k
	g.wait, g.nextWait = g.nextWait, g.wait
}

// appendFittest appends the distinct numbers of instances of the population, fittest first,
// until dst has `most` numbers from an index on.
func (g *breeder) appendFittest(dst []int, from, most int) []int {
	for len(dst)-from < most {
		best := -1
		for i, fit := range g.fit {
			if fit >= 0 && (best < 0 || fit < g.fit[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		g.fit[best] = -1
		if !slices.Contains(dst[from:], g.k[best]) {
			dst = append(dst, g.k[best])
		}
	}
	return dst
}

func (g *breeder) at(bits []uint64, i int) []uint64 { return bits[i*g.words : (i+1)*g.words] }

// value returns an individual's number of instances and total queued time.
func (g *breeder) value(x []uint64) (int, time.Duration) {
	k := pack(x, g.jobs, g.cores, g.room)
	if k < len(g.seen) && g.seen[k] >= 0 {
		return k, g.seen[k]
	}
	g.launch[g.cloud] = k
	wait := g.table.wait(g.launch, schedule.Never)
	if k < len(g.seen) {
		g.seen[k] = wait
	}
	return k, wait
}

// rank computes the fitness of all and returns the first of the fittest.
func (g *breeder) rank(price pricing.Money, costWeight float64) int {
	var w weigher
	w.init(costWeight)
	for i, k := range g.k {
		w.see(price*pricing.Money(k), g.wait[i])
	}
	best := 0
	for i, k := range g.k {
		g.fit[i] = w.of(price*pricing.Money(k), g.wait[i])
		if g.fit[i] < g.fit[best] {
			best = i
		}
	}
	return best
}

// winner returns the fitter of two individuals drawn at random.
func (g *breeder) winner(rnd *rand.Rand) int {
	a, b := rnd.IntN(len(g.fit)), rnd.IntN(len(g.fit))
	if g.fit[b] < g.fit[a] {
		return b
	}
	return a
}

// pack returns how many instances the jobs whose bits are set need together, in order.
// Jobs that do not fit into the rest of room are left out.
func pack(x []uint64, jobs []schedule.Job, cores, room int) int {
	k := 0
	for i := range jobs {
		if x[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		if n := needOf(jobs[i].Nodes, cores); n <= room-k {
			k += n
		}
	}
	return k
}

// cross replaces the bits of x from cut on by those of y.
func cross(x, y []uint64, cut int) {
	w := cut >> 6
	low := uint64(1)<<(cut&63) - 1
	x[w] = x[w]&low | y[w]&^low
	copy(x[w+1:], y[w+1:])
}

// threshold returns the number that 32 random bits are below with probability p.
func threshold(p float64) uint64 { return uint64(p * (1 << 32)) }

// flip inverts each of the first n bits with the probability of the threshold.
func flip(x []uint64, n int, below uint64, rnd *rand.Rand) {
	for i := 0; i < n; i += 2 {
		r := rnd.Uint64()
		if r&(1<<32-1) < below {
			x[i>>6] ^= 1 << (i & 63)
		}
		if r>>32 < below && i+1 < n {
			x[i>>6] ^= 1 << ((i + 1) & 63)
		}
	}
}
