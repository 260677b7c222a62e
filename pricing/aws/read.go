// Package aws reads the cost and usage reports of Amazon Web Services, legacy and
// 2.0, into demand, commitments and an account of every cent.
//
//	var c usage.Collector
//	for _, name := range os.Args[1:] { // the parts of a month, and months
//		f, err := os.Open(name)
//		if err != nil {
//			return err
//		}
//		if err := aws.Read(&c, name, f); err != nil {
//			return err // line, column and what would be right
//		}
//	}
//	bill, err := c.Bill()
//
// What to call:
//
//	You have                                You want                       Call
//	a report as CSV, plain or gzip          demand and commitments         Read
//	a report as Parquet                     the same                       parquet.Read of pricing/parquet
//	lines in memory or from a database      the same                       NewDecoder
//	a file of an unknown form               the same                       bill.Read of pricing/bill
//
// A report with hourly lines gives demand by the hour, one with daily lines by the
// day; a monthly report has no demand that a plan could use, and its usage is left
// out.
//
// # What a line is
//
//	LineItemType              is                      billed      effective
//	Usage                     on demand, or left out  unblended   unblended
//	DiscountedUsage           covered                 unblended   reservation/EffectiveCost
//	SavingsPlanCoveredUsage   covered                 unblended   SavingsPlanEffectiveCost
//	SavingsPlanNegation       covered, no hours       unblended   0
//	RIFee                     purchase                unblended   the part that nothing used
//	Fee with a reservation    purchase, once          unblended   0
//	SavingsPlanRecurringFee   purchase                unblended   commitment − used commitment
//	SavingsPlanUpfrontFee     purchase, once          unblended   0
//	Tax, Credit, Refund,
//	...Discount, other Fee    left out                unblended   unblended
//
// A discount on hours of a kind on demand is part of what the kind costs at the customer's prices,
// unless lineItem/NetUnblendedCost has these already.
//
// These are the rules by which AWS amortises. Usage under a savings plan is billed at
// the price on demand, and the negation takes that back: only together are they right.
//
// Hours of instances are those whose unit is an hour and whose usage type or product
// names a type of instance. Spot usage is left out, and so are fees that name a type and come
// beside the instance's own hours: throughput to volumes, processor credits, EMR and other services
// (by lineItem/ProductCode), software of the marketplace, reservations of capacity. The region is that of the
// product or of the availability zone, the system that of the operation
// ("RunInstances:0002" is Windows) or of the product.
//
// Quantities of reservations are normalised hours where the report has them: a large
// counts 4, an xlarge 8, as reservations of flexible size are applied. Package offers
// has the factor of each type.
//
// # Allocation and concurrency
//
// Memory does not grow with the file. Reading allocates for new combinations of words
// and what a [usage.Collector] does. One goroutine at a time may use a decoder.
package aws

import (
	"io"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Read reads a cost and usage report as CSV, plain or gzip, and adds its lines to c under the given
// name. Read finds columns by name, and skips columns that it does not know.
//
// The error is that of src, or an [*pricing.InputError] with the line, the number of the column and
// its name. An InputError unwraps to an error of [usage.Collector.Add] or to
//
//	usage.ErrForm       the file is not a cost and usage report
//	usage.ErrMissing    a column or a time that every line needs is missing
//	usage.ErrSyntax     a number, a time or a line is malformed
//	usage.ErrTruncated  the file was cut off
//
// Lines before the error are already in c, so do not use c after an error.
func Read(c *usage.Collector, name string, src io.Reader) error {
	return bills.Read(c, name, src)
}
