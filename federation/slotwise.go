package federation

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// Tasks split by slot. Here each instance of a task may run in another centre in each
// slot. An instance that is away in some of its slots pays that share of what sending
// its data costs. A task pays that if it is a bag of pieces of work, one for each
// instance and slot, each with its piece of the data.
//
// A plan whose parts stay in one centre costs the same under this rule: a part that is
// away is away in all of its slots and pays all of the traffic. So the least cost here
// is at most the least cost there: it is a bound, and says what splitting could save at
// most.
//
// The slots do not depend on each other, and each is a transportation problem with a
// simple answer. Let w be the cost of sending an instance in this slot, the same to any
// centre. Say a centre has o more instances than reservations. Then the o instances with
// the least w may as well be the ones that go. Each saves p − w with an idle reservation
// elsewhere, and p − w − p_min on demand in the cheapest centre. So sort them by what
// they save, and let the idle reservations, all alike, go to the first.
//
// Proof. Let λ be what the first instance left without an idle reservation would save
// with one, from 0 to p_min, or 0 if none is left. Let an instance-slot cost λ in
// centres with idle reservations or none missing, and min(p, λ + w) in the others, where
// w is that of the o-th instance (p if fewer than o can go). At these prices every
// instance is where it is cheapest. Each centre whose price is below p has no instance
// on demand or is the cheapest centre. No centre with a price above 0 has an idle
// reservation. So L(π) of bound.go, slot by slot, is the cost. □ In the bound for parts
// that stay, these prices prove at least as much: the least of sums is at least the sum
// of the leasts.
//
// A task's traffic is divided among its slots in whole nanos: the q-th of L slots pays
// c·(q+1)/L − c·q/L, rounded down each, which adds up to c.
//
// Time: O(a log a) a slot in which a tasks run. Space: linear in tasks, and in moves if
// they are wanted.
type slotwise struct {
	byStart []int32
	active  []int32
	items   []item
	offers  []item
	over    []int64
	least   []int64 // w of the last instance that may go, or MaxInt64
	moves   []Move
}

// An item is n instances of a task with the same w, or the same gain.
type item struct {
	value int64
	n     int64
	task  int32
	home  int32
}

// A Move says that a number of instances of a task run in another centre in a slot, and
// what they pay for traffic.
type Move struct {
	Index     int // of the task
	Slot      int
	Centre    int
	Instances int
	Traffic   pricing.Money
}

// A SlotOptimum is the result of [Slotwise.Solve], without what is spent on
// reservations.
type SlotOptimum struct {
	Cost     pricing.Money // OnDemand + Traffic; no plan costs less
	OnDemand pricing.Money
	Traffic  pricing.Money
}

// A Slotwise solves exactly the sharing problem for tasks that may be split by slot, and
// pay traffic by the share of slots in which they are away. The zero value is ready. A
// Slotwise keeps its memory, and allocates nothing once warm. It is for one goroutine at
// a time.
type Slotwise struct {
	model
	slotwise
}

// Solve returns the least cost. The error is an [*InputError], as from
// [Optimizer.Solve]. IDs of tasks need not differ.
//
// Ties: of instances that save the same, the instances of the first tasks go, to the
// first centres that have idle reservations.
//
// Time: O(a·log a) for each slot in which a tasks run.
func (s *Slotwise) Solve(centres []Centre, tasks []Task) (SlotOptimum, error) {
	if err := s.load(centres, tasks); err != nil {
		return SlotOptimum{}, err
	}
	onDemand, traffic := s.solve(&s.model, nil, true)
	return SlotOptimum{pricing.Money(onDemand + traffic), pricing.Money(onDemand), pricing.Money(traffic)}, nil
}

// AppendMoves appends the plan that Solve found last, by slot. Instances that do not
// move run at home, on reservations while there are any.
func (s *Slotwise) AppendMoves(dst []Move) []Move { return append(dst, s.moves...) }

// solve solves a model. It writes the prices that prove the result if there is room for
// them, and records the moves if record is set.
func (s *slotwise) solve(m *model, prices []int64, record bool) (onDemand, traffic int64) {
	n := m.centres
	s.moves = s.moves[:0]
	s.byStart = grow.To(s.byStart, len(m.tasks))
	for k := range m.tasks {
		s.byStart[k] = int32(k)
	}
	slices.SortFunc(s.byStart, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.tasks[a].start, m.tasks[b].start), cmp.Compare(a, b))
	})
	s.over, s.least = grow.To(s.over, n), grow.To(s.least, n)
	cheapest := 0
	for j, p := range m.price {
		if p < m.price[cheapest] {
			cheapest = j
		}
	}
	low := m.price[cheapest]
	s.active = s.active[:0]
	next := 0
	for t := range int32(m.slots) {
		s.active = slices.DeleteFunc(s.active, func(k int32) bool { return m.tasks[k].end <= t })
		for ; next < len(s.byStart) && m.tasks[s.byStart[next]].start == t; next++ {
			s.active = append(s.active, s.byStart[next])
		}
		for j := range n {
			s.over[j], s.least[j] = m.base[j*m.slots+int(t)], math.MaxInt64
		}
		s.items = s.items[:0]
		for _, k := range s.active {
			task := &m.tasks[k]
			length, q := int64(task.end-task.start), int64(t-task.start)
			w := task.send*(q+1)/length - task.send*q/length
			s.items = append(s.items, item{w, task.n, k, task.home})
			s.over[task.home] += task.n
		}
		idle := int64(0)
		short := false
		for j, o := range s.over {
			idle += max(0, -o)
			onDemand += max(0, o) * m.price[j]
			short = short || o > 0
		}
		if !short {
			if prices != nil {
				for j := range n {
					prices[j*m.slots+int(t)] = 0
				}
			}
			continue
		}
		slices.SortFunc(s.items, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.home, b.home), cmp.Compare(a.value, b.value), cmp.Compare(a.task, b.task))
		})
		s.offers = s.offers[:0]
		for i := 0; i < len(s.items); {
			home := s.items[i].home
			left := s.over[home]
			for ; i < len(s.items) && s.items[i].home == home; i++ {
				if it := s.items[i]; left > 0 {
					it.n = min(it.n, left)
					left -= it.n
					s.least[home] = it.value
					it.value = m.price[home] - it.value
					s.offers = append(s.offers, it)
				}
			}
			if left > 0 {
				s.least[home] = math.MaxInt64
			}
		}
		slices.SortFunc(s.offers, func(a, b item) int {
			return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.task, b.task))
		})
		lambda, lender := int64(-1), 0
		for _, of := range s.offers {
			if of.value <= 0 {
				break
			}
			take := min(idle, of.n)
			idle -= take
			rest := of.n - take
			if rest > 0 && lambda < 0 {
				lambda = min(of.value, low)
			}
			if of.value <= low {
				rest = 0
			}
			if take+rest == 0 {
				break
			}
			home := int(of.home)
			w := m.price[home] - of.value
			onDemand += rest*low - (take+rest)*m.price[home]
			traffic += (take + rest) * w
			if !record {
				continue
			}
			index := int(m.tasks[of.task].index)
			for take > 0 {
				for s.over[lender] >= 0 {
					lender++
				}
				d := min(take, -s.over[lender])
				s.over[lender] += d
				take -= d
				s.moves = append(s.moves, Move{index, int(t), lender, int(d), pricing.Money(d * w)})
			}
			if rest > 0 {
				s.moves = append(s.moves, Move{index, int(t), cheapest, int(rest), pricing.Money(rest * w)})
			}
		}
		if prices == nil {
			continue
		}
		lambda = max(lambda, 0)
		for j := range n {
			p := lambda
			if s.over[j] > 0 {
				p = m.price[j]
				if s.least[j] < p-lambda {
					p = lambda + s.least[j]
				}
			}
			prices[j*m.slots+int(t)] = p
		}
	}
	return onDemand, traffic
}
