package main

import (
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// A choice is something that [Marshall12] leaves open, as a flag.
type choice struct {
	flag  string
	set   func(o *options)
	of    []kind // policies that it may move; nil: all
	moved *results
}

// rules says which of the choices the options have.
func (o *options) rules() string {
	text := "-launch " + launchNames[o.launch] + ", -refuse " + refuseNames[o.refuse]
	for _, x := range []struct {
		name string
		on   bool
	}{{"-keep-free", o.keepFree}, {"-once", o.once}, {"-parts", o.parts}, {"-covered", o.budget.Covered}, {"-queue easy", o.queue == 1}} {
		if x.on {
			text += ", " + x.name
		}
	}
	return text
}

// asPrinted is the choice of the paper's own rules, and asJobs that of the library.
const (
	asPrinted = "-launch printed"
	asJobs    = "-launch jobs" // with which every job starts
)

// choices returns what the paper leaves open and the options do not have.
func (o *options) choices() []choice {
	var all []choice
	for rule, name := range launchNames {
		if launchRule(rule) != o.launch {
			all = append(all, choice{flag: "-launch " + name, set: func(o *options) { o.launch = launchRule(rule) }, of: []kind{od, odPlus}})
		}
	}
	opposite := func(flag string, on bool) string {
		if on {
			return flag + "=false"
		}
		return flag
	}
	return append(all,
		choice{flag: opposite("-keep-free", o.keepFree), set: func(o *options) { o.keepFree = !o.keepFree }, of: []kind{od, odPlus, aqtp, mcop}},
		choice{flag: "-refuse " + refuseNames[1-o.refuse], set: func(o *options) { o.refuse = 1 - o.refuse }},
		choice{flag: opposite("-once", o.once), set: func(o *options) { o.once = !o.once }, of: []kind{sm}},
		choice{flag: opposite("-parts", o.parts), set: func(o *options) { o.parts = !o.parts }, of: []kind{aqtp}},
		choice{flag: opposite("-covered", o.budget.Covered), set: func(o *options) { o.budget.Covered = !o.budget.Covered }},
		choice{flag: "-queue " + queueNames[1-o.queue], set: func(o *options) { o.queue = 1 - o.queue }})
}

// coverable reports whether the runs can be with -covered: all charges are known beforehand.
func (r *results) coverable() bool {
	for _, at := range r.setups {
		if slices.ContainsFunc(at.clouds, func(c elastic.CloudOptions) bool {
			return c.Spot != nil || c.Transfer > 0 || c.TransferPrice > 0 || c.Release != nil
		}) {
			return false
		}
	}
	return r.opts.overhead == nil
}

// evaluateChoices runs the policies with each of the choices.
func (r *results) evaluateChoices(run *cli.Run) error {
	for _, c := range r.opts.choices() {
		o := *r.opts
		c.set(&o)
		if o.budget.Covered && !r.coverable() {
			continue
		}
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

// with returns the results with those of a choice in the place of their own.
func (r *results) with(c choice) *results {
	x := *r
	x.cells = slices.Clone(r.cells)
	for i := range x.cells {
		own := &x.cells[i]
		if moved := c.moved.cell(own.source, own.setup, own.policy); moved != nil {
			*own = *moved
		}
	}
	return &x
}

// tabulateChoices writes what each choice moves: response times and costs by policy.
func (r *results) tabulateChoices(w *table.Page, s *jobSource, at *setup) {
	for _, f := range []struct {
		title    string
		of       func(*oneRun) float64
		decimals int
	}{{"AWRT, h", inHours(awrt), 2}, {"cost, $", cost, byAmount}} {
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
