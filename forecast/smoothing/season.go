package smoothing

// What the models with trends and seasons share.

// damping returns φ of a trend whose Phi is phi: 0 stands for 1.
func damping(phi float64) float64 {
	if phi == 0 {
		return 1
	}
	return phi
}

// after returns the place after place i in a ring of n places.
func after(i, n int) int {
	if i++; i == n {
		return 0
	}
	return i
}

// mostPeriod bounds periods and windows: a year of minutes and some.
const mostPeriod = 1 << 20

// checkPeriod wants a number of steps, or 0 for none.
func checkPeriod(field string, n int) error {
	if n < 0 || n > mostPeriod {
		return badInput(field, -1, ErrFactor, "%d steps: want 0 for none, to %d", n, mostPeriod)
	}
	return nil
}

// checkRing wants a ring to be of its length, and at to be a place in it. The ring may be
// empty while the model has taken no observation.
func checkRing(field string, ring []float64, length, at, seen, n int) error {
	if len(ring) == 0 && at == 0 && seen == 0 && n == 0 {
		return nil
	}
	if len(ring) != length || at < 0 || at >= length || seen < 0 || seen > length {
		return badInput(field, -1, ErrState, "%d values, the next at place %d, %d seen: want %d values and a place among them", len(ring), at, seen, length)
	}
	for i, x := range ring {
		if !usable(x) {
			return badInput(field, i, ErrValue, "%v: want a number within %v", x, Largest)
		}
	}
	return nil
}
