package schedule

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Draft is a set of actions in the making. It keeps the books that every
// policy needs, so that whatever is asked of it the actions are feasible
// together: which clouds come first, what the limits and the credits still
// allow, which free instances the jobs before have taken, which idle instances
// nobody wants. A policy of one's own is a loop over jobs or clouds with
// [Draft.Serve], [Draft.Launch] and [Draft.TerminateDue].
//
// The zero value is ready; Reset begins a draft and keeps the memory. A Draft
// must not be used by two goroutines at once.
type Draft struct {
	s      *Snapshot
	dst    []Action
	left   pricing.Money // credits and debt that launches may still use
	clouds []int         // that can launch, cheapest first
	all    []int         // all infrastructures, cheapest first
	books  []book        // by cloud
	asked  []int         // clouds with launches that are not written down, in order
	state  int           // counts launches
	// Upper bounds that spare a full queue its searches: no infrastructure has
	// more than mostSpare spare instances, no cloud that can be asked more than
	// mostCan spare ones and room together. That sum never grows in a draft, and
	// what is spare grows by launches alone.
	mostSpare, mostCan int
}

// A book is what a draft knows of a cloud.
type book struct {
	held   int // instances that count for the limit, new ones included
	spare  int // idle or booting instances, new ones included, that no job has taken
	launch int // instances launched and not yet written down, for why
	why    Reason
	room   int // what Room returned in the state of the books that asOf numbers
	asOf   int
}

// Reset begins a draft for the snapshot whose actions are appended to dst. The
// draft refers to the snapshot until the next Reset.
func (d *Draft) Reset(dst []Action, s *Snapshot) {
	d.s, d.dst, d.state = s, dst, 1
	d.mostSpare, d.mostCan = math.MaxInt, math.MaxInt
	d.left = s.Credits + s.Budget.Debt
	d.clouds, d.all, d.books, d.asked = d.clouds[:0], d.all[:0], d.books[:0], d.asked[:0]
	for i := range s.Clouds {
		c := &s.Clouds[i]
		b := book{held: len(c.Instances)}
		for k := range c.Instances {
			if st := c.Instances[k].State; st == Idle || st == Booting {
				b.spare++
			}
		}
		d.books = append(d.books, b)
		d.all = d.insert(d.all, i)
		if !c.Fixed && c.Refused == 0 {
			d.clouds = d.insert(d.clouds, i)
		}
	}
}

// insert keeps a list of clouds sorted by price, then by index.
func (d *Draft) insert(list []int, i int) []int {
	list = append(list, i)
	k := len(list) - 1
	for ; k > 0 && d.s.Clouds[list[k-1]].Price > d.s.Clouds[i].Price; k-- {
		list[k] = list[k-1]
	}
	list[k] = i
	return list
}

// Cheapest returns the clouds that can be asked for instances, as indices in
// Snapshot.Clouds: not fixed, without a refusal at this evaluation, ordered by
// price and then by index. It is valid until the next Reset and may be resliced
// but not be written to.
func (d *Draft) Cheapest() []int { return d.clouds }

// Left returns what launches may still spend: the credits, the budget's debt
// added, less what the draft spends.
func (d *Draft) Left() pricing.Money { return d.left }

// Spare returns how many instances of the cloud are idle, boot or have been
// launched by this draft, and are not taken by a job.
func (d *Draft) Spare(cloud int) int { return d.books[cloud].spare }

// Room returns how many instances can still be launched in a cloud: by its
// limit, and by the first hour's price and what is left to spend. It is 0 for a
// fixed infrastructure and for a cloud that has refused.
func (d *Draft) Room(cloud int) int {
	b := &d.books[cloud]
	if b.asOf != d.state {
		b.room, b.asOf = d.room(cloud), d.state
	}
	return b.room
}

func (d *Draft) room(cloud int) int {
	c := &d.s.Clouds[cloud]
	if c.Fixed || c.Refused > 0 {
		return 0
	}
	n := math.MaxInt / 2 // a valid cloud has a limit or a price
	if c.Limit != NoLimit {
		n = max(0, c.Limit-d.books[cloud].held)
	}
	if c.Price > 0 {
		n = int(min(int64(n), int64(max(0, d.left)/c.Price)))
	}
	return n
}

// Launch launches n instances in a cloud, or as many as there is room for, and
// returns how many. Launches in one cloud for one reason make one action. It panics if n is negative.
func (d *Draft) Launch(cloud, n int, why Reason) int {
	if n < 0 {
		panic("schedule: negative number of instances to launch")
	}
	n = min(n, d.Room(cloud))
	d.launch(cloud, n, why)
	d.mostSpare = max(d.mostSpare, d.books[cloud].spare)
	return n
}

// launch launches n instances, for which there is room. Whoever does not take
// them at once has to raise mostSpare.
func (d *Draft) launch(cloud, n int, why Reason) {
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
	b.held += n
	b.spare += n
	d.state++
	d.left -= d.s.Clouds[cloud].Price * pricing.Money(n)
}

// flush writes the launches down.
func (d *Draft) flush() {
	for _, c := range d.asked {
		b := &d.books[c]
		d.dst = append(d.dst, Action{Kind: Launch, Cloud: c, Count: b.launch, Reason: b.why})
		b.launch = 0
	}
	d.asked = d.asked[:0]
}

// Take takes spare instances of a cloud for a job, so that they serve no other
// and are not terminated. It panics if there are not n, or n is negative.
func (d *Draft) Take(cloud, n int) {
	if n < 0 || n > d.books[cloud].spare {
		panic("schedule: more instances taken than are spare")
	}
	d.books[cloud].spare -= n
}

// Serve finds room for a whole job of n nodes within one infrastructure: the
// cheapest that has n spare instances, or else the first of the given clouds
// where launching what is missing is possible. It launches that, takes the
// instances and reports true. If there is no such cloud it does nothing and
// reports false. Time: O(clouds).
func (d *Draft) Serve(n int, clouds []int, why Reason) bool {
	if n <= d.mostSpare {
		most := 0
		for _, c := range d.all {
			b := &d.books[c]
			if b.spare >= n {
				b.spare -= n
				return true
			}
			most = max(most, b.spare)
		}
		d.mostSpare = most
	}
	if n > d.mostCan {
		return false
	}
	most := 0
	for _, c := range clouds {
		b := &d.books[c]
		missing := n - b.spare
		room := d.Room(c)
		if room >= missing {
			d.launch(c, missing, why)
			b.spare = 0
			return true
		}
		most = max(most, b.spare+room)
	}
	if len(clouds) == len(d.clouds) {
		d.mostCan = most
	}
	return false
}

// ServePart is for a job that [Draft.Serve] had no room for: it launches as many
// instances as it can in that one of the given clouds where most of the job then
// has room, the first of these, and takes all that is spare there. So the job
// gets its instances over several evaluations. It returns how many it launched.
func (d *Draft) ServePart(n int, clouds []int, why Reason) int {
	if d.mostCan == 0 {
		return 0
	}
	best, most := -1, 0
	for _, c := range clouds {
		if can := d.books[c].spare + d.Room(c); can > most {
			best, most = c, can
		}
	}
	if best < 0 {
		return 0
	}
	launched := d.Launch(best, max(0, n-d.books[best].spare), why)
	d.books[best].spare -= min(n, d.books[best].spare)
	return launched
}

// TerminateDue terminates the idle instances that would be charged before the
// next evaluation and that no job has taken ([Marshall12] section III.A, OD++).
// An instance whose charge falls on the next evaluation itself can wait for it.
// With keepFree those of clouds without a price stay. It returns how many.
//
// A job takes what is paid for longest: of a cloud's idle instances those that
// are due are the last to be taken.
func (d *Draft) TerminateDue(keepFree bool, why Reason) int {
	return d.terminate(d.s.Now+min(d.s.Every, Never-d.s.Now), keepFree, why)
}

// TerminateIdle terminates all idle instances that no job has taken. With
// keepFree those of clouds without a price stay. It returns how many.
func (d *Draft) TerminateIdle(keepFree bool, why Reason) int {
	return d.terminate(Never, keepFree, why)
}

func (d *Draft) terminate(before time.Duration, keepFree bool, why Reason) int {
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
			if in := &c.Instances[k]; in.State == Idle && (in.Due < before || before == Never) {
				d.dst = append(d.dst, Action{Kind: Terminate, Cloud: i, Count: 1, Instance: k, Reason: why})
				d.books[i].spare--
				total++
			}
		}
	}
	return total
}

// Actions returns what was given to Reset with the actions of the draft
// appended.
func (d *Draft) Actions() []Action {
	d.flush()
	dst := d.dst
	d.s, d.dst = nil, nil
	return dst
}
