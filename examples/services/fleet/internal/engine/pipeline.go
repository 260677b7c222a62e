// Package engine plans a fleet as a pipeline of Apache Beam, on any runner.
//
//	groups    curves of the generator, or bills: read, grouped by account, priced
//	held      the savings plans that accounts of bills hold together
//	draw      a ticket of each group; the best are the sample
//	member    the groups of the sample
//	search    the price of each hour of the savings plan, on the sample, in one place
//	plan      each group at that price: an exact plan with a certificate, or a failure
//	commit    the savings plan of the fleet, and a bound for the whole
//	write     orders, plans and failures, in parts by account
//
// # What the result does not depend on
//
// Elements between steps are bytes: records of package record, samples and sums of package
// market. Samples and sums merge to the same in any order, all amounts are integers, and a
// plan depends on its group and the prices alone. So bundles, order, retries and the
// number of workers change nothing. A worker shares no planner and no memory with another:
// each instance of a step has its own.
package engine

import (
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
)

// Options say what to plan and how.
type Options struct {
	Fleet generate.Fleet // without Bills
	Bills *bills.Input
	Terms group.Terms

	Sample int    // groups in the sample
	Seed   uint64 // of the sample
	Rounds int    // of the search; 0 is the default of package market

	Dir      string   // for orders, plans and failures; none if empty
	Formats  []string // of orders
	Parts    int      // of the output
	Summary  string   // the file of the Summary
	Branches int      // copies of the steps side by side, for runners that run a step in one place
}

// perRange is how many generated curves are an element.
const perRange = 100

// branchScope is the scope of a step in a branch.
func branchScope(s beam.Scope, step string, branch int) beam.Scope {
	return s.Scope(fmt.Sprintf("%s %d", step, branch))
}

// Build builds the pipeline.
func Build(o *Options) (*beam.Pipeline, error) {
	p := beam.NewPipeline()
	s := p.Root()
	impulse := beam.Impulse(s)
	text, err := json.Marshal(&o.Terms)
	if err != nil {
		return nil, err
	}
	terms := beam.Create(s.Scope("terms"), text)
	n := max(1, o.Branches)

	each := func(name string, f func(s beam.Scope, branch int) beam.PCollection) beam.PCollection {
		var all []beam.PCollection
		for i := range n {
			all = append(all, f(branchScope(s, name, i), i))
		}
		if n == 1 {
			return all[0]
		}
		return beam.Flatten(s.Scope(name+" together"), all...)
	}
	groups, withHeld, failed := sources(s, o, impulse, terms)

	drawn := each("draw", func(s beam.Scope, i int) beam.PCollection {
		return beam.ParDo(s, &drawFn{Seed: o.Seed, Want: o.Sample}, groups[i](s), beam.SideInput{Input: terms})
	})
	sample := beam.Combine(s.Scope("sample"), &samples{}, drawn)
	members := each("member", func(s beam.Scope, i int) beam.PCollection {
		return beam.ParDo(s, &memberFn{Seed: o.Seed}, groups[i](s), beam.SideInput{Input: terms}, beam.SideInput{Input: sample})
	})
	worth := beam.ParDo(s.Scope("search"), &searchFn{Rounds: o.Rounds}, impulse, beam.SideInput{Input: withHeld}, beam.SideInput{Input: members})

	var added []beam.PCollection
	plans := each("plan", func(s beam.Scope, i int) beam.PCollection {
		results, sum := beam.ParDo2(s, &planFn{}, groups[i](s), beam.SideInput{Input: terms}, beam.SideInput{Input: worth})
		added = append(added, sum)
		return results
	})
	sum := beam.Combine(s.Scope("sum"), &sums{}, beam.Flatten(s.Scope("sums together"), added...))
	commits, commitments := beam.ParDo2(s.Scope("commit"), &commitFn{}, impulse, beam.SideInput{Input: withHeld}, beam.SideInput{Input: worth},
		beam.SideInput{Input: sum})

	w := s.Scope("write")
	parted := beam.GroupByKey(w, beam.Flatten(w, beam.ParDo(w, &everyPartFn{o.Parts}, impulse),
		beam.ParDo(w, &partFn{o.Parts}, beam.Flatten(w, append(failed, plans, commitments)...))))
	written := beam.ParDo(w, &writeFn{Dir: o.Dir, Formats: o.Formats, Parts: o.Parts, Provider: o.Terms.Provider}, parted)
	all := beam.Combine(s.Scope("totals"), &totals{}, written)
	beam.ParDo0(s.Scope("summary"), &summaryFn{Path: o.Summary}, impulse, beam.SideInput{Input: withHeld}, beam.SideInput{Input: commits},
		beam.SideInput{Input: all})
	return p, nil
}
