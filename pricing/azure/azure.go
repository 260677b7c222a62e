package azure

import (
	"encoding/json"
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
	// ErrForm: the header is not that of an Azure export.
	ErrForm = errors.New("not an Azure cost export")
)

// An InputError names the line and the column where an export cannot be read. Its
// fields are Line and Column, from 1, Field, the column's name, and Err, which says
// what is wrong and what would be right.
type InputError = inputerr.Error

// synonyms maps the names of columns in all versions, in lower case, to one name.
var synonyms = map[string]string{
	"date": "date", "usagedatetime": "date", "usagedate": "date",
	"quantity": "quantity", "usagequantity": "quantity", "consumedquantity": "quantity",
	"costinbillingcurrency": "cost", "pretaxcost": "cost", "cost": "cost2",
	"paygcostinbillingcurrency": "payg", "paygprice": "paygprice",
	"billingcurrency": "currency", "billingcurrencycode": "currency", "currency": "currency",
	"unitofmeasure": "unit", "metercategory": "category", "metersubcategory": "subcategory", "metername": "meter",
	"resourcelocation": "location", "meterregion": "region", "consumedservice": "service",
	"additionalinfo": "info", "chargetype": "charge", "pricingmodel": "model", "frequency": "frequency",
	"reservationid": "reservation", "reservationname": "reservationname", "benefitid": "benefit", "benefitname": "benefitname",
	"productordername": "order", "productorderid": "orderid", "term": "term", "servicename": "servicename",
	"subscriptionid": "account", "subscriptionguid": "account", "billingaccountid": "billingaccount",
	"productname": "product", "product": "product",
}

// key makes the name of a column comparable. Exports in other languages have the name
// in parentheses behind their own: "Maßeinheit (UnitOfMeasure)".
func key(name string) string {
	if i := strings.LastIndexByte(name, '('); i >= 0 && strings.HasSuffix(name, ")") {
		name = name[i+1 : len(name)-1]
	}
	return synonyms[strings.ToLower(strings.ReplaceAll(name, " ", ""))]
}

// Detect reports whether a header line is that of an Azure export.
func Detect(header string) bool {
	found := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimPrefix(header, "\xef\xbb\xbf"), ",") {
		found[key(strings.Trim(strings.TrimSpace(name), `"`))] = true
	}
	return found["date"] && (found["cost"] || found["cost2"]) && found["category"]
}

// Read adds the rows of an export to a collector, as the file of the given name. The
// error is an [*InputError] or one of package usage; rows before the error have been
// added. It panics if c or src is nil.
func Read(c *usage.Collector, name string, src io.Reader) error {
	if c == nil || src == nil {
		panic("azure: nil collector or source")
	}
	s, err := sheet.Open("azure", src, key)
	if err != nil {
		return err
	}
	cost := "cost"
	if !s.Has(cost) {
		cost = "cost2"
	}
	if !s.Has("date") || !s.Has(cost) || !s.Has("category") {
		return inputerr.At("azure", 1, 0, "header", ErrForm, "want the columns Date, CostInBillingCurrency (or Cost, PreTaxCost) and MeterCategory")
	}
	c.Begin(name, "Azure cost export")
	r := reader{s: s, cost: cost, types: map[string]string{}}
	return s.Collect(c, func() (usage.Row, []usage.Row, error) {
		row, err := r.row()
		if err == nil && row.Effective != row.Billed && row.Charge != usage.Purchase {
			c.Note(row.Line, "amortised costs: the row is part of a commitment's fee, which is billed elsewhere", row.Effective)
		}
		return row, nil, err
	})
}

type reader struct {
	s     *sheet.Sheet
	cost  string
	types map[string]string // by additional information, which repeats from row to row
}

// dates are the forms of a day in exports of all versions.
var dates = []string{"01/02/2006", "1/2/2006", "2006-01-02", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05", "20060102"}

func (r *reader) row() (usage.Row, error) {
	s := r.s
	row := usage.Row{Line: s.Line(), Account: s.Get("account"), Currency: strings.ToUpper(s.Get("currency")), Kind: usage.Kind{Provider: "azure"}}
	if b := s.Get("billingaccount"); b != "" {
		row.Account = b + "/" + row.Account
	}
	for _, form := range dates {
		if t, err := time.Parse(form, s.Get("date")); err == nil {
			row.Start = t.UTC().Truncate(24 * time.Hour)
			break
		}
	}
	if row.Start.Year() < 1971 {
		return row, s.Bad("date", ErrSyntax, "%q: want a day such as 2026-01-31 or 01/31/2026", s.Get("date"))
	}
	row.End = row.Start.Add(24 * time.Hour)
	var cost, quantity, list usage.Amount
	for _, f := range []struct {
		key string
		to  *usage.Amount
	}{{r.cost, &cost}, {"quantity", &quantity}, {"payg", &list}} {
		if err := s.Amount(f.key, f.to); err != nil {
			return row, err
		}
	}
	row.List = list

	virtual := strings.EqualFold(s.Get("category"), "Virtual Machines") || strings.EqualFold(s.Get("category"), "Virtual Machines Licenses")
	hours := strings.Contains(strings.ToLower(s.Get("unit")), "hour")
	commitment := usage.Commitment{ID: s.Get("reservation"), Name: s.Get("reservationname"), Type: "Reservation", Unit: "Hours"}
	if commitment.ID == "" {
		commitment.ID, commitment.Name = s.Get("benefit"), s.Get("benefitname")
	}
	charge, model := strings.ToLower(s.Get("charge")), strings.ToLower(s.Get("model"))
	if model == "savingsplan" || strings.Contains(strings.ToLower(commitment.ID), "savingsplan") {
		commitment.Type, commitment.Spend, commitment.Unit = "Savings Plan", true, row.Currency
	}
	covered := model == "reservation" || model == "savingsplan" || model == "" && commitment.ID != ""
	row.Billed, row.Effective = cost, cost
	switch charge {
	case "", "usage":
		kind := usage.Kind{Provider: "azure", Region: region(s.Get("location"), s.Get("region")), Type: r.kind(), System: system(s.Get("subcategory"), s.Get("meter"), s.Get("product")), Tenancy: "shared"}
		switch {
		case model == "spot":
			row.Reason = usage.Spot
		case !virtual || !hours:
			row.Reason = usage.OtherUsage
		case kind.Type == "":
			row.Reason = usage.OtherHours
		default:
			row.Charge, row.Kind, row.Hours = usage.OnDemand, kind, quantity
		}
		if covered {
			// An actual export has 0 here; an amortised one has the part of the fee.
			row.Billed = usage.Amount{}
			row.Commitment = commitment
			row.Commitment.Quantity = quantity
			if commitment.Spend {
				row.Commitment.Quantity = cost
			}
			if row.Charge == usage.OnDemand {
				row.Charge = usage.Covered
			}
		}
	case "purchase":
		if commitment.ID == "" && model != "reservation" && model != "savingsplan" {
			row.Reason = usage.OtherFee
			break
		}
		row.Charge, row.Effective, row.Commitment = usage.Purchase, usage.Amount{}, commitment
		row.Commitment.Quantity = quantity
		if name := s.Get("order"); row.Commitment.Name == "" {
			row.Commitment.Name = name
		}
	case "unusedreservation", "unusedsavingsplan":
		row.Charge, row.Billed, row.Commitment = usage.Unused, usage.Amount{}, commitment
		row.Commitment.Quantity = quantity
		if charge == "unusedsavingsplan" {
			row.Commitment.Type, row.Commitment.Spend, row.Commitment.Unit, row.Commitment.Quantity = "Savings Plan", true, row.Currency, cost
		}
	case "refund":
		row.Reason = usage.Refund
	case "roundingadjustment", "adjustment":
		row.Reason = "rounding"
	case "tax":
		row.Reason = usage.Tax
	case "credit":
		row.Reason = usage.Credit
	default:
		row.Reason = "charge type " + charge
	}
	return row, nil
}

// kind is the type of virtual machine: ServiceType of the additional information.
func (r *reader) kind() string {
	info := r.s.Get("info")
	if info == "" {
		return ""
	}
	if t, ok := r.types[info]; ok {
		return t
	}
	if info[0] != '{' {
		info = "{" + info + "}"
	}
	var x struct{ ServiceType string }
	if json.Unmarshal([]byte(info), &x) != nil || !strings.Contains(x.ServiceType, "_") {
		x.ServiceType = "" // not a size such as Standard_E4s_v3
	}
	if len(r.types) > 10_000 {
		clear(r.types)
	}
	r.types[strings.Clone(r.s.Get("info"))] = x.ServiceType
	return x.ServiceType
}

// region is the code of a location: "US East" and "useast" are eastus only in the
// price list, so that the resource's location, which has the code, comes first.
func region(location, meter string) string {
	if location == "" {
		location = meter
	}
	return strings.ToLower(strings.ReplaceAll(location, " ", ""))
}

func system(texts ...string) string {
	for _, s := range texts {
		if strings.Contains(s, "Windows") {
			return "windows"
		}
	}
	return "linux"
}
