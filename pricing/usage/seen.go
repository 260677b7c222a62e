package usage

import (
	"encoding/binary"
	"math/bits"
)

// Lines that are there twice.
//
// The file is larger than memory, so not every line can be remembered. Kept are the
// hashes of at most 2²⁰ lines. When there are more, only hashes below a threshold
// are kept, which halves as often as needed: a sample that is the same for equal
// lines. So up to a million lines every repetition is found. Beyond, a line's
// repetition is found with the chance 2⁻ˢ after s halvings, and a part of a bill
// that is there twice is found as soon as it has some thousand lines. Two different
// lines have the same hash with a chance of 2⁻⁶⁴.

// mostSeen is how many lines are remembered.
const mostSeen = 1 << 20

// seen is an open-addressing table, at most half full. A line of 0 is a free slot.
type seen struct {
	slots []sighting
	n     int
	shift uint // only hashes with this many leading zeros are kept
}

type sighting struct {
	hash uint64
	file int32
	line uint32
}

// add remembers a line and returns an earlier sighting of an equal line.
func (s *seen) add(hash uint64, file int32, line uint32) (earlier sighting, found bool) {
	if hash>>(64-s.shift) != 0 {
		return sighting{}, false
	}
	if 2*s.n >= len(s.slots) {
		s.grow()
		return s.add(hash, file, line)
	}
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch e := &s.slots[i]; {
		case e.line == 0:
			*e = sighting{hash, file, line}
			s.n++
			return sighting{}, false
		case e.hash == hash:
			return *e, true
		}
	}
}

// grow makes room: twice the slots, or half of the hashes.
func (s *seen) grow() {
	old := s.slots
	if s.n < mostSeen {
		s.slots = make([]sighting, max(1<<10, 2*len(old)))
	} else {
		s.shift++
		s.slots = make([]sighting, len(old))
	}
	s.n = 0
	for _, e := range old {
		if e.line != 0 {
			s.add(e.hash, e.file, e.line)
		}
	}
}

// hashOf folds a line eight bytes at a time by 128-bit products.
func hashOf(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93 // odd, without a pattern
	h := uint64(len(b)) * k1
	for len(b) >= 8 {
		hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(b)^k1, k0)
		h = hi ^ lo
		b = b[8:]
	}
	var tail uint64
	for i, c := range b {
		tail |= uint64(c) << (8 * i)
	}
	hi, lo := bits.Mul64(h^tail, k0)
	hi, lo = bits.Mul64(hi^lo^k0, k1)
	return hi ^ lo
}
