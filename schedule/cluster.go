package schedule

import (
	"math"
	"time"
)

// A cluster is the state that EASY and FCFS share.
type cluster struct {
	queue   queue
	profile profile
	nodes   int
	free    int

	// changed: something other than the time and one new job, at place added,
	// is different since the last pass. fits: shadow and extra hold.
	changed bool
	added   place
	isNew   bool
	fits    bool
	shadow  time.Duration
	extra   int
}

// Reset empties the cluster, gives it nodes free nodes and keeps the memory.
func (c *cluster) Reset(nodes int) {
	if nodes < 0 {
		panic("schedule: negative number of nodes")
	}
	c.queue.reset()
	c.profile.clear()
	c.nodes, c.free = nodes, nodes
	c.changed, c.isNew, c.fits = false, false, false
}

// submit puts a job into the queue.
func (c *cluster) submit(j Job, order func(Job) float64) {
	checkJob(j)
	checkSum(c.queue.nodes, j.Nodes)
	prio := valueOf(order, j)
	if c.isNew {
		c.changed = true
	}
	c.added = c.queue.insert(prio, &j)
	c.isNew = true
	if c.added == c.queue.top() {
		c.fits = false // shadow and extra are those of the job that was on top
	}
}

func checkJob(j Job) {
	if j.Submit < 0 {
		panic("schedule: job submitted before time 0")
	}
	if j.Nodes <= 0 {
		panic("schedule: job without nodes")
	}
	if j.Estimate <= 0 {
		panic("schedule: job without an estimate")
	}
}

// checkSum panics if a cluster or a queue of some nodes cannot have n ≥ 0 more.
func checkSum(nodes, n int) {
	if n > math.MaxInt-nodes {
		panic("schedule: more nodes than an int can count")
	}
}

// Finish takes a running job's nodes back.
func (c *cluster) Finish(a Allocation, now time.Duration) {
	c.expire(now)
	if c.profile.remove(release{a.End(), a.ID, a.Nodes}) {
		c.free += a.Nodes
		c.changed, c.fits = true, false
	} else if a.End() > now {
		panic("schedule: finish of a job that does not run")
	}
}

// AddNodes makes the cluster n nodes larger from the time ready on.
func (c *cluster) AddNodes(n int, ready time.Duration) {
	if n < 0 {
		panic("schedule: negative number of nodes")
	}
	if n == 0 {
		return
	}
	checkSum(c.nodes, n)
	c.nodes += n
	c.profile.insert(release{ready, -1, n})
	c.changed, c.fits = true, false
}

// RemoveNodes takes n free nodes away.
func (c *cluster) RemoveNodes(n int, now time.Duration) {
	c.expire(now)
	if n < 0 || n > c.free {
		panic("schedule: removal of nodes that are not free")
	}
	c.nodes -= n
	c.free -= n
	c.changed, c.fits = true, false
}

// FirstWithin returns the first waiting job whose estimate is at most limit.
func (c *cluster) FirstWithin(limit time.Duration) (Job, bool) {
	p, ok := c.queue.next(place{}, math.MaxInt, limit, 0)
	if !ok {
		return Job{}, false
	}
	return *c.queue.job(p), true
}

// Take removes a waiting job from the queue without starting it.
func (c *cluster) Take(j Job) bool {
	p, ok := c.queue.find(j.ID)
	if ok {
		c.queue.remove(p)
		c.changed, c.fits = true, false
	}
	return ok
}

// Start starts a job that is not in the queue, out of turn.
func (c *cluster) Start(j Job, now time.Duration) Allocation {
	checkJob(j)
	c.expire(now)
	if j.Nodes > c.free {
		panic("schedule: start of a job that does not fit")
	}
	a := Allocation{j, now}
	c.run(a)
	c.changed, c.fits = true, false
	return a
}

// run gives an allocation its nodes.
func (c *cluster) run(a Allocation) {
	c.free -= a.Nodes
	c.profile.insert(release{a.End(), a.ID, a.Nodes})
}

// Top returns the first job of the queue and when it will start.
func (c *cluster) Top(now time.Duration) (Job, time.Duration, bool) {
	c.expire(now)
	if c.queue.len == 0 {
		return Job{}, 0, false
	}
	j := *c.queue.job(c.queue.top())
	if j.Nodes <= c.free {
		return j, now, true
	}
	c.fit(j.Nodes)
	return j, c.shadow, true
}

// fit makes shadow and extra hold for a top job that does not fit now.
func (c *cluster) fit(need int) {
	if !c.fits {
		c.shadow, c.extra = c.profile.shadow(c.free, need)
		c.fits = true
	}
}

// Waiting describes the queue.
func (c *cluster) Waiting() (jobs, nodes int) { return c.queue.len, c.queue.nodes }

// AppendWaiting appends the jobs that wait to dst, in the queue's order.
func (c *cluster) AppendWaiting(dst []Job) []Job { return c.queue.appendAll(dst) }

// Nodes returns the size of the cluster, nodes that are not ready yet included.
func (c *cluster) Nodes() int { return c.nodes }

// Free returns how many nodes are ready and free.
func (c *cluster) Free() int { return c.free }

func (c *cluster) expire(now time.Duration) {
	if n := c.profile.expire(now); n > 0 {
		c.free += n
		c.changed, c.fits = true, false
	}
}

// start moves the job at p from the queue to the running ones.
func (c *cluster) start(dst []Allocation, p place, now time.Duration) ([]Allocation, place) {
	a := Allocation{*c.queue.job(p), now}
	c.run(a)
	return append(dst, a), c.queue.remove(p)
}

// startTop starts jobs from the top of the queue as long as they fit.
func (c *cluster) startTop(dst []Allocation, now time.Duration) []Allocation {
	for c.queue.len > 0 {
		p := c.queue.top()
		if c.queue.job(p).Nodes > c.free {
			break
		}
		dst, _ = c.start(dst, p, now)
		c.fits = false
	}
	return dst
}
