//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmtest"
)

// With fakes the program does what it does with Slurm. Each story is a test of its own: a change of
// the code, as of internal/tools/mutants, then runs only those that it can fail.
func TestFakeUnknownNodes(t *testing.T) { faked(t, unknownNodes) }
func TestFakeKilled(t *testing.T)       { faked(t, killed) }
func TestFakePolicies(t *testing.T)     { faked(t, policyKilled) }
func TestFakeFaultyCloud(t *testing.T)  { faked(t, faultyCloud) }
func TestFakeDemo(t *testing.T)         { faked(t, shortDemo) }
func TestFakeInterrupted(t *testing.T)  { faked(t, demoInterrupted) }
func TestFakePartition(t *testing.T) {
	faked(t, func(t *testing.T) { withParttime(t, "partition", "saves") })
}
func TestFakeShare(t *testing.T) {
	faked(t, func(t *testing.T) { withParttime(t, "share", "reclaim") })
}

func faked(t *testing.T, story func(t *testing.T)) {
	t.Helper()
	slurmtest.Fakes(t)
	story(t)
}

// shortDemo checks what a demonstration of few jobs prints.
func shortDemo(t *testing.T) {
	args := []string{"-hour", "2s", "-release-every", "8m", "-jobs", "8", "-seed", "155", "-period", "1", "-nodes", "8"}
	status, stdout, stderr := runSlurm(append([]string{"demo"}, args...)...)
	if status != 0 || !strings.Contains(stdout, "\n8 of 8 jobs completed, with 10.8 instance-hours of work. An hour took 2s;\n") || !strings.Contains(stdout, "\nReserved at the end of periods of 1 hours: ") {
		t.Errorf("status %d, %s", status, stdout)
	}
	for _, want := range []string{"started a Slurm of 8 nodes, all of them down, in ", "\nsubmitting 8 jobs; an hour lasts 2s\n", " h  bought   ", " n1 "} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %q:\n%s", want, stderr)
		}
	}
	for _, not := range []string{" rented ", " gone ", " ran "} {
		if strings.Contains(stderr, not) {
			t.Errorf("it says %q:\n%s", not, stderr)
		}
	}
}
