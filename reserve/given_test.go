package reserve

import (
	"bufio"
	"encoding/csv"
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// More cases than the usual 100, unless -rapid.checks asks for others.
func init() {
	if err := flag.Set("rapid.checks", "400"); err != nil {
		panic(err)
	}
}

var names = []string{"a", "b", "c", "d", "e"}

// digits reads a demand with a digit a slot.
func digits(s string) []int {
	d := make([]int, 0, len(s))
	for _, c := range s {
		d = append(d, int(c-'0'))
	}
	return d
}

// prepaid is a list with one class that has a fee alone, in whole units and slots
// of an hour.
func prepaid(price, fee pricing.Money, term int) pricing.List {
	return pricing.List{OnDemand: price * pricing.Unit, Classes: []pricing.Class{
		{Name: "prepaid", Term: time.Duration(term) * time.Hour, Upfront: fee * pricing.Unit},
	}}
}

// anyDemand returns a demand that rises and falls by day, of a fixed seed.
func anyDemand(rng *rand.Rand, slots, peak int) []int {
	demand := make([]int, slots)
	level := peak / 2
	for t := range demand {
		level = min(peak, max(0, level+rng.IntN(peak/10+3)-(peak/10+3)/2))
		demand[t] = level
		if t%24 < 8 {
			demand[t] = level / 3
		}
	}
	return demand
}

// month is a list of a month and two weeks, as prepaid and by use.
func month() pricing.List {
	return pricing.List{OnDemand: 60 * pricing.Milli, Classes: []pricing.Class{
		{Name: "month", Term: 720 * time.Hour, Upfront: 25 * pricing.Unit},
		{Name: "month-light", Term: 720 * time.Hour, Upfront: 5 * pricing.Unit, Hourly: 40 * pricing.Milli, Billed: pricing.WhenUsed},
		{Name: "fortnight", Term: 336 * time.Hour, Upfront: 14 * pricing.Unit},
	}}
}

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

func money(tb testing.TB, s string) pricing.Money {
	tb.Helper()
	m, err := pricing.ParseMoney(s)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}
