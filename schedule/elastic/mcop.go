package elastic

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// MCOP is the multi-cloud optimisation policy ([Marshall12] section III.C). MCOP minimises
// two values at once: the cost of the launches, and the total queued time of the waiting
// jobs.
//
// A configuration gives each cloud a set of waiting jobs, and launches as many instances
// there as these jobs have cores. The cost of a configuration is the price of the first
// hours. Its queued time is that of a schedule of the whole queue on all instances (see
// timetable.go). A [Search] finds configurations within limits and credits. The
// configurations that no other dominates form the front, and [Choose] takes one of the
// front. Among configurations of equal cost and time, MCOP takes each with equal chances.
// MCOP then terminates the idle instances that would be charged before the next evaluation
// and that the chosen schedule does not use. After a refusal MCOP waits for the next
// evaluation.
//
// The zero value, with a source of randomness, minimises queued time alone. No bound is
// known on the distance of a heuristic search from the true front; the package comment has
// measurements. No bound is known on how long a job waits either. Suppose that the front has
// two points: no launch, and one launch. Values are scaled, so a weight of cost of at least
// one half then takes no launch, however long the job has waited. Time: see the search.
type MCOP struct {
	// CostWeight is the weight of the cost, in [0, 1]; the queued time has the
	// rest. MCOP-20-80 is 0.2 and MCOP-80-20 is 0.8.
	CostWeight float64
	Rand       *rand.Rand // needed
	Search     Search
	KeepFree   bool // keep idle instances of clouds without a price

	// Of the Genetic search; zero values stand for the paper's, in brackets.
	Population  int     // individuals for each cloud, 3 to 2¹⁶ (30)
	Generations int     // (20)
	Mutation    float64 // probability for each bit (.031)
	Crossover   float64 // probability for each pair (.8)

	// Combinations is the most configurations that are compared at the end. Of
	// each of C clouds the best ⌊Combinations^(1/C)⌋ distinct numbers of
	// instances are combined with those of the others, none and all always among
	// them. Where that is less than two, the dearest clouds are left out: of
	// more than 13 clouds that have room the cheapest 13 are asked. 0 stands for
	// 10,000, which is all of them for two clouds and 21 each for three. The
	// paper says "a subset".
	Combinations int
	// Stall is how long a job that no infrastructure could hold in a
	// configuration is counted as held up, and all behind it with it. 0 stands
	// for 24 hours.
	Stall time.Duration

	draft   Draft
	table   timetable
	front   front
	breeder breeder
	sums    subsetSums
	nsga    nsga2[uint64]
	genome  genome
	clouds  []int // that have room, cheapest first
	lists   [][]int
	numbers []int // what lists refer to
	launch  []int
	size    struct{ population, generations int } // of NSGA-II; for benchmarks
}

// A Search says how [MCOP] looks for configurations.
type Search uint8

const (
	// Genetic is the search of the paper: a genetic algorithm for each cloud by
	// itself, then the cross product of what they end with. See ga.go.
	Genetic Search = iota
	// Evolved is NSGA-II over the strings of all clouds at once, with 60
	// individuals and 40 generations: the front of all that it has evaluated.
	Evolved
	// Exact is the whole front, by enumeration, for queues of up to exactJobs
	// jobs with up to exactConfigurations configurations, and Evolved for
	// others. See exactfront.go.
	Exact
)

var searches = enum.New[Search]("elastic", "Search", ErrRange, "genetic", "evolved", "exact")

// String returns "genetic", "evolved" or "exact", and Search(7) for a value 7 that is none of
// the constants.
func (m Search) String() string { return searches.String(m) }

// MarshalText returns the String form. The error is an [*InputError] for a value
// that is none of the constants.
func (m Search) MarshalText() ([]byte, error) { return searches.MarshalText(m) }

// UnmarshalText reads the String form. The error is an [*InputError].
func (m *Search) UnmarshalText(text []byte) error { return searches.UnmarshalText(m, text) }

// String returns "MCOP-20-80" for a weight of 0.2, and so on.
func (p *MCOP) String() string {
	return fmt.Sprintf("MCOP-%.0f-%.0f", 100*p.CostWeight, 100-100*p.CostWeight)
}

// Validate returns an [*InputError] that unwraps to [ErrRange] if the policy
// cannot work with its settings.
func (p *MCOP) Validate() error {
	switch {
	case !(p.CostWeight >= 0 && p.CostWeight <= 1):
		return badInput("MCOP.CostWeight", -1, ErrRange, "%v: want a weight between 0 and 1", p.CostWeight)
	case p.Rand == nil:
		return badInput("MCOP.Rand", -1, ErrRange, "no source of randomness: want such as rand.New(rand.NewPCG(1, 2))")
	case !searches.Valid(p.Search):
		return badInput("MCOP.Search", -1, ErrRange, "%v: want Genetic, Evolved or Exact", p.Search)
	case p.Population != 0 && p.Population < 3 || p.Population > maxPopulation:
		return badInput("MCOP.Population", -1, ErrRange, "%d individuals: want 3 to %d, or 0 for 30", p.Population, maxPopulation)
	case p.Generations < 0:
		return badInput("MCOP.Generations", -1, ErrRange, "%d: want 1 or more, or 0 for 20", p.Generations)
	case !(p.Mutation >= 0 && p.Mutation <= 1):
		return badInput("MCOP.Mutation", -1, ErrRange, "%v: want a probability, or 0 for 0.031", p.Mutation)
	case !(p.Crossover >= 0 && p.Crossover <= 1):
		return badInput("MCOP.Crossover", -1, ErrRange, "%v: want a probability, or 0 for 0.8", p.Crossover)
	case p.Combinations < 0:
		return badInput("MCOP.Combinations", -1, ErrRange, "%d: want 1 or more, or 0 for 10,000", p.Combinations)
	case p.Stall < 0:
		return badInput("MCOP.Stall", -1, ErrRange, "%v: want more than 0, or 0 for 24h", p.Stall)
	}
	return nil
}

// maxPopulation bounds the memory for the individuals of a cloud.
const maxPopulation = 1 << 16

func (p *MCOP) population() int    { return orInt(p.Population, 30) }
func (p *MCOP) generations() int   { return orInt(p.Generations, 20) }
func (p *MCOP) combinations() int  { return orInt(p.Combinations, 10_000) }
func (p *MCOP) mutation() float64  { return orFloat(p.Mutation, .031) }
func (p *MCOP) crossover() float64 { return orFloat(p.Crossover, .8) }

func orInt(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}

func orFloat(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}

// The size of the Evolved search: about as many individuals as the genetic
// algorithm evaluates for three clouds with 10,000 combinations, a fourth of
// that.
const (
	evolvedPopulation  = 60
	evolvedGenerations = 40
)

// Rests reports whether nothing waits and there is no instance to give back. See [Policy].
func (p *MCOP) Rests(s *Snapshot) bool { return nothingToDo(s, p.KeepFree) }

// AppendActions implements [Policy]. It panics if a setting is out of range, as
// Validate tells.
func (p *MCOP) AppendActions(dst []Action, s *Snapshot) []Action {
	if s.Again {
		return dst
	}
	p.explore(s)
	d := &p.draft // reset by explore
	d.dst = dst
	if len(s.Jobs) > 0 {
		best := p.choose()
		chosen := p.front.at(best)
		for _, c := range p.clouds {
			d.Launch(c, chosen.Launch[c], BestTrade)
		}
		// What the schedule has a use for stays.
		p.table.wait(chosen.Launch, schedule.Never)
		for c := range s.Clouds {
			if spare := d.Spare(c); p.table.low[c] < spare {
				d.Take(c, spare-p.table.low[c])
			}
		}
	}
	d.TerminateDue(p.KeepFree, ChargeDue)
	return d.Actions()
}

// choose returns the entry of the front that Choose would take.
func (p *MCOP) choose() int {
	var w weigher
	w.init(p.CostWeight)
	for _, e := range p.front.entries {
		w.see(e.cost, e.wait)
	}
	best, least := 0, math.Inf(1)
	for i, e := range p.front.entries {
		if v := w.of(e.cost, e.wait); v < least { // entries rise in cost
			best, least = i, v
		}
	}
	return best
}

// AppendFront appends to dst the configurations that the policy chooses from, sorted by
// cost: those that no other configuration found dominates. Of configurations with equal cost
// and queued time there is one. Their Launch fields are valid until the next call of a
// method. AppendFront panics as AppendActions does.
func (p *MCOP) AppendFront(dst []Configuration, s *Snapshot) []Configuration {
	p.explore(s)
	for i := range p.front.entries {
		dst = append(dst, p.front.at(i))
	}
	return dst
}

// explore fills the front.
func (p *MCOP) explore(s *Snapshot) {
	if err := p.invalid(); err != "" {
		panic(err)
	}
	d := &p.draft
	d.Reset(nil, s)
	p.front.reset(len(s.Clouds))
	if len(s.Jobs) == 0 {
		return
	}
	p.table.reset(s, d.all, cmp.Or(p.Stall, 24*time.Hour))
	if s.Budget.Covered { // credits are needed for as long as any of the jobs may run
		slowest := 1.
		for i := range s.Clouds {
			slowest = min(slowest, s.Clouds[i].speed())
		}
		for i := range s.Jobs {
			d.hours = max(d.hours, 1+int64(instanceHours(1, lastsAt(s.Jobs[i].Estimate, slowest))))
		}
	}
	p.clouds = p.clouds[:0]
	for _, c := range d.Cheapest() {
		if d.Room(c) > 0 {
			p.clouds = append(p.clouds, c)
		}
	}
	p.launch = grow.To(p.launch, len(s.Clouds))
	p.lists, p.numbers = p.lists[:0], p.numbers[:0]
	search := p.Search
	if search == Exact && !p.enumerate(s) {
		search = Evolved
	}
	switch search {
	case Genetic:
		p.breed(s)
	case Evolved:
		p.evolve(s)
		return
	}
	p.table.search(&p.front, s, p.clouds, p.lists, d.forLaunches(), p.launch, p.Rand)
}

// invalid is Validate without an error to build.
func (p *MCOP) invalid() string {
	if p.Rand == nil {
		return "elastic: MCOP without a source of randomness"
	}
	if !(p.CostWeight >= 0 && p.CostWeight <= 1) || !searches.Valid(p.Search) ||
		p.Population != 0 && p.Population < 3 || p.Population > maxPopulation || p.Generations < 0 || p.Combinations < 0 || p.Stall < 0 ||
		!(p.Mutation >= 0 && p.Mutation <= 1) || !(p.Crossover >= 0 && p.Crossover <= 1) {
		return "elastic: MCOP with a setting out of range"
	}
	return ""
}

// enumerate makes the lists of all subset sums, and reports whether queue and
// cross product are short enough.
func (p *MCOP) enumerate(s *Snapshot) bool {
	if len(s.Jobs) > exactJobs {
		return false
	}
	most := exactConfigurations
	for range p.clouds {
		p.lists = append(p.lists, nil)
	}
	for i, c := range p.clouds {
		from := len(p.numbers)
		var ok bool
		if p.numbers, ok = p.sums.appendTo(p.numbers, s.Jobs, s.Clouds[c].size(), p.draft.Room(c), most); !ok {
			return false
		}
		most /= len(p.numbers) - from
		p.lists[i] = p.numbers[from:len(p.numbers):len(p.numbers)]
	}
	return true
}

// breed makes the lists of what the genetic algorithms end with.
func (p *MCOP) breed(s *Snapshot) {
	for power(2, len(p.clouds)) > p.combinations() {
		p.clouds = p.clouds[:len(p.clouds)-1]
	}
	most := 2
	for len(p.clouds) > 0 && power(most+1, len(p.clouds)) <= p.combinations() && most <= p.population() {
		most++
	}
	for range p.clouds {
		p.lists = append(p.lists, nil)
	}
	for i, c := range p.clouds {
		from := len(p.numbers)
		p.numbers = p.breeder.run(p.numbers, &p.table, p, &s.Clouds[c], c, len(s.Clouds), p.draft.Room(c), most)
		list := p.numbers[from:len(p.numbers):len(p.numbers)]
		slices.Sort(list)
		p.lists[i] = list
	}
}

// power returns b to the power of n, or the largest int.
func power(b, n int) int {
	v := 1
	for range n {
		if v > math.MaxInt/b {
			return math.MaxInt
		}
		v *= b
	}
	return v
}

// evolve fills the front with what NSGA-II evaluates.
func (p *MCOP) evolve(s *Snapshot) {
	clear(p.launch)
	if len(p.clouds) == 0 {
		p.front.add(0, p.table.wait(p.launch, schedule.Never), p.launch, p.Rand)
		return
	}
	words := (len(s.Jobs) + 63) / 64
	p.genome = genome{p: p, s: s, words: words, left: p.draft.forLaunches(),
		mutation: threshold(1 / float64(len(s.Jobs)))}
	p.nsga.Population, p.nsga.Generations = orInt(p.size.population, evolvedPopulation), orInt(p.size.generations, evolvedGenerations)
	p.nsga.Run(&p.genome, p.Rand)
}

// A genome is MCOP's problem for NSGA-II: the bits of all clouds one after the
// other. Clouds are packed from the cheapest on, with the credits that the ones
// before have left, so that every individual is feasible.
type genome struct {
	p        *MCOP
	s        *Snapshot
	words    int // of a cloud
	left     pricing.Money
	mutation uint64 // threshold: one bit of a string on average
}

func (b *genome) Genes() int { return b.words * len(b.p.clouds) }

// Fill makes the first individual empty and the second full. The others have random
// shares of ones, so that they spread over the numbers of instances: with fair bits
// nearly all would have half of the queue.
func (b *genome) Fill(x []uint64, i int, rnd *rand.Rand) {
	clear(x)
	switch i {
	case 0:
		return
	case 1:
		for w := range x {
			x[w] = ^uint64(0)
		}
		return
	}
	for c := range b.p.clouds {
		flip(x[c*b.words:(c+1)*b.words], len(b.s.Jobs), threshold(rnd.Float64()), rnd)
	}
}

// Vary crosses each cloud's strings at two points with probability .9 and flips
// one bit of each on average. Two in ten strings are exchanged whole.
func (b *genome) Vary(x, y []uint64, rnd *rand.Rand) {
	n := len(b.s.Jobs)
	for c := range b.p.clouds {
		u, v := x[c*b.words:(c+1)*b.words], y[c*b.words:(c+1)*b.words]
		switch r := rnd.IntN(10); {
		case r < 7 && n > 1:
			swapTail(u, v, 1+rnd.IntN(n-1))
			swapTail(u, v, 1+rnd.IntN(n-1))
		case r < 9:
			swapTail(u, v, 0)
		}
		flip(u, n, b.mutation, rnd)
		flip(v, n, b.mutation, rnd)
	}
}

// swapTail exchanges the bits of x and y from cut on.
func swapTail(x, y []uint64, cut int) {
	w := cut >> 6
	d := (x[w] ^ y[w]) &^ (uint64(1)<<(cut&63) - 1)
	x[w] ^= d
	y[w] ^= d
	for w++; w < len(x); w++ {
		x[w], y[w] = y[w], x[w]
	}
}

// Evaluate returns cost and queued time, and offers the configuration to the
// front.
func (b *genome) Evaluate(x []uint64) objectives {
	p := b.p
	cost := pricing.Money(0)
	for i, c := range p.clouds {
		room := p.draft.Room(c)
		price := b.s.Clouds[c].Price
		if price > 0 {
			room = int(min(int64(room), int64((b.left-cost)/price)))
		}
		k := pack(x[i*b.words:(i+1)*b.words], b.s.Jobs, b.s.Clouds[c].size(), room)
		p.launch[c] = k
		cost += price * pricing.Money(k)
	}
	wait := p.table.wait(p.launch, schedule.Never)
	p.front.add(cost, wait, p.launch, p.Rand)
	return objectives{float64(cost), float64(wait)}
}
