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
//	queue, instances and credits      what to launch and to give back     OD, AQTP, MCOP, SM: AppendActions
//	weights of cost and of waits      the best trade of the two           MCOP
//	a rule of your own                room, prices and free instances     Draft
//	a log, clouds and a budget        waits and costs of a policy         Simulator.Run
//	the same                          why an instance was launched        Options.Decisions, Result.Decisions
//	a spot cloud's price history      jobs that lose their instances      CloudOptions.Spot
//	several instance types            the one for each job                CloudOptions.Cores, Speed: a cloud for each
//
// # Problem
//
// Package schedule grows one cluster. An elastic environment has several infrastructures. A
// local cluster is there anyway. A private cloud is free, limited and often refuses.
// Commercial clouds cost money and refuse nothing, and there is a budget by the hour. Every
// few minutes a [Policy] looks at a [Snapshot] of queue, instances and credits. The policy
// launches instances or gives some back ([Marshall12]). Users want to wait less, and
// administrators want to pay less. Policies differ in how they trade waits for money.
//
// Job j needs n_j cores: n_j instances of one core each, or fewer larger ones. Jobs start in
// order, and a job runs within one infrastructure. An instance boots before it can take a
// job, is paid for by whole hours, and may be refused.
//
// # Notation
//
//	Q          waiting jobs;  q_j = now − s_j, how long job j has waited
//	AWQT       Σ n_j·q_j / Σ n_j over Q: average weighted queued time
//	AWRT       Σ n_j·(end_j − s_j) / Σ n_j over the jobs that have ended
//	r, θ       desired AWQT, and how far AWQT may be off before AQTP reacts
//	C, J       clouds that can launch, waiting jobs
//
// # Algorithms
//
//	policy      choose it when                  launches                      gives idle instances back
//	SM          a yardstick is needed, or the   all that limits and budget    never
//	            load never falls                allow
//	OD          waits count, charges are by     what all jobs lack, the       when no job waits, or
//	            the second                      cheapest cloud first          credits are saved
//	OD, Plus    waits count, charges are by     as OD                         before their next charge,
//	            the hour                                                      if no job is counted on them
//	AQTP        a wait of r is accepted, and    for the first n jobs, in      as OD, Plus
//	            money is to be saved below it   ⌊AWQT/r⌋ clouds
//	MCOP        cost and wait have weights      the best found trade of       as OD, Plus, by its schedule
//	            that somebody can state         cost for queued time
//
// No policy has a guarantee on cost or wait. OD and AQTP have one other guarantee:
// every job starts if credits accrue, no cloud refuses or ends instances, and boots take
// less than an hour (od.go). All policies but MCOP take O(J·C) time and one look at
// each instance. SM, OD and AQTP are deterministic. AQTP remembers something between
// evaluations and has a Reset method. MCOP draws from its source of randomness, and needs it
// even where nothing is left to chance.
//
// A job that fits nowhere holds up all jobs behind it. OD and AQTP then launch and
// keep nothing that costs, until the credits pay for the whole job. In clouds without a price
// the job gathers what it can get. The reasons are in od.go.
//
// An evaluation may have rounds. If a cloud refuses a launch, the policy is asked again with
// the same snapshot, brought up to date, and Again set. SM and OD then turn to the
// next cloud at once. AQTP and MCOP wait for the next evaluation, and ask the same cloud
// again. At equal times an evaluation comes before a charge.
//
// The rules of the budget are at [Budget], and the rules of a simulation at [Simulator].
// What [Marshall12] leaves open is an option, a field of the policy or an item of ERRATA.md.
//
// # Work limits
//
// MCOP's searches are bounded: Exact takes up to 20 jobs and 2¹⁸ configurations, and the
// genetic search compares up to 10,000 configurations. A simulation ends with the last job,
// at Options.Horizon, or when no job has started for 60 days.
//
// # Units, allocation and concurrency
//
// Times are [time.Duration] from the start of the trace. Prices are [pricing.Money] per
// instance-hour, and the budget is [pricing.Money] per hour. Weights and probabilities are
// float64 in [0, 1].
//
// Policies, a Draft and a Simulator keep their memory and allocate nothing once warm. Each
// is for one goroutine at a time. Nothing of the caller's is kept or modified.
//
// # References
//
// [Marshall12] P. Marshall, H. Tufo, K. Keahey, "Provisioning Policies for Elastic Computing
// Environments", 2012 IEEE 26th International Parallel and Distributed Processing Symposium
// Workshops.
package elastic
