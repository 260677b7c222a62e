package main

import (
	"errors"
	"slices"

	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
)

// errNoFunctions: a profile without times of MPI functions.
var errNoFunctions = errors.New("the profile has no times of MPI functions, in columns such as MPI_Send: record them (cap3 record -h), or take -model cap3, which needs their sum")

// byFunction is the model of T_N by MPI function. It is fitted to parts of a profile, whose
// times by function it looks up in the whole.
type byFunction struct {
	mpiprofile.Model
	whole *mpiprofile.Profile
}

// Fit implements [perfmodel.Model].
func (m *byFunction) Fit(p *perfmodel.Profile) error {
	part := mpiprofile.Profile{Profile: *p, Functions: m.whole.Functions}
	if len(part.Functions) == 0 {
		return errNoFunctions
	}
	for i := range p.Runs {
		r := &p.Runs[i]
		k := slices.IndexFunc(m.whole.Runs, func(x perfmodel.Run) bool {
			return x.Case == r.Case && x.Processes == r.Processes && x.Seconds == r.Seconds
		})
		if k < 0 {
			return errNoFunctions
		}
		part.Seconds = append(part.Seconds, m.whole.Seconds[k])
	}
	return m.Model.Fit(&part)
}
