package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A host of 100,000 nodes whose partition has all of them and gives five back is killed. One bit
// of the first, long record of its log is flipped. The host begun again would give the five
// nodes away with the epochs that they have: it does not begin, and says why.
func TestFlippedBitOfLargeHost(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	const nodes = 100_000
	log, _, _, err := open(path, hostRole, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	m, err := exchange.NewManager(exchange.ManagerOptions{Term: -1}, make([]string, nodes))
	if err != nil {
		t.Fatal(err)
	}
	s := &saved{Role: "host", Minute: time.Minute, Manager: m, Partitions: map[string]terms{}, Removed: map[string]string{}}
	w := newStore(path, log)
	if err := w.replace(s); err != nil {
		t.Fatal(err)
	}
	save := func(terms string) {
		t.Helper()
		var text []byte
		if terms != "" {
			text = []byte(terms)
		}
		pos, err := w.save(s, text)
		if err == nil {
			err = w.sync(pos)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.CreatePartition("a", 1, 0); err != nil {
		t.Fatal(err)
	}
	save(`{"name":"a","terms":{"weight":1}}`)
	c, err := exchange.NewClient("a", exchange.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	talk := func(msgs []exchange.Message, err error) {
		t.Helper()
		for _, msg := range msgs {
			answers, err := m.Handle(time.Second, msg.Clone())
			if err != nil {
				t.Fatal(err)
			}
			var out []exchange.Message
			for _, a := range answers {
				out = append(out, a.Clone())
			}
			save("")
			for _, a := range out {
				if _, err := c.Handle(time.Second, a); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, msgs, err := c.AddNodes(time.Second, "", nodes)
	talk(msgs, err)
	first, err := os.ReadFile(path + ".1.log")
	if err != nil || len(first) < 2<<20 {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	var five []int
	for _, n := range c.AppendNodes(nil, time.Second)[:5] {
		five = append(five, n.Node)
	}
	msgs, err = c.DeleteNodes(time.Second, five...)
	talk(msgs, err)
	log.Close() // as when it is killed: all was synced

	whole, _ := os.ReadFile(path + ".1.log")
	check := func(want int, says string) {
		t.Helper()
		var out, errs bytes.Buffer
		if status := run(t.Context(), []string{"host", "-fsck", "-state", path}, &out, &errs); status != want || !strings.Contains(out.String()+errs.String(), says) {
			t.Errorf("-fsck: status %d, %s%s", status, out.String(), errs.String())
		}
	}
	check(0, "is whole: a host with 100000 nodes, 3 records")
	for _, at := range []int{1 << 20, len(first) - 1, len(first) - 1<<20, len(whole) - 1} {
		bad := bytes.Clone(whole)
		bad[at] ^= 1
		if err := os.WriteFile(path+".1.log", bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if log, old, _, err := open(path, hostRole, time.Minute); err == nil || !strings.Contains(err.Error(), "it is damaged at byte") {
			log.Close()
			t.Errorf("byte %d: %v, %d nodes", at, err, old.Manager.Nodes())
		}
		check(1, "it is damaged at byte")
	}
	os.Remove(path + ".1.log")
	check(1, "its log state.1.log is missing: want both files, or neither")
}
