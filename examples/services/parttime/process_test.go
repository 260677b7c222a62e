package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
)

// The demonstration ends well, and says what happens.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	const minute = 150 * time.Millisecond
	var out, errs locked
	when := map[string]time.Time{} // what is first said of it
	heard := writerFunc(func(p []byte) (int, error) {
		for _, what := range []string{"A minute takes", "The second partition", "host  notifies htc", "The client that is", "So is the host", "host  takes up"} {
			if _, known := when[what]; !known && bytes.Contains(p, []byte(what)) {
				when[what] = time.Now()
			}
		}
		return out.Write(p)
	})
	status := run(t.Context(), []string{"-minute", minute.String()}, heard, &errs)
	stdout, stderr := out.String(), errs.String()
	// Six minutes of work, a client that comes back after one, and a host after half of one.
	for _, c := range []struct {
		from, to string
		least    time.Duration
	}{{"A minute takes", "The second partition", 6 * minute}, {"host  notifies htc", "The client that is", 0}, {"The client that is", "So is the host", minute}, {"So is the host", "host  takes up", minute / 2}} {
		if d := when[c.to].Sub(when[c.from]); d < c.least {
			t.Errorf("from %q to %q it takes %v, want %v", c.from, c.to, d, c.least)
		}
	}
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s\n%s", status, stderr, stdout)
	}
	for _, want := range []string{
		"host  grants nodes 0-7 to htc", "host  notifies htc that it takes nodes", "htc   is to give back nodes",
		"htc   takes up its work again", "host  takes up its work again", "to hpc\n", "hpc   has node", "4 nodes taken: ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, stdout)
		}
	}
	var told []string // by the demonstration itself
	for line := range strings.Lines(stdout) {
		if text, ok := strings.CutPrefix(line, "--- "); ok {
			told = append(told, strings.TrimSuffix(text, "\n"))
		}
	}
	want := []string{
		"Eight nodes, two partitions with equal shares; notices each minute, 3 minutes of grace.", "A minute takes 150ms here. Jobs take 4 to 12 minutes.",
		"The second partition comes, and asks for four nodes. They are those whose jobs began last.",
		"The client that is to free them is killed (-9), and comes back a minute later from its state.", "So is the host, for half a minute.",
	}
	if !slices.Equal(told, want) {
		t.Errorf("it says\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	_, table, _ := strings.Cut(stdout, "\nnode  partition  lease\n")
	if rows := strings.Split(table, "\n"); len(rows) < 11 || strings.Count(table, "  hpc ") != 4 || strings.Count(table, "  htc ") != 4 || !strings.Contains(rows[10], "4 nodes taken: ") {
		t.Errorf("the table in the end is\n%s", table)
	}
}

// The demonstration says why it fails, and leaves nothing behind, nor does one that is
// interrupted, which has not failed.
func TestDemonstrationFails(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	left := func() (paths []string) {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	for _, c := range []struct{ at, status, want string }{
		{"", "0", ""},
		{"A minute takes", "1", "parttime: host does not start: exit status 2, parttime: cannot save -state "},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		spoil := writerFunc(func(p []byte) (int, error) {
			switch {
			case c.at != "" && bytes.Contains(p, []byte(c.at)): // the place of the states is gone
				for _, path := range left() {
					os.RemoveAll(path)
				}
			case c.at == "" && bytes.Contains(p, []byte("host  has no credentials")):
				if len(left()) != 1 {
					t.Errorf("the states are in %q", left())
				}
				cancel()
			}
			return len(p), nil
		})
		var errs bytes.Buffer
		status := run(ctx, nil, spoil, &errs)
		cancel()
		if fmt.Sprint(status) != c.status || !strings.HasPrefix(errs.String(), c.want) || c.want == "" && errs.Len() > 0 || len(left()) > 0 {
			t.Errorf("%q: status %d, %s; it leaves %q", c.at, status, errs.String(), left())
		}
	}
	none := filepath.Join(dir, "none")
	t.Setenv("TMPDIR", none)
	if status, _, stderr := runParttime(); status != 1 || !strings.Contains(stderr, none) {
		t.Errorf("without a place for states: status %d, %s", status, stderr)
	}
}

// testStage is a stage whose log is shown if the test fails.
func testStage(t *testing.T, minute time.Duration) *stage {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
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
	// The jobs of htc never end, so that all nodes that change hands are withdrawn.
	htc := start("htc", "client", "-host", host.url, "-name", "htc", "-add", "6", "-job", "1000h")
	if err := s.until(func(st status) bool { return held(st, "htc") == 6 }); err != nil {
		t.Fatal(err)
	}
	s.wait(1)
	hpc := start("hpc", "client", "-host", host.url, "-name", "hpc", "-add", "3", "-job", "1000h")

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
	if err := exchangehttp.Post(s.ctx, s.http, hpc.url+"/framework/DeleteNodes", map[string]any{"nodes": []int{one}}, &out); err == nil || exchangehttp.Status(err) != http.StatusNotFound {
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
	if status := run(ctx, []string{"client", "-host", "http://127.0.0.1:1", "-name", "x", "-minute", "50ms"}, io.Discard, heard); status != 0 || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("status %d", status)
	}
	if got := errs.String(); strings.Count(got, "tries again") != 1 {
		t.Errorf("it says %q", got)
	}
}

// A client goes on with its jobs and its clock while the host is not there, and a host that
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
	c := start("c", "client", "-host", host.url, "-name", "c", "-add", "2", "-job", "1000h")
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
	// Until there are so many jobs on disk.
	jobs := func(n int) {
		t.Helper()
		for {
			old, err := load(filepath.Join(s.dir, "c.json"))
			if err != nil {
				t.Fatal(err)
			}
			if old != nil && len(old.Jobs) == n {
				return
			}
			if s.ctx.Err() != nil {
				t.Fatalf("there are never %d jobs", n)
			}
			sleep(s.ctx, 5*time.Millisecond)
		}
	}
	jobs(2)
	host.kill()
	c.stdin.Close() // as when the demonstration is killed
	done := make(chan struct{})
	go func() {
		c.said.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-s.ctx.Done():
		t.Fatal("the process outlives the one that started it")
	}
	c.cmd.Wait()
	c.ended = true
	c = start("c", c.args...)
	nodes("unsure", 2) // 15 minutes later, by its own clock
	jobs(0)            // and so it has ended what ran there
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
