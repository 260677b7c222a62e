package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/examples/internal/spotprices"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// defaultClouds are clouds of 2026: a lab's own, and the price of a c7a.medium, one core.
const defaultClouds = `name,limit,price,reject
private,128,,0.1
commercial,,0.0513,
`

// setup returns the clouds of the file, or the default.
func (o *options) setup() (*renting.Setup, error) {
	read := func(r io.Reader) ([]elastic.CloudOptions, error) { return readClouds(r, o.Budget.Covered) }
	if o.clouds == "" {
		clouds, err := read(strings.NewReader(defaultClouds))
		return &renting.Setup{Clouds: clouds}, err
	}
	clouds, err := infile.Read("-clouds", o.clouds, read)
	return &renting.Setup{Clouds: clouds, File: o.clouds}, err
}

// madeUp stands for made-up prices in the place of a file, of a type that costs onDemand.
const (
	madeUp   = "made-up"
	onDemand = 85 * pricing.Milli
)

// readSpot reads a price history.
func readSpot(path, series string) (*elastic.Spot, error) {
	if path == madeUp {
		if series != "" {
			return nil, cli.Mistakef("made-up has no series %q: want none", series)
		}
		return &elastic.Spot{History: spotprices.MadeUp(onDemand, 1)}, nil
	}
	want := pricing.SpotSeries{Type: series, Product: "Linux/UNIX"}
	if zone, name, ok := strings.Cut(series, " "); ok {
		want.Zone, want.Type = zone, strings.TrimSpace(name)
	}
	h, err := infile.ReadUpTo(512<<20, "the file", path, func(r io.Reader) (pricing.SpotHistory, error) { return pricing.ReadSpot(r, want) })
	if err != nil {
		return nil, err
	}
	return &elastic.Spot{History: h}, nil
}

// cloudColumns are the columns of a file of clouds, and cloudName is what a name looks like.
var (
	cloudColumns = []string{"name", "limit", "price", "reject", "boot", "stop", "release", "transfer", "transfer_price", "type", "cores", "speed",
		"spot", "series", "bid"}
	cloudName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// maxClouds and maxLimit are as far as the simulator goes.
const (
	maxClouds = 4096
	maxLimit  = 1 << 26
)

// reserved are the names that stand for something else before _core_hours in -json.
var reserved = []string{"local", "lost"}

// readClouds reads clouds, a line each. The error says which line and column is wrong.
func readClouds(r io.Reader, covered bool) (clouds []elastic.CloudOptions, err error) {
	in := csv.NewReader(r)
	in.Comment = '#'
	titles, err := in.Read()
	if err != nil && err != io.EOF {
		return nil, err
	}
	for i, t := range titles {
		titles[i] = strings.TrimSpace(strings.TrimPrefix(t, "\ufeff"))
		if !slices.Contains(cloudColumns, titles[i]) || slices.Contains(titles[:i], titles[i]) {
			return nil, fmt.Errorf("line 1: the column %q: want some of %s, each once", titles[i], strings.Join(cloudColumns, ", "))
		}
	}
	if !slices.Contains(titles, "name") {
		return nil, fmt.Errorf("line 1: no column name: want a line of titles, some of %s", strings.Join(cloudColumns, ", "))
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %d fields: want %d, one for each title, empty where there is nothing to say", line, len(row), len(titles))
		}
		if err != nil {
			return nil, err
		}
		c := cloudRow{CloudOptions: elastic.CloudOptions{Limit: elastic.NoLimit}}
		line, _ := in.FieldPos(0)
		for i, text := range row {
			if err := c.set(titles[i], strings.TrimSpace(text)); err != nil {
				return nil, fmt.Errorf("line %d (%s): %q: %w", line, titles[i], text, err)
			}
		}
		if c.kind != "" && c.Name != "" {
			c.Name += "_" + c.kind
		}
		switch {
		case slices.Contains(reserved, c.Name):
			return nil, fmt.Errorf("line %d (name): %q: want another name: %s_core_hours of -json is not of a cloud", line, c.Name, c.Name)
		case c.Name == "" || slices.ContainsFunc(clouds, func(x elastic.CloudOptions) bool { return x.Name == c.Name }):
			return nil, fmt.Errorf("line %d (name): %q: want a name that no other cloud has, or another type of it", line, c.Name)
		case c.spot == "" && (c.series != "" || c.bid != 0):
			return nil, fmt.Errorf("line %d (spot): none, though there is a series or a bid: want a file of prices, or made-up", line)
		case c.spot != "" && c.Price != 0:
			return nil, fmt.Errorf("line %d (price): %v with a file of spot prices: want one of them", line, c.Price)
		case c.spot != "" && c.bid == 0:
			return nil, fmt.Errorf("line %d (bid): none: want the most that is paid for an instance-hour of the spot cloud, such as 0.05", line)
		case c.spot == "" && c.Price == 0 && c.Limit == elastic.NoLimit:
			return nil, fmt.Errorf("line %d (limit): none, though the cloud is free: want a limit, such as 512", line)
		}
		if c.spot != "" {
			if c.Spot, err = readSpot(c.spot, c.series); err != nil {
				return nil, fmt.Errorf("line %d (spot): %w", line, err)
			}
			if c.Spot.Bid = c.bid; c.Limit == elastic.NoLimit && slices.Min(c.Spot.History.Prices) == 0 {
				return nil, fmt.Errorf("line %d (limit): none, though the spot price falls to 0: want a limit, such as 512", line)
			}
		}
		if column := c.uncovered(); covered && column != "" {
			return nil, fmt.Errorf("line %d (%s): a cloud with it cannot be run with -covered: want one of them", line, column)
		}
		if len(clouds) == maxClouds {
			return nil, fmt.Errorf("line %d: more than %d clouds: want fewer", line, maxClouds)
		}
		clouds = append(clouds, c.CloudOptions)
	}
	if clouds == nil {
		return nil, errors.New("no cloud: want a line for each")
	}
	return clouds, nil
}

// A cloudRow is a line of a file of clouds.
type cloudRow struct {
	elastic.CloudOptions
	kind, spot, series string
	bid                pricing.Money
}

// uncovered returns a column whose charges are not known beforehand, "" if there is none.
func (c *cloudRow) uncovered() string {
	switch {
	case c.Spot != nil:
		return "spot"
	case c.Transfer > 0:
		return "transfer"
	case c.TransferPrice > 0:
		return "transfer_price"
	case c.Release != nil:
		return "release"
	}
	return ""
}

// set sets what a column says of a cloud. An empty text stands for the default.
func (c *cloudRow) set(column, text string) error {
	if text == "" {
		return nil
	}
	check := func(ok bool, err error, want string) error {
		if err != nil || !ok {
			return errors.New("want " + want)
		}
		return nil
	}
	whole := func(to *int, least, most int, want string) (err error) {
		*to, err = strconv.Atoi(text)
		return check(*to >= least && *to <= most, err, want)
	}
	number := func(to *float64, least, most float64, want string) (err error) {
		*to, err = strconv.ParseFloat(text, 64)
		return check(*to >= least && *to <= most, err, want)
	}
	dollars := func(to *pricing.Money, least pricing.Money, want string) (err error) {
		*to, err = pricing.ParseMoney(text)
		return check(*to >= least && *to <= renting.MaxBudget, err, want)
	}
	delay := func(to *elastic.Delay) (err error) {
		*to, err = renting.ParseDelay(text)
		return err
	}
	name := func(to *string) error {
		*to = text
		return check(cloudName.MatchString(text), nil, "lower-case letters, digits and _")
	}
	switch column {
	case "name":
		return name(&c.Name)
	case "type":
		return name(&c.kind)
	case "cores":
		return whole(&c.Cores, 1, renting.MaxLocal, "a whole number from 1 to 1000000")
	case "limit":
		return whole(&c.Limit, 0, maxLimit, "a whole number from 0 to 67108864, or nothing for no limit")
	case "speed":
		return number(&c.Speed, .001, 1000, "a number from 0.001 to 1000")
	case "reject":
		return number(&c.Reject, 0, 1, "a rate from 0 to 1")
	case "spot":
		c.spot = text
	case "series":
		c.series = text
	case "bid":
		return dollars(&c.bid, 1, "dollars an hour above 0 and up to 1000, such as 0.05")
	case "price":
		return dollars(&c.Price, 0, "dollars an hour from 0 to 1000, such as 0.085")
	case "transfer_price":
		return dollars(&c.TransferPrice, 0, "dollars a job from 0 to 1000, such as 0.09")
	case "transfer":
		d, err := time.ParseDuration(text)
		c.Transfer = d
		return check(d >= 0 && d <= renting.MaxSpan, err, "a span of time from 0s to 438000h (50 years), such as 10m")
	case "release":
		return delay(&c.Release)
	case "boot":
		return delay(&c.Boot)
	case "stop":
		return delay(&c.Stop)
	}
	return nil
}
