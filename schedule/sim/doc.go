// Package sim replays a job log on a cluster and says what the cluster would have cost and
// how long the jobs would have waited. The cluster is fixed, or has instances that every user
// rents alone, or is a semi-elastic cluster that rents and gives back as the queue asks.
//
//	jobs, report, err := trace.Convert(trace.NewReader(log).Records(), trace.Options{PerInstance: 16})
//	var s sim.Simulator
//	alone, err := s.Run(jobs, sim.Options{Mode: sim.Individual})
//	cost := alone.Cost // results are valid until the next Run
//	shared, err := s.Run(jobs, sim.Options{Mode: sim.SEC, WaitLimit: 15 * time.Minute})
//	fmt.Println(cost, shared.Cost, shared.MeanWait)
//
// What to call:
//
//	You have                        You want                             Call
//	a log and a number of nodes     waits on that cluster                Simulator.Run, Mode Local
//	a log and a price               cost and waits of renting            Simulator.Run, Mode SEC, NoWait or Individual
//	a log too long for memory       the same, one job after the other    Simulator.Stream
//	prices and quotas of clouds     where jobs run and what that costs   Options.Clouds
//	a result                        the demand by hour, to reserve for   Result.AppendDemand, CloudResult.Hours
//	a plan for reservations         the cost while it buys each week     Cloud.Portfolio
//	another queue discipline        its waits                            Options.Scheduler
//	a batch of jobs                 the states of the nodes              Batch.Run
//
// # Problem
//
// An organisation runs batch jobs. The organisation can own N nodes: then load above N
// waits, and load below N leaves paid nodes idle. Its users can rent instances job by
// job: nobody waits for others, but every job waits for its boot, and pays for what is
// left of the last hour. Or the organisation rents for all users and keeps an instance as
// long as the instance is paid for. The next job finds the instance booted, and one user's
// rest of an hour is another user's short job. That is the semi-elastic cluster (SEC) of
// [Niu16]. Which is cheaper, and what does it do to the waits? The answer depends on the
// log, so replay the log.
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
//	[Local]       all              never: it has Options.Nodes            nodes
//	[Individual]  nobody           for every job                          its boot
//	[NoWait]      nobody           when a job arrives and does not fit    the boot of what is missing
//	[SEC]         all              when the top job would wait too long   nodes or a boot
//	[Batch]       all              never: it has BatchOptions.Nodes       nodes
//
// Batch is a simulator of its own, that of [Duplyakin17]: all jobs are submitted at once,
// and Batch streams the states of the nodes along the way.
//
// A simulation is exact. It follows the rules below event by event, in O(log E) time an
// event beside the scheduler's own (E jobs running or requests booting). Instances that
// were requested together and have consecutive numbers are one group while they are in
// one place. So the time of a start, an end and a release check goes by groups, of which a
// job holds a few, and not by the size of the machine. The simulator replays more than a
// million jobs a second of each log in BENCHMARKS.md, and more on a fixed cluster.
//
// Jobs that wait or run are in memory, and [Simulator.Stream] takes the others as the
// clock reaches them: ten million jobs need no more memory than ten thousand. Run does the
// same with a slice of jobs, and keeps all starts and levels.
//
// # Order of events
//
// The events of one moment come in this order:
//
//	1  submissions, in the jobs' order
//	2  ends of jobs, in the order in which the jobs started
//	3  requests whose instances are up, and then requests that are tried again
//	4  release checks
//
// Events are handled one at a time, with a pass of the scheduler after each event. Nodes
// count as free from the moment at which their job's estimate ends, even while the event
// of that end is still to be handled.
//
// With these rules the waits on a fixed cluster equal the published waits of EASY
// backfilling on two real logs, in each of 82,487 jobs. The order of ends matters because
// the reservation of the top job is counted after each single end. Let jobs A and B end
// early at one moment, while the top job needs the nodes of both. After the end of A alone
// a third job may start in A's nodes, up to the estimate of B. After the end of B alone the
// third job may be too long for the estimate of A.
//
// Five of eleven logs of the Parallel Workloads Archive move if ends come in the jobs'
// order instead, on their machine with EASY (jobs whose wait differs, mean wait):
//
//	HPC2N-2002    35 of 202,871     11,265.6 s either way
//	LANL-CM5     426 of 122,055      8,489.2 s instead of 8,499.7 s
//	SDSC-BLUE  5,648 of 232,536      7,792.0 s instead of 7,768.9 s
//	SDSC-DS      210 of  84,893      5,262.8 s instead of 5,262.3 s
//	Sandia-Ross  137 of  55,595      1,066.0 s either way
//
// A [Batch] takes ends of one moment in the jobs' order: [Duplyakin17] does not say.
//
// # Growing and shrinking
//
// Growing ([Niu16] section 4.1). After every submission and every end of a job, the
// scheduler makes its pass, and then the cluster may request instances. The cluster does so
// if a job waits and one of two conditions holds: the top job needs more instances than the
// cluster has, or is predicted to start more than T_waitlmt after its submission. The
// cluster requests what its expansion says ([schedule.Expansion]), less idle and booting
// instances. The prediction is the scheduler's: by the estimates of the running jobs and
// the times at which booting instances are up.
//
// Shrinking. At every multiple of Options.ReleaseEvery, if no job waits: an idle instance
// whose next charge falls before the next check is given back.
//
// A [schedule.Autoscaler] decides both. Options.Least, Most and Pause are its bounds of
// the size and its pause between changes, all off by default.
//
// # Several clouds
//
// With Options.Clouds the cluster has a part at each cloud ([Niu16] section 6): a site,
// with its instances, its queue and its scheduler. A job runs at one site.
//
// A job that arrives joins the site with the least instant charging rate
// ([placement.Choose]) of the sites where the job would start at once on idle instances.
// If there is no such site, the job joins the site with the least rate of all. When a queue
// has to grow, each job that the expansion covers is assigned to the cloud with the least
// rate for the job's instances. The job's instances come after the instances for jobs that
// run, wait or are assigned there already, and must be within the quota. The jobs that are
// assigned to a cloud are one request, less what is idle or boots there and no job of its
// own queue needs. Then the jobs move. A job that no cloud has room for stays. All queues
// are looked at after each arrival and end, first the queue of the site of that job. With
// one cloud all this is as above.
//
// First come, first served (with backfilling) holds within a queue, not across queues. An
// example: clouds A and B have a quota of 4, B refuses for a day, and three jobs of 4
// instances come in turn. The first job runs at A. If the second joins B's queue and the
// third joins A's, the third job starts when the first ends, before the second.
//
// A cloud may refuse a request (Cloud.Ask). The cloud is asked again after
// Options.RetryEvery, when all queues are looked at. Until then the cloud's jobs are
// assigned elsewhere or wait. A job moves only to a cloud that has granted what the job
// needs, so no job is lost, and all jobs end if refusals do.
//
// Prices: the meter's charge for each lease, as with one cloud. With a sustained-use
// discount, by calendar month, the leases' charged times are stacked up to inferred
// instances ([pricing.SustainedUse]) as leases come and go. Reservations, which a
// [Portfolio] buys week by week while the cluster runs, change the rates and so the choice
// among clouds. The results say what leases cost on demand and how many instances were
// charged for in each hour (CloudResult.Hours); pricing.Biller bills those hours with the
// purchases. With one cloud nothing depends on the portfolio, and it may as well run
// afterwards on those hours.
//
// # Management overhead
//
// [Niu16] section 8.8 asks what managing the cluster costs: configuration
// ([MeasuredBootAndConfiguration]), formatting between users (Options.Reformat), and 5 s to
// release an instance. The 5 s are neither charged nor waited for, so nothing here depends
// on them.
//
// # What the paper leaves open
//
// [Niu16] does not state every rule. These are the choices made here, and what each moves
// on the Data Star log (84,893 jobs, SEC with the defaults: mean wait 139.0 s, 760,068
// charged hours).
//
//   - Jobs: those with a run time and a number of processors above 0.
//   - Boot time: Table 2, linear between its rows, 300 s above 16 instances, and charged: a
//     lease begins at the request. Configuration times (Table 4) are off:
//     [MeasuredBootAndConfiguration] turns them on.
//   - The predicted wait counts from the job's submission. Options.WaitFromNow counts from
//     the present: 163.2 s and 756,570 hours, since a job that has waited for long then has
//     no priority in growing.
//   - Booting instances count in the capacity, in the prediction and in the size of a
//     request. Idle instances are subtracted from the request. The scheduler's order, not
//     the request, decides which job gets an instance that comes up. Options.Bound binds an
//     instance to the job that it was requested for: 71.6 s and 779,937 hours. Then nobody
//     overtakes, and instances stand reserved while others boot.
//   - Growth is looked at only when a job arrives or ends. Jobs that arrive while others
//     boot for them, with a prediction within the limit, may be passed over. Such jobs wait
//     until the next job arrives or ends, which may be long.
//   - BestSize is all long jobs and the first short job, in the queue's order.
//   - Leases renew while a job waits, since the release check is skipped.
//   - NoWait binds: a job that does not fit takes the idle instances and its own new
//     instances (67.9 s and 784,562 hours; if the first job of the queue could take them,
//     59.3 s and 784,120).
//
// No combination gives the paper's −24.2% wait and −13.3% cost together: the defaults give
// −23.4% and −17.9% against Individual.
//
// # Units
//
// Times are time.Duration since the start of the trace. Money is exact. Hours and
// utilisations are float64, computed from exact sums.
//
// # Allocation and concurrency
//
// A [Simulator] keeps its memory and allocates nothing once warm, for every log that is no
// larger than the logs before. (For Stream: that has no more jobs at once.) A Simulator is for one goroutine; several may run side by
// side. Results do not depend on the machine, and only random placement depends on a seed.
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
