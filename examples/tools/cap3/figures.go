package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// Figs. 3 to 5 and Tables IV and V of [Huang13], computed for the tasks that are planned.
// The paper ran its tasks on EC2; here the times are predictions from the profile, for more
// processes than were profiled, too, as the paper's own were. So a figure may come out
// otherwise, and a line says why.

// A customerSize is a part of -customer.
type customerSize struct {
	application string
	processes   int
}

// table4Customer is the third column of Table IV.
var table4Customer = []customerSize{{"cg", 64}, {"ep", 48}, {"ft", 32}, {"is", 32}, {"mg", 32}, {"bt", 25}, {"lu", 64}, {"sp", 25}}

func parseCustomer(part string) (customerSize, error) {
	app, count, ok := strings.Cut(part, ":")
	n, err := strconv.Atoi(count)
	if !ok || app == "" || err != nil || n < 1 || n > maxProcesses {
		return customerSize{}, errors.New("want APPLICATION:PROCESSES, such as lu:64, with commas between them")
	}
	return customerSize{app, n}, nil
}

// A figured task is a row of Tables IV and V, and a bar of Figs. 3 to 5.
type figured struct {
	s               *sized
	ours, theirs    sizing.Size // of CAP3 without a limit of the profile, and of the customer
	tier            spot.Tier   // of ours
	types           []sizing.Size
	cheapest        int     // type
	bid             float64 // of the agent, as a share of the price on demand; 0 on demand
	meets, meets2   bool    // deadline
	within, theirs2 bool    // budget
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

// slower is how much longer a process takes on a type than on the one planned for.
func (r *results) slower(t *sizing.InstanceType) float64 {
	per := func(t *sizing.InstanceType) float64 { return t.ComputeUnits / float64(t.Processes) }
	return per(&r.in.instance) / per(t)
}

// figure computes the rows for tasks whose customer's size is known.
func (r *results) figure() error {
	o := r.o
	for _, c := range o.customer {
		if o.customerGiven && !slices.ContainsFunc(r.sized, func(s *sized) bool { return s.task.Application == c.application }) {
			return cli.Mistakef("-customer %s:%d: there is no task of %q; -task says which there are", c.application, c.processes, c.application)
		}
	}
	for _, s := range r.sized {
		k := slices.IndexFunc(o.customer, func(c customerSize) bool { return c.application == s.task.Application })
		if k < 0 {
			continue
		}
		n := o.customer[k].processes
		f := figured{s: s}
		var pl sizing.Sizer
		target := sizing.Target{
			Features: s.task.Features, Deadline: o.deadline - o.latency, Budget: o.budget, MaxScale: maxProcesses,
			Counts: perfmodel.AppendCounts(nil, s.fitted.counts, 1, tableIV),
		}
		ours, err := pl.Size(s.fitted.estimator, r.in.instance, target)
		if err != nil {
			continue // Eq. (1) has no prediction there
		}
		f.ours = ours.Best
		one := func(e perfmodel.Estimator, in sizing.InstanceType, n int) (sizing.Size, error) {
			t := target
			t.Counts = []int{n}
			p, err := pl.Size(e, in, t)
			return p.Best, err
		}
		if f.theirs, err = one(s.fitted.estimator, r.in.instance, n); err != nil {
			continue
		}
		f.meets, f.meets2 = f.ours.Time <= target.Deadline, f.theirs.Time <= target.Deadline
		f.within, f.theirs2 = o.budget == 0 || f.ours.Cost <= o.budget, o.budget == 0 || f.theirs.Cost <= o.budget
		task := spot.Task{Deadline: o.deadline, Estimate: max(1, f.ours.Time), Latency: o.latency, Instances: f.ours.Instances}
		f.tier = o.thresholds.Tier(&task, 0, 0)
		if x := s.scheduled; x != nil && f.tier != spot.TierHigh {
			bid := x.low
			if f.tier == spot.TierMedium {
				bid = x.medium
			}
			f.bid = bid.Float64() / r.in.instance.Hourly.Float64()
		}
		for i := range r.in.types {
			t := &r.in.types[i]
			p, err := one(onType{s.fitted.estimator, r.slower(t)}, *t, figure3(s.fitted.counts))
			if err != nil {
				return cli.Mistakef("%s: %s", nameOf(s.task), inData(err))
			}
			f.types = append(f.types, p)
			if p.Cost < f.types[f.cheapest].Cost {
				f.cheapest = i
			}
		}
		r.figures = append(r.figures, f)
	}
	return nil
}

// judgeFigures says which figures came out, and why others did not.
func (r *results) judgeFigures() (list []finding.Finding) {
	if len(r.figures) == 0 {
		return nil
	}
	var best, sizes, totals []string
	var dl, dl2, bd, bd2, less, same, more, cluster, sixteen, cheap, ep, lu int
	total, total2 := 0.0, 0.0
	shares := true
	for i := range r.figures {
		f := &r.figures[i]
		name := f.s.task.Application
		count := func(n *int, b bool) {
			if b {
				*n++
			}
		}
		count(&dl, f.meets)
		count(&dl2, f.meets2)
		count(&bd, f.within)
		count(&bd2, f.theirs2)
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
		count(&cluster, r.in.types[f.cheapest].Name == "cc1.4xlarge")
		count(&cheap, f.bid > 0)
		if f.bid > 0 {
			shares = shares && math.Abs(f.bid-map[spot.Tier]float64{spot.TierLow: .16, spot.TierMedium: .88}[f.tier]) < .05
		}
		total, total2 = total+f.ours.Cost.Float64(), total2+f.theirs.Cost.Float64()
		best = append(best, name+" "+r.in.types[f.cheapest].Name)
		sizes = append(sizes, fmt.Sprintf("%s %d", name, f.ours.Processes))
		if f.bid > 0 {
			totals = append(totals, fmt.Sprintf("%s %s%%", name, decimal.Fixed(100*f.bid, 0)))
		}
	}
	n := len(r.figures)
	fig3 := judged("Fig. 3: on 25 or 32 processes cluster instances are cheapest for seven tasks, and medium ones for IS",
		strings.Join(best, ", "), n == 8 && cluster == 7)
	fig3.Why = "The prediction knows compute units only, and the runs are shorter than the hour that is charged, so that small instances win. The paper measured what their network costs."
	table4 := judged("Table IV: CAP3 takes 16 processes, one instance, for six of eight tasks; EP gets 96 and LU 128",
		strings.Join(sizes, ", "), sixteen >= 6, ep == 96 && lu == 128)
	table4.Why = fmt.Sprintf("With a budget of %s CAP3 can pay for a second instance only where that is within the budget; the paper does not tell its own.", budgetOf(r.o.budget))
	table5 := judged("Table V: CAP3 meets 8 deadlines and 6 budgets, the customer 7 and 5",
		fmt.Sprintf("of %d CAP3 meets %d and %d, the customer %d and %d", n, dl, bd, dl2, bd2),
		dl >= dl2 && bd >= bd2, dl == 8 && bd == 6 && dl2 == 7 && bd2 == 5)
	table5.Why = "Deadline and budget are of this plan; the paper does not tell its own."
	fig4 := judged("Fig. 4: at prices on demand CAP3's sizes cost less for five tasks, the same for one, more for two, and less in all",
		fmt.Sprintf("less for %d, the same for %d, more for %d; $%s against $%s", less, same, more, dollarsOf(total), dollarsOf(total2)),
		total < total2, less == 5 && same == 1 && more == 2)
	fig5 := judged("Fig. 5: on spot at the bid, five tasks cost 16% (low) or 88% (medium) of their price on demand",
		decimal.Count(cheap, "task")+" on spot: "+strings.Join(totals, ", "), shares && cheap > 0, cheap == 5)
	fig5.Why = "The bids follow the made-up prices, and the agents deadline and budget of this plan."
	if r.o.spot != "" {
		fig5.Why = "The bids follow the prices of -spot, and the agents deadline and budget of this plan."
	}
	list = append(list, fig3, table4, table5, fig4, fig5)
	return list
}

// writeFigures writes Tables IV and V, with Figs. 3 to 5 as columns of ratios.
func (r *results) writeFigures(w *table.Page) {
	if len(r.figures) == 0 {
		return
	}
	w.Printf("\nTABLES IV AND V, FIGS. 3 TO 5\n")
	titles := "<task|CAP3\nproc.|customer\nproc.|<agent|<meets|<customer\nmeets|Fig. 4:\nCAP3|\ncustomer|Fig. 5:\nspot"
	for _, t := range r.in.types {
		_, short, _ := strings.Cut(t.Name, ".")
		titles += "|Fig. 3:\n" + short
	}
	mark := func(deadline, budget bool) string {
		return [2]string{"-", "dl"}[b2i(deadline)] + " " + [2]string{"-", "bd"}[b2i(budget)]
	}
	var rows [][]string
	for i := range r.figures {
		f := &r.figures[i]
		least := min(f.ours.Cost, f.theirs.Cost).Float64()
		spotShare := "-"
		if f.bid > 0 {
			spotShare = decimal.Fixed(f.bid, 2)
		}
		row := []string{table.Clip(nameOf(f.s.task), 14), strconv.Itoa(f.ours.Processes), strconv.Itoa(f.theirs.Processes), f.tier.String(), mark(f.meets, f.within), mark(f.meets2, f.theirs2),
			decimal.Fixed(f.ours.Cost.Float64()/least, 2), decimal.Fixed(f.theirs.Cost.Float64()/least, 2), spotShare}
		for k := range f.types {
			row = append(row, decimal.Fixed(f.types[k].Cost.Float64()/f.types[f.cheapest].Cost.Float64(), 2))
		}
		rows = append(rows, row)
	}
	tabulate(w, titles, rows)
	w.Sayf("CAP3 chooses here as the paper does, up to %d processes, however far that is beyond the profile; the customer takes the sizes of -customer, by default those of Table IV. dl: in time, bd: within the budget. "+
		"Fig. 4: cost on demand, over the lower of both. Fig. 5: the bid over the price on demand. Fig. 3: cost of %s on each type, over the lowest; a process is taken to be as fast as the compute units that it has.", tableIV, "25 or 32 processes")
	for _, f := range r.judgeFigures() {
		w.Sayf("%s", said(f))
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// figureCharts draws Figs. 3 to 5.
func (r *results) figureCharts() []svgplot.Chart {
	if len(r.figures) == 0 {
		return nil
	}
	var names []string
	for i := range r.figures {
		names = append(names, fmt.Sprintf("%d %s", i+1, r.figures[i].s.task.Application))
	}
	axis := strings.Join(names, ", ")
	one := func(title, y string) svgplot.Chart { return svgplot.Chart{Title: title, X: axis, Y: y} }
	third := one("Fig. 3: cost on each type of instance, over the lowest", "ratio")
	for k, t := range r.in.types {
		s := svgplot.Series{Name: t.Name, Points: true}
		for i := range r.figures {
			f := &r.figures[i]
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, f.types[k].Cost.Float64()/f.types[f.cheapest].Cost.Float64())
		}
		third.Series = append(third.Series, s)
	}
	fourth, fifth := one("Fig. 4: cost of CAP3's size and the customer's, over the lower", "ratio"), one("Fig. 5: cost of spot at the bid, over the price on demand", "ratio")
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

// A typed task is planned on each type of instance.
type typed struct {
	s     *sized
	sizes []sizing.Choice // by type
	best  int             // -1 where no type meets deadline and budget
}

// across plans each task on each type of instance, and takes the cheapest that meets
// deadline and budget, of equals the faster. Types beyond -scale have none.
func (r *results) across() (list []typed, err error) {
	o := r.o
	for _, s := range r.sized {
		t := typed{s: s, best: -1}
		var pl sizing.Sizer
		for i := range r.in.types {
			in := &r.in.types[i]
			target := sizing.Target{Features: s.task.Features, Deadline: o.deadline - o.latency, Budget: o.budget, MaxScale: o.scale, Cheapest: true,
				Counts: slices.DeleteFunc(perfmodel.AppendCounts(nil, s.fitted.counts, 1, maxProcesses), func(n int) bool { return float64(n) > o.scale*float64(s.fitted.profile.MaxProcesses()) })}
			if len(target.Counts) == 0 {
				continue
			}
			p, err := pl.Size(onType{s.fitted.estimator, r.slower(in)}, *in, target)
			if err != nil {
				return nil, cli.Mistakef("%s: %s", nameOf(s.task), o.unpredictable(err))
			}
			t.sizes = append(t.sizes, p)
			if p.Verdict != sizing.Fits {
				continue
			}
			if t.best < 0 || p.Best.Cost < t.sizes[t.best].Best.Cost || p.Best.Cost == t.sizes[t.best].Best.Cost && p.Best.Time < t.sizes[t.best].Best.Time {
				t.best = i
			}
		}
		if len(t.sizes) == len(r.in.types) {
			list = append(list, t)
		}
	}
	return list, nil
}

// writeAcross writes the plans across types.
func (r *results) writeAcross(w *table.Page) {
	if len(r.typed) == 0 {
		return
	}
	w.Printf("\nACROSS TYPES OF INSTANCES\n")
	titles := "<task"
	for _, t := range r.in.types {
		titles += "|" + t.Name + "|proc.|time"
	}
	titles += "|<cheapest"
	var rows [][]string
	total := 0.0
	for _, t := range r.typed {
		row := []string{table.Clip(nameOf(t.s.task), 14)}
		for k := range t.sizes {
			p := &t.sizes[k]
			if p.Verdict != sizing.Fits {
				row = append(row, verdictOf(p.Verdict), "", "")
				continue
			}
			row = append(row, "$"+dollars(p.Best.Cost), strconv.Itoa(p.Best.Processes), clock(p.Best.Time.Round(time.Second)))
		}
		name := "none"
		if t.best >= 0 {
			name = r.in.types[t.best].Name
			total += t.sizes[t.best].Best.Cost.Float64()
		}
		rows = append(rows, append(row, name))
	}
	tabulate(w, titles, rows)
	w.Sayf("The least cost within deadline and budget on each type, up to the processes profiled (-scale), at prices on demand; $%s in all on the cheapest. A process is taken to be as fast as the compute units that it has; what the network of a type costs is not known.", dollarsOf(total))
}
