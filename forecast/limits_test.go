package forecast

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What is just within the limits of an option is valid, and what is just outside is not.
func TestOptionLimits(t *testing.T) {
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
	good := Predictor{Model: named("naive"), tally: tally{Growth: []float64{0, smoothing.Largest}, Recent: []float64{2 * smoothing.Largest, -2 * smoothing.Largest}, Squares: math.MaxFloat64, Peak: smoothing.Largest, Errors: mostCount, Free: mostCount}}
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
		"parameter":   func(p *Predictor) { p.Model = &smoothing.Simple{Alpha: 2} },
		"multiple":    func(p *Predictor) { p.Limits.Multiple = -1 },
	} {
		bad := good
		set(&bad)
		var in *inputerr.Error
		if err := bad.Validate(); !errors.As(err, &in) || in.Field == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, m := range []*auto{{scale: 1, members: []member{{"naive", -1e-300, named("naive")}}}, {scale: -1}, {scale: 1, n: -1}, {scale: 1, members: []member{{"simple", 1, &smoothing.Simple{Alpha: 2}}}}} {
		if m.Validate() == nil {
			t.Errorf("%+v is valid", m)
		}
	}
	if m := (&auto{scale: 1, members: []member{{"naive", 0, named("naive")}, {"naive", 1, named("naive")}}}); m.Validate() != nil {
		t.Error(m.Validate())
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

// Quantiles and intervals keep within the limits.
func TestQuantileLimits(t *testing.T) {
	p := Predictor{Model: named("naive"), Limits: Limits{NonNegative: true}}
	for _, x := range []float64{5, 0, 7, 1, 9, 0, 8, 2} {
		p.Update(x)
	}
	dst, other := make([]float64, 3), make([]float64, 3)
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
	var m auto
	fitTo(t, &m, &smoothing.Fitter{Season: 12}, rise(120, 12))
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
