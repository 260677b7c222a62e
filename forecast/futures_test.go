package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// yearOfHours is a year of hours with a day and a weekend.
func yearOfHours(rng *rand.Rand) []float64 {
	s := make([]float64, 364*24)
	for t := range s {
		s[t] = 20
		if hour := t % 24; hour >= 8 && hour < 18 && t/24%7 < 5 {
			s[t] = 50
		}
		s[t] += 2 * rng.NormFloat64()
	}
	return s
}

// Futures keep the day and the weekend, wander as weeks do, and have the forecast as their mean where
// no need ends.
func TestFutures(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46)) // seed 45, 46
	series := yearOfHours(rng)
	f := Futures{Year: 8760, Limits: Limits{NonNegative: true, Multiple: 4}, Ends: -1}
	if err := f.Fit(new(smoothing.Fitter), series); err != nil || f.Block != 168 {
		t.Fatal(err, f.Block)
	}
	rows := make([][]float64, 100)
	for i := range rows {
		rows[i] = make([]float64, 3*8760)
	}
	f.Paths(rows, rng)
	mean, day, night, end, square := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, row := range rows {
		last := 0.0
		for t, x := range row {
			if x < 0 {
				x = math.NaN()
			}
			mean += x / float64(len(row)*len(rows))
			switch {
			case t%168 == 12:
				day += x / float64((len(row)+155)/168*len(rows))
			case t%168 == 3:
				night += x / float64((len(row)+164)/168*len(rows))
			}
			if t >= len(row)-168 {
				last += x / 168
			}
		}
		end, square = end+last/100, square+last*last/100
	}
	want := 20 + 30*50./168
	if math.Abs(mean-want) > .05*want || math.Abs(day-50) > 4 || math.Abs(night-20) > 2 {
		t.Errorf("mean %.2f, day %.2f, night %.2f: want %.2f, 50, 20", mean, day, night, want)
	}
	if sd := math.Sqrt(square - end*end); sd < .08*want || sd > .5*want {
		t.Errorf("after three years the futures differ by %.2f of %.2f", sd, want)
	}
}

// A hazard of .2 a year ends a tenth of the needs in a year, and halves as many.
func TestEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48)) // seed 47, 48
	series := make([]float64, 520)
	for i := range series {
		series[i] = 100
	}
	f := Futures{Year: 52, Ends: .2}
	if err := f.Fit(new(smoothing.Fitter), series); err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, 4000)
	for i := range rows {
		rows[i] = make([]float64, 52)
	}
	f.Levels(rows, rng)
	ended, halved := 0, 0
	for _, row := range rows {
		switch x := row[51]; {
		case x == 0:
			ended++
		case x < 75:
			halved++
		}
	}
	// By hand: 1 − exp(−.1) = .095 end; halving comes to .095·exp(−.1) of the others, about .09. ± 4σ.
	if math.Abs(float64(ended)-381) > 75 || math.Abs(float64(halved)-345) > 75 {
		t.Errorf("%d ended and %d halved of 4000", ended, halved)
	}
	if err := (&Futures{}).Fit(new(smoothing.Fitter), series); err == nil {
		t.Error("a year of no slots is taken")
	}
}

// Bad histories: the futures are of the history, or an error says what is missing.
func TestFuturesOfBadHistories(t *testing.T) {
	long := make([]float64, 1_000_000)
	for i := range long {
		long[i] = float64(i % 24)
	}
	spike := make([]float64, 8760)
	spike[4000] = 1000
	gap := make([]float64, 8760)
	for i := range gap {
		gap[i] = 10
		if i > 3000 && i < 6000 {
			gap[i] = math.NaN()
		}
	}
	ended := make([]float64, 8760)
	for i := range ended[:5000] {
		ended[i] = 40
	}
	for name, c := range map[string]struct {
		series    []float64
		low, high float64 // of the mean
		ok        bool
	}{
		"none":      {nil, 0, 0, false},
		"one":       {[]float64{3}, 0, 0, false},
		"two":       {[]float64{3, 4}, 0, 0, false},
		"zeros":     {make([]float64, 8760), 0, 0, true},
		"a spike":   {spike, 0, 2, true},
		"a gap":     {gap, 9, 11, true},
		"an end":    {ended, 0, 1, true},
		"a million": {long, 11, 12, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := Futures{Year: 8760, Limits: Limits{NonNegative: true, Multiple: 4}, Ends: -1}
			if err := f.Fit(new(smoothing.Fitter), c.series); (err == nil) != c.ok {
				t.Fatal(err)
			} else if err != nil {
				return
			}
			rows := make([][]float64, 20)
			for i := range rows {
				rows[i] = make([]float64, 8760)
			}
			f.Paths(rows, rand.New(rand.NewPCG(49, 50))) // seed 49, 50
			mean := 0.0
			for _, row := range rows {
				for _, x := range row {
					mean += x / 20 / 8760
				}
			}
			if !(mean >= c.low && mean <= c.high) {
				t.Errorf("mean %v, want %v to %v", mean, c.low, c.high)
			}
		})
	}
}
