// Package statelog keeps the state of a process on disk as a snapshot and a log of the
// changes since, so that a change costs its own size and not the size of the state.
//
//	PATH         the snapshot: {"generation": 7, "log": "...", "sum": "...", "state": ...}
//	PATH.7.log   the changes since, a file of package chain
//	PATH.lock    keeps other processes from the state
//
// A record counts when [Log.Sync] has returned. One write to the disk serves all records
// that wait at a time. When the log is long, [Log.Rotate] begins a new one, and
// [Log.Snapshot] saves the state of that moment while records go on.
//
// The state proves itself. A snapshot names the log that follows it, and a log names the last
// record of the log before. A log is marked when its snapshot is on disk, and when the next log
// is. So [Read] finds each flipped bit, each cut, records and files that change places, and each
// file that is missing. Only the last record of the last log may be torn, after a kill: Sync
// never returned for it, and Read leaves it out. What cannot be seen is that all files are gone,
// or are those of an earlier time.
//
// Files are readable by their owner only. Symbolic links are not followed.
package statelog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
)

// A State is what is on disk: a snapshot and the records since.
type State struct {
	Snapshot []byte // nil if there is no state
	Records  [][]byte
	Torn     int64 // bytes of a last record that is not whole
	BadMarks int   // marks of logs that are damaged: the state is whole by the others

	generation uint64 // of the snapshot
	last       uint64 // of all logs
}

// Log is an open state. Its methods may be called by several goroutines.
type Log struct {
	path string
	disk Disk
	lock io.Closer

	mu         sync.Mutex
	cond       sync.Cond
	f          chain.File // nil: none
	w          *chain.Writer
	generation uint64
	base       int64 // positions of earlier logs
	snapshot   int64 // size of the last snapshot
	synced     int64 // position
	syncing    bool
	err        error // of a sync: what is on disk is not known
	written    int64 // bytes in all
}

// Open opens a state for this process alone and reads it.
func Open(path string) (*Log, *State, error) { return OpenOn(machine{}, path) }

// OpenOn is Open on a disk.
func OpenOn(d Disk, path string) (*Log, *State, error) {
	if err := d.Check(path); err != nil {
		return nil, nil, err
	}
	l := &Log{path: path, disk: d}
	l.cond.L = &l.mu
	var err error
	if l.lock, err = d.Lock(path + ".lock"); err != nil {
		return nil, nil, plain(err)
	}
	s, err := ReadOn(d, path)
	if err != nil {
		l.lock.Close()
		return nil, nil, plain(err)
	}
	l.generation = s.last
	return l, s, nil
}

// plain returns an error without the path, which the caller says.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Read reads a state that another process may be writing.
func Read(path string) (*State, error) { return ReadOn(machine{}, path) }

// ReadOn is Read on a disk.
func ReadOn(d Disk, path string) (*State, error) {
	for {
		logs, err := allLogs(d, path)
		if err != nil {
			return nil, err
		}
		data, err := d.Read(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		s, bad := read(d, path, data, logs)
		if bad == nil {
			return s, nil
		}
		if now, err := allLogs(d, path); err != nil || maps.Equal(now, logs) {
			return nil, bad
		} // else its process has begun or removed a log meanwhile
	}
}

// read reads the state of a snapshot, nil if there is none.
func read(d Disk, path string, data []byte, logs map[uint64]string) (*State, error) {
	s := new(State)
	for g := range logs {
		s.last = max(s.last, g)
	}
	var in snapshot
	if data != nil {
		if json.Unmarshal(data, &in) != nil || !bytes.Equal(data, in.bytes()) {
			return nil, errors.New("it is not a state, or not a whole one: want the file as this program wrote it")
		}
		if logs[in.Generation] == "" {
			return nil, fmt.Errorf("its log %s is missing: want both files, or neither", filepath.Base(logName(path, in.Generation)))
		}
		s.Snapshot, s.generation = in.State, in.Generation
	}
	var before *chain.State // nil: the snapshot
	for _, g := range slices.Sorted(maps.Keys(logs)) {
		if g < s.generation { // its snapshot has been followed by another one
			continue
		}
		base := filepath.Base(logs[g])
		text, err := d.Read(logs[g])
		if err != nil {
			return nil, err
		}
		c, err := chain.Scan(text)
		if err == nil && c.Head.Generation != g {
			err = chain.ErrOther
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", base, err)
		}
		if c.BadMark {
			s.BadMarks++
		}
		begun := c.End == chain.Start && c.Torn == 0 && c.Flags == 0 // and not more
		switch {
		case s.Snapshot != nil && before == nil:
			if fmt.Sprintf("%08x", c.Head.Sum()) != in.Log {
				return nil, fmt.Errorf("%s is not the log of this state: want the file that belongs to it", base)
			}
		case begun && (c.Head.Size == 0 || before != nil && before.Flags&chain.Sealed == 0):
			continue // its snapshot did not come, or the log before went on
		case before == nil:
			return nil, fmt.Errorf("it is missing, and its log %s is there: want both files, or neither", base)
		case c.Head.Size == 0:
			return nil, fmt.Errorf("%s is the log of a later state: want the file that belongs to it", base)
		case c.Head.Size != uint64(before.End) || c.Head.Before != before.Sum || before.Torn > 0 || before.Flags&chain.Sealed == 0:
			return nil, fmt.Errorf("%s does not follow %s, which should have %d bytes: want all files of the state, as they were written", base,
				filepath.Base(logName(path, before.Head.Generation)), c.Head.Size)
		}
		s.Records = append(s.Records, c.Records...)
		s.Torn, before = c.Torn, c
	}
	if before != nil && before.Flags&chain.Sealed != 0 {
		return nil, fmt.Errorf("the log after %s is missing: want all files of the state", filepath.Base(logName(path, before.Head.Generation)))
	}
	return s, nil
}

// snapshot is the file of a snapshot.
type snapshot struct {
	Generation uint64          `json:"generation"`
	Log        string          `json:"log"` // names the log that follows
	Sum        string          `json:"sum"`
	State      json.RawMessage `json:"state"`
}

// bytes returns the file.
func (s *snapshot) bytes() []byte {
	head := fmt.Appendf(nil, `{"generation":%d,"log":%q,"sum":"`, s.Generation, s.Log)
	sum := chain.Sum(chain.Sum(0, head), s.State)
	return append(append(fmt.Appendf(head, `%08x","state":`, sum), s.State...), '}', '\n')
}

func logName(path string, generation uint64) string {
	return path + "." + strconv.FormatUint(generation, 10) + ".log"
}

// allLogs returns the logs of a path by generation, also those that do not count.
func allLogs(d Disk, path string) (map[uint64]string, error) {
	logs := map[uint64]string{}
	names, err := d.List(path + ".")
	for _, name := range names {
		middle, ok := strings.CutSuffix(strings.TrimPrefix(name, filepath.Base(path)+"."), ".log")
		if g, err := strconv.ParseUint(middle, 10, 64); ok && err == nil && name == filepath.Base(logName(path, g)) {
			logs[g] = logName(path, g)
		}
	}
	return logs, err
}

// Append writes a record and returns its position, for Sync. A record that cannot be
// written whole is not written.
func (l *Log) Append(record []byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil || l.err != nil {
		return 0, errors.Join(errors.New("there is no log to write to"), l.err)
	}
	if len(record) > 0 {
		err, lost := l.w.Append(record)
		if lost {
			l.err = err
		}
		if err != nil {
			return 0, err
		}
		l.written += chain.Size(record)
	}
	return l.base + l.size(), nil
}

// size is that of the log.
func (l *Log) size() int64 {
	if l.w == nil {
		return 0
	}
	end, _ := l.w.End()
	return end
}

// Sync returns when all records up to a position are on disk. After an error, records are
// refused until Replace has saved the state anew.
func (l *Log) Sync(pos int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.synced < pos && l.err == nil {
		if l.syncing {
			l.cond.Wait()
			continue
		}
		l.sync()
	}
	if l.synced >= pos {
		return nil
	}
	return l.err
}

// sync syncs what is written so far, and marks it. It lets go of the lock meanwhile.
func (l *Log) sync() {
	l.syncing = true
	f, w := l.f, l.w
	end, sum := w.End()
	l.mu.Unlock()
	err := f.Sync()
	l.mu.Lock()
	l.syncing = false
	if err == nil {
		err = w.Mark(end, sum, w.Flags())
		l.written += chain.MarkSize
	}
	if err != nil {
		l.err = err
	} else {
		l.synced = max(l.synced, l.base+end)
	}
	l.cond.Broadcast()
}

// Long reports whether the log is so long that the state should be saved anew.
func (l *Log) Long() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size() > max(1<<20, 4*l.snapshot)
}

// Written returns how many bytes were written in all.
func (l *Log) Written() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

// Rotate begins a new log. The caller saves the state of this moment by Snapshot; until then
// the old log counts, too.
func (l *Log) Rotate() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.syncing {
		l.cond.Wait()
	}
	if l.f == nil {
		return errors.New("there is no log to go on from")
	}
	if l.sync(); l.err != nil {
		return l.err
	}
	end, sum := l.w.End()
	l.generation++ // whatever comes of it, its name is not used again
	f, w, err := l.begin(chain.Head{Generation: l.generation, Size: uint64(end), Before: sum})
	if err != nil {
		return err
	}
	// The next log is on disk: from now on, it may not be missing.
	if err = l.w.Mark(end, sum, l.w.Flags()|chain.Sealed); err == nil {
		err = l.f.Sync()
	}
	if err != nil { // the old log may say either
		l.err = err
		f.Close()
		return err
	}
	l.take(f, w)
	return nil
}

// begin begins a log: its file is there whole or not at all.
func (l *Log) begin(h chain.Head) (chain.File, *chain.Writer, error) {
	f, err := l.create(logName(l.path, h.Generation), func(f chain.File) (w *chain.Writer, err error) { return chain.Begin(f, h) })
	if err != nil {
		return nil, nil, err
	}
	return f.File, f.w, nil
}

// created is a file that is there whole.
type created struct {
	chain.File
	w *chain.Writer
}

// create writes a file that is there whole or not at all.
func (l *Log) create(name string, write func(chain.File) (*chain.Writer, error)) (c created, err error) {
	tmp := name + ".tmp"
	l.disk.Remove(tmp) // of a process that was killed
	if c.File, err = l.disk.Create(tmp); err != nil {
		return c, err
	}
	if c.w, err = write(c.File); err == nil {
		err = l.disk.Rename(tmp, name)
	}
	if err == nil {
		err = l.disk.SyncFolder(l.path)
	}
	if err != nil {
		c.Close()
		l.disk.Remove(tmp)
	}
	return c, err
}

// take goes on with a log that was begun.
func (l *Log) take(f chain.File, w *chain.Writer) {
	l.base += l.size()
	if l.f != nil {
		l.f.Close()
	}
	l.written += chain.Start
	l.f, l.w = f, w
	l.synced, l.err = l.base+chain.Start, nil
}

// Snapshot saves the state of the last Rotate, in JSON, and removes the logs before.
func (l *Log) Snapshot(state []byte) error {
	l.mu.Lock()
	generation, name := l.generation, l.w.Name()
	l.mu.Unlock()
	return l.save(state, generation, name)
}

func (l *Log) save(state []byte, generation uint64, log uint32) error {
	data := (&snapshot{Generation: generation, Log: fmt.Sprintf("%08x", log), State: state}).bytes()
	c, err := l.create(l.path, func(f chain.File) (*chain.Writer, error) {
		_, err := f.WriteAt(data, 0)
		if err == nil {
			err = f.Sync()
		}
		return nil, err
	})
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.snapshot = int64(len(data))
	l.written += int64(len(data))
	l.mu.Unlock()
	logs, _ := allLogs(l.disk, l.path)
	for g, name := range logs {
		if g < generation {
			l.disk.Remove(name)
		}
	}
	return nil
}

// Replace saves the state whole and begins a new log: at the start, and after an error. No
// record may be appended meanwhile.
func (l *Log) Replace(state []byte) error {
	l.mu.Lock()
	for l.syncing {
		l.cond.Wait()
	}
	l.generation++ // whatever comes of it, its name is not used again
	generation := l.generation
	l.mu.Unlock()
	// The log first: a snapshot has its log. A log that is begun and not more does not count.
	f, w, err := l.begin(chain.Head{Generation: generation, Before: chain.Sum(0, state)})
	if err != nil {
		return err
	}
	if err = l.save(state, generation, w.Name()); err == nil {
		end, sum := w.End()
		if err = w.Mark(end, sum, chain.Attached); err == nil {
			err = f.Sync()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		f.Close()
		if now, e := l.disk.Read(l.path); e != nil || bytes.HasPrefix(now, fmt.Appendf(nil, `{"generation":%d,`, generation)) {
			l.err = err // the snapshot may be newer than the log
		}
		return err
	}
	l.take(f, w)
	return nil
}

// Close closes the state. Records that are not synced may be lost.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.f != nil {
		err = errors.Join(l.f.Sync(), l.f.Close()) // the last mark, too
		l.f = nil
	}
	l.lock.Close() // its file stays: who waits for it has it open
	return err
}
