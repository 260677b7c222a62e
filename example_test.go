package plimsoll_test

import (
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The programs of README.md: TestReadme compares them.

func Example() {
	list := pricing.CC28XLarge2013()
	class, err := list.Find("3y-heavy")
	if err != nil {
		log.Fatal(err)
	}
	if busy, ok := list.Classes[class].BreakEven(pricing.OnDemand(list.OnDemand)); ok {
		fmt.Printf("reserve for three years what is busy %.1f%% of the time\n", 100*busy)
	}
	// Output: reserve for three years what is busy 27.2% of the time
}

// What to reserve next year, with four contracts that still run for 100 days.
func Example_planPurchase() {
	list := pricing.CC28XLarge2013() // pricing.ReadList reads yours
	held, err := list.Find("1y-heavy")
	if err != nil {
		log.Fatal(err)
	}
	plan, err := new(reserve.Exact).Solve(&reserve.Problem{
		Demand: slices.Repeat([]int{8, 8, 8, 8, 8, 3, 3}, 52), Slot: 24 * time.Hour, // instances a day
		Prices: list, Held: []pricing.Holding{{Class: held, Count: 4, Until: 100}},
		Horizon: reserve.Pure, // the share of a term after the demand does not count
	})
	for _, b := range plan.Purchases {
		fmt.Printf("day %d: buy %d of %s\n", b.Slot, b.Count, list.Classes[b.Class].Name)
	}
	fmt.Printf("costs $%v, any plan at least $%v, error: %v\n", plan.Cost.Fixed(0), plan.Bound.Fixed(0), err)
	// Output:
	// day 0: buy 4 of 3y-medium
	// day 100: buy 1 of 3y-medium
	// day 100: buy 3 of 3y-heavy
	// costs $38343, any plan at least $38343, error: <nil>
}

// What to buy this week, from the demand of each hour of the past two years.
func Example_forecastAndPlan() {
	past := make([]int, 104*168) // instances in each hour: 20, and one more every ten weeks
	for hour := range past {
		past[hour] = 20 + hour/1680 - 12*(hour/12%2) // nights need 12 fewer
	}
	buyer := rules.Online{Forecaster: &forecast.Rolling{Predictor: forecast.Predictor{Model: new(smoothing.Blend)}}}
	p := reserve.Problem{Slot: time.Hour, Every: 168, Prices: pricing.CC28XLarge2013()}
	if err := buyer.Reset(&p); err != nil {
		log.Fatal(err)
	}
	buys, err := buyer.Advance(nil, past)
	for _, b := range buys {
		fmt.Printf("buy %d of %s\n", b.Count, p.Prices.Classes[b.Class].Name)
	}
	fmt.Printf("mean forecast for next week: %.1f, error: %v\n", buyer.Next(), err)
	// Output:
	// buy 4 of 3y-light
	// buy 12 of 3y-medium
	// buy 17 of 3y-heavy
	// mean forecast for next week: 24.0, error: <nil>
}

// Which jobs to stop so that twelve of forty nodes come free in a quarter of an hour.
func Example_chooseVictims() {
	running := preempt.State{Jobs: []preempt.Job{
		{Nodes: 16, Elapsed: 5 * time.Hour, Requested: 6 * time.Hour},
		{Nodes: 8, Elapsed: 30 * time.Minute, Requested: 2 * time.Hour},
		{Nodes: 10, Elapsed: 10 * time.Minute, Requested: 20 * time.Minute},
	}}
	for job, j := range running.Jobs { // the job of each node
		running.Node = append(running.Node, slices.Repeat([]int{job}, j.Nodes)...)
	}
	running.Node = append(running.Node, slices.Repeat([]int{preempt.Idle}, 6)...)
	p := preempt.Preemption{Take: 12, Grace: 15 * time.Minute, Outlast: make([]float64, 3)}
	preempt.RequestedTo(p.Outlast, running.Jobs, p.Grace) // does a job outlast the grace period?
	victims, err := new(preempt.Solver).AppendVictims(nil, running, p)
	fmt.Println("take the idle nodes and nodes of jobs", victims, err)
	// Output:
	// take the idle nodes and nodes of jobs [2] <nil>
}

// How many processes finish a run within an hour, with nine chances in ten.
func Example_sizeJob() {
	profile := perfmodel.Profile{Application: "cfd", Features: []string{"cells"}}
	for _, r := range [][3]float64{{1e6, 1, 410}, {1e6, 2, 236}, {1e6, 4, 118}, {4e6, 4, 440}, {4e6, 8, 265}} {
		profile.Runs = append(profile.Runs,
			perfmodel.Run{Features: r[:1], Processes: int(r[1]), Seconds: r[2], Repetitions: 1})
	}
	node := sizing.InstanceType{Processes: 4, ComputeUnits: 28, Hourly: 420 * pricing.Milli, Meter: pricing.EC2Hourly}
	target := sizing.Target{Features: []float64{32e6}, Deadline: time.Hour, Confidence: 0.9,
		Goal: sizing.LeastCost, Counts: []int{1, 2, 4, 8}}
	var model perfmodel.LogLinear
	if err := model.Fit(&profile); err != nil {
		log.Fatal(err)
	}
	choice, err := new(sizing.Sizer).Size(&model, node, target)
	late := choice.Best.Upper.Round(time.Minute)
	fmt.Println(choice.Verdict, "on", choice.Best.Processes, "processes in", late, "for", choice.Best.UpperCost, err)
	// Output:
	// fits on 8 processes in 41m0s for 0.84 <nil>
}

// Whether a cluster should grow for the jobs that wait, and by how much.
func Example_growCluster() {
	scaler := schedule.Autoscaler{WaitLimit: 30 * time.Minute, Most: 16}
	_, view := scaler.Predict(&schedule.Snapshot{Now: 5 * time.Minute, Idle: 2,
		Running: []schedule.Allocation{{Job: schedule.Job{ID: 1, Estimate: 2 * time.Hour, Nodes: 6}}},
		Waiting: []schedule.Job{
			{ID: 2, Submit: 1 * time.Minute, Estimate: 2 * time.Hour, Nodes: 4},
			{ID: 3, Submit: 2 * time.Minute, Estimate: 2 * time.Hour, Nodes: 8},
		}})
	verdict := scaler.Decide(nil, &view)
	fmt.Printf("job %d would wait until %v: request %d nodes, %d more without the limit\n",
		view.Top.ID, view.Start, verdict.Grow, verdict.Withheld)
	// Output:
	// job 2 would wait until 2h0m0s: request 8 nodes, 2 more without the limit
}

// What the jobs of a log cost and how long they wait if every user rents alone, and
// if all share a cluster that grows and shrinks.
func Example_replayLog() {
	file, err := os.Open("schedule/trace/testdata/made-up.swf")
	if err != nil {
		log.Fatal(err)
	}
	jobs, left, err := trace.Convert(trace.NewReader(file).Records(), trace.Options{PerInstance: 4}) // 4 processors each
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(left.String())
	for _, mode := range []sim.Mode{sim.Individual, sim.SEC} {
		r, err := new(sim.Simulator).Run(jobs, sim.Options{Mode: mode})
		fmt.Printf("%v: waits %v, costs $%v, error: %v\n", mode, r.MeanWait.Round(time.Second), r.Cost.Fixed(0), err)
	}
	// Output:
	// 250 records, 250 jobs, 0 left out
	// individual: waits 2m48s, costs $1663, error: <nil>
	// sec: waits 55s, costs $622, error: <nil>
}
