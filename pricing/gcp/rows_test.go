package gcp

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
	s := fmt.Sprintf("%s-%s %s %v/%v/%v %s", r.Start.Format("06-01-02T15"), r.End.Format("15"), r.Charge, r.Billed, r.Effective, r.List, r.Currency)
	if r.Charge == usage.LeftOut {
		s = strings.Replace(s, "left_out", r.Reason, 1)
	}
	if r.Kind.Type != "" {
		s += fmt.Sprintf(" %vh of %s %s", r.Hours, r.Kind.Type, r.Kind.Region)
	}
	if c := r.Commitment; c != (usage.Commitment{}) {
		s += fmt.Sprintf(" %s %s %q %v %s %s", c.Type, c.ID, c.Name, c.Quantity, c.Unit, c.Region)
	}
	return s + " for " + r.Account
}

// Each kind of row and of credit.
func TestEachRow(t *testing.T) {
	const head = "billing_account_id,service.description,sku.id,sku.description,usage_start_time,usage_end_time,location.region,location.location,cost,cost_at_list,currency,usage.amount_in_pricing_units,usage.pricing_unit,credits,cost_type\n"
	const core = "E2 Instance Core running in Americas"
	row := func(service, description, region, cost, list, unit, credits, kind string) string {
		return "1," + service + ",sku," + description + ",2026-01-31 03:00:00+00:00,2026-01-31T04:00:00Z," + region + ",US," + cost + "," + list + ",USD,4," + unit + `,"` + credits + `",` + kind + "\n"
	}
	for _, c := range []struct {
		row  string
		want []string
	}{
		{row("Compute Engine", core, "us-central1", "0.5", "0.6", "hour", "[]", "regular"), []string{"26-01-31T03-04 on_demand 0.5/0.5/0.6 USD 4h of E2 core us-central1 for 1"}},
		{row("Compute Engine", core, "", "0.5", "", "gibibyte hour", "", ""), []string{"26-01-31T03-04 on_demand 0.5/0.5/0.5 USD 4h of E2 core US for 1"}},
		{row("Compute Engine", core, "r", "0.5", "", "month", "", ""), []string{"26-01-31T03-04 hours of something without a type of instance 0.5/0.5/0.5 USD for 1"}},
		{row("Other", core, "r", "0.5", "", "hour", "", ""), []string{"26-01-31T03-04 usage of something other than instances 0.5/0.5/0.5 USD for 1"}},
		{row("Compute Engine", "Storage PD", "r", "0.5", "", "hour", "", ""), []string{"26-01-31T03-04 usage of something other than instances 0.5/0.5/0.5 USD for 1"}},
		{row("Compute Engine", "Spot Preemptible E2 Instance Core", "r", "0.5", "", "hour", "", ""), []string{"26-01-31T03-04 spot usage, which no commitment covers 0.5/0.5/0.5 USD for 1"}},
		{row("Compute Engine", "Preemptible E2 Instance Core", "r", "0.5", "", "hour", "", ""), []string{"26-01-31T03-04 spot usage, which no commitment covers 0.5/0.5/0.5 USD for 1"}},
		{row("Compute Engine", "Spot E2 Instance Core", "r", "0.5", "", "hour", "", ""), []string{"26-01-31T03-04 spot usage, which no commitment covers 0.5/0.5/0.5 USD for 1"}},
		{row("Compute Engine", "Commitment v1: E2 Cpu", "r", "0.2", "", "hour", "", ""), []string{`26-01-31T03-04 purchase 0.2/0.2/0.2 USD Committed use discount sku "Commitment v1: E2 Cpu" 4 Hours r for 1`}},
		{row("Compute Engine", core, "r", "0.2", "", "hour", "", "tax"), []string{"26-01-31T03-04 tax 0.2/0.2/0.2 USD for 1"}},
		{row("Compute Engine", core, "r", "0.2", "", "hour", "", "adjustment"), []string{"26-01-31T03-04 refund or correction 0.2/0.2/0.2 USD for 1"}},
		{row("Compute Engine", core, "r", "0.2", "", "hour", "", "rounding_error"), []string{"26-01-31T03-04 rounding 0.2/0.2/0.2 USD for 1"}},
		{row("Compute Engine", core, "r", "0.5", "", "hour", `[{""name"":""cud"",""amount"":-0.3,""type"":""COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE""}]`, ""), []string{
			`26-01-31T03-04 covered 0.5/0.5/0.5 USD 4h of E2 core r Committed use discount committed use "cud" 4 Hours r for 1`,
			`26-01-31T03-04 covered -0.3/-0.3/0 USD 0h of E2 core r Committed use discount committed use "cud" 0 Hours r for 1`}},
		{row("Compute Engine", core, "r", "0.5", "", "hour", `[{'name':'x','amount':-0.1,'type':'PROMOTION'},{'name':'y','amount':-0.2,'type':'SUSTAINED'}]`, ""), []string{
			`26-01-31T03-04 on_demand 0.5/0.5/0.5 USD 4h of E2 core r for 1`, `26-01-31T03-04 credit -0.1/-0.1/0 USD for 1`, `26-01-31T03-04 credit -0.2/-0.2/0 USD for 1`}},
		{row("Other", core, "r", "0.5", "", "hour", `[{""name"":""cud"",""amount"":-0.3,""type"":""COMMITTED_USAGE_DISCOUNT""}]`, ""), []string{
			`26-01-31T03-04 usage of something other than instances 0.5/0.5/0.5 USD for 1`, `26-01-31T03-04 credit -0.3/-0.3/0 USD for 1`}},
	} {
		var got []string
		k := usage.Collector{Each: func(r *usage.Row) { got = append(got, said(r)) }}
		err := Read(&k, "a", strings.NewReader(head+c.row))
		if d := cmp.Diff(c.want, got); d != "" || err != nil {
			t.Errorf("%s%s, %v", c.row, d, err)
		}
	}
	for row, column := range map[string]string{
		row("Compute Engine", core, "r", "0.5", "x", "hour", "", ""):                                     "column 10 (cost_at_list)",
		strings.Replace(row("Compute Engine", core, "r", "1", "", "hour", "", ""), ",4,", ",x,", 1):      "column 12",
		strings.Replace(row("Compute Engine", core, "r", "1", "", "hour", "", ""), "T04", " at four", 1): "column 6",
		row("Compute Engine", core, "r", "1", "", "hour", `[{""amount"":""x""}]`, ""):                    "column 14",
		row("Compute Engine", core, "r", "1", "", "hour", `[{""name"":""no amount""}]`, ""):              "column 14",
		row("Compute Engine", core, "r", "1", "", "hour", "", "") + "1,2\n":                              "line 3",
	} {
		var c usage.Collector
		err := Read(&c, "a", strings.NewReader(head+row))
		if !errors.Is(err, usage.ErrSyntax) || !strings.Contains(err.Error(), column) {
			t.Errorf("%s: %v, want %s", row, err, column)
		}
	}
	// The same line twice is noticed, with and without credits between; its credits are not lines.
	one := row("Compute Engine", core, "r", "0.5", "", "hour", `[{'name':'x','amount':-0.1,'type':'P'},{'name':'x','amount':-0.1,'type':'P'}]`, "")
	var c usage.Collector
	if err := Read(&c, "a", strings.NewReader(head+one)); err != nil {
		t.Errorf("two equal credits: %v", err)
	}
	if err := Read(&c, "b", strings.NewReader(head+one+one)); !errors.Is(err, usage.ErrRepeated) {
		t.Errorf("the same line twice: %v", err)
	}
}

func TestHeaders(t *testing.T) {
	readertest.Headers(t, "gcp", Read, Form, map[string]bool{
		"sku_description,usage_start_time,cost": true, "SKU.description,usage.start.time,cost": true,
		"sku_description,usage_start_time": false, "sku_description,cost": false, "usage_start_time,cost": false, "cost": false,
	})
}
