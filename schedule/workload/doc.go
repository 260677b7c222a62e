// Package workload makes jobs: endless believable traces for a simulator where
// no log is at hand, or where a log is too short, too small or one sample only.
//
// # Problem
//
// A policy that was tuned on one log may owe its success to that log. A
// generative model gives as many traces of the same nature as one likes, and its
// parameters can be turned one at a time. Naive models, with Poisson arrivals,
// exponential run times and uniform sizes, are easy on a scheduler, and
// conclusions from them do not carry over. Logs of parallel machines teach five
// things, which [Lublin03] found in three of them and put into a model:
//
//   - Many jobs are serial, and most parallel ones ask for a power of two.
//   - Run times span seconds to days. Their logarithm, not they, has a
//     distribution of a tractable form, with a mode of short and one of long
//     jobs; a small share of the jobs is most of the work.
//   - Large jobs run longer, a little: the size shifts the odds of the two modes.
//   - Arrivals come in bursts, far from Poisson, and follow the hours of the day.
//   - Interactive and batch jobs are different populations.
//
// # Notation
//
// gamma(α, β) has shape α and scale β, mean αβ and variance αβ². The parameters
// are those of [Params], in its spelling; u is uniform in [0, 1), a fresh one at
// each use unless it says "the same u".
//
// Size n, in nodes. With probability Serial, 1. Else draw x, uniform in
// [ULow, UMed] with probability UProb, in [UMed, UHi] without; with probability
// Pow2 over all jobs x is rounded to an integer; n is 2^x, rounded. The mean of
// x before rounding is
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
// As g ≥ 0, r is at least 1: no job has run time 0, and no job is dropped or
// raised for it.
//
// Arrivals. Each type has its own process. A gap is worth e^a seconds of an
// average half hour, a ~ gamma(AArr·ARAR, BArr), again while a > 13; and a half
// hour of the day costs its weight to pass,
//
//	wᵢ = (F(i + ½) − F(i − ½)) / mean, i = 11, …, 58, half hour (i − 1) mod 48
//
// where F is the distribution function of gamma(ANum, BNum). A gap that would end
// in the night is long, one at noon short. The weights have mean 1, so that the
// long-run mean gap is E[e^a | a ≤ 13]. The next job is that of the type whose
// next arrival is earlier.
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
// What the model gives on its 128 nodes, as expectations by numerical
// integration, and what one run of 200,000 jobs of the authors' program gave:
//
//	                                typed            typeless
//	                            model  program    model  program
//	mean run time, s            1,626    1,669    4,357    4,346
//	its coefficient of variation 4.20     4.16     1.94     1.95
//	mean size, nodes             8.92     8.91    12.13    12.24
//	mean gap, s                   527      518      911      929
//	load                         .400     .410     .722     .712
//	share of batch jobs          .150     .155
//
// How far one run of 200,000 jobs strays from the expectation is part of the
// lesson. Gaps between batch jobs have a coefficient of variation of 5.8, those
// between interactive jobs one of 9.9, so that the share of batch jobs scatters
// from seed to seed by 3.9% of its value (one standard deviation, over 60 seeds).
// Batch jobs are a seventh of the jobs and nine tenths of the work: with their
// share scatter the mean run time (by 3.5%) and the load (by 3.3%); the mean gap
// scatters by 2.0%. Typeless figures stray less: run time by 0.5%, size by 0.4%, gap
// by 1.8%, load by 2.0%. The program's runs are at most 2.5 such deviations from the
// expectation. Compare policies over several seeds, each on the same jobs.
//
// What the model leaves out: users, estimates, weeks and seasons, feedback from
// the machine to its users, cancelled jobs, and anything but nodes.
//
// # Samples that are known by a report
//
// [Marshall12] compares policies on a sample of the model of [Feitelson96] and on ten
// days of the Grid5000 trace, and gives neither; it reports numbers of jobs, sizes,
// and moments of run times. AppendFeitelson and AppendGrid5000 make samples that have
// them on average; their comments say how far one sample is from the report.
//
// Arrivals are an assumption of their own. [Poisson] arrivals spread a sample evenly:
// 1,001 jobs of the Feitelson sample then keep 130 cores busy on average, and in 104 of
// 300 samples would keep busy more than 634 at a time, which is what the sustained
// maximum of [Marshall12] holds. [Campaigns] submit the same jobs in ten bursts, and
// 292 of 300 samples do. Findings on policies that save
// for a burst need bursts, and should say so.
//
// # Units
//
// Submit, Run and Estimate are whole seconds as time.Duration (run times of
// AppendFeitelson are milliseconds), Submit from the midnight before the first job
// or from the start of the sample's span; sizes are nodes, or cores in the samples. Weights and probabilities are
// pure numbers. Load is Σ run·nodes over machine size times time of the last
// submission.
//
// # Allocation and concurrency
//
// [Lublin.Next], [Lublin.Reset] and [EstimatesTo] allocate nothing; the Append
// functions allocate what dst needs to grow. A Lublin is for one goroutine at a time. The
// only randomness is the *rand.Rand that is passed in, and the same source in the
// same state gives the same jobs on every machine: sampling uses only operations
// that IEEE 754 rounds exactly, and leaves a compiler nothing inexact to fuse.
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
