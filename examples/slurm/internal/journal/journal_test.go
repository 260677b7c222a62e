package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
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
		k := 0
		for k < len(want) && ends[k+1] <= int64(n) {
			k++
		}
		j, got := read(t, name)
		if diff := cmp.Diff(want[:k], append([]entry{}, got...)); diff != "" {
			t.Fatalf("%d bytes of %d: %s", n, len(whole), diff)
		}
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
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n')
	for i := range first {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x41
		_, err := Replay(bad, func([]byte) error { return nil })
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
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
