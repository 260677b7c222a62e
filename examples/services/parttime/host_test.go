package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// The host's journal says that it waits for values, and that it has waited in vain. It says
// which nodes are being prepared, which a partition may keep after all, and which leases the
// host never gave.
func TestJournalOfDelays(t *testing.T) {
	k := newTalk(t, 2, exchange.ManagerOptions{Grace: 5 * time.Minute, Term: -1, MaxAge: 5 * time.Minute, MaxDelay: 5 * time.Minute}, "a", "b")
	add := func(name string, n int) func() ([]exchange.Message, error) {
		return func() ([]exchange.Message, error) {
			_, msgs, err := k.clients[name].state.Client.AddNodes(k.now, "", n)
			return msgs, err
		}
	}
	host := func() ([]exchange.Message, error) { return k.host.state.Manager.Tick(k.now), nil }
	cancel := func() ([]exchange.Message, error) {
		c := k.clients["b"].state.Client
		return c.Cancel(k.now, c.AppendRequests(nil)[0].ID)
	}
	k.want(k.at(0, add("a", 2)), "host: grants nodes 0 and 1 to a", "a: asks for 2 nodes", "a: has nodes 0 and 1")
	k.want(k.at(30*time.Minute, add("b", 1)), "host: waits for the values of a", "b: asks for a node")
	k.want(k.at(32*time.Minute, host))
	k.want(k.at(36*time.Minute, host), "host: does not take nodes from a before there are new values")
	k.want(k.at(37*time.Minute, host))
	values := func() ([]exchange.Message, error) {
		return k.clients["a"].state.Client.SetResourceValues(k.now, []exchange.NodeValue{{Node: 0}, {Node: 1, Value: .5}})
	}
	k.want(k.at(38*time.Minute, values), "host: notifies a that it takes node 0", "a: is to give back node 0 within 5.0 minutes")
	k.want(k.at(39*time.Minute, cancel), "host: lets a keep node 0", "a: may keep node 0")
	k.want(k.at(80*time.Minute, add("b", 1)), "host: waits for the values of a", "b: asks for a node")
	k.want(k.at(81*time.Minute, values), "host: notifies a that it takes node 0", "a: is to give back node 0 within 5.0 minutes")
	var said []string
	for m := 82; m <= 90; m++ {
		said = append(said, k.at(time.Duration(m)*time.Minute, k.tick)...)
	}
	k.want(slices.Compact(said), "host: notifies a that it takes node 0", "host: a gives back node 0 within the grace period", "host: grants node 0 to b",
		"a: gives back node 0", "b: has node 0")

	k.mute["a"] = true // what the host answers is for somebody else
	number := uint64(1000)
	forged := func() ([]exchange.Message, error) {
		number++
		return k.host.state.Manager.Handle(k.now, exchange.Message{Call: exchange.SetResourceValues, Partition: "a", Number: number,
			Leases: []exchange.Lease{{Node: 0, Epoch: 98}, {Node: 1, Epoch: 99}}})
	}
	text := strings.Join(k.at(91*time.Minute, forged), "\n")
	if !strings.Contains(text, "host: reads of 2 leases that it never gave: a message is forged, or -state is an old one") {
		t.Errorf("the journal says %s", text)
	}
	k.host.told = time.Now().Add(time.Minute) // once a second
	if text := strings.Join(k.at(91*time.Minute, forged), "\n"); strings.Contains(text, "never gave") {
		t.Errorf("the journal says %s", text)
	}
	k.host.told = time.Time{}
	if text := strings.Join(k.at(91*time.Minute, forged), "\n"); !strings.Contains(text, "host: reads of 4 leases that it never gave") {
		t.Errorf("the journal says %s", text)
	}
}

// A node that is being prepared is granted when it is ready.
func TestJournalOfPreparation(t *testing.T) {
	k := newTalk(t, 3, exchange.ManagerOptions{Prepare: true}, "a")
	k.want(k.at(0, func() ([]exchange.Message, error) {
		_, msgs, err := k.clients["a"].state.Client.AddNodes(0, "", 2)
		return msgs, err
	}), "host: prepares nodes 0 and 1 for a", "a: asks for 2 nodes")
	prepared := func() ([]exchange.Message, error) { return k.host.state.Manager.Prepared(k.now, 0, 1) }
	k.want(k.at(time.Minute, prepared), "host: grants node 0 to a", "a: has node 0")
	failed := func() ([]exchange.Message, error) {
		return k.host.state.Manager.PrepareFailed(k.now, 1, 1, time.Hour)
	}
	k.want(k.at(2*time.Minute, failed), "host: a gives back node 1", "host: prepares node 2 for a")
}

// calm returns a host of three nodes without a network to its clients, and its server.
func calm(t *testing.T, o options) (h *host, journal *locked, ask func(method, path, body string) string) {
	t.Helper()
	o.role, o.nodes, o.minute = hostRole, 3, time.Minute
	journal = new(locked)
	h, err := newHost(t.Context(), o, journal)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h.secure.Handler(h.limit, h.mux()))
	t.Cleanup(func() {
		h.stop()
		h.sender.Wait()
		s.Close()
		h.store.close()
	})
	return h, journal, func(method, path, body string) string {
		status, answer := send(t, method, s.URL+path, "application/json", body)
		return fmt.Sprintf("%d %s", status, strings.TrimSpace(answer))
	}
}

// What an administrator and clients are answered, whole, and what the journal says of it.
func TestAnswers(t *testing.T) {
	_, journal, ask := calm(t, options{state: filepath.Join(t.TempDir(), "s")})
	const url = `"url":"http://127.0.0.1:1"`
	text := ""
	for _, row := range []string{
		`CreatePartition {"partition":"a","weight":1,"floor":1,` + url + `}`,
		`CreatePartition {"partition":"a","weight":1,"floor":2,` + url + `}`,
		`CreatePartition {"partition":"a","weight":2,"floor":1,` + url + `}`,
		`CreatePartition {"partition":"a","weight":1,"floor":1,"url":"http://127.0.0.1:2","instance":"i"}`,
		`CreatePartition {"partition":"host","weight":1,` + url + `}`,
		`CreatePartition {"partition":"admin","weight":1,` + url + `}`,
		`CreatePartition {"partition":"b\u0007","weight":1,` + url + `}`,
		`CreatePartition {"partition":"b","weight":1,` + url + `,"instance":"\u0007"}`,
		`CreatePartition {"partition":"b","weight":0,` + url + `}`,
		`CreatePartition {"partition":"b","weight":1,"floor":4,` + url + `}`,
		`CreatePartition {"partition":"b","weight":1,"url":"http://192.0.2.1:1"}`,
		`CreatePartition {"partition":"b","weight":1,"fixed":true,` + url + `}`,
		`CreatePartition {"partition":"b","weight":2,` + url + `}`,
		`AddNodes {"call":"AddNodes","partition":"a","number":1}`,
		`AddNodes {"call":"AddNodes","partition":"c","number":1}`,
		`Reclaim {"partition":"a","count":1}`, `Reclaim {"partition":"c","count":1}`, `Reclaim {"partition":"b","count":0}`,
		`SetShare {"partition":"c","weight":1}`, `SetShare {"partition":"b","weight":0}`, `SetShare {"partition":"b","weight":5,"floor":2}`,
		`CreatePartition {"partition":"b","weight":2,` + url + `}`,
		`Fence {"node":0,"epoch":1}`, `Fence {"node":3,"epoch":1}`,
		`RemovePartition {"partition":"c"}`, `RemovePartition {"partition":"a","gone":true}`,
		`CreatePartition {"partition":"a","weight":1,"floor":1,` + url + `,"instance":"i"}`,
		`CreatePartition {"partition":"a","weight":1,"floor":1,` + url + `,"instance":"j"}`,
		`RemovePartition {"partition":"b","colour":"red"}`,
	} {
		path, body, _ := strings.Cut(row, " ")
		text += row + "\n  " + ask("POST", "/"+path, body) + "\n"
	}
	text += "The journal:\n  " + strings.Join(lines(journal.String()), "\n  ") + "\n"
	programtest.Golden(t, "answers.txt", text)
}

// The status of a host, by hand: three nodes, of which a has two, one of them taken, and a
// partition that waits for one.
func TestStatus(t *testing.T) {
	k := newTalk(t, 2, exchange.ManagerOptions{Grace: 5 * time.Minute, Term: -1}, "a", "b")
	k.host.state.Partitions = map[string]terms{"a": {Weight: 1, URL: "u", Fixed: true}}
	for _, c := range []struct {
		name string
		n    int
	}{{"a", 2}, {"b", 1}} {
		k.at(0, k.tick)
		k.at(0, func() ([]exchange.Message, error) {
			_, msgs, err := k.clients[c.name].state.Client.AddNodes(0, "", c.n)
			return msgs, err
		})
	}
	k.at(time.Minute, k.tick)
	if _, err := k.host.state.Manager.RemovePartition(k.now, "b", true); err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(k.host.status(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	programtest.Golden(t, "status.json", string(data)+"\n")
}

// Only a partition speaks for itself, and only the administrator gives orders. A host whose
// own state has changed meanwhile has its partition come again.
func TestWhoSpeaks(t *testing.T) {
	h, _, ask := calm(t, options{})
	if got := ask("POST", "/CreatePartition", `{"partition":"a","weight":1,"url":"http://127.0.0.1:1"}`); got != "200 {}" {
		t.Fatal(got)
	}
	// A queue without a client is no harm, and messages beyond its room are lost.
	h.queue(exchange.Message{Partition: "nobody"})
	if a := h.to("a"); a == nil || a != h.to("a") || h.to("b") == nil {
		t.Error("two clients talk to one partition")
	}
	if got, want := h.limit(), int64(1<<16+3*256); got != want {
		t.Errorf("a message may have %d bytes, want %d", got, want)
	}
	// What a client of a partition answers is handled, in the name of the partition alone.
	var answers []exchange.Message
	asked := make(chan string, 9)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offer(asked, r.URL.Path) // each answer makes the host ask again
		exchangehttp.Reply(w, 200, answers)
	}))
	defer s.Close()
	h.state.Partitions["a"] = terms{Weight: 1, URL: s.URL}
	journal := new(locked)
	h.log.w = journal
	answers = []exchange.Message{{Call: exchange.AddNodes, Partition: "b"}, {Call: exchange.AddNodes, Partition: "c"}}
	h.send("a", exchange.Message{Call: exchange.NodesAdded, Partition: "a"})
	h.send("nobody", exchange.Message{Call: exchange.NodesAdded, Partition: "nobody"})
	answers = []exchange.Message{{Call: exchange.AddNodes, Partition: "a", Number: 5, Requests: []exchange.Request{{ID: 1, Count: 2}}}}
	h.send("a", exchange.Message{Call: exchange.NodesAdded, Partition: "a"})
	if diff := cmp.Diff([]string{`does not understand a: a message of "b"`, "grants nodes 0 and 1 to a"}, lines(journal.String())); diff != "" {
		t.Errorf("the journal (-want +got):\n%s", diff)
	}
	if len(asked) < 2 || <-asked != "/NodesAdded" {
		t.Error("the client is not asked")
	}
	// The client answers, but is another one by now.
	if h.alive("a", terms{URL: s.URL, Instance: "i"}) || h.alive("a", terms{URL: "http://127.0.0.1:1"}) {
		t.Error("a client that is not there is alive")
	}
}

// What the manager hears of a prepared node it hears once, though the node was ready before.
func TestOutcomeIsToldOnce(t *testing.T) {
	h, err := newHost(t.Context(), options{role: hostRole, nodes: 2, minute: time.Minute}, new(locked))
	if err != nil {
		t.Fatal(err)
	}
	m, now := h.state.Manager, time.Hour
	if err := m.CreatePartition("x", 1, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := m.ResetClient(now, "x", "i", false); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Handle(now, exchange.Message{Call: exchange.AddNodes, Partition: "x", Instance: "i", Number: 1,
		Requests: []exchange.Request{{ID: 1, Count: 1}}}); err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{})
	leases := 0
	go func() {
		defer close(told)
		for _, a := range m.AppendAssignments(nil) {
			if a.Partition == "x" {
				leases++
				h.outcome(exchange.Assignment{Node: a.Node, Partition: "x", Epoch: a.Epoch}, nil, "")
				h.outcome(exchange.Assignment{Node: a.Node, Partition: "x", Epoch: a.Epoch}, errTorn, "no disk")
			}
		}
	}()
	select {
	case <-told:
	case <-time.After(20 * time.Second):
		t.Fatal("the host tells it again and again")
	}
	if leases != 1 {
		t.Errorf("%d leases, want 1", leases)
	}
}
