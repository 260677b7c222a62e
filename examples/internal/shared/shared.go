// Package shared finds the reference material that some tests read: real job
// logs, prices and reference results, which are not part of the repository.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Env names the environment variable that holds the folder of the reference
// material.
const Env = "PLIMSOLL_SHARED"

// File returns the path of a file of the reference material, by its
// slash-separated name there. It skips the test, with a message, when [Env] is
// not set, and fails it when the folder that Env names has no such file.
func File(tb testing.TB, name string) string {
	tb.Helper()
	dir := os.Getenv(Env)
	if dir == "" {
		tb.Skipf("%s is not set: it names the folder with %s", Env, name)
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("%s has no %s: %v", Env, name, err)
	}
	return path
}
