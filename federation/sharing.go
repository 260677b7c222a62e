package federation

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// [Liu21] Alg. 3, task-aware instance sharing. For a task of home i, d instances in n
// slots:
//
//	expectation of i's demand   −= d in the task's slots
//	m_t = (d − u_i(t))⁺            what is missing at home
//	if some m_t > 0, for the other centres j in order, while some m_t > 0:
//	    e_t = (u_j(t) − expected demand of j)⁺
//	    θ   = the least minimiser of Eq. (20) for m, e
//	    book θ in j: min(θ, e_t) reservations, the rest on demand;  u_j(t) −= min(θ, e_t)
//	    d −= θ,  m_t = (m_t − θ)⁺
//	book d at home: min(d, u_i(t)) reservations, the rest on demand;  u_i(t) −= min(d, u_i(t))
//
// Departures from the paper. Lines 2 and 3 both use the d from before: with the lowered d,
// local reservations would never be used up. Line 11 subtracts min(θ, e_j), as θ may be
// more than is there. Line 14 does not subtract running tasks twice: e_i is what is free
// less what is expected of tasks that have not started. Line 15 uses up u_i(t), and charges
// p_i to C_i. Line 2 follows from Eq. (20): the line only saves asking.
//
// Invariants. u_j(t) ≥ 0 is what was reserved less what all bookings have in j and t, so
// nothing is lent twice or beyond its term. A task's parts add up to all of its
// instances in each of its slots, so no task waits.
//
// Theorem. If every centre knows its demand ([Centre].Demand is what [AddDemand] gives), no
// centre pays more in the federation than alone, whatever prices and order.
//
// Proof. A centre lends in slot t only what exceeds its demand still to come. So if the
// centre lends in t at all, all of that demand fits beside, and lending never makes the
// centre rent. Borrowing is chosen, task by task, to cost no more than what it replaces. A
// part saves min(θ, missing at its time) in a slot. The part saves no less in the end:
// later tasks only add to what is missing, and (x − u)⁺ grows no slower for larger x. Sum
// over tasks and slots. ∎ (TestNobodyLosesWhoKnowsItsDemand)
//
// If centres do not know their demand, the sum of their costs can rise. Both pay 4 on
// demand, and centre 1 has a reservation with F/τ = 2. A task of centre 0, whose data cost
// 1 to send, comes first; a task of centre 1 comes in the same slot. Alone they pay 4 + 0,
// in the federation 2 + 1 and 4 − 2 (TestFederationCanCostMore).
//
// Time: O(slots of the task · centres asked) if prices are convex, see theta.go. Space:
// O(centres · slots + tasks).

// A Booking is a number of instances of one task in one centre over the slots Start ≤ t
// < End. In each of these slots, the same number of them runs on reservations of the
// centre, at the same price. If the reservations or the price of a part change over
// time, the part is several bookings, one after the other.
type Booking struct {
	Task         int // ID
	Home, Centre int // where the task is from, and where this runs
	Start, End   int // slots
	Reserved     int // instances on reservations of Centre
	OnDemand     int // instances on demand in Centre

	Lease   pricing.Money // paid by Home to Centre for Reserved; 0 at home
	Bought  pricing.Money // paid by Home to the provider for OnDemand
	Traffic pricing.Money // paid by Home to the provider for Sent
	Sent    int64         // bytes sent from Home to Centre, in the first booking of a part
}

// Slots returns End − Start.
func (b Booking) Slots() int { return b.End - b.Start }

// charged returns b with what its slots cost at the given prices.
func (b Booking) charged(lease, onDemand pricing.Money) Booking {
	b.Lease = lease * pricing.Money(b.Reserved) * pricing.Money(b.Slots())
	b.Bought = onDemand * pricing.Money(b.OnDemand) * pricing.Money(b.Slots())
	return b
}

// A Sharer is [Liu21] Alg. 3 as a stream: tasks go in, in the order of their starts, and
// bookings come out. The zero value is ready for [Sharer.Reset]. A Sharer keeps its
// memory between runs, and allocates nothing once warm. It is for one goroutine at a
// time.
type Sharer struct {
	centres []Centre // without their slices
	opts    Options
	slots   int
	free    []int // centre by centre, reservations that no task has taken
	pending []int // centre by centre, demand expected of tasks that have not started
	expects []bool
	order   []int // home by home, n-1 centres each, or none
	seen    map[int]struct{}
	now     int
	dearest pricing.Money

	lend, next    asked           // next: of a Reset that may fail
	prices        []pricing.Money // by slot of a task, with a Lending
	missing, idle []int
	split         splitter
	index         []int
}

// Reset makes s ready for a run over centres, which it copies. The error is an
// [*pricing.InputError] about the centres, or about prices of Options.Lending that do not fit; s is
// then unchanged. It panics if an option is none of the constants.
func (s *Sharer) Reset(centres []Centre, opts Options) error {
	opts.check()
	slots, err := checkCentres(centres)
	if err != nil {
		return err
	}
	if len(opts.Lending) > 0 {
		if err := s.next.load(centres, opts.Lending); err != nil {
			return err
		}
		s.lend, s.next = s.next, s.lend
	}
	s.opts, s.slots, s.now, s.dearest = opts, slots, 0, 0
	if len(opts.Lending) > 0 {
		for _, p := range s.lend.prices {
			s.dearest = max(s.dearest, p)
		}
	}
	s.centres, s.free, s.pending, s.order, s.expects = s.centres[:0], s.free[:0], s.pending[:0], s.order[:0], s.expects[:0]
	for i, c := range centres {
		s.free = append(s.free, c.Reserved...)
		s.expects = append(s.expects, c.Demand != nil)
		if c.Demand != nil {
			s.pending = append(s.pending, c.Demand...)
		} else {
			s.pending = append(s.pending, c.Reserved...) // not read
		}
		s.order = appendOrder(s.order, centres, i, opts, &s.lend)
		s.dearest = max(s.dearest, c.OnDemand, c.Fee/pricing.Money(c.Term))
		c.Reserved, c.Demand, c.Delay = nil, nil, nil
		s.centres = append(s.centres, c)
	}
	if s.seen == nil {
		s.seen = map[int]struct{}{}
	}
	clear(s.seen)
	return nil
}

// Add books a task and appends its bookings to dst. A part of a task is the instances that run in
// one centre. The bookings of the parts in other centres come first, in the order of Options.Order.
// The bookings of the part at home follow. The bookings of a part are in the order of slots. Call
// Add for the tasks in the order of their starts; Add serves tasks with equal starts in the order
// of the calls. Time: O(slots · centres) if no share price is above the price on demand in the same
// centre, and O(slots · log slots · centres) otherwise.
//
// The error is an [*pricing.InputError]. After an error, Add has booked nothing, and the caller may
// go on with other tasks. The error unwraps to
//
//   - [ErrRange] if the task has no slot, no instance, or no home among the centres, or if it is
//     not within the centres' slots,
//   - [ErrDuplicate] if an earlier task has the same ID,
//   - [ErrOrder] if the task starts before the last task that Add booked,
//   - [ErrOverflow] if amounts do not fit.
//
// Add panics before the first Reset.
func (s *Sharer) Add(dst []Booking, task Task) ([]Booking, error) {
	if s.centres == nil {
		panic("federation: Add before Reset")
	}
	traffic, err := s.check(task, -1)
	if err != nil {
		return dst, err
	}
	if err := s.accept(task, -1); err != nil {
		return dst, err
	}
	return s.add(dst, task, traffic), nil
}

// accept checks a task's place in the run, and notes its ID.
func (s *Sharer) accept(task Task, k int) error {
	if task.Start < s.now {
		return badInput("Tasks.Start", k, ErrOrder, "task %d starts in slot %d and comes after a task of slot %d: want tasks in the order of their starts", task.ID, task.Start, s.now)
	}
	if _, ok := s.seen[task.ID]; ok {
		return badInput("Tasks.ID", k, ErrDuplicate, "task %d came before: want distinct IDs", task.ID)
	}
	s.seen[task.ID] = struct{}{}
	return nil
}

// check checks a task without its place in the run, and returns what it costs to send
// the data of one instance.
func (s *Sharer) check(task Task, k int) (pricing.Money, error) {
	if err := checkTask(task, k, s.slots); err != nil {
		return 0, err
	}
	if task.Home < 0 || task.Home >= len(s.centres) {
		return 0, badInput("Tasks.Home", k, ErrRange, "task %d is from centre %d: want 0 to %d", task.ID, task.Home, len(s.centres)-1)
	}
	traffic, err := s.centres[task.Home].trafficFor(task.Disk)
	if err != nil {
		return 0, badInput("Tasks.Disk", k, ErrOverflow, "the cost of sending %d bytes of task %d does not fit: want fewer bytes", task.Disk, task.ID)
	}
	// each is the most that an instance can cost; Eq. (20) compares at most twice that.
	// Prices are below 2⁶³/8 over all slots.
	each := int64(s.dearest)*int64(task.Slots()) + min(int64(traffic), math.MaxInt64/2)
	if cost, fits := wide.MulUint(uint64(each), uint64(task.Instances)); !fits || cost > math.MaxInt64/4 || traffic > math.MaxInt64/2 {
		return 0, badInput("Tasks.Instances", k, ErrOverflow, "the cost of %d instances over %d slots of task %d does not fit: want fewer instances", task.Instances, task.Slots(), task.ID)
	}
	if _, fits := wide.Mul(task.Disk, int64(task.Instances)); !fits {
		return 0, badInput("Tasks.Disk", k, ErrOverflow, "%d instances of %d bytes of task %d do not fit: want fewer or smaller instances", task.Instances, task.Disk, task.ID)
	}
	return traffic, nil
}

// row returns what a has of centre i in the slots of a task.
func (s *Sharer) row(a []int, i int, task Task) []int {
	return a[i*s.slots+task.Start : i*s.slots+task.End]
}

// add books a task that has been checked. traffic is for one instance.
func (s *Sharer) add(dst []Booking, task Task, traffic pricing.Money) []Booking {
	s.now = task.Start
	i := task.Home
	home := &s.centres[i]
	if s.expects[i] {
		pending := s.row(s.pending, i, task)
		for t := range pending {
			pending[t] = max(0, pending[t]-task.Instances)
		}
	}
	free := s.row(s.free, i, task)
	here := task.Instances // what is left for home
	if len(s.order) > 0 && slices.Min(free) < here {
		s.missing = s.missing[:0]
		for _, u := range free {
			s.missing = append(s.missing, max(0, here-u))
		}
		n := len(s.centres) - 1
		for _, j := range s.order[i*n : i*n+n] {
			lender := &s.centres[j]
			s.idleOf(j, task)
			r := rates{onDemand: home.OnDemand, elsewhere: s.opts.excessPriceOf(*home, *lender), traffic: traffic}
			var asked []pricing.Money
			if len(s.opts.Lending) == 0 {
				r.share = s.opts.priceOf(*home, *lender)
			} else {
				asked = s.ask(j)
			}
			theta := s.part(r, asked)
			if theta == 0 {
				continue
			}
			dst = s.book(dst, task, j, theta, s.idle, r, asked, int64(theta)*task.Disk)
			here -= theta
			left := 0
			for t, m := range s.missing {
				s.missing[t] = max(0, m-theta)
				left |= s.missing[t]
			}
			if left == 0 {
				break
			}
		}
	}
	if here > 0 {
		dst = s.book(dst, task, i, here, free, rates{elsewhere: home.OnDemand}, nil, 0)
	}
	return dst
}

// ask returns the prices of lender for what s.idle has idle, slot by slot; 0 where
// nothing is.
func (s *Sharer) ask(lender int) []pricing.Money {
	row := s.lend.row(lender)
	s.prices = s.prices[:0]
	for _, e := range s.idle {
		p := pricing.Money(0)
		if e > 0 {
			p = row[e-1]
		}
		s.prices = append(s.prices, p)
	}
	return s.prices
}

// part returns how much of what is missing goes to where s.idle is. asked has the price
// of a lent instance by slot if it is not nil.
func (s *Sharer) part(r rates, asked []pricing.Money) int {
	if s.opts.Excess != NoExcess {
		return s.split.theta(s.missing, s.idle, r, asked)
	}
	// The whole part runs on reservations: what is missing beyond it changes
	// nothing, and its price on demand is never paid. Up to low, Eq. (20) is convex.
	low := slices.Min(s.idle)
	if low == 0 {
		return 0
	}
	for t := range s.idle {
		s.idle[t] = low
	}
	r.elsewhere = r.share
	for _, p := range asked { // r.share is 0
		r.traffic += p
	}
	return min(low, s.split.theta(s.missing, s.idle, r, nil))
}

// idleOf sets s.idle to what centre j lends in the slots of a task.
func (s *Sharer) idleOf(j int, task Task) {
	s.idle = append(s.idle[:0], s.row(s.free, j, task)...)
	if s.expects[j] {
		for t, p := range s.row(s.pending, j, task) {
			s.idle[t] = max(0, s.idle[t]-p)
		}
	}
}

// book books n instances of a task in centre j. In slot t of the task, at most avail[t] of
// them run on reservations. r.elsewhere is the price on demand in j. If asked is not nil,
// asked[t] is the price of a lent instance in that slot, in place of r.share.
func (s *Sharer) book(dst []Booking, task Task, j, n int, avail []int, r rates, asked []pricing.Money, sent int64) []Booking {
	free := s.row(s.free, j, task) // avail may be the same
	for t := 0; t < len(avail); {
		b := Booking{Task: task.ID, Home: task.Home, Centre: j, Start: task.Start + t, Reserved: min(n, avail[t])}
		if t == 0 {
			b.Sent, b.Traffic = sent, r.traffic*pricing.Money(n)
		}
		if asked != nil {
			r.share = asked[t]
		}
		for ; t < len(avail) && min(n, avail[t]) == b.Reserved && (asked == nil || asked[t] == r.share); t++ {
			free[t] -= b.Reserved
		}
		b.End, b.OnDemand = task.Start+t, n-b.Reserved
		dst = append(dst, b.charged(r.share, r.elsewhere))
	}
	return dst
}

// Share books tasks by [Liu21] Alg. 3 and appends the bookings to dst. Tasks may
// come in any order and are taken by (Start, ID). Errors are those of [Sharer.Reset]
// and [Sharer.Share], and dst is then returned as it was; it panics if an option is
// none of the constants. It takes O(slots of tasks · centres) time.
func Share(dst []Booking, centres []Centre, tasks []Task, opts Options) ([]Booking, error) {
	var s Sharer
	if err := s.Reset(centres, opts); err != nil {
		return dst, err
	}
	return s.Share(dst, tasks)
}

// Share books many tasks and appends their bookings to dst. tasks may be in any order. Share books
// tasks in the order of their starts, and tasks with equal starts in the order of their IDs, each
// as [Sharer.Add] does. If IDs follow the order of submission, tasks with equal starts are served
// first come, first served.
//
// Share checks all tasks before it books the first. The error is an [*pricing.InputError] with the
// index in tasks. Later calls may add tasks that start no earlier than the tasks booked so far.
// Share panics before the first Reset.
func (s *Sharer) Share(dst []Booking, tasks []Task) ([]Booking, error) {
	if s.centres == nil {
		panic("federation: Share before Reset")
	}
	s.index = s.index[:0]
	for k, t := range tasks {
		_, err := s.check(t, k)
		if err == nil {
			err = s.accept(t, k)
		}
		if err != nil {
			for _, k := range s.index {
				delete(s.seen, tasks[k].ID)
			}
			return dst, err
		}
		s.index = append(s.index, k)
	}
	slices.SortFunc(s.index, func(a, b int) int {
		return cmp.Or(cmp.Compare(tasks[a].Start, tasks[b].Start), cmp.Compare(tasks[a].ID, tasks[b].ID))
	})
	for _, k := range s.index {
		traffic, _ := s.centres[tasks[k].Home].trafficFor(tasks[k].Disk) // checked above
		dst = s.add(dst, tasks[k], traffic)
	}
	return dst, nil
}
