package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/bill"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/parquet"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// read reads all files.
func (o *options) read(run *cli.Run) (*results, error) {
	r := &results{o: o, matched: map[string]bool{}}
	read := r.readBills
	if o.demand != "" {
		read = r.readDemand
	}
	if err := read(run); err != nil {
		return nil, err
	}
	if err := r.readOwn(); err != nil {
		return nil, err
	}
	return r, nil
}

// readBills reads the bills and their prices.
func (r *results) readBills(run *cli.Run) error {
	o := r.o
	c := usage.Collector{KeepRepeats: o.keepRepeats, Owner: o.owner, Alone: o.alone}
	if len(o.bills) == 0 {
		if err := r.madeUp(&c); err != nil {
			return err
		}
	}
	for _, path := range o.bills {
		if err := readBill(&c, path, run); err != nil {
			return err
		}
	}
	for _, path := range o.prices {
		run.Showf("reading %s", path)
		p, err := infile.ReadUpTo(64<<30, "-prices", path, func(in io.Reader) (*offers.Prices, error) { return offers.Read(in, offers.Options{}) })
		if err != nil {
			return err
		}
		r.addPrices(path, p)
	}
	bill, err := c.Bill()
	if err != nil {
		return cli.Mistakef("%w", cli.Plain(err))
	}
	for _, name := range o.alone {
		if _, ok := bill.Owners[name]; !ok {
			return cli.Mistakef("-alone %s: want an owner that uses instances in the bill: see -show owners", name)
		}
	}
	r.bill = bill
	r.quality = r.bill.Quality()
	r.slot = time.Hour
	r.start = dayOf(bill.Start)
	end := bill.End
	if rest := end.Sub(dayOf(end)); rest > 0 {
		end = dayOf(end).Add(24 * time.Hour)
	}
	r.now = end
	if !o.date.IsZero() {
		r.now = o.date
	}
	if r.now.Before(dayOf(bill.End)) && !o.reads() {
		return cli.Mistakef("-date %s: want the day on which the bill ends, %s, or a later one", r.now.Format(time.DateOnly), end.Format(time.DateOnly))
	}
	return nil
}

// now is the clock. Tests have their own.
var now = time.Now

// readDemand reads a demand and its classes as the only group.
func (r *results) readDemand(run *cli.Run) error {
	o := r.o
	list, err := seriesfile.Read("-demand", o.demand)
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return cli.Mistakef("-demand %s: %d series: want one", o.demand, len(list))
	}
	s := &list[0]
	if len(s.Values) == 0 {
		return cli.Mistakef("-demand %s: the series has no value", o.demand)
	}
	r.slot = cmp.Or(o.slot, s.Step, time.Hour)
	length := time.Duration(len(s.Values)) * r.slot
	switch {
	case !o.date.IsZero():
		r.now = o.date
	case !s.Start.IsZero():
		r.now = s.Start.Add(length)
	default:
		r.now = dayOf(now())
	}
	if r.start = s.Start; r.start.IsZero() {
		r.start = r.now.Add(-length)
	}
	if end := r.start.Add(length); r.now.Before(end) && !o.reads() {
		return cli.Mistakef("-date %s: want the day on which the demand ends, %s, or a later one", r.now.Format(time.DateOnly), end.Format(time.DateOnly))
	}
	if o.every%r.slot != 0 || o.horizon > 0 && r.slot > o.horizon {
		return cli.Mistakef("-every %s is not a whole number of slots of %s", decimal.Span(o.every), decimal.Span(r.slot))
	}
	file, err := classfile.Read("-classes", o.classes, classfile.Default)
	if err != nil {
		return err
	}
	if o.classes == "" {
		r.notes = append(r.notes, fmt.Sprintf("no -classes, so about an m5.xlarge on AWS: %s an hour on demand", file.List.OnDemand))
	}
	for name := range o.most {
		if _, err := file.List.Find(name); err != nil {
			return cli.Mistakef("-cap %s: %s", name, cli.Detail(err))
		}
	}
	r.bill = &usage.Bill{Start: r.start, End: r.start.Add(length)}
	g := &group{name: s.Name, unit: "instance", series: s.Values, list: file.List}
	for _, x := range s.Values {
		g.demand = append(g.demand, int(min(max(0, x+.5), math.MaxInt32))) // of a picture; NaN is 0
	}
	for _, c := range g.list.Classes {
		g.offers = append(g.offers, advice.Offer{Class: c})
	}
	r.groups = []*group{g}
	return nil
}

// readOwn reads -held, or else -state.
func (r *results) readOwn() (err error) {
	o := r.o
	var list []heldfile.Contract
	flag, path := "-held", o.held
	switch {
	case o.held != "":
		list, err = heldfile.Read("-held", o.held)
	case o.state != "":
		flag, path = "-state", o.state
		list, err = r.readState()
	}
	if err != nil {
		return err
	}
	for i, c := range list {
		end, err := c.End(r.now, r.slot)
		switch {
		case err != nil:
			return cli.Mistakef("%s %s: contract %d: %w", flag, path, i, err)
		case o.reads():
		case !end.After(r.now):
			return cli.Mistakef("%s %s: contract %d (%s) expires on %s, and the order is placed on %s: want contracts that serve then",
				flag, path, i, cmp.Or(c.ID, c.Class), end.Format(time.DateOnly), r.now.Format(time.DateOnly))
		case o.demand == "" && c.Type == "" && c.ID == "":
			return cli.Mistakef("%s %s: contract %d: want a type and a region, or the id of a commitment of the bill", flag, path, i)
		}
		if o.demand != "" && !o.reads() {
			k, err := r.groups[0].list.Find(c.Class)
			if err != nil {
				return cli.Mistakef("%s %s: contract %d: class: %s", flag, path, i, cli.Detail(err))
			}
			n, err := c.Instances(&r.groups[0].list.Classes[k])
			if err != nil {
				return cli.Mistakef("%s %s: contract %d: %w", flag, path, i, err)
			}
			r.groups[0].held = append(r.groups[0].held, advice.Contract{Name: c.ID, Class: c.Class, Units: n, Expires: end})
		}
		r.own = append(r.own, ownContract{c, end})
	}
	return nil
}

func (r *results) addPrices(name string, p *offers.Prices) {
	for i := range p.Offers {
		r.convert(&p.Offers[i])
	}
	for i := range p.Rates {
		if x, ok := r.o.rates[strings.ToUpper(p.Rates[i].Currency)]; ok {
			p.Rates[i].Currency, p.Rates[i].Hourly = "", times(p.Rates[i].Hourly, x)
		}
	}
	r.prices.Rates = append(r.prices.Rates, p.Rates...)
	r.prices.Offers = append(r.prices.Offers, p.Offers...)
	r.lists = append(r.lists, priceFile{name, p})
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

// An ownContract is a contract of -held or -state.
type ownContract struct {
	heldfile.Contract
	end time.Time
}
