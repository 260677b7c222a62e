//go:build unix

package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
)

func TestCheckToken(t *testing.T) {
	for _, token := range []string{"a", "z", "A", "Z", "0", "9", "-", "_", "t-0_Z"} {
		if err := checkToken(token); err != nil {
			t.Errorf("%q: %v", token, err)
		}
	}
	for _, token := range []string{"", "`", "{", "@", "[", "/", ":", ".", " ", "a b", "ä"} {
		if err := checkToken(token); err == nil {
			t.Errorf("%q is taken", token)
		}
	}
}

// A file with a number that is no process's, such as -1, kills nothing: a signal to the
// group 1 would go to all processes.
func TestLocalNoProcess(t *testing.T) {
	l := &Local{Dir: t.TempDir(), Command: func(string) []string { return []string{"sleep", "60"} }}
	for _, text := range []string{"1", "0", "-1", "-7", "x", ""} {
		put(t, l, "a.instance", sealed("a.instance", `{"id":"a","token":"a","node":"n","created":"2013-01-01T00:00:00Z"}`))
		put(t, l, "a.pid", text)
		if running, err := l.Running("a"); running || err == nil || !strings.Contains(err.Error(), "is no process") {
			t.Errorf("%q: running is %v, %v", text, running, err)
		}
		if _, err := l.Delete(t.Context(), "a"); err == nil {
			t.Errorf("%q: deleted", text)
		}
		if _, err := l.List(t.Context()); err == nil { // it has ended, and its processes are to be
			t.Errorf("%q: listed", text)
		}
		os.Remove(filepath.Join(l.Dir, "a.ended"))
		os.Remove(filepath.Join(l.Dir, "a.over"))
	}
}

func sealed(name, text string) string { return string(chain.Seal(name, []byte(text))) }

// Bits of an instance's files that are flipped, cuts, files that change places and missing files
// are found, or change nothing.
func TestLocalDamage(t *testing.T) {
	l := &Local{Dir: t.TempDir(), Command: func(string) []string { return []string{"true"} }}
	good := map[string]string{}
	for _, token := range []string{"a", "b"} {
		good[token+".instance"] = sealed(token+".instance", fmt.Sprintf(`{"id":%q,"token":%[1]q,"node":"n","created":"2013-01-01T00:00:00Z"}`, token))
		good[token+".ended"] = sealed(token+".ended", map[string]string{"a": "2013-01-02T00:00:00Z", "b": "2013-01-03T00:00:00Z"}[token])
		good[token+".over"] = sealed(token+".over", "")
	}
	restore := func() {
		for name, text := range good {
			put(t, l, name, text)
		}
	}
	restore()
	want, err := l.List(t.Context())
	if err != nil || len(want) != 2 {
		t.Fatalf("%v, %v", want, err)
	}
	check := func(what string) {
		t.Helper()
		for i, token := range []string{"a", "b"} {
			if got, err := l.read(token); err == nil && got != want[i] {
				t.Errorf("%s: %+v", what, got)
			}
		}
	}
	for name, text := range good {
		for i := 0; i < len(text); i += 13 { // package chain has all of them
			bad := []byte(text)
			bad[i] ^= 1 << (i % 8)
			put(t, l, name, string(bad))
			check(fmt.Sprintf("byte %d of %s", i, name))
		}
		put(t, l, name, text[:len(text)-1])
		check(name + " cut")
		os.Remove(filepath.Join(l.Dir, name))
		if _, err := l.List(t.Context()); err == nil && !strings.HasSuffix(name, ".over") {
			t.Errorf("%s is missing", name)
		}
		restore()
	}
	for _, kind := range []string{".instance", ".ended"} {
		put(t, l, "a"+kind, good["b"+kind])
		put(t, l, "b"+kind, good["a"+kind])
		check(kind + " swapped")
		restore()
	}
}

func put(t *testing.T, l *Local, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What the folder does not have, or has damaged, is an error, and starts nothing.
func TestLocalErrors(t *testing.T) {
	started := false
	l := &Local{Dir: t.TempDir(), Command: func(string) []string { started = true; return []string{"true"} }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check := func(what string, in Instance, err, want error) {
		t.Helper()
		if err == nil || want != nil && !errors.Is(err, want) || in != (Instance{}) {
			t.Errorf("%s: %+v, %v", what, in, err)
		}
	}
	in, err := l.Create(ctx, "a", "n")
	check("created without time", in, err, context.Canceled)
	in, err = l.Create(t.Context(), "a b", "n")
	check("a token with a space", in, err, ErrRefused)
	in, err = l.Delete(t.Context(), "a")
	check("deleted though unknown", in, err, fs.ErrNotExist)
	put(t, l, "b.instance", `{"id":"b",`)
	in, err = l.Create(t.Context(), "b", "n")
	check("created though damaged", in, err, nil)
	in, err = l.Delete(t.Context(), "b")
	check("deleted though damaged", in, err, nil)
	if list, err := l.List(t.Context()); err == nil || list != nil {
		t.Errorf("listed though damaged: %v, %v", list, err)
	}
	l.Quota = 5
	in, err = l.Create(t.Context(), "c", "n")
	check("created though the quota cannot be counted", in, err, nil)
	l.Quota = 0
	os.Remove(filepath.Join(l.Dir, "b.instance"))
	put(t, l, "d.instance", sealed("d.instance", `{"id":"d","token":"d","node":"n","created":"2013-01-01T00:00:00Z"}`))
	put(t, l, "d.ended", "yesterday")
	in, err = l.Delete(t.Context(), "d")
	check("deleted though its end is damaged", in, err, nil)
	if list, err := l.List(ctx); !errors.Is(err, context.Canceled) || list != nil {
		t.Errorf("listed without time: %v, %v", list, err)
	}
	l.Dir = filepath.Join(l.Dir, "d.instance")
	if list, err := l.List(t.Context()); err == nil || list != nil {
		t.Errorf("listed though the folder is a file: %v, %v", list, err)
	}
	l.Dir = filepath.Join(t.TempDir(), "none")
	in, err = l.Create(t.Context(), "e", "n")
	check("created without a folder", in, err, fs.ErrNotExist)
	if started {
		t.Error("an instance was started")
	}
}

// The name of a folder is no pattern: its instances are listed whatever it is called.
func TestLocalFolder(t *testing.T) {
	l := &Local{Dir: filepath.Join(t.TempDir(), "run[1*"), Command: func(string) []string { return []string{"true"} }}
	if err := os.Mkdir(l.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, l, "a.instance", sealed("a.instance", `{"id":"a","token":"a","node":"n","created":"2013-01-01T00:00:00Z"}`))
	put(t, l, "a.ended", sealed("a.ended", "2013-01-02T00:00:00Z"))
	list, err := l.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Token != "a" || list[0].Live() {
		t.Errorf("%v, %v", list, err)
	}
}

// parts is a provider of two instances, which may fail.
type parts struct {
	instances []Instance
	fails     error
	deleted   string
}

func (p *parts) Create(_ context.Context, token, node string) (Instance, error) {
	if p.fails != nil {
		return Instance{}, p.fails
	}
	return Instance{ID: "new", Token: token, Node: node, Created: time.Unix(1, 0)}, nil
}

func (p *parts) Delete(_ context.Context, id string) (Instance, error) {
	p.deleted = id
	return Instance{ID: id}, p.fails
}

func (p *parts) List(context.Context) ([]Instance, error) { return p.instances, p.fails }

// Several providers are one: an ID has the name of its provider, and the list is whole or an
// error.
func TestSeveral(t *testing.T) {
	private := &parts{instances: []Instance{{ID: "1"}, {ID: "2"}}}
	public := &parts{instances: []Instance{{ID: "1"}}}
	s := Several{{"private", []string{"n1", "n2"}, private}, {"public", []string{"n3"}, public}}
	list, err := s.List(t.Context())
	var ids []string
	for _, in := range list {
		ids = append(ids, in.ID)
	}
	if diff := cmp.Diff([]string{"private/1", "private/2", "public/1"}, ids); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if in, err := s.Create(t.Context(), "t", "n3"); err != nil || in.ID != "public/new" || in.Node != "n3" {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := s.Create(t.Context(), "t", "n4"); !errors.Is(err, ErrRefused) {
		t.Errorf("a node of nobody: %v", err)
	}
	if in, err := s.Delete(t.Context(), "private/2"); err != nil || in.ID != "private/2" || private.deleted != "2" || public.deleted != "" {
		t.Errorf("%+v, %v, %q and %q deleted", in, err, private.deleted, public.deleted)
	}
	if _, err := s.Delete(t.Context(), "other/2"); err == nil || !strings.Contains(err.Error(), `"other/2"`) {
		t.Errorf("an instance of nobody: %v", err)
	}
	public.fails = errors.New("no answer")
	if list, err := s.List(t.Context()); list != nil || !errors.Is(err, public.fails) || !strings.Contains(err.Error(), "public: no answer") {
		t.Errorf("a list that is not whole: %v, %v", list, err)
	}
	if in, err := s.Create(t.Context(), "t", "n3"); !errors.Is(err, public.fails) || in.ID != "" {
		t.Errorf("%+v, %v", in, err)
	}
}

// What a command says is kept to its end, in memory that is bounded.
func TestTail(t *testing.T) {
	var w tail
	for range 1000 {
		w.Write([]byte(strings.Repeat("x", 99) + "\n"))
	}
	w.Write([]byte("the end"))
	if len(w.text) > 8*said+1 || len(w.text) < 4*said || !strings.HasSuffix(string(w.text), "x\nthe end") {
		t.Errorf("%d bytes, %q", len(w.text), w.text[max(0, len(w.text)-20):])
	}
	long := strings.Repeat("y", 10*said) + "end"
	if n, err := w.Write([]byte(long)); n != len(long) || err != nil || !strings.HasSuffix(string(w.text), "yend") || len(w.text) > 8*said+1 {
		t.Errorf("%d of %d, %v, %d bytes", n, len(long), err, len(w.text))
	}
}

// An output is read to its limit, and no byte beyond.
func TestLimited(t *testing.T) {
	var w limited
	all := slices.Repeat([]byte{'x'}, most)
	if n, err := w.Write(all[:most-1]); n != most-1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := w.Write(all[:1]); n != 1 || err != nil || w.full {
		t.Errorf("the last byte: %d, %v", n, err)
	}
	if _, err := w.Write(all[:1]); !errors.Is(err, errOutput) || !w.full || len(w.text) != most {
		t.Errorf("a byte too many: %v, %d bytes", err, len(w.text))
	}
}
