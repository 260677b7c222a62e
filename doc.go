// Package plimsoll is the root of a library that decides how much cloud
// capacity to carry: what to reserve, when to rent more, where to run, what to
// preempt. It has no code of its own; import the packages below it, each of
// which reads alone.
//
//	pricing            exact money, price classes, meters, bills, owning a cluster
//	schedule           batch queues: EASY and conservative backfilling, growing and releasing
//	schedule/trace     job logs in the Standard Workload Format, demand curves
//	schedule/workload  jobs of the Lublin-Feitelson model
//	schedule/sim       a job log replayed on fixed, individual and semi-elastic clusters
//	reserve            what to reserve: exact plans with certificates, heuristics, online rules
//	placement          which idle instance a job gets
//
// Programs to run stand in examples: start with
//
//	go run github.com/plimsoll/plimsoll/examples/sec@latest -h
//
// Package documentation is written to be learnt from: each has the problem, the
// notation, the algorithms with their cost and guarantee, and where a published
// algorithm or theorem did not hold, what does instead.
package plimsoll
