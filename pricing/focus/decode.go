package focus

import (
	"bytes"
	"encoding/json"
	"strings"

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

// decoder decodes rows of a table.
type decoder struct {
	*billtable.Table
	isKind bool // a column could tell the type of instance
	memo   billtable.Memo[class]
	row    *usage.Row // of the class
}

// A class is what the words of a row say.
type class struct {
	row      usage.Row
	correct  bool // the row corrects an earlier bill
	quantity int  // the column of the hours, -1 for none
	other    int  // that of the hours where the first is null, -1 for none
	time     [2]cloudkind.Time
}

// NewDecoder begins a file of the given name in c, with the columns of header. form
// is that of the file: "csv", "parquet" or another. The error is an
// [*pricing.InputError] that unwraps to [usage.ErrForm] for columns that are not those
// of FOCUS, or to [usage.ErrMissing] for one that every row needs.
func NewDecoder(c *usage.Collector, name, form string, header []string) (usage.Decoder, error) {
	return bills.NewDecoder(c, name, form, header)
}

var bills = billtable.Form{Package: "focus", Want: "a FOCUS export", Begin: begin}

func begin(c *usage.Collector, name, form string, header []string) (*billtable.Table, error) {
	version := Version(header)
	if version == "" {
		return nil, inputerr.At("focus", 1, 0, "", usage.ErrForm, "the columns %s: want those of a FOCUS export, such as ChargeCategory and BilledCost, or ContractCommitmentId", some(header))
	}
	seen := map[string]bool{}
	for i, h := range header {
		n := billtable.Name(h)
		if seen[n] && known(n) {
			return nil, inputerr.At("focus", 1, i+1, h, usage.ErrRepeated, "the column: want it once")
		}
		seen[n] = true
	}
	d := &decoder{Table: billtable.NewTable("focus", c, header, names, names.Index(header, nil), firstWord, contractID)}
	isBill, dataset := d.Has(chargeCategory), ""
	needed := []int{billedCost, chargeStart, chargeEnd}
	if d.Next = d.decode; !isBill {
		d.Next, dataset = d.contract, " contract commitments"
		needed = []int{contractStart, contractEnd}
	}
	if err := d.Need("a FOCUS export of version "+version, needed...); err != nil {
		return nil, err
	}
	c.Begin(name, "FOCUS "+version+dataset+" ("+form+")")
	if !isBill {
		return d.Table, nil
	}
	for _, col := range []int{skuPriceDetails, description, instanceType, usageType, skuDetails} {
		d.isKind = d.isKind || d.Has(col)
	}
	if !d.Has(effectiveCost) {
		c.Note(0, "no column EffectiveCost: effective cost is not known and counts as 0", usage.Amount{})
	}
	if !d.Has(listCost) {
		c.Note(0, "no column ListCost: list cost is not known and counts as 0", usage.Amount{})
	}
	return d.Table, nil
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

func (d *decoder) decode(raw []byte) error {
	k, ok := billtable.Look(d.Table, &d.memo)
	if !ok {
		k = d.classOf()
		if err := d.Again(chargeCategory, d.Word(chargeCategory)); err != nil {
			return err
		}
		d.memo.Put(k)
	}
	r := &k.row // its words stay, its numbers are set below
	d.row = r
	r.Hours, r.Commitment.Quantity = usage.Amount{}, usage.Amount{}
	r.Line, r.Raw = d.Line, raw
	var err error
	if r.Start, err = d.Moment(chargeStart); err != nil {
		return err
	}
	if r.End, err = d.Moment(chargeEnd); err != nil {
		return err
	}
	if r.Billed, ok, err = d.Amount(billedCost); err != nil {
		return err
	} else if !ok {
		d.C.Note(d.Line, "rows without BilledCost, which count as 0", usage.Amount{})
	}
	if err := d.Amounts([]int{effectiveCost, listCost}, &r.Effective, &r.List); err != nil {
		return err
	}
	charge, reason := r.Charge, r.Reason
	if charge == usage.OnDemand || charge == usage.Covered {
		if err := d.hours(k); err != nil {
			return err
		}
	}
	r.Contracted = usage.Amount{}
	if charge == usage.OnDemand && !bytes.Equal(d.Field(contractedCost), d.Field(billedCost)) {
		if r.Contracted, _, err = d.Amount(contractedCost); err != nil {
			return err
		}
		if r.Contracted == r.Billed {
			r.Contracted = usage.Amount{}
		}
	}
	if k.correct && r.Hours.Sign() > 0 && (r.Billed.Sign() < 0 || r.Effective.Sign() < 0 || r.List.Sign() < 0) {
		d.C.Note(d.Line, "corrections that take back money and say hours above 0: the money counts, and the hours do not", r.Billed)
		r.Charge, r.Reason, r.Hours = usage.LeftOut, usage.Refund, usage.Amount{}
	}
	if m := &r.Commitment; m.ID != "" {
		if m.Quantity, ok, err = d.Amount(commitmentQuantity); err != nil {
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
	err = d.Add(r)
	r.Charge, r.Reason = charge, reason
	return err
}

// hours reads the instance-hours of a row.
func (d *decoder) hours(k *class) error {
	for i, col := range [...]int{k.quantity, k.other} {
		if col < 0 {
			continue
		}
		a, ok, err := d.Amount(col)
		if err != nil {
			return err
		}
		if ok {
			d.row.Hours = a.Scale(k.time[i].Num, k.time[i].Den)
			return nil
		}
	}
	d.C.Note(d.Line, "usage of instances without a quantity, which counts no hours", d.row.Billed)
	return nil
}

// classOf works out what the words of a row say.
func (d *decoder) classOf() *class {
	word, first := d.Word, d.First
	k := &class{quantity: -1, other: -1, correct: strings.EqualFold(word(chargeClass), "Correction")}
	r := &k.row
	r.Account, r.Currency = word(accountID), word(currency)
	r.NoEffective = !d.Has(effectiveCost)
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
		d.usageOf(k, status)
	case "purchase":
		r.Charge, r.Reason = usage.LeftOut, usage.OtherFee
		if m.ID != "" {
			r.Charge = usage.Purchase
			m.Region = r.Kind.Region
			if !m.Spend {
				d.kindOf(&r.Kind, word(description))
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
func (d *decoder) usageOf(k *class, status string) {
	r := &k.row
	if status == "unused" {
		r.Charge, r.Commitment.Region = usage.Unused, r.Kind.Region
		return
	}
	pricing := strings.ToLower(d.Word(pricingCategory))
	covered := status == "used" || r.Commitment.ID != "" || pricing == "committed" || pricing == "commitment-based"
	about := d.Word(description)
	if pricing == "dynamic" || strings.Contains(about, "Spot Preemptible") || strings.Contains(about, "Spot Instance") {
		r.Reason = usage.Spot
		return
	}
	if kind, time := cloudkind.Serverless(d.Word(usageType)); kind != "" && r.Kind.Provider == "aws" {
		d.serverless(k, kind, time)
		if r.Charge = usage.OnDemand; covered {
			r.Charge = usage.Covered
		}
		return
	}
	for i, unit := range [...]int{pricingUnit, consumedUnit} {
		if unit == pricingUnit && !d.Has(pricingUnit) { // the quantities have one unit
			unit = consumedUnit
		}
		t := cloudkind.Hours(d.Word(unit))
		quantity := [...]int{pricingQuantity, consumedQuantity}[i]
		switch {
		case t.Num == 0 || !d.Has(quantity):
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
	if cloudkind.Surcharge(about) || cloudkind.Surcharge(d.Word(skuMeter)) || cloudkind.Surcharge(d.Word(usageType)) {
		r.Reason = usage.OtherHours
		return
	}
	d.kindOf(&r.Kind, about)
	if d.beside(r.Kind) {
		r.Kind.Type, r.Reason = "", usage.Surcharge
		return
	}
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

// serverless makes a row hours of Fargate or Lambda. The quantity is in units of the usage type.
func (d *decoder) serverless(k *class, kind string, time cloudkind.Time) {
	k.row.Kind.Type = kind
	for _, col := range [...]int{consumedQuantity, pricingQuantity} {
		if d.Has(col) {
			k.quantity, k.other = col, k.quantity
			k.time[0], k.time[1] = time, k.time[0]
		}
	}
}

// beside reports whether hours of a kind are a fee for something on top of an instance whose own
// hours are charged in another row: a service, software, a licence, a reserved capacity.
func (d *decoder) beside(k usage.Kind) bool {
	what, _ := cloudkind.AWSUsage(d.Word(usageType))
	service := d.Word(serviceName)
	switch {
	case k.Type == "" || k.Type == spot:
		return false
	case cloudkind.Beside(what), strings.HasSuffix(service, "Licenses"), strings.HasSuffix(d.Word(skuMeterCategory), "Licenses"):
		return true
	}
	category := d.Word(serviceCategory)
	return k.Provider == "aws" && cloudkind.IsEC2Type(k.Type) && (category != "" && !strings.EqualFold(category, "Compute") || strings.Contains(service, "MapReduce"))
}

// spot stands for a type of instance that was paid for at spot prices.
const spot = "\x00spot"

// kindOf finds the type of instance, the system and the tenancy.
func (d *decoder) kindOf(kind *usage.Kind, about string) {
	engine := d.detailsOf(kind)
	if kind.Type == spot {
		return
	}
	if kind.Type == "" {
		kind.Type = d.Word(instanceType)
	}
	if what, t := cloudkind.AWSUsage(d.Word(usageType)); t != "" {
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
	if s := cloudkind.AWSSystem(d.Word(operation)); s != "" {
		kind.System = s
	}
	if kind.Type == "" {
		kind.Type = cloudkind.AWSTypeIn(about)
	}
	if kind.Type == "" {
		kind.Type = cloudkind.GCPResource(about)
	}
	if kind.Type == "" && !d.isKind && !strings.EqualFold(d.Word(chargeCategory), "Purchase") { // the specification's examples have nothing else
		kind.Type = d.Word(skuID)
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

// detailsOf reads the details of the SKU, objects of JSON: the type of instance, [spot] for one
// that can be taken away, the system and the tenancy. It returns the engine of a database.
func (d *decoder) detailsOf(kind *usage.Kind) (engine string) {
	for _, col := range [...]int{skuPriceDetails, skuDetails} {
		var details map[string]any
		if text := d.Word(col); text == "" || json.Unmarshal([]byte(text), &details) != nil {
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
					return ""
				}
			}
		}
	}
	return engine
}

// contract decodes a row of contract commitments.
func (d *decoder) contract([]byte) error {
	k := usage.Contract{
		Line: d.Line, ID: d.Word(contractID), Type: d.Word(contractType), Description: d.Word(contractDescription),
		Spend: strings.EqualFold(d.Word(contractCategory), "Spend"), Unit: d.Word(contractUnit), Currency: d.Word(currency),
	}
	if k.ID == "" {
		return d.Fail(contractID, usage.ErrMissing, "no ID: want one")
	}
	var err error
	if k.Start, err = d.Moment(contractStart); err != nil {
		return err
	}
	if k.End, err = d.Moment(contractEnd); err != nil {
		return err
	}
	if err := d.Amounts([]int{contractCost, contractQuantity}, &k.Cost, &k.Quantity); err != nil {
		return err
	}
	return d.In(d.C.AddContract(&k))
}
