package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

func init() {
	for _, step := range []any{
		(*rangesFn)(nil), (*generateFn)(nil), (*readFn)(nil), (*accountsFn)(nil), (*accountFn)(nil), (*heldFn)(nil), (*inventories)(nil),
		(*drawFn)(nil), (*memberFn)(nil), (*searchFn)(nil), (*planFn)(nil), (*commitFn)(nil), (*samples)(nil), (*sums)(nil),
		(*partFn)(nil), (*everyPartFn)(nil), (*writeFn)(nil), (*summaryFn)(nil), (*totals)(nil),
	} {
		beam.RegisterType(reflect.TypeOf(step).Elem())
	}
}

// The counters, which each engine shows in its own way.
const namespace = "fleet"

var (
	billFiles     = beam.NewCounter(namespace, "bill_files")
	billRows      = beam.NewCounter(namespace, "bill_rows")
	billHours     = beam.NewCounter(namespace, "bill_hours")
	billBytes     = beam.NewCounter(namespace, "bill_bytes")
	accounts      = beam.NewCounter(namespace, "accounts")
	curvesPlanned = beam.NewCounter(namespace, "curves_planned")
	hoursPlanned  = beam.NewCounter(namespace, "hours_planned")
	ordersPlaced  = beam.NewCounter(namespace, "orders")
	failures      = beam.NewCounter(namespace, "failures")
	sampled       = beam.NewCounter(namespace, "curves_sampled")
)

// readFirst reads the only element of a side input. If there is none, r stays as it is.
func readFirst(side [][]byte, r record.Record) error {
	if len(side) == 0 {
		return nil
	}
	return record.Read(side[0], r)
}

// A termsMemo remembers the terms of its last bytes, so that a side input is decoded once.
type termsMemo struct {
	of    string
	terms group.Terms
}

func (m *termsMemo) get(side [][]byte) (*group.Terms, error) {
	b := side[0]
	if m.of == string(b) {
		return &m.terms, nil
	}
	m.terms = group.Terms{}
	if err := json.Unmarshal(b, &m.terms); err != nil {
		return nil, fmt.Errorf("the terms of the fleet: %w", err)
	}
	if err := m.terms.Validate(); err != nil {
		return nil, err
	}
	m.of = string(b)
	return &m.terms, nil
}

// drawFn draws the sample of a bundle.
type drawFn struct {
	Seed   uint64
	Want   int
	sample market.Sample
	terms  termsMemo
	group  record.Group
}

// StartBundle implements the step.
func (f *drawFn) StartBundle(_ context.Context, _ [][]byte, _ func([]byte)) {
	f.sample = market.Sample{Want: f.Want}
}

// ProcessElement implements the step.
func (f *drawFn) ProcessElement(ctx context.Context, b []byte, terms [][]byte, _ func([]byte)) error {
	x, err := f.terms.get(terms)
	if err != nil {
		return err
	}
	if err := record.Read(b, &f.group); err != nil {
		return err
	}
	f.sample.Add(market.Draw(x, &f.group, f.Seed))
	return nil
}

// FinishBundle implements the step.
func (f *drawFn) FinishBundle(_ context.Context, _ [][]byte, emit func([]byte)) error {
	if len(f.sample.Tickets) == 0 {
		return nil
	}
	emit(record.Append(nil, &f.sample))
	return nil
}

// merge merges two accumulators of a combining step. No bytes are those of nothing.
func merge[T any, P interface {
	*T
	record.Record
	Merge(*T)
}](a, b []byte) ([]byte, error) {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...), nil
	}
	var s, t T
	if err := errors.Join(record.Read(a, P(&s)), record.Read(b, P(&t))); err != nil {
		return nil, err
	}
	P(&s).Merge(&t)
	return record.Append(nil, P(&s)), nil
}

// samples merges samples.
type samples struct{}

// MergeAccumulators implements the step.
func (samples) MergeAccumulators(a, b []byte) ([]byte, error) { return merge[market.Sample](a, b) }

// sums merges sums.
type sums struct{}

// MergeAccumulators implements the step.
func (sums) MergeAccumulators(a, b []byte) ([]byte, error) { return merge[market.Sum](a, b) }

// inventories merges the savings plans of accounts.
type inventories struct{}

// MergeAccumulators implements the step.
func (inventories) MergeAccumulators(a, b []byte) ([]byte, error) {
	return merge[record.Inventory](a, b)
}

// totals merges Totals.
type totals struct{}

// MergeAccumulators implements the step.
func (totals) MergeAccumulators(a, b []byte) ([]byte, error) { return merge[record.Totals](a, b) }

// memberFn passes on the groups that are in the sample, each after its number of times.
type memberFn struct {
	Seed   uint64
	terms  termsMemo
	sample market.Sample
	in     map[record.Key]bool
	of     string
	group  record.Group
}

// ProcessElement implements the step.
func (f *memberFn) ProcessElement(ctx context.Context, b []byte, terms, sample [][]byte, emit func([]byte)) error {
	x, err := f.terms.get(terms)
	if err != nil {
		return err
	}
	if of := string(sample[0]); f.of != of { // there is a group, so there is a sample
		if err := readFirst(sample, &f.sample); err != nil {
			return err
		}
		f.of, f.in = of, map[record.Key]bool{}
		for _, t := range f.sample.Tickets {
			f.in[t.Key] = true
		}
	}
	if err := record.Read(b, &f.group); err != nil {
		return err
	}
	if !f.in[f.group.Key] {
		return nil
	}
	if times := f.sample.Times(market.Draw(x, &f.group, f.Seed)); times > 0 {
		sampled.Inc(ctx, 1)
		emit(append(binary.AppendVarint(make([]byte, 0, len(b)+10), times), b...))
	}
	return nil
}

// searchFn finds the price of each hour of the savings plan on the sample.
type searchFn struct{ Rounds int }

// ProcessElement implements the step.
func (f *searchFn) ProcessElement(ctx context.Context, _ []byte, terms, members [][]byte, emit func([]byte)) error {
	var memo termsMemo
	x, err := memo.get(terms)
	if err != nil {
		return err
	}
	if x.Term == 0 || len(members) == 0 {
		return nil // no savings plan, and so no price
	}
	sample := make([]market.Member, len(members))
	for i, b := range members {
		times, n := binary.Varint(b)
		if n <= 0 {
			return fmt.Errorf("a member of the sample is malformed")
		}
		sample[i].Times = times
		if err := record.Read(b[n:], &sample[i].Group); err != nil {
			return err
		}
	}
	search := market.Search{Rounds: f.Rounds}
	price, err := search.Find(x, sample)
	if err != nil {
		return err
	}
	emit(record.Append(nil, &price))
	return nil
}

// planFn plans each group at the price of the savings plan: an exact plan with a
// certificate, which is verified, or a failure. Both are records. What the groups of a
// bundle answer is added up, and passed on when the bundle ends.
type planFn struct {
	terms   termsMemo
	planner group.Planner
	price   market.Price
	of      string
	group   record.Group
	sum     market.Sum
}

// StartBundle implements the step.
func (f *planFn) StartBundle(_ context.Context, _, _ [][]byte, _, _ func([]byte)) {
	f.sum = market.Sum{}
}

// ProcessElement implements the step.
func (f *planFn) ProcessElement(ctx context.Context, b []byte, terms, price [][]byte, emit, _ func([]byte)) error {
	x, err := f.terms.get(terms)
	if err != nil {
		return err
	}
	if len(price) > 0 && f.of != string(price[0]) {
		if err := readFirst(price, &f.price); err != nil {
			return err
		}
		f.of = string(price[0])
	}
	if err := record.Read(b, &f.group); err != nil {
		return err
	}
	answer, failure := f.price.Plan(&f.planner, x, &f.group)
	if failure != nil {
		failures.Inc(ctx, 1)
		emit(record.Append(nil, failure))
		return nil
	}
	f.sum.Add(&f.group, &answer)
	curvesPlanned.Inc(ctx, 1)
	hoursPlanned.Inc(ctx, int64(len(f.group.Demand)))
	ordersPlaced.Inc(ctx, int64(len(answer.Orders)))
	emit(record.Append(nil, answer.Plan(&f.group)))
	return nil
}

// FinishBundle implements the step.
func (f *planFn) FinishBundle(_ context.Context, _, _ [][]byte, _, emit func([]byte)) error {
	if f.sum.Groups > 0 {
		emit(record.Append(nil, &f.sum))
	}
	return nil
}

// commitFn decides on the savings plan of the fleet, beside the orders of the groups.
type commitFn struct{}

// ProcessElement implements the step. It emits the joint plan as JSON, and its orders as
// the Plan of no account, or why there are none as a Failure.
func (f *commitFn) ProcessElement(ctx context.Context, _ []byte, terms, price, sum [][]byte, emit, order func([]byte)) error {
	var memo termsMemo
	x, err := memo.get(terms)
	if err != nil {
		return err
	}
	var all market.Sum
	var at market.Price // none is that of a fleet without a savings plan
	if err := errors.Join(readFirst(sum, &all), readFirst(price, &at)); err != nil {
		return err
	}
	plan, _, err := market.Commit(x, &all, &at)
	if err != nil {
		return err
	}
	b, err := json.Marshal(&plan)
	if err != nil {
		return err
	}
	emit(b)
	for _, r := range savingsPlan(x, &plan) {
		if r.Tag() == 'F' {
			failures.Inc(ctx, 1)
		}
		order(record.Append(nil, r))
	}
	return nil
}
