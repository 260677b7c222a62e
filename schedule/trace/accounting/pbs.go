package accounting

import (
	"bytes"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// isPBS reports whether a line begins as a line of a PBS accounting log does:
// 02/11/2026 20:12:21;E;2281314.host;
func isPBS(line []byte) bool {
	const shape = "00/00/0000 00:00:00;"
	if len(line) < len(shape)+2 {
		return false
	}
	for i := range len(shape) {
		if digit := line[i] >= '0' && line[i] <= '9'; shape[i] == '0' && !digit || shape[i] != '0' && line[i] != shape[i] {
			return false
		}
	}
	return bytes.IndexByte(line[len(shape):], ';') >= 0
}

// nextPBS reads the next E record, a job's end. Other records (Q queued, S
// started, D deleted, R put back, and the server's own) are left out and counted:
// an E record repeats all that they say.
func (r *Reader) nextPBS(job *Job) error {
	for {
		line, err := r.nextLine()
		if err != nil {
			return err
		}
		if !isPBS(line) {
			return r.bad(0, "line", ErrSyntax, "%q: want a line such as 02/11/2026 20:12:21;E;4711.server;user=...", inputerr.Cut(line))
		}
		parts := bytes.SplitN(line, []byte(";"), 4)
		if string(parts[1]) != "E" {
			continue
		}
		if len(parts) < 4 {
			return r.bad(0, "line", ErrSyntax, "%d parts between semicolons: want 4", len(parts))
		}
		id, _, ok := leadingInt(parts[2])
		if !ok {
			return r.bad(0, "job", ErrSyntax, "%q: want a job number such as 4711.server or 4711[3].server", inputerr.Cut(parts[2]))
		}
		job.ID = id
		return r.pbsJob(job, parts[3])
	}
}

// A pbsEnd has what an E record says of a job besides the fields of [Job].
type pbsEnd struct {
	created                 time.Time
	project, execHost, list []byte // list is Resource_List.nodes
	ncpus, used, exit       int64
}

// pbsJob reads the pairs key=value of an E record.
func (r *Reader) pbsJob(job *Job, pairs []byte) error {
	var end pbsEnd
	for rest := bytes.TrimSpace(pairs); len(rest) > 0; rest = bytes.TrimLeft(rest, " ") {
		eq := bytes.IndexAny(rest, "= ")
		if eq < 0 {
			break // a message of the server's, not a pair
		}
		key := rest[:eq]
		if rest[eq] == ' ' {
			rest = rest[eq:]
			continue
		}
		var value []byte
		var ok bool
		if value, rest, ok = pbsValue(rest[eq+1:]); !ok {
			return r.bad(0, string(key), ErrSyntax, "a quotation mark is not closed: want key=\"value\"")
		}
		if err := r.pbsPair(job, &end, string(key), value); err != nil {
			return err
		}
	}
	// The first submission; qtime moves when a job changes its queue.
	if !end.created.IsZero() && (job.Submit.IsZero() || end.created.Before(job.Submit)) {
		job.Submit = end.created
	}
	for _, f := range [...]struct {
		key string
		t   time.Time
	}{{"ctime", job.Submit}, {"start", job.Start}, {"end", job.End}} {
		if f.t.IsZero() {
			return r.bad(0, f.key, ErrMissing, "no %s=: want it in every E record", f.key)
		}
	}
	if job.Account == "" && string(end.project) != "_pbs_project_default" {
		job.Account = r.text(end.project)
	}
	end.sizes(job)
	switch {
	case end.exit == 0:
		job.State = Completed
	case end.exit == -29 || end.exit == 271 && job.Limit > 0 && job.End.Sub(job.Start) >= job.Limit:
		job.State = Timeout
	default:
		job.State = Failed
	}
	return nil
}

// pbsValue cuts a value from the text after its key: up to a space, or in quotation marks.
func pbsValue(text []byte) (value, rest []byte, ok bool) {
	if len(text) > 0 && text[0] == '"' {
		return quoted(text)
	}
	end := bytes.IndexByte(text, ' ')
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], true
}

// pbsPair reads one pair. Keys that this package does not need are passed over.
func (r *Reader) pbsPair(job *Job, end *pbsEnd, key string, value []byte) error {
	moment := func(to *time.Time) error {
		t, ok := parseTime(value, time.UTC)
		if !ok {
			return r.bad(0, key, ErrSyntax, "%q: want seconds since 1970", inputerr.Cut(value))
		}
		*to = t
		return nil
	}
	switch key {
	case "user":
		job.User = r.text(value)
	case "group":
		job.Group = r.text(value)
	case "account":
		job.Account = r.text(value)
	case "queue":
		job.Partition = r.text(value)
	case "ctime":
		return moment(&end.created)
	case "qtime":
		return moment(&job.Submit)
	case "etime":
		return moment(&job.Eligible)
	case "start":
		return moment(&job.Start)
	case "end":
		return moment(&job.End)
	case "project":
		end.project = value
	case "exec_host":
		end.execHost = value
	case "Resource_List.nodes":
		end.list = value
	case "Resource_List.walltime":
		d, ok := parseLimit(value, time.Second)
		if !ok {
			return r.bad(0, key, ErrSyntax, "%q: want a span such as 01:00:00", inputerr.Cut(value))
		}
		job.Limit = d
	case "Resource_List.ncpus", "resources_used.ncpus", "Resource_List.nodect", "Exit_status":
		if key == "Exit_status" && bytes.HasPrefix(value, []byte("-")) {
			end.exit = -1
			return nil
		}
		n, ok := parseInt(value)
		if !ok || n > math.MaxInt32 {
			return r.bad(0, key, ErrSyntax, "%q: want a whole number up to %d", inputerr.Cut(value), math.MaxInt32)
		}
		switch key {
		case "Resource_List.ncpus":
			end.ncpus = n
		case "resources_used.ncpus":
			end.used = n
		case "Resource_List.nodect":
			job.Nodes = int(n)
		default:
			end.exit = n
		}
	}
	return nil
}

// sizes sets the processors and nodes of a job: what was used, else what was asked for, else the
// hosts that ran the job.
func (end *pbsEnd) sizes(job *Job) {
	hosts, slots := execHosts(end.execHost)
	job.ReqProcessors = int(end.ncpus)
	if job.ReqProcessors == 0 {
		job.ReqProcessors = torqueNodes(end.list)
	}
	switch {
	case end.used > 0:
		job.Processors = int(end.used)
	case job.ReqProcessors > 0:
		job.Processors = job.ReqProcessors
	default:
		job.Processors = slots
	}
	if job.Nodes == 0 {
		job.Nodes = hosts
	}
}

// execHosts counts the hosts and the slots of exec_host: crhtc67/13+crhtc70/17,
// n1/0*8, n1/0-7.
func execHosts(b []byte) (hosts, slots int) {
	if len(b) == 0 {
		return 0, 0
	}
	seen := map[string]bool{}
	for part := range bytes.SplitSeq(b, []byte("+")) {
		host, slot, _ := bytes.Cut(part, []byte("/"))
		seen[string(host)] = true
		n := 1
		if _, times, ok := bytes.Cut(slot, []byte("*")); ok {
			if k, ok := parseInt(times); ok && k <= maxHosts {
				n = int(k)
			}
		} else if k, ok := countHosts(append(append([]byte("["), slot...), ']')); ok {
			n = k
		}
		slots = min(slots+n, math.MaxInt32)
	}
	return len(seen), slots
}

// torqueNodes counts the processors of Resource_List.nodes: 2:ppn=4+1:ppn=8.
func torqueNodes(b []byte) int {
	total := int64(0)
	for part := range bytes.SplitSeq(b, []byte("+")) {
		n, ppn := int64(1), int64(1)
		for i, item := range bytes.Split(part, []byte(":")) {
			if k, ok := parseInt(item); ok && i == 0 {
				n = k
			}
			if v, ok := bytes.CutPrefix(item, []byte("ppn=")); ok {
				if k, ok := parseInt(v); ok {
					ppn = k
				}
			}
		}
		if len(part) == 0 || n > maxHosts || ppn > maxHosts {
			return 0
		}
		total += n * ppn
	}
	return int(min(total, math.MaxInt32))
}
