// Package joblog reads a log of jobs in the Standard Workload Format, or what Slurm,
// PBS and LSF account for, and converts it to jobs that hold instances.
package joblog

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/trace/accounting"
)

// A Log is the jobs of a log, at least one, and which records were left out.
type Log struct {
	Jobs []trace.Job
	// Requested is, by job, the run time that its user asked for, as the log has it:
	// not positive where that is unknown, and below the run time of a job that ran
	// for longer. A job's Estimate is never that.
	Requested []time.Duration
	Report    trace.Report
	Stats     trace.Stats // zero where nothing was read
	Start     time.Time   // the jobs' time 0, in UTC; zero where the log does not say
}

// Read reads the file that was given with a flag, such as "-trace", plain or gzip,
// of the form that its first bytes tell, and converts it. The error is the user's mistake, and wraps that of package trace.
func Read(flag, path string, o trace.Options, line *progress.Line) (*Log, error) {
	f, err := infile.Open(flag, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return From(path, infile.Shown(f, path, line), o)
}

// From reads a text that is no file of a flag, such as one that a person pasted, as [Read]
// does.
func From(path string, in io.Reader, o trace.Options) (*Log, error) {
	text := bufio.NewReaderSize(in, 64<<10)
	if head, _ := text.Peek(64 << 10); accounting.Detect(head) {
		log, err := Convert(path, accounting.NewReader(text, accounting.Options{}).Records(), o)
		if err != nil {
			return nil, err
		}
		log.Start = time.Unix(0, 0).UTC().Add(log.Report.Base)
		return log, nil
	}
	r := trace.NewReader(text)
	log, err := Convert(path, r.Records(), o)
	if err != nil {
		return nil, err
	}
	log.Stats = r.Stats()
	if base := log.Report.Base; base >= trace.AbsoluteFrom { // times count from 1970
		log.Start = time.Unix(0, 0).UTC().Add(base)
	} else if h, err := r.Header(); err == nil {
		if start, ok := h.UnixStartTime(); ok {
			log.Start = start.Add(base)
		}
	}
	return log, nil
}

// Convert converts the records of a log of the given name, as Read does.
func Convert(name string, records iter.Seq2[trace.Record, error], o trace.Options) (*Log, error) {
	log := new(Log)
	// A conversion copies the wait of a record and does not look at it: so it can carry
	// the record's number.
	type kept struct{ wait, requested time.Duration }
	var all []kept
	numbered := func(yield func(trace.Record, error) bool) {
		for r, err := range records {
			if err == nil {
				all = append(all, kept{r.Wait, r.ReqTime})
				r.Wait = time.Duration(len(all) - 1)
			}
			if !yield(r, err) {
				return
			}
		}
	}
	var err error
	log.Jobs, log.Report, err = trace.Convert(numbered, o)
	for i := range log.Jobs {
		k := all[log.Jobs[i].Wait]
		log.Jobs[i].Wait = k.wait
		log.Requested = append(log.Requested, k.requested)
	}
	switch {
	case err != nil:
		return nil, cli.Mistakef("%s: %w", name, err)
	case log.Report.Records == 0:
		return nil, cli.Mistakef("%s: there is no job in it", name)
	case len(log.Jobs) == 0:
		why := ""
		for what, n := range log.Report.LeftOut() {
			if why != "" {
				why += ", "
			}
			why += fmt.Sprintf("%s: %s", what, decimal.Int(n))
		}
		return nil, cli.Mistakef("%s: none of its %s records is a job that can be run (%s)",
			name, decimal.Int(log.Report.Records), why)
	}
	return log, nil
}

// About describes a log of the name: its jobs, and which records were left out.
func (l *Log) About(name string) string {
	text := fmt.Sprintf("%s: %v", name, &l.Report)
	for _, x := range []struct {
		n    int
		what string
	}{
		{l.Stats.Short, "lines of fewer than 18 fields, the rest taken as unknown"},
		{l.Stats.Extra, "lines of more than 18 fields, the rest not read"},
		{l.Stats.Rounded, "lines with times finer than a nanosecond, rounded"},
	} {
		if x.n > 0 {
			text += fmt.Sprintf("\n  read: %s: %d", x.what, x.n)
		}
	}
	return text
}

// Note prints what About returns.
func (l *Log) Note(run *cli.Run, name string) { run.Sayf("%s", l.About(name)) }
