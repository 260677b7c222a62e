// Package azure reads the cost exports of Microsoft Azure, actual and amortised,
// of all versions, as rows of a bill.
//
//	var c usage.Collector
//	if err := azure.Read(&c, "march.csv", file); err != nil {
//		return err
//	}
//	bill, err := c.Bill()
//
// What to call:
//
//	You have                                   You want                        Call
//	an actual or amortised export (CSV)        demand, commitments, spend      Read, usage.Collector.Bill
//	rows in memory or as Parquet                the same                        NewDecoder
//	a file of unknown form                     the same                        bill.Read of pricing/bill
//	a FOCUS export of Azure                    the same                        package focus
//
// # Rows
//
// An export has a row for each meter, resource and day. Hours of virtual machines
// become demand of the machine's size (ServiceType of AdditionalInfo) in its
// location. The export does not say which hours of the day they were: usage.Demand.Hourly plans
// for any. Licences of Windows have rows beside those of their machines, and are left out. What a reservation
// or a savings plan covers is covered demand. UnusedReservation and
// UnusedSavingsPlan rows are unused commitments, Purchase rows fees.
//
// An actual export bills fees with their purchase and nothing for covered hours. An
// amortised export spreads the fee over covered and unused rows: that part is
// effective cost and not billed, and the reader notes how much there is. To read both
// exports of one month counts the use twice, which package usage refuses.
//
// Columns may have any of their names since 2014, in any language that has the
// English name in parentheses. The quantity is in hours whatever block the unit of
// measure names ("100 Hours"): blocks are for prices.
package azure
