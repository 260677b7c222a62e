package elastic

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// A Draft is a set of actions that a policy is assembling. A Draft keeps the accounts that every
// policy needs, so that all its actions together are feasible. The accounts say which clouds come
// first, what the limits and the credits still allow, which free instances earlier jobs have taken,
// and which idle instances no job needs.
//
// To write a policy of your own, call [Draft.Reset], serve the jobs with [Draft.ServeQueue] or with
// your own loops of [Draft.Serve] and [Draft.Launch], call [Draft.TerminateDue], and return
// [Draft.Actions].
//
// The zero value is ready. Reset begins a new draft and reuses the memory. The cloud arguments of
// the methods are indices in Snapshot.Clouds. The methods panic for other numbers, and before the
// first Reset. Two goroutines must not use a Draft at once.
type Draft struct {
	s      *Snapshot
	dst    []Action
	left   pricing.Money // credits and debt that launches may still use
	hours  int64         // for which Room needs credits, for each instance: 1, or more under Covered
	plain  bool          // all instances have one core of speed 1
	clouds []int         // that can launch, cheapest first
	all    []int         // all infrastructures, cheapest first
	books  []book        // by cloud
	asked  []int         // clouds with launches that are not written down, in order
	// mostSpare and mostCan are upper bounds that save searches. No infrastructure has more than
	// mostSpare cores in spare instances. If a job needs more cores, serve does not search the
	// spare instances. No cloud that can be asked has more than mostCan cores in its spare
	// instances and in the instances that it can still launch. If a job needs more cores, serve
	// does not search for launches. Only launches raise mostSpare, and no action raises mostCan.
	// Once a job holds up the queue, both bounds count only clouds without a price. On 5,000 hours
	// of SDSC-BLUE, OD, OD++ and AQTP take 4 s with the bounds and 92 s without:
	//
	//	go run ./examples/tools/elastic -trace SDSC-BLUE-2000-4.2-cln.swf.gz -horizon 5000h -runs 1 -policy od,od++,aqtp
	mostSpare, mostCan int
}

// A book is what a draft knows of a cloud.
type book struct {
	price pricing.Money
	cores int // of an instance
	room  int // instances that the limit still allows; 0 where none can be launched
	spare int // idle or booting instances, new ones included, that no job has taken
	// Spare instances that are charged before a job can start: dueUp of them before all
	// booting instances are up, dueNew before instances that are launched now are up. Jobs
	// take these instances last.
	dueUp, dueNew int
	launch        int // instances launched and not yet written down, for why
	why           string
}

// Reset begins a draft for the snapshot whose actions are appended to dst. The
// draft refers to the snapshot until the next Reset.
func (d *Draft) Reset(dst []Action, s *Snapshot) {
	d.s, d.dst, d.hours = s, dst, 1
	d.mostSpare, d.mostCan = math.MaxInt, math.MaxInt
	d.left = s.Credits + s.Budget.Debt
	d.clouds, d.all, d.books, d.asked = d.clouds[:0], d.all[:0], d.books[:0], d.asked[:0]
	d.plain = true
	for i := range s.Clouds {
		c := &s.Clouds[i]
		d.plain = d.plain && c.plain()
		b := book{price: c.Price, cores: c.size()}
		asks := !c.Fixed && !c.Closed && c.Refused == 0
		if asks {
			b.room = math.MaxInt / 2 / b.cores // a valid cloud has a limit or a price
			if c.Limit != NoLimit {
				b.room = max(0, c.Limit-len(c.Instances))
			}
		}
		up := s.Now
		for k := range c.Instances {
			if in := &c.Instances[k]; in.State == Booting {
				up = max(up, in.Ready)
			}
		}
		launched := addCapped(addCapped(s.Now, c.Boot), s.Every)
		for k := range c.Instances {
			if in := &c.Instances[k]; in.State == Idle || in.State == Booting {
				b.spare++
				if in.Due < up {
					b.dueUp++
				}
				if in.Due < launched {
					b.dueNew++
				}
			}
		}
		d.books = append(d.books, b)
		d.all = insertCheapest(d.all, s.Clouds, i)
		if asks {
			d.clouds = insertCheapest(d.clouds, s.Clouds, i)
		}
	}
}

// Cheapest returns the clouds that can be asked for instances, as indices in Snapshot.Clouds. These
// clouds are not fixed or closed, and have not refused a request at this evaluation. They are
// sorted by the price of a core-hour divided by the speed. Ties go to the lower index. The slice is
// valid until the next Reset. The caller may reslice it, but must not write to it.
func (d *Draft) Cheapest() []int { return d.clouds }

// Left returns what launches may still spend: the credits and the budget's debt, less
// what the draft spends.
func (d *Draft) Left() pricing.Money { return d.left }

// Spare returns how many instances of the cloud are idle, boot or have been
// launched by this draft, and are not taken by a job.
func (d *Draft) Spare(cloud int) int { return d.books[cloud].spare }

// Room returns how many instances can still be launched in a cloud: by its
// limit, and by the first hour's price and what is left to spend. It is 0 for a
// fixed infrastructure and for a cloud that has refused.
func (d *Draft) Room(cloud int) int {
	b := &d.books[cloud]
	if b.price == 0 || b.room == 0 {
		return b.room
	}
	return int(min(int64(b.room), int64(max(0, d.left)/b.price)/d.hours))
}

// forLaunches returns what may be spent on first hours.
func (d *Draft) forLaunches() pricing.Money { return max(0, d.left) / pricing.Money(d.hours) }

// pays reports whether what is left pays for so many hours of an instance.
func (d *Draft) pays(b *book, hours uint64) bool {
	if b.price == 0 || hours == 0 {
		return true
	}
	cost, ok := wide.MulUint(uint64(b.price), hours)
	return ok && d.left >= 0 && cost <= uint64(d.left)
}

// Launch launches n instances in a cloud, or as many as there is room for, and
// returns how many. Launches in one cloud for one reason make one action. It panics if n is negative.
func (d *Draft) Launch(cloud, n int, why string) int {
	if n < 0 {
		panic("elastic: negative number of instances to launch")
	}
	n = min(n, d.Room(cloud))
	d.launch(cloud, n, why)
	d.mostSpare = max(d.mostSpare, d.books[cloud].has())
	return n
}

// launch launches n instances, for which there is room. A caller that does not take them
// at once must raise mostSpare.
func (d *Draft) launch(cloud, n int, why string) {
	if n == 0 {
		return
	}
	b := &d.books[cloud]
	if b.launch > 0 && b.why != why {
		d.flush()
	}
	if b.launch == 0 {
		d.asked = append(d.asked, cloud)
	}
	b.launch += n
	b.why = why
	b.room -= n
	b.spare += n
	d.left = less(d.left, b.price, n)
}

// less returns what is left of an amount after n hours at a price, or the least amount there is.
func less(left, price pricing.Money, n int) pricing.Money {
	cost, ok := wide.Mul(int64(price), int64(n))
	rest, fits := wide.Add(int64(left), -cost)
	if !ok || !fits {
		return math.MinInt64
	}
	return pricing.Money(rest)
}

// flush writes the launches down.
func (d *Draft) flush() {
	for _, c := range d.asked {
		b := &d.books[c]
		d.dst = append(d.dst, Action{Launch: true, Cloud: c, Count: b.launch, Reason: b.why})
		b.launch = 0
	}
	d.asked = d.asked[:0]
}

// Take takes spare instances of a cloud for a job, so that they serve no other
// and are not terminated. It panics if there are not n, or n is negative.
func (d *Draft) Take(cloud, n int) {
	if n < 0 || n > d.books[cloud].spare {
		panic("elastic: more instances taken than are spare")
	}
	d.books[cloud].take(n)
}

// Serve finds room for a whole job within one infrastructure, takes the instances for the job, and
// reports true. If there is no room, Serve does nothing and reports false.
//
// Serve takes the cheapest infrastructure with enough spare instances. If there is none, Serve
// looks in clouds for a cloud that can launch the missing instances, and launches them with why as
// the Reason. If all instances have one core and speed 1, Serve takes the first such cloud.
// Otherwise it takes the cloud in which the job costs least, and the first of equals.
//
// Serve sets credits aside. Instances that the job takes may be charged before the job can start,
// while others boot. The credits must pay those charges too: otherwise the instances would be given
// back for lack of credits, and the job would never have all its instances. Under Budget.Covered
// the credits must also pay the charges until the end of the job's estimate.
//
// Jobs start in order. So if a job cannot be served, spend nothing on the jobs behind it:
// [Draft.ServeQueue] follows this rule. Serve panics if the job has a negative number of nodes.
// Time: O(clouds).
func (d *Draft) Serve(j *schedule.Job, clouds []int, why string) bool {
	own := len(clouds) == len(d.clouds) && (len(clouds) == 0 || &clouds[0] == &d.clouds[0])
	return d.serve(j, clouds, false, own, why)
}

// serve is Serve, with free in and by clouds without a price only. With bound the clouds
// are the clouds of mostCan.
func (d *Draft) serve(j *schedule.Job, clouds []int, free, bound bool, why string) bool {
	n := j.Nodes
	if n < 0 {
		panic("elastic: job with a negative number of nodes")
	}
	if n <= d.mostSpare {
		most := 0
		for _, c := range d.all {
			b := &d.books[c]
			if free && b.price > 0 {
				break // and so are all after it
			}
			if need := needOf(n, b.cores); b.spare >= need {
				due := max(0, need-(b.spare-b.dueUp))
				if hours := addHours(d.later(j, c), due); d.pays(b, hours) {
					d.left -= b.price * pricing.Money(hours)
					b.take(need)
					return true
				}
			}
			most = max(most, b.has())
		}
		d.mostSpare = most
	}
	if bound && n > d.mostCan {
		return false
	}
	best, least := -1, 0.
	var launch int
	var aside uint64 // instance-hours
	for _, c := range clouds {
		b := &d.books[c]
		need := needOf(n, b.cores)
		missing := max(0, need-b.spare)
		if b.room < missing || free && b.price > 0 {
			continue
		}
		due := max(0, need-missing-(b.spare-b.dueNew))
		if hours := addHours(d.later(j, c), due); d.pays(b, addHours(hours, missing)) {
			if cost := d.s.Clouds[c].cost(n); best < 0 || cost < least {
				best, least, launch, aside = c, cost, missing, hours
			}
			if d.plain {
				break
			}
		}
	}
	if best >= 0 {
		b := &d.books[best]
		d.launch(best, launch, why)
		d.left -= b.price * pricing.Money(aside)
		b.take(needOf(n, b.cores))
		return true
	}
	if bound {
		d.mostCan = 0
		for _, c := range clouds {
			if b := &d.books[c]; !(free && b.price > 0) {
				d.mostCan = max(d.mostCan, b.cores*(b.spare+d.Room(c)))
			}
		}
	}
	return false
}

// later returns how many instance-hours the credits must hold for a job beyond the first
// hours of its instances.
func (d *Draft) later(j *schedule.Job, cloud int) uint64 {
	if !d.s.Budget.Covered {
		return 0
	}
	c := &d.s.Clouds[cloud]
	return instanceHours(c.need(j.Nodes), c.lasts(j.Estimate))
}

// has returns the cores of spare instances.
func (b *book) has() int { return b.cores * b.spare }

// take takes spare instances.
func (b *book) take(n int) {
	b.spare -= n
	b.dueUp, b.dueNew = min(b.dueUp, b.spare), min(b.dueNew, b.spare)
}

// instanceHours returns how many instance-hours begin, at most, while n instances run a
// job, without the hours that are paid at its start. It returns the largest number if
// they are more than can be paid for.
func instanceHours(n int, estimate time.Duration) uint64 {
	hours, ok := wide.MulUint(uint64(n), uint64((max(0, estimate)+time.Hour-1)/time.Hour))
	if !ok {
		return math.MaxUint64
	}
	return hours
}

// addHours adds, up to the largest number.
func addHours(hours uint64, n int) uint64 {
	if sum, ok := wide.AddUint(hours, uint64(n)); ok {
		return sum
	}
	return math.MaxUint64
}

// ServeQueue serves waiting jobs in order, as [Draft.Serve] does with the given clouds. It returns
// the number of jobs that it served before the first job that it could not serve. That job holds up
// the queue: the jobs behind it cannot start earlier than that job. So ServeQueue saves the credits
// for that job, and serves the jobs behind it only in infrastructures without a price.
//
// If parts is true, each job that cannot be served takes a part of its instances in one of the
// given clouds. Only clouds without a price count, and only those whose limit is large enough for
// the whole job. The job takes the spare instances of the cloud and launches more, as far as the
// job needs them and the cloud has room. ServeQueue chooses the cloud with the most cores to take
// in this way, and the first of equals. So the job collects its instances over several evaluations.
// A part is never launched in a cloud with a price: each hour of waiting would use up credits that
// the rest of the job needs.
//
// why is the Reason of all launches. Time: O(jobs·clouds), and little once no instance is left to
// take.
func (d *Draft) ServeQueue(jobs []schedule.Job, clouds []int, parts bool, why string) (served int) {
	d.mostCan = math.MaxInt
	served = -1
	for i := range jobs {
		if d.serve(&jobs[i], clouds, served >= 0, true, why) {
			continue
		}
		if served < 0 {
			served = i
		}
		if parts {
			d.servePart(jobs[i].Nodes, clouds, why)
		}
		if d.mostSpare == 0 && d.mostCan == 0 {
			break
		}
	}
	d.mostCan = math.MaxInt
	if served < 0 {
		return len(jobs)
	}
	d.mostSpare = math.MaxInt
	return served
}

// servePart launches and takes instances for a job in the cloud without a price where the
// job gets most.
func (d *Draft) servePart(n int, clouds []int, why string) {
	best, most := -1, 0
	for _, c := range clouds {
		b := &d.books[c]
		if can := b.cores * (b.spare + b.room); b.price == 0 && can > most && n <= d.s.Clouds[c].cores(d.s.Clouds[c].Limit) {
			best, most = c, can
		}
	}
	if best < 0 {
		return
	}
	need := needOf(n, d.books[best].cores)
	d.launch(best, min(d.books[best].room, max(0, need-d.books[best].spare)), why)
	d.books[best].take(min(need, d.books[best].spare))
}

// TerminateDue terminates idle instances that would be charged before the next evaluation and that
// no job has taken ([Marshall12] section III.A, OD++). An instance whose charge falls exactly on
// the next evaluation stays, since that evaluation can still terminate it. Instances of fixed
// infrastructures stay. If keepFree is true, instances of clouds without a price stay, too. why is
// the Reason of the actions. TerminateDue returns the number of terminated instances.
//
// A job takes the instances with the latest next charge first. So the instances that no job has
// taken are those with the earliest next charge.
func (d *Draft) TerminateDue(keepFree bool, why string) int {
	return d.terminate(d.s.Now+min(d.s.Every, schedule.Never-d.s.Now), keepFree, why)
}

// TerminateIdle terminates all idle instances that no job has taken. With
// keepFree those of clouds without a price stay. It returns how many.
func (d *Draft) TerminateIdle(keepFree bool, why string) int {
	return d.terminate(schedule.Never, keepFree, why)
}

func (d *Draft) terminate(before time.Duration, keepFree bool, why string) int {
	d.flush()
	total := 0
	for i := range d.s.Clouds {
		c := &d.s.Clouds[i]
		if c.Fixed || keepFree && c.Price == 0 {
			continue
		}
		for k := range c.Instances {
			if d.books[i].spare == 0 {
				break
			}
			if in := &c.Instances[k]; in.State == Idle && (in.Due < before || before == schedule.Never) {
				d.dst = append(d.dst, Action{Cloud: i, Count: 1, Instance: k, Reason: why})
				d.books[i].spare--
				total++
			}
		}
	}
	return total
}

// Actions returns the slice that was passed to Reset, with the actions of the draft
// appended.
func (d *Draft) Actions() []Action {
	d.flush()
	dst := d.dst
	d.s, d.dst = nil, nil
	return dst
}
