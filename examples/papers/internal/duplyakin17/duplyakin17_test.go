package duplyakin17

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/papers/internal/duplyakin17 -update.
var tested = programtest.Program{Name: "papers duplyakin17", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, program.Main) }

var small = programtest.SixJobs

var busy = programtest.TwelveJobs

// What the program writes about small logs, whole, with its notes.
func TestTexts(t *testing.T) {
	path := programtest.Write(t, "busy.swf", busy)
	brief := programtest.Write(t, "brief.swf", "1 0 0 10 1\n")
	for name, args := range map[string][]string{
		"claims":      {"-trace", path, "-important", "queue=3"},
		"claims-json": {"-trace", path, "-json", "-save-every", "20m", "-important", "queue=3"},
		"brief":       {"-trace", brief},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr := tested.Must(t, append(args, "-nodes", "5", "-take", "2", "-step", "30s")...)
			if name != "claims-json" {
				programtest.Narrow(t, stdout, 80)
			}
			for _, p := range []string{path, brief} {
				stderr = strings.ReplaceAll(stderr, filepath.Dir(p)+"/", "")
			}
			programtest.Golden(t, name+".txt", stdout+"Notes:\n"+stderr)
		})
	}
	if programtest.Whole() {
		stdout, _ := tested.Must(t)
		programtest.Golden(t, "default.txt", stdout)
	}
}

func TestFlags(t *testing.T) {
	tested.Help(t, program.FlagNames(), "came_out")
	tested.Frame(t, "svg")
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{{Args: []string{"-take", "21"}, Want: "the partition has only 20 nodes"}})
}

// An interrupted run leaves the old picture and no temporary file.
func TestInterrupt(t *testing.T) { programtest.Interrupt(t, "-trace", "; Version: 2\n") }

// Important jobs that all start with the batch are not drawn, and that is said.
func TestSVGWithoutMaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.svg")
	_, notes := tested.Must(t, "-trace", programtest.Write(t, "log", small), "-nodes", "7", "-take", "2", "-important", "queue=3", "-svg", path)
	if !strings.Contains(notes, "no values of nodes, since all important jobs start with the batch") {
		t.Errorf("notes:\n%s", notes)
	}
	if text := programtest.Read(t, path); strings.Contains(text, "values of nodes") || !strings.Contains(text, "important jobs, grace") {
		t.Error("the picture has values of nodes, or no sums")
	}
}

// sequenceLog is a log of a hundred jobs of one to four nodes and ten minutes to three hours.
func sequenceLog() *preemptions.Log {
	log := &preemptions.Log{Name: "jobs"}
	for i := range 100 {
		run := time.Duration(10+(i*37)%170) * time.Minute
		log.Jobs = append(log.Jobs, trace.Job{ID: int64(i + 1), Run: run, Estimate: 2 * run, Nodes: 1 + i%4})
		log.Requested, log.Priority = append(log.Requested, 2*run), append(log.Priority, 1)
	}
	return log
}

// All jobs of a sequence run to their ends, in no less time than their work takes; without
// preemptions nothing is wasted; and with saves less is wasted than without.
func TestSequence(t *testing.T) {
	run := func(k preemptions.Kind, take int, every, cost time.Duration) *sequence {
		o := &options{preemptions.Options{Nodes: 8, Take: take, SaveEvery: every, SaveCost: cost, Seed: 3}}
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
	for _, j := range sequenceLog().Jobs {
		work += j.Run * time.Duration(j.Nodes)
	}
	calm := run(preemptions.PAP, 0, 0, -1)
	if calm.wasted != (preempt.NodeTime{}) || calm.restarts > 0 || calm.now < work/8 || calm.now > work/8*3/2 {
		t.Errorf("without preemptions %v wasted in %v, and the work is %v", calm.wasted, calm.now, work/8)
	}
	bare, periodic, asked := run(preemptions.Exact, 4, 0, -1), run(preemptions.Exact, 4, 10*time.Minute, -1), run(preemptions.Exact, 4, 0, time.Minute)
	t.Logf("wasted: %v, %v with saves each 10 minutes, %v with saves on request; done after %v, %v, %v, without preemptions %v", bare.wasted,
		periodic.wasted, asked.wasted, bare.now, periodic.now, asked.now, calm.now)
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
	if host := run(preemptions.Blind, 4, 0, -1); host.wasted.Compare(bare.wasted) <= 0 {
		t.Errorf("blind wastes %v, and exact %v", host.wasted, bare.wasted)
	}
}

// seen is what two states showed in which each policy wastes so many node-hours in the mean, and
// in each state as in the other, whatever the grace period.
func seen(hours map[preemptions.Kind]float64) *observed {
	x := &observed{states: 2, same: .8, exact: preempt.NodeTimeOf(time.Hour, 1)} // half an hour in the mean
	for k := range claimKinds {
		all := preempt.NodeTimeOf(time.Duration(2*hours[preemptions.Kind(k)]*float64(time.Hour)), 1)
		x.dist[k] = make([]preemptions.Distribution, len(claimGraces))
		for g := range claimGraces {
			x.waste[k] = append(x.waste[k], all)
			x.idle[k] = append(x.idle[k], preempt.NodeTimeOf(time.Duration(1+g)*time.Hour, 1))
			x.dist[k][g].Add(hours[preemptions.Kind(k)] * 3600)
			x.dist[k][g].Add(hours[preemptions.Kind(k)] * 3600)
		}
		for range claimDelays {
			x.stale[k] = append(x.stale[k], all)
		}
	}
	return x
}

// What a batch shows is counted: on the log of six jobs a state for each end, idle time where
// nodes are free before the grace period ends, and no less waste with another policy than the
// least.
func TestObserve(t *testing.T) {
	o, err := program.Options("-trace", programtest.Write(t, "log", small), "-nodes", "4", "-take", "2", "-important", "queue=3")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := o.Load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	x, err := o.observe(logs[0], cli.Quiet(), o.Nodes, o.Take)
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.Score(logs[0], cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	if x.states != r.States || x.states < 3 {
		t.Errorf("%d states, and %d where they are scored", x.states, r.States)
	}
	for _, k := range []preemptions.Kind{preemptions.FIFO, preemptions.LIFO, preemptions.PAP, preemptions.PAPPlus} {
		if x.waste[k][twoMinutes].Compare(x.exact) < 0 || x.dist[k][0].Spread(1e9, 1)[0] < float64(x.states)-1 {
			t.Errorf("%v wastes %v, less than the least, %v", k, x.waste[k][twoMinutes], x.exact)
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
	var d preemptions.Distribution
	for i := range 101 {
		d.Add(3600 * float64(i))
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

// By hand: a job of 100 minutes on 3 nodes loses a node after 50. Without saves it has done 150
// node-minutes in vain. With saves each 20 minutes it loses 10 minutes on each node, and has 60
// to run; with a save on request, of one minute, that minute, and has 51 to run.
func TestLose(t *testing.T) {
	for _, c := range []struct{ every, cost, wasted, left, resumed time.Duration }{
		{0, -1, 150, 100, 0}, {20 * time.Minute, -1, 30, 60, 40}, {0, time.Minute, 3, 51, 49},
	} {
		log := &preemptions.Log{Jobs: []trace.Job{{Run: 100 * time.Minute, Nodes: 3}, {Run: time.Hour, Nodes: 1}}, Requested: make([]time.Duration, 2),
			Priority: []int{1, 1}}
		s := &sequence{o: &options{preemptions.Options{Nodes: 4, SaveEvery: c.every, SaveCost: c.cost}}, log: log, node: []int{0, 0, 1, 0},
			now: 60 * time.Minute, queue: []int{9},
			start: []time.Duration{10 * time.Minute, 0}, left: []time.Duration{100 * time.Minute, time.Hour}, resumed: make([]time.Duration, 2)}
		s.lose(0)
		if want := preempt.NodeTimeOf(c.wasted*time.Minute, 1); math.Abs(s.wasted.Seconds()-want.Seconds()) > 1e-3 || s.left[0] != c.left*time.Minute ||
			s.resumed[0] != c.resumed*time.Minute {
			t.Errorf("saves each %v, on request for %v: wasted %v, %v left of which %v was saved; want %v, %v, %v", c.every, c.cost, s.wasted, s.left[0],
				s.resumed[0], want, c.left*time.Minute, c.resumed*time.Minute)
		}
		if !slices.Equal(s.node, []int{-1, -1, 1, -1}) || !slices.Equal(s.queue, []int{0, 9}) || s.restarts != 1 {
			t.Errorf("nodes %v, queue %v, %d start again", s.node, s.queue, s.restarts)
		}
		if s.end(1); s.ended != 1 || s.done != 1 || s.node[2] != -1 {
			t.Errorf("%d have ended, %v node-hours done", s.ended, s.done)
		}
	}
}

// A violin for each policy that is shown and each grace period.
func TestViolins(t *testing.T) {
	o, err := program.Options("-trace", programtest.Write(t, "log", small), "-nodes", "4", "-take", "2", "-important", "queue=3", "-grace", "20s,1m,5m",
		"-policy", "lifo,pap")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := o.Load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.Score(logs[0], cli.Quiet())
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
			if math.Abs(sum-float64(r.States)) > 1 {
				t.Errorf("%s: %v of %d states", set.Name, sum, r.States)
			}
		}
	}
	// Frames: columns 1 and 2 have important jobs on nodes 0 and 1, column 2 on node 3, too.
	list := frames([][]bool{nil, {true, true, false, false}, {true, true, false, true}, {false, false, false, false}}, 4)
	if got := fmt.Sprint(list); got != "[{1 2 0 2} {2 3 0 2} {2 3 3 4}]" {
		t.Errorf("frames %s", got)
	}
}

// What the pictures show, number by number.
func TestPictures(t *testing.T) {
	o, err := program.Options("-trace", programtest.Write(t, "busy.swf", busy), "-nodes", "5", "-take", "2", "-important", "queue=3", "-grace",
		"1m,2m,3m,4m,5m", "-policy", "random,pap,pap+,exact")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := o.Load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	logs[0].Name = "busy.swf"
	o.Draw = true // as -svg asks for
	r, err := o.Score(logs[0], cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for from := 0; from < len(o.Graces); from += 4 {
		v := o.violins(r, from, min(from+4, len(o.Graces)))
		text += fmt.Sprintf("%s | %s | %q\n", v.Title, v.Unit, v.Groups)
		for _, s := range v.Sets {
			text += fmt.Sprintln(" ", s.Name)
			for _, x := range s.Violins {
				text += fmt.Sprintf("    %.4g | %.4g %.4g %.4g | %.4g\n", x.Step, x.P25, x.Median, x.P75, x.Frequency)
			}
		}
	}
	maps, err := o.heatMaps(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps {
		text += fmt.Sprintf("%s | %v to %v, %d columns | %v\n", m.Title, m.From, m.To, len(m.Columns), m.Frames)
		for c := 0; c < len(m.Columns); c += 16 {
			text += fmt.Sprintf("  %.4g\n", m.Columns[c])
		}
	}
	for _, s := range o.sums(r) {
		text += fmt.Sprintf("%s | %s\n", s.Title, s.Unit)
		for _, c := range s.Curves {
			text += fmt.Sprintf("  %s, %d points to %v\n", c.Name, len(c.At), c.At[len(c.At)-1])
			for i := 0; i < len(c.At); i += 40 {
				text += fmt.Sprintf("    %v %.4g\n", c.At[i], c.Values[i])
			}
		}
	}
	programtest.Golden(t, "pictures.txt", text)
}

// What becomes of a sequence with each policy, with and without saves.
func TestSequenceNumbers(t *testing.T) {
	text := ""
	for _, args := range []string{"", "-save-every 20m", "-save-cost 1m", "-take 3"} {
		o, err := program.Options(append([]string{"-trace", programtest.Write(t, "busy.swf", strings.Repeat(busy, 3)), "-nodes", "5", "-take", "2",
			"-important", "queue=3"}, strings.Fields(args)...)...)
		if err != nil {
			t.Fatal(err)
		}
		logs, err := o.Load(cli.Quiet())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []preemptions.Kind{preemptions.Random, preemptions.FIFO, preemptions.LIFO, preemptions.PAP, preemptions.PAPPlus, preemptions.Exact} {
			s, err := o.newSequence(logs[0], k)
			if err == nil {
				s.horizon = 60 * time.Hour
				err = s.run()
			}
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf("%s %v: %.3f node-hours wasted, %d restarts, %d nodes taken, %d jobs ended, %.3f node-hours done, %v\n", args, k,
				s.wasted.Hours(), s.restarts, s.taken, s.ended, s.done, s.now)
		}
	}
	programtest.Golden(t, "sequences.txt", text)
}

// The claims on numbers that are few and round: in the mean LIFO wastes 1 node-hour, PAP 1,
// PAP+ 1.02, RANDOM 4 and FIFO 8, and the least is half of one. By hand: important jobs lose
// .25 node-hours of PAP's 2 by PAP, and .05 by PAP+: 80% less; the others 1.99 against 1.75,
// 13.7% more, and all 2.04 against 2, 2% more.
func TestCompare(t *testing.T) {
	log := &preemptions.Log{Name: "log", Important: 3, Which: "at random"}
	for i, factor := range []int{1, 2, 20, 40} {
		log.Jobs = append(log.Jobs, trace.Job{ID: int64(i), Run: time.Hour, Nodes: 1})
		log.Requested = append(log.Requested, time.Duration(factor)*time.Hour)
	}
	o := &options{preemptions.Options{Nodes: 8, Take: 2}}
	hours := func(h float64) preempt.NodeTime { return preempt.NodeTimeOf(time.Duration(h*float64(time.Hour)), 1) }
	make2 := func() (small, large *observed) {
		small = seen(map[preemptions.Kind]float64{preemptions.LIFO: 1, preemptions.PAP: 1, preemptions.PAPPlus: 1.02, preemptions.Random: 4,
			preemptions.FIFO: 8, preemptions.Blind: 6})
		large = seen(map[preemptions.Kind]float64{preemptions.LIFO: 10, preemptions.PAP: 10.5, preemptions.PAPPlus: 11, preemptions.Random: 40,
			preemptions.FIFO: 80, preemptions.Blind: 60})
		small.high[preemptions.PAP], small.high[preemptions.PAPPlus] = hours(.25), hours(.05)
		for g := twoMinutes + 1; g < len(claimGraces); g++ { // a little more with a longer grace period
			small.waste[preemptions.LIFO][g], small.waste[preemptions.PAP][g] = hours(2.04), hours(2.02)
		}
		for d, share := range []float64{.25, .5, .75, .875} { // of RANDOM's 8
			small.stale[preemptions.LIFO][d], small.stale[preemptions.PAP][d] = hours(8*share), hours(8*share*.95)
		}
		for g := twoMinutes + 1; g <= sixHours; g++ {
			small.idle[preemptions.LIFO][g] = hours(30)
		}
		return small, large
	}
	small, large := make2()
	for _, c := range o.compare(log, small, large) {
		if c.Verdict != claim.Yes {
			t.Errorf("%+v: want it to come out", c)
		}
	}
	// What breaks a claim breaks this one.
	for text, change := range map[string]func(small, large *observed){
		"LIFO wastes far less":                       func(x, _ *observed) { x.dist[preemptions.Random] = x.dist[preemptions.LIFO] },
		"LIFO's 60 and 120 s":                        func(x, _ *observed) { x.waste[preemptions.LIFO][halfAnHour] = hours(1.9) },
		"LIFO and PAP preempt":                       func(x, _ *observed) { x.same = .7 },
		"waste of PAP over LIFO's, 2 of 8":           func(x, _ *observed) { x.waste[preemptions.PAP][twoMinutes] = hours(2.3) },
		"waste of PAP over LIFO's, 20 of 80":         func(_, x *observed) { x.waste[preemptions.PAP][twoMinutes] = hours(17) },
		"waste of pap with 30 min":                   func(x, _ *observed) { x.waste[preemptions.PAP][halfAnHour] = hours(2.2) },
		"with 1 to 6 h the median of random falls":   func(x, _ *observed) { x.dist[preemptions.Random][sixHours] = x.dist[preemptions.FIFO][0] },
		"with 1 to 6 h the median of pap stays":      func(x, _ *observed) { x.dist[preemptions.PAP][sixHours-1] = x.dist[preemptions.Random][0] },
		"PAP+ saves of the waste":                    func(x, _ *observed) { x.high[preemptions.PAPPlus] = hours(.2) },
		"lifo degrades to RANDOM":                    func(x, _ *observed) { x.stale[preemptions.LIFO][3] = hours(5) },
		"pap degrades to RANDOM":                     func(x, _ *observed) { x.stale[preemptions.PAP][3] = hours(1) },
		"large grace periods freeze nodes":           func(x, _ *observed) { x.idle[preemptions.LIFO][sixHours] = hours(19) },
		"large grace periods do not reduce the wast": func(x, _ *observed) { x.waste[preemptions.LIFO][sixHours] = hours(1.7) },
		"PAP+ wastes more of the other jobs":         func(x, _ *observed) { x.waste[preemptions.PAPPlus][twoMinutes] = hours(2.3) },
	} {
		t.Run(text, func(t *testing.T) {
			small, large := make2()
			change(small, large)
			found := false
			for _, c := range o.compare(log, small, large) {
				if strings.HasPrefix(c.Text, text) {
					if found = true; c.Verdict == claim.Yes {
						t.Errorf("broken, and said to come out: %+v", c)
					}
				}
			}
			if !found {
				t.Error("no such claim")
			}
		})
	}
	log.Important = 0
	small, large = make2()
	if n := len(o.compare(log, small, large)); n != 16 {
		t.Errorf("%d claims without important jobs, want 16", n)
	}
}
