package marshall12

import (
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// A choice is something that [Marshall12] leaves open, as a flag.
type choice struct {
	flag  string
	set   func(o *renting.Options)
	of    []renting.Kind // policies that it may move; nil: all
	moved *renting.Results
}

// rules says which of the choices the options have.
func rules(o *renting.Options) string {
	text := "-launch " + launchNames[o.Launch] + ", -refuse " + refuseNames[o.Refuse]
	for _, x := range []struct {
		name string
		on   bool
	}{{"-keep-free", o.KeepFree}, {"-covered", o.Budget.Covered}, {"-queue easy", o.Queue == 1}} {
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
func choices(o *renting.Options) []choice {
	var all []choice
	for rule, name := range launchNames {
		if rule := renting.Launch(rule); rule != o.Launch {
			all = append(all, choice{flag: "-launch " + name, set: func(o *renting.Options) { o.Launch = rule }, of: []renting.Kind{renting.OD, renting.ODPlus}})
		}
	}
	opposite := func(flag string, on bool) string {
		if on {
			return flag + "=false"
		}
		return flag
	}
	return append(all,
		choice{flag: opposite("-keep-free", o.KeepFree), set: func(o *renting.Options) { o.KeepFree = !o.KeepFree },
			of: []renting.Kind{renting.OD, renting.ODPlus, renting.AQTP, renting.MCOP}},
		choice{flag: "-refuse " + refuseNames[1-o.Refuse], set: func(o *renting.Options) { o.Refuse = 1 - o.Refuse }},
		choice{flag: opposite("-covered", o.Budget.Covered), set: func(o *renting.Options) { o.Budget.Covered = !o.Budget.Covered }},
		choice{flag: "-queue " + renting.QueueNames[1-o.Queue], set: func(o *renting.Options) { o.Queue = 1 - o.Queue }})
}

// evaluateChoices runs the policies with each of the choices.
func (r *results) evaluateChoices(run *cli.Run) error {
	for _, c := range choices(r.Opts) {
		o := *r.Opts
		c.set(&o)
		o.Policies = slices.DeleteFunc(slices.Clone(o.Policies), func(p renting.Policy) bool { return c.of != nil && !slices.Contains(c.of, p.Kind) })
		if len(o.Policies) == 0 {
			continue
		}
		var err error
		if c.moved, err = o.Evaluate(r.Sources, r.Setups, cli.Quiet()); err != nil {
			return err
		}
		run.Showf("%s", c.flag)
		r.choices = append(r.choices, c)
	}
	return nil
}

// with returns the results with those of a choice in the place of their own.
func (r *results) with(c choice) *results {
	all := *r.Results
	all.Cells = slices.Clone(r.Cells)
	for i := range all.Cells {
		own := &all.Cells[i]
		if moved := c.moved.Cell(own.Source, own.Setup, own.Policy); moved != nil {
			*own = *moved
		}
	}
	return &results{Results: &all, bursts: r.bursts}
}

// tabulateChoices writes what each choice moves: response times and costs by policy.
func (r *results) tabulateChoices(w *table.Page, s *renting.Source, at *renting.Setup) {
	for _, f := range []struct {
		title    string
		of       func(*renting.Run) float64
		decimals int
	}{{"AWRT, h", renting.Response, 2}, {"cost, $", renting.Cost, renting.ByAmount}} {
		titles := "<" + f.title
		for _, p := range r.Opts.Policies {
			titles += "|" + p.Label()
		}
		row := func(name string, from *renting.Results) []string {
			cells := []string{name}
			for _, p := range r.Opts.Policies {
				text := ""
				if c := from.Cell(s, at, p); c != nil {
					text = renting.PlusMinus(c.Over(f.of), f.decimals)
				}
				cells = append(cells, text)
			}
			return cells
		}
		rows := [][]string{row("as set", r.Results)}
		for _, c := range r.choices {
			rows = append(rows, row(c.flag, c.moved))
		}
		w.Table(titles, rows)
		w.Printf("\n")
	}
}
