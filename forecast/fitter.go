package forecast

import "github.com/plimsoll/plimsoll/forecast/smoothing"

// Fitter is [smoothing.Fitter]: the options and the memory of fits. The zero value is ready.
type Fitter = smoothing.Fitter
