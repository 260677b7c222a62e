package smoothing

// A Model forecasts a series that it sees one observation at a time.
//
// Update takes the next observation. NaN is a missing observation: the model moves on by a
// step and corrects nothing. An infinite observation, or one beyond [Largest], counts as
// missing too; [CheckSeries] reports it instead. Update leaves the state as it
// is if the state would pass Largest. Only factors outside of the stability region, or a
// very long silence, lead there. A model never holds a NaN or an infinity, whatever the
// observations are.
//
// Update does not check the factors, since a check costs more than an update. With factors
// outside of the stability region forecasts run away, without an error. Call the model's
// Validate once for factors of your own; [Triple.Clamp] brings factors back into the
// region. A fit checks the factors that it keeps, and a state is checked where it is read.
// With parameters or a state that Validate refuses, a method may panic, or take memory or
// time without bound.
//
// Forecast sets dst[i] to the forecast i+1 steps after the last observation, which
// may be a missing one. dst may be empty. Before the first observation
// forecasts are 0. Each model documents its forecasts before its start is complete.
//
// A model may have more methods, as all models of this package have, but for Spread and Lambda:
//
//	Ready() bool            the start is complete
//	Deviate(dst []float64)  replaces the errors dst of the next steps by what they add to the forecasts
//	Spread(dst []float64)   standard deviation i+1 steps ahead over that of one step, if Deviate does not say it
//	Lambda() float64        errors are of one size on the scale of Box and Cox with this λ, such as 0, the logarithm
//	Least() int             how many known values Fit wants
//	Validate() error        a parameter or the state is out of range
type Model interface {
	Update(x float64)
	Forecast(dst []float64)
}

// starter is a model that reports when its start is complete.
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
