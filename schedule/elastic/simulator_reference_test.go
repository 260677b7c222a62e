package elastic

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The reference: the same rules written a second time, as slowly and as plainly
// as possible. At each moment it looks at every job and every instance that
// there has ever been, and it builds snapshots from nothing. It shares no code
// with the Simulator but Delay.draw.

type plainInstance struct {
	cloud         int
	launch, ready time.Duration
	gone          time.Duration // negative: not terminated
	charged       time.Duration // until when, once it is terminated
	paid          int           // hours
	job           int           // -1: none
}

type plainJob struct {
	queued     bool
	start, end time.Duration // negative: not yet
	place      int
	ended      bool
}

type plainEnvironment struct {
	cfg       Options
	jobs      []trace.Job
	state     []plainJob
	instances []plainInstance
	left      pricing.Money
	levels    []CreditLevel
	launched  []int
	refused   []int
	hours     []int64
	cost      []pricing.Money
	lost      []float64
	revoked   []int
	requeued  []int
	now       time.Duration
}

func (e *plainEnvironment) price(cloud int) pricing.Money { return e.priceAt(cloud, e.now) }

func (e *plainEnvironment) priceAt(cloud int, at time.Duration) pricing.Money {
	if cloud == 0 {
		return 0
	}
	c := &e.cfg.Clouds[cloud-1]
	price := c.Price
	for i := 0; c.Spot != nil && i < len(c.Spot.History.Times); i++ {
		if c.Spot.History.Times[i] <= at+c.Spot.From {
			price = c.Spot.History.Prices[i]
		}
	}
	return price
}

func (e *plainEnvironment) closed(cloud int) bool {
	return cloud > 0 && e.cfg.Clouds[cloud-1].Spot != nil && e.price(cloud) > e.cfg.Clouds[cloud-1].Spot.Bid
}

// size and speed are of an instance.
func (e *plainEnvironment) size(cloud int) int {
	if cloud == 0 {
		return 1
	}
	return max(1, e.cfg.Clouds[cloud-1].Cores)
}

func (e *plainEnvironment) speed(cloud int) float64 {
	if cloud == 0 || e.cfg.Clouds[cloud-1].Speed == 0 {
		return 1
	}
	return e.cfg.Clouds[cloud-1].Speed
}

func (e *plainEnvironment) need(cloud, cores int) (n int) {
	for k := 0; k < cores; k += e.size(cloud) {
		n++
	}
	return n
}

// lasts is how long a job takes at a place, for its data, too.
func (e *plainEnvironment) lasts(cloud int, d time.Duration) time.Duration {
	return time.Duration(math.Ceil(float64(d)/e.speed(cloud))) + e.transfer(cloud)
}

// order is the infrastructures by the price of work.
func (e *plainEnvironment) order() []int {
	places := make([]int, len(e.launched))
	work := make([]float64, len(places))
	for i := range places {
		places[i], work[i] = i, float64(e.price(i))/(float64(e.size(i))*e.speed(i))
	}
	sort.SliceStable(places, func(a, b int) bool {
		i, k := places[a], places[b]
		return work[i] < work[k] || work[i] == work[k] && e.price(i) < e.price(k)
	})
	return places
}

func (e *plainEnvironment) pay(cloud int, amount pricing.Money) {
	e.cost[cloud] += amount
	e.level(-amount)
}

// terminate gives an instance back.
func (e *plainEnvironment) terminate(in *plainInstance, atDue bool) {
	c := &e.cfg.Clouds[in.cloud-1]
	gone := e.now + e.draw(c.Stop, measuredStop)
	charged := e.now
	if c.Release != nil {
		charged += c.Release.draw(e.cfg.Rand)
	}
	in.gone, in.charged = max(gone, charged), charged
	if atDue {
		in.charged = e.now
	}
}

// revoke ends all instances of the spot clouds that are closed.
func (e *plainEnvironment) revoke() {
	for k := range e.instances {
		in := &e.instances[k]
		if !e.closed(in.cloud) || in.gone >= 0 && e.due(*in) == schedule.Never {
			continue
		}
		if i := in.job; i >= 0 {
			s := &e.state[i]
			e.requeued[in.cloud]++
			e.lost[in.cloud] += (e.now - s.start).Hours() * float64(e.jobs[i].Nodes)
			s.start, s.end, s.place = -1, -1, -1
			for k := range e.instances {
				if e.instances[k].job == i {
					e.instances[k].job = -1
				}
			}
		}
		if e.due(*in) > e.now {
			in.paid--
			e.hours[in.cloud]--
			e.pay(in.cloud, -e.priceAt(in.cloud, in.launch+time.Duration(in.paid)*time.Hour))
		}
		if in.gone < 0 {
			e.revoked[in.cloud]++
		}
		in.gone, in.charged = e.now, -1
	}
}

func (e *plainEnvironment) level(change pricing.Money) {
	e.left += change
	if n := len(e.levels); n > 0 && e.levels[n-1].At == e.now {
		e.levels[n-1].Credits = e.left
	} else if n == 0 || change != 0 {
		e.levels = append(e.levels, CreditLevel{e.now, e.left})
	}
}

func (e *plainEnvironment) due(in plainInstance) time.Duration {
	due := in.launch + time.Duration(in.paid)*time.Hour
	if in.cloud == 0 || in.gone >= 0 && in.charged <= due {
		return schedule.Never
	}
	return due
}

// toCome is what the instances of running jobs will be charged until the ends of
// their estimates: each hour on its own.
func (e *plainEnvironment) toCome() pricing.Money {
	sum := pricing.Money(0)
	if !e.cfg.Budget.Covered {
		return 0
	}
	for _, in := range e.instances {
		if in.job >= 0 {
			for at := e.due(in); at < e.state[in.job].start+e.lasts(in.cloud, e.jobs[in.job].Estimate); at += time.Hour {
				sum += e.price(in.cloud)
			}
		}
	}
	return sum
}

func (e *plainEnvironment) covers(more pricing.Money) bool {
	return !e.cfg.Budget.Covered || more == 0 || e.left+e.cfg.Budget.Debt-e.toCome() >= more
}

func (e *plainEnvironment) stateOf(in plainInstance) InstanceState {
	switch {
	case in.gone >= 0:
		return Stopping
	case in.ready > e.now:
		return Booting
	case in.job >= 0:
		return Busy
	}
	return Idle
}

func runPlainly(jobs []trace.Job, cfg Options) *plainEnvironment {
	if cfg.Every == 0 {
		cfg.Every = 300 * time.Second
	}
	if p, ok := cfg.Policy.(interface{ Reset() }); ok {
		p.Reset()
	}
	n := 1 + len(cfg.Clouds)
	e := &plainEnvironment{cfg: cfg, jobs: jobs, state: make([]plainJob, len(jobs)), launched: make([]int, n), refused: make([]int, n), hours: make([]int64, n),
		cost: make([]pricing.Money, n), lost: make([]float64, n), revoked: make([]int, n), requeued: make([]int, n)}
	for i := range e.state {
		e.state[i] = plainJob{start: -1, end: -1, place: -1}
	}
	for range cfg.Local {
		e.instances = append(e.instances, plainInstance{gone: -1, job: -1})
	}

	for e.now = 0; ; {
		// 1. Jobs end.
		for i := range e.state {
			if s := &e.state[i]; s.start >= 0 && !s.ended && s.end == e.now {
				s.ended = true
				for k := range e.instances {
					if e.instances[k].job == i {
						e.instances[k].job = -1
					}
				}
			}
		}
		e.revoke()
		// 2. Credits accrue. 3. Jobs are submitted.
		if e.now%time.Hour == 0 {
			e.level(cfg.Budget.Hourly)
		}
		for i := range jobs {
			if jobs[i].Submit == e.now {
				e.state[i].queued = true
			}
		}
		// 4. Jobs start, first come, first served.
		for i := range jobs {
			if e.state[i].start < 0 && e.state[i].queued && !e.begin(i, e.order()) || !e.state[i].queued {
				break
			}
		}
		// 5. The policy.
		if e.now%cfg.Every == 0 {
			e.ask()
		}
		// 6. Charges: what is busy first, since it is not up for choice; nor is what
		// boots, unless all that is to come has to be covered.
		for _, choice := range []bool{false, true} {
			for cloud := range n {
				for k := range e.instances {
					in := &e.instances[k]
					if in.cloud != cloud || e.due(*in) != e.now {
						continue
					}
					needed := in.gone >= 0 || in.job >= 0 || !cfg.Budget.Covered && e.stateOf(*in) == Booting
					if needed == choice {
						continue
					}
					if !needed && e.price(cloud) > 0 && e.left-e.toCome()-e.price(cloud) < -cfg.Budget.Debt {
						e.terminate(in, true)
						continue
					}
					in.paid++
					e.hours[cloud]++
					e.pay(cloud, e.price(cloud))
				}
			}
		}

		next := e.now + 1 // at the least, a nanosecond
		soonest := schedule.Never
		consider := func(at time.Duration) {
			if at >= next {
				soonest = min(soonest, at)
			}
		}
		consider((e.now/time.Hour + 1) * time.Hour)
		consider((e.now/cfg.Every + 1) * cfg.Every)
		all := true
		for i := range jobs {
			consider(jobs[i].Submit)
			consider(e.state[i].end)
			all = all && e.state[i].ended
		}
		for _, in := range e.instances {
			consider(in.ready)
			consider(e.due(in))
		}
		for i := range cfg.Clouds {
			if s := cfg.Clouds[i].Spot; s != nil {
				for _, at := range s.History.Times {
					consider(at - s.From)
				}
			}
		}
		if cfg.Horizon == 0 && all || cfg.Horizon > 0 && soonest >= cfg.Horizon {
			return e
		}
		if soonest > 50*365*24*time.Hour {
			return nil
		}
		e.now = soonest
	}
}

func (e *plainEnvironment) draw(d, standard Delay) time.Duration {
	if d == nil {
		d = standard
	}
	return d.draw(e.cfg.Rand)
}

func (e *plainEnvironment) begin(i int, places []int) bool {
	for _, cloud := range places {
		var idle []int
		for k, in := range e.instances {
			if in.cloud == cloud && e.stateOf(in) == Idle {
				idle = append(idle, k)
			}
		}
		need := e.need(cloud, e.jobs[i].Nodes)
		if len(idle) < need {
			continue
		}
		sort.SliceStable(idle, func(a, b int) bool { return e.due(e.instances[idle[a]]) > e.due(e.instances[idle[b]]) })
		idle = idle[:need]
		cost := pricing.Money(0)
		for _, k := range idle {
			for at := e.due(e.instances[k]); at < e.now+e.lasts(cloud, e.jobs[i].Estimate); at += time.Hour {
				cost += e.price(cloud)
			}
		}
		if !e.covers(cost) {
			continue
		}
		for _, k := range idle {
			e.instances[k].job = i
		}
		over := time.Duration(0)
		if e.cfg.Overhead != nil {
			over = e.cfg.Overhead.draw(e.cfg.Rand)
		}
		e.state[i].start, e.state[i].end, e.state[i].place = e.now, e.now+e.lasts(cloud, e.jobs[i].Run)+over, cloud
		if cloud > 0 && e.cfg.Clouds[cloud-1].TransferPrice > 0 {
			e.pay(cloud, e.cfg.Clouds[cloud-1].TransferPrice)
		}
		return true
	}
	return false
}

// transfer is what a job takes longer at a place.
func (e *plainEnvironment) transfer(place int) time.Duration {
	if place == 0 {
		return 0
	}
	return e.cfg.Clouds[place-1].Transfer
}

func (e *plainEnvironment) ask() {
	for round, refusedBy := 0, make([]int, len(e.launched)); ; round++ {
		s := Snapshot{Now: e.now, Every: e.cfg.Every, Again: round > 0, Credits: e.left, Budget: e.cfg.Budget}
		s.Credits -= e.toCome()
		for i, j := range e.jobs {
			if e.state[i].queued && e.state[i].start < 0 {
				s.Jobs = append(s.Jobs, schedule.Job{ID: int64(i), User: j.User, Submit: j.Submit, Estimate: j.Estimate, Nodes: j.Nodes})
			}
		}
		index := make([][]int, len(e.launched))
		for cloud := range e.launched {
			c := Cloud{Fixed: true, Limit: e.cfg.Local, Refused: refusedBy[cloud]}
			if cloud > 0 {
				cc := e.cfg.Clouds[cloud-1]
				boot := cc.Boot
				if boot == nil {
					boot = MeasuredLaunch()
				}
				c = Cloud{Price: e.price(cloud), Limit: cc.Limit, Boot: boot.Mean(), Refused: refusedBy[cloud],
					Closed: e.closed(cloud), Cores: cc.Cores, Speed: cc.Speed}
			}
			for k, in := range e.instances {
				if in.cloud != cloud || in.gone >= 0 && in.gone <= e.now {
					continue
				}
				x := Instance{ID: int64(k), State: e.stateOf(in), Due: e.due(in), Ready: in.ready}
				if in.job >= 0 {
					x.Ready = e.state[in.job].start + e.lasts(cloud, e.jobs[in.job].Estimate)
				}
				if x.Due != schedule.Never && e.cfg.Lead > 0 {
					if x.Due -= e.cfg.Lead; x.Due < e.now {
						x.Due += time.Hour
					}
				}
				c.Instances = append(c.Instances, x)
				index[cloud] = append(index[cloud], k)
			}
			s.Clouds = append(s.Clouds, c)
		}
		refused := 0
		for _, a := range e.cfg.Policy.AppendActions(nil, &s) {
			cc := e.cfg.Clouds[a.Cloud-1]
			if !a.Launch {
				e.terminate(&e.instances[index[a.Cloud][a.Instance]], false)
				continue
			}
			granted := 0
			whole := e.cfg.RejectWhole && cc.Reject > 0 && cc.Reject < 1 && e.cfg.Rand.Float64() < cc.Reject
			for range a.Count {
				switch {
				case cc.Reject == 1, whole:
				case cc.Reject > 0 && !e.cfg.RejectWhole && e.cfg.Rand.Float64() < cc.Reject:
				default:
					granted++
				}
			}
			for range granted {
				e.instances = append(e.instances, plainInstance{cloud: a.Cloud, launch: e.now, ready: e.now + e.draw(cc.Boot, MeasuredLaunch()), gone: -1, paid: 1, job: -1})
			}
			e.hours[a.Cloud] += int64(granted)
			e.launched[a.Cloud] += granted
			e.refused[a.Cloud] += a.Count - granted
			refusedBy[a.Cloud] += a.Count - granted
			refused += a.Count - granted
			if granted > 0 {
				e.pay(a.Cloud, e.price(a.Cloud)*pricing.Money(granted))
			}
		}
		if refused == 0 {
			return
		}
	}
}

// An outcome is what the two are compared by.
type outcome struct {
	Starts     []time.Duration
	Places     []int
	Credits    []CreditLevel
	Launched   []int
	Refused    []int
	Hours      []int64
	Cost       pricing.Money
	AWRT, AWQT float64 // s
	Makespan   time.Duration
	Unfinished int
	CoreHours  []float64
	LostHours  []float64
	Revoked    []int
	Requeued   []int
}

func (e *plainEnvironment) outcome() outcome {
	o := outcome{Credits: e.levels, Launched: e.launched, Refused: e.refused, Hours: e.hours, CoreHours: make([]float64, len(e.hours)), LostHours: e.lost, Revoked: e.revoked, Requeued: e.requeued}
	cores, response, queued := 0., 0., 0.
	for i, s := range e.state {
		j := e.jobs[i]
		o.Starts, o.Places = append(o.Starts, s.start), append(o.Places, s.place)
		if !s.ended {
			o.Unfinished++
			if s.start >= 0 {
				o.CoreHours[s.place] += (e.cfg.Horizon - s.start).Hours() * float64(j.Nodes)
			}
			continue
		}
		o.CoreHours[s.place] += (s.end - s.start).Hours() * float64(j.Nodes)
		cores += float64(j.Nodes)
		response += float64(j.Nodes) * (s.end - j.Submit).Seconds()
		queued += float64(j.Nodes) * (s.start - j.Submit).Seconds()
		o.Makespan = max(o.Makespan, s.end-e.jobs[0].Submit)
	}
	if cores > 0 {
		o.AWRT, o.AWQT = response/cores, queued/cores
	}
	for _, x := range e.cost {
		o.Cost += x
	}
	return o
}

func outcomeOf(r Result) outcome {
	o := outcome{
		Starts: slices.Clone(r.Starts), Places: slices.Clone(r.Places), Credits: slices.Clone(r.Credits),
		Cost: r.Cost, AWRT: r.AWRT.Seconds(), AWQT: r.AWQT.Seconds(), Makespan: r.Makespan, Unfinished: r.Unfinished,
	}
	for _, i := range r.Infrastructures {
		o.Launched, o.Refused, o.Hours = append(o.Launched, i.Launched), append(o.Refused, i.Refused), append(o.Hours, i.Hours)
		o.CoreHours, o.LostHours = append(o.CoreHours, i.CoreHours), append(o.LostHours, i.LostHours)
		o.Revoked, o.Requeued = append(o.Revoked, i.Revoked), append(o.Requeued, i.Requeued)
	}
	return o
}

func newSource(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 5)) }
