// Package oracle reads the files of the price oracle: the kinds on offer, and the contracts held.
package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

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

// ReadKinds reads the kinds on offer: a JSON array of objects as [marginal.Kind] has them.
func ReadKinds(in io.Reader) (*marginal.Market, error) {
	var list []kind
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: want an array of objects with type, on_demand and, where there are any, system, family, units, plans and classes",
			strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is text after the array: want one array")
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

// Held returns contracts as commitments: a count of a type, or what a class spends an hour, which is
// a savings plan. A span until which a contract serves begins now.
func Held(contracts []heldfile.Contract, now time.Time) ([]marginal.Held, error) {
	ids := map[string]bool{}
	out := make([]marginal.Held, len(contracts))
	for i := range contracts {
		c := &contracts[i]
		until, err := c.End(now, time.Hour)
		switch {
		case err != nil:
		case c.ID == "":
			err = errors.New("no id: want a name")
		case ids[c.ID]:
			err = fmt.Errorf("a second contract with the id %s: want each once, or it counts twice", c.ID)
		case (c.Type == "") == (c.Class == ""):
			err = fmt.Errorf("type %q and class %q: want one of the two", c.Type, c.Class)
		case c.Type != "" && c.Count == 0:
			err = errors.New("no count: want the number of instances")
		case c.Class != "" && c.Spend == 0:
			err = errors.New("no spend: want what the savings plan spends an hour")
		}
		if err != nil {
			return nil, fmt.Errorf("contract %d: %w", i, err)
		}
		ids[c.ID] = true
		out[i] = marginal.Held{ID: c.ID, Region: c.Region, Type: c.Type, System: c.System, Units: c.Count, Plan: c.Class, Hourly: c.Spend, Expires: until}
	}
	return out, nil
}
