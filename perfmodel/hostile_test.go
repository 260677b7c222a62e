package perfmodel

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A mean of times is positive however far from the profile it is.
func TestMeanIsPositive(t *testing.T) {
	p := Profile{Runs: []Run{
		{Processes: 1, Seconds: 85.98, Repetitions: 1},
		{Processes: 2, Seconds: 18.2, Repetitions: 1},
		{Processes: 4, Seconds: 40.73, Repetitions: 1},
	}}
	var m LogLinear
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	var e [3]Estimate
	if err := m.EstimateTo(e[:], Query{Processes: []int{4, 16, 1024}, Mean: true}); err != nil {
		t.Fatal(err)
	}
	for _, e := range e {
		if !(e.Mean > 0) {
			t.Errorf("%d processes: mean of %v seconds", e.Processes, e.Mean)
		}
	}
	if at, beyond := logMean(1, 1, 0.7, 2), logMean(1, math.Nextafter(1, 2), 0.7, 2); math.Abs(at-beyond) > 1e-12 {
		t.Errorf("mean of %v with a leverage of 1, and %v just above", at, beyond)
	}
}

// What ReadProfiles refuses or would change is not written.
func TestWriteProfilesRefuses(t *testing.T) {
	for name, edit := range map[string]func(*Profile){
		"application": func(p *Profile) { p.Application = " a" },
		"case":        func(p *Profile) { p.Runs[0].Case = "a\r\nb" },
		"feature":     func(p *Profile) { p.Features[0] = "x\r\ny" },
		"processes":   func(p *Profile) { p.Runs[0].Processes = math.MaxInt32; p.Runs[0].Processes++ },
		"repetitions": func(p *Profile) { p.Runs[0].Repetitions = math.MaxInt32; p.Runs[0].Repetitions++ },
		"no run":      func(p *Profile) { p.Runs = nil },
	} {
		p := Profile{Application: "a", Features: []string{"x"}, Runs: []Run{{Features: []float64{1}, Processes: 1, Seconds: 1, Repetitions: 1}}}
		edit(&p)
		var in *inputerr.Error
		if err := WriteProfiles(io.Discard, []Profile{p}); !errors.As(err, &in) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAppendCountsToMaxInt(t *testing.T) {
	panics(t, "any", func() { AppendCounts(nil, AnyCount, 1, math.MaxInt) })
	if math.MaxInt > math.MaxInt32 {
		panics(t, "squares", func() { AppendCounts(nil, Squares, 1, math.MaxInt) })
	}
	if got := AppendCounts(nil, AnyCount, math.MaxInt, math.MaxInt); !slices.Equal(got, []int{math.MaxInt}) {
		t.Errorf("any: %v", got)
	}
	if got := AppendCounts(nil, PowersOfTwo, math.MaxInt/2, math.MaxInt); !slices.Equal(got, []int{math.MaxInt/2 + 1}) {
		t.Errorf("powers: %v", got)
	}
	k := int(math.Sqrt(math.MaxInt)) - 1
	if got := AppendCounts(nil, Squares, k*k, k*k); !slices.Equal(got, []int{k * k}) {
		t.Errorf("squares: %v", got)
	}
}

// Numbers of processes that no machine has are still powers of two, or squares, or neither.
func TestLikelyCountsOfHugeRuns(t *testing.T) {
	for _, c := range []struct {
		processes []int
		want      Counts
	}{
		{[]int{1, 1 << 30}, PowersOfTwo}, {[]int{1, 9, 46340 * 46340}, Squares}, {[]int{46340*46340 - 1}, AnyCount},
		{[]int{46340*46340 + 1}, AnyCount}, {[]int{math.MaxInt}, AnyCount}, {[]int{1, 2}, AnyCount}, {[]int{2, 9}, AnyCount},
		{[]int{4}, PowersOfTwo}, {[]int{4, 9}, Squares}, {[]int{3, 4}, AnyCount},
	} {
		var p Profile
		for _, n := range c.processes {
			p.Runs = append(p.Runs, Run{Processes: n, Seconds: 1, Repetitions: 1})
		}
		if got := p.LikelyCounts(); got != c.want {
			t.Errorf("%d: %v, want %v", c.processes, got, c.want)
		}
	}
}

// What has too few numbers is an error, and what does not exist panics with the package's name.
func TestMissingParts(t *testing.T) {
	short := Profile{Application: "cfd", Features: []string{"cells", "steps"}, Runs: []Run{{Features: []float64{7}}}}
	if _, err := short.Arrange([]string{"steps", "cells"}); !errors.Is(err, ErrMissing) {
		t.Errorf("a number for two features: %v", err)
	}
	for name, f := range map[string]func(){
		"longest": func() { new(Profile).Longest() },
		"machine": func() { new(Machine).Application(0) },
	} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "perfmodel: ") {
					t.Errorf("%s: panic %q", name, m)
				}
			}()
			f()
		}()
	}
}
