package exchange

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// When a client may use a node. A node becomes usable when the manager has answered a
// question that listed the node. The node stays usable for a term from the question. A
// node that is to end stays usable until a grace period after the client read the
// notice. Both spans begin before the manager's own spans. So the client stops before
// the manager takes the node.

// A Client is the elastic client of a partition. A Client asks the manager for nodes, gives nodes
// back, reports the values of nodes, and knows until when the partition may use each node.
//
// A Client is a state machine without a clock, like the [Manager]. The caller passes each message
// and the time of its own clock, and saves the client (json.Marshal) before it sends the messages
// that come out. Returned messages are valid until the next call. The caller may send them in any
// order or not at all.
//
// [Client.AppendNodes] says what to do with each node: use the node, free it by a given time, or
// leave it alone. If a node must be freed, give it back with [Client.DeleteNodes] when its last job
// has ended.
//
// A Client is for one goroutine at a time. Make one with [NewClient], or unmarshal a saved state
// into the zero value.
type Client struct {
	s         clientState
	resources []Resource
	out       outbox
	met       []bool // working memory
}

type leaseState struct {
	Node      int
	Epoch     uint64
	Request   uint64
	Value     float64
	From      uint64 // number of the first message that can list the lease
	Confirmed bool
	Valid     time.Duration // until when the partition may use the node, once confirmed
	Returned  bool          // DeleteNodes is not answered
	// The last preemption that the client knows, and whether it is in force.
	Preemption uint64
	Draining   bool
	First      time.Duration // when the client read the first notice
	Grace      time.Duration
	Known      uint64 // number of the first message after the last notice read
}

// deadline returns when a lease that is to end is over.
func (l *leaseState) deadline() time.Duration { return after(l.First, l.Grace) }

// acknowledge says in out which notice the client knows, since when, and its grace period.
func (l *leaseState) acknowledge(out *Lease, now time.Duration) {
	out.Preemption, out.Since, out.Grace = l.Preemption, min(l.Grace, now-l.First), l.Grace
}

// NewClient returns a client of a partition that the manager has or will have. The error
// is a *preempt.InputError about the name or the options.
func NewClient(partition string, opts ClientOptions) (*Client, error) {
	if err := checkName("partition", partition); err != nil {
		return nil, err
	}
	if opts.Every < 0 {
		return nil, badInput("Options.Every", -1, ErrRange, "%v: want a positive span, or 0 for the default", opts.Every)
	}
	if opts.Every == 0 {
		opts.Every = time.Minute
	}
	if !short(opts.Instance, maxName) {
		return nil, badInput("Options.Instance", -1, ErrRange, "%.100q: want at most %d bytes, all of them printable", opts.Instance, maxName)
	}
	// The first AddNodes has no request. It ends the requests of an earlier client.
	return &Client{s: clientState{Partition: partition, Instance: opts.Instance, Every: opts.Every, Number: 1, Asked: 1}}, nil
}

// send adds a message of this client to the outbox.
func (c *Client) send(m Message, at mark) {
	m.Partition, m.Instance = c.s.Partition, c.s.Instance
	c.out.send(m, at)
}

// Partition returns the name of the partition.
func (c *Client) Partition() string { return c.s.Partition }

// Now returns the latest time that the client was told. After a restart, its clock must
// not begin earlier, and must have gone on in between.
func (c *Client) Now() time.Duration { return c.s.Now }

func (c *Client) begin(now time.Duration) {
	c.s.Now = max(c.s.Now, now)
	c.out.reset()
}

func (c *Client) number() uint64 {
	n := c.s.Number
	c.s.Number++
	return n
}

// find returns the index of the lease of a node, or the index where it would be.
func (c *Client) find(node int) (int, bool) {
	return slices.BinarySearchFunc(c.s.Leases, node, func(l leaseState, node int) int { return cmp.Compare(l.Node, node) })
}

// AddNodes asks for count nodes of a kind, "" for any kind: partition-driven upscaling.
// The request stands until it is granted or cancelled; id is its name. The error is an
// *preempt.InputError for a count below 1 and for a kind that is long or not printable.
func (c *Client) AddNodes(now time.Duration, kind string, count int) (id uint64, msgs []Message, err error) {
	if count < 1 {
		return 0, nil, badInput("count", -1, ErrRange, "%d: want a positive number of nodes", count)
	}
	if !short(kind, maxKind) {
		return 0, nil, badInput("kind", -1, ErrRange, "%.200q: want at most %d bytes, all of them printable", kind, maxKind)
	}
	c.begin(now)
	id = c.number()
	c.s.Requests = append(c.s.Requests, Request{ID: id, Kind: kind, Count: count})
	c.s.Asked = c.s.Number
	c.sendRequests()
	return id, c.out.msgs, nil
}

// Cancel withdraws the request id, or its part that is not granted yet, or forgets a
// request that was refused. The partition may keep or give back nodes that the manager
// grants before it reads the message. The error is a *preempt.InputError for an id that is
// not open or refused.
func (c *Client) Cancel(now time.Duration, id uint64) ([]Message, error) {
	i := slices.IndexFunc(c.s.Requests, func(r Request) bool { return r.ID == id })
	if i < 0 {
		return nil, badInput("id", -1, ErrUnknown, "%d: want the ID of a request that is open or refused", id)
	}
	c.begin(now)
	c.s.Requests = slices.Delete(c.s.Requests, i, i+1)
	c.s.Asked = c.s.Number
	c.sendRequests()
	return c.out.msgs, nil
}

// AppendRequests appends the requests that are open or refused to dst, by ID.
func (c *Client) AppendRequests(dst []Request) []Request { return append(dst, c.s.Requests...) }

// DeleteNodes gives nodes back: partition-driven downscaling, or the end of the work on
// nodes that are to end. From now on the partition must not use them. The error is an
// *preempt.InputError for a node that the partition does not hold, and for a node that is
// there twice; the client is then unchanged.
func (c *Client) DeleteNodes(now time.Duration, nodes ...int) ([]Message, error) {
	for i, n := range nodes {
		if j, ok := c.find(n); !ok || c.s.Leases[j].Returned {
			return nil, badInput("nodes", i, ErrUnknown, "%d: want a node that the partition holds", n)
		}
	}
	if i := c.twice(len(nodes), func(i int) int { return nodes[i] }); i >= 0 {
		return nil, badInput("nodes", i, ErrRange, "%d is there twice: want each node once", nodes[i])
	}
	c.begin(now)
	for _, n := range nodes {
		j, _ := c.find(n)
		c.s.Leases[j].Returned = true
	}
	c.sendReturned()
	return c.out.msgs, nil
}

// DiscoverResources asks for the nodes of the hosting cluster; [Client.AppendResources]
// returns the answer.
func (c *Client) DiscoverResources(now time.Duration) []Message {
	c.begin(now)
	c.send(Message{Call: DiscoverResources}, c.out.mark())
	return c.out.msgs
}

// AppendResources appends the latest answer to DiscoverResources to dst. The answer is
// not saved.
func (c *Client) AppendResources(dst []Resource) []Resource { return append(dst, c.resources...) }

// A NodeValue is the value of a node to its partition, from 0 to 1. Nodes of low value
// are taken first.
type NodeValue struct {
	Node  int
	Value float64
}

// SetResourceValues sets the values of the partition's nodes, the preemption vector. A
// node that is not in values has value 0. The error is a *preempt.InputError for a node that
// is there twice or that the partition does not hold, and for a value outside [0, 1];
// the client is then unchanged. Time: O(n log n), n the number of nodes held.
func (c *Client) SetResourceValues(now time.Duration, values []NodeValue) ([]Message, error) {
	for i, v := range values {
		if j, ok := c.find(v.Node); !ok || c.s.Leases[j].Returned {
			return nil, badInput("values.Node", i, ErrUnknown, "%d: want a node that the partition holds", v.Node)
		}
		if !(v.Value >= 0 && v.Value <= 1) {
			return nil, badInput("values.Value", i, ErrRange, "%v: want a value from 0 to 1", v.Value)
		}
	}
	if i := c.twice(len(values), func(i int) int { return values[i].Node }); i >= 0 {
		return nil, badInput("values.Node", i, ErrRange, "%d is there twice: want each node once", values[i].Node)
	}
	c.begin(now)
	for i := range c.s.Leases {
		c.s.Leases[i].Value = 0
	}
	for _, v := range values {
		j, _ := c.find(v.Node)
		c.s.Leases[j].Value = v.Value
	}
	c.s.HasValues, c.s.ValuesAt = true, c.s.Now
	c.beat()
	return c.out.msgs, nil
}

// twice returns the index of the first of n nodes that came before, -1 if there is none.
// The client has all of the nodes.
func (c *Client) twice(n int, node func(i int) int) int {
	c.met = grow.Zero(c.met, len(c.s.Leases))
	for i := range n {
		j, _ := c.find(node(i))
		if c.met[j] {
			return i
		}
		c.met[j] = true
	}
	return -1
}

// sendRequests sends AddNodes.
func (c *Client) sendRequests() {
	at := c.out.mark()
	for _, r := range c.s.Requests {
		if r.Refused == "" {
			c.out.requests = append(c.out.requests, Request{ID: r.ID, Kind: r.Kind, Count: r.Count})
		}
	}
	c.send(Message{Call: AddNodes, Number: c.number()}, at)
	c.s.NextAdd = after(c.s.Now, c.s.Every)
}

// sendReturned sends DeleteNodes.
func (c *Client) sendReturned() {
	at := c.out.mark()
	for i := range c.s.Leases {
		if l := &c.s.Leases[i]; l.Returned {
			c.out.leases = append(c.out.leases, Lease{Node: l.Node, Epoch: l.Epoch})
		}
	}
	if len(c.out.leases) > at.leases {
		c.send(Message{Call: DeleteNodes, Number: c.number()}, at)
		c.s.NextBack = after(c.s.Now, c.s.Every)
	}
}

// beat sends SetResourceValues.
func (c *Client) beat() {
	m := Message{Call: SetResourceValues, Number: c.number(), Sent: c.s.Now, Age: -1}
	if c.s.HasValues {
		m.Age = c.s.Now - c.s.ValuesAt
	}
	at := c.out.mark()
	for i := range c.s.Leases {
		l := &c.s.Leases[i]
		if l.Returned {
			continue
		}
		out := Lease{Node: l.Node, Epoch: l.Epoch, Value: l.Value}
		if l.Draining {
			l.acknowledge(&out, c.s.Now)
		}
		c.out.leases = append(c.out.leases, out)
	}
	c.send(m, at)
	if len(c.s.Listings) == maxListings {
		c.s.Listings = c.s.Listings[:copy(c.s.Listings, c.s.Listings[1:])]
	}
	c.s.Listings = append(c.s.Listings, listing{m.Number, m.Sent})
	c.s.NextBeat = after(c.s.Now, c.s.Every)
}

// expire gives back the leases whose grace period is over. It reports whether there are
// any.
func (c *Client) expire() bool {
	some := false
	for i := range c.s.Leases {
		if l := &c.s.Leases[i]; l.Draining && !l.Returned && c.s.Now >= l.deadline() {
			l.Returned, some = true, true
		}
	}
	return some
}

// Tick tells the client the time and returns the messages to send. Tick gives back the
// nodes whose grace period is over, and repeats messages that are not answered. Time:
// O(n), n the number of nodes held.
func (c *Client) Tick(now time.Duration) []Message {
	c.begin(now)
	if c.expire() || c.s.Now >= c.s.NextBack {
		c.sendReturned()
	}
	if c.s.Now >= c.s.NextAdd && c.asking() {
		c.sendRequests()
	}
	if c.s.Now >= c.s.NextBeat {
		c.beat()
	}
	return c.out.msgs
}

// asking reports whether AddNodes must be repeated.
func (c *Client) asking() bool {
	if c.s.Queued < c.s.Asked {
		return true
	}
	for _, r := range c.s.Requests {
		if r.Refused == "" {
			return true
		}
	}
	return false
}

// NextTick returns when Tick has something to do, if no message comes before. The time
// may be in the past.
func (c *Client) NextTick() time.Duration {
	next := c.s.NextBeat
	if c.asking() {
		next = min(next, c.s.NextAdd)
	}
	for i := range c.s.Leases {
		l := &c.s.Leases[i]
		switch {
		case l.Returned:
			next = min(next, c.s.NextBack)
		case l.Draining:
			next = min(next, l.deadline())
		}
	}
	return next
}
