package smoothing

import (
	"cmp"
	"math"
)

// defaultPhi is the smoothing constant of a [Signal] with a Phi of 0.
const defaultPhi = 0.1

// A Signal is Trigg's tracking signal T of a sequence of forecast errors e: the smoothed error E
// over the smoothed absolute error M,
//
//	E_k = φ·e_k + (1−φ)·E_{k-1},   M_k = φ·|e_k| + (1−φ)·M_{k-1},   T_k = E_k/M_k.
//
// T lies in [−1, 1]. T is near 0 while errors change sign as often as not, and near ±1 while all
// errors point one way. T is above 0 if forecasts are too low. The errors may be those of any
// model, fixed or adaptive. A Signal starts from E = M = 0. While M = 0, no forecast has had an
// error, and T is 0.
//
// Even for good forecasts |T| is not small. For errors of independent normal noise, |T| has this
// mean, and these quantiles:
//
//	φ      mean   median   90%   99%
//	0.05   .16    .14      .33   .50
//	0.1    .23    .20      .47   .67
//	0.2    .33    .30      .65   .86
//	0.3    .41    .39      .78   .94
//
// An alarm at the value in the last column is false once in a hundred steps.
type Signal struct {
	Phi float64 `json:"phi"` // smoothing constant in (0, 1]; 0 stands for defaultPhi
	errorSums
}

// errorSums are the state of Signal.
type errorSums struct {
	E float64 `json:"e"` // smoothed error
	M float64 `json:"m"` // smoothed absolute error
	N int     `json:"n"` // errors taken
}

// Update takes the next error, an observation less its forecast. Update skips an error that
// is NaN, infinite or beyond 2·[Largest]; finite observations and forecasts make no such error.
func (s *Signal) Update(e float64) { s.take(e) }

// take is Update, and returns the signal's value after it. The value comes from registers and
// not from memory, since an adaptive model waits for it.
func (s *Signal) take(e float64) float64 {
	size := math.Abs(e)
	if !(size <= 2*Largest) {
		return s.TrackingSignal()
	}
	phi := s.Phi
	if phi == 0 {
		phi = defaultPhi
	}
	se, sm := s.E+phi*(e-s.E), s.M+phi*(size-s.M)
	s.E, s.M = se, sm
	s.N++
	return tracking(se, sm)
}

// TrackingSignal returns T = E/M, in [−1, 1], and 0 if M is 0.
func (s *Signal) TrackingSignal() float64 { return tracking(s.E, s.M) }

// tracking returns e/m; |e| ≤ m but for rounding.
func tracking(e, m float64) float64 {
	switch {
	case !(m > 0):
		return 0
	case e >= m:
		return 1
	case e <= -m:
		return -1
	}
	return e / m
}

// Alarm reports whether |T| exceeds limit. A limit of 0 stands for that of one false alarm
// in a hundred steps, the last column above, for the signal's own Phi. It gives no alarm
// before 1/Phi errors: T is still near 1 then, whatever the errors are.
func (s *Signal) Alarm(limit float64) bool {
	if limit == 0 {
		phi := cmp.Or(s.Phi, defaultPhi)
		if float64(s.N) < 1/phi {
			return false
		}
		limit = alarmLimit(phi)
	}
	return math.Abs(s.TrackingSignal()) > limit
}

// alarmLimits has the 99% quantiles of |T| under independent normal errors, as in the
// table of Signal, with the ends: no memory at all, and all of it.
var alarmLimits = [...][2]float64{{0, 0}, {.05, .50}, {.1, .67}, {.2, .86}, {.3, .94}, {1, 1}}

// alarmLimit returns the quantile for phi, by lines between those of the table.
func alarmLimit(phi float64) float64 {
	for i := 1; i < len(alarmLimits); i++ {
		if a, b := alarmLimits[i-1], alarmLimits[i]; phi <= b[0] {
			return a[1] + (b[1]-a[1])*(phi-a[0])/(b[0]-a[0])
		}
	}
	return 1
}

// Validate returns a *pricing.InputError if the constant or the state is out of range.
func (s *Signal) Validate() error {
	if err := cmp.Or(checkFactors("Phi", s.Phi), checkCount("Signal", s.N, mostCount)); err != nil {
		return err
	}
	if !(s.M >= 0 && s.M <= 2*Largest && math.Abs(s.E) <= s.M*(1+1e-9)) {
		return badInput("Signal", -1, ErrValue, "E %v, M %v after %d errors: want |E| <= M, both finite", s.E, s.M, s.N)
	}
	return nil
}
