package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
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
	o      options
	nodes  int
	before []exchange.Assignment // as the journal has told
	parts  map[string]exchange.PartitionStatus
	list   []exchange.PartitionStatus // working memory
	nums   []int
	lost   int // leases that the manager never gave, as the journal has told
	told   time.Time

	prepared chan struct{} // there may be nodes to prepare

	sending sync.Mutex
	queues  map[string]chan exchange.Message
	clients map[string]*http.Client
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
	h := &host{peer: p, o: o, queues: map[string]chan exchange.Message{}, clients: map[string]*http.Client{}, prepared: make(chan struct{}, 1),
		parts: map[string]exchange.PartitionStatus{}}
	h.tell = h.note
	done := false
	defer func() {
		if !done {
			p.store.close()
		}
	}()
	o.manager.Prepare = o.provision != ""
	if h.again {
		nodes := h.state.Manager.Nodes()
		if o.nodes != 0 && o.nodes != nodes {
			return nil, cli.Mistakef("-nodes %d: -state %s is of %d nodes", o.nodes, o.state, nodes)
		}
		for i, kind := range o.kinds {
			if got := h.state.Manager.Assignment(i).Kind; len(o.kinds) != nodes || got != kind {
				return nil, cli.Mistakef("-kinds: in -state %s there are %d nodes, and node %d is of kind %q", o.state, nodes, i, got)
			}
		}
		err = h.state.Manager.SetOptions(o.manager)
	} else {
		if o.nodes == 0 {
			o.nodes = defaultNodes
		}
		if o.kinds == nil {
			o.kinds = make([]string, o.nodes)
		}
		h.state.Manager, err = exchange.NewManager(o.manager, o.kinds)
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
	h.nodes = h.state.Manager.Nodes()
	h.secure.Answers = h.limit() // an answer may cost no more than a request
	h.before = h.state.Manager.AppendAssignments(nil)
	h.lost = h.state.Manager.Stats().Unknown
	for _, p := range h.state.Manager.AppendPartitions(nil) {
		h.parts[p.Name] = p
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(40<<20 + 4000*int64(h.nodes)) // what many messages leave behind is collected in time
	}
	done = true
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
	var group sync.WaitGroup
	if h.o.provision != "" {
		group.Go(func() { h.provision(h.ctx) })
	}
	if h.o.values > 0 {
		group.Go(func() { h.push(h.ctx) })
	}
	h.ticks(h.ctx)
	group.Wait()
	h.mu.Lock() // a call that has just opened a sender has counted it
	//lint:ignore SA2001 the lock waits for that call, and protects nothing
	h.mu.Unlock()
	h.sender.Wait()
}

// push tells the partitions the host's values of the nodes, at regular times.
func (h *host) push(ctx context.Context) {
	for ctx.Err() == nil {
		sleep(ctx, h.clock.Unscaled(h.o.values))
		h.mu.Lock()
		names := slices.Sorted(maps.Keys(h.state.Partitions))
		h.mu.Unlock()
		for _, name := range names { // one at a time: the message is about all nodes
			var msg exchange.Message
			h.mu.Lock()
			out, err := h.state.Manager.PushResources(h.clock.Now(), name)
			if err == nil {
				msg = out[0].Clone()
			}
			h.mu.Unlock()
			if err == nil && ctx.Err() == nil {
				h.send(name, msg)
			}
		}
	}
}

// ticks tells the manager the time until ctx is done.
func (h *host) ticks(ctx context.Context) {
	h.tick(ctx, func() (time.Duration, bool) { return h.state.Manager.NextTick() }, func() {
		h.step("", func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Tick(now), nil })
	})
}

// mux is what the host answers.
func (h *host) mux() *http.ServeMux {
	mux := exchangehttp.NewMux()
	exchangehttp.Calls(mux, exchange.AddNodes, exchange.AcknowledgeDelete, h.known, func(msg exchange.Message) ([]exchange.Message, error) {
		return h.step(msg.Partition, func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Handle(now, msg) })
	})
	mux.HandleFunc("/CreatePartition", func(w http.ResponseWriter, r *http.Request) {
		exchangehttp.Endpoint(http.MethodPost, func(in struct {
			Partition string `json:"partition"`
			terms
		}) (none struct{}, err error) {
			if err := speaks(r, in.Partition); err != nil {
				return none, err
			}
			return h.create(in)
		})(w, r)
	})
	for name, f := range h.orders() {
		mux.HandleFunc("/"+name, administrator(exchangehttp.Endpoint(http.MethodPost, func(in order) (struct{}, error) {
			what, take := f(in)
			err := h.change(true, take, h.queue)
			if err == nil {
				h.log.printf("an administrator %s", what)
			}
			return struct{}{}, err
		})))
	}
	mux.HandleFunc("/Status", administrator(exchangehttp.Endpoint(http.MethodGet, func(struct{}) (status, error) { return h.status(), nil })))
	return mux
}

// limit returns the most bytes of a message: a partition may have all nodes.
func (h *host) limit() int64 { return 1<<16 + 256*int64(h.nodes) }

// speaks refuses a message in the name of another partition.
func speaks(r *http.Request, partition string) error {
	if name, ok := exchangehttp.Peer(r); ok && name != partition {
		return exchangehttp.Failf(http.StatusForbidden, "%q speaks for partition %q: want a partition to speak for itself", name,
			exchangehttp.Printable(partition, 100))
	}
	return nil
}

// administrator lets only the administrator pass, where there are names.
func administrator(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if name, ok := exchangehttp.Peer(r); ok && name != exchangehttp.AdminName {
			err := exchangehttp.Failf(http.StatusForbidden, "%s is not for %q: want the name %q", r.URL.Path, name, exchangehttp.AdminName)
			exchangehttp.Reply(w, http.StatusForbidden, map[string]string{"error": err.Error()})
			return
		}
		next(w, r)
	}
}

// known refuses a message for another partition than the sender's, and of a client whose
// partition has another client by now.
func (h *host) known(r *http.Request, msg exchange.Message) error {
	if err := speaks(r, msg.Partition); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.state.Partitions[msg.Partition]
	if ok && t.Instance != msg.Instance {
		return exchangehttp.Failf(http.StatusConflict, "partition %q has another client by now, at %s", msg.Partition, t.URL)
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

func (h *host) queue(m exchange.Message) {
	h.sending.Lock()
	q := h.queues[m.Partition]
	h.sending.Unlock()
	offer(q, m)
}

// create makes a partition, or notes where the client of a partition listens now. A client
// that replaces another has the nodes of the other client only when their leases have run
// out.
func (h *host) create(in struct {
	Partition string `json:"partition"`
	terms
}) (none struct{}, err error) {
	if err := h.secure.CheckURL(in.URL); err != nil {
		return none, exchangehttp.Failf(http.StatusUnprocessableEntity, "the url is %v", err)
	}
	if err := exchangehttp.CheckName(in.Partition); err != nil {
		return none, exchangehttp.Failf(http.StatusUnprocessableEntity, "%v", err)
	}
	if in.Instance != "" { // before the step, which would leave a partition without terms
		if err := exchangehttp.CheckName(in.Instance); err != nil {
			return none, exchangehttp.Failf(http.StatusUnprocessableEntity, "the instance: %v", err)
		}
	}
	if in.Partition == exchangehttp.HostName || in.Partition == exchangehttp.AdminName {
		return none, exchangehttp.Failf(http.StatusUnprocessableEntity, "a partition cannot be called %q: want another name", in.Partition)
	}
	h.mu.Lock()
	old, ok := h.state.Partitions[in.Partition]
	h.mu.Unlock()
	if ok && old.Instance != in.Instance && h.alive(in.Partition, old) {
		return none, exchangehttp.Failf(http.StatusConflict, "partition %q has a client, at %s, which must end first", in.Partition, old.URL)
	}
	in.Fixed = false // no client says that
	var news []string
	err = h.change(true, func(now time.Duration) ([]exchange.Message, error) {
		m := h.state.Manager
		again, there := h.state.Partitions[in.Partition]
		switch {
		case there != ok || again != old:
			return nil, exchangehttp.Failf(http.StatusConflict, "partition %q has changed meanwhile: want to hear of it again", in.Partition)
		case h.state.Removed[in.Partition] == in.Instance && in.Instance != "" && !ok:
			return nil, exchangehttp.Failf(http.StatusGone, "an administrator has removed partition %q: want a new client, after POST /framework/Reset", in.Partition)
		case ok && old.Fixed:
			in.Weight, in.Floor, in.Fixed = old.Weight, old.Floor, true // whatever the flags of the client say
		case ok && (old.Weight != in.Weight || old.Floor != in.Floor):
			return nil, exchangehttp.Failf(http.StatusConflict, "partition %q has weight %d and floor %d, not %d and %d", in.Partition, old.Weight, old.Floor,
				in.Weight, in.Floor)
		case !ok:
			if err := m.CreatePartition(in.Partition, in.Weight, in.Floor); err != nil {
				return nil, err
			}
			news = append(news, fmt.Sprintf("creates partition %s, weight %d", in.Partition, in.Weight))
		}
		var msgs []exchange.Message
		if in.Instance != old.Instance {
			var err error
			if msgs, err = m.ResetClient(now, in.Partition, in.Instance, false); err != nil {
				return nil, err
			}
			if ok {
				news = append(news, fmt.Sprintf("hears of a new client of %s, and not of the old one", in.Partition))
			}
		}
		return msgs, h.settle(in.Partition, &in.terms)
	}, h.queue)
	if err == nil {
		for _, line := range news {
			h.log.printf("%s", line)
		}
	}
	return none, err
}

// settle notes the terms of a partition, nil if it is removed, for the state that the step
// saves.
func (h *host) settle(name string, t *terms) error {
	old, ok := h.state.Partitions[name]
	named := namedTerms{Name: name, Terms: t}
	if t == nil {
		named.Instance = old.Instance
	}
	text, err := json.Marshal(named)
	if err != nil {
		return err
	}
	h.extra = text
	removed := maps.Clone(h.state.Removed)
	h.undo = func() {
		delete(h.state.Partitions, name)
		if ok {
			h.state.Partitions[name] = old
		}
		h.state.Removed = removed
	}
	h.state.settle(named)
	if t != nil {
		h.open(name)
	}
	return nil
}

// An order is what an administrator says.
type order struct {
	Partition string `json:"partition"`
	Count     int    `json:"count,omitempty"`  // nodes to take
	Weight    int    `json:"weight,omitempty"` // new terms
	Floor     int    `json:"floor,omitempty"`
	Node      int    `json:"node,omitempty"` // that is cut off
	Epoch     uint64 `json:"epoch,omitempty"`
	Gone      bool   `json:"gone,omitempty"` // nothing of the partition runs any more
}

// orders are what an administrator may do.
func (h *host) orders() map[string]func(order) (string, step) {
	return map[string]func(order) (string, step){
		"Reclaim": func(in order) (string, step) {
			return fmt.Sprintf("takes %s from %s", nodesText(in.Count), in.Partition), func(now time.Duration) ([]exchange.Message, error) {
				return h.state.Manager.Reclaim(now, in.Partition, in.Count)
			}
		},
		"SetShare": func(in order) (string, step) {
			return fmt.Sprintf("gives %s weight %d and floor %d", in.Partition, in.Weight, in.Floor), func(now time.Duration) ([]exchange.Message, error) {
				msgs, err := h.state.Manager.SetShare(now, in.Partition, in.Weight, in.Floor)
				if err != nil {
					return nil, err
				}
				t := h.state.Partitions[in.Partition]
				t.Weight, t.Floor, t.Fixed = in.Weight, in.Floor, true
				return msgs, h.settle(in.Partition, &t)
			}
		},
		"RemovePartition": func(in order) (string, step) {
			return fmt.Sprintf("removes %s", in.Partition), func(now time.Duration) ([]exchange.Message, error) {
				msgs, err := h.state.Manager.RemovePartition(now, in.Partition, in.Gone)
				if err != nil {
					return nil, err
				}
				return msgs, h.settle(in.Partition, nil)
			}
		},
		"Fence": func(in order) (string, step) {
			return fmt.Sprintf("has cut off node %d", in.Node), func(now time.Duration) ([]exchange.Message, error) {
				return h.state.Manager.Fence(now, in.Node, in.Epoch)
			}
		},
	}
}

// to returns the client that talks to a partition.
func (h *host) to(name string) *http.Client {
	h.sending.Lock()
	defer h.sending.Unlock()
	if h.clients[name] == nil {
		h.clients[name] = h.secure.Client(name)
	}
	return h.clients[name]
}

// alive reports whether the client of a partition still answers at its address.
func (h *host) alive(name string, t terms) bool {
	ctx, cancel := context.WithTimeout(h.ctx, exchangehttp.Timeout/2)
	defer cancel()
	var there exchangehttp.Holdings
	return exchangehttp.Get(ctx, h.to(name), t.URL+"/framework/Nodes", &there) == nil && there.Instance == t.Instance
}

// open starts the sender of messages to a partition's client, if there is none yet.
func (h *host) open(name string) {
	h.sending.Lock()
	defer h.sending.Unlock()
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
	t, ok := h.state.Partitions[name]
	h.mu.Unlock()
	if !ok {
		return // removed
	}
	var answers []exchange.Message
	if exchangehttp.Post(h.ctx, h.to(name), t.URL+"/"+msg.Call.String(), msg, &answers) != nil {
		return
	}
	var odd error // one line of the journal, however much the answer has
	for _, a := range answers {
		_, err := h.step("", func(now time.Duration) ([]exchange.Message, error) {
			if a.Partition != name {
				return nil, fmt.Errorf("a message of %q", a.Partition)
			}
			return h.state.Manager.Handle(now, a)
		})
		if odd == nil {
			odd = err
		}
	}
	if odd != nil {
		h.log.printf("does not understand %s: %v", name, odd)
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
	Node       int      `json:"node"`
	Kind       string   `json:"kind,omitempty"`
	Partition  string   `json:"partition,omitempty"`
	Epoch      uint64   `json:"epoch,omitempty"`
	Value      float64  `json:"value"`
	Ends       *float64 `json:"ends_s,omitempty"`     // of a node that is being taken
	Unprepared bool     `json:"unprepared,omitempty"` // -provision has not succeeded yet
}

func (h *host) status() status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := status{Time: h.clock.Now().Seconds(), Parts: map[string]partStatus{}, Counted: h.state.Manager.Stats()}
	for _, p := range h.state.Manager.AppendPartitions(nil) {
		if p.Removed {
			continue
		}
		s.Parts[p.Name] = partStatus{h.state.Partitions[p.Name], p.Waiting, p.Reclaim, p.Fresh, p.Delaying, p.Passed}
	}
	for _, a := range h.state.Manager.AppendAssignments(nil) {
		n := nodeStatus{Node: a.Node, Kind: a.Kind, Partition: a.Partition, Epoch: a.Epoch, Value: a.Value, Unprepared: a.Unprepared}
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
	m := h.state.Manager
	h.list = m.AppendPartitions(h.list[:0])
	for _, p := range h.list {
		b := h.parts[p.Name]
		switch {
		case p.Passed && !b.Passed:
			h.log.printf("does not take nodes from %s before there are new values", p.Name)
		case p.Delaying && !b.Delaying:
			h.log.printf("waits for the values of %s", p.Name)
		}
		if p.Passed != b.Passed || p.Delaying != b.Delaying {
			h.parts[p.Name] = p
		}
	}
	if lost := m.Stats().Unknown; lost > h.lost && time.Since(h.told) > time.Second {
		h.told = time.Now()
		h.log.printf("reads of %d leases that it never gave: a message is forged, or -state is an old one", lost-h.lost)
		h.lost = lost
	}
	offer(h.prepared, struct{}{})
	var say sentences
	h.nums = m.AppendChanged(h.nums[:0])
	for _, i := range h.nums {
		a, b := m.Assignment(i), h.before[i]
		h.before[i] = a
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
		case moved && a.Partition != "" && a.Unprepared:
			say.add(i, "prepares {} for %s", a.Partition)
		case moved && a.Partition != "", !moved && b.Unprepared && !a.Unprepared && a.Partition != "":
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
}
