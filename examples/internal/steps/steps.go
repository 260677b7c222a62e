// Package steps reduces step functions of time, such as the size of a cluster,
// to what a picture can show, without losing their peaks.
package steps

import "time"

// A Point says that the function has a value from a time on, until the next
// point. Points come in order of time.
type Point struct {
	At    time.Duration
	Value int
}

// AppendSpans appends to dst the function that has each of the values for a span of
// the given length, from 0 on.
func AppendSpans(dst []Point, values []int, span time.Duration) []Point {
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			dst = append(dst, Point{time.Duration(i) * span, v})
		}
	}
	return dst
}

// AppendPeaks appends to dst, for each of n equal parts of [from, to], the
// greatest value that the function has within it. Each part has its start and
// the last one also its end. A function is 0 before its first point. It panics
// unless from < to and n > 0.
func AppendPeaks(dst []int, points []Point, from, to time.Duration, n int) []int {
	check(from, to, n)
	i, value := 0, 0
	for k := range n {
		start, end := part(from, to, n, k), part(from, to, n, k+1)
		for ; i < len(points) && points[i].At <= start; i++ {
			value = points[i].Value
		}
		peak := value
		for ; i < len(points) && (points[i].At < end || k == n-1 && points[i].At <= to); i++ {
			value = points[i].Value
			peak = max(peak, value)
		}
		dst = append(dst, peak)
	}
	return dst
}

// AppendThin appends a thinner form of points within [from, to] to dst. Each of n equal parts
// of the time keeps only its first, last, least and greatest point. With one part for each
// column of a picture, drawing the thinner form draws the same picture. The first point is
// the value at from, and the last point has the value at to. AppendThin panics unless
// from < to and n > 0.
func AppendThin(dst []Point, points []Point, from, to time.Duration, n int) []Point {
	check(from, to, n)
	i, value := 0, 0
	for ; i < len(points) && points[i].At <= from; i++ {
		value = points[i].Value
	}
	dst = append(dst, Point{from, value})
	for k := range n {
		end := part(from, to, n, k+1)
		first := i
		least, greatest := i, i
		for ; i < len(points) && (points[i].At < end || k == n-1 && points[i].At <= to); i++ {
			if points[i].Value < points[least].Value {
				least = i
			}
			if points[i].Value > points[greatest].Value {
				greatest = i
			}
		}
		if i == first {
			continue
		}
		value = points[i-1].Value
		previous := -1
		for _, j := range [4]int{first, min(least, greatest), max(least, greatest), i - 1} {
			if j > previous {
				dst = append(dst, points[j])
				previous = j
			}
		}
	}
	return append(dst, Point{to, value})
}

func check(from, to time.Duration, n int) {
	if from >= to {
		panic("steps: empty span of time")
	}
	if n <= 0 {
		panic("steps: number of parts that is not positive")
	}
}

// part returns where the part k of n equal parts of [from, to] begins.
func part(from, to time.Duration, n, k int) time.Duration {
	span := to - from
	whole, rest := span/time.Duration(n), span%time.Duration(n)
	return from + whole*time.Duration(k) + rest*time.Duration(k)/time.Duration(n)
}
