package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/spotprices"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
)

// defaultProfile has the medians of three runs of LU of the NAS Parallel Benchmarks 3.4, classes
// S to A, on a machine with two cores, and defaultInput is its class C.
const defaultProfile = `application,case,processes,seconds,computation,communication,nx,ny,nz,iterations,dt
lu,S,1,0.0175,0.0174,0.0001,12,12,12,50,0.5
lu,S,2,0.0131,0.0092,0.0039,12,12,12,50,0.5
lu,W,1,3.139,3.1375,0.0015,33,33,33,300,0.0015
lu,W,2,1.7535,1.5828,0.1707,33,33,33,300,0.0015
lu,A,1,22.2457,22.243,0.0028,64,64,64,250,2
lu,A,2,11.2777,10.8259,0.4724,64,64,64,250,2
`

var defaultInput = recordInput{"C", []string{"nx", "ny", "nz", "iterations", "dt"}, []float64{162, 162, 162, 250, 2}}

// A task is an input of an application that is planned.
type task struct {
	Application string
	Name        string
	Names       []string // of the features
	Features    []float64
}

// input is what to plan.
type input struct {
	profiles []perfmodel.Profile
	// functions has the profiles with times of MPI functions, by application.
	functions map[string]*mpiprofile.Profile
	tasks     []task
	instance  sizing.InstanceType
	guessed   bool // its price on demand comes from the lowest spot price
	spot      pricing.SpotMeter
	history   pricing.SpotHistory
}

// read reads the files, or takes what is built in and made up.
func (o *options) read() (*input, error) {
	in := new(input)
	if err := o.readRuns(in); err != nil {
		return nil, err
	}
	if err := o.setTasksOf(in); err != nil {
		return nil, err
	}
	return in, o.readInstance(in)
}

// readRuns reads the profiles.
func (o *options) readRuns(in *input) (err error) {
	name := "the default profile"
	if o.profile == "" {
		err = in.readProfiles(strings.NewReader(defaultProfile))
	} else {
		name = "-profile " + o.profile
		_, err = infile.Read("-profile", o.profile, func(r io.Reader) (bool, error) { return true, in.readProfiles(r) })
	}
	if err == nil && len(in.profiles) == 0 {
		err = cli.Mistakef("%s: there is no run in it", name)
	}
	if err != nil {
		return err
	}
	for i := range in.profiles {
		if err := in.profiles[i].Validate(); err != nil {
			return cli.Mistakef("%s: %s%s", name, of(in.profiles[i].Application), inData(err))
		}
		// A benchmark has its features in its own order, whatever that of the columns.
		if b, err := perfmodel.NPB(in.profiles[i].Application); err == nil {
			if p, err := in.profiles[i].Arrange(b.Features); err == nil {
				in.profiles[i] = p
			}
		}
	}
	return nil
}

// readProfiles reads profiles, perhaps with times of MPI functions.
func (in *input) readProfiles(r io.Reader) error {
	list, err := mpiprofile.ReadProfiles(r)
	in.functions = map[string]*mpiprofile.Profile{}
	for i := range list {
		in.functions[list[i].Application] = &list[i]
		in.profiles = append(in.profiles, list[i].Profile)
	}
	return err
}

// of says whose something is, where applications have names.
func of(application string) string {
	if application == "" {
		return ""
	}
	return application + ": "
}

// inData says what is wrong with numbers that were read.
func inData(err error) string {
	var in *pricing.InputError
	for errors.As(err, &in) {
		err = in.Err
	}
	return err.Error()
}

// inRuns says which run of a profile numbers that were read are wrong in.
func inRuns(p *perfmodel.Profile, err error) string {
	var in *pricing.InputError
	if errors.As(err, &in) && strings.HasPrefix(in.Field, "Profile.Runs") && in.Index >= 0 && in.Index < len(p.Runs) {
		r := &p.Runs[in.Index]
		name := ""
		if r.Case != "" {
			name = " of " + r.Case
		}
		return fmt.Sprintf("the run%s on %s: %s", name, processes(r.Processes), inData(err))
	}
	return inData(err)
}

// setTasksOf says what is planned: the inputs, the tasks of the profile that were asked for, or
// the last case of every application.
func (o *options) setTasksOf(in *input) error {
	var names []string
	for i := range in.profiles {
		names = append(names, in.profiles[i].Application)
	}
	for _, x := range o.inputs {
		known := false
		for i := range in.profiles {
			p := &in.profiles[i]
			named := slices.ContainsFunc(o.tasks, func(t taskName) bool { return t.application == p.Application && t.name == "" })
			if (o.tasks == nil || named) && slices.Equal(slices.Sorted(slices.Values(x.Features)), slices.Sorted(slices.Values(p.Features))) {
				known = true
				t := task{Application: p.Application, Name: x.Name, Names: p.Features}
				for _, name := range p.Features {
					t.Features = append(t.Features, x.Values[slices.Index(x.Features, name)])
				}
				in.tasks = append(in.tasks, t)
			}
		}
		if !known {
			return cli.Mistakef("-input %s: no application of the profile that -task names has the features %s; %s has %s", x.Name, cli.Series(x.Features,
				"and"), in.profiles[0].Application, cli.Series(in.profiles[0].Features, "and"))
		}
	}
	asked := o.tasks
	if asked == nil && o.inputs == nil {
		for _, name := range names {
			asked = append(asked, taskName{application: name})
		}
	}
	for _, t := range asked {
		k := slices.Index(names, t.application)
		if k < 0 {
			return cli.Mistakef("-task %s: there is no such application in the profile; it has %s", t.application, strings.Join(names, ", "))
		}
		if o.inputs != nil && t.name == "" {
			continue // it says of which application the inputs are
		}
		p := &in.profiles[k]
		i := len(p.Runs) - 1
		for i >= 0 && t.name != "" && p.Runs[i].Case != t.name {
			i--
		}
		if i < 0 {
			return cli.Mistakef("-task %s:%s: there is no such case in the profile; -input plans others", t.application, t.name)
		}
		in.tasks = append(in.tasks, task{t.application, p.Runs[i].Case, p.Features, p.Runs[i].Features})
	}
	in.profiles = slices.DeleteFunc(in.profiles, func(p perfmodel.Profile) bool { // each learns from its own runs only
		return !slices.ContainsFunc(in.tasks, func(c task) bool { return c.Application == p.Application })
	})
	return nil
}

// defaultInstance is of 2026: a type of EC2 whose virtual processors are cores, and its price
// on demand in us-east-1.
var defaultInstance = sizing.InstanceType{Name: "c7a.4xlarge", ComputeUnits: 16, Processes: 16, Hourly: 821_100_000, Meter: pricing.EC2PerSecond}

// readInstance sets the instance and the prices.
func (o *options) readInstance(in *input) (err error) {
	if o.spot == "" {
		in.instance, in.spot = defaultInstance, pricing.EC2SpotPerSecond
		if o.instance != "" && o.instance != defaultInstance.Name {
			if in.instance, err = sizing.FindInstanceType(sizing.Huang13InstanceTypes(), o.instance); err == nil {
				in.spot = pricing.EC2SpotHourly
			} else if cores, ok := coresOf(o.instance); o.onDemand > 0 && (ok || o.ppn > 0) {
				in.instance = sizing.InstanceType{Name: o.instance, ComputeUnits: float64(max(1, cores)), Processes: cores, Meter: pricing.EC2PerSecond}
			} else {
				return cli.Mistakef("-instance %s: its price and its cores are not known here: say them with -on-demand and -ppn, or give -spot", o.instance)
			}
		}
		o.override(in)
		in.history = spotprices.MadeUp(in.instance.Hourly, o.seed)
		return o.fits(in)
	}
	data, err := infile.ReadUpTo(512<<20, "-spot", o.spot, io.ReadAll)
	if err != nil {
		return err
	}
	in.history, err = pricing.ReadSpot(bytes.NewReader(data), pricing.SpotSeries{Zone: o.zone, Type: o.instance, Product: o.product})
	if err != nil {
		var bad *pricing.InputError
		if errors.As(err, &bad) && bad.Field == "series" {
			return cli.Mistakef("-spot %s: %s", o.spot, o.whichSeries(data))
		}
		return cli.Mistakef("-spot %s: %s", o.spot, strings.TrimPrefix(err.Error(), "pricing: "))
	}
	name := in.history.Series.Type
	in.instance, err = sizing.FindInstanceType(sizing.Huang13InstanceTypes(), name)
	in.spot = pricing.EC2SpotHourly
	if name == defaultInstance.Name {
		in.instance, in.spot = defaultInstance, pricing.EC2SpotPerSecond
	} else if err != nil { // not in Table III
		cores, ok := coresOf(name)
		if !ok && o.ppn == 0 {
			return cli.Mistakef("-instance %s: how many processes run on one cannot be told from its name; say so with -ppn", name)
		}
		lowest := slices.Min(in.history.Prices)
		if lowest == 0 && o.onDemand == 0 {
			return cli.Mistakef("-instance %s: its price on demand cannot be told from a spot price of 0; say it with -on-demand", name)
		}
		if in.guessed = o.onDemand == 0; in.guessed && lowest > maxAmount*pricing.Unit {
			return cli.Mistakef("-instance %s: the spot price %v is more than can be computed with", name, lowest)
		}
		in.instance = sizing.InstanceType{Name: name, ComputeUnits: float64(max(1, cores)), Processes: cores, Hourly: lowest * 10 / 3, Meter: pricing.EC2PerSecond}
		in.spot = pricing.EC2SpotPerSecond
	}
	o.override(in)
	return o.fits(in)
}

// whichSeries says why not one series of prices was found.
func (o *options) whichSeries(data []byte) string {
	all, err := pricing.ReadSpots(bytes.NewReader(data))
	if err != nil {
		return err.Error()
	}
	flags := [...]struct {
		name, want string
		of         func(pricing.SpotSeries) string
	}{
		{"instance", o.instance, func(s pricing.SpotSeries) string { return s.Type }},
		{"product", o.product, func(s pricing.SpotSeries) string { return s.Product }},
		{"zone", o.zone, func(s pricing.SpotSeries) string { return s.Zone }},
	}
	values := func(of func(pricing.SpotSeries) string) []string {
		var list []string
		for i := range all {
			list = append(list, of(all[i].Series))
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for _, f := range flags {
		if f.want == "" {
			continue
		}
		had := values(f.of)
		all = slices.DeleteFunc(all, func(h pricing.SpotHistory) bool { return f.of(h.Series) != f.want })
		if len(all) == 0 {
			return fmt.Sprintf("there is no -%s %s in it; there is %s", f.name, f.want, strings.Join(had, ", "))
		}
	}
	for _, f := range flags {
		if list := values(f.of); len(list) > 1 {
			return fmt.Sprintf("say with -%s which prices are meant: those of %s", f.name, strings.Join(list, ", "))
		}
	}
	return "it has no prices"
}

// override takes price and processes as given.
func (o *options) override(in *input) {
	if o.onDemand > 0 {
		in.instance.Hourly = o.onDemand
	}
	if o.ppn > 0 {
		in.instance.Processes = o.ppn
	}
}

// fits says whether the history is long enough.
func (o *options) fits(in *input) error {
	if in.history.Span() < o.deadline+pastLeast {
		return cli.Mistakef("the history of spot prices spans %v: it has to span -deadline %v, and %v before", in.history.Span(), o.deadline, pastLeast)
	}
	return nil
}

// pastLeast is the least of past prices to judge by; pastWanted is what the paper
// looks at.
const (
	pastLeast  = time.Hour
	pastWanted = 30 * 24 * time.Hour
)

// coresOf tells the cores of an instance type of EC2 from its size: each has two
// virtual processors.
func coresOf(name string) (int, bool) {
	_, size, _ := strings.Cut(name, ".")
	switch size {
	case "large":
		return 1, true
	case "xlarge":
		return 2, true
	}
	times, ok := strings.CutSuffix(size, "xlarge")
	n, err := strconv.Atoi(times)
	if !ok || err != nil || n < 1 || n > maxPPN/2 {
		return 0, false
	}
	return 2 * n, true
}

// note says what is planned from what.
func (o *options) note(run *cli.Run, in *input) {
	runs := 0
	for i := range in.profiles {
		runs += len(in.profiles[i].Runs)
	}
	name := o.profile
	if name == "" {
		name = "no -profile, so that of LU, a benchmark, on a machine with two cores"
	}
	prices := fmt.Sprintf("no -spot, so a MADE-UP history of spot prices (-seed %d)", o.seed)
	if o.spot != "" {
		prices = fmt.Sprintf("%s: %s, %s of prices", o.spot, in.history.Series, days(in.history.Span()))
	}
	if in.guessed {
		prices += fmt.Sprintf("\n  no -on-demand, so 10/3 of its lowest spot price: $%s an hour", price(in.instance.Hourly))
	}
	run.Sayf("%s: %s of %s\n  %s", name, decimal.Count(runs, "case"), decimal.Count(len(in.profiles), "application"), prices)
}

func days(d time.Duration) string {
	return decimal.Fixed(math.Floor(d.Hours()/24), 0) + " days"
}
