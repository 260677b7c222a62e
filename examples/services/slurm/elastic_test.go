//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// The clouds of the tests: two nodes that are always up, four of a free cloud on this
// machine, and six that a user's commands rent.
const (
	fixedNodes, privateNodes, commercialNodes = 2, 4, 6
	commercialPrice                           = 85 * pricing.Milli
)

// newElasticStage starts a cluster and writes a file of its clouds.
func newElasticStage(t *testing.T, hour, boot time.Duration, policy string, args ...string) *stage {
	t.Helper()
	real(t)
	ctx, cancel := context.WithTimeout(context.Background(), stageLimit+60*hour) // for some 15 hours of the bill
	t.Cleanup(cancel)
	c, err := cluster.StartGroups(ctx, fixedNodes, privateNodes, commercialNodes)
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
	if s.slurm, err = slurmctl.New(ctx, c.Conf); err != nil {
		t.Fatal(err)
	}
	dirs := map[string]*provider.Local{}
	for _, name := range []string{"fixed", "private", "commercial"} {
		dir := filepath.Join(c.Dir, name)
		if name == "commercial" {
			dir = filepath.Join(dir, "instances") // as the command line of the cloud has it
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		dirs[name] = &provider.Local{Dir: dir, Boot: boot, Command: c.Slurmd, Environment: c.Environment()}
	}
	dirs["fixed"].Boot = 0
	for _, n := range c.Names[:fixedNodes] {
		if _, err := dirs["fixed"].Create(ctx, "fixed-"+n, n); err != nil {
			t.Fatal(err)
		}
	}
	s.all = provider.Several{
		{Name: "private", Nodes: c.Names[fixedNodes:][:privateNodes], Provider: dirs["private"]},
		{Name: "commercial", Nodes: c.Names[fixedNodes+privateNodes:], Provider: dirs["commercial"]},
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "commercial", "calm"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	command := "CLOUD_DIR=" + filepath.Join(c.Dir, "commercial") + " CLOUD_BOOT=" + boot.String() + " CLOUD_SLURMD=" + s.Slurmd("n1")[0] + " " + os.Args[0] + " cloud "
	scaled := boot * time.Duration(time.Hour/hour)
	file := filepath.Join(c.Dir, "clouds.csv")
	text := "name,nodes,price,boot,provider,instances,delay,create,delete,list\n" +
		fmt.Sprintf("private,\"%s\",0,%v,local,%s,%v,,,\n", strings.Join(s.all[0].Nodes, ","), scaled, dirs["private"].Dir, boot) +
		fmt.Sprintf("commercial,\"%s\",%v,%v,exec,,,%[4]screate,%[4]sdelete,%[4]slist\n", strings.Join(s.all[1].Nodes, ","), commercialPrice, scaled, command)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.args = append([]string{"elasticd", "-conf", c.Conf, "-journal", filepath.Join(c.Dir, "journal"), "-policy", policy, "-clouds", file,
		"-hour", hour.String(), "-poll", "50ms", "-every", "5m", "-lead", (300 * time.Millisecond * time.Duration(time.Hour/hour)).String(),
		"-retry-every", "6m", "-boot-limit", "4h", "-audit-every", "30m", "-timeout", "2m"}, args...)
	return s
}

// checkClouds checks that nothing is left of any cloud, and that the journal's bill of each
// is the cloud's.
func (s *stage) checkClouds(hour time.Duration) (cost pricing.Money) {
	s.t.Helper()
	o, err := parseElastic(s.args[1:])
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := manager.Open(o.journal, s.slurm, s.all, o.manager)
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	bills, err := m.CloudBills()
	if err != nil {
		s.t.Fatal(err)
	}
	got := map[string]provider.Bill{}
	for _, b := range bills {
		got[b.Cloud] = b.Bill
	}
	for i, p := range s.all {
		list, err := p.Provider.List(s.ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, in := range list {
			if runs, err := p.Provider.(*provider.Local).Running(in.Token); runs || err != nil || in.Live() {
				s.t.Errorf("instance %s of %s runs: %v, %v", in.Token, p.Name, runs, err)
			}
		}
		want, err := provider.Charge(list, time.Now(), m.Clock(), pricing.EC2Hourly, o.manager.Clouds[i].Price)
		if err != nil || got[p.Name] != want {
			s.t.Errorf("the journal's bill of %s is %+v, the cloud's %+v (%v)", p.Name, got[p.Name], want, err)
		}
		cost += want.Cost
		s.t.Logf("%s: %+v", p.Name, want)
		if line := fmt.Sprintf("\n%s: %d leases, %.0f hours charged, $%s\n", p.Name, want.Leases, want.Charged.Hours(), want.Cost.Fixed(2)); want.Leases > 0 &&
			!strings.Contains(s.log.String(), line) {
			s.t.Errorf("elasticd does not say %q", line)
		}
	}
	left, err := m.Credits()
	if err != nil {
		s.t.Fatal(err)
	}
	accrued := pricing.Money(0)
	for _, e := range s.entries() {
		if e.Kind == manager.Accrued {
			accrued += e.Amount
		}
	}
	if left != accrued-cost {
		s.t.Errorf("$%v of credits left, want $%v that accrued less $%v", left, accrued, cost)
	}
	if said := s.log.String(); !strings.HasSuffix(said, fmt.Sprintf("\n$%s of credits left\n", left.Fixed(2))) || !strings.Contains(said, "\nboots took ") {
		s.t.Errorf("elasticd does not end with the credits and its delays")
	}
	return cost
}

// elasticd with a policy is killed at random moments, with two clouds, and goes on with another
// policy. Every job runs once; nothing is left; and the bill is that of the clouds.
func TestPolicyKilled(t *testing.T) {
	t.Parallel()
	policyKilled(t)
}

func policyKilled(t *testing.T) {
	const hour = 4 * time.Second
	s := newElasticStage(t, hour, 150*time.Millisecond, "od", "-poll", "100ms")
	rng := rand.New(rand.NewPCG(12, 2))
	policies := []string{"od", "mcop", "aqtp", "od++"}
	policy := 1 + slices.Index(s.args, "-policy")
	jobs := map[int64]bool{}
	for k := range 24 {
		if k%2 == 0 {
			run := 200 + rng.IntN(900)
			jobs[s.submit(1+rng.IntN(commercialNodes), time.Duration(run)*time.Millisecond, hour)] = true
		}
		s.args[policy] = policies[k%len(policies)]
		cmd := s.start()
		time.Sleep(time.Duration(rng.IntN(900)) * time.Millisecond)
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	s.finish(s.start(), func() bool { return true })
	s.checkJobs(jobs)
	if cost := s.checkClouds(hour); cost == 0 { // a job of five nodes fits only where it costs
		t.Error("nothing was rented in the commercial cloud")
	}
}

// A file of clouds that cannot be used is the user's mistake, and the message says where.
func TestCloudsFile(t *testing.T) {
	const titles = "name,nodes,price,boot,provider,create,delete,list,instances\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: no column name"},
		{"title", "name,nodes,provider,colour\n", "line 1: the column \"colour\""},
		{"no cloud", titles, "no cloud: want a line for each"},
		{"negative price", titles + "a,n1,-1,,local,,,,d\n", "line 2 (price): \"-1\": want dollars an hour from 0"},
		{"two of one name", titles + "a,n1,1,,local,,,,d\na,n2,1,,local,,,,e\n", "line 3 (name): \"a\": want a name that no other cloud has"},
		{"local", titles + "local,n1,1,,local,,,,d\n", "line 2 (name): \"local\""},
		{"shared node", titles + "a,n[1-3],1,,local,,,,d\nb,n3,1,,local,,,,e\n", "line 3 (nodes): n3 is a node of a"},
		{"nodes", titles + "a,n[1-,1,,local,,,,d\n", "line 2 (nodes)"},
		{"boot", titles + "a,n1,1,-5m,local,,,,d\n", "line 2 (boot): \"-5m\": want a span of time"},
		{"provider", titles + "a,n1,1,,cloud,,,,d\n", "line 2 (provider): \"cloud\": want exec or local"},
		{"no commands", titles + "a,n1,1,,exec,x,y,,\n", "line 2 (provider): exec without its commands"},
		{"no folder", titles + "a,n1,1,,local,,,,\n", "line 2 (instances): none"},
		{"fields", titles + "a,n1\n", "wrong number of fields"},
	} {
		file := filepath.Join(t.TempDir(), "clouds.csv")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := parseElastic([]string{"-journal", "j", "-policy", "od", "-clouds", file})
		if cli.Status(err) != cli.Mistake || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	good := filepath.Join(t.TempDir(), "clouds.csv")
	if err := os.WriteFile(good, []byte(titles+"a,n[1-2],,,local,,,,d\nb,n3,0.5,50s,exec,x,y,z,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"-policy od", "want a file of clouds"},
		{"-clouds " + good, "without -policy"},
		{"-policy best -clouds " + good, "want sm, od, od++, aqtp, mcop"},
		{"-policy mcop-30-80 -clouds " + good, "want sm, od, od++, aqtp, mcop"},
		{"-policy mcop--1-101 -clouds " + good, "want sm, od, od++, aqtp, mcop"},
		{"-policy mcop-101--1 -clouds " + good, "want sm, od, od++, aqtp, mcop"},
		{"-policy od -launch all -clouds " + good, "-launch \"all\""},
		{"-policy od -nodes n1 -clouds " + good, "-nodes with -policy"},
		{"-policy od -budget -1 -clouds " + good, "Budget.Hourly"},
		{"-policy aqtp -response 0s -clouds " + good, "AQTP.Response"},
		{"-policy aqtp -least-jobs -1 -clouds " + good, "-1 jobs: want 1 or more"},
		{"-policy aqtp -least-jobs 3 -most-jobs 2 -clouds " + good, "2 jobs: want 3 or more"},
		{"-policy aqtp -least-jobs 2 -first-jobs 1 -clouds " + good, "1 jobs: want a number between"},
		{"-policy od -response 1h -clouds " + good, "-response with -policy od: it is of aqtp"},
		{"-policy od -seed 2 -clouds " + good, "-seed with -policy od: it is of mcop"},
		{"-policy sm -launch jobs -clouds " + good, "-launch with -policy sm: it is of od and od++"},
		{"-first-jobs 2", "-first-jobs without -policy"},
		{"-policy od -every 1h -clouds " + good, "or none leaves in time"},
		{"-policy od -every 1s -clouds " + good, "three times -poll"},
		{"-policy od -clouds " + good + "x", "no such file"},
	} {
		_, err := parseElastic(append([]string{"-journal", "j"}, strings.Fields(c.args)...))
		if cli.Status(err) != cli.Mistake || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
	if _, err := parseElastic([]string{"-journal", "j", "-policy", "mcop", "-clouds", good}); err != nil {
		t.Error(err)
	}
	o, err := parseElastic(strings.Fields("-journal j -policy aqtp -response 1h -threshold 5m -first-jobs 4 -least-jobs 2 -most-jobs 9 -keep-free -clouds " + good))
	if p, ok := o.manager.Policy.(*elastic.AQTP); err != nil || !ok || p.Response != time.Hour || p.Threshold != 5*time.Minute || p.Start != 4 ||
		p.Min != 2 || p.Max != 9 || !p.KeepFree {
		t.Errorf("%+v, %v", o.manager.Policy, err)
	}
}
