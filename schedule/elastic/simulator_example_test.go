package elastic_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/elastic"
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
		new(elastic.ODPlus),
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
		Policy:    new(elastic.ODPlus),
		Budget:    elastic.Marshall12Budget(),
		Horizon:   9 * time.Hour,
		Decisions: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range r.Decisions {
		fmt.Println(&r.Decisions[i])
	}
	// Output:
	// 20m0s: launch 2 at 1, 1 jobs wait, 5 left: waiting jobs need more instances than are free
	// 1h20m0s: terminate 2 at 1, 0 jobs wait, 10 left: the instance is idle and would be charged before the next evaluation
}

// The measured boot times of three kinds of answers.
func ExampleDelay() {
	d := elastic.MeasuredLaunch()
	fmt.Println(d.Mean().Round(10 * time.Millisecond))
	// Output: 49.91s
}
