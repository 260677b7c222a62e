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

// New returns a new model for a name of [Names], or for [Default] if the name is "". The model
// is ready for Update, with middling factors, and for Fit. Another name is a *pricing.InputError
// that unwraps to [ErrKind].
//
// The default is a weighted mean of up to three models, which its Fit chooses. Its String says
// which they are, as in "lags 60%, two-seasons 40%".
//
// Fit takes a [smoothing.Fitter], f here. The season is f.Season, or the season that
// [smoothing.Fitter.Periods] finds. Fit also tries models with a second season if the series has
// three cycles of the second season, and the first part described below has two.
//
// A season that f states is obeyed. A series of one to two and a quarter seasons is too short to try
// models with the season. Its forecast is what came a season before; from two seasons on, it is the
// mean of that and of waves. A series of less than a season is an error, ErrShort. Fit takes changes
// of level and slope out of the series first, see [Changes].
//
// Fit divides the series into a first part and a last part. The last part is four times f.Horizon
// or a quarter of the series, whichever is more, and at most half of the series. Each candidate is
// fitted to the first part. Then the candidate goes through the last part value by value, and
// forecasts at 10 to 45 points on the way. The error of a candidate is the mean absolute error over
// f.Horizon steps, or by default over a season, at least 13 steps.
//
// The best three candidates are fitted again to the whole series. Their weights fall with the
// square of their errors. A candidate with twice the least error has weight 0. If there is a
// season, the candidates are also tried on the logarithm of the series, or on the square root if
// there are zeros. If the best error falls by 3%, all candidates work on that scale.
//
// Without a season the candidates are the models "blend" and "mean". A season that was found, and
// that f does not state, does not count if less than a quarter of a season follows the first two.
// Fit uses the last 416 values, 8 seasons, 32 second seasons or 16 horizons, whichever is most. Only
// "mean" uses all values.
//
// Fit needs three values, and makes at most 27 fits.
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
