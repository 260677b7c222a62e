package smoothing

import (
	"reflect"
	"strings"
)

// catalogue has the name of each model once, in the order of their sophistication, the baselines first.
var catalogue = []struct {
	name, about string
	make        func() Model
}{
	{"naive", "the last value", func() Model { return &naive{} }},
	{"drift", "the line through the first and the last value", func() Model { return &drift{} }},
	{"simple", "simple exponential smoothing", func() Model { return &Simple{Alpha: .3} }},
	{"holt", "Holt's linear trend", func() Model { return &Holt{Alpha: .3, Beta: .1} }},
	{"damped", "Holt's trend, damped", func() Model { return &Holt{Alpha: .3, Beta: .1, Phi: .9} }},
	{"triple", "a trend with acceleration, [Niu16] Eq. (7)", func() Model { return &Triple{Alpha: .3, Beta: .1, Gamma: .1} }},
	{"midpoint", "triple, repaired to be exact on quadratics", func() Model {
		return &Triple{Form: Midpoint, Alpha: .3, Beta: .1, Gamma: .1}
	}},
	{"backward", "triple, repaired by backward differences", func() Model {
		return &Triple{Form: BackwardDifference, Alpha: .3, Beta: .1, Gamma: .1}
	}},
	{"adaptive-triple", "triple, its factor by Trigg and Leach", func() Model {
		return &AdaptiveTriple{Model: Triple{Beta: .1}, Gamma: .1}
	}},
	{"blend", "a quick and a careful trend", func() Model {
		h := Holt{Alpha: .3, Beta: .1, Phi: .9}
		return &blend{h, h}
	}},
	{"mean", "the mean of a recent window", func() Model { return &Mean{} }},
	{"seasonal-naive", "the last season again", func() Model { return &SeasonalNaive{} }},
	{"winters", "Holt and Winters, a damped trend and a season", func() Model {
		return &HoltWinters{Alpha: .1, Beta: .1, Phi: .9, Gamma: .1}
	}},
	{"winters-ratio", "winters, its season a factor", func() Model {
		return &HoltWinters{Multiplicative: true, Alpha: .1, Beta: .1, Phi: .9, Gamma: .1}
	}},
	{"two-seasons", "a level, two seasons, errors that persist", func() Model {
		return &HoltWinters{Alpha: .1, Gamma: .1, Delta: .1, Rho: .5}
	}},
	{"harmonics", "a damped trend and a few sine waves", func() Model {
		return &Harmonic{Alpha: .1, Beta: .1, Phi: .9, Gamma: .01}
	}},
	{"lags", "a recursion in the differences over a season", func() Model { return &Autoregression{Difference: 1} }},
}

// About returns what the model of a name of [Names] is, in a few words, and how many
// values a fit of it wants, missing ones apart. It returns "" and 0 for other names.
func About(name string) (about string, least int) {
	for _, c := range catalogue {
		if c.name == name {
			return c.about, c.make().Least()
		}
	}
	return "", 0
}

// Names returns the names of the models that [New] knows, in the order of their
// sophistication.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, c := range catalogue {
		names[i] = c.name
	}
	return names
}

// New returns a new model for a name of [Names]. The model is ready for Update, with middling
// factors, and for Fit. Another name is a *pricing.InputError that unwraps to [ErrKind].
func New(name string) (Model, error) {
	for _, c := range catalogue {
		if c.name == name {
			return c.make(), nil
		}
	}
	return nil, badInput("model", -1, ErrKind, "%q: want one of %s", name, strings.Join(Names(), ", "))
}

// Name returns the name of a model's type in its JSON form, "" if the type is of another
// package. Of several names of one type it is the first.
func Name(m Model) string {
	for _, c := range catalogue {
		if reflect.TypeOf(c.make()) == reflect.TypeOf(m) {
			return c.name
		}
	}
	return ""
}
