package usage

import (
	"cmp"
	"slices"
)

// Who uses the instances.
//
// An owner is an account below the one that is billed, or what a column of the reader's choice
// says. Of each owner the use of the last days is known, hour by hour, so that a report of one
// owner that is late can be told from a fall. The hours are a window that moves with the bill:
// memory grows with the owners, and not with the length of the bill.

// windowHours is what the window has at least: the days of a tail, those that it is compared with, and
// a few more. It has room for twice as much, so that it moves rarely.
const windowHours = 24 * (seenDays + tailDays + 4)

// mostOwners bounds how many owners are told apart. The others count as one.
const mostOwners = 4096

// An owner is what is known of one.
type owner struct {
	name   string
	ends   []fileEnd // by file, in their order
	base   int64     // hour of used[0]
	used   []float64 // instance-hours, in units of 10⁻¹⁸
	kinds  []uint64  // bits: which series have its use
	series *series   // of the last row
	sum    Sum       // of rows of instances
}

// A fileEnd is the hour after the last use of any sort in a file.
type fileEnd struct {
	file int
	end  int64
}

// ownerOf returns the owner of a row.
func (c *Collector) ownerOf(row *Row) *owner {
	name := cmp.Or(row.Owner, row.Account)
	if c.owner != nil && c.owner.name == name {
		return c.owner
	}
	recent := &c.recent[0]
	if n := len(name); n > 0 {
		recent = &c.recent[name[n-1]%16]
	}
	if *recent != nil && (*recent).name == name {
		c.owner = *recent
		return c.owner
	}
	o := c.owners[name]
	if o == nil {
		if c.owners == nil {
			c.owners = map[string]*owner{}
		}
		if len(c.owners) >= mostOwners {
			name = ""
		}
		if o = c.owners[name]; o == nil {
			o = &owner{name: name}
			c.owners[name] = o
		}
	}
	c.owner, *recent = o, o
	return o
}

// see marks the end of a row of any use in a file, the last that was begun.
func (o *owner) see(file int, until int64) {
	if n := len(o.ends); n == 0 || o.ends[n-1].file != file {
		o.ends = append(o.ends, fileEnd{file, until})
	} else if until > o.ends[n-1].end {
		o.ends[n-1].end = until
	}
}

// use adds the instance-hours of a row, spread evenly over its hours, to the window.
func (o *owner) use(s *series, from, to int64, hours Amount) {
	if s != o.series {
		for s.index >= 64*len(o.kinds) {
			o.kinds = append(o.kinds, 0)
		}
		o.kinds[s.index/64] |= 1 << uint(s.index%64)
		o.series = s
	}
	if to-o.base > 2*windowHours || len(o.used) == 0 {
		o.move(from, to)
	}
	part := float64(hours.n.Hi)*(1<<64) + float64(hours.n.Lo)
	if to > from+1 {
		part /= float64(to - from)
	}
	for h := max(from, o.base); h < max(to, from+1); h++ {
		o.used[h-o.base] += part
	}
}

// move begins the window, or moves it by half of its room or more.
func (o *owner) move(from, to int64) {
	if len(o.used) == 0 {
		o.used, o.base = make([]float64, 2*windowHours), to-windowHours // rows may be in falling order
	}
	if beyond := to - o.base - 2*windowHours; beyond > 0 {
		by := beyond + windowHours
		kept := copy(o.used, o.used[min(by, 2*windowHours):])
		clear(o.used[kept:])
		o.base += by
	}
}

// at returns the use of an hour of the window.
func (o *owner) at(hour int64) float64 {
	if i := hour - o.base; i >= 0 && i < int64(len(o.used)) {
		return o.used[i] / 1e18
	}
	return 0
}

// has reports whether a series has use of the owner.
func (o *owner) has(series int) bool {
	return series/64 < len(o.kinds) && o.kinds[series/64]>>uint(series%64)&1 == 1
}

// ownersOf puts the owners into a bill, with bits of its demands.
func (c *Collector) ownersOf(b *Bill) {
	b.Owners = map[string]Sum{}
	place := map[int]int{} // of series in the demands
	for i := range b.Demand {
		place[c.kinds[b.Demand[i].Kind].index] = i
	}
	for _, name := range sortedKeys(c.owners) {
		o := *c.owners[name]
		o.ends, o.used = slices.Clone(o.ends), slices.Clone(o.used)
		o.kinds = make([]uint64, len(b.Demand)/64+1)
		for series, i := range place {
			if c.owners[name].has(series) {
				o.kinds[i/64] |= 1 << uint(i%64)
			}
		}
		if o.sum.Rows > 0 {
			b.Owners[name] = o.sum
		}
		b.owners = append(b.owners, o)
	}
}
