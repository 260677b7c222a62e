package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type entry struct {
	N    int
	Text string
}

// read opens a journal and returns its entries.
func read(t *testing.T, name string) (*Journal, []entry) {
	t.Helper()
	var got []entry
	j, err := Open(name, func(text []byte) error {
		var e entry
		got = append(got, e)
		return json.Unmarshal(text, &got[len(got)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	return j, got
}

// However many of its last bytes are missing, the entries that are whole are read,
// and the journal goes on after them.
func TestTorn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	want := []entry{{1, "one"}, {2, "a line\nfeed"}, {3, ""}}
	j, got := read(t, name)
	if len(got) != 0 {
		t.Fatalf("a new journal has %v", got)
	}
	ends := []int64{0}
	for _, e := range want {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, j.Size())
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if n > 0 && n < sumLen+2 { // which may be anybody's
			checkUntouched(t, name)
			continue
		}
		k := 0
		for k < len(want) && ends[k+1] <= int64(n) {
			k++
		}
		j, got := read(t, name)
		if diff := cmp.Diff(want[:k], append([]entry{}, got...)); diff != "" {
			t.Fatalf("%d bytes of %d: %s", n, len(whole), diff)
		}
		// It is shorter than what may be left of another one, which is not to show.
		if err := j.Append(7); err != nil {
			t.Fatal(err)
		}
		j.Close()
		sevens := 0
		j, err := Open(name, func(text []byte) error {
			if string(text) == "7" {
				sevens++
			}
			return nil
		})
		if err != nil || sevens != 1 {
			t.Fatalf("%d bytes of %d, and a short entry: %d of them, %v", n, len(whole), sevens, err)
		}
		if int64(len(mustRead(t, name))) != j.Size() {
			t.Fatalf("%d bytes of %d: the file is longer than its entries", n, len(whole))
		}
		if err := j.f.Truncate(ends[k]); err != nil {
			t.Fatal(err)
		}
		j.Close()
		j, _ = read(t, name)
		if err := j.Append(entry{9, "next"}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		j, got = read(t, name)
		j.Close()
		if diff := cmp.Diff(append(append([]entry{}, want[:k]...), entry{9, "next"}), got); diff != "" {
			t.Fatalf("%d bytes of %d, and another entry: %s", n, len(whole), diff)
		}
	}
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkUntouched checks that a file is refused, and left as it is.
func checkUntouched(t *testing.T, name string) {
	t.Helper()
	before := mustRead(t, name)
	if _, err := Open(name, func([]byte) error { return nil }); !errors.Is(err, ErrDamaged) {
		t.Errorf("%.40q: %v", before, err)
	}
	if after := mustRead(t, name); !bytes.Equal(before, after) {
		t.Errorf("%.40q has become %.40q", before, after)
	}
}

// A file that is no journal is refused and left as it is, also one of a single line, with
// or without its line feed.
func TestNotAJournal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "precious")
	for _, text := range []string{
		"ssh-ed25519 AAAA my only key", "ssh-ed25519 AAAA my only key\n", "\n", "a", "12345", "12345\n", "deadbeef", "deadbeef\n",
		"deadbeef cafe\n", "DEADBEEF {}", "{\"kind\":\"began\"}\n", "\x00\x00\x00\x00", "one\ntwo\nthree\n", "one\ntwo",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		checkUntouched(t, name)
	}
}

// What follows whole entries is cut off if it may be the rest of one, also of one that a
// disk has parts of, and is refused if it is not.
func TestAfterEntries(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, _ := read(t, name)
	if err := j.Append(entry{1, "one"}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	whole := mustRead(t, name)
	for rest, ok := range map[string]bool{
		"\x00\x00\x00": true, "0": true, "0123abcd {\"N\":": true, "0123abcd {\"N\":2}\n": true, "0123abcd {\x00\x00\x00}\n": true,
		"0123ab\x00\x00": true, "0123abcda{\"N\":2}\n": false, "0123abcdx{\"N\":2}\n": false, "0123 bcd {\"N\":2}\n": false, "my note": false,
		"my note\n": false, "0123abcd 7\n": false, "\n": false,
	} {
		if err := os.WriteFile(name, append(bytes.Clone(whole), rest...), 0o600); err != nil {
			t.Fatal(err)
		}
		if !ok {
			checkUntouched(t, name)
			continue
		}
		j, got := read(t, name)
		j.Close()
		if after := mustRead(t, name); len(got) != 1 || !bytes.Equal(after, whole) {
			t.Errorf("%q: %v, and the file is %q", rest, got, after)
		}
	}
}

// Lines that are there twice, are missing or have changed places are found.
func TestOrder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, _ := read(t, name)
	for i := range 3 {
		if err := j.Append(entry{i, "text"}); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	lines := bytes.SplitAfter(mustRead(t, name), []byte("\n"))
	for _, order := range [][]int{{0, 0, 1, 2}, {0, 1, 1, 2}, {0, 2, 1}, {1, 0, 2}, {0, 2, 2}, {1, 2}} {
		var text []byte
		for _, i := range order {
			text = append(text, lines[i]...)
		}
		if _, err := Replay(text, func([]byte) error { return nil }); !errors.Is(err, ErrDamaged) {
			t.Errorf("the lines %v: %v", order, err)
		}
	}
}

// A line that is damaged before the last is found, byte by byte.
func TestDamaged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, _ := read(t, name)
	for i := range 3 {
		if err := j.Append(entry{i, "text"}); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	whole := mustRead(t, name)
	first := bytes.IndexByte(whole, '\n')
	second := bytes.Clone(whole)
	second[first+3] ^= 0x41
	if _, err := Replay(second, func([]byte) error { return nil }); !errors.Is(err, ErrDamaged) ||
		!strings.Contains(err.Error(), "line 2 is not an entry, or not the one that followed line 1") {
		t.Errorf("line 2: %v", err)
	}
	for i := range first {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x41
		_, err := Replay(bad, func([]byte) error { return nil })
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
}

// After a failure nothing more is appended: what is in the file is not known.
func TestFailed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, _ := read(t, name)
	if err := j.Append(entry{1, "one"}); err != nil {
		t.Fatal(err)
	}
	size, whole := j.Size(), mustRead(t, name)
	file := j.f
	var err error
	if j.f, err = os.Open(name); err != nil { // to which nothing can be written
		t.Fatal(err)
	}
	first := j.Append(entry{2, "two"})
	if first == nil || !strings.HasPrefix(first.Error(), "journal: ") {
		t.Errorf("a failed write: %v", first)
	}
	j.f.Close()
	j.f = file
	if again := j.Append(entry{2, "two"}); again != first {
		t.Errorf("after a failure: %v, want %v", again, first)
	}
	if j.Size() != size || !bytes.Equal(mustRead(t, name), whole) {
		t.Errorf("%d bytes, want %d", j.Size(), size)
	}
	if err := j.Append(func() {}); err == nil {
		t.Error("a function is appended")
	}
	j.Close()
}

// One process at a time has a journal.
func TestHeld(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, _ := read(t, name)
	if _, err := Open(name, nil); !errors.Is(err, ErrHeld) {
		t.Errorf("opened twice: %v", err)
	}
	j.Close()
	j, _ = read(t, name)
	j.Close()
}

// An entry that cannot be used ends the opening, with its line.
func TestRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, _ := read(t, name)
	if err := j.Append(entry{1, ""}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	bad := errors.New("unknown")
	if _, err := Open(name, func([]byte) error { return bad }); !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte("00000000 {}\n"))
	f.Add([]byte("x\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Replay(text, func([]byte) error { return nil })
		if n < 0 || n > len(text) || err == nil && n > 0 && text[n-1] != '\n' {
			t.Errorf("%d of %d bytes, %v", n, len(text), err)
		}
	})
}
