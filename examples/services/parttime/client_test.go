package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
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
		{0, nil}, {0, nil}, {410, refusal("gone")}, {410, refusal("gone")}, {410, refusal("gone again")}, {503, refusal("busy")}, {200, struct{}{}},
		{200, struct{}{}}, {422, refusal("too much")},
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
		{0, nil}, {0, nil}, {200, []exchange.Message{}}, c1, c1, c2, {200, []exchange.Message{{Call: exchange.NodesAdded, Partition: "y"}}}, c1,
		{409, refusal("another client")},
	}}}
	c, journal := lone(t, s, options{})
	close(c.met)
	c.registered.Store(&c.state.Instance)
	done := make(chan struct{})
	go func() { c.send(c.ctx); close(done) }()
	for range 9 {
		c.queue <- exchange.Message{Call: exchange.AddNodes, Partition: "x", Instance: c.state.Instance}
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
	want := []string{"does not hear of the host: EOF", "hears of the host again", "the host does not take AddNodes: no sense",
		"the host does not take AddNodes: unknown partition",
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
			offer(c.queue, exchange.Message{Call: exchange.AddNodes, Partition: "x", Instance: now})
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
	now = new(time.Duration)
	origin := time.Unix(0, 0)
	c.clock = clock.NewFunc(origin, time.Hour, func() time.Time { return origin.Add(*now) })
	c.log.clock = c.clock
	return c, now
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

// The values that the framework sets go to the host, each of its node.
func TestValuesOfTheFramework(t *testing.T) {
	c, now, deliver := hosted(t, 0, options{})
	_, msgs, err := c.state.Client.AddNodes(*now, "", 3)
	deliver(msgs, err)
	server := httptest.NewServer(c.mux())
	defer server.Close()
	if status, answer := send(t, "POST", server.URL+"/framework/SetResourceValues", "application/json",
		`{"values":[{"node":2,"value":0.5},{"node":1,"value":0.25}]}`); status != 200 {
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
	got, err := restore(&statelog.State{Snapshot: host,
		Records: [][]byte{record(recordBoth, both(add), add, changes), record(recordTerms, removed), record(recordTerms, back)}})
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
	if got, err := restore(&statelog.State{Snapshot: client(1),
		Records: [][]byte{record(recordWhole, client(2)), record(recordWhole, client(3))}}); err != nil || got.Add != 3 || got.Manager != nil {
		t.Errorf("the last of three states: %+v, %v", got, err)
	}
	if got, err := restore(&statelog.State{}); got != nil || err != nil {
		t.Errorf("no state: %+v, %v", got, err)
	}
	for want, records := range map[string][][]byte{
		"record 0 is of kind 'x': want the state of this program, or of an earlier version": {record('x', add)},
		"record 1 is not whole: want the file as this program wrote it": {record(recordTerms, add),
			record(recordBoth, binary.AppendUvarint(nil, 100), add)},
		"record 0 is not whole: want the file as this program wrote it": {record(recordBoth)},
		"record 0: unexpected end of JSON input":                        {record(recordTerms)},
	} {
		if got, err := restore(&statelog.State{Snapshot: host, Records: records}); err == nil || err.Error() != want || got != nil {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
	for _, text := range []string{"", "text", string(host[:len(host)/2])} {
		if got, err := restore(&statelog.State{Snapshot: []byte(text)}); err == nil ||
			err.Error() != "it is not a state, or not a whole one: want the file as this program wrote it" || got != nil {
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
	if diff := cmp.Diff(map[string]terms{"hpc": {Weight: 1}, "back": {Weight: 2}}, twin.Partitions); diff != "" || twin.Removed["old"] != "i" ||
		len(twin.Manager.AppendPartitions(nil)) != 1 {
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
	if _, err := newHost(t.Context(), options{role: hostRole, minute: time.Minute, state: path}, new(locked)); err == nil ||
		!strings.Contains(err.Error(), "another process uses it") {
		t.Errorf("two hosts have one state: %v", err)
	}
	if _, err := newHost(t.Context(), options{role: hostRole, minute: time.Minute, credentials: exchangehttp.Credentials{Keys: path + "none"}},
		new(locked)); err == nil {
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

// What a proxy adds to the headers of a message, or changes in them where they are not signed,
// ends no client: only who has the key can.
func TestAlteredHeader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte("p 0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	keys := exchangehttp.Credentials{Keys: path}
	host, err := newHost(ctx, options{role: hostRole, credentials: keys, nodes: 2, minute: time.Minute}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	handler := host.secure.Handler(host.limit, host.mux())
	altered := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		altered++
		r.Header.Set("Parttime-Instance", "another")
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		r.Header.Set("User-Agent", "proxy")
		handler.ServeHTTP(w, r)
	}))
	defer s.Close()
	o := options{role: clientRole, credentials: keys, name: "p", host: s.URL, weight: 1, minute: time.Minute, url: "http://127.0.0.1:1"}
	c, err := newClient(ctx, o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	instance := c.state.Instance
	var none struct{}
	if err := exchangehttp.Post(ctx, c.http, s.URL+"/CreatePartition", map[string]any{"partition": "p", "weight": 1, "floor": 0, "url": o.url, "instance": instance}, &none); err != nil {
		t.Fatal(err)
	}
	_, msgs, err := c.state.Client.AddNodes(0, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	var answers []exchange.Message
	if err := exchangehttp.Post(ctx, c.http, s.URL+"/AddNodes", msgs[0], &answers); err != nil || len(answers) == 0 || altered != 2 {
		t.Errorf("%v, %d answers, %d altered", err, len(answers), altered)
	}
	msgs[0].Instance = "another"
	if err := exchangehttp.Post(ctx, c.http, s.URL+"/AddNodes", msgs[0], &answers); exchangehttp.Status(err) != http.StatusConflict {
		t.Errorf("of another client: %v", err)
	}
}

// An order is saved with what it does, and comes back with the state.
func TestTakenOrders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	log, _, _, err := open(path, hostRole, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	m, err := exchange.NewManager(exchange.ManagerOptions{}, []string{"", ""})
	if err != nil {
		t.Fatal(err)
	}
	s := &saved{Role: "host", Minute: time.Minute, Manager: m}
	w := newStore(path, log)
	if err := w.replace(s); err != nil {
		t.Fatal(err)
	}
	for _, o := range []takenOrder{{"admin", 7}, {"admin", 5}, {"a", 3}} {
		if err := w.order(s, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.CreatePartition("a", 1, 0); err != nil {
		t.Fatal(err)
	}
	pos, err := w.save(s, nil)
	if err = errors.Join(err, w.sync(pos)); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"admin": 7, "a": 3}
	got, err := load(path)
	if err != nil || !maps.Equal(got.Taken, want) || !maps.Equal(got.clone().Taken, want) {
		t.Errorf("%v, %v", got, err)
	}
	if err := w.replace(s); err != nil {
		t.Fatal(err)
	}
	if got, err = load(path); err != nil || !maps.Equal(got.Taken, want) {
		t.Errorf("of the snapshot: %v, %v", got, err)
	}
	log.Close()
}
