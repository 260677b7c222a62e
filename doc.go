// Package plimsoll is the root of a library that decides how much cloud
// capacity to carry: what to reserve, when to rent more, where to run, what to
// preempt. It has no code of its own; import the packages below it, each of
// which reads alone.
//
//	pricing            exact money, price classes, meters, bills, spot prices, owning a cluster
//	pricing/offers     price lists of AWS, Azure and Google as classes
//	forecast           demand forecasts: exponential smoothing, adaptive rates, backtests
//	schedule           batch queues, and when a cluster grows and gives back
//	schedule/trace     job logs in the Standard Workload Format, demand curves
//	schedule/trace/accounting  accounting of Slurm, PBS and LSF as jobs
//	schedule/workload  generative job models
//	schedule/sim       job logs replayed on fixed, individual and elastic clusters
//	schedule/elastic   policies on a budget in several clouds, and the simulator that compares them
//	schedule/spot      tasks with deadlines on spot instances: rules, agents, bids, plans, and their simulator
//	reserve            what to reserve: exact plans with certificates, heuristics, online rules and portfolio
//	reserve/advice     a buyer's answer: what to order today, in money, dates and words
//	reserve/savings    what to commit an hour: savings plans, alone and beside reservations
//	reserve/theory     no code: why planning is not hard, proofs, counterexamples
//	placement          which idle instance a job gets
//	preempt            what to take back: wasted cycles, least-waste victims
//	preempt/exchange   the exchange of nodes between partitions: manager and client
//	perfmodel          run times from small runs: models, intervals, the size of a cluster
//	perfmodel/lsq      least squares to the last digit
//	federation         reserved instances lent between data centres: the ledger, and what greed loses
//
// Programs to run stand in examples: start with
//
//	go run github.com/plimsoll/plimsoll/examples/sec@latest -h
//
// Package documentation is written to be learnt from: each has the problem, the
// notation, the algorithms with their cost and guarantee, and where a published
// algorithm or theorem did not hold, what does instead.
package plimsoll
