package niu16

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/examples/papers/internal/niu16/onlineportfolio"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// The online portfolio beside hindsight, for years of a demand ([Niu16] section 8.5).

// A demand is what is replayed.
type demand struct {
	name   string
	from   string // in errors
	needed []int
	slot   time.Duration
}

// every returns how many slots a week has.
func (d *demand) every() int { return int(onlineportfolio.Week / d.slot) }

// A way is an algorithm that buys reservations, and what the demand costs with them.
type way struct {
	name   string
	cost   pricing.Money
	bought []pricing.Purchase
	held   float64   // slots reserved within the demand, of all instances
	ahead  []float64 // of online: the mean demand planned for in week i, the week before; NaN if none
	bound  bool      // no plan
	above  float64   // the optimum, at most, as a part of it
	ratio  bool      // of an online portfolio with fewer classes, or none
}

// Ways that every demand has, in this order; those with fewer classes follow.
const (
	hindsight = iota
	eq5
	greedy
	online
	nothing
)

// demands reads the demands of the flags, or makes one up.
func (o *options) demands(run *cli.Run) (list []demand, err error) {
	for _, path := range o.files {
		d, err := demandfile.Read("-demand", path)
		if err != nil {
			return nil, err
		}
		list = append(list, demand{table.Title(path), "-demand " + path, d.Slots, cmp.Or(o.slot, d.Slot, time.Hour)})
	}
	for _, path := range o.traces {
		log, err := semielastic.Load(path, o.cores, 1, o.Seed, run)
		if err != nil {
			return nil, err
		}
		log.Note(run)
		r := semielastic.Runner{Log: log, Prices: pricing.CC28XLarge2013(), Keep: true}
		x, err := r.Run(semielastic.SEC, standard(log))
		if err != nil {
			return nil, err
		}
		needed := x.AppendDemand(nil, time.Hour)
		first := slices.IndexFunc(needed, func(n int) bool { return n > 0 })
		list = append(list, demand{log.Title(), "-trace " + path, needed[max(0, first):], time.Hour})
	}
	if list == nil {
		run.Sayf("no -demand or -trace, so three made-up years of a service")
		list = []demand{{"made-up demand", "the made-up demand", madeUp(), time.Hour}}
	}
	return list, nil
}

// replay replays all demands.
func (o *options) replay(run *cli.Run) (*results, error) {
	prices, err := o.Read()
	if err != nil {
		return nil, err
	}
	demands, err := o.demands(run)
	if err != nil {
		return nil, err
	}
	ways := make([][]way, len(demands))
	err = parallel.Do(len(demands), func(_, i int) (err error) {
		d := &demands[i]
		run.Showf("replaying %s", d.name)
		if err := prices.Fits(d.slot); err != nil {
			return err
		}
		if onlineportfolio.Week%d.slot != 0 {
			return cli.Mistakef("%s: slots of %s: want slots of which a week has a whole number", d.from, decimal.Span(d.slot))
		}
		if len(d.needed) <= d.every() {
			return cli.Mistakef("%s: %s of %s: want more than a week, the first to learn from", d.from, decimal.Count(len(d.needed), "slot"), decimal.Span(d.slot))
		}
		ways[i], err = o.ways(d, prices)
		return onlineportfolio.Explain(d.from, -1, err)
	})
	if err != nil {
		return nil, err
	}
	r := &results{}
	for i := range demands {
		r.claims = append(r.claims, judge(demands[i].name, ways[i:i+1])...)
		over := ", cost " + ratio(total(ways[i:i+1], online), total(ways[i:i+1], hindsight)) + " of hindsight's"
		r.pictures = append(r.pictures, picture(&demands[i], prices.List, &ways[i][online], over, len(demands) == 1))
	}
	name := demands[0].name
	if len(demands) == 1 {
		r.pictures = append(r.pictures, picture(&demands[0], prices.List, &ways[0][hindsight], "", false))
	} else {
		name = decimal.Count(len(demands), "demand")
		r.claims = append(r.claims, judge(name, ways)...)
	}
	r.costs = func(w *table.Page) { costs(w, name, ways) }
	return r, nil
}

// ways buys in all ways for a demand.
func (o *options) ways(d *demand, prices onlineportfolio.Prices) ([]way, error) {
	p := &reserve.Problem{Demand: d.needed, Slot: d.slot, Every: d.every(), Prices: prices.List, Horizon: reserve.Full}
	if !o.total { // pure cost is that of whole weeks
		p.Horizon = reserve.Pure
		if over := len(d.needed) % p.Every; over > 0 {
			p.Demand = append(slices.Clone(d.needed), make([]int, p.Every-over)...)
		}
	}
	list := []way{hindsight: {name: "hindsight"}, eq5: {name: "eq5", bound: true}, greedy: {name: "greedy"}, online: {name: "online"},
		nothing: {name: "online-od-only", ratio: true}}
	plan, err := new(reserve.Exact).Solve(p)
	if err != nil {
		return nil, err
	}
	list[hindsight].bought = plan.Purchases
	if !plan.Optimal() {
		list[hindsight].above = plan.Cost.Float64()/max(1e-9, plan.Bound.Float64()) - 1
	}
	if list[eq5].cost, err = new(reserve.Competitive).Bound(p); err != nil {
		return nil, err
	}
	if list[greedy].bought, err = new(rules.SEC).AppendPlan(nil, p); err != nil {
		return nil, err
	}
	var all []int
	terms := map[time.Duration][]int{}
	for k, c := range prices.List.Classes {
		all = append(all, k)
		terms[c.Term] = append(terms[c.Term], k)
	}
	if list[online].bought, list[online].ahead, err = o.online(p, prices.Caps, all); err != nil {
		return nil, err
	}
	for k, c := range prices.List.Classes {
		if of := terms[c.Term]; len(terms) > 1 && of[0] == k { // each term once
			bought, _, err := o.online(p, prices.Caps, of)
			if err != nil {
				return nil, err
			}
			list = append(list, way{name: "online-" + termName(c.Term) + "-only", bought: bought, ratio: true})
		}
	}
	for i := range list {
		if x := &list[i]; !x.bound {
			for _, q := range x.bought {
				x.held += float64(q.Count) * float64(min(len(p.Demand)-q.Slot, int(prices.List.Classes[q.Class].Term/d.slot)))
			}
			if x.cost, err = reserve.Cost(p, x.bought); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// online replays a demand week by week with a portfolio of some classes.
func (o *options) online(p *reserve.Problem, caps, classes []int) (bought []pricing.Purchase, ahead []float64, err error) {
	own := *p
	own.Prices.Classes, own.MaxBuy = nil, o.Ladder
	var some []int
	for _, k := range classes {
		own.Prices.Classes = append(own.Prices.Classes, p.Prices.Classes[k])
		if caps != nil {
			some = append(some, caps[k])
		}
	}
	x := o.New(some)
	if err := x.Reset(&own); err != nil {
		return nil, nil, err
	}
	ahead = []float64{math.NaN()}
	for at := 0; at+p.Every < len(p.Demand); at += p.Every {
		if bought, err = x.Observe(bought, p.Demand[at:at+p.Every]); err != nil {
			return nil, nil, err
		}
		ahead = append(ahead, x.Next())
	}
	for i := range bought {
		bought[i].Class = classes[bought[i].Class]
	}
	return bought, ahead, nil
}

// termName is a term as people name it: years, which are 365 days or 52 weeks, or a span.
func termName(t time.Duration) string {
	const year = 365 * 24 * time.Hour
	if n := (t + year/2) / year; n > 0 && (t-n*year).Abs() <= n*year/100 {
		return fmt.Sprintf("%dy", n)
	}
	return decimal.Span(t)
}

func percent(x float64) string { return decimal.Fixed(100*x, 1) + "%" }

// total sums a way's cost over demands.
func total(ways [][]way, k int) (sum float64) {
	for _, list := range ways {
		sum += list[k].cost.Float64()
	}
	return sum
}

// judge has the claims of section 8.5 on some demands. An order holds in part if it holds for
// some of them.
func judge(on string, ways [][]way) (list []claim.Claim) {
	mine := total(ways, online)
	for k, x := range ways[0] {
		if !x.ratio {
			continue
		}
		var seen []bool
		same := true
		for _, w := range ways {
			seen = append(seen, w[online].cost < w[k].cost)
			same = same && slices.Equal(w[online].bought, w[k].bought)
		}
		c := claim.Holds("8.5", "online costs less than "+x.name, ratio(mine, total(ways, k))+" of it", seen...)
		why := because(ways)
		if same {
			why = "Online buys the same."
		}
		list = append(list, c.Because(why))
	}
	over := func(k int) float64 { return 100 * (mine/total(ways, k) - 1) }
	list = append(list,
		claim.Within("8.5", "online over the greedy rule, which knows the demand, % (very close; bounds ours)", -10, 10, over(greedy), over(greedy), 1),
		claim.Within("8.5", "online over the optimum in hindsight, % (very close; bounds ours)", 0, 10, over(hindsight), over(hindsight), 1),
		claim.Holds("Eq. (5)", "no plan costs less than the bound", ratio(total(ways, eq5), total(ways, hindsight))+" of hindsight",
			total(ways, eq5) <= total(ways, hindsight)))
	for i := range list {
		list[i].On = on
	}
	return list
}

// alike is how far the reserved hours of two plans are from each other at most, as a part of
// those of hindsight, to be called alike.
const alike = .1

// because says how the reservations of online differ from those of hindsight.
func because(ways [][]way) string {
	mine, best := 0., 0.
	for _, list := range ways {
		mine, best = mine+list[online].held, best+list[hindsight].held
	}
	switch {
	case mine > (1+alike)*best:
		return "Online over-bought: it reserves " + ratio(mine, best) + " of the hours that hindsight does."
	case mine < (1-alike)*best:
		return "Online under-bought: it reserves " + ratio(mine, best) + " of the hours that hindsight does."
	}
	return "Online reserves as many hours as hindsight, of other classes or later."
}

// costs writes the table of the ways, in total.
func costs(w *table.Page, on string, ways [][]way) {
	var rows [][]string
	for k, x := range ways[0] {
		cost, bought := total(ways, k), 0
		for _, list := range ways {
			for _, q := range list[k].bought {
				bought += q.Count
			}
		}
		count := decimal.Int(bought)
		if x.bound {
			count = "-"
		}
		saving := "-"
		if all := total(ways, nothing); all > 0 {
			saving = percent(1 - cost/all)
		}
		rows = append(rows, []string{x.name, decimal.Grouped(decimal.Fixed(cost, 2)), ratio(cost, total(ways, hindsight)), saving, count})
	}
	w.Printf("Costs of %s, and reservations bought:\n\n", on)
	w.Table("<algorithm|cost|over\nhindsight|saving|bought", rows)
	for _, list := range ways {
		if x := list[hindsight]; x.above > 0 {
			w.Sayf("Hindsight is the best plan found, of %s and above the optimum by at most %s.", decimal.Grouped(x.cost.Fixed(2)), percent(x.above))
		}
	}
	w.Printf("\n")
}
