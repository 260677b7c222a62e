package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

// text shows the sizes and what spot costs, and says what to do.
func (r *results) text(w *table.Page) error {
	i := &r.in.instance
	w.Sayf("On %s, %s each, at $%s an hour on demand; due in %s, of which %s are for the set-up; budget %s each.", i.Name, decimal.Count(i.Processes,
		"core"), price(i.Hourly),
		clock(r.o.deadline), clock(r.o.latency), budgetOf(r.o.budget))
	r.writeSizes(w)
	r.writeSpot(w)
	if r.o.why {
		r.explainSizes(w)
		w.Printf("\n")
		for _, s := range r.sized {
			if s.scheduled != nil {
				w.Sayf("%s", r.story(s))
			}
		}
		r.writeModels(w)
		w.Printf("\n")
	}
	r.decide(w)
	return nil
}

// tabulate writes a table between empty lines.
func tabulate(w *table.Page, titles string, rows [][]string) {
	w.Printf("\n")
	w.Table(titles, rows)
	w.Printf("\n")
}

// A group is tasks of which the same can be said.
type group struct {
	what  string
	names []string
}

type groups []group

func (g *groups) add(what, name string) {
	for i := range *g {
		if (*g)[i].what == what {
			(*g)[i].names = append((*g)[i].names, name)
			return
		}
	}
	*g = append(*g, group{what, []string{name}})
}

// some is a list of names that is not too long.
func some(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + decimal.Int(more) + " more"
	}
	return strings.Join(names, ", ")
}

// decide says what to buy, what it costs, and what speaks against relying on it.
func (r *results) decide(w *table.Page) {
	possible, missed, far, beyond, sized := 0, 0, 0, 0, 0
	spent, onDemand := 0., 0.
	var wrong, runs groups
	for _, s := range r.sized {
		p, name, x := s.picked(r.o), nameOf(s.task), s.scheduled
		if x == nil {
			wrong.add("no number of processes that it runs on is profiled", name)
			continue
		}
		if p.Verdict != sizing.Fits {
			wrong.add(verdictOf(p.Verdict), name)
		} else if v := s.choices[sure].Verdict; v != sizing.Fits {
			wrong.add(fmt.Sprintf("not %s%% sure", percentage(r.o.confidence)), name)
		}
		how := "on demand"
		if x.decision.Action == spot.BidSpot {
			how = fmt.Sprintf("on spot at a bid of $%s", x.decision.Bid.Fixed(3))
		}
		runs.add(fmt.Sprintf("on %s, %s, %s", processes(p.Best.Processes), decimal.Count(p.Best.Instances, "instance"), how), name)
		sized++
		spent += x.cost.Float64() / float64(x.starts)
		onDemand += x.onDemand.Float64() / float64(x.starts)
		possible, missed = possible+x.possible, missed+x.missed
		if len(s.outside) > 0 {
			beyond++
		}
		if s.far() {
			far++
		}
	}
	for _, g := range wrong {
		w.Sayf("WARNING: %s: %s.", some(g.names), g.what)
	}
	if sized == 0 {
		w.Sayf("Nothing to buy: no number of processes that the tasks run on is profiled.")
		return
	}
	risk := fmt.Sprintf("%d of %s beyond the profile", beyond, decimal.Count(sized, "prediction"))
	if far > 0 {
		risk += fmt.Sprintf(", %d further than can be checked", far)
	}
	if t := r.tally(true); t.of > 0 {
		risk += fmt.Sprintf("; predicted from the smaller runs the largest were %s%% off (median), %d of %d within their 90%%", decimal.Fixed(100*t.off, 0),
			t.within, t.of)
	} else {
		risk += "; too few runs to check how larger ones are predicted"
	}
	prices := ""
	if r.o.spot == "" {
		prices = " (MADE-UP prices)"
	}
	w.Sayf("Risk: %s. If runs take as predicted, spot is late in %d of %s in time on demand.", risk, missed, decimal.Count(possible, "start"))
	for _, g := range runs {
		w.Sayf("Run %s %s.", some(g.names), g.what)
	}
	w.Sayf("Pay $%s on demand, or $%s with spot%s, on average of %s.", dollarsOf(onDemand), dollarsOf(spent), prices, decimal.Count(r.o.starts, "start"))
}

// far tells whether a task is further beyond the profile than the largest case profiled
// is beyond the others, so that no such step has been checked.
func (s *sized) far() bool {
	reach := s.fitted.reach()
	return reach > 0 && len(s.outside) > 0 && s.times() > reach
}

// times is how many times as long a task takes as the longest run profiled.
func (s *sized) times() float64 {
	return s.interval.Seconds / s.fitted.profile.Longest().Seconds
}

// percentage is that of a probability, in as many digits as were given.
func percentage(p float64) string { return strconv.FormatFloat(100*p, 'g', 12, 64) }

// writeModels says what was fitted, and how it did.
func (r *results) writeModels(w *table.Page) {
	var shown []modelName
	for m := eq1; m < models; m++ {
		for _, f := range r.fitted {
			if f.scores[m].tried {
				shown = append(shown, m)
				break
			}
		}
	}
	titles := "<application|runs|<largest\ncase|proces-\nses"
	for _, m := range shown {
		titles += "|" + m.String()
	}
	var rows [][]string
	for _, f := range r.fitted {
		row := []string{table.Clip(f.profile.Application, 12), strconv.Itoa(len(f.profile.Runs)), table.Clip(f.profile.Longest().Case, 10),
			strconv.Itoa(f.profile.MaxProcesses())}
		for _, m := range shown {
			row = append(row, f.scores[m].String())
		}
		rows = append(rows, append(row, f.chosen.String()))
	}
	tabulate(w, titles+"|<chosen", rows)
	w.Sayf("Errors are of runs left out one by one: the root mean square of ln(predicted/measured), so that 0.10 is about 10%% off; a dash stands for a model that the runs cannot tell the coefficients of (-model NAME says which runs are missing).")
	if slices.ContainsFunc(r.fitted, func(f *fitted) bool { return f.beyond }) {
		w.Sayf("Since -scale lets a choice go beyond the processes profiled, these errors are of the runs on the most processes, left out together, where the profile has three numbers of processes: laws that agree on few processes differ on many.")
	}
	if gs := r.assumed(); gs != nil {
		for _, g := range gs {
			w.Sayf("%s: %s.", some(g.names), g.what)
		}
	}
	if t := r.tally(false); t.of > 0 {
		w.Sayf("Of %s that were left out %d are within their intervals for 90%%; half are off by less than %s%%.", decimal.Count(t.of, "run"), t.within,
			decimal.Fixed(100*t.off, 0))
	}
	if t := r.tally(true); t.of > 0 {
		w.Sayf("Of %s of the largest cases, predicted from all smaller ones, %d are; half are off by less than %s%%. That is the step that a plan takes.",
			decimal.Count(t.of, "run"), t.within, decimal.Fixed(100*t.off, 0))
	}
	var dropped []string
	for _, f := range r.fitted {
		if len(f.left) > 0 {
			dropped = append(dropped, strings.TrimSpace(fmt.Sprintf("%s above %d", f.profile.Application, f.profile.MaxProcesses())))
		}
	}
	if dropped != nil {
		w.Sayf("Left out are runs on more processes than make any case faster by a fifth, since the machine seems to have no more cores: %s.",
			strings.Join(dropped, ", "))
	}
}

// assumed says what the runs did not tell the models, and what is taken instead.
func (r *results) assumed() (gs groups) {
	for _, f := range r.fitted {
		name := f.profile.Application
		if name == "" {
			name = "the application"
		}
		if s := f.scores[sumOfTwo]; !s.tried || math.IsInf(s.error, 1) && f.chosen != sumOfTwo {
			continue
		}
		if f.proportional {
			gs.add("in cap3, T_N is taken as proportional to its growth, since the exponent of Eq. (3) or (4) takes runs on two numbers of processes above 1", name)
		}
		if f.unsplit > 0 {
			gs.add("cap3 leaves out runs whose computation and communication were not measured apart", fmt.Sprintf("%s %d", name, f.unsplit))
		}
	}
	return gs
}

func (s score) String() string {
	switch {
	case !s.tried:
		return ""
	case math.IsInf(s.error, 1):
		return "-"
	}
	return decimal.Fixed(s.error, 3)
}

// writeSizes says on how many processes to run.
func (r *results) writeSizes(w *table.Page) {
	o := r.o
	var rows [][]string
	for _, s := range r.sized {
		rows = append(rows, s.rows(o)...)
	}
	tabulate(w, "<task|<choice|proces-\nses|instan-\nces|predicted|within, "+percentage(o.confidence)+"%|cost, $|<", rows)
	w.Sayf("time: least time within deadline and budget; cost: least cost within the deadline; sure: least cost within both with a probability of %s%%. "+
		"The choice with the star is taken; times are those of the machine profiled.", percentage(o.confidence))
}

// rows are the choices of a task, a row for those on the same number of processes.
func (s *sized) rows(o *options) (rows [][]string) {
	var done [choices]bool
	for k := range s.choices {
		if done[k] {
			continue
		}
		p := &s.choices[k]
		var names, other []string
		upper := ""
		for j := k; j < len(s.choices); j++ {
			q := &s.choices[j]
			if done[j] || q.Best.Processes != p.Best.Processes {
				continue
			}
			done[j] = true
			name, mark := choiceName(j).String(), ""
			if choiceName(j) == o.choose {
				mark, upper = "*", clock(toDuration(s.interval.Upper))
			}
			if choiceName(j) == sure {
				upper = clock(q.Best.Upper)
			}
			names = append(names, name+mark)
			if q.Verdict != p.Verdict {
				other = append(other, name+" "+verdictOf(q.Verdict))
			}
		}
		row := []string{"", strings.Join(names, " "), "", "", "", "", "", strings.Join(append([]string{verdictOf(p.Verdict)}, other...), ", ")}
		if k == 0 {
			row[0] = table.Clip(nameOf(s.task), 14)
		}
		if b := &p.Best; p.Verdict != sizing.Unprofiled {
			copy(row[2:], []string{strconv.Itoa(b.Processes), strconv.Itoa(b.Instances), clock(b.Time), upper, dollars(b.Cost)})
		}
		rows = append(rows, row)
	}
	return rows
}

func budgetOf(m pricing.Money) string {
	if m == 0 {
		return "none"
	}
	return "$" + dollars(m)
}

// explainSizes says why, and warns, together of tasks of which the same can be said.
func (r *results) explainSizes(w *table.Page) {
	var why, fronts, beyond, far, bought, promised groups
	for _, s := range r.sized {
		p, name := s.picked(r.o), nameOf(s.task)
		if p.Verdict == sizing.Unprofiled {
			why.add("no number of processes that it runs on lies within its profile", name)
			continue
		}
		b := &p.Best
		reason := [choices]string{"the least time within deadline and budget", "the least cost within the deadline",
			"the least cost within deadline and budget, and likely so,"}[r.o.choose]
		switch p.Verdict {
		case sizing.TooLate:
			reason = "nothing within the profile meets the deadline; what comes nearest"
		case sizing.TooDear:
			reason = "what meets the deadline exceeds the budget; the cheapest of that"
		}
		why.add(fmt.Sprintf("%s is on %s", reason, processes(b.Processes)), name)
		if len(s.front) > 1 {
			var list []string
			for _, f := range s.front {
				list = append(list, fmt.Sprintf("%s on %d for $%s", clock(f.Time), f.Processes, dollars(f.Cost)))
			}
			fronts.add("No others are better in both time and cost than", name+" "+some(list))
		}
		if len(s.outside) > 0 {
			beyond.add("beyond the profile", name+" by "+outsides(s.outside))
		}
		if s.far() {
			far.add(fmt.Sprintf("longer than the longest run profiled by a factor that no interval was checked for (the largest: %s)",
				significant(s.fitted.reach())), name+" "+significant(s.times())+" times")
		}
		faster := "nobody has tried more than %d"
		if len(s.fitted.left) > 0 {
			faster = "the runs on more than %d became no faster"
		}
		faster = fmt.Sprintf(faster, s.fitted.profile.MaxProcesses())
		if b.Processes > s.fitted.profile.MaxProcesses() {
			bought.add("bought by -scale, though "+faster, name)
		}
		if s.promise != nil {
			promised.add("promised but not bought, for "+faster, fmt.Sprintf("%s %s on %s for $%s", name, clock(s.promise.Time),
				processes(s.promise.Processes), dollars(s.promise.Cost)))
		}
	}
	for _, g := range why {
		w.Sayf("%s: %s.", some(g.names), g.what)
	}
	for _, g := range fronts {
		w.Sayf("%s %s.", g.what, strings.Join(g.names, "; "))
	}
	for _, gs := range []groups{beyond, far, bought, promised} {
		for _, g := range gs {
			w.Sayf("WARNING: %s: %s.", g.what, strings.Join(g.names, "; "))
		}
	}
}

// outsides says by what and how far something is beyond a profile.
func outsides(all []perfmodel.Extrapolation) string {
	var factors groups
	for _, e := range all {
		factors.add(times(e), e.Feature)
	}
	var list []string
	for _, f := range factors {
		list = append(list, strings.Join(f.names, ", ")+" "+f.what)
	}
	return strings.Join(list, ", ")
}

// significant is a factor in three digits.
func significant(x float64) string {
	if x >= 100 {
		return decimal.Grouped(decimal.Fixed(x, 0))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
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
		f = significant(e.Factor) + " times"
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

// writeSpot says what the plan of each task is, and what comes of it.
func (r *results) writeSpot(w *table.Page) {
	var rows [][]string
	for _, s := range r.sized {
		if x := s.scheduled; x != nil {
			mean := func(m pricing.Money) string { return dollarsOf(m.Float64() / float64(x.starts)) }
			rows = append(rows, []string{table.Clip(nameOf(s.task), 14), mean(x.onDemand), percentOf(x.possible, x.starts), planned(x),
				dollarsOf(x.decision.Cost), mean(x.cost), percentOf(x.met, x.starts)})
		}
	}
	if rows == nil {
		w.Printf("\n")
		return
	}
	tabulate(w, "<task|on demand,\n$|met|<plan|expects,\n$|with spot,\n$|met", rows)
	from, to := r.startsWithin()
	h := r.in.history
	what := "a MADE-UP history"
	if r.o.spot != "" {
		what = "the history of " + h.Series.String()
	}
	w.Sayf("Costs are means over %s from day %s to day %s of %s, and include the set-up; met is the share of deadlines. The plan is that of the first, when the spot price is $%s: a bid for the least expected cost that leaves time to finish on demand.",
		decimal.Count(r.o.starts, "start"), day(from-h.Start()), day(to-h.Start()), what, price(h.At(from)))
	w.Printf("\n")
}

// price is an amount with two decimals at least.
func price(m pricing.Money) string {
	if s := m.String(); len(s) > len(m.Fixed(2)) {
		return s
	}
	return m.Fixed(2)
}

func day(d time.Duration) string { return decimal.Fixed(d.Hours()/24, 0) }

// planned is what the plan does first.
func planned(x *scheduled) string {
	d := &x.decision
	switch {
	case d.Late:
		return "late"
	case d.Action == spot.BidSpot:
		return "bid " + d.Bid.Fixed(3)
	}
	return d.Action.String()
}

func dollarsOf(x float64) string { return decimal.Fixed(x, 2) }

func percentOf(n, of int) string { return decimal.Fixed(100*float64(n)/float64(of), 0) + "%" }

// story says what came of the first start.
func (r *results) story(s *sized) string {
	t := &s.scheduled.tried
	var leases []string
	for i, l := range t.leases {
		switch more := len(t.leases) - 4; {
		case more <= 1 || i < 3 || i == len(t.leases)-1:
			leases = append(leases, leaseOf(&l, s.scheduled.at))
		case i == 3:
			leases = append(leases, decimal.Int(more)+" more")
		}
	}
	outcome := ""
	if !t.first.Met {
		outcome = ", MISSES the deadline"
	}
	return fmt.Sprintf("%s, first start: the plan pays $%s (%s%s); on demand it is $%s.", nameOf(s.task), dollars(t.first.Cost), strings.Join(leases,
		", then "), outcome, dollars(t.first.OnDemandOnly))
}

func leaseOf(l *spotsim.Lease, from time.Duration) string {
	what := "on demand"
	if l.Tier != spot.TierHigh {
		what = "spot at $" + l.Bid.Fixed(3)
	}
	if l.End != spotsim.LeaseCompleted {
		what = l.End + " on " + what
		if l.Tier == spot.TierHigh {
			what = l.End + " on demand"
		}
	}
	return fmt.Sprintf("%s from %s to %s", what, clock(l.Launched-from), clock(l.Ended-from))
}

// cents are amounts of money.
const cents = 10 * pricing.Milli

// list joins names, "none" if there is no name.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
