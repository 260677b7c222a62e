package plans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// unsureQuestion asks what to reserve for a demand that nobody knows: futures around the
// demand that is drawn, in days.
type unsureQuestion struct {
	reserveQuestion
	Spread string `json:"spread"` // standard deviation of the level at the end, in per cent
}

const (
	unsurePaths = 24
	unsureSeed  = 11
	day         = 24 * time.Hour
)

// paths makes futures: the daily means of the demand, times a level that wanders away from 1,
// to about the spread at the end.
func (q *unsureQuestion) paths(slot time.Duration) ([][]int, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(q.Spread), 64)
	if err != nil || !(x >= 0 && x <= 200) {
		return nil, ask.Mistakef("spread", "%s: want a number of per cent from 0 to 200", ask.Quote(q.Spread))
	}
	per := int(day / slot)
	if per < 1 || day%slot != 0 {
		return nil, ask.Mistakef("slot", "slots of %s: want slots that make whole days", decimal.Span(slot))
	}
	var mean []float64
	for t := 0; t < len(q.Demand); t += per {
		sum := 0
		part := q.Demand[t:min(len(q.Demand), t+per)]
		for _, d := range part {
			sum += d
		}
		mean = append(mean, float64(sum)/float64(len(part)))
	}
	step := x / 100 / math.Sqrt(float64(len(mean)))
	var paths [][]int
	for i := range unsurePaths {
		// Futures come in pairs that mirror each other, so that their mean stays near the demand.
		random := rand.New(rand.NewPCG(unsureSeed, uint64(i/2)))
		level, path := 1.0, []float64(nil)
		for _, m := range mean {
			level += step * random.NormFloat64() * float64(1-2*(i%2))
			path = append(path, min(maxDemand, m*max(0, level)))
		}
		whole, err := reserve.AppendInstances(nil, path)
		if err != nil {
			return nil, ask.FieldOf(err, nil, "demand")
		}
		paths = append(paths, whole)
	}
	return paths, nil
}

func (q *unsureQuestion) problem() (*reserve.Problem, error) {
	p, err := q.reserveQuestion.problem()
	if err != nil {
		return nil, err
	}
	u := &reserve.Problem{Slot: day}
	if q.Pure {
		u.Horizon = reserve.Pure
	}
	if u.Paths, err = q.paths(p.Slot); err != nil {
		return nil, err
	}
	if u.Prices, err = reserve.WholeTerms(p.Prices, day); err != nil {
		return nil, ask.FieldOf(err, nil, "classes")
	}
	return u, nil
}

// unsureAnswer is the plan that is cheapest on average, and what not knowing costs.
type unsureAnswer struct {
	Cost      ask.Amount `json:"cost"`
	Bound     ask.Amount `json:"bound"`
	OnDemand  ask.Amount `json:"on_demand"`
	Hindsight ask.Amount `json:"hindsight"`
	MeanPath  ask.Amount `json:"mean_path"`
	Classes   []string   `json:"classes"`
	Losses    []loss     `json:"losses"`
	// By day: quantiles of the futures, and the reservations that are active, class upon class.
	Quantiles []ask.Ints   `json:"quantiles"` // 5, 25, 50, 75 and 95 per cent
	Active    []ask.Ints   `json:"active"`
	Costs     []ask.Amount `json:"costs"` // of the futures
}

// loss is how likely it is that a purchase loses money.
type loss struct {
	Slot  int     `json:"slot"`
	Class int     `json:"class"`
	Count int     `json:"count"`
	Loses float64 `json:"loses"`
}

func reserveUnsure(q *unsureQuestion) (*unsureAnswer, error) {
	p, err := q.problem()
	if err != nil {
		return nil, err
	}
	plan, err := exact.Solve(p)
	if err != nil {
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	a := &unsureAnswer{Cost: ask.Money(plan.Cost), Bound: ask.Money(plan.Bound)}
	purchases := append([]pricing.Purchase(nil), plan.Purchases...)
	alone, err := reserve.Cost(p, nil)
	if err != nil {
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	a.OnDemand = ask.Money(alone)
	o, err := exact.Outlook(p, purchases)
	if err != nil {
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	a.Hindsight, a.MeanPath = ask.Money(o.Hindsight), ask.Money(o.MeanPath)
	for _, c := range o.PathCosts {
		a.Costs = append(a.Costs, ask.Money(c))
	}
	a.Losses = []loss{}
	for i, b := range purchases {
		a.Losses = append(a.Losses, loss{b.Slot, b.Class, b.Count, o.Losses[i]})
	}
	for _, x := range []float64{.05, .25, .5, .75, .95} {
		list, err := p.AppendQuantile(nil, x)
		if err != nil {
			return nil, ask.FieldOf(err, reserveFields, "demand")
		}
		a.Quantiles = append(a.Quantiles, list)
	}
	n := len(p.Paths[0])
	for k, c := range p.Prices.Classes {
		a.Classes = append(a.Classes, c.Name)
		active := make(ask.Ints, n)
		for _, b := range purchases {
			if b.Class == k {
				for t := b.Slot; t < min(n, b.Slot+int(c.Term/day)); t++ {
					active[t] += b.Count
				}
			}
		}
		a.Active = append(a.Active, active)
	}
	return a, nil
}

// frontAnswer is the front of mean cost against risk.
type frontAnswer struct {
	Level  float64      `json:"level"`
	Points []frontPoint `json:"points"`
}

type frontPoint struct {
	Risk  float64    `json:"risk"`
	Mean  ask.Amount `json:"mean"`
	Worst ask.Amount `json:"worst"`
	Count int        `json:"count"` // reservations bought
	Gap   float64    `json:"gap"`
}

// The front looks at the mean of the worst fifth of the futures, with few rounds: the gap says
// how near its plans are.
const (
	frontLevel  = .8
	frontRounds = 12
)

func reserveFront(q *unsureQuestion) (*frontAnswer, error) {
	p, err := q.problem()
	if err != nil {
		return nil, err
	}
	points, err := exact.Front(p, frontLevel, []float64{0, .2, .4, .6, .8, 1}, frontRounds)
	if err != nil {
		return nil, ask.FieldOf(err, reserveFields, "demand")
	}
	a := &frontAnswer{Level: frontLevel}
	for _, x := range points {
		y := frontPoint{Risk: x.Risk, Mean: ask.Money(x.Mean), Worst: ask.Money(x.CVaR), Gap: x.Gap}
		for _, b := range x.Purchases {
			y.Count += b.Count
		}
		a.Points = append(a.Points, y)
	}
	return a, nil
}

// unsureExport is the command line of examples/tools/plan with the same futures.
func unsureExport(q *unsureQuestion) (*ask.Export, error) {
	p, err := q.problem()
	if err != nil {
		return nil, err
	}
	known, err := reserveExport(&q.reserveQuestion)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := range p.Paths {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "p%d", i)
	}
	b.WriteByte('\n')
	for t := range p.Paths[0] {
		for i := range p.Paths {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(p.Paths[i][t]))
		}
		b.WriteByte('\n')
	}
	command := "go run github.com/plimsoll/plimsoll/examples/tools/plan@latest -paths paths.csv -classes classes.json -slot 24h"
	if q.Pure {
		command += " -pure"
	}
	return &ask.Export{Command: command + " -algo exact", Files: []ask.File{{Name: "paths.csv", Text: b.String()}, known.Files[1]}}, nil
}
