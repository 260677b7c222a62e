package scaling

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Options are the habits of a partition. A span that is 0 has its default; a negative span
// is none.
type Options struct {
	// Wait is how long a job waits before nodes are asked for it. The default is a minute.
	// Jobs that start sooner by themselves never make nodes move.
	Wait time.Duration
	// Idle is how long a node is idle before it is given back, even if nobody wants it. The
	// default is 10 minutes. With a negative Idle a node goes at once.
	Idle time.Duration
	// Hold is how long a node stays at least. The default is 10 minutes.
	Hold time.Duration
	// Move is what it costs to get a node again, as time of the node: until it is granted,
	// installed and started, and what waits meanwhile. With View.Worth it says when another
	// use is worth more. The default is 5 minutes.
	Move time.Duration
	// Lead is how long a request takes until its nodes can be used. Nodes that come free
	// sooner are not asked for. The default is 0: free nodes are not foreseen.
	Lead time.Duration

	Pool  int // idle nodes to keep in reserve
	Least int // the fewest nodes
	Most  int // the most nodes, 0 for no limit; larger jobs are not asked for
}

// resolve fills in the defaults.
func (o Options) resolve() Options {
	for _, f := range [...]struct {
		d       *time.Duration
		without time.Duration
	}{{&o.Wait, time.Minute}, {&o.Idle, 10 * time.Minute}, {&o.Hold, 10 * time.Minute}, {&o.Move, 5 * time.Minute}, {&o.Lead, 0}} {
		if *f.d == 0 {
			*f.d = f.without
		} else if *f.d < 0 {
			*f.d = 0
		}
	}
	if o.Most == 0 {
		o.Most = math.MaxInt
	}
	return o
}

// Validate returns a *preempt.InputError for options that contradict themselves, and nil for
// others.
func (o Options) Validate() error {
	switch {
	case o.Pool < 0:
		return badInput("Options.Pool", -1, "%d nodes: want none or more", o.Pool)
	case o.Least < 0:
		return badInput("Options.Least", -1, "%d nodes: want none or more", o.Least)
	case o.Most < 0 || o.Most > 0 && o.Most < o.Least:
		return badInput("Options.Most", -1, "%d nodes, and Least is %d: want no fewer, or 0 for no limit", o.Most, o.Least)
	}
	return nil
}

// A Waiting is a job that waits for nodes.
type Waiting struct {
	Nodes  int           // that it needs, > 0
	Waited time.Duration // so far
}

// A Node is a node that the partition may use.
type Node struct {
	Busy bool          // a job has it, or it is not to be given back for another reason
	Held time.Duration // since the partition got it
	Idle time.Duration // since its last job ended, or since it came
	Free time.Duration // of a busy node: until its job is expected to end, 0 if nobody knows
}

// A View is what a partition sees at one moment. The slices belong to the caller.
type View struct {
	Queue []Waiting
	Nodes []Node
	Asked int // nodes that have been asked for and not come yet
	// Worth is what an hour of a node is worth to others, over an hour of it here: 0 if
	// nobody else waits for nodes, 1 if a partition of equal weight does.
	Worth float64
}

// Decide returns three decisions of a partition about its nodes, as the package comment explains.
// ask is the number of further nodes to ask for. cancel is the number of nodes that the partition
// has asked for, has not received, and no longer needs. back is dst with the nodes to give back
// appended, as ascending indices in View.Nodes. A partition that asks for nodes gives none back.
//
// The error is a *preempt.InputError for a view or options that contradict themselves; Decide then
// returns dst as it was. Time: O(jobs + nodes·log nodes). Decide allocates only to let dst grow.
func Decide(dst []int, v View, o Options) (ask, cancel int, back []int, err error) {
	if err := o.Validate(); err != nil {
		return 0, 0, dst, err
	}
	if err := v.check(); err != nil {
		return 0, 0, dst, err
	}
	o = o.resolve()
	// Counts are int64: on 32 bits a sum of numbers that fit may not.
	var idle, soon int64
	for i := range v.Nodes {
		switch n := &v.Nodes[i]; {
		case !n.Busy:
			idle++
		case n.Free > 0 && n.Free <= o.Lead:
			soon++
		}
	}
	asked, held := int64(v.Asked), int64(len(v.Nodes))
	have, least, most := idle+soon+asked, int64(o.Least), int64(o.Most)
	ripe, all := plus(demand(v.Queue, o, o.Wait), int64(o.Pool)), plus(demand(v.Queue, o, 0), int64(o.Pool))

	ask = int(max(0, min(max(ripe-have, least-held-asked), most-held-asked)))
	if ask > 0 {
		return ask, 0, dst, nil
	}
	cancel = int(max(0, min(asked, have-all, held+asked-least)))
	give := min(idle-all, held-least)
	if give <= 0 {
		return 0, cancel, dst, nil
	}
	limit, from := o.patience(v.Worth), len(dst)
	for i := range v.Nodes {
		if n := &v.Nodes[i]; !n.Busy && n.Idle >= limit && n.Held >= o.Hold {
			dst = append(dst, i)
		}
	}
	slices.SortFunc(dst[from:], func(a, b int) int {
		return cmp.Or(cmp.Compare(v.Nodes[b].Idle, v.Nodes[a].Idle), a-b)
	})
	dst = dst[:from+int(min(int64(len(dst)-from), give))]
	slices.Sort(dst[from:])
	return 0, cancel, dst, nil
}

// patience returns how long a node is idle before it goes: min(Idle, Move/worth).
func (o Options) patience(worth float64) time.Duration {
	if even := float64(o.Move) / worth; even < float64(o.Idle) { // worth 0: +Inf, or NaN
		return time.Duration(even)
	}
	return o.Idle
}

// demand returns how many nodes the queue needs, of the jobs that have waited for long
// enough.
func demand(queue []Waiting, o Options, waited time.Duration) (sum int64) {
	for _, j := range queue {
		if j.Nodes <= o.Most && j.Waited >= waited {
			sum = plus(sum, int64(j.Nodes))
		}
	}
	return sum
}

// plus adds numbers of nodes that are not negative, up to half of the greatest int64.
func plus(a, b int64) int64 {
	if a > math.MaxInt64/2-b {
		return math.MaxInt64 / 2
	}
	return a + b
}

// check returns what is wrong with a view.
func (v *View) check() error {
	if v.Asked < 0 || v.Asked > math.MaxInt32 {
		return badInput("Asked", -1, "%d nodes: want 0 to %d", v.Asked, math.MaxInt32)
	}
	if !(v.Worth >= 0 && v.Worth <= math.MaxFloat64) {
		return badInput("Worth", -1, "%v: want a finite number that is not negative", v.Worth)
	}
	for i, j := range v.Queue {
		switch {
		case j.Nodes <= 0 || j.Nodes > math.MaxInt32:
			return badInput("Queue.Nodes", i, "%d: want 1 to %d", j.Nodes, math.MaxInt32)
		case j.Waited < 0:
			return badInput("Queue.Waited", i, "%v is negative: want a time", j.Waited)
		}
	}
	for i, n := range v.Nodes {
		if n.Held < 0 || n.Idle < 0 || n.Free < 0 {
			return badInput("Nodes", i, "held for %v, idle for %v, free in %v: want no negative time", n.Held, n.Idle, n.Free)
		}
	}
	return nil
}
