package forecast

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A Rolling stopped after each observation, written, read and resumed is the one
// that was not.
func TestRollingResumes(t *testing.T) {
	for _, name := range Names() {
		m, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		whole := &Rolling{Predictor: Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2}}, Every: 10, Keep: 60}
		m, _ = New(name)
		resumed := &Rolling{Predictor: Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2}}, Every: 10, Keep: 60}
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
			if err := resumed.Check(); err != nil {
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
		if fits != 12 { // after 26 observations, then every 10
			t.Errorf("%s: %d fits, want 12", name, fits)
		}
	}
}

// A Rolling keeps the last observations, as many as it is told.
func TestRollingHistory(t *testing.T) {
	r := Rolling{Predictor: Predictor{Model: &Simple{Alpha: .5}}, Keep: 30, Least: 10, Every: 4}
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
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

// Before the first fit a Rolling forecasts as simple smoothing does, with its limits
// and its signal, and after it as its model.
func TestRollingStart(t *testing.T) {
	m, err := New("holt")
	if err != nil {
		t.Fatal(err)
	}
	r := Rolling{Predictor: Predictor{Model: m, Limits: Limits{Multiple: 1.5}, Signal: Signal{Phi: .3}}}
	if r.Ready() {
		t.Error("ready for nothing")
	}
	start := Predictor{Model: &Simple{Alpha: StartAlpha}, Limits: Limits{Multiple: 1.5}, Signal: Signal{Phi: .3}}
	var f Fitter
	fitted := Predictor{Model: &Holt{}, Limits: Limits{Multiple: 1.5}, Signal: Signal{Phi: .3}}
	got, want := make([]float64, 5), make([]float64, 5)
	for i, x := range airPassengers[:40] {
		r.Update(x)
		now := &start
		switch start.Update(x); {
		case i == DefaultLeast-1:
			if _, err := fitted.Fit(&f, airPassengers[:i+1]); err != nil {
				t.Fatal(err)
			}
			now = &fitted
		case i >= DefaultLeast:
			if i == DefaultLeast+DefaultEvery-1 { // the next fit
				return
			}
			fitted.Update(x)
			now = &fitted
		}
		r.Quantile(got, .2)
		now.Quantile(want, .2)
		if d := cmp.Diff(want, got); d != "" || !r.Ready() || r.TrackingSignal() != now.TrackingSignal() {
			t.Fatalf("after %d observations (-want +got):\n%s", i+1, d)
		}
	}
	t.Error("there was no second fit")
}

// What is read as a state, written and read again, is the same, and goes on.
func FuzzRollingState(f *testing.F) {
	for _, name := range []string{"simple", "blend", "adaptive-triple"} {
		m, err := New(name)
		if err != nil {
			f.Fatal(err)
		}
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
	f.Add([]byte(`{"predictor":{"name":"naive","model":{}},"history":[null,1,1e150,-1e150],"keep":2,"least":1}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		var r, s Rolling
		if json.Unmarshal(state, &r) != nil || r.Predictor.Model == nil || r.Check() != nil || len(r.History) > 1000 {
			return
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
