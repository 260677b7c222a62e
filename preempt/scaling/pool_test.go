package scaling_test

import (
	"os"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/preempt/scaling"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A month is what a partition pays and its jobs wait in a simulation.
type month struct {
	wait  float64 // seconds a job, in the mean
	idle  float64 // node-hours held and not used, a day
	moves int     // nodes granted
}

// simulate runs jobs first come, first served, on nodes of a host that has plenty and
// grants them after lead. It looks each minute.
func simulate(t *testing.T, jobs []trace.Job, lead time.Duration, worth float64, o scaling.Options) (m month) {
	type node struct{ came, free, since time.Duration }
	const tick = time.Minute
	var back []int
	var nodes []node
	var asked []time.Duration // when each comes
	var queue []trace.Job
	o.Lead = lead
	next, start := 0, jobs[0].Submit
	now := start
	for ; next < len(jobs) || len(queue) > 0; now += tick {
		for ; next < len(jobs) && jobs[next].Submit <= now; next++ {
			queue = append(queue, jobs[next])
		}
		for len(asked) > 0 && asked[0] <= now {
			nodes, asked = append(nodes, node{came: now, since: now}), asked[1:]
			m.moves++
		}
		var v scaling.View
		idle := 0
		for i := range nodes {
			if n := &nodes[i]; n.free > 0 && n.free <= now {
				n.free, n.since = 0, now
			}
			if nodes[i].free == 0 {
				idle++
			}
		}
		for len(queue) > 0 && queue[0].Nodes <= idle {
			j := queue[0]
			queue = queue[1:]
			m.wait += (now - j.Submit).Seconds()
			idle -= j.Nodes
			for i, left := 0, j.Nodes; left > 0; i++ {
				if nodes[i].free == 0 {
					nodes[i].free, left = now+max(tick, j.Run), left-1
				}
			}
		}
		m.idle += float64(idle) * tick.Hours()
		for i := range nodes {
			n := &nodes[i]
			v.Nodes = append(v.Nodes, scaling.Node{Busy: n.free > 0, Held: now - n.came, Idle: now - n.since})
		}
		for _, j := range queue {
			v.Queue = append(v.Queue, scaling.Waiting{Nodes: j.Nodes, Waited: now - j.Submit})
		}
		v.Asked, v.Worth = len(asked), worth
		more, cancel, given, err := scaling.Decide(back[:0], v, o)
		back = given
		if err != nil {
			t.Fatal(err)
		}
		for range more {
			asked = append(asked, now+lead)
		}
		asked = asked[:len(asked)-cancel]
		for i := len(back) - 1; i >= 0; i-- {
			nodes = append(nodes[:back[i]], nodes[back[i]+1:]...)
		}
	}
	m.wait /= float64(len(jobs))
	m.idle /= (now - start).Hours() / 24
	return m
}

// What a reserve of idle nodes costs and saves, on 30 days of a real log: the longer the host
// takes, the more the reserve saves, and each of its nodes is idle for most of the day.
// Returning nodes sooner costs waits and moves. With -v this is the table of BENCHMARKS.md; without, half of it.
func TestPool(t *testing.T) {
	f, err := os.Open(shared.File(t, "traces/KTH-SP2-1996-2.1-cln.swf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, _, err := trace.Convert(trace.NewReader(f).Records(), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var jobs []trace.Job
	for _, j := range all {
		if j.Submit < all[0].Submit+30*24*time.Hour && j.Nodes <= 100 {
			jobs = append(jobs, j)
		}
	}
	pools := []int{0, 4, 16}
	if testing.Verbose() {
		pools = []int{0, 2, 4, 8, 16, 32}
	}
	var plain month // without a reserve, with the short lead
	for _, lead := range []time.Duration{2 * time.Minute, 30 * time.Minute} {
		var before month
		for _, pool := range pools {
			m := simulate(t, jobs, lead, 1, scaling.Options{Pool: pool, Most: 500})
			t.Logf("lead %v, pool %d: jobs wait %.0f s, %.0f idle node-hours a day, %d moves", lead, pool, m.wait, m.idle, m.moves)
			if pool > 0 && (m.wait >= before.wait || m.idle <= before.idle) {
				t.Errorf("lead %v, pool %d: %+v after %+v: want shorter waits for more idle nodes", lead, pool, m, before)
			}
			if before = m; pool == 0 && lead == 2*time.Minute {
				plain = m
			}
		}
	}
	if testing.Verbose() {
		t.Logf("Move of a minute: %+v", simulate(t, jobs, 2*time.Minute, 1, scaling.Options{Move: time.Minute, Most: 500}))
	}
	soon := simulate(t, jobs, 2*time.Minute, 1, scaling.Options{Idle: -1, Hold: -1, Most: 500})
	late := simulate(t, jobs, 2*time.Minute, 1, scaling.Options{Move: time.Hour, Idle: time.Hour, Hold: time.Hour, Most: 500})
	t.Logf("returned at once %+v, by default %+v, after an hour %+v", soon, plain, late)
	for _, c := range [][2]month{{soon, plain}, {plain, late}} {
		if sooner, later := c[0], c[1]; sooner.wait <= later.wait || sooner.moves <= later.moves || sooner.idle >= later.idle {
			t.Errorf("returned sooner: %+v, later: %+v: want longer waits, more moves and fewer idle nodes", sooner, later)
		}
	}
}
