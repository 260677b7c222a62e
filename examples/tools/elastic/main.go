// Elastic says which policy rents instances best for a small cluster on an hourly budget. It
// runs a job log, or made-up jobs, under policies that decide every few minutes what to rent
// from which cloud ([Marshall12]), and prints how long jobs take and what they cost.
//
//	go run ./examples/tools/elastic -trace LOG -clouds FILE -budget 5
//
// The log is in Standard Workload Format or accounting of Slurm, PBS or LSF, plain or gzip.
// Each run has its jobs, and ends with the last job, or when no job starts for 60 days while
// none runs. Without -trace each run draws a sample of a workload of the paper, and takes
// 1,100,000 s as there.
//
// # Clouds
//
// The file of -clouds is CSV with a line of titles, plain or gzip, a line for each cloud, and
// some of these columns:
//
//	name            lower-case letters, digits and _; not local or lost
//	limit           the most instances at once, up to 67108864 (empty: no limit)
//	price           dollars for each hour begun (empty: 0)
//	reject          the share of requests that the cloud refuses (empty: 0)
//	boot            span until an instance takes jobs, such as 50s, or with its standard
//	                deviation, such as 50s±4s (empty: as the paper measured it)
//	stop            span until a terminated instance is gone, likewise
//	release         span for which an instance is still charged after it is given back,
//	                likewise (empty: 0)
//	transfer        how much longer a job takes, for its data (empty: 0)
//	transfer_price  dollars for the data of a job, paid when the job starts, at most 1000
//	                (empty: 0). Policies do not know of it, and credits do not limit it
//	type            an instance type of the cloud, which has a line of its own: lower-case
//	                letters, digits and _
//	cores           of an instance, which runs one job at a time (empty: 1)
//	speed           of a core, as a multiple of a local core's (empty: 1)
//	spot            of a spot cloud, which has no price: a file of prices as EC2 gives them,
//	                CSV, plain or gzip, or made-up for prices as EC2 had them in 2013
//	series          an instance type of that file, such as t3.small, or with its zone,
//	                eu-west-3a t3.small; of Linux/UNIX (empty: the only one)
//	bid             the most that is paid for an instance-hour of the spot cloud, in dollars
//
// When a spot price rises above the bid, all instances of the cloud end. Their jobs lose
// their work and go back to their places in the queue. Each run begins at another time of the
// prices. After the last price that price holds.
//
// # Output
//
// -json prints an object for each policy, with the keys workload, arrivals (of samples),
// policy, runs, jobs (mean of a run), awrt_s, awqt_s, makespan_s (average weighted response
// and queued time; null if no job ended), cost (dollars), local_core_hours and
// NAME_core_hours of each cloud, each a mean over the runs and with _sd its standard
// deviation (null of a single run), lowest_credits (of any run), refused (requests for an
// instance, mean), with spot clouds requeued (how often jobs lost their work, mean) and
// lost_core_hours, and unfinished_jobs (in all runs together; the means are over the others).
//
// -credits writes an object for each policy and hour: workload, policy, hour (from the
// start), runs (that took so long), credits (mean at that time) and lowest (until the next
// hour, of any run). -decisions writes an object for each decision of the first run:
// workload, policy, at_s, round (0, and one more after each round with a refusal), action
// (launch or terminate), cloud, instances, refused (of these), why, waiting_jobs,
// waiting_cores and credits (afterwards). Money is text.
//
// If the jobs of a log need more than the clouds have, the queue grows: aqtp looks at the
// whole queue and can take minutes, mcop hours. go run ./examples/papers marshall12 repeats
// the evaluation of the paper, and tries what the paper leaves open.
//
// Reference: [Marshall12] Marshall, Tufo, Keahey, Provisioning Policies for Elastic
// Computing Environments, IPDPS Workshops 2012.
package main

import (
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
)

// results are what the policies do on the jobs.
type results struct {
	*renting.Results
	tolerance float64
}

var program = &cli.Program[options, results]{
	Name: "elastic", Usage: usage, Define: define, Work: compare, Text: results.text, Rows: results.rows,
	Files: []cli.File[results]{
		{Flag: "svg", Write: results.WriteSVG},
		{Flag: "credits", Write: results.WriteCredits},
		{Flag: "decisions", Write: results.WriteDecisions},
	},
}

func main() { program.Main() }

// compare reads or makes the jobs and runs the policies.
func compare(o *options, run *cli.Run) (r results, err error) {
	jobs, err := o.jobs(run.Line)
	if err != nil {
		return r, err
	}
	if jobs.Log != nil {
		jobs.Log.Note(run, jobs.Name)
	}
	at, err := o.setup()
	if err != nil {
		return r, err
	}
	o.Levels, o.Decisions = run.Asked("credits"), run.Asked("decisions")
	all, err := o.Evaluate([]*renting.Source{jobs}, []*renting.Setup{at}, run)
	return results{all, o.tolerance}, err
}

// rows has a row for each policy.
func (r results) rows() any {
	var rows []jsonrows.Row
	for i := range r.Cells {
		rows = append(rows, r.Cells[i].Row())
	}
	return rows
}
