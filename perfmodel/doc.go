// Package perfmodel predicts how long a parallel program runs, from runs on smaller
// inputs and fewer processes, and says how sure that is. Package perfmodel/sizing decides
// from the predictions how many processes to rent.
//
//	profiles, err := perfmodel.ReadProfiles(file) // a table: processes, seconds, and features of the input
//	var model perfmodel.LogLinear                 // or another of the models below
//	err = model.Fit(&profiles[0])
//	estimate, err := perfmodel.At(&model, []float64{32e6}, 8) // on 8 processes
//	// estimate.Seconds, estimate.Lower, estimate.Upper, estimate.Outside
//
// A [Profile] has the [Run]s that were measured, each with the features of its input.
//
//	You have                           You want                                      Call
//	a table of measured runs           profiles                                      ReadProfiles
//	a profile                          a model of its run times                      Fit of LogLinear, USL, …
//	profiles of several programs       one model of the machine                      ChooseMachine, Machine.FitAll
//	several models                     the model that predicts best                  Chooser.Choose
//	a fitted model, an input           the run time, with an interval                At, EstimateTo
//	the same, a deadline and a budget  the number of processes to rent               package perfmodel/sizing
//	a profile and an input             how far the input lies outside the profile    Profile.AppendExtrapolations
//	runs on more processes than cores  to find and to leave out these runs           Profile.Unsaturated
//	a table with columns of its own    least squares alone                           package perfmodel/lsq
//
// # Problem
//
// A program on P processes computes and communicates. A user wants to run the program
// on a large input by a deadline, and has profiled the program on small inputs. The
// user must know the run time on each number of processes, and how sure the prediction
// is, before paying for any of it. [Huang13] fits power laws to the profile. This package
// does that, names what the profile cannot tell apart, predicts with an interval, says how
// far a prediction goes beyond the profile, and learns from all programs that were profiled
// on the same machine.
//
// # Algorithms
//
// T = T_C + T_N are the seconds of computation and communication, x_j the features of the
// input, W the work that they amount to.
//
//	              model                                       choose it when
//	[Additive]    T = c_0 + Σ c_j·x_j + c·P                   you compare with Eq. (1) of [Huang13]
//	[LogLinear]   log T = c_0 + Σ c_j·log x_j + c·log P       Eq. (2); features vary independently, or W is known
//	  Quadratic   ... + d·(log P)², [Barnes08]                speedup falls with P
//	[Network]     Eq. (2) with log P or P·log P for P         T_N was measured; Eqs. (3) and (4)
//	[CAP3]        T_C by Eq. (2) plus T_N                     you want the model of [Huang13]
//	[USL]         T = W·(a/P + b + c·(P−1)), [Gunther93]      time rises beyond some P
//	  Amdahl      with c = 0, [Amdahl67]                      speedup has a limit
//	[Machine]     ln T − ln W by Gaussian processes,          several programs were profiled
//	              one shared by all programs                  on one machine; larger inputs
//	[Chooser]     the least error on runs left out            you are in doubt
//
// A fit of n runs with k coefficients takes O(n·k²), and some hundred times O(n³) for a
// Machine. No bound is known for the error of any prediction beyond the profile.
//
// Dependent features. The features of Table I in [Huang13], fitted as they are to classes
// S, W and A of the NAS Parallel Benchmarks, leave coefficients open for all benchmarks but
// EP: iterations do not vary, and nx = ny = nz. A minimum-norm solution then predicts class
// B nearly 0. Here such a fit is an error that names the columns, [ErrDependent]. The
// remedy is one feature for all of them, the work ([NPB]).
//
// Larger inputs. Three cases of a program say little about a case ten times as large. A
// [Machine] learns one curve for all programs: how much dearer a unit of work gets when a
// process goes over more memory. Class B of CG, EP, FT, IS and MG on a real machine, from
// classes S, W and A of eight benchmarks, is off by 7.7% in the median and by 36% at worst,
// and all ten cells are within their intervals for 90% (go test -run TestClassB -v
// ./perfmodel). A Machine has no constant time to start: profile cases that take longer.
//
// More processes. Laws that agree on 1 to 8 processes differ on 32. Choose by a Chooser
// with Most, from models of each program by itself.
//
// Medians and means. [Estimate].Seconds is the median; quantiles pass through exp. The mean
// of a log-normal time is larger; [Estimate].Mean is the unbiased estimate of [Bradu70].
//
// # Units
//
// Times are seconds as float64, as logarithms of them are taken. Features have the units
// of the profile. Levels of intervals are probabilities in (0, 1).
//
// # Allocation and concurrency
//
// Models, [Machine] and [Chooser] keep their memory and allocate nothing once it suffices.
// [ChooseMachine], [Candidates] and the readers allocate. Each value is for one goroutine at
// a time. No argument is modified except dst.
//
// # References
//
//	[Huang13]   Huang, Wang, Tak, Wang, Tang, CAP³: A Cloud Auto-Provisioning Framework for
//	            Parallel Processing Using On-demand and Spot Instances, IEEE CLOUD, 2013.
//	[Amdahl67]  Amdahl, Validity of the Single Processor Approach ..., AFIPS, 1967.
//	[Bailey91]  Bailey et al., The NAS Parallel Benchmarks, Int. J. Supercomp. Appl. 5(3), 1991.
//	[Barnes08]  Barnes et al., A Regression-Based Approach to Scalability Prediction, ICS, 2008.
//	[Bradu70]   Bradu, Mundlak, Estimation in Lognormal Linear Models, JASA 65, 1970.
//	[Finney41]  Finney, On the Distribution of a Variate Whose Logarithm Is Normally
//	            Distributed, Supplement to the JRSS 7(2), 1941.
//	[Gunther93] Gunther, A Simple Capacity Model of Massively Parallel Transaction Systems, CMG, 1993.
//	[PjesivacGrbovic07] Pješivac-Grbović et al., Performance Analysis of MPI Collective
//	            Operations, Cluster Computing 10(2), 2007.
//	[Rasmussen06] Rasmussen, Williams, Gaussian Processes for Machine Learning, MIT Press, 2006.
package perfmodel
