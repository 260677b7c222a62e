package accounting

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

const (
	// bufferSize is the memory for lines that fit.
	bufferSize = 64 << 10
	// maxLine bounds a line of a table or a log. The longest that batch systems
	// write hold the environment or the list of hosts of a job.
	maxLine = 4 << 20
	// maxValue bounds one job of JSON, which is read as a whole.
	maxValue = 16 << 20
)

// A form is a form of accounting.
type form int

const (
	noForm    form = iota // text that this package does not read
	tableForm             // a table with named columns: sacct -P, or the same as CSV
	slurmForm             // the answer of sacct --json or squeue --json
	pbsForm               // an accounting log of PBS Professional, OpenPBS or Torque
	qstatForm             // the answer of qstat -f -F json
	lsfForm               // the file lsb.acct of LSF
)

// Options are the choices of a reader. The zero value is the default.
type Options struct {
	// Location is the time zone of texts that name none: all tables of sacct. Nil
	// means UTC. Where clocks are set back, an hour of local time comes twice, and
	// the first of the two is taken: ask sacct for UTC (TZ=UTC sacct ...) instead.
	Location *time.Location
	// Columns names the columns of a table that has no header line, in order, by
	// the names of sacct -o. Nil means that the first line names them; a table of
	// 26 columns whose first line is a job has XDMoD's columns.
	Columns []string
}

// A Reader reads the jobs of an accounting file, plain or gzip, one by one. Its
// memory does not depend on the length of the file but for the distinct names
// in it.
type Reader struct {
	opts   Options
	src    *bufio.Reader
	opened bool
	format form
	next   func(*Job) error // reads a job of the format
	err    error            // sticky

	buf     []byte // a line longer than the buffer of src
	line    int
	fields  [][]byte
	table   table
	elapsed time.Duration // of the row that was read last; negative where unknown
	json    jsonReader

	names map[string]string // every text, once
	user  numbering
	group numbering
	queue numbering
	qos   numbering
}

// NewReader returns a Reader of src. Nothing is read before the first call of a
// method. It panics if src is nil.
func NewReader(src io.Reader, opts Options) *Reader {
	if src == nil {
		panic("accounting: nil source")
	}
	if opts.Location == nil {
		opts.Location = time.UTC
	}
	return &Reader{opts: opts, src: bufio.NewReaderSize(src, bufferSize), names: make(map[string]string)}
}

// begin returns the form of the input, which its first bytes tell. The error is
// that of the source, or a *schedule.InputError that unwraps to [ErrFormat] or, where
// a table lacks a column that every job needs, to [ErrMissing]. begin panics for a Reader
// that NewReader has not made.
func (r *Reader) begin() (form, error) {
	if r.src == nil {
		panic("accounting: Reader that NewReader has not made")
	}
	if !r.opened {
		r.opened = true
		r.err = r.open()
	}
	return r.format, r.err
}

// Next reads the next job into job, and returns io.EOF after the last job. If a job is wrong, the
// error is a *schedule.InputError with the line of the job, or with its index if the input is JSON.
// After an error about one line of a table or a log, the next call goes on with the following line.
// Every other error is final: Next returns it again at each call. Next, Jobs and Records panic for
// a Reader that NewReader has not made.
func (r *Reader) Next(job *Job) error {
	if _, err := r.begin(); err != nil {
		return err
	}
	*job = Job{}
	return r.next(job)
}

// Jobs yields all jobs; an error is the last pair.
func (r *Reader) Jobs() iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		var job Job
		for {
			err := r.Next(&job)
			if err == io.EOF {
				return
			}
			if !yield(job, err) || err != nil {
				return
			}
		}
	}
}

// Records yields all jobs as records of the Standard Workload Format, for [trace.Convert]. If there
// is an error, the last pair has it. Submit times count from 1970. Users, accounts, partitions and
// qualities of service get numbers from 1 on, in the order in which they first occur: see
// [Reader.Users], [Reader.Accounts], [Reader.Partitions] and [Reader.QOS]. A job that has not ended
// has no run time (-1 s), so that trace.Convert leaves the job out and counts it.
func (r *Reader) Records() iter.Seq2[trace.Record, error] {
	return func(yield func(trace.Record, error) bool) {
		for job, err := range r.Jobs() {
			if err != nil {
				yield(trace.Record{}, err)
				return
			}
			if !yield(r.record(&job), nil) {
				return
			}
		}
	}
}

// Users returns the users of [Reader.Records]: user number n is Users()[n-1].
// The slice belongs to the reader.
func (r *Reader) Users() []string { return r.user.names }

// Accounts returns the accounts, which are the groups of [Reader.Records].
func (r *Reader) Accounts() []string { return r.group.names }

// Partitions returns the partitions, which are the queues of [Reader.Records].
func (r *Reader) Partitions() []string { return r.queue.names }

// QOS returns the qualities of service, which are the partitions of
// [Reader.Records].
func (r *Reader) QOS() []string { return r.qos.names }

const unknownTime = -time.Second

// record is the job in the Standard Workload Format.
func (r *Reader) record(j *Job) trace.Record {
	rec := trace.Record{
		ID: j.ID, Submit: unknownTime, Wait: unknownTime, Run: unknownTime, CPU: unknownTime, ReqTime: unknownTime, Think: unknownTime,
		Processors: -1, ReqProcessors: -1, Memory: -1, ReqMemory: -1,
		Status: trace.StatusUnknown, Executable: -1, Preceding: -1,
		User: r.user.number(j.User), Group: r.group.number(j.Account),
		Queue: r.queue.number(j.Partition), Partition: r.qos.number(j.QOS),
	}
	if !j.Submit.IsZero() {
		rec.Submit = j.Submit.Sub(time.Unix(0, 0))
	}
	if !j.Start.IsZero() && !j.Submit.IsZero() {
		rec.Wait = j.Start.Sub(j.Submit)
	}
	switch j.State {
	case Completed:
		rec.Status = trace.StatusCompleted
	case Cancelled:
		rec.Status = trace.StatusCancelled
	case Failed, Timeout, Preempted:
		rec.Status = trace.StatusFailed
	}
	if j.State.Ended() {
		if j.Start.IsZero() {
			rec.Run = 0
		} else if run := j.End.Sub(j.Start); !j.End.IsZero() && run >= 0 {
			rec.Run = run
		}
	}
	if j.Processors > 0 {
		rec.Processors = j.Processors
	}
	if j.ReqProcessors > 0 {
		rec.ReqProcessors = j.ReqProcessors
	}
	if j.Limit > 0 && j.Limit != Unlimited {
		rec.ReqTime = j.Limit
	}
	if j.Memory > 0 {
		rec.ReqMemory = j.Memory
	}
	return rec
}

// numbering gives numbers from 1 to names, -1 to the empty name.
type numbering struct {
	of    map[string]int
	names []string
}

func (n *numbering) number(name string) int {
	if name == "" {
		return -1
	}
	if k, ok := n.of[name]; ok {
		return k
	}
	if n.of == nil {
		n.of = make(map[string]int)
	}
	n.names = append(n.names, name)
	n.of[name] = len(n.names)
	return len(n.names)
}

// text returns b as a string that is kept once for the whole file.
func (r *Reader) text(b []byte) string {
	if s, ok := r.names[string(b)]; ok {
		return s
	}
	s := string(b)
	r.names[s] = s
	return s
}

// open tells gzip from text and one form from another.
func (r *Reader) open() error {
	if head, _ := r.src.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		zip, err := gzip.NewReader(r.src)
		if err != nil {
			return r.source(err)
		}
		r.src = bufio.NewReaderSize(zip, bufferSize)
	}
	if head, _ := r.src.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		r.src.Discard(3)
	}
	for {
		b, err := r.src.Peek(1)
		if err != nil {
			if err == io.EOF {
				return inputerr.New("accounting", "file", -1, ErrFormat, "no job and no header line: want %s", wanted)
			}
			return r.source(err)
		}
		if b[0] != '\n' && b[0] != '\r' && b[0] != ' ' && b[0] != '\t' {
			if b[0] == '{' {
				return r.openJSON()
			}
			break
		}
		if b[0] == '\n' {
			r.line++
		}
		r.src.Discard(1)
	}
	line, err := r.readLine()
	if err != nil {
		return err
	}
	switch {
	case isLSF(line):
		r.format, r.next = lsfForm, r.nextLSF
		r.table.pending = append(r.table.pending[:0], line...)
	case isPBS(line):
		r.format, r.next = pbsForm, r.nextPBS
		r.table.pending = append(r.table.pending[:0], line...)
	default:
		if err := r.openTable(line); err != nil {
			return err
		}
		r.format, r.next = tableForm, r.nextTable
	}
	return nil
}

const wanted = "sacct -P with a header line, sacct --json, squeue --json, a PBS accounting log, qstat -f -F json, or lsb.acct"

// Detect reports whether a file with these first bytes is one that a [Reader] reads; it is false
// for every other text, so also for the Standard Workload Format. The bytes are plain or gzip and
// may end anywhere; 16 KiB suffice where no line is longer.
func Detect(head []byte) bool { return detect(head) != noForm }

func detect(head []byte) form {
	if len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b {
		zip, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return noForm
		}
		head, _ = io.ReadAll(io.LimitReader(zip, bufferSize)) // as much as these bytes hold
	}
	r := NewReader(bytes.NewReader(head), Options{})
	if i := bytes.IndexByte(head, '{'); i >= 0 && len(bytes.TrimSpace(bytes.TrimPrefix(head[:i], []byte("\xef\xbb\xbf")))) == 0 {
		if bytes.Contains(head, []byte(`"pbs_version"`)) || bytes.Contains(head, []byte(`"Jobs"`)) {
			return qstatForm
		}
		return slurmForm
	}
	f, err := r.begin()
	if errors.Is(err, ErrMissing) {
		return tableForm // a table of jobs, though not one that can be read: the reader says why
	}
	return f
}

// source is an error of what is read.
func (r *Reader) source(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return inputerr.At("accounting", r.line+1, 0, "file", ErrTruncated, "the compressed data ends in the middle: want a whole file")
	}
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return inputerr.At("accounting", r.line+1, 0, "file", ErrSyntax, "%v: want plain text or whole gzip data", err)
	}
	return err
}

// readLine returns the next line without its end, and io.EOF after the last. The
// line is valid until the next call.
func (r *Reader) readLine() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.src.ReadSlice('\n')
		if err == nil && len(r.buf) == 0 {
			r.line++
			return trimEnd(part), nil
		}
		if len(r.buf)+len(part) > maxLine {
			r.err = inputerr.At("accounting", r.line+1, 0, "line", ErrTooLong, "more than %d bytes: want a line break after each job", maxLine)
			return nil, r.err
		}
		r.buf = append(r.buf, part...)
		switch {
		case err == bufio.ErrBufferFull:
		case err == nil, err == io.EOF && len(r.buf) > 0:
			r.line++
			return trimEnd(r.buf), nil
		case err == io.EOF:
			return nil, io.EOF
		default:
			r.err = r.source(err)
			return nil, r.err
		}
	}
}

func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// nextLine is readLine without empty lines; the first call may return a line that
// told the format.
func (r *Reader) nextLine() ([]byte, error) {
	if r.table.pending != nil {
		line := r.table.pending
		r.table.pending = nil
		return line, nil
	}
	if r.err != nil {
		return nil, r.err
	}
	for {
		line, err := r.readLine()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// bad is an error of a column of the line that was read last.
func (r *Reader) bad(column int, field string, sentinel error, format string, args ...any) error {
	return inputerr.At("accounting", r.line, column, field, sentinel, format, args...)
}
