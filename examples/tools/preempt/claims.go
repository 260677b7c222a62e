package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

// A claim is a sentence of [Duplyakin17] and what came out here.
type claim struct {
	text     string // with the place in the paper
	paper    string
	measured string
	holds    bool
}

// claimGraces are the grace periods of [Duplyakin17] section 4.2.
var claimGraces = []time.Duration{time.Minute, 2 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 5 * time.Hour, 6 * time.Hour}

// Indices of claimGraces.
const (
	oneMinute   = 0
	twoMinutes  = 1
	halfAnHour  = 3
	oneHour     = 4
	sixHours    = 9
	claimKinds  = int(blind) + 1
	staleSample = 10 // every tenth state is asked about old values
)

// claimDelays are the ages of stale values.
var claimDelays = []time.Duration{0, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}

// claims judges the claims on a log.
func (o *options) judge(log *jobLog, run *cli.Run) ([]claim, error) {
	small, err := o.observe(log, run, o.nodes, o.take)
	if err != nil {
		return nil, err
	}
	large, err := o.observe(log, run, 10*o.nodes, 10*o.take)
	if err != nil {
		return nil, err
	}
	sequences, err := o.sequences(log, run)
	if err != nil {
		return nil, err
	}
	return append(o.compare(log, small, large), sequences...), nil
}

// compare judges the claims on single preemptions by what batches of o.nodes and of ten times
// as many showed.
func (o *options) compare(log *jobLog, small, large *observed) []claim {
	var list []claim
	add := func(text, paper string, holds bool, format string, args ...any) {
		list = append(list, claim{text, paper, fmt.Sprintf(format, args...), holds})
	}
	median := func(k kind, g int) float64 { return small.dist[k][g].quantile(.5) / 3600 }
	mean := func(x *observed, k kind, g int) float64 { return x.waste[k][g].Hours() / float64(max(1, x.states)) }

	add("4.3: LIFO provides significant reductions compared to FIFO and RANDOM", "median far below", median(lifo, twoMinutes) <= .5*min(median(random, twoMinutes), median(fifo, twoMinutes)),
		"median node-hours %.2f; FIFO %.2f, RANDOM %.2f, told nothing %.2f", median(lifo, twoMinutes), median(fifo, twoMinutes), median(random, twoMinutes), median(blind, twoMinutes))
	shorter := (mean(small, lifo, oneMinute) + mean(small, lifo, twoMinutes)) / 2
	longer := min(mean(small, lifo, 2), mean(small, lifo, halfAnHour))
	add("4.3 (HTC): LIFO's 60 and 120 s perform better than larger grace periods", "yes", shorter < longer, "mean %.2f node-hours, and %.2f with 20 or 30 min", shorter, longer)
	add("4.3: LIFO and PAP preempt the same nodes", "> 75% of samples", small.same > .75, "%.1f%%", 100*small.same)
	// over is a over b: 1 where both are 0.
	over := func(a, b float64) float64 {
		if a == b {
			return 1
		}
		return a / b
	}
	similar := over(mean(small, pap, twoMinutes), mean(small, lifo, twoMinutes))
	add("4.3: LIFO and PAP demonstrate similar results", "similar", math.Abs(similar-1) <= .1, "PAP wastes %.3f of what LIFO does", similar)
	bigger := over(mean(large, pap, twoMinutes), mean(large, lifo, twoMinutes))
	add(fmt.Sprintf("4.3: similar results with %d nodes, %d preempted", 10*o.nodes, 10*o.take), "similar", math.Abs(bigger-1) <= .1,
		"PAP wastes %.3f of what LIFO does, the same nodes in %.1f%%; over the least: LIFO %.3f, PAP %.3f",
		bigger, 100*large.same, over(mean(large, lifo, twoMinutes), large.least()), over(mean(large, pap, twoMinutes), large.least()))
	l, p := over(mean(small, lifo, halfAnHour), mean(small, lifo, oneMinute)), over(mean(small, pap, halfAnHour), mean(small, pap, oneMinute))
	add("4.3: up to 30 min the grace period has negligible impact", "LIFO, PAP", math.Abs(l-1) <= .05 && math.Abs(p-1) <= .05, "30 min over 1 min, means: LIFO %.3f, PAP %.3f", l, p)
	falls := true
	for g := oneHour + 1; g <= sixHours; g++ {
		falls = falls && median(fifo, g) <= median(fifo, g-1) && median(random, g) <= median(random, g-1)
	}
	add("4.3: with 1 to 6 h the medians of FIFO and RANDOM fall monotonically", "yes", falls, "FIFO %.1f to %.1f, RANDOM %.1f to %.1f node-hours",
		median(fifo, oneHour), median(fifo, sixHours), median(random, oneHour), median(random, sixHours))
	steady := func(k kind) (lo, hi float64) {
		lo, hi = math.Inf(1), 0
		for g := oneHour; g <= sixHours; g++ {
			lo, hi = min(lo, median(k, g)), max(hi, median(k, g))
		}
		return lo, hi
	}
	ll, lh := steady(lifo)
	pl, ph := steady(pap)
	add("4.3: and those of LIFO and PAP remain constant", "constant", lh <= 1.1*ll && ph <= 1.1*pl, "LIFO %.1f to %.1f, PAP %.1f to %.1f node-hours", ll, lh, pl, ph)
	plus, base := &small.high[papPlus], &small.high[pap]
	saved, others, all := 0., 0., 0.
	if b := base.Seconds(); b > 0 {
		total, totalPlus := small.waste[pap][twoMinutes].Seconds(), small.waste[papPlus][twoMinutes].Seconds()
		saved, others, all = 100*(1-plus.Seconds()/b), 100*((totalPlus-plus.Seconds())/(total-b)-1), 100*(totalPlus/total-1)
	}
	if log.important > 0 {
		add("4.4: PAP+ saves high-priority jobs", "82.9% less, others 14.3% more, all 7.5% more", saved >= 50 && all <= 7.5,
			"%.1f%% less, others %.1f%% more, all %.1f%% more (%s, %s)", saved, others, all, decimal.Int(log.important), log.which)
	}
	stale := func(k kind, d int) float64 {
		return over(small.stale[k][d].Seconds(), small.stale[random][0].Seconds())
	}
	worse := stale(lifo, 3) > stale(lifo, 1) && stale(lifo, 1) > stale(lifo, 0) && stale(pap, 3) > stale(pap, 0)
	add("4.5: with stale values LIFO and PAP degrade to RANDOM", "faster with the delay", worse && stale(lifo, 3) >= .8,
		"over RANDOM's, with values 0, 5, 30, 120 min old: LIFO %.2f, %.2f, %.2f, %.2f; PAP %.2f, %.2f, %.2f, %.2f",
		stale(lifo, 0), stale(lifo, 1), stale(lifo, 2), stale(lifo, 3), stale(pap, 0), stale(pap, 1), stale(pap, 2), stale(pap, 3))
	idle := func(g int) float64 { return small.idle[lifo][g].Hours() / float64(max(1, small.states)) }
	frozen := idle(sixHours) > 10*idle(twoMinutes) && mean(small, lifo, sixHours) > .9*mean(small, lifo, twoMinutes)
	add("4.5: large grace periods freeze nodes without reducing the waste", "of the best policies", frozen,
		"LIFO at 2 min, 30 min, 6 h: %.2f, %.2f, %.2f idle node-hours until the end, %.2f, %.2f, %.2f wasted",
		idle(twoMinutes), idle(halfAnHour), idle(sixHours), mean(small, lifo, twoMinutes), mean(small, lifo, halfAnHour), mean(small, lifo, sixHours))
	factor := log.overestimated()
	add("5: for over 50% of the jobs the request exceeds the run time by a factor", "19.2", factor >= 19.2, "%.1f", factor)
	return list
}

// overestimated returns the factor by which half of the jobs overestimate at least.
func (log *jobLog) overestimated() float64 {
	var factors []float64
	for i := range log.jobs {
		if r := log.requested[i]; r > 0 && log.jobs[i].Run > 0 {
			factors = append(factors, r.Seconds()/log.jobs[i].Run.Seconds())
		}
	}
	if len(factors) == 0 {
		return 0
	}
	slices.Sort(factors)
	return factors[len(factors)/2]
}

// An observed is what the states of a batch showed, by policy and grace period.
type observed struct {
	states int
	same   float64 // share of the states in which LIFO and PAP take the same nodes
	waste  [claimKinds][]preempt.NodeTime
	idle   [claimKinds][]preempt.NodeTime
	dist   [claimKinds][]distribution
	high   [claimKinds]preempt.NodeTime   // of important jobs, at two minutes
	stale  [claimKinds][]preempt.NodeTime // by delay, at two minutes
	exact  preempt.NodeTime               // at two minutes
}

// least returns the least mean waste, in node-hours, at two minutes.
func (x *observed) least() float64 { return x.exact.Hours() / float64(max(1, x.states)) }

// observe runs the batch and looks at each state, with so many nodes of which so many are
// taken.
func (o *options) observe(log *jobLog, run *cli.Run, nodes, take int) (*observed, error) {
	x := &observed{}
	for k := range claimKinds {
		x.waste[k] = make([]preempt.NodeTime, len(claimGraces))
		x.idle[k] = make([]preempt.NodeTime, len(claimGraces))
		x.dist[k] = make([]distribution, len(claimGraces))
		x.stale[k] = make([]preempt.NodeTime, len(claimDelays))
	}
	own := *o
	own.nodes, own.take = nodes, take
	s := &scorer{o: &own, view: newView(log), values: make([]float64, nodes),
		random: rand.New(rand.NewPCG(o.seed, 1<<32)), blind: rand.New(rand.NewPCG(o.seed, 1<<33))}
	s.view.every, s.view.cost = o.saveEvery, o.saveCost
	for k := range claimKinds {
		s.computed[k] = true
	}
	same := 0
	past := old{delays: claimDelays}
	var failed error
	var batch sim.Batch
	err := batch.Run(log.jobs, sim.BatchOptions{Nodes: nodes}, func(st *sim.BatchState) bool {
		if x.states%4096 == 0 {
			run.Showf("%s on %s: %d%% of the jobs have ended", log.name, decimal.Count(nodes, "node"), 100*st.Ended/len(log.jobs))
		}
		x.states++
		failed = s.observe(x, st, &past)
		if slices.Equal(s.taken[lifo], s.taken[pap]) {
			same++
		}
		return failed == nil
	})
	if failed != nil {
		err = failed
	}
	x.same = float64(same) / float64(max(1, x.states))
	return x, err
}

// observe looks at a state.
func (s *scorer) observe(x *observed, st *sim.BatchState, past *old) error {
	s.view.set(st)
	if err := s.rank(claimGraces[twoMinutes]); err != nil {
		return err
	}
	jobs, remaining := s.view.st.Jobs, s.view.remaining
	for k := range claimKinds {
		for g, grace := range claimGraces {
			w := preempt.SumWasted(jobs, remaining, s.hit[k], grace)
			x.waste[k][g] = x.waste[k][g].Add(w)
			x.idle[k][g] = x.idle[k][g].Add(s.idle(s.taken[k], grace))
			x.dist[k][g].add(w.Seconds())
			if g == twoMinutes {
				for _, j := range s.hit[k] {
					if jobs[j].Priority == highPriority {
						x.high[k] = x.high[k].Add(preempt.WastedCycles(jobs[j], remaining[j], grace))
					}
				}
			}
		}
	}
	s.outlast = slices.Grow(s.outlast[:0], len(jobs))[:len(jobs)]
	preempt.OutlastTo(s.outlast, remaining, claimGraces[twoMinutes])
	victims, err := s.solver.AppendVictims(s.hit[exact][:0], s.view.st, preempt.Preemption{Take: s.o.take, Grace: claimGraces[twoMinutes], Outlast: s.outlast})
	if err != nil {
		return err
	}
	s.hit[exact] = victims
	x.exact = x.exact.Add(preempt.SumWasted(jobs, remaining, victims, claimGraces[twoMinutes]))
	return past.look(s, x, st.At)
}

// An old keeps values as they were reported, for as long as the longest delay.
type old struct {
	delays []time.Duration
	at     []time.Duration
	values [][2][]float64 // of LIFO and PAP
	hit    []int
	nodes  []int
	seen   int
}

// look notes the values of a state, and counts what old ones waste there. RANDOM is the same at
// any age.
func (p *old) look(s *scorer, x *observed, now time.Duration) error {
	var v [2][]float64
	for i, policy := range [...]preempt.Policy{preempt.LIFO, preempt.PAP} {
		v[i] = make([]float64, len(s.values))
		if err := s.ranker.ValuesTo(v[i], s.view.st, policy, preempt.ValueOptions{}); err != nil {
			return err
		}
	}
	p.at, p.values = append(p.at, now), append(p.values, v)
	longest := p.delays[len(p.delays)-1]
	for len(p.at) > 1 && now-p.at[1] >= longest {
		p.at, p.values = p.at[1:], p.values[1:]
	}
	if p.seen++; now < longest || p.seen%staleSample != 0 {
		return nil
	}
	jobs, remaining, grace := s.view.st.Jobs, s.view.remaining, claimGraces[twoMinutes]
	count := func(k kind, d int, hit []int) {
		x.stale[k][d] = x.stale[k][d].Add(preempt.SumWasted(jobs, remaining, hit, grace))
	}
	count(random, 0, s.hit[random])
	for d, delay := range p.delays {
		// The latest values that are as old.
		i := len(p.at) - 1
		for i > 0 && now-p.at[i] < delay {
			i--
		}
		for which, k := range [...]kind{lifo, pap} {
			var err error
			if p.nodes, err = s.ranker.AppendLowest(p.nodes[:0], p.values[i][which], s.o.take); err != nil {
				return err
			}
			if p.hit, err = s.ranker.AppendHit(p.hit[:0], s.view.st, p.nodes); err != nil {
				return err
			}
			count(k, d, p.hit)
		}
	}
	return nil
}

// verdict says whether a claim came out.
func (c claim) verdict() string {
	if c.holds {
		return "holds"
	}
	return "does not hold"
}

// claimsText writes the claims for people.
func (all *results) claimsText(w *table.Page) {
	for i, log := range all.judged {
		if i > 0 {
			w.Printf("\n")
		}
		w.Printf("%s: the claims of [Duplyakin17], %d of %d nodes\n", title(log.name), all.options.take, all.options.nodes)
		for _, c := range log.claims {
			w.Printf("\n")
			w.Sayf("%s. Paper: %s. Here: %s. The claim %s.", c.text, c.paper, c.measured, c.verdict())
		}
	}
}

// A judgement is what came of the claims on a log.
type judgement struct {
	name   string
	claims []claim
}

// claimsRows has a row for each claim.
func (all *results) claimsRows() any {
	rows := []jsonrows.Row{}
	for _, log := range all.judged {
		for _, c := range log.claims {
			rows = append(rows, jsonrows.Row{"log", log.name, "claim", c.text, "paper", c.paper, "measured", c.measured, "holds", c.holds})
		}
	}
	return rows
}
