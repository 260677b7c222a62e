package offers

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
)

// awsPrice is one price of an offer file, in either form.
type awsPrice struct {
	sku, termCode, termType     string
	unit, price, currency       string
	lease, option, class        string
	family, region, location    string
	kind, tenancy, os, software string
	capacity, operation, factor string
	engine, edition, deployment string
}

// awsProduct collects the prices of one SKU.
type awsProduct struct {
	offer    Offer
	prices   int
	onDemand bool
	terms    map[string]*awsTerm // by term code
}

type awsTerm struct {
	name            string
	years           int
	upfront, hourly pricing.Money
	prices          int
	up, per         bool
}

// system names what runs: by the operation, which savings plan rates have too, or
// by the columns of an offer file.
func (p *awsPrice) system() string {
	if s := cloudkind.AWSSystem(p.operation); s != "" {
		return s
	}
	if p.engine != "" {
		return strings.ToLower(strings.Join(strings.Fields(p.engine+" "+p.edition+" "+p.deployment), " "))
	}
	if strings.HasPrefix(p.operation, "RunInstances:") {
		return "operation " + strings.TrimPrefix(p.operation, "RunInstances:")
	}
	s := strings.ToLower(p.os)
	if p.software != "" && p.software != "NA" {
		s += " " + strings.ToLower(p.software)
	}
	return s
}

// instances are the product families of which an instance can be bought by the
// hour.
func instances(family string) bool {
	return strings.HasPrefix(family, "Compute Instance") || family == "Database Instance" || family == "Cache Instance" ||
		family == "Amazon OpenSearch Service Instance" || family == "Elastic Search Instance"
}

// addAWS takes a price of an offer file.
func (b *builder) addAWS(p *awsPrice) error {
	tenancy := strings.ToLower(p.tenancy)
	if tenancy == "" || tenancy == "na" {
		tenancy = "shared"
	}
	region := p.region
	if region == "" {
		region = p.location
	}
	system := p.system()
	switch {
	case !instances(p.family):
		b.leave("not an instance", 1)
		return nil
	case p.capacity != "" && p.capacity != "Used" && p.capacity != "NA":
		b.leave("unused or allocated capacity reservation", 1)
		return nil
	case tenancy == "host":
		b.leave("on a dedicated host, which is paid for as a whole", 1)
		return nil
	case p.currency != "" && b.opts.Currency != "" && p.currency != b.opts.Currency:
		b.leave("another currency", 1)
		return nil
	case !b.opts.keep(p.region, p.location, p.kind, system, tenancy):
		b.leave("not asked for", 1)
		return nil
	}
	q := b.aws[p.sku]
	if q == nil {
		family, units := splitSize(p.kind)
		if f := factor(p.factor); f > 0 {
			units = f
		}
		q = &awsProduct{terms: map[string]*awsTerm{}, offer: Offer{
			Provider: "aws", Region: region, Kind: p.kind, System: system, Tenancy: tenancy, Currency: p.currency, Family: family, Factor: units}}
		b.aws[p.sku] = q
	}
	money, err := b.price(p.price, p.currency)
	if err != nil {
		return err
	}
	hours := strings.EqualFold(p.unit, "Hrs") || strings.EqualFold(p.unit, "Hours")
	switch p.termType {
	case "OnDemand":
		if !hours {
			b.leave("not by the hour", 1)
			return nil
		}
		if q.onDemand && q.offer.List.OnDemand != money {
			return fmt.Errorf("%w: SKU %s costs %v and %v on demand: want one price", ErrDuplicate, p.sku, q.offer.List.OnDemand, money)
		}
		q.onDemand, q.offer.List.OnDemand = true, money
		q.prices++
	case "Reserved":
		b.addTerm(q, p, money, hours)
	default:
		b.leave("neither on demand nor reserved", 1)
	}
	return nil
}

// addTerm takes a price of a reservation, by the hour or upfront.
func (b *builder) addTerm(q *awsProduct, p *awsPrice, money pricing.Money, hours bool) {
	n := leaseYears(p.lease)
	option := strings.ToLower(strings.ReplaceAll(p.option, " ", "-"))
	switch {
	case n == 0:
		b.leave(otherLease, 1)
		return
	case option != "no-upfront" && option != "partial-upfront" && option != "all-upfront":
		b.leave("a purchase option that is no longer sold", 1)
		return
	}
	class := cmp.Or(p.class, "standard")
	key := cmp.Or(p.termCode, p.lease+option+class)
	t := q.terms[key]
	if t == nil {
		t = &awsTerm{years: n, name: fmt.Sprintf("%dy-%s-%s", n, class, option)}
		q.terms[key] = t
	}
	if hours {
		t.hourly, t.per = money, true
	} else {
		t.upfront, t.up = money, true
	}
	t.prices++
}

// otherLease is why a price is left out whose lease [leaseYears] does not know.
const otherLease = "a lease of neither 1 nor 3 years"

// leaseYears returns the years of a lease, 0 for another one.
func leaseYears(text string) int {
	switch strings.TrimSpace(text) {
	case "1yr", "1 yr", "1 year":
		return 1
	case "3yr", "3 yr", "3 year":
		return 3
	}
	return 0
}

// finishAWS makes offers of products.
func (b *builder) finishAWS() {
	skus := make([]string, 0, len(b.aws))
	for sku := range b.aws {
		skus = append(skus, sku)
	}
	sort.Strings(skus)
	seen := map[offerKey]bool{}
	for _, sku := range skus {
		q := b.aws[sku]
		total := q.prices
		for _, t := range q.terms {
			total += t.prices
		}
		key := offerKey{q.offer.Region, q.offer.Kind, q.offer.System, q.offer.Tenancy}
		switch {
		case !q.onDemand:
			b.leave(noPrice, total)
			continue
		case q.offer.List.OnDemand == 0:
			b.leave("free on demand", total)
			continue
		case seen[key]:
			b.leave("a second product of the same kind (licence or market)", total)
			continue
		}
		seen[key] = true
		codes := make([]string, 0, len(q.terms))
		for code := range q.terms {
			codes = append(codes, code)
		}
		sort.Strings(codes)
		names := map[string]bool{}
		for _, code := range codes {
			t := q.terms[code]
			switch {
			case !t.per && !t.up:
				continue
			case names[t.name]:
				b.leave("a second reservation of the same name", t.prices)
				continue
			}
			names[t.name] = true
			q.offer.List.Classes = append(q.offer.List.Classes, pricing.Class{Name: t.name, Term: years(t.years), Upfront: t.upfront, Hourly: t.hourly, Billed: pricing.Always})
		}
		b.out.Offers = append(b.out.Offers, q.offer)
	}
}

// readCSV reads an offer file or savings plan rates as a table.
func (b *builder) readCSV(src *bufio.Reader) error {
	r := csv.NewReader(src)
	r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = -1, true, false
	line := func() int { n, _ := r.FieldPos(0); return n }
	var at map[string]int
	for at == nil {
		row, err := r.Read()
		switch {
		case err == io.EOF:
			return badLine(1, "header", ErrForm, "no line with a column SKU: want %s", wanted)
		case err != nil:
			return b.csvError(err)
		}
		if n := line(); n > 20 {
			return badLine(n, "header", ErrForm, "no column SKU in the first 20 lines: want %s", wanted)
		}
		if row[0] == "SKU" {
			at = make(map[string]int, len(row))
			for i, name := range row {
				at[name] = i + 1
			}
		}
	}
	width := len(at)
	_, rates := at["DiscountedRate"]
	needs := []string{"TermType", "Unit", "PricePerUnit", "Currency", "Instance Type"}
	b.out.Form = "aws offer (csv)"
	if rates {
		needs = []string{"DiscountedRate", "Currency", "DiscountedUsageType", "DiscountedOperation", "PurchaseOption", "LeaseContractLength"}
		b.out.Form = "aws savings plan rates (csv)"
	}
	for _, name := range needs {
		if at[name] == 0 {
			return badLine(line(), "header", ErrMissing, "no column %q: want the columns of an AWS offer file", name)
		}
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return b.csvError(err)
		}
		if len(row) < width {
			return badLine(line(), "line", ErrSyntax, "%d columns: want %d as in the header", len(row), width)
		}
		get := func(name string) string {
			if i := at[name]; i > 0 {
				return row[i-1]
			}
			return ""
		}
		b.out.Prices++
		if rates {
			err = b.addRate(&awsRate{
				price: get("DiscountedRate"), currency: get("Currency"), usage: get("DiscountedUsageType"), operation: get("DiscountedOperation"),
				option: get("PurchaseOption"), length: get("LeaseContractLength"), unit: get("LeaseContractLengthUnit"), service: get("DiscountedServiceCode"),
				family: get("Instance Family"), product: get("Product Family"), region: get("DiscountedRegionCode"), location: get("Location"), kind: get("DiscountedInstanceType")})
		} else {
			err = b.addAWS(&awsPrice{
				sku: get("SKU"), termCode: get("OfferTermCode"), termType: get("TermType"), unit: get("Unit"), price: get("PricePerUnit"), currency: get("Currency"),
				lease: get("LeaseContractLength"), option: get("PurchaseOption"), class: get("OfferingClass"), family: get("Product Family"),
				region: get("Region Code"), location: get("Location"), kind: get("Instance Type"), tenancy: get("Tenancy"), os: get("Operating System"),
				software: get("Pre Installed S/W"), capacity: get("CapacityStatus"), operation: get("operation"),
				factor: get("Normalization Size Factor"), engine: get("Database Engine"), edition: get("Database Edition"), deployment: get("Deployment Option")})
		}
		if err != nil {
			return badLine(line(), "price", ErrSyntax, "%w", err)
		}
	}
}

func (b *builder) csvError(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return badLine(parse.Line, "line", ErrSyntax, "%v: want one row of a table on each line", parse.Err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return badLine(1, "file", ErrSyntax, "the compressed data ends in the middle: want a whole file")
	}
	return err
}

type awsAttributes struct {
	InstanceType, Location, RegionCode, Tenancy, OperatingSystem, PreInstalledSw, Capacitystatus string
	Operation, NormalizationSizeFactor, DatabaseEngine, DatabaseEdition, DeploymentOption        string
}

// readAWSProducts reads the object "products" of an offer file.
func (b *builder) readAWSProducts(dec *json.Decoder, products map[string]*awsPrice) error {
	open, err := dec.Token()
	if err != nil {
		return err
	}
	if open == json.Delim('[') { // savings plans list theirs
		for dec.More() {
			var p struct {
				SKU           string
				ProductFamily string
				Attributes    struct {
					InstanceType, PurchaseOption, PurchaseTerm, RegionCode, Location string
				}
			}
			if err := dec.Decode(&p); err != nil {
				return err
			}
			products[p.SKU] = &awsPrice{sku: p.SKU, family: p.ProductFamily, kind: p.Attributes.InstanceType, option: p.Attributes.PurchaseOption, region: p.Attributes.RegionCode, location: p.Attributes.Location}
		}
		_, err := dec.Token()
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("products is %v: want an object or an array", open)
	}
	for dec.More() {
		if _, err := dec.Token(); err != nil {
			return err
		}
		var p struct {
			SKU           string
			ProductFamily string
			Attributes    awsAttributes
		}
		if err := dec.Decode(&p); err != nil {
			return err
		}
		a := &p.Attributes
		products[p.SKU] = &awsPrice{sku: p.SKU, family: p.ProductFamily, region: a.RegionCode, location: a.Location, kind: a.InstanceType, tenancy: a.Tenancy, os: a.OperatingSystem,
			software: a.PreInstalledSw, capacity: a.Capacitystatus, operation: a.Operation, factor: a.NormalizationSizeFactor,
			engine: a.DatabaseEngine, edition: a.DatabaseEdition, deployment: a.DeploymentOption}
	}
	_, err = dec.Token()
	return err
}

// readAWSTerms reads the object "terms".
func (b *builder) readAWSTerms(dec *json.Decoder, products map[string]*awsPrice) error {
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		kind, err := dec.Token()
		if err != nil {
			return err
		}
		if kind == "savingsPlan" {
			b.out.Form = "aws savings plan rates (json)"
			if err := b.readAWSPlans(dec, products); err != nil {
				return err
			}
			continue
		}
		b.out.Form = "aws offer (json)"
		if _, err := dec.Token(); err != nil {
			return err
		}
		for dec.More() {
			if _, err := dec.Token(); err != nil { // SKU
				return err
			}
			var terms map[string]struct {
				SKU             string
				OfferTermCode   string
				PriceDimensions map[string]struct {
					Unit         string
					PricePerUnit map[string]string
				}
				TermAttributes struct{ LeaseContractLength, OfferingClass, PurchaseOption string }
			}
			if err := dec.Decode(&terms); err != nil {
				return err
			}
			names := make([]string, 0, len(terms))
			for name := range terms {
				names = append(names, name)
			}
			sort.Strings(names)
			for _, name := range names {
				t := terms[name]
				product := products[t.SKU]
				rates := make([]string, 0, len(t.PriceDimensions))
				for rate := range t.PriceDimensions {
					rates = append(rates, rate)
				}
				sort.Strings(rates)
				for _, rate := range rates {
					d := t.PriceDimensions[rate]
					b.out.Prices++
					if product == nil {
						b.leave("a product that the file does not describe", 1)
						continue
					}
					p := *product
					p.termType, _ = kind.(string)
					p.termCode, p.unit = t.OfferTermCode, d.Unit
					p.lease, p.class, p.option = t.TermAttributes.LeaseContractLength, t.TermAttributes.OfferingClass, t.TermAttributes.PurchaseOption
					p.currency = b.currencyOf(d.PricePerUnit)
					p.price = d.PricePerUnit[p.currency]
					if err := b.addAWS(&p); err != nil {
						return fmt.Errorf("SKU %s: %w", t.SKU, err)
					}
				}
			}
		}
		if _, err := dec.Token(); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// currencyOf chooses a currency of a price: the one that is kept, else the first by
// name.
func (b *builder) currencyOf(prices map[string]string) string {
	if _, ok := prices[b.opts.Currency]; ok {
		return b.opts.Currency
	}
	first := ""
	for c := range prices {
		if first == "" || c < first {
			first = c
		}
	}
	return first
}
