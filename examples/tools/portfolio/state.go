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
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/onlineportfolio"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/advice"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// A state is what -state keeps from week to week: the portfolio with its forecaster, the
// flags that made them, and the last decision.
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
	Alarm   bool     `json:"alarm"`   // the signal is one that chance does not explain

	Portfolio json.RawMessage `json:"portfolio"`
}

// A decision is what to buy now.
type decision struct {
	o      *options
	in     *input
	s      *series
	now    *state
	active []pricing.Holding
	answer *advice.Advice // nil until the model is ready
}

// act takes the weeks that have ended since the last decision, decides what to buy now,
// and keeps the state.
func (o *options) act(run *cli.Run) (*decision, error) {
	unlock, err := o.lockState()
	if err != nil {
		return nil, err
	}
	run.Files.OnEnd(unlock)
	before, err := o.readState()
	if err != nil {
		return nil, err
	}
	out, err := run.Create("state", o.state)
	if err != nil {
		return nil, err
	}
	d, err := o.readNow()
	if err == nil && before != nil {
		err = d.fits(before)
	}
	if err == nil {
		err = d.advance(before)
	}
	if err != nil {
		return nil, err
	}
	d.note(run, before)
	if before != nil && d.s.weeks == before.Weeks {
		run.Files.Abort() // the state stays as it is
		return d, nil
	}
	data, err := json.Marshal(d.now)
	if err == nil {
		_, err = out.Write(append(data, '\n'))
	}
	return d, err
}

// lockState keeps other processes from the state until the function that it returns is
// called, so that no decision is lost. The lock is of a file beside the state, because the
// state is replaced. The error is the user's mistake.
func (o *options) lockState() (unlock func(), err error) {
	if info, err := os.Stat(o.state); err == nil && !info.Mode().IsRegular() {
		what := "is not a regular file"
		if info.IsDir() {
			what = "is a folder"
		}
		return nil, cli.Mistakef("cannot read -state %s: %s", o.state, what)
	}
	path := o.state
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	path += ".lock"
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if errors.Is(err, fs.ErrNotExist) {
			return func() {}, nil // no folder, as the creation of the state says
		}
		if err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				err = p.Err
			}
			return nil, cli.Mistakef("cannot write -state %s: %v", path, err)
		}
		alone, err := filelock.Exclude(f)
		if err == nil && !alone {
			err = errors.New("another process uses it: want one at a time")
		}
		if err != nil {
			f.Close()
			return nil, cli.Mistakef("cannot lock -state %s: %v", o.state, err)
		}
		// Who had the lock before may have removed the file since it was opened here.
		mine, err := f.Stat()
		now, e := os.Stat(path)
		if err == nil && e == nil && os.SameFile(mine, now) {
			return func() { os.Remove(path); f.Close() }, nil
		}
		f.Close()
	}
}

// readState returns the state; nil if there is none yet, or -held begins a new one.
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
func (o *options) readNow() (*decision, error) {
	in, s, err := o.read()
	if err != nil {
		return nil, err
	}
	if o.held != "" {
		if in.held, err = classfile.Held("-held", o.held, in.List, s.slot); err != nil {
			return nil, err
		}
		for i := range in.held {
			in.held[i].Until += len(s.demand)
		}
	}
	return &decision{o: o, in: in, s: s}, nil
}

// fits returns the user's mistake if a state is not one to go on from.
func (d *decision) fits(x *state) error {
	o, why := d.o, ""
	switch {
	case x.Model != o.Model:
		why = "it is that of -model " + x.Model
	case x.Fit != o.Fit:
		why = fmt.Sprintf("it is that of -fit %d", x.Fit)
	case o.Model == "simple" && x.Alpha != o.Alpha:
		why = fmt.Sprintf("it is that of -alpha %v", x.Alpha)
	case !slices.Equal(x.Classes, classfile.Names(d.in.List)):
		why = fmt.Sprintf("its classes are %q, and not those of the list", x.Classes)
	case x.Weeks > d.s.weeks:
		return cli.Mistakef("%s: %s have ended, and the state of -state %s has seen %d: want the whole demand, from its start on",
			d.s.where(), decimal.Count(d.s.weeks, "week"), o.state, x.Weeks)
	default:
		return nil
	}
	return cli.Mistakef("-state %s: %s; remove the file to begin anew, with -held for what is active", o.state, why)
}

// advance observes the weeks that a state has not seen; nil is no state.
func (d *decision) advance(before *state) error {
	o, s := d.o, d.s
	portfolio := o.New(d.in.Caps)
	p := d.in.problem(s)
	p.Held = d.in.held
	if err := portfolio.Reset(p); err != nil {
		return onlineportfolio.Explain(s.where(), -1, err)
	}
	if before != nil {
		if err := portfolio.UnmarshalJSON(before.Portfolio); err != nil {
			return cli.Mistakef("-state %s: %s", o.state, cli.Reason(err, nil))
		}
		if seen := portfolio.Seen(); seen != before.Weeks {
			return cli.Mistakef("-state %s: it is no state of this program: it has seen %d weeks, and its portfolio %d", o.state, before.Weeks, seen)
		}
	}
	purchases, err := portfolio.Advance(nil, s.demand)
	if err != nil {
		return onlineportfolio.Explain(s.where(), portfolio.Seen(), err)
	}
	d.active = portfolio.Active(nil)
	if before != nil && before.Weeks == s.weeks {
		d.now = before
		return d.explain(portfolio)
	}
	d.now = &state{Model: o.Model, Alpha: o.Alpha, Fit: o.Fit, Classes: classfile.Names(d.in.List), Weeks: s.weeks, Demand: checksum(s.demand),
		Bought: make([]int, len(d.in.List.Classes)), Signal: portfolio.Forecaster.(interface{ TrackingSignal() float64 }).TrackingSignal()}
	if f, ok := portfolio.Forecaster.(interface{ Alarm() bool }); ok {
		d.now.Alarm = f.Alarm()
	}
	for _, q := range purchases {
		d.now.Bought[q.Class] = q.Count
	}
	if next := portfolio.Next(); !math.IsNaN(next) {
		d.now.Planned = &next
	}
	if d.now.Portfolio, err = portfolio.MarshalJSON(); err != nil {
		return err
	}
	return d.explain(portfolio)
}

const (
	futures     = 20 // that the answer weighs
	futureWeeks = 52
)

// explain says what the order costs, saves and risks over futures that the portfolio's
// forecaster draws for the next year. A future has means of weeks. Each week has the hours of
// the same week a year ago or, in a shorter history, of one of the last eight weeks.
func (d *decision) explain(portfolio *rules.Online) error {
	s := d.s
	f, ok := portfolio.Forecaster.(interface {
		Ready() bool
		Paths(dst [][]float64, rng *rand.Rand)
	})
	if !ok || !f.Ready() {
		return nil
	}
	r := &advice.Request{Now: d.o.date, Slot: s.slot, OnDemand: d.in.List.OnDemand, Every: onlineportfolio.Week}
	rng := rand.New(rand.NewPCG(d.o.Seed, uint64(d.now.Weeks)))
	rows := make([][]float64, futures)
	for i := range rows {
		rows[i] = make([]float64, futureWeeks)
	}
	f.Paths(rows, rng)
	for _, row := range rows {
		path := make([]int, 0, futureWeeks*s.every)
		for w, mean := range row {
			from := s.weeks - futureWeeks + w
			if from < 0 {
				from = s.weeks - 1 - rng.IntN(min(8, s.weeks))
			}
			week := s.demand[from*s.every : (from+1)*s.every]
			sum := 0
			for _, x := range week {
				sum += x
			}
			for _, x := range week {
				y := mean
				if sum > 0 {
					y = mean * float64(x) * float64(s.every) / float64(sum)
				}
				path = append(path, int(min(max(0, math.Round(y)), math.MaxInt32)))
			}
		}
		r.Paths = append(r.Paths, path)
	}
	var order []advice.Count
	for k, c := range d.in.List.Classes {
		r.Offers = append(r.Offers, advice.Offer{Class: c})
		order = append(order, advice.Count{Class: c.Name, Units: d.now.Bought[k]})
	}
	bought := slices.Clone(d.now.Bought)
	for _, h := range slices.Backward(d.active) { // what is bought now is active, and ends last
		n := h.Count
		if term := int(d.in.List.Classes[h.Class].Term / s.slot); h.Until == len(s.demand)+term {
			taken := min(n, bought[h.Class])
			n, bought[h.Class] = n-taken, bought[h.Class]-taken
		}
		if left := h.Until - len(s.demand); n > 0 {
			r.Held = append(r.Held, advice.Contract{Class: d.in.List.Classes[h.Class].Name, Units: n, Expires: r.Now.Add(time.Duration(left) * s.slot)})
		}
	}
	var err error
	d.answer, err = advice.Explain(r, order)
	return onlineportfolio.Explain(s.where(), -1, err)
}

func checksum(demand []int) string {
	h := fnv.New64a()
	for _, d := range demand {
		fmt.Fprintln(h, d)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// note prints what the program assumes.
func (d *decision) note(run *cli.Run, before *state) {
	o, s := d.o, d.s
	switch {
	case before == nil:
		run.Sayf("-state %s begins with %s of %s", o.state, decimal.Count(s.weeks, "week"), s.path)
		if o.held == "" {
			run.Sayf("note: no -held, so nothing is taken to be active")
			break
		}
		n := 0
		for _, h := range d.in.held {
			n += h.Count
		}
		run.Sayf("-held %s: %s active", o.held, decimal.Count(n, "reservation"))
	case before.Weeks == s.weeks:
		run.Sayf("note: no week has ended since the last decision, which is this one")
	default:
		run.Sayf("%s: %s since the last decision", s.path, decimal.Count(s.weeks-before.Weeks, "week"))
		if s.weeks > before.Weeks+1 {
			run.Sayf("note: nothing is taken to be bought in the %s between", decimal.Count(s.weeks-before.Weeks-1, "week"))
		}
	}
	if before != nil && before.Demand != checksum(s.demand[:before.Weeks*s.every]) {
		run.Sayf("note: the demand of the first %s is not what was seen; what was seen counts", decimal.Count(before.Weeks, "week"))
	}
	if s.cut > 0 {
		run.Sayf("note: %s at the end are of a week that has not ended, and not used", decimal.Count(s.cut, "slot"))
	}
}

func (d *decision) rows() any {
	var rows []jsonrows.Row
	for k, c := range d.in.List.Classes {
		active, _ := held(d.active, k)
		row := jsonrows.Row{"week", d.now.Weeks, "class", c.Name, "buy", d.now.Bought[k], "active", active, "planned", nil, "signal", decimal.Number(d.now.Signal, 6), "alarm", d.now.Alarm}
		if d.now.Planned != nil {
			row[9] = decimal.Number(*d.now.Planned, 6)
		}
		if d.answer != nil {
			row = append(row, "date", d.answer.Now.Format(time.DateOnly))
			for _, x := range d.answer.Orders {
				if x.Class == c.Name {
					row = append(row, "upfront", x.Upfront.String(), "commitment", x.Commitment.String(), "saving", x.Saving.String(), "loss", decimal.Number(x.Loss, 6),
						"last_use", decimal.Number(x.LastUse, 6), "break_even", decimal.Number(x.BreakEven, 6), "waiting", x.Waiting.String())
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
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

func (d *decision) text(w *table.Page) error {
	s, now := d.s, d.now
	last := s.demand[len(s.demand)-s.every:]
	sum := 0
	for _, d := range last {
		sum += d
	}
	w.Printf("What to buy at the start of week %d:\n\n", now.Weeks)
	var rows [][]string
	for k, c := range d.in.List.Classes {
		n, until := held(d.active, k)
		ends := "-"
		if n > 0 {
			ends = decimal.Int(until / s.every)
		}
		rows = append(rows, []string{table.Clip(c.Name, 30), decimal.Int(now.Bought[k]), decimal.Int(n), ends})
	}
	w.Table("<class|buy|then\nactive|the first ends\nin week", rows)
	w.Printf("\nThe last week had a mean demand of %s.", decimal.Fixed(float64(sum)/float64(len(last)), 1))
	if now.Planned != nil {
		w.Printf(" The plan is for %s in the next.", decimal.Fixed(*now.Planned, 1))
	}
	w.Printf("\nThe tracking signal of the forecast is %s", decimal.Fixed(now.Signal, 2))
	switch {
	case d.o.Alarm > 0 && math.Abs(now.Signal) > d.o.Alarm:
		w.Printf(", an alarm: nothing is bought.\n")
	case now.Alarm && now.Planned != nil:
		way := "low"
		if now.Signal < 0 {
			way = "high"
		}
		w.Printf(", an alarm:\nthe forecasts of late were too %s by more than chance.\nFind out what has changed before you order.\nWith -alarm %s nothing is ordered until then.\n", way, decimal.Fixed(math.Floor(10*math.Abs(now.Signal)-.001)/10, 1))
	case now.Planned == nil:
		w.Printf(". The model is not ready yet.\n")
	default:
		w.Printf(".\n")
	}
	w.Printf("Weeks count from 0. What is to be bought is taken to be bought.\n")
	if d.answer != nil {
		w.Printf("\n%s", d.answer.Text())
	}
	return nil
}
