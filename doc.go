// Package plimsoll is the root of a library that decides how much cloud capacity to
// carry: what to reserve, when to rent more, where to run, what to preempt. The root
// has no code. Import the packages below the root; each package reads alone.
//
//	You have                             You want                                Import
//	a price list                         what a demand costs, when to reserve    pricing
//	a list of AWS, Azure or Google       price classes                           pricing/offers
//	the rows of a bill                   demand, commitments, every cent         pricing/usage
//	a bill of any cloud                  its rows, whatever its form             pricing/bill
//	a FOCUS export of any cloud          the rows of a bill                      pricing/focus
//	a cost and usage report of AWS       the rows of a bill                      pricing/aws
//	either of them as Parquet            the rows of a bill                      pricing/parquet
//	a cost export of Azure               the rows of a bill                      pricing/azure
//	a billing export of Google Cloud     the rows of a bill                      pricing/gcp
//	a cost report of Oracle Cloud        the rows of a bill                      pricing/oci
//	a series of past demand              a forecast, with its spread             forecast
//	values that come one by one          a model to update by hand               forecast/smoothing
//	a demand, known or forecast          what to reserve and when                reserve
//	the same                             an order to sign today                  reserve/advice
//	demands of several types             what to commit to a savings plan        reserve/savings
//	one class, or no forecast            published planners and online rules     reserve/rules
//	commitments, and one more instance   what that instance costs                reserve/marginal
//	doubt that planning is easy          proofs and counterexamples              reserve/theory
//	waiting jobs                         starts; whether a cluster grows         schedule
//	a budget and several clouds          how many instances to rent where        schedule/elastic
//	a task with a deadline               spot or on demand, and the bid          schedule/spot
//	a history of spot prices             what such tasks would have cost         schedule/spot/spotsim
//	a job log                            its cost and waits on a cluster         schedule/sim
//	a cluster's bill and its users       what each pays, alone and together      schedule/sim/bills
//	a file in the workload format        jobs, a demand curve                    schedule/trace
//	accounting of Slurm, PBS or LSF      jobs                                    schedule/trace/accounting
//	no job log                           made-up jobs                            schedule/workload
//	idle instances                       the instances that a job gets           placement
//	running jobs, and nodes to return    the jobs whose loss wastes least        preempt
//	jobs that share nodes, and gangs     the same                                preempt/shared
//	partitions that share nodes          who gets a node, who gives a node up    preempt/exchange
//	the queue and nodes of a partition   when to ask for nodes, which to return  preempt/scaling
//	runs on small inputs                 run times on larger inputs              perfmodel
//	predicted run times, a deadline      how many processes to rent              perfmodel/sizing
//	rows and columns of numbers          least squares to the last digit         perfmodel/lsq
//	files of TAU or mpiP                 run times by MPI function               perfmodel/mpiprofile
//	data centres with reservations       who lends what to whom, who pays        federation
//	the cost of each coalition           fair shares, and who would rather part  federation/coalition
//
// A pointer in an argument points to something, and a reader or writer is one: nil panics, unless a
// comment says what nil means. Other inputs that cannot be right are errors that name them, or panics that the
// comment of the function names. A result is not checked when it comes back as an argument: one that a program
// makes up in its place may panic, and its sums may overflow.
//
// Programs stand in examples. Start with
//
//	go run github.com/plimsoll/plimsoll/examples/tools/sec@latest -h
//
// or see the library at work in your browser, on a page that computes on your machine:
//
//	go run github.com/plimsoll/plimsoll/examples/tools/page@latest
//
// A package comment begins with the decision that the package makes and code that makes
// the decision. The lesson follows: the problem, the notation, the algorithms with their
// cost and guarantee, and what holds where a published theorem does not.
package plimsoll
