package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// whyNot says in a sentence why no model could be fitted to an application, and what helps.
func (o *options) whyNot(f *fitted, err error) string {
	what := "no model can be fitted"
	if o.model != auto {
		what = o.model.String() + " cannot be fitted"
	}
	left := ""
	if len(f.left) > 0 {
		left = fmt.Sprintf("; the runs on %s became no faster and are left out", numbers(countsOf(&perfmodel.Profile{Runs: f.left})))
	}
	counts := countsOf(&f.profile)
	switch {
	case len(f.profile.Runs) > 1 && len(counts) == 1:
		return fmt.Sprintf("%s: all runs are on %s, which does not tell how it scales; profile it on others, too%s", what, processes(counts[0]), left)
	case o.model == sumOfTwo && f.unsplit == len(f.profile.Runs):
		return "cap3: no run has its computation and communication measured apart; take -model work, which needs the whole times only"
	case errors.Is(err, errNoFunctions):
		return what + ": " + err.Error()
	case (o.model == quadratic || o.model == usl) && len(counts) < 3:
		instead := map[modelName]string{quadratic: "work", usl: "amdahl"}[o.model]
		return fmt.Sprintf("%v needs runs on 3 numbers of processes, and the profile has %s%s: profile it on another, or take -model %s, which needs 2",
			o.model, numbers(counts), left, instead)
	}
	return what + ": " + inRuns(&f.profile, err) + left + "; -model work needs two numbers of processes and the product of the features"
}

// numbers is a list such as "1 and 2 processes".
func numbers(counts []int) string {
	if len(counts) == 1 {
		return processes(counts[0])
	}
	var list []string
	for _, n := range counts {
		list = append(list, decimal.Int(n))
	}
	return cli.Series(list, "and") + " processes"
}

// unpredictable says why a model that could be fitted does not predict a task.
func unpredictable(o *options, err error) string {
	switch {
	case errors.Is(err, perfmodel.ErrFewRows):
		return strings.Replace(inData(err), "a confidence of 0.5", "-confidence 0.5, which takes the prediction as it is", 1)
	case o.model == eq1 && errors.Is(err, perfmodel.ErrNotPositive):
		return strings.Replace(cli.Detail(err), "want a model that cannot fall below 0, such as LogLinear", "-model eq2 cannot fall below 0", 1)
	}
	return inData(err)
}
