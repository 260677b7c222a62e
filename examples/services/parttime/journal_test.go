package main

import (
	"errors"
	"maps"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A talk is a host and its partitions without a network, at a time that the test sets.
type talk struct {
	t       *testing.T
	now     time.Duration
	host    *host
	clients map[string]*client
	text    map[string]*strings.Builder
	mute    map[string]bool // partitions to and from which no message gets
}

func newTalk(t *testing.T, nodes int, o exchange.ManagerOptions, partitions ...string) *talk {
	m, err := exchange.NewManager(o, make([]string, nodes))
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, clients: map[string]*client{}, text: map[string]*strings.Builder{}, mute: map[string]bool{}}
	k.host = &host{peer: k.peer("host"), prepared: make(chan struct{}, 1), parts: map[string]exchange.PartitionStatus{}, before: m.AppendAssignments(nil)}
	k.host.state.Manager = m
	for _, name := range partitions {
		if err := m.CreatePartition(name, 1, 0); err != nil {
			t.Fatal(err)
		}
		x, err := exchange.NewClient(name, exchange.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		k.clients[name] = &client{peer: k.peer(name), before: map[int]exchange.NodeStatus{}}
		k.clients[name].state.Client = x
	}
	return k
}

func (k *talk) peer(name string) *peer {
	k.text[name] = new(strings.Builder)
	return &peer{log: &journal{w: k.text[name]}}
}

// at does something at a time, and delivers all messages that follow from it. It returns what
// the journals say, without the time.
func (k *talk) at(now time.Duration, do func() ([]exchange.Message, error)) (said []string) {
	k.t.Helper()
	k.now = now
	origin := time.Unix(0, 0)
	base := clock.NewFunc(origin, time.Hour, func() time.Time { return origin.Add(k.now) })
	k.host.clock, k.host.log.clock = base, base
	for _, c := range k.clients {
		c.clock, c.log.clock = base, base
	}
	msgs, err := do()
	if err != nil {
		k.t.Fatal(err)
	}
	note := func(msgs []exchange.Message) {
		k.host.note(msgs)
		for _, c := range k.clients {
			c.note(nil)
		}
	}
	for note(msgs); len(msgs) > 0; {
		msg := msgs[0]
		msgs = msgs[1:]
		c := k.clients[msg.Partition]
		if k.mute[msg.Partition] {
			continue
		}
		var out []exchange.Message
		if msg.Call > exchange.AcknowledgeDelete { // to a partition
			out, err = c.state.Client.Handle(now, msg)
		} else {
			out, err = k.host.state.Manager.Handle(now, msg)
		}
		if err != nil {
			k.t.Fatalf("%v: %v", msg, err)
		}
		note(out)
		msgs = append(msgs, out...)
	}
	for _, name := range []string{"host", "a", "b"} {
		if b := k.text[name]; b != nil {
			for line := range strings.Lines(b.String()) {
				_, line, _ = strings.Cut(strings.TrimSpace(line), "  ")
				said = append(said, name+": "+line)
			}
			b.Reset()
		}
	}
	return said
}

func (k *talk) want(said []string, want ...string) {
	k.t.Helper()
	if !slices.Equal(said, want) {
		k.t.Errorf("after %v the journals say\n  %s\nwant\n  %s", k.now, strings.Join(said, "\n  "), strings.Join(want, "\n  "))
	}
}

// tick lets time pass for all.
func (k *talk) tick() (msgs []exchange.Message, err error) {
	for _, name := range slices.Sorted(maps.Keys(k.clients)) {
		msgs = append(msgs, k.clients[name].state.Client.Tick(k.now)...)
	}
	return append(msgs, k.host.state.Manager.Tick(k.now)...), nil
}

// The journals say who has which nodes, from when on and why not any more.
func TestJournal(t *testing.T) {
	k := newTalk(t, 4, exchange.ManagerOptions{Grace: 5 * time.Minute, Term: 20 * time.Minute}, "a", "b")
	add := func(name string, n int) func() ([]exchange.Message, error) {
		return func() ([]exchange.Message, error) {
			_, msgs, err := k.clients[name].state.Client.AddNodes(k.now, "", n)
			return msgs, err
		}
	}
	reclaim := func() ([]exchange.Message, error) { return k.host.state.Manager.Reclaim(k.now, "a", 1) }
	back := func(nodes ...int) func() ([]exchange.Message, error) {
		return func() ([]exchange.Message, error) { return k.clients["a"].state.Client.DeleteNodes(k.now, nodes...) }
	}
	k.want(k.at(0, add("a", 3)), "host: grants nodes 0-2 to a", "a: asks for 3 nodes", "a: has nodes 0-2")
	k.want(k.at(2*time.Minute, back(2)), "host: a gives back node 2", "a: gives back node 2")
	// Nobody has told what the nodes are worth, which the host waits for.
	k.want(k.at(3*time.Minute, reclaim))
	k.want(k.at(8*time.Minute, k.tick), "host: notifies a that it takes node 0", "a: is to give back node 0 within 5.0 minutes")
	k.want(k.at(10*time.Minute, back(0)), "host: a gives back node 0 within the grace period", "a: gives back node 0")
	k.want(k.at(11*time.Minute, add("b", 4)), "host: grants nodes 0, 2 and 3 to b", "b: asks for 4 nodes", "b: has nodes 0, 2 and 3")
	// A partition that cannot be reached is not sure of its node when the term, of twenty
	// minutes since it was renewed at 8, has ended. The host takes it back a little later.
	k.mute["a"] = true
	var said []string
	for m := 12; m <= 70; m++ {
		do := k.tick
		if m == 13 {
			do = reclaim
		}
		for _, line := range k.at(time.Duration(m)*time.Minute, do) {
			if !slices.Contains(said, line) {
				said = append(said, line)
			}
		}
	}
	k.want(said, "host: notifies a that it takes node 1", "a: is not sure of node 1 any more", "host: fences node 1 off from a after its lease",
		"host: grants node 1 to b")
}

// The framework is told until when it has the nodes that are to be given back, and of the others no end.
func TestDraining(t *testing.T) {
	k := newTalk(t, 4, exchange.ManagerOptions{Grace: 5 * time.Minute, Term: -1, MaxAge: time.Hour}, "a")
	a := k.clients["a"]
	k.at(0, func() ([]exchange.Message, error) {
		_, msgs, err := a.state.Client.AddNodes(0, "", 4)
		return msgs, err
	})
	values := []exchange.NodeValue{{Node: 0, Value: 0.2}, {Node: 1, Value: 0.2}, {Node: 2, Value: 0.9}, {Node: 3}}
	k.at(time.Minute, func() ([]exchange.Message, error) { return a.state.Client.SetResourceValues(k.now, values) })
	k.want(k.at(time.Minute, func() ([]exchange.Message, error) { return k.host.state.Manager.Reclaim(k.now, "a", 3) }),
		"host: notifies a that it takes nodes 0, 1 and 3", "a: is to give back nodes 0, 1 and 3 within 5.0 minutes")
	h := a.holdings()
	if len(h.Nodes) != 4 || h.Time != 60 {
		t.Fatalf("%+v", h)
	}
	for i, n := range h.Nodes {
		end, state := n.Ends, [4]string{"draining", "draining", "usable", "draining"}[i]
		if n.Node != i || n.Epoch != 1 || n.State != state || (end == nil) != (i == 2) || end != nil && *end != 360 {
			t.Errorf("the framework is told %+v of node %d", n, i)
		}
	}
}

// The ends of what flags take.
func TestEndsOfFlags(t *testing.T) {
	for _, c := range []struct {
		role role
		args string
		ok   bool
	}{
		{hostRole, "-kinds a*100000", true}, {hostRole, "-kinds a*99999,b", true}, {hostRole, "-kinds a*100000,b", false}, {hostRole, "-kinds a*100001", false},
		{hostRole, "-kinds a*0", false}, {hostRole, "-kinds a*x", false}, {hostRole, "-nodes 100000", true}, {hostRole, "-values 0s", true},
		{hostRole, "-values -1s", false},
		{hostRole, "-term -1s", true}, {hostRole, "-term 0s", false}, {hostRole, "-grace 1ns", true}, {hostRole, "-grace 0s", false},
		{hostRole, "-listen 127.0.0.1:0", true},
		{clientRole, "-host http://127.0.0.1:1", true}, {clientRole, "-host http://127.0.0.1:1/", true}, {clientRole, "-host https://127.0.0.1:1", true},
		{clientRole, "-host http://127.0.0.1:1/x", false}, {clientRole, "-host ftp://127.0.0.1:1", false}, {clientRole, "-host http://", false},
		{clientRole, "-name host", false}, {clientRole, "-name admin", false}, {clientRole, "-name a", true},
	} {
		o, f := options{role: c.role}, cli.NewFlags(program)
		o.define(f)
		if err := f.Parse(strings.Fields(c.args)); err != nil && strings.Contains(err.Error(), "needs -host") == c.ok && c.ok {
			continue // what else a client needs
		} else if (err == nil) != c.ok {
			t.Errorf("%s: %v, want it to be taken: %v", c.args, err, c.ok)
		}
	}
	// What -h calls the defaults.
	for _, c := range []struct {
		args []string
		want options
	}{
		{[]string{"host"}, options{role: hostRole, listen: "127.0.0.1:0", minute: time.Minute, weight: 1, provisionTimeout: 10 * time.Minute,
			provisionWait: 5 * time.Minute, values: 5 * time.Minute}},
	} {
		if got, err := parse(c.args); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v", c.args, got, err)
		}
	}
	var o options
	if err := o.setKinds("epyc+gpu*2,xeon"); err != nil || !slices.Equal(o.kinds, []string{"epyc+gpu", "epyc+gpu", "xeon"}) {
		t.Errorf("kinds %q, %v", o.kinds, err)
	}
}

// The reason is told without the address.
func TestCause(t *testing.T) {
	refused := errors.New("connection refused")
	for _, err := range []error{refused, &net.OpError{Op: "dial", Err: refused}, &url.Error{Op: "Post", URL: "http://x", Err: refused},
		&url.Error{Op: "Post", URL: "http://x", Err: &net.OpError{Op: "dial", Err: refused}}} {
		if got := cause(err); got != "connection refused" {
			t.Errorf("%v: %q", err, got)
		}
	}
}
