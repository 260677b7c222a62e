package workload

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/internal/samebits"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The model of Lublin and Feitelson [Lublin03].
//
// A stream of jobs is one or two arrival processes, each with its own sizes and run times. The
// package comment has the distributions.
//
// Invariant: each process is at a place in time, half hours since the first midnight plus
// a part of the current half hour. That place is the next arrival of the process. The
// earlier arrival is the next job.
//
// A job takes constant expected time, a stream constant space.
//
// Departures from the authors' program:
//
//   - Places in time are kept exactly, and floored when a job is made. The program
//     truncates the sum of gaps at every job, and so loses half a second a gap (one
//     part in a thousand).
//   - A power of two never exceeds the machine (see [Options]).
//   - Typeless jobs have queue −1, where the program calls them interactive.
//   - The source of random numbers and the samplers are others.

// Queue numbers of the jobs, as the authors' program writes them and as SWF
// means them: 0 is interactive, others are batch. Typeless jobs have −1,
// unknown.
const (
	QueueInteractive = 0
	QueueBatch       = 1
)

// Options choose the machine and the types of jobs. The zero value is the
// published model: batch and interactive jobs on 128 nodes.
type Options struct {
	// Nodes is the size of the machine, the most nodes that a job can need; 0 stands for
	// [MachineNodes]. The published parameters need at least 32 nodes, or at least 10 with Typeless
	// (see [Params.ForNodes]). If Nodes is not a power of two, the model may ask for a power of two
	// above Nodes; such a job gets the largest power of two that fits.
	Nodes int

	// Typeless asks for one type of job instead of batch and interactive.
	Typeless bool

	// Parameters by type. The zero Params mean the published ones,
	// [Params.ForNodes] of Nodes; other parameters are used as they are.
	// Typeless jobs use Whole only, others Batch and Interactive only.
	Batch, Interactive, Whole Params
}

// A process is the arrivals, sizes and run times of one type of job.
type process struct {
	p          Params
	run1, run2 gamma
	arrive     gamma
	weights    [buckets]float64
	powLimit   float64 // largest exponent of a power-of-two job
	queue      int

	// The next arrival: points of the current half hour are spent, and half
	// hours have passed before it.
	points float64
	halves int64
}

// A Lublin is a stream of jobs of the Lublin-Feitelson model. Call Reset before
// the rest. A Lublin allocates nothing; it must not be used by two goroutines
// at a time.
type Lublin struct {
	s    sampler
	proc [2]process
	n    int // number of processes
	id   int64
}

// Reset starts a new stream that draws from rng, and forgets the stream before. The stream keeps
// rng and draws from it at each Next. An rng in the same state gives the same jobs on every
// machine.
//
// For parameters that the model cannot use, Reset returns a *schedule.InputError and does not
// change l. Reset panics if rng is nil or o.Nodes is negative.
func (l *Lublin) Reset(rng *rand.Rand, o Options) error {
	if rng == nil {
		panic("workload: nil source of randomness")
	}
	if o.Nodes < 0 {
		panic("workload: negative number of nodes")
	}
	if o.Nodes == 0 {
		o.Nodes = MachineNodes
	}
	published := func(p *Params, of Params) {
		if *p == (Params{}) {
			*p = of.ForNodes(o.Nodes)
		}
	}
	if o.Typeless {
		published(&o.Whole, TypelessParams())
		if err := o.Whole.check("Whole", o.Nodes); err != nil {
			return err
		}
	} else {
		published(&o.Batch, batchParams())
		published(&o.Interactive, interactiveParams())
		if err := o.Batch.check("Batch", o.Nodes); err != nil {
			return err
		}
		if err := o.Interactive.check("Interactive", o.Nodes); err != nil {
			return err
		}
	}

	l.s = sampler{rng: rng}
	l.id = 0
	if o.Typeless {
		l.n = 1
		l.proc[0].init(&o.Whole, o.Nodes, -1)
	} else {
		l.n = 2
		l.proc[0].init(&o.Batch, o.Nodes, QueueBatch)
		l.proc[1].init(&o.Interactive, o.Nodes, QueueInteractive)
	}
	for i := range l.n {
		l.proc[i].advance(&l.s)
	}
	return nil
}

// init prepares a process that stands at midnight.
func (p *process) init(par *Params, nodes, queue int) {
	p.p = *par
	p.run1 = newGamma(par.A1, par.B1)
	p.run2 = newGamma(par.A2, par.B2)
	p.arrive = newGamma(float64(par.AArr*par.ARAR), par.BArr)
	cycle(&p.weights, par.ANum, par.BNum)
	p.powLimit, p.queue = math.Floor(samebits.Log2(float64(nodes))), queue
	p.points, p.halves = 0, 0
}

// advance moves the process to its next arrival: a gap is worth points, of which
// each half hour costs its weight.
func (p *process) advance(s *sampler) {
	g := s.gamma(&p.arrive)
	for g > MaxArrivalExponent {
		g = s.gamma(&p.arrive)
	}
	p.points += samebits.Exp(g) / bucketSeconds
	b := p.halves % buckets
	for p.points > p.weights[b] {
		p.points -= p.weights[b]
		p.halves++
		if b++; b == buckets {
			b = 0
		}
	}
}

// place returns the next arrival in half hours since the start, as whole ones and
// a part.
func (p *process) place() (int64, float64) {
	return p.halves, p.points / p.weights[p.halves%buckets]
}

// size returns the nodes of a job.
func (p *process) size(s *sampler) int {
	u := s.rng.Float64()
	if u <= p.p.Serial {
		return 1
	}
	lo, hi := p.p.ULow, p.p.UMed
	if s.rng.Float64() > p.p.UProb {
		lo, hi = p.p.UMed, p.p.UHi
	}
	x := lo + float64(s.rng.Float64()*(hi-lo))
	if u <= p.p.Serial+p.p.Pow2 {
		return 1 << int(min(round(x), p.powLimit))
	}
	return int(round(samebits.Exp2(x)))
}

// logRun returns the logarithm of the run time of a job of the given size, not
// yet confined.
func (p *process) logRun(s *sampler, nodes int) float64 {
	if s.rng.Float64() <= float64(p.p.PA*float64(nodes))+p.p.PB {
		return s.gamma(&p.run1)
	}
	return s.gamma(&p.run2)
}

// Next returns the next job of the stream, and true. After the last job that the
// clock can hold, 292 years after the start (ten million jobs or more, with the
// published parameters), it returns false.
//
// Jobs are numbered from 1 and come in order of submission. Submit counts from the midnight before
// the first job, in whole seconds. If two jobs have equal times before rounding, the interactive
// job is first. Run is in whole seconds and at least one. The model knows nothing of users: User is
// −1 (see [UsersTo]) and Estimate is Run (see [EstimatesTo]). Queue is [QueueBatch],
// [QueueInteractive] or, with [Options].Typeless, −1.
//
// Next panics before the first Reset.
func (l *Lublin) Next() (trace.Job, bool) {
	if l.n == 0 {
		panic("workload: Lublin.Next before Reset")
	}
	p := &l.proc[0]
	halves, part := p.place()
	if l.n == 2 {
		q := &l.proc[1]
		if h, f := q.place(); h < halves || h == halves && f <= part {
			p, halves, part = q, h, f
		}
	}
	// The largest clock leaves room for the longest run time after it.
	const lastHalf = (math.MaxInt64/int64(time.Second) - 200_000) / bucketSeconds
	if halves >= lastHalf {
		return trace.Job{}, false
	}
	p.advance(&l.s)

	nodes := p.size(&l.s)
	x := p.logRun(&l.s, nodes)
	for x > MaxRunExponent {
		x = p.logRun(&l.s, nodes)
	}
	// x ≥ 0, hence a run time of 0 cannot come out of the floor.
	run := time.Duration(samebits.Exp(x)) * time.Second
	submit := time.Duration(halves*bucketSeconds+int64(part*bucketSeconds)) * time.Second
	l.id++
	return trace.Job{
		ID:       l.id,
		Submit:   submit,
		Run:      run,
		Estimate: run,
		Nodes:    nodes,
		User:     -1,
		Queue:    p.queue,
	}, true
}

// Jobs returns the next n jobs of the stream, fewer if the clock ends: the jobs that n
// calls of Next would return. Jobs that a loop does not consume stay in the stream. The
// loop panics if there was no Reset.
func (l *Lublin) Jobs(n int) iter.Seq[trace.Job] {
	return func(yield func(trace.Job) bool) {
		for range n {
			j, ok := l.Next()
			if !ok || !yield(j) {
				return
			}
		}
	}
}

// AppendLublin appends n jobs of the Lublin-Feitelson model to dst and returns the extended slice:
// the first n jobs of a [Lublin] stream that draws from rng. AppendLublin allocates only to let dst
// grow.
//
// AppendLublin returns dst as it was and a *schedule.InputError for parameters that the model
// cannot use, for more than 2²⁴ jobs, and if the clock cannot represent the submissions of n jobs.
// [Lublin.Jobs] has no limit of 2²⁴ jobs. AppendLublin panics if rng is nil, or if n or o.Nodes is
// negative. Time: O(n).
func AppendLublin(dst []trace.Job, rng *rand.Rand, n int, o Options) ([]trace.Job, error) {
	if err := checkJobs(n); err != nil {
		return dst, err
	}
	var l Lublin
	if err := l.Reset(rng, o); err != nil {
		return dst, err
	}
	before := len(dst)
	for i := range n {
		j, ok := l.Next()
		if !ok {
			return dst[:before], badInput("n", -1, ErrClock, "the submission of job %d of %d: want fewer jobs", i+1, n)
		}
		dst = append(dst, j)
	}
	return dst, nil
}
