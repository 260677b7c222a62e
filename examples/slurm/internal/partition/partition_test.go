//go:build unix

package partition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// inProcess is an exchange whose elastic client is in this process. It delivers what
// comes from the host with Receive, and tells the client the time with Tick.
type inProcess struct {
	mu     sync.Mutex
	client *exchange.Client
	now    func() time.Duration
	real   func(time.Duration) time.Duration // turns a span of now's time into real time
	send   func([]exchange.Message)          // sends copies to the host
}

// Do lets f use the client, and sends what it returns.
func (x *inProcess) Do(f func(c *exchange.Client, now time.Duration) ([]exchange.Message, error)) error {
	x.mu.Lock()
	msgs, err := f(x.client, x.now())
	copies := make([]exchange.Message, len(msgs))
	for i, m := range msgs {
		copies[i] = m.Clone()
	}
	x.mu.Unlock()
	if err == nil && len(copies) > 0 {
		x.send(copies)
	}
	return err
}

// Receive delivers a message of the host.
func (x *inProcess) Receive(msg exchange.Message) error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) { return c.Handle(now, msg) })
}

// Tick tells the client the time.
func (x *inProcess) Tick() error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) { return c.Tick(now), nil })
}

// Holdings returns what the client knows.
func (x *inProcess) Holdings(context.Context) ([]Holding, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	var out []Holding
	for _, h := range x.client.AppendNodes(nil, now) {
		out = append(out, Holding{Node: h.Node, State: h.State, Left: x.real(h.End - now)})
	}
	return out, nil
}

// SetValues tells the client what nodes are worth.
func (x *inProcess) SetValues(_ context.Context, values []exchange.NodeValue) error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) {
		return c.SetResourceValues(now, values)
	})
}

// Delete gives nodes back.
func (x *inProcess) Delete(_ context.Context, nodes []int) error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) {
		return c.DeleteNodes(now, nodes...)
	})
}

// host is a hosting cluster: its manager, and a network that delivers at once, in order.
type host struct {
	t       *testing.T
	mu      sync.Mutex
	manager *exchange.Manager
	client  *inProcess
	start   time.Time
	minute  time.Duration // how long one takes
	inbox   []exchange.Message
}

func (h *host) now() time.Duration {
	return time.Duration(float64(time.Since(h.start)) * float64(time.Minute) / float64(h.minute))
}

func (h *host) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) * float64(h.minute) / float64(time.Minute))
}

// send takes messages from the client, or what the manager sends of itself.
func (h *host) send(msgs []exchange.Message) {
	h.mu.Lock()
	h.inbox = append(h.inbox, msgs...)
	h.mu.Unlock()
}

// pump delivers messages until the context ends.
func (h *host) pump(ctx context.Context) {
	for ctx.Err() == nil {
		h.mu.Lock()
		inbox := h.inbox
		h.inbox = nil
		var out []exchange.Message
		keep := func(msgs []exchange.Message, err error) {
			if err != nil {
				h.t.Error(err)
			}
			for _, m := range msgs {
				out = append(out, m.Clone())
			}
		}
		for _, m := range inbox {
			keep(h.manager.Handle(h.now(), m))
		}
		keep(h.manager.Tick(h.now()), nil)
		h.mu.Unlock()
		for _, m := range out {
			if err := h.client.Receive(m); err != nil {
				h.t.Error(err)
			}
		}
		if err := h.client.Tick(); err != nil {
			h.t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// held returns the nodes that the partition has by the manager's ledger.
func (h *host) held() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	var nodes []int
	for _, a := range h.manager.AppendAssignments(nil) {
		if a.Partition == "hpc" {
			nodes = append(nodes, a.Node)
		}
	}
	return nodes
}

// The host takes two of four nodes with jobs. Those go whose loss wastes least: of two
// small jobs that began last, not of the one on two nodes that began first. One of them
// ends within the grace period, the other is ended and queued again, and starts again at
// once when there is room. The large job is not touched.
func TestDownscale(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	c, err := cluster.Start(ctx, 4)
	if errors.Is(err, slurmctl.ErrAbsent) || errors.Is(err, slurmctl.ErrVersion) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	dir := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	local := &provider.Local{Dir: dir, Command: c.Slurmd, Environment: c.Environment()}
	for _, n := range c.Names {
		if _, err := local.Create(ctx, "host-"+n, n); err != nil {
			t.Fatal(err)
		}
	}
	slurm, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		t.Fatal(err)
	}
	wait := func(what string, done func(jobs map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool) {
		t.Helper()
		for {
			jobs, err := slurm.Jobs(ctx)
			nodes, err2 := slurm.Nodes(ctx)
			if err := errors.Join(err, err2); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			byID, byName := map[int64]slurmctl.Job{}, map[string]slurmctl.Node{}
			for _, j := range jobs {
				byID[j.ID] = j
			}
			for _, n := range nodes {
				byName[n.Name] = n
			}
			if done(byID, byName) {
				return
			}
			time.Sleep(30 * time.Millisecond)
		}
	}
	wait("the nodes are up", func(_ map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool {
		for _, n := range nodes {
			if n.State != "idle" {
				return false
			}
		}
		return true
	})

	const minute = time.Second
	const grace = 12 * time.Minute // 12 s, so that a busy machine ends jobs in time, too
	h := &host{t: t, start: time.Now(), minute: minute}
	if h.manager, err = exchange.NewManager(exchange.ManagerOptions{Grace: grace, Skew: time.Minute}, make([]string, 4)); err != nil {
		t.Fatal(err)
	}
	if err := h.manager.CreatePartition("hpc", 1, 0); err != nil {
		t.Fatal(err)
	}
	client, err := exchange.NewClient("hpc", exchange.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h.client = &inProcess{client: client, now: h.now, real: h.real, send: h.send}
	var mu sync.Mutex
	var told []string
	agent, err := New(h.client, slurm, Options{Names: c.Names, Take: 2, Grace: h.real(grace), Margin: 8 * time.Second, Poll: 50 * time.Millisecond,
		Tell: func(node, what string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%6.2f %s %s", time.Since(h.start).Seconds(), node, what))
		}})
	if err != nil {
		t.Fatal(err)
	}
	run, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { h.pump(run) })
	all.Go(func() { agent.Run(run) })
	defer func() {
		stop()
		all.Wait()
		if t.Failed() {
			t.Log(strings.Join(told, "\n"))
		}
	}()
	// While the partition has none of the nodes, Slurm uses none.
	wait("all are drained", func(_ map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool {
		for _, n := range nodes {
			if n.Up() {
				return false
			}
		}
		return true
	})
	err = h.client.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) {
		_, msgs, err := c.AddNodes(now, "", 4)
		return msgs, err
	})
	if err != nil {
		t.Fatal(err)
	}
	// A job ends when there is a file, or at once if it has been started before.
	submit := func(nodes int, file string) int64 {
		t.Helper()
		id, err := c.Submit(ctx, nodes, fmt.Sprintf(`until [ "$SLURM_RESTART_COUNT" ] || [ -e %s/%s ]; do sleep 0.05; done`, c.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		wait(fmt.Sprintf("job %d runs", id), func(jobs map[int64]slurmctl.Job, _ map[string]slurmctl.Node) bool { return jobs[id].State == "RUNNING" })
		return id
	}
	large := submit(2, "large")
	time.Sleep(time.Second) // Slurm tells the starts in seconds
	short := submit(1, "short")
	long := submit(1, "long")
	end := func(file string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(c.Dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wait("the host knows the values", func(map[int64]slurmctl.Job, map[string]slurmctl.Node) bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		high, low := 0, 0
		for _, a := range h.manager.AppendAssignments(nil) {
			switch {
			case a.Value >= 0.5:
				high++
			case a.Value > 0:
				low++
			}
		}
		return high == 2 && low == 2
	})
	jobs, err := slurm.Jobs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var keep, gone []string
	for _, j := range jobs {
		switch j.ID {
		case large:
			keep = append(keep, j.Names...)
		case short, long:
			gone = append(gone, j.Names...)
		}
	}
	h.mu.Lock()
	msgs, err := h.manager.Reclaim(h.now(), "hpc", 2)
	notices := make([]exchange.Message, len(msgs))
	for i, m := range msgs {
		notices[i] = m.Clone()
	}
	h.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range notices {
		if err := h.client.Receive(m); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	end("short") // within the grace period
	wait("two nodes are given back", func(map[int64]slurmctl.Job, map[string]slurmctl.Node) bool { return len(h.held()) == 2 })
	took := time.Since(begin)
	if took > h.real(grace) {
		t.Errorf("it took %v, and the grace period is %v", took, h.real(grace))
	}
	var left []string
	for _, i := range h.held() {
		left = append(left, c.Names[i])
	}
	if diff := cmp.Diff(keep, left); diff != "" {
		t.Errorf("nodes kept: %s", diff)
	}
	stats := h.manager.Stats()
	if stats.Completed != 2 || stats.Withdrawn != 0 {
		t.Errorf("%+v: want two preemptions completed", stats)
	}
	end("large")
	wait("all jobs have ended", func(jobs map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool {
		for _, name := range gone {
			if n := nodes[name]; n.Up() || n.Working() {
				t.Fatalf("node %s is used after it was given back: %+v", name, n)
			}
		}
		for _, id := range []int64{large, short, long} {
			if j := jobs[id]; j.Waits() || j.Holds() {
				return false
			}
		}
		for id, restarts := range map[int64]int{large: 0, short: 0, long: 1} {
			if j := jobs[id]; j.State != "COMPLETED" || j.Restarts != restarts {
				t.Errorf("job %d: %s, started again %d times, want %d", id, j.State, j.Restarts, restarts)
			}
		}
		return true
	})
	mu.Lock()
	defer mu.Unlock()
	if text := strings.Join(told, "\n"); !strings.Contains(text, fmt.Sprintf("ends job %d", long)) || strings.Contains(text, fmt.Sprintf("ends job %d", short)) {
		t.Errorf("it tells:\n%s", text)
	}
}

// The framework's calls of examples/parttime are understood.
func TestFramework(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in any
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
		}
		text, _ := json.Marshal(in)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(text))
		switch r.URL.Path {
		case "/framework/Nodes":
			fmt.Fprint(w, `{"time_s":100,"instance":"x","nodes":[{"node":0,"epoch":1,"state":"usable","value":0.5},{"node":3,"epoch":2,"state":"draining","value":0,"ends_s":160}],"requests":[]}`)
		case "/framework/DeleteNodes":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"not held"}`)
		default:
			fmt.Fprint(w, `{}`)
		}
	}))
	defer s.Close()
	f := &Framework{URL: s.URL, Minute: 2 * time.Second}
	ctx := context.Background()
	h, err := f.Holdings(ctx)
	if diff := cmp.Diff([]Holding{{Node: 0, State: exchange.Usable}, {Node: 3, State: exchange.Draining, Left: 2 * time.Second}}, h); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if err := f.SetValues(ctx, []exchange.NodeValue{{Node: 0, Value: .25}}); err != nil {
		t.Error(err)
	}
	if err := f.Delete(ctx, []int{3}); err == nil || !strings.Contains(err.Error(), "not held") {
		t.Errorf("refused: %v", err)
	}
	want := []string{`GET /framework/Nodes null`, `POST /framework/SetResourceValues {"values":[{"node":0,"value":0.25}]}`, `POST /framework/DeleteNodes {"nodes":[3]}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
