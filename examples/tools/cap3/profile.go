//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
)

// profileUsage is what profile -h prints.
const profileUsage = `Usage: go run ./examples/tools/cap3 profile -out OUT [-input NAME:F=X,...] PATH...

Turns what TAU and mpiP have written about runs of a program into the profile that
cap3 -profile reads, with the time of each MPI function. A PATH is a run:

  a folder of TAU      with a file profile.N.0.0 of each process N, or with folders
                       MULTI__TIME and so on, one for each metric
  a report of mpiP     NAME.mpiP; a folder with such reports stands for all of them

  go run ./examples/tools/cap3 profile -out heat.csv -input small:n=500,steps=100 \
    runs/small-* -input large:n=1000,steps=100 runs/large-*

Runs of one input on as many processes are repetitions, of which the profile has the
medians. A file that is truncated, a process that is missing before another, and files
of two runs in one folder are errors. TAU writes how many processes a run had only with
its plugin for monitoring. Without it, -processes N makes it an error if the files of
the last processes are missing:

  go run ./examples/tools/cap3 profile -out heat.csv \
    -processes 2 runs/2 -processes 4 runs/4

  -out OUT             the profile
  -input NAME:F=X,...  the input, with its features, of the runs that follow (default
                       one without features)
  -processes N         how many processes each of the runs that follow had: another
                       number is an error, which names TAU's missing file (default: as
                       many as there are files; a note tells how many)
  -application NAME    in the profile (default: the name of the file without .csv)
  -path PATH           the same as PATH
  -json                print an array of objects instead of a table
  -h                   print this

The time of a run is the mean over its processes: TAU's largest inclusive time, mpiP's
AppTime. A function has its exclusive time. Threads (profile.N.0.1) are not counted.
One process sends nothing: the time within MPI on one process counts as computation,
and its communication is 0 in the profile, the table and -json.
`

// profileOptions are the flags of profile.
type profileOptions struct {
	out, application string
	inputs           []recordInput
	processes        int  // of the runs that follow; 0 if this is not given
	follows          bool // a run, after the last -processes
	runs             []sourceRun
}

// A sourceRun is a path, the input it is of, and how many processes it had if this is given.
type sourceRun struct {
	path             string
	input, processes int
}

// converted is what profile prints.
type converted struct {
	recorded
	paths []string // of the runs
}

func init() { commands["profile"] = runProfile }

// runProfile is profile: an argument that is no flag is a path.
func runProfile(args []string, stdout, stderr io.Writer) int {
	var all []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !strings.HasPrefix(a, "-"):
			all = append(all, "-path", a)
		case strings.Contains(a, "="), slices.Contains([]string{"h", "help", "json"}, strings.TrimLeft(a, "-")):
			all = append(all, a)
		default:
			all = append(all, args[i:min(i+2, len(args))]...)
			i++
		}
	}
	return profileProgram.Run(all, stdout, stderr)
}

var profileProgram = &cli.Program[profileOptions, *converted]{
	Name: "cap3 profile", Usage: profileUsage, Define: (*profileOptions).define, Work: convert, Text: (*converted).text, Rows: (*converted).rows,
}

const maxPaths = 10_000

func (o *profileOptions) define(f *cli.Flags) {
	f.Name("out", &o.out, "the name of a file")
	f.Name("application", &o.application, "a name")
	f.Func("input", func(s string) error {
		if len(o.inputs) == 0 && len(o.runs) > 0 {
			return errors.New("there are runs before the first input: want an input before all runs, or none")
		}
		return addInput(&o.inputs, s)
	})
	f.Func("processes", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxProcesses {
			return fmt.Errorf("want a number of processes from 1 to %s", decimal.Int(maxProcesses))
		}
		o.processes, o.follows = n, false
		return nil
	})
	f.Func("path", func(s string) error {
		o.runs = append(o.runs, sourceRun{s, max(0, len(o.inputs)-1), o.processes})
		o.follows = true
		return nil
	})
	f.Check(func() error {
		// Not in -path: most paths are given without the flag.
		if len(o.runs) > maxPaths {
			return fmt.Errorf("there are %s paths: want at most %s", decimal.Int(len(o.runs)), decimal.Int(maxPaths))
		}
		for i, s := range o.runs {
			switch {
			case s.path == "":
				return errors.New(`the path "": want the name of a folder or of a file`)
			case slices.ContainsFunc(o.runs[:i], func(x sourceRun) bool { return x.path == s.path }):
				return fmt.Errorf("%s: the path was given before", s.path)
			}
		}
		switch {
		case o.out == "":
			return errors.New("-out: want the name of a file for the profile")
		case len(o.runs) == 0:
			return errors.New("want the folders of TAU or the reports of mpiP, one for each run; -h explains")
		case o.processes > 0 && !o.follows:
			return fmt.Errorf("-processes %d: no run follows: want it before the runs that it is of", o.processes)
		case slices.ContainsFunc(o.runs, func(x sourceRun) bool { return x.path == o.out }):
			return fmt.Errorf("-out %s: it is a run, too: want the name of another file", o.out)
		}
		if o.application == "" {
			o.application = strings.TrimSuffix(filepath.Base(o.out), ".csv")
		}
		if o.inputs == nil {
			o.inputs = []recordInput{{}}
		}
		return nil
	})
}

// convert reads the runs.
func convert(o *profileOptions, run *cli.Run) (*converted, error) {
	out := &converted{recorded: recorded{o: &recordOptions{application: o.application, inputs: o.inputs}}}
	var unsure []int // processes of runs of TAU whose last files may be missing
	for _, s := range o.runs {
		run.Line.Showf("%s", s.path)
		sources, err := readSources(s.path, s.processes)
		if err != nil {
			return nil, err
		}
		in := &o.inputs[s.input]
		for _, x := range sources {
			if x.threads > 0 {
				run.Sayf("note: %s: the files of %s are not counted", x.path, decimal.Count(x.threads, "further thread"))
			}
			if s.processes == 0 && x.unsure && !slices.Contains(unsure, x.run.Processes) {
				unsure = append(unsure, x.run.Processes)
			}
			t := timing{Case: in.Name, Features: in.Features, Values: in.Values, Processes: x.run.Processes, Seconds: x.run.Seconds, Split: true,
				Functions: x.run.Functions}
			if t.Seconds <= 0 {
				return nil, cli.Mistakef("%s: it takes no time", x.path)
			}
			if err := t.sound(); err != nil {
				return nil, cli.Mistakef("%s: %w", x.path, err)
			}
			out.runs, out.paths = append(out.runs, t), append(out.paths, x.path)
			if !slices.Contains(out.o.counts, t.Processes) {
				out.o.counts = append(out.o.counts, t.Processes)
			}
		}
	}
	if slices.Sort(unsure); unsure != nil {
		run.Sayf("note: there are folders of TAU with files of %s, which do not say whether these were all: give -processes N before the runs", numbers(unsure))
	}
	noteOne(run, out.runs)
	slices.Sort(out.o.counts)
	if n := out.o.counts; len(n) == 1 {
		run.Sayf("note: all runs are on %s, which does not tell how the program scales: add runs on others", processes(n[0]))
	}
	var text bytes.Buffer
	if err := mpiprofile.WriteProfiles(&text, []mpiprofile.Profile{out.profile()}); err != nil {
		return nil, cli.Mistakef("the profile cannot be written: %w", cli.Plain(err))
	}
	file, err := run.Create("out", o.out)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(file, plain.Text(text.String()))
	return out, err
}

// A source is a run that a profiler has written about.
type source struct {
	path    string
	run     mpiprofile.Run
	threads int  // whose files are not counted
	unsure  bool // whether these were all processes
}

// readSources reads a folder of TAU, a report of mpiP, or all reports of a folder. If the
// number of processes is not 0, each run must have as many.
func readSources(path string, want int) ([]source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	if !info.IsDir() {
		r, err := readReport(path, want)
		return []source{{path: path, run: r}}, err
	}
	names, err := filesIn(path)
	if err != nil {
		return nil, err
	}
	tau := slices.ContainsFunc(names, func(n string) bool { return tauFile.MatchString(n) })
	var metrics, reports []string
	for _, n := range names {
		switch {
		case strings.HasPrefix(n, multi):
			metrics = append(metrics, n)
		case strings.HasSuffix(n, ".mpiP"):
			reports = append(reports, n)
		}
	}
	kinds := 0
	for _, found := range []bool{tau, len(metrics) > 0, len(reports) > 0} {
		if found {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return nil, cli.Mistakef("%s: there is no profile.0.0.0, no folder MULTI__TIME and no report *.mpiP in it: want what TAU or mpiP writes about a run", path)
	case kinds > 1:
		return nil, cli.Mistakef("%s: there are files of TAU, folders MULTI__ or reports *.mpiP beside each other: want those of one run in a folder", path)
	case len(reports) > 0:
		var all []source
		for _, n := range reports {
			r, err := readReport(filepath.Join(path, n), want)
			if err != nil {
				return nil, err
			}
			all = append(all, source{path: filepath.Join(path, n), run: r})
		}
		return all, nil
	case tau:
		s, err := readTAU(path, want)
		return []source{s}, err
	}
	s, err := readMetrics(path, metrics, want)
	return []source{s}, err
}

// filesIn returns the names in a folder, in order.
func filesIn(path string) (names []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// multi begins the names of TAU's folders of metrics. wallClocks are those that have the
// time of the clock on the wall, the first that is there.
const multi = "MULTI__"

var wallClocks = []string{"TIME", "GET_TIME_OF_DAY", "P_WALL_CLOCK_TIME", "LINUX_TIMERS", "TAUGPU_TIME"}

// readMetrics reads the folder of the metric that is a time. All must have as many
// processes.
func readMetrics(path string, metrics []string, want int) (s source, err error) {
	count := map[string]int{}
	for _, m := range metrics {
		names, err := filesIn(filepath.Join(path, m))
		if err != nil {
			return s, err
		}
		for _, n := range names {
			if x := tauFile.FindStringSubmatch(n); x != nil && x[2] == "0" && x[3] == "0" {
				count[m]++
			}
		}
	}
	for _, m := range metrics[1:] {
		if count[m] != count[metrics[0]] {
			return s, cli.Mistakef("%s: %s has %s and %s has %s: want the files of one run", path, metrics[0], processes(count[metrics[0]]), m, processes(count[m]))
		}
	}
	for _, clock := range wallClocks {
		if slices.Contains(metrics, multi+clock) {
			return readTAU(filepath.Join(path, multi+clock), want)
		}
	}
	return s, cli.Mistakef("%s: there are the metrics %s: want a time, such as %sTIME", path, list(metrics), multi)
}

// tauFile is the name of a file of TAU: node, context and thread.
var tauFile = regexp.MustCompile(`^profile\.(\d{1,8})\.(\d{1,8})\.(\d{1,8})$`)

// readTAU reads the files of all processes in a folder: of as many as are wanted, if that is
// not 0, and of as many as the files say.
func readTAU(path string, want int) (s source, err error) {
	s.path, s.unsure = path, true
	names, err := filesIn(path)
	if err != nil {
		return s, err
	}
	var nodes []int
	for _, n := range names {
		x := tauFile.FindStringSubmatch(n)
		switch {
		case x == nil:
		case x[2] == "0" && x[3] == "0":
			node, err := strconv.Atoi(x[1])
			if err != nil {
				return s, err
			}
			nodes = append(nodes, node)
		default:
			s.threads++
		}
	}
	slices.Sort(nodes)
	if err := missing(path, len(nodes), want, "-processes says"); err != nil {
		return s, err
	}
	var all []mpiprofile.Process
	for i, node := range nodes {
		if node != i {
			return s, cli.Mistakef("%s: there is profile.%d.0.0 and no profile.%d.0.0: want a file of each process", path, node, i)
		}
		p, err := readPart(filepath.Join(path, fmt.Sprintf("profile.%d.0.0", node)), mpiprofile.ReadTAU)
		if err != nil {
			return s, err
		}
		if err := missing(path, len(nodes), p.Of, fmt.Sprintf("profile.%d.0.0 says", node)); err != nil {
			return s, err
		}
		s.unsure = s.unsure && p.Of == 0
		all = append(all, p)
	}
	if s.run, err = mpiprofile.Mean(all); err != nil {
		return s, cli.Mistakef("%s: %w", path, cli.Plain(err))
	}
	return s, nil
}

// missing is the error of a folder that has the files of n processes, from 0 without a gap,
// if somebody says that the run had another number. 0 says nothing.
func missing(path string, n, want int, says string) error {
	switch {
	case want > n:
		return cli.Mistakef("%s: there is no profile.%d.0.0, and %s that the run had %s: want a file of each process", path, n, says, processes(want))
	case want > 0 && want < n:
		return cli.Mistakef("%s: there is a profile.%d.0.0, and %s that the run had %s: want the files of one run", path, n-1, says, processes(want))
	}
	return nil
}

// readReport reads a report of mpiP. If the number of processes is not 0, it must have as many.
func readReport(path string, want int) (mpiprofile.Run, error) {
	r, err := readPart(path, mpiprofile.ReadMPIP)
	if err == nil && want > 0 && r.Processes != want {
		err = cli.Mistakef("%s: it is of %s, and -processes says that the run had %d", path, processes(r.Processes), want)
	}
	return r, err
}

// readPart reads a file. The error begins with its name.
func readPart[T any](path string, parse func(io.Reader) (T, error)) (x T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return x, cli.Mistakef("%w", err)
	}
	defer f.Close()
	return infile.From(path, f, parse)
}

func (out *converted) text(w *table.Page) error {
	prof := out.profile()
	w.Sayf("%s from %s.", decimal.Count(len(prof.Runs), "case"), decimal.Count(len(out.runs), "run"))
	out.tabulate(w, prof)
	return nil
}

func (out *converted) rows() any {
	rows := []jsonrows.Row{}
	for i, t := range out.runs {
		rows = append(rows, jsonrows.Row{"path", out.paths[i], "case", t.Case, "processes", t.Processes, "seconds", finite(t.Seconds), "communication",
			finite(t.counted()), "functions", len(t.Functions)})
	}
	return rows
}
