// Package statelog keeps the state of a process on disk as a snapshot and a log of the
// changes since, so that a change costs its own size and not the size of the state.
//
//	PATH         the snapshot: {"generation": 7, "log": true, "sum": "...", "state": ...}
//	PATH.7.log   the changes since; each record has a length and a checksum
//	PATH.lock    keeps other processes from the state
//
// A record counts when [Log.Sync] has returned. One write to the disk serves all records
// that wait at a time. When the log is long, [Log.Rotate] begins a new one, and
// [Log.Snapshot] saves the state of that moment while records go on.
//
// After a kill, the log may end in the middle of a record. [Open] leaves that record out:
// Sync never returned for it. If a later record says that the place was synced before, the
// file is damaged, which is an error. The checksum of a record includes its log and its place
// there, and that of a snapshot its generation. So a record or a file that stands where
// another belongs is damage, too. A snapshot that says "log" has a log. What cannot be seen is
// a cut between two records at the end of the last log, and the loss of that whole file if the
// snapshot is of a log before.
//
// Files are readable by their owner only. Symbolic links are not followed.
package statelog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/examples/internal/filelock"
)

// A State is what is on disk: a snapshot and the records since.
type State struct {
	Snapshot []byte // nil if there is no state
	Records  [][]byte
	Torn     int // bytes of a last record that is not whole

	generation uint64
}

// Log is an open state. Its methods may be called by several goroutines.
type Log struct {
	path string
	lock *os.File

	mu         sync.Mutex
	cond       sync.Cond
	f          file
	generation uint64
	base       int64 // positions of earlier logs
	size       int64 // of this log
	snapshot   int64 // size of the last snapshot
	synced     int64 // position
	syncing    bool
	err        error // of a sync: what is on disk is not known
	written    int64 // bytes in all

	open func(name string, flag int) (file, error) // for tests
}

type file interface {
	io.WriteCloser
	Sync() error
	Truncate(int64) error
}

const (
	magic  = "plimlog1"
	header = 24 // magic, generation, and the size of the log before, 0 if it does not count
	frame  = 16 // length, checksum, synced
)

var table = crc32.MakeTable(crc32.Castagnoli)

// Open opens a state for this process alone and reads it.
func Open(path string) (*Log, *State, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		what := "not a file"
		if info.Mode()&fs.ModeSymlink != 0 {
			what = "a symbolic link"
		} else if info.IsDir() {
			what = "a folder"
		}
		return nil, nil, fmt.Errorf("it is %s: want a file", what)
	}
	l := &Log{path: path, open: openFile}
	l.cond.L = &l.mu
	var err error
	if l.lock, err = openLock(path + ".lock"); err != nil {
		return nil, nil, plain(err)
	}
	alone, err := filelock.Exclude(l.lock)
	if err == nil && !alone {
		err = errors.New("another process uses it: want a state of its own for each")
	}
	var s *State
	if err == nil {
		s, err = Read(path)
	}
	if err != nil {
		l.lock.Close()
		return nil, nil, plain(err)
	}
	l.generation = s.generation + uint64(len(logsOf(path, s.generation)))
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
func Read(path string) (*State, error) {
	s := new(State)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if logs := allLogs(path); len(logs) > 0 { // a process that began anew would forget what they say
			return nil, fmt.Errorf("it is missing, and its log %s is there: want both files, or neither",
				filepath.Base(logs[slices.Max(slices.Collect(maps.Keys(logs)))]))
		}
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	var in snapshot
	if err := json.Unmarshal(data, &in); err != nil || in.Generation == 0 || in.Sum != sumOf(in.Generation, in.Log, in.State) {
		return nil, errors.New("it is not a state, or not a whole one: want the file as this program wrote it")
	}
	s.Snapshot, s.generation = in.State, in.Generation
	logs := logsOf(path, s.generation)
	for g, name := range allLogs(path) {
		if g >= s.generation+uint64(len(logs)) {
			return nil, fmt.Errorf("a log before %s is missing: want all files of the state", filepath.Base(name))
		}
	}
	if in.Log && len(logs) == 0 {
		return nil, fmt.Errorf("its log %s is missing: want both files, or neither", filepath.Base(logName(path, s.generation)))
	}
	before := 0
	for i, name := range logs {
		data, err := readFile(name)
		if err != nil {
			return nil, err
		}
		if i > 0 && len(data) >= header {
			if size := binary.LittleEndian.Uint64(data[16:]); size != 0 && size != uint64(before) {
				return nil, fmt.Errorf("%s has %d bytes: want %d, as the next log says", filepath.Base(logs[i-1]), before, size)
			}
		}
		before = len(data)
		if err := s.read(filepath.Base(name), data, s.generation+uint64(i), i == len(logs)-1, i > 0 || !in.Log); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// snapshot is the file of a snapshot.
type snapshot struct {
	Generation uint64          `json:"generation"`
	Log        bool            `json:"log"` // the log was begun before the snapshot was written
	Sum        string          `json:"sum"`
	State      json.RawMessage `json:"state"`
}

func sumOf(generation uint64, log bool, state []byte) string {
	head := crc32.Checksum(fmt.Appendf(nil, "%d %v ", generation, log), table)
	return fmt.Sprintf("%08x", crc32.Update(head, table, state))
}

// logsOf returns the logs that follow a snapshot.
func logsOf(path string, generation uint64) (names []string) {
	for ; ; generation++ {
		name := logName(path, generation)
		if _, err := os.Lstat(name); err != nil {
			return names
		}
		names = append(names, name)
	}
}

func logName(path string, generation uint64) string {
	return path + "." + strconv.FormatUint(generation, 10) + ".log"
}

// read reads the records of a log.
// The last log may be begun and not more, if it may be empty.
func (s *State) read(name string, data []byte, generation uint64, last, empty bool) error {
	if len(data) < header || string(data[:8]) != magic || binary.LittleEndian.Uint64(data[8:]) != generation {
		if last && empty && len(data) < header {
			s.Torn = len(data)
			return nil
		}
		return fmt.Errorf("%s is not its log: want the file that belongs to the state", name)
	}
	at := header
	for at < len(data) {
		record, _, ok := next(data, at, generation)
		if !ok {
			break
		}
		s.Records = append(s.Records, record)
		at += frame + len(record)
	}
	if at == len(data) {
		return nil
	}
	damaged := !last
	if len(data)-at >= frame { // the record ends before the file does: it was whole
		n := int64(binary.LittleEndian.Uint32(data[at:]))
		damaged = damaged || n > 0 && n < int64(len(data)-at-frame)
	}
	for p := at + 1; p < len(data) && !damaged; p++ {
		_, synced, ok := next(data, p, generation)
		damaged = ok && synced > int64(at)
	}
	if damaged {
		return fmt.Errorf("%s is damaged at byte %d: want the file as it was written, or another copy of the state", name, at)
	}
	s.Torn = len(data) - at
	return nil
}

// next returns the record at a place of a log, and up to where the log was synced when the
// record was written.
func next(data []byte, at int, generation uint64) (record []byte, synced int64, ok bool) {
	if len(data)-at < frame {
		return nil, 0, false
	}
	head := data[at : at+frame]
	n := binary.LittleEndian.Uint32(head)
	synced = int64(binary.LittleEndian.Uint64(head[8:]))
	if n == 0 || int64(n) > int64(len(data)-at-frame) || synced < 0 || synced > int64(at) { // before the work of a sum
		return nil, 0, false
	}
	record = data[at+frame : at+frame+int(n)]
	return record, synced, recordSum(generation, int64(at), head, record) == binary.LittleEndian.Uint32(head[4:])
}

// recordSum is the checksum of a record at a place of a log.
func recordSum(generation uint64, at int64, head, record []byte) uint32 {
	var place [20]byte
	binary.LittleEndian.PutUint64(place[:], generation)
	binary.LittleEndian.PutUint64(place[8:], uint64(at))
	copy(place[16:], head[:4])
	sum := crc32.Update(crc32.Checksum(place[:], table), table, head[8:frame])
	return crc32.Update(sum, table, record)
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
		data := make([]byte, frame, frame+len(record))
		binary.LittleEndian.PutUint32(data, uint32(len(record)))
		binary.LittleEndian.PutUint64(data[8:], uint64(max(0, l.synced-l.base)))
		data = append(data, record...)
		binary.LittleEndian.PutUint32(data[4:], recordSum(l.generation, l.size, data[:frame], record))
		n, err := l.f.Write(data)
		l.written += int64(n)
		if err != nil {
			if e := l.f.Truncate(l.size); e != nil {
				l.err = e
			}
			return 0, err
		}
		l.size += int64(len(data))
	}
	return l.base + l.size, nil
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

// sync syncs what is written so far. It lets go of the lock meanwhile.
func (l *Log) sync() {
	l.syncing = true
	f, to := l.f, l.base+l.size
	l.mu.Unlock()
	err := f.Sync()
	l.mu.Lock()
	l.syncing = false
	if err != nil {
		l.err = err
	} else {
		l.synced = max(l.synced, to)
	}
	l.cond.Broadcast()
}

// Long reports whether the log is so long that the state should be saved anew.
func (l *Log) Long() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size > max(1<<20, 4*l.snapshot)
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
	if l.f != nil {
		if l.sync(); l.err != nil {
			return l.err
		}
	}
	return l.begin(l.size)
}

// begin begins the log of the next generation. before is the size of the log before, 0 if that
// log does not count.
func (l *Log) begin(before int64) error {
	name := logName(l.path, l.generation+1)
	f, err := l.open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint64([]byte(magic), l.generation+1)
	head = binary.LittleEndian.AppendUint64(head, uint64(before))
	if _, err = f.Write(head); err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Close()
		os.Remove(name)
		return err
	}
	syncFolder(l.path)
	if l.f != nil {
		l.f.Close()
	}
	l.written += header
	l.base += l.size
	l.f, l.size, l.generation = f, header, l.generation+1
	l.synced, l.err = l.base+header, nil
	return nil
}

// Snapshot saves the state of the last Rotate, in JSON, and removes the logs before.
func (l *Log) Snapshot(state []byte) error {
	l.mu.Lock()
	generation := l.generation
	l.mu.Unlock()
	return l.save(state, generation, true)
}

func (l *Log) save(state []byte, generation uint64, log bool) error {
	data := fmt.Appendf(nil, `{"generation":%d,"log":%v,"sum":%q,"state":`, generation, log, sumOf(generation, log, state))
	data = append(append(data, state...), '}', '\n')
	tmp := l.path + ".tmp"
	os.Remove(tmp) // of a process that was killed
	f, err := l.open(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, l.path)
	}
	if err != nil {
		os.Remove(tmp)
		return err
	}
	syncFolder(l.path)
	l.mu.Lock()
	l.snapshot = int64(len(data))
	l.written += int64(len(data))
	l.mu.Unlock()
	for g, name := range allLogs(l.path) {
		if g < generation {
			os.Remove(name)
		}
	}
	return nil
}

// allLogs returns the logs of a path by generation, also those that do not count.
func allLogs(path string) map[uint64]string {
	logs := map[uint64]string{}
	names, _ := filepath.Glob(pattern(path))
	for _, name := range names {
		middle := strings.TrimSuffix(strings.TrimPrefix(name, path+"."), ".log")
		if g, err := strconv.ParseUint(middle, 10, 64); err == nil {
			logs[g] = name
		}
	}
	return logs
}

// pattern matches the logs of a path.
func pattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path) + ".*.log"
}

// Replace saves the state whole and begins a new log: at the start, and after an error.
func (l *Log) Replace(state []byte) error {
	l.mu.Lock()
	generation := l.generation + 1
	l.mu.Unlock()
	// The snapshot first: a log without its snapshot would follow the old one.
	if err := l.save(state, generation, false); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.syncing {
		l.cond.Wait()
	}
	if err := l.begin(0); err != nil {
		l.err = err // the snapshot is newer than the log
		return err
	}
	return nil
}

// Close closes the state. Records that are not synced may be lost.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.f != nil {
		err = l.f.Close()
		l.f = nil
	}
	filelock.Close(l.lock) // its file stays: who waits for it has it open
	return err
}

func syncFolder(path string) {
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync() // the new names, where the system does that for folders
		dir.Close()
	}
}

func readFile(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// openLock opens the file that is locked.
func openLock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
}

func openFile(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil { // of a file that was there
		f.Close()
		return nil, err
	}
	return f, nil
}
