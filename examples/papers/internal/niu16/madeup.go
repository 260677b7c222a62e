package niu16

import "math/rand/v2"

// What the made-up demand is made of, in percent of an ordinary hour.
var (
	hourly = [24]int{62, 57, 53, 51, 52, 57, 66, 79, 94, 107, 113, 115, 112, 113, 116, 117, 115, 111, 108, 110, 106, 96, 83, 71}
	daily  = [7]int{104, 106, 107, 106, 101, 74, 70}
	// quarterly is its level in instances: growth that slows down, and a decline.
	quarterly = [13]int{24, 32, 43, 56, 70, 84, 95, 103, 106, 98, 84, 71, 62}
)

const (
	madeUpName  = "made-up"
	madeUpWeeks = 156
	quarter     = 13 // weeks
	noise       = 8  // percent either way, of an hour
	swing       = 12 // percent either way, of a week
	weeklyHours = 168
)

// madeUp returns the demand of three years, hour by hour, of a service that people take
// to, and then leave. All of it is computed in integers, and so the same on every
// machine.
func madeUp() []int {
	random := rand.New(rand.NewPCG(2026, 5))
	demand := make([]int, 0, madeUpWeeks*weeklyHours)
	for week := range madeUpWeeks {
		k, part := week/quarter, week%quarter
		level := quarterly[k]*(quarter-part) + quarterly[min(k+1, len(quarterly)-1)]*part // of 13
		level = level * (100 - swing + random.IntN(2*swing+1)) / 100
		for hour := range weeklyHours {
			n := level * hourly[hour%24] / 100 * daily[hour/24] / 100
			n = n * (100 - noise + random.IntN(2*noise+1)) / 100
			demand = append(demand, n/quarter)
		}
	}
	return demand
}
