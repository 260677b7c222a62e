package forecast

import "math"

// A Model forecasts a series that it is shown one observation at a time.
//
// Update takes the next observation. NaN is a missing one: the model moves on by a
// step and corrects nothing. So does an infinite one, or one beyond [Largest]; use
// [Observe] or [CheckSeries] to be told. An update that would carry the state
// beyond Largest is not made, which only factors outside of the stability region, or
// silence without end, can cause: whatever it is fed, a model never holds a NaN or
// an infinity.
//
// Update does not look at the factors, which would cost more than the update does:
// with factors outside of the stability region forecasts run away, without an error.
// Factors of your own want the model's Validate, once; [Triple.Clamp] mends them if you
// ask. What a fit keeps is checked by the fit, here and in [Predictor], [Rolling] and
// [Backtester], and a state by what reads it.
//
// Forecast sets dst[i] to the forecast i+1 steps after the last observation, which
// may be a missing one. A dst of length 0 is fine. Without any observation
// forecasts are 0; each model documents what it does with less than its start
// needs.
type Model interface {
	Update(x float64)
	Forecast(dst []float64)
}

// Observe updates m with x, unless x is infinite or beyond [Largest]: then it
// leaves m alone and returns an [*InputError] that unwraps to [ErrValue].
func Observe(m Model, x float64) error {
	if math.Abs(x) > Largest {
		return badValue("x", -1, x)
	}
	m.Update(x)
	return nil
}

// starter is a model that says when it has its start.
type starter interface {
	Model
	Ready() bool
}

// flat fills dst with x.
func flat(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}
