package accounting

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// isLSF reports whether a line begins as a record of lsb.acct does:
// "JOB_FINISH" "10.108" 1644826549
func isLSF(line []byte) bool {
	if len(line) == 0 || line[0] != '"' {
		return false
	}
	kind, rest, ok := quoted(line)
	if !ok || len(kind) == 0 || len(rest) < 2 || rest[0] != ' ' || rest[1] != '"' {
		return false
	}
	for _, c := range kind {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// The bits of jStatus.
const (
	lsfExited = 32
	lsfDone   = 64
)

// nextLSF reads the next JOB_FINISH record. Records of other kinds are left out
// and counted.
func (r *Reader) nextLSF(job *Job) error {
	for {
		line, err := r.nextLine()
		if err != nil {
			return err
		}
		if !isLSF(line) {
			return r.bad(0, "line", ErrSyntax, "%q: want a record such as \"JOB_FINISH\" \"10.1\" 1644826549 ...", inputerr.Cut(line))
		}
		kind, _, _ := quoted(line)
		if string(kind) != "JOB_FINISH" {
			continue
		}
		return r.lsfJob(job, line)
	}
}

// lsfFields walks over the fields of a record: numbers, and texts in quotation
// marks, in which "" is one mark.
type lsfFields struct {
	rest []byte
	n    int // fields read
	bad  bool
}

func (f *lsfFields) text() []byte {
	f.rest = bytes.TrimLeft(f.rest, " ")
	f.n++
	if len(f.rest) == 0 {
		f.bad = true
		return nil
	}
	if f.rest[0] == '"' {
		text, rest, ok := quoted(f.rest)
		if !ok {
			f.bad, f.rest = true, nil
			return nil
		}
		f.rest = rest
		return text
	}
	end := bytes.IndexByte(f.rest, ' ')
	if end < 0 {
		end = len(f.rest)
	}
	text := f.rest[:end]
	f.rest = f.rest[end:]
	return text
}

func (f *lsfFields) int() int64 {
	n, err := strconv.ParseInt(string(f.text()), 10, 64)
	if err != nil {
		f.bad = true
	}
	return n
}

// time reads seconds since 1970, where 0 is unknown.
func (f *lsfFields) time() time.Time {
	n := f.int()
	if n < 0 || n > 1<<36 {
		f.bad = true
	}
	if n <= 0 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// hosts reads the hosts that ran a job, and counts them and their slots.
func (f *lsfFields) hosts(n int64) (nodes int, slots int64) {
	seen := map[string]bool{}
	for range n {
		host := f.text()
		k := int64(1)
		if times, name, ok := bytes.Cut(host, []byte("*")); ok { // 4*hostA
			if many, ok := parseInt(times); ok && many <= maxHosts {
				k, host = many, name
			}
		}
		slots += k
		seen[string(host)] = true
	}
	return len(seen), slots
}

func (f *lsfFields) skip(n int) {
	for range n {
		f.text()
	}
}

// lsfJob reads a JOB_FINISH record, whose fields are in IBM's documented order.
func (r *Reader) lsfJob(job *Job, line []byte) error {
	f := lsfFields{rest: line}
	fail := func(field, want string) error {
		return r.bad(0, field, ErrSyntax, "field %d of the record: want %s", f.n, want)
	}
	f.skip(2) // event, version
	ended := f.time()
	job.ID = f.int()
	f.skip(2) // user's number, options
	procs := f.int()
	submitted := f.time()
	begin := f.time()
	f.skip(1) // termination deadline
	started := f.time()
	if f.bad || ended.IsZero() || submitted.IsZero() {
		return fail("JOB_FINISH", "the job's number, its processors, and times in seconds since 1970")
	}
	job.User = r.text(f.text())
	job.Partition = r.text(f.text())
	f.skip(9) // resource requirement, dependency, pre-execution, host, directory, three files, job file
	asked := f.int()
	if f.bad || asked < 0 || asked > maxHosts {
		return fail("numAskedHosts", "a count of hosts")
	}
	f.skip(int(min(asked, int64(len(f.rest)))))
	hosts := f.int()
	if f.bad || hosts < 0 || hosts > int64(len(f.rest)) {
		return fail("numExHosts", "a count of hosts")
	}
	nodes, slots := f.hosts(hosts)
	status := f.int()
	f.skip(3)      // host factor, job name, command
	f.skip(19 + 1) // resource usage, mail
	job.Account = r.text(f.text())
	exit := f.int()
	maxProcs := f.int()
	if f.bad {
		return fail("JOB_FINISH", "status, 19 numbers of usage, project and exit status after the hosts")
	}
	// What follows depends on the version. The group of a charge and the estimate of
	// the run time stand at these places since LSF 7, and are empty where unknown.
	f.skip(10) // shell, time event, index, memory, swap, two spools, reservation, service class, exceptions
	f.skip(4)  // additional information, exit information, warning action, warning period
	f.skip(4)  // charged group, licence project, application, post-execution
	if estimate := f.int(); !f.bad && estimate > 0 && estimate < 1<<32 {
		job.Limit = time.Duration(estimate) * time.Second
	}

	if max(procs, maxProcs, slots) > math.MaxInt32 || procs < 0 || job.ID < 0 {
		return r.bad(0, "numProcessors", ErrRange, "%d: want at most %d", max(procs, maxProcs, slots), math.MaxInt32)
	}
	job.Submit, job.Eligible, job.Start, job.End = submitted, submitted, started, ended
	if begin.After(submitted) {
		job.Eligible = begin
	}
	job.ReqProcessors, job.Processors, job.Nodes = int(procs), int(slots), nodes
	if job.Processors < int(procs) && !started.IsZero() { // a version that lists each host once
		job.Processors = int(procs)
	}
	if started.IsZero() {
		job.Processors, job.Nodes = 0, 0
	}
	job.State = lsfState(status, exit, started)
	return nil
}

func lsfState(status, exit int64, started time.Time) State {
	switch {
	case status&lsfDone != 0:
		return Completed
	case status&lsfExited != 0 && started.IsZero():
		return Cancelled
	case status&lsfExited != 0 && exit == 140*256: // SIGUSR2, LSF's run limit
		return Timeout
	}
	return Failed
}
