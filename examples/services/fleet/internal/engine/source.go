package engine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// rangesFn cuts what there is, curves or files, into ranges, each an element: the number of its
// first. A branch takes every so many ranges.
type rangesFn struct{ All, Per, Branch, Branches int }

// ProcessElement implements the step.
func (f *rangesFn) ProcessElement(_ []byte, emit func(int)) error {
	for i := f.Branch * f.Per; i < f.All; i += f.Branches * f.Per {
		emit(i)
	}
	return nil
}

// generateFn makes the curves of a range. No curve is kept: each step that needs curves
// makes them again, which costs less than to hold them.
type generateFn struct {
	Fleet  generate.Fleet
	Per    int
	curves generate.Curves
	group  record.Group
}

// ProcessElement implements the step.
func (f *generateFn) ProcessElement(from int, emit func([]byte)) error {
	for i := from; i < min(f.Fleet.Curves, from+f.Per); i++ {
		f.curves.At(&f.Fleet, i, &f.group)
		emit(record.Append(make([]byte, 0, 10<<10), &f.group))
	}
	return nil
}

// readFn reads a file, and emits what each account used, or a failure, by account. For no
// account it emits which of the hours that count have use.
type readFn struct {
	Files []string
	From  time.Time
	Hours int
}

// ProcessElement implements the step.
func (f *readFn) ProcessElement(ctx context.Context, i int, emit func(string, []byte)) error {
	count := bills.Records(f.Files[i], f.From, f.Hours, emit)
	billFiles.Inc(ctx, 1)
	billRows.Inc(ctx, count.Rows)
	billBytes.Inc(ctx, count.Bytes)
	return nil
}

// accountsFn passes on the accounts of a branch.
type accountsFn struct{ Branch, Branches int }

// ProcessElement implements the step.
func (f *accountsFn) ProcessElement(account string, b []byte, emit func(string, []byte)) error {
	if bills.Part(account, f.Branches) == f.Branch {
		emit(account, b)
	}
	return nil
}

// accountFn makes the groups of an account from what all files say of it. An account with
// a failure is not planned.
type accountFn struct {
	Prices []string
	Pricer bills.Pricer
	terms  termsMemo
}

// Setup implements the step.
func (f *accountFn) Setup() error { return f.Pricer.Load(f.Prices) }

// ProcessElement implements the step. It emits groups, failures and savings plans.
func (f *accountFn) ProcessElement(ctx context.Context, account string, values func(*[]byte) bool, terms [][]byte, emit, fail, hold func([]byte)) error {
	x, err := f.terms.get(terms)
	if err != nil {
		return err
	}
	var records [][]byte
	var b []byte
	for values(&b) {
		records = append(records, slices.Clone(b))
	}
	if account == "" {
		hours, failed, err := bills.Covered(records)
		billHours.Inc(ctx, int64(hours))
		emitFailures(ctx, failed, fail)
		return err
	}
	accounts.Inc(ctx, 1)
	groups, plans, failed, err := f.Pricer.Groups(x, records)
	for i := range groups {
		emit(record.Append(nil, &groups[i]))
	}
	emitFailures(ctx, failed, fail)
	if len(plans.Held) > 0 {
		hold(record.Append(nil, &plans))
	}
	return err
}

func emitFailures(ctx context.Context, failed []record.Failure, emit func([]byte)) {
	for i := range failed {
		failures.Inc(ctx, 1)
		emit(record.Append(nil, &failed[i]))
	}
}

// heldFn adds to the terms the savings plans that all accounts hold.
type heldFn struct{ Pricer bills.Pricer }

// ProcessElement implements the step. It emits the terms, and failures.
func (f *heldFn) ProcessElement(ctx context.Context, _ []byte, terms, plans [][]byte, emit, fail func([]byte)) error {
	var memo termsMemo
	x, err := memo.get(terms)
	if err != nil {
		return err
	}
	var all record.Inventory
	if err := readFirst(plans, &all); err != nil {
		return err
	}
	emitFailures(ctx, f.Pricer.Held(x, &all), fail)
	b, err := json.Marshal(x)
	if err == nil {
		emit(b)
	}
	return err
}

// A source makes the groups of one branch, in a scope.
type source func(s beam.Scope) beam.PCollection

// sources returns a source for each branch, the terms with the savings plans that the accounts
// hold, and what could not become a group.
func sources(s beam.Scope, o *Options, impulse, terms beam.PCollection) (all []source, withHeld beam.PCollection, failed []beam.PCollection) {
	n := max(1, o.Branches)
	if o.Bills == nil {
		for i := range n {
			b := branchScope(s, "ranges", i)
			ranges := beam.Reshuffle(b, beam.ParDo(b, &rangesFn{o.Fleet.Curves, perRange, i, n}, impulse))
			all = append(all, func(s beam.Scope) beam.PCollection {
				return beam.ParDo(s, &generateFn{Fleet: o.Fleet, Per: perRange}, ranges)
			})
		}
		return all, terms, nil
	}
	var read, held []beam.PCollection
	for i := range n {
		b := branchScope(s, "read", i)
		files := beam.Reshuffle(b, beam.ParDo(b, &rangesFn{len(o.Bills.Files), 1, i, n}, impulse))
		read = append(read, beam.ParDo(b, &readFn{o.Bills.Files, o.Bills.Pricer.From, o.Terms.Hours}, files))
	}
	uses := beam.Flatten(s.Scope("uses together"), read...)
	for i := range n {
		b := branchScope(s, "account", i)
		mine := beam.GroupByKey(b, beam.ParDo(b, &accountsFn{i, n}, uses))
		groups, bad, plans := beam.ParDo3(b, &accountFn{Prices: o.Bills.Prices, Pricer: o.Bills.Pricer}, mine, beam.SideInput{Input: terms})
		failed, held = append(failed, bad), append(held, plans)
		all = append(all, func(beam.Scope) beam.PCollection { return groups })
	}
	h := s.Scope("held")
	plans := beam.Combine(h, &inventories{}, beam.Flatten(h, held...))
	withHeld, bad := beam.ParDo2(h, &heldFn{o.Bills.Pricer}, impulse, beam.SideInput{Input: terms}, beam.SideInput{Input: plans})
	return all, withHeld, append(failed, bad)
}
