//go:build unix

package cluster

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmtest"
)

// fakesVariable names the folder of commands that this test binary plays, so that a cluster is
// begun and ended on a machine without Slurm. Its other files say how the commands behave.
const fakesVariable = "CLUSTER_TEST_FAKES"

// play plays a command of Slurm, by the name under which this binary was started. It returns for
// other names.
func play() {
	dir := os.Getenv(fakesVariable)
	said := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		return string(text)
	}
	fail := func(name string) {
		if text := said(name + "-fails"); text != "" {
			fmt.Fprint(os.Stderr, text)
			os.Exit(1)
		}
	}
	switch name := filepath.Base(os.Args[0]); name {
	case "munged":
		fail(name)
		slurmtest.PlayMunged()
	case "slurmctld":
		if slices.Contains(os.Args, "-V") {
			fail("version")
			fmt.Println(said("version"))
			os.Exit(0)
		}
		f, _ := os.OpenFile(filepath.Join(dir, "tries"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		fmt.Fprintln(f, strings.Join(os.Args[1:], " "))
		f.Close()
		if text := said("slurmctld-fails"); text != "" {
			os.WriteFile(filepath.Join(filepath.Dir(slurmtest.Argument("-f")), "slurmctld.log"), []byte(text), 0o600)
			os.Exit(1)
		}
		select {}
	case "sinfo":
		fail(name)
		if slices.Contains(os.Args, "--version") {
			fmt.Println(said("version"))
		} else {
			fail("nodes")
			fmt.Println(`{"nodes":[{"name":"n1","state":["DOWN"]}]}`)
		}
	case "sbatch":
		fail(name)
		script, _ := io.ReadAll(os.Stdin)
		text := fmt.Sprintf("%q %q %s", os.Args[1:], script, os.Getenv("SLURM_CONF"))
		os.WriteFile(filepath.Join(dir, "sbatch-got"), []byte(text), 0o600)
		fmt.Print(said("sbatch-says"))
	case "slurmstepd", "slurmother":
		f, err := os.Open(os.Args[1])
		if err != nil {
			os.Exit(1)
		}
		defer f.Close()
		fmt.Println("ready")
		select {}
	case "slurmd", "squeue", "scontrol":
	default:
		return
	}
	os.Exit(0)
}

// fakes makes the commands, and puts them before others in PATH. Files are what the commands say. Where
// munged could not run as its user, the test is skipped.
func fakes(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = slurmtest.Folder(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "munged"), text, 0o755)
	}
	for _, name := range []string{"slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "slurmstepd", "slurmother"} {
		err = errors.Join(err, os.Link(filepath.Join(dir, "munged"), filepath.Join(dir, name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	says(t, dir, map[string]string{"version": "slurm 22.05.8", "sbatch-says": "123;plimsoll\n"})
	says(t, dir, files)
	t.Setenv(fakesVariable, dir)
	t.Setenv("MUTANT_REACHED", "") // of internal/tools/mutants: a file that munge's user cannot write
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

func says(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// clusters returns the folders of clusters.
func clusters(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(os.TempDir(), "plimsoll-slurm-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A cluster of fakes starts with its files as they are promised, takes jobs, and leaves nothing.
func TestStart(t *testing.T) {
	dir := fakes(t, nil)
	t.Setenv("TMPDIR", dir)
	c, err := Start(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if filepath.Dir(c.Dir) != dir || c.Conf != filepath.Join(c.Dir, "slurm.conf") || !slices.Equal(c.Names, []string{"n1", "n2", "n3"}) {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "slurmd"), "-D", "-N", "n2", "-f", c.Conf}, c.Slurmd("n2")); diff != "" {
		t.Errorf("slurmd: %s", diff)
	}
	if diff := cmp.Diff([]string{"SLURM_CONF=" + c.Conf, "PLIMSOLL_CLUSTER=" + c.Dir}, c.Environment()); diff != "" {
		t.Errorf("environment: %s", diff)
	}
	started := "-D -f " + c.Conf + "\n"
	tries, _ := os.ReadFile(filepath.Join(dir, "tries"))
	for end := time.Now().Add(time.Minute); string(tries) != started && time.Now().Before(end); { // a process of its own writes it
		time.Sleep(10 * time.Millisecond)
		tries, _ = os.ReadFile(filepath.Join(dir, "tries"))
	}
	if string(tries) != started {
		t.Errorf("slurmctld was started with %q", tries)
	}
	for name, mode := range map[string]os.FileMode{"": 0o067, "slurm.conf": 0o077, "munge": 0o077, "munge/key": 0o077} { // for nobody else
		if st, err := os.Stat(filepath.Join(c.Dir, name)); err != nil || st.Mode().Perm()&mode != 0 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
	if key, err := os.ReadFile(filepath.Join(c.Dir, "munge", "key")); err != nil || len(key) != 128 ||
		bytes.Count(key, key[:1]) > 64 { // not one byte again and again
		t.Errorf("a key of %d bytes, %v", len(key), err)
	}
	if os.Getuid() == 0 {
		munge, _ := user.Lookup("munge")
		for _, name := range []string{"munge", "munge/key", "munge/socket"} {
			st, err := os.Stat(filepath.Join(c.Dir, name))
			if err != nil || strconv.Itoa(int(st.Sys().(*syscall.Stat_t).Uid)) != munge.Uid {
				t.Errorf("%s is not munge's: %v", name, err)
			}
		}
	}
	if st, err := os.Stat(filepath.Join(c.Dir, "spool", "n3")); err != nil || !st.IsDir() {
		t.Errorf("the folder of a node: %v", err)
	}

	if conf, err := os.ReadFile(c.Conf); err != nil || !strings.Contains(string(conf), "\nAccountingStorageType=accounting_storage/none\n") {
		t.Errorf("%s, %v", conf, err)
	}

	id, err := c.Submit(t.Context(), 2, "echo hello", "--comment=x")
	if err != nil || id != 123 {
		t.Errorf("job %d, %v", id, err)
	}
	want := fmt.Sprintf("%q %q %s", []string{"--parsable", "--output=/dev/null", "--nodes=2", "--ntasks=2", "--chdir=" + c.Dir, "--comment=x"},
		"#!/bin/sh\necho hello\n", c.Conf)
	if got, _ := os.ReadFile(filepath.Join(dir, "sbatch-got")); string(got) != want {
		t.Errorf("sbatch got %s, want %s", got, want)
	}
	says(t, dir, map[string]string{"sbatch-says": "77\n"})
	if id, err := c.Submit(t.Context(), 1, "true"); err != nil || id != 77 {
		t.Errorf("job %d, %v", id, err)
	}
	says(t, dir, map[string]string{"sbatch-fails": "sbatch: error: no such partition\n"})
	if _, err := c.Submit(t.Context(), 1, "true"); err == nil || err.Error() != "sbatch: exit status 1: sbatch: error: no such partition" {
		t.Errorf("%v", err)
	}

	// A process of a node and one that watches over a job go with the cluster; others stay.
	child := func(name, file string, env ...string) *exec.Cmd {
		t.Helper()
		cmd := exec.Command(filepath.Join(dir, name), file)
		cmd.Env = append(env, fakesVariable+"="+dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%s: %q, %v", name, line, err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return cmd
	}
	own, other := filepath.Join(c.Dir, "munge.log"), filepath.Join(dir, "version")
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		cmd  *exec.Cmd
		step bool
		ends bool
	}{
		{child("slurmstepd", own), true, true},
		{child("slurmstepd", other), false, false},
		{child("slurmother", own), false, false},
		{child("slurmother", other, c.Environment()...), false, true},
		{child("slurmother", other, c.Environment()[1]+"0"), false, false},
	} {
		if got := c.step(x.cmd.Process.Pid); got != x.step {
			t.Errorf("%v with %v: it watches over a job: %v", x.cmd.Args, x.cmd.Env, got)
		}
		defer func() {
			x.cmd.Process.Signal(syscall.SIGTERM) // for those that are left
			x.cmd.Wait()
			if killed := x.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL; killed != x.ends {
				t.Errorf("%v with %v: it was ended: %v", x.cmd.Args, x.cmd.Env, killed)
			}
		}()
	}
	if c.step(1 << 30) {
		t.Error("no process watches over a job")
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, d := range []*daemon{c.munged, c.slurmctld} {
		select {
		case <-d.ended:
		default:
			t.Errorf("%s runs on", d.name)
		}
	}
	if _, err := c.life.Write([]byte("x")); c.guard.ProcessState == nil || err == nil {
		t.Error("the guard has not ended")
	}
	if _, err := os.Stat(c.Dir); !os.IsNotExist(err) || len(clusters(t)) > 0 || marked(c.Dir) != 1 { // that of a longer name
		t.Errorf("left: %v, %v, %d processes", err, clusters(t), marked(c.Dir))
	}
}

// Nodes in groups have a topology in which no group reaches another.
func TestStartGroups(t *testing.T) {
	dir := fakes(t, nil)
	t.Setenv("TMPDIR", dir)
	c, err := StartGroups(t.Context(), 2, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text, err := os.ReadFile(filepath.Join(c.Dir, "topology.conf"))
	if err != nil || string(text) != "SwitchName=group0 Nodes=n1,n2\nSwitchName=group1 Nodes=n3\nSwitchName=group2 Nodes=n4,n5,n6\n" {
		t.Errorf("%s, %v", text, err)
	}
	conf, err := os.ReadFile(c.Conf)
	if err != nil || !strings.Contains(string(conf), "\nAccountingStorageType=accounting_storage/none\nTopologyPlugin=topology/tree\n") ||
		!strings.Contains(string(conf), "NodeName=n6 ") {
		t.Errorf("%s, %v", conf, err)
	}
}

// What does not start is told with the last line of its log, is tried again where another port may
// help, and leaves nothing.
func TestStartFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes int
		files map[string]string
		says  string
		is    error
		tries int // of the controller; -1: some may be ended before they are noted
	}{
		{name: "no nodes", nodes: 0, says: "cluster: 0 nodes: want 1 to 512"},
		{name: "too many", nodes: 513, says: "cluster: 513 nodes: want 1 to 512"},
		{name: "old", nodes: 1, files: map[string]string{"version": "slurm 20.11.9"}, says: "20.11", is: slurmctl.ErrVersion},
		{name: "odd", nodes: 1, files: map[string]string{"version": "nobody"}, says: `"nobody\n" has no version of Slurm in it`},
		{name: "none", nodes: 1, files: map[string]string{"version-fails": "broken"}, says: "slurmctld -V: exit status 1"},
		{name: "munge", nodes: 1, files: map[string]string{"munged-fails": "one\nmunged: Error: no key\n"},
			says: "cluster: munged ended: munged: Error: no key; its user has to reach "},
		{name: "controller", nodes: 1, files: map[string]string{"slurmctld-fails": "one\nfatal: port is taken\n", "nodes-fails": "no controller"},
			says: "cluster: slurmctld ended: fatal: port is taken", tries: 3},
		{name: "client", nodes: 1, files: map[string]string{"sinfo-fails": "no conf"}, says: "sinfo --version: exit status 1: no conf", tries: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fakes(t, c.files)
			t.Setenv("TMPDIR", dir)
			_, err := Start(t.Context(), c.nodes)
			if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if c.name == "munge" && !strings.HasSuffix(err.Error(), ": is TMPDIR a private folder?") {
				t.Errorf("%v", err)
			}
			if tries, _ := os.ReadFile(filepath.Join(dir, "tries")); c.tries >= 0 && strings.Count(string(tries), "\n") != c.tries {
				t.Errorf("slurmctld was started %q, want %d times", tries, c.tries)
			}
			if left := clusters(t); len(left) > 0 || marked(dir+"/plimsoll-slurm") > 0 {
				t.Errorf("left: %v, %d processes", left, marked(dir))
			}
		})
	}
	// With a context that has ended nothing is tried again.
	dir := fakes(t, map[string]string{"slurmctld-fails": "fatal", "nodes-fails": "no controller"})
	t.Setenv("TMPDIR", dir)
	prepared := 0
	_, err := startWith(t.Context(), 1, func(*Cluster, context.Context) ([]string, error) {
		prepared++
		return nil, io.ErrUnexpectedEOF
	})
	if !errors.Is(err, io.ErrUnexpectedEOF) || prepared != 1 || len(clusters(t)) > 0 {
		t.Errorf("%v, prepared %d times, left %v", err, prepared, clusters(t))
	}
	_, err = startWith(t.Context(), 1, func(c *Cluster, _ context.Context) ([]string, error) {
		return nil, os.WriteFile(filepath.Join(c.Dir, "state"), nil, 0o600) // where a folder is to be
	})
	if !errors.Is(err, syscall.ENOTDIR) || len(clusters(t)) > 0 {
		t.Errorf("%v, left %v", err, clusters(t))
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	if _, err := Start(t.Context(), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder for temporary files: %v", err)
	}
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = startWith(ctx, 1, func(*Cluster, context.Context) ([]string, error) { cancel(); return nil, nil })
	if err == nil || len(clusters(t)) > 0 {
		t.Errorf("%v, left %v", err, clusters(t))
	}
	if tries, _ := os.ReadFile(filepath.Join(dir, "tries")); strings.Count(string(tries), "\n") > 1 {
		t.Errorf("slurmctld was started %q", tries)
	}
}

// The guard does what Close does if its program is killed, with fakes as with Slurm.
func TestGuardOfFakes(t *testing.T) {
	dir := fakes(t, nil)
	t.Setenv("TMPDIR", dir)
	guarded(t)
}
