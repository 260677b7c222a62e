package main

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// What a page shows of the time after today.

// A fanColumn is a stretch of slots: its lowest, its middle and its highest future, of means.
type fanColumn struct{ low, mid, high float64 }

const fanColumns = 120

// columns are the futures of a group by stretches: the tenth and ninetieth percentile of their
// means and the mean of all.
func columns(paths [][]int) []fanColumn {
	n := len(paths[0])
	list := make([]fanColumn, min(n, fanColumns))
	means := make([]float64, len(paths))
	for i := range list {
		from, to := i*n/len(list), (i+1)*n/len(list)
		for k, path := range paths {
			means[k] = 0
			for _, x := range path[from:to] {
				means[k] += float64(x) / float64(to-from)
			}
			list[i].mid += means[k] / float64(len(paths))
		}
		slices.Sort(means)
		list[i].low, list[i].high = means[len(means)/10], means[len(means)-1-len(means)/10]
	}
	return list
}

// A stack is units that serve until a slot.
type stack struct {
	class, what string
	units       int
	until       time.Time
}

// fan draws the futures ahead of today with what is held and ordered under them, each until it ends.
func (r *results) fan(g *group) template.HTML {
	if g.request == nil || len(g.request.Paths) == 0 {
		return ""
	}
	const width, height, left, bottom = 720.0, 200.0, 64.0, 24.0
	list := columns(g.request.Paths)
	var stacks []stack
	most, sum := 1.0, 0
	for _, h := range g.held {
		stacks = append(stacks, stack{"held", "held", h.Units, h.Expires})
	}
	for _, o := range g.advice.Orders {
		stacks = append(stacks, stack{"order", "ordered today: " + o.Class, o.Units, o.Until})
	}
	slices.SortStableFunc(stacks, func(a, b stack) int { return b.until.Compare(a.until) }) // what lasts longest lies lowest
	for _, s := range stacks {
		sum += s.units
	}
	most = max(most, float64(sum))
	for _, c := range list {
		most = max(most, c.high)
	}
	step := max(1, niceStep(most/4))
	top := math.Ceil(most/step) * step
	x := func(share float64) float64 { return left + (width-left)*min(1, max(0, share)) }
	y := func(v float64) float64 { return 8 + height*(1-v/top) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="Futures of %s with what is held and ordered">`, width, height+bottom+8, template.HTMLEscapeString(g.name))
	below := 0
	for _, s := range stacks {
		end := x(float64(s.until.Sub(r.now)) / float64(r.horizon))
		fmt.Fprintf(&b, `<rect class="%s" x="%.0f" y="%.2f" width="%.2f" height="%.2f"><title>%s: %d until %s</title></rect>`, s.class, left, y(float64(below+s.units)), end-left,
			y(float64(below))-y(float64(below+s.units)), template.HTMLEscapeString(s.what), s.units, s.until.Format("2 Jan 2006"))
		below += s.units
	}
	for v := 0.0; v <= top*1.0001; v += step {
		fmt.Fprintf(&b, `<line class="grid" x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f"/><text x="%.0f" y="%.1f" text-anchor="end">%s</text>`, left, width, y(v), y(v), left-6, y(v)+4, thousands(v))
	}
	at := func(i int) float64 { return x((float64(i) + .5) / float64(len(list))) }
	b.WriteString(`<polygon class="band" points="`)
	for i, c := range list {
		fmt.Fprintf(&b, "%.1f,%.1f ", at(i), y(c.high))
	}
	for i := len(list) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%.1f,%.1f ", at(i), y(list[i].low))
	}
	b.WriteString(`"/><polyline class="line" stroke-dasharray="5 3" points="`)
	for i, c := range list {
		fmt.Fprintf(&b, "%.1f,%.1f ", at(i), y(c.mid))
	}
	b.WriteString(`"/>`)
	for i := range 5 {
		anchor := []string{"start", "middle", "middle", "middle", "end"}[i]
		fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="%s">%s</text>`, x(float64(i)/4), height+8+16, anchor, r.now.Add(r.horizon*time.Duration(i)/4).Format("2 Jan 06"))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// ofToday is what the orders of today save, each beside the others and in cents: the cards add up to it.
func (r *results) ofToday() (sum pricing.Money) {
	if s := r.spending; s != nil {
		sum = s.without - s.cost
	}
	for _, g := range r.groups {
		for _, o := range g.advice.Orders {
			cent := pricing.Unit / 100
			sum += (o.Saving + cent/2) / cent * cent
		}
	}
	return sum
}

// A pageRisk is what an order may come to by the end of its term.
type pageRisk struct{ Low, Middle, High, Loss string }

// riskOf is what the units of an order earn over the term in the futures, above what is held and
// ordered below them.
func (r *results) riskOf(g *group, o *advice.Order, below int) (x pageRisk) {
	if g.request == nil || len(g.request.Paths) < 2 {
		return pageRisk{"–", "–", "–", "not known: the futures have no spread"}
	}
	i := slices.IndexFunc(g.offers, func(a advice.Offer) bool { return a.Name == o.Class })
	if i < 0 {
		return x
	}
	j := judge{slot: r.slotOf(g)}
	d, _ := j.deal(&g.offers[i].Class, g.list.OnDemand)
	t := j.slots(g.offers[i].Term)
	earn := make([]float64, 0, len(g.request.Paths))
	lost := 0
	for _, path := range g.request.Paths {
		n := min(t, len(path))
		part := d
		part.fixed *= float64(n) / float64(t)
		money, _ := earns(&part, path[:n], below, o.Units)
		earn = append(earn, money)
		if money < 0 {
			lost++
		}
	}
	slices.Sort(earn)
	text := func(v float64) string { return r.amount(pricing.Money(math.Round(v * float64(pricing.Unit)))) }
	n := len(earn)
	return pageRisk{text(earn[n/10]), text(earn[n/2]), text(earn[n-1-n/10]), share(chance(float64(lost) / float64(n)))}
}

// A pageTerm is what would be ordered if one term alone were for sale.
type pageTerm struct{ Kind, Term, Order, Today, Commitment, Saving, Loss string }

// byTerm answers for each term alone: one year beside three.
func (r *results) byTerm(g *group) (list []pageTerm) {
	var terms []time.Duration
	for _, o := range g.offers {
		if !o.Withdrawn && !slices.Contains(terms, o.Term) {
			terms = append(terms, o.Term)
		}
	}
	if g.request == nil || len(terms) < 2 {
		return nil
	}
	slices.Sort(terms)
	for _, term := range terms {
		q := *g.request
		q.Offers = slices.Clone(q.Offers)
		for i := range q.Offers {
			q.Offers[i].Withdrawn = q.Offers[i].Withdrawn || q.Offers[i].Term != term
		}
		a, err := advice.Advise(&q)
		if err != nil {
			continue
		}
		x := pageTerm{Kind: g.name, Term: yearsText(term), Order: "nothing", Today: r.amount(a.Today), Commitment: r.amount(a.Commitment), Saving: r.amount(a.OnDemand - a.Cost), Loss: "–"}
		var what, loss []string
		for i := range a.Orders {
			what = append(what, count(a.Orders[i].Units, g.unit)+" of "+a.Orders[i].Class)
			loss = append(loss, riskText(a.Paths, a.Orders[i].Loss))
		}
		if len(what) > 0 {
			x.Order, x.Loss = strings.Join(what, ", "), strings.Join(loss, ", ")
		}
		list = append(list, x)
	}
	return list
}

// yearsText writes a term.
func yearsText(d time.Duration) string {
	if year := 365 * 24 * time.Hour; d%year == 0 {
		return decimal.Count(int(d/year), "year")
	}
	return spanText(d)
}

// A pageNot is a class that is not ordered, and why.
type pageNot struct{ Kind, Class, Why string }

// notOrdered says of each class that is not ordered why.
func (r *results) notOrdered(g *group) (list []pageNot) {
	known := r.history(g)
	for _, o := range g.offers {
		if slices.ContainsFunc(g.advice.Orders, func(x advice.Order) bool { return x.Class == o.Name }) || strings.HasPrefix(o.Name, "held ") {
			continue
		}
		u, ok := o.BreakEven(pricing.OnDemand(g.list.OnDemand))
		why := fmt.Sprintf("another class, or use on demand, costs less: a unit pays only if it is used %s of its term", share(u))
		switch {
		case o.Withdrawn && known < least(o.Term):
			why = fmt.Sprintf("the use is known for %s, and this term wants %s", spanText(known), spanText(least(o.Term)))
		case o.Withdrawn:
			why = "it is not for sale"
		case !ok:
			why = "it costs more than on demand, even if it is used all the time"
		}
		list = append(list, pageNot{g.name, o.Name, why})
	}
	return list
}
