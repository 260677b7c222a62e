//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package filelock keeps two processes from one file.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Exclude keeps other processes from f until f is closed or the process ends, however that
// happens. It reports whether this process is the only one.
func Exclude(f *os.File) (bool, error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// Close lets others have f, and closes it. Closing alone does not: a child that this process has
// forked and that has not yet begun its own program has f open, too.
func Close(f *os.File) error {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // else closing unlocks
	return f.Close()
}
