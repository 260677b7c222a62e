package main

import (
	"fmt"
	"io"
)

type comparison struct{ out *outcome }

func compare(o *demoOptions, out *outcome) (*comparison, error) { return &comparison{out}, nil }

func (c *comparison) writeJSON(w io.Writer) error { return c.write(w) }
func (c *comparison) write(w io.Writer) error {
	for _, r := range c.out.runs {
		fmt.Fprintln(w, r.Submit, r.Start-r.Submit, r.Run, r.End-r.Start, r.Job.Nodes, r.Names)
	}
	for _, l := range c.out.leases.All {
		fmt.Fprintln(w, l.Node, l.Set, l.Asked, l.Created-l.Asked, l.Up-l.Asked, l.Leaves-l.Created, l.Ended-l.Created)
	}
	fmt.Fprintln(w, c.out.bill, c.out.provider, c.out.states, c.out.failures, c.out.took)
	return nil
}
