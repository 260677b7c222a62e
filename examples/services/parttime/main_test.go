package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/statelog"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// asProgram makes the test binary the program itself.
const asProgram = "PARTTIME_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if os.Getenv(tied) != "" {
			go func() {
				io.Copy(io.Discard, os.Stdin)
				os.Exit(3)
			}()
		}
		main()
	}
	os.Setenv(asProgram, "1") // for the processes that tests start
	os.Exit(m.Run())
}

// runParttime runs the program in this process.
func runParttime(args ...string) (status int, stdout, stderr string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	status = run(ctx, args, &out, &errs)
	return status, out.String(), errs.String()
}

// What -h says is what there is.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"host", "-h"}, {"client", "-help"}} {
		status, stdout, stderr := runParttime(args...)
		if status != 0 || stdout != usage || stderr != "" {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
	programtest.Narrow(t, usage, 86)
	if n := strings.Count(usage, "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
	// Each flag stands under its role, or is one of those that a client shares with the host.
	_, text, _ := strings.Cut(usage, "Of the host")
	host, client, _ := strings.Cut(text, "Of a client")
	for role, section := range map[role]string{hostRole: host, clientRole: client} {
		o, flags := options{role: role}, cli.NewFlags(program)
		o.define(flags)
		flags.VisitAll(func(f *flag.Flag) {
			shared := role == clientRole && slices.Contains([]string{"listen", "state", "fsck", "minute", "cert", "key", "ca", "keys"}, f.Name)
			if !shared && !strings.Contains(section, "\n  -"+f.Name+" ") {
				t.Errorf("-h does not list -%s of role %d", f.Name, role)
			}
		})
		for _, line := range strings.Split(section, "\n") {
			if name, ok := strings.CutPrefix(line, "  -"); ok {
				name = strings.Fields(name)[0]
				name = strings.TrimSuffix(name, ",")
				if flags.Lookup(name) == nil && name != "h" {
					t.Errorf("-h lists -%s, which role %d does not have", name, role)
				}
			}
		}
	}
}

// The user's mistakes are told in a sentence, with exit status 2.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return programtest.Write(t, name, text) }
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a host that starts ends at once
	state := filepath.Join(dir, "host.json")
	if status := run(ctx, []string{"host", "-nodes", "3", "-state", state}, io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	broken, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	kinds := filepath.Join(dir, "kinds.json")
	if status := run(ctx, []string{"host", "-kinds", "a,b*2", "-state", kinds}, io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	one := filepath.Join(dir, "client.json")
	if status := run(ctx, []string{"client", "-host", "http://127.0.0.1:1", "-name", "x", "-state", one}, io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	client := func(more ...string) []string {
		return append([]string{"client", "-host", "http://127.0.0.1:1", "-name", "x"}, more...)
	}
	all := ""
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"host", "-every", "0s"}, "positive span"},
		{[]string{"host", "-max-age", "0s"}, "positive span"},
		{[]string{"host", "-max-delay", "0s"}, "positive span"},
		{[]string{"host", "-provision", ""}, "the name of a program"},
		{[]string{"host", "-provision-timeout", "0s"}, "positive span"},
		{[]string{"host", "-provision-wait", "0s"}, "positive span"},
		{[]string{"host", "-values", "-1s"}, "or 0 for none"},
		{[]string{"host", "-state", ""}, "the name of a file"},
		{[]string{"host", "-kinds", "a*x"}, `such as epyc+gpu*4,xeon*16, not "a*x"`},
		{[]string{"host", "-kinds", "a*60000,b*60000"}, "want at most 100000 nodes"},
		{[]string{"host", "-kinds", "a,b", "-nodes", "3"}, "-nodes 3 and -kinds with 2 nodes"},
		{[]string{"host", "-kinds", "a\n"}, "a"},
		{[]string{"host", "-minute", "999us"}, "want 1ms to 1h"},
		{[]string{"host", "-cert", state}, "want"},
		{[]string{"host", "-listen", "0.0.0.0:0"}, "loopback"},
		{[]string{"host", "-state", kinds, "-kinds", "a,b"}, "there are 3 nodes"},
		{[]string{"host", "-state", kinds, "-kinds", "a,b,c"}, `node 2 is of kind "b"`},
		{[]string{"host", "-state", kinds, "-kinds", "b,b*2"}, `node 0 is of kind "a"`},
		{[]string{"host", "-state", one}, "not the state of a host"},
		{[]string{"client", "-name", "x"}, "needs -host"},
		{client("-floor", "-1"), "whole number from 0"},
		{client("-add", "-1"), "whole number from 0"},
		{client("-url", ""), "the address at which"},
		{client("-kind", ""), "a kind of nodes"},
		{client("-state", one, "-every", "2m"), "it is 1m0s, and stays so"},
		{[]string{"client", "-host", "http://127.0.0.1:1", "-name", "y", "-state", one}, "is that of partition x"},
		{client("-host", "ftp://127.0.0.1:1"), "such as http://127.0.0.1:8080"},
		{client("-name", "admin"), "neither host nor admin"},
		{[]string{"host", "-x"}, "not defined: -x"},
		{[]string{"server"}, "want host or client"},
		{nil, "want host or client"},
		{[]string{"host", "-minute", "0s"}, "positive span"},
		{[]string{"host", "-minute", "2h"}, "want 1ms to 1h"},
		{[]string{"host", "x"}, `"x" is not a flag`},
		{[]string{"host", "-nodes", "0"}, "whole number from 1"},
		{[]string{"host", "-grace", "-1s"}, "positive span"},
		{[]string{"host", "-term", "0"}, "negative one for no end"},
		{[]string{"host", "-listen", "nowhere"}, "such as 127.0.0.1:8080"},
		{[]string{"host", "-listen", "127.0.0.1:99999"}, "cannot listen on -listen"},
		{[]string{"host", "-name", "x"}, "not defined: -name"},
		{[]string{"host", "-state", dir}, "cannot read -state"},
		{[]string{"host", "-state", filepath.Join(dir, "none", "x")}, "cannot save -state"},
		{[]string{"host", "-state", write("text", "text")}, "cannot read -state"},
		{[]string{"host", "-state", write("empty", "{}")}, "not a whole one"},
		{[]string{"host", "-state", write("bad", strings.Replace(string(broken), "AAAA", "AAAB", 1))}, "not a whole one"},
		{[]string{"host", "-state", state, "-nodes", "4"}, "is of 3 nodes"},
		{[]string{"host", "-state", state, "-minute", "1s"}, "a minute takes 1m0s"},
		{[]string{"host", "-nodes", "100001"}, "whole number from 1 to 100,000"},
		{[]string{"client"}, "needs -host"},
		{[]string{"client", "-host", "http://127.0.0.1:1"}, "-name"},
		{[]string{"client", "-host", "http://192.0.2.1:1", "-name", "x"}, "want a loopback address"},
		{[]string{"host", "-state", write("half", string(broken[:len(broken)/2]))}, "not a whole one"},
		{[]string{"client", "-host", "127.0.0.1:1", "-name", "x"}, "such as http://127.0.0.1:8080"},
		{[]string{"client", "-host", "http://127.0.0.1:1", "-name", ""}, "1 to 100 characters"},
		{[]string{"client", "-host", "http://127.0.0.1:1", "-name", "x", "-weight", "0"}, "whole number from 1"},
		{[]string{"client", "-host", "http://127.0.0.1:1", "-name", "x", "-state", state}, "not the state of a client"},
	} {
		status, stdout, stderr := runParttime(c.args...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %q, %q; want 2 and %q", c.args, status, stdout, stderr, c.want)
		}
		all += regexp.MustCompile(`[^ ,]*TestMistakes[^/]*/\d+(/|\b)`).ReplaceAllString(stderr, "")
	}
	programtest.Golden(t, "mistakes.txt", all) // each sentence whole
	// What is just within the limits is taken, and a client that has nothing to do but to end ends.
	for _, args := range [][]string{
		{"host", "-minute", "1ms"}, {"host", "-minute", "1h"}, {"host", "-values", "0"}, {"host", "-term", "-1s"}, {"host", "-state", kinds, "-nodes", "3"},
		{"host", "-state", kinds, "-kinds", "a,b,b"},
		client("-add", "1000000", "-floor", "1000000", "-weight", "1048576"), client("-state", one, "-every", "1m"),
	} {
		var errs bytes.Buffer
		if status := run(ctx, args, io.Discard, &errs); status != 0 {
			t.Errorf("%q: status %d, %s", args, status, errs.String())
		}
	}
}

// testHost is a host of three nodes and one partition, without a network to the clients.
func testHost(t *testing.T) *httptest.Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h, err := newHost(ctx, options{role: hostRole, nodes: 3, minute: time.Minute, state: filepath.Join(t.TempDir(), "s")}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h.secure.Handler(h.limit, h.mux()))
	t.Cleanup(func() {
		cancel()
		h.sender.Wait()
		s.Close()
	})
	return s
}

func send(t *testing.T, method, url, kind, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s %s answers with %q", method, url, got)
	}
	return resp.StatusCode, string(data)
}

// Each error is a sentence and a status, and what is right is answered.
func TestHTTP(t *testing.T) {
	s := testHost(t)
	const js = "application/json"
	for _, c := range []struct {
		method, path, kind, body string
		status                   int
		want                     string
	}{
		{"POST", "/CreatePartition", js, `{"partition":"hpc","weight":1,"floor":0,"url":"http://127.0.0.1:1"}`, 200, "{}"},
		{"POST", "/CreatePartition", js, `{"partition":"hpc","weight":1,"floor":0,"url":"http://127.0.0.1:2"}`, 200, "{}"},
		{"POST", "/CreatePartition", js, `{"partition":"hpc","weight":2,"floor":0,"url":"http://127.0.0.1:1"}`, 409, "has weight 1 and floor 0, not 2 and 0"},
		{"POST", "/CreatePartition", js, `{"partition":"","weight":1,"url":"http://127.0.0.1:1"}`, 422, "the name is empty: want a name"},
		{"POST", "/CreatePartition", js, `{"partition":"x","weight":1,"floor":4,"url":"http://127.0.0.1:1"}`, 422, "want 0 to 3"},
		{"POST", "/CreatePartition", js, `{"partition":"x","weight":1,"url":"file:///etc"}`, 422, "want an address such as"},
		{"GET", "/AddNodes", "", "", 405, "takes POST, not GET"},
		{"POST", "/Status", js, "{}", 405, "takes GET, not POST"},
		{"POST", "/Nothing", js, "{}", 404, "there is no /Nothing here"},
		{"POST", "/NodesAdded", js, "{}", 404, "there is no /NodesAdded here"},
		{"POST", "/AddNodes", "text/plain", "{}", 415, "want application/json"},
		{"POST", "/AddNodes", js, "{", 400, "not what is wanted"},
		{"POST", "/AddNodes", js, "{} {}", 400, "something follows"},
		{"POST", "/AddNodes", js, `{"call":"AddNodes","colour":"red"}`, 400, "colour"},
		{"POST", "/AddNodes", js, `{"call":"Steal"}`, 400, "want AddNodes, "},
		{"POST", "/AddNodes", js, `{"call":"DeleteNodes","partition":"hpc"}`, 400, "the body's call is DeleteNodes"},
		{"POST", "/AddNodes", js, `{"call":"AddNodes","partition":"` + strings.Repeat("x", exchangehttp.MaxBody) + `"}`, 413, "too large"},
		{"POST", "/AddNodes", js, `{"call":"AddNodes","partition":"x","number":1}`, 404, "want the name of a partition"},
		{"POST", "/AddNodes", js, `{"call":"AddNodes","partition":"hpc","number":1,"requests":[{"id":1,"count":0}]}`, 422, "positive number of nodes"},
		{"POST", "/AddNodes", js, `{"call":"AddNodes","partition":"hpc","number":1,"requests":[{"id":1,"count":2}]}`, 200, `"call":"NodesQueued"`},
		{"POST", "/SetResourceValues", js, `{"call":"SetResourceValues","partition":"hpc","number":2,"leases":[{"node":0,"epoch":1,"value":2}]}`, 422, "from 0 to 1"},
		{"POST", "/SetResourceValues", js, `{"call":"SetResourceValues","partition":"hpc","number":2,"leases":[{"node":0,"epoch":1},{"node":1,"epoch":1}]}`,
			200, `"call":"LeasesRenewed"`},
		{"POST", "/SetResourceValues", js, `{"call":"SetResourceValues","partition":"hpc","number":2}`, 200, "[]"},
		{"POST", "/Reclaim", js, `{"partition":"hpc","count":3}`, 422, "want at most 2"},
		{"POST", "/Reclaim", js, `{"partition":"x","count":1}`, 404, "want the name of a partition"},
		{"POST", "/Reclaim", js, `{"partition":"hpc","count":1}`, 200, "{}"},
		{"GET", "/Status", "", "", 200, `"url":"http://127.0.0.1:2"`},
		{"GET", "/Status", "", "", 200, `"ends_s":`},
		{"GET", "/Status", "", "", 200, `"waiting":0,"reclaim":0,"fresh":true`},
	} {
		status, answer := send(t, c.method, s.URL+c.path, c.kind, c.body)
		if len(c.body) > 200 {
			c.body = c.body[:200]
		}
		if status != c.status || !strings.Contains(answer, c.want) {
			t.Errorf("%s %s %s: %d %s; want %d, %q", c.method, c.path, c.body, status, answer, c.status, c.want)
		}
		var e map[string]string
		if status != 200 && (json.Unmarshal([]byte(answer), &e) != nil || len(e) != 1 || e["error"] == "") {
			t.Errorf("%s %s: the error is %s", c.method, c.path, answer)
		}
	}
}

// A state that cannot be saved is told, and no message about it is sent.
func TestNotSaved(t *testing.T) {
	dir := t.TempDir()
	_, err := newHost(t.Context(), options{role: hostRole, nodes: 3, minute: time.Minute, state: filepath.Join(dir, "s", "s")}, io.Discard)
	if err == nil {
		t.Fatal("there is no such folder")
	}
	if err := os.Mkdir(filepath.Join(dir, "s"), 0o777); err != nil {
		t.Fatal(err)
	}
	h, err := newHost(t.Context(), options{role: hostRole, nodes: 3, minute: time.Minute, state: filepath.Join(dir, "s", "s")}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.state.Manager.CreatePartition("hpc", 1, 0); err != nil {
		t.Fatal(err)
	}
	h.store.log = &fullDisk{disk: h.store.log, full: true}
	out, err := h.step("hpc", func(now time.Duration) ([]exchange.Message, error) {
		return h.state.Manager.Handle(now, exchange.Message{Call: exchange.AddNodes, Partition: "hpc", Number: 1, Requests: []exchange.Request{{ID: 1, Count: 1}}})
	})
	if err == nil || len(out) > 0 || exchangehttp.Status(err) != http.StatusInternalServerError {
		t.Errorf("%v, %v", out, err)
	}
}

// breakable is a host with the partition hpc, whose state can be kept from being saved and
// saved again. hpc holds all three nodes and has told no values.
func breakable(t *testing.T) (h *host, spoil, mend func()) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	h, err := newHost(t.Context(), options{role: hostRole, nodes: 3, minute: 10 * time.Millisecond, state: filepath.Join(dir, "s")}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.state.Manager.CreatePartition("hpc", 1, 0); err != nil {
		t.Fatal(err)
	}
	for _, msg := range []exchange.Message{
		{Call: exchange.AddNodes, Number: 1, Requests: []exchange.Request{{ID: 1, Count: 3}}},
		{Call: exchange.SetResourceValues, Number: 2, Age: -1, Leases: []exchange.Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}, {Node: 2, Epoch: 1}}},
	} {
		msg.Partition = "hpc"
		if _, err := h.step("hpc", func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Handle(now, msg) }); err != nil {
			t.Fatal(err)
		}
	}
	d := &fullDisk{disk: h.store.log}
	h.store.log = d
	full := func(full bool) func() {
		return func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			d.full = full
		}
	}
	return h, full(true), full(false)
}

// fullDisk is a disk that may be full.
type fullDisk struct {
	disk
	full bool
}

func (d *fullDisk) Append(record []byte) (int64, error) {
	if d.full {
		return 0, syscall.ENOSPC
	}
	return d.disk.Append(record)
}

func (d *fullDisk) Replace(state []byte) error {
	if d.full {
		return syscall.ENOSPC
	}
	return d.disk.Replace(state)
}

// A host that cannot save goes on to tick, and ends when it is to.
func TestTicksWithoutSaving(t *testing.T) {
	h, spoil, mend := breakable(t)
	if _, err := h.step("", func(now time.Duration) ([]exchange.Message, error) {
		if _, err := h.state.Manager.Handle(now, exchange.Message{Call: exchange.SetResourceValues, Partition: "hpc", Number: 3,
			Leases: []exchange.Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}, {Node: 2, Epoch: 1}}}); err != nil {
			return nil, err
		}
		return h.state.Manager.Reclaim(now, "hpc", 1)
	}); err != nil {
		t.Fatal(err)
	}
	spoil()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		h.ticks(ctx)
		close(ended)
	}()
	time.Sleep(100 * time.Millisecond) // ten notices are not sent
	mend()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		h.mu.Lock()
		over := h.state.Manager.AppendAssignments(nil)[0].Partition == ""
		h.mu.Unlock()
		if over {
			break
		}
		if time.Since(start) > 10*time.Second {
			t.Fatal("the node is never taken")
		}
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

// What an administrator takes is on disk when that is answered, and is not taken twice if it
// had to be asked for twice.
func TestReclaimSaved(t *testing.T) {
	h, spoil, mend := breakable(t)
	s := httptest.NewServer(h.secure.Handler(h.limit, h.mux()))
	defer s.Close()
	take := func() int {
		status, answer := send(t, "POST", s.URL+"/Reclaim", "application/json", `{"partition":"hpc","count":2}`)
		if n := strings.Count(answer, "cannot save"); status != 200 && n != 1 {
			t.Errorf("it says %s", answer)
		}
		return status
	}
	spoil()
	for range 3 {
		if got := take(); got != 500 {
			t.Errorf("status %d, want 500", got)
		}
		h.store.tried = time.Time{}
	}
	mend()
	h.store.tried = time.Time{} // it would try again after a second
	if got := take(); got != 200 {
		t.Errorf("status %d, want 200", got)
	}
	old, err := load(h.store.path)
	if err != nil || old == nil {
		t.Fatal(err)
	}
	if got := old.Manager.AppendPartitions(nil)[0].Reclaim; got != 2 {
		t.Errorf("%d nodes to reclaim are saved, want 2", got)
	}
}

// An order that cannot be saved is undone by itself: what was saved before it stays.
func TestUndoneAlone(t *testing.T) {
	h, spoil, _ := breakable(t)
	order := struct {
		Partition string `json:"partition"`
		terms
	}{"htc", terms{Weight: 2, URL: "http://127.0.0.1:9"}}
	if _, err := h.create(order); err != nil {
		t.Fatal(err)
	}
	spoil()
	s := httptest.NewServer(h.secure.Handler(h.limit, h.mux()))
	defer s.Close()
	if status, answer := send(t, "POST", s.URL+"/Reclaim", "application/json", `{"partition":"hpc","count":1}`); status != 500 {
		t.Errorf("%d %s", status, answer)
	}
	for path, body := range map[string]string{"/SetShare": `{"partition":"htc","weight":5}`, "/RemovePartition": `{"partition":"htc"}`,
		"/CreatePartition": `{"partition":"new","weight":1,"url":"http://127.0.0.1:9"}`} {
		if status, answer := send(t, "POST", s.URL+path, "application/json", body); status != 500 {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if diff := cmp.Diff(map[string]terms{"htc": order.terms}, h.state.Partitions); diff != "" || len(h.state.Removed) > 0 {
		t.Errorf("the partitions (-want +got):\n%s", diff)
	}
}

// What stands at the end of the log and is not a whole change is left out, and that is said.
func TestTornLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status := run(ctx, []string{"host", "-nodes", "3", "-state", path}, io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	logs, err := filepath.Glob(path + "?*")
	logs = slices.DeleteFunc(logs, func(name string) bool { return !strings.Contains(filepath.Base(name), "log") })
	if err != nil || len(logs) != 1 {
		t.Fatalf("%q, %v", logs, err)
	}
	f, err := os.OpenFile(logs[0], os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("torn!")
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, torn := range []bool{true, false} { // what follows is in another log
		var errs bytes.Buffer
		if status := run(ctx, []string{"host", "-nodes", "3", "-state", path}, io.Discard, &errs); status != 0 ||
			torn != strings.Contains(errs.String(), "leaves out 5 bytes at the end of the log of -state, a change that was not saved whole\n") {
			t.Errorf("start %d: status %d, %s", i, status, errs.String())
		}
	}
}

// fullPipe is an output that takes nothing.
type fullPipe struct{}

func (fullPipe) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

// Who cannot say where it listens ends, and says why.
func TestNobodyReads(t *testing.T) {
	for _, args := range [][]string{{"host", "-nodes", "3"}, {"client", "-host", "http://127.0.0.1:1", "-name", "x"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		var errs bytes.Buffer
		if status := run(ctx, args, fullPipe{}, &errs); status == 0 || ctx.Err() != nil || !strings.Contains(errs.String(), "nobody reads") {
			t.Errorf("%q: status %d, %s", args, status, errs.String())
		}
		cancel()
	}
}

// Two processes do not have one state, and the second one changes nothing.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.json")
	log, _, err := statelog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	alone, err := filelock.Exclude(f)
	f.Close()
	if alone || err != nil {
		t.Skip("this system has no such locks")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"host", "-state", path}, {"client", "-host", "http://127.0.0.1:1", "-name", "x", "-state", path}} {
		var errs bytes.Buffer
		if status := run(ctx, args, io.Discard, &errs); status != 2 || !strings.Contains(errs.String(), "another process uses it") {
			t.Errorf("%q: status %d, %s", args, status, errs.String())
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it is written nevertheless")
	}
	log.Close()
	if status := run(ctx, []string{"host", "-state", path}, io.Discard, io.Discard); status != 0 {
		t.Errorf("status %d when it is free", status)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{path, path + ".1.log", path + ".lock"}, files); diff != "" {
		t.Errorf("files left (-want +got):\n%s", diff)
	}
}

// A partition's second client is refused while the first one answers, and has its place when
// it does not; then what the first one still says is refused.
func TestSecondClient(t *testing.T) {
	s := testHost(t)
	one := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exchangehttp.Reply(w, 200, exchangehttp.Holdings{Instance: "one"})
	}))
	defer one.Close()
	create := func(instance, url string) int {
		status, _ := send(t, "POST", s.URL+"/CreatePartition", "application/json",
			`{"partition":"h/c","weight":1,"url":"`+url+`","instance":"`+instance+`"}`)
		return status
	}
	say := func(instance string) int {
		var answers []exchange.Message
		err := exchangehttp.Post(t.Context(), http.DefaultClient, s.URL+"/AddNodes",
			exchange.Message{Call: exchange.AddNodes, Partition: "h/c", Instance: instance, Number: 1}, &answers)
		if err != nil {
			return exchangehttp.Status(err)
		}
		return 200
	}
	got := []int{create("one", one.URL), create("one", one.URL), say("one"), create("two", "http://127.0.0.1:1"), say("two"), say("one")}
	one.Close()
	got = append(got, create("two", "http://127.0.0.1:1"), say("one"), say("two"))
	if diff := cmp.Diff([]int{200, 200, 200, 409, 409, 200, 200, 409, 200}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// An answer that is cut off is not taken for one that makes no sense.
func TestLargeAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(bytes.Repeat([]byte(" "), exchangehttp.MaxBody+1))
	}))
	defer s.Close()
	var v any
	if err := exchangehttp.Get(t.Context(), http.DefaultClient, s.URL, &v); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v", err)
	}
}

// The state's -every stays.
func TestEvery(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	args := []string{"client", "-host", "http://127.0.0.1:1", "-name", "x", "-state", filepath.Join(t.TempDir(), "s")}
	for _, c := range []struct {
		every  string
		status int
	}{{"30s", 0}, {"30s", 0}, {"1m", 2}} {
		var errs bytes.Buffer
		if status := run(ctx, append(args, "-every", c.every), io.Discard, &errs); status != c.status {
			t.Errorf("-every %s: status %d, %s", c.every, status, errs.String())
		}
	}
}

func TestNodeList(t *testing.T) {
	for _, c := range []struct {
		nodes []int
		want  string
	}{
		{[]int{3}, "node 3"},
		{[]int{4, 3}, "nodes 3 and 4"},
		{[]int{0, 1, 2}, "nodes 0-2"},
		{[]int{5, 0, 1, 2}, "nodes 0-2 and 5"},
		{[]int{7, 8, 0, 1, 2, 4, 11, 10, 12}, "nodes 0-2, 4, 7, 8 and 10-12"},
	} {
		if diff := cmp.Diff(c.want, nodeList(c.nodes)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.nodes, diff)
		}
	}
}

// The clock goes on while the process is down, and never back.
func TestClock(t *testing.T) {
	origin := time.Now().Add(-time.Second)
	const scale = 600 // a minute takes 100 ms
	c := newClock(origin, 100*time.Millisecond, 0)
	least := time.Since(origin) * scale
	if now, most := c.Now(), time.Since(origin)*scale; now < least-time.Minute || now > most+time.Minute {
		t.Errorf("the clock shows %v, want %v to %v", now, least, most)
	}
	begin := time.Now()
	if c := newClock(origin, 100*time.Millisecond, time.Hour); c.Now() < time.Hour || c.Now() > time.Hour+time.Since(begin)*scale+time.Minute {
		t.Errorf("the clock goes back to %v, or on beyond an hour", c.Now())
	}
	if d := c.Unscaled(time.Minute); d != 100*time.Millisecond {
		t.Errorf("a minute takes %v", d)
	}
}
