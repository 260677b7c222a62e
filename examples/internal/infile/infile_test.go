package infile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
)

func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	const text = "instances\n1\n2\n"
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte(text))
	w.Close()
	for _, c := range []struct {
		name, content, want, mistake string
	}{
		{"plain.gz", text, text, ""}, // told by content, not by name
		{"zipped.csv", zipped.String(), text, ""},
		{"empty", "", "", ""},
		{"short", "\x1f", "\x1f", ""},
		{"cut", zipped.String()[:20], "", "cut off"},
		{"head", "\x1f\x8b", "", "cut off"},
		{"fake", "\x1f\x8bno gzip at all", "", "invalid header"},
		{"none", "", "", "cannot read -demand "},
		{"folder", "", "", "is a folder"},
	} {
		path := filepath.Join(dir, c.name)
		var err error
		switch c.name {
		case "none":
		case "folder":
			err = os.Mkdir(path, 0o777)
		default:
			err = os.WriteFile(path, []byte(c.content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadAll("-demand", path)
		if c.mistake == "" {
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
			}
			continue
		}
		if cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), c.mistake) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want a mistake that says %q", c.name, err, c.mistake)
		}
	}
}

// Someone at a terminal sees how much of a file is read; a device has no size to show.
func TestShown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, make([]byte, 200), 0o666); err != nil {
		t.Fatal(err)
	}
	show := func(path string) string {
		f, err := Open("-trace", path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var b bytes.Buffer
		n, err := Shown(f, path, progress.On(&b, 1000)).Read(make([]byte, 50))
		if err != nil && err != io.EOF || n != 50 && path != os.DevNull {
			t.Fatal(n, err)
		}
		return b.String()
	}
	if got := show(path); got != "\rreading "+path+": 25%" {
		t.Errorf("after 50 of 200 bytes the line is %q", got)
	}
	if got := show(os.DevNull); got != "" {
		t.Errorf("of a device the line is %q", got)
	}
}

// A limit is of bytes: a text as long is read, whatever the pieces, and of a longer one no
// byte beyond the limit is given away.
func TestLimited(t *testing.T) {
	for n := range 6 {
		for _, in := range []io.Reader{strings.NewReader("abcdef"[:n]), iotest.OneByteReader(strings.NewReader("abcdef"[:n]))} {
			r := &limited{in: in, left: 3}
			got, err := io.ReadAll(r)
			if want := "abcdef"[:min(n, 3)]; string(got) != want || (err != nil) != (n > 3) || (r.left < 0) != (n > 3) {
				t.Errorf("%d bytes with a limit of 3: %q, %v, %d left", n, got, err, r.left)
			}
			if n, again := r.Read(make([]byte, 9)); err != nil && (n != 0 || again == nil) {
				t.Errorf("after the limit %d bytes more, %v", n, again)
			}
		}
	}
	// A reader may look no further than the limit: a terabyte of zeros costs nothing.
	if _, err := from(5<<20, "zeros", endless{}, func(in io.Reader) (int64, error) { return io.Copy(io.Discard, in) }); cli.Status(err) != cli.Mistake || err.Error() != "zeros: more than 5 MiB of text, unpacked: want less" {
		t.Errorf("a text without end: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// An error is told once, without the path that the flag names already.
func TestReasons(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	if _, err := Open("-trace", path); err == nil || err.Error() != "cannot read -trace "+path+": no such file or directory" {
		t.Errorf("%v", err)
	}
	_, err := From("-trace log", strings.NewReader("x"), func(io.Reader) (int, error) {
		return 0, &fs.PathError{Op: "read", Path: "log", Err: errors.New("worn out")}
	})
	if err == nil || err.Error() != "-trace log: worn out" {
		t.Errorf("%v", err)
	}
}

func TestQuote(t *testing.T) {
	long := strings.Repeat("\u00e9", 40)
	for s, want := range map[string]string{"a\n": `"a\n"`, long: `"` + long + `"`, long + "x": `"` + long + `\u2026"`} {
		want = strings.ReplaceAll(want, `\u2026`, "\u2026")
		if got := Quote(s); got != want {
			t.Errorf("%q is quoted as %s, want %s", s, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	data := []byte("ab\ncd\n\ne")
	for offset, want := range []int{1, 1, 1, 2, 2, 2, 3, 4, 4} {
		if got := Line(data, int64(offset)); got != want {
			t.Errorf("the byte at %d is in line %d, want %d", offset, got, want)
		}
	}
}
