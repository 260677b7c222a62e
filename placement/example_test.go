package placement_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
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

// A job wants 8 instances. At EC2 two of six reserved ones are not in use, and
// what is above them is on demand. At GCE the price is 20% lower, and the next
// ranks were used for more than half of the month, so that they are discounted.
func ExampleChoose() {
	const month = 30 * 24 * time.Hour
	week := 7 * 24 * time.Hour
	clouds := []placement.Cloud{
		{
			Hourly:   2400 * pricing.Milli,
			Reserved: []placement.Reservation{{Count: 2, Rate: 0}, {Count: 4, Rate: 904 * pricing.Milli}},
			Taken:    4,
		},
		{
			Hourly:   1920 * pricing.Milli,
			Discount: pricing.GCE2014SustainedUse,
			Month:    month,
			Used:     []time.Duration{month, month, 3 * week, 3 * week, 3 * week, 2 * week, 2 * week, week},
			Taken:    2,
		},
	}
	for _, n := range []int{2, 8} {
		best, err := placement.Choose(clouds, n)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d instances:", n)
		for i, name := range []string{"EC2", "GCE"} {
			rate, err := clouds[i].Rate(n)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf(" %s $%v an hour,", name, rate.Fixed(3))
		}
		fmt.Println(" so cloud", best)
	}
	// Output:
	// 2 instances: EC2 $1.808 an hour, GCE $2.304 an hour, so cloud 0
	// 8 instances: EC2 $16.208 an hour, GCE $12.288 an hour, so cloud 1
}
