package forecast_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// growingYears returns weeks of a demand that grows by a line, with a yearly swing of 25%
// that begins at a phase, and noise of 5%.
func growingYears(weeks int, phase float64, rng *rand.Rand) []float64 {
	demand := make([]float64, weeks)
	for i := range demand {
		t := float64(i)
		level := (100 + t/2) * (1 + .25*math.Sin(2*math.Pi*(t/52+phase)))
		demand[i] = math.Round(level * (1 + .05*rng.NormFloat64()))
	}
	return demand
}

// days returns the instances needed on each day of weeks.
func days(weeks []float64) []int {
	list := make([]int, 0, 7*len(weeks))
	for _, x := range weeks {
		for range 7 {
			list = append(list, int(math.Ceil(max(0, x))))
		}
	}
	return list
}

// Three years of a growing demand with a yearly swing are forecast a year ahead, and planned
// for with reservations of a week, a month and a quarter: the default costs at most 3% more
// than to plan with the demand that came, on average over four phases. For comparison, the
// same for other forecasts: these know no season.
func TestPlanOfSeasons(t *testing.T) {
	unit := pricing.Unit
	prices := pricing.List{OnDemand: unit * 2 / 5, Classes: []pricing.Class{
		{Name: "7d", Term: 7 * 24 * time.Hour, Upfront: unit * 504 / 10},
		{Name: "30d", Term: 30 * 24 * time.Hour, Upfront: unit * 1944 / 10},
		{Name: "90d", Term: 90 * 24 * time.Hour, Upfront: unit * 540},
	}}
	cost := func(exact *reserve.Exact, plan, demand []int) float64 {
		p := &reserve.Problem{Demand: plan, Slot: 24 * time.Hour, Prices: prices, Every: 7}
		best, err := exact.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		p.Demand = demand
		c, err := reserve.Cost(p, best.Purchases)
		if err != nil {
			t.Fatal(err)
		}
		return float64(c)
	}
	var exact reserve.Exact
	mean := make(map[string]float64)
	const seeds = 3
	names := []string{forecast.Default, "seasonal-naive", "harmonics", "winters", "blend", "holt"}
	for phase := range 4 {
		for seed := range seeds {
			series := growingYears(208, float64(phase)/4, rand.New(rand.NewPCG(uint64(seed), uint64(phase)))) // seeds 0 to 2
			came := days(series[156:])
			least := cost(&exact, came, came)
			for _, name := range names {
				m, err := forecast.New(name)
				if err != nil {
					t.Fatal(err)
				}
				p := forecast.Predictor{Model: m, Limits: forecast.Limits{NonNegative: true, Multiple: 2}}
				var f smoothing.Fitter
				if _, err := p.Fit(&f, series[:156]); err != nil {
					t.Fatal(err)
				}
				year := make([]float64, 52)
				p.Forecast(year)
				over := cost(&exact, days(year), came)/least - 1
				mean[name] += over / (4 * seeds)
				if name == forecast.Default {
					t.Logf("phase %d, seed %d: %.1f%% over hindsight with %v", phase, seed, 100*over, m)
				}
			}
		}
	}
	for _, name := range names {
		t.Logf("%-15s %.1f%%", name, 100*mean[name])
	}
	if mean[forecast.Default] > .03 {
		t.Errorf("the default costs %.1f%% over hindsight on average, want 3%% at most", 100*mean[forecast.Default])
	}
	if mean["blend"] < 2*mean[forecast.Default] {
		t.Errorf("a model without a season costs %.1f%% over hindsight, the default %.1f%%: the case shows nothing", 100*mean["blend"], 100*mean[forecast.Default])
	}
}
