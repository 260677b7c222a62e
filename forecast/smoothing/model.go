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
// of the stability region, forecasts grow without bound, and no error says it. If you set the
// factors yourself, call the model's Validate once. [Triple.Clamp] brings factors back into the
// region. A fit checks the factors that it keeps, and reading JSON checks the state. If Validate
// would refuse the parameters or the state, a method may panic, or take memory or time without
// bound.
//
// Forecast sets dst[i] to the forecast i+1 steps after the last observation, which may be a missing
// one. dst may be empty. Before the first observation forecasts are 0.
//
// The start of a model is the first observations, from which it sets its first state. Ready reports
// whether the start is complete. Each model documents its start, and its forecasts until then.
//
// Fit sets the parameters of the model, and sets the state as if the model had been updated with
// the whole series. Fit discards the state from before, except for fields that the model's
// documentation names. On an error the model stays as it was. The slices of the Fit are valid until
// the next fit. Least is the number of known values that Fit needs.
//
// Deviate turns errors into deviations. Before the call, dst[i] is the error of the one-step
// forecast of step i+1. After the call, dst[i] is the difference that the errors of the steps 1 to
// i+1 make in observation i+1, compared with the present forecast. Validate returns a
// *pricing.InputError if a parameter or the state is out of range.
//
// A model may have two more methods, Spread and Lambda. A model has Spread if its standard
// deviation does not follow from Deviate:
//
//	// Spread sets dst[i] to the standard deviation of the error i+1 steps ahead, in units of
//	// the standard deviation one step ahead.
//	Spread(dst []float64)
//	// Lambda returns the λ of Box and Cox of the scale of the model's errors, such as 0 for the
//	// logarithm.
//	Lambda() float64
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
