package clusters

import (
	"bytes"
	"cmp"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// Limits of the page. The programs take more.
const (
	maxJobs  = 5000
	maxNodes = 4096
	longest  = 10 * 365 * 24 * time.Hour
)

// jobList is jobs as they travel: five numbers for each job, its times in seconds: submitted,
// ran, estimated, instances, user.
type jobList ask.Ints

func (list jobList) MarshalJSON() ([]byte, error)     { return ask.Ints(list).MarshalJSON() }
func (list *jobList) UnmarshalJSON(text []byte) error { return (*ask.Ints)(list).UnmarshalJSON(text) }

const perJob = 5

func listed(jobs []trace.Job) jobList {
	var list jobList
	for _, j := range jobs {
		run := int((j.Run + time.Second - 1) / time.Second)
		list = append(list, int(j.Submit/time.Second), run, max(run, int(j.Estimate/time.Second)), j.Nodes, j.User)
	}
	return list
}

// jobs returns the jobs, of which no field is out of range.
func (list jobList) jobs() ([]trace.Job, error) {
	if len(list) == 0 || len(list)%perJob != 0 {
		return nil, ask.Mistakef("jobs", "there is no job")
	}
	if len(list) > maxJobs*perJob {
		return nil, ask.Mistakef("jobs", "%s jobs: the page takes at most %s; the programs take more", decimal.Int(len(list)/perJob), decimal.Int(maxJobs))
	}
	var jobs []trace.Job
	for i := 0; i < len(list); i += perJob {
		j := trace.Job{
			ID: int64(i/perJob + 1), Submit: time.Duration(list[i]) * time.Second, Run: time.Duration(list[i+1]) * time.Second,
			Estimate: time.Duration(list[i+2]) * time.Second, Nodes: list[i+3], User: list[i+4], Queue: -1, Wait: -time.Second,
		}
		if j.Submit < 0 || j.Run <= 0 || j.Estimate < j.Run || j.Nodes <= 0 || j.Nodes > maxNodes || max(j.Submit, j.Estimate) > longest {
			return nil, ask.Mistakef("jobs", "job %d: submitted after %v, ran %v, asked for %v, on %d instances: want times above 0 and below ten years, and at most %d instances", j.ID, j.Submit, j.Run, j.Estimate, j.Nodes, maxNodes)
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// swf writes the jobs in the Standard Workload Format.
func swf(jobs []trace.Job) (string, error) {
	var b bytes.Buffer
	w := trace.NewWriter(&b)
	for _, j := range jobs {
		r := trace.Record{
			ID: j.ID, Submit: j.Submit, Wait: -time.Second, Run: j.Run, Processors: j.Nodes, CPU: -time.Second, Memory: -1,
			ReqProcessors: j.Nodes, ReqTime: j.Estimate, ReqMemory: -1, Status: trace.StatusCompleted, User: j.User,
			Group: -1, Executable: -1, Queue: j.Queue, Partition: -1, Preceding: -1, Think: -time.Second,
		}
		if err := w.Write(&r); err != nil {
			return "", err
		}
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	return b.String(), nil
}

// readers read the forms that the programs read.
var readers = ask.Readers{
	"jobs": func(name string, data []byte) (any, error) {
		log, err := infile.From(name, bytes.NewReader(data), func(in io.Reader) (*joblog.Log, error) { return joblog.From(name, in, trace.Options{}) })
		if err != nil {
			if text, ok := strings.CutPrefix(err.Error(), name+": "+name+": "); ok { // both say where
				err = ask.Mistakef("jobs", "%s: %s", name, text)
			}
			return nil, err
		}
		jobs := log.Jobs
		if len(jobs) > maxJobs {
			return nil, ask.Mistakef("jobs", "%s has %s jobs: the page takes at most %s; examples/tools/sec and examples/tools/preempt take all", name, decimal.Int(len(jobs)), decimal.Int(maxJobs))
		}
		first := jobs[0].Submit
		for i := range jobs {
			jobs[i].Submit -= first
		}
		list := listed(jobs)
		_, err = list.jobs()
		return map[string]any{"jobs": list, "about": log.Report.String()}, err
	},
	"made-up": func(string, []byte) (any, error) {
		jobs, err := madeUp()
		return map[string]any{"jobs": listed(jobs)}, err
	},
}

func read(q *ask.Text) (any, error) { return q.Read(readers) }

// A day of a machine of 48 nodes, whose users ask for more time than they need.
const (
	madeUpNodes = 48
	madeUpJobs  = 600
	madeUpUsers = 12
	madeUpDay   = 24 * time.Hour
)

func madeUp() ([]trace.Job, error) {
	random := rand.New(rand.NewPCG(7, 1))
	jobs, err := workload.AppendLublin(nil, random, madeUpJobs, workload.Options{Nodes: madeUpNodes})
	if err == nil {
		err = workload.EstimatesTo(jobs, jobs, random, workload.DefaultFactor)
	}
	if err != nil {
		return nil, err
	}
	workload.UsersTo(jobs, jobs, random, madeUpUsers)
	from := jobs[0].Submit
	day := slices.Clone(trace.Submitted(jobs, from, from+madeUpDay))
	for i := range day {
		day[i].Submit = (day[i].Submit - from).Truncate(time.Second)
		day[i].Run = min(day[i].Run, 12*time.Hour)
		day[i].Estimate = min(max(day[i].Estimate.Truncate(time.Minute), day[i].Run), 24*time.Hour)
	}
	slices.SortStableFunc(day, func(a, b trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	for i := range day {
		day[i].ID = int64(i + 1)
	}
	return day, nil
}
