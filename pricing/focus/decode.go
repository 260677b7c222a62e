package focus

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A row of FOCUS in terms of package usage.
//
// Most of a row is words that repeat: provider, region, SKU, units, commitment. What
// they mean together is a class, worked out once for each combination and looked up
// for each row; what is left for a row are two times and up to six numbers. Invariant:
// a class depends on its key alone, which holds every column of words.

// A Decoder passes rows of a table to a collector, from wherever the table comes.
// It must not be used by two goroutines at once.
type Decoder struct {
	c       *usage.Collector
	at      [columns]int // index of each column, -1 if there is none
	header  []string
	keys    [][2]int // runs of columns that make the key of a class
	isKind  bool     // a column could tell the type of instance
	memo    billtable.Memo[class]
	clock   billtable.Clock
	row     *usage.Row // of the class
	fields  billtable.Fields
	isBills bool // of cost and usage; otherwise of contract commitments
}

// A class is what the words of a row say.
type class struct {
	row      usage.Row
	quantity int // the column of the hours, -1 for none
	other    int // that of the hours where the first is null, -1 for none
	time     [2]cloudkind.Time
}

// NewDecoder begins a file of the given name in c, with the columns of header. form
// is that of the file: "csv", "parquet" or another. The error is an
// [*usage.InputError] that unwraps to [usage.ErrForm] for columns that are not those
// of FOCUS, or to [usage.ErrMissing] for one that every row needs.
func NewDecoder(c *usage.Collector, name, form string, header []string) (*Decoder, error) {
	version := Version(header)
	if version == "" {
		return nil, inputerr.At("focus", 1, 0, "", usage.ErrForm, "the columns %s: want those of a FOCUS export, such as ChargeCategory and BilledCost, or ContractCommitmentId", some(header))
	}
	d := &Decoder{c: c, header: header}
	index := map[string]int{}
	for i, h := range header {
		n := billtable.Name(h)
		if _, again := index[n]; again && known(n) {
			return nil, inputerr.At("focus", 1, i+1, h, usage.ErrRepeated, "the column: want it once")
		}
		index[n] = i
	}
	var keys []int
	for col := range d.at {
		d.at[col] = -1
		for _, n := range names[col] {
			if i, ok := index[billtable.Name(n)]; ok {
				d.at[col] = i
				break
			}
		}
		if col >= firstWord && col < contractID && d.at[col] >= 0 {
			keys = append(keys, d.at[col])
		}
	}
	d.keys = billtable.Runs(keys)
	d.isBills = d.at[chargeCategory] >= 0
	needed, dataset := []int{billedCost, chargeStart, chargeEnd}, ""
	if !d.isBills {
		needed, dataset = []int{contractStart, contractEnd}, " contract commitments"
	}
	for _, col := range needed {
		if d.at[col] < 0 {
			return nil, inputerr.At("focus", 1, 0, names[col][0], usage.ErrMissing, "the column: want one in a FOCUS export of version %s", version)
		}
	}
	c.Begin(name, "FOCUS "+version+dataset+" ("+form+")")
	if d.isBills {
		for _, col := range []int{skuPriceDetails, description, instanceType, usageType, skuDetails} {
			d.isKind = d.isKind || d.at[col] >= 0
		}
		for _, col := range []struct {
			at   int
			note string
		}{
			{effectiveCost, "no column EffectiveCost: effective cost is not known and counts as 0"},
			{listCost, "no column ListCost: list cost is not known and counts as 0"},
		} {
			if d.at[col.at] < 0 {
				c.Note(0, col.note, usage.Amount{})
			}
		}
	}
	return d, nil
}

// known reports whether a column is one that is read.
func known(name string) bool {
	for _, list := range names {
		for _, n := range list {
			if billtable.Name(n) == name {
				return true
			}
		}
	}
	return false
}

// some returns the first names of a header.
func some(header []string) string {
	s := strings.Join(header[:min(len(header), 4)], ", ")
	if len(header) > 4 {
		s += ", ..."
	}
	if len(s) > 120 {
		s = s[:120] + "..."
	}
	return s
}

// Decode decodes a row and adds it to the collector. line is its place in the file,
// from 1 for the header; raw is the row as it stands there, to find rows that are
// there twice, or nil. The error is an [*usage.InputError] with line, column and
// name. It panics if the row has fewer fields than the header, or for a Decoder that
// NewDecoder has not made.
func (d *Decoder) Decode(line int, row [][]byte, raw []byte) error {
	if d.c == nil {
		panic("focus: Decoder that NewDecoder has not made")
	}
	if len(row) < len(d.header) {
		panic("focus: row with fewer fields than the header")
	}
	d.fields.Row = row
	return d.decode(line, &d.fields, raw)
}

func (d *Decoder) decode(line int, src billtable.Row, raw []byte) error {
	if !d.isBills {
		return d.contract(line, src)
	}
	d.memo.Begin()
	for _, k := range d.keys {
		d.memo.Add(src.Span(k[0], k[1]))
	}
	k, ok := d.memo.Get()
	if !ok {
		k = d.classOf(src)
		if strings.EqualFold(k.row.Reason, headerAgain) {
			return d.fail(line, chargeCategory, usage.ErrForm, "the header again: want one file after the other, not one file of several")
		}
		d.memo.Put(k)
	}
	r := &k.row // its words stay, its numbers are set below
	d.row = r
	r.Hours, r.Commitment.Quantity = usage.Amount{}, usage.Amount{}
	r.Line, r.Raw = line, raw
	var err error
	if r.Start, err = d.moment(line, chargeStart, src); err != nil {
		return err
	}
	if r.End, err = d.moment(line, chargeEnd, src); err != nil {
		return err
	}
	if r.Billed, ok, err = d.amount(line, billedCost, src); err != nil {
		return err
	} else if !ok {
		d.c.Note(line, "rows without BilledCost, which count as 0", usage.Amount{})
	}
	if r.Effective, _, err = d.amount(line, effectiveCost, src); err != nil {
		return err
	}
	if r.List, _, err = d.amount(line, listCost, src); err != nil {
		return err
	}
	if r.Charge == usage.OnDemand || r.Charge == usage.Covered {
		if err := d.hours(line, k, src); err != nil {
			return err
		}
	}
	if m := &r.Commitment; m.ID != "" {
		if m.Quantity, ok, err = d.amount(line, commitmentQuantity, src); err != nil {
			return err
		}
		if !ok { // FOCUS 1.0 has no such column
			switch {
			case r.Charge == usage.Purchase:
			case m.Spend:
				m.Quantity, m.Unit = r.Effective, r.Currency
			case r.Charge == usage.Covered:
				m.Quantity, m.Unit = r.Hours, "Hours"
			}
		}
	}
	return billtable.In("focus", d.c.Add(r))
}

// hours reads the instance-hours of a row.
func (d *Decoder) hours(line int, k *class, src billtable.Row) error {
	for i, col := range [...]int{k.quantity, k.other} {
		if col < 0 {
			continue
		}
		a, ok, err := d.amount(line, col, src)
		if err != nil {
			return err
		}
		if ok {
			d.row.Hours = a.Scale(k.time[i].Num, k.time[i].Den)
			return nil
		}
	}
	d.c.Note(line, "usage of instances without a quantity, which counts no hours", d.row.Billed)
	return nil
}

// moment reads a time.
func (d *Decoder) moment(line, col int, src billtable.Row) (t time.Time, err error) {
	b := src.Field(d.at[col])
	if t, err = d.clock.Parse(b); err == nil {
		return t, nil
	}
	if billtable.Null(b) {
		return t, d.fail(line, col, usage.ErrMissing, "no time: want one such as 2024-09-18T22:00:00Z")
	}
	return t, d.fail(line, col, usage.ErrSyntax, "%s: want a time such as 2024-09-18T22:00:00Z", billtable.Quote(b))
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
		return a, false, &usage.InputError{Package: "focus", Field: d.header[d.at[col]], Index: -1, Line: line, Column: d.at[col] + 1, Err: in.Err}
	}
	if !exact {
		d.c.Note(line, "numbers with more than eighteen decimals, rounded", usage.Amount{})
	}
	return a, true, nil
}

func (d *Decoder) fail(line, col int, sentinel error, format string, args ...any) error {
	return inputerr.At("focus", line, d.at[col]+1, d.header[d.at[col]], sentinel, format, args...)
}

// word returns a field as a string, "" for null.
func (d *Decoder) word(col int, src billtable.Row) string {
	if d.at[col] < 0 {
		return ""
	}
	b := src.Field(d.at[col])
	if billtable.Null(b) {
		return ""
	}
	return string(b)
}

// headerAgain is the reason of a row that is the header.
const headerAgain = "charge category ChargeCategory"

// classOf works out what the words of a row say.
func (d *Decoder) classOf(src billtable.Row) *class {
	word := func(col int) string { return d.word(col, src) }
	first := func(cols ...int) string {
		for _, col := range cols {
			if s := word(col); s != "" {
				return s
			}
		}
		return ""
	}
	k := &class{quantity: -1, other: -1}
	r := &k.row
	r.Account, r.Currency = word(accountID), word(currency)
	r.NoEffective = d.at[effectiveCost] < 0
	r.Kind.Provider = cloudkind.Provider(first(provider, hostProvider, serviceProvider))
	r.Kind.Region = first(region, regionName)
	m := &r.Commitment
	m.ID, m.Name, m.Type, m.Unit = word(commitmentID), word(commitmentName), word(commitmentType), word(commitmentUnit)
	m.Spend = strings.EqualFold(word(commitmentCategory), "Spend") || word(commitmentCategory) == "" && len(m.Unit) == 3 && strings.ToUpper(m.Unit) == m.Unit
	m.Once = strings.EqualFold(word(chargeFrequency), "One-Time")
	status := strings.ToLower(word(commitmentStatus))
	switch strings.ToLower(word(chargeSubcategory)) { // 1.0-preview
	case "used commitment":
		status = "used"
	case "unused commitment":
		status = "unused"
	case "refund":
		r.Reason = usage.Refund
		return k
	}
	switch category := word(chargeCategory); strings.ToLower(category) {
	case "usage":
		d.usageOf(k, src, status)
	case "purchase":
		r.Charge, r.Reason = usage.LeftOut, usage.OtherFee
		if m.ID != "" {
			r.Charge = usage.Purchase
			m.Region = r.Kind.Region
			if !m.Spend {
				d.kindOf(&r.Kind, src, word(description))
				if r.Kind.Type == spot {
					r.Kind.Type = ""
				}
			}
		}
	case "tax":
		r.Reason = usage.Tax
	case "credit":
		r.Reason = usage.Credit
	case "adjustment", "refund":
		r.Reason = usage.Refund
	case "":
		r.Reason = "no charge category"
	default:
		r.Reason = "charge category " + category
	}
	return k
}

// usageOf works out what a row of usage is.
func (d *Decoder) usageOf(k *class, src billtable.Row, status string) {
	r := &k.row
	if status == "unused" {
		r.Charge, r.Commitment.Region = usage.Unused, r.Kind.Region
		return
	}
	pricing := strings.ToLower(d.word(pricingCategory, src))
	covered := status == "used" || r.Commitment.ID != "" || pricing == "committed" || pricing == "commitment-based"
	about := d.word(description, src)
	if pricing == "dynamic" || strings.Contains(about, "Spot Preemptible") || strings.Contains(about, "Spot Instance") {
		r.Reason = usage.Spot
		return
	}
	for i, unit := range [...]int{pricingUnit, consumedUnit} {
		if unit == pricingUnit && d.at[pricingUnit] < 0 { // the quantities have one unit
			unit = consumedUnit
		}
		t := cloudkind.Hours(d.word(unit, src))
		quantity := [...]int{pricingQuantity, consumedQuantity}[i]
		switch {
		case t.Num == 0 || d.at[quantity] < 0:
		case k.quantity < 0:
			k.quantity, k.time[0] = quantity, t
		default:
			k.other, k.time[1] = quantity, t
		}
	}
	if k.quantity < 0 {
		r.Reason = usage.OtherUsage
		return
	}
	if cloudkind.Surcharge(about) || cloudkind.Surcharge(d.word(skuMeter, src)) || cloudkind.Surcharge(d.word(usageType, src)) {
		r.Reason = usage.OtherHours
		return
	}
	d.kindOf(&r.Kind, src, about)
	switch {
	case r.Kind.Type == "":
		r.Reason = usage.OtherHours
	case r.Kind.Type == spot:
		r.Kind.Type, r.Reason = "", usage.Spot
	case covered:
		r.Charge = usage.Covered
	default:
		r.Charge = usage.OnDemand
	}
}

// spot stands for a type of instance that was paid for at spot prices.
const spot = "\x00spot"

// kindOf finds the type of instance, the system and the tenancy.
func (d *Decoder) kindOf(kind *usage.Kind, src billtable.Row, about string) {
	engine := ""
	for _, col := range [...]int{skuPriceDetails, skuDetails} {
		var details map[string]any
		if text := d.word(col, src); text == "" || json.Unmarshal([]byte(text), &details) != nil {
			continue
		}
		for key, v := range details {
			s, _ := v.(string)
			if s == "" {
				continue
			}
			switch billtable.Name(strings.TrimPrefix(key, "x_")) {
			case "instancetype", "servicetype": // ServiceType is Azure's name
				kind.Type = s
			case "operatingsystem", "imagetype":
				kind.System = cloudkind.System(s)
				if kind.System == "" {
					kind.System = strings.ToLower(s)
				}
			case "tenancy":
				kind.Tenancy = cloudkind.Tenancy(s)
			case "engine", "databaseengine":
				engine = cloudkind.Database(s)
			case "preemptible":
				if strings.EqualFold(s, "true") {
					kind.Type = spot
					return
				}
			}
		}
	}
	if kind.Type == "" {
		kind.Type = d.word(instanceType, src)
	}
	if what, t := cloudkind.AWSUsage(d.word(usageType, src)); t != "" {
		if what == "SpotUsage" {
			kind.Type = spot
			return
		}
		if kind.Type == "" {
			kind.Type = t
		}
		if kind.Tenancy == "" && what == "DedicatedUsage" {
			kind.Tenancy = "dedicated"
		}
	}
	if s := cloudkind.AWSSystem(d.word(operation, src)); s != "" {
		kind.System = s
	}
	if kind.Type == "" {
		kind.Type = cloudkind.AWSTypeIn(about)
	}
	if kind.Type == "" {
		kind.Type = cloudkind.GCPResource(about)
	}
	if kind.Type == "" && !d.isKind && !strings.EqualFold(d.word(chargeCategory, src), "Purchase") { // the specification's examples have nothing else
		kind.Type = d.word(skuID, src)
	}
	switch {
	case kind.Type == "" || kind.System != "":
	case engine != "":
		kind.System = engine
	case strings.HasPrefix(kind.Type, "db.") || strings.HasPrefix(kind.Type, "cache."):
		kind.System = cloudkind.Database(about)
	default:
		kind.System = cloudkind.System(about)
	}
}

// contract decodes a row of contract commitments.
func (d *Decoder) contract(line int, src billtable.Row) error {
	k := usage.Contract{
		Line: line, ID: d.word(contractID, src), Type: d.word(contractType, src), Description: d.word(contractDescription, src),
		Spend: strings.EqualFold(d.word(contractCategory, src), "Spend"), Unit: d.word(contractUnit, src), Currency: d.word(currency, src),
	}
	if k.ID == "" {
		return d.fail(line, contractID, usage.ErrMissing, "no ID: want one")
	}
	var err error
	if k.Start, err = d.moment(line, contractStart, src); err != nil {
		return err
	}
	if k.End, err = d.moment(line, contractEnd, src); err != nil {
		return err
	}
	if k.Cost, _, err = d.amount(line, contractCost, src); err != nil {
		return err
	}
	if k.Quantity, _, err = d.amount(line, contractQuantity, src); err != nil {
		return err
	}
	return billtable.In("focus", d.c.AddContract(&k))
}
