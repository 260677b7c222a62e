package main

import (
	"io"

	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
)

// front is the sweep over T_waitlmt, T_short and the placement: all that came of it,
// and which choices no other beats in both cost and wait.
func (s *study) front(name string) figure {
	f := figure{name: "sweep", header: []string{"t_waitlmt_s", "t_short_s", "placement", "mean_wait_s", "rate", "on_front"}}
	charts := []svgplot.Chart{{Title: "Cost against wait: T_waitlmt, T_short and placement, " + name, X: rateAxis, Y: waitAxis}}
	series := make([]svgplot.Series, len(places)+1)
	series[len(places)] = svgplot.Series{Name: "best of all"}
	type point struct{ x, y float64 }
	var front []point
	for w, limit := range waitLimits {
		for k, short := range shorts {
			for p, place := range places {
				r := s.at(w, k, p)
				series[p].Name, series[p].Points = place.String(), true
				series[p].X, series[p].Y = append(series[p].X, r.total), append(series[p].Y, r.wait.Seconds())
				on := "false"
				if s.undominated(r) {
					on = "true"
					front = append(front, point{r.total, r.wait.Seconds()})
				}
				f.rows = append(f.rows, []string{seconds(limit), seconds(short), place.String(), seconds(r.wait), dollars(r.total), on})
			}
		}
	}
	last := &series[len(places)]
	for len(front) > 0 { // in the order of cost
		least := 0
		for i, q := range front {
			if q.x < front[least].x || q.x == front[least].x && q.y > front[least].y {
				least = i
			}
		}
		last.X, last.Y = append(last.X, front[least].x), append(last.Y, front[least].y)
		front = append(front[:least], front[least+1:]...)
	}
	charts[0].Series = series
	f.draw = func(w io.Writer) error { return svgplot.WriteCharts(w, charts) }
	return f
}

// undominated reports whether no choice is better in one and no worse in the
// other.
func (s *study) undominated(r result) bool {
	for _, q := range s.sweep {
		if q.total <= r.total && q.wait <= r.wait && (q.total < r.total || q.wait < r.wait) {
			return false
		}
	}
	return true
}
