package focus

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// sums adds up columns of a file by encoding/csv and math/big.
func sums(t *testing.T, data []byte, columns ...string) []*big.Rat {
	t.Helper()
	if zip, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		if data, err = io.ReadAll(zip); err != nil {
			t.Fatal(err)
		}
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]*big.Rat, len(columns))
	for i, column := range columns {
		out[i] = new(big.Rat)
		for j, name := range rows[0] {
			if name != column {
				continue
			}
			for _, row := range rows[1:] {
				if x, ok := new(big.Rat).SetString(row[j]); ok {
					out[i].Add(out[i], x)
				}
			}
		}
	}
	return out
}

func rat(a usage.Amount) *big.Rat {
	r, _ := new(big.Rat).SetString(a.String())
	return r
}

// Every sample is read or refused with a reason, and no money is lost: what
// encoding/csv and math/big add up is the total, and the total is its parts.
func TestSamples(t *testing.T) {
	dir := shared.File(t, "inputs/focus")
	files, err := filepath.Glob(filepath.Join(dir, "*.csv*"))
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	refused := map[string]string{
		"commitment_discount_purchase_scenario_2.csv":                                               `focus: line 4, column 4 (ChargePeriodEnd): malformed text: "2023-02-01T30:00:00Z": want a time such as 2024-09-18T22:00:00Z`,
		"commitment_discount_purchase_scenario_3.csv":                                               `focus: line 5, column 4 (ChargePeriodEnd): malformed text: "2023-02-01T30:00:00Z": want a time such as 2024-09-18T22:00:00Z`,
		"one_hundred_percent_utilization_with_commitment_discount_flexibility_with_2_resources.csv": "focus: line 6: counted twice: the row is the same as one_hundred_percent_utilization_with_commitment_discount_flexibility_with_2_resources.csv, line 4: want each row once, or the option to keep repeated rows",
	}
	for _, path := range files {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c usage.Collector
		err = Read(&c, name, bytes.NewReader(data))
		if want, ok := refused[name]; ok {
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v\nwant %s", name, err, want)
			}
			if !errors.Is(err, usage.ErrRepeated) {
				continue
			}
			c = usage.Collector{KeepRepeats: true}
			err = Read(&c, name, bytes.NewReader(data))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := c.Bill()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := &b.Files[0]
		for i, want := range sums(t, data, "BilledCost", "EffectiveCost", "ListCost") {
			got := [...]usage.Amount{f.Total.Billed, f.Total.Effective, f.Total.List}[i]
			parts := [...]usage.Amount{f.Classified().Billed, f.Classified().Effective, f.Classified().List}[i]
			for _, l := range f.Left {
				parts = parts.Plus([...]usage.Amount{l.Sum.Billed, l.Sum.Effective, l.Sum.List}[i])
			}
			if rat(got).Cmp(want) != 0 || parts != got {
				t.Errorf("%s: amount %d is %v, its parts %v; want %s", name, i, got, parts, want.FloatString(18))
			}
		}
		t.Logf("%s (%s): %s", name, f.Format, b.Currency)
		line := func(what string, s usage.Sum) {
			if s.Rows > 0 {
				t.Logf("  %-50s %5d rows %24v %24v %24v", what, s.Rows, s.Billed, s.Effective, s.List)
			}
		}
		line("total", f.Total)
		line("on demand", f.OnDemand)
		line("covered", f.Covered)
		line("unused", f.Unused)
		line("purchases", f.Purchases)
		for _, l := range f.Left {
			line("left out: "+l.Reason, l.Sum)
		}
		for _, d := range b.Demand {
			used, covered := d.Hours()
			t.Logf("  %v: %v hours, %v covered, %d slots of %v", d.Kind, used, covered, len(d.Used), d.Slot)
		}
		for i, h := range b.Held {
			if i < 4 {
				t.Logf("  held %s %s: %v %s an hour, used %v, unused %v, until %v, %v", h.Type, h.ID, h.PerHour, h.Unit, h.Used, h.Unused, h.End.Format("2006-01-02"), fmt.Sprint(h.Kinds))
			}
		}
		for _, n := range b.Notes {
			t.Logf("  note: %+v", n)
		}
	}
	_ = strings.Contains
}
