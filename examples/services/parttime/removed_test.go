package main

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/internal/statelog"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// What an administrator says of a partition holds whatever its client says, also after a
// restart of both: the shares, and that the partition is removed.
func TestOrdersHold(t *testing.T) {
	o := options{role: hostRole, nodes: 4, minute: time.Second, state: filepath.Join(t.TempDir(), "s")}
	start := func() *host {
		h, err := newHost(t.Context(), o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	register := func(h *host, instance string) error {
		_, err := h.create(struct {
			Partition string `json:"partition"`
			terms
		}{"hpc", terms{Weight: 1, URL: "http://127.0.0.1:9", Instance: instance, Fixed: true}})
		return err
	}
	order := func(h *host, name string, in order) {
		t.Helper()
		_, take := h.orders()[name](in)
		if err := h.change(true, take, h.queue); err != nil {
			t.Fatal(err)
		}
	}
	h := start()
	if err := register(h, "a\n"); exchangehttp.Status(err) != 422 { // and leaves nothing behind
		t.Errorf("an instance that is not printable: %v", err)
	}
	if err := register(h, "a"); err != nil {
		t.Fatal(err)
	}
	if h.state.Partitions["hpc"].Fixed {
		t.Error("a client has fixed its own terms")
	}
	order(h, "SetShare", share("hpc", 2, 1))
	h.store.close()
	h = start()
	if err := register(h, "a"); err != nil {
		t.Error("after other shares: ", err)
	}
	if got := h.status().Parts["hpc"]; got.Weight != 2 || got.Floor != 1 {
		t.Errorf("the client has undone the shares: %+v", got)
	}
	order(h, "RemovePartition", share("hpc", 0, 0))
	for range 2 {
		if err := register(h, "a"); exchangehttp.Status(err) != 410 {
			t.Errorf("the client of a partition that was removed comes back: %v", err)
		}
		h.store.close()
		h = start() // from the log, and then from the snapshot that start made
	}
	if err := register(h, "b"); err != nil {
		t.Error("a new client: ", err)
	}
	h.store.close()
}

func share(partition string, weight, floor int) order {
	return order{Partition: partition, Weight: weight, Floor: floor}
}

var errTorn = errors.New("no space")

// tornDisk fails from the n-th write on.
type tornDisk struct {
	disk
	n int
}

func (d *tornDisk) Append(record []byte) (int64, error) {
	if d.n--; d.n < 0 {
		return 0, errTorn
	}
	return d.disk.Append(record)
}

func (d *tornDisk) Replace([]byte) error { return errTorn }

// A host that is killed when its disk has filled knows all of a new partition or nothing, and
// its errors stay short however often it tries.
func TestDiskFillsAtPartition(t *testing.T) {
	for n := range 3 {
		o := options{role: hostRole, nodes: 4, minute: time.Second, state: filepath.Join(t.TempDir(), "s")}
		h, err := newHost(t.Context(), o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		h.store.log = &tornDisk{h.store.log, n}
		in := struct {
			Partition string `json:"partition"`
			terms
		}{"hpc", terms{Weight: 1, URL: "http://127.0.0.1:9", Instance: "a"}}
		for range 50 {
			if _, err = h.create(in); err != nil && strings.Count(err.Error(), "cannot save") > 1 {
				t.Fatalf("%v", err)
			}
			h.store.tried = time.Time{}
		}
		h.store.close()
		if h, err = newHost(t.Context(), o, io.Discard); err != nil {
			t.Fatal(err)
		}
		if _, err := h.create(in); err != nil {
			t.Error(err)
		}
		msg := exchange.Message{Call: exchange.AddNodes, Partition: "hpc", Instance: "a", Number: 1, Requests: []exchange.Request{{ID: 1, Count: 1}}}
		if _, err := h.step("hpc", func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Handle(now, msg) }); err != nil {
			t.Errorf("after %d writes: %v", n, err)
		}
		h.store.close()
	}
}

// Records of earlier versions, which had terms and changes apart, are still read.
func TestTermsApart(t *testing.T) {
	text, err := json.Marshal(namedTerms{Name: "hpc", Terms: &terms{Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := exchange.NewManager(exchange.ManagerOptions{}, make([]string, 2))
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := json.Marshal(saved{Role: "host", Manager: m})
	if err != nil {
		t.Fatal(err)
	}
	m.ChangesSaved()
	if err := m.CreatePartition("hpc", 1, 0); err != nil {
		t.Fatal(err)
	}
	records := [][]byte{append([]byte{recordTerms}, text...), m.AppendChanges([]byte{recordManager})}
	got, err := restore(&statelog.State{Snapshot: snapshot, Records: records})
	if err != nil || got.Partitions["hpc"].Weight != 1 || len(got.Manager.AppendPartitions(nil)) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
