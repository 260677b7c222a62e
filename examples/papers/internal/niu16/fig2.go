package niu16

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// fig2Jobs are four jobs with the figures of [Niu16] section 2. The paper's jobs are in its
// drawing alone. The text gives the share of the charged time that they use:
//
//	70.8%  each job has instances of its own: 8.5 of 12 instance-hours
//	56.7%  four nodes for 3.75 hours: 8.5 of 15; C and D wait, and the mean wait is 15 min
//	77.3%  a semi-elastic cluster: 8.5 of 11; C gets idle instances, and nobody waits
//
// Let all times be multiples of 15 minutes. Then 1,133 sets of four jobs have all of these
// figures, so the text does not say which set is the paper's.
var fig2Jobs = []trace.Job{ // A to D
	{ID: 1, User: 1, Nodes: 2, Submit: 0, Run: 150 * time.Minute, Estimate: 150 * time.Minute, Queue: -1, Wait: -1},
	{ID: 2, User: 2, Nodes: 1, Submit: 75 * time.Minute, Run: 15 * time.Minute, Estimate: 15 * time.Minute, Queue: -1, Wait: -1},
	{ID: 3, User: 3, Nodes: 3, Submit: 120 * time.Minute, Run: 45 * time.Minute, Estimate: 45 * time.Minute, Queue: -1, Wait: -1},
	{ID: 4, User: 4, Nodes: 2, Submit: 165 * time.Minute, Run: 30 * time.Minute, Estimate: 30 * time.Minute, Queue: -1, Wait: -1},
}

// fig2Modes are the drawings a, b and c, with what the text says of them.
var fig2Modes = []struct {
	mode        semielastic.Mode
	utilisation float64 // %
	wait        time.Duration
}{{semielastic.Individual, 70.8, 0}, {semielastic.Local, 56.7, 15 * time.Minute}, {semielastic.SEC, 77.3, 0}}

// fig2 runs the jobs of Fig. 2 without boot times, as drawn. It returns the utilisations in
// percent, too.
func fig2(list pricing.List) (figure, []result, error) {
	f := figure{name: "fig2", header: "mode,utilisation,mean_wait_s,charged_hours"}
	chart := svgplot.Chart{Title: "Fig. 2: four jobs with the figures of the text", Y: "used of charged, %", Series: []svgplot.Series{{}}}
	var all []result
	for _, m := range fig2Modes {
		o := sim.Options{Hourly: list.OnDemand, Boot: func(int) time.Duration { return 0 }}
		switch m.mode {
		case semielastic.Individual:
			o.Mode = sim.Individual
		case semielastic.Local:
			o.Mode, o.Nodes, o.Boot = sim.Local, 4, nil
		}
		r, err := new(sim.Simulator).Run(fig2Jobs, o)
		if err != nil {
			return f, nil, err
		}
		all = append(all, result{wait: r.MeanWait, utilisation: 100 * r.Utilisation})
		f.rows = append(f.rows, []string{m.mode.String(), decimal.Fixed(r.Utilisation, 6), seconds(r.MeanWait), decimal.Fixed(r.ChargedHours, 2)})
		chart.Labels = append(chart.Labels, m.mode.String())
		chart.Series[0].Y = append(chart.Series[0].Y, 100*r.Utilisation)
	}
	f.charts = []svgplot.Chart{chart}
	return f, all, nil
}
