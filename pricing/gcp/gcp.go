package gcp

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/internal/sheet"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// What an [InputError] unwraps to, beside the errors of package usage.
var (
	ErrSyntax    = sheet.ErrSyntax    // not a table, or a value that is not what its column says
	ErrMissing   = sheet.ErrMissing   // a column that every row needs is not there
	ErrTruncated = sheet.ErrTruncated // compressed data that ends in the middle
	// ErrForm: the header is not that of a billing export of Google Cloud.
	ErrForm = errors.New("not a Google Cloud billing export")
)

// An InputError names the line and the column where an export cannot be read. Its
// fields are Line and Column, from 1, Field, the column's name, and Err, which says
// what is wrong and what would be right.
type InputError = inputerr.Error

// key makes the name of a column comparable: exports write sku.description or
// sku_description.
func key(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", ".") }

// Detect reports whether a header line is that of a billing export.
func Detect(header string) bool {
	h := key(header)
	return strings.Contains(h, "sku.description") && strings.Contains(h, "usage.start.time") && strings.Contains(h, "cost")
}

// Read adds the rows of an export to a collector, as the file of the given name. The
// error is an [*InputError] or one of package usage; rows before the error have been
// added. It panics if c or src is nil.
func Read(c *usage.Collector, name string, src io.Reader) error {
	if c == nil || src == nil {
		panic("gcp: nil collector or source")
	}
	s, err := sheet.Open("gcp", src, key)
	if err != nil {
		return err
	}
	if !s.Has("sku.description") || !s.Has("usage.start.time") || !s.Has("cost") {
		return inputerr.At("gcp", 1, 0, "header", ErrForm, "want the columns sku.description, usage_start_time and cost")
	}
	c.Begin(name, "Google Cloud billing export")
	return s.Collect(c, func() (usage.Row, []usage.Row, error) { return read(s) })
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
func read(s *sheet.Sheet) (usage.Row, []usage.Row, error) {
	row := usage.Row{Line: s.Line(), Account: s.Get("billing.account.id"), Currency: s.Get("currency"), Kind: usage.Kind{Provider: "gcp"}}
	for _, f := range []struct {
		key string
		to  *time.Time
	}{{"usage.start.time", &row.Start}, {"usage.end.time", &row.End}} {
		t, ok := parseTime(s.Get(f.key))
		if !ok {
			return row, nil, s.Bad(f.key, ErrSyntax, "%q: want a time such as 2026-01-31 23:00:00+00:00", s.Get(f.key))
		}
		*f.to = t
	}
	var quantity usage.Amount
	if err := s.Amount("cost", &row.Billed); err != nil {
		return row, nil, err
	}
	if err := s.Amount("usage.amount.in.pricing.units", &quantity); err != nil {
		return row, nil, err
	}
	row.List = row.Billed
	if s.Has("cost.at.list") {
		if err := s.Amount("cost.at.list", &row.List); err != nil {
			return row, nil, err
		}
	}
	row.Effective = row.Billed
	description := s.Get("sku.description")
	kind, isKind := offers.GCPKind(description)
	hours := s.Get("usage.pricing.unit") == "hour" || s.Get("usage.pricing.unit") == "gibibyte hour"
	place := s.Get("location.region")
	if place == "" {
		place = s.Get("location.location")
	}
	compute := strings.HasPrefix(s.Get("service.description"), "Compute Engine")
	switch cost := s.Get("cost.type"); {
	case cost == "tax":
		row.Reason = usage.Tax
	case cost == "adjustment":
		row.Reason = usage.Refund
	case cost == "rounding_error":
		row.Reason = "rounding"
	case strings.HasPrefix(description, "Commitment"):
		row.Charge, row.Effective = usage.Purchase, row.Billed
		row.Commitment = usage.Commitment{ID: s.Get("sku.id"), Name: description, Type: "Committed use discount", Unit: "Hours", Quantity: quantity, Region: place}
	case strings.Contains(description, "Preemptible") || strings.Contains(description, "Spot"):
		row.Reason = usage.Spot
	case !compute || !isKind:
		row.Reason = usage.OtherUsage
	case !hours:
		row.Reason = usage.OtherHours
	default:
		row.Charge, row.Hours = usage.OnDemand, quantity
		row.Kind = usage.Kind{Provider: "gcp", Region: place, Type: kind, Tenancy: "shared"}
	}
	credits, err := readCredits(s, &row)
	return row, credits, err
}

// readCredits makes rows of the column credits, a list of JSON. What a committed use
// discount takes off covered hours is part of the commitment: it turns the row into
// covered demand. Every other credit is left out, with its amount.
func readCredits(s *sheet.Sheet, row *usage.Row) ([]usage.Row, error) {
	text := s.Get("credits")
	if text == "" || text == "[]" {
		return nil, nil
	}
	var list []struct {
		Name, ID, Type string
		Amount         json.Number
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &list); err != nil {
		return nil, s.Bad("credits", ErrSyntax, "%v: want a list of JSON", err)
	}
	var rows []usage.Row
	for _, x := range list {
		a, _, err := usage.Parse(x.Amount.String())
		if err != nil {
			return nil, s.Bad("credits", ErrSyntax, "%w", err)
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
