package huang13

import (
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// Figs. 3 to 5 and Tables IV and V. The paper ran its tasks on EC2; here the times are
// predictions from the profile, for more processes than were profiled, too, as the paper's own
// were. So a figure may come out otherwise, and a line says why.

// tableIV is the largest number of processes in Table IV, and table4Customer its third column.
const tableIV = 128

var table4Customer = map[string]int{"cg": 64, "ep": 48, "ft": 32, "is": 32, "mg": 32, "bt": 25, "lu": 64, "sp": 25}

// A figured task is a row of Tables IV and V, and a bar of Figs. 3 to 5.
type figured struct {
	name                 string
	ours, theirs         sizing.Size // of CAP3 without a limit of the profile, and of the customer
	tier                 spot.Tier   // of ours
	types                []sizing.Size
	cheapest             int     // type
	bid                  float64 // of the agent, as a share of the price on demand; 0 on demand
	meets, theirsMeet    bool    // deadline
	within, theirsWithin bool    // budget
}

// figure3 is the number of processes of Fig. 3: 25 where a program wants squares, or 32.
func figure3(c perfmodel.Counts) int {
	if c == perfmodel.Squares {
		return 25
	}
	return 32
}

// onType predicts times on another type of instance: in inverse proportion to the compute
// units that a process has there. What the network costs is not in it.
type onType struct {
	perfmodel.Estimator
	factor float64
}

// EstimateTo implements [perfmodel.Estimator].
func (e onType) EstimateTo(dst []perfmodel.Estimate, q perfmodel.Query) error {
	if err := e.Estimator.EstimateTo(dst, q); err != nil {
		return err
	}
	for i := range dst {
		d := &dst[i]
		d.Seconds, d.Lower, d.Upper, d.Mean = d.Seconds*e.factor, d.Lower*e.factor, d.Upper*e.factor, d.Mean*e.factor
	}
	return nil
}

// slower is how much longer a process takes on a type than on another.
func slower(on, t *sizing.InstanceType) float64 {
	per := func(t *sizing.InstanceType) float64 { return t.ComputeUnits / float64(t.Processes) }
	return per(t) / per(on)
}

// figure computes the row of a task.
func (r *results) figure(t *task) (f figured, err error) {
	f.name = t.name
	var pl sizing.Sizer
	target := sizing.Target{
		Features: t.features, Deadline: r.o.deadline - r.o.latency, Budget: r.o.budget, MaxScale: tableIV,
		Counts: perfmodel.AppendCounts(nil, t.counts, 1, tableIV),
	}
	ours, err := pl.Size(t.estimator, r.cluster, target)
	if err != nil {
		return f, err
	}
	f.ours = ours.Best
	one := func(e perfmodel.Estimator, in sizing.InstanceType, n int) (sizing.Size, error) {
		p, err := pl.Size(e, in, sizing.Target{Features: t.features, Deadline: maxSpan, Counts: []int{n}, MaxScale: tableIV})
		return p.Best, err
	}
	if f.theirs, err = one(t.estimator, r.cluster, table4Customer[t.name]); err != nil {
		return f, err
	}
	f.meets, f.theirsMeet = f.ours.Time <= target.Deadline, f.theirs.Time <= target.Deadline
	f.within, f.theirsWithin = r.o.budget == 0 || f.ours.Cost <= r.o.budget, r.o.budget == 0 || f.theirs.Cost <= r.o.budget
	x := spot.Task{Deadline: r.o.deadline, Estimate: max(1, f.ours.Time), Latency: r.o.latency, Instances: f.ours.Instances}
	f.tier = r.o.thresholds.Tier(&x, 0, 0)
	if bid := r.bid(f.tier); bid > 0 {
		f.bid = bid.Float64() / r.cluster.Hourly.Float64()
	}
	for i := range r.types {
		in := &r.types[i]
		p, err := one(onType{t.estimator, slower(in, &r.cluster)}, *in, figure3(t.counts))
		if err != nil {
			return f, err
		}
		f.types = append(f.types, p)
		if p.Cost < f.types[f.cheapest].Cost {
			f.cheapest = i
		}
	}
	return f, nil
}

// bid is the bid of an agent when the tasks are handed in, 0 on demand.
func (r *results) bid(t spot.Tier) pricing.Money {
	switch t {
	case spot.TierLow:
		return spot.LowBid(r.history, r.from, r.cluster.Hourly)
	case spot.TierMedium:
		return spot.MediumBid(r.history, r.from, r.cluster.Hourly)
	}
	return 0
}

// judgeFigures says which figures came out, and why others did not.
func (r *results) judgeFigures() (list []claim.Claim) {
	var best, sizes, totals []string
	var dl, dl2, bd, bd2, less, same, more, cluster, sixteen, cheap, ep, lu int
	total, total2 := 0.0, 0.0
	shares := true
	for i := range r.figures {
		f := &r.figures[i]
		name := f.name
		count := func(n *int, b bool) {
			if b {
				*n++
			}
		}
		count(&dl, f.meets)
		count(&dl2, f.theirsMeet)
		count(&bd, f.within)
		count(&bd2, f.theirsWithin)
		count(&less, f.ours.Cost < f.theirs.Cost)
		count(&same, f.ours.Cost == f.theirs.Cost)
		count(&more, f.ours.Cost > f.theirs.Cost)
		count(&sixteen, f.ours.Processes == 16)
		switch name {
		case "ep":
			ep = f.ours.Processes
		case "lu":
			lu = f.ours.Processes
		}
		count(&cluster, r.types[f.cheapest].Name == "cc1.4xlarge")
		count(&cheap, f.bid > 0)
		if f.bid > 0 {
			shares = shares && math.Abs(f.bid-map[spot.Tier]float64{spot.TierLow: .16, spot.TierMedium: .88}[f.tier]) < .05
		}
		total, total2 = total+f.ours.Cost.Float64(), total2+f.theirs.Cost.Float64()
		best = append(best, name+" "+r.types[f.cheapest].Name)
		sizes = append(sizes, fmt.Sprintf("%s %d", name, f.ours.Processes))
		if f.bid > 0 {
			totals = append(totals, fmt.Sprintf("%s %s%%", name, decimal.Fixed(100*f.bid, 0)))
		}
	}
	n := len(r.figures)
	return append(list,
		judged("Fig. 3", "on 25 or 32 processes cluster instances are cheapest for seven tasks, and medium ones for IS", "", strings.Join(best, ", "),
			n == 8 && cluster == 7).
			Because("The prediction knows compute units only, and the runs are shorter than the hour that is charged, so that small instances win. "+
				"The paper measured what their network costs."),
		judged("Table IV", "CAP3 takes 16 processes, one instance, for six of eight tasks", "16; EP 96, LU 128", strings.Join(sizes, ", "), sixteen >= 6,
			ep == 96 && lu == 128).
			Because(fmt.Sprintf("With a budget of $%s CAP3 can pay for a second instance only where that is within the budget; "+
				"the paper does not tell its own.", dollars(r.o.budget))),
		judged("Table V", "deadlines and budgets that CAP3 meets, and the customer", "8, 6; 7, 5", fmt.Sprintf("%d, %d; %d, %d", dl, bd, dl2, bd2),
			dl >= dl2 && bd >= bd2, dl == 8 && bd == 6 && dl2 == 7 && bd2 == 5).
			Because("Deadline and budget are of this plan; the paper does not tell its own."),
		judged("Fig. 4", "at prices on demand CAP3's sizes cost less, the same, and more for so many tasks, and less in all", "5, 1, 2",
			fmt.Sprintf("%d, %d, %d; $%s against $%s", less, same, more, decimal.Fixed(total, 2), decimal.Fixed(total2,
				2)), total < total2, less == 5 && same == 1 && more == 2),
		judged("Fig. 5", "on spot at the bid, five tasks cost a part of their price on demand", "16% (low) or 88% (medium)",
			decimal.Count(cheap, "task")+": "+strings.Join(totals, ", "), shares && cheap > 0, cheap == 5).
			Because("The bids follow the made-up prices, and the agents deadline and budget of this plan."))
}

// figureCharts draws Figs. 3 to 5.
func (r *results) figureCharts() []svgplot.Chart {
	var names []string
	for i := range r.figures {
		names = append(names, fmt.Sprintf("%d %s", i+1, r.figures[i].name))
	}
	axis := strings.Join(names, ", ")
	one := func(title, y string) svgplot.Chart { return svgplot.Chart{Title: title, X: axis, Y: y} }
	third := one("Fig. 3: cost on each type of instance, over the lowest", "ratio")
	for k, t := range r.types {
		s := svgplot.Series{Name: t.Name, Points: true}
		for i := range r.figures {
			f := &r.figures[i]
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, f.types[k].Cost.Float64()/f.types[f.cheapest].Cost.Float64())
		}
		third.Series = append(third.Series, s)
	}
	fourth, fifth := one("Fig. 4: cost of CAP3's size and the customer's, over the lower",
		"ratio"), one("Fig. 5: cost of spot at the bid, over the price on demand", "ratio")
	ours, theirs := svgplot.Series{Name: "CAP3", Points: true}, svgplot.Series{Name: "customer", Points: true}
	low, medium := svgplot.Series{Name: "low", Points: true}, svgplot.Series{Name: "medium", Points: true}
	for i := range r.figures {
		f := &r.figures[i]
		x, least := float64(i+1), min(f.ours.Cost, f.theirs.Cost).Float64()
		ours.X, ours.Y = append(ours.X, x), append(ours.Y, f.ours.Cost.Float64()/least)
		theirs.X, theirs.Y = append(theirs.X, x), append(theirs.Y, f.theirs.Cost.Float64()/least)
		if to := map[spot.Tier]*svgplot.Series{spot.TierLow: &low, spot.TierMedium: &medium}[f.tier]; to != nil && f.bid > 0 {
			to.X, to.Y = append(to.X, x), append(to.Y, f.bid)
		}
	}
	fourth.Series = []svgplot.Series{ours, theirs}
	fifth.Series = []svgplot.Series{low, medium, {Name: "on demand", X: []float64{1, float64(len(r.figures))}, Y: []float64{1, 1}}}
	return []svgplot.Chart{third, fourth, fifth}
}
