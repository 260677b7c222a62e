package rules

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// The inventory of the online portfolio: which reservations are active, what the caps leave
// room for, and what a plan is told of both.

// hold adds a reservation to the inventory.
func (o *Online) hold(h pricing.Holding) {
	if h.Count == 0 || h.Until <= o.seen*o.every {
		return
	}
	for i := range o.active {
		if a := &o.active[i]; a.Class == h.Class && a.Until == h.Until && a.Count <= math.MaxInt32-h.Count {
			a.Count += h.Count
			return
		}
	}
	o.active = append(o.active, h)
}

// room returns how many more reservations of a class its cap on active ones allows.
func (o *Online) room(k int) int {
	if o.Caps == nil || o.Caps[k] == 0 {
		return math.MaxInt32
	}
	room := o.Caps[k] - o.want[k]
	for _, h := range o.active {
		if h.Class == k {
			room = max(0, room-h.Count) // a sum of counts may not fit
		}
	}
	return max(0, room)
}

// stock lists the reservations held and wanted, with their ends in parts.
func (o *Online) stock() {
	o.held = o.held[:0]
	interval := o.part * time.Duration(o.k)
	for _, h := range o.active {
		rest := min(h.Until-o.seen*o.every, o.ahead*o.every) // no plan looks further ahead
		if n := nearest(time.Duration(rest)*o.slot, interval); n > 0 {
			o.held = append(o.held, pricing.Holding{Class: h.Class, Count: h.Count, Until: n * o.k})
		}
	}
	for k, count := range o.want {
		if count > 0 {
			o.held = append(o.held, pricing.Holding{Class: k, Count: count, Until: int(o.prices.Classes[k].Term / o.part)})
		}
	}
}

// Active appends to dst the reservations that are active when the next interval begins, the
// last purchases included. Until counts from the first slot of the series.
func (o *Online) Active(dst []pricing.Holding) []pricing.Holding { return append(dst, o.active...) }
