package pricing_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A night of prices as EC2 writes them, the newest first.
const night = `AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp
us-east-1a,cc1.4xlarge,Linux/UNIX,0.210,2013-02-02T04:00:00Z
us-east-1a,cc1.4xlarge,Linux/UNIX,0.950,2013-02-02T03:20:00Z
us-east-1a,cc1.4xlarge,Linux/UNIX,0.250,2013-02-02T01:30:00Z
us-east-1a,cc1.4xlarge,Linux/UNIX,0.210,2013-02-01T22:00:00Z
`

// When would a bid of 0.30 have been interrupted, and what would it have cost?
func ExampleSpotMeter_Cost() {
	h, err := pricing.ReadSpot(strings.NewReader(night), pricing.SpotSeries{Type: "cc1.4xlarge"})
	if err != nil {
		fmt.Println(err)
		return
	}
	launch, bid := time.Hour, 300*pricing.Milli // at 23:00
	gone, _ := h.NextAbove(launch, bid)
	length := gone - launch
	fmt.Printf("launched at %v, interrupted after %v\n", h.Origin.Add(launch).Format("15:04"), length)
	for _, m := range []struct {
		name  string
		meter pricing.SpotMeter
	}{{"hours of 2013", pricing.EC2SpotHourly}, {"seconds of today", pricing.EC2SpotPerSecond}} {
		cost, err := m.meter.Cost(h, launch, length, pricing.EndedByProvider)
		if err != nil {
			fmt.Println(err)
			return
		}
		given, err := m.meter.Cost(h, launch, length, pricing.EndedByUser)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %v, and %v had the user stopped then\n", m.name, cost, given)
	}
	// Output:
	// launched at 23:00, interrupted after 4h20m0s
	// hours of 2013: 0.88, and 1.13 had the user stopped then
	// seconds of today: 0.963333333, and 0.963333333 had the user stopped then
}

func ExampleSpotHistory_Quantile() {
	h, err := pricing.ReadSpot(strings.NewReader(night), pricing.SpotSeries{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("mean  ", h.Mean(h.Start(), h.End).Fixed(4))
	fmt.Println("median", h.Quantile(h.Start(), h.End, 0.5))
	fmt.Println("90%   ", h.Quantile(h.Start(), h.End, 0.9))
	// Output:
	// mean   0.3044
	// median 0.21
	// 90%    0.95
}

// Who asks for what is not there is told what is.
func ExampleReadSpot() {
	_, err := pricing.ReadSpot(strings.NewReader(night), pricing.SpotSeries{Type: "cc1.4xlarge", Product: "Windows"})
	fmt.Println(err)
	// Output:
	// pricing: series: unknown name: zone any, type "cc1.4xlarge", product "Windows": want one of us-east-1a cc1.4xlarge: Linux/UNIX
}
