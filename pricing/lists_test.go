package pricing

import (
	"encoding/csv"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// priceRows reads a CSV file of the reference material as one map a row.
func priceRows(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(shared.File(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, field := range record {
			row[records[0][i]] = field
		}
		rows = append(rows, row)
	}
	return rows
}

// listFrom builds a list from rows of prices, in their order, light to heavy for
// each term.
func listFrom(t *testing.T, onDemand string, rows []map[string]string, kind string) List {
	t.Helper()
	money := func(s string) Money {
		m, err := ParseMoney(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	l := List{OnDemand: money(onDemand)}
	for _, years := range []string{"1", "3"} {
		for _, row := range rows {
			if row["term_years"] != years {
				continue
			}
			c := Class{Name: years + "y-" + row[kind], Upfront: money(row["upfront_usd"]), Hourly: money(row["hourly_usd"])}
			if c.Term = 365 * 24 * time.Hour; years == "3" {
				c.Term *= 3
			}
			if row[kind] != "heavy" {
				c.Billed = WhenUsed
			}
			l.Classes = append(l.Classes, c)
		}
	}
	return l
}

// list2012 has the prices of 14 June 2012, for one year only. Source: the price
// table of the program EMRio of that day.
func list2012() List {
	l := CC28XLarge2013()
	l.Classes = l.Classes[:3:3]
	return l
}

// list2014 has the prices of 10 April 2014: the reservations unchanged. Source:
// EC2's price files of that day.
func list2014() List {
	l := CC28XLarge2013()
	l.OnDemand = 2 * Unit
	return l
}

func TestCC28XLarge(t *testing.T) {
	byDate := map[string][]map[string]string{}
	onDemand := map[string]string{}
	for _, row := range priceRows(t, "prices/ec2_cc2.8xlarge_us-east_2012-2014.csv") {
		date := row["source_date"]
		if row["class"] == "on_demand" {
			onDemand[date] = row["hourly_usd"]
			continue
		}
		byDate[date] = append(byDate[date], row)
	}
	for _, date := range []string{"2013-06-05", "2013-09-26", "2013-11-15"} {
		if got := onDemand[date]; got != "2.4" && got != "2.400" {
			t.Errorf("%s: %q on demand, want 2.4", date, got)
		}
	}
	var later []map[string]string
	for _, row := range priceRows(t, "prices/ec2_linux_reserved_2014.csv") {
		if row["feed_commit_date"] == "2014-04-10" && row["region"] == "us-east" && row["instance_type"] == "cc2.8xlarge" {
			later = append(later, row)
		}
	}
	if len(later) != 6 {
		t.Fatalf("%d prices of 2014-04-10, want 6", len(later))
	}
	for _, tt := range []struct {
		name string
		got  List
		want List
	}{
		{"2012", list2012(), listFrom(t, onDemand["2012-06-14"], byDate["2012-06-14"], "class")},
		{"2013", CC28XLarge2013(), listFrom(t, onDemand["2014-03-19"], byDate["2014-03-19"], "class")},
		{"2014", list2014(), listFrom(t, later[0]["on_demand_usd_per_hour"], later, "utilization_class")},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The class lists of the reference material have the prices of 2013. Where they
// are for weekly decisions, terms are 52 and 156 whole weeks.
func TestCC28XLargeJSON(t *testing.T) {
	prices := map[string]Class{}
	for _, c := range CC28XLarge2013().Classes {
		prices[c.Name] = c
	}
	for name, weekly := range map[string]bool{
		"cc2.8xlarge-2013-all": true, "cc2.8xlarge-2013": true, "cc2.8xlarge-2013-heavy-always": true,
		"cc2.8xlarge-2013-1y-heavy": false, "cc2.8xlarge-2013-1y-3y-heavy": false,
	} {
		f, err := os.Open(shared.File(t, "demand/"+name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadList(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := List{OnDemand: CC28XLarge2013().OnDemand}
		for _, c := range got.Classes {
			w := prices[c.Name]
			if weekly {
				w.Term = w.Term / Year * 52 * 7 * 24 * time.Hour
			}
			want.Classes = append(want.Classes, w)
		}
		if name == "cc2.8xlarge-2013" { // as the paper bills
			want = whenUsed(want)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestListsAreFresh(t *testing.T) {
	l := CC28XLarge2013()
	if err := l.Validate(); err != nil {
		t.Error(err)
	}
	l.Classes[0].Upfront = 0
	if CC28XLarge2013().Classes[0].Upfront != 1762*Unit {
		t.Error("a change of the list changes the next one")
	}
}
