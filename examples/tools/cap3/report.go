package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

// text says what to do in short, then shows tables, and why.
func (r *results) text(w *table.Page) error {
	w.Printf("SUMMARY\n\n")
	r.writeSummary(w)
	w.Printf("\nSIZES\n")
	r.writeInstances(w)
	r.writeSizes(w)
	w.Printf("\nSPOT OR ON DEMAND\n")
	r.writeSpot(w)
	r.writeAcross(w)
	r.writeCustomers(w)
	w.Printf("\nMODELS\n")
	r.writeModels(w)
	r.writeFigures(w)
	if r.findings != nil {
		w.Printf("\nTHE PAPER'S DECISIONS\n\n")
		for _, f := range r.findings {
			w.Sayf("%s", said(f))
		}
	}
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

// writeSummary says what to buy, what it costs, and what speaks against relying on it.
func (r *results) writeSummary(w *table.Page) {
	o := r.o
	var wrong groups
	var hows [spot.TierLow + 1]string
	var buy [spot.TierLow + 1]groups // by agent
	spent := make([]float64, len(o.ways))
	onDemand := 0.
	possible, missed, far, beyond := 0, 0, 0, 0
	for _, s := range r.sized {
		p, name := s.picked(o), nameOf(s.task)
		x := s.scheduled
		if x == nil {
			wrong.add("not within the profile", name)
			continue
		}
		how := fmt.Sprintf("spot at $%s (%v)", bidOf(x), x.tier)
		if x.tier == spot.TierHigh {
			how = "on demand (high)"
		}
		hows[x.tier] = how
		buy[x.tier].add(fmt.Sprintf("%d|%s", p.Best.Instances, processes(p.Best.Processes)), name)
		if p.Verdict != sizing.Fits {
			wrong.add(verdictOf(p.Verdict), name)
		} else if v := s.choices[sure].Verdict; v != sizing.Fits {
			wrong.add(fmt.Sprintf("not %s%% sure", percentage(o.confidence)), name)
		}
		for k := range o.ways {
			spent[k] += x.runs[k].cost.Float64() / float64(x.runs[k].starts)
		}
		planned := &x.runs[len(o.ways)-1]
		onDemand += planned.onDemand.Float64() / float64(planned.starts)
		possible, missed = possible+planned.possible, missed+planned.missed
		if len(s.outside) > 0 {
			beyond++
		}
		if s.far(r) {
			far++
		}
	}
	list := func(gs groups) string {
		var all []string
		for _, g := range gs {
			all = append(all, g.what+": "+some(g.names))
		}
		return strings.Join(all, "; ")
	}
	if slices.ContainsFunc(buy[:], func(gs groups) bool { return gs != nil }) {
		first := fmt.Sprintf("Buy %s by the paper's rule: ", r.in.instance.Name)
		for k, gs := range buy {
			if gs == nil {
				continue
			}
			var sizes []string
			for _, g := range gs {
				instances, size, _ := strings.Cut(g.what, "|")
				if len(g.names) > 1 {
					instances += " each"
				}
				sizes = append(sizes, fmt.Sprintf("%s for %s on %s", instances, some(g.names), size))
			}
			w.Sayf("%s%s %s.", first, hows[k], strings.Join(sizes, "; "))
			first = ""
		}
	} else {
		w.Sayf("Nothing to buy: no number of processes that the tasks run on lies within the profile.")
		return
	}
	prices := ""
	if o.spot == "" {
		prices = " (MADE-UP prices)"
	}
	var costs []string
	for k := range o.ways {
		costs = append(costs, fmt.Sprintf("$%s by %s", dollarsOf(spent[k]), o.way(k).short))
	}
	w.Sayf("Pay $%s with all on demand; with spot%s %s, on average of %s.", dollarsOf(onDemand), prices, cli.Series(costs, "and"), decimal.Count(o.starts, "start"))
	fits := fmt.Sprintf("all fit, each with a probability of %s%%", percentage(o.confidence))
	if wrong != nil {
		fits = "WARNING: " + list(wrong)
	}
	w.Sayf("Deadline %s, budget %s: %s. If runs take as predicted, %s is late in %d of %s in time on demand.", clock(o.deadline), budgetOf(o.budget), fits, o.way(len(o.ways)-1).short, missed, decimal.Count(possible, "start"))
	risk := fmt.Sprintf("Risk: %d of %s beyond the profile", beyond, decimal.Count(len(r.sized), "prediction"))
	if far > 0 {
		risk += fmt.Sprintf(", %d further than can be checked", far)
	}
	if t := r.tally(true); t.of > 0 {
		risk += fmt.Sprintf("; predicted from the smaller runs the largest were %s%% off (median), %d of %d within their 90%%", decimal.Fixed(100*t.off, 0), t.within, t.of)
	} else {
		risk += "; too few runs to check how larger ones are predicted"
	}
	w.Sayf("%s.", risk)
}

// far tells whether a task is further beyond the profile than the largest case profiled
// is beyond the others, so that no such step has been checked.
func (s *sized) far(r *results) bool {
	reach := r.reach(s.fitted)
	return reach > 0 && len(s.outside) > 0 && s.times() > reach
}

// times is how many times as long a task takes as the longest run profiled.
func (s *sized) times() float64 {
	return s.interval.Seconds / s.fitted.profile.Longest().Seconds
}

// percentage is that of a probability, in as many digits as were given.
func percentage(p float64) string { return strconv.FormatFloat(100*p, 'g', 12, 64) }

// said is a finding in sentences.
func said(f finding.Finding) string {
	text := fmt.Sprintf("%v: %s. Here: %s.", f.Verdict, f.Says, f.Shown)
	if f.Verdict != finding.CameOut && f.Why != "" {
		text += " " + f.Why
	}
	return text
}

// writeModels says what was fitted, and how it did.
func (r *results) writeModels(w *table.Page) {
	var shown []modelName
	for m := machine; m < models; m++ {
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
		row := []string{table.Clip(f.profile.Application, 12), strconv.Itoa(len(f.profile.Runs)), table.Clip(f.profile.Longest().Case, 10), strconv.Itoa(f.profile.MaxProcesses())}
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
	if r.pool.names != nil {
		var list []string
		for k, s := range r.pool.scores {
			list = append(list, fmt.Sprintf("%s %s", r.pool.names[k], decimal.Fixed(s.Error, 3)))
		}
		w.Sayf("The benchmarks are fitted together, since they ran on one machine. Its time for a unit of work depends on %s, by the least error: %s.", r.pool.names[r.pool.best], strings.Join(list, ", "))
	}
	if t := r.tally(false); t.of > 0 {
		w.Sayf("Of %s that were left out %d are within their intervals for 90%%; half are off by less than %s%%.", decimal.Count(t.of, "run"), t.within, decimal.Fixed(100*t.off, 0))
	}
	if t := r.tally(true); t.of > 0 {
		w.Sayf("Of %s of the largest cases, predicted from all smaller ones, %d are; half are off by less than %s%%. That is the step that a plan takes.", decimal.Count(t.of, "run"), t.within, decimal.Fixed(100*t.off, 0))
	}
	for _, f := range r.fitted {
		if f.tableI != nil {
			again := ""
			if n := r.alike(); n > 1 {
				again = fmt.Sprintf(" It fails for %d of %s.", n, decimal.Count(len(r.fitted), "application"))
			}
			w.Sayf("%seq2, by the features alone, fails: %s.%s", of_(f), inData(f.tableI), again)
			break
		}
	}
	var dropped []string
	for _, f := range r.fitted {
		if len(f.left) > 0 {
			dropped = append(dropped, strings.TrimSpace(fmt.Sprintf("%s above %d", f.profile.Application, f.profile.MaxProcesses())))
		}
	}
	if dropped != nil {
		w.Sayf("Left out are runs on more processes than make any case faster by a fifth, since the machine seems to have no more cores: %s.", strings.Join(dropped, ", "))
	}
	turns := func(f *fitted) bool { return f.profile.MaxProcesses() > 2 }
	if r.o.profile == "" && slices.ContainsFunc(r.fitted, turns) {
		w.Sayf("That machine has two cores. BT and SP run on square numbers only, so that their runs on 4 processes took turns, too; they are kept, for nothing else says how they scale.")
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
			gs.add("in cap3, T_N is taken as proportional to its growth, since the exponent of Eq. (3) or (4) takes runs on two numbers of processes above 1 (-network fitted says so)", name)
		}
		if f.unsplit > 0 {
			gs.add("cap3 leaves out runs whose computation and communication were not measured apart", fmt.Sprintf("%s %d", name, f.unsplit))
		}
	}
	return gs
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

// writeInstances is Table III.
func (r *results) writeInstances(w *table.Page) {
	if r.o.spot != "" {
		i := &r.in.instance
		w.Printf("\n")
		w.Sayf("On %s, %s each, at $%s an hour on demand.", i.Name, decimal.Count(i.Processes, "core"), price(i.Hourly))
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
	tabulate(w, "<instance|processes|compute\nunits|on demand,\n$/h|$/h per\nunit|<", rows)
	i := &r.in.instance
	switch {
	case r.in.cheapest:
		w.Sayf("%s is chosen since a compute unit costs least there. It is charged by the hour begun.", i.Name)
	case r.o.instance != "":
		w.Sayf("%s is chosen by -instance, at $%s an hour. It is charged by the hour begun.", i.Name, price(i.Hourly))
	default:
		w.Sayf("%s is chosen since a compute unit costs least there at the price of Table III; here it is for %s, at $%s an hour. It is charged by the hour begun.", i.Name, decimal.Count(i.Processes, "core"), price(i.Hourly))
	}
}

// writeSizes says on how many processes to run.
func (r *results) writeSizes(w *table.Page) {
	o := r.o
	var rows [][]string
	for _, s := range r.sized {
		rows = append(rows, s.rows(o)...)
	}
	tabulate(w, "<task|<choice|proces-\nses|instan-\nces|predicted|within, "+percentage(o.confidence)+"%|cost, $|<", rows)
	w.Sayf("Due in %s, of which %s are for the set-up; budget %s. time: least time within both, the paper's choice; cost: least cost within the deadline; "+
		"sure: least cost within both with a probability of %s%%. Where nothing fits it is what comes nearest. The choice with the star is scheduled. Times are those of the machine profiled.",
		clock(o.deadline), clock(o.latency), budgetOf(o.budget), percentage(o.confidence))
	w.Printf("\n")
	r.explainSizes(w)
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
		reason := [choices]string{"the least time within deadline and budget", "the least cost within the deadline", "the least cost within deadline and budget, and likely so,"}[r.o.choose]
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
		if s.far(r) {
			far.add(fmt.Sprintf("longer than the longest run profiled by a factor that no interval was checked for (the largest: %s)", significant(r.reach(s.fitted))), name+" "+significant(s.times())+" times")
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
			promised.add("promised but not bought, for "+faster, fmt.Sprintf("%s %s on %s for $%s", name, clock(s.promise.Time), processes(s.promise.Processes), dollars(s.promise.Cost)))
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

// writeSpot says which agent, which bids, and what comes of them.
func (r *results) writeSpot(w *table.Page) {
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
		w.Printf("\n")
		w.Sayf("Nothing to schedule.")
		return
	}
	titles := "<task|PR|<agent|its\nbid, $|<plan|expects,\n$|on de-\nmand, $|\nmet"
	for k := range r.o.ways {
		titles += "|" + r.o.way(k).column() + "|\nmet"
	}
	tabulate(w, titles, rows)
	from, to := r.startsWithin()
	h := r.in.history
	what := "a MADE-UP history"
	if r.o.spot != "" {
		what = "the history of " + h.Series.String()
	}
	w.Sayf("Costs are means over %s from day %s to day %s of %s, each due in %s, and include the set-up; met is the share of deadlines, where runs take as long as predicted (-choose sure allows for longer ones). PR, bids and the plan are those of the first, when the spot price is $%s and on demand $%s. "+
		"The plan is a bid for the least expected cost that never lets the last moment for on demand pass, hedged by a second cluster where that is cheaper.",
		decimal.Count(r.o.starts, "start"), day(from-h.Start()), day(to-h.Start()), what, clock(r.o.deadline), price(h.At(from)), price(r.in.instance.Hourly))
	r.explainSpot(w)
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
	case spot.TierLow:
		return x.low.Fixed(3)
	case spot.TierMedium:
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
	case d.Action == spot.BidSpot:
		return "bid " + d.Bid.Fixed(3)
	}
	return d.Action.String()
}

func dollarsOf(x float64) string { return decimal.Fixed(x, 2) }

func percentOf(n, of int) string { return decimal.Fixed(100*float64(n)/float64(of), 0) + "%" }

// explainSpot says why a task has its agent, and what came of its first start where that
// is more than one lease.
func (r *results) explainSpot(w *table.Page) {
	var why groups
	for _, s := range r.sized {
		x := s.scheduled
		if x == nil {
			continue
		}
		switch {
		case x.rate < 0:
			why.add("PR is below 0: even on demand the deadline is missed, if the prediction holds. On demand, for nothing is faster (agent high).", nameOf(s.task))
		case x.tier == spot.TierHigh:
			why.add("PR is below "+threshold(r.o.thresholds.Medium)+": after a run on spot that is lost there would be no time for another. On demand (agent high).", nameOf(s.task))
		case x.tier == spot.TierMedium:
			why.add(fmt.Sprintf("PR is from %s to %s: there is time for two runs. On spot with a high bid, $%s, that is seldom exceeded (agent medium).", threshold(r.o.thresholds.Medium), threshold(r.o.thresholds.Low), bidOf(x)), nameOf(s.task))
		default:
			why.add(fmt.Sprintf("PR is above %s: there is time for three runs or more. On spot with a low bid, $%s (agent low).", threshold(r.o.thresholds.Low), bidOf(x)), nameOf(s.task))
		}
	}
	w.Printf("\n")
	for _, g := range why {
		w.Sayf("%s: %s", some(g.names), g.what)
	}
	for _, s := range r.sized {
		x := s.scheduled
		if x == nil {
			continue
		}
		for k := range x.runs {
			if t := &x.runs[k]; t.missed > 0 {
				w.Sayf("WARNING: %s: of %s the rule of %s misses %d that on demand would have met.", nameOf(s.task), decimal.Count(t.starts, "start"), r.o.way(k).short, t.missed)
			}
		}
		if len(r.sized) <= 2 || slices.ContainsFunc(x.runs, func(t tried) bool { return len(t.leases) > 1 }) {
			w.Sayf("%s", r.story(s))
		}
	}
}

// threshold is one of Table II.
func threshold(x float64) string { return decimal.Number(x, 3).String() }

// story says what came of the first start.
func (r *results) story(s *sized) string {
	x := s.scheduled
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
		list = append(list, fmt.Sprintf("%s pays $%s (%s%s)", r.o.way(k).short, dollars(t.first.Cost), strings.Join(leases, ", then "), outcome))
	}
	return fmt.Sprintf("%s, first start: %s; on demand it is $%s.", nameOf(s.task), strings.Join(list, "; "), dollars(x.runs[0].first.OnDemandOnly))
}

func leaseOf(l *spotsim.Lease, from time.Duration) string {
	what := "on demand"
	if l.Tier != spot.TierHigh {
		what = "spot at $" + l.Bid.Fixed(3)
	}
	if l.End != spotsim.LeaseCompleted {
		what = l.End.String() + " on " + what
		if l.Tier == spot.TierHigh {
			what = l.End.String() + " on demand"
		}
	}
	return fmt.Sprintf("%s from %s to %s", what, clock(l.Launched-from), clock(l.Ended-from))
}
