package offers

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

const rateColumns = "SKU,RateCode,Unit,DiscountedRate,Currency,DiscountedServiceCode,DiscountedUsageType,DiscountedOperation,PurchaseOption,LeaseContractLength,LeaseContractLengthUnit,Instance Family,Location,Product Family,DiscountedRegionCode,DiscountedInstanceType\n"

// A rate of a savings plan in each form, and each reason to leave one out.
func TestPlanRates(t *testing.T) {
	row := func(change ...string) string {
		s := "S,1,Hrs,0.5,USD,AmazonEC2,BoxUsage:m5.large,RunInstances,No Upfront,1,year,m5,Ohio,EC2InstanceSavingsPlans,us-east-2,m5.large\n"
		for i := 0; i+1 < len(change); i += 2 {
			if !strings.Contains(s, change[i]) {
				t.Fatalf("no %s", change[i])
			}
			s = strings.Replace(s, change[i], change[i+1], 1)
		}
		return s
	}
	for name, c := range map[string]struct {
		text string
		opts Options
		want []string
	}{
		"as it is":       {row(), Options{}, []string{"rate us-east-2 m5.large linux 1y-ec2-no-upfront USD 0.5", "aws savings plan rates (csv): 1 of 1, 0 rounded"}},
		"no type":        {row(",m5.large\n", ",\n"), Options{}, []string{"rate us-east-2 m5.large linux 1y-ec2-no-upfront USD 0.5", "aws savings plan rates (csv): 1 of 1, 0 rounded"}},
		"no region":      {row(",us-east-2,", ",,"), Options{}, []string{"rate Ohio m5.large linux 1y-ec2-no-upfront USD 0.5", "aws savings plan rates (csv): 1 of 1, 0 rounded"}},
		"region by name": {row() + row("Ohio", "Iowa"), Options{Regions: []string{"ohio"}}, []string{"rate us-east-2 m5.large linux 1y-ec2-no-upfront USD 0.5", "1 left: not asked for", "aws savings plan rates (csv): 1 of 2, 0 rounded"}},
		"currencies":     {row() + row("USD", "CNY") + row("USD", "", "RunInstances", "RunInstances:0002"), Options{}, []string{"rate us-east-2 m5.large linux 1y-ec2-no-upfront USD 0.5", "rate us-east-2 m5.large windows 1y-ec2-no-upfront  0.5", "1 left: another currency", "aws savings plan rates (csv): 2 of 3, 0 rounded"}},
		"lease":          {row(",1,year,", ",2,year,") + row(",1,year,", ",3yr,,"), Options{}, []string{"rate us-east-2 m5.large linux 3y-ec2-no-upfront USD 0.5", "1 left: a lease of neither 1 nor 3 years", "aws savings plan rates (csv): 1 of 2, 0 rounded"}},
		"other services": {row("AmazonEC2", "AWSLambda") + row("BoxUsage:", "UnusedBox:") + row("BoxUsage:m5.large", "HostUsage:m5"), Options{}, []string{"2 left: not an instance of EC2", "1 left: unused capacity reservation", "aws savings plan rates (csv): 0 of 3, 0 rounded"}},
		"Fargate and Lambda": {row("AmazonEC2", "AmazonECS", "BoxUsage:m5.large", "USE2-Fargate-vCPU-Hours:perCPU", "RunInstances", "FargateTask", ",m5.large\n", ",\n", "EC2Instance", "Compute") +
			row("AmazonEC2", "AWSLambda", "BoxUsage:m5.large", "USE2-Lambda-GB-Second", "0.5", "0.00001", ",m5.large\n", ",\n", "EC2Instance", "Compute"), Options{},
			[]string{"rate us-east-2 Fargate-vCPU  1y-compute-no-upfront USD 0.5", "rate us-east-2 Lambda-GB  1y-compute-no-upfront USD 0.036", "aws savings plan rates (csv): 2 of 2, 0 rounded"}},
		"metadata, then it": {"", Options{}, []string{"aws savings plan rates (csv): 0 of 0, 0 rounded"}},
	} {
		got, err := Read(strings.NewReader("FormatVersion,v1.0\n"+rateColumns+c.text), c.opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(c.want, summary(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// The family of a plan for one family comes from the type where the column is empty.
	for text, family := range map[string]string{row(): "m5", row(",m5,", ",,"): "m5", row(",m5,", ",,", "m5.large", "r7g.large", ",m5.large\n", ",r7g.large\n"): "r7g", row("EC2InstanceSavingsPlans", "ComputeSavingsPlans"): ""} {
		got, err := Read(strings.NewReader(rateColumns+text), Options{})
		if err != nil || len(got.Rates) != 1 || got.Rates[0].Family != family {
			t.Errorf("%q: %+v, %v, want the family %q", text, got, err, family)
		}
	}
	if _, err := Read(strings.NewReader(rateColumns+row("0.5", "half")), Options{}); !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "line 2 (price)") {
		t.Error(err)
	}
}

// plans is a file of savings plans with one rate.
func plans(description, products, price string) string {
	return fmt.Sprintf(`{"products":%s,"terms":{"savingsPlan":[{"sku":"P","description":%q,"leaseContractLength":{"duration":1,"unit":"years"},"rates":[
		{"discountedUsageType":"BoxUsage:m5.large","discountedOperation":"RunInstances","discountedServiceCode":"AmazonEC2","discountedRate":{"price":%q,"currency":"USD"},"discountedRegionCode":"r"}]}]}}`, products, description, price)
}

func TestPlansAsJSON(t *testing.T) {
	for _, option := range []string{"No Upfront", "Partial Upfront", "All Upfront"} {
		plan := strings.ToLower(strings.ReplaceAll(option, " ", "-"))
		for _, products := range []string{"[]", `[{"sku":"P","productFamily":"ComputeSavingsPlans"}]`, `[{"sku":"P","attributes":{"purchaseOption":"` + option + `"}}]`} {
			got, err := Read(strings.NewReader(plans("1 year "+option+" Compute Savings Plan", products, "0.5")), Options{})
			if err != nil {
				t.Errorf("%s %s: %v", option, products, err)
				continue
			}
			if d := cmp.Diff([]string{"rate r m5.large linux 1y-compute-" + plan + " USD 0.5", "aws savings plan rates (json): 1 of 1, 0 rounded"}, summary(got)); d != "" {
				t.Errorf("%s %s: %s", option, products, d)
			}
		}
	}
	for text, says := range map[string]string{
		plans("No Upfront", "[]", "half"):                     "plan P: ",
		plans("No Upfront", "[]", "-1"):                       "plan P: ",
		plans("No Upfront", "7", "1"):                         "products is 7: want an object or an array",
		plans("No Upfront", `[{"sku":5}]`, "1"):               "page",
		plans("No Upfront", `{"P":5}`, "1"):                   "page",
		`{"products":[{"sku":"P"}`:                            "want whole JSON",
		`{"products":[],"terms":{"savingsPlan":[{"sku":1}]}}`: "page",
		`{"products":{},"terms":{"OnDemand":{"A":5}}}`:        "page",
		`{"products":`:                                 "want whole JSON",
		`{"products":{},"terms":`:                      "want whole JSON",
		`{"products":{},"terms":{"OnDemand":{"A":{}}`:  "want whole JSON",
		`{"products":{},"terms":{"OnDemand":`:          "want whole JSON",
		`{"products":{},"terms":{"savingsPlan":`:       "want whole JSON",
		`{"skus":`:                                     "want whole JSON",
		`{"skus":[{"skuId":5}]}`:                       "page",
		`{"Items":`:                                    "want whole JSON",
		`{"products":{},"terms":{}}5`:                  "page[1]",
		`{"products":{},"terms":{}}{"a":`:              "page[1]",
		`{"products":{},"terms":{"OnDemand":{}},"x":}`: "want JSON",
		`{"products":{"A":{"sku":"A","productFamily":"Compute Instance","attributes":{"instanceType":"m5.large"}}},"terms":{"OnDemand":{"A":{"A.1":{"sku":"A","priceDimensions":{"d":{"unit":"Hrs","pricePerUnit":{"USD":"x"}}}}}}}}`: "SKU A: ",
	} {
		_, err := Read(strings.NewReader(text), Options{})
		var in *pricing.InputError
		if !errors.As(err, &in) || !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
	// What other members hold is passed over, whatever it is.
	text := `{"version":"1","list":[1,{"products":5}],"inner":{"terms":[]},` + plans("No Upfront", "[]", "0.5")[1:]
	if got, err := Read(strings.NewReader(text), Options{}); err != nil || len(got.Rates) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Of prices in several currencies the one that is kept counts, else the first by name.
func TestCurrencies(t *testing.T) {
	text := offerFile(map[string]string{"A": ""}, [][7]string{{"OnDemand", "A", "JR", "||", "Hrs", "USD", "2"}})
	text = strings.Replace(text, `{"USD":"2"}`, `{"USD":"2","CNY":"14","EUR":"1.9"}`, 1)
	for currency, want := range map[string]string{"": "CNY m5/400 14", "USD": "USD m5/400 2", "EUR": "EUR m5/400 1.9", "JPY": ""} {
		for range 5 { // the order of a map
			got, err := Read(strings.NewReader(text), Options{Currency: currency})
			if err != nil {
				t.Fatal(err)
			}
			if s := summary(got)[0]; want != "" && !strings.HasSuffix(s, want) || want == "" && s != "1 left: another currency" {
				t.Errorf("%q: %s, want %s", currency, s, want)
			}
		}
	}
}

// A reservation whose price is in no known unit is not sold for nothing, and the amounts of a
// size stay those of its type.
func TestSizes(t *testing.T) {
	for kind, want := range map[string]int{"m5.0xlarge": 0, "m5.1xlarge": 800, "m5.999xlarge": 799200, "m5.1000xlarge": 0, "m5.2xlargex": 0, "a.": 0, ".nano": 0, ".": 0} {
		if _, got := splitSize(kind); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
	if family, _ := splitSize(".nano"); family != "" {
		t.Errorf("a size without a family is of %q", family)
	}
}

// More than nine decimals are rounded half up, at the tenth.
func TestRounding(t *testing.T) {
	for price, want := range map[string]string{"1.1234567894": "1.123456789 0", "1.12345678949": "1.123456789 1", "1.12345678950": "1.12345679 1", "1.9999999999": "2 1", "0.123456789": "0.123456789 0", "12.1234567890": "12.123456789 0"} {
		if price == "1.1234567894" {
			want = "1.123456789 1"
		}
		got, err := Read(strings.NewReader(offerFile(map[string]string{"A": ""}, [][7]string{{"OnDemand", "A", "JR", "||", "Hrs", "USD", price}})), Options{})
		if err != nil || len(got.Offers) != 1 {
			t.Errorf("%s: %v", price, err)
			continue
		}
		if s := fmt.Sprint(got.Offers[0].List.OnDemand, " ", got.Rounded); s != want {
			t.Errorf("%s: %s, want %s", price, s, want)
		}
	}
}

// A table of gzip data that end early is an error that says so.
func TestCutTable(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, awsCSV)
	for i := range 20000 {
		fmt.Fprintf(z, "\"S%d\",\"JR\",\"OnDemand\",\"GB-Mo\",\"0.1\",\"USD\",\"\",\"\",\"\",\"Storage\",\"us-east-1\",\"US East\",\"\",\"\",\"\",\"\",\"\",\"\"\n", i)
	}
	z.Close()
	for _, n := range []int{b.Len() / 2, b.Len() - 9} {
		_, err := Read(bytes.NewReader(b.Bytes()[:n]), Options{})
		if !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "the compressed data ends in the middle") {
			t.Errorf("%d bytes of %d: %v", n, b.Len(), err)
		}
	}
	failed := errors.New("failed")
	if _, err := Read(io.MultiReader(strings.NewReader(awsCSV), readerOf{failed}), Options{}); err != failed {
		t.Errorf("%v, want the error of the source", err)
	}
}

type readerOf struct{ err error }

func (r readerOf) Read([]byte) (int, error) { return 0, r.err }
