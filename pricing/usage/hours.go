package usage

import (
	"math/bits"
	"time"
)

// An hourSet is a set of hours, a bit each.
type hourSet struct {
	base int64 // hour of the first bit
	bits []uint64
	last int64 // marked last
	any  bool
}

// mark adds the hours from from to before to.
func (s *hourSet) mark(from, to int64) {
	if from >= to || s.any && to == from+1 && from == s.last {
		return
	}
	for h := from; h < to; h++ {
		w := floor(h, 64)
		switch {
		case len(s.bits) == 0:
			s.base = w
			s.bits = append(s.bits, 0)
		case w < s.base:
			s.bits = append(make([]uint64, s.base-w), s.bits...)
			s.base = w
		}
		if n := w - s.base + 1 - int64(len(s.bits)); n > 0 {
			s.bits = append(s.bits, make([]uint64, n)...)
		}
		s.bits[w-s.base] |= 1 << uint(h-64*w)
	}
	s.last, s.any = to-1, true
}

// meet returns an hour that is in both sets, and whether there is one.
func (s *hourSet) meet(t *hourSet) (int64, bool) {
	for w, b := range s.bits {
		i := s.base + int64(w) - t.base
		if i < 0 || i >= int64(len(t.bits)) {
			continue
		}
		if both := b & t.bits[i]; both != 0 {
			return 64*(s.base+int64(w)) + int64(bits.TrailingZeros64(both)), true
		}
	}
	return 0, false
}

// between returns how many hours of the set are from from to before to.
func (s *hourSet) between(from, to int64) (n int64) {
	for w, b := range s.bits {
		for ; b != 0; b &= b - 1 {
			if h := 64*(s.base+int64(w)) + int64(bits.TrailingZeros64(b)); h >= from && h < to {
				n++
			}
		}
	}
	return n
}

func (s *hourSet) len() (n int64) {
	for _, b := range s.bits {
		n += int64(bits.OnesCount64(b))
	}
	return n
}

// overlap returns an error if two files of different forms charge one account for
// the same hour.
func (c *Collector) overlap() error {
	for j := range c.files {
		for i := range j {
			if c.files[i].Format == c.files[j].Format {
				continue
			}
			for _, account := range sortedKeys(c.accounts[j]) {
				other := c.accounts[i][account]
				if other == nil {
					continue
				}
				if hour, both := other.meet(c.accounts[j][account]); both {
					return badInput("files", j, ErrRepeated, "%s (%s) and %s (%s) both charge account %s for %s: want bills that do not overlap",
						c.files[j].Name, c.files[j].Format, c.files[i].Name, c.files[i].Format, quote(account), time.Unix(3600*hour, 0).UTC().Format(time.RFC3339))
				}
			}
		}
	}
	return nil
}
