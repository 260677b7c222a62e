package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// inPairs judges the times of the rows by their pairs: by the run of one tree and the run of the
// other in the same pass. A change that chance explains with probability alpha or more is "~".
func inPairs(rows []row, old, now *tree, alpha float64) {
	ratios := map[[2]string][]float64{} // by package and benchmark, one a measurement
	for i, outs := range now.outs {
		if old.bins[i] == "" {
			continue
		}
		for r := range len(outs) / runs {
			three := map[[2]string][]float64{}
			was := old.measurement(i, r)
			for p, out := range now.measurement(i, r) {
				before := times(was[p])
				for name, ns := range times(out) {
					if before[name] > 0 && ns > 0 {
						three[name] = append(three[name], ns/before[name])
					}
				}
			}
			for name, all := range three {
				ratios[name] = append(ratios[name], median(all))
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		if all := ratios[[2]string{r.pkg, r.name}]; r.unit == "sec/op" && len(all) > 0 {
			r.ratio = median(all)
			r.change = "~"
			if signedRank(all) < alpha {
				r.change = fmt.Sprintf("%+.2f%%", 100*(r.ratio-1))
			}
		}
	}
}

// times returns the nanoseconds of each benchmark that out lists, by package and name.
func times(out string) map[[2]string]float64 {
	all := map[[2]string]float64{}
	pkg := ""
	for line := range strings.Lines(out) {
		if p, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimSpace(p)
		}
		if name, ok := strings.CutPrefix(line, "Benchmark"); ok {
			name, _, _ = strings.Cut(name, " ")
			all[[2]string{pkg, strings.TrimSpace(name)}] = nanos(line)
		}
	}
	return all
}

// median returns the middle of the values, and the mean of two in the middle.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// signedRank returns the probability that ratios as far from 1 as these, or further, come from a
// distribution of logarithms that is symmetric about 0, by Wilcoxon's signed-rank test. It is exact
// where no two are equally far. Ratios of 1 do not count.
func signedRank(ratios []float64) float64 {
	var logs []float64
	for _, r := range ratios {
		if r != 1 {
			logs = append(logs, math.Log(r))
		}
	}
	slices.SortFunc(logs, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	n, up := len(logs), 0
	for i, l := range logs {
		if l > 0 {
			up += i + 1
		}
	}
	// chance[s]: that the ranks so far whose sign is + have the sum s.
	chance := make([]float64, n*(n+1)/2+1)
	chance[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := rank * (rank + 1) / 2; s >= 0; s-- {
			chance[s] /= 2
			if s >= rank {
				chance[s] += chance[s-rank] / 2
			}
		}
	}
	tail := 0.0
	for s := 0; s <= min(up, n*(n+1)/2-up); s++ {
		tail += chance[s]
	}
	return min(1, 2*tail)
}

// nanos returns the nanoseconds of a line of a benchmark.
func nanos(line string) float64 {
	f := strings.Fields(line)
	if len(f) < 4 || f[3] != "ns/op" {
		return math.Inf(1)
	}
	n, err := strconv.ParseFloat(f[2], 64)
	if err != nil {
		return math.Inf(1)
	}
	return n
}

// fastest keeps the fastest of the runs of each benchmark, and each other line once: other
// programs make a run slower and never faster.
func fastest(out string) string {
	var kept []string
	at := map[string]int{} // index of the line of a benchmark
	for line := range strings.Lines(out) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		i, seen := at[name]
		switch {
		case !strings.HasPrefix(line, "Benchmark"):
			if !slices.Contains(kept, line) {
				kept = append(kept, line)
			}
		case !seen:
			at[name] = len(kept)
			kept = append(kept, line)
		case nanos(line) < nanos(kept[i]):
			kept[i] = line
		}
	}
	return strings.Join(kept, "")
}

// once leaves out the settings, such as the package, that say what they said before: they hold for all
// lines that follow.
func once(results string) string {
	var text strings.Builder
	said := map[string]string{}
	for line := range strings.Lines(results) {
		key, value, setting := strings.Cut(line, ": ")
		if setting = setting && !strings.HasPrefix(line, "Benchmark"); !setting || said[key] != value {
			text.WriteString(line)
		}
		if setting {
			said[key] = value
		}
	}
	return text.String()
}

// exactly makes each part of a pattern match whole parts of names.
func exactly(pattern string) string {
	var all []string
	for one := range strings.SplitSeq(pattern, "|") {
		all = append(all, "^Benchmark"+strings.ReplaceAll(one, "/", "$/^")+"$")
	}
	return strings.Join(all, "|")
}

// compare asks benchstat.
func compare(ctx context.Context, dir string, before, after []byte, alpha float64) ([]row, error) {
	stat, err := output(ctx, "internal/tools", "go", "tool", "-n", "benchstat")
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"old.txt": before, "new.txt": after} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	out, err := output(ctx, dir, stat, "-format", "csv", "-table", "pkg", "-alpha", strconv.FormatFloat(alpha, 'g', -1, 64), "old.txt", "new.txt")
	if err != nil {
		return nil, err
	}
	return parse(out)
}

// parse reads the tables of benchstat.
func parse(text string) ([]row, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []row
	pkg, unit := "", ""
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l[0], "pkg: "):
			pkg = strings.TrimPrefix(l[0], "pkg: ")
		case l[0] == "" && len(l) >= 2 && strings.Contains(l[1], ".txt"): // the files
		case l[0] == "" && len(l) >= 2:
			unit = l[1]
		case l[0] == "geomean" || len(l) < 6:
		default:
			a, errA := strconv.ParseFloat(l[1], 64)
			b, errB := strconv.ParseFloat(l[3], 64)
			if errA != nil || errB != nil {
				continue // a benchmark that only one side has
			}
			ratio := 0.0
			if unit == "sec/op" {
				ratio = b / a
			}
			rows = append(rows, row{pkg, l[0], unit, a, b, ratio, l[5]})
		}
	}
	return rows, nil
}

// report prints what moved and reports whether anything got worse. Of units other than
// time and allocations it tells no change: a reported quality may rise or fall.
func report(rows []row, least float64) (worse bool) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	timed, moved := 0, 0
	for _, r := range rows {
		switch r.unit {
		case "sec/op":
			timed++
		case "allocs/op":
		default:
			continue
		}
		change, significant := difference(r, least)
		if !significant {
			continue
		}
		if moved == 0 {
			fmt.Fprintln(w, "package\tbenchmark\tunit\tbefore\tnow\tchange")
		}
		moved++
		worse = worse || r.ratio > 1 || r.unit != "sec/op" && r.new > r.old
		fmt.Fprintf(w, "%s\t%s\t%s\t%.4g\t%.4g\t%s\n", r.pkg, r.name, r.unit, r.old, r.new, change)
	}
	w.Flush()
	if moved == 0 {
		fmt.Printf("%d benchmarks, none of them moved beyond noise\n", timed)
	} else {
		fmt.Printf("%d benchmarks, %d changes beyond noise\n", timed, moved)
	}
	return worse
}

// difference says how much a row changed, and whether that is told.
func difference(r row, least float64) (string, bool) {
	if r.change == "~" || r.change == "" {
		return "", false
	}
	if r.unit == "allocs/op" {
		// The first calls allocate, and how many calls there are differs from run to run.
		return fmt.Sprintf("%+g", r.new-r.old), math.Abs(r.new-r.old) >= max(1, least/100*r.old)
	}
	percent := 100 * (r.ratio - 1)
	return fmt.Sprintf("%+.1f%%", percent), percent >= least || percent <= -least
}
