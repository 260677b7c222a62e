package aws

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A line of a report in terms of package usage.
//
// What the words of a line say together is a class, worked out once for each
// combination and looked up for each line. Invariant: a class depends on its key
// alone, which holds every column of words. What a line costs effectively depends on
// the type of the line; AWS documents the rules for each ("Understanding your amortized
// reservation data", "Understanding savings plans").

// decoder decodes lines of a report.
type decoder struct {
	*billtable.Table
	memo billtable.Memo[class]
	row  *usage.Row // of the class
}

// A class is what the words of a line say.
type class struct {
	row      usage.Row
	line     lineType
	time     cloudkind.Time // of the amount
	from, to time.Time      // the billing period
	hours    bool           // the amount is hours of the kind
}

// lineType says how a line is charged.
type lineType uint8

const (
	plain         lineType = iota
	reserved               // usage under a reservation
	reservedFee            // recurring fee of a reservation
	reservedFirst          // upfront fee of a reservation
	planned                // usage under a savings plan
	plannedFee             // hourly fee of a savings plan
	plannedFirst           // upfront fee of a savings plan
	negation               // takes back the price on demand of planned
)

// NewDecoder begins a file of the given name in c, with the columns of header. form is
// that of the file: "csv", "parquet" or another. The error is an [*pricing.InputError]
// that unwraps to [usage.ErrForm] for columns that are not those of a cost and usage
// report, or to [usage.ErrMissing] for one that every line needs.
func NewDecoder(c *usage.Collector, name, form string, header []string) (usage.Decoder, error) {
	return bills.NewDecoder(c, name, form, header)
}

var bills = billtable.Form{Package: "aws", Want: "a cost and usage report", Begin: begin}

func begin(c *usage.Collector, name, form string, header []string) (*billtable.Table, error) {
	report := Form(header)
	if report == "" {
		return nil, inputerr.At("aws", 1, 0, "", usage.ErrForm, "no columns lineItem/UsageStartDate and lineItem/UnblendedCost: want a cost and usage report, legacy or 2.0")
	}
	// Tags may have the name of a column: the first column of a name is the report's own.
	d := &decoder{Table: billtable.NewTable("aws", c, header, names, names.Index(header, nil), periodStart, len(names))}
	d.Next = d.decode
	if err := d.Need("a "+report, end); err != nil {
		return nil, err
	}
	c.Begin(name, "AWS "+report+" ("+form+")")
	if !d.Has(itemType) {
		c.Note(0, "no column lineItem/LineItemType: every line is taken for usage", usage.Amount{})
	}
	if !d.Has(publicCost) {
		c.Note(0, "no column pricing/publicOnDemandCost: list cost is not known and counts as 0", usage.Amount{})
	}
	return d.Table, nil
}

func (d *decoder) decode(raw []byte) error {
	k, ok := billtable.Look(d.Table, &d.memo)
	if !ok {
		var err error
		if k, err = d.classOf(); err != nil {
			return err
		}
		d.memo.Put(k)
	}
	r := &k.row // its words stay, its numbers are set below
	d.row = r
	r.Hours, r.Effective, r.Commitment.Quantity, r.Commitment.Unused = usage.Amount{}, usage.Amount{}, usage.Amount{}, usage.Amount{}
	r.Line, r.Raw = d.Line, raw
	var err error
	if r.Start, err = d.moment(start, k.from); err != nil {
		return err
	}
	if r.End, err = d.moment(end, k.to); err != nil {
		return err
	}
	if r.Billed, ok, err = d.Amount(unblended); err != nil {
		return err
	} else if !ok {
		d.C.Note(d.Line, "lines without an unblended cost, which count as 0", usage.Amount{})
	}
	if r.List, _, err = d.Amount(publicCost); err != nil {
		return err
	}
	if err := d.effective(k); err != nil {
		return err
	}
	r.Contracted = usage.Amount{}
	switch {
	case r.Charge == usage.OnDemand && d.Has(netCost):
		if r.Contracted, _, err = d.Amount(netCost); err != nil {
			return err
		}
		if r.Contracted == r.Billed {
			r.Contracted = usage.Amount{}
		}
	case r.Charge == usage.Covered && k.line == reserved && d.Has(netReserved):
		if r.Contracted, _, err = d.Amount(netReserved); err != nil {
			return err
		}
	}
	if k.hours && k.line != negation {
		a, ok, err := d.Amount(usageAmount)
		if err != nil {
			return err
		}
		if !ok {
			d.C.Note(d.Line, "usage of instances without a quantity, which counts no hours", r.Billed)
		}
		r.Hours = a.Scale(k.time.Num, k.time.Den)
	}
	return d.Add(r)
}

// moment reads a time; a line that is left out has that of its billing period where
// there is none.
func (d *decoder) moment(col int, period time.Time) (time.Time, error) {
	if d.row.Charge == usage.LeftOut && !period.IsZero() && billtable.Null(d.Field(col)) {
		return period, nil
	}
	return d.Moment(col)
}

// effective sets the effective cost of a line, and the quantity of its commitment.
func (d *decoder) effective(k *class) error {
	r, m := d.row, &d.row.Commitment
	var a [2]usage.Amount
	var there [2]bool
	get := func(cols ...int) (err error) {
		a, there = [2]usage.Amount{}, [2]bool{}
		for i, col := range cols {
			if a[i], there[i], err = d.Amount(col); err != nil {
				return err
			}
		}
		return nil
	}
	missing := func(col int) {
		d.C.Note(d.Line, "lines without "+names[col][0]+", whose effective cost counts as 0", r.Billed)
	}
	switch k.line {
	case reserved:
		if err := get(reservedCost); err != nil {
			return err
		}
		if r.Effective = a[0]; !there[0] {
			missing(reservedCost)
		}
		if err := get(normalized, usageAmount); err != nil {
			return err
		}
		if m.Quantity, m.Unit = a[0], "Normalized Hours"; !there[0] {
			m.Quantity, m.Unit = a[1], "Hours"
		}
	case reservedFee:
		if err := get(unusedFee, unusedUpfront); err != nil {
			return err
		}
		if r.Effective = a[0].Plus(a[1]); !there[0] && !there[1] {
			missing(unusedFee)
		}
		if err := get(reservedNormalized, unusedNormalized); err != nil {
			return err
		}
		if m.Quantity, m.Unused, m.Unit = a[0], a[1], "Normalized Hours"; there[0] {
			break
		}
		if err := get(reservedUnits, unusedUnits); err != nil {
			return err
		}
		m.Quantity, m.Unused, m.Unit = a[0], a[1], "Hours"
		if !there[0] {
			if err := get(usageAmount); err != nil {
				return err
			}
			m.Quantity = a[0]
		}
	case planned:
		if err := get(planCost); err != nil {
			return err
		}
		if r.Effective = a[0]; !there[0] {
			missing(planCost)
		}
		m.Quantity = a[0]
	case plannedFee:
		if err := get(planTotal, planUsed); err != nil {
			return err
		}
		if r.Effective = a[0].Minus(a[1]); !there[0] {
			missing(planTotal)
		}
		m.Quantity, m.Unused = a[0], r.Effective
		if !there[0] {
			m.Quantity, m.Unused = r.Billed, usage.Amount{}
		}
	case reservedFirst, plannedFirst, negation:
	default:
		r.Effective = r.Billed
	}
	return nil
}

// words reads the words of a line, from its columns or from the map "product".
type words struct {
	d *decoder
	m map[string]any
}

func (w *words) of(col int) string {
	if s := w.d.Word(col); s != "" || w.m == nil {
		return s
	}
	name, _ := strings.CutPrefix(names[col][0], "product/")
	for key, v := range w.m {
		if s, _ := v.(string); billtable.Name(key) == billtable.Name(name) {
			return s
		}
	}
	return ""
}

// classOf works out what the words of a line say.
func (d *decoder) classOf() (*class, error) {
	w := words{d: d}
	if text := w.of(product); text != "" {
		_ = json.Unmarshal([]byte(text), &w.m)
	}
	k := &class{}
	r := &k.row
	r.Account, r.Currency = w.of(payer), w.of(currency)
	r.Kind.Provider = "aws"
	r.Kind.Region = regionOf(&w)
	if from, err := usage.ParseTime(d.Field(periodStart)); err == nil && d.Has(periodEnd) {
		k.from = from
		k.to, _ = usage.ParseTime(d.Field(periodEnd))
	}
	kind := w.of(itemType)
	if !d.Has(itemType) {
		kind = "Usage"
	}
	switch kind {
	case "Usage":
		d.usageOf(k, &w, usage.OnDemand)
	case "DiscountedUsage":
		k.line = reserved
		d.reservation(k, &w)
		d.usageOf(k, &w, usage.Covered)
	case "SavingsPlanCoveredUsage":
		k.line = planned
		d.plan(k, &w)
		d.usageOf(k, &w, usage.Covered)
	case "SavingsPlanNegation":
		k.line = negation
		d.plan(k, &w)
		d.usageOf(k, &w, usage.Covered)
	case "RIFee":
		k.line = reservedFee
		d.reservation(k, &w)
		d.purchase(k, &w)
	case "Fee":
		if w.of(reservationARN) == "" {
			r.Reason = usage.OtherFee
			break
		}
		k.line = reservedFirst
		d.reservation(k, &w)
		d.purchase(k, &w)
		r.Commitment.Once = true
	case "SavingsPlanRecurringFee":
		k.line = plannedFee
		d.plan(k, &w)
		r.Charge = usage.Purchase
	case "SavingsPlanUpfrontFee":
		k.line = plannedFirst
		d.plan(k, &w)
		r.Charge, r.Commitment.Once = usage.Purchase, true
	case "Tax":
		r.Reason = usage.Tax
	case "Credit":
		r.Reason = usage.Credit
	case "Refund":
		r.Reason = usage.Refund
	case "":
		r.Reason = "no type of line item"
	default:
		r.Reason = "line item type " + kind
		if strings.HasSuffix(kind, "Discount") {
			d.discount(k, &w)
		}
		if err := d.Again(itemType, kind); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// usageOf works out what a line of usage is.
func (d *decoder) usageOf(k *class, w *words, charge usage.Charge) {
	r := &k.row
	what, t := cloudkind.AWSUsage(w.of(usageType))
	about := w.of(description)
	if what == "SpotUsage" {
		r.Reason = usage.Spot
		return
	}
	if u := w.of(unit); u != "" {
		k.time = cloudkind.Hours(u)
	} else if isInstance(what) {
		k.time = cloudkind.Time{Num: 1, Den: 1}
	}
	if kind, time := cloudkind.Serverless(w.of(usageType)); kind != "" {
		r.Kind.Type, k.time = kind, time
		r.Charge, k.hours = charge, true
		return
	}
	switch {
	case k.time.Num == 0 && k.line != negation:
		r.Reason = usage.OtherUsage
		return
	case cloudkind.Surcharge(w.of(usageType)) || cloudkind.Surcharge(about):
		r.Reason = usage.OtherHours
		return
	}
	d.kindOf(&r.Kind, w, what, t)
	if service := w.of(productCode); cloudkind.IsEC2Type(r.Kind.Type) && service != "" && service != "AmazonEC2" || cloudkind.Beside(what) {
		if r.Kind.Type == "" || service != "AmazonES" {
			r.Kind.Type, r.Reason = "", usage.Surcharge
			return
		}
		r.Kind.Type += ".search"
	}
	if r.Kind.Type == "" {
		if r.Reason = usage.OtherHours; k.time.Num == 0 {
			r.Reason = usage.OtherUsage
		}
		return
	}
	r.Charge, k.hours = charge, true
}

// discount makes a line one that takes money off. Where no column has costs after discounts, and the
// line names a kind on demand, it is part of the price of that kind.
func (d *decoder) discount(k *class, w *words) {
	if what, _ := cloudkind.AWSUsage(w.of(usageType)); isInstance(what) && what != "HeavyUsage" && !d.Has(netCost) {
		d.usageOf(k, w, usage.LeftOut)
		k.hours = false
	}
	k.row.Reason = usage.Discount
}

// isInstance reports whether a usage type without a type of instance and without a
// unit is hours of instances.
func isInstance(what string) bool {
	switch what {
	case "BoxUsage", "DedicatedUsage", "HostBoxUsage", "InstanceUsage", "Multi-AZUsage", "NodeUsage", "ESInstance", "HeavyUsage", "SchedUsage", "UnusedBox", "UnusedDed":
		return true
	}
	return false
}

// kindOf finds the type of instance, the system and the tenancy.
func (d *decoder) kindOf(kind *usage.Kind, w *words, what, t string) {
	if kind.Type = w.of(instanceType); kind.Type == "" {
		kind.Type = t
	}
	if kind.Type == "" && isInstance(what) {
		kind.Type = cloudkind.AWSTypeIn(w.of(description))
	}
	if kind.Type == "" {
		return
	}
	kind.Tenancy = cloudkind.Tenancy(w.of(tenancy))
	if kind.Tenancy == "na" {
		kind.Tenancy = ""
	}
	if kind.Tenancy == "" {
		switch what {
		case "BoxUsage", "HeavyUsage", "UnusedBox":
			kind.Tenancy = "shared"
		case "DedicatedUsage", "UnusedDed":
			kind.Tenancy = "dedicated"
		}
	}
	data := strings.HasPrefix(kind.Type, "db.") || strings.HasPrefix(kind.Type, "cache.")
	if s := cloudkind.AWSSystem(w.of(operation)); s != "" && !data {
		kind.System = s
		return
	}
	if e := w.of(engine); e != "" {
		kind.System = strings.ToLower(strings.Join(strings.Fields(e+" "+w.of(edition)+" "+w.of(deployment)), " "))
		return
	}
	if kind.System = cloudkind.System(w.of(operatingSystem) + " " + w.of(software)); kind.System != "" {
		return
	}
	if data {
		kind.System = cloudkind.Database(w.of(description))
		return
	}
	kind.System = cloudkind.System(w.of(description))
}

// reservation fills in the commitment of a reservation.
func (d *decoder) reservation(k *class, w *words) {
	m := &k.row.Commitment
	m.ID, m.Type, m.Region = w.of(reservationARN), "Reserved Instance", k.row.Kind.Region
	var parts []string
	for _, col := range []int{lease, offeringClass, purchaseOption} {
		if s := w.of(col); s != "" {
			parts = append(parts, s)
		}
	}
	m.Name = strings.Join(parts, " ")
	m.Start, _ = usage.ParseTime(w.of(reservationStart))
	m.End, _ = usage.ParseTime(w.of(reservationEnd))
}

// purchase makes a line the fee of a reservation.
func (d *decoder) purchase(k *class, w *words) {
	k.row.Charge = usage.Purchase
	what, t := cloudkind.AWSUsage(w.of(usageType))
	d.kindOf(&k.row.Kind, w, what, t)
}

// plan fills in the commitment of a savings plan.
func (d *decoder) plan(k *class, w *words) {
	m := &k.row.Commitment
	m.ID, m.Type, m.Name, m.Spend, m.Unit = w.of(planARN), "Savings Plan", w.of(planOffering), true, w.of(currency)
	m.Region = w.of(planRegion)
	m.Start, _ = usage.ParseTime(w.of(planStart))
	m.End, _ = usage.ParseTime(w.of(planEnd))
}

// regionOf returns the region: the code of the product, or that of the zone.
func regionOf(w *words) string {
	if s := cmp.Or(w.of(regionCode), w.of(region)); s != "" {
		return s
	}
	z := w.of(zone)
	if n := len(z); n > 1 && z[n-1] >= 'a' && z[n-1] <= 'z' && z[n-2] >= '0' && z[n-2] <= '9' {
		return z[:n-1]
	}
	return z
}
