package pricing

import "time"

// Lengths of the terms that EC2 sells.
const (
	oneYear    = 8760 * time.Hour
	threeYears = 26280 * time.Hour
)

// CC28XLarge2012 returns the prices of EC2's cc2.8xlarge (Linux, US East) of 14
// June 2012, in US dollars, with the reservations for one year only. Source: the
// price table of the program EMRio of that day.
//
// Like all lists here it is a fresh copy that the caller may change, and bills
// heavy utilisation [Always], as EC2 did. For [Niu16]'s reading, by which only
// the hours used are billed, take [List.WhenUsed] of it.
func CC28XLarge2012() List {
	l := CC28XLarge2013()
	l.Classes = l.Classes[:3:3]
	return l
}

// CC28XLarge2013 returns the prices of EC2's cc2.8xlarge (Linux, US East) that
// [Niu16] computes with, in US dollars: the minimum utilisation levels of its
// section 5.1 come out of them. Light, medium and heavy utilisation for one year
// and for three.
//
// On demand: $2.40 in the price lists of 5 June, 26 September and 15 November
// 2013. Reservations: EC2's price files of 19 March 2014, the last before the cut
// of April 2014; those for one year were the same on 14 June 2012. Terms of 365
// and 1095 days.
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

// CC28XLarge2014 returns the prices of EC2's cc2.8xlarge (Linux, US East) of 10
// April 2014, in US dollars: $2.00 on demand, the reservations unchanged. Source:
// EC2's price files of that day.
func CC28XLarge2014() List {
	l := CC28XLarge2013()
	l.OnDemand = 2 * Unit
	return l
}
