package niu16

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// The figures of [Niu16] for a log. Each is a table, written as CSV, and a picture.

// A figure is a table and its picture.
type figure struct {
	name   string
	header string // of the table, with commas
	rows   [][]string
	charts []svgplot.Chart
	stack  *svgplot.Stack // nil: charts
}

// figureNames are the files that are written, less their endings.
var figureNames = []string{"table1", "fig1", "fig2", "fig4a", "fig4b", "fig5", "fig6", "fig7", "fig8", "fig9", "sweep", "resale"}

// create makes the folder and begins the files in it.
func create(folder string, run *cli.Run) (map[string]*outfile.File, error) {
	if err := run.Files.Mkdir(folder); err != nil {
		return nil, cli.Mistakef("-figures %v", err)
	}
	out := make(map[string]*outfile.File)
	for _, name := range figureNames {
		for _, end := range []string{".csv", ".svg"} {
			f, err := run.Create("figures", filepath.Join(folder, name+end))
			if err != nil {
				return nil, err
			}
			out[name+end] = f
		}
	}
	return out, nil
}

// write writes the figure as CSV and as a picture.
func (f *figure) write(table, picture io.Writer) error {
	w := plain.NewCSV(table)
	w.Write(strings.Split(f.header, ",")...)
	for _, row := range f.rows {
		w.Write(row...)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if f.stack != nil {
		return svgplot.WriteStack(picture, *f.stack)
	}
	return svgplot.WriteCharts(picture, f.charts)
}

// A result is what the figures show of a simulation.
type result struct {
	wait        time.Duration
	utilisation float64
	total, pure float64 // cost of a used instance-hour
}

func resultOf(r *semielastic.Run) result {
	return result{r.MeanWait, r.Utilisation, r.Paid.Float64() / r.UsedHours, r.Rate()}
}

// What the figures vary.
var (
	waitLimits = []time.Duration{0, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}
	shorts     = []time.Duration{0, 15 * time.Minute, time.Hour, 2 * time.Hour, 8 * time.Hour, 1000 * time.Hour}
	places     = []placement.Policy{placement.MaxMarginFirst, placement.MinMarginFirst, placement.MaxIdleFirst, placement.MinIdleFirst, placement.Random}
	expands    = []schedule.Expansion{schedule.FirstSize, schedule.BestSize, schedule.SumSize}
	alphas     = []struct{ num, den int64 }{{0, 1}, {1, 2}, {1, 1}, {2, 1}}
	ratios     = []float64{1, .9, .8, .7}
	sizes      = []float64{1, 1.25, 1.5, 1.75, 2}
)

func dollars(x float64) string { return decimal.Fixed(x, 6) }
func seconds(d time.Duration) string {
	return string(decimal.Seconds(d))
}

// figures makes the tables and pictures of a whole study, in the order of figureNames.
func (s *study) figures() ([]figure, error) {
	name := s.log.Title()
	fig1, err := s.fig1(name)
	if err != nil {
		return nil, err
	}
	resale, err := s.resale(name)
	if err != nil {
		return nil, err
	}
	return []figure{s.table1, fig1, s.fig2, s.fig4a(name), s.fig4b(name), s.fig5(name), s.fig6(name), s.fig7, s.fig8(name), s.fig9(name), s.front(name),
		resale}, nil
}

// twoBars draws waits and pure rates of named things.
func twoBars(title string, labels []string, results []result) []svgplot.Chart {
	waits, rates := make([]float64, len(results)), make([]float64, len(results))
	for i, r := range results {
		waits[i], rates[i] = r.wait.Seconds(), r.pure
	}
	return []svgplot.Chart{
		{Title: title, Y: waitAxis, Labels: labels, Series: []svgplot.Series{{Y: waits}}},
		{Y: rateAxis + ", pure", Labels: labels, Series: []svgplot.Series{{Y: rates}}},
	}
}

const (
	waitAxis = "mean wait, s"
	rateAxis = "$ for a used instance-hour"
)

func (s *study) fig4a(name string) figure {
	f := figure{name: "fig4a", header: "mode,mean_wait_s,pure_rate,total_rate,utilisation"}
	var labels []string
	var results []result
	for _, m := range []semielastic.Mode{semielastic.Individual, semielastic.NoWait, semielastic.SEC, semielastic.Hybrid, semielastic.GCE} {
		r := s.modes[m]
		labels, results = append(labels, m.String()), append(results, r)
		f.rows = append(f.rows, []string{m.String(), seconds(r.wait), dollars(r.pure), dollars(r.total), decimal.Fixed(r.utilisation, 6)})
	}
	f.charts = twoBars("Fig. 4a: modes, "+name, labels, results)
	return f
}

func (s *study) fig4b(name string) figure {
	f := figure{name: "fig4b", header: "cluster,nodes,mean_wait_s,rate"}
	labels, results := []string{"hybrid"}, []result{s.modes[semielastic.Hybrid]}
	f.rows = append(f.rows, []string{"hybrid", "", seconds(results[0].wait), dollars(results[0].pure)})
	for i, x := range sizes {
		label := "local-" + decimal.Fixed(x, 2) + "x"
		r := s.local[i]
		labels, results = append(labels, label), append(results, r)
		f.rows = append(f.rows, []string{label, fmt.Sprint(s.nodes[i]), seconds(r.wait), dollars(r.pure)})
	}
	f.charts = twoBars("Fig. 4b: against owned clusters, "+name, labels, results)
	return f
}

// lines draws waits and rates over T_waitlmt, a line for each of some names.
func lines(title string, names []string, wait, rate string, at func(line, limit int) (wait, rate float64)) []svgplot.Chart {
	charts := []svgplot.Chart{{Title: title, X: "T_waitlmt, min", Y: wait}, {X: "T_waitlmt, min", Y: rate}}
	for l, name := range names {
		both := [2]svgplot.Series{{Name: name}, {Name: name}}
		for w, limit := range waitLimits {
			y := [2]float64{}
			y[0], y[1] = at(l, w)
			for c := range both {
				both[c].X, both[c].Y = append(both[c].X, limit.Minutes()), append(both[c].Y, y[c])
			}
		}
		charts[0].Series, charts[1].Series = append(charts[0].Series, both[0]), append(charts[1].Series, both[1])
	}
	return charts
}

func (s *study) fig5(name string) figure {
	f := figure{name: "fig5", header: "t_waitlmt_s,t_short_s,mean_wait_s,rate"}
	var names []string
	for _, d := range shorts {
		names = append(names, "T_short "+decimal.Span(d))
	}
	for w, limit := range waitLimits {
		for k, short := range shorts {
			r := s.at(w, k, 0)
			f.rows = append(f.rows, []string{seconds(limit), seconds(short), seconds(r.wait), dollars(r.total)})
		}
	}
	f.charts = lines("Fig. 5: growing, "+name, names, waitAxis, rateAxis, func(l, w int) (float64, float64) {
		r := s.at(w, l, 0)
		return r.wait.Seconds(), r.pure
	})
	return f
}

func (s *study) fig6(name string) figure {
	f := figure{name: "fig6", header: "alpha,expansion,mean_wait_s,rate,utilisation"}
	f.charts = []svgplot.Chart{{Title: "Fig. 6: overestimated run times, " + name, Y: waitAxis}, {X: "alpha", Y: rateAxis}}
	for j, e := range expands {
		wait, rate := svgplot.Series{Name: e.String()}, svgplot.Series{Name: e.String()}
		for i := range alphas {
			r := s.estimate[i*len(expands)+j]
			wait.Y, rate.Y = append(wait.Y, r.wait.Seconds()), append(rate.Y, r.total)
		}
		f.charts[0].Series, f.charts[1].Series = append(f.charts[0].Series, wait), append(f.charts[1].Series, rate)
	}
	for i, a := range alphas {
		label := fmt.Sprint(float64(a.num) / float64(a.den))
		f.charts[0].Labels, f.charts[1].Labels = append(f.charts[0].Labels, label), append(f.charts[1].Labels, label)
		for j, e := range expands {
			r := s.estimate[i*len(expands)+j]
			f.rows = append(f.rows, []string{label, e.String(), seconds(r.wait), dollars(r.total), decimal.Fixed(r.utilisation, 6)})
		}
	}
	return f
}

func (s *study) fig8(name string) figure {
	f := figure{name: "fig8", header: "ratio,ec2_rate,gce_rate,multi_rate,multi_below_better"}
	chart := svgplot.Chart{Title: "Fig. 8: several clouds, " + name, X: "price at Google over that at EC2", Y: rateAxis + ", in all",
		Series: []svgplot.Series{{Name: "EC2"}, {Name: "GCE"}, {Name: "both"}}}
	for i, r := range ratios {
		x := s.ratio[i]
		chart.Labels = append(chart.Labels, fmt.Sprint(r))
		for k, rate := range []float64{s.ec2.total, x.gce.total, x.multi.total} {
			chart.Series[k].Y = append(chart.Series[k].Y, rate)
		}
		f.rows = append(f.rows, []string{fmt.Sprint(r), dollars(s.ec2.total), dollars(x.gce.total), dollars(x.multi.total), decimal.Fixed(s.below(i), 6)})
	}
	f.charts = []svgplot.Chart{chart}
	return f
}

// below returns by what fraction several clouds cost less than the better one.
func (s *study) below(ratio int) float64 {
	return 1 - s.ratio[ratio].multi.total/min(s.ec2.total, s.ratio[ratio].gce.total)
}

func (s *study) fig9(name string) figure {
	f := figure{name: "fig9", header: "t_waitlmt_s,expansion,mean_wait_s,mean_wait_with_s,wait_change,rate,rate_with,rate_change"}
	var names []string
	for _, e := range expands {
		names = append(names, e.String())
	}
	for i, w := range waitLimits {
		for j, e := range expands {
			x := s.overhead[i*len(expands)+j]
			wait, rate := s.changes(i, j)
			f.rows = append(f.rows, []string{seconds(w), e.String(), seconds(x.without.wait), seconds(x.with.wait), decimal.Fixed(wait, 6),
				dollars(x.without.total), dollars(x.with.total), decimal.Fixed(rate, 6)})
		}
	}
	f.charts = lines("Fig. 9: what managing the cluster adds, "+name, names, "mean wait, % more", rateAxis+", % more", func(l, w int) (float64, float64) {
		wait, rate := s.changes(w, l)
		return 100 * wait, 100 * rate
	})
	return f
}

// changes returns what the overhead adds to wait and rate, as fractions.
func (s *study) changes(wait, expand int) (ofWait, ofRate float64) {
	x := s.overhead[wait*len(expands)+expand]
	if x.without.wait > 0 {
		ofWait = float64(x.with.wait)/float64(x.without.wait) - 1
	}
	return ofWait, x.with.total/x.without.total - 1
}
