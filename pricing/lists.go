package pricing

import "time"

// Lengths of the terms that EC2 sells.
const (
	oneYear    = 8760 * time.Hour
	threeYears = 26280 * time.Hour
)

// CC28XLarge2013 returns the prices of EC2's cc2.8xlarge (Linux, US East) with which [Niu16]
// computes, in US dollars. The list has light, medium and heavy utilisation, each for terms of 365
// and 1095 days. The minimum utilisation levels of [Niu16] section 5.1 follow from these prices.
//
// The list is a fresh copy that the caller may change. Heavy utilisation is billed [Always], as EC2
// billed it. [Niu16] bills the used hours alone. To compute as [Niu16] does, set Billed to
// [WhenUsed].
//
// Sources: $2.40 on demand is in the price lists of 5 June, 26 September and 15 November 2013. The
// reservations are in EC2's price files of 19 March 2014, the last before the price cut of April
// 2014. The one-year prices were the same on 14 June 2012.
func CC28XLarge2013() List {
	return List{
		OnDemand: 2400 * Milli,
		Classes: []Class{
			{Name: "1y-light", Term: oneYear, Upfront: 1762 * Unit, Hourly: 904 * Milli, Billed: WhenUsed},
			{Name: "1y-medium", Term: oneYear, Upfront: 4146 * Unit, Hourly: 540 * Milli, Billed: WhenUsed},
			{Name: "1y-heavy", Term: oneYear, Upfront: 5000 * Unit, Hourly: 361 * Milli, Billed: Always},
			{Name: "3y-light", Term: threeYears, Upfront: 2710 * Unit, Hourly: 904 * Milli, Billed: WhenUsed},
			{Name: "3y-medium", Term: threeYears, Upfront: 6378 * Unit, Hourly: 540 * Milli, Billed: WhenUsed},
			{Name: "3y-heavy", Term: threeYears, Upfront: 7670 * Unit, Hourly: 361 * Milli, Billed: Always},
		},
	}
}
