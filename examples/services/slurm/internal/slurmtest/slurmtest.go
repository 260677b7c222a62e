//go:build unix

// Package slurmtest has fakes of Slurm's commands, for quick tests of programs that use Slurm.
//
// The test binary plays each command by the name under which it is started. The fakes start and end
// jobs as Slurm does, only sooner: one queue, one job a node, no plan for jobs that wait behind the
// first, no groups of nodes. All that is known of a cluster is in a file beside its slurm.conf.
package slurmtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// variable, in the environment, says that this test binary plays the commands of Slurm.
const variable = "PLIMSOLL_TEST_FAKES_SLURM"

// Played reports whether Slurm's commands are fakes.
func Played() bool { return os.Getenv(variable) != "" }

// fakeSlurm is what a cluster of fakes is.
type fakeSlurm struct {
	Nodes []*fakeNode
	Jobs  []*fakeJob
}

type fakeNode struct {
	Name   string
	Pid    int // of its daemon, 0 for none
	Drain  bool
	Reason string
	Weight int
	Job    int64
}

type fakeJob struct {
	ID                           int64
	State, Script, Comment, Part string
	Dir                          string
	Names                        []string
	Nodes, Restarts, Pid         int
	Submit, Start, End, Eligible int64
	Priority                     int64
	Begun                        bool
}

// alive reports whether a process runs, and is no zombie.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}

// change looks at a cluster, changes it, and starts the jobs that can start.
func change(conf string, do func(s *fakeSlurm)) {
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if conf == "" {
		check(fmt.Errorf("SLURM_CONF is not set: want the configuration of a cluster"))
	}
	lock, err := os.OpenFile(conf+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	check(err)
	defer lock.Close()
	check(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	before, err := os.ReadFile(conf + ".fake")
	check(err)
	s := &fakeSlurm{}
	check(json.Unmarshal(before, s))
	for _, n := range s.Nodes {
		if n.Pid > 0 && !alive(n.Pid) {
			n.Pid = 0
			s.requeue(n.Job)
		}
	}
	do(s)
	s.schedule()
	after, err := json.Marshal(s)
	check(err)
	if string(after) != string(before) {
		check(os.WriteFile(conf+".new", after, 0o600))
		check(os.Rename(conf+".new", conf+".fake"))
	}
}

func (s *fakeSlurm) job(id int64) *fakeJob {
	i := slices.IndexFunc(s.Jobs, func(j *fakeJob) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return s.Jobs[i]
}

func (s *fakeSlurm) node(name string) *fakeNode {
	i := slices.IndexFunc(s.Nodes, func(n *fakeNode) bool { return n.Name == name })
	if i < 0 {
		fmt.Fprintln(os.Stderr, "Invalid node name specified")
		os.Exit(1)
	}
	return s.Nodes[i]
}

// free takes a job's nodes from it.
func (s *fakeSlurm) free(id int64) {
	for _, n := range s.Nodes {
		if n.Job == id {
			n.Job = 0
		}
	}
}

// requeue ends a job and queues it again. Slurm lets such a job wait for two minutes.
func (s *fakeSlurm) requeue(id int64) {
	j := s.job(id)
	if j == nil || id == 0 {
		return
	}
	if j.Pid > 0 {
		syscall.Kill(-j.Pid, syscall.SIGKILL)
	}
	s.free(id)
	j.State, j.Names, j.Pid, j.Begun, j.Start, j.End = "PENDING", nil, 0, false, 0, 0
	j.Restarts++
	j.Eligible = time.Now().Unix() + 120
}

// schedule starts jobs in their order.
func (s *fakeSlurm) schedule() {
	queue := slices.SortedFunc(slices.Values(s.Jobs), func(a, b *fakeJob) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID))
	})
	for _, j := range queue {
		if j.State != "PENDING" || j.Eligible > time.Now().Unix() {
			continue
		}
		var idle []*fakeNode
		for _, n := range s.Nodes {
			if n.Pid > 0 && !n.Drain && n.Job == 0 {
				idle = append(idle, n)
			}
		}
		if len(idle) < j.Nodes {
			return
		}
		slices.SortStableFunc(idle, func(a, b *fakeNode) int { return a.Weight - b.Weight })
		for _, n := range idle[:j.Nodes] {
			n.Job = j.ID
			j.Names = append(j.Names, n.Name)
		}
		j.State, j.Start = "RUNNING", time.Now().Unix()
	}
}

// playDaemon is slurmd: it runs the scripts of the jobs whose first node it is.
func playDaemon(conf, node string) {
	change(conf, func(s *fakeSlurm) { s.node(node).Pid = os.Getpid() })
	var last time.Time
	for ; ; time.Sleep(20 * time.Millisecond) {
		st, err := os.Stat(conf + ".fake")
		if err != nil {
			os.Exit(0)
		}
		if st.ModTime().Equal(last) {
			continue
		}
		last = st.ModTime()
		change(conf, func(s *fakeSlurm) {
			for _, j := range s.Jobs {
				if j.State != "RUNNING" || j.Begun || j.Names[0] != node {
					continue
				}
				cmd := exec.Command("/bin/sh", "-c", j.Script)
				cmd.Dir = j.Dir
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				cmd.Env = append(os.Environ(), "SLURM_JOB_ID="+strconv.FormatInt(j.ID, 10), "SLURM_JOB_NODELIST="+strings.Join(j.Names, ","))
				if j.Restarts > 0 {
					cmd.Env = append(cmd.Env, "SLURM_RESTART_COUNT="+strconv.Itoa(j.Restarts))
				}
				if err := cmd.Start(); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				j.Begun, j.Pid = true, cmd.Process.Pid
				go func(id int64, pid int) {
					err := cmd.Wait()
					change(conf, func(s *fakeSlurm) {
						j := s.job(id)
						if j.Pid != pid {
							return // it was ended
						}
						if j.State = "COMPLETED"; err != nil {
							j.State = "FAILED"
						}
						j.Pid, j.End = 0, time.Now().Unix()
						s.free(id)
					})
				}(j.ID, j.Pid)
			}
		})
	}
}

// Argument returns the value of a flag that this process was started with, as NAME=VALUE or as NAME VALUE,
// "" for none.
func Argument(name string) string {
	for i, a := range os.Args {
		if value, ok := strings.CutPrefix(a, name+"="); ok {
			return value
		}
		if a == name && i+1 < len(os.Args) {
			return os.Args[i+1]
		}
	}
	return ""
}

// PlayMunged answers on the socket of --socket until the process is ended.
func PlayMunged() {
	l, err := net.Listen("unix", Argument("--socket"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for {
		if conn, err := l.Accept(); err == nil {
			conn.Close()
		}
	}
}

// Play is called first by TestMain. Where Slurm's commands are fakes, and this process was started by
// the name of one, Play plays it and ends the process.
func Play() {
	if !Played() {
		return
	}
	args := os.Args[1:]
	conf := os.Getenv("SLURM_CONF")
	show := func(v any) {
		if err := json.NewEncoder(os.Stdout).Encode(v); err != nil {
			os.Exit(1)
		}
	}
	type object map[string]any
	switch filepath.Base(os.Args[0]) {
	case "munged":
		PlayMunged()
	case "slurmctld":
		if slices.Contains(args, "-V") {
			fmt.Println("slurm 22.05.8")
			break
		}
		if err := fakeCluster(Argument("-f")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		select {}
	case "slurmd":
		playDaemon(Argument("-f"), Argument("-N"))
	case "sbatch":
		script, _ := io.ReadAll(os.Stdin)
		change(conf, func(s *fakeSlurm) {
			nodes, _ := strconv.Atoi(Argument("--nodes"))
			id, now := int64(len(s.Jobs)+1), time.Now().Unix()
			s.Jobs = append(s.Jobs, &fakeJob{ID: id, State: "PENDING", Script: string(script), Comment: Argument("--comment"),
				Part: cmp.Or(Argument("--partition"), "main"),
				Dir:  Argument("--chdir"), Nodes: nodes, Submit: now, Eligible: now, Priority: 4_294_900_000 - id})
			fmt.Println(id)
		})
	case "squeue":
		all := []object{}
		change(conf, func(s *fakeSlurm) {
			for _, j := range s.Jobs {
				all = append(all, object{"job_id": j.ID, "user_id": os.Getuid(), "job_state": j.State, "state_reason": "Resources", "node_count": j.Nodes,
					"nodes": strings.Join(j.Names, ","), "submit_time": j.Submit, "start_time": j.Start, "end_time": j.End, "eligible_time": j.Eligible,
					"priority": j.Priority, "restart_cnt": j.Restarts, "comment": j.Comment, "partition": j.Part})
			}
		})
		show(object{"jobs": all})
	case "sinfo":
		if slices.Contains(args, "--version") {
			fmt.Println("slurm 22.05.8")
			break
		}
		all := []object{}
		change(conf, func(s *fakeSlurm) {
			for _, n := range s.Nodes {
				state, flags, busy := "idle", []string{}, 0
				switch {
				case n.Pid == 0:
					state = "down"
				case n.Job > 0:
					state, busy = "allocated", 1
				}
				if n.Drain {
					flags = append(flags, "DRAIN")
				}
				all = append(all, object{"name": n.Name, "state": state, "state_flags": flags, "reason": n.Reason, "cpus": 1, "alloc_cpus": busy, "weight": n.Weight})
			}
		})
		show(object{"nodes": all})
	case "scontrol":
		var lines [][]string
		if len(args) == 0 {
			text, _ := io.ReadAll(os.Stdin)
			for line := range strings.Lines(string(text)) {
				lines = append(lines, strings.Fields(line))
			}
		} else {
			lines = [][]string{args}
		}
		change(conf, func(s *fakeSlurm) {
			for _, line := range lines {
				s.control(line)
			}
		})
	case "scancel":
		id, _ := strconv.ParseInt(args[len(args)-1], 10, 64)
		number := map[string]syscall.Signal{"USR1": syscall.SIGUSR1, "KILL": syscall.SIGKILL}[Argument("--signal")]
		change(conf, func(s *fakeSlurm) {
			if j := s.job(id); j != nil && j.Pid > 0 {
				syscall.Kill(j.Pid, number)
			}
		})
	default:
		return
	}
	os.Exit(0)
}

// control does what a line of scontrol says.
func (s *fakeSlurm) control(args []string) {
	set := map[string]string{}
	for i, a := range args {
		if name, value, ok := strings.Cut(a, "="); ok {
			set[name] = strings.Join(append([]string{value}, args[i+1:]...), " ") // a reason has blanks
		}
	}
	word := func(name string) string {
		first, _, _ := strings.Cut(set[name], " ")
		return first
	}
	if name := word("nodename"); name != "" {
		n := s.node(name)
		if w, err := strconv.Atoi(word("weight")); err == nil {
			n.Weight = w
		}
		switch word("state") {
		case "drain":
			n.Drain, n.Reason = true, set["reason"]
		case "undrain":
			n.Drain, n.Reason = false, ""
		case "down": // what runs there is ended; a daemon that is there registers again
			n.Reason = set["reason"]
			s.requeue(n.Job)
		}
		return
	}
	id, _ := strconv.ParseInt(cmp.Or(word("jobid"), args[len(args)-1]), 10, 64)
	j := s.job(id)
	switch {
	case j == nil:
		fmt.Fprintln(os.Stderr, "Invalid job id specified")
		os.Exit(1)
	case args[0] == "requeue":
		s.requeue(id)
	case set["priority"] != "":
		j.Priority, _ = strconv.ParseInt(word("priority"), 10, 64)
	case set["starttime"] != "":
		j.Eligible = time.Now().Unix()
	}
}

var nodeLines = regexp.MustCompile(`(?m)^NodeName=(\S+)`)

// fakeCluster begins the cluster of a slurm.conf: all nodes are down, and there is no job.
func fakeCluster(conf string) error {
	text, err := os.ReadFile(conf)
	if err != nil {
		return err
	}
	s := fakeSlurm{}
	for _, m := range nodeLines.FindAllStringSubmatch(string(text), -1) {
		s.Nodes = append(s.Nodes, &fakeNode{Name: m[1], Weight: 1})
	}
	if text, err = json.Marshal(s); err != nil {
		return err
	}
	return os.WriteFile(conf+".fake", text, 0o600)
}

// Folder returns a temporary folder for commands that munge's user runs, too. It skips the test where
// munged could not run as its user.
func Folder(t *testing.T) string {
	t.Helper()
	if _, err := user.Lookup("munge"); os.Getuid() == 0 && err != nil {
		t.Skip("munged does not run as root, and there is no user munge")
	}
	dir, err := os.MkdirTemp("", "plimsoll-fakes-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // munge's user is to pass
		t.Fatal(err)
	}
	return dir
}

// Fakes puts the fakes before other commands in PATH for a test. Where Slurm is, and tests may be
// long, the test is skipped: others play the same with a real Slurm.
func Fakes(t *testing.T) {
	t.Helper()
	if _, err := slurmctl.Find("slurmctld"); err == nil && !testing.Short() {
		t.Skip("it runs with a real Slurm")
	}
	dir := Folder(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	bin := filepath.Join(dir, "bin")
	err = errors.Join(err, os.Mkdir(bin, 0o755), os.WriteFile(filepath.Join(bin, "munged"), text, 0o755))
	// munged runs as another user, who cannot write the file of internal/tools/mutants.
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "munged"), []byte("#!/bin/sh\nunset MUTANT_REACHED\nexec "+bin+"/munged \"$@\"\n"), 0o755))
	for _, name := range []string{"slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "scancel"} {
		err = errors.Join(err, os.Symlink(own, filepath.Join(dir, name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, "1")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}
