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
	"github.com/plimsoll/plimsoll/examples/internal/progress"
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

// Shown returns a reader of f that shows how much of the file has been read.
func Shown(f *os.File, path string, line *progress.Line) io.Reader {
	r := &shown{Reader: f, line: line, path: path}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		r.size = info.Size()
	}
	return r
}

type shown struct {
	io.Reader
	line       *progress.Line
	path       string
	read, size int64
}

func (r *shown) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	if r.size > 0 {
		r.line.Showf("reading %s: %d%%", r.path, 100*r.read/r.size)
	}
	return n, err
}

// Most is how many bytes of text [Read] takes from a file, after gzip is unpacked. What is
// made of a text takes up to ten times its memory.
const Most = 64 << 20

// Read reads the file that was given with a flag, plain or gzip, which its content tells,
// with a function of the library. The error is the user's mistake; a text longer than
// [Most] is one.
func Read[T any](flag, path string, parse func(io.Reader) (T, error)) (T, error) {
	return ReadUpTo(Most, flag, path, parse)
}

// ReadUpTo is [Read] with another limit, which should be a number of whole MiB.
func ReadUpTo[T any](most int64, flag, path string, parse func(io.Reader) (T, error)) (T, error) {
	f, err := Open(flag, path)
	if err != nil {
		return *new(T), err
	}
	defer f.Close()
	return from(most, flag+" "+path, f, parse)
}

// From is [Read] for a text that is no file of a flag, such as one that a person pasted.
// The error begins with the name.
func From[T any](name string, text io.Reader, parse func(io.Reader) (T, error)) (T, error) {
	return from(Most, name, text, parse)
}

func from[T any](most int64, name string, src io.Reader, parse func(io.Reader) (T, error)) (x T, err error) {
	var in io.Reader = bufio.NewReader(src)
	if magic, _ := in.(*bufio.Reader).Peek(2); string(magic) == "\x1f\x8b" {
		var zip *gzip.Reader
		if zip, err = gzip.NewReader(in); err == nil {
			text := bufio.NewReader(zip)
			in = text
			if magic, _ := text.Peek(2); string(magic) == "\x1f\x8b" {
				err = errors.New("gzip data within gzip data: want them unpacked once")
			}
		}
	}
	if err == nil {
		text := &limited{in: in, left: most}
		if x, err = parse(text); err == nil && text.left >= 0 {
			return x, nil
		}
		if text.left < 0 {
			return *new(T), cli.Mistakef("%s: more than %d MiB of text, unpacked: want less", name, most>>20)
		}
	}
	var p *fs.PathError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		err = errors.New("the compressed data are cut off")
	case errors.As(err, &p):
		err = p.Err
	}
	return x, cli.Mistakef("%s: %w", name, cli.Plain(err))
}

// errTooLong ends a text that is longer than its limit.
var errTooLong = errors.New("too much text")

// limited reads a text up to a limit. left is negative once there was more.
type limited struct {
	in   io.Reader
	left int64
}

func (r *limited) Read(p []byte) (int, error) {
	if r.left < 0 {
		return 0, errTooLong
	}
	if int64(len(p)) > r.left+1 {
		p = p[:r.left+1]
	}
	n, err := r.in.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return n - 1, errTooLong
	}
	return n, err
}

// ReadAll returns the text of a file, as [Read] does.
func ReadAll(flag, path string) ([]byte, error) { return Read(flag, path, io.ReadAll) }

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
