package accounting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// num is a number as any version of Slurm writes it: plain, in quotation marks,
// null, or {"set": true, "infinite": false, "number": 7200}.
type num struct {
	set, infinite bool
	n             int64
}

func (v *num) UnmarshalJSON(b []byte) error {
	*v = num{}
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 || string(b) == "null" || string(b) == `""`:
		return nil
	case b[0] == '{':
		var o struct {
			Set      *bool
			Infinite bool
			Number   json.Number
		}
		if err := json.Unmarshal(b, &o); err != nil {
			return err
		}
		v.infinite = o.Infinite
		if o.Set != nil && !*o.Set || o.Number == "" {
			return nil
		}
		b = []byte(o.Number)
	case b[0] == '"':
		b = bytes.Trim(b, `"`)
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(string(b), 64)
		if ferr != nil || math.Abs(f) > 1<<53 {
			return fmt.Errorf("%q is not a number", inputerr.Cut(b))
		}
		n = int64(f)
	}
	v.set, v.n = true, n
	return nil
}

// when is the instant of seconds since 1970; 0 is unknown.
func (v num) when() (time.Time, bool) {
	if !v.set || v.n == 0 {
		return time.Time{}, true
	}
	return time.Unix(v.n, 0).UTC(), v.n > 0 && v.n <= 1<<36
}

// words is a text or a list of texts, as versions of Slurm write a state.
type words []string

func (w *words) UnmarshalJSON(b []byte) error {
	*w = (*w)[:0]
	switch {
	case len(b) > 0 && b[0] == '[':
		return json.Unmarshal(b, (*[]string)(w))
	case len(b) > 0 && b[0] == '{': // sacct: {"current": ..., "reason": ...}
		var o struct{ Current words }
		if err := json.Unmarshal(b, &o); err != nil {
			return err
		}
		*w = o.Current
		return nil
	case string(b) == "null":
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*w = words{s}
	return nil
}

type resources []struct {
	Type  string
	Count num
}

func (r resources) count(kind string) int64 {
	for _, t := range r {
		if t.Type == kind && t.Count.set {
			return t.Count.n
		}
	}
	return 0
}

// slurmJob has what is read of a job of sacct (first part) and squeue (second).
type slurmJob struct {
	JobID       num `json:"job_id"`
	User        string
	Group       string
	Account     string
	Partition   string
	QOS         string
	Nodes       string
	State       words
	Association struct{ User, Account, Partition string }
	Time        *struct {
		Submission, Eligible, Start, End, Elapsed, Limit num
	}
	Required struct {
		CPUs num
	}
	AllocationNodes num `json:"allocation_nodes"`
	Tres            json.RawMessage

	UserName     string `json:"user_name"`
	GroupName    string `json:"group_name"`
	JobState     words  `json:"job_state"`
	SubmitTime   num    `json:"submit_time"`
	EligibleTime num    `json:"eligible_time"`
	StartTime    num    `json:"start_time"`
	EndTime      num    `json:"end_time"`
	TimeLimit    num    `json:"time_limit"`
	CPUs         num    `json:"cpus"`
	NodeCount    num    `json:"node_count"`
}

func (r *Reader) nextSlurm(job *Job) error {
	if err := r.more(); err != nil {
		return err
	}
	var s slurmJob
	if err := r.decode(&s); err != nil {
		return err
	}
	if !s.JobID.set || s.JobID.n < 0 {
		return r.badJSON("job_id", ErrMissing, "no job number: want one for every job")
	}
	job.ID = s.JobID.n
	either := func(a, b string) string {
		if a == "" || none([]byte(a)) {
			a = b
		}
		return r.text([]byte(a))
	}
	job.User = either(s.User, either(s.UserName, s.Association.User))
	job.Group = either(s.Group, s.GroupName)
	job.Account = either(s.Account, s.Association.Account)
	job.Partition = either(s.Partition, s.Association.Partition)
	job.QOS = r.text([]byte(s.QOS))
	states := s.State
	if len(states) == 0 {
		states = s.JobState
	}
	for _, text := range states {
		// A list begins with what the job is; what follows says more (COMPLETING).
		if job.State = parseState([]byte(text)); job.State != Unknown {
			break
		}
	}
	if job.State == Unknown {
		return r.badJSON("state", ErrSyntax, "%q: want a state of Slurm such as COMPLETED", inputerr.Cut(fmt.Sprint(states)))
	}
	if err := r.slurmTimes(job, &s); err != nil {
		return err
	}
	if err := r.slurmSizes(job, &s); err != nil {
		return err
	}
	return settle(job)
}

// slurmTimes sets the moments and the limit of a job.
func (r *Reader) slurmTimes(job *Job, s *slurmJob) error {
	submit, eligible, start, end, limit := s.SubmitTime, s.EligibleTime, s.StartTime, s.EndTime, s.TimeLimit
	elapsed := num{}
	if t := s.Time; t != nil {
		submit, eligible, start, end, limit, elapsed = t.Submission, t.Eligible, t.Start, t.End, t.Limit, t.Elapsed
	}
	for _, f := range [...]struct {
		name string
		from num
		to   *time.Time
	}{{"submit", submit, &job.Submit}, {"eligible", eligible, &job.Eligible}, {"start", start, &job.Start}, {"end", end, &job.End}} {
		t, ok := f.from.when()
		if !ok {
			return r.badJSON("time."+f.name, ErrRange, "%d: want seconds since 1970", f.from.n)
		}
		*f.to = t
	}
	switch {
	case limit.infinite:
		job.Limit = Unlimited
	case limit.set && (limit.n < 0 || limit.n > int64(math.MaxInt64/time.Minute)):
		return r.badJSON("time.limit", ErrRange, "%d: want minutes", limit.n)
	case limit.set:
		job.Limit = time.Duration(limit.n) * time.Minute
	}
	if elapsed.set && elapsed.n >= 0 && elapsed.n <= 1<<36 && job.End.IsZero() && job.State.Ended() && !job.Start.IsZero() {
		job.End = job.Start.Add(time.Duration(elapsed.n) * time.Second)
	}
	return nil
}

// slurmSizes sets the processors and nodes of a job whose state and moments are set.
func (r *Reader) slurmSizes(job *Job, s *slurmJob) error {
	var tres struct{ Allocated, Requested resources }
	if len(s.Tres) > 0 && s.Tres[0] == '{' {
		if err := json.Unmarshal(s.Tres, &tres); err != nil {
			return r.badJSON("tres", ErrSyntax, "%v: want lists of allocated and requested resources", err)
		}
	}
	alloc, req, nodes := tres.Allocated.count("cpu"), tres.Requested.count("cpu"), tres.Allocated.count("node")
	if req == 0 {
		req = max(s.Required.CPUs.n, s.CPUs.n)
	}
	if s.Time == nil && job.State != Pending {
		alloc = max(alloc, s.CPUs.n)
	}
	// Accounting that has lost its list of resources still has what was required.
	if alloc == 0 && job.State.Ended() && !job.Start.IsZero() && job.End.After(job.Start) {
		alloc = req
	}
	if nodes == 0 {
		nodes = max(s.AllocationNodes.n, s.NodeCount.n)
	}
	if nodes == 0 {
		n, _ := countHosts([]byte(s.Nodes))
		nodes = int64(n)
	}
	for _, f := range [...]struct {
		name string
		n    int64
		to   *int
	}{{"cpus", alloc, &job.Processors}, {"required.CPUs", req, &job.ReqProcessors}, {"node_count", nodes, &job.Nodes}} {
		if f.n < 0 || f.n > math.MaxInt32 {
			return r.badJSON(f.name, ErrRange, "%d: want 0 to %d", f.n, math.MaxInt32)
		}
		*f.to = int(f.n)
	}
	return nil
}
