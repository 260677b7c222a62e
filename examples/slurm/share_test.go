//go:build unix

package main

import (
	"io"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// In the simulation all jobs run to their ends, whatever the policy; the exact victims waste
// less than a host that is told nothing; and the same seed gives the same result.
func TestShareSimulation(t *testing.T) {
	o, err := parseShare([]string{"-reclaim", "4", "-every", "10m", "-span", "3h"})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := o.jobs(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s := &sharing{o: &o, jobs: jobs, w: io.Discard}
	wasted := map[string]time.Duration{}
	for _, policy := range o.policies {
		r, err := s.simulate(policy)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.jobs) != len(jobs) {
			t.Errorf("%v: %d jobs of %d", policy, len(r.jobs), len(jobs))
		}
		for i := range r.jobs {
			if j := &r.jobs[i]; j.start < j.Submit || j.end < j.start+j.Run {
				t.Errorf("%v: job %d starts at %v and ends at %v: %+v", policy, i, j.start, j.end, *j.shareJob)
			}
		}
		if policy == o.policies[0] {
			again, err := s.simulate(policy)
			if err != nil || again.wasted != r.wasted || again.restarts != r.restarts {
				t.Errorf("%v: %v and then %v, %v", policy, r.wasted, again.wasted, err)
			}
		}
		wasted[policy.String()] = r.wasted
		t.Logf("%-9v %6.2f node-hours wasted, %5.2f of urgent jobs; %d starts again, %d saves", policy, r.wasted.Hours(), r.urgent.Hours(), r.restarts, r.saves)
	}
	if wasted["exact"] >= wasted["blind"] {
		t.Errorf("exact wastes %v, and blind %v", wasted["exact"], wasted["blind"])
	}
}

// A quarter of an hour on two real Slurm clusters whose nodes move by themselves, while processes
// are killed: no node is in two places, none is lost, and all jobs run, as on a static split.
func sharePlays(t *testing.T, parttime string) {
	t.Helper()
	cmd := programtest.Command("share", "-parttime", parttime, "-nodes", "6", "-span", "15m", "-longest", "12m", "-seed", "5", "-minute", "500ms", "-grace", "13m", "-kill", "3", "-json")
	var said lines
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	rows := programtest.Rows[map[string]any](t, string(out))
	if len(rows) != 2 || rows[0]["killed"] != 3. || rows[0]["in_two_places"] != 0. || rows[0]["lost"] != 0. || rows[0]["jobs"].(float64) < 3 || rows[0]["jobs"] != rows[1]["jobs"] {
		t.Errorf("%v\n%s", rows, said.String())
	}
}
