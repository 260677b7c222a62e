package chain

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// write writes a file of records, which are all marked, and returns it with the ends of its
// records.
func write(t *testing.T, h Head, records ...string) (data []byte, ends []int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := Begin(f, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err, _ := w.Append([]byte(r)); err != nil {
			t.Fatal(err)
		}
		end, sum := w.End()
		if err := w.Mark(end, sum, 0); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	if data, err = os.ReadFile(f.Name()); err != nil {
		t.Fatal(err)
	}
	return data, ends
}

func text(s *State) string { return string(bytes.Join(s.Records, []byte(" "))) }

// Of a small file, each bit, each cut, each swap of two records, each record twice and each
// record missing is found, or changes nothing.
func TestDamage(t *testing.T) {
	records := []string{"a", "bb", "", "c", "dd", "e"}
	data, ends := write(t, Head{Generation: 7}, records...)
	want := strings.Join(records, " ")
	tried := 0
	check := func(what string, bad []byte) {
		t.Helper()
		tried++
		if s, err := Scan(bad); err == nil && (text(s) != want || s.Torn > 0 && len(bad) <= len(data)) {
			t.Errorf("%s: %q, %d bytes torn", what, text(s), s.Torn)
		}
	}
	check("whole", data)
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			check(fmt.Sprintf("bit %d of byte %d", bit, i), bad)
		}
		check(fmt.Sprintf("cut at %d", i), data[:i])
	}
	part := func(i int) []byte {
		if i == 0 {
			return data[Start:ends[0]]
		}
		return data[ends[i-1]:ends[i]]
	}
	order := func(at ...int) []byte {
		bad := bytes.Clone(data[:Start])
		for _, i := range at {
			bad = append(bad, part(i)...)
		}
		return bad
	}
	for i := range records {
		for k := range i {
			at := []int{0, 1, 2, 3, 4, 5}
			at[i], at[k] = k, i
			check(fmt.Sprintf("records %d and %d change places", k, i), order(at...))
		}
		check(fmt.Sprintf("record %d is missing", i), order(slices.Delete([]int{0, 1, 2, 3, 4, 5}, i, i+1)...))
		check(fmt.Sprintf("record %d comes twice", i), order(slices.Insert([]int{0, 1, 2, 3, 4, 5}, i, i)...))
	}
	check("the records of another file", append(bytes.Clone(data[:Start]), func() []byte {
		other, _ := write(t, Head{Generation: 8}, records...)
		return other[Start:]
	}()...))
	if tried < 8*len(data) {
		t.Errorf("%d were tried", tried)
	}
}

// What was not marked may be torn, and a record after it may not be.
func TestTorn(t *testing.T) {
	data, ends := write(t, Head{}, "a", "bb", "ccc")
	early, _ := write(t, Head{}, "a")
	late := append(bytes.Clone(early[:Start]), data[Start:]...) // "bb" and "ccc" are not marked
	for n := ends[0]; n <= ends[2]; n++ {
		want, end := "a", ends[0]
		for i, r := range []string{"bb", "ccc"} {
			if n >= ends[i+1] {
				want, end = want+" "+r, ends[i+1]
			}
		}
		if s, err := Scan(late[:n]); err != nil || text(s) != want || s.Torn != n-end {
			t.Errorf("cut at %d: %+v, %v, want %q", n, s, err, want)
		}
	}
	for i := ends[0]; i < ends[2]; i++ {
		bad := bytes.Clone(late)
		bad[i] ^= 4
		s, err := Scan(bad)
		if i < ends[1] {
			if d := new(DamageError); !errors.As(err, &d) || d.At != ends[0] {
				t.Errorf("byte %d: %v, want damage at %d", i, err, ends[0])
			}
		} else if err != nil || text(s) != "a bb" || s.Torn != ends[2]-ends[1] {
			t.Errorf("byte %d: %+v, %v", i, s, err)
		}
	}
}

// A damaged record is found however long it is, and whatever its length says.
func TestLong(t *testing.T) {
	data, ends := write(t, Head{}, strings.Repeat("x", 3<<20), "b")
	for _, at := range []int64{Start, Start + 3, Start + 1<<20, ends[0] + 1} {
		bad := bytes.Clone(data)
		bad[at] ^= 1
		if _, err := Scan(bad); err == nil {
			t.Errorf("byte %d", at)
		}
	}
}

// A writer goes on after what is torn, and mends a mark.
func TestResume(t *testing.T) {
	data, ends := write(t, Head{Generation: 1}, "a", "b")
	data = append(data, "torn"...)
	name := filepath.Join(t.TempDir(), "f")
	for _, place := range []int{sector + 1, 2*sector + 1} {
		bad := bytes.Clone(data)
		bad[place] ^= 8
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Scan(bad)
		if err != nil || !s.BadMark || text(s) != "a b" || s.Torn != 4 {
			t.Fatalf("%+v, %v", s, err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Resume(f, s)
		if err != nil {
			t.Fatal(err)
		}
		if end, _ := w.End(); end != ends[1] {
			t.Errorf("it ends at %d, want %d", end, ends[1])
		}
		if err, _ := w.Append([]byte("c")); err != nil {
			t.Fatal(err)
		}
		f.Close()
		after, _ := os.ReadFile(name)
		if s, err := Scan(after); err != nil || s.BadMark || text(s) != "a b c" || s.Torn != 0 {
			t.Errorf("%+v, %v", s, err)
		}
		if _, err := Scan(after[:ends[0]]); err == nil {
			t.Error("the marks do not say what was there")
		}
	}
}

// bad is a file on which writes, syncs and truncations fail.
type bad struct {
	File
	write, sync, truncate error
}

func (b bad) WriteAt(data []byte, at int64) (int, error) {
	if b.write != nil {
		n, _ := b.File.WriteAt(data[:len(data)/2], at)
		return n, b.write
	}
	return b.File.WriteAt(data, at)
}
func (b bad) Sync() error               { return errors.Join(b.sync, b.File.Sync()) }
func (b bad) Truncate(size int64) error { return errors.Join(b.truncate, b.File.Truncate(size)) }

// A record that cannot be written whole is taken back; one that cannot be taken back is told.
func TestFails(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, b := range []bad{{File: f, write: syscall.ENOSPC}, {File: f, sync: syscall.EIO}} {
		if _, err := Begin(b, Head{}); !errors.Is(err, errors.Join(b.write, b.sync).(interface{ Unwrap() []error }).Unwrap()[0]) {
			t.Errorf("%v", err)
		}
	}
	w, err := Begin(f, Head{})
	if err != nil {
		t.Fatal(err)
	}
	w.f = bad{File: f, write: syscall.ENOSPC}
	if err, lost := w.Append([]byte("aaaa")); !errors.Is(err, syscall.ENOSPC) || lost {
		t.Errorf("%v, %v", err, lost)
	}
	if err := w.Mark(Start, w.sum, 0); !errors.Is(err, syscall.ENOSPC) || w.mark.number != 1 {
		t.Errorf("%v", err)
	}
	w.f = f
	if err, _ := w.Append([]byte("b")); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(f.Name())
	if s, err := Scan(data); err != nil || text(s) != "b" || s.Torn != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	w.f = bad{File: f, write: syscall.ENOSPC, truncate: syscall.EIO}
	if err, lost := w.Append([]byte("aa")); !errors.Is(err, syscall.ENOSPC) || !lost {
		t.Errorf("%v, %v", err, lost)
	}
}

// A sealed text is that of its name, whole.
func TestSeal(t *testing.T) {
	data := Seal("one", []byte("text"))
	if got, err := Open("one", data); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Open("two", data); !errors.Is(err, ErrOther) {
		t.Errorf("another name: %v", err)
	}
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			if got, err := Open("one", bad); err == nil && string(got) != "text" {
				t.Errorf("bit %d of byte %d: %q", bit, i, got)
			}
		}
		if got, err := Open("one", data[:i]); err == nil {
			t.Errorf("cut at %d: %q", i, got)
		}
	}
	if _, err := Open("one", append(data, 0)); err == nil {
		t.Error("a byte after the end")
	}
}

func FuzzScan(f *testing.F) {
	f.Add(Seal("", []byte("{}")))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Scan(data)
		if err == nil && (s.End+s.Torn != int64(len(data)) || s.End < Start) {
			t.Errorf("%+v of %d bytes", s, len(data))
		}
	})
}
