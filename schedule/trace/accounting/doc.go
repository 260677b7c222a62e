// Package accounting reads what batch systems write about their jobs: who ran
// what, where, from when to when, and for how long they had asked. It turns
// Slurm's, PBS's and LSF's accounting into the jobs that package trace replays.
//
//	r := accounting.NewReader(file, accounting.Options{}) // plain or gzip, any of the forms
//	jobs, report, err := trace.Convert(r.Records(), trace.Options{PerInstance: 16})
//	fmt.Fprintln(os.Stderr, &report)          // what was left out, and why
//	user := r.Users()[jobs[0].User-1]         // the name behind a job's number
//
// What to call:
//
//	You have                                  You want                     Call
//	an accounting file                        jobs to replay               Reader.Records, trace.Convert
//	an accounting file                        names, states, calendar time Reader.Jobs or Reader.Next
//	the queue now (squeue --json)             who waits, who runs          Reader.Jobs, Job.State
//	a file of unknown form                    which reader reads it        Detect
//
// # Forms
//
// The first bytes tell the form; nobody has to name it.
//
//   - A table with named columns: sacct -P (or -p) with its header line, the
//     delimiter |, comma, tab or semicolon. The columns may come in any order and
//     there may be more. JobIDRaw or JobID, Submit, Start, End or Elapsed, and one
//     of AllocCPUS, NCPUS, ReqCPUS, AllocTRES and ReqTRES are needed. Without a
//     header line, [Options].Columns names the columns; XDMoD's 26 columns are
//     known. Names of other tools' columns (submit_time, num_cores) are known too.
//   - sacct --json and squeue --json, Slurm 21.08 to 25.05: a number may be plain
//     or {"set": ..., "infinite": ..., "number": ...}, a state a text or a list.
//   - The accounting log of PBS Professional, OpenPBS and Torque: its E records.
//   - qstat -f -F json (add -x for jobs that have ended).
//   - lsb.acct of LSF: its JOB_FINISH records.
//
// # What is a job
//
// Steps of Slurm's jobs (123.batch, 123.0) run inside their job's nodes, and are
// left out. Tasks of an array are jobs of their own. A job that was
// put back into the queue is a job for each of its runs, if the text has them all
// (sacct -D). A job that waits or still runs is returned with its [State] and
// without an end; a conversion leaves it out and counts it under "run time
// unknown". A job that was cancelled before it started has no start.
//
// # Times
//
// JSON and the logs of PBS and LSF count seconds since 1970. Tables print local
// time without its zone: [Options].Location says which. Where clocks are set
// back an hour comes twice in local time, and a run over that hour may be an hour
// off or end before it starts; TZ=UTC sacct avoids that. The run time of a job is
// from its start to its end, pauses included, since the job holds its nodes.
//
// # Faults of the sources
//
// Slurm before 17.11 prints the memory for each processor with a bit that it uses
// itself: 2147486648Mn is 3000M for each processor, and is read so. Slurm prints an
// expected start and end for jobs that wait or run: both are dropped. Some
// databases have lost the list of allocated resources of a job that ran: its
// requested processors stand in.
//
// # Allocation and concurrency
//
// The memory of a [Reader] does not grow with the file, but for one copy of each
// distinct name. A table costs no allocation per job once its names are known;
// JSON does. A line may have 4 MiB and a job of JSON 16 MiB. A Reader serves one
// goroutine at a time and starts none.
//
// # References
//
//   - SchedMD, sacct(1), squeue(1), and the data_parser plugins of slurmrestd.
//   - Altair, PBS Professional Administrator's Guide, accounting log records.
//   - IBM, LSF configuration reference, lsb.acct.
package accounting
