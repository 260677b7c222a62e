package engine

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// partFn gives each plan and failure the part of the output that its account belongs to.
type partFn struct{ Parts int }

// ProcessElement implements the step.
func (f *partFn) ProcessElement(b []byte, emit func(int, []byte)) error {
	account, err := record.Account(b)
	emit(bills.Part(account, f.Parts), b)
	return err
}

// everyPartFn gives each part an empty element, so that a part without accounts is
// written, too, over what an earlier run has left.
type everyPartFn struct{ Parts int }

// ProcessElement implements the step.
func (f *everyPartFn) ProcessElement(_ []byte, emit func(int, []byte)) error {
	for i := range f.Parts {
		emit(i, nil)
	}
	return nil
}

// writeFn writes one part of the output. What it writes depends on its input alone, not on
// the order, and a file takes its name when it is whole: a part that is written twice is
// the same.
type writeFn struct {
	Dir     string // none if empty
	Formats []string
	Parts   int
	// Provider is that of orders whose kind names none.
	Provider string
}

// ProcessElement implements the step. It emits the Totals of the part.
func (f *writeFn) ProcessElement(part int, values func(*[]byte) bool, emit func([]byte)) error {
	var records [][]byte
	var b []byte
	for values(&b) {
		if len(b) > 0 {
			records = append(records, slices.Clone(b))
		}
	}
	sum, err := f.write(part, records)
	emit(record.Append(nil, &sum))
	return err
}

// write writes the plans and failures of a part, and returns their Totals.
func (f *writeFn) write(part int, records [][]byte) (sum record.Totals, err error) {
	var plans []record.Plan
	var failed []record.Failure
	for _, b := range records {
		if b[0] == 'F' {
			failed = append(failed, record.Failure{})
			err = record.Read(b, &failed[len(failed)-1])
		} else {
			plans = append(plans, record.Plan{})
			err = record.Read(b, &plans[len(plans)-1])
		}
		if err != nil {
			return sum, err
		}
	}
	slices.SortFunc(plans, func(a, b record.Plan) int { return a.Key.Compare(b.Key) })
	slices.SortFunc(failed, func(a, b record.Failure) int { return a.Compare(&b) })
	for i := range plans {
		sum.Add(&plans[i])
	}
	sum.Failures = int64(len(failed))
	if f.Dir != "" {
		err = f.writeParts(part, plans, failed)
	}
	return sum, err
}

// savingsClass is the class of an order of the savings plan.
const savingsClass = "savings plan"

// savingsPlan returns the commitments of the fleet as a plan of no account: each is an order of
// one unit of so much money an hour. If the fleet has no savings plan for a reason, there is a failure.
func savingsPlan(x *group.Terms, j *market.Plan) (all []record.Record) {
	if j.Failed != "" {
		all = append(all, &record.Failure{Reason: "the savings plan: " + j.Failed})
	}
	if len(j.Commitments) == 0 {
		return all
	}
	cost, err := j.Committed.Money()
	if err != nil {
		panic(err) // package savings commits to no more than an amount holds
	}
	p := &record.Plan{Currency: x.Currency, Cost: cost, Bound: cost}
	for _, c := range j.Commitments {
		p.Orders = append(p.Orders, record.Order{Class: savingsClass, Units: 1, Start: x.At(c.Slot), Term: x.Term, Hourly: c.Hourly})
	}
	return append(all, p)
}

// Formats are the formats of orders.
var Formats = []string{"csv", "parquet", "focus"}

// writeParts writes the files of a part: plans and failures as CSV, and orders in each of
// the formats. Plans and failures must be sorted. Either all files take their names, or an
// error is returned.
func (f *writeFn) writeParts(part int, plans []record.Plan, failed []record.Failure) error {
	var set outfile.Set
	defer set.Abort()
	write := func(what, ending string, write func(w io.Writer) error) error {
		f, err := set.Create(filepath.Join(f.Dir, fmt.Sprintf("%s-%05d-of-%05d.%s", what, part, f.Parts, ending)))
		if err != nil {
			return err
		}
		b := bufio.NewWriterSize(f, 1<<16)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	}
	if err := write("plans", "csv", func(w io.Writer) error { return writePlans(w, plans) }); err != nil {
		return err
	}
	if err := write("failures", "csv", func(w io.Writer) error { return writeFailures(w, failed) }); err != nil {
		return err
	}
	for _, format := range f.Formats {
		ending, to := format, map[string]func(io.Writer, []record.Plan) error{"csv": writeCSV, "parquet": writeParquet, "focus": f.writeFocus}[format]
		if to == nil {
			return fmt.Errorf("the format %q: want csv, parquet or focus", format)
		}
		if format == "focus" {
			ending = "focus.csv"
		}
		if err := write("orders", ending, func(w io.Writer) error { return to(w, plans) }); err != nil {
			return err
		}
	}
	return set.Commit()
}

// partName is the name of a file of writeParts.
var partName = regexp.MustCompile(`^(plans|failures|orders)-[0-9]{5}-of-([0-9]{5})\.(csv|parquet|focus\.csv)$`)

// Leftover returns a file of another run in a folder, which a run with these formats and parts
// would not replace, and "" if there is none.
func Leftover(dir string, formats []string, parts int) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		m := partName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if of, _ := strconv.Atoi(m[2]); of != parts || m[1] == "orders" && !slices.Contains(formats, strings.TrimSuffix(m[3], ".csv")) {
			return e.Name(), nil
		}
	}
	return "", nil
}

// table writes rows of CSV below a header.
func table(w io.Writer, header []string, rows func(write func(fields ...string))) error {
	c := plain.NewCSV(w)
	c.Write(header...)
	rows(c.Write)
	return c.Flush()
}

func writePlans(w io.Writer, plans []record.Plan) error {
	return table(w, []string{"account", "region", "kind", "currency", "hours", "orders", "cost", "bound"}, func(write func(...string)) {
		for i := range plans {
			p := &plans[i]
			write(p.Account, p.Region, p.Kind, p.Currency, strconv.FormatInt(p.Hours, 10), strconv.Itoa(len(p.Orders)), p.Cost.String(), p.Bound.String())
		}
	})
}

func writeFailures(w io.Writer, failed []record.Failure) error {
	return table(w, []string{"account", "region", "kind", "file", "line", "reason"}, func(write func(...string)) {
		for i := range failed {
			f := &failed[i]
			line := ""
			if f.Line > 0 {
				line = strconv.Itoa(f.Line)
			}
			write(f.Account, f.Region, f.Kind, f.File, line, f.Reason)
		}
	})
}

// orders calls f for each order of the plans, up to an error.
func orders(plans []record.Plan, f func(p *record.Plan, o *record.Order) error) error {
	for i := range plans {
		for j := range plans[i].Orders {
			if err := f(&plans[i], &plans[i].Orders[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeCSV(w io.Writer, plans []record.Plan) error {
	return table(w, []string{"account", "region", "kind", "currency", "class", "units", "start", "term_hours", "upfront", "hourly"}, func(write func(...string)) {
		orders(plans, func(p *record.Plan, o *record.Order) error {
			write(p.Account, p.Region, p.Kind, p.Currency, o.Class, strconv.Itoa(o.Units), o.Start.UTC().Format(time.RFC3339),
				strconv.FormatInt(int64(o.Term/time.Hour), 10), o.Upfront.String(), o.Hourly.String())
			return nil
		})
	})
}

// A parquetOrder is a row of orders as Parquet: money as decimals of nine places.
type parquetOrder struct {
	Account   string    `parquet:"account,dict"`
	Region    string    `parquet:"region,dict"`
	Kind      string    `parquet:"kind,dict"`
	Currency  string    `parquet:"currency,dict"`
	Class     string    `parquet:"class,dict"`
	Units     int64     `parquet:"units"`
	Start     time.Time `parquet:"start,timestamp(millisecond)"`
	TermHours int64     `parquet:"term_hours"`
	Upfront   int64     `parquet:"upfront,decimal(9:18)"`
	Hourly    int64     `parquet:"hourly,decimal(9:18)"`
}

func writeParquet(w io.Writer, plans []record.Plan) error {
	rows := parquet.NewGenericWriter[parquetOrder](w, parquet.Compression(&parquet.Snappy))
	var batch []parquetOrder
	err := orders(plans, func(p *record.Plan, o *record.Order) error {
		batch = append(batch, parquetOrder{p.Account, p.Region, p.Kind, p.Currency, o.Class, int64(o.Units), o.Start, int64(o.Term / time.Hour),
			int64(o.Upfront), int64(o.Hourly)})
		if len(batch) < 1024 {
			return nil
		}
		_, err := rows.Write(batch)
		batch = batch[:0]
		return err
	})
	if err == nil {
		_, err = rows.Write(batch)
	}
	return cmp.Or(err, rows.Close())
}

// writeFocus writes orders as rows of purchases of FOCUS 1.3. The charge period is the
// term, and the quantity is that of the whole term. The billed cost is what is paid up front,
// and the list cost is what is owed in all.
func (f *writeFn) writeFocus(w io.Writer, plans []record.Plan) error {
	rows := focus.NewWriter(w)
	n := 0
	err := orders(plans, func(p *record.Plan, o *record.Order) error {
		n++
		class := pricing.Class{Name: o.Class, Term: o.Term, Upfront: o.Upfront, Hourly: o.Hourly, Billed: pricing.Always}
		owed, err := class.Commitment()
		owed, err2 := owed.Mul(int64(o.Units))
		upfront, err3 := o.Upfront.Mul(int64(o.Units))
		if err := cmp.Or(err, err2, err3); err != nil {
			return fmt.Errorf("%v: the order of %d units of %s: %w", p.Key, o.Units, o.Class, err)
		}
		end, hours := o.Start.Add(o.Term), int64(o.Term/time.Hour)
		c := usage.Commitment{ID: fmt.Sprintf("order-%s-%d", cmp.Or(p.Account, "all"), n),
			Name: fmt.Sprintf("%d units of %s, %s", o.Units, o.Class, cmp.Or(p.Kind, "all kinds")),
			Type: "Reserved Instance", Unit: "Hours", Quantity: usage.Units(int64(o.Units)).Scale(hours, 1), Start: o.Start, End: end, Region: p.Region, Once: true}
		if o.Class == savingsClass {
			c.Type, c.Spend, c.Unit, c.Quantity = "Savings Plan", true, p.Currency, usage.AmountOf(o.Hourly).Scale(hours, 1)
		}
		// FOCUS wants a provider and an account in each row. A kind of a bill begins with its provider.
		provider, _, ok := strings.Cut(p.Kind, " ")
		if !ok {
			provider = f.Provider
		}
		return rows.Write(&usage.Row{Account: cmp.Or(p.Account, "all"), Currency: p.Currency, Start: o.Start, End: end, Charge: usage.Purchase,
			Kind: usage.Kind{Provider: provider, Region: p.Region}, Billed: usage.AmountOf(upfront), List: usage.AmountOf(owed), Commitment: c})
	})
	if err != nil {
		return err
	}
	return rows.Flush()
}

// SummaryOf returns the file of the summary in a folder.
func SummaryOf(dir string) string { return filepath.Join(dir, "summary.json") }

// success is the file, without content, that a run writes last of all: programs that read folders of
// parts know the name.
const success = "_SUCCESS"

// NoSummary removes what an earlier run has written last. A run does so before it writes, and writes
// its summary and then _SUCCESS last: while there is no _SUCCESS, the parts in the folder may be of two
// runs.
func NoSummary(dir string) error {
	for _, f := range []string{filepath.Join(dir, success), SummaryOf(dir)} {
		if err := os.Remove(f); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// Done says that all files of a run are in its folder.
func Done(dir string) error { return os.WriteFile(filepath.Join(dir, success), nil, 0o666) }

// A Summary is what a run of the fleet comes to.
type Summary struct {
	Terms  group.Terms
	Totals record.Totals
	Joint  market.Plan
}

// write writes the summary.
func (s *Summary) write(path string) error {
	b, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	var set outfile.Set
	defer set.Abort()
	file, err := set.Create(path)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(b, '\n')); err != nil {
		return err
	}
	return set.Commit()
}

// summaryFn writes the summary, a file that the program that began the run reads.
type summaryFn struct{ Path string }

// ProcessElement implements the step.
func (f *summaryFn) ProcessElement(_ []byte, terms, commits, sum [][]byte) error {
	var s Summary
	err := errors.Join(json.Unmarshal(terms[0], &s.Terms), readFirst(sum, &s.Totals))
	if len(commits) > 0 {
		err = errors.Join(err, json.Unmarshal(commits[0], &s.Joint))
	}
	if err != nil {
		return err
	}
	return s.write(f.Path)
}
