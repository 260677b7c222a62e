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
	"github.com/plimsoll/plimsoll/examples/internal/spotprices"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// A setup is the clouds of some runs: those of a file, or the paper's with a rejection rate.
type setup struct {
	clouds []elastic.CloudOptions
	lab    bool    // the paper's
	reject float64 // of the paper's private cloud
}

// setups returns the clouds of the file, or the paper's with each rate.
func (o *options) setups() (all []*setup, err error) {
	if o.clouds != "" {
		clouds, err := infile.Read("-clouds", o.clouds, func(r io.Reader) ([]elastic.CloudOptions, error) { return readClouds(r, o.budget.Covered) })
		return []*setup{{clouds: clouds}}, err
	}
	var spot *elastic.Spot
	if o.spot != "" {
		if spot, err = readSpot("-spot", o.spot, o.series); err != nil {
			return nil, err
		}
		spot.Bid = o.bid
	}
	for _, x := range o.reject {
		clouds := elastic.Marshall12Clouds(x)
		clouds[1].TransferPrice = o.data
		if spot != nil {
			clouds = append(clouds, elastic.CloudOptions{Name: "spot", Limit: elastic.NoLimit, Spot: spot, TransferPrice: o.data})
		}
		for i := range clouds {
			clouds[i].Transfer, clouds[i].Release = o.transfer, o.release
		}
		all = append(all, &setup{clouds, true, x})
	}
	return all, nil
}

// spots reports whether there are spot clouds.
func (s *setup) spots() bool {
	return slices.ContainsFunc(s.clouds, func(c elastic.CloudOptions) bool { return c.Spot != nil })
}

// data reports whether a cloud has a price of data.
func (s *setup) data() bool {
	return slices.ContainsFunc(s.clouds, func(c elastic.CloudOptions) bool { return c.TransferPrice > 0 })
}

// madeUp stands for made-up prices in the place of a file, of a type that costs onDemand.
const (
	madeUp   = "made-up"
	onDemand = 85 * pricing.Milli
)

// readSpot reads a price history, for the flag or the place that asks for it.
func readSpot(flag, path, series string) (*elastic.Spot, error) {
	if path == madeUp {
		if series != "" {
			return nil, cli.Mistakef("%s made-up has no series %q: want none", flag, series)
		}
		return &elastic.Spot{History: spotprices.MadeUp(onDemand, 1)}, nil
	}
	want := pricing.SpotSeries{Type: series, Product: "Linux/UNIX"}
	if zone, name, ok := strings.Cut(series, " "); ok {
		want.Zone, want.Type = zone, strings.TrimSpace(name)
	}
	h, err := infile.ReadUpTo(512<<20, flag, path, func(r io.Reader) (pricing.SpotHistory, error) { return pricing.ReadSpot(r, want) })
	if err != nil {
		return nil, err
	}
	return &elastic.Spot{History: h}, nil
}

// at returns the clouds as a run sees them: prices begin at another time in each run, spread
// over the times at which a run of the given length ends within the prices.
func (s *setup) at(run, runs int, length time.Duration) []elastic.CloudOptions {
	if !s.spots() {
		return s.clouds
	}
	clouds := slices.Clone(s.clouds)
	for i := range clouds {
		if clouds[i].Spot == nil {
			continue
		}
		spot := *clouds[i].Spot
		from := spot.History.Start()
		room := max(0, spot.History.End-from-length)
		spot.From = from + time.Duration(float64(room)*float64(run)/float64(runs)).Truncate(time.Second)
		clouds[i].Spot = &spot
	}
	return clouds
}

// parseDelay reads a span, or a mean and a standard deviation such as 50s±4s.
func parseDelay(text string) (elastic.Delay, error) {
	mean, deviation, random := strings.Cut(strings.Replace(text, "+-", "±", 1), "±")
	d, err := time.ParseDuration(strings.TrimSpace(mean))
	var sd time.Duration
	if random && err == nil {
		sd, err = time.ParseDuration(strings.TrimSpace(deviation))
	}
	if err != nil || d < 0 || sd < 0 || d > maxSpan || sd > maxSpan {
		return nil, errors.New("want a span of time that is not negative, such as 50s or 50s±4s")
	}
	return elastic.Delay{{Weight: 1, Mean: d, Deviation: sd}}, nil
}

// String describes the setup in a heading.
func (s *setup) String() string {
	if s.lab {
		return "private cloud refuses " + percent(s.reject) + " of requests"
	}
	return "clouds: " + strings.Join(s.places()[1:], ", ")
}

// places returns the names of where jobs run.
func (s *setup) places() []string {
	names := []string{"local"}
	for i := range s.clouds {
		names = append(names, s.clouds[i].Name)
	}
	return names
}

// cloudColumns are the columns of a file of clouds, and cloudName is what a name looks like.
var (
	cloudColumns = []string{"name", "limit", "price", "reject", "boot", "stop", "release", "transfer", "transfer_price", "type", "cores", "speed", "spot", "series", "bid"}
	cloudName    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
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
			if c.Spot, err = readSpot("the file", c.spot, c.series); err != nil {
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
func (c *cloudRow) set(column, text string) (err error) {
	if text == "" {
		return nil
	}
	want := ""
	delay := func(to *elastic.Delay) {
		if *to, err = parseDelay(text); err != nil {
			want = err.Error()
		}
	}
	name := func(to *string) {
		if *to, want = text, "want lower-case letters, digits and _"; !cloudName.MatchString(text) {
			err = errors.New("")
		}
	}
	switch column {
	case "name":
		name(&c.Name)
	case "type":
		name(&c.kind)
	case "cores":
		c.Cores, err = strconv.Atoi(text)
		if want = "want a whole number from 1 to 1000000"; c.Cores < 1 || c.Cores > maxLocal {
			err = errors.New("")
		}
	case "speed":
		c.Speed, err = strconv.ParseFloat(text, 64)
		if want = "want a number from 0.001 to 1000"; !(c.Speed >= .001 && c.Speed <= 1000) {
			err = errors.New("")
		}
	case "spot":
		c.spot = text
	case "series":
		c.series = text
	case "bid":
		c.bid, err = pricing.ParseMoney(text)
		if want = "want dollars an hour above 0 and up to 1000, such as 0.05"; c.bid <= 0 || c.bid > maxBudget {
			err = errors.New("")
		}
	case "transfer_price":
		c.TransferPrice, err = pricing.ParseMoney(text)
		if want = "want dollars a job from 0 to 1000, such as 0.09"; c.TransferPrice < 0 || c.TransferPrice > maxBudget {
			err = errors.New("")
		}
	case "limit":
		c.Limit, err = strconv.Atoi(text)
		if want = "want a whole number from 0 to 67108864, or nothing for no limit"; c.Limit < 0 || c.Limit > maxLimit {
			err = errors.New("")
		}
	case "price":
		c.Price, err = pricing.ParseMoney(text)
		if want = "want dollars an hour from 0 to 1000, such as 0.085"; c.Price < 0 || c.Price > maxBudget {
			err = errors.New("")
		}
	case "reject":
		c.Reject, err = strconv.ParseFloat(text, 64)
		if want = "want a rate from 0 to 1"; !(c.Reject >= 0 && c.Reject <= 1) {
			err = errors.New("")
		}
	case "transfer":
		c.Transfer, err = time.ParseDuration(text)
		if want = "want a span of time from 0s to 438000h (50 years), such as 10m"; c.Transfer < 0 || c.Transfer > maxSpan {
			err = errors.New("")
		}
	case "release":
		delay(&c.Release)
	case "boot":
		delay(&c.Boot)
	case "stop":
		delay(&c.Stop)
	}
	if err != nil {
		return errors.New(want)
	}
	return nil
}
