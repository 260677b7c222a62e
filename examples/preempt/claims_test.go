package main

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The program judges each claim of the paper, as a line for people and as a row for machines,
// and the claims that compare with checked figures come out as those do. On a log of a few jobs of one
// node LIFO and PAP take the same nodes, and nothing is above anything.
func TestClaimsOf(t *testing.T) {
	path := programtest.Write(t, "log", small)
	args := []string{"-trace", path, "-nodes", "4", "-take", "2", "-claims", "-important", "queue=3"}
	stdout, _ := tested.Must(t, args...)
	for _, want := range []string{"4.3: LIFO and PAP preempt the same nodes", "4.4: PAP+", "4.5: with stale values", "5: for over 50% of the jobs", "4: single preemptions stand for sequences"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no claim %q in\n%s", want, stdout)
		}
	}
	if again, _ := tested.Must(t, args...); again != stdout {
		t.Error("the same seed gives another result")
	}
	asJSON, _ := tested.Must(t, append(args, "-json")...)
	rows := programtest.Rows[map[string]any](t, asJSON)
	if len(rows) != 14 {
		t.Errorf("%d claims, want 14", len(rows))
	}
	for _, r := range rows {
		if len(r) != 5 || r["claim"] == "" || r["measured"] == "" {
			t.Errorf("%v", r)
		}
	}
	if !strings.Contains(stdout, "5: for over 50% of the jobs") || !strings.Contains(asJSON, `"measured":"1.5"`) { // requests over run times: 1.5, 1.5, 1, 10.9, 1
		t.Errorf("the factor of the requests:\n%s", asJSON)
	}
}

// Jobs that save lose less, by every policy; the tables count from the last save, and nothing
// else changes.
func TestSaves(t *testing.T) {
	path := programtest.Write(t, "log", small)
	args := []string{"-trace", path, "-nodes", "4", "-take", "2", "-grace", "20s", "-json", "-important", "queue=3"}
	mean := func(more ...string) map[string]float64 {
		stdout, _ := tested.Must(t, append(args, more...)...)
		out := map[string]float64{}
		for _, r := range programtest.Rows[map[string]any](t, stdout) {
			out[r["policy"].(string)] = r["mean_node_s"].(float64)
		}
		return out
	}
	without, every, request := mean(), mean("-save-every", "15s"), mean("-save-cost", "5s")
	for name, w := range without {
		if name != "random" && name != "blind" && (every[name] > w || request[name] > w) {
			t.Errorf("%s wastes %v, %v with saves each 15s, and %v with saves on request", name, w, every[name], request[name])
		}
	}
	if every["exact"] >= without["exact"] || request["exact"] >= without["exact"] {
		t.Errorf("exact: %v, %v, %v", without["exact"], every["exact"], request["exact"])
	}
}

// sequenceLog is a log of a hundred jobs of one to four nodes and ten minutes to three hours.
func sequenceLog() *jobLog {
	log := &jobLog{name: "jobs"}
	for i := range 100 {
		run := time.Duration(10+(i*37)%170) * time.Minute
		log.jobs = append(log.jobs, trace.Job{ID: int64(i + 1), Run: run, Estimate: 2 * run, Nodes: 1 + i%4})
		log.requested, log.priority = append(log.requested, 2*run), append(log.priority, 1)
	}
	return log
}

// All jobs of a sequence run to their ends, in no less time than their work takes; without
// preemptions nothing is wasted; and with saves less is wasted than without.
func TestSequence(t *testing.T) {
	run := func(k kind, take int, every, cost time.Duration) *sequence {
		o := &options{nodes: 8, take: take, saveEvery: every, saveCost: cost, seed: 3}
		s, err := o.newSequence(sequenceLog(), k)
		if err == nil {
			err = s.run()
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.ended != 100 || len(s.queue) > 0 {
			t.Fatalf("%v: %d jobs have ended, %d wait", k, s.ended, len(s.queue))
		}
		return s
	}
	var work time.Duration
	for _, j := range sequenceLog().jobs {
		work += j.Run * time.Duration(j.Nodes)
	}
	calm := run(pap, 0, 0, -1)
	if calm.wasted != (preempt.NodeTime{}) || calm.restarts > 0 || calm.now < work/8 || calm.now > work/8*3/2 {
		t.Errorf("without preemptions %v wasted in %v, and the work is %v", calm.wasted, calm.now, work/8)
	}
	bare, periodic, asked := run(exact, 4, 0, -1), run(exact, 4, 10*time.Minute, -1), run(exact, 4, 0, time.Minute)
	t.Logf("wasted: %v, %v with saves each 10 minutes, %v with saves on request; done after %v, %v, %v, without preemptions %v", bare.wasted, periodic.wasted, asked.wasted, bare.now, periodic.now, asked.now, calm.now)
	if bare.restarts == 0 || bare.taken == 0 || bare.now <= calm.now {
		t.Errorf("%d starts again, %d nodes taken, done after %v", bare.restarts, bare.taken, bare.now)
	}
	if periodic.wasted.Compare(bare.wasted) >= 0 || asked.wasted.Compare(periodic.wasted) >= 0 {
		t.Errorf("wasted: %v, %v with saves each 10 minutes, %v with saves on request", bare.wasted, periodic.wasted, asked.wasted)
	}
	// What is wasted is what the nodes did beyond the work, as far as they were busy: never more
	// than they could.
	if most := float64(8) * bare.now.Seconds(); bare.wasted.Seconds() > most-work.Seconds() {
		t.Errorf("%v wasted, and the nodes could do %v beyond the work", bare.wasted, most-work.Seconds())
	}
	if host := run(blind, 4, 0, -1); host.wasted.Compare(bare.wasted) <= 0 {
		t.Errorf("blind wastes %v, and exact %v", host.wasted, bare.wasted)
	}
}
