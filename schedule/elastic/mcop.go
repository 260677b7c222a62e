package elastic

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// MCOP is the multi-cloud optimisation policy ([Marshall12] section III.C). MCOP minimises two
// values at once: the cost of the launches, and the total queued time of the waiting jobs.
//
// A configuration gives each cloud a set of waiting jobs, and launches as many instances there as
// these jobs have cores. The cost of a configuration is the price of the first hour of its
// launches. The queued time of a configuration comes from a schedule of the whole queue on all
// instances (see timetable.go). A search finds configurations within limits and credits. The
// configurations that no other dominates form the front. MCOP takes the configuration of the front
// with the least weighted sum of cost and queued time, each scaled to [0, 1] over the front. Ties
// go to the cheaper configuration. Among configurations with equal cost and equal queued time, MCOP
// draws one with equal chances.
//
// MCOP then terminates the idle instances that would be charged before the next evaluation and that
// the chosen schedule does not use. After a refusal MCOP waits for the next evaluation.
//
// The zero value, with a source of randomness, minimises queued time alone and searches as the
// paper does, with a genetic algorithm for each cloud by itself (ga.go). No bound is known on the
// distance between the front that MCOP finds and the true front. No bound is known on how long a
// job waits. Suppose that the front has two points: no launch, and one launch. The scaled cost and
// time are then 0 and 1 at the first point, or 1 and 0 at the second, however long the job has
// waited. So MCOP never launches if the weight of cost is at least one half.
//
// Time: see ga.go and exactfront.go.
type MCOP struct {
	// CostWeight is the weight of the cost, in [0, 1]; the queued time has the
	// rest. MCOP-20-80 is 0.2 and MCOP-80-20 is 0.8.
	CostWeight float64
	Rand       *rand.Rand // needed
	// Exact searches queues of up to exactJobs jobs exhaustively (exactfront.go). On 1,000 hours of
	// SDSC-SP2, MCOP-20-80 with Exact pays $195, and without Exact $380. The average response time,
	// weighted by cores, is 6,745 s with Exact and 6,705 s without. The clouds of lab.csv are a
	// free cloud of 512 instances that refuses 90% of requests, and a cloud without a limit at
	// $0.085:
	//
	//	go run ./examples/tools/elastic -trace SDSC-SP2-1998-4.2-cln.swf.gz -horizon 1000h -runs 2 -policy mcop-20-80 -clouds lab.csv -search exact
	Exact    bool
	KeepFree bool // keep idle instances of clouds without a price

	// Of the genetic search; zero values stand for the paper's, in brackets.
	Population  int     // individuals for each cloud, 3 to 2¹⁶ (30)
	Generations int     // (20)
	Mutation    float64 // probability for each bit (.031)
	Crossover   float64 // probability for each pair (.8)

	draft   Draft
	table   timetable
	front   front
	breeder breeder
	sums    subsetSums
	clouds  []int // that have room, cheapest first
	lists   [][]int
	numbers []int // what lists refer to
	launch  []int
}

const (
	// combinations is the greatest number of configurations that MCOP compares at the end of the
	// genetic search. Each of C clouds gives its best numbers of instances, at most
	// ⌊combinations^(1/C)⌋ of them: 100 for two clouds, and 21 for three. No instance, and as many
	// instances as possible, are always among the numbers. MCOP compares all combinations of these
	// numbers. If more than 13 clouds have room, MCOP uses the cheapest 13, so that each cloud has
	// two numbers. The paper says only that "a subset" is compared.
	combinations = 10_000
	// stall is how long a job that no infrastructure could hold in a configuration counts as
	// held up, and all jobs behind it.
	stall = 24 * time.Hour
)

// String returns "MCOP-20-80" for a weight of 0.2, and so on.
func (p *MCOP) String() string {
	return fmt.Sprintf("MCOP-%.0f-%.0f", 100*p.CostWeight, 100-100*p.CostWeight)
}

// Validate returns a *schedule.InputError that unwraps to [ErrRange] if the policy
// cannot work with its settings.
func (p *MCOP) Validate() error {
	switch {
	case !(p.CostWeight >= 0 && p.CostWeight <= 1):
		return badInput("MCOP.CostWeight", -1, ErrRange, "%v: want a weight between 0 and 1", p.CostWeight)
	case p.Rand == nil:
		return badInput("MCOP.Rand", -1, ErrRange, "no source of randomness: want such as rand.New(rand.NewPCG(1, 2))")
	case p.Population != 0 && p.Population < 3 || p.Population > maxPopulation:
		return badInput("MCOP.Population", -1, ErrRange, "%d individuals: want 3 to %d, or 0 for 30", p.Population, maxPopulation)
	case p.Generations < 0:
		return badInput("MCOP.Generations", -1, ErrRange, "%d: want 1 or more, or 0 for 20", p.Generations)
	case !(p.Mutation >= 0 && p.Mutation <= 1):
		return badInput("MCOP.Mutation", -1, ErrRange, "%v: want a probability, or 0 for 0.031", p.Mutation)
	case !(p.Crossover >= 0 && p.Crossover <= 1):
		return badInput("MCOP.Crossover", -1, ErrRange, "%v: want a probability, or 0 for 0.8", p.Crossover)
	}
	return nil
}

// maxPopulation bounds the memory for the individuals of a cloud.
const maxPopulation = 1 << 16

func (p *MCOP) population() int    { return cmp.Or(p.Population, 30) }
func (p *MCOP) generations() int   { return cmp.Or(p.Generations, 20) }
func (p *MCOP) mutation() float64  { return cmp.Or(p.Mutation, .031) }
func (p *MCOP) crossover() float64 { return cmp.Or(p.Crossover, .8) }

// Rests reports whether nothing waits and there is no instance to give back. See [Policy].
func (p *MCOP) Rests(s *Snapshot) (pricing.Money, bool) { return nothingToDo(s, p.KeepFree) }

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
		chosen := p.front.at(p.front.choose(p.CostWeight))
		for _, c := range p.clouds {
			d.Launch(c, chosen.launch[c], bestTrade)
		}
		// What the schedule has a use for stays.
		p.table.wait(chosen.launch, schedule.Never)
		for c := range s.Clouds {
			if spare := d.Spare(c); p.table.low[c] < spare {
				d.Take(c, spare-p.table.low[c])
			}
		}
	}
	d.TerminateDue(p.KeepFree, chargeDue)
	return d.Actions()
}

// explore fills the front.
func (p *MCOP) explore(s *Snapshot) {
	if p.Validate() != nil {
		panic("elastic: MCOP with a setting out of range, or without a source of randomness")
	}
	d := &p.draft
	d.Reset(nil, s)
	p.front.reset(len(s.Clouds))
	if len(s.Jobs) == 0 {
		return
	}
	p.table.reset(s, d.all, stall)
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
	if !p.Exact || !p.enumerate(s) {
		p.lists, p.numbers = p.lists[:0], p.numbers[:0]
		p.breed(s)
	}
	p.table.search(&p.front, s, p.clouds, p.lists, d.forLaunches(), p.launch, p.Rand)
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
	for power(2, len(p.clouds)) > combinations {
		p.clouds = p.clouds[:len(p.clouds)-1]
	}
	most := 2
	for len(p.clouds) > 0 && power(most+1, len(p.clouds)) <= combinations && most <= p.population() {
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
