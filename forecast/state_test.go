package forecast

import (
	"encoding/json"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"math"
	"slices"
	"testing"
)

// places calls f with each value inside a JSON value, of arrays the first two, and a function that puts another in its
// place, or removes it.
func places(at string, v any, set func(any), remove func(), f func(at string, v any, set func(any), remove func())) {
	f(at, v, set, remove)
	switch v := v.(type) {
	case map[string]any:
		for k, w := range v {
			places(at+"."+k, w, func(x any) { v[k] = x }, func() { delete(v, k) }, f)
		}
	case []any:
		for i, w := range v[:min(2, len(v))] {
			places(at+"[]", w, func(x any) { v[i] = x }, nil, f)
		}
	}
}

// A state of any model with one value of a wrong type, or one field missing, is an error, and
// leaves what was there before. The state itself is read back as it was.
func TestStateOfEveryModelBroken(t *testing.T) {
	series := make([]float64, 90)
	for i := range series {
		series[i] = 100 + float64(i) + 20*math.Sin(float64(i)*2*math.Pi/7) + float64(i*i%11)
	}
	for _, name := range Names() {
		m := named(name)
		p := Predictor{Model: m}
		fitTo(t, &p, new(smoothing.Fitter), series)
		p.Update(200)
		state, err := p.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want, got := make([]float64, 9), make([]float64, 9)
		p.Forecast(want)
		var root any
		if err := json.Unmarshal(state, &root); err != nil {
			t.Fatal(err)
		}
		try := func(at, what string) {
			data, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			q := Predictor{tally: tally{Errors: 5}}
			if err := q.UnmarshalJSON(data); err == nil {
				t.Errorf("%s: %s %s: no error", name, at, what)
			} else if q.Model != nil || q.Errors != 5 {
				t.Errorf("%s: %s %s: an error, but the state is changed", name, at, what)
			}
		}
		places("state", root, func(x any) { root = x }, nil, func(at string, v any, set func(any), remove func()) {
			for _, wrong := range []any{"x", true, map[string]any{"unheard": 1.}} {
				if _, same := v.(string); same && wrong == any("x") || v == nil {
					continue
				}
				if _, same := v.(bool); same && wrong == any(true) {
					continue
				}
				set(wrong)
				try(at, "of a wrong type")
				set(v)
			}
			if remove != nil {
				remove()
				try(at, "missing")
				set(v)
			}
		})
		var q Predictor
		if err := q.UnmarshalJSON(state); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if q.Forecast(got); !slices.Equal(got, want) {
			t.Errorf("%s: forecasts %v after reading, want %v", name, got, want)
		}
		again, err := q.MarshalJSON()
		if err != nil || string(again) != string(state) {
			t.Errorf("%s: written again as %s, want %s: %v", name, again, state, err)
		}
	}
}
