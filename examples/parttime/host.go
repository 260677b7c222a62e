package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// host is the hosting cluster: the manager, its state on disk, and for each partition
// what is to be sent there.
type host struct {
	ctx    context.Context
	log    *journal
	clock  *clock
	http   *http.Client
	wake   chan struct{} // the time of the next tick may have changed
	sender sync.WaitGroup

	mu     sync.Mutex
	path   string
	state  saved
	before []exchange.Assignment // what the journal has told
	parts  []exchange.PartitionStatus
	queues map[string]chan exchange.Message
}

// queueLength bounds what waits to be sent to one peer. What does not fit is lost, and
// is repeated.
const queueLength = 64

// runHost is the host until ctx is done.
func runHost(ctx context.Context, o options, stdout, stderr io.Writer) error {
	// A host that cannot listen, or whose state another one has, changes nothing.
	l, url, err := listen(o.listen)
	if err != nil {
		return err
	}
	defer l.Close()
	unlock, err := lock(o.state)
	if err != nil {
		return err
	}
	defer unlock()
	h, err := newHost(ctx, o, stderr)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "listening on %s\n", url); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	h.ctx = ctx
	for name := range h.state.Partitions {
		h.open(name)
	}
	ticking := make(chan struct{})
	go func() {
		h.tick(ctx)
		close(ticking)
	}()
	err = serve(ctx, l, h.mux())
	stop()
	<-ticking
	h.sender.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(err, h.state.save(h.path))
}

// newHost loads or makes the state.
func newHost(ctx context.Context, o options, stderr io.Writer) (*host, error) {
	h := &host{ctx: ctx, path: o.state, http: &http.Client{Timeout: callTimeout}, wake: make(chan struct{}, 1), queues: map[string]chan exchange.Message{}}
	old, err := load(o.state, "host", o.minute)
	if err != nil {
		return nil, err
	}
	if old != nil {
		h.state = *old
		nodes := len(h.state.Manager.AppendAssignments(nil))
		if o.nodes != 0 && o.nodes != nodes {
			return nil, cli.Mistakef("-nodes %d: -state %s is of %d nodes", o.nodes, o.state, nodes)
		}
		if err := h.state.Manager.SetOptions(o.manager); err != nil {
			return nil, cli.Mistakef("%v", err)
		}
	} else {
		if o.nodes == 0 {
			o.nodes = defaultNodes
		}
		m, err := exchange.NewManager(o.manager, make([]string, o.nodes))
		if err != nil {
			return nil, cli.Mistakef("%v", err)
		}
		h.state = saved{Role: "host", Origin: time.Now(), Minute: o.minute, Partitions: map[string]terms{}, Manager: m}
	}
	if h.state.Partitions == nil {
		h.state.Partitions = map[string]terms{}
	}
	if err := h.state.save(h.path); err != nil {
		return nil, cli.Mistakef("%v", err)
	}
	h.clock = newClock(h.state.Origin, o.minute, h.state.Manager.Now())
	h.log = &journal{w: stderr, clock: h.clock}
	h.before = h.state.Manager.AppendAssignments(nil)
	h.parts = h.state.Manager.AppendPartitions(nil)
	if old != nil {
		h.log.printf("takes up its work again")
	}
	return h, nil
}

// mux is what the host answers.
func (h *host) mux() *http.ServeMux {
	mux := http.NewServeMux()
	calls(mux, exchange.AddNodes, exchange.AcknowledgeDelete, h.known, func(msg exchange.Message) ([]exchange.Message, error) {
		return h.step(msg.Partition, func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Handle(now, msg) })
	})
	mux.HandleFunc("/CreatePartition", endpoint(http.MethodPost, h.create))
	mux.HandleFunc("/Reclaim", endpoint(http.MethodPost, func(in struct {
		Partition string `json:"partition"`
		Count     int    `json:"count"`
	}) (struct{}, error) {
		_, err := h.change("", true, func(now time.Duration) ([]exchange.Message, error) {
			return h.state.Manager.Reclaim(now, in.Partition, in.Count)
		})
		if err == nil {
			h.log.printf("an administrator takes %s from %s", nodesText(in.Count), in.Partition)
		}
		return struct{}{}, err
	}))
	mux.HandleFunc("/Status", endpoint(http.MethodGet, func(struct{}) (status, error) { return h.status(), nil }))
	return mux
}

// known refuses the client of a partition in whose place there is another one.
func (h *host) known(r *http.Request) error {
	name, err := url.PathUnescape(r.Header.Get(partitionHeader))
	if err != nil {
		return failf(http.StatusBadRequest, "the header %s is not escaped as in a path", partitionHeader)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.state.Partitions[name]; ok && t.Instance != r.Header.Get(instanceHeader) {
		return failf(http.StatusConflict, "partition %q has another client by now, at %s", name, t.URL)
	}
	return nil
}

// step is one step of the manager: what it changes is saved before a message about it
// is sent. Messages to the partition that asks are returned, others queued.
func (h *host) step(asker string, f func(now time.Duration) ([]exchange.Message, error)) ([]exchange.Message, error) {
	return h.change(asker, false, f)
}

// change is step. One that is whole is saved though nothing is to be sent, and is undone
// if it cannot be: the answer says whether it has been, and it may be asked for again.
func (h *host) change(asker string, whole bool, f func(now time.Duration) ([]exchange.Message, error)) ([]exchange.Message, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var before []byte
	if whole {
		var err error
		if before, err = json.Marshal(h.state.Manager); err != nil {
			return nil, err
		}
	}
	msgs, err := f(h.clock.now())
	if err != nil {
		return nil, err
	}
	if len(msgs) > 0 || whole {
		if err := h.state.save(h.path); err != nil {
			h.log.printf("%v; nothing is sent", err)
			if whole {
				err = errors.Join(err, json.Unmarshal(before, h.state.Manager))
			}
			return nil, err
		}
	}
	h.tell(msgs)
	var mine []exchange.Message
	for _, msg := range msgs {
		if msg.Partition == asker {
			mine = append(mine, msg.Clone())
			continue
		}
		select {
		case h.queues[msg.Partition] <- msg.Clone():
		default:
		}
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return mine, nil
}

// tick gives the manager the time when it wants it, until ctx is done.
func (h *host) tick(ctx context.Context) {
	for {
		h.mu.Lock()
		next, ok := h.state.Manager.NextTick()
		h.mu.Unlock()
		wait := time.Hour
		if ok {
			wait = max(0, min(wait, h.clock.until(next)))
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-h.wake:
		case <-t.C:
			h.step("", func(now time.Duration) ([]exchange.Message, error) { return h.state.Manager.Tick(now), nil })
		}
		t.Stop()
	}
}

// create makes a partition, or hears where the client of one listens now.
func (h *host) create(in struct {
	Partition string `json:"partition"`
	terms
}) (struct{}, error) {
	var none struct{}
	u, err := url.Parse(in.URL)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return none, failf(http.StatusUnprocessableEntity, "the url is %q; want where the client listens, such as http://127.0.0.1:8081", in.URL)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	old, ok := h.state.Partitions[in.Partition]
	if ok && old.Instance != in.Instance {
		h.mu.Unlock()
		alive := h.alive(old)
		h.mu.Lock()
		if alive || h.state.Partitions[in.Partition] != old {
			return none, failf(http.StatusConflict, "partition %q has a client, at %s; that one is to end first", in.Partition, old.URL)
		}
		h.log.printf("hears of a new client of %s, and not of the old one", in.Partition)
	}
	if ok && (old.Weight != in.Weight || old.Floor != in.Floor) {
		return none, failf(http.StatusConflict, "partition %q has weight %d and floor %d, not %d and %d", in.Partition, old.Weight, old.Floor, in.Weight, in.Floor)
	}
	if !ok {
		if err := h.state.Manager.CreatePartition(in.Partition, in.Weight, in.Floor); err != nil {
			return none, err
		}
		h.log.printf("creates partition %s, weight %d", in.Partition, in.Weight)
	}
	h.state.Partitions[in.Partition] = in.terms
	if err := h.state.save(h.path); err != nil {
		return none, err
	}
	h.open(in.Partition)
	return none, nil
}

// alive reports whether a client answers where it was last, and is that one.
func (h *host) alive(t terms) bool {
	ctx, cancel := context.WithTimeout(h.ctx, callTimeout/2)
	defer cancel()
	var there holdings
	return get(ctx, h.http, t.URL+"/framework/Nodes", &there) == nil && there.Instance == t.Instance
}

// open starts what sends messages to a partition's client, if it has not been.
func (h *host) open(name string) {
	if h.queues[name] != nil || h.ctx.Err() != nil {
		return
	}
	q := make(chan exchange.Message, queueLength)
	h.queues[name] = q
	h.sender.Add(1)
	go func() {
		defer h.sender.Done()
		for {
			select {
			case <-h.ctx.Done():
				return
			case msg := <-q:
				h.mu.Lock()
				to := h.state.Partitions[name].URL
				h.mu.Unlock()
				var answers []exchange.Message
				if post(h.ctx, h.http, to+"/"+msg.Call.String(), msg, &answers) != nil {
					continue // it is lost
				}
				for _, a := range answers {
					out, err := h.step(name, func(now time.Duration) ([]exchange.Message, error) {
						if a.Partition != name {
							return nil, fmt.Errorf("a message of %q", a.Partition)
						}
						return h.state.Manager.Handle(now, a)
					})
					if err != nil {
						h.log.printf("does not understand %s: %v", name, err)
					}
					for _, o := range out {
						select {
						case q <- o:
						default:
						}
					}
				}
			}
		}
	}()
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
	s := status{Time: h.clock.now().Seconds(), Parts: map[string]partStatus{}, Counted: h.state.Manager.Stats()}
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

// tell writes into the journal what has changed in the ledger, what is delayed, and
// notices sent.
func (h *host) tell(msgs []exchange.Message) {
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
	type line struct {
		text  string
		nodes []int
	}
	var lines []line
	add := func(node int, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		i := slices.IndexFunc(lines, func(l line) bool { return l.text == text })
		if i < 0 {
			i = len(lines)
			lines = append(lines, line{text: text})
		}
		lines[i].nodes = append(lines[i].nodes, node)
	}
	for i, a := range after {
		b := h.before[i]
		moved := a.Partition != b.Partition || a.Epoch != b.Epoch
		if moved && b.Partition != "" {
			switch {
			case b.Preemption == 0:
				add(i, "%s gives back {}", b.Partition)
			case h.clock.now() < b.End:
				add(i, "%s gives back {} within the grace period", b.Partition)
			case b.Noticed:
				add(i, "withdraws {} from %s after the grace period", b.Partition)
			default:
				add(i, "fences {} off from %s after its lease", b.Partition)
			}
		}
		switch {
		case moved && a.Partition != "":
			add(i, "grants {} to %s", a.Partition)
		case !moved && a.Preemption == 0 && b.Preemption > 0:
			add(i, "lets %s keep {}", a.Partition)
		}
	}
	for _, msg := range msgs {
		if msg.Call == exchange.NotifyDeletePending {
			for _, l := range msg.Leases {
				add(l.Node, "notifies %s that it takes {}", msg.Partition)
			}
		}
	}
	for _, l := range lines {
		h.log.printf("%s", strings.Replace(l.text, "{}", nodeList(l.nodes), 1))
	}
	h.before = after
}

// nodeList is "node 3" or "nodes 0-2 and 5".
func nodeList(nodes []int) string {
	slices.Sort(nodes)
	var parts []string
	for i := 0; i < len(nodes); {
		j := i
		for j+1 < len(nodes) && nodes[j+1] == nodes[j]+1 {
			j++
		}
		switch {
		case j > i+1:
			parts = append(parts, fmt.Sprintf("%d-%d", nodes[i], nodes[j]))
		default:
			for k := i; k <= j; k++ {
				parts = append(parts, fmt.Sprint(nodes[k]))
			}
		}
		i = j + 1
	}
	if len(nodes) == 1 {
		return "node " + parts[0]
	}
	if len(parts) == 1 {
		return "nodes " + parts[0]
	}
	return "nodes " + strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func nodesText(n int) string {
	if n == 1 {
		return "a node"
	}
	return fmt.Sprintf("%d nodes", n)
}
