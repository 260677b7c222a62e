package gcp

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// The columns that are read. Exports write sku.description or sku_description.
const (
	description = iota
	start
	cost
	end
	account
	currency
	costAtList
	costType
	quantity
	unit
	service
	sku
	region
	location
	credits
)

var names = billtable.Columns{
	description: {"sku.description"}, start: {"usage_start_time"}, cost: {"cost"}, end: {"usage_end_time"}, account: {"billing_account_id"}, currency: {"currency"},
	costAtList: {"cost_at_list"}, costType: {"cost_type"}, quantity: {"usage.amount_in_pricing_units"}, unit: {"usage.pricing_unit"},
	service: {"service.description"}, sku: {"sku.id"}, region: {"location.region"}, location: {"location.location"}, credits: {"credits"},
}

// Form returns "Google Cloud billing export" for the columns of one, and "" for others.
func Form(header []string) string {
	at := names[:cost+1].Index(header, nil)
	if at[description] < 0 || at[start] < 0 || at[cost] < 0 {
		return ""
	}
	return "Google Cloud billing export"
}

// Read reads an export as CSV, plain or gzip, and adds its rows to c under the given name. The
// error is that of src, or an [*pricing.InputError]; rows before the error have been added. Read
// panics if c or src is nil.
func Read(c *usage.Collector, name string, src io.Reader) error {
	return bills.Read(c, name, src)
}

// NewDecoder begins a file of the given name in c, with the columns of header. form is that of
// the file. The error is an [*pricing.InputError] that unwraps to [usage.ErrForm] for the columns
// of another form.
func NewDecoder(c *usage.Collector, name, form string, header []string) (usage.Decoder, error) {
	return bills.NewDecoder(c, name, form, header)
}

var bills = billtable.Form{Package: "gcp", Want: "a Google Cloud billing export", Begin: begin}

func begin(c *usage.Collector, name, form string, header []string) (*billtable.Table, error) {
	export := Form(header)
	if export == "" {
		return nil, inputerr.At("gcp", 1, 0, "header", usage.ErrForm, "want the columns sku.description, usage_start_time and cost")
	}
	t := billtable.NewTable("gcp", c, header, names, names.Index(header, nil), 0, 0)
	t.Next = func(raw []byte) error {
		row, others, err := read(t)
		if err != nil {
			return err
		}
		row.Raw = raw
		if err := t.Add(&row); err != nil {
			return err
		}
		for i := range others {
			if err := t.Add(&others[i]); err != nil {
				return err
			}
		}
		return nil
	}
	c.Begin(name, billtable.As(export, form))
	return t, nil
}

// parseTime reads 2022-08-01 03:00:00+00:00, the same with T or UTC.
func parseTime(text string) (time.Time, bool) {
	for _, form := range []string{"2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05.999999-07:00", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05", time.RFC3339Nano} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// read returns the row, and a row for each of its credits.
func read(s *billtable.Table) (usage.Row, []usage.Row, error) {
	row := usage.Row{Line: s.Line, Account: s.Word(account), Currency: s.Word(currency), Kind: usage.Kind{Provider: "gcp"}}
	for _, f := range []struct {
		col int
		to  *time.Time
	}{{start, &row.Start}, {end, &row.End}} {
		t, ok := parseTime(s.Word(f.col))
		if !ok {
			return row, nil, s.Fail(f.col, usage.ErrSyntax, "%q: want a time such as 2026-01-31 23:00:00+00:00", s.Word(f.col))
		}
		*f.to = t
	}
	var hours usage.Amount
	if err := s.Amounts([]int{cost, quantity}, &row.Billed, &hours); err != nil {
		return row, nil, err
	}
	list, listed, err := s.Amount(costAtList)
	if err != nil {
		return row, nil, err
	}
	if row.List = list; !listed {
		row.List = row.Billed
	}
	row.Effective = row.Billed
	about := s.Word(description)
	kind, isKind := cloudkind.GCPKind(about)
	hourly := s.Word(unit) == "hour" || s.Word(unit) == "gibibyte hour"
	place := s.First(region, location)
	compute := strings.HasPrefix(s.Word(service), "Compute Engine")
	switch what := s.Word(costType); {
	case what == "tax":
		row.Reason = usage.Tax
	case what == "adjustment":
		row.Reason = usage.Refund
	case what == "rounding_error":
		row.Reason = "rounding"
	case strings.HasPrefix(about, "Commitment"):
		row.Charge, row.Effective = usage.Purchase, row.Billed
		row.Commitment = usage.Commitment{ID: s.Word(sku), Name: about, Type: "Committed use discount", Unit: "Hours", Quantity: hours, Region: place}
	case strings.Contains(about, "Preemptible") || strings.Contains(about, "Spot"):
		row.Reason = usage.Spot
	case !compute || !isKind:
		row.Reason = usage.OtherUsage
	case !hourly:
		row.Reason = usage.OtherHours
	default:
		row.Charge, row.Hours = usage.OnDemand, hours
		row.Kind = usage.Kind{Provider: "gcp", Region: place, Type: kind, Tenancy: "shared"}
	}
	others, err := readCredits(s, &row)
	return row, others, err
}

// readCredits makes rows of the column credits, a list of JSON. What a committed use
// discount takes off covered hours is part of the commitment: it turns the row into
// covered demand. Every other credit is left out, with its amount.
func readCredits(s *billtable.Table, row *usage.Row) ([]usage.Row, error) {
	text := s.Word(credits)
	if text == "" || text == "[]" {
		return nil, nil
	}
	var list []struct {
		Name, ID, Type string
		Amount         json.Number
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &list); err != nil {
		return nil, s.Fail(credits, usage.ErrSyntax, "%v: want a list of JSON", err)
	}
	var rows []usage.Row
	for _, x := range list {
		a, _, err := usage.Parse(x.Amount.String())
		if err != nil {
			return nil, s.Fail(credits, usage.ErrSyntax, "%w", err)
		}
		credit := usage.Row{Line: row.Line, Account: row.Account, Currency: row.Currency, Start: row.Start, End: row.End, Billed: a, Effective: a, Reason: usage.Credit}
		if strings.HasPrefix(x.Type, "COMMITTED_USAGE_DISCOUNT") && row.Charge == usage.OnDemand {
			row.Charge = usage.Covered
			row.Commitment = usage.Commitment{ID: "committed use", Name: x.Name, Type: "Committed use discount", Unit: "Hours", Quantity: row.Hours, Region: row.Kind.Region}
			credit.Charge, credit.Kind, credit.Commitment = usage.Covered, row.Kind, row.Commitment
			credit.Commitment.Quantity = usage.Amount{}
		}
		rows = append(rows, credit)
	}
	return rows, nil
}
