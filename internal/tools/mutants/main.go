// Mutants says how many small changes of a package its tests notice.
//
// A mutant is the package with one change: a condition negated, an operator swapped
// (+ and -, * and /, < and <=, == and !=, && and ||), a statement dropped. A test kills a
// mutant if the test fails. What nobody kills is a line that no test holds: it needs a
// test, or it is equivalent: no input tells the change from the original.
//
// All mutants of a run are compiled into one test binary, which takes the number of the
// mutant from its environment. A first run of each test writes down which mutants the test
// reaches; a mutant then runs only those tests, the fastest first, until one of them fails.
//
// Usage, in the folder of the library:
//
//	go -C internal/tools run ./mutants ./reserve                        # 100 changes, drawn with seed 1
//	go -C internal/tools run ./mutants -n 0 ./internal/wide             # all of them
//	go -C internal/tools run ./mutants -seed 7 ./pricing ./placement    # others
//	go -C internal/tools run ./mutants -with ./reserve ./reserve/internal/flow
//	go -C internal/tools run ./mutants -n 0 -in 'verify.go|Exact' ./reserve      # files or functions that match
//	go -C internal/tools run ./mutants -short ./examples/services/slurm                   # with the short tests alone
//
// The file equivalent.txt lists the changes that are known to be equivalent, each with its
// reason; -all runs them, too. Exit status 1 says that fewer than -least per cent of the
// others were killed.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/plimsoll/plimsoll/internal/tools/root"
)

// memoryLimit is what a mutant may take before it counts as killed.
const memoryLimit int64 = 4 << 30

type options struct {
	n        int
	seed     uint64
	with     []string
	parallel int
	all      bool
	short    bool
	verbose  bool
	in       *regexp.Regexp // of "file function"; nil for all
	list     string         // file of the equivalent changes
}

func main() {
	n := flag.Int("n", 100, "how many changes of each package, 0 for all")
	seed := flag.Uint64("seed", 1, "of the draw")
	with := flag.String("with", "", "comma-separated packages whose tests run, too")
	parallel := flag.Int("p", 2, "mutants at a time")
	all := flag.Bool("all", false, "run the changes that are known to be equivalent, too")
	short := flag.Bool("short", false, "run the tests as go test -short does")
	in := flag.String("in", "", "only changes whose file or function matches this regular expression")
	least := flag.Float64("least", 0, "least per cent to kill")
	verbose := flag.Bool("v", false, "say which test kills each mutant")
	flag.Parse()
	if err := root.Enter(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if flag.NArg() == 0 || *n < 0 || *parallel < 1 {
		fmt.Fprintln(os.Stderr, "mutants: want packages, such as ./reserve, -n of 0 or more and -p of 1 or more")
		os.Exit(2)
	}
	o := options{n: *n, seed: *seed, parallel: *parallel, all: *all, short: *short, verbose: *verbose, list: "internal/tools/mutants/equivalent.txt"}
	if *in != "" {
		re, err := regexp.Compile(*in)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutants: -in:", err)
			os.Exit(2)
		}
		o.in = re
	}
	if *with != "" {
		o.with = strings.Split(*with, ",")
	}
	var rows []tally
	for _, pkg := range flag.Args() {
		row, err := run(os.Stdout, pkg, o)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(1)
		}
		rows = append(rows, row)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "package\tchanges\tdrawn\tequivalent\tkilled\tsurvive\tof these not reached\tkilled, %\ttime\t")
	low := false
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%v\t\n", r.pkg, r.points, r.drawn, r.equivalent,
			r.killed, r.survive, r.unreached, r.share(), r.time.Round(time.Second))
		low = low || r.share() < *least
	}
	w.Flush()
	if low {
		os.Exit(1)
	}
}

// A tally is what came out for one package.
type tally struct {
	pkg                                                   string
	points, drawn, equivalent, killed, survive, unreached int
	time                                                  time.Duration
}

// share is the killed part of what is not equivalent, in per cent.
func (t tally) share() float64 {
	if t.killed+t.survive == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.killed+t.survive)
}

// A pkg is a package of the module, as `go list` knows it.
type pkg struct {
	ImportPath, Dir, Name, Export string
	GoFiles                       []string
	DepOnly                       bool
	Module                        *struct{ Dir, Path string }
}

// source is a package that is read, with its points.
type source struct {
	pkg
	src    map[string][]byte // by file name
	points map[string][]*point
}

// read type-checks a package and finds its points.
func read(pattern string) (*source, error) {
	list, err := readAll(pattern)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 1:
		return nil, fmt.Errorf("%s is more than one package", pattern)
	case len(list) == 0:
		return nil, fmt.Errorf("%s is no package of a module", pattern)
	}
	return list[0], nil
}

// readAll reads packages as read does, with one call of `go list`, which takes most of the time.
func readAll(patterns ...string) ([]*source, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Name,Export,GoFiles,DepOnly,Module"}
	out, err := exec.Command("go", append(args, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), explain(err))
	}
	var list []*source
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			list = append(list, &source{pkg: p, src: map[string][]byte{}, points: map[string][]*point{}})
		}
	}
	for _, s := range list {
		if err := s.check(exports); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// check type-checks a package against the export files of those that it imports, and finds its points.
func (s *source) check(exports map[string]string) error {
	if s.Module == nil {
		return fmt.Errorf("%s is no package of a module", s.ImportPath)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range s.GoFiles {
		src, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.src[name] = src
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if _, err := conf.Check(s.ImportPath, fset, files, info); err != nil {
		return err
	}
	here, err := os.Getwd() // the root of all modules
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(here, s.Dir)
	if err != nil {
		return err
	}
	for i, f := range files {
		name := s.GoFiles[i]
		s.points[name] = find(fset, info, f, filepath.ToSlash(filepath.Join(rel, name)), s.src[name])
	}
	return nil
}

func explain(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}

// equivalents reads the list of the changes that no input can tell from the original.
func equivalents(name string) (map[string]bool, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cut := strings.LastIndex(line, "\t")
		if strings.Count(line, "\t") != 4 || strings.TrimSpace(line[cut:]) == "" {
			return nil, fmt.Errorf("%s, line %d: want file, function, change, number and reason, separated by tabs", name, i+1)
		}
		known[line[:cut]] = true
	}
	return known, nil
}

// run draws mutants of a package and says which survive.
func run(w io.Writer, pattern string, o options) (tally, error) {
	began := time.Now()
	row := tally{pkg: pattern}
	s, err := read(pattern)
	if err != nil {
		return row, err
	}
	known, err := equivalents(o.list)
	if err != nil {
		return row, err
	}
	var all []*point
	for _, name := range s.GoFiles {
		all = append(all, s.points[name]...)
	}
	all = slices.DeleteFunc(all, func(p *point) bool { return o.in != nil && !o.in.MatchString(p.file+" "+p.function) })
	row.points = len(all)
	for key := range stale(known, all, o.in != nil) {
		fmt.Fprintf(w, "listed as equivalent, but there is no such change any more: %s\n", key)
	}
	drawn := draw(all, o.n, o.seed)
	row.drawn = len(drawn)
	drawn = slices.DeleteFunc(drawn, func(p *point) bool {
		if known[p.key()] {
			row.equivalent++
			return !o.all
		}
		return false
	})
	for i, p := range drawn {
		p.id = i
	}
	if len(drawn) == 0 {
		return row, nil
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return row, err
	}
	defer os.RemoveAll(dir)

	bins, dropped, err := build(s, append([]string{pattern}, o.with...), drawn, dir)
	if err != nil {
		return row, err
	}
	for i := range bins {
		bins[i].short = o.short
	}
	for _, p := range dropped {
		fmt.Fprintf(w, "does not compile: %v\n", p)
	}
	drawn = slices.DeleteFunc(drawn, func(p *point) bool { return slices.Contains(dropped, p) })
	row.drawn -= len(dropped)
	tests, err := reach(w, bins, dir, o.parallel)
	if err != nil {
		return row, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d changes, %d tests, %v to build and to see what the tests reach\n",
		pattern, len(drawn), len(tests), time.Since(began).Round(time.Second))

	row.tell(w, drawn, tryAll(drawn, tests, o.parallel), known, o)
	row.time = time.Since(began)
	return row, nil
}

// tryAll tries the changes, some at a time.
func tryAll(drawn []*point, tests []*test, parallel int) []verdict {
	verdicts := make([]verdict, len(drawn))
	queue := make(chan int)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for i := range queue {
				verdicts[i] = try(drawn[i], tests)
			}
		})
	}
	for i := range drawn {
		queue <- i
	}
	close(queue)
	wait.Wait()
	return verdicts
}

// tell writes what became of each change, in the order of the source, and counts.
func (row *tally) tell(w io.Writer, drawn []*point, verdicts []verdict, known map[string]bool, o options) {
	order := make([]int, len(drawn))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		p, q := drawn[a], drawn[b]
		return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.start, q.start), cmp.Compare(q.end, p.end), cmp.Compare(p.after, q.after))
	})
	for _, i := range order {
		p, v := drawn[i], verdicts[i]
		switch {
		case v.killer != "" && o.all && known[p.key()]:
			fmt.Fprintf(w, "listed as equivalent, but killed by %s: %v\n", v.killer, p)
		case v.killer != "" && o.verbose:
			fmt.Fprintf(w, "killed by %s: %v\n", v.killer, p)
		case v.killer == "" && v.tests == 0:
			fmt.Fprintf(w, "survives, no test gets there: %v\n\t%s\n", p, p.key())
		case v.killer == "":
			fmt.Fprintf(w, "survives %d tests: %v\n\t%s\n", v.tests, p, p.key())
		}
		if o.all && known[p.key()] {
			continue
		}
		if v.killer != "" {
			row.killed++
		} else {
			row.survive++
			if v.tests == 0 {
				row.unreached++
			}
		}
	}
}

// stale yields the known changes of the files of these points that are none of them. Of a
// part of the points nothing can be said.
func stale(known map[string]bool, all []*point, part bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		if part {
			return
		}
		files, keys := map[string]bool{}, map[string]bool{}
		for _, p := range all {
			files[p.file], keys[p.key()] = true, true
		}
		for _, key := range slices.Sorted(maps.Keys(known)) {
			file, _, _ := strings.Cut(key, "\t")
			if files[file] && !keys[key] && !yield(key) {
				return
			}
		}
	}
}

// draw takes n of the points, or all for 0, in an order that the seed gives.
func draw(all []*point, n int, seed uint64) []*point {
	drawn := slices.Clone(all)
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	if n > 0 && n < len(drawn) {
		drawn = drawn[:n]
	}
	return drawn
}

// A binary is the compiled tests of one package.
type binary struct {
	path, dir, pkg string
	short          bool
}

// A test is one test, example or fuzz target (with its seeds) of a binary.
type test struct {
	binary
	name    string
	time    time.Duration
	reaches map[int]bool
}

// A verdict says which test killed a mutant, "" for none of so many.
type verdict struct {
	killer string
	tests  int
}
