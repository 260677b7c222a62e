package offers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
)

// A gcpSKU is an element of services.skus.list. Google sells cores and memory, not machines: a
// kind is a resource of a family, such as "E2 core" (per core and hour) or "E2 ram" (per GiB and
// hour).
type gcpSKU struct {
	SkuID       string `json:"skuId"`
	Description string
	Category    struct {
		ServiceDisplayName, ResourceFamily, ResourceGroup, UsageType string
	}
	ServiceRegions []string
	PricingInfo    []struct {
		PricingExpression gcpExpression
		EffectiveTime     time.Time
	}
}

type gcpExpression struct {
	UsageUnit   string
	TieredRates []struct {
		StartUsageAmount json.Number
		UnitPrice        struct {
			CurrencyCode string
			Units        string
			Nanos        int64
		}
	}
}

// expression returns the newest prices of a SKU, which are the last.
func (p *gcpSKU) expression() (e gcpExpression) {
	if n := len(p.PricingInfo); n > 0 {
		e = p.PricingInfo[n-1].PricingExpression
	}
	return e
}

// terms are the years of the types of use that are kept.
var terms = map[string]int{"OnDemand": 0, "Commit1Yr": 1, "Commit3Yr": 3}

// unfit returns why a SKU is left out, "" if it is not.
func (p *gcpSKU) unfit(isKind bool) string {
	e := p.expression()
	_, sold := terms[p.Category.UsageType]
	switch {
	case !sold:
		return "preemptible or spot"
	case p.Category.ServiceDisplayName != "Compute Engine" || p.Category.ResourceFamily != "Compute" || !isKind:
		return "not cores or memory of machines"
	case len(e.TieredRates) == 0:
		return "no price"
	case e.UsageUnit != "h" && e.UsageUnit != "GiBy.h":
		return "not by the hour"
	case len(e.TieredRates) > 1:
		return "a price that depends on the quantity"
	}
	return ""
}

// readGCP reads the array "skus".
func (b *builder) readGCP(dec *json.Decoder) error {
	b.out.Form = "gcp skus"
	if _, err := dec.Token(); err != nil {
		return err
	}
	for i := 0; dec.More(); i++ {
		var p gcpSKU
		if err := dec.Decode(&p); err != nil {
			return err
		}
		all := max(1, len(p.ServiceRegions))
		b.out.Prices += all
		kind, isKind := cloudkind.GCPKind(p.Description)
		if reason := p.unfit(isKind); reason != "" {
			b.leave(reason, all)
			continue
		}
		if err := b.addGCP(i, &p, kind); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// addGCP takes SKU i, in each of its regions.
func (b *builder) addGCP(i int, p *gcpSKU, kind string) error {
	u := p.expression().TieredRates[0].UnitPrice
	if u.Nanos < 0 || u.Nanos > 999_999_999 {
		return inputerr.New("offers", "skus[].nanos", i, ErrRange, "%d: want 0 to 999999999", u.Nanos)
	}
	switch {
	case b.opts.Currency != "" && u.CurrencyCode != b.opts.Currency:
		b.leave("another currency", max(1, len(p.ServiceRegions)))
		return nil
	case len(p.ServiceRegions) == 0:
		b.leave("in no region", 1)
	}
	term := terms[p.Category.UsageType]
	for _, region := range p.ServiceRegions {
		if !b.opts.keep(region, "", kind, "", "shared") {
			b.leave("not asked for", 1)
			continue
		}
		money, err := b.price(fmt.Sprintf("%s.%09d", cmp.Or(u.Units, "0"), u.Nanos), u.CurrencyCode)
		if err != nil {
			return inputerr.New("offers", "skus[].unitPrice", i, ErrSyntax, "%w", err)
		}
		key := offerKey{region, kind, "", "shared"}
		o := b.azure[key]
		if o == nil {
			o = &Offer{Provider: "gcp", Region: region, Kind: kind, Tenancy: "shared", Currency: u.CurrencyCode, Family: strings.Fields(kind)[0]}
			b.azure[key] = o
		}
		switch {
		case term > 0:
			o.List.Classes = append(o.List.Classes, pricing.Class{Name: fmt.Sprintf("%dy-commitment", term), Term: years(term), Hourly: money, Billed: pricing.Always})
		case money == 0:
			b.leave(noPrice, 1)
		default:
			o.List.OnDemand = money
		}
	}
	return nil
}
