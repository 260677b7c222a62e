// Package classfile reads the price list that a program is given: the price on demand and
// the classes of reservations, in JSON.
package classfile

import (
	"bytes"
	"cmp"
	_ "embed"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
)

// Default is about what AWS asks for an m5.xlarge in 2026.
//
//go:embed default.json
var Default []byte

// A File is a price list and where it comes from.
type File struct {
	List pricing.List
	name string
}

// Read reads the file that was given with a flag, such as "-classes", plain or gzip; or if
// the path is empty the program's own list. The error is the user's mistake.
func Read(flag, path string, own []byte) (*File, error) {
	if path == "" {
		list, err := pricing.ReadList(bytes.NewReader(own))
		return &File{list, "the default classes"}, err
	}
	list, err := infile.Read(flag, path, pricing.ReadList)
	return &File{list, flag + " " + path}, err
}

// Fits returns the user's mistake if the term of a class is not a whole number of
// slots.
func (f *File) Fits(slot time.Duration) error {
	for k, c := range f.List.Classes {
		if c.Term < slot || c.Term%slot != 0 {
			return cli.Mistakef("%s: classes[%d].term: the term of %s is %s: want a whole number of slots of %s",
				f.name, k, infile.Quote(c.Name), decimal.Span(c.Term), decimal.Span(slot))
		}
	}
	return nil
}

// Names returns the names of the classes.
func Names(list pricing.List) []string {
	names := make([]string, len(list.Classes))
	for k, c := range list.Classes {
		names[k] = c.Name
	}
	return names
}

// ByUsePrice returns the classes in the order in which reservations serve a demand.
func ByUsePrice(list pricing.List) []int {
	order := make([]int, len(list.Classes))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(list.Classes[i].UsePrice(), list.Classes[j].UsePrice())
	})
	return order
}
