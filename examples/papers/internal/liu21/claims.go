package liu21

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// What counts as what the paper says.
const (
	points   = 2   // of a saving or of utilisation, in percent, either way
	relative = .02 // of an amount, as a part of it
	roughly  = .25 // of the data sent, whose sizes are drawn at random
	slightly = .05 // of the cost, "increases slightly"
	greatly  = .10 // of the cost, "reduce dramatically"
)

// judged are the claims of the paper beside the results.
type judged struct {
	*results
	list []claim.Claim
}

func (f *judged) add(c claim.Claim) { f.list = append(f.list, c) }

// holds adds a claim about an order.
func (f *judged) holds(place, text, ours, why string, seen ...bool) {
	f.add(claim.Holds(place, text, ours, seen...).Because(why))
}

// amount adds a claim about an amount or a count.
func (f *judged) amount(place, text string, paper, ours float64, why string) {
	f.add(claim.Number(place, text, paper, ours, relative, 0).Because(why))
}

// percent adds a claim about a share.
func (f *judged) percent(place, text string, paper, ours float64, why string) {
	f.add(claim.Number(place, text, 100*paper, 100*ours, points/math.Abs(100*paper), 1).Because(why))
}

// near reports whether a number is within a part of another.
func near(x, of, by float64) bool { return math.Abs(x-of) <= by*math.Abs(of) }

func fixed(x float64, decimals int) string { return decimal.Fixed(x, decimals) }
func amount(m pricing.Money) string        { return "$" + centres.Dollars(m) }
func gb(x float64) string                  { return decimal.Grouped(fixed(x, 0)) }

// sent is the data of a sharing, in GB.
func sent(x *outcome) float64 { return float64(x.Shared.Total.Sent) / centres.Gigabyte }

// claims are those that the results can judge. The paper's numbers are judged only in its own
// windows.
func (r *results) claims() []claim.Claim {
	f := &judged{results: r}
	if r.o.isPaper(r.centres) {
		f.windows()
		f.arrivals()
		f.shortJobs()
		f.plans()
		f.sharing()
		f.rolling()
		f.counts()
	}
	f.plansOfAny()
	if len(r.centres) > 1 {
		f.sharingOfAny()
	}
	f.errorsOfAny()
	f.rollingOfAny()
	f.bounds()
	on := "made-up centres"
	if r.o.Traces != nil {
		var names []string
		for _, c := range r.centres {
			names = append(names, c.Name)
		}
		on = strings.Join(names, ", ")
	}
	for i := range f.list {
		f.list[i].On = on
	}
	return f.list
}

// windows are the paper's numbers of the demand, Table 2.
func (f *judged) windows() {
	for _, c := range f.centres {
		f.amount("Table 2", "instance-hours of "+c.Name, float64(paper.hours[c.Known]), float64(c.Total), "")
	}
	why := fmt.Sprintf("The paper's amounts do not fit its prices per hour. In all ours are %s of its, so that shares compare better.", fixed(centres.Share(f.onDemand, paperOnDemand()), 3))
	for _, c := range f.centres {
		f.amount("Fig. 8", "on demand, "+c.Name+", $", paper.onDemand[c.Known].Float64(), (c.OnDemand * pricing.Money(c.Total)).Float64(), why)
	}
	for _, c := range f.centres {
		f.add(claim.Number("Fig. 7", "fluctuation of the demand, "+c.Name, paper.fluctuation[c.Known], c.Fluctuation(), points/100./paper.fluctuation[c.Known], 2))
	}
}

// arrivals are Fig. 1: in which hours of the day, in Greenwich, most and fewest jobs of the
// whole logs come. The figure is a drawing; the text says that these hours differ.
func (f *judged) arrivals() {
	var most, fewest []int
	for _, c := range f.centres {
		if c.Log.Start.IsZero() {
			return
		}
		most, fewest = append(most, extreme(c, 1)), append(fewest, extreme(c, -1))
	}
	apart := func(hours []int) bool {
		return len(slices.Compact(slices.Sorted(slices.Values(hours)))) == len(hours)
	}
	f.holds("Fig. 1", "arrivals peak in other hours (GMT) in each centre", list(most), "", apart(most))
	f.holds("Fig. 1", "arrivals are fewest in other hours in each centre", list(fewest), "", apart(fewest))
}

// arrive returns the share of the log's jobs that come in an hour of the day in Greenwich.
func arrive(c *centre, hour int) float64 {
	n := 0
	for _, j := range c.Log.Jobs {
		if c.Log.Start.Add(j.Submit).Hour() == hour {
			n++
		}
	}
	return float64(n) / float64(len(c.Log.Jobs))
}

// extreme returns the hour of the day in which most jobs come, or with sign -1 the fewest;
// the first of equals.
func extreme(c *centre, sign float64) int {
	best := 0
	for h := range 24 {
		if sign*arrive(c, h) > sign*arrive(c, best) {
			best = h
		}
	}
	return best
}

// short returns the share of the jobs that run for less than an hour, among those of the
// log that are submitted in a window of the same length from an hour on.
func short(c *centre, hour int) float64 {
	from := time.Duration(hour) * time.Hour
	n, all := 0, 0
	for _, j := range trace.Submitted(c.Log.Jobs, from, from+time.Duration(len(c.Demand))*time.Hour) {
		all++
		if j.Run < time.Hour {
			n++
		}
	}
	return float64(n) / float64(max(1, all))
}

// gaiaFrom are other hours at which the paper's window of UniLu-Gaia may begin: the share of
// jobs under an hour fits them, and the fluctuation of the demand does not.
var gaiaFrom = [...]int{4, 5, 6}

// shortJobs are Fig. 6's shares of jobs under an hour.
func (f *judged) shortJobs() {
	for _, c := range f.centres {
		why := ""
		if c.Known == 0 {
			var texts []string
			for _, h := range gaiaFrom {
				texts = append(texts, centres.Percent(short(c, h)))
			}
			why = fmt.Sprintf("Where the window begins is open: from hours 4, 5 and 6 on the share is %s, and the fluctuation of the demand does not fit.", strings.Join(texts, ", "))
		}
		f.percent("Fig. 6", "jobs under an hour, "+c.Name+", %", paper.short[c.Known], short(c, c.From), why)
	}
}

// plans are the paper's numbers of plans without sharing.
func (f *judged) plans() {
	if x := f.plain[periodic]; x != nil {
		for i, c := range f.centres {
			f.percent("5.3", "Periodic saves over on demand, "+c.Name+", %", paper.periodicSaved[c.Known], 1-centres.Share(x.Plans[i].Cost, c.OnDemand*pricing.Money(c.Total)), "")
		}
		for i, c := range f.centres {
			f.percent("5.3", "Periodic uses of what it reserves, "+c.Name+", %", paper.periodicUsed[c.Known], centres.Utilisation(x.Plans[i].Used, x.Plans[i].Held), "")
		}
	}
	if x := f.plain[hgr]; x != nil {
		f.amount("5.3", "HGR costs in all, $", paper.hgr.Float64(), x.Cost.Float64(),
			fmt.Sprintf("All amounts on demand are %s of the paper's.", fixed(centres.Share(f.onDemand, paperOnDemand()), 3)))
		f.percent("5.3", "HGR saves over on demand, %", 1-centres.Share(paper.hgr, paperOnDemand()), 1-centres.Share(x.Cost, f.onDemand), "")
		f.percent("5.3", "HGR uses of what it reserves, %", paper.hgrUsed, x.Utilisation(), "")
	}
}

// sharing are the paper's numbers of sharing.
func (f *judged) sharing() {
	alone := map[plannerName]pricing.Money{hgr: paper.hgr}
	for k, m := range paper.onDemand {
		alone[periodic] += pricing.Money(math.Round(float64(m) * (1 - paper.periodicSaved[k])))
	}
	for _, p := range []plannerName{periodic, hgr} {
		x := f.plain[p]
		if x == nil {
			continue
		}
		with := paper.shared[p]
		f.percent("Fig. 8", "sharing saves of "+label(p)+", %", 1-centres.Share(with[0]+with[1]+with[2], alone[p]), x.Saved(),
			fmt.Sprintf("No sharing of what is idle could save more than %s at any price.", centres.Percent(f.mostSaved(x))))
		for i, c := range f.centres {
			f.percent("Fig. 8", "shared, used of what "+label(p)+" reserves, "+c.Name+", %", paper.sharedUsed[p][c.Known],
				centres.Utilisation(x.Shared.HoursOf(i), x.Plans[i].Held), fmt.Sprintf("No sharing could use more than %s in all.", centres.Percent(f.mostUsed(x))))
		}
		all := 0.
		for i, a := range f.centres {
			for j, b := range f.centres {
				if i != j {
					want, got := paper.paths[p][a.Known][b.Known], float64(x.Shared.Flows[i][j].Sent)/centres.Gigabyte
					all += want
					f.add(claim.Number("Table 3", fmt.Sprintf("%s, %s to %s, GB", label(p), a.Name, b.Name), want, got, roughly, 1))
				}
			}
		}
		f.add(claim.Number("Table 3", label(p)+", all data sent, GB", all, sent(x), roughly, 0).
			Because("The paper does not give the exponent of its power law, nor its draws."))
	}
}

// label is the paper's name of the planner. Periodic is called 2AH in another paper of the
// same authors.
func label(p plannerName) string {
	switch p {
	case periodic:
		return "Periodic"
	case hgr:
		return "HGR"
	}
	return p.String()
}

// nearest is the reading of a rolling horizon whose share of the cost on demand is nearest to
// the paper's.
func (f *judged) nearest(cost pricing.Money, lambda int) (best *outcome) {
	theirs := centres.Share(cost, paperOnDemand())
	off := func(x *outcome) float64 { return math.Abs(centres.Share(x.Cost, f.onDemand) - theirs) }
	for p := rhoPrinted; p < planners; p++ {
		if x := f.at(p, lambda); x != nil && (best == nil || off(x) < off(best)) {
			best = x
		}
	}
	return best
}

// rolling are the paper's numbers of rolling horizons, beside the reading that comes nearest.
func (f *judged) rolling() {
	for _, c := range []struct {
		lambda int
		cost   pricing.Money
		used   float64
	}{{13, paper.rho, paper.rhoUsed}, {23, paper.rhoWorst, paper.rhoWorstUsed}} {
		x := f.nearest(c.cost, c.lambda)
		if x == nil {
			continue
		}
		name := fmt.Sprintf("RHO, lambda %d (%v), ", c.lambda, x.Planner)
		f.percent("Fig. 10", name+"of the cost on demand, %", centres.Share(c.cost, paperOnDemand()), centres.Share(x.Cost, f.onDemand), "")
		f.percent("Fig. 10", name+"used, %", c.used, x.Utilisation(), "")
	}
	x := f.nearest(paper.rho, 13)
	if x == nil {
		return
	}
	name := fmt.Sprintf("RHO, lambda 13 (%v), ", x.Planner)
	f.percent("Table 4", name+"sharing saves, %", 1-centres.Share(paper.rhoShared, paper.rho), x.Saved(),
		fmt.Sprintf("No sharing of what is idle could save more than %s.", centres.Percent(f.mostSaved(x))))
	f.percent("Table 4", name+"shared, used, %", paper.rhoSharedUsed, x.Shared.Used(), fmt.Sprintf("No sharing could use more than %s.", centres.Percent(f.mostUsed(x))))
	if f.o.lambda != 13 || !slices.Equal(f.o.errors, []float64{0, .2, .4}) {
		return
	}
	rows := f.erred[x.Planner]
	f.percent("Table 4", name+"errors of 40% raise the cost by, %", centres.Share(paper.rhoErrors[2]-paper.rhoErrors[0], paper.rhoErrors[0]), centres.Share(rows[2].Cost-rows[0].Cost, rows[0].Cost), "")
	f.percent("Table 4", name+"errors of 40% lower the use by, % points", paper.rhoErrorsUsed[0]-paper.rhoErrorsUsed[2], rows[0].Utilisation()-rows[2].Utilisation(),
		"What it buys is the least that the hours it sees will need, or nearly, and errors make that less.")
	f.add(claim.Number("Table 4", name+"sends, GB", paper.rhoSent[0], sent(rows[0]), roughly, 0))
	f.percent("Table 4", name+"errors of 40% raise the data sent by, %", paper.rhoSent[2]/paper.rhoSent[0]-1, sent(rows[2])/sent(rows[0])-1,
		"With errors it reserves less here, so that less is idle to run on.")
}

// counts are the paper's numbers of reservations of rolling horizons, in proportion to what all
// costs on demand, beside each reading.
func (f *judged) counts() {
	scale := centres.Share(f.onDemand, paperOnDemand())
	for p := rhoPrinted; p < planners; p++ {
		for _, lambda := range []int{23, 24, 600} {
			if x := f.at(p, lambda); x != nil {
				f.amount("Fig. 10", fmt.Sprintf("reservations with lambda %d, %v (the paper's times %s)", lambda, p, fixed(scale, 3)), scale*float64(paper.rhoCount[lambda]), float64(x.Count), "")
			}
		}
	}
}

// plansOfAny are what the paper says of the plans of any centres.
func (f *judged) plansOfAny() {
	a, b := f.plain[periodic], f.plain[hgr]
	if a == nil || b == nil {
		return
	}
	cheaper, fuller := 0, 0
	for i := range f.centres {
		if b.Plans[i].Cost < a.Plans[i].Cost {
			cheaper++
		}
		if centres.Utilisation(b.Plans[i].Used, b.Plans[i].Held) > centres.Utilisation(a.Plans[i].Used, a.Plans[i].Held) {
			fuller++
		}
	}
	n := len(f.centres)
	f.holds("5.3", "HGR costs less than Periodic in every centre", fmt.Sprintf("in %d of %d", cheaper, n), "", cheaper == n)
	f.holds("5.3", "HGR uses more of what it reserves in every centre", fmt.Sprintf("in %d of %d", fuller, n), "", fuller == n)
}

// sharingOfAny are what the paper says of sharing between any centres.
func (f *judged) sharingOfAny() {
	saves, uses, checked := 0, 0, 0
	var worse []string
	look := func(x *outcome, name string) {
		checked++
		if x.Shared.Cost <= x.Cost {
			saves++
		} else {
			worse = append(worse, fmt.Sprintf("%s (%s more)", name, centres.Percent(-x.Saved())))
		}
		if x.Shared.Used() >= x.Utilisation() {
			uses++
		}
	}
	for _, p := range f.shown() {
		look(f.plain[p], p.String())
		for _, x := range f.sweep[p] {
			if x.Lambda != f.o.lambda {
				look(x, fmt.Sprintf("%v at lambda %d", p, x.Lambda))
			}
		}
	}
	f.holds("Fig. 8", "sharing always saves (all plans and lambdas)", fmt.Sprintf("%d of %d", saves, checked), "Dearer are "+strings.Join(worse[:min(5, len(worse))], ", ")+".", saves == checked)
	f.holds("Fig. 8", "sharing always raises the use of reservations", fmt.Sprintf("%d of %d", uses, checked), "", uses == checked)
	x := f.plain[hgr]
	if x == nil {
		return
	}
	if a := f.plain[periodic]; a != nil {
		f.holds("Table 3", "HGR sends less data than Periodic", gb(sent(x))+" and "+gb(sent(a))+" GB", "", x.Shared.Total.Sent < a.Shared.Total.Sent)
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
	least, most := extremes(x.SavedOf)
	steady, wild := extremes(func(i int) float64 { return f.centres[i].Fluctuation() })
	var texts []string
	for i, c := range f.centres {
		texts = append(texts, fmt.Sprintf("%s gains %s (fluctuation %s)", c.Name, centres.Percent(x.SavedOf(i)), fixed(c.Fluctuation(), 2)))
	}
	why := strings.Join(texts, ", ") + ". What a centre gains is also what it earns by lending, and its prices."
	f.holds("Fig. 8", "the centre that fluctuates most gains most from sharing", f.centres[most].Name, "", most == wild)
	f.holds("Fig. 8", "the steadiest centre gains least from sharing", f.centres[least].Name, why, least == steady)
}

// erredMost is the outcome of a plan with the largest errors, nil if there are none.
func (r *results) erredMost(p plannerName) *outcome {
	var most *outcome
	for _, x := range r.erred[p] {
		if x.Error > 0 && (most == nil || x.Error > most.Error) {
			most = x
		}
	}
	return most
}

// errorsOfAny are what the paper says of errors of the prediction.
func (f *judged) errorsOfAny() {
	for _, p := range f.shown() {
		x := f.erredMost(p)
		if x == nil || p != periodic && p != hgr && !p.Rolls() {
			continue
		}
		base := f.plain[p]
		more, less := centres.Share(x.Cost-base.Cost, base.Cost), base.Utilisation()-x.Utilisation()
		f.holds("Fig. 9", fmt.Sprintf("errors of up to %s: %s costs slightly more (bound ours: 5%%) and uses slightly less (5 points)", whole(x.Error), label(p)),
			fmt.Sprintf("%s, %s points", signed(more), fixed(-100*less, 1)), "", more <= slightly, less <= slightly)
	}
	if x, y := f.plain[hgr], f.erredMost(hgr); x != nil && y != nil && len(f.centres) > 1 {
		f.holds("Fig. 9", fmt.Sprintf("errors of up to %s: sharing saves more of HGR (7.1 to 8.2%% in the paper)", whole(y.Error)),
			fmt.Sprintf("%s to %s", centres.Percent(x.Saved()), centres.Percent(y.Saved())), "", y.Saved() > x.Saved())
		guarded := centres.Share(y.Cost-y.Guarded.Cost, y.Cost)
		f.holds("Fig. 9", "so it is where centres keep what they predict to need, and not what they will",
			fmt.Sprintf("%s to %s", centres.Percent(x.Saved()), centres.Percent(guarded)), "", guarded > x.Saved())
	}
}

// pays is from how many hours on a reservation costs no more than on demand.
func pays(c *centre) int { return int((c.Reservation + c.OnDemand - 1) / c.OnDemand) }

// rollingOfAny are what the paper says of rolling horizons for any centres, in each reading.
func (f *judged) rollingOfAny() {
	var list []plannerName
	for _, p := range f.shown() {
		if p.Rolls() {
			list = append(list, p)
		}
	}
	if list == nil {
		return
	}
	// Thresholds.
	early, late := pays(f.centres[0]), 0
	for _, c := range f.centres {
		early, late = min(early, pays(c)), max(late, pays(c))
	}
	silent, loud := true, true
	for _, p := range list {
		for _, x := range f.sweep[p] {
			for i, c := range f.centres {
				silent = silent && (x.Lambda >= pays(c) || x.Plans[i].Count == 0)
				loud = loud && (x.Lambda != pays(c) || x.Plans[i].Count > 0)
			}
		}
	}
	f.holds("5.5", "RHO reserves nothing until lambda is a centre's fee over its price on demand (11, 13, 11 in the paper)", fmt.Sprintf("%d to %d", early, late), "", silent)
	f.holds("5.5", "RHO reserves from there on", "", "", loud)
	const term = centres.Term
	for _, p := range list {
		if f.o.Hours > term && late < term-1 {
			start, before, at := f.at(p, late), f.at(p, term-1), f.at(p, term)
			f.holds("Fig. 10", fmt.Sprintf("cost of %v rises from lambda %d to %d, $", p, late, term-1), centres.Dollars(start.Cost)+" to "+centres.Dollars(before.Cost), "", before.Cost > start.Cost)
			f.holds("Fig. 10", fmt.Sprintf("cost of %v falls dramatically at %d (bound ours: 10%%), $", p, term), "to "+centres.Dollars(at.Cost), f.fall(p, late), float64(at.Cost) < (1-greatly)*float64(before.Cost))
		}
		if h := f.plain[hgr]; h != nil && f.o.Hours > term && f.o.Hours <= maxLambda {
			a, b := f.at(p, term), f.at(p, f.o.Hours)
			f.holds("Fig. 10", fmt.Sprintf("cost of %v falls from lambda %d to the whole window, where it is HGR's (within 2%%), $", p, term), centres.Dollars(a.Cost)+" to "+centres.Dollars(b.Cost),
				"HGR costs "+amount(h.Cost)+".", b.Cost < a.Cost, near(b.Cost.Float64(), h.Cost.Float64(), relative))
		}
		worst := f.sweep[p][0]
		for _, x := range f.sweep[p] {
			if x.Cost > worst.Cost && x.Count > 0 || worst.Count == 0 {
				worst = x
			}
		}
		ratio := centres.Share(worst.Cost, f.optimum.Cost)
		f.holds("5.5", fmt.Sprintf("%v costs at most about 2 times the optimum", p), fmt.Sprintf("%s at lambda %d", fixed(ratio, 2), worst.Lambda), "", ratio <= 2)
	}
}

// fall says where the cost of a rolling horizon falls most, once all centres reserve.
func (f *judged) fall(p plannerName, late int) string {
	most, from := 0., 0
	for k, x := range f.sweep[p] {
		if k > 0 && x.Lambda > late {
			if d := 1 - centres.Share(x.Cost, f.sweep[p][k-1].Cost); d > most {
				most, from = d, k-1
			}
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf("The largest fall of %v is %s, from %d to %d.", p, centres.Percent(most), f.sweep[p][from].Lambda, f.sweep[p][from+1].Lambda)
}

// bounds are what the paper proves.
func (f *judged) bounds() {
	if x := f.plain[history]; x != nil {
		worst := 0.
		for i := range f.centres {
			worst = max(worst, centres.Share(x.Plans[i].Cost, f.optimum.Plans[i].Cost))
		}
		f.holds("5.3", "the online algorithm of [Wang15] costs at most 4 times the optimum (of all demands that is not true: package reserve/theory)", fixed(worst, 2), "", worst <= 4)
	}
	x := f.plain[hgr]
	if x == nil {
		return
	}
	worst, limit, kept := 0., 0., true
	for i, c := range f.centres {
		ratio := centres.Share(x.Plans[i].Cost, f.optimum.Plans[i].Cost)
		if most := 2 - c.Reservation.Float64()/(centres.Term*c.OnDemand.Float64()); most >= 1 { // or a reservation never pays
			kept = kept && ratio <= most
			worst, limit = max(worst, ratio), max(limit, most)
		}
	}
	f.holds("Thm. 3", fmt.Sprintf("HGR costs at most 2 - F/(24 p) times the optimum, here %s (not true of all demands: package reserve/theory)", fixed(limit, 2)), fixed(worst, 3), "", kept)
	high := x.Shared.Cost
	low, best := pricing.Money(float64(high)/1.5), f.optimum.Cost
	f.holds("5.3", fmt.Sprintf("the optimum without sharing is between HGR's cost with sharing over 1.5 and that cost, here %s and %s", amount(low), amount(high)), amount(best),
		"Sharing is not in the problem that Theorem 3 is about.", best >= low && best <= high)
}

// signed writes a change with its sign.
func signed(x float64) string {
	if x < 0 {
		return centres.Percent(x)
	}
	return "+" + centres.Percent(x)
}

// whole is a bound in percent.
func whole(x float64) string { return string(decimal.Number(100*x, 6)) + "%" }

// mostSaved is what sharing saves of the cost, if sharing costs nothing.
func (r *results) mostSaved(x *outcome) float64 {
	saved, _ := r.reach(x)
	return centres.Share(saved, x.Cost)
}

// mostUsed is the use of reservations by a sharing that leaves nothing idle while
// another centre needs it.
func (r *results) mostUsed(x *outcome) float64 {
	_, hours := r.reach(x)
	return centres.Utilisation(x.Used+hours, x.Held)
}
