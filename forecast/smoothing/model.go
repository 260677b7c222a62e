package smoothing

// A Model forecasts a series that it sees one observation at a time.
//
// Update takes the next observation. NaN is a missing observation: the model moves on by a step
// and corrects nothing. An infinite observation, or one beyond [Largest], counts as missing too;
// [CheckSeries] reports it instead. Update leaves the state as it is if the state would pass
// Largest. That happens only with factors outside of the stability region, or after a very long
// run of missing observations. A model never holds a NaN or an infinity, whatever the observations
// are.
//
// Update does not check the factors, since a check costs more than an update. With factors outside
// of the stability region, forecasts grow without bound, and there is no error. If you set the
// factors yourself, call the model's Validate once. [Triple.Clamp] brings factors back into the
// region. A fit checks the factors that it keeps, and reading JSON checks the state. If you use
// parameters or a state that Validate would refuse, a method may panic, or take memory or time
// without bound.
//
// Forecast sets dst[i] to the forecast for i+1 steps after the last observation. If the last
// observation is missing, the steps still count from it. dst may be empty. Before the first
// observation forecasts are 0.
//
// A model takes its first state from the first observations. These are its start. Ready reports
// whether the start is complete. Each model documents its start, and its forecasts until then.
//
// Fit sets the parameters of the model, and sets the state as if the model had been updated with
// the whole series. Fit discards the state from before, except for fields that the model's
// documentation names. On an error the model stays as it was. The slices in the returned Fit are
// valid until the next call with the same Fitter. Least is the number of known values that Fit
// needs.
//
// Deviate says how errors change what is observed. Suppose that the next observations miss their
// one-step forecasts by dst[0], dst[1], …, in this order. Deviate replaces each dst[i]. The new
// dst[i] is the observation i+1 steps ahead, less the present forecast of it. Validate returns a
// *pricing.InputError if a parameter or the state is out of range.
//
// A model may have two more methods, Spread and Lambda. A model has Spread if the standard
// deviations of its forecasts cannot be calculated from Deviate:
//
//	// Spread sets dst[i] to the standard deviation of the error i+1 steps ahead, in units of
//	// the standard deviation one step ahead.
//	Spread(dst []float64)
//	// Lambda returns the λ of the transformation of Box and Cox under which the model measures
//	// its errors, such as 0 for the logarithm.
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
