package mpiprofile

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Function is an MPI function and the time that a program spends in it.
type Function struct {
	Name    string // such as "MPI_Allreduce"
	Calls   float64
	Seconds float64
}

// A Process has the times of one process of a run.
type Process struct {
	Seconds   float64    // from the beginning to the end of the program
	Functions []Function // of MPI, by name
	Started   float64    // seconds since 1970; 0 if the file does not say
	Of        int        // the processes of its run; 0 if the file does not say
}

// A Run has the mean times of the processes of a run.
type Run struct {
	Processes     int
	Seconds       float64 // T = T_C + T_N
	Communication float64 // T_N, the sum of all functions
	Functions     []Function
}

// Computation returns T_C = T − T_N.
func (r *Run) Computation() float64 { return max(0, r.Seconds-r.Communication) }

const µs = 1e-6

// maxLine bounds a line of a profile. TAU's lines have names of functions with their
// arguments, and metadata.
const maxLine = 1 << 22

// maxCount bounds the numbers of functions and events that a file may announce.
const maxCount = 1 << 24

// A lines reads a file line by line.
type lines struct {
	*bufio.Scanner
	number int
}

func newLines(r io.Reader) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<14), maxLine)
	return &lines{Scanner: s}
}

// next returns the next line, and false at the end of the file.
func (l *lines) next() (string, bool) {
	if !l.Scan() {
		return "", false
	}
	l.number++
	return strings.TrimRight(l.Text(), "\r"), true
}

// failed is an error of the reader, or of a line that is too long; nil at the end.
func (l *lines) failed() error {
	if l.Err() == bufio.ErrTooLong {
		return badLine("line", l.number+1, ErrSyntax, "more than %d bytes: want lines of text", maxLine)
	}
	return l.Err()
}

// ended is the error of a file that ends although something is still to come.
func (l *lines) ended(field, format string, args ...any) error {
	if err := l.failed(); err != nil {
		return err
	}
	return badLine(field, l.number+1, ErrTruncated, format, args...)
}

// ReadTAU reads the profile of one process, profile.N.0.0 of TAU, to the end of r. The time of the
// process is the largest inclusive time of a function. The time of an MPI function is its exclusive
// time. A function is an MPI function if it is in the group MPI, or if its name begins with MPI_.
//
// The error is that of r, or a *pricing.InputError with the line. The InputError unwraps to
// ErrSyntax or ErrRange, or to ErrTruncated if the file ends early.
func ReadTAU(r io.Reader) (Process, error) {
	var p Process
	l := newLines(r)
	first, ok := l.next()
	if !ok {
		return p, l.ended("functions", "the file is empty: want TAU's number of functions")
	}
	count, kind, _ := strings.Cut(strings.TrimSpace(first), " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > maxCount || !strings.HasPrefix(kind, "templated_functions") {
		return p, badLine("functions", 1, ErrSyntax, "%.60q: want the number of functions, as in \"16 templated_functions_MULTI_TIME\"", first)
	}
	if metric, ok := strings.CutPrefix(kind, "templated_functions_MULTI_"); ok && !strings.Contains(metric, "TIME") && metric != "GET_TIME_OF_DAY" && metric != "LINUX_TIMERS" {
		return p, badLine("functions", 1, ErrSyntax, "the metric %.40q: want a time, such as TIME", metric)
	}
	if titles, ok := l.next(); !ok {
		return p, l.ended("titles", "after the number of functions: want a line of titles, and %d functions", n)
	} else if !strings.HasPrefix(titles, "#") {
		return p, badLine("titles", l.number, ErrSyntax, "%.60q: want \"# Name Calls Subrs Excl Incl ProfileCalls\"", titles)
	} else {
		if t, ok := metadata(titles, "Starting Timestamp"); ok {
			p.Started = float64(t) * µs
		}
		if n, ok := metadata(titles, "MPI Comm World Size"); ok && n <= maxCount {
			p.Of = int(n)
		}
	}
	for k := range n {
		text, ok := l.next()
		if !ok {
			return p, l.ended("functions", "after %d of %d functions: want all of them", k, n)
		}
		name, group, x, ok := tauFunction(text)
		if !ok {
			return p, badLine("functions", l.number, ErrSyntax, "%.80q: want a name in quotes, and calls, subroutines, exclusive and inclusive time", text)
		}
		for _, v := range x {
			if !(v >= 0) || math.IsInf(v, 0) {
				return p, badLine("functions", l.number, ErrRange, "%v of %.60q: want a number of 0 or more", v, name)
			}
		}
		if strings.Contains(name, " => ") {
			continue // a call path, whose functions have lines of their own
		}
		p.Seconds = max(p.Seconds, x[3]*µs)
		short, _, _ := strings.Cut(name, "(")
		if short = strings.TrimSpace(short); strings.HasPrefix(short, "MPI_") || slices.Contains(strings.Split(group, "|"), "MPI") && strings.HasPrefix(strings.ToUpper(short), "MPI") {
			p.add(Function{Name: short, Calls: x[0], Seconds: x[2] * µs})
		}
	}
	text, ok := l.next()
	if !ok {
		return p, l.ended("aggregates", "after the functions: want the number of aggregates")
	}
	if !strings.HasSuffix(strings.TrimSpace(text), "aggregates") {
		return p, badLine("aggregates", l.number, ErrSyntax, "%.60q after %d functions: want the number of aggregates", text, n)
	}
	if err := l.events(); err != nil {
		return p, err
	}
	if p.Seconds == 0 {
		return p, badInput("functions", -1, ErrMissing, "%d functions take no time: want one that does", n)
	}
	return p, nil
}

// metadata returns a number that the line of titles has under a name.
func metadata(titles, name string) (uint64, bool) {
	_, after, _ := strings.Cut(titles, "<name>"+name+"</name><value>")
	value, _, _ := strings.Cut(after, "<")
	n, err := strconv.ParseUint(value, 10, 63)
	return n, err == nil
}

// events reads user events, which TAU writes only if there are any.
func (l *lines) events() error {
	text, ok := l.next()
	if !ok {
		return l.failed()
	}
	count, kind, _ := strings.Cut(strings.TrimSpace(text), " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > maxCount || !strings.HasPrefix(kind, "userevents") {
		return badLine("user events", l.number, ErrSyntax, "%.60q: want the number of user events", text)
	}
	for k := range n + 1 { // and titles
		text, ok := l.next()
		if !ok && !(k == 0 && n == 0) {
			return l.ended("user events", "after %d of %d user events: want all of them", max(0, k-1), n)
		}
		if _, _, _, whole := tauFunction(text); k > 0 && !whole {
			return badLine("user events", l.number, ErrSyntax, "%.80q: want a name in quotes, and five numbers", text)
		}
	}
	return l.failed()
}

// tauFunction splits a line of a function: its name may have quotes in it. x has calls,
// subroutines, exclusive and inclusive time.
func tauFunction(line string) (name, group string, x [4]float64, ok bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, `"`) {
		return "", "", x, false
	}
	for from := 1; ; {
		k := strings.IndexByte(line[from:], '"')
		if k < 0 {
			return "", "", x, false
		}
		end := from + k
		from = end + 1
		if !strings.HasPrefix(line[end+1:], " ") {
			continue
		}
		rest := line[end+1:]
		numbers, good := [5]float64{}, true
		for i := range numbers {
			rest = strings.TrimLeft(rest, " ")
			word, after, _ := strings.Cut(rest, " ")
			var err error
			if numbers[i], err = strconv.ParseFloat(word, 64); err != nil {
				good = false
				break
			}
			rest = after
		}
		if !good {
			continue
		}
		copy(x[:], numbers[:])
		if _, after, found := strings.Cut(rest, `GROUP="`); found {
			group, _, _ = strings.Cut(after, `"`)
		}
		return strings.TrimSpace(line[1:end]), group, x, true
	}
}

// add adds the time of a function, in the order of names.
func (p *Process) add(f Function) {
	k, found := slices.BinarySearchFunc(p.Functions, f.Name, func(a Function, name string) int { return cmp.Compare(a.Name, name) })
	if !found {
		p.Functions = slices.Insert(p.Functions, k, f)
		return
	}
	p.Functions[k].Calls += f.Calls
	p.Functions[k].Seconds += f.Seconds
}

// clockSkew is by how many seconds the clocks of two nodes may differ. Nodes of a cluster
// agree to milliseconds by NTP, and to a few seconds without it.
const clockSkew = 10

// Mean returns the means over the processes of a run. A function that a process does not call
// counts with 0 seconds for that process.
//
// The error is a *pricing.InputError. It unwraps to ErrMissing if processes is empty, or if a
// process says that its run had more processes than there are here. It unwraps to ErrMixed if a
// process says that its run had fewer processes. It also unwraps to ErrMixed if a process began
// more than ten seconds after another process had ended. In both cases, the folder has files of an
// earlier run on more processes.
func Mean(processes []Process) (Run, error) {
	r := Run{Processes: len(processes)}
	if len(processes) == 0 {
		return r, badInput("processes", -1, ErrMissing, "0 processes: want at least one")
	}
	for i := range processes {
		switch n := processes[i].Of; {
		case n > len(processes):
			return r, badInput("processes", i, ErrMissing, "its run had %d processes, and %d are there: want all", n, len(processes))
		case n > 0 && n < len(processes):
			return r, badInput("processes", i, ErrMixed, "its run had %d processes, and %d are there: want those of one run", n, len(processes))
		}
	}
	first := -1 // to end
	for i := range processes {
		if p := &processes[i]; p.Started > 0 && (first < 0 || p.Started+p.Seconds < processes[first].Started+processes[first].Seconds) {
			first = i
		}
	}
	for i := range processes {
		if p := &processes[i]; first >= 0 && p.Started > 0 {
			if late := p.Started - processes[first].Started - processes[first].Seconds; late > clockSkew {
				return r, badInput("processes", i, ErrMixed, "it began %.0f s after process %d had ended: want the files of one run", late, first)
			}
		}
	}
	var sum Process
	for i := range processes {
		sum.Seconds += processes[i].Seconds
		for _, f := range processes[i].Functions {
			sum.add(f)
		}
	}
	n := float64(len(processes))
	r.Seconds = sum.Seconds / n
	for _, f := range sum.Functions {
		f.Calls /= n
		f.Seconds /= n
		r.Communication += f.Seconds
		r.Functions = append(r.Functions, f)
	}
	return r, nil
}
