package accounting

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
				r.format, r.next = slurmForm, r.nextSlurm
				return nil
			case json.Delim('{'):
				r.format, r.next = qstatForm, r.nextQstat
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
					inputerr.Cut(list[0].Description+list[0].Error))
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
		var input *inputerr.Error
		if !errors.As(err, &input) {
			err = inputerr.New("accounting", field, index, ErrSyntax, "%v: want the JSON that the batch system prints", r.source(err))
		}
	}
	if r.err == nil {
		r.err = err
	}
	return err
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

// decode reads the next job of an answer into v, and ends the reader after the last.
func (r *Reader) decode(v any) error {
	if err := r.json.dec.Decode(v); err != nil {
		return r.jsonError(r.json.field, err)
	}
	r.json.index++
	return nil
}

// more says whether another job follows, and reads the end of the answer where none does.
func (r *Reader) more() error {
	if r.err != nil {
		return r.err
	}
	if !r.json.dec.More() {
		return r.endJSON()
	}
	r.json.limit.left = maxValue
	return nil
}
