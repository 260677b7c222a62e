package spotsim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// A warm Simulator allocates nothing, under any rule, for
// tasks and prices that differ.
func TestSpotAllocatesNothing(t *testing.T) {
	markets := spikyMarkets(2, 3)
	var tasks [][]Task
	for k := range 4 {
		tasks = append(tasks, randomTasks(&markets[0].history, 30/(k+1), k%2 == 0, rand.New(rand.NewPCG(uint64(k), 3))))
	}
	for _, w := range ways() {
		var s Simulator
		one := func(k int) {
			cfg := Options{History: markets[k%2].history, OnDemand: markets[k%2].onDemand, Setup: 5 * time.Minute, Handover: w.handover, Medium: w.medium, Low: w.low, Alone: w.alone}
			if _, err := s.Run(tasks[k], cfg); err != nil {
				t.Fatal(w.name, err)
			}
		}
		for range 2 {
			for k := range tasks {
				one(k)
			}
		}
		for k := range tasks {
			if n := allocs.Once(func() { one(k) }); n != 0 {
				t.Errorf("%s, tasks %d: %v allocations", w.name, k, n)
			}
		}
	}
}
