package main

import (
	"bytes"
	_ "embed"
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

// The default profile: medians of up to three runs of each case of the NAS Parallel
// Benchmarks 3.4 on a machine with two cores, measured for this project, runs
// disturbed by others left out. On more than two processes the cores take turns. It
// is computed from the single timings, where they are to be had, by
//
//	go test ./examples/tools/cap3 -run TestEmbeddedProfile -update
//
//go:embed npb.csv
var npbProfile []byte

// The features of the benchmarks' classes, as NPB defines them.
//
//go:embed features.csv
var npbFeatures []byte

// input is what to plan.
type input struct {
	profiles []perfmodel.Profile
	// functions has the profiles with times of MPI functions, by application.
	functions map[string]*mpiprofile.Profile
	cases     []kase
	standard  bool   // cases are those of the benchmarks that are embedded
	tasks     []kase // to be planned
	types     []sizing.InstanceType
	instance  sizing.InstanceType
	cheapest  bool // the instance is the one with the least price per compute unit
	guessed   bool // its price on demand comes from the lowest spot price
	spot      pricing.SpotMeter
	history   pricing.SpotHistory
}

// read reads the files, or takes what is embedded and made up.
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

// readRuns reads the features and the profiles, those of the benchmarks where no others
// are given.
func (o *options) readRuns(in *input) (err error) {
	in.standard = o.features == ""
	if in.standard {
		in.cases, err = readCases(bytes.NewReader(npbFeatures))
	} else {
		in.cases, err = infile.Read("-features", o.features, readCases)
	}
	if err != nil {
		return err
	}
	name := "the default profile"
	if o.profile == "" {
		in.profiles, err = perfmodel.ReadProfiles(bytes.NewReader(npbProfile))
	} else {
		name = "-profile " + o.profile
		in.profiles, err = infile.Read("-profile", o.profile, in.readProfiles)
	}
	if err == nil && len(in.profiles) == 0 {
		err = cli.Mistakef("%s: there is no run in it that was not disturbed", name)
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

// readProfiles reads profiles or, as the titles tell, single timings.
func (in *input) readProfiles(r io.Reader) ([]perfmodel.Profile, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if timings(data) {
		return readTimings(bytes.NewReader(data), in.cases)
	}
	list, err := mpiprofile.ReadProfiles(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	in.functions = map[string]*mpiprofile.Profile{}
	var out []perfmodel.Profile
	for i := range list {
		in.functions[list[i].Application] = &list[i]
		out = append(out, list[i].Profile)
	}
	return out, nil
}

// of says whose something is, where applications have names.
func of(application string) string {
	if application == "" {
		return ""
	}
	return application + ": "
}

// timings tells from the titles whether a table has single timings.
func timings(data []byte) bool {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	for title := range strings.SplitSeq(string(first), ",") {
		if strings.Trim(title, " \"\r\ufeff") == "procs" {
			return true
		}
	}
	return false
}

// inData says what is wrong with numbers that were read.
func inData(err error) string {
	var in *perfmodel.InputError
	for errors.As(err, &in) {
		err = in.Err
	}
	return err.Error()
}

// inRuns says which run of a profile numbers that were read are wrong in.
func inRuns(p *perfmodel.Profile, err error) string {
	var in *perfmodel.InputError
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

// setTasksOf says what is planned: what was asked for, or one case of every
// application.
func (o *options) setTasksOf(in *input) error {
	asked := o.tasks
	if asked == nil {
		for i := range in.profiles {
			asked = append(asked, taskName{application: in.profiles[i].Application})
		}
	}
	for _, t := range asked {
		k := slices.IndexFunc(in.profiles, func(p perfmodel.Profile) bool { return p.Application == t.application })
		if k < 0 {
			return cli.Mistakef("-task %s: there is no such application in the profile; it has %s", t.application, in.applications())
		}
		c, err := in.find(&in.profiles[k], t.name)
		if err != nil {
			return err
		}
		in.tasks = append(in.tasks, c)
	}
	if o.model != auto && o.model != machine { // each learns from its own runs only
		in.profiles = slices.DeleteFunc(in.profiles, func(p perfmodel.Profile) bool {
			return !slices.ContainsFunc(in.tasks, func(c kase) bool { return c.Application == p.Application })
		})
	}
	return nil
}

func (in *input) applications() string {
	var names []string
	for i := range in.profiles {
		names = append(names, in.profiles[i].Application)
	}
	return strings.Join(names, ", ")
}

// defaultClass is what is planned of a benchmark where nothing else is said. It is
// about as far beyond classes S to B as the largest of those is beyond the others,
// so that how well it is predicted can be checked. Class D is far beyond that.
const defaultClass = "C"

// find returns the case of a name, or that which is planned by default.
func (in *input) find(p *perfmodel.Profile, name string) (kase, error) {
	var all []kase
	for _, c := range in.cases {
		// Somebody's own program may have the name of a benchmark.
		if c.Application == p.Application && !(in.standard && !sameNames(c.Names, p.Features)) {
			all = append(all, c)
		}
	}
	if name == "" && in.standard && len(all) > 0 {
		name = defaultClass
	}
	if len(all) == 0 { // those of the profile, which may be planned again
		for i := range p.Runs {
			all = append(all, kase{Application: p.Application, Name: p.Runs[i].Case, Names: p.Features, Features: p.Runs[i].Features})
		}
	}
	if len(all) == 0 {
		return kase{}, cli.Mistakef("%sthere is no run of it", of(p.Application))
	}
	for i := len(all) - 1; i >= 0; i-- {
		c := all[i]
		if name != "" && c.Name != name {
			continue
		}
		c, err := c.arrange(p.Features)
		if err != nil {
			return c, cli.Mistakef("%s, which the profile has", inData(err))
		}
		return c, nil
	}
	return kase{}, cli.Mistakef("-task %s:%s: there is no such case", p.Application, name)
}

// sameNames tells whether two lists have the same names in any order.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// readInstance sets the instance and the prices.
func (o *options) readInstance(in *input) error {
	in.types = sizing.Huang13InstanceTypes()
	k, err := sizing.CheapestPerUnit(in.types)
	if err != nil {
		return err
	}
	if o.spot == "" {
		if o.instance == "" {
			in.instance, in.cheapest = in.types[k], true
		} else if in.instance, err = sizing.FindInstanceType(in.types, o.instance); err != nil {
			var names []string
			for _, t := range in.types {
				names = append(names, t.Name)
			}
			return cli.Mistakef("-instance %s: there is no such type in Table III, which has %s; others need -spot", o.instance, strings.Join(names, ", "))
		}
		o.override(in)
		in.spot = pricing.EC2SpotHourly
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
	in.instance, err = sizing.FindInstanceType(in.types, name)
	in.spot = pricing.EC2SpotHourly
	if err != nil { // not in Table III
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
	for i := range in.types { // it was the cheapest at its own price
		if in.types[i].Name == in.instance.Name && in.types[i] != in.instance {
			in.cheapest = false
			in.types[i] = in.instance
		}
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
		name = "no -profile, so that of the NAS Parallel Benchmarks on a machine with two cores"
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
