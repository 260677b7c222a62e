package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// whyNot says in a sentence why no model could be fitted to an application, which runs
// are missing, and with which flag it can be.
func (o *options) whyNot(f *fitted, err error) string {
	counts := countsOf(&f.profile)
	name := o.model.String()
	if len(f.profile.Runs) > 1 && len(counts) == 1 {
		return fmt.Sprintf("%s: all runs are on %s, which does not tell how it scales; profile it on others, too%s", o.cannot(), processes(counts[0]), o.keeping(f))
	}
	if o.model == sumOfTwo && f.unsplit == len(f.profile.Runs) {
		return "cap3: no run has its computation and communication measured apart; take -model work, which needs the whole times only"
	}
	if errors.Is(err, errNoFunctions) {
		return o.cannot() + ": " + err.Error()
	}
	var few bool
	var dependent *lsq.DependenceError
	switch {
	case errors.As(err, &dependent):
	case errors.Is(err, perfmodel.ErrFewRows):
		few = true
	default:
		return o.cannot() + ": " + inRuns(&f.profile, err)
	}
	need, instead := 0, "" // numbers of processes
	switch o.model {
	case quadratic:
		need, instead = 3, "work"
	case usl:
		need, instead = 3, "amdahl"
	case sumOfTwo:
		if o.network == networkFitted {
			split := runsFor(sumOfTwo, &f.profile)
			if counts = countsOf(&split); counts[0] == 1 {
				counts = counts[1:]
			}
			need, instead = 2, ""
		}
	}
	if len(counts) < need {
		above := ""
		if o.model == sumOfTwo {
			above = " above 1"
		}
		out := fmt.Sprintf("%s needs runs on %s%s, and the profile has %s", name, decimal.Count(need, "number")+" of processes", above, numbers(counts))
		if o.keeping(f) != "" {
			return out + o.keeping(f)
		}
		out += ": profile it on " + processes(next(f, counts)) + ", too"
		if all := append(counts, next(f, counts)); len(all) >= need {
			out += fmt.Sprintf(" (cap3 record -counts %s)", strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), " ", ","))
		}
		out += ", or take "
		if instead == "" {
			return out + "-network proportional, which needs one"
		}
		return out + fmt.Sprintf("-model %s, which needs %d", instead, need-1)
	}
	why := inData(err)
	if k := strings.LastIndex(why, "; leave out "); k >= 0 && o.drop == 0 {
		why = why[:k] // the flags say how
	}
	if o.keepDoes(f) {
		return o.cannot() + ": " + why + o.keeping(f)
	}
	if o.by != byWork {
		out := fmt.Sprintf("%s by the features: %s. -by work puts the amount of work in place of the features", o.cannot(), why)
		if !few && o.dropDoes(f) {
			out += ", and -dependent drop leaves out the columns that others determine"
		}
		return out
	}
	return o.cannot() + ": " + why
}

// dropDoes reports whether the model can be fitted without the columns that others
// determine, and then predicts the tasks.
func (o *options) dropDoes(f *fitted) bool {
	if o.model == auto || o.model == machine {
		return false
	}
	without := *o
	without.drop = 1
	model, runs := without.newModel(o.model, f), runsFor(o.model, &f.profile)
	if model.Fit(&runs) != nil {
		return false
	}
	return !slices.ContainsFunc(f.tasks, func(c kase) bool {
		_, err := perfmodel.At(model, c.Features, 1)
		return err != nil
	})
}

// keepDoes reports whether a model can be fitted with the runs that were left out, and then
// predicts the tasks.
func (o *options) keepDoes(f *fitted) bool {
	if len(f.left) == 0 || o.model == machine || o.model == functions {
		return false
	}
	with := *f
	with.profile.Runs = slices.Concat(f.profile.Runs, f.left)
	for m := eq1; m < models; m++ {
		if o.model != m && (o.model != auto || m == functions || m == eq1 && o.by == byAuto) {
			continue
		}
		model, runs := o.newModel(m, &with), runsFor(m, &with.profile)
		if model == nil || o.model == auto && len(runs.Runs) < len(with.profile.Runs) || model.Fit(&runs) != nil {
			continue
		}
		if !slices.ContainsFunc(f.tasks, func(c kase) bool {
			_, err := perfmodel.At(model, c.Features, 1)
			return err != nil
		}) {
			return true
		}
	}
	return false
}

// cannot names what cannot be fitted.
func (o *options) cannot() string {
	if o.model == auto {
		return "no model can be fitted"
	}
	return o.model.String() + " cannot be fitted"
}

// keeping offers the runs that were left out.
func (o *options) keeping(f *fitted) string {
	if len(f.left) == 0 {
		return ""
	}
	left := countsOf(&perfmodel.Profile{Runs: f.left})
	return fmt.Sprintf("; the runs on %s became no faster and are left out, -oversubscribed keep takes them", numbers(left))
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

// next is the first number of processes that the program runs on and the profile lacks.
func next(f *fitted, counts []int) int {
	for _, n := range perfmodel.AppendCounts(nil, f.counts, 2, 1<<20) {
		if !slices.Contains(counts, n) {
			return n
		}
	}
	return counts[len(counts)-1] + 1
}

// unpredictable says why a model that could be fitted does not predict a task.
func (o *options) unpredictable(err error) string {
	switch {
	case errors.Is(err, perfmodel.ErrNotEstimable):
		return fmt.Sprintf("the profile does not tell the coefficients that this input needs: %s; -by work puts the amount of work in place of the features", inData(err))
	case errors.Is(err, perfmodel.ErrFewRows):
		return strings.Replace(inData(err), "a confidence of 0.5", "-confidence 0.5, which takes the prediction as it is", 1)
	case o.model == eq1 && errors.Is(err, perfmodel.ErrNotPositive):
		return strings.Replace(cli.Detail(err), "want a model that cannot fall below 0, such as LogLinear", "-model eq2 cannot fall below 0", 1)
	}
	return inData(err)
}
