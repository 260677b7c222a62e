package forecast

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// States in JSON. A state comes from a file, perhaps of another time or hand. A state is
// decoded into new values, refused if it has unknown fields or lacks one, and validated,
// before it replaces the values that were there.

// predictorState is the JSON form of a Predictor.
type predictorState struct {
	Name     string           `json:"name"`
	Model    any              `json:"model"`
	Limits   Limits           `json:"limits"`
	Signal   smoothing.Signal `json:"signal"`
	Analytic bool             `json:"analytic"`
	tally
}

// MarshalJSON returns the state, from which [Predictor.UnmarshalJSON] resumes to
// the bit.
func (p *Predictor) MarshalJSON() ([]byte, error) {
	name := nameOf(p.Model)
	if name == "" {
		return nil, badInput("Model", -1, ErrKind, "%T: want a model of New", p.Model)
	}
	return json.Marshal(predictorState{name, p.Model, p.Limits, p.Signal, p.Analytic, p.tally})
}

// UnmarshalJSON sets all of p to a state, with a new model. A state that [Predictor.Validate]
// refuses is an error, as are unknown or missing fields, and p then stays as it was. null changes
// nothing.
func (p *Predictor) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var state json.RawMessage
	s := predictorState{Model: &state}
	if err := decode(data, &s); err != nil {
		return err
	}
	m, err := New(s.Name)
	if err != nil {
		return err
	}
	n := Predictor{Model: m, Limits: s.Limits, Signal: s.Signal, Analytic: s.Analytic, tally: s.tally}
	if err := cmp.Or(n.validateAround(), readModel(m, state)); err != nil {
		return err
	}
	if err := m.Validate(); err != nil {
		return err
	}
	*p = n
	return nil
}

// plainRolling is a Rolling without methods, and so is decoded field by field.
type plainRolling Rolling

// UnmarshalJSON sets all of r to a state, as [Predictor.UnmarshalJSON] does, and
// with the same errors.
func (r *Rolling) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var s struct {
		Predictor json.RawMessage `json:"predictor"`
		Start     json.RawMessage `json:"start"`
		plainRolling
	}
	if err := decode(data, &s); err != nil {
		return err
	}
	n := Rolling(s.plainRolling)
	if err := n.validateAround(); err != nil {
		return err
	}
	if string(s.Start) != "null" {
		n.Start = new(Predictor)
		if err := n.Start.UnmarshalJSON(s.Start); err != nil {
			return err
		}
	}
	if string(s.Predictor) == "null" {
		return badInput("predictor", -1, ErrState, "null: want the state of a predictor")
	}
	if err := n.Predictor.UnmarshalJSON(s.Predictor); err != nil {
		return err
	}
	if err := n.Validate(); err != nil {
		return err
	}
	*r = n
	return nil
}

// decode sets v to a state, which must have every field that v has, and no other.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	full, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var want, got any
	if err := json.Unmarshal(full, &want); err != nil {
		return err
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return err
	}
	if name := missing(want, got); name != "" {
		return badInput(name, -1, ErrState, "missing: want all fields of the state")
	}
	return nil
}

// missing returns the name of the first field that want has and got has not, in
// alphabetical order, "" if there is none.
func missing(want, got any) string {
	w, ok := want.(map[string]any)
	if !ok {
		return ""
	}
	g, _ := got.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		x, ok := g[name]
		if !ok || x == nil && w[name] != nil {
			return name
		}
		if inner := missing(w[name], x); inner != "" {
			return name + "." + inner
		}
	}
	return ""
}

// readModel sets a model to its state.
func readModel(m smoothing.Model, state json.RawMessage) error {
	if len(state) == 0 { // null
		return badInput("model", -1, ErrState, "null: want the state of a model")
	}
	return decode(state, m)
}
