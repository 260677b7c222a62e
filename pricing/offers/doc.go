// Package offers reads the price lists that clouds publish and turns each into
// the classes that a plan of purchases needs: the price on demand, every
// reservation for sale, and the rates of savings plans.
//
//	prices, err := offers.Read(file, offers.Options{Regions: []string{"eu-west-1"}, Systems: []string{"linux"}})
//	for _, o := range prices.Offers {
//		fmt.Println(o.Kind, o.List.OnDemand, len(o.List.Classes))
//	}
//	fmt.Println(prices.Left) // what was left out, and why
//
// What to call:
//
//	You have                                      You want                              Call
//	an AWS offer file, JSON or CSV                classes by kind and region            Read, Prices.Offers
//	AWS savings plan rates, JSON or CSV           a plan's price for each kind          Read, Prices.Rates
//	answers of the Azure retail prices API        classes and savings plan rates        Read
//	a list of GCP SKUs                            cores and memory, committed use       Read
//
// # What becomes a class
//
// A reservation becomes a [pricing.Class] that is billed always, with a term of 365
// days a year as every cloud sells them. AWS: 1y-standard-no-upfront and so on, the
// upfront fee and the price of each hour of the term. Azure: the published price is
// the total of the term, though its unit says an hour; it becomes the upfront fee,
// and paying by the month costs the same. Google: 1y-commitment and 3y-commitment,
// nothing upfront.
//
// What nobody can hold by the hour is left out and counted by reason. The reasons are
// storage and traffic, unused capacity reservations, spot and low priority, dedicated
// hosts, and prices in other currencies. Reservations of kinds whose price on demand is
// not in the file are left out, too. A price with more than nine decimals is rounded, and
// the report says how many were.
//
// # Sizes
//
// Some reservations serve every size of a family: a reserved m5.xlarge covers half
// of an m5.2xlarge. [Offer].Factor is the size in hundredths of a normalised unit:
// a small has 100, a large 400. Where the file has a factor, the file is believed;
// otherwise the name of the type tells it.
//
// # Allocation and concurrency
//
// Files are read as streams: memory is that of the offers that [Options] keep, and of
// one line or one product. Read starts no goroutine.
package offers
