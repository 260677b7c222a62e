package main

import (
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/advise -update.
var tested = programtest.Program{Name: "advise", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestGolden(t *testing.T) {
	dir := t.TempDir()
	stdout, _ := tested.Must(t, "-html", filepath.Join(dir, "a.html"))
	programtest.Golden(t, "default.txt", stdout)
	page, err := os.ReadFile(filepath.Join(dir, "a.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<script", "http://", "https://", "url(", "@import"} {
		if strings.Contains(strings.ReplaceAll(string(page), "http://www.w3.org/2000/svg", ""), part) {
			t.Errorf("the page has %q in it: want one file that asks for nothing", part)
		}
	}
	for _, part := range []string{"The order", "Spend by month", "Expiries", "Unused today", "The proof", "m5.large", "</html>"} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}

// read decodes the object of -json.
func read(t *testing.T, stdout string) jsonResults {
	t.Helper()
	var j jsonResults
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&j); err != nil {
		t.Fatal(err)
	}
	return j
}

// reconciled holds that nothing of a file is lost: billed is what is classified plus what
// is left out, to the last digit.
func reconciled(t *testing.T, j jsonResults) {
	t.Helper()
	parse := func(s string) usage.Amount {
		a, exact, err := usage.Parse(s)
		if err != nil || !exact {
			t.Fatalf("%q: %v", s, err)
		}
		return a
	}
	for _, in := range j.Inputs {
		sum := parse(in.Classified)
		for _, l := range in.LeftOut {
			sum = sum.Plus(parse(l.Billed))
		}
		if sum != parse(in.Billed) {
			t.Errorf("%s: %v of %s", in.File, sum, in.Billed)
		}
	}
}

// asJSON is what the program writes by default for machines; it is computed once.
var asJSON = sync.OnceValue(func() string {
	_, stdout, _ := tested.Try("-json")
	return stdout
})

func TestJSON(t *testing.T) {
	stdout := asJSON()
	j := read(t, stdout)
	reconciled(t, j)
	if len(j.Orders) == 0 || len(j.Demand) != len(madeKinds) || len(j.Held) != 1 || !j.Optimal || j.Cost != j.Bound || j.Currency != "USD" || j.Date != "2026-11-01" {
		t.Errorf("%+v", j)
	}
	money := func(s string) pricing.Money {
		m, err := pricing.ParseMoney(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if money(j.OnDemand)-money(j.Cost) != money(j.Saving) {
		t.Errorf("%s - %s = %s", j.OnDemand, j.Cost, j.Saving)
	}
	sum := pricing.Money(0)
	for _, o := range j.Orders {
		sum += money(o.Commitment)
	}
	if sum != money(j.Commitment) {
		t.Errorf("orders of %v, commitment %s", sum, j.Commitment)
	}
	if again, _ := tested.Must(t, "-json"); again != stdout {
		t.Error("the same seed gives another order")
	}
	inputs, _ := tested.Must(t, "-inputs", "-json")
	if strings.Contains(inputs, "orders") || !strings.Contains(inputs, `"inputs"`) {
		t.Error(inputs)
	}
	// More demand, more units; less, none.
	units := func(args ...string) (n int) {
		stdout, _ := tested.Must(t, append(args, "-json")...)
		for _, o := range read(t, stdout).Orders {
			n += o.Units
		}
		return n
	}
	plain := 0
	for _, o := range j.Orders {
		plain += o.Units
	}
	if few, many := units("-demand-up", "-100"), units("-demand-up", "100"); few != 0 || many <= plain {
		t.Errorf("%d units of no demand, %d of twice the demand", few, many)
	}
}

const (
	azureHeader = "Date,MeterCategory,UnitOfMeasure,Quantity,CostInBillingCurrency,BillingCurrency,ResourceLocation,AdditionalInfo,ChargeType,PricingModel,ReservationId\n"
	azureRow    = `,Virtual Machines,1 Hour,48,4.8,USD,westeurope,"{""ServiceType"":""Standard_D2""}",Usage,OnDemand,` + "\n"
	azurePrices = `{"Items":[
{"currencyCode":"USD","armRegionName":"westeurope","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","armSkuName":"Standard_D2","retailPrice":0.1,"productName":"Virtual Machines D Series","skuName":"D2","type":"Consumption"},
{"currencyCode":"USD","armRegionName":"westeurope","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","armSkuName":"Standard_D2","retailPrice":500,"productName":"Virtual Machines D Series","skuName":"D2","type":"Reservation","reservationTerm":"1 Year"}]}`
)

// A bill of two machines that never stop, the reservation at 57% of the price: two are
// ordered, or one beside one that is held.
func TestAzure(t *testing.T) {
	var bill strings.Builder
	bill.WriteString(azureHeader)
	for _, day := range []string{"02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16"} {
		bill.WriteString("03/" + day + "/2026" + azureRow)
	}
	path, prices := programtest.Write(t, "bill.csv", bill.String()), programtest.Write(t, "prices.json", azurePrices)
	stdout, _ := tested.Must(t, "-bill", path, "-prices", prices, "-json")
	j := read(t, stdout)
	reconciled(t, j)
	if len(j.Orders) != 1 || j.Orders[0].Units != 2 || j.Orders[0].Upfront != "1000" || j.Date != "2026-03-17" || j.Orders[0].Until != "2027-03-17" {
		t.Errorf("%+v", j.Orders)
	}
	held := programtest.Write(t, "held.json", `[{"id":"r","region":"WestEurope","type":"standard_d2","units":1,"expires":"2029-01-01"}]`)
	stdout, _ = tested.Must(t, "-bill", path, "-prices", prices, "-held", held, "-json")
	if j := read(t, stdout); len(j.Orders) != 1 || j.Orders[0].Units != 1 {
		t.Errorf("%+v", j.Orders)
	}
	// A price list in another currency is of no use.
	euro := programtest.Write(t, "euro.json", strings.ReplaceAll(azurePrices, "USD", "EUR"))
	stdout, _ = tested.Must(t, "-bill", path, "-prices", euro, "-json")
	if j := read(t, stdout); len(j.Orders) != 0 || len(j.NotPlanned) != 1 || !strings.Contains(j.NotPlanned[0].Why, "in EUR and the bill in USD") {
		t.Errorf("%+v", j)
	}
	// Without prices the demand is told, and nothing is planned.
	stdout, _ = tested.Must(t, "-bill", path, "-json")
	if j := read(t, stdout); len(j.Orders) != 0 || len(j.NotPlanned) != 1 || !strings.Contains(j.NotPlanned[0].Why, "-prices") {
		t.Errorf("%+v", j)
	}
}

// A contract that the bill shows and -held gives counts once.
func TestHeldOnce(t *testing.T) {
	bill := read(t, asJSON())
	held := programtest.Write(t, "held.json", `[{"id":"ri-made-up","region":"eu-west-1","type":"m5.large","units":10,"expires":"2027-03-01"}]`)
	both := read(t, first(tested.Must(t, "-held", held, "-json")))
	if diff := cmp.Diff(bill.Orders, both.Orders); diff != "" {
		t.Errorf("orders without and with -held (-without +with):\n%s", diff)
	}
}

func first(a, _ string) string { return a }

func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	bill := programtest.WriteIn(t, dir, "bill.csv", azureHeader+"03/02/2026"+azureRow)
	twice := programtest.WriteIn(t, dir, "twice.csv", azureHeader+"03/02/2026"+azureRow)
	euro := programtest.WriteIn(t, dir, "euro.csv", azureHeader+"03/03/2026"+strings.Replace(azureRow, "USD", "EUR", 1))
	bad := programtest.WriteIn(t, dir, "bad.csv", azureHeader+"03/02/2026"+strings.Replace(azureRow, "4.8", "x", 1))
	empty := programtest.WriteIn(t, dir, "empty.csv", "")
	rows := programtest.WriteIn(t, dir, "header.csv", azureHeader)
	text := programtest.WriteIn(t, dir, "text.txt", "hello\n")
	held := programtest.WriteIn(t, dir, "held.json", `[{"id":"r","type":"x","units":0,"expires":"2029-01-01"}]`)
	over := programtest.WriteIn(t, dir, "over.json", `[{"id":"r","type":"x","units":1,"expires":"2026-03-01"}]`)
	tested.Mistakes(t, dir, []programtest.Wrong{
		{Args: []string{"-bill", bill, "-bill", twice}, Want: "do not overlap"},
		{Args: []string{"-bill", bill, "-bill", euro}, Want: "EUR: want USD"},
		{Args: []string{"-bill", bad}, Want: "line 2, column 5"},
		{Args: []string{"-bill", empty}, Want: "empty"},
		{Args: []string{"-bill", rows}, Want: "no rows"},
		{Args: []string{"-bill", text}, Want: "an Azure cost export"},
		{Args: []string{"-bill", filepath.Join(dir, "none.csv")}, Want: "no such file"},
		{Args: []string{"-bill", bill, "-prices", text}, Want: "unknown form of prices"},
		{Args: []string{"-bill", bill, "-held", held}, Want: "0 units"},
		{Args: []string{"-bill", bill, "-held", over}, Want: "contract 0 (r) expires on 2026-03-01, and the order is placed on 2026-03-03: want"},
		{Args: []string{"-bill", bill, "-date", "2026-02-01"}, Want: "2026-03-03"},
		{Args: []string{"-prices", text}, Want: "-prices without -bill"},
		{Args: []string{"-model", "crystal"}, Want: "want one of"},
		{Args: []string{"-date", "tomorrow"}, Want: "a day such as"},
		{Args: []string{"-horizon", "25h"}, Want: "whole days"},
		{Args: []string{"-paths", "0"}, Want: "a whole number from 1"},
	})
	tested.Frame(t, "html")
}

// The help names the model that is taken by default.
func TestHelp(t *testing.T) {
	tested.Help(t, program.FlagNames())
	if _, help, _ := tested.Try("-h"); !strings.Contains(help, "(default "+forecast.Default+")") {
		t.Errorf("the help does not name the default of -model:\n%s", help)
	}
}

// The order is a bill of purchases that a tool for FOCUS reads; so does this program.
func TestFocus(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order.csv")
	stdout, _ := tested.Must(t, "-focus", path, "-json")
	order := read(t, stdout)
	stdout, _ = tested.Must(t, "-bill", path, "-inputs", "-json")
	j := read(t, stdout)
	reconciled(t, j)
	if len(j.Held) != len(order.Orders) || j.Inputs[0].Rows != int64(len(order.Orders)) || len(j.Inputs[0].LeftOut) != 0 {
		t.Errorf("%+v of %d orders", j, len(order.Orders))
	}
}

// A year of forty kinds in three families, with a reservation, credits and taxes, is
// written and read back: the same demand to the unit, the same inventory, no cent lost.
// With PLIMSOLL_LONG=1 the year has a million rows.
func TestYear(t *testing.T) {
	days, spread := 40, 3
	if os.Getenv("PLIMSOLL_LONG") != "" {
		days = 365
	}
	path := filepath.Join(t.TempDir(), "year.csv.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := focus.NewWriter(z)
	rng := rand.New(rand.NewPCG(17, 2)) // seed 17, 2
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	hours := map[string]int64{}
	covered := map[string]int64{}
	var billed usage.Amount
	rows := int64(0)
	write := func(row usage.Row) {
		row.Account, row.Currency, row.Kind.Provider = "a", "USD", "aws"
		billed = billed.Plus(row.Billed)
		rows++
		if err := w.Write(&row); err != nil {
			t.Fatal(err)
		}
	}
	price, fee := usage.AmountOf(100*pricing.Milli), usage.AmountOf(60*pricing.Milli)
	times := func(a usage.Amount, n int64) (sum usage.Amount) {
		for range n {
			sum = sum.Plus(a)
		}
		return sum
	}
	ri := usage.Commitment{ID: "ri-1", Name: "ri", Type: "Reserved Instance", Unit: "Hours", Start: start, End: start.AddDate(2, 0, 0), Region: "eu-west-1"}
	for h := range days * 24 {
		at := start.Add(time.Duration(h) * time.Hour)
		for k := range 40 {
			family, size := []string{"m5", "c5", "r5"}[k%3], []string{"large", "xlarge", "2xlarge", "4xlarge"}[k/3%4]
			kind := usage.Kind{Provider: "aws", Region: []string{"eu-west-1", "us-east-1", "us-west-2", "ap-south-1"}[k/12], Type: family + "." + size, System: "linux", Tenancy: "shared"}
			for part := range spread { // rows of a kind and hour, one for each of several resources
				n := int64(1 + rng.IntN(6))
				row := usage.Row{Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand, Kind: kind, Hours: usage.Units(n), Billed: times(price, n), Effective: times(price, n), List: times(price, n)}
				hours[kind.String()] += n
				if k == 0 && part == 0 {
					row.Charge, row.Billed, row.Effective, row.Commitment = usage.Covered, times(fee, n), times(fee, n), ri
					row.Commitment.Quantity = usage.Units(n)
					covered[kind.String()] += n
				}
				write(row)
			}
		}
		if at.Hour() == 0 && at.Day() == 1 {
			write(usage.Row{Start: at, End: at.Add(time.Hour), Reason: usage.Tax, Billed: usage.Units(7), Effective: usage.Units(7)})
			write(usage.Row{Start: at, End: at.Add(time.Hour), Reason: usage.Credit, Billed: usage.Units(-3), Effective: usage.Units(-3)})
		}
	}
	for _, err := range []error{w.Flush(), z.Close(), f.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	stdout, _ := tested.Must(t, "-bill", path, "-inputs", "-json", "-keep-repeats")
	t.Logf("%d rows read in %v", rows, time.Since(began))
	j := read(t, stdout)
	reconciled(t, j)
	if in := j.Inputs[0]; in.Rows != rows || in.Billed != billed.String() || len(in.LeftOut) != 2 {
		t.Errorf("%+v; want %d rows, billed %v", in, rows, billed)
	}
	if len(j.Demand) != len(hours) || len(j.Held) != 1 || j.Held[0].ID != "ri-1" || j.Held[0].Used != strconv.FormatInt(covered["aws eu-west-1 m5.large linux shared"], 10) {
		t.Errorf("%d kinds, want %d; held %+v", len(j.Demand), len(hours), j.Held)
	}
	for _, d := range j.Demand {
		if d.Hours != strconv.FormatInt(hours[d.Kind], 10) || d.CoveredHours != strconv.FormatInt(covered[d.Kind], 10) || d.Slots != days*24 {
			t.Errorf("%+v, want %d hours, %d covered", d, hours[d.Kind], covered[d.Kind])
		}
	}
}

// Every sample bill is read and adds up, or is refused with one sentence.
func TestSamples(t *testing.T) {
	dir := shared.File(t, "inputs")
	var files []string
	for _, pattern := range []string{"azure/*.csv", "gcp/*.csv", "oci/*.gz", "focus/*.csv", "focus/*.csv.gz", "focus/*.parquet", "cur/*.csv*"} {
		list, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	read2, refused := 0, 0
	for _, name := range files {
		status, stdout, stderr := tested.Try("-bill", name, "-inputs", "-keep-repeats", "-json")
		short, _ := filepath.Rel(dir, name)
		switch status {
		case 0:
			read2++
			j := read(t, stdout)
			reconciled(t, j)
			in := j.Inputs[0]
			t.Logf("%s: %s, %d rows, billed %s, effective %s, list %s, classified %s, %d reasons, %d kinds, %d held, %d notes", short, in.Format, in.Rows, in.Billed, in.Effective, in.List, in.Classified, len(in.LeftOut), len(j.Demand), len(j.Held), len(j.Notes))
		case 2:
			refused++
			t.Logf("%s: %s", short, strings.ReplaceAll(strings.TrimSpace(stderr), dir+"/", ""))
			if stdout != "" || strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
				t.Errorf("%s: %q, %q", short, stdout, stderr)
			}
		default:
			t.Errorf("%s: status %d, %s", short, status, stderr)
		}
	}
	if read2 < 20 {
		t.Errorf("%d samples are read, %d refused", read2, refused)
	}
}
