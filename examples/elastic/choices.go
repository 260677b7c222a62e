package main

import (
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// A choice is something that [Marshall12] leaves open, as a flag.
type choice struct {
	flag  string
	set   func(o *options)
	of    []kind // policies that it may move; nil: all
	moved *results
}

// choices returns what the paper leaves open and the options do not have.
func (o *options) choices() []choice {
	all := []choice{
		{flag: "-launch jobs", set: func(o *options) { o.launch = launchJobs }, of: []kind{od, odPlus}},
		{flag: "-launch whole", set: func(o *options) { o.launch = launchWhole }, of: []kind{od, odPlus}},
		{flag: "-launch pooled", set: func(o *options) { o.launch = launchPooled }, of: []kind{od, odPlus}},
		{flag: "-launch printed", set: func(o *options) { o.launch = launchPrinted }, of: []kind{od, odPlus}},
		{flag: "-keep-free", set: func(o *options) { o.keepFree = !o.keepFree }, of: []kind{od, odPlus, aqtp, mcop}},
		{flag: "-refuse whole", set: func(o *options) { o.refuse = 1 - o.refuse }},
		{flag: "-once", set: func(o *options) { o.once = !o.once }, of: []kind{sm}},
		{flag: "-parts", set: func(o *options) { o.parts = !o.parts }, of: []kind{aqtp}},
		{flag: "-covered", set: func(o *options) { o.budget.Covered = !o.budget.Covered }},
	}
	return slices.DeleteFunc(all, func(c choice) bool { // the opposite of what is set is named so
		x := *o
		c.set(&x)
		return x.launch == o.launch && c.flag[:min(len(c.flag), 7)] == "-launch"
	})
}

// evaluateChoices runs the policies with each of the choices.
func (r *results) evaluateChoices(run *cli.Run) error {
	for _, c := range r.opts.choices() {
		o := *r.opts
		c.set(&o)
		o.policies = slices.DeleteFunc(slices.Clone(o.policies), func(p policy) bool { return c.of != nil && !slices.Contains(c.of, p.kind) })
		if len(o.policies) == 0 {
			continue
		}
		var err error
		if c.moved, err = o.evaluate(r.sources, r.setups, cli.Quiet()); err != nil {
			return err
		}
		run.Showf("%s", c.flag)
		r.choices = append(r.choices, c)
	}
	return nil
}

// tabulateChoices writes what each choice moves: response times and costs by policy.
func (r *results) tabulateChoices(w *table.Page, s *jobSource, at *setup) {
	for _, f := range []struct {
		title    string
		of       func(*oneRun) float64
		decimals int
	}{{"AWRT, h", inHours(awrt), 2}, {"cost, $", cost, 0}} {
		titles := "<" + f.title
		for _, p := range r.opts.policies {
			titles += "|" + p.label()
		}
		row := func(name string, from *results) []string {
			cells := []string{name}
			for _, p := range r.opts.policies {
				text := ""
				if c := from.cell(s, at, p); c != nil {
					text = plusMinus(c.over(f.of), f.decimals)
				}
				cells = append(cells, text)
			}
			return cells
		}
		rows := [][]string{row("as set", r)}
		for _, c := range r.choices {
			rows = append(rows, row(c.flag, c.moved))
		}
		w.Table(titles, rows)
		w.Printf("\n")
	}
}
