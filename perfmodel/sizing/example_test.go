package sizing_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
)

// An application that was profiled with TAU: seconds outside of MPI and within it.
const tau = `application,case,cells,processes,computation,communication
wave,small,1e6,2,40.9,0.6
wave,small,1e6,4,20.1,1.3
wave,small,1e6,8,10.3,2.1
wave,small,1e6,16,5.2,2.6
wave,small,1e6,32,2.5,3.2
wave,large,4e6,2,162.8,1.3
wave,large,4e6,4,81.9,2.5
wave,large,4e6,8,40.3,3.9
wave,large,4e6,16,20.8,5.4
wave,large,4e6,32,10.1,6.2
`

func fail(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func wave() perfmodel.Profile {
	profiles, err := perfmodel.ReadProfiles(strings.NewReader(tau))
	fail(err)
	return profiles[0]
}

// A run on 10¹¹ cells has to end within six days. What will it cost, and with which
// number of processes? Amazon's cluster instance is the cheapest by its speed.
func ExampleSizer_Size() {
	p := wave()
	m := &perfmodel.CAP3{}
	fail(m.Fit(&p))
	instances := sizing.Huang13InstanceTypes()
	cheapest, err := sizing.CheapestPerUnit(instances)
	fail(err)
	task := sizing.Target{
		Features: []float64{1e11},
		Deadline: 6 * 24 * time.Hour,
		Cheapest: true,
		Counts:   perfmodel.AppendCounts(nil, perfmodel.PowersOfTwo, 1, 256),
	}
	var pl sizing.Sizer
	show := func(what string) {
		plan, err := pl.Size(m, instances[cheapest], task)
		fail(err)
		fmt.Printf("%s: %v; %d processes on %d instances, %v, $%v; %d counts not profiled\n", what, plan.Verdict,
			plan.Best.Processes, plan.Best.Instances, plan.Best.Time.Round(time.Minute), plan.Best.Cost, plan.Withheld)
	}
	fmt.Println(instances[cheapest].Name)
	show("half of the time")
	task.Confidence = 0.95
	show("95% of the time")
	task.Confidence, task.Budget = 0, 100*1e9
	show("for $100")
	// Output:
	// cc1.4xlarge
	// half of the time: fits; 16 processes on 1 instances, 142h5m0s, $185.9; 3 counts not profiled
	// 95% of the time: fits; 32 processes on 2 instances, 71h10m0s, $187.2; 3 counts not profiled
	// for $100: too_dear; 16 processes on 1 instances, 142h5m0s, $185.9; 3 counts not profiled
}

// Everything that is best for some deadline and some budget.
func ExampleSizer_AppendFront() {
	p := wave()
	m := &perfmodel.CAP3{}
	fail(m.Fit(&p))
	in, err := sizing.FindInstanceType(sizing.Huang13InstanceTypes(), "m1.large")
	fail(err)
	in.Meter = pricing.EC2PerSecond
	task := sizing.Target{Features: []float64{1e9}, Counts: perfmodel.AppendCounts(nil, perfmodel.PowersOfTwo, 1, 32)}
	var pl sizing.Sizer
	front, err := pl.AppendFront(nil, m, in, task)
	fail(err)
	for _, o := range front {
		fmt.Printf("%2d processes: %8v  $%s\n", o.Processes, o.Time.Round(time.Second), o.Cost.Fixed(2))
	}
	// Output:
	// 32 processes:   44m11s  $2.83
	// 16 processes: 1h26m22s  $2.76
	//  8 processes:  2h51m9s  $2.74
	//  4 processes:  5h41m6s  $2.73
	//  2 processes: 11h21m32s  $2.73
}

// Two customers have runs of 30 and 20 minutes, and an instance is charged by the hour.
func ExampleShare() {
	in := sizing.Huang13InstanceTypes()[3]
	run := func(minutes time.Duration) sizing.Size {
		return sizing.Size{Processes: 16, Instances: 1, Time: minutes * time.Minute, Cost: in.Hourly}
	}
	places, err := sizing.Share([]sizing.Customer{{Runs: []sizing.Size{run(30)}}, {Runs: []sizing.Size{run(20)}}}, in, time.Hour)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, p := range places {
		fmt.Printf("customer %d pays %v for its run on cluster %d\n", i, p[0].Share, p[0].Cluster)
	}
	// Output:
	// customer 0 pays 0.78 for its run on cluster 1
	// customer 1 pays 0.52 for its run on cluster 1
}
