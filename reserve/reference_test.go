package reserve

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
func mustBill(tb testing.TB, p *Problem, plan []pricing.Purchase) pricing.Money {
	tb.Helper()
	var b pricing.Biller
	bill, err := b.Bill(p.Prices, p.Demand, p.Slot, plan)
	if err != nil {
		tb.Fatal(err)
	}
	if p.Horizon == Pure {
		return bill.Pure
	}
	return bill.Total
}

func TestExperiment(t *testing.T) {
	for _, row := range readTable(t, "weekly-reference") {
		p := &Problem{Demand: weeks(readDemand(t, row[0])), Slot: time.Hour, Prices: readList(t, row[1]), Every: 168}
		if row[2] == "pure" {
			p.Horizon = Pure
		}
		bound, err := CompetitiveBound(p)
		if err != nil {
			t.Fatal(err)
		}
		var sec SEC
		plan, err := sec.AppendPlan(nil, p)
		if err != nil {
			t.Fatal(err)
		}
		cost := mustBill(t, p, plan)
		t.Log(strings.Join(row[:3], " "), bound.Fixed(4), row[4], "sec", cost.Fixed(2), row[6], cost.Float64()/money(t, row[6]).Float64(), len(plan))
	}
	for _, row := range readTable(t, "hourly-reference") {
		p := &Problem{Demand: readDemand(t, row[0]), Slot: time.Hour, Prices: readList(t, row[1])}
		opt := money(t, row[2]).Float64()
		var best BestConstant
		for _, a := range []Planner{&HGR{}, &Periodic{}, &Levels{}, &SEC{}, &OnDemand{}, &Peak{}, &best} {
			start := time.Now()
			plan, err := a.AppendPlan(nil, p)
			el := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s %T %.4f %v", row[:2], a, mustBill(t, p, plan).Float64()/opt, el)
		}
	}
}
