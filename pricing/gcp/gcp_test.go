package gcp

import (
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

const header = "billing_account_id,service.description,sku.id,sku.description,usage_start_time,usage_end_time,location.region,cost,currency,usage.amount_in_pricing_units,usage.pricing_unit,credits,cost_type\n"

func TestRead(t *testing.T) {
	hour := ",2026-01-31 03:00:00+00:00,2026-01-31 04:00:00+00:00,us-central1,"
	b, err := readertest.Bill(Read, header+
		"1,Compute Engine,a,E2 Instance Core running in Americas"+hour+"0.5,USD,4,hour,[],regular\n"+
		"1,Compute Engine,a,E2 Instance Core running in Americas"+hour+`0.5,USD,4,hour,"[{""name"":""cud"",""amount"":-0.3,""type"":""COMMITTED_USAGE_DISCOUNT""}]",regular`+"\n"+
		"1,Compute Engine,b,Commitment v1: E2 Cpu in Americas for 1 Year"+hour+"0.2,USD,4,hour,[],regular\n"+
		"1,Compute Engine,c,Spot Preemptible E2 Instance Core running in Americas"+hour+`0.1,USD,4,hour,"[{'name':'x','amount':-0.05,'type':'PROMOTION'}]",regular`+"\n"+
		"1,Cloud Storage,d,Standard Storage"+hour+"0.01,USD,1,gibibyte month,[],regular\n"+
		"1,,e,Tax"+hour+"0.02,USD,0,,,tax\n")
	if err != nil {
		t.Fatal(err)
	}
	readertest.Whole(t, b)
	f := &b.Files[0]
	if f.Total.Billed.String() != "0.98" || f.OnDemand.Billed.String() != "0.5" || f.Covered.Billed.String() != "0.2" || f.Purchases.Billed.String() != "0.2" || f.Total.Rows != 8 {
		t.Errorf("%+v", f)
	}
	if len(b.Demand) != 1 || b.Demand[0].Kind.Type != "E2 core" {
		t.Fatalf("%+v", b.Demand)
	}
	if used, covered := b.Demand[0].Hours(); used.String() != "8" || covered.String() != "4" {
		t.Errorf("%v hours, %v covered", used, covered)
	}
}

func TestMistakes(t *testing.T) {
	row := "1,Compute Engine,a,E2 Instance Core running in Americas,2026-01-31 03:00:00+00:00,2026-01-31 04:00:00+00:00,us-central1,0.5,USD,4,hour,[],regular\n"
	readertest.Mistakes(t, Read, map[string]readertest.Mistake{
		"":      {usage.ErrForm, "the file is empty"},
		"a,b\n": {usage.ErrForm, "sku.description"},
		header + strings.Replace(row, "2026-01-31 03", "yesterday 03", 1): {usage.ErrSyntax, "column 5 (usage_start_time)"},
		header + strings.Replace(row, ",0.5,", ",x,", 1):                  {usage.ErrSyntax, "column 8 (cost)"},
		header + strings.Replace(row, "[]", "[x", 1):                      {usage.ErrSyntax, "column 12 (credits)"},
	})
}

func TestSample(t *testing.T) {
	text, err := os.ReadFile(shared.File(t, "inputs/gcp/2022-08-01_5.csv"))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "\n")
	b, err := readertest.Bill(Read, string(text))
	if err != nil || Form(strings.Split(strings.TrimPrefix(head, "\ufeff"), ",")) == "" {
		t.Fatal(err)
	}
	readertest.Whole(t, b)
	t.Logf("%+v", b.Files[0])
}

func FuzzRead(f *testing.F) {
	f.Add(header + "1,Compute Engine,a,E2 Instance Core running in Americas,2026-01-31 03:00:00+00:00,2026-01-31 04:00:00+00:00,us-central1,0.5,USD,4,hour,[],regular\n")
	f.Fuzz(func(t *testing.T, text string) { readertest.Any(t, Read, []byte(text)) })
}
