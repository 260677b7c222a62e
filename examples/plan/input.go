package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	_ "embed"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
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
	padded  int // slots without demand, added at the end
	peak    int
}

// read reads the files, or takes what is made up.
func (o *options) read() (*input, error) {
	in := new(input)
	p := &in.problem
	p.Slot = o.slot
	p.Every = int(o.interval / o.slot)
	if o.pure {
		p.Horizon = reserve.Pure
	}
	var err error
	if p.Demand, err = o.readDemand(); err != nil {
		return nil, err
	}
	if o.pure && len(p.Demand)%p.Every != 0 {
		in.padded = p.Every - len(p.Demand)%p.Every
		p.Demand = append(p.Demand, make([]int, in.padded)...)
	}
	for _, d := range p.Demand {
		in.peak = max(in.peak, d)
	}
	if p.Prices, err = o.readClasses(); err != nil {
		return nil, err
	}
	if o.held != "" {
		data, err := infile.ReadAll("-held", o.held)
		if err != nil {
			return nil, err
		}
		r := heldReader{data: data, list: p.Prices, slot: o.slot}
		if p.Held, err = r.read(); err != nil {
			return nil, cli.Mistakef("-held %s: %w", o.held, err)
		}
	}
	return in, nil
}

func (o *options) readDemand() ([]int, error) {
	if o.demand == "" {
		return madeUp(), nil
	}
	return demandfile.Read("-demand", o.demand)
}

func (o *options) readClasses() (pricing.List, error) {
	read := func() (*classfile.File, error) { return classfile.Read("-classes", o.classes) }
	if o.classes == "" {
		read = func() (*classfile.File, error) { return classfile.Parse("the default classes", defaultClasses) }
	}
	file, err := read()
	if err != nil {
		return pricing.List{}, err
	}
	return file.List, file.Fits(o.slot)
}

// heldReader reads the inventory.
type heldReader struct {
	data []byte
	list pricing.List
	slot time.Duration
	dec  *json.Decoder
}

func (r *heldReader) read() ([]pricing.Holding, error) {
	if len(bytes.TrimSpace(r.data)) == 0 {
		return nil, errors.New("the file is empty: want an array of objects with class, count and until")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(r.data, &whole); err != nil { // a Decoder's errors have no line
		offset, text := int64(len(r.data)), strings.TrimPrefix(err.Error(), "json: ")
		var bad *json.SyntaxError
		if errors.As(err, &bad) && bad.Offset < offset {
			offset = max(0, bad.Offset-1)
		}
		return nil, fmt.Errorf("line %d: %s", infile.Line(r.data, offset), text)
	}
	r.dec = json.NewDecoder(bytes.NewReader(r.data))
	r.dec.UseNumber()
	if t, _ := r.dec.Token(); t != json.Delim('[') {
		return nil, r.fail("want an array of objects with class, count and until")
	}
	var held []pricing.Holding
	for i := 0; r.dec.More(); i++ {
		h, err := r.holding(i)
		if err != nil {
			return nil, err
		}
		held = append(held, h)
	}
	return held, nil
}

func (r *heldReader) fail(format string, args ...any) error {
	return fmt.Errorf("line %d%s", infile.Line(r.data, r.dec.InputOffset()), fmt.Sprintf(": "+format, args...))
}

func (r *heldReader) failAt(i int, field, format string, args ...any) error {
	return fmt.Errorf("line %d, field [%d].%s: %s", infile.Line(r.data, r.dec.InputOffset()), i, field, fmt.Sprintf(format, args...))
}

// holding reads an object, with the three fields once each in any order.
func (r *heldReader) holding(i int) (h pricing.Holding, err error) {
	if t, _ := r.dec.Token(); t != json.Delim('{') {
		return h, r.fail("element [%d]: want an object with class, count and until", i)
	}
	seen := make(map[string]bool)
	for r.dec.More() {
		t, _ := r.dec.Token()
		field := t.(string) // the decoder takes nothing else for a key
		if seen[field] {
			return h, r.failAt(i, field, "the field is there twice")
		}
		seen[field] = true
		var raw json.RawMessage
		if field == "class" || field == "count" || field == "until" {
			r.dec.Decode(&raw)
		}
		switch field {
		case "class":
			h.Class, err = r.class(i, raw)
		case "count":
			h.Count, err = r.whole(i, field, raw, "a whole number of reservations")
		case "until":
			h.Until, err = r.until(i, raw)
		default:
			err = r.fail("element [%d]: the field %s is unknown: there are class, count and until", i, infile.Quote(field))
		}
		if err != nil {
			return h, err
		}
	}
	r.dec.Token()
	for _, field := range [...]string{"class", "count", "until"} {
		if !seen[field] {
			return h, r.failAt(i, field, "the field is missing")
		}
	}
	if c := r.list.Classes[h.Class]; int64(h.Until) >= int64(c.Term/r.slot) {
		return h, r.failAt(i, "until", "%s slots are left of %s, which was bought before and has a term of %s: want fewer",
			decimal.Int(h.Until), infile.Quote(c.Name), decimal.Int(int(c.Term/r.slot)))
	}
	return h, nil
}

func (r *heldReader) class(i int, raw json.RawMessage) (int, error) {
	var name string
	if raw[0] != '"' || json.Unmarshal(raw, &name) != nil {
		return 0, r.failAt(i, "class", "%s: want the name of a class", infile.Quote(string(raw)))
	}
	names := make([]string, len(r.list.Classes))
	for k, c := range r.list.Classes {
		if c.Name == name {
			return k, nil
		}
		names[k] = c.Name
	}
	return 0, r.failAt(i, "class", "the class %s is unknown: there are %s", infile.Quote(name), strings.Join(names, ", "))
}

func (r *heldReader) whole(i int, field string, raw json.RawMessage, what string) (int, error) {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, r.failAt(i, field, "%s: want %s, 0 to %d", infile.Quote(string(raw)), what, math.MaxInt32)
	}
	return n, nil
}

// until reads a number of slots or a duration.
func (r *heldReader) until(i int, raw json.RawMessage) (int, error) {
	if raw[0] != '"' {
		return r.whole(i, "until", raw, `a duration such as "2000h", or a whole number of slots`)
	}
	var s string
	json.Unmarshal(raw, &s)
	d, err := time.ParseDuration(s)
	switch {
	case err != nil || d < 0:
		return 0, r.failAt(i, "until", `%s: want a duration such as "2000h", or a whole number of slots`, infile.Quote(s))
	case d%r.slot != 0:
		return 0, r.failAt(i, "until", "%s is not a whole number of slots of %s", s, decimal.Span(r.slot))
	case d/r.slot > math.MaxInt32:
		return 0, r.failAt(i, "until", "%s is too long", s)
	}
	return int(d / r.slot), nil
}

// note says on stderr what is planned for.
func (o *options) note(stderr io.Writer, in *input) {
	p := &in.problem
	name := o.demand
	if name == "" {
		name = "no -demand, so a made-up year"
	}
	sum := 0
	for _, d := range p.Demand {
		sum += d
	}
	slots := len(p.Demand) - in.padded
	fmt.Fprintf(stderr, "%s: %s: %s of %s (%s days),\n  at most %s, %s on average\n", program, name,
		decimal.Count(slots, "slot"), decimal.Span(p.Slot), decimal.Grouped(decimal.Fixed(float64(slots)*p.Slot.Hours()/24, 1)),
		decimal.Count(in.peak, "instance"), decimal.Fixed(float64(sum)/float64(slots), 1))
	if in.padded > 0 {
		fmt.Fprintf(stderr, "  and %s without demand, to make whole intervals of %s\n", decimal.Count(in.padded, "slot"), decimal.Span(o.interval))
	}
	if o.classes == "" {
		fmt.Fprintf(stderr, "  no -classes, so made-up ones: $%s an hour on demand", p.Prices.OnDemand)
		for _, c := range p.Prices.Classes {
			fmt.Fprintf(stderr, ", $%s for %s", decimal.Grouped(c.Upfront.Fixed(2)), c.Name)
		}
		fmt.Fprintln(stderr)
	}
	if len(o.ineffective) > 0 {
		fmt.Fprintf(stderr, "%s: note: %s changes nothing here\n", program, strings.Join(o.ineffective, ", "))
	}
}
