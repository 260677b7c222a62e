package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A row is one benchmark at both commits.
type row struct {
	pkg, name   string
	old, new    [2]float64 // medians of the nanoseconds and the allocations of a call
	ratio       float64    // of times, new to old: the median of the measurements
	probability float64    // that chance explains the ratio
}

// compare returns the benchmarks that both trees have, by their pairs, and the names of those
// that the new tree alone has.
func compare(sets []set, now, old *tree) (rows []row, fresh []string) {
	for i, s := range sets {
		ratios, was, is := map[string][]float64{}, map[string][2][]float64{}, map[string][2][]float64{}
		note := func(to map[string][2][]float64, name string, x [2]float64) {
			all := to[name]
			for k, v := range x {
				all[k] = append(all[k], v)
			}
			to[name] = all
		}
		for r := range len(now.outs[i]) / runs {
			three := map[string][]float64{}
			var before []string
			if old.bins[i] != "" {
				before = old.measurement(i, r)
			}
			for p, out := range now.measurement(i, r) {
				var pair map[string][2]float64
				if before != nil {
					pair = results(before[p])
				}
				for name, x := range results(out) {
					note(is, name, x)
					if y := pair[name]; y[0] > 0 && x[0] > 0 {
						note(was, name, y)
						three[name] = append(three[name], x[0]/y[0])
					}
				}
			}
			for name, all := range three {
				ratios[name] = append(ratios[name], median(all))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			all := ratios[name]
			if len(all) == 0 {
				fresh = append(fresh, s.pkg+" "+name)
				continue
			}
			x, y := is[name], was[name]
			rows = append(rows, row{s.pkg, name, [2]float64{median(y[0]), median(y[1])}, [2]float64{median(x[0]), median(x[1])}, median(all), signedRank(all)})
		}
	}
	return rows, fresh
}

// results returns the nanoseconds and the allocations of a call of each benchmark that out lists.
func results(out string) map[string][2]float64 {
	all := map[string][2]float64{}
	for line := range strings.Lines(out) {
		rest, ok := strings.CutPrefix(line, "Benchmark")
		f := strings.Fields(rest)
		if !ok || len(f) < 4 {
			continue
		}
		var x [2]float64
		for i := 2; i+1 < len(f); i += 2 {
			if unit := slices.Index([]string{"ns/op", "allocs/op"}, f[i+1]); unit >= 0 {
				x[unit], _ = strconv.ParseFloat(f[i], 64)
			}
		}
		all[f[0]] = x
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

// exactly makes each part of a pattern match whole parts of names.
func exactly(pattern string) string {
	var all []string
	for one := range strings.SplitSeq(pattern, "|") {
		all = append(all, "^Benchmark"+strings.ReplaceAll(one, "/", "$/^")+"$")
	}
	return strings.Join(all, "|")
}

// moved reports whether the time changed by least per cent or more, which chance explains with
// a probability below alpha.
func (r *row) moved(least, alpha float64) bool {
	return math.Abs(100*(r.ratio-1)) >= least && r.probability < alpha
}

// report prints what moved and reports whether anything got worse.
func report(rows []row, least, alpha float64) (worse bool) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	moved := 0
	tell := func(r *row, unit int, name, change string) {
		if moved == 0 {
			fmt.Fprintln(w, "package\tbenchmark\tunit\tbefore\tnow\tchange")
		}
		moved++
		fmt.Fprintf(w, "%s\t%s\t%s\t%.4g\t%.4g\t%s\n", r.pkg, r.name, name, r.old[unit], r.new[unit], change)
	}
	for i := range rows {
		r := &rows[i]
		if r.moved(least, alpha) {
			worse = worse || r.ratio > 1
			tell(r, 0, "ns/op", fmt.Sprintf("%+.1f%%", 100*(r.ratio-1)))
		}
		// The first calls allocate, and how many calls there are differs from run to run.
		if d := r.new[1] - r.old[1]; math.Abs(d) >= max(1, least/100*r.old[1]) {
			worse = worse || d > 0
			tell(r, 1, "allocs/op", fmt.Sprintf("%+g", d))
		}
	}
	w.Flush()
	if moved == 0 {
		fmt.Printf("%d benchmarks, none of them moved beyond noise\n", len(rows))
	} else {
		fmt.Printf("%d benchmarks, %d changes beyond noise\n", len(rows), moved)
	}
	return worse
}
