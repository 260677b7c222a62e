package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// By hand: a job of 100 minutes on 3 nodes loses a node after 50. Without saves it has done 150
// node-minutes in vain. With saves each 20 minutes it loses 10 minutes on each node, and has 60
// to run; with a save on request, of one minute, that minute, and has 51 to run.
func TestLose(t *testing.T) {
	for _, c := range []struct{ every, cost, wasted, left, resumed time.Duration }{
		{0, -1, 150, 100, 0}, {20 * time.Minute, -1, 30, 60, 40}, {0, time.Minute, 3, 51, 49},
	} {
		log := &jobLog{jobs: []trace.Job{{Run: 100 * time.Minute, Nodes: 3}, {Run: time.Hour, Nodes: 1}}, requested: make([]time.Duration, 2), priority: []int{1, 1}}
		s := &sequence{o: &options{nodes: 4, saveEvery: c.every, saveCost: c.cost}, log: log, node: []int{0, 0, 1, 0}, now: 60 * time.Minute, queue: []int{9},
			start: []time.Duration{10 * time.Minute, 0}, left: []time.Duration{100 * time.Minute, time.Hour}, resumed: make([]time.Duration, 2)}
		s.lose(0)
		if want := preempt.NodeTimeOf(c.wasted*time.Minute, 1); math.Abs(s.wasted.Seconds()-want.Seconds()) > 1e-3 || s.left[0] != c.left*time.Minute || s.resumed[0] != c.resumed*time.Minute {
			t.Errorf("saves each %v, on request for %v: wasted %v, %v left of which %v was saved; want %v, %v, %v", c.every, c.cost, s.wasted, s.left[0], s.resumed[0], want, c.left*time.Minute, c.resumed*time.Minute)
		}
		if !slices.Equal(s.node, []int{-1, -1, 1, -1}) || !slices.Equal(s.queue, []int{0, 9}) || s.restarts != 1 {
			t.Errorf("nodes %v, queue %v, %d start again", s.node, s.queue, s.restarts)
		}
		if s.end(1); s.ended != 1 || s.done != 1 || s.node[2] != -1 {
			t.Errorf("%d have ended, %v node-hours done", s.ended, s.done)
		}
	}
}

// What is told of sequences: a share of the work that is done, at most all, and as many days as
// the nodes need for it, or twice as many at most.
func TestSequences(t *testing.T) {
	log := sequenceLog()
	work := 0.
	for _, j := range log.jobs {
		work += j.Run.Hours() * float64(j.Nodes)
	}
	o := &options{nodes: 8, take: 2, saveCost: -1, seed: 3}
	claims, err := o.sequences(log, cli.Quiet())
	if err != nil || len(claims) != 2 {
		t.Fatal(len(claims), err)
	}
	found := regexp.MustCompile(`(\S+) wastes ([\d.]+) of what it does, and (\d+)% is done after (\d+) days`).FindAllStringSubmatch(claims[0].measured, -1)
	if len(found) != 7 {
		t.Fatalf("%d policies in %s", len(found), claims[0].measured)
	}
	all := 0
	for _, f := range found {
		var wasted float64
		var done, days float64
		fmt.Sscan(f[2], &wasted)
		fmt.Sscan(f[3], &done)
		fmt.Sscan(f[4], &days)
		least := work / 8 / 24
		if done == 100 {
			all++
		}
		if done < 30 || done > 100 || days < math.Floor(least*done/100) || days > math.Ceil(2*least) || wasted <= 0 || wasted > 2 {
			t.Errorf("%s, of %.0f node-hours on 8 nodes", f[0], work)
		}
	}
	if all < 3 {
		t.Errorf("%d policies let all jobs end: %s", all, claims[0].measured)
	}
}

// A violin for each policy that is shown and each grace period.
func TestViolins(t *testing.T) {
	o, err := program.Options("-trace", programtest.Write(t, "log", small), "-nodes", "4", "-take", "2", "-important", "queue=3", "-grace", "20s,1m,5m", "-policy", "lifo,pap")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := o.load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.score(logs[0], cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	v := o.violins(r, 1, 3)
	if !slices.Equal(v.Groups, []string{"lifo", "pap"}) || len(v.Sets) != 2 || v.Sets[0].Name != "1m" || v.Sets[1].Name != "5m" {
		t.Errorf("groups %q, %d sets", v.Groups, len(v.Sets))
	}
	for _, set := range v.Sets {
		if len(set.Violins) != 2 {
			t.Errorf("%s: %d violins", set.Name, len(set.Violins))
		}
		for _, x := range set.Violins {
			sum := 0.
			for _, f := range x.Frequency {
				sum += f
			}
			if math.Abs(sum-float64(r.states)) > 1 {
				t.Errorf("%s: %v of %d states", set.Name, sum, r.states)
			}
		}
	}
	// Frames: columns 1 and 2 have important jobs on nodes 0 and 1, column 2 on node 3, too.
	list := frames([][]bool{nil, {true, true, false, false}, {true, true, false, true}, {false, false, false, false}}, 4)
	if got := fmt.Sprint(list); got != "[{1 2 0 2} {2 3 0 2} {2 3 3 4}]" {
		t.Errorf("frames %s", got)
	}
}
