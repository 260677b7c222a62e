// Package workload generates jobs for a simulator where no log is at hand, or where a log
// is too short, too small or one sample only.
//
//	rng := rand.New(rand.NewPCG(1, 2))
//	jobs, err := workload.AppendLublin(nil, rng, 10_000, workload.Options{Nodes: 128})
//	err = workload.EstimatesTo(jobs, jobs, rng, workload.DefaultFactor) // estimates above run times
//	var s sim.Simulator
//	result, err := s.Run(jobs, sim.Options{})
//
// What to call:
//
//	You have                     You want                                  Call
//	a seed and a number          n jobs of a supercomputer                 AppendLublin
//	a seed                       the same, one by one without an end       Lublin.Reset, then Lublin.Next
//	a machine of another size    jobs of that machine                      Options.Nodes, Params.ForNodes
//	jobs with exact estimates    estimates that are worse than the truth   EstimatesTo
//	jobs of nobody               users, of whom a few have most jobs       UsersTo
//	a seed and a number          a week of a lab with parallel jobs        AppendFeitelson
//	the same                     ten days of mostly serial jobs            AppendGrid5000
//	the same                     the same jobs in bursts                   SampleOptions.Arrivals
//
// # Problem
//
// A policy that was tuned on one log may owe its success to that log. A generative model
// gives any number of traces of the same nature, and its parameters can be changed one at a
// time. Naive models have Poisson arrivals, exponential run times and uniform sizes. Such
// models are easy on a scheduler, and conclusions from them do not carry over. Logs of
// parallel machines teach five things, which [Lublin03] found in three logs and put into a
// model:
//
//   - Many jobs are serial, and most parallel ones ask for a power of two.
//   - Run times span seconds to days. The logarithm of the run time has a distribution
//     of a tractable form, with a mode of short and a mode of long jobs. A small share of
//     the jobs is most of the work.
//   - Large jobs run a little longer: the size shifts the odds of the two modes.
//   - Arrivals come in bursts, far from Poisson, and follow the hours of the day.
//   - Interactive and batch jobs are different populations.
//
// # Notation
//
// gamma(α, β) has shape α and scale β, mean αβ and variance αβ². The parameters
// are those of [Params], in its spelling. u is uniform in [0, 1), drawn anew at each use
// unless the text says "the same u".
//
// Size n, in nodes. With probability Serial, n is 1. Otherwise draw x, uniform in
// [ULow, UMed] with probability UProb, else uniform in [UMed, UHi]. With probability Pow2
// over all jobs, x is rounded to an integer. n is 2^x, rounded. The mean of x before
// rounding is
//
//	E x = (UProb·ULow + UMed + (1 − UProb)·UHi) / 2
//
// Run time r, in seconds. A hyper-gamma in the logarithm, tied to the size:
//
//	p = PA·n + PB, confined to [0, 1]
//	g ~ gamma(A1, B1) with probability p, else gamma(A2, B2)
//	r = ⌊e^g⌋, both lines again while g > 12
//	E g = p·A1·B1 + (1 − p)·A2·B2, before drawing again
//
// As g ≥ 0, r is at least 1. So no job has run time 0, and no job is dropped or changed to
// avoid that.
//
// Arrivals. Each type has its own process. A gap lasts e^a seconds of an average half hour,
// with a ~ gamma(AArr·ARAR, BArr), drawn again while a > 13. A half hour of the day counts
// by its weight,
//
//	wᵢ = (F(i + ½) − F(i − ½)) / mean, i = 11, …, 58, half hour (i − 1) mod 48
//
// where F is the distribution function of gamma(ANum, BNum). A gap that would end in the
// night is long, and a gap at noon is short. The weights have mean 1, so the long-run mean
// gap is E[e^a | a ≤ 13]. The next job is of the type whose next arrival is earlier.
//
// # Algorithms
//
//	                 use it for                             cost        statement
//	AppendLublin     n jobs at once                         O(n)        exact samples of the model
//	Lublin           a stream: as many jobs as needed       O(1) a job  the same jobs
//	EstimatesTo      estimates worse than the truth         O(n)        a stand-in, see there
//	AppendFeitelson  a week of a lab with parallel jobs     O(n log n)  fitted to a reported sample
//	AppendGrid5000   ten days of mostly serial jobs         O(n log n)  fitted to a reported sample
//
// BENCHMARKS.md has what the model gives on its 128 nodes beside the authors' program. Even a run of
// 200,000 jobs strays from the expectation: batch jobs are a seventh of the jobs and nine tenths of the
// work, and their share scatters from seed to seed by 3.9% of its value. So compare policies over
// several seeds, each policy on the same jobs.
//
// What the model leaves out: users, estimates, weeks and seasons, feedback from
// the machine to its users, cancelled jobs, and anything but nodes.
//
// # Samples that are known by a report
//
// [Marshall12] compares policies on a sample of the model of [Feitelson96] and on ten days
// of the Grid5000 trace, and publishes neither. The paper reports numbers of jobs, sizes,
// and moments of run times. AppendFeitelson and AppendGrid5000 make samples that have these
// values on average; BENCHMARKS.md says how far one sample is from the report.
//
// Arrivals are a separate assumption. [Poisson] arrivals spread a sample evenly: 1,001 jobs
// of the Feitelson sample then keep 130 cores busy on average. The sustained maximum of
// [Marshall12] holds 634 cores. In 104 of 300 samples the jobs would at times keep more
// cores busy than that. [Campaigns] submit the same jobs in ten bursts, and then 292 of 300
// samples exceed 634 cores. A finding about policies that save for a burst needs bursts,
// and should say so.
//
// # Units
//
// Submit, Run and Estimate are whole seconds as time.Duration (run times of
// AppendFeitelson are milliseconds). Submit counts from the midnight before the first
// job, or from the start of the sample's span. Sizes are nodes, or cores in the samples.
// Weights and probabilities are pure numbers. Load is Σ run·nodes over machine size times
// time of the last submission.
//
// # Allocation and concurrency
//
// [Lublin.Next], [Lublin.Reset], [EstimatesTo] and [UsersTo] allocate nothing; the Append
// functions allocate what dst needs to grow. A Lublin is for one goroutine at a time. The
// only randomness is the *rand.Rand that is passed in. The same source in the same state
// gives the same jobs on every machine: sampling uses only operations that IEEE 754
// rounds exactly, and leaves a compiler nothing inexact to fuse.
//
// # References
//
//   - [Lublin03] U. Lublin, D. G. Feitelson. The workload on parallel supercomputers:
//     modeling the characteristics of rigid jobs. J. Parallel and Distributed
//     Computing 63(11), 2003, 1105–1122. The parameters are those of the authors'
//     program, with which the model's figures were compared.
//   - [Feitelson96] D. G. Feitelson. Packing schemes for gang scheduling. Job
//     Scheduling Strategies for Parallel Processing 1996, LNCS 1162, 89–110.
//   - [Marshall12] P. Marshall, H. Tufo, K. Keahey. Provisioning policies for elastic
//     computing environments. IPDPS Workshops 2012. Section V.A.
//   - [Marsaglia00] G. Marsaglia, W. W. Tsang. A simple method for generating gamma
//     variables. ACM Trans. Mathematical Software 26(3), 2000, 363–372.
//   - [Knuth97] D. E. Knuth. The Art of Computer Programming 2, 3rd edition, 1997.
//   - [Mualem01] A. W. Mu'alem, D. G. Feitelson. Utilization, predictability,
//     workloads, and user runtime estimates in scheduling the IBM SP2 with
//     backfilling. IEEE Trans. Parallel and Distributed Systems 12(6), 2001, 529–543.
//   - [Tsafrir05] D. Tsafrir, Y. Etsion, D. G. Feitelson. Modeling user runtime
//     estimates. Job Scheduling Strategies for Parallel Processing 2005, LNCS 3834,
//     1–35.
package workload
