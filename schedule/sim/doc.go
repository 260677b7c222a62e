// Package sim replays a job log on a cluster and says what it would have cost
// and how long the jobs would have waited: on a fixed cluster, on instances
// that every user rents alone, and on a semi-elastic cluster that rents and
// gives back as the queue asks.
//
// Its other parts replay a log on an elastic environment of several clouds, and tasks
// with deadlines on spot instances over a history of their price.
//
// # Problem
//
// An organisation runs batch jobs. It can own N nodes: then load above N
// waits, and load below N leaves nodes idle that are paid for. Its users can
// rent instances job by job: nobody waits for others, but every job waits for
// its boot, and pays for what is left of the last hour. Or the organisation
// rents for all of them and keeps an instance as long as it is paid for: the
// next job finds it booted, and one user's rest of an hour is another's short
// job. That is the semi-elastic cluster (SEC) of [Niu16]. Which is cheaper,
// and what does it do to the waits? It depends on the log; so replay it.
//
// # Notation
//
//	job j        submitted at s_j, runs r_j on n_j instances; the scheduler is told e_j ≥ r_j
//	wait         start − s_j
//	used         Σ n_j·r_j, in instance-hours; the same in every mode
//	charged      what the meter counts for every lease, from its request to its release
//	utilisation  used/charged
//	T_waitlmt    the predicted wait of the top job above which the cluster grows (Options.WaitLimit)
//	T_short      the estimate up to which a job is short (Options.Short)
//
// # Algorithms
//
//	mode          who has a queue  when it rents                         a job waits for
//	[Local]       all              never: Options.Nodes for ever           nodes
//	[Individual]  nobody           for every job                          its boot
//	[NoWait]      nobody           when a job arrives and does not fit    the boot of what is missing
//	[SEC]         all              when the top job would wait too long   nodes or a boot
//	[Batch]       all              never: BatchOptions.Nodes for ever      nodes
//
// The last is a simulator of its own, that of [Duplyakin17]: all jobs are submitted
// at once, and it streams the states of the nodes along the way.
//
// A simulation is exact: it follows the rules below event by event, in time
// O(log E) an event beside the scheduler's own (E jobs running or requests
// booting) and O(idle) for choosing instances. It replays about a million jobs of
// the logs in BENCHMARKS.md a second, more on a fixed cluster.
//
// The events of one moment come in this order: submissions, in the jobs' order;
// ends of jobs, by the jobs' order; requests whose instances are up; release
// checks. They are handled one at a time, with a pass of the scheduler after
// each. Nodes count as free from the moment on at which their job's estimate
// ends, even while the event of its end is still to be handled; with that rule
// the waits on a fixed cluster equal those that a study published for EASY
// backfilling on two real logs, in each of 82,487 jobs.
//
// Growing ([Niu16] section 4.1). After every submission and every end of a job,
// and after the scheduler's pass: if a job waits, and the top one needs more
// instances than the cluster has, or is predicted to start more than T_waitlmt
// after its submission, the cluster requests what its expansion says
// ([schedule.Expansion]) less what is idle and what boots. The prediction is
// the scheduler's: by the estimates of the running jobs and the times at which
// booting instances are up.
//
// Shrinking. At every multiple of Options.ReleaseEvery, if no job waits: an idle
// instance whose next charge falls before the next check is given back.
//
// Both are decided by a [schedule.Autoscaler]. Options.Least, Most and Pause are its
// bounds of the size and its pause between changes; they are off by default.
//
// # Several clouds
//
// With Options.Clouds the cluster has a part at each cloud ([Niu16] section 6): a
// site, with its instances, its queue and its scheduler. A job runs at one site.
//
// A job that arrives joins, of the sites where it would start at once on what is
// idle, the one with the least instant charging rate ([placement.Choose]), else the
// one with the least rate of all. When a queue has to grow, each job that the
// expansion covers is assigned to the cloud with the least rate for its instances,
// after those that run, wait and are assigned there already, and within the quota; what
// is assigned to a cloud is requested together, less what is idle or boots there and
// no job of its own queue needs; then the jobs move. Jobs that no cloud has room for
// stay. All queues are looked at after each arrival and end, first that of the
// site where it was. With one cloud all this is what was said above.
//
// First come, first served (with backfilling) holds within a queue, not across them.
// With a quota of 4 at clouds A and B, of which B refuses for a day, three jobs that
// need 4 instances each and come in turn: the first runs at A; if the second joins B's
// queue and the third A's, the third starts when the first ends, before the second.
//
// A cloud may refuse a request (Cloud.Ask). It is then not asked again before
// Options.RetryEvery has passed, at which time all queues are looked at; until then its
// jobs are assigned elsewhere or wait. A job moves only to a cloud that has granted
// what it needs, so that none is lost, and all end if refusals do.
//
// Prices: the meter's charge for each lease, as with one cloud. With a sustained-use
// discount, by calendar month, the leases' charged times are stacked up to inferred
// instances ([pricing.SustainedUse]) as they come and go. Reservations, which a
// [Portfolio] buys week by week while the cluster runs, change the rates and so the
// choice among clouds; the results say what leases cost on demand, and how many
// instances were charged for in each hour (CloudResult.Hours), which pricing.Biller
// bills with the purchases. With one cloud nothing depends on the portfolio, and it
// may as well run afterwards on those hours.
//
// # Management overhead
//
// [Niu16] section 8.8 asks what managing the cluster costs: configuration
// ([MeasuredBootAndConfiguration]), formatting between users (Options.Reformat), and 5 s
// to release an instance, which are neither charged nor waited for, so that nothing
// here depends on them.
//
// # What the paper leaves open
//
// [Niu16] does not state every rule; these are the choices made here, and what
// each moves on the Data Star log (84,893 jobs, SEC with the defaults: mean wait
// 139.0 s, 760,068 charged hours).
//
//   - Jobs: those with a run time and a number of processors above 0.
//   - Boot time: Table 2, linear between its rows, 300 s above 16 instances, and
//     charged: a lease begins at the request. Configuration times (Table 4) are
//     off: [MeasuredBootAndConfiguration] turns them on.
//   - The predicted wait counts from the job's submission. Options.WaitFromNow
//     counts it from the present: 163.2 s and 756,570 hours, since a job that has
//     waited for long then has no priority in growing.
//   - Booting instances count in the capacity, in the prediction and in the size
//     of a request, idle ones are taken off the request, and the scheduler's
//     order, not the request, decides who gets an instance that comes up.
//     Options.Bound binds it to the job that it was requested for: 71.6 s and
//     779,937 hours: nobody overtakes, and instances stand reserved while others
//     boot.
//   - Growth is looked at only when a job arrives or ends. Jobs that arrive while
//     others boot for them, with a prediction within the limit, and whose turn then
//     does not come, wait until the next job arrives or ends, if that is long.
//   - BestSize is all long jobs and the first short one, in the queue's order.
//   - Leases renew while a job waits, since the release check is skipped.
//   - NoWait binds: a job that does not fit takes what is idle and its own new
//     instances (67.9 s and 784,562 hours; if whoever comes first could take
//     them, 59.3 s and 784,120).
//
// No combination gives the paper's −24.2% wait and −13.3% cost together: the
// defaults give −23.4% and −17.9% against Individual.
//
// # Units
//
// Times are time.Duration since the start of the trace. Money is exact. Hours
// and utilisations are float64, computed from exact sums.
//
// # Allocation and concurrency
//
// A [Simulator] keeps its memory and allocates nothing once warm, for whatever
// log is no larger than those before. It is for one goroutine; several may run
// side by side. Results do not depend on the machine, and only random placement
// depends on a seed.
//
// # References
//
//   - [Niu16] S. Niu, J. Zhai, X. Ma, X. Tang, W. Chen, W. Zheng: Building
//     Semi-Elastic Virtual Clusters for Cost-Effective HPC Cloud Resource
//     Provisioning. IEEE TPDS 27(7), 2016. Sections 2, 4, 6 and 8.1 to 8.8.
//   - [Duplyakin17] D. Duplyakin, D. Johnson, R. Ricci: The Part-Time Cloud:
//     Enabling Balanced Elasticity Between Diverse Computing Environments.
//     ScienceCloud 2017. Section 4.
//   - A. W. Mu'alem, D. G. Feitelson: Utilization, Predictability, Workloads, and
//     User Runtime Estimates in Scheduling the IBM SP2 with Backfilling. IEEE TPDS
//     12(6), 2001. EASY and conservative backfilling.
package sim
