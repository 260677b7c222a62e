package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/fsck"
	"github.com/plimsoll/plimsoll/examples/internal/statelog"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// saved is what a process keeps in its -state.
type saved struct {
	Role       string            `json:"role"`
	Instance   string            `json:"instance,omitempty"` // of a client: a name that no other one has
	Origin     time.Time         `json:"origin"`             // of the clock
	Minute     time.Duration     `json:"minute_ns"`
	Partitions map[string]terms  `json:"partitions,omitempty"` // of a host
	Taken      map[string]int64  `json:"taken,omitempty"`      // by key, the time of the newest order
	Removed    map[string]string `json:"removed,omitempty"`    // partitions that an administrator has removed, and the instances of their clients
	Manager    *exchange.Manager `json:"manager,omitempty"`
	Client     *exchange.Client  `json:"client,omitempty"`
	Every      time.Duration     `json:"every_ns,omitempty"` // of a client
	Add        int               `json:"add,omitempty"`      // nodes to ask for when the host has heard of the partition
}

// terms is what a client says of its partition.
type terms struct {
	Weight int    `json:"weight"`
	Floor  int    `json:"floor"`
	URL    string `json:"url"` // where its client listens

	Instance string `json:"instance,omitempty"` // which client that is
	Fixed    bool   `json:"fixed,omitempty"`    // an administrator has set the weight and the floor
}

// The first byte of a record says what follows.
const (
	recordWhole   = 's' // the state, in JSON: of a client
	recordManager = 'm' // what has changed of the manager
	recordTerms   = 't' // a namedTerms, in JSON
	recordTaken   = 'o' // a takenOrder, in JSON: of a host. The record of what it does follows
	recordBoth    = 'b' // the length of a namedTerms, the namedTerms, and what has changed of the manager
)

// takenOrder is an order that is about to be carried out.
type takenOrder struct {
	Name string `json:"name"`
	Sent int64  `json:"sent_ns"` // since 1970, by the sender's clock
}

// take notes an order.
func (s *saved) take(o takenOrder) {
	if s.Taken == nil {
		s.Taken = map[string]int64{}
	}
	s.Taken[o.Name] = max(s.Taken[o.Name], o.Sent)
}

// namedTerms are the terms of a partition, nil if it is removed.
type namedTerms struct {
	Name     string `json:"name"`
	Terms    *terms `json:"terms"`
	Instance string `json:"instance,omitempty"` // of the client of a partition that is removed
}

// mostRemoved bounds the partitions that a host remembers as removed.
const mostRemoved = 1 << 10

// settle takes the terms of a partition.
func (s *saved) settle(t namedTerms) {
	if s.Partitions == nil {
		s.Partitions = map[string]terms{}
	}
	if s.Removed == nil {
		s.Removed = map[string]string{}
	}
	if t.Terms != nil {
		s.Partitions[t.Name] = *t.Terms
		delete(s.Removed, t.Name)
		return
	}
	delete(s.Partitions, t.Name)
	if len(s.Removed) >= mostRemoved {
		clear(s.Removed)
	}
	s.Removed[t.Name] = t.Instance
}

// open opens a state, nil without a path. old is nil if there is no state yet. The error is
// the user's mistake.
func open(path string, of role, minute time.Duration) (log *statelog.Log, old *saved, disk *statelog.State, err error) {
	if path == "" {
		return nil, nil, new(statelog.State), nil
	}
	log, disk, err = statelog.Open(path)
	if err == nil {
		if old, err = restore(disk); err != nil {
			log.Close()
		}
	}
	if err == nil {
		if err = old.fits(path, of, minute); err != nil {
			log.Close()
			return nil, nil, nil, err
		}
		return log, old, disk, nil
	}
	verb := "read"
	if errors.Is(err, fs.ErrNotExist) { // the folder
		verb = "save"
	}
	return nil, nil, nil, cli.Mistakef("cannot %s -state %s: %v", verb, path, err)
}

// fits says what is wrong with a state for a process.
func (s *saved) fits(path string, of role, minute time.Duration) error {
	switch {
	case s == nil:
	case s.Role != of.String() || of == hostRole && s.Manager == nil || of == clientRole && s.Client == nil:
		return cli.Mistakef("cannot read -state %s: it is not the state of a %s", path, of)
	case s.Minute != minute:
		return cli.Mistakef("-minute %v: in -state %s a minute takes %v, and its times are no good for another", minute, path, s.Minute)
	}
	return nil
}

// load reads a state that another process may be writing, nil if there is none.
func load(path string) (*saved, error) {
	s, err := statelog.Read(path)
	if err != nil {
		return nil, err
	}
	return restore(s)
}

// check is the check of -fsck.
func check(path string) (x fsck.Finding, err error) {
	disk, err := statelog.Read(path)
	if err != nil {
		return x, err
	}
	x.Records, x.Torn, x.BadMarks = len(disk.Records), disk.Torn, disk.BadMarks
	s, err := restore(disk)
	switch {
	case err != nil:
		return x, err
	case s == nil:
		return x, fs.ErrNotExist
	case s.Manager != nil:
		x.Of = fmt.Sprintf("a host with %s", nodesText(s.Manager.Nodes()))
	case s.Client != nil:
		x.Of = "the client of " + s.Client.Partition()
	default:
		return x, errors.New("it is neither a host's state nor a client's")
	}
	return x, nil
}

// restore returns the state that a snapshot and its records say, nil if there is none.
func restore(s *statelog.State) (*saved, error) {
	if s.Snapshot == nil {
		return nil, nil
	}
	snapshot := s.Snapshot
	for i, r := range slices.Backward(s.Records) {
		if r[0] == recordWhole {
			snapshot, s.Records = r[1:], s.Records[i+1:]
			break
		}
	}
	var in struct {
		saved
		Manager *string `json:"manager"`
	}
	if err := json.Unmarshal(snapshot, &in); err != nil {
		if bad := new(preempt.InputError); errors.As(err, &bad) {
			return nil, bad
		}
		return nil, errors.New("it is not a state, or not a whole one: want the file as this program wrote it")
	}
	out := in.saved
	if in.Manager == nil {
		return &out, nil
	}
	var changes [][]byte
	for i, r := range s.Records {
		text := r[1:]
		switch r[0] {
		case recordManager:
			changes = append(changes, r[1:])
			continue
		case recordBoth:
			n, k := binary.Uvarint(text)
			if k <= 0 || n > uint64(len(text)-k) {
				return nil, fmt.Errorf("record %d is not whole: want the file as this program wrote it", i)
			}
			changes = append(changes, text[k+int(n):])
			text = text[k : k+int(n)]
			fallthrough
		case recordTerms:
			var t namedTerms
			if err := json.Unmarshal(text, &t); err != nil {
				return nil, fmt.Errorf("record %d: %w", i, err)
			}
			out.settle(t)
		case recordTaken:
			var o takenOrder
			if err := json.Unmarshal(text, &o); err != nil {
				return nil, fmt.Errorf("record %d: %w", i, err)
			}
			out.take(o)
		default:
			return nil, fmt.Errorf("record %d is of kind %q: want the state of this program, or of an earlier version", i, r[0])
		}
	}
	out.Manager = new(exchange.Manager)
	return &out, out.Manager.Restore([]byte(*in.Manager), func(yield func([]byte, error) bool) {
		for _, c := range changes {
			if !yield(c, nil) {
				return
			}
		}
	})
}

// clone returns a copy that the state does not share what changes with.
func (s *saved) clone() *saved {
	c := *s
	if s.Manager != nil {
		c.Manager = s.Manager.Clone()
	}
	if s.Partitions != nil {
		c.Partitions = map[string]terms{}
		for k, v := range s.Partitions {
			c.Partitions[k] = v
		}
	}
	c.Removed, c.Taken = maps.Clone(s.Removed), maps.Clone(s.Taken)
	return &c
}

// store is where a process saves its state. A store without a log saves nothing.
type store struct {
	path   string
	log    disk // nil: none
	record []byte
	saving chan struct{} // not empty while a snapshot is under way
	tried  time.Time     // when a new snapshot was tried last, after an error
	broken error
}

// disk is what a store needs of a [statelog.Log].
type disk interface {
	Append(record []byte) (int64, error)
	Sync(pos int64) error
	Long() bool
	Rotate() error
	Snapshot(state []byte) error
	Replace(state []byte) error
	Close() error
}

func newStore(path string, log *statelog.Log) *store {
	w := &store{path: path, saving: make(chan struct{}, 1)}
	if log != nil {
		w.log = log
	}
	return w
}

// fail returns the error of a save.
func (w *store) fail(err error) error { return fmt.Errorf("cannot save -state %s: %w", w.path, err) }

// replace saves the whole state.
func (w *store) replace(s *saved) error {
	if w.log == nil {
		return nil
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = w.log.Replace(data)
	}
	if err != nil {
		return w.fail(err)
	}
	if s.Manager != nil {
		s.Manager.ChangesSaved()
	}
	return nil
}

// save writes what has changed, and returns what sync waits for. terms is a namedTerms in
// JSON, or nil. It is in one record with the changes of the manager, since one without the
// other is no state. The caller has the lock of the state.
func (w *store) save(s *saved, terms []byte) (pos int64, err error) {
	if w.log == nil {
		if s.Manager != nil {
			s.Manager.ChangesSaved()
		}
		return 0, nil
	}
	if w.broken != nil { // no record can follow; the whole state may
		if time.Since(w.tried) < time.Second {
			return 0, w.broken
		}
		w.tried = time.Now()
		w.saving <- struct{}{}
		err := w.replace(s)
		<-w.saving
		if err != nil {
			return 0, err
		}
		w.broken = nil
		return w.log.Append(nil)
	}
	w.record = w.record[:0]
	switch {
	case s.Manager != nil && len(terms) > 0:
		w.record = binary.AppendUvarint(append(w.record, recordBoth), uint64(len(terms)))
		w.record = append(w.record, terms...)
		n := len(w.record)
		if w.record = s.Manager.AppendChanges(w.record); len(w.record) == n {
			w.record = append(append(w.record[:0], recordTerms), terms...)
		}
	case s.Manager != nil:
		w.record = s.Manager.AppendChanges(append(w.record, recordManager))
		if len(w.record) == 1 {
			w.record = w.record[:0]
		}
	default:
		data, err := json.Marshal(s)
		if err != nil {
			return 0, w.fail(err)
		}
		w.record = append(append(w.record, recordWhole), data...)
	}
	if pos, err = w.log.Append(w.record); err != nil {
		return 0, w.fail(err)
	}
	if s.Manager != nil {
		s.Manager.ChangesSaved()
	}
	if w.log.Long() {
		w.renew(s)
	}
	return pos, nil
}

// order notes an order that is about to be carried out. It is on disk with what it does, whose
// record follows.
func (w *store) order(s *saved, o takenOrder) error {
	s.take(o)
	if w.log == nil || s.Manager == nil || w.broken != nil { // else the next record has the whole state
		return nil
	}
	data, err := json.Marshal(o)
	if err == nil {
		_, err = w.log.Append(append([]byte{recordTaken}, data...))
	}
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// renew begins a new log and saves the state of this moment beside what goes on.
func (w *store) renew(s *saved) {
	select {
	case w.saving <- struct{}{}:
	default:
		return
	}
	if err := w.log.Rotate(); err != nil {
		<-w.saving
		return // tried again when the next record is written
	}
	c := s.clone()
	var now []byte
	if c.Manager == nil { // the maps and the client of a client are small: now
		now, _ = json.Marshal(c)
	}
	go func() {
		defer func() { <-w.saving }()
		data := now
		if data == nil {
			data, _ = json.Marshal(c)
		}
		if data != nil {
			w.log.Snapshot(data) // if that fails, the old snapshot and both logs count
		}
	}()
}

// sync returns when what was saved up to pos is on disk.
func (w *store) sync(pos int64) error {
	if w.log == nil {
		return nil
	}
	if err := w.log.Sync(pos); err != nil {
		return w.fail(err)
	}
	return nil
}

func (w *store) close() {
	if w.log != nil {
		w.saving <- struct{}{}
		w.log.Close()
	}
}
