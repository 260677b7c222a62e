package offers

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
)

// summary writes what was read, one line an offer or a rate, and what was left out.
func summary(p *Prices) []string {
	var s []string
	for _, o := range p.Offers {
		line := fmt.Sprintf("%s %s %s %s %s %s %s/%d %v", o.Provider, o.Region, o.Kind, o.System, o.Tenancy, o.Currency, o.Family, o.Factor, o.List.OnDemand)
		for _, c := range o.List.Classes {
			line += fmt.Sprintf(", %s %v+%v", c.Name, c.Upfront, c.Hourly)
		}
		s = append(s, line)
	}
	for _, r := range p.Rates {
		s = append(s, fmt.Sprintf("rate %s %s %s %s %s %v", r.Region, r.Kind, r.System, r.Plan, r.Currency, r.Hourly))
	}
	for _, l := range p.Left {
		s = append(s, fmt.Sprintf("%d left: %s", l.Prices, l.Reason))
	}
	return append(s, fmt.Sprintf("%s: %d of %d, %d rounded", p.Form, p.Used, p.Prices, p.Rounded))
}

// Each reason for which an item of Azure's retail prices is left out, and each form of what
// is kept.
func TestAzureItems(t *testing.T) {
	item := func(change ...string) string {
		s := `{"currencyCode":"USD","armRegionName":"we","location":"EU West","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","armSkuName":"D2","retailPrice":0.1,"productName":"D Series","skuName":"D2","type":"Consumption"}`
		for i := 0; i+1 < len(change); i += 2 {
			if !strings.Contains(s, change[i]) {
				t.Fatalf("no %s", change[i])
			}
			s = strings.Replace(s, change[i], change[i+1], 1)
		}
		return s
	}
	for _, c := range []struct {
		items []string
		opts  Options
		want  []string
	}{
		{[]string{item(), item()}, Options{}, []string{"azure we D2 linux shared USD /0 0.1", "azure retail prices: 2 of 2, 0 rounded"}},
		{[]string{item(`"retailPrice":0.1`, `"unitPrice":2e-1`)}, Options{}, []string{"azure we D2 linux shared USD /0 0.2", "azure retail prices: 1 of 1, 0 rounded"}},
		{[]string{item(`"retailPrice":0.1`, `"retailPrice":0.00000000049999`), item(`D Series`, `D Series Windows`)}, Options{}, []string{"azure we D2 windows shared USD /0 0.1", "1 left: no price on demand in the file", "azure retail prices: 1 of 2, 1 rounded"}},
		{[]string{item(`0.1`, `0.12345678949`)}, Options{}, []string{"azure we D2 linux shared USD /0 0.123456789", "azure retail prices: 1 of 1, 1 rounded"}},
		{[]string{item(`0.1`, `0.1234567895`)}, Options{}, []string{"azure we D2 linux shared USD /0 0.12345679", "azure retail prices: 1 of 1, 1 rounded"}},
		{[]string{item(), item(`Virtual Machines`, `Storage`)}, Options{}, []string{"azure we D2 linux shared USD /0 0.1", "1 left: not a virtual machine", "azure retail prices: 1 of 2, 0 rounded"}},
		{[]string{item(`D Series`, `Cloud Services`), item(`"D2","type"`, `"D2 Spot","type"`), item(`"D2","type"`, `"D2 Low Priority","type"`), item(`D Series`, `Dedicated Host`), item(`"armSkuName":"D2"`, `"armSkuName":""`), item(`Consumption`, `DevTest`)}, Options{},
			[]string{"2 left: not a kind of virtual machine", "2 left: spot or low priority", "1 left: cloud services, not virtual machines", "1 left: for development and tests", "azure retail prices: 0 of 6, 0 rounded"}},
		{[]string{item(), item(`USD`, `EUR`, `"we"`, `"ne"`), item(`1 Hour`, `1 Month`), item(`"we"`, `"us"`, `EU West`, `US`)}, Options{Currency: "USD", Regions: []string{"we"}},
			[]string{"azure we D2 linux shared USD /0 0.1", "1 left: another currency", "1 left: not asked for", "1 left: not by the hour", "azure retail prices: 1 of 4, 0 rounded"}},
		{[]string{item(`}`, `,"savingsPlan":[{"retailPrice":0.05,"term":"1 Year"},{"unitPrice":4e-2,"term":"3 Years"}]}`), item(`Consumption"`, `Reservation","reservationTerm":"3 Years"`)}, Options{},
			[]string{"azure we D2 linux shared USD /0 0.1, 3y-reservation 0.1+0", "rate we D2 linux 1y-savings-plan USD 0.05", "rate we D2 linux 3y-savings-plan USD 0.04", "azure retail prices: 4 of 4, 0 rounded"}},
		{[]string{item(`Virtual Machines`, `Storage`, `}`, `,"savingsPlan":[{"retailPrice":0.05,"term":"1 Year"},{"retailPrice":4e-2,"term":"3 Years"}]}`)}, Options{}, []string{"3 left: not a virtual machine", "azure retail prices: 0 of 3, 0 rounded"}},
	} {
		got, err := Read(strings.NewReader(`{"Items":[`+strings.Join(c.items, ",")+`]}`), c.opts)
		if err != nil {
			t.Errorf("%v: %v", c.want, err)
			continue
		}
		if d := cmp.Diff(c.want, summary(got)); d != "" {
			t.Error(d)
		}
	}
	for text, says := range map[string]string{
		item(`0.1`, `-0.1`):                                                 "Items[0].retailPrice",
		item() + "," + item(`0.1`, `0.2`):                                   "costs 0.1 and 0.2 on demand: want one price",
		item(`"Consumption"`, `"Reservation"`):                              "Items[0].reservationTerm",
		item(`"Consumption"`, `"Reservation","reservationTerm":"0 Years"`):  "Items[0].reservationTerm",
		item(`"Consumption"`, `"Reservation","reservationTerm":"11 Years"`): "Items[0].reservationTerm",
		item(`"Consumption"`, `"Reservation","reservationTerm":"1 Month"`):  "Items[0].reservationTerm",
		item(`}`, `,"savingsPlan":[{"retailPrice":1,"term":"x"}]}`):         "Items[0].savingsPlan.term",
		item(`}`, `,"savingsPlan":[{"retailPrice":-1,"term":"1 Year"}]}`):   "Items[0].savingsPlan.retailPrice",
		item(`0.1`, `"x"`):   "page",
		item() + `,{"type":`: "page",
	} {
		_, err := Read(strings.NewReader(`{"Items":[`+text+`]}`), Options{})
		var in *pricing.InputError
		if !errors.As(err, &in) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
	// Pages one after the other are one answer.
	got, err := Read(strings.NewReader(`{"Items":[`+item()+`]}{"BillingCurrency":"USD","Items":[`+item(`"we"`, `"ne"`)+`],"NextPageLink":null}`), Options{})
	if err != nil || len(got.Offers) != 2 || got.Offers[0].Region != "ne" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The same for Google's SKUs.
func TestGCPSKUs(t *testing.T) {
	sku := func(change ...string) string {
		s := `{"skuId":"x","description":"E2 Instance Core running in Americas","category":{"serviceDisplayName":"Compute Engine","resourceFamily":"Compute","usageType":"OnDemand"},"serviceRegions":["e","w"],"pricingInfo":[{"pricingExpression":{"usageUnit":"month","tieredRates":[]}},{"pricingExpression":{"usageUnit":"h","tieredRates":[{"unitPrice":{"currencyCode":"USD","units":"1","nanos":5}}]}}]}`
		for i := 0; i+1 < len(change); i += 2 {
			if !strings.Contains(s, change[i]) {
				t.Fatalf("no %s", change[i])
			}
			s = strings.Replace(s, change[i], change[i+1], 1)
		}
		return s
	}
	for _, c := range []struct {
		skus []string
		opts Options
		want []string
	}{
		{[]string{sku(), sku(`OnDemand`, `Commit1Yr`), sku(`OnDemand`, `Commit3Yr`, `"units":"1",`, ``)}, Options{}, []string{
			"gcp e E2 core  shared USD E2/0 1.000000005, 1y-commitment 0+1.000000005, 3y-commitment 0+0.000000005",
			"gcp w E2 core  shared USD E2/0 1.000000005, 1y-commitment 0+1.000000005, 3y-commitment 0+0.000000005", "gcp skus: 6 of 6, 0 rounded"}},
		{[]string{sku(), sku(`OnDemand`, `Preemptible`), sku(`Compute Engine`, `Other`), sku(`"Compute"`, `"Storage"`), sku(`Core`, `Thing`)}, Options{Regions: []string{"w"}}, []string{
			"gcp w E2 core  shared USD E2/0 1.000000005", "6 left: not cores or memory of machines", "2 left: preemptible or spot", "1 left: not asked for", "gcp skus: 1 of 10, 0 rounded"}},
		{[]string{sku(`"h"`, `"d"`), sku(`"h"`, `"GiBy.h"`), sku(`"e","w"`, ``), sku(`[{"unitPrice":`, `[{"unitPrice":{}},{"unitPrice":`), sku(`,{"pricingExpression":{"usageUnit":"h","tieredRates":[{"unitPrice":{"currencyCode":"USD","units":"1","nanos":5}}]}}`, ``)}, Options{}, []string{
			"gcp e E2 core  shared USD E2/0 1.000000005", "gcp w E2 core  shared USD E2/0 1.000000005",
			"2 left: a price that depends on the quantity", "2 left: no price", "2 left: not by the hour", "1 left: in no region", "gcp skus: 2 of 9, 0 rounded"}},
		{[]string{sku(`USD`, `EUR`), sku()}, Options{Currency: "EUR"}, []string{
			"gcp e E2 core  shared EUR E2/0 1.000000005", "gcp w E2 core  shared EUR E2/0 1.000000005", "2 left: another currency", "gcp skus: 2 of 4, 0 rounded"}},
	} {
		got, err := Read(strings.NewReader(`{"skus":[`+strings.Join(c.skus, ",")+`]}`), c.opts)
		if err != nil {
			t.Errorf("%v: %v", c.want, err)
			continue
		}
		if d := cmp.Diff(c.want, summary(got)); d != "" {
			t.Error(d)
		}
	}
	for text, says := range map[string]string{
		sku(`"nanos":5`, `"nanos":-1`):         "skus[0].nanos",
		sku(`"nanos":5`, `"nanos":1000000000`): "skus[0].nanos",
		sku(`"units":"1"`, `"units":"x"`):      "skus[0].unitPrice",
		`{"skuId":5}`:                          "page",
	} {
		_, err := Read(strings.NewReader(`{"skus":[`+text+`]}`), Options{})
		var in *pricing.InputError
		if !errors.As(err, &in) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
	if got, err := Read(strings.NewReader(`{"skus":[`+sku(`"nanos":5`, `"nanos":999999999`)+`]}`), Options{}); err != nil || got.Offers[0].List.OnDemand != 2*pricing.Unit-1 {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"E2 Instance Core running in Americas": "E2 core", "T2D AMD Instance Ram running in Singapore": "T2D ram", "Commitment v1: E2 Cpu in Americas for 1 Year": "E2 core",
		"N1 Memory": "N1 ram", "N1 Cores in Paris": "N1 core", "Core": "", "Custom Instance Core": "", "Sole Core in X": "", "N1 Tenancy Core": "", "Extended Instance Ram": "", "N1 Premium Core": "", "Reserved N1 Ram": "", "Licensing Fee": "",
	} {
		if got, ok := cloudkind.GCPKind(text); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", text, got, ok)
		}
	}
}

func TestFactor(t *testing.T) {
	for text, want := range map[string]int{"4": 400, "0.25": 25, "0.01": 1, "0.005": 0, "16.190854871": 0, "NA": 0, "": 0, "0": 0, "-4": 0, "1e6": 0, "999999": 99999900, "NaN": 0} {
		if got := factor(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// What AWS's table has beside plain offers: the system with software, names that repeat,
// currencies.
func TestAWSRows(t *testing.T) {
	lines := strings.Split(awsCSV, "\n")
	table := func(change func(row string) string) (*Prices, error) {
		rows := append([]string(nil), lines[:6]...)
		for _, l := range lines[6:8] {
			rows = append(rows, change(l))
		}
		return Read(strings.NewReader(strings.Join(append(rows, change(lines[8])), "\n")+"\n"), Options{})
	}
	same := func(row string) string { return row }
	want := []string{"aws us-east-1 m5.large linux shared USD m5/400 0.096, 1y-standard-all-upfront 501+0", "aws offer (csv): 3 of 3, 0 rounded"}
	got, err := table(same)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, summary(got)); d != "" {
		t.Error(d)
	}
	for from, to := range map[string]string{"m5.large": "m5.xlarge", "us-east-1": "eu-west-1", "Shared": "Dedicated", "USD": "CNY"} {
		got, err := table(func(row string) string { return strings.ReplaceAll(row, from, to) })
		if err != nil || len(got.Offers) != 1 || !strings.Contains(strings.ToLower(summary(got)[0]), strings.ToLower(to)) {
			t.Errorf("%s: %v, %v", to, got, err)
		}
	}
}
