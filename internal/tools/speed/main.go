// Speed says which benchmarks of the library are slower or faster than at another
// commit.
//
// The program builds the benchmarks of the two commits and runs them in turn, so that
// both see the same machine.
//
// Times are compared in pairs: a run of one commit and the run of the other beside it. A machine
// that other programs share is at times half as fast for minutes. Both runs of a pair see that, and
// their ratio does not. Three pairs are one measurement, their median ratio. The change of a
// benchmark is the median of its measurements, and Wilcoxon's signed-rank test says how easily
// chance explains it.
//
// Benchmarks that differ by -least per cent or more, which chance explains with a probability below
// 1/20, are measured again, longer and twice as often, and only the second measurements count.
// The order of functions in a program can make a benchmark a fifth slower, though its code is
// the same. So the second look links the programs anew for each measurement, with functions in
// another random order. A benchmark has moved if it differs by -least per cent or more again and
// chance explains that with a probability below -alpha. The first look has one order: if that favours
// the new commit by as much as the commit is slower, nothing is named.
//
// Allocations have moved if their medians differ by one a call or more, and by -least per cent or
// more. Calls that come first may allocate, so a benchmark that becomes much slower may seem to
// allocate more, too.
//
// Both looks take up to five minutes where a pass over all benchmarks takes three seconds. A
// slower machine takes longer, since fewer measurements would prove nothing.
//
// Usage, in the folder of the library, with nothing else running:
//
//	go -C internal/tools run ./speed                   # against the commit before
//	go -C internal/tools run ./speed -base v0.1.0      # against another
//	go -C internal/tools run ./speed -only flow        # the packages whose name has flow in it
//	go -C internal/tools run ./speed -names            # only say whether all benchmarks are there
//
// The exit status is 1 if a benchmark is slower or allocates more, and if the program fails.
// flagship.go has the benchmarks; BENCHMARKS.md says how long all of them take.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/internal/tools/root"
)

// runs is how many runs a measurement takes. On a machine whose two processors share a
// core, a run takes 1.6 times as long while the other one is busy.
const runs = 3

// The looks end early so that the program takes some five minutes at most: the first look after
// firstLook, the second after bothLooks, if they have as many measurements as enough says.
const (
	firstLook = 2 * time.Minute
	bothLooks = 4*time.Minute + 30*time.Second
)

// enough returns how many measurements a look takes at least, for a probability alpha: n that all say
// slower have the probability 2/2ⁿ by the signed-rank test. With two more, some may say slightly faster.
func enough(alpha float64) int {
	return max(8, 3+int(math.Ceil(math.Log2(1/alpha))))
}

// doubt is the probability from which a difference of the first look is chance, and gets no
// second look.
const doubt = 0.05

func main() {
	base := flag.String("base", "HEAD~1", "`commit` to compare with")
	only := flag.String("only", "", "`part` of the names of the packages to run")
	rounds := flag.Int("rounds", 10, "measurements of each benchmark in the first look, 8 or more; the second look takes twice as many")
	each := flag.Duration("time", 15*time.Millisecond, "how long one run of a benchmark takes; a measurement takes three runs")
	alpha := flag.Float64("alpha", 0.01, "probability below which a difference is no chance")
	least := flag.Float64("least", 5, "per cent below which a difference is not told")
	names := flag.Bool("names", false, "run each benchmark for a moment, and compare nothing: an error names one that is gone")
	flag.Parse()
	if err := root.Enter(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch {
	case flag.NArg() > 0 || *rounds < 8:
		mistake("want flags alone, and -rounds of 8 or more")
	case !(*alpha > 0 && *alpha < 1):
		mistake("-alpha %v: want a probability between 0 and 1", *alpha)
	case 2**rounds < enough(*alpha):
		mistake("-alpha %v wants -rounds of %d or more", *alpha, (enough(*alpha)+1)/2)
	}
	// What ends this program ends the command that runs, and so the program by an error. Then it
	// removes what it made.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *names {
		if err := runNames(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "speed:", err)
			os.Exit(1)
		}
		return
	}
	slower, err := run(ctx, *base, *only, *rounds, *each, *alpha, *least)
	if err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
	if slower {
		os.Exit(1)
	}
}

func mistake(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "speed: "+format+"\n", args...)
	os.Exit(2)
}

// runNames runs all benchmarks of flagship.go for a moment. The error names one that is gone.
func runNames(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "speed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	now := &tree{dir: ".", out: dir, outs: make([][]string, len(flagship))}
	if err := now.build(ctx, flagship, 0, true); err != nil {
		return err
	}
	for i, s := range flagship {
		if err := now.measure(ctx, i, s, time.Nanosecond, true); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, base, only string, rounds int, each time.Duration, alpha, least float64) (slower bool, err error) {
	begin := time.Now()
	dir, err := os.MkdirTemp("", "speed")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	var sets []set
	for _, s := range flagship {
		if strings.Contains(s.pkg, only) {
			sets = append(sets, s)
		}
	}
	if len(sets) == 0 {
		return false, fmt.Errorf("no package of flagship.go has %q in its name", only)
	}
	work := filepath.Join(dir, "base")
	if _, err := output(ctx, ".", "git", "worktree", "add", "--detach", work, base); err != nil {
		return false, err
	}
	defer output(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", work)
	now, old := &tree{dir: ".", out: filepath.Join(dir, "new")}, &tree{dir: work, out: filepath.Join(dir, "old")}
	if err := measureAll(ctx, now, old, sets, rounds, enough(doubt), each, begin.Add(firstLook), false); err != nil {
		return false, err
	}
	rows, fresh := compare(sets, now, old)
	if len(fresh) > 0 {
		fmt.Fprintln(os.Stderr, "new, so compared with nothing:", strings.Join(fresh, ", "))
	}
	if again := suspects(rows, sets, least); len(again) > 0 {
		fmt.Fprintln(os.Stderr, "a second look at", names(again))
		if err := measureAll(ctx, now, old, again, 2*rounds, enough(alpha), 2*each, begin.Add(bothLooks), true); err != nil {
			return false, err
		}
		second, _ := compare(again, now, old)
		rows = replace(rows, second)
	}
	return report(rows, least, alpha), nil
}

// measureAll builds the benchmarks of the sets in both trees and runs them in turn. The new
// tree has to have all of them. From until on it ends as soon as it has least measurements. With
// shuffle each measurement has functions in another order. Without it the runs of a measurement lie
// far apart, since other programs slow the machine down for seconds.
func measureAll(ctx context.Context, now, old *tree, sets []set, rounds, least int, each time.Duration, until time.Time, shuffle bool) error {
	trees := []*tree{now, old}
	for _, t := range trees {
		t.together = shuffle
		t.outs = make([][]string, len(sets))
	}
	for pass := range runs * rounds {
		if order := pass / runs; pass == 0 || shuffle && pass%runs == 0 {
			built := make(chan error, len(trees))
			for _, t := range trees {
				go func() { built <- t.build(ctx, sets, order, t == now) }()
			}
			var failed error
			for range trees {
				failed = cmp.Or(failed, <-built)
			}
			if failed != nil {
				return failed
			}
		}
		for i, s := range sets {
			turn := slices.Clone(trees)
			if pass%2 == 1 {
				slices.Reverse(turn)
			}
			for _, t := range turn {
				if err := t.measure(ctx, i, s, each, t == now); err != nil {
					return err
				}
			}
		}
		fmt.Fprintf(os.Stderr, "pass %d of %d\n", pass+1, runs*rounds)
		if done := pass + 1; done%runs == 0 && done >= runs*least && time.Now().After(until) {
			break
		}
	}
	return nil
}

// suspects returns the sets with no other benchmarks than those whose times differ by least
// per cent or more, if chance does not explain that.
func suspects(rows []row, sets []set, least float64) []set {
	var found []set
	for _, s := range sets {
		var patterns []string
		for _, r := range rows {
			if r.pkg == s.pkg && r.moved(least, doubt) {
				patterns = append(patterns, regexp.QuoteMeta(r.name))
			}
		}
		if s.pattern = strings.Join(patterns, "|"); s.pattern != "" {
			found = append(found, s)
		}
	}
	return found
}

// names lists the benchmarks of the sets.
func names(sets []set) string {
	var all []string
	for _, s := range sets {
		for one := range strings.SplitSeq(s.pattern, "|") {
			all = append(all, s.pkg+" "+strings.ReplaceAll(one, `\`, ""))
		}
	}
	return strings.Join(all, ", ")
}

// replace puts the second rows in the place of the first of the same benchmark.
func replace(first, second []row) []row {
	rows := slices.Clone(first)
	for i, r := range rows {
		if at := slices.IndexFunc(second, func(s row) bool { return s.pkg == r.pkg && s.name == r.name }); at >= 0 {
			rows[i] = second[at]
		}
	}
	return rows
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", errors.New("it was ended before it had compared anything")
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %s: %w: %s%s", name, strings.Join(args, " "), err, out, bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// A tree is the module at one commit, its benchmarks built.
type tree struct {
	dir, out string
	bins     []string // by set, "" for a package that is not there
	folders  []string
	outs     [][]string // by set and pass: what the benchmarks print
	together bool       // the runs of a measurement follow each other
}

// measurement returns the runs of measurement r of a set, in the order of their passes.
func (t *tree) measurement(set, r int) []string {
	outs := t.outs[set]
	if t.together {
		return outs[r*runs : (r+1)*runs]
	}
	var all []string
	for rounds := len(outs) / runs; r < len(outs); r += rounds {
		all = append(all, outs[r])
	}
	return all
}

// build builds the benchmarks of the sets, their functions in order number order. With all, each
// package has to be there.
func (t *tree) build(ctx context.Context, sets []set, order int, all bool) error {
	if err := os.MkdirAll(t.out, 0o755); err != nil {
		return err
	}
	t.bins, t.folders = nil, nil
	for i, s := range sets {
		folder := filepath.Join(t.dir, filepath.FromSlash(s.pkg))
		if _, err := os.Stat(folder); err != nil && s.was != "" {
			folder = filepath.Join(t.dir, filepath.FromSlash(s.was))
		}
		bin := ""
		if _, err := os.Stat(folder); err == nil {
			abs, err := filepath.Abs(filepath.Join(t.out, strconv.Itoa(i)))
			if err != nil {
				return err
			}
			if _, err := output(ctx, folder, "go", "test", "-c", "-trimpath", "-ldflags=-randlayout="+strconv.Itoa(order), "-o", abs, "."); err != nil {
				return err
			}
			bin = abs
		} else if all {
			return fmt.Errorf("there is no package %s: flagship.go names packages that users follow", s.pkg)
		}
		t.bins = append(t.bins, bin)
		t.folders = append(t.folders, folder)
	}
	return nil
}

// measure runs the benchmarks of a set once. With all, each alternative of the pattern
// has to name a benchmark.
func (t *tree) measure(ctx context.Context, i int, s set, each time.Duration, all bool) error {
	if t.bins[i] == "" {
		return nil
	}
	out, err := output(ctx, t.folders[i], t.bins[i], "-test.run", "^$", "-test.bench", exactly(s.pattern),
		"-test.benchtime", each.String(), "-test.benchmem", "-test.cpu", "1")
	if err != nil {
		return err
	}
	if all {
		for one := range strings.SplitSeq(s.pattern, "|") {
			if !regexp.MustCompile(`(?m)^Benchmark` + strings.TrimSuffix(one, "$") + `\S*\s`).MatchString(out) {
				return fmt.Errorf("%s has no benchmark %s: its name is part of what users follow, see flagship.go", s.pkg, one)
			}
		}
	}
	t.outs[i] = append(t.outs[i], out)
	return nil
}
