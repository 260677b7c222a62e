package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// A Program is an example: its flags, its work, and the forms in which its results are
// written. O holds the values of the flags, R the results.
type Program[O, R any] struct {
	Name  string
	Usage string // -h prints it, and what the exit status says
	// Define sets the defaults of o and defines the flags that change them. The frame
	// adds -json, and a flag for each of Files.
	Define func(o *O, f *Flags)
	// Work reads the input and computes the results. An error made by [Mistakef] is the
	// user's.
	Work func(o *O, run *Run) (R, error)
	Text func(r R, w *table.Page) error // for people
	Rows func(r R) any                  // for machines, with -json: a slice of objects, or one object
	// Files are what can be written beside the results, by the names of their flags.
	Files []File[R]
	// Verdict, where it is set, is called after the results are written. An error made by
	// [Shortf] says how they fall short, and ShortIf says so in the help, such as "a task
	// misses its deadline".
	Verdict func(r R) error
	ShortIf string
	// Kept is what an interrupted run says of what it leaves, if it keeps more than the files
	// from before.
	Kept string
}

// The end of what -h prints.
const (
	exitStatus = `
The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in
the files, and 130 after an interrupt.
`
	exitStatusShort = `
The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in
the files, 3 if %s, and 130 after an interrupt.
With 3, the results are written whole.
`
)

// help is what -h prints.
func (p *Program[O, R]) help() string {
	if p.ShortIf == "" {
		return p.Usage + exitStatus
	}
	return p.Usage + fmt.Sprintf(exitStatusShort, p.ShortIf)
}

// A File is written if the flag of its name is given.
type File[R any] struct {
	Flag  string
	Write func(r R, w io.Writer) error
}

// A Run is what a program has while it works.
type Run struct {
	*progress.Line              // progress, which the frame clears before other output
	Files          *outfile.Set // that are written whole or not at all
	Stderr         io.Writer
	JSON           bool // -json was given
	Columns        int  // of the terminal that standard output is, else 80

	program string
	given   map[string]string // files of flags
}

// Quiet returns a run that shows nothing, for tests and benchmarks.
func Quiet() *Run {
	return &Run{Line: progress.New(io.Discard), Files: new(outfile.Set), Stderr: io.Discard, Columns: 80, given: map[string]string{}}
}

// Sayf writes a line on standard error that begins with the program's name.
func (r *Run) Sayf(format string, args ...any) {
	r.Clear()
	fmt.Fprintf(plain.Writer(r.Stderr), "%s: %s\n", r.program, fmt.Sprintf(format, args...))
}

// Asked reports whether the file of a flag was asked for.
func (r *Run) Asked(flag string) bool { return r.given[flag] != "" }

// Create begins the file of a flag. The error is the user's mistake.
func (r *Run) Create(flag, path string) (*outfile.File, error) {
	f, err := r.Files.Create(path)
	switch {
	case errors.Is(err, outfile.ErrSame):
		return nil, Mistakef("-%s %s: the file is that of another flag as well", flag, path)
	case err != nil:
		return nil, Mistakef("cannot write -%s %v", flag, err)
	}
	return f, nil
}

// Main runs the program with the arguments of the process, and ends the process.
func (p *Program[O, R]) Main() { os.Exit(p.Run(os.Args[1:], os.Stdout, os.Stderr)) }

// Run runs the program and returns its exit status. Files that a failed or interrupted
// run has begun are removed.
func (p *Program[O, R]) Run(args []string, stdout, stderr io.Writer) int {
	run := &Run{Line: progress.New(stderr), Files: new(outfile.Set), Stderr: stderr, Columns: 80, program: p.Name, given: map[string]string{}}
	if columns, ok := progress.Terminal(stdout); ok {
		run.Columns = columns
	}
	stop := OnSignal(func() {
		run.Files.Abort()
		run.Clear()
		fmt.Fprintf(stderr, "%s: interrupted: %s\n", p.Name, cmp.Or(p.Kept, "no file is written, and files from before are as they were"))
	})
	defer stop()
	err := p.run(args, stdout, run)
	run.Files.Abort()
	run.Clear()
	return Exit(stderr, p.Name, err)
}

// Options returns the values of the flags. The error is [flag.ErrHelp] or the user's
// mistake.
func (p *Program[O, R]) Options(args ...string) (o O, err error) {
	err = p.parse(&o, NewFlags(p.Name), Quiet(), args)
	return o, err
}

// FlagNames returns the names of all flags but -h.
func (p *Program[O, R]) FlagNames() (names []string) {
	f := NewFlags(p.Name)
	p.parse(new(O), f, Quiet(), nil)
	f.VisitAll(func(g *flag.Flag) { names = append(names, g.Name) })
	return names
}

// Results parses the flags and does the work, and writes nothing. It is for tests.
func (p *Program[O, R]) Results(args ...string) (r R, err error) {
	o, err := p.Options(args...)
	if err != nil {
		return r, err
	}
	return p.Work(&o, Quiet())
}

func (p *Program[O, R]) parse(o *O, f *Flags, run *Run, args []string) error {
	p.Define(o, f)
	f.Switch("json", &f.JSON)
	paths := make([]string, len(p.Files))
	for i, x := range p.Files {
		f.path(x.Flag, &paths[i])
	}
	err := f.Parse(args)
	run.JSON = f.JSON
	for i, x := range p.Files {
		if paths[i] != "" {
			run.given[x.Flag] = paths[i]
		}
	}
	return err
}

func (p *Program[O, R]) run(args []string, stdout io.Writer, run *Run) error {
	var o O
	flags := NewFlags(p.Name)
	err := p.parse(&o, flags, run, args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, p.help())
		return err
	}
	if err != nil {
		return err
	}
	for _, path := range flags.inputs {
		if *path != "" {
			run.Files.Keep(*path)
		}
	}
	files := make([]*outfile.File, len(p.Files))
	for i, x := range p.Files { // what stands in a file's way is known before the work
		if run.Asked(x.Flag) {
			if files[i], err = run.Create(x.Flag, run.given[x.Flag]); err != nil {
				return err
			}
		}
	}
	if idle := flags.idle(); len(idle) > 0 {
		run.Sayf("note: %s %s nothing here", Series(idle, "and"), map[bool]string{true: "changes", false: "change"}[len(idle) == 1])
	}
	results, err := p.Work(&o, run)
	run.Clear()
	if err != nil {
		return err
	}
	for i, x := range p.Files {
		if files[i] != nil {
			w := plain.Writer(files[i])
			if err := cmp.Or(x.Write(results, w), w.Flush()); err != nil {
				return err
			}
		}
	}
	var page table.Page
	if run.JSON {
		err = jsonrows.Write(&page, p.Rows(results))
	} else {
		err = p.Text(results, &page)
	}
	if err != nil {
		return err
	}
	if err := run.Files.Commit(); err != nil {
		return err
	}
	text := plain.Text
	if run.JSON {
		text = plain.JSON
	}
	if _, err = io.WriteString(stdout, text(page.String())); err != nil || p.Verdict == nil {
		return err
	}
	return p.Verdict(results)
}
