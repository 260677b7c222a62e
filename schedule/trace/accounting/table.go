package accounting

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a column of a table is.
type column int

const (
	colNone column = iota
	colID
	colIDRaw
	colUser
	colGroup
	colAccount
	colPartition
	colQOS
	colState
	colExit
	colSubmit
	colEligible
	colStart
	colEnd
	colElapsed
	colElapsedRaw
	colLimit
	colLimitRaw
	colNodes
	colProcessors
	colReqProcessors
	colReqMemory
	colReqTRES
	colAllocTRES
	colMaxMemoryGB
	colLast // a column that may hold the delimiter: only the last of a table
	numColumns
)

// columnNames has the names of columns, in lower case and without "_". A name that
// is not here is a column that this package does not need.
var columnNames = map[string]column{
	"jobid": colID, "jobidraw": colIDRaw,
	"user": colUser, "username": colUser, "group": colGroup,
	"account": colAccount, "project": colAccount, "partition": colPartition, "queue": colPartition, "qos": colQOS,
	"state": colState, "exitstatus": colExit,
	"submit": colSubmit, "submittime": colSubmit, "eligible": colEligible, "eligibletime": colEligible,
	"start": colStart, "starttime": colStart, "end": colEnd, "endtime": colEnd, "finishtime": colEnd,
	"elapsed": colElapsed, "runtime": colElapsed, "elapsedraw": colElapsedRaw,
	"timelimit": colLimit, "timelimitraw": colLimitRaw,
	"nnodes": colNodes, "allocnodes": colNodes, "numhosts": colNodes,
	"ncpus": colProcessors, "alloccpus": colProcessors, "numcores": colProcessors,
	"reqcpus": colReqProcessors, "reqmem": colReqMemory, "reqtres": colReqTRES, "alloctres": colAllocTRES,
	"maxmemgb": colMaxMemoryGB, "jobname": colLast, "name": colLast,
}

// xdmod are the columns that XDMoD asks sacct for, without a header line.
var xdmod = strings.Fields("jobid jobidraw cluster partition qos account group gid user uid submit eligible start end elapsed " +
	"exitcode state nnodes ncpus reqcpus reqmem reqtres alloctres timelimit nodelist jobname")

// table is the shape of a table.
type table struct {
	delimiter byte
	width     int             // columns
	at        [numColumns]int // where a column stands, from 1; 0 where it is not there
	names     []string        // the columns' own names
	lastFree  bool            // the last column may hold delimiters
	header    []byte          // the header line; tables put one after the other repeat it
	pending   []byte          // a line that was read to tell the format
}

func known(name []byte) column {
	return columnNames[strings.ToLower(strings.ReplaceAll(string(bytes.Trim(name, " \"")), "_", ""))]
}

// delimiters are the bytes that part the columns of a table.
var delimiters = []byte("|,\t;")

// openTable learns the columns from the first line.
func (r *Reader) openTable(line []byte) error {
	t := &r.table
	var err error
	if r.opts.Columns != nil {
		err = r.namedColumns(line)
	} else {
		err = r.headerColumns(line)
	}
	if err != nil {
		return err
	}
	if t.pending == nil {
		t.header = append(t.header, line...)
	}
	if last := len(t.names) - 1; last > 0 && t.names[last] == "" { // sacct -p ends each line with the delimiter
		t.names = t.names[:last]
	}
	t.width = len(t.names)
	for i, name := range t.names {
		c := known([]byte(name))
		if c == colLast {
			t.lastFree = i == t.width-1
		} else if c != colNone && t.at[c] == 0 {
			t.at[c] = i + 1
		}
	}
	for _, need := range []struct {
		one  []column // one of them
		what string
	}{
		{[]column{colID, colIDRaw}, "JobIDRaw"},
		{[]column{colSubmit}, "Submit"},
		{[]column{colStart}, "Start"},
		{[]column{colEnd, colElapsed, colElapsedRaw}, "End"},
		{[]column{colProcessors, colReqProcessors, colAllocTRES, colReqTRES}, "AllocCPUS"},
	} {
		if !slices.ContainsFunc(need.one, func(c column) bool { return t.at[c] > 0 }) {
			return inputerr.At("accounting", r.line, 0, "header", ErrMissing,
				"no column %s: want sacct -P -o JobIDRaw,User,Account,Partition,QOS,State,Submit,Start,End,Timelimit,NNodes,AllocCPUS,ReqCPUS", need.what)
		}
	}
	return nil
}

// namedColumns takes the columns that the options name; the delimiter is the one that the line,
// which is a job, has most of.
func (r *Reader) namedColumns(line []byte) error {
	t := &r.table
	t.names = slices.Clone(r.opts.Columns)
	t.pending = append(t.pending[:0], line...)
	best := 0
	for _, d := range delimiters {
		if n := bytes.Count(line, []byte{d}); n > best {
			best, t.delimiter = n, d
		}
	}
	if best+1 < len(t.names) {
		return inputerr.At("accounting", r.line, 0, "line", ErrFormat, "%d columns: want the %d that Options.Columns names", best+1, len(t.names))
	}
	return nil
}

// headerColumns reads the names of the columns with the delimiter that makes the most known names.
// A line that is no header may be a job with XDMoD's columns.
func (r *Reader) headerColumns(line []byte) error {
	t := &r.table
	best := 0
	for _, d := range delimiters {
		found := 0
		parts := bytes.Split(line, []byte{d})
		for _, name := range parts {
			if known(name) != colNone {
				found++
			}
		}
		if found > best {
			best, t.delimiter, t.names = found, d, nil
			for _, name := range parts {
				t.names = append(t.names, strings.Trim(string(name), " \""))
			}
		}
	}
	if best >= 2 {
		return nil
	}
	if parts := bytes.Split(line, []byte("|")); len(parts) >= len(xdmod) && looksLikeTime(parts[10]) && looksLikeTime(parts[11]) {
		t.delimiter, t.names = '|', xdmod
		t.pending = append(t.pending[:0], line...)
		return nil
	}
	return inputerr.At("accounting", r.line, 0, "line", ErrFormat, "%q: want %s", inputerr.Cut(line), wanted)
}

func looksLikeTime(b []byte) bool {
	_, ok := parseTime(b, time.UTC)
	return ok && len(b) >= 10
}

// split cuts the line into columns. A comma may stand in quotation marks, where ""
// is one mark.
func (r *Reader) split(line []byte) error {
	t := &r.table
	r.fields = slices.Grow(r.fields[:0], t.width+1)
	if t.delimiter == '|' || t.delimiter == '\t' || bytes.IndexByte(line, '"') < 0 {
		for {
			i := bytes.IndexByte(line, t.delimiter)
			if i < 0 || t.lastFree && len(r.fields) == t.width-1 {
				r.fields = append(r.fields, line)
				break
			}
			r.fields = append(r.fields, line[:i])
			line = line[i+1:]
		}
	} else {
		for {
			if len(line) == 0 || line[0] != '"' {
				i := bytes.IndexByte(line, t.delimiter)
				if i < 0 {
					r.fields = append(r.fields, line)
					break
				}
				r.fields = append(r.fields, line[:i])
				line = line[i+1:]
				continue
			}
			field, rest, ok := quoted(line)
			if !ok {
				return r.bad(len(r.fields)+1, "line", ErrSyntax, "a quotation mark is not closed on its line: want one line for each job")
			}
			r.fields = append(r.fields, field)
			if len(rest) == 0 {
				break
			}
			if rest[0] != t.delimiter {
				return r.bad(len(r.fields), "line", ErrSyntax, "%q after a quotation mark: want %q", inputerr.Cut(rest), t.delimiter)
			}
			line = rest[1:]
		}
	}
	if n := len(r.fields); n == t.width+1 && len(r.fields[t.width]) == 0 {
		r.fields = r.fields[:t.width]
	}
	if n := len(r.fields); n != t.width {
		return r.bad(0, "line", ErrSyntax, "%d columns: want %d as in the header (a delimiter inside a name? put JobName last)", n, t.width)
	}
	return nil
}

// quoted reads a text in quotation marks at the beginning of b.
func quoted(b []byte) (text, rest []byte, ok bool) {
	b = b[1:]
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return nil, nil, false
	}
	if i+1 >= len(b) || b[i+1] != '"' {
		return b[:i], b[i+1:], true
	}
	text = append(text, b[:i+1]...)
	b = b[i+2:]
	for {
		i := bytes.IndexByte(b, '"')
		if i < 0 {
			return nil, nil, false
		}
		text = append(text, b[:i]...)
		if i+1 >= len(b) || b[i+1] != '"' {
			return text, b[i+1:], true
		}
		text = append(text, '"')
		b = b[i+2:]
	}
}

// get returns the text of a column, nil where the table does not have it.
func (r *Reader) get(c column) []byte {
	if i := r.table.at[c]; i > 0 {
		return bytes.TrimSpace(r.fields[i-1])
	}
	return nil
}

// fail is the error for a column of the line.
func (r *Reader) fail(c column, sentinel error, want string) error {
	i := r.table.at[c]
	return r.bad(i, r.table.names[i-1], sentinel, "%q: want %s", inputerr.Cut(r.fields[i-1]), want)
}

func (r *Reader) nextTable(job *Job) error {
	for {
		line, err := r.nextLine()
		if err != nil {
			return err
		}
		if len(r.table.header) > 0 && bytes.Equal(line, r.table.header) {
			continue
		}
		if err := r.split(line); err != nil {
			return err
		}
		id, c := r.get(colIDRaw), colIDRaw
		if len(id) == 0 && r.table.at[colID] > 0 {
			id, c = r.get(colID), colID
		}
		number, rest, ok := leadingInt(id)
		switch {
		case !ok:
			return r.fail(c, ErrSyntax, "a job number such as 4711 or 4711_3")
		case len(rest) > 0 && bytes.IndexByte(id, '.') >= 0:
			continue
		}
		job.ID = number
		return r.tableJob(job)
	}
}

func (r *Reader) tableJob(job *Job) error {
	job.User = r.text(r.get(colUser))
	job.Group = r.text(r.get(colGroup))
	job.Account = r.text(r.get(colAccount))
	job.Partition = r.text(r.get(colPartition))
	job.QOS = r.text(r.get(colQOS))
	if err := r.tableTimes(job); err != nil {
		return err
	}
	if err := r.tableSizes(job); err != nil {
		return err
	}
	if b := r.get(colReqMemory); b != nil {
		kb, ok := parseMemory(b, job.Nodes, max(job.Processors, job.ReqProcessors))
		if !ok {
			return r.fail(colReqMemory, ErrSyntax, "an amount such as 31000Mn or 4G")
		}
		job.Memory = kb
	}
	switch b := r.get(colState); {
	case b != nil:
		if job.State = parseState(b); job.State == Unknown && !none(b) {
			return r.fail(colState, ErrSyntax, "a state of Slurm such as COMPLETED or CANCELLED by 1000")
		}
	case r.table.at[colExit] > 0:
		job.State = Failed
		if string(r.get(colExit)) == "0" {
			job.State = Completed
		}
	case !job.End.IsZero():
		job.State = Completed
	}
	if job.End.IsZero() && job.State.Ended() && !job.Start.IsZero() && r.elapsed >= 0 {
		job.End = job.Start.Add(r.elapsed)
	}
	return settle(job)
}

// tableTimes sets the moments and the limit of a job, and the reader's elapsed time of the row.
func (r *Reader) tableTimes(job *Job) error {
	for _, f := range [...]struct {
		c  column
		to *time.Time
	}{{colSubmit, &job.Submit}, {colEligible, &job.Eligible}, {colStart, &job.Start}, {colEnd, &job.End}} {
		if b := r.get(f.c); b != nil {
			t, ok := parseTime(b, r.opts.Location)
			if !ok {
				return r.fail(f.c, ErrSyntax, "a time such as 2026-01-31T23:59:59, or Unknown")
			}
			*f.to = t
		}
	}
	r.elapsed = -1
	for _, f := range [...]struct {
		c    column
		unit time.Duration
		to   *time.Duration
		want string
	}{
		{colElapsed, time.Second, &r.elapsed, "a span such as 10-13:27:06"},
		{colElapsedRaw, time.Second, &r.elapsed, "seconds"},
		{colLimit, time.Minute, &job.Limit, "a span such as 1-06:00:00, UNLIMITED or Partition_Limit"},
		{colLimitRaw, time.Minute, &job.Limit, "minutes"},
	} {
		if b := r.get(f.c); b != nil {
			d, ok := parseLimit(b, f.unit)
			if !ok {
				return r.fail(f.c, ErrSyntax, f.want)
			}
			if *f.to <= 0 {
				*f.to = d
			}
		}
	}
	return nil
}

// tableSizes sets the nodes and processors of a job.
func (r *Reader) tableSizes(job *Job) error {
	for _, f := range [...]struct {
		c  column
		to *int
	}{{colNodes, &job.Nodes}, {colProcessors, &job.Processors}, {colReqProcessors, &job.ReqProcessors}} {
		if b := r.get(f.c); len(b) > 0 && !none(b) {
			n, ok := parseInt(b)
			if !ok {
				return r.fail(f.c, ErrSyntax, "a whole number")
			}
			if n > math.MaxInt32 {
				return r.fail(f.c, ErrRange, fmt.Sprintf("at most %d", math.MaxInt32))
			}
			*f.to = int(n)
		}
	}
	if job.Processors == 0 {
		job.Processors = trackable(r.get(colAllocTRES), "cpu")
	}
	if job.ReqProcessors == 0 {
		job.ReqProcessors = trackable(r.get(colReqTRES), "cpu")
	}
	return nil
}

// settle clears what a state rules out: a job that waits has not started (Slurm
// prints when the job may start), and a job that runs has not ended.
func settle(job *Job) error {
	switch job.State {
	case Pending:
		job.Start, job.End = time.Time{}, time.Time{}
	case Running:
		job.End = time.Time{}
	}
	return nil
}

// trackable returns the count of a resource in a list such as
// cpu=64,mem=62.50G,node=8; 0 where there is none.
func trackable(list []byte, name string) int {
	for item := range bytes.SplitSeq(list, []byte(",")) {
		if k, v, ok := bytes.Cut(item, []byte("=")); ok && string(k) == name {
			if n, ok := parseInt(v); ok && n <= math.MaxInt32 {
				return int(n)
			}
		}
	}
	return 0
}
