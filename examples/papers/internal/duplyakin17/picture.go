package duplyakin17

import (
	"fmt"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
	"io"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

// writeSVG draws, for each log, the distributions by policy and grace period
// ([Duplyakin17] Figs. 3 and 4), the values of nodes with PAP and PAP+ (Fig. 5),
// and what they waste, added up (Fig. 6).
func (all *results) writeSVG(w io.Writer) error {
	o := all.options
	leftOut := func(r *preemptions.Result, what string) {
		all.run.Sayf("-svg: %s: %s", table.Title(r.Log.Name), what)
	}
	var p svgplot.Preemption
	for _, r := range all.logs {
		if r.States == 0 {
			leftOut(r, "no pictures, since all jobs end at once")
			continue
		}
		// Up to four grace periods side by side.
		for from := 0; from < len(o.Graces); from += 4 {
			p.Violins = append(p.Violins, o.violins(r, from, min(from+4, len(o.Graces))))
		}
		if r.Log.Important == 0 {
			leftOut(r, "no values of nodes and no sums by priority, since no job is important")
			continue
		}
		maps, err := o.heatMaps(r)
		if err != nil {
			return err
		}
		if len(maps) == 0 {
			leftOut(r, "no values of nodes, since all important jobs start with the batch")
		}
		p.Maps = append(p.Maps, maps...)
		p.Sums = append(p.Sums, o.sums(r)...)
	}
	if len(p.Violins) == 0 {
		return cli.Mistakef("-svg: all jobs end at once, so that there is no state to preempt in and nothing to draw")
	}
	return svgplot.WritePreemption(w, p)
}

// violinSteps is in how many steps a violin shows amounts from 0 to the 99th
// percentile of the most wasteful policy.
const violinSteps = 60

func (o *options) violins(r *preemptions.Result, from, to int) svgplot.Violins {
	v := svgplot.Violins{
		Title: table.Title(r.Log.Name) + ": wasted node-hours by policy and grace period (to the 99th percentile)",
		Unit:  "node-hours",
	}
	top := 0.
	for k := range preemptions.Kinds {
		if o.Shown[k] {
			v.Groups = append(v.Groups, k.String())
			for g := from; g < to; g++ {
				top = max(top, r.Series[k][g].Dist.Quantile(.99))
			}
		}
	}
	for g := from; g < to; g++ {
		set := svgplot.ViolinSet{Name: decimal.Span(o.Graces[g])}
		for k := range preemptions.Kinds {
			if o.Shown[k] {
				set.Violins = append(set.Violins, violin(&r.Series[k][g].Dist, max(top, 3.6)))
			}
		}
		v.Sets = append(v.Sets, set)
	}
	return v
}

// violin returns the preemptions.Distribution up to top node-seconds. A bin that reaches over
// several steps is spread over them.
func violin(d *preemptions.Distribution, top float64) svgplot.Violin {
	return svgplot.Violin{
		Step:      top / violinSteps / 3600,
		Frequency: d.Spread(top/violinSteps, violinSteps),
		P25:       min(top, d.Quantile(.25)) / 3600,
		Median:    min(top, d.Quantile(.5)) / 3600,
		P75:       min(top, d.Quantile(.75)) / 3600,
	}
}

// heatColumns is how many moments the maps show.
const heatColumns = 240

// heatMaps draws the values of nodes around the start of an important job, a
// twentieth of the batch, once with PAP and once with PAP+.
func (o *options) heatMaps(r *preemptions.Result) ([]svgplot.HeatMap, error) {
	start, ok := preemptions.FirstImportant(r.Log, o.Nodes)
	if !ok {
		return nil, nil
	}
	span := max(r.Length/20, heatColumns)
	from := max(0, start-span/4)
	maps := make([]svgplot.HeatMap, 2)
	for k := range maps {
		maps[k] = svgplot.HeatMap{From: from, To: from + span, Columns: make([][]float64, heatColumns)}
		maps[k].Title = fmt.Sprintf("%s: values of nodes with %v (dark is valuable; framed: important jobs)", table.Title(r.Log.Name), [...]preemptions.Kind{preemptions.PAP, preemptions.PAPPlus}[k])
		for c := range maps[k].Columns {
			maps[k].Columns[c] = make([]float64, o.Nodes)
		}
	}
	var ranker preempt.Scorer
	v := o.NewView(r.Log)
	values := make([]float64, o.Nodes)
	high := make([][]bool, heatColumns)
	next := 0 // the first column without values
	batch := sim.Batch{Nodes: o.Nodes, Every: max(1, min(30*time.Second, span/heatColumns/2))}
	var failed error
	err := batch.Run(r.Log.Jobs, func(s *sim.BatchState) bool {
		// A column has the values of the last state up to its middle.
		at := int((s.At - from) * heatColumns / span)
		if s.At < from || at < next {
			return true
		}
		v.Set(s)
		important := make([]bool, o.Nodes)
		for n, i := range s.Node {
			important[n] = i >= 0 && r.Log.Priority[i] == preemptions.HighPriority
		}
		for k, policy := range [...]preempt.Policy{preempt.PAP, preempt.PAPPlus} {
			if failed = ranker.ValuesTo(values, v.State, policy, preempt.ValueOptions{Overrun: o.Overrun}); failed != nil {
				return false
			}
			for c := next; c <= at && c < heatColumns; c++ {
				maps[k].Columns[c] = slices.Clone(values)
				high[c] = important
			}
		}
		next = at + 1
		return next < heatColumns
	})
	if err == nil {
		err = failed
	}
	frames := frames(high, o.Nodes)
	for k := range maps {
		maps[k].Frames = frames
	}
	return maps, err
}

// frames returns the parts of the map with important jobs: for each run of
// columns in which the same nodes have one, a frame for each run of nodes.
func frames(high [][]bool, nodes int) (list []svgplot.Frame) {
	for from := 0; from < len(high); {
		to := from + 1
		for to < len(high) && slices.Equal(high[to], high[from]) {
			to++
		}
		for n := 0; n < nodes && high[from] != nil; n++ {
			if !high[from][n] {
				continue
			}
			end := n
			for end < nodes && high[from][end] {
				end++
			}
			list = append(list, svgplot.Frame{Column: from, ToColumn: to, Row: n, ToRow: end})
			n = end
		}
		from = to
	}
	return list
}

// sums draws the waste of all states added up, of important jobs, the others and
// all, with PAP and PAP+.
func (o *options) sums(r *preemptions.Result) (list []svgplot.Sums) {
	g := o.PrioritiesGrace()
	for _, part := range []struct {
		name string
		of   func(preemptions.Point) float64
	}{
		{"important jobs", func(p preemptions.Point) float64 { return p.High }},
		{"other jobs", func(p preemptions.Point) float64 { return p.Other }},
		{"all jobs", func(p preemptions.Point) float64 { return p.High + p.Other }},
	} {
		s := svgplot.Sums{
			Title: fmt.Sprintf("%s: waste of a preemption in every state, added up: %s, grace %s", table.Title(r.Log.Name), part.name, decimal.Span(o.Graces[g])),
		}
		peak := 0.
		for _, k := range [...]preemptions.Kind{preemptions.PAP, preemptions.PAPPlus} {
			c := svgplot.SumCurve{Name: k.String()}
			for _, p := range r.Series[k][g].Path.Points {
				c.At = append(c.At, p.At)
				c.Values = append(c.Values, part.of(p))
				peak = max(peak, part.of(p))
			}
			s.Curves = append(s.Curves, c)
		}
		// In units that keep the marks short.
		unit := math.Pow(1000, max(0, math.Floor(math.Log10(max(1, peak/20))/3)))
		s.Unit = map[float64]string{1: "node-hours", 1e3: "thousands of node-hours", 1e6: "millions of node-hours", 1e9: "thousand millions of node-hours"}[unit]
		for _, c := range s.Curves {
			for i := range c.Values {
				c.Values[i] /= unit
			}
		}
		list = append(list, s)
	}
	return list
}
