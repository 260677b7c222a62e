package manager

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// Options on both sides of each limit: what is refused says why, and its neighbour is taken.
func TestOptionLimits(t *testing.T) {
	plain := func() Options { return worldOptions(newWorld(4, time.Minute)) }
	clouds := func() Options {
		o := plain()
		o.Policy, o.Budget, o.Every = &elastic.OD{}, elastic.Budget{Hourly: pricing.Unit}, 5*time.Minute
		o.Clouds = []Cloud{{Name: "a", Nodes: o.Nodes[:1]}, {Name: "b", Nodes: o.Nodes[1:], Price: pricing.Unit}}
		return o
	}
	for name, o := range map[string]Options{"plain": plain(), "clouds": clouds()} {
		if err := o.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		from   func() Options
		change func(*Options)
		says   string // "" for what is taken
	}{
		{plain, func(o *Options) { o.Nodes = nil }, "no nodes"},
		{plain, func(o *Options) { o.Nodes[1] = o.Nodes[0] }, "each once"},
		{plain, func(o *Options) { o.Nodes[2] = "a b" }, `the node "a b"`},
		{plain, func(o *Options) { o.Hour = 0 }, "want them positive"},
		{plain, func(o *Options) { o.Poll = 0 }, "want them positive"},
		{plain, func(o *Options) { o.Timeout = -1 }, "want them positive"},
		{plain, func(o *Options) { o.Timeout = 0 }, "want them positive"},
		{plain, func(o *Options) { o.ReleaseEvery = 0 }, "want them positive"},
		{plain, func(o *Options) { o.RetryEvery = 0 }, "want them positive"},
		{plain, func(o *Options) { o.AuditEvery = 0 }, "want them positive"},
		{plain, func(o *Options) { o.BootLimit = 0 }, "want them positive"},
		{plain, func(o *Options) { o.WaitLimit, o.Short, o.Boot = 0, 0, 0 }, ""},
		{plain, func(o *Options) { o.WaitLimit = -1 }, "a negative time"},
		{plain, func(o *Options) { o.Short = -1 }, "a negative time"},
		{plain, func(o *Options) { o.Boot = -1 }, "a negative time"},
		{plain, func(o *Options) { o.Lead = -1 }, "a negative time"},
		{plain, func(o *Options) { o.Pause = -1 }, "a pause of"},
		{plain, func(o *Options) { o.Lead, o.ReleaseEvery = 50*time.Minute, 10*time.Minute }, ""},
		{plain, func(o *Options) { o.Lead, o.ReleaseEvery = 50*time.Minute, 10*time.Minute+1 }, "or none ever leaves"},
		{plain, func(o *Options) { o.Least, o.Most = 4, 4 }, ""},
		{plain, func(o *Options) { o.Least, o.Most = 4, 3 }, "4 to 3 nodes of 4"},
		{plain, func(o *Options) { o.Least = 5 }, "5 to 0 nodes of 4"},
		{plain, func(o *Options) { o.Most = 99 }, ""},
		{plain, func(o *Options) { o.Least = -1 }, "-1 to 0"},
		{plain, func(o *Options) { o.Meter.Increment = 0 }, "Increment"},
		{plain, func(o *Options) { o.Clouds = []Cloud{{}} }, "clouds without a policy"},
		{clouds, func(o *Options) { o.Clouds[1].Name = "a" }, `the cloud "a"`},
		{clouds, func(o *Options) { o.Clouds[0].Name = "local" }, "and not local"},
		{clouds, func(o *Options) { o.Clouds[0].Name = "" }, `the cloud ""`},
		{clouds, func(o *Options) { o.Clouds[0].Price = -1 }, "a price of 0 or more"},
		{clouds, func(o *Options) { o.Clouds[1].Price = 0 }, ""},
		{clouds, func(o *Options) { o.Clouds[0].Boot = -1 }, "a boot of"},
		{clouds, func(o *Options) { o.Clouds[0].Nodes = nil }, "no nodes"},
		{clouds, func(o *Options) { o.Clouds[0], o.Clouds[1] = o.Clouds[1], o.Clouds[0] }, "in their order"},
		{clouds, func(o *Options) { o.Every = 0 }, "between two evaluations"},
		{clouds, func(o *Options) { o.Lead, o.Every = 30*time.Minute, 30*time.Minute-1 }, ""},
		{clouds, func(o *Options) { o.Lead, o.Every = 30*time.Minute, 30*time.Minute }, "or none leaves in time"},
		{clouds, func(o *Options) { o.Budget.Covered = true }, "covers jobs to their end"},
		{clouds, func(o *Options) { o.Period = 7 }, "reservations beside a policy"},
		{clouds, func(o *Options) { o.Budget.Hourly = -1 }, ""},
	} {
		o := c.from()
		c.change(&o)
		err := o.Check()
		if o.Budget.Hourly < 0 { // the budget's own error
			if !errors.Is(err, ErrOptions) {
				t.Errorf("a negative budget: %v", err)
			}
			continue
		}
		if (err == nil) != (c.says == "") || err != nil && (!errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// Of an array with a limit, as many tasks count as the limit leaves beside those that hold
// nodes; one at least, since the job waits.
func TestTasksOfArray(t *testing.T) {
	m := &Manager{}
	running := func(array, n int64) (jobs []slurmctl.Job) {
		for range n {
			jobs = append(jobs, slurmctl.Job{State: "RUNNING", Array: array})
		}
		return jobs
	}
	waiting := slurmctl.Job{State: "PENDING", Array: 7, Tasks: 10, AtOnce: 4}
	for _, c := range []struct {
		jobs []slurmctl.Job
		want int
	}{
		{nil, 4},
		{running(7, 1), 3},
		{append(running(7, 1), running(6, 3)...), 3},
		{running(6, 9), 4},
		{running(7, 3), 1},
		{running(7, 9), 1},
		{[]slurmctl.Job{waiting, waiting}, 4},
	} {
		if got := m.tasks(&waiting, c.jobs); got != c.want {
			t.Errorf("%+v: %d tasks, want %d", c.jobs, got, c.want)
		}
	}
}
