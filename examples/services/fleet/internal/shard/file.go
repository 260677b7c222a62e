package shard

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
)

// version is that of the files.
const version = 3

// A header is the first line of a file.
type header struct {
	Holds   string `json:"fleet"` // "tickets", "worth", "plan", ...
	Version int    `json:"version"`
	Job     string `json:"job"`   // a name for all that the job's files depend on
	Shard   int    `json:"shard"` // 0 is the whole fleet
	Of      int    `json:"of"`
}

func (j *Job) header(holds string, i int) (header, error) {
	id, err := j.id()
	return header{Holds: holds, Version: version, Job: id, Shard: i, Of: j.Of}, err
}

// path returns the file of a shard, or, of shard 0, of the whole fleet.
func (j *Job) path(what string, shard int) string {
	if shard > 0 {
		what = fmt.Sprintf("%s-%05d-of-%05d", what, shard, j.Of)
	}
	return filepath.Join(j.Dir, what)
}

// write writes a file whole or not at all.
func write(path string, text func(w io.Writer) error) error {
	var set outfile.Set
	defer set.Abort()
	f, err := set.Create(path)
	if err != nil {
		return err
	}
	if err := text(f); err != nil {
		return err
	}
	return set.Commit()
}

// save writes the file of a shard.
func (j *Job) save(holds string, i int, records [][]byte) error {
	h, err := j.header(holds, i)
	if err != nil {
		return err
	}
	first, err := json.Marshal(&h)
	if err != nil {
		return err
	}
	return write(j.path(holds, i), func(f io.Writer) error {
		sum := sha256.New()
		w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
		w.Write(append(first, '\n'))
		for _, b := range records {
			w.Write(binary.AppendUvarint(nil, uint64(len(b))))
			w.Write(b)
		}
		if err := w.Flush(); err != nil { // the first error of all writes
			return err
		}
		_, err := f.Write(sum.Sum(nil))
		return err
	})
}

// errStale says that a file is of another job.
var errStale = errors.New("of another job")

// load reads the records of the file of a shard. The error is the user's mistake, and names the
// file; it unwraps to fs.ErrNotExist if there is none.
func (j *Job) load(holds string, i int) (records [][]byte, err error) {
	want, err := j.header(holds, i)
	if err != nil {
		return nil, err
	}
	path := j.path(holds, i)
	name, again := filepath.Base(path), "remove it, and run its task again"
	if i == 0 {
		again = "remove it, and run fleet merge again"
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, cli.Mistakef("%s is empty: %s", name, again)
	}
	line, rest, ok := bytes.Cut(b, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); !ok || err != nil || h.Holds != want.Holds {
		if holds == "plan" {
			holds = "plans"
		}
		return nil, cli.Mistakef("%s does not hold %s: want what fleet has written there", name, holds)
	}
	sum := sha256.Sum256(b[:max(0, len(b)-sha256.Size)])
	switch {
	case h.Version != version:
		return nil, cli.Mistakef("%s is of version %d: want version %d, as this program writes", name, h.Version, version)
	case h.Job != want.Job:
		return nil, cli.Mistakef("%s is %w: remove it, or take another folder", name, errStale)
	case h.Shard != want.Shard || h.Of != want.Of:
		return nil, cli.Mistakef("%s holds shard %d/%d: want shard %d/%d there and every shard once", name, h.Shard, h.Of, want.Shard, want.Of)
	case !bytes.HasSuffix(rest, sum[:]):
		return nil, cli.Mistakef("%s is damaged, its checksum is wrong: %s", name, again)
	}
	for rest = rest[:len(rest)-sha256.Size]; len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n < 1 || n > uint64(len(rest)-size) {
			return nil, cli.Mistakef("%s is malformed: %s", name, again)
		}
		records = append(records, rest[size:size+int(n)])
		rest = rest[size+int(n):]
	}
	return records, nil
}

// there reports whether the file of a shard exists.
func (j *Job) there(holds string, i int) (bool, error) {
	_, err := os.Lstat(j.path(holds, i))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
