package offers

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// readGCP reads the array "skus". Google sells cores and memory, not machines: a
// kind is a resource of a family, such as "E2 core" (per core and hour) or "E2 ram"
// (per GiB and hour).
func (b *builder) readGCP(dec *json.Decoder) error {
	b.out.Report.Form = "gcp skus"
	if _, err := dec.Token(); err != nil {
		return err
	}
	for i := 0; dec.More(); i++ {
		var p struct {
			SkuID       string `json:"skuId"`
			Description string
			Category    struct {
				ServiceDisplayName, ResourceFamily, ResourceGroup, UsageType string
			}
			ServiceRegions []string
			PricingInfo    []struct {
				PricingExpression struct {
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
				EffectiveTime time.Time
			}
		}
		if err := dec.Decode(&p); err != nil {
			return err
		}
		all := max(1, len(p.ServiceRegions))
		b.out.Report.Prices += all
		kind, ok := GCPKind(p.Description)
		term := 0
		switch p.Category.UsageType {
		case "OnDemand":
		case "Commit1Yr":
			term = 1
		case "Commit3Yr":
			term = 3
		default:
			b.leave("preemptible or spot", all)
			continue
		}
		switch {
		case p.Category.ServiceDisplayName != "Compute Engine" || p.Category.ResourceFamily != "Compute" || !ok:
			b.leave("not cores or memory of machines", all)
			continue
		case len(p.PricingInfo) == 0 || len(p.PricingInfo[len(p.PricingInfo)-1].PricingExpression.TieredRates) == 0:
			b.leave("no price", all)
			continue
		}
		e := p.PricingInfo[len(p.PricingInfo)-1].PricingExpression // the newest is the last
		if e.UsageUnit != "h" && e.UsageUnit != "GiBy.h" {
			b.leave("not by the hour", all)
			continue
		}
		if len(e.TieredRates) > 1 {
			b.leave("a price that depends on the quantity", all)
			continue
		}
		u := e.TieredRates[0].UnitPrice
		if u.Units == "" {
			u.Units = "0"
		}
		if u.Nanos < 0 || u.Nanos > 999_999_999 {
			return inputerr.New("offers", "skus[].nanos", i, ErrRange, "%d: want 0 to 999999999", u.Nanos)
		}
		if b.opts.Currency != "" && u.CurrencyCode != b.opts.Currency {
			b.leave("another currency", all)
			continue
		}
		if len(p.ServiceRegions) == 0 {
			b.leave("in no region", all)
		}
		for _, region := range p.ServiceRegions {
			if !b.opts.keep(region, "", kind, "", "shared") {
				b.leave("not asked for", 1)
				continue
			}
			money, err := b.price(fmt.Sprintf("%s.%09d", u.Units, u.Nanos), u.CurrencyCode)
			if err != nil {
				return inputerr.New("offers", "skus[].unitPrice", i, ErrSyntax, "%w", err)
			}
			key := offerKey{region, kind, "", "shared"}
			o := b.azure[key]
			if o == nil {
				o = &Offer{Provider: "gcp", Region: region, Kind: kind, Tenancy: "shared", Currency: u.CurrencyCode, Family: strings.Fields(kind)[0]}
				b.azure[key] = o
			}
			if term > 0 {
				o.List.Classes = append(o.List.Classes, pricing.Class{Name: fmt.Sprintf("%dy-commitment", term), Term: years(term), Hourly: money, Billed: pricing.Always})
			} else if money == 0 {
				b.leave(noPrice, 1)
			} else {
				o.List.OnDemand = money
			}
		}
	}
	_, err := dec.Token()
	return err
}

// GCPKind returns the resource that a SKU's description names, such as "E2 core" or
// "E2 ram". It also reports whether the description is that of cores or memory of
// machines. Examples of such descriptions are "E2 Instance Core running in Americas",
// "T2D AMD Instance Ram running in Singapore" and "Commitment v1: E2 Cpu in Americas for
// 1 Year".
func GCPKind(text string) (string, bool) {
	text = strings.TrimPrefix(text, "Commitment v1: ")
	for _, cut := range []string{" running in ", " in "} {
		if head, _, ok := strings.Cut(text, cut); ok {
			text = head
			break
		}
	}
	words := strings.Fields(text)
	if len(words) < 2 {
		return "", false
	}
	resource := ""
	switch strings.ToLower(words[len(words)-1]) {
	case "core", "cpu", "cores":
		resource = "core"
	case "ram", "memory":
		resource = "ram"
	default:
		return "", false
	}
	for _, w := range words {
		if w == "Custom" || w == "Sole" || w == "Tenancy" || w == "Extended" || w == "Premium" || w == "Reserved" {
			return "", false
		}
	}
	return words[0] + " " + resource, true
}
