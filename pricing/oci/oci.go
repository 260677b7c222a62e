package oci

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/internal/sheet"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// What an [InputError] unwraps to, beside the errors of package usage.
var (
	ErrSyntax    = sheet.ErrSyntax    // not a table, or a value that is not what its column says
	ErrMissing   = sheet.ErrMissing   // a column that every row needs is not there
	ErrTruncated = sheet.ErrTruncated // compressed data that ends in the middle
	// ErrForm: the header is not that of a cost report of Oracle Cloud.
	ErrForm = errors.New("not an Oracle Cloud cost report")
)

// An InputError names the line and the column where a report cannot be read. Its
// fields are Line and Column, from 1, Field, the column's name, and Err, which says
// what is wrong and what would be right.
type InputError = inputerr.Error

// Detect reports whether a header line is that of a cost report.
func Detect(header string) bool {
	return strings.Contains(header, "lineItem/intervalUsageStart") && strings.Contains(header, "cost/myCost")
}

// Read adds the rows of a cost report to a collector, as the file of the given name.
// The error is an [*InputError] or one of package usage; rows before the error have
// been added. It panics if c or src is nil.
func Read(c *usage.Collector, name string, src io.Reader) error {
	if c == nil || src == nil {
		panic("oci: nil collector or source")
	}
	s, err := sheet.Open("oci", src, func(name string) string { return name })
	if err != nil {
		return err
	}
	if !s.Has("lineItem/intervalUsageStart") || !s.Has("cost/myCost") {
		return inputerr.At("oci", 1, 0, "header", ErrForm, "want the columns lineItem/intervalUsageStart and cost/myCost")
	}
	if err := s.Need("lineItem/intervalUsageEnd", "usage/billedQuantity", "cost/currencyCode"); err != nil {
		return err
	}
	c.Begin(name, "Oracle Cloud cost report")
	return s.Collect(c, func() (usage.Row, []usage.Row, error) {
		row, err := read(s)
		return row, nil, err
	})
}

func read(s *sheet.Sheet) (usage.Row, error) {
	row := usage.Row{Line: s.Line(), Account: s.Get("lineItem/tenantId"), Currency: s.Get("cost/currencyCode")}
	for _, f := range []struct {
		key string
		to  *time.Time
	}{{"lineItem/intervalUsageStart", &row.Start}, {"lineItem/intervalUsageEnd", &row.End}} {
		ok := false
		for _, form := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
			if t, err := time.Parse(form, s.Get(f.key)); err == nil {
				*f.to, ok = t.UTC(), true
				break
			}
		}
		if !ok {
			return row, s.Bad(f.key, ErrSyntax, "%q: want a time such as 2026-01-31T23:00Z", s.Get(f.key))
		}
	}
	var overage, quantity, more usage.Amount
	for _, f := range []struct {
		key string
		to  *usage.Amount
	}{{"cost/myCost", &row.Billed}, {"cost/myCostOverage", &overage}, {"usage/billedQuantity", &quantity}, {"usage/billedQuantityOverage", &more}} {
		if err := s.Amount(f.key, f.to); err != nil {
			return row, err
		}
	}
	row.Billed = row.Billed.Plus(overage)
	row.Effective, row.List = row.Billed, row.Billed
	unit := strings.ToUpper(s.Get("cost/billingUnitReadable"))
	switch {
	case s.Get("lineItem/isCorrection") == "true":
		row.Reason = usage.Refund
	case s.Get("product/service") != "COMPUTE":
		row.Reason = usage.OtherUsage
	case !strings.Contains(unit, "HOURS") || s.Get("product/Description") == "":
		row.Reason = usage.OtherHours
	default:
		row.Charge, row.Hours = usage.OnDemand, quantity.Plus(more)
		row.Kind = usage.Kind{Provider: "oci", Region: s.Get("product/region"), Type: s.Get("product/Description"), Tenancy: "shared"}
	}
	return row, nil
}
