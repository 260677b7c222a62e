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

	"github.com/plimsoll/plimsoll/examples/internal/chain"
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

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// An entry that was being written when the program was killed is cut off, and the journal goes
// on. An entry that Append has returned for is not.
func TestTorn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	want := []entry{{1, "one"}, {2, "a line\nfeed"}, {3, ""}}
	j, got := read(t, name)
	if len(got) != 0 {
		t.Fatalf("a new journal has %v", got)
	}
	for _, e := range want {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	whole := mustRead(t, name)
	if err, _ := j.w.Append([]byte(`{"N":4}`)); err != nil { // and no more: killed
		t.Fatal(err)
	}
	j.Close()
	long := mustRead(t, name)
	for n := chain.Start - 1; n <= len(long); n++ {
		if err := os.WriteFile(name, long[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if n < len(whole) {
			if _, err := Open(name, func([]byte) error { return nil }); !errors.Is(err, ErrDamaged) || len(mustRead(t, name)) != n {
				t.Fatalf("%d bytes of %d: %v", n, len(long), err)
			}
			continue
		}
		all := want
		if n == len(long) {
			all = append(all[:3:3], entry{N: 4})
		}
		if torn, err := Replay(long[:n], func([]byte) error { return nil }); err != nil || n < len(long) && torn != int64(n-len(whole)) {
			t.Errorf("%d bytes torn, %v", torn, err)
		}
		j, got := read(t, name)
		if diff := cmp.Diff(all, got); diff != "" {
			t.Fatalf("%d bytes of %d: %s", n, len(long), diff)
		}
		if err := j.Append(entry{9, "next"}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		j, got = read(t, name)
		j.Close()
		if diff := cmp.Diff(append(all[:len(all):len(all)], entry{9, "next"}), got); diff != "" {
			t.Fatalf("%d bytes of %d, and another entry: %s", n, len(long), diff)
		}
	}
}

// A file that is no journal is refused and left as it is.
func TestNotAJournal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "precious")
	for _, text := range []string{"", "\n", "ssh-ed25519 AAAA my only key", "deadbeef {}\n", strings.Repeat("\x00", 4000), string(chain.Seal("a state", []byte("{}")))} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(name, func([]byte) error { return nil }); !errors.Is(err, ErrDamaged) {
			t.Errorf("%.40q: %v", text, err)
		}
		if after := mustRead(t, name); string(after) != text {
			t.Errorf("%.40q has become %.40q", text, after)
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
	if err := j.Append(func() {}); err == nil {
		t.Error("a function is appended")
	}
	if err := j.Append(entry{2, "two"}); err != nil {
		t.Fatalf("after it: %v", err)
	}
	whole := mustRead(t, name)
	j.Close() // so that nothing can be written
	first := j.Append(entry{3, "three"})
	if first == nil || !strings.HasPrefix(first.Error(), "journal: ") {
		t.Errorf("a failed write: %v", first)
	}
	if again := j.Append(entry{3, "three"}); again != first {
		t.Errorf("after a failure: %v, want %v", again, first)
	}
	if !bytes.Equal(mustRead(t, name), whole) {
		t.Error("the file has changed")
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
	files, _ := filepath.Glob(name + "*")
	if diff := cmp.Diff([]string{name}, files); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// An entry that cannot be used ends the opening, with its number.
func TestRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, _ := read(t, name)
	if err := j.Append(entry{1, ""}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	bad := errors.New("unknown")
	if _, err := Open(name, func([]byte) error { return bad }); !errors.Is(err, bad) || !strings.Contains(err.Error(), "entry 1: ") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no", "journal"), nil); !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), ".new-") {
		t.Errorf("no folder: %v", err)
	}
}
