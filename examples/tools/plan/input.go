package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/pathsfile"
	"github.com/plimsoll/plimsoll/reserve"
)

// defaultClasses are made up, of the kind that clouds sell: the longer the term, the
// lower the price of an hour, everything paid in advance.
//
//go:embed classes.json
var defaultClasses []byte

// input is what to plan for.
type input struct {
	problem reserve.Problem
	slots   int   // of the demand
	padded  int   // slots without demand, added at the end
	curve   []int // the demand, or the median of each slot
	peak    int
	mean    float64
	cut     []string // classes whose terms are cut to whole slots, and how
}

// read reads the files, or makes a demand and prices up.
func (o *options) read() (*input, error) {
	in := new(input)
	p := &in.problem
	p.Slot = o.slot
	p.Every = int(o.interval / o.slot)
	if o.pure {
		p.Horizon = reserve.Pure
	}
	var err error
	switch {
	case o.paths != "":
		file, err := pathsfile.Read("-paths", o.paths)
		if err != nil {
			return nil, err
		}
		p.Paths = file.Paths
	case o.demand == "":
		p.Demand = demandfile.MadeUp()
	default:
		if p.Demand, err = demandfile.Read("-demand", o.demand); err != nil {
			return nil, err
		}
	}
	all := p.Paths
	if all == nil {
		all = [][]int{p.Demand}
	}
	in.slots = len(all[0])
	for i := range all {
		for _, d := range all[i] {
			in.peak = max(in.peak, d)
			in.mean += float64(d) / float64(in.slots) / float64(len(all))
		}
		if o.pure && in.slots%p.Every != 0 {
			in.padded = p.Every - in.slots%p.Every
			all[i] = append(all[i], make([]int, in.padded)...)
		}
	}
	in.curve = all[0]
	if p.Paths == nil {
		p.Demand = all[0]
	} else if in.curve, err = p.AppendQuantile(nil, .5); err != nil {
		return nil, err
	}
	file, err := classfile.Read("-classes", o.classes, defaultClasses)
	if err != nil {
		return nil, err
	}
	if p.Prices, err = reserve.WholeTerms(file.List, o.slot); err != nil {
		if mistake := file.Fits(o.slot); mistake != nil {
			err = mistake
		}
		return nil, err
	}
	for k, c := range file.List.Classes {
		if c.Term != p.Prices.Classes[k].Term {
			in.cut = append(in.cut, fmt.Sprintf("%s as %s instead of %s", c.Name, decimal.Span(p.Prices.Classes[k].Term), decimal.Span(c.Term)))
		}
	}
	if o.held != "" {
		if p.Held, err = classfile.Held("-held", o.held, p.Prices, o.slot); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// note prints the demand and the prices.
func (o *options) note(run *cli.Run, in *input) {
	p := &in.problem
	name := cmp.Or(o.paths, o.demand, "no -demand, so a made-up year")
	if o.paths != "" {
		name += ": " + decimal.Count(len(p.Paths), "path")
	}
	slots := in.slots
	text := fmt.Sprintf("%s: %s of %s (%s days),\n  at most %s, %s on average", name,
		decimal.Count(slots, "slot"), decimal.Span(p.Slot), decimal.Grouped(decimal.Fixed(float64(slots)*p.Slot.Hours()/24, 1)),
		decimal.Count(in.peak, "instance"), decimal.Fixed(in.mean, 1))
	if in.padded > 0 {
		text += fmt.Sprintf("\n  and %s without demand, to make whole intervals of %s", decimal.Count(in.padded, "slot"), decimal.Span(o.interval))
	}
	if o.classes == "" {
		text += fmt.Sprintf("\n  no -classes, so made-up ones: $%s an hour on demand", p.Prices.OnDemand)
		for _, c := range p.Prices.Classes {
			text += fmt.Sprintf(", $%s for %s", decimal.Grouped(c.Upfront.Fixed(2)), c.Name)
		}
	}
	if len(in.cut) > 0 {
		text += "\n  note: terms count as the whole slots in them, at their whole price:\n  " + strings.Join(in.cut, ", ")
	}
	run.Sayf("%s", text)
}
