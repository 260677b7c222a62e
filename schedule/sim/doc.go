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
// An organisation runs batch jobs. It can own N nodes: then load above N waits, and load
// below N leaves paid nodes idle. Its users can rent instances job by job: nobody waits for
// others, but every job waits for its boot, and pays for the rest of the last hour. Or the
// organisation rents for all users and keeps an instance as long as the instance is paid
// for. The next job finds the instance booted, and one user's rest of an hour is another
// user's short job. That is the semi-elastic cluster (SEC) of [Niu16].
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
//	[Batch]       all              never: it has Batch.Nodes       nodes
//
// A simulation is exact, and takes O(log E) time an event beside the scheduler's own, with E
// jobs running or requests booting. It replays more than a million jobs a second of each log
// in BENCHMARKS.md. Jobs that wait or run are in memory, and [Simulator.Stream] takes the
// others as the clock reaches them.
//
// The events of one moment come in this order, one at a time, with a pass of the scheduler
// after each event:
//
//	1  submissions, in the jobs' order
//	2  ends of jobs, in the order in which the jobs started
//	3  requests whose instances are up
//	4  release checks
//
// Nodes count as free from the moment at which their job's estimate ends, even while the
// event of that end is still to be handled. With these rules the waits on a fixed cluster
// equal the published waits of EASY backfilling on two real logs, in each of 82,487 jobs.
//
// Growing and shrinking. A [schedule.Autoscaler] decides after every submission and every end of
// a job, when the scheduler has made its pass, and at every multiple of Options.ReleaseEvery.
// The scheduler's order, not the request, decides which job gets an instance that comes up.
//
// Several clouds ([Niu16] section 6) are explained in dispatch.go. A job runs at one cloud,
// and each cloud has a queue. First come, first served holds within a queue, not across
// queues.
//
// Prices. A lease costs what the meter charges. With a sustained-use discount the charged
// times are stacked up to inferred instances ([pricing.SustainedUse]) as leases come and go.
// Reservations, which a [Cloud].Portfolio buys week by week, change the choice among clouds. The
// results have the cost on demand; pricing.Biller bills CloudResult.Hours with the purchases.
//
// # Units, allocation and concurrency
//
// Times are time.Duration since the start of the trace. Money is exact. Hours and
// utilisations are float64, computed from exact sums.
//
// A [Simulator] keeps its memory and allocates nothing once warm, for every log that is no
// larger than the logs before (for Stream: that has no more jobs at once). A Simulator is
// for one goroutine. Results do not depend on the machine, and only random placement
// depends on a seed.
//
// # References
//
//   - [Niu16] S. Niu, J. Zhai, X. Ma, X. Tang, W. Chen, W. Zheng: Building Semi-Elastic
//     Virtual Clusters for Cost-Effective HPC Cloud Resource Provisioning. IEEE TPDS
//     27(7), 2016. Sections 2, 4, 6 and 8.1 to 8.8.
//   - [Duplyakin17] D. Duplyakin, D. Johnson, R. Ricci: The Part-Time Cloud: Enabling
//     Balanced Elasticity Between Diverse Computing Environments. ScienceCloud 2017.
//   - A. W. Mu'alem, D. G. Feitelson: Utilization, Predictability, Workloads, and User
//     Runtime Estimates in Scheduling the IBM SP2 with Backfilling. IEEE TPDS 12(6), 2001.
package sim
