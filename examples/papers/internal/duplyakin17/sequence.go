package duplyakin17

import (
	"fmt"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A sequence is a batch of jobs in a partition from which another partition, a testbed, takes
// nodes again and again and gives them back, through the Manager and the Clients of package
// preempt/exchange. Jobs that lose a node start again, from what they saved; meanwhile the
// partition has fewer nodes. [Duplyakin17] section 4 leaves that out, for lack of a log of
// preemptions: here they come at random.
//
// Jobs run first come, first served, and one that fits overtakes those that do not; jobs that
// were preempted come first.
type sequence struct {
	o       *options
	log     *preemptions.Log
	policy  preemptions.Kind
	rng     *rand.Rand
	random  *rand.Rand
	now     time.Duration
	manager *exchange.Manager
	batch   *exchange.Client
	testbed *exchange.Client
	queue   []int // of jobs of the log
	node    []int // by node: the job of the log that runs there, or -1
	start   []time.Duration
	left    []time.Duration // by job: what is to be run, as saved
	resumed []time.Duration // by job: what was saved before its latest start
	scorer  preempt.Scorer
	solver  preempt.Solver

	wasted   preempt.NodeTime
	restarts int
	taken    int // nodes
	ended    int
	done     float64 // node-hours of the jobs that have ended
	horizon  time.Duration
	failed   error
}

const (
	sequenceStep  = time.Minute
	sequenceEvery = 4 * time.Hour // between two requests of the testbed, on average
	sequenceHold  = time.Hour     // that the testbed keeps nodes
	sequenceGrace = 2 * time.Minute
)

// sequences judges what the paper expects of sequences: that the order of the policies is that
// of single preemptions.
func (o *options) sequences(log *preemptions.Log, run *cli.Run) (c claim.Claim, beyond string, err error) {
	var texts []string
	kinds := []preemptions.Kind{preemptions.Blind, preemptions.Random, preemptions.FIFO, preemptions.LIFO, preemptions.PAP, preemptions.PAPPlus, preemptions.Exact}
	var wasted [preemptions.Kinds]float64 // over the node-hours done
	work := 0.
	for i := range log.Jobs {
		work += log.Jobs[i].Run.Hours() * float64(log.Jobs[i].Nodes)
	}
	for _, k := range kinds {
		run.Showf("%s: a sequence of preemptions with %v", log.Name, k)
		s, err := o.newSequence(log, k)
		if err == nil {
			// Twice the time of the work: with some policies long jobs never end.
			s.horizon = time.Duration(2 * work / float64(o.Nodes) * float64(time.Hour))
			err = s.run()
		}
		if err != nil {
			return c, "", err
		}
		wasted[k] = s.wasted.Hours() / max(1, s.done)
		texts = append(texts, fmt.Sprintf("%v %.2f (%.0f%% is done after %.0f days)", k, wasted[k], 100*s.done/max(1, work), s.now.Hours()/24))
	}
	return claim.Holds("4", fmt.Sprintf("sequences have the order of single preemptions: LIFO and PAP, RANDOM, FIFO (%d nodes each 4 h on average, for an hour, grace 2 min, jobs start again)", o.Take),
			"", wasted[preemptions.LIFO] < wasted[preemptions.Random] && wasted[preemptions.PAP] < wasted[preemptions.Random], wasted[preemptions.Random] < wasted[preemptions.FIFO]),
		"Sequences waste, of the node-hours that are done: " + strings.Join(texts, ", ") + ". Exact takes whole jobs, without knowledge of run times.", nil
}

func (o *options) newSequence(log *preemptions.Log, policy preemptions.Kind) (*sequence, error) {
	s := &sequence{o: o, log: log, policy: policy, horizon: math.MaxInt64 - sequenceStep, rng: rand.New(rand.NewPCG(o.Seed, 3)), random: rand.New(rand.NewPCG(o.Seed, 4)),
		node: slices.Repeat([]int{-1}, o.Nodes), start: make([]time.Duration, len(log.Jobs)), left: make([]time.Duration, len(log.Jobs)), resumed: make([]time.Duration, len(log.Jobs))}
	for i := range log.Jobs {
		s.queue, s.left[i] = append(s.queue, i), log.Jobs[i].Run
	}
	var err error
	if s.manager, err = exchange.NewManager(exchange.ManagerOptions{Grace: sequenceGrace}, make([]string, o.Nodes)); err != nil {
		return nil, err
	}
	// The testbed's users are interactive: a node of theirs weighs a thousand times one of the
	// batch.
	for i, name := range [...]string{"batch", "testbed"} {
		if err := s.manager.CreatePartition(name, 1+999*i, 0); err != nil {
			return nil, err
		}
	}
	if s.batch, err = exchange.NewClient("batch", exchange.ClientOptions{}); err == nil {
		s.testbed, err = exchange.NewClient("testbed", exchange.ClientOptions{})
	}
	return s, err
}

// run runs the sequence until all jobs have ended, or until its horizon.
func (s *sequence) run() error {
	wait := func(mean time.Duration) time.Duration { return time.Duration(s.rng.ExpFloat64() * float64(mean)) }
	next, back := wait(sequenceEvery), time.Duration(-1)
	for ; s.ended < len(s.log.Jobs) && s.now < s.horizon; s.now += sequenceStep {
		// The batch always wants all nodes.
		open := 0
		for _, r := range s.batch.AppendRequests(nil) {
			open += r.Count - r.Granted
		}
		held := len(s.batch.AppendNodes(nil, s.now))
		if wants := s.o.Nodes - held - open; wants > 0 && back < 0 {
			_, msgs, err := s.batch.AddNodes(s.now, "", wants)
			s.send(msgs, err)
		}
		switch {
		case back < 0 && s.now >= next && s.o.Take > 0:
			_, msgs, err := s.testbed.AddNodes(s.now, "", s.o.Take)
			s.send(msgs, err)
			back = s.now + sequenceGrace + sequenceHold
		case back >= 0 && s.now >= back:
			for _, r := range s.testbed.AppendRequests(nil) {
				msgs, err := s.testbed.Cancel(s.now, r.ID)
				s.send(msgs, err)
			}
			var nodes []int
			for _, n := range s.testbed.AppendNodes(nil, s.now) {
				if n.State != exchange.Returned {
					nodes = append(nodes, n.Node)
				}
			}
			msgs, err := s.testbed.DeleteNodes(s.now, nodes...)
			s.send(msgs, err)
			next, back = s.now+wait(sequenceEvery), -1
		}
		s.work()
		s.send(s.testbed.Tick(s.now), nil)
		s.send(s.batch.Tick(s.now), nil)
		s.deliver(s.manager.Tick(s.now), nil)
		if s.failed != nil {
			return s.failed
		}
	}
	return nil
}

// work lets jobs end and start on the nodes that the batch has, frees nodes that are to end, and
// tells values.
func (s *sequence) work() {
	may := make([]bool, s.o.Nodes) // start jobs
	var free []int                 // nodes that are to end, and have no job
	gone := map[int]bool{}         // jobs that have lost a node
	for _, j := range s.node {
		if j >= 0 && s.now-s.start[j] >= s.left[j] {
			s.end(j)
		}
	}
	holds := make([]bool, s.o.Nodes)
	for _, h := range s.batch.AppendNodes(nil, s.now) {
		switch h.State {
		case exchange.Usable:
			may[h.Node], holds[h.Node] = true, true
		case exchange.Draining:
			j := s.node[h.Node]
			holds[h.Node] = j >= 0
			switch {
			case j < 0:
				free = append(free, h.Node)
			case h.End-s.now <= sequenceStep: // its time is over
				gone[j] = true
				free = append(free, h.Node)
			}
		}
	}
	for n, j := range s.node {
		if j >= 0 && !holds[n] {
			gone[j] = true
		}
	}
	for _, j := range slices.Sorted(maps.Keys(gone)) {
		s.lose(j)
	}
	if len(free) > 0 {
		s.taken += len(free)
		msgs, err := s.batch.DeleteNodes(s.now, free...)
		s.send(msgs, err)
	}
	room := 0
	for n := range may {
		if may[n] && s.node[n] < 0 {
			room++
		}
	}
	for i := 0; i < len(s.queue) && room > 0; {
		j := s.queue[i]
		need := s.log.Jobs[j].Nodes
		if need > room {
			if i++; i > 200 { // far enough for one that fits
				break
			}
			continue
		}
		room -= need
		s.start[j] = s.now
		for n := 0; need > 0; n++ {
			if may[n] && s.node[n] < 0 {
				s.node[n] = j
				need--
			}
		}
		s.queue = slices.Delete(s.queue, i, i+1)
	}
	s.value(may)
}

// end ends a job.
func (s *sequence) end(j int) {
	for n := range s.node {
		if s.node[n] == j {
			s.node[n] = -1
		}
	}
	s.ended++
	s.done += s.log.Jobs[j].Run.Hours() * float64(s.log.Jobs[j].Nodes)
}

// job is a running job as package preempt sees it.
func (s *sequence) job(j int) preempt.Job {
	t := &s.log.Jobs[j]
	job := preempt.Job{Nodes: t.Nodes, Elapsed: s.now - s.start[j], Requested: s.log.Requested[j], Priority: s.log.Priority[j]}
	if s.o.SaveEvery > 0 || s.o.SaveCost >= 0 {
		c := &preempt.Checkpoint{Every: s.o.SaveEvery, Cost: max(0, s.o.SaveCost), OnRequest: s.o.SaveCost >= 0, Resumed: s.resumed[j]}
		if c.Every > 0 {
			c.Saved = job.Elapsed / c.Every * c.Every
		}
		job.Checkpoint = c
	}
	return job
}

// lose ends a job that lost a node, at the end of the grace period, and queues it again.
func (s *sequence) lose(j int) {
	job := s.job(j)
	// What it loses is counted from the notice on, as WC_j is.
	notice := min(job.Elapsed, sequenceGrace)
	job.Elapsed -= notice
	if job.Checkpoint != nil {
		job.Checkpoint.Saved = min(job.Checkpoint.Saved, job.Elapsed)
	}
	lost := preempt.WastedCycles(job, s.left[j], notice)
	s.wasted = s.wasted.Add(lost)
	s.restarts++
	if job.Checkpoint != nil {
		one := job
		one.Nodes = 1
		keeps := s.now - s.start[j] - time.Duration(preempt.WastedCycles(one, s.left[j], notice).Seconds()*1e9)
		keeps = max(0, min(keeps, s.left[j]-1))
		s.left[j] -= keeps
		s.resumed[j] += keeps
	}
	for n := range s.node {
		if s.node[n] == j {
			s.node[n] = -1
		}
	}
	s.queue = slices.Insert(s.queue, 0, j)
}

// value tells what the nodes of the batch are worth.
func (s *sequence) value(mine []bool) {
	var st preempt.State
	at := map[int]int{}
	var nodes []int
	for n, j := range s.node {
		if !mine[n] {
			continue
		}
		k := preempt.Idle
		if j >= 0 {
			var ok bool
			if k, ok = at[j]; !ok {
				k = len(st.Jobs)
				at[j] = k
				job := s.job(j)
				job.Nodes = 0
				st.Jobs = append(st.Jobs, job)
			}
			st.Jobs[k].Nodes++ // those that the batch keeps
		}
		nodes, st.Node = append(nodes, n), append(st.Node, k)
	}
	vector := make([]float64, len(nodes))
	var err error
	if s.policy == preemptions.Exact {
		var victims []int
		victims, err = s.solver.AppendVictims(nil, st, preempt.Preemption{Take: min(s.o.Take, len(nodes)), Grace: sequenceGrace})
		if err == nil {
			err = s.scorer.VectorTo(vector, st, victims, 0)
		}
	} else {
		err = s.scorer.ValuesTo(vector, st, preempt.Policy(s.policy), preempt.ValueOptions{Rand: s.random, Grace: sequenceGrace})
	}
	if err != nil {
		s.failed = err
		return
	}
	values := make([]exchange.NodeValue, len(nodes))
	for i, n := range nodes {
		values[i] = exchange.NodeValue{Node: n, Value: vector[i]}
	}
	msgs, err := s.batch.SetResourceValues(s.now, values)
	s.send(msgs, err)
}

// send delivers messages of a client, and deliver those of the manager.
func (s *sequence) send(msgs []exchange.Message, err error) {
	if err != nil {
		s.failed = err
	}
	for _, m := range copies(msgs) {
		s.deliver(s.manager.Handle(s.now, m))
	}
}

func (s *sequence) deliver(msgs []exchange.Message, err error) {
	if err != nil {
		s.failed = err
	}
	for _, m := range copies(msgs) {
		client := s.batch
		if m.Partition == "testbed" {
			client = s.testbed
		}
		s.send(client.Handle(s.now, m))
	}
}

func copies(msgs []exchange.Message) []exchange.Message {
	out := make([]exchange.Message, len(msgs))
	for i, m := range msgs {
		out[i] = m.Clone()
	}
	return out
}
