package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// A job of 10⁹ processors is refused before memory is taken for its instances.
func TestHugeJob(t *testing.T) {
	log := programtest.Write(t, "huge.swf", "1 0 0 3600 1000000000 -1 -1 1000000000 3600 -1 1 1 1 1 1 1 -1 -1\n")
	status, stdout, stderr := tested.Try("-trace", log)
	if status != 2 || stdout != "" || !strings.Contains(stderr, "job 1 needs") || strings.Contains(stderr, "-nodes") {
		t.Errorf("exit status %d, %q", status, stderr)
	}
}
