package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/internal/statelog"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A script is a host that answers what the test says, call by call. The last answer stays.
type script struct {
	mu      sync.Mutex
	answers map[string][]scripted
	asked   []string // "path body"
}

type scripted struct {
	status int
	body   any // nil: the connection ends
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	json.NewDecoder(r.Body).Decode(&body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path+" "+string(body))
	list := s.answers[r.URL.Path]
	if len(list) == 0 {
		exchangehttp.Reply(w, 200, []exchange.Message{})
		return
	}
	a := list[0]
	if len(list) > 1 {
		s.answers[r.URL.Path] = list[1:]
	}
	if a.body == nil {
		panic(http.ErrAbortHandler)
	}
	exchangehttp.Reply(w, a.status, a.body)
}

func refusal(text string) map[string]string { return map[string]string{"error": text} }

// lines are what a journal says, without the time.
func lines(text string) (said []string) {
	for line := range strings.Lines(text) {
		said = append(said, strings.TrimSuffix(line[stamp:], "\n"))
	}
	return said
}

// lone returns a client of a scripted host, which does nothing yet.
func lone(t *testing.T, s *script, o options) (c *client, journal *locked) {
	t.Helper()
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = nil
	server.Start()
	t.Cleanup(server.Close)
	o.role, o.name, o.host, o.minute, o.weight = clientRole, "x", server.URL, 4*time.Millisecond, 3
	journal = new(locked)
	c, err := newClient(t.Context(), o, journal)
	if err != nil {
		t.Fatal(err)
	}
	return c, journal
}

// locked is a text that several goroutines write and read.
type locked struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A client comes again until the host takes it, says each reason once, asks for its first
// nodes once, and comes again when the host has forgotten it. It ends with the host's word
// when it is refused for good.
func TestRegister(t *testing.T) {
	s := &script{answers: map[string][]scripted{"/CreatePartition": {
		{0, nil}, {0, nil}, {410, refusal("gone")}, {410, refusal("gone")}, {410, refusal("gone again")}, {503, refusal("busy")}, {200, struct{}{}}, {200, struct{}{}}, {422, refusal("too much")},
	}}}
	c, journal := lone(t, s, options{add: 2, kind: "epyc", floor: 1, url: "http://127.0.0.1:7"})
	done := make(chan struct{})
	go func() { c.register(c.ctx, "http://127.0.0.1:9"); close(done) }()
	until(t, "it has come", func() bool {
		select {
		case <-c.met:
			return true
		default:
			return false
		}
	})
	offer(c.unknown, struct{}{})
	until(t, "it comes again", func() bool { return strings.Count(journal.String(), "registers again") == 1 })
	until(t, "it has come again", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.asked) == 8 })
	offer(c.unknown, struct{}{})
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	want := []string{
		"has no credentials: takes everybody on this machine for whom they say they are, and listens on loopback addresses only",
		"nobody answers at " + c.o.host + ": EOF; tries again",
		"the host refuses partition x: gone", "the host refuses partition x: gone again",
		"nobody answers at " + c.o.host + ": busy; tries again",
		"asks for 2 nodes", "the host has forgotten partition x; registers again", "the host has forgotten partition x; registers again",
	}
	if diff := cmp.Diff(want, lines(journal.String())); diff != "" {
		t.Errorf("the journal (-want +got):\n%s", diff)
	}
	if err := <-c.fatal; err.Error() != "the host refuses partition x: too much" || c.ctx.Err() == nil {
		t.Errorf("it ends with %v", err)
	}
	if len(c.queue) != 1 || c.state.Add != 0 {
		t.Errorf("%d messages are queued, %d nodes are still to be asked for", len(c.queue), c.state.Add)
	}
	if msg := <-c.queue; msg.Call != exchange.AddNodes || len(msg.Requests) != 1 || msg.Requests[0].Count != 2 || msg.Requests[0].Kind != "epyc" {
		t.Errorf("it asks %+v", msg)
	}
	for _, a := range s.asked {
		if want := fmt.Sprintf(`/CreatePartition {"floor":1,"instance":%q,"partition":"x","url":"http://127.0.0.1:7","weight":3}`, c.state.Instance); a != want {
			t.Errorf("it says %s, want %s", a, want)
		}
	}
}

// A client says once that the host is not heard, once that it is heard again, and each refusal
// once. It comes again when it is unknown, and ends when another client is in its place.
func TestSend(t *testing.T) {
	c1, c2 := scripted{400, refusal("no sense")}, scripted{404, refusal("unknown partition")}
	s := &script{answers: map[string][]scripted{"/AddNodes": {
		{0, nil}, {0, nil}, {200, []exchange.Message{}}, c1, c1, c2, {200, []exchange.Message{{Call: exchange.NodesAdded, Partition: "y"}}}, c1, {409, refusal("another client")},
	}}}
	c, journal := lone(t, s, options{})
	close(c.met)
	c.registered.Store(&c.state.Instance)
	done := make(chan struct{})
	go func() { c.send(c.ctx); close(done) }()
	for range 9 {
		c.queue <- exchange.Message{Call: exchange.AddNodes, Partition: "x"}
	}
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("it does not end: %s", journal.String())
	}
	got := lines(journal.String())[1:]
	for i, line := range got {
		if strings.HasPrefix(line, "does not understand the host: ") {
			got[i] = "does not understand the host"
		}
	}
	want := []string{"does not hear of the host: EOF", "hears of the host again", "the host does not take AddNodes: no sense", "the host does not take AddNodes: unknown partition",
		"does not understand the host", "the host does not take AddNodes: no sense"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the journal (-want +got):\n%s", diff)
	}
	if err := <-c.fatal; err.Error() != "the host refuses this client: another client" {
		t.Errorf("it ends with %v", err)
	}
	if len(c.unknown) != 1 {
		t.Error("it does not come again")
	}
	// One that is never taken ends, too, and so does one that is waiting.
	for _, met := range []bool{false, true} {
		c, _ := lone(t, s, options{})
		if met {
			close(c.met)
		}
		c.stop()
		c.send(c.ctx)
	}
}

// A client that is reset goes on when the host refuses what is of the client before, or what is
// too early for the host to know the new one.
func TestSendAfterReset(t *testing.T) {
	s := &script{answers: map[string][]scripted{"/AddNodes": {{409, refusal("another client")}}}}
	c, journal := lone(t, s, options{})
	close(c.met)
	before := c.state.Instance
	c.registered.Store(&before)
	if err := c.reset(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { c.send(c.ctx); close(done) }()
	for range 2 {
		c.queue <- exchange.Message{Call: exchange.AddNodes, Partition: "x"}
	}
	until(t, "both are refused", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.asked) == 2 })
	now := *c.instance.Load()
	until(t, "the client is ended by a refusal when the host knows it", func() bool {
		if c.ctx.Err() == nil {
			c.registered.Store(&now)
			offer(c.queue, exchange.Message{Call: exchange.AddNodes, Partition: "x"})
		}
		return c.ctx.Err() != nil
	})
	<-done
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := <-c.fatal; len(s.asked) < 3 || err.Error() != "the host refuses this client: another client" {
		t.Errorf("it ends with %v after %d messages: %s", err, len(s.asked), journal.String())
	}
}

// If the host does not hear, the oldest messages are lost and the last ones stay.
func TestQueueIsFull(t *testing.T) {
	c, _ := lone(t, new(script), options{})
	for k := range queueLength + 3 {
		if err := c.step(func(time.Duration) ([]exchange.Message, error) { return []exchange.Message{{Number: uint64(k)}}, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if first := <-c.queue; first.Number != 3 || len(c.queue) != queueLength-1 {
		t.Errorf("the first is %d of %d, want 3 of %d", first.Number, len(c.queue)+1, queueLength)
	}
}

// What the framework is told when the host does not answer, or answers what makes no sense.
func TestDiscover(t *testing.T) {
	s := &script{answers: map[string][]scripted{"/DiscoverResources": {
		{500, refusal("no disk")}, {200, []exchange.Message{{Call: exchange.NodesAdded, Partition: "y"}}}, {200, []exchange.Message{}},
	}}}
	c, _ := lone(t, s, options{})
	server := httptest.NewServer(c.mux())
	defer server.Close()
	ask := func(method, name, body string) string {
		status, answer := send(t, method, server.URL+"/framework/"+name, "application/json", body)
		return fmt.Sprintf("%d %s", status, strings.TrimSpace(answer))
	}
	if got := ask("POST", "DiscoverResources", "{}"); got != `502 {"error":"the host does not answer: no disk"}` {
		t.Error(got)
	}
	if got := ask("POST", "DiscoverResources", "{}"); !strings.HasPrefix(got, `502 {"error":"the client does not understand the host: `) {
		t.Error(got)
	}
	for _, row := range [][]string{
		{"POST", "DiscoverResources", "{}", "200 []"}, {"GET", "Resources", "", "200 []"}, {"POST", "AddNodes", `{"count":2,"kind":"a"}`, `200 {"id":`},
		{"POST", "AddNodes", `{"count":0}`, "422 "}, {"POST", "Cancel", `{"id":77}`, "404 "}, {"POST", "DeleteNodes", `{"nodes":[7]}`, "404 "},
		{"POST", "SetResourceValues", `{"values":[{"node":7,"value":0.5}]}`, "404 "}, {"POST", "SetResourceValues", `{"values":[]}`, "200 {}"},
		{"GET", "Nodes", "", `200 {"time_s":`}, {"POST", "Reset", "{}", "200 {}"},
	} {
		if got := ask(row[0], row[1], row[2]); !strings.HasPrefix(got, row[3]) {
			t.Errorf("%s %s: %s, want %s", row[1], row[2], got, row[3])
		}
	}
	if len(c.unknown) != 1 || len(c.state.Client.AppendRequests(nil)) != 0 {
		t.Error("after a reset it does not come again, or still has its requests")
	}
	instance := c.state.Instance
	if c.state.Every = -1; c.reset() == nil || c.state.Instance != instance { // as in a -state that somebody has edited
		t.Error("a client that cannot be made takes the place of this one")
	}
}

// timed is a client without a network at a time that the test sets.
func timed(t *testing.T, o options) (c *client, now *time.Duration) {
	c, _ = lone(t, new(script), o)
	c.o.load, c.o.job, c.o.pool, c.o.save = o.load, o.job, o.pool, o.save
	now = new(time.Duration)
	origin := time.Unix(0, 0)
	c.clock = clock.NewFunc(origin, time.Hour, func() time.Time { return origin.Add(*now) })
	c.log.clock = c.clock
	return c, now
}

// Jobs come at random: of 4,000 hours with three jobs of an hour at a time 12,000 are expected
// (a deviation is 110), in waves of four hours: the sine of the time by which most come has
// the phase of the partition's name. A job takes half to one and a half of the mean.
func TestArrive(t *testing.T) {
	c, _ := timed(t, options{load: 3, job: time.Hour})
	c.arrive(time.Hour) // begins here
	if len(c.jobs.queue) != 0 || c.jobs.until != time.Hour {
		t.Fatalf("%d jobs came before the beginning, until %v", len(c.jobs.queue), c.jobs.until)
	}
	for h := 1; h <= 4001; h += 8 {
		c.arrive(time.Duration(h) * time.Hour)
		if n := len(c.jobs.queue); n > 0 && (c.jobs.until < time.Duration(h)*time.Hour || c.jobs.queue[n-1].since > c.jobs.until) {
			t.Fatalf("at %d h arrivals are drawn until %v", h, c.jobs.until)
		}
	}
	n := len(c.jobs.queue)
	sum, sin, cos := time.Duration(0), 0., 0.
	before := time.Duration(0)
	for _, w := range c.jobs.queue {
		if w.left < 30*time.Minute || w.left > 90*time.Minute || w.since < before {
			t.Fatalf("a job of %v at %v after one at %v", w.left, w.since, before)
		}
		before = w.since
		sum += w.left
		angle := 2*math.Pi*w.since.Hours()/4 + 'x'*2.4
		sin, cos = sin+math.Sin(angle), cos+math.Cos(angle)
	}
	if math.Abs(float64(n)-12000) > 450 || math.Abs(sum.Hours()/float64(n)-1) > .02 {
		t.Errorf("%d jobs of %v on average, want 12,000 of an hour", n, sum/time.Duration(n))
	}
	// The density 1 + sin has a mean sine of a half.
	if math.Abs(sin/float64(n)-.5) > .03 || math.Abs(cos/float64(n)) > .03 {
		t.Errorf("the waves have a mean sine of %.3f and cosine of %.3f, want .5 and 0", sin/float64(n), cos/float64(n))
	}
	none, _ := timed(t, options{job: time.Hour})
	none.arrive(0)
	none.arrive(1000 * time.Hour)
	if len(none.jobs.queue) != 0 || none.jobs.ages == nil {
		t.Error("jobs come without a load")
	}
}

// By hand: two jobs wait, and the client asks for them. A third job is asked for with them in
// a new request, or in the place of the last request when there are many. When no job waits,
// the last request is cancelled. Idle nodes go back, all but those of the pool.
func TestScale(t *testing.T) {
	c, now := timed(t, options{load: 1, job: time.Hour})
	c.jobs.ages = map[int]nodeAge{}
	say := func() (out []string) {
		t.Helper()
		if err := c.scale(); err != nil {
			t.Fatal(err)
		}
		for len(c.queue) > 0 {
			msg := <-c.queue
			text := msg.Call.String()
			for _, r := range msg.Requests {
				text += fmt.Sprintf(" %d", r.Count)
			}
			for _, l := range msg.Leases {
				text += fmt.Sprintf(" node %d", l.Node)
			}
			out = append(out, text)
		}
		return out
	}
	want := func(what string, got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	*now = time.Hour
	waits := func(n int) { c.jobs.queue = slices.Repeat([]waiting{{0, time.Hour}}, n) }
	want("nothing to do", say())
	c.jobs.queue = []waiting{{time.Hour - 59*time.Second, time.Hour}}
	want("one has waited for less than a minute", say())
	waits(2)
	want("two wait", say(), "AddNodes 2")
	want("the same two wait", say())
	waits(3)
	want("a third waits", say(), "AddNodes 2 1")
	for n := 4; n <= fewRequests+1; n++ {
		waits(n)
		say()
	}
	if n := len(c.state.Client.AppendRequests(nil)); n != fewRequests {
		t.Errorf("%d requests, want %d", n, fewRequests)
	}
	waits(fewRequests + 2)
	say()
	if rs := c.state.Client.AppendRequests(nil); len(rs) != fewRequests-1 {
		t.Errorf("%d requests after the last one is cancelled, want %d", len(rs), fewRequests-1)
	}
	say()
	if rs := c.state.Client.AppendRequests(nil); len(rs) != fewRequests || rs[fewRequests-1].Count != 2 {
		t.Errorf("%d requests, the last one of %d: want %d and 2", len(rs), rs[len(rs)-1].Count, fewRequests)
	}
	waits(2)
	for k := fewRequests - 1; k >= 1; k-- {
		say()
		if rs := c.state.Client.AppendRequests(nil); len(rs) != k || rs[k-1].Count > 2 {
			t.Errorf("two wait: %+v, want the first %d requests", rs, k)
		}
	}
	say()
	if rs := c.state.Client.AppendRequests(nil); len(rs) != 1 {
		t.Errorf("two wait: %+v", rs)
	}
	waits(0)
	say()
	if rs := c.state.Client.AppendRequests(nil); len(rs) != 0 {
		t.Errorf("none waits: %+v", rs)
	}
}

// hosted is a client at a time that the test sets, of a host that answers at once. The host has
// four nodes, and others that another partition holds.
func hosted(t *testing.T, others int, o options) (c *client, now *time.Duration, deliver func([]exchange.Message, error)) {
	t.Helper()
	c, now = timed(t, o)
	m, err := exchange.NewManager(exchange.ManagerOptions{Term: -1}, make([]string, 4+others))
	if err == nil {
		err = m.CreatePartition("x", 1, 0)
	}
	*now = time.Hour
	if err == nil {
		_, err = m.ResetClient(*now, "x", c.state.Instance, false)
	}
	if err == nil && others > 0 {
		if err = m.CreatePartition("y", 1, 0); err == nil {
			_, err = m.Handle(*now, exchange.Message{Call: exchange.AddNodes, Partition: "y", Number: 1, Requests: []exchange.Request{{ID: 1, Count: others}}})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	deliver = func(msgs []exchange.Message, err error) {
		t.Helper()
		for k := 0; err == nil && k < len(msgs); k++ {
			var out []exchange.Message
			if msgs[k].Call > exchange.AcknowledgeDelete { // to a partition
				out, err = c.state.Client.Handle(*now, msgs[k].Clone())
			} else {
				out, err = m.Handle(*now, msgs[k].Clone())
			}
			for _, o := range out {
				msgs = append(msgs, o.Clone())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c, now, deliver
}

// Of four nodes, one with a job and one of the pool, two are idle: they go back when they were
// held for ten minutes, and not before.
func TestScaleBack(t *testing.T) {
	c, now, deliver := hosted(t, 0, options{load: 1, job: time.Hour, pool: 1, save: -1})
	_, msgs, err := c.state.Client.AddNodes(*now, "", 4)
	deliver(msgs, err)
	c.arrive(*now)
	c.jobs.queue, c.jobs.until = []waiting{{*now, time.Hour}}, 1000*time.Hour
	_, values := c.schedule(*now)
	if len(values) != 4 || len(c.state.Jobs) != 1 {
		t.Fatalf("%d nodes, jobs %v", len(values), c.state.Jobs)
	}
	deliver(c.state.Client.SetResourceValues(*now, values)) // the host learns that the nodes have come
	for _, row := range []struct {
		after time.Duration
		want  string
	}{{5 * time.Minute, ""}, {10*time.Minute - time.Nanosecond, ""}, {10 * time.Minute, "DeleteNodes [1 2]"}, {20 * time.Minute, ""}} {
		*now = time.Hour + row.after
		c.schedule(*now)
		if err := c.scale(); err != nil {
			t.Fatal(err)
		}
		got := ""
		for len(c.queue) > 0 {
			msg := <-c.queue
			if msg.Call == exchange.AddNodes { // the request, which is fulfilled, is taken from the list
				continue
			}
			var nodes []int
			for _, l := range msg.Leases {
				nodes = append(nodes, l.Node)
			}
			got += fmt.Sprint(msg.Call, " ", nodes)
		}
		if got != row.want {
			t.Errorf("after %v: %q, want %q", row.after, got, row.want)
		}
	}
	if len(c.jobs.ages) != 2 {
		t.Errorf("the ages of %d nodes are known, want 2", len(c.jobs.ages))
	}
}

// The values that the framework sets go to the host, each of its node.
func TestValuesOfTheFramework(t *testing.T) {
	c, now, deliver := hosted(t, 0, options{})
	_, msgs, err := c.state.Client.AddNodes(*now, "", 3)
	deliver(msgs, err)
	server := httptest.NewServer(c.mux())
	defer server.Close()
	if status, answer := send(t, "POST", server.URL+"/framework/SetResourceValues", "application/json", `{"values":[{"node":2,"value":0.5},{"node":1,"value":0.25}]}`); status != 200 {
		t.Fatal(status, answer)
	}
	got := map[int]float64{}
	for len(c.queue) > 0 {
		if msg := <-c.queue; msg.Call == exchange.SetResourceValues {
			for _, l := range msg.Leases {
				got[l.Node] = l.Value
			}
		}
	}
	if got[2] != .5 || got[1] != .25 || got[0] != 0 {
		t.Errorf("the host hears of %v", got)
	}
}

// Of six nodes that are asked for four are there, and two may still come: eight jobs need two more.
func TestScalePartly(t *testing.T) {
	c, now, deliver := hosted(t, 2, options{load: 1, job: time.Hour, save: -1})
	_, msgs, err := c.state.Client.AddNodes(*now, "", 6)
	deliver(msgs, err)
	c.arrive(*now)
	_, values := c.schedule(*now)
	deliver(c.state.Client.SetResourceValues(*now, values)) // the host learns that the nodes have come
	*now += 2 * time.Minute
	deliver(c.state.Client.Tick(*now), nil) // and the client that four of six are granted
	c.jobs.queue = slices.Repeat([]waiting{{0, time.Hour}}, 8)
	if err := c.scale(); err != nil {
		t.Fatal(err)
	}
	if rs := c.state.Client.AppendRequests(nil); len(rs) != 2 || rs[1].Count != 2 {
		t.Errorf("%+v, want a second request, for two", rs)
	}
	// A node is idle since its job has ended, and as old as its lease.
	c.jobs.queue = []waiting{{0, 30 * time.Minute}}
	c.jobs.ages[3] = nodeAge{epoch: 77}
	begin := *now
	for _, m := range []int{0, 10, 31, 40} {
		*now = begin + time.Duration(m)*time.Minute
		c.schedule(*now)
	}
	if diff := cmp.Diff([]nodeAge{{1, time.Hour, begin + 10*time.Minute}, {1, begin, begin}}, []nodeAge{c.jobs.ages[2], c.jobs.ages[3]}, cmp.AllowUnexported(nodeAge{})); diff != "" {
		t.Errorf("ages (-want +got):\n%s", diff)
	}
	// A look is in each half minute before a node is taken.
	if d := pause(time.Minute); 2*d > margin || pause(time.Millisecond) != 5*time.Millisecond {
		t.Errorf("a look each %v", d)
	}
}

// What run cannot save is told.
func TestRunNotSaved(t *testing.T) {
	c, journal := lone(t, new(script), options{})
	c.o.load, c.o.job, c.o.minute = 1, time.Hour, time.Millisecond
	c.store = &store{path: "p", log: &noting{fail: "append"}, saving: make(chan struct{}, 1)}
	done := make(chan struct{})
	go func() { c.run(c.ctx); close(done) }()
	until(t, "the disk is full", func() bool { return slices.Contains(lines(journal.String()), "cannot save -state p: no space") })
	c.stop()
	<-done
}

// What is not on disk is not sent: the step that follows saves the whole state.
func TestNotSynced(t *testing.T) {
	c, journal := lone(t, new(script), options{})
	d := &noting{fail: "sync"}
	c.store = &store{path: "p", log: d, saving: make(chan struct{}, 1)}
	sent := 0
	step := func() error {
		return c.change(false, func(time.Duration) ([]exchange.Message, error) { return []exchange.Message{{}}, nil }, func(exchange.Message) { sent++ })
	}
	if err := step(); !errors.Is(err, errTorn) || sent != 0 {
		t.Errorf("%v, %d sent", err, sent)
	}
	if got := lines(journal.String())[1:]; !slices.Equal(got, []string{"cannot save -state p: no space; nothing is sent"}) {
		t.Errorf("the journal says %q", got)
	}
	d.fail = ""
	if err := step(); err != nil || sent != 1 {
		t.Errorf("%v, %d sent", err, sent)
	}
	if diff := cmp.Diff([]string{"append s", "sync", "replace {", "append", "sync"}, d.did); diff != "" {
		t.Errorf("the disk (-want +got):\n%s", diff)
	}
}

// A state on disk is what its snapshot and its records say: the last whole state of a client,
// and of a host all terms and changes. What is no such record is told.
func TestRestore(t *testing.T) {
	m, err := exchange.NewManager(exchange.ManagerOptions{}, make([]string, 2))
	if err != nil {
		t.Fatal(err)
	}
	text := func(v any) []byte {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	host := text(saved{Role: "host", Manager: m, Partitions: map[string]terms{"old": {Weight: 7}}, Removed: map[string]string{"back": "b"}})
	m.ChangesSaved()
	if err := m.CreatePartition("hpc", 1, 0); err != nil {
		t.Fatal(err)
	}
	changes := m.AppendChanges(nil)
	record := func(kind byte, parts ...[]byte) []byte { return slices.Concat(append([][]byte{{kind}}, parts...)...) }
	both := func(t []byte) []byte { return binary.AppendUvarint(nil, uint64(len(t))) }
	add, removed := text(namedTerms{Name: "hpc", Terms: &terms{Weight: 1}}), text(namedTerms{Name: "old", Instance: "i"})
	back := text(namedTerms{Name: "back", Terms: &terms{Weight: 2}})
	got, err := restore(&statelog.State{Snapshot: host, Records: [][]byte{record(recordBoth, both(add), add, changes), record(recordTerms, removed), record(recordTerms, back)}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]terms{"hpc": {Weight: 1}, "back": {Weight: 2}}, got.Partitions); diff != "" || len(got.Manager.AppendPartitions(nil)) != 1 {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"old": "i"}, got.Removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	client := func(add int) []byte { return text(saved{Role: "client", Add: add}) }
	if got, err := restore(&statelog.State{Snapshot: client(1), Records: [][]byte{record(recordWhole, client(2)), record(recordWhole, client(3))}}); err != nil || got.Add != 3 || got.Manager != nil {
		t.Errorf("the last of three states: %+v, %v", got, err)
	}
	if got, err := restore(&statelog.State{}); got != nil || err != nil {
		t.Errorf("no state: %+v, %v", got, err)
	}
	for want, records := range map[string][][]byte{
		"record 0 is of kind 'x': want the state of this program, or of an earlier version": {record('x', add)},
		"record 1 is not whole: want the file as this program wrote it":                     {record(recordTerms, add), record(recordBoth, binary.AppendUvarint(nil, 100), add)},
		"record 0 is not whole: want the file as this program wrote it":                     {record(recordBoth)},
		"record 0: unexpected end of JSON input":                                            {record(recordTerms)},
	} {
		if got, err := restore(&statelog.State{Snapshot: host, Records: records}); err == nil || err.Error() != want || got != nil {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
	for _, text := range []string{"", "text", string(host[:len(host)/2])} {
		if got, err := restore(&statelog.State{Snapshot: []byte(text)}); err == nil || err.Error() != "it is not a state, or not a whole one: want the file as this program wrote it" || got != nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if got, err := load(t.TempDir()); err == nil || got != nil {
		t.Errorf("a folder: %+v, %v", got, err)
	}
	// A copy stays what it is.
	twin := got.clone()
	got.settle(namedTerms{Name: "hpc"})
	got.settle(namedTerms{Name: "old", Terms: &terms{}})
	if diff := cmp.Diff(map[string]terms{"hpc": {Weight: 1}, "back": {Weight: 2}}, twin.Partitions); diff != "" || twin.Removed["old"] != "i" || len(twin.Manager.AppendPartitions(nil)) != 1 {
		t.Errorf("a copy (-want +got):\n%s", diff)
	}
	// A host remembers a bounded number of partitions that were removed.
	s := new(saved)
	for k := range mostRemoved {
		s.settle(namedTerms{Name: fmt.Sprint(k)})
	}
	if len(s.Removed) != mostRemoved {
		t.Errorf("%d are remembered, want %d", len(s.Removed), mostRemoved)
	}
	s.settle(namedTerms{Name: "one more"})
	if len(s.Removed) != 1 {
		t.Errorf("%d are remembered, want the last one", len(s.Removed))
	}
}

// noting is a disk that notes what is done to it.
type noting struct {
	did  []string
	long bool
	fail string // what fails
}

func (d *noting) note(what string, text []byte) error {
	if len(text) > 0 {
		what += " " + string(text[:1])
	}
	if d.did = append(d.did, what); d.fail != "" && strings.HasPrefix(what, d.fail) {
		return errTorn
	}
	return nil
}
func (d *noting) Append(r []byte) (int64, error) { return int64(len(d.did)), d.note("append", r) }
func (d *noting) Sync(pos int64) error           { return d.note("sync", nil) }
func (d *noting) Long() bool                     { return d.long }
func (d *noting) Rotate() error                  { return d.note("rotate", nil) }
func (d *noting) Snapshot(s []byte) error        { return d.note("snapshot", s) }
func (d *noting) Replace(s []byte) error         { return d.note("replace", s) }
func (d *noting) Close() error                   { return d.note("close", nil) }

// What a store writes: a record of what has changed, none where nothing has; a new snapshot
// when the log is long; and the whole state after a failure, at most once a second.
func TestStore(t *testing.T) {
	m, err := exchange.NewManager(exchange.ManagerOptions{}, make([]string, 2))
	if err != nil {
		t.Fatal(err)
	}
	d := new(noting)
	w := &store{path: "p", log: d, saving: make(chan struct{}, 1)}
	state := &saved{Manager: m}
	did := func(what string, want ...string) {
		t.Helper()
		w.saving <- struct{}{} // after a snapshot that is under way
		<-w.saving
		if diff := cmp.Diff(want, d.did); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		d.did = nil
	}
	save := func(terms string) error {
		_, err := w.save(state, []byte(terms))
		return err
	}
	m.CreatePartition("before", 1, 0)
	w.replace(state)
	did("the beginning", "replace {")
	save("")
	did("no change", "append")
	save(`{}`)
	did("terms alone", "append t")
	m.CreatePartition("a", 1, 0)
	save("")
	did("a change", "append m")
	save("")
	did("the change is saved", "append")
	m.CreatePartition("b", 1, 0)
	save(`{}`)
	did("both", "append b")
	d.long = true
	m.CreatePartition("c", 1, 0)
	save("")
	did("a long log", "append m", "rotate", "snapshot {")
	d.fail = "rotate"
	save("")
	did("a log that cannot be renewed", "append", "rotate")
	d.fail, d.long = "append", false
	if err := save(""); err == nil || err.Error() != "cannot save -state p: no space" || !errors.Is(err, errTorn) {
		t.Errorf("a full disk: %v", err)
	}
	did("a full disk", "append")
	w.broken = w.fail(errTorn)
	d.fail = "replace"
	if err := save(""); err == nil || err.Error() != "cannot save -state p: no space" {
		t.Errorf("a disk that is still full: %v", err)
	}
	did("a disk that is still full", "replace {")
	if err := save(""); err != w.broken {
		t.Errorf("within a second: %v", err)
	}
	did("within a second")
	w.tried, d.fail = time.Time{}, ""
	if err := save(""); err != nil || w.broken != nil {
		t.Errorf("a disk that has room again: %v", err)
	}
	did("room again", "replace {", "append")
	d.fail = "sync"
	if err := w.sync(1); err == nil || err.Error() != "cannot save -state p: no space" {
		t.Errorf("sync: %v", err)
	}
	d.fail, d.did = "", nil
	d.long = true
	w.save(&saved{Role: "client"}, nil)
	did("a client", "append s", "rotate", "snapshot {")
	w.close()
	if d.did[0] != "close" {
		t.Errorf("%q", d.did)
	}
	none := newStore("", nil)
	m.CreatePartition("d", 1, 0)
	if pos, err := none.save(state, nil); pos != 0 || err != nil || none.replace(state) != nil || none.sync(1) != nil || len(m.AppendChanges(nil)) != 0 {
		t.Errorf("without a file: %v, %v", pos, err)
	}
	none.close()
}

// What a process cannot use it leaves to others, and a full disk is told once a second.
func TestOpenAndUnsaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h, err := newHost(ctx, options{role: hostRole, nodes: 2, minute: time.Minute, state: path}, new(locked))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.create(struct {
		Partition string `json:"partition"`
		terms
	}{"hpc", terms{Weight: 1, URL: "http://127.0.0.1:9"}}); err != nil {
		t.Fatal(err)
	}
	h.store.close()
	for _, c := range []struct {
		of     role
		minute time.Duration
	}{{clientRole, time.Minute}, {hostRole, time.Second}} {
		if _, _, _, err := open(path, c.of, c.minute); err == nil {
			t.Errorf("%v, %v: the state is taken", c.of, c.minute)
		}
	}
	again, err := newHost(t.Context(), options{role: hostRole, minute: time.Minute, state: path}, new(locked))
	if err != nil {
		t.Fatal("the state is not left to others: ", err)
	}
	if _, err := newHost(t.Context(), options{role: hostRole, minute: time.Minute, state: path}, new(locked)); err == nil || !strings.Contains(err.Error(), "another process uses it") {
		t.Errorf("two hosts have one state: %v", err)
	}
	if _, err := newHost(t.Context(), options{role: hostRole, minute: time.Minute, credentials: exchangehttp.Credentials{Keys: path + "none"}}, new(locked)); err == nil {
		t.Error("a host without its keys")
	}
	if _, ok := again.parts["hpc"]; !ok || again.nodes != 2 || again.limit() != 1<<16+512 {
		t.Errorf("the host knows of %v, and has %d nodes", again.parts, again.nodes)
	}
	done := make(chan struct{})
	go func() { again.work(""); close(done) }()
	until(t, "the partition has its queue", func() bool { again.sending.Lock(); defer again.sending.Unlock(); return again.queues["hpc"] != nil })
	again.stop()
	<-done
	again.store.close()
	c, journal := lone(t, new(script), options{})
	for _, warned := range []time.Time{{}, time.Now().Add(time.Minute), time.Now().Add(-2 * time.Second)} {
		c.warned = warned
		c.unsaved(errTorn)
	}
	if now := time.Now(); now.Sub(c.warned) > time.Minute {
		t.Errorf("it was told at %v, says the journal at %v", c.warned, now)
	}
	if got := lines(journal.String())[1:]; !slices.Equal(got, []string{"no space; nothing is sent", "no space; nothing is sent"}) {
		t.Errorf("the journal says %q", got)
	}
}

// What the demonstration counts and writes, and how it fails.
func TestStage(t *testing.T) {
	end := 3.
	st := status{Nodes: []nodeStatus{{Partition: "a"}, {Partition: "b", Ends: &end}, {Partition: "a", Ends: &end}, {}}}
	if held(st, "a") != 2 || held(st, "b") != 1 || held(st, "") != 1 || ending(st) != 2 {
		t.Errorf("%d, %d, %d held and %d ending", held(st, "a"), held(st, "b"), held(st, ""), ending(st))
	}
	said := new(locked)
	origin := time.Unix(0, 0)
	s := newStage(t.Context(), time.Second, t.TempDir(), said)
	s.clock, s.host = clock.NewFunc(origin, time.Hour, func() time.Time { return origin.Add(150 * time.Second) }), "http://127.0.0.1:1"
	s.say("", "It has %d nodes.", 3)
	s.say("hpc", "has %d nodes", 3)
	if want := "--- It has 3 nodes.\n   2.5 min  hpc   has 3 nodes\n"; said.String() != want {
		t.Errorf("%q, want %q", said.String(), want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s.ctx = ctx
	if err := s.until(func(status) bool { return true }); err == nil || err.Error() != "the demonstration does not come to an end: context deadline exceeded" {
		t.Errorf("%v", err)
	}
	p, err := s.start("hpc", "client", "-nonsense")
	if want := "hpc does not start: exit status 2, parttime: flag provided but not defined: -nonsense (-h lists the flags)"; p != nil || err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if len(s.all) != 1 || !s.all[0].ended {
		t.Error("what did not start has not ended")
	}
	s.clear()
	// One that runs says what it does, and ends when it is asked to.
	if p, err = s.start("host", "host", "-nodes", "2"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.url, "http://127.0.0.1:") || s.host != p.url {
		t.Errorf("it listens on %q, and the stage knows %q", p.url, s.host)
	}
	s.ctx = t.Context()
	if err := s.until(func(st status) bool { return len(st.Nodes) == 2 }); err != nil {
		t.Error(err)
	}
	if err := p.stop(); err != nil || !p.ended || p.stop() != nil {
		t.Errorf("%v", err)
	}
	if !strings.Contains(said.String(), "host  has no credentials") {
		t.Errorf("it does not say what the host says: %s", said.String())
	}
	if old, err := load(filepath.Join(s.dir, "host.json")); err != nil || old.Minute != time.Second {
		t.Errorf("%+v, %v", old, err)
	}
	// What is killed has said all that it said, and is gone.
	s.w = writerFunc(func(p []byte) (int, error) {
		time.Sleep(50 * time.Millisecond)
		return said.Write(p)
	})
	if p, err = s.start("late", "host", "-nodes", "2"); err != nil {
		t.Fatal(err)
	}
	p.kill()
	if !p.ended || p.cmd.ProcessState == nil || !strings.Contains(said.String(), "late  has no credentials") || s.host == p.url {
		t.Errorf("ended %v, %v, %s", p.ended, p.cmd.ProcessState, said.String())
	}
	s.program = filepath.Join(s.dir, "none")
	if p, err := s.start("none"); p != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a program that is not there: %v, %v", p, err)
	}
}

// The seed of a partition's jobs is its name.
func TestSeedOfName(t *testing.T) {
	c, _ := lone(t, new(script), options{})
	if want := rand.New(rand.NewPCG('x', 1)); c.rng.Uint64() != want.Uint64() {
		t.Error("another seed than the name's")
	}
}
