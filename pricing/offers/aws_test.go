package offers

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

// offerFile writes an offer file as JSON: products with their attributes, and their terms as
// kind, SKU, code, "lease|class|option", unit, currency and price.
func offerFile(products map[string]string, terms [][7]string) string {
	var p, t []string
	for sku, attributes := range products {
		family := "Compute Instance"
		if f, rest, ok := strings.Cut(attributes, "|"); ok {
			family, attributes = f, rest
		}
		p = append(p, fmt.Sprintf(`%q:{"sku":%q,"productFamily":%q,"attributes":{"instanceType":"m5.large","regionCode":"r","location":"Region","tenancy":"Shared","operatingSystem":"Linux","capacitystatus":"Used","operation":"RunInstances"%s}}`, sku, sku, family, attributes))
	}
	for _, kind := range []string{"OnDemand", "Reserved", "Else"} {
		var one []string
		for i, x := range terms {
			if x[0] != kind {
				continue
			}
			a := strings.Split(x[3], "|")
			one = append(one, fmt.Sprintf(`"%s%d":{"t":{"sku":%q,"offerTermCode":%q,"termAttributes":{"LeaseContractLength":%q,"OfferingClass":%q,"PurchaseOption":%q},"priceDimensions":{"d":{"unit":%q,"pricePerUnit":{%q:%q}}}}}`, x[1], i, x[1], x[2], a[0], a[1], a[2], x[4], x[5], x[6]))
		}
		if len(one) > 0 {
			t = append(t, fmt.Sprintf("%q:{%s}", kind, strings.Join(one, ",")))
		}
	}
	return fmt.Sprintf(`{"offerCode":"x","products":{%s},"terms":{%s}}`, strings.Join(p, ","), strings.Join(t, ","))
}

// Each form of an AWS price, and each reason to leave one out.
func TestAWSOffers(t *testing.T) {
	demand := func(sku, price string) [7]string { return [7]string{"OnDemand", sku, "JR", "||", "Hrs", "USD", price} }
	reserved := func(sku, code, what, unit, price string) [7]string {
		return [7]string{"Reserved", sku, code, what, unit, "USD", price}
	}
	for _, c := range []struct {
		name     string
		products map[string]string
		terms    [][7]string
		opts     Options
		want     []string
	}{
		{"software", map[string]string{"A": `,"operation":"","preInstalledSw":"SQL Std"`, "B": `,"operation":"","preInstalledSw":"NA"`}, [][7]string{demand("A", "2"), demand("B", "1")}, Options{}, []string{
			"aws r m5.large linux shared USD m5/400 1", "aws r m5.large linux sql std shared USD m5/400 2", "aws offer (json): 2 of 2, 0 rounded"}},
		{"operations", map[string]string{"A": `,"operation":"RunInstances:0006"`, "B": `,"operation":"RunInstances:9999"`}, [][7]string{demand("A", "2"), demand("B", "1")}, Options{}, []string{
			"aws r m5.large operation 9999 shared USD m5/400 1", "aws r m5.large windows sql std shared USD m5/400 2", "aws offer (json): 2 of 2, 0 rounded"}},
		{"database", map[string]string{"A": `Database Instance|,"operation":"CreateDBInstance:0002","instanceType":"db.r5.large","databaseEngine":"MySQL","deploymentOption":"Multi-AZ"`}, [][7]string{demand("A", "2")}, Options{}, []string{
			"aws r db.r5.large mysql multi-az shared USD db.r5/400 2", "aws offer (json): 1 of 1, 0 rounded"}},
		{"no region code, tenancy or units", map[string]string{"A": `,"regionCode":"","tenancy":"NA","normalizationSizeFactor":"NA","capacitystatus":"NA"`}, [][7]string{demand("A", "2")}, Options{}, []string{
			"aws Region m5.large linux shared USD m5/400 2", "aws offer (json): 1 of 1, 0 rounded"}},
		{"dedicated, with units", map[string]string{"A": `,"tenancy":"Dedicated","normalizationSizeFactor":"6.5"`}, [][7]string{demand("A", "2")}, Options{}, []string{
			"aws r m5.large linux dedicated USD m5/650 2", "aws offer (json): 1 of 1, 0 rounded"}},
		{"reservations", map[string]string{"A": ""}, [][7]string{demand("A", "2"),
			reserved("A", "1", "1yr|standard|No Upfront", "Hrs", "1"), reserved("A", "2", "3yr|convertible|Partial Upfront", "Hrs", ".5"), reserved("A", "2", "3yr|convertible|Partial Upfront", "Quantity", "7"),
			reserved("A", "3", "1 yr||All Upfront", "Quantity", "9")}, Options{}, []string{
			"aws r m5.large linux shared USD m5/400 2, 1y-standard-all-upfront 9+0, 1y-standard-no-upfront 0+1, 3y-convertible-partial-upfront 7+0.5", "aws offer (json): 5 of 5, 0 rounded"}},
		{"without codes", map[string]string{"A": ""}, [][7]string{demand("A", "2"),
			reserved("A", "", "1yr|standard|Partial Upfront", "Hrs", "1"), reserved("A", "", "1yr|standard|Partial Upfront", "Quantity", "5"), reserved("A", "", "3yr|standard|No Upfront", "Hours", ".5")}, Options{}, []string{
			"aws r m5.large linux shared USD m5/400 2, 1y-standard-partial-upfront 5+1, 3y-standard-no-upfront 0+0.5", "aws offer (json): 4 of 4, 0 rounded"}},
		{"twice the same name", map[string]string{"A": ""}, [][7]string{demand("A", "2"), demand("A", "2"), reserved("A", "1", "1yr|standard|No Upfront", "Hrs", "1"), reserved("A", "2", "1yr|standard|No Upfront", "Hrs", "3")}, Options{}, []string{
			"aws r m5.large linux shared USD m5/400 2, 1y-standard-no-upfront 0+1", "1 left: a second reservation of the same name", "aws offer (json): 3 of 4, 0 rounded"}},
		{"twice the same kind", map[string]string{"A": "", "B": ""}, [][7]string{demand("A", "2"), demand("B", "3"), reserved("B", "1", "1yr|standard|No Upfront", "Hrs", "1")}, Options{}, []string{
			"aws r m5.large linux shared USD m5/400 2", "2 left: a second product of the same kind (licence or market)", "aws offer (json): 1 of 3, 0 rounded"}},
		{"left out", map[string]string{"A": "", "B": "Storage|", "C": `,"capacitystatus":"UnusedCapacityReservation"`, "D": `,"tenancy":"Host"`, "E": `,"instanceType":"m5.xlarge"`, "F": `,"instanceType":"m5.nano"`, "G": `,"instanceType":"m5.4xlarge"`}, [][7]string{
			demand("A", "2"), demand("B", "1"), demand("C", "1"), demand("D", "1"), demand("E", "0"), reserved("F", "1", "1yr|standard|No Upfront", "Hrs", "1"), demand("G", "4"), demand("Z", "1"),
			{"OnDemand", "A", "JR", "||", "Month", "USD", "9"}, {"Else", "A", "JR", "||", "Hrs", "USD", "9"}, {"OnDemand", "A", "JR", "||", "Hrs", "CNY", "9"},
			reserved("A", "1", "5yr|standard|No Upfront", "Hrs", "1"), reserved("A", "1", "1yr|standard|Light Utilization", "Hrs", "1")},
			Options{Currency: "USD", Kinds: []string{"m5.large", "m5.xlarge", "m5.nano"}}, []string{
				"aws r m5.large linux shared USD m5/400 2", "1 left: a lease of neither 1 nor 3 years", "1 left: a product that the file does not describe", "1 left: a purchase option that is no longer sold",
				"1 left: another currency", "1 left: free on demand", "1 left: neither on demand nor reserved", "1 left: no price on demand in the file", "1 left: not an instance", "1 left: not asked for", "1 left: not by the hour",
				"1 left: on a dedicated host, which is paid for as a whole", "1 left: unused or allocated capacity reservation", "aws offer (json): 1 of 13, 0 rounded"}},
	} {
		got, err := Read(strings.NewReader(offerFile(c.products, c.terms)), c.opts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, summary(got)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	for name, text := range map[string]string{
		"two prices":        offerFile(map[string]string{"A": ""}, [][7]string{demand("A", "2"), demand("A", "3")}),
		"no number":         offerFile(map[string]string{"A": ""}, [][7]string{demand("A", "x")}),
		"negative":          offerFile(map[string]string{"A": ""}, [][7]string{reserved("A", "1", "1yr|standard|No Upfront", "Hrs", "-1")}),
		"products a number": `{"products":5,"terms":{}}`,
		"terms cut off":     strings.TrimSuffix(offerFile(map[string]string{"A": ""}, [][7]string{demand("A", "2")}), "}}"),
		"an array":          `[{"products":{}}]`,
		"two objects":       offerFile(map[string]string{"A": ""}, [][7]string{demand("A", "2")}) + `[5]`,
	} {
		_, err := Read(strings.NewReader(text), Options{})
		var in *pricing.InputError
		if !errors.As(err, &in) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, family := range map[string]string{"m5.large": "m5", ".large": "", "large": "", "a.b.xlarge": "a.b", "": ""} {
		if got, _ := splitSize(kind); got != family {
			t.Errorf("%q: family %q, want %q", kind, got, family)
		}
	}
}
