package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// testStage is a stage whose log is shown if the test fails.
func testStage(t *testing.T, minute time.Duration) *stage {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute) // only says when a test has failed
	log := new(locked)
	s := newStage(ctx, minute, t.TempDir(), log)
	t.Cleanup(func() {
		s.clear()
		cancel()
		if t.Failed() {
			t.Log("\n" + log.String())
		}
	})
	return s
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Processes are killed with no warning and started again, at any time of a preemption. No node
// is ever used by both, none is lost, and each is taken with its notice and grace.
func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	const minute = 120 * time.Millisecond
	s := testStage(t, minute)
	start := func(name string, args ...string) *process {
		t.Helper()
		p, err := s.start(name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	nodes := func(p *process) map[int]exchangehttp.Holding {
		var h exchangehttp.Holdings
		if exchangehttp.Get(s.ctx, s.http, p.url+"/framework/Nodes", &h) != nil {
			return nil
		}
		m := map[int]exchangehttp.Holding{}
		for _, n := range h.Nodes {
			if n.State == "usable" || n.State == "draining" {
				m[n.Node] = n
			}
		}
		return m
	}
	host := start("host", "host", "-nodes", "6", "-grace", "4m", "-term", "400m", "-max-age", "30m")
	address := strings.TrimPrefix(host.url, "http://")
	// Nobody gives nodes of htc back, so that all nodes that change hands are withdrawn.
	htc := start("htc", "client", "-host", host.url, "-name", "htc", "-add", "6")
	if err := s.until(func(st status) bool { return held(st, "htc") == 6 }); err != nil {
		t.Fatal(err)
	}
	s.wait(1)
	hpc := start("hpc", "client", "-host", host.url, "-name", "hpc", "-add", "3")

	// The framework of htc tells what its nodes are worth, or the host waits for that.
	worth := func() {
		values := []exchange.NodeValue{}
		for n := range nodes(htc) {
			values = append(values, exchange.NodeValue{Node: n, Value: 0.5})
		}
		var none struct{}
		exchangehttp.Post(s.ctx, s.http, htc.url+"/framework/SetResourceValues", map[string]any{"values": values}, &none) // else at the next turn
	}

	// What both believe, watched all the while: of two nodes that are the same the lease that htc
	// is seen to use before and after hpc is seen to use its own would be one too many.
	checked := 0
	watch := func() {
		t.Helper()
		a := nodes(htc)
		b := nodes(hpc)
		again := nodes(htc)
		for n, x := range again {
			if y, both := b[n]; both && a[n].Epoch == x.Epoch {
				t.Fatalf("both partitions use node %d: %+v and %+v", n, x, y)
			}
		}
		if b != nil && again != nil {
			checked++
		}
	}
	// The notice comes after first, when htc was last seen not to know of it: a slow machine
	// sees late that it knows.
	first, knows := time.Duration(0), false
	restarts := 0
	for done := false; !done; {
		worth()
		watch()
		looked := s.clock.Now()
		for _, n := range nodes(htc) {
			knows = knows || n.State == "draining"
		}
		if !knows {
			first = looked
		}
		switch {
		case (knows || len(nodes(hpc)) == 3) && restarts == 0: // a slow machine may see them pass first
			htc.kill()
			s.wait(0.3)
			htc = start("htc", htc.args...)
			restarts++
		case restarts == 1:
			host.kill()
			s.wait(0.3)
			host = start("host", append(host.args, "-listen", address)...)
			restarts++
		case restarts == 2:
			htc.kill()
			host.kill()
			hpc.kill()
			host = start("host", host.args...) // with -listen, from the last time
			hpc = start("hpc", hpc.args...)
			htc = start("htc", htc.args...)
			restarts++
		}
		done = len(nodes(hpc)) == 3 && restarts == 3
		if s.ctx.Err() != nil {
			t.Fatal("the nodes are never granted")
		}
		sleep(s.ctx, 3*time.Millisecond)
	}
	if took := s.clock.Now() - first; took < 3*time.Minute {
		t.Errorf("the nodes have changed hands after %v; the grace period is 4 minutes", took)
	}
	for watch(); checked < 5 && s.ctx.Err() == nil; watch() { // fewer times before, on a slow machine
		sleep(s.ctx, 3*time.Millisecond)
	}
	if restarts != 3 || checked < 5 {
		t.Errorf("%d restarts, watched %d times", restarts, checked)
	}
	var st status
	if err := exchangehttp.Get(s.ctx, s.http, host.url+"/Status", &st); err != nil {
		t.Fatal(err)
	}
	c := st.Counted
	if held(st, "htc") != 3 || held(st, "hpc") != 3 || c.Fenced != 0 || c.Completed+c.Withdrawn != 3 || c.Granted != 9 {
		t.Errorf("in the end: %+v", st)
	}
	if got := nodes(htc); len(got) != 3 {
		t.Errorf("htc has %v, want three nodes", got)
	}

	// A framework gives a node back, and asks for another.
	var one int
	for n := range nodes(hpc) {
		one = n
	}
	var out struct {
		ID uint64 `json:"id"`
	}
	if err := exchangehttp.Post(s.ctx, s.http, hpc.url+"/framework/DeleteNodes", map[string]any{"nodes": []int{one}}, &out); err != nil {
		t.Fatal(err)
	}
	if err := s.until(func(st status) bool { return held(st, "hpc") == 2 }); err != nil {
		t.Fatal(err)
	}
	if err := exchangehttp.Post(s.ctx, s.http, hpc.url+"/framework/DeleteNodes", map[string]any{"nodes": []int{one}}, &out); err == nil ||
		exchangehttp.Status(err) != http.StatusNotFound {
		t.Errorf("a node a second time: %v", err)
	}
	if err := exchangehttp.Post(s.ctx, s.http, htc.url+"/framework/AddNodes", map[string]any{"count": 1}, &out); err != nil || out.ID == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if err := s.until(func(st status) bool { return held(st, "htc") == 4 }); err != nil {
		t.Fatal(err)
	}
	// Each ends when it is asked to.
	for _, p := range []*process{htc, hpc, host} {
		if err := p.stop(); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

// A host that refuses a client ends it, with the user's exit status.
func TestRefused(t *testing.T) {
	s := testStage(t, time.Second)
	host, err := s.start("host", "host", "-nodes", "2")
	if err != nil {
		t.Fatal(err)
	}
	status, _, stderr := runParttime("client", "-host", host.url, "-name", "x", "-floor", "3")
	if status != 2 || !strings.Contains(stderr, "want 0 to 2, the number of nodes") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// A client waits for a host that is not there, and ends when it is interrupted.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var errs bytes.Buffer
	heard := writerFunc(func(p []byte) (int, error) { // the journal has a lock
		if bytes.Contains(p, []byte("tries again")) {
			time.AfterFunc(300*time.Millisecond, cancel) // it tries fifty times a second
		}
		return errs.Write(p)
	})
	if status := run(ctx, []string{"client", "-host", "http://127.0.0.1:1", "-name", "x", "-minute", "50ms"}, io.Discard, heard); status != 0 ||
		!errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("status %d", status)
	}
	if got := errs.String(); strings.Count(got, "tries again") != 1 {
		t.Errorf("it says %q", got)
	}
}

// A client goes on with its nodes and its clock while the host is not there, and a host that
// forgot the partition is told of it again.
func TestHostGone(t *testing.T) {
	t.Parallel()
	const minute = 60 * time.Millisecond
	s := testStage(t, minute)
	start := func(name string, args ...string) *process {
		t.Helper()
		p, err := s.start(name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	host := start("host", "host", "-nodes", "2")
	c := start("c", "client", "-host", host.url, "-name", "c", "-add", "2")
	nodes := func(state string, n int) {
		t.Helper()
		for {
			var h exchangehttp.Holdings
			count := 0
			if exchangehttp.Get(s.ctx, s.http, c.url+"/framework/Nodes", &h) == nil {
				for _, x := range h.Nodes {
					if x.State == state {
						count++
					}
				}
			}
			if count == n {
				return
			}
			if s.ctx.Err() != nil {
				t.Fatalf("it never has %d %s nodes: %+v", n, state, h)
			}
			sleep(s.ctx, 5*time.Millisecond)
		}
	}
	for saved := 0; saved < 2; sleep(s.ctx, 5*time.Millisecond) { // until both leases are on disk
		old, err := load(filepath.Join(s.dir, "c.json"))
		if err != nil || s.ctx.Err() != nil {
			t.Fatalf("%d nodes are on disk: %v, %v", saved, err, s.ctx.Err())
		}
		if old != nil {
			saved = 0
			for _, h := range old.Client.AppendNodes(nil, old.Client.Now()) {
				if h.State == exchange.Usable {
					saved++
				}
			}
		}
	}
	host.kill()
	c.kill()
	c = start("c", c.args...)
	nodes("unsure", 2) // 15 minutes later, by its own clock
	// Another host, with nothing of the kind on disk, on the same address.
	host = start("new", "host", "-nodes", "2", "-listen", strings.TrimPrefix(host.url, "http://"))
	s.host = host.url
	other := start("d", "client", "-host", host.url, "-name", "d")
	host.kill()
	host = start("newer", "host", "-nodes", "2", "-listen", strings.TrimPrefix(host.url, "http://"))
	s.host = host.url
	if err := s.until(func(st status) bool { _, c := st.Parts["c"]; _, d := st.Parts["d"]; return c && d }); err != nil {
		t.Fatal(err)
	}
	other.kill()
}

// Of what a command says, the first 1000 bytes are kept, however it is written.
func TestHead(t *testing.T) {
	h := new(head)
	for _, n := range []int{600, 600, 600} {
		if got, err := h.Write(bytes.Repeat([]byte{'a' + byte(h.b.Len()/600)}, n)); got != n || err != nil {
			t.Fatalf("%d, %v", got, err)
		}
	}
	if want := strings.Repeat("a", 600) + strings.Repeat("b", 400); h.b.String() != want {
		t.Errorf("%d bytes: %.20q", h.b.Len(), h.b.String())
	}
}
