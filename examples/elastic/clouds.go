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

	"github.com/plimsoll/plimsoll/examples/internal/infile"
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
		clouds, err := infile.Read("-clouds", o.clouds, readClouds)
		return []*setup{{clouds: clouds}}, err
	}
	for _, x := range o.reject {
		clouds := elastic.Marshall12Clouds(x)
		for i := range clouds {
			clouds[i].Transfer = o.transfer
		}
		all = append(all, &setup{clouds, true, x})
	}
	return all, nil
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
	cloudColumns = []string{"name", "limit", "price", "reject", "boot", "stop", "transfer"}
	cloudName    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// readClouds reads clouds, a line each. The error says which line and column is wrong.
func readClouds(r io.Reader) (clouds []elastic.CloudOptions, err error) {
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
		if err != nil {
			return nil, err
		}
		c := elastic.CloudOptions{Limit: elastic.NoLimit}
		line, _ := in.FieldPos(0)
		for i, text := range row {
			if err := setCloud(&c, titles[i], strings.TrimSpace(text)); err != nil {
				return nil, fmt.Errorf("line %d (%s): %q: %w", line, titles[i], text, err)
			}
		}
		switch {
		case c.Name == "" || c.Name == "local" || slices.ContainsFunc(clouds, func(x elastic.CloudOptions) bool { return x.Name == c.Name }):
			return nil, fmt.Errorf("line %d (name): %q: want a name that no other cloud has, and not local", line, c.Name)
		case c.Price == 0 && c.Limit == elastic.NoLimit:
			return nil, fmt.Errorf("line %d (limit): none, though the cloud is free: want a limit, such as 512", line)
		}
		clouds = append(clouds, c)
	}
	if clouds == nil {
		return nil, errors.New("no cloud: want a line for each")
	}
	return clouds, nil
}

// setCloud sets what a column says of a cloud. An empty text stands for the default.
func setCloud(c *elastic.CloudOptions, column, text string) (err error) {
	if text == "" {
		return nil
	}
	want := ""
	delay := func(to *elastic.Delay) {
		d, bad := time.ParseDuration(text)
		*to, want = elastic.Certain(d), "want a span of time that is not negative, such as 50s"
		if err = bad; d < 0 {
			err = errors.New("")
		}
	}
	switch column {
	case "name":
		if c.Name, want = text, "want lower-case letters, digits and _"; !cloudName.MatchString(text) {
			err = errors.New("")
		}
	case "limit":
		c.Limit, err = strconv.Atoi(text)
		if want = "want a whole number from 0, or nothing for no limit"; c.Limit < 0 {
			err = errors.New("")
		}
	case "price":
		c.Price, err = pricing.ParseMoney(text)
		if want = "want dollars an hour from 0, such as 0.085"; c.Price < 0 {
			err = errors.New("")
		}
	case "reject":
		c.Reject, err = strconv.ParseFloat(text, 64)
		if want = "want a rate from 0 to 1"; !(c.Reject >= 0 && c.Reject <= 1) {
			err = errors.New("")
		}
	case "transfer":
		c.Transfer, err = time.ParseDuration(text)
		if want = "want a span of time that is not negative, such as 10m"; c.Transfer < 0 {
			err = errors.New("")
		}
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
