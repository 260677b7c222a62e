// Package trace reads and writes job logs in the Standard Workload Format,
// turns their records into jobs that hold instances, and jobs into demand
// curves.
//
// # Problem
//
// A simulator replays jobs, and a planner of reservations wants the number of
// instances that each hour needs. What there is to start from is the log of a
// parallel machine. The Parallel Workloads Archive keeps dozens of them in
// one format, the Standard Workload Format (SWF): comment lines that begin
// with a semicolon, of which the first ones describe the machine (";
// MaxProcs: 1664"), and a line of 18 numbers for each job, -1 where a number
// is unknown.
//
// Logs are measurements, and look like it. Jobs that were cancelled in the
// queue have no run time, waits are negative, requested times are shorter
// than what then ran, processors are missing in one field and present in
// another. This package keeps three steps apart, so that each is honest about
// what it does: reading keeps what stands in the log and refuses what is no
// record; converting leaves out what cannot be replayed, and counts it by
// reason; a demand curve states its rule.
//
//	var log *os.File // a plain log or a gzipped one
//	r := trace.NewReader(log)
//	jobs, report, err := trace.Convert(r.Records(), trace.Options{PerInstance: 16})
//	fmt.Fprintln(os.Stderr, &report)
//	starts, _ := trace.AppendStarts(nil, jobs)
//	curve, err := trace.AppendDemand(nil, jobs, starts, trace.DemandOptions{})
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
// and t_sch is at least t_run, since a scheduler takes a job to hold its
// instances until then.
//
// # Algorithms
//
//	Reader.Next      one pass, its own parser of decimals   O(text)
//	Convert          one pass, then a stable sort           O(n) in order, else O(n log² n)
//	AppendDemand     sweep over starts and ends:
//	  SharedByAll      peak of instances held at once       O(n log n + slots)
//	  SharedByUser     the same for each user, summed       O(n log n + users·slots)
//	  Unshared         sum over the jobs that touch s       O(n + slots)
//	Peaks            the peaks of a level from its changes  O(1) a change and slot
//
// All are exact. SharedByAll is what a cluster needs that gives an idle
// instance to any job, as in [Niu16]. SharedByUser is the rule of [Liu21]
// section 5.1: within a slot, jobs share an instance only if they belong to
// one user. Two jobs share an instance by using it one after the other, so
// each user needs, in each slot, the most that their jobs hold at one time.
// The paper's totals do not follow from that rule. Nearest to them is
// Unshared, where each job takes its own instances in every slot that it
// touches: 0.4 to 1.2% below what is printed. D_s never falls from one rule
// to the next.
//
// A slot counts what is held at any instant in it, its first instant included
// and its end excluded, and a job holds from its start up to but not at its
// end: a job that ends on the hour and one that starts then do not overlap,
// and neither reaches into the other's slot.
//
// # Units
//
// Times are [time.Duration] from the log's time 0, which the header's
// UnixStartTime places in the calendar; nanoseconds hold up to nine decimals
// of a second exactly, and further ones are rounded and counted
// ([Stats].Rounded). A log that counts from 1970 is read as it stands, and
// its jobs count from the first submission: see [Origin]. Memory is in KB per
// processor. Demand is in instances per slot, an hour by default.
//
// # What a reader takes
//
// Plain text or gzip, told by the first two bytes, also several gzip members
// in a row; lines that end in a line feed, with or without a carriage return
// before it, or in the end of the log; a UTF-8 byte order mark; fields apart
// by spaces and tabs; records in any order; no header; comments and empty
// lines anywhere. A record needs its first five fields; missing later ones
// are unknown (-1), and columns beyond the 18th are ignored: both are
// counted. A number is an optional minus sign and digits, with a decimal
// point where it is a time or memory, or where only zeros follow. All else is
// an [*InputError] such as
//
//	trace: line 17, column 4 (run time): not a number: "abc": want a number, or -1 if it is not known
//
// after which the next line can be read. Lines of more than 1 MiB, UTF-16,
// and carriage returns as the only line ends are refused.
//
// # Allocation and concurrency
//
// A [Reader], [Writer], [Sweep] and [Peaks] keep their memory between uses
// (Reset), and allocate nothing per record, job or change once warm. The
// header's lines are allocated, and decompression is compress/gzip's, which
// allocates a few tables for each block and sets the pace for gzipped logs.
// [Convert] takes the memory of the jobs kept, whatever the log's length.
// Nothing here starts a goroutine; a value serves one goroutine at a time.
//
// # References
//
//   - [Niu16] Niu et al., Building Semi-Elastic Virtual Clusters for
//     Cost-Effective HPC Cloud Resource Provisioning, TPDS 27(7), 2016.
//   - [Liu21] Liu et al., An Instance Reservation Framework for Cost Effective
//     Services in Geo-Distributed Data Centers, TSC 14(2), 2021.
//   - Feitelson, Tsafrir, Krakov, Experience with using the Parallel Workloads
//     Archive, JPDC 74(10), 2014, on the format, the logs and their flaws. Who uses
//     a log acknowledges the archive and those named in the log's header.
package trace
