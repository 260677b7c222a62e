package spot_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// A simulation of four hours on four instances, a cluster of which takes ten
// minutes to be set up, is due tomorrow at 8:00. Until when is there time to gamble?
func ExampleTask_PriorityRate() {
	task := spot.Task{Deadline: 32 * time.Hour, Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 4}
	for _, hour := range []time.Duration{12, 22, 24, 28} {
		now := hour * time.Hour
		fmt.Printf("at hour %d: PR %5.2f, %v\n", hour, task.PriorityRate(now, 0), spot.Thresholds{}.Tier(&task, now, 0))
	}
	fmt.Printf("safe threshold %.3f, point of no return %v\n", task.SafeThreshold(0, 0), task.PointOfNoReturn(0))
	// Output:
	// at hour 12: PR  3.96, low
	// at hour 22: PR  1.46, medium
	// at hour 24: PR  0.96, high
	// at hour 28: PR -0.04, high
	// safe threshold 1.042, point of no return 27h50m0s
}

// With three of the four hours in a checkpoint, an hour and two minutes remain,
// and the point of no return has moved by nearly three hours.
func ExampleTask_PointOfNoReturn() {
	task := spot.Task{
		Deadline: 32 * time.Hour, Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 4,
		Checkpoints: spot.Checkpoints{Every: 30 * time.Minute, Write: time.Minute, Restart: 2 * time.Minute},
	}
	saved := 3 * time.Hour
	fmt.Println(task.Remaining(saved), task.SpotRun(saved), task.PointOfNoReturn(saved))
	// Output: 1h2m0s 1h3m0s 30h48m0s
}

// The same moment under different rules: seven hours before the deadline PR is 0.71.
// The paper goes on demand. A task that saves every half hour still has time to
// save on spot, and one that does not is better off with a second cluster later.
func ExampleHandover_Tier() {
	task := spot.Task{Deadline: 32 * time.Hour, Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 4}
	saves := task
	saves.Checkpoints = spot.Checkpoints{Every: 30 * time.Minute, Write: time.Minute, Restart: 2 * time.Minute}
	now := 25 * time.Hour
	for rule := spot.RulePaper; rule <= spot.RuleHedged; rule++ {
		h := spot.Handover{Rule: rule}
		fmt.Printf("%-14v %-6v  with checkpoints %v\n", rule, h.Tier(&task, now, 0), h.Tier(&saves, now, 0))
	}
	// Output:
	// paper          high    with checkpoints high
	// safe threshold high    with checkpoints high
	// no return      high    with checkpoints medium
	// hedged         medium  with checkpoints medium
}

// provider is a cloud in which every request is served at once, boots in ten
// minutes, and whose spot clusters are taken two hours after they have booted.
type provider struct {
	now  time.Duration
	open [3]time.Duration // when the cluster of each tier was opened
}

func (p *provider) Look(_ int, tier spot.Tier) spot.Observation {
	age := p.now - p.open[tier] - 10*time.Minute
	return spot.Observation{
		Launched: true, Ready: age >= 0,
		Interrupted: tier != spot.TierHigh && age >= 2*time.Hour,
		Done:        age >= 4*time.Hour,
	}
}

// A framework in a loop: a task with a low priority is interrupted until the point
// at which spot would be a waste of money, and then goes on demand, in time.
func ExampleFramework() {
	f := spot.Framework{
		Handover: spot.Handover{Rule: spot.RuleNoReturn},
		Bid: func(_ *spot.Task, tier spot.Tier, _, _ time.Duration) pricing.Money {
			if tier == spot.TierLow {
				return 210 * pricing.Milli
			}
			return 1150 * pricing.Milli
		},
	}
	task := spot.Task{ID: 1, Deadline: 13 * time.Hour, Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 1}
	if _, err := f.Take(task, 0); err != nil {
		fmt.Println(err)
		return
	}
	var p provider
	var commands []spot.Command
	for ; f.Len() > 0; p.now += time.Minute { // or until f.Next(), or something happens
		for {
			commands = f.AppendCommands(commands[:0], p.now, p.Look)
			if len(commands) == 0 {
				break
			}
			for _, c := range commands {
				switch c.Kind {
				case spot.CommandOpen:
					p.open[c.Tier] = p.now
					fmt.Printf("%v: %v, %v agent, bid %v\n", p.now, c.Kind, c.Tier, c.Bid)
				case spot.CommandReturn:
					fmt.Printf("%v: %v\n", p.now, c.Kind)
				case spot.CommandComplete:
					fmt.Printf("%v: done\n", p.now)
				}
			}
		}
	}
	// Output:
	// 0s: open cluster, low agent, bid 0.21
	// 2h10m0s: return task
	// 2h10m0s: open cluster, medium agent, bid 1.15
	// 4h20m0s: return task
	// 4h20m0s: open cluster, medium agent, bid 1.15
	// 6h30m0s: return task
	// 6h30m0s: open cluster, high agent, bid 0
	// 10h40m0s: done
}
