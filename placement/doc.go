// Package placement decides which of the idle instances a starting job gets, and
// at which of several clouds the next instances are cheapest.
//
//	var s placement.Selector
//	for _, k := range s.AppendSelect(nil, idle, job.Nodes, placement.MaxMarginFirst, nil) {
//		start(job, idle[k].ID)
//	}
//
//	best, err := placement.Choose(clouds, n) // the index of a cloud, -1 for none
//
// What to call:
//
//	You have                                 You want                       Call
//	idle instances and a job                 the instances for the job      Selector.AppendSelect
//	the name of a policy                     the Policy                     Policy.UnmarshalText
//	clouds with prices and discounts         the cheapest for n instances   Choose
//	one cloud                                the cost of n more instances   Cloud.Rate
//
// # Problem
//
// A cluster of leased instances is charged by the lease, not by the job: each
// instance has its own moment at which its next hour is charged. A job that needs n
// instances may take any n of the idle instances. The choice decides which instances
// are left, when those are given back, and whether the leases under the job renew
// before it ends. The choice is made online, without knowledge of later jobs. The
// policies are rules of thumb: no bound on their cost is known.
//
// With several clouds there is a choice before that: where to request the instances
// of a job, which cannot move later. The cost of an hour depends on the instances
// that run at the cloud already: on reservations that are not in use, and on the
// discount that was earned in this month.
//
// # Notation
//
//	now    the present
//	due    when the next charge of an instance falls
//	m      due − now, its residual lease term (margin): paid and not yet used
//	i      now − since, how long it has been idle
//
// # Algorithms
//
//	policy          takes first        purpose
//	MaxMarginFirst  the largest m      uses paid time; the lowest cost in [Niu16]
//	MinMarginFirst  the smallest m     keeps long leases idle for later jobs; the shortest wait
//	MaxIdleFirst    the largest i      spreads the work over all instances
//	MinIdleFirst    the smallest i     leaves some idle for long, so that they expire
//	Random          any                the yardstick
//
// All five are policies of [Niu16] section 4.2. The log SDSC-DS-2004 was replayed with
// hourly charges and the simulator's defaults. MaxMarginFirst was charged for 760,068
// instance-hours at a mean wait of 139.0 s, and MinMarginFirst for 769,266 at 121.6 s.
// That is 1.2% cheaper against 12.5% less wait. The test TestDataStar of schedule/sim
// holds the figures.
//
// [Selector.AppendSelect] takes O(k) time for k idle instances on the usual orders,
// not the O(k·log k) of sorting: a job needs the n first instances, not their order.
// Of equal instances the lower ID comes first, so the order of the input does not
// matter. The guarantee is that the chosen set is exactly the n first; nothing is
// proven about the cost of the choice.
//
// [Choose] takes the cloud with the least instant charging rate of the next
// instances ([Cloud.Rate], [Niu16] section 6). That rate is a sum over the ranks of the
// instances. If a reservation serves the rank, the reservation's hourly rate counts. If
// not, the price on demand counts, less the discount for the use of the rank in this
// month. Of equal clouds the first is chosen. The choice is greedy, and no bound on its
// cost is known: it ignores how long instances will be kept.
//
// # Units
//
// Times are spans from the start of the trace, [time.Duration], and need not be in
// the future: an instance whose charge is overdue has a negative margin. A selection
// is a list of positions in the slice of idle instances. A rate is [pricing.Money] an
// hour for all n instances together.
//
// # Allocation and concurrency
//
// The zero [Selector] is ready. It keeps its memory between calls and allocates
// nothing once the memory suffices for the number of idle instances. Two goroutines
// must not use it at once. A [Cloud] is plain data. Rate and Choose keep nothing and
// allocate nothing but errors. Randomness is passed in: the same seed gives the same
// choice on every machine.
//
// # References
//
// [Niu16] S. Niu, J. Zhai, X. Ma, X. Tang, W. Chen, W. Zheng, "Building
// Semi-Elastic Virtual Clusters for Cost-Effective HPC Cloud Resource
// Provisioning", IEEE Transactions on Parallel and Distributed Systems 27(7),
// 2016.
package placement
