package savings_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// r7g is a fleet for three years of hours: web servers by day, databases that run
// always, and reports at weekends.
//
// The plan's rates are those of the three-year r7g EC2 Instance Savings Plan, paid
// partly upfront, in Taipei: AWS's offer file AmazonComputeSavingsPlan, ap-east-2,
// of 2025-09-11. On demand the file has no rates; Linux is assumed at two and a half
// times the plan's, and RHEL's surcharge, 0.0576 for this size, is not discounted.
func r7g() []savings.Type {
	types := []savings.Type{
		{Name: "r7g.2xlarge Linux", OnDemand: 488_500 * pricing.Micro, Plan: 195_400 * pricing.Micro},
		{Name: "r7g.xlarge RHEL", OnDemand: 301_850 * pricing.Micro, Plan: 155_300 * pricing.Micro},
		{Name: "r7g.12xlarge Linux", OnDemand: 2_930_250 * pricing.Micro, Plan: 1_172_100 * pricing.Micro},
	}
	for t := range 3 * 365 * 24 {
		day, hour := t/24, t%24
		web, reports := 8, 0
		if hour >= 7 && hour < 22 {
			web = 20
		}
		if day%7 >= 5 {
			web, reports = 8, 2
		}
		types[0].Demand = append(types[0].Demand, web)
		types[1].Demand = append(types[1].Demand, 6)
		types[2].Demand = append(types[2].Demand, reports)
	}
	return types
}

// How much to commit for three years. What runs always costs 2.495 an hour at plan
// rates, but it pays to commit all of a working day, 4.8398, as the reports use it at
// weekends; rounded down, as the last unit would be four fifths used in fewer than half
// of the hours.
func ExampleSolver() {
	p := &savings.Problem{
		Slot:  time.Hour,
		Types: r7g(),
		Term:  3 * 8760 * time.Hour,
		Every: 168,
	}
	var s savings.Solver
	plan, err := s.Solve(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range plan.Commitments {
		fmt.Printf("hour %d: commit %d thousandths an hour\n", c.Slot, c.Units)
	}
	fmt.Println("committed", plan.Committed.Fixed(2), "of which unused", plan.Unused.Fixed(2))
	fmt.Println("on demand", plan.OnDemand.Fixed(2))
	fmt.Println("cost", plan.Cost.Fixed(2), "optimal:", plan.Optimal())
	fmt.Println("certificate:", savings.Verify(p, &plan))
	// Output:
	// hour 0: commit 4839 thousandths an hour
	// committed 127168.92 of which unused 16518.17
	// on demand 21.17
	// cost 127190.09 optimal: true
	// certificate: <nil>
}

// Beside the plan, reservations for the databases at three quarters of the plan's
// rate (an assumption, as a negotiated price may be). They leave the plan to the web
// servers and the reports.
func ExampleSolver_classes() {
	p := &savings.Problem{
		Slot:  time.Hour,
		Types: r7g(),
		Term:  3 * 8760 * time.Hour,
		Every: 168,
		Classes: []savings.TypeClass{{
			Type:  1,
			Class: pricing.Class{Name: "r7g.xlarge RHEL, 1 year", Term: 8760 * time.Hour, Hourly: 116_475 * pricing.Micro},
		}},
	}
	var m savings.Solver
	plan, err := m.Solve(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range plan.Reservations {
		fmt.Printf("hour %d: reserve %d %s\n", r.Slot, r.Count, p.Classes[r.Class].Class.Name)
	}
	for _, c := range plan.Commitments {
		fmt.Printf("hour %d: commit %d thousandths an hour\n", c.Slot, c.Units)
	}
	fmt.Println("reserved", plan.Reserved.Fixed(2), "committed", plan.Committed.Fixed(2), "on demand", plan.OnDemand.Fixed(2))
	fmt.Printf("cost %s, at most %.4f%% above the optimum\n", plan.Cost.Fixed(2), 100*plan.Gap())
	fmt.Println("certificate:", savings.Verify(p, &plan))
	// Output:
	// hour 0: reserve 6 r7g.xlarge RHEL, 1 year
	// hour 8736: reserve 6 r7g.xlarge RHEL, 1 year
	// hour 17472: reserve 6 r7g.xlarge RHEL, 1 year
	// hour 0: commit 3908 thousandths an hour
	// reserved 18365.78 committed 102702.24 on demand 54.33
	// cost 121122.35, at most 0.0034% above the optimum
	// certificate: <nil>
}

// What each commitment of a plan does: a new one beside 2.5 an hour that is held for
// another year.
func ExampleAppendUses() {
	p := &savings.Problem{
		Slot:  time.Hour,
		Types: r7g(),
		Term:  3 * 8760 * time.Hour,
		Every: 8760,
		Held:  []pricing.Holding{{Count: 2500, Until: 8760}},

		Horizon: reserve.Pure, // the need goes on after three years
	}
	var s savings.Solver
	plan, err := s.Solve(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	uses, err := savings.AppendUses(nil, p, &plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range uses {
		fmt.Printf("hour %5d: %s an hour, %s in all, used %.1f%%, saves %s\n", u.Commitment.Slot,
			u.Commitment.Hourly.Fixed(3), u.Committed.Fixed(2), 100*u.Utilisation, u.Saved.Fixed(2))
	}
	// Output:
	// hour     0: 2.339 an hour, 61468.92 in all, used 91.1%, saves 73118.45
	// hour  8760: 2.500 an hour, 43800.00 in all, used 74.9%, saves 31119.10
}

// How much to commit for a year if a customer may leave. With the customer, 40 instances run by day
// and 20 by night. With a chance of one in four the customer leaves after 3 months, and a third of the
// instances stays. For the probable future alone it pays to commit for all 40; with both, for 20.
func ExampleProblem_paths() {
	stays, leaves := make([]int, 8760), make([]int, 8760)
	for t := range stays {
		stays[t] = 20
		if t%24 >= 6 && t%24 < 22 {
			stays[t] = 40
		}
		leaves[t] = stays[t]
		if t >= 2190 {
			leaves[t] = stays[t] / 3
		}
	}
	p := &savings.Problem{
		Slot: time.Hour,
		Types: []savings.Type{{
			Name: "m7g.xlarge", Paths: [][]int{stays, leaves}, OnDemand: 163_200 * pricing.Micro, Plan: 107_900 * pricing.Micro,
		}},
		Term:    8760 * time.Hour,
		Every:   730,
		Horizon: reserve.Pure,
	}
	for _, weights := range [][]int{{1, 0}, {3, 1}} {
		p.Weights = weights
		var s savings.Solver
		plan, err := s.Solve(p)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range plan.Commitments {
			fmt.Printf("weights %v: hour %d: commit %s an hour\n", weights, c.Slot, c.Hourly.Fixed(3))
		}
		fmt.Println("cost", plan.Cost.Fixed(2), "optimal:", plan.Optimal(), "certificate:", savings.Verify(p, &plan))
	}
	// Output:
	// weights [1 0]: hour 0: commit 4.316 an hour
	// cost 37808.16 optimal: true certificate: <nil>
	// weights [3 1]: hour 0: commit 2.158 an hour
	// cost 34388.50 optimal: true certificate: <nil>
}

// One year or three, and a plan for one family or for all. The web servers stay for three years, a
// project runs for the first year, and only the general plans pay for the databases. Rates are those of
// r7g; the one-year plan and the family's are an assumption, as a price list has them.
func ExampleProblem_others() {
	slots := 3 * 365 * 2 // of 12 hours
	web, databases := make([]int, slots), make([]int, slots)
	for t := range web {
		web[t] = 20 - 12*(t%2) // by day and by night
		if t < 730 {
			web[t] += 15 // the project
		}
		databases[t] = 6
	}
	p := &savings.Problem{
		Slot: 12 * time.Hour,
		Types: []savings.Type{
			{Name: "web", Demand: web, OnDemand: 488_500 * pricing.Micro, Plan: 219_800 * pricing.Micro},
			{Name: "databases", Demand: databases, OnDemand: 301_850 * pricing.Micro, Plan: 165_300 * pricing.Micro},
		},
		Term:  3 * 8760 * time.Hour, // of the general plan
		Every: 730,
		Others: []savings.Offer{
			{Name: "general, 1 year", Term: 8760 * time.Hour, Rates: []pricing.Money{322_400 * pricing.Micro, 220_000 * pricing.Micro}},
			{Name: "family, 3 years", Term: 3 * 8760 * time.Hour, Rates: []pricing.Money{195_400 * pricing.Micro, 0}},
		},
		Horizon: reserve.Pure,
	}
	var s savings.Solver
	plan, err := s.Solve(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	names := []string{"general, 3 years", p.Others[0].Name, p.Others[1].Name}
	for _, c := range plan.Commitments {
		fmt.Printf("slot %d: commit %s an hour to %s\n", c.Slot, c.Hourly.Fixed(3), names[c.Offer])
	}
	fmt.Printf("cost %s, at most %.3f%% above the optimum\n", plan.Cost.Fixed(2), 100*plan.Gap())
	fmt.Println("certificate:", savings.Verify(p, &plan))
	// Output:
	// slot 0: commit 0.992 an hour to general, 3 years
	// slot 0: commit 0.877 an hour to general, 1 year
	// slot 0: commit 3.908 an hour to family, 3 years
	// cost 161006.78, at most 0.003% above the optimum
	// certificate: <nil>
}
