package oci

import (
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// The columns that are read.
const (
	start = iota
	cost
	end
	quantity
	currency
	account
	overage
	moreQuantity
	unit
	correction
	service
	region
	description
)

var names = billtable.Columns{
	start: {"lineItem/intervalUsageStart"}, cost: {"cost/myCost"}, end: {"lineItem/intervalUsageEnd"}, quantity: {"usage/billedQuantity"}, currency: {"cost/currencyCode"},
	account: {"lineItem/tenantId"}, overage: {"cost/myCostOverage"}, moreQuantity: {"usage/billedQuantityOverage"}, unit: {"cost/billingUnitReadable"},
	correction: {"lineItem/isCorrection"}, service: {"product/service"}, region: {"product/region"}, description: {"product/Description"},
}

// Form returns "Oracle Cloud cost report" for the columns of one, and "" for others.
func Form(header []string) string {
	if at := names[:cost+1].Index(header, nil); at[start] < 0 || at[cost] < 0 {
		return ""
	}
	return "Oracle Cloud cost report"
}

// Read reads a report as CSV, plain or gzip, and adds its rows to c under the given name. The
// error is that of src, or an [*pricing.InputError]; rows before the error have been added. Read
// panics if c or src is nil.
func Read(c *usage.Collector, name string, src io.Reader) error {
	return bills.Read(c, name, src)
}

// NewDecoder begins a file of the given name in c, with the columns of header. form is that of
// the file. The error is an [*pricing.InputError] that unwraps to [usage.ErrForm] for the columns
// of another form, or to [usage.ErrMissing] for a column that every row needs.
func NewDecoder(c *usage.Collector, name, form string, header []string) (usage.Decoder, error) {
	return bills.NewDecoder(c, name, form, header)
}

var bills = billtable.Form{Package: "oci", Want: "an Oracle Cloud cost report", Begin: begin}

func begin(c *usage.Collector, name, form string, header []string) (*billtable.Table, error) {
	report := Form(header)
	if report == "" {
		return nil, inputerr.At("oci", 1, 0, "header", usage.ErrForm, "want the columns lineItem/intervalUsageStart and cost/myCost")
	}
	t := billtable.NewTable("oci", c, header, names, names.Index(header, nil), 0, 0)
	if err := t.Need("an "+report, end, quantity, currency); err != nil {
		return nil, err
	}
	t.Next = func(raw []byte) error {
		row, err := read(t)
		if err != nil {
			return err
		}
		row.Raw = raw
		return t.Add(&row)
	}
	c.Begin(name, billtable.As(report, form))
	return t, nil
}

func read(s *billtable.Table) (usage.Row, error) {
	row := usage.Row{Line: s.Line, Account: s.Word(account), Currency: s.Word(currency)}
	for _, f := range []struct {
		col int
		to  *time.Time
	}{{start, &row.Start}, {end, &row.End}} {
		ok := false
		for _, form := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
			if t, err := time.Parse(form, s.Word(f.col)); err == nil {
				*f.to, ok = t.UTC(), true
				break
			}
		}
		if !ok {
			return row, s.Fail(f.col, usage.ErrSyntax, "%q: want a time such as 2026-01-31T23:00Z", s.Word(f.col))
		}
	}
	var over, hours, more usage.Amount
	if err := s.Amounts([]int{cost, overage, quantity, moreQuantity}, &row.Billed, &over, &hours, &more); err != nil {
		return row, err
	}
	row.Billed = row.Billed.Plus(over)
	row.Effective, row.List = row.Billed, row.Billed
	measure := strings.ToUpper(s.Word(unit))
	switch {
	case s.Word(correction) == "true":
		row.Reason = usage.Refund
	case s.Word(service) != "COMPUTE":
		row.Reason = usage.OtherUsage
	case !strings.Contains(measure, "HOURS") || s.Word(description) == "":
		row.Reason = usage.OtherHours
	default:
		row.Charge, row.Hours = usage.OnDemand, hours.Plus(more)
		row.Kind = usage.Kind{Provider: "oci", Region: s.Word(region), Type: s.Word(description), Tenancy: "shared"}
	}
	return row, nil
}
