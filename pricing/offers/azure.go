package offers

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// readAzure reads the array "Items" of the retail prices API.
//
// A reservation's price is the total of its term, though its unit says an hour.
// Prices of Windows, of spot and of low priority stand beside the plain one, told
// apart by the product's and the SKU's name. A reservation covers the machine and
// not the licence: it belongs to the plain offer.
func (b *builder) readAzure(dec *json.Decoder) error {
	b.out.Report.Form = "azure retail prices"
	if _, err := dec.Token(); err != nil {
		return err
	}
	for i := 0; dec.More(); i++ {
		var p struct {
			CurrencyCode, ArmRegionName, Location, ProductName, SkuName, MeterName, ServiceName, UnitOfMeasure, Type, ArmSkuName string
			ReservationTerm                                                                                                      string
			RetailPrice, UnitPrice, TierMinimumUnits                                                                             json.Number
			SavingsPlan                                                                                                          []struct {
				RetailPrice, UnitPrice json.Number
				Term                   string
			}
		}
		if err := dec.Decode(&p); err != nil {
			return err
		}
		b.out.Report.Prices += 1 + len(p.SavingsPlan)
		all := 1 + len(p.SavingsPlan)
		bad := func(field string, err error) error {
			return inputerr.New("offers", "Items."+field, i, ErrSyntax, "%w", err)
		}
		system := "linux"
		if strings.HasSuffix(p.ProductName, "Windows") {
			system = "windows"
		}
		switch {
		case p.ServiceName != "Virtual Machines":
			b.leave("not a virtual machine", all)
			continue
		case strings.Contains(p.ProductName, "Cloud Services"):
			b.leave("cloud services, not virtual machines", all)
			continue
		case strings.HasSuffix(p.SkuName, " Spot") || strings.HasSuffix(p.SkuName, " Low Priority"):
			b.leave("spot or low priority", all)
			continue
		case strings.HasSuffix(p.ProductName, "Dedicated Host") || p.ArmSkuName == "":
			b.leave("not a kind of virtual machine", all)
			continue
		case p.Type != "Consumption" && p.Type != "Reservation":
			b.leave("for development and tests", all)
			continue
		case b.opts.Currency != "" && p.CurrencyCode != b.opts.Currency:
			b.leave("another currency", all)
			continue
		case !b.opts.keep(p.ArmRegionName, p.Location, p.ArmSkuName, system, "shared"):
			b.leave("not asked for", all)
			continue
		case p.UnitOfMeasure != "1 Hour":
			b.leave("not by the hour", all)
			continue
		}
		amount := p.RetailPrice
		if amount == "" {
			amount = p.UnitPrice
		}
		money, err := b.price(plainDecimal(amount), p.CurrencyCode)
		if err != nil {
			return bad("retailPrice", err)
		}
		key := offerKey{p.ArmRegionName, p.ArmSkuName, system, "shared"}
		o := b.azure[key]
		if o == nil {
			o = &Offer{Provider: "azure", Region: p.ArmRegionName, Kind: p.ArmSkuName, System: system, Tenancy: "shared", Currency: p.CurrencyCode}
			b.azure[key] = o
		}
		if p.Type == "Reservation" {
			n, err := termYears(p.ReservationTerm)
			if err != nil {
				return bad("reservationTerm", err)
			}
			o.List.Classes = append(o.List.Classes, pricing.Class{Name: fmt.Sprintf("%dy-reservation", n), Term: years(n), Upfront: money, Billed: pricing.Always})
		} else if money == 0 {
			b.leave(noPrice, 1)
		} else {
			if o.List.OnDemand != 0 && o.List.OnDemand != money {
				return inputerr.New("offers", "Items", i, ErrDuplicate, "%s in %s costs %v and %v on demand: want one price", p.ArmSkuName, p.ArmRegionName, o.List.OnDemand, money)
			}
			o.List.OnDemand = money
		}
		for _, s := range p.SavingsPlan {
			n, err := termYears(s.Term)
			if err != nil {
				return bad("savingsPlan.term", err)
			}
			amount := s.RetailPrice
			if amount == "" {
				amount = s.UnitPrice
			}
			hourly, err := b.price(plainDecimal(amount), p.CurrencyCode)
			if err != nil {
				return bad("savingsPlan.retailPrice", err)
			}
			b.out.Rates = append(b.out.Rates, Rate{Provider: "azure", Region: p.ArmRegionName, Kind: p.ArmSkuName, System: system, Tenancy: "shared", Currency: p.CurrencyCode,
				Plan: fmt.Sprintf("%dy-savings-plan", n), Term: years(n), Hourly: hourly})
		}
	}
	_, err := dec.Token()
	return err
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
		return 0, fmt.Errorf("%q: want a term such as 3 Years", shorten(text))
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
