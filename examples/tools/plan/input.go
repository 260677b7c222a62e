package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/internal/treefile"
	"github.com/plimsoll/plimsoll/reserve"
)

// input is what to plan for.
type input struct {
	problem reserve.Problem
	start   time.Time // of the demand, zero if nobody knows
	slots   int       // of the demand
	padded  int       // slots without demand, added at the end
	curve   []int     // the demand, or the median of each slot
	peak    int
	mean    float64
	nodes   []string // names of the nodes of a tree
	cut     []string // classes whose terms are cut to whole slots, and how
}

// read reads the files, or makes a demand and prices up.
func (o *options) read() (*input, error) {
	in := new(input)
	p := &in.problem
	if o.pure {
		p.Horizon = reserve.Pure
	}
	var err error
	switch {
	case o.tree != "":
		tree, err := treefile.Read("-tree", o.tree)
		if err != nil {
			return nil, err
		}
		if p.Tree, in.nodes = tree.Nodes, tree.Names; o.slot == 0 {
			return nil, cli.Mistakef("-tree %s: the file does not say how long a slot is: want -slot, such as -slot 168h", o.tree)
		}
	case o.paths != "":
		if p.Paths, p.Slot, err = demandfile.ReadPaths("-paths", o.paths); err != nil {
			return nil, err
		}
		if p.Slot == 0 && o.slot == 0 {
			return nil, cli.Mistakef("-paths %s: the file does not say how long a slot is: want -slot, such as -slot 1h, or a first column called hour, "+
				"day or week", o.paths)
		}
	case o.demand == "":
		p.Demand = demandfile.MadeUp()
	default:
		d, err := demandfile.Read("-demand", o.demand)
		if err != nil {
			return nil, err
		}
		p.Demand, p.Slot, in.start = d.Slots, d.Slot, d.Start
	}
	if !o.date.IsZero() {
		in.start = o.date
	}
	p.Slot = cmp.Or(o.slot, p.Slot, time.Hour)
	every := cmp.Or(o.every, p.Slot)
	if every%p.Slot != 0 {
		return nil, cli.Mistakef("-every %s is not a whole number of slots of %s", decimal.Span(every), decimal.Span(p.Slot))
	}
	p.Every = int(every / p.Slot)
	if err := o.measure(in); err != nil {
		return nil, err
	}
	file, err := classfile.Read("-classes", o.classes, classfile.Default)
	if err != nil {
		return nil, err
	}
	if p.Prices, err = reserve.WholeTerms(file.List, p.Slot); err != nil {
		if mistake := file.Fits(p.Slot); mistake != nil {
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
		if p.Held, err = heldfile.Holdings("-held", o.held, p.Prices, p.Slot, in.start); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// measure fills in the size of the demand, and makes whole intervals of a known demand and of paths.
func (o *options) measure(in *input) (err error) {
	p := &in.problem
	if p.Tree != nil {
		if in.curve, err = p.AppendQuantile(nil, .5); err != nil {
			return cli.Mistakef("-tree %s: %s", o.tree, reason(err))
		}
		in.slots = len(in.curve)
		for _, v := range p.Tree {
			in.peak = max(in.peak, v.Demand)
			in.mean += v.Probability * float64(v.Demand) / float64(in.slots)
		}
		return nil
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
	} else {
		in.curve, err = p.AppendQuantile(nil, .5)
	}
	return err
}

// note prints the demand and the prices.
func (o *options) note(run *cli.Run, in *input) {
	p := &in.problem
	name := cmp.Or(o.tree, o.paths, o.demand, "no -demand, so a made-up year")
	if o.tree != "" {
		name += ": a tree of " + decimal.Count(len(p.Tree), "node")
	}
	if o.paths != "" {
		name += ": " + decimal.Count(len(p.Paths), "path")
	}
	slots := in.slots
	text := fmt.Sprintf("%s: %s of %s (%s days),\n  at most %s, %s on average", name,
		decimal.Count(slots, "slot"), decimal.Span(p.Slot), decimal.Grouped(decimal.Fixed(float64(slots)*p.Slot.Hours()/24, 1)),
		decimal.Count(in.peak, "instance"), decimal.Fixed(in.mean, 1))
	if in.padded > 0 {
		text += fmt.Sprintf("\n  and %s without demand, to make whole intervals of %s", decimal.Count(in.padded, "slot"),
			decimal.Span(time.Duration(p.Every)*p.Slot))
	}
	if o.classes == "" {
		text += fmt.Sprintf("\n  no -classes, so about an m5.xlarge on AWS: $%s an hour on demand", p.Prices.OnDemand)
	}
	if len(in.cut) > 0 {
		text += "\n  note: terms count as the whole slots in them, at their whole price:\n  " + strings.Join(in.cut, ",\n  ")
	}
	run.Sayf("%s", text)
}
