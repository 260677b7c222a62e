package main

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/bill"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/parquet"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// read reads all files.
func (o *options) read(run *cli.Run) (*results, error) {
	r := &results{o: o, matched: map[string]bool{}}
	c := usage.Collector{KeepRepeats: o.keepRepeats}
	if len(o.bills) == 0 {
		if err := r.madeUp(&c); err != nil {
			return nil, err
		}
	}
	for _, path := range o.bills {
		if err := readBill(&c, path, run); err != nil {
			return nil, err
		}
	}
	for _, path := range o.prices {
		run.Showf("reading %s", path)
		p, err := infile.ReadUpTo(64<<30, "-prices", path, func(in io.Reader) (*offers.Prices, error) { return offers.Read(in, offers.Options{}) })
		if err != nil {
			return nil, err
		}
		r.addPrices(path, p)
	}
	if o.held != "" {
		own, err := infile.Read("-held", o.held, readHeld)
		if err != nil {
			return nil, err
		}
		r.own = own
	}
	bill, err := c.Bill()
	if err != nil {
		return nil, cli.Mistakef("%w", cli.Plain(err))
	}
	r.bill = bill
	r.slot = time.Hour
	for i := range bill.Demand {
		r.slot = max(r.slot, bill.Demand[i].Slot)
	}
	r.start = dayOf(bill.Start)
	end := bill.End
	if rest := end.Sub(dayOf(end)); rest > 0 {
		end = dayOf(end).Add(24 * time.Hour)
	}
	r.slots = int(bill.End.Sub(r.start) / r.slot)
	r.now = end
	if !o.date.IsZero() {
		r.now = o.date
	}
	if r.now.Before(dayOf(bill.End)) && !o.inputs {
		return nil, cli.Mistakef("-date %s: want the day on which the bill ends, %s, or a later one", r.now.Format(time.DateOnly), end.Format(time.DateOnly))
	}
	for i, h := range r.own {
		if !h.expires.After(r.now) && !o.inputs {
			return nil, cli.Mistakef("-held %s: contract %d (%s) expires on %s, and the order is placed on %s: want contracts that serve then", o.held, i, h.ID, h.Expires, r.now.Format(time.DateOnly))
		}
	}
	return r, nil
}

func (r *results) addPrices(name string, p *offers.Prices) {
	r.prices.Offers = append(r.prices.Offers, p.Offers...)
	r.lists = append(r.lists, priceFile{name, p.Report})
}

// readBill tells the form of a file and adds its rows.
func readBill(c *usage.Collector, path string, run *cli.Run) error {
	f, err := infile.Open("-bill", path)
	if err != nil {
		return err
	}
	defer f.Close()
	var magic [4]byte
	if n, _ := f.ReadAt(magic[:], 0); parquet.Is(magic[:n]) {
		run.Showf("reading %s", path)
		info, err := f.Stat()
		if err == nil {
			err = parquet.Read(c, path, f, info.Size())
		}
		return asMistake(path, err)
	}
	return asMistake(path, bill.Read(c, path, infile.Shown(f, path, run.Line)))
}

// asMistake is the user's mistake if a bill is one, and what else went wrong otherwise.
func asMistake(path string, err error) error {
	var input *pricing.InputError
	if errors.As(err, &input) {
		return cli.Mistakef("-bill %s: %w", path, cli.Plain(err))
	}
	return err
}

// An ownContract is a contract of -held.
type ownContract struct {
	ID, Region, Type, System string
	Units                    int
	Expires                  string
	expires                  time.Time
}

// readHeld reads the file of -held.
func readHeld(in io.Reader) ([]ownContract, error) {
	dec := json.NewDecoder(io.LimitReader(in, 16<<20))
	dec.DisallowUnknownFields()
	var list []ownContract
	if err := dec.Decode(&list); err != nil {
		return nil, errors.New("want an array of objects with id, region, type, system, units and expires: " + err.Error())
	}
	for i := range list {
		h := &list[i]
		var err error
		if h.expires, err = time.Parse(time.DateOnly, h.Expires); err != nil {
			return nil, cli.Mistakef("contract %d: expires %q: want a day such as 2027-03-01", i, h.Expires)
		}
		switch {
		case h.ID == "":
			return nil, cli.Mistakef("contract %d: no id: want a name", i)
		case h.Type == "":
			return nil, cli.Mistakef("contract %d: no type: want one such as m5.large", i)
		case h.Units < 1 || h.Units > math.MaxInt32:
			return nil, cli.Mistakef("contract %d: %d units: want 1 to %d", i, h.Units, math.MaxInt32)
		}
	}
	return list, nil
}
