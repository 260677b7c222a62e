//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

// Package filelock keeps two processes from one file.
package filelock

import "os"

// Exclude does nothing on systems without such a lock. There the user must not start two
// processes with one file.
func Exclude(*os.File) (bool, error) { return true, nil }

// Close closes f.
func Close(f *os.File) error { return f.Close() }
