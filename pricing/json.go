package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A price list in JSON has the form:
//
//	{
//	  "on_demand": 2.4,
//	  "classes": [
//	    {"name": "3y-light", "term": "26280h", "upfront": 2710, "hourly": 0.904, "billed": "when-used"}
//	  ]
//	}
//
// Every field must be there once, and there are no other fields. Prices are
// numbers, or strings for programs that write decimals as strings. A term is a Go
// duration, and billed is "always" or "when-used".

// ReadList reads one price list in JSON from r, to the end of r, and validates it. Prices are read
// exactly, never through a float64.
//
// If the list is not valid, the error is that of [List.Validate]. Otherwise, the error is an
// [*InputError] that unwraps to
//
//   - [ErrMissing], [ErrUnknown] or [ErrDuplicate] for a field that is missing, unknown or given
//     twice,
//   - [ErrSyntax] for a value of the wrong kind,
//   - [ErrPrecision] for a price with more than nine decimals.
//
// The error has the Line, the name of the field in the file, such as "classes.upfront", and the
// Index of the class. If the text is not JSON or not UTF-8, or goes on after the list, the error
// unwraps to ErrSyntax and has no Field. ReadList returns an error of r unchanged.
func ReadList(r io.Reader) (List, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return List{}, err
	}
	return parseList(data)
}

// tooLong reports whether s is a duration beyond the range of [time.Duration], 292 years: it
// cannot be read, and with zeros for digits it can.
func tooLong(s string) bool {
	if _, err := time.ParseDuration(s); err == nil {
		return false
	}
	_, err := time.ParseDuration(strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, s))
	return err == nil
}

// MarshalJSON returns the list in the form that [ReadList] and
// [List.UnmarshalJSON] read, without line breaks. The error is that of
// [List.Validate], or [ErrSyntax] for a name that is not UTF-8.
func (l List) MarshalJSON() ([]byte, error) { return l.append(nil) }

// UnmarshalJSON reads the form that [ReadList] reads, and returns the same errors.
// The list is unchanged when there is an error. As usual, null changes nothing.
func (l *List) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	v, err := parseList(data)
	if err != nil {
		return err
	}
	*l = v
	return nil
}

// parseList reads one list.
func parseList(data []byte) (List, error) {
	p, err := newParser(data)
	if err != nil {
		return List{}, err
	}
	l, err := p.list()
	if err != nil {
		return List{}, err
	}
	if err := l.Validate(); err != nil {
		return List{}, p.place(err)
	}
	return l, nil
}

// newParser returns a parser of a text, which is well-formed JSON in UTF-8 or an error.
func newParser(data []byte) (*listParser, error) {
	if !utf8.Valid(data) {
		bad := 0
		for bad < len(data) {
			c, size := utf8.DecodeRune(data[bad:])
			if c == utf8.RuneError && size == 1 {
				break
			}
			bad += size
		}
		return nil, badText(lineAt(data, bad), "", -1, ErrSyntax, "the byte %#x: want UTF-8", data[bad])
	}
	// The syntax of the whole text comes first: its errors have a line, which those
	// of a json.Decoder do not have, and the parser below sees well-formed values only.
	p := &listParser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, p.syntaxError(err)
	}
	return p, nil
}

// listParser walks the tokens of a list. The field matching of encoding/json
// accepts missing and repeated fields, and does not say where a value was.
type listParser struct {
	data  []byte
	dec   *json.Decoder
	lines []int // where each class begins
}

// line returns the line of the last token read.
func (p *listParser) line() int { return lineAt(p.data, int(p.dec.InputOffset())) }

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte{'\n'})
}

// fail returns an error at the current line.
func (p *listParser) fail(field string, index int, sentinel error, format string, args ...any) error {
	return badText(p.line(), field, index, sentinel, format, args...)
}

// place gives an error of List.Validate the line of its class and the names of
// the file.
func (p *listParser) place(err error) error {
	var in *InputError
	if !errors.As(err, &in) || in.Index < 0 || in.Index >= len(p.lines) {
		return err
	}
	in.Line, in.Field = p.lines[in.Index], strings.ToLower(in.Field)
	return in
}

// syntaxError turns an error of encoding/json into an *InputError.
func (p *listParser) syntaxError(err error) error {
	line, text := lineAt(p.data, len(p.data)), strings.TrimPrefix(err.Error(), "json: ")
	var bad *json.SyntaxError
	switch {
	case errors.As(err, &bad) && bad.Offset >= int64(len(p.data)) && strings.HasPrefix(text, "unexpected end"):
		text = "the text ends before the list does"
	case errors.As(err, &bad):
		line = lineAt(p.data, int(bad.Offset)-1)
	}
	return badText(line, "", -1, ErrSyntax, "%s: want the list in JSON", text)
}

// delim reads an expected delimiter.
func (p *listParser) delim(want json.Delim, field string, index int, what string) error {
	t, err := p.dec.Token()
	if err != nil {
		return p.syntaxError(err)
	}
	if t != want {
		return p.fail(field, index, ErrSyntax, "%s: want %s", token(t), what)
	}
	return nil
}

// object reads an object with exactly the given fields, in any order.
func (p *listParser) object(path string, index int, fields []string, value func(i int) error) error {
	field := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	if err := p.delim('{', path, index, "an object"); err != nil {
		return err
	}
	var seen uint
	for p.dec.More() {
		t, err := p.dec.Token()
		if err != nil {
			return p.syntaxError(err)
		}
		name := t.(string) // the decoder takes nothing else for a key
		at := -1
		for i, f := range fields {
			if f == name {
				at = i
			}
		}
		switch {
		case at < 0:
			return p.fail(path, index, ErrUnknown, "the field %s: want %s", inputerr.Quote(name), strings.Join(fields, ", "))
		case seen&(1<<at) != 0:
			return p.fail(field(name), index, ErrDuplicate, "the field: want it once")
		}
		seen |= 1 << at
		if err := value(at); err != nil {
			return err
		}
	}
	if err := p.delim('}', path, index, "the end of the object"); err != nil {
		return err
	}
	for i, f := range fields {
		if seen&(1<<i) == 0 {
			return p.fail(field(f), index, ErrMissing, "the field: want %s", strings.Join(fields, ", "))
		}
	}
	return nil
}

func (p *listParser) list() (l List, err error) {
	err = p.object("", -1, []string{"on_demand", "classes"}, func(i int) error {
		if i == 0 {
			err := p.money("on_demand", -1, &l.OnDemand)
			if err == nil && l.OnDemand < 0 {
				err = p.fail("on_demand", -1, ErrRange, "%v: want a price of 0 or more", l.OnDemand)
			}
			return err
		}
		return p.classes(&l.Classes)
	})
	return l, err
}

func (p *listParser) classes(classes *[]Class) error {
	if err := p.delim('[', "classes", -1, "an array of classes"); err != nil {
		return err
	}
	for k := 0; p.dec.More(); k++ {
		var c Class
		fields := []string{"name", "term", "upfront", "hourly", "billed"}
		start := -1
		err := p.object("classes", k, fields, func(i int) error {
			if start < 0 {
				start = p.line()
			}
			switch i {
			case 0:
				return p.text("classes.name", k, &c.Name)
			case 1:
				var s string
				if err := p.text("classes.term", k, &s); err != nil {
					return err
				}
				d, err := time.ParseDuration(s)
				switch {
				case tooLong(s):
					return p.fail("classes.term", k, ErrRange, "%s: want at most %s", inputerr.Quote(s), term(time.Duration(math.MaxInt64).Truncate(time.Hour)))
				case err != nil:
					return p.fail("classes.term", k, ErrSyntax, "%s: want a duration such as \"8760h\"", inputerr.Quote(s))
				}
				c.Term = d
				return nil
			case 2:
				return p.money("classes.upfront", k, &c.Upfront)
			case 3:
				return p.money("classes.hourly", k, &c.Hourly)
			}
			var s string
			if err := p.text("classes.billed", k, &s); err != nil {
				return err
			}
			if c.Billed.UnmarshalText([]byte(s)) != nil {
				return p.fail("classes.billed", k, ErrUnknown, "%s: want %s", inputerr.Quote(s), billings.Want())
			}
			return nil
		})
		if err != nil {
			return err
		}
		*classes = append(*classes, c)
		p.lines = append(p.lines, start)
	}
	return p.delim(']', "classes", -1, "the end of the array")
}

// money reads a price.
func (p *listParser) money(field string, index int, m *Money) error {
	var raw json.RawMessage
	if err := p.dec.Decode(&raw); err != nil {
		return p.syntaxError(err)
	}
	if c := raw[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return p.fail(field, index, ErrSyntax, "%s: want a price such as 2.4", kindOf(c))
	}
	if err := m.UnmarshalJSON(raw); err != nil {
		in := err.(*InputError)
		return &InputError{Package: in.Package, Field: field, Index: index, Line: p.line(), Err: in.Err}
	}
	return nil
}

// text reads a string.
func (p *listParser) text(field string, index int, s *string) error {
	t, err := p.dec.Token()
	if err != nil {
		return p.syntaxError(err)
	}
	v, ok := t.(string)
	if !ok {
		return p.fail(field, index, ErrSyntax, "%s: want a string", token(t))
	}
	*s = v
	return nil
}

// token describes a token for an error.
func token(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		return kindOf(byte(t))
	case string:
		return "the string " + inputerr.Quote(t)
	case float64:
		return "a number"
	case bool:
		return "true or false"
	}
	return "null"
}

// kindOf describes the value that begins with c.
func kindOf(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '}':
		return "the end of the object"
	case ']':
		return "the end of the array"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// append appends the list as JSON.
func (l List) append(b []byte) ([]byte, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	b = append(l.OnDemand.append(append(b, `{"on_demand":`...)), `,"classes":[`...)
	for k, c := range l.Classes {
		if !utf8.ValidString(c.Name) {
			return nil, badInput("Classes.Name", k, ErrSyntax, "%s: want UTF-8", inputerr.Quote(c.Name))
		}
		name, err := json.Marshal(c.Name)
		if err != nil {
			return nil, err
		}
		if k > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":`...), name...)
		b = append(b, `,"term":"`+term(c.Term)+`","upfront":`...)
		b = append(c.Upfront.append(b), `,"hourly":`...)
		b = append(c.Hourly.append(b), `,"billed":"`+c.Billed.String()+`"}`...)
	}
	return append(b, "]}"...), nil
}

// term writes a duration without the minutes and seconds that are zero.
func term(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
