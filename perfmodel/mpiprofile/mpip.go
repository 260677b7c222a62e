package mpiprofile

import (
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadMPIP reads a report of mpiP, to the end of r. All times and calls in the Run are means over
// the tasks, which are the processes of the run.
//
// The times of functions come from the section "Callsite Time statistics". ReadMPIP uses the lines
// about all tasks, since mpiP with a threshold (-t) leaves out lines about single tasks. A concise
// report does not have that section. The times then come from "Aggregate Time", which has only the
// twenty call sites that take most time. If the functions take less time than the section "MPI
// Time" says, the rest is the time of a function named MPI_other.
//
// The error is that of r, or a *pricing.InputError. With a line number, it unwraps to ErrSyntax or
// ErrRange, or to ErrTruncated if a line or the report has no end. Without a line number, it
// unwraps to ErrMissing if no task has a time, or to ErrMixed if the number of tasks that the
// report assigns to nodes differs from the number of tasks with times.
func ReadMPIP(r io.Reader) (Run, error) {
	p := mpip{lines: newLines(r)}
	first, ok := p.lines.next()
	if !ok {
		return Run{}, p.lines.ended("report", "the file is empty: want a report of mpiP")
	}
	if !strings.HasPrefix(first, "@ mpiP") {
		return Run{}, badLine("report", 1, ErrSyntax, "%.60q: want \"@ mpiP\", with which a report begins", first)
	}
	for {
		text, ok := p.lines.next()
		if !ok {
			break
		}
		if err := p.line(text); err != nil {
			return p.run, err
		}
	}
	if err := p.lines.failed(); err != nil {
		return p.run, err
	}
	return p.mean()
}

// An mpip is a report of mpiP as far as it has been read.
type mpip struct {
	lines    *lines
	section  string
	run      Run // sums over the tasks
	sites    Process
	all      bool // whether sites has the call sites; else top has
	top      Process
	assigned int // tasks that are assigned to nodes
	ended    bool
}

// line reads a line.
func (p *mpip) line(text string) error {
	const ms = 1e-3
	if title, found := strings.CutPrefix(text, "@--- "); found {
		p.section, _, _ = strings.Cut(strings.TrimRight(title, "- "), " (")
		p.section, _, _ = strings.Cut(p.section, ":")
		p.ended = p.ended || strings.HasPrefix(p.section, "End of Report")
		return nil
	}
	if strings.HasPrefix(text, "@ MPI Task Assignment") {
		p.assigned++
	}
	words := strings.Fields(text)
	if len(words) < 2 || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "@") {
		return nil
	}
	switch p.section {
	case "MPI Time":
		if words[0] == "Task" || words[0] == "*" {
			return nil
		}
		x, err := p.numbers(text, words, 0, 3)
		if err != nil {
			return err
		}
		if int(x[0]) != p.run.Processes || x[0] != math.Trunc(x[0]) {
			return badLine(p.section, p.lines.number, ErrSyntax, "task %v after %d tasks: want one after the other", x[0], p.run.Processes)
		}
		p.run.Processes++
		p.run.Seconds += x[1]
		p.run.Communication += x[2]
	case "Aggregate Time": // Call Site Time App% MPI% ...
		if words[0] == "Call" {
			return nil
		}
		x, err := p.numbers(text, words, 1, 3)
		if err != nil {
			return err
		}
		p.top.add(Function{Name: "MPI_" + words[0], Seconds: x[1] * ms})
	case "Callsite Time statistics": // Name Site Rank Count Max Mean Min ...
		if words[0] == "Name" {
			return nil
		}
		if p.all = true; len(words) < 3 || words[2] != "*" {
			_, err := p.numbers(text, words, 1, 6)
			return err
		}
		x, err := p.numbers(text, words, 3, 6)
		if err != nil {
			return err
		}
		p.sites.add(Function{Name: "MPI_" + words[0], Calls: x[0], Seconds: x[0] * x[2] * ms})
	}
	return nil
}

// numbers reads words of a line, from one up to another.
func (p *mpip) numbers(text string, words []string, from, to int) ([]float64, error) {
	if len(words) < to {
		return nil, badLine(p.section, p.lines.number, ErrTruncated, "%d words in %.60q: want %d", len(words), text, to)
	}
	var x []float64
	for _, w := range words[from:to] {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, badLine(p.section, p.lines.number, ErrSyntax, "%.40q: want a number", w)
		}
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, badLine(p.section, p.lines.number, ErrRange, "%v: want a number of 0 or more", v)
		}
		x = append(x, v)
	}
	return x, nil
}

// mean returns the means over the tasks of a whole report.
func (p *mpip) mean() (Run, error) {
	out := p.run
	if !p.ended {
		return out, badLine("report", p.lines.number+1, ErrTruncated, "there is no \"End of Report\": want the whole report")
	}
	if out.Processes == 0 || out.Seconds == 0 {
		return out, badInput("MPI Time", -1, ErrMissing, "no process takes time: want the section \"MPI Time (seconds)\" with a line for each task")
	}
	if p.assigned > 0 && p.assigned != out.Processes {
		return out, badInput("MPI Time", -1, ErrMixed, "%d tasks have times, and %d are assigned to nodes: want the times of all", out.Processes, p.assigned)
	}
	functions := p.top.Functions
	if p.all {
		functions = p.sites.Functions
	}
	n := float64(out.Processes)
	out.Seconds /= n
	out.Communication /= n
	sum := 0.0
	for _, f := range functions {
		f.Calls /= n
		f.Seconds /= n
		sum += f.Seconds
		out.Functions = append(out.Functions, f)
	}
	if rest := out.Communication - sum; rest > roundedMPIP*out.Communication {
		out.Functions = append(out.Functions, Function{Name: other, Seconds: rest})
	} else {
		out.Communication = sum
	}
	return out, nil
}

// roundedMPIP is how much of the time within MPI the sections of a report may differ by:
// they are printed with three digits.
const roundedMPIP = 0.01
