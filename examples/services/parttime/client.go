package main

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// client is a partition's: the elastic client, and a queue of messages for the host.
type client struct {
	*peer
	o       options
	queue   chan exchange.Message
	met     chan struct{} // closed when the host has heard of the partition
	unknown chan struct{} // the host has forgotten the partition

	before map[int]exchange.NodeStatus // as the journal has told
	asked  int                         // requests, as the journal has told
	http   *http.Client

	instance   atomic.Pointer[string] // which client sends
	registered atomic.Pointer[string] // which client the host has heard of last
}

// newClient loads or makes the state.
func newClient(ctx context.Context, o options, stderr io.Writer) (*client, error) {
	p, err := newPeer(ctx, o)
	if err != nil {
		return nil, err
	}
	done := false
	defer func() {
		if !done {
			p.store.close()
		}
	}()
	c := &client{peer: p, o: o, met: make(chan struct{}), unknown: make(chan struct{}, 1), queue: make(chan exchange.Message, queueLength),
		before: map[int]exchange.NodeStatus{}}
	c.tell = c.note
	if c.again {
		if name := c.state.Client.Partition(); name != o.name {
			return nil, cli.Mistakef("-name %s: -state %s is that of partition %s", o.name, o.state, name)
		}
		if o.manager.Every != 0 && o.manager.Every != c.state.Every {
			return nil, cli.Mistakef("-every %v: in -state %s it is %v, and stays so", o.manager.Every, o.state, c.state.Every)
		}
	} else {
		if o.manager.Every == 0 {
			o.manager.Every = time.Minute
		}
		c.state.Instance = crand.Text()
		x, err := exchange.NewClient(o.name, exchange.ClientOptions{Every: o.manager.Every, Instance: c.state.Instance})
		if err != nil {
			return nil, cli.Mistakef("%v", err)
		}
		c.state.Every, c.state.Add, c.state.Client = o.manager.Every, o.add, x
	}
	c.http = c.secure.Client(exchangehttp.HostName)
	instance := c.state.Instance
	c.instance.Store(&instance)
	c.registered.Store(new(string))
	if err := c.begin(c.state.Client.Now(), stderr); err != nil {
		return nil, err
	}
	for _, h := range c.state.Client.AppendNodes(nil, c.clock.Now()) {
		c.before[h.Node] = h
	}
	c.asked = len(c.state.Client.AppendRequests(nil))
	done = true
	return c, nil
}

func (c *client) base() *peer { return c.peer }

// work ticks, sends messages and registers until the client ends.
func (c *client) work(url string) {
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() {
		c.tick(c.ctx, func() (time.Duration, bool) { return c.state.Client.NextTick(), true }, func() {
			c.step(func(now time.Duration) ([]exchange.Message, error) { return c.state.Client.Tick(now), nil })
		})
	})
	group.Go(func() { c.send(c.ctx) })
	c.register(c.ctx, url)
}

// register creates the partition, tries again while nobody answers, and asks for the
// nodes that the client begins with. It registers again when the host has forgotten the
// partition. Nodes that the client has need no host meanwhile, until their leases end.
func (c *client) register(ctx context.Context, url string) {
	if c.o.url != "" {
		url = c.o.url
	}
	told := ""
	for ctx.Err() == nil {
		c.mu.Lock()
		instance := c.state.Instance
		c.mu.Unlock()
		in := map[string]any{"partition": c.o.name, "weight": c.o.weight, "floor": c.o.floor, "url": url, "instance": instance}
		var none struct{}
		err := exchangehttp.Post(ctx, c.http, c.o.host+"/CreatePartition", in, &none)
		var f *exchangehttp.Failure
		switch {
		case err == nil:
			told = ""
			c.registered.Store(&instance)
			select {
			case <-c.met:
			default:
				close(c.met)
			}
			err := c.step(func(now time.Duration) (msgs []exchange.Message, err error) {
				if c.state.Add > 0 {
					_, msgs, err = c.state.Client.AddNodes(now, c.o.kind, c.state.Add)
					c.state.Add = 0
				}
				return msgs, err
			})
			if err != nil {
				c.log.printf("%v", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-c.unknown:
				c.log.printf("the host has forgotten partition %s; registers again", c.o.name)
			}
		case errors.As(err, &f) && f.Status == http.StatusGone:
			// The client stays until the framework has heard how its leases end.
			if told != f.Text {
				c.log.printf("the host refuses partition %s: %v", c.o.name, f)
			}
			told = f.Text
		case errors.As(err, &f) && f.Status < 500:
			c.fail(cli.Mistakef("the host refuses partition %s: %v", c.o.name, f))
			return
		case ctx.Err() == nil && told != cause(err):
			told = cause(err)
			c.log.printf("nobody answers at %s: %s; tries again", c.o.host, told)
		}
		sleep(ctx, max(20*time.Millisecond, c.o.minute/4))
	}
}

// cause says why there is no answer, without the address, which changes.
func cause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}

// mux is what the client answers, to the host and to its framework.
func (c *client) mux() *http.ServeMux {
	mux := exchangehttp.NewMux()
	exchangehttp.Calls(mux, exchange.NodesQueued, exchange.DeleteCancelled, c.fromHost, func(msg exchange.Message) (out []exchange.Message, err error) {
		err = c.change(false, func(now time.Duration) ([]exchange.Message, error) { return c.state.Client.Handle(now, msg) },
			func(m exchange.Message) { out = append(out, m) })
		return out, err
	})
	framework := func(name string, f http.HandlerFunc) { mux.HandleFunc("/framework/"+name, c.framework(f)) }
	framework("AddNodes", exchangehttp.Endpoint(http.MethodPost, func(in struct {
		Count int    `json:"count"`
		Kind  string `json:"kind"`
	}) (out struct {
		ID uint64 `json:"id"`
	}, err error) {
		err = c.step(func(now time.Duration) (msgs []exchange.Message, err error) {
			out.ID, msgs, err = c.state.Client.AddNodes(now, in.Kind, in.Count)
			return msgs, err
		})
		return out, err
	}))
	framework("Cancel", exchangehttp.Endpoint(http.MethodPost, func(in struct {
		ID uint64 `json:"id"`
	}) (struct{}, error) {
		return struct{}{}, c.step(func(now time.Duration) ([]exchange.Message, error) { return c.state.Client.Cancel(now, in.ID) })
	}))
	framework("DiscoverResources", exchangehttp.Endpoint(http.MethodPost, func(struct{}) ([]exchange.Resource, error) { return c.discover() }))
	framework("Resources", exchangehttp.Endpoint(http.MethodGet, func(struct{}) ([]exchange.Resource, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.state.Client.AppendResources([]exchange.Resource{}), nil
	}))
	framework("Reset", exchangehttp.Endpoint(http.MethodPost, func(struct{}) (struct{}, error) { return struct{}{}, c.reset() }))
	framework("DeleteNodes", exchangehttp.Endpoint(http.MethodPost, func(in struct {
		Nodes []int `json:"nodes"`
	}) (struct{}, error) {
		return struct{}{}, c.step(func(now time.Duration) ([]exchange.Message, error) {
			return c.state.Client.DeleteNodes(now, in.Nodes...)
		})
	}))
	framework("SetResourceValues", exchangehttp.Endpoint(http.MethodPost, func(in exchangehttp.Values) (struct{}, error) {
		values := make([]exchange.NodeValue, len(in.Values))
		for i, v := range in.Values {
			values[i] = exchange.NodeValue{Node: v.Node, Value: v.Value}
		}
		return struct{}{}, c.step(func(now time.Duration) ([]exchange.Message, error) {
			return c.state.Client.SetResourceValues(now, values)
		})
	}))
	framework("Nodes", exchangehttp.Endpoint(http.MethodGet, func(struct{}) (exchangehttp.Holdings, error) { return c.holdings(), nil }))
	return mux
}

// limit returns the most bytes of a message of the host, or of the framework.
func (c *client) limit() int64 { return exchangehttp.MaxBody }

// fromHost refuses calls of the exchange that are not the host's.
func (c *client) fromHost(r *http.Request, _ exchange.Message) error {
	if name, ok := exchangehttp.Peer(r); ok && name != exchangehttp.HostName {
		return exchangehttp.Failf(http.StatusForbidden, "%s is for the host, not for %q", r.URL.Path, name)
	}
	return nil
}

// framework lets the framework of the partition pass, who has its name, and an
// administrator. The host may ask for the nodes.
func (c *client) framework(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, ok := exchangehttp.Peer(r)
		if ok && name != c.o.name && name != exchangehttp.AdminName && !(name == exchangehttp.HostName && r.URL.Path == "/framework/Nodes") {
			exchangehttp.Reply(w, http.StatusForbidden, map[string]string{"error": fmt.Sprintf("%s is for the framework of %q, not for %q", r.URL.Path, c.o.name, name)})
			return
		}
		next(w, r)
	}
}

// discover asks the host for its nodes, and returns the answer.
func (c *client) discover() ([]exchange.Resource, error) {
	c.mu.Lock()
	out := c.state.Client.DiscoverResources(c.clock.Now())
	msg := out[0].Clone()
	c.mu.Unlock()
	var answers []exchange.Message
	if err := exchangehttp.Post(c.ctx, c.http, c.o.host+"/"+msg.Call.String(), msg, &answers); err != nil {
		return nil, exchangehttp.Failf(http.StatusBadGateway, "the host does not answer: %v", err)
	}
	for _, a := range answers {
		if err := c.step(func(now time.Duration) ([]exchange.Message, error) { return c.state.Client.Handle(now, a) }); err != nil {
			return nil, exchangehttp.Failf(http.StatusBadGateway, "the client does not understand the host: %v", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Client.AppendResources([]exchange.Resource{}), nil
}

// reset begins a new client in the place of this one, which forgets its nodes and requests:
// the framework must have ended what runs on the nodes. The host gives the nodes to others
// when their leases have run out.
func (c *client) reset() error {
	instance := crand.Text()
	x, err := exchange.NewClient(c.o.name, exchange.ClientOptions{Every: c.state.Every, Instance: instance})
	if err != nil {
		return err
	}
	err = c.change(true, func(now time.Duration) ([]exchange.Message, error) {
		x.Tick(now) // the clock goes on
		c.state.Client, c.state.Instance = x, instance
		c.instance.Store(&instance)
		return nil, nil
	}, func(exchange.Message) {})
	if err == nil {
		c.log.printf("is reset: forgets its nodes and its requests")
		offer(c.unknown, struct{}{})
	}
	return err
}

func (c *client) holdings() exchangehttp.Holdings {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	out := exchangehttp.Holdings{Time: now.Seconds(), Instance: c.state.Instance, Nodes: []exchangehttp.Holding{},
		Requests: c.state.Client.AppendRequests([]exchange.Request{})}
	for _, h := range c.state.Client.AppendNodes(nil, now) {
		n := exchangehttp.Holding{Node: h.Node, Epoch: h.Epoch, State: h.State.String(), Value: h.Value}
		if h.State == exchange.Draining {
			end := h.End.Seconds()
			n.Ends = &end
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out
}

// step takes a step of the client. Its messages are queued for the host; if the queue is
// full, its oldest message is lost.
func (c *client) step(take step) error {
	return c.change(false, take, func(m exchange.Message) {
		for !offer(c.queue, m) {
			select {
			case <-c.queue:
			default:
			}
		}
	})
}

// send sends the queue to the host and handles the answers, until ctx is done.
func (c *client) send(ctx context.Context) {
	silent := false
	told := map[exchange.Call]string{} // what the host has refused last
	select {
	case <-ctx.Done():
		return
	case <-c.met:
	}
	for {
		var msg exchange.Message
		select {
		case <-ctx.Done():
			return
		case msg = <-c.queue:
		}
		var answers []exchange.Message
		known := *c.registered.Load()
		err := exchangehttp.Post(ctx, c.http, c.o.host+"/"+msg.Call.String(), msg, &answers)
		var f *exchangehttp.Failure
		switch {
		case ctx.Err() != nil:
			return
		case errors.As(err, &f) && f.Status == http.StatusConflict && (known != *c.instance.Load() || msg.Instance != known):
			// The client was reset. The host has heard of the new client after this message of
			// the old one, or not yet.
		case errors.As(err, &f) && f.Status == http.StatusConflict:
			c.fail(fmt.Errorf("the host refuses this client: %w", f))
			return
		case errors.As(err, &f):
			if told[msg.Call] != f.Text {
				c.log.printf("the host does not take %v: %v", msg.Call, f)
			}
			told[msg.Call] = f.Text
			if f.Status == http.StatusNotFound {
				offer(c.unknown, struct{}{})
			}
		case err != nil && !silent:
			c.log.printf("does not hear of the host: %s", cause(err))
		case err == nil && silent:
			c.log.printf("hears of the host again")
		}
		if err == nil {
			delete(told, msg.Call)
		}
		silent = err != nil && f == nil
		for _, a := range answers {
			if err := c.step(func(now time.Duration) ([]exchange.Message, error) { return c.state.Client.Handle(now, a) }); err != nil {
				c.log.printf("does not understand the host: %v", err)
			}
		}
	}
}

// note writes into the journal what has changed.
func (c *client) note([]exchange.Message) {
	now := c.clock.Now()
	after := map[int]exchange.NodeStatus{}
	if rs := c.state.Client.AppendRequests(nil); len(rs) != c.asked {
		if n := len(rs); n > c.asked {
			c.log.printf("asks for %s", nodesText(rs[n-1].Count))
		}
		c.asked = len(rs)
	}
	var say sentences
	for _, h := range c.state.Client.AppendNodes(nil, now) {
		after[h.Node] = h
		b, known := c.before[h.Node]
		same := known && b.Epoch == h.Epoch
		switch {
		case same && b.State == h.State:
		case h.State == exchange.Usable && same && b.State == exchange.Draining:
			say.add(h.Node, "may keep {}")
		case h.State == exchange.Usable && same && b.State == exchange.Unsure:
			say.add(h.Node, "is sure of {} again")
		case h.State == exchange.Usable:
			say.add(h.Node, "has {}")
		case h.State == exchange.Draining:
			say.add(h.Node, "is to give back {} within %.1f minutes", (h.End - now).Minutes())
		case h.State == exchange.Unsure:
			say.add(h.Node, "is not sure of {} any more")
		case h.State == exchange.Returned:
			say.add(h.Node, "gives back {}")
		}
	}
	say.print(c.log)
	c.before = after
}
