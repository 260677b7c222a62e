package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// list returns the names and contents of dir as "name=content", sorted.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Name()+"="+string(b))
	}
	return all
}

func expect(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := list(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

func create(t *testing.T, s *Set, path, text string) *File {
	t.Helper()
	f, err := s.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

// big does not fit in a buffer, so that it is on disk before Commit.
var big = strings.Repeat("x", 1<<17)

func TestCommit(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	os.WriteFile(a, []byte("old"), 0o640)
	var s Set
	create(t, &s, a, "new")
	create(t, &s, b, big)
	if got := list(t, dir); len(got) != 3 || !slices.Contains(got, "a=old") {
		t.Errorf("before Commit there are %d files", len(got))
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	s.Abort() // too late
	expect(t, dir, "a=new", "b="+big)
	if info, _ := os.Stat(a); info.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v", info.Mode())
	}
	if _, err := s.Create(b); err == nil {
		t.Error("a set that has ended takes files")
	}
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	os.WriteFile(a, []byte("old"), 0o666)
	var s Set
	create(t, &s, a, big)
	create(t, &s, filepath.Join(dir, "b"), big)
	s.Abort()
	if err := s.Commit(); err != nil { // too late
		t.Error(err)
	}
	expect(t, dir, "a=old")
}

// A file that cannot be completed takes no name, and neither does any other.
func TestFailingWrite(t *testing.T) {
	dir := t.TempDir()
	var s Set
	create(t, &s, filepath.Join(dir, "a"), "good")
	f := create(t, &s, filepath.Join(dir, "b"), "lost")
	f.file.Close() // as a full disk would
	if _, err := f.Write([]byte(big)); err == nil || !strings.HasPrefix(err.Error(), f.name+": ") {
		t.Errorf("Write returns %v", err)
	}
	if err := s.Commit(); err == nil || !strings.HasPrefix(err.Error(), f.name+": ") {
		t.Errorf("Commit returns %v", err)
	}
	expect(t, dir)
}

// A name that cannot be taken leaves whole files only.
func TestFailingRename(t *testing.T) {
	dir := t.TempDir()
	var s Set
	create(t, &s, filepath.Join(dir, "a"), "first")
	create(t, &s, filepath.Join(dir, "b"), "second")
	create(t, &s, filepath.Join(dir, "c"), "third")
	s.rename = func(from, to string) error {
		if filepath.Base(to) == "b" {
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrPermission}
		}
		return os.Rename(from, to)
	}
	if err := s.Commit(); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "tmp:") {
		t.Errorf("Commit returns %v", err)
	}
	expect(t, dir, "a=first")
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	os.WriteFile(a, []byte("old"), 0o666)
	link, hard := filepath.Join(dir, "link"), filepath.Join(dir, "hard")
	if os.Symlink(a, link) != nil || os.Link(a, hard) != nil {
		t.Skip("no links here")
	}
	for _, again := range []string{a, link, hard, filepath.Join(dir, ".", "x", "..", "a")} {
		var s Set
		s.Keep(filepath.Join(dir, "nowhere"))
		s.Keep(a)
		if _, err := s.Create(again); !errors.Is(err, ErrSame) {
			t.Errorf("writing %s while reading %s: %v", again, a, err)
		}
		s.Abort()
	}
	var s Set
	create(t, &s, filepath.Join(dir, "new"), "")
	if _, err := s.Create(filepath.Join(dir, "new")); !errors.Is(err, ErrSame) {
		t.Errorf("a new file twice: %v", err)
	}
	s.Abort()
	expect(t, dir, "a=old", "hard=old", "link=old")
}

// What a symbolic link points to is replaced, not the link.
func TestSymlink(t *testing.T) {
	dir := t.TempDir()
	a, link, hanging := filepath.Join(dir, "a"), filepath.Join(dir, "link"), filepath.Join(dir, "z")
	os.WriteFile(a, []byte("old"), 0o666)
	if os.Symlink("a", link) != nil || os.Symlink("nowhere", hanging) != nil {
		t.Skip("no links here")
	}
	var s Set
	if _, err := s.Create(hanging); err == nil {
		t.Error("a link that points nowhere is taken")
	}
	os.Remove(hanging)
	create(t, &s, link, "new")
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, "a=new", "link=new")
	if target, err := os.Readlink(link); err != nil || target != "a" {
		t.Errorf("the link is %q, %v", target, err)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)
	var s Set
	for path, want := range map[string]string{
		dir:                             "is a folder",
		os.DevNull:                      "is not a regular file",
		filepath.Join(dir, "no", "a"):   "its folder does not exist",
		filepath.Join(dir, "file", "a"): "",
	} {
		_, err := s.Create(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("Create(%q) returns %v", path, err)
		}
	}
	if runtime.GOOS != "windows" && os.Getuid() != 0 { // nothing is forbidden to root
		locked := filepath.Join(dir, "locked")
		os.WriteFile(locked, nil, 0o444)
		if _, err := s.Create(locked); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a file that must not be written: %v", err)
		}
	}
}

// A folder that a set made goes with it if nothing was written there; one that was
// there stays.
func TestMkdir(t *testing.T) {
	dir := t.TempDir()
	made, old := filepath.Join(dir, "made"), filepath.Join(dir, "old")
	os.Mkdir(old, 0o777)
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)
	for _, commit := range []bool{false, true} {
		var s Set
		for _, path := range []string{made, old} {
			if err := s.Mkdir(path); err != nil {
				t.Fatal(err)
			}
		}
		create(t, &s, filepath.Join(made, "a"), "new")
		if commit {
			s.Commit()
		}
		s.Abort()
		s.Abort()
		if _, err := os.Stat(made); (err == nil) != commit {
			t.Errorf("committed %v: the folder that was made: %v", commit, err)
		}
		if _, err := os.Stat(old); err != nil {
			t.Errorf("committed %v: the folder that was there: %v", commit, err)
		}
		if err := s.Mkdir(made); err == nil {
			t.Error("a folder after the end")
		}
	}
	expect(t, made, "a=new")
	var s Set
	defer s.Abort()
	for path, want := range map[string]string{
		filepath.Join(dir, "file"):      "is not a folder",
		filepath.Join(dir, "no", "new"): "does not exist",
		filepath.Join(dir, "file", "a"): "",
	} {
		if err := s.Mkdir(path); err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("Mkdir(%q) returns %v, want it to say %q", path, err, want)
		}
	}
}
