// Package elastic decides, every few minutes, how many instances an elastic
// environment of several clouds launches and gives back on a budget, and simulates
// that environment.
//
// # Elastic policies
//
// The rules for batch queues grow one cluster. An elastic environment has
// several infrastructures: a local cluster, which is there anyway, a private
// cloud that is free, has a limit and refuses much, commercial clouds that refuse
// nothing and cost money, and a budget by the hour. Every few minutes a [Policy]
// looks at a [Snapshot] of queue, instances and credits, and launches instances
// or gives some back ([Marshall12]). Users want to wait less and administrators
// to pay less; policies differ in how they trade one for the other.
//
// The jobs are those of batch queues, of n_j single-core instances each, and
// start in order. A job runs within one infrastructure. What is launched boots
// before it can take a job, is paid for by whole hours, and may be refused.
//
//	Q          waiting jobs;  q_j = now − s_j, how long job j has waited
//	AWQT       Σ n_j·q_j / Σ n_j over Q: average weighted queued time
//	AWRT       Σ n_j·(end_j − s_j) / Σ n_j over the jobs that have ended
//	r, θ       desired AWQT, and how far it may be off before AQTP reacts
//	C, J, k_c  clouds that can launch, waiting jobs, instances launched in cloud c
//
// # Which policy
//
//	policy      choose it when                  launches                      gives idle instances back
//	SM          a yardstick is needed, or the   all that limits and budget    never
//	            load never falls                allow
//	OD          waits count, charges are by     what all jobs lack, the       when no job waits, or
//	            the second                      cheapest cloud first          credits are saved
//	ODPlus      waits count, charges are by     as OD                         before their next charge,
//	            the hour                                                      if no job is counted on them
//	AQTP        a wait of r is accepted, and    for the first n jobs, in      as ODPlus
//	            money is to be saved below it   ⌊AWQT/r⌋ clouds
//	MCOP        cost and wait have weights      the best found trade of       as ODPlus, by its schedule
//	            that somebody can state         cost for queued time
//
// None has a guarantee on cost or wait, but for one: under OD, ODPlus and AQTP
// every job starts, if credits accrue, no cloud refuses and boots take less than
// an hour (see below). All but MCOP take O(J·C) time beside a
// look at each instance, less than 50 µs for 1,000 jobs and 10 clouds with 1,000
// instances (BenchmarkPolicy). SM is deterministic, as are OD, ODPlus and AQTP;
// SM with Once, and AQTP, remember something between evaluations and have a
// Reset method. MCOP draws from its source of randomness.
//
// A policy of one's own is a loop with a [Draft], which knows the clouds by
// price, what limits and credits still allow, which free instances are spoken
// for and which idle ones nobody wants (see its example).
//
// # The job that holds up the queue
//
// Jobs start in order, so that one that fits nowhere holds up all behind it. What
// to do for a job of n cores that nothing has and credits do not pay for?
//
//   - To launch a part of it where instances cost money is never of use: the part
//     waits, is renewed by the hour, and with that uses up what the rest of it
//     needs. At $5 an hour and $0.085 the renewals of 59 instances are all that
//     accrues, and a job of 119 cores or more would never start. The whole of it,
//     launched when the credits are complete, is up no later, but for a boot.
//   - What is launched for those behind it cannot run before it does.
//   - Idle instances are worth their next hour only to a job that takes them and
//     can have all of the others.
//
// So OD, ODPlus and AQTP, from the first job on that they cannot serve whole,
// launch and keep nothing that costs; the credits grow until they pay for all
// that it needs, what will be charged before it starts included. In clouds
// without a price it gathers what it can get, in one that is large enough for it,
// and so do those behind. MCOP's schedules have nothing start behind a job that a
// configuration does not hold, and so it sees no use in launching for those. It
// has no such promise even then: with a weight of cost of one half or more it may
// prefer to launch nothing for ever.
//
// # Evaluations, refusals and charges
//
// An evaluation may have rounds. A cloud that refuses a launch is told to the
// policy in the same snapshot, brought up to date, with Again set. SM, OD and
// ODPlus then turn to the next cloud at once, as section V.B says of OD and OD++;
// AQTP and MCOP wait for the next evaluation, and so do not pay a dearer cloud
// for what a cheaper one has refused by chance. Whoever launched in vain asks the
// same cloud again then.
//
// At equal times an evaluation comes before a charge. An instance that is
// charged exactly at the next evaluation can wait for it, as in
// [schedule.Autoscaler].
//
// # The budget
//
// Hourly credits accrue at the beginning of each hour and accumulate. A launch
// pays for the first hour, and is made only if the credits are then at −Debt or
// above. When a paid hour ends, an instance without a job is paid for another on
// the same condition, and given back otherwise; one that runs a job is paid for
// whatever the credits are. So
//
//	launches and idle instances never take the credits below −Debt;
//	renewals of instances that run jobs can,
//
// and then nothing else is paid for until they have recovered. With
// Budget.Covered those cannot either: a job starts only where all that it will be
// charged is there.
//
// The paper says "slight debt" only. Its sustained maximum has 58 or 59 instances
// at $5 an hour, which is what a debt of one instance-hour gives, the one of
// [Marshall12Budget]: 59 until it is used up, then 58 and 59 in turn, $1,530 in
// the 306 hours that it simulates. The $1,535 that it reports are 59 throughout
// (59·306·$0.085 = $1,534.59), which leaves a debt of $4.59. It also has OD++ spend
// some $1,000 more than the $835 that accrue over its workload. No debt at launch
// that deserves to be called slight explains that; renewals of instances that run
// jobs do, and so a simulation should report the credits over time.
//
// # MCOP
//
// A configuration launches, in each cloud, as many instances as some subset of
// the waiting jobs has cores. Cost is the price of the first hour of all; wait is
// the total queued time of a schedule of the whole queue, in order, on what is
// there then (timetable.go). One dominates another iff it is no worse in both and
// better in one. The front is what nothing dominates, and [Choose] takes the
// point of it with the least weighted sum, both values scaled to [0, 1].
//
//   - The second half of the printed definition of domination compares a queued
//     time with a cost. Read so, the front would change with the units.
//   - The 2^(J·C) strings of bits are far more than there is to search: the
//     schedule depends on k_c alone, so that the distinct subset sums matter, some
//     hundred a cloud. For up to 20 jobs [Exact] enumerates their cross product,
//     most of it without a schedule: each schedule tells how many instances fewer
//     would have done (exactfront.go, timetable.go).
//   - No knapsack dynamic programme gives the front, since queued time is not a
//     sum over jobs. Nor does it fall with every instance that is added: one more
//     in a cloud may draw a job there and leave it in the way of a wider one.
//   - The paper's genetic algorithm searches each cloud as if there were no other,
//     for one weighted sum. The commercial cloud then looks for what would serve
//     the whole queue, and in the cross product nothing lies between that and
//     what is free. [Evolved] breeds all clouds together, for the whole front.
//
// How far apart they are. hypervolume over that of the exact front (reference
// point 1.1, both scaled by the exact front), mean and least over 20 queues
// behind a full local cluster of 64; how often the choice at MCOP-20-80 is not
// the best one, and by how much its weighted sum, in [0, 1.1], is larger on
// average (BenchmarkFront; sizes are 1 to 32 cores):
//
//	jobs, clouds   exact    Genetic: mean, least   not best, by     Evolved: mean, least   not best
//	 8, 1           20.0    .643  .407             15%   .001       1.000  1.000              0
//	16, 1           58.5    .558  .441             60%   .003       1.000  1.000              0
//	20, 1           77.5    .512  .332             75%   .004       1.000  1.000              0
//	 8, 2            1.2    .929  .524             15%   .268       1.000  1.000              0
//	16, 2            5.1    .426  .139             75%   .363       1.000  1.000              0
//	20, 2           10.2    .185  .129             100%  .367       1.000   .998              0
//	16, 3            5.1    .426  .139             75%   .346       1.000  1.000              0
//	50, 2          117.0    .331  .135             95%   .008        .999   .998              5%
//	100, 2         192.6    .247  .184             70%   .001        .999   .997              5%
//	100, 3         172.4    .254  .232             70%   .001        .996   .993             60%
//
// The first column of figures is the number of points. Beyond 20 jobs the exact
// front is not known, and the best known one takes its place: all that the
// searches found, a larger NSGA-II included. One cloud is commercial; of two the
// first is free and has 128 instances. Where the genetic algorithm fails is the
// second of two: behind the free one little is missing, and that is what a search
// of the commercial cloud by itself cannot see. Unless the paper's own policy is wanted take Exact: it
// takes milliseconds where the genetic algorithm takes a few tenths of one, and
// there are minutes between evaluations.
//
// # What the paper leaves open
//
//	choice                          default                 what the other moves
//	ask again after a refusal       at each evaluation      SM.Once: a private cloud that refuses 90%
//	                                                        stays a tenth as large
//	refuse instances or requests    one by one              the caller's: whole requests come together or
//	                                                        not at all, which is better for wide jobs
//	idle free instances             go at their hour        KeepFree: they need not be won again from a
//	                                                        cloud that refuses; others cannot have them
//	count cores                     within one              Pooled: free cores in two places count as
//	                                infrastructure          room for a job that can run in neither
//	                                                        and that then never starts
//	a job that fits nowhere whole   OD gathers what is      WholeJobs, and AQTP: not even that. The paper
//	                                free, and saves for     launches what credits allow: whoever needs
//	                                what costs              more than accrues in an hour or two starves
//	SM and accumulated credits      bound by the hourly     it would launch on savings what it cannot keep
//	                                budget
//	idle and due, but counted on    kept                    terminated, and launched again for the same
//	                                                        price, if it is not refused
//	MCOP: cost of an instance       its first hour          its whole use: long jobs look dearer
//	MCOP: scale of cost and time    least and largest of    over all configurations: dominated ones would
//	                                the front               decide
//	MCOP: parents, crossover        tournaments of two,     see ga.go
//	                                one point, best kept
//
// # References of this part
//
// [Marshall12] P. Marshall, H. Tufo, K. Keahey, "Provisioning Policies for
// Elastic Computing Environments", 2012 IEEE 26th International Parallel and
// Distributed Processing Symposium Workshops.
//
// [Deb02] K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, "A Fast and Elitist
// Multiobjective Genetic Algorithm: NSGA-II", IEEE Transactions on Evolutionary
// Computation 6(2), 2002.
//
// [Zitzler00] E. Zitzler, K. Deb, L. Thiele, "Comparison of Multiobjective
// Evolutionary Algorithms: Empirical Results", Evolutionary Computation 8(2),
// 2000: ZDT1, the hypervolume.
package elastic
