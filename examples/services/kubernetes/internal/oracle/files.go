// Package oracle reads the files of the price oracle: the kinds on offer, and the commitments.
package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

const maxFile = 16 << 20

// kind is a [marginal.Kind] with its reservations for sale.
type kind struct {
	marginal.Kind
	Classes []struct {
		Name    string        `json:"name"`
		Term    string        `json:"term"`
		Upfront pricing.Money `json:"upfront"`
		Hourly  pricing.Money `json:"hourly"`
	} `json:"classes"`
}

// held is a [marginal.Held] with its end.
type held struct {
	marginal.Held
	Expires string `json:"expires"`
}

// decode reads one JSON value, the whole of the text.
func decode(in io.Reader, v any, want string) error {
	dec := json.NewDecoder(io.LimitReader(in, maxFile))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%s: want %s", strings.TrimPrefix(err.Error(), "json: "), want)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is text after the array: want one array")
	}
	return nil
}

// ReadKinds reads the kinds on offer: a JSON array of objects as [marginal.Kind] has them.
func ReadKinds(in io.Reader) (*marginal.Market, error) {
	var list []kind
	if err := decode(in, &list, "an array of objects with type, on_demand and, where there are any, system, family, units, plans and classes"); err != nil {
		return nil, err
	}
	kinds := make([]marginal.Kind, len(list))
	for i, k := range list {
		kinds[i] = k.Kind
		for _, c := range k.Classes {
			term, err := time.ParseDuration(c.Term)
			if err != nil || term < time.Hour || term%time.Hour != 0 {
				return nil, fmt.Errorf("kind %d (%s): class %s: term %q: want whole hours such as 8760h", i, k.Type, c.Name, c.Term)
			}
			kinds[i].Classes = append(kinds[i].Classes, pricing.Class{Name: c.Name, Term: term, Upfront: c.Upfront, Hourly: c.Hourly, Billed: pricing.Always})
		}
	}
	return marginal.NewMarket(kinds)
}

// ReadHeld reads commitments: a JSON array of objects as [marginal.Held] has them. A file
// that examples/advise reads with -held is such a file.
func ReadHeld(in io.Reader) ([]marginal.Held, error) {
	var list []held
	if err := decode(in, &list, "an array of objects with id, expires, and type and units, or plan and hourly"); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	out := make([]marginal.Held, len(list))
	for i := range list {
		h := &list[i]
		bad := func(format string, args ...any) error {
			return fmt.Errorf("commitment %d (%s): %s", i, h.ID, fmt.Sprintf(format, args...))
		}
		var err error
		if h.Held.Expires, err = time.Parse(time.DateOnly, h.Expires); err != nil {
			h.Held.Expires, err = time.Parse(time.RFC3339, h.Expires)
		}
		switch {
		case h.ID == "":
			return nil, bad("no id: want a name")
		case ids[h.ID]:
			return nil, bad("a second commitment with this id: want each once, or it counts twice")
		case err != nil:
			return nil, bad("expires %q: want a day such as 2027-03-01, or a time such as 2027-03-01T12:00:00Z", h.Expires)
		case (h.Type == "") == (h.Plan == ""):
			return nil, bad("type %q and plan %q: want one of the two", h.Type, h.Plan)
		case h.Type != "" && (h.Units < 1 || h.Units > math.MaxInt32 || h.Hourly != 0):
			return nil, bad("%d units and %v an hour: want 1 to %d units and no money", h.Units, h.Hourly, math.MaxInt32)
		case h.Plan != "" && (h.Hourly <= 0 || h.Units != 0):
			return nil, bad("%v an hour and %d units: want money above 0 and no units", h.Hourly, h.Units)
		}
		ids[h.ID], out[i] = true, h.Held
	}
	return out, nil
}

// Day writes the end of a commitment as a file may have it: a day, or a time.
func Day(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.UTC().Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}
