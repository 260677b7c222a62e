package forecast

import (
	"testing"
)

func BenchmarkUpdate(b *testing.B) {
	for _, name := range Names() {
		b.Run("model="+name, func(b *testing.B) {
			m, err := New(name)
			if err != nil {
				b.Fatal(err)
			}
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
}

// BenchmarkFit fits to 144 points; the SSE is that of one-step errors.
func BenchmarkFit(b *testing.B) {
	for _, name := range Names() {
		b.Run("model="+name+"/points=144", func(b *testing.B) {
			m, err := New(name)
			if err != nil {
				b.Fatal(err)
			}
			var f Fitter
			var fit Fit
			b.ReportAllocs()
			for b.Loop() {
				if fit, err = m.Fit(&f, airPassengers); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(fit.SSE, "SSE")
			b.ReportMetric(float64(fit.Evaluations), "evaluations")
		})
	}
}

// BenchmarkM4 fits and forecasts the 359 weekly series of the M4 competition, 13
// weeks ahead.
func BenchmarkM4(b *testing.B) {
	train, test := readSeries(b, "forecast/M4_Weekly-train.csv.gz"), readSeries(b, "forecast/M4_Weekly-test.csv.gz")
	for _, name := range Names() {
		b.Run("model="+name, func(b *testing.B) {
			m, err := New(name)
			if err != nil {
				b.Fatal(err)
			}
			var t Backtester
			var s Score
			for b.Loop() {
				if s, err = t.Evaluate(&Predictor{Model: m}, train, test); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(s.MASE, "MASE")
			b.ReportMetric(s.SMAPE, "sMAPE")
			b.ReportMetric(s.Coverage, "coverage")
		})
	}
}
