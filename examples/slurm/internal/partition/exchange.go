package partition

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// InProcess is an exchange whose elastic client is in this process. It delivers what
// comes from the host with Receive, and tells the client the time with Tick.
type InProcess struct {
	mu     sync.Mutex
	client *exchange.Client
	now    func() time.Duration
	real   func(time.Duration) time.Duration
	send   func([]exchange.Message)
}

// NewInProcess returns an exchange with a client. now is the client's clock, real turns a span of
// it into real time, and send sends messages to the host, which it must not do before it
// returns: they are copies.
func NewInProcess(c *exchange.Client, now func() time.Duration, real func(time.Duration) time.Duration, send func([]exchange.Message)) *InProcess {
	return &InProcess{client: c, now: now, real: real, send: send}
}

// Do lets f use the client, and sends what it returns.
func (x *InProcess) Do(f func(c *exchange.Client, now time.Duration) ([]exchange.Message, error)) error {
	x.mu.Lock()
	msgs, err := f(x.client, x.now())
	copies := make([]exchange.Message, len(msgs))
	for i, m := range msgs {
		copies[i] = m.Clone()
	}
	x.mu.Unlock()
	if err == nil && len(copies) > 0 {
		x.send(copies)
	}
	return err
}

// Receive delivers a message of the host.
func (x *InProcess) Receive(msg exchange.Message) error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) { return c.Handle(now, msg) })
}

// Tick tells the client the time.
func (x *InProcess) Tick() error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) { return c.Tick(now), nil })
}

// Holdings returns what the client knows.
func (x *InProcess) Holdings(context.Context) ([]Holding, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	var out []Holding
	for _, h := range x.client.AppendNodes(nil, now) {
		out = append(out, Holding{Node: h.Node, State: h.State, Left: x.real(h.End - now)})
	}
	return out, nil
}

// SetValues tells the client what nodes are worth.
func (x *InProcess) SetValues(_ context.Context, values []exchange.NodeValue) error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) {
		return c.SetResourceValues(now, values)
	})
}

// Delete gives nodes back.
func (x *InProcess) Delete(_ context.Context, nodes []int) error {
	return x.Do(func(c *exchange.Client, now time.Duration) ([]exchange.Message, error) {
		return c.DeleteNodes(now, nodes...)
	})
}

// Framework is an exchange whose elastic client is a process of its own, that of
// examples/parttime, which keeps its state and talks with the host. An agent is its
// framework.
type Framework struct {
	URL    string        // of the client
	Minute time.Duration // how long one of the exchange's takes
	HTTP   *http.Client
}

// Holdings asks the client what it has.
func (f *Framework) Holdings(ctx context.Context) ([]Holding, error) {
	var in struct {
		Time  float64 `json:"time_s"`
		Nodes []struct {
			Node  int      `json:"node"`
			State string   `json:"state"`
			Ends  *float64 `json:"ends_s"`
		} `json:"nodes"`
	}
	if err := f.call(ctx, http.MethodGet, "Nodes", nil, &in); err != nil {
		return nil, err
	}
	var out []Holding
	for _, n := range in.Nodes {
		state, ok := states[n.State]
		if !ok {
			return nil, fmt.Errorf("the client at %s says that node %d is %q", f.URL, n.Node, n.State)
		}
		h := Holding{Node: n.Node, State: state}
		if n.Ends != nil {
			h.Left = time.Duration((*n.Ends - in.Time) / 60 * float64(f.Minute))
		}
		out = append(out, h)
	}
	return out, nil
}

// states are the names of what a partition may do with a node.
var states = func() map[string]exchange.NodeState {
	m := map[string]exchange.NodeState{}
	for s := exchange.Offered; s <= exchange.Returned; s++ {
		m[s.String()] = s
	}
	return m
}()

// SetValues tells the client what nodes are worth.
func (f *Framework) SetValues(ctx context.Context, values []exchange.NodeValue) error {
	type value struct {
		Node  int     `json:"node"`
		Value float64 `json:"value"`
	}
	list := make([]value, len(values))
	for i, v := range values {
		list[i] = value{v.Node, v.Value}
	}
	return f.call(ctx, http.MethodPost, "SetResourceValues", map[string]any{"values": list}, nil)
}

// Delete gives nodes back.
func (f *Framework) Delete(ctx context.Context, nodes []int) error {
	return f.call(ctx, http.MethodPost, "DeleteNodes", map[string]any{"nodes": nodes}, nil)
}

// maxAnswer is how much of an answer is read.
const maxAnswer = 16 << 20

func (f *Framework) call(ctx context.Context, method, name string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, f.URL+"/framework/"+name, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	client := f.HTTP
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second}
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(text) > maxAnswer {
		return errors.New("an answer that is too long")
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s at %s: %s: %s", name, f.URL, resp.Status, bytes.TrimSpace(text))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s at %s: %w", name, f.URL, err)
	}
	return nil
}
