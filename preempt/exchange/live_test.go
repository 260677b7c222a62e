package exchange

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// line is a network that keeps to the hypotheses of the liveness theorem: a message
// takes delay at most, all clocks are read on time, and the messages whose places
// in the order of sending are in lost never arrive.
type line struct {
	t       *testing.T
	now     time.Duration
	m       *Manager
	clients []*Client
	delay   func() time.Duration
	sent    int
	begun   bool // the messages are counted from here
	lost    map[int]bool
	calls   []Call // of the messages that are counted
	under   []timed
}

type timed struct {
	at  time.Duration
	msg Message
}

func (l *line) send(msgs []Message, err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
	for _, msg := range msgs {
		if l.begun {
			l.sent++
			l.calls = append(l.calls, msg.Call)
			if l.lost[l.sent-1] {
				continue
			}
		}
		l.under = append(l.under, timed{l.now + l.delay(), msg.Clone()})
	}
}

// run lets time go by until the end, or until done.
func (l *line) run(end time.Duration, done func() bool) {
	for !done() {
		next, what := end, -1
		for i, u := range l.under {
			if u.at < next {
				next, what = u.at, i
			}
		}
		who := -1 // the network
		if at, ok := l.m.NextTick(); ok && at < next {
			next, who = at, 0
		}
		for i, c := range l.clients {
			if at := c.NextTick(); at < next {
				next, who = at, i+1
			}
		}
		if next >= end {
			l.now = end
			return
		}
		l.now = max(l.now, next)
		switch {
		case who == 0:
			l.send(l.m.Tick(l.now), nil)
		case who > 0:
			l.send(l.clients[who-1].Tick(l.now), nil)
		default:
			msg := l.under[what].msg
			l.under = append(l.under[:what], l.under[what+1:]...)
			if msg.Call <= AcknowledgeDelete {
				l.send(l.m.Handle(l.now, msg))
				continue
			}
			for _, c := range l.clients {
				if c.Partition() == msg.Partition {
					l.send(c.Handle(l.now, msg))
				}
			}
		}
	}
}

func count(c *Client, now time.Duration, s NodeState) int {
	n := 0
	for _, h := range c.AppendNodes(nil, now) {
		if h.State == s {
			n++
		}
	}
	return n
}

// grantTime lets one partition have all of the cluster and another ask for two
// nodes; their jobs never end. It returns how long it takes until the two are
// usable, by the asker's clock.
func grantTime(t *testing.T, opts ManagerOptions, delay func() time.Duration, phase time.Duration, lost map[int]bool) (time.Duration, []Call) {
	m, err := NewManager(opts, make([]string, 4))
	if err != nil {
		t.Fatal(err)
	}
	l := &line{t: t, m: m, delay: delay, lost: lost}
	for _, name := range []string{"htc", "hpc"} {
		c, err := NewClient(name, ClientOptions{Every: opts.Every})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.CreatePartition(name, 1, 0); err != nil {
			t.Fatal(err)
		}
		l.clients = append(l.clients, c)
	}
	htc, hpc := l.clients[0], l.clients[1]
	_, msgs, err := htc.AddNodes(0, "", 4)
	l.send(msgs, err)
	l.run(10*time.Minute+phase, func() bool { return false })
	if got := count(htc, l.now, Usable); got != 4 {
		t.Fatalf("the first partition has %d nodes of 4", got)
	}
	l.send(htc.SetResourceValues(l.now, []NodeValue{{0, 0.5}, {1, 0.25}, {2, 1}, {3, 0.75}}))
	l.run(l.now+30*time.Second, func() bool { return false })
	l.begun = true
	asked := l.now
	_, msgs, err = hpc.AddNodes(l.now, "", 2)
	l.send(msgs, err)
	l.run(l.now+24*time.Hour, func() bool { return count(hpc, l.now, Usable) == 2 })
	// The values have chosen nodes 0 and 1.
	var got []int
	for _, h := range hpc.AppendNodes(nil, l.now) {
		got = append(got, h.Node)
	}
	if diff := cmp.Diff([]int{0, 1}, got); diff != "" {
		t.Fatalf("nodes taken (-want +got):\n%s", diff)
	}
	return l.now - asked, l.calls
}

// The liveness theorem of theory.go: with k messages lost, the nodes are usable
// after 6 delays, the grace period, the skew and k notices at the latest; so with one lost
// and delays of a tenth of a notice after the grace period and two notices.
func TestLiveness(t *testing.T) {
	opts := ManagerOptions{Grace: 2 * time.Minute, Every: time.Minute, Skew: 5 * time.Second}
	const delta = 6 * time.Second
	bound := func(k int) time.Duration { return opts.Grace + opts.Skew + 6*delta + time.Duration(k)*opts.Every }
	if two := opts.Grace + 2*opts.Every; bound(1) > two {
		t.Fatalf("the bound %v is more than a grace period and two notices, %v", bound(1), two)
	}
	slowest := func() time.Duration { return delta }
	took, calls := grantTime(t, opts, slowest, 0, nil)
	if took > bound(0) {
		t.Errorf("nothing lost: took %v, more than %v", took, bound(0))
	}
	// It is not granted at once, either.
	if took < opts.Grace {
		t.Errorf("took %v, less than the grace period", took)
	}
	worst := [4]time.Duration{0: took}
	rng := rand.New(rand.NewPCG(5, 5))
	random := func() time.Duration { return time.Duration(rng.Int64N(int64(delta))) }
	for _, delay := range []func() time.Duration{slowest, random} {
		for phase := time.Duration(0); phase < time.Minute; phase += 20 * time.Second {
			for i := range len(calls) + 6 {
				took, _ := grantTime(t, opts, delay, phase, map[int]bool{i: true})
				worst[1] = max(worst[1], took)
				for j := range i {
					took, _ := grantTime(t, opts, delay, phase, map[int]bool{i: true, j: true})
					worst[2] = max(worst[2], took)
				}
			}
		}
	}
	for range 2000 {
		lost := map[int]bool{rng.IntN(len(calls)): true, rng.IntN(len(calls)): true, rng.IntN(len(calls)): true}
		took, _ := grantTime(t, opts, random, time.Duration(rng.IntN(60))*time.Second, lost)
		worst[3] = max(worst[3], took)
	}
	for k, took := range worst {
		if took > bound(k) {
			t.Errorf("%d lost: took %v, more than %v", k, took, bound(k))
		}
	}
	t.Logf("%d messages when none is lost; worst with 0, 1, 2 and 3 lost: %v", len(calls), worst)
	// The bound is no idle one.
	if worst[1] < bound(0) || worst[2] < bound(1) {
		t.Errorf("losses cost nothing: %v", worst)
	}
}

// A dead partition costs a lease and no more, and none where leases do not end.
func TestDeadPartition(t *testing.T) {
	for _, term := range []time.Duration{15 * time.Minute, -1} {
		t.Run(fmt.Sprint(term), func(t *testing.T) {
			opts := ManagerOptions{Term: term, TakeStale: true, MaxDelay: -1}
			m, err := NewManager(opts, make([]string, 2))
			if err != nil {
				t.Fatal(err)
			}
			l := &line{t: t, m: m, delay: func() time.Duration { return time.Second }}
			for _, name := range []string{"a", "b"} {
				c, _ := NewClient(name, ClientOptions{})
				if err := m.CreatePartition(name, 1, 0); err != nil {
					t.Fatal(err)
				}
				l.clients = append(l.clients, c)
			}
			a, b := l.clients[0], l.clients[1]
			_, msgs, err := a.AddNodes(0, "", 2)
			l.send(msgs, err)
			l.run(time.Hour+5*time.Second, func() bool { return false })
			l.clients = l.clients[1:] // a is dead; its last words were at 1 h and 2 s, the grant's second of a minute
			_, msgs, err = b.AddNodes(l.now, "", 1)
			l.send(msgs, err)
			l.run(3*time.Hour, func() bool { return count(b, l.now, Usable) == 1 })
			if term < 0 {
				if got := count(b, l.now, Usable); got != 0 {
					t.Errorf("%d nodes were taken from a partition that knows nothing of it", got)
				}
				return
			}
			// The words' second on the way, the term, the skew, three messages of a second.
			want := time.Hour + 3*time.Second + term + 5*time.Second + 3*time.Second
			if l.now != want {
				t.Errorf("granted at %v, want %v", l.now, want)
			}
			if s := m.Stats(); s.Fenced != 1 || s.Withdrawn != 0 {
				t.Errorf("%+v, want one node fenced", s)
			}
			if got := count(a, l.now, Unsure); got != 2 {
				t.Errorf("the dead partition is sure of %d of 2 nodes", 2-got)
			}
		})
	}
}
