package smoothing

// A Model forecasts a series that it sees one observation at a time.
//
// Update takes the next observation. NaN is a missing observation: the model moves on by a step and
// corrects nothing. An infinite observation, or one beyond [Largest], counts as missing too;
// [CheckSeries] reports it instead. Update leaves the state as it is if the state would pass
// Largest. That happens only with factors outside of the stability region, or after a very long run
// of missing observations. A model never holds a NaN or an infinity, whatever the observations are.
//
// Update does not check the factors, since a check costs more than an update. With factors outside
// of the stability region forecasts run away, without an error. Call the model's Validate once for
// factors of your own; [Triple.Clamp] brings factors back into the region. A fit checks the factors
// that it keeps, and a state is checked where it is read. If Validate would refuse the parameters
// or the state, a method may panic, or take memory or time without bound.
//
// Forecast sets dst[i] to the forecast i+1 steps after the last observation, which
// may be a missing one. dst may be empty. Before the first observation
// forecasts are 0. Each model documents its forecasts before its start is complete.
//
// Fit sets the parameters of the model, and the state at the end of the series, as if the model
// had been updated with the series. Fit keeps nothing of the state before but what the model's
// documentation names. On an error the model stays as it was. The slices of the Fit are valid
// until the next fit. Least is how many known values Fit wants.
//
// Ready reports whether the start is complete. Deviate replaces the errors dst of the next steps
// by what they add to the forecasts. Validate returns a *pricing.InputError if a parameter or the
// state is out of range.
//
// A model may have two more methods. A model has Spread if its standard deviation does not follow
// from Deviate:
//
//	Spread(dst []float64)   sets dst[i] to the standard deviation of the error i+1 steps ahead, in units of that of one step
//	Lambda() float64        returns the λ of Box and Cox of the scale of the model's errors, such as 0 for the logarithm
type Model interface {
	Update(x float64)
	Forecast(dst []float64)
	Fit(f *Fitter, series []float64) (Fit, error)
	Ready() bool
	Deviate(dst []float64)
	Least() int
	Validate() error
}

// flat fills dst with x.
func flat(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}
