package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

const program = "parttime"

// usage is what -h prints.
const usage = `Usage: parttime host [flags]
       parttime client -host URL -name NAME [flags]

Shares the nodes of a cluster between partitions [Duplyakin17]. The host grants nodes
and takes them back, with notice and a grace period; each partition has a client. A
process with a -state may be killed and started again at any time. README.md says what
frameworks and administrators ask, and has the forms of the files.

Of the host
  -listen ADDRESS   where to listen (default 127.0.0.1:0, a free port, which the host
                    prints); without -cert or -keys only loopback addresses
` + exchangehttp.Usage + `  -state FILE       keep the state in FILE; without it a restart forgets all
  -fsck             with -state alone: say whether the state is whole, and end
  -nodes N          nodes of the cluster, 1 to 100000 (default 20)
  -kinds LIST       kinds and features of the nodes, such as epyc+gpu*4,xeon*16
  -grace D          grace period (default 2m)
  -every D          time between notices (default 1m)
  -term D           how long a silent client keeps its nodes (default 15m; negative:
                    no end)
  -max-age D        values older than D are stale (default 5m)
  -max-delay D      how long stale values delay a preemption (default 5m)
  -values D         tell the partitions every D which nodes they could get (default
                    5m; 0: only when they ask)
  -minute D         how long a minute of the exchange takes (default 1m)
  -provision PROGRAM    run PROGRAM before a node is granted
  -provision-timeout D  end PROGRAM after D of real time (default 10m)
  -provision-wait D     do not grant a node for D after PROGRAM failed (default 5m)

Of a client
  -host URL         URL that the host prints, such as http://127.0.0.1:8080
  -name NAME        name of the partition; a new partition is created
  -weight N         the partition's share, relative to others (default 1)
  -floor N          nodes that preemption leaves to the partition (default 0)
  -url URL          where the host reaches the client (default: where it listens)
  -add N            nodes to ask for when there is no state yet (default 0)
  -kind KIND        kind of the nodes of -add, such as epyc, epyc+gpu or +gpu
  -every D          time between listings (default 1m; a -state keeps its own)
  -listen, -cert, -key, -ca, -keys, -state, -fsck and -minute as of the host

  -h                print this

The exit status is 0, also after an interrupt: the -state keeps all leases, and
without it they end by their -term. It is 1 if the program fails, and 2 for a mistake
in the flags, the state or what is asked of the host.
`

type role int

const (
	hostRole role = iota
	clientRole
)

func (r role) String() string { return [...]string{"host", "client"}[r] }

// options are the flags.
type options struct {
	role   role
	listen string
	state  string
	minute time.Duration

	credentials exchangehttp.Credentials
	secure      *exchangehttp.Security // made of the credentials

	nodes   int      // 0: the state's, or the default
	kinds   []string // of the nodes, nil: all ""
	manager exchange.ManagerOptions

	provision        string // a command
	provisionTimeout time.Duration
	provisionWait    time.Duration
	values           time.Duration // between two vectors of the host; 0: none

	host   string
	name   string
	weight int
	floor  int
	add    int
	kind   string
	url    string // where the host reaches the client, "" for where it listens
}

// security reads the credentials, once.
func (o *options) security() (*exchangehttp.Security, error) {
	if o.secure != nil {
		return o.secure, nil
	}
	self := o.name
	if o.role == hostRole {
		self = exchangehttp.HostName
	}
	return exchangehttp.NewSecurity(o.credentials, self)
}

// setKinds reads a list such as "epyc+gpu*4,xeon*16".
func (o *options) setKinds(s string) error {
	o.kinds = nil
	for part := range strings.SplitSeq(s, ",") {
		kind, count, many := strings.Cut(part, "*")
		n := 1
		if many {
			var err error
			if n, err = strconv.Atoi(count); err != nil || n < 1 || n > maxNodes {
				return fmt.Errorf("want kinds with numbers of nodes, such as epyc+gpu*4,xeon*16, not %q", part)
			}
		}
		if len(o.kinds)+n > maxNodes {
			return fmt.Errorf("want at most %d nodes", maxNodes)
		}
		for range n {
			o.kinds = append(o.kinds, kind)
		}
	}
	return nil
}

const (
	defaultNodes = 20
	maxNodes     = 100_000 // so that a message about all of them is short enough
)

// define defines the flags of a role, which set o.
func (o *options) define(f *cli.Flags) {
	positive := func(name string, to *time.Duration) {
		f.Span(name, to, "a positive span of time, such as 90s, 5m or 1h30m", func(d time.Duration) bool { return d > 0 })
	}
	positive("minute", &o.minute)
	f.Func("listen", func(s string) error {
		if _, _, err := net.SplitHostPort(s); err != nil {
			return errors.New("want an address with a port, such as 127.0.0.1:8080")
		}
		o.listen = s
		return nil
	})
	f.Name("state", &o.state, "the name of a file")
	f.Switch("fsck", new(bool)) // see run
	o.credentials.Define(func(name string, to *string) { f.File(name, to) })
	positive("every", &o.manager.Every)
	if o.role == hostRole {
		f.Int("nodes", &o.nodes, 1, maxNodes, "")
		f.Func("kinds", o.setKinds)
		f.Name("provision", &o.provision, "the name of a program")
		positive("provision-timeout", &o.provisionTimeout)
		positive("provision-wait", &o.provisionWait)
		f.Span("values", &o.values, "a span of time such as 5m, or 0 for none", func(d time.Duration) bool { return d >= 0 })
		positive("grace", &o.manager.Grace)
		positive("max-age", &o.manager.MaxAge)
		positive("max-delay", &o.manager.MaxDelay)
		f.Span("term", &o.manager.Term, "a span of time, such as 15m, or a negative one for no end", func(d time.Duration) bool { return d != 0 })
		return
	}
	f.Func("host", func(s string) error {
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" && u.Path != "/" {
			return errors.New("want the URL that the host prints, such as http://127.0.0.1:8080")
		}
		o.host = u.Scheme + "://" + u.Host
		return nil
	})
	f.Func("name", func(s string) error {
		if exchangehttp.CheckName(s) != nil || s == exchangehttp.HostName || s == exchangehttp.AdminName {
			return errors.New("want a name of 1 to 100 characters that are printable, and neither host nor admin")
		}
		o.name = s
		return nil
	})
	f.Int("weight", &o.weight, 1, 1<<20, "")
	f.Int("floor", &o.floor, 0, 1_000_000, "")
	f.Int("add", &o.add, 0, 1_000_000, "")
	f.Name("url", &o.url, "the address at which the host reaches the client, such as https://10.1.2.3:8444")
	f.Name("kind", &o.kind, "a kind of nodes, such as epyc+gpu or +gpu")
}

// parse reads the flags. Its error is [flag.ErrHelp] or the user's mistake.
func parse(args []string) (options, error) {
	o := options{listen: "127.0.0.1:0", minute: time.Minute, weight: 1, provisionTimeout: 10 * time.Minute, provisionWait: 5 * time.Minute,
		values: 5 * time.Minute}
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch name {
	case "host":
	case "client":
		o.role = clientRole
	case "-h", "-help", "--help", "help":
		return o, flag.ErrHelp
	case "":
		return o, cli.Mistakef("no role: want host or client before the flags (-h lists them)")
	default:
		return o, cli.Mistakef("%q is not a role: want host or client before the flags (-h lists them)", name)
	}
	f := cli.NewFlags(program)
	o.define(f)
	f.Check(func() error {
		switch {
		case o.kinds != nil && o.nodes != 0 && o.nodes != len(o.kinds):
			return fmt.Errorf("-nodes %d and -kinds with %d nodes: want the same number, or one of the flags", o.nodes, len(o.kinds))
		case o.minute < time.Millisecond || o.minute > time.Hour:
			return fmt.Errorf("-minute %v: want 1ms to 1h", o.minute)
		case o.role == clientRole && (o.host == "" || o.name == ""):
			return errors.New("a client needs -host, the URL that the host prints, and -name, its partition's (-h lists the flags)")
		}
		return nil
	})
	return o, f.Parse(args)
}
