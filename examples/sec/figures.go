package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

// The figures of [Niu16] for a log. Each is a table, written as CSV, and a picture.

// A figure is a table and what it looks like.
type figure struct {
	name   string
	header []string
	rows   [][]string
	draw   func(io.Writer) error // nil: no picture
}

// figureNames are the files that are written, less their endings.
var figureNames = []string{"table1", "fig1", "fig4a", "fig4b", "fig5", "fig6", "fig7", "fig8", "fig9", "sweep", "claims"}

// createFigures makes the folder and begins the files in it.
func createFigures(dir string, files *outfile.Set) (map[string]*outfile.File, error) {
	if err := files.Mkdir(dir); err != nil {
		return nil, cli.Mistakef("-figures %v", err)
	}
	out := make(map[string]*outfile.File)
	for _, name := range figureNames {
		for _, end := range []string{".csv", ".svg"} {
			if name+end == "claims.svg" {
				continue
			}
			f, err := files.Create(filepath.Join(dir, name+end))
			switch {
			case errors.Is(err, outfile.ErrSame):
				return nil, cli.Mistakef("-figures %s: %s is the file of another flag", dir, name+end)
			case err != nil:
				return nil, cli.Mistakef("cannot write -figures %v", err)
			}
			out[name+end] = f
		}
	}
	return out, nil
}

// writeFigures makes all figures and writes them.
func (o *options) writeFigures(out map[string]*outfile.File, log *jobLog, line *progress.Line) error {
	s, err := o.study(log, line)
	if err != nil {
		return err
	}
	figures, err := s.figures(title(log.name))
	if err != nil {
		return err
	}
	for _, f := range figures {
		w := csv.NewWriter(out[f.name+".csv"])
		w.Write(f.header)
		w.WriteAll(f.rows)
		if err := w.Error(); err != nil {
			return err
		}
		if f.draw == nil {
			continue
		}
		if err := f.draw(out[f.name+".svg"]); err != nil {
			return err
		}
	}
	return nil
}

// A result is what the figures show of a simulation.
type result struct {
	wait        time.Duration
	utilisation float64
	total, pure float64 // cost of a used instance-hour
}

func resultOf(r *modeRun) result {
	return result{r.MeanWait, r.Utilisation, r.cost.Float64() / r.UsedHours, r.rate()}
}

// What the figures vary.
var (
	waitLimits = []time.Duration{0, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}
	shorts     = []time.Duration{0, 15 * time.Minute, time.Hour, 2 * time.Hour, 8 * time.Hour, 1000 * time.Hour}
	places     = []placement.Policy{placement.MaxMarginFirst, placement.MinMarginFirst, placement.MaxIdleFirst, placement.MinIdleFirst}
	expands    = []schedule.Expansion{schedule.FirstSize, schedule.BestSize, schedule.SumSize}
	alphas     = []struct{ num, den int64 }{{0, 1}, {1, 2}, {1, 1}, {2, 1}}
	ratios     = []float64{1, .9, .8, .7}
	sizes      = []float64{1, 1.25, 1.5, 1.75, 2}
)

// A study is the results of all simulations that the figures are of.
type study struct {
	log      *jobLog
	prices   pricing.List
	modes    map[mode]result
	hours    []int // of sec: instances charged for in each hour
	used     float64
	nodes    []int // of the local clusters
	local    []result
	sweep    []result // by waitLimits, shorts, places
	estimate []result // by alphas, expands
	ratio    []struct{ gce, multi result }
	ec2      result
	overhead []struct{ without, with result } // by waitLimits, expands
}

// study runs the simulations, on all cores.
func (o *options) study(log *jobLog, line *progress.Line) (*study, error) {
	base, err := o.policy(log)
	if err != nil {
		return nil, err
	}
	base.overhead = false
	s := &study{
		log: log, prices: pricing.CC28XLarge2013(), modes: map[mode]result{},
		nodes: make([]int, len(sizes)), local: make([]result, len(sizes)),
		sweep:    make([]result, len(waitLimits)*len(shorts)*len(places)),
		estimate: make([]result, len(alphas)*len(expands)),
		ratio:    make([]struct{ gce, multi result }, len(ratios)),
		overhead: make([]struct{ without, with result }, len(waitLimits)*len(expands)),
	}
	runners := make([]*runner, parallel.Workers())
	for i := range runners {
		runners[i] = &runner{log: log, prices: s.prices, how: o.portfolio, simulator: new(sim.Simulator)}
	}
	// A task is a simulation whose result goes to a place of its own.
	type task struct {
		mode   mode
		policy policy
		alpha  int // of alphas, -1: the log's estimates
		to     *result
	}
	var tasks []task
	add := func(m mode, p policy, to *result) { tasks = append(tasks, task{m, p, -1, to}) }

	few := []mode{individual, nowait, hybrid, gce, multi}
	ofMode := make([]result, len(few))
	for i, m := range few {
		add(m, base, &ofMode[i])
	}
	var plain modeRun
	var secRun result
	if plain, err = runners[0].run(sec, base); err != nil {
		return nil, err
	}
	secRun = resultOf(&plain)
	s.hours, s.used = slices.Clone(plain.Clouds[0].Hours), plain.UsedHours
	for i, x := range sizes {
		p := base
		p.nodes = int(math.Ceil(x * float64(log.jobs[log.largest].Nodes)))
		s.nodes[i] = p.nodes
		add(local, p, &s.local[i])
	}
	k := 0
	for _, w := range waitLimits {
		for _, short := range shorts {
			for _, place := range places {
				p := base
				p.waitLimit, p.short, p.place, p.expand = w, short, place, schedule.BestSize
				add(sec, p, &s.sweep[k])
				k++
			}
		}
	}
	for i := range alphas {
		for j, e := range expands {
			p := base
			p.expand = e
			tasks = append(tasks, task{sec, p, i, &s.estimate[i*len(expands)+j]})
		}
	}
	for i, r := range ratios {
		p := base
		p.ratio = r
		add(gce, p, &s.ratio[i].gce)
		add(multi, p, &s.ratio[i].multi)
	}
	for i, w := range waitLimits {
		for j, e := range expands {
			p := base
			p.waitLimit, p.expand = w, e
			at := &s.overhead[i*len(expands)+j]
			add(sec, p, &at.without)
			p.overhead = true
			add(sec, p, &at.with)
		}
	}
	// EC2 alone, bought as for several clouds: a Google that is never cheaper.
	alone := base
	alone.ratio = maxRatio
	add(multi, alone, &s.ec2)

	var done atomic.Int64
	err = parallel.Do(len(tasks), func(w, i int) error {
		t := tasks[i]
		runner := *runners[w]
		if t.alpha >= 0 {
			runner.log = log.estimated(alphas[t.alpha].num, alphas[t.alpha].den)
		}
		run, err := runner.run(t.mode, t.policy)
		if err != nil {
			return err
		}
		*t.to = resultOf(&run)
		line.Showf("figures: %d of %d simulations", done.Add(1), len(tasks))
		return nil
	})
	for i, m := range few {
		s.modes[m] = ofMode[i]
	}
	s.modes[sec] = secRun
	return s, err
}

// estimated returns a log whose jobs' run times are overestimated by a multiple of what
// they are in this one ([Niu16] section 8.4).
func (log *jobLog) estimated(num, den int64) *jobLog {
	other := *log
	other.jobs = slices.Clone(log.jobs)
	for i := range other.jobs {
		j := &other.jobs[i]
		j.Estimate = j.Run + (j.Estimate-j.Run)/time.Duration(den)*time.Duration(num)
	}
	return &other
}

// at returns the sweep's result.
func (s *study) at(wait, short, place int) result {
	return s.sweep[(wait*len(shorts)+short)*len(places)+place]
}

func dollars(x float64) string { return decimal.Fixed(x, 6) }
func seconds(d time.Duration) string {
	return string(decimal.Seconds(d))
}

// figures makes the tables and pictures.
func (s *study) figures(name string) ([]figure, error) {
	table1, err := s.table1(name)
	if err != nil {
		return nil, err
	}
	fig1, err := s.fig1(name)
	if err != nil {
		return nil, err
	}
	fig7, lines, err := s.fig7(name)
	if err != nil {
		return nil, err
	}
	return []figure{table1, fig1, s.fig4a(name), s.fig4b(name), s.fig5(name), s.fig6(name), fig7, s.fig8(name), s.fig9(name), s.front(name), s.claims(table1, lines)}, nil
}

// twoBars draws waits and rates of named things.
func twoBars(title string, labels []string, results []result, names [2]string, second func(result) float64) func(io.Writer) error {
	waits, rates := make([]float64, len(results)), make([]float64, len(results))
	for i, r := range results {
		waits[i], rates[i] = r.wait.Seconds(), second(r)
	}
	return func(w io.Writer) error {
		return svgplot.WriteCharts(w, []svgplot.Chart{
			{Title: title, Y: names[0], Labels: labels, Series: []svgplot.Series{{Y: waits}}},
			{Y: names[1], Labels: labels, Series: []svgplot.Series{{Y: rates}}},
		})
	}
}

const (
	waitAxis = "mean wait, s"
	rateAxis = "$ for a used instance-hour"
)

func pureRate(r result) float64 { return r.pure }

func (s *study) fig4a(name string) figure {
	f := figure{name: "fig4a", header: []string{"mode", "mean_wait_s", "pure_rate", "total_rate", "utilisation"}}
	var labels []string
	var results []result
	for _, m := range []mode{individual, nowait, sec, hybrid, gce} {
		r := s.modes[m]
		labels, results = append(labels, m.String()), append(results, r)
		f.rows = append(f.rows, []string{m.String(), seconds(r.wait), dollars(r.pure), dollars(r.total), decimal.Fixed(r.utilisation, 6)})
	}
	f.draw = twoBars("Fig. 4a: modes, "+name, labels, results, [2]string{waitAxis, rateAxis + ", pure"}, pureRate)
	return f
}

func (s *study) fig4b(name string) figure {
	f := figure{name: "fig4b", header: []string{"cluster", "nodes", "mean_wait_s", "rate"}}
	labels, results := []string{"hybrid"}, []result{s.modes[hybrid]}
	f.rows = append(f.rows, []string{"hybrid", "", seconds(results[0].wait), dollars(results[0].pure)})
	for i, x := range sizes {
		label := "local-" + decimal.Fixed(x, 2) + "x"
		r := s.local[i]
		labels, results = append(labels, label), append(results, r)
		f.rows = append(f.rows, []string{label, fmt.Sprint(s.nodes[i]), seconds(r.wait), dollars(r.pure)})
	}
	f.draw = twoBars("Fig. 4b: against owned clusters, "+name, labels, results, [2]string{waitAxis, rateAxis + ", pure"}, pureRate)
	return f
}

// lines draws waits and rates over T_waitlmt, a line for each of some names.
func lines(title string, names []string, at func(line, wait int) result, axes [2]string, values [2]func(result) float64) func(io.Writer) error {
	charts := []svgplot.Chart{{Title: title, X: "T_waitlmt, min", Y: axes[0]}, {X: "T_waitlmt, min", Y: axes[1]}}
	for l, name := range names {
		for c := range charts {
			s := svgplot.Series{Name: name}
			for w, limit := range waitLimits {
				s.X, s.Y = append(s.X, limit.Minutes()), append(s.Y, values[c](at(l, w)))
			}
			charts[c].Series = append(charts[c].Series, s)
		}
	}
	return func(w io.Writer) error { return svgplot.WriteCharts(w, charts) }
}

func waitSeconds(r result) float64 { return r.wait.Seconds() }

func (s *study) fig5(name string) figure {
	f := figure{name: "fig5", header: []string{"t_waitlmt_s", "t_short_s", "mean_wait_s", "rate"}}
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
	f.draw = lines("Fig. 5: growing, "+name, names, func(l, w int) result { return s.at(w, l, 0) },
		[2]string{waitAxis, rateAxis}, [2]func(result) float64{waitSeconds, pureRate})
	return f
}

func (s *study) fig6(name string) figure {
	f := figure{name: "fig6", header: []string{"alpha", "expansion", "mean_wait_s", "rate", "utilisation"}}
	charts := []svgplot.Chart{{Title: "Fig. 6: overestimated run times, " + name, Y: waitAxis}, {X: "alpha", Y: rateAxis}}
	for j, e := range expands {
		wait, rate := svgplot.Series{Name: e.String()}, svgplot.Series{Name: e.String()}
		for i := range alphas {
			r := s.estimate[i*len(expands)+j]
			wait.Y, rate.Y = append(wait.Y, r.wait.Seconds()), append(rate.Y, r.total)
		}
		charts[0].Series, charts[1].Series = append(charts[0].Series, wait), append(charts[1].Series, rate)
	}
	for i, a := range alphas {
		label := fmt.Sprint(float64(a.num) / float64(a.den))
		charts[0].Labels, charts[1].Labels = append(charts[0].Labels, label), append(charts[1].Labels, label)
		for j, e := range expands {
			r := s.estimate[i*len(expands)+j]
			f.rows = append(f.rows, []string{label, e.String(), seconds(r.wait), dollars(r.total), decimal.Fixed(r.utilisation, 6)})
		}
	}
	f.draw = func(w io.Writer) error { return svgplot.WriteCharts(w, charts) }
	return f
}

func (s *study) fig8(name string) figure {
	f := figure{name: "fig8", header: []string{"ratio", "ec2_rate", "gce_rate", "multi_rate", "multi_below_better"}}
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
	f.draw = func(w io.Writer) error { return svgplot.WriteCharts(w, []svgplot.Chart{chart}) }
	return f
}

// below returns by what fraction several clouds cost less than the better one.
func (s *study) below(ratio int) float64 {
	return 1 - s.ratio[ratio].multi.total/min(s.ec2.total, s.ratio[ratio].gce.total)
}

func (s *study) fig9(name string) figure {
	f := figure{name: "fig9", header: []string{"t_waitlmt_s", "expansion", "mean_wait_s", "mean_wait_with_s", "wait_change", "rate", "rate_with", "rate_change"}}
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
	change := func(k int) func(result) float64 {
		return func(r result) float64 { return 100 * [2]float64{r.pure, r.total}[k] }
	}
	f.draw = lines("Fig. 9: what managing the cluster adds, "+name, names, func(l, w int) (r result) {
		r.pure, r.total = s.changes(w, l)
		return r
	}, [2]string{"mean wait, % more", rateAxis + ", % more"}, [2]func(result) float64{change(0), change(1)})
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
