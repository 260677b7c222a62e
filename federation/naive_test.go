package federation

import (
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// naive is [Liu21] Alg. 3 slot by slot, as slow and plain as can be, with
// exhaustive search for θ. It shares no code with the package but the types.
type naive struct {
	centres []Centre
	opts    Options
	used    [][]int // centre, slot: reservations taken
	started [][]int // centre, slot: instances of own tasks that have started
	parts   map[place]*part
}

type place struct{ task, centre int }

// part is what runs of a task in a centre, per slot, and what was sent.
type part struct {
	task               Task
	reserved, onDemand []int
	asked              []pricing.Money // for a lent instance
	sent               int
}

func newNaive(centres []Centre, opts Options) *naive {
	n := &naive{centres: centres, opts: opts, parts: map[place]*part{}}
	for _, c := range centres {
		n.used = append(n.used, make([]int, len(c.Reserved)))
		n.started = append(n.started, make([]int, len(c.Reserved)))
	}
	return n
}

func (n *naive) left(i, t int) int {
	return n.centres[i].Reserved[t] - n.used[i][t]
}

// idle is e_i(t): (what is left − what own tasks that have not started are expected
// to need)⁺.
func (n *naive) idle(i, t int) int {
	expected := 0
	if d := n.centres[i].Demand; d != nil {
		expected = max(0, d[t]-n.started[i][t])
	}
	return max(0, n.left(i, t)-expected)
}

// share is what home pays lender for an instance when idle of them are.
func (n *naive) share(j, i, idle int) pricing.Money {
	lender, home := n.centres[j], n.centres[i]
	floor := func(a, b int64) pricing.Money { return pricing.Money((a - a%b) / b) }
	if len(n.opts.Lending) > 0 {
		if idle == 0 {
			return 0
		}
		return lendingPrice(n.opts.Lending, floor(int64(lender.Fee), int64(lender.Term)), idle, slices.Max(lender.Reserved))
	}
	switch n.opts.Price {
	case LenderFee:
		return floor(int64(lender.Fee), int64(lender.Term))
	case BorrowerFee:
		return floor(int64(home.Fee), int64(home.Term))
	case Midpoint:
		return floor(int64(floor(int64(lender.Fee), int64(lender.Term))+lender.OnDemand), 2)
	}
	return 0
}

// first is the order in which tasks of home ask.
func (n *naive) first(home int) []int {
	var js []int
	for j := range n.centres {
		if j != home && n.opts.Order != Alone {
			js = append(js, j)
		}
	}
	key := func(j int) [3]int64 {
		c := n.centres[j]
		var k [3]int64
		if n.opts.Order == CheapestFirst {
			k[0], k[1] = int64(n.share(j, home, slices.Max(c.Reserved))), int64(c.OnDemand)
			if n.opts.Excess == AtHomePrice {
				k[1] = 0
			}
		}
		if c.Delay != nil {
			k[2] = int64(c.Delay[home])
		}
		return k
	}
	slices.SortStableFunc(js, func(a, b int) int { x, y := key(a), key(b); return slices.Compare(x[:], y[:]) })
	return js
}

func (n *naive) traffic(t Task) pricing.Money {
	c := int64(n.centres[t.Home].Traffic)
	whole, rest := c*t.Disk/1e9, c*t.Disk%1e9 // small numbers
	if 2*rest > 1e9 || 2*rest == 1e9 && whole%2 == 1 {
		whole++
	}
	return pricing.Money(whole)
}

func (n *naive) at(task Task, j int) *part {
	p := n.parts[place{task.ID, j}]
	if p == nil {
		slots := len(n.centres[0].Reserved)
		p = &part{task: task, reserved: make([]int, slots), onDemand: make([]int, slots), asked: make([]pricing.Money, slots)}
		n.parts[place{task.ID, j}] = p
	}
	return p
}

func (n *naive) put(task Task, j, instances, t, avail int) {
	r := min(instances, avail)
	p := n.at(task, j)
	p.reserved[t] += r
	p.onDemand[t] += instances - r
	n.used[j][t] += r
}

func (n *naive) add(task Task) {
	i, home := task.Home, n.centres[task.Home]
	for t := task.Start; t < task.End; t++ {
		n.started[i][t] += task.Instances
	}
	d := task.Instances
	fits := d // line 2
	for t := task.Start; t < task.End; t++ {
		fits = min(fits, n.left(i, t))
	}
	d -= fits
	for _, j := range n.first(i) {
		elsewhere := n.centres[j].OnDemand
		if n.opts.Excess == AtHomePrice {
			elsewhere = home.OnDemand
		}
		best, least := 0, pricing.Money(0)
		for theta := range d + 1 {
			cost := pricing.Money(theta) * n.traffic(task)
			legal := true
			for t := task.Start; t < task.End; t++ {
				u, e := n.left(i, t)-fits, n.idle(j, t) // line 3
				cost += pricing.Money(max(0, d-theta-u)) * home.OnDemand
				cost += pricing.Money(max(0, theta-e))*elsewhere + pricing.Money(min(theta, e))*n.share(j, i, e)
				legal = legal && (n.opts.Excess != NoExcess || theta <= e)
			}
			if theta == 0 || legal && cost < least {
				best, least = theta, cost
			}
		}
		if best > 0 {
			for t := task.Start; t < task.End; t++ {
				n.at(task, j).asked[t] = n.share(j, i, n.idle(j, t))
				n.put(task, j, best, t, n.idle(j, t))
			}
			n.at(task, j).sent += best
			d -= best
		}
	}
	if d+fits > 0 {
		for t := task.Start; t < task.End; t++ {
			n.put(task, i, d+fits, t, n.left(i, t))
		}
	}
}

// cell is what a task does in a centre in a slot.
type cell struct{ task, centre, slot int }

// cells returns what runs, per task, centre and slot.
func (n *naive) cells() map[cell][2]int {
	m := map[cell][2]int{}
	for at, p := range n.parts {
		for t := range p.reserved {
			if p.reserved[t] != 0 || p.onDemand[t] != 0 {
				m[cell{at.task, at.centre, t}] = [2]int{p.reserved[t], p.onDemand[t]}
			}
		}
	}
	return m
}

// costs returns what each centre pays less what it receives.
func (n *naive) costs() []pricing.Money {
	c := make([]pricing.Money, len(n.centres))
	for at, p := range n.parts {
		i, j := p.task.Home, at.centre
		home, centre := n.centres[i], n.centres[j]
		for t := range p.reserved {
			if i == j {
				c[i] += pricing.Money(p.onDemand[t]) * home.OnDemand
				continue
			}
			lease := pricing.Money(p.reserved[t]) * p.asked[t]
			c[i] += lease
			c[j] -= lease
			elsewhere := centre.OnDemand
			if n.opts.Excess == AtHomePrice {
				elsewhere = home.OnDemand
			}
			c[i] += pricing.Money(p.onDemand[t]) * elsewhere
		}
		c[i] += pricing.Money(p.sent) * n.traffic(p.task)
	}
	return c
}

// expand returns what bookings say per task, centre and slot.
func expand(bookings []Booking) map[cell][2]int {
	m := map[cell][2]int{}
	for _, b := range bookings {
		for t := b.Start; t < b.End; t++ {
			at := cell{b.Task, b.Centre, t}
			v := m[at]
			v[0] += b.Reserved
			v[1] += b.OnDemand
			if v == [2]int{} {
				delete(m, at)
			} else {
				m[at] = v
			}
		}
	}
	return m
}

// costsOf returns what each centre pays less what it receives, by a ledger.
func costsOf(centres int, bookings []Booking) []pricing.Money {
	var l Ledger
	l.Reset(centres)
	if err := l.Post(bookings...); err != nil {
		panic(err)
	}
	var c []pricing.Money
	for _, s := range l.AppendStatements(nil) {
		c = append(c, s.Cost())
	}
	return c
}
