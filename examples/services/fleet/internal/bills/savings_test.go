package bills

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve"
)

// sp is a savings plan, of which a row uses so many hundredths of a dollar.
func sp(cents int64) usage.Commitment {
	return usage.Commitment{ID: "sp", Type: "Savings Plan", Spend: true, Unit: "USD", Quantity: usage.Units(cents).Scale(1, 100)}
}

// paid returns use of two instances that a savings plan pays for.
func paid(account, kind string, hour int, c usage.Commitment) usage.Row {
	return covered(account, kind, hour, 2, c)
}

// idle returns what nothing used of a savings plan in an hour.
func idle(account string, hour int, c usage.Commitment) usage.Row {
	r := row(account, "", hour, 0)
	r.Charge, r.Hours, r.Kind, r.Commitment = usage.Unused, usage.Amount{}, usage.Kind{Provider: "aws", Region: "us-east-1"}, c
	return r
}

func reasons(failed []record.Failure) (all []string) {
	for _, f := range failed {
		all = append(all, f.Account+": "+f.Reason)
	}
	return all
}

func termsOf() group.Terms {
	return group.Terms{Provider: "aws", Currency: "USD", Start: start.Add(hours * time.Hour), Hours: hours, Every: 24, Horizon: reserve.Pure,
		Term: 8760 * time.Hour}
}

// hold reads files, and returns the savings plans that all accounts hold, added to terms.
func hold(t *testing.T, p *Pricer, x *group.Terms, files ...string) (demand map[string]int, failed []record.Failure) {
	t.Helper()
	p.Plan = "1y-compute-no-upfront"
	if err := p.Load([]string{save(t, t.TempDir(), "prices.csv", prices),
		save(t, t.TempDir(), "rates.csv", rateHeader+rate("USD", "ComputeSavingsPlans", "us-east-1", "m5", "No Upfront"))}); err != nil {
		t.Fatal(err)
	}
	byAccount := map[string][][]byte{}
	for _, f := range files {
		Records(f, p.From, x.Hours, func(account string, b []byte) { byAccount[account] = append(byAccount[account], b) })
	}
	var all record.Inventory
	demand = map[string]int{}
	for account, records := range byAccount {
		if account == "" {
			continue
		}
		groups, plans, bad, err := p.Groups(x, records)
		if err != nil {
			t.Fatal(err)
		}
		all.Merge(&plans)
		failed = append(failed, bad...)
		for _, g := range groups {
			demand[account] += g.Demand[0]
		}
	}
	failed = append(failed, p.Held(x, &all)...)
	if err := x.Validate(); err != nil {
		t.Fatal(err)
	}
	return demand, failed
}

// A savings plan holds what it paid for all accounts that are planned and for nothing, whatever
// the files; the use that it paid for is demand.
func TestSavings(t *testing.T) {
	dir := t.TempDir()
	end := start.Add(1000 * time.Hour)
	bought := func(cents int64) usage.Row {
		r := idle("owner", 0, sp(cents*1001))
		r.Charge, r.Start, r.End, r.Commitment.Once, r.Billed, r.List = usage.Purchase, start.Add(-time.Hour), end, true, usage.Units(9), usage.Units(9)
		return r
	}
	lambda := idle("a", 3, sp(7)) // other use than instances
	lambda.Charge, lambda.Reason = usage.LeftOut, usage.OtherUsage
	ended, euro := sp(100), row("bad", "m5.large", 1, 1)
	ended.ID, euro.Currency = "old", "EUR"
	for _, c := range []struct {
		name       string
		a, b, idle func(h int) int64 // cents of each hour
		more       []usage.Row
		until      time.Time // -held-until
		hourly     string
		ends       time.Time
		assumed    bool
	}{
		{name: "one account", a: func(int) int64 { return 60 }, hourly: "0.6", ends: start.Add(2 * hours * time.Hour), assumed: true},
		{name: "until a day", a: func(int) int64 { return 60 }, until: end, hourly: "0.6", ends: end},
		{name: "two accounts and none", a: func(h int) int64 { return 60 }, b: func(h int) int64 { return int64(40 * (h % 2)) },
			idle: func(h int) int64 { return int64(40 * (1 - h%2)) }, hourly: "1", ends: start.Add(2 * hours * time.Hour), assumed: true},
		{name: "its purchase", a: func(int) int64 { return 60 }, idle: func(int) int64 { return 40 }, more: []usage.Row{bought(100)}, until: start, hourly: "1",
			ends: end},
		{name: "rounded", a: func(h int) int64 { return 598 - int64(h%2) }, more: []usage.Row{bought(600)}, hourly: "6", ends: end},
		{name: "others have a part", a: func(h int) int64 { return int64(h % 2 * 10) }, b: func(int) int64 { return 30 }, more: []usage.Row{bought(100)},
			hourly: "0.35", ends: end},
		{name: "rows until a day before", a: func(h int) int64 { return int64((hours - 24 - h + 47) / 48 * 60) },
			more: []usage.Row{row("a", "m5.large", hours-1, 2)}, hourly: "0.6", ends: start.Add(2 * hours * time.Hour), assumed: true},
		{name: "other use", a: func(int) int64 { return 60 }, more: []usage.Row{lambda}, hourly: "0.6", ends: start.Add(2 * hours * time.Hour), assumed: true},
		{name: "an account that fails", a: func(int) int64 { return 60 }, more: []usage.Row{paid("bad", "m5.large", 2, sp(30)), euro}, hourly: "0.6",
			ends: start.Add(2 * hours * time.Hour), assumed: true},
		{name: "hours without rows", a: func(h int) int64 { return int64(h / 24 * 60) }, hourly: "0.6", ends: start.Add(2 * hours * time.Hour), assumed: true},
	} {
		var rows []usage.Row
		for h := range hours {
			for i, f := range []func(int) int64{c.a, c.b, c.idle} {
				if f == nil || f(h) == 0 {
					continue
				}
				if i == 2 {
					rows = append(rows, idle("owner", h, sp(f(h))))
					continue
				}
				rows = append(rows, paid(string(rune('a'+i)), "m5.large", h, sp(f(h))))
			}
		}
		rows = append(rows, c.more...)
		rows = append(rows, row("z", "m5.large", 0, 1)) // so that none of three files is empty
		var split [3][]usage.Row
		for i, r := range rows {
			split[i*7%3] = append(split[i*7%3], r)
		}
		for n, files := range [][]string{
			{write(t, dir, "all.csv", rows...)},
			{write(t, dir, "x.csv", split[0]...), write(t, dir, "y.csv", split[1]...), write(t, dir, "z.csv", split[2]...)},
			{write(t, dir, "r.csv", split[2]...), write(t, dir, "p.csv", split[1]...), write(t, dir, "q.csv", split[0]...)},
		} {
			x := termsOf()
			demand, failed := hold(t, &Pricer{From: start, Until: c.until}, &x, files...)
			var got []string
			for _, h := range x.Held {
				got = append(got, fmt.Sprint(h.ID, " ", h.Hourly, " ", h.Until, " ", h.Assumed))
			}
			if diff := cmp.Diff([]string{fmt.Sprint("sp ", c.hourly, " ", c.ends, " ", c.assumed)}, got); diff != "" {
				t.Errorf("%s, files %d: %q\n%s", c.name, n, reasons(failed), diff)
			}
			if bad := strings.HasPrefix(c.name, "an account"); len(failed) > 0 != bad || demand["bad"] != 0 {
				t.Errorf("%s, files %d: %v, %q", c.name, n, demand, reasons(failed))
			}
			if c.a != nil && c.a(0) > 0 && demand["a"] != 2 {
				t.Errorf("%s, files %d: %v: want the 2 instances that it pays for", c.name, n, demand)
			}
		}
	}
	// A row of a day is spread over its hours, and hours of other bills do not count.
	day := func(cents int64, at int) usage.Row {
		r := paid("a", "m5.large", at, sp(cents))
		r.End, r.Hours = r.Start.Add(24*time.Hour), usage.Units(48)
		return r
	}
	left := idle("a", 0, sp(20*hours))
	left.End = start.Add(hours * time.Hour)
	all := []usage.Row{day(24*60, 0), day(24*60, 24), left}
	for _, h := range []int{-30, -1, hours, hours + 7} {
		all = append(all, idle("a", h, sp(9900)))
	}
	days := termsOf()
	if demand, failed := hold(t, &Pricer{From: start}, &days, write(t, dir, "days.csv", all...)); len(failed) > 0 || len(days.Held) != 1 ||
		days.Held[0].Hourly != 800*pricing.Milli || demand["a"] != 2 {
		t.Errorf("%q, %+v, %v", reasons(failed), days.Held, demand)
	}
	// A day before the plan says that it has ended, and no rates are wanted then.
	x := termsOf()
	x.Term = 0
	if demand, failed := hold(t, &Pricer{From: start, Until: x.Start}, &x, write(t, dir, "b.csv", paid("b", "m5.large", 0, sp(50)))); len(failed) > 0 ||
		len(x.Held) > 0 || demand["b"] != 2 {
		t.Errorf("%q, %v, %v", reasons(failed), x.Held, demand)
	}
	// One that has ended holds nothing, and one that the terms state stays as they state it.
	x = termsOf()
	x.Held = []group.Commitment{{ID: "sp", Hourly: 5, Until: x.At(1)}}
	over := bought(100)
	over.Start, over.End, over.Commitment.ID = start.Add(-1000*time.Hour), start.Add(hours*time.Hour), "old"
	demand, failed := hold(t, &Pricer{From: start}, &x, write(t, dir, "old.csv", paid("a", "m5.large", 0, ended), over, paid("b", "m5.large", 0, sp(50))))
	if len(x.Held) != 1 || x.Held[0].Hourly != 5 || len(failed) != 0 && failed[0].Account == "b" || demand["b"] != 2 {
		t.Errorf("%+v, %v, %+v", x.Held, demand, failed)
	}
}

// What is not understood of a savings plan is said, and by whom.
func TestSavingsRefused(t *testing.T) {
	dir := t.TempDir()
	other := row("a", "m5.large", 0, 2)
	other.Charge, other.Commitment = usage.Covered, sp(0)
	other.Effective = usage.Amount{}
	unit := sp(60)
	unit.Unit = "Normalized Hours"
	late := idle("a", 0, sp(100*8760))
	late.Charge, late.Start, late.End, late.Commitment.Once = usage.Purchase, start.Add((hours+1)*time.Hour), start.Add((hours+8761)*time.Hour), true
	alone := late
	alone.Start, alone.End = start.Add(-time.Hour), start.Add(1000*time.Hour)
	huge := sp(60)
	huge.Quantity = usage.Units(100_000_000_000)
	back := sp(-60)
	for _, c := range []struct {
		name  string
		terms func(x *group.Terms)
		rows  []usage.Row
		want  string
	}{
		{"no rates", func(x *group.Terms) { x.Term = 0 }, []usage.Row{paid("a", "m5.large", 0, sp(60))},
			`the savings plan "sp" pays for use of the account, and without -plan`},
		{"provider", func(x *group.Terms) { x.Provider = "azure" }, []usage.Row{paid("a", "m5.large", 0, sp(60))},
			`the savings plan "sp" is of aws, and -plan names one of azure: want accounts of one cloud`},
		{"unit", nil, []usage.Row{paid("a", "m5.large", 0, unit)}, `has its quantities in "Normalized Hours": want USD`},
		{"no money", nil, []usage.Row{other}, `pays for use, and its rows say no money: want CommitmentDiscountQuantity or EffectiveCost`},
		{"begins later", nil, []usage.Row{row("a", "m5.large", 0, 1), late},
			`the savings plan "sp" that is held: it begins at 2025-11-03T01:00:00Z, after the first hour that is planned, 2025-11-03T00:00:00Z`},
		{"too much", nil, []usage.Row{paid("a", "m5.large", 0, huge)}, "overflow: with it the savings plans come to more than 9223372036.854775807 an hour"},
		{"too much together", func(x *group.Terms) {
			x.Held = []group.Commitment{{ID: "stated", Hourly: math.MaxInt64, Until: x.At(1)}}
		}, []usage.Row{paid("a", "m5.large", 0, sp(60))}, "overflow: with it"},
		{"its purchase alone", nil, []usage.Row{row("a", "m5.large", 0, 1), alone},
			"its purchase is in the bills, and no row says what it pays for: want a line for it in -held"},
		{"paths", func(x *group.Terms) { x.Term, x.Paths = 0, 5 }, []usage.Row{paid("a", "m5.large", 0, sp(60))},
			`the savings plan "sp" pays for use of the account, and -futures plans without savings plans: want this account planned without -futures`},
		{"nothing", nil, []usage.Row{row("a", "m5.large", 0, 1), idle("a", 0, sp(0))}, "its rows come to 0 an hour: want an amount above 0"},
		{"negative", nil, []usage.Row{row("a", "m5.large", 0, 1), idle("a", 0, back)}, "its rows come to -0.6 an hour: want an amount above 0"},
	} {
		x := termsOf()
		if c.terms != nil {
			c.terms(&x)
		}
		before := len(x.Held)
		_, failed := hold(t, &Pricer{From: start}, &x, write(t, dir, "a.csv", c.rows...))
		if len(failed) != 1 || !strings.Contains(failed[0].Reason, c.want) || len(x.Held) != before {
			t.Errorf("%s: %q, %+v\nwant %s", c.name, reasons(failed), x.Held, c.want)
		}
	}
	// Rows that are many years apart do not cost memory.
	far := idle("a", 0, sp(1))
	far.Start, far.End = start.AddDate(90, 0, 0), start.AddDate(90, 0, 0).Add(time.Hour)
	x := termsOf()
	if _, failed := hold(t, &Pricer{From: start}, &x, write(t, dir, "a.csv", row("a", "m5.large", 0, 1), idle("a", 0, sp(1)), far)); len(failed) != 1 ||
		!strings.Contains(failed[0].Reason, "line 4: 2115-11-01T00:00:00Z: the savings plan") {
		t.Errorf("%+v", failed)
	}
}

// Contracts state savings plans: a name, money an hour, and an end.
func TestStated(t *testing.T) {
	x := termsOf()
	read := func(text string) ([]group.Commitment, error) {
		list, err := heldfile.Read("-held", save(t, t.TempDir(), "held.json", text))
		if err != nil {
			t.Fatal(err)
		}
		return Stated(list, &x)
	}
	got, err := read(`[{"id": "a", "spend": 1.5, "until": "2025-12-01"}, {"id": "b", "spend": 2, "until": "48h"}, {"id": "c", "class": "sp", "spend": 0.25, "until": 3}]`)
	want := []group.Commitment{
		{ID: "a", Hourly: 1500 * pricing.Milli, Until: time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "b", Hourly: 2 * pricing.Unit, Until: x.At(hours)},
		{ID: "c", Hourly: 250 * pricing.Milli, Until: x.At(3)},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		`[{"class": "sp", "spend": 1, "until": 1}]`:                                                    "contract 0: want savings plans, each with an id and spend",
		`[{"id": "a", "until": 1}]`:                                                                    "contract 0: want savings plans",
		`[{"id": "a", "spend": 1, "until": 1}, {"id": "a", "spend": 2, "until": 1}]`:                   `contract 1: the savings plan "a" is there twice: want it once`,
		`[{"id": "a", "spend": 9000000000, "until": 1}, {"id": "b", "spend": 9000000000, "until": 1}]`: "contract 1: with it the savings plans come to more than",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A cost and usage report says in the row of the fee what nothing used.
func TestSavingsReport(t *testing.T) {
	const header = "identity/LineItemId,identity/TimeInterval,bill/PayerAccountId,lineItem/UsageAccountId,lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/Operation,lineItem/UsageAmount,lineItem/CurrencyCode,lineItem/UnblendedCost,product/region,product/instanceType,product/tenancy,product/operatingSystem,pricing/unit,savingsPlan/SavingsPlanARN,savingsPlan/SavingsPlanEffectiveCost,savingsPlan/TotalCommitmentToDate,savingsPlan/UsedCommitment,savingsPlan/StartTime,savingsPlan/EndTime\n"
	var b strings.Builder
	b.WriteString(header)
	for h := range hours {
		at, to := start.Add(time.Duration(h)*time.Hour).Format(time.RFC3339), start.Add(time.Duration(h+1)*time.Hour).Format(time.RFC3339)
		used := 60 + h%2*10
		fmt.Fprintf(&b, "u%d,%s/%s,1,2,SavingsPlanCoveredUsage,%s,%s,AmazonEC2,BoxUsage:m5.large,RunInstances,2,USD,0.2,us-east-1,m5.large,Shared,Linux,Hrs,sp,0.%d,,,2025-01-01T00:00:00.000Z,2025-12-31T23:59:59.000Z\n", h, at, to, at, to, used)
		fmt.Fprintf(&b, "f%d,%s/%s,1,1,SavingsPlanRecurringFee,%s,%s,ComputeSavingsPlans,ComputeSP:1yrNoUpfront,,1,USD,1,,,,,,sp,,1,0.%d,2025-01-01T00:00:00.000Z,2025-12-31T23:59:59.000Z\n", h, at, to, at, to, used)
	}
	x := termsOf()
	demand, failed := hold(t, &Pricer{From: start}, &x, save(t, t.TempDir(), "cur.csv", b.String()))
	want := []group.Commitment{{ID: "sp", Hourly: pricing.Unit, Until: time.Date(2025, 12, 31, 23, 59, 59, 0, time.UTC)}}
	if diff := cmp.Diff(want, x.Held); diff != "" || len(failed) > 0 || demand["2"] != 2 {
		t.Errorf("%q, %v\n%s", reasons(failed), demand, diff)
	}
}
