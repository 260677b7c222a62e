package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A site is the place and the prices of a centre.
type site struct {
	Name        string        `json:"name"`
	OnDemand    pricing.Money `json:"on_demand"`   // per hour
	Reservation pricing.Money `json:"reservation"` // per term
	Traffic     pricing.Money `json:"traffic"`     // outgoing, per GB
	Latitude    float64       `json:"latitude"`
	Longitude   float64       `json:"longitude"`
}

// paperSites are the centres of [Liu21]. Prices of instances fit the paper's text and
// figures; Table 2 exchanges the prices of UniLu and SDSC (ERRATA [Liu21] 8). Prices of
// traffic are from Table 2, by name.
var paperSites = []site{
	{"UniLu-Gaia", 75 * pricing.Milli, 800 * pricing.Milli, 20 * pricing.Milli, 49.50, 5.95},
	{"SDSC-BLUE", 60 * pricing.Milli, 750 * pricing.Milli, 15 * pricing.Milli, 32.88, -117.24},
	{"LANL-CM5", 65 * pricing.Milli, 715 * pricing.Milli, 10 * pricing.Milli, 35.88, -106.30},
}

// A centre is a data centre with the jobs of the window.
type centre struct {
	site
	jobs   []trace.Job // in the order of submission, which counts from the window's start
	disk   []int64     // MB per instance, by job
	demand []int       // instances by hour
	total  int64       // instance-hours
	from   int         // hour of the log
	read   *joblog.Log // nil where the centre is made up
	path   string
	known  int // of paperSites, or -1
	hours  int // of the window
}

// load reads the logs, or makes centres up, and gives them their prices.
func (o *options) load(run *cli.Run) ([]*centre, error) {
	sites, err := o.readPrices()
	if err != nil {
		return nil, err
	}
	var centres []*centre
	for i, path := range o.traces {
		c := &centre{path: path, known: -1}
		for k := range paperSites {
			if strings.HasPrefix(strings.ToLower(base(path)), strings.ToLower(paperSites[k].Name)) {
				c.known = k
			}
		}
		c.site = paperSites[i%len(paperSites)]
		if c.known >= 0 {
			c.site = paperSites[c.known]
		}
		c.Name = base(path)
		if c.read, err = joblog.Read("-traces", path, trace.Options{}, run.Line); err != nil {
			return nil, err
		}
		if err := c.cut(o, i); err != nil {
			return nil, err
		}
		centres = append(centres, c)
	}
	if o.traces == nil {
		for i := range o.made {
			x := shapeOf(i)
			c := &centre{site: siteOf(i), known: -1}
			c.Name = x.name
			c.jobs = x.make(rand.New(rand.NewPCG(o.seed, uint64(i))), o.hours)
			centres = append(centres, c)
		}
	}
	if sites != nil && len(sites) != len(centres) {
		return nil, cli.Mistakef("-prices %s: has %s: want one for each of the %d", o.prices, decimal.Count(len(sites), "centre"), len(centres))
	}
	for i, c := range centres {
		if sites != nil {
			c.site = sites[i]
		}
		for _, other := range centres[:i] {
			if other.Name == c.Name {
				return nil, cli.Mistakef("two centres are called %s: name them apart with -prices", infile.Quote(c.Name))
			}
		}
		c.drawDisk(rand.New(rand.NewPCG(o.seed, streamDisk+uint64(i))))
		c.demand, err = trace.AppendDemand(nil, c.jobs, nil, trace.DemandOptions{Sharing: trace.Unshared, Slots: o.hours})
		if err != nil {
			return nil, cli.Mistakef("%s: %w", c.Name, err)
		}
		for _, n := range c.demand {
			c.total += int64(n)
		}
	}
	return centres, nil
}

// Streams of randomness, beside those of the made-up centres.
const (
	streamDisk   = 1 << 16
	streamError  = 2 << 16
	streamOrders = 3 << 16
)

// cut takes the jobs that are submitted in the window, whose start becomes their time
// 0.
func (c *centre) cut(o *options, i int) error {
	jobs := c.read.Jobs
	first, last := int(jobs[0].Submit/time.Hour), int(jobs[len(jobs)-1].Submit/time.Hour)
	switch len(o.from) {
	case 0:
		c.from = first
	case 1:
		c.from = o.from[0]
	default:
		c.from = o.from[i]
	}
	from := time.Duration(c.from) * time.Hour
	c.hours = o.hours
	for _, j := range trace.Submitted(jobs, from, from+time.Duration(o.hours)*time.Hour) {
		j.Submit -= from
		c.jobs = append(c.jobs, j)
	}
	if len(c.jobs) == 0 {
		return cli.Mistakef("%s: no job is submitted in the %d hours from hour %d (-from); its first is in hour %d, its last in hour %d",
			c.path, o.hours, c.from, first, last)
	}
	return nil
}

// short returns the share of the jobs that run for less than an hour, among those of the
// log that are submitted in a window of the same length from an hour on.
func (c *centre) short(hour int) float64 {
	from := time.Duration(hour) * time.Hour
	n, all := 0, 0
	for _, j := range trace.Submitted(c.read.Jobs, from, from+time.Duration(c.hours)*time.Hour) {
		all++
		if j.Run < time.Hour {
			n++
		}
	}
	return float64(n) / float64(max(1, all))
}

// Disk space per instance in MB, between bounds of [Liu21] section 5.1.
const (
	leastDisk = 5
	mostDisk  = 65 * 1000
	// diskExponent is that of the tail, P(space > x) ∝ x^-diskExponent. The paper has
	// a power law and no exponent. With 1 each decade of sizes holds as much data in
	// all, so that both small and large tasks count. The exponent is near to what the
	// paper's source, on files of the Web, finds. The data sent is of the size of Table 3.
	diskExponent = 1.
)

// drawDisk draws the space of each job: the power law cut off at both bounds, by the
// inverse of its distribution.
func (c *centre) drawDisk(random *rand.Rand) {
	c.disk = make([]int64, len(c.jobs))
	for i := range c.disk {
		c.disk[i] = diskAt(random.Float64())
	}
}

// diskAt is the space with a share u of all below, rounded to MB.
func diskAt(u float64) int64 {
	tail := math.Pow(leastDisk/float64(mostDisk), diskExponent) // of the law without a cut
	x := leastDisk * math.Pow(1-u*(1-tail), -1/diskExponent)
	return min(mostDisk, max(leastDisk, int64(math.Round(x))))
}

// readPrices reads the file of -prices; nil without the flag.
func (o *options) readPrices() ([]site, error) {
	if o.prices == "" {
		return nil, nil
	}
	data, err := infile.ReadAll("-prices", o.prices)
	if err != nil {
		return nil, err
	}
	wrong := func(offset int64, format string, args ...any) error {
		return cli.Mistakef("-prices %s: line %d: %s", o.prices, infile.Line(data, offset), fmt.Sprintf(format, args...))
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, wrong(0, "want an array with an object for each centre")
	}
	sites := []site{}
	for dec.More() {
		// What an object does not say stays as it is here, which no object can say.
		x := site{OnDemand: -1, Reservation: -1, Traffic: -1, Latitude: math.Inf(1), Longitude: math.Inf(1)}
		unsaid := x
		if err := dec.Decode(&x); err != nil {
			return nil, wrong(dec.InputOffset(), "%s", strings.TrimPrefix(err.Error(), "json: "))
		}
		why := ""
		switch {
		case x.Name == "":
			return nil, wrong(dec.InputOffset(), "a centre has no name")
		case x.OnDemand == unsaid.OnDemand || x.Reservation == unsaid.Reservation || x.Traffic == unsaid.Traffic || x.Latitude == unsaid.Latitude || x.Longitude == unsaid.Longitude:
			why = "want name, on_demand, reservation, traffic, latitude and longitude, and no negative price"
		case x.OnDemand <= 0 || x.Reservation <= 0:
			why = "want prices of instances above 0"
		case x.Traffic < 0:
			why = "a negative price of traffic: want 0 or more"
		case max(x.OnDemand, x.Reservation, x.Traffic) > maxPrice:
			why = fmt.Sprintf("want prices of at most %v", maxPrice)
		case math.Abs(x.Latitude) > 90 || math.Abs(x.Longitude) > 180:
			why = "want a latitude from -90 to 90 and a longitude from -180 to 180"
		}
		if why != "" {
			return nil, wrong(dec.InputOffset(), "centre %s: %s", infile.Quote(x.Name), why)
		}
		sites = append(sites, x)
	}
	if _, err := dec.Token(); err != nil {
		return nil, wrong(int64(len(data)), "the array does not end")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, wrong(dec.InputOffset(), "something comes after the array")
	}
	return sites, nil
}

// maxPrice keeps costs within the range of money.
const maxPrice = 1000 * pricing.Unit

// delay is how long data takes from one site to another: along a great circle in
// fibre, 200 km per ms, in whole microseconds.
func (a *site) delay(b *site) time.Duration {
	const radius, speed = 6371, 200
	rad := func(x float64) float64 { return x * math.Pi / 180 }
	sin := func(x float64) float64 { return math.Sin(x) * math.Sin(x) }
	h := sin(rad(b.Latitude-a.Latitude)/2) + math.Cos(rad(a.Latitude))*math.Cos(rad(b.Latitude))*sin(rad(b.Longitude-a.Longitude)/2)
	km := 2 * radius * math.Asin(math.Sqrt(min(1, h)))
	return time.Duration(math.Round(km/speed*1000)) * time.Microsecond
}

// note prints what the centres are, and which records were left out.
func (o *options) note(run *cli.Run, centres []*centre) {
	if o.traces == nil {
		many := decimal.Count(o.made, "made-up centre")
		if o.made == len(shapes) {
			many = "three made-up centres"
		}
		run.Sayf("no -traces, so %s, seed %d", many, o.seed)
		return
	}
	if arePaperLogs(centres) && !o.isPaper(centres) {
		var from []string
		for _, c := range centres {
			from = append(from, strconv.Itoa(paperFrom[c.known]))
		}
		run.Sayf("note: other windows than the paper's, so that its figures are not compared: they are of -hours %d and -from %s", paperHours, strings.Join(from, ","))
	}
	for i, c := range centres {
		text := c.read.About(c.path)
		if c.known < 0 && o.prices == "" {
			text += fmt.Sprintf("\n  prices and place: those of %s, by its number among the logs (-prices)", paperSites[i%len(paperSites)].Name)
		}
		run.Sayf("%s", text)
	}
}
