package forecast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// BenchmarkUpdate updates one model again and again, each update waiting for the one
// before. Adaptive models have the original rule, and the lagged one too. Models with a
// season are fitted before.
func BenchmarkUpdate(b *testing.B) {
	run := func(name string, m Model) {
		b.Run(name, func(b *testing.B) {
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				m.Update(airPassengers[i])
				if i++; i == len(airPassengers) {
					i = 0
				}
			}
		})
	}
	for _, name := range Names() {
		m, err := New(name)
		if err != nil {
			b.Fatal(err)
		}
		switch m.(type) {
		case *Mean, *SeasonalNaive, *HoltWinters, *Harmonic, *Autoregression, *Auto: // with a season of 12
			if _, err := m.Fit(new(Fitter), airPassengers); err != nil {
				b.Fatal(err)
			}
		}
		run("model="+name, m)
		switch m := m.(type) {
		case *AdaptiveSimple:
			run("model="+name+"/rule=lagged", &AdaptiveSimple{Rule: TriggLeach{Lagged: true}})
		case *AdaptiveHolt:
			run("model="+name+"/rule=lagged", &AdaptiveHolt{Model: m.Model, Rule: TriggLeach{Lagged: true}})
		case *AdaptiveTriple:
			run("model="+name+"/rule=lagged", &AdaptiveTriple{Model: m.Model, Gamma: m.Gamma, Rule: TriggLeach{Lagged: true}})
		}
	}
}

// BenchmarkFit fits to 144 points, all known or five of them missing; the SSE is that of
// one-step errors.
func BenchmarkFit(b *testing.B) {
	gaps := slices.Clone(airPassengers)
	for i := 14; i < len(gaps); i += 29 {
		gaps[i] = math.NaN()
	}
	for _, series := range [][]float64{airPassengers, gaps} {
		missing := 0
		for _, x := range series {
			if x != x {
				missing++
			}
		}
		for _, name := range Names() {
			b.Run(fmt.Sprintf("model=%s/points=144/missing=%d", name, missing), func(b *testing.B) {
				m, err := New(name)
				if err != nil {
					b.Fatal(err)
				}
				var f Fitter
				var fit Fit
				b.ReportAllocs()
				for b.Loop() {
					if fit, err = m.Fit(&f, series); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(fit.SSE, "SSE")
				b.ReportMetric(float64(fit.Evaluations), "evaluations")
			})
		}
	}
}

// BenchmarkM4 is the table of the package documentation. It fits and forecasts the
// weekly series of the M4 competition: all 359 series for 13 weeks, and for 52 and 156
// weeks the 294 series that have two years before the forecast. Forecasts are within
// [0, 2] times the peak.
func BenchmarkM4(b *testing.B) {
	if os.Getenv(shared.Env) == "" {
		b.Skip(shared.Env, " is not set")
	}
	for _, horizon := range []int{13, 52, 156} {
		train, actual := weekly(b)
		if horizon > 13 {
			train, actual = yearsAhead(b, horizon)
		}
		for _, name := range Names() {
			b.Run(fmt.Sprintf("horizon=%d/model=%s", horizon, name), func(b *testing.B) {
				m, err := New(name)
				if err != nil {
					b.Fatal(err)
				}
				var t Backtester
				var s Score
				p := &Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2}}
				b.ReportAllocs()
				for b.Loop() {
					if s, err = t.Evaluate(p, train, actual); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(s.MASE, "MASE")
				b.ReportMetric(s.SMAPE, "sMAPE")
				b.ReportMetric(s.Coverage, "coverage")
			})
		}
	}
}

// BenchmarkM4Hourly is the other table: half of the hourly series of the M4 competition, 207
// of 414, two days ahead, a season of 24, MASE by what came a day before.
func BenchmarkM4Hourly(b *testing.B) {
	if os.Getenv(shared.Env) == "" {
		b.Skip(shared.Env, " is not set")
	}
	train, actual := readSeries(b, "forecast/M4_Hourly-half-train.csv.gz"), readSeries(b, "forecast/M4_Hourly-half-test.csv.gz")
	for _, name := range Names() {
		b.Run("horizon=48/model="+name, func(b *testing.B) {
			m, err := New(name)
			if err != nil {
				b.Fatal(err)
			}
			t := Backtester{Fitter: Fitter{Season: 24}}
			var s Score
			p := &Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2}}
			b.ReportAllocs()
			for b.Loop() {
				if s, err = t.Evaluate(p, train, actual); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(s.MASE, "MASE")
			b.ReportMetric(s.SMAPE, "sMAPE")
			b.ReportMetric(s.Coverage, "coverage")
		})
	}
}

// BenchmarkForecast has three years of weeks, and their quantiles.
func BenchmarkForecast(b *testing.B) {
	for _, name := range []string{"holt", "damped", "midpoint", "blend"} {
		m, err := New(name)
		if err != nil {
			b.Fatal(err)
		}
		var f Fitter
		p := &Predictor{Model: m}
		if _, err := p.Fit(&f, airPassengers); err != nil {
			b.Fatal(err)
		}
		dst := make([]float64, 156)
		b.Run("what=mean/steps=156/model="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Forecast(dst)
			}
		})
		b.Run("what=quantile/steps=156/model="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Quantile(dst, .9)
			}
		})
	}
}

// BenchmarkPaths draws 1000 futures of a quarter of a year.
func BenchmarkPaths(b *testing.B) {
	var f Fitter
	p := Predictor{Model: &Holt{Phi: .9}}
	if _, err := p.Fit(&f, airPassengers); err != nil {
		b.Fatal(err)
	}
	paths := make([][]float64, 1000)
	for i := range paths {
		paths[i] = make([]float64, 13)
	}
	rng := rand.New(rand.NewPCG(19, 20)) // seed 19, 20
	b.ReportAllocs()
	for b.Loop() {
		p.Paths(paths, rng)
	}
}

// BenchmarkUpdateLimit is the arithmetic alone of adaptive simple smoothing, with its
// state in registers and without a look at missing values or limits of the factor: what
// an update with the same bits cannot be faster than, since each operation waits for the
// one before. rule=product has a multiplication in place of the division, and other bits.
func BenchmarkUpdateLimit(b *testing.B) {
	const phi = DefaultPhi
	for _, c := range []struct {
		rule string
		pass func(l float64) float64
	}{
		{"original", func(l float64) float64 {
			signal, size := 0.0, 1.0
			for _, x := range airPassengers {
				e := x - l
				signal += phi * (e - signal)
				size += phi * (math.Abs(e) - size)
				l += math.Abs(signal/size) * e
			}
			return l
		}},
		{"lagged", func(l float64) float64 {
			signal, size, f := 0.0, 1.0, DefaultAlpha0
			for _, x := range airPassengers {
				e := x - l
				l += f * e
				signal += phi * (e - signal)
				size += phi * (math.Abs(e) - size)
				f = math.Abs(signal / size)
			}
			return l
		}},
		{"product", func(l float64) float64 {
			signal, size := 0.0, 1.0
			for _, x := range airPassengers {
				e := x - l
				signal += phi * (e - signal)
				size += phi * (math.Abs(e) - size)
				l += math.Abs(signal*size*1e-6) * e
			}
			return l
		}},
	} {
		b.Run("model=adaptive-simple/rule="+c.rule, func(b *testing.B) {
			l := airPassengers[0]
			for b.Loop() {
				l = min(1000, c.pass(l))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(airPassengers)), "ns/update")
		})
	}
}
