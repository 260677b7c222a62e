package mpiprofile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// A model whose last Fit failed estimates nothing, whichever part failed: the old
// coefficients belong to other runs.
func TestFailedFit(t *testing.T) {
	longer := exact()
	for i := range longer.Runs { // functions take longer than the run, which does not say how it splits
		longer.Runs[i].Split = false
		longer.Runs[i].Seconds = longer.Runs[i].Communication
	}
	none := exact()
	none.Functions = nil
	for i := range none.Seconds {
		none.Seconds[i] = nil
	}
	for name, wrong := range map[string]Profile{"no computation": longer, "no functions": none, "no runs": {}} {
		var m Model
		p := exact()
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
		if err := m.Fit(&wrong); err == nil {
			t.Errorf("%s: fitted", name)
		}
		err := m.EstimateTo(make([]perfmodel.Estimate, 1), perfmodel.Query{Features: []float64{1}, Processes: []int{2}})
		if !errors.Is(err, perfmodel.ErrNotFitted) {
			t.Errorf("%s: estimates after a failed Fit: %v", name, err)
		}
	}
}

func TestMPIPLines(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     error
		line     int
	}{
		{"   1       10.5        2.7     25.71", "   1       10.5", ErrTruncated, 12},
		{"   1       10.5        2.7     25.71", "   1       10.5        x     25.71", ErrSyntax, 12},
		{"Barrier              1    1      2      300      250", "Barrier              1    1      2      300      x", ErrSyntax, 31},
		{"Barrier              1    1      2      300      250      200   4.76  18.52", "Barrier              1    1      2      300", ErrTruncated, 31},
		{"@--- End of Report ", "@--- Report ", ErrTruncated, 40},
	} {
		text := strings.Replace(report, c.old, c.new, 1)
		_, err := ReadMPIP(strings.NewReader(text))
		var bad *inputerr.Error
		if text == report || !errors.Is(err, c.want) || !errors.As(err, &bad) || bad.Line != c.line {
			t.Errorf("%q in place of %q: %v, want %v on line %d", c.new, c.old, err, c.want, c.line)
		}
	}
	// A report need not say to which nodes the tasks are assigned.
	text := strings.ReplaceAll(report, "@ MPI Task Assignment ", "@ Collector Rank ")
	if r, err := ReadMPIP(strings.NewReader(text)); err != nil || r.Processes != 2 {
		t.Errorf("no assignment: %+v, %v", r, err)
	}
}

// The largest count that is taken is maxCount; a greater one is not what TAU writes.
func TestTAUCounts(t *testing.T) {
	for n, want := range map[int]error{maxCount: ErrTruncated, maxCount + 1: ErrSyntax} {
		for _, text := range []string{
			fmt.Sprintf("%d templated_functions\n# Name\n", n),
			fmt.Sprintf("1 templated_functions\n# Name\n\"f\" 1 0 2 5 0\n0 aggregates\n%d userevents\n# name\n", n),
		} {
			if _, err := ReadTAU(strings.NewReader(text)); !errors.Is(err, want) {
				t.Errorf("%q: %v, want %v", text, err, want)
			}
		}
	}
	// A quote that no space follows is part of the name, even before five numbers.
	p, err := ReadTAU(strings.NewReader("1 templated_functions\n# Name\n\"MPI_A(\"1 2 3 4 5 x\" 7 0 2e6 5e6 0 GROUP=\"MPI\"\n0 aggregates\n"))
	if err != nil || len(p.Functions) != 1 || p.Functions[0] != (Function{"MPI_A", 7, 2}) || p.Seconds != 5 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestProfilesFail(t *testing.T) {
	failed := errors.New("failed")
	if _, err := ReadProfiles(iotest.ErrReader(failed)); err != failed {
		t.Errorf("%v, want the error of the source", err)
	}
	_, err := ReadProfiles(strings.NewReader("application,processes,seconds,MPI_A\na,1,5,1\na,1,5,\"1\"x\n"))
	if err == nil || !strings.Contains(err.Error(), "want cells with commas between them") {
		t.Errorf("a quote within a cell: %v", err)
	}
}
