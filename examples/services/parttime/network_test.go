package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/certtest"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// until waits for something to be.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not in two minutes", what)
		}
	}
}

// A host and two clients with credentials of either kind exchange nodes as those without do.
func TestCredentials(t *testing.T) {
	ca := certtest.New(t)
	dir := t.TempDir()
	keys := func(name string) []string {
		lines := map[string]string{"a": "a " + strings.Repeat("k", 32), "b": "b " + strings.Repeat("m", 32), "admin": "admin " + strings.Repeat("n", 32)}
		text := lines[name]
		if name == "host" {
			text = lines["a"] + "\n" + lines["b"] + "\n" + lines["admin"]
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"-keys", path}
	}
	certificates := func(name string) []string {
		cert, key := ca.Issue(name, -time.Hour, time.Hour)
		return []string{"-cert", cert, "-key", key, "-ca", ca.CA}
	}
	for kind, flags := range map[string]func(name string) []string{"keys": keys, "certificates": certificates} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			const minute = 100 * time.Millisecond
			s := testStage(t, minute)
			start := func(name string, args ...string) *process {
				t.Helper()
				p, err := s.start(name, args...)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			host := start("host", append([]string{"host", "-kinds", "x*3,y+gpu", "-values", "1m"}, flags("host")...)...)
			if want := map[string]string{"keys": "http://", "certificates": "https://"}[kind]; !strings.HasPrefix(host.url, want) {
				t.Errorf("%s, want %s", host.url, want)
			}
			a := start("a", append([]string{"client", "-host", host.url, "-name", "a", "-add", "4"}, flags("a")...)...)
			admin, own := func(name string) exchangehttp.Credentials {
				f := flags(name)
				if kind == "keys" {
					return exchangehttp.Credentials{Keys: f[1]}
				}
				return exchangehttp.Credentials{Cert: f[1], Key: f[3], CA: f[5]}
			}, "b"
			secure, err := exchangehttp.NewSecurity(admin("admin"), "admin")
			if err != nil {
				t.Fatal(err)
			}
			var st status
			get := func() status {
				st = status{}
				if err := exchangehttp.Get(s.ctx, secure.Client("host"), host.url+"/Status", &st); err != nil {
					t.Fatal(err)
				}
				return st
			}
			until(t, "a has all", func() bool { return held(get(), "a") == 4 })
			b := start("b", append([]string{"client", "-host", host.url, "-name", "b", "-add", "1", "-kind", "+gpu"}, flags("b")...)...)
			mine, err := exchangehttp.NewSecurity(admin("a"), "a")
			if err != nil {
				t.Fatal(err)
			}
			until(t, "b has the node with the feature", func() bool {
				values := map[string]any{"values": []exchange.NodeValue{{Node: 3, Value: 0.5}}} // for which the host waits
				exchangehttp.Post(s.ctx, mine.Client("a"), a.url+"/framework/SetResourceValues", values, nil)
				return get().Nodes[3].Partition == "b"
			})
			framework, err := exchangehttp.NewSecurity(admin(own), own)
			if err != nil {
				t.Fatal(err)
			}
			call := func(name string, in, out any) error {
				return exchangehttp.Post(s.ctx, framework.Client("b"), b.url+"/framework/"+name, in, out)
			}
			until(t, "the host tells what there is by itself", func() bool {
				var told []exchange.Resource
				err := exchangehttp.Get(s.ctx, framework.Client("b"), b.url+"/framework/Resources", &told)
				return err == nil && len(told) == 4
			})
			// The framework asks what there is, asks for it, and thinks otherwise.
			var resources []exchange.Resource
			if err := call("DiscoverResources", struct{}{}, &resources); err != nil || len(resources) != 4 || !resources[3].Mine || resources[0].Kind != "x" {
				t.Fatalf("%+v, %v", resources, err)
			}
			var id struct {
				ID uint64 `json:"id"`
			}
			if err := call("AddNodes", map[string]any{"count": 1, "kind": "z"}, &id); err != nil {
				t.Fatal(err)
			}
			if err := call("Cancel", id, nil); err != nil {
				t.Fatal(err)
			}
			if err := call("Cancel", id, nil); exchangehttp.Status(err) != 404 {
				t.Errorf("cancelled twice: %v", err)
			}
			// Nobody but the framework may.
			err = exchangehttp.Post(s.ctx, framework.Client("a"), a.url+"/framework/AddNodes", map[string]any{"count": 1}, nil)
			if err == nil {
				t.Error("b speaks to a as its framework")
			}
			err = exchangehttp.Post(s.ctx, framework.Client("a"), a.url+"/NodesQueued", exchange.Message{Call: exchange.NodesQueued, Partition: "a"}, nil)
			if kind == "certificates" && (exchangehttp.Status(err) != 403 || !strings.Contains(err.Error(), `/NodesQueued is for the host, not for "b"`)) || err == nil {
				t.Errorf("b speaks to a as the host: %v", err)
			}
			order := func(path, body string) error {
				return exchangehttp.Post(s.ctx, secure.Client("host"), host.url+path, json.RawMessage(body), nil)
			}
			// Other shares, and a client that begins anew.
			if err := order("/SetShare", `{"partition":"b","weight":3,"floor":1}`); err != nil {
				t.Fatal(err)
			}
			if got := get().Parts["b"]; got.Weight != 3 || got.Floor != 1 {
				t.Errorf("%+v", got)
			}
			if err := order("/SetShare", `{"partition":"b","weight":1}`); err != nil {
				t.Fatal(err)
			}
			if err := call("Reset", struct{}{}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, "the lease of the client before runs out", func() bool { return get().Nodes[3].Partition == "" })
			if err := call("AddNodes", map[string]any{"count": 1}, &id); err != nil {
				t.Fatal(err)
			}
			until(t, "the new client is heard", func() bool { return held(get(), "b") == 1 })
			if err := order("/RemovePartition", `{"partition":"b","gone":true}`); err != nil {
				t.Fatal(err)
			}
			if _, there := get().Parts["b"]; there && held(st, "b") > 0 { // its client comes again, as a new partition
				t.Errorf("%+v", st)
			}
		})
	}
}

// The command of -provision runs on each node before its partition has the node. It may fail
// or hang; then the partition gets another node, and this one later.
func TestProvision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "install")
	text := `#!/bin/sh
echo "$PARTTIME_NODE $PARTTIME_PARTITION $PARTTIME_KIND" >>` + dir + `/log
case $PARTTIME_NODE in
0) printf 'no \033[31m disk\n' >&2; exit 3;;
1) sleep 60 & sleep 60;;
2) for i in 1 2 3 4 5 6 7 8; do echo a; echo b >&2; done; sleep 0.05;;
esac
`
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	var journal lockedWriter
	o := options{role: hostRole, nodes: 4, minute: 50 * time.Millisecond, state: filepath.Join(dir, "s"), provision: program,
		provisionTimeout: 2 * time.Second, provisionWait: time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	h, err := newHost(ctx, o, &journal)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { h.work(""); close(done) }()
	if _, err := h.create(struct {
		Partition string `json:"partition"`
		terms
	}{"hpc", terms{Weight: 1, URL: "http://127.0.0.1:1", Instance: "i"}}); err != nil {
		t.Fatal(err)
	}
	c, err := exchange.NewClient("hpc", exchange.ClientOptions{Instance: "i"})
	if err != nil {
		t.Fatal(err)
	}
	talk := func(msgs []exchange.Message) {
		for len(msgs) > 0 {
			msg := msgs[0].Clone()
			msgs = msgs[1:]
			out, err := h.step("hpc", func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Handle(now, msg) })
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range out {
				answers, err := c.Handle(h.clock.Now(), m)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range answers {
					msgs = append(msgs, a.Clone())
				}
			}
		}
	}
	_, msgs, err := c.AddNodes(h.clock.Now(), "", 2)
	if err != nil {
		t.Fatal(err)
	}
	talk(msgs)
	owners := func() string {
		h.mu.Lock()
		defer h.mu.Unlock()
		text := ""
		for _, a := range h.state.Manager.AppendAssignments(nil) {
			switch {
			case a.Unprepared:
				text += "?"
			case a.Partition != "":
				text += "h"
			default:
				text += "-"
			}
		}
		return text
	}
	if got := owners(); strings.Contains(got, "h") {
		t.Fatalf("granted before it is ready: %s", got)
	}
	until(t, "the two nodes that work are ready", func() bool { return owners() == "--hh" })
	if got := len(c.AppendNodes(nil, h.clock.Now())); got != 0 {
		t.Errorf("the client knows of %d nodes, and has not been told", got)
	}
	cancel()
	<-done
	h.store.close()
	if said := journal.String(); !strings.Contains(said, "cannot prepare node 0 for hpc: exit status 3: no ?[31m disk") ||
		!strings.Contains(said, "cannot prepare node 1 for hpc: it was ended after 2s") ||
		strings.Contains(said, "\x1b") {
		t.Errorf("the journal says:\n%s", said)
	}
	// What is ready stays so, and the command does not run again.
	ran, _ := os.ReadFile(filepath.Join(dir, "log"))
	old, err := load(o.state)
	if err != nil {
		t.Fatal(err)
	}
	if got := old.Manager.AppendUnprepared(nil); len(got) != 0 {
		t.Errorf("after a restart there are %+v to prepare", got)
	}
	if n := strings.Count(string(ran), "\n"); n != 4 {
		t.Errorf("the command ran %d times, want 4:\n%s", n, ran)
	}
}

// lockedWriter is a buffer for several goroutines.
type lockedWriter struct {
	b strings.Builder
}

func (w *lockedWriter) Write(p []byte) (int, error) { return w.b.Write(p) } // the journal has a lock

func (w *lockedWriter) String() string { return w.b.String() }
