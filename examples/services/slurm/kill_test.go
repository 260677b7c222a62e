//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmtest"
)

func TestMain(m *testing.M) {
	slurmtest.Play()
	if len(os.Args) > 2 && os.Args[1] == "cloud" {
		os.Exit(cloud(os.Args[2]))
	}
	// The tests that run beside each other wait for Slurm most of the time.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	programtest.Main(m, main)
}

// stageLimit only says when a test has failed: nothing waits for it.
const stageLimit = 4 * time.Minute

// real skips a test with a real Slurm where tests are to be short. The tests of fakes_test.go then play it.
func real(t *testing.T) {
	t.Helper()
	if testing.Short() && !slurmtest.Played() {
		t.Skip("a real Slurm takes seconds, and runs without -short")
	}
}

// long skips a test with a real Slurm of which go test has a shorter one.
func long(t *testing.T) {
	t.Helper()
	if !programtest.Whole() {
		t.Skip("a real Slurm takes half a minute or more, and runs with PLIMSOLL_LONG=1")
	}
}

// stage is a cluster for a test, with what elasticd needs.
type stage struct {
	*cluster.Cluster
	t     *testing.T
	ctx   context.Context
	slurm *slurmctl.Client
	local *provider.Local
	args  []string         // of elasticd
	all   provider.Several // with a policy: its clouds
	log   said
}

// said is what processes write, of which several write at a time.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// newStage starts a cluster of n nodes that take boot to come up, or skips the test. Each look at
// Slurm takes 25 ms of a processor, so elasticd looks as seldom as its checks allow.
func newStage(t *testing.T, n int, hour, boot time.Duration, args ...string) *stage {
	t.Helper()
	real(t)
	ctx, cancel := context.WithTimeout(context.Background(), stageLimit)
	t.Cleanup(cancel)
	c, err := cluster.Start(ctx, n)
	if errors.Is(err, slurmctl.ErrAbsent) || errors.Is(err, slurmctl.ErrVersion) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{Cluster: c, t: t, ctx: ctx}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.log.String())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if s.slurm, err = slurmctl.New(ctx, c.Conf); err != nil {
		t.Fatal(err)
	}
	s.local = &provider.Local{Dir: dir, Boot: boot, Command: c.Slurmd, Environment: c.Environment()}
	s.args = append([]string{"elasticd", "-conf", c.Conf, "-journal", filepath.Join(c.Dir, "journal"),
		"-nodes", strings.Join(c.Names, ","), "-provider", "local", "-instances", dir, "-delay", boot.String(),
		"-hour", hour.String(), "-poll", "100ms", "-release-every", "10m", "-retry-every", "6m", "-boot-limit", "4h",
		"-boot", (boot * time.Duration(time.Hour/hour)).String(), "-audit-every", "30m", "-timeout", "10s"}, args...)
	return s
}

// start starts elasticd. What it says is shown if the test fails.
func (s *stage) start() *exec.Cmd {
	s.t.Helper()
	cmd := programtest.Command(s.args...)
	cmd.Env = append(cmd.Env, s.Environment()...)
	cmd.Stderr = &s.log
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd
}

// rented is the provider of what is rented.
func (s *stage) rented() provider.Provider {
	if s.all != nil {
		return s.all
	}
	return s.local
}

// settled reports whether all jobs have ended, something was rented, and the journal has the end
// of all of it as the provider has it. The journal is read first: Slurm and the provider need not
// be asked while an instance runs.
func (s *stage) settled() bool {
	s.t.Helper()
	last := map[string]*manager.Entry{}
	for _, e := range s.entries() {
		switch e.Kind {
		case manager.Asking, manager.Rented, manager.Refused, manager.Leaving, manager.Staying, manager.Stray, manager.Spare, manager.Gone:
			last[e.Token] = &e
		}
	}
	for _, e := range last {
		if e.Kind != manager.Gone && e.Kind != manager.Refused {
			return false
		}
	}
	if len(last) == 0 {
		return false
	}
	jobs, err := s.slurm.Jobs(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, j := range jobs {
		if j.Waits() || j.Holds() {
			return false
		}
	}
	list, err := s.rented().List(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, in := range list {
		if e := last[in.Token]; e == nil || e.Kind != manager.Gone || !e.Ended.Equal(in.Ended) {
			return false
		}
	}
	return len(list) > 0
}

// open says which jobs and instances have not ended.
func (s *stage) open() string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var b strings.Builder
	jobs, err := s.slurm.Jobs(ctx)
	for _, j := range jobs {
		if j.Waits() || j.Holds() {
			fmt.Fprintf(&b, "job %d %s (%s) on %v; ", j.ID, j.State, j.Reason, j.Names)
		}
	}
	nodes, worse := s.slurm.Nodes(ctx)
	for _, n := range nodes {
		fmt.Fprintf(&b, "%s %s %v %q; ", n.Name, n.State, n.Flags, n.Reason)
	}
	list, worst := s.rented().List(ctx)
	for _, in := range list {
		if in.Live() {
			fmt.Fprintf(&b, "instance %s of %s; ", in.Token, in.Node)
		}
	}
	return fmt.Sprint(b.String(), errors.Join(err, worse, worst))
}

// finish waits until all is done and written down, and something else is so, too, and ends
// elasticd.
func (s *stage) finish(cmd *exec.Cmd, and func() bool) {
	s.t.Helper()
	for !s.settled() || !and() {
		select {
		case <-s.ctx.Done():
			cmd.Process.Kill()
			cmd.Wait()
			s.t.Fatalf("it does not come to an end: %s", s.open())
		case <-time.After(100 * time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

// elasticd is killed at twenty random moments. Every job runs, once, and to its end; all
// instances are given back, with their processes; and the journal's bill is the
// provider's.
func TestKilled(t *testing.T) {
	t.Parallel()
	killed(t)
}

func killed(t *testing.T) {
	const hour = 2 * time.Second
	s := newStage(t, 4, hour, 150*time.Millisecond)
	rng := rand.New(rand.NewPCG(10, 2))
	jobs := map[int64]bool{}
	for k := range 20 {
		if k%2 == 0 {
			run := 100 + rng.IntN(500)
			jobs[s.submit(1+rng.IntN(3), time.Duration(run)*time.Millisecond, hour)] = true
		}
		cmd := s.start()
		// From its first moments, before it has read its journal, to some decisions.
		time.Sleep(time.Duration(rng.IntN(600)) * time.Millisecond)
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	s.finish(s.start(), func() bool { return true })
	s.checkJobs(jobs)
	s.checkBill(hour)
}

// submit submits a job that notes its start and its end, and returns its number. Its estimate is a
// little longer than its run.
func (s *stage) submit(nodes int, run, hour time.Duration) int64 {
	s.t.Helper()
	id, err := s.Submit(s.ctx, nodes, fmt.Sprintf("echo $SLURM_JOB_ID >>%[1]s/ran; sleep %.3[2]f; echo $SLURM_JOB_ID >>%[1]s/ended", s.Dir, run.Seconds()),
		fmt.Sprintf("--comment=estimate=%v", (run+200*time.Millisecond)*time.Duration(time.Hour/hour)))
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// skipLost ends the test if Slurm has lost a job's script. A job's process names its socket, and listens to it a
// moment later. If slurmd 22.05 looks for the process in between, slurmd takes the job's script for one that was
// left behind. The script is gone then, and the job fails.
func (s *stage) skipLost(jobs []slurmctl.Job) {
	s.t.Helper()
	for _, j := range jobs {
		if j.State != "FAILED" || len(j.Names) == 0 {
			continue
		}
		log, err := os.ReadFile(filepath.Join(s.Dir, "slurmd."+j.Names[0]+".log"))
		if err != nil {
			s.t.Fatal(err)
		}
		if regexp.MustCompile(fmt.Sprintf(`Purging vestigial job script .*/job%05d/slurm_script`, j.ID)).Match(log) {
			s.t.Skipf("slurmd has removed the script of job %d, which it was about to start, on %s", j.ID, j.Names[0])
		}
	}
}

// checkJobs checks that each job ran once, to its end.
func (s *stage) checkJobs(jobs map[int64]bool) {
	s.t.Helper()
	all, err := s.slurm.Jobs(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	s.skipLost(all)
	seen := 0
	for _, j := range all {
		if !jobs[j.ID] {
			continue
		}
		seen++
		if j.State != "COMPLETED" || j.Restarts != 0 {
			s.t.Errorf("job %d: %s, started again %d times:%s", j.ID, j.State, j.Restarts, s.history(j.ID))
		}
	}
	if seen != len(jobs) {
		s.t.Errorf("%d jobs of %d", seen, len(jobs))
	}
	for _, name := range []string{"ran", "ended"} {
		text, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			s.t.Fatal(err)
		}
		times := map[string]int{}
		for _, id := range strings.Fields(string(text)) {
			if times[id]++; times[id] == 2 {
				number, _ := strconv.ParseInt(id, 10, 64)
				s.t.Errorf("job %s %s twice:%s", id, name, s.history(number))
			}
		}
		if len(times) != len(jobs) {
			s.t.Errorf("%d jobs of %d %s", len(times), len(jobs), name)
		}
	}
}

// history returns what the controller did with a job and with its nodes: whether elasticd has taken
// a node from under the job, or Slurm has queued the job again by itself.
func (s *stage) history(job int64) string {
	log, err := os.ReadFile(filepath.Join(s.Dir, "slurmctld.log"))
	if err != nil {
		return err.Error()
	}
	about := regexp.MustCompile(fmt.Sprintf(`JobId=%d\b|update_node|[Rr]equeu|respond|registration`, job))
	var b strings.Builder
	for line := range strings.SplitSeq(string(log), "\n") {
		if about.MatchString(line) {
			b.WriteString("\n" + line)
		}
	}
	return b.String()
}

// checkBill checks that no process is left, and that the journal's bill is the
// provider's.
func (s *stage) checkBill(hour time.Duration) {
	s.t.Helper()
	list, err := s.local.List(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, in := range list {
		if runs, err := s.local.Running(in.Token); runs || err != nil {
			s.t.Errorf("instance %s runs: %v, %v", in.Token, runs, err)
		}
	}
	o, err := parseElastic(s.args[1:])
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := manager.Open(o.journal, s.slurm, s.local, o.manager)
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	got, err := m.Bill()
	if err != nil {
		s.t.Fatal(err)
	}
	want, err := provider.Charge(list, time.Now(), m.Clock(), o.manager.Meter, o.manager.Prices.OnDemand)
	if err != nil || got != want || got.Leases == 0 {
		s.t.Errorf("the journal's bill is %+v, the provider's %+v (%v)", got, want, err)
	}
	s.t.Logf("%+v", got)
	last := fmt.Sprintf("\n%d leases, %.0f hours charged, $%s on demand\n1 user; 0 less than alone; \"invoice -journal %s\" says what each pays\n",
		got.Leases, got.Charged.Hours(), got.Cost.Fixed(2), o.journal)
	if said := s.log.String(); !strings.Contains(said, last) && !strings.Contains(said, strings.Replace(last, "; 0 less", "; 1 less", 1)) {
		s.t.Errorf("elasticd does not end with %q", last)
	}
}
