package forecast

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// BoxCox runs a model on a transformed series [BoxCox64], where swings and errors that grow
// with the level become swings and errors of one size:
//
//	z = (x^λ − 1)/λ,    z = log x for λ = 0.
//
// λ 0 takes values above 0, and λ above 0 values from 0 on: .5 is a square root, and 1 leaves
// the series as it is. A value that the transform does not take counts as missing
// in Update; Fit returns an [*InputError].
//
// Forecasts are transformed back: a mean becomes about a median, which is the lower of the
// two for λ < 1. Intervals and paths are drawn in z and transformed back, so that they are
// as skewed as the series, and the mean of many paths is the mean.
type BoxCox struct {
	Lambda float64 // λ, in [0, 1]
	Model  Model   // of z
	N      int     // observations taken, without missing ones
}

// toScale returns z of x.
func toScale(lambda, x float64) float64 {
	switch lambda {
	case 1:
		return x
	case 0:
		return math.Log(x)
	}
	return (math.Pow(x, lambda) - 1) / lambda
}

// fromScale returns x of z, within the range of observations.
func fromScale(lambda, z float64) float64 {
	switch lambda {
	case 1:
		return z
	case 0:
		return min(Largest, math.Exp(z))
	}
	return min(Largest, math.Pow(max(0, lambda*z+1), 1/lambda))
}

// inScale reports whether the transform takes x.
func inScale(lambda, x float64) bool {
	return usable(x) && (lambda == 1 || x > 0 || x == 0 && lambda > 0)
}

// linked is a model whose errors are of one size in a scale of their own.
type linked interface{ lambda() float64 }

// lambdaOf returns the scale of a model's errors.
func lambdaOf(m Model) float64 {
	if l, ok := m.(linked); ok {
		return l.lambda()
	}
	return 1
}

func (m *BoxCox) lambda() float64 { return m.Lambda }

// Ready reports whether the model has its start.
func (m *BoxCox) Ready() bool {
	s, ok := m.Model.(starter)
	return !ok || s.Ready()
}

// Update takes the next observation, see [Model].
func (m *BoxCox) Update(x float64) {
	if inScale(m.Lambda, x) {
		x = toScale(m.Lambda, x)
		m.N++
	} else {
		x = math.NaN()
	}
	m.Model.Update(x)
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, transformed back, see [Model].
func (m *BoxCox) Forecast(dst []float64) {
	if m.N == 0 {
		flat(dst, 0)
		return
	}
	m.Model.Forecast(dst)
	for i, z := range dst {
		dst[i] = fromScale(m.Lambda, z)
	}
}

// Spread is that of Model: of errors in z.
func (m *BoxCox) Spread(dst []float64) { spreadOf(m.Model, dst) }

func (m *BoxCox) deviate(dst []float64) { deviate(m.Model, dst) }

// Fit fits the model to the transformed series, if it is [Fittable], or else updates it.
// The residuals and the [Fit] are those in z.
func (m *BoxCox) Fit(f *Fitter, series []float64) (Fit, error) {
	if err := m.validateAround(); err != nil {
		return Fit{}, err
	}
	for i, x := range series {
		if usable(x) && !inScale(m.Lambda, x) {
			want := "values from 0 on"
			if m.Lambda == 0 {
				want = "values above 0"
			}
			return Fit{}, badInput("series", i, ErrValue, "%v: want %s for a Lambda of %v", x, want, m.Lambda)
		}
	}
	if err := CheckSeries(series); err != nil {
		return Fit{}, err
	}
	f.boxed = transform(f.boxed, series, m.Lambda)
	g, ok := m.Model.(Fittable)
	if !ok {
		g = &unfitted{m.Model}
	}
	fit, err := g.Fit(f, f.boxed)
	if err == nil {
		m.N = known(series)
	}
	return fit, err
}

// transform returns z of a series.
func transform(dst, series []float64, lambda float64) []float64 {
	dst = grow.To(dst, len(series))
	for i, x := range series {
		dst[i] = x
		if x == x {
			dst[i] = toScale(lambda, x)
		}
	}
	return dst
}

// Validate returns an [*InputError] if there is no model, or if λ or the model is out of
// range.
func (m *BoxCox) Validate() error {
	if err := m.validateAround(); err != nil {
		return err
	}
	if v, ok := m.Model.(validator); ok {
		return v.Validate()
	}
	return nil
}

func (m *BoxCox) validateAround() error {
	if m.Model == nil {
		return badInput("Model", -1, ErrKind, "nil: want a model of the transformed series")
	}
	if err := checkCount("N", m.N, mostCount); err != nil {
		return err
	}
	return checkUnit("Lambda", m.Lambda, 1)
}

func (m *BoxCox) least() int {
	if o, ok := m.Model.(ours); ok {
		return o.least()
	}
	return 1
}

// boxCoxState is the JSON form of a BoxCox.
type boxCoxState struct {
	Lambda float64 `json:"lambda"`
	Name   string  `json:"name"`
	Model  any     `json:"model"`
	N      int     `json:"n"`
}

// MarshalJSON returns the state with the model's name in it. A model of another package
// has none, and is an [*InputError].
func (m *BoxCox) MarshalJSON() ([]byte, error) {
	if m.Model == nil {
		return json.Marshal(boxCoxState{Lambda: m.Lambda, N: m.N})
	}
	name := nameOf(m.Model)
	if name == "" {
		return nil, badInput("Model", -1, ErrKind, "%T is of another package: want a model of this one to write a state", m.Model)
	}
	return json.Marshal(boxCoxState{m.Lambda, name, m.Model, m.N})
}

// UnmarshalJSON sets m to a state, and leaves m as it is on an error.
func (m *BoxCox) UnmarshalJSON(data []byte) error {
	var model json.RawMessage
	s := boxCoxState{Model: &model}
	if err := decode(data, &s); err != nil {
		return err
	}
	inner, err := readModel(s.Name, model)
	if err != nil {
		return err
	}
	n := BoxCox{s.Lambda, inner, s.N}
	if err := n.Validate(); err != nil {
		return err
	}
	*m = n
	return nil
}

// readModel returns the model of a name in a state.
func readModel(name string, state json.RawMessage) (Model, error) {
	m := blank(name)
	if m == nil {
		return nil, badInput("name", -1, ErrKind, "%q: want one of %s", name, strings.Join(Names(), ", "))
	}
	if len(state) == 0 { // null
		return nil, badInput("model", -1, ErrState, "null: want the state of a model")
	}
	if err := decode(state, m); err != nil {
		return nil, err
	}
	return m, nil
}
