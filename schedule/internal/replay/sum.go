package replay

import "time"

// A Sum is an exact sum of times, which may be more than a time.Duration holds: the node-hours
// of a simulation are thousands of years. The zero value is 0. Equal sums are equal with ==.
type Sum struct{ sec, nsec int64 }

// Add adds a time, which is not negative, so many times.
func (s *Sum) Add(d time.Duration, times int) {
	s.sec += int64(d/time.Second) * int64(times)
	s.nsec += int64(d%time.Second) * int64(times)
	s.sec += s.nsec / int64(time.Second)
	s.nsec %= int64(time.Second)
}

// Plus adds another sum.
func (s *Sum) Plus(o Sum) {
	s.sec += o.sec
	s.Add(time.Duration(o.nsec), 1)
}

// Seconds and Hours return the sum in these units.
func (s Sum) Seconds() float64 { return float64(s.sec) + float64(s.nsec)/1e9 }
func (s Sum) Hours() float64   { return s.Seconds() / 3600 }

// Mean divides by n > 0 and rounds to the nearest nanosecond.
func (s Sum) Mean(n int) time.Duration {
	q, r := s.sec/int64(n), s.sec%int64(n)
	// r < n; the remaining r seconds and nsec nanoseconds fit for n up to 9·10⁹.
	rest := (r*int64(time.Second) + s.nsec + int64(n)/2) / int64(n)
	return time.Duration(q)*time.Second + time.Duration(rest)
}
