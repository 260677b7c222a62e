package mpiprofile

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// drawn draws a profile with some of the functions, the last of which may take no time.
func drawn(r *rand.Rand, application string) Profile {
	p := Profile{Profile: perfmodel.Profile{Application: application, Features: []string{"n"}}}
	for _, f := range []string{"MPI_A", "MPI_B", "MPI_C"} {
		if r.IntN(3) > 0 {
			p.Functions = append(p.Functions, f)
		}
	}
	for range 1 + r.IntN(5) {
		p.Runs = append(p.Runs, perfmodel.Run{Processes: 1 + r.IntN(9), Seconds: 10 + float64(r.IntN(90)), Repetitions: 1, Features: []float64{float64(1 + r.IntN(9))}})
		row := make([]float64, len(p.Functions))
		for j := range row {
			row[j] = max(0, float64(r.IntN(9)-3)) / 8
		}
		p.Seconds = append(p.Seconds, row)
	}
	return p
}

// What is written is read again, but for functions that take no time in any run.
func TestProfilesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for range 300 {
		list := []Profile{drawn(r, "a"), drawn(r, "b")}
		if r.IntN(2) == 0 {
			list = list[:1]
		}
		var text bytes.Buffer
		if err := WriteProfiles(&text, list); err != nil {
			t.Fatal(err)
		}
		got, err := ReadProfiles(strings.NewReader(text.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		for k := range list {
			p := &list[k]
			for j := len(p.Functions) - 1; j >= 0; j-- {
				if !slices.ContainsFunc(p.Seconds, func(x []float64) bool { return x[j] > 0 }) {
					p.Functions = slices.Delete(p.Functions, j, j+1)
					for i := range p.Seconds {
						p.Seconds[i] = slices.Delete(p.Seconds[i], j, j+1)
					}
				}
			}
		}
		if d := cmp.Diff(list, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(perfmodel.Run{}, "Resolution", "Case")); d != "" {
			t.Fatalf("%s\n%s", d, text.String())
		}
	}
}

func TestProfilesRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *Profile)
		want   error
		field  string
	}{
		"no runs":             {func(p *Profile) { p.Runs, p.Seconds = nil, nil }, nil, ""},
		"times of a run less": {func(p *Profile) { p.Seconds = p.Seconds[1:] }, ErrMissing, "Profile.Seconds"},
		"a time less":         {func(p *Profile) { p.Seconds[1] = p.Seconds[1][1:] }, ErrMissing, "Profile.Seconds"},
		"negative":            {func(p *Profile) { p.Seconds[1][0] = -1 }, ErrRange, "Profile.Seconds"},
		"no number":           {func(p *Profile) { p.Seconds[1][0] = math.NaN() }, ErrRange, "Profile.Seconds"},
		"infinite":            {func(p *Profile) { p.Seconds[0][1] = math.Inf(1) }, ErrRange, "Profile.Seconds"},
		"another name":        {func(p *Profile) { p.Functions[0] = "Send" }, ErrSyntax, "Profile.Functions"},
		"a space":             {func(p *Profile) { p.Functions[0] = "MPI_A " }, ErrSyntax, "Profile.Functions"},
		"twice":               {func(p *Profile) { p.Functions[1] = p.Functions[0] }, ErrSyntax, "Profile.Functions"},
		"a feature":           {func(p *Profile) { p.Features[0] = "MPI_n" }, ErrSyntax, "Profile.Features"},
	} {
		p := Profile{Profile: perfmodel.Profile{Application: "a", Features: []string{"n"}, Runs: []perfmodel.Run{
			{Processes: 2, Seconds: 9, Repetitions: 1, Features: []float64{1}}, {Processes: 4, Seconds: 7, Repetitions: 1, Features: []float64{2}}}},
			Functions: []string{"MPI_A", "MPI_B"}, Seconds: [][]float64{{1, 2}, {2, 3}}}
		if err := WriteProfiles(new(bytes.Buffer), []Profile{p}); err != nil {
			t.Fatalf("%s: before the change: %v", name, err)
		}
		c.change(&p)
		err := WriteProfiles(new(bytes.Buffer), []Profile{p})
		var in *inputerr.Error
		if err == nil || c.want != nil && (!errors.Is(err, c.want) || !errors.As(err, &in) || in.Field != c.field) {
			t.Errorf("%s: %v, want %v in %s", name, err, c.want, c.field)
		}
		var m Model
		if err := m.Fit(&p); err == nil && c.field == "Profile.Seconds" {
			t.Errorf("%s: fitted", name)
		}
	}
}

// Lines of a table keep their numbers in errors, also behind the columns of functions and
// after cells with line breaks.
func TestProfileLines(t *testing.T) {
	const head = "application,processes,seconds,MPI_A,n\n"
	for text, say := range map[string]string{
		head + "a,1,5,1,2\n\na,2,5,1,2\na,x,5,1,2\n":         "line 5",
		head + "\"a\nb\",1,5,1,2\na,0,5,1,2\n":               "line 4",
		head + "a,1,5,1,2\na,1,5,\"1\"x,2\n":                 "line 3",
		head + "a,1,5,1,2\na,1,5,inf,2\n":                    "line 3 (MPI_A)",
		head + "a,1,5,1,2\nb,1,5,,2\na,1,5,NaN,2\n":          "line 4 (MPI_A)",
		head + "a,1,5,1,2,3\n":                               "line 2 (table): not of the format expected: 6 cells: want 5",
		"application,processes,seconds, MPI_A ,MPI_A\n1,2\n": "line 1 (MPI_A)",
	} {
		if _, err := ReadProfiles(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v, want %s", text, err, say)
		}
	}
	list, err := ReadProfiles(strings.NewReader(head + "a,1,5, 1 ,2\nb,2,6,,3\na,3,7,,4\n"))
	if err != nil || len(list) != 2 || cmp.Diff([][]float64{{1}, {0}}, list[0].Seconds) != "" || len(list[1].Functions) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	list, err = ReadProfiles(strings.NewReader("processes,seconds,MPI_A\n1,5,1\n2,6,3\n"))
	if err != nil || len(list) != 1 || cmp.Diff([][]float64{{1}, {3}}, list[0].Seconds) != "" {
		t.Errorf("without an application: %+v, %v", list, err)
	}
}

// Estimates of the whole are those of the computation and of each function together.
func TestEstimateIsTheSumOfParts(t *testing.T) {
	p := exact()
	r := rand.New(rand.NewPCG(2, 9))
	for i := range p.Runs { // noise, so that intervals have a width
		p.Runs[i].Computation *= 1 + .1*r.Float64()
		for j := range p.Seconds[i] {
			p.Seconds[i][j] *= 1 + .1*r.Float64()
		}
	}
	var m Model
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	q := perfmodel.Query{Features: []float64{12}, Processes: []int{1, 2, 5, 64}, Level: .8, Mean: true}
	whole, part, want := make([]perfmodel.Estimate, 4), make([]perfmodel.Estimate, 4), make([]perfmodel.Estimate, 4)
	computation, networks := m.Parts()
	if err := errors.Join(m.EstimateTo(whole, q), computation.EstimateTo(want, q)); err != nil {
		t.Fatal(err)
	}
	for _, n := range networks {
		if err := n.EstimateTo(part, q); err != nil {
			t.Fatal(err)
		}
		for i, e := range part {
			want[i].Seconds += e.Seconds
			want[i].Lower += e.Lower
			want[i].Upper += e.Upper
			want[i].Mean += e.Mean
		}
	}
	if d := cmp.Diff(want, whole); d != "" || !(whole[3].Lower < whole[3].Seconds && whole[3].Seconds < whole[3].Upper) {
		t.Errorf("%s, %+v", d, whole[3])
	}
}

// A file of an earlier run is found by its time: a process began after the first had ended.
func TestMeanOfMixedRuns(t *testing.T) {
	at := func(started, seconds float64) Process { return Process{Started: started, Seconds: seconds} }
	for _, c := range []struct {
		list []Process
		want error
	}{
		{[]Process{at(1000, 50), at(1003, 60)}, nil},
		{[]Process{at(1000, 50), at(1060, 60)}, nil}, // clocks that differ by ten seconds
		{[]Process{at(1000, 50), at(1061, 60)}, ErrMixed},
		{[]Process{at(1061, 60), at(1000, 50)}, ErrMixed},
		{[]Process{at(900, 300), at(1000, 50), at(1061, 5)}, ErrMixed}, // the second ends first
		{[]Process{at(0, 50), at(1061, 60)}, nil},                      // not said when
		{[]Process{at(500, 10), at(505, 100), at(530, 1)}, ErrMixed},
		{nil, ErrMissing},
	} {
		r, err := Mean(c.list)
		if !errors.Is(err, c.want) || err == nil && r.Processes != len(c.list) {
			t.Errorf("%+v: %+v, %v, want %v", c.list, r, err, c.want)
		}
	}
}

// Which functions have models of their own: those that take time in every run on more than one
// process. The times of the others go together, to the longest function if they do not suffice
// for a model.
func TestSplit(t *testing.T) {
	runs := func(processes ...int) (r []perfmodel.Run) {
		for _, n := range processes {
			r = append(r, perfmodel.Run{Processes: n, Seconds: 10, Repetitions: 1})
		}
		return r
	}
	for name, c := range map[string]struct {
		functions []string
		seconds   [][]float64 // of each run
		want      []string
		times     [][]float64 // of each function
	}{
		"all":                   {[]string{"MPI_A", "MPI_B"}, [][]float64{{0, 0}, {1, 2}, {3, 4}}, []string{"MPI_A", "MPI_B"}, [][]float64{{0, 1, 3}, {0, 2, 4}}},
		"one process":           {[]string{"MPI_A", "MPI_B"}, [][]float64{{5, 6}, {1, 2}, {3, 4}}, []string{"MPI_A", "MPI_B"}, [][]float64{{5, 1, 3}, {6, 2, 4}}},
		"rest to the longest":   {[]string{"MPI_A", "MPI_B", "MPI_C"}, [][]float64{{0, 0, 0}, {1, 2, .5}, {3, 4, 0}}, []string{"MPI_A", "MPI_B"}, [][]float64{{0, 1, 3}, {0, 2.5, 4}}},
		"the longest is first":  {[]string{"MPI_A", "MPI_B", "MPI_C"}, [][]float64{{0, 0, 0}, {4, 2, .5}, {3, 1, 0}}, []string{"MPI_A", "MPI_B"}, [][]float64{{0, 4.5, 3}, {0, 2, 1}}},
		"rests together":        {[]string{"MPI_A", "MPI_B", "MPI_C"}, [][]float64{{0, 0, 0}, {1, 0, .5}, {3, 4, 0}}, []string{"MPI_A", other}, [][]float64{{0, 1, 3}, {0, .5, 4}}},
		"nothing but rests":     {[]string{"MPI_B", "MPI_C"}, [][]float64{{0, 0}, {0, .5}, {0, 0}}, []string{other}, [][]float64{{0, .5, 0}}},
		"not called at all":     {[]string{"MPI_A", "MPI_B"}, [][]float64{{0, 0}, {1, 0}, {3, 0}}, []string{"MPI_A"}, [][]float64{{0, 1, 3}}},
		"called on one process": {[]string{"MPI_A", "MPI_B"}, [][]float64{{0, 7}, {1, 0}, {3, 0}}, []string{"MPI_A"}, [][]float64{{0, 1, 3}}},
	} {
		p := Profile{Profile: perfmodel.Profile{Runs: runs(1, 2, 4)}, Functions: c.functions, Seconds: c.seconds}
		names, times := split(&p)
		if d := cmp.Diff(c.want, names) + cmp.Diff(c.times, times); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
