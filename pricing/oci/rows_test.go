package oci

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing/internal/readertest"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Each kind of row.
func TestEachRow(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{row, "on_demand  0.06/0.06/0.06 2h Standard - E4 - OCPU us-sanjose-1"},
		{strings.Replace(row, "0.01", "", 1), "on_demand  0.05/0.05/0.05 2h Standard - E4 - OCPU us-sanjose-1"},
		{strings.Replace(row, "false", "true", 1), "left_out refund or correction 0.06/0.06/0.06 0h  "},
		{strings.Replace(row, "COMPUTE", "DATABASE", 1), "left_out usage of something other than instances 0.06/0.06/0.06 0h  "},
		{strings.Replace(row, "HOURS", "MONTHS", 1), "left_out hours of something without a type of instance 0.06/0.06/0.06 0h  "},
		{strings.Replace(row, "HOURS", "hours", 1), "on_demand  0.06/0.06/0.06 2h Standard - E4 - OCPU us-sanjose-1"},
		{strings.Replace(row, "Standard - E4 - OCPU", "", 1), "left_out hours of something without a type of instance 0.06/0.06/0.06 0h  "},
	} {
		var r usage.Row
		k := usage.Collector{Each: func(row *usage.Row) { r = *row }}
		err := Read(&k, "a", strings.NewReader(header+c.row))
		got := fmt.Sprintf("%v %s %v/%v/%v %vh %s %s", r.Charge, r.Reason, r.Billed, r.Effective, r.List, r.Hours, r.Kind.Type, r.Kind.Region)
		if err != nil || got != c.want || r.Account != "t" || r.Currency != "USD" || r.Line != 2 ||
			!r.Start.Equal(time.Date(2023, 11, 13, 10, 0, 0, 0, time.UTC)) || !r.End.Equal(r.Start.Add(time.Hour)) {
			t.Errorf("%s got %s %+v, %v\nwant %s", c.row, got, r, err, c.want)
		}
	}
	for text, says := range map[string]string{
		strings.Replace(row, "11:00:00Z", "soon", 1):  "column 3",
		strings.Replace(row, ",2,", ",x,", 1):         "column 7",
		strings.Replace(row, ",0.01,", ",x,", 1):      "column 9",
		row + strings.Replace(row, ",0.01,", ",", 1):  "line 3",
		row + strings.Replace(row, ",0.05,", ",-", 1): "line 3",
	} {
		if _, err := readertest.Bill(Read, header+text); !errors.Is(err, usage.ErrSyntax) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
	var c usage.Collector
	if err := Read(&c, "b", strings.NewReader(header+row+row)); !errors.Is(err, usage.ErrRepeated) {
		t.Errorf("the same line twice: %v", err)
	}
	if err := Read(&c, "b", strings.NewReader("lineItem/intervalUsageStart,cost/myCost\n")); !errors.Is(err, usage.ErrMissing) {
		t.Errorf("a header without needed columns: %v", err)
	}
}

func TestHeaders(t *testing.T) {
	readertest.Headers(t, "oci", Read, Form, map[string]bool{header: true, "lineItem/intervalUsageStart": false, "cost/myCost": false, "a,lineItem/intervalUsageStart,cost/myCost": true})
}
