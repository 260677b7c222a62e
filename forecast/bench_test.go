package forecast

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/shared"
)

// BenchmarkUpdate updates one model again and again, each update waiting for the one
// before. Models with a season are fitted before.
func BenchmarkUpdate(b *testing.B) {
	run := func(name string, m smoothing.Model) {
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
		m := named(name)
		switch m.(type) {
		case *smoothing.Mean, *smoothing.SeasonalNaive, *smoothing.HoltWinters, *smoothing.Harmonic, *smoothing.Autoregression, *auto: // with a season of 12
			if _, err := m.Fit(new(smoothing.Fitter), airPassengers); err != nil {
				b.Fatal(err)
			}
		}
		run("model="+name, m)
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
			b.Run(fmt.Sprintf("horizon=%d/model=%s", horizon, name), func(b *testing.B) { benchmarkEvaluate(b, name, 0, train, actual) })
		}
	}
}

// benchmarkEvaluate evaluates a model on many series, with forecasts within [0, 2] times the peak.
func benchmarkEvaluate(b *testing.B, name string, season int, train, actual [][]float64) {
	t := Backtester{Fitter: smoothing.Fitter{Season: season}}
	var s Score
	var err error
	p := &Predictor{Model: named(name), Limits: Limits{NonNegative: true, Multiple: 2}}
	b.ReportAllocs()
	for b.Loop() {
		if s, err = t.Evaluate(p, train, actual); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(s.MASE, "MASE")
	b.ReportMetric(s.SMAPE, "sMAPE")
	b.ReportMetric(s.Coverage, "coverage")
}

// BenchmarkM4Hourly is the other table: half of the hourly series of the M4 competition, 207
// of 414, two days ahead, a season of 24, MASE by what came a day before.
func BenchmarkM4Hourly(b *testing.B) {
	if os.Getenv(shared.Env) == "" {
		b.Skip(shared.Env, " is not set")
	}
	train, actual := readSeries(b, "forecast/M4_Hourly-half-train.csv.gz"), readSeries(b, "forecast/M4_Hourly-half-test.csv.gz")
	for _, name := range Names() {
		b.Run("horizon=48/model="+name, func(b *testing.B) { benchmarkEvaluate(b, name, 24, train, actual) })
	}
}

// BenchmarkForecast has three years of weeks, and their quantiles.
func BenchmarkForecast(b *testing.B) {
	for _, name := range []string{"holt", "damped", "midpoint", "blend"} {
		m := named(name)
		var f smoothing.Fitter
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
	var f smoothing.Fitter
	p := Predictor{Model: &smoothing.Holt{Phi: .9}}
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
