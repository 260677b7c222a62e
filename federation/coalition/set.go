package coalition

import (
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// A Set is a coalition: bit i is set if member i belongs to it. Members count from 0.
type Set uint64

// Of returns the coalition of the given members. It panics if a member is not from 0
// to 63.
func Of(members ...int) Set {
	var s Set
	for _, i := range members {
		if i < 0 || i > 63 {
			panic("coalition: member is not from 0 to 63")
		}
		s |= 1 << i
	}
	return s
}

// all returns the coalition of the members 0 to n−1. It panics unless n is from 0 to
// 64.
func all(n int) Set {
	if n < 0 || n > 64 {
		panic("coalition: number of members is not from 0 to 64")
	}
	return Set(1)<<n - 1
}

// Has reports whether member i belongs to s. No i but 0 to 63 does.
func (s Set) Has(i int) bool { return s>>uint(i)&1 == 1 }

// Len returns the number of members of s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// Members returns the members of s in ascending order.
func (s Set) Members() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(uint64(s))) {
				return
			}
		}
	}
}

// String returns the members in braces, such as "{0 2}".
func (s Set) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range s.Members() {
		if b.Len() > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(i))
	}
	b.WriteByte('}')
	return b.String()
}
