package svgplot

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// A picture of 600,000 changes is well formed and below 1 MB, for spans with one
// panel and with two.
func TestWrite(t *testing.T) {
	for _, gap := range []time.Duration{time.Nanosecond, time.Second, time.Minute} {
		random := rand.New(rand.NewPCG(1, 1))
		p := Picture{Title: "a < b & c"}
		for i := range 600_000 {
			at, n := time.Duration(i)*gap, 100+random.IntN(900)
			p.Held = append(p.Held, steps.Point{At: at, Value: n})
			p.Busy = append(p.Busy, steps.Point{At: at, Value: random.IntN(n)})
			p.To = at
		}
		var b bytes.Buffer
		if err := Write(&b, p); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 1_000_000 {
			t.Errorf("%v: %d bytes", p.To, b.Len())
		}
		programtest.WellFormed(t, b.String())
	}
}

func TestBusiest(t *testing.T) {
	p := Picture{From: 36 * time.Hour, To: 30 * day}
	p.Busy = []steps.Point{
		{At: 0, Value: 50}, {At: 48 * time.Hour, Value: 1}, // before the first whole day
		{At: 10 * day, Value: 10}, {At: 14*day + 12*time.Hour, Value: 0},
		{At: 29 * day, Value: 40}, {At: 30 * day, Value: 0}, // 40 instance-days, as 45 are in days 10 to 14
	}
	if got := busiest(p); got != 10*day {
		t.Errorf("the busiest five days begin with day %d, want 10", got/day)
	}
}
