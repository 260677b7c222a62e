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

// A text beyond the limit, of a file of any size or of a device, ends in a mistake.
func TestLimit(t *testing.T) {
	pack := func(b []byte) []byte {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(b)
		w.Close()
		return z.Bytes()
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"whole":  {pack(bytes.Repeat([]byte("1\n"), Most/2)), ""},
		"bomb":   {pack(bytes.Repeat([]byte("1\n"), Most/2+1)), "more than 64 MiB"},
		"twice":  {pack(pack([]byte("1\n"))), "within gzip"},
		"device": {nil, "more than 64 MiB"},
	} {
		path := filepath.Join(dir, name)
		if c.data == nil {
			if path = "/dev/zero"; !exists(path) {
				continue
			}
		} else if err := os.WriteFile(path, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := ReadAll("-demand", path)
		if c.says == "" {
			if err != nil || len(got) != Most {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		} else if cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a mistake that says %q", name, err, c.says)
		}
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
