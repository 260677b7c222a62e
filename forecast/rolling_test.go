package forecast

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// A Rolling stopped after each observation, written, read and resumed is the one
// that was not.
func TestRollingResumes(t *testing.T) {
	for _, name := range Names() {
		m := named(name)
		whole := &Rolling{Predictor: Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2}}, Every: 30, Keep: 60}
		m, _ = New(name)
		resumed := &Rolling{Predictor: Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2}}, Every: 30, Keep: 60}
		a, b := make([]float64, 13), make([]float64, 13)
		fits := 0
		for i, x := range airPassengers {
			if i%17 == 3 {
				x = math.NaN()
			}
			whole.Update(x)
			resumed.Update(x)
			state, err := json.Marshal(resumed)
			if err != nil {
				t.Fatal(err)
			}
			resumed = &Rolling{}
			if err := json.Unmarshal(state, resumed); err != nil {
				t.Fatalf("%s: %v in %s", name, err, state)
			}
			if err := resumed.Validate(); err != nil {
				t.Fatal(err)
			}
			whole.Quantile(a, .9)
			resumed.Quantile(b, .9)
			for j := range a {
				if math.Float64bits(a[j]) != math.Float64bits(b[j]) {
					t.Fatalf("%s: after %d observations the quantile %d steps ahead is %v, resumed %v", name, i+1, j+1, a[j], b[j])
				}
			}
			if whole.Since == 0 {
				fits++
			}
		}
		if fits != 4 { // after 26 observations, then every 30
			t.Errorf("%s: %d fits, want 4", name, fits)
		}
	}
}

// A Rolling keeps the last observations, as many as it is told.
func TestRollingHistory(t *testing.T) {
	r := Rolling{Predictor: Predictor{Model: &smoothing.Simple{Alpha: .5}}, Keep: 30, Least: 10, Every: 4}
	for i, x := range airPassengers {
		r.Update(x)
		want := airPassengers[max(0, i-29) : i+1]
		if d := cmp.Diff(want, []float64(r.History)); d != "" {
			t.Fatalf("after %d observations: %s", i+1, d)
		}
		if r.Fitted != (i >= 9) {
			t.Fatalf("after %d observations Fitted is %v", i+1, r.Fitted)
		}
	}
	if r.Predictor.Peak != 622 {
		t.Errorf("peak %v, want that of the whole stream, 622", r.Predictor.Peak)
	}
	// Nothing but missing values leaves the model as it was.
	for range 60 {
		r.Update(math.Inf(1))
	}
	var f [1]float64
	if r.Forecast(f[:]); !(f[0] > 300 && f[0] < 622) || !(r.Since >= 30) {
		t.Errorf("after silence the forecast is %v, %d since the last fit", f[0], r.Since)
	}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}

// Before the first fit a Rolling forecasts as simple smoothing does, with its limits
// and its signal, and after it as its model.
func TestRollingStart(t *testing.T) {
	m := named("holt")
	r := Rolling{Predictor: Predictor{Model: m, Limits: Limits{Multiple: 1.5}, Signal: smoothing.Signal{Phi: .3}}}
	if r.Ready() {
		t.Error("ready for nothing")
	}
	start := Predictor{Model: &smoothing.Simple{Alpha: startAlpha}, Limits: Limits{Multiple: 1.5}, Signal: smoothing.Signal{Phi: .3}}
	var f smoothing.Fitter
	fitted := Predictor{Model: &smoothing.Holt{}, Limits: Limits{Multiple: 1.5}, Signal: smoothing.Signal{Phi: .3}}
	got, want := make([]float64, 5), make([]float64, 5)
	var signal smoothing.Signal
	var next [1]float64
	for i, x := range airPassengers[:40] {
		r.Forecast(next[:])
		r.Update(x)
		now := &start
		switch start.Update(x); {
		case i == defaultLeast-1:
			fitTo(t, &fitted, &f, airPassengers[:i+1])
			now = &fitted
		case i >= defaultLeast:
			if i == defaultLeast+DefaultEvery-1 { // the next fit
				return
			}
			fitted.Update(x)
			now = &fitted
		}
		r.Quantile(got, .2)
		now.Quantile(want, .2)
		// The signal is that of the start, on to that of the forecasts after it.
		if i >= defaultLeast {
			signal.Update(x - next[0])
		} else {
			signal = start.Signal
		}
		if d := cmp.Diff(want, got); d != "" || !r.Ready() || r.TrackingSignal() != signal.TrackingSignal() {
			t.Fatalf("after %d observations (-want +got):\n%s", i+1, d)
		}
	}
	t.Error("there was no second fit")
}

// A fit does not silence an alarm: the signal goes on with the errors of the forecasts
// that were made, and the peak with the whole stream.
func TestRollingKeeps(t *testing.T) {
	r := Rolling{Predictor: Predictor{Model: &smoothing.Simple{}}, Keep: 30, Every: 7}
	var signal smoothing.Signal
	var next [1]float64
	fits := 0
	for i := range 120 {
		x := 500 + 5*float64(i) // level has no trend, and lags
		if i == 3 {
			x = 1e5
		}
		if r.Ready() {
			r.Forecast(next[:])
			signal.Update(x - next[0])
		}
		r.Update(x)
		if r.Fitted && r.Since == 0 {
			fits++
		}
		if got := r.TrackingSignal(); got != signal.TrackingSignal() {
			t.Fatalf("after %d observations and %d fits the signal is %v, want %v", i+1, fits, got, signal.TrackingSignal())
		}
		if i >= 3 && r.Predictor.Peak != 1e5 {
			t.Fatalf("after %d observations the peak is %v, want 1e5", i+1, r.Predictor.Peak)
		}
	}
	if fits != 14 { // after 26 observations, then every 7
		t.Errorf("%d fits, want 14", fits)
	}
}

// What cannot be fitted is told by Validate, since Update has no way to.
func TestRollingValidate(t *testing.T) {
	with := func(change func(*Rolling)) *Rolling {
		r := &Rolling{Predictor: Predictor{Model: &smoothing.Holt{}}}
		change(r)
		return r
	}
	for i, tt := range []struct {
		r    *Rolling
		want error
	}{
		{with(func(r *Rolling) {}), nil},
		{with(func(r *Rolling) { r.Keep = 5 }), nil},
		{with(func(r *Rolling) { r.Every = -1 }), ErrFactor},
		{with(func(r *Rolling) { r.Keep = -1 }), ErrFactor},
		{with(func(r *Rolling) { r.Least = -1 }), ErrFactor},
		{with(func(r *Rolling) { r.Since = -1 }), ErrFactor},
		{with(func(r *Rolling) { r.Keep = 4 }), ErrShort},
		{with(func(r *Rolling) { r.Predictor.Model = nil }), ErrKind},
		{with(func(r *Rolling) { r.History = history{math.Inf(1)} }), ErrValue},
		{with(func(r *Rolling) { r.Predictor.Model = &smoothing.AdaptiveTriple{Gamma: 2} }), ErrFactor},
		{with(func(r *Rolling) { r.Start = &Predictor{} }), ErrKind},
	} {
		if err := tt.r.Validate(); !errors.Is(err, tt.want) {
			t.Errorf("case %d: %v, want %v", i, err, tt.want)
		}
	}
}

// A state that is refused changes nothing, and one that is taken leaves nothing of
// what was there.
func TestRollingState(t *testing.T) {
	r := &Rolling{Predictor: Predictor{Model: &smoothing.Holt{}}}
	for _, x := range airPassengers[:40] {
		r.Update(x)
	}
	whole, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	dirty := func() *Rolling {
		return &Rolling{Predictor: Predictor{Model: &smoothing.Simple{Alpha: .5}, tally: tally{Peak: 3}}, Every: 3, Keep: 9, Least: 5, Fitter: smoothing.Fitter{Steps: 8},
			streamed: streamed{Since: 2, History: history{1, 2}, Start: &Predictor{Model: named("naive")}}}
	}
	got := dirty()
	if err := json.Unmarshal(whole, got); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(got); err != nil || string(again) != string(whole) {
		t.Errorf("%s, %v, want %s", again, err, whole)
	}
	for _, tt := range []struct {
		old, new string
		want     error
	}{
		{`"since":0`, `"since":-99`, ErrFactor},
		{`"since":1`, `"since":-99`, ErrFactor},
		{`"every":0`, `"every":0,"other":1`, nil},
		{`"every":0,`, ``, ErrState},
		{`"start":null`, `"start":{}`, ErrState},
		{`,"start":null`, ``, ErrState},
		{`"history":[`, `"history":[1e200,`, ErrValue},
		{`"steps":0,`, ``, ErrState},
		{`"season":0`, `"season":-2`, ErrFactor},
		{`"keep":0`, `"keep":4`, ErrShort},
		{`"name":"holt"`, `"name":"other"`, ErrKind},
		{`"peak":`, `"peak":-`, ErrValue},
	} {
		state := strings.Replace(string(whole), tt.old, tt.new, 1)
		if state == string(whole) {
			if strings.HasPrefix(tt.old, `"since"`) {
				continue // the other one is
			}
			t.Fatalf("%s has no %s", whole, tt.old)
		}
		got := dirty()
		err := json.Unmarshal([]byte(state), got)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s for %s: %v, want %v", tt.new, tt.old, err, tt.want)
		}
		if d := cmp.Diff(dirty(), got, cmpopts.IgnoreUnexported(Predictor{}, smoothing.Fitter{}), cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
			t.Errorf("%s for %s changed the Rolling (-want +got):\n%s", tt.new, tt.old, d)
		}
	}
	got = dirty()
	if err := json.Unmarshal([]byte(`null`), got); err != nil || got.Every != 3 {
		t.Errorf("null makes %+v, %v", got, err)
	}
	h := history{1, 2}
	if err := json.Unmarshal([]byte(`[3,1e200]`), &h); !errors.Is(err, ErrValue) || h[0] != 1 {
		t.Errorf("%v, and the history is %v", err, h)
	}
	if err := json.Unmarshal([]byte(`null`), &h); err != nil || len(h) != 2 {
		t.Errorf("null makes %v, %v", h, err)
	}
}

// What is read as a state, written and read again, is the same, and goes on.
func FuzzRollingState(f *testing.F) {
	for _, name := range []string{"simple", "blend", "adaptive-triple", "mean", "seasonal-naive", "two-seasons", "harmonics", "lags", "auto"} {
		m := named(name)
		r := Rolling{Predictor: Predictor{Model: m}, Keep: 40, Every: 5}
		for i, x := range airPassengers[:50] {
			if i%9 == 4 {
				x = math.NaN()
			}
			r.Update(x)
		}
		state, err := json.Marshal(&r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
	}
	f.Add([]byte(`{"predictor":{"name":"naive","model":` + naiveState + `,` + around + `,` +
		`"fitter":{"window":0,"steps":0,"phi_min":0,"phi_max":0},"every":0,"keep":2,"least":1,` +
		`"history":[null,1,1e150,-1e150],"since":0,"fitted":false,"start":null}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		var r, s Rolling
		if json.Unmarshal(state, &r) != nil || r.Predictor.Model == nil || len(r.History) > 1000 {
			return
		}
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		first, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(first, &s); err != nil {
			t.Fatalf("%v: %s", err, first)
		}
		second, err := json.Marshal(&s)
		if err != nil || string(first) != string(second) {
			t.Fatalf("%s comes back as %s, %v", first, second, err)
		}
		dst := make([]float64, 10)
		for _, x := range []float64{math.NaN(), 1, 2, -1e150, 3} {
			r.Update(x)
			r.Quantile(dst, .9)
			for _, x := range dst {
				if math.IsNaN(x) {
					t.Fatalf("%s forecasts %v", first, x)
				}
			}
		}
	})
}
