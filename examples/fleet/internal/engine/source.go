package engine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/plimsoll/plimsoll/examples/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/fleet/internal/record"
)

func init() {
	for _, step := range []any{(*rangesFn)(nil), (*generateFn)(nil), (*filesFn)(nil), (*readFn)(nil), (*accountsFn)(nil), (*accountFn)(nil)} {
		beam.RegisterType(reflect.TypeOf(step).Elem())
	}
}

var (
	billFiles    = beam.NewCounter(namespace, "bill_files")
	billRows     = beam.NewCounter(namespace, "bill_rows")
	billHours    = beam.NewCounter(namespace, "bill_hours")
	billBytes    = beam.NewCounter(namespace, "bill_bytes")
	accounts     = beam.NewCounter(namespace, "accounts")
	microRead    = beam.NewCounter(namespace, "microseconds_reading")
	microAccount = beam.NewCounter(namespace, "microseconds_grouping")
)

// rangesFn cuts the curves of a generated fleet into ranges, each an element: its first
// curve. A branch takes every so many ranges.
type rangesFn struct{ Curves, Per, Branch, Branches int }

// ProcessElement implements the step.
func (f *rangesFn) ProcessElement(_ []byte, emit func(int)) error {
	for i := f.Branch * f.Per; i < f.Curves; i += f.Branches * f.Per {
		emit(i)
	}
	return nil
}

// generateFn makes the curves of a range. No curve is kept: each step that needs curves
// makes them again, which costs less than to hold them.
type generateFn struct {
	Fleet  generate.Fleet
	Per    int
	Count  bool // in the counter of curves
	curves generate.Curves
	group  record.Group
}

// ProcessElement implements the step.
func (f *generateFn) ProcessElement(ctx context.Context, from int, emit func([]byte)) error {
	for i := from; i < min(f.Fleet.Curves, from+f.Per); i++ {
		start := time.Now()
		f.curves.At(&f.Fleet, i, &f.group)
		b := record.Append(make([]byte, 0, 10<<10), &f.group)
		since(ctx, microGenerate, start)
		if f.Count {
			curvesMade.Inc(ctx, 1)
		}
		emit(b)
	}
	return nil
}

// filesFn names the files of bills. A branch takes every so many files.
type filesFn struct {
	Files            []string
	Branch, Branches int
}

// ProcessElement implements the step.
func (f *filesFn) ProcessElement(_ []byte, emit func(string)) error {
	for i := f.Branch; i < len(f.Files); i += f.Branches {
		emit(f.Files[i])
	}
	return nil
}

// readFn reads a file, and emits what each account used, or a failure, by account. For no
// account it emits which of the hours that count have use.
type readFn struct {
	From  time.Time
	Hours int
}

// ProcessElement implements the step.
func (f *readFn) ProcessElement(ctx context.Context, path string, emit func(string, []byte)) error {
	start := time.Now()
	defer func() { since(ctx, microRead, start) }()
	count := bills.Records(path, f.From, f.Hours, emit)
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

// ProcessElement implements the step. It emits groups, and failures.
func (f *accountFn) ProcessElement(ctx context.Context, account string, values func(*[]byte) bool, terms [][]byte, emit, fail func([]byte)) error {
	start := time.Now()
	defer func() { since(ctx, microAccount, start) }()
	x, err := f.terms.get(terms)
	if err != nil {
		return err
	}
	var records [][]byte
	var b []byte
	for values(&b) {
		records = append(records, slices.Clone(b))
	}
	groups, failed, hours, err := f.Pricer.Groups(x, account, records)
	if err != nil {
		return err
	}
	if account != "" {
		accounts.Inc(ctx, 1)
	}
	billHours.Inc(ctx, int64(hours))
	for i := range groups {
		emit(record.Append(nil, &groups[i]))
	}
	for i := range failed {
		failures.Inc(ctx, 1)
		fail(record.Append(nil, &failed[i]))
	}
	return nil
}

// A source makes the groups of one branch, in a scope; count says that they count as new.
type source func(s beam.Scope, count bool) beam.PCollection

// sources returns a source for each branch, and what could not become a group.
func sources(s beam.Scope, o *Options, impulse, terms beam.PCollection) (all []source, failed []beam.PCollection) {
	n := max(1, o.Branches)
	if o.Bills == nil {
		for i := range n {
			b := branchScope(s, "ranges", i)
			ranges := beam.Reshuffle(b, beam.ParDo(b, &rangesFn{o.Fleet.Curves, perRange, i, n}, impulse))
			all = append(all, func(s beam.Scope, count bool) beam.PCollection {
				return beam.ParDo(s, &generateFn{Fleet: o.Fleet, Per: perRange, Count: count}, ranges)
			})
		}
		return all, nil
	}
	var read []beam.PCollection
	for i := range n {
		b := branchScope(s, "read", i)
		files := beam.Reshuffle(b, beam.ParDo(b, &filesFn{o.Bills.Files, i, n}, impulse))
		read = append(read, beam.ParDo(b, &readFn{o.Bills.Pricer.From, o.Terms.Hours}, files))
	}
	uses := beam.Flatten(s.Scope("uses together"), read...)
	for i := range n {
		b := branchScope(s, "account", i)
		mine := beam.GroupByKey(b, beam.ParDo(b, &accountsFn{i, n}, uses))
		groups, bad := beam.ParDo2(b, &accountFn{Prices: o.Bills.Prices, Pricer: o.Bills.Pricer}, mine, beam.SideInput{Input: terms})
		failed = append(failed, bad)
		all = append(all, func(beam.Scope, bool) beam.PCollection { return groups })
	}
	return all, failed
}
