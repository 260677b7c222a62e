package oci

import (
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

const header = "lineItem/tenantId,lineItem/intervalUsageStart,lineItem/intervalUsageEnd,product/service,product/region,product/Description,usage/billedQuantity,cost/myCost,cost/myCostOverage,cost/currencyCode,cost/billingUnitReadable,lineItem/isCorrection\n"

const row = "t,2023-11-13T10:00Z,2023-11-13T11:00:00Z,COMPUTE,us-sanjose-1,Standard - E4 - OCPU,2,0.05,0.01,USD,1 NONE HOURS OCPU,false\n"

func TestRead(t *testing.T) {
	b, err := readertest.Bill(Read, header+row+strings.Replace(row, "false", "true", 1)+strings.Replace(row, "COMPUTE", "DATABASE", 1)+strings.Replace(row, "HOURS", "MONTHS", 1))
	if err != nil {
		t.Fatal(err)
	}
	readertest.Whole(t, b)
	if f := &b.Files[0]; f.Total.Billed.String() != "0.24" || f.OnDemand.Billed.String() != "0.06" || len(f.Left) != 3 {
		t.Errorf("%+v", f)
	}
	if used, _ := b.Demand[0].Hours(); used.String() != "2" || b.Demand[0].Kind.Type != "Standard - E4 - OCPU" {
		t.Errorf("%+v", b.Demand)
	}
}

func TestMistakes(t *testing.T) {
	readertest.Mistakes(t, Read, map[string]readertest.Mistake{
		"":      {usage.ErrForm, "the file is empty"},
		"a,b\n": {usage.ErrForm, "cost/myCost"},
		header + strings.Replace(row, "2023-11-13T10", "now", 1): {usage.ErrSyntax, "column 2"},
		header + strings.Replace(row, "0.05", "x", 1):            {usage.ErrSyntax, "column 8 (cost/myCost)"},
	})
}

func TestSample(t *testing.T) {
	text, err := os.ReadFile(shared.File(t, "inputs/oci/reports_cost-csv_0000000030000269.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := readertest.Bill(Read, string(text))
	if err != nil {
		t.Fatal(err)
	}
	readertest.Whole(t, b)
	f := b.Files[0]
	t.Logf("%d rows, billed %v, %d kinds, %+v", f.Total.Rows, f.Total.Billed, len(b.Demand), f.Left)
}

func FuzzRead(f *testing.F) {
	f.Add(header + row)
	f.Fuzz(func(t *testing.T, text string) { readertest.Any(t, Read, []byte(text)) })
}
