package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve"
)

// run runs the program in this process, and returns what the folder of -out holds.
func run(t *testing.T, args ...string) (files map[string]string, stdout string) {
	t.Helper()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if status := program.Run(append(args, "-out", dir), &out, &errs); status != 0 {
		t.Fatalf("%q: status %d: %s", args, status, errs.String())
	}
	files = map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(p)] = string(b)
	}
	return files, out.String()
}

// day is the first hour of the bills.
var day = time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)

// use returns a row of use on demand at 0.1 a unit, in an hour from day on.
func use(account, kind string, hour int, units int64) usage.Row {
	at, money := day.Add(time.Duration(hour)*time.Hour), usage.Units(units).Scale(1, 10)
	return usage.Row{Account: account, Currency: "USD", Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand, Hours: usage.Units(units),
		Billed: money, Effective: money, List: money,
		Kind: usage.Kind{Provider: "aws", Region: "us-east-1", Type: kind, System: "linux", Tenancy: "shared"}}
}

// covered returns a row as one that a savings plan pays for.
func covered(row usage.Row, plan, name string, paid usage.Amount) usage.Row {
	row.Charge, row.Billed, row.Effective = usage.Covered, usage.Amount{}, paid
	row.Commitment = usage.Commitment{ID: plan, Name: name, Type: "Savings Plan", Spend: true, Unit: "USD", Quantity: paid}
	return row
}

// bill writes a bill, and returns its path.
func bill(t *testing.T, dir, name string, rows []usage.Row) string {
	t.Helper()
	var b bytes.Buffer
	w := focus.NewWriter(&b)
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return save(t, dir, name, b.String())
}

func save(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

var small = []string{"-curves", "45", "-sample", "15", "-rounds", "3", "-parts", "3"}

// ratesList writes the rates of the savings plan 1y-compute-no-upfront, and returns its path.
func ratesList(t *testing.T, dir string) string {
	t.Helper()
	return save(t, dir, "rates.csv", `"FormatVersion","v1.0"
"OfferCode","AmazonComputeSavingsPlan"
SKU,RateCode,Unit,EffectiveDate,DiscountedRate,Currency,DiscountedSKU,DiscountedServiceCode,DiscountedUsageType,DiscountedOperation,PurchaseOption,LeaseContractLength,LeaseContractLengthUnit,ServiceCode,UsageType,Operation,Description,Instance Family,Location,Location Type,Granularity,Product Family,DiscountedRegionCode,DiscountedInstanceType
P,P.1,Hrs,2025-06-05T18:51:13Z,0.07,USD,A,AmazonEC2,BoxUsage:m5.large,RunInstances,No Upfront,1,year,ComputeSavingsPlans,ComputeSP:1yrNoUpfront,,1 year No Upfront Compute Savings Plan,,Any,AWS Region,hourly,ComputeSavingsPlans,us-east-1,m5.large
Q,Q.1,Hrs,2025-06-05T18:51:13Z,0.065,USD,A,AmazonEC2,BoxUsage:m5.large,RunInstances,No Upfront,1,year,ComputeSavingsPlans,EC2SP:m5.1yrNoUpfront,,1 year No Upfront m5 EC2 Instance Savings Plan in us-east-1,m5,US East,AWS Region,hourly,EC2InstanceSavingsPlans,us-east-1,m5.large
`)
}

// heldBills writes the bills of two accounts, 5 and 10 m5.large in each of 96 hours, of which a
// savings plan of 0.35 an hour pays for 5, and returns the flags that plan them.
func heldBills(t *testing.T, dir string) []string {
	t.Helper()
	for file := range 2 {
		var rows []usage.Row
		for h := 48 * file; h < 48*file+48; h++ {
			rows = append(rows, use("a", "m5.large", h, 3), covered(use("a", "m5.large", h, 2), "sp", "", usage.Units(14).Scale(1, 100)),
				use("b", "m5.large", h, 7), covered(use("b", "m5.large", h, 3), "sp", "", usage.Units(21).Scale(1, 100)))
		}
		bill(t, dir, fmt.Sprintf("held-%d.csv", file), rows)
	}
	return []string{"-bill", filepath.Join(dir, "held-*.csv"), "-start", "2025-11-01", "-hours", "96", "-prices", priceList(t, dir), "-prices",
		ratesList(t, dir), "-plan", "1y-compute-no-upfront", "-rounds", "3"}
}

// A savings plan that the bills hold is paid already, and pays for use of all accounts. What
// follows is computed by hand: 15 units in each of 96 hours, on demand at 0.1, reserved at 0.06, at
// 0.07 out of a savings plan.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	args := heldBills(t, dir)
	much := save(t, dir, "much.json", `[{"id": "sp", "spend": 2, "until": "96h"}]`)
	for _, c := range []struct {
		more       []string
		want, note string
	}{
		// The savings plan pays for 5, and 10 are reserved, of which accounts does not matter: 10·0.06·96.
		{nil, "savings plans held: 0.35 an hour at first, paid already; unused with the new ones 0.00\n",
			`no row says until when the savings plan "sp" will be held: `},
		{nil, " cost 57.6 bound 57.5", ""},
		{[]string{"-held-until", "2025-11-20"}, " cost 57.6 bound 57.5", ""},
		// After 48 hours the 5 run on demand: 57.6 + 5·0.1·48.
		{[]string{"-held-until", "2025-11-07"}, " cost 81.6 bound ", ""},
		// All are paid for, and (2 - 15·0.07)·96 are left.
		{[]string{"-held", much}, "savings plans held: 2 an hour at first, paid already; unused with the new ones 91.20\n", ""},
		{[]string{"-held", much}, "\norders 0 cost 0 bound 0 ", ""},
	} {
		var out, errs bytes.Buffer
		status := program.Run(append(slices.Clone(args), c.more...), &out, &errs)
		if status != 0 || !strings.Contains(out.String(), c.want) || !strings.Contains(errs.String(), c.note) || len(c.more) > 0 &&
			strings.Contains(errs.String(), "until when") {
			t.Errorf("%v: status %d\n%s%s\nwant %q and %q", c.more, status, out.String(), errs.String(), c.want, c.note)
		}
	}
}

// A savings plan that is held pays for what is planned, once, and at rates that are known. What
// follows is computed by hand: 12 m5 of account a and c5 of account b in each of 96 hours; m5 at 0.1,
// reserved at 0.06 and 0.07 out of the savings plan, c5 at 0.09, never reserved, and 0.05 out of it.
func TestHeldOnce(t *testing.T) {
	dir := t.TempDir()
	more := func(path string, lines string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return save(t, dir, filepath.Base(path), string(b)+lines)
	}
	prices := more(priceList(t, dir), `"C","JR","OnDemand","Hrs","0.09","USD","","","","Compute Instance","us-east-1","US East","c5.large","Shared","Linux","Used","RunInstances","4"
`)
	rates := more(ratesList(t, dir), `R,R.1,Hrs,2025-06-05T18:51:13Z,0.05,USD,C,AmazonEC2,BoxUsage:c5.large,RunInstances,No Upfront,1,year,ComputeSavingsPlans,ComputeSP:1yrNoUpfront,,1 year No Upfront Compute Savings Plan,,Any,AWS Region,hourly,ComputeSavingsPlans,us-east-1,c5.large
`)
	type used struct {
		account, kind string
		units         int64
		plan          string
		tenths        int64 // of money of the plan
		name          string
	}
	m5 := used{account: "a", kind: "m5.large", units: 12}
	const compute, family = "1y-compute-no-upfront", "1y-ec2-no-upfront/m5/us-east-1"
	half := func(until int) func(int) []used { // renewed after so many hours
		return func(h int) []used {
			of := "spA"
			if h >= until {
				of = "spB"
			}
			return []used{m5, {"b", "c5.large", 10, of, 5, ""}, {account: "b", kind: "c5.large", units: 10}}
		}
	}
	over := func(until int) func(int) []used { // not renewed
		return func(h int) []used {
			c5 := used{account: "b", kind: "c5.large", units: 10}
			if h < until {
				c5.plan, c5.tenths = "sp", 5
			}
			return []used{m5, c5}
		}
	}
	for _, c := range []struct {
		name, plan string
		uses       func(h int) []used
		more       []string
		want       string
		notes      []string
	}{
		// Half a dollar an hour is held: 10 of the 20 c5 for it, 10 out of a new one, and 12 m5 reserved.
		{"renewed", compute, half(48), nil, " cost 117.12 bound 117.1",
			[]string{`taken to have ended then: "spA" at 2025-11-03T00:00:00Z`, `no row says until when the savings plan "spB" will be held`}},
		{"renewed late", compute, half(90), nil, " cost 117.12 bound 117.1", []string{`"spA" at 2025-11-04T18:00:00Z`}},
		{"renewed, and an end for all", compute, half(48), []string{"-held-until", "2025-12-01"}, " cost 117.12 bound 117.1",
			[]string{`"spA" at 2025-11-03T00:00:00Z`}},
		// Two days without it, and the 10 c5 need another; an hour less, and it is held.
		{"not renewed", compute, over(48), nil, " cost 117.12 bound 117.1", []string{`"sp" at 2025-11-03T00:00:00Z`}},
		{"rows that are late", compute, over(49), nil, " cost 69.12 bound 69.1", []string{`no row says until when the savings plan "sp" will be held`}},
		// The 10 c5 are paid by 0.5 of the dollar, and m5 is reserved.
		{"no price", compute, func(int) []used {
			return []used{m5, {"b", "c5.large", 10, "sp", 5, ""}, {"b", "x9.large", 5, "sp", 5, ""}}
		}, nil, " cost 69.12 bound 69.1", []string{"x9.large linux shared: the price list has no such kind"}},
		{"no price by turns", compute, func(h int) []used {
			return []used{m5, {"b", "c5.large", 10, "", 0, ""}, {"b", []string{"c5.large", "x9.large"}[h%2], 10, "sp", 10, ""}}
		}, nil, "savings plans held: 0.5 an hour", nil},
		{"hours without rows", compute, func(h int) []used {
			all := []used{m5, {account: "b", kind: "c5.large", units: 1}}
			if h%4 == 3 {
				all = append(all, used{"b", "c5.large", 20, "sp", 10, ""})
			}
			return all
		}, nil, "savings plans held: 0.2", []string{`which count as 0: "sp" in 69 of its hours; -held says otherwise`}},
		// No rate of the plan is for c5: it is not planned, nor what paid for it.
		{"another family", family, func(int) []used { return []used{m5, {"b", "c5.large", 20, "sp", 10, ""}} }, nil, " cost 69.12 bound 69.1",
			[]string{`b, us-east-1, aws c5.large linux shared: the savings plan "sp" pays for it, and -plan 1y-ec2-no-upfront/m5/us-east-1 has no rate for it`,
				`the savings plan "sp" that is held: it paid for no use that is planned`}},
		{"another family and idle", family, func(int) []used {
			return []used{m5, {"b", "c5.large", 10, "sp", 5, ""}, {"owner", "", 0, "sp", 5, ""}}
		}, nil, " cost 69.12 bound 69.1", []string{`it paid for no use that is planned`}},
		// By its name the savings plan pays for m5 only, and -plan for c5, too: account a is planned without it.
		{"bound by name", compute, func(int) []used {
			return []used{m5, {"b", "m5.large", 5, "sp", 4, "EC2 Instance Savings Plan"}, {"owner", "", 0, "sp", 5, "EC2 Instance Savings Plan"}}
		}, nil, " cost 69.12 bound 69.1", []string{`the savings plan "sp" (Savings Plan EC2 Instance Savings Plan) pays for one family only, and -plan 1y-compute-no-upfront for all`}},
	} {
		var rows []usage.Row
		for h := range 96 {
			for _, u := range c.uses(h) {
				row := use(u.account, u.kind, h, u.units)
				if u.plan != "" {
					row = covered(row, u.plan, u.name, usage.Units(u.tenths).Scale(1, 10))
				}
				if u.kind == "" {
					row.Charge, row.Kind = usage.Unused, usage.Kind{Provider: "aws", Region: "us-east-1"}
				}
				rows = append(rows, row)
			}
		}
		args := append([]string{"-bill", bill(t, dir, "bill.csv", rows), "-start", "2025-11-01", "-hours", "96", "-prices", prices, "-prices", rates, "-plan", c.plan, "-parts", "1"},
			c.more...)
		var out, errs bytes.Buffer
		folder := t.TempDir()
		if status := program.Run(append(args, "-out", folder), &out, &errs); status != 0 || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: status %d\n%s%s\nwant %q", c.name, status, out.String(), errs.String(), c.want)
		}
		for _, note := range c.notes {
			if !strings.Contains(errs.String(), note) {
				t.Errorf("%s: %s\nwant %q", c.name, errs.String(), note)
			}
		}
		if strings.HasPrefix(c.name, "no price by") || strings.HasSuffix(c.name, "late") || c.name == "another family" { // by shards, too
			got := shards(t, 2, slices.Delete(args, 12, 14)...)
			for name, text := range got {
				want, err := os.ReadFile(filepath.Join(folder, name))
				if err != nil || text != string(want) {
					t.Errorf("%s: %s of the shards: %v\n%s\nwant\n%s", c.name, name, err, text, want)
				}
			}
		}
	}
}

// noisyBills writes the bills of three accounts whose use wanders, and returns the flags that plan
// them over paths.
func noisyBills(t *testing.T, dir string) []string {
	t.Helper()
	var rows []usage.Row
	rng := rand.New(rand.NewPCG(7, 7))
	level := [3]int{20, 40, 60}
	for h := range 720 {
		for i := range level {
			level[i] = max(0, level[i]+rng.IntN(7)-3)
			rows = append(rows, use(fmt.Sprint("account-", i), "m5.large", h, int64(level[i]+5*(h%24/12))))
		}
	}
	path := bill(t, dir, "noisy.csv", rows)
	return []string{"-bill", path, "-start", "2025-11-01", "-hours", "720", "-prices", priceList(t, dir), "-model", "simple", "-futures", "20", "-parts", "1"}
}

// A fleet over paths has a bound, and the same result whatever the bundles and the shards. Another
// seed has other paths.
func TestPaths(t *testing.T) {
	args := noisyBills(t, t.TempDir())
	want, stdout := run(t, append(args, "-branches", "1")...)
	m := regexp.MustCompile(`each curve over 20 paths: amounts are means\n(?s:.*)\norders [1-9]\d* cost ([\d.]+) bound ([\d.]+) `).FindStringSubmatch(stdout)
	if m == nil {
		t.Fatalf("%s", stdout)
	}
	cost, _ := strconv.ParseFloat(m[1], 64)
	if bound, _ := strconv.ParseFloat(m[2], 64); bound > cost || bound < cost-1e-7 {
		t.Errorf("%s: want a bound that is the cost", stdout)
	}
	// What the orders cost that would be best if the forecast came true, on the same paths.
	uses, failed, _ := bills.Read(args[1])
	if len(failed) > 0 || len(uses) != 3 {
		t.Fatalf("%d accounts, %v", len(uses), failed)
	}
	p := bills.Pricer{From: time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC), Model: "simple", Seed: 1}
	if err := p.Load([]string{args[7]}); err != nil {
		t.Fatal(err)
	}
	x := group.Terms{Currency: "USD", Start: p.From.Add(720 * time.Hour), Hours: 720, Every: 168, Horizon: reserve.Pure, Paths: 20}
	var over, forecast pricing.Money
	for i := range uses {
		groups, _, _ := p.Account(&x, uses[i:i+1])
		g := &groups[0]
		problem := reserve.Problem{Paths: g.Paths, Slot: time.Hour, Prices: g.List, Every: x.Every, Horizon: x.Horizon}
		known := problem
		known.Paths, known.Demand = nil, g.Demand
		for to, from := range map[*pricing.Money]*reserve.Problem{&over: &problem, &forecast: &known} {
			var exact reserve.Exact
			plan, err := exact.Solve(from)
			if err != nil {
				t.Fatal(err)
			}
			mean, err := reserve.Cost(&problem, plan.Purchases)
			if err != nil {
				t.Fatal(err)
			}
			*to += mean
		}
	}
	if got := over.Float64(); math.Abs(got-cost) > 1e-6 || forecast <= over {
		t.Errorf("over the paths %v, want %v, and for the forecast %v", over, cost, forecast)
	}
	t.Logf("planned over 20 paths: %s; for the forecast: %s on the same paths", over.Fixed(2), forecast.Fixed(2))
	got, _ := run(t, append(args, "-branches", "3")...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with branches (-one +three):\n%s", diff)
	}
	if diff := cmp.Diff(want, shards(t, 2, args[:len(args)-2]...)); diff != "" {
		t.Errorf("with shards (-engine +shards):\n%s", diff)
	}
	if got, _ := run(t, append(args, "-seed", "2")...); cmp.Equal(want["plans-00000-of-00001.csv"], got["plans-00000-of-00001.csv"]) {
		t.Error("another seed has the same plans")
	}
}

// shards plans by so many shards, and returns what their folder of -out holds, by name.
func shards(t *testing.T, of int, args ...string) map[string]string {
	t.Helper()
	work, out := t.TempDir(), t.TempDir()
	for round, status := range []int{3, 3, 0} {
		for i := range of {
			if said, got := fleet(t, append([]string{"shard", fmt.Sprintf("%d/%d", i+1, of), "-dir", work}, args...)...); got != 0 {
				t.Fatalf("round %d: %s", round, said)
			}
		}
		if said, got := fleet(t, "merge", "-dir", work, "-out", out, "-parts", "1"); got != status {
			t.Fatalf("round %d: status %d, want %d: %s", round, got, status, said)
		}
	}
	files := map[string]string{}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

// The result is the same on Prism in this process, whatever the bundles, and on Prism as a
// service.
func TestEngines(t *testing.T) {
	want, stdout := run(t, append(small, "-branches", "1", "-format", "csv,parquet,focus")...)
	if !regexp.MustCompile(`(?s)\norders \d+ cost [\d.]+ bound [\d.]+ seconds [\d.]+\n\nPlace the \d+ orders, .* now\.\n\z`).MatchString(stdout) {
		t.Errorf("the last line of:\n%s", stdout)
	}
	if len(want) != 2+3*5 {
		t.Errorf("%d files, want a summary, _SUCCESS, and 5 of each part", len(want))
	}
	got, _ := run(t, append(small, "-branches", "4", "-format", "csv,parquet,focus")...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with branches (-one +four):\n%s", diff)
	}
	billed := append(heldBills(t, t.TempDir()), "-held-until", "2025-11-07")
	held, stdout := run(t, append(billed, "-parts", "1", "-branches", "1")...)
	if !strings.Contains(stdout, " cost 81.6 bound ") {
		t.Errorf("%s", stdout)
	}
	got, _ = run(t, append(billed, "-parts", "1", "-branches", "3")...)
	if diff := cmp.Diff(held, got); diff != "" {
		t.Errorf("bills with branches (-one +three):\n%s", diff)
	}
	if diff := cmp.Diff(held, shards(t, 2, billed...)); diff != "" {
		t.Errorf("bills with shards (-engine +shards):\n%s", diff)
	}
	if testing.Short() {
		return
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().(*net.TCPAddr)
	l.Close()
	if _, err := prism.CreateJobServer(t.Context(), prism.Options{Port: at.Port}); err != nil {
		t.Fatal(err)
	}
	got, _ = run(t, append(append(small, "-format", "csv,parquet,focus"), "-endpoint", fmt.Sprint("localhost:", at.Port))...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by a service (-in process +as a service):\n%s", diff)
	}
}

// Parquet and FOCUS have the orders of the CSV.
func TestFormats(t *testing.T) {
	files, stdout := run(t, "-curves", "20", "-sample", "10", "-rounds", "2", "-parts", "1", "-format", "csv,parquet,focus", "-json")
	object := make([]struct{ Orders, Curves int }, 1)
	if json.Unmarshal([]byte(stdout), &object[0]) != nil {
		if err := json.Unmarshal([]byte(stdout), &object); err != nil {
			t.Fatalf("%v: %s", err, stdout)
		}
	}
	lines := strings.Count(files["orders-00000-of-00001.csv"], "\n") - 1
	if lines != object[0].Orders || object[0].Curves != 20 || lines == 0 {
		t.Errorf("%d lines, want %d orders of 20 curves: %d", lines, object[0].Orders, object[0].Curves)
	}
	text := files["orders-00000-of-00001.parquet"]
	f, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
	if err != nil || f.NumRows() != int64(lines) {
		t.Errorf("%v, want %d rows", err, lines)
	}
	var c usage.Collector
	if err := focus.Read(&c, "orders", strings.NewReader(files["orders-00000-of-00001.focus.csv"])); err != nil {
		t.Fatal(err)
	}
	bill, err := c.Bill()
	if err != nil || len(bill.Held) != lines {
		t.Errorf("%v, want %d commitments", err, lines)
	}
	rows, err := csv.NewReader(strings.NewReader(files["orders-00000-of-00001.focus.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := 0 // rows of the savings plan
	for _, column := range []string{"BillingAccountId", "ProviderName", "BillingCurrency"} {
		i := slices.Index(rows[0], column)
		for _, r := range rows[1:] {
			if r[i] == "" {
				t.Fatalf("a row without %s: %q", column, r)
			}
			if r[i] == "all" {
				all++
			}
		}
	}
	if all == 0 {
		t.Error("no row of the savings plan")
	}
}

// A mistake is one sentence and status 2.
func TestMistakes(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go http.Serve(l, nil)
	other := l.Addr().String()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	for _, name := range []string{"a.csv", "b.csv", "orders-00000-of-00003.csv"} {
		save(t, dir, name, "x")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-endpoint", "localhost:1"}, "-endpoint localhost:1: no engine answers"},
		{[]string{"-runner", "flink", "-endpoint", other}, "no engine answers (something else than gRPC is there)"},
		{[]string{"-out", dir}, "it holds orders-00000-of-00003.csv, of a run with other -parts"},
		{[]string{"-out", dir, "-parts", "3", "-format", "focus"}, "it holds orders-00000-of-00003.csv, of a run with other -parts or another -format"},
		{[]string{"-runner", "storm"}, "want prism, flink"},
		{[]string{"-runner", "flink"}, "without -endpoint"},
		{[]string{"-curves", "0"}, "want a whole number from 1"},
		{[]string{"-bill", a}, "-start"},
		{[]string{"-prices", a}, "want -bill"},
		{[]string{"-bill", a, "-start", "2025-11-01"}, "price list"},
		{[]string{"-bill", a, "-start", "yesterday"}, "want a day"},
		{[]string{"-bill", a, "-bill", a, "-start", "2025-11-01", "-prices", b}, "is there twice"},
		{[]string{"-bill", a, "-bill", b, "-start", "2025-11-01", "-prices", b}, "it is the same as"},
		{[]string{"-bill", filepath.Join(dir, "absent"), "-start", "2025-11-01", "-prices", b}, "want a file"},
		{[]string{"-bill", a, "-start", "2025-11-01", "-prices", b, "-model", "wrong"}, "want one of"},
		{[]string{"-bill", a, "-start", "2025-11-01", "-prices", b, "-futures", "5"}, "-futures without -model: want the model that draws them"},
		{[]string{"-bill", a, "-start", "2025-11-01", "-prices", b, "-futures", "5", "-model", "simple", "-plan", "p"},
			"-futures with -plan: the hours of one savings plan"},
		{[]string{"-bill", a, "-start", "2025-11-01", "-prices", b, "-held", a}, "-held without -plan"},
		{[]string{"-held-until", "2025-11-01"}, "want -bill"},
		{[]string{"-format", "xls"}, "want csv"},
		{[]string{"-beam", "nothing=1"}, "want NAME=VALUE"},
		{[]string{"-beam", "runner=flink"}, "want -runner"},
	} {
		var errs bytes.Buffer
		status := program.Run(c.args, io.Discard, &errs)
		if status != 2 || !strings.Contains(errs.String(), c.want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: status %d, %s, want %q", c.args, status, errs.String(), c.want)
		}
	}
}

// priceList writes the price list of a kind, and returns its path.
func priceList(t *testing.T, dir string) string {
	t.Helper()
	return save(t, dir, "prices.csv", `"FormatVersion","v1.0"
"OfferCode","AmazonEC2"
"SKU","OfferTermCode","TermType","Unit","PricePerUnit","Currency","LeaseContractLength","PurchaseOption","OfferingClass","Product Family","Region Code","Location","Instance Type","Tenancy","Operating System","CapacityStatus","operation","Normalization Size Factor"
"A","JR","OnDemand","Hrs","0.1","USD","","","","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"A","1","Reserved","Hrs","0.06","USD","1yr","No Upfront","standard","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
`)
}

// Accounts whose amounts do not fit fail alone, and accounts whose amounts fit may add up to more
// than 64 bits hold.
func TestOverflow(t *testing.T) {
	dir := t.TempDir()
	const hours = 8760
	var rows []usage.Row
	for account, n := range []int64{7, 16_000_000, 16_000_000, 16_000_000, 1_000_000_000_000, 3_000_000_000, 20_000_000, -5} {
		for h := range hours {
			r := use(fmt.Sprint("account-", account), "m5.large", h, n)
			r.Billed, r.Effective, r.List = usage.Units(1), usage.Units(1), usage.Units(1)
			rows = append(rows, r)
		}
	}
	files, stdout := run(t, "-bill", bill(t, dir, "bill.csv", rows), "-start", "2025-11-01", "-hours", fmt.Sprint(hours), "-prices", priceList(t, dir), "-parts", "1")
	// 48,000,007 units at 0.06 for a year; an amount of 64 bits is at most 9.2·10⁹.
	if !strings.Contains(stdout, "4 curves of 8760 hours planned, 4 not") || !strings.Contains(stdout, "cost 25228803679.2 ") {
		t.Errorf("%s", stdout)
	}
	if n := strings.Count(files["failures-00000-of-00001.csv"], "\n"); n != 5 {
		t.Errorf("%d lines of failures: want a header and four:\n%s", n, files["failures-00000-of-00001.csv"])
	}
}

// Where the use of all accounts is too large for a savings plan, though that of each is not, the
// savings plan is the failure, and the plans of the accounts stay.
func TestSavingsOverflow(t *testing.T) {
	dir := t.TempDir()
	const accounts, hours = 8500, 24
	var rows []usage.Row
	for account := range accounts {
		r := use(fmt.Sprint("account-", account), "m5.large", 0, 16_000_000)
		r.Billed, r.Effective, r.List = usage.Units(1), usage.Units(1), usage.Units(1)
		rows = append(rows, r)
	}
	args := []string{"-bill", bill(t, dir, "bill.csv", rows), "-start", "2025-11-01", "-hours", fmt.Sprint(hours), "-prices", priceList(t, dir), "-prices", ratesList(t, dir), "-plan",
		"1y-compute-no-upfront"}
	files, stdout := run(t, append(args, "-parts", "1")...)
	// 8,500 accounts run 1.6·10⁷ units for an hour at 0.1. At 0.07 the hour costs 9.52·10⁹, and an
	// amount of 64 bits is at most 9.22·10⁹.
	if !strings.Contains(stdout, "8500 curves of 24 hours planned, 1 not") || !strings.Contains(stdout, "orders 0 cost 13600000000 bound ") {
		t.Errorf("%s", stdout)
	}
	if f := files["failures-00000-of-00001.csv"]; strings.Count(f, "\n") != 2 || !strings.Contains(f, "the savings plan: overflow: ") ||
		!strings.Contains(f, "want the largest accounts apart") {
		t.Errorf("%s", f)
	}
	if diff := cmp.Diff(files, shards(t, 2, args...)); diff != "" {
		t.Errorf("with shards (-engine +shards):\n%s", diff)
	}
}

// Merge names a shard whose file is gone, and the shard makes the file again.
func TestShardLost(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	args := append(heldBills(t, dir), "-dir", work)
	shard := func(i string) {
		t.Helper()
		if said, status := fleet(t, append(append([]string{"shard"}, args...), i)...); status != 0 {
			t.Fatal(said)
		}
	}
	merge := func(want int, says string) {
		t.Helper()
		if said, status := fleet(t, "merge", "-dir", work); status != want || !strings.Contains(said, says) {
			t.Fatalf("status %d: %s, want %d and %q", status, said, want, says)
		}
	}
	lose := func(file string) {
		t.Helper()
		if err := os.Remove(filepath.Join(work, file)); err != nil {
			t.Fatal(err)
		}
	}
	const missing = "of 2 shards 2 is missing: run fleet shard 2/2 first\n"
	shard("1/2")
	shard("2/2")
	merge(3, "")
	lose("usage-00002-of-00002")
	if said, status := fleet(t, append(append([]string{"shard"}, args...), "1/2")...); status != 2 || !strings.Contains(said, missing) {
		t.Errorf("status %d: %s", status, said)
	}
	shard("2/2")
	shard("1/2")
	lose("groups-00002-of-00002")
	merge(2, missing)
	shard("2/2")
	merge(3, "")
	shard("1/2")
	shard("2/2")
	merge(0, " cost 57.6 bound ")
	for _, file := range []string{"groups-00002-of-00002", "usage-00002-of-00002", "plan-00002-of-00002"} {
		lose(file)
		merge(2, missing)
		shard("2/2")
		merge(0, " cost 57.6 bound ")
	}
}

// Bills of many files go through the engine: accounts are planned, and one that is
// poisoned is reported.
func TestBills(t *testing.T) {
	dir := t.TempDir()
	for file := range 2 {
		var rows []usage.Row
		for h := 48 * file; h < 48*file+48; h++ {
			for account, n := range []int64{3, 1, 2} {
				r := use(fmt.Sprint("account-", account), "m5.large", h, n)
				if account == 2 && file == 1 {
					r.Currency = "EUR"
				}
				rows = append(rows, r)
			}
		}
		bill(t, dir, fmt.Sprintf("bill-%d.csv", file), rows)
	}
	prices := priceList(t, dir)
	args := []string{"-bill", filepath.Join(dir, "bill-*.csv"), "-start", "2025-11-01", "-hours", "96", "-prices", prices, "-parts", "1"}
	want, stdout := run(t, append(args, "-branches", "1")...)
	got, _ := run(t, append(args, "-branches", "3")...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with branches (-one +three):\n%s", diff)
	}
	// Shards give the same files, also those that read no bill or plan no account.
	for _, of := range []int{1, 3} {
		if diff := cmp.Diff(want, shards(t, of, args[:len(args)-2]...)); diff != "" {
			t.Errorf("%d shards (-engine +shards):\n%s", of, diff)
		}
	}
	// Files that overlap or break off, hours without bills, and nothing planned are said.
	bill := filepath.Join(dir, "bill-0.csv")
	text, err := os.ReadFile(bill)
	if err != nil {
		t.Fatal(err)
	}
	save(t, dir, "copy.csv", string(text)+"\n")
	save(t, dir, "cut.csv", string(text)+"a,b\n")
	save(t, dir, "empty.csv", "")
	for _, c := range []struct {
		file   string
		status int
		want   string
	}{
		{bill, 0, "use in 48 of the 96 hours"},
		{"copy.csv", 1, "48 rows"},
		{"cut.csv", 1, "nothing is planned"},
		{"empty.csv", 1, "the file is empty"},
	} {
		args := append(slices.Clone(args[2:]), "-bill", bill)
		if c.file != bill {
			args = append(args, "-bill", filepath.Join(dir, c.file))
		}
		var errs bytes.Buffer
		if status := program.Run(args, io.Discard, &errs); status != c.status || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: status %d: %s, want %d, %q", c.file, status, errs.String(), c.status, c.want)
		}
	}
	// 4 units at 0.06 an hour for 96 hours; a bound is rounded down by a nano for each group.
	if !strings.Contains(stdout, "orders 2 cost 23.04 bound 23.039999998 ") || !strings.Contains(stdout, "2 curves of 96 hours planned, 1 not") {
		t.Errorf("%s", stdout)
	}
	if f := want["failures-00000-of-00001.csv"]; !strings.Contains(f, "account-2") || !strings.Contains(f, "EUR") || strings.Count(f, "\n") != 2 {
		t.Errorf("%s", f)
	}
	if o := want["orders-00000-of-00001.csv"]; !strings.Contains(o,
		"account-0,us-east-1,aws m5.large linux shared,USD,1y-standard-no-upfront,3,2025-11-05T00:00:00Z,8760,0,0.06\n") {
		t.Errorf("%s", o)
	}
}

// A run that does not come to its end leaves no summary of an earlier run beside its parts.
func TestNoSummaryOfAnotherRun(t *testing.T) {
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary.json")
	in := filepath.Join(dir, "plans-00001-of-00003.csv", "way") // a folder stands in the way of a part
	done := filepath.Join(dir, "_SUCCESS")
	if err := errors.Join(os.WriteFile(summary, []byte("{}"), 0o600), os.WriteFile(done, nil, 0o600), os.MkdirAll(in, 0o700)); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if status := program.Run(append(slices.Clone(small), "-out", dir), &out, &errs); status == 0 {
		t.Errorf("it writes over a folder: %s", out.String())
	}
	for _, f := range []string{summary, done} {
		if _, err := os.Stat(f); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("there is %s: %v", f, err)
		}
	}
	if err := os.RemoveAll(filepath.Dir(in)); err != nil {
		t.Fatal(err)
	}
	if status := program.Run(append(slices.Clone(small), "-out", dir), &out, &errs); status != 0 {
		t.Fatalf("%d: %s", status, errs.String())
	}
	if _, err := os.Stat(done); err != nil {
		t.Error(err)
	}
}
