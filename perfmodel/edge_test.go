package perfmodel

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// A model of two parts that could not be fitted estimates nothing, though one of its parts
// was fitted before.
func TestCAP3FailedFit(t *testing.T) {
	p := Profile{Features: []string{"n"}}
	for _, n := range []float64{1, 3, 9} {
		for _, procs := range []int{1, 2, 4} {
			r := Run{Processes: procs, Features: []float64{n}, Split: true, Repetitions: 1, Computation: n / float64(procs), Communication: .1 * n * float64(procs-1)}
			r.Seconds = r.Computation + r.Communication
			p.Runs = append(p.Runs, r)
		}
	}
	var m CAP3
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	if _, err := At(&m, []float64{2}, 2); err != nil {
		t.Fatal(err)
	}
	p.Runs = p.Runs[:1]
	if err := m.Fit(&p); err == nil {
		t.Error("a profile of one run is enough")
	}
	if _, err := At(&m, []float64{2}, 2); !errors.Is(err, ErrNotFitted) {
		t.Errorf("after a failed Fit: %v, want %v", err, ErrNotFitted)
	}
}

// What a profile says of the decimals of its times is read from how they are written.
func TestDecimals(t *testing.T) {
	for text, want := range map[string]float64{"12": 1, "12.5": .1, "12.50": .01, "1.25e1": .1, "1.2e3": 1, "125e-2": .01, "0x1.9p3": 1} {
		list, err := ReadProfiles(strings.NewReader("application,processes,seconds,n\na,1," + text + ",1\n"))
		if err != nil || len(list) != 1 || math.Abs(list[0].Runs[0].Resolution-want) > want/1e9 {
			t.Errorf("%s: %+v, %v, want %v", text, list, err, want)
		}
	}
}
