package mpiprofile

import (
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadMPIP reads a report of mpiP, to the end of r. The times of functions are those of the
// section "Callsite Time statistics", of the lines with the sums over all tasks: those of
// single tasks are not all there if mpiP was given a threshold (-t). If the report is
// concise and has no such section, they are those of "Aggregate Time", which has the twenty
// call sites that take most.
//
// Where the functions take less than the section "MPI Time" says, the rest is the function
// MPI_other.
//
// The error is that of r, or an [*InputError]. With the line it unwraps to ErrSyntax,
// ErrRange, or ErrTruncated if a line or the report has no end. Without a line it unwraps to
// ErrMissing if no task has a time, or to ErrMixed if the report assigns another number of
// tasks than it has times of.
func ReadMPIP(r io.Reader) (Run, error) {
	var out Run
	var sites, top Process
	l := newLines(r)
	first, ok := l.next()
	if !ok {
		return out, l.ended("report", "the file is empty: want a report of mpiP")
	}
	if !strings.HasPrefix(first, "@ mpiP") {
		return out, badLine("report", 1, ErrSyntax, "%.60q: want \"@ mpiP\", with which a report begins", first)
	}
	section, ended, all, assigned := "", false, false, 0
	const ms = 1e-3
	for {
		text, ok := l.next()
		if !ok {
			break
		}
		if title, found := strings.CutPrefix(text, "@--- "); found {
			section, _, _ = strings.Cut(strings.TrimRight(title, "- "), " (")
			section, _, _ = strings.Cut(section, ":")
			ended = ended || strings.HasPrefix(section, "End of Report")
			continue
		}
		if strings.HasPrefix(text, "@ MPI Task Assignment") {
			assigned++
		}
		words := strings.Fields(text)
		if len(words) < 2 || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "@") {
			continue
		}
		numbers := func(field string, from, to int) ([]float64, error) {
			if len(words) < to {
				return nil, badLine(field, l.number, ErrTruncated, "%d words in %.60q: want %d", len(words), text, to)
			}
			var x []float64
			for _, w := range words[from:to] {
				v, err := strconv.ParseFloat(w, 64)
				if err != nil {
					return nil, badLine(field, l.number, ErrSyntax, "%.40q: want a number", w)
				}
				if !(v >= 0) || math.IsInf(v, 0) {
					return nil, badLine(field, l.number, ErrRange, "%v: want a number of 0 or more", v)
				}
				x = append(x, v)
			}
			return x, nil
		}
		switch section {
		case "MPI Time":
			if words[0] == "Task" || words[0] == "*" {
				continue
			}
			x, err := numbers(section, 0, 3)
			if err != nil {
				return out, err
			}
			if int(x[0]) != out.Processes || x[0] != math.Trunc(x[0]) {
				return out, badLine(section, l.number, ErrSyntax, "task %v after %d tasks: want one after the other", x[0], out.Processes)
			}
			out.Processes++
			out.Seconds += x[1]
			out.Communication += x[2]
		case "Aggregate Time": // Call Site Time App% MPI% ...
			if words[0] == "Call" {
				continue
			}
			x, err := numbers(section, 1, 3)
			if err != nil {
				return out, err
			}
			top.add(Function{Name: "MPI_" + words[0], Seconds: x[1] * ms})
		case "Callsite Time statistics": // Name Site Rank Count Max Mean Min ...
			if words[0] == "Name" {
				continue
			}
			if all = true; len(words) < 3 || words[2] != "*" {
				if _, err := numbers(section, 1, 6); err != nil {
					return out, err
				}
				continue
			}
			x, err := numbers(section, 3, 6)
			if err != nil {
				return out, err
			}
			sites.add(Function{Name: "MPI_" + words[0], Calls: x[0], Seconds: x[0] * x[2] * ms})
		}
	}
	if err := l.failed(); err != nil {
		return out, err
	}
	if !ended {
		return out, badLine("report", l.number+1, ErrTruncated, "there is no \"End of Report\": want the whole report")
	}
	if out.Processes == 0 || out.Seconds == 0 {
		return out, badInput("MPI Time", -1, ErrMissing, "no process takes time: want the section \"MPI Time (seconds)\" with a line for each task")
	}
	if assigned > 0 && assigned != out.Processes {
		return out, badInput("MPI Time", -1, ErrMixed, "%d tasks have times, and %d are assigned to nodes: want the times of all", out.Processes, assigned)
	}
	functions := top.Functions
	if all {
		functions = sites.Functions
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
		out.Functions = append(out.Functions, Function{Name: "MPI_other", Seconds: rest})
	} else {
		out.Communication = sum
	}
	return out, nil
}

// roundedMPIP is how much of the time within MPI the sections of a report may differ by:
// they are printed with three digits.
const roundedMPIP = 0.01
