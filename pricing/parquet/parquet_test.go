package parquet

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// typed has the columns as clouds type them: times, numbers and a map.
type typed struct {
	BillingAccountId           string
	BillingCurrency            string
	ChargeCategory             string
	ChargePeriodStart          time.Time `parquet:",timestamp(millisecond)"`
	ChargePeriodEnd            time.Time `parquet:",timestamp(microsecond)"`
	BilledCost                 float64
	EffectiveCost              float64
	ListCost                   *float64          `parquet:",optional"`
	PricingQuantity            int64             `parquet:",decimal(4:18)"`
	PricingUnit                string            `parquet:",dict"`
	PricingCategory            string            `parquet:",optional,dict"`
	ProviderName               string            `parquet:",dict"`
	RegionId                   string            `parquet:",dict"`
	SkuPriceDetails            map[string]string `parquet:",optional"`
	CommitmentDiscountId       string            `parquet:",optional"`
	CommitmentDiscountCategory string            `parquet:",optional"`
	CommitmentDiscountStatus   string            `parquet:",optional"`
	CommitmentDiscountQuantity *float64          `parquet:",optional"`
	CommitmentDiscountUnit     string            `parquet:",optional"`
	Tags                       map[string]string `parquet:",optional"`
	X_List                     []string          `parquet:"x_List,list"`
	X_Struct                   struct{ A, B string }
	X_Bool                     bool `parquet:"x_Bool"`
}

func rows() []typed {
	start := time.Date(2024, 9, 18, 22, 0, 0, 0, time.UTC)
	list, used := 0.096, 0.0447519648
	hour := func(h int, r typed) typed {
		r.BillingAccountId, r.BillingCurrency, r.ProviderName, r.RegionId = "1", "USD", "AWS", "eu-west-1"
		r.ChargePeriodStart, r.ChargePeriodEnd = start.Add(time.Duration(h)*time.Hour), start.Add(time.Duration(h+1)*time.Hour)
		r.Tags = map[string]string{"team": "a", "": "b"}
		r.X_List = []string{"x", "y"}
		return r
	}
	details := map[string]string{"InstanceType": "m6i.large", "OperatingSystem": "Linux", "x_Tenancy": "Shared"}
	return []typed{
		hour(0, typed{ChargeCategory: "Usage", BilledCost: 0.08799215300000, EffectiveCost: 0.08799215300000, ListCost: &list, PricingQuantity: 10000, PricingUnit: "Hours", PricingCategory: "Standard", SkuPriceDetails: details}),
		hour(1, typed{ChargeCategory: "Usage", EffectiveCost: 0.0447519648, ListCost: &list, PricingQuantity: 6989, PricingUnit: "Hours", PricingCategory: "Committed", SkuPriceDetails: details,
			CommitmentDiscountId: "sp", CommitmentDiscountCategory: "Spend", CommitmentDiscountStatus: "Used", CommitmentDiscountQuantity: &used, CommitmentDiscountUnit: "USD"}),
		hour(1, typed{ChargeCategory: "Tax", BilledCost: 1e-7, EffectiveCost: 1e-7}),
		hour(2, typed{ChargeCategory: "Usage", BilledCost: -0.25, EffectiveCost: -0.25, PricingQuantity: -12500, PricingUnit: "Hours", PricingCategory: "Standard", SkuPriceDetails: details}),
	}
}

// The same rows as CSV.
const asCSV = `BillingAccountId,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BilledCost,EffectiveCost,ListCost,PricingQuantity,PricingUnit,PricingCategory,ProviderName,RegionId,SkuPriceDetails,CommitmentDiscountId,CommitmentDiscountCategory,CommitmentDiscountStatus,CommitmentDiscountQuantity,CommitmentDiscountUnit
1,USD,Usage,2024-09-18T22:00:00Z,2024-09-18T23:00:00Z,0.087992153,0.087992153,0.096,1,Hours,Standard,AWS,eu-west-1,"{""InstanceType"":""m6i.large"",""OperatingSystem"":""Linux"",""x_Tenancy"":""Shared""}",,,,,
1,USD,Usage,2024-09-18T23:00:00Z,2024-09-19T00:00:00Z,0,0.0447519648,0.096,0.6989,Hours,Committed,AWS,eu-west-1,"{""InstanceType"":""m6i.large"",""OperatingSystem"":""Linux"",""x_Tenancy"":""Shared""}",sp,Spend,Used,0.0447519648,USD
1,USD,Tax,2024-09-18T23:00:00Z,2024-09-19T00:00:00Z,0.0000001,0.0000001,,,,,AWS,eu-west-1,,,,,,
1,USD,Usage,2024-09-19T00:00:00Z,2024-09-19T01:00:00Z,-0.25,-0.25,,-1.25,Hours,Standard,AWS,eu-west-1,"{""InstanceType"":""m6i.large"",""OperatingSystem"":""Linux"",""x_Tenancy"":""Shared""}",,,,,
`

func write(t testing.TB, rows []typed, groups int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[typed](&b, pq.Compression(&pq.Snappy))
	for i := range groups {
		if _, err := w.Write(rows[i*len(rows)/groups : (i+1)*len(rows)/groups]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, data []byte) (*usage.Bill, error) {
	t.Helper()
	var c usage.Collector
	if err := Read(&c, "x", bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, err
	}
	return c.Bill()
}

// Typed columns, in one row group and in several, make the bill that the CSV makes.
func TestRead(t *testing.T) {
	var c usage.Collector
	if err := focus.Read(&c, "x", strings.NewReader(asCSV)); err != nil {
		t.Fatal(err)
	}
	want, err := c.Bill()
	if err != nil {
		t.Fatal(err)
	}
	want.Files[0].Format = "FOCUS 1.1 (parquet)"
	for _, groups := range []int{1, 2, 4} {
		data := write(t, rows(), groups)
		if !Is(data) {
			t.Error("not Parquet by its first bytes")
		}
		got, err := read(t, data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b usage.Amount) bool { return a == b }), cmpopts.IgnoreUnexported(usage.Bill{})); diff != "" {
			t.Errorf("%d groups (-want +got):\n%s", groups, diff)
		}
	}
	if len(want.Demand) != 1 || want.Demand[0].Kind.String() != "aws eu-west-1 m6i.large linux shared" || len(want.Held) != 1 {
		t.Errorf("%+v", want)
	}
}

// A cost and usage report 2.0 with its map of the product.
func TestCostAndUsage(t *testing.T) {
	type line struct {
		Start    time.Time         `parquet:"line_item_usage_start_date,timestamp(millisecond)"`
		End      time.Time         `parquet:"line_item_usage_end_date,timestamp(millisecond)"`
		Type     string            `parquet:"line_item_line_item_type"`
		Cost     float64           `parquet:"line_item_unblended_cost"`
		Amount   float64           `parquet:"line_item_usage_amount"`
		Currency string            `parquet:"line_item_currency_code"`
		Usage    string            `parquet:"line_item_usage_type"`
		Unit     string            `parquet:"pricing_unit"`
		Product  map[string]string `parquet:"product,optional"`
	}
	start := time.Date(2024, 9, 18, 22, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	w := pq.NewGenericWriter[line](&b)
	w.Write([]line{
		{start, start.Add(time.Hour), "Usage", 0.096, 1, "USD", "EUW1-BoxUsage:m5.large", "Hrs", map[string]string{"region_code": "eu-west-1", "operating_system": "Linux"}},
		{start, start.Add(time.Hour), "Tax", 0.0182, 1, "USD", "", "", nil},
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	bill, err := read(t, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(bill.Demand) != 1 || bill.Demand[0].Kind.String() != "aws eu-west-1 m5.large linux shared" || bill.Files[0].Total.Billed.String() != "0.1142" || bill.Files[0].Format != "AWS cost and usage report 2.0 (parquet)" {
		t.Errorf("%+v", bill)
	}
}

func TestErrors(t *testing.T) {
	whole := write(t, rows(), 2)
	twice := append(rows(), rows()[0])
	tag := append(rows(), rows()[0])
	tag[4].Tags = map[string]string{"team": "another"}
	euro := rows()
	euro[3].BillingCurrency = "EUR"
	nan := rows()
	nan[2].BilledCost = math.NaN()
	for name, c := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"empty":     {nil, usage.ErrForm, "want a whole Parquet file"},
		"text":      {[]byte("ChargeCategory,BilledCost\n"), usage.ErrForm, "want a whole Parquet file"},
		"cut off":   {whole[:len(whole)-100], usage.ErrForm, "want a whole Parquet file"},
		"repeated":  {write(t, twice, 1), usage.ErrRepeated, "line 5: counted twice: the row is the same as x, line 1"},
		"currency":  {write(t, euro, 1), usage.ErrCurrency, "line 4 (currency): mixed currencies: EUR: want USD as in x, line 1"},
		"no number": {write(t, nan, 1), usage.ErrSyntax, `line 3, column 6 (BilledCost): malformed text: "NaN"`},
	} {
		_, err := read(t, c.data)
		var in *pricing.InputError
		if !errors.Is(err, c.want) || !errors.As(err, &in) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v\nwant %v: %s", name, err, c.want, c.says)
		}
	}
	if _, err := read(t, write(t, tag, 1)); err != nil {
		t.Errorf("rows with different tags are taken for one: %v", err)
	}
	failed := errors.New("failed")
	if err := Read(new(usage.Collector), "x", failing{failed}, 1000); err != failed {
		t.Errorf("%v, want the error of the source", err)
	}
	// Flipped bits: an error or a bill, and no panic.
	for i := 0; i < len(whole); i += 101 {
		data := bytes.Clone(whole)
		data[i] ^= 0x40
		start := time.Now()
		read(t, data)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("byte %d: %v", i, d)
		}
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// The sample of the validator has three columns that FOCUS does not have together.
func TestSample(t *testing.T) {
	data, err := os.ReadFile(shared.File(t, "inputs/focus/focus_validator_sample.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = read(t, data)
	if want := "parquet: not a bill of this form: the columns \"InvoiceIssuer,ResourceID,ChargeType\": want a FOCUS export, a cost and usage report of AWS, an Azure cost export, a Google Cloud billing export or an Oracle Cloud cost report"; !errors.Is(err, usage.ErrForm) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		f    func([]byte, pq.Value) []byte
		v    pq.Value
		want string
	}{
		{plain, pq.ValueOf(true), "true"}, {plain, pq.ValueOf(int32(-7)), "-7"}, {plain, pq.ValueOf(int64(1) << 60), "1152921504606846976"},
		{plain, pq.ValueOf(float32(0.1)), "0.1"}, {plain, pq.ValueOf(8.07260660820738), "8.07260660820738"}, {plain, pq.ValueOf(1e-10), "1e-10"}, {plain, pq.ValueOf("text"), "text"},
		{plain, pq.Int96Value(deprecated.Int96{2: 2440588 + 19984}), "2024-09-18T00:00:00Z"},
		{decimal(2), pq.ValueOf(int64(-12345)), "-12345e-2"}, {decimal(0), pq.ValueOf(int32(5)), "5"},
		{decimal(9), pq.ByteArrayValue([]byte{0xff, 0x85}), "-123e-9"}, {decimal(3), pq.FixedLenByteArrayValue([]byte{0, 0x80}), "128e-3"}, {decimal(3), pq.ByteArrayValue(nil), "0e-3"}, {decimal(3), pq.ValueOf(1.5), "1.5"},
		{timestamp(time.Millisecond), pq.ValueOf(int64(1726696800001)), "2024-09-18T22:00:00.001Z"}, {timestamp(time.Microsecond), pq.ValueOf(int64(-1)), "1969-12-31T23:59:59.999999Z"},
		{timestamp(time.Nanosecond), pq.ValueOf(int64(1)), "1970-01-01T00:00:00.000000001Z"}, {timestamp(time.Second), pq.ValueOf("x"), "x"},
		{date, pq.ValueOf(int32(19984)), "2024-09-18"}, {date, pq.ValueOf("x"), "x"},
	} {
		if got := string(c.f(nil, c.v)); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, rows(), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		var in *pricing.InputError
		if _, err := read(t, data); err != nil && !errors.As(err, &in) {
			t.Fatalf("%v is not an InputError", err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var all []typed
	for i := range 5000 {
		for _, r := range rows() {
			r.ChargePeriodStart = r.ChargePeriodStart.Add(time.Duration(i) * time.Hour)
			r.ChargePeriodEnd = r.ChargePeriodEnd.Add(time.Duration(i) * time.Hour)
			all = append(all, r)
		}
	}
	data := write(b, all, 4)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		c := usage.Collector{KeepRepeats: true}
		if err := Read(&c, "x", bytes.NewReader(data), int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(all))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	_ = io.EOF
}

// Rows passes on what Read decodes: the columns, each row's number, and its errors.
func TestRows(t *testing.T) {
	text := write(t, rows(), 2)
	var header []string
	lines := 0
	err := Rows(bytes.NewReader(text), int64(len(text)), func(names []string) (usage.Decoder, error) {
		header = slices.Clone(names)
		return func(line int, row [][]byte, raw []byte) error {
			lines++
			if line != lines || len(row) != len(header) || len(raw) == 0 {
				t.Errorf("row %d is number %d, with %d fields of %d", lines, line, len(row), len(header))
			}
			return nil
		}, nil
	})
	if err != nil || lines == 0 || !slices.Contains(header, "BilledCost") {
		t.Errorf("%v, %d rows, %q", err, lines, header)
	}
	failed := errors.New("failed")
	for _, begin := range []func([]string) (usage.Decoder, error){
		func([]string) (usage.Decoder, error) { return nil, failed },
		func([]string) (usage.Decoder, error) {
			return func(int, [][]byte, []byte) error { return failed }, nil
		},
	} {
		if err := Rows(bytes.NewReader(text), int64(len(text)), begin); err != failed {
			t.Errorf("%v, want that of the caller", err)
		}
	}
}
