package shared

// An arena hands out slices that live until it is reset. A Solver keeps its arenas, so a
// second problem of the same size allocates nothing.
type arena[T any] struct {
	buf  []T
	used int
	want int // all that was taken since the reset
}

// reset takes back all slices.
func (a *arena[T]) reset() {
	if a.want > len(a.buf) {
		a.buf = make([]T, a.want+a.want/4)
	}
	a.used, a.want = 0, 0
}

// take returns n zeros.
func (a *arena[T]) take(n int) []T {
	a.want += n
	if a.used+n > len(a.buf) { // the slices that are out keep the old memory
		a.buf, a.used = make([]T, max(n, 1024, 2*len(a.buf))), 0
	}
	s := a.buf[a.used : a.used+n : a.used+n]
	a.used += n
	clear(s)
	return s
}

// copy returns a copy of s.
func (a *arena[T]) copy(s []T) []T {
	c := a.take(len(s))
	copy(c, s)
	return c
}
