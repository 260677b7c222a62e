package sim_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// A month of jobs on a machine of 128 nodes: rent job by job, or together?
func Example() {
	jobs, err := workload.AppendLublin(nil, rand.New(rand.NewPCG(1, 1)), 5000, workload.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var s sim.Simulator
	for _, mode := range []sim.Mode{sim.Individual, sim.NoWait, sim.SEC} {
		r, err := s.Run(jobs, sim.Options{Mode: mode})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-10v waits %3.0f s, pays $%v at %2.0f%% utilisation\n",
			mode, r.MeanWait.Seconds(), r.Cost.Fixed(0), 100*r.Utilisation)
	}
	// Output:
	// individual waits 235 s, pays $206465 at 52% utilisation
	// nowait     waits  81 s, pays $144996 at 74% utilisation
	// sec        waits 126 s, pays $135576 at 79% utilisation
}

// The capacity that the cluster needed hour by hour is what a purchase of
// reserved instances is planned for.
func ExampleResult_AppendDemand() {
	jobs := []trace.Job{
		{ID: 1, Submit: 0, Run: 50 * time.Minute, Estimate: time.Hour, Nodes: 4},
		{ID: 2, Submit: 70 * time.Minute, Run: 2 * time.Hour, Estimate: 3 * time.Hour, Nodes: 6},
	}
	var s sim.Simulator
	r, err := s.Run(jobs, sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.AppendDemand(nil, time.Hour))
	fmt.Printf("%.0f hours charged for %.2f used\n", r.ChargedHours, r.UsedHours)
	// Output:
	// [4 6 6 6 6]
	// 22 hours charged for 15.33 used
}

// A portfolio joins package reserve to the simulator: it plans with a forecast
// of the demand, and tells which reservations serve.
type portfolio struct {
	online    rules.Online
	prices    pricing.List
	purchases []pricing.Purchase
	active    []pricing.Holding
	slot      int // at which the next week begins
}

func (p *portfolio) Observe(dst []placement.Reservation, demand []int) (_ []placement.Reservation, err error) {
	if p.purchases, err = p.online.Observe(p.purchases, demand); err != nil {
		return dst, err
	}
	p.slot += len(demand)
	p.active = p.online.Active(p.active[:0])
	for _, h := range p.active {
		if h.Until > p.slot {
			dst = append(dst, placement.Reservation{Count: h.Count, Rate: p.prices.Classes[h.Class].UsePrice()})
		}
	}
	return dst, nil
}

// Two clouds: EC2, where reservations are bought as the demand shows, and GCE, 20%
// cheaper, without any. Where do the jobs run?
func ExampleCloud() {
	jobs, err := workload.AppendLublin(nil, rand.New(rand.NewPCG(1, 1)), 20000, workload.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ec2 := &portfolio{prices: pricing.CC28XLarge2013()}
	ec2.online.Forecaster = &forecast.Predictor{Model: &smoothing.Simple{Alpha: .1}}
	if err := ec2.online.Reset(&reserve.Problem{Slot: time.Hour, Every: 168, Prices: ec2.prices}); err != nil {
		log.Fatal(err)
	}
	var s sim.Simulator
	r, err := s.Run(jobs, sim.Options{Clouds: []sim.Cloud{
		{Name: "EC2", Portfolio: ec2.Observe},
		{Name: "GCE", Hourly: 1920 * pricing.Milli, Meter: pricing.GCE2014, Discount: pricing.GCE2014SustainedUse},
	}})
	if err != nil {
		log.Fatal(err)
	}
	bought := 0
	for _, p := range ec2.purchases {
		bought += p.Count
	}
	fmt.Printf("%d instances reserved in %.0f weeks\n", bought, r.Makespan.Hours()/168)
	for _, c := range r.Clouds {
		fmt.Printf("%s: %5d jobs, %6.0f hours charged\n", c.Name, c.Jobs, c.ChargedHours)
	}
	// Output:
	// 280 instances reserved in 19 weeks
	// EC2: 18029 jobs, 174145 hours charged
	// GCE:  1971 jobs,  21811 hours charged
}
