// Package outfile writes files whole or not at all. What is written goes to a
// temporary file in the folder of the target, which takes the target's name
// when everything is written. Until then the target is as it was.
package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// ErrSame says that a file to be written is one that is read or written
// already.
var ErrSame = errors.New("is used already")

// A Set is the files that one run of a program writes. Its zero value is
// empty. Its methods may be called by several goroutines, [Set.Abort] above
// all by one that handles signals.
type Set struct {
	mu     sync.Mutex
	ended  bool
	used   []place
	files  []*File
	onEnd  []func()
	made   []string                    // folders
	rename func(from, to string) error // os.Rename, if nil
}

// place is where a file is, or will be.
type place struct {
	path string      // without symbolic links
	info fs.FileInfo // nil where there is no file yet
}

func (p place) same(q place) bool {
	return p.path == q.path || p.info != nil && q.info != nil && os.SameFile(p.info, q.info)
}

// A File is being written. It is the work of one goroutine.
type File struct {
	target string // without symbolic links
	name   string // as the user gave it
	temp   string
	file   *os.File
	buf    *bufio.Writer
}

// Keep says that path is read and must not be written. A path that does not exist
// is no matter.
func (s *Set) Keep(path string) {
	if p, err := locate(path); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.used = append(s.used, p)
	}
}

// Create begins a file. It checks at once that the folder exists and takes a file, and
// that an old file of the name is a regular file that may be written. A symbolic link
// stays, and its target is replaced. The error names the path, and is ErrSame for a file
// that the set has.
func (s *Set) Create(path string) (*File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, errors.New("outfile: the set has ended")
	}
	f, p, err := s.create(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	s.used = append(s.used, p)
	s.files = append(s.files, f)
	return f, nil
}

// Mkdir makes a folder for files of the set, unless it is there. If the set ends
// with nothing in it, it goes. The error names the path.
func (s *Set) Mkdir(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errors.New("outfile: the set has ended")
	}
	err := os.Mkdir(path, 0o777)
	switch {
	case err == nil:
		if abs, e := filepath.Abs(path); e == nil {
			path = abs
		}
		s.made = append(s.made, path)
	case errors.Is(err, fs.ErrExist):
		if info, e := os.Stat(path); e == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder", path)
		}
		err = nil // what else is wrong with it shows when a file is created
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s: the folder that it is to be in does not exist", path)
	default:
		err = fmt.Errorf("%s: %w", path, cause(err))
	}
	return err
}

func (s *Set) create(path string) (*File, place, error) {
	p, err := locate(path)
	if err != nil {
		return nil, p, err
	}
	for _, q := range s.used {
		if p.same(q) {
			return nil, p, ErrSame
		}
	}
	mode := fs.FileMode(0o666) // the umask is taken off
	if p.info != nil {
		if p.info.IsDir() {
			return nil, p, errors.New("is a folder")
		}
		if !p.info.Mode().IsRegular() {
			return nil, p, errors.New("is not a regular file")
		}
		f, err := os.OpenFile(p.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, p, err
		}
		f.Close()
	}
	for {
		temp := filepath.Join(filepath.Dir(p.path), fmt.Sprintf(".%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil && p.info != nil {
			if err = f.Chmod(p.info.Mode().Perm()); err != nil {
				f.Close()
				os.Remove(temp)
			}
		}
		if err != nil {
			return nil, p, err
		}
		return &File{p.path, path, temp, f, bufio.NewWriterSize(f, 1<<16)}, p, nil
	}
}

// locate follows symbolic links, those of the folder where there is no file
// yet.
func locate(path string) (place, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return place{}, err
	}
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		folder := filepath.Dir(abs)
		if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return place{}, errors.New("its folder does not exist")
		} else if err == nil && !info.IsDir() {
			return place{}, errors.New("is not within a folder")
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return place{}, err
		}
		return place{path: filepath.Join(folder, filepath.Base(abs))}, nil
	} else if err != nil {
		return place{}, err
	}
	target, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return place{}, err
	}
	info, err := os.Stat(target)
	return place{target, info}, err
}

// cause strips the names that package os adds, since the user did not give
// that of the temporary file.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Write implements [io.Writer].
func (f *File) Write(p []byte) (int, error) {
	n, err := f.buf.Write(p)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.name, cause(err))
	}
	return n, err
}

// OnEnd has f called once when the set ends, after its files have taken their names or are
// gone.
func (s *Set) OnEnd(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onEnd = append(s.onEnd, f)
}

// Commit ends the set: all files are completed, and only then do they take
// their names. After an error those that have not are removed, and each file
// that has is whole. It does nothing after Abort.
func (s *Set) Commit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	defer s.end()
	for _, f := range s.files {
		err := f.buf.Flush()
		if err == nil {
			err = f.file.Sync() // or a crash may leave the new name with nothing in it
		}
		if e := f.file.Close(); err == nil {
			err = e
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, cause(err))
		}
	}
	rename := s.rename
	if rename == nil {
		rename = os.Rename
	}
	for _, f := range s.files {
		if err := rename(f.temp, f.target); err != nil {
			return fmt.Errorf("%s: %w", f.name, cause(err))
		}
		f.temp = ""
		syncFolder(filepath.Dir(f.target))
	}
	return nil
}

// syncFolder has the names in a folder survive a crash. Not all systems can; there it does
// nothing.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		d.Sync()
		d.Close()
	}
}

// Abort ends the set and removes what was written. It does nothing after
// Commit.
func (s *Set) Abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.end()
	}
}

func (s *Set) end() {
	s.ended = true
	for _, f := range s.files {
		if f.temp != "" {
			f.file.Close() // a second time after Commit, which is harmless
			os.Remove(f.temp)
		}
	}
	for _, path := range s.made {
		os.Remove(path) // which fails if there is something in it
	}
	for _, f := range s.onEnd {
		f()
	}
}
