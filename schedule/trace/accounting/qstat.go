package accounting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

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
	if err := r.more(); err != nil {
		return err
	}
	key, err := r.json.dec.Token()
	if err != nil {
		return r.jsonError(r.json.field, err)
	}
	var q qstatJob
	if err := r.decode(&q); err != nil {
		return err
	}
	name := fmt.Sprint(key)
	id, _, ok := leadingInt([]byte(name))
	if !ok {
		return r.badJSON("job", ErrSyntax, "%q: want a job number such as 4711.server", inputerr.Cut(name))
	}
	job.ID = id
	user := q.User
	if user == "" {
		user, _, _ = strings.Cut(q.Owner, "@")
	}
	job.User, job.Group, job.Partition = r.text([]byte(user)), r.text([]byte(q.Group)), r.text([]byte(q.Queue))
	job.Account = r.text([]byte(q.Account))
	if q.Account == "" && q.Project != "_pbs_project_default" {
		job.Account = r.text([]byte(q.Project))
	}
	if err := r.qstatTimes(job, &q); err != nil {
		return err
	}
	if err := r.qstatSizes(job, &q); err != nil {
		return err
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
		return r.badJSON("job_state", ErrSyntax, "%q: want Q, R, F or another of PBS's letters", inputerr.Cut(q.State))
	}
	return settle(job)
}

// qstatTimes sets the moments and the limit of a job.
func (r *Reader) qstatTimes(job *Job, q *qstatJob) error {
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
			return r.badJSON(f.name, ErrSyntax, "%q: want a time such as Thu Jun 19 10:36:47 2025", inputerr.Cut(f.from))
		}
		*f.to = t
	}
	limit, ok := parseLimit(bytes.Trim(q.List.Walltime, `"`), time.Second)
	if !ok {
		return r.badJSON("Resource_List.walltime", ErrSyntax, "%q: want a span such as 01:00:00", inputerr.Cut(q.List.Walltime))
	}
	job.Limit = limit
	return nil
}

// qstatSizes sets the processors and nodes of a job whose start is set.
func (r *Reader) qstatSizes(job *Job, q *qstatJob) error {
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
	return nil
}
