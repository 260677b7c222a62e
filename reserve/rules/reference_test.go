package rules

import (
	"bufio"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// readDemand reads a curve of the reference material: a title, then a number a
// line.
func readDemand(tb testing.TB, name string) []int {
	tb.Helper()
	f, err := os.Open(shared.File(tb, "demand/"+name+".csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var demand []int
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if n, err := strconv.Atoi(lines.Text()); err == nil { // not the title
			demand = append(demand, n)
		}
	}
	if lines.Err() != nil {
		tb.Fatal(lines.Err())
	}
	return demand
}

// readList reads a price list of the reference material.
func readList(tb testing.TB, name string) pricing.List {
	tb.Helper()
	f, err := os.Open(shared.File(tb, "demand/"+name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	list, err := pricing.ReadList(f)
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// readTable reads a table of reference results without its title.
func readTable(tb testing.TB, name string) [][]string {
	tb.Helper()
	f, err := os.Open(shared.File(tb, "demand/"+name+".csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	return rows[1:]
}

// weeks returns the demand with slots of no demand added up to a whole number of
// weeks, as the reference program counts: its pure cost has whole weeks.
func weeks(demand []int) []int {
	for len(demand)%168 != 0 {
		demand = append(demand, 0)
	}
	return demand
}

func money(tb testing.TB, s string) pricing.Money {
	tb.Helper()
	m, err := pricing.ParseMoney(s)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// mustBill returns the total or pure cost of a plan.
func mustBill(tb testing.TB, p *reserve.Problem, plan []pricing.Purchase) pricing.Money {
	tb.Helper()
	var b pricing.Biller
	bill, err := b.Bill(p.Prices, p.Demand, p.Slot, plan)
	if err != nil {
		tb.Fatal(err)
	}
	if p.Horizon == reserve.Pure {
		return bill.Pure
	}
	return bill.Total
}

// Eq. (5) on the weekly reference cases, to the four decimals that are printed,
// and SEC's greedy between the optimum and a margin of what it was measured at.
func TestWeeklyReference(t *testing.T) {
	var sec SEC
	var c reserve.Competitive
	worst := map[string]float64{}
	for _, row := range readTable(t, "weekly-reference") {
		name := strings.Join(row[:3], " ")
		p := &reserve.Problem{Demand: weeks(readDemand(t, row[0])), Slot: time.Hour, Prices: readList(t, row[1]), Every: 168}
		if row[2] == "pure" {
			p.Horizon = reserve.Pure
		}
		optimum := money(t, row[6])
		bound, err := c.Bound(p)
		if err != nil {
			t.Fatal(err)
		}
		if off := bound - money(t, row[4]); max(off, -off) > money(t, "0.00005") {
			t.Errorf("%s: bound %v, want %s", name, bound, row[4])
		}
		plan, ok := mustPlan(t, &sec, p)
		if !ok {
			t.Fatalf("%s: not handled", name)
		}
		cost := mustBill(t, p, plan)
		if cost < optimum-money(t, "0.0001") { // the pure ones are printed with four decimals
			t.Errorf("%s: %v is less than the optimum %v", name, cost, optimum)
		}
		worst[row[2]] = max(worst[row[2]], cost.Float64()/optimum.Float64())
	}
	// Measured with this test: 1.1175 and 1.0632.
	for horizon, want := range map[string]string{"total": "1.1175", "pure": "1.0632"} {
		if got := strconv.FormatFloat(worst[horizon], 'f', 4, 64); got != want {
			t.Errorf("%s: SEC costs up to %s of the optimum, want %s", horizon, got, want)
		}
	}
}

// The one-class algorithms on the hourly reference cases with one class. The
// optima are LEMON's; the ratios were measured with this test, so that a change
// in what the algorithms buy shows.
func TestHourlyReference(t *testing.T) {
	want := map[string][3]string{ // HGR, Periodic, Constant
		"sdsc-ds day-reservation":               {"1.0279", "1.0542", "1.2501"},
		"sdsc-ds month-reservation":             {"1.0188", "1.0289", "1.1682"},
		"sdsc-blue day-reservation":             {"1.0276", "1.0391", "1.1158"},
		"sdsc-blue month-reservation":           {"1.0265", "1.0362", "1.0492"},
		"lanl-cm5 day-reservation":              {"1.0167", "1.0493", "1.1130"},
		"lanl-cm5 month-reservation":            {"1.0068", "1.0220", "1.0630"},
		"unilu-gaia day-reservation":            {"1.0161", "1.0611", "1.3408"},
		"unilu-gaia month-reservation":          {"1.0021", "1.0266", "1.0282"},
		"hpc2n day-reservation":                 {"1.0226", "1.0556", "1.1921"},
		"hpc2n month-reservation":               {"1.0162", "1.0459", "1.0804"},
		"fleet-3y cc2.8xlarge-2013-1y-heavy":    {"1.0021", "1.0301", "1.0522"},
		"fleet-3y cc2.8xlarge-2013-1y-3y-heavy": {},
		"hpc2n cc2.8xlarge-2013-1y-3y-heavy":    {},
	}
	all := planners(0)
	compared := []reserve.Planner{&reserve.HGR{}, &Periodic{}, &Constant{}}
	for _, row := range readTable(t, "hourly-reference") {
		name := row[0] + " " + row[1]
		p := &reserve.Problem{Demand: readDemand(t, row[0]), Slot: time.Hour, Prices: readList(t, row[1])}
		optimum := money(t, row[2])
		bound, err := new(reserve.Competitive).Bound(p)
		if err != nil || bound > optimum {
			t.Errorf("%s: bound %v, %v, optimum %v", name, bound, err, optimum)
		}
		for _, a := range all {
			if plan, ok := mustPlan(t, a, p); !ok || mustBill(t, p, plan) < optimum {
				t.Errorf("%s: %T: handled %v, less than the optimum %v", name, a, ok, optimum)
			}
		}
		if len(p.Prices.Classes) > 1 {
			continue
		}
		var got [3]string
		for i, a := range compared {
			plan, _ := mustPlan(t, a, p)
			got[i] = strconv.FormatFloat(mustBill(t, p, plan).Float64()/optimum.Float64(), 'f', 4, 64)
		}
		if got != want[name] {
			t.Errorf("%s: ratios %v, want %v", name, got, want[name])
		}
	}
}

// liu is a case of the evaluation of [Liu21].
type liu struct {
	log                          string
	hour                         int
	price, fee                   string // on demand per hour; a day's reservation
	none, periodic, hgr, optimum int    // dollars, of an independent program
}

// The windows and prices are those of ERRATA [Liu21] 8, and so are the costs.
var liuCases = []liu{
	{"UniLu-Gaia-2014-1", 747, "0.075", "0.80", 50_078, 27_711, 26_915, 26_351},
	{"SDSC-BLUE-2000-4.2-cln", 478, "0.060", "0.75", 47_573, 35_090, 33_151, 32_545},
	{"LANL-CM5-1994-4.1-cln", 172, "0.065", "0.715", 65_626, 48_052, 44_508, 44_094},
}

// problem reads the case's log: each job from its submission takes its processors
// in every hour that it touches, jobs of 600 hours.
func (c *liu) problem(tb testing.TB) *reserve.Problem {
	tb.Helper()
	f, err := os.Open(shared.File(tb, "traces/"+c.log+".swf.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	jobs, _, err := trace.Convert(trace.NewReader(f).Records(), trace.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	from := time.Duration(c.hour) * time.Hour
	jobs = trace.Submitted(jobs, from, from+600*time.Hour)
	demand, err := trace.AppendDemand(nil, jobs, nil, trace.DemandOptions{Sharing: trace.Unshared, From: from, Slots: 600})
	if err != nil {
		tb.Fatal(err)
	}
	return &reserve.Problem{Demand: demand, Slot: time.Hour, Prices: pricing.List{
		OnDemand: money(tb, c.price),
		Classes:  []pricing.Class{{Name: "day", Term: 24 * time.Hour, Upfront: money(tb, c.fee)}},
	}}
}

func TestLiuWindows(t *testing.T) {
	for _, c := range liuCases {
		p := c.problem(t)
		dollars := func(a reserve.Planner) int {
			plan, ok := mustPlan(t, a, p)
			if !ok {
				t.Fatalf("%s: %T does not handle it", c.log, a)
			}
			return int((mustBill(t, p, plan) + pricing.Unit/2) / pricing.Unit)
		}
		none := int((mustBill(t, p, nil) + pricing.Unit/2) / pricing.Unit)
		got := [3]int{none, dollars(&Periodic{}), dollars(&reserve.HGR{})}
		if want := [3]int{c.none, c.periodic, c.hgr}; got != want {
			t.Errorf("%s: %v, want %v", c.log, got, want)
		}
		if got[2] < c.optimum {
			t.Errorf("%s: hgr %d, optimum %d", c.log, got[2], c.optimum)
		}
	}
}
