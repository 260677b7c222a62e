//go:build unix

// Slurm runs a semi-elastic cluster [Niu16] on a real Slurm: elasticd rents nodes when
// the queue needs them, and gives them back when they are idle and their paid time
// ends.
//
//	go run ./examples/services/slurm demo
//	go run ./examples/services/slurm elasticd -journal FILE -nodes LIST -provider exec ...
//	go run ./examples/services/slurm invoice -journal FILE
//	go run ./examples/services/slurm partition -client URL -nodes LIST
//	go run ./examples/services/slurm share
//
// demo starts a Slurm of its own and shows it. invoice charges the users. partition makes a Slurm cluster a
// partition of a host that takes nodes back [Duplyakin17], and share shows two of them
// beside a static split. -h of each lists the choices.
// What is decided, and how it recovers, is told in internal/manager.
//
// # A cluster in a cloud
//
// Slurm must know the names that instances may have, as nodes that are down until a
// daemon registers. In slurm.conf, which controller and instances share, write:
//
//	SlurmctldHost=head(10.0.0.2)
//	ReturnToService=2               # a node that registers may have jobs
//	SlurmdTimeout=120
//	SelectType=select/cons_tres
//	NodeName=n[1-16] CPUs=8 State=DOWN
//	PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE
//
// The image that instances start from has munge, with the controller's key, this
// slurm.conf, and a service that runs "slurmd -N NAME", with the name from the user data
// or tags of its instance. Controller and instances have to reach each other by these
// names: by DNS, or by "scontrol update nodename=n3 nodeaddr=10.0.0.17
// nodehostname=n3", which the create command below runs.
//
// elasticd runs on the controller's machine:
//
//	go run ./examples/services/slurm elasticd -journal /var/lib/plimsoll/journal -nodes 'n[1-16]' \
//	  -classes prices.json -provider exec -create './nodes create' -delete './nodes delete' \
//	  -list './nodes list' -buy './nodes buy'
//
// You write the commands, for example as this script, which uses jq and a command called
// cloud. The answers of the command differ from cloud to cloud; the output of the script
// is always the same.
//
//	#!/bin/sh -e
//	# Makes of instances what elasticd reads, an object each.
//	instances() { jq -c '.[] | {id: .Id, token: .Tags.token, node: .Tags.node, created: .Launched}
//	  + if .Terminated then {ended: .Terminated} else {} end'; }
//	case $1 in
//	create)
//	  # --client-token: with the same one the cloud creates nothing more.
//	  cloud run --client-token "$PLIMSOLL_TOKEN" --image node-image --type c8 \
//	    --tag token="$PLIMSOLL_TOKEN" --tag node="$PLIMSOLL_NODE" >/tmp/run.$$ 2>/tmp/err.$$ || {
//	    cat /tmp/err.$$ >&2
//	    grep -q -e InsufficientCapacity -e LimitExceeded /tmp/err.$$ && exit 3 # refused, not created
//	    exit 1
//	  }
//	  scontrol update nodename="$PLIMSOLL_NODE" nodeaddr="$(jq -r '.[0].Address' /tmp/run.$$)"
//	  instances </tmp/run.$$; rm -f /tmp/run.$$ /tmp/err.$$ ;;
//	delete)
//	  cloud terminate "$PLIMSOLL_ID" >&2
//	  # Charged until now; one that is ended twice is in the list with its first end.
//	  printf '{"id":"%s","ended":"%s"}\n' "$PLIMSOLL_ID" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" ;;
//	list)
//	  cloud list --all --with-tag token | instances ;;
//	buy)
//	  # Looks first: it is called again after a failure, with the same token.
//	  cloud reservations --tag token="$PLIMSOLL_TOKEN" | jq -er '.[0].Id' ||
//	    cloud reserve --offer "$PLIMSOLL_CLASS" --count "$PLIMSOLL_COUNT" --tag token="$PLIMSOLL_TOKEN" ;;
//	esac
//
// # Policies on a budget, in several clouds
//
// With -policy, elasticd is the elastic manager of [Marshall12]: a policy of package
// schedule/elastic decides every few minutes, on credits that accrue by the hour, in which
// cloud to rent what. examples/tools/elastic compares the policies on your own log before you
// choose one. The clouds are a file:
//
//	name,nodes,price,boot,provider,create,delete,list
//	private,p[1-8],0,1m,exec,./private create,./private delete,./private list
//	commercial,c[1-16],0.085,2m,exec,./nodes create,./nodes delete,./nodes list
//
//	go run ./examples/services/slurm elasticd -journal /var/lib/plimsoll/journal \
//	  -policy od++ -clouds clouds.csv -budget 5
//
// A job runs in one infrastructure. In slurm.conf write TopologyPlugin=topology/tree, and
// in topology.conf a line for each infrastructure, without a switch above them:
//
//	SwitchName=local Nodes=n[1-4]
//	SwitchName=private Nodes=p[1-8]
//	SwitchName=commercial Nodes=c[1-16]
//
// Nodes that are in no cloud are the local cluster. They need a weight of 1, which is
// Slurm's default, so that jobs get them first.
//
// What to know before:
//
//   - elasticd sets the weights of the nodes of -nodes, and drains, undrains and takes
//     down these nodes. It gives a job that starts before its turn (EASY backfilling) the
//     highest priority of Slurm, above fair share. elasticd must run as SlurmUser, as root,
//     or as an operator of Slurm's accounts. Nodes that administrators drain stay drained.
//   - elasticd decides on reservations every -period hours by [Niu16] 5.2. Without -buy, the
//     journal and the terminal say what to buy, and elasticd goes on as if you had bought
//     it; -period 0 decides on none. Try elasticd without -buy for some weeks: a purchase
//     costs real money.
//   - The journal is the only record of the instances of elasticd. After the loss of a
//     journal, elasticd begins a new journal with another token. It names the instances of
//     the old journal, and leaves them and their nodes alone: you must end them.
//   - Prices are those of -classes, and hours are charged whole. With a cloud that charges
//     by the second the bill is lower, and the moment at which an instance leaves does not
//     matter.
//   - An instance that ends by itself, such as an instance of a spot market, ends its job.
//     elasticd takes its node down, so that Slurm queues the job again.
//   - Spot instances have no bids and prices of their own here. The price of a spot market
//     changes by the hour, and a market that takes an instance away does not charge its last
//     hour. The journal has one price for each instance, from which the bill and the credits
//     follow after a restart, and your commands do not tell prices. So write the bid as the
//     price of the cloud: elasticd then never spends more than it counts, and rents less
//     than the market's price allows. examples/tools/elastic -spot and examples/tools/cap3 run have
//     bids on a history of prices.
//
// # Without elasticd
//
// Slurm has a way of its own to start and end nodes: SuspendProgram and ResumeProgram.
// Nodes are declared with State=CLOUD; Slurm runs ResumeProgram with the names of nodes that it
// has given to jobs, and SuspendProgram with those that were idle for SuspendTime. In
// slurm.conf:
//
//	ResumeProgram=/usr/local/sbin/rent          # create instances for the nodes in $1
//	SuspendProgram=/usr/local/sbin/give-back    # end them
//	ResumeTimeout=600
//	SuspendTime=3300                            # most of an hour that is paid for
//	NodeName=n[1-16] CPUs=1 State=CLOUD
//
// The commands are those of -create and -delete, with a loop over the names that
// "scontrol show hostnames $1" prints. It needs no daemon beside slurmctld, and it is
// simpler. What it cannot do:
//
//   - Slurm requests nodes for every job that it can start. So there is no limit of waiting
//     (T_waitlmt) and no expansion rule.
//   - What is given back goes by how long it was idle, not by when it is charged again. So
//     an instance whose hour has just begun goes as soon as one whose hour ends.
//   - Nothing is written down. So an instance whose creation failed halfway stays rented
//     until somebody looks.
//
// References:
//
//   - [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual Clusters
//     for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016. Sections
//     7 and 8.7.
//   - [Marshall12] Marshall, Tufo, Keahey, Provisioning Policies for Elastic Computing
//     Environments, IPDPS Workshops 2012. Sections II and III.
//   - [Duplyakin17] Duplyakin, Johnson, Ricci, The Part-Time Cloud: Enabling Balanced
//     Elasticity Between Diverse Computing Environments, ScienceCloud 2017. Section 3.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

const program = "slurm"

// usage is what -h prints.
const usage = `Usage: go run ./examples/services/slurm COMMAND [flags]

  demo                 starts a Slurm of its own, replays fifty jobs, shows what is
                       decided, and compares with the simulator
  elasticd             manages the nodes of a Slurm cluster: rents what the queue
                       needs, and gives it back when its paid time ends
  invoice              says what the nodes cost until now, and what each user pays of it
  partition            makes a Slurm cluster a partition of a hosting cluster, which
                       takes nodes back with notice and a grace period
  share                shows a host with two partitions on this machine: nodes move as
                       jobs wait, beside a split that stays

COMMAND -h lists the choices.
`

// commands are the parts of the program, by name: what -h of each prints, and what it
// does.
var commands = map[string]struct {
	usage string
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}{
	"demo":      {demoUsage, demo},
	"elasticd":  {elasticUsage, elasticd},
	"invoice":   {invoiceUsage, invoice},
	"partition": {partitionUsage, runPartition},
	"share":     {shareUsage, share},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	c, ok := commands[name]
	var err error
	switch name {
	case "-h", "-help", "--help", "help":
		_, err = io.WriteString(stdout, usage)
	case "":
		err = cli.Mistakef("want a command: demo, elasticd, invoice, partition or share; -h explains")
	default:
		if !ok {
			err = cli.Mistakef("%q is not a command: want demo, elasticd, invoice, partition or share; -h explains", name)
			break
		}
		err = c.run(ctx, args, stdout, stderr)
		if errors.Is(err, flag.ErrHelp) {
			_, err = io.WriteString(stdout, c.usage)
		} else if cli.Status(err) == cli.Mistake {
			err = cli.Mistakef("%s: %w", name, err)
		}
	}
	status := cli.Exit(stderr, program, err)
	if errors.Is(err, errInterrupted) {
		status = interrupted
	}
	return status
}

// parse parses the flags that define defines, and notes in given which there were. The error is [flag.ErrHelp] or the user's
// mistake.
func parse(define func(*flag.FlagSet), args []string, given ...map[string]bool) error {
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	define(flags)
	err := cli.Parse(flags, args)
	for _, g := range given {
		flags.Visit(func(f *flag.Flag) { g[f.Name] = true })
	}
	return err
}

// mistaken marks errors that are the user's mistakes.
func mistaken(err error) error {
	for _, theirs := range []error{slurmctl.ErrAbsent, slurmctl.ErrVersion, slurmctl.ErrUnknownNode, manager.ErrOptions, partition.ErrOptions,
		errFolder, journal.ErrHeld, journal.ErrDamaged, slurmctl.ErrConf, os.ErrNotExist, os.ErrPermission, syscall.EISDIR} {
		if errors.Is(err, theirs) {
			return cli.Mistakef("%w", err)
		}
	}
	return err
}
