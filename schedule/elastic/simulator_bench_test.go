package elastic

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

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
		{"od++", new(ODPlus)},
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

// What the choices that [Marshall12] leaves open move: means over 30 samples, the
// same for all. The numbers of the package comment are from
//
//	go test ./schedule/elastic -run xxx -bench EnvironmentChoices -benchtime 1x
func BenchmarkEnvironmentChoices(b *testing.B) {
	aqtp := AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}
	fragments, keepFree := aqtp, aqtp
	fragments.Fragments, keepFree.KeepFree = true, true
	whole := func(c *Options) { c.RejectWhole = true }
	covered := func(c *Options) { c.Budget.Covered = true }
	noDebt := func(c *Options) { c.Budget.Debt = 0 }
	toTheEnd := func(c *Options) { c.Horizon = 0 }
	// OD++ that, when a cloud has refused, asks it again at the next evaluation
	// instead of turning to a dearer one at once.
	plus := new(ODPlus)
	patient := policyFunc(func(dst []Action, s *Snapshot) []Action {
		if s.Again {
			return dst
		}
		return plus.AppendActions(dst, s)
	})
	for _, c := range []struct {
		name   string
		policy Policy
		change func(c *Options)
	}{
		{"sm", new(SM), nil},
		{"sm/once", &SM{Once: true}, nil},
		{"sm/no-debt", new(SM), noDebt},
		{"sm/no-horizon", new(SM), toTheEnd},
		{"od++", new(ODPlus), nil},
		{"od++/whole-requests", new(ODPlus), whole},
		{"od++/printed", &ODPlus{Printed: true}, nil},
		{"od++/pooled", &ODPlus{Pooled: true}, nil},
		{"od++/whole-jobs", &ODPlus{WholeJobs: true}, nil},
		{"od++/keep-free", &ODPlus{KeepFree: true}, nil},
		{"od++/patient", patient, nil},
		{"od++/covered", new(ODPlus), covered},
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
				var e Simulator
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
						cfg := Options{
							Local: Marshall12Local, Clouds: Marshall12Clouds(in.reject), Policy: c.policy, Budget: Marshall12Budget(),
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

// Two jobs with three years between them. SM holds its instances all the time: 26,280 hours
// of charges and credits.
func BenchmarkEnvironmentGap(b *testing.B) {
	const gap = 3 * 365 * 24 * time.Hour
	jobs := []trace.Job{minutesJob(0, 0, 60, 4), {ID: 1, Submit: gap, Run: time.Hour, Estimate: time.Hour, Nodes: 4}}
	for _, p := range []Policy{new(SM), new(ODPlus)} {
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
