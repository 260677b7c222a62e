package azure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A bill whose additional information never repeats is read in as much memory as another.
func TestInformationThatNeverRepeats(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	for i := range 12_000 {
		fmt.Fprintf(&b, `01/31/2026,Virtual Machines,Dv3 Series,D2 v3,1 Hour,1,.1,USD,WestEurope,"{""ServiceType"":""Standard_D2_v3"",""i"":%d}",Usage,OnDemand,,,`+"\n", i)
	}
	r := &reader{types: map[string]string{}}
	most, rows := 0, 0
	form := billtable.Form{Package: "azure", Begin: func(c *usage.Collector, name, as string, header []string) (*billtable.Table, error) {
		c.Begin(name, as)
		r.Table = billtable.NewTable("azure", c, header, names, names.Index(header, plain), 0, 0)
		r.Next = func(raw []byte) error {
			err := r.decode(raw)
			most, rows = max(most, len(r.types)), rows+1
			return err
		}
		return r.Table, nil
	}}
	if err := form.Read(new(usage.Collector), "b", strings.NewReader(b.String())); err != nil {
		t.Fatal(err)
	}
	if rows != 12_000 || most < 10_000 || most > 10_001 {
		t.Errorf("%d rows, of which at most %d were remembered, want 10,000 and the last", rows, most)
	}
}
