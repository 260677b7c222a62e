package statelog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
)

// begin opens a new state with a snapshot.
func begin(t *testing.T) (path string, l *Log) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s")
	l, s, err := Open(path)
	if err != nil || s.Snapshot != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := l.Replace([]byte(`"zero"`)); err != nil {
		t.Fatal(err)
	}
	return path, l
}

func add(t *testing.T, l *Log, records ...string) {
	t.Helper()
	for _, r := range records {
		pos, err := l.Append([]byte(r))
		if err == nil {
			err = l.Sync(pos)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// is says what is on disk: the snapshot and the records.
func is(t *testing.T, path string) string {
	t.Helper()
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.Snapshot)
	for _, r := range s.Records {
		text += " " + string(r)
	}
	return text
}

func want(t *testing.T, path, text string) {
	t.Helper()
	if diff := cmp.Diff(text, is(t, path)); diff != "" {
		t.Errorf("on disk (-want +got):\n%s", diff)
	}
}

// A state whose snapshot is missing is not begun anew over its log.
func TestMissing(t *testing.T) {
	path, l := begin(t)
	add(t, l, "a")
	l.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path); err == nil || !strings.Contains(err.Error(), "s.1.log is there") {
		t.Errorf("%v", err)
	}
	if err := os.Remove(path + ".1.log"); err != nil {
		t.Fatal(err)
	}
	l, s, err := Open(path)
	if err != nil || s.Snapshot != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	l.Close()
}

// Records follow the snapshot, through rotations that are or are not followed by theirs.
func TestRotate(t *testing.T) {
	path, l := begin(t)
	add(t, l, "a", "b")
	want(t, path, `"zero" a b`)
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	add(t, l, "c")
	want(t, path, `"zero" a b c`) // a kill before the snapshot
	if err := l.Snapshot([]byte(`"ab"`)); err != nil {
		t.Fatal(err)
	}
	want(t, path, `"ab" c`)
	l.Close()
	files, _ := filepath.Glob(path + "*")
	if diff := cmp.Diff([]string{path, path + ".2.log", path + ".lock"}, files); diff != "" {
		t.Error(diff)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	l, s, err := Open(path)
	if err != nil || len(s.Records) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := l.Replace([]byte(`"abc"`)); err != nil {
		t.Fatal(err)
	}
	want(t, path, `"abc"`)
	add(t, l, "d")
	want(t, path, `"abc" d`)
}

// full is a file on a disk that fills, and whose syncs fail.
type full struct {
	chain.File
	room int
	bad  error
}

func (f *full) WriteAt(p []byte, at int64) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return f.File.WriteAt(p, at)
	}
	n, _ := f.File.WriteAt(p[:f.room], at)
	f.room = 0
	return n, syscall.ENOSPC
}

func (f *full) Sync() error { return errors.Join(f.bad, f.File.Sync()) }

// on has the files of a log on a full disk.
type on struct {
	Disk
	end string // of the names that are on it
	full
}

func (o *on) Create(name string) (chain.File, error) {
	f, err := o.Disk.Create(name)
	if err == nil && strings.HasSuffix(name, o.end) {
		f = &full{f, o.room, o.bad}
	}
	return f, err
}

// When the disk is full a record is not there at all, and when there is room again the next
// one is. After a failed sync nobody knows what is on disk: only a new snapshot helps.
func TestFull(t *testing.T) {
	path, l := begin(t)
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	l.disk = &on{machine{}, ".log.tmp", full{room: 1 << 20}}
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	add(t, l, "a")
	f := l.f.(*full)
	f.room = 27
	if _, err := l.Append([]byte("bbbbbb")); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	want(t, path, `"zero" a`)
	f.room = 1 << 20
	add(t, l, "c")
	want(t, path, `"zero" a c`)
	f.bad = syscall.EIO
	pos, err := l.Append([]byte("d"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(pos); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	if _, err := l.Append([]byte("e")); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	if err := l.Rotate(); err == nil {
		t.Fatal("a log goes on after one of which nobody knows what it says")
	}
	l.disk = machine{}
	if err := l.Replace([]byte(`"acd"`)); err != nil {
		t.Fatal(err)
	}
	add(t, l, "f")
	want(t, path, `"acd" f`)
}

// Whatever fails while a snapshot or a log begins is told, and the state stays as it was, or is
// that of the snapshot if its log cannot be marked.
func TestBadDisk(t *testing.T) {
	for _, end := range []string{"s.tmp", ".log.tmp"} {
		for _, bad := range []full{{room: 10}, {room: 1 << 20, bad: syscall.EIO}} {
			path, l := begin(t)
			add(t, l, "a")
			l.disk = &on{machine{}, end, bad}
			if err := l.Replace([]byte(`"new"`)); err == nil {
				t.Errorf("%s: no error", end)
			}
			want(t, path, `"zero" a`)
			add(t, l, "b")
			err := l.Rotate()
			if end == ".log.tmp" && err == nil || end == "s.tmp" && err != nil {
				t.Errorf("%s: rotated with %v", end, err)
			}
			add(t, l, "c")
			want(t, path, `"zero" a b c`)
			l.disk = machine{}
			if err := l.Replace([]byte(`"abc"`)); err != nil {
				t.Fatal(err)
			}
			add(t, l, "d")
			want(t, path, `"abc" d`)
			l.Close()
		}
	}
	path, l := begin(t)
	l.disk = &on{machine{}, ".log.tmp", full{room: chain.Start}} // no room for the mark
	if err := l.Replace([]byte(`"new"`)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	want(t, path, `"new"`)
	if _, err := l.Append([]byte("lost")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a record after it: %v", err)
	}
	l.disk = machine{}
	if err := l.Replace([]byte(`"newer"`)); err != nil {
		t.Fatal(err)
	}
	add(t, l, "a")
	want(t, path, `"newer" a`)
}

// A process that is killed at any of its writes leaves the state of before or after.
func TestKilled(t *testing.T) {
	for writes := 0; ; writes++ {
		path, l := begin(t)
		add(t, l, "a")
		k := &killed{machine{}, 1 << 10}
		l.disk, l.f = k, &killedFile{l.f, k}
		var err error
		if l.w, err = chain.Resume(l.f, scan(t, path+".1.log")); err != nil {
			t.Fatal(err)
		}
		k.left = writes
		acts := []func() error{
			func() error { return l.Rotate() },
			func() error { return l.Snapshot([]byte(`"a"`)) },
			func() error {
				pos, err := l.Append([]byte("b"))
				return errors.Join(err, l.Sync(pos))
			},
			func() error { return l.Replace([]byte(`"ab"`)) },
		}
		done := 0
		for done < len(acts) && acts[done]() == nil {
			done++
		}
		l.lock.Close()
		got := is(t, path)
		states := []string{`"zero" a`, `"zero" a`, `"a"`, `"a" b`, `"ab"`}
		if got != states[done] && (done == len(acts) || got != states[done+1]) {
			t.Fatalf("killed at write %d, after %d acts: %s", writes, done, got)
		}
		again, _, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Replace([]byte(`"again"`)); err != nil {
			t.Fatal(err)
		}
		add(t, again, "c")
		want(t, path, `"again" c`)
		again.Close()
		if done == len(acts) {
			if writes < 10 {
				t.Errorf("%d writes", writes)
			}
			return
		}
	}
}

// killed is a disk on which nothing is written after some writes.
type killed struct {
	Disk
	left int
}

type killedFile struct {
	chain.File
	disk *killed
}

var errKilled = errors.New("killed")

func (k *killed) may() error {
	if k.left--; k.left < 0 {
		return errKilled
	}
	return nil
}

func (f *killedFile) WriteAt(p []byte, at int64) (int, error) {
	if err := f.disk.may(); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, at)
}

func (f *killedFile) Truncate(int64) error { return errKilled }

func (k *killed) Create(name string) (chain.File, error) {
	if err := k.may(); err != nil {
		return nil, err
	}
	f, err := k.Disk.Create(name)
	return &killedFile{f, k}, err
}

func (k *killed) Rename(from, to string) error {
	if err := k.may(); err != nil {
		return err
	}
	return k.Disk.Rename(from, to)
}

func (k *killed) Remove(name string) error {
	if err := k.may(); err != nil {
		return err
	}
	return k.Disk.Remove(name)
}

func scan(t *testing.T, name string) *chain.State {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := chain.Scan(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Positions grow over rotations, the bytes written are counted, and a log is long beyond a
// mebibyte and four times the snapshot.
func TestCounts(t *testing.T) {
	path, l := begin(t)
	before := l.Written()
	first, err := l.Append([]byte("abc"))
	if err != nil || l.Written() != before+27 {
		t.Errorf("%d bytes after %d, %v", l.Written(), before, err)
	}
	if err := l.Rotate(); err != nil || l.Written() != before+27+chain.MarkSize+chain.Start {
		t.Errorf("%v, %d bytes after %d", err, l.Written(), before)
	}
	second, err := l.Append([]byte("d"))
	if want := first + chain.Start + 25; err != nil || second != want {
		t.Errorf("position %d after %d, want %d, %v", second, first, want, err)
	}
	before = l.Written()
	if err := l.Snapshot([]byte(`"` + strings.Repeat("x", 300<<10) + `"`)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || l.Written() != before+info.Size() {
		t.Errorf("%d bytes after %d, and the snapshot has %d", l.Written(), before, info.Size())
	}
	for _, c := range []struct {
		record int
		long   bool
	}{{1100 << 10, false}, {150 << 10, true}} { // 4 × 300 KiB are between 1100 and 1250
		if _, err := l.Append(make([]byte, c.record)); err != nil || l.Long() != c.long {
			t.Errorf("after %d bytes more long is %v, %v", c.record, l.Long(), err)
		}
	}
	l.Close()
}

// Many goroutines share syncs, and each record is there when its Sync returns.
func TestGroup(t *testing.T) {
	path, l := begin(t)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			pos, err := l.Append([]byte{byte('A' + i)})
			if err == nil {
				err = l.Sync(pos)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s, err := Read(path)
	if err != nil || len(s.Records) != 50 {
		t.Errorf("%d records, %v", len(s.Records), err)
	}
}

// One process has a state; a symbolic link is not followed; another file is no state.
func TestOpen(t *testing.T) {
	path, l := begin(t)
	if _, _, err := Open(path); err == nil || !strings.Contains(err.Error(), "another process uses it") {
		t.Errorf("a second process: %v", err)
	}
	l.Close()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if _, _, err := Open(link); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link: %v", err)
	}
	for name, says := range map[string]string{t.TempDir(): "it is a folder: want a file", os.DevNull: "it is not a file: want a file"} {
		if _, _, err := Open(name); err == nil || err.Error() != says {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	if _, _, err := Open(filepath.Join(t.TempDir(), "no", "s")); !errors.Is(err, syscall.ENOENT) || strings.Contains(err.Error(), "no/s") {
		t.Errorf("no folder: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(path, other+".lock"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(other); err == nil {
		t.Error("a lock that is a link is followed")
	}
	old := filepath.Join(t.TempDir(), "old")
	if err := os.WriteFile(old, []byte(`{"role":"host"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(old); err == nil || !strings.Contains(err.Error(), "it is not a state, or not a whole one") {
		t.Errorf("a file that is no snapshot: %v", err)
	}
	l, _, err := Open(filepath.Join(t.TempDir(), "new"))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// Of a small state, each flipped bit, each cut, each missing file and each two files that change
// places are found, or change nothing.
func TestDamage(t *testing.T) {
	path, l := begin(t)
	add(t, l, "a", "bb")
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	before := files(t, path)
	if err := l.Snapshot([]byte(`"abb"`)); err != nil {
		t.Fatal(err)
	}
	add(t, l, "c", "d")
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	add(t, l, "e", "f", "g")
	l.Close()
	good := files(t, path)
	tried := 0
	check := func(what string, change func(map[string][]byte)) {
		t.Helper()
		tried++
		d := memory(maps.Clone(good))
		change(d)
		s, err := ReadOn(d, path)
		if err != nil {
			return
		}
		if got := string(s.Snapshot) + " " + string(bytes.Join(s.Records, []byte(" "))); got != `"abb" c d e f g` || s.Torn > 0 {
			t.Errorf("%s: %s, %d bytes torn", what, got, s.Torn)
		}
	}
	for name, data := range good {
		base := filepath.Base(name)
		for i := range data {
			for bit := range 8 {
				check(fmt.Sprintf("bit %d of byte %d of %s", bit, i, base), func(d map[string][]byte) {
					d[name] = bytes.Clone(data)
					d[name][i] ^= 1 << bit
				})
			}
			check(fmt.Sprintf("%s cut at %d", base, i), func(d map[string][]byte) { d[name] = data[:i] })
		}
		check(base+" is missing", func(d map[string][]byte) { delete(d, name) })
		for other := range good {
			check(base+" and "+filepath.Base(other)+" change places", func(d map[string][]byte) { d[name], d[other] = d[other], d[name] })
			check(base+" and "+filepath.Base(other)+" are missing", func(d map[string][]byte) {
				if len(good) > 2 {
					delete(d, name)
					delete(d, other)
				}
			})
		}
		if old, ok := before[name]; ok {
			check(base+" is an earlier one", func(d map[string][]byte) { d[name] = old })
		}
	}
	if len(good) != 3 || tried < 10000 {
		t.Errorf("%d files, %d tried", len(good), tried)
	}
}

// memory is a disk in memory, to read from.
type memory map[string][]byte

func files(t *testing.T, path string) memory {
	t.Helper()
	m := memory{}
	names, _ := filepath.Glob(path + "*")
	for _, name := range names {
		if !strings.HasSuffix(name, ".lock") {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m[name] = data
		}
	}
	return m
}

func (m memory) Read(name string) ([]byte, error) {
	if data, ok := m[name]; ok {
		return data, nil
	}
	return nil, os.ErrNotExist
}

func (m memory) List(beginning string) (names []string, err error) {
	for name := range m {
		if strings.HasPrefix(name, beginning) {
			names = append(names, filepath.Base(name))
		}
	}
	return names, nil
}

func (memory) Check(string) error                { return nil }
func (memory) Lock(string) (io.Closer, error)    { return nil, os.ErrPermission }
func (memory) Create(string) (chain.File, error) { return nil, os.ErrPermission }
func (memory) Rename(string, string) error       { return os.ErrPermission }
func (memory) Remove(string) error               { return os.ErrPermission }
func (memory) SyncFolder(string) error           { return os.ErrPermission }
