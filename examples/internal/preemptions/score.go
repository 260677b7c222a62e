package preemptions

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

// A Result is what was found for one log.
type Result struct {
	Log    *Log
	States int
	Length time.Duration // of the batch
	Series [Kinds][]Series
}

// A Series is the preemptions of one kind and grace period.
type Series struct {
	Tally  preempt.Tally
	Beyond preempt.NodeTime // of jobs beyond their requested time, with -overrun
	Idle   preempt.NodeTime // of nodes until the grace period ends
	Dist   Distribution
	Path   Path
}

// A Distribution counts amounts of waste in bins, 64 to a doubling, so that it
// gives quantiles within 1%.
type Distribution struct {
	counts [80 * perDoubling]uint32
	zero   int
	n      int
	Max    float64
}

const (
	perDoubling = 64
	firstBin    = (1023 - 30) * perDoubling // of 2⁻³⁰ s, about a nanosecond
)

// Add adds an amount.
func (d *Distribution) Add(x float64) {
	d.n++
	if x == 0 {
		d.zero++
		return
	}
	d.Max = max(d.Max, x)
	bin := int(math.Float64bits(x)>>(52-6)) - firstBin
	d.counts[min(len(d.counts)-1, max(0, bin))]++
}

// bounds returns the ends of a bin.
func bounds(bin int) (lo, hi float64) {
	return math.Float64frombits(uint64(bin+firstBin) << (52 - 6)), math.Float64frombits(uint64(bin+1+firstBin) << (52 - 6))
}

// Quantile returns the amount that the share q of all is not above, q < 1.
func (d *Distribution) Quantile(q float64) float64 {
	rank := int(q * float64(d.n))
	if rank < d.zero {
		return 0
	}
	rank -= d.zero
	for bin, c := range d.counts {
		if rank -= int(c); rank < 0 {
			lo, hi := bounds(bin)
			return min(d.Max, (lo+hi)/2)
		}
	}
	return d.Max
}

// Spread returns how many amounts are in each step from 0 on. A bin that reaches over several
// steps is spread over them.
func (d *Distribution) Spread(step float64, steps int) []float64 {
	list := make([]float64, steps)
	list[0] = float64(d.zero)
	for bin, c := range d.counts {
		lo, hi := bounds(bin)
		if c == 0 || lo >= step*float64(steps) {
			continue
		}
		for i := int(lo / step); i < steps && float64(i)*step < hi; i++ {
			part := (min(hi, float64(i+1)*step) - max(lo, float64(i)*step)) / (hi - lo)
			list[i] += max(0, part) * float64(c)
		}
	}
	return list
}

// A Path is waste added up over time, at up to 1,000 moments that lie equally
// many states apart.
type Path struct {
	Points []Point
	drawn  bool // for a picture
	every  int
}

// A Point is the waste up to a moment, in node-hours.
type Point struct {
	At          time.Duration
	High, Other float64
}

const maxPoints = 1000

// add adds a point, if its turn has come. step is the number of the state, from 0.
func (p *Path) add(step int, at time.Duration, t *preempt.Tally) {
	p.every = max(1, p.every)
	if step%p.every != 0 {
		return
	}
	if len(p.Points) == maxPoints { // keep every other one
		for i := range maxPoints / 2 {
			p.Points[i] = p.Points[2*i]
		}
		p.Points = p.Points[:maxPoints/2]
		if p.every *= 2; step%p.every != 0 {
			return
		}
	}
	high := t.Of(HighPriority).Hours()
	p.Points = append(p.Points, Point{at, high, t.Total().Hours() - high})
}

// A View is a state of the batch as package preempt sees it.
type View struct {
	State     preempt.State
	Remaining []time.Duration
	log       *Log
	place     []int // by job of the log
	users     []int
	saves     []preempt.Checkpoint
	every     time.Duration // of saves, 0 for none
	cost      time.Duration // of a save on request, negative for none
}

// NewView returns a view of the batch of a log.
func (o *Options) NewView(log *Log) *View {
	return &View{log: log, place: make([]int, len(log.Jobs)), every: o.SaveEvery, cost: o.SaveCost}
}

// Set sees a state.
func (v *View) Set(s *sim.BatchState) {
	v.State.Jobs, v.State.Node = v.State.Jobs[:0], v.State.Node[:0]
	v.Remaining, v.users = v.Remaining[:0], v.users[:0]
	v.saves = slices.Grow(v.saves[:0], len(s.Running))[:0]
	for k, i := range s.Running {
		j := &v.log.Jobs[i]
		elapsed := s.At - s.Starts[i]
		v.place[i] = k
		job := preempt.Job{Nodes: j.Nodes, Elapsed: elapsed, Requested: v.log.Requested[i], Priority: v.log.Priority[i]}
		if v.every > 0 || v.cost >= 0 {
			c := preempt.Checkpoint{Every: v.every, Cost: max(0, v.cost), OnRequest: v.cost >= 0}
			if v.every > 0 {
				c.Saved = elapsed / v.every * v.every
			}
			v.saves = append(v.saves, c)
			job.Checkpoint = &v.saves[k]
		}
		v.State.Jobs = append(v.State.Jobs, job)
		v.Remaining = append(v.Remaining, j.Run-elapsed)
		v.users = append(v.users, j.User)
	}
	for _, i := range s.Node {
		if i >= 0 {
			i = v.place[i]
		}
		v.State.Node = append(v.State.Node, i)
	}
}

// A Scorer asks of every state what preemptions there waste.
type Scorer struct {
	View     *View
	Ranker   preempt.Scorer
	Solver   preempt.Solver
	Taken    [Kinds][]int // nodes
	Hit      [Kinds][]int // jobs
	Values   []float64
	o        *Options
	random   *rand.Rand
	blind    *rand.Rand
	learnt   preempt.Survival
	worth    preempt.Estimates
	running  []int // at the state before
	outlast  []float64
	computed [Kinds]bool
}

// NewScorer returns a scorer of the batch of a log for the kinds given.
func (o *Options) NewScorer(log *Log, computed [Kinds]bool) *Scorer {
	return &Scorer{o: o, View: o.NewView(log), Values: make([]float64, o.Nodes), computed: computed,
		random: rand.New(rand.NewPCG(o.Seed, 1<<32)), blind: rand.New(rand.NewPCG(o.Seed, 1<<33))}
}

// Score runs the batch of a log and scores its states.
func (o *Options) Score(log *Log, run *cli.Run) (*Result, error) {
	r := &Result{Log: log}
	for k := range r.Series {
		r.Series[k] = make([]Series, len(o.Graces))
	}
	s := o.NewScorer(log, o.Shown)
	s.computed[Exact] = true // everything is compared with it
	for k := range Kinds {
		for g := range o.Graces {
			r.Series[k][g].Path.drawn = o.Draw && g == o.PrioritiesGrace() && (k == PAP || k == PAPPlus)
		}
	}
	if o.Shown[PAPPlus] || o.Draw {
		s.computed[PAP], s.computed[PAPPlus] = true, true
	}
	var failed error
	batch := sim.Batch{Nodes: o.Nodes, Every: o.Step}
	err := batch.Run(log.Jobs, func(st *sim.BatchState) bool {
		r.Length = st.At
		if bits.OnesCount(uint(r.States)) == 1 || r.States%4096 == 0 {
			run.Showf("%s: %d%% of the jobs have ended", log.Name, 100*st.Ended/len(log.Jobs))
		}
		if failed = s.score(r, st); failed != nil {
			return false
		}
		r.States++
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, cli.Mistakef("%s: %w", log.Name, err)
	}
	return r, nil
}

func (s *Scorer) score(r *Result, st *sim.BatchState) error {
	s.View.Set(st)
	s.learn(st)
	state := s.View.State
	for g, grace := range s.o.Graces {
		if g == 0 || s.o.SaveCost >= 0 { // values depend on the grace period only where jobs save on request
			if err := s.Rank(grace); err != nil {
				return err
			}
		}
		if err := s.choose(grace); err != nil {
			return err
		}
		for k := range s.Hit {
			if !s.computed[k] {
				continue
			}
			series := &r.Series[k][g]
			waste := series.Tally.Add(state.Jobs, s.View.Remaining, s.Hit[k], grace)
			series.Dist.Add(waste.Seconds())
			if !Kind(k).ranks() {
				s.Taken[k] = s.appendTaken(s.Taken[k][:0], s.Hit[k])
			}
			series.Idle = series.Idle.Add(s.Idle(s.Taken[k], grace))
			if series.Path.drawn {
				series.Path.add(r.States, st.At, &series.Tally)
			}
			if s.o.Overrun > 1 && g == s.o.PrioritiesGrace() {
				series.Beyond = series.Beyond.Add(s.wasteBeyond(s.Hit[k], grace))
			}
		}
	}
	return nil
}

// Rank finds the nodes that are taken by the policies that rank nodes, and the jobs hit.
func (s *Scorer) Rank(grace time.Duration) error {
	state := s.View.State
	for k := Random; k.ranks(); k++ {
		if !s.computed[k] {
			continue
		}
		rng := s.random
		if k == Blind {
			rng = s.blind
		}
		if err := s.Ranker.ValuesTo(s.Values, state, preempt.Policy(k), preempt.ValueOptions{Rand: rng, Overrun: s.o.Overrun, Grace: grace}); err != nil {
			return err
		}
		var err error
		if s.Taken[k], err = s.Ranker.AppendLowest(s.Taken[k][:0], s.Values, s.o.Take); err != nil {
			return err
		}
		if s.Hit[k], err = s.Ranker.AppendHit(s.Hit[k][:0], state, s.Taken[k]); err != nil {
			return err
		}
	}
	return nil
}

// appendTaken appends the nodes that are taken where whole jobs were chosen: idle nodes first,
// then nodes of these jobs.
func (s *Scorer) appendTaken(dst, jobs []int) []int {
	st := &s.View.State
	for n, j := range st.Node {
		if j == preempt.Idle && len(dst) < s.o.Take {
			dst = append(dst, n)
		}
	}
	for n, j := range st.Node {
		if j != preempt.Idle && len(dst) < s.o.Take && slices.Contains(jobs, j) {
			dst = append(dst, n)
		}
	}
	return dst
}

// Idle returns for how long the nodes stand idle until the grace period ends: those of jobs
// that end before, and those that were idle.
func (s *Scorer) Idle(nodes []int, grace time.Duration) (sum preempt.NodeTime) {
	for _, n := range nodes {
		left := time.Duration(0)
		if j := s.View.State.Node[n]; j != preempt.Idle {
			left = s.View.Remaining[j]
		}
		sum = sum.Add(preempt.NodeTimeOf(max(0, grace-left), 1))
	}
	return sum
}

// wasteBeyond returns the waste of those of the jobs that have run for longer than
// their users asked for.
func (s *Scorer) wasteBeyond(hit []int, grace time.Duration) (sum preempt.NodeTime) {
	for _, j := range hit {
		if job := s.View.State.Jobs[j]; job.Requested > 0 && job.Elapsed > job.Requested {
			sum = sum.Add(preempt.WastedCycles(job, s.View.Remaining[j], grace))
		}
	}
	return sum
}

// choose chooses whole jobs, for a grace period.
func (s *Scorer) choose(grace time.Duration) error {
	state := s.View.State
	s.outlast = slices.Grow(s.outlast[:0], len(state.Jobs))[:len(state.Jobs)]
	p := preempt.Preemption{Take: s.o.Take, Grace: grace, Outlast: s.outlast}
	preempt.OutlastTo(s.outlast, s.View.Remaining, grace)
	for k := Greedy; k < Kinds; k++ {
		if !s.computed[k] {
			continue
		}
		choose := s.Solver.AppendVictims
		p.ByPriority, p.Overrun = false, 0
		switch k {
		case Greedy:
			choose = s.Solver.AppendGreedy
		case ExactPlus:
			p.ByPriority = true
			p.Overrun = s.o.Overrun
		case Requested:
			preempt.RequestedTo(s.outlast, state.Jobs, grace)
		case Survival:
			s.learnt.OutlastTo(s.outlast, state.Jobs, s.View.users, grace)
		case Corrected:
			s.worth.OutlastTo(s.outlast, state.Jobs, s.View.users, grace)
		}
		var err error
		if s.Hit[k], err = choose(s.Hit[k][:0], state, p); err != nil {
			return err
		}
	}
	return nil
}

// learn learns from the jobs that have ended since the state before.
func (s *Scorer) learn(st *sim.BatchState) {
	if !st.Changed {
		return
	}
	k := 0
	for _, i := range s.running {
		if k < len(st.Running) && st.Running[k] == i {
			k++ // the order stays, and what starts comes last
			continue
		}
		j := &s.View.log.Jobs[i]
		s.learnt.Observe(j.User, j.Run)
		s.worth.Observe(j.User, s.View.log.Requested[i], j.Run)
	}
	s.running = append(s.running[:0], st.Running...)
}

// FirstImportant returns when the first important job starts that does not start
// with the batch, by a simulation of it, and whether there is one.
func FirstImportant(log *Log, nodes int) (at time.Duration, found bool) {
	batch := sim.Batch{Nodes: nodes, Every: time.Duration(math.MaxInt64)}
	err := batch.Run(log.Jobs, func(s *sim.BatchState) bool {
		for _, i := range s.Running {
			if log.Priority[i] == HighPriority && s.Starts[i] > 0 {
				at, found = s.Starts[i], true
				return false
			}
		}
		return true
	})
	return at, found && err == nil
}

// PrioritiesGrace is the grace period with which priorities are compared: the paper's 120 s,
// or if that is not there the first.
func (o *Options) PrioritiesGrace() int { return max(0, slices.Index(o.Graces, 120*time.Second)) }

// PerState is an amount of a preemption, in the mean of all states.
func (r *Result) PerState(x float64) float64 { return x / float64(max(1, r.States)) }
