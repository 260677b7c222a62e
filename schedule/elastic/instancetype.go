package elastic

import (
	"math"
	"time"
)

// Instance types. [Marshall12] has instances of one core at one speed, and names other types
// as future work. Here a type is a cloud of its own, with a price and a limit, and no job runs
// on two types.
//
// An instance of k cores runs one job at a time. So a job of n cores takes ⌈n/k⌉ instances,
// and leaves up to k−1 cores of the last instance unused. A job that runs for t on a core of
// speed 1 runs for ⌈t/v⌉ on cores of speed v, to the nanosecond.
//
// Policies compare types by the price of work, price / (cores · speed), and at equal prices
// of work by the price. A job is launched for where it costs least by the hour of work:
// ⌈n/k⌉ · price / speed.

// maxSpeed bounds how much faster, or slower, a core is than the local cores.
const maxSpeed = 1000

// speedOK reports whether a speed is in its range.
func speedOK(v float64) bool { return v == 0 || v >= 1./maxSpeed && v <= maxSpeed }

// size returns how many cores an instance has.
func (c *Cloud) size() int { return max(1, c.Cores) }

// speed returns the speed of a core.
func (c *Cloud) speed() float64 {
	if c.Speed == 0 {
		return 1
	}
	return c.Speed
}

// plain reports whether instances have one core of speed 1.
func (c *Cloud) plain() bool { return c.size() == 1 && c.speed() == 1 }

// cores returns how many cores so many instances have.
func (c *Cloud) cores(instances int) int {
	if k := c.size(); instances <= math.MaxInt/k {
		return instances * k
	}
	return math.MaxInt
}

// need returns how many instances a job of n cores takes.
func (c *Cloud) need(n int) int { return needOf(n, c.size()) }

func needOf(n, cores int) int {
	if cores == 1 {
		return n
	}
	k := n / cores
	if n%cores != 0 {
		k++
	}
	return k
}

// lasts returns how long a job runs that runs for d on a core of speed 1.
func (c *Cloud) lasts(d time.Duration) time.Duration { return lastsAt(d, c.speed()) }

func lastsAt(d time.Duration, speed float64) time.Duration {
	if speed == 1 {
		return d
	}
	x := math.Ceil(float64(d) / speed)
	if x >= float64(math.MaxInt64) {
		return math.MaxInt64
	}
	return time.Duration(x)
}

// perWork returns the price of an hour of a core of speed 1.
func (c *Cloud) perWork() float64 {
	if c.plain() {
		return float64(c.Price)
	}
	return float64(c.Price) / (float64(c.size()) * c.speed())
}

// cheaper reports whether the work costs less in c than in o, or as much at a lower price.
// Instances of one core and speed 1 compare by the price alone.
func (c *Cloud) cheaper(o *Cloud) bool {
	a, b := c.perWork(), o.perWork()
	return a < b || a == b && c.Price < o.Price
}

// cost returns what an hour's work of a job of n cores costs in a cloud.
func (c *Cloud) cost(n int) float64 { return float64(c.Price) * float64(c.need(n)) / c.speed() }

// insertCheapest appends cloud i to a list of clouds that is sorted by the price of work,
// then by the order in which they were appended, and keeps it so.
func insertCheapest(list []int, clouds []Cloud, i int) []int {
	list = append(list, i)
	k := len(list) - 1
	for ; k > 0 && clouds[i].cheaper(&clouds[list[k-1]]); k-- {
		list[k] = list[k-1]
	}
	list[k] = i
	return list
}
