package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// reference is the simulation of NoWait, SEC and Local written down as the
// package documentation states it, with plain slices and full rescans, and
// with EASY backfilling of its own. It shares no code with the Simulator.
type reference struct {
	jobs     []trace.Job
	cfg      Options
	clouds   []Cloud // at least one
	now      time.Duration
	queues   [][]int     // by cloud, sorted by job
	at       map[int]int // the cloud of a job
	reserved [][]placement.Reservation
	leases   []refLease
	run      map[int]bool
	starts   []time.Duration
	began    map[int]time.Duration // when a job got its instances
	order    []int                 // jobs in the order in which they started
	inst     []*refInstance
	bound    map[int]time.Duration // ready time of a bound job
	paid     []time.Duration       // lengths of the leases that ended
	levels   []Level
}

// A refLease is an instance's, while and after it is held.
type refLease struct {
	cloud       int
	start, paid time.Duration // charged until; Never while it runs
}

// noUser has nobody.
const noUser = -1 << 30

type refInstance struct {
	id          int
	cloud       int
	lease       int
	user        int
	leased      time.Duration
	ready       time.Duration
	job         int // that holds it, -1 if none
	idle        time.Duration
	fixed, gone bool
}

func refRun(jobs []trace.Job, cfg Options) *reference {
	r := &reference{jobs: jobs, cfg: cfg, run: map[int]bool{}, bound: map[int]time.Duration{}, starts: make([]time.Duration, len(jobs)), at: map[int]int{}, began: map[int]time.Duration{}}
	r.clouds = []Cloud{{Meter: cfg.Meter, Hourly: cfg.Hourly, Boot: cfg.Boot}}
	if len(cfg.Clouds) > 0 {
		r.clouds = nil
		for _, c := range cfg.Clouds {
			r.clouds = append(r.clouds, c.filledIn(&cfg))
		}
	}
	r.queues = make([][]int, len(r.clouds))
	r.reserved = make([][]placement.Reservation, len(r.clouds))
	nextWeek := week
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
		for ; nextWeek <= t; nextWeek += week {
			r.observe(int(nextWeek / time.Hour))
		}
		before := r.now
		r.now = t
		// Nodes whose job's estimate ends now, and instances that are up, count
		// as free from now on.
		for _, in := range r.live() {
			if in.job >= 0 && r.run[in.job] && r.began[in.job]+jobs[in.job].Estimate+cfg.Reformat == t {
				in.job, in.idle = -1, t
			}
			if in.ready == t && in.ready > before && in.job < 0 {
				in.idle = t
			}
		}
		for ; next < len(jobs) && jobs[next].Submit == t; next++ {
			r.arrive(next)
			r.look(r.at[next])
		}
		for _, i := range slices.Clone(r.order) {
			if r.run[i] && r.starts[i]+jobs[i].Run == t {
				delete(r.run, i)
				for _, in := range r.live() {
					if in.job == i {
						in.job, in.idle = -1, t
					}
				}
				r.pass(r.at[i])
				r.look(r.at[i])
			}
		}
		for i := range jobs {
			if ready, ok := r.bound[i]; ok && ready == t {
				delete(r.bound, i)
				r.begin(i)
				r.pass(0)
			}
		}
		for c := range r.clouds {
			if slices.ContainsFunc(r.live(), func(in *refInstance) bool { return in.ready == t && !in.fixed && in.cloud == c }) {
				r.pass(c)
			}
		}
		for _, in := range r.live() {
			if t%cfg.ReleaseEvery == 0 && len(r.queues[in.cloud]) == 0 && r.isIdle(in) && r.due(in) < t+cfg.ReleaseEvery && !in.fixed {
				in.gone = true
				r.paid = append(r.paid, t-in.leased)
				r.leases[in.lease].paid = in.leased + r.clouds[in.cloud].Meter.Charged(t-in.leased)
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

func (r *reference) idle(c int) (idle []*refInstance) {
	for _, in := range r.inst {
		if r.isIdle(in) && in.cloud == c {
			idle = append(idle, in)
		}
	}
	return idle
}

func (r *reference) due(in *refInstance) time.Duration {
	return in.leased + r.clouds[in.cloud].Meter.NextCharge(r.now-in.leased)
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
	c := r.at[i]
	for _, in := range r.prefer(r.idle(c))[:r.jobs[i].Nodes] {
		in.job = i
	}
	r.begin(i)
	r.queues[c] = slices.DeleteFunc(r.queues[c], func(q int) bool { return q == i })
}

// begin starts a job that has its instances.
func (r *reference) begin(i int) {
	r.run[i], r.starts[i], r.began[i] = true, r.now, r.now
	r.order = append(r.order, i)
	for _, in := range r.live() {
		if in.job == i {
			if in.user != noUser && in.user != r.jobs[i].User {
				r.starts[i] = r.now + r.cfg.Reformat
			}
			in.user = r.jobs[i].User
		}
	}
}

// reservation returns the top job's shadow time and the extra nodes then.
func (r *reference) reservation(c int) (time.Duration, int) {
	need := r.jobs[r.queues[c][0]].Nodes
	at := []time.Duration{}
	for _, in := range r.live() {
		if in.cloud == c {
			at = append(at, r.freeAt(in))
		}
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
		return r.began[in.job] + r.jobs[in.job].Estimate + r.cfg.Reformat
	}
	return max(r.now, in.ready)
}

func (r *reference) pass(c int) {
	for len(r.queues[c]) > 0 && r.jobs[r.queues[c][0]].Nodes <= len(r.idle(c)) {
		r.start(r.queues[c][0])
	}
	if len(r.queues[c]) == 0 {
		return
	}
	for _, i := range slices.Clone(r.queues[c][1:]) {
		j := r.jobs[i]
		shadow, extra := r.reservation(c)
		if j.Nodes <= len(r.idle(c)) && (shadow == schedule.Never || r.now+j.Estimate+r.cfg.Reformat <= shadow || j.Nodes <= extra) {
			r.start(i)
		}
	}
}

func (r *reference) enqueue(c, i int) {
	r.at[i] = c
	r.queues[c] = append(r.queues[c], i)
	slices.Sort(r.queues[c]) // the order of submission
}

func (r *reference) unqueue(i int) {
	c := r.at[i]
	r.queues[c] = slices.DeleteFunc(r.queues[c], func(q int) bool { return q == i })
}

// nodes sums up a queue.
func (r *reference) nodes(c int) (n int) {
	for _, i := range r.queues[c] {
		n += r.jobs[i].Nodes
	}
	return n
}

// busy counts the instances of a cloud that run jobs.
func (r *reference) busy(c int) (n int) {
	for _, in := range r.live() {
		if in.cloud == c && in.job >= 0 {
			n++
		}
	}
	return n
}

// arrive lets a job join a queue.
func (r *reference) arrive(i int) {
	n := r.jobs[i].Nodes
	if len(r.clouds) == 1 {
		r.enqueue(0, i)
		r.pass(0)
		return
	}
	tried := map[int]bool{}
	for {
		best := r.cheapest(n, func(c int) int { return r.busy(c) }, func(c int) bool { return !tried[c] && n <= len(r.idle(c)) })
		if best < 0 {
			break
		}
		r.enqueue(best, i)
		r.pass(best)
		if r.run[i] {
			return
		}
		r.unqueue(i)
		tried[best] = true
	}
	best := r.cheapest(n, func(c int) int { return r.busy(c) + r.nodes(c) }, func(int) bool { return true })
	if best < 0 {
		best = slices.IndexFunc(r.clouds, func(cl Cloud) bool { return cl.Quota == 0 || n <= cl.Quota })
	}
	r.enqueue(best, i)
	r.pass(best)
}

// cheapest returns the cloud with the least rate for n instances after those
// taken, of those that are allowed and whose quota suffices, -1 if there is none.
func (r *reference) cheapest(n int, taken func(int) int, allowed func(int) bool) int {
	best, least := -1, pricing.Money(0)
	for c, cl := range r.clouds {
		if !allowed(c) || cl.Quota > 0 && taken(c)+n > cl.Quota {
			continue
		}
		rate := pricing.Money(0)
		for rank := taken(c); rank < taken(c)+n; rank++ {
			rate += r.price(c, rank)
		}
		if best < 0 || rate < least {
			best, least = c, rate
		}
	}
	return best
}

// price is what an hour of the instance of a rank costs at a cloud now.
func (r *reference) price(c, rank int) pricing.Money {
	below := 0
	for _, res := range slices.SortedStableFunc(slices.Values(r.reserved[c]), func(a, b placement.Reservation) int { return cmp.Compare(a.Rate, b.Rate) }) {
		if below += res.Count; rank < below {
			return res.Rate
		}
	}
	cl := r.clouds[c]
	if cl.Discount == (pricing.SustainedUse{}) {
		return cl.Hourly
	}
	from, to := r.month(r.now)
	used := r.usedBy(c, rank, from, r.now)
	for q := 3; q > 0; q-- {
		if 4*used >= time.Duration(q)*(to-from) {
			price, _ := cl.Hourly.Prorate(time.Duration(cl.Discount[q]), 10000, pricing.HalfEven)
			return price
		}
	}
	return cl.Hourly
}

// month returns the calendar month in which a time is.
func (r *reference) month(t time.Duration) (from, to time.Duration) {
	y, m, _ := r.cfg.Epoch.Add(t).Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC).Sub(r.cfg.Epoch), time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC).Sub(r.cfg.Epoch)
}

// usedBy returns for how long more than rank leases of a cloud were charged for at
// once, between two times.
func (r *reference) usedBy(c, rank int, from, to time.Duration) (used time.Duration) {
	edges := []time.Duration{from, to}
	for _, l := range r.leases {
		if l.cloud == c {
			edges = append(edges, min(max(l.start, from), to), min(max(l.paid, from), to))
		}
	}
	slices.Sort(edges)
	for i, e := range edges[1:] {
		n := 0
		for _, l := range r.leases {
			if l.cloud == c && l.start <= edges[i] && edges[i] < l.paid {
				n++
			}
		}
		if n > rank {
			used += e - edges[i]
		}
	}
	return used
}

// cost is what a cloud charges in the end, on demand.
func (r *reference) cost(c int) (sum pricing.Money) {
	cl := r.clouds[c]
	last := time.Duration(0)
	for _, l := range r.leases {
		if l.cloud == c {
			last = max(last, l.paid)
			if cl.Discount == (pricing.SustainedUse{}) {
				one, _ := cl.Hourly.Over(l.paid-l.start, pricing.HalfEven)
				sum += one
			}
		}
	}
	if cl.Discount == (pricing.SustainedUse{}) {
		return sum
	}
	for from, to := r.month(0); from < last; from, to = r.month(to) {
		for rank := range r.leases {
			one, _ := cl.Discount.Cost(cl.Hourly, r.usedBy(c, rank, from, to), to-from)
			sum += one
		}
	}
	return sum
}

// hour counts the lease-hours of a cloud that begin in an hour of the trace, or,
// where the meter is not hourly, the time charged for in it.
func (r *reference) hour(c, hour int) (n int) {
	from := time.Duration(hour) * time.Hour
	if !hourly(r.clouds[c].Meter) {
		sum := time.Duration(0)
		for _, l := range r.leases {
			if l.cloud == c {
				sum += max(0, min(l.paid, from+time.Hour)-max(l.start, from))
			}
		}
		return int((sum + time.Hour/2) / time.Hour)
	}
	for _, l := range r.leases {
		for at := l.start; l.cloud == c && at < min(l.paid, from+time.Hour); at += time.Hour {
			if at >= from {
				n++
			}
		}
	}
	return n
}

func (r *reference) observe(end int) {
	demand := make([]int, weekHours)
	for c := range r.clouds {
		for h := range demand {
			demand[h] += r.hour(c, end-weekHours+h)
		}
	}
	for c, cl := range r.clouds {
		if cl.Portfolio != nil {
			r.reserved[c], _ = cl.Portfolio(nil, demand)
		}
	}
}

func (r *reference) booting(c int) (n int) {
	for _, in := range r.live() {
		if in.cloud == c && in.ready > r.now && in.job < 0 {
			n++
		}
	}
	return n
}

func (r *reference) look(first int) {
	r.acquire(first)
	for c := range r.clouds {
		if c != first {
			r.acquire(c)
		}
	}
}

func (r *reference) acquire(c int) {
	if r.cfg.Mode == Local || len(r.queues[c]) == 0 {
		return
	}
	top := r.jobs[r.queues[c][0]]
	shadow, _ := r.reservation(c)
	if top.Nodes <= len(r.idle(c)) {
		shadow = r.now
	}
	since := top.Submit
	capacity := 0
	for _, in := range r.live() {
		if in.cloud == c && (in.job < 0 || r.run[in.job]) {
			capacity++
		}
	}
	if top.Nodes <= capacity && shadow != schedule.Never && shadow-since <= r.cfg.WaitLimit {
		return
	}
	var covered []int
	short := false
	for k, i := range r.queues[c] {
		isShort := r.jobs[i].Estimate+r.cfg.Reformat <= r.cfg.Short
		switch {
		case r.cfg.Expansion == schedule.SumSize, r.cfg.Expansion == schedule.FirstSize && k == 0:
			covered = append(covered, i)
		case r.cfg.Expansion == schedule.BestSize && (!isShort || !short):
			covered = append(covered, i)
			short = short || isShort
		}
	}
	switch {
	case r.cfg.bound:
		r.bind(covered)
	case len(r.clouds) > 1:
		r.assign(c, covered)
	default:
		n := -len(r.idle(0)) - r.booting(0)
		for _, i := range covered {
			n += r.jobs[i].Nodes
		}
		if q := r.clouds[0].Quota; q > 0 {
			n = min(n, q-len(r.live()))
		}
		r.lease(0, n, -1)
	}
}

func (r *reference) bind(covered []int) {
	for _, i := range covered {
		r.unqueue(i)
		n := r.jobs[i].Nodes
		for _, in := range r.prefer(r.idle(0)) {
			if n > 0 {
				in.job = i
				n--
			}
		}
		if n == 0 {
			r.begin(i)
			continue
		}
		r.lease(0, n, i)
		r.bound[i] = r.now + r.clouds[0].Boot(n)
	}
}

// assign asks for the instances of the covered jobs.
func (r *reference) assign(from int, covered []int) {
	wants := make([]int, len(r.clouds))
	to := make([][]int, len(r.clouds))
	for _, i := range covered {
		c := r.cheapest(r.jobs[i].Nodes, func(c int) int {
			if c == from {
				return r.busy(c) + wants[c]
			}
			return r.busy(c) + r.nodes(c) + wants[c]
		}, func(int) bool { return true })
		if c >= 0 {
			to[c] = append(to[c], i)
			wants[c] += r.jobs[i].Nodes
		}
	}
	moved := false
	for c := range r.clouds {
		if len(to[c]) == 0 {
			continue
		}
		have := len(r.idle(c)) + r.booting(c)
		if c == from {
			r.lease(c, wants[c]-have, -1)
			continue
		}
		r.lease(c, wants[c]-max(0, have-r.nodes(c)), -1)
		for _, i := range to[c] {
			r.unqueue(i)
			r.enqueue(c, i)
			moved = true
		}
	}
	for c := range r.clouds {
		if moved {
			r.pass(c)
		}
	}
}

func (r *reference) lease(c, n, job int) {
	if n <= 0 {
		return
	}
	ready := r.now + r.clouds[c].Boot(n)
	for range n {
		r.inst = append(r.inst, &refInstance{id: len(r.inst), cloud: c, lease: len(r.leases), leased: r.now, ready: ready, job: job, user: noUser})
		r.leases = append(r.leases, refLease{c, r.now, schedule.Never})
	}
}
