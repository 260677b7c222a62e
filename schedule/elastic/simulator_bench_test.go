package elastic

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// One run of the evaluation of [Marshall12]: 1,001 jobs, 1,100,000 s, evaluations
// every 300 s. Beside the time: what the jobs responded in and what it cost.
func BenchmarkEnvironment(b *testing.B) {
	poisson, err := workload.AppendFeitelson(nil, newSource(1), workload.FeitelsonJobs, workload.SampleOptions{})
	if err != nil {
		b.Fatal(err)
	}
	campaigns, err := workload.AppendFeitelson(nil, newSource(1), workload.FeitelsonJobs, workload.SampleOptions{Arrivals: workload.Campaigns})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		policy Policy
	}{
		{"sm", new(SM)},
		{"od", new(OD)},
		{"od++", &OD{Plus: true}},
		{"aqtp", &AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}},
	} {
		for i, jobs := range [][]trace.Job{poisson, campaigns} {
			b.Run(fmt.Sprintf("policy=%s/arrivals=%v", c.name, workload.Arrivals(i)), func(b *testing.B) {
				var e Simulator
				var r Result
				src := rand.NewPCG(2, 5)
				cfg := Options{
					Local: Marshall12Local, Clouds: Marshall12Clouds(.1), Policy: c.policy, Budget: Marshall12Budget(),
					Horizon: Marshall12Horizon, Rand: rand.New(src),
				}
				run := func() {
					src.Seed(2, 5)
					var err error
					if r, err = e.Run(jobs, cfg); err != nil {
						b.Fatal(err)
					}
				}
				run() // for its memory
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(r.Evaluations)*float64(b.N)/b.Elapsed().Seconds(), "evaluations/s")
				b.ReportMetric(r.AWRT.Hours(), "AWRT-h")
				b.ReportMetric(r.Cost.Float64(), "cost-$")
			})
		}
	}
}

// What KeepFree and RejectWhole move on real logs: the first 2,000 hours of jobs of up to 128
// cores, with half of the log's machine, a free cloud of 128 that refuses 10% of the requests, and
// [Marshall12]'s commercial cloud and budget.
func BenchmarkVariants(b *testing.B) {
	for _, log := range []struct {
		name  string
		local int
	}{{"KTH-SP2-1996-2.1-cln.swf.gz", 50}, {"SDSC-SP2-1998-4.2-cln.swf.gz", 64}} {
		f, err := os.Open(shared.File(b, "traces/"+log.name))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		all, _, err := trace.Convert(trace.NewReader(f).Records(), trace.Options{})
		if err != nil {
			b.Fatal(err)
		}
		const horizon = 2000 * time.Hour
		jobs := slices.DeleteFunc(all, func(j trace.Job) bool { return j.Nodes > 128 || j.Submit >= horizon })
		for _, c := range []struct {
			name   string
			policy Policy
			whole  bool
		}{
			{"od++", &OD{Plus: true}, false}, {"od++/printed", &OD{Plus: true, Printed: true}, false},
			{"od++/keep-free", &OD{Plus: true, KeepFree: true}, false}, {"od++/reject-whole", &OD{Plus: true}, true},
		} {
			b.Run(fmt.Sprintf("log=%.8s/policy=%s", log.name, c.name), func(b *testing.B) {
				var r Result
				for b.Loop() {
					clouds := Marshall12Clouds(.1)
					clouds[0].Limit = 128
					if r, err = new(Simulator).Run(jobs, Options{Local: log.local, Clouds: clouds, Policy: c.policy, Budget: Marshall12Budget(),
						Horizon: horizon, RejectWhole: c.whole, Rand: rand.New(rand.NewPCG(1, 2))}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(r.AWRT.Hours(), "AWRT-h")
				b.ReportMetric(r.Cost.Float64(), "cost-$")
			})
		}
	}
}

// Two jobs with three years between them. SM holds its instances all the time: 26,280 hours
// of charges and credits.
func BenchmarkEnvironmentGap(b *testing.B) {
	const gap = 3 * 365 * 24 * time.Hour
	jobs := []trace.Job{minutesJob(0, 0, 60, 4), {ID: 1, Submit: gap, Run: time.Hour, Estimate: time.Hour, Nodes: 4}}
	for _, p := range []Policy{new(SM), &OD{Plus: true}} {
		b.Run("policy="+fmt.Sprint(p), func(b *testing.B) {
			var e Simulator
			for b.Loop() {
				if _, err := e.Run(jobs, Options{Local: Marshall12Local, Clouds: Marshall12Clouds(.1), Policy: p, Budget: Marshall12Budget(), Rand: newSource(1)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
