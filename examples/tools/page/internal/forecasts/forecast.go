package forecasts

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// Limits of the page. The program takes more.
const (
	maxSteps   = 5000
	maxHorizon = 1000
	maxValue   = 1e12
)

// forecastQuestion asks what comes after a part of a series.
type forecastQuestion struct {
	Series      ask.Series `json:"series"`
	Today       int        `json:"today"` // so many values are known
	Model       string     `json:"model"`
	Horizon     string     `json:"horizon"`
	Level       string     `json:"level"`  // of the interval, in per cent
	Season      string     `json:"season"` // "" is found
	NonNegative bool       `json:"non_negative"`
	Models      []string   `json:"models"` // to compare
}

// setting is a question that was checked.
type setting struct {
	known, after []float64
	horizon      int
	level        float64
	fitter       smoothing.Fitter
}

func (q *forecastQuestion) check() (s setting, err error) {
	if len(q.Series) > maxSteps {
		return s, ask.Mistakef("series", "%s steps: the page takes at most %s; examples/tools/forecast takes more", decimal.Int(len(q.Series)), decimal.Int(maxSteps))
	}
	known := 0
	for i, x := range q.Series {
		if math.Abs(x) > maxValue {
			return s, ask.Mistakef("series", "step %d: %v: want a number of at most %g", i+1, x, maxValue)
		}
		if x == x && i < q.Today {
			known++
		}
	}
	if s.horizon, err = ask.Whole("horizon", q.Horizon, 1, maxHorizon, "steps"); err != nil {
		return s, err
	}
	level, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(q.Level), "%")), 64)
	if err != nil || !(level >= 1 && level <= 99.9) {
		return s, ask.Mistakef("level", "%s: want a probability from 1 to 99.9 per cent", ask.Quote(q.Level))
	}
	s.level = level / 100
	if q.Today > len(q.Series) || known < 4 {
		return s, ask.Mistakef("series", "%s are known before today: want at least 4", decimal.Count(known, "value"))
	}
	s.known, s.after = q.Series[:q.Today], q.Series[q.Today:min(len(q.Series), q.Today+s.horizon)]
	s.fitter = smoothing.Fitter{Horizon: s.horizon}
	if strings.TrimSpace(q.Season) != "" {
		if s.fitter.Season, err = ask.Whole("season", q.Season, 1, maxSteps, "steps"); err != nil {
			return s, err
		}
	} else {
		s.fitter.Season, _ = s.fitter.Periods(s.known)
	}
	return s, nil
}

func (q *forecastQuestion) predictor(model string) (*forecast.Predictor, error) {
	m, err := forecast.New(model)
	if err != nil {
		return nil, ask.Mistakef("model", "%s is no model", ask.Quote(model))
	}
	return &forecast.Predictor{Model: m, Limits: forecast.Limits{NonNegative: q.NonNegative}}, nil
}

// forecastAnswer is the forecast, how sure that is, and how right that was.
type forecastAnswer struct {
	About  string `json:"about"`
	Chosen string `json:"chosen"` // what Auto has chosen
	Season int    `json:"season"`

	Mean  ask.Series   `json:"mean"`
	Low   ask.Series   `json:"low"` // of the interval
	High  ask.Series   `json:"high"`
	Low2  ask.Series   `json:"low2"` // of the interval of one half
	High2 ask.Series   `json:"high2"`
	Paths []ask.Series `json:"paths"`

	Sigma  float64 `json:"sigma"`
	Signal float64 `json:"signal"`
	Alarm  bool    `json:"alarm"`

	// What came after today, as far as the series goes on.
	Scored int     `json:"scored"`
	MAE    float64 `json:"mae"`
	Within int     `json:"within"`
}

const shownPaths = 12

func forecastLook(q *forecastQuestion) (*forecastAnswer, error) {
	s, err := q.check()
	if err != nil {
		return nil, err
	}
	p, err := q.predictor(q.Model)
	if err != nil {
		return nil, err
	}
	if _, err := p.Fit(&s.fitter, s.known); err != nil {
		return nil, ask.FieldOf(err, nil, "model")
	}
	n := s.horizon
	list := func() ask.Series { return make(ask.Series, n) }
	a := &forecastAnswer{Season: s.fitter.Season, Mean: list(), Low: list(), High: list(), Low2: list(), High2: list()}
	a.About, _ = forecast.About(q.Model)
	if m, ok := p.Model.(fmt.Stringer); ok {
		a.Chosen = m.String()
	}
	p.Forecast(a.Mean)
	p.Interval(a.Low, a.High, s.level)
	p.Interval(a.Low2, a.High2, .5)
	paths := make([][]float64, shownPaths)
	for i := range paths {
		paths[i] = make([]float64, n)
	}
	p.Paths(paths, rand.New(rand.NewPCG(1, 1)))
	for _, x := range paths {
		a.Paths = append(a.Paths, x)
	}
	a.Sigma, a.Signal, a.Alarm = p.Sigma(), p.TrackingSignal(), p.Alarm()
	for i, x := range s.after {
		if x == x {
			a.Scored++
			a.MAE += math.Abs(x - a.Mean[i])
			if a.Low[i] <= x && x <= a.High[i] {
				a.Within++
			}
		}
	}
	if a.Scored > 0 {
		a.MAE /= float64(a.Scored)
	}
	return a, nil
}

// backtestAnswer compares models on the end of what is known.
type backtestAnswer struct {
	Origins int            `json:"origins"`
	Rows    []backtestLine `json:"rows"`
	Not     []string       `json:"not"` // models that the series is not for
}

type backtestLine struct {
	Model    string  `json:"model"`
	About    string  `json:"about"`
	MASE     float64 `json:"mase"`
	WAPE     float64 `json:"wape"`
	Bias     float64 `json:"bias"`
	Coverage float64 `json:"coverage"`
}

func forecastBacktest(q *forecastQuestion) (*backtestAnswer, error) {
	s, err := q.check()
	if err != nil {
		return nil, err
	}
	a := &backtestAnswer{Origins: max(1, min(forecast.DefaultOrigins, len(s.known)/2/s.horizon))}
	b := forecast.Backtester{Horizon: s.horizon, Origins: a.Origins, Level: s.level, Fitter: smoothing.Fitter{Season: s.fitter.Season, Horizon: s.horizon}}
	for _, name := range q.Models {
		p, err := q.predictor(name)
		if err != nil {
			return nil, err
		}
		score, err := b.Run(p, s.known)
		if err != nil || score.MASE-score.MASE != 0 {
			a.Not = append(a.Not, name)
			continue
		}
		about, _ := forecast.About(name)
		a.Rows = append(a.Rows, backtestLine{name, about, score.MASE, score.WAPE, score.Bias, score.Coverage})
	}
	return a, nil
}

// runawayQuestion asks for the recursion of [Niu16] Eq. (7) with given factors.
type runawayQuestion struct {
	Series ask.Series `json:"series"`
	Alpha  float64    `json:"alpha"`
	Beta   float64    `json:"beta"`
	Gamma  float64    `json:"gamma"`
}

// runawayAnswer has the errors one step ahead of the recursion as printed, and of its mends.
type runawayAnswer struct {
	Limit float64       `json:"limit"` // γ below which the printed recursion is stable
	Forms []runawayForm `json:"forms"`
}

type runawayForm struct {
	Name   string     `json:"name"`
	Stable bool       `json:"stable"`
	Gamma  float64    `json:"gamma"`
	Errors ask.Series `json:"errors"`
	Last   float64    `json:"last"` // mean size of the errors in the last quarter
}

func forecastRunaway(q *runawayQuestion) (*runawayAnswer, error) {
	if len(q.Series) > maxSteps || len(q.Series) < 4 {
		return nil, ask.Mistakef("series", "%d steps: want from 4 to %d", len(q.Series), maxSteps)
	}
	for _, f := range []struct {
		name string
		x    float64
	}{{"alpha", q.Alpha}, {"beta", q.Beta}, {"gamma", q.Gamma}} {
		if !(f.x >= 0 && f.x <= 1) { // Validate would refuse unstable factors, which are to be seen here
			return nil, ask.Mistakef(f.name, "%v: want a factor from 0 to 1", f.x)
		}
	}
	a := new(runawayAnswer)
	for _, f := range []struct {
		name  string
		form  smoothing.Form
		clamp bool
	}{{"as printed", smoothing.AsPrinted, false}, {"midpoint", smoothing.Midpoint, false}, {"backward", smoothing.BackwardDifference, false}, {"midpoint, clamped", smoothing.Midpoint, true}} {
		m := smoothing.Triple{Form: f.form, Alpha: q.Alpha, Beta: q.Beta, Gamma: q.Gamma}
		if f.form == smoothing.AsPrinted {
			a.Limit = m.GammaLimit()
		}
		if f.clamp {
			m.Clamp()
		}
		x := runawayForm{Name: f.name, Stable: m.Stable(), Gamma: m.Gamma}
		var next [1]float64
		n := 0
		for i, v := range q.Series {
			e := math.NaN()
			if m.Ready() {
				if m.Forecast(next[:]); v == v {
					e = v - next[0]
				}
			}
			x.Errors = append(x.Errors, e)
			if e == e && 4*i >= 3*len(q.Series) {
				x.Last += math.Abs(e)
				n++
			}
			m.Update(v)
		}
		x.Last /= float64(max(1, n))
		if x.Last-x.Last != 0 {
			x.Last = math.MaxFloat64
		}
		a.Forms = append(a.Forms, x)
	}
	return a, nil
}

// forecastExport is the command line of examples/tools/forecast with the same values.
func forecastExport(q *forecastQuestion) (*ask.Export, error) {
	s, err := q.check()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("step,value\n")
	for i, x := range s.known {
		value := "NA"
		if x == x {
			value = strconv.FormatFloat(x, 'g', -1, 64)
		}
		fmt.Fprintf(&b, "%d,%s\n", i+1, value)
	}
	command := fmt.Sprintf("go run github.com/plimsoll/plimsoll/examples/tools/forecast@latest -demand series.csv -models %s -steps %d -season %d -level %v -origins 1 -forecast forecast.csv",
		q.Model, s.horizon, s.fitter.Season, s.level)
	if q.NonNegative {
		command += " -nonnegative"
	}
	return &ask.Export{Command: command, Files: []ask.File{{Name: "series.csv", Text: b.String()}}}, nil
}

// forecastModels lists the models.
func forecastModels(*struct{}) (any, error) {
	type model struct {
		Name  string `json:"name"`
		About string `json:"about"`
	}
	var list []model
	for _, name := range forecast.Names() {
		about, _ := forecast.About(name)
		list = append(list, model{name, about})
	}
	return map[string]any{"models": list}, nil
}
