// Package sizing decides how many processes, and so how many instances, to rent for a
// run with a deadline and a budget.
//
//	var model perfmodel.LogLinear // or another model of package perfmodel
//	err := model.Fit(&profile)
//	choice, err := new(sizing.Sizer).Size(&model, sizing.Huang13InstanceTypes()[0], sizing.Target{
//		Features: []float64{32e6}, Deadline: time.Hour, Confidence: 0.9, // nine chances in ten
//		Cheapest: true, Counts: []int{1, 2, 4, 8, 16},
//	}) // choice.Verdict, choice.Best.Processes, choice.Best.UpperCost
//
//	You have                                       You want                                    Call
//	a fitted model, an input, a deadline, a budget the number of processes to rent             Sizer.Size
//	the same                                       each size with its time and cost            Sizer.AppendSizes
//	a fitted model, an input                       all sizes best for some deadline and budget Sizer.AppendFront
//	instance types                                 the cheapest by its speed                   CheapestPerUnit
//	the sizes of runs of several customers         shared clusters, and who pays what          Share
//
// # Problem
//
// More processes end a run sooner, until they do not, and each instance is paid by the
// meter. [Huang13] predicts the time T of a run on P processes and tries every P:
//
//	cost = c_unit · ⌈P/ppn⌉ · ⌈T⌉    Eq. (5)
//
//	P          number of processes
//	ppn        processes that run on one instance
//	c_unit     price of an instance per hour
//	⌈T⌉        what the meter charges for T: whole hours in the paper
//
// # Algorithm
//
// Every number of processes of Target.Counts is looked at, so the result is exact for the
// estimates given. n numbers take O(n) beyond the estimates, and O(n log n) for the front.
// A size that cannot win by its time is not priced; nor is one that a lower bound on its
// price rules out. The bound is the price of the time that is charged, without rounding.
//
// # Choices
//
//   - A choice keeps to the profiled numbers of processes. [Huang13] section III.A
//     profiled LU to 32 processes, where LU scaled well, and rented 128, where it did not,
//     at three times the cost. The models are straight lines or parabolas in log P: beyond
//     the measured numbers they promise a speedup that nobody has seen.
//     Target.MaxScale lets the choice go beyond, by a factor, and Choice.Withheld says how
//     many numbers were left out.
//   - Section II.B of [Huang13] wants the least time within deadline and budget; its
//     introduction wants the least cost within the deadline. Target.Cheapest asks for the
//     second. [Sizer.AppendFront] lists all sizes that are best for some deadline and budget.
//   - With Target.Confidence, the upper end of an interval must meet the deadline and the
//     budget. Half of all runs take longer than the median.
//
// # Units
//
// Times are [time.Duration], rounded up to the nanosecond. Money is pricing.Money.
//
// # Errors
//
// An error about the input is a *pricing.InputError that unwraps to an error of package
// perfmodel. Its Package is "sizing", or "perfmodel" for what the estimator refuses.
//
// # Allocation and concurrency
//
// A Sizer keeps its memory and allocates nothing once it suffices, if the estimator does
// not. It is for one goroutine at a time. No argument is modified except dst.
//
// # References
//
// [Huang13] H. Huang, L. Wang, B. C. Tak, L. Wang, C. Tang, "CAP³: A Cloud
// Auto-Provisioning Framework for Parallel Processing Using On-demand and Spot
// Instances", IEEE CLOUD, 2013.
package sizing
