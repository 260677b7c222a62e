package forecast

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// What is just within the limits of an option is valid, and what is just outside is not.
func TestOptionLimits(t *testing.T) {
	for _, f := range []Fitter{{}, {Steps: 1, Season: 1, Horizon: 1}} {
		if err := f.Validate(); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
	}
	for _, f := range []Fitter{{Steps: -1}, {Season: -1}, {Horizon: -1}} {
		if f.Validate() == nil {
			t.Errorf("%+v is valid", f)
		}
	}
	for _, l := range []Limits{{}, {Multiple: smoothing.Largest}} {
		if err := l.Validate(); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
	for _, l := range []Limits{{Multiple: -1e-9}, {Multiple: math.Inf(1)}, {Multiple: math.NaN()}} {
		if l.Validate() == nil {
			t.Errorf("%+v is valid", l)
		}
	}
	good := Predictor{Model: &smoothing.Naive{}, tally: tally{Growth: []float64{0, smoothing.Largest}, Recent: []float64{2 * smoothing.Largest, -2 * smoothing.Largest}, Squares: math.MaxFloat64, Peak: smoothing.Largest, Errors: mostCount, Free: mostCount}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, set := range map[string]func(p *Predictor){
		"growth":      func(p *Predictor) { p.Growth = []float64{math.Nextafter(smoothing.Largest, math.Inf(1))} },
		"less growth": func(p *Predictor) { p.Growth = []float64{-1e-300} },
		"recent":      func(p *Predictor) { p.Recent = []float64{math.Nextafter(2*smoothing.Largest, math.Inf(1))} },
		"no recent":   func(p *Predictor) { p.Recent = []float64{math.NaN()} },
		"more recent": func(p *Predictor) { p.Recent = make([]float64, keptErrors+1) },
		"squares":     func(p *Predictor) { p.Squares = math.Inf(1) },
		"less":        func(p *Predictor) { p.Squares = -1e-300 },
		"peak":        func(p *Predictor) { p.Peak = math.Nextafter(smoothing.Largest, math.Inf(1)) },
		"low peak":    func(p *Predictor) { p.Peak = -1e-300 },
		"errors":      func(p *Predictor) { p.Errors = mostCount + 1 },
		"no errors":   func(p *Predictor) { p.Errors = -1 },
		"free":        func(p *Predictor) { p.Free = -1 },
		"model":       func(p *Predictor) { p.Model = nil },
	} {
		bad := good
		set(&bad)
		if bad.Validate() == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

// A state is one value of JSON with all its fields, and nothing after it.
func TestDecodeWhole(t *testing.T) {
	for text, good := range map[string]bool{
		`{"a":1,"b":{"c":2}}`: true, ` {"a":1,"b":{"c":2}} `: true,
		`{"a":1,"b":{"c":2}} {}`: false, `{"a":1,"b":{"c":2}}x`: false, `{"a":1,"b":{}}`: false, `{"a":1}`: false, `{"a":1,"b":{"c":2},"d":3}`: false, `{"a":"x","b":{"c":2}}`: false, ``: false,
		`{"a":1,"b":null}`: false,
	} {
		var v struct {
			A int `json:"a"`
			B struct {
				C int `json:"c"`
			} `json:"b"`
		}
		if err := decode([]byte(text), &v); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Quantiles and levels are between 0 and 1, and what they give keeps within the limits.
func TestQuantileLimits(t *testing.T) {
	p := Predictor{Model: &smoothing.Naive{}, Limits: Limits{NonNegative: true}}
	for _, x := range []float64{5, 0, 7, 1, 9, 0, 8, 2} {
		p.Update(x)
	}
	dst, other := make([]float64, 3), make([]float64, 3)
	for _, q := range []float64{0, 1, -.1, 1.1, math.NaN()} {
		for name, f := range map[string]func(){"quantile": func() { p.Quantile(dst, q) }, "level": func() { p.Interval(dst, other, q) }} {
			func() {
				defer func() {
					if m, ok := recover().(string); !ok || !strings.HasPrefix(m, "forecast: ") {
						t.Errorf("%s %v: %q", name, q, m)
					}
				}()
				f()
			}()
		}
	}
	p.Quantile(dst, .01)
	p.Interval(other, make([]float64, 3), .98)
	for i := range dst {
		if dst[i] != 0 || other[i] != 0 {
			t.Errorf("low quantiles %v and %v: want 0", dst, other)
		}
	}
	p.Limits.NonNegative = false
	if p.Quantile(dst, .01); dst[0] >= 0 {
		t.Errorf("a low quantile of %v without a limit", dst[0])
	}
}

// The logarithm is tried where all values are above 0, and the square root where some are 0.
func TestScaleToTry(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		series []float64
		want   float64
	}{{[]float64{1, nan, 2}, 0}, {[]float64{1, 0, 2}, .5}, {[]float64{0, -1e-300}, 1}, {[]float64{-1, 0}, 1}} {
		if got := autoScale(c.series); got != c.want {
			t.Errorf("%v: λ %v, want %v", c.series, got, c.want)
		}
	}
}

// A state of Auto with a model that is none leaves the model as it was.
func TestStateOfAutoWithoutModel(t *testing.T) {
	var m Auto
	if _, err := m.Fit(&Fitter{Season: 12}, rise(120, 12)); err != nil {
		t.Fatal(err)
	}
	text, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	kind := nameOf(m.members[0].model)
	bad := strings.Replace(string(text), `"type":"`+kind+`"`, `"type":"none"`, 1)
	if err := m.UnmarshalJSON([]byte(bad)); !errors.Is(err, ErrKind) || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("%v", err)
	}
	if again, _ := m.MarshalJSON(); string(again) != string(text) {
		t.Error("the model has changed")
	}
}
