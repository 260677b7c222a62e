package elastic

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/internal/samebits"
)

// A Delay is how long an instance takes to boot or to go: a mixture of normal
// distributions, each with its weight relative to the others, > 0. Draws below 0 are drawn
// again, and results are rounded to milliseconds. Nil stands for what
// [Marshall12] measured: [MeasuredLaunch], and 12.92 ± 0.50 s for a stop.
type Delay []struct {
	Weight          float64
	Mean, Deviation time.Duration
}

// Certain returns the Delay that is always d.
func Certain(d time.Duration) Delay { return Delay{{1, d, 0}} }

// MeasuredLaunch returns the time from the request of an EC2 instance to its first
// answer. [Marshall12] section IV.A measured it in 60 launches in a day: 50.86 ± 1.91 s in
// 63% of the launches, 42.34 ± 2.56 s in 25%, 60.69 ± 2.14 s in 12%.
func MeasuredLaunch() Delay {
	return Delay{
		{63, 50860 * time.Millisecond, 1910 * time.Millisecond},
		{25, 42340 * time.Millisecond, 2560 * time.Millisecond},
		{12, 60690 * time.Millisecond, 2140 * time.Millisecond},
	}
}

// measuredStop is the time from the termination of an EC2 instance to its last answer
// ([Marshall12] section IV.A): 12.92 ± 0.50 s.
var measuredStop = Delay{{1, 12920 * time.Millisecond, 500 * time.Millisecond}}

// Mean returns the mean of the mixture, the draws below 0 included. Weights that are not
// positive or not finite, which [Simulator.Run] refuses, have no mean.
func (d Delay) Mean() time.Duration {
	total, sum := 0.0, 0.0
	for _, p := range d {
		total += p.Weight
		sum += float64(p.Weight * float64(p.Mean))
	}
	if total == 0 {
		return 0
	}
	return time.Duration(sum / total)
}

// certain reports whether no randomness is needed.
func (d Delay) certain() bool { return len(d) == 1 && d[0].Deviation == 0 }

// check reports what is wrong with the delay of the given field.
func (d Delay) check(field string, index int) error {
	total := 0.0
	for _, p := range d {
		if !(p.Weight > 0) || math.IsInf(p.Weight, 1) {
			return badEnvironment(field, index, ErrRange, "a part has the weight %v: want more than 0", p.Weight)
		}
		if p.Mean < 0 || p.Mean > replay.MaxTime || p.Deviation < 0 || p.Deviation > replay.MaxTime {
			return badEnvironment(field, index, ErrRange, "a part is %v ± %v: want neither negative, and at most %.0f s", p.Mean, p.Deviation, replay.MaxTime.Seconds())
		}
		total += p.Weight
	}
	if math.IsInf(total, 1) {
		return badEnvironment(field, index, ErrRange, "the weights add up to infinity: want a finite sum")
	}
	return nil
}

// draw returns a delay. It allocates nothing, and the same source gives the same
// delays on every machine: only operations that IEEE 754 rounds exactly, and
// nothing that may be fused.
func (d Delay) draw(rng *rand.Rand) time.Duration {
	if d.certain() {
		return d[0].Mean
	}
	part := 0
	if len(d) > 1 {
		total := 0.0
		for _, p := range d {
			total += p.Weight
		}
		x := float64(rng.Float64() * total)
		for ; part < len(d)-1 && x >= d[part].Weight; part++ {
			x -= d[part].Weight
		}
	}
	p := d[part]
	for {
		x := float64(p.Mean) + float64(normal(rng)*float64(p.Deviation))
		if x >= 0 && x <= float64(replay.MaxTime) {
			return time.Duration(x).Round(time.Millisecond)
		}
	}
}

// normal returns a standard normal deviate by the polar method.
func normal(rng *rand.Rand) float64 {
	for {
		x := float64(2*rng.Float64()) - 1
		y := float64(2*rng.Float64()) - 1
		q := float64(x*x) + float64(y*y)
		if q > 0 && q < 1 {
			return float64(x * math.Sqrt(-2*samebits.Log(q)/q))
		}
	}
}
