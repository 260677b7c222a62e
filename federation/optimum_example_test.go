package federation_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// Three centres with 4 hours to plan. The first has nothing left; in the other
// two, reservations are idle.
func threeCentres() ([]federation.Centre, []federation.Task) {
	cent := pricing.Money(10_000_000)
	centres := []federation.Centre{
		{Reserved: []int{0, 0, 0, 0}, OnDemand: 8 * cent, Fee: 80 * cent, Term: 24, Traffic: 2 * cent},
		{Reserved: []int{4, 4, 0, 0}, OnDemand: 9 * cent, Fee: 80 * cent, Term: 24, Traffic: 2 * cent},
		{Reserved: []int{3, 3, 3, 3}, OnDemand: 9 * cent, Fee: 80 * cent, Term: 24, Traffic: 2 * cent},
	}
	tasks := []federation.Task{
		{ID: 1, Home: 0, Start: 0, End: 2, Instances: 4, Disk: 1_000_000_000},
		{ID: 2, Home: 0, Start: 0, End: 4, Instances: 3, Disk: 1_000_000_000},
	}
	return centres, tasks
}

// Algorithm 3 sends the first task where it can, to the second centre if that is
// nearer, and to the third if that one is. The optimum keeps the third centre for
// the long task.
func ExampleOptimizer() {
	centres, tasks := threeCentres()
	centres[1].Delay = []time.Duration{90 * time.Millisecond, 0, 0}
	centres[2].Delay = []time.Duration{20 * time.Millisecond, 0, 0}
	bookings, err := federation.Share(nil, centres, tasks, federation.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	greedy := pricing.Money(0)
	for _, b := range bookings {
		greedy += b.Bought + b.Traffic
	}
	var o federation.Optimizer
	best, err := o.Solve(centres, tasks, federation.OptimumOptions{Start: bookings})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("Algorithm 3 pays %v, the optimum is %v, proved: %v\n", greedy, best.Cost, best.Cost == best.Bound)
	// Output:
	// Algorithm 3 pays 0.68, the optimum is 0.14, proved: true
}

// A task that may be split by slot finds room that none that has to stay does.
func ExampleOptimizer_SplitCost() {
	centres, tasks := threeCentres()
	centres[1].Reserved = []int{0, 0, 4, 4}
	centres[2].Reserved = []int{3, 3, 0, 0}
	var o federation.Optimizer
	best, err := o.Solve(centres, tasks[1:], federation.OptimumOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("in one centre %v, split by slot %v\n", best.Cost, o.SplitCost())
	// Output:
	// in one centre 0.6, split by slot 0.06
}
