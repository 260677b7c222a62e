package partition

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// What a job says of itself is read, the later save counts, and words that make no sense are
// told and not believed.
func TestNote(t *testing.T) {
	start := worldStart
	file := filepath.Join(t.TempDir(), "7.saved")
	touch := func(at time.Time) {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	touch(start.Add(40 * time.Minute))
	unix := start.Add(50 * time.Minute).Unix()
	for comment, want := range map[string]*preempt.Checkpoint{
		"": nil, "estimate=1h and more": nil, "project=x": nil,
		"checkpoint=B:USR1 cost=30s every=20m":          {Cost: 30 * time.Second, Every: 20 * time.Minute, OnRequest: true},
		"every=20m":                                     {Every: 20 * time.Minute},
		"resumed=3h":                                    {Resumed: 3 * time.Hour},
		"every=1m cost=1m":                              {Every: time.Minute, Cost: time.Minute}, // no more than that
		"every=1m cost=0s resumed=0s":                   {Every: time.Minute},
		"savefile=" + filepath.Dir(file) + "/%j.saved":  {Saved: 40 * time.Minute},
		fmt.Sprintf("savefile=%s saved=%d", file, unix): {Saved: 50 * time.Minute},
		fmt.Sprintf("saved=%d", start.Unix()-5):         {},                 // before the start: the job went on from it
		fmt.Sprintf("saved=%d", start.Unix()+9000):      {Saved: time.Hour}, // by a clock that is ahead
		"savefile=/none/such":                           {},
	} {
		j := slurmctl.Job{ID: 7, Comment: comment}
		n, err := parseNote(&j)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, n.checkpoint(start, time.Hour)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", comment, diff)
		}
	}
	for _, word := range []string{"checkpoint=", "checkpoint=B:", "checkpoint=rm -rf", "checkpoint=USR1;x", "cost=soon", "every=-1s", "savefile=here",
		"saved=-1", "saved=x", "saved=99999999999999", "estimate=1"} {
		j := slurmctl.Job{ID: 7, Limit: time.Minute, Comment: "every=1h " + word}
		n, err := parseNote(&j)
		if err == nil || !strings.Contains(err.Error(), "job 7") || n.saves || n.estimate != time.Minute {
			t.Errorf("%q: %+v, %v", word, n, err)
		}
	}
	if _, err := parseNote(&slurmctl.Job{Comment: "cost=2m every=1m"}); err == nil {
		t.Error("a save that takes longer than the time between two")
	}
}

// A job that saves on request is asked so that the save ends with the grace period, less the
// margin; it is ended when it has saved, and so the node is given back sooner and the save
// is all that is lost. A job that does not save is ended at the end of the grace period.
func TestAsksToSave(t *testing.T) {
	var told []string
	w, a := newWorld(t, 2, Options{Grace: 2 * time.Minute, Margin: 10 * time.Second, Poll: 2 * time.Second,
		Tell: func(node, what string) { told = append(told, what) }})
	dir := t.TempDir()
	step := func(seconds int) {
		for range seconds {
			w.advance(time.Second)
			w.exchange(t)
			if err := a.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.add(t, 2)
	step(10)
	saves, other := w.submit(1, 10*time.Hour, 0), w.submit(1, 10*time.Hour, 0)
	saves.comment = "checkpoint=B:USR1 cost=30s savefile=" + dir + "/%j"
	step(3600)
	// The node of the job that saves is worth less.
	as := w.manager.AppendAssignments(nil)
	if w.nodes[0].job != saves || as[0].Value >= as[1].Value {
		t.Fatalf("%+v", as)
	}
	msgs, err := w.manager.Reclaim(w.clock(), "hpc", 2)
	if err != nil {
		t.Fatal(err)
	}
	w.toClient(t, msgs)
	step(65) // 120 - 10 - 30 s, less a quarter of the save and a look: 70 s
	if len(saves.signals) != 0 {
		t.Fatal("it is asked too early")
	}
	step(10)
	if diff := cmp.Diff([]string{"B:USR1"}, saves.signals); diff != "" || len(other.signals) != 0 {
		t.Fatalf("signals: %s", diff)
	}
	step(14)
	if saves.stopped != 0 || len(saves.signals) != 1 {
		t.Fatal("it is ended before it has saved, or asked twice")
	}
	at := w.now
	if err := os.WriteFile(filepath.Join(dir, "1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "1"), at, at); err != nil {
		t.Fatal(err)
	}
	// A save that is over sooner than it says is waited for: the file may be of a save that
	// was under way.
	step(4)
	if saves.stopped != 0 {
		t.Fatal("it is ended before the time of a save")
	}
	step(20)
	if saves.stopped != 1 || other.stopped != 1 {
		t.Fatalf("ended %d and %d times", saves.stopped, other.stopped)
	}
	for _, want := range []string{"asks job 1 to save, which takes 30s", "which loses"} {
		if !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("not told: %s\n%s", want, strings.Join(told, "\n"))
		}
	}
	t.Log(strings.Join(told, "\n"))
}

// A job is asked to save in time also where looks take longer than they should.
func TestAsksInTime(t *testing.T) {
	for _, gap := range []int{1, 2, 3, 7, 11, 20} { // seconds; Poll is 1 s
		w, a := newWorld(t, 1, Options{Grace: 2 * time.Minute, Margin: 10 * time.Second, Poll: time.Second})
		step := func() {
			for range gap {
				w.advance(time.Second)
				w.exchange(t)
			}
			if err := a.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.add(t, 1)
		step()
		job := w.submit(1, 10*time.Hour, 0)
		job.comment = "checkpoint=B:USR1 cost=4s"
		for range 100 {
			step()
		}
		msgs, err := w.manager.Reclaim(w.clock(), "hpc", 1)
		if err != nil {
			t.Fatal(err)
		}
		w.toClient(t, msgs)
		noticed := w.now
		for job.signals == nil && job.stopped == 0 {
			step()
		}
		// 120 - 10 s after the notice the job is ended; a save takes 4 s, and perhaps 1 s more.
		if at, first := int(w.now.Sub(noticed).Seconds()), 120-10-5-gap; job.signals == nil || at > 120-10-4 || at < first {
			t.Errorf("looks each %d s: signals %v after %d s, want one after %d to 106 s", gap, job.signals, at, first)
		}
	}
}

// The partition asks when jobs wait, gives idle nodes back, and takes a node up again on which
// a job started just before.
func TestScales(t *testing.T) {
	o := Options{Grace: 2 * time.Minute, Poll: time.Second, Scaling: &scalingOptions}
	w, a := newWorld(t, 4, o)
	step := func(seconds int) {
		for range seconds {
			w.advance(time.Second)
			w.exchange(t)
			if err := a.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	held := func() (n int) {
		for _, as := range w.manager.AppendAssignments(nil) {
			if as.Partition != "" {
				n++
			}
		}
		return n
	}
	step(60)
	if held() != 0 {
		t.Fatal("it has nodes, and nobody waits")
	}
	w.submit(3, time.Minute, time.Hour)
	step(28)
	if held() != 0 {
		t.Fatal("it asks before the job has waited")
	}
	step(10)
	if held() != 3 || len(w.jobs[0].on) != 3 {
		t.Fatalf("it has %d nodes, and the job %d", held(), len(w.jobs[0].on))
	}
	step(60 + 100)
	if held() != 3 {
		t.Fatal("it gives nodes back before their time")
	}
	step(30)
	if held() != 0 {
		t.Fatalf("it keeps %d idle nodes", held())
	}
	// Held jobs, and larger ones than the host, make it ask for nothing.
	w.submit(9, time.Minute, time.Hour)
	step(60)
	if held() != 0 {
		t.Fatal("it asks for a job that is too large")
	}
	w.jobs[1].end = w.now
	// A job starts in the moment in which the node is to drain.
	w.submit(1, time.Hour, time.Hour)
	step(40)
	if held() != 1 {
		t.Fatalf("it has %d nodes", held())
	}
	i := 0
	for w.nodes[i].job == nil {
		i++
	}
	a.scaler.nodes[i].leaves = true
	w.nodes[i].drains, w.nodes[i].reason = true, reason
	step(3)
	if held() != 1 || w.nodes[i].drains || w.nodes[i].job == nil || w.jobs[2].stopped > 0 {
		t.Errorf("the node goes, or the job: %+v", w.nodes[i])
	}
	if _, err := New(struct{ Exchange }{}, w, a.o); err == nil {
		t.Error("an exchange that cannot be asked")
	}
}

// The policies rank as package preempt does, and priorities come from quality of service or
// partition.
func TestPolicies(t *testing.T) {
	for _, name := range []string{"exact", "exact+", "survival", "random", "blind", "fifo", "lifo", "pap", "pap+"} {
		p, err := ParsePolicy(name)
		if err != nil || p.String() != name {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, err := ParsePolicy("best"); err == nil {
		t.Error("best is a policy")
	}
	for name, ok := range map[string]bool{"qos:high": true, "partition:x": true, "qos:": false, "high": false, "user:x": false} {
		if err := CheckPriority(name); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	now := worldStart.Add(time.Hour)
	holdings := []Holding{{State: exchange.Usable}, {Node: 1, State: exchange.Usable}}
	jobs := []slurmctl.Job{
		{ID: 1, State: "RUNNING", Start: worldStart, Names: []string{"a"}},
		{ID: 2, State: "RUNNING", Start: worldStart.Add(30 * time.Minute), Names: []string{"b"}, QOS: "high", Parts: []string{"main"}},
	}
	for name, want := range map[string]int{"pap": 1, "pap+": 0, "fifo": 0, "lifo": 1, "exact": 1, "exact+": 0, "survival": 1} {
		policy, _ := ParsePolicy(name)
		a, err := New(worldExchange{}, &world{}, Options{Names: []string{"a", "b"}, Poll: 1, Take: 1, Policy: policy,
			Priorities: map[string]int{"qos:high": 10, "partition:main": 2},
			Now:        func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		st, held, users := a.state(holdings, jobs)
		a.judge.users = users
		vector := make([]float64, len(held))
		if err := a.judgeTo(vector, st); err != nil {
			t.Fatal(err)
		}
		if low := vector[0] < vector[1]; low != (want == 0) {
			t.Errorf("%s: values %v", name, vector)
		}
	}
}

// A user whose jobs end long before their limits is found out.
func TestCorrectsEstimates(t *testing.T) {
	now := worldStart
	o := Options{Names: []string{"a", "b"}, Poll: 1, Take: 1, Grace: 10 * time.Minute, Now: func() time.Time { return now }}
	a, err := New(worldExchange{}, &world{}, o)
	if err != nil {
		t.Fatal(err)
	}
	var ended []slurmctl.Job
	for i := range 40 {
		j := slurmctl.Job{ID: int64(i + 1), User: 5, State: "COMPLETED", Limit: 10 * time.Hour, Start: worldStart, End: worldStart.Add(30 * time.Minute)}
		if i%2 == 1 {
			j.User, j.End = 6, worldStart.Add(10*time.Hour)
		}
		ended = append(ended, j)
	}
	a.learn(ended)
	a.learn(ended) // no job is learnt twice
	// Of user 5 all have ended after half an hour, of user 6 none: so Survival knows them apart.
	if five, six := a.judge.survival.Chance(5, 25*time.Minute, 10*time.Minute), a.judge.survival.Chance(6, 25*time.Minute, 10*time.Minute); five >= six ||
		six < .5 {
		t.Errorf("the chances to last for ten minutes more are %v and %v", five, six)
	}
	// What is not shown any more is forgotten, and a start of its own is learnt of its own.
	if n := len(a.judge.learnt); n != 40 {
		t.Errorf("%d jobs are learnt", n)
	}
	a.asked, a.odd = map[int64]request{1: {}, 99: {}}, map[int64]bool{2: true, 99: true}
	a.learn(ended)
	if len(a.asked) != 1 || len(a.odd) != 1 {
		t.Errorf("of jobs that are gone: %v, %v", a.asked, a.odd)
	}
	// Of user 5 all jobs ran for a twentieth of what they asked for, of user 6 for all of it.
	left := func(user int) float64 {
		return a.judge.estimates.Chance(user, 10*time.Hour, 25*time.Minute, 10*time.Minute)
	}
	if left(5) > .1 || left(6) < .9 {
		t.Errorf("by their requests, the chances to last for ten minutes more are %v and %v", left(5), left(6))
	}
	now = worldStart.Add(25 * time.Minute)
	holdings := []Holding{{State: exchange.Usable}, {Node: 1, State: exchange.Usable}}
	jobs := []slurmctl.Job{
		{ID: 91, User: 5, State: "RUNNING", Start: worldStart, Limit: 10 * time.Hour, Names: []string{"a"}},
		{ID: 92, User: 6, State: "RUNNING", Start: worldStart.Add(5 * time.Minute), Limit: 10 * time.Hour, Names: []string{"b"}},
	}
	for raw, want := range map[bool]bool{true: false, false: true} {
		a.o.Raw = raw
		st, held, users := a.state(holdings, jobs)
		a.judge.users = users
		vector := make([]float64, len(held))
		if err := a.judgeTo(vector, st); err != nil {
			t.Fatal(err)
		}
		if first := vector[0] < vector[1]; first != want {
			t.Errorf("raw %v: values %v; the job of user 5 ends in 5 minutes", raw, vector)
		}
	}
}
