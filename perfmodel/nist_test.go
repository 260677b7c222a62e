package perfmodel

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
)

type nistSet struct {
	Kind     string
	Deg      int
	Y        []float64
	X        [][]float64
	Beta, SD []float64
	RSD, R2  float64
}

func digits(got, want float64) float64 {
	if got == want {
		return 15
	}
	if want == 0 {
		return min(15, -math.Log10(math.Abs(got)))
	}
	return min(15, -math.Log10(math.Abs(got-want)/math.Abs(want)))
}

func worst(got, want []float64) float64 {
	d := 15.0
	for i := range want {
		d = min(d, digits(got[i], want[i]))
	}
	return d
}

func (s nistSet) design() ([]float64, int, Options) {
	switch s.Kind {
	case "poly":
		var x []float64
		for _, r := range s.X {
			p := r[0]
			for range s.Deg {
				x = append(x, p)
				p *= r[0]
			}
		}
		return x, s.Deg, Options{Intercept: true}
	case "multi":
		var x []float64
		for _, r := range s.X {
			x = append(x, r...)
		}
		return x, s.Deg, Options{Intercept: true}
	}
	var x []float64
	for _, r := range s.X {
		x = append(x, r...)
	}
	return x, s.Deg, Options{}
}

func TestNIST(t *testing.T) {
	raw, err := os.ReadFile(shared.File(t, "nist/certified.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]nistSet
	if err := json.Unmarshal(raw, &sets); err != nil {
		t.Fatal(err)
	}
	for name, s := range sets {
		x, cols, opt := s.design()
		r, err := LeastSquares(x, len(s.Y), cols, s.Y, opt)
		if err != nil {
			t.Error(name, err)
			continue
		}
		t.Log(fmt.Sprintf("%-9s coef %5.1f se %5.1f sigma %5.1f r2 %5.1f cond %.2g corr %.2g", name, worst(r.Coef, s.Beta), worst(r.StdErr, s.SD), digits(r.Sigma, s.RSD), digits(r.R2, s.R2), r.Condition, r.Correction))
	}
}
