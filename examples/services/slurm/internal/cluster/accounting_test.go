//go:build unix

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/schedule/trace/accounting"
)

// accounted starts a database and slurmdbd of the cluster's own, on loopback.
func accounted(c *Cluster, ctx context.Context) ([]string, error) {
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	at := func(name string) string { return filepath.Join(c.Dir, name) }
	port, dbd := strconv.Itoa(ports[0]), strconv.Itoa(ports[1])
	if out, err := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+at("db"), "--auth-root-authentication-method=normal", "--skip-test-db", "--user=root").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, out)
	}
	mariadbd, err := exec.LookPath("mariadbd")
	if err != nil {
		return nil, err
	}
	listens := func(port string) func() bool {
		return func() bool {
			conn, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err == nil {
				conn.Close()
			}
			return err == nil
		}
	}
	d, err := c.begin(exec.Command(mariadbd, "--no-defaults", "--datadir="+at("db"), "--socket="+at("db.sock"), "--port="+port, "--bind-address=127.0.0.1", "--user=root",
		"--pid-file="+at("db.pid"), "--innodb-buffer-pool-size=32M"), nil, "mariadbd.out")
	if err == nil {
		err = d.ready(ctx, 60*time.Second, "", listens(port))
	}
	if err != nil {
		return nil, err
	}
	conf := strings.Join([]string{"AuthType=auth/munge", "AuthInfo=socket=" + at("munge/socket"), "DbdHost=localhost", "DbdAddr=127.0.0.1", "DbdPort=" + dbd, "SlurmUser=root",
		"StorageType=accounting_storage/mysql", "StorageHost=127.0.0.1", "StoragePort=" + port, "StorageUser=root", "StorageLoc=slurm", "LogFile=" + at("slurmdbd.log"), "PidFile=" + at("slurmdbd.pid"), ""}, "\n")
	if err := os.WriteFile(at("slurmdbd.conf"), []byte(conf), 0o600); err != nil {
		return nil, err
	}
	slurmdbd, err := slurmctl.Find("slurmdbd")
	if err != nil {
		return nil, err
	}
	if d, err = c.begin(exec.Command(slurmdbd, "-D"), nil, "slurmdbd.log"); err == nil {
		err = d.ready(ctx, 60*time.Second, "", listens(dbd))
	}
	if err != nil {
		return nil, err
	}
	// The controller wants its cluster in the database, and sacctmgr wants a slurm.conf.
	c.lines = []string{"AccountingStorageType=accounting_storage/slurmdbd", "AccountingStorageHost=127.0.0.1", "AccountingStoragePort=" + dbd, "AccountingStoragePass=" + at("munge/socket")}
	if ports, err = freePorts(len(c.Names) + 1); err == nil {
		err = c.writeConf(ports)
	}
	if err != nil {
		return nil, err
	}
	var last error
	if err := until(ctx, 60*time.Second, "slurmdbd takes no cluster", func() bool {
		_, last = c.run(ctx, "sacctmgr", "-i", "add", "cluster", "plimsoll")
		return last == nil
	}); err != nil {
		return nil, errors.Join(err, last)
	}
	return c.lines, nil
}

// run runs one of Slurm's commands for the cluster.
func (c *Cluster) run(ctx context.Context, name string, args ...string) (string, error) {
	path, err := slurmctl.Find(name)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(append(os.Environ(), c.Environment()...), "TZ=UTC")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, stderr.String())
	}
	return string(out), err
}

// The accounting of a real Slurm, as sacct -P and as sacct --json, is read back equal to
// what its controller knows of the jobs.
func TestAccounting(t *testing.T) {
	real(t)
	t.Parallel()
	for _, name := range []string{"mariadbd", "mariadb-install-db"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%v: Slurm's accounting needs a database", err)
		}
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "slurmdbd", "sacct", "sacctmgr"} {
		if _, err := slurmctl.Find(name); err != nil {
			t.Skip(err)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("the database of the test runs as root")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	c, err := startWith(ctx, 2, accounted)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, n := range c.Names {
		line := c.Slurmd(n)
		if _, err := c.begin(exec.Command(line[0], line[1:]...), nil, "slurmd."+n+".log"); err != nil {
			t.Fatal(err)
		}
		if err := until(ctx, 30*time.Second, n+" is not up", func() bool {
			_, err := c.run(ctx, "scontrol", "update", "nodename="+n, "state=resume")
			return err == nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string // the first two jobs run side by side
	for _, job := range []struct {
		nodes  int
		script string
		args   []string
	}{{1, "sleep 1", []string{"--time=5"}}, {1, "exit 3", nil}, {2, "sleep 1", []string{"--time=10", "--job-name=a|b"}}, {1, "sleep 60", []string{"--begin=now+1hour"}}} {
		id, err := c.Submit(ctx, job.nodes, job.script, job.args...)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	if _, err := c.run(ctx, "scancel", ids[3]); err != nil {
		t.Fatal(err)
	}
	// known is what the controller says of a job.
	type known struct{ State, Submit, Start, End string }
	show := func(id string) (k known) {
		out, err := c.run(ctx, "scontrol", "show", "job", id)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Fields(out) {
			switch name, value, _ := strings.Cut(f, "="); name {
			case "JobState":
				k.State = value
			case "SubmitTime":
				k.Submit = value
			case "StartTime":
				k.Start = value
			case "EndTime":
				k.End = value
			}
		}
		return k
	}
	if err := until(ctx, 90*time.Second, "the jobs do not end", func() bool {
		for _, id := range ids {
			if s := show(id).State; s != "COMPLETED" && s != "FAILED" && s != "CANCELLED" {
				return false
			}
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	states := map[string]accounting.State{"COMPLETED": accounting.Completed, "FAILED": accounting.Failed, "CANCELLED": accounting.Cancelled}
	const form = "2006-01-02T15:04:05"
	want := map[int64]known{}
	for _, id := range ids {
		k := show(id)
		k.State = states[k.State].String()
		n, _ := strconv.ParseInt(id, 10, 64)
		if k.State == "cancelled" {
			k.Start, k.End = "", "" // before its start; the two programs print different times then
		}
		want[n] = k
	}
	read := func(text string) (map[int64]known, error) {
		got := map[int64]known{}
		for j, err := range accounting.NewReader(strings.NewReader(text), accounting.Options{}).Jobs() {
			if err != nil {
				return nil, err
			}
			k := known{j.State.String(), j.Submit.Format(form), j.Start.Format(form), j.End.Format(form)}
			if j.State == accounting.Cancelled {
				k.Start, k.End = "", ""
			}
			got[j.ID] = k
			if j.State == accounting.Completed && (j.Processors < 1 || j.User == "" || j.Limit == 0) {
				t.Errorf("%+v", j)
			}
		}
		return got, nil
	}
	for _, args := range [][]string{
		{"-a", "-P", "-S", "now-1hour", "-E", "now+1day", "-o", "JobIDRaw,User,Account,Partition,QOS,State,Submit,Start,End,Timelimit,NNodes,AllocCPUS,ReqCPUS,JobName"},
		{"-a", "-S", "now-1hour", "-E", "now+1day", "--json"},
	} {
		var got map[int64]known
		var text string
		err := until(ctx, 30*time.Second, "the database lacks jobs", func() bool { // slurmdbd is told late
			if text, err = c.run(ctx, "sacct", args...); err != nil {
				return false
			}
			got, err = read(text)
			return err == nil && cmp.Equal(got, want)
		})
		if errors.Is(ctx.Err(), context.DeadlineExceeded) || err != nil {
			t.Errorf("sacct %v: %v (-scontrol +sacct):\n%s", args[len(args)-1], err, cmp.Diff(want, got))
		}
	}
}
