package accounting

import (
	"bytes"
	"math"
	"time"
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
		r.stats.Records++
		if !isPBS(line) {
			return r.bad(0, "line", ErrSyntax, "%q: want a line such as 02/11/2026 20:12:21;E;4711.server;user=...", shorten(line))
		}
		parts := bytes.SplitN(line, []byte(";"), 4)
		if string(parts[1]) != "E" {
			r.stats.Others++
			continue
		}
		if len(parts) < 4 {
			return r.bad(0, "line", ErrSyntax, "%d parts between semicolons: want 4", len(parts))
		}
		n := 0
		for n < len(parts[2]) && parts[2][n] >= '0' && parts[2][n] <= '9' {
			n++
		}
		id, ok := parseInt(parts[2][:n])
		if !ok {
			return r.bad(0, "job", ErrSyntax, "%q: want a job number such as 4711.server or 4711[3].server", shorten(parts[2]))
		}
		job.ID = id
		return r.pbsJob(job, parts[3])
	}
}

// pbsJob reads the pairs key=value of an E record.
func (r *Reader) pbsJob(job *Job, pairs []byte) error {
	var project, execHost, nodes []byte
	var ncpus, used, exit int64 = 0, 0, 0
	var created time.Time
	for rest := bytes.TrimSpace(pairs); len(rest) > 0; rest = bytes.TrimLeft(rest, " ") {
		eq := bytes.IndexAny(rest, "= ")
		if eq < 0 || rest[eq] == ' ' {
			// A message of the server's, not a pair.
			if eq < 0 {
				break
			}
			rest = rest[eq:]
			continue
		}
		key := rest[:eq]
		rest = rest[eq+1:]
		var value []byte
		if len(rest) > 0 && rest[0] == '"' {
			var ok bool
			if value, rest, ok = quoted(rest); !ok {
				return r.bad(0, string(key), ErrSyntax, "a quotation mark is not closed: want key=\"value\"")
			}
		} else {
			end := bytes.IndexByte(rest, ' ')
			if end < 0 {
				end = len(rest)
			}
			value, rest = rest[:end], rest[end:]
		}
		number := func(to *int64, most int64) error {
			n, ok := parseInt(value)
			if !ok || n > most {
				return r.bad(0, string(key), ErrSyntax, "%q: want a whole number up to %d", shorten(value), most)
			}
			*to = n
			return nil
		}
		moment := func(to *time.Time) error {
			t, ok := parseTime(value, time.UTC)
			if !ok {
				return r.bad(0, string(key), ErrSyntax, "%q: want seconds since 1970", shorten(value))
			}
			*to = t
			return nil
		}
		var err error
		switch string(key) {
		case "user":
			job.User = r.text(value)
		case "group":
			job.Group = r.text(value)
		case "account":
			job.Account = r.text(value)
		case "project":
			project = value
		case "queue":
			job.Partition = r.text(value)
		case "ctime":
			err = moment(&created)
		case "qtime":
			err = moment(&job.Submit)
		case "etime":
			err = moment(&job.Eligible)
		case "start":
			err = moment(&job.Start)
		case "end":
			err = moment(&job.End)
		case "exec_host":
			execHost = value
		case "Resource_List.ncpus":
			err = number(&ncpus, math.MaxInt32)
		case "resources_used.ncpus":
			err = number(&used, math.MaxInt32)
		case "Resource_List.nodect":
			var n int64
			err = number(&n, math.MaxInt32)
			job.Nodes = int(n)
		case "Resource_List.nodes":
			nodes = value
		case "Resource_List.walltime":
			d, ok := parseLimit(value, time.Second)
			if !ok {
				return r.bad(0, string(key), ErrSyntax, "%q: want a span such as 01:00:00", shorten(value))
			}
			job.Limit = d
		case "Exit_status":
			if bytes.HasPrefix(value, []byte("-")) {
				exit = -1
			} else {
				err = number(&exit, math.MaxInt32)
			}
		}
		if err != nil {
			return err
		}
	}
	// The first submission; qtime moves when a job changes its queue.
	if !created.IsZero() && (job.Submit.IsZero() || created.Before(job.Submit)) {
		job.Submit = created
	}
	for _, f := range [...]struct {
		key string
		t   time.Time
	}{{"ctime", job.Submit}, {"start", job.Start}, {"end", job.End}} {
		if f.t.IsZero() {
			return r.bad(0, f.key, ErrMissing, "no %s=: want it in every E record", f.key)
		}
	}
	if job.Account == "" && string(project) != "_pbs_project_default" {
		job.Account = r.text(project)
	}
	hosts, slots := execHosts(execHost)
	job.ReqProcessors = int(ncpus)
	if job.ReqProcessors == 0 {
		job.ReqProcessors = torqueNodes(nodes)
	}
	switch {
	case used > 0:
		job.Processors = int(used)
	case job.ReqProcessors > 0:
		job.Processors = job.ReqProcessors
	default:
		job.Processors = slots
	}
	if job.Nodes == 0 {
		job.Nodes = hosts
	}
	switch {
	case exit == 0:
		job.State = Completed
	case exit == -29 || exit == 271 && job.Limit > 0 && job.End.Sub(job.Start) >= job.Limit:
		job.State = Timeout
	default:
		job.State = Failed
	}
	return nil
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
