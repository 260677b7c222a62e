// Package classfile reads a price list: the price on demand and the classes of
// reservations, in JSON.
package classfile

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
)

// A File is a price list and where it comes from.
type File struct {
	List pricing.List
	name string
	data []byte
}

// Read reads the file that was given with a flag, such as "-classes", plain or
// gzip. The error is the user's mistake, and says where it is.
func Read(flag, path string) (*File, error) {
	data, err := infile.ReadAll(flag, path)
	if err != nil {
		return nil, err
	}
	return Parse(flag+" "+path, data)
}

// Parse reads a list of the given name, as Read does.
func Parse(name string, data []byte) (*File, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, cli.Mistakef("%s: the file is empty: want an object with on_demand and classes", name)
	}
	list, err := pricing.ReadList(bytes.NewReader(data))
	if err != nil {
		return nil, cli.Mistakef("%s: %s", name, located(err))
	}
	return &File{list, name, data}, nil
}

// Fits returns the user's mistake if the term of a class is not a whole number of
// slots.
func (f *File) Fits(slot time.Duration) error {
	for k, c := range f.List.Classes {
		what := ""
		switch {
		case c.Term < slot:
			what = "shorter than a slot"
		case c.Term%slot != 0:
			what = "not a whole number of slots"
		default:
			continue
		}
		return cli.Mistakef("%s: line %d (classes[%d].term): the term of %s, %s, is %s of %s",
			f.name, termLine(f.data, k), k, infile.Quote(c.Name), decimal.Span(c.Term), what, decimal.Span(slot))
	}
	return nil
}

// located is an error of package pricing without the name of the package: the line
// comes first.
func located(err error) string { return strings.TrimPrefix(err.Error(), "pricing: ") }

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
					return infile.Line(data, dec.InputOffset())
				}
			}
		}
	}
	return 1
}
