// Cap3 sizes the run of a parallel program for a deadline and a budget: how many processes, on
// how many instances, on demand or on spot ([Huang13]). It fits models of the run time to a
// profile of a few small runs, and tries the plan on a history of spot prices.
//
//	go run ./examples/tools/cap3 record -out heat.csv -- mpirun -n {P} ./heat
//	go run ./examples/tools/cap3 -profile heat.csv -input huge:n=8000 -deadline 2h -budget 20
//	go run ./examples/tools/cap3 run -tasks FILE
//
// record profiles a program: it runs a ladder of numbers of processes and inputs. profile makes
// a profile of what TAU and mpiP have written about runs. Without a command cap3 plans; run
// carries a plan out. go run ./examples/papers huang13 has the tables and figures of the paper.
//
// # Profiles
//
// A profile is CSV, a line for each run, with the columns processes and seconds, and perhaps
// application, case, computation, communication, repetitions, spread and resolution. Columns
// such as MPI_Send have the seconds in that function; every other column is a feature.
// Predictions assume that a process runs as fast on the instance as on the profiled machine.
// Runs on more processes than make any case faster are left out: they take turns on too few
// cores. The models are, by the features and the number of processes P,
//
//	eq1        sum of the features and P, Eq. (1)
//	eq2        power law in the features and P, Eq. (2)
//	work       power law in the product of the features and P
//	quadratic  eq2, and the square of the logarithm of P
//	cap3       computation by Eq. (2), communication by Eq. (3) or (4)
//	functions  computation by Eq. (2), each MPI function by Eq. (3) or (4)
//	amdahl     Amdahl's law
//	usl        Universal Scalability Law
//
// Of the NAS Parallel Benchmarks the amount of work is known, and stands in the place of the
// features but in eq1 and eq2.
//
// # Charges
//
// Types of Table III of [Huang13] are charged by the hour begun, as in 2013, where the hour of an
// interruption of a spot instance is free. Others are charged by the second. The types' cores
// are 1 for large, 2 for xlarge, 4 for 2xlarge and so on, but for c7a.4xlarge, which has 16.
//
// # Objects of -json
//
// Each has a kind, and money is text. Of "instance": instance, processes, on_demand. Of "model":
// application, model, error (of runs left out, the root mean square of ln(predicted/measured);
// null: it could not be fitted), runs, chosen. Of "check", a run that was predicted without it:
// application, case, left ("run": from all others; "largest": from all but the largest cases),
// processes, measured_s, predicted_s, lower_s, upper_s. Of "front" (no other is better in time
// and cost) and "choice": application, case, processes, instances, time_s, upper_s (with
// -confidence), cost, outside; a choice has choice and verdict, too. Of "schedule": application,
// case, estimate_s, planned, planned_bid (null: on demand), expected_cost, starts, met, missed
// (that on demand would have met), cost and on_demand_cost (of all starts), interruptions. Of
// "lease", one of those at the first start: application, case, bid, from_s, to_s, end, cost.
// Objects of run: task, done, met, finish_s, leases, cost (at most), least_cost, unsure (null, or
// why these differ), simulated_cost (made-up), failed (null, or why). Of record: case,
// processes, repetition, wall_s, seconds (null: failed), communication (null: failed or not
// measured), failed. Of profile: path, case, processes, seconds, communication, functions.
//
// # Carrying tasks out
//
// The file of -tasks is CSV with the columns name, estimate and deadline (spans of time such as
// 2h), and perhaps instances (default 1), command, checkpoint, the work between two checkpoints,
// and runtime, what a task of made-up really takes.
//
// A task's command finds in PLIMSOLL_CHECKPOINT (local) a folder that outlives instances. There
// it saves its progress, and writes the seconds of work saved to the file "saved". With the
// rules hedged and planned a task can run on two clusters at once, which have the same folder:
// there the command must write every file whole (a new file that is renamed).
//
// The commands of exec: -create rents an instance with the name PLIMSOLL_NODE and the token
// PLIMSOLL_TOKEN, and writes a line of JSON with id, token, node and created, such as
// "2013-01-01T00:00:00Z". It exits with 3 if no instance is to be had. PLIMSOLL_TIER has the
// agent (high is on demand), PLIMSOLL_BID the bid for an hour. -delete ends the instance
// PLIMSOLL_ID, and writes its line with ended. -list writes a line for each instance; those that
// have ended may be missing. -status writes booting, ready, running, done or failed, and the
// seconds of work in checkpoints, such as "running 3600"; without PLIMSOLL_CLUSTER "none 3600".
// -submit starts PLIMSOLL_COMMAND on PLIMSOLL_INSTANCES; -move brings what is saved of
// PLIMSOLL_TASK there.
//
// With exec, the program knows the cost of instances on demand. An instance on spot costs at
// most its bid. If an instance ended while the program was not there, the cost lies between
// that until the instance was last seen and that until it was missed: the output has both.
//
// Reference: [Huang13] Huang, Wang, Tak, Wang, Tang, CAP3: A Cloud Auto-Provisioning
// Framework for Parallel Processing Using On-demand and Spot Instances, 2013.
package main

import (
	"io"
	"os"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

var program = &cli.Program[options, *results]{
	Name: "cap3", Usage: usage, Define: define, Work: provision, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

// commands are the other parts of the program, by name.
var commands = map[string]func(args []string, stdout, stderr io.Writer) int{}

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }

// start runs a command, or plans.
func start(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if run := commands[args[0]]; run != nil {
			return run(args[1:], stdout, stderr)
		}
	}
	return program.Run(args, stdout, stderr)
}

// provision reads the input, fits, sizes and schedules.
func provision(o *options, run *cli.Run) (*results, error) {
	in, err := o.read()
	if err != nil {
		return nil, err
	}
	o.note(run, in)
	return o.plan(in, run.Line)
}
