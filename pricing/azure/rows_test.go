package azure

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// said writes what a row says on one line.
func said(r *usage.Row) string {
	s := fmt.Sprintf("%s %s %v/%v/%v %s", r.Start.Format("06-01-02T15"), r.Charge, r.Billed, r.Effective, r.List, r.Currency)
	if r.Charge == usage.LeftOut {
		s = strings.Replace(s, "left_out", r.Reason, 1)
	}
	if r.Kind.Type != "" {
		s += fmt.Sprintf(" %vh of %s %s %s", r.Hours, r.Kind.Type, r.Kind.Region, r.Kind.System)
	}
	if c := r.Commitment; c != (usage.Commitment{}) {
		s += fmt.Sprintf(" %s %s %q spend=%v %v %s", c.Type, c.ID, c.Name, c.Spend, c.Quantity, c.Unit)
	}
	if r.Account != "" {
		s += " for " + r.Account
	}
	return s
}

// rows reads all rows.
func rows(t *testing.T, text string) (got []string, err error) {
	t.Helper()
	c := usage.Collector{KeepRepeats: true, Each: func(row *usage.Row) {
		if d := row.End.Sub(row.Start); d.Hours() != 24 {
			t.Errorf("a day of %v", d)
		}
		got = append(got, said(row))
	}}
	err = Read(&c, "a", strings.NewReader(text))
	return got, err
}

// Each kind of row, in the words of the columns' documentation.
func TestEachRow(t *testing.T) {
	const head = "date,metercategory,metersubcategory,metername,unitofmeasure,quantity,costinbillingcurrency,paygcostinbillingcurrency,billingcurrency,resourcelocation,meterregion,additionalinfo,chargetype,pricingmodel,reservationid,reservationname,benefitid,benefitname,productordername,subscriptionid,billingaccountid\n"
	const vm = `"{""ServiceType"":""Standard_D2_v3""}"`
	for _, c := range []struct{ row, want string }{
		{`01/31/2026,Virtual Machines,Dv3 Series,D2,1 Hour,24,2.4,3,usd,West Europe,,` + vm + `,Usage,OnDemand,,,,,,,`, "26-01-31T00 on_demand 2.4/2.4/3 USD 24h of Standard_D2_v3 westeurope linux"},
		{`2026-01-31T23:00:00Z,Virtual Machines Licenses,Windows,D2,10 Hours,24,2.4,null,USD,,US East,` + vm + `,,,,,,,,s,b`, "26-01-31T00 fees of software and of services beside an instance 2.4/2.4/0 USD for b/s"},
		{`1/2/2026,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,Reservation,r1,name,,,,s,`, `26-01-02T00 covered 0/1/0 USD 24h of Standard_D2_v3 a linux Reservation r1 "name" spend=false 24 Hours for s`},
		{`2026-01-02,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,SavingsPlan,,,p1,plan,,,`, `26-01-02T00 covered 0/1/0 USD 24h of Standard_D2_v3 a linux Savings Plan p1 "plan" spend=true 1 USD`},
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,,,,/x/savingsPlans/p1,,,,`, `26-01-02T00 covered 0/1/0 USD 24h of Standard_D2_v3 a linux Savings Plan /x/savingsPlans/p1 "" spend=true 1 USD`},
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,,r1,,,,,,`, `26-01-02T00 covered 0/1/0 USD 24h of Standard_D2_v3 a linux Reservation r1 "" spend=false 24 Hours`},
		// A reservation's id beside a model that is none covers nothing.
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,OnDemand,r1,,,,,,`, `26-01-02T00 on_demand 1/1/0 USD 24h of Standard_D2_v3 a linux`},
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,Spot,,,,,,,`, `26-01-02T00 spot usage, which no commitment covers 1/1/0 USD`},
		{`20260102,Virtual Machines,Dv3,D2 v3 Spot,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,,,,,,,,`, `26-01-02T00 spot usage, which no commitment covers 1/1/0 USD`},
		{`20260102,Virtual Machines,Dv3,D2 v3 Low Priority,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,OnDemand,,,,,,,`, `26-01-02T00 spot usage, which no commitment covers 1/1/0 USD`},
		{`20260102,Virtual Machines,Dv3,D2,1 GB,24,1,,USD,a,b,` + vm + `,Usage,,,,,,,,`, `26-01-02T00 usage of something other than instances 1/1/0 USD`},
		{`20260102,Storage,Dv3,D2,1 Hour,24,1,,USD,a,b,` + vm + `,Usage,,,,,,,,`, `26-01-02T00 usage of something other than instances 1/1/0 USD`},
		{`20260102,Storage,Dv3,D2,1 Hour,24,1,,USD,a,b,,Usage,Reservation,r1,,,,,,`, `26-01-02T00 usage of something other than instances 0/1/0 USD Reservation r1 "" spend=false 24 Hours`},
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,,Usage,,,,,,,,`, `26-01-02T00 hours of something without a type of instance 1/1/0 USD`},
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,"{""ServiceType"":""small""}",Usage,,,,,,,,`, `26-01-02T00 hours of something without a type of instance 1/1/0 USD`},
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,"{""ServiceType"":""A_1""",Usage,,,,,,,,`, `26-01-02T00 hours of something without a type of instance 1/1/0 USD`},
		{`20260102,Virtual Machines,Dv3,D2,1 Hour,24,1,,USD,a,b,"""ServiceType"":""A_1""",Usage,,,,,,,,`, `26-01-02T00 on_demand 1/1/0 USD 24h of A_1 a linux`},
		{`20260102,Virtual Machines,,,1 Hour,1,500,,USD,,,,Purchase,,r1,name,,,order,,`, `26-01-02T00 purchase 500/0/0 USD Reservation r1 "name" spend=false 1 Hours`},
		{`20260102,Virtual Machines,,,1 Hour,1,500,,USD,,,,Purchase,Reservation,,,,,order,,`, `26-01-02T00 purchase 500/0/0 USD Reservation  "order" spend=false 1 Hours`},
		{`20260102,Virtual Machines,,,1 Hour,1,500,,USD,,,,Purchase,SavingsPlan,,,,,order,,`, `26-01-02T00 purchase 500/0/0 USD Savings Plan  "order" spend=true 1 USD`},
		{`20260102,Support,,,1,1,500,,USD,,,,Purchase,OnDemand,,,,,order,,`, `26-01-02T00 support, subscriptions and other fees 500/500/0 USD`},
		{`20260102,Virtual Machines,,,1 Hour,6,.3,,USD,,,,UnusedReservation,Reservation,r1,name,,,,,`, `26-01-02T00 unused 0/0.3/0 USD Reservation r1 "name" spend=false 6 Hours`},
		{`20260102,Virtual Machines,,,1 Hour,6,.3,,USD,,,,UnusedSavingsPlan,,,,p1,plan,,,`, `26-01-02T00 unused 0/0.3/0 USD Savings Plan p1 "plan" spend=true 0.3 USD`},
		{`20260102,Virtual Machines,,,1 Hour,-6,-.3,,USD,,,,Refund,,,,,,,,`, `26-01-02T00 refund or correction -0.3/-0.3/0 USD`},
		{`20260102,Virtual Machines,,,1 Hour,0,.003,,USD,,,,RoundingAdjustment,,,,,,,,`, `26-01-02T00 rounding 0.003/0.003/0 USD`},
		{`20260102,Virtual Machines,,,1 Hour,0,.003,,USD,,,,Adjustment,,,,,,,,`, `26-01-02T00 rounding 0.003/0.003/0 USD`},
		{`20260102,,,,,0,7,,USD,,,,Tax,,,,,,,,`, `26-01-02T00 tax 7/7/0 USD`},
		{`20260102,,,,,0,-7,,USD,,,,Credit,,,,,,,,`, `26-01-02T00 credit -7/-7/0 USD`},
		{`20260102,,,,,0,7,,USD,,,,Something,,,,,,,,`, `26-01-02T00 charge type something 7/7/0 USD`},
		{`01/01/1971,,,,,0,7,,USD,,,,Tax,,,,,,,,`, `71-01-01T00 tax 7/7/0 USD`},
	} {
		got, err := rows(t, head+c.row+"\n")
		if err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s\n got %q, %v\nwant %q", c.row, got, err, c.want)
		}
	}
	for _, row := range []string{`12/31/1970,,,,,0,7,,USD,,,,Tax,,,,,,,,`, `,,,,,0,7,,USD,,,,Tax,,,,,,,,`, `20260102,,,,,x,7,,USD,,,,Tax,,,,,,,,`, `20260102,,,,,0,7,x,USD,,,,Tax,,,,,,,,`} {
		if got, err := rows(t, head+row+"\n"); !errors.Is(err, usage.ErrSyntax) {
			t.Errorf("%s: %q, %v", row, got, err)
		}
	}
}

// The additional information is read once for each text, and repeats as it was.
func TestKindsRepeat(t *testing.T) {
	var text strings.Builder
	var want []string
	text.WriteString("date,metercategory,unitofmeasure,quantity,cost,additionalinfo\n")
	for i := range 12_000 {
		fmt.Fprintf(&text, "20260102,Virtual Machines,1 Hour,1,2,\"{\"\"ServiceType\"\":\"\"A_%d\"\"}\"\n", i*7%10_501)
		want = append(want, fmt.Sprintf("26-01-02T00 on_demand 2/2/0  1h of A_%d  linux", i*7%10_501))
	}
	got, err := rows(t, text.String())
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%.500s, %v", d, err)
	}
}

func TestHeaders(t *testing.T) {
	for name, want := range map[string]string{"Maßeinheit (UnitOfMeasure)": "unitofmeasure", "Unit (of) measure": "unitofmeasure", "Usage Date": "usagedate", "(date)": "date", "Größe (Date) ": "größedate"} {
		if got := plain(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	readertest.Headers(t, "azure", Read, Form, map[string]bool{
		"\xef\xbb\xbfDate, \"Cost\",MeterCategory": true, "date,pretaxcost,metercategory": true,
		"date,metercategory": false, "cost,metercategory": false, "date,cost": false, "metercategory": false,
	})
}
