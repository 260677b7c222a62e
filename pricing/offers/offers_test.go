package offers

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

func money(s string) pricing.Money {
	m, err := pricing.ParseMoney(s)
	if err != nil {
		panic(err)
	}
	return m
}

const awsCSV = `"FormatVersion","v1.0"
"Disclaimer","x, ""y"""
"Publication Date","2025-09-12T22:53:08Z"
"Version","1"
"OfferCode","AmazonEC2"
"SKU","OfferTermCode","TermType","Unit","PricePerUnit","Currency","LeaseContractLength","PurchaseOption","OfferingClass","Product Family","Region Code","Location","Instance Type","Tenancy","Operating System","CapacityStatus","operation","Normalization Size Factor"
"A","JR","OnDemand","Hrs","0.0960000000","USD","","","","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"A","1","Reserved","Hrs","0.0000000000","USD","1yr","All Upfront","standard","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"A","1","Reserved","Quantity","501","USD","1yr","All Upfront","standard","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"A","2","Reserved","Hrs","0.04123456785","USD","3yr","No Upfront","convertible","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"A","3","Reserved","Quantity","9","USD","3yr","Heavy Utilization","","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"B","JR","OnDemand","Hrs","0.1","USD","","","","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","UnusedCapacityReservation","RunInstances","4"
"C","JR","OnDemand","GB-Mo","0.1","USD","","","","Storage","us-east-1","US East","","","","","",""
"D","4","Reserved","Hrs","0.05","USD","3yr","No Upfront","standard","Compute Instance","us-east-1","US East","c5.metal","Shared","Linux","Used","RunInstances","NA"
"E","JR","OnDemand","Hrs","0","USD","","","","Compute Instance","us-east-1","US East","m5.large","Host","Linux","Used","RunInstances","4"
`

func TestAWS(t *testing.T) {
	got, err := Read(strings.NewReader(awsCSV), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Prices{
		Offers: []Offer{{Provider: "aws", Region: "us-east-1", Kind: "m5.large", System: "linux", Tenancy: "shared", Currency: "USD", Family: "m5", Factor: 400,
			List: pricing.List{OnDemand: money("0.096"), Classes: []pricing.Class{
				{Name: "1y-standard-all-upfront", Term: years(1), Upfront: money("501"), Billed: pricing.Always},
				{Name: "3y-convertible-no-upfront", Term: years(3), Hourly: money("0.041234568"), Billed: pricing.Always},
			}}}},
		Form: "aws offer (csv)", Prices: 9, Used: 4, Rounded: 1, Left: []struct {
			Reason string
			Prices int
		}{
			{"a purchase option that is no longer sold", 1}, {"no price on demand in the file", 1}, {"not an instance", 1},
			{"on a dedicated host, which is paid for as a whole", 1}, {"unused or allocated capacity reservation", 1}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("prices differ (-want +got):\n%s", d)
	}
	if got, err := Read(strings.NewReader(awsCSV), Options{Regions: []string{"eu-west-1"}}); err != nil || len(got.Offers) != 0 || got.Used != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The same prices as JSON.
func TestAWSJSON(t *testing.T) {
	text := `{"offerCode":"AmazonEC2","products":{
		"A":{"sku":"A","productFamily":"Compute Instance","attributes":{"instanceType":"m5.large","location":"US East","regionCode":"us-east-1","tenancy":"Shared","operatingSystem":"Linux","capacitystatus":"Used","operation":"RunInstances","normalizationSizeFactor":"4"}}},
		"terms":{"OnDemand":{"A":{"A.JR":{"sku":"A","offerTermCode":"JR","priceDimensions":{"A.JR.1":{"unit":"Hrs","pricePerUnit":{"USD":"0.0960000000"}}}}}},
		"Reserved":{"A":{"A.1":{"sku":"A","offerTermCode":"1","termAttributes":{"LeaseContractLength":"1yr","OfferingClass":"standard","PurchaseOption":"All Upfront"},
			"priceDimensions":{"A.1.1":{"unit":"Quantity","pricePerUnit":{"USD":"501"}},"A.1.2":{"unit":"Hrs","pricePerUnit":{"USD":"0"}}}}}}}}`
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, text)
	z.Close()
	got, err := Read(&zipped, Options{})
	if err != nil {
		t.Fatal(err)
	}
	csv, err := Read(strings.NewReader(awsCSV), Options{})
	if err != nil {
		t.Fatal(err)
	}
	csv.Offers[0].List.Classes = csv.Offers[0].List.Classes[:1]
	if d := cmp.Diff(csv.Offers, got.Offers); d != "" || got.Prices != 3 || got.Used != 3 {
		t.Errorf("%+v; offers differ (-csv +json):\n%s", got, d)
	}
}

func TestRates(t *testing.T) {
	want := []Rate{
		{Provider: "aws", Region: "ap-east-2", Kind: "r7g.large", System: "linux", Tenancy: "shared", Currency: "USD", Plan: "1y-compute-no-upfront", Term: years(1), Hourly: money("0.0971")},
		{Provider: "aws", Region: "ap-east-2", Kind: "r7g.medium", System: "rhel", Tenancy: "dedicated", Currency: "USD", Plan: "3y-ec2-partial-upfront", Family: "r7g", Term: years(3), Hourly: money("0.0425")},
	}
	table := `FormatVersion,v1.0
Disclaimer,x
Publication Date,2025
Version,1
OfferCode,AmazonComputeSavingsPlan
SKU,RateCode,Unit,EffectiveDate,DiscountedRate,Currency,DiscountedSKU,DiscountedServiceCode,DiscountedUsageType,DiscountedOperation,PurchaseOption,LeaseContractLength,LeaseContractLengthUnit,ServiceCode,Instance Family,Location,Product Family,DiscountedRegionCode,DiscountedInstanceType
2J,2J.1,Hrs,2025,0.0425,USD,1,AmazonEC2,APE2-DedicatedUsage:r7g.medium,RunInstances:0010,Partial Upfront,3,year,ComputeSavingsPlans,r7g,Taipei,EC2InstanceSavingsPlans,ap-east-2,r7g.medium
2J,2J.2,Hrs,2025,0.0971,USD,2,AmazonEC2,APE2-BoxUsage:r7g.large,RunInstances,No Upfront,1,year,ComputeSavingsPlans,,Taipei,ComputeSavingsPlans,ap-east-2,r7g.large
2J,2J.3,Hrs,2025,0.0971,USD,2,AmazonEC2,APE2-UnusedBox:r7g.large,RunInstances,No Upfront,1,year,ComputeSavingsPlans,,Taipei,ComputeSavingsPlans,ap-east-2,r7g.large
2J,2J.4,Hrs,2025,0.0971,USD,2,AWSLambda,APE2-Lambda,,No Upfront,1,year,ComputeSavingsPlans,,Taipei,ComputeSavingsPlans,ap-east-2,
`
	object := `{"version":"1","products":[{"sku":"P","productFamily":"EC2InstanceSavingsPlans","attributes":{"purchaseOption":"Partial Upfront","instanceType":"r7g"}},{"sku":"Q","productFamily":"ComputeSavingsPlans"}],
		"terms":{"savingsPlan":[
		{"sku":"P","description":"3 year Partial Upfront r7g EC2 Instance Savings Plan","leaseContractLength":{"duration":3,"unit":"year"},"rates":[
			{"discountedUsageType":"APE2-DedicatedUsage:r7g.medium","discountedOperation":"RunInstances:0010","discountedServiceCode":"AmazonEC2","unit":"Hrs","discountedRate":{"price":"0.0425","currency":"USD"},"discountedRegionCode":"ap-east-2","discountedInstanceType":"r7g.medium"}]},
		{"sku":"Q","description":"1 year No Upfront Compute Savings Plan","leaseContractLength":{"duration":1,"unit":"year"},"rates":[
			{"discountedUsageType":"APE2-BoxUsage:r7g.large","discountedOperation":"RunInstances","discountedServiceCode":"AmazonEC2","unit":"Hrs","discountedRate":{"price":"0.0971","currency":"USD"},"discountedRegionCode":"ap-east-2","discountedInstanceType":"r7g.large"}]}]}}`
	for text, prices := range map[string]int{table: 4, object: 2} {
		got, err := Read(strings.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Rates); d != "" || got.Prices != prices || got.Used != 2 {
			t.Errorf("%+v; rates differ (-want +got):\n%s", got, d)
		}
	}
}

func TestAzureAndGCP(t *testing.T) {
	item := func(more string) string {
		return `{"currencyCode":"USD","armRegionName":"westeurope","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","armSkuName":"Standard_D2",` + more + `}`
	}
	text := `{"Items":[` + strings.Join([]string{
		item(`"retailPrice":0.1,"productName":"Virtual Machines D Series","skuName":"D2","type":"Consumption","savingsPlan":[{"retailPrice":5e-2,"term":"3 Years"}]`),
		item(`"retailPrice":0.2,"productName":"Virtual Machines D Series Windows","skuName":"D2","type":"Consumption"`),
		item(`"retailPrice":0.02,"productName":"Virtual Machines D Series","skuName":"D2 Spot","type":"Consumption"`),
		item(`"retailPrice":500.0,"productName":"Virtual Machines D Series","skuName":"D2","type":"Reservation","reservationTerm":"1 Year"`),
		item(`"retailPrice":0.1,"productName":"Virtual Machines D Series","skuName":"D2","type":"DevTestConsumption"`),
	}, ",") + `],"Count":5}{"Items":[]}`
	got, err := Read(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Offers) != 2 || got.Offers[0].System != "linux" || got.Offers[1].System != "windows" || got.Offers[1].List.OnDemand != money("0.2") {
		t.Errorf("%+v", got.Offers)
	}
	if d := cmp.Diff([]pricing.Class{{Name: "1y-reservation", Term: years(1), Upfront: money("500"), Billed: pricing.Always}}, got.Offers[0].List.Classes); d != "" {
		t.Error(d)
	}
	if len(got.Rates) != 1 || got.Rates[0].Hourly != money("0.05") || got.Used != 4 || got.Prices != 6 {
		t.Errorf("%+v, %+v", got.Rates, got)
	}

	sku := func(text, usage, nanos string) string {
		return `{"skuId":"x","description":"` + text + `","category":{"serviceDisplayName":"Compute Engine","resourceFamily":"Compute","usageType":"` + usage +
			`"},"serviceRegions":["us-east1","us-west1"],"pricingInfo":[{"pricingExpression":{"usageUnit":"h","tieredRates":[{"unitPrice":{"currencyCode":"USD","units":"0","nanos":` + nanos + `}}]}}]}`
	}
	text = `{"skus":[` + strings.Join([]string{sku("E2 Instance Core running in Americas", "OnDemand", "21811590"), sku("Commitment v1: E2 Cpu in Americas for 1 Year", "Commit1Yr", "13741000"),
		sku("Spot Preemptible E2 Instance Core running in Americas", "Preemptible", "6543000"), sku("Nvidia Tesla A100 GPU running in Americas", "OnDemand", "1")}, ",") + `]}`
	if got, err = Read(strings.NewReader(text), Options{Regions: []string{"us-east1"}}); err != nil {
		t.Fatal(err)
	}
	if len(got.Offers) != 1 || got.Offers[0].Kind != "E2 core" || len(got.Offers[0].List.Classes) != 1 || got.Offers[0].List.Classes[0].Hourly != money("0.013741") || got.Prices != 8 || got.Used != 2 {
		t.Errorf("%+v", got)
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]struct {
		is   error
		says string
	}{
		"":                {ErrForm, "an empty file"},
		"hello\n":         {ErrForm, "SKU"},
		`{"versions":{}}`: {ErrForm, "index"},
		`{"products":{}`:  {ErrSyntax, "whole JSON"},
		`{"terms":{}}`:    {ErrForm, "products first"},
		`[1]`:             {ErrForm, "SKU"},
		strings.Replace(awsCSV, `"0.0960000000"`, `"a lot"`, 1):                   {ErrSyntax, "line 7 (price)"},
		strings.Replace(awsCSV, `"0.0960000000"`, `"-1"`, 1):                      {ErrSyntax, "line 7 (price)"},
		strings.Replace(awsCSV, `"PricePerUnit"`, `"Price"`, 1):                   {ErrMissing, "PricePerUnit"},
		strings.Replace(awsCSV, `,"RunInstances","4"`, ``, 1):                     {ErrSyntax, "18"},
		awsCSV + strings.Replace(strings.Split(awsCSV, "\n")[6], "960", "970", 1): {ErrSyntax, "want one price"},
	} {
		_, err := Read(strings.NewReader(text), Options{})
		var input *pricing.InputError
		if !errors.Is(err, want.is) || !errors.As(err, &input) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%q: %v, want %q and %q", inputerr.Cut(text), err, want.is, want.says)
		}
	}
}

func TestSize(t *testing.T) {
	for kind, want := range map[string]int{"m5.nano": 25, "m5.micro": 50, "t3.small": 100, "m5.medium": 200, "m5.large": 400, "m5.xlarge": 800, "m5.24xlarge": 19200, "db.r5.2xlarge": 1600, "c5.metal": 0, "m5": 0, "m5.x": 0, "m5.-2xlarge": 0} {
		if _, got := splitSize(kind); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
	if family, _ := splitSize("db.r5.2xlarge"); family != "db.r5" {
		t.Error(family)
	}
}

// Every published sample is read, or refused with a sentence that is right.
func TestSamples(t *testing.T) {
	for name, want := range map[string]struct{ offers, rates int }{
		"prices/aws_offer_AmazonEC2_2025-09-12_excerpt.csv":                       {1, 0},
		"prices/aws_offer_ComputeSavingsPlan_ap-east-2_2025-09-11_excerpt.csv":    {0, 20},
		"inputs/aws-offer/AmazonEC2_2017-08-03_5_products_OnDemand_Reserved.json": {5, 0},
		"inputs/aws-offer/RdsPriceListTestData.json":                              {2, 0},
		"inputs/azure/retail_prices_Standard_B16als_v2_australiacentral.json":     {1, 2},
		"inputs/azure/retail_prices_Standard_E64_v4_southcentralus.json":          {0, 0},
		"inputs/gcp/skus.json":                      {0, 0},
		"inputs/aws-offer/VersionIndex.json":        {-1, 0},
		"inputs/aws-offer/ec2_single_instance.json": {-1, 0},
	} {
		f, err := os.Open(shared.File(t, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(f, Options{})
		f.Close()
		if want.offers < 0 {
			if !errors.Is(err, ErrForm) {
				t.Errorf("%s: %v, want %q", name, err, ErrForm)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		classes := 0
		for _, o := range got.Offers {
			classes += len(o.List.Classes)
		}
		t.Logf("%s: %d offers, %d classes, %d rates, %+v", name, len(got.Offers), classes, len(got.Rates), got)
		if len(got.Offers) < want.offers || len(got.Rates) < want.rates {
			t.Errorf("%s: %d offers, %d rates; want at least %+v", name, len(got.Offers), len(got.Rates), want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(awsCSV))
	f.Add([]byte(`{"Items":[{"currencyCode":"USD","retailPrice":0.1,"armRegionName":"x","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","type":"Consumption","armSkuName":"y"}]}`))
	f.Add([]byte(`{"products":{"A":{"sku":"A","productFamily":"Compute Instance"}},"terms":{"OnDemand":{"A":{"A.1":{"sku":"A","priceDimensions":{"r":{"unit":"Hrs","pricePerUnit":{"USD":"1"}}}}}}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Read(bytes.NewReader(b), Options{})
		if err != nil {
			return
		}
		left := p.Used
		for _, l := range p.Left {
			left += l.Prices
		}
		if left != p.Prices || p.Used < 0 {
			t.Errorf("%+v", p)
		}
		for _, o := range p.Offers {
			if err := o.List.Validate(); err != nil || o.List.OnDemand <= 0 {
				t.Errorf("%+v: %v", o, err)
			}
		}
	})
}
