package trace

import (
	"slices"
	"time"
)

// Peaks turns a level that changes over time, such as the instances that a
// simulator holds, into the peak of each slot:
//
//	peak_s = max { level(t) : s·slot ≤ t < (s+1)·slot }
//
// where level(t) is the sum of all changes up to and including t. Changes
// come in the order of time, and those of one instant count together: what
// ends at t does not overlap what starts at t.
//
// The zero value is ready, with slots of an hour. Memory is one number a
// slot; [Peaks.Change] takes O(1) amortised over the slots, and allocates
// only to grow.
type Peaks struct {
	slot    time.Duration // 0: an hour
	now     time.Duration // the instant of the last change
	level   int           // before that instant
	pending int           // the sum of that instant's changes
	peak    int           // of the slot of now, up to that instant
	past    []int         // of the slots before
}

// maxPeaks bounds the slots that one change or one call can ask for, 512 MiB.
const maxPeaks = 1 << 26

// Reset forgets all changes, keeps the memory, and sets the slots' length; 0
// means an hour. It panics if slot is negative.
func (p *Peaks) Reset(slot time.Duration) {
	if slot < 0 {
		panic("trace: negative slot")
	}
	*p = Peaks{slot: slot, past: p.past[:0]}
}

// Grow makes room for that many slots. It panics if they are more than 2²⁶.
func (p *Peaks) Grow(slots int) {
	if slots > maxPeaks {
		panic("trace: more than 1<<26 slots")
	}
	if cap(p.past) < slots {
		p.past = append(make([]int, 0, slots), p.past...)
	}
}

func (p *Peaks) length() time.Duration {
	if p.slot == 0 {
		return time.Hour
	}
	return p.slot
}

// Change says that the level rises by n at the instant at, or falls where n
// is negative. It panics if at is negative or before the last change. It also
// panics if all changes of an earlier instant together left a negative level.
// It panics in slot 2²⁶ or later, too: the peaks of all slots before are kept.
func (p *Peaks) Change(at time.Duration, n int) {
	if at < p.now {
		panic("trace: change before the last one")
	}
	if at > p.now {
		p.level, p.peak = p.settled()
		p.pending = 0
		slot := p.length()
		if at/slot >= maxPeaks {
			panic("trace: change after more than 1<<26 slots: want a longer slot")
		}
		if s := int(at / slot); s > len(p.past) {
			p.past = slices.Grow(p.past, s-len(p.past))
			p.past = append(p.past, p.peak)
			for len(p.past) < s {
				p.past = append(p.past, p.level)
			}
			p.peak = p.level
		}
		p.now = at
	}
	p.pending += n
}

// settled returns the level at p.now, and the peak of its slot, with the
// changes of that instant.
func (p *Peaks) settled() (level, peak int) {
	level = p.level + p.pending
	if level < 0 {
		panic("trace: negative level")
	}
	// At a slot's first instant the level before it belongs to the slot before.
	if p.now == time.Duration(len(p.past))*p.length() {
		return level, level
	}
	return level, max(p.peak, level)
}

// Level returns the level after all changes so far.
func (p *Peaks) Level() int { return p.level + p.pending }

// AppendTo appends to dst the peaks of the slots from time 0, as many as
// slots says, and returns the extended slice. Slots after the last change
// have the level that it left. It panics if slots is negative or above 2²⁶,
// and does not change p.
func (p *Peaks) AppendTo(dst []int, slots int) []int {
	if slots < 0 {
		panic("trace: negative number of slots")
	}
	if slots > maxPeaks {
		panic("trace: more than 1<<26 slots")
	}
	if slots <= len(p.past) {
		return append(dst, p.past[:slots]...)
	}
	level, peak := p.settled()
	dst = slices.Grow(dst, slots)
	dst = append(dst, p.past...)
	dst = append(dst, peak)
	for range slots - len(p.past) - 1 {
		dst = append(dst, level)
	}
	return dst
}
