package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
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

// seen is what two states showed in which each policy wastes so many node-hours in the mean, and
// in each state as in the other, whatever the grace period.
func seen(hours map[kind]float64) *observed {
	x := &observed{states: 2, same: .8, exact: preempt.NodeTimeOf(time.Hour, 1)} // half an hour in the mean
	for k := range claimKinds {
		all := preempt.NodeTimeOf(time.Duration(2*hours[kind(k)]*float64(time.Hour)), 1)
		x.dist[k] = make([]distribution, len(claimGraces))
		for g := range claimGraces {
			x.waste[k] = append(x.waste[k], all)
			x.idle[k] = append(x.idle[k], preempt.NodeTimeOf(time.Duration(1+g)*time.Hour, 1))
			x.dist[k][g].add(hours[kind(k)] * 3600)
			x.dist[k][g].add(hours[kind(k)] * 3600)
		}
		for range claimDelays {
			x.stale[k] = append(x.stale[k], all)
		}
	}
	return x
}

// The claims on numbers that are few and round: in the mean LIFO wastes 1 node-hour, PAP 1,
// PAP+ 1.05, RANDOM 4 and FIFO 8, and the least is half of one. By hand: important jobs lose
// .25 node-hours of PAP's 2 by PAP, and .05 by PAP+: 80% less; the others 2.05 against 1.75,
// 17.1% more, and all 2.1 against 2, 5% more.
func TestCompare(t *testing.T) {
	log := &jobLog{name: "log", important: 3, which: "at random"}
	for i, factor := range []int{1, 2, 20, 40} {
		log.jobs = append(log.jobs, trace.Job{ID: int64(i), Run: time.Hour, Nodes: 1})
		log.requested = append(log.requested, time.Duration(factor)*time.Hour)
	}
	o := &options{nodes: 8, take: 2}
	hours := func(h float64) preempt.NodeTime { return preempt.NodeTimeOf(time.Duration(h*float64(time.Hour)), 1) }
	make2 := func() (small, large *observed) {
		small = seen(map[kind]float64{lifo: 1, pap: 1, papPlus: 1.05, random: 4, fifo: 8, blind: 6})
		large = seen(map[kind]float64{lifo: 10, pap: 10.5, papPlus: 11, random: 40, fifo: 80, blind: 60})
		small.high[pap], small.high[papPlus] = hours(.25), hours(.05)
		for g := twoMinutes + 1; g < len(claimGraces); g++ { // a little more with a longer grace period
			small.waste[lifo][g], small.waste[pap][g] = hours(2.04), hours(2.02)
		}
		for d, share := range []float64{.25, .5, .75, .875} { // of RANDOM's 8
			small.stale[lifo][d], small.stale[pap][d] = hours(8*share), hours(8*share/2)
		}
		for g := twoMinutes + 1; g <= sixHours; g++ {
			small.idle[lifo][g] = hours(30)
		}
		return small, large
	}
	find := func(list []claim, text string) claim {
		for _, c := range list {
			if strings.HasPrefix(c.text, text) {
				return c
			}
		}
		t.Fatalf("no claim %q", text)
		return claim{}
	}
	small, large := make2()
	list := o.compare(log, small, large)
	for text, measured := range map[string]string{
		"4.3 (HTC)":                                        "mean 1.00 node-hours, and 1.02 with 20 or 30 min",
		"4.3: LIFO and PAP preempt the sam":                "80.0%",
		"4.3: LIFO and PAP demonstrate":                    "PAP wastes 1.000 of what LIFO does",
		"4.3: similar results with 80 nodes, 20 preempted": "PAP wastes 1.050 of what LIFO does, the same nodes in 80.0%; over the least: LIFO 20.000, PAP 21.000",
		"4.3: up to 30 min":                                "30 min over 1 min, means: LIFO 1.020, PAP 1.010",
		"4.4: PAP+":                                        "80.0% less, others 17.1% more, all 5.0% more (3, at random)",
		"4.5: with stale":                                  "over RANDOM's, with values 0, 5, 30, 120 min old: LIFO 0.25, 0.50, 0.75, 0.88; PAP 0.12, 0.25, 0.38, 0.44",
		"4.5: large grace":                                 "LIFO at 2 min, 30 min, 6 h: 1.00, 15.00, 15.00 idle node-hours until the end, 1.00, 1.02, 1.02 wasted",
		"5: for over":                                      "20.0",
	} {
		if c := find(list, text); c.measured != measured || !c.holds {
			t.Errorf("%s: %q, holds %v; want %q", c.text, c.measured, c.holds, measured)
		}
	}
	for _, c := range list {
		if !c.holds {
			t.Errorf("%s: %s: want it to hold", c.text, c.measured)
		}
	}
	if len(list) != 12 {
		t.Errorf("%d claims", len(list))
	}
	// What breaks a claim breaks this one.
	for text, change := range map[string]func(small, large *observed){
		"4.3: LIFO provides":                func(x, _ *observed) { x.dist[random] = x.dist[lifo] },
		"4.3 (HTC)":                         func(x, _ *observed) { x.waste[lifo][halfAnHour] = hours(1.9) },
		"4.3: LIFO and PAP preempt the sam": func(x, _ *observed) { x.same = .75 },
		"4.3: LIFO and PAP demonstrate":     func(x, _ *observed) { x.waste[pap][twoMinutes] = hours(2.3) },
		"4.3: similar results with 80":      func(_, x *observed) { x.waste[pap][twoMinutes] = hours(17) },
		"4.3: up to 30 min":                 func(x, _ *observed) { x.waste[pap][halfAnHour] = hours(2.2) },
		"4.3: with 1 to 6 h":                func(x, _ *observed) { x.dist[random][sixHours] = x.dist[fifo][0] },
		"4.3: and those of LIFO":            func(x, _ *observed) { x.dist[pap][sixHours-1] = x.dist[random][0] },
		"4.4: PAP+":                         func(x, _ *observed) { x.high[papPlus] = hours(.2) },
		"4.5: with stale":                   func(x, _ *observed) { x.stale[lifo][3] = hours(5) },
		"4.5: large grace":                  func(x, _ *observed) { x.idle[lifo][sixHours] = hours(19) },
	} {
		small, large := make2()
		change(small, large)
		for _, c := range o.compare(log, small, large) {
			if strings.HasPrefix(c.text, text) && c.holds {
				t.Errorf("%s is broken, and is said to hold: %s", c.text, c.measured)
			}
		}
	}
	log.important = 0
	if n := len(o.compare(log, small, large)); n != 11 {
		t.Errorf("%d claims without important jobs, want 11", n)
	}
}

// What a batch shows is counted: on the log of six jobs a state for each end, idle time where
// nodes are free before the grace period ends, and no less waste with another policy than the
// least.
func TestObserve(t *testing.T) {
	o, err := program.Options("-trace", programtest.Write(t, "log", small), "-nodes", "4", "-take", "2", "-important", "queue=3")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := o.load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	x, err := o.observe(logs[0], cli.Quiet(), o.nodes, o.take)
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.score(logs[0], cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	if x.states != r.states || x.states < 3 {
		t.Errorf("%d states, and %d where they are scored", x.states, r.states)
	}
	for _, k := range []kind{fifo, lifo, pap, papPlus} {
		if x.waste[k][twoMinutes].Compare(x.exact) < 0 || x.dist[k][0].n != x.states {
			t.Errorf("%v wastes %v of %d states, less than the least, %v", k, x.waste[k][twoMinutes], x.dist[k][0].n, x.exact)
		}
		for g := 1; g < len(claimGraces); g++ {
			if x.idle[k][g].Compare(x.idle[k][g-1]) < 0 || x.waste[k][g].Compare(x.waste[k][g-1]) > 0 {
				t.Errorf("%v: with a grace period of %v nodes are idle for %v, and with a shorter one for %v", k, claimGraces[g], x.idle[k][g], x.idle[k][g-1])
			}
		}
		if x.idle[k][sixHours] == (preempt.NodeTime{}) {
			t.Errorf("%v: no node is ever idle", k)
		}
	}
}

// A violin of amounts is in node-hours, and each amount is in it.
func TestViolin(t *testing.T) {
	var d distribution
	for i := range 101 {
		d.add(3600 * float64(i))
	}
	v := violin(&d, 100*3600)
	sum := 0.
	for _, f := range v.Frequency {
		sum += f
	}
	near := func(x, want float64) bool { return math.Abs(x-want) < .02*want }
	if !near(v.P25, 25) || !near(v.Median, 50) || !near(v.P75, 75) || !near(v.Step, 100./violinSteps) || !near(sum, 101) || v.Frequency[0] < 1 {
		t.Errorf("quartiles %v, %v, %v, steps of %v, %v amounts; want 25, 50, 75, 1.67, 101", v.P25, v.Median, v.P75, v.Step, sum)
	}
	// Above the top nothing is drawn, and quartiles stop there.
	v = violin(&d, 40*3600)
	if !near(v.P25, 25) || v.Median != 40 || v.P75 != 40 {
		t.Errorf("with a top of 40: quartiles %v, %v, %v", v.P25, v.Median, v.P75)
	}
}
