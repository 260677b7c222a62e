package seriesfile

import (
	"math"
	"math/rand/v2"
)

// What the made-up demand is made of.
const (
	madeUpWeeks = 208
	launchWeek  = 92 // a second product starts, and grows
	lostWeek    = 61 // of these two weeks
	lostWeeks   = 2  // nothing is known
)

// MadeUp returns the instances that a service needs, week by week for four years. There
// are a start and a launch, and growth that slows down after each. Users come and go. The
// series begins in July, and has two quiet weeks at the end of each calendar year. All of
// it is computed in integers, and so the same on every machine.
func MadeUp() []float64 {
	random := rand.New(rand.NewPCG(2026, 4))
	values := make([]float64, madeUpWeeks)
	level, speed := 12_000, 260 // hundredths of an instance, and those of a week
	for t := range values {
		if t == launchWeek {
			speed += 420
		}
		speed = speed * 98 / 100
		level += speed + random.IntN(601) - 300
		n := level + random.IntN(1801) - 900
		if week := t % 52; week == 25 || week == 26 {
			n = n * 88 / 100
		}
		values[t] = float64(n / 100)
		if t >= lostWeek && t < lostWeek+lostWeeks {
			values[t] = math.NaN()
		}
	}
	return values
}
