package federation

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// Verify checks bookings against the tasks and centres that they are for, whatever found
// them:
//
//   - each task runs, whole, in each of its slots, and in no other slot;
//   - no centre has more on its reservations, in any slot, than are active;
//   - leases and instances on demand cost what opts say, to the nano; with a Lending,
//     leases cost a price that the lender asks;
//   - each centre that a task is in, other than its home, has been sent the disks of as
//     many of its instances as are ever there at once, and they are paid for.
//
// Bookings with negative counts and amounts take back others.
//
// The error is an [*InputError] that unwraps to [ErrUnbalanced], to [ErrOverflow] if
// counts or amounts do not fit in 64 bits, or that says what is wrong with centres and
// tasks. It panics if an option is none of the constants. Time: O(n·log n) for n
// bookings, plus their slots.
func Verify(centres []Centre, tasks []Task, bookings []Booking, opts Options) error {
	opts.check()
	slots, err := checkCentres(centres)
	if err != nil {
		return err
	}
	var own asked
	if len(opts.Lending) > 0 {
		if err := own.load(centres, opts.Lending); err != nil {
			return err
		}
	}
	byID := make(map[int]int, len(tasks))
	for k, t := range tasks {
		if err := checkTask(t, k, slots); err != nil {
			return err
		}
		if t.Home < 0 || t.Home >= len(centres) {
			return badInput("Tasks.Home", k, ErrRange, "task %d is from centre %d: want 0 to %d", t.ID, t.Home, len(centres)-1)
		}
		if first, ok := byID[t.ID]; ok {
			return badInput("Tasks.ID", k, ErrDuplicate, "task %d is also at %d: want distinct IDs", t.ID, first)
		}
		byID[t.ID] = k
	}

	index := make([]int, len(bookings))
	used := make([]int64, len(centres)*slots)
	var sums checked
	wrapped := func(k int) error {
		return badInput("Bookings", k, ErrOverflow, "counts and amounts up to this booking of task %d do not fit in 64 bits: want fewer or smaller bookings", bookings[k].Task)
	}
	for k, b := range bookings {
		index[k] = k
		at, ok := byID[b.Task]
		if !ok {
			return badInput("Bookings.Task", k, ErrUnbalanced, "a booking of task %d, which is not there: want bookings of the tasks", b.Task)
		}
		t := tasks[at]
		if b.Home != t.Home || b.Centre < 0 || b.Centre >= len(centres) || b.Start < t.Start || b.End > t.End || b.Start >= b.End {
			return badInput("Bookings", k, ErrUnbalanced, "task %d of centre %d runs in slots %d to %d, and the booking is for centre %d and home %d in slots %d to %d: want the booking within its task", t.ID, t.Home, t.Start, t.End, b.Centre, b.Home, b.Start, b.End)
		}
		home, centre := centres[b.Home], centres[b.Centre]
		n := int64(b.Slots())
		lease, bought := pricing.Money(0), home.OnDemand
		if b.Home != b.Centre {
			bought = opts.excessPriceOf(home, centre)
			if len(opts.Lending) == 0 {
				lease = opts.priceOf(home, centre)
			} else if unit := sums.times(int64(b.Reserved), n); unit != 0 {
				// Bookings do not say what was idle, so any price of the lender will do.
				lease = b.Lease / pricing.Money(unit)
				if !slices.Contains(own.row(b.Centre), lease) {
					return badInput("Bookings.Lease", k, ErrUnbalanced, "%v for %d leased over %d slots: want a price that centre %d asks", b.Lease, b.Reserved, b.Slots(), b.Centre)
				}
			}
		}
		leases := sums.times(sums.times(int64(lease), int64(b.Reserved)), n)
		onDemand := sums.times(sums.times(int64(bought), int64(b.OnDemand)), n)
		if int64(b.Lease) != leases || int64(b.Bought) != onDemand {
			return badInput("Bookings.Lease", k, ErrUnbalanced, "%v and %v for %d leased and %d on demand over %d slots: want prices of %v and %v each", b.Lease, b.Bought, b.Reserved, b.OnDemand, b.Slots(), lease, bought)
		}
		for at := b.Start; at < b.End; at++ {
			u := &used[b.Centre*slots+at]
			*u = sums.plus(*u, int64(b.Reserved))
		}
		if sums.wrapped {
			return wrapped(k)
		}
	}
	for i, c := range centres {
		for t, u := range c.Reserved {
			if got := used[i*slots+t]; got < 0 || got > int64(u) {
				return badInput("Centres.Reserved", i, ErrUnbalanced, "%d of %d reservations are booked in slot %d: want no more than there are", got, u, t)
			}
		}
	}

	slices.SortFunc(index, func(a, b int) int {
		x, y := bookings[a], bookings[b]
		return cmp.Or(cmp.Compare(x.Task, y.Task), cmp.Compare(x.Centre, y.Centre), cmp.Compare(a, b))
	})
	var runs, there, demand []int64 // instances in the task's slots, in all and in one centre
	for i := 0; i < len(index); {
		task := tasks[byID[bookings[index[i]].Task]]
		delete(byID, task.ID)
		runs = append(runs[:0], make([]int64, task.Slots())...)
		for i < len(index) && bookings[index[i]].Task == task.ID {
			first := i
			j := bookings[index[i]].Centre
			there = append(there[:0], make([]int64, task.Slots())...)
			demand = append(demand[:0], there...)
			var sent, traffic, most int64
			for ; i < len(index) && bookings[index[i]].Task == task.ID && bookings[index[i]].Centre == j; i++ {
				b := bookings[index[i]]
				for t := b.Start; t < b.End; t++ {
					at := t - task.Start
					there[at] = sums.plus(there[at], int64(b.Reserved))
					demand[at] = sums.plus(demand[at], int64(b.OnDemand))
					runs[at] = sums.plus(sums.plus(runs[at], int64(b.Reserved)), int64(b.OnDemand))
					most = max(most, sums.plus(there[at], demand[at]))
				}
				sent = sums.plus(sent, b.Sent)
				traffic = sums.plus(traffic, int64(b.Traffic))
				if sums.wrapped {
					return wrapped(index[i])
				}
			}
			for t := range there {
				if there[t] < 0 || demand[t] < 0 {
					return badInput("Bookings", index[first], ErrUnbalanced, "task %d has %d reservations and %d instances on demand in centre %d in slot %d: want none below 0", task.ID, there[t], demand[t], j, task.Start+t)
				}
			}
			if j == task.Home {
				most = 0
			}
			var each pricing.Money
			if most > 0 {
				if each, err = centres[task.Home].trafficFor(task.Disk); err != nil {
					return err
				}
			}
			data, cost := sums.times(most, task.Disk), sums.times(most, int64(each))
			if sums.wrapped {
				return wrapped(index[first])
			}
			if sent != data || traffic != cost {
				return badInput("Bookings.Sent", index[first], ErrUnbalanced, "task %d has sent %d bytes to centre %d for %v: want %d instances of %d bytes at %v each", task.ID, sent, j, pricing.Money(traffic), most, task.Disk, each)
			}
		}
		for t, n := range runs {
			if n != int64(task.Instances) {
				return badInput("Bookings", index[i-1], ErrUnbalanced, "task %d has %d instances in slot %[4]d: want %[3]d", task.ID, n, task.Instances, task.Start+t)
			}
		}
	}
	for k, t := range tasks {
		if _, ok := byID[t.ID]; ok {
			return badInput("Tasks.ID", k, ErrUnbalanced, "task %d has no booking: want one or more", t.ID)
		}
	}
	return nil
}

// checked adds and multiplies, and notes if a result did not fit.
type checked struct{ wrapped bool }

func (c *checked) plus(a, b int64) int64 {
	sum := a + b
	if (sum < a) != (b < 0) {
		c.wrapped = true
	}
	return sum
}

func (c *checked) times(a, b int64) int64 {
	p := a * b
	if a != 0 && (p/a != b || a == -1 && b == math.MinInt64) {
		c.wrapped = true
	}
	return p
}
