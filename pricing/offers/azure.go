package offers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// An azureItem is a price of the retail prices API.
//
// The price of a reservation is the total for its term, although its unit says an hour. A machine
// has one plain price, and further items with prices of Windows, of spot and of low priority. Their
// product name or SKU name tells them apart. A reservation covers the machine and not the licence,
// so it belongs to the plain offer.
type azureItem struct {
	CurrencyCode, ArmRegionName, Location, ProductName, SkuName, MeterName, ServiceName, UnitOfMeasure, Type, ArmSkuName string
	ReservationTerm                                                                                                      string
	RetailPrice, UnitPrice, TierMinimumUnits                                                                             json.Number
	SavingsPlan                                                                                                          []struct {
		RetailPrice, UnitPrice json.Number
		Term                   string
	}
}

func (p *azureItem) system() string {
	if strings.HasSuffix(p.ProductName, "Windows") {
		return "windows"
	}
	return "linux"
}

// readAzure reads the array "Items" of the retail prices API.
func (b *builder) readAzure(dec *json.Decoder) error {
	b.out.Form = "azure retail prices"
	if _, err := dec.Token(); err != nil {
		return err
	}
	for i := 0; dec.More(); i++ {
		var p azureItem
		if err := dec.Decode(&p); err != nil {
			return err
		}
		all := 1 + len(p.SavingsPlan)
		b.out.Prices += all
		if reason := b.unfitAzure(&p); reason != "" {
			b.leave(reason, all)
			continue
		}
		if err := b.addAzure(i, &p); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// unfitAzure returns why an item is left out, "" if it is not.
func (b *builder) unfitAzure(p *azureItem) string {
	switch {
	case p.ServiceName != "Virtual Machines":
		return "not a virtual machine"
	case strings.Contains(p.ProductName, "Cloud Services"):
		return "cloud services, not virtual machines"
	case strings.HasSuffix(p.SkuName, " Spot") || strings.HasSuffix(p.SkuName, " Low Priority"):
		return "spot or low priority"
	case strings.HasSuffix(p.ProductName, "Dedicated Host") || p.ArmSkuName == "":
		return "not a kind of virtual machine"
	case p.Type != "Consumption" && p.Type != "Reservation":
		return "for development and tests"
	case b.opts.Currency != "" && p.CurrencyCode != b.opts.Currency:
		return "another currency"
	case !b.opts.keep(p.ArmRegionName, p.Location, p.ArmSkuName, p.system(), "shared"):
		return "not asked for"
	case p.UnitOfMeasure != "1 Hour":
		return "not by the hour"
	}
	return ""
}

// addAzure takes item i.
func (b *builder) addAzure(i int, p *azureItem) error {
	bad := func(field string, err error) error {
		return inputerr.New("offers", "Items."+field, i, ErrSyntax, "%w", err)
	}
	money, err := b.price(plainDecimal(cmp.Or(p.RetailPrice, p.UnitPrice)), p.CurrencyCode)
	if err != nil {
		return bad("retailPrice", err)
	}
	key := offerKey{p.ArmRegionName, p.ArmSkuName, p.system(), "shared"}
	o := b.azure[key]
	if o == nil {
		o = &Offer{Provider: "azure", Region: key.region, Kind: key.kind, System: key.system, Tenancy: key.tenancy, Currency: p.CurrencyCode}
		b.azure[key] = o
	}
	switch {
	case p.Type == "Reservation":
		n, err := termYears(p.ReservationTerm)
		if err != nil {
			return bad("reservationTerm", err)
		}
		o.List.Classes = append(o.List.Classes, pricing.Class{Name: fmt.Sprintf("%dy-reservation", n), Term: years(n), Upfront: money, Billed: pricing.Always})
	case money == 0:
		b.leave(noPrice, 1)
	case o.List.OnDemand != 0 && o.List.OnDemand != money:
		return inputerr.New("offers", "Items", i, ErrDuplicate, "%s in %s costs %v and %v on demand: want one price", p.ArmSkuName, p.ArmRegionName, o.List.OnDemand, money)
	default:
		o.List.OnDemand = money
	}
	for _, s := range p.SavingsPlan {
		n, err := termYears(s.Term)
		if err != nil {
			return bad("savingsPlan.term", err)
		}
		hourly, err := b.price(plainDecimal(cmp.Or(s.RetailPrice, s.UnitPrice)), p.CurrencyCode)
		if err != nil {
			return bad("savingsPlan.retailPrice", err)
		}
		b.out.Rates = append(b.out.Rates, Rate{Provider: "azure", Region: key.region, Kind: key.kind, System: key.system, Tenancy: key.tenancy, Currency: p.CurrencyCode,
			Plan: fmt.Sprintf("%dy-savings-plan", n), Term: years(n), Hourly: hourly})
	}
	return nil
}

// plainDecimal writes a number of JSON without an exponent: 1e-05 is 0.00001.
func plainDecimal(n json.Number) string {
	s := n.String()
	if strings.ContainsAny(s, "eE") {
		if x, err := strconv.ParseFloat(s, 64); err == nil {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
	}
	return s
}

// termYears reads "1 Year" or "3 Years".
func termYears(text string) (int, error) {
	digits, unit, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 10 || !strings.HasPrefix(unit, "Year") {
		return 0, fmt.Errorf("%q: want a term such as 3 Years", inputerr.Cut(text))
	}
	return n, nil
}

// finishAzure makes offers in the order of their keys. A reservation without a
// price on demand beside it in the file is left out.
func (b *builder) finishAzure() {
	keys := make([]offerKey, 0, len(b.azure))
	for key := range b.azure {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool {
		x, y := keys[i], keys[j]
		return x.region+"\x00"+x.kind+"\x00"+x.system < y.region+"\x00"+y.kind+"\x00"+y.system
	})
	for _, key := range keys {
		o := b.azure[key]
		if o.List.OnDemand == 0 {
			b.leave(noPrice, len(o.List.Classes))
			continue
		}
		b.out.Offers = append(b.out.Offers, *o)
	}
}
