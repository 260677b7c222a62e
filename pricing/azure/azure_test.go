package azure

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

const header = "Date,MeterCategory,MeterSubCategory,MeterName,UnitOfMeasure,Quantity,CostInBillingCurrency,BillingCurrency,ResourceLocation,AdditionalInfo,ChargeType,PricingModel,ReservationId,ReservationName,benefitId\n"

// One row of each kind; amounts by hand.
func TestRead(t *testing.T) {
	b, err := readertest.Bill(Read, header+
		`01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,24,2.4,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3""}",Usage,OnDemand,,,`+"\n"+
		`01/31/2026,Virtual Machines,Dv3 Series Windows,D2 v3,10 Hours,12,2.2,USD,WestEurope,"""ServiceType"":""Standard_D2_v3""",Usage,OnDemand,,,`+"\n"+
		`01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,48,1.5,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3""}",Usage,Reservation,r1,name,`+"\n"+
		`01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,5,.1,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3""}",Usage,Spot,,,`+"\n"+
		`01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,6,.3,USD,WestEurope,,UnusedReservation,Reservation,r1,name,`+"\n"+
		`01/31/2026,Virtual Machines,,,1 Hour,1,500,USD,,,Purchase,Reservation,r1,name,`+"\n"+
		`01/31/2026,Storage,,,1 GB,7,.07,USD,,,Usage,OnDemand,,,`+"\n"+
		`01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,-24,-2.4,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3""}",Refund,OnDemand,,,`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	readertest.Whole(t, b)
	f := &b.Files[0]
	for what, c := range map[string][2]string{
		"total billed":    {f.Total.Billed.String(), "502.37"},
		"total effective": {f.Total.Effective.String(), "4.17"},
		"on demand":       {f.OnDemand.Billed.String(), "4.6"},
		"covered":         {f.Covered.Effective.String(), "1.5"},
		"unused":          {f.Unused.Effective.String(), "0.3"},
		"purchases":       {f.Purchases.Billed.String(), "500"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %s, want %s", what, c[0], c[1])
		}
	}
	if len(b.Demand) != 2 || b.Demand[0].Kind != (usage.Kind{Provider: "azure", Region: "westeurope", Type: "Standard_D2_v3", System: "linux", Tenancy: "shared"}) || b.Demand[1].Kind.System != "windows" {
		t.Fatalf("%+v", b.Demand)
	}
	if used, covered := b.Demand[0].Hours(); used.String() != "72" || covered.String() != "48" {
		t.Errorf("%v hours, %v covered", used, covered)
	}
	if len(b.Held) != 1 || b.Held[0].ID != "r1" || b.Held[0].Unused.String() != "6" {
		t.Errorf("%+v", b.Held)
	}
	if len(f.Left) != 3 || len(b.Notes) != 1 || !strings.Contains(b.Notes[0].Text, "amortised") || b.Notes[0].Rows != 2 {
		t.Errorf("%+v, %+v", f.Left, b.Notes)
	}
}

func TestMistakes(t *testing.T) {
	row := `01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,24,2.4,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3""}",Usage,OnDemand,,,` + "\n"
	readertest.Mistakes(t, Read, map[string]readertest.Mistake{
		"":      {usage.ErrForm, "the file is empty"},
		"a,b\n": {usage.ErrForm, "MeterCategory"},
		header + strings.Replace(row, "01/31/2026", "31.1.2026", 1): {usage.ErrSyntax, "line 2, column 1 (Date)"},
		header + strings.Replace(row, ",2.4,", ",a lot,", 1):        {usage.ErrSyntax, "column 7 (CostInBillingCurrency)"},
		header + strings.Replace(row, ",USD,", ",", 1):              {usage.ErrSyntax, "14: want 15"},
		header + row + row: {usage.ErrRepeated, "line 2"},
		header + row + strings.Replace(row, "USD", "EUR", 1): {usage.ErrCurrency, "EUR"},
		header: {usage.ErrMissing, "no rows"},
	})
}

// Samples of all versions and in other languages are read, and add up.
func TestSamples(t *testing.T) {
	for name, rows := range map[string]int64{"EA_ActualCost_Small.csv": 1, "Template.csv": 1, "headers_BOM.csv": 1, "headers_Enterprise.csv": 1, "headers_EnterpriseCamel.csv": 1,
		"headers_German.csv": 1, "headers_PayAsYouGo.csv": 1, "headers_YA.csv": 1, "sample-anonymous-ea-export-dataset.csv": 1} {
		text, err := os.ReadFile(shared.File(t, "inputs/azure/"+name))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		if Form(strings.Split(strings.TrimPrefix(head, "\ufeff"), ",")) == "" {
			t.Errorf("%s is not detected", name)
		}
		c := usage.Collector{KeepRepeats: true}
		err = Read(&c, name, bytes.NewReader(text))
		var b *usage.Bill
		if err == nil {
			b, err = c.Bill()
		}
		if name == "Template.csv" { // its rows have a column less than its header
			if !errors.Is(err, usage.ErrSyntax) || !strings.Contains(err.Error(), "10: want 11") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		readertest.Whole(t, b)
		f := &b.Files[0]
		t.Logf("%s: %d rows, billed %v, effective %v, classified %v; %d kinds, %d held, %d notes", name, f.Total.Rows, f.Total.Billed, f.Total.Effective, f.Classified().Billed, len(b.Demand), len(b.Held), len(b.Notes))
		for _, l := range f.Left {
			t.Logf("   left out: %s: %d rows, %v", l.Reason, l.Sum.Rows, l.Sum.Billed)
		}
		if f.Total.Rows < rows {
			t.Errorf("%s: %d rows", name, f.Total.Rows)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header + `01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,24,2.4,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3""}",Usage,OnDemand,,,` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) { readertest.Any(t, Read, text) })
}
