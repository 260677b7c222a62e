package forecast

import (
	"encoding/json"
	"math"
	"testing"
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
