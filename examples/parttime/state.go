package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// saved is what a process keeps in its -state.
type saved struct {
	Role       string            `json:"role"`
	Instance   string            `json:"instance,omitempty"` // of a client: a name that no other one has
	Origin     time.Time         `json:"origin"`             // of the clock
	Minute     time.Duration     `json:"minute_ns"`
	Partitions map[string]terms  `json:"partitions,omitempty"` // of a host
	Manager    *exchange.Manager `json:"manager,omitempty"`
	Client     *exchange.Client  `json:"client,omitempty"`
	Every      time.Duration     `json:"every_ns,omitempty"` // of a client
	Add        int               `json:"add,omitempty"`      // nodes to ask for when the host has heard of the partition
	Jobs       map[int]job       `json:"jobs,omitempty"`     // by node
}

// terms is what a client says of its partition.
type terms struct {
	Weight int    `json:"weight"`
	Floor  int    `json:"floor"`
	URL    string `json:"url"` // where its client listens

	Instance string `json:"instance,omitempty"` // which client that is
}

// lock keeps other processes from a state, until the function that it returns is
// called. It does nothing without a path. The error is the user's mistake.
func lock(path string) (unlock func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o666)
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if err != nil {
		return nil, cli.Mistakef("cannot save -state %s: %v", path, err)
	}
	alone, err := filelock.Exclude(f)
	if err == nil && !alone {
		err = errors.New("another process uses it; want a state of its own for each")
	}
	if err != nil {
		f.Close()
		return nil, cli.Mistakef("cannot lock -state %s: %v", path, err)
	}
	return func() { f.Close() }, nil // the file stays: who waits for it has it open
}

// load reads a state, nil if there is none. The error is the user's mistake.
func load(path string, of role, minute time.Duration) (*saved, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s saved
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	var p *fs.PathError
	switch {
	case errors.As(err, &p):
		return nil, cli.Mistakef("cannot read -state %s: %v", path, p.Err)
	case err != nil:
		return nil, cli.Mistakef("cannot read -state %s: %v", path, err)
	case s.Role != of.String() || of == hostRole && s.Manager == nil || of == clientRole && s.Client == nil:
		return nil, cli.Mistakef("cannot read -state %s: it is not the state of a %s", path, of)
	case s.Minute != minute:
		return nil, cli.Mistakef("-minute %v: in -state %s a minute takes %v, and its times are no good for another", minute, path, s.Minute)
	}
	return &s, nil
}

// save replaces a state, whole or not at all, and does not return before it is on disk.
// It does nothing without a path. The caller has the lock, and is alone with the
// temporary file.
func (s *saved) save(path string) error {
	if path == "" {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("cannot save -state %s: %w", path, err) }
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return fail(err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fail(err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync() // the new name, where the system does that for folders
		dir.Close()
	}
	return nil
}
