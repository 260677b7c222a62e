// Package journal is a log to which a program only appends, and from which the program
// recovers its state. There is one entry a line, each with a checksum, and an entry is on
// the disk before Append returns.
//
// A program that is killed while it appends leaves an incomplete last line. Such a line is
// not an entry: the program acts on an entry only after Append has returned. Opening the
// journal cuts that line off. A line that is damaged anywhere else is an error, which names
// the line. A line that is repeated or missing is an error too: the checksum of a line
// covers the lines before.
//
// Opening the journal never changes a file that is no journal. The end that is cut off must
// be the beginning of an entry, or bytes that a disk leaves when it loses power while
// writing. Without a complete entry before it, the end must have at least the beginning that
// all entries have.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/filelock"
)

// ErrHeld: another process has the journal open.
var ErrHeld = errors.New("journal: another process writes to it")

// ErrDamaged: a line is not an entry, or the file no journal.
var ErrDamaged = errors.New("journal: damaged")

// A Journal is open for appending. It is for one goroutine at a time.
type Journal struct {
	f    *os.File
	line []byte
	sum  uint32 // of the entries so far
	err  error  // the first failure: the file may end anywhere
	size int64
}

// Open opens a journal, which it creates if need be, and calls replay with the JSON
// of each entry in turn, valid until it returns. It keeps other processes from the
// journal until it is closed, or the process ends.
func Open(name string, replay func(entry []byte) error) (*Journal, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{f: f}
	if err := j.open(name, replay); err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

func (j *Journal) open(name string, replay func([]byte) error) error {
	if alone, err := filelock.Exclude(j.f); err != nil {
		return err
	} else if !alone {
		return fmt.Errorf("%w: %s", ErrHeld, name)
	}
	text, err := io.ReadAll(j.f)
	if err != nil {
		return err
	}
	n, sum, err := scan(text, replay)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if n < len(text) {
		if err := j.f.Truncate(int64(n)); err != nil {
			return err
		}
	}
	if _, err := j.f.Seek(int64(n), io.SeekStart); err != nil {
		return err
	}
	j.size, j.sum = int64(n), sum
	if err := j.f.Sync(); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(name)) // so that a new file is in it for good
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// Replay calls replay with each entry of a journal's text, and returns the length of
// the text without a last line that is not whole.
func Replay(text []byte, replay func(entry []byte) error) (int, error) {
	n, _, err := scan(text, replay)
	return n, err
}

// scan is Replay, and returns the checksum of all entries, too.
func scan(text []byte, replay func(entry []byte) error) (n int, sum uint32, err error) {
	for number := 1; n < len(text); number++ {
		line, _, whole := bytes.Cut(text[n:], []byte("\n"))
		last := !whole || n+len(line)+1 == len(text)
		entry, after, ok := decode(line, sum)
		switch {
		case ok && whole:
		case last && torn(text[n:], n == 0):
			return n, sum, nil
		case n == 0:
			return n, sum, fmt.Errorf("%w: line 1 is not an entry: the file is no journal, and is left as it is", ErrDamaged)
		default:
			return n, sum, fmt.Errorf("%w: line %d is not an entry, or not the one that followed line %d", ErrDamaged, number, number-1)
		}
		if err := replay(entry); err != nil {
			return n, sum, fmt.Errorf("line %d: %w", number, err)
		}
		n, sum = n+len(line)+1, after
	}
	return n, sum, nil
}

// torn reports whether the end of a text may be an entry that was not written to its end:
// it begins as entries do, or has zeros where a disk has not got what was written. The
// first line of a file has to have the whole of that beginning.
func torn(rest []byte, first bool) bool {
	for i, c := range rest[:min(len(rest), sumLen+2)] {
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		switch {
		case c == 0 && !first:
		case i < sumLen && hex, i == sumLen && c == ' ', i == sumLen+1 && c == '{':
		default:
			return false
		}
	}
	return !first || len(rest) >= sumLen+2
}

// sumLen is the length of a line's checksum, in hexadecimal digits.
const sumLen = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// decode returns the entry of a line, without its line feed, the checksum of all entries
// up to it, and whether it is whole and follows those with the given one.
func decode(line []byte, before uint32) ([]byte, uint32, bool) {
	if len(line) < sumLen+2 || line[sumLen] != ' ' {
		return nil, 0, false
	}
	entry := line[sumLen+1:]
	sum := crc32.Update(before, castagnoli, entry)
	said, err := strconv.ParseUint(string(line[:sumLen]), 16, 32)
	return entry, sum, err == nil && uint32(said) == sum
}

// Append writes an entry, as JSON. When it returns without an error the entry is on
// the disk. After an error nothing more can be appended: what is known and what is
// written may differ, and opening the journal anew tells.
func (j *Journal) Append(entry any) error {
	if j.err != nil {
		return j.err
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	j.sum = crc32.Update(j.sum, castagnoli, text)
	j.line = fmt.Appendf(j.line[:0], "%0*x ", sumLen, j.sum)
	j.line = append(append(j.line, text...), '\n')
	if _, j.err = j.f.Write(j.line); j.err == nil {
		j.err = j.f.Sync()
	}
	if j.err != nil {
		j.err = fmt.Errorf("journal: %w", j.err)
	} else {
		j.size += int64(len(j.line))
	}
	return j.err
}

// Size returns the length of the journal in bytes.
func (j *Journal) Size() int64 { return j.size }

// Close closes the journal.
func (j *Journal) Close() error { return filelock.Close(j.f) }
