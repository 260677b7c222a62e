package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// A madeChange is a made-up series with a known level half a year after its end.
type madeChange struct {
	kind   string
	series []float64
	season int // of the series
	ahead  int // steps of half a year
	truth  float64
	last   int // index of the last change
}

// madeChanges returns n series of weeks or of days: steps, ramps, ends and pulses in turn, with noise
// of 2 to 8% of the level, and with weekends where they are of days.
func madeChanges(n int, rng *rand.Rand) (list []madeChange) {
	for i := range n {
		m := madeChange{kind: []string{"step", "ramp", "end", "pulse"}[i%4], season: 1, ahead: 26}
		weeks, per := 70+rng.IntN(90), 1
		if i/4%2 == 1 {
			per, m.season, m.ahead = 7, 7, 182
		}
		base := 10 + 90*rng.Float64()
		noise, weekend := .02+.06*rng.Float64(), .4*rng.Float64()
		to := base * (.3 + 1.6*rng.Float64())
		if math.Abs(to-base) < .2*base {
			to = 1.5 * base
		}
		at := per * (weeks - 10 - rng.IntN(weeks/2)) // 10 weeks ago at least
		long := per * (4 + rng.IntN(6))
		m.last, m.truth = at, to
		switch m.kind {
		case "end":
			m.truth = 0
		case "ramp":
			m.last = at + long/2
		case "pulse":
			m.truth = base
			m.last = at
		}
		for t := range weeks * per {
			x := base
			switch {
			case m.kind == "pulse" && t >= at-long && t < at:
				x = to
			case m.kind == "pulse":
			case m.kind == "ramp" && t >= at-long && t < at+long/2:
				x += (to - base) * float64(t-at+long) / float64(long+long/2)
			case m.kind == "ramp" && t >= at, m.kind == "step" && t >= at:
				x = to
			case m.kind == "end" && t >= at:
				x = 0
			}
			swing := 1.0
			if per == 7 {
				swing = 1 + weekend*2/7
				if t%7 >= 5 {
					swing = 1 - weekend*5/7
				}
			}
			m.series = append(m.series, max(0, x*swing*(1+noise*rng.NormFloat64())))
		}
		list = append(list, m)
	}
	return list
}

// ahead returns the mean of the forecast over a season that ends half a year ahead.
func (m *madeChange) forecast(t *testing.T, model smoothing.Model) float64 {
	p := Predictor{Model: model, Limits: Limits{NonNegative: true, Multiple: 4}}
	if _, err := p.Fit(new(smoothing.Fitter), m.series); err != nil {
		t.Fatal(err)
	}
	next := make([]float64, m.ahead)
	p.Forecast(next)
	sum := 0.0
	for _, x := range next[m.ahead-m.season:] {
		sum += x / float64(m.season)
	}
	return sum
}

// Of 200 made-up changes the default model's error half a year ahead is at most half of what it was
// before it looked for them.
func TestChangesAhead(t *testing.T) {
	list := madeChanges(200, rand.New(rand.NewPCG(38, 1))) // seed 38, 1
	before := map[string]float64{"step": .047, "ramp": .047, "end": .016, "pulse": .023}
	sum, n := map[string]float64{}, map[string]float64{}
	for i := range list {
		m := &list[i]
		level := 0.0
		for _, x := range m.series[:40] {
			level += x / 40
		}
		got := m.forecast(t, named(""))
		sum[m.kind] += math.Abs(got-m.truth) / level
		n[m.kind]++
		if testing.Verbose() {
			t.Logf("%d %s of %d: %.2f, want %.2f (before %.2f); changes %v, true %d", i, m.kind, len(m.series), got, m.truth, level, Changes(m.series, m.season), m.last)
		}
	}
	for kind, s := range sum {
		s /= n[kind]
		t.Logf("%s: off by %.1f%%, %.1f%% before", kind, 100*s, 100*before[kind])
		if s > before[kind]/2 {
			t.Errorf("%s: off by %.1f%% of the level, want at most half of %.1f%%", kind, 100*s, 100*before[kind])
		}
	}
}
