package forecast

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// R forecast 8.20, holt(initial="optimal", alpha=0.5, beta=0.1), whose beta is α·β
// here: its variance and the ends of its 95% intervals.
func TestIntervalReference(t *testing.T) {
	low := []float64{333.1686373, 305.4402831, 275.1114866, 242.5471856, 208.0357582}
	high := []float64{520.4779203, 523.8785668, 529.8796555, 538.1162488, 548.2999685}
	m := *in(&smoothing.Holt{Alpha: .5, Beta: .2}, `{"level":115.02633778226,"trend":2.50118902845,"n":2}`)
	if got, want := sse(&m, airPassengers)/140, 2283.29712422; math.Abs(got-want) > 1e-4 {
		t.Fatalf("variance %v, want %v", got, want)
	}
	const n = 1e9 // errors, so many that Student's quantile is the normal one
	p := Predictor{Model: &m, tally: tally{Squares: 2283.29712422 * n, Errors: n}}
	lo, hi := make([]float64, 5), make([]float64, 5)
	p.Interval(lo, hi, .95)
	for i := range lo {
		if math.Abs(lo[i]-low[i]) > 1e-5 || math.Abs(hi[i]-high[i]) > 1e-5 {
			t.Errorf("%d steps ahead: %v to %v, want %v to %v", i+1, lo[i], hi[i], low[i], high[i])
		}
	}
}

// Student's 97.5% quantiles for 10, 30 and 100 degrees of freedom, from tables; for 4 these have 2.776, and the
// expansion 2.769.
func TestStudent(t *testing.T) {
	for nu, want := range map[int]float64{4: 2.769, 10: 2.228, 30: 2.042, 100: 1.984} {
		p := Predictor{tally: tally{Errors: nu}}
		if got := p.student(1.959964); math.Abs(got-want) > .0008 {
			t.Errorf("%d degrees of freedom: %v, want %v", nu, got, want)
		}
	}
}

func TestPanics(t *testing.T) {
	p := Predictor{Model: named("naive")}
	one, two := make([]float64, 1), make([]float64, 2)
	calls := []func(){
		func() { p.Paths(nil, nil) },
		func() { p.Interval(nil, one, .9) },
		func() { MAE(one, nil) },
		func() { Coverage(one, one, nil) },
		func() { Coverage(one, two, one) },
		func() { Coverage(one, one, two) },
		func() { (&Backtester{}).Select(nil, nil, nil) },
		func() { new(Predictor).Forecast(one) },
		func() { new(Predictor).Update(1) },
		func() { new(Predictor).Interval(one, one, .9) },
	}
	for _, q := range []float64{0, 1, -.1, 1.1, math.NaN()} {
		calls = append(calls, func() { p.Quantile(one, q) }, func() { p.Interval(one, one, q) })
	}
	for i, f := range calls {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "forecast: ") {
					t.Errorf("case %d panics with %v", i, s)
				}
			}()
			f()
		}()
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		limits Limits
		want   []float64
	}{
		{Limits{}, []float64{-30, 5, 30, 40}},
		{Limits{NonNegative: true}, []float64{0, 5, 30, 40}},
		{Limits{Multiple: 2}, []float64{-20, 5, 20, 20}},
		{Limits{Multiple: 2, NonNegative: true}, []float64{0, 5, 20, 20}},
	} {
		got := []float64{-30, 5, 30, 40}
		tt.limits.Apply(got, 10)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%+v: %s", tt.limits, d)
		}
		tt.limits.Apply(nil, 10)
	}
}

// The intervals of a Predictor keep to its limits, and the frozen part of a
// forecast still widens.
func TestPredictorLimits(t *testing.T) {
	p := Predictor{Model: &smoothing.Holt{Alpha: .5, Beta: .5}, Limits: Limits{NonNegative: true, Multiple: 1.2}}
	for i, x := range []float64{10, 9, 9, 7, 7, 5, 4, 4, 2} {
		p.Update(x + float64(i%2))
	}
	lo, hi, mean := make([]float64, 50), make([]float64, 50), make([]float64, 50)
	p.Forecast(mean)
	p.Interval(lo, hi, .95)
	for i := range mean {
		if lo[i] < 0 || hi[i] > 12 || mean[i] < 0 || lo[i] > mean[i] || hi[i] < mean[i] || i > 2 && (mean[i] != mean[2] || hi[i] < hi[i-1]) {
			t.Errorf("%d steps ahead: %v in [%v, %v]", i+1, mean[i], lo[i], hi[i])
		}
	}
	p.Quantile(lo, .5)
	if d := cmp.Diff(mean, lo); d != "" {
		t.Errorf("the median is not the forecast: %s", d)
	}
	if p.Quantile(hi, .9); hi[0] <= mean[0] {
		t.Errorf("the 90%% quantile %v is not above the mean %v", hi[0], mean[0])
	}
}

// The signal of a predictor is that of its model's one-step errors: those of a
// level behind a ramp all point up.
func TestPredictorSignal(t *testing.T) {
	p := Predictor{Model: &smoothing.Simple{Alpha: .2}}
	for i := range 60 {
		p.Update(float64(i))
	}
	if got := p.TrackingSignal(); got != 1 {
		t.Errorf("behind a ramp the signal is %v, want 1", got)
	}
	if p.Errors != 59 || p.Peak != 59 {
		t.Errorf("%d errors, peak %v, want 59 and 59", p.Errors, p.Peak)
	}
	p.Update(math.Inf(1))
	if p.Errors != 59 || p.Peak != 59 {
		t.Error("an infinite value was counted")
	}
}

// around is a state of a Predictor but for its name and model.
const around = `"limits":{"non_negative":false,"multiple":0},"signal":{"phi":0,"e":0,"m":0,"n":0},` +
	`"analytic":false,"squares":0,"errors":0,"free":0,"peak":0,"growth":null,"recent":null}`

// States of models.
const (
	naiveState  = `{"level":1,"n":1}`
	holtState   = `{"alpha":0.5,"beta":0.1,"phi":0,"level":1,"trend":0,"n":1,"gap":0}`
	tripleState = `{"form":"midpoint","alpha":0.1,"beta":0.5,"gamma":0.01,"level":1,"trend":0,"accel":0,"n":2,"gap":0}`
)

func TestPredictorStateErrors(t *testing.T) {
	state := func(name, model string) string { return `{"name":"` + name + `","model":` + model + `,` + around }
	with := func(state, old, new string) string {
		if !strings.Contains(state, old) {
			t.Fatalf("%s has no %s", state, old)
		}
		return strings.Replace(state, old, new, 1)
	}
	naive, holt, triple := state("naive", naiveState), state("holt", holtState), state("triple", tripleState)
	for _, s := range []string{naive, holt, triple} {
		p := Predictor{tally: tally{Peak: 3}}
		if err := json.Unmarshal([]byte(s), &p); err != nil || p.Peak != 0 {
			t.Errorf("%s: %v, peak %v", s, err, p.Peak)
		}
	}
	for _, tt := range []struct {
		state string
		want  error
	}{
		{state("other", naiveState), ErrKind},
		{state("holt", `null`), ErrState},
		{`{"model":` + holtState + `,` + around, ErrState},
		{with(holt, `"alpha":0.5`, `"alpha":2`), ErrFactor},
		{with(triple, `"gamma":0.01`, `"gamma":0.9`), smoothing.ErrUnstable},
		{with(triple, `midpoint`, `other`), ErrFactor},
		{with(naive, `"level":1`, `"level":1e200`), ErrValue},
		{with(naive, `"multiple":0`, `"multiple":-1`), ErrFactor},
		{with(naive, `"squares":0`, `"squares":-1`), ErrValue},
		{with(naive, `"level":1`, `"level":1,"other":1`), nil},
		{with(naive, `"peak":0`, `"peak":0,"other":1`), nil},

		// Parts that are null, which leaves what was there, or have another name.
		{with(holt, `"gap":0`, `"gap":null`), ErrState},
		{with(holt, `"free":0`, `"FREE":0`), ErrState},
		{with(holt, `"multiple":0`, `"multiple":null`), ErrState},
		{with(holt, `{"non_negative":false,"multiple":0}`, `null`), ErrState},

		// Counts that would loop for hours or wrap around.
		{with(holt, `"gap":0`, `"gap":1000000000000`), ErrFactor},
		{with(holt, `"n":1`, `"n":9223372036854775807`), ErrFactor},
		{with(holt, `"m":0,"n":0`, `"m":0,"n":9223372036854775807`), ErrFactor},
		{with(holt, `"errors":0`, `"errors":9223372036854775807`), ErrFactor},
		{with(holt, `"free":0`, `"free":9223372036854775807`), ErrFactor},
		{state("drift", `{"first":1,"last":2,"steps":9223372036854775807,"gap":0,"n":2}`), ErrFactor},
		{state("drift", `{"first":1,"last":2,"steps":1,"gap":9223372036854775807,"n":2}`), ErrFactor},
		{`[]`, nil},
		{`{"name":`, nil},
	} {
		p := Predictor{Model: &smoothing.Simple{Alpha: .5}, tally: tally{Peak: 3}}
		before := p.Model
		err := json.Unmarshal([]byte(tt.state), &p)
		var wide *json.UnmarshalTypeError // a count beyond an int of 32 bits
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) && !(math.MaxInt == math.MaxInt32 && errors.As(err, &wide)) {
			t.Errorf("%s: %v, want %v", tt.state, err, tt.want)
		}
		if p.Model != before || p.Peak != 3 {
			t.Errorf("%s: changed the Predictor to %+v", tt.state, p)
		}
	}
	p := Predictor{Model: &smoothing.Simple{Alpha: .5}, tally: tally{Peak: 3}}
	if err := json.Unmarshal([]byte(`null`), &p); err != nil || p.Model == nil || p.Peak != 3 {
		t.Errorf("null makes %+v, %v", p, err)
	}
	for _, m := range []smoothing.Model{nil, struct{ smoothing.Model }{}} { // none, and one of another package
		if _, err := json.Marshal(&Predictor{Model: m}); !errors.Is(err, ErrKind) {
			t.Errorf("written with %T: %v", m, err)
		}
	}
	if _, err := New("other"); !errors.Is(err, ErrKind) {
		t.Errorf("New of another name: %v", err)
	}
}

// Behind a ramp a level's errors grow by the slope each step, which the model
// does not know: with α = 1 they are 1, 2, 3, … slopes. The growth is as far as
// there are 20 of them.
func TestPredictorGrowth(t *testing.T) {
	ramp := make([]float64, 100)
	for i := range ramp {
		ramp[i] = 3 * float64(i)
	}
	p := Predictor{Model: named("naive")}
	var f smoothing.Fitter
	fitTo(t, &p, &f, ramp)
	if len(p.Growth) != 25 { // a quarter of the series
		t.Errorf("growth over %d steps, want 25", len(p.Growth))
	}
	for i, g := range p.Growth {
		if want := float64(i + 1); math.Abs(g-want) > 1e-12 {
			t.Errorf("%d steps ahead: %v, want %v", i+1, g, want)
		}
	}
	half := func(h int) float64 {
		lo, hi := make([]float64, h), make([]float64, h)
		p.Interval(lo, hi, .95)
		return (hi[h-1] - lo[h-1]) / 2 / p.Sigma() / p.student(1.959963984540054)
	}
	if got := half(10); math.Abs(got-10) > 1e-9 {
		t.Errorf("10 steps ahead the interval is %v sigmas, want 10", got)
	}
	if got := half(60); math.Abs(got-25) > 1e-9 {
		t.Errorf("60 steps ahead the interval is %v sigmas, want to stay at 25", got)
	}
	p.Analytic = true
	if got := half(10); math.Abs(got-math.Sqrt(10)) > 1e-9 {
		t.Errorf("10 steps ahead the analytic interval is %v sigmas, want √10", got)
	}
	fitTo(t, &p, &f, ramp[:28])
	if len(p.Growth) != 7 { // of which there are 27 − 6 = 21; a quarter of 28
		t.Errorf("growth over %d steps of 28, want 7", len(p.Growth))
	}
	fitTo(t, &p, &f, ramp[:24])
	if len(p.Growth) != 4 { // 23, 22, 21, 20, and then 19
		t.Errorf("growth over %d steps of 24, want 4", len(p.Growth))
	}
	// One step ahead there is none, whatever a fit cost in parameters.
	p = Predictor{Model: &smoothing.Holt{Phi: .9}}
	fitTo(t, &p, &f, airPassengers[:40])
	if p.Free != 5 || math.Abs(p.Growth[0]-1) > 1e-12 {
		t.Errorf("with %d fitted parameters the growth of one step is %v, want 1 with 5", p.Free, p.Growth[0])
	}
}

// Quantiles reach into the tails: of the normal distribution, by R's qnorm.
func TestQuantileTails(t *testing.T) {
	p := Predictor{Model: in(named("naive"), `{"n":1}`), Analytic: true, tally: tally{Squares: math.MaxInt32, Errors: math.MaxInt32}}
	var got [1]float64
	for _, tt := range []struct{ q, want float64 }{
		{1e-300, -37.04710}, {1e-20, -9.262340}, {1e-5, -4.264891}, {.5, 0}, {1 - 0x1p-53, 8.209536},
	} {
		if p.Quantile(got[:], tt.q); math.Abs(got[0]-tt.want) > 1e-5 {
			t.Errorf("the %v quantile is %v, want %v", tt.q, got[0], tt.want)
		}
	}
	p = Predictor{Model: in(named("naive"), `{"level":5,"n":1}`)} // nothing is known of its errors
	if p.Quantile(got[:], math.SmallestNonzeroFloat64); got[0] != 5 {
		t.Errorf("without errors a quantile is %v, want the forecast, 5", got[0])
	}
}
