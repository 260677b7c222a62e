//go:build unix

// Package cluster starts and ends a Slurm cluster of its own in a temporary folder, beside
// any other cluster on the machine, for demonstrations and tests. The package installs
// nothing and leaves nothing behind.
//
// The nodes are declared and down: names and ports that daemons may take. With such nodes,
// jobs of any size up to all nodes wait, and a daemon that registers is idle within 0.2 s,
// since ReturnToService is 2. The client of [Duplyakin17] 3.2 does the same: "we give SLURM
// a view of the entire hosting cluster, but tell it that all nodes not belonging to its
// partition are currently off".
//
// Slurm 22.05 has three other ways for nodes to come and go, which do not fit. State FUTURE
// hides names until a daemon comes, and Slurm then refuses jobs that need more nodes than
// are there. State CLOUD wants ResumeProgram, and then Slurm decides. Dynamic nodes (slurmd
// -Z, from 22.05 on) would fit, but Slurm refuses jobs as with FUTURE unless other nodes are
// declared.
package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/processes"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// A Cluster runs until Close.
type Cluster struct {
	Dir   string // everything is in it
	Conf  string // slurm.conf
	Names []string

	slurmd, sbatch string
	// prepare, if not nil, starts what the controller needs, and returns lines of slurm.conf
	// in the place of those that want no accounting.
	prepare   func(c *Cluster, ctx context.Context) ([]string, error)
	lines     []string
	guard     *exec.Cmd
	life      io.WriteCloser // the guard acts when it is closed, by whatever
	munged    *daemon
	slurmctld *daemon
	once      sync.Once
	err       error
}

// Start starts the controller of a cluster and munge, but no node. The nodes have the names
// n1, n2 and so on. The error unwraps to slurmctl.ErrAbsent if Slurm is not installed, and
// to slurmctl.ErrVersion if it is too old; then nothing has been started.
func Start(ctx context.Context, nodes int) (*Cluster, error) { return startWith(ctx, nodes, nil) }

// StartGroups is Start with nodes in groups of the given sizes: n1 and on are the first
// group. No job gets nodes of two groups.
func StartGroups(ctx context.Context, sizes ...int) (*Cluster, error) {
	nodes := 0
	for _, n := range sizes {
		nodes += n
	}
	return startWith(ctx, nodes, func(c *Cluster, _ context.Context) ([]string, error) {
		var b strings.Builder
		first := 0
		for i, n := range sizes {
			fmt.Fprintf(&b, "SwitchName=group%d Nodes=%s\n", i, strings.Join(c.Names[first:first+n], ","))
			first += n
		}
		return []string{"AccountingStorageType=accounting_storage/none", "TopologyPlugin=topology/tree"},
			os.WriteFile(filepath.Join(c.Dir, "topology.conf"), []byte(b.String()), 0o600)
	})
}

// startWith is Start with something to start between munge and the controller.
func startWith(ctx context.Context, nodes int, prepare func(c *Cluster, ctx context.Context) ([]string, error)) (*Cluster, error) {
	if nodes < 1 || nodes > 512 {
		return nil, fmt.Errorf("cluster: %d nodes: want 1 to 512", nodes)
	}
	var paths [4]string
	for i, name := range [...]string{"munged", "slurmctld", "slurmd", "sbatch"} {
		var err error
		if paths[i], err = slurmctl.Find(name); err != nil {
			return nil, err
		}
	}
	if err := checkVersion(ctx, paths[1]); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "plimsoll-slurm-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir, Conf: filepath.Join(dir, "slurm.conf"), slurmd: paths[2], sbatch: paths[3]}
	for i := range nodes {
		c.Names = append(c.Names, "n"+strconv.Itoa(i+1))
	}
	c.prepare = prepare
	if err := c.startGuard(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := c.start(ctx, paths[0], paths[1]); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// checkVersion asks the controller, which tells its version without slurm.conf.
func checkVersion(ctx context.Context, slurmctld string) error {
	text, err := exec.CommandContext(ctx, slurmctld, "-V").Output()
	if err != nil {
		return fmt.Errorf("%s -V: %w", slurmctld, err)
	}
	return slurmctl.CheckVersion(string(text))
}

func (c *Cluster) start(ctx context.Context, munged, slurmctld string) error {
	if err := c.startMunge(ctx, munged); err != nil {
		return err
	}
	c.lines = []string{"AccountingStorageType=accounting_storage/none"}
	if c.prepare != nil {
		lines, err := c.prepare(c, ctx)
		if err != nil {
			return err
		}
		c.lines = lines
	}
	// The ports may be taken between here and there; then other ones are tried.
	for try := 0; ; try++ {
		ports, err := freePorts(len(c.Names) + 1)
		if err != nil {
			return err
		}
		if err := c.writeConf(ports); err != nil {
			return err
		}
		if err = c.startController(ctx, slurmctld); err == nil {
			return nil
		}
		if try == 2 || ctx.Err() != nil {
			return err
		}
	}
}

// guardScript is the program of a process that waits for its standard input to end, which it does
// when the one that has started it ends, however that comes. Then it does what Close
// does. Its arguments are the mark and the folder.
const guardScript = `
trap '' INT TERM HUP
read -r bye
[ "$bye" = bye ] && exit
for round in 1 2 3; do
	for p in $(grep -lzxF -e "$1" /proc/[0-9]*/environ 2>/dev/null); do
		p=${p%/environ}
		kill -KILL "${p#/proc/}" 2>/dev/null
	done
	for p in /proc/[0-9]*; do
		name=
		{ read -r name <"$p/comm"; } 2>/dev/null
		if [ "$name" = slurmstepd ] && ls -l "$p/fd" 2>/dev/null | grep -qF " $2/"; then
			kill -KILL "${p#/proc/}" 2>/dev/null
		fi
	done
done
rm -rf "$2"
`

// startGuard starts the guard, in a session of its own.
func (c *Cluster) startGuard() error {
	cmd := exec.Command("/bin/sh", "-c", guardScript, "sh", mark+c.Dir, c.Dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.guard, c.life = cmd, in
	return nil
}

// startMunge starts a munged with a key and a socket of its own, as the user that
// munge was installed for where this process is root, since it refuses to be. Nobody else
// is to reach the socket, and so to submit jobs: the folder is of this process's user,
// and munge's group may only pass. munged wants its socket in reach of all, hence --force.
func (c *Cluster) startMunge(ctx context.Context, path string) error {
	dir := filepath.Join(c.Dir, "munge")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	key := make([]byte, 128)
	rand.Read(key)
	if err := os.WriteFile(filepath.Join(dir, "key"), key, 0o600); err != nil {
		return err
	}
	socket := filepath.Join(dir, "socket")
	cmd := exec.Command(path, "--foreground", "--force", "--key-file="+filepath.Join(dir, "key"), "--socket="+socket,
		"--pid-file="+filepath.Join(dir, "pid"), "--log-file="+filepath.Join(dir, "log"), "--seed-file="+filepath.Join(dir, "seed"))
	var as *syscall.Credential
	if os.Getuid() == 0 {
		u, err := user.Lookup("munge")
		if err != nil {
			return fmt.Errorf("cluster: munged does not run as root: %w", err)
		}
		uid, err := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err = errors.Join(err, err2); err != nil {
			return err
		}
		if err := errors.Join(os.Chown(c.Dir, 0, gid), os.Chmod(c.Dir, 0o710)); err != nil {
			return err
		}
		for _, p := range []string{dir, filepath.Join(dir, "key")} {
			if err := os.Chown(p, uid, gid); err != nil {
				return err
			}
		}
		as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	var err error
	if c.munged, err = c.begin(cmd, as, "munged.out"); err != nil {
		return err
	}
	return c.munged.ready(ctx, 10*time.Second, "; its user has to reach "+dir+": is TMPDIR a private folder?", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// A daemon is a process that the cluster has started, in a session of its own.
type daemon struct {
	name  string
	cmd   *exec.Cmd
	log   string        // its last line says why the daemon ended
	ended chan struct{} // closed once the process has been waited for
}

// begin starts a daemon, as another user unless as is nil. Its output is NAME.out.
func (c *Cluster) begin(cmd *exec.Cmd, as *syscall.Credential, log string) (*daemon, error) {
	d := &daemon{name: filepath.Base(cmd.Path), cmd: cmd, log: filepath.Join(c.Dir, log), ended: make(chan struct{})}
	f, err := os.Create(filepath.Join(c.Dir, d.name+".out"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	cmd.Env = append(os.Environ(), c.Environment()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: as}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { // the only one that waits
		cmd.Wait()
		close(d.ended)
	}()
	return d, nil
}

// ready waits until a daemon answers. hint follows the reason if the daemon ends instead.
func (d *daemon) ready(ctx context.Context, limit time.Duration, hint string, answers func() bool) error {
	ended := false
	err := until(ctx, limit, d.name+" does not answer", func() bool {
		select {
		case <-d.ended:
			ended = true
			return true
		default:
			return answers()
		}
	})
	if ended {
		said, _ := os.ReadFile(d.log)
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		return fmt.Errorf("cluster: %s ended: %s%s", d.name, lines[len(lines)-1], hint)
	}
	return err
}

// end ends a daemon with its session, and waits for it. There may be none.
func (d *daemon) end() error {
	if d == nil {
		return nil
	}
	if err := syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	<-d.ended
	return nil
}

// until waits for something to become true.
func until(ctx context.Context, limit time.Duration, what string, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pause := 2 * time.Millisecond; !done(); pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("cluster: %s: %w", what, ctx.Err())
		case <-time.After(pause):
		}
	}
	return nil
}

// Ports are drawn from a range below the one that systems give to outgoing connections:
// those come and go while the ports of nodes have yet to be opened.
const (
	firstPort = 12000
	lastPort  = 32000
)

// freePorts returns n ports that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for try := 0; len(ports) < n; try++ {
		if try > 100*n {
			return nil, fmt.Errorf("cluster: %d free ports from %d to %d are not to be found", n, firstPort, lastPort)
		}
		port := firstPort + mrand.IntN(lastPort-firstPort)
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port)) // as slurmd does
		if err != nil {
			continue
		}
		defer l.Close() // all are held until all are known
		ports = append(ports, port)
	}
	return ports, nil
}

// writeConf writes slurm.conf.
func (c *Cluster) writeConf(ports []int) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	host, _, _ = strings.Cut(host, ".")
	u, err := user.Current()
	if err != nil {
		return err
	}
	var b strings.Builder
	set := func(name, value string) { fmt.Fprintf(&b, "%s=%s\n", name, value) }
	at := func(name string) string { return filepath.Join(c.Dir, name) }
	set("ClusterName", "plimsoll")
	set("SlurmctldHost", host+"(127.0.0.1)")
	set("SlurmctldPort", strconv.Itoa(ports[0]))
	set("SlurmUser", u.Username)
	set("SlurmdUser", u.Username)
	set("AuthType", "auth/munge")
	set("AuthInfo", "socket="+at("munge/socket"))
	set("CredType", "cred/munge")
	set("StateSaveLocation", at("state"))
	set("SlurmdSpoolDir", at("spool/%n"))
	set("SlurmctldPidFile", at("slurmctld.pid"))
	set("SlurmdPidFile", at("slurmd.%n.pid"))
	set("SlurmctldLogFile", at("slurmctld.log"))
	set("SlurmdLogFile", at("slurmd.%n.log"))
	set("ProctrackType", "proctrack/linuxproc")
	set("TaskPlugin", "task/none")
	set("SelectType", "select/cons_tres")
	set("SelectTypeParameters", "CR_CPU")
	set("SlurmdParameters", "config_overrides") // the machine has fewer CPUs than the nodes together
	set("SchedulerType", "sched/backfill")
	// Jobs start as soon as they can; Slurm's own backfilling comes rarely, see the
	// manager.
	set("SchedulerParameters", "bf_interval=600,sched_min_interval=10000,batch_sched_delay=0")
	set("ReturnToService", "2")
	set("MpiDefault", "none")
	set("SwitchType", "switch/none")
	for _, line := range c.lines {
		b.WriteString(line + "\n")
	}
	set("JobAcctGatherType", "jobacct_gather/none")
	set("KillWait", "2")
	set("MinJobAge", "600")
	for i, n := range c.Names {
		if err := os.MkdirAll(at("spool/"+n), 0o755); err != nil {
			return err
		}
		fmt.Fprintf(&b, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=1 State=DOWN\n", n, host, ports[i+1])
	}
	fmt.Fprintf(&b, "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
	fmt.Fprintf(&b, "PartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP\n") // of the same nodes, for jobs of a higher priority
	if err := os.MkdirAll(at("state"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(c.Conf, []byte(b.String()), 0o600)
}

// startController starts slurmctld and waits until it answers.
func (c *Cluster) startController(ctx context.Context, path string) error {
	d, err := c.begin(exec.Command(path, "-D", "-f", c.Conf), nil, "slurmctld.log")
	if err != nil {
		return err
	}
	client, err := slurmctl.New(ctx, c.Conf)
	if err == nil {
		client.Timeout = 2 * time.Second
		err = d.ready(ctx, 30*time.Second, "", func() bool {
			_, err := client.Nodes(ctx)
			return err == nil
		})
	}
	if err != nil {
		return errors.Join(err, d.end())
	}
	c.slurmctld = d
	return nil
}

// Slurmd returns the command line of a node's daemon.
func (c *Cluster) Slurmd(node string) []string {
	return []string{c.slurmd, "-D", "-N", node, "-f", c.Conf}
}

// Environment returns what processes of the cluster have in their environment: how
// Slurm's commands find it, and how Close finds them.
func (c *Cluster) Environment() []string { return []string{"SLURM_CONF=" + c.Conf, mark + c.Dir} }

// Submit submits a script, and returns the job's number.
func (c *Cluster) Submit(ctx context.Context, nodes int, script string, args ...string) (int64, error) {
	args = append([]string{"--parsable", "--output=/dev/null", "--nodes=" + strconv.Itoa(nodes),
		"--ntasks=" + strconv.Itoa(nodes), "--chdir=" + c.Dir}, args...)
	cmd := exec.CommandContext(ctx, c.sbatch, args...)
	cmd.Env = append(os.Environ(), c.Environment()...)
	cmd.Stdin = strings.NewReader("#!/bin/sh\n" + script + "\n")
	var msg strings.Builder
	cmd.Stderr = &msg
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("sbatch: %w: %s", err, strings.TrimSpace(msg.String()))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";")
	return strconv.ParseInt(id, 10, 64)
}

// Close ends all of the cluster's processes, those of nodes and jobs, too, and removes
// its folder. A second call does nothing, and returns what the first did.
func (c *Cluster) Close() error {
	c.once.Do(func() {
		c.err = errors.Join(c.slurmctld.end(), c.munged.end(), c.sweep(), os.RemoveAll(c.Dir))
		if c.err == nil { // else the guard tries again
			io.WriteString(c.life, "bye\n")
		}
		c.life.Close()
		c.guard.Wait()
	})
	return c.err
}

// mark is in the environment of all of the cluster's processes, with its folder.
const mark = "PLIMSOLL_CLUSTER="

// sweep ends all processes of the cluster: the nodes' daemons, and the jobs that they
// started.
func (c *Cluster) sweep() error {
	for range 100 {
		found, err := processes.Kill(func(pid int) bool {
			return pid != os.Getpid() && (processes.Marked(pid, mark+c.Dir) || c.step(pid))
		})
		if err != nil || found == 0 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("cluster: processes of %s do not end", c.Dir)
}

// step reports whether a process is one that watches over a job of the cluster: it writes
// its title over its environment, and its parent is gone, but the log of its node is
// open.
func (c *Cluster) step(pid int) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if name, err := os.ReadFile(filepath.Join(dir, "comm")); err != nil || string(name) != "slurmstepd\n" {
		return false
	}
	files, _ := filepath.Glob(filepath.Join(dir, "fd", "*"))
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil && strings.HasPrefix(to, c.Dir+"/") {
			return true
		}
	}
	return false
}
