package slurmctl

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrJSON: the text is not what squeue --json or sinfo --json write.
var ErrJSON = errors.New("not the JSON of squeue or sinfo")

// A Job is a job of Slurm's queue.
type Job struct {
	ID       int64
	Name     string
	User     int64  // -1 if Slurm does not say
	State    string // such as PENDING, RUNNING, COMPLETING or COMPLETED
	Reason   string // why it waits
	Nodes    int    // that it has or needs, at least 1
	Names    []string
	Submit   time.Time     // to the second, as all times
	Start    time.Time     // of a job that runs or has ended; the zero Time for others
	Eligible time.Time     // not before that
	End      time.Time     // of one that has ended
	Limit    time.Duration // whole minutes, 0 for none
	Priority uint32        // 0 is a job that is held
	Restarts int
	Comment  string
	Parts    []string // the partitions
	QOS      string   // its quality of service, "" without accounting
	Array    int64    // the job array that it is of, 0 for none
	Tasks    int      // of an array that wait as this job, at least 1
	AtOnce   int      // the most tasks of the array that may run, 0 for no limit
}

// Waits reports whether the job is in the queue.
func (j *Job) Waits() bool { return j.State == "PENDING" }

// Holds reports whether the job has nodes.
func (j *Job) Holds() bool {
	switch j.State {
	case "RUNNING", "COMPLETING", "SUSPENDED", "CONFIGURING", "STAGE_OUT", "SIGNALING", "STOPPED", "RESIZING":
		return true
	}
	return false
}

// A Node is a node as Slurm knows it.
type Node struct {
	Name   string
	State  string   // idle, allocated, mixed, down, ...
	Flags  []string // DRAIN, NOT_RESPONDING, COMPLETING, ...
	Reason string
	CPUs   int
	Busy   int // CPUs
	Weight int
	Parts  []string
}

// Has reports whether the node has a flag.
func (n *Node) Has(flag string) bool { return slices.Contains(n.Flags, flag) }

// Up reports whether jobs can start on the node now, or run there.
func (n *Node) Up() bool {
	switch n.State {
	case "idle", "allocated", "mixed":
		return !n.Has("DRAIN") && !n.Has("NOT_RESPONDING") && !n.Has("POWERED_DOWN") && !n.Has("POWERING_UP")
	}
	return false
}

// Working reports whether a job has the node, or ends there.
func (n *Node) Working() bool {
	return n.State == "allocated" || n.State == "mixed" || n.Busy > 0 || n.Has("COMPLETING")
}

// number is a number, or an object with one as later versions write it.
type number struct {
	value int64
	set   bool
}

func (n *number) UnmarshalJSON(text []byte) error {
	*n = number{}
	if len(text) > 0 && text[0] == '{' {
		var o struct {
			Set, Infinite bool
			Number        json.Number
		}
		if err := json.Unmarshal(text, &o); err != nil {
			return err
		}
		if !o.Set || o.Infinite {
			return nil
		}
		text = []byte(o.Number)
	}
	if string(text) == "null" || len(text) == 0 {
		return nil
	}
	var f float64
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	if !(math.Abs(f) < 1<<62) {
		return fmt.Errorf("the number %v is out of range", f)
	}
	*n = number{int64(f), true}
	return nil
}

// in is an error if the number is not between two others; what is not set is 0.
func (n number) in(least, most int64, what string) error {
	if n.set && (n.value < least || n.value > most) {
		return fmt.Errorf("%s of %d", what, n.value)
	}
	return nil
}

// or returns the number, or another one if it is not set.
func (n number) or(other int64) int64 {
	if !n.set {
		return other
	}
	return n.value
}

// time returns seconds since 1970 as a time.
func (n number) time() time.Time {
	if n.value <= 0 {
		return time.Time{}
	}
	return time.Unix(n.value, 0)
}

// words is a word, or a list of them as later versions write it.
type words []string

func (w *words) UnmarshalJSON(text []byte) error {
	*w = nil
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(w))
	}
	var one *string
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	if one != nil && *one != "" {
		*w = words{*one}
	}
	return nil
}

// answer reads the list of an answer, such as "jobs", unless Slurm reports an error.
func answer[T any](text []byte, name string) ([]T, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	var complaints []struct{ Error, Description string }
	if err := decodeField(all["errors"], &complaints); err != nil {
		return nil, err
	}
	for _, c := range complaints {
		if c.Error != "" || c.Description != "" {
			return nil, fmt.Errorf("from Slurm: %s", strings.TrimSpace(c.Description+" "+c.Error))
		}
	}
	var list *[]T
	if err := decodeField(all[name], &list); err != nil {
		return nil, err
	}
	if list == nil {
		return nil, fmt.Errorf("%w: it has no list of %s", ErrJSON, name)
	}
	return *list, nil
}

func decodeField(text json.RawMessage, to any) error {
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return nil
}

const (
	noLimit  = math.MaxUint32 // INFINITE
	notSet   = math.MaxUint32 - 1
	maxNodes = 1 << 20
	maxEpoch = 1 << 40 // seconds since 1970: further than any date
)

// DecodeJobs reads the output of squeue --json. The jobs are sorted by their numbers.
func DecodeJobs(text []byte) ([]Job, error) {
	type job struct {
		ID       number `json:"job_id"`
		Name     string `json:"name"`
		User     number `json:"user_id"`
		State    words  `json:"job_state"`
		Reason   string `json:"state_reason"`
		Count    number `json:"node_count"`
		CPUs     number `json:"cpus"`
		Names    string `json:"nodes"`
		Submit   number `json:"submit_time"`
		Start    number `json:"start_time"`
		Eligible number `json:"eligible_time"`
		End      number `json:"end_time"`
		Limit    number `json:"time_limit"`
		Priority number `json:"priority"`
		Restarts number `json:"restart_cnt"`
		Comment  string `json:"comment"`
		Parts    string `json:"partition"`
		QOS      string `json:"qos"`
		Array    number `json:"array_job_id"`
		Tasks    string `json:"array_task_string"`
		AtOnce   number `json:"array_max_tasks"`
	}
	all, err := answer[job](text, "jobs")
	if err != nil {
		return nil, err
	}
	jobs := make([]Job, 0, len(all))
	for _, r := range all {
		err := errors.Join(
			r.ID.in(1, math.MaxUint32, "a number"),
			r.Count.in(0, maxNodes, "a number of nodes"),
			r.User.in(0, math.MaxUint32, "a user"),
			r.Limit.in(0, noLimit, "a limit"),
			r.Priority.in(0, math.MaxUint32, "a priority"),
			r.Restarts.in(0, math.MaxInt32, "restarts"),
			r.Array.in(0, math.MaxUint32, "an array"),
			r.AtOnce.in(0, math.MaxUint32, "a limit of tasks"),
			r.Submit.in(0, maxEpoch, "a submission"), r.Start.in(0, maxEpoch, "a start"),
			r.Eligible.in(0, maxEpoch, "a begin"), r.End.in(0, maxEpoch, "an end"))
		if err == nil && !r.ID.set {
			err = errors.New("no number")
		}
		if err == nil && (len(r.State) == 0 || r.State[0] == "") {
			err = errors.New("no state")
		}
		var names []string
		if err == nil {
			names, err = Expand(r.Names)
		}
		tasks := 1
		if err == nil && r.Tasks != "" {
			tasks, err = countTasks(r.Tasks)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: job %d has %w", ErrJSON, r.ID.value, err)
		}
		j := Job{
			ID: r.ID.value, Name: r.Name, User: r.User.or(-1), State: r.State[0], Reason: r.Reason,
			Nodes: max(1, int(r.Count.value), len(names)), Names: names,
			Submit: r.Submit.time(), Eligible: r.Eligible.time(),
			Priority: uint32(r.Priority.value), Restarts: int(r.Restarts.value), Comment: r.Comment, QOS: r.QOS,
			Array: r.Array.value, Tasks: tasks, AtOnce: int(min(r.AtOnce.value, maxTasks)),
		}
		if slices.Contains(r.State, "COMPLETING") { // a flag beside the state
			j.State = "COMPLETING"
		}
		if r.Parts != "" {
			j.Parts = strings.Split(r.Parts, ",")
		}
		if !j.Waits() {
			j.Start = r.Start.time()
			if !j.Holds() {
				j.End = r.End.time()
			}
		}
		if r.Limit.set && r.Limit.value != noLimit && r.Limit.value != notSet {
			j.Limit = time.Duration(r.Limit.value) * time.Minute
		}
		jobs = append(jobs, j)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
	return jobs, nil
}

// maxTasks is more than the tasks that Slurm lets an array have.
const maxTasks = 1 << 22

// countTasks returns how many tasks a list such as 1,3-7:2%2 has. Slurm cuts long lists, and
// ends them with dots: what is left counts.
func countTasks(list string) (int, error) {
	text, _, _ := strings.Cut(list, "%")
	n := 0
	for _, part := range strings.Split(text, ",") {
		if strings.HasSuffix(part, "...") {
			n++
			break
		}
		part, step, stepped := strings.Cut(part, ":")
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		if !stepped {
			step = "1"
		}
		a, err := strconv.ParseUint(low, 10, 32)
		b, err2 := strconv.ParseUint(high, 10, 32)
		by, err3 := strconv.ParseUint(step, 10, 32)
		if err != nil || err2 != nil || err3 != nil || a > b || by == 0 {
			return 0, fmt.Errorf("the tasks %q", list)
		}
		n = min(n+int(min((b-a)/by, maxTasks))+1, maxTasks)
	}
	return n, nil
}

// DecodeNodes reads the output of sinfo --json.
func DecodeNodes(text []byte) ([]Node, error) {
	type node struct {
		Name   string `json:"name"`
		State  words  `json:"state"`
		Flags  words  `json:"state_flags"`
		Reason string `json:"reason"`
		CPUs   number `json:"cpus"`
		Busy   number `json:"alloc_cpus"`
		Weight number `json:"weight"`
		Parts  words  `json:"partitions"`
	}
	all, err := answer[node](text, "nodes")
	if err != nil {
		return nil, err
	}
	nodes := make([]Node, 0, len(all))
	for i, r := range all {
		err := errors.Join(
			r.CPUs.in(0, math.MaxInt32, "a number of CPUs"),
			r.Busy.in(0, math.MaxInt32, "a number of busy CPUs"),
			r.Weight.in(0, math.MaxUint32, "a weight"))
		if err == nil && r.Name == "" {
			err = errors.New("no name")
		}
		if err == nil && (len(r.State) == 0 || r.State[0] == "") {
			err = errors.New("no state")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: node %d, %q, has %w", ErrJSON, i, r.Name, err)
		}
		n := Node{
			Name: r.Name, State: strings.ToLower(r.State[0]), Reason: r.Reason,
			CPUs: int(r.CPUs.value), Busy: int(r.Busy.value), Weight: int(r.Weight.value), Parts: r.Parts,
		}
		n.Flags = append(n.Flags, r.State[1:]...) // later versions have them there
		n.Flags = append(n.Flags, r.Flags...)
		nodes = append(nodes, n)
	}
	return nodes, nil
}
