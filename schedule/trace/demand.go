package trace

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A demand curve is the number of instances that each slot needs. The jobs run at given
// times. The rules differ in which job may take over an instance, within a slot, from a
// job that has ended. With H the set of jobs that hold instances at the instant t, each
// n_j of them from its start up to but not including its end:
//
//	SharedByAll    D_s = max over t in s of Σ_{j ∈ H(t)} n_j
//	SharedByUser   D_s = Σ_u max over t in s of Σ_{j ∈ H(t), user(j) = u} n_j
//	Unshared       D_s = Σ n_j over the jobs that hold at any t in s
//
// A maximum of sums is at most the sum of maxima, so that each rule needs no
// less than the one before it.
//
// The first two are a sweep over the starts and ends in the order of time,
// user by user for the second. Invariant: having passed all events before t,
// level is the sum of n_j over H(t−), and peak its maximum over the part of
// t's slot before t. The third is a sum of differences: +n_j at the first
// slot, −n_j behind the last, then prefix sums.
// Space: O(n), but for Unshared, which needs none.

// Sharing says which jobs may use one instance one after the other within a
// slot.
type Sharing int

const (
	// SharedByAll lets any job take what another gives back: the demand of a slot
	// is the peak of instances held at the same time within it.
	SharedByAll Sharing = iota
	// SharedByUser is the rule of [Liu21] section 5.1: within a slot an instance serves
	// jobs of one user only, one after the other. So each user needs the peak of instances
	// that their jobs hold at the same time within the slot, and the slot needs the sum over
	// users. A job whose user is unknown (negative) shares with none.
	SharedByUser
	// Unshared gives each job instances of its own in every slot that it touches.
	// No rule of sharing can reach the totals of LANL-CM5 that [Liu21] section 5.1 prints.
	Unshared
)

// DemandOptions are the choices of a demand curve. The zero value is the
// default: slots of an hour from time 0 to the last end, shared by all.
type DemandOptions struct {
	Slot    time.Duration // length of a slot; 0 means an hour
	Sharing Sharing       // who may take over an instance within a slot
	From    time.Duration // where the first slot begins
	Slots   int           // how many slots; 0 means up to the last end
}

// maxSlots bounds the curve that data can ask for, 512 MiB.
const maxSlots = 1 << 26

// A sweep computes demand curves and keeps its memory between calls. The zero
// value is ready.
type sweep struct {
	events []event
}

// event is a change of the instances that a user's jobs hold.
type event struct {
	user int
	at   time.Duration // since DemandOptions.From
	n    int
}

// AppendDemand appends to dst the number of instances that each slot needs, and returns the
// extended slice. Job i holds its Nodes for its Run, from starts[i] on. If starts is nil, job i
// starts at its Submit. If a job ends at the moment at which another job starts, the two do not
// overlap. Only the part of a job within the slots counts: a job that starts before the first slot
// counts from the beginning of that slot. Jobs may come in any order. AppendDemand does not modify
// them.
//
// The error is a *schedule.InputError; AppendDemand then returns dst as it was. The error is for
// opts that ask for more than 2²⁶ slots, or has the index of the job that
//
//   - holds no instance or no time,
//   - starts or ends beyond the range of [time.Duration],
//   - makes the curve longer than 2²⁶ slots, or
//   - makes the values of the curve overflow.
//
// AppendDemand panics if starts is neither nil nor as long as jobs, or if an option is out of
// range.
//
// Time is O(n log n + slots) for n jobs. For SharedByUser it is O(n log n + users · slots) at
// worst, and for Unshared O(n + slots).
func AppendDemand(dst []int, jobs []Job, starts []time.Duration, opts DemandOptions) ([]int, error) {
	var s sweep
	return s.appendDemand(dst, jobs, starts, opts)
}

func (s *sweep) appendDemand(dst []int, jobs []Job, starts []time.Duration, opts DemandOptions) ([]int, error) {
	if starts != nil && len(starts) != len(jobs) {
		panic("trace: lengths of jobs and starts differ")
	}
	if opts.Slot < 0 {
		panic("trace: negative slot")
	}
	if opts.Slots < 0 {
		panic("trace: negative number of slots")
	}
	if opts.Sharing < 0 || opts.Sharing > Unshared {
		panic("trace: unknown rule of sharing")
	}
	slot := opts.Slot
	if slot == 0 {
		slot = time.Hour
	}

	slots, err := checkHolds(jobs, starts, slot, opts)
	if err != nil {
		return dst, err
	}
	base := len(dst)
	dst = slices.Grow(dst, slots)[:base+slots]
	curve := dst[base:]
	clear(curve)
	end := time.Duration(math.MaxInt64)
	if time.Duration(slots) <= end/slot {
		end = time.Duration(slots) * slot
	}

	s.events = s.events[:0]
	for i := range jobs {
		j := &jobs[i]
		from := start(jobs, starts, i) - opts.From
		to := min(from+j.Run, end)
		from = max(from, 0)
		switch {
		case from >= to:
		case opts.Sharing == Unshared || opts.Sharing == SharedByUser && j.User < 0:
			curve[from/slot] += j.Nodes
			if after := (to-1)/slot + 1; int(after) < slots {
				curve[after] -= j.Nodes
			}
		default:
			user := 0
			if opts.Sharing == SharedByUser {
				user = j.User
			}
			s.events = append(s.events, event{user, from, j.Nodes}, event{user, to, -j.Nodes})
		}
	}
	level := 0
	for i, n := range curve {
		level += n
		curve[i] = level
	}
	slices.SortFunc(s.events, func(a, b event) int {
		if a.user != b.user {
			return cmp.Compare(a.user, b.user)
		}
		return cmp.Compare(a.at, b.at)
	})
	for ev := s.events; len(ev) > 0; {
		n := 1
		for n < len(ev) && ev[n].user == ev[0].user {
			n++
		}
		addPeaks(curve, ev[:n], slot)
		ev = ev[n:]
	}
	return dst, nil
}

func start(jobs []Job, starts []time.Duration, i int) time.Duration {
	if starts == nil {
		return jobs[i].Submit
	}
	return starts[i]
}

// checkHolds checks the jobs and returns the number of slots.
func checkHolds(jobs []Job, starts []time.Duration, slot time.Duration, opts DemandOptions) (int, error) {
	var last time.Duration // the latest end, since opts.From
	latest, sum := 0, 0
	for i := range jobs {
		j := &jobs[i]
		from := start(jobs, starts, i)
		switch {
		case j.Nodes <= 0:
			return 0, badInput("Jobs.Nodes", i, ErrRange, "%d: want more than 0", j.Nodes)
		case j.Run <= 0:
			return 0, badInput("Jobs.Run", i, ErrRange, "%v: want more than 0", j.Run)
		case opts.From > 0 && from < math.MinInt64+opts.From,
			opts.From < 0 && from > math.MaxInt64+opts.From,
			from-opts.From > math.MaxInt64-j.Run:
			return 0, badInput("Jobs.Submit", i, ErrRange, "the job starts at %v: want a start and an end within 292 years", from)
		case sum > math.MaxInt-j.Nodes:
			return 0, badInput("Jobs.Nodes", i, ErrRange, "%d: want a sum of all nodes that fits an int", j.Nodes)
		}
		sum += j.Nodes
		if e := from - opts.From + j.Run; e > last {
			last, latest = e, i
		}
	}
	if opts.Slots > maxSlots {
		return 0, badInput("DemandOptions.Slots", -1, ErrRange, "%d: want at most 2²⁶", opts.Slots)
	}
	if opts.Slots > 0 || last == 0 {
		return opts.Slots, nil
	}
	n := (last-1)/slot + 1
	if n > maxSlots {
		return 0, badInput("Jobs.Run", latest, ErrRange, "the job ends after more than 2²⁶ slots: want a longer slot")
	}
	return int(n), nil
}

// addPeaks adds to curve the peaks of one user's events, which are in the
// order of time, within the curve, and end with a level of 0.
func addPeaks(curve []int, ev []event, slot time.Duration) {
	cur := int(ev[0].at / slot)
	level, peak := 0, 0
	for i := 0; i < len(ev); {
		at := ev[i].at
		if s := int(at / slot); s > cur {
			curve[cur] += peak
			if level > 0 {
				for cur++; cur < s; cur++ {
					curve[cur] += level
				}
			}
			cur, peak = s, level
		}
		for ; i < len(ev) && ev[i].at == at; i++ {
			level += ev[i].n
		}
		if at == time.Duration(cur)*slot {
			peak = level // what was held before belongs to the slot before
		} else {
			peak = max(peak, level)
		}
	}
	if cur < len(curve) {
		curve[cur] += peak
	}
}

// AppendStarts appends to dst the start of each job in the log, Submit + Wait. Jobs whose
// wait is unknown (negative) start at their submission. AppendStarts returns the extended
// slice and the number of such jobs. The starts serve [AppendDemand].
func AppendStarts(dst []time.Duration, jobs []Job) (starts []time.Duration, unknown int) {
	for i := range jobs {
		if jobs[i].Wait < 0 {
			unknown++
		}
		dst = append(dst, jobs[i].Submit+max(0, jobs[i].Wait))
	}
	return dst, unknown
}

// Submitted returns the jobs, which are in the order of submission, that were
// submitted at from or later and before until: a part of jobs, not a copy.
// Time is O(log n).
func Submitted(jobs []Job, from, until time.Duration) []Job {
	at := func(j Job, t time.Duration) int { return cmp.Compare(j.Submit, t) }
	i, _ := slices.BinarySearchFunc(jobs, from, at)
	n, _ := slices.BinarySearchFunc(jobs[i:], until, at)
	return jobs[i : i+n : i+n]
}
