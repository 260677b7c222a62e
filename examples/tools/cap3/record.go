//go:build unix

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
)

// recordUsage is what record -h prints.
const recordUsage = `Usage: go run ./examples/tools/cap3 record -out OUT [flags] -- COMMAND...

Profiles a program: runs COMMAND on a ladder of numbers of processes and on several
inputs, measures the times, and writes the profile that cap3 -profile reads. {P} in
COMMAND is the number of processes, {case} the input, and the name of a feature in
braces its value; any other name in braces is an error, but for ${NAME}, a shell's:

  go run ./examples/tools/cap3 record -out heat.csv -counts 1,2,4 \
    -input small:n=500,steps=100 -input large:n=1000,steps=100 -- \
    mpirun -n {P} ./heat {n} {steps}

A run that fails is reported and left out; the others are kept. It may be interrupted:
called again, it goes on after the runs in OUT.runs. Runs of an input whose features
have changed since are run anew.

  -out OUT             the profile, written anew after every run
  -counts LIST         numbers of processes (default 1,2,4)
  -input NAME:F=X,...  an input and its features, numbers; may be given several times
                       (default one without features)
  -repeat N            runs of each, of which the profile has the medians (default 3)
  -application NAME    in the profile (default: the name of the file without .csv)
  -profiler NAME       who measures the time within MPI (default auto)
                         auto  what TAU (profile.N.0.0) or mpiP (*.mpiP) write, if
                               COMMAND runs with them; else a profiler of cap3 that is
                               compiled with mpicc and put before MPI's functions
                         none  nobody: whole times only
  -timeout D           ends a run after so long (default 1h)
  -retry               tries runs again that have failed before
  -json                print an array of objects instead of a table
  -h                   print this

The time of a run is that from MPI_Init to MPI_Finalize, the mean over its processes,
where a profiler measures it; else that of COMMAND. One process sends nothing: the
time within MPI on one process counts as computation, and its communication is 0 in
the profile, the table and -json.
`

//go:embed profiler.c.txt
var profilerSource []byte

// recordOptions are the flags of record.
type recordOptions struct {
	out, application string
	counts           []int
	inputs           []recordInput
	repeat, profiler int
	timeout          time.Duration
	retry            bool
	command          []string
}

// A recordInput is an input of the program.
type recordInput struct {
	Name     string
	Features []string
	Values   []float64
}

const (
	maxCounts = 100
	maxInputs = 100
)

func init() { commands["record"] = runRecord }

// runRecord is record: what follows -- is the program's command.
func runRecord(args []string, stdout, stderr io.Writer) int {
	var command []string
	if k := slices.Index(args, "--"); k >= 0 {
		args, command = args[:k], args[k+1:]
	}
	return recordProgram(command).Run(args, stdout, stderr)
}

func recordProgram(command []string) *cli.Program[recordOptions, *recorded] {
	return &cli.Program[recordOptions, *recorded]{
		Name: "cap3 record", Usage: recordUsage,
		Define: func(o *recordOptions, f *cli.Flags) { o.define(f, command) },
		Work:   record, Text: (*recorded).text, Rows: (*recorded).rows,
		Kept: "the runs that have ended are kept in OUT and OUT.runs; called again, it goes on after them",
	}
}

func (o *recordOptions) define(f *cli.Flags, command []string) {
	*o = recordOptions{counts: []int{1, 2, 4}, repeat: 3, timeout: time.Hour, command: command}
	f.Name("out", &o.out, "the name of a file")
	f.Name("application", &o.application, "a name")
	cli.List(f, "counts", &o.counts, maxCounts, func(part string) (int, error) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > maxProcesses {
			return 0, fmt.Errorf("want numbers from 1 to %d, such as 1,2,4", maxProcesses)
		}
		return n, nil
	})
	f.Func("input", func(s string) error {
		if len(o.inputs) == maxInputs {
			return fmt.Errorf("want at most %d inputs", maxInputs)
		}
		return addInput(&o.inputs, s)
	})
	f.Int("repeat", &o.repeat, 1, 1000, "")
	cli.Choice(f, "profiler", &o.profiler, "auto", "none")
	f.Span("timeout", &o.timeout, "a span of time above 0", func(d time.Duration) bool { return d > 0 })
	f.Switch("retry", &o.retry)
	f.Check(func() error {
		switch {
		case o.out == "":
			return errors.New("-out: want the name of a file for the profile")
		case len(o.command) == 0:
			return errors.New("want -- and the command that runs the program, such as -- mpirun -n {P} ./app")
		case len(o.counts) > 1 && !strings.Contains(strings.Join(o.command, " "), "{P}"):
			return errors.New("want {P}, the number of processes, in the command, such as mpirun -n {P} ./app")
		}
		if o.application == "" {
			o.application = strings.TrimSuffix(filepath.Base(o.out), ".csv")
		}
		if o.inputs == nil {
			o.inputs = []recordInput{{}}
		}
		return o.placeholders()
	})
}

// placeholder is a name in braces; ${NAME} is a shell's.
var placeholder = regexp.MustCompile(`(\$?)\{([A-Za-z_][A-Za-z0-9_-]*)\}`)

// placeholders refuses a name in braces that record does not know: the program would get
// it as it stands.
func (o *recordOptions) placeholders() error {
	known := append([]string{"P", "case"}, o.inputs[0].Features...)
	for _, w := range o.command {
		for _, m := range placeholder.FindAllStringSubmatch(w, -1) {
			if m[1] == "" && !slices.Contains(known, m[2]) {
				return fmt.Errorf("-- %s: nothing is known of {%s}: want {%s}, a feature of -input of that name, or a script that has the braces", w, m[2],
					strings.Join(known, "}, {"))
			}
		}
	}
	return nil
}

// addInput reads an input that has the features of those before it, and another name.
func addInput(inputs *[]recordInput, s string) error {
	in, err := parseInput(s)
	switch before := *inputs; {
	case err != nil:
		return err
	case slices.ContainsFunc(before, func(x recordInput) bool { return x.Name == in.Name }):
		return fmt.Errorf("there is an input %q already", in.Name)
	case len(before) > 0 && !slices.Equal(before[0].Features, in.Features):
		return fmt.Errorf("the features are %s, and those of %s were %s: want the same", list(in.Features), before[0].Name, list(before[0].Features))
	}
	*inputs = append(*inputs, in)
	return nil
}

// parseInput reads NAME:F=X,F=X.
func parseInput(s string) (in recordInput, err error) {
	want := errors.New("want a name and features with numbers, such as small:n=500,steps=100")
	name, rest, ok := strings.Cut(s, ":")
	if in.Name = name; name == "" || strings.TrimSpace(name) != name {
		return in, want
	}
	if !ok {
		return in, nil
	}
	for part := range strings.SplitSeq(rest, ",") {
		feature, value, _ := strings.Cut(part, "=")
		x, err := strconv.ParseFloat(value, 64)
		if feature == "" || strings.TrimSpace(feature) != feature || err != nil || math.IsInf(x, 0) || math.IsNaN(x) || slices.Contains(in.Features, feature) {
			return in, want
		}
		if feature == "P" || feature == "case" {
			return in, fmt.Errorf("%s: {P} in the command is the number of processes and {case} the input: want another name for the feature", part)
		}
		in.Features, in.Values = append(in.Features, feature), append(in.Values, x)
	}
	return in, nil
}

// A timing is a run, and a line of FILE.runs.
type timing struct {
	Command    []string              `json:"command,omitempty"` // of the first line only
	Case       string                `json:"case"`
	Features   []string              `json:"features,omitempty"`
	Values     []float64             `json:"values,omitempty"`
	Processes  int                   `json:"processes"`
	Repetition int                   `json:"repetition"`
	Wall       float64               `json:"wall_s"`
	Failed     string                `json:"failed,omitempty"`
	Seconds    float64               `json:"seconds"`
	Split      bool                  `json:"split"`
	Functions  []mpiprofile.Function `json:"functions,omitempty"`
}

// of reports whether the run is of an input with the same features.
func (t *timing) of(in recordInput) bool {
	return t.Case == in.Name && slices.Equal(t.Features, in.Features) && slices.Equal(t.Values, in.Values)
}

// communication is the time within MPI.
func (t *timing) communication() (n float64) {
	for _, f := range t.Functions {
		n += f.Seconds
	}
	return n
}

// counted is the part of the time within MPI that counts as communication: on one process
// none does, as one process sends nothing.
func (t *timing) counted() float64 {
	if t.Processes == 1 {
		return 0
	}
	return t.communication()
}

// rounding is by how much the time within MPI may be above that of the run, as a share.
const rounding = 1e-3

// sound returns an error if more time went by within MPI than in the run.
func (t *timing) sound() error {
	if n := t.communication(); t.Split && n > t.Seconds*(1+rounding)+1e-6 {
		return fmt.Errorf("%s within MPI, and the run takes %s: want no more than the run takes", decimal.Runtime(n), decimal.Runtime(t.Seconds))
	}
	return nil
}

// noteOne says what becomes of the time within MPI on one process.
func noteOne(run *cli.Run, runs []timing) {
	most := 0.0
	for i := range runs {
		if t := &runs[i]; t.Processes == 1 && t.Split && t.Failed == "" {
			most = max(most, t.communication())
		}
	}
	if most > 0 {
		run.Sayf("note: one process sends nothing: the time within MPI on one process, up to %s, counts as computation", decimal.Runtime(most))
	}
}

// what says which run it is.
func (t *timing) what() string {
	if t.Case == "" {
		return "The run on " + processes(t.Processes)
	}
	return "The input " + t.Case + " on " + processes(t.Processes)
}

// recorded is what record prints.
type recorded struct {
	o    *recordOptions
	runs []timing
	kept int // cases of the profile
}

// record runs the ladder.
func record(o *recordOptions, run *cli.Run) (*recorded, error) {
	out := &recorded{o: o}
	first := true
	j, err := journal.Open(o.out+".runs", func(text []byte) error {
		var t timing
		if err := json.Unmarshal(text, &t); err != nil {
			return err
		}
		if first {
			first = false
			if !slices.Equal(t.Command, o.command) {
				return cli.Mistakef("it has runs of another command, %s: want the same, or another -out", strings.Join(t.Command, " "))
			}
			return nil
		}
		// A run that is not asked for now, perhaps of other features, stays in the file.
		if !slices.Contains(o.counts, t.Processes) || !slices.ContainsFunc(o.inputs, t.of) {
			return nil
		}
		// A run that is tried again has two lines.
		out.runs = slices.DeleteFunc(out.runs, func(x timing) bool {
			return x.Case == t.Case && x.Processes == t.Processes && x.Repetition == t.Repetition
		})
		out.runs = append(out.runs, t)
		return nil
	})
	if err != nil {
		return nil, cli.Mistakef("%s", err)
	}
	defer j.Close()
	if first {
		if err := j.Append(timing{Command: o.command}); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "cap3-record-*")
	if err != nil {
		return nil, err
	}
	run.Files.OnEnd(func() { os.RemoveAll(dir) })
	preload := ""
	if o.profiler == 0 {
		if preload, err = o.compile(dir); err != nil {
			run.Sayf("no time within MPI, but for what TAU or mpiP write: %v", err)
		}
	}
	number, of := 0, len(o.inputs)*len(o.counts)*o.repeat
	for rep := 1; rep <= o.repeat; rep++ { // so that an interrupted ladder has a bit of everything
		for i := range o.inputs {
			in := &o.inputs[i]
			for _, p := range o.counts {
				number++
				k := slices.IndexFunc(out.runs, func(x timing) bool { return x.Case == in.Name && x.Processes == p && x.Repetition == rep })
				if k >= 0 && (out.runs[k].Failed == "" || !o.retry) {
					continue
				}
				// What has failed once fails again, most likely: it is not repeated.
				if !o.retry && slices.ContainsFunc(out.runs, func(x timing) bool { return x.Case == in.Name && x.Processes == p && x.Failed != "" }) {
					continue
				}
				run.Line.Showf("run %d of %d: %s", number, of, strings.TrimSpace(in.Name+" on "+processes(p)))
				t := o.once(in, p, rep, dir, preload)
				if t.Failed != "" {
					run.Sayf("%s failed: %s", t.what(), t.Failed)
				}
				if err := j.Append(t); err != nil {
					return nil, err
				}
				if k >= 0 {
					out.runs[k] = t
				} else {
					out.runs = append(out.runs, t)
				}
				if err := out.write(); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := out.write(); err != nil {
		return nil, err
	}
	if out.kept == 0 {
		return nil, cli.Mistakef("every run has failed: %s", out.runs[0].Failed)
	}
	noteOne(run, out.runs)
	return out, nil
}

// compile compiles the profiler, if the command runs an MPI program.
func (o *recordOptions) compile(dir string) (string, error) {
	mpi := slices.ContainsFunc(o.command, func(w string) bool {
		return slices.Contains([]string{"mpirun", "mpiexec", "orterun", "srun", "prun"}, filepath.Base(w))
	})
	if !mpi {
		return "", errors.New("the command is not mpirun, mpiexec or srun")
	}
	source, library := filepath.Join(dir, "profiler.c"), filepath.Join(dir, "profiler.so")
	if err := os.WriteFile(source, profilerSource, 0o600); err != nil {
		return "", err
	}
	text, err := exec.Command("mpicc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("mpicc: %w %s", err, bytes.TrimSpace(text[:min(len(text), 400)]))
	}
	return library, nil
}

// once runs the program.
func (o *recordOptions) once(in *recordInput, p, rep int, dir, preload string) timing {
	t := timing{Case: in.Name, Features: in.Features, Values: in.Values, Processes: p, Repetition: rep}
	pairs := []string{"{P}", strconv.Itoa(p), "{case}", in.Name}
	for k, f := range in.Features {
		pairs = append(pairs, "{"+f+"}", strconv.FormatFloat(in.Values[k], 'f', -1, 64))
	}
	fill := strings.NewReplacer(pairs...)
	var args []string
	for _, w := range o.command {
		args = append(args, fill.Replace(w))
	}
	fail := func(format string, args ...any) timing {
		t.Failed = fmt.Sprintf(format, args...)
		return t
	}
	profiles, err := os.MkdirTemp(dir, "run-*")
	if err != nil {
		return fail("%v", err)
	}
	defer os.RemoveAll(profiles)
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PROFILEDIR="+profiles, "MPIP=-f "+profiles, "PLIMSOLL_PROFILES="+profiles, "PLIMSOLL_PROCESSES="+strconv.Itoa(p))
	if preload != "" {
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+strings.TrimSpace(preload+" "+os.Getenv("LD_PRELOAD")))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	begin := time.Now()
	err = cmd.Run()
	wall := time.Since(begin)
	t.Wall = wall.Seconds()
	if err != nil {
		last := strings.Join(strings.Fields(said.String()), " ")
		if ctx.Err() != nil {
			return fail("it was ended after -timeout %v", o.timeout)
		}
		if last == "" {
			return fail("%s: %v", args[0], err)
		}
		return fail("%s: %v: %s", args[0], err, last[max(0, len(last)-200):])
	}
	t.Seconds = t.Wall
	if o.profiler != 0 {
		return t
	}
	r, found, err := readRun(profiles, p)
	if err != nil {
		return fail("its profile: %v", err)
	}
	if found && r.Seconds > 0 {
		t.Seconds, t.Split, t.Functions = r.Seconds, true, r.Functions
		if err := t.sound(); err != nil {
			return fail("its profile: %v", err)
		}
	}
	return t
}

// readRun reads what a profiler has written in a folder about a run on so many processes.
func readRun(dir string, p int) (r mpiprofile.Run, found bool, err error) {
	if names, err := filesIn(dir); err != nil || len(names) == 0 {
		return r, false, err
	}
	all, err := readSources(dir, 0)
	switch {
	case err != nil:
		return r, false, errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	case len(all) > 1:
		return r, false, fmt.Errorf("there are %d reports: want one", len(all))
	case all[0].run.Processes != p:
		return r, false, fmt.Errorf("it is of %s: want %d", processes(all[0].run.Processes), p)
	}
	return all[0].run, true, nil
}

// profile makes a profile of the runs that have not failed: medians of the repetitions.
func (out *recorded) profile() mpiprofile.Profile {
	o := out.o
	prof := mpiprofile.Profile{Profile: perfmodel.Profile{Application: o.application}}
	if len(o.inputs) > 0 {
		prof.Features = o.inputs[0].Features
	}
	for _, t := range out.runs {
		for _, f := range t.Functions {
			if !slices.Contains(prof.Functions, f.Name) && t.Failed == "" && f.Seconds > 0 {
				prof.Functions = append(prof.Functions, f.Name)
			}
		}
	}
	slices.Sort(prof.Functions)
	for _, in := range o.inputs {
		for _, p := range o.counts {
			var all []*timing
			split := true
			for i := range out.runs {
				if t := &out.runs[i]; t.Case == in.Name && t.Processes == p && t.Failed == "" {
					all = append(all, t)
					split = split && t.Split
				}
			}
			if len(all) == 0 {
				continue
			}
			median := func(of func(*timing) float64) float64 {
				var x []float64
				for _, t := range all {
					x = append(x, of(t))
				}
				slices.Sort(x)
				return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
			}
			r := perfmodel.Run{Case: in.Name, Features: in.Values, Processes: p, Repetitions: len(all), Split: split, Resolution: 1e-6}
			r.Seconds = median(func(t *timing) float64 { return t.Seconds })
			functions := make([]float64, len(prof.Functions))
			for k, name := range prof.Functions {
				functions[k] = median(func(t *timing) float64 {
					for _, f := range t.Functions {
						if f.Name == name {
							return f.Seconds
						}
					}
					return 0
				})
				if p > 1 {
					r.Communication += functions[k]
				} else {
					functions[k] = 0 // as counted has it
				}
			}
			if r.Computation = max(0, r.Seconds-r.Communication); !split {
				r.Computation, r.Communication = 0, 0
			}
			mean, sum := 0.0, 0.0
			for _, t := range all {
				mean += math.Log(t.Seconds) / float64(len(all))
			}
			for _, t := range all {
				sum += (math.Log(t.Seconds) - mean) * (math.Log(t.Seconds) - mean)
			}
			if len(all) > 1 {
				r.Spread = math.Sqrt(sum / float64(len(all)-1))
			}
			prof.Runs, prof.Seconds = append(prof.Runs, r), append(prof.Seconds, functions)
		}
	}
	return prof
}

// write writes the profile, whole or not at all.
func (out *recorded) write() error {
	prof := out.profile()
	out.kept = len(prof.Runs)
	if out.kept == 0 {
		return nil
	}
	var text bytes.Buffer
	if err := mpiprofile.WriteProfiles(&text, []mpiprofile.Profile{prof}); err != nil {
		return cli.Mistakef("the profile cannot be written: %w", cli.Plain(err))
	}
	if err := os.WriteFile(out.o.out+".new", text.Bytes(), 0o666); err != nil {
		return cli.Mistakef("%w", err)
	}
	return os.Rename(out.o.out+".new", out.o.out)
}

func (out *recorded) text(w *table.Page) error {
	prof := out.profile()
	failed := 0
	for _, t := range out.runs {
		if t.Failed != "" {
			failed++
		}
	}
	w.Sayf("%s in %s, %s failed.", decimal.Count(len(prof.Runs), "case"), out.o.out, decimal.Count(failed, "run"))
	out.tabulate(w, prof)
	for _, t := range out.runs {
		if t.Failed != "" {
			w.Sayf("%s failed: %s", t.what(), t.Failed)
		}
	}
	return nil
}

// tabulate writes a table of the cases.
func (out *recorded) tabulate(w *table.Page, prof mpiprofile.Profile) {
	var rows [][]string
	for i := range prof.Runs {
		r := &prof.Runs[i]
		mpi := "-"
		if r.Split {
			mpi = decimal.Runtime(r.Communication)
		}
		rows = append(rows, []string{table.Clip(r.Case, 20), strconv.Itoa(r.Processes), strconv.Itoa(r.Repetitions), decimal.Runtime(r.Seconds), mpi,
			decimal.Fixed(100*r.Spread, 1) + "%"})
	}
	tabulate(w, "<input|processes|runs|median|within MPI|spread", rows)
}

func (out *recorded) rows() any {
	rows := []jsonrows.Row{}
	for _, t := range out.runs {
		var failed, took, communication any
		if t.Failed != "" {
			failed = t.Failed
		} else {
			took = finite(t.Seconds)
		}
		if t.Split && t.Failed == "" {
			communication = finite(t.counted())
		}
		rows = append(rows, jsonrows.Row{"case", t.Case, "processes", t.Processes, "repetition", t.Repetition, "wall_s", finite(t.Wall), "seconds", took,
			"communication", communication, "failed", failed})
	}
	return rows
}
