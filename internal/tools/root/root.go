// Package root finds the folder of the library's module.
package root

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// Enter makes the folder of the library's module the current folder. The search goes
// from the current folder upwards.
func Enter() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.Contains(text, []byte("module github.com/plimsoll/plimsoll\n")) {
			return os.Chdir(dir)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return errors.New("want to run in a checkout of github.com/plimsoll/plimsoll")
		}
		dir = up
	}
}
