package plans

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// Limits of the page. The programs take more.
const (
	maxSlots   = 5 * 365 * 24 // five years of hours
	maxClasses = 8
	maxDemand  = 1_000_000
)

// classQuestion is a class of reservations as it stands in the fields of the page.
type classQuestion struct {
	Name    string `json:"name"`
	Term    string `json:"term"` // see span
	Upfront string `json:"upfront"`
	Hourly  string `json:"hourly"`
	Always  bool   `json:"always"` // Hourly is billed for each hour, used or not
	Off     bool   `json:"off"`    // not for sale
}

// reserveQuestion asks for the optimum.
type reserveQuestion struct {
	Demand   ask.Ints        `json:"demand"`
	Slot     string          `json:"slot"` // 1h, see span
	OnDemand string          `json:"on_demand"`
	Classes  []classQuestion `json:"classes"`
	Every    int             `json:"every"` // slots between purchases
	Pure     bool            `json:"pure"`
}

// prices reads the price list. The names of fields are those of the question.
func (q *reserveQuestion) prices() (list pricing.List, err error) {
	if list.OnDemand, err = ask.Price("on_demand", q.OnDemand); err != nil {
		return list, err
	}
	if list.OnDemand == 0 {
		return list, ask.Mistakef("on_demand", "0: want a price above 0, or nothing is worth a reservation")
	}
	if len(q.Classes) > maxClasses {
		return list, ask.Mistakef("classes", "%d classes: want at most %d", len(q.Classes), maxClasses)
	}
	seen := map[string]bool{}
	for i, c := range q.Classes {
		if c.Off {
			continue
		}
		at := func(field string) string { return fmt.Sprintf("classes.%d.%s", i, field) }
		x := pricing.Class{Name: strings.TrimSpace(c.Name), Billed: pricing.WhenUsed}
		if c.Always {
			x.Billed = pricing.Always
		}
		if x.Name == "" || seen[x.Name] {
			return list, ask.Mistakef(at("name"), "%s: want a name that no other class has", ask.Quote(c.Name))
		}
		seen[x.Name] = true
		if x.Term, err = ask.Span(at("term"), c.Term); err != nil {
			return list, err
		}
		if x.Upfront, err = ask.Price(at("upfront"), c.Upfront); err != nil {
			return list, err
		}
		if x.Hourly, err = ask.Price(at("hourly"), c.Hourly); err != nil {
			return list, err
		}
		list.Classes = append(list.Classes, x)
	}
	return list, nil
}

// problem reads the question.
func (q *reserveQuestion) problem() (*reserve.Problem, error) {
	slot, err := ask.Span("slot", q.Slot)
	if err != nil {
		return nil, err
	}
	if len(q.Demand) == 0 {
		return nil, ask.Mistakef("demand", "there is none: want a number of instances for each slot")
	}
	if len(q.Demand) > maxSlots {
		return nil, ask.Mistakef("demand", "%s slots: the page takes at most %s, five years of hours; examples/tools/plan takes more",
			decimal.Int(len(q.Demand)), decimal.Int(maxSlots))
	}
	for t, d := range q.Demand {
		if d < 0 || d > maxDemand {
			return nil, ask.Mistakef("demand", "slot %d: %d: want from 0 to %s instances", t, d, decimal.Int(maxDemand))
		}
	}
	list, err := q.prices()
	if err != nil {
		return nil, err
	}
	if q.Every < 0 || q.Every > maxSlots {
		return nil, ask.Mistakef("every", "%d: want from 0 to %s slots between purchases", q.Every, decimal.Int(maxSlots))
	}
	p := &reserve.Problem{Demand: q.Demand, Slot: slot, Every: q.Every}
	if q.Pure {
		p.Horizon = reserve.Pure
		for every := max(1, p.Every); len(p.Demand)%every != 0; { // as examples/tools/plan does
			p.Demand = append(p.Demand, 0)
		}
	}
	if p.Prices, err = reserve.WholeTerms(list, slot); err != nil {
		for i, c := range q.Classes {
			if !c.Off {
				if d, _ := ask.Span("", c.Term); d < slot {
					return nil, ask.Mistakef(fmt.Sprintf("classes.%d.term", i), "%s: want at least a slot of the demand, %s", decimal.Span(d), decimal.Span(slot))
				}
			}
		}
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	return p, nil
}

// reserveFields names the fields of the page behind those of reserve.Problem.
var reserveFields = map[string]string{"Demand": "demand", "Paths": "demand", "Slot": "slot", "Prices": "classes", "Every": "every", "Horizon": "pure"}

// reserveCheck says whether the question can be answered.
func reserveCheck(q *reserveQuestion) (struct{}, error) {
	_, err := q.problem()
	return struct{}{}, err
}

// reserveAnswer is the optimum and its proof.
type reserveAnswer struct {
	Cost     ask.Amount `json:"cost"`
	Bound    ask.Amount `json:"bound"`
	OnDemand ask.Amount `json:"on_demand"` // what the demand costs without reservations
	Saving   float64    `json:"saving"`
	Optimal  bool       `json:"optimal"`
	Limited  bool       `json:"limited"`
	Refuted  string     `json:"refuted"` // why the certificate does not hold; empty where it holds
	Classes  []string   `json:"classes"` // names, in the order of the list

	Purchases []reservePurchase `json:"purchases"`
	// Served[k][t] is what reservations of class k serve in slot t, and Idle[t] the
	// reservations that serve nothing.
	Served []ask.Ints `json:"-"`
	Idle   ask.Ints   `json:"-"`
	Rest   ask.Ints   `json:"-"` // on demand
	// Price[t] is what one more instance in slot t adds at least to the cost: the dual value.
	Price ask.Floats `json:"-"`
	// Worth[k][t] is what a reservation of class k bought in slot t saves at those prices,
	// as a share of its fee: at most 1, or the plan is not optimal. The last slots have a
	// share of the term.
	Worth []ask.Floats `json:"-"`
	Terms []int        `json:"terms"` // slots, by class
}

func (a *reserveAnswer) AppendHeavy(b []byte) []byte {
	b = ask.AppendField(b, "served", ask.Lists[ask.Ints](a.Served))
	b = ask.AppendField(b, "idle", a.Idle)
	b = ask.AppendField(b, "rest", a.Rest)
	b = ask.AppendField(b, "price", a.Price)
	return ask.AppendField(b, "worth", ask.Lists[ask.Floats](a.Worth))
}

type reservePurchase struct {
	Slot  int        `json:"slot"`
	Class int        `json:"class"`
	Count int        `json:"count"`
	Used  float64    `json:"used"`
	Back  int        `json:"back"` // the slot in which the fee is saved, -1: never
	Saved ask.Amount `json:"saved"`
}

// exact is used again and again: an answer is made before the next question.
var exact reserve.Exact

func reservePlan(q *reserveQuestion) (*reserveAnswer, error) {
	p, err := q.problem()
	if err != nil {
		return nil, err
	}
	exact.Work = 2e9 // a second or so, and a proved gap
	plan, err := exact.Solve(p)
	if err != nil {
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	a := &reserveAnswer{Cost: ask.Money(plan.Cost), Bound: ask.Money(plan.Bound), Optimal: plan.Optimal(), Limited: plan.Limited}
	if err := reserve.Verify(p, &plan); err != nil {
		a.Refuted = err.Error()
	}
	alone, err := reserve.Cost(p, nil)
	if err != nil {
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	a.OnDemand = ask.Money(alone)
	if alone > 0 {
		a.Saving = 1 - plan.Cost.Float64()/alone.Float64()
	}
	uses, err := reserve.AppendUses(nil, p, plan.Purchases)
	if err != nil {
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	a.Purchases = []reservePurchase{}
	for _, u := range uses {
		a.Purchases = append(a.Purchases, reservePurchase{u.Purchase.Slot, u.Purchase.Class, u.Purchase.Count, u.Utilisation, u.BreakEven, ask.Money(u.Saved)})
	}
	a.Classes = classfile.Names(p.Prices)
	a.serve(p, plan.Purchases)
	a.proof(p, &plan)
	return a, nil
}

// serve divides the demand among classes, the lowest use price first.
func (a *reserveAnswer) serve(p *reserve.Problem, purchases []pricing.Purchase) {
	n := len(p.Demand)
	a.Rest = append([]int(nil), p.Demand...)
	a.Idle = make([]int, n)
	a.Served = make([]ask.Ints, len(p.Prices.Classes))
	a.Terms = make([]int, len(p.Prices.Classes))
	for k, c := range p.Prices.Classes {
		a.Terms[k] = int(c.Term / p.Slot)
	}
	for _, k := range classfile.ByUsePrice(p.Prices) {
		active := make([]int, n+1)
		for _, b := range purchases {
			if b.Class == k {
				active[b.Slot] += b.Count
				active[min(n, b.Slot+a.Terms[k])] -= b.Count
			}
		}
		a.Served[k] = make([]int, n)
		for t, held := 0, 0; t < n; t++ {
			held += active[t]
			a.Served[k][t] = min(held, a.Rest[t])
			a.Rest[t] -= a.Served[k][t]
			a.Idle[t] += held - a.Served[k][t]
		}
	}
}

// proof turns the certificate into prices of slots, and what reservations are worth at them.
func (a *reserveAnswer) proof(p *reserve.Problem, plan *reserve.Plan) {
	n, c := len(p.Demand), &plan.Certificate
	unit := float64(c.Num) / float64(c.Den) / 1e9
	hours := p.Slot.Hours()
	onDemand := p.Prices.OnDemand.Float64() * hours
	// The levels are the distinct use prices below the price on demand, falling.
	var levels []pricing.Money
	last := p.Prices.OnDemand
	for range c.Levels {
		next := pricing.Money(-1)
		for _, x := range p.Prices.Classes {
			if u := x.UsePrice(); u < last && u > next {
				next = u
			}
		}
		levels = append(levels, next)
		last = next
	}
	a.Price = make([]float64, n)
	least := onDemand
	for k, u := range levels {
		w := least - u.Float64()*hours
		least = u.Float64() * hours
		for t := range n {
			a.Price[t] += min(w, float64(c.Values[k*n+t])*unit)
		}
	}
	for t := range a.Price {
		a.Price[t] += least
	}
	sums := make([]float64, n+1)
	for k, x := range p.Prices.Classes {
		worth := make([]float64, 0, n)
		for t := range n {
			sums[t+1] = sums[t]
			for l, u := range levels {
				if x.UsePrice() <= u {
					sums[t+1] += float64(c.Values[l*n+t]) * unit
				}
			}
		}
		fee := x.Upfront.Float64()
		if x.Billed == pricing.Always {
			fee += x.Hourly.Float64() * x.Term.Hours()
		}
		for t := range n {
			end := min(n, t+a.Terms[k])
			part := fee
			if p.Horizon == reserve.Pure {
				part *= float64(end-t) / float64(a.Terms[k])
			}
			share := 0.0
			if part > 0 {
				share = (sums[end] - sums[t]) / part
			}
			worth = append(worth, share)
		}
		a.Worth = append(a.Worth, worth)
	}
}

// reserveExport is the command line of examples/tools/plan with the same demand and prices.
func reserveExport(q *reserveQuestion) (*ask.Export, error) {
	demand := q.Demand
	p, err := q.problem()
	if err != nil {
		return nil, err
	}
	classes, err := json.MarshalIndent(p.Prices, "", "  ")
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	lines.WriteString("instances\n")
	for _, d := range demand {
		fmt.Fprintln(&lines, d)
	}
	command := "go run github.com/plimsoll/plimsoll/examples/tools/plan@latest -demand demand.csv -classes classes.json"
	if p.Slot != time.Hour {
		command += " -slot " + p.Slot.String()
	}
	if p.Every > 1 {
		command += " -every " + (time.Duration(p.Every) * p.Slot).String()
	}
	if q.Pure {
		command += " -pure"
	}
	return &ask.Export{Command: command, Files: []ask.File{
		{Name: "demand.csv", Text: lines.String()},
		{Name: "classes.json", Text: string(classes) + "\n"},
	}}, nil
}

// A rule is a published heuristic, or what tools on the market do, for one class.
type rule struct {
	name, about string
	planner     func(class int) reserve.Planner
	all         bool // for all classes together
}

var planners = []rule{
	{"constant", "the best constant number, as the clouds recommend", func(k int) reserve.Planner { return &rules.Constant{Class: k} }, false},
	{"sec", "greedy by least use, Niu 2016", func(int) reserve.Planner { return new(rules.SEC) }, true},
	{"hgr", "greedy by the busiest window, Liu 2021", func(k int) reserve.Planner { return &reserve.HGR{Class: k} }, false},
	{"periodic", "each term by itself, Wang 2015", func(k int) reserve.Planner { return &rules.Periodic{Class: k} }, false},
	{"wang", "knows the past only, Wang 2013", func(k int) reserve.Planner { return &rules.Wang{Class: k} }, false},
	{"peak", "the peak, reserved throughout", func(k int) reserve.Planner { return &rules.Constant{Class: k, Peak: true} }, false},
}

// rulesAnswer has what the rules cost.
type rulesAnswer struct {
	Rules []ruleAnswer `json:"rules"`
}

type ruleAnswer struct {
	Name  string     `json:"name"`
	About string     `json:"about"`
	Class string     `json:"class"` // the cheapest class, of a rule for one
	Index int        `json:"index"` // of that class; -1: all, or none
	Cost  ask.Amount `json:"cost"`
	Count int        `json:"count"` // reservations bought
	Not   string     `json:"not"`   // why the rule does not take the problem
}

func reserveRules(q *reserveQuestion) (*rulesAnswer, error) {
	p, err := q.problem()
	if err != nil {
		return nil, err
	}
	a := new(rulesAnswer)
	for _, r := range planners {
		x := ruleAnswer{Name: r.name, About: r.about, Index: -1}
		var best pricing.Money
		var refused error
		found := false
		for k := range p.Prices.Classes {
			list, err := r.planner(k).AppendPlan(nil, p)
			if errors.Is(err, reserve.ErrUnsupported) || errors.Is(err, reserve.ErrOverflow) {
				refused = err
				continue
			}
			if err != nil {
				return nil, ask.FieldOf(err, reserveFields, "demand")
			}
			cost, err := reserve.Cost(p, list)
			if err != nil {
				refused = err
				continue
			}
			if !found || cost < best {
				best, found, x.Count = cost, true, 0
				for _, b := range list {
					x.Count += b.Count
				}
				x.Class, x.Index = "", -1
				if !r.all && len(list) > 0 {
					x.Class, x.Index = p.Prices.Classes[k].Name, k
				}
			}
			if r.all {
				break
			}
		}
		switch {
		case !found && refused != nil:
			x.Not = ask.FieldOf(refused, reserveFields, "demand").(*ask.Mistake).Text
		case !found: // there is no class
			if best, err = reserve.Cost(p, nil); err != nil {
				return nil, ask.FieldOf(err, reserveFields, "demand")
			}
			x.Cost = ask.Money(best)
		default:
			x.Cost = ask.Money(best)
		}
		a.Rules = append(a.Rules, x)
	}
	return a, nil
}
