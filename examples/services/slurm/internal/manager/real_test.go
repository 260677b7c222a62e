//go:build unix

package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
)

// startCluster starts a cluster for a test, with a provider for its nodes, or skips
// the test.
func startCluster(t testing.TB, ctx context.Context, nodes int, boot time.Duration) (*cluster.Cluster, *provider.Local, *slurmctl.Client) {
	t.Helper()
	c, err := cluster.Start(ctx, nodes)
	if errors.Is(err, slurmctl.ErrAbsent) || errors.Is(err, slurmctl.ErrVersion) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		t.Fatal(err)
	}
	return c, &provider.Local{Dir: dir, Boot: boot, Command: c.Slurmd, Environment: c.Environment()}, s
}

// testOptions are those of the tests: an hour lasts 2 s.
func testOptions(c *cluster.Cluster) Options {
	return Options{
		Nodes: c.Names, WaitLimit: 5 * time.Minute, Short: time.Hour,
		ReleaseEvery: 6 * time.Minute, RetryEvery: 5 * time.Minute, Boot: 10 * time.Minute,
		BootLimit: 3 * time.Hour, AuditEvery: 30 * time.Minute,
		Meter: pricing.EC2Hourly, Prices: pricing.CC28XLarge2013(),
		Hour: 2 * time.Second, Poll: 30 * time.Millisecond, Timeout: 5 * time.Second,
	}
}

// Jobs come, instances with them, the jobs run, and the instances go.
func TestReal(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	c, p, s := startCluster(t, ctx, 4, 200*time.Millisecond)
	o := testOptions(c)
	var leaving []string
	o.Watch = func(e *Entry, s *Status) {
		if e != nil && e.Kind == Leaving {
			leaving = append(leaving, e.Reason)
		}
		if testing.Verbose() && e != nil {
			t.Logf("%8.2f h  %-8s %s job %d %s", e.At.Hours(), e.Kind, e.Node, e.Job, e.Reason)
		} else if testing.Verbose() {
			t.Logf("%8.2f h  %+v", s.Now.Hours(), *s)
		}
	}
	m, err := Open(filepath.Join(c.Dir, "journal"), s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	run, stop := context.WithCancel(ctx)
	done := make(chan error)
	go func() { done <- m.Run(run) }()
	ids := map[int64]bool{}
	for i, j := range []struct {
		nodes int
		run   float64
	}{{1, .3}, {2, .5}, {1, .2}, {3, .4}, {1, .1}} {
		id, err := c.Submit(ctx, j.nodes, fmt.Sprintf("sleep %.2f", j.run),
			fmt.Sprintf("--comment=estimate=%v", m.Clock().Scaled(time.Duration(j.run*2*float64(time.Second))).Round(time.Second)))
		if err != nil {
			t.Fatal(err)
		}
		ids[id] = true
		time.Sleep(time.Duration(i) * 100 * time.Millisecond)
	}
	for {
		jobs, err := s.Jobs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		left := len(ids)
		for _, j := range jobs {
			if ids[j.ID] && j.State == "COMPLETED" {
				left--
			}
		}
		list, err := p.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range list {
			if in.Live() {
				left++
			}
		}
		if left == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	bill, err := m.Bill()
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want, err := provider.Charge(list, time.Now(), m.Clock(), o.Meter, o.Prices.OnDemand)
	if err != nil || bill != want || bill.Leases == 0 {
		t.Errorf("the bill is %+v, the provider's %+v, %v", bill, want, err)
	}
	// They left at the last check before the end of their paid time.
	if len(leaving) == 0 {
		t.Error("nothing has left")
	}
	for _, reason := range leaving {
		text, ok := strings.CutPrefix(reason, "idle, and charged again in ")
		if due, err := time.ParseDuration(text); !ok || err != nil || due > o.ReleaseEvery {
			t.Errorf("one left since it was %s; want %v or less", reason, o.ReleaseEvery)
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%+v", bill)
}
