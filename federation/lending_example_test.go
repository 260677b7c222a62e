package federation_test

import (
	"fmt"
	"log"

	"github.com/plimsoll/plimsoll/federation"
)

// A lender asks half as much again when little is idle, and a quarter when all is.
func ExamplePricePoint() {
	centres, tasks := threeCentres()
	opts := federation.Options{Lending: []federation.PricePoint{{Idle: 0, Factor: 1.5}, {Idle: 0.5, Factor: 1}, {Idle: 1, Factor: 0.25}}}
	bookings, err := federation.Share(nil, centres, tasks, opts)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range bookings {
		fmt.Printf("task %d: %d leased from centre %d for %v\n", b.Task, b.Reserved, b.Centre, b.Lease)
	}
	// Output:
	// task 1: 4 leased from centre 1 for 0.066666664
	// task 2: 3 leased from centre 2 for 0.099999996
}
