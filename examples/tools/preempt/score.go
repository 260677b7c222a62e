package main

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

// A result is what was found for one log.
type result struct {
	log    *jobLog
	states int
	length time.Duration // of the batch
	series [kinds][]series
}

// A series is the preemptions of one kind and grace period.
type series struct {
	tally  preempt.Tally
	beyond preempt.NodeTime // of jobs beyond their requested time, with -overrun
	idle   preempt.NodeTime // of nodes until the grace period ends
	dist   distribution
	path   path
}

// A distribution counts amounts of waste in bins, 64 to a doubling, so that it
// gives quantiles within 1%.
type distribution struct {
	counts [80 * perDoubling]uint32
	zero   int
	n      int
	max    float64
}

const (
	perDoubling = 64
	firstBin    = (1023 - 30) * perDoubling // of 2⁻³⁰ s, about a nanosecond
)

func (d *distribution) add(x float64) {
	d.n++
	if x == 0 {
		d.zero++
		return
	}
	d.max = max(d.max, x)
	bin := int(math.Float64bits(x)>>(52-6)) - firstBin
	d.counts[min(len(d.counts)-1, max(0, bin))]++
}

// bounds returns the ends of a bin.
func bounds(bin int) (lo, hi float64) {
	return math.Float64frombits(uint64(bin+firstBin) << (52 - 6)), math.Float64frombits(uint64(bin+1+firstBin) << (52 - 6))
}

// quantile returns the amount that the share q of all is not above, q < 1.
func (d *distribution) quantile(q float64) float64 {
	rank := int(q * float64(d.n))
	if rank < d.zero {
		return 0
	}
	rank -= d.zero
	for bin, c := range d.counts {
		if rank -= int(c); rank < 0 {
			lo, hi := bounds(bin)
			return min(d.max, (lo+hi)/2)
		}
	}
	return d.max
}

// A path is waste added up over time, at up to 1,000 moments that lie equally
// many states apart.
type path struct {
	drawn  bool // for a picture
	points []point
	every  int
}

type point struct {
	at          time.Duration
	high, other float64 // node-hours
}

const maxPoints = 1000

// add adds a point, if its turn has come. step is the number of the state, from 0.
func (p *path) add(step int, at time.Duration, t *preempt.Tally) {
	p.every = max(1, p.every)
	if step%p.every != 0 {
		return
	}
	if len(p.points) == maxPoints { // keep every other one
		for i := range maxPoints / 2 {
			p.points[i] = p.points[2*i]
		}
		p.points = p.points[:maxPoints/2]
		if p.every *= 2; step%p.every != 0 {
			return
		}
	}
	high := t.Of(highPriority).Hours()
	p.points = append(p.points, point{at, high, t.Total().Hours() - high})
}

// A view is a state of the batch as package preempt sees it.
type view struct {
	log       *jobLog
	place     []int // by job of the log
	st        preempt.State
	remaining []time.Duration
	users     []int
	saves     []preempt.Checkpoint
	every     time.Duration // of saves, 0 for none
	cost      time.Duration // of a save on request, negative for none
}

func newView(log *jobLog) *view { return &view{log: log, place: make([]int, len(log.jobs))} }

func (v *view) set(s *sim.BatchState) {
	v.st.Jobs, v.st.Node = v.st.Jobs[:0], v.st.Node[:0]
	v.remaining, v.users = v.remaining[:0], v.users[:0]
	v.saves = slices.Grow(v.saves[:0], len(s.Running))[:0]
	for k, i := range s.Running {
		j := &v.log.jobs[i]
		elapsed := s.At - s.Starts[i]
		v.place[i] = k
		job := preempt.Job{Nodes: j.Nodes, Elapsed: elapsed, Requested: v.log.requested[i], Priority: v.log.priority[i]}
		if v.every > 0 || v.cost >= 0 {
			c := preempt.Checkpoint{Every: v.every, Cost: max(0, v.cost), OnRequest: v.cost >= 0}
			if v.every > 0 {
				c.Saved = elapsed / v.every * v.every
			}
			v.saves = append(v.saves, c)
			job.Checkpoint = &v.saves[k]
		}
		v.st.Jobs = append(v.st.Jobs, job)
		v.remaining = append(v.remaining, j.Run-elapsed)
		v.users = append(v.users, j.User)
	}
	for _, i := range s.Node {
		if i >= 0 {
			i = v.place[i]
		}
		v.st.Node = append(v.st.Node, i)
	}
}

// A scorer asks of every state what preemptions there waste.
type scorer struct {
	o        *options
	view     *view
	random   *rand.Rand
	blind    *rand.Rand
	ranker   preempt.Scorer
	solver   preempt.Solver
	learnt   preempt.Survival
	worth    preempt.Estimates
	running  []int        // at the state before
	taken    [kinds][]int // nodes
	values   []float64
	outlast  []float64
	order    []int
	hit      [kinds][]int
	computed [kinds]bool
}

// score runs the batch of a log and scores its states.
func (o *options) score(log *jobLog, run *cli.Run) (*result, error) {
	r := &result{log: log}
	for k := range r.series {
		r.series[k] = make([]series, len(o.graces))
	}
	s := &scorer{o: o, view: newView(log), random: rand.New(rand.NewPCG(o.seed, 1<<32)), blind: rand.New(rand.NewPCG(o.seed, 1<<33)), values: make([]float64, o.nodes), computed: o.shown}
	s.view.every, s.view.cost = o.saveEvery, o.saveCost
	s.computed[exact] = true // everything is compared with it
	for k := range kinds {
		for g := range o.graces {
			r.series[k][g].path.drawn = run.Asked("svg") && g == o.prioritiesGrace() && (k == pap || k == papPlus)
		}
	}
	if o.shown[papPlus] || run.Asked("svg") {
		s.computed[pap], s.computed[papPlus] = true, true
	}
	var failed error
	var batch sim.Batch
	err := batch.Run(log.jobs, sim.BatchOptions{Nodes: o.nodes}, func(st *sim.BatchState) bool {
		r.length = st.At
		if bits.OnesCount(uint(r.states)) == 1 || r.states%4096 == 0 {
			run.Showf("%s: %d%% of the jobs have ended", log.name, 100*st.Ended/len(log.jobs))
		}
		if failed = s.score(r, st); failed != nil {
			return false
		}
		r.states++
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, cli.Mistakef("%s: %w", log.name, err)
	}
	return r, nil
}

func (s *scorer) score(r *result, st *sim.BatchState) error {
	s.view.set(st)
	s.learn(st)
	state := s.view.st
	for g, grace := range s.o.graces {
		if g == 0 || s.o.saveCost >= 0 { // values depend on the grace period only where jobs save on request
			if err := s.rank(grace); err != nil {
				return err
			}
		}
		if err := s.choose(grace); err != nil {
			return err
		}
		for k := range s.hit {
			if !s.computed[k] {
				continue
			}
			series := &r.series[k][g]
			waste := series.tally.Add(state.Jobs, s.view.remaining, s.hit[k], grace)
			series.dist.add(waste.Seconds())
			if !kind(k).ranks() {
				s.taken[k] = s.appendTaken(s.taken[k][:0], s.hit[k])
			}
			series.idle = series.idle.Add(s.idle(s.taken[k], grace))
			if series.path.drawn {
				series.path.add(r.states, st.At, &series.tally)
			}
			if s.o.overrun > 1 && g == s.o.prioritiesGrace() {
				series.beyond = series.beyond.Add(s.wasteBeyond(s.hit[k], grace))
			}
		}
	}
	return nil
}

// rank finds the nodes that are taken by the policies that rank nodes, and the jobs hit.
func (s *scorer) rank(grace time.Duration) error {
	state := s.view.st
	for k := random; k.ranks(); k++ {
		if !s.computed[k] {
			continue
		}
		rng := s.random
		if k == blind {
			rng = s.blind
		}
		if err := s.ranker.ValuesTo(s.values, state, preempt.Policy(k), preempt.ValueOptions{Rand: rng, Overrun: s.o.overrun, Grace: grace}); err != nil {
			return err
		}
		var err error
		if s.taken[k], err = s.ranker.AppendLowest(s.taken[k][:0], s.values, s.o.take); err != nil {
			return err
		}
		if s.hit[k], err = s.ranker.AppendHit(s.hit[k][:0], state, s.taken[k]); err != nil {
			return err
		}
	}
	return nil
}

// appendTaken appends the nodes that are taken where whole jobs were chosen: idle nodes first,
// then nodes of these jobs.
func (s *scorer) appendTaken(dst, jobs []int) []int {
	st := &s.view.st
	for n, j := range st.Node {
		if j == preempt.Idle && len(dst) < s.o.take {
			dst = append(dst, n)
		}
	}
	for n, j := range st.Node {
		if j != preempt.Idle && len(dst) < s.o.take && slices.Contains(jobs, j) {
			dst = append(dst, n)
		}
	}
	return dst
}

// idle returns for how long the nodes stand idle until the grace period ends: those of jobs
// that end before, and those that were idle.
func (s *scorer) idle(nodes []int, grace time.Duration) (sum preempt.NodeTime) {
	for _, n := range nodes {
		left := time.Duration(0)
		if j := s.view.st.Node[n]; j != preempt.Idle {
			left = s.view.remaining[j]
		}
		sum = sum.Add(preempt.NodeTimeOf(max(0, grace-left), 1))
	}
	return sum
}

// wasteBeyond returns the waste of those of the jobs that have run for longer than
// their users asked for.
func (s *scorer) wasteBeyond(hit []int, grace time.Duration) (sum preempt.NodeTime) {
	for _, j := range hit {
		if job := s.view.st.Jobs[j]; job.Requested > 0 && job.Elapsed > job.Requested {
			sum = sum.Add(preempt.WastedCycles(job, s.view.remaining[j], grace))
		}
	}
	return sum
}

// appendPlain appends jobs by waste per node, with their true remaining times,
// until they suffice; if prune is true without those that turn out superfluous,
// the most wasteful first. It is the rule that suggests itself, and has no bound.
func (s *scorer) appendPlain(dst []int, grace time.Duration, prune bool) []int {
	jobs := s.view.st.Jobs
	need := s.o.take - len(s.view.st.Node)
	s.order = s.order[:0]
	for j := range jobs {
		need += jobs[j].Nodes
		s.order = append(s.order, j)
	}
	perNode := func(j int) preempt.NodeTime {
		one := jobs[j]
		one.Nodes = 1
		return preempt.WastedCycles(one, s.view.remaining[j], grace)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return perNode(a).Compare(perNode(b)) })
	for _, j := range s.order {
		if need <= 0 {
			break
		}
		dst = append(dst, j)
		need -= jobs[j].Nodes
	}
	for i := len(dst) - 1; prune && i >= 0; i-- {
		if n := jobs[dst[i]].Nodes; need+n <= 0 {
			need += n
			dst = slices.Delete(dst, i, i+1)
		}
	}
	return dst
}

// choose chooses whole jobs, for a grace period.
func (s *scorer) choose(grace time.Duration) error {
	state := s.view.st
	s.outlast = slices.Grow(s.outlast[:0], len(state.Jobs))[:len(state.Jobs)]
	p := preempt.Preemption{Take: s.o.take, Grace: grace, Outlast: s.outlast}
	preempt.OutlastTo(s.outlast, s.view.remaining, grace)
	for k := plain; k < kinds; k++ {
		if !s.computed[k] {
			continue
		}
		choose := s.solver.AppendVictims
		p.ByPriority, p.Overrun = false, 0
		switch k {
		case plain, pruned:
			s.hit[k] = s.appendPlain(s.hit[k][:0], grace, k == pruned)
			continue
		case greedy:
			choose = s.solver.AppendGreedy
		case exactPlus:
			p.ByPriority = true
			p.Overrun = s.o.overrun
		case requested:
			preempt.RequestedTo(s.outlast, state.Jobs, grace)
		case survival:
			s.learnt.OutlastTo(s.outlast, state.Jobs, s.view.users, grace)
		case corrected:
			s.worth.OutlastTo(s.outlast, state.Jobs, s.view.users, grace)
		}
		var err error
		if s.hit[k], err = choose(s.hit[k][:0], state, p); err != nil {
			return err
		}
	}
	return nil
}

// learn learns from the jobs that have ended since the state before.
func (s *scorer) learn(st *sim.BatchState) {
	if !st.Changed {
		return
	}
	k := 0
	for _, i := range s.running {
		if k < len(st.Running) && st.Running[k] == i {
			k++ // the order stays, and what starts comes last
			continue
		}
		j := &s.view.log.jobs[i]
		s.learnt.Observe(j.User, j.Run)
		s.worth.Observe(j.User, s.view.log.requested[i], j.Run)
	}
	s.running = append(s.running[:0], st.Running...)
}

// firstImportant returns when the first important job starts that does not start
// with the batch, by a simulation of it, and whether there is one.
func firstImportant(log *jobLog, nodes int) (at time.Duration, found bool) {
	var batch sim.Batch
	err := batch.Run(log.jobs, sim.BatchOptions{Nodes: nodes, Every: time.Duration(math.MaxInt64)}, func(s *sim.BatchState) bool {
		for _, i := range s.Running {
			if log.priority[i] == highPriority && s.Starts[i] > 0 {
				at, found = s.Starts[i], true
				return false
			}
		}
		return true
	})
	return at, found && err == nil
}
