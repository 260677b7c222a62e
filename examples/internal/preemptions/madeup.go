package preemptions

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The made-up logs have the run times' quantiles and mean of [Duplyakin17] Table
// 1, the number of jobs and their nodes. The real logs are not to be had.
type shape struct {
	name    string
	jobs    int
	run     [5]float64 // least, quartiles and greatest, in seconds
	mean    float64    // of run, in seconds
	sizes   []size     // of jobs with more than one node
	tilt    float64    // the share of jobs with several nodes rises with their rank by run time to this power
	special int        // jobs in the queue bigmem
}

// size is the share of jobs that have a number of nodes.
type size struct {
	nodes int
	share float64
}

var shapes = []shape{
	{
		name: "htc", jobs: 11200, mean: 443.27,
		run: [5]float64{54, 84, 106, 134.25, 7140},
	},
	{
		// Over 82% of the jobs have one node, the mean is 1.42, the most 16; 26,838.58
		// node-hours are more than mean by mean: longer jobs have more nodes.
		name: "peregrine", jobs: 7275, mean: 7119.07,
		run:     [5]float64{33, 439.5, 1921, 6840.5, 85945},
		sizes:   []size{{2, .11}, {4, .037}, {8, .018}, {16, .005}},
		tilt:    1.6,
		special: 76, // section 4.4
	},
}

// Queues of the made-up logs, by number.
var queueNames = []string{"batch", "bigmem"}

const bigmem = 1

const (
	// users is how many there are. The jobs of a user have similar run times, so
	// that there is something to learn: the user follows from the job's rank by run
	// time and a normal deviation of this part of all ranks.
	users     = 60
	deviation = .1
	// overestimate is by how much half of the jobs ask for more than they need:
	// more than 19.2 times ([Duplyakin17] section 5).
	overestimate = 19.2
	maxRequest   = 48 * time.Hour
)

// quantile returns the run time at rank u of 0 to 1. Between quartiles it is
// geometric; in the last quarter it rises as the power bend of the way, which sets
// the mean.
func (s *shape) quantile(u, bend float64) float64 {
	k := min(3, int(4*u))
	way := 4*u - float64(k)
	if k == 3 {
		way = math.Pow(way, bend)
	}
	return s.run[k] * math.Pow(s.run[k+1]/s.run[k], way)
}

// runs returns the run times of n jobs, rising, at equal steps of rank from 0 to
// 1, with the bend that gives the mean.
func (s *shape) runs() []float64 {
	list := make([]float64, s.jobs)
	lo, hi := .1, 10. // the mean falls as the bend rises
	for range 50 {
		bend := (lo + hi) / 2
		sum := 0.
		for i := range list {
			list[i] = math.Round(s.quantile(float64(i)/float64(len(list)-1), bend))
			sum += list[i]
		}
		if sum/float64(len(list)) > s.mean {
			lo = bend
		} else {
			hi = bend
		}
	}
	return list
}

// make makes the jobs up, in a random order.
func (s *shape) make(random *rand.Rand) []trace.Job {
	runs := s.runs()
	jobs := make([]trace.Job, len(runs))
	for i, run := range runs {
		u := float64(i) / float64(len(runs)-1)
		j := trace.Job{Run: time.Duration(run) * time.Second, Nodes: 1, Queue: 0, Wait: -time.Second}
		// ∫ (tilt+1)·u^tilt du = 1
		p := random.Float64()
		for _, c := range s.sizes {
			if p -= c.share * (s.tilt + 1) * math.Pow(u, s.tilt); p < 0 {
				j.Nodes = c.nodes
				break
			}
		}
		over := math.Exp(2 * math.Log(overestimate) * random.Float64())
		j.Estimate = max(j.Run, min(maxRequest, time.Duration(math.Ceil(run*over/60))*time.Minute))
		at := u + deviation*random.NormFloat64()
		j.User = min(users-1, max(0, int(at*users)))
		jobs[i] = j
	}
	random.Shuffle(len(jobs), func(a, b int) { jobs[a], jobs[b] = jobs[b], jobs[a] })
	// Those of bigmem are the middle ones of as many equal strata of jobs by node-time:
	// what priorities save is nearly all of a few large jobs, so that of jobs drawn at
	// random the seed would decide it. With seeds 1 to 10, -grace 120s, pap+ then saves
	// them 56 to 97% (drawn at random, 9 to 96).
	byTime := make([]int, len(jobs))
	for i := range byTime {
		byTime[i] = i
	}
	nodeTime := func(i int) time.Duration { return jobs[i].Run * time.Duration(jobs[i].Nodes) }
	slices.SortStableFunc(byTime, func(a, b int) int { return cmp.Compare(nodeTime(a), nodeTime(b)) })
	for k := range s.special {
		jobs[byTime[(2*k+1)*len(jobs)/(2*s.special)]].Queue = bigmem
	}
	for i := range jobs {
		jobs[i].ID = int64(i + 1)
	}
	return jobs
}
