package elastic

import "time"

// A span is a sum of times longer than a time.Duration can hold.
type span struct{ sec, nsec int64 }

func (s *span) add(d time.Duration, times int) {
	s.sec += int64(d/time.Second) * int64(times)
	s.nsec += int64(d%time.Second) * int64(times)
	s.sec += s.nsec / int64(time.Second)
	s.nsec %= int64(time.Second)
}

func (s span) seconds() float64 { return float64(s.sec) + float64(s.nsec)/1e9 }
func (s span) hours() float64   { return s.seconds() / 3600 }

// mean divides by n > 0 and rounds to the nearest nanosecond.
func (s span) mean(n int) time.Duration {
	q, r := s.sec/int64(n), s.sec%int64(n)
	// r < n; the remaining r seconds and nsec nanoseconds fit for n up to 9·10⁹.
	rest := (r*int64(time.Second) + s.nsec + int64(n)/2) / int64(n)
	return time.Duration(q)*time.Second + time.Duration(rest)
}
