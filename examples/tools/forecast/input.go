package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/forecast"
)

// An item is a series to forecast, its values those of both files.
type item struct {
	name string
	all  []float64
	used int // so many of all, at the end of which the last forecast ends that is compared
}

// input is what to forecast.
type input struct {
	items   []item
	given   int           // series in the file
	shorter int           // test series shorter than the horizon
	found   int           // series in which the season is found
	length  time.Duration // of a step, 0 if nobody knows
	step    string        // what a step is called, and a value
	unit    string
}

// madeUpName is the name of the series without -demand.
const madeUpName = "made-up"

// read reads the files, or takes what is made up.
func (o *options) read() (*input, error) {
	in := &input{unit: "value"}
	if o.demand == "" {
		values := seriesfile.MadeUp()
		in.items = []item{{madeUpName, values, len(values)}}
		in.length, in.unit = 168*time.Hour, "instances"
	} else {
		train, err := seriesfile.Read("-demand", o.demand)
		if err != nil {
			return nil, err
		}
		for _, s := range train {
			in.items = append(in.items, item{s.Name, s.Values, len(s.Values)})
		}
		in.length = train[0].Step
	}
	in.step = seriesfile.StepName(in.length)
	in.given = len(in.items)
	if o.test != "" {
		test, err := seriesfile.Read("-test", o.test)
		if err != nil {
			return nil, err
		}
		if err := o.join(in, test); err != nil {
			return nil, err
		}
	}
	if o.series == "" {
		return in, nil
	}
	for i := range in.items {
		if in.items[i].name == o.series {
			in.items = in.items[i : i+1]
			return in, nil
		}
	}
	return nil, cli.Mistakef("-series %s: %s has no such series: there is %s", infile.Quote(o.series), o.source(), some(in.items))
}

// settle chooses the number of origins, where the user has not: as many as leave half of
// the longest series to fit to.
func (o *options) settle(in *input) {
	if o.origins > 0 {
		return
	}
	o.origins = 1
	if o.test != "" {
		return
	}
	for _, it := range in.items {
		o.origins = max(o.origins, min(forecast.DefaultOrigins, it.used/2/o.horizon))
	}
}

// source names where the series come from.
func (o *options) source() string {
	if o.demand == "" {
		return "the made-up demand"
	}
	return "-demand " + o.demand
}

// join adds the values of a test file.
func (o *options) join(in *input, test []seriesfile.Series) error {
	byName := make(map[string]*seriesfile.Series, len(test))
	for i := range test {
		byName[test[i].Name] = &test[i]
	}
	for i := range in.items {
		it := &in.items[i]
		s := byName[it.name]
		if s == nil {
			return cli.Mistakef("-test %s: the series %s of -demand %s is not in it: want a line for each", o.test, infile.Quote(it.name), o.demand)
		}
		delete(byName, it.name)
		if len(s.Values) == 0 {
			return cli.Mistakef("-test %s: line %d: the series %s has no value", o.test, s.Line, infile.Quote(s.Name))
		}
		it.used = len(it.all) + min(o.horizon, len(s.Values))
		it.all = append(it.all, s.Values...)
		if len(s.Values) < o.horizon && (o.series == "" || o.series == it.name) {
			in.shorter++
		}
	}
	for _, s := range test { // the first of them
		if byName[s.Name] != nil {
			return cli.Mistakef("-test %s: line %d: the series %s is not in -demand %s", o.test, s.Line, infile.Quote(s.Name), o.demand)
		}
	}
	return nil
}

// some lists the first names.
func some(items []item) string {
	const most = 5
	var names []string
	for _, it := range items[:min(most, len(items))] {
		names = append(names, infile.Quote(it.name))
	}
	text := strings.Join(names, ", ")
	if rest := len(items) - most; rest > 0 {
		text += " and " + decimal.Int(rest) + " more"
	}
	return text
}

// note says what is forecast, and from where.
func (o *options) note(run *cli.Run, in *input) {
	least, most, missing := math.MaxInt, 0, 0
	for _, it := range in.items {
		least, most = min(least, len(it.all)), max(most, len(it.all))
		for _, x := range it.all {
			if x != x {
				missing++
			}
		}
	}
	length := decimal.Count(most, "value")
	if least < most {
		length = decimal.Int(least) + " to " + length
	}
	length += fmt.Sprintf(", %s of them missing", decimal.Int(missing))
	text := "no -demand, so a made-up one: instances of a service, week by week,\n  " + length
	if o.demand != "" {
		files := o.demand
		if o.test != "" {
			files += " and " + o.test
		}
		what := decimal.Int(len(in.items)) + " series"
		if o.series != "" {
			what = fmt.Sprintf("the series %s, one of %s,", infile.Quote(o.series), decimal.Int(in.given))
		}
		text = fmt.Sprintf("%s: %s of %s", files, what, length)
	}
	steps := decimal.Count(o.horizon, "step")
	from := "one point of the past, the end of -demand"
	switch {
	case o.origins > 1:
		from = fmt.Sprintf("%d points of the past, in the last %s values", o.origins, decimal.Int(o.horizon*o.origins))
	case o.test == "":
		from = fmt.Sprintf("one point of the past, %s before the end of each series", steps)
	case in.shorter > 0:
		from = fmt.Sprintf("one point of the past, before the end of -demand where -test has fewer\n"+
			"  values, which is so for %s series", decimal.Int(in.shorter))
	}
	run.Sayf("%s\n  forecast %s ahead from %s", text, steps, from)
}
