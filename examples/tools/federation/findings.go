package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

// What counts as what the paper says.
const (
	points   = .02 // of a saving or of utilisation, either way
	relative = .02 // of an amount, as a part of it
	roughly  = .25 // of the data sent, whose sizes are drawn at random
	slightly = .05 // of the cost, "increases slightly"
	greatly  = .10 // of the cost, "reduce dramatically"
)

// paper is what [Liu21] section 5 has, in the order of paperSites.
var paper = struct {
	hours         [3]int64
	onDemand      [3]pricing.Money
	fluctuation   [3]float64
	periodicSaved [3]float64
	periodicUsed  [3]float64
	sharedUsed    map[plannerName][3]float64
	shared        map[plannerName][3]pricing.Money
	hgr           pricing.Money
	hgrUsed       float64
	rho           pricing.Money // at lambda 13
	rhoUsed       float64
	rhoShared     pricing.Money // Table 4
	rhoSharedUsed float64
	rhoWorst      pricing.Money // at lambda 23
	rhoWorstUsed  float64
	rhoErrors     [3]pricing.Money // Table 4: bounds 0, 20 and 40%
	rhoErrorsUsed [3]float64
	rhoSent       [3]float64                    // GB, as rhoErrors
	rhoCount      map[int]int64                 // reservations, by lambda
	short         [3]float64                    // of the jobs, Fig. 6
	paths         map[plannerName][3][3]float64 // GB from one to another, Table 3
}{
	hours:         [3]int64{671_360, 802_234, 1_013_280},
	onDemand:      [3]pricing.Money{55_745 * pricing.Unit, 50_831 * pricing.Unit, 66_194 * pricing.Unit},
	fluctuation:   [3]float64{.49, .66, .78},
	periodicSaved: [3]float64{.454, .251, .263},
	periodicUsed:  [3]float64{.889, .813, .745},
	sharedUsed:    map[plannerName][3]float64{periodic: {.956, .877, .811}, hgr: {.965, .885, .829}},
	shared: map[plannerName][3]pricing.Money{
		periodic: {27_388 * pricing.Unit, 34_693 * pricing.Unit, 44_756 * pricing.Unit},
		hgr:      {27_240 * pricing.Unit, 33_986 * pricing.Unit, 41_750 * pricing.Unit},
	},
	hgr:           110_938 * pricing.Unit,
	hgrUsed:       .839,
	rho:           115_874 * pricing.Unit,
	rhoUsed:       .848,
	rhoShared:     107_014 * pricing.Unit,
	rhoSharedUsed: .912,
	rhoWorst:      155_890 * pricing.Unit,
	rhoWorstUsed:  .526,
	rhoErrors:     [3]pricing.Money{115_874 * pricing.Unit, 116_840 * pricing.Unit, 119_227 * pricing.Unit},
	rhoErrorsUsed: [3]float64{.848, .837, .823},
	rhoSent:       [3]float64{2_158.3, 2_488.7, 2_607.4},
	short:         [3]float64{.6235, .8910, .8210},
	rhoCount:      map[int]int64{23: 193_717, 24: 126_769, 600: 106_661},
	paths: map[plannerName][3][3]float64{
		periodic: {{0, 323.04, 280.72}, {397.17, 0, 746.90}, {415.94, 577.18, 0}},
		hgr:      {{0, 317.46, 367.02}, {149.89, 0, 614.53}, {220.08, 422.53, 0}},
	},
}

// paperOnDemand is what all of the demand costs on demand in the paper.
func paperOnDemand() pricing.Money {
	return paper.onDemand[0] + paper.onDemand[1] + paper.onDemand[2]
}

// paperHours is the length of the paper's windows, paperFrom the hours in which they
// begin, the nearest to its figures (ERRATA [Liu21] 8).
const paperHours = 600

var paperFrom = [3]int{747, 478, 172}

// arePaperLogs reports whether the logs are the paper's three, each once. Their prices
// may differ.
func arePaperLogs(centres []*centre) bool {
	seen := map[int]bool{}
	for _, c := range centres {
		seen[c.known] = c.known >= 0
	}
	return len(centres) == len(paperSites) && seen[0] && seen[1] && seen[2]
}

// isPaper reports whether the windows are the paper's, too. Only then can its figures be
// compared.
func (o *options) isPaper(centres []*centre) bool {
	for _, c := range centres {
		if c.known < 0 || c.from != paperFrom[c.known] {
			return false
		}
	}
	return arePaperLogs(centres) && o.hours == paperHours
}

// findings compare sentences of [Liu21] with the results.
type findings struct {
	*results
	list []finding.Finding
}

// add adds a finding that comes out as far as everything is seen.
func (f *findings) add(says, shown, why string, seen ...bool) {
	f.list = append(f.list, finding.Finding{Verdict: finding.Judge(seen...), Says: says, Shown: shown, Why: why})
}

// atLeastInPart says that the last finding came out in part, if it did not.
func (f *findings) atLeastInPart(partly bool) {
	if last := &f.list[len(f.list)-1]; partly && last.Verdict == finding.DidNot {
		last.Verdict = finding.InPart
	}
}

// centreByCentre adds a figure of each of the paper's centres beside the paper's.
func (f *findings) centreByCentre(says, why string, figure func(c *centre, i int) (text string, near bool)) {
	var texts []string
	var seen []bool
	for i, c := range f.centres {
		text, near := figure(c, i)
		texts, seen = append(texts, text), append(seen, near)
	}
	f.add(says, "here "+strings.Join(texts, ", "), why, seen...)
}

func near(x, y, by float64) bool { return math.Abs(x-y) <= by }

func fixed(x float64, decimals int) string { return decimal.Fixed(x, decimals) }
func amount(m pricing.Money) string        { return "$" + dollars(m) }
func gb(x float64) string                  { return decimal.Grouped(fixed(x, 0)) }

// sent is the data of a sharing, in GB.
func (x *outcome) sent() float64 { return float64(x.shared.total.Sent) / gigabyte }

// allFindings are the findings that the results can judge. The paper's numbers are judged
// only in its own windows.
func (r *results) allFindings() []finding.Finding {
	f := &findings{results: r}
	if r.o.isPaper(r.centres) {
		f.windows()
		f.arrivals()
		f.shortJobs()
		f.plans()
		f.sharing()
		f.rolling()
	}
	f.general()
	return f.list
}

// windows are the paper's numbers of the demand.
func (f *findings) windows() {
	f.centreByCentre("the windows need 671,360, 802,234 and 1,013,280 instance-hours", "", func(c *centre, _ int) (string, bool) {
		want := float64(paper.hours[c.known])
		return hours(c.total), near(float64(c.total), want, relative*want)
	})
	var rates [3]string
	for k := range rates {
		rates[k] = fixed(share(paper.onDemand[k], pricing.Money(paper.hours[k])*pricing.Unit), 4)
	}
	f.centreByCentre("on demand alone that costs $55,745, $50,831 and $66,194",
		fmt.Sprintf("The paper's amounts are $%s, $%s and $%s for each of its instance-hours, at prices of $0.075, $0.060 and $0.065. In all it is %s of the paper's, so that shares compare better.",
			rates[0], rates[1], rates[2], fixed(share(f.onDemand, paperOnDemand()), 3)),
		func(c *centre, _ int) (string, bool) {
			m := c.OnDemand * pricing.Money(c.total)
			return amount(m), near(share(m, paper.onDemand[c.known]), 1, relative)
		})
	f.centreByCentre("the demand's fluctuation is 0.49, 0.66 and 0.78", "", func(c *centre, _ int) (string, bool) {
		x := c.fluctuation()
		return fixed(x, 2), near(x, paper.fluctuation[c.known], points)
	})
}

// arrivals are Fig. 1: in which hours of the day, in Greenwich, most and fewest jobs of the
// whole logs come. The figure is a drawing; the text says that these hours differ.
func (f *findings) arrivals() {
	var most, fewest []int
	for _, c := range f.centres {
		if c.read.Start.IsZero() {
			return
		}
		most, fewest = append(most, c.extreme(1)), append(fewest, c.extreme(-1))
	}
	apart := func(hours []int) bool {
		return len(slices.Compact(slices.Sorted(slices.Values(hours)))) == len(hours)
	}
	i := -1
	f.centreByCentre("the centres do not reach peaks and valleys of arrivals in the same hours (Fig. 1)", "Each share is of all jobs of the log, in an hour of the day in Greenwich; 4.2% is the mean.",
		func(c *centre, _ int) (string, bool) {
			i++
			return fmt.Sprintf("%s most at %d h (%s), fewest at %d h (%s)", c.Name, most[i], percent(c.arrive(most[i])), fewest[i], percent(c.arrive(fewest[i]))), true
		})
	f.list[len(f.list)-1].Verdict = finding.Judge(apart(most), apart(fewest))
}

// arrive returns the share of the log's jobs that come in an hour of the day in Greenwich.
func (c *centre) arrive(hour int) float64 {
	n := 0
	for _, j := range c.read.Jobs {
		if c.read.Start.Add(j.Submit).Hour() == hour {
			n++
		}
	}
	return float64(n) / float64(len(c.read.Jobs))
}

// extreme returns the hour of the day in which most jobs come, or with sign -1 the fewest;
// the first of equals.
func (c *centre) extreme(sign float64) int {
	best := 0
	for h := range 24 {
		if sign*c.arrive(h) > sign*c.arrive(best) {
			best = h
		}
	}
	return best
}

// gaiaFrom are other hours at which the paper's window of UniLu-Gaia may begin: the share of
// jobs under an hour fits them, and the fluctuation of the demand does not.
var gaiaFrom = [...]int{4, 5, 6}

// shortJobs are Fig. 6's shares of jobs under an hour.
func (f *findings) shortJobs() {
	why := ""
	for _, c := range f.centres {
		if c.known == 0 {
			var texts []string
			for _, h := range gaiaFrom {
				texts = append(texts, percent(c.short(h)))
			}
			why = fmt.Sprintf("Where the window of %s begins is open: from hours 4, 5 and 6 on the share is %s, and the fluctuation of the demand does not fit.",
				c.Name, strings.Join(texts, ", "))
		}
	}
	f.centreByCentre("62.35%, 89.10% and 82.10% of the jobs run for less than an hour (Fig. 6)", why, func(c *centre, _ int) (string, bool) {
		x := c.short(c.from)
		return decimal.Fixed(100*x, 2) + "%", near(x, paper.short[c.known], points)
	})
}

// plans are the paper's numbers of plans without sharing.
func (f *findings) plans() {
	if x := f.plain[periodic]; x != nil {
		f.centreByCentre("Periodic saves 45.4%, 25.1% and 26.3% over on demand", "", func(c *centre, i int) (string, bool) {
			saved := 1 - share(x.plans[i].cost, c.OnDemand*pricing.Money(c.total))
			return percent(saved), near(saved, paper.periodicSaved[c.known], points)
		})
		f.centreByCentre("Periodic uses 88.9%, 81.3% and 74.5% of what it reserves", "", func(c *centre, i int) (string, bool) {
			used := utilisation(x.plans[i].used, x.plans[i].held)
			return percent(used), near(used, paper.periodicUsed[c.known], points)
		})
	}
	if x := f.plain[hgr]; x != nil {
		saved, theirs, of := 1-share(x.cost, f.onDemand), 1-share(paper.hgr, paperOnDemand()), share(x.cost, paper.hgr)
		f.add(fmt.Sprintf("HGR costs $110,938 in all, %s less than on demand", percent(theirs)),
			fmt.Sprintf("here %s, %s less", amount(x.cost), percent(saved)),
			fmt.Sprintf("The amount is %s of the paper's, as all of its amounts on demand are %s.", fixed(of, 3), fixed(share(f.onDemand, paperOnDemand()), 3)),
			near(of, 1, relative), near(saved, theirs, points))
		f.add("HGR uses 83.9% of what it reserves", "here "+percent(x.utilisation()), "", near(x.utilisation(), paper.hgrUsed, points))
	}
}

// sharing are the paper's numbers of sharing.
func (f *findings) sharing() {
	if a, b := f.plain[periodic], f.plain[hgr]; a != nil && b != nil {
		alone := map[plannerName]pricing.Money{hgr: paper.hgr}
		for k, m := range paper.onDemand {
			alone[periodic] += pricing.Money(math.Round(float64(m) * (1 - paper.periodicSaved[k])))
		}
		theirs := map[plannerName]float64{}
		for p, with := range paper.shared {
			theirs[p] = 1 - share(with[0]+with[1]+with[2], alone[p])
		}
		f.add(fmt.Sprintf("sharing saves a further %s of Periodic and %s of HGR", percent(theirs[periodic]), percent(theirs[hgr])),
			fmt.Sprintf("here %s and %s", percent(a.saved()), percent(b.saved())),
			fmt.Sprintf("No sharing of what is idle could save more than %s and %s of these plans, at whatever price: there is no more of it while another centre needs it.",
				percent(f.mostSaved(a)), percent(f.mostSaved(b))),
			near(a.saved(), theirs[periodic], points), near(b.saved(), theirs[hgr], points))
		f.atLeastInPart(a.saved() > 0 && b.saved() > 0)
	}
	for _, p := range []plannerName{periodic, hgr} {
		x := f.plain[p]
		if x == nil {
			continue
		}
		u := paper.sharedUsed[p]
		f.centreByCentre(fmt.Sprintf("with sharing, %s, %s and %s of what %s reserves are used", percent(u[0]), percent(u[1]), percent(u[2]), p.label()),
			fmt.Sprintf("No sharing could use more than %s of these reservations in all, and the paper's shares would come to %s.", percent(f.mostUsed(x)), percent(f.weighted(x, u))),
			func(c *centre, i int) (string, bool) {
				used := utilisation(x.shared.hoursOf(i), x.plans[i].held)
				return percent(used), near(used, u[c.known], points)
			})
		const law = "The paper does not give the exponent of its power law, nor its draws."
		var theirs, ours []string
		var seen []bool
		all := 0.
		for i, a := range f.centres {
			for j, b := range f.centres {
				if i != j {
					want, got := paper.paths[p][a.known][b.known], float64(x.shared.moved[i][j])/gigabyte
					all += want
					theirs, ours, seen = append(theirs, gb(want)), append(ours, gb(got)), append(seen, near(got/want, 1, roughly))
				}
			}
		}
		f.add(fmt.Sprintf("with %s, %s GB are sent", p.label(), gb(all)), "here "+gb(x.sent()), law, near(x.sent()/all, 1, roughly))
		f.add(fmt.Sprintf("by the path, in the order of the table of data sent, those are %s GB (Table 3)", strings.Join(theirs, ", ")), "here "+strings.Join(ours, ", "), law, seen...)
	}
}

// mostSaved is what sharing saves of the cost, if sharing costs nothing.
func (r *results) mostSaved(x *outcome) float64 {
	saved, _ := r.reach(x)
	return share(saved, x.cost)
}

// mostUsed is the use of reservations by a sharing that leaves nothing idle while
// another centre needs it.
func (r *results) mostUsed(x *outcome) float64 {
	_, hours := r.reach(x)
	return utilisation(x.used+hours, x.held)
}

// weighted is the use of all reservations with the paper's shares.
func (r *results) weighted(x *outcome, shares [3]float64) float64 {
	used := 0.
	for i, c := range r.centres {
		used += shares[c.known] * float64(x.plans[i].held)
	}
	return used / float64(x.held)
}

// rolling are the paper's numbers of rolling horizons, beside the reading that comes
// nearest.
func (f *findings) rolling() {
	of := func(x *outcome) float64 { return share(x.cost, f.onDemand) }
	// best is the reading whose share of the cost on demand is nearest to the paper's.
	best := func(theirs float64, lambda int) (best *outcome) {
		for p := rhoPrinted; p < planners; p++ {
			if x := f.at(p, lambda); x != nil && (best == nil || math.Abs(of(x)-theirs) < math.Abs(of(best)-theirs)) {
				best = x
			}
		}
		return best
	}
	for _, c := range []struct {
		lambda int
		cost   pricing.Money
		used   float64
	}{{13, paper.rho, paper.rhoUsed}, {23, paper.rhoWorst, paper.rhoWorstUsed}} {
		theirs := share(c.cost, paperOnDemand())
		x := best(theirs, c.lambda)
		if x == nil {
			continue
		}
		f.add(fmt.Sprintf("RHO with lambda %d costs %s, %s of on demand, and uses %s", c.lambda, amount(c.cost), percent(theirs), percent(c.used)),
			fmt.Sprintf("here %s: %s, %s, and uses %s", x.planner, amount(x.cost), percent(of(x)), percent(x.utilisation())), "",
			near(of(x), theirs, points), near(x.utilisation(), c.used, points))
		if c.lambda == 13 {
			saved := 1 - share(paper.rhoShared, paper.rho)
			f.add(fmt.Sprintf("sharing saves a further %s of RHO with lambda 13, and %s are used", percent(saved), percent(paper.rhoSharedUsed)),
				fmt.Sprintf("here %s: %s and %s", x.planner, percent(x.saved()), percent(x.shared.used())),
				fmt.Sprintf("No sharing of what is idle could save more than %s, or use more than %s.", percent(f.mostSaved(x)), percent(f.mostUsed(x))),
				near(x.saved(), saved, points), near(x.shared.used(), paper.rhoSharedUsed, points))
			f.atLeastInPart(x.saved() > 0)
		}
	}
	if x := best(share(paper.rho, paperOnDemand()), 13); x != nil && f.o.lambda == 13 && slices.Equal(f.o.errors, []float64{0, .2, .4}) {
		rows := f.erred[x.planner]
		more, theirs := share(rows[2].cost-rows[0].cost, rows[0].cost), share(paper.rhoErrors[2]-paper.rhoErrors[0], paper.rhoErrors[0])
		less, theirLess := rows[0].utilisation()-rows[2].utilisation(), paper.rhoErrorsUsed[0]-paper.rhoErrorsUsed[2]
		f.add(fmt.Sprintf("errors of up to 40%% make RHO %s dearer, and use %s points less", percent(theirs), fixed(100*theirLess, 1)),
			fmt.Sprintf("here %s: %s, and %s points", x.planner, percent(more), fixed(100*less, 1)),
			"What it buys is the least that the hours it sees will need, or nearly, and errors make that less.",
			near(more, theirs, points), near(less, theirLess, points))
		grows, theirGrows := rows[2].sent()/rows[0].sent()-1, paper.rhoSent[2]/paper.rhoSent[0]-1
		f.add(fmt.Sprintf("RHO with lambda 13 sends %s GB, and errors of up to 40%% make that %s more (Table 4)", gb(paper.rhoSent[0]), percent(theirGrows)),
			fmt.Sprintf("here %s: %s GB, and %s", x.planner, gb(rows[0].sent()), signed(grows)),
			"With errors it reserves less here, so that less is idle to run on.",
			near(rows[0].sent()/paper.rhoSent[0], 1, roughly), near(grows, theirGrows, points))
	}
	if slices.Contains(f.o.reserve[rhoPrinted:], false) {
		return
	}
	lambdas := []int{23, 24, 600}
	scale := share(f.onDemand, paperOnDemand())
	var theirs, scaled, texts []string
	seen := make([]bool, len(lambdas)+1) // in any reading; the last one: all in the same reading
	for _, lambda := range lambdas {
		n := paper.rhoCount[lambda]
		theirs, scaled = append(theirs, hours(n)), append(scaled, hours(int64(math.Round(scale*float64(n)))))
	}
	for p := rhoPrinted; p < planners; p++ {
		var ours []string
		every := true
		for k, lambda := range lambdas {
			n := f.at(p, lambda).count
			ok := near(float64(n)/(scale*float64(paper.rhoCount[lambda])), 1, relative)
			ours, seen[k], every = append(ours, hours(n)), seen[k] || ok, every && ok
		}
		texts, seen[len(lambdas)] = append(texts, p.String()+" "+strings.Join(ours, ", ")), seen[len(lambdas)] || every
	}
	f.add(fmt.Sprintf("with lambda 23, 24 and 600 RHO makes %s reservations; in proportion to what all costs on demand that would be %s", strings.Join(theirs, ", "), strings.Join(scaled, ", ")),
		"here "+strings.Join(texts, "; "), "As printed a reservation ends within the window; that the last of equal intervals counts, and that a reservation can begin in each hour, has the shape of Fig. 10.", seen...)
}

// general are what the paper says of any centres.
func (f *findings) general() {
	names := func(list []string) string {
		if len(list) == 0 {
			return "in none"
		}
		return "in " + strings.Join(list, ", ")
	}
	if a, b := f.plain[periodic], f.plain[hgr]; a != nil && b != nil {
		var cheaper, fuller []string
		for i, c := range f.centres {
			if b.plans[i].cost < a.plans[i].cost {
				cheaper = append(cheaper, c.Name)
			}
			if utilisation(b.plans[i].used, b.plans[i].held) > utilisation(a.plans[i].used, a.plans[i].held) {
				fuller = append(fuller, c.Name)
			}
		}
		f.add("HGR costs less than Periodic in every centre, and uses more of what it reserves",
			fmt.Sprintf("it costs less %s, and uses more %s", names(cheaper), names(fuller)), "", len(cheaper) == len(f.centres), len(fuller) == len(f.centres))
	}
	if len(f.centres) > 1 {
		f.sharingOfAny()
	}
	for _, p := range []plannerName{periodic, hgr} {
		if x := f.erredMost(p); x != nil {
			more, less := f.robust(x)
			f.add(fmt.Sprintf("%s is robust to errors: with up to %s it costs slightly more and uses slightly less (counted up to 5%% and 5 points)", p.label(), whole(x.bound)),
				fmt.Sprintf("the cost changes by %s, and the use by %s points", signed(more), fixed(-100*less, 1)), "", more <= slightly, less <= slightly)
		}
	}
	f.rollingOfAny()

	// The bounds.
	if x := f.plain[history]; x != nil {
		worst := 0.
		for i := range f.centres {
			worst = max(worst, share(x.plans[i].cost, f.optimum.plans[i].cost))
		}
		f.add("the online algorithm of [Wang15] (history) costs at most 4 times the optimum",
			fmt.Sprintf("on these demands at most %s times; of all demands it is not true (package reserve/theory)", fixed(worst, 2)), "", worst <= 4)
	}
	if x := f.plain[hgr]; x != nil {
		worst, limit, kept := 0., 0., true
		for i, c := range f.centres {
			ratio := share(x.plans[i].cost, f.optimum.plans[i].cost)
			if most := 2 - c.Reservation.Float64()/(term*c.OnDemand.Float64()); most >= 1 { // or a reservation never pays
				kept = kept && ratio <= most
				worst, limit = max(worst, ratio), max(limit, most)
			}
		}
		f.add("HGR costs at most 2 - F/(24·p) times the optimum (Theorem 3)",
			fmt.Sprintf("on these demands at most %s times, and %s would be allowed; of all demands it is true if a reservation costs at least 12 hours on demand, and not in general (package reserve/theory)", fixed(worst, 3), fixed(limit, 2)), "", kept)
		high := x.shared.cost
		low, best := pricing.Money(float64(high)/1.5), f.optimum.cost
		f.add(fmt.Sprintf("the optimum without sharing lies between HGR's cost with sharing and that over 1.5 ([68,653, 102,980] in the paper), here %s and %s", amount(low), amount(high)),
			"it is "+amount(best), "Sharing is not in the problem that Theorem 3 is about: what HGR costs with it is no upper bound of the optimum without.",
			best >= low && best <= high)
	}
}

// robust is what errors add to the cost, as a share, and take from the use.
func (r *results) robust(x *outcome) (more, less float64) {
	base := r.plain[x.planner]
	return share(x.cost-base.cost, base.cost), base.utilisation() - x.utilisation()
}

// sharingOfAny are what the paper says of sharing between any centres.
func (f *findings) sharingOfAny() {
	saves, uses, checked := 0, 0, 0
	var worse []string
	look := func(x *outcome, name string) {
		checked++
		if x.shared.cost <= x.cost {
			saves++
		} else {
			worse = append(worse, fmt.Sprintf("%s (%s more)", name, percent(-x.saved())))
		}
		if x.shared.used() >= x.utilisation() {
			uses++
		}
	}
	for _, p := range f.shown() {
		look(f.plain[p], p.String())
		for _, x := range f.sweep[p] {
			if x.lambda != f.o.lambda {
				look(x, fmt.Sprintf("%v at lambda %d", p, x.lambda))
			}
		}
	}
	shown := fmt.Sprintf("%s of %s cost no more with sharing, and %s use no less", decimal.Int(saves), decimal.Count(checked, "plan"), decimal.Int(uses))
	if len(worse) > 0 {
		shown += "; dearer: " + strings.Join(worse[:min(5, len(worse))], ", ")
	}
	f.add("sharing always saves and always raises the use of reservations (all plans, and rolling horizons with all lambdas)", shown, "", saves == checked, uses == checked)
	x := f.plain[hgr]
	if x == nil {
		return
	}
	if a := f.plain[periodic]; a != nil {
		f.add("HGR sends less data than Periodic", fmt.Sprintf("%s GB against %s", gb(x.sent()), gb(a.sent())), "", x.shared.total.Sent < a.shared.total.Sent)
	}
	// extremes returns the centres with the least and the most, the first of equals.
	extremes := func(of func(i int) float64) (least, most int) {
		for i := range f.centres {
			if of(i) < of(least) {
				least = i
			}
			if of(i) > of(most) {
				most = i
			}
		}
		return least, most
	}
	least, most := extremes(x.savedOf)
	steady, wild := extremes(func(i int) float64 { return f.centres[i].fluctuation() })
	var texts []string
	for i, c := range f.centres {
		texts = append(texts, fmt.Sprintf("%s %s (fluctuation %s)", c.Name, percent(x.savedOf(i)), fixed(c.fluctuation(), 2)))
	}
	f.add("with HGR, the centre whose demand fluctuates most gains most from sharing, the steadiest least", strings.Join(texts, ", "),
		"What a centre gains is also what it earns by lending, and its prices.", least == steady, most == wild)
	if y := f.erredMost(hgr); y != nil {
		f.add(fmt.Sprintf("with errors of up to %s sharing saves more of HGR (7.1 to 8.2%% in the paper)", whole(y.bound)),
			fmt.Sprintf("%s to %s; but %s where centres keep what they predict to need, and not what they will", percent(x.saved()), percent(y.saved()),
				percent(share(y.cost-y.guarded.cost, y.cost))), "", y.saved() > x.saved())
	}
}

// erredMost is the outcome of a plan with the largest errors, nil if there are none.
func (r *results) erredMost(p plannerName) *outcome {
	var most *outcome
	for _, x := range r.erred[p] {
		if x.bound > 0 && (most == nil || x.bound > most.bound) {
			most = x
		}
	}
	return most
}

// pays is from how many hours on a reservation costs no more than on demand.
func (c *centre) pays() int { return int((c.Reservation + c.OnDemand - 1) / c.OnDemand) }

// rollingOfAny are what the paper says of rolling horizons for any centres, in all
// readings.
func (f *findings) rollingOfAny() {
	var list []plannerName
	for _, p := range f.shown() {
		if p.rolls() {
			list = append(list, p)
		}
	}
	if list == nil {
		return
	}
	// each adds a finding with the result of each reading.
	each := func(says, before, between, why string, see func(p plannerName) (text string, ok bool)) {
		var texts []string
		var seen []bool
		for _, p := range list {
			text, ok := see(p)
			texts, seen = append(texts, text), append(seen, ok)
		}
		f.add(says, before+strings.Join(texts, between), why, seen...)
	}

	// Thresholds.
	early, late := f.centres[0].pays(), 0
	for _, c := range f.centres {
		early, late = min(early, c.pays()), max(late, c.pays())
	}
	silent, loud := true, true
	for _, p := range list {
		for _, x := range f.sweep[p] {
			for i, c := range f.centres {
				silent = silent && (x.lambda >= c.pays() || x.plans[i].count == 0)
				loud = loud && (x.lambda != c.pays() || x.plans[i].count > 0)
			}
		}
	}
	f.add("RHO reserves nothing until lambda is a centre's fee over its price on demand (11, 13, 11 in the paper)",
		fmt.Sprintf("the thresholds are %d to %d hours; below, nothing is reserved: %s; from there on: %s", early, late, yes(silent), yes(loud)), "", silent, loud)

	// Up to the term the cost rises, and then falls.
	if f.o.hours > term && late < term-1 {
		anywhere := false // it rises, and falls greatly somewhere
		each(fmt.Sprintf("RHO's cost rises until lambda is %d and falls dramatically at %d (counted from 10%%)", term-1, term), "here ", ". ",
			"A window of up to a term has one interval to reserve for, which begins now. If a longer one ends with the last of equal intervals, purchases wait; "+
				"a rule that waits in any case does not cost so much before.",
			func(p plannerName) (string, bool) {
				start, before, at := f.at(p, late), f.at(p, term-1), f.at(p, term)
				rises, falls := before.cost > start.cost, float64(at.cost) < (1-greatly)*float64(before.cost)
				// Where it falls most, once all centres reserve.
				fall, from := 0., 0
				for k, x := range f.sweep[p] {
					if k > 0 && x.lambda > late {
						if d := 1 - share(x.cost, f.sweep[p][k-1].cost); d > fall {
							fall, from = d, k-1
						}
					}
				}
				anywhere = anywhere || rises && fall > greatly
				text := fmt.Sprintf("%v %s at %d, %s at %d, %s at %d", p, amount(start.cost), late, amount(before.cost), term-1, amount(at.cost), term)
				if fall > 0 {
					text += fmt.Sprintf("; its largest fall is %s, from %d to %d", percent(fall), f.sweep[p][from].lambda, f.sweep[p][from+1].lambda)
				}
				return text, rises && falls
			})
		f.atLeastInPart(anywhere)
	}
	if h := f.plain[hgr]; h != nil && f.o.hours > term && f.o.hours <= maxLambda {
		each(fmt.Sprintf("RHO's cost declines from lambda %d to the whole window, where it is HGR's (counted within 2%%)", term), "HGR costs "+amount(h.cost)+"; ", "; ",
			"As printed, the whole window is one run of Algorithm 1.", func(p plannerName) (string, bool) {
				a, b := f.at(p, term), f.at(p, f.o.hours)
				return fmt.Sprintf("%v %s at %d, %s at %d", p, amount(a.cost), term, amount(b.cost), f.o.hours), b.cost < a.cost && near(share(b.cost, h.cost), 1, relative)
			})
	}
	each("RHO costs at most about 2 times the optimum", "here ", ", ", "", func(p plannerName) (string, bool) {
		worst := f.sweep[p][0]
		for _, x := range f.sweep[p] {
			if x.cost > worst.cost && x.count > 0 || worst.count == 0 {
				worst = x
			}
		}
		ratio := share(worst.cost, f.optimum.cost)
		return fmt.Sprintf("%v %s times at lambda %d", p, fixed(ratio, 2), worst.lambda), ratio <= 2
	})
	if x := f.erredMost(list[0]); x != nil {
		each(fmt.Sprintf("RHO is robust to errors of up to %s, too (counted as for HGR)", whole(x.bound)), "cost and use change: ", "; ", "", func(p plannerName) (string, bool) {
			more, less := f.robust(f.erredMost(p))
			return fmt.Sprintf("%v %s, %s points", p, signed(more), fixed(-100*less, 1)), more <= slightly && less <= slightly
		})
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// signed writes a change with its sign.
func signed(x float64) string {
	if x < 0 {
		return percent(x)
	}
	return "+" + percent(x)
}

// whole is a bound in percent.
func whole(x float64) string { return string(decimal.Number(100*x, 6)) + "%" }

// The figures of an independent program for the paper's logs in windows that begin in
// these hours (ERRATA [Liu21] 8): dollars by centre, and in all for rolling horizons.
var independent = struct {
	hours    [3]int64
	onDemand [3]int
	plans    map[plannerName][3]int
	rho      map[plannerName]map[int]int // by lambda
}{
	hours:    [3]int64{667_703, 792_880, 1_009_632},
	onDemand: [3]int{50_078, 47_573, 65_626},
	plans: map[plannerName][3]int{
		periodic: {27_711, 35_090, 48_052},
		hgr:      {26_915, 33_151, 44_508},
		exact:    {26_351, 32_545, 44_094},
	},
	rho: map[plannerName]map[int]int{
		rhoPrinted:  {13: 140_904},
		rhoFull:     {13: 109_388, 23: 146_774, 24: 158_503, 100: 152_407, 300: 135_552, 600: 104_574},
		rhoLast:     {23: 146_774, 24: 107_291, 600: 104_931},
		rhoDeferred: {23: 106_513, 100: 103_638},
	},
}

// whole dollars, rounded half up.
func inDollars(m pricing.Money) int { return int((m + pricing.Unit/2) / pricing.Unit) }

// A check is a figure of the independent program beside our figure.
type check struct {
	what         string
	theirs, ours []int
}

func (c *check) same() bool { return slices.Equal(c.theirs, c.ours) }

// checks are the figures that can be compared: none unless the logs, windows and prices
// are those of the independent program.
func (r *results) checks() []check {
	if !r.o.isPaper(r.centres) || r.o.prices != "" {
		return nil
	}
	var all []check
	add := func(what string, f func(i, k int) (theirs, ours int)) {
		c := check{what: what}
		for i, x := range r.centres {
			theirs, ours := f(i, x.known)
			c.theirs, c.ours = append(c.theirs, theirs), append(c.ours, ours)
		}
		all = append(all, c)
	}
	add("instance-hours", func(i, k int) (int, int) { return int(independent.hours[k]), int(r.centres[i].total) })
	add("on demand, $", func(i, k int) (int, int) {
		c := r.centres[i]
		return independent.onDemand[k], inDollars(c.OnDemand * pricing.Money(c.total))
	})
	for p := range planners {
		if want, ok := independent.plans[p]; ok && r.plain[p] != nil {
			add(p.String()+", $", func(i, k int) (int, int) { return want[k], inDollars(r.plain[p].plans[i].cost) })
		}
		for _, x := range r.sweep[p] {
			if want, ok := independent.rho[p][x.lambda]; ok {
				c := check{what: fmt.Sprintf("%v, lambda %d, in all, $", p, x.lambda), theirs: []int{want}, ours: []int{inDollars(x.cost)}}
				all = append(all, c)
			}
		}
	}
	return all
}

// counted says what counts as coming out.
var counted = fmt.Sprintf("What came out: savings and use within %s points of the paper's, amounts and counts within %s, data sent within %s. "+
	"What sharing saves came out in part if it is further off, but more than nothing. Of rolling horizons the paper's figures are compared with the reading that is nearest, figure by figure.",
	decimal.Fixed(100*points, 0), whole(relative), whole(roughly))

// writeFindings writes a line for each.
func (r *results) writeFindings(w *table.Page) {
	if checks := r.checks(); checks != nil {
		w.Printf("\nAgainst an independent program:\n")
		for _, c := range checks {
			if c.same() {
				w.Sayf("the same: %s %s.", c.what, list(c.ours))
			} else {
				w.Sayf("NOT THE SAME: %s %s, and here %s.", c.what, list(c.theirs), list(c.ours))
			}
		}
	}
	all := r.allFindings()
	if len(all) == 0 {
		return
	}
	w.Printf("\nFindings of [Liu21] on these centres:\n")
	if r.o.isPaper(r.centres) {
		w.Sayf("%s", counted)
	}
	for _, f := range all {
		w.Sayf("%v", f)
	}
}
