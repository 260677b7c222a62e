package azure

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// The columns that are read.
const (
	date = iota
	category
	cost
	quantity
	payg
	currency
	unit
	subcategory
	meter
	location
	meterRegion
	info
	chargeType
	model
	reservation
	reservationName
	benefit
	benefitName
	order
	account
	billingAccount
	product
)

// names are the names of the columns in all versions, the newest first.
var names = billtable.Columns{
	date: {"Date", "UsageDateTime", "UsageDate"}, category: {"MeterCategory"}, cost: {"CostInBillingCurrency", "PreTaxCost", "Cost"},
	quantity: {"Quantity", "UsageQuantity", "ConsumedQuantity"}, payg: {"PayGCostInBillingCurrency"},
	currency: {"BillingCurrency", "BillingCurrencyCode", "Currency"}, unit: {"UnitOfMeasure"}, subcategory: {"MeterSubCategory"}, meter: {"MeterName"},
	location: {"ResourceLocation"}, meterRegion: {"MeterRegion"}, info: {"AdditionalInfo"}, chargeType: {"ChargeType"}, model: {"PricingModel"},
	reservation: {"ReservationId"}, reservationName: {"ReservationName"}, benefit: {"BenefitId"}, benefitName: {"BenefitName"}, order: {"ProductOrderName"},
	account: {"SubscriptionId", "SubscriptionGuid"}, billingAccount: {"BillingAccountId"}, product: {"ProductName", "Product"},
}

// plain makes the name of a column comparable. Exports in other languages have the name
// in parentheses behind their own: "Maßeinheit (UnitOfMeasure)".
func plain(name string) string {
	if i := strings.LastIndexByte(name, '('); i >= 0 && strings.HasSuffix(name, ")") {
		name = name[i+1 : len(name)-1]
	}
	return billtable.Name(name)
}

// Form returns "Azure cost export" for the columns of one, of any version, and "" for others.
func Form(header []string) string {
	at := names[:cost+1].Index(header, plain)
	if at[date] < 0 || at[category] < 0 || at[cost] < 0 {
		return ""
	}
	return "Azure cost export"
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

var bills = billtable.Form{Package: "azure", Want: "an Azure cost export", Begin: begin}

func begin(c *usage.Collector, name, form string, header []string) (*billtable.Table, error) {
	export := Form(header)
	if export == "" {
		return nil, inputerr.At("azure", 1, 0, "header", usage.ErrForm, "want the columns Date, CostInBillingCurrency (or Cost, PreTaxCost) and MeterCategory")
	}
	r := &reader{Table: billtable.NewTable("azure", c, header, names, names.Index(header, plain), 0, 0), types: map[string]string{}}
	r.Next = r.decode
	c.Begin(name, billtable.As(export, form))
	return r.Table, nil
}

type reader struct {
	*billtable.Table
	types map[string]string // by additional information, which repeats from row to row
}

func (r *reader) decode(raw []byte) error {
	row, err := r.row()
	if err != nil {
		return err
	}
	if row.Effective != row.Billed && row.Charge != usage.Purchase {
		r.C.Note(row.Line, "amortised costs: the row is part of a commitment's fee, which is billed elsewhere", row.Effective)
	}
	row.Raw = raw
	return r.Add(&row)
}

// dates are the forms of a day in exports of all versions.
var dates = []string{"01/02/2006", "1/2/2006", "2006-01-02", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05", "20060102"}

func (r *reader) day() (time.Time, error) {
	text := r.Word(date)
	for _, form := range dates {
		if t, err := time.Parse(form, text); err == nil && t.Year() >= 1971 {
			return t.UTC().Truncate(24 * time.Hour), nil
		}
	}
	return time.Time{}, r.Fail(date, usage.ErrSyntax, "%q: want a day such as 2026-01-31 or 01/31/2026", text)
}

// row reads a row.
func (r *reader) row() (usage.Row, error) {
	row := usage.Row{Line: r.Line, Account: r.Word(account), Currency: strings.ToUpper(r.Word(currency)), Kind: usage.Kind{Provider: "azure"}}
	if b := r.Word(billingAccount); b != "" {
		row.Account = b + "/" + row.Account
	}
	var err error
	if row.Start, err = r.day(); err != nil {
		return row, err
	}
	row.End = row.Start.Add(24 * time.Hour)
	var paid, hours usage.Amount
	if err := r.Amounts([]int{cost, quantity, payg}, &paid, &hours, &row.List); err != nil {
		return row, err
	}
	row.Billed, row.Effective = paid, paid
	commitment, covered := r.commitment(row.Currency)
	switch charge := strings.ToLower(r.Word(chargeType)); charge {
	case "", "usage":
		r.usage(&row, hours)
		if covered {
			// An actual export has 0 here; an amortised one has the part of the fee.
			row.Billed = usage.Amount{}
			row.Commitment = commitment
			row.Commitment.Quantity = hours
			if commitment.Spend {
				row.Commitment.Quantity = paid
			}
			if row.Charge == usage.OnDemand {
				row.Charge = usage.Covered
			}
		}
	case "purchase":
		if commitment.ID == "" && !covered {
			row.Reason = usage.OtherFee
			break
		}
		row.Charge, row.Effective, row.Commitment = usage.Purchase, usage.Amount{}, commitment
		row.Commitment.Quantity = hours
		if row.Commitment.Name == "" {
			row.Commitment.Name = r.Word(order)
		}
	case "unusedreservation", "unusedsavingsplan":
		row.Charge, row.Billed, row.Commitment = usage.Unused, usage.Amount{}, commitment
		row.Commitment.Quantity = hours
		if charge == "unusedsavingsplan" {
			row.Commitment.Type, row.Commitment.Spend, row.Commitment.Unit, row.Commitment.Quantity = "Savings Plan", true, row.Currency, paid
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

// commitment returns the reservation or the savings plan that the row names, and whether it
// covers the use of the row.
func (r *reader) commitment(currency string) (c usage.Commitment, covers bool) {
	c = usage.Commitment{ID: r.Word(reservation), Name: r.Word(reservationName), Type: "Reservation", Unit: "Hours"}
	if c.ID == "" {
		c.ID, c.Name = r.Word(benefit), r.Word(benefitName)
	}
	model := strings.ToLower(r.Word(model))
	if model == "savingsplan" || strings.Contains(strings.ToLower(c.ID), "savingsplan") {
		c.Type, c.Spend, c.Unit = "Savings Plan", true, currency
	}
	return c, model == "reservation" || model == "savingsplan" || model == "" && c.ID != ""
}

// usage sets what a row of usage is.
func (r *reader) usage(row *usage.Row, hours usage.Amount) {
	what := r.Word(category)
	virtual := strings.EqualFold(what, "Virtual Machines")
	kind := r.kind()
	switch {
	case strings.EqualFold(r.Word(model), "spot"), virtual && spot(r.Word(meter)):
		row.Reason = usage.Spot
	case strings.EqualFold(what, "Virtual Machines Licenses"):
		row.Reason = usage.Surcharge // of a machine under a reservation, whose hours are a row of their own
	case !virtual || !strings.Contains(strings.ToLower(r.Word(unit)), "hour"):
		row.Reason = usage.OtherUsage
	case kind == "":
		row.Reason = usage.OtherHours
	default:
		row.Charge, row.Hours = usage.OnDemand, hours
		row.Kind = usage.Kind{Provider: "azure", Region: region(r.First(location, meterRegion)), Type: kind,
			System: system(r.Word(subcategory), r.Word(meter), r.Word(product)), Tenancy: "shared"}
	}
}

// spot reports whether a meter, such as "D2 v3 Spot", is of machines that can be taken away.
func spot(meter string) bool {
	return strings.HasSuffix(meter, " Spot") || strings.HasSuffix(meter, " Low Priority")
}

// kind is the type of virtual machine: ServiceType of the additional information.
func (r *reader) kind() string {
	text := r.Word(info)
	if text == "" {
		return ""
	}
	if t, ok := r.types[text]; ok {
		return t
	}
	object := text
	if object[0] != '{' {
		object = "{" + object + "}"
	}
	var x struct{ ServiceType string }
	if json.Unmarshal([]byte(object), &x) != nil || !strings.Contains(x.ServiceType, "_") {
		x.ServiceType = "" // not a size such as Standard_E4s_v3
	}
	if len(r.types) > 10_000 {
		clear(r.types)
	}
	r.types[text] = x.ServiceType
	return x.ServiceType
}

// region is the code of a location: "US East" and "useast" are eastus only in the
// price list, so that the resource's location, which has the code, comes first.
func region(location string) string {
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
