//go:build unix

package main

import (
	"syscall"
	"testing"
	"time"
)

// A process that does not end when it is asked to is killed, which is said.
func TestStopKills(t *testing.T) {
	s := testStage(t, time.Second)
	s.patience = 20 * time.Millisecond
	p, err := s.start("host", "host", "-nodes", "2")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil { // it hears nothing any more
		t.Fatal(err)
	}
	if err := p.stop(); err == nil || err.Error() != "host: signal: killed" {
		t.Errorf("%v", err)
	}
}
