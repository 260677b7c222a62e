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
		for i, s := range l.Statements() {
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

// Tasks as they come, and a centre that fails: who paid what to whom?
func ExampleSharer() {
	var s federation.Sharer
	if err := s.Reset(centres(), federation.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	var bookings []federation.Booking
	var err error
	for _, t := range tasks[:3] {
		if bookings, err = s.Add(bookings, t); err != nil {
			fmt.Println(err)
			return
		}
	}
	night := federation.Task{ID: 9, Home: 0, Start: 1, End: 3, Instances: 3, Disk: 5e9}
	if bookings, err = s.Add(bookings, night); err != nil {
		fmt.Println(err)
		return
	}
	if bookings, err = s.Fail(bookings, 1, 2); err != nil {
		fmt.Println(err)
		return
	}
	party := func(i int) string {
		if i == federation.Provider {
			return "the provider"
		}
		return []string{"Frankfurt", "Oregon"}[i]
	}
	for p := range federation.Payments(bookings) {
		fmt.Printf("task %d: %s pays %s %v for %d instances, slots %d to %d, %v\n",
			p.Task, party(p.From), party(p.To), p.Amount, p.Instances, p.Start, p.End, p.Kind)
	}
	// Output:
	// task 9: Frankfurt pays Oregon 1.2 for 3 instances, slots 1 to 3, lease
	// task 9: Frankfurt pays the provider 0.3 for 3 instances, slots 1 to 3, traffic
	// task 9: Frankfurt pays Oregon -0.6 for -3 instances, slots 2 to 3, lease
}

// Oregon takes its reservations back at the end of slot 1. What does Frankfurt's task
// cost now?
func ExampleSharer_Leave() {
	var s federation.Sharer
	if err := s.Reset(centres(), federation.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	var bookings []federation.Booking
	var err error
	for _, t := range append(tasks[:3:3], federation.Task{ID: 9, Home: 0, Start: 1, End: 3, Instances: 3, Disk: 5e9}) {
		if bookings, err = s.Add(bookings, t); err != nil {
			fmt.Println(err)
			return
		}
	}
	task := len(bookings) - 1
	if bookings, err = s.Leave(bookings, 1, 2); err != nil {
		fmt.Println(err)
		return
	}
	var sum pricing.Money
	for _, b := range bookings[task:] {
		fmt.Printf("slots %d to %d: %2d leased, %d on demand in centre %d, %v\n", b.Start, b.End, b.Reserved, b.OnDemand, b.Centre, b.Cost())
		sum += b.Cost()
	}
	fmt.Println(sum)
	// Output:
	// slots 1 to 3:  3 leased, 0 on demand in centre 1, 1.5
	// slots 2 to 3: -3 leased, 0 on demand in centre 1, -0.6
	// slots 2 to 3:  0 leased, 3 on demand in centre 1, 1.5
	// 2.4
}

// Eight instances for three hours are missing at home. The other centre has few of
// its reservations idle in the last hour: how many go there?
func ExampleSplitter() {
	rates := federation.Rates{
		OnDemand:  75 * pricing.Milli,
		Elsewhere: 60 * pricing.Milli,
		Share:     30 * pricing.Milli,
		Traffic:   80 * pricing.Milli, // 4 GB an instance
	}
	var s federation.Splitter
	theta, err := s.Theta([]int{8, 8, 8}, []int{9, 6, 2}, rates)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(theta, rates.Convex())
	// Output: 6 true
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
	fmt.Printf("%d GB for %v; %d slots leased for %v\n", f.Sent/1e9, f.Traffic, f.Leased, f.Lease)
	// Output: 40 GB for 0.8; 8 slots leased for 1.6
}

// Bookings of any origin can be checked.
func ExampleVerify() {
	bookings, err := federation.Share(nil, centres(), tasks, federation.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(federation.Verify(centres(), tasks, bookings, federation.Options{}))
	bookings[0].Reserved++
	fmt.Println(federation.Verify(centres(), tasks, bookings, federation.Options{}))
	// Output:
	// <nil>
	// federation: Centres[0].Reserved: bookings do not fit: 11 of 10 reservations are booked in slot 0: want no more than there are
}
