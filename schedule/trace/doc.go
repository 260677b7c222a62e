// Package trace reads and writes job logs in the Standard Workload Format, turns their
// records into jobs that hold instances, and turns jobs into demand curves: how many
// instances does each hour need?
//
//	r := trace.NewReader(log) // plain or gzip
//	jobs, report, err := trace.Convert(r.Records(), trace.Options{PerInstance: 16})
//	fmt.Fprintln(os.Stderr, &report) // what was left out, and why
//	starts, _ := trace.AppendStarts(nil, jobs)
//	curve, err := trace.AppendDemand(nil, jobs, starts, trace.DemandOptions{})
//
// What to call:
//
//	You have                       You want                           Call
//	a log in the SWF               its records, one by one            NewReader, Reader.Next or Records
//	the same                       machine and calendar of the log    Reader.Header
//	records                        jobs to replay                     Convert
//	jobs                           when they started in the log       AppendStarts
//	jobs and their starts          instances needed in each hour      AppendDemand
//	records                        a log in the SWF                   NewWriter
//	a demand curve                 the curve in a file                WriteDemand
//	accounting of Slurm, PBS, LSF  jobs                               package schedule/trace/accounting
//
// # Problem
//
// A simulator replays jobs, and a planner of reservations wants the number of instances
// that each hour needs. Both start from the log of a parallel machine. The Parallel
// Workloads Archive keeps dozens of logs in one format, the Standard Workload Format
// (SWF). A log begins with comment lines that describe the machine ("; MaxProcs: 1664").
// A line of 18 numbers follows for each job, -1 where a number is unknown.
//
// Logs are measurements, and look like measurements. Jobs that were cancelled in the queue
// have no run time, waits are negative, requested times are shorter than the run,
// processors are missing in one field and present in another. This package keeps three
// steps apart, so that each step says what it does. Reading keeps the numbers of the log
// and refuses a line that is no record. Converting leaves out what cannot be replayed, and
// counts it by reason. A demand curve states its rule.
//
// # Notation
//
//	t_run   run time, field 4           j     a job
//	t_req   requested time, field 9     n_j   the instances that it holds
//	t_sch   what the scheduler is told  s     a slot, half-open: [a, b)
//	α       overestimation kept         D_s   instances that the slot needs
//
// A record becomes a job if it has a submit time, and a run time and
// processors above 0. With c processors per instance
//
//	n_j   = ⌈processors / c⌉
//	t_sch = t_run + α·(t_req − t_run)   [Niu16] section 8.4, α = 1 by default
//
// and t_sch is at least t_run, since a scheduler assumes that a job holds its instances
// until t_sch.
//
// # Algorithms
//
//	Reader.Next      one pass, its own parser of decimals   O(text)
//	Convert          one pass, then a stable sort           O(n) in order, else O(n log² n)
//	AppendDemand     sweep over starts and ends:
//	  SharedByAll      peak of instances held at once       O(n log n + slots)
//	  SharedByUser     the same for each user, summed       O(n log n + users·slots)
//	  Unshared         sum over the jobs that touch s       O(n + slots)
//
// All are exact. SharedByAll is the need of a cluster that gives an idle instance to any
// job, as in [Niu16]. SharedByUser is the rule of [Liu21] section 5.1. The paper's totals do
// not follow from that rule; those of Unshared are the nearest, 0.4 to 1.2% below the printed
// ones. D_s never falls from one rule to the next.
//
// A slot includes its first instant and excludes its end, and so does the time for which a
// job holds instances. So a job that ends on the hour and a job that starts on the hour do
// not overlap, and neither reaches into the other's slot.
//
// # Units
//
// Times are [time.Duration] from the log's time 0, which the header's
// UnixStartTime places in the calendar; nanoseconds hold up to nine decimals
// of a second exactly, and further ones are rounded and counted
// ([Stats].Rounded). A log that counts from 1970 keeps its times in records, and its jobs
// count from the first submission: see [Convert]. Memory is in KB per
// processor. Demand is in instances per slot, an hour by default.
//
// # What a reader takes
//
// A [Reader] takes
//
//   - plain text or gzip, told apart by the first two bytes, also several gzip members in a
//     row,
//   - lines that end in a line feed, with or without a carriage return before the line feed,
//     or in the end of the log,
//   - a UTF-8 byte order mark,
//   - fields separated by spaces and tabs,
//   - records in any order, a log without a header, and comments and empty lines anywhere.
//
// A record needs its first five fields. Missing later fields are unknown (-1),
// and columns beyond the 18th are ignored; both are counted. A number is an optional minus
// sign and digits, with a decimal point where the number is a time or memory, or where only
// zeros follow. Everything else is a *schedule.InputError such as
//
//	trace: line 17, column 4 (run time): not a number: "abc": want a number, or -1 if it is not known
//
// after which the next line can be read. Lines of more than 1 MiB, UTF-16,
// and carriage returns as the only line ends are refused.
//
// # Allocation and concurrency
//
// A [Reader] and a [Writer] keep their memory between uses (Reset), and allocate nothing
// per record once warm. [AppendDemand] allocates its sweep, and its dst where that is too short. The
// header's lines are allocated. Package compress/gzip decompresses: it
// allocates a few tables for each block, and sets the pace for gzipped logs.
// [Convert] takes the memory of the jobs kept, however long the log is. Nothing here starts
// a goroutine; a value serves one goroutine at a time.
//
// # References
//
//   - [Niu16] Niu et al., Building Semi-Elastic Virtual Clusters for
//     Cost-Effective HPC Cloud Resource Provisioning, TPDS 27(7), 2016.
//   - [Liu21] Liu et al., An Instance Reservation Framework for Cost Effective
//     Services in Geo-Distributed Data Centers, TSC 14(2), 2021.
//   - Feitelson, Tsafrir, Krakov, Experience with using the Parallel Workloads
//     Archive, JPDC 74(10), 2014, on the format, the logs and their flaws. If you use a
//     log, acknowledge the archive and the people named in the log's header.
package trace
