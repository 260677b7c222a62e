package federation_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// The day has four slots of six hours. Frankfurt has reserved too little for its
// batch of the morning, Oregon sleeps then.
func centres() []federation.Centre {
	return []federation.Centre{
		{ // Frankfurt
			Reserved: []int{10, 10, 10, 10}, Demand: []int{10, 18, 9, 6},
			OnDemand: 600 * pricing.Milli, Fee: pricing.Unit, Term: 4, Traffic: 20 * pricing.Milli,
			Delay: []time.Duration{0, 150 * time.Millisecond},
		},
		{ // Oregon
			Reserved: []int{12, 12, 12, 12}, Demand: []int{9, 4, 9, 12},
			OnDemand: 500 * pricing.Milli, Fee: 800 * pricing.Milli, Term: 4, Traffic: 10 * pricing.Milli,
			Delay: []time.Duration{150 * time.Millisecond, 0},
		},
	}
}

var tasks = []federation.Task{
	{ID: 1, Home: 0, Start: 0, End: 4, Instances: 6, Disk: 2e9},
	{ID: 2, Home: 0, Start: 0, End: 2, Instances: 4, Disk: 2e9},
	{ID: 3, Home: 1, Start: 0, End: 1, Instances: 9, Disk: 1e9},
	{ID: 4, Home: 0, Start: 1, End: 2, Instances: 8, Disk: 5e9},
	{ID: 5, Home: 1, Start: 1, End: 2, Instances: 4, Disk: 1e9},
	{ID: 6, Home: 1, Start: 2, End: 4, Instances: 9, Disk: 1e9},
	{ID: 7, Home: 0, Start: 2, End: 3, Instances: 3, Disk: 1e9},
	{ID: 8, Home: 1, Start: 3, End: 4, Instances: 3, Disk: 40e9},
}

// What does each centre save by lending what it does not need?
func ExampleShare() {
	var cost [2][2]pricing.Money
	for k, o := range []federation.Options{{Order: federation.Alone}, {}} {
		bookings, err := federation.Share(nil, centres(), tasks, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		var l federation.Ledger
		l.Reset(2)
		if err := l.Post(bookings...); err != nil {
			fmt.Println(err)
			return
		}
		for i, s := range l.AppendStatements(nil) {
			cost[i][k] = s.Cost()
		}
	}
	for i, name := range []string{"Frankfurt", "Oregon"} {
		fmt.Printf("%-9s  %5s alone, %5s in the federation, fees apart\n", name, cost[i][0].Fixed(2), cost[i][1].Fixed(2))
	}
	// Output:
	// Frankfurt   4.80 alone,  2.40 in the federation, fees apart
	// Oregon      0.00 alone, -1.60 in the federation, fees apart
}

// Tasks as they come: a scheduler asks for each task where its instances run.
func ExampleSharer() {
	var s federation.Sharer
	if err := s.Reset(centres(), federation.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	var bookings []federation.Booking
	for _, t := range append(tasks[:3:3], federation.Task{ID: 9, Home: 0, Start: 1, End: 3, Instances: 3, Disk: 5e9}) {
		var err error
		if bookings, err = s.Add(bookings[:0], t); err != nil {
			fmt.Println(err)
			return
		}
		for _, b := range bookings {
			fmt.Printf("task %d, slots %d to %d: %d reserved and %d on demand in centre %d\n", b.Task, b.Start, b.End, b.Reserved, b.OnDemand, b.Centre)
		}
	}
	// Output:
	// task 1, slots 0 to 4: 6 reserved and 0 on demand in centre 0
	// task 2, slots 0 to 2: 4 reserved and 0 on demand in centre 0
	// task 3, slots 0 to 1: 9 reserved and 0 on demand in centre 1
	// task 9, slots 1 to 3: 3 reserved and 0 on demand in centre 1
}

// How much data went where, [Liu21] Table 3.
func ExampleLedger_Flow() {
	bookings, err := federation.Share(nil, centres(), tasks, federation.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var l federation.Ledger
	l.Reset(2)
	if err := l.Post(bookings...); err != nil {
		fmt.Println(err)
		return
	}
	f := l.Flow(0, 1)
	fmt.Printf("%d GB for %v; %d slots leased for %v\n", f.Sent/1e9, f.Traffic, f.Borrowed, f.Paid)
	// Output: 40 GB for 0.8; 8 slots leased for 1.6
}
