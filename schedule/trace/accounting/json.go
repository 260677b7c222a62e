package accounting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// jsonReader walks over the jobs of an answer in JSON.
type jsonReader struct {
	limit *valueLimit
	dec   *json.Decoder
	index int    // of the next job
	field string // "jobs" or "Jobs"
	ended bool
}

// errTooLong ends a decoder whose value grows too long.
var errTooLong = errors.New("value too long")

// valueLimit ends the input after maxValue bytes from the last reset: a decoder
// keeps a whole value in memory.
type valueLimit struct {
	src  io.Reader
	left int
}

func (l *valueLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.src.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// openJSON finds the jobs and tells Slurm's from those of PBS.
func (r *Reader) openJSON() error {
	j := &r.json
	j.limit = &valueLimit{src: r.src, left: maxValue}
	j.dec = json.NewDecoder(j.limit)
	if _, err := j.dec.Token(); err != nil {
		return r.jsonError("file", err)
	}
	for j.dec.More() {
		key, err := j.dec.Token()
		if err != nil {
			return r.jsonError("file", err)
		}
		switch key {
		case "jobs", "Jobs":
			open, err := j.dec.Token()
			if err != nil {
				return r.jsonError(fmt.Sprint(key), err)
			}
			j.field = fmt.Sprint(key)
			switch open {
			case json.Delim('['):
				r.format, r.next = SlurmJSON, r.nextSlurm
				return nil
			case json.Delim('{'):
				r.format, r.next = PBSJSON, r.nextQstat
				return nil
			}
			return inputerr.New("accounting", j.field, -1, ErrSyntax, "%v: want an array of jobs (Slurm) or an object of them (PBS)", open)
		case "errors":
			var list []struct {
				Description, Error string
			}
			if err := j.dec.Decode(&list); err != nil {
				return r.jsonError("errors", err)
			}
			if len(list) > 0 {
				return inputerr.New("accounting", "errors", 0, ErrSyntax, "the batch system answered %q: want an answer without errors",
					shorten(list[0].Description+list[0].Error))
			}
		default:
			var skip json.RawMessage
			if err := j.dec.Decode(&skip); err != nil {
				return r.jsonError(fmt.Sprint(key), err)
			}
		}
		j.limit.left = maxValue
	}
	return inputerr.New("accounting", "jobs", -1, ErrMissing, "an object of JSON without \"jobs\": want the answer of sacct --json, squeue --json or qstat -f -F json as it is")
}

// jsonError is an error of the decoder about a field or a job. It is sticky: what
// follows malformed JSON cannot be read.
func (r *Reader) jsonError(field string, err error) error {
	index := -1
	if r.json.field != "" {
		field, index = r.json.field, r.json.index
	}
	at := r.json.dec.InputOffset()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, errTooLong):
		err = inputerr.New("accounting", field, index, ErrTooLong, "more than %d bytes: want a smaller job", maxValue)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = inputerr.New("accounting", field, index, ErrTruncated, "byte %d is the last: want whole JSON", at)
	case errors.As(err, &kind):
		err = inputerr.New("accounting", field+"."+kind.Field, index, ErrSyntax, "a JSON %s: want a %s", kind.Value, kind.Type)
	case errors.As(err, &syntax):
		err = inputerr.New("accounting", field, index, ErrSyntax, "byte %d: %v: want JSON", syntax.Offset, syntax)
	default:
		var input *InputError
		if !errors.As(err, &input) {
			err = inputerr.New("accounting", field, index, ErrSyntax, "%v: want the JSON that the batch system prints", r.source(err))
		}
	}
	if r.err == nil {
		r.err = err
	}
	return err
}

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
			return fmt.Errorf("%q is not a number", shorten(b))
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

// endJSON reads what follows the jobs, so that a truncated answer is told.
func (r *Reader) endJSON() error {
	j := &r.json
	if !j.ended {
		if _, err := j.dec.Token(); err != nil { // ] or }
			return r.jsonError(j.field, err)
		}
		for j.dec.More() {
			j.limit.left = maxValue
			if _, err := j.dec.Token(); err != nil {
				return r.jsonError(j.field, err)
			}
			var skip json.RawMessage
			if err := j.dec.Decode(&skip); err != nil {
				return r.jsonError(j.field, err)
			}
		}
		if _, err := j.dec.Token(); err != nil { // }
			return r.jsonError(j.field, err)
		}
		j.ended = true
	}
	r.err = io.EOF
	return io.EOF
}

// badJSON is an error about a field of the job that was read last.
func (r *Reader) badJSON(field string, sentinel error, format string, args ...any) error {
	r.err = inputerr.New("accounting", r.json.field+"."+field, r.json.index-1, sentinel, format, args...)
	return r.err
}

func (r *Reader) nextSlurm(job *Job) error {
	j := &r.json
	if r.err != nil {
		return r.err
	}
	if !j.dec.More() {
		return r.endJSON()
	}
	j.limit.left = maxValue
	var s slurmJob
	if err := j.dec.Decode(&s); err != nil {
		return r.jsonError(j.field, err)
	}
	j.index++
	r.stats.Records++
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
		if state := parseState([]byte(text)); state != Unknown {
			job.State = state
			break
		}
	}
	if job.State == Unknown {
		return r.badJSON("state", ErrSyntax, "%q: want a state of Slurm such as COMPLETED", shorten(fmt.Sprint(states)))
	}
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
	return settle(job)
}

// qstatJob has what is read of a job of qstat.
type qstatJob struct {
	Owner    string `json:"Job_Owner"`
	State    string `json:"job_state"`
	Queue    string
	Account  string `json:"Account_Name"`
	Project  string
	Group    string `json:"egroup"`
	User     string `json:"euser"`
	Created  string `json:"ctime"`
	Queued   string `json:"qtime"`
	Eligible string `json:"etime"`
	Started  string `json:"stime"`
	Ended    string `json:"obittime"`
	ExecHost string `json:"exec_host"`
	Exit     num    `json:"Exit_status"`
	List     struct {
		Ncpus    num
		Nodect   num
		Walltime json.RawMessage
	} `json:"Resource_List"`
	Used struct {
		Ncpus    num
		Walltime json.RawMessage
	} `json:"resources_used"`
}

func (r *Reader) nextQstat(job *Job) error {
	j := &r.json
	if r.err != nil {
		return r.err
	}
	if !j.dec.More() {
		return r.endJSON()
	}
	j.limit.left = maxValue
	key, err := j.dec.Token()
	if err != nil {
		return r.jsonError(j.field, err)
	}
	var q qstatJob
	if err := j.dec.Decode(&q); err != nil {
		return r.jsonError(j.field, err)
	}
	j.index++
	r.stats.Records++
	name := fmt.Sprint(key)
	n := 0
	for n < len(name) && name[n] >= '0' && name[n] <= '9' {
		n++
	}
	id, ok := parseInt([]byte(name[:n]))
	if !ok {
		return r.badJSON("job", ErrSyntax, "%q: want a job number such as 4711.server", shorten(name))
	}
	job.ID = id
	user := q.User
	if user == "" {
		user, _, _ = cutAt(q.Owner)
	}
	job.User, job.Group, job.Partition = r.text([]byte(user)), r.text([]byte(q.Group)), r.text([]byte(q.Queue))
	job.Account = r.text([]byte(q.Account))
	if q.Account == "" && q.Project != "_pbs_project_default" {
		job.Account = r.text([]byte(q.Project))
	}
	if q.Created == "" {
		q.Created = q.Queued
	}
	for _, f := range [...]struct {
		name, from string
		to         *time.Time
	}{{"ctime", q.Created, &job.Submit}, {"etime", q.Eligible, &job.Eligible}, {"stime", q.Started, &job.Start}, {"obittime", q.Ended, &job.End}} {
		if f.from == "" {
			continue
		}
		t, err := time.ParseInLocation("Mon Jan _2 15:04:05 2006", f.from, r.opts.Location)
		if err != nil {
			return r.badJSON(f.name, ErrSyntax, "%q: want a time such as Thu Jun 19 10:36:47 2025", shorten(f.from))
		}
		*f.to = t
	}
	limit, ok := parseLimit(bytes.Trim(q.List.Walltime, `"`), time.Second)
	if !ok {
		return r.badJSON("Resource_List.walltime", ErrSyntax, "%q: want a span such as 01:00:00", shorten(q.List.Walltime))
	}
	job.Limit = limit
	hosts, slots := execHosts([]byte(q.ExecHost))
	req, used, nodes := q.List.Ncpus.n, q.Used.Ncpus.n, q.List.Nodect.n
	for _, v := range [...]int64{req, used, nodes} {
		if v < 0 || v > math.MaxInt32 {
			return r.badJSON("Resource_List", ErrRange, "%d: want 0 to %d", v, math.MaxInt32)
		}
	}
	job.ReqProcessors, job.Nodes = int(req), int(nodes)
	if job.Nodes == 0 {
		job.Nodes = hosts
	}
	if job.Processors = int(used); job.Processors == 0 && !job.Start.IsZero() {
		if job.Processors = int(req); job.Processors == 0 {
			job.Processors = slots
		}
	}
	switch q.State {
	case "Q", "H", "W", "T", "M":
		job.State = Pending
	case "R", "E", "S", "U", "B":
		job.State = Running
	case "F", "X", "C":
		switch {
		case job.Start.IsZero():
			job.State = Cancelled
		case q.Exit.n == 0:
			job.State = Completed
		default:
			job.State = Failed
		}
	default:
		return r.badJSON("job_state", ErrSyntax, "%q: want Q, R, F or another of PBS's letters", shorten(q.State))
	}
	return settle(job)
}

func cutAt(owner string) (user, host string, ok bool) {
	for i := range len(owner) {
		if owner[i] == '@' {
			return owner[:i], owner[i+1:], true
		}
	}
	return owner, "", false
}
