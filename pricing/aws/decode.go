package aws

import (
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

// A Decoder passes lines of a table to a collector, from wherever the table comes. It
// must not be used by two goroutines at once.
type Decoder struct {
	c      *usage.Collector
	at     [columns]int // index of each column, -1 if there is none
	header []string
	keys   [][2]int // runs of columns that make the key of a class
	memo   billtable.Memo[class]
	clock  billtable.Clock
	row    *usage.Row // of the class
	fields billtable.Fields
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
// that of the file: "csv", "parquet" or another. The error is an [*usage.InputError]
// that unwraps to [usage.ErrForm] for columns that are not those of a cost and usage
// report, or to [usage.ErrMissing] for one that every line needs.
func NewDecoder(c *usage.Collector, name, form string, header []string) (*Decoder, error) {
	report := Form(header)
	if report == "" {
		return nil, inputerr.At("aws", 1, 0, "", usage.ErrForm, "no columns lineItem/UsageStartDate and lineItem/UnblendedCost: want a cost and usage report, legacy or 2.0")
	}
	d := &Decoder{c: c, header: header}
	index := map[string]int{}
	for i, h := range header {
		if _, again := index[billtable.Name(h)]; !again { // tags may repeat
			index[billtable.Name(h)] = i
		}
	}
	var keys []int
	for col := range d.at {
		i, ok := index[billtable.Name(names[col])]
		if d.at[col] = -1; ok {
			d.at[col] = i
		}
		if col >= periodStart && d.at[col] >= 0 {
			keys = append(keys, d.at[col])
		}
	}
	d.keys = billtable.Runs(keys)
	if d.at[end] < 0 {
		return nil, inputerr.At("aws", 1, 0, names[end], usage.ErrMissing, "the column: want one in a %s", report)
	}
	c.Begin(name, "AWS "+report+" ("+form+")")
	for _, col := range []struct {
		at   int
		note string
	}{
		{itemType, "no column lineItem/LineItemType: every line is taken for usage"},
		{publicCost, "no column pricing/publicOnDemandCost: list cost is not known and counts as 0"},
	} {
		if d.at[col.at] < 0 {
			c.Note(0, col.note, usage.Amount{})
		}
	}
	return d, nil
}

// Decode decodes a line and adds it to the collector. line is its place in the file,
// from 1 for the header; raw is the line as it stands there, to find lines that are
// there twice, or nil. The error is an [*usage.InputError] with line, column and name.
// It panics if the row has fewer fields than the header, or for a Decoder that
// NewDecoder has not made.
func (d *Decoder) Decode(line int, row [][]byte, raw []byte) error {
	if d.c == nil {
		panic("aws: Decoder that NewDecoder has not made")
	}
	if len(row) < len(d.header) {
		panic("aws: row with fewer fields than the header")
	}
	d.fields.Row = row
	return d.decode(line, &d.fields, raw)
}

func (d *Decoder) decode(line int, src billtable.Row, raw []byte) error {
	d.memo.Begin()
	for _, k := range d.keys {
		d.memo.Add(src.Span(k[0], k[1]))
	}
	k, ok := d.memo.Get()
	if !ok {
		var err error
		if k, err = d.classOf(line, src); err != nil {
			return err
		}
		d.memo.Put(k)
	}
	r := &k.row // its words stay, its numbers are set below
	d.row = r
	r.Hours, r.Effective, r.Commitment.Quantity, r.Commitment.Unused = usage.Amount{}, usage.Amount{}, usage.Amount{}, usage.Amount{}
	r.Line, r.Raw = line, raw
	var err error
	if r.Start, err = d.moment(line, start, src, k.from); err != nil {
		return err
	}
	if r.End, err = d.moment(line, end, src, k.to); err != nil {
		return err
	}
	if r.Billed, ok, err = d.amount(line, unblended, src); err != nil {
		return err
	} else if !ok {
		d.c.Note(line, "lines without an unblended cost, which count as 0", usage.Amount{})
	}
	if r.List, _, err = d.amount(line, publicCost, src); err != nil {
		return err
	}
	if err := d.effective(line, k, src); err != nil {
		return err
	}
	if k.hours && k.line != negation {
		a, ok, err := d.amount(line, usageAmount, src)
		if err != nil {
			return err
		}
		if !ok {
			d.c.Note(line, "usage of instances without a quantity, which counts no hours", r.Billed)
		}
		r.Hours = a.Scale(k.time.Num, k.time.Den)
	}
	return billtable.In("aws", d.c.Add(r))
}

// effective sets the effective cost of a line, and the quantity of its commitment.
func (d *Decoder) effective(line int, k *class, src billtable.Row) error {
	r, m := d.row, &d.row.Commitment
	var a [2]usage.Amount
	var there [2]bool
	get := func(cols ...int) (err error) {
		a, there = [2]usage.Amount{}, [2]bool{}
		for i, col := range cols {
			if a[i], there[i], err = d.amount(line, col, src); err != nil {
				return err
			}
		}
		return nil
	}
	missing := func(col int) {
		d.c.Note(line, "lines without "+names[col]+", whose effective cost counts as 0", r.Billed)
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

// moment reads a time; a line that is left out has that of its billing period where
// there is none.
func (d *Decoder) moment(line, col int, src billtable.Row, period time.Time) (time.Time, error) {
	b := src.Field(d.at[col])
	t, err := d.clock.Parse(b)
	switch {
	case err == nil:
		return t, nil
	case !billtable.Null(b):
		return t, d.fail(line, col, usage.ErrSyntax, "%s: want a time such as 2024-09-18T22:00:00Z", billtable.Quote(b))
	case d.row.Charge == usage.LeftOut && !period.IsZero():
		return period, nil
	}
	return t, d.fail(line, col, usage.ErrMissing, "no time: want one such as 2024-09-18T22:00:00Z")
}

// amount reads a number, and whether there is one.
func (d *Decoder) amount(line, col int, src billtable.Row) (usage.Amount, bool, error) {
	if d.at[col] < 0 {
		return usage.Amount{}, false, nil
	}
	b := src.Field(d.at[col])
	if billtable.Null(b) {
		return usage.Amount{}, false, nil
	}
	a, exact, err := usage.Parse(b)
	if err != nil {
		in := err.(*usage.InputError)
		return a, false, &usage.InputError{Package: "aws", Field: d.header[d.at[col]], Index: -1, Line: line, Column: d.at[col] + 1, Err: in.Err}
	}
	if !exact {
		d.c.Note(line, "numbers with more than eighteen decimals, rounded", usage.Amount{})
	}
	return a, true, nil
}

func (d *Decoder) fail(line, col int, sentinel error, format string, args ...any) error {
	return inputerr.At("aws", line, d.at[col]+1, d.header[d.at[col]], sentinel, format, args...)
}

// words reads the words of a line, from its columns or from the map "product".
type words struct {
	d   *Decoder
	src billtable.Row
	m   map[string]any
}

func (w *words) of(col int) string {
	if i := w.d.at[col]; i >= 0 {
		if b := w.src.Field(i); !billtable.Null(b) {
			return string(b)
		}
	}
	if w.m == nil {
		return ""
	}
	name, _ := strings.CutPrefix(names[col], "product/")
	for key, v := range w.m {
		if s, _ := v.(string); billtable.Name(key) == billtable.Name(name) {
			return s
		}
	}
	return ""
}

// classOf works out what the words of a line say.
func (d *Decoder) classOf(line int, src billtable.Row) (*class, error) {
	w := words{d: d, src: src}
	if text := w.of(product); text != "" {
		_ = json.Unmarshal([]byte(text), &w.m)
	}
	k := &class{}
	r := &k.row
	r.Account, r.Currency = w.of(payer), w.of(currency)
	r.Kind.Provider = "aws"
	r.Kind.Region = regionOf(&w)
	var err error
	if d.at[periodStart] >= 0 && d.at[periodEnd] >= 0 {
		if k.from, err = usage.ParseTime(src.Field(d.at[periodStart])); err == nil {
			k.to, _ = usage.ParseTime(src.Field(d.at[periodEnd]))
		}
	}
	kind := w.of(itemType)
	if d.at[itemType] < 0 {
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
			r.Reason = usage.Discount
		}
		if strings.EqualFold(kind, d.header[max(0, d.at[itemType])]) {
			return nil, d.fail(line, itemType, usage.ErrForm, "the header again: want one file after the other, not one file of several")
		}
	}
	return k, nil
}

// usageOf works out what a line of usage is.
func (d *Decoder) usageOf(k *class, w *words, charge usage.Charge) {
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
	switch {
	case k.time.Num == 0 && k.line != negation:
		r.Reason = usage.OtherUsage
		return
	case cloudkind.Surcharge(w.of(usageType)) || cloudkind.Surcharge(about):
		r.Reason = usage.OtherHours
		return
	}
	d.kindOf(&r.Kind, w, what, t)
	if r.Kind.Type == "" {
		if r.Reason = usage.OtherHours; k.time.Num == 0 {
			r.Reason = usage.OtherUsage
		}
		return
	}
	r.Charge, k.hours = charge, true
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
func (d *Decoder) kindOf(kind *usage.Kind, w *words, what, t string) {
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
func (d *Decoder) reservation(k *class, w *words) {
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
func (d *Decoder) purchase(k *class, w *words) {
	k.row.Charge = usage.Purchase
	what, t := cloudkind.AWSUsage(w.of(usageType))
	d.kindOf(&k.row.Kind, w, what, t)
}

// plan fills in the commitment of a savings plan.
func (d *Decoder) plan(k *class, w *words) {
	m := &k.row.Commitment
	m.ID, m.Type, m.Name, m.Spend, m.Unit = w.of(planARN), "Savings Plan", w.of(planOffering), true, w.of(currency)
	m.Region = w.of(planRegion)
	m.Start, _ = usage.ParseTime(w.of(planStart))
	m.End, _ = usage.ParseTime(w.of(planEnd))
}

// regionOf returns the region: the code of the product, or that of the zone.
func regionOf(w *words) string {
	for _, col := range []int{regionCode, region} {
		if s := w.of(col); s != "" {
			return s
		}
	}
	z := w.of(zone)
	if n := len(z); n > 1 && z[n-1] >= 'a' && z[n-1] <= 'z' && z[n-2] >= '0' && z[n-2] <= '9' {
		return z[:n-1]
	}
	return z
}
