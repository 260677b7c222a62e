//go:build unix

package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
)

// What it takes to rent and to give back a set of instances, as in [Niu16] Table 4, on a
// real Slurm with instances that boot at once. total-s is from the decision to the moment
// when the manager has seen all nodes up. ours-s is what the manager works in that time.
// released-s is what the manager works to give back an instance.
func BenchmarkInstanceSet(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprintf("instances=%d", n), func(b *testing.B) { benchmarkSet(b, n) })
	}
}

func benchmarkSet(b *testing.B, n int) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, p, s := startCluster(b, ctx, n, 0)
	o := testOptions(c)
	o.Timeout = time.Minute
	type moment struct {
		at, spent time.Duration
	}
	begin := time.Now()
	var asked, up, leaving, gone []moment
	settled := make(chan bool, 1)
	o.Watch = func(e *Entry, s *Status) {
		if e == nil {
			return
		}
		at := moment{time.Since(begin), s.Spent}
		switch e.Kind {
		case Asking:
			asked = append(asked, at)
		case Up:
			up = append(up, at)
		case Leaving:
			leaving = append(leaving, at)
		case Gone:
			if gone = append(gone, at); len(gone) == n {
				settled <- true
			}
		}
	}
	m, err := Open(filepath.Join(c.Dir, "journal"), s, p, o)
	if err != nil {
		b.Fatal(err)
	}
	run, stop := context.WithCancel(ctx)
	done := make(chan error)
	go func() { done <- m.Run(run) }()
	var total, ours, released time.Duration
	for b.Loop() {
		asked, up, leaving, gone = asked[:0], up[:0], leaving[:0], gone[:0]
		if _, err := c.Submit(ctx, n, "exit", "--comment=estimate=1m"); err != nil {
			b.Fatal(err)
		}
		select {
		case <-settled:
		case <-ctx.Done():
			b.Fatal("it does not come to an end")
		}
		total += up[n-1].at - asked[0].at
		ours += up[n-1].spent - asked[0].spent
		released += gone[n-1].spent - leaving[0].spent
	}
	stop()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	if err := m.Close(); err != nil {
		b.Fatal(err)
	}
	runs := float64(b.N)
	b.ReportMetric(total.Seconds()/runs, "total-s/op")
	b.ReportMetric(ours.Seconds()/runs, "ours-s/op")
	b.ReportMetric(released.Seconds()/runs/float64(n), "released-s/instance")
}

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
