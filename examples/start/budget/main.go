// Budget says which policy rents instances best on a budget, in two clouds.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

func main() {
	// A week of a laboratory: 64 cores of its own, a free cloud that often refuses, a commercial
	// cloud, and $5 an hour.
	rng := rand.New(rand.NewPCG(1, 2))
	jobs, err := workload.AppendFeitelson(nil, rng, 1001, workload.SampleOptions{})
	if err != nil {
		log.Fatal(err)
	}
	clouds := []elastic.CloudOptions{
		{Name: "free", Limit: 512, Reject: .5},
		{Name: "commercial", Price: 96 * pricing.Milli, Limit: elastic.NoLimit},
	}
	for _, p := range []struct {
		name   string
		policy elastic.Policy
	}{
		{"sustained maximum", new(elastic.SM)},
		{"on demand", new(elastic.OD)},
		{"on demand, idle kept", &elastic.OD{Plus: true}},
		{"average queued time", &elastic.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}},
	} {
		r, err := new(elastic.Simulator).Run(jobs, elastic.Options{Local: 64, Clouds: clouds, Policy: p.policy,
			Budget: elastic.Marshall12Budget(), Rand: rand.New(rand.NewPCG(3, 4))})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-22s response %5.2f h, $%v\n", p.name, r.AWRT.Hours(), r.Cost.Fixed(0))
	}
}

// Output:
// sustained maximum      response  8.40 h, $784
// on demand              response  7.42 h, $801
// on demand, idle kept   response  7.41 h, $808
// average queued time    response  5.17 h, $933
