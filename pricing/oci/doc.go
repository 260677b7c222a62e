// Package oci reads the cost reports of Oracle Cloud as rows of a bill.
//
//	var c usage.Collector
//	if err := oci.Read(&c, "report.csv.gz", file); err != nil {
//		return err
//	}
//	bill, err := c.Bill()
//
// What to call:
//
//	You have                                   You want                        Call
//	a cost report (CSV, plain or gzip)         demand and spend                Read, usage.Collector.Bill
//	rows in memory or as Parquet                the same                        NewDecoder
//	a file of unknown form                     the same                        bill.Read of pricing/bill
//	a FOCUS report of Oracle Cloud             the same                        package focus
//
// # Rows
//
// Hours of the service COMPUTE are demand; a kind is the product's description in its
// region, such as "Standard - E4 - OCPU". Corrections and other services are left
// out with their amounts. Oracle sells commitments of money over a whole account,
// which the reports do not show line by line. Amounts billed beyond a commitment
// (overage) count with the others.
package oci
