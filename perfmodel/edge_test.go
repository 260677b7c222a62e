package perfmodel

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// The cheapest by compute unit is neither the cheapest nor the last.
func TestCheapestPerUnit(t *testing.T) {
	for _, c := range []struct {
		units []float64
		cents []int64
		want  int
	}{
		{[]float64{1, 4, 2}, []int64{10, 30, 19}, 1},
		{[]float64{4, 1, 8}, []int64{30, 7, 61}, 1},
		{[]float64{.5, .25}, []int64{10, 6}, 0},
		{[]float64{.5, .25}, []int64{10, 5}, 0}, // a tie
		{[]float64{.25, .5}, []int64{6, 10}, 1},
	} {
		var list []InstanceType
		for i, u := range c.units {
			in := Huang13InstanceTypes()[0]
			in.ComputeUnits, in.Hourly = u, pricing.Money(c.cents[i])*pricing.Unit/100
			list = append(list, in)
		}
		if got, err := CheapestPerUnit(list); err != nil || got != c.want {
			t.Errorf("%v units for %v cents: %d, %v, want %d", c.units, c.cents, got, err, c.want)
		}
	}
}

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

// curveTo is an estimator whose estimates are as far beyond a profile of 4 processes as they
// are; bad is a number of processes whose time no Duration holds.
type curveTo struct{ bad int }

func (s curveTo) EstimateTo(dst []Estimate, q Query) error {
	for i, p := range q.Processes {
		dst[i] = Estimate{Processes: p, Seconds: 100 / float64(p), Upper: 100 / float64(p), Lower: 100 / float64(p), Scale: float64(p) / 4}
		if p == s.bad {
			dst[i].Seconds = 1e300
		}
	}
	return nil
}

// A number of processes exactly at the limit is looked at, and an error names the one that
// it is about, also behind the first batch of numbers.
func TestSizesAtTheLimit(t *testing.T) {
	in := Huang13InstanceTypes()[3]
	target := Target{Deadline: time.Hour, Counts: []int{4, 8, 9}, MaxScale: 2, Goal: LeastTime}
	var s Sizer
	got, err := s.Size(curveTo{}, in, target)
	if err != nil || got.Verdict != Fits || got.Best.Processes != 8 || got.Withheld != 1 {
		t.Errorf("%+v, %v, want 8 processes and 9 withheld", got, err)
	}
	if sizes, err := s.AppendSizes(nil, curveTo{}, in, target); err != nil || len(sizes) != 2 || sizes[1].Processes != 8 {
		t.Errorf("%+v, %v, want those of 4 and 8", sizes, err)
	}
	target.MaxScale, target.Counts = 1e9, nil
	for p := range 600 {
		target.Counts = append(target.Counts, p+1)
	}
	for _, bad := range []int{1, 2, 256, 257, 600} {
		_, err := s.AppendSizes(nil, curveTo{bad}, in, target)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("[%d]", bad-1)) {
			t.Errorf("%d processes take too long: %v, want index %d", bad, err, bad-1)
		}
		_, err2 := s.Size(curveTo{bad}, in, target)
		if err2 == nil || err == nil || err2.Error() != err.Error() {
			t.Errorf("Size says %v, AppendSizes %v", err2, err)
		}
	}
}

// countsCalls fails on numbers of processes from bad on, and counts how often it is asked.
type countsCalls struct{ bad, calls int }

func (s *countsCalls) EstimateTo(dst []Estimate, q Query) error {
	s.calls++
	if i := slices.Index(q.Processes, s.bad); i >= 0 {
		return badInput("Processes", i, ErrNotFinite, "%d", s.bad)
	}
	return curveTo{}.EstimateTo(dst, q)
}

// What cannot be estimated is asked again only where its index counts from another number.
func TestAskedAgainForTheIndex(t *testing.T) {
	target := Target{Deadline: time.Hour}
	for p := range 300 {
		target.Counts = append(target.Counts, p+1)
	}
	for bad, calls := range map[int]int{7: 1, 280: 3} {
		e := countsCalls{bad: bad}
		_, err := new(Sizer).Size(&e, Huang13InstanceTypes()[3], target)
		var in *InputError
		if !errors.As(err, &in) || in.Index != bad-1 || e.calls != calls {
			t.Errorf("%d processes: %v, asked %d times, want %d", bad, err, e.calls, calls)
		}
	}
}
