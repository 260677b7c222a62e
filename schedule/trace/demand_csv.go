package trace

import (
	"io"
	"math"
	"strconv"
)

// WriteDemand writes a demand curve to dst: a header line, then the instances of each slot, one
// whole number a line.
//
//	instances
//	12
//	14
//
// If a number is below 0 or above [math.MaxInt32], WriteDemand writes nothing and returns a
// *schedule.InputError with the index of the slot. Every other error comes from dst.
func WriteDemand(dst io.Writer, demand []int) error {
	for s, d := range demand {
		if d < 0 || d > math.MaxInt32 {
			return badInput("demand", s, ErrRange, "%d: want 0 to %d", d, math.MaxInt32)
		}
	}
	const full = 1 << 12
	text := append(make([]byte, 0, full+16), "instances\n"...)
	for s, d := range demand {
		text = append(strconv.AppendInt(text, int64(d), 10), '\n')
		if len(text) >= full || s == len(demand)-1 {
			if _, err := dst.Write(text); err != nil {
				return err
			}
			text = text[:0]
		}
	}
	if len(text) > 0 {
		_, err := dst.Write(text)
		return err
	}
	return nil
}
