package centres

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A shape is what a made-up centre is made of.
type shape struct {
	name   string
	offset int     // of its clock from the window's, in hours
	daily  float64 // jobs of an ordinary working day
	sizes  []int   // processors, one as likely as another
	median float64 // run time in seconds
	spread float64 // standard deviation of its logarithm
}

// Three centres as in [Liu21]: in the time zones GMT +1, -8 and -7, a steady one and
// two that fluctuate, most jobs of less than an hour.
var shapes = []shape{
	{"Luxembourg", 1, 150, []int{1, 1, 1, 2, 2, 4, 8, 12}, 2400, 2.1},
	{"San Diego", -8, 110, []int{1, 4, 8, 8, 16, 32}, 900, 1.6},
	{"Los Alamos", -7, 90, []int{16, 16, 32, 32, 64}, 700, 1.5},
}

// more are places for further centres, whose jobs and prices are those of the first three
// in turn, a little different.
var more = []struct {
	name                string
	offset              int
	latitude, longitude float64
}{
	{"Tokyo", 9, 35.68, 139.69}, {"Sydney", 10, -33.87, 151.21}, {"Bangalore", 5, 12.97, 77.59}, {"São Paulo", -3, -23.55, -46.63},
	{"Dublin", 0, 53.35, -6.26}, {"Singapore", 8, 1.35, 103.82}, {"Cape Town", 2, -33.92, 18.42}, {"Montreal", -5, 45.50, -73.57},
	{"Mumbai", 5, 19.08, 72.88}, {"Seoul", 9, 37.57, 126.98}, {"Zurich", 1, 47.38, 8.54}, {"Austin", -6, 30.27, -97.74},
	{"Honolulu", -10, 21.31, -157.86},
}

// shapeOf and siteOf are those of made-up centre i.
func shapeOf(i int) shape {
	x := shapes[i%len(shapes)]
	if k := i - len(shapes); k >= 0 {
		x.name, x.offset = more[k].name, more[k].offset
		x.daily *= 1 - .05*float64(k%5)
	}
	return x
}

func siteOf(i int) Site {
	s := PaperSites[i%len(PaperSites)]
	if k := i - len(shapes); k >= 0 {
		s.Latitude, s.Longitude = more[k].latitude, more[k].longitude
		s.OnDemand += pricing.Money(k%4) * pricing.Milli
	}
	return s
}

// working is how many jobs come in an hour of the day, in percent of the mean.
var working = [24]float64{35, 30, 25, 25, 25, 30, 45, 75, 125, 165, 185, 180, 165, 175, 190, 190, 180, 155, 120, 100, 90, 80, 65, 45}

const (
	weekend = .45 // of an ordinary day
	longest = 48 * time.Hour
)

// make makes the jobs of the window up, which begins at midnight of a Monday in
// Greenwich.
func (s *shape) make(random *rand.Rand, hours int) []trace.Job {
	var jobs []trace.Job
	for t := range hours {
		local := t + s.offset + 7*24
		rate := s.daily * working[local%24] / 2400
		if local/24%7 >= 5 {
			rate *= weekend
		}
		for at := random.ExpFloat64() / rate; at < 1; at += random.ExpFloat64() / rate {
			run := time.Duration(math.Round(s.median*math.Exp(s.spread*random.NormFloat64()))) * time.Second
			jobs = append(jobs, trace.Job{
				Submit: time.Duration(t)*time.Hour + time.Duration(at*3600)*time.Second,
				Run:    min(longest, max(time.Second, run)),
				Nodes:  s.sizes[random.IntN(len(s.sizes))],
				User:   -1, Queue: -1, Wait: -time.Second,
			})
		}
	}
	slices.SortStableFunc(jobs, func(a, b trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}
