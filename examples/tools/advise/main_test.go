package main

import (
	"compress/gzip"
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

func TestMain(m *testing.M) {
	defaultEnds = 0
	programtest.Main(m, main)
}

func TestGolden(t *testing.T) {
	dir := t.TempDir()
	stdout, _ := tested.Must(t, "-html", filepath.Join(dir, "a.html"))
	programtest.Golden(t, "default.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	if n := strings.Count(stdout, "\n"); n > 40 {
		t.Errorf("%d lines: want 40 at most", n)
	}
	why, _ := tested.Must(t, "-show", "why")
	programtest.Golden(t, "why.txt", why)
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

// An order is an object of -json.
type order struct {
	Kind, Class, Unit, Upfront, Hourly, Commitment, Until, Saving, Payback, Waiting, Date, Currency, Cost string
	Units                                                                                                 int
	Loss                                                                                                  float64
	LastUse                                                                                               float64 `json:"last_use"`
	BreakEven                                                                                             float64 `json:"break_even"`
	LowerBound                                                                                            string  `json:"lower_bound"`
	OnDemandCost                                                                                          string  `json:"on_demand_cost"`
	Optimal                                                                                               bool
	NotPlanned                                                                                            string `json:"not_planned"`
}

// An input, a demand and what is held are objects of -show inputs, demand and held.
type (
	input struct {
		File, Format, Currency, What, Billed, Effective, List string
		Rows                                                  int64
	}
	demand struct {
		Kind, Start, Hours string
		SlotSeconds        float64 `json:"slot_seconds"`
		Slots              int
		CoveredHours       string `json:"covered_hours"`
	}
	held struct {
		Use                                 float64
		ID, Type, Until, Unit, Used, Unused string
		PerHour                             string `json:"per_hour"`
	}
)

// read decodes what -json prints.
func read[T any](t *testing.T, stdout string) []T { t.Helper(); return programtest.Rows[T](t, stdout) }

func orders(t *testing.T, args ...string) []order {
	t.Helper()
	return read[order](t, first(tested.Must(t, append(args, "-json")...)))
}

// show returns the objects of -show.
func show[T any](t *testing.T, what string, args ...string) []T {
	t.Helper()
	return read[T](t, first(tested.Must(t, append(args, "-show", what, "-json")...)))
}

// reconciled holds that nothing of a file is lost: billed is what is classified plus what
// is left out, to the last digit.
func reconciled(t *testing.T, list []input) {
	t.Helper()
	sums := map[string]usage.Amount{}
	for _, in := range list {
		a, exact, err := usage.Parse(in.Billed)
		if err != nil || !exact {
			t.Fatalf("%q: %v", in.Billed, err)
		}
		if in.What == "total" {
			a = a.Neg()
		}
		sums[in.File] = sums[in.File].Plus(a)
	}
	for file, sum := range sums {
		if sum.Sign() != 0 || len(sums) == 0 {
			t.Errorf("%s: %v is lost", file, sum)
		}
	}
}

// asJSON is what the program writes by default for machines; it is computed once.
var asJSON = sync.OnceValue(func() string {
	_, stdout, _ := tested.Try("-json")
	return stdout
})

func amount(t *testing.T, s string) pricing.Money {
	t.Helper()
	m, err := pricing.ParseMoney(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestJSON(t *testing.T) {
	list := read[order](t, asJSON())
	reconciled(t, show[input](t, "inputs"))
	if demands, held := show[demand](t, "demand"), show[held](t, "held"); len(demands) != len(madeKinds) || len(held) != 1 {
		t.Errorf("%+v, %+v", demands, held)
	}
	plain := 0
	for _, o := range list {
		if plain += o.Units; !o.Optimal || o.Cost != o.LowerBound || o.Currency != "USD" || o.Date != "2026-11-01" || amount(t,
			o.OnDemandCost) <= amount(t, o.Cost) || amount(t, o.Saving) <= 0 {
			t.Errorf("%+v", o)
		}
	}
	if len(list) != 3 {
		t.Errorf("%d orders, want 3", len(list))
	}
	if again, _ := tested.Must(t, "-json"); again != asJSON() {
		t.Error("the same seed gives another order")
	}
	// More demand, more units; less, none, and the kinds are there nevertheless.
	units := func(args ...string) (n int) {
		for _, o := range orders(t, args...) {
			n += o.Units
		}
		return n
	}
	if few, many := units("-demand-up", "-100"), units("-demand-up", "100"); few != 0 || many <= plain {
		t.Errorf("%d units of no demand, %d of twice the demand", few, many)
	}
	if none := orders(t, "-demand-up", "-100"); len(none) != 3 || none[0].Class != "" || none[0].Until != "" {
		t.Errorf("without demand: %+v", none)
	}
	if text, _ := tested.Must(t, "-demand-up", "-100"); !strings.Contains(text, "Order nothing on 1 November 2026") {
		t.Error(text)
	}
}

const (
	azureHeader = "Date,MeterCategory,UnitOfMeasure,Quantity," +
		"CostInBillingCurrency,BillingCurrency,ResourceLocation,AdditionalInfo,ChargeType,PricingModel,ReservationId\n"
	azureRow    = `,Virtual Machines,1 Hour,48,4.8,USD,westeurope,"{""ServiceType"":""Standard_D2""}",Usage,OnDemand,` + "\n"
	azurePrices = `{"Items":[
{"currencyCode":"USD","armRegionName":"westeurope","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","armSkuName":"Standard_D2",
 "retailPrice":0.1,"productName":"Virtual Machines D Series",
 "skuName":"D2","type":"Consumption"},
{"currencyCode":"USD","armRegionName":"westeurope","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","armSkuName":"Standard_D2",
 "retailPrice":500,"productName":"Virtual Machines D Series",
 "skuName":"D2","type":"Reservation","reservationTerm":"1 Year"}]}`
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
	reconciled(t, show[input](t, "inputs", "-bill", path))
	if j := orders(t, "-bill", path, "-prices", prices, "-daily", "spread", "-little-history"); len(j) != 1 || j[0].Units != 2 || j[0].Upfront != "1000" ||
		j[0].Date != "2026-03-17" || j[0].Until != "2027-03-17" {
		t.Errorf("%+v", j)
	}
	held := programtest.Write(t, "held.json", `[{"id":"r","region":"WestEurope","type":"standard_d2","count":1,"until":"2029-01-01"}]`)
	if j := orders(t, "-bill", path, "-prices", prices, "-daily", "spread", "-little-history", "-held", held); len(j) != 1 || j[0].Units != 1 {
		t.Errorf("%+v", j)
	}
	// A price list in another currency is of no use; without prices nothing is planned. Either is
	// told, and the task is not done.
	euro := programtest.Write(t, "euro.json", strings.ReplaceAll(azurePrices, "USD", "EUR"))
	for want, args := range map[string][]string{"in EUR and the bill in USD": {"-bill", path, "-prices", euro, "-json"}, "-prices": {"-bill", path, "-json"}} {
		status, stdout, stderr := tested.Try(args...)
		if j := read[order](t, stdout); status != 1 || !strings.Contains(stderr, "nothing is planned") || len(j) != 1 || j[0].Units != 0 ||
			!strings.Contains(j[0].NotPlanned, want) {
			t.Errorf("%q: status %d, %+v, %s", args, status, j, stderr)
		}
	}
}

// A contract that the bill shows and -held gives counts once. The id alone gives the end of a
// commitment of the bill, of a savings plan as of a reservation.
func TestHeldOnce(t *testing.T) {
	bill := read[order](t, asJSON())
	for _, text := range []string{`[{"id":"ri-made-up","region":"us-east-1","type":"m5.large","count":10,"until":"2027-03-01"}]`,
		`[{"id":"ri-made-up","until":"2027-03-01"}]`} {
		both := orders(t, "-held", programtest.Write(t, "held.json", text))
		if diff := cmp.Diff(bill, both); diff != "" {
			t.Errorf("orders without and with -held %s (-without +with):\n%s", text, diff)
		}
	}
	if longer := orders(t, "-held", programtest.Write(t, "held.json", `[{"id":"ri-made-up","until":"2029-03-01"}]`)); amount(t,
		longer[1].Cost) >= amount(t, bill[1].Cost) {
		t.Errorf("%s beside a contract for three years, %s beside the same for months", longer[1].Cost, bill[1].Cost)
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
	held := programtest.WriteIn(t, dir, "held.json", `[{"id":"r","type":"x","count":0,"until":"2029-01-01"}]`)
	over := programtest.WriteIn(t, dir, "over.json", `[{"id":"r","type":"x","count":1,"until":"2026-03-01"}]`)
	tested.Mistakes(t, dir, []programtest.Wrong{
		{Args: []string{"-bill", bill, "-bill", twice}, Want: "do not overlap"},
		{Args: []string{"-bill", bill, "-bill", euro}, Want: "EUR: want USD"},
		{Args: []string{"-bill", bad}, Want: "line 2, column 5"},
		{Args: []string{"-bill", empty}, Want: "empty"},
		{Args: []string{"-bill", rows}, Want: "no rows"},
		{Args: []string{"-bill", text}, Want: "an Azure cost export"},
		{Args: []string{"-bill", filepath.Join(dir, "none.csv")}, Want: "no such file"},
		{Args: []string{"-bill", bill, "-prices", text}, Want: "unknown form of prices"},
		{Args: []string{"-bill", bill, "-held", held}, Want: "no count"},
		{Args: []string{"-bill", bill, "-held", over}, Want: "contract 0 (r) expires on 2026-03-01, and the order is placed on 2026-03-03: want"},
		{Args: []string{"-bill", bill, "-date", "2026-02-01"}, Want: "2026-03-03"},
		{Args: []string{"-prices", text}, Want: "-prices without -bill"},
		{Args: []string{"-demand", text, "-bill", bill}, Want: "-demand with -bill or -prices"},
		{Args: []string{"-classes", text}, Want: "-classes without -demand"},
		{Args: []string{"-state", text}, Want: "-state without -demand"},
		{Args: []string{"-slot", "1h"}, Want: "-slot without -demand"},
		{Args: []string{"-demand", text, "-state", text, "-show", "held"}, Want: "-state with -show"},
		{Args: []string{"-show", "inputs", "-html", filepath.Join(dir, "x.html")}, Want: "-html and -focus write the order"},
		{Args: []string{"-show", "all"}, Want: "order, why, quality, inputs, demand, held or owners"},
		{Args: []string{"-cap", "1y"}, Want: "want a class and a whole number"},
		{Args: []string{"-alarm", "2"}, Want: "a number above 0, up to 1"},
		{Args: []string{"-model", "crystal"}, Want: "want one of"},
		{Args: []string{"-date", "tomorrow"}, Want: "a day such as"},
		{Args: []string{"-horizon", "25h"}, Want: "whole days"},
		{Args: []string{"-futures", "0"}, Want: "a whole number from 1"},
	})
	tested.Frame(t, "html")
}

// The help names the model that is taken by default.
func TestHelp(t *testing.T) {
	tested.Help(t, program.FlagNames())
	_, help, _ := tested.Try("-h")
	if n := strings.Count(help, "\n"); n > 60 {
		t.Errorf("-h has %d lines: want 60 at most", n)
	}
	if !strings.Contains(help, "(default "+forecast.Default+")") {
		t.Errorf("the help does not name the default of -model:\n%s", help)
	}
}

// The order is a bill of purchases that a tool for FOCUS reads; so does this program.
func TestFocus(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order.csv")
	list := orders(t, "-focus", path)
	inputs, held := show[input](t, "inputs", "-bill", path), show[held](t, "held", "-bill", path)
	reconciled(t, inputs)
	if len(held) != len(list) || inputs[0].Rows != int64(len(list)) || len(inputs) != 2 {
		t.Errorf("%+v, %+v of %d orders", inputs, held, len(list))
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
			kind := usage.Kind{Provider: "aws", Region: []string{"eu-west-1", "us-east-1", "us-west-2", "ap-south-1"}[k/12],
				Type: family + "." + size, System: "linux", Tenancy: "shared"}
			for part := range spread { // rows of a kind and hour, one for each of several resources
				n := int64(1 + rng.IntN(6))
				row := usage.Row{Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand, Kind: kind, Hours: usage.Units(n), Billed: times(price, n),
					Effective: times(price, n), List: times(price, n)}
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
	inputs := show[input](t, "inputs", "-bill", path, "-keep-repeats")
	t.Logf("%d rows read in %v", rows, time.Since(began))
	reconciled(t, inputs)
	if in := inputs[0]; in.Rows != rows || in.Billed != billed.String() || len(inputs) != 4 {
		t.Errorf("%+v; want %d rows, billed %v", inputs, rows, billed)
	}
	demands, held := show[demand](t, "demand", "-bill", path, "-keep-repeats"), show[held](t, "held", "-bill", path, "-keep-repeats")
	if len(demands) != len(hours) || len(held) != 1 || held[0].ID != "ri-1" ||
		held[0].Used != strconv.FormatInt(covered["aws eu-west-1 m5.large linux shared"], 10) {
		t.Errorf("%d kinds, want %d; held %+v", len(demands), len(hours), held)
	}
	for _, d := range demands {
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
		status, stdout, stderr := tested.Try("-bill", name, "-show", "inputs", "-keep-repeats", "-json")
		short, _ := filepath.Rel(dir, name)
		switch status {
		case 0:
			read2++
			j := read[input](t, stdout)
			reconciled(t, j)
			t.Logf("%s: %+v", short, j)
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
