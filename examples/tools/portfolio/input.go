package main

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// defaultClasses are those of EC2's cc2.8xlarge (Linux, US East) in 2013 that [Niu16]
// section 8.5 computes with: billed for used hours, in terms of 52 and 156 weeks.
//
//go:embed classes.json
var defaultClasses []byte

// A source is where a demand comes from.
type source string

const (
	fromNowhere source = "made-up"
	fromDemand  source = "demand"
	fromTrace   source = "trace"
	fromSeries  source = "series"
)

// several says what so many of a source are.
func (s source) several(n int) string {
	switch s {
	case fromTrace:
		return decimal.Count(n, "log")
	case fromSeries:
		return decimal.Int(n) + " series"
	}
	return decimal.Count(n, "demand")
}

// A series is a demand.
type series struct {
	name   string
	source source
	demand []int
	slot   time.Duration
	every  int // slots of a week
	weeks  int // begun

	path        string
	cut, padded int     // slots without demand, left out at the start and added at the end
	largest     float64 // of a series, before it was scaled
	jobs        int
}

// input is what to decide on.
type input struct {
	series []series
	list   pricing.List
	caps   []rules.Cap // nil, or for each class
	total  bool
	held   []pricing.Holding // until counts from the start of the demand
}

// problem returns the problem of a series.
func (in *input) problem(s *series) *reserve.Problem {
	p := &reserve.Problem{Demand: s.demand, Slot: s.slot, Every: s.every, Prices: in.list, Horizon: reserve.Pure}
	if in.total {
		p.Horizon = reserve.Full
	}
	return p
}

// read reads the files, or makes a demand up. A demand has at least so many weeks, one or
// two; the second may be a part.
func (o *options) read(run *cli.Run, least int) (*input, error) {
	in := &input{total: o.total}
	file, err := classfile.Read("-classes", o.classes, defaultClasses)
	if err != nil {
		return nil, err
	}
	in.list = file.List
	if in.caps, err = o.readCaps(in.list); err != nil {
		return nil, err
	}
	if len(o.demands)+len(o.traces)+len(o.series) == 0 {
		demand := madeUp()
		in.series = []series{{name: madeUpName, source: fromNowhere, demand: demand, slot: time.Hour}}
	}
	for _, path := range o.demands {
		demand, err := infile.Read("-demand", path, trace.ReadDemand)
		if err != nil {
			return nil, err
		}
		in.series = append(in.series, series{name: nameOf(path), path: path, source: fromDemand, demand: demand, slot: o.slot})
	}
	logs := make([]series, len(o.traces))
	if err := parallel.Do(len(logs), func(_, i int) error { return o.simulate(&logs[i], o.traces[i], run) }); err != nil {
		return nil, err
	}
	in.series = append(in.series, logs...)
	for _, path := range o.series {
		if in.series, err = o.appendSeries(in.series, path, in.list); err != nil {
			return nil, err
		}
	}
	names := make(map[string]bool)
	for i := range in.series {
		s := &in.series[i]
		if err := file.Fits(s.slot); err != nil {
			return nil, err
		}
		s.every = int(week / s.slot)
		want := ""
		switch {
		case least == 1 && len(s.demand) < s.every:
			want = "a week to learn from at least"
		case least == 2 && len(s.demand) <= s.every:
			want = "more than a week, the first to learn from and the rest to buy for"
		}
		if want != "" {
			return nil, cli.Mistakef("%s: %s of %s are %s: want %s",
				s.where(), decimal.Count(len(s.demand), "slot"), decimal.Span(s.slot), weeks(s), want)
		}
		s.weeks = (len(s.demand) + s.every - 1) / s.every
		if !o.total {
			s.padded = s.weeks*s.every - len(s.demand)
			s.demand = append(s.demand, make([]int, s.padded)...)
		}
		if names[s.name] && s.path != "" {
			s.name = s.path
		}
		for k := 2; names[s.name]; k++ {
			s.name = fmt.Sprintf("%s (%d)", s.path, k)
		}
		names[s.name] = true
	}
	return in, nil
}

// nameOf is the name of a file without its folder and what says how it is written.
func nameOf(path string) string {
	name := filepath.Base(path)
	for _, end := range []string{".gz", ".swf", ".csv"} {
		if cut := strings.TrimSuffix(name, end); cut != "" {
			name = cut
		}
	}
	return name
}

// where names a series in an error.
func (s *series) where() string {
	switch s.source {
	case fromDemand:
		return "-demand " + s.path
	case fromTrace:
		return "-trace " + s.path
	case fromSeries:
		return fmt.Sprintf("-series %s, series %s", s.path, infile.Quote(s.name))
	}
	return "the made-up demand"
}

func weeks(s *series) string {
	n := float64(len(s.demand)) * s.slot.Hours() / week.Hours()
	if n == 1 {
		return "1 week"
	}
	return decimal.Fixed(n, 1) + " weeks"
}

// readCaps makes the caps of the flags, nil for none.
func (o *options) readCaps(list pricing.List) ([]rules.Cap, error) {
	if o.ladder == 0 && o.caps == nil {
		return nil, nil
	}
	caps := make([]rules.Cap, len(list.Classes))
	for k := range caps {
		caps[k].Buy = o.ladder
	}
	for _, c := range o.caps {
		k, err := list.Find(c.class)
		switch {
		case err != nil:
			return nil, cli.Mistakef("%s", cli.Reason(err, map[string]string{"Classes": "-cap"}))
		case caps[k].Active > 0:
			return nil, cli.Mistakef("-cap: the class %s is there twice", infile.Quote(c.class))
		}
		caps[k].Active = c.count
	}
	return caps, nil
}

// simulate runs a log on the semi-elastic cluster. The demand is what the cluster holds.
func (o *options) simulate(s *series, path string, run *cli.Run) error {
	log, err := joblog.Read("-trace", path, trace.Options{PerInstance: o.cores, Alpha: trace.NewAlpha(1)}, run.Line)
	if err != nil {
		return err
	}
	var simulator sim.Simulator
	result, err := simulator.Run(log.Jobs, sim.Options{Mode: sim.SEC, Progress: func(ended int) {
		run.Showf("simulating %s: %s of %s jobs", path, decimal.Int(ended), decimal.Int(len(log.Jobs)))
	}})
	if err != nil {
		var input *schedule.InputError
		switch {
		case errors.As(err, &input) && input.Index >= 0:
			return cli.Mistakef("%s: job %d cannot be run: %v", path, log.Jobs[input.Index].ID, err)
		case input != nil, errors.Is(err, pricing.ErrOverflow):
			return cli.Mistakef("%s: %v", path, err)
		}
		return err
	}
	*s = series{name: nameOf(path), path: path, source: fromTrace, slot: time.Hour, jobs: len(log.Jobs)}
	s.demand = result.AppendDemand(nil, s.slot)
	s.cut = slices.IndexFunc(s.demand, func(d int) bool { return d > 0 })
	s.cut = max(0, s.cut)
	s.demand = s.demand[s.cut:]
	return nil
}

// appendSeries adds the series of a file, scaled to instances.
func (o *options) appendSeries(dst []series, path string, list pricing.List) ([]series, error) {
	read, err := seriesfile.Read("-series", path)
	if err != nil {
		return nil, err
	}
	if o.longest > 0 && o.longest < len(read) {
		slices.SortStableFunc(read, func(a, b seriesfile.Series) int { return len(b.Values) - len(a.Values) })
		read = read[:o.longest]
	}
	// A week is one slot, or several where terms end within weeks.
	slot := week
	for _, c := range list.Classes {
		slot = divisor(slot, c.Term)
	}
	if slot < time.Hour {
		return nil, cli.Mistakef("-classes %s: the terms and a week have no more than %s in common: want terms of whole hours for -series",
			o.classes, decimal.Span(slot))
	}
	every := int(week / slot)
	for _, r := range read {
		s := series{name: r.Name, path: path, source: fromSeries, slot: slot}
		fail := func(i int, what string) error {
			return cli.Mistakef("-series %s: line %d, field %d, series %s: %s: want a number that is not negative for each week",
				path, r.Line, 2+i, infile.Quote(r.Name), what)
		}
		for i, x := range r.Values {
			switch {
			case x != x:
				return nil, fail(i, "the value is missing")
			case x < 0:
				return nil, fail(i, fmt.Sprintf("%v is negative", x))
			}
			s.largest = max(s.largest, x)
		}
		for _, x := range r.Values {
			n := 0
			if s.largest > 0 {
				n = int(math.Floor(x/s.largest*float64(o.scale) + .5))
			}
			s.demand = append(s.demand, slices.Repeat([]int{n}, every)...)
		}
		dst = append(dst, s)
	}
	return dst, nil
}

// divisor returns the greatest common divisor.
func divisor(a, b time.Duration) time.Duration {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// note prints the demands and the prices.
func (o *options) note(run *cli.Run, in *input) {
	var list []string
	for i := range in.series {
		s := &in.series[i]
		sum := 0.0
		for _, d := range s.demand {
			sum += float64(d)
		}
		name := s.name
		if s.source == fromNowhere {
			name = "no -demand, -trace or -series, so a made-up demand"
		}
		about := ""
		switch s.source {
		case fromTrace:
			about = ", " + decimal.Int(s.jobs) + " jobs"
			if s.cut > 0 {
				about += ", without the " + decimal.Count(s.cut, "hour") + " before the first"
			}
		case fromSeries:
			about = fmt.Sprintf(", scaled by %s / %v", decimal.Int(o.scale), s.largest)
			if s.largest == 0 {
				about = ", all of it 0"
			}
		}
		text := fmt.Sprintf("%s: %s%s,\n  at most %s, %s on average", name, decimal.Count(s.weeks, "week"), about,
			decimal.Count(slices.Max(s.demand), "instance"), decimal.Fixed(sum/float64(len(s.demand)-s.padded), 1))
		if s.padded > 0 {
			text += fmt.Sprintf("\n  and %s without demand at the end, to make whole weeks", decimal.Count(s.padded, "slot"))
		}
		list = append(list, text)
	}
	if o.classes == "" {
		var prices []string
		for _, c := range in.list.Classes {
			prices = append(prices, fmt.Sprintf("%s $%s + %s", c.Name, decimal.Grouped(c.Upfront.Fixed(0)), c.Hourly))
		}
		list[len(list)-1] += fmt.Sprintf("\n  no -classes, so EC2's of 2013: $%s an hour on demand;\n  %s a used hour", in.list.OnDemand.Fixed(2), strings.Join(prices, ", "))
	}
	for _, text := range list {
		run.Sayf("%s", text)
	}
}
