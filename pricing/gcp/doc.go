// Package gcp reads the billing exports of Google Cloud, standard and detailed, as
// tables of comma separated values, as rows of a bill.
//
//	var c usage.Collector
//	if err := gcp.Read(&c, "march.csv", file); err != nil {
//		return err
//	}
//	bill, err := c.Bill()
//
// What to call:
//
//	You have                                   You want                        Call
//	a billing export (CSV)                     demand, commitments, spend      Read, usage.Collector.Bill
//	rows in memory or as Parquet                the same                        NewDecoder
//	a file of unknown form                     the same                        bill.Read of pricing/bill
//	a FOCUS export of Google Cloud             the same                        package focus
//
// # Rows
//
// Google charges cores and memory, not machines: a kind is a resource of a family,
// "E2 core" or "E2 ram", as in package offers. Hours at the price on demand are
// demand. A row whose credits hold a committed use discount is covered demand, and
// so is the credit; all other credits, sustained use among them, are left out with
// their amounts and counted. Commitment SKUs are fees.
//
// A row and its credits are rows of their own: the number of rows of the file's
// account is that of both.
package gcp
