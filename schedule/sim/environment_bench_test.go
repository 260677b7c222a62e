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
		policy schedule.Policy
	}{
		{"sm", new(schedule.SM)},
		{"od", new(schedule.OD)},
		{"od++", new(schedule.ODPlus)},
		{"aqtp", &schedule.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}},
	} {
		for i, jobs := range [][]trace.Job{poisson, campaigns} {
			b.Run(fmt.Sprintf("policy=%s/arrivals=%v", c.name, workload.Arrivals(i)), func(b *testing.B) {
				var e Environment
				var r EnvironmentResult
				src := rand.NewPCG(2, 5)
				cfg := EnvironmentConfig{
					Local: Marshall12Local, Clouds: Marshall12Clouds(.1), Policy: c.policy, Budget: schedule.Marshall12Budget(),
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

// What the choices that [Marshall12] leaves open move: means over 30 samples, the
// same for all. The numbers of the package comment are from
//
//	go test ./schedule/sim -run xxx -bench EnvironmentChoices -benchtime 1x
func BenchmarkEnvironmentChoices(b *testing.B) {
	aqtp := schedule.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}
	fragments, keepFree := aqtp, aqtp
	fragments.Fragments, keepFree.KeepFree = true, true
	whole := func(c *EnvironmentConfig) { c.RejectWhole = true }
	covered := func(c *EnvironmentConfig) { c.Budget.Covered = true }
	noDebt := func(c *EnvironmentConfig) { c.Budget.Debt = 0 }
	toTheEnd := func(c *EnvironmentConfig) { c.Horizon = 0 }
	// OD++ that, when a cloud has refused, asks it again at the next evaluation
	// instead of turning to a dearer one at once.
	plus := new(schedule.ODPlus)
	patient := schedule.PolicyFunc(func(dst []schedule.Action, s *schedule.Snapshot) []schedule.Action {
		if s.Again {
			return dst
		}
		return plus.AppendActions(dst, s)
	})
	for _, c := range []struct {
		name   string
		policy schedule.Policy
		change func(c *EnvironmentConfig)
	}{
		{"sm", new(schedule.SM), nil},
		{"sm/once", &schedule.SM{Once: true}, nil},
		{"sm/no-debt", new(schedule.SM), noDebt},
		{"sm/no-horizon", new(schedule.SM), toTheEnd},
		{"od++", new(schedule.ODPlus), nil},
		{"od++/whole-requests", new(schedule.ODPlus), whole},
		{"od++/pooled", &schedule.ODPlus{Pooled: true}, nil},
		{"od++/whole-jobs", &schedule.ODPlus{WholeJobs: true}, nil},
		{"od++/keep-free", &schedule.ODPlus{KeepFree: true}, nil},
		{"od++/patient", patient, nil},
		{"od++/covered", new(schedule.ODPlus), covered},
		{"aqtp", &aqtp, nil},
		{"aqtp/whole-requests", &aqtp, whole},
		{"aqtp/fragments", &fragments, nil},
		{"aqtp/keep-free", &keepFree, nil},
		{"aqtp/covered", &aqtp, covered},
	} {
		for _, in := range []struct {
			arrivals workload.Arrivals
			reject   float64
		}{{workload.Poisson, .9}, {workload.Campaigns, .1}} {
			b.Run(fmt.Sprintf("%s/arrivals=%v/reject=%v", c.name, in.arrivals, in.reject), func(b *testing.B) {
				var e Environment
				var jobs []trace.Job
				response, cost, lowest, unfinished := 0., 0., 0., 0
				const samples = 30
				for b.Loop() {
					response, cost, lowest, unfinished = 0, 0, 0, 0
					for seed := range uint64(samples) {
						rng := newSource(seed)
						var err error
						jobs, err = workload.AppendFeitelson(jobs[:0], rng, workload.FeitelsonJobs, workload.SampleOptions{Arrivals: in.arrivals})
						if err != nil {
							b.Fatal(err)
						}
						cfg := EnvironmentConfig{
							Local: Marshall12Local, Clouds: Marshall12Clouds(in.reject), Policy: c.policy, Budget: schedule.Marshall12Budget(),
							Horizon: Marshall12Horizon, Rand: rng,
						}
						if c.change != nil {
							c.change(&cfg)
						}
						r, err := e.Run(jobs, cfg)
						if err != nil {
							b.Fatal(err)
						}
						response += r.AWRT.Hours() / samples
						cost += r.Cost.Float64() / samples
						lowest = min(lowest, r.LowestCredits.Float64())
						unfinished += r.Unfinished
					}
				}
				b.ReportMetric(response, "AWRT-h")
				b.ReportMetric(cost, "cost-$")
				b.ReportMetric(lowest, "lowest-$")
				b.ReportMetric(float64(unfinished), "unfinished-jobs")
			})
		}
	}
}
