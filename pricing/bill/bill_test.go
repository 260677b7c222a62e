package bill

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// bills has a header and a row of each form, with what the file is told to be and what the row
// costs.
var bills = []struct{ header, row, form, cost string }{
	{"ChargeCategory,BilledCost,EffectiveCost,ListCost,ChargePeriodStart,ChargePeriodEnd", "Tax,1,1,1,2026-01-31,2026-02-01", "FOCUS 1.0 (csv)", "1"},
	{"\ufeffChargeCategory;BilledCost;EffectiveCost;ListCost;ChargePeriodStart;ChargePeriodEnd", "Tax;1.5;1.5;1.5;2026-01-31;2026-02-01", "FOCUS 1.0 (csv)", "1.5"},
	{`"lineItem/UsageStartDate","lineItem/UsageEndDate","lineItem/UnblendedCost","lineItem/LineItemType"`, "2026-01-31,2026-02-01,2,Tax", "AWS cost and usage report (csv)", "2"},
	{"line_item_usage_start_date,line_item_usage_end_date,line_item_unblended_cost,line_item_line_item_type", "2026-01-31,2026-02-01,2.5,Tax", "AWS cost and usage report 2.0 (csv)", "2.5"},
	{"Date,MeterCategory,Cost (CostInBillingCurrency),ChargeType", "01/31/2026,,3,Tax", "Azure cost export", "3"},
	{"sku.description,usage_start_time,usage_end_time,cost,cost_type", "x,2026-01-31 03:00:00+00:00,2026-01-31 04:00:00+00:00,4,tax", "Google Cloud billing export", "4"},
	{"lineItem/intervalUsageStart,lineItem/intervalUsageEnd,cost/myCost,usage/billedQuantity,cost/currencyCode", "2026-01-31T10:00Z,2026-01-31T11:00Z,5,1,USD", "Oracle Cloud cost report", "5"},
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// Each form is told by its header, plain and zipped, with both ends of line.
func TestRead(t *testing.T) {
	for _, c := range bills {
		text := c.header + "\n" + c.row + "\n"
		for _, text := range []string{text, zipped(text), strings.ReplaceAll(text, "\n", "\r\n")} {
			b, err := readertest.Bill(Read, text)
			if err != nil {
				t.Errorf("%s: %v", c.header, err)
				continue
			}
			if f := b.Files[0]; f.Format != c.form || f.Total.Billed.String() != c.cost || f.Name != "a.csv" {
				t.Errorf("%s: %+v", c.header, f)
			}
		}
	}
}

// Rows in memory are decoded as those of a file.
func TestNewDecoder(t *testing.T) {
	for _, b := range bills {
		header := strings.FieldsFunc(strings.TrimPrefix(b.header, "\ufeff"), func(r rune) bool { return r == ',' || r == ';' || r == '"' })
		var row [][]byte
		for _, f := range strings.FieldsFunc(b.row+" ", func(r rune) bool { return r == ';' }) {
			row = append(row, bytes.Split([]byte(strings.TrimSpace(f)), []byte(","))...)
		}
		var c usage.Collector
		decode, err := NewDecoder(&c, "a", "parquet", header)
		if err == nil {
			err = decode(2, row, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", b.header, err)
			continue
		}
		got, err := c.Bill()
		if want := strings.TrimSuffix(b.form, " (csv)") + " (parquet)"; err != nil || got.Files[0].Format != want || got.Files[0].Total.Billed.String() != b.cost {
			t.Errorf("%s: %+v, %v, want %s", b.header, got, err, want)
		}
	}
}

// Rows are passed on as texts, with their lines and as they stand in the file.
func TestRows(t *testing.T) {
	const text = "a,b\n1,\"x\"\"y\"\n\"2\n\",\n"
	for _, src := range []string{text, zipped(text)} {
		var got []string
		err := Rows(strings.NewReader(src), func(header []string) (usage.Decoder, error) {
			return func(line int, row [][]byte, raw []byte) error {
				got = append(got, fmt.Sprintf("%q %d %q %q", header, line, row, raw))
				return nil
			}, nil
		})
		want := []string{`["a" "b"] 2 ["1" "x\"y"] "1,\"x\"\"y\""`, `["a" "b"] 3 ["2\n" ""] "\"2\n\","`}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s, %v", d, err)
		}
	}
	failed := errors.New("failed")
	if err := Rows(strings.NewReader(text), func([]string) (usage.Decoder, error) { return nil, failed }); err != failed {
		t.Error(err)
	}
	if err := Rows(strings.NewReader(text), func([]string) (usage.Decoder, error) {
		return func(int, [][]byte, []byte) error { return failed }, nil
	}); err != failed {
		t.Error(err)
	}
	for bad, is := range map[string]error{"": usage.ErrForm, "a,b\n1\n1,2\n": usage.ErrSyntax} {
		if err := Rows(strings.NewReader(bad), func([]string) (usage.Decoder, error) {
			return func(int, [][]byte, []byte) error { return nil }, nil
		}); !errors.Is(err, is) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestErrors(t *testing.T) {
	failed := errors.New("failed")
	long := strings.Repeat("long,", 30)
	for what, c := range map[string]struct {
		src  io.Reader
		is   error
		says string
	}{
		"empty":      {strings.NewReader(" \n"), usage.ErrForm, "bill: line 1: not a bill of this form: the file is empty: want a FOCUS export"},
		"other":      {strings.NewReader("a,b\r\n1,2\n"), usage.ErrForm, `the columns "a,b": want a FOCUS export, a cost and usage report of AWS, an Azure`},
		"long":       {strings.NewReader(long), usage.ErrForm, `"` + long[:80] + `..."`},
		"cut":        {strings.NewReader(zipped("abc")[:12]), usage.ErrTruncated, "in the middle of gzip data"},
		"no gzip":    {strings.NewReader("\x1f\x8bx"), usage.ErrForm, "want plain text or whole gzip data"},
		"its source": {iotest.ErrReader(failed), failed, "failed"},
		"its row":    {strings.NewReader(bills[0].header + "\nTax,x,1,1,2026-01-31,2026-02-01\n"), usage.ErrSyntax, "focus: line 2, column 2 (BilledCost)"},
	} {
		if err := Read(new(usage.Collector), "a", c.src); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", what, err, c.is, c.says)
		}
	}
	if _, err := NewDecoder(new(usage.Collector), "a", "csv", []string{"a", "b"}); !errors.Is(err, usage.ErrForm) || !strings.Contains(err.Error(), `"a,b"`) {
		t.Error(err)
	}
	for _, misuse := range []func(){func() { Read(nil, "a", strings.NewReader("")) }, func() { Read(new(usage.Collector), "a", nil) }} {
		func() {
			defer func() {
				if s, _ := recover().(string); s != "bill: nil collector or source" {
					t.Errorf("panic %q", s)
				}
			}()
			misuse()
		}()
	}
}

func FuzzRead(f *testing.F) {
	for _, b := range bills {
		f.Add([]byte(b.header + "\n" + b.row + "\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) { readertest.Any(t, Read, text) })
}

func Example() {
	var c usage.Collector
	if err := Read(&c, "november.csv", strings.NewReader(bills[0].header+"\n"+bills[0].row+"\n")); err != nil {
		panic(err)
	}
	b, err := c.Bill()
	if err != nil {
		panic(err)
	}
	fmt.Println(b.Files[0].Format, b.Files[0].Total.Billed)
	// Output: FOCUS 1.0 (csv) 1
}
