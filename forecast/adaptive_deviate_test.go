package forecast

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Errors move an adaptive model's forecasts as they move those of the model inside with the
// factors of the moment.
func TestAdaptiveDeviate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 30))
	s := &AdaptiveSimple{}
	h := &AdaptiveHolt{Model: Holt{Beta: .2, Phi: .9}}
	q := &AdaptiveTriple{Model: Triple{Beta: .1}, Gamma: .2}
	for range 40 {
		x := 50 + 10*rng.NormFloat64()
		s.Update(x)
		h.Update(x)
		q.Update(x)
	}
	for _, c := range []struct{ outer, inner deviator }{{s, &s.Model}, {h, &h.Model}, {q, &q.Model}} {
		errors := make([]float64, 12)
		for i := range errors {
			errors[i] = rng.NormFloat64()
		}
		got, want := slices.Clone(errors), slices.Clone(errors)
		c.outer.Deviate(got)
		c.inner.Deviate(want)
		if !slices.Equal(got, want) || slices.Equal(got, errors) {
			t.Errorf("%T: %v, want %v", c.outer, got, want)
		}
	}
}
