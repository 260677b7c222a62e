// Package infile opens the files that a user names, and says in the user's terms
// why one cannot be read.
package infile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// Open opens the file that was given with a flag, such as "-trace". The error is
// the user's mistake.
func Open(flag, path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, cli.Mistakef("cannot read %s %s: %v", flag, path, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, cli.Mistakef("cannot read %s %s: is a folder", flag, path)
	}
	return f, nil
}

// ReadAll returns the text of the file that was given with a flag, plain or gzip,
// which its content tells. The error is the user's mistake.
func ReadAll(flag, path string) ([]byte, error) {
	f, err := Open(flag, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(bufio.NewReader(f))
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, cli.Mistakef("cannot read %s %s: %v", flag, path, err)
	}
	return data, nil
}

func readAll(r *bufio.Reader) (data []byte, err error) {
	if magic, _ := r.Peek(2); string(magic) != "\x1f\x8b" {
		return io.ReadAll(r)
	}
	z, err := gzip.NewReader(r)
	if err == nil {
		data, err = io.ReadAll(z)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the compressed data are cut off")
	}
	return data, err
}

// Quote quotes a piece of a file, cut to a length that fits in a sentence.
func Quote(s string) string {
	if utf8.RuneCountInString(s) > 40 {
		s = string([]rune(s)[:40]) + "…"
	}
	return strconv.Quote(s)
}

// Line returns the line of a text that the byte at the offset is in, from 1.
func Line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:offset], []byte{'\n'})
}
