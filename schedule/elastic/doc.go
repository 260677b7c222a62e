// Package elastic decides how many cloud instances to launch and to give back, every few
// minutes, for a queue of jobs, several clouds and a budget by the hour. A simulator
// compares such policies on a job log.
//
//	policy := &elastic.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}
//	actions := policy.AppendActions(nil, &elastic.Snapshot{
//		Now: now, Every: 5 * time.Minute, Jobs: waiting, Clouds: clouds,
//		Credits: credits, Budget: budget,
//	}) // launch and terminate these
//
//	var s elastic.Simulator
//	result, err := s.Run(jobs, elastic.Options{Local: 64, Clouds: offers, Policy: policy, Budget: budget, Rand: rnd})
//
// What to call:
//
//	You have                          You want                            Call
//	queue, instances and credits      what to launch and to give back     OD, ODPlus, AQTP, MCOP, SM: AppendActions
//	weights of cost and of waits      the best trade of the two           MCOP; MCOP.AppendFront, then Choose
//	a rule of your own                room, prices and free instances     Draft
//	a log, clouds and a budget        waits and costs of a policy         Simulator.Run
//	the same                          why an instance was launched        Options.Decisions, Result.Decisions
//	a spot cloud's price history      jobs that lose their instances      CloudOptions.Spot
//	several instance types            the one for each job                CloudOptions.Cores, Speed: a cloud for each
//	amounts by the hour               the credits at a time               Budget.Credits
//
// # Problem
//
// Package schedule grows one cluster. An elastic environment has several infrastructures.
// A local cluster is there anyway. A private cloud is free, limited and often refuses.
// Commercial clouds cost money and refuse nothing, and there is a budget by the hour.
// Every few minutes a [Policy] looks at a [Snapshot] of queue,
// instances and credits. The policy launches instances or gives some back
// ([Marshall12]). Users want to wait less, and administrators want to pay less. Policies
// differ in how they trade waits for money.
//
// Job j needs n_j cores: n_j instances of one core each, or fewer larger ones. Jobs start in
// order, and a job runs within one infrastructure. An instance boots before it can take a job, is paid for by whole
// hours, and may be refused.
//
// # Notation
//
//	Q          waiting jobs;  q_j = now − s_j, how long job j has waited
//	AWQT       Σ n_j·q_j / Σ n_j over Q: average weighted queued time
//	AWRT       Σ n_j·(end_j − s_j) / Σ n_j over the jobs that have ended
//	r, θ       desired AWQT, and how far AWQT may be off before AQTP reacts
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
// No policy has a guarantee on cost or wait. OD, ODPlus and AQTP have one other
// guarantee: every job starts if credits accrue, no cloud refuses or ends instances, and
// boots take less than an hour (see below). All policies but MCOP take O(J·C) time and one look at each
// instance: less than 50 µs for 1,000 jobs and 10 clouds with 1,000 instances
// (BenchmarkPolicy). SM, OD, ODPlus and AQTP are deterministic. SM with Once, and AQTP,
// remember something between evaluations and have a Reset method. MCOP draws from its
// source of randomness.
//
// Your own policy is a loop with a [Draft]. A Draft knows the clouds by price, what
// limits and credits still allow, which free instances a job already has, and which idle
// instances no job has. The example of Draft is such a policy.
//
// # The job that holds up the queue
//
// Jobs start in order, so a job that fits nowhere holds up all jobs behind it. What
// should a policy do for a job of n cores that no infrastructure has and that the
// credits do not pay for?
//
//   - Never launch a part of the cores where instances cost money. The part waits and is
//     renewed by the hour, and so uses up the credits that the rest needs. At $5 an hour
//     and $0.085 an instance, the renewals of 59 instances cost all that accrues, and a
//     job of 119 cores or more would never start. All n cores, launched when the credits
//     are complete, are up at the same time, but for a boot.
//   - Instances for the jobs behind cannot run them before the first job starts.
//   - The next hour of an idle instance has a value only for a job that takes the
//     instance and can have all of its other instances.
//
// So OD, ODPlus and AQTP launch and keep nothing that costs, from the first job on that
// they cannot serve whole. The credits grow until they pay for all that this job needs,
// with the charges that fall before the job starts. In clouds without a price the job
// gathers what it can get, in one cloud that is large enough, and so do the jobs behind
// it. In MCOP's schedules nothing starts behind a job that a configuration does not
// hold, so MCOP sees no use in launching for the jobs behind. MCOP makes no promise to
// start every job: with a weight of cost of one half or more MCOP may launch nothing at
// all.
//
// # Evaluations, refusals and charges
//
// An evaluation may have rounds. If a cloud refuses a launch, the policy is asked again
// with the same snapshot, brought up to date, and Again set. SM, OD and ODPlus then turn
// to the next cloud at once, as section V.B says of OD and OD++. AQTP and MCOP wait for
// the next evaluation, ask the same cloud again, and so do not pay a dearer cloud for
// what a cheaper cloud has refused by chance.
//
// At equal times an evaluation comes before a charge. So an instance that is charged
// exactly at the next evaluation can wait for that evaluation, as in
// [schedule.Autoscaler].
//
// # The budget
//
// Hourly credits accrue at the beginning of each hour and accumulate. A launch pays for
// the first hour, and is made only if the credits are at −Debt or above afterwards. When
// a paid hour of an idle instance ends, the instance is paid for another hour on the same
// condition, and given back otherwise. An instance that runs a job is paid for whatever
// the credits are. So
//
//	launches and idle instances never take the credits below −Debt;
//	renewals of instances that run jobs can,
//
// and then nothing else is paid for until the credits have recovered. With
// Budget.Covered the renewals cannot either: a job starts only where the credits hold
// everything that the job will be charged.
//
// The paper only says "slight debt". Its sustained maximum holds 58 or 59 instances at
// $5 an hour. A debt of one instance-hour gives that, and is the debt of
// [Marshall12Budget]: 59 instances until the debt is used up, then 58 and 59 in turn,
// $1,530 in the simulated 306 hours. The paper's $1,535 are 59 instances throughout
// (59·306·$0.085 = $1,534.59), which leaves a debt of $4.59. The paper also has OD++
// spend some $1,000 more than the $835 that accrue over its workload. No slight debt at
// launch explains that. Renewals of instances that run jobs do, so a simulation should
// report the credits over time.
//
// # MCOP
//
// A configuration launches, in each cloud, as many instances as some subset of the
// waiting jobs has cores. The cost is the price of the first hour of all instances. The
// wait is the total queued time of a schedule of the whole queue, in order, on the
// instances that are there then (timetable.go). One configuration dominates another iff
// it is no worse in both values and better in one. The front holds the configurations
// that none dominates. [Choose] takes the point of the front with the least weighted
// sum, both values scaled to [0, 1].
//
//   - The second half of the printed definition of domination compares a queued time
//     with a cost. With that reading the front would change with the units.
//   - Few of the 2^(J·C) strings of bits differ: the schedule depends on k_c alone, so
//     only the distinct subset sums matter, some hundred a cloud. For up to 20 jobs
//     [Exact] enumerates their cross product, most of it without a schedule: each
//     schedule tells how many instances fewer would have done (exactfront.go,
//     timetable.go).
//   - No knapsack dynamic programme gives the front, since queued time is not a sum over
//     jobs. Queued time can even rise with one more instance: the instance may draw a job
//     into a cloud and leave the job in the way of a wider job.
//   - The paper's genetic algorithm searches each cloud as if there were no other, for
//     one weighted sum. So the commercial cloud looks for instances for the whole queue,
//     and in the cross product nothing lies between those and the free instances.
//     [Evolved] breeds all clouds together, for the whole front.
//
// How far apart the searches are. The table has the hypervolume over that of the exact
// front (reference point 1.1, both scaled by the exact front), mean and least over 20
// queues behind a full local cluster of 64. "Not best" is how often the choice at MCOP-20-80
// is not the best point. "By" is by how much the weighted sum of that choice, in [0, 1.1],
// is larger on average. Jobs have 1 to 32 cores. BenchmarkFront measures:
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
// The column "exact" is the number of points of the front. Beyond 20 jobs the exact front
// is not known; the best known front takes its place, which is everything that all
// searches found, a larger NSGA-II included. One cloud is commercial; of two clouds the
// first is free and has 128 instances. The genetic algorithm fails at the second of two
// clouds: behind the free cloud little is missing, and a search of the commercial cloud by
// itself cannot see that. Unless you want the paper's own policy, take Exact: Exact takes
// milliseconds where the genetic algorithm takes a few tenths of a millisecond, and there
// are minutes between evaluations.
//
// # Work limits
//
// MCOP's searches are bounded: Exact gives way to Evolved above 20 jobs or 2¹⁸
// configurations, Combinations bounds the cross product of Genetic, and Population times
// Generations bounds the others. A simulation ends with the last job, at
// Options.Horizon, or when no job has started for 60 days.
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
//	a job that fits nowhere whole   OD gathers what is      WholeJobs, and AQTP: not even that. Printed: as
//	                                free, and saves for     in the paper, what credits allow: a job that
//	                                what costs              needs more than accrues in an hour or two starves,
//	                                                        and so does one whose cores are idle in two places
//	SM and accumulated credits      bound by the hourly     SM would launch on savings what it cannot keep
//	                                budget
//	idle and due, but counted on    kept                    terminated, and launched again for the same
//	                                                        price, if it is not refused
//	MCOP: cost of an instance       its first hour          its whole use: long jobs look dearer
//	MCOP: scale of cost and time    least and largest of    over all configurations: dominated ones would
//	                                the front               decide
//	MCOP: parents, crossover        tournaments of two,     see ga.go
//	                                one point, best kept
//
// # Units
//
// Times are [time.Duration] from the start of the trace. Prices are [pricing.Money] per
// instance-hour, and the budget is [pricing.Money] per hour. Weights and probabilities
// are float64 in [0, 1].
//
// # Allocation and concurrency
//
// Policies, a Draft and a Simulator keep their memory and allocate nothing once warm.
// Each is for one goroutine at a time. Nothing of the caller's is kept or modified.
//
// # References
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
