package reserve

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

func TestTreeX(t *testing.T) {
	f, err := os.Open(os.Getenv("PLIMSOLL_SHARED") + "/scenarios/tree/bushy.csv")
	if err != nil {
		t.Skip(err)
	}
	rec, _ := csv.NewReader(f).ReadAll()
	p := &Problem{Slot: 168 * time.Hour, Prices: pricing.List{OnDemand: 400 * pricing.Milli, Classes: []pricing.Class{
		{Name: "quarter", Term: 2184 * time.Hour, Hourly: 330 * pricing.Milli, Billed: pricing.Always},
		{Name: "1y", Term: 8736 * time.Hour, Upfront: 2100 * pricing.Unit},
		{Name: "3y", Term: 26208 * time.Hour, Upfront: 4300 * pricing.Unit}}}}
	for _, x := range rec[1:] {
		v := Node{Parent: -1}
		if x[1] != "" {
			v.Parent, _ = strconv.Atoi(x[1])
		}
		v.Probability, _ = strconv.ParseFloat(x[2], 64)
		v.Demand, _ = strconv.Atoi(x[3])
		p.Tree = append(p.Tree, v)
	}
	var e Exact
	for range 3 {
		t0 := time.Now()
		plan, err := e.Solve(p)
		fmt.Println(time.Since(t0), plan.Cost, plan.Bound, err, len(plan.Purchases))
		if err == nil {
			fmt.Println(Verify(p, &plan))
		}
	}
	q := p.atOnce()
	plan, err := e.Solve(&q)
	fmt.Println(plan.Cost, plan.Bound, err)
}

func TestWaitingX(t *testing.T) {
	for _, name := range []string{"quarters", "bushy"} {
		p := &Problem{Slot: 168 * time.Hour, Prices: pricing.List{OnDemand: 400 * pricing.Milli, Classes: []pricing.Class{
			{Name: "1y", Term: 8736 * time.Hour, Upfront: 2100 * pricing.Unit}}}}
		f, err := os.Open(os.Getenv("PLIMSOLL_SHARED") + "/scenarios/tree/" + name + ".csv")
		if err != nil {
			t.Skip(err)
		}
		rec, _ := csv.NewReader(f).ReadAll()
		for _, x := range rec[1:] {
			v := Node{Parent: -1}
			if x[1] != "" {
				v.Parent, _ = strconv.Atoi(x[1])
			}
			v.Probability, _ = strconv.ParseFloat(x[2], 64)
			v.Demand, _ = strconv.Atoi(x[3])
			p.Tree = append(p.Tree, v)
		}
		var e Exact
		t0 := time.Now()
		w, err := e.Waiting(p)
		fmt.Printf("%+v %v %v\n", w, err, time.Since(t0))
	}
}
