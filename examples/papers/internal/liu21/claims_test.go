package liu21

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// A second implementation of RHO that subtracts for the full centres.Term, as plain as can be,
// with the first slot's purchases of each window and with all of them.
func TestRollingByHand(t *testing.T) {
	list := paperCentres(t)
	for _, lambda := range []int{23, 24, 25, 100} {
		for _, reading := range []plannerName{rhoFirst, rhoFull} {
			if reading == rhoFull && lambda <= centres.Term {
				continue // one interval: the first slot's purchases are all
			}
			var want, got pricing.Money
			for _, c := range list {
				want += rollByHand(c, lambda, reading == rhoFull)
				p, err := c.Plan(centres.PlanOptions{Planner: reading, Lambda: lambda})
				if err != nil {
					t.Fatal(err)
				}
				got += p.Cost
			}
			if got != want {
				t.Errorf("%v, lambda %d: %v, by hand %v", reading, lambda, got, want)
			}
		}
	}
}

// rollByHand is [Liu21] Algorithm 2, each window planned by Algorithm 1, line by line.
// With all, every purchase of a window is made, and the last window ends with the demand.
func rollByHand(c *centre, lambda int, all bool) pricing.Money {
	enough := pays(c)
	active := make([]int, len(c.Demand)+centres.Term)
	var cost pricing.Money
	for t := range c.Demand {
		if all && t+lambda > len(c.Demand) {
			break
		}
		var left []int
		for k := t; k < min(len(c.Demand), t+lambda); k++ {
			left = append(left, max(0, c.Demand[k]-active[k]))
		}
		now := 0
		for {
			most, at := 0, 0
			for s := range max(1, len(left)-centres.Term+1) {
				busy := 0
				for _, d := range left[s:min(len(left), s+centres.Term)] {
					busy += min(1, d)
				}
				if busy > most {
					most, at = busy, s
				}
			}
			if most < enough {
				break
			}
			window := left[at:min(len(left), at+centres.Term)]
			least := math.MaxInt
			for _, d := range window {
				if d > 0 {
					least = min(least, d)
				}
			}
			for k := range window {
				window[k] = max(0, window[k]-least)
			}
			if at == 0 {
				now += least
			} else if all {
				for k := t + at; k < t+at+centres.Term; k++ {
					active[k] += least
				}
				cost += c.Reservation * pricing.Money(least)
			}
		}
		for k := t; k < t+centres.Term; k++ {
			active[k] += now
		}
		cost += c.Reservation * pricing.Money(now)
	}
	for t, d := range c.Demand {
		cost += c.OnDemand * pricing.Money(max(0, d-active[t]))
	}
	return cost
}

// madeResults are results with which all claims come out, or none.
func madeResults(t *testing.T, good bool) *results {
	r := evaluated(t, "-hours", "48", "-error", "0,0.4")
	money := func(m int) pricing.Money { return pricing.Money(m) * pricing.Unit }
	// dress gives an outcome a cost and a use in every centre, and a saving.
	dress := func(x *outcome, cost, used int, saves bool, sent int64) {
		x.Cost, x.Held, x.Used = money(3*cost), 3000, int64(3*used)
		s := *x.Shared
		x.Shared = &s
		s.Centres = make([]federation.Statement, 3)
		s.Total = federation.Statement{Own: 3 * used, Sent: sent}
		if saves {
			s.Total.Own++
		} else {
			s.Total.Own--
		}
		s.Held = 3000
		s.Cost = money(3*cost - 1)
		if !saves {
			s.Cost = money(3*cost + 1)
		}
		for i := range x.Plans {
			p := *x.Plans[i]
			p.Cost, p.Held, p.Used, p.Count = money(cost), 1000, int64(used), 5
			x.Plans[i] = &p
			gain := 1 // more for those that fluctuate more
			for _, c := range r.centres {
				if c.Fluctuation() < r.centres[i].Fluctuation() {
					gain++
				}
			}
			if !saves {
				gain = -gain
			}
			s.Centres[i].Fees = money(cost - gain)
		}
		if x.Guarded == nil {
			x.Guarded = x.Shared
		}
		*x.Shared = s
	}
	dress(r.optimum, 1000, 950, true, 0)
	if good {
		dress(r.plain[periodic], 1200, 800, true, 100*centres.Gigabyte)
		dress(r.plain[hgr], 1100, 900, true, 50*centres.Gigabyte)
		dress(r.plain[history], 1300, 800, true, 0)
		r.optimum.Cost = r.plain[hgr].Shared.Cost
	} else {
		dress(r.plain[periodic], 2000, 900, false, 50*centres.Gigabyte)
		dress(r.plain[hgr], 2500, 800, false, 100*centres.Gigabyte)
		dress(r.plain[history], 5000, 800, false, 0)
		r.optimum.Cost = r.plain[hgr].Shared.Cost + 1
	}
	for _, p := range r.shown() {
		for _, x := range r.erred[p] {
			switch {
			case good:
				dress(x, 1110, 890, true, 0)
				x.Shared.Cost -= money(100)
				x.Guarded = x.Shared
			default:
				dress(x, 4000, 500, false, 0)
				x.Shared.Cost += money(100)
				x.Guarded = x.Shared
			}
		}
		if !p.Rolls() {
			continue
		}
		dress(r.plain[p], map[bool]int{true: 1110, false: 3000}[good], 880, good, 0)
		for _, x := range r.sweep[p] {
			cost := 1100 // HGR's
			if l := x.Lambda; good && l >= 13 && l < centres.Term {
				cost = 1300 + 10*l
			} else if good && l == centres.Term {
				cost = 1200
			}
			if !good {
				cost = 6000 - x.Lambda // falls slowly
				if x.Lambda > centres.Term {
					cost = 6000 + x.Lambda
				}
			}
			dress(x, cost, 800, good, 0)
			for i, c := range r.centres {
				reserves := x.Lambda >= pays(c)
				if x.Plans[i].Count = 0; reserves == good {
					x.Plans[i].Count = 1
				}
				x.Count += x.Plans[i].Count
			}
		}
	}
	return r
}

// Claims can come out and not, with results made up for it.
func TestVerdicts(t *testing.T) {
	for name, want := range map[string]claim.Verdict{"good": claim.Yes, "bad": claim.No} {
		t.Run(name, func(t *testing.T) {
			r := madeResults(t, want == claim.Yes)
			list := r.claims()
			var page table.Page
			claim.Write(&page, list)
			programtest.Golden(t, "claims-"+name+".txt", page.String())
			for _, c := range list {
				if c.Verdict != want {
					t.Errorf("%+v", c)
				}
			}
			if len(list) != 41 {
				t.Errorf("%d claims, want 41", len(list))
			}
		})
	}
}

// If the paper's figures were those found here, or a little within what counts as the same,
// all would come out; if all were a little further off, none would.
func TestPaperFiguresComeOut(t *testing.T) {
	r := evaluated(t, likePaper(t)...)
	one, o := *r, *r.o // with one reading of rolling horizons
	one.o, o.reserve = &o, centres.Choice{rhoFull: true}
	one.sweep = [planners][]*outcome{rhoFull: r.sweep[rhoFull]}
	saved := paper
	defer func() { paper = saved }()
	for _, c := range []struct {
		what                     string
		amounts, shares, traffic float64 // factor, difference and factor
		want                     bool
	}{
		{"the same", 1, 0, 1, true},
		{"just below", 1.019, .0199, 1.32, true},
		{"just above", .981, -.0199, .81, true},
		{"far below", 1.03, .0201, 1.34, false},
		{"far above", .97, -.0201, .79, false},
	} {
		money := func(m pricing.Money) pricing.Money { return pricing.Money(math.Round(float64(m) * c.amounts)) }
		count := func(n int64) int64 { return int64(math.Round(float64(n) * c.amounts)) }
		paper.sharedUsed, paper.shared, paper.paths = map[plannerName][3]float64{}, map[plannerName][3]pricing.Money{}, map[plannerName][3][3]float64{}
		for i, x := range r.centres {
			k, onDemand, plan := x.Known, x.OnDemand*pricing.Money(x.Total), r.plain[periodic].Plans[i]
			paper.hours[k], paper.onDemand[k] = count(x.Total), money(onDemand)
			paper.fluctuation[k], paper.short[k] = x.Fluctuation()+c.shares, short(x, x.From)+c.shares
			paper.periodicSaved[k], paper.periodicUsed[k] = 1-centres.Share(plan.Cost, onDemand)+c.shares, centres.Utilisation(plan.Used, plan.Held)+c.shares
			for _, p := range []plannerName{periodic, hgr} {
				s, used, paths := r.plain[p].Shared, paper.sharedUsed[p], paper.paths[p]
				used[k] = centres.Utilisation(s.HoursOf(i), r.plain[p].Plans[i].Held) + c.shares
				for j, other := range r.centres {
					paths[k][other.Known] = float64(s.Flows[i][j].Sent) / centres.Gigabyte * c.traffic
				}
				paper.sharedUsed[p], paper.paths[p] = used, paths
			}
		}
		paper.hgr, paper.hgrUsed = money(r.plain[hgr].Cost), r.plain[hgr].Utilisation()+c.shares
		for p, alone := range map[plannerName]pricing.Money{hgr: paper.hgr, periodic: 0} {
			for k, m := range paper.onDemand {
				if p == periodic {
					alone += pricing.Money(math.Round(float64(m) * (1 - paper.periodicSaved[k])))
				}
			}
			paper.shared[p] = [3]pricing.Money{pricing.Money(float64(alone) * (1 - r.plain[p].Saved() - c.shares)), 0, 0}
		}
		x, worst, counts := r.at(rhoFull, 13), r.at(rhoFull, 23), map[int]int64{}
		erred := r.erred[rhoFull]
		// Amounts are compared as shares of what all costs on demand.
		paper.rho = money(x.Cost + pricing.Money(c.shares*float64(r.onDemand)))
		paper.rhoWorst = money(worst.Cost + pricing.Money(c.shares*float64(r.onDemand)))
		paper.rhoUsed, paper.rhoWorstUsed, paper.rhoSharedUsed = x.Utilisation()+c.shares, worst.Utilisation()+c.shares, x.Shared.Used()+c.shares
		paper.rhoShared = pricing.Money(float64(paper.rho) * (1 - x.Saved() - c.shares))
		paper.rhoErrors = [3]pricing.Money{erred[0].Cost, 0, erred[2].Cost + pricing.Money(c.shares*float64(erred[0].Cost))}
		paper.rhoErrorsUsed = [3]float64{erred[0].Utilisation() + c.shares, 0, erred[2].Utilisation()}
		paper.rhoSent = [3]float64{sent(erred[0]) * c.traffic, 0, sent(erred[0]) * c.traffic * (sent(erred[2])/sent(erred[0]) + c.shares)}
		for _, lambda := range []int{23, 24, 600} {
			counts[lambda] = int64(math.Round(float64(r.at(rhoFull, lambda).Count) / c.amounts * (1 + c.shares)))
		}
		paper.rhoCount = counts
		f := &judged{results: r}
		f.windows()
		f.shortJobs()
		f.plans()
		f.sharing()
		g := &judged{results: &one}
		g.rolling()
		g.counts()
		if len(f.list) != 43 || len(g.list) != 13 {
			t.Errorf("%s: %d and %d figures, want 43 and 13", c.what, len(f.list), len(g.list))
		}
		for _, x := range append(f.list, g.list...) {
			if (x.Verdict == claim.Yes) != c.want && x.Text != "HGR saves over on demand, %" { // both of its amounts change by the same factor
				t.Errorf("%s: %+v", c.what, x)
			}
		}
	}
}
