package placement_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/placement"
)

// A job of 20 minutes needs two of four idle instances, at 10:00. The policies
// differ in which leases they let renew.
func ExampleSelector_AppendSelect() {
	const ten = 10 * time.Hour
	idle := []placement.Instance{
		{ID: 1, Due: ten + 5*time.Minute, Since: ten - 50*time.Minute},
		{ID: 2, Due: ten + 55*time.Minute, Since: ten - 45*time.Minute},
		{ID: 3, Due: ten + 30*time.Minute, Since: ten - 10*time.Minute},
		{ID: 4, Due: ten + 15*time.Minute, Since: ten - 3*time.Minute},
	}
	var s placement.Selector
	rnd := rand.New(rand.NewPCG(1, 1))
	for p := placement.MaxMarginFirst; p <= placement.Random; p++ {
		renewed := 0
		fmt.Printf("%-10v takes", p)
		for _, k := range s.AppendSelect(nil, idle, 2, p, rnd) {
			fmt.Print(" ", idle[k].ID)
			if idle[k].Due < ten+20*time.Minute {
				renewed++
			}
		}
		fmt.Printf(", and %d of their leases renew under it\n", renewed)
	}
	// Output:
	// max-margin takes 2 3, and 0 of their leases renew under it
	// min-margin takes 1 4, and 2 of their leases renew under it
	// max-idle   takes 1 2, and 1 of their leases renew under it
	// min-idle   takes 4 3, and 1 of their leases renew under it
	// random     takes 1 2, and 1 of their leases renew under it
}
