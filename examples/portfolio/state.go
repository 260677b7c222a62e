package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A state is what -state keeps from week to week: the portfolio with its forecaster,
// what these were made with, and the last decision.
type state struct {
	Model   string   `json:"model"`
	Alpha   float64  `json:"alpha"`
	Fit     int      `json:"fit"`
	Classes []string `json:"classes"`

	Weeks  int    `json:"weeks"`  // seen
	Demand string `json:"demand"` // checksum of theirs

	Bought  []int    `json:"bought"`  // at the end of them, by class
	Planned *float64 `json:"planned"` // for the mean demand of the next; nil: nothing was
	Signal  float64  `json:"signal"`  // tracking signal of the forecast

	Portfolio json.RawMessage `json:"portfolio"`
}

// A predictor is what package forecast has for one.
type predictor interface {
	reserve.Forecaster
	Ready() bool
	Quantile(dst []float64, q float64)
	TrackingSignal() float64
	Validate() error
}

// act takes the weeks that have ended since the last decision, decides what to buy now,
// and keeps the state.
func (o *options) act(files *outfile.Set, stdout, stderr io.Writer, _ *progress.Line) error {
	before, err := o.readState()
	if err != nil {
		return err
	}
	for _, path := range []string{o.demands[0], o.classes, o.held} {
		if path != "" {
			files.Keep(path)
		}
	}
	out, err := files.Create(o.state)
	switch {
	case errors.Is(err, outfile.ErrSame):
		return cli.Mistakef("-state %s: the file is that of another flag as well", o.state)
	case err != nil:
		return cli.Mistakef("cannot write -state %v", err)
	}
	in, s, err := o.readNow()
	if err != nil {
		return err
	}
	if before != nil {
		if err := o.fits(before, in, s); err != nil {
			return err
		}
	}
	now, active, err := o.advance(before, in, s)
	if err != nil {
		return err
	}
	o.noteNow(stderr, before, in, s)
	if before == nil || s.weeks > before.Weeks {
		data, err := json.Marshal(now)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(data, '\n')); err != nil {
			return err
		}
		if err := files.Commit(); err != nil {
			return err
		}
	}
	if o.json {
		return writeNowJSON(stdout, in, now, active)
	}
	return o.writeNow(stdout, in, s, now, active)
}

// readState returns the state, nil if there is none yet or it is to begin anew.
func (o *options) readState() (*state, error) {
	if _, err := os.Stat(o.state); errors.Is(err, fs.ErrNotExist) || o.held != "" {
		return nil, nil
	}
	data, err := infile.ReadAll("-state", o.state)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, cli.Mistakef("-state %s: the file is empty: want a state, or no file to begin one", o.state)
	}
	x := new(state)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err = d.Decode(x); err == nil {
		if _, e := d.Token(); e != io.EOF {
			err = errors.New("there is more after it")
		}
	}
	switch {
	case err != nil:
		err = fmt.Errorf("it is no state of this program: %w", err)
	case x.Weeks < 1 || len(x.Bought) != len(x.Classes) || x.Portfolio == nil:
		err = errors.New("it is no state of this program: a part is missing")
	default:
		return x, nil
	}
	return nil, cli.Mistakef("-state %s: %w", o.state, err)
}

// readNow reads the demand, of which it takes whole weeks, prices and inventory.
func (o *options) readNow() (*input, *series, error) {
	in := new(input)
	whole := *o
	whole.total = true // nothing is added at the end
	all, err := whole.readAll(nil, 1)
	if err != nil {
		return nil, nil, err
	}
	in.list, in.caps = all.list, all.caps
	s := &all.series[0]
	s.weeks = len(s.demand) / s.every
	s.cut = len(s.demand) - s.weeks*s.every // at the end, here
	s.demand = s.demand[:s.weeks*s.every]
	if o.held != "" {
		if in.held, err = heldfile.Read("-held", o.held, in.list, s.slot); err != nil {
			return nil, nil, err
		}
		for i := range in.held {
			in.held[i].Until += len(s.demand)
		}
	}
	return in, s, nil
}

// fits returns the user's mistake if a state is not one to go on from.
func (o *options) fits(x *state, in *input, s *series) error {
	fail := func(format string, args ...any) error {
		return cli.Mistakef("-state %s: %s; remove the file to begin anew, with -held for what is active", o.state, fmt.Sprintf(format, args...))
	}
	names := make([]string, len(in.list.Classes))
	for k, c := range in.list.Classes {
		names[k] = c.Name
	}
	switch {
	case x.Model != o.model:
		return fail("it is that of -model %s", x.Model)
	case x.Fit != o.fit:
		return fail("it is that of -fit %d", x.Fit)
	case o.model == "simple" && x.Alpha != o.alpha:
		return fail("it is that of -alpha %v", x.Alpha)
	case !slices.Equal(x.Classes, names):
		return fail("its classes are %q, and not those of the list", x.Classes)
	case x.Weeks > s.weeks:
		return cli.Mistakef("%s: %s have ended, and the state of -state %s has seen %d: want the whole demand, from its start on",
			s.where(), decimal.Count(s.weeks, "week"), o.state, x.Weeks)
	}
	return nil
}

// advance observes the weeks after those of a state, nil for none. Only at the end of
// the last of them is anything bought.
func (o *options) advance(before *state, in *input, s *series) (*state, []pricing.Holding, error) {
	classes := make([]int, len(in.list.Classes))
	for k := range classes {
		classes[k] = k
	}
	portfolio, _, err := o.portfolio(in, classes)
	if err != nil {
		return nil, nil, err
	}
	f := portfolio.Forecaster.(predictor)
	p := in.problem(s)
	p.Held = in.held
	if err := portfolio.Reset(p); err != nil {
		return nil, nil, failed(s, err)
	}
	seen := 0
	now := &state{Model: o.model, Alpha: o.alpha, Fit: o.fit, Weeks: s.weeks, Demand: checksum(s.demand), Bought: make([]int, len(classes))}
	if before != nil {
		var same struct {
			Seen int `json:"seen"`
		}
		err := portfolio.UnmarshalJSON(before.Portfolio)
		if err == nil {
			err = f.Validate()
		}
		if err == nil {
			err = json.Unmarshal(before.Portfolio, &same)
		}
		if err == nil && same.Seen != before.Weeks {
			err = fmt.Errorf("it is no state of this program: it has seen %d weeks, and its portfolio %d", before.Weeks, same.Seen)
		}
		if err != nil {
			return nil, nil, cli.Mistakef("-state %s: %s", o.state, reason(err))
		}
		seen = before.Weeks
		if seen == s.weeks {
			return before, portfolio.Active(nil), nil
		}
	}
	var purchases []pricing.Purchase
	for w := seen; w < s.weeks; w++ {
		week := s.demand[w*s.every : (w+1)*s.every]
		if w < s.weeks-1 { // it is over
			err = portfolio.Learn(week)
		} else {
			purchases, err = portfolio.Observe(purchases, week)
		}
		if err != nil {
			return nil, nil, failed(s, fmt.Errorf("week %d: %w", w, err))
		}
	}
	for _, c := range in.list.Classes {
		now.Classes = append(now.Classes, c.Name)
	}
	for _, q := range purchases {
		now.Bought[q.Class] = q.Count
	}
	if f.Ready() {
		next := []float64{0}
		f.Quantile(next, o.quantile)
		now.Planned = &next[0]
	}
	now.Signal = f.TrackingSignal()
	if now.Portfolio, err = portfolio.MarshalJSON(); err != nil {
		return nil, nil, err
	}
	return now, portfolio.Active(nil), nil
}

func checksum(demand []int) string {
	h := fnv.New64a()
	for _, d := range demand {
		fmt.Fprintln(h, d)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// noteNow says on stderr what was taken for what.
func (o *options) noteNow(stderr io.Writer, before *state, in *input, s *series) {
	notef := func(format string, args ...any) { fmt.Fprintf(stderr, program+": "+format+"\n", args...) }
	switch {
	case before == nil:
		notef("-state %s begins with %s of %s", o.state, decimal.Count(s.weeks, "week"), s.path)
		switch {
		case o.held == "":
			notef("note: no -held, so nothing is taken to be active")
		default:
			n := 0
			for _, h := range in.held {
				n += h.Count
			}
			notef("-held %s: %s active", o.held, decimal.Count(n, "reservation"))
		}
	case before.Weeks == s.weeks:
		notef("note: no week has ended since the last decision, which is this one")
	default:
		notef("%s: %s since the last decision", s.path, decimal.Count(s.weeks-before.Weeks, "week"))
		if s.weeks > before.Weeks+1 {
			notef("note: nothing is taken to be bought in the %s between", decimal.Count(s.weeks-before.Weeks-1, "week"))
		}
	}
	if before != nil && before.Demand != checksum(s.demand[:before.Weeks*s.every]) {
		notef("note: the demand of the first %s is not what was seen; what was seen counts", decimal.Count(before.Weeks, "week"))
	}
	if s.cut > 0 {
		notef("note: %s at the end are of a week that has not ended, and not used", decimal.Count(s.cut, "slot"))
	}
	if len(o.ineffective) > 0 {
		notef("note: %s", nothing(o.ineffective))
	}
}

// jsonNow is what to buy of a class, for machines.
type jsonNow struct {
	Week    int          `json:"week"`
	Class   string       `json:"class"`
	Buy     int          `json:"buy"`
	Active  int          `json:"active"`
	Planned *json.Number `json:"planned"`
	Signal  json.Number  `json:"signal"`
}

func writeNowJSON(w io.Writer, in *input, now *state, active []pricing.Holding) error {
	rows := make([]jsonNow, len(in.list.Classes))
	for k, c := range in.list.Classes {
		rows[k] = jsonNow{Week: now.Weeks, Class: c.Name, Buy: now.Bought[k], Signal: decimal.Number(now.Signal, 6)}
		rows[k].Active, _ = held(active, k)
		if now.Planned != nil {
			n := decimal.Number(*now.Planned, 6)
			rows[k].Planned = &n
		}
	}
	return jsonrows.Write(w, rows)
}

// held returns how many reservations of a class are active, and the slot in which the
// first of them ends.
func held(active []pricing.Holding, class int) (count, until int) {
	until = math.MaxInt
	for _, h := range active {
		if h.Class == class {
			count += h.Count
			until = min(until, h.Until)
		}
	}
	return count, until
}

func (o *options) writeNow(w io.Writer, in *input, s *series, now *state, active []pricing.Holding) error {
	var b bytes.Buffer
	last := s.demand[len(s.demand)-s.every:]
	sum := 0
	for _, d := range last {
		sum += d
	}
	fmt.Fprintf(&b, "What to buy at the start of week %d:\n\n", now.Weeks)
	var rows [][]string
	for k, c := range in.list.Classes {
		n, until := held(active, k)
		ends := "-"
		if n > 0 {
			ends = decimal.Int(until / s.every)
		}
		rows = append(rows, []string{table.Clip(c.Name, 30), decimal.Int(now.Bought[k]), decimal.Int(n), ends})
	}
	if err := table.Write(&b, []table.Column{
		{Title: "class", Left: true}, {Title: "buy"}, {Title: "then\nactive"}, {Title: "the first ends\nin week"},
	}, rows); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\nThe last week had a mean demand of %s.", decimal.Fixed(float64(sum)/float64(len(last)), 1))
	if now.Planned != nil {
		fmt.Fprintf(&b, " The plan is for %s in the next.", decimal.Fixed(*now.Planned, 1))
	}
	fmt.Fprintf(&b, "\nThe tracking signal of the forecast is %s", decimal.Fixed(now.Signal, 2))
	switch {
	case o.alarm > 0 && math.Abs(now.Signal) >= o.alarm:
		b.WriteString(", an alarm: nothing is bought.\n")
	case now.Planned == nil:
		b.WriteString(". The model is not ready yet.\n")
	default:
		b.WriteString(".\n")
	}
	b.WriteString("Weeks count from 0. What is to be bought is taken to be bought.\n")
	_, err := w.Write(b.Bytes())
	return err
}
