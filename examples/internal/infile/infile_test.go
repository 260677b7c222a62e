package infile

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
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
