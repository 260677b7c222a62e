package partition

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// Framework is an exchange whose elastic client is another process, a client of
// examples/services/parttime. The client keeps its state and talks with the host; an agent is its
// framework.
type Framework struct {
	URL    string        // of the client
	Minute time.Duration // the real time that a minute of the exchange takes
	Client *http.Client  // with the credentials of the partition
}

// Holdings asks the client for its nodes.
func (f *Framework) Holdings(ctx context.Context) ([]Holding, error) {
	var in exchangehttp.Holdings
	if err := f.call("Nodes", func(url string) error { return exchangehttp.Get(ctx, f.Client, url, &in) }); err != nil {
		return nil, err
	}
	var out []Holding
	for _, n := range in.Nodes {
		h := Holding{Node: n.Node}
		for h.State = exchange.Offered; h.State.String() != n.State; h.State++ {
			if h.State == exchange.Returned {
				return nil, fmt.Errorf("the client at %s says that node %d is %q", f.URL, n.Node, n.State)
			}
		}
		if n.Ends != nil {
			h.Left = time.Duration((*n.Ends - in.Time) / 60 * float64(f.Minute))
		}
		out = append(out, h)
	}
	return out, nil
}

// SetValues tells the client what nodes are worth.
func (f *Framework) SetValues(ctx context.Context, values []exchange.NodeValue) error {
	in := exchangehttp.Values{Values: make([]exchangehttp.Value, len(values))}
	for i, v := range values {
		in.Values[i] = exchangehttp.Value(v)
	}
	return f.post(ctx, "SetResourceValues", in)
}

// Delete gives nodes back.
func (f *Framework) Delete(ctx context.Context, nodes []int) error {
	return f.post(ctx, "DeleteNodes", map[string]any{"nodes": nodes})
}

// Requests asks the client what it has asked for.
func (f *Framework) Requests(ctx context.Context) ([]exchange.Request, error) {
	var in exchangehttp.Holdings
	err := f.call("Nodes", func(url string) error { return exchangehttp.Get(ctx, f.Client, url, &in) })
	return in.Requests, err
}

// Add lets the client ask for nodes.
func (f *Framework) Add(ctx context.Context, count int) error {
	return f.post(ctx, "AddNodes", map[string]any{"count": count})
}

// Cancel lets the client withdraw a request.
func (f *Framework) Cancel(ctx context.Context, id uint64) error {
	return f.post(ctx, "Cancel", map[string]any{"id": id})
}

func (f *Framework) post(ctx context.Context, name string, in any) error {
	return f.call(name, func(url string) error { return exchangehttp.Post(ctx, f.Client, url, in, nil) })
}

func (f *Framework) call(name string, do func(url string) error) error {
	if err := do(f.URL + "/framework/" + name); err != nil {
		return fmt.Errorf("%s at %s: %w", name, f.URL, err)
	}
	return nil
}
