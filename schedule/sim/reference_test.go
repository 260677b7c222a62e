package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// reference is the simulation of NoWait, SEC and Local written down as the
// package documentation states it, with plain slices and full rescans, and
// with EASY backfilling of its own. It shares no code with the Simulator.
type reference struct {
	jobs   []trace.Job
	cfg    Config
	now    time.Duration
	queue  []int
	run    map[int]bool
	starts []time.Duration
	inst   []*refInstance
	bound  map[int]time.Duration // ready time of a bound job
	paid   []time.Duration       // lengths of the leases that ended
	levels []Level
}

type refInstance struct {
	id          int
	leased      time.Duration
	ready       time.Duration
	job         int // that holds it, -1 if none
	idle        time.Duration
	fixed, gone bool
}

func refRun(jobs []trace.Job, cfg Config) *reference {
	r := &reference{jobs: jobs, cfg: cfg, run: map[int]bool{}, bound: map[int]time.Duration{}, starts: make([]time.Duration, len(jobs))}
	for i := range r.starts {
		r.starts[i] = -1
	}
	if cfg.Mode == Local {
		for i := range cfg.Nodes {
			r.inst = append(r.inst, &refInstance{id: i, job: -1, fixed: true})
		}
	}
	next := 0
	for {
		t := schedule.Never
		if next < len(jobs) {
			t = jobs[next].Submit
		}
		for i := range r.run {
			t = min(t, r.starts[i]+jobs[i].Run)
		}
		for _, in := range r.inst {
			if in.ready > r.now {
				t = min(t, in.ready)
			}
		}
		if len(r.live()) > 0 && cfg.Mode != Local {
			t = min(t, r.now-r.now%cfg.ReleaseEvery+cfg.ReleaseEvery)
		}
		if t == schedule.Never {
			return r
		}
		before := r.now
		r.now = t
		// Nodes whose job's estimate ends now, and instances that are up, count
		// as free from now on.
		for _, in := range r.live() {
			if in.job >= 0 && r.run[in.job] && r.starts[in.job]+jobs[in.job].Estimate == t {
				in.job, in.idle = -1, t
			}
			if in.ready == t && in.ready > before && in.job < 0 {
				in.idle = t
			}
		}
		for ; next < len(jobs) && jobs[next].Submit == t; next++ {
			r.queue = append(r.queue, next)
			r.pass()
			r.acquire()
		}
		for i := range jobs {
			if r.run[i] && r.starts[i]+jobs[i].Run == t {
				delete(r.run, i)
				for _, in := range r.live() {
					if in.job == i {
						in.job, in.idle = -1, t
					}
				}
				r.pass()
				r.acquire()
			}
		}
		for i := range jobs {
			if ready, ok := r.bound[i]; ok && ready == t {
				delete(r.bound, i)
				r.run[i], r.starts[i] = true, t
				r.pass()
			}
		}
		if slices.ContainsFunc(r.live(), func(in *refInstance) bool { return in.ready == t && !in.fixed }) {
			r.pass()
		}
		if t%cfg.ReleaseEvery == 0 && len(r.queue) == 0 {
			for _, in := range r.live() {
				if r.isIdle(in) && r.due(in) < t+cfg.ReleaseEvery && !in.fixed {
					in.gone = true
					r.paid = append(r.paid, t-in.leased)
				}
			}
		}
		held, busy := len(r.live()), 0
		for i := range r.run {
			busy += jobs[i].Nodes
		}
		r.levels = append(r.levels, Level{t, held, busy})
	}
}

func (r *reference) live() (live []*refInstance) {
	for _, in := range r.inst {
		if !in.gone {
			live = append(live, in)
		}
	}
	return live
}

func (r *reference) isIdle(in *refInstance) bool {
	return !in.gone && in.job < 0 && in.ready <= r.now
}

func (r *reference) idle() (idle []*refInstance) {
	for _, in := range r.inst {
		if r.isIdle(in) {
			idle = append(idle, in)
		}
	}
	return idle
}

func (r *reference) due(in *refInstance) time.Duration {
	return in.leased + r.cfg.Meter.NextCharge(r.now-in.leased)
}

// prefer sorts idle instances by the placement policy.
func (r *reference) prefer(idle []*refInstance) []*refInstance {
	slices.SortFunc(idle, func(a, b *refInstance) int {
		c := 0
		switch r.cfg.Placement {
		case placement.MaxMarginFirst:
			c = cmp.Compare(r.due(b), r.due(a))
		case placement.MinMarginFirst:
			c = cmp.Compare(r.due(a), r.due(b))
		case placement.MaxIdleFirst:
			c = cmp.Compare(a.idle, b.idle)
		case placement.MinIdleFirst:
			c = cmp.Compare(b.idle, a.idle)
		}
		return cmp.Or(c, cmp.Compare(a.id, b.id))
	})
	return idle
}

func (r *reference) start(i int) {
	for _, in := range r.prefer(r.idle())[:r.jobs[i].Nodes] {
		in.job = i
	}
	r.run[i], r.starts[i] = true, r.now
	r.queue = slices.DeleteFunc(r.queue, func(q int) bool { return q == i })
}

// reservation returns the top job's shadow time and the extra nodes then.
func (r *reference) reservation() (time.Duration, int) {
	need := r.jobs[r.queue[0]].Nodes
	at := []time.Duration{}
	for _, in := range r.live() {
		at = append(at, r.freeAt(in))
	}
	slices.Sort(at)
	at = slices.DeleteFunc(at, func(d time.Duration) bool { return d == schedule.Never })
	if len(at) < need {
		return schedule.Never, 0
	}
	shadow := at[need-1]
	n := 0
	for _, d := range at {
		if d <= shadow {
			n++
		}
	}
	return shadow, n - need
}

func (r *reference) freeAt(in *refInstance) time.Duration {
	switch {
	case in.job >= 0 && !r.run[in.job]: // bound, not up yet
		return schedule.Never
	case in.job >= 0:
		return r.starts[in.job] + r.jobs[in.job].Estimate
	}
	return max(r.now, in.ready)
}

func (r *reference) pass() {
	for len(r.queue) > 0 && r.jobs[r.queue[0]].Nodes <= len(r.idle()) {
		r.start(r.queue[0])
	}
	if len(r.queue) == 0 {
		return
	}
	for _, i := range slices.Clone(r.queue[1:]) {
		j := r.jobs[i]
		shadow, extra := r.reservation()
		if j.Nodes <= len(r.idle()) && (shadow == schedule.Never || r.now+j.Estimate <= shadow || j.Nodes <= extra) {
			r.start(i)
		}
	}
}

func (r *reference) acquire() {
	if r.cfg.Mode == Local || len(r.queue) == 0 {
		return
	}
	top := r.jobs[r.queue[0]]
	shadow, _ := r.reservation()
	if top.Nodes <= len(r.idle()) {
		shadow = r.now
	}
	since := top.Submit
	if r.cfg.WaitFromNow {
		since = r.now
	}
	capacity, booting := 0, 0
	for _, in := range r.live() {
		if in.job >= 0 && !r.run[in.job] {
			continue
		}
		capacity++
		if in.ready > r.now {
			booting++
		}
	}
	if top.Nodes <= capacity && shadow != schedule.Never && shadow-since <= r.cfg.WaitLimit {
		return
	}
	var covered []int
	short := false
	for k, i := range r.queue {
		isShort := r.jobs[i].Estimate <= r.cfg.Short
		switch {
		case r.cfg.Expansion == schedule.SumSize, r.cfg.Expansion == schedule.FirstSize && k == 0:
			covered = append(covered, i)
		case r.cfg.Expansion == schedule.BestSize && (!isShort || !short):
			covered = append(covered, i)
			short = short || isShort
		}
	}
	if !r.cfg.Bound {
		n := -len(r.idle()) - booting
		for _, i := range covered {
			n += r.jobs[i].Nodes
		}
		r.lease(n, -1)
		return
	}
	for _, i := range covered {
		r.queue = slices.DeleteFunc(r.queue, func(q int) bool { return q == i })
		n := r.jobs[i].Nodes
		for _, in := range r.prefer(r.idle()) {
			if n > 0 {
				in.job = i
				n--
			}
		}
		if n == 0 {
			r.run[i], r.starts[i] = true, r.now
			continue
		}
		r.lease(n, i)
		r.bound[i] = r.now + r.cfg.Boot(n)
	}
}

func (r *reference) lease(n, job int) {
	for range max(0, n) {
		r.inst = append(r.inst, &refInstance{id: len(r.inst), leased: r.now, ready: r.now + r.cfg.Boot(n), job: job})
	}
}
