package statelog

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
)

// A Disk is where the files of a state are. That of this machine is what Open and Read use; a
// simulation has one of its own, with faults.
type Disk interface {
	// Check says why a path cannot be that of a state.
	Check(path string) error
	// Lock keeps others from a file until it is closed. It makes the file if need be.
	Lock(name string) (io.Closer, error)
	Read(name string) ([]byte, error)
	// Create makes a file that is not there.
	Create(name string) (chain.File, error)
	Rename(from, to string) error
	Remove(name string) error
	// List returns the names, without their folder, of the files whose names have a beginning.
	List(beginning string) ([]string, error)
	// SyncFolder has the names of the files beside a path survive a loss of power.
	SyncFolder(path string) error
}

// machine is the disk of this machine.
type machine struct{}

func (machine) Check(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil || info.Mode().IsRegular():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link: want a file")
	case info.IsDir():
		return errors.New("it is a folder: want a file")
	}
	return errors.New("it is not a file: want a file")
}

// lock is a file that is locked.
type lock struct{ *os.File }

func (l lock) Close() error { return filelock.Close(l.File) }

func (machine) Lock(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	alone, err := filelock.Exclude(f)
	if err == nil && !alone {
		err = errors.New("another process uses it: want a state of its own for each")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return lock{f}, nil
}

func (machine) Read(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func (machine) Create(name string) (chain.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return nil, err // not a file in an interface
	}
	return f, nil
}

func (machine) Rename(from, to string) error { return os.Rename(from, to) }
func (machine) Remove(name string) error     { return os.Remove(name) }

func (machine) List(beginning string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Dir(beginning))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nor is there the state
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(beginning)) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (machine) SyncFolder(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil // a folder that may be written to and not read
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, fs.ErrPermission) {
		return err // where the system does that for folders
	}
	return nil
}
