package spot

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// spikyHistory is a made-up history like those of 2012: a calm price that
// trembles, and now and then a spike, up to above the price on demand of 1.30.
func spikyHistory(days int, seed uint64) pricing.SpotHistory {
	rnd := rand.New(rand.NewPCG(seed, 2012))
	h := pricing.SpotHistory{End: time.Duration(days) * 24 * time.Hour}
	spike := false
	for at := time.Duration(0); at < h.End; {
		price := 200*pricing.Milli + pricing.Money(rnd.Int64N(40))*pricing.Milli
		stay := time.Duration((0.2 + rnd.ExpFloat64()) * float64(time.Hour))
		if spike {
			price = 300*pricing.Milli + pricing.Money(rnd.Int64N(1700))*pricing.Milli
			stay /= 2
		}
		h.Times, h.Prices = append(h.Times, at), append(h.Prices, price)
		at += stay
		if spike {
			spike = rnd.IntN(4) > 0
		} else {
			spike = rnd.IntN(20) == 0
		}
	}
	return h
}

// spikyMarket is the paper's instance on such a history.
func spikyMarket(tb testing.TB, e ChainEstimator) Market {
	h := spikyHistory(30, 1)
	chain, err := e.Estimate(h, 0, h.End)
	if err != nil {
		tb.Fatal(err)
	}
	return Market{Chain: chain, Spot: pricing.EC2SpotHourly, OnDemand: 1300 * pricing.Milli, Meter: pricing.EC2Hourly}
}

var bidSink float64

// Planning a task of four hours, and one of twelve, by how much time it has and
// how often it saves.
func BenchmarkBidPlannerSolve(b *testing.B) {
	for _, c := range []struct {
		work, deadline, every, step time.Duration
		levels                      int
	}{
		{4 * time.Hour, 24 * time.Hour, 0, 10 * time.Minute, 6},
		{4 * time.Hour, 24 * time.Hour, 0, 10 * time.Minute, 4},
		{4 * time.Hour, 24 * time.Hour, 0, 10 * time.Minute, 8},
		{4 * time.Hour, 24 * time.Hour, 0, 5 * time.Minute, 6},
		{4 * time.Hour, 24 * time.Hour, 30 * time.Minute, 10 * time.Minute, 6},
		{12 * time.Hour, 48 * time.Hour, time.Hour, 15 * time.Minute, 6},
	} {
		b.Run(fmt.Sprintf("work=%v/deadline=%v/every=%v/step=%v/levels=%d", c.work.Hours(), c.deadline.Hours(), c.every, c.step, c.levels), func(b *testing.B) {
			m := spikyMarket(b, ChainEstimator{Step: c.step, Levels: c.levels})
			t := Task{Estimate: c.work, Deadline: c.deadline, Latency: 5 * time.Minute, Instances: 4, Checkpoints: Checkpoints{Every: c.every, Write: time.Minute, Restart: time.Minute}}
			var p Planner
			if err := p.Solve(m, &t, 0); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Solve(m, &t, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(p.states()), "states")
		})
	}
}

// One decision of a plan.
func BenchmarkBidPlannerDecide(b *testing.B) {
	m := spikyMarket(b, ChainEstimator{})
	t := Task{Estimate: 4 * time.Hour, Deadline: 24 * time.Hour, Latency: 5 * time.Minute, Instances: 4}
	var p Planner
	if err := p.Solve(m, &t, 0); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var sum float64
	at := time.Duration(0)
	for b.Loop() {
		at = (at + 7*time.Minute) % (20 * time.Hour)
		sum += p.Decide(BidState{Now: at, Price: 210 * pricing.Milli}).Cost
	}
	bidSink = sum
}

// A month of prices to a chain.
func BenchmarkChainEstimator(b *testing.B) {
	for _, levels := range []int{4, 6, 16} {
		b.Run(fmt.Sprintf("days=30/levels=%d", levels), func(b *testing.B) {
			h := spikyHistory(30, 1)
			e := ChainEstimator{Levels: levels}
			b.ReportAllocs()
			for b.Loop() {
				c, err := e.Estimate(h, 0, h.End)
				if err != nil {
					b.Fatal(err)
				}
				bidSink = c.Move[0]
			}
			b.ReportMetric(float64(len(h.Times)), "prices")
		})
	}
}
