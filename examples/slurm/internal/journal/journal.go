// Package journal is a log that is only ever appended to, and from which a program
// recovers what it knew: one entry a line, each with a checksum, on the disk before
// Append returns.
//
// A program that is killed while it appends leaves a last line that is not whole.
// Such a line is not an entry: nothing was done because of it, since what follows
// from an entry is done after Append. It is cut off when the journal is opened. A
// line that is damaged anywhere else is an error, which names the line.
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
)

// ErrHeld: another process has the journal open.
var ErrHeld = errors.New("journal: another process writes to it")

// ErrDamaged: a line other than the last is not an entry.
var ErrDamaged = errors.New("journal: damaged")

// A Journal is open for appending. It is for one goroutine at a time.
type Journal struct {
	f    *os.File
	line []byte
	err  error // the first failure: the file may end anywhere
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
	if alone, err := exclude(j.f); err != nil {
		return err
	} else if !alone {
		return fmt.Errorf("%w: %s", ErrHeld, name)
	}
	text, err := io.ReadAll(j.f)
	if err != nil {
		return err
	}
	n, err := Replay(text, replay)
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
	j.size = int64(n)
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
	n := 0
	for number := 1; n < len(text); number++ {
		end := bytes.IndexByte(text[n:], '\n')
		if end < 0 {
			return n, nil
		}
		entry, ok := decode(text[n : n+end])
		if !ok {
			if n+end+1 == len(text) {
				return n, nil
			}
			return n, fmt.Errorf("%w: line %d is not an entry", ErrDamaged, number)
		}
		if err := replay(entry); err != nil {
			return n, fmt.Errorf("line %d: %w", number, err)
		}
		n += end + 1
	}
	return n, nil
}

// sumLen is the length of a line's checksum, in hexadecimal digits.
const sumLen = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// decode returns the entry of a line, without its line feed, and whether it is whole.
func decode(line []byte) ([]byte, bool) {
	if len(line) < sumLen+2 || line[sumLen] != ' ' {
		return nil, false
	}
	entry := line[sumLen+1:]
	sum, err := strconv.ParseUint(string(line[:sumLen]), 16, 32)
	if err != nil || uint32(sum) != crc32.Checksum(entry, castagnoli) {
		return nil, false
	}
	return entry, true
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
	j.line = fmt.Appendf(j.line[:0], "%0*x ", sumLen, crc32.Checksum(text, castagnoli))
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
func (j *Journal) Close() error { return j.f.Close() }
