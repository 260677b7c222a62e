package spot

import (
	"fmt"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// calm is a provider whose clusters run and run.
type calm struct{}

func (calm) Look(int, Tier) Observation { return Observation{Launched: true, Ready: true} }

// One look at all running tasks of a framework, and when the next is due.
func BenchmarkFramework(b *testing.B) {
	for _, n := range []int{1, 1000} {
		for _, rule := range []Rule{RulePaper, RuleNoReturn, RuleHedged} {
			b.Run(fmt.Sprintf("tasks=%d/rule=%v", n, rule), func(b *testing.B) {
				f := Framework{
					Handover: Handover{Rule: rule},
					Bid:      func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 },
				}
				for i := range n {
					k := Task{
						ID: int64(i), Deadline: time.Duration(100+i) * time.Hour, Estimate: 10 * time.Hour, Latency: 10 * time.Minute, Instances: 4,
						Checkpoints: Checkpoints{Every: time.Hour, Write: time.Minute, Restart: time.Minute},
					}
					if _, err := f.Take(k, 0); err != nil {
						b.Fatal(err)
					}
				}
				var commands []Command
				for range 3 {
					commands = f.AppendCommands(commands[:0], 0, calm{}.Look)
				}
				if len(commands) > 0 {
					b.Fatal("they do not run yet")
				}
				now, next := time.Duration(0), time.Duration(0)
				for b.Loop() {
					now++
					commands = f.AppendCommands(commands[:0], now, calm{}.Look)
					next = f.Next()
				}
				if len(commands) > 0 || next <= now {
					b.Fatal("a task was moved")
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/task")
			})
		}
	}
}
