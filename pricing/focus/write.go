package focus

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// The columns that are written, in the order of FOCUS 1.3: those of the
// specification that a usage.Row has a value for, and that every row needs.
var written = []string{
	"BilledCost", "BillingAccountId", "BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart",
	"ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart",
	"CommitmentDiscountCategory", "CommitmentDiscountId", "CommitmentDiscountName", "CommitmentDiscountQuantity",
	"CommitmentDiscountStatus", "CommitmentDiscountType", "CommitmentDiscountUnit",
	"ConsumedQuantity", "ConsumedUnit", "ContractedCost", "EffectiveCost", "HostProviderName", "InvoiceIssuerName", "ListCost",
	"PricingCategory", "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName", "RegionId", "ServiceCategory", "ServiceName", "ServiceProviderName",
	"SkuPriceDetails",
}

// A Writer writes rows as FOCUS 1.3, cost and usage as CSV. Read gives the same rows
// back, so that a plan can go to a tool that reads FOCUS, and a test can make a bill.
// It must not be used by two goroutines at once.
type Writer struct {
	w     *bufio.Writer
	began bool
	buf   []byte
	kind  usage.Kind // of details
	json  string
	month time.Time // of the row before, and as text
	from  string
	to    string
}

// NewWriter returns a writer to w. Flush must be called at the end.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, 1<<16)} }

// Write writes a row as a line of FOCUS, after the header at the first call. Write does not write
// the fields Line and Raw of r. If the Charge of r is usage.LeftOut, its Reason must be one of
// package usage.
//
// The error is that of the underlying writer, or an [*pricing.InputError] for a row that the FOCUS
// format cannot express: a reason without a charge category, usage without a kind, or a period that
// ends before it starts. Write panics if NewWriter has not made w.
func (w *Writer) Write(r *usage.Row) error {
	w.made()
	if !w.began {
		w.began = true
		w.w.WriteString(strings.Join(written, ","))
		w.w.WriteByte('\n')
	}
	what, err := wordsOf(r)
	if err != nil {
		return err
	}
	if r.End.Before(r.Start) {
		return inputerr.New("focus", "End", -1, usage.ErrRange, "%v is before %v: want an end after the start", r.End, r.Start)
	}
	m := &r.Commitment
	commitment := m.ID != ""
	w.period(r.Start)
	b := w.buf[:0]
	text := func(s string) { b = append(quoted(b, s), ',') }
	number := func(a usage.Amount) {
		b, _ = a.AppendText(b)
		b = append(b, ',')
	}
	when := func(t time.Time) { b = append(t.UTC().AppendFormat(b, time.RFC3339), ',') }
	maybe := func(there bool, a usage.Amount) {
		if there {
			b, _ = a.AppendText(b)
		}
		b = append(b, ',')
	}
	number(r.Billed)
	text(r.Account)
	text(r.Currency)
	text(w.to)
	text(w.from)
	text(what.category)
	text("")
	text(w.about(r, what.category))
	text(what.frequency)
	when(r.End)
	when(r.Start)
	text(what.class)
	text(m.ID)
	text(m.Name)
	maybe(commitment, m.Quantity)
	text(what.status)
	text(m.Type)
	text(m.Unit)
	maybe(what.unit != "", r.Hours)
	text(what.unit)
	number(contracted(r))
	number(r.Effective)
	text(cloud(r.Kind.Provider))
	text(cloud(r.Kind.Provider))
	number(r.List)
	text(what.pricing)
	switch {
	case what.unit != "" || !commitment:
		maybe(what.unit != "", r.Hours)
		text(what.unit)
	default: // the commitment itself
		number(m.Quantity)
		text(m.Unit)
	}
	text(cloud(r.Kind.Provider))
	text(cloud(r.Kind.Provider))
	text(r.Kind.Region)
	text(what.service)
	text(what.service)
	text(cloud(r.Kind.Provider))
	if r.Charge == usage.OnDemand || r.Charge == usage.Covered || r.Charge == usage.Purchase {
		b = quoted(b, w.details(r.Kind))
	}
	b = append(b, '\n')
	w.buf = b
	_, err = w.w.Write(b)
	return err
}

// contracted returns the cost at the customer's prices: that of the list where no negotiated
// discount is known.
func contracted(r *usage.Row) usage.Amount {
	switch {
	case r.Charge != usage.OnDemand:
		return r.List
	case r.Contracted == usage.Amount{}:
		return r.Billed
	}
	return r.Contracted
}

// words are what the columns of a row say that have few different values.
type words struct{ category, frequency, pricing, status, unit, service, class string }

// wordsOf returns the words of a row.
func wordsOf(r *usage.Row) (words, error) {
	s := words{category: "Usage", frequency: "Usage-Based", pricing: "Standard", service: "Other"}
	if m := &r.Commitment; m.ID != "" {
		if s.class = "Usage"; m.Spend {
			s.class = "Spend"
		}
	}
	switch r.Charge {
	case usage.OnDemand, usage.Covered:
		if r.Kind.Type == "" {
			return s, inputerr.New("focus", "Kind.Type", -1, usage.ErrMissing, "usage of no type of instance: want one")
		}
		s.unit, s.service = "Hours", "Compute"
		if r.Charge == usage.Covered {
			s.pricing, s.status = "Committed", "Used"
		}
		return s, nil
	case usage.Unused:
		s.pricing, s.status, s.service = "Committed", "Unused", "Compute"
		return s, nil
	case usage.Purchase:
		s.category, s.frequency, s.service = "Purchase", "Recurring", "Compute"
		if r.Commitment.Once {
			s.frequency = "One-Time"
		}
		return s, nil
	}
	switch r.Reason {
	case usage.Tax:
		s.category, s.frequency, s.pricing = "Tax", "One-Time", ""
	case usage.Credit:
		s.category, s.frequency, s.pricing = "Credit", "One-Time", "Other"
	case usage.Refund:
		s.category, s.frequency, s.pricing = "Adjustment", "One-Time", ""
	case usage.OtherFee:
		s.category, s.frequency = "Purchase", "Recurring"
	case usage.Spot:
		s.pricing = "Dynamic"
	case usage.OtherUsage:
	case usage.OtherHours:
		s.unit = "Hours"
	default:
		return s, inputerr.New("focus", "Reason", -1, usage.ErrRange, "%q: want a reason of package usage that FOCUS has a category for", r.Reason)
	}
	if r.Commitment.ID != "" && s.category == "Usage" {
		s.pricing, s.status = "Committed", "Used"
	}
	return s, nil
}

// Flush writes what is left. It panics for a Writer that NewWriter has not made.
func (w *Writer) Flush() error {
	w.made()
	return w.w.Flush()
}

func (w *Writer) made() {
	if w.w == nil {
		panic("focus: Writer that NewWriter has not made")
	}
}

// period sets the billing period: the month of the charge.
func (w *Writer) period(t time.Time) {
	t = t.UTC()
	if y, m, _ := t.Date(); w.month.IsZero() || y != w.month.Year() || m != w.month.Month() {
		w.month = time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
		w.from, w.to = w.month.Format(time.RFC3339), w.month.AddDate(0, 1, 0).Format(time.RFC3339)
	}
}

// about describes the charge.
func (w *Writer) about(r *usage.Row, category string) string {
	switch {
	case r.Charge == usage.Unused:
		return "unused part of " + r.Commitment.Name
	case r.Charge == usage.Purchase:
		return "purchase of " + r.Commitment.Name
	case r.Kind.Type != "":
		return r.Kind.Type
	case r.Charge == usage.LeftOut && category == "Usage":
		return r.Reason
	}
	return ""
}

// cloud returns the name that a cloud gives itself.
func cloud(short string) string {
	switch short {
	case "aws":
		return "AWS"
	case "azure":
		return "Microsoft"
	case "gcp":
		return "Google Cloud"
	case "oci":
		return "Oracle"
	}
	return short
}

// details returns SkuPriceDetails for a kind, "" where there is no type.
func (w *Writer) details(k usage.Kind) string {
	if k.Type == "" {
		return ""
	}
	if k == w.kind && w.json != "" {
		return w.json
	}
	d := struct {
		InstanceType    string
		OperatingSystem string `json:",omitempty"`
		Tenancy         string `json:"x_Tenancy,omitempty"`
	}{k.Type, k.System, k.Tenancy}
	text, err := json.Marshal(d)
	if err != nil {
		return ""
	}
	w.kind, w.json = k, string(text)
	return w.json
}

// quoted appends a field, in quotes where it needs them.
func quoted(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n;\t") {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

// WriteContracts writes contract commitments as FOCUS 1.3, as CSV. Read gives them
// back.
func WriteContracts(w io.Writer, contracts []usage.Contract) error {
	out := bufio.NewWriter(w)
	out.WriteString("BillingCurrency,ContractCommitmentCategory,ContractCommitmentCost,ContractCommitmentDescription,ContractCommitmentId," +
		"ContractCommitmentPeriodEnd,ContractCommitmentPeriodStart,ContractCommitmentQuantity,ContractCommitmentType,ContractCommitmentUnit,ContractId,ContractPeriodEnd,ContractPeriodStart\n")
	var b []byte
	for i := range contracts {
		k := &contracts[i]
		b = b[:0]
		text := func(s string) { b = append(quoted(b, s), ',') }
		when := func(t time.Time) { b = append(t.UTC().AppendFormat(b, time.RFC3339), ',') }
		category := "Usage"
		if k.Spend {
			category = "Spend"
		}
		text(k.Currency)
		text(category)
		text(k.Cost.String())
		text(k.Description)
		text(k.ID)
		when(k.End)
		when(k.Start)
		if k.Quantity == (usage.Amount{}) {
			text("")
		} else {
			text(k.Quantity.String())
		}
		text(k.Type)
		text(k.Unit)
		text(k.ID)
		when(k.End)
		when(k.Start)
		b[len(b)-1] = '\n'
		out.Write(b)
	}
	return out.Flush()
}
