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
	"unicode/utf8"

	_ "embed"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
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
	data, err := infile.ReadAll("-demand", o.demand)
	if err != nil {
		return nil, err
	}
	demand, err := parseDemand(data)
	if err != nil {
		return nil, cli.Mistakef("-demand %s: %w", o.demand, err)
	}
	return demand, nil
}

// parseDemand reads a header line and the numbers after it, one a line.
func parseDemand(data []byte) ([]int, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the file is empty: want a header line, then a number a line")
	}
	data = bytes.TrimRight(data, "\r\n \t")
	demand := make([]int, 0, bytes.Count(data, []byte{'\n'}))
	field, line := "", 0
	for text := range bytes.SplitSeq(data, []byte{'\n'}) {
		line++
		s := strings.TrimSpace(string(text))
		if line == 1 {
			if field = s; s == "" {
				return nil, errors.New("line 1 is blank: want a header line, such as instances")
			}
			if _, err := strconv.ParseFloat(s, 64); err == nil {
				return nil, fmt.Errorf("line 1 is the number %s: want a header line, such as instances, before the demand", s)
			}
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("line %d, field %s: %s: want a whole number of instances, 0 to %d, and no more on the line",
				line, quote(field), described(s), math.MaxInt32)
		}
		demand = append(demand, n)
	}
	if len(demand) == 0 {
		return nil, errors.New("there is no demand after the header line")
	}
	return demand, nil
}

// described says what a text is that is no number of instances.
func described(s string) string {
	if s == "" {
		return "the line is blank"
	}
	if strings.ContainsAny(s, ",;") {
		return quote(s) + " is more than one field"
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return quote(s) + " is not a number"
	case x < 0:
		return s + " is negative"
	case x != math.Trunc(x):
		return s + " is not whole"
	case x > math.MaxInt32:
		return quote(s) + " is too large"
	}
	return quote(s) + " is not written in digits alone"
}

// quote quotes a piece of a file, cut to a length that fits in a sentence.
func quote(s string) string {
	if utf8.RuneCountInString(s) > 40 {
		s = string([]rune(s)[:40]) + "…"
	}
	return strconv.Quote(s)
}

func (o *options) readClasses() (pricing.List, error) {
	data, name := defaultClasses, "the default classes"
	if o.classes != "" {
		var err error
		if data, err = infile.ReadAll("-classes", o.classes); err != nil {
			return pricing.List{}, err
		}
		name = "-classes " + o.classes
		if len(bytes.TrimSpace(data)) == 0 {
			return pricing.List{}, cli.Mistakef("%s: the file is empty: want an object with on_demand and classes", name)
		}
	}
	list, err := pricing.ReadList(bytes.NewReader(data))
	if err != nil {
		return list, cli.Mistakef("%s: %s", name, located(err))
	}
	for k, c := range list.Classes {
		what := ""
		switch {
		case c.Term < o.slot:
			what = "shorter than a slot"
		case c.Term%o.slot != 0:
			what = "not a whole number of slots"
		default:
			continue
		}
		return list, cli.Mistakef("%s: line %d, field classes[%d].term: the term of %s, %s, is %s of %s",
			name, termLine(data, k), k, quote(c.Name), short(c.Term), what, short(o.slot))
	}
	return list, nil
}

// located puts the line of an error of package pricing first.
func located(err error) string {
	var in *pricing.InputError
	if !errors.As(err, &in) {
		return err.Error()
	}
	field := strings.TrimPrefix(in.Error(), "pricing: ")
	text := in.Err.Error()
	field = strings.TrimSuffix(field, ": "+text)
	if line, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(line, "line ") {
		if field == "list" { // the whole of it
			return line + ": " + rest
		}
		return fmt.Sprintf("%s, field %s: %s", line, field, rest)
	}
	return fmt.Sprintf("field %s: %s", field, text)
}

// termLine returns the line of the term of class k in a list that has been read
// without an error.
func termLine(data []byte, k int) int {
	dec := json.NewDecoder(bytes.NewReader(data))
	in := func() { dec.Token() } // past a delimiter
	in()
	for dec.More() {
		key, _ := dec.Token()
		if key != "classes" {
			dec.Decode(new(json.RawMessage))
			continue
		}
		in()
		for i := 0; dec.More(); i++ {
			if i != k {
				dec.Decode(new(json.RawMessage))
				continue
			}
			in()
			for dec.More() {
				key, _ := dec.Token()
				dec.Decode(new(json.RawMessage))
				if key == "term" {
					return lineAt(data, dec.InputOffset())
				}
			}
		}
	}
	return 1
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:offset], []byte{'\n'})
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
		return nil, fmt.Errorf("line %d: %s", lineAt(r.data, offset), text)
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
	return fmt.Errorf("line %d%s", lineAt(r.data, r.dec.InputOffset()), fmt.Sprintf(": "+format, args...))
}

func (r *heldReader) failAt(i int, field, format string, args ...any) error {
	return fmt.Errorf("line %d, field [%d].%s: %s", lineAt(r.data, r.dec.InputOffset()), i, field, fmt.Sprintf(format, args...))
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
			err = r.fail("element [%d]: the field %s is unknown: there are class, count and until", i, quote(field))
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
			decimal.Int(h.Until), quote(c.Name), decimal.Int(int(c.Term/r.slot)))
	}
	return h, nil
}

func (r *heldReader) class(i int, raw json.RawMessage) (int, error) {
	var name string
	if raw[0] != '"' || json.Unmarshal(raw, &name) != nil {
		return 0, r.failAt(i, "class", "%s: want the name of a class", quote(string(raw)))
	}
	names := make([]string, len(r.list.Classes))
	for k, c := range r.list.Classes {
		if c.Name == name {
			return k, nil
		}
		names[k] = c.Name
	}
	return 0, r.failAt(i, "class", "the class %s is unknown: there are %s", quote(name), strings.Join(names, ", "))
}

func (r *heldReader) whole(i int, field string, raw json.RawMessage, what string) (int, error) {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, r.failAt(i, field, "%s: want %s, 0 to %d", quote(string(raw)), what, math.MaxInt32)
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
		return 0, r.failAt(i, "until", `%s: want a duration such as "2000h", or a whole number of slots`, quote(s))
	case d%r.slot != 0:
		return 0, r.failAt(i, "until", "%s is not a whole number of slots of %s", s, short(r.slot))
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
		decimal.Count(slots, "slot"), short(p.Slot), decimal.Grouped(decimal.Fixed(float64(slots)*p.Slot.Hours()/24, 1)),
		decimal.Count(in.peak, "instance"), decimal.Fixed(float64(sum)/float64(slots), 1))
	if in.padded > 0 {
		fmt.Fprintf(stderr, "  and %s without demand, to make whole intervals of %s\n", decimal.Count(in.padded, "slot"), short(o.interval))
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
