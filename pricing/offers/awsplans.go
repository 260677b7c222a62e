package offers

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
)

// awsRate is one rate of a savings plan, in either form.
type awsRate struct {
	price, currency, usage, operation, option, length, unit, service, family, product, region, location, kind string
}

// addRate takes a rate of a savings plan: of instances of EC2, or of Fargate and Lambda.
func (b *builder) addRate(p *awsRate) error {
	prefix, kind, ok := strings.Cut(p.usage, ":")
	if p.kind != "" {
		kind, ok = p.kind, true
	}
	if i := strings.LastIndexByte(prefix, '-'); i >= 0 {
		prefix = prefix[i+1:]
	}
	tenancy := ""
	switch prefix {
	case "BoxUsage":
		tenancy = "shared"
	case "DedicatedUsage":
		tenancy = "dedicated"
	}
	system := (&awsPrice{operation: p.operation}).system()
	region := p.region
	if region == "" {
		region = p.location
	}
	n := leaseYears(p.length + " " + p.unit)
	serverless, time := cloudkind.Serverless(p.usage)
	if serverless != "" {
		kind, tenancy, system = serverless, "", ""
	}
	switch {
	case serverless != "":
	case p.service != "AmazonEC2":
		b.leave("not an instance of EC2", 1)
		return nil
	case strings.HasPrefix(prefix, "Unused"):
		b.leave("unused capacity reservation", 1)
		return nil
	case tenancy == "" || !ok:
		b.leave("not an instance of EC2", 1)
		return nil
	}
	switch {
	case n == 0:
		b.leave(otherLease, 1)
		return nil
	case p.currency != "" && b.opts.Currency != "" && p.currency != b.opts.Currency:
		b.leave("another currency", 1)
		return nil
	case !b.opts.keep(p.region, p.location, kind, system, tenancy):
		b.leave("not asked for", 1)
		return nil
	}
	money, err := b.price(p.price, p.currency)
	if err != nil {
		return err
	}
	if serverless != "" { // a rate of seconds is of an hour
		if money, err = money.Mul(time.Den); err != nil {
			return err
		}
	}
	plan, family := "compute", ""
	if p.product == "EC2InstanceSavingsPlans" {
		plan, family = "ec2", p.family
		if family == "" {
			family, _ = splitSize(kind)
		}
	}
	b.out.Rates = append(b.out.Rates, Rate{Provider: "aws", Region: region, Kind: kind, System: system, Tenancy: tenancy, Currency: p.currency,
		Plan:   fmt.Sprintf("%dy-%s-%s", n, plan, strings.ToLower(strings.ReplaceAll(p.option, " ", "-"))),
		Family: family, Term: years(n), Hourly: money})
	return nil
}

// readAWSPlans reads the array "savingsPlan".
func (b *builder) readAWSPlans(dec *json.Decoder, products map[string]*awsPrice) error {
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		var t struct {
			SKU                 string
			Description         string
			LeaseContractLength struct {
				Duration json.Number
				Unit     string
			}
			Rates []struct {
				DiscountedUsageType, DiscountedOperation, DiscountedServiceCode, DiscountedRegionCode, DiscountedInstanceType string
				DiscountedRate                                                                                                struct{ Price, Currency string }
			}
		}
		if err := dec.Decode(&t); err != nil {
			return err
		}
		plan := products[t.SKU]
		if plan == nil {
			plan = &awsPrice{}
		}
		for _, rate := range t.Rates {
			b.out.Prices++
			p := awsRate{price: rate.DiscountedRate.Price, currency: rate.DiscountedRate.Currency, usage: rate.DiscountedUsageType, operation: rate.DiscountedOperation,
				option: plan.option, length: t.LeaseContractLength.Duration.String(), unit: strings.TrimSuffix(strings.ToLower(t.LeaseContractLength.Unit), "s"),
				service: rate.DiscountedServiceCode, family: plan.kind, product: plan.family, region: rate.DiscountedRegionCode, kind: rate.DiscountedInstanceType}
			if p.option == "" { // the description says: 3 year No Upfront Compute Savings Plan
				for _, o := range []string{"No Upfront", "Partial Upfront", "All Upfront"} {
					if strings.Contains(t.Description, o) {
						p.option = o
					}
				}
			}
			if err := b.addRate(&p); err != nil {
				return fmt.Errorf("plan %s: %w", t.SKU, err)
			}
		}
	}
	_, err := dec.Token()
	return err
}
