package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// benchRun reports the jobs that a warm Simulator replays in a second, reading
// and converting the log aside, and what came of them.
func benchRun(b *testing.B, jobs []trace.Job, cfg Options) {
	b.Helper()
	b.ReportAllocs()
	var s Simulator
	r, err := s.Run(jobs, cfg)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err = s.Run(jobs, cfg); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(jobs))*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.ReportMetric(r.MeanWait.Seconds(), "wait-s")
	b.ReportMetric(r.Utilisation, "utilisation")
	b.ReportMetric(r.MeanWait.Seconds()*float64(len(jobs))/r.Makespan.Seconds(), "waiting-jobs") // Little's law
}

// modes are what every log is benchmarked in.
func modesOf(nodes int) []Options {
	return []Options{{Mode: Local, Nodes: nodes}, {Mode: SEC}, {Mode: NoWait}, {Mode: Individual}}
}

// BenchmarkRun replays real logs, where they are at hand, and one of the
// Lublin-Feitelson model.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name, file         string
		perInstance, nodes int
	}{
		{"KTH-SP2", "easy/KTH-SP2.swf.gz", 1, 100},
		{"SDSC-SP2", "easy/SDSC-SP2.swf.gz", 1, 128},
		{"SDSC-DS", "traces/SDSC-DS-2004-2.1-cln.swf.gz", 16, 117},
		{"SDSC-BLUE", "traces/SDSC-BLUE-2000-4.2-cln.swf.gz", 8, 144},
	} {
		b.Run("log="+c.name, func(b *testing.B) {
			jobs := load(b, c.file, c.perInstance)
			for _, cfg := range modesOf(c.nodes) {
				b.Run("mode="+cfg.Mode.String(), func(b *testing.B) { benchRun(b, jobs, cfg) })
			}
		})
	}
	jobs, err := workload.AppendLublin(nil, rand.New(rand.NewPCG(1, 0)), 50_000, workload.Options{Typeless: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, cfg := range modesOf(128) {
		b.Run("log=lublin/mode="+cfg.Mode.String(), func(b *testing.B) { benchRun(b, jobs, cfg) })
	}
}

// BenchmarkWaiting submits all jobs at once to a local cluster of 128 nodes, so
// that half of them wait on average. Narrow long and wide short ones cannot be
// backfilled for most of the time.
func BenchmarkWaiting(b *testing.B) {
	for _, n := range []int{200, 2_000, 20_000} {
		r := rand.New(rand.NewPCG(3, 0))
		jobs := make([]trace.Job, n)
		for i := range jobs {
			length := time.Duration(60+r.IntN(7200)) * time.Second
			j := trace.Job{ID: int64(i), Run: length, Estimate: 2 * length, Nodes: 1 + r.IntN(3)}
			if r.IntN(4) == 0 {
				j.Run, j.Nodes = length/10+time.Second, 24+r.IntN(100)
				j.Estimate = j.Run
			}
			jobs[i] = j
		}
		for _, c := range []struct {
			alg  string
			with schedule.Scheduler
		}{{"easy", new(schedule.EASY)}, {"fcfs", new(schedule.FCFS)}} {
			b.Run(fmt.Sprintf("alg=%s/jobs=%d", c.alg, n), func(b *testing.B) {
				benchRun(b, jobs, Options{Mode: Local, Nodes: 128, Scheduler: c.with})
			})
		}
	}
}
