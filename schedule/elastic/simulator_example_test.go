package elastic_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// A lab with 64 cores of its own may use 512 of a community cloud, which refuses
// one request in ten, and has $5 an hour for a commercial one. Should it hold what
// the budget allows, or rent as jobs wait? Its jobs come in campaigns.
func ExampleSimulator() {
	jobs, err := workload.AppendFeitelson(nil, rand.New(rand.NewPCG(1, 0)), workload.FeitelsonJobs,
		workload.SampleOptions{Arrivals: workload.Campaigns})
	if err != nil {
		fmt.Println(err)
		return
	}
	var env elastic.Simulator
	for _, policy := range []elastic.Policy{
		new(elastic.SM),
		&elastic.OD{Plus: true},
		&elastic.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute},
	} {
		r, err := env.Run(jobs, elastic.Options{
			Local:   elastic.Marshall12Local,
			Clouds:  elastic.Marshall12Clouds(.1),
			Policy:  policy,
			Budget:  elastic.Marshall12Budget(),
			Horizon: elastic.Marshall12Horizon,
			Rand:    rand.New(rand.NewPCG(2, 0)),
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-4v response %4.1f h, cost $%s, lowest credits $%s\n",
			policy, r.AWRT.Hours(), r.Cost.Fixed(0), r.LowestCredits.Fixed(0))
	}
	// Output:
	// SM   response  4.6 h, cost $1530, lowest credits $0
	// OD++ response  2.0 h, cost $1352, lowest credits $-952
	// AQTP response  3.4 h, cost $880, lowest credits $-550
}

// Why was that rented? The record of decisions of a small case: three jobs, one
// core, and a cloud with certain boots.
func ExampleDecision() {
	jobs, err := workload.AppendGrid5000(nil, rand.New(rand.NewPCG(1, 0)), 3, workload.SampleOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	clouds := elastic.Marshall12Clouds(0)
	for i := range clouds {
		clouds[i].Boot, clouds[i].Stop = elastic.Certain(50*time.Second), elastic.Certain(13*time.Second)
	}
	var env elastic.Simulator
	r, err := env.Run(jobs, elastic.Options{
		Local:     1,
		Clouds:    clouds,
		Policy:    &elastic.OD{Plus: true},
		Budget:    elastic.Marshall12Budget(),
		Horizon:   9 * time.Hour,
		Decisions: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		fmt.Printf("%v: launch %v, %d instances: %s\n", d.At, d.Launch, d.Count, d.Reason)
	}
	// Output:
	// 20m0s: launch true, 2 instances: waiting jobs need more instances than are free
	// 1h20m0s: launch false, 2 instances: the instance is idle and would be charged before the next evaluation
}

// The measured boot times of three kinds of answers.
func ExampleDelay() {
	d := elastic.MeasuredLaunch()
	fmt.Println(d.Mean().Round(10 * time.Millisecond))
	// Output: 49.91s
}

// A job of two cores and three hours on spot instances, for a bid of 5 cents. After an hour and a
// half the price rises to 50 cents for half an hour: the job begins again.
func ExampleSpot() {
	cent := pricing.Unit / 100
	history := pricing.SpotHistory{
		Times:  []time.Duration{0, 90 * time.Minute, 2 * time.Hour},
		Prices: []pricing.Money{2 * cent, 50 * cent, 3 * cent},
		End:    24 * time.Hour,
	}
	spot := elastic.CloudOptions{
		Name: "spot", Limit: elastic.NoLimit, Spot: &elastic.Spot{History: history, Bid: 5 * cent},
		Boot: elastic.Certain(time.Minute), Stop: elastic.Certain(0),
	}
	jobs := []trace.Job{{ID: 1, Run: 3 * time.Hour, Estimate: 3 * time.Hour, Nodes: 2}}
	var s elastic.Simulator
	r, err := s.Run(jobs, elastic.Options{Clouds: []elastic.CloudOptions{spot}, Policy: new(elastic.OD), Budget: elastic.Budget{Hourly: pricing.Unit}})
	if err != nil {
		panic(err)
	}
	at := r.Infrastructures[1]
	fmt.Printf("begins again at %v and responds after %v\n", r.Starts[0], r.AWRT)
	fmt.Printf("%.2f core-hours, %.2f lost, %d instances ended, $%v\n", at.CoreHours, at.LostHours, at.Revoked, r.Cost)
	// Output:
	// begins again at 2h1m0s and responds after 5h1m0s
	// 6.00 core-hours, 2.97 lost, 2 instances ended, $0.28
}
