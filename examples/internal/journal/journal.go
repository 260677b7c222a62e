// Package journal is a log to which a program only appends, and from which the program
// recovers its state. An entry is JSON, a record of a file of package chain, and is on the disk
// before Append returns.
//
// A program that is killed while it appends leaves an incomplete last record. Such a record is
// not an entry: the program acts on an entry only after Append has returned. Opening the
// journal cuts that record off. Whatever else is not as it was written is an error: a flipped
// bit, an entry that is missing, repeated or in another place, and a file that has been
// emptied. Opening the journal never changes a file that is no journal.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
)

// ErrHeld: another process has the journal open.
var ErrHeld = errors.New("journal: another process writes to it")

// ErrDamaged: an entry is not as it was written, or the file no journal.
var ErrDamaged = errors.New("journal: damaged")

// A Journal is open for appending. It is for one goroutine at a time.
type Journal struct {
	f   *os.File
	w   *chain.Writer
	err error // the first failure: the file may end anywhere
}

// Open opens a journal, which it creates if need be, and calls replay with the JSON
// of each entry in turn, valid until it returns. It keeps other processes from the
// journal until it is closed, or the process ends.
func Open(name string, replay func(entry []byte) error) (*Journal, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(name); err == nil {
			f, err = os.OpenFile(name, os.O_RDWR, 0)
		}
	}
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

// create makes a journal that is empty. It is there whole or not at all.
func create(name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".new-*")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			p.Path = name
		}
		return err
	}
	defer os.Remove(f.Name())
	_, err = chain.Begin(f, chain.Head{})
	if err = errors.Join(err, f.Close()); err == nil {
		// A link fails if the file is there: the first one counts.
		if err = os.Link(f.Name(), name); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return err
}

func (j *Journal) open(name string, replay func([]byte) error) error {
	if alone, err := filelock.Exclude(j.f); err != nil {
		return err
	} else if !alone {
		return fmt.Errorf("%w: %s", ErrHeld, name)
	}
	data, err := io.ReadAll(j.f)
	if err != nil {
		return err
	}
	s, err := scan(data, replay)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if j.w, err = chain.Resume(j.f, s); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(name)) // so that a new file is in it for good
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// Replay calls replay with each entry of a journal's file, and returns how many bytes of a last
// entry that is not whole follow them.
func Replay(data []byte, replay func(entry []byte) error) (torn int64, err error) {
	s, err := scan(data, replay)
	if err != nil {
		return 0, err
	}
	return s.Torn, nil
}

func scan(data []byte, replay func(entry []byte) error) (*chain.State, error) {
	s, err := chain.Scan(data)
	if err == nil && s.Head != (chain.Head{}) {
		err = chain.ErrOther
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for i, entry := range s.Records {
		if err := replay(entry); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return s, nil
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
	if err, _ = j.w.Append(text); err == nil {
		err = j.f.Sync()
	}
	if err == nil {
		end, sum := j.w.End()
		err = j.w.Mark(end, sum, 0)
	}
	if err != nil {
		j.err = fmt.Errorf("journal: %w", err)
	}
	return j.err
}

// Close closes the journal.
func (j *Journal) Close() error { return filelock.Close(j.f) }
