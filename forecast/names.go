package forecast

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// Default is the name of the model that [New] makes when asked for none, an [Auto].
const Default = "auto"

// About returns what the model of a name of [Names] is, in a few words, and how many
// values a fit of it wants, missing ones apart. It returns "" and 0 for other names.
func About(name string) (about string, least int) {
	if name == Default {
		return "the mean of the best models", new(Auto).Least()
	}
	return smoothing.About(name)
}

// Names returns the names of the models that [New] knows, in the order of their
// sophistication: those of package smoothing, and [Default].
func Names() []string { return append(smoothing.Names(), Default) }

// New returns a new model for a name of [Names], or for [Default] if the name is "". The model
// is ready for Update, with middling factors, and for Fit. Another name is an [*InputError]
// that unwraps to [ErrKind].
func New(name string) (smoothing.Fittable, error) {
	switch {
	case name == "" || name == Default:
		return &Auto{}, nil
	case !slices.Contains(smoothing.Names(), name):
		return nil, badInput("model", -1, ErrKind, "%q: want one of %s", name, strings.Join(Names(), ", "))
	}
	return smoothing.New(name)
}

// nameOf returns the name of a model's type in its JSON form, "" if the type is of another package.
func nameOf(m smoothing.Model) string {
	if _, ok := m.(*Auto); ok {
		return Default
	}
	return smoothing.Name(m)
}
