package forecast

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Default is the name of the model that [New] makes when asked for none.
const Default = "blend"

// kinds has the models by name, in the order of their sophistication.
var kinds = []struct {
	name string
	make func() Fittable
}{
	{"naive", func() Fittable { return &Naive{} }},
	{"drift", func() Fittable { return &Drift{} }},
	{"simple", func() Fittable { return &Simple{Alpha: .3} }},
	{"holt", func() Fittable { return &Holt{Alpha: .3, Beta: .1} }},
	{"damped", func() Fittable { return &Holt{Alpha: .3, Beta: .1, Phi: .9} }},
	{"triple", func() Fittable { return &Triple{Alpha: .3, Beta: .1, Gamma: .1} }},
	{"midpoint", func() Fittable { return &Triple{Form: Midpoint, Alpha: .3, Beta: .1, Gamma: .1} }},
	{"backward", func() Fittable { return &Triple{Form: BackwardDifference, Alpha: .3, Beta: .1, Gamma: .1} }},
	{"brown", func() Fittable { return &Brown{Alpha: .1} }},
	{"adaptive-simple", func() Fittable { return &AdaptiveSimple{} }},
	{"adaptive-holt", func() Fittable { return &AdaptiveHolt{Model: Holt{Beta: .1, Phi: .9}} }},
	{"adaptive-triple", func() Fittable { return &AdaptiveTriple{Model: Triple{Beta: .1}, Gamma: .1} }},
	{"blend", func() Fittable {
		h := Holt{Alpha: .3, Beta: .1, Phi: .9}
		return &Blend{h, h}
	}},
}

// Names returns the names that [New] knows.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// New returns a new model of a name of [Names], "" standing for [Default], ready for
// Update with middling factors and for Fit. Another name is an [*InputError] that
// unwraps to [ErrKind].
func New(name string) (Fittable, error) {
	if name == "" {
		name = Default
	}
	for _, k := range kinds {
		if k.name == name {
			return k.make(), nil
		}
	}
	return nil, badInput("model", -1, ErrKind, "%q is none of %s", name, strings.Join(Names(), ", "))
}

// blank returns the zero value of the type that a name stands for, nil for other
// names.
func blank(name string) Model {
	switch name {
	case "naive":
		return &Naive{}
	case "drift":
		return &Drift{}
	case "simple":
		return &Simple{}
	case "holt", "damped":
		return &Holt{}
	case "triple", "midpoint", "backward":
		return &Triple{}
	case "brown":
		return &Brown{}
	case "adaptive-simple":
		return &AdaptiveSimple{}
	case "adaptive-holt":
		return &AdaptiveHolt{}
	case "adaptive-triple":
		return &AdaptiveTriple{}
	case "blend":
		return &Blend{}
	}
	return nil
}

// nameOf returns the name of a model's type, "" if it is of another package.
// Types with several names have any of them.
func nameOf(m Model) string {
	switch m.(type) {
	case *Naive:
		return "naive"
	case *Drift:
		return "drift"
	case *Simple:
		return "simple"
	case *Holt:
		return "holt"
	case *Triple:
		return "triple"
	case *Brown:
		return "brown"
	case *AdaptiveSimple:
		return "adaptive-simple"
	case *AdaptiveHolt:
		return "adaptive-holt"
	case *AdaptiveTriple:
		return "adaptive-triple"
	case *Blend:
		return "blend"
	}
	return ""
}

// predictorState is the JSON form of a Predictor.
type predictorState struct {
	Name     string    `json:"name,omitempty"`
	Model    any       `json:"model"`
	Limits   Limits    `json:"limits"`
	Signal   Signal    `json:"signal"`
	Analytic bool      `json:"analytic,omitempty"`
	Squares  float64   `json:"squares"`
	Errors   int       `json:"errors"`
	Free     int       `json:"free"`
	Peak     float64   `json:"peak"`
	Growth   []float64 `json:"growth,omitempty"`
}

// MarshalJSON returns the state, from which [Predictor.UnmarshalJSON] resumes to
// the bit.
func (p *Predictor) MarshalJSON() ([]byte, error) {
	if p.Model == nil {
		return nil, badInput("Model", -1, ErrKind, "there is none")
	}
	return json.Marshal(predictorState{nameOf(p.Model), p.Model, p.Limits, p.Signal, p.Analytic, p.Squares, p.Errors, p.Free, p.Peak, p.Growth})
}

// UnmarshalJSON sets p to a state. A state that [Predictor.Check] refuses is an
// error, as are unknown fields; p is then as it was. The model is a new one if the
// state names one; else it is the one that p has, which is set in place.
func (p *Predictor) UnmarshalJSON(data []byte) error {
	var named struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	s := predictorState{Model: p.Model}
	if named.Name != "" {
		m := blank(named.Name)
		if m == nil {
			return badInput("name", -1, ErrKind, "%q is none of %s", named.Name, strings.Join(Names(), ", "))
		}
		s.Model = m
	} else if p.Model == nil {
		return badInput("name", -1, ErrKind, "the state names no model, and Model is not set")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return err
	}
	m, ok := s.Model.(Model)
	if !ok {
		return badInput("model", -1, ErrKind, "there is none")
	}
	n := Predictor{Model: m, Limits: s.Limits, Signal: s.Signal, Analytic: s.Analytic, Squares: s.Squares, Errors: s.Errors, Free: s.Free, Peak: s.Peak, Growth: s.Growth}
	if err := n.Check(); err != nil {
		return err
	}
	*p = n
	return nil
}
