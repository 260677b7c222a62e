package niu16

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
)

// margins is how many of places the other disciplines are run with: those by margin, which
// are the ends of the front with EASY.
const margins = 2

// at returns the sweep's result with EASY.
func (s *study) at(wait, short, place int) result { return *s.queued(0, wait, short, place) }

// queued returns the place of the sweep's result with a discipline.
func (s *study) queued(d, wait, short, place int) *result {
	if d == 0 {
		return &s.sweep[(wait*len(shorts)+short)*len(places)+place]
	}
	return &s.queues[(((d-1)*len(waitLimits)+wait)*len(shorts)+short)*margins+place]
}

// A choice is a point of the sweep.
type choice struct {
	limit, short time.Duration
	place        string
	discipline   semielastic.Discipline
	result
}

// choices returns all points of the sweep.
func (s *study) choices() (all []choice) {
	for d := range semielastic.Disciplines {
		of := places
		if d > 0 {
			of = places[:margins]
		}
		for w, limit := range waitLimits {
			for k, short := range shorts {
				for p, place := range of {
					all = append(all, choice{limit, short, place.String(), semielastic.Disciplines[d], *s.queued(d, w, k, p)})
				}
			}
		}
	}
	return all
}

// String names the choice.
func (c *choice) String() string {
	return fmt.Sprintf("%v, T_waitlmt %s, T_short %s, %s", c.discipline, decimal.Span(c.limit), decimal.Span(c.short), c.place)
}

// front is the sweep over T_waitlmt, T_short, the placement and the discipline: all
// results, and which choices no other choice beats in both cost and wait.
func (s *study) front(name string) figure {
	f := figure{name: "sweep", header: "t_waitlmt_s,t_short_s,placement,queue,mean_wait_s,rate,on_front"}
	all := s.choices()
	names := map[string]int{}
	var series []svgplot.Series
	best := svgplot.Series{Name: "best of all"}
	var front []result
	for i := range all {
		c := &all[i]
		label := c.place // with EASY
		if c.discipline.String() != semielastic.Disciplines[0].String() {
			label = c.discipline.String()
		}
		at, ok := names[label]
		if !ok {
			at = len(series)
			names[label] = at
			series = append(series, svgplot.Series{Name: label, Points: true})
		}
		series[at].X, series[at].Y = append(series[at].X, c.total), append(series[at].Y, c.wait.Seconds())
		on := !slices.ContainsFunc(all, func(q choice) bool { return q.beats(c.result) })
		if on {
			front = append(front, c.result)
		}
		f.rows = append(f.rows, []string{seconds(c.limit), seconds(c.short), c.place, c.discipline.String(), seconds(c.wait), dollars(c.total), fmt.Sprint(on)})
	}
	slices.SortStableFunc(front, func(a, b result) int { return cmp.Or(cmp.Compare(a.total, b.total), cmp.Compare(b.wait, a.wait)) })
	for _, r := range front {
		best.X, best.Y = append(best.X, r.total), append(best.Y, r.wait.Seconds())
	}
	f.charts = []svgplot.Chart{{Title: "Cost against wait: T_waitlmt, T_short, placement and queue, " + name, X: rateAxis, Y: waitAxis,
		Series: append(series, best)}}
	return f
}

// beats reports whether a result is better than another in one of cost and wait, and no
// worse in the other.
func (q result) beats(r result) bool {
	return q.total <= r.total && q.wait <= r.wait && (q.total < r.total || q.wait < r.wait)
}
