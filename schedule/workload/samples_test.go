package workload

import (
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// cutMoments returns E[x] and E[x²] of an exponential of the given mean whose
// draws above limit are drawn again, by numerical integration.
func cutMoments(mean, limit float64) (m1, m2 float64) {
	const steps = 100_000
	h, mass := limit/steps, 0.
	for i := range steps {
		x := (float64(i) + .5) * h
		d := math.Exp(-x/mean) * h
		mass += d
		m1 += x * d
		m2 += x * x * d
	}
	return m1 / mass, m2 / mass
}

// mixture returns mean and standard deviation of a hyperexponential.
func mixture(h hyperexponential, long float64) (mean, deviation float64) {
	s1, s2 := cutMoments(h.short, h.limit)
	l1, l2 := cutMoments(h.long, h.limit)
	mean = (1-long)*s1 + long*l1
	return mean, math.Sqrt((1-long)*s2 + long*l2 - mean*mean)
}

// The fitted numbers give the reported moments, to a tenth of a percent
// ([Marshall12] section V.A).
func TestFittedMoments(t *testing.T) {
	for _, c := range []struct {
		name            string
		h               hyperexponential
		long            float64
		mean, deviation float64 // min
	}{
		{"feitelson", feitelsonTimes, feitelsonLong, 71.50, 207.24},
		{"grid5000", grid5000Times, grid5000Long, 113.03, 251.20},
	} {
		mean, deviation := mixture(c.h, c.long)
		if math.Abs(mean/60/c.mean-1) > .001 || math.Abs(deviation/60/c.deviation-1) > .001 {
			t.Errorf("%s: %.2f ± %.2f min, want %.2f ± %.2f", c.name, mean/60, deviation/60, c.mean, c.deviation)
		}
	}
	m := newFeitelson()
	if last := m.sizes[63]; math.Abs(last-1) > 1e-12 {
		t.Errorf("the shares of sizes add up to %v", last)
	}
	for n, want := range map[int]float64{8: 146, 32: 32, 64: 68} {
		if got := FeitelsonJobs * (m.sizes[n-1] - m.sizes[n-2]); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v jobs of %d cores expected, want %v", got, n, want)
		}
	}
}

func cores(n int) func([]trace.Job) float64 {
	return func(jobs []trace.Job) float64 {
		k := 0.
		for _, j := range jobs {
			if j.Nodes == n {
				k++
			}
		}
		return k
	}
}

func column(jobs []trace.Job, of func(trace.Job) float64) []float64 {
	x := make([]float64, len(jobs))
	for i, j := range jobs {
		x[i] = of(j)
	}
	return x
}

func minutes(j trace.Job) float64 { return j.Run.Minutes() }
func nodes(j trace.Job) float64   { return float64(j.Nodes) }

// Samples against what [Marshall12] section V.A reports of its own: the mean over
// 300 seeds within a tolerance of it, and the reported value among those that
// samples have, in the middle nine tenths of them. Tolerances are five standard
// errors of a mean over 300 seeds, and more than twice the distance that is seen.
func TestReportedFigures(t *testing.T) {
	type figure struct {
		name      string
		of        func([]trace.Job) float64
		reported  float64
		tolerance float64
	}
	feitelsonFigures := []figure{
		{"jobs of 8 cores", cores(8), 146, 7},
		{"jobs of 32 cores", cores(32), 32, 3.3},
		{"jobs of 64 cores", cores(64), 68, 4.8},
		{"mean run time, min", func(j []trace.Job) float64 { return stat.Mean(column(j, minutes), nil) }, 71.50, 4},
		{"deviation, min", func(j []trace.Job) float64 { return stat.StdDev(column(j, minutes), nil) }, 207.24, 8},
		{"longest, h", func(j []trace.Job) float64 { return slices.Max(column(j, minutes)) / 60 }, 23.58, 1.4},
		{"shortest, s", func(j []trace.Job) float64 { return slices.Min(column(j, minutes)) * 60 }, .3123, .1},
		{"last submission, days", func(j []trace.Job) float64 { return j[len(j)-1].Submit.Hours() / 24 }, 6, .05},
	}
	grid5000Figures := []figure{
		{"jobs of 1 core", cores(1), 733, 0},
		{"most cores", func(j []trace.Job) float64 { return slices.Max(column(j, nodes)) }, 50, 1.5},
		{"mean run time, min", func(j []trace.Job) float64 { return stat.Mean(column(j, minutes), nil) }, 113.03, 2.3},
		{"deviation, min", func(j []trace.Job) float64 { return stat.StdDev(column(j, minutes), nil) }, 251.20, 4.5},
		{"last submission, days", func(j []trace.Job) float64 { return j[len(j)-1].Submit.Hours() / 24 }, 10, .05},
	}
	const seeds = 300
	check := func(name string, figures []figure, sample func(seed uint64) []trace.Job) {
		values := make([][]float64, len(figures))
		for seed := range uint64(seeds) {
			jobs := sample(seed)
			for i, f := range figures {
				values[i] = append(values[i], f.of(jobs))
			}
		}
		for i, f := range figures {
			v := values[i]
			mean := stat.Mean(v, nil)
			slices.Sort(v)
			lo, hi := v[seeds/20], v[seeds-1-seeds/20]
			t.Logf("%s: %s: %.2f, middle nine tenths %.2f to %.2f; reported %v", name, f.name, mean, lo, hi, f.reported)
			if math.Abs(mean-f.reported) > f.tolerance {
				t.Errorf("%s: %s: %v over %d seeds, want %v ± %v", name, f.name, mean, seeds, f.reported, f.tolerance)
			}
			if day := f.name == "last submission, days"; !day && (f.reported < lo || f.reported > hi) {
				t.Errorf("%s: %s: %v is not from %v to %v", name, f.name, f.reported, lo, hi)
			}
		}
	}
	feitelson := func(seed uint64) []trace.Job {
		jobs, err := AppendFeitelson(nil, newRand(seed), FeitelsonJobs, SampleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	check("feitelson", feitelsonFigures, feitelson)
	check("grid5000", grid5000Figures, func(seed uint64) []trace.Job {
		jobs, err := AppendGrid5000(nil, newRand(seed), Grid5000Jobs, SampleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	})

	// Weakly correlated, and repeated.
	var sum, repeats float64
	for seed := range uint64(seeds) {
		jobs := feitelson(seed)
		sum += stat.Correlation(column(jobs, nodes), column(jobs, minutes), nil)
		for i, j := range jobs {
			if i > 0 && j.Nodes == jobs[i-1].Nodes && j.Run == jobs[i-1].Run {
				repeats++
			}
		}
	}
	if c := sum / seeds; c < .07 || c > .14 {
		t.Errorf("correlation of size and run time %.3f, want about .1", c)
	}
	// E r = Σ r^−1.5 / Σ r^−2.5 = 1.69 over 1 to 32, and 1 − 1/E r of the jobs are
	// repetitions of the job before.
	s1, s2 := 0., 0.
	for r := 1.; r <= 32; r++ {
		s1 += math.Pow(r, -1.5)
		s2 += math.Pow(r, -2.5)
	}
	if got, want := repeats/seeds/FeitelsonJobs, 1-s2/s1; math.Abs(got-want) > .01 {
		t.Errorf("%.3f of the jobs repeat the one before, want %.3f", got, want)
	}
}

// The jobs of a seed, for ever and everywhere. The hashes are those of the first
// run of this code.
func TestSamplesPinned(t *testing.T) {
	hash := func(jobs []trace.Job, err error) uint64 {
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		for _, j := range jobs {
			for _, v := range []int64{j.ID, int64(j.Submit), int64(j.Run), int64(j.Nodes)} {
				for s := 0; s < 64; s += 8 {
					h.Write([]byte{byte(v >> s)})
				}
			}
		}
		return h.Sum64()
	}
	for _, c := range []struct {
		name string
		got  uint64
		want uint64
	}{
		{"feitelson", hash(AppendFeitelson(nil, newRand(1), 1001, SampleOptions{})), 0x4bff8118ff5d98db},
		{"feitelson, campaigns", hash(AppendFeitelson(nil, newRand(1), 1001, SampleOptions{Arrivals: Campaigns})), 0xcbb478c427d6a4a8},
		{"grid5000", hash(AppendGrid5000(nil, newRand(1), 1061, SampleOptions{})), 0x371a2b1991f59508},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, c.got, c.want)
		}
	}
}

// Every job of a sample can be replayed, comes in order, and is the same for the
// same seed, behind what dst holds too.
func TestPropSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := SampleOptions{
			Span:         time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "span")),
			Arrivals:     Arrivals(rapid.IntRange(0, 1).Draw(t, "arrivals")),
			CampaignJobs: rapid.IntRange(0, 200).Draw(t, "campaign"),
			CampaignGap:  time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "gap")),
		}
		n := rapid.IntRange(0, 300).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		most, unit, limit := FeitelsonCores, time.Millisecond, 24*time.Hour
		run := AppendFeitelson
		if rapid.Bool().Draw(t, "grid5000") {
			run = AppendGrid5000
			most, unit, limit = Grid5000Cores, time.Second, 36*time.Hour
		}
		jobs, err := run(nil, newRand(seed), n, o)
		must(t, err)
		if len(jobs) != n {
			t.Fatalf("%d jobs, want %d", len(jobs), n)
		}
		var last time.Duration
		for i, j := range jobs {
			switch {
			case j.ID != int64(i+1):
				t.Fatalf("job %d has id %d", i+1, j.ID)
			case j.Submit < last || j.Submit%time.Second != 0:
				t.Fatalf("submission %v after %v", j.Submit, last)
			case o.Arrivals == Poisson && o.Span != 0 && j.Submit > o.Span:
				t.Fatalf("submission %v after the span %v", j.Submit, o.Span)
			case j.Run < unit || j.Run%unit != 0 || j.Run > limit || j.Estimate != j.Run:
				t.Fatalf("run time %v, estimate %v", j.Run, j.Estimate)
			case j.Nodes < 1 || j.Nodes > most:
				t.Fatalf("%d nodes", j.Nodes)
			case j.User != -1 || j.Queue != -1 || j.Wait != -1:
				t.Fatalf("job %+v", j)
			}
			last = j.Submit
		}
		again, err := run([]trace.Job{{ID: 42}}, newRand(seed), n, o)
		must(t, err)
		if again[0].ID != 42 || !slices.Equal(jobs, again[1:]) {
			t.Fatalf("the same seed gives other jobs (-want +got):\n%s", cmp.Diff(jobs, again[1:]))
		}
	})
}

func TestSampleErrors(t *testing.T) {
	for _, c := range []struct {
		n     int
		o     SampleOptions
		field string
	}{
		{10, SampleOptions{Span: -1}, "Span"},
		{10, SampleOptions{Span: math.MaxInt64}, "Span"},
		{maxJobs, SampleOptions{}, "Span"},
		{math.MaxInt / 2, SampleOptions{}, "n"},
		{10, SampleOptions{Arrivals: 2}, "Arrivals"},
		{10, SampleOptions{CampaignJobs: -1}, "CampaignJobs"},
		{10, SampleOptions{CampaignGap: -time.Second}, "CampaignGap"},
	} {
		for name, run := range map[string]func() ([]trace.Job, error){
			"feitelson": func() ([]trace.Job, error) { return AppendFeitelson([]trace.Job{{}}, newRand(1), c.n, c.o) },
			"grid5000":  func() ([]trace.Job, error) { return AppendGrid5000([]trace.Job{{}}, newRand(1), c.n, c.o) },
		} {
			dst, err := run()
			var input *inputerr.Error
			if !errors.As(err, &input) || input.Field != c.field || !errors.Is(err, ErrRange) || len(dst) != 1 {
				t.Errorf("%s, %d jobs, %+v: %d jobs and error %v, want field %s", name, c.n, c.o, len(dst), err, c.field)
			}
		}
	}
	// Campaigns that do not end: a job after 200 years.
	_, err := AppendFeitelson(nil, newRand(1), 1000, SampleOptions{Arrivals: Campaigns, CampaignGap: maxSpan})
	if !errors.Is(err, ErrClock) {
		t.Errorf("gaps of 100 years: %v, want ErrClock", err)
	}
	for name, f := range map[string]func(){
		"nil source": func() { AppendFeitelson(nil, nil, 1, SampleOptions{}) },
		"negative n": func() { AppendGrid5000(nil, newRand(1), -1, SampleOptions{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestArrivalsText(t *testing.T) {
	for _, a := range []Arrivals{Poisson, Campaigns} {
		text, err := a.MarshalText()
		var back Arrivals
		if err != nil || back.UnmarshalText(text) != nil || back != a {
			t.Errorf("%v: %q, %v, back %v", a, text, err, back)
		}
	}
	var a Arrivals
	if err := a.UnmarshalText([]byte("weekly")); err == nil {
		t.Error("weekly is a pattern of arrivals")
	}
	if _, err := Arrivals(7).MarshalText(); err == nil {
		t.Error("Arrivals(7) has a text")
	}
}
