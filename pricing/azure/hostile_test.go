package azure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/pricing/internal/sheet"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A bill whose additional information never repeats is read in as much memory as another.
func TestInformationThatNeverRepeats(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	for i := range 12_000 {
		fmt.Fprintf(&b, `01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,1,.1,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3"",""i"":%d}",Usage,OnDemand,,,`+"\n", i)
	}
	s, err := sheet.Open("azure", strings.NewReader(b.String()), key)
	if err != nil {
		t.Fatal(err)
	}
	var c usage.Collector
	c.Begin("b", "Azure cost export")
	r := reader{s: s, cost: "cost", types: map[string]string{}}
	if !s.Has(r.cost) {
		r.cost = "cost2"
	}
	most, rows := 0, 0
	if err := s.Collect(&c, func() (usage.Row, []usage.Row, error) {
		row, err := r.row()
		most, rows = max(most, len(r.types)), rows+1
		return row, nil, err
	}); err != nil {
		t.Fatal(err)
	}
	if rows != 12_000 || most < 10_000 || most > 10_001 {
		t.Errorf("%d rows, of which at most %d were remembered, want 10,000 and the last", rows, most)
	}
}
