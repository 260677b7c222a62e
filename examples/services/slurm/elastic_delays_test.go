//go:build unix

package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// liveHour is how long an hour of the bill takes in TestPolicies: delays that are seconds
// are less of a longer hour.
var liveHour = flag.Duration("live-hour", 6*time.Second, "how long an hour of the bill takes in TestPolicies")

// liveLate is how much longer boots take in TestPolicies than the file of clouds says.
var liveLate = flag.Duration("live-late", 0, "how much longer boots take in TestPolicies than elasticd is told")

// delays are what a run on Slurm has and the simulator does not, on the scaled clock.
type delays struct {
	boot    sample // from the decision to launch until the node is up
	start   sample // from the moment at which a job could start until its script runs
	end     sample // of a job's script, beyond its run time
	release sample // from the decision to give an instance back until it has ended
}

// A sample is measured delays.
type sample []time.Duration

func (x sample) mean() (m time.Duration) {
	for _, d := range x {
		m += d / time.Duration(len(x))
	}
	return m
}

func (x sample) deviation() time.Duration {
	sum, mean := 0., x.mean()
	for _, d := range x {
		sum += math.Pow(float64(d-mean), 2) / float64(len(x))
	}
	return time.Duration(math.Sqrt(sum))
}

// delay is the sample as the simulator has it.
func (x sample) delay() elastic.Delay {
	return elastic.Delay{{Weight: 1, Mean: x.mean(), Deviation: x.deviation()}}
}

// held is by how much longer than its run time each job held its nodes, or they waited for it.
func (d *delays) held() (all sample) {
	for i := range d.start {
		all = append(all, d.start[i]+d.end[i])
	}
	return all
}

func (x sample) String() string {
	return fmt.Sprintf("%.1f ± %.1f (%d)", x.mean().Minutes(), x.deviation().Minutes(), len(x))
}

// A told policy is told how long boots take, by what the file of clouds says, and not by how
// long they do take, as the simulator tells it.
type told struct {
	elastic.Policy
	boot, last time.Duration
	asked      map[int64]time.Duration // by instance
}

func (p *told) AppendActions(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action {
	seen := *s
	seen.Clouds = slices.Clone(s.Clouds)
	for i := range seen.Clouds {
		c := &seen.Clouds[i]
		if c.Fixed {
			continue
		}
		c.Boot, c.Instances = p.boot, slices.Clone(c.Instances)
		for k := range c.Instances {
			in := &c.Instances[k]
			if _, ok := p.asked[in.ID]; !ok {
				p.asked[in.ID] = p.last // at the evaluation before
			}
			if in.State == elastic.Booting {
				in.Ready = p.asked[in.ID] + p.boot
			}
		}
	}
	p.last = s.Now
	return p.Policy.AppendActions(dst, &seen)
}

// measure measures the delays of a run. A job could start when it was submitted, the jobs
// before it could start, and its nodes were up and free. Slurm starts jobs in steps, so the
// jobs of a step are late together: none of them waits for another that is late.
func (s *stage) measure(ids []int64, log []trace.Job, hour time.Duration) (d delays) {
	s.t.Helper()
	entries := s.entries()
	c := clock.New(entries[0].Begin.Origin, hour)
	asked, left, free := map[string]time.Duration{}, map[string]time.Duration{}, map[string][]time.Duration{}
	for _, e := range entries {
		switch e.Kind {
		case manager.Asking:
			asked[e.Token] = e.At
		case manager.Up:
			d.boot = append(d.boot, e.At-asked[e.Token])
			free[e.Node] = append(free[e.Node], e.At)
		case manager.Leaving:
			left[e.Token] = e.At
		case manager.Gone:
			if at, ok := left[e.Token]; ok {
				d.release = append(d.release, c.At(e.Ended)-at)
			}
		}
	}
	all, err := s.slurm.Jobs(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	names := map[int64][]string{}
	for _, j := range all {
		names[j.ID] = j.Names
	}
	before := time.Duration(0)
	for i, id := range ids {
		text, err := os.ReadFile(filepath.Join(s.Dir, fmt.Sprintf("time-%d", id)))
		var at [2]time.Duration
		for k, word := range strings.Fields(string(text)) {
			seconds, _, _ := strings.Cut(word, ".")
			whole, bad := strconv.ParseInt(seconds, 10, 64)
			nanos, worse := strconv.ParseInt(word[len(seconds)+1:], 10, 64)
			if err == nil && bad == nil && worse == nil && k < 2 {
				at[k] = c.At(time.Unix(whole, nanos))
			}
		}
		could := max(log[i].Submit, before)
		for _, n := range names[id] {
			last := time.Duration(0)
			for _, f := range free[n] {
				if f <= at[0] {
					last = max(last, f)
				}
			}
			could = max(could, last)
			free[n] = append(free[n], at[1])
		}
		before = could
		d.start = append(d.start, max(0, at[0]-could))
		d.end = append(d.end, at[1]-at[0]-log[i].Run)
	}
	return d
}
