package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// clock shows the time since a process first had its state, in the exchange's time,
// in which a minute takes as long as the user wants. It goes on while the
// process is down: it starts from the calendar, and then keeps to the clock that
// nobody sets.
type clock struct {
	start  time.Time
	base   time.Duration
	minute time.Duration
}

// newClock starts a clock that began at origin and has shown last.
func newClock(origin time.Time, minute, last time.Duration) *clock {
	c := &clock{start: time.Now(), minute: minute}
	c.base = max(last, c.scaled(c.start.Sub(origin.Round(0))))
	return c
}

func (c *clock) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (float64(time.Minute) / float64(c.minute)))
}

// now returns the time.
func (c *clock) now() time.Duration { return c.base + c.scaled(time.Since(c.start)) }

// until returns how long it takes, in real time, until t.
func (c *clock) until(t time.Duration) time.Duration {
	return time.Duration(float64(t-c.now()) * (float64(c.minute) / float64(time.Minute)))
}

// journal writes what happens, a line each, with the time in minutes.
type journal struct {
	mu    sync.Mutex
	w     io.Writer
	clock *clock
}

// stamp is how many bytes of a line are the time.
const stamp = 12

func (j *journal) printf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.w, "%*.2f  %s\n", stamp-2, j.clock.now().Minutes(), fmt.Sprintf(format, args...))
}
