package duplyakin17

import (
	"fmt"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

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
	claimKinds  = int(preemptions.Blind) + 1
	staleSample = 10 // every tenth state is asked about old values
)

// claimDelays are the ages of stale values.
var claimDelays = []time.Duration{0, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}

// claims judges the claims on a log.
func (o *options) judge(log *preemptions.Log, run *cli.Run) (list []claim.Claim, beyond []string, err error) {
	small, err := o.observe(log, run, o.Nodes, o.Take)
	if err != nil {
		return nil, nil, err
	}
	large, err := o.observe(log, run, 10*o.Nodes, 10*o.Take)
	if err != nil {
		return nil, nil, err
	}
	order, sequences, err := o.sequences(log, run)
	if err != nil {
		return nil, nil, err
	}
	beyond = append(beyond, fmt.Sprintf("With %d of %d nodes the least waste is %s node-hours, LIFO's %s and PAP's %s.", large.take, large.nodes,
		decimal.Fixed(large.least(), 2), decimal.Fixed(large.mean(preemptions.LIFO, twoMinutes), 2), decimal.Fixed(large.mean(preemptions.PAP, twoMinutes), 2)), sequences)
	return append(o.compare(log, small, large), order), beyond, nil
}

// compare judges the claims on single preemptions by what batches of o.Nodes and of ten times
// as many showed.
func (o *options) compare(log *preemptions.Log, small, large *observed) []claim.Claim {
	var list []claim.Claim
	add := func(x claim.Claim) { list = append(list, x) }
	const near = .1 // "similar", "constant"
	median := func(k preemptions.Kind, g int) float64 { return small.dist[k][g].Quantile(.5) / 3600 }
	mean := (*observed).mean

	// over is a over b: 1 where both are 0.
	over := func(a, b float64) float64 {
		if a == b {
			return 1
		}
		return a / b
	}
	text := func(format string, x ...any) string { return fmt.Sprintf(format, x...) }
	l, r, f := median(preemptions.LIFO, twoMinutes), median(preemptions.Random, twoMinutes), median(preemptions.FIFO, twoMinutes)
	add(claim.Holds("4.3", "LIFO wastes far less than FIFO and RANDOM (median node-hours; bound ours: half)", text("%.2f, %.2f, %.2f", l, f, r), l <= .5*f, l <= .5*r))
	shorter := (mean(small, preemptions.LIFO, oneMinute) + mean(small, preemptions.LIFO, twoMinutes)) / 2
	longer := min(mean(small, preemptions.LIFO, 2), mean(small, preemptions.LIFO, halfAnHour))
	add(claim.Holds("4.3", "LIFO's 60 and 120 s perform better than 20 and 30 min (HTC; mean node-hours)", text("%.2f and %.2f", shorter, longer), shorter < longer))
	add(claim.Within("4.3", "LIFO and PAP preempt the same nodes, % of the states", 75, 100, 100*small.same, 100*small.same, 1))
	similar := func(what string, x *observed) {
		add(claim.Number("4.3", what, 1, over(mean(x, preemptions.PAP, twoMinutes), mean(x, preemptions.LIFO, twoMinutes)), near, 3))
	}
	similar(text("waste of PAP over LIFO's, %d of %d nodes", o.Take, o.Nodes), small)
	similar(text("waste of PAP over LIFO's, %d of %d nodes", 10*o.Take, 10*o.Nodes), large)
	for _, k := range [...]preemptions.Kind{preemptions.LIFO, preemptions.PAP} {
		add(claim.Number("4.3", text("waste of %v with 30 min over that with 1 min (negligible)", k), 1, over(mean(small, k, halfAnHour), mean(small, k, oneMinute)), .05, 3))
	}
	for _, k := range [...]preemptions.Kind{preemptions.FIFO, preemptions.Random} {
		falls := true
		for g := oneHour + 1; g <= sixHours; g++ {
			falls = falls && median(k, g) <= median(k, g-1)
		}
		add(claim.Holds("4.3", text("with 1 to 6 h the median of %v falls monotonically, node-hours", k), text("%.1f to %.1f", median(k, oneHour), median(k, sixHours)), falls))
	}
	for _, k := range [...]preemptions.Kind{preemptions.LIFO, preemptions.PAP} {
		lo, hi := math.Inf(1), 0.
		for g := oneHour; g <= sixHours; g++ {
			lo, hi = min(lo, median(k, g)), max(hi, median(k, g))
		}
		add(claim.Holds("4.3", text("with 1 to 6 h the median of %v stays constant, node-hours", k), text("%.1f to %.1f", lo, hi), hi <= (1+near)*lo))
	}
	if log.Important > 0 {
		plus, base := small.high[preemptions.PAPPlus].Seconds(), small.high[preemptions.PAP].Seconds()
		total, totalPlus := small.waste[preemptions.PAP][twoMinutes].Seconds(), small.waste[preemptions.PAPPlus][twoMinutes].Seconds()
		jobs := text("(%s, %s), %%", decimal.Int(log.Important), log.Which)
		add(claim.Number("4.4", "PAP+ saves of the waste of important jobs (bound ours: 40%) "+jobs, 82.9, 100*(1-over(plus, base)), .4, 1))
		add(claim.Within("4.4", "PAP+ wastes more of the other jobs, %", 0, 14.3, 100*(over(totalPlus-plus, total-base)-1), 100*(over(totalPlus-plus, total-base)-1), 1))
		add(claim.Within("4.4", "PAP+ wastes more in all, %", 0, 7.5, 100*(over(totalPlus, total)-1), 100*(over(totalPlus, total)-1), 1))
	}
	for _, k := range [...]preemptions.Kind{preemptions.LIFO, preemptions.PAP} {
		stale := func(d int) float64 {
			return over(small.stale[k][d].Seconds(), small.stale[preemptions.Random][0].Seconds())
		}
		add(claim.Holds("4.5", text("%v degrades to RANDOM with values that are 0, 5, 30, 120 min old (over RANDOM's)", k),
			text("%.2f, %.2f, %.2f, %.2f", stale(0), stale(1), stale(2), stale(3)), stale(3) > stale(0), stale(3) >= .8))
	}
	idle := func(g int) float64 { return small.idle[preemptions.LIFO][g].Hours() / float64(max(1, small.states)) }
	add(claim.Holds("4.5", "large grace periods freeze nodes (LIFO, idle node-hours at 2 min, 30 min, 6 h)", text("%.2f, %.2f, %.2f", idle(twoMinutes), idle(halfAnHour), idle(sixHours)), idle(sixHours) > 10*idle(twoMinutes)))
	add(claim.Holds("4.5", "large grace periods do not reduce the waste (LIFO, node-hours at 2 min, 30 min, 6 h; bound ours: 10%)", text("%.2f, %.2f, %.2f",
		mean(small, preemptions.LIFO, twoMinutes), mean(small, preemptions.LIFO, halfAnHour), mean(small, preemptions.LIFO, sixHours)),
		mean(small, preemptions.LIFO, sixHours) > .9*mean(small, preemptions.LIFO, twoMinutes)))
	factor := overestimated(log)
	add(claim.Holds("5", "half of the jobs ask for at least 19.2 times their run time", text("%.1f", factor), factor >= 19.2))
	return list
}

// overestimated returns the factor by which half of the jobs overestimate at least.
func overestimated(log *preemptions.Log) float64 {
	var factors []float64
	for i := range log.Jobs {
		if r := log.Requested[i]; r > 0 && log.Jobs[i].Run > 0 {
			factors = append(factors, r.Seconds()/log.Jobs[i].Run.Seconds())
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
	nodes, take int
	states      int
	same        float64 // share of the states in which LIFO and PAP take the same nodes
	waste       [claimKinds][]preempt.NodeTime
	idle        [claimKinds][]preempt.NodeTime
	dist        [claimKinds][]preemptions.Distribution
	high        [claimKinds]preempt.NodeTime   // of important jobs, at two minutes
	stale       [claimKinds][]preempt.NodeTime // by delay, at two minutes
	exact       preempt.NodeTime               // at two minutes
}

// mean returns the mean waste, in node-hours.
func (x *observed) mean(k preemptions.Kind, g int) float64 {
	return x.waste[k][g].Hours() / float64(max(1, x.states))
}

// least returns the least mean waste, in node-hours, at two minutes.
func (x *observed) least() float64 { return x.exact.Hours() / float64(max(1, x.states)) }

// observe runs the batch and looks at each state, with so many nodes of which so many are
// taken.
func (o *options) observe(log *preemptions.Log, run *cli.Run, nodes, take int) (*observed, error) {
	x := &observed{nodes: nodes, take: take}
	for k := range claimKinds {
		x.waste[k] = make([]preempt.NodeTime, len(claimGraces))
		x.idle[k] = make([]preempt.NodeTime, len(claimGraces))
		x.dist[k] = make([]preemptions.Distribution, len(claimGraces))
		x.stale[k] = make([]preempt.NodeTime, len(claimDelays))
	}
	own := *o
	own.Nodes, own.Take = nodes, take
	var computed [preemptions.Kinds]bool
	for k := range claimKinds {
		computed[k] = true
	}
	s := own.NewScorer(log, computed)
	var outlast []float64
	same := 0
	past := old{delays: claimDelays}
	var failed error
	batch := sim.Batch{Nodes: nodes, Every: o.Step}
	err := batch.Run(log.Jobs, func(st *sim.BatchState) bool {
		if x.states%4096 == 0 {
			run.Showf("%s on %s: %d%% of the jobs have ended", log.Name, decimal.Count(nodes, "node"), 100*st.Ended/len(log.Jobs))
		}
		x.states++
		failed = o.look(s, x, st, &past, &outlast)
		if slices.Equal(s.Taken[preemptions.LIFO], s.Taken[preemptions.PAP]) {
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

// look looks at a state.
func (o *options) look(s *preemptions.Scorer, x *observed, st *sim.BatchState, past *old, outlast *[]float64) error {
	s.View.Set(st)
	if err := s.Rank(claimGraces[twoMinutes]); err != nil {
		return err
	}
	jobs, remaining := s.View.State.Jobs, s.View.Remaining
	for k := range claimKinds {
		for g, grace := range claimGraces {
			w := preempt.SumWasted(jobs, remaining, s.Hit[k], grace)
			x.waste[k][g] = x.waste[k][g].Add(w)
			x.idle[k][g] = x.idle[k][g].Add(s.Idle(s.Taken[k], grace))
			x.dist[k][g].Add(w.Seconds())
			if g == twoMinutes {
				for _, j := range s.Hit[k] {
					if jobs[j].Priority == preemptions.HighPriority {
						x.high[k] = x.high[k].Add(preempt.WastedCycles(jobs[j], remaining[j], grace))
					}
				}
			}
		}
	}
	*outlast = slices.Grow((*outlast)[:0], len(jobs))[:len(jobs)]
	preempt.OutlastTo(*outlast, remaining, claimGraces[twoMinutes])
	victims, err := s.Solver.AppendVictims(s.Hit[preemptions.Exact][:0], s.View.State, preempt.Preemption{Take: len(s.Taken[preemptions.LIFO]), Grace: claimGraces[twoMinutes], Outlast: *outlast})
	if err != nil {
		return err
	}
	s.Hit[preemptions.Exact] = victims
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
func (p *old) look(s *preemptions.Scorer, x *observed, now time.Duration) error {
	var v [2][]float64
	for i, policy := range [...]preempt.Policy{preempt.LIFO, preempt.PAP} {
		v[i] = make([]float64, len(s.Values))
		if err := s.Ranker.ValuesTo(v[i], s.View.State, policy, preempt.ValueOptions{}); err != nil {
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
	jobs, remaining, grace := s.View.State.Jobs, s.View.Remaining, claimGraces[twoMinutes]
	count := func(k preemptions.Kind, d int, hit []int) {
		x.stale[k][d] = x.stale[k][d].Add(preempt.SumWasted(jobs, remaining, hit, grace))
	}
	count(preemptions.Random, 0, s.Hit[preemptions.Random])
	for d, delay := range p.delays {
		// The latest values that are as old.
		i := len(p.at) - 1
		for i > 0 && now-p.at[i] < delay {
			i--
		}
		for which, k := range [...]preemptions.Kind{preemptions.LIFO, preemptions.PAP} {
			var err error
			if p.nodes, err = s.Ranker.AppendLowest(p.nodes[:0], p.values[i][which], len(s.Taken[preemptions.LIFO])); err != nil {
				return err
			}
			if p.hit, err = s.Ranker.AppendHit(p.hit[:0], s.View.State, p.nodes); err != nil {
				return err
			}
			count(k, d, p.hit)
		}
	}
	return nil
}
