// Package heldfile reads contracts that are held: an array in JSON, of reservations and
// savings plans.
//
//	[{"class": "1y", "count": 12, "until": "2000h"},
//	 {"id": "ri-17", "type": "m5.large", "region": "eu-west-1", "count": 12, "until": "2027-03-01"},
//	 {"id": "sp-3", "class": "1y-sp", "spend": 5.2, "until": "2027-03-01"}]
//
// A contract serves a class of a price list, or a type of instance in a region with a system
// ("linux" unless it says so). Its size is a count of instances, or, of a savings plan, what is
// spent an hour. It serves until a day, or for a span or a number of slots from the start of
// what is planned.
package heldfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Contract is an object of the file.
type Contract struct {
	ID     string        `json:"id,omitempty"`
	Class  string        `json:"class,omitempty"`
	Type   string        `json:"type,omitempty"`
	Region string        `json:"region,omitempty"`
	System string        `json:"system,omitempty"`
	Count  int           `json:"count,omitempty"`
	Spend  pricing.Money `json:"spend,omitzero"`
	Until  any           `json:"until"`
	Bought string        `json:"bought,omitempty"` // the day of the order, where a program keeps the file
}

// Read reads the file that was given with a flag, such as "-held", plain or gzip. The error is
// the user's mistake.
func Read(flag, path string) ([]Contract, error) {
	return infile.Read(flag, path, func(in io.Reader) ([]Contract, error) {
		d := json.NewDecoder(in)
		d.DisallowUnknownFields()
		var list []Contract
		if err := d.Decode(&list); err != nil {
			return nil, fmt.Errorf("want an array of objects with class or type, count or spend, and until: %w", err)
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, errors.New("there is more after the array")
		}
		for i := range list {
			if err := list[i].check(); err != nil {
				return nil, fmt.Errorf("contract %d: %w", i, err)
			}
		}
		return list, nil
	})
}

func (c *Contract) check() error {
	switch {
	case c.Class == "" && c.Type == "" && c.ID == "":
		return errors.New("no class and no type: want what the contract is for")
	case c.Count < 0 || c.Count > math.MaxInt32:
		return fmt.Errorf("a count of %d: want 1 to %d", c.Count, math.MaxInt32)
	case c.Spend < 0:
		return fmt.Errorf("spend %v: want 0 or more", c.Spend)
	case c.Count > 0 && c.Spend > 0:
		return errors.New("a count and spend: want one of them")
	case c.Count == 0 && c.Spend == 0 && (c.Class != "" || c.Type != ""):
		return errors.New("no count: want a whole number of instances, or spend an hour")
	}
	_, err := c.End(time.Time{}.AddDate(2000, 0, 0), time.Hour)
	return err
}

// End returns when the contract ends, if slot 0 begins at now. A zero now is an unknown day.
func (c *Contract) End(now time.Time, slot time.Duration) (time.Time, error) {
	switch x := c.Until.(type) {
	case float64:
		if x >= 0 && x == math.Trunc(x) && x*float64(slot) < math.MaxInt64 {
			return now.Add(time.Duration(x) * slot), nil
		}
	case string:
		if d, err := time.ParseDuration(x); err == nil && d >= 0 {
			return now.Add(d), nil
		}
		if t, err := time.Parse(time.DateOnly, x); err == nil {
			if now.IsZero() {
				return t, fmt.Errorf("until %s: the demand has no dates: want -date, the day on which it begins, or a span such as 2000h", x)
			}
			return t, nil
		}
	}
	return now, fmt.Errorf("until %v: want a day such as 2027-03-01, a span such as 2000h, or a number of slots", c.Until)
}

// Instances returns how many instances a contract of the class serves.
func (c *Contract) Instances(class *pricing.Class) (int, error) {
	if c.Spend == 0 {
		return c.Count, nil
	}
	if class.Hourly <= 0 {
		return 0, fmt.Errorf("spend %v: the class %s has no price an hour: want a count", c.Spend, infile.Quote(class.Name))
	}
	return int(min(c.Spend/class.Hourly, math.MaxInt32)), nil
}

// Holdings reads contracts of the classes of a list that serve a demand whose slot 0 begins at
// now, which is zero if nobody knows. A contract that has ended is left out.
func Holdings(flag, path string, list pricing.List, slot time.Duration, now time.Time) ([]pricing.Holding, error) {
	contracts, err := Read(flag, path)
	if err != nil {
		return nil, err
	}
	var held []pricing.Holding
	for i, c := range contracts {
		h, err := c.holding(list, slot, now)
		if err != nil {
			return nil, cli.Mistakef("%s %s: contract %d: %w", flag, path, i, err)
		}
		if h.Until > 0 {
			held = append(held, h)
		}
	}
	return held, nil
}

func (c *Contract) holding(list pricing.List, slot time.Duration, now time.Time) (h pricing.Holding, err error) {
	if h.Class, err = list.Find(c.Class); err != nil {
		return h, errors.New("class: " + cli.Detail(err))
	}
	class := &list.Classes[h.Class]
	if h.Count, err = c.Instances(class); err != nil {
		return h, err
	}
	end, err := c.End(now, slot)
	if err != nil {
		return h, err
	}
	h.Until = int(end.Sub(now) / slot)
	if most := max(1, int(class.Term/slot)); h.Until >= most {
		return h, fmt.Errorf("until %v: %d slots: want fewer than the term of %s, which was bought before: %d", c.Until, h.Until, infile.Quote(class.Name), most)
	}
	return h, nil
}
