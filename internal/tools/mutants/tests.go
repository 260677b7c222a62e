package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// build compiles the tests with all mutants in them. A mutant that does not compile is
// dropped, and what remains is compiled again.
func build(s *source, patterns []string, drawn []*point, dir string) (bins []binary, dropped []*point, err error) {
	for try := 0; ; try++ {
		overlay := map[string]string{}
		for _, name := range s.GoFiles {
			var ps []*point
			for _, p := range s.points[name] {
				if slices.Contains(drawn, p) && !slices.Contains(dropped, p) {
					ps = append(ps, p)
				}
			}
			if len(ps) == 0 {
				continue
			}
			to := filepath.Join(dir, name)
			if err := os.WriteFile(to, []byte(rewrite(s.src[name], ps)), 0o644); err != nil {
				return nil, nil, err
			}
			overlay[filepath.Join(s.Dir, name)] = to
		}
		help := filepath.Join(dir, "mutants_helpers.go")
		if err := os.WriteFile(help, fmt.Appendf(nil, helpers, s.Name, len(drawn), memoryLimit), 0o644); err != nil {
			return nil, nil, err
		}
		overlay[filepath.Join(s.Dir, "mutants_helpers.go")] = help
		text, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			return nil, nil, err
		}
		list := filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(list, text, 0o644); err != nil {
			return nil, nil, err
		}
		bins = bins[:0]
		var message string
		for i, pattern := range patterns {
			out, err := exec.Command("go", "list", "-f", "{{.Dir}}\t{{.ImportPath}}", pattern).Output()
			if err != nil {
				return nil, nil, fmt.Errorf("go list %s: %w", pattern, explain(err))
			}
			folder, path, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
			bin := filepath.Join(dir, fmt.Sprintf("tests%d", i))
			cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-gcflags="+s.ImportPath+"=-e", "-o", bin, pattern)
			if both, err := cmd.CombinedOutput(); err != nil {
				message = string(both)
				break
			}
			if _, err := os.Stat(bin); err == nil { // a package without tests has none
				bins = append(bins, binary{path: bin, dir: folder, pkg: path})
			}
		}
		if message == "" {
			return bins, dropped, nil
		}
		faulty := map[string]bool{}
		for _, m := range regexp.MustCompile(`([\w.-]+\.go):(\d+):\d+: `).FindAllStringSubmatch(message, -1) {
			faulty[m[1]+":"+m[2]] = true
		}
		before := len(dropped)
		for _, p := range drawn {
			if faulty[fmt.Sprintf("%s:%d", filepath.Base(p.file), p.line)] && !slices.Contains(dropped, p) {
				dropped = append(dropped, p)
			}
		}
		if len(dropped) == before || try > 5 {
			return nil, nil, fmt.Errorf("the mutants do not compile: %s", message)
		}
	}
}

// reach runs each test alone and writes down which mutants it gets to. Tests that fail
// without a change are left out.
func reach(w io.Writer, bins []binary, dir string, parallel int) ([]*test, error) {
	var tests []*test
	for _, b := range bins {
		cmd := exec.Command(b.path, "-test.list", "^(Test|Example|Fuzz)")
		cmd.Dir = b.dir
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing the tests of %s: %w", b.pkg, explain(err))
		}
		for name := range strings.FieldsSeq(string(out)) {
			tests = append(tests, &test{binary: b, name: name, reaches: map[int]bool{}})
		}
	}
	fails := make([]bool, len(tests))
	queue := make(chan int)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for i := range queue {
				t := tests[i]
				log := filepath.Join(dir, fmt.Sprintf("reached%d", i))
				began := time.Now()
				fails[i] = !passes(t.binary, []string{t.name}, 20*time.Minute, "MUTANT_REACHED="+log)
				t.time = time.Since(began)
				f, err := os.Open(log)
				if err != nil {
					continue
				}
				for sc := bufio.NewScanner(f); sc.Scan(); {
					if id, err := strconv.Atoi(sc.Text()); err == nil {
						t.reaches[id] = true
					}
				}
				f.Close()
			}
		})
	}
	for i := range tests {
		queue <- i
	}
	close(queue)
	wait.Wait()
	var kept []*test
	for i, t := range tests {
		if fails[i] {
			fmt.Fprintf(w, "left out: %s of %s fails without a change\n", t.name, t.pkg)
		} else if len(t.reaches) > 0 {
			kept = append(kept, t)
		}
	}
	slices.SortStableFunc(kept, func(a, b *test) int { return cmp.Compare(a.time, b.time) })
	return kept, nil
}

// passes runs tests of one binary.
func passes(b binary, names []string, limit time.Duration, env string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit+5*time.Second)
	defer cancel()
	args := []string{"-test.run", "^(" + strings.Join(names, "|") + ")$", "-test.failfast", "-test.timeout", limit.String()}
	if b.short {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(ctx, b.path, args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), env)
	return cmd.Run() == nil
}

// try runs the tests that reach a mutant: those that take less than a quarter of a
// second by the dozen, the others one by one.
func try(p *point, tests []*test) verdict {
	var v verdict
	var group []*test
	flush := func() bool {
		if len(group) == 0 {
			return false
		}
		var names []string
		limit := 2 * time.Second
		for _, t := range group {
			names = append(names, t.name)
			limit += 10 * t.time
		}
		b := group[0].binary
		group = group[:0]
		if passes(b, names, limit, "MUTANT="+strconv.Itoa(p.id)) {
			return false
		}
		v.killer = strings.Join(names, " or ")
		return true
	}
	for _, t := range tests {
		if !t.reaches[p.id] {
			continue
		}
		v.tests++
		if len(group) > 0 && (group[0].binary != t.binary || len(group) >= 12 || t.time > time.Second/4) && flush() {
			return v
		}
		group = append(group, t)
	}
	flush()
	return v
}
