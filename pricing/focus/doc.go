// Package focus reads and writes bills in the FinOps Open Cost and Usage
// Specification, FOCUS 1.0 to 1.4, which AWS, Microsoft, Google, Oracle and others
// export.
//
//	var c usage.Collector
//	for _, name := range os.Args[1:] { // a month each, and the contract commitments
//		f, err := os.Open(name)
//		if err != nil {
//			return err
//		}
//		if err := focus.Read(&c, name, f); err != nil {
//			return err // line, column and what would be right
//		}
//	}
//	bill, err := c.Bill() // demand, commitments, and an account of every cent
//
// What to call:
//
//	You have                               You want                       Call
//	a FOCUS export as CSV, plain or gzip   demand and commitments         Read
//	the contract commitments of 1.3        sizes and ends of commitments  Read
//	a FOCUS export as Parquet              the same                       parquet.Read
//	rows in memory or from a database      the same                       NewDecoder
//	a file of an unknown form              the same                       bill.Read of pricing/bill
//	rows of a plan or of a made-up bill    a FOCUS export                 Writer, WriteContracts
//
// # What is read
//
// Columns are found by name, in any order, with or without capitals and underscores;
// columns that are not known are passed over. A row needs a charge category, a billed
// cost and a charge period. What else is missing is noted: without EffectiveCost or
// ListCost those costs count as 0.
//
// A field is null if it is empty or NULL in any case. Times are those of
// [usage.ParseTime]; a time without an offset is UTC, as FOCUS has it. An impossible
// time, such as the T30:00:00Z of the specification's own examples, is an error.
//
// # What a row is
//
//	ChargeCategory  and                                             is
//	Usage           CommitmentDiscountStatus Unused                 usage.Unused
//	Usage           PricingCategory Dynamic                         left out: spot
//	Usage           hours of a known type of instance, and
//	                PricingCategory Committed or a commitment       usage.Covered
//	Usage           hours of a known type of instance               usage.OnDemand
//	Usage           hours beside an instance: EMR, software,
//	                licences, reservations of capacity              left out: fees beside
//	Usage           hours of something else                         left out: hours
//	Usage           other units                                     left out: usage
//	Purchase        a commitment                                    usage.Purchase
//	Purchase        no commitment                                   left out: fees
//	Tax, Credit                                                     left out
//	Adjustment                                                      left out: correction
//
// The type of instance is the InstanceType of SkuPriceDetails, or that of Azure's
// x_SkuDetails, x_InstanceType, x_UsageType or, in exports of 1.0, of the description
// ("$0.0464 per On Demand Linux t2.medium Instance Hour"). Google's cores and memory
// are kinds of their own, as in its price list. Fees that name a type and charge for
// something else, such as throughput to volumes, are no hours of it.
//
// Hours are the PricingQuantity where PricingUnit is a time ("Hours", "100 Hours",
// "Seconds"), and otherwise the ConsumedQuantity. They may be negative in corrections. A row of
// ChargeClass Correction that takes back money and says hours above 0 is left out.
// Rows that split one instance over several workloads, with AllocatedMethodId of 1.3,
// add up to it. The unused part of a capacity reservation counts as use.
//
// # Speed
//
// [Read] reads more than 200 megabytes a second on one core. What the words of a row
// mean is worked out once for each combination of words and remembered; a row costs
// its scan, a look-up, two times and a few numbers. Memory does not grow with the file.
//
// # Allocation and concurrency
//
// Reading allocates for new combinations of words and what a [usage.Collector] does;
// writing allocates nothing for a row. One goroutine at a time may use a decoder or a
// Writer.
//
// # References
//
// FinOps Open Cost and Usage Specification, versions 1.0-preview to 1.4,
// https://focus.finops.org.
package focus
