package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// An auto is a model that chooses other models. Fit finds the season of a series, tries models with
// and without the season on the end of the series, and keeps the best, at most three. The forecast
// of an auto is the weighted mean of their forecasts, see [New].
//
// Before the first Fit, an auto is [smoothing.Simple] with the factor startAlpha. Update and
// Forecast take the time of at most three models. Fit may choose the logarithm as the scale: an
// observation of 0 then counts as missing.
type auto struct {
	scale   float64 // λ of the scale that the members work in (Box and Cox)
	members []member
	n       int // observations taken, without missing ones

	models [len(candidates)]smoothing.Model // of the candidates, made when first tried
	other  []float64
	sum    []float64
	work   autoFit
}

// A member is a model with its part of the forecast.
type member struct {
	name   string
	weight float64
	model  smoothing.Model
}

// A candidate is a model that auto tries.
type candidate struct {
	name   string
	season int                    // 0: without; 1: with the first season; 2: only with two; 3: the second as the only one
	make   func() smoothing.Model // nil: as smoothing.New makes the model
}

// candidates are the models that auto tries. auto takes the first alone if the series is too
// short to try it.
var candidates = [...]candidate{
	{"blend", 0, nil},
	{"mean", 0, nil},
	{"seasonal-naive", 1, nil},
	{"seasonal-naive", 3, nil},
	{"winters", 1, nil},
	{"two-seasons", 2, nil},
	{"lags", 1, nil},
	{"harmonics", 1, func() smoothing.Model { return &smoothing.Harmonic{Alpha: .1, Beta: .1, Gamma: .01} }},
	{"lags", 3, func() smoothing.Model { return &smoothing.Autoregression{} }},
	{"lags", 2, func() smoothing.Model { return &smoothing.Autoregression{MaxLags: 9} }},
	{"winters", 1, func() smoothing.Model { return &smoothing.HoltWinters{Alpha: .1, Beta: .1, Gamma: .1} }},
	{"winters-ratio", 1, func() smoothing.Model {
		return &smoothing.HoltWinters{Multiplicative: true, Alpha: .1, Beta: .1, Gamma: .1}
	}},
	{"harmonics", 1, nil},
}

// model returns a new model of the candidate.
func (c *candidate) model() smoothing.Model {
	if c.make != nil {
		return c.make()
	}
	m, err := smoothing.New(c.name)
	if err != nil {
		panic("forecast: candidate without a model")
	}
	return m
}

// autoMean is the candidate that takes any series with a known value.
const autoMean = 1

// autoSeason and autoWaves are the candidates for a season that is stated and cannot be tried.
const (
	autoSeason = 2
	autoWaves  = 7
)

// mostMembers is how many models auto takes the mean of.
const mostMembers = 3

// autoFit is the memory of a fit of auto.
type autoFit struct {
	whole   []float64 // the series
	z       []float64 // its end, in the scale of the members
	all     []float64 // the whole in that scale
	path    []float64
	paths   [len(candidates)][]float64 // forecasts from all origins, leads steps each
	origins []int
	leads   int
	errs    [len(candidates)]float64
	which   [mostMembers]int // candidate of each member
	resid   []float64
	squares []float64 // of the mean's errors from the origins, by steps ahead
	counts  []float64
	known   []float64
	growth  []float64
	changes detector
	moved   []float64 // the series without its changes
}

func (m *auto) Ready() bool { return m.n > 0 }

// String says which models are in the mean, as in "lags 60%, two-seasons 40%".
func (m *auto) String() string {
	var b strings.Builder
	for i, x := range m.members {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %.0f%%", x.name, 100*x.weight)
	}
	switch {
	case len(m.members) == 0:
		return "nothing yet"
	case m.scale == 0:
		b.WriteString(" of the logarithm")
	case m.scale != 1:
		fmt.Fprintf(&b, " of the power %v", m.scale)
	}
	return b.String()
}

func (m *auto) Update(x float64) {
	if len(m.members) == 0 {
		m.scale = 1
		m.members = append(m.members, member{"simple", 1, &smoothing.Simple{Alpha: startAlpha}})
	}
	z := math.NaN()
	if boxcox.In(m.scale, x) {
		z = boxcox.To(m.scale, x)
		m.n++
	}
	for i := range m.members {
		m.members[i].model.Update(z)
	}
}

func (m *auto) Forecast(dst []float64) {
	if m.n == 0 || len(m.members) == 0 {
		clear(dst)
		return
	}
	if len(m.members) == 1 {
		m.members[0].model.Forecast(dst)
	} else {
		m.other = grow.To(m.other, len(dst))
		clear(dst)
		for _, x := range m.members {
			x.model.Forecast(m.other)
			for i, z := range m.other {
				dst[i] += x.weight * z
			}
		}
	}
	for i, z := range dst {
		dst[i] = min(smoothing.Largest, max(-smoothing.Largest, boxcox.From(m.scale, z)))
	}
}

// Lambda returns λ of the scale of Box and Cox that the members work in.
func (m *auto) Lambda() float64 {
	if len(m.members) == 0 {
		return 1
	}
	return m.scale
}

// Deviate replaces errors, on the scale of the members, by what they add to the forecasts.
func (m *auto) Deviate(dst []float64) {
	if len(m.members) == 0 { // as of a random walk
		for i := 1; i < len(dst); i++ {
			dst[i] += dst[i-1]
		}
		return
	}
	if len(m.members) == 1 {
		m.members[0].model.Deviate(dst)
		return
	}
	m.other, m.sum = grow.To(m.other, len(dst)), grow.Zero(m.sum, len(dst))
	for _, x := range m.members {
		copy(m.other, dst)
		x.model.Deviate(m.other)
		for i, d := range m.other {
			m.sum[i] += x.weight * d
		}
	}
	copy(dst, m.sum)
}

// Fit chooses the models and fits them, as [New] says.
func (m *auto) Fit(f *smoothing.Fitter, series []float64) (smoothing.Fit, error) {
	if err := f.Validate(); err != nil {
		return smoothing.Fit{}, err
	}
	season, second, leads, steps := f.Season, f.Second, f.Leads, f.Steps
	defer func() { f.Season, f.Second, f.Leads, f.Steps = season, second, leads, steps }()
	part, err := f.Cut(series, m.Least())
	if err != nil {
		return smoothing.Fit{}, err
	}
	p1, p2 := f.PeriodsToTry(part)
	if season > 1 && len(part) < season {
		return smoothing.Fit{}, badInput("series", -1, ErrShort, "%d values: want %d for the season of %d steps that is stated, or a Season of 1 for none", len(part), season, season)
	}
	horizon := f.Horizon
	if horizon == 0 {
		horizon = max(p1, 13)
	}
	m.work.whole = part
	if most := max(autoLeast, autoCycles*p1, 4*autoCycles*p2, 4*autoSpan*horizon); len(part) > most {
		if end := part[len(part)-most:]; known(end) > most/2 { // else it is mostly silence
			for part = end; part[0] != part[0]; {
				part = part[1:]
			}
		}
	}
	if a := &m.work; a.changes.find(part, p1) {
		a.moved = a.changes.moved(a.moved, a.whole, len(a.whole)-len(part))
		a.whole, part = a.moved, a.moved[len(a.whole)-len(part):]
		p1, p2 = f.PeriodsToTry(part)
	}
	n := len(part)
	first := max(n-2*autoSpan*horizon, min(n-autoSpan*horizon, n*3/4), n/2)
	untried, without := false, false
	switch {
	case p1 > 1 && n-max(first, 2*p1) >= max(1, p1/4):
		first = max(first, 2*p1)
	case season > 1:
		untried = true
	default:
		without = p1 > 1
		p1, p2 = 1, 1
	}
	if p2 > 1 && first < 2*p2 {
		p2 = 1
	}
	horizon = min(horizon, n-first)
	f.Season, f.Second, f.Leads = p1, p2, 1
	if m.members == nil || m.models[0] == nil {
		m.members = make([]member, 0, mostMembers)
		for k, c := range candidates {
			m.models[k] = c.model()
		}
	}
	a := &m.work
	if untried {
		m.obey(a, part, p1)
	} else {
		m.choose(f, a, part, first, horizon, p1, p2)
	}
	fit, err := m.refit(f, a, part, p1, p2)
	fit.Unseasoned = without
	return fit, err
}

// autoCycles and autoLeast are how many seasons, and values, auto fits to at least: older values say little of the next ones.
const (
	autoCycles = 8
	autoLeast  = 416
)

// autoSpan is how many horizons at the end of the series the candidates are tried on.
const autoSpan = 4

// autoOrigins is from how many points there.
const autoOrigins = 24

// fitAs fits a candidate to a series with its seasons.
func (m *auto) fitAs(f *smoothing.Fitter, k int, series []float64, p1, p2 int) (smoothing.Fit, error) {
	c := &candidates[k]
	switch c.season {
	case 0:
		f.Season, f.Second = 1, 1
		if c.name == "mean" {
			f.Season, f.Second = p1, p2
		}
	case 1, 2:
		f.Season, f.Second = p1, p2
	case 3:
		f.Season, f.Second = p2, 1
	}
	if x, ok := m.models[k].(*smoothing.Autoregression); ok {
		switch c.season {
		case 1:
			x.Difference = 1
		case 3:
			x.Difference, f.Season, f.Second = p2, p1, p2
		}
	}
	return m.models[k].Fit(f, series)
}

func (m *auto) Validate() error {
	if !(m.scale >= 0 && m.scale <= 1) {
		return badInput("Lambda", -1, ErrFactor, "%v: want 0 to 1", m.scale)
	}
	for i, x := range m.members {
		if !(x.weight >= 0 && x.weight <= 1) {
			return badInput("Members", i, ErrFactor, "weight %v: want 0 to 1", x.weight)
		}
		if err := x.model.Validate(); err != nil {
			return err
		}
	}
	return checkCount("N", m.n)
}

// Least returns how many values Fit wants: enough for the first candidate.
func (m *auto) Least() int { return 3 }

// autoState is the JSON form.
type autoState struct {
	Lambda  float64       `json:"lambda"`
	N       int           `json:"n"`
	Members []memberState `json:"members"`
}

type memberState struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
	Type   string  `json:"type"`
	Model  any     `json:"model"`
}

// MarshalJSON returns the state, with the members' models and weights in it.
func (m *auto) MarshalJSON() ([]byte, error) {
	s := autoState{Lambda: m.scale, N: m.n, Members: make([]memberState, len(m.members))}
	for i, x := range m.members {
		s.Members[i] = memberState{x.name, x.weight, nameOf(x.model), x.model}
	}
	return json.Marshal(s)
}

// UnmarshalJSON sets m to a state, and leaves m as it is on an error.
func (m *auto) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var list []json.RawMessage
	s := struct {
		Lambda  float64 `json:"lambda"`
		N       int     `json:"n"`
		Members any     `json:"members"`
	}{Members: &list}
	if err := decode(data, &s); err != nil {
		return err
	}
	n := auto{scale: s.Lambda, n: s.N}
	if len(list) > mostMembers {
		return badInput("members", -1, ErrState, "%d models: want %d at most", len(list), mostMembers)
	}
	for _, data := range list {
		var model json.RawMessage
		x := memberState{Model: &model}
		if err := decode(data, &x); err != nil {
			return err
		}
		inner, err := smoothing.New(x.Type)
		if err != nil {
			return err
		}
		if err := readModel(inner, model); err != nil {
			return err
		}
		n.members = append(n.members, member{x.Name, x.Weight, inner})
	}
	if err := n.Validate(); err != nil {
		return err
	}
	*m = n
	return nil
}
