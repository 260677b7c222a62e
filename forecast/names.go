package forecast

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// Default is the name of the model that [New] makes when asked for none.
const Default = "auto"

// About returns what the model of a name of [Names] is, in a few words, and how many
// values a fit of it wants, missing ones apart. It returns "" and 0 for other names.
func About(name string) (about string, least int) {
	if name == Default {
		return "the mean of the best models", new(auto).Least()
	}
	return smoothing.About(name)
}

// Names returns the names of the models that [New] knows, in the order of their
// sophistication: those of package smoothing, and [Default].
func Names() []string { return append(smoothing.Names(), Default) }

// New returns a new model for a name of [Names], or for [Default] if the name is "". The model is
// ready for Update and for Fit. For an unknown name, the error is an *pricing.InputError that
// unwraps to [ErrKind].
//
// The default model is a weighted mean of up to three models, which its Fit chooses. String lists
// them, as in "lags 60%, two-seasons 40%". The rest of this comment describes Fit of the default
// model, with the parameter f, a [smoothing.Fitter].
//
// Season. The season is f.Season if f states one. Otherwise it is the season that
// [smoothing.Fitter.Periods] finds. Fit removes changes of level and slope from the series, see
// [Changes].
//
// Trial. Fit divides the series into a first part and a last part. The last part is four times
// f.Horizon or a quarter of the series, whichever is more, but at most eight times f.Horizon and at
// most half of the series. Each candidate is fitted to the first part. Then the candidate goes
// through the last part value by value, and forecasts at 10 to 45 points on the way. The error of a
// candidate is the mean absolute error over f.Horizon steps. If f.Horizon is 0, the horizon is a
// season, and at least 13 steps.
//
// Choice. Fit chooses the best three candidates, and fits them again to the whole series. Their
// weights fall with the square of their errors. A candidate with twice the least error has weight
// 0.
//
// Scale. If there is a season, Fit also tries the candidates on the logarithm of the series, or on
// the square root if the series has zeros. If the best error falls by 3%, all candidates work on
// that scale.
//
// Candidates. Without a season, the candidates are the models "blend" and "mean". Fit also tries
// models with a second, longer season if the series has three cycles of the second season, and the
// first part has two.
//
// Short series. A trial of a season needs values that are in the last part and after the first two
// seasons, a quarter of a season at least. If there are fewer, Fit ignores a season that f does not
// state. A season that f states is kept: the forecast is the value of a season before, or from two
// seasons on, the mean of that value and of a model of waves. If the series is shorter than the
// season that f states, the error is ErrShort.
//
// Fit uses the last 416 values, 8 seasons, 32 second seasons or 16 horizons, whichever is most.
// Only "mean" uses all values. Fit needs three values, and makes at most 27 fits.
func New(name string) (smoothing.Model, error) {
	switch {
	case name == "" || name == Default:
		return &auto{}, nil
	case !slices.Contains(smoothing.Names(), name):
		return nil, badInput("model", -1, ErrKind, "%q: want one of %s", name, strings.Join(Names(), ", "))
	}
	return smoothing.New(name)
}

// nameOf returns the name of a model's type in its JSON form, "" if the type is of another package.
func nameOf(m smoothing.Model) string {
	if _, ok := m.(*auto); ok {
		return Default
	}
	return smoothing.Name(m)
}
