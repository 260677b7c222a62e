package perfmodel

import (
	"bytes"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// How well a machine predicts class B when the machine is another one, or the
// profile a worse one, than that of TestClassB. The package's documentation has
// what this prints:
//
//	PLIMSOLL_SHARED=... go test -run Study -v ./perfmodel
//
// Without -v there are fewer draws of each.

func draws(few, many int) int {
	if testing.Verbose() {
		return many
	}
	return few
}

// A tally counts over many evaluations.
type tally struct {
	cells, medians, worsts []float64
	over, machines         int // cells and evaluations with one above 40%
	covered                int
	chosen                 [4]int // machines, then fits of each application by itself
}

func (s *tally) add(best int, cells []predicted) {
	med, worst, covered := summary(cells)
	s.medians, s.worsts = append(s.medians, med), append(s.worsts, worst)
	s.covered += covered
	s.chosen[best]++
	if worst > 0.4 {
		s.machines++
	}
	for _, c := range cells {
		s.cells = append(s.cells, math.Abs(c.err))
		if math.Abs(c.err) > 0.4 {
			s.over++
		}
	}
}

func (s *tally) log(t *testing.T, name string) {
	t.Helper()
	n := len(s.cells)
	above15 := 0
	for _, m := range s.medians {
		if m > 0.15 {
			above15++
		}
	}
	t.Logf("%-30s median %4.1f%%, above 15%% in %d of %d; worst cell %4.1f%% in the median, above 40%% in %d of %d, %d of %d cells; covered %.1f%%; chosen %v",
		name, 100*median(slices.Clone(s.cells)), above15, len(s.medians), 100*median(slices.Clone(s.worsts)), s.machines, len(s.worsts), s.over, n, 100*float64(s.covered)/float64(n), s.chosen)
}

// enough fails the test unless the errors and the coverage are what users were
// promised over all of the evaluations together.
func (s *tally) enough(t *testing.T, name string) {
	t.Helper()
	s.log(t, name)
	if med := median(slices.Clone(s.cells)); med > 0.15 || float64(s.covered) < 0.8*float64(len(s.cells)) {
		t.Errorf("%s: median %.1f%% (at most 15), covered %d of %d", name, 100*med, s.covered, len(s.cells))
	}
}

func TestStudyOtherMachines(t *testing.T) {
	cases, err := ReadCases(strings.NewReader(classes))
	if err != nil {
		t.Fatal(err)
	}
	// As Candidates says, fits of each application by itself do worse.
	alone := func(shapes []Shape) []pool {
		var models separate
		for _, s := range shapes {
			models = append(models, &LogLinear{Work: s.Work, DropDependent: true})
		}
		return []pool{models}
	}
	for _, set := range []struct {
		name       string
		keep       func(string) bool
		candidates func([]Shape) []pool
	}{
		{"made up, eight profiled", anyApp, machines},
		{"made up, five profiled", onlyFive, machines},
		{"made up, five, separate only", onlyFive, alone},
	} {
		r := rand.New(rand.NewPCG(2013, 8))
		var s tally
		for range draws(6, 100) {
			m := newMachine(r)
			best, _, cells := classBOf(t, m.profiles(cases, r), set.keep, set.candidates)
			s.add(best, cells)
		}
		if strings.Contains(set.name, "separate") {
			s.log(t, set.name) // for comparison
			continue
		}
		s.enough(t, set.name)
	}
}

// disturbed returns profiles with other times.
func disturbed(profiles []Profile, f func(r *Run) float64) []Profile {
	out := slices.Clone(profiles)
	for i := range out {
		out[i].Runs = slices.Clone(out[i].Runs)
		for j := range out[i].Runs {
			r := &out[i].Runs[j]
			r.Seconds = f(r)
		}
	}
	return out
}

// Every time of the real machine disturbed, class B's as well.
func TestStudyNoise(t *testing.T) {
	profiles, _ := sharedNPB(t)
	r := rand.New(rand.NewPCG(2013, 9))
	for _, sd := range []float64{0.04, 0.08} {
		var s tally
		for range draws(6, 100) {
			noisy := disturbed(profiles, func(x *Run) float64 { return x.Seconds * math.Exp(sd*r.NormFloat64()) })
			best, _, cells := classB(t, noisy, anyApp)
			s.add(best, cells)
		}
		s.enough(t, "noise of "+strconv.FormatFloat(100*sd, 'g', -1, 64)+"%")
	}
}

// The real machine with something missing or added.
func TestStudyScenarios(t *testing.T) {
	profiles, _ := sharedNPB(t)
	only := func(keep func(r *Run) bool) []Profile {
		out := slices.Clone(profiles)
		for i := range out {
			out[i] = out[i].Select(func(r *Run) bool { return r.Case == "B" || keep(r) })
		}
		return out
	}
	plus := func(seconds float64) []Profile {
		return disturbed(profiles, func(r *Run) float64 { return r.Seconds + seconds })
	}
	once := slices.Clone(profiles)
	for i := range once {
		once[i] = once[i].Select(func(*Run) bool { return true })
		for j := range once[i].Runs {
			once[i].Runs[j].Repetitions, once[i].Runs[j].Spread = 1, 0
		}
	}
	for _, c := range []struct {
		name     string
		profiles []Profile
		keep     func(string) bool
	}{
		{"as measured", profiles, anyApp},
		{"five profiled", profiles, onlyFive},
		{"without BT, LU, SP, EP", profiles, func(a string) bool { return onlyFive(a) && a != "ep" }},
		{"one process only", only(func(r *Run) bool { return r.Processes == 1 }), anyApp},
		{"without class W", only(func(r *Run) bool { return r.Case != "W" }), anyApp},
		{"without class S", only(func(r *Run) bool { return r.Case != "S" }), anyApp},
		{"once, no spread", once, anyApp},
		{"20 ms more", plus(0.02), anyApp},
		{"200 ms more", plus(0.2), anyApp},
		{"two decimals", twoDecimals(t), anyApp},
	} {
		best, scores, cells := classB(t, c.profiles, c.keep)
		med, worst, covered := summary(cells)
		var at []string
		for _, x := range cells {
			at = append(at, x.app+strconv.Itoa(x.p)+strconv.FormatFloat(100*x.err, 'f', 0, 64))
		}
		t.Logf("%-24s chosen %d, median %4.1f%%, worst %4.1f%%, covered %d of %d, scores %.3f %v", c.name, best, 100*med, 100*worst, covered, len(cells), errorsOf(scores), at)
		if covered < 8*len(cells)/10 {
			t.Errorf("%s: covered %d of %d", c.name, covered, len(cells))
		}
		if c.name == "two decimals" && (med > 0.15 || worst > 0.4) {
			t.Errorf("%s: median %.1f%%, worst %.1f%%", c.name, 100*med, 100*worst)
		}
	}
}

// twoDecimals reads the timings as the benchmarks print them, to hundredths of
// seconds, and at least one.
func twoDecimals(t testing.TB) []Profile {
	t.Helper()
	_, cases := sharedNPB(t)
	f, err := os.Open(shared.File(t, "npb/times.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	k := slices.Index(rows[0], "seconds")
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[k], 64)
		if err != nil {
			t.Fatal(err)
		}
		row[k] = strconv.FormatFloat(max(0.01, v), 'f', 2, 64)
	}
	var out bytes.Buffer
	if err := csv.NewWriter(&out).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	profiles, err := ReadTimings(&out, cases)
	if err != nil {
		t.Fatal(err)
	}
	return profiles
}
