package forecast_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

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

// What there is to choose from.
func ExampleNames() {
	for _, name := range forecast.Names()[2:5] {
		about, least := forecast.About(name)
		fmt.Printf("%-7s %s, from %d values\n", name, about, least)
	}
	// Output:
	// simple  simple exponential smoothing, from 3 values
	// holt    Holt's linear trend, from 5 values
	// damped  Holt's trend, damped, from 6 values
}

// How many instances to reserve for a year: the level that demand falls short of
// with probability 30% in the week where it is least.
func ExamplePredictor() {
	var f smoothing.Fitter
	blend, err := forecast.New("blend")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := forecast.Predictor{Model: blend, Limits: forecast.Limits{NonNegative: true, Multiple: 1.5}}
	if _, err := p.Fit(&f, weeks()); err != nil {
		fmt.Println(err)
		return
	}
	mean, low := make([]float64, 52), make([]float64, 52)
	p.Forecast(mean)
	p.Quantile(low, .3)
	least := low[0]
	for _, x := range low {
		least = min(least, x)
	}
	fmt.Printf("in a quarter %.0f, in a year %.0f\n", mean[12], mean[51])
	fmt.Printf("reserve %.0f\n", math.Floor(least))
	// Output:
	// in a quarter 135, in a year 138
	// reserve 130
}

// Which model has been the best for this cluster.
func ExampleBacktester_Select() {
	b := forecast.Backtester{Horizon: 8, Origins: 4}
	names := []string{"naive", "drift", "simple", "holt", "blend"}
	var candidates []*forecast.Predictor
	for _, name := range names {
		m, err := forecast.New(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		candidates = append(candidates, &forecast.Predictor{Model: m})
	}
	scores := make([]forecast.Score, len(candidates))
	best, err := b.Select(candidates, weeks(), scores)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, s := range scores {
		fmt.Printf("%-7s MASE %.2f, %.0f%% covered\n", names[i], s.MASE, 100*s.Coverage)
	}
	fmt.Println("best:", names[best])
	// Output:
	// naive   MASE 1.28, 97% covered
	// drift   MASE 1.60, 97% covered
	// simple  MASE 1.22, 97% covered
	// holt    MASE 1.09, 88% covered
	// blend   MASE 0.90, 91% covered
	// best: blend
}

// A stream that is stopped, and goes on from its state.
func ExampleRolling() {
	m, err := forecast.New(forecast.Default)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &forecast.Rolling{Predictor: forecast.Predictor{Model: m}}
	demand := weeks()
	for _, x := range demand[:40] {
		r.Update(x)
	}
	state, err := json.Marshal(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	r = &forecast.Rolling{}
	if err := json.Unmarshal(state, r); err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range demand[40:] {
		r.Update(x)
	}
	lo, hi := make([]float64, 13), make([]float64, 13)
	r.Interval(lo, hi, .8)
	fmt.Printf("in a quarter %.0f to %.0f\n", lo[12], hi[12])
	// Output:
	// in a quarter 128 to 141
}

// What a quarter will need in total, with the errors of the past.
func ExamplePredictor_Paths() {
	var f smoothing.Fitter
	p := forecast.Predictor{Model: &smoothing.Holt{Phi: .9}}
	if _, err := p.Fit(&f, weeks()); err != nil {
		fmt.Println(err)
		return
	}
	paths := make([][]float64, 2000)
	for i := range paths {
		paths[i] = make([]float64, 13)
	}
	p.Paths(paths, rand.New(rand.NewPCG(1, 2)))
	over := 0
	for _, path := range paths {
		sum := 0.0
		for _, x := range path {
			sum += x
		}
		if sum > 1760 {
			over++
		}
	}
	fmt.Printf("more than 1760 instance-weeks with probability %.2f\n", float64(over)/float64(len(paths)))
	// Output:
	// more than 1760 instance-weeks with probability 0.25
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

// A forecast of tomorrow for a series that nobody has looked at.
func ExampleNew() {
	var f smoothing.Fitter
	m, err := forecast.New(forecast.Default)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := forecast.Predictor{Model: m, Limits: forecast.Limits{NonNegative: true}}
	if _, err := p.Fit(&f, hours()); err != nil {
		fmt.Println(err)
		return
	}
	day, high := make([]float64, 24), make([]float64, 24)
	p.Forecast(day)
	p.Quantile(high, .95)
	fmt.Println(m)
	fmt.Printf("at 3 h %.0f, at 12 h %.0f, enough at 12 h with 95%%: %.0f\n", day[3], day[12], high[12])
	// Output:
	// lags 37%, lags 34%, lags 29%
	// at 3 h 39, at 12 h 89, enough at 12 h with 95%: 94
}
