package shard

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
)

// version is that of the files.
const version = 2

// A header is the first line of a file.
type header struct {
	Holds   string `json:"fleet"` // "tickets", "worth" or "plan"
	Version int    `json:"version"`
	Job     string `json:"job"`   // a name for all that the job's files depend on
	Shard   int    `json:"shard"` // 0 is the whole fleet
	Of      int    `json:"of"`
	From    int    `json:"from"` // groups of the fleet
	To      int    `json:"to"`
}

// A writer writes a file whole or not at all.
type writer struct {
	set outfile.Set
	to  *bufio.Writer
	sum hash.Hash
}

func create(path string, h header) (*writer, error) {
	w := &writer{sum: sha256.New()}
	f, err := w.set.Create(path)
	if err != nil {
		return nil, err
	}
	w.to = bufio.NewWriterSize(io.MultiWriter(f, w.sum), 1<<16)
	h.Version = version
	b, err := json.Marshal(&h)
	if err != nil {
		return nil, err
	}
	w.to.Write(append(b, '\n'))
	return w, nil
}

// record writes a record. The error is that of close.
func (w *writer) record(tag byte, b []byte) {
	var n [binary.MaxVarintLen64]byte
	w.to.Write(n[:binary.PutUvarint(n[:], uint64(len(b)+1))])
	w.to.WriteByte(tag)
	w.to.Write(b)
}

// close completes the file.
func (w *writer) close() error {
	if err := w.to.Flush(); err != nil { // the first error of all writes
		return err
	}
	w.to.Write(w.sum.Sum(nil))
	if err := w.to.Flush(); err != nil {
		return err
	}
	return w.set.Commit()
}

// errStale says that a file is of another job.
var errStale = errors.New("of another job")

// read reads a file and calls f with each record, whose bytes are valid until the next file.
// It compares all of the header but the groups with want. The error is the user's mistake, and
// names the file; it unwraps to fs.ErrNotExist if there is none.
func read(path string, want header, f func(tag byte, b []byte) error) (header, error) {
	name, again := filepath.Base(path), "remove it, and run its task again"
	if want.Shard == 0 {
		again = "remove it, and run fleet merge again"
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return header{}, err
	}
	if len(b) == 0 {
		return header{}, cli.Mistakef("%s is empty: %s", name, again)
	}
	line, rest, ok := bytes.Cut(b, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); !ok || err != nil || h.Holds != want.Holds {
		return header{}, cli.Mistakef("%s does not hold %s: want what fleet has written there", name, plural(want.Holds))
	}
	sum := sha256.Sum256(b[:max(0, len(b)-sha256.Size)])
	switch {
	case h.Version != version:
		return h, cli.Mistakef("%s is of version %d: want version %d, as this program writes", name, h.Version, version)
	case h.Job != want.Job:
		return h, cli.Mistakef("%s is %w: remove it, or take another folder", name, errStale)
	case h.Shard != want.Shard || h.Of != want.Of:
		return h, cli.Mistakef("%s holds shard %d/%d: want shard %d/%d there and every shard once", name, h.Shard, h.Of, want.Shard, want.Of)
	case !bytes.HasSuffix(rest, sum[:]):
		return h, cli.Mistakef("%s is damaged, its checksum is wrong: %s", name, again)
	}
	for rest = rest[:len(rest)-sha256.Size]; len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n < 1 || n > uint64(len(rest)-size) {
			return h, cli.Mistakef("%s is malformed: %s", name, again)
		}
		if err := f(rest[size], rest[size+1:size+int(n)]); err != nil {
			return h, fmt.Errorf("%s: %w", name, err)
		}
		rest = rest[size+int(n):]
	}
	return h, nil
}

func plural(what string) string {
	if what == "plan" {
		return "plans"
	}
	return what
}

// there reports whether a file exists.
func there(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
