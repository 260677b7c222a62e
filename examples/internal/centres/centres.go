// Package centres plans reservations of a day for data centres, each centre for its own
// demand, and lends idle reservations to the tasks of the others, as [Liu21] does.
//
// [Liu21] Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework for Cost
// Effective Services in Geo-Distributed Data Centers, IEEE TSC 14(2), 2021.
package centres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
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

// A Site is the place and the prices of a centre.
type Site struct {
	Name        string        `json:"name"`
	OnDemand    pricing.Money `json:"on_demand"`   // per hour
	Reservation pricing.Money `json:"reservation"` // per term
	Traffic     pricing.Money `json:"traffic"`     // outgoing, per GB
	Latitude    float64       `json:"latitude"`
	Longitude   float64       `json:"longitude"`
}

// PaperSites are the centres of [Liu21]. Prices of instances fit the paper's text and
// figures; Table 2 exchanges the prices of UniLu and SDSC (ERRATA [Liu21] 8). Prices of
// traffic are from Table 2, by name.
var PaperSites = []Site{
	{"UniLu-Gaia", 75 * pricing.Milli, 800 * pricing.Milli, 20 * pricing.Milli, 49.50, 5.95},
	{"SDSC-BLUE", 60 * pricing.Milli, 750 * pricing.Milli, 15 * pricing.Milli, 32.88, -117.24},
	{"LANL-CM5", 65 * pricing.Milli, 715 * pricing.Milli, 10 * pricing.Milli, 35.88, -106.30},
}

// A Centre is a data centre with the jobs of the window.
type Centre struct {
	Site
	Jobs   []trace.Job // in the order of submission, which counts from the window's start
	Disk   []int64     // MB per instance, by job
	Demand []int       // instances by hour
	Total  int64       // instance-hours
	From   int         // hour of the log
	Log    *joblog.Log // nil where the centre is made up
	Known  int         // of PaperSites, or -1
	path   string
}

// Term is the hours of a reservation, the paper's τ.
const Term = 24

const (
	maxCentres = 16
	// MaxHours is the length of the longest window.
	MaxHours = 3 * 8760
	// maxFrom is the last hour that a window may begin in: within the range of
	// time.Duration with its end.
	maxFrom = 2_000_000
)

// Options are the flags that say which centres there are.
type Options struct {
	Traces []string
	From   []int // hours; nil: of the first job
	Hours  int
	Prices string
	Made   int // centres to make up
	Seed   uint64
}

// Define defines the flags -trace, -from, -hours, -prices, -centres and -seed.
func (o *Options) Define(f *cli.Flags) {
	*o = Options{Hours: 600, Made: len(shapes), Seed: 1}
	f.Files("trace", &o.Traces)
	f.Func("from", func(s string) error {
		o.From = o.From[:0]
		for part := range strings.SplitSeq(s, ",") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n > maxFrom {
				return fmt.Errorf("%q is no hour of a log: want whole numbers from 0 to %s", part, decimal.Int(maxFrom))
			}
			o.From = append(o.From, n)
		}
		return nil
	})
	f.File("prices", &o.Prices)
	f.Int("hours", &o.Hours, Term, MaxHours, " of hours")
	f.Int("centres", &o.Made, 1, maxCentres, " of centres")
	f.Seed(&o.Seed)
}

// Check reports mistakes in the flags together.
func (o *Options) Check() error {
	if n := len(o.Traces); n > maxCentres {
		return fmt.Errorf("%d files of -trace: want at most %d", n, maxCentres)
	} else if n > 0 && len(o.From) > 1 && len(o.From) != n {
		return fmt.Errorf("-from has %s for %s: want one for all or one for each", decimal.Count(len(o.From), "hour"), decimal.Count(n, "log"))
	}
	return nil
}

// Idle reports whether a flag of these changes nothing.
func (o *Options) Idle(name string) bool {
	return name == "from" && o.Traces == nil || name == "centres" && o.Traces != nil
}

// base is the name of a log without its folder and endings.
func base(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, ".swf")
}

// Load reads the logs, or makes centres up, and gives them their prices.
func (o *Options) Load(run *cli.Run) ([]*Centre, error) {
	sites, err := o.readPrices()
	if err != nil {
		return nil, err
	}
	var centres []*Centre
	for i, path := range o.Traces {
		c := &Centre{path: path, Known: -1}
		for k := range PaperSites {
			if strings.HasPrefix(strings.ToLower(base(path)), strings.ToLower(PaperSites[k].Name)) {
				c.Known = k
			}
		}
		c.Site = PaperSites[i%len(PaperSites)]
		if c.Known >= 0 {
			c.Site = PaperSites[c.Known]
		}
		c.Name = base(path)
		if c.Log, err = joblog.Read("-trace", path, trace.Options{}, run.Line); err != nil {
			return nil, err
		}
		if err := c.cut(o, i); err != nil {
			return nil, err
		}
		centres = append(centres, c)
	}
	if o.Traces == nil {
		for i := range o.Made {
			x := shapeOf(i)
			c := &Centre{Site: siteOf(i), Known: -1}
			c.Name = x.name
			c.Jobs = x.make(rand.New(rand.NewPCG(o.Seed, uint64(i))), o.Hours)
			centres = append(centres, c)
		}
	}
	if sites != nil && len(sites) != len(centres) {
		return nil, cli.Mistakef("-prices %s: has %s: want one for each of the %d", o.Prices, decimal.Count(len(sites), "centre"), len(centres))
	}
	for i, c := range centres {
		if sites != nil {
			c.Site = sites[i]
		}
		for _, other := range centres[:i] {
			if other.Name == c.Name {
				return nil, cli.Mistakef("two centres are called %s: name them apart with -prices", infile.Quote(c.Name))
			}
		}
		c.drawDisk(rand.New(rand.NewPCG(o.Seed, streamDisk+uint64(i))))
		c.Demand, err = trace.AppendDemand(nil, c.Jobs, nil, trace.DemandOptions{Sharing: trace.Unshared, Slots: o.Hours})
		if err != nil {
			return nil, cli.Mistakef("%s: %w", c.Name, err)
		}
		for _, n := range c.Demand {
			c.Total += int64(n)
		}
	}
	return centres, nil
}

// Streams of randomness, beside those of the made-up centres.
const (
	streamDisk  = 1 << 16
	streamError = 2 << 16
)

// cut takes the jobs that are submitted in the window, whose start becomes their time
// 0.
func (c *Centre) cut(o *Options, i int) error {
	jobs := c.Log.Jobs
	first, last := int(jobs[0].Submit/time.Hour), int(jobs[len(jobs)-1].Submit/time.Hour)
	switch len(o.From) {
	case 0:
		c.From = first
	case 1:
		c.From = o.From[0]
	default:
		c.From = o.From[i]
	}
	from := time.Duration(c.From) * time.Hour
	for _, j := range trace.Submitted(jobs, from, from+time.Duration(o.Hours)*time.Hour) {
		j.Submit -= from
		c.Jobs = append(c.Jobs, j)
	}
	if len(c.Jobs) == 0 {
		return cli.Mistakef("%s: no job is submitted in the %d hours from hour %d (-from); its first is in hour %d, its last in hour %d",
			c.path, o.Hours, c.From, first, last)
	}
	return nil
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
func (c *Centre) drawDisk(random *rand.Rand) {
	c.Disk = make([]int64, len(c.Jobs))
	for i := range c.Disk {
		c.Disk[i] = diskAt(random.Float64())
	}
}

// diskAt is the space with a share u of all below, rounded to MB.
func diskAt(u float64) int64 {
	tail := math.Pow(leastDisk/float64(mostDisk), diskExponent) // of the law without a cut
	x := leastDisk * math.Pow(1-u*(1-tail), -1/diskExponent)
	return min(mostDisk, max(leastDisk, int64(math.Round(x))))
}

// readPrices reads the file of -prices; nil without the flag.
func (o *Options) readPrices() ([]Site, error) {
	if o.Prices == "" {
		return nil, nil
	}
	data, err := infile.ReadAll("-prices", o.Prices)
	if err != nil {
		return nil, err
	}
	wrong := func(offset int64, format string, args ...any) error {
		return cli.Mistakef("-prices %s: line %d: %s", o.Prices, infile.Line(data, offset), fmt.Sprintf(format, args...))
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, wrong(0, "want an array with an object for each centre")
	}
	sites := []Site{}
	for dec.More() {
		// What an object does not say stays as it is here, which no object can say.
		x := Site{OnDemand: -1, Reservation: -1, Traffic: -1, Latitude: math.Inf(1), Longitude: math.Inf(1)}
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
func (a *Site) delay(b *Site) time.Duration {
	const radius, speed = 6371, 200
	rad := func(x float64) float64 { return x * math.Pi / 180 }
	sin := func(x float64) float64 { return math.Sin(x) * math.Sin(x) }
	h := sin(rad(b.Latitude-a.Latitude)/2) + math.Cos(rad(a.Latitude))*math.Cos(rad(b.Latitude))*sin(rad(b.Longitude-a.Longitude)/2)
	km := 2 * radius * math.Asin(math.Sqrt(min(1, h)))
	return time.Duration(math.Round(km/speed*1000)) * time.Microsecond
}

// Note prints what the centres are, and which records were left out.
func (o *Options) Note(run *cli.Run, centres []*Centre) {
	if o.Traces == nil {
		many := decimal.Count(o.Made, "made-up centre")
		if o.Made == len(shapes) {
			many = "three made-up centres"
		}
		run.Sayf("no -trace, so %s, seed %d", many, o.Seed)
		return
	}
	for i, c := range centres {
		text := c.Log.About(c.path)
		if c.Known < 0 && o.Prices == "" {
			text += fmt.Sprintf("\n  prices and place: those of %s, by its number among the logs (-prices)", PaperSites[i%len(PaperSites)].Name)
		}
		run.Sayf("%s", text)
	}
}
