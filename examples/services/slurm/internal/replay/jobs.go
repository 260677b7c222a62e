// Package replay runs jobs of a real log's shape on a cluster of Slurm, and keeps a
// record of what happened. The record says when each job was submitted, started and ended,
// and when each instance was asked for, was up and was given back.
package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// Largest is how many nodes a job needs at most.
const Largest = 8

// users is how many users the jobs have at most.
const users = 8

// The jobs are those of an afternoon of a small cluster, on the scaled clock.
const (
	shortest, longest     = 5 * time.Minute, 75 * time.Minute // runs
	medianGap, longestGap = 2 * time.Minute, 80 * time.Minute // between two submissions
)

// Make returns n jobs of the model of Lublin and Feitelson [Lublin03], with the parameters
// that its authors advise for a machine of eight nodes, made short.
//
// Run times keep their order and the shape of the distribution of their logarithms: a
// straight line takes the logarithms of the model's shortest and longest run to those
// above. The gaps between submissions are made short in the same way, by their median and
// the longest, so that bursts and lulls stay. Sizes are the model's, and estimates are as
// bad as those of users (workload.EstimatesTo). A few of eight users have most of the jobs.
//
// The jobs come in the order of submission, the first at time 0, with numbers from 0 on.
func Make(rng *rand.Rand, n int) ([]trace.Job, error) {
	p := workload.TypelessParams()
	p.ULow, p.UMed, p.UHi = .8, 1.5, 3
	jobs, err := workload.AppendLublin(nil, rng, n, workload.Options{Nodes: Largest, Typeless: true, Whole: p})
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	runs := make([]float64, len(jobs))
	gaps := make([]float64, len(jobs)-1)
	for i, j := range jobs {
		runs[i] = math.Log(j.Run.Seconds())
		if i > 0 {
			gaps[i-1] = math.Log(max(1, (j.Submit - jobs[i-1].Submit).Seconds()))
		}
	}
	at := time.Duration(0)
	run := line(slices.Min(runs), slices.Max(runs), shortest, longest)
	gap := func(float64) time.Duration { return 0 }
	if len(gaps) > 0 {
		sorted := slices.Sorted(slices.Values(gaps))
		gap = line(sorted[len(gaps)/2], sorted[len(gaps)-1], medianGap, longestGap)
	}
	for i := range jobs {
		if i > 0 {
			at += gap(gaps[i-1]).Round(time.Second)
		}
		jobs[i].ID, jobs[i].Submit, jobs[i].Run = int64(i), at, run(runs[i]).Round(time.Second)
	}
	if err := workload.EstimatesTo(jobs, jobs, rng, workload.DefaultFactor); err != nil {
		return nil, err
	}
	workload.UsersTo(jobs, jobs, rng, users)
	return jobs, nil
}

// line returns the times whose logarithms are on a straight line, low at lo and high
// at hi.
func line(lo, hi float64, low, high time.Duration) func(float64) time.Duration {
	a, b := math.Log(low.Seconds()), math.Log(high.Seconds())
	slope := 0.
	if hi > lo {
		slope = (b - a) / (hi - lo)
	}
	return func(x float64) time.Duration {
		return time.Duration(math.Exp(a+slope*(x-lo)) * float64(time.Second))
	}
}
