// Sec says how to run a log of batch jobs in the cloud: on a cluster that grows and shrinks
// with its queue ([Niu16]), on instances of each job's own, without a queue, at another
// provider, with reservations, or on a cluster of fixed size. It prints how long jobs wait,
// what the instances cost, and the mode to choose.
//
//	go run ./examples/tools/sec
//
// runs a made-up log, with -trace FILE your own: the Standard Workload Format, or accounting
// of Slurm (sacct), PBS or LSF, plain or gzip. -h lists the choices. The figures and claims of
// the paper stand in examples/papers.
//
// # Modes
//
//	individual  each job on instances of its own
//	nowait      one cluster, which grows for every job that cannot start
//	sec         one cluster, which grows when the first job of the queue would wait for too
//	            long
//	hybrid      sec with instances reserved at EC2
//	gce         sec at Google instead: ten minutes at least, then minutes, less for use
//	            throughout a month
//	multi       sec at both: each job where its instances cost less at that moment, by what
//	            is reserved, too
//	local       a cluster of fixed size, charged for from the first submission to the last
//	            end: that part of owning the cluster for three years ([Niu16] Table 3)
//
// # Files
//
// -weights has lines hour,W (for each hour of waiting), node,W (for each instance of the job)
// and user,NUMBER,W (which a job without a user does not have).
//
// -jobs has the columns id, submit_s, start_s, wait_s, nodes and user (-1: the log does not
// say). Times count from the log's time 0, or from the first submission where the log has
// calendar times. -demand has the most instances held in each hour.
//
// -users has the columns user, jobs, instance_hours, pays, alone, saved_by_use,
// saved_by_shapley, standard_error and pays_by_shapley. It divides the pure cost by use
// (instance-hours in which jobs run), to the nano. Alone is what the jobs cost each on
// instances of its own. What reservations save (hybrid, multi) is divided by use, too, and by
// the Shapley value of what each group of users could save by reserving for itself (package
// schedule/sim/bills). For more than 12 users that is sampled, with a standard error. Jobs
// without a user are of the user "unknown". With -mode individual each user pays for the
// instances of the user's own jobs.
//
// -json has an object for each mode: mode, nodes (the size of local; of the others the most
// instances held at once), jobs, mean_wait_s, mean_bounded_slowdown (runs of less than 10 s
// count as 10 s), utilisation (used over charged hours, 0 to 1), used_hours and charged_hours
// (of instances), reserved (instances), cost and pure_cost (decimal strings, in dollars; pure
// is less what is left of terms at the end of the log), and saving (of pure cost over
// individual, as a fraction).
//
// Reference: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
// Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016.
package main

import "github.com/plimsoll/plimsoll/examples/internal/cli"

var program = &cli.Program[options, *modeRuns]{
	Name: "sec", Usage: usage, Define: define, Work: simulate, Text: (*modeRuns).text, Rows: (*modeRuns).rows,
	Files: []cli.File[*modeRuns]{
		{Flag: "jobs", Write: (*modeRuns).writeJobs},
		{Flag: "users", Write: (*modeRuns).writeUsers},
		{Flag: "demand", Write: (*modeRuns).writeDemand},
		{Flag: "svg", Write: (*modeRuns).writeSVG},
	},
}

func main() { program.Main() }

// simulate reads the jobs and runs them.
func simulate(o *options, run *cli.Run) (*modeRuns, error) {
	log, err := o.load(run)
	if err != nil {
		return nil, err
	}
	runs, err := o.runAll(log, run)
	if err == nil && run.Asked("users") {
		if runs.users, err = runs.charged(); err != nil {
			return nil, cli.Mistakef("%s: bills of the users: %w", log.Name, err)
		}
	}
	return runs, err
}
