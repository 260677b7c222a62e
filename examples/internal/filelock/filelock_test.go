//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// One of two has a file, until it is closed. A file that is closed is an error.
func TestExclude(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if ok, err := Exclude(first); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if ok, err := Exclude(second); ok || err != nil {
		t.Errorf("a second one has the file: %v, %v", ok, err)
	}
	// As a child that has been forked a moment ago.
	child, err := syscall.Dup(int(first.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := Close(first); err != nil {
		t.Fatal(err)
	}
	if ok, err := Exclude(second); !ok || err != nil {
		t.Errorf("after the first is gone: %v, %v", ok, err)
	}
	if ok, err := Exclude(first); ok || err == nil {
		t.Errorf("a file that is closed: %v, %v", ok, err)
	}
}
