package statelog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// A log that is cut at any byte gives the records before, and a damaged one is told.
func TestTorn(t *testing.T) {
	path, l := begin(t)
	var records []string
	for i := range 5 {
		records = append(records, strings.Repeat(fmt.Sprint(i), 3*i+1))
	}
	add(t, l, records...)
	l.Close()
	name := path + ".1.log"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n <= len(data); n++ {
		if err := os.WriteFile(name, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		text := `"zero"`
		at := header
		for _, r := range records {
			if at += frame + len(r); at <= n {
				text += " " + r
			}
		}
		want(t, path, text)
	}
	// A change in the middle of what later records know to be on disk is damage.
	for at := header; at < len(data)-frame-len(records[4])-frame-len(records[3]); at++ {
		bad := append([]byte(nil), data...)
		bad[at] ^= 4
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(path); err == nil || !strings.Contains(err.Error(), "damaged at byte") {
			t.Fatalf("byte %d changed: %v", at, err)
		}
	}
}

// full is a disk that fills, and a sync that fails.
type full struct {
	file
	room int
	bad  error
}

func (f *full) Write(p []byte) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return f.file.Write(p)
	}
	n, _ := f.file.Write(p[:f.room])
	f.room = 0
	return n, syscall.ENOSPC
}

func (f *full) Sync() error { return errors.Join(f.bad, f.file.Sync()) }

// When the disk is full a record is not there at all, and when there is room again the next
// one is.
func TestFull(t *testing.T) {
	path, l := begin(t)
	add(t, l, "a")
	f := &full{file: l.f, room: frame + 3}
	l.f = f
	if _, err := l.Append([]byte("bbbbbb")); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	want(t, path, `"zero" a`)
	f.room = 1 << 20
	add(t, l, "c")
	want(t, path, `"zero" a c`)
	// After a failed sync nobody knows what is on disk: only a new snapshot helps.
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
	if err := l.Replace([]byte(`"acd"`)); err != nil {
		t.Fatal(err)
	}
	add(t, l, "f")
	want(t, path, `"acd" f`)
	// A snapshot that does not fit leaves the state as it was.
	l.open = func(string, int) (file, error) { return nil, syscall.ENOSPC }
	if err := l.Replace([]byte(`"new"`)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	add(t, l, "g")
	want(t, path, `"acd" f g`)
}

// A disk is one on which writes, syncs and truncations of some files fail.
type disk struct {
	file
	write, sync, truncate, close error
	closed                       *int
}

func (d *disk) Write(p []byte) (int, error) {
	if d.write != nil {
		n, _ := d.file.Write(p[:len(p)/2])
		return n, d.write
	}
	return d.file.Write(p)
}
func (d *disk) Sync() error            { return errors.Join(d.sync, d.file.Sync()) }
func (d *disk) Truncate(n int64) error { return errors.Join(d.truncate, d.file.Truncate(n)) }
func (d *disk) Close() error {
	if d.closed != nil {
		*d.closed++
	}
	return errors.Join(d.close, d.file.Close())
}

// on has files whose names have an end on a disk of their own.
func (l *Log) on(d disk, end string) {
	l.open = func(name string, flag int) (file, error) {
		f, err := openFile(name, flag)
		if err != nil || !strings.HasSuffix(name, end) {
			return f, err
		}
		own := d
		own.file = f
		return &own, nil
	}
}

// Whatever fails while a snapshot or a log begins is told, and the state stays as it was.
func TestBadDisk(t *testing.T) {
	for _, d := range []disk{{write: syscall.ENOSPC}, {sync: syscall.EIO}} {
		bad := d.write
		if bad == nil {
			bad = d.sync
		}
		path, l := begin(t)
		add(t, l, "a")
		l.on(d, ".tmp")
		if err := l.Replace([]byte(`"new"`)); !errors.Is(err, bad) {
			t.Errorf("a snapshot: %v, want %v", err, bad)
		}
		want(t, path, `"zero" a`)
		l.on(d, ".log")
		if err := l.Rotate(); !errors.Is(err, bad) {
			t.Errorf("a log: %v, want %v", err, bad)
		}
		want(t, path, `"zero" a`)
		if _, err := os.Stat(path + ".2.log"); err == nil {
			t.Error("the log that failed is there")
		}
		l.open = openFile
		add(t, l, "b")
		want(t, path, `"zero" a b`)
	}
	// The sync of the log before a rotation.
	_, l := begin(t)
	l.f = &disk{file: l.f, sync: syscall.EIO}
	if _, err := l.Append([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := l.Rotate(); !errors.Is(err, syscall.EIO) {
		t.Errorf("a rotation: %v", err)
	}
	// A write that cannot be taken back: nobody knows what is in the log.
	path, l := begin(t)
	l.f = &disk{file: l.f, write: syscall.ENOSPC, truncate: syscall.EIO}
	if _, err := l.Append([]byte("aa")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
	l.f.(*disk).write = nil
	if _, err := l.Append([]byte("b")); !errors.Is(err, syscall.EIO) {
		t.Errorf("after a write that was not taken back: %v", err)
	}
	// The close at the end.
	l.f = &disk{file: l.f, close: syscall.EIO}
	if err := l.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("closed: %v", err)
	}
	want(t, path, `"zero"`)
}

// The log of a process before does not follow the snapshot of this one, even if no log could
// be begun.
func TestFormerLog(t *testing.T) {
	path, l := begin(t)
	add(t, l, "a")
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	add(t, l, "b")
	l.Close()
	l, _, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l.on(disk{write: syscall.ENOSPC}, ".log")
	if err := l.Replace([]byte(`"ab"`)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	want(t, path, `"ab"`)
	l.Close()
}

// Positions grow over rotations, the bytes written are counted, logs are closed, and a log is
// long beyond a mebibyte and four times the snapshot.
func TestCounts(t *testing.T) {
	path, l := begin(t)
	closed := 0
	l.on(disk{closed: &closed}, ".log")
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	before := l.Written()
	first, err := l.Append([]byte("abc"))
	if err != nil || l.Written() != before+frame+3 {
		t.Errorf("%d bytes after %d, %v", l.Written(), before, err)
	}
	if err := l.Rotate(); err != nil || closed != 1 || l.Written() != before+frame+3+header {
		t.Errorf("%v, %d logs closed, %d bytes after %d", err, closed, l.Written(), before)
	}
	second, err := l.Append([]byte("d"))
	if want := first + header + frame + 1; err != nil || second != want {
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

// Each flipped bit, cut, swap of records and missing file of a small state is told, but for the
// end of the last log: there the last record may be torn, and a cut between records gives the
// state of before.
func TestDamageIsFound(t *testing.T) {
	path, l := begin(t)
	add(t, l, "a", "bb")
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	if err := l.Snapshot([]byte(`"abb"`)); err != nil {
		t.Fatal(err)
	}
	add(t, l, "c", "d")
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	add(t, l, "e", "f", "g")
	l.Close()
	whole := `"abb" c d e f g`
	want(t, path, whole)
	first, last := path+".2.log", path+".3.log"
	allowed := func(name string, n int) map[string]bool { // the states that a change at byte n may leave
		ok := map[string]bool{whole: true}
		if name == last && n >= header+2*(frame+1) {
			ok[`"abb" c d e f`] = true
		}
		return ok
	}
	try := func(name, what string, data []byte, ok map[string]bool) {
		t.Helper()
		good, _ := os.ReadFile(name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(path); err == nil {
			text := string(s.Snapshot)
			for _, r := range s.Records {
				text += " " + string(r)
			}
			if !ok[text] || text != whole && s.Torn == 0 {
				t.Errorf("%s, %s: %s with %d bytes torn", filepath.Base(name), what, text, s.Torn)
			}
		}
		if err := os.WriteFile(name, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{path, first, last} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range data {
			for bit := range 8 {
				bad := append([]byte(nil), data...)
				bad[n] ^= 1 << bit
				try(name, fmt.Sprintf("bit %d of byte %d", bit, n), bad, allowed(name, n))
			}
			if name != last {
				try(name, fmt.Sprintf("cut at %d", n), data[:n], allowed(name, n))
			}
		}
		if name != path {
			for a := range (len(data) - header) / (frame + 1) {
				for b := range a {
					bad := append([]byte(nil), data...)
					x, y := header+a*(frame+1), header+b*(frame+1)
					copy(bad[x:], data[y:y+frame+1])
					copy(bad[y:], data[x:x+frame+1])
					try(name, fmt.Sprintf("records %d and %d swapped", b, a), bad, allowed(name, y))
				}
			}
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(path); err == nil && name != last {
			t.Errorf("without %s: %d records", filepath.Base(name), len(s.Records))
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A damaged record is found however long it is: what later records say to be on disk counts.
func TestDamageOfLongRecord(t *testing.T) {
	path, l := begin(t)
	add(t, l, strings.Repeat("x", 3<<20), "b", "c")
	l.Close()
	data, err := os.ReadFile(path + ".1.log")
	if err != nil {
		t.Fatal(err)
	}
	data[1<<20] ^= 1
	if err := os.WriteFile(path+".1.log", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "damaged at byte") {
		t.Errorf("%v", err)
	}
}
