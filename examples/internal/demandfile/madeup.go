package demandfile

import "math/rand/v2"

// What the made-up year is made of, in percent of an ordinary hour.
var (
	hourly = [24]int{58, 52, 48, 46, 47, 52, 63, 78, 95, 108, 114, 116, 112, 114, 117, 118, 116, 112, 110, 112, 108, 97, 82, 68}
	daily  = [7]int{104, 106, 107, 106, 101, 72, 68}
	// monthly grows, sags in summer, and has its peak before the holidays.
	monthly = [12]int{48, 52, 57, 66, 78, 74, 66, 72, 90, 104, 138, 118}
)

const (
	ordinary   = 60  // instances in an hour of 100%
	launchDay  = 96  // from here on a second product runs as well
	launched   = 14  // with these instances, day and night
	batchHour  = 2   // of every night,
	batchHours = 3   // for so long,
	batch      = 22  // a batch of so many
	noise      = 9   // percent either way
	holidays   = 358 // from here on, and little runs
)

// MadeUp returns the demand of a year, hour by hour, of someone who serves people
// at work: days and weeks, growth, a launch, batches at night. The demand is
// computed in integers, and so the same on every machine.
func MadeUp() []int {
	random := rand.New(rand.NewPCG(2026, 1))
	demand := make([]int, 365*24)
	for t := range demand {
		day, hour := t/24, t%24
		// between the middles of two months, in days of 1/365 · 12
		at := day*12*100/365 - 50
		month, share := max(0, at)/100, max(0, at)%100
		level := monthly[month]*(100-share) + monthly[min(11, month+1)]*share // of 10,000
		n := ordinary * level / 100 * hourly[hour] / 100 * daily[day%7] / 100
		n = n * (100 - noise + random.IntN(2*noise+1)) / 100 // in percent
		if day >= holidays {
			n = n * 55 / 100
		}
		n /= 100
		if day >= launchDay {
			n += launched
		}
		if hour >= batchHour && hour < batchHour+batchHours && day%7 < 6 {
			n += batch
		}
		demand[t] = n
	}
	return demand
}
