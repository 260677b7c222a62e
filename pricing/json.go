package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// The form of a price list in JSON:
//
//	{
//	  "on_demand": 2.4,
//	  "classes": [
//	    {"name": "3y-light", "term": "26280h", "upfront": 2710, "hourly": 0.904, "billed": "when-used"}
//	  ]
//	}
//
// Every field has to be there once, and there are no others. Prices are numbers,
// or strings where a program insists on them; a term is a Go duration; billed is
// "always" or "when-used".

// ReadList reads one price list in JSON from r, to its end, and validates it.
//
// Prices are read exactly, never through a float64. What is wrong is an
// [*InputError] whose Field is the path, such as "classes.upfront" with the class
// as its Index, and whose text gives the line: a field that is missing
// ([ErrMissing]), unknown ([ErrUnknown]) or given twice ([ErrDuplicate]), a value
// of the wrong kind ([ErrSyntax]), a price with more than nine decimals
// ([ErrPrecision]), and what [List.Validate] refuses. Text that is not JSON or
// not UTF-8, or that goes on after the list, is ErrSyntax with the Field "list".
// An error of r is returned as it is.
func ReadList(r io.Reader) (List, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return List{}, err
	}
	if !utf8.Valid(data) {
		bad := 0
		for bad < len(data) {
			c, size := utf8.DecodeRune(data[bad:])
			if c == utf8.RuneError && size == 1 {
				break
			}
			bad += size
		}
		return List{}, badInput("list", -1, ErrSyntax, "line %d: text that is not UTF-8", lineAt(data, bad))
	}
	// The syntax of the whole first: so its errors have a line, which those of a
	// json.Decoder have not, and what follows deals with well formed values only.
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return List{}, syntaxError(data, err)
	}
	p := listParser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	l, err := p.list()
	if err != nil {
		return List{}, err
	}
	if err := l.Validate(); err != nil {
		return List{}, p.place(err)
	}
	return l, nil
}

// listParser walks the tokens of a list, since encoding/json's own matching of
// fields lets missing and repeated ones pass and says of no value where it was.
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
	return badInput(field, index, sentinel, "line %d: "+format, append([]any{p.line()}, args...)...)
}

// place adds the line of its class to an error of List.Validate.
func (p *listParser) place(err error) error {
	var in *InputError
	if !errors.As(err, &in) || in.Index < 0 || in.Index >= len(p.lines) {
		return err
	}
	return badInput(in.Field, in.Index, in.Err, "line %d: %v", p.lines[in.Index], in.Err)
}

// syntaxError turns an error of encoding/json into ours.
func syntaxError(data []byte, err error) error {
	line, text := lineAt(data, len(data)), strings.TrimPrefix(err.Error(), "json: ")
	var bad *json.SyntaxError
	switch {
	case errors.As(err, &bad) && bad.Offset >= int64(len(data)) && strings.HasPrefix(text, "unexpected end"):
		text = "the text ends before the list does"
	case errors.As(err, &bad):
		line = lineAt(data, int(bad.Offset)-1)
	}
	return badInput("list", -1, ErrSyntax, "line %d: %s", line, text)
}

// delim reads an expected delimiter.
func (p *listParser) delim(want json.Delim, field string, index int, what string) error {
	t, err := p.dec.Token()
	if err != nil {
		return syntaxError(p.data, err)
	}
	if t != want {
		return p.fail(field, index, ErrSyntax, "%s is wanted here", what)
	}
	return nil
}

// object reads an object with exactly the given fields, in any order.
func (p *listParser) object(path string, index int, fields []string, value func(i int) error) error {
	field := func(name string) string {
		if path == "list" {
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
			return syntaxError(p.data, err)
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
			return p.fail(path, index, ErrUnknown, "the field %s is unknown; there are %s", quote(name), strings.Join(fields, ", "))
		case seen&(1<<at) != 0:
			return p.fail(field(name), index, ErrDuplicate, "the field is there twice")
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
			return p.fail(field(f), index, ErrMissing, "the field is missing")
		}
	}
	return nil
}

func (p *listParser) list() (l List, err error) {
	err = p.object("list", -1, []string{"on_demand", "classes"}, func(i int) error {
		if i == 0 {
			err := p.money("on_demand", -1, &l.OnDemand)
			if err == nil && l.OnDemand < 0 {
				err = p.fail("on_demand", -1, ErrRange, "the price %v is negative", l.OnDemand)
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
				if err != nil {
					return p.fail("classes.term", k, ErrSyntax, "%s is not a duration such as \"8760h\"", quote(s))
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
				return p.fail("classes.billed", k, ErrUnknown, `%s is neither "always" nor "when-used"`, quote(s))
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
		return syntaxError(p.data, err)
	}
	if c := raw[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return p.fail(field, index, ErrSyntax, "a price is a number such as 2.4")
	}
	if err := m.UnmarshalJSON(raw); err != nil {
		cause := errors.Unwrap(err)
		return p.fail(field, index, cause, "%v", cause)
	}
	return nil
}

// text reads a string.
func (p *listParser) text(field string, index int, s *string) error {
	t, err := p.dec.Token()
	if err != nil {
		return syntaxError(p.data, err)
	}
	v, ok := t.(string)
	if !ok {
		return p.fail(field, index, ErrSyntax, "a string is wanted here")
	}
	*s = v
	return nil
}

// WriteList validates l and writes it to w as JSON that [ReadList] reads back
// equal, a class to a line, in one call of Write. The error is that of
// [List.Validate], [ErrSyntax] for a name that is not UTF-8, or w's.
func WriteList(w io.Writer, l List) error {
	if err := l.Validate(); err != nil {
		return err
	}
	b := append([]byte("{\n  \"on_demand\": "), l.OnDemand.String()...)
	b = append(b, ",\n  \"classes\": ["...)
	for k, c := range l.Classes {
		if !utf8.ValidString(c.Name) {
			return badInput("classes.name", k, ErrSyntax, "%s is not UTF-8", quote(c.Name))
		}
		name, err := json.Marshal(c.Name)
		if err != nil {
			return err
		}
		if k > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n    {\"name\": "...)
		b = append(b, name...)
		b = append(b, `, "term": "`...)
		b = append(b, term(c.Term)...)
		b = append(b, `", "upfront": `...)
		b = c.Upfront.append(b)
		b = append(b, `, "hourly": `...)
		b = c.Hourly.append(b)
		b = append(b, `, "billed": "`...)
		b = append(b, c.Billed.String()...)
		b = append(b, `"}`...)
	}
	if len(l.Classes) > 0 {
		b = append(b, "\n  "...)
	}
	b = append(b, "]\n}\n"...)
	_, err := w.Write(b)
	return err
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
