package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

const (
	tenths     = 10
	fewParts   = 50 // with fewer parts a tenth of the chances says nothing
	mostOff    = .05
	worstShare = .1
)

// A tenth is the parts whose chances were within a tenth.
type tenth struct {
	n, ordered               int
	said, lost               float64 // means
	tested, fixed, fixedLost float64 // of the half that a correction is tested on
}

// reliability returns the tenths, of the raw chances.
func (b *backtests) reliability() (list [tenths]tenth) {
	for _, p := range b.parts {
		t := &list[min(tenths-1, int(p.said*tenths+1e-9))]
		t.n++
		if p.ordered {
			t.ordered++
		}
		t.said += p.said
		lost := 0.0
		if p.lost {
			lost = 1
		}
		t.lost += lost
		if p.later && b.fixed != nil {
			t.tested++
			t.fixed += b.fixed.of(p.said)
			t.fixedLost += lost
		}
	}
	for i := range list {
		t := &list[i]
		n := float64(max(1, t.n))
		t.said, t.lost = t.said/n, t.lost/n
		if t.tested > 0 {
			t.fixed, t.fixedLost = t.fixed/t.tested, t.fixedLost/t.tested
		}
	}
	return list
}

// off is by how much the chances of a tenth are off at most, where it has parts enough, before and
// after the correction.
func (b *backtests) off() (raw, fixed float64) {
	for _, t := range b.reliability() {
		if t.n >= fewParts {
			raw = max(raw, math.Abs(t.said-t.lost))
		}
		if t.tested >= fewParts {
			fixed = max(fixed, math.Abs(t.fixed-t.fixedLost))
		}
	}
	return raw, fixed
}

// A ruleSum is what came of a rule at all origins.
type ruleSum struct {
	saved         float64 // share of what hindsight saves
	mean, worst   float64 // saving in parts of the cost on demand: the mean, and the least
	worstTenth    float64 // the mean of the worst tenth
	use           float64 // of what was bought
	boughtNothing bool
}

// sum sums up a rule.
func (b *backtests) sum(rule int) (s ruleSum) {
	list := b.earned[rule]
	best, savings := 0.0, make([]float64, 0, len(list))
	var bought, used float64
	for i, e := range list {
		best += b.earned[ruleHindsight][i].saving
		s.mean += e.saving
		savings = append(savings, e.saving)
		bought, used = bought+e.bought, used+e.used
	}
	if best > 0 {
		s.saved = s.mean / best
	}
	s.mean /= float64(max(1, len(list)))
	slices.Sort(savings)
	n := max(1, int(worstShare*float64(len(savings))))
	for _, x := range savings[:min(n, len(savings))] {
		s.worstTenth += x / float64(n)
	}
	if len(savings) > 0 {
		s.worst = savings[0]
	}
	if s.boughtNothing = bought == 0; !s.boughtNothing {
		s.use = used / bought
	}
	return s
}

// text writes the tables.
func (b *backtests) text(w *table.Page) {
	w.Sayf("%s of orders for %s series, decided on %s with what was known then.", decimal.Count(len(b.parts), "part"), decimal.Int(b.series),
		decimal.Count(b.origins, "day"))
	for i, s := range b.left {
		if i == 3 {
			w.Printf("and %d more series are too short\n", len(b.left)-i)
			break
		}
		w.Sayf("left out: %s", s)
	}
	raw, fixed := b.off()
	var rows [][]string
	for i, t := range b.reliability() {
		row := []string{fmt.Sprintf("%d to %d%%", 10*i, 10*i+10), decimal.Int(t.n), decimal.Int(t.ordered), share(t.said), share(t.lost), "–"}
		if t.n == 0 {
			row[3], row[4] = "–", "–"
		}
		if raw > mostOff && t.tested > 0 {
			row[5] = share(t.fixed) + " / " + share(t.fixedLost)
		}
		rows = append(rows, row)
	}
	w.Printf("\n")
	w.Table("<chance of a loss|parts|ordered|said|happened|corrected, tested", rows)
	if raw > mostOff && b.fixed != nil {
		w.Sayf("The correction is isotonic, learnt on one half of the origins and tested on the other: off by %s at most where a tenth has %d parts.", share(fixed), fewParts)
	}
	rows = rows[:0]
	for k, weeks := range b.asked {
		if n := weeks[0]; n > 0 {
			row := []string{decimal.Count(backWeeks[k], "week"), decimal.Int(n)}
			for l := range backLevels {
				row = append(row, share(float64(b.held[k][l])/float64(n)))
			}
			rows = append(rows, append(row, share(b.miss[k]/float64(n))))
		}
	}
	w.Printf("\n")
	w.Table("<ahead|forecasts|80% held|95% held|median off by", rows)
	rows = rows[:0]
	for k := range b.earned {
		s := b.sum(k)
		use := share(s.use)
		if s.boughtNothing {
			use = "–"
		}
		rows = append(rows, []string{ruleNames[k], share(s.saved), share(s.mean), share(s.worstTenth), share(s.worst), use})
	}
	w.Printf("\n")
	w.Table("<order by|of hindsight|saved|worst tenth|worst|use", rows)
	w.Sayf("Saved is in parts of the cost on demand. The worst tenth is the mean of the tenth of the orders that did worst.")
	w.Printf("\n")
	ours, ahead := b.sum(ruleOurs), true
	for k := rule30; k < ruleHindsight; k++ {
		ahead = ahead && ours.mean >= b.sum(k).mean
	}
	verdict := "no other rule saved more"
	if !ahead {
		verdict = "another rule saved more"
	}
	w.Sayf("Said chances of a loss were off by %s at most where a tenth has %d parts; orders saved %s of what hindsight would have, and %s.", share(raw), fewParts, share(ours.saved), verdict)
}

// rows are the tables for machines.
func (b *backtests) rows() any {
	var rows []jsonrows.Row
	add := func(row ...any) { rows = append(rows, row) }
	number := func(x float64) any { return decimal.Number(x, 6) }
	for i, t := range b.reliability() {
		add("what", "reliability", "from", number(float64(i)/tenths), "to", number(float64(i+1)/tenths), "parts", t.n, "ordered", t.ordered, "said", number(t.said), "happened",
			number(t.lost), "tested", int(t.tested), "corrected", number(t.fixed), "tested_happened", number(t.fixedLost))
	}
	for k, weeks := range backWeeks {
		for l, level := range backLevels {
			n := b.asked[k][l]
			add("what", "interval", "weeks", weeks, "level", number(level), "forecasts", n, "held", number(float64(b.held[k][l])/float64(max(1, n))), "median_off",
				number(b.miss[k]/float64(max(1, n))))
		}
	}
	for k := range b.earned {
		s := b.sum(k)
		add("what", "rule", "rule", ruleNames[k], "orders", len(b.earned[k]), "of_hindsight", number(s.saved), "saved", number(s.mean), "worst_tenth", number(s.worstTenth), "worst",
			number(s.worst), "use", number(s.use))
	}
	return rows
}

// writeSVG draws the reliability.
func (r *results) writeSVG(w io.Writer) error {
	said := svgplot.Series{Name: "as said", X: []float64{0, 100}, Y: []float64{0, 100}}
	happened := svgplot.Series{Name: "happened", Points: true}
	for _, t := range r.back.reliability() {
		if t.n >= fewParts {
			happened.X, happened.Y = append(happened.X, 100*t.said), append(happened.Y, 100*t.lost)
			wide := 196 * math.Sqrt(t.lost*(1-t.lost)/float64(t.n))
			happened.Low, happened.High = append(happened.Low, max(0, 100*t.lost-wide)), append(happened.High, min(100, 100*t.lost+wide))
		}
	}
	return svgplot.WriteCharts(w, []svgplot.Chart{{Title: "Orders that lost money, by the chance that was said", X: "chance of a loss as said, %", Y: "orders that lost money, %",
		Series: []svgplot.Series{said, happened}}})
}
