package main

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// client is a partition's: the elastic client, its state on disk, what is to be sent
// to the host, and perhaps jobs that it pretends to run.
type client struct {
	log   *journal
	clock *clock
	http  *http.Client
	host  string
	wake  chan struct{}
	queue chan exchange.Message

	met     chan struct{} // closed when the host has heard of the partition
	unknown chan struct{} // it knows nothing of it any more
	stop    context.CancelFunc
	fatal   chan error // why it cannot go on

	mu     sync.Mutex
	path   string
	state  saved
	before map[int]exchange.NodeStatus // what the journal has told
	asked  int                         // requests, as far as told
	mean   time.Duration               // 0: no jobs
	rng    *rand.Rand
}

// job runs on a node, in the lease with the epoch. It is saved, since it goes on while the
// client is down.
type job struct {
	Epoch uint64        `json:"epoch"`
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
}

// runClient is a client until ctx is done.
func runClient(ctx context.Context, o options, stdout, stderr io.Writer) error {
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
	c, err := newClient(o, stderr)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "listening on %s\n", url); err != nil {
		return err
	}
	ctx, c.stop = context.WithCancel(ctx)
	defer c.stop()
	var group sync.WaitGroup
	work := func(f func(context.Context)) { group.Go(func() { f(ctx) }) }
	work(c.tick)
	work(c.send)
	if c.mean > 0 {
		work(c.run)
	}
	work(func(ctx context.Context) { c.register(ctx, o, url) })
	err = serve(ctx, l, c.mux())
	c.stop()
	group.Wait()
	select {
	case f := <-c.fatal:
		err = errors.Join(err, f)
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(err, c.state.save(c.path))
}

// fail ends the client.
func (c *client) fail(err error) {
	select {
	case c.fatal <- err:
	default:
	}
	c.stop()
}

// newClient loads or makes the state.
func newClient(o options, stderr io.Writer) (*client, error) {
	c := &client{path: o.state, host: o.host, wake: make(chan struct{}, 1), met: make(chan struct{}), unknown: make(chan struct{}, 1), fatal: make(chan error, 1),
		queue: make(chan exchange.Message, queueLength), before: map[int]exchange.NodeStatus{}, mean: o.job}
	old, err := load(o.state, "client", o.minute)
	if err != nil {
		return nil, err
	}
	if old != nil {
		c.state = *old
		if name := c.state.Client.Partition(); name != o.name {
			return nil, cli.Mistakef("-name %s: -state %s is that of partition %s", o.name, o.state, name)
		}
		if o.manager.Every != 0 && o.manager.Every != c.state.Every {
			return nil, cli.Mistakef("-every %v: in -state %s it is %v, and stays so", o.manager.Every, o.state, c.state.Every)
		}
	} else {
		// The numbers of a client that lost its state are above those it used before.
		now := time.Now()
		if o.manager.Every == 0 {
			o.manager.Every = time.Minute
		}
		p, err := exchange.NewClient(o.name, exchange.ClientOptions{Every: o.manager.Every, First: uint64(now.UnixNano())})
		if err != nil {
			return nil, cli.Mistakef("%v", err)
		}
		c.state = saved{Role: "client", Instance: crand.Text(), Origin: now, Minute: o.minute, Every: o.manager.Every, Add: o.add, Client: p}
	}
	c.http = &http.Client{Timeout: callTimeout, Transport: signed{o.name, c.state.Instance}}
	if c.state.Jobs == nil {
		c.state.Jobs = map[int]job{}
	}
	if err := c.state.save(c.path); err != nil {
		return nil, cli.Mistakef("%v", err)
	}
	c.clock = newClock(c.state.Origin, o.minute, c.state.Client.Now())
	c.log = &journal{w: stderr, clock: c.clock}
	var seed uint64
	for _, b := range []byte(o.name) {
		seed = seed*257 + uint64(b)
	}
	c.rng = rand.New(rand.NewPCG(seed, 1))
	for _, h := range c.state.Client.AppendNodes(nil, c.clock.now()) {
		c.before[h.Node] = h
	}
	c.asked = len(c.state.Client.AppendRequests(nil))
	if old != nil {
		c.log.printf("takes up its work again")
	}
	return c, nil
}

// register creates the partition, tries again while nobody answers, and asks for the
// nodes that the client is to begin with. It does so again when the host has forgotten the
// partition. The nodes that there are need no host for all that, as long as their leases last.
func (c *client) register(ctx context.Context, o options, url string) {
	in := map[string]any{"partition": o.name, "weight": o.weight, "floor": o.floor, "url": url, "instance": c.state.Instance}
	told := false
	for ctx.Err() == nil {
		var none struct{}
		err := post(ctx, c.http, c.host+"/CreatePartition", in, &none)
		var f *failure
		switch {
		case err == nil:
			told = false
			select {
			case <-c.met:
			default:
				close(c.met)
			}
			err := c.step(func(now time.Duration) (msgs []exchange.Message, err error) {
				if c.state.Add > 0 {
					_, msgs, err = c.state.Client.AddNodes(now, "", c.state.Add)
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
				c.log.printf("the host has forgotten partition %s; registers again", o.name)
			}
		case errors.As(err, &f) && f.status < 500:
			c.fail(cli.Mistakef("the host refuses partition %s: %v", o.name, f))
			return
		case ctx.Err() == nil && !told:
			c.log.printf("nobody answers at %s; tries again", c.host)
			told = true
		}
		sleep(ctx, max(20*time.Millisecond, c.clock.minute/4))
	}
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// mux is what the client answers, to the host and to its framework.
func (c *client) mux() *http.ServeMux {
	mux := http.NewServeMux()
	calls(mux, exchange.NodesQueued, exchange.DeleteCancelled, func(*http.Request) error { return nil }, func(msg exchange.Message) ([]exchange.Message, error) {
		return c.change(func(now time.Duration) ([]exchange.Message, error) { return c.state.Client.Handle(now, msg) })
	})
	mux.HandleFunc("/framework/AddNodes", endpoint(http.MethodPost, func(in struct {
		Count int `json:"count"`
	}) (out struct {
		ID uint64 `json:"id"`
	}, err error) {
		err = c.step(func(now time.Duration) (msgs []exchange.Message, err error) {
			out.ID, msgs, err = c.state.Client.AddNodes(now, "", in.Count)
			return msgs, err
		})
		return out, err
	}))
	mux.HandleFunc("/framework/DeleteNodes", endpoint(http.MethodPost, func(in struct {
		Nodes []int `json:"nodes"`
	}) (struct{}, error) {
		return struct{}{}, c.step(func(now time.Duration) ([]exchange.Message, error) {
			return c.state.Client.DeleteNodes(now, in.Nodes...)
		})
	}))
	mux.HandleFunc("/framework/SetResourceValues", endpoint(http.MethodPost, func(in struct {
		Values []struct {
			Node  int     `json:"node"`
			Value float64 `json:"value"`
		} `json:"values"`
	}) (struct{}, error) {
		values := make([]exchange.NodeValue, len(in.Values))
		for i, v := range in.Values {
			values[i] = exchange.NodeValue{Node: v.Node, Value: v.Value}
		}
		return struct{}{}, c.step(func(now time.Duration) ([]exchange.Message, error) {
			return c.state.Client.SetResourceValues(now, values)
		})
	}))
	mux.HandleFunc("/framework/Nodes", endpoint(http.MethodGet, func(struct{}) (holdings, error) { return c.holdings(), nil }))
	return mux
}

// holdings is what GET /framework/Nodes answers.
type holdings struct {
	Time     float64            `json:"time_s"`
	Instance string             `json:"instance"` // which client this is
	Nodes    []holding          `json:"nodes"`
	Requests []exchange.Request `json:"requests"`
}

type holding struct {
	Node  int      `json:"node"`
	Epoch uint64   `json:"epoch"`
	State string   `json:"state"`
	Value float64  `json:"value"`
	Ends  *float64 `json:"ends_s,omitempty"` // of a node that is to be given back
}

func (c *client) holdings() holdings {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.now()
	out := holdings{Time: now.Seconds(), Instance: c.state.Instance, Nodes: []holding{}, Requests: c.state.Client.AppendRequests([]exchange.Request{})}
	for _, h := range c.state.Client.AppendNodes(nil, now) {
		n := holding{Node: h.Node, Epoch: h.Epoch, State: h.State.String(), Value: h.Value}
		if h.State == exchange.Draining {
			end := h.End.Seconds()
			n.Ends = &end
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out
}

// change is one step of the client: what it changes is saved before the messages that it
// returns are sent.
func (c *client) change(f func(now time.Duration) ([]exchange.Message, error)) ([]exchange.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	msgs, err := f(c.clock.now())
	if err != nil {
		return nil, err
	}
	if len(msgs) > 0 {
		if err := c.state.save(c.path); err != nil {
			c.log.printf("%v; nothing is sent", err)
			return nil, err
		}
	}
	c.tell()
	out := make([]exchange.Message, len(msgs))
	for i, m := range msgs {
		out[i] = m.Clone()
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return out, nil
}

// step is change, with the messages queued for the host.
func (c *client) step(f func(now time.Duration) ([]exchange.Message, error)) error {
	msgs, err := c.change(f)
	for _, m := range msgs {
		for sent := false; !sent; {
			select {
			case c.queue <- m:
				sent = true
			default:
				select {
				case <-c.queue: // the oldest is lost
				default:
				}
			}
		}
	}
	return err
}

// tick gives the client the time when it wants it, until ctx is done.
func (c *client) tick(ctx context.Context) {
	for {
		c.mu.Lock()
		next := c.state.Client.NextTick()
		c.mu.Unlock()
		t := time.NewTimer(max(0, min(time.Hour, c.clock.until(next))))
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-c.wake:
		case <-t.C:
			c.step(func(now time.Duration) ([]exchange.Message, error) { return c.state.Client.Tick(now), nil })
		}
		t.Stop()
	}
}

// send sends what is queued to the host and reads the answers, until ctx is done.
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
		err := post(ctx, c.http, c.host+"/"+msg.Call.String(), msg, &answers)
		var f *failure
		switch {
		case ctx.Err() != nil:
			return
		case errors.As(err, &f) && f.status == http.StatusConflict:
			c.fail(fmt.Errorf("the host refuses this client: %w", f))
			return
		case errors.As(err, &f):
			if told[msg.Call] != f.text {
				c.log.printf("the host does not take %v: %v", msg.Call, f)
			}
			told[msg.Call] = f.text
			if f.status == http.StatusNotFound {
				select {
				case c.unknown <- struct{}{}:
				default:
				}
			}
		case err != nil && !silent:
			c.log.printf("does not hear of the host")
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

// run pretends to run jobs: it starts one on each free node, lets them run while a
// node is the partition's, starts none on a node that is to be given back, and gives it
// back when its job has ended. A node is worth the more the longer its job has run.
func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		sleep(ctx, max(5*time.Millisecond, c.clock.minute/4))
		var ended []int
		var values []exchange.NodeValue
		err := c.step(func(now time.Duration) ([]exchange.Message, error) {
			ended, values = c.schedule(now)
			if len(ended) == 0 {
				return nil, nil
			}
			return c.state.Client.DeleteNodes(now, ended...)
		})
		if err == nil {
			err = c.step(func(now time.Duration) ([]exchange.Message, error) {
				return c.state.Client.SetResourceValues(now, values)
			})
		}
		// A node that has been given back in between takes its value with it.
		var in *exchange.InputError
		if err != nil && !errors.As(err, &in) {
			c.log.printf("%v", err)
		}
	}
}

// margin is how long before a node's end its job is ended, by the exchange's time.
const margin = 30 * time.Second

// schedule moves the jobs on to now. It returns the nodes that are to be given back and
// the values of the others.
func (c *client) schedule(now time.Duration) (ended []int, values []exchange.NodeValue) {
	mine := map[int]bool{}
	var longest time.Duration
	for _, h := range c.state.Client.AppendNodes(nil, now) {
		if h.State != exchange.Usable && h.State != exchange.Draining {
			continue
		}
		j, busy := c.state.Jobs[h.Node]
		if busy && (j.Epoch != h.Epoch || now >= j.End) {
			delete(c.state.Jobs, h.Node)
			busy = false
		}
		if h.State == exchange.Draining && (!busy || h.End-now <= margin) {
			ended = append(ended, h.Node) // its job, if any, is ended below
			continue
		}
		if !busy {
			j = job{h.Epoch, now, now + time.Duration((0.5+c.rng.Float64())*float64(c.mean))}
			c.state.Jobs[h.Node] = j
		}
		mine[h.Node] = true
		longest = max(longest, now-j.Start)
		values = append(values, exchange.NodeValue{Node: h.Node, Value: float64(now - j.Start)})
	}
	var killed []int
	for n := range c.state.Jobs {
		if !mine[n] {
			killed = append(killed, n)
			delete(c.state.Jobs, n)
		}
	}
	if len(killed) > 0 {
		c.log.printf("ends the jobs on %s before they are done", nodeList(killed))
	}
	for i := range values {
		values[i].Value /= float64(max(1, longest))
	}
	return ended, values
}

// tell writes into the journal what has changed.
func (c *client) tell() {
	now := c.clock.now()
	after := map[int]exchange.NodeStatus{}
	lines := map[string][]int{}
	var order []string
	add := func(node int, text string) {
		if lines[text] == nil {
			order = append(order, text)
		}
		lines[text] = append(lines[text], node)
	}
	if n := len(c.state.Client.AppendRequests(nil)); n != c.asked {
		if rs := c.state.Client.AppendRequests(nil); n > c.asked {
			c.log.printf("asks for %s", nodesText(rs[n-1].Count))
		}
		c.asked = n
	}
	for _, h := range c.state.Client.AppendNodes(nil, now) {
		after[h.Node] = h
		b, known := c.before[h.Node]
		if known && b.Epoch == h.Epoch && b.State == h.State {
			continue
		}
		switch h.State {
		case exchange.Usable:
			if known && b.Epoch == h.Epoch && b.State == exchange.Draining {
				add(h.Node, "may keep {}")
			} else if known && b.Epoch == h.Epoch && b.State == exchange.Unsure {
				add(h.Node, "is sure of {} again")
			} else {
				add(h.Node, "has {}")
			}
		case exchange.Draining:
			add(h.Node, fmt.Sprintf("is to give back {} within %.1f minutes", (h.End-now).Minutes()))
		case exchange.Unsure:
			add(h.Node, "is not sure of {} any more")
		case exchange.Returned:
			add(h.Node, "gives back {}")
		}
	}
	for _, text := range order {
		c.log.printf("%s", strings.Replace(text, "{}", nodeList(lines[text]), 1))
	}
	c.before = after
}
