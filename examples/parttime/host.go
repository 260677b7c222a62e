package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// host is the hosting cluster: the manager, and for each partition a queue of messages for
// its client.
type host struct {
	*peer
	sender sync.WaitGroup
	before []exchange.Assignment // as the journal has told
	parts  []exchange.PartitionStatus
	queues map[string]chan exchange.Message
}

// queueLength bounds the messages that wait for one peer. A message that does not fit is
// lost, and the exchange repeats it.
const queueLength = 64

// newHost loads or makes the state.
func newHost(ctx context.Context, o options, stderr io.Writer) (*host, error) {
	p, err := newPeer(ctx, o)
	if err != nil {
		return nil, err
	}
	h := &host{peer: p, queues: map[string]chan exchange.Message{}}
	h.tell = h.note
	if h.again {
		nodes := len(h.state.Manager.AppendAssignments(nil))
		if o.nodes != 0 && o.nodes != nodes {
			return nil, cli.Mistakef("-nodes %d: -state %s is of %d nodes", o.nodes, o.state, nodes)
		}
		err = h.state.Manager.SetOptions(o.manager)
	} else {
		if o.nodes == 0 {
			o.nodes = defaultNodes
		}
		h.state.Manager, err = exchange.NewManager(o.manager, make([]string, o.nodes))
	}
	if err != nil {
		return nil, cli.Mistakef("%v", err)
	}
	if h.state.Partitions == nil {
		h.state.Partitions = map[string]terms{}
	}
	if err := h.begin(h.state.Manager.Now(), stderr); err != nil {
		return nil, err
	}
	h.before = h.state.Manager.AppendAssignments(nil)
	h.parts = h.state.Manager.AppendPartitions(nil)
	return h, nil
}

func (h *host) base() *peer { return h.peer }

// work sends messages and ticks until the host ends.
func (h *host) work(string) {
	h.mu.Lock()
	for name := range h.state.Partitions {
		h.open(name)
	}
	h.mu.Unlock()
	h.ticks(h.ctx)
	h.mu.Lock() // a call that has just opened a sender has counted it
	//lint:ignore SA2001 the lock waits for that call, and protects nothing
	h.mu.Unlock()
	h.sender.Wait()
}

// ticks tells the manager the time until ctx is done.
func (h *host) ticks(ctx context.Context) {
	h.tick(ctx, h.state.Manager.NextTick, func() {
		h.step("", func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Tick(now), nil })
	})
}

// mux is what the host answers.
func (h *host) mux() *http.ServeMux {
	mux := exchangehttp.NewMux()
	exchangehttp.Calls(mux, exchange.AddNodes, exchange.AcknowledgeDelete, h.known, func(msg exchange.Message) ([]exchange.Message, error) {
		return h.step(msg.Partition, func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Handle(now, msg) })
	})
	mux.HandleFunc("/CreatePartition", exchangehttp.Endpoint(http.MethodPost, h.create))
	mux.HandleFunc("/Reclaim", exchangehttp.Endpoint(http.MethodPost, func(in struct {
		Partition string `json:"partition"`
		Count     int    `json:"count"`
	}) (struct{}, error) {
		err := h.change(true, func(now time.Duration) ([]exchange.Message, error) {
			return h.state.Manager.Reclaim(now, in.Partition, in.Count)
		}, h.queue)
		if err == nil {
			h.log.printf("an administrator takes %s from %s", nodesText(in.Count), in.Partition)
		}
		return struct{}{}, err
	}))
	mux.HandleFunc("/Status", exchangehttp.Endpoint(http.MethodGet, func(struct{}) (status, error) { return h.status(), nil }))
	return mux
}

// known refuses a client whose partition has another client by now.
func (h *host) known(r *http.Request) error {
	name, err := url.PathUnescape(r.Header.Get(partitionHeader))
	if err != nil {
		return exchangehttp.Failf(http.StatusBadRequest, "the header %s is not escaped as in a path", partitionHeader)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.state.Partitions[name]; ok && t.Instance != r.Header.Get(instanceHeader) {
		return exchangehttp.Failf(http.StatusConflict, "partition %q has another client by now, at %s", name, t.URL)
	}
	return nil
}

// step takes a step of the manager. Messages to the partition that asks are returned,
// others are queued.
func (h *host) step(asker string, take step) (mine []exchange.Message, err error) {
	err = h.change(false, take, func(m exchange.Message) {
		if m.Partition == asker {
			mine = append(mine, m)
		} else {
			h.queue(m)
		}
	})
	return mine, err
}

func (h *host) queue(m exchange.Message) { offer(h.queues[m.Partition], m) }

// create makes a partition, or notes where the client of one listens now.
func (h *host) create(in struct {
	Partition string `json:"partition"`
	terms
}) (none struct{}, err error) {
	u, err := url.Parse(in.URL)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return none, exchangehttp.Failf(http.StatusUnprocessableEntity, "the url is %q: want where the client listens, such as http://127.0.0.1:8081", in.URL)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	old, ok := h.state.Partitions[in.Partition]
	if ok && old.Instance != in.Instance {
		h.mu.Unlock()
		alive := h.alive(old)
		h.mu.Lock()
		if alive || h.state.Partitions[in.Partition] != old {
			return none, exchangehttp.Failf(http.StatusConflict, "partition %q has a client, at %s, which must end first", in.Partition, old.URL)
		}
		h.log.printf("hears of a new client of %s, and not of the old one", in.Partition)
	}
	if ok && (old.Weight != in.Weight || old.Floor != in.Floor) {
		return none, exchangehttp.Failf(http.StatusConflict, "partition %q has weight %d and floor %d, not %d and %d", in.Partition, old.Weight, old.Floor, in.Weight, in.Floor)
	}
	if !ok {
		if err := h.state.Manager.CreatePartition(in.Partition, in.Weight, in.Floor); err != nil {
			return none, err
		}
		h.log.printf("creates partition %s, weight %d", in.Partition, in.Weight)
	}
	if in.Instance != "" && (!ok || old.Instance != in.Instance) {
		msgs, err := h.state.Manager.ResetClient(h.clock.Now(), in.Partition, in.Instance, false)
		if err != nil {
			return none, err
		}
		for _, m := range msgs {
			defer h.queue(m.Clone()) // when it is saved
		}
	}
	h.state.Partitions[in.Partition] = in.terms
	if err := h.state.save(h.path); err != nil {
		return none, err
	}
	h.open(in.Partition)
	return none, nil
}

// alive reports whether the client of a partition still answers at its address.
func (h *host) alive(t terms) bool {
	ctx, cancel := context.WithTimeout(h.ctx, exchangehttp.Timeout/2)
	defer cancel()
	var there exchangehttp.Holdings
	return exchangehttp.Get(ctx, h.http, t.URL+"/framework/Nodes", &there) == nil && there.Instance == t.Instance
}

// open starts the sender of messages to a partition's client, if there is none yet.
func (h *host) open(name string) {
	if h.queues[name] != nil || h.ctx.Err() != nil {
		return
	}
	q := make(chan exchange.Message, queueLength)
	h.queues[name] = q
	h.sender.Go(func() {
		for {
			select {
			case <-h.ctx.Done():
				return
			case msg := <-q:
				h.send(name, msg)
			}
		}
	})
}

// send sends a message to a partition's client and handles the answers. A message that
// cannot be sent is lost.
func (h *host) send(name string, msg exchange.Message) {
	h.mu.Lock()
	to := h.state.Partitions[name].URL
	h.mu.Unlock()
	var answers []exchange.Message
	if exchangehttp.Post(h.ctx, h.http, to+"/"+msg.Call.String(), msg, &answers) != nil {
		return
	}
	for _, a := range answers {
		_, err := h.step("", func(now time.Duration) ([]exchange.Message, error) {
			if a.Partition != name {
				return nil, fmt.Errorf("a message of %q", a.Partition)
			}
			return h.state.Manager.Handle(now, a)
		})
		if err != nil {
			h.log.printf("does not understand %s: %v", name, err)
		}
	}
}

// status is what GET /Status answers.
type status struct {
	Time    float64               `json:"time_s"`
	Nodes   []nodeStatus          `json:"nodes"`
	Parts   map[string]partStatus `json:"partitions"`
	Counted exchange.ManagerStats `json:"counted"`
}

type partStatus struct {
	terms
	Waiting  int  `json:"waiting"`  // nodes asked for and not granted
	Reclaim  int  `json:"reclaim"`  // nodes to take when there are values
	Fresh    bool `json:"fresh"`    // the values are
	Delaying bool `json:"delaying"` // a preemption waits for them,
	Passed   bool `json:"passed"`   // or has, in vain
}

type nodeStatus struct {
	Node      int      `json:"node"`
	Partition string   `json:"partition,omitempty"`
	Epoch     uint64   `json:"epoch,omitempty"`
	Value     float64  `json:"value"`
	Ends      *float64 `json:"ends_s,omitempty"` // of a node that is being taken
}

func (h *host) status() status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := status{Time: h.clock.Now().Seconds(), Parts: map[string]partStatus{}, Counted: h.state.Manager.Stats()}
	for _, p := range h.state.Manager.AppendPartitions(nil) {
		s.Parts[p.Name] = partStatus{h.state.Partitions[p.Name], p.Waiting, p.Reclaim, p.Fresh, p.Delaying, p.Passed}
	}
	for _, a := range h.state.Manager.AppendAssignments(nil) {
		n := nodeStatus{Node: a.Node, Partition: a.Partition, Epoch: a.Epoch, Value: a.Value}
		if a.Preemption > 0 {
			end := a.End.Seconds()
			n.Ends = &end
		}
		s.Nodes = append(s.Nodes, n)
	}
	return s
}

// note writes into the journal what has changed in the ledger, what is delayed, and which
// notices are sent.
func (h *host) note(msgs []exchange.Message) {
	parts := h.state.Manager.AppendPartitions(nil)
	for i, p := range parts {
		var b exchange.PartitionStatus
		if i < len(h.parts) {
			b = h.parts[i]
		}
		switch {
		case p.Passed && !b.Passed:
			h.log.printf("does not take nodes from %s before there are new values", p.Name)
		case p.Delaying && !b.Delaying:
			h.log.printf("waits for the values of %s", p.Name)
		}
	}
	h.parts = parts
	after := h.state.Manager.AppendAssignments(nil)
	var say sentences
	for i, a := range after {
		b := h.before[i]
		moved := a.Partition != b.Partition || a.Epoch != b.Epoch
		if moved && b.Partition != "" {
			switch {
			case b.Preemption == 0:
				say.add(i, "%s gives back {}", b.Partition)
			case h.clock.Now() < b.End:
				say.add(i, "%s gives back {} within the grace period", b.Partition)
			case b.Noticed:
				say.add(i, "withdraws {} from %s after the grace period", b.Partition)
			default:
				say.add(i, "fences {} off from %s after its lease", b.Partition)
			}
		}
		switch {
		case moved && a.Partition != "":
			say.add(i, "grants {} to %s", a.Partition)
		case !moved && a.Preemption == 0 && b.Preemption > 0:
			say.add(i, "lets %s keep {}", a.Partition)
		}
	}
	for _, msg := range msgs {
		if msg.Call == exchange.NotifyDeletePending {
			for _, l := range msg.Leases {
				say.add(l.Node, "notifies %s that it takes {}", msg.Partition)
			}
		}
	}
	say.print(h.log)
	h.before = after
}
