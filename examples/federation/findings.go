package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
)

// A verdict says whether a finding came out.
type verdict int

const (
	didNot verdict = iota
	partly
	cameOut
)

func (v verdict) String() string {
	return [...]string{"DID NOT COME OUT", "came out IN PART", "came out"}[v]
}

// A finding is something that [Liu21] says, and what is seen here of it.
type finding struct {
	verdict verdict
	says    string
	shown   string
	why     string // where it did not come out
}

func (f *finding) String() string {
	s := fmt.Sprintf("%v: %s. %s.", f.verdict, f.says, strings.ToUpper(f.shown[:1])+f.shown[1:])
	if f.verdict != cameOut && f.why != "" {
		s += " " + f.why
	}
	return s
}

// judge sums up what was seen.
func judge(seen ...bool) verdict {
	n := 0
	for _, ok := range seen {
		if ok {
			n++
		}
	}
	switch {
	case n == len(seen):
		return cameOut
	case n > 0:
		return partly
	}
	return didNot
}

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

// arePaperLogs reports whether the centres are the paper's, of which there is each
// once; their prices may be others.
func arePaperLogs(centres []*centre) bool {
	seen := map[int]bool{}
	for _, c := range centres {
		seen[c.known] = c.known >= 0
	}
	return len(centres) == len(paperSites) && seen[0] && seen[1] && seen[2]
}

// isPaper reports whether the windows are the paper's, too: only then do its figures
// say anything of what is found.
func (o *options) isPaper(centres []*centre) bool {
	for _, c := range centres {
		if c.known < 0 || c.from != paperFrom[c.known] {
			return false
		}
	}
	return arePaperLogs(centres) && o.hours == paperHours
}

// eachCentre writes a figure of each of the paper's centres beside the paper's, and says
// whether each is near.
func (r *results) eachCentre(f func(i, k int) (text string, near bool)) (string, []bool) {
	var texts []string
	var seen []bool
	for i, c := range r.centres {
		text, near := f(i, c.known)
		texts, seen = append(texts, text), append(seen, near)
	}
	return strings.Join(texts, ", "), seen
}

func near(x, y, by float64) bool { return math.Abs(x-y) <= by }

func amount(m pricing.Money) string { return "$" + dollars(m) }

// paperFindings are the numbers that the paper prints, beside what they are here.
func (r *results) paperFindings() []finding {
	var all []finding
	add := func(f finding) { all = append(all, f) }
	part := func(says string, why string, f func(i, k int) (string, bool)) {
		text, seen := r.eachCentre(f)
		add(finding{judge(seen...), says, "here " + text, why})
	}

	part("the windows need 671,360, 802,234 and 1,013,280 instance-hours", "", func(i, k int) (string, bool) {
		n := r.centres[i].total
		return hours(n), near(float64(n), float64(paper.hours[k]), relative*float64(paper.hours[k]))
	})
	part("on demand alone that costs $55,745, $50,831 and $66,194",
		fmt.Sprintf("The paper's amounts are $%s, $%s and $%s for each of its instance-hours, at prices of $0.075, $0.060 and $0.065. In all it is %s of the paper's, so that shares compare better.",
			decimal.Fixed(share(paper.onDemand[0], pricing.Money(paper.hours[0])*pricing.Unit), 4),
			decimal.Fixed(share(paper.onDemand[1], pricing.Money(paper.hours[1])*pricing.Unit), 4),
			decimal.Fixed(share(paper.onDemand[2], pricing.Money(paper.hours[2])*pricing.Unit), 4),
			decimal.Fixed(share(r.onDemand, paperOnDemand()), 3)),
		func(i, k int) (string, bool) {
			m := r.centres[i].OnDemand * pricing.Money(r.centres[i].total)
			return amount(m), near(share(m, paper.onDemand[k]), 1, relative)
		})
	part("the demand's fluctuation is 0.49, 0.66 and 0.78", "", func(i, k int) (string, bool) {
		x := r.centres[i].fluctuation()
		return decimal.Fixed(x, 2), near(x, paper.fluctuation[k], points)
	})
	if x := r.plain[periodic]; x != nil {
		part("Periodic saves 45.4%, 25.1% and 26.3% over on demand", "", func(i, k int) (string, bool) {
			c := r.centres[i]
			saved := 1 - share(x.plans[i].cost, c.OnDemand*pricing.Money(c.total))
			return percent(saved), near(saved, paper.periodicSaved[k], points)
		})
		part("Periodic uses 88.9%, 81.3% and 74.5% of what it reserves", "", func(i, k int) (string, bool) {
			used := utilisation(x.plans[i].used, x.plans[i].held)
			return percent(used), near(used, paper.periodicUsed[k], points)
		})
	}
	if x := r.plain[hgr]; x != nil {
		saved, theirs := 1-share(x.cost, r.onDemand), 1-share(paper.hgr, paperOnDemand())
		add(finding{
			judge(near(share(x.cost, paper.hgr), 1, relative), near(saved, theirs, points)),
			fmt.Sprintf("HGR costs $110,938 in all, %s less than on demand", percent(theirs)),
			fmt.Sprintf("here %s, %s less", amount(x.cost), percent(saved)),
			fmt.Sprintf("The amount is %s of the paper's, as all of its amounts on demand are %s.",
				decimal.Fixed(share(x.cost, paper.hgr), 3), decimal.Fixed(share(r.onDemand, paperOnDemand()), 3)),
		})
		add(finding{judge(near(x.utilisation(), paper.hgrUsed, points)), "HGR uses 83.9% of what it reserves", "here " + percent(x.utilisation()), ""})
	}
	if a, b := r.plain[periodic], r.plain[hgr]; a != nil && b != nil {
		var theirs [2]float64
		for i, p := range []plannerName{periodic, hgr} {
			alone, with := paper.hgr, pricing.Money(0)
			if p == periodic {
				alone = 0
				for k := range paper.onDemand {
					alone += pricing.Money(math.Round(float64(paper.onDemand[k]) * (1 - paper.periodicSaved[k])))
				}
			}
			for _, m := range paper.shared[p] {
				with += m
			}
			theirs[i] = 1 - share(with, alone)
		}
		f := finding{
			judge(near(a.saved(), theirs[0], points), near(b.saved(), theirs[1], points)),
			fmt.Sprintf("sharing saves a further %s of Periodic and %s of HGR", percent(theirs[0]), percent(theirs[1])),
			fmt.Sprintf("here %s and %s", percent(a.saved()), percent(b.saved())),
			fmt.Sprintf("No sharing of what is idle could save more than %s and %s of these plans, at whatever price: there is no more of it while another centre needs it.",
				percent(r.mostSaved(a)), percent(r.mostSaved(b))),
		}
		if f.verdict == didNot && a.saved() > 0 && b.saved() > 0 {
			f.verdict = partly
		}
		add(f)
	}
	for _, p := range []plannerName{periodic, hgr} {
		x := r.plain[p]
		if x == nil {
			continue
		}
		u := paper.sharedUsed[p]
		part(fmt.Sprintf("with sharing, %s, %s and %s of what %s reserves are used", percent(u[0]), percent(u[1]), percent(u[2]), p.label()),
			fmt.Sprintf("No sharing could use more than %s of these reservations in all, and the paper's shares would come to %s.",
				percent(r.mostUsed(x)), percent(r.weighted(x, u))),
			func(i, k int) (string, bool) {
				used := utilisation(x.shared.hoursOf(i), x.plans[i].held)
				return percent(used), near(used, u[k], points)
			})
		const law = "The paper does not give the exponent of its power law, nor its draws."
		gb := func(x float64) string { return decimal.Grouped(decimal.Fixed(x, 0)) }
		var theirs, ours []string
		var seen []bool
		all := 0.
		for i, a := range r.centres {
			for j, b := range r.centres {
				if i != j {
					want, got := paper.paths[p][a.known][b.known], float64(x.shared.moved[i][j])/gigabyte
					all += want
					theirs, ours, seen = append(theirs, gb(want)), append(ours, gb(got)), append(seen, near(got/want, 1, roughly))
				}
			}
		}
		got := float64(x.shared.total.Sent) / gigabyte
		add(finding{judge(near(got/all, 1, roughly)), fmt.Sprintf("with %s, %s GB are sent", p.label(), gb(all)), "here " + gb(got), law})
		add(finding{
			judge(seen...), fmt.Sprintf("by the path, in the order of the table of data sent, those are %s GB (Table 3)", strings.Join(theirs, ", ")),
			"here " + strings.Join(ours, ", "), law,
		})
	}
	all = append(all, r.paperRolling()...)
	return all
}

// mostSaved is what it saves of the cost, if it costs nothing.
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

// paperRolling is what the paper prints of rolling horizons, for the reading that
// comes nearest.
func (r *results) paperRolling() []finding {
	var all []finding
	// best is the reading whose figure is nearest to the paper's.
	best := func(f func(x *outcome) float64, theirs float64, at int) *outcome {
		var best *outcome
		for p := rhoPrinted; p < planners; p++ {
			if x := r.at(p, at); x != nil && (best == nil || math.Abs(f(x)-theirs) < math.Abs(f(best)-theirs)) {
				best = x
			}
		}
		return best
	}
	of := func(x *outcome) float64 { return share(x.cost, r.onDemand) }
	for _, c := range []struct {
		lambda int
		cost   pricing.Money
		used   float64
	}{{13, paper.rho, paper.rhoUsed}, {23, paper.rhoWorst, paper.rhoWorstUsed}} {
		theirs := share(c.cost, paperOnDemand())
		x := best(of, theirs, c.lambda)
		if x == nil {
			continue
		}
		all = append(all, finding{
			judge(near(of(x), theirs, points), near(x.utilisation(), c.used, points)),
			fmt.Sprintf("RHO with lambda %d costs %s, %s of on demand, and uses %s", c.lambda, amount(c.cost), percent(theirs), percent(c.used)),
			fmt.Sprintf("here %s: %s, %s, and uses %s", x.planner, amount(x.cost), percent(of(x)), percent(x.utilisation())),
			"",
		})
		if c.lambda != 13 {
			continue
		}
		saved := 1 - share(paper.rhoShared, paper.rho)
		f := finding{
			judge(near(x.saved(), saved, points), near(x.shared.used(), paper.rhoSharedUsed, points)),
			fmt.Sprintf("sharing saves a further %s of RHO with lambda 13, and %s are used", percent(saved), percent(paper.rhoSharedUsed)),
			fmt.Sprintf("here %s: %s and %s", x.planner, percent(x.saved()), percent(x.shared.used())),
			fmt.Sprintf("No sharing of what is idle could save more than %s, or use more than %s.", percent(r.mostSaved(x)), percent(r.mostUsed(x))),
		}
		if f.verdict == didNot && x.saved() > 0 {
			f.verdict = partly
		}
		all = append(all, f)
	}
	if r.o.lambda == 13 && slices.Equal(r.o.errors, []float64{0, .2, .4}) {
		x := best(of, share(paper.rho, paperOnDemand()), 13)
		if x != nil {
			rows := r.erred[x.planner]
			more, theirs := share(rows[2].cost-rows[0].cost, rows[0].cost), share(paper.rhoErrors[2]-paper.rhoErrors[0], paper.rhoErrors[0])
			less, theirLess := rows[0].utilisation()-rows[2].utilisation(), paper.rhoErrorsUsed[0]-paper.rhoErrorsUsed[2]
			all = append(all, finding{
				judge(near(more, theirs, points), near(less, theirLess, points)),
				fmt.Sprintf("errors of up to 40%% make RHO %s dearer, and use %s points less", percent(theirs), decimal.Fixed(100*theirLess, 1)),
				fmt.Sprintf("here %s: %s, and %s points", x.planner, percent(more), decimal.Fixed(100*less, 1)),
				"What it buys is the least that the hours it sees will need, or nearly, and errors make that less.",
			})
			gb := func(x *outcome) float64 { return float64(x.shared.total.Sent) / gigabyte }
			grows, theirGrows := gb(rows[2])/gb(rows[0])-1, paper.rhoSent[2]/paper.rhoSent[0]-1
			all = append(all, finding{
				judge(near(gb(rows[0])/paper.rhoSent[0], 1, roughly), near(grows, theirGrows, points)),
				fmt.Sprintf("RHO with lambda 13 sends %s GB, and errors of up to 40%% make that %s more (Table 4)", decimal.Grouped(decimal.Fixed(paper.rhoSent[0], 0)), percent(theirGrows)),
				fmt.Sprintf("here %s: %s GB, and %s", x.planner, decimal.Grouped(decimal.Fixed(gb(rows[0]), 0)), signed(grows)),
				"With errors it reserves less here, so that less is idle to run on.",
			})
		}
	}
	if r.o.hours >= 600 && r.at(rhoPrinted, 24) != nil && r.at(rhoFull, 24) != nil && r.at(rhoDeferred, 24) != nil {
		lambdas := []int{23, 24, 600}
		scale := share(r.onDemand, paperOnDemand())
		var theirs, scaled, texts []string
		seen := make([]bool, len(lambdas)) // in any reading
		one := false                       // in the same reading
		for _, lambda := range lambdas {
			n := paper.rhoCount[lambda]
			theirs, scaled = append(theirs, hours(n)), append(scaled, hours(int64(math.Round(scale*float64(n)))))
		}
		for p := rhoPrinted; p < planners; p++ {
			var ours []string
			every := true
			for k, lambda := range lambdas {
				n := r.at(p, lambda).count
				ok := near(float64(n)/(scale*float64(paper.rhoCount[lambda])), 1, relative)
				ours, seen[k], every = append(ours, hours(n)), seen[k] || ok, every && ok
			}
			texts, one = append(texts, p.String()+" "+strings.Join(ours, ", ")), one || every
		}
		all = append(all, finding{
			judge(append(seen, one)...),
			fmt.Sprintf("with lambda 23, 24 and 600 RHO makes %s reservations; in proportion to what all costs on demand that would be %s", strings.Join(theirs, ", "), strings.Join(scaled, ", ")),
			"here " + strings.Join(texts, "; "), "Each is near to that of one reading, and none has all three.",
		})
	}
	return all
}

// findings are what the paper says of any centres.
func (r *results) findings() []finding {
	var all []finding
	add := func(f finding) { all = append(all, f) }
	names := func(list []string) string {
		if len(list) == 0 {
			return "in none"
		}
		return "in " + strings.Join(list, ", ")
	}

	if a, b := r.plain[periodic], r.plain[hgr]; a != nil && b != nil {
		var cheaper, fuller []string
		for i, c := range r.centres {
			if b.plans[i].cost < a.plans[i].cost {
				cheaper = append(cheaper, c.Name)
			}
			if utilisation(b.plans[i].used, b.plans[i].held) > utilisation(a.plans[i].used, a.plans[i].held) {
				fuller = append(fuller, c.Name)
			}
		}
		n := len(r.centres)
		add(finding{
			judge(len(cheaper) == n, len(fuller) == n),
			"HGR costs less than Periodic in every centre, and uses more of what it reserves",
			fmt.Sprintf("it costs less %s, and uses more %s", names(cheaper), names(fuller)), "",
		})
	}
	if len(r.centres) > 1 {
		all = append(all, r.sharingFindings()...)
	}
	for _, p := range []plannerName{periodic, hgr} {
		x := r.erredMost(p)
		if x == nil {
			continue
		}
		base := r.plain[p]
		more, less := share(x.cost-base.cost, base.cost), base.utilisation()-x.utilisation()
		add(finding{
			judge(more <= slightly, less <= slightly),
			fmt.Sprintf("%s is robust to errors: with up to %s it costs slightly more and uses slightly less (counted up to 5%% and 5 points)", p.label(), whole(x.bound)),
			fmt.Sprintf("the cost changes by %s, and the use by %s points", signed(more), decimal.Fixed(-100*less, 1)), "",
		})
	}
	all = append(all, r.rollingFindings()...)

	// The bounds.
	if x := r.plain[hgr]; x != nil {
		worst, limit, kept := 0., 0., true
		for i, c := range r.centres {
			ratio := share(x.plans[i].cost, r.optimum.plans[i].cost)
			most := 2 - c.Reservation.Float64()/(term*c.OnDemand.Float64())
			if most < 1 {
				continue // a reservation never pays
			}
			kept = kept && ratio <= most
			worst, limit = max(worst, ratio), max(limit, most)
		}
		add(finding{
			judge(kept), "HGR costs at most 2 - F/(24·p) times the optimum (Theorem 3)",
			fmt.Sprintf("at most %s times, and %s would be allowed", decimal.Fixed(worst, 3), decimal.Fixed(limit, 2)), "",
		})
		high := x.shared.cost
		low := pricing.Money(float64(high) / 1.5)
		best := r.optimum.cost
		add(finding{
			judge(best >= low && best <= high),
			fmt.Sprintf("the optimum without sharing lies between HGR's cost with sharing and that over 1.5 ([68,653, 102,980] in the paper), here %s and %s", amount(low), amount(high)),
			fmt.Sprintf("it is %s", amount(best)),
			"Sharing is not in the problem that Theorem 3 is about: what HGR costs with it is no upper bound of the optimum without.",
		})
	}
	return all
}

// sharingFindings are those of sharing.
func (r *results) sharingFindings() []finding {
	var all []finding
	var saves, uses, worse []string
	checked := 0
	look := func(x *outcome, name string) {
		checked++
		if x.shared.cost <= x.cost {
			saves = append(saves, name)
		} else {
			worse = append(worse, fmt.Sprintf("%s (%s more)", name, percent(-x.saved())))
		}
		if x.shared.used() >= x.utilisation() {
			uses = append(uses, name)
		}
	}
	for _, p := range r.shown() {
		look(r.plain[p], p.String())
		for _, x := range r.sweep[p] {
			if x.lambda != r.o.lambda {
				look(x, fmt.Sprintf("%v at lambda %d", p, x.lambda))
			}
		}
	}
	shown := fmt.Sprintf("%s of %s cost no more with sharing, and %s use no less", decimal.Int(len(saves)), decimal.Count(checked, "plan"), decimal.Int(len(uses)))
	if len(worse) > 0 {
		shown += "; dearer: " + strings.Join(worse[:min(5, len(worse))], ", ")
	}
	all = append(all, finding{
		judge(len(saves) == checked, len(uses) == checked), "sharing always saves and always raises the use of reservations (all plans, and rolling horizons with all lambdas)", shown, "",
	})
	if a, b := r.plain[periodic], r.plain[hgr]; a != nil && b != nil {
		all = append(all, finding{
			judge(b.shared.total.Sent < a.shared.total.Sent), "HGR sends less data than Periodic",
			fmt.Sprintf("%s GB against %s", gigabytes(b.shared.total.Sent, 0), gigabytes(a.shared.total.Sent, 0)), "",
		})
	}
	if x := r.plain[hgr]; x != nil {
		least, most, steady, wild := 0, 0, 0, 0
		text := ""
		for i, c := range r.centres {
			if x.savedOf(i) < x.savedOf(least) {
				least = i
			}
			if x.savedOf(i) > x.savedOf(most) {
				most = i
			}
			if c.fluctuation() < r.centres[steady].fluctuation() {
				steady = i
			}
			if c.fluctuation() > r.centres[wild].fluctuation() {
				wild = i
			}
			if i > 0 {
				text += ", "
			}
			text += fmt.Sprintf("%s %s (fluctuation %s)", c.Name, percent(x.savedOf(i)), decimal.Fixed(c.fluctuation(), 2))
		}
		all = append(all, finding{
			judge(least == steady, most == wild), "with HGR, the centre whose demand fluctuates most gains most from sharing, the steadiest least", text,
			"What a centre gains is also what it earns by lending, and its prices.",
		})
	}
	if x := r.erredMost(hgr); x != nil {
		base := r.plain[hgr]
		all = append(all, finding{
			judge(x.saved() > base.saved()), fmt.Sprintf("with errors of up to %s sharing saves more of HGR (7.1 to 8.2%% in the paper)", whole(x.bound)),
			fmt.Sprintf("%s to %s; but %s where centres keep what they predict to need, and not what they will", percent(base.saved()), percent(x.saved()),
				percent(share(x.cost-x.guarded.cost, x.cost))), "",
		})
	}
	return all
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

// rollingFindings are those of rolling horizons, of all readings.
func (r *results) rollingFindings() []finding {
	var list []plannerName
	for _, p := range r.shown() {
		if p.rolls() {
			list = append(list, p)
		}
	}
	if list == nil {
		return nil
	}
	var all []finding

	// Thresholds.
	early, late := 0, 0 // of the centres
	for _, c := range r.centres {
		m := int((c.Reservation + c.OnDemand - 1) / c.OnDemand)
		if early == 0 || m < early {
			early = m
		}
		late = max(late, m)
	}
	silent, loud := true, true
	for _, p := range list {
		for _, x := range r.sweep[p] {
			for i, c := range r.centres {
				m := int((c.Reservation + c.OnDemand - 1) / c.OnDemand)
				silent = silent && (x.lambda >= m || x.plans[i].count == 0)
				loud = loud && (x.lambda != m || x.plans[i].count > 0)
			}
		}
	}
	all = append(all, finding{
		judge(silent, loud), "RHO reserves nothing until lambda is a centre's fee over its price on demand (11, 13, 11 in the paper)",
		fmt.Sprintf("the thresholds are %d to %d hours; below, nothing is reserved: %s; from there on: %s", early, late, yes(silent), yes(loud)), "",
	})

	// Up to the term the cost rises, and then falls.
	if r.o.hours > term && late < term-1 {
		var seen []bool
		near := false
		var texts []string
		for _, p := range list {
			start, before, at := r.at(p, late), r.at(p, term-1), r.at(p, term)
			rises, falls := before.cost > start.cost, float64(at.cost) < (1-greatly)*float64(before.cost)
			seen = append(seen, rises && falls)
			// Where it falls most, once all centres reserve.
			fall, from := 0., 0
			for k, x := range r.sweep[p] {
				if k > 0 && x.lambda > late {
					if d := 1 - share(x.cost, r.sweep[p][k-1].cost); d > fall {
						fall, from = d, k-1
					}
				}
			}
			near = near || rises && fall > greatly
			text := fmt.Sprintf("%v %s at %d, %s at %d, %s at %d", p, amount(start.cost), late, amount(before.cost), term-1, amount(at.cost), term)
			if fall > 0 {
				text += fmt.Sprintf("; its largest fall is %s, from %d to %d", percent(fall), r.sweep[p][from].lambda, r.sweep[p][from+1].lambda)
			}
			texts = append(texts, text)
		}
		v := judge(seen...)
		if v == didNot && near {
			v = partly
		}
		all = append(all, finding{
			v, fmt.Sprintf("RHO's cost rises until lambda is %d and falls dramatically at %d (counted from 10%%)", term-1, term), "here " + strings.Join(texts, ". "),
			"With a window of exactly a term there is one interval to reserve for, which begins now. Only a longer one has later intervals, " +
				"so that a purchase can wait. A rule that waits in any case does not cost so much before.",
		})
	}
	if last := min(maxLambda, r.o.hours); last > term && r.plain[hgr] != nil && last == r.o.hours {
		var seen []bool
		var texts []string
		for _, p := range list {
			a, b := r.at(p, term), r.at(p, last)
			seen = append(seen, b.cost < a.cost && near(share(b.cost, r.plain[hgr].cost), 1, relative))
			texts = append(texts, fmt.Sprintf("%v %s at %d, %s at %d", p, amount(a.cost), term, amount(b.cost), last))
		}
		all = append(all, finding{
			judge(seen...), fmt.Sprintf("RHO's cost declines from lambda %d to the whole window, where it is HGR's (counted within 2%%)", term),
			fmt.Sprintf("HGR costs %s; %s", amount(r.plain[hgr].cost), strings.Join(texts, "; ")),
			"As printed a purchase is subtracted from all of a long window, though it lasts for a term.",
		})
	}
	var seen []bool
	var texts []string
	for _, p := range list {
		worst := r.sweep[p][0]
		for _, x := range r.sweep[p] {
			if x.cost > worst.cost && x.count > 0 || worst.count == 0 {
				worst = x
			}
		}
		ratio := share(worst.cost, r.optimum.cost)
		seen = append(seen, ratio <= 2)
		texts = append(texts, fmt.Sprintf("%v %s times at lambda %d", p, decimal.Fixed(ratio, 2), worst.lambda))
	}
	all = append(all, finding{judge(seen...), "RHO costs at most about 2 times the optimum", "here " + strings.Join(texts, ", "), ""})
	if r.erredMost(list[0]) != nil {
		seen, texts = nil, nil
		bound := 0.
		for _, p := range list {
			x, base := r.erredMost(p), r.plain[p]
			more, less := share(x.cost-base.cost, base.cost), base.utilisation()-x.utilisation()
			seen = append(seen, more <= slightly && less <= slightly)
			texts = append(texts, fmt.Sprintf("%v %s, %s points", p, signed(more), decimal.Fixed(-100*less, 1)))
			bound = x.bound
		}
		all = append(all, finding{
			judge(seen...), fmt.Sprintf("RHO is robust to errors of up to %s, too (counted as for HGR)", whole(bound)),
			"cost and use change: " + strings.Join(texts, "; "), "",
		})
	}
	return all
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
		rhoFull:     {13: 109_388, 23: 146_774, 100: 152_407},
		rhoDeferred: {23: 106_513, 100: 103_638},
	},
}

// whole dollars, rounded half up.
func inDollars(m pricing.Money) int { return int((m + pricing.Unit/2) / pricing.Unit) }

// A check is a figure of the independent program beside ours.
type check struct {
	what         string
	theirs, ours []int
	why          string // where they differ
}

func (c *check) same() bool { return slices.Equal(c.theirs, c.ours) }

// checks are those that can be made: none unless the logs, windows and prices are
// those that the program had.
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
				if !c.same() {
					c.why = r.whyNot(x.lambda)
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// whyNot says what is known of a figure of a rolling horizon that does not come out.
func (r *results) whyNot(lambda int) string {
	var sum pricing.Money
	for _, c := range r.centres {
		sum += inSight(c, lambda)
	}
	return fmt.Sprintf("Algorithm 2 over Algorithm 1 by the book has ours, in two implementations. Of other readings the nearest that was found has %s: "+
		"it buys now for all that is in sight, by the rule for a single interval, and nothing in the last %d hours. That is no reproduction.", decimal.Int(inDollars(sum)), lambda-1)
}

// inSight is what a centre costs that in each hour reserves what as many of the lambda
// hours in sight need as pay off a fee, whenever that is, less what is active now, and
// stops when it sees the end of the window.
func inSight(c *centre, lambda int) pricing.Money {
	enough := int((c.Reservation + c.OnDemand - 1) / c.OnDemand)
	active := make([]int, len(c.demand)+term)
	var cost pricing.Money
	for t := range c.demand {
		if t+lambda <= len(c.demand) && lambda >= enough {
			seen := slices.Clone(c.demand[t : t+lambda])
			slices.Sort(seen)
			buy := max(0, seen[lambda-enough]-active[t])
			for k := t; k < t+term; k++ {
				active[k] += buy
			}
			cost += c.Reservation * pricing.Money(buy)
		}
		cost += c.OnDemand * pricing.Money(max(0, c.demand[t]-active[t]))
	}
	return cost
}

// counted says what counts as coming out.
var counted = fmt.Sprintf("What came out: savings and use within %s points of the paper's, amounts and counts within %s, data sent within %s. "+
	"What sharing saves came out in part if it is further off, but more than nothing. Of rolling horizons the paper's figures are compared with the reading that is nearest, figure by figure.",
	decimal.Fixed(100*points, 0), whole(relative), whole(roughly))

// writeFindings writes a line for each.
func (r *results) writeFindings(w *printer) {
	if checks := r.checks(); checks != nil {
		fmt.Fprintln(w, "\nAgainst an independent program:")
		for _, c := range checks {
			if c.same() {
				w.say("the same: %s %s.", c.what, list(c.ours))
			} else {
				w.say("NOT THE SAME: %s %s, and here %s. %s", c.what, list(c.theirs), list(c.ours), c.why)
			}
		}
	}
	all := r.allFindings()
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(w, "\nFindings of [Liu21] on these centres:")
	if r.o.isPaper(r.centres) {
		w.say("%s", counted)
	}
	for i := range all {
		w.say("%v", &all[i])
	}
}

// allFindings are those that can be judged with what was run.
func (r *results) allFindings() []finding {
	var all []finding
	if r.o.isPaper(r.centres) {
		all = r.paperFindings()
	}
	return append(all, r.findings()...)
}
