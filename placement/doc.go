// Package placement says which of the idle instances a starting job gets, and
// at which of several clouds more are cheapest.
//
// # Problem
//
// A cluster of leased instances is charged by the lease, not by the job: every
// instance has its own moment at which the next hour is charged. A job that
// needs n instances may take any n of the idle ones. Which it takes decides
// which are left, when those are given back, and whether the leases under the
// job renew before it ends. The choice is made online, without knowing which
// jobs come next, and it is a rule of thumb: no bound on its cost is known.
//
// With several clouds there is a choice before that: where to request instances
// that a job needs, which cannot move later. What they cost an hour depends on what
// runs there already: on the reservations that are not in use, and on the discount
// that was earned in this month.
//
// # Notation
//
//	now    the present
//	due    when the next charge of an instance falls
//	m      due − now, its residual lease term (margin): paid for and not yet used
//	i      now − since, how long it has been idle
//
// # Algorithms
//
//	policy          takes first        what it is for
//	MaxMarginFirst  the largest m      uses what is paid for; the lowest cost in [Niu16]
//	MinMarginFirst  the smallest m     keeps long leases idle for later jobs; the shortest wait
//	MaxIdleFirst    the largest i      spreads the work over all instances
//	MinIdleFirst    the smallest i     leaves some idle for long, so that they expire
//	Random          any                the yardstick
//
// All are those of [Niu16] section 4.2. On a replay of the log SDSC-DS-2004 with
// hourly charges and the simulator's defaults, MaxMarginFirst was charged for
// 760,068 instance-hours at a mean wait of 139.0 s, and MinMarginFirst for 769,266
// at 121.6 s: 1.2% cheaper against 12.5% less wait (the test
// TestDataStar of schedule/sim holds the figures).
//
// [Selector.AppendSelect] costs O(k) for k idle instances on the usual orders,
// not the O(k·log k) of sorting them: it needs the n first, not their order. Equal instances fall by
// ID, so that the same instances are chosen in whatever order they are given.
// The guarantee is that the chosen set is exactly the n first; nothing is proven
// of the cost that it leads to.
//
// Of clouds, [Choose] takes the one at which the next instances have the least
// instant charging rate ([Cloud.Rate], [Niu16] section 6): the sum over their ranks
// of the reservation's hourly rate that serves the rank, or else of the price on
// demand less the discount of the rank's use in this month. Ties fall by index. It
// is greedy, and no bound on its cost is known: it does not see how long instances
// will be kept.
//
// # Units
//
// Times are spans from the start of the trace, [time.Duration], and need not be
// in the future: an instance whose charge is overdue has a negative margin. A
// selection is positions in the slice of idle instances. Rates are
// [pricing.Money] an hour, for all the instances asked for.
//
// # Allocation and concurrency
//
// A [Selector] is ready as it is, keeps its memory between calls and allocates
// nothing once it suffices for the number of idle instances. It must not be used
// by two goroutines at once. A [Cloud] is plain data, and Rate and Choose are
// functions without memory, which allocate nothing. Randomness is passed in: the same seed gives the
// same choice on every machine.
//
// # References
//
// [Niu16] S. Niu, J. Zhai, X. Ma, X. Tang, W. Chen, W. Zheng, "Building
// Semi-Elastic Virtual Clusters for Cost-Effective HPC Cloud Resource
// Provisioning", IEEE Transactions on Parallel and Distributed Systems 27(7),
// 2016.
package placement
