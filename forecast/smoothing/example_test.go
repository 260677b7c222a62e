package smoothing_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// Update by update; a week without a measurement is NaN.
func ExampleHolt() {
	m := smoothing.Holt{Alpha: .5, Beta: .2, Phi: .9}
	for _, x := range []float64{40, 42, 45, math.NaN(), 50, 53} {
		m.Update(x)
	}
	next := make([]float64, 4)
	m.Forecast(next)
	fmt.Printf("%.1f\n", next)
	// Output:
	// [52.9 54.2 55.4 56.5]
}

// The paper's recursion lags behind a quadratic by a/(2·α); its repaired forms do not.
func ExampleTriple() {
	for _, form := range []smoothing.Form{smoothing.AsPrinted, smoothing.Midpoint, smoothing.BackwardDifference} {
		m := smoothing.Triple{Form: form, Alpha: .5, Beta: .3, Gamma: .2}
		var next [1]float64
		e := 0.0
		for k := range 400 {
			x := float64(k * k) // a = 2
			m.Forecast(next[:])
			e = x - next[0]
			m.Update(x)
		}
		fmt.Printf("%-20v %.3f\n", form, math.Abs(e))
	}
	// Output:
	// as-printed           2.000
	// midpoint             0.000
	// backward-difference  0.000
}

// Factors that a configuration asks for and that would make the forecast swing
// wider and wider.
func ExampleTriple_Clamp() {
	m := smoothing.Triple{Form: smoothing.Midpoint, Alpha: .1, Beta: .5, Gamma: .4}
	fmt.Println(m.Validate())
	m.Clamp()
	fmt.Printf("%.4f %v\n", m.Gamma, m.Validate())
	// Output:
	// smoothing: Gamma: factors outside the stability region: 0.4 with alpha 0.1 and beta 0.5 in the midpoint form: want less than 0.105263, as Clamp makes it
	// 0.0526 <nil>
}

// The rule as [Niu16] may have meant it, all three factors from one signal.
func ExampleAdaptiveTriple() {
	m := smoothing.AdaptiveTriple{All: true}
	for _, x := range weeks() {
		m.Update(x)
	}
	var next [1]float64
	m.Forecast(next[:])
	fmt.Printf("%.0f, signal %.2f\n", next[0], m.TrackingSignal())
	// Output:
	// 138, signal 0.45
}

// No purchase while forecasts are off to one side; nor on the first error, after
// which the signal is always 1 or -1.
func ExampleSignal() {
	var s smoothing.Signal
	for week, e := range []float64{1, -2, 1, -1, 2, -1, 8, 7, 9, 8, 9} {
		s.Update(e)
		if s.Alarm(.67) {
			fmt.Printf("week %d: %.2f, hold all purchases\n", week, s.TrackingSignal())
		}
	}
	// Output:
	// week 0: 1.00, hold all purchases
	// week 7: 0.74, hold all purchases
	// week 8: 0.83, hold all purchases
	// week 9: 0.87, hold all purchases
	// week 10: 0.90, hold all purchases
}

// A curve that the damped trend follows by itself, with no correction: alpha is 0.
func ExampleFitter() {
	series := [][]float64{weeks(), weeks()[:30]} // two clusters, one Fitter
	var f smoothing.Fitter
	for _, s := range series {
		m := smoothing.Holt{Phi: .9} // damped
		fit, err := m.Fit(&f, s)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("alpha %.2f, phi %.2f: errors of %.1f\n", m.Alpha, m.Phi, math.Sqrt(fit.Variance()))
	}
	// Output:
	// alpha 0.00, phi 0.96: errors of 4.2
	// alpha 0.00, phi 0.97: errors of 3.8
}

// The season of a series, and the season above the first.
func ExampleFitter_Periods() {
	var f smoothing.Fitter
	fmt.Println(f.Periods(hours()))
	fmt.Println(f.Periods(weeks()))
	// Output:
	// 24 168
	// 1 1
}

// Last year's demand again.
func ExampleSeasonalNaive() {
	m := smoothing.SeasonalNaive{Period: 4}
	for _, quarter := range []float64{80, 60, 70, 120, 90, 65, 75, 130} {
		m.Update(quarter)
	}
	next := make([]float64, 5)
	m.Forecast(next)
	fmt.Println(next)
	// Output:
	// [90 65 75 130 90]
}

// Batches come when they come: the mean of four weeks.
func ExampleMean() {
	m := smoothing.Mean{Window: 4}
	for _, week := range []float64{400, 0, 30, 90, 0, 120} {
		m.Update(week)
	}
	next := make([]float64, 2)
	m.Forecast(next)
	fmt.Println(next)
	// Output:
	// [60 60]
}

// Hours of a day and of a week, with a second season of which the first knows nothing.
func ExampleHoltWinters() {
	f := smoothing.Fitter{Season: 24}
	m := smoothing.HoltWinters{Alpha: .1, Gamma: .1, Delta: .1, Rho: .5} // the factors to fit are not 0
	demand := hours()
	if _, err := m.Fit(&f, demand[:len(demand)-48]); err != nil {
		fmt.Println(err)
		return
	}
	weekend := make([]float64, 48)
	m.Forecast(weekend)
	fmt.Printf("seasons of %d and %d, errors of %.1f\n", m.Period, m.Period2, forecast.MAE(demand[len(demand)-48:], weekend))
	// Output:
	// seasons of 24 and 168, errors of 3.4
}

// Three years of weeks are few for 52 effects, and enough for a wave.
func ExampleHarmonic() {
	rng := rand.New(rand.NewPCG(5, 2))
	demand := make([]float64, 156)
	for i := range demand {
		demand[i] = 100 + float64(i)/4 + 25*math.Sin(2*math.Pi*float64(i)/52) + 5*rng.NormFloat64()
	}
	var f smoothing.Fitter
	m := smoothing.Harmonic{Alpha: .1, Beta: .1, Gamma: .01}
	if _, err := m.Fit(&f, demand); err != nil {
		fmt.Println(err)
		return
	}
	year := make([]float64, 52)
	m.Forecast(year)
	fmt.Printf("in a quarter %.0f, in three quarters %.0f, waves: %d\n", year[12], year[38], len(m.Sine))
	// Output:
	// in a quarter 167, in three quarters 124, waves: 1
}

// Tomorrow from the last hours, and from the same hours of yesterday and of last week.
func ExampleAutoregression() {
	f := smoothing.Fitter{Season: 24}
	m := smoothing.Autoregression{Difference: 1} // over the season
	demand := hours()
	if _, err := m.Fit(&f, demand[:len(demand)-48]); err != nil {
		fmt.Println(err)
		return
	}
	weekend := make([]float64, 48)
	m.Forecast(weekend)
	fmt.Printf("%d lags, errors of %.1f\n", len(m.Lags), forecast.MAE(demand[len(demand)-48:], weekend))
	// Output:
	// 21 lags, errors of 2.4
}

// weeks is the demand of a research cluster, instances a week: it grew for a year,
// less and less.
func weeks() []float64 {
	rng := rand.New(rand.NewPCG(4, 2))
	demand := make([]float64, 60)
	for i := range demand {
		demand[i] = math.Round(140 - 80*math.Exp(-float64(i)/25) + 4*rng.NormFloat64())
	}
	return demand
}

// hours is the demand of a service by the hour for six weeks: days, and weekends.
func hours() []float64 {
	rng := rand.New(rand.NewPCG(6, 1))
	demand := make([]float64, 6*168)
	for i := range demand {
		demand[i] = 60 - 30*math.Cos(2*math.Pi*float64(i%24)/24)
		if i%168 >= 120 {
			demand[i] /= 2
		}
		demand[i] = math.Round(demand[i] + 2*rng.NormFloat64())
	}
	return demand
}
