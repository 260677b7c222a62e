package trace

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// AbsoluteFrom is the submit time from which a conversion takes a log's times as absolute,
// counted from 1970. It is 10⁸ s: 3 March 1973 as a date, and over three years as a span.
// No log of the archive starts so late after its own time 0, and none was made before
// that day.
const AbsoluteFrom = 100_000_000 * time.Second

// Options are the choices of a conversion. The zero value is the default: a
// processor an instance, estimates as requested.
type Options struct {
	PerInstance int // processors per instance; 0 means 1
	// Alpha scales overestimation, [Niu16] section 8.4: 0 makes a perfect estimate, 2 twice
	// the user's error. Nil means 1, the estimate that the user gave.
	//
	//	t_sch = t_run + α·(t_req − t_run)
	Alpha *float64
}

// A Report counts what a conversion left out and changed. Every record that
// is not a job is counted by the first reason that applies, in the order of
// the fields, so that Records = Jobs + Left().
type Report struct {
	Records int // records given
	Jobs    int // jobs made

	// Left out, one reason each.
	NoSubmit     int // no submit time: it is negative
	Bursts       int // a burst of a swapped-out job whose record stands just before
	Cancelled    int // cancelled before start: status 5 and no run time above 0
	NoRun        int // no run time: it is negative
	ZeroRun      int // run time 0
	NoProcessors int // no number of processors above 0

	// Kept, but changed; a job may count more than once.
	OtherProcessors int           // no processors allocated above 0: the requested ones stand in
	EstimateMissing int           // no requested time above 0: the run time stands in
	EstimateRaised  int           // requested time below the run time, raised to it
	Moved           int           // later in the log than a job that sorts after it
	Base            time.Duration // subtracted from every submit time
}

// Left is the number of records left out.
func (r *Report) Left() int { return r.Records - r.Jobs }

// LeftOut yields each reason for which records were left out with their
// number, where there are any.
func (r *Report) LeftOut() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		_ = item(yield, "no submit time", r.NoSubmit) &&
			item(yield, "burst of the job before", r.Bursts) &&
			item(yield, "cancelled before start", r.Cancelled) &&
			item(yield, "run time unknown", r.NoRun) &&
			item(yield, "run time 0", r.ZeroRun) &&
			item(yield, "no processors", r.NoProcessors)
	}
}

// Changed yields each kind of change with the number of jobs that it
// concerns, where there are any.
func (r *Report) Changed() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		shifted, by := 0, ""
		if r.Base != 0 {
			shifted = r.Jobs
			by = "submit time less " + string(appendSeconds(nil, r.Base)) + " s"
		}
		_ = item(yield, "processors of the other field", r.OtherProcessors) &&
			item(yield, "estimate missing, run time taken", r.EstimateMissing) &&
			item(yield, "estimate raised to the run time", r.EstimateRaised) &&
			item(yield, "moved into the order of submission", r.Moved) &&
			item(yield, by, shifted)
	}
}

func item(yield func(string, int) bool, what string, n int) bool {
	return n == 0 || yield(what, n)
}

// String is the report as lines of text, without a line feed at the end.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d records, %d jobs, %d left out", r.Records, r.Jobs, r.Left())
	for what, n := range r.LeftOut() {
		fmt.Fprintf(&b, "\n  left out: %s: %d", what, n)
	}
	for what, n := range r.Changed() {
		fmt.Fprintf(&b, "\n  changed: %s: %d", what, n)
	}
	return b.String()
}

// Convert turns records into jobs, in the order of submission. A record becomes a job if it has a
// submit time, and run time and processors above 0. The Report counts the other records. records
// may come from [Reader.Records], for example.
//
//	Nodes    = ⌈processors / PerInstance⌉
//	Submit   = submit time − base
//	Estimate = Run + α·(requested time − Run), at least Run
//
// The number of processors is the number allocated (field 5), or the number requested (field 8) if
// field 5 is not positive. α is an option. The base is 0, so that the jobs keep the log's own time
// 0. If all submissions are at [AbsoluteFrom] or later, the base is the earliest submission in the
// log, even if its record does not become a job.
//
// Convert raises an estimate below the run time to the run time, since a scheduler would end the
// job at its estimate. A missing estimate becomes the run time. Jobs with the same Submit come in
// the order of their IDs, then in the order of the log.
//
// Convert ends at the first error. The error is an error that records yields, or a
// *schedule.InputError for a job that cannot be represented. Convert panics if an option is out of
// range. Time is O(n) for a log in order and O(n log² n) otherwise. Memory is linear in the jobs
// that Convert returns.
func Convert(records iter.Seq2[Record, error], opts Options) ([]Job, Report, error) {
	return appendJobs(nil, records, opts)
}

// appendJobs appends the jobs of Convert to dst, and returns dst as it was given with an error.
func appendJobs(dst []Job, records iter.Seq2[Record, error], opts Options) ([]Job, Report, error) {
	c := newConverter(opts)
	jobs := dst
	var latest Job // the greatest of the jobs so far
	for rec, err := range records {
		if err != nil {
			return dst, Report{}, err
		}
		job, ok, err := c.convert(&rec)
		if err != nil {
			return dst, Report{}, err
		}
		if !ok {
			continue
		}
		if len(jobs) > len(dst) && compareJobs(job, latest) < 0 {
			c.rep.Moved++
		} else {
			latest = job
		}
		jobs = append(jobs, job)
	}
	made, rep := jobs[len(dst):], c.rep
	rep.Jobs = len(made)
	if rep.Jobs > 0 && c.first >= AbsoluteFrom {
		rep.Base = c.first
	}
	for i := range made {
		made[i].Submit -= rep.Base
	}
	if rep.Moved > 0 {
		slices.SortStableFunc(made, compareJobs)
	}
	return jobs, rep, nil
}

// A converter makes jobs of records, one by one, with submit times of the log.
type converter struct {
	per      int
	alpha    float64
	rep      Report
	first    time.Duration // the earliest submission so far
	previous int64         // job number of the record before
}

// newConverter panics if an option is out of range.
func newConverter(opts Options) converter {
	if opts.PerInstance < 0 {
		panic("trace: negative processors per instance")
	}
	alpha := 1.0
	if opts.Alpha != nil {
		alpha = *opts.Alpha
	}
	if !(alpha >= 0) || math.IsInf(alpha, 1) {
		panic("trace: alpha must be finite and not negative")
	}
	return converter{per: max(1, opts.PerInstance), alpha: alpha, first: math.MaxInt64}
}

// convert returns the job that a record is, or false, and counts it.
func (c *converter) convert(rec *Record) (Job, bool, error) {
	rep := &c.rep
	rep.Records++
	burst := rep.Records > 1 && rec.ID == c.previous &&
		rec.Status >= StatusPartial && rec.Status <= StatusPartialFailed
	c.previous = rec.ID
	if rec.Submit >= 0 {
		c.first = min(c.first, rec.Submit)
	}
	procs, other := rec.Processors, rec.ReqProcessors
	replaced := procs <= 0 && other > 0
	if replaced {
		procs = other
	}
	switch {
	case rec.Submit < 0:
		rep.NoSubmit++
		return Job{}, false, nil
	case burst:
		rep.Bursts++
		return Job{}, false, nil
	case rec.Run <= 0 && rec.Status == StatusCancelled:
		rep.Cancelled++
		return Job{}, false, nil
	case rec.Run < 0:
		rep.NoRun++
		return Job{}, false, nil
	case rec.Run == 0:
		rep.ZeroRun++
		return Job{}, false, nil
	case procs <= 0:
		rep.NoProcessors++
		return Job{}, false, nil
	}
	job := Job{
		ID:       rec.ID,
		Submit:   rec.Submit,
		Run:      rec.Run,
		Estimate: rec.ReqTime,
		Nodes:    (procs-1)/c.per + 1,
		User:     rec.User,
		Queue:    rec.Queue,
		Wait:     rec.Wait,
	}
	if replaced {
		rep.OtherProcessors++
	}
	switch over := rec.ReqTime - rec.Run; {
	case rec.ReqTime <= 0:
		job.Estimate = rec.Run
		rep.EstimateMissing++
	case over < 0:
		job.Estimate = rec.Run
		rep.EstimateRaised++
	case c.alpha != 1:
		x := math.Round(c.alpha * float64(over))
		if x >= float64(math.MaxInt64-rec.Run) {
			return Job{}, false, badInput("Records.Estimate", rep.Records-1, ErrRange, "the factor %g makes the estimate longer than 292 years: want a smaller factor", c.alpha)
		}
		job.Estimate = rec.Run + time.Duration(x)
	}
	return job, true, nil
}

func compareJobs(a, b Job) int {
	return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
}
