package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

// A printer keeps its first error.
type printer struct {
	*bufio.Writer
	err error
}

func (w *printer) say(format string, args ...any) {
	fmt.Fprintln(w, table.Wrap(fmt.Sprintf(format, args...)))
}

func (w *printer) table(columns []table.Column, rows [][]string) {
	fmt.Fprintln(w)
	if err := table.Write(w, columns, rows); w.err == nil {
		w.err = err
	}
	fmt.Fprintln(w)
}

func (w *printer) heading(s string) { fmt.Fprintf(w, "\n%s\n", s) }

// writeText writes tables, and why.
func (r *results) writeText(stdout io.Writer) error {
	w := &printer{Writer: bufio.NewWriter(stdout)}
	fmt.Fprintln(w, "MODELS")
	r.writeModels(w)
	w.heading("SIZES")
	r.writeInstances(w)
	r.writeSizes(w)
	w.heading("SPOT OR ON DEMAND")
	r.writeSpot(w)
	if r.findings != nil {
		w.heading("THE PAPER'S DECISIONS")
		fmt.Fprintln(w)
		for _, f := range r.findings {
			w.say("%v", f)
		}
	}
	if w.err != nil {
		return w.err
	}
	return w.Flush()
}

func (f finding) String() string {
	verdict := "came out"
	if !f.cameOut {
		verdict = "DID NOT COME OUT"
	}
	return fmt.Sprintf("%s: %s. Here: %s.", verdict, f.says, f.shown)
}

// writeModels says what was fitted, and how it did.
func (r *results) writeModels(w *printer) {
	var shown []modelName
	for m := machine; m < models; m++ {
		for _, f := range r.fitted {
			if f.scores[m].tried {
				shown = append(shown, m)
				break
			}
		}
	}
	columns := []table.Column{{Title: "application", Left: true}, {Title: "runs"}, {Title: "largest\ncase", Left: true}, {Title: "proces-\nses"}}
	for _, m := range shown {
		columns = append(columns, table.Column{Title: m.String()})
	}
	columns = append(columns, table.Column{Title: "chosen", Left: true})
	var rows [][]string
	for _, f := range r.fitted {
		row := []string{table.Clip(f.profile.Application, 12), strconv.Itoa(len(f.profile.Runs)), table.Clip(largest(&f.profile).Case, 10), strconv.Itoa(f.profile.MaxProcesses())}
		for _, m := range shown {
			row = append(row, f.scores[m].String())
		}
		rows = append(rows, append(row, f.chosen.String()))
	}
	w.table(columns, rows)
	w.say("Errors are of runs left out one by one: the root mean square of ln(predicted/measured), so that 0.10 is about 10%% off; a dash stands for a model that the runs cannot tell the coefficients of.")
	if r.pool.names != nil {
		var list []string
		for k, s := range r.pool.scores {
			list = append(list, fmt.Sprintf("%s %s", r.pool.names[k], decimal.Fixed(s.Error, 3)))
		}
		w.say("The benchmarks are fitted together, since they ran on one machine. Its time for a unit of work depends on %s, by the least error: %s.", r.pool.names[r.pool.best], strings.Join(list, ", "))
	}
	in, of := r.covered()
	if of > 0 {
		w.say("Of %s that were left out %d are within their intervals for 90%% (%s%%).", decimal.Count(of, "run"), in, decimal.Fixed(100*float64(in)/float64(of), 0))
	}
	for _, f := range r.fitted {
		if f.tableI != nil {
			w.say("%seq2, by the features alone, fails: %s.", of_(f), inData(f.tableI))
			break
		}
	}
	if n := r.alike(); n > 1 {
		w.say("The same goes for %d applications in all.", n)
	}
	var dropped []string
	for _, f := range r.fitted {
		if len(f.left) > 0 {
			dropped = append(dropped, strings.TrimSpace(fmt.Sprintf("%s above %d", f.profile.Application, f.profile.MaxProcesses())))
		}
	}
	if dropped != nil {
		w.say("Left out are runs on more processes than make any case faster by a fifth, since the machine seems to have no more cores: %s.", strings.Join(dropped, ", "))
	}
	turns := func(f *fitted) bool { return f.profile.MaxProcesses() > 2 }
	if r.o.profile == "" && slices.ContainsFunc(r.fitted, turns) {
		w.say("That machine has two cores. BT and SP run on square numbers only, so that their runs on 4 processes took turns, too; they are kept, for nothing else says how they scale.")
	}
}

// alike returns how many applications the features alone do not do for.
func (r *results) alike() (n int) {
	for _, f := range r.fitted {
		if f.tableI != nil {
			n++
		}
	}
	return n
}

func of_(f *fitted) string { return of(f.profile.Application) }

func (s score) String() string {
	switch {
	case !s.tried:
		return ""
	case math.IsInf(s.error, 1):
		return "-"
	}
	return decimal.Fixed(s.error, 3)
}

// largest returns the run that took longest.
func largest(p *perfmodel.Profile) *perfmodel.Run {
	best := &p.Runs[0]
	for i := range p.Runs {
		if p.Runs[i].Seconds > best.Seconds {
			best = &p.Runs[i]
		}
	}
	return best
}

// writeInstances is Table III.
func (r *results) writeInstances(w *printer) {
	if r.o.spot != "" {
		i := &r.in.instance
		fmt.Fprintln(w)
		w.say("On %s, %s each, at $%s an hour on demand.", i.Name, decimal.Count(i.Processes, "core"), price(i.Hourly))
		return
	}
	var rows [][]string
	for _, t := range r.in.types {
		chosen := ""
		if t.Name == r.in.instance.Name {
			chosen = "chosen"
		}
		rows = append(rows, []string{t.Name, strconv.Itoa(t.Processes), decimal.Number(t.ComputeUnits, 1).String(), dollars(t.Hourly), unitPrice(t), chosen})
	}
	w.table([]table.Column{{Title: "instance", Left: true}, {Title: "processes"}, {Title: "compute\nunits"}, {Title: "on demand,\n$/h"}, {Title: "$/h per\nunit"}, {Left: true}}, rows)
	if r.in.cheapest {
		w.say("%s is chosen since a compute unit costs least there.", r.in.instance.Name)
	} else {
		w.say("%s is chosen by -instance, at $%s an hour.", r.in.instance.Name, price(r.in.instance.Hourly))
	}
}

// writeSizes says on how many processes to run.
func (r *results) writeSizes(w *printer) {
	o := r.o
	var rows [][]string
	for _, s := range r.sized {
		for k := range s.choices {
			p := &s.choices[k]
			name, mark := "", ""
			if k == 0 {
				name = table.Clip(nameOf(s.task), 14)
			}
			if choiceName(k) == o.choose {
				mark = "*"
			}
			if p.Verdict == perfmodel.Unprofiled {
				rows = append(rows, []string{name, choiceName(k).String() + mark, "", "", "", "", "", verdictOf(p.Verdict)})
				continue
			}
			b := &p.Best
			upper := ""
			if choiceName(k) == sure {
				upper = clock(b.Upper)
			}
			rows = append(rows, []string{name, choiceName(k).String() + mark, strconv.Itoa(b.Processes), strconv.Itoa(b.Instances), clock(b.Time), upper, dollars(b.Cost), verdictOf(p.Verdict)})
		}
	}
	w.table([]table.Column{{Title: "task", Left: true}, {Title: "choice", Left: true}, {Title: "proces-\nses"}, {Title: "instan-\nces"}, {Title: "predicted"},
		{Title: "within, " + decimal.Fixed(100*o.confidence, 0) + "%"}, {Title: "cost, $"}, {Title: "", Left: true}}, rows)
	w.say("Due in %s, of which %s are for the set-up; budget %s. time: least time within both, the paper's choice; cost: least cost within the deadline; "+
		"sure: least cost within both with a probability of %s%%; what nothing fits is what comes nearest. The choice with the star is scheduled.",
		clock(o.deadline), clock(o.latency), budgetOf(o.budget), decimal.Fixed(100*o.confidence, 0))
	for _, s := range r.sized {
		r.explainSize(w, s)
	}
}

func budgetOf(m pricing.Money) string {
	if m == 0 {
		return "none"
	}
	return "$" + dollars(m)
}

// explainSize says why, in a sentence or two, and warns.
func (r *results) explainSize(w *printer, s *sized) {
	o, p := r.o, s.picked(r.o)
	name := nameOf(s.task)
	fmt.Fprintln(w)
	if p.Verdict == perfmodel.Unprofiled {
		w.say("%s: no number of processes that it runs on lies within its profile.", name)
		return
	}
	b := &p.Best
	var why string
	switch p.Verdict {
	case perfmodel.TooLate:
		why = "nothing within the profile meets the deadline; it comes nearest with"
	case perfmodel.TooDear:
		why = "what meets the deadline exceeds the budget; cheapest of that is"
	default:
		why = [choices]string{"the least time within deadline and budget is on", "the least cost within the deadline is on", "the least cost within deadline and budget, and likely so, is on"}[o.choose]
	}
	w.say("%s: %s %s, %s for $%s; a run is within %s with a probability of %s%%.", name, why,
		processes(b.Processes), clock(b.Time), dollars(b.Cost), clock(toDuration(s.interval.Upper)), decimal.Fixed(100*o.confidence, 0))
	if len(s.front) > 1 {
		var list []string
		for _, f := range s.front {
			list = append(list, fmt.Sprintf("%s on %d for $%s", clock(f.Time), f.Processes, dollars(f.Cost)))
		}
		w.say(" No other is better in both time and cost than %s.", strings.Join(list, ", "))
	}
	if len(s.outside) > 0 {
		var list []string
		for _, e := range s.outside {
			list = append(list, fmt.Sprintf("%s %s", e.Feature, times(e)))
		}
		w.say(" WARNING: beyond the profile by %s.", strings.Join(list, ", "))
	}
	if s.promise != nil {
		bought := "It is not bought, for nobody has tried more than %d"
		if len(s.fitted.left) > 0 {
			bought = "It is not bought, for the runs on more than %d became no faster"
		}
		w.say(" WARNING: the model promises %s on %s for $%s. "+bought+".", clock(s.promise.Time), processes(s.promise.Processes), dollars(s.promise.Cost), s.fitted.profile.MaxProcesses())
	}
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return decimal.Int(n) + " processes"
}

// times says how far beyond the profile.
func times(e perfmodel.Extrapolation) string {
	f := "far"
	if !math.IsInf(e.Factor, 1) {
		f = strconv.FormatFloat(e.Factor, 'g', 3, 64) + " times"
	}
	if e.Value > e.High {
		return f + " the largest"
	}
	return f + " below the smallest"
}

// toDuration is for times that are shown.
func toDuration(s float64) time.Duration {
	if !(s < maxSpan.Seconds()) {
		return maxSpan
	}
	return time.Duration(s * float64(time.Second))
}

// writeSpot says which agent, which bids, and what comes of them.
func (r *results) writeSpot(w *printer) {
	var rows [][]string
	for _, s := range r.sized {
		x := s.scheduled
		if x == nil {
			continue
		}
		row := []string{table.Clip(nameOf(s.task), 14), decimal.Fixed(x.rate, 2), x.tier.String(), bidOf(x), planned(x), dollarsOf(x.decision.Cost)}
		for k := range x.runs {
			t := &x.runs[k]
			row = append(row, dollarsOf(t.cost.Float64()/float64(t.starts)), percentOf(t.met, t.starts))
			if k == 0 {
				row = append(row[:len(row)-2], dollarsOf(t.onDemand.Float64()/float64(t.starts)), percentOf(t.possible, t.starts), row[len(row)-2], row[len(row)-1])
			}
		}
		rows = append(rows, row)
	}
	if rows == nil {
		fmt.Fprintln(w)
		w.say("Nothing to schedule.")
		return
	}
	w.table([]table.Column{{Title: "task", Left: true}, {Title: "PR"}, {Title: "agent", Left: true}, {Title: "its\nbid, $"}, {Title: "plan", Left: true}, {Title: "expects,\n$"},
		{Title: "on de-\nmand, $"}, {Title: "\nmet"}, {Title: "paper,\n$"}, {Title: "\nmet"}, {Title: "plan,\n$"}, {Title: "\nmet"}}, rows)
	from, to := r.startsWithin()
	h := r.in.history
	what := "a MADE-UP history"
	if r.o.spot != "" {
		what = "the history of " + h.Series.String()
	}
	w.say("Costs are means over %s from day %s to day %s of %s, each due in %s; met is the share of deadlines. PR, bids and the plan are those of the first, when the spot price is $%s and on demand $%s. "+
		"The plan is a bid for the least expected cost that never lets the last moment for on demand pass, hedged by a second cluster where that is cheaper.",
		decimal.Count(r.o.starts, "start"), day(from-h.Start()), day(to-h.Start()), what, clock(r.o.deadline), price(h.At(from)), price(r.in.instance.Hourly))
	for _, s := range r.sized {
		if s.scheduled != nil {
			r.explainSpot(w, s)
		}
	}
}

// price is an amount with two decimals at least.
func price(m pricing.Money) string {
	if s := m.String(); len(s) > len(m.Fixed(2)) {
		return s
	}
	return m.Fixed(2)
}

func day(d time.Duration) string { return decimal.Fixed(d.Hours()/24, 0) }

// bidOf is the bid of the paper's agent.
func bidOf(x *scheduled) string {
	switch x.tier {
	case schedule.TierLow:
		return x.low.Fixed(3)
	case schedule.TierMedium:
		return x.medium.Fixed(3)
	}
	return "-"
}

// planned is what the plan does first.
func planned(x *scheduled) string {
	d := &x.decision
	switch {
	case d.Late:
		return "late"
	case d.Action == schedule.BidSpot:
		return "bid " + d.Bid.Fixed(3)
	}
	return d.Action.String()
}

func dollarsOf(x float64) string { return decimal.Fixed(x, 2) }

func percentOf(n, of int) string { return decimal.Fixed(100*float64(n)/float64(of), 0) + "%" }

// explainSpot says why a task has its agent, and what came of the first start.
func (r *results) explainSpot(w *printer, s *sized) {
	x := s.scheduled
	fmt.Fprintln(w)
	pr := decimal.Fixed(x.rate, 2)
	switch {
	case x.rate < 0:
		w.say("%s: PR is %s, below 0: even on demand the deadline is missed, if the prediction holds. It goes on demand, for nothing is faster.", nameOf(s.task), pr)
	case x.tier == schedule.TierHigh:
		w.say("%s: PR is %s, below 1: after a run on spot that is lost there would be no time for another. It goes on demand (agent high).", nameOf(s.task), pr)
	case x.tier == schedule.TierMedium:
		w.say("%s: PR is %s, from 1 to 2: there is time for two runs. It goes on spot with a high bid, $%s, that is seldom exceeded (agent medium).", nameOf(s.task), pr, x.medium.Fixed(3))
	default:
		w.say("%s: PR is %s, above 2: there is time for three runs or more. It goes on spot with a low bid, $%s (agent low).", nameOf(s.task), pr, x.low.Fixed(3))
	}
	d := &x.decision
	switch {
	case d.Late:
	case d.Action == schedule.BidSpot:
		w.say(" The plan bids $%s and expects $%s.", d.Bid.Fixed(3), dollarsOf(d.Cost))
	case d.Action == schedule.BidWait:
		w.say(" The plan waits for a lower price and expects $%s.", dollarsOf(d.Cost))
	default:
		w.say(" The plan goes on demand and expects $%s.", dollarsOf(d.Cost))
	}
	var list []string
	for k := range x.runs {
		t := &x.runs[k]
		var leases []string
		for i, l := range t.leases {
			switch more := len(t.leases) - 4; {
			case more <= 1 || i < 3 || i == len(t.leases)-1:
				leases = append(leases, leaseOf(&l, x.at))
			case i == 3:
				leases = append(leases, decimal.Int(more)+" more")
			}
		}
		outcome := ""
		if !t.first.Met {
			outcome = ", MISSES the deadline"
		}
		list = append(list, fmt.Sprintf("%s pays $%s (%s%s)", ways[k].short, dollars(t.first.Cost), strings.Join(leases, ", then "), outcome))
	}
	w.say(" The first start: %s; on demand it is $%s.", strings.Join(list, "; "), dollars(x.runs[0].first.OnDemandOnly))
	for k := range x.runs {
		if t := &x.runs[k]; t.missed > 0 {
			w.say(" WARNING: of %s the rule of %s misses %d that on demand would have met.", decimal.Count(t.starts, "start"), ways[k].short, t.missed)
		}
	}
}

func leaseOf(l *sim.SpotLease, from time.Duration) string {
	what := "on demand"
	if l.Tier != schedule.TierHigh {
		what = "spot at $" + l.Bid.Fixed(3)
	}
	if l.End != sim.LeaseCompleted {
		what = l.End.String() + " on " + what
		if l.Tier == schedule.TierHigh {
			what = l.End.String() + " on demand"
		}
	}
	return fmt.Sprintf("%s from %s to %s", what, clock(l.Launched-from), clock(l.Ended-from))
}
