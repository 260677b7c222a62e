// Forecast says what demand comes next, and how sure that is.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

func main() {
	// The mean demand of 104 weeks: a slow growth and a calm summer.
	var past []float64
	for week := range 104 {
		past = append(past, 80+.4*float64(week)-12*math.Pow(math.Sin(math.Pi*float64(week%52)/52), 8)+3*math.Sin(float64(week*week)))
	}
	model, err := forecast.New(forecast.Default) // chooses the model that does best on the past
	if err != nil {
		log.Fatal(err)
	}
	p := forecast.Predictor{Model: model}
	if _, err := p.Fit(new(smoothing.Fitter), past); err != nil {
		log.Fatal(err)
	}
	const quarter = 13
	mean, low, high := make([]float64, quarter), make([]float64, quarter), make([]float64, quarter)
	p.Forecast(mean)
	p.Interval(low, high, .8)
	for _, week := range []int{1, 4, 13} {
		fmt.Printf("in %2d weeks %.0f, with four chances in five from %.0f to %.0f\n", week, mean[week-1], low[week-1], high[week-1])
	}
}

// Output:
// in  1 weeks 120, with four chances in five from 116 to 124
// in  4 weeks 120, with four chances in five from 115 to 126
// in 13 weeks 121, with four chances in five from 111 to 131
