package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/preempt/exchange"
	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// pretended is what a client knows of the jobs that it pretends to run, beside those that run
// now, which are in its state. It is lost when the client ends: the queue begins anew.
type pretended struct {
	queue  []waiting
	until  time.Duration   // arrivals have been drawn until then
	ages   map[int]nodeAge // by node
	scaler scaling.Scaler
	scorer preempt.Scorer
	lost   time.Duration // node-time
}

// A waiting job needs one node.
type waiting struct {
	since, left time.Duration
}

// A nodeAge is that of a node in its lease.
type nodeAge struct {
	epoch       uint64
	since, idle time.Duration // idle: since when
}

// margin is how long before a node's end its job is ended, by the exchange's time.
const margin = 30 * time.Second

// fewRequests is how many requests the client has open at most: a host takes some tens.
const fewRequests = 8

// pause is how long run waits between two looks: a look is in each margin.
func pause(minute time.Duration) time.Duration { return max(5*time.Millisecond, minute/4) }

// wave is how often the load of -load rises and falls.
const wave = 4 * time.Hour

// run pretends to run jobs: it starts a job on each free node while jobs wait, and lets a job
// run while its node is the partition's. It starts no job on a node that is to be given back,
// and gives the node back when its job has ended. The longer a job has run the more its node is
// worth. With -load it asks for nodes when jobs wait, and gives idle nodes back.
func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		sleep(ctx, pause(c.o.minute))
		var ended []int
		var values []exchange.NodeValue
		err := c.step(func(now time.Duration) ([]exchange.Message, error) {
			c.arrive(now)
			ended, values = c.schedule(now)
			if len(ended) == 0 {
				return nil, nil
			}
			return c.state.Client.DeleteNodes(now, ended...)
		})
		if err == nil {
			err = c.step(func(now time.Duration) ([]exchange.Message, error) {
				return c.state.Client.SetResourceValues(now, values)
			})
		}
		if err == nil && c.o.load > 0 {
			err = c.scale()
		}
		// A node that was given back in between has no value any more.
		var in *preempt.InputError
		if err != nil && !errors.As(err, &in) {
			c.log.printf("%v", err)
		}
	}
}

// arrive draws the jobs that have come since it was called last.
func (c *client) arrive(now time.Duration) {
	p := &c.jobs
	if p.ages == nil {
		p.ages, p.until = map[int]nodeAge{}, now
	}
	if c.o.load == 0 {
		return
	}
	for p.until < now {
		// A Poisson process of the greatest rate, of which the wave keeps a part. The waves of
		// partitions differ by their names.
		p.until += time.Duration(c.rng.ExpFloat64() / (2 * c.o.load) * float64(c.o.job))
		phase := 0.
		for _, b := range []byte(c.o.name) {
			phase += float64(b) * 2.4
		}
		keep := (1 + math.Sin(2*math.Pi*p.until.Hours()/wave.Hours()+phase)) / 2
		if c.rng.Float64() < keep {
			p.queue = append(p.queue, waiting{p.until, c.length()})
		}
	}
}

// length draws the run time of a job.
func (c *client) length() time.Duration {
	return time.Duration((0.5 + c.rng.Float64()) * float64(c.o.job))
}

// schedule moves the jobs on to now. It returns the nodes to give back and the values of
// the others.
func (c *client) schedule(now time.Duration) (ended []int, values []exchange.NodeValue) {
	p := &c.jobs
	mine := map[int]bool{}
	var st preempt.State
	for _, h := range c.state.Client.AppendNodes(nil, now) {
		if h.State != exchange.Usable && h.State != exchange.Draining {
			continue
		}
		j, busy := c.state.Jobs[h.Node]
		if busy && (j.Epoch != h.Epoch || now >= j.End) {
			delete(c.state.Jobs, h.Node)
			busy = false
		}
		if h.State == exchange.Draining && (!busy || h.End-now <= margin) {
			ended = append(ended, h.Node) // its job, if any, is ended below
			continue
		}
		age, known := p.ages[h.Node]
		if !known || age.epoch != h.Epoch {
			age = nodeAge{h.Epoch, now, now}
		}
		if !busy && h.State == exchange.Usable {
			length := time.Duration(0)
			switch {
			case c.o.load == 0:
				length = c.length()
			case len(p.queue) > 0:
				length = p.queue[0].left
				p.queue = p.queue[1:]
			}
			if busy = length > 0; busy {
				j = job{h.Epoch, now, now + length}
				c.state.Jobs[h.Node] = j
			}
		}
		if busy {
			age.idle = now
		}
		p.ages[h.Node] = age
		mine[h.Node] = true
		values = append(values, exchange.NodeValue{Node: h.Node})
		k := preempt.Idle
		if busy {
			k = len(st.Jobs)
			running := preempt.Job{Nodes: 1, Elapsed: now - j.Start}
			if c.o.save >= 0 {
				running.Checkpoint = &preempt.Checkpoint{Cost: c.o.save, OnRequest: true}
			}
			st.Jobs = append(st.Jobs, running)
		}
		st.Node = append(st.Node, k)
	}
	c.endJobs(now, mine)
	vector := make([]float64, len(values))
	// The grace period is the host's; jobs that can save are taken to have the time.
	if err := p.scorer.ValuesTo(vector, st, preempt.LIFO, preempt.ValueOptions{Grace: max(0, c.o.save)}); err != nil {
		c.log.printf("%v", err)
	}
	for i := range values {
		values[i].Value = vector[i]
	}
	return ended, values
}

// endJobs ends the jobs on nodes that the partition has no more, and queues them again. They
// lose all that they have done, or with -save-cost one save.
func (c *client) endJobs(now time.Duration, mine map[int]bool) {
	var killed []int
	lost := time.Duration(0)
	for n := range c.state.Jobs {
		if !mine[n] {
			killed = append(killed, n)
		}
	}
	slices.Sort(killed)
	for _, n := range killed {
		j := c.state.Jobs[n]
		done := now - j.Start
		loses := done
		if c.o.save >= 0 {
			loses = min(done, c.o.save)
		}
		lost += loses
		if c.o.load > 0 {
			c.jobs.queue = slices.Insert(c.jobs.queue, 0, waiting{now, j.End - now + loses})
		}
		delete(c.state.Jobs, n)
	}
	if len(killed) > 0 {
		c.jobs.lost += lost
		c.log.printf("ends the jobs on %s before they are done: %.1f node-minutes are lost, %.1f in all", nodeList(killed), lost.Minutes(), c.jobs.lost.Minutes())
	}
}

// scale asks for nodes, or gives idle nodes back, by package preempt/scaling.
func (c *client) scale() error {
	p := &c.jobs
	return c.step(func(now time.Duration) (msgs []exchange.Message, err error) {
		view := scaling.View{Worth: 1}
		for _, w := range p.queue {
			view.Queue = append(view.Queue, scaling.Waiting{Nodes: 1, Waited: max(0, now-w.since), Run: w.left})
		}
		requests := c.state.Client.AppendRequests(nil)
		for _, r := range requests {
			if r.Refused == "" {
				view.Asked += r.Count - r.Granted
			}
		}
		var nodes []int
		for _, h := range c.state.Client.AppendNodes(nil, now) {
			switch age := p.ages[h.Node]; h.State {
			case exchange.Offered:
				view.Asked++
			case exchange.Usable:
				_, busy := c.state.Jobs[h.Node]
				nodes = append(nodes, h.Node)
				view.Nodes = append(view.Nodes, scaling.Node{Busy: busy, Held: max(0, now-age.since), Idle: max(0, now-age.idle)})
			}
		}
		d, err := p.scaler.Decide(view, scaling.Options{Pool: c.o.pool})
		if err != nil {
			return nil, err
		}
		switch {
		case d.Ask > 0 && len(requests) < fewRequests:
			_, msgs, err = c.state.Client.AddNodes(now, "", d.Ask)
			return msgs, err
		case d.Ask > 0: // the next look asks for what the last request asked, and for more
			return c.state.Client.Cancel(now, requests[len(requests)-1].ID)
		case len(d.Return) > 0:
			var back []int
			for _, k := range d.Return {
				back = append(back, nodes[k])
				delete(p.ages, nodes[k])
			}
			return c.state.Client.DeleteNodes(now, back...)
		}
		for i := len(requests) - 1; i >= 0; i-- { // a whole request, the last first
			if r := &requests[i]; r.Refused == "" && r.Count-r.Granted <= d.Cancel {
				return c.state.Client.Cancel(now, r.ID)
			}
		}
		return nil, nil
	})
}
